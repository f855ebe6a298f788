//! Takes a mail that the mail server handed to `quorate mail-in`, and plays it as its sender.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::app::mail::mail_in_key;
use crate::app::state::AppState;
use crate::requests::mail_in::{MailTaken, take_mail};
use crate::security::same_secret;

/// `POST /mail-in`: a whole mail as the body; `?to=` is whom the mail server delivered it to.
pub async fn receive(
    State(site): State<Arc<AppState>>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let carried = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let carried = carried
        .and_then(|value| value.strip_prefix("Bearer "))
        .unwrap_or_default();
    if !same_secret(
        carried.as_bytes(),
        mail_in_key(&site.deps.secret).as_bytes(),
    ) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let to = query.get("to").map(String::as_str);
    match take_mail(&site, &body, to).await {
        Ok(Some(MailTaken::Played)) => (StatusCode::OK, "played").into_response(),
        Ok(Some(MailTaken::Answered(why))) => {
            (StatusCode::OK, format!("answered: {why}")).into_response()
        }
        Ok(Some(MailTaken::Noted)) => (StatusCode::OK, "noted").into_response(),
        Ok(Some(MailTaken::Ignored)) => (StatusCode::OK, "ignored").into_response(),
        Ok(None) => (
            StatusCode::NOT_FOUND,
            "This server takes no mail: start it with --mail-replies.",
        )
            .into_response(),
        // The mail server keeps it and tries again.
        Err(error) => {
            tracing::error!(error = %error.what(), "a mail was not taken");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}
