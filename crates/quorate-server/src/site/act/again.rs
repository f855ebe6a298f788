//! The page of what one can do, once more: with a form as it was filled in and why the law refused it, or with the present
//! text of what is to be rewritten put into its field.

use std::sync::Arc;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use quorate_kernel::command;
use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, Name, PlayerId, Refusal, Thing, Topic};
use quorate_law::declare::ActionDecl;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::filled::arguments;
use crate::requests::forms::{SentIn, answer_in};
use crate::requests::send;
use crate::site::act::page::{ActPage, ActTrial};
use crate::site::act::sheet::{latest, sheet};
use crate::ui;
use crate::view::game::GameView;
use crate::view::rewriting::{Present, rewrites};

/// The field of a form that takes a new text, and the present one of what is picked in the form.
fn present_text(view: &GameView, decl: &ActionDecl, form: &Posted) -> Option<(Name, String)> {
    let (field, present) = rewrites(view, decl)?;
    let thing = |name: &Name| form.filled(name.as_str())?.parse::<Thing>().ok();
    let text = match &present {
        Present::Clause { rule, clause } => {
            let number = form.filled(clause.as_str()).and_then(|n| n.parse().ok());
            match (thing(rule), number) {
                (Some(Thing::Rule(rule)), Some(number)) => {
                    view.ask(|asked| asked.prose_of(&rule, number))
                }
                _ => None,
            }
        }
        Present::Body(post) => match thing(post) {
            Some(Thing::Post(id)) => view.post(id).map(|post| post.body.as_str().to_owned()),
            _ => None,
        },
        Present::Value { of, name } => thing(of).and_then(|thing| {
            let kind = view.kind_of(&thing)?;
            let values = view.values_of_kind(&kind);
            let value = values.iter().find(|value| value.name() == name)?;
            let held = view.ask(|asked| asked.held(&thing, value));
            (!held.is_hidden).then_some(held.text)
        }),
    };
    Some((field, text?))
}

/// `POST /g/{game}/act/{action}` with the button that asks for the present text: nothing is done.
pub(crate) async fn present(view: Arc<GameView>, action: &str, mut form: Posted) -> Response {
    let action = Name::from(action);
    shown(view, StatusCode::OK, move |view, me, events| {
        let decl = view.law().actions.get(&action).ok_or(AppError::NotFound)?;
        let mut page = sheet(view, me, None, events);
        if let Some((field, text)) = present_text(view, &decl.it, &form) {
            form.put(field.as_str(), text);
        } else {
            let nothing = Refusal::plain("something picked that has a text");
            page.refusal = Some(view.refusal("That", &nothing));
        }
        refill(&mut page, &action, &form);
        Ok(page)
    })
    .await
}

/// `POST /g/{game}/act/{action}/trial`: what the form would do as it is filled in. Nothing is done.
pub async fn tried(
    Path((_, action)): Path<(String, String)>,
    SentIn { view, form }: SentIn,
) -> Response {
    let action = Name::from(action);
    shown(view, StatusCode::OK, move |view, me, events| {
        let title = view.action_title(&action, None);
        let mut page = sheet(view, me, None, events);
        let lines = arguments(view, me, &action, &form).and_then(|args| {
            view.act_lines(command::Act::Do {
                action: action.clone(),
                args,
            })
        });
        match lines {
            Ok(lines) => page.trial = Some(ActTrial { title, lines }),
            Err(refusal) => page.refusal = Some(no(view, &title, &refusal)),
        }
        refill(&mut page, &action, &form);
        Ok(page)
    })
    .await
}

/// The page with why the law refused an action, whose form stands first and as it was filled in.
pub(crate) async fn refused(
    view: Arc<GameView>,
    action: &str,
    form: Posted,
    tried: String,
    refusal: Refusal,
) -> Response {
    let action = Name::from(action);
    shown(view, StatusCode::CONFLICT, move |view, me, events| {
        let mut page = sheet(view, me, None, events);
        refill(&mut page, &action, &form);
        page.refusal = Some(no(view, &tried, &refusal));
        Ok(page)
    })
    .await
}

/// Why an action was refused; of one whose rule went since its form was drawn it says that.
pub(crate) fn no(view: &GameView, tried: &str, refusal: &Refusal) -> ui::Refusal {
    let mut shown = view.refusal(tried, refusal);
    if refusal.is_about(&Topic::NoAction) {
        shown.needs.clear();
        shown.because = Some(format!("no rule provides “{tried}” any more"));
        shown.tried.clear();
    }
    shown
}

async fn shown(
    view: Arc<GameView>,
    status: StatusCode,
    draw: impl FnOnce(&GameView, PlayerId, &[Event]) -> Result<ActPage, AppError> + Send + 'static,
) -> Response {
    let events = latest(&view, None::<EventSeq>).await;
    let reading = Arc::clone(&view);
    let made = tokio::task::spawn_blocking(move || {
        let me = send::player(&reading)?;
        draw(&reading, me, &events)
    });
    match made.await {
        Ok(Ok(page)) => reply::page(view.app(), view.visitor(), status, &page),
        Ok(Err(error)) => answer_in(&view, Err(error)),
        Err(error) => answer_in(&view, Err(error.into())),
    }
}

/// Puts what was filled in back into an action's form, and the form before all others.
fn refill(page: &mut ActPage, action: &Name, form: &Posted) {
    let is_it = |offer: &crate::ui::Offer| *action == *offer.action.as_str();
    for topic in &mut page.now {
        for offer in topic.offers.iter_mut().filter(|offer| is_it(offer)) {
            let Ok(open) = &mut offer.open else { continue };
            for field in &mut open.fields {
                field.fill(form.all(&field.name));
            }
        }
        topic.offers.sort_by_key(|offer| !is_it(offer));
        topic.is_open |= topic.offers.iter().any(is_it);
    }
    page.now
        .sort_by_key(|topic| !topic.offers.iter().any(is_it));
}
