//! Ledgers: dated lines, summed over windows.

use std::sync::Arc;

use quorate_kernel::effect::Way;
use quorate_kernel::rows::{CellKey, Line, LineKey};
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, Thing};
use quorate_law::datum::{Datum, Record};
use quorate_law::declare::Holds;

use super::Tx;
use crate::reads::ReadKey;

impl Tx {
    /// Writes a line, and lets lines go that are older than the ledger keeps.
    pub fn add_line(&self, of: &Thing, ledger: &str, who: Option<&Thing>, amount: i64, what: &str) {
        let cell = CellKey {
            thing: of.clone(),
            name: Name::from(ledger),
        };
        let who = who.and_then(player);
        let line = Line {
            who,
            amount,
            what: what.to_owned(),
            at: self.now,
        };
        let key = LineKey {
            cell: cell.clone(),
            id: self.make_id(),
        };
        self.write(
            Effect::Line {
                key,
                old: None,
                new: Some(line),
            },
            Way::Put,
        );
        let law = self.frame().law;
        let keep =
            self.kind_of(of)
                .ok()
                .and_then(|kind| match law.value(&kind, ledger)?.it.holds {
                    Holds::Ledger { keep } => keep,
                    _ => None,
                });
        if let Some(keep) = keep {
            let since = self.now - keep;
            self.drop_lines(&cell, |line| line.at < since);
        }
    }

    /// The lines, as records.
    pub fn line_records(
        &self,
        of: &Thing,
        ledger: &str,
        who: Option<&Thing>,
        since: Option<Moment>,
    ) -> Vec<Datum> {
        let cell = CellKey {
            thing: of.clone(),
            name: Name::from(ledger),
        };
        self.read(ReadKey::Ledger(cell.clone()));
        let who = who.and_then(player);
        self.with_state(|state| {
            state
                .lines_of(&cell)
                .filter(|(_, line)| who.is_none() || line.who == who)
                .filter(|(_, line)| since.is_none_or(|since| line.at >= since))
                .map(|(_, line)| record(line))
                .collect()
        })
    }

    /// Empties a ledger.
    pub fn clear_ledger(&self, of: &Thing, ledger: &Name) {
        let cell = CellKey {
            thing: of.clone(),
            name: ledger.clone(),
        };
        self.drop_lines(&cell, |_| true);
    }

    fn drop_lines(&self, cell: &CellKey, gone: impl Fn(&Line) -> bool) {
        let lines: Vec<_> = self.with_state(|state| {
            state
                .lines_of(cell)
                .filter(|(_, line)| gone(line))
                .map(|(key, line)| (key.clone(), line.clone()))
                .collect()
        });
        for (key, line) in lines {
            self.write(
                Effect::Line {
                    key,
                    old: Some(line),
                    new: None,
                },
                Way::Take,
            );
        }
    }
}

fn player(thing: &Thing) -> Option<quorate_kernel::PlayerId> {
    if let Thing::Player(id) = thing {
        Some(*id)
    } else {
        None
    }
}

fn record(line: &Line) -> Datum {
    let who = line
        .who
        .map_or(Datum::None, |id| Datum::Thing(Thing::Player(id)));
    Datum::Record(Arc::new(Record {
        kind: "Line",
        fields: vec![
            ("who", who),
            ("amount", Datum::Int(line.amount)),
            ("what", Datum::Text(line.what.as_str().into())),
            ("at", Datum::Moment(line.at)),
        ],
    }))
}
