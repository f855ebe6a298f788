//! Telling the operator of a post or a person.

use std::collections::BTreeMap;

use axum::extract::Query;
use axum::response::Response;
use quorate_notices::outbox::Followed;
use quorate_runtime::ports::Report;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::forms::{Opened, SentBeside, answer_beside, drawn, page};
use crate::requests::named::is_there;
use crate::requests::send;
use crate::ui::urls::Href;
use crate::ui::{Field, FieldKind, Form, FormPage, urls};
use crate::view::game::{GameContext, GameView};
use crate::view::people::Part;

/// The longest reason, in bytes.
const WHY_BYTES: usize = 2_000;

/// What a word names: `post:12`, `player:3`.
fn named(word: &str) -> Option<Followed> {
    match word.split_once(':')? {
        ("post", id) => Some(Followed::Post(id.parse().ok()?)),
        ("player", id) => Some(Followed::Person(id.parse().ok()?)),
        _ => None,
    }
}

/// How a report's page calls what it is about; none of what is not there, or not the reader's to see.
fn title(view: &GameView, what: &Followed) -> Option<String> {
    let name = view.followed(what)?;
    Some(match what {
        Followed::Post(_) => format!("the post \u{201c}{name}\u{201d}"),
        Followed::Person(_) | Followed::Rule(_) => name,
    })
}

/// `GET /g/{game}/report`.
pub(crate) async fn show(
    Opened(view): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    drawn(view, move |view| {
        view.visitor().account.as_ref().ok_or(AppError::SignIn)?;
        let about = query.get("about").map(String::as_str).unwrap_or_default();
        let title = named(about).and_then(|what| title(view, &what));
        let title = title.ok_or(AppError::NotFound)?;
        Ok(page(view, &form(view, &title, about)))
    })
    .await
}

fn form(view: &GameView, title: &str, about: &str) -> FormPage {
    let game = view.game().as_str();
    let why = Field::new(
        "report-why",
        "why",
        "What is wrong",
        FieldKind::Prose(String::new()),
    );
    FormPage {
        chrome: view.chrome("Report", Part::Elsewhere),
        title: "Tell the operator".to_owned(),
        about: format!(
            "About {title}. The operators of this server read it; nobody in the game does. Settle what the game\u{2019}s rules can settle \
             in the game: by a call for judgement, a claim or a dispute."
        ),
        error: None,
        form: Some(Form {
            fields: vec![why],
            expected: true,
            ..Form::button(
                view.send(urls::Report { game }).with("about", about),
                "Send",
            )
        }),
        ways: Vec::new(),
    }
}

/// `POST /g/{game}/report`.
pub(crate) async fn submit(SentBeside { context, form }: SentBeside) -> Response {
    let result = report(&context, &form).await;
    answer_beside(&context, result)
}

async fn report(context: &GameContext, form: &Posted) -> Result<Response, AppError> {
    let by = context.visitor().id().ok_or(AppError::SignIn)?;
    let about = form.one("about").unwrap_or_default();
    let named = named(about).ok_or(AppError::NotFound)?;
    if !is_there(context, &named).await? {
        return Err(AppError::NotFound);
    }
    let why = form.filled("why").filter(|why| why.len() <= WHY_BYTES);
    let why = why.ok_or_else(|| {
        AppError::Form(format!("Say what is wrong, in at most {WHY_BYTES} bytes."))
    })?;
    let site = context.app();
    send::count_write(site, context.visitor()).await?;
    let report = Report {
        at: site.now(),
        by: Some(by),
        game: context.game().clone(),
        about: about.to_owned(),
        why: why.to_owned(),
    };
    site.deps.moderation.report(&report).await?;
    let game = context.game().as_str();
    Ok(reply::see_with(
        &Href::from(urls::Game { game }),
        "The operator is told.",
    ))
}
