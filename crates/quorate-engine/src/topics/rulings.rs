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

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Act, Actor, typed};
    use quorate_kernel::ids::ClaimId;
    use quorate_kernel::patch::Clause;
    use quorate_kernel::rows::ClaimStanding;
    use quorate_kernel::{EventSeq, Span};
    use quorate_law::datum::Datum;
    use quorate_law::stop::Stop;

    use super::rule_on;
    use crate::ruling::{NamedRuling, Ruling};
    use crate::tiny_game::{TinyGame, game};
    use crate::tx::Ruled;

    const GOLD: &str = r#"claims(settled_after = days(2))
gold = number("Gold", of = player)

def gain(actor: Player):
    actor.gold += 2

action("gain", gain)"#;

    fn claimed() -> TinyGame {
        let mut game = game(GOLD);
        game.claim(vec![game.set("gold", 4)]).expect("anybody may");
        game
    }

    /// How the claim stands, and whether what it changed bears a mark.
    fn standing(game: &TinyGame) -> (ClaimStanding, bool) {
        let state = game.judge.state();
        let claim = state.claims.values().next().expect("there is one");
        (
            claim.standing,
            state.cells.values().any(|cell| cell.claimed),
        )
    }

    #[test]
    fn a_claim_that_nobody_disputed_for_so_long_is_settled_and_bears_no_mark() {
        let mut game = claimed();
        assert_eq!(standing(&game), (ClaimStanding::Claimed, true));
        let settles = game.now + Span::days(2);
        game.wait(settles - Span::minutes(1));
        assert_eq!(standing(&game), (ClaimStanding::Claimed, true));
        game.wait(settles);
        assert_eq!(standing(&game), (ClaimStanding::Settled, false));
    }

    #[test]
    fn a_claim_that_somebody_disputes_is_not_settled_by_time() {
        let mut game = claimed();
        let claim = ClaimId(*game.judge.state().claims.keys().next().expect("one"));
        let reason = typed("not so");
        game.send(Actor::Player(game.anna), Act::Dispute { claim, reason })
            .expect("anybody may");
        game.wait(game.now + Span::days(3));
        assert_eq!(standing(&game), (ClaimStanding::Disputed, true));
    }

    #[test]
    fn what_is_struck_is_taken_out_of_the_game_and_the_log_tells_the_lot_of_each() {
        let mut game = game(GOLD);
        let gained = game.act("gain", &[]).expect("anybody may").seq;
        game.act("gain", &[]).expect("anybody may");
        let event = game.change(vec![Clause::Strike {
            events: vec![gained],
            uphold: Vec::new(),
        }]);
        assert_eq!(game.value("gold"), Datum::Int(2));
        let told: Vec<&str> = event.notes.iter().map(|note| note.text.as_str()).collect();
        assert!(told.contains(&"event 2: struck"), "{told:?}");
    }

    #[test]
    fn a_matter_makes_one_ruling() {
        let game = game(GOLD);
        let known = Ruled::Known(NamedRuling::default(), Ok(Ruling::default()));
        let answer = game.ask(|tx| {
            tx.set_ruled(known);
            rule_on(tx, &[EventSeq(2)], &[])
        });
        match answer {
            Err(Stop::Broken(fault)) => {
                assert_eq!(fault.text, "a matter makes one ruling at most");
            }
            other => panic!("{other:?}"),
        }
    }
}
