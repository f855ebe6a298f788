//! What is asked: bodies, queries and headers, read so that every mistake names its place.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::api::problem::Problem;
use crate::app::state::AppState;
use crate::view::game::GameView;

/// The largest body of a request, in bytes.
pub(crate) const BODY_BYTES: usize = 256 * 1024;

/// How long an idempotency key may be, in bytes; the kernel's keys leave room for whose it is.
const KEY_BYTES: usize = 80;

/// The header with the caller's own word for a command.
const KEY: &str = "idempotency-key";

/// A body of JSON.
pub(crate) struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<AppState>> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, site: &Arc<AppState>) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(Problem::no_media());
        }
        let bytes = Bytes::from_request(request, site).await;
        let bytes = bytes.map_err(|_| Problem::too_large(BODY_BYTES))?;
        let mut reader = serde_json::Deserializer::from_slice(&bytes);
        let read = serde_path_to_error::deserialize(&mut reader);
        let read = read.map_err(|error| {
            let place = error.path().to_string();
            let inner = error.into_inner();
            if inner.is_data() {
                Problem::bad(place_of(&place), inner)
            } else {
                Problem::no_json(inner.to_string())
            }
        })?;
        let end = reader.end();
        end.map_err(|error| Problem::no_json(error.to_string()))?;
        Ok(Self(read))
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// A path of the reader, which calls the whole thing ".".
fn place_of(path: &str) -> &str {
    if path == "." { "" } else { path }
}

/// What a query asks for.
pub(crate) struct Ask<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Arc<AppState>> for Ask<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<AppState>) -> Result<Self, Problem> {
        let query = Query::<T>::from_request_parts(parts, site).await;
        let query = query.map_err(|error| Problem::bad("query", error.body_text()))?;
        Ok(Self(query.0))
    }
}

/// The caller's own word for a command: sent again with the same word, it counts once.
pub(crate) struct Key(pub Option<String>);

impl FromRequestParts<Arc<AppState>> for Key {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<AppState>) -> Result<Self, Problem> {
        let Some(key) = parts.headers.get(KEY) else {
            return Ok(Self(None));
        };
        let key = key.to_str().unwrap_or_default().trim();
        let fits = (1..=KEY_BYTES).contains(&key.len());
        if fits {
            Ok(Self(Some(key.to_owned())))
        } else {
            let what = format!("a key is a word of 1 to {KEY_BYTES} plain letters");
            Err(Problem::bad("Idempotency-Key", what))
        }
    }
}

/// Reads how many somebody asks for: from 1 to `MOST`, as the document says.
pub(crate) fn count<'de, const MOST: usize, D: Deserializer<'de>>(
    given: D,
) -> Result<Option<usize>, D::Error> {
    let asked = usize::deserialize(given)?;
    if (1..=MOST).contains(&asked) {
        Ok(Some(asked))
    } else {
        Err(D::Error::custom(format!("{asked} is not from 1 to {MOST}")))
    }
}

/// Reads the number of an event, which fits into 63 bits, as the document says.
pub(crate) fn number<'de, D: Deserializer<'de>>(given: D) -> Result<Option<u64>, D::Error> {
    let asked = u64::deserialize(given)?;
    match i64::try_from(asked) {
        Ok(_) => Ok(Some(asked)),
        Err(_) => Err(D::Error::custom(format!(
            "{asked} is not from 0 to {}",
            i64::MAX
        ))),
    }
}

/// A part of a list, and where the next one begins.
#[derive(Serialize, ToSchema)]
pub(crate) struct Page<T> {
    /// What is asked for, newest first.
    pub items: Vec<T>,
    /// What to give as `before` for those that follow; nothing where there are no more.
    pub next: Option<String>,
}

/// Runs what asks the law away from the threads that serve requests.
pub(crate) async fn blocking<T: Send + 'static>(
    view: Arc<GameView>,
    tell: impl FnOnce(&GameView) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(move || tell(&view)).await?
}
