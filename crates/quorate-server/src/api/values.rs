//! What the law tracks: of players, of the game, of every kind of things; and one value with its history.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::view::questions::Questions;
use axum::Json;
use axum::extract::{Path, State};
use quorate_engine::convert;
use quorate_kernel::effect::Step;
use quorate_kernel::rows::{CellKey, Standing};
use quorate_kernel::state::Effect;
use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;
use serde::{Deserialize, Serialize};
use serde_json::Value as AnyJson;
use utoipa::{IntoParams, ToSchema};

use crate::api::asked::{Ask, blocking};
use crate::api::caller::Caller;
use crate::api::data::moment;
use crate::api::log::EffectData;
use crate::api::problem::Problem;
use crate::api::rules::{AtQuery, then};
use crate::api::{data, log};
use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::ui::ClaimMark;
use crate::view::game::GameView;
use crate::view::history;
use crate::view::kinds::{Source, Tracked};

/// Which values, and when.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ValuesQuery {
    /// The code name of a kind alone: `Player`, `Game`, or one that the law declares.
    kind: Option<String>,
    /// An event's number, after which, or a day (`2027-05-14`), at whose end; now, if nothing is given.
    at: Option<String>,
}

/// The tracker.
#[derive(Serialize, ToSchema)]
#[schema(as = Tracker)]
pub(crate) struct TrackerData {
    /// The moment at which it stood so.
    #[schema(format = DateTime)]
    at: String,
    /// The kinds of things that have values.
    kinds: Vec<KindData>,
}

/// A kind of things and what is tracked of it.
#[derive(Serialize, ToSchema)]
#[schema(as = Kind)]
pub(crate) struct KindData {
    /// Its code name.
    kind: String,
    /// As people read it, for several.
    title: String,
    /// What is tracked of each.
    values: Vec<ValueDeclData>,
    /// The things.
    things: Vec<ThingData>,
}

/// A value that is tracked.
#[derive(Serialize, ToSchema)]
#[schema(as = Value)]
pub(crate) struct ValueDeclData {
    /// Its code name.
    name: String,
    /// As people read it.
    title: String,
    /// Whether it is kept and has a history; else the law computes or states it.
    kept: bool,
    /// Whether each sees their own alone.
    private: bool,
    /// The rule that declares it.
    rule: String,
    /// The clause of that rule.
    clause: u32,
}

/// A thing and what it holds.
#[derive(Serialize, ToSchema)]
#[schema(as = Thing)]
pub(crate) struct ThingData {
    /// Its address: `game`, `player:3`, `thing:17-1`, `row:Trap/Acid`.
    thing: String,
    /// What it is called.
    called: String,
    /// What it holds, by the code names of values.
    values: BTreeMap<String, HeldData>,
}

/// What a thing holds.
#[derive(Serialize, ToSchema)]
#[schema(as = Held)]
pub(crate) struct HeldData {
    /// The value: a number, a text, yes or no, a list, an address, a moment; nothing where it is hidden.
    value: AnyJson,
    /// The value in words.
    text: String,
    /// Whether it is not for you to see.
    hidden: bool,
    /// Why the code that computes it breaks, where it does.
    broken: Option<String>,
    /// When it last changed, where it is kept.
    #[schema(format = DateTime)]
    changed_at: Option<String>,
    /// The event that last changed it, where it is kept.
    changed_by: Option<u64>,
    /// Whether somebody put it there by hand and that is not settled: `claimed` or `disputed`.
    claim: Option<String>,
}

/// What the law tracks, now or as it was, as far as you may see it.
#[utoipa::path(get, path = "/games/{game}/values", tag = "tracker", operation_id = "values",
    params(("game" = String, Path, description = "The game's word."), ValuesQuery),
    responses((status = 200, description = "The tracker.", body = TrackerData), Problem))]
pub(crate) async fn list(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path(game): Path<String>,
    Ask(query): Ask<ValuesQuery>,
) -> Result<Json<TrackerData>, Problem> {
    let when = AtQuery { at: query.at };
    let view = then(&site, &caller, &game, &when).await?;
    let told = blocking(Arc::new(view), move |view| {
        tracker(view, query.kind.as_deref())
    });
    told.await.map(Json)
}

fn tracker(view: &GameView, only: Option<&str>) -> Result<TrackerData, Problem> {
    let own = ["Player", "Game"].map(Name::from);
    let law = view.law();
    let kinds = own
        .iter()
        .chain(law.entities.keys())
        .chain(law.tables.keys());
    let kinds: Vec<&Name> = kinds
        .filter(|kind| only.is_none_or(|only| **kind == only))
        .collect();
    if let (Some(only), true) = (only, kinds.is_empty()) {
        let what = format!("the law has no kind {only}");
        return Err(Problem::bad("query.kind", what));
    }
    Ok(TrackerData {
        at: moment(view.now()),
        kinds: kinds.into_iter().map(|name| kind(view, name)).collect(),
    })
}

fn kind(view: &GameView, name: &Name) -> KindData {
    let tracked = view.tracked_of(name);
    let title = if *name == "Game" {
        view.title()
    } else {
        view.plural_of(name)
    };
    KindData {
        kind: name.to_string(),
        title,
        values: tracked.iter().map(|value| decl(view, value)).collect(),
        things: view.ask(|asked| {
            things(view, asked, name)
                .into_iter()
                .map(|one| thing(view, asked, one, &tracked))
                .collect()
        }),
    }
}

fn decl(view: &GameView, value: &Tracked<'_>) -> ValueDeclData {
    ValueDeclData {
        name: value.name().to_string(),
        title: view.themed(&value.title()),
        kept: matches!(value.source, Source::Kept(_)),
        private: value.shown_to() != quorate_law::declare::ShownTo::All,
        rule: value.site.rule.to_string(),
        clause: value.site.clause,
    }
}

/// The things of a kind, as they came.
fn things(view: &GameView, asked: &Questions<'_>, kind: &Name) -> Vec<Thing> {
    match kind.as_str() {
        "Game" => vec![Thing::Game],
        "Player" => {
            let people = view.public().people.iter();
            let members = people.filter(|(_, person)| person.standing == Standing::Member);
            members.map(|(id, _)| Thing::Player(*id)).collect()
        }
        _ => asked.things_of(kind),
    }
}

fn thing(
    view: &GameView,
    asked: &Questions<'_>,
    thing: Thing,
    tracked: &[Tracked<'_>],
) -> ThingData {
    let values = tracked.iter().map(|value| {
        let name = value.name().to_string();
        (name, held(view, asked, &thing, value))
    });
    ThingData {
        values: values.collect(),
        called: match &thing {
            Thing::Game => view.title(),
            thing => asked.label(&Datum::Thing(thing.clone())),
        },
        thing: thing.to_string(),
    }
}

fn held(view: &GameView, asked: &Questions<'_>, thing: &Thing, value: &Tracked<'_>) -> HeldData {
    let held = asked.held(thing, value);
    let key = CellKey {
        thing: thing.clone(),
        name: value.name().clone(),
    };
    let is_absent = held.is_hidden || held.is_untracked;
    let cell = view.cell(&key).filter(|_| !is_absent);
    let plain = match (is_absent, value.source, cell) {
        (true, ..) => AnyJson::Null,
        (_, Source::Kept(_), Some(cell)) => data::datum(asked, &convert::datum(cell.value.open())),
        // A ledger has lines and no cell; what counts is their sum.
        (_, Source::Kept(_), None) => held.number.map_or(AnyJson::Null, AnyJson::from),
        (_, Source::Computed(_) | Source::Stated(..), _) => {
            let computed = asked.attribute(thing, value);
            data::datum(asked, &computed.unwrap_or(Datum::None))
        }
    };
    HeldData {
        value: plain,
        text: held.text,
        hidden: held.is_hidden,
        broken: held.broken,
        changed_at: held.at.map(moment),
        changed_by: cell.map(|cell| cell.by.0),
        claim: held.claim.map(|claim| match claim {
            ClaimMark::Claimed => "claimed".to_owned(),
            ClaimMark::Disputed => "disputed".to_owned(),
        }),
    }
}

/// A change of a value.
#[derive(Serialize, ToSchema)]
pub(crate) struct ValueChange {
    /// The event.
    event: u64,
    /// When.
    #[schema(format = DateTime)]
    at: String,
    /// Whose command it was.
    by: String,
    /// What it changed of this value.
    effects: Vec<EffectData>,
}

/// The latest changes of one value of one thing, newest first.
#[utoipa::path(get, path = "/games/{game}/values/{thing}/{name}", tag = "tracker", operation_id = "value",
    params(("game" = String, Path, description = "The game's word."),
        ("thing" = String, Path, description = "The address of whose value it is: `player:3`, `game`."),
        ("name" = String, Path, description = "The value's code name.")),
    responses((status = 200, description = "Its changes.", body = Vec<ValueChange>), Problem))]
pub(crate) async fn one(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path((game, thing, name)): Path<(String, String, String)>,
) -> Result<Json<Vec<ValueChange>>, Problem> {
    let view = GameView::at(&site, &caller.visitor, &game).await?;
    let thing: Thing = thing
        .parse()
        .map_err(|error| Problem::bad("thing", error))?;
    let key = CellKey {
        thing,
        name: name.into(),
    };
    if view.cell(&key).is_none() {
        return Err(AppError::NotFound.into());
    }
    let events = history::changes(&view, &key, history::STEPS_ALL).await?;
    let told = blocking(Arc::new(view), move |view| {
        let of_key =
            |step: &&Step| matches!(&step.effect, Effect::Cell { key: of, .. } if *of == key);
        let changes = events.iter().map(|event| {
            let steps: Vec<Step> = event.steps.iter().filter(of_key).cloned().collect();
            ValueChange {
                event: event.seq.0,
                at: moment(event.at),
                by: view.doer_name(event),
                effects: log::effects(view, &steps),
            }
        });
        Ok(changes.collect())
    });
    told.await.map(Json)
}
