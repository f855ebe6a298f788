//! Finding things of a kind: by their values, on a square, by a name.

use quorate_kernel::rows::Standing;
use quorate_kernel::{Name, Square, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::Holds;
use quorate_law::stop::{Answer, Site, Stop};
use quorate_law::world::Named;

use super::{labels, things, values};
use crate::law::row_words;
use crate::tx::Tx;

/// All things of a kind that match, oldest first, rows in law order.
pub(crate) fn find_all(tx: &Tx, kind: &Name, filters: &Named, _site: &Site) -> Answer<Vec<Thing>> {
    let since =
        filters
            .iter()
            .find(|(name, _)| *name == "since")
            .and_then(|(_, datum)| match datum {
                Datum::Moment(at) => Some(*at),
                _ => None,
            });
    let status = filters
        .iter()
        .find(|(name, _)| *name == "status")
        .and_then(|(_, datum)| match datum {
            Datum::Text(text) => Some(Name::from(&**text)),
            _ => None,
        });
    let mut found = Vec::new();
    let all = things::of_kind(tx, kind, status.as_ref());
    tx.looks_through(all.len() * (1 + filters.len()))?;
    for thing in all {
        if let Some(since) = since
            && things::came_at(tx, &thing) < Some(since)
        {
            continue;
        }
        if matches(tx, &thing, filters)? {
            found.push(thing);
        }
    }
    Ok(found)
}

fn matches(tx: &Tx, thing: &Thing, filters: &Named) -> Answer<bool> {
    for (name, wanted) in filters.iter().filter(|(name, _)| *name != "since") {
        if values::attribute(tx, thing, name.as_str())? != *wanted {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn standing_at(tx: &Tx, kind: &Name, square: &Square) -> Answer<Option<Thing>> {
    let law = tx.frame().law;
    let places: Vec<Name> = law
        .values_of(kind)
        .filter(|decl| matches!(&decl.it.holds, Holds::Place { board } if *board == square.board))
        .map(|decl| decl.it.name.clone())
        .collect();
    let all = things::of_kind(tx, kind, None);
    tx.looks_through(all.len() * places.len())?;
    for thing in all {
        for name in &places {
            if values::attribute(tx, &thing, name.as_str())? == Datum::Square(square.clone()) {
                return Ok(Some(thing));
            }
        }
    }
    Ok(None)
}

pub(crate) fn find_row(tx: &Tx, kind: &str, key: &str) -> Answer<Thing> {
    if kind == "Player" {
        let found = things::people(tx, Standing::Member)
            .into_iter()
            .find(|id| things::name_of(tx, *id) == key);
        return found
            .map(Thing::Player)
            .ok_or_else(|| Stop::fault(format!("there is no player called {key}")));
    }
    let thing = Thing::row(kind, key);
    if things::exists(tx, &thing) {
        return Ok(thing);
    }
    let found = things::of_kind(tx, &Name::from(kind), None)
        .into_iter()
        .find(|thing| labels::label(tx, &Datum::Thing(thing.clone())) == key);
    found.ok_or_else(|| {
        let left = tx.with_state(|state| row_words(state, kind, key));
        Stop::fault(left.unwrap_or_else(|| format!("{kind} has no row \"{key}\"")))
    })
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Value;
    use quorate_law::datum::Datum;

    use crate::tiny_game::game;

    #[test]
    fn of_a_kind_those_are_found_whose_values_are_as_asked() {
        let mut game = game(
            "crate = entity(\"Crate\")\nweight = number(\"Weight\", of = crate)\n\n\
             def stow(actor: Player, weight: int):\n    crate.create(weight = weight)\n\n\
             action(\"stow\", stow)\n\n\
             def weighing(n: int) -> int:\n    return len(crate.all(weight = n))",
        );
        for weight in [3, 1, 3] {
            game.act("stow", &[("weight", Value::Int(weight))])
                .expect("there is room");
        }
        let count = |n| game.ask(|tx| tx.call(&"weighing".into(), vec![Datum::Int(n)]));
        assert_eq!(count(3), Ok(Datum::Int(2)));
        assert_eq!(count(2), Ok(Datum::Int(0)));
    }
}
