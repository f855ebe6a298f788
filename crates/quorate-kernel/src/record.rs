//! The stored form of events and snapshots: bytes that every later release can read.
//!
//! The first byte is the version of the form. A release may add versions; it keeps a reader for each older one, and
//! golden files in `tests/golden` hold it to that. The types of each version stand apart from the live ones, in a file of
//! their own: a live type can change, and what is stored stays as it is.

mod frozen;
mod v1;
mod v2;

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::digest::Digest;
use crate::effect::Effect;
use crate::event::Event;
use crate::ids::PlayerId;
use crate::patch::Patch;
use crate::seal::{Content, SealBytes};
use crate::sealing::SealMut;
use crate::state::State;
use crate::value::Value;
use frozen::Frozen;

/// The largest open part of an event, in bytes. A founding with its whole ruleset stays well below.
pub const EVENT_BYTES_MAX: usize = 8 << 20;

/// A version of the form. Each record is written in the oldest that holds it, so that it has the same bytes in every release.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FormVersion {
    /// The first.
    One,
    /// Dice that wait know what they were rolled for.
    Two,
}

impl FormVersion {
    /// The oldest that holds these effects.
    fn holding<'a>(mut effects: impl Iterator<Item = &'a Effect>) -> Self {
        let is_new = |effect: &Effect| match effect {
            Effect::Waiting { old, new, .. } => {
                let mut rows = old.iter().chain(new);
                rows.any(|row| row.rolled_for.is_some())
            }
            _ => false,
        };
        if effects.any(is_new) {
            Self::Two
        } else {
            Self::One
        }
    }

    /// The byte that a record of it begins with.
    const fn mark(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// An event as it is kept: the open part, and what lies beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EncodedRecord {
    /// The open part. The chain runs over exactly these bytes.
    pub open: Vec<u8>,
    /// The contents of the seals in it.
    pub seals: Vec<SealBytes>,
}

/// Bytes that are no event or snapshot of a version known here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreadable {
    /// The form is of a version that this release does not know.
    #[error(
        "the record is of version {0}, which this release does not know: it was written by a later one"
    )]
    Version(u8),
    /// The bytes are damaged.
    #[error("the record is damaged: {0}")]
    Damaged(String),
}

/// The open part of an event and the contents of its seals.
pub fn encode(event: &Event) -> EncodedRecord {
    let version = FormVersion::holding(event.steps.iter().map(|step| &step.effect));
    let open = match version {
        FormVersion::One => write::<v1::Event>(&[version.mark()], event),
        FormVersion::Two => write::<v2::Event>(&[version.mark()], event),
    };
    let mut event = event.clone();
    let mut seals = Contents::default();
    event.each_seal(&mut |seal| seals.collect(&seal));
    EncodedRecord {
        open,
        seals: seals.found,
    }
}

/// The hash of an event: of its open part, in which the hash of the event before stands.
pub fn hash(open: &[u8]) -> Digest {
    Digest::of(open)
}

/// An event from its open part; its seals are closed.
pub fn decode(open: &[u8]) -> Result<Event, Unreadable> {
    read_versioned::<v1::Event, v2::Event>(open)
}

/// A snapshot: the effects that make the state, with their seals closed.
pub fn encode_state(state: &State) -> Vec<u8> {
    open_part(&state.effects())
}

/// A snapshot and the contents of the seals in it.
pub fn encode_whole_state(state: &State) -> EncodedRecord {
    let mut effects = state.effects();
    let open = open_part(&effects);
    let mut seals = Contents::default();
    for effect in &mut effects {
        effect.seals(&mut |seal| seals.collect(&seal));
    }
    EncodedRecord {
        open,
        seals: seals.found,
    }
}

fn open_part(effects: &Vec<Effect>) -> Vec<u8> {
    write_effects(&[FormVersion::holding(effects.iter()).mark()], effects)
}

/// The effects of a snapshot; their seals are closed.
pub fn decode_state(open: &[u8]) -> Result<Vec<Effect>, Unreadable> {
    read_versioned::<Vec<v1::Effect>, Vec<v2::Effect>>(open)
}

impl State {
    /// The digest of everything the state holds. Equal states have equal digests.
    pub fn digest(&self) -> Digest {
        Digest::of(&write_effects(&[], &self.effects()))
    }
}

/// Contents of seals carry no version: the first version's types are theirs for good, and grow at their ends alone.
macro_rules! content {
    ($($content:ty as $stored:ty),+) => {$(
        impl Content for $content {
            fn to_bytes(&self) -> Vec<u8> {
                write::<$stored>(&[], self)
            }

            fn from_bytes(bytes: &[u8]) -> Option<Arc<Self>> {
                Some(Arc::new(read::<$stored>(bytes).ok()?.0))
            }
        }
    )+};
}

content!(Value as v1::Value, PlayerId as PlayerId, Patch as v1::Patch);

/// Puts contents back into an event. Gives the digests for which `found` had nothing that fits.
pub fn restore(event: &mut Event, found: &dyn Fn(Digest) -> Option<SealBytes>) -> Vec<Digest> {
    let mut missing = Vec::new();
    event.each_seal(&mut |mut seal| restore_one(&mut seal, found, &mut missing));
    missing
}

/// Puts contents back into the effects of a snapshot.
pub fn restore_effects(
    effects: &mut [Effect],
    found: &dyn Fn(Digest) -> Option<SealBytes>,
) -> Vec<Digest> {
    let mut missing = Vec::new();
    for effect in effects {
        effect.seals(&mut |mut seal| restore_one(&mut seal, found, &mut missing));
    }
    missing
}

fn restore_one(
    seal: &mut SealMut<'_>,
    found: &dyn Fn(Digest) -> Option<SealBytes>,
    missing: &mut Vec<Digest>,
) {
    let fits = found(seal.digest()).is_some_and(|bytes| seal.restore(&bytes));
    if !fits {
        missing.push(seal.digest());
    }
}

/// The contents of seals, each once.
#[derive(Default)]
struct Contents {
    known: HashSet<Digest>,
    found: Vec<SealBytes>,
}

impl Contents {
    fn collect(&mut self, seal: &SealMut<'_>) {
        if !self.known.contains(&seal.digest())
            && let Some(bytes) = seal.bytes()
        {
            self.known.insert(bytes.digest);
            self.found.push(bytes);
        }
    }
}

fn write_effects(mark: &[u8], effects: &Vec<Effect>) -> Vec<u8> {
    match FormVersion::holding(effects.iter()) {
        FormVersion::One => write::<Vec<v1::Effect>>(mark, effects),
        FormVersion::Two => write::<Vec<v2::Effect>>(mark, effects),
    }
}

fn write<T: Frozen + Serialize>(mark: &[u8], live: &T::Live) -> Vec<u8> {
    postcard::to_extend(&T::freeze(live), mark.to_vec())
        .expect("plain kernel types serialise to memory without failing")
}

fn read<T: Frozen + DeserializeOwned>(bytes: &[u8]) -> postcard::Result<(T::Live, &[u8])> {
    let (read, rest) = postcard::take_from_bytes::<T>(bytes)?;
    Ok((read.thaw(), rest))
}

fn read_versioned<One, Two>(open: &[u8]) -> Result<One::Live, Unreadable>
where
    One: Frozen + DeserializeOwned,
    Two: Frozen<Live = One::Live> + DeserializeOwned,
{
    let damaged = |what: String| Err(Unreadable::Damaged(what));
    let Some((mark, body)) = open.split_first() else {
        return damaged("it is empty".to_owned());
    };
    let read = match *mark {
        1 => read::<One>(body),
        2 => read::<Two>(body),
        version => return Err(Unreadable::Version(version)),
    };
    match read {
        Ok((live, [])) => Ok(live),
        Ok((_, rest)) => damaged(format!("{} bytes too many", rest.len())),
        Err(error) => damaged(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Act, Actor, typed};
    use crate::event::Outcome;
    use crate::ids::{EventSeq, Id, PlayerId, PostId};
    use crate::tape::Tape;
    use crate::time::Moment;

    fn event() -> Event {
        Event {
            seq: EventSeq(7),
            at: Moment(1_000),
            actor: Actor::Player(PlayerId(Id::new(EventSeq(1), 0))),
            hidden_actor: None,
            key: "k1".into(),
            act: Act::Comment {
                post: PostId(Id::new(EventSeq(5), 0)),
                text: typed("I like it :for:"),
            },
            law: Digest::of(b"law"),
            outcome: Outcome::Done,
            tape: Tape::default(),
            steps: vec![],
            notes: vec![],
            previous: Digest::default(),
        }
    }

    #[test]
    fn an_event_reads_back_whole_with_what_lies_beside_it() {
        let event = event();
        let record = encode(&event);
        let mut read = decode(&record.open).unwrap();
        assert!(
            !format!("{read:?}").contains("I like it"),
            "the open part holds no words"
        );
        let missing = restore(&mut read, &|digest| {
            record.seals.iter().find(|s| s.digest == digest).cloned()
        });
        assert_eq!(missing, []);
        assert_eq!(read, event);
        assert!(format!("{read:?}").contains("I like it"));
    }

    #[test]
    fn words_can_be_forgotten_while_the_chain_holds() {
        let record = encode(&event());
        let mut read = decode(&record.open).unwrap();
        let missing = restore(&mut read, &|_| None);
        assert_eq!(missing.len(), 1);
        assert_eq!(encode(&read).open, record.open);
    }

    #[test]
    fn damaged_bytes_are_named_as_such() {
        let record = encode(&event());
        assert!(matches!(
            decode(&record.open[..9]),
            Err(Unreadable::Damaged(_))
        ));
        assert_eq!(decode(&[99, 1]), Err(Unreadable::Version(99)));
        assert!(decode(&[]).is_err());
        let mut longer = record.open;
        longer.push(0);
        assert!(matches!(decode(&longer), Err(Unreadable::Damaged(_))));
    }
}
