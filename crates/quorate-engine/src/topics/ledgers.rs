//! Ledgers: dated lines, summed over windows.

use std::sync::Arc;

use quorate_kernel::effect::Way;
use quorate_kernel::rows::{CellKey, Line, LineKey};
use quorate_kernel::{Moment, Name, Thing};
use quorate_law::datum::{Datum, Record};
use quorate_law::declare::Holds;
use quorate_law::stop::Answer;

use super::things;
use crate::reads::ReadKey;
use crate::tx::Tx;

/// Writes a line, and lets lines go that are older than the ledger keeps.
pub(crate) fn add_line(
    tx: &Tx,
    of: &Thing,
    ledger: &str,
    who: Option<&Thing>,
    amount: i64,
    what: &str,
) -> Answer<()> {
    let cell = CellKey {
        thing: of.clone(),
        name: Name::from(ledger),
    };
    let who = who.and_then(player);
    let line = Line {
        who,
        amount,
        what: what.to_owned(),
        at: tx.now,
    };
    let key = LineKey {
        cell: cell.clone(),
        id: tx.make_id()?,
    };
    tx.write_row(key, Some(line), Way::Put);
    let law = tx.frame().law;
    let keep =
        things::kind_of(tx, of)
            .ok()
            .and_then(|kind| match law.value(&kind, ledger)?.it.holds {
                Holds::Ledger { keep } => keep,
                _ => None,
            });
    if let Some(keep) = keep {
        tx.looks_through(count(tx, &cell))?;
        let since = tx.now - keep;
        drop_lines(tx, &cell, |line| line.at < since);
    }
    Ok(())
}

/// The lines, as records.
pub(crate) fn line_records(
    tx: &Tx,
    of: &Thing,
    ledger: &str,
    who: Option<&Thing>,
    since: Option<Moment>,
) -> Answer<Vec<Datum>> {
    let cell = CellKey {
        thing: of.clone(),
        name: Name::from(ledger),
    };
    tx.read(ReadKey::Ledger(cell.clone()));
    tx.looks_through(count(tx, &cell))?;
    let who = who.and_then(player);
    Ok(tx.with_state(|state| {
        state
            .lines_of(&cell)
            .filter(|(_, line)| who.is_none() || line.who == who)
            .filter(|(_, line)| since.is_none_or(|since| line.at >= since))
            .map(|(_, line)| record(line))
            .collect()
    }))
}

/// How many lines a ledger has.
fn count(tx: &Tx, cell: &CellKey) -> usize {
    tx.with_state(|state| state.lines_of(cell).count())
}

/// Empties a ledger.
pub(crate) fn clear_ledger(tx: &Tx, of: &Thing, ledger: &Name) {
    let cell = CellKey {
        thing: of.clone(),
        name: ledger.clone(),
    };
    drop_lines(tx, &cell, |_| true);
}

fn drop_lines(tx: &Tx, cell: &CellKey, gone: impl Fn(&Line) -> bool) {
    let lines: Vec<_> = tx.with_state(|state| {
        state
            .lines_of(cell)
            .filter(|(_, line)| gone(line))
            .map(|(key, _)| key.clone())
            .collect()
    });
    for key in lines {
        tx.write_row::<Line>(key, None, Way::Take);
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
