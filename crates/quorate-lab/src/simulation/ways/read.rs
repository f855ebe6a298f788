//! What the logs of a rulebook's tests show: which clause changes what, and that it is open to those alone whom it names.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use quorate_engine::judge::{Head, Inputs, Judge};
use quorate_engine::law::Law;
use quorate_engine::query::{self, Position};
use quorate_engine::rulebook::Rulebook;
use quorate_engine::testing::{self, Recording, Runner, TestFile};
use quorate_engine::words::worded;
use quorate_engine::{LawCache, convert, offers};
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::effect::Step;
use quorate_kernel::event::Event;
use quorate_kernel::record;
use quorate_kernel::rows::Standing;
use quorate_kernel::state::{Effect, State};
use quorate_kernel::{Moment, Name, Need, PlayerId, Refusal, Span, Thing};
use quorate_law::readable;

use super::cells::{ANYBODY, ChangeWay, ChangedKind, WaysTable};

/// What is filed of one rulebook's games.
struct Files<'a> {
    table: &'a mut WaysTable,
    /// The actions of those who hold an office: whether somebody else was refused for it, and whether all others were let.
    offices: BTreeMap<Name, Office>,
    /// The kinds of which a change was taken back.
    taken_back: BTreeSet<ChangedKind>,
}

/// Whether an action is for those alone whom its clause names.
#[derive(Clone, Copy, Default)]
struct Office {
    refused: bool,
    let_in: bool,
}

/// What no patch can carry: its undoing is tried on what tests did.
const WITHOUT_PATCH: [ChangedKind; 2] = [ChangedKind::Post, ChangedKind::Dynasty];

/// Plays the tests and files what their events changed.
pub(super) fn read_tests(book: &Rulebook, table: &mut WaysTable) -> Result<()> {
    let mut files = Files {
        table,
        offices: BTreeMap::new(),
        taken_back: BTreeSet::new(),
    };
    let kept = Rc::new(book.clone());
    let find = |_: &str| Some(Rc::clone(&kept));
    testing::with_books(vec![book.name.to_string()], || {
        let laws = Arc::new(LawCache::default());
        let runner = Runner::with_laws(&find, Arc::clone(&laws));
        for (name, code) in &book.tests {
            let file = TestFile::compile(name, code, &|file| book.test_helper(file));
            let file = file.map_err(|failure| anyhow!("tests/{name}: {}", failure.message))?;
            for (test, ..) in file.tests() {
                let how = Recording {
                    secret: [7; 32],
                    later: Span(0),
                    until: Moment(i64::MAX),
                };
                // A test that founds no game changes nothing.
                if let Ok(recorded) = runner.record(&file, test, how) {
                    file_events(&recorded.events, &laws, &mut files);
                }
            }
        }
        Ok::<(), anyhow::Error>(())
    })?;
    // Whoever the table names for an action must be those whom the law lets, and nobody else.
    let open = files.offices.iter();
    let open = open.filter(|(_, office)| office.let_in && !office.refused);
    let open: Vec<String> = open.map(|(action, _)| action.to_string()).collect();
    if !open.is_empty() {
        bail!("others than its clause says may take: {}", open.join(", "));
    }
    Ok(())
}

/// Whether the law lets others take an action at that moment, and refuses somebody for an office that they don't hold.
fn try_others(event: &Event, state: &State, law: &Arc<Law>, files: &mut Files<'_>) {
    let (Act::Do { action, args }, Some(actor)) = (&event.act, event.actor.player()) else {
        return;
    };
    let Some(decl) = law
        .actions
        .get(action)
        .filter(|decl| decl.it.by.is_some() && decl.it.by.as_ref() != Some(&"player".into()))
    else {
        return;
    };
    let office = files.offices.entry(action.clone()).or_default();
    if office.refused {
        return;
    }
    let others = members(state).filter(|other| *other != actor);
    let others: Vec<PlayerId> = others.collect();
    let mut let_in = 0;
    for other in &others {
        let given = args
            .iter()
            .map(|(name, value)| (name.clone(), convert::datum(value)));
        let tried = query::run(position(event, state, law), |tx| {
            offers::tried(tx, *other, decl, given.collect())
        });
        match tried {
            Ok(()) => let_in += 1,
            Err(refusal) => {
                let role = refusal.needs.first().is_some_and(Need::is_about_who_acts);
                office.refused |= role && refusal.rule_id == decl.site.rule;
            }
        }
    }
    // Two may hold an office, and not everybody.
    office.let_in |= let_in > 1 && let_in == others.len();
}

fn members(state: &State) -> impl Iterator<Item = PlayerId> {
    let people = state.people.iter();
    let members = people.filter(|(_, person)| person.standing == Standing::Member);
    members.map(|(id, _)| *id)
}

/// Undoes an event that changed what no patch can change, as a player without an office, right after it.
fn take_back(
    past: &[Event],
    before: (&State, &Arc<Law>),
    laws: &Arc<LawCache>,
    files: &mut Files<'_>,
) {
    let Some(event) = past.last() else { return };
    let (state, law) = before;
    let mut kinds = WITHOUT_PATCH.into_iter();
    let kind = kinds.find(|kind| {
        !files.taken_back.contains(kind)
            && event
                .steps
                .iter()
                .any(|step| kind_of(state, law, &step.effect) == Some(*kind))
    });
    let Some(kind) = kind else { return };
    let mut now = state.clone();
    let effects = event.steps.iter().map(|step| &step.effect);
    if now.apply_all(effects).is_err() {
        return;
    }
    let Some(by) = members(&now).last() else {
        return;
    };
    let hash = record::hash(&record::encode(event).open);
    let head = Head {
        seq: event.seq,
        hash,
        at: event.at,
    };
    let mut judge = Judge::open(now, head, laws);
    let undo = judge.query(event.at, |tx| tx.home_of_act("undo"));
    let clause = place(judge.state(), &undo.rule, undo.clause);
    let law = Arc::clone(judge.law());
    let state = judge.state().clone();
    let command = Command {
        at: event.at,
        actor: Actor::Player(by),
        key: "take back".into(),
        act: Act::Undo {
            event: event.seq,
            picks: Vec::new(),
            reason: typed("a trial"),
        },
    };
    let inputs = Inputs {
        past,
        ..Inputs::default()
    };
    let cell = files.table.entry((kind, ChangeWay::Undo)).or_default();
    match judge.judge(&command, &inputs).event() {
        Ok(undone) if changes(&undone, &state, &law, kind) => {
            files.taken_back.insert(kind);
            cell.refused.clear();
            cell.open
                .entry(ANYBODY.to_owned())
                .or_default()
                .insert(clause);
        }
        Ok(_) => {}
        Err(refusal) if cell.open.is_empty() => {
            cell.refused.insert(refused_by(&state, &refusal));
        }
        Err(_) => {}
    }
}

fn file_events(events: &[Event], laws: &Arc<LawCache>, files: &mut Files<'_>) {
    let mut state = State::default();
    let mut law = laws.law(&state);
    let mut digest = state.law_digest();
    for (nth, event) in events.iter().enumerate() {
        let way = match &event.act {
            Act::Do { .. } | Act::Answer { .. } | Act::Decide { .. } => Some(ChangeWay::Act),
            Act::Due { .. } | Act::Downtime { .. } | Act::Sleep { .. } => Some(ChangeWay::Itself),
            Act::Apply { .. }
            | Act::Leave { .. }
            | Act::Post(_)
            | Act::EditPost { .. }
            | Act::Recategorise { .. }
            | Act::Withdraw { .. }
            | Act::Comment { .. }
            | Act::Message { .. }
            | Act::Dice { .. }
            | Act::Wake { .. }
            | Act::Abandon { .. } => Some(ChangeWay::BuiltIn),
            // These are tried.
            Act::Found(_)
            | Act::Claim { .. }
            | Act::Dispute { .. }
            | Act::Undo { .. }
            | Act::Repair { .. } => None,
        };
        if let Some(way) = way {
            for step in &event.steps {
                file_step(event, step, way, (&state, &law), files.table);
            }
            try_others(event, &state, &law, files);
            take_back(&events[..=nth], (&state, &law), laws, files);
        }
        let effects = event.steps.iter().map(|step| &step.effect);
        // What a test recorded folds.
        if state.apply_all(effects).is_err() {
            return;
        }
        let now = state.law_digest();
        // Laws that a test made are no rulebook's: what follows is about another game.
        if now != digest && event.seq.0 > 1 {
            return;
        }
        if now != digest {
            digest = now;
            law = laws.law(&state);
        }
    }
}

fn file_step(
    event: &Event,
    step: &Step,
    way: ChangeWay,
    (state, law): (&State, &Arc<Law>),
    table: &mut WaysTable,
) {
    let Some(kind) = kind_of(state, law, &step.effect) else {
        return;
    };
    // What a proposal carries is tried.
    let enacts = |action: &Name| {
        let decl = law.actions.get(action);
        decl.is_some_and(|decl| law.enacts.contains(&decl.it.body))
    };
    let carried = match &event.act {
        Act::Do { action, .. } if kind == ChangedKind::Rule => enacts(action),
        _ => !step.rule.is_empty() && !state.rules.contains_key(&step.rule),
    };
    if carried {
        return;
    }
    let (who, clause) = match &event.act {
        _ if way == ChangeWay::Itself => ("the game".to_owned(), clause(state, step)),
        Act::Do { action, .. } | Act::Answer { action, .. } => {
            let by = law.actions.get(action).and_then(|decl| decl.it.by.clone());
            let who = by.map_or_else(|| ANYBODY.to_owned(), |by| readable(by.as_str()));
            (who, clause(state, step))
        }
        other if step.rule.is_empty() => (ANYBODY.to_owned(), built_in(event, other, state, law)),
        _ => (ANYBODY.to_owned(), clause(state, step)),
    };
    let cell = table.entry((kind, way)).or_default();
    cell.open.entry(who).or_default().insert(clause);
}

/// The game as an event found it.
fn position<'a>(event: &Event, state: &'a State, law: &'a Arc<Law>) -> Position<'a> {
    Position {
        state,
        seq: event.seq,
        now: event.at,
        law,
    }
}

/// The clause that a built-in act belongs to; its own name where the law says nothing of it.
fn built_in(event: &Event, act: &Act, state: &State, law: &Arc<Law>) -> String {
    let name = act.name();
    let home = query::run(position(event, state, law), |tx| {
        tx.home_of_act(name.as_str())
    });
    match place(state, &home.rule, home.clause) {
        place if place.is_empty() => readable(name.as_str()),
        place => place,
    }
}

/// "Combat 2": where in the law a change was made.
fn clause(state: &State, step: &Step) -> String {
    place(state, &step.rule, step.clause)
}

pub(super) fn place(state: &State, rule: &Name, clause: u32) -> String {
    let title = state.rules.get(rule).map(|rule| rule.title.as_str());
    match (title, clause) {
        (None, _) => String::new(),
        (Some(title), 0) => worded(state, title),
        (Some(title), clause) => format!("{} {clause}", worded(state, title)),
    }
}

pub(super) fn refused_by(state: &State, refusal: &Refusal) -> String {
    match place(state, &refusal.rule_id, refusal.clause) {
        place if place.is_empty() => "no rule permits it".to_owned(),
        place => place,
    }
}

/// Whether an event changed something of a kind.
pub(super) fn changes(event: &Event, state: &State, law: &Law, kind: ChangedKind) -> bool {
    let mut steps = event.steps.iter();
    steps.any(|step| kind_of(state, law, &step.effect) == Some(kind))
}

/// The section that a dynasty's rules go to.
pub(super) fn dynastic(state: &State) -> Name {
    let about = state.about.get(&());
    about.map_or_else(Name::default, |about| about.new_rules.clone())
}

/// What kind of thing an effect changes; none where nobody would call it a change.
pub(super) fn kind_of(state: &State, law: &Law, effect: &Effect) -> Option<ChangedKind> {
    match effect {
        Effect::Person { old, new, .. } => match (old, new) {
            (Some(old), Some(new)) if old.name != new.name => Some(ChangedKind::Name),
            (Some(old), Some(new)) if old.standing == new.standing => None,
            _ => Some(ChangedKind::Role),
        },
        Effect::Cell { key, .. } => {
            let kind = match &key.thing {
                Thing::Game => "Game",
                Thing::Player(_) => "Player",
                Thing::Post(_) | Thing::Comment(..) => return Some(ChangedKind::Post),
                Thing::Entity(_) | Thing::Row(_) | Thing::Rule(_) => {
                    return Some(ChangedKind::Value);
                }
            };
            let decl = law.value(&kind.into(), key.name.as_str())?;
            let section = &law.places.get(&decl.site.rule)?.section;
            Some(match kind {
                _ if *section == dynastic(state) => ChangedKind::Value,
                "Player" => ChangedKind::Role,
                _ => ChangedKind::Victory,
            })
        }
        Effect::Line { .. } => Some(ChangedKind::Value),
        Effect::Entity { .. } => Some(ChangedKind::Thing),
        Effect::Post { old, new, .. } => match (old, new) {
            (Some(old), Some(new)) if old.status != new.status => Some(ChangedKind::Status),
            (Some(old), Some(new)) if old.comments != new.comments => None,
            _ => Some(ChangedKind::Post),
        },
        Effect::Comment { .. } => Some(ChangedKind::Post),
        Effect::Section { .. } | Effect::Rule { .. } => Some(ChangedKind::Rule),
        Effect::Term { .. } => Some(ChangedKind::Term),
        Effect::Page { .. } => Some(ChangedKind::Page),
        Effect::Dynasty { .. } => Some(ChangedKind::Dynasty),
        Effect::About { .. }
        | Effect::Message { .. }
        | Effect::Use { .. }
        | Effect::Clock { .. }
        | Effect::Due { .. }
        | Effect::Duty { .. }
        | Effect::Open { .. }
        | Effect::Waiting { .. }
        | Effect::Claim { .. }
        | Effect::Breaks { .. }
        | Effect::Archived { .. }
        | Effect::Commitment { .. } => None,
    }
}
