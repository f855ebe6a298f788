//! Who is on the books of a game.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use quorate_engine::conventions;
use quorate_kernel::Thing;
use quorate_kernel::rows::Standing;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::asked::blocking;
use crate::api::caller::Caller;
use crate::api::data::moment;
use crate::api::problem::Problem;
use crate::app::state::AppState;
use crate::view::game::GameView;

/// Somebody on the books.
#[derive(Serialize, ToSchema)]
#[schema(as = Player)]
pub(crate) struct PersonData {
    /// The address: `player:3`.
    player: String,
    /// The name under which they play.
    name: String,
    /// Where they stand: `applicant`, `member`, `left` or `barred`.
    standing: String,
    /// Whether they are idle, by the ruleset's word for it.
    idle: bool,
    /// Whether they are an admin.
    admin: bool,
    /// Whether they lead the dynasty.
    emperor: bool,
    /// When they became a member.
    #[schema(format = DateTime)]
    joined_at: Option<String>,
    /// Their last post or comment, or their joining.
    #[schema(format = DateTime)]
    seen_at: String,
}

/// Everybody on the books of a game, in the order in which they came.
#[utoipa::path(get, path = "/games/{game}/players", tag = "games", operation_id = "players",
    params(("game" = String, Path, description = "The game's word.")),
    responses((status = 200, description = "People.", body = Vec<PersonData>), Problem))]
pub(crate) async fn list(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path(game): Path<String>,
) -> Result<Json<Vec<PersonData>>, Problem> {
    let view = GameView::at(&site, &caller.visitor, &game).await?;
    let told = blocking(Arc::new(view), |view| Ok(people(view)));
    told.await.map(Json)
}

fn people(view: &GameView) -> Vec<PersonData> {
    let emperor = view.leader();
    let told = view.public().people.iter().map(|(id, person)| {
        let is_member = person.standing == Standing::Member;
        PersonData {
            player: Thing::Player(*id).to_string(),
            name: view.name(*id),
            standing: person.standing.as_str().to_owned(),
            idle: is_member && view.has_flag(*id, conventions::IDLE),
            admin: is_member && view.has_flag(*id, "admin"),
            emperor: emperor == Some(*id),
            joined_at: person.joined_at.map(moment),
            seen_at: moment(person.seen_at),
        }
    });
    told.collect()
}
