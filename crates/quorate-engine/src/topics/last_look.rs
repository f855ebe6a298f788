//! The last look before an event stands: ranges and squares.

use std::collections::BTreeSet;

use quorate_kernel::state::Effect;
use quorate_kernel::{Name, Thing, Topic, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::Holds;
use quorate_law::stop::{Answer, Stop};

use super::{labels, things, values};
use crate::tx::Tx;

/// Ranges, squares and what pointed at removed things: the last look before the event stands.
pub(crate) fn check(tx: &Tx) -> Answer<()> {
    ranges_hold(tx)?;
    squares_hold(tx)
}

fn ranges_hold(tx: &Tx) -> Answer<()> {
    let touched = touched_cells(tx);
    for (kind, thing, name) in touched {
        let law = tx.coming_law();
        let Some(decl) = law.value(&kind, name.as_str()).cloned() else {
            continue;
        };
        let key = quorate_kernel::rows::CellKey {
            thing: thing.clone(),
            name,
        };
        let Some(value) =
            tx.with_state(|state| state.cells.get(&key).map(|cell| cell.value.clone()))
        else {
            continue;
        };
        if !values::out_of_range(&decl.it, &value) {
            continue;
        }
        let whose = labels::label(tx, &Datum::Thing(thing));
        let of = format!("{} of {whose}", decl.it.title);
        let mut refusal = tx.refusal_at(&decl.site, &format!("{of} within its range"));
        refusal.needs[0].topic = Topic::Range {
            value: decl.it.name.clone(),
            of,
        };
        if let (Value::Int(n), Holds::Number { min, max, .. }) = (value.open(), &decl.it.holds) {
            refusal.needs[0].have = n.to_string();
            refusal.needs[0].need = range_words(*min, *max);
        }
        return Err(Stop::refused(refusal));
    }
    Ok(())
}

fn squares_hold(tx: &Tx) -> Answer<()> {
    let law = tx.coming_law();
    for (kind, thing, name) in touched_cells(tx) {
        let Some(decl) = law.value(&kind, name.as_str()).cloned() else {
            continue;
        };
        if !matches!(decl.it.holds, Holds::Place { .. }) {
            continue;
        }
        let Datum::Square(square) = values::cell(tx, &thing, &decl.it) else {
            continue;
        };
        let others = tx.with_state(|state| {
            state
                .cells
                .iter()
                .filter(|(key, cell)| {
                    key.name == name
                        && key.thing != thing
                        && *cell.value.open() == Value::Square(square.clone())
                })
                .map(|(key, _)| key.thing.clone())
                .collect::<Vec<_>>()
        });
        let other = others.into_iter().find(|other| {
            things::exists(tx, other) && things::kind_of(tx, other).is_ok_and(|k| k == kind)
        });
        if let Some(other) = other {
            let refusal = tx.refusal_at(
                &decl.site,
                &format!("{} free", labels::square_name(tx, &square)),
            );
            return Err(refusal
                .having(labels::label(tx, &Datum::Thing(other)))
                .into());
        }
    }
    Ok(())
}

/// The values that an event has written so far, with the kinds of their things.
pub(super) fn touched_cells(tx: &Tx) -> BTreeSet<(Name, Thing, Name)> {
    let keys: BTreeSet<_> = tx.with_steps(|steps| {
        steps
            .iter()
            .filter_map(|step| {
                if let Effect::Cell {
                    key, new: Some(_), ..
                } = &step.effect
                {
                    Some(key.clone())
                } else {
                    None
                }
            })
            .collect()
    });
    keys.into_iter()
        .filter_map(|key| {
            things::kind_of(tx, &key.thing)
                .ok()
                .map(|kind| (kind, key.thing, key.name))
        })
        .collect()
}

fn range_words(min: Option<i64>, max: Option<i64>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("{min} or more"),
        (None, Some(max)) => format!("{max} or less"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::{Topic, Value};

    use crate::tiny_game::game;

    #[test]
    fn a_number_out_of_its_range_is_refused_with_the_range() {
        let mut game = game(
            "fish = number(\"Fish\", of = player, min = 0, max = 9)\n\ndef feed(actor: Player, count: int):\n    actor.fish = count\n\naction(\"feed\", feed)",
        );
        let refused = game.act("feed", &[("count", Value::Int(10))]);
        let need = refused.expect_err("nine at most").needs.remove(0);
        assert_eq!((need.have.as_str(), need.need.as_str()), ("10", "0 to 9"));
        let of = "Fish of Anna".to_owned();
        assert_eq!(
            need.topic,
            Topic::Range {
                value: "fish".into(),
                of
            }
        );
    }
}
