//! Version 2 of the stored form: dice that wait know what they were rolled for. What has not changed since version 1 is that
//! version's. What it stores never changes.

use serde::{Deserialize, Serialize};

use super::frozen::{Frozen, frozen_enums, frozen_structs};
use super::v1::{
    About, Act, Actor, Archived, Breaks, Cell, CellKey, Claim, ClauseKey, Clock, ClockKey, Comment,
    CommentKey, Commitment, Die, Due, DueKey, Duty, Dynasty, Entity, Line, LineKey, Message, Note,
    Open, OpenKey, Outcome, PageText, Person, Post, Rule, Section, SeedId, Tape, Term, Use, UseKey,
    Value, Way,
};
use crate::digest::Digest;
use crate::ids::{EntityId, EventSeq, Id, MessageId, PlayerId, PostId};
use crate::name::Name;
use crate::seal::Sealed;
use crate::time::Moment;

/// The types of today.
mod live {
    pub(super) use crate::effect::{Effect, Step};
    pub(super) use crate::event::Event;
    pub(super) use crate::rows::Waiting;
}

frozen_structs! {
    Event {
        seq: EventSeq,
        at: Moment,
        actor: Actor,
        hidden_actor: Option<Sealed<PlayerId>>,
        key: Name,
        act: Act,
        law: Digest,
        outcome: Outcome,
        tape: Tape,
        steps: Vec<Step>,
        notes: Vec<Note>,
        previous: Digest,
    }

    Step { effect: Effect, way: Way, rule: Name, clause: u32 }
    Waiting { seed: SeedId, dice: Vec<Die>, rolled_for: Option<Vec<(Name, Value)>> }
}

// Effects.
frozen_enums! {
    Effect {
        About { key: (), old: Option<About>, new: Option<About> },
        Person { key: PlayerId, old: Option<Person>, new: Option<Person> },
        Cell { key: CellKey, old: Option<Cell>, new: Option<Cell> },
        Line { key: LineKey, old: Option<Line>, new: Option<Line> },
        Entity { key: EntityId, old: Option<Entity>, new: Option<Entity> },
        Post { key: PostId, old: Option<Post>, new: Option<Post> },
        Comment { key: CommentKey, old: Option<Comment>, new: Option<Comment> },
        Message { key: MessageId, old: Option<Message>, new: Option<Message> },
        Section { key: Name, old: Option<Section>, new: Option<Section> },
        Rule { key: Name, old: Option<Rule>, new: Option<Rule> },
        Term { key: Name, old: Option<Term>, new: Option<Term> },
        Page { key: Name, old: Option<PageText>, new: Option<PageText> },
        Use { key: UseKey, old: Option<Use>, new: Option<Use> },
        Clock { key: ClockKey, old: Option<Clock>, new: Option<Clock> },
        Due { key: DueKey, old: Option<Due>, new: Option<Due> },
        Duty { key: Id, old: Option<Duty>, new: Option<Duty> },
        Open { key: OpenKey, old: Option<Open>, new: Option<Open> },
        Waiting { key: OpenKey, old: Option<Waiting>, new: Option<Waiting> },
        Claim { key: Id, old: Option<Claim>, new: Option<Claim> },
        Dynasty { key: u32, old: Option<Dynasty>, new: Option<Dynasty> },
        Breaks { key: ClauseKey, old: Option<Breaks>, new: Option<Breaks> },
        Archived { key: CellKey, old: Option<Archived>, new: Option<Archived> },
        Commitment { key: EventSeq, old: Option<Commitment>, new: Option<Commitment> },
    }
}
