//! What becomes of changes made by hand: settled by time or by a ruling, or struck.

use quorate_kernel::effect::Way;
use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::{Cell, Claim, ClaimStanding};
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Id};
use quorate_law::stop::{Answer, Stop};

use super::{Ruled, Tx};
use crate::ruling::{Named, Ruling};

/// How many events the log of a ruling tells the lot of.
const FATES_TOLD: usize = 100;

impl Tx {
    /// Strikes and upholds events: the differences of the two lines of history are changes of this event.
    pub(super) fn rule_on(&self, strike: &[EventSeq], uphold: &[EventSeq]) -> Answer<()> {
        let named = Named {
            strike: strike.iter().copied().collect(),
            uphold: uphold.iter().copied().collect(),
        };
        let known = match &*self.ruling.borrow() {
            Ruled::Known(asked, ruling) if *asked == named => Some(ruling.clone()),
            Ruled::Known(..) => {
                return Err(Stop::fault("a matter makes one ruling at most"));
            }
            Ruled::Unasked | Ruled::Wanted(_) => None,
        };
        match known {
            Some(Ok(ruling)) => {
                self.make_ruling(&ruling);
                Ok(())
            }
            Some(Err(refusal)) => Err(Stop::Refused(Box::new(refusal))),
            // Whether a ruling would come to something is not what a trial asks.
            None if self.frame().trial => Ok(()),
            None => {
                *self.ruling.borrow_mut() = Ruled::Wanted(named);
                Err(Stop::fault("the ruling is yet to be worked out"))
            }
        }
    }

    /// A claim that nobody disputed for as long as the ruleset wants is settled.
    pub(super) fn claim_due(&self, key: Id) {
        let is_open = self.with_state(|state| {
            let claim = state.claims.get(&key);
            claim.is_some_and(|claim| claim.standing == ClaimStanding::Claimed)
        });
        if is_open {
            self.settle_claim(key);
        }
    }

    /// A claim counts like any other event from now on, and what it changed bears no mark any more.
    fn settle_claim(&self, key: Id) {
        let Some(old) = self.with_state(|state| state.claims.get(&key).cloned()) else {
            return;
        };
        let new = Claim {
            standing: ClaimStanding::Settled,
            ..old.clone()
        };
        self.write(
            Effect::Claim {
                key,
                old: Some(old),
                new: Some(new),
            },
            Way::Set,
        );
        let marked: Vec<_> = self.with_state(|state| {
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
            self.write(
                Effect::Cell {
                    key,
                    old: Some(cell),
                    new: Some(new),
                },
                Way::Set,
            );
        }
    }

    fn make_ruling(&self, ruling: &Ruling) {
        for effect in &ruling.effects {
            // What this very event has changed already, the closing of its matter above all, stays as it is now.
            let fits = self.with_state(|state| effect.clone().onto(state) == *effect);
            if fits {
                self.write(effect.clone(), Way::Set);
            }
        }
        for claim in &ruling.settled {
            self.settle_claim(*claim);
        }
        for (seq, fate) in ruling.fates.iter().take(FATES_TOLD) {
            self.say(NoteKind::Said, format!("event {seq}: {}", fate.word()));
        }
        let untold = ruling.fates.len().saturating_sub(FATES_TOLD);
        if untold > 0 {
            self.say(NoteKind::Said, format!("and {untold} events more"));
        }
    }
}
