//! A game in short: where its log ends, who plays, which words and posts it has.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use quorate_engine::conventions;
use quorate_kernel::event::Head;
use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::asked::blocking;
use crate::api::caller::Caller;
use crate::api::data::{PlayerRef, moment};
use crate::api::problem::Problem;
use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::view::game::GameView;

/// The end of a log.
#[derive(Serialize, ToSchema)]
#[schema(as = Head)]
pub(crate) struct HeadData {
    /// The number of the last event.
    seq: u64,
    /// Its hash, which names this state of the game.
    hash: String,
    /// When it happened.
    #[schema(format = DateTime)]
    at: String,
}

impl HeadData {
    /// The end of a log.
    pub(crate) fn of(head: Head) -> Self {
        Self {
            seq: head.seq.0,
            hash: head.hash.to_string(),
            at: moment(head.at),
        }
    }
}

/// A game in short.
#[derive(Serialize, ToSchema)]
#[schema(as = Game)]
pub(crate) struct GameData {
    /// Its word in addresses.
    game: String,
    /// Its title.
    title: String,
    /// The rulebook that it was founded of.
    rulebook: String,
    /// When it was founded.
    #[schema(format = DateTime)]
    founded_at: String,
    /// The moment of this answer.
    #[schema(format = DateTime)]
    now: String,
    /// The end of its log.
    head: HeadData,
    /// The digest of the law in force.
    law: String,
    /// The dynasty.
    dynasty: Option<DynastyData>,
    /// Whether the game is in a hiatus, where its rules know one.
    hiatus: Option<bool>,
    /// How many make a quorum, where its rules know one.
    quorum: Option<i64>,
    /// How many play.
    players: CountData,
    /// The words of the theme, by the names that rules use.
    terms: BTreeMap<String, TermData>,
    /// The kinds of posts, in the order of the ruleset.
    categories: Vec<CategoryData>,
    /// Whom you play; nothing for strangers.
    you: Option<PlayerRef>,
}

/// A dynasty.
#[derive(Serialize, ToSchema)]
#[schema(as = Dynasty)]
pub(crate) struct DynastyData {
    /// Its number.
    number: u32,
    /// Its title; may be empty.
    title: String,
    /// Who leads it.
    leader: Option<PlayerRef>,
    /// When it began.
    #[schema(format = DateTime)]
    at: String,
}

/// How many play.
#[derive(Serialize, ToSchema)]
#[schema(as = PlayerCount)]
pub(crate) struct CountData {
    /// Those who are not idle.
    active: usize,
    /// Those who are.
    idle: usize,
}

/// A word of the theme.
#[derive(Serialize, ToSchema)]
#[schema(as = Term)]
pub(crate) struct TermData {
    /// For one.
    one: String,
    /// For several.
    many: String,
}

/// A kind of posts.
#[derive(Serialize, ToSchema)]
#[schema(as = Category)]
pub(crate) struct CategoryData {
    /// Its code name.
    name: String,
    /// As people read it.
    title: String,
    /// The icons that votes on it have; none where it is not voted on.
    icons: Vec<String>,
    /// The statuses that it can have, that of a new one first.
    statuses: Vec<String>,
    /// The fields that its author fills in, by code name.
    fields: Vec<String>,
}

/// A game in short.
#[utoipa::path(get, path = "/games/{game}", tag = "games", operation_id = "game",
    params(("game" = String, Path, description = "The game's word.")),
    responses((status = 200, description = "The game.", body = GameData), Problem))]
pub(crate) async fn one(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path(game): Path<String>,
) -> Result<Json<GameData>, Problem> {
    let view = GameView::at(&site, &caller.visitor, &game).await?;
    blocking(Arc::new(view), summary).await.map(Json)
}

fn summary(view: &GameView) -> Result<GameData, Problem> {
    let about = view.public().about.get(&()).ok_or(AppError::NotFound)?;
    let (active, idle) = view.roster();
    let terms = view.public().terms.iter().map(|(name, term)| {
        let (one, many) = (term.one.clone(), term.many.clone());
        (name.to_string(), TermData { one, many })
    });
    let hiatus = view.attribute(&Thing::Game, conventions::PAUSED);
    let quorum = view.law_says(conventions::ENOUGH, Vec::new());
    Ok(GameData {
        game: view.game().to_string(),
        title: view.title(),
        rulebook: about.rulebook.to_string(),
        founded_at: moment(about.founded_at),
        now: moment(view.now()),
        head: HeadData::of(view.head()),
        law: view.law_digest().to_string(),
        dynasty: dynasty(view),
        hiatus: match hiatus {
            Some(Datum::Bool(stands)) => Some(stands),
            _ => None,
        },
        quorum: match quorum {
            Some(Datum::Int(number)) => Some(number),
            _ => None,
        },
        players: CountData {
            active: active.len(),
            idle: idle.len(),
        },
        terms: terms.collect(),
        categories: categories(view),
        you: view.me().map(|me| PlayerRef::of(view, me)),
    })
}

fn dynasty(view: &GameView) -> Option<DynastyData> {
    let (number, dynasty) = view.public().dynasties.iter().next_back()?;
    Some(DynastyData {
        number: *number,
        title: dynasty.title.as_str().to_owned(),
        leader: dynasty.leader.map(|id| PlayerRef::of(view, id)),
        at: moment(dynasty.at),
    })
}

fn categories(view: &GameView) -> Vec<CategoryData> {
    let words = |names: &[Name]| names.iter().map(ToString::to_string).collect();
    let known = view.law().category_order.iter();
    let known = known.filter_map(|name| view.law().categories.get(name));
    known
        .map(|category| CategoryData {
            name: category.it.name.to_string(),
            title: view.themed(&category.it.title),
            icons: words(&category.it.icons),
            statuses: words(&category.it.statuses),
            fields: words(&category.it.form),
        })
        .collect()
}
