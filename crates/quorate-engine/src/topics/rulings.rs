//! What becomes of changes made by hand: settled by time or by a ruling, or struck.

use quorate_kernel::effect::Way;
use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::{Cell, Claim, ClaimStanding};
use quorate_kernel::{EventSeq, Id};
use quorate_law::stop::{Answer, Stop};

use crate::ruling::{NamedRuling, Ruling};
use crate::tx::{Ruled, Tx};

/// How many events the log of a ruling tells the lot of.
const FATES_TOLD: usize = 100;

/// Strikes and upholds events: the differences of the two lines of history are changes of this event.
pub(crate) fn rule_on(tx: &Tx, strike: &[EventSeq], uphold: &[EventSeq]) -> Answer<()> {
    let named = NamedRuling {
        strike: strike.iter().copied().collect(),
        uphold: uphold.iter().copied().collect(),
    };
    let known = match tx.ruled() {
        Ruled::Known(asked, ruling) if asked == named => Some(ruling),
        Ruled::Known(..) => return Err(Stop::fault("a matter makes one ruling at most")),
        Ruled::Unasked | Ruled::Wanted(_) => None,
    };
    match known {
        Some(Ok(ruling)) => {
            make_ruling(tx, &ruling);
            Ok(())
        }
        Some(Err(refusal)) => Err(Stop::refused(refusal)),
        // Whether a ruling would come to something is not what a trial asks.
        None if tx.frame().trial => Ok(()),
        None => {
            tx.set_ruled(Ruled::Wanted(named));
            Err(Stop::fault("the ruling is yet to be worked out"))
        }
    }
}

/// A claim that nobody disputed for as long as the ruleset wants is settled.
pub(crate) fn claim_due(tx: &Tx, key: Id) {
    let is_open = tx.with_state(|state| {
        let claim = state.claims.get(&key);
        claim.is_some_and(|claim| claim.standing == ClaimStanding::Claimed)
    });
    if is_open {
        settle_claim(tx, key);
    }
}

/// A claim counts like any other event from now on, and what it changed bears no mark any more.
fn settle_claim(tx: &Tx, key: Id) {
    let Some(old) = tx.with_state(|state| state.claims.get(&key).cloned()) else {
        return;
    };
    let new = Claim {
        standing: ClaimStanding::Settled,
        ..old.clone()
    };
    tx.put(key, new);
    let marked: Vec<_> = tx.with_state(|state| {
        let cells = state.cells.iter();
        let of_claim = |(_, cell): &(_, &Cell)| cell.claimed && cell.by == key.event();
        cells
            .filter(of_claim)
            .map(|(key, cell)| (key.clone(), cell.clone()))
            .collect()
    });
    for (key, cell) in marked {
        let new = Cell {
            claimed: false,
            ..cell.clone()
        };
        tx.put(key, new);
    }
}

fn make_ruling(tx: &Tx, ruling: &Ruling) {
    for effect in &ruling.effects {
        // What this very event has changed already, the closing of its matter above all, stays as it is now.
        let fits = tx.with_state(|state| effect.clone().onto(state) == *effect);
        if fits {
            tx.write(effect.clone(), Way::Set);
        }
    }
    for claim in &ruling.settled {
        settle_claim(tx, *claim);
    }
    for (seq, fate) in ruling.fates.iter().take(FATES_TOLD) {
        tx.say(NoteKind::Said, format!("event {seq}: {}", fate.word()));
    }
    let untold = ruling.fates.len().saturating_sub(FATES_TOLD);
    if untold > 0 {
        tx.say(NoteKind::Said, format!("and {untold} events more"));
    }
}
