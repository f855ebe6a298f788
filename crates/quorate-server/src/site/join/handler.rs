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
pub async fn show(Opened(look): Opened) -> Response {
    drawn(look, |look| {
        let name = look
            .visitor()
            .account
            .as_ref()
            .map(|account| account.name.clone());
        let name = name.ok_or(AppError::SignIn)?;
        Ok(page(look, &form(look, &name, "", None)))
    })
    .await
}

fn form(look: &GameView, name: &str, text: &str, error: Option<String>) -> FormPage {
    let game = look.game().as_str();
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
        chrome: look.chrome("Ask to join", Part::Elsewhere),
        title: format!("Join {}", look.title()),
        about: "The people who can let you in are told at once.".to_owned(),
        error,
        form: Some(Form {
            fields,
            expected: true,
            ..Form::button(look.send(urls::Join { game }), "Ask to join")
        }),
        ways: vec![Link::new("Read the rules first", urls::Ruleset { game })],
    }
}

/// `POST /g/{game}/join`.
pub async fn take(SentIn { look, form }: SentIn) -> Response {
    let result = join(&look, &form).await;
    match result {
        Err(AppError::Refused(refusal)) => again(&look, &form, &refusal),
        other => answer_in(&look, other),
    }
}

fn again(look: &GameView, sent: &Posted, refusal: &Refusal) -> Response {
    let said = look.refusal("Joining", refusal).sentence();
    let name = sent.one("name").unwrap_or_default();
    let text = sent.one("text").unwrap_or_default();
    let form = form(look, name, text, Some(said));
    reply::page(look.app(), look.visitor(), StatusCode::CONFLICT, &form)
}

async fn join(look: &GameView, form: &Posted) -> Result<Response, AppError> {
    let name = form.one("name").unwrap_or_default();
    let text = form.one("text").unwrap_or_default();
    asked(look, form.key(), name, text).await?;
    let game = look.game().as_str();
    Ok(reply::see_with(
        &urls::Game { game }.into(),
        "You have asked to join.",
    ))
}
