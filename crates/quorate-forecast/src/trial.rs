//! A post enacted on a copy, held against the copy before: what came of it, what newly sleeps, what was left out, and which
//! lines of rules nobody wrote.

use std::collections::BTreeSet;

use quorate_engine::UnmetCondition;
use quorate_engine::judge::{Inputs, Judge};
use quorate_kernel::effect::Effect;
use quorate_kernel::event::{Event, Note, NoteKind, NoteTopic};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::state::State;
use quorate_kernel::{Name, PostId, Refusal};
use quorate_law::{Asleep, Diagnostic};

use crate::enactment::{Enacted, Enactment, Proposed};
use crate::fork::{Fork, flat};

/// What came of trying a patch.
pub struct PatchTrial {
    /// The post that was enacted.
    pub post: PostId,
    /// The copy as it would be.
    pub judge: Judge,
    /// What was done to it.
    pub event: Event,
    /// What newly sleeps, and why, as the check says it.
    pub asleep: Vec<Sleeping>,
    /// What could not be done as it was written; not the code that falls asleep, of which `asleep` tells with its line, nor names
    /// that nobody would provide.
    pub left_out: Vec<Note>,
    /// What would have to be there before the law enacts it, and is not now.
    pub unmet: Vec<Refusal>,
    /// The conditions of its changes that did not hold.
    pub unmet_conditions: Vec<UnmetCondition>,
    /// Lines that nobody wrote: of rules that were changed since it was written.
    pub merged: Vec<MergedLine>,
}

/// A line of a rule that comes of two changes of it, and stands in neither.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergedLine {
    /// The rule.
    pub rule: Name,
    /// The line.
    pub line: String,
}

/// Code that would sleep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sleeping {
    /// Its rule.
    pub rule: Name,
    /// Its clause.
    pub clause: u32,
    /// The finding with its line of the rule's text and a mark under the place.
    pub text: String,
}

impl PatchTrial {
    /// The rules that were made, changed or taken away.
    pub(crate) fn touched_rules(&self) -> BTreeSet<Name> {
        let steps = self.event.steps.iter();
        let rules = steps.filter_map(|step| match &step.effect {
            Effect::Rule { key, .. } => Some(key.clone()),
            _ => None,
        });
        rules.collect()
    }
}

/// Whether two sleeping fences are the same, wherever they stand.
fn reads_alike(one: &Asleep, other: &Asleep) -> bool {
    let texts = |asleep: &Asleep| -> Vec<String> {
        let findings = asleep.diagnostics.iter();
        findings.map(|finding| finding.text.clone()).collect()
    };
    one.rule == other.rule && texts(one) == texts(other)
}

/// The lines that stand after a patch in a rule that was changed since the patch was written, and neither in what it
/// wrote nor in what was there.
fn merged(before: &Judge, after: &Judge, patch: &Patch) -> Vec<MergedLine> {
    let mut lines = Vec::new();
    for clause in flat(&patch.clauses) {
        let Clause::AmendRule { id, base, text } = clause else {
            continue;
        };
        let rules = (before.state().rules.get(id), after.state().rules.get(id));
        let (Some(was), Some(is)) = rules else {
            continue;
        };
        if was.text == *base || is.text == *text {
            continue;
        }
        let known: BTreeSet<&str> = was.text.lines().chain(text.lines()).collect();
        let written = |line: &str| known.contains(line);
        let new = is
            .text
            .lines()
            .filter(|line| !line.trim().is_empty() && !written(line));
        lines.extend(new.map(|line| MergedLine {
            rule: id.clone(),
            line: line.trim().to_owned(),
        }));
    }
    lines
}

/// Findings by rule, in their order: a rule's first finding, and how many more it has.
pub fn by_rule(findings: &[Sleeping]) -> Vec<(&Sleeping, usize)> {
    let mut rules: Vec<(&Sleeping, usize)> = Vec::new();
    for finding in findings {
        match rules
            .iter_mut()
            .find(|(first, _)| first.rule == finding.rule)
        {
            Some((_, more)) => *more += 1,
            None => rules.push((finding, 0)),
        }
    }
    rules
}

impl Fork<'_> {
    /// Enacts a post on the game as it is.
    pub fn try_out(&self, proposed: &Proposed) -> Result<PatchTrial, Refusal> {
        self.try_on(&self.judge, proposed)
    }

    /// Enacts a post on a copy on which something else may have been tried before.
    pub(crate) fn try_on(&self, judge: &Judge, proposed: &Proposed) -> Result<PatchTrial, Refusal> {
        let enactment = Enactment::find(self, judge, proposed)?;
        self.enact(judge, proposed, &enactment, Inputs::default())
    }

    /// Enacts it by an act that was found, with dice as they are given, and holds the copy against the one before.
    pub(crate) fn enact(
        &self,
        before: &Judge,
        proposed: &Proposed,
        enactment: &Enactment,
        inputs: Inputs<'_>,
    ) -> Result<PatchTrial, Refusal> {
        let enacted = enactment.run(self, inputs)?;
        Ok(held_against(before, proposed, enacted))
    }
}

/// A line about something that was left out, to stand where that is said already.
pub(crate) fn left_out_words(note: &Note) -> String {
    match &note.topic {
        NoteTopic::LeftOut(change) => change.clone(),
        _ => note.text.clone(),
    }
}

/// Holds a copy on which a post was enacted against the one before.
pub(crate) fn held_against(before: &Judge, proposed: &Proposed, enacted: Enacted) -> PatchTrial {
    let Enacted {
        post,
        judge,
        event,
        unmet,
        unmet_conditions,
        losses,
    } = enacted;
    let old = before.law();
    let is_new = |now: &&Asleep| !old.asleep.iter().any(|known| reads_alike(known, now));
    let fresh = judge.law().asleep.iter().filter(is_new);
    let findings = fresh.flat_map(|asleep| {
        let findings = asleep.diagnostics.iter();
        findings.map(|finding| (asleep.clause, finding))
    });
    let asleep = findings.map(|(clause, finding)| Sleeping::of(judge.state(), clause, finding));
    let asleep = asleep.collect();
    let is_unmet = |nth| unmet_conditions.iter().any(|unmet| unmet.note == nth);
    let is_news = |(nth, note): &(usize, &Note)| {
        note.kind != NoteKind::Said && !losses.contains(nth) && !is_unmet(*nth)
    };
    let news = event.notes.iter().enumerate().filter(is_news);
    let left_out = news.map(|(_, note)| note.clone()).collect();
    let merged = proposed
        .patch(before)
        .map(|patch| merged(before, &judge, patch));
    PatchTrial {
        post,
        judge,
        event,
        asleep,
        left_out,
        unmet,
        unmet_conditions,
        merged: merged.unwrap_or_default(),
    }
}

impl Sleeping {
    fn of(state: &State, clause: u32, finding: &Diagnostic) -> Self {
        let rule = state.rules.get(&finding.rule);
        let text = rule.map_or("", |rule| &*rule.text);
        Self {
            rule: finding.rule.clone(),
            clause,
            text: finding.render(text),
        }
    }
}
