//! The list of dynasties, and the commitment to the dice of each.

use quorate_kernel::effect::Way;
use quorate_kernel::rows::Commitment;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{PlayerId, rows};

use crate::tx::Tx;

/// The row of a dynasty in the list of them; without a theme the one it has stays.
pub(crate) fn write(tx: &Tx, leader: Option<PlayerId>, theme: &str, begins: bool) {
    let last = tx.with_state(|state| {
        let last = state.dynasties.iter().next_back();
        last.map(|(number, dynasty)| (*number, dynasty.clone()))
    });
    let (number, old) = match last {
        Some((number, _)) if begins => (number + 1, None),
        Some((number, dynasty)) => (number, Some(dynasty)),
        None => (1, None),
    };
    if begins {
        commit_to_dice(tx);
    }
    let committed = tx.with_state(|state| {
        let newest = state.commitments.values().next_back();
        newest.map(|commitment| commitment.said).unwrap_or_default()
    });
    let (at, event, dice) = old.as_ref().map_or((tx.now, tx.seq, committed), |old| {
        (old.at, old.event, old.dice)
    });
    let title = match &old {
        Some(old) if theme.is_empty() => old.title.clone(),
        _ => Sealed::close(theme, tx.salt()),
    };
    let row = rows::Dynasty {
        title,
        leader,
        at,
        event,
        dice,
    };
    tx.put(number, row);
}

/// Shows the key that dice followed from so far, and says what those of the next event on will follow from.
pub(crate) fn commit_to_dice(tx: &Tx) {
    let Some((key, next)) = tx.deck().next_commitment(tx.seq) else {
        return;
    };
    let last = tx.with_state(|state| {
        let last = state.commitments.iter().next_back();
        last.map(|(event, commitment)| (*event, commitment.clone()))
    });
    let new = Some(Commitment::of(&next));
    match last {
        // There is one commitment an event, whatever begins in it.
        Some((event, _)) if event == tx.seq => return,
        // In a game that came here without its secret the key of the old commitment stayed behind.
        Some((_, old)) if key.commitment() != old.said => {}
        Some((event, old)) => {
            let shown = Some(key);
            tx.put(event, Commitment { shown, ..old });
        }
        None => {}
    }
    tx.write_row(tx.seq, new, Way::Put);
}
