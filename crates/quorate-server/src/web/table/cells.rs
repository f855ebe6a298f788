//! Tables of tracked values: who holds what, column by column in the order of the law.

use std::collections::BTreeSet;

use quorate_kernel::rows::{CellKey, ClaimStanding};
use quorate_kernel::{Name, PlayerId, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, ShownTo};

use crate::parts::{Cell, Claim, Column, Person, Row, Sorted, Table};
use crate::urls::{self, Href};
use crate::web::look::Look;

/// How many things of a kind a table shows.
const ROWS: usize = 300;

/// A column: a value of a kind that the law declares, kept or computed.
pub(crate) struct Shown {
    /// The value.
    pub(crate) name: Name,
    /// As people read it.
    pub(crate) title: String,
    /// Where it is tracked.
    pub(crate) tracked: String,
    is_number: bool,
    is_kept: bool,
    shown_to: ShownTo,
}

/// How a table is sorted: by a value, upwards or down.
#[derive(Clone, Default)]
pub(crate) struct Order {
    /// The value.
    pub(crate) by: Option<Name>,
    /// Least first.
    pub(crate) is_up: bool,
}

impl Look {
    /// The values of a kind that are tracked somewhere, in law order, computed ones after the kept.
    pub(crate) fn columns_of(&self, kind: &str) -> Vec<Shown> {
        let kept = self.law.value_order.iter().filter(|(of, _)| *of == kind);
        let mut columns: Vec<Shown> = kept
            .filter_map(|(of, name)| self.law.values.get(&(of.clone(), name.clone())))
            .map(|decl| Shown {
                name: decl.it.name.clone(),
                title: self.themed(&decl.it.title),
                tracked: decl.it.tracked.clone(),
                is_number: matches!(decl.it.holds, Holds::Number { .. }),
                is_kept: true,
                shown_to: decl.it.shown_to,
            })
            .collect();
        let computed = self.law.derived.iter().filter(|((of, _), _)| *of == kind);
        columns.extend(computed.map(|((_, name), decl)| Shown {
            name: name.clone(),
            title: self.themed(&decl.it.title),
            tracked: decl.it.tracked.clone(),
            is_number: decl.it.gives == quorate_law::datum::Type::Int,
            is_kept: false,
            shown_to: decl.it.shown_to,
        }));
        columns.retain(|column| !column.tracked.is_empty() && column.shown_to != ShownTo::Nobody);
        columns
    }

    /// Tables of players, one for each title under which their values are tracked.
    pub(crate) fn player_tables(&self, order: &Order) -> Vec<(String, Table)> {
        let columns = self.columns_of("Player");
        let mut titles: Vec<String> = Vec::new();
        for column in &columns {
            if !titles.contains(&column.tracked) {
                titles.push(column.tracked.clone());
            }
        }
        // The roster's own values are for admins more than for play, and stand last.
        titles.sort_by_key(|title| title == "roster");
        let mut made = Vec::new();
        for (nth, title) in titles.iter().enumerate() {
            let these: Vec<&Shown> = columns.iter().filter(|column| column.tracked == *title).collect();
            let table = self.player_table(&format!("t{nth}"), title, &these, order);
            made.push((super::super::look::words::capital(title), table));
        }
        made
    }

    fn player_table(&self, id: &str, label: &str, columns: &[&Shown], order: &Order) -> Table {
        let (active, idle) = self.roster();
        let things = |players: Vec<PlayerId>| {
            let things = players.into_iter().map(Thing::Player).collect();
            self.sorted(things, order)
        };
        let mut rows: Vec<Row> = things(active).iter().map(|thing| self.row(thing, columns)).collect();
        rows.extend(things(idle).iter().map(|thing| self.row(thing, columns)));
        self.table(id, label, &self.word("Player"), columns, rows, order)
    }

    /// A table of all things of a kind; none where there are none, or nothing of them is tracked.
    pub(crate) fn kind_table(&self, kind: &Name, id: &str, order: &Order) -> Option<Table> {
        let columns = self.columns_of(kind.as_str());
        let these: Vec<&Shown> = columns.iter().collect();
        let things: Vec<Thing> = self.ask(|tx| tx.things_of(kind));
        if things.is_empty() || these.is_empty() {
            return None;
        }
        let decl = self.law.entities.get(kind);
        let label = decl.map_or_else(|| kind.to_string(), |decl| self.themed(&decl.it.plural));
        let mut things = self.sorted(things, order);
        things.truncate(ROWS);
        let rows = things.iter().map(|thing| self.row(thing, &these)).collect();
        Some(self.table(id, &label, &label, &these, rows, order))
    }

    fn table(
        &self,
        id: &str,
        label: &str,
        owner: &str,
        columns: &[&Shown],
        rows: Vec<Row>,
        order: &Order,
    ) -> Table {
        Table {
            id: id.to_owned(),
            label: label.to_owned(),
            owner: Column::words(owner),
            columns: columns.iter().map(|column| self.column(column, order)).collect(),
            rows,
            pseudo: Vec::new(),
            tells_change: false,
        }
    }

    fn column(&self, shown: &Shown, order: &Order) -> Column {
        let is_by = order.by.as_ref() == Some(&shown.name);
        let mut column = if shown.is_number {
            Column::numbers(shown.title.clone())
        } else {
            Column::words(shown.title.clone())
        };
        column.private = match shown.shown_to {
            ShownTo::Owner => Some("only whoever holds it sees it".to_owned()),
            ShownTo::All | ShownTo::Nobody => None,
        };
        column.sorted = is_by.then_some(if order.is_up { Sorted::Up } else { Sorted::Down });
        let way = if is_by && !order.is_up { "up" } else { "down" };
        let here = urls::Tracker {
            game: self.game.as_str(),
        };
        column.sort = Some(Href::from(here).with("by", shown.name.as_str()).with("way", way));
        column
    }

    /// Things by one of their values; without one, as they came.
    fn sorted(&self, mut things: Vec<Thing>, order: &Order) -> Vec<Thing> {
        let Some(by) = &order.by else {
            return things;
        };
        let key = |thing: &Thing| self.attribute(thing, by.as_str()).map(|datum| sort_key(&datum));
        let mut keyed: Vec<_> = things.drain(..).map(|thing| (key(&thing), thing)).collect();
        keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
        if !order.is_up {
            keyed.reverse();
        }
        keyed.into_iter().map(|(_, thing)| thing).collect()
    }

    fn row(&self, thing: &Thing, columns: &[&Shown]) -> Row {
        let owner = match thing {
            Thing::Player(id) => self.person(*id),
            other => Person::named(self.ask(|tx| tx.label(&Datum::Thing(other.clone())))),
        };
        let cells = columns.iter().map(|column| {
            let key = CellKey {
                thing: thing.clone(),
                name: column.name.clone(),
            };
            self.table_cell(&key, column.is_kept)
        });
        Row {
            id: format!("row-{}", thing.to_string().replace([':', '/', ' '], "-")),
            owner,
            cells: cells.collect(),
            changed: None,
            history: None,
        }
    }

    fn table_cell(&self, key: &CellKey, is_kept: bool) -> Cell {
        if !is_kept {
            let computed = self.attribute(&key.thing, key.name.as_str());
            return Cell::text(computed.map(|datum| self.datum_words(&datum)).unwrap_or_default());
        }
        if !self.view().shown(key) {
            return Cell::text("hidden");
        }
        let kept = self.state().cells.get(key);
        let words = match kept.map(|cell| cell.value.open()) {
            None => self
                .attribute(&key.thing, key.name.as_str())
                .map(|datum| self.datum_words(&datum))
                .unwrap_or_default(),
            Some(Value::None) => String::new(),
            Some(value) => self.label(value),
        };
        let words = if words.is_empty() { "–".to_owned() } else { words };
        let mut cell = Cell::to(words, self.cell_href(key));
        cell.claim = kept.filter(|cell| cell.claimed).map(|kept| {
            let disputed = self.state().claims.iter().any(|(id, claim)| {
                id.event() == kept.by && claim.standing == ClaimStanding::Disputed
            });
            if disputed { Claim::Disputed } else { Claim::Claimed }
        });
        cell
    }

    /// Where a value's history opens.
    pub(crate) fn cell_href(&self, key: &CellKey) -> Href {
        let here = urls::Tracker {
            game: self.game.as_str(),
        };
        let cell = format!("{}.{}", key.thing, key.name);
        Href::from(here).with("cell", &cell).at("history")
    }

    /// The kinds of things that play makes and that are tracked, in the order of their names.
    pub(crate) fn tracked_kinds(&self) -> Vec<Name> {
        let of_rows = self.law.tables.keys();
        let kinds: BTreeSet<Name> = self.law.entities.keys().chain(of_rows).cloned().collect();
        kinds.into_iter().filter(|kind| !self.columns_of(kind.as_str()).is_empty()).collect()
    }
}

/// Numbers sort as numbers, everything else by its words.
fn sort_key(datum: &Datum) -> (i64, String) {
    match datum {
        Datum::Int(n) => (*n, String::new()),
        Datum::Bool(flag) => (i64::from(*flag), String::new()),
        Datum::Moment(at) => (at.0, String::new()),
        other => (0, quorate_engine::convert::describe(other)),
    }
}
