//! Values that the law declares: reading and writing them, tracked and derived.

use std::sync::Arc;

use quorate_kernel::effect::Way;
use quorate_kernel::rows::CellKey;
use quorate_kernel::{Name, Thing, Value, rows};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, Outside, ShownTo, ValueDecl};
use quorate_law::stop::{Answer, Site, Stop};
use quorate_law::with_article;

use super::{inborn, things};
use crate::convert;
use crate::law::{At, Law};
use crate::memo::{Kept, MemoKey};
use crate::reads::ReadKey;
use crate::tx::{Changed, Tx};

/// Reads an attribute.
pub(crate) fn attribute(tx: &Tx, thing: &Thing, name: &str) -> Answer<Datum> {
    let law = tx.frame().law;
    let kind = things::kind_of(tx, thing)?;
    if let Some(decl) = law.value(&kind, name) {
        return Ok(cell(tx, thing, &decl.it));
    }
    if let Some(decl) = law.derived(&kind, name) {
        let (site, function) = (decl.site.clone(), decl.it.function.clone());
        return kept(
            tx,
            MemoKey::Derived(function.clone(), thing.clone()),
            || tx.call_at(&site, &function, vec![Datum::Thing(thing.clone())]),
        );
    }
    inborn::read(tx, &law, thing, &kind, name)
}

/// A kept answer, or the answer worked out now and kept.
fn kept(tx: &Tx, question: MemoKey, ask: impl FnOnce() -> Answer<Datum>) -> Answer<Datum> {
    let known = tx.caches().get(&question, tx.now);
    if let Some((Kept::Datum(datum, effort), reads)) = known
        && tx.takes(effort)
    {
        tx.read_all(&reads);
        return Ok(datum);
    }
    let broken = tx.break_count();
    let ((answer, effort), reads) = tx.reading(|| tx.measured(ask));
    if let Ok(datum) = &answer {
        // Under a law that is only about to be, answers are not kept: they would meet those of the present one. Nor are they where
        // something broke on the way, which is written down each time.
        if Arc::ptr_eq(&tx.frame().law, &tx.law) && tx.break_count() == broken {
            let kept = Kept::Datum(datum.clone(), effort);
            tx.caches().keep(question, kept, reads, tx.now);
        }
    }
    answer
}

/// What a tracked value holds, as rule code sees it.
pub(crate) fn cell(tx: &Tx, thing: &Thing, decl: &ValueDecl) -> Datum {
    if let Holds::Ledger { .. } = decl.holds {
        return Datum::Ledger(thing.clone(), decl.name.clone());
    }
    let key = CellKey {
        thing: thing.clone(),
        name: decl.name.clone(),
    };
    tx.read(ReadKey::Cell(key.clone()));
    match tx.with_state(|state| state.cells.get(&key).map(|cell| cell.value.clone())) {
        Some(value) => living(tx, value.open()),
        None => default_of(tx, decl),
    }
}

/// A value as a datum, without pointing at what is gone, nor at things whose kind is.
fn living(tx: &Tx, value: &Value) -> Datum {
    let is_gone = |value: &Value| match value {
        // A post is there as a post, whatever became of its category.
        Value::Thing(thing @ Thing::Post(_)) => !things::exists(tx, thing),
        Value::Thing(thing) => !things::is_there(tx, thing),
        _ => false,
    };
    match value {
        gone if is_gone(gone) => Datum::None,
        Value::List(items) => {
            let there = items.iter().filter(|item| !is_gone(item));
            Datum::List(there.map(convert::datum).collect())
        }
        other => convert::datum(other),
    }
}

/// What a value holds before anything was put there.
pub(crate) fn default_of(_tx: &Tx, decl: &ValueDecl) -> Datum {
    match (&decl.default, &decl.holds) {
        (
            Datum::None,
            Holds::Moment | Holds::Picture | Holds::Reference(_) | Holds::Place { .. },
        ) => Datum::None,
        (Datum::None, holds) => convert::datum(&convert::empty_value(holds)),
        (given, _) => given.clone(),
    }
}

/// The default of a value by its name; nothing where the law declares none.
fn default_named(tx: &Tx, kind: &Name, name: &Name) -> Datum {
    tx.frame()
        .law
        .value(kind, name.as_str())
        .map_or(Datum::None, |decl| default_of(tx, &decl.it))
}

/// Writes an attribute: filters, type, range at once where it stops at its end, then the hooks' notice.
pub(crate) fn set_attribute(tx: &Tx, thing: &Thing, name: &str, given: Datum) -> Answer<()> {
    set_by_filters(tx, thing, name, given).map(|_| ())
}

/// The same; says which clause makes it another value than the one that was given, if one does.
pub(super) fn set_by_filters(
    tx: &Tx,
    thing: &Thing,
    name: &str,
    given: Datum,
) -> Answer<Option<Site>> {
    let law = tx.frame().law;
    let kind = things::kind_of(tx, thing)?;
    let Some(decl) = law.value(&kind, name).cloned() else {
        return Err(match law.derived(&kind, name) {
            Some(derived) => {
                Stop::fault(format!("{} is worked out, not written", derived.it.title))
            }
            None => law.nothing_called(name, || {
                format!(
                    "{} has no value {name} to write",
                    with_article(kind.as_str())
                )
            }),
        });
    };
    if !things::exists(tx, thing) {
        return Err(Stop::fault(format!(
            "{} is written of {} that is gone",
            decl.it.title,
            with_article(kind.as_str())
        )));
    }
    let old = cell(tx, thing, &decl.it);
    let (new, by) = filtered(tx, &law, thing, &decl, given, &old)?;
    put_checked(tx, thing, &kind, &decl, &old, &new)?;
    // What goes beyond a range that clamps stops at its end.
    let clamps = matches!(
        decl.it.holds,
        Holds::Number {
            outside: Outside::Clamp,
            ..
        }
    );
    let stops = clamps && cell(tx, thing, &decl.it) != new;
    Ok(by.or_else(|| stops.then(|| decl.site.clone())))
}

/// A value after its filters, and the last of them that made it another.
fn filtered(
    tx: &Tx,
    law: &Law,
    thing: &Thing,
    decl: &At<ValueDecl>,
    given: Datum,
    old: &Datum,
) -> Answer<(Datum, Option<Site>)> {
    let (mut new, mut by) = (given, None);
    for filter in law.filters.get(&decl.it.name).into_iter().flatten() {
        let args = vec![new.clone(), Datum::Thing(thing.clone()), old.clone()];
        let filtered = tx.call_at(&filter.site, &filter.it, args)?;
        if filtered != new {
            (new, by) = (filtered, Some(filter.site.clone()));
        }
    }
    Ok((new, by))
}

/// Puts a checked value into its cell.
fn put_checked(
    tx: &Tx,
    thing: &Thing,
    kind: &Name,
    decl: &At<ValueDecl>,
    old: &Datum,
    new: &Datum,
) -> Answer<()> {
    check_kind(tx, &decl.it, new)?;
    let mut value = convert::value_for(&decl.it, new, &mut || tx.salt()).map_err(Stop::fault)?;
    if decl.it.shown_to != ShownTo::All {
        value = value.hidden(tx.salt());
    }
    let key = CellKey {
        thing: thing.clone(),
        name: decl.it.name.clone(),
    };
    if old == new && tx.with_state(|state| state.cells.contains_key(&key)) {
        return Ok(());
    }
    write_cell(tx, kind, key, Some(value), way(old, new));
    Ok(())
}

/// Whether the things in a value are of the kind that the declaration names.
pub(super) fn check_kind(tx: &Tx, decl: &ValueDecl, new: &Datum) -> Answer<()> {
    let wanted = match &decl.holds {
        Holds::Reference(kind) => kind,
        Holds::Listing {
            item: quorate_law::datum::Type::Kind(kind),
            ..
        } => kind,
        _ => return Ok(()),
    };
    let things: Vec<&Thing> = match new {
        Datum::Thing(thing) => vec![thing],
        Datum::List(items) => items
            .iter()
            .filter_map(|item| {
                if let Datum::Thing(thing) = item {
                    Some(thing)
                } else {
                    None
                }
            })
            .collect(),
        _ => vec![],
    };
    for thing in things {
        let kind = things::kind_of(tx, thing)?;
        if !things::is_a(tx, &kind, wanted) {
            return Err(Stop::fault(format!(
                "{} points at {}, not at {}",
                decl.title,
                with_article(wanted.as_str()),
                with_article(kind.as_str())
            )));
        }
    }
    Ok(())
}

/// Gives a new thing the values of its kind, each with its default.
pub(crate) fn write_defaults(tx: &Tx, thing: &Thing, kind: &Name) {
    let law = tx.frame().law;
    for decl in law.values_of(kind) {
        if matches!(decl.it.holds, Holds::Ledger { .. }) {
            continue;
        }
        let key = CellKey {
            thing: thing.clone(),
            name: decl.it.name.clone(),
        };
        let Ok(mut value) =
            convert::value_for(&decl.it, &default_of(tx, &decl.it), &mut || tx.salt())
        else {
            continue;
        };
        if decl.it.shown_to != ShownTo::All {
            value = value.hidden(tx.salt());
        }
        let new = rows::Cell {
            value,
            at: tx.now,
            by: tx.seq,
            claimed: false,
        };
        tx.put(key, new);
    }
}

/// Whether a value of a thing is within its type and range.
pub(crate) fn is_legal(tx: &Tx, thing: &Thing, name: &str) -> Answer<bool> {
    let law = tx.frame().law;
    let kind = things::kind_of(tx, thing)?;
    let Some(decl) = law.value(&kind, name) else {
        return Ok(false);
    };
    let key = CellKey {
        thing: thing.clone(),
        name: Name::from(name),
    };
    tx.read(ReadKey::Cell(key.clone()));
    Ok(tx.with_state(|state| {
        state
            .cells
            .get(&key)
            .is_none_or(|cell| convert::legal(&decl.it, &cell.value))
    }))
}

/// Whether a number that is refused out of range is out of range.
pub(crate) fn out_of_range(decl: &ValueDecl, value: &Value) -> bool {
    matches!(
        decl.holds,
        Holds::Number {
            outside: Outside::Refuse,
            ..
        }
    ) && !convert::legal(decl, value)
}

/// How a value changes: by an amount, by what was put in or taken out, or by being set anew. An undo asks.
fn way(old: &Datum, new: &Datum) -> Way {
    match (old, new) {
        (Datum::Int(_), Datum::Int(_)) => Way::Add,
        (Datum::List(old), Datum::List(new))
            if new.len() > old.len() && new[..old.len()] == old[..] =>
        {
            Way::Put
        }
        (Datum::List(old), Datum::List(new)) if new.len() < old.len() => Way::Take,
        _ => Way::Set,
    }
}

/// Writes a tracked value and tells the hooks on it.
pub(crate) fn write_cell(tx: &Tx, kind: &Name, key: CellKey, value: Option<Value>, way: Way) {
    let old = tx.row::<rows::Cell>(&key);
    if old.as_ref().map(|cell| &cell.value) == value.as_ref() {
        return;
    }
    let seen = |value: Option<&Value>| match value {
        Some(value) => convert::datum(value),
        None => default_named(tx, kind, &key.name),
    };
    tx.note_change(Changed {
        name: key.name.clone(),
        thing: key.thing.clone(),
        kind: kind.clone(),
        old: seen(old.as_ref().map(|cell| &cell.value)),
        new: seen(value.as_ref()),
    });
    let claimed = old.is_some_and(|cell| cell.claimed);
    let new = value.map(|value| rows::Cell {
        value,
        at: tx.now,
        by: tx.seq,
        claimed,
    });
    tx.write_row(key, new, way);
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Span;

    use super::*;
    use crate::tiny_game::game;

    #[test]
    fn a_value_is_its_default_until_it_is_written_and_takes_no_other_type() {
        let game = game("fish = number(\"Fish\", of = player, default = 2)");
        let anna = Thing::Player(game.anna);
        game.ask(|tx| {
            assert_eq!(attribute(tx, &anna, "fish"), Ok(Datum::Int(2)));
            set_attribute(tx, &anna, "fish", Datum::Int(5)).expect("a number");
            assert_eq!(attribute(tx, &anna, "fish"), Ok(Datum::Int(5)));
            assert!(set_attribute(tx, &anna, "fish", Datum::Bool(true)).is_err());
            assert!(set_attribute(tx, &anna, "cats", Datum::Int(1)).is_err());
        });
    }

    #[test]
    fn what_is_made_of_the_time_itself_is_told_anew_as_it_goes_by() {
        let mut game = game(
            "def hours_of(g: Game) -> int:\n    return (now - g.founded_at) // hours(1)\n\n\
             hour = derived(\"Hour\", hours_of, of = game)\n\n\
             def late_of(g: Game) -> Moment:\n    return now + hours(1)\n\n\
             late = derived(\"Late\", late_of, of = game)",
        );
        let founded = game.now;
        for minutes in [0, 59, 60, 61, 120, 30] {
            game.now = founded + Span::minutes(minutes);
            let told =
                ["hour", "late"].map(|name| game.ask(|tx| attribute(tx, &Thing::Game, name)));
            let hour = Datum::Int(minutes / 60);
            let late = Datum::Moment(game.now + Span::hours(1));
            assert_eq!(told, [Ok(hour), Ok(late)], "{minutes}");
        }
    }

    #[test]
    fn what_is_so_for_who_acts_is_nobody_else_s_answer() {
        let game = game(
            "def is_me(p: Player) -> bool:\n    return acting() == p\n\n\
             me = derived(\"Me\", is_me, of = player)",
        );
        let anna = Thing::Player(game.anna);
        for _ in 0..2 {
            let hers = game.ask(|tx| attribute(tx, &anna, "me"));
            assert_eq!(hers, Ok(Datum::Bool(true)));
            assert_eq!(game.value("me"), Datum::Bool(false));
        }
    }

    #[test]
    fn what_leans_on_something_broken_is_worked_out_each_time() {
        let game = game(
            "def shy(p: Player) -> bool:\n    return 1 // (p.fish - 1) > 0\n\n\
             exclude(shy, scope(section = \"rules\"))\n\n\
             fish = number(\"Fish\", of = player, default = 1)\n\n\
             def all_of(g: Game) -> int:\n    return len(players())\n\n\
             count = derived(\"Count\", all_of, of = game)",
        );
        let broke = || {
            game.ask(|tx| {
                attribute(tx, &Thing::Game, "count").expect("the game goes on");
                tx.break_count()
            })
        };
        assert_eq!([broke(), broke()], [1, 1]);
    }

    #[test]
    fn a_dictionary_that_cannot_be_read_again_breaks_whoever_reads_it_in_words() {
        let game = game(
            "def odd(p: Player) -> dict[typing.Any, int]:\n    return {(1, 2): 3}\n\n\
             odds = derived(\"Odds\", odd, of = player)\n\n\
             def look(p: Player) -> int:\n    return len(p.odds)\n\n\
             found = derived(\"Found\", look, of = player)",
        );
        let anna = Thing::Player(game.anna);
        let Err(Stop::Broken(fault)) = game.ask(|tx| attribute(tx, &anna, "found")) else {
            panic!("it was read");
        };
        assert!(fault.text.contains("not hashable"), "{}", fault.text);
    }

    #[test]
    fn a_number_may_be_one_of_some_and_a_list_hold_some_words_and_no_fewer() {
        let game = game(
            "step = number(\"Step\", of = player, among = [2, 1, 5])\n\
             hues = listing(\"Hues\", str, of = player, among = [\"red\", \"blue\"], least = 1, default = [\"red\"])",
        );
        let anna = Thing::Player(game.anna);
        let words = |words: &[&str]| -> Datum {
            Datum::List(
                words
                    .iter()
                    .map(|word| Datum::Text((*word).into()))
                    .collect(),
            )
        };
        game.ask(|tx| {
            assert_eq!(attribute(tx, &anna, "step"), Ok(Datum::Int(2)));
            set_attribute(tx, &anna, "step", Datum::Int(5)).expect("one of them");
            assert!(set_attribute(tx, &anna, "step", Datum::Int(3)).is_err());
            set_attribute(tx, &anna, "hues", words(&["blue", "red"])).expect("both are");
            for wrong in [words(&[]), words(&["red", "green"])] {
                assert!(set_attribute(tx, &anna, "hues", wrong).is_err());
            }
            assert_eq!(attribute(tx, &anna, "hues"), Ok(words(&["blue", "red"])));
        });
    }

    #[test]
    fn a_number_is_changed_by_an_amount_and_a_list_by_what_came_or_went() {
        let list = |items: &[i64]| Datum::List(items.iter().map(|n| Datum::Int(*n)).collect());
        assert_eq!(way(&Datum::Int(1), &Datum::Int(4)), Way::Add);
        assert_eq!(way(&list(&[1]), &list(&[1, 2])), Way::Put);
        assert_eq!(way(&list(&[1, 2]), &list(&[2])), Way::Take);
        assert_eq!(way(&list(&[1, 2]), &list(&[2, 1])), Way::Set);
    }
}
