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
pub async fn show(Opened(view): Opened, Path((_, post)): Path<(String, String)>) -> Response {
    drawn(view, move |view| {
        let (id, row, patch) = carrying(view, &post)?;
        let title = view.themed(row.title.as_str());
        let game = view.game().as_str();
        let tests = urls::Proof { game, post: &post };
        let mut groups = view.forecast_groups(&Proposed::Post(id), Extent::Whole);
        groups.push(view.proof_later(Some(tests.into())));
        let whole = EffectsPage {
            chrome: view.chrome("What it would do", Part::Blog),
            post: Link::new(title, urls::Post { game, post: &post }),
            note: format!("Each part is {}; nothing of it stays.", note(view)),
            groups,
            changes: view.changes(&patch.clauses),
        };
        Ok(page(view, &whole))
    })
    .await
}

/// `GET /g/{game}/post/{post}/effects/tests`: the tests that go with a post, which take longer than the rest of the report.
pub async fn prove(Opened(view): Opened, Path((_, post)): Path<(String, String)>) -> Response {
    let site = Arc::clone(view.app());
    let _turn = site.proving.lock().await;
    drawn(view, move |view| {
        let (id, row, _) = carrying(view, &post)?;
        let title = view.themed(row.title.as_str());
        let game = view.game().as_str();
        let alone = EffectsPage {
            chrome: view.chrome("What it would do", Part::Blog),
            post: Link::new(title, urls::Post { game, post: &post }),
            note: "Only the tests of the rules; the whole report has the rest.".to_owned(),
            groups: vec![view.proof_group(&Proposed::Post(id), row.body.as_str())],
            changes: Vec::new(),
        };
        Ok(page(view, &alone))
    })
    .await
}
