//! Events: what the log holds of each command that was judged.

use crate::command::Command;
use crate::command::{Act, Actor};
use crate::digest::Digest;
use crate::effect::Step;
use crate::ids::{EventSeq, PlayerId};
use crate::name::Name;
use crate::refusal::Refusal;
use crate::rows::OpenKey;
use crate::seal::Sealed;
use crate::sealing::{EachSeal, SealMut};
use crate::tape::Tape;
use crate::time::Moment;

/// One entry of a game's log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its number.
    pub seq: EventSeq,
    /// When it happened.
    pub at: Moment,
    /// Whose command it was.
    pub actor: Actor,
    /// Whose it was, where [`Actor::Hidden`] stands in the open part.
    pub hidden_actor: Option<Sealed<PlayerId>>,
    /// The command's key.
    pub key: Name,
    /// What was to be done.
    pub act: Act,
    /// The version of the law that judged it.
    pub law: Digest,
    /// What came of it.
    pub outcome: Outcome,
    /// Its dice and choices.
    pub tape: Tape,
    /// What it changed, in order.
    pub steps: Vec<Step>,
    /// What rule code had to say about it.
    pub notes: Vec<Note>,
    /// The hash of the event before; all zeros for the first.
    pub previous: Digest,
}

/// The end of a game's log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Head {
    /// The number of the last event; 0 where there is none.
    pub seq: EventSeq,
    /// Its hash, which the next event names as the one before; all zeros where there is none.
    pub hash: Digest,
    /// When it happened. No later event is earlier.
    pub at: Moment,
}

impl Head {
    /// The end of a log without events.
    pub const START: Self = Self {
        seq: EventSeq(0),
        hash: Digest([0; 32]),
        at: Moment(0),
    };
}

/// What a judge answers to a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judged {
    /// It became an event, which the judge's own state holds already.
    Event(Box<Event>),
    /// It was refused before its first die: nothing is kept of it.
    Refused(Refusal),
    /// It makes a ruling, for which the whole log must be at hand, from its first event: nothing happened yet.
    NeedsPast,
}

impl Judged {
    /// The event, or why there is none.
    pub fn event(self) -> Result<Event, Refusal> {
        match self {
            Self::Event(event) => Ok(*event),
            Self::Refused(refusal) => Err(refusal),
            Self::NeedsPast => Err(Refusal::plain("the whole log at hand, to make a ruling")),
        }
    }
}

/// What came of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was done.
    Done,
    /// It waits for a choice of the one who acts.
    Opened(OpenKey),
    /// It was refused after its first die. Nothing changed, but the die is known, and waits for the next try.
    Refused(Refusal),
    /// An open action ended without being done: refused at its completion, given up, or its rule gone.
    Lapsed(Refusal),
}

/// A line in the log.
#[derive(Clone, Eq, Debug)]
pub struct Note {
    /// The rule that wrote it; empty where the engine did.
    pub rule: Name,
    /// What kind of line it is.
    pub kind: NoteKind,
    /// The line.
    pub text: String,
    /// What it is about. The log keeps the line alone: `record::v1` reads this from it.
    pub topic: NoteTopic,
}

/// What it is about makes no difference: a line from the log is the same as the one that was written.
impl PartialEq for Note {
    fn eq(&self, other: &Self) -> bool {
        (&self.rule, self.kind, &self.text) == (&other.rule, other.kind, &other.text)
    }
}

/// What a line in the log is about, so that nobody has to find that out from its words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum NoteTopic {
    /// Nothing that has a name.
    #[default]
    General,
    /// An icon in a comment that does not count.
    Uncounted {
        /// The icon.
        icon: Name,
        /// Why it does not count.
        why: String,
    },
    /// A change that the law left out of those that it made: this one.
    LeftOut(String),
}

impl NoteTopic {
    const UNCOUNTED: &str = " is no vote here: ";
    const LEFT_OUT: &str = "left out: ";

    /// The line in the log.
    pub fn line(&self) -> String {
        match self {
            Self::General => String::new(),
            Self::Uncounted { icon, why } => {
                let icon = icon.as_str().to_uppercase();
                format!("{icon}{}{why}", Self::UNCOUNTED)
            }
            Self::LeftOut(change) => format!("{}{change}", Self::LEFT_OUT),
        }
    }

    /// What a line is about that was read from the log.
    pub(crate) fn of(line: &str) -> Self {
        if let Some(change) = line.strip_prefix(Self::LEFT_OUT) {
            return Self::LeftOut(change.to_owned());
        }
        match line.split_once(Self::UNCOUNTED) {
            Some((icon, why)) => Self::Uncounted {
                icon: icon.to_lowercase().into(),
                why: why.to_owned(),
            },
            None => Self::General,
        }
    }
}

/// What a line in the log is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoteKind {
    /// A rule says something.
    Said,
    /// A rule broke and its part was left out.
    Broke,
    /// Something that was to happen by itself did not, for the law refused it.
    Held,
    /// A change of the law could not be made as written.
    Skipped,
}

impl Event {
    /// Why it came to nothing, if it did. An action that its player gave up lapsed as they wished.
    pub fn refusal(&self) -> Option<&Refusal> {
        match &self.outcome {
            Outcome::Done | Outcome::Opened(_) => None,
            Outcome::Lapsed(_) if matches!(self.act, Act::Abandon { .. }) => None,
            Outcome::Refused(refusal) | Outcome::Lapsed(refusal) => Some(refusal),
        }
    }

    /// The command that was judged, its sender known as far as the seal is at hand.
    pub fn command(&self) -> Command {
        let known = self
            .hidden_actor
            .as_ref()
            .and_then(Sealed::plain)
            .copied()
            .map(Actor::Player);
        Command {
            at: self.at,
            actor: known.unwrap_or(self.actor),
            key: self.key.clone(),
            act: self.act.clone(),
        }
    }

    /// Visits every seal of the event.
    pub fn each_seal(&mut self, visit: &mut dyn FnMut(SealMut<'_>)) {
        self.hidden_actor.each_seal(visit);
        self.act.each_seal(visit);
        self.tape.each_seal(visit);
        for step in &mut self.steps {
            step.effect.seals(visit);
        }
    }
}
