//! Asking to join a game.

use axum::http::StatusCode;
use axum::response::Response;
use quorate_kernel::Refusal;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::forms::{Opened, SentIn, answer_in, drawn, page};
use crate::requests::newcomer::asked;
use crate::ui::{Field, FieldKind, Form, FormPage, Link, urls};
use crate::view::game::GameView;
use crate::view::people::Part;

/// `GET /g/{game}/join`.
pub async fn show(Opened(view): Opened) -> Response {
    drawn(view, |view| {
        let name = view
            .visitor()
            .account
            .as_ref()
            .map(|account| account.name.clone());
        let name = name.ok_or(AppError::SignIn)?;
        Ok(page(view, &form(view, &name, "", None)))
    })
    .await
}

fn form(view: &GameView, name: &str, text: &str, error: Option<String>) -> FormPage {
    let game = view.game().as_str();
    let fields = vec![
        Field::new(
            "join-name",
            "name",
            "Your name in this game",
            FieldKind::Line(name.to_owned()),
        )
        .hint("Everybody sees it."),
        Field::new(
            "join-text",
            "text",
            "A message (optional)",
            FieldKind::Prose(text.to_owned()),
        )
        .optional(),
    ];
    FormPage {
        chrome: view.chrome("Ask to join", Part::Elsewhere),
        title: format!("Join {}", view.title()),
        about: "The people who can let you in are told at once.".to_owned(),
        error,
        form: Some(Form {
            fields,
            expected: true,
            ..Form::button(view.send(urls::Join { game }), "Ask to join")
        }),
        ways: vec![Link::new("Read the rules first", urls::Ruleset { game })],
    }
}

/// `POST /g/{game}/join`.
pub async fn submit(SentIn { view, form }: SentIn) -> Response {
    let result = join(&view, &form).await;
    match result {
        Err(AppError::Refused(refusal)) => again(&view, &form, &refusal),
        other => answer_in(&view, other),
    }
}

fn again(view: &GameView, sent: &Posted, refusal: &Refusal) -> Response {
    let said = view.refusal("Joining", refusal).sentence();
    let name = sent.one("name").unwrap_or_default();
    let text = sent.one("text").unwrap_or_default();
    let form = form(view, name, text, Some(said));
    reply::page(view.app(), view.visitor(), StatusCode::CONFLICT, &form)
}

async fn join(view: &GameView, form: &Posted) -> Result<Response, AppError> {
    let name = form.one("name").unwrap_or_default();
    let text = form.one("text").unwrap_or_default();
    asked(view, form.key(), name, text).await?;
    let game = view.game().as_str();
    Ok(reply::see_with(
        &urls::Game { game }.into(),
        "You have asked to join.",
    ))
}
