//! Pictures that people uploaded: where each is shown, and the address that gives its file.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use quorate_engine::pictures;
use quorate_engine::view::Seen;
use quorate_kernel::rows::CellKey;
use quorate_kernel::{Name, Value};

use crate::app::error::AppError;
use crate::requests::forms::{Opened, answer_in};
use crate::view::game::GameView;

/// What is at such an address never becomes anything else, for the picture's digest is part of it.
const KEEP: &str = "private, max-age=31536000, immutable";

/// `GET /g/{game}/picture/{thing}/{name}/{digest}`.
pub(crate) async fn show(
    Opened(view): Opened,
    Path((_, thing, name, digest)): Path<(String, String, String, String)>,
) -> Response {
    match file(&view, &thing, &name, &digest) {
        Some(file) => {
            let headers = [
                (header::CONTENT_TYPE, "image/png"),
                (header::CACHE_CONTROL, KEEP),
                (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            ];
            (headers, file).into_response()
        }
        None => answer_in(&view, Err(AppError::NotFound)),
    }
}

fn file(view: &GameView, thing: &str, name: &str, digest: &str) -> Option<Vec<u8>> {
    let key = CellKey {
        thing: thing.parse().ok()?,
        name: Name::from(name),
    };
    match view.cell_seen(&key) {
        Seen::Value(value) => match value.open() {
            Value::Picture(picture) if picture.digest.to_string() == digest => {
                pictures::file(picture)
            }
            _ => None,
        },
        Seen::Hidden | Seen::Nothing => None,
    }
}
