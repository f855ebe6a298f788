//! One of everything that a log can hold.

use std::sync::Arc;

use quorate_kernel::audience::Audience;
use quorate_kernel::command::{Act, Actor, Founding, FoundingRule, NewPost};
use quorate_kernel::digest::Digest;
use quorate_kernel::effect::{Effect, Step, Way};
use quorate_kernel::event::{Event, Note, NoteKind, NoteTopic, Outcome};
use quorate_kernel::ids::{ClaimId, DutyId, MessageId};
use quorate_kernel::law::{Rule, Section, Term};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{
    About, Archived, Asked, Author, Breaks, Cell, CellKey, Claim, ClaimStanding, ClauseKey, Clock,
    ClockKey, Comment, CommentKey, Commitment, Due, DueKey, Duty, Dynasty, Entity, IconUse, Line,
    LineKey, Message, Open, OpenKey, PageText, Person, Post, Standing, Use, UseKey, Waiting,
};
use quorate_kernel::seal::{Content, Sealed};
use quorate_kernel::tape::{Chosen, DiceKey, Die, SeedId, Tape};
use quorate_kernel::{
    CommentId, EntityId, EventSeq, Id, Moment, Name, Need, Picture, PlayerId, PostId, Refusal,
    Span, Square, Thing, Value,
};

/// An event that holds nothing but what every event does.
fn plain() -> Event {
    Event {
        seq: EventSeq(300),
        at: Moment(1_900_000_000_000),
        actor: Actor::Player(player()),
        hidden_actor: None,
        key: "a key".into(),
        act: Act::Wake {
            clause: clause_key(),
        },
        law: Digest::of(b"law"),
        outcome: Outcome::Done,
        tape: Tape::default(),
        steps: vec![],
        notes: vec![],
        previous: Digest::of(b"before"),
    }
}

/// The events, each under a name of its own.
pub(crate) fn events() -> Vec<(String, Event)> {
    let mut events = Vec::new();
    let mut add = |name: String, event| events.push((name, event));
    for (nth, act) in acts().into_iter().enumerate() {
        add(format!("act-{}", nth + 1), Event { act, ..plain() });
    }
    for (nth, effect) in effects().into_iter().enumerate() {
        let way = [Way::Set, Way::Add, Way::Put, Way::Take][nth % 4];
        let step = Step {
            effect: effect.clone(),
            way,
            rule: "votes".into(),
            clause: 3,
        };
        let back = Step {
            effect: effect.inverse(),
            way: Way::Set,
            rule: Name::default(),
            clause: 0,
        };
        let steps = vec![step, back];
        add(format!("effect-{}", nth + 1), Event { steps, ..plain() });
    }
    for (nth, outcome) in outcomes().into_iter().enumerate() {
        add(format!("outcome-{}", nth + 1), Event { outcome, ..plain() });
    }
    for (nth, actor) in actors().into_iter().enumerate() {
        let hidden_actor = (actor == Actor::Hidden).then(|| Sealed::close(player(), [5; 16]));
        let event = Event {
            actor,
            hidden_actor,
            ..plain()
        };
        add(format!("actor-{}", nth + 1), event);
    }
    let notes = notes();
    let tape = tape();
    add(
        "tape-and-notes".to_owned(),
        Event {
            tape,
            notes,
            ..plain()
        },
    );
    events
}

/// Events that version 1 cannot hold.
pub(crate) fn events_of_2() -> Vec<(String, Event)> {
    let waiting = Waiting {
        seed: seed(),
        dice: tape().dice,
        rolled_for: Some(
            values()
                .into_iter()
                .map(|value| ("prey".into(), value))
                .collect(),
        ),
    };
    let key = OpenKey {
        who: player(),
        action: "step".into(),
    };
    let step = Step {
        effect: Effect::Waiting {
            key,
            old: None,
            new: Some(waiting),
        },
        way: Way::Set,
        rule: Name::default(),
        clause: 0,
    };
    let steps = vec![step];
    let patch = Patch {
        clauses: later_clauses(),
    };
    let act = Act::Repair {
        patch: Sealed::close(patch, [78; 16]),
        reason: words("a newer library"),
    };
    vec![(
        "waiting".to_owned(),
        Event {
            act,
            steps,
            ..plain()
        },
    )]
}

/// Clauses that came later.
fn later_clauses() -> Vec<Clause> {
    vec![Clause::ChangeEdition { edition: 2 }]
}

/// One of each clause.
pub(crate) fn all_clauses() -> Vec<Clause> {
    let mut all = clauses();
    all.extend(later_clauses());
    all
}

/// A clause of a rule.
fn clause_key() -> ClauseKey {
    ClauseKey {
        rule: "votes".into(),
        fence: 2,
    }
}

fn id(seq: u64, ordinal: u16) -> Id {
    Id::new(EventSeq(seq), ordinal)
}

fn player() -> PlayerId {
    PlayerId(id(7, 0))
}

fn post() -> PostId {
    PostId(id(40, 1))
}

fn words(text: &str) -> Sealed<str> {
    Sealed::close(text, [u8::try_from(text.len()).expect("a short text"); 16])
}

fn patch() -> Sealed<Patch> {
    let patch = Patch { clauses: clauses() };
    Sealed::close(patch.unsealed(), [77; 16])
}

/// One of each value, with one of each thing.
pub(crate) fn values() -> Vec<Value> {
    let picture = Picture::new(80, 60, Digest::of(b"seen"), "iVBORw0KGgo=");
    let mut values = vec![
        Value::None,
        Value::Flag(true),
        Value::Int(-70_000),
        Value::Word("red".into()),
        Value::Text(words("what somebody wrote")),
        Value::Moment(Moment(1_900_000_000_001)),
        Value::Span(Span::hours(-3)),
        Value::Square(Square {
            board: "sea".into(),
            column: 3,
            row: 300,
        }),
        Value::Picture(Arc::new(picture.sealed([9; 16]))),
    ];
    values.extend(things().into_iter().map(Value::Thing));
    values.push(Value::list([
        Value::Int(1),
        Value::Text(words("in a list")),
    ]));
    // A seal within a seal would lose its content, so what is hidden is all open inside: a picture's file too.
    values.push(Value::list(values.clone()).hidden([5; 16]));
    values
}

/// One of each thing.
pub(crate) fn things() -> Vec<Thing> {
    vec![
        Thing::Game,
        Thing::Player(player()),
        Thing::Entity(EntityId(id(41, 2))),
        Thing::Post(post()),
        Thing::Comment(post(), CommentId(id(42, 0))),
        Thing::row("Trap", "Acid"),
        Thing::Rule("idle".into()),
    ]
}

/// One of each kind of act, and what some of them may lack.
pub(crate) fn acts() -> Vec<Act> {
    let args = values();
    let args = (0..)
        .zip(args)
        .map(|(n, value)| (Name::from(format!("a{n}")), value));
    let mut acts = vec![
        Act::Found(Box::new(founding())),
        Act::Apply {
            name: words("Ada"),
            text: words("Hello!"),
        },
        Act::Leave {
            text: words("Goodbye."),
        },
        Act::Do {
            action: "trade".into(),
            args: args.collect(),
        },
        Act::Answer {
            action: "trade".into(),
            value: Value::Int(2),
        },
        Act::Abandon {
            action: "trade".into(),
        },
        Act::Decide {
            duty: DutyId(id(50, 0)),
            value: Value::Flag(false),
        },
        Act::Post(Box::new(NewPost {
            category: "proposal".into(),
            title: words("A title"),
            body: words("A body, *with stress*"),
            flavour: words("Flavour"),
            fields: vec![("stake".into(), Value::Int(3))],
            patch: Some(patch()),
        })),
        Act::Post(Box::new(NewPost {
            category: Name::default(),
            title: words(""),
            body: words("b"),
            flavour: words(""),
            fields: vec![],
            patch: None,
        })),
        Act::EditPost {
            post: post(),
            title: words("Another title"),
            body: words("Another body"),
            flavour: words("Another flavour"),
            patch: Some(patch()),
        },
        Act::Recategorise {
            post: post(),
            category: "story".into(),
        },
        Act::Withdraw { post: post() },
    ];
    acts.extend(later_acts());
    acts
}

fn later_acts() -> Vec<Act> {
    vec![
        Act::Comment {
            post: post(),
            text: words("I like it :for:"),
        },
        Act::Message {
            to: vec![player(), PlayerId(id(8, 0))],
            text: words("Between us"),
        },
        Act::Claim {
            patch: patch(),
            rule: "trade".into(),
            reason: words("The rule says so."),
        },
        Act::Dispute {
            claim: ClaimId(id(51, 0)),
            reason: words("It does not."),
        },
        Act::Undo {
            event: EventSeq(52),
            reason: words("A mistake."),
            picks: vec![("cells Game rope".to_owned(), Value::Int(4))],
        },
        Act::Dice {
            line: words("DICE100 for luck"),
        },
        Act::Wake {
            clause: clause_key(),
        },
        Act::Due { keys: due_keys() },
        Act::Downtime {
            since: Moment(1_899_000_000_000),
        },
        Act::Repair {
            patch: patch(),
            reason: words("It hung."),
        },
        Act::Sleep {
            clause: clause_key(),
            why: "it took longer than 1 s".to_owned(),
        },
    ]
}

fn founding() -> Founding {
    Founding {
        title: "A game".to_owned(),
        rulebook: "reef".into(),
        edition: 1,
        founder: words("Ada"),
        sections: vec![("core".into(), section())],
        rules: vec![FoundingRule {
            id: "votes".into(),
            section: "core".into(),
            parent: Some("matters".into()),
            title: "Votes".to_owned(),
            text: "1. One each.".into(),
            active: true,
            tags: vec!["kept".into()],
        }],
        new_rules: "dynasty".into(),
        unnamed: "A rule".to_owned(),
        terms: vec![("player".into(), term())],
    }
}

fn section() -> Section {
    Section {
        title: "Core rules".to_owned(),
        rank: 1 << 20,
    }
}

fn term() -> Term {
    Term {
        one: "sailor".to_owned(),
        many: "sailors".to_owned(),
    }
}

fn cell_key() -> CellKey {
    CellKey {
        thing: Thing::Player(player()),
        name: "gold".into(),
    }
}

/// One of each key of what falls due.
pub(crate) fn due_keys() -> Vec<DueKey> {
    vec![
        DueKey::Automatic("tide".into(), Thing::Game),
        DueKey::Recheck("is_idle".into(), Thing::Player(player())),
        DueKey::Duty(id(50, 0)),
        DueKey::Open(player(), "trade".into()),
        DueKey::Claim(id(51, 0)),
    ]
}

/// A row that came to be.
macro_rules! made {
    ($effect:ident, $key:expr, $row:expr) => {
        Effect::$effect {
            key: $key,
            old: None,
            new: Some($row),
        }
    };
}

/// One of each kind of effect, and of rows that have kinds.
pub(crate) fn effects() -> Vec<Effect> {
    let mut effects = of_people_and_values();
    effects.extend(of_posts());
    effects.extend(of_messages_and_pages());
    effects.extend(of_the_law());
    effects.extend(of_what_runs());
    effects.extend(of_what_waits());
    effects
}

fn of_people_and_values() -> Vec<Effect> {
    let mut effects = vec![made!(
        About,
        (),
        About {
            title: "A game".to_owned(),
            rulebook: "reef".into(),
            edition: 1,
            founded_at: Moment(5),
            new_rules: "dynasty".into(),
            unnamed: "A rule".to_owned(),
        }
    )];
    for standing in [
        Standing::Applicant,
        Standing::Member,
        Standing::Left,
        Standing::Barred,
    ] {
        let row = Person {
            name: words("Ada"),
            standing,
            applied_at: Moment(5),
            joined_at: Some(Moment(6)),
            left_at: (standing == Standing::Left).then_some(Moment(7)),
            seen_at: Moment(8),
        };
        effects.push(made!(Person, player(), row));
    }
    let key = cell_key();
    effects.push(Effect::Cell {
        key: key.clone(),
        old: Some(cell(Value::Int(3))),
        new: Some(cell(Value::list(values()))),
    });
    let line = Line {
        who: Some(player()),
        amount: -5,
        what: "toll".to_owned(),
        at: Moment(9),
    };
    effects.push(made!(
        Line,
        LineKey {
            cell: key.clone(),
            id: id(60, 3)
        },
        line
    ));
    effects.push(made!(
        Entity,
        EntityId(id(41, 2)),
        Entity {
            kind: "Crate".into(),
            made_at: Moment(10),
        }
    ));
    effects.push(made!(
        Archived,
        key,
        Archived {
            value: Value::Text(words("what it held")),
            at: Moment(11),
        }
    ));
    effects
}

fn cell(value: Value) -> Cell {
    Cell {
        value,
        at: Moment(12),
        by: EventSeq(13),
        claimed: true,
    }
}

fn of_posts() -> Vec<Effect> {
    let mut effects = Vec::new();
    let authors = [
        Author::Named(player()),
        Author::Hidden(Sealed::close(player(), [3; 16])),
        Author::Game,
    ];
    let audiences = [
        Audience::Everybody,
        Audience::Players(vec![player()]),
        Audience::Server,
    ];
    for (author, audience) in authors.into_iter().zip(audiences) {
        let is_hidden = matches!(author, Author::Hidden(_));
        effects.push(made!(
            Post,
            post(),
            Post {
                category: "proposal".into(),
                author: author.clone(),
                at: Moment(20),
                open_at: Moment(21),
                edited_at: is_hidden.then_some(Moment(22)),
                title: words("A title"),
                tags: vec!["core".into()],
                body: words("A body"),
                flavour: words("Flavour"),
                status: "enacted".into(),
                closed_at: Some(Moment(23)),
                closed_by: Some(player()),
                note: words("A note"),
                patch: (!is_hidden).then(patch),
                audience: audience.clone(),
                comments: 4,
            }
        ));
        effects.push(made!(
            Comment,
            CommentKey {
                post: post(),
                id: CommentId(id(42, 0))
            },
            Comment {
                author,
                at: Moment(24),
                text: words("I like it :for:"),
                icons: vec![IconUse {
                    name: "for".into(),
                    counted: true,
                }],
                audience,
            }
        ));
    }
    effects
}

fn of_messages_and_pages() -> Vec<Effect> {
    vec![
        made!(
            Message,
            MessageId(id(43, 0)),
            Message {
                from: Some(player()),
                to: vec![PlayerId(id(8, 0))],
                at: Moment(25),
                text: words("Between us"),
            }
        ),
        made!(
            Page,
            "map".into(),
            PageText {
                text: words("A map"),
                by: EventSeq(26),
            }
        ),
    ]
}

fn of_the_law() -> Vec<Effect> {
    vec![
        made!(Section, "core".into(), section()),
        made!(
            Rule,
            "votes".into(),
            Rule {
                section: "core".into(),
                parent: Some("matters".into()),
                rank: 2 << 20,
                title: "Votes".to_owned(),
                text: "1. One each.".into(),
                active: true,
                tags: vec!["kept".into()],
                changed_by: EventSeq(1),
            }
        ),
        made!(Term, "player".into(), term()),
        made!(
            Breaks,
            clause_key(),
            Breaks {
                times: 2,
                last: "division by zero".to_owned(),
                asleep: true,
            }
        ),
        made!(
            Dynasty,
            3,
            Dynasty {
                title: words("The reef"),
                leader: Some(player()),
                at: Moment(30),
                event: EventSeq(31),
                dice: Digest::of(b"key"),
            }
        ),
        made!(
            Commitment,
            EventSeq(31),
            Commitment {
                said: Digest::of(b"key"),
                shown: Some(DiceKey::of(&[1; 32], EventSeq(31))),
            }
        ),
    ]
}

fn of_what_runs() -> Vec<Effect> {
    vec![
        made!(
            Use,
            UseKey {
                slot: "trade".into(),
                event: EventSeq(61),
                who: Some(player())
            },
            Use { at: Moment(40) }
        ),
        made!(
            Clock,
            ClockKey {
                test: "is_idle".into(),
                thing: Thing::Game
            },
            Clock { since: Moment(41) }
        ),
        made!(
            Duty,
            id(50, 0),
            Duty {
                decision: "ransom".into(),
                to: player(),
                options: vec![Value::Flag(true), Value::Text(words("no"))],
                deadline: Moment(42),
                default: Value::None,
                context: vec![("sum".into(), Value::Int(9))],
                hidden: true,
                at: Moment(43),
            }
        ),
    ]
}

fn of_what_waits() -> Vec<Effect> {
    let open_key = OpenKey {
        who: player(),
        action: "trade".into(),
    };
    let mut effects = vec![
        made!(
            Open,
            open_key.clone(),
            Open {
                args: vec![("to".into(), Value::Thing(Thing::Game))],
                seed: seed(),
                tape: tape(),
                question: Asked {
                    what: "Which?".to_owned(),
                    options: values(),
                    may_decline: true,
                    default: Value::Int(1),
                },
                began_at: Moment(44),
                deadline: Moment(45),
            }
        ),
        made!(
            Waiting,
            open_key,
            Waiting {
                seed: seed(),
                dice: tape().dice,
                rolled_for: None,
            }
        ),
    ];
    for key in due_keys() {
        effects.push(made!(Due, key, Due { at: Moment(46) }));
    }
    for standing in [
        ClaimStanding::Claimed,
        ClaimStanding::Settled,
        ClaimStanding::Disputed,
        ClaimStanding::Undone,
    ] {
        let row = Claim {
            by: player(),
            at: Moment(47),
            rule: "trade".into(),
            reason: words("The rule says so."),
            standing,
            disputed_by: vec![PlayerId(id(8, 0))],
        };
        effects.push(made!(Claim, id(51, 0), row));
    }
    effects
}

fn seed() -> SeedId {
    SeedId {
        player: Some(player()),
        key: "a key".into(),
    }
}

fn tape() -> Tape {
    Tape {
        dice: vec![
            Die {
                what: "luck".to_owned(),
                sides: 100,
                result: 42,
                by: Some(player()),
            },
            Die {
                what: "line".to_owned(),
                sides: 100_000_000_000_000_000_000,
                result: 99_999_999_999_999_999_999,
                by: None,
            },
        ],
        answers: vec![Chosen {
            what: "Which?".to_owned(),
            value: Value::Int(1).hidden([6; 16]),
        }],
    }
}

/// One of each outcome.
pub(crate) fn outcomes() -> Vec<Outcome> {
    let refusal = Refusal {
        rule: "Trade".to_owned(),
        rule_id: "trade".into(),
        clause: 2,
        against: Some("idle".into()),
        needs: vec![Need {
            what: "45 gold".to_owned(),
            have: "12".to_owned(),
            need: "45".to_owned(),
            ..Need::default()
        }],
        next_at: Some(Moment(50)),
    };
    vec![
        Outcome::Done,
        Outcome::Opened(OpenKey {
            who: player(),
            action: "trade".into(),
        }),
        Outcome::Refused(refusal),
        Outcome::Lapsed(Refusal::plain("a rule that is gone")),
    ]
}

/// One of each actor.
pub(crate) fn actors() -> Vec<Actor> {
    vec![
        Actor::Player(player()),
        Actor::Newcomer,
        Actor::Game,
        Actor::Operator,
        Actor::Hidden,
    ]
}

/// One of each kind of note.
pub(crate) fn notes() -> Vec<Note> {
    [
        NoteKind::Said,
        NoteKind::Broke,
        NoteKind::Held,
        NoteKind::Skipped,
    ]
    .into_iter()
    .map(|kind| Note {
        rule: "votes".into(),
        kind,
        text: "A line".to_owned(),
        topic: NoteTopic::General,
    })
    .collect()
}

/// One of each kind of clause.
pub(crate) fn clauses() -> Vec<Clause> {
    let mut clauses = of_rules();
    clauses.extend([
        Clause::SetTerm {
            name: "player".into(),
            one: "sailor".to_owned(),
            many: "sailors".to_owned(),
        },
        Clause::RenamePlayer {
            thing: Thing::Player(player()),
            name: "Bea".to_owned(),
        },
        Clause::RemovePlayer {
            thing: Thing::Player(player()),
            bar: true,
        },
        Clause::SetPage {
            name: "map".into(),
            text: "A map".to_owned(),
        },
        Clause::SetStatus {
            post: post(),
            status: "enacted".into(),
        },
        Clause::Strike {
            events: vec![EventSeq(70)],
            uphold: vec![EventSeq(71), EventSeq(72)],
        },
        Clause::Script {
            code: "game.gold = 3".into(),
        },
        Clause::Prose {
            text: "Be kind.".to_owned(),
        },
    ]);
    let test = "votes > 3".into();
    let inner = clauses.clone();
    clauses.push(Clause::When {
        test,
        clauses: inner,
    });
    clauses
}

fn of_rules() -> Vec<Clause> {
    let id: Name = "trade".into();
    let mut clauses = vec![
        Clause::AddRule {
            id: id.clone(),
            section: "core".into(),
            parent: Some("matters".into()),
            after: None,
            title: "Trade".to_owned(),
            text: "1. Trade.".into(),
            tags: vec!["kept".into()],
        },
        Clause::AmendRule {
            id: id.clone(),
            base: "1. Trade.".into(),
            text: "1. No trade.".into(),
        },
        Clause::RenameRule {
            id: id.clone(),
            title: "Barter".to_owned(),
        },
        Clause::MoveRule {
            id: id.clone(),
            section: "dynasty".into(),
            parent: None,
            after: Some("idle".into()),
        },
        Clause::RepealRule { id: id.clone() },
        Clause::SwitchRule { id, on: false },
        Clause::AddToValue {
            thing: Thing::Game,
            name: "gold".into(),
            amount: -3,
        },
        Clause::CreateThing {
            kind: "Crate".into(),
            values: vec![("owner".into(), Value::Thing(Thing::Player(player())))],
        },
        Clause::RemoveThing {
            thing: Thing::Entity(EntityId(self::id(41, 2))),
        },
    ];
    for (thing, value) in things().into_iter().cycle().zip(values()) {
        let name = "gold".into();
        clauses.push(Clause::SetValue { thing, name, value });
    }
    clauses
}

/// The digest that votes are tied to, of a patch of all clauses.
pub(crate) fn patch_digest() -> Digest {
    let digest = Patch { clauses: clauses() }.unsealed().digest();
    assert_eq!(
        digest,
        Digest::of(&Patch { clauses: clauses() }.unsealed().to_bytes())
    );
    digest
}
