//! What games hold, as data: values, people, moments.

use crate::view::questions::Questions;
use quorate_engine::{changes, convert};
use quorate_kernel::{Moment, PlayerId, Thing, Value};
use quorate_law::datum::Datum;
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use crate::app::reply::timestamp;
use crate::view::game::GameView;

/// A moment, as RFC 3339 writes it in UTC.
pub(crate) fn moment(at: Moment) -> String {
    timestamp(at).to_string()
}

/// An answer of the law as data.
pub(crate) fn datum(asked: &Questions<'_>, of: &Datum) -> Json {
    match of {
        Datum::Moment(at) => moment(*at).into(),
        Datum::Square(square) => format!("{} {}", square.board, asked.square_name(square)).into(),
        Datum::List(items) => items.iter().map(|item| datum(asked, item)).collect(),
        other => changes::json(other),
    }
}

/// A kept value as data. Who may see it was asked before.
pub(crate) fn value(asked: &Questions<'_>, of: &Value) -> Json {
    datum(asked, &convert::datum(of))
}

/// A player, by address and name.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PlayerRef)]
pub(crate) struct PlayerRef {
    /// The address, as values and arguments have it: `player:3`.
    pub player: String,
    /// The name under which they play.
    pub name: String,
}

impl PlayerRef {
    /// Somebody in the game.
    pub(crate) fn of(view: &GameView, id: PlayerId) -> Self {
        Self {
            player: Thing::Player(id).to_string(),
            name: view.name(id),
        }
    }
}
