//! Dice of undone actions, which wait for the action to be done again.

use quorate_kernel::chance;
use quorate_kernel::command::Act;
use quorate_kernel::effect::Way;
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::rows::{Open, Waiting};
use quorate_kernel::state::Effect;
use quorate_kernel::tape::SeedId;
use quorate_kernel::{Name, Value};
use quorate_law::stop::{Answer, Stop};

use crate::topics::owed;
use crate::tx::Tx;

/// The edition of the library from which on dice of an undone action are for what it was given, and values that come back with
/// their declaration set off no hook.
pub(super) const SECOND: u16 = 2;

/// Refuses an undo by which somebody would have another die, or keep what they have of one twice: of their own event, if its dice
/// could not wait or others wait already; and of an undo whose action was done again since.
pub(super) fn check(tx: &Tx, event: &Event) -> Answer<()> {
    if tx.law.code.edition() < SECOND {
        return Ok(());
    }
    let taken_up = event.steps.iter().any(|step| match &step.effect {
        Effect::Waiting {
            key,
            new: Some(row),
            ..
        } if matches!(event.act, Act::Undo { .. }) => {
            let is_open = tx
                .row::<Open>(key)
                .is_some_and(|open| open.seed == row.seed);
            is_open || tx.row::<Waiting>(key).as_ref() != Some(row)
        }
        _ => false,
    });
    if taken_up {
        return Err(Stop::no("an undo whose action was not done again since"));
    }
    let own = tx.actor().filter(|me| event.actor.player() == Some(*me));
    match (own, chance::resumed(event.actor, &event.act)) {
        _ if event.tape.dice.is_empty() => Ok(()),
        (Some(_), None) => Err(Stop::no("somebody else to undo it, for dice fell in it")),
        (Some(me), Some(key)) => owed::check_undo(tx, &key.action, me).map_err(Stop::refused),
        (None, _) => Ok(()),
    }
}

/// Dice that fell in an action that is undone wait for the same player's next go at it with what it was given.
pub(super) fn dice_wait_again(tx: &Tx, event: &Event) {
    let Some(key) = chance::resumed(event.actor, &event.act) else {
        return;
    };
    if event.tape.dice.is_empty() || event.outcome != Outcome::Done {
        return;
    }
    let fresh = SeedId {
        player: event.actor.player(),
        key: event.key.clone(),
    };
    let waited = event.steps.iter().find_map(|step| match &step.effect {
        Effect::Waiting { old: Some(row), .. } => Some(row.seed.clone()),
        _ => None,
    });
    // Whoever takes back an action of their own has seen what comes of their choices, and makes no others. Where somebody else
    // does, because a step was wrong, that step is chosen anew.
    let is_own = tx.actor() == Some(key.who);
    let choices = is_own.then_some(event.tape.answers.as_slice());
    let given = |args: &[(Name, Value)]| Some(Waiting::for_these(args, choices.unwrap_or(&[])));
    let (seed, given) = match (&event.act, open_before(event)) {
        // In the first edition dice waited for a next go with whatever it is given, and those of a default were lost.
        (Act::Due { .. }, _) if tx.law.code.edition() < SECOND => return,
        _ if tx.law.code.edition() < SECOND => (fresh, None),
        (Act::Do { args, .. }, _) => (waited.unwrap_or(fresh), given(args)),
        (_, Some(open)) => (open.seed.clone(), given(&open.args)),
        (_, None) => return,
    };
    let new = Waiting {
        seed,
        dice: event.tape.dice.clone(),
        rolled_for: given,
    };
    tx.put(key, new);
}

/// Where an undo is undone, the action stands again, and its dice wait for nobody.
pub(super) fn dice_wait_no_more(tx: &Tx, event: &Event) {
    if !matches!(event.act, Act::Undo { .. }) || tx.law.code.edition() < SECOND {
        return;
    }
    for step in &event.steps {
        if let Effect::Waiting { key, old, new } = &step.effect
            && tx.row::<Waiting>(key) == *new
        {
            tx.write_row(key.clone(), old.clone(), Way::Set);
        }
    }
}

/// The open action that an event completed.
fn open_before(event: &Event) -> Option<&Open> {
    event.steps.iter().find_map(|step| match &step.effect {
        Effect::Open {
            old: Some(open),
            new: None,
            ..
        } => Some(open),
        _ => None,
    })
}
