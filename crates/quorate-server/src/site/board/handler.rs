//! Boards that the law declares: who and what stands where, drawn from the values that hold squares.

use std::collections::BTreeMap;

use axum::extract::{Path, Query};
use axum::response::Response;
use quorate_engine::law::BoardDecl;
use quorate_kernel::event::Event;
use quorate_kernel::rows::Cell;
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Name, Square, Thing, Value};
use quorate_law::declare::Holds;

use crate::app::error::AppError;
use crate::requests::forms::{OpenedThen, answer_in, drawn, page};
use crate::site::board::moves;
use crate::site::board::page::BoardPage;
use crate::ui::urls::Href;
use crate::ui::{Link, Outcome, Table, Trail, urls};
use crate::view::alarms::BoardStanding;
use crate::view::boards::{FIGURES, draw, place, square_name, standing};
use crate::view::events;
use crate::view::game::GameView;
use crate::view::grid::{Plan, TableAsked};
use crate::view::kinds::{Source, Tracked};
use crate::view::people::Part;

/// How many of the latest moves are told.
const MOVES: usize = 6;

/// How many events are read at once, and how many at most, to find those moves.
const READ: u64 = 120;
const READ_MAX: u64 = 1_200;

/// An event of as many steps sets a board up; that is no move.
const SETUP: usize = 400;

/// `GET /g/{game}/board/{board}`.
pub(crate) async fn show(
    OpenedThen(view): OpenedThen,
    Path((_, word)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let name = Name::from(word.as_str());
    match latest(&view, &name).await {
        Ok(events) => {
            drawn(view, move |view| {
                Ok(page(view, &whole(view, &name, &query, &events)?))
            })
            .await
        }
        Err(error) => answer_in(&view, Err(error)),
    }
}

/// The latest events that moved something on, onto or off a board as far as the reader may see it, newest first.
async fn latest(view: &GameView, board: &Name) -> Result<Vec<Event>, AppError> {
    let last = view.head().seq.0;
    let mut found: Vec<Event> = Vec::new();
    let mut next = last;
    while next > 0 && found.len() < MOVES && last - next < READ_MAX {
        let low = next.saturating_sub(READ).max(1);
        let seqs: Vec<EventSeq> = (low..=next).rev().map(EventSeq).collect();
        let events = view.app().events(view.game(), &seqs).await?;
        let moving = events
            .into_iter()
            .filter(|event| event.steps.len() < SETUP && !moved(view, board, event).is_empty());
        found.extend(moving);
        next = low - 1;
    }
    found.sort_by_key(|event| std::cmp::Reverse(event.seq));
    found.truncate(MOVES);
    Ok(found)
}

fn whole(
    view: &GameView,
    name: &Name,
    query: &BTreeMap<String, String>,
    events: &[Event],
) -> Result<BoardPage, AppError> {
    let decl = view.law().boards.get(name).ok_or(AppError::NotFound)?;
    let game = view.game().as_str();
    let here: Href = urls::Board {
        game,
        board: name.as_str(),
    }
    .into();
    let standing = standing(view, name);
    let mut board = draw(view, name, &decl.it, &standing);
    let last = events.iter().find(|event| view.may_know(event));
    board.trails = last.map_or(Vec::new(), |event| trails(view, name, &decl.it, event));
    let choice = moves::Choosing {
        view,
        board: name,
        decl: &decl.it,
        standing: &standing,
        here: &here,
        query,
    };
    let offered = choice.offered();
    if let Some(offered) = &offered.moves {
        board.targets.clone_from(&offered.targets);
        board.form = Some("moves".to_owned());
    }
    let title = view.themed(&decl.it.title);
    let about = if view.is_past() {
        format!("As it was on {}.", view.when(view.now()).full())
    } else {
        String::new()
    };
    let results = events
        .iter()
        .filter(|event| view.may_know(event))
        .map(|event| outcome(view, name, &decl.it, event));
    Ok(BoardPage {
        chrome: view.chrome(&title, Part::Boards),
        title,
        about,
        ways: ways(view, &here, events),
        tabs: offered.tabs,
        board,
        moves: offered.moves.map(|moves| moves.list),
        results: results.collect(),
        table: table(view, &standing),
    })
}

/// The squares that something had before and after an event, in its order, as far as the reader may see them.
fn moved(
    view: &GameView,
    board: &Name,
    event: &Event,
) -> Vec<(Thing, Option<Square>, Option<Square>)> {
    let square = |cell: &Option<Cell>| match cell.as_ref().map(|cell| cell.value.open()) {
        Some(Value::Square(square)) if square.board == *board => Some(square.clone()),
        _ => None,
    };
    let mut found: Vec<(Thing, Option<Square>, Option<Square>)> = Vec::new();
    for step in &event.steps {
        let Effect::Cell { key, old, new } = &step.effect else {
            continue;
        };
        let (old, new) = (square(old), square(new));
        if !view.sees_cell(key) || (old.is_none() && new.is_none()) {
            continue;
        }
        match found.iter_mut().find(|(thing, ..)| *thing == key.thing) {
            Some((_, _, last)) => *last = new,
            None => found.push((key.thing.clone(), old, new)),
        }
    }
    found
}

fn trails(view: &GameView, board: &Name, decl: &BoardDecl, event: &Event) -> Vec<Trail> {
    let ways = moved(view, board, event).into_iter();
    let ways = ways.filter_map(|(_, old, new)| {
        let (from, to) = (place(decl, &old?)?, place(decl, &new?)?);
        (from != to).then_some(Trail { from, to })
    });
    ways.collect()
}

/// An event of the board: who did what, and what went where.
fn outcome(view: &GameView, board: &Name, decl: &BoardDecl, event: &Event) -> Outcome {
    let mut outcome = events::outcome(view, event);
    outcome.what = format!("{}: {}", view.doer_name(event), outcome.what);
    let doer = view.doer(event).map(Thing::Player);
    // What is gone has no name any more.
    let ways = moved(view, board, event)
        .into_iter()
        .filter(|(thing, old, new)| old != new && view.kind_of(thing).is_some())
        .enumerate()
        .map(|(nth, (thing, old, new))| {
            let named = |square: Option<Square>| {
                square.map_or_else(|| "off the board".to_owned(), |at| square_name(decl, &at))
            };
            let way = format!("{} → {}", named(old), named(new));
            // Whoever did it is named already, right before what moved first.
            if nth == 0 && doer.as_ref() == Some(&thing) {
                way
            } else {
                format!("{} {way}", view.called(&thing))
            }
        });
    let mut words: Vec<String> = ways.collect();
    words.extend(event.notes.iter().map(|note| note.text.clone()));
    words.retain(|text| !text.is_empty());
    outcome.text = events::sentences(&words);
    outcome
}

/// One step back in the board's past, and the way to now.
fn ways(view: &GameView, here: &Href, events: &[Event]) -> Vec<Link> {
    let mut ways = Vec::new();
    let before = events.first().map(|event| event.seq.0.saturating_sub(1));
    if let Some(before) = before.filter(|before| *before > 1) {
        let title = if view.is_past() {
            "one move back"
        } else {
            "before the last move"
        };
        ways.push(Link::new(title, here.with("at", &before.to_string())));
    }
    if view.is_past() {
        ways.push(Link::new("now", here.clone()));
    }
    ways
}

/// Players on the board, with where they stand and their first figures.
fn table(view: &GameView, standing: &[BoardStanding]) -> Option<(String, String, Table)> {
    let things: Vec<Thing> = standing
        .iter()
        .filter(|one| matches!(one.thing, Thing::Player(_)))
        .map(|one| one.thing.clone())
        .collect();
    if things.is_empty() {
        return None;
    }
    let kind = Name::from("Player");
    let values = view.tracked_of(&kind);
    let is_place = |value: &Tracked<'_>| matches!(value.source, Source::Kept(decl) if matches!(decl.holds, Holds::Place { .. }));
    let places = values.iter().filter(|value| is_place(value));
    let figures = values
        .iter()
        .filter(|value| value.is_number() && value.under() != "roster")
        .take(FIGURES);
    let columns: Vec<_> = places.chain(figures).copied().collect();
    let here = TableAsked {
        here: Some(
            urls::Tracker {
                game: view.game().as_str(),
            }
            .into(),
        ),
        ..TableAsked::default()
    };
    let count = things.len();
    let (active, _) = view.roster();
    let off = active.len().saturating_sub(count);
    let plan = Plan {
        id: "on-board".to_owned(),
        label: "Those on the board".to_owned(),
        kind,
        things,
        apart: Vec::new(),
        columns,
        asked: &here,
        today: None,
    };
    let mut table = plan.table(view, None);
    table.tells_change = false;
    let note = match off {
        0 => count.to_string(),
        off => format!("{count}, and {off} off it"),
    };
    Some(("On the board".to_owned(), note, table))
}
