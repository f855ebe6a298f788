//! What a proposal would do: in short on its page, whole on a page of its own.

use std::sync::Arc;

use axum::extract::Path;
use axum::response::Response;
use quorate_forecast::{Extent, Proposed};

use crate::requests::forms::{Opened, drawn, page};
use crate::site::forecast::page::EffectsPage;
use crate::ui::{Link, urls};
use crate::view::effects::note;
use crate::view::people::Part;
use crate::view::posts::carrying;

/// `GET /g/{game}/post/{post}/effects`.
pub async fn show(Opened(look): Opened, Path((_, post)): Path<(String, String)>) -> Response {
    drawn(look, move |look| {
        let (id, row, patch) = carrying(look, &post)?;
        let title = look.themed(row.title.as_str());
        let game = look.game().as_str();
        let tests = urls::Proof { game, post: &post };
        let mut groups = look.forecast_groups(&Proposed::Post(id), Extent::Whole);
        groups.push(look.proof_later(Some(tests.into())));
        let whole = EffectsPage {
            chrome: look.chrome("What it would do", Part::Blog),
            post: Link::new(title, urls::Post { game, post: &post }),
            note: format!("Each part is {}; nothing of it stays.", note(look)),
            groups,
            changes: look.changes(&patch.clauses),
        };
        Ok(page(look, &whole))
    })
    .await
}

/// `GET /g/{game}/post/{post}/effects/tests`: the tests that go with a post, which take longer than the rest of the report.
pub async fn prove(Opened(look): Opened, Path((_, post)): Path<(String, String)>) -> Response {
    let site = Arc::clone(look.app());
    let _turn = site.proving.lock().await;
    drawn(look, move |look| {
        let (id, row, _) = carrying(look, &post)?;
        let title = look.themed(row.title.as_str());
        let game = look.game().as_str();
        let alone = EffectsPage {
            chrome: look.chrome("What it would do", Part::Blog),
            post: Link::new(title, urls::Post { game, post: &post }),
            note: "Only the tests of the rules; the whole report has the rest.".to_owned(),
            groups: vec![look.proof_group(&Proposed::Post(id), row.body.as_str())],
            changes: Vec::new(),
        };
        Ok(page(look, &alone))
    })
    .await
}
