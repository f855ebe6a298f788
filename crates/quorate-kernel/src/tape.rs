//! The tape: the dice and choices of one command, in the order in which they fell.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::ids::{EventSeq, PlayerId};
use crate::name::Name;
use crate::value::Value;

/// What chance and people put into one command. With the state, the law and the command it fixes the outcome.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tape {
    /// The dice, in the order rolled.
    pub dice: Vec<Die>,
    /// The choices, in the order made.
    pub answers: Vec<Chosen>,
}

/// One die.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Die {
    /// What it was rolled for.
    pub what: String,
    /// How many sides, up to 21 digits on the tracker's dice line; a die without sides shows 0.
    pub sides: i128,
    /// What it showed, before any rule changed it.
    pub result: i128,
    /// Who rolled; nobody where the game itself did.
    pub by: Option<PlayerId>,
}

/// One choice made in the middle of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// What was asked.
    pub what: String,
    /// What was chosen; none where it was declined.
    pub value: Value,
}

/// What names a seed: who acts and the key of the command. The bytes of the seed follow from it under a secret.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SeedId {
    /// The player, or none for the game itself.
    pub player: Option<PlayerId>,
    /// The command's key; for the game itself its due moment, rule and subject.
    pub key: Name,
}

/// Thirty-two bytes from which the dice of one command follow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The seed of a command under a secret.
    pub fn derive(secret: &[u8; 32], id: &SeedId) -> Self {
        let player = id
            .player
            .map_or_else(String::new, |player| player.to_string());
        Self(Digest::keyed(secret, [player.as_bytes(), id.key.as_str().as_bytes()]).0)
    }

    /// What follows from a game's secret for one command and is never shown: the salts of what it closes, and the dice of a line of
    /// history that is judged again.
    pub fn closed(secret: &[u8; 32], id: &SeedId) -> Self {
        Self::derive(&Digest::keyed(secret, [b"closed".as_slice()]).0, id)
    }

    /// The die that is the `nth` (from 0) rolled for `what`: uniform from 1 to `sides`, 0 where there are no sides.
    ///
    /// It depends on nothing else, so that whatever is rolled around it, it stays.
    pub fn die(&self, what: &str, nth: u64, sides: i64) -> i64 {
        let Ok(sides) = u64::try_from(sides) else {
            return 0;
        };
        if sides == 0 {
            return 0;
        }
        // Draws beyond the last whole multiple of `sides` would favour low numbers; they are drawn again.
        let limit = u64::MAX - u64::MAX % sides;
        for attempt in 0_u64.. {
            let parts = [what.as_bytes(), &nth.to_le_bytes(), &attempt.to_le_bytes()];
            let draw = Digest::keyed(&self.0, parts).0;
            let draw = u64::from_le_bytes(draw[..8].try_into().expect("a digest has 32 bytes"));
            if draw < limit {
                return i64::try_from(draw % sides + 1)
                    .expect("a die of i64 sides shows at most i64::MAX");
            }
        }
        unreachable!("each attempt succeeds with a chance above one half")
    }

    /// A die of up to 21 digits, which the tracker's dice line allows: uniform from 1 to `sides`.
    pub fn big_die(&self, what: &str, nth: u64, sides: u128) -> u128 {
        if sides == 0 {
            return 0;
        }
        let limit = u128::MAX - u128::MAX % sides;
        for attempt in 0_u64.. {
            let parts = [
                what.as_bytes(),
                b"big".as_slice(),
                &nth.to_le_bytes(),
                &attempt.to_le_bytes(),
            ];
            let draw = Digest::keyed(&self.0, parts).0;
            let draw = u128::from_le_bytes(draw[..16].try_into().expect("a digest has 32 bytes"));
            if draw < limit {
                return draw % sides + 1;
            }
        }
        unreachable!("each attempt succeeds with a chance above one half")
    }

    /// The salt of the `nth` seal that the command closes.
    pub fn salt(&self, nth: u64) -> crate::seal::Salt {
        let digest = Digest::keyed(&self.0, [b"salt".as_slice(), &nth.to_le_bytes()]).0;
        digest[..16].try_into().expect("a digest has 32 bytes")
    }
}

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed(secret)")
    }
}

/// What the dice between two commitments follow from. Whoever has it knows all of them.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DiceKey([u8; 32]);

impl DiceKey {
    /// The key of the commitment that an event makes, under a game's secret.
    pub fn of(secret: &[u8; 32], commitment: EventSeq) -> Self {
        let parts = [b"dice".as_slice(), &commitment.0.to_le_bytes()];
        Self(Digest::keyed(secret, parts).0)
    }

    /// What is told of it beforehand.
    pub fn commitment(&self) -> Digest {
        Digest::of_parts([b"pledge".as_slice(), &self.0])
    }

    /// What the dice of one command follow from.
    pub fn seed(&self, id: &SeedId) -> Seed {
        Seed::derive(&self.0, id)
    }

    /// In hex digits, as it is told when it is shown.
    pub fn shown(&self) -> String {
        Digest(self.0).to_string()
    }
}

impl std::fmt::Debug for DiceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DiceKey(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed() -> Seed {
        Seed::derive(
            &[3; 32],
            &SeedId {
                player: None,
                key: Name::from("k"),
            },
        )
    }

    #[test]
    fn a_die_does_not_move_when_others_are_rolled_around_it() {
        let strength = seed().die("strength", 0, 10);
        let _ = seed().die("spoils", 0, 10);
        assert_eq!(seed().die("strength", 0, 10), strength);
        assert!((1..=10).contains(&strength));
    }

    #[test]
    fn a_die_without_sides_shows_nought() {
        assert_eq!(seed().die("x", 0, 0), 0);
        assert_eq!(seed().die("x", 0, -4), 0);
        assert_eq!(seed().big_die("x", 0, 0), 0);
    }

    #[test]
    fn dice_are_even() {
        let mut counts = [0_u32; 6];
        for nth in 0..6_000 {
            let side = usize::try_from(seed().die("even", nth, 6) - 1).unwrap();
            counts[side] += 1;
        }
        // Six thousand throws; each side has mean 1000 and deviation 29, so five deviations either way.
        assert!(
            counts.iter().all(|&n| (855..=1145).contains(&n)),
            "{counts:?}"
        );
    }
}
