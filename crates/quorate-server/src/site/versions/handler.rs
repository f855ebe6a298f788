//! The versions of a post that was edited, with what each changed.

use axum::extract::Path;
use axum::response::Response;
use quorate_kernel::Moment;

use crate::app::error::AppError;
use crate::requests::forms::{Opened, drawn, page};
use crate::site::versions::page::{VersionRow, Versions};
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::posts::post_id;

/// `GET /g/{game}/post/{post}/versions`.
pub(crate) async fn show(
    Opened(view): Opened,
    Path((_, post)): Path<(String, String)>,
) -> Response {
    drawn(view, move |view| {
        let id = post_id(view, &post)?;
        let link = view.link_to(id).ok_or(AppError::NotFound)?;
        let texts = view.texts_of(id);
        let mut versions: Vec<VersionRow> = Vec::new();
        let mut before: Option<&(Moment, String, String)> = None;
        for text in &texts {
            versions.push(VersionRow {
                when: view.when(text.0),
                changes: before.map_or_else(Vec::new, |before| changes(view, before, text)),
            });
            before = Some(text);
        }
        versions.reverse();
        let made = Versions {
            chrome: view.chrome("Versions", Part::Blog),
            post: link,
            versions,
        };
        Ok(page(view, &made))
    })
    .await
}

fn changes(
    view: &GameView,
    (_, old_title, old): &(Moment, String, String),
    (_, title, text): &(Moment, String, String),
) -> Vec<crate::ui::Change> {
    let mut changes = Vec::new();
    if old_title != title {
        changes.push(view.text_changed("Title", old_title, title));
    }
    if old != text {
        changes.push(view.text_changed("Text", old, text));
    }
    changes
}
