//! The dice of a log, held against the keys that were committed to for them.

use quorate_kernel::EventSeq;
use quorate_kernel::chance::{Fallen, fallen};
use quorate_kernel::command::Actor;
use quorate_kernel::event::Event;
use quorate_kernel::state::{Effect, State};

/// What was found of a game's dice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DiceFound {
    /// How many follow from a key that was committed to before they fell and is shown now.
    pub proven: u64,
    /// How many nobody can check: their key is not shown yet, or it is not to be told whose they were.
    pub unproven: u64,
}

/// How many dice are kept until their key is shown. Those of a longer dynasty stay unproven.
const KEPT_MAX: usize = 200_000;

/// Goes along a log and checks the dice between two commitments when the second of them shows the key of the first.
#[derive(Default)]
pub(crate) struct DiceCheck {
    /// What fell since the last commitment.
    waiting: Vec<Fallen>,
    /// What was found so far.
    found: DiceFound,
}

impl DiceCheck {
    /// Takes in an event and the state that it was judged on. What does not hold is said.
    pub(crate) fn take(&mut self, before: &State, event: &Event) -> Result<(), String> {
        if event.actor == Actor::Hidden {
            let dice = event.tape.dice.iter().filter(|die| die.sides > 0);
            self.found.unproven += dice.count() as u64;
        }
        for die in fallen(before, event) {
            if self.waiting.len() < KEPT_MAX {
                self.waiting.push(die);
            } else {
                self.found.unproven += 1;
            }
        }
        event
            .steps
            .iter()
            .try_for_each(|step| self.look(&step.effect))
    }

    /// Checks what fell under a commitment whose key is shown.
    fn look(&mut self, effect: &Effect) -> Result<(), String> {
        let Effect::Commitment {
            key: commitment,
            new: Some(row),
            ..
        } = effect
        else {
            return Ok(());
        };
        let (Some(key), Some(kept)) = (row.shown, row.is_kept()) else {
            return Ok(());
        };
        if !kept {
            return Err(format!(
                "the key that is shown for the dice since event {commitment} is not the one that was committed to"
            ));
        }
        let of_it = |die: &Fallen| die.commitment == *commitment;
        let (of_it, others): (Vec<_>, Vec<_>) = self.waiting.drain(..).partition(of_it);
        self.waiting = others;
        let (follow, astray): (Vec<_>, Vec<_>) =
            of_it.into_iter().partition(|die| die.follows_from(&key));
        self.found.proven += follow.len() as u64;
        match astray.first() {
            None => Ok(()),
            Some(first) => Err(fault(first, astray.len())),
        }
    }

    /// What was found at the end of the log.
    pub(crate) fn found(&self) -> DiceFound {
        DiceFound {
            unproven: self.found.unproven + self.waiting.len() as u64,
            ..self.found
        }
    }
}

fn fault(first: &Fallen, count: usize) -> String {
    let EventSeq(event) = first.event;
    let die = &first.die;
    format!(
        "{count} of its dice do not follow from the key that was committed to, as those never do that the story of a demo lays down: first \
         that for \"{}\" in event {event}, which shows {}",
        die.what, die.result
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate_kernel::Moment;
    use quorate_kernel::command::Act;
    use quorate_kernel::digest::Digest;
    use quorate_kernel::effect::{Step, Way};
    use quorate_kernel::event::Outcome;
    use quorate_kernel::rows::Commitment;
    use quorate_kernel::seal::Sealed;
    use quorate_kernel::tape::{DiceKey, Die, SeedId, Tape};

    const SECRET: [u8; 32] = [3; 32];

    fn key() -> DiceKey {
        DiceKey::of(&SECRET, EventSeq(1))
    }

    fn event(seq: u64, steps: Vec<Effect>, dice: Vec<Die>) -> Event {
        let step = |effect| Step {
            effect,
            rule: "".into(),
            clause: 0,
            way: Way::Set,
        };
        Event {
            seq: EventSeq(seq),
            at: Moment(0),
            actor: Actor::Game,
            hidden_actor: None,
            key: format!("command {seq}").into(),
            act: Act::Dice {
                line: Sealed::close("DICE1000", [0; 16]),
            },
            law: Digest::default(),
            outcome: Outcome::Done,
            tape: Tape {
                dice,
                answers: Vec::new(),
            },
            steps: steps.into_iter().map(step).collect(),
            notes: Vec::new(),
            previous: Digest::default(),
        }
    }

    /// The dice of a command: two for the same, and one that has no sides.
    fn dice(seq: u64) -> Vec<Die> {
        let id = SeedId {
            player: None,
            key: format!("command {seq}").into(),
        };
        let seed = key().seed(&id);
        let die = |nth, sides| Die {
            what: "luck".to_owned(),
            sides: i128::from(sides),
            result: seed.die("luck", nth, sides).into(),
            by: None,
        };
        vec![die(0, 1_000), die(1, 0), die(2, 1_000)]
    }

    fn shows(shown: DiceKey) -> Event {
        let old = Commitment::of(&key());
        let new = Commitment {
            shown: Some(shown),
            ..old.clone()
        };
        let effect = Effect::Commitment {
            key: EventSeq(1),
            old: Some(old),
            new: Some(new),
        };
        event(9, vec![effect], Vec::new())
    }

    /// A state in which the first event's commitment stands.
    fn committed() -> State {
        let mut state = State::default();
        state
            .commitments
            .insert(EventSeq(1), Commitment::of(&key()));
        state
    }

    #[test]
    fn dice_are_proven_when_their_key_is_shown() {
        let (mut check, state) = (DiceCheck::default(), committed());
        for seq in 2..5 {
            assert_eq!(check.take(&state, &event(seq, vec![], dice(seq))), Ok(()));
        }
        let so_far = DiceFound {
            proven: 0,
            unproven: 6,
        };
        assert_eq!(check.found(), so_far);
        assert_eq!(check.take(&state, &shows(key())), Ok(()));
        let now = DiceFound {
            proven: 6,
            unproven: 0,
        };
        assert_eq!(check.found(), now);
    }

    #[test]
    fn a_die_that_was_picked_is_named_by_its_event() {
        let (mut check, state) = (DiceCheck::default(), committed());
        let mut picked = dice(2);
        picked[2].result = picked[2].result % 1_000 + 1;
        check.take(&state, &event(2, vec![], picked)).unwrap();
        let said = check.take(&state, &shows(key())).unwrap_err();
        assert!(
            said.contains("1 of its dice") && said.contains("event 2"),
            "{said}"
        );
        assert_eq!(check.found().proven, 1);
    }

    #[test]
    fn a_key_that_was_not_committed_to_is_no_proof() {
        let (mut check, state) = (DiceCheck::default(), committed());
        let other = DiceKey::of(&[4; 32], EventSeq(1));
        let said = check.take(&state, &shows(other)).unwrap_err();
        assert!(said.contains("not the one that was committed to"), "{said}");
    }
}
