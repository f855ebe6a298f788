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

#[cfg(test)]
mod tests {
    use quorate_kernel::rows::CellKey;
    use quorate_kernel::{Span, Thing, Value};
    use quorate_law::datum::Datum;

    use super::line_records;
    use crate::tiny_game::{TinyGame, game};

    const GIFTS: &str = r#"gifts = ledger("Gifts", of = game, keep = days(7))

def give(actor: Player, amount: int):
    game.gifts.add(actor, amount, "a gift")

def find(actor: Player, amount: int):
    game.gifts.add(None, amount)

def forget(actor: Player):
    game.gifts.clear()

action("give", give)
action("find", find)
action("forget", forget)"#;

    fn amounts(game: &TinyGame) -> Vec<i64> {
        let cell = CellKey {
            thing: Thing::Game,
            name: "gifts".into(),
        };
        let lines = game.judge.state().lines_of(&cell);
        lines.map(|(_, line)| line.amount).collect()
    }

    fn write(game: &mut TinyGame, action: &str, amount: i64) {
        game.act(action, &[("amount", Value::Int(amount))])
            .expect("anybody may");
    }

    #[test]
    fn lines_go_that_are_older_than_the_ledger_keeps_and_all_where_it_is_cleared() {
        let mut game = game(GIFTS);
        write(&mut game, "give", 1);
        game.now = game.now + Span::days(7);
        write(&mut game, "give", 2);
        assert_eq!(amounts(&game), [1, 2]);
        game.now = game.now + Span(1);
        write(&mut game, "give", 3);
        assert_eq!(amounts(&game), [2, 3]);
        game.act("forget", &[]).expect("anybody may");
        assert!(amounts(&game).is_empty());
    }

    #[test]
    fn lines_are_told_by_whom_they_are_about_and_from_a_moment_on() {
        let mut game = game(GIFTS);
        write(&mut game, "give", 1);
        write(&mut game, "find", 2);
        let later = game.now + Span::hours(1);
        game.now = later;
        write(&mut game, "give", 3);
        let anna = Thing::Player(game.anna);
        let told = |who, since| {
            let lines = game.ask(|tx| line_records(tx, &Thing::Game, "gifts", who, since));
            let lines = lines.expect("there are few");
            let amount = |line: &Datum| match line {
                Datum::Record(record) => record.fields[1].1.clone(),
                other => panic!("{other:?}"),
            };
            lines.iter().map(amount).collect::<Vec<_>>()
        };
        let [one, two, three] = [1, 2, 3].map(Datum::Int);
        assert_eq!(told(None, None), [one.clone(), two, three.clone()]);
        assert_eq!(told(Some(&anna), None), [one, three.clone()]);
        assert_eq!(told(None, Some(later)), [three]);
    }
}
