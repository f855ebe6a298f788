//! A law that begins: what falls asleep or asks for what is gone, its words, and values under their new declarations.
//!
//! What still fits is kept. What does not becomes what `outside` says, or the default. A renamed value keeps its
//! contents by `was =`; one that left the law goes to the archive and comes back from there when it returns.

use std::sync::Arc;

use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::{Archived, Cell, CellKey};
use quorate_kernel::{Name, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, Outside, ShownTo, ValueDecl};

use super::{things, values};
use crate::convert;
use crate::law::{At, Law};
use crate::tx::{Frame, Tx};

/// Compiles the law as it is now in the working copy, and gives values their new declarations.
pub(crate) fn take(tx: &Tx) {
    let new = tx.compile();
    for line in tx.with_state(|state| new.losses_since(&tx.law, state)) {
        tx.say(NoteKind::Broke, line);
    }
    let old = tx.coming_law();
    tx.set_coming_law(&new);
    bring_terms(tx, &new);
    bring_values(tx, &old, &new);
}

/// Gives the game the words of the theme that a law brings. A word that is there already stays as play left it.
pub(crate) fn bring_terms(tx: &Tx, law: &Law) {
    for (name, term) in &law.terms {
        if !tx.with_state(|state| state.terms.contains_key(name)) {
            tx.put(name.clone(), term.clone());
        }
    }
}

/// Brings all values in line with a new law.
fn bring_values(tx: &Tx, old: &Arc<Law>, new: &Arc<Law>) {
    drop_gone(tx, old, new);
    for key in &new.value_order {
        let Some(decl) = new.values.get(key) else {
            continue;
        };
        let before = old.values.get(key);
        let same = before.is_some_and(|before| {
            before.it.holds == decl.it.holds && before.it.shown_to == decl.it.shown_to
        });
        if !same {
            bring_in(tx, new, decl);
        }
    }
}

/// Values that the new law does not declare go to the archive.
fn drop_gone(tx: &Tx, old: &Arc<Law>, new: &Law) {
    for (of, name) in old
        .values
        .keys()
        .filter(|key| !new.values.contains_key(*key))
    {
        let taken_over = new
            .values
            .values()
            .any(|decl| decl.it.of == *of && decl.it.was.as_ref() == Some(name));
        if taken_over {
            continue;
        }
        for (key, cell) in cells_of(tx, old, of, name) {
            let (value, at) = (cell.value, tx.now);
            tx.put(key.clone(), Archived { value, at });
            tx.remove::<Cell>(key);
        }
    }
}

/// A value that is new, or holds something else than before.
fn bring_in(tx: &Tx, new: &Arc<Law>, decl: &At<ValueDecl>) {
    if matches!(decl.it.holds, Holds::Ledger { .. }) {
        return;
    }
    for thing in owners(tx, new, &decl.it.of) {
        let key = CellKey {
            thing,
            name: decl.it.name.clone(),
        };
        let here = tx.row::<Cell>(&key);
        let source = here
            .as_ref()
            .map(|cell| cell.value.clone())
            .or_else(|| renamed(tx, decl, &key))
            .or_else(|| {
                let kept = tx.row::<Archived>(&key)?;
                tx.remove::<Archived>(key.clone());
                Some(kept.value)
            });
        let value = fitting(tx, &decl.it, source.as_ref());
        let new = Cell {
            value,
            at: tx.now,
            by: tx.seq,
            claimed: false,
        };
        if here.as_ref().map(|cell| &cell.value) != Some(&new.value) {
            tx.put(key, new);
        }
    }
}

/// What the value held under the name that it had before.
fn renamed(tx: &Tx, decl: &At<ValueDecl>, key: &CellKey) -> Option<Value> {
    let was = CellKey {
        thing: key.thing.clone(),
        name: decl.it.was.clone()?,
    };
    let cell = tx.row::<Cell>(&was)?;
    tx.remove::<Cell>(was);
    Some(cell.value)
}

/// What a value may go on holding.
fn fitting(tx: &Tx, decl: &ValueDecl, source: Option<&Value>) -> Value {
    // What comes back from the archive may point at things that have left the game meanwhile.
    let open = source.map(Value::open).map(|value| {
        let there = things::without_gone(tx, value);
        there.unwrap_or_else(|| value.clone())
    });
    let fits = open.clone().filter(|value| convert::legal(decl, value));
    let clamped = || match (&open, &decl.holds) {
        (
            Some(Value::Int(n)),
            Holds::Number {
                min,
                max,
                outside: Outside::Clamp,
            },
        ) => Some(Value::Int(
            (*n).clamp(min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX)),
        )),
        _ => None,
    };
    let clamped = || clamped().filter(|value| convert::legal(decl, value));
    let value = fits.or_else(clamped).unwrap_or_else(|| {
        let default: Datum = values::default_of(tx, decl);
        convert::value_for(decl, &default, &mut || tx.salt())
            .unwrap_or_else(|_| convert::empty_value(&decl.holds))
    });
    if decl.shown_to == ShownTo::All {
        value
    } else {
        value.hidden(tx.salt())
    }
}

/// All things of a kind under a law. What a table or a category has, only the law that declares it can say.
fn owners(tx: &Tx, law: &Arc<Law>, of: &Name) -> Vec<Thing> {
    let frame = Frame {
        law: Arc::clone(law),
        ..tx.frame()
    };
    tx.within(frame, || things::subjects(tx, Some(of)))
}

fn cells_of(tx: &Tx, law: &Arc<Law>, of: &Name, name: &Name) -> Vec<(CellKey, Cell)> {
    let things = owners(tx, law, of);
    tx.with_state(|state| {
        things
            .into_iter()
            .filter_map(|thing| {
                let key = CellKey {
                    thing,
                    name: name.clone(),
                };
                state
                    .cells
                    .get(&key)
                    .map(|cell| (key.clone(), cell.clone()))
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use quorate_kernel::former::FormerRule;

    use super::*;
    use crate::tiny_game::game;

    #[test]
    fn a_value_that_no_longer_fits_takes_the_default_of_its_new_declaration() {
        let mut game = game("fish = number(\"Fish\", of = player, default = 7)");
        let clause = game.amendment("default = 7", "default = 1, max = 3");
        game.change(vec![clause]);
        assert_eq!(game.value("fish"), Datum::Int(1));
    }

    #[test]
    fn what_became_of_a_text_is_part_of_the_law() {
        let game = game("fish = number(\"Fish\", of = player)");
        let id = Name::from("house");
        let rule = game.judge.state().rules[&id].clone();
        game.ask(|tx| {
            let (key, row) = FormerRule::row(&id, &rule, false, tx.seq, tx.now);
            tx.put(key.clone(), row);
            assert!(tx.law_changed(), "a text that was kept");
            take(tx);
            let digest = tx.with_state(quorate_kernel::state::State::law_digest);
            assert_eq!(tx.coming_law().digest, digest);
            tx.remove::<Archived>(key);
            assert!(tx.law_changed(), "a text that was taken out again");
        });
    }

    #[test]
    fn a_fence_that_does_not_check_falls_asleep_and_the_log_says_so() {
        let mut game = game("fish = number(\"Fish\", of = player)");
        let before = Arc::clone(game.judge.law());
        let clause = game.amendment("of = player", "of = nothing");
        let event = game.change(vec![clause]);
        let law = Arc::clone(game.judge.law());
        let fallen: Vec<_> = law.fallen_asleep(&before).collect();
        assert_eq!(fallen.len(), 1);
        let lines = law.losses_since(&before, game.judge.state());
        let notes: Vec<&str> = event.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(notes[1..], lines);
        let begins = "House, clause 1: its code sleeps: ";
        assert!(notes[1].starts_with(begins), "{notes:?}");
    }
}
