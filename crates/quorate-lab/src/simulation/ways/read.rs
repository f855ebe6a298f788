//! What the logs of a rulebook's tests show: which clause changes what.

use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use quorate_engine::LawCache;
use quorate_engine::law::Law;
use quorate_engine::rulebook::Rulebook;
use quorate_engine::testing::{self, Recording, Runner, TestFile};
use quorate_engine::words::worded;
use quorate_kernel::command::Act;
use quorate_kernel::effect::Step;
use quorate_kernel::event::Event;
use quorate_kernel::state::{Effect, State};
use quorate_kernel::{Moment, Name, Refusal, Span, Thing};
use quorate_law::readable;

use super::{ANYBODY, ChangeWay, ChangedKind, WaysTable};

/// Plays the tests and files what their events changed.
pub(super) fn read_tests(book: &Rulebook, table: &mut WaysTable) -> Result<()> {
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
                    file_events(&recorded.events, &laws, table);
                }
            }
        }
        Ok(())
    })
}

fn file_events(events: &[Event], laws: &LawCache, table: &mut WaysTable) {
    let mut state = State::default();
    let mut law = laws.law(&state);
    let mut digest = state.law_digest();
    for event in events {
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
                file_step(event, step, way, (&state, &law), table);
            }
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
        other if step.rule.is_empty() => (ANYBODY.to_owned(), other.name().to_string()),
        _ => (ANYBODY.to_owned(), clause(state, step)),
    };
    let cell = table.entry((kind, way)).or_default();
    cell.open.entry(who).or_default().insert(clause);
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
