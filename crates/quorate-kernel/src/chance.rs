//! Chance: what a game's dice follow from, and how everybody can check afterwards that they did.
//!
//! All dice that fall between two commitments follow from one key. Its digest is committed to in the log before the first of them falls,
//! and the key itself is shown there as the next commitment takes over, when a dynasty ends. So no result can have been picked after
//! the commitment. What keeps texts closed follows from the same secret by another way, and is never shown.

use std::collections::BTreeMap;

use crate::command::{Act, Actor};
use crate::event::Event;
use crate::ids::EventSeq;
use crate::name::Name;
use crate::rows::{DueKey, OpenKey};
use crate::state::State;
use crate::tape::{Chosen, DiceKey, Die, SeedId};

/// A die that fell for the first time in an event, and what it must follow from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fallen {
    /// The event.
    pub event: EventSeq,
    /// The commitment that it fell under.
    pub commitment: EventSeq,
    /// What its command's seed is named by.
    pub seed: SeedId,
    /// How many dice fell for the same before.
    pub nth: u64,
    /// The die.
    pub die: Die,
    /// Whether it fell in the tracker's dice line, where dice have up to 21 digits.
    pub on_line: bool,
}

impl Fallen {
    /// Whether the die follows from a key.
    pub fn follows_from(&self, key: &DiceKey) -> bool {
        let seed = key.seed(&self.seed);
        let (what, sides) = (self.die.what.as_str(), self.die.sides);
        let small = i64::try_from(sides).map(|sides| seed.die(what, self.nth, sides).into());
        let big = || u128::try_from(sides).map(|sides| seed.big_die(what, self.nth, sides));
        // A word of the line may be a rule's, which rolls as all rules do.
        small == Ok(self.die.result) || self.on_line && big() == u128::try_from(self.die.result)
    }
}

/// The action that a command may resume or take up where it waits, and whose it is.
pub fn resumed(actor: Actor, act: &Act) -> Option<OpenKey> {
    match act {
        Act::Do { action, .. } | Act::Answer { action, .. } | Act::Abandon { action } => {
            actor.player().map(|who| OpenKey {
                who,
                action: action.clone(),
            })
        }
        Act::Due { keys } => keys.iter().find_map(|key| match key {
            DueKey::Open(who, action) => Some(OpenKey {
                who: *who,
                action: action.clone(),
            }),
            _ => None,
        }),
        _ => None,
    }
}

/// What the seed of a command is named by, and the dice that fell for it before: those of the open action that it resumes, or
/// those that wait for the player's next go at an action.
pub fn source<'a>(state: &'a State, actor: Actor, key: &Name, act: &Act) -> (SeedId, &'a [Die]) {
    if let Some(resumed) = resumed(actor, act) {
        if let Some(open) = state.open.get(&resumed) {
            return (open.seed.clone(), &open.tape.dice);
        }
        if let (Act::Do { args, .. }, Some(waiting)) = (act, state.waiting.get(&resumed))
            && waiting.are_for(args)
        {
            return (waiting.seed.clone(), &waiting.dice);
        }
    }
    let fresh = SeedId {
        player: actor.player(),
        key: key.clone(),
    };
    (fresh, &[])
}

/// The choices made in the middle of the action that a command resumes, or those that are kept with the dice of an undone one.
pub fn choices(state: &State, actor: Actor, act: &Act) -> Vec<Chosen> {
    let Some(resumed) = resumed(actor, act) else {
        return Vec::new();
    };
    if let Some(open) = state.open.get(&resumed) {
        return open.tape.answers.clone();
    }
    let waiting = state.waiting.get(&resumed);
    match (act, waiting) {
        (Act::Do { args, .. }, Some(waiting)) if waiting.are_for(args) => waiting.choices(),
        _ => Vec::new(),
    }
}

/// The dice that fell for the first time in an event, as they stand on its tape. `before` is the state that it was judged on. Of an
/// event whose actor is hidden nothing can be told.
pub fn fallen(before: &State, event: &Event) -> Vec<Fallen> {
    if event.actor == Actor::Hidden {
        return Vec::new();
    }
    let (seed, known) = source(before, event.actor, &event.key, &event.act);
    let commitment = current_commitment(before);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut fallen = Vec::new();
    for die in &event.tape.dice {
        let count = counts.entry(&die.what).or_default();
        let nth = *count;
        *count += 1;
        let mut earlier = known.iter().filter(|known| known.what == die.what);
        let is_known = earlier
            .nth(nth)
            .is_some_and(|known| known.sides == die.sides);
        // What has no sides shows 0, whatever the key.
        if is_known || die.sides <= 0 {
            continue;
        }
        fallen.push(Fallen {
            event: event.seq,
            commitment,
            seed: seed.clone(),
            nth: nth as u64,
            die: die.clone(),
            on_line: matches!(event.act, Act::Dice { .. }),
        });
    }
    fallen
}

/// The key of the dice that fall next.
pub fn current_key(secret: &[u8; 32], state: &State) -> DiceKey {
    DiceKey::of(secret, current_commitment(state))
}

/// The commitment that the next die falls under: the newest, and that of the founding before there is one.
fn current_commitment(state: &State) -> EventSeq {
    let last = state.commitments.keys().next_back();
    last.copied().unwrap_or(EventSeq(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Seed;

    const SECRET: [u8; 32] = [7; 32];

    fn id() -> SeedId {
        SeedId {
            player: None,
            key: "a command".into(),
        }
    }

    fn die(key: &DiceKey, what: &str, nth: u64, sides: i64) -> Fallen {
        Fallen {
            event: EventSeq(5),
            commitment: EventSeq(1),
            seed: id(),
            nth,
            die: Die {
                what: what.to_owned(),
                sides: sides.into(),
                result: key.seed(&id()).die(what, nth, sides).into(),
                by: None,
            },
            on_line: false,
        }
    }

    #[test]
    fn dice_follow_from_the_key_of_their_commitment_and_from_no_other() {
        let key = DiceKey::of(&SECRET, EventSeq(1));
        let fallen = die(&key, "luck", 3, 1_000_000);
        assert!(fallen.follows_from(&key));
        assert!(!fallen.follows_from(&DiceKey::of(&SECRET, EventSeq(2))));
        let mut forged = fallen;
        forged.die.result += 1;
        assert!(!forged.follows_from(&key));
    }

    #[test]
    fn dice_of_twenty_digits_follow_as_well() {
        let key = DiceKey::of(&SECRET, EventSeq(1));
        let sides = 100_000_000_000_000_000_000_u128;
        let mut fallen = die(&key, "line", 0, 1);
        fallen.die.sides = i128::try_from(sides).unwrap();
        let result = key.seed(&id()).big_die("line", 0, sides);
        fallen.die.result = i128::try_from(result).unwrap();
        assert!(!fallen.follows_from(&key), "a rule rolls no such die");
        fallen.on_line = true;
        assert!(fallen.follows_from(&key));
    }

    #[test]
    fn what_a_key_shows_says_nothing_of_what_stays_closed() {
        let dice = DiceKey::of(&SECRET, EventSeq(1)).seed(&id());
        assert_ne!(dice.salt(0), Seed::closed(&SECRET, &id()).salt(0));
    }
}
