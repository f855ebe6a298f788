//! Events as data, as far as a reader may know them.

use crate::view::questions::Questions;
use quorate_engine::changes;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::effect::Step;
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::law::Term;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{Cell, CellKey};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect;
use quorate_kernel::{Name, PostId, Thing, record};
use quorate_law::datum::Datum;
use quorate_law::declare::ShownTo;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use utoipa::ToSchema;

use crate::api::data;
use crate::api::data::{PlayerRef, moment};
use crate::api::problem::RefusalData;
use crate::view::game::GameView;

/// An entry of the log.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventData {
    /// Its number.
    pub seq: u64,
    /// When it happened.
    #[schema(format = DateTime)]
    pub at: String,
    /// Whose command it was.
    pub actor: ActorData,
    /// What was done, by its code name; nothing where it is not for this reader to know.
    pub action: Option<String>,
    /// What was done, in words.
    pub title: String,
    /// Whether more happened than this reader may know.
    pub private: bool,
    /// The sender's own word for the command; told to the sender alone.
    pub key: Option<String>,
    /// What the command said.
    pub arguments: Map<String, Json>,
    /// What came of it.
    pub outcome: OutcomeWord,
    /// Why it came to nothing, where it did.
    pub refusal: Option<RefusalData>,
    /// The dice that fell, in order.
    pub dice: Vec<DieData>,
    /// What it changed, as far as this reader may see it.
    pub effects: Vec<EffectData>,
    /// What rules had to say about it.
    pub notes: Vec<String>,
    /// The digest of the law that judged it.
    pub law: String,
    /// The hash of the event before.
    pub previous: String,
    /// Its hash, which the event after it names.
    pub hash: String,
}

/// Whose command something was.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Actor)]
pub(crate) struct ActorData {
    /// Who acts.
    kind: ActorKind,
    /// Which player, where one acts and the reader may know it.
    player: Option<PlayerRef>,
}

/// Who acts.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ActorKind {
    /// A player.
    Player,
    /// Somebody who asks to join.
    Newcomer,
    /// The game itself: something fell due.
    Game,
    /// The one who runs the server.
    Operator,
    /// A player who is not named.
    Hidden,
}

/// What came of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OutcomeWord {
    /// It was done.
    Done,
    /// It waits for an answer of the one who acts.
    Waits,
    /// It was refused after its first die.
    Refused,
    /// It had begun and ended without being done.
    Lapsed,
}

/// A die that fell. Numbers are written as texts, for they may have 21 digits.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Die)]
pub(crate) struct DieData {
    /// What it was rolled for.
    what: String,
    /// How many sides it has.
    sides: String,
    /// What it showed.
    result: String,
}

/// Something that changed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "of", rename_all = "lowercase")]
#[schema(as = Effect)]
pub(crate) enum EffectData {
    /// A tracked value.
    Value {
        /// Whose, as an address.
        thing: String,
        /// Whose, as it is called.
        called: String,
        /// The value's code name.
        name: String,
        /// What it held.
        old: Json,
        /// What it holds.
        new: Json,
        /// The rule whose code did it; empty where no code did.
        rule: String,
        /// The clause of that rule.
        clause: u32,
    },
    /// A rule of the ruleset.
    Rule {
        /// Its code name.
        id: String,
        /// Its title; that of before, where it is gone.
        title: String,
        /// What became of it.
        how: RuleChange,
    },
    /// A word of the theme.
    Term {
        /// Its token.
        name: String,
        /// The words for one and for several that there were.
        old: Option<[String; 2]>,
        /// The next ones.
        new: Option<[String; 2]>,
    },
    /// A page of the game.
    Page {
        /// Its name.
        name: String,
        /// Whether it is there now.
        exists: bool,
    },
    /// Where a person stands.
    Player {
        /// Who.
        player: PlayerRef,
        /// Where they stood: nothing, `applicant`, `member`, `left` or `barred`.
        old: Option<String>,
        /// Where they stand.
        new: Option<String>,
    },
    /// A post: made, or of another status.
    Post {
        /// Its id.
        id: String,
        /// The status that it had; nothing where it is new.
        old: Option<String>,
        /// The status that it has; empty where its category has none.
        new: Option<String>,
    },
    /// Something that came into the game or left it.
    Thing {
        /// Its address.
        thing: String,
        /// The code name of its kind.
        kind: String,
        /// Whether it is there now.
        exists: bool,
    },
    /// What is said of dice: beforehand the digest of the key that they follow from, at the end the key.
    Commitment {
        /// The event from whose end on dice follow from it.
        since: u64,
        /// The digest of the key.
        said: String,
        /// The key, when it is shown.
        shown: Option<String>,
    },
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RuleChange {
    /// It is new.
    Added,
    /// It is otherwise than it was.
    Changed,
    /// It was switched on or off.
    Switched,
    /// It is gone.
    Repealed,
}

impl OutcomeWord {
    fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::Done,
            Outcome::Opened(_) => Self::Waits,
            Outcome::Refused(_) => Self::Refused,
            Outcome::Lapsed(_) => Self::Lapsed,
        }
    }
}

/// An event as the view's reader may know it.
pub(crate) fn event(view: &GameView, event: &Event) -> EventData {
    let known = knows(view, event);
    let is_doer = view.me().is_some() && view.doer(event) == view.me();
    let open = record::encode(event).open;
    let refusal = event.refusal().filter(|_| known);
    let refusal = refusal.map(|no| RefusalData::themed(view, no).under(event.law));
    EventData {
        seq: event.seq.0,
        at: moment(event.at),
        actor: actor(view, event),
        action: known.then(|| event.act.name().to_string()),
        title: if known {
            view.event_title(event)
        } else {
            "something private".to_owned()
        },
        private: !known,
        key: is_doer.then(|| event.key.to_string()),
        arguments: if known && view.may_know_given(event) {
            view.ask(|asked| arguments(view, asked, event))
        } else {
            Map::new()
        },
        outcome: OutcomeWord::of(&event.outcome),
        refusal,
        dice: if known { dice(event) } else { Vec::new() },
        effects: effects(view, &event.steps),
        notes: if known {
            event.notes.iter().map(|note| note.text.clone()).collect()
        } else {
            Vec::new()
        },
        law: event.law.to_string(),
        previous: event.previous.to_string(),
        hash: record::hash(&open).to_string(),
    }
}

/// Whether the reader may know what was done. Beyond what the log's pages ask, a post that the reader may not see is
/// private from its making on.
fn knows(view: &GameView, event: &Event) -> bool {
    let sees = |id: PostId| {
        let post = view.post(id);
        post.is_none_or(|post| view.sees_post(post))
    };
    let of_post = match &event.act {
        Act::Post(_) => event.steps.iter().all(|step| match &step.effect {
            Effect::Post { key, .. } => sees(*key),
            _ => true,
        }),
        Act::Recategorise { post, .. } | Act::Withdraw { post } => sees(*post),
        _ => true,
    };
    of_post && view.may_know(event)
}

fn actor(view: &GameView, event: &Event) -> ActorData {
    let player = view.doer(event).map(|id| PlayerRef::of(view, id));
    let kind = match event.actor {
        Actor::Player(_) => ActorKind::Player,
        Actor::Newcomer => ActorKind::Newcomer,
        Actor::Game => ActorKind::Game,
        Actor::Operator => ActorKind::Operator,
        Actor::Hidden => ActorKind::Hidden,
    };
    ActorData { kind, player }
}

fn dice(event: &Event) -> Vec<DieData> {
    let dice = event.tape.dice.iter().map(|die| DieData {
        what: die.what.clone(),
        sides: die.sides.to_string(),
        result: die.result.to_string(),
    });
    dice.collect()
}

fn arguments(view: &GameView, asked: &Questions<'_>, event: &Event) -> Map<String, Json> {
    let given = match &event.act {
        Act::Do { args, .. } => {
            let args = args.iter();
            return args
                .map(|(name, held)| (name.to_string(), data::value(asked, held.open())))
                .collect();
        }
        Act::Answer { value, .. } => json!({ "value": data::value(asked, value.open()) }),
        Act::Decide { duty, value } => {
            json!({ "question": format!("duty:{duty}"), "value": data::value(asked, value.open()) })
        }
        Act::Post(post) => json!({
            "category": post.category.as_str(), "title": post.title.as_str(), "body": post.body.as_str(),
            "flavour": post.flavour.as_str(), "changes": listed(post.patch.as_ref()),
        }),
        Act::EditPost {
            post, title, body, ..
        } => {
            json!({ "post": post.to_string(), "title": title.as_str(), "body": body.as_str() })
        }
        Act::Withdraw { post } => json!({ "post": post.to_string() }),
        Act::Recategorise { post, category } => {
            json!({ "post": post.to_string(), "category": category.as_str() })
        }
        Act::Comment { post, text } => json!({ "post": post.to_string(), "text": text.as_str() }),
        other => less_common(view, event, other),
    };
    match given {
        Json::Object(given) => given,
        _ => Map::new(),
    }
}

fn less_common(view: &GameView, event: &Event, act: &Act) -> Json {
    match act {
        Act::Message { to, text } => {
            let to: Vec<String> = to.iter().map(|id| Thing::Player(*id).to_string()).collect();
            json!({ "to": to, "text": text.as_str() })
        }
        Act::Claim {
            rule,
            reason,
            patch,
        } => {
            json!({ "rule": rule.as_str(), "reason": reason.as_str(), "changes": open_changes(view, event, patch) })
        }
        Act::Repair { reason, patch } => {
            json!({ "reason": reason.as_str(), "changes": open_changes(view, event, patch) })
        }
        Act::Dispute { claim, reason } => {
            json!({ "claim": claim.to_string(), "reason": reason.as_str() })
        }
        Act::Undo { event, reason, .. } => json!({ "event": event.0, "reason": reason.as_str() }),
        Act::Dice { line } => json!({ "line": line.as_str() }),
        Act::Apply { name, text } => json!({ "name": name.as_str(), "text": text.as_str() }),
        Act::Leave { text } => json!({ "text": text.as_str() }),
        Act::Wake { clause } => json!({ "rule": clause.rule.as_str(), "fence": clause.fence }),
        Act::Sleep { clause, why } => {
            json!({ "rule": clause.rule.as_str(), "fence": clause.fence, "why": why })
        }
        Act::Downtime { since } => json!({ "since": moment(*since) }),
        _ => Json::Null,
    }
}

/// The changes of a patch as data.
pub(crate) fn listed(patch: Option<&Sealed<Patch>>) -> Vec<changes::Change> {
    let patch = patch.and_then(Sealed::plain);
    patch.map_or_else(Vec::new, |patch| changes::changes(&patch.clauses))
}

/// The changes of a patch made by hand, without those of values that the reader may not see.
fn open_changes(view: &GameView, event: &Event, patch: &Sealed<Patch>) -> Vec<changes::Change> {
    let clauses = patch.plain().map_or(&[][..], |patch| &patch.clauses);
    let open: Vec<Clause> = clauses
        .iter()
        .filter(|clause| is_open(view, event, clause))
        .cloned()
        .collect();
    changes::changes(&open)
}

fn is_open(view: &GameView, event: &Event, clause: &Clause) -> bool {
    match clause {
        Clause::SetValue { thing, name, .. } | Clause::AddToValue { thing, name, .. } => {
            let of = CellKey {
                thing: thing.clone(),
                name: name.clone(),
            };
            view.sees_cell(&of)
                && event.steps.iter().all(|step| match &step.effect {
                    Effect::Cell { key, old, new } if *key == of => {
                        view.sees_change(key, old.as_ref(), new.as_ref())
                    }
                    _ => true,
                })
        }
        Clause::CreateThing { kind, values } => values.iter().all(|(name, _)| {
            let decl = view.law().value(kind, name.as_str());
            decl.is_none_or(|decl| decl.it.shown_to == ShownTo::All)
        }),
        Clause::When { clauses, .. } => clauses.iter().all(|clause| is_open(view, event, clause)),
        _ => true,
    }
}

/// What steps change, as far as the view's reader may see it.
pub(crate) fn effects(view: &GameView, steps: &[Step]) -> Vec<EffectData> {
    view.ask(|asked| {
        let seen = steps.iter().filter_map(|step| effect(view, asked, step));
        seen.collect()
    })
}

fn effect(view: &GameView, asked: &Questions<'_>, step: &Step) -> Option<EffectData> {
    match &step.effect {
        Effect::Cell { key, old, new } => {
            value(view, asked, step, key, (old.as_ref(), new.as_ref()))
        }
        Effect::Rule { key, old, new } => {
            let how = match (old, new) {
                (None, _) => RuleChange::Added,
                (_, None) => RuleChange::Repealed,
                (Some(old), Some(new)) if old.active != new.active => RuleChange::Switched,
                _ => RuleChange::Changed,
            };
            let rule = new.as_ref().or(old.as_ref())?;
            Some(EffectData::Rule {
                id: key.to_string(),
                title: view.themed(&rule.title),
                how,
            })
        }
        Effect::Term { key, old, new } => term(key, old.as_ref(), new.as_ref()),
        Effect::Page { key, new, .. } => Some(EffectData::Page {
            name: key.to_string(),
            exists: new.is_some(),
        }),
        Effect::Person { key, old, new } => {
            let word = |row: &Option<quorate_kernel::rows::Person>| {
                row.as_ref().map(|row| row.standing.as_str().to_owned())
            };
            let (old, new) = (word(old), word(new));
            (old != new).then(|| EffectData::Player {
                player: PlayerRef::of(view, *key),
                old,
                new,
            })
        }
        Effect::Post { key, old, new } => {
            let sees = [old, new]
                .into_iter()
                .flatten()
                .all(|row| view.sees_post(row));
            let word = |row: &Option<quorate_kernel::rows::Post>| {
                row.as_ref().map(|row| row.status.to_string())
            };
            let (old, new) = (word(old), word(new));
            (sees && old != new).then(|| EffectData::Post {
                id: key.to_string(),
                old,
                new,
            })
        }
        Effect::Entity { key, old, new } => {
            let entity = new.as_ref().or(old.as_ref())?;
            Some(EffectData::Thing {
                thing: Thing::Entity(*key).to_string(),
                kind: entity.kind.to_string(),
                exists: new.is_some(),
            })
        }
        Effect::Commitment { key, new, .. } => {
            new.as_ref().map(|commitment| EffectData::Commitment {
                since: key.0,
                said: commitment.said.to_string(),
                shown: commitment.shown.map(|key| key.shown()),
            })
        }
        _ => None,
    }
}

fn term(key: &Name, old: Option<&Term>, new: Option<&Term>) -> Option<EffectData> {
    let words = |term: &Term| [term.one.clone(), term.many.clone()];
    (old != new).then(|| EffectData::Term {
        name: key.to_string(),
        old: old.map(words),
        new: new.map(words),
    })
}

fn value(
    view: &GameView,
    asked: &Questions<'_>,
    step: &Step,
    key: &CellKey,
    (old, new): (Option<&Cell>, Option<&Cell>),
) -> Option<EffectData> {
    let sees = view.sees_change(key, old, new);
    let plain =
        |cell: Option<&Cell>| cell.map_or(Json::Null, |cell| data::value(asked, cell.value.open()));
    let (old, new) = (plain(old), plain(new));
    (sees && old != new).then(|| EffectData::Value {
        thing: key.thing.to_string(),
        called: match &key.thing {
            Thing::Game => view.title(),
            thing => asked.label(&Datum::Thing(thing.clone())),
        },
        name: key.name.to_string(),
        old,
        new,
        rule: step.rule.to_string(),
        clause: step.clause,
    })
}
