//! Things that play makes and removes.

use quorate_kernel::effect::Way;
use quorate_kernel::rows::{Cell, CellKey, Clock, Entity, Line};
use quorate_kernel::{EntityId, Name, Thing, Value, rows};
use quorate_law::datum::Datum;
use quorate_law::declare::Holds;
use quorate_law::stop::{Answer, Stop};

use super::{ledgers, things, values};
use crate::tx::Tx;

/// A new thing that play makes, with some of its values given.
pub(crate) fn create(tx: &Tx, kind: &Name, values: Vec<(Name, Datum)>) -> Answer<Thing> {
    let law = tx.frame().law;
    if !law.entities.contains_key(kind) {
        return Err(Stop::fault(format!(
            "{kind} is no kind of things that play makes: declare it with entity(\"{kind}\")"
        )));
    }
    let id = EntityId(tx.make_id()?);
    let row = rows::Entity {
        kind: kind.clone(),
        made_at: tx.now,
    };
    tx.put(id, row);
    let thing = Thing::Entity(id);
    values::write_defaults(tx, &thing, kind);
    for (name, value) in values {
        values::set_attribute(tx, &thing, name.as_str(), value)?;
    }
    tx.happen("created", kind.clone(), vec![Datum::Thing(thing.clone())]);
    Ok(thing)
}

/// Takes a thing out of the game, with its values, lines and clocks. What pointed at it points nowhere from now on.
pub(crate) fn remove(tx: &Tx, thing: &Thing) -> Answer<()> {
    let Thing::Entity(id) = thing else {
        return Err(Stop::fault(format!(
            "{thing} cannot be removed: only things that play made can"
        )));
    };
    if tx.row::<Entity>(id).is_none() {
        return Ok(());
    }
    let state = tx.state();
    let first = CellKey {
        thing: thing.clone(),
        name: Name::default(),
    };
    let cells: Vec<_> = state
        .cells
        .range(first..)
        .take_while(|(key, _)| key.thing == *thing)
        .map(|(key, _)| key.clone())
        .collect();
    for key in cells {
        tx.remove::<Cell>(key);
    }
    for (key, _) in state
        .lines
        .iter()
        .filter(|(key, _)| key.cell.thing == *thing)
    {
        tx.write_row::<Line>(key.clone(), None, Way::Take);
    }
    for (key, _) in state.clocks.iter().filter(|(key, _)| key.thing == *thing) {
        tx.remove::<Clock>(key.clone());
    }
    tx.write_row::<Entity>(*id, None, Way::Take);
    tx.note_removal();
    Ok(())
}

/// Sets values of a thing to their defaults.
pub(crate) fn reset(tx: &Tx, thing: &Thing, names: &[Name]) -> Answer<()> {
    let law = tx.frame().law;
    let kind = things::kind_of(tx, thing)?;
    for name in names {
        let Some(decl) = law.value(&kind, name.as_str()) else {
            continue;
        };
        if let Holds::Ledger { .. } = decl.it.holds {
            ledgers::clear_ledger(tx, thing, name);
        } else {
            let default = values::default_of(tx, &decl.it);
            values::set_attribute(tx, thing, name.as_str(), default)?;
        }
    }
    Ok(())
}

/// Points references at nothing whose things this event removed; hooks on them see it.
pub(crate) fn sweep_references(tx: &Tx) -> bool {
    if !tx.take_removal() {
        return false;
    }
    let state = tx.state();
    let mut swept = false;
    for (key, cell) in &state.cells {
        let Some(value) = things::without_gone(tx, cell.value.open()) else {
            continue;
        };
        let Ok(kind) = things::kind_of(tx, &key.thing) else {
            continue;
        };
        let value = if matches!(cell.value, Value::Hidden(_)) {
            value.hidden(tx.salt())
        } else {
            value
        };
        values::write_cell(tx, &kind, key.clone(), Some(value), Way::Set);
        swept = true;
    }
    swept
}

#[cfg(test)]
mod tests {
    use quorate_law::datum::Datum;

    use crate::tiny_game::game;

    #[test]
    fn what_pointed_at_a_thing_that_is_removed_points_nowhere() {
        let mut game = game(
            "crate = entity(\"Crate\")\nmine = reference(\"Mine\", crate, of = player, default = None)\n\n\
             def find(actor: Player):\n    actor.mine = crate.create()\n\n\
             def sink(actor: Player):\n    remove(actor.mine)\n\n\
             action(\"find\", find)\naction(\"sink\", sink)",
        );
        game.act("find", &[]).expect("there is one");
        assert!(matches!(game.value("mine"), Datum::Thing(_)));
        game.act("sink", &[]).expect("it floats");
        assert_eq!(game.value("mine"), Datum::None);
        assert!(game.judge.state().entities.is_empty());
    }
}
