//! The tracker: every value the law tracks, of players first, with histories, claims and the dice line.

use std::collections::BTreeMap;

use axum::extract::{Query, RawQuery};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use quorate_kernel::event::Event;
use quorate_kernel::rows::CellKey;
use quorate_kernel::{Name, PlayerId, Thing};
use quorate_law::capital;
use quorate_law::declare::ShownTo;

use crate::app::error::AppError;
use crate::requests::forms::{OpenedThen, answer_in, drawn, page};
use crate::site::tracker::{columns, page, rolls};
use crate::ui::html::slug;
use crate::ui::urls::Href;
use crate::ui::{Choice, Fact, History, Link, Table, urls};
use crate::view::game::GameView;
use crate::view::grid::{Plan, TableAsked};
use crate::view::history;
use crate::view::kinds::{ROSTER, Source, Tracked};
use crate::view::people::Part;

/// Up to how many columns stand in one table by themselves.
const TOGETHER: usize = 9;

/// How many things of a kind a table shows.
const THINGS: usize = 120;

/// `GET /g/{game}/tracker`.
pub(crate) async fn show(
    OpenedThen(view): OpenedThen,
    Query(mut query): Query<BTreeMap<String, String>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let game = view.game().as_str();
    let chosen = columns::asked(raw.as_deref().unwrap_or_default());
    let columns = chosen.clone().or_else(|| columns::kept(&headers));
    let keep_columns = chosen.and_then(|chosen| columns::keep(game, &chosen));
    let keep_sort = match (query.get("sort"), columns::kept_sort(&headers)) {
        (Some(sort), _) => columns::keep_sort(game, sort),
        (None, Some(kept)) => {
            query.insert("sort".to_owned(), kept);
            None
        }
        (None, None) => None,
    };
    let mut response = match gather(&view, &query).await {
        Ok(mut gathered) => {
            gathered.columns = columns.filter(|columns| !columns.is_empty());
            drawn(view, move |view| Ok(page(view, &tracker(view, &gathered)))).await
        }
        Err(error) => answer_in(&view, Err(error)),
    };
    for keep in [keep_columns, keep_sort].into_iter().flatten() {
        response.headers_mut().append(header::SET_COOKIE, keep);
    }
    response
}

/// What a tracker needs of the log, fetched before it is drawn.
struct Gathered {
    asked: TableAsked,
    /// How many changes of the open value are shown.
    most: usize,
    /// Those changes.
    changes: Vec<Event>,
    /// Rolls of the dice line, newest first.
    rolls: Vec<Event>,
    /// The events of claims that are open, newest first.
    claims: Vec<Event>,
    /// Today's view, where the page is of the past.
    today: Option<GameView>,
    /// Whether the columns of the roster are asked for.
    roster: bool,
    /// The columns that the reader picked, by their values' names; all of them where none are picked.
    columns: Option<Vec<Name>>,
}

async fn gather(view: &GameView, query: &BTreeMap<String, String>) -> Result<Gathered, AppError> {
    let at = query.get("at").map(String::as_str);
    let game = view.game().as_str();
    let mut here: Href = urls::Tracker { game }.into();
    if let Some(at) = at.filter(|_| view.is_past()) {
        here = here.with("at", at);
    }
    let roster = query.contains_key("roster");
    if roster {
        here = here.with("roster", "yes");
    }
    let asked = TableAsked::read(here, query);
    let most = history::most(query);
    let (today, changes) = history::gather(view, &asked, most).await?;
    let (rolls, claims) = if view.is_past() {
        (Vec::new(), Vec::new())
    } else {
        (rolls::latest(view).await?, rolls::claims(view).await?)
    };
    Ok(Gathered {
        asked,
        most,
        changes,
        rolls,
        claims,
        today,
        roster,
        columns: None,
    })
}

fn tracker(view: &GameView, gathered: &Gathered) -> page::Tracker {
    let asked = &gathered.asked;
    let pane = asked
        .cell
        .as_ref()
        .and_then(|key| history::pane(view, asked, key, &gathered.changes, gathered.most));
    let tables = tables(view, gathered, pane.as_ref());
    let is_private = tables
        .iter()
        .flat_map(|(_, table)| &table.columns)
        .any(|column| column.private.is_some());
    let is_placed = tables
        .iter()
        .flat_map(|(_, table)| table.rows.iter().chain(&table.pseudo))
        .any(|row| row.history.is_some());
    let key = "behind a lock each sees only their own";
    page::Tracker {
        fresh: view.fresh_with_button("values"),
        chrome: view.chrome("Tracker", Part::Tracker),
        past: view
            .is_past()
            .then(|| format!("As it was on {}.", view.when(view.now()).full())),
        tables,
        columns: if gathered.roster || view.is_past() {
            Vec::new()
        } else {
            pickable(view, gathered)
        },
        here: urls::Tracker {
            game: view.game().as_str(),
        }
        .into(),
        key: is_private.then(|| key.to_owned()).into_iter().collect(),
        pages: ways(view, gathered.roster),
        facts: facts(view, gathered),
        history: pane.filter(|_| !is_placed),
        dice: rolls::line(view),
        rolls: gathered
            .rolls
            .iter()
            .map(|event| rolls::roll(view, event))
            .collect(),
        all_rolls: rolls::all(view),
        looks: rolls::second_looks(view, &gathered.claims),
    }
}

/// Pages that the law declares, and the columns of the roster.
fn ways(view: &GameView, roster: bool) -> Vec<Link> {
    let game = view.game().as_str();
    let mut ways = crate::view::pages::index(view);
    let here = Href::from(urls::Tracker { game });
    ways.push(if roster {
        Link::new("the dynasty's values", here)
    } else {
        Link::new("roster and records", here.with("roster", "yes"))
    });
    ways
}

fn tables(view: &GameView, gathered: &Gathered, pane: Option<&History>) -> Vec<(String, Table)> {
    let mut made = players(view, gathered, pane);
    if gathered.roster {
        return made;
    }
    // What has a page of its own is there.
    let pages = view.law().pages.iter();
    let elsewhere: Vec<&Name> = pages.flat_map(|page| &page.it.shows).collect();
    let wanted = gathered.asked.cell.as_ref();
    let wanted = wanted.and_then(|key| view.kind_of(&key.thing));
    let kinds = view.law().entities.keys().chain(view.law().tables.keys());
    for kind in kinds {
        let is_entity = view.law().entities.contains_key(kind);
        if elsewhere.contains(&kind) && is_entity && wanted.as_ref() != Some(kind) {
            continue;
        }
        let columns = view.tracked_of(kind);
        if let Some(table) = of_kind(view, gathered, kind, columns, pane) {
            made.push((view.plural_of(kind), table));
        }
    }
    made
}

/// Tables of players: one for each title under which values are tracked, in law order.
fn players(view: &GameView, gathered: &Gathered, pane: Option<&History>) -> Vec<(String, Table)> {
    let kind = Name::from("Player");
    let mut groups: Vec<(&str, Vec<Tracked<'_>>)> = Vec::new();
    for value in view.tracked_of(&kind) {
        match groups.iter_mut().find(|(under, _)| *under == value.under()) {
            Some((_, group)) => group.push(value),
            None => groups.push((value.under(), vec![value])),
        }
    }
    let wanted = gathered.asked.cell.as_ref();
    let asks_for = |group: &[Tracked<'_>]| {
        wanted.is_some_and(|key| {
            matches!(key.thing, Thing::Player(_)) && group.iter().any(|v| *v.name() == key.name)
        })
    };
    if !gathered.roster && wanted.is_none() {
        groups = picked(groups, gathered.columns.as_deref());
    }
    groups.retain(|(under, group)| (*under == ROSTER) == gathered.roster || asks_for(group));
    let (active, idle) = view.roster();
    let things = |ids: Vec<PlayerId>| ids.into_iter().map(Thing::Player).collect::<Vec<_>>();
    let (active, idle) = (things(active), things(idle));
    let only = groups.len() == 1;
    let made = groups.into_iter().map(|(under, columns)| {
        let title = if only {
            String::new()
        } else {
            titled(view, under)
        };
        let plan = Plan {
            id: format!("players-{}", slug(under)),
            label: format!("{} of {}", titled(view, under), view.word("Players")),
            kind: kind.clone(),
            things: active.clone(),
            apart: idle.clone(),
            columns,
            asked: &gathered.asked,
            today: gathered.today.as_ref(),
        };
        (title, plan.table(view, pane))
    });
    made.collect()
}

/// The groups of columns with those alone that the reader picked, in one table; as they are where none are picked and they are
/// too many for one.
fn picked<'a>(
    groups: Vec<(&'a str, Vec<Tracked<'a>>)>,
    columns: Option<&[Name]>,
) -> Vec<(&'a str, Vec<Tracked<'a>>)> {
    let (roster, mut shown): (Vec<_>, Vec<_>) =
        groups.into_iter().partition(|(under, _)| *under == ROSTER);
    let count: usize = shown.iter().map(|(_, group)| group.len()).sum();
    let Some((under, _)) = shown.first() else {
        return roster;
    };
    let under = *under;
    if columns.is_some() || count <= TOGETHER {
        let mut all: Vec<Tracked<'a>> = shown.into_iter().flat_map(|(_, group)| group).collect();
        if let Some(columns) = columns {
            all.retain(|value| columns.contains(value.name()));
        }
        shown = vec![(under, all)];
    }
    shown.extend(roster);
    shown
}

/// What can be picked as columns of the players' table.
fn pickable(view: &GameView, gathered: &Gathered) -> Vec<Choice> {
    let values = view.tracked_of(&"Player".into());
    let shown = values.iter().filter(|value| value.under() != ROSTER);
    let choices = shown.map(|value| Choice {
        chosen: gathered
            .columns
            .as_ref()
            .is_none_or(|columns| columns.contains(value.name())),
        ..Choice::new(value.name().as_str(), view.themed(&value.title()))
    });
    choices.collect()
}

/// A title under which values are tracked, as a heading.
fn titled(view: &GameView, under: &str) -> String {
    match under {
        "tracker" => "Tracked values".to_owned(),
        ROSTER => "Roster".to_owned(),
        // A page of that name says how it is written.
        other => {
            let titles = view.law().pages.iter();
            let mut titles = titles.map(|page| view.themed(&page.it.title));
            let of_page = titles.find(|title| title.eq_ignore_ascii_case(other));
            of_page.unwrap_or_else(|| capital(other))
        }
    }
}

/// The table of a kind, newest things where there are many; none where there is nothing to show.
fn of_kind(
    view: &GameView,
    gathered: &Gathered,
    kind: &Name,
    columns: Vec<Tracked<'_>>,
    pane: Option<&History>,
) -> Option<Table> {
    let is_stated = |value: &Tracked<'_>| matches!(value.source, Source::Stated(..));
    if columns.iter().all(is_stated) {
        return None;
    }
    let mut things = view.ask(|asked| asked.things_of(kind));
    if things.len() > THINGS {
        things.drain(..things.len() - THINGS);
    }
    if things.is_empty() {
        return None;
    }
    let plan = Plan {
        id: format!("kind-{}", slug(kind.as_str())),
        label: view.plural_of(kind),
        kind: kind.clone(),
        things,
        apart: Vec::new(),
        columns,
        asked: &gathered.asked,
        today: gathered.today.as_ref(),
    };
    Some(plan.table(view, pane))
}

/// Values of the game itself: all that are kept, and what the computed ones say.
fn facts(view: &GameView, gathered: &Gathered) -> Vec<Fact> {
    let values = view.tracked_of(&"Game".into());
    let today = gathered.today.as_ref();
    let is_seen = |value: &&Tracked<'_>| {
        value.shown_to() == ShownTo::All
            && today.is_none_or(|today| today.sees(&Thing::Game, value))
    };
    let held: Vec<_> = view.ask(|asked| {
        let seen = values.iter().filter(is_seen);
        seen.map(|value| (value, asked.held(&Thing::Game, value)))
            .collect()
    });
    let facts = held.into_iter().filter_map(|(value, held)| {
        if held.is_hidden || (held.text.is_empty() && !held.is_kept) {
            return None;
        }
        let text = if held.text.is_empty() {
            "–".to_owned()
        } else {
            held.text
        };
        let mut fact = Fact::new(view.themed(&value.title()), text);
        if let Some(why) = held.broken {
            fact = fact.note(why);
        }
        let key = CellKey {
            thing: Thing::Game,
            name: value.name().clone(),
        };
        Some(if held.is_kept {
            fact.to(gathered.asked.open(view, &key))
        } else {
            fact
        })
    });
    facts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_makes_an_id() {
        assert_eq!(slug("Altar of Mayhem"), "altar-of-mayhem");
    }
}
