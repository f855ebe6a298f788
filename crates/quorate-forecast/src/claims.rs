//! What was claimed under a rule while it had no code, held against the code that is to come.
//!
//! On a copy each claim's values are set back to what they were before it, all else being as today, and it is made once
//! more by the same player under the law that would be, and under that of today: what only the new one refuses, or brings
//! to another end, counts.

use std::collections::BTreeMap;

use quorate_engine::judge::{Inputs, Judge};
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::effect::{Effect, Step};
use quorate_kernel::event::{Event, NoteKind};
use quorate_kernel::law::Rule;
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::{Cell, CellKey, Claim, ClaimStanding};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, Moment, Name, Refusal, Thing};
use quorate_law::RuleText;
use serde::Serialize;

use crate::alone::content;
use crate::consequence::{Called, Consequence, RuleFate};
use crate::fork::{Fork, outcome, strikes, trial_command};
use crate::shape;
use crate::trial::PatchTrial;

/// How many claims are held against new code, the newest first.
pub(crate) const CLAIMS: usize = 40;

/// What becomes of the claims on rules to which a patch brings code. Nothing was claimed where all of it is empty.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Claims {
    /// Those that the code would have refused, or brought to another end.
    pub against: Vec<RefusedClaim>,
    /// How many would stand as before.
    pub same: usize,
    /// How many could not be made again today either.
    pub no_more: usize,
    /// How many were not tried, and why.
    pub untried: BTreeMap<Untried, usize>,
    /// How many are left because they are too many, or because the time was over.
    pub left: usize,
    /// Whether the time was over.
    pub ended_early: bool,
}

/// Why a claim is not made again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Untried {
    /// What is hidden from the reader is part of it.
    Hidden,
    /// A rule that it changed has been changed since.
    MovedOn,
    /// It holds a ruling.
    Ruling,
    /// The log does not give it.
    Unread,
}

/// A claim to which the code makes a difference.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RefusedClaim {
    /// The event that it is.
    pub event: EventSeq,
    /// Who made it.
    pub by: Called,
    /// Whether it has settled.
    pub settled: bool,
    /// Whether somebody disputes it.
    pub disputed: bool,
    /// What it changed.
    pub made: Vec<Consequence>,
    /// What it would come to.
    pub end: ClaimEnd,
}

/// What comes of a claim that is made again.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimEnd {
    /// It could not be made.
    Refused(#[serde(serialize_with = "shape::refusal")] Refusal),
    /// A part of it could not be made, in the engine's words.
    LeftOut(String),
    /// It comes to other values and texts: what each is after the claim of then, and after this one.
    Otherwise(Vec<Consequence>),
    /// It stands.
    Same,
    /// It was not made.
    Untried(Untried),
}

/// Makes claims again. Nothing is tried where no code comes to a rule, or nothing was claimed under it in this dynasty.
pub(crate) fn claims(fork: &Fork<'_>, trial: &PatchTrial) -> Claims {
    let state = fork.judge.state();
    let rules = newly_coded(fork, trial);
    let begun = state.dynasties.values().next_back();
    let begun = begun.map_or(Moment(i64::MIN), |dynasty| dynasty.at);
    let of_rules = state.claims.iter().rev().filter(|(_, claim)| {
        rules.contains(&claim.rule) && claim.at >= begun && claim.standing != ClaimStanding::Undone
    });
    let made: Vec<_> = of_rules.collect();
    let mut sum = Claims {
        left: made.len(),
        ..Claims::default()
    };
    for (id, claim) in made.iter().take(CLAIMS) {
        if fork.is_over() {
            sum.ended_early = true;
            break;
        }
        sum.left -= 1;
        match again(fork, trial, id.event(), claim) {
            MadeAgain::Same => sum.same += 1,
            MadeAgain::NoMore => sum.no_more += 1,
            MadeAgain::Untried(why) => *sum.untried.entry(why).or_default() += 1,
            MadeAgain::Against(claim) => sum.against.push(*claim),
        }
    }
    sum
}

/// What making a claim again shows.
enum MadeAgain {
    Same,
    NoMore,
    Untried(Untried),
    Against(Box<RefusedClaim>),
}

fn again(fork: &Fork<'_>, trial: &PatchTrial, seq: EventSeq, claim: &Claim) -> MadeAgain {
    let Some(event) = fork.past.event(seq) else {
        return MadeAgain::Untried(Untried::Unread);
    };
    let patch = match retried(fork, &event) {
        Ok(patch) => patch,
        Err(why) => return MadeAgain::Untried(why),
    };
    match claimed_again(fork, &trial.judge, claim, patch, &event) {
        ClaimEnd::Same => MadeAgain::Same,
        ClaimEnd::Untried(why) => MadeAgain::Untried(why),
        end if end == claimed_again(fork, &fork.judge, claim, patch, &event) => MadeAgain::NoMore,
        end => MadeAgain::Against(Box::new(RefusedClaim {
            event: event.seq,
            by: fork.player(claim.by),
            settled: claim.standing == ClaimStanding::Settled,
            disputed: claim.standing == ClaimStanding::Disputed,
            made: made(fork, &event),
            end,
        })),
    }
}

/// The rules whose code is new, or other than it was.
fn newly_coded(fork: &Fork<'_>, trial: &PatchTrial) -> Vec<Name> {
    let code = |judge: &Judge, id: &Name| -> Option<Vec<String>> {
        let rule = judge.state().rules.get(id)?;
        let fences = RuleText::parse(&rule.text).fences.into_iter();
        Some(fences.map(|fence| fence.code).collect())
    };
    let is_new = |id: &Name| {
        let new = code(&trial.judge, id);
        new.as_ref().is_some_and(|new| !new.is_empty()) && new != code(&fork.judge, id)
    };
    trial.touched_rules().into_iter().filter(is_new).collect()
}

/// The changes of a claim, if the reader may see all that came of them.
fn retried<'e>(fork: &Fork<'_>, event: &'e Event) -> Result<&'e Patch, Untried> {
    let Act::Claim { patch, .. } = &event.act else {
        return Err(Untried::Unread);
    };
    let view = fork.view();
    let sees = |step: &Step| match &step.effect {
        Effect::Cell { key, old, new } => view.change(key, old.as_ref(), new.as_ref()),
        _ => true,
    };
    match patch.plain().filter(|_| event.steps.iter().all(sees)) {
        Some(patch) if patch.clauses.iter().any(strikes) => Err(Untried::Ruling),
        Some(patch) => Ok(patch),
        None => Err(Untried::Hidden),
    }
}

/// What comes of a claim that is made again on a copy.
fn claimed_again(
    fork: &Fork<'_>,
    judge: &Judge,
    claim: &Claim,
    patch: &Patch,
    event: &Event,
) -> ClaimEnd {
    let Some(state) = before_claim(judge.state(), event) else {
        return ClaimEnd::Untried(Untried::MovedOn);
    };
    let mut judge = judge.elsewhere(state);
    let act = Act::Claim {
        patch: Sealed::close(patch.clone(), [0; 16]),
        rule: claim.rule.clone(),
        reason: claim.reason.clone(),
    };
    let command = trial_command(fork.now, Actor::Player(claim.by), act);
    match outcome(judge.judge(&command, &Inputs::default())) {
        Err(refusal) => ClaimEnd::Refused(refusal),
        Ok(done) => {
            let mut notes = done.notes.into_iter();
            match notes.find(|note| note.kind == NoteKind::Skipped) {
                Some(note) => ClaimEnd::LeftOut(note.text),
                None => compared(fork, &judge, event),
            }
        }
    }
}

/// Whether what was claimed comes to what it came to then.
fn compared(fork: &Fork<'_>, judge: &Judge, event: &Event) -> ClaimEnd {
    let mut other = Vec::new();
    let made = things_made(event);
    for (key, _, new) in cells(event).filter(|(key, ..)| !made.contains(&&key.thing)) {
        let now = judge.state().cells.get(key);
        if now.map(|now| &now.value) != new.map(|new| &new.value) {
            other.push(value(fork, key, new, now));
        }
    }
    for (id, _, new) in rules(event) {
        let now = judge.state().rules.get(id);
        if !reads_alike(now, new) {
            other.push(amended(fork, id, now.or(new)));
        }
    }
    other.dedup();
    if other.is_empty() {
        ClaimEnd::Same
    } else {
        ClaimEnd::Otherwise(other)
    }
}

/// What a claim changed.
fn made(fork: &Fork<'_>, event: &Event) -> Vec<Consequence> {
    let values =
        cells(event).filter(|(_, old, new)| old.map(|old| &old.value) != new.map(|new| &new.value));
    let values = values.map(|(key, old, new)| value(fork, key, old, new));
    let texts = rules(event).map(|(id, old, new)| amended(fork, id, new.or(old)));
    values.chain(texts).collect()
}

fn value(fork: &Fork<'_>, key: &CellKey, old: Option<&Cell>, new: Option<&Cell>) -> Consequence {
    Consequence::Value {
        of: fork.called(&fork.judge, &key.thing),
        name: key.name.clone(),
        title: fork.value_title(key),
        old: content(old),
        new: content(new),
    }
}

fn amended(fork: &Fork<'_>, id: &Name, rule: Option<&Rule>) -> Consequence {
    Consequence::Rule {
        rule: id.clone(),
        title: fork.themed(rule.map_or(id.as_str(), |rule| &rule.title)),
        becomes: RuleFate::Amended,
    }
}

/// The values that an event wrote, each with its two ends.
fn cells(event: &Event) -> impl Iterator<Item = (&CellKey, Option<&Cell>, Option<&Cell>)> {
    event.steps.iter().filter_map(|step| match &step.effect {
        Effect::Cell { key, old, new } => Some((key, old.as_ref(), new.as_ref())),
        _ => None,
    })
}

/// The rules that an event changed, each with its two ends.
fn rules(event: &Event) -> impl Iterator<Item = (&Name, Option<&Rule>, Option<&Rule>)> {
    event.steps.iter().filter_map(|step| match &step.effect {
        Effect::Rule { key, old, new } => Some((key, old.as_ref(), new.as_ref())),
        _ => None,
    })
}

/// The things that an event made. Made again, each is another.
fn things_made(event: &Event) -> Vec<&Thing> {
    let made = |thing: &Thing| {
        event.steps.iter().any(|step| match &step.effect {
            Effect::Entity { key, old: None, .. } => *thing == Thing::Entity(*key),
            _ => false,
        })
    };
    let cells = cells(event).filter(|(key, old, _)| old.is_none() && made(&key.thing));
    cells.map(|(key, ..)| &key.thing).collect()
}

fn reads_alike(one: Option<&Rule>, other: Option<&Rule>) -> bool {
    let read = |rule: &Rule| {
        let place = (rule.section.clone(), rule.parent.clone(), rule.rank);
        (rule.title.clone(), rule.text.clone(), rule.active, place)
    };
    one.map(read) == other.map(read)
}

/// A state in which what a claim changed is as it was before it, whatever it has come to since, by a new law too. None where
/// a rule that it changed is another by now.
fn before_claim(state: &State, event: &Event) -> Option<State> {
    let mut state = state.clone();
    let made = things_made(event);
    if rules(event).any(|(id, _, new)| !reads_alike(state.rules.get(id), new)) {
        return None;
    }
    for step in event.steps.iter().rev() {
        let goes_back = match &step.effect {
            Effect::Cell { key, .. } => !made.contains(&&key.thing),
            Effect::Entity { old, .. } => old.is_some(),
            Effect::Rule { .. } | Effect::Term { .. } | Effect::Page { .. } => true,
            _ => false,
        };
        if goes_back {
            let back = step.effect.clone().inverse().onto(&state);
            // It was read from this very state, so it fits.
            let fits = state.apply_all([&back]);
            debug_assert!(fits.is_ok(), "{fits:?}");
        }
    }
    Some(state)
}
