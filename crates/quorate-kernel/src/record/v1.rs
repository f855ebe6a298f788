//! Version 1 of the stored form. What it stores never changes, for that was written to disks.
//!
//! Where a live type gets a field or a variant that need not be kept, it is named here after a semicolon, with what is read or
//! stored for it. What lines of the log and needs are about is read from their words, here and nowhere else. A variant that comes after all others may be kept here, for what was written before reads as it did. Where
//! anything else is to be kept, or a type changes otherwise, the form gets a version 2:
//!
//! - Version 2 is `v2.rs`: it declares what has changed, and takes the rest from here. Give it a version 3 likewise.
//! - `record.rs` reads all versions, and writes the oldest that holds what is written, so that an event keeps its bytes and its hash.
//! - Here, what has changed since is named so too or, in place of its declaration, an `impl Frozen` by hand.
//! - The contents of seals have no version of their own, and a seal outlives the event that it came with: the same bytes
//!   must come out of it again. So their types ([`Value`], [`Patch`], [`Clause`], and what is in them) get further variants
//!   at the end alone, and they get them here.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::frozen::{Frozen, Shared, SharedList, frozen_enums, frozen_structs};
use crate::digest::Digest;
use crate::event::NoteTopic;
use crate::ids::{ClaimId, CommentId, DutyId, EntityId, EventSeq, Id, MessageId, PlayerId, PostId};
use crate::name::Name;
use crate::refusal::Topic;
use crate::seal::Sealed;
use crate::tape::DiceKey;
use crate::time::{Moment, Span};

/// The types of today.
mod live {
    pub(super) use crate::audience::Audience;
    pub(super) use crate::command::{Act, Actor, Founding, FoundingRule, NewPost};
    pub(super) use crate::effect::{Effect, Step, Way};
    pub(super) use crate::event::{Event, Note, NoteKind, Outcome};
    pub(super) use crate::law::{Rule, Section, Term};
    pub(super) use crate::patch::{Clause, Patch};
    pub(super) use crate::picture::{Picture, Png};
    pub(super) use crate::refusal::{Need, Refusal};
    pub(super) use crate::rows::*;
    pub(super) use crate::tape::{Chosen, Die, SeedId, Tape};
    pub(super) use crate::value::{RowKey, Square, Thing, Value};
}

/// A text that lies beside the log.
type Text = Sealed<str>;

// Events.
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
    Note { rule: Name, kind: NoteKind, text: String; topic: |note: &Self| NoteTopic::of(&note.text) }

    Refusal {
        rule: String,
        rule_id: Name,
        clause: u32,
        against: Option<Name>,
        needs: Vec<Need>,
        next_at: Option<Moment>,
    }

    Need { what: String, have: String, need: String; topic: |need: &Self| Topic::of(&need.what) }
    Tape { dice: Vec<Die>, answers: Vec<Chosen> }
    Die { what: String, sides: i128, result: i128, by: Option<PlayerId> }
    Chosen { what: String, value: Value }
    SeedId { player: Option<PlayerId>, key: Name }
}

frozen_enums! {
    Outcome { Done, Opened(a: OpenKey), Refused(a: Refusal), Lapsed(a: Refusal) }
    NoteKind { Said, Broke, Held, Skipped }
    Way { Set, Add, Put, Take }
}

// Commands.
frozen_structs! {
    Founding {
        title: String,
        rulebook: Name,
        edition: u16,
        founder: Text,
        sections: Vec<(Name, Section)>,
        rules: Vec<FoundingRule>,
        new_rules: Name,
        unnamed: String,
        terms: Vec<(Name, Term)>,
    }

    FoundingRule {
        id: Name,
        section: Name,
        parent: Option<Name>,
        title: String,
        text: Arc<str>,
        active: bool,
        tags: Vec<Name>,
    }

    NewPost {
        category: Name,
        title: Text,
        body: Text,
        flavour: Text,
        fields: Vec<(Name, Value)>,
        patch: Option<Sealed<live::Patch>>,
    }
}

frozen_enums! {
    Actor { Player(a: PlayerId), Newcomer, Game, Operator, Hidden }

    Act {
        Found(a: Box<Founding>),
        Apply { name: Text, text: Text },
        Leave { text: Text },
        Do { action: Name, args: Vec<(Name, Value)> },
        Answer { action: Name, value: Value },
        Abandon { action: Name },
        Decide { duty: DutyId, value: Value },
        Post(a: Box<NewPost>),
        EditPost {
            post: PostId,
            title: Text,
            body: Text,
            flavour: Text,
            patch: Option<Sealed<live::Patch>>,
        },
        Recategorise { post: PostId, category: Name },
        Withdraw { post: PostId },
        Comment { post: PostId, text: Text },
        Message { to: Vec<PlayerId>, text: Text },
        Claim { patch: Sealed<live::Patch>, rule: Name, reason: Text },
        Dispute { claim: ClaimId, reason: Text },
        Undo { event: EventSeq, reason: Text, picks: Vec<(String, Value)> },
        Dice { line: Text },
        Wake { clause: ClauseKey },
        Due { keys: Vec<DueKey> },
        Downtime { since: Moment },
        Repair { patch: Sealed<live::Patch>, reason: Text },
        Sleep { clause: ClauseKey, why: String },
    }
}

// What seals and rows hold.
frozen_structs! {
    RowKey { table: Name, key: Name }
    Square { board: Name, column: u16, row: u16 }
    Picture { width: u16, height: u16, digest: Digest, png: Png }
    Patch { clauses: Vec<Clause> }
}

frozen_enums! {
    Value {
        None,
        Flag(a: bool),
        Int(a: i64),
        Word(a: Name),
        Text(a: Text),
        Moment(a: Moment),
        Span(a: Span),
        Square(a: Square),
        Thing(a: Thing),
        List(a: SharedList<Value>),
        Hidden(a: Sealed<live::Value>),
        Picture(a: Shared<Picture>),
    }

    Thing {
        Game,
        Player(a: PlayerId),
        Entity(a: EntityId),
        Post(a: PostId),
        Comment(a: PostId, b: CommentId),
        Row(a: Shared<RowKey>),
        Rule(a: Name),
    }

    Png { Sealed(a: Text), Open(a: Arc<str>) }

    Clause {
        AddRule {
            id: Name,
            section: Name,
            parent: Option<Name>,
            after: Option<Name>,
            title: String,
            text: Arc<str>,
            tags: Vec<Name>,
        },
        AmendRule { id: Name, base: Arc<str>, text: Arc<str> },
        RenameRule { id: Name, title: String },
        MoveRule { id: Name, section: Name, parent: Option<Name>, after: Option<Name> },
        RepealRule { id: Name },
        SwitchRule { id: Name, on: bool },
        SetValue { thing: Thing, name: Name, value: Value },
        AddToValue { thing: Thing, name: Name, amount: i64 },
        CreateThing { kind: Name, values: Vec<(Name, Value)> },
        RemoveThing { thing: Thing },
        SetTerm { name: Name, one: String, many: String },
        RenamePlayer { thing: Thing, name: String },
        RemovePlayer { thing: Thing, bar: bool },
        SetPage { name: Name, text: String },
        SetStatus { post: PostId, status: Name },
        Strike { events: Vec<EventSeq>, uphold: Vec<EventSeq> },
        Script { code: Arc<str> },
        Prose { text: String },
        When { test: Arc<str>, clauses: Vec<Clause> },
        ChangeEdition { edition: u16 },
    }
}

// The law.
frozen_structs! {
    Section { title: String, rank: i64 }

    Rule {
        section: Name,
        parent: Option<Name>,
        rank: i64,
        title: String,
        text: Arc<str>,
        active: bool,
        tags: Vec<Name>,
        changed_by: EventSeq,
    }

    Term { one: String, many: String }
}

// Rows.
frozen_structs! {
    Person {
        name: Text,
        standing: Standing,
        applied_at: Moment,
        joined_at: Option<Moment>,
        left_at: Option<Moment>,
        seen_at: Moment,
    }

    CellKey { thing: Thing, name: Name }
    Cell { value: Value, at: Moment, by: EventSeq, claimed: bool }
    LineKey { cell: CellKey, id: Id }
    Line { who: Option<PlayerId>, amount: i64, what: String, at: Moment }
    Entity { kind: Name, made_at: Moment }

    Post {
        category: Name,
        author: Author,
        at: Moment,
        open_at: Moment,
        edited_at: Option<Moment>,
        title: Text,
        tags: Vec<Name>,
        body: Text,
        flavour: Text,
        status: Name,
        closed_at: Option<Moment>,
        closed_by: Option<PlayerId>,
        note: Text,
        patch: Option<Sealed<live::Patch>>,
        audience: Audience,
        comments: u32,
    }

    CommentKey { post: PostId, id: CommentId }
    Comment { author: Author, at: Moment, text: Text, icons: Vec<IconUse>, audience: Audience }
    IconUse { name: Name, counted: bool }
    UseKey { slot: Name, event: EventSeq, who: Option<PlayerId> }
    Use { at: Moment }
    ClockKey { test: Name, thing: Thing }
    Clock { since: Moment }
    Due { at: Moment }

    Duty {
        decision: Name,
        to: PlayerId,
        options: Vec<Value>,
        deadline: Moment,
        default: Value,
        context: Vec<(Name, Value)>,
        hidden: bool,
        at: Moment,
    }

    OpenKey { who: PlayerId, action: Name }

    Open {
        args: Vec<(Name, Value)>,
        seed: SeedId,
        tape: Tape,
        question: Asked,
        began_at: Moment,
        deadline: Moment,
    }

    Waiting { seed: SeedId, dice: Vec<Die>; rolled_for: |_: &Self| None }
    Asked { what: String, options: Vec<Value>, may_decline: bool, default: Value }

    Claim {
        by: PlayerId,
        at: Moment,
        rule: Name,
        reason: Text,
        standing: ClaimStanding,
        disputed_by: Vec<PlayerId>,
    }

    Message { from: Option<PlayerId>, to: Vec<PlayerId>, at: Moment, text: Text }
    Dynasty { title: Text, leader: Option<PlayerId>, at: Moment, event: EventSeq, dice: Digest }
    Commitment { said: Digest, shown: Option<DiceKey> }
    Breaks { times: u32, last: String, asleep: bool }
    ClauseKey { rule: Name, fence: u32 }
    Archived { value: Value, at: Moment }
    PageText { text: Text, by: EventSeq }

    About {
        title: String,
        rulebook: Name,
        edition: u16,
        founded_at: Moment,
        new_rules: Name,
        unnamed: String,
    }
}

frozen_enums! {
    Standing { Applicant, Member, Left, Barred }
    Author { Named(a: PlayerId), Hidden(a: Sealed<PlayerId>), Game }

    DueKey {
        Automatic(a: Name, b: Thing),
        Recheck(a: Name, b: Thing),
        Duty(a: Id),
        Open(a: PlayerId, b: Name),
        Claim(a: Id),
    }

    ClaimStanding { Claimed, Settled, Disputed, Undone }
    Audience { Everybody, Players(a: Vec<PlayerId>), Server }
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
