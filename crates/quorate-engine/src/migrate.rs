//! Values when the law that declares them changes.
//!
//! What still fits is kept. What does not becomes what `outside` says, or the default. A renamed value keeps its
//! contents by `was =`; one that left the law goes to the archive and comes back from there when it returns.

use std::sync::Arc;

use quorate_kernel::effect::Way;
use quorate_kernel::rows::{Cell, CellKey};
use quorate_kernel::state::Effect;
use quorate_kernel::{Name, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, Outside, ShownTo, ValueDecl};

use crate::convert;
use crate::law::{At, Law};
use crate::tx::{Frame, Tx, rules::archived};

/// Brings all values in line with a new law.
pub fn values(tx: &Tx, old: &Arc<Law>, new: &Arc<Law>) {
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
        for (key, cell) in cells_of(tx, old, of, name) {
            if !taken_over {
                let before = tx.with_state(|state| state.archive.get(&key).cloned());
                let kept = archived(&cell.value, tx.now);
                tx.write(
                    Effect::Archived {
                        key: key.clone(),
                        old: before,
                        new: Some(kept),
                    },
                    Way::Set,
                );
                tx.write(
                    Effect::Cell {
                        key,
                        old: Some(cell),
                        new: None,
                    },
                    Way::Set,
                );
            }
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
        let here = tx.with_state(|state| state.cells.get(&key).cloned());
        let source = here
            .as_ref()
            .map(|cell| cell.value.clone())
            .or_else(|| renamed(tx, decl, &key))
            .or_else(|| {
                let kept = tx.with_state(|state| state.archive.get(&key).cloned())?;
                tx.write(
                    Effect::Archived {
                        key: key.clone(),
                        old: Some(kept.clone()),
                        new: None,
                    },
                    Way::Set,
                );
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
            tx.write(
                Effect::Cell {
                    key,
                    old: here,
                    new: Some(new),
                },
                Way::Set,
            );
        }
    }
}

/// What the value held under the name that it had before.
fn renamed(tx: &Tx, decl: &At<ValueDecl>, key: &CellKey) -> Option<Value> {
    let was = CellKey {
        thing: key.thing.clone(),
        name: decl.it.was.clone()?,
    };
    let cell = tx.with_state(|state| state.cells.get(&was).cloned())?;
    tx.write(
        Effect::Cell {
            key: was,
            old: Some(cell.clone()),
            new: None,
        },
        Way::Set,
    );
    Some(cell.value)
}

/// What a value may go on holding.
fn fitting(tx: &Tx, decl: &ValueDecl, source: Option<&Value>) -> Value {
    // What comes back from the archive may point at things that have left the game meanwhile.
    let open = source.map(Value::open).map(|value| {
        let there = tx.without_gone(value);
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
    let value = fits.or_else(clamped).unwrap_or_else(|| {
        let default: Datum = tx.default_of(decl);
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
    tx.within(frame, || tx.subjects(Some(of)))
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
