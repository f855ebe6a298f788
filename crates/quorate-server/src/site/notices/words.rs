//! Links that came in messages: turning something off, and confirming an address. Neither wants a session: the word in the
//! link says what it may do.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use quorate_notices::kind::Pace;

use crate::app::error::AppError;
use crate::app::notice_words::{self, WordFor};
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::answer;
use crate::site::notices::reach::{failed, outbox};
use crate::ui::urls::Href;
use crate::ui::{Form, FormPage, Link, Send, urls};

fn page(
    site: &AppState,
    visitor: &Visitor,
    (title, about): (&str, &str),
    button: Option<(Href, &str)>,
) -> Response {
    let form = button.map(|(to, button)| Form {
        expected: true,
        ..Form::button(Send::new(to, ""), button)
    });
    let page = FormPage {
        chrome: reply::chrome(site, visitor, title),
        title: title.to_owned(),
        about: about.to_owned(),
        error: None,
        form,
        ways: vec![Link::new("Choose what you hear", urls::Notices)],
    };
    reply::page(site, visitor, StatusCode::OK, &page)
}

/// `GET /notices/off/{word}`: asks first, for programs look at links before people do.
pub async fn off_form(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(word): Path<String>,
) -> Response {
    let result = match notice_words::read(&site, &word) {
        Some(WordFor::Off(_, what)) => {
            let about = match what {
                Some((game, kind)) => format!("{}, in {game}: no more of these.", kind.title()),
                None => "No more messages on this way.".to_owned(),
            };
            let to = urls::NoticeOff { word: &word }.into();
            let words = ("No more of this", about.as_str());
            Ok(page(&site, &visitor, words, Some((to, "No more of this"))))
        }
        _ => Err(AppError::NotFound),
    };
    answer(&site, &visitor, result)
}

/// `POST /notices/off/{word}`: off, at once. Mail programs send this by themselves (RFC 8058).
pub async fn off(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(word): Path<String>,
) -> Response {
    let result = turned_off(&site, &word).await;
    let result = result.map(|()| {
        let words = (
            "No more of this",
            "It is off. You can choose otherwise at any time.",
        );
        page(&site, &visitor, words, None)
    });
    answer(&site, &visitor, result)
}

async fn turned_off(site: &AppState, word: &str) -> Result<(), AppError> {
    let Some(WordFor::Off(id, what)) = notice_words::read(site, word) else {
        return Err(AppError::NotFound);
    };
    let outbox = outbox(site)?;
    let channel = outbox.channel(id).await.map_err(failed)?;
    let channel = channel.ok_or(AppError::NotFound)?;
    if let Some((game, kind)) = what {
        let chosen = outbox.choose(channel.account, Some(&game), kind, Pace::Off);
        return chosen.await.map_err(failed);
    }
    let why = Some("you turned it off by a link in a message");
    outbox.pause_channel(id, why).await.map_err(failed)
}

/// `GET /notices/confirm/{word}`.
pub async fn confirm_form(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(word): Path<String>,
) -> Response {
    let result = match notice_words::read(&site, &word) {
        Some(WordFor::Confirm(_)) => {
            let to = urls::NoticeConfirm { word: &word }.into();
            let words = (
                "Confirm this address",
                "Notices of your games come here from then on.",
            );
            Ok(page(&site, &visitor, words, Some((to, "Confirm it"))))
        }
        _ => Err(AppError::NotFound),
    };
    answer(&site, &visitor, result)
}

/// `POST /notices/confirm/{word}`.
pub async fn confirm(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(word): Path<String>,
) -> Response {
    let result = confirmed(&site, &word).await;
    let result = result.map(|()| {
        let words = (
            "Confirmed",
            "Notices of your games come to this address from now on.",
        );
        page(&site, &visitor, words, None)
    });
    answer(&site, &visitor, result)
}

async fn confirmed(site: &AppState, word: &str) -> Result<(), AppError> {
    let Some(WordFor::Confirm(id)) = notice_words::read(site, word) else {
        return Err(AppError::NotFound);
    };
    let outbox = outbox(site)?;
    let channel = outbox.channel(id).await.map_err(failed)?;
    channel.ok_or(AppError::NotFound)?;
    outbox.confirm_channel(id, site.now()).await.map_err(failed)
}
