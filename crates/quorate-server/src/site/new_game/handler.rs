//! Founding a game of one of the rulebooks.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::{Sent, answer};
use crate::requests::new_game::{FoundingRequest, found_game};
use crate::ui::{Choice, Field, FieldKind, Form, FormPage, Link, urls};

/// `GET /found`.
pub async fn show(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    let result = match &visitor.account {
        Some(account) => {
            let form = form(&site, &visitor, &account.name, "", None);
            Ok(reply::page(&site, &visitor, StatusCode::OK, &form))
        }
        None => Err(AppError::SignIn),
    };
    answer(&site, &visitor, result)
}

fn form(
    site: &AppState,
    visitor: &Visitor,
    name: &str,
    title: &str,
    error: Option<String>,
) -> FormPage {
    let books = site.deps.books.iter().map(|book| {
        let about = &book.manifest.about;
        Choice::new(
            book.name.as_str(),
            format!("{}: {about}", book.manifest.title),
        )
    });
    let fields = vec![
        Field::new(
            "found-book",
            "rulebook",
            "Rulebook",
            FieldKind::One(books.collect()),
        )
        .hint("The rules that it begins with; every one of them can be changed by play."),
        Field::new(
            "found-title",
            "title",
            "The game's name",
            FieldKind::Line(title.to_owned()),
        )
        .optional()
        .hint("The rulebook's, if you leave it empty."),
        Field::new(
            "found-name",
            "name",
            "Your name in it",
            FieldKind::Line(name.to_owned()),
        )
        .hint("You are its first player, and its admin where its rules know admins."),
    ];
    let send = visitor.send(urls::Found);
    let send = send.keyed(visitor.words.key_of(0).as_str());
    FormPage {
        chrome: reply::chrome(site, visitor, "Found a game"),
        title: "Found a game".to_owned(),
        about: "It starts from a copy of a rulebook. Nobody else’s game changes with it."
            .to_owned(),
        error,
        form: Some(Form {
            fields,
            expected: true,
            ..Form::button(send, "Found the game")
        }),
        ways: vec![Link::new("All games", urls::Home)],
    }
}

/// `POST /found`.
pub async fn submit(State(site): State<Arc<AppState>>, sent: Sent) -> Response {
    let visitor = &sent.visitor;
    let result = match founded(&site, visitor, &sent.form).await {
        Err(AppError::Form(error)) => {
            let (name, title) = ["name", "title"]
                .map(|field| sent.form.one(field).unwrap_or_default())
                .into();
            let form = form(&site, visitor, name, title, Some(error));
            Ok(reply::page(&site, visitor, StatusCode::BAD_REQUEST, &form))
        }
        other => other,
    };
    answer(&site, visitor, result)
}

async fn founded(
    site: &Arc<AppState>,
    visitor: &Visitor,
    form: &Posted,
) -> Result<Response, AppError> {
    let request = FoundingRequest {
        rulebook: form.one("rulebook").unwrap_or_default(),
        title: form.filled("title"),
        name: form.filled("name").unwrap_or_default(),
        key: form.key(),
    };
    let game = found_game(site, visitor, &request).await?;
    let href = urls::Game {
        game: game.as_str(),
    };
    Ok(reply::see_with(
        &href.into(),
        "The game is founded. Its first proposal may be yours.",
    ))
}
