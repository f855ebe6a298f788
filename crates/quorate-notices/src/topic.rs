//! What a notice is about, by name alone: no word of it is kept beside the game.

use std::fmt;
use std::str::FromStr;

use quorate_kernel::ids::{DutyId, MessageId};
use quorate_kernel::{CommentId, EventSeq, Name, PlayerId, PostId};
use serde::{Deserialize, Serialize};

use crate::kind::NoSuchWord;

/// What a notice is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum NoticeTopic {
    /// A post.
    Post(PostId),
    /// A comment under a post.
    Comment(PostId, CommentId),
    /// A question left to somebody.
    Duty(DutyId),
    /// An action that waits for a choice of the one who acts.
    Open(PlayerId, Name),
    /// A change made by hand, by its event.
    Claim(EventSeq),
    /// Somebody on the roster.
    Person(PlayerId),
    /// A dynasty, by number.
    Dynasty(u32),
    /// A rule.
    Rule(Name),
    /// A private message.
    Message(MessageId),
    /// A line of the law on what somebody has to do, by a digest of its words.
    Line(String),
    /// What an event did.
    Event(EventSeq),
}

impl NoticeTopic {
    /// The post that it is about or stands under.
    pub fn post(&self) -> Option<PostId> {
        match self {
            Self::Post(post) | Self::Comment(post, _) => Some(*post),
            Self::Duty(_)
            | Self::Open(..)
            | Self::Claim(_)
            | Self::Person(_)
            | Self::Dynasty(_)
            | Self::Rule(_)
            | Self::Message(_)
            | Self::Line(_)
            | Self::Event(_) => None,
        }
    }
}

impl fmt::Display for NoticeTopic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Post(post) => write!(f, "post:{post}"),
            Self::Comment(post, comment) => write!(f, "comment:{post}:{comment}"),
            Self::Duty(duty) => write!(f, "duty:{duty}"),
            Self::Open(player, action) => write!(f, "open:{player}:{action}"),
            Self::Claim(event) => write!(f, "claim:{event}"),
            Self::Person(player) => write!(f, "person:{player}"),
            Self::Dynasty(number) => write!(f, "dynasty:{number}"),
            Self::Rule(rule) => write!(f, "rule:{rule}"),
            Self::Message(message) => write!(f, "message:{message}"),
            Self::Line(digest) => write!(f, "line:{digest}"),
            Self::Event(event) => write!(f, "event:{event}"),
        }
    }
}

impl FromStr for NoticeTopic {
    type Err = NoSuchWord;

    fn from_str(text: &str) -> Result<Self, NoSuchWord> {
        read(text).ok_or_else(|| NoSuchWord(text.to_owned()))
    }
}

fn read(text: &str) -> Option<NoticeTopic> {
    let (sort, rest) = text.split_once(':')?;
    let seq = |text: &str| text.parse().ok().map(EventSeq);
    Some(match sort {
        "post" => NoticeTopic::Post(rest.parse().ok()?),
        "comment" => {
            let (post, comment) = rest.split_once(':')?;
            NoticeTopic::Comment(post.parse().ok()?, comment.parse().ok()?)
        }
        "duty" => NoticeTopic::Duty(rest.parse().ok()?),
        "open" => {
            let (player, action) = rest.split_once(':')?;
            NoticeTopic::Open(player.parse().ok()?, action.into())
        }
        "claim" => NoticeTopic::Claim(seq(rest)?),
        "person" => NoticeTopic::Person(rest.parse().ok()?),
        "dynasty" => NoticeTopic::Dynasty(rest.parse().ok()?),
        "rule" => NoticeTopic::Rule(rest.into()),
        "message" => NoticeTopic::Message(rest.parse().ok()?),
        "line" => NoticeTopic::Line(rest.to_owned()),
        "event" => NoticeTopic::Event(seq(rest)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use quorate_kernel::ids::Id;

    use super::*;

    #[test]
    fn a_topic_reads_back_as_what_it_was_written_from() {
        let id = Id::new(EventSeq(12), 3);
        let topics = [
            NoticeTopic::Post(PostId(id)),
            NoticeTopic::Comment(PostId(id), CommentId(id)),
            NoticeTopic::Duty(DutyId(id)),
            NoticeTopic::Open(PlayerId(id), "row-out".into()),
            NoticeTopic::Claim(EventSeq(7)),
            NoticeTopic::Person(PlayerId(id)),
            NoticeTopic::Dynasty(3),
            NoticeTopic::Rule("the-reef".into()),
            NoticeTopic::Message(MessageId(id)),
            NoticeTopic::Line("00ff".to_owned()),
            NoticeTopic::Event(EventSeq(9)),
        ];
        for topic in topics {
            assert_eq!(topic.to_string().parse(), Ok(topic.clone()));
        }
        for wrong in ["post", "post:x", "nothing:1", ""] {
            assert!(wrong.parse::<NoticeTopic>().is_err(), "{wrong}");
        }
    }
}
