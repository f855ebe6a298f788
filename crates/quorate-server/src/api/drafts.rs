//! Drafts: what you were writing on the site.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::caller::Signed;
use crate::api::data::moment;
use crate::api::problem::Problem;
use crate::app::state::AppState;
use crate::requests::{drafts, send};
use crate::view::game::GameView;

/// A draft.
#[derive(Serialize, ToSchema)]
#[schema(as = KeptDraft)]
pub(crate) struct DraftData {
    /// The form that it is for: `new=Proposal`, `edit=12`, `comment=12`.
    form: String,
    /// Its title, or how it begins.
    title: String,
    /// When it was last written.
    #[schema(format = DateTime)]
    at: String,
    /// The fields of the form by name, as they were sent.
    fields: BTreeMap<String, Vec<String>>,
}

/// Your drafts.
#[derive(Serialize, ToSchema)]
#[schema(as = KeptDrafts)]
pub(crate) struct DraftsData {
    /// The last written first.
    items: Vec<DraftData>,
}

/// What you were writing in a game and have not posted. Nobody else sees it.
#[utoipa::path(get, path = "/games/{game}/drafts", tag = "play", operation_id = "drafts",
    params(("game" = String, Path, description = "The game's word.")),
    responses((status = 200, description = "Drafts.", body = DraftsData), Problem), security(("token" = [])))]
pub(crate) async fn list(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Path(game): Path<String>,
) -> Result<Json<DraftsData>, Problem> {
    let view = GameView::at(&site, &visitor, &game).await?;
    send::player(&view)?;
    let own = drafts::all(&view).await?;
    let items = own.iter().map(|draft| {
        let fields = draft.fields();
        let fields = fields
            .given()
            .map(|(name, values)| (name.to_owned(), values.to_vec()));
        DraftData {
            form: draft.kept.form.clone(),
            title: draft.kept.title.clone(),
            at: moment(draft.kept.at),
            fields: fields.collect(),
        }
    });
    Ok(Json(DraftsData {
        items: items.collect(),
    }))
}
