//! Tables of tracked values, made of what the law declares: sorted by a click, a value's history open under its row.

use std::collections::BTreeMap;

use quorate_kernel::rows::CellKey;
use quorate_kernel::{Name, Thing};
use quorate_law::declare::ShownTo;

use crate::ui::urls::Href;
use crate::ui::{Bar, Cell, Column, History, Person, Row, Sorted, Table, urls};
use crate::view::game::GameView;
use crate::view::kinds::{Held, Source, Tracked};

/// A table of more columns than this does not tell when a row changed.
const WIDE: usize = 7;

/// What of a page of tables the reader asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableAsked {
    /// The page itself.
    pub(crate) here: Option<Href>,
    /// The value whose history is open.
    pub(crate) cell: Option<CellKey>,
    /// Which column sorts: kind, name, and whether most comes first.
    pub(crate) sort: Option<(Name, Name, bool)>,
}

impl TableAsked {
    /// Reads `?cell=player:3.brains&sort=-Player.brains`.
    pub(crate) fn read(here: Href, query: &BTreeMap<String, String>) -> Self {
        Self {
            here: Some(here),
            cell: query.get("cell").and_then(|text| cell_of(text)),
            sort: query.get("sort").and_then(|text| sort_of(text)),
        }
    }

    fn page(&self, view: &GameView) -> Href {
        let game = view.game.as_str();
        let here = self.here.clone();
        here.unwrap_or_else(|| urls::Tracker { game }.into())
    }

    /// The page with a value's history open.
    pub(crate) fn open(&self, view: &GameView, key: &CellKey) -> Href {
        let here = self.sorted_page(view);
        here.with("cell", &cell_word(key)).at("history")
    }

    /// The page as it is sorted, without a history.
    pub(crate) fn sorted_page(&self, view: &GameView) -> Href {
        match &self.sort {
            Some((kind, name, down)) => self
                .page(view)
                .with("sort", &sort_word(kind, name.as_str(), *down)),
            None => self.page(view),
        }
    }

    fn by(&self, view: &GameView, kind: &Name, name: &str, down: bool) -> Href {
        self.page(view).with("sort", &sort_word(kind, name, down))
    }
}

/// A value's address as a parameter: `player:3.brains`.
pub(crate) fn cell_word(key: &CellKey) -> String {
    format!("{}.{}", key.thing, key.name)
}

/// The value that such an address names.
pub(crate) fn cell_of(text: &str) -> Option<CellKey> {
    let (thing, name) = text.rsplit_once('.')?;
    Some(CellKey {
        thing: thing.parse().ok()?,
        name: Name::from(name),
    })
}

fn sort_word(kind: &Name, name: &str, down: bool) -> String {
    let sign = if down { "-" } else { "" };
    format!("{sign}{kind}.{name}")
}

fn sort_of(text: &str) -> Option<(Name, Name, bool)> {
    let down = text.starts_with('-');
    let (kind, name) = text.trim_start_matches('-').split_once('.')?;
    Some((Name::from(kind), Name::from(name), down))
}

/// A table to be made: things of one kind and some of their values.
pub(crate) struct Plan<'a> {
    /// The element's id.
    pub(crate) id: String,
    /// What it is called where it is not seen.
    pub(crate) label: String,
    /// The kind of the things.
    pub(crate) kind: Name,
    /// Those that come first.
    pub(crate) things: Vec<Thing>,
    /// Those set apart below: the idle.
    pub(crate) apart: Vec<Thing>,
    /// The columns.
    pub(crate) columns: Vec<Tracked<'a>>,
    /// What the reader asked for.
    pub(crate) asked: &'a TableAsked,
    /// Today's view, where the table is of the past: the past is shown to the audience of today.
    pub(crate) today: Option<&'a GameView>,
}

impl Plan<'_> {
    /// Makes the table. `history` goes under the row whose value is open.
    pub(crate) fn table(&self, view: &GameView, history: Option<&History>) -> Table {
        let mut rows = self.lines(view, &self.things);
        let mut pseudo = self.lines(view, &self.apart);
        for lines in [&mut rows, &mut pseudo] {
            self.sort(lines);
        }
        let finished = |lines: Vec<GridLine>| {
            let lines = lines.into_iter();
            lines
                .map(|line| self.row(view, line, history))
                .collect::<Vec<_>>()
        };
        let (rows, pseudo) = (finished(rows), finished(pseudo));
        // A table that is wide as it is leaves that to the histories.
        let is_wide = self.columns.len() > WIDE;
        let tells_change = !is_wide && rows.iter().chain(&pseudo).any(|row| row.changed.is_some());
        Table {
            id: self.id.clone(),
            label: self.label.clone(),
            owner: self.owner(view),
            columns: self.columns.iter().map(|c| self.column(view, c)).collect(),
            rows,
            pseudo,
            tells_change,
        }
    }

    fn owner(&self, view: &GameView) -> Column {
        Column {
            title: view.singular_of(&self.kind),
            is_number: false,
            private: None,
            ..self.sorting(view, "", false)
        }
    }

    fn column(&self, view: &GameView, value: &Tracked<'_>) -> Column {
        let private = matches!(value.shown_to(), ShownTo::Owner)
            .then(|| "each sees only their own".to_owned());
        Column {
            title: view.themed(&value.title()),
            is_number: value.is_number(),
            private,
            ..self.sorting(view, value.name().as_str(), value.is_number())
        }
    }

    /// Where a click on a head leads: numbers begin with the most, words with the first; a second click turns it round.
    fn sorting(&self, view: &GameView, name: &str, most_first: bool) -> Column {
        let now = self
            .asked
            .sort
            .as_ref()
            .filter(|(kind, by, _)| *kind == self.kind && *by == name)
            .map(|(_, _, down)| *down);
        let down = now.map_or(most_first, |down| !down);
        Column {
            sort: Some(self.asked.by(view, &self.kind, name, down)),
            sorted: now.map(|down| if down { Sorted::Down } else { Sorted::Up }),
            ..Column::words("")
        }
    }

    fn lines(&self, view: &GameView, things: &[Thing]) -> Vec<GridLine> {
        view.trial_run(|tx| {
            let lines = things.iter().map(|thing| {
                let held = self.columns.iter().map(|value| {
                    let seen = self.today.is_none_or(|today| today.sees(thing, value));
                    if seen {
                        view.held(tx, thing, value)
                    } else {
                        Held {
                            is_hidden: true,
                            ..Held::default()
                        }
                    }
                });
                let datum = quorate_law::datum::Datum::Thing(thing.clone());
                GridLine {
                    thing: thing.clone(),
                    name: tx.label(&datum),
                    held: held.collect(),
                }
            });
            lines.collect()
        })
    }

    fn sort(&self, lines: &mut [GridLine]) {
        let Some((kind, name, down)) = &self.asked.sort else {
            return;
        };
        if *kind != self.kind {
            return;
        }
        let place = self.columns.iter().position(|value| value.name() == name);
        if !name.is_empty() && place.is_none() {
            return;
        }
        lines.sort_by_cached_key(|line| match place.and_then(|place| line.held.get(place)) {
            Some(held) => (held.number, held.text.to_lowercase()),
            None => (None, line.name.to_lowercase()),
        });
        if *down {
            lines.reverse();
        }
    }

    fn row(&self, view: &GameView, line: GridLine, history: Option<&History>) -> Row {
        let owner = match &line.thing {
            Thing::Player(id) => view.person(*id),
            _ => Person::named(line.name),
        };
        let changed = line.held.iter().filter_map(|held| held.at).max();
        let mut is_open = false;
        let cells = self.columns.iter().zip(line.held).map(|(value, held)| {
            let key = CellKey {
                thing: line.thing.clone(),
                name: value.name().clone(),
            };
            let open = history.is_some() && self.asked.cell.as_ref() == Some(&key);
            is_open |= open;
            self.cell(view, value, &key, held, open)
        });
        let cells: Vec<Cell> = cells.collect();
        Row {
            id: row_id(&self.id, &line.thing),
            owner,
            cells,
            changed: changed.map(|at| view.when(at)),
            history: history.filter(|_| is_open).cloned(),
        }
    }

    fn cell(
        &self,
        view: &GameView,
        value: &Tracked<'_>,
        key: &CellKey,
        held: Held,
        is_open: bool,
    ) -> Cell {
        let has_history = held.is_kept && !held.is_hidden;
        let leads = matches!(value.source, Source::Kept(_)) && has_history;
        // Whoever mends it begins at its code.
        let site = held.broken.as_ref().map(|_| value.site);
        let code = site.and_then(|site| view.cite(&site.rule, site.clause));
        Cell {
            bar: Bar::parse(&held.text),
            text: held.text,
            href: leads
                .then(|| self.asked.open(view, key))
                .or(code.and_then(|code| code.href)),
            broken: held.broken,
            claim: held.claim,
            picture: held.picture,
            is_fresh: view
                .cell(key)
                .is_some_and(|cell| view.is_fresh_value(key, cell)),
            is_open,
        }
    }
}

/// A row before it is sorted.
struct GridLine {
    thing: Thing,
    name: String,
    held: Vec<Held>,
}

fn row_id(table: &str, thing: &Thing) -> String {
    let word: String = thing
        .to_string()
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '-'
            }
        })
        .collect();
    format!("{table}-{word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_named_by_its_thing_and_its_name() {
        let key = cell_of("thing:17-1.held_since").expect("an address");
        assert_eq!(key.name, "held_since");
        assert_eq!(cell_word(&key), "thing:17-1.held_since");
        assert!(cell_of("brains").is_none());
        assert!(cell_of("nobody:1.brains").is_none());
    }

    #[test]
    fn a_row_of_a_table_may_have_dots_and_blanks_in_its_key() {
        let key = cell_of("row:Trap/Dr. Acid.sprung").expect("an address");
        assert_eq!(key.thing, Thing::row("Trap", "Dr. Acid"));
        assert_eq!(
            row_id("t", &key.thing),
            "t-row-Trap-Dr--Acid",
            "an id of an element has no blanks"
        );
    }

    #[test]
    fn a_minus_sorts_the_most_first() {
        assert_eq!(
            sort_of("-Player.brains"),
            Some(("Player".into(), "brains".into(), true))
        );
        assert_eq!(
            sort_of("Player."),
            Some(("Player".into(), Name::default(), false))
        );
        assert_eq!(sort_of("brains"), None);
    }
}
