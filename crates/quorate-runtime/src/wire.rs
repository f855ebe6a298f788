//! Commands, events and refusals as bytes on their way between processes, in the stored form of events.

use std::collections::HashMap;

use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::digest::Digest;
use quorate_kernel::event::{Event, Judged, Outcome};
use quorate_kernel::record::{self, Unreadable};
use quorate_kernel::refusal::Topic;
use quorate_kernel::seal::{Salt, SealBytes};
use quorate_kernel::state::State;
use quorate_kernel::tape::Tape;
use quorate_kernel::{EventSeq, Name, Refusal};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::judge::Head;
use crate::published::{Answer, Receipt};

/// What was stored form, with the contents of its seals.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WireRecord {
    #[serde(with = "serde_bytes")]
    open: Vec<u8>,
    seals: Vec<(Digest, Salt, ByteBuf)>,
}

/// What a judge answered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum WireJudged {
    /// An event.
    Event(WireRecord),
    /// A refusal.
    Refused(WireRefusal),
    /// The log is to be handed over first.
    NeedsPast,
}

/// A refusal, with what its needs are about, which the stored form leaves out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WireRefusal {
    record: WireRecord,
    topics: Vec<Topic>,
}

/// How the law answered a command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum WireAnswer {
    /// The receipt: an event without effects, and how many bytes were written for it.
    Kept(WireRecord, u64),
    /// A refusal.
    Refused(WireRefusal),
}

impl WireRecord {
    /// An event.
    pub fn of_event(event: &Event) -> Self {
        Self::new(record::encode(event))
    }

    /// A command: an event of which nothing is known but that.
    pub fn of_command(command: &Command) -> Self {
        let mut event = blank(Outcome::Done);
        event.at = command.at;
        event.actor = command.actor;
        event.key = command.key.clone();
        event.act = command.act.clone();
        Self::of_event(&event)
    }

    /// A game's state.
    pub fn of_state(state: &State) -> Self {
        Self::new(record::encode_whole_state(state))
    }

    fn new(record: record::EncodedRecord) -> Self {
        let seals = record.seals.into_iter();
        Self {
            open: record.open,
            seals: seals
                .map(|s| (s.digest, s.salt, ByteBuf::from(s.bytes)))
                .collect(),
        }
    }

    /// Finds what lies beside it.
    fn contents(&self) -> impl Fn(Digest) -> Option<SealBytes> {
        let each = self.seals.iter();
        let by_digest: HashMap<_, _> = each.map(|seal| (seal.0, seal)).collect();
        move |wanted| {
            let (digest, salt, bytes) = by_digest.get(&wanted)?;
            Some(SealBytes {
                digest: *digest,
                salt: *salt,
                bytes: bytes.to_vec(),
            })
        }
    }

    /// The event.
    ///
    /// # Errors
    /// Fails where the bytes are none.
    pub fn event(&self) -> Result<Event, Unreadable> {
        let mut event = record::decode(&self.open)?;
        // What was closed before it was sent stays closed.
        record::restore(&mut event, &self.contents());
        Ok(event)
    }

    /// The command.
    ///
    /// # Errors
    /// Fails where the bytes are none.
    pub fn command(&self) -> Result<Command, Unreadable> {
        let event = self.event()?;
        Ok(Command {
            at: event.at,
            actor: event.actor,
            key: event.key,
            act: event.act,
        })
    }

    /// The state.
    ///
    /// # Errors
    /// Fails where the bytes are none, or their effects make no state.
    pub fn state(&self) -> Result<State, Unreadable> {
        let mut effects = record::decode_state(&self.open)?;
        record::restore_effects(&mut effects, &self.contents());
        let mut state = State::default();
        for effect in &effects {
            let taken = state.apply(effect);
            taken.map_err(|mismatch| Unreadable::Damaged(mismatch.to_string()))?;
        }
        Ok(state)
    }
}

/// An event of which nothing is known but what came of it.
fn blank(outcome: Outcome) -> Event {
    Event {
        seq: EventSeq(0),
        at: quorate_kernel::Moment(0),
        actor: Actor::Game,
        hidden_actor: None,
        key: Name::default(),
        act: Act::Due { keys: Vec::new() },
        law: Digest::default(),
        outcome,
        tape: Tape::default(),
        steps: Vec::new(),
        notes: Vec::new(),
        previous: Digest::default(),
    }
}

impl WireRefusal {
    /// A refusal.
    pub fn of(refusal: &Refusal) -> Self {
        let needs = refusal.needs.iter();
        Self {
            record: WireRecord::of_event(&blank(Outcome::Refused(refusal.clone()))),
            topics: needs.map(|need| need.topic.clone()).collect(),
        }
    }

    /// The refusal.
    ///
    /// # Errors
    /// Fails where the bytes are none.
    pub fn refusal(&self) -> Result<Refusal, Unreadable> {
        let Outcome::Refused(mut refusal) = self.record.event()?.outcome else {
            return Err(Unreadable::Damaged("it is no refusal".to_owned()));
        };
        for (need, topic) in refusal.needs.iter_mut().zip(&self.topics) {
            need.topic = topic.clone();
        }
        Ok(refusal)
    }
}

impl WireJudged {
    /// What a judge answered.
    pub fn of(judged: &Judged) -> Self {
        match judged {
            Judged::Event(event) => Self::Event(WireRecord::of_event(event)),
            Judged::Refused(refusal) => Self::Refused(WireRefusal::of(refusal)),
            Judged::NeedsPast => Self::NeedsPast,
        }
    }

    /// The same as the judge said it.
    ///
    /// # Errors
    /// Fails where the bytes are none.
    pub fn judged(&self) -> Result<Judged, Unreadable> {
        Ok(match self {
            Self::Event(record) => Judged::Event(Box::new(record.event()?)),
            Self::Refused(refusal) => Judged::Refused(refusal.refusal()?),
            Self::NeedsPast => Judged::NeedsPast,
        })
    }
}

impl WireAnswer {
    /// An answer.
    pub fn of(answer: &Answer) -> Self {
        match answer {
            Answer::Kept(receipt) => {
                let mut event = blank(receipt.outcome.clone());
                event.seq = receipt.seq;
                event.at = receipt.at;
                Self::Kept(WireRecord::of_event(&event), receipt.written)
            }
            Answer::Refused(refusal) => Self::Refused(WireRefusal::of(refusal)),
        }
    }

    /// The answer.
    ///
    /// # Errors
    /// Fails where the bytes are none.
    pub fn answer(&self) -> Result<Answer, Unreadable> {
        Ok(match self {
            Self::Kept(record, written) => Answer::Kept(Receipt {
                written: *written,
                ..Receipt::of(&record.event()?)
            }),
            Self::Refused(refusal) => Answer::Refused(refusal.refusal()?),
        })
    }
}

/// The end of a log as it goes over a wire: number, hash, moment.
pub type WireHead = (EventSeq, Digest, quorate_kernel::Moment);

/// The end of a log, to be sent.
pub fn sent_head(head: Head) -> WireHead {
    (head.seq, head.hash, head.at)
}

/// The end of a log, as it came.
pub fn come_head((seq, hash, at): WireHead) -> Head {
    Head { seq, hash, at }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::typed;
    use quorate_kernel::refusal::Need;
    use quorate_kernel::{Id, Moment, PlayerId, PostId};

    use super::*;

    fn command() -> Command {
        Command {
            at: Moment(1_000),
            actor: Actor::Player(PlayerId(Id::new(EventSeq(1), 0))),
            key: "k1".into(),
            act: Act::Comment {
                post: PostId(Id::new(EventSeq(5), 0)),
                text: typed("I like it"),
            },
        }
    }

    #[test]
    fn a_command_arrives_with_its_words() {
        let sent = command();
        let come = WireRecord::of_command(&sent).command().unwrap();
        assert_eq!(come, sent);
        assert!(format!("{come:?}").contains("I like it"));
    }

    #[test]
    fn a_refusal_arrives_with_what_it_is_about() {
        let mut sent = Refusal::plain("a name");
        sent.needs[0].topic = Topic::Argument("name".into());
        let judged = WireJudged::of(&Judged::Refused(sent)).judged().unwrap();
        let Judged::Refused(come) = judged else {
            panic!("it was a refusal")
        };
        assert_eq!(come.needs[0].topic, Topic::Argument("name".into()));
        assert_eq!(come, Refusal::plain("a name"));
        let _: &Need = &come.needs[0];
    }

    #[test]
    fn a_receipt_arrives_whole() {
        let sent = Answer::Kept(Receipt {
            seq: EventSeq(7),
            at: Moment(9),
            outcome: Outcome::Lapsed(Refusal::plain("rope")),
            written: 5,
        });
        assert_eq!(WireAnswer::of(&sent).answer().unwrap(), sent);
    }

    #[test]
    fn an_event_is_no_refusal() {
        let event = WireRecord::of_command(&command());
        let wrong = WireRefusal {
            record: event,
            topics: Vec::new(),
        };
        assert!(wrong.refusal().is_err());
    }
}
