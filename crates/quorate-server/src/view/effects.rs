//! What a patch would do to this very game, tried on a copy: nothing of it stays.
//!
//! A report has parts: what it does alone, for each player, in the queue, and whether the game can still change itself
//! afterwards. Each is told as the reader may know it.

mod alone;
mod claims;
mod odds;
mod players;
mod proofs;
mod queue;
mod round;
mod texts;

use std::sync::Arc;

use quorate_engine::judge::{Inputs, Judge};
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::digest::Digest;
use quorate_kernel::event::{Event, NoteKind};
use quorate_kernel::patch::Patch;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Moment, Name, PostId, Refusal};
use quorate_law::Diagnostic;

pub use proofs::{Failed, Proof};

use crate::app::state::AppState;
use crate::ui::urls::Href;
use crate::ui::{Effect, EffectGroup};
use crate::view::game::GameView;

/// What came of trying a patch.
pub struct Trial {
    /// The copy as it would be.
    pub judge: Judge,
    /// What was done to it.
    pub event: Event,
    /// What newly sleeps, and why, as the check says it.
    pub asleep: Vec<Sleeping>,
}

/// Code that would sleep.
#[derive(Clone, PartialEq, Eq)]
pub struct Sleeping {
    /// Its rule.
    pub rule: Name,
    /// The finding with its line of the rule's text and a mark under the place.
    pub text: String,
    /// The same, its lines counted from the rule's title, as it stands in the editor.
    pub in_editor: String,
}

impl Trial {
    /// What could not be done as it was written.
    pub fn left_out(&self) -> Vec<&str> {
        let notes = self.event.notes.iter();
        // Code that falls asleep is told with its line by `asleep`.
        let is_asleep =
            |text: &str| !self.asleep.is_empty() && text.contains(": its code sleeps: ");
        notes
            .filter(|note| note.kind != NoteKind::Said && !is_asleep(&note.text))
            .map(|note| note.text.as_str())
            .collect()
    }
}

/// The end of a report's time, by the server's clock.
pub(crate) struct Until<'a> {
    site: &'a AppState,
    at: Moment,
}

impl Until<'_> {
    fn is_over(&self) -> bool {
        self.site.now() >= self.at
    }
}

/// Findings by rule, in their order: a rule with its first finding, and how many more it has, most of which follow from it.
pub fn by_rule(found: &[Sleeping]) -> Vec<(&Sleeping, usize)> {
    let mut rules: Vec<(&Sleeping, usize)> = Vec::new();
    for finding in found {
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

impl GameView {
    /// Tries a patch on a copy of the game, as far as the reader may see it.
    pub fn try_patch(&self, patch: &Patch) -> Result<Trial, Refusal> {
        self.try_on(self.blind(), patch)
    }

    /// Tries a patch on a copy on which something else may have been tried before.
    fn try_on(&self, judge: Judge, patch: &Patch) -> Result<Trial, Refusal> {
        self.try_with(judge, patch, &Inputs::default())
    }

    /// The same with dice that fall otherwise.
    fn try_with(
        &self,
        mut judge: Judge,
        patch: &Patch,
        inputs: &Inputs<'_>,
    ) -> Result<Trial, Refusal> {
        self.may_try(patch)?;
        let before = Arc::clone(judge.law());
        let act = Act::Repair {
            patch: Sealed::close(patch.clone(), [0; 16]),
            reason: typed("what it would do"),
        };
        let event = self.would_with(&mut judge, Actor::Operator, act, inputs)?;
        let known: Vec<_> = before
            .asleep
            .iter()
            .map(|asleep| &asleep.diagnostics)
            .collect();
        let asleep = judge
            .law()
            .asleep
            .iter()
            .filter(|asleep| !known.contains(&&asleep.diagnostics))
            .flat_map(|asleep| &asleep.diagnostics)
            .map(|finding| rendered(&judge, finding))
            .collect();
        Ok(Trial {
            judge,
            event,
            asleep,
        })
    }

    /// The short report on a patch: what it changes alone.
    pub fn report(&self, trial: &Trial) -> Vec<Effect> {
        let mut lines = self.over_all_dice(trial, &self.until());
        if lines.is_empty() {
            lines.push(Effect::new(
                "Nothing changes by itself:",
                "no rule, no value, no roster.",
            ));
        }
        if self.tries_blindly() {
            lines.push(Effect::new(
                "Tried without what is hidden from you:",
                "such values count here as never set.",
            ));
        }
        lines
    }

    /// The end of a report that begins now.
    fn until(&self) -> Until<'_> {
        Until {
            site: &self.site,
            at: self.site.now() + self.site.parts.house.report,
        }
    }

    /// The short report as the one group of a page.
    pub fn short_report(&self, patch: &Patch) -> Vec<EffectGroup> {
        self.kept_report(b"short", patch, None, || self.short_report_made(patch))
    }

    /// What this reader was told of a patch within the same minute and the same state, or what is found out now.
    fn kept_report(
        &self,
        which: &[u8],
        patch: &Patch,
        of: Option<PostId>,
        make: impl FnOnce() -> Vec<EffectGroup>,
    ) -> Vec<EffectGroup> {
        let minute = self.now.0.div_euclid(60_000);
        let key = Digest::of_parts([
            which,
            self.game.as_str().as_bytes(),
            &self.published.head.hash.0,
            &minute.to_le_bytes(),
            &patch.digest().0,
            format!("{of:?} {:?}", self.me).as_bytes(),
        ]);
        if let Some(known) = self.site.reports.get(&key) {
            return Vec::clone(&known);
        }
        let groups = make();
        self.site.reports.put(key, Arc::new(groups.clone()));
        groups
    }

    fn short_report_made(&self, patch: &Patch) -> Vec<EffectGroup> {
        let lines = match self.try_patch(patch) {
            Ok(trial) => self.report(&trial),
            Err(refusal) => {
                vec![Effect::new("It could not be tried:", refusal.to_string()).alarm()]
            }
        };
        vec![group("alone", "If it were enacted now", "", lines)]
    }

    /// The whole report on a patch; `of` is the post that carries it, where there is one already, and `tests` where its
    /// tests are run.
    pub fn whole_report(
        &self,
        patch: &Patch,
        of: Option<PostId>,
        tests: Option<Href>,
    ) -> Vec<EffectGroup> {
        let make = || self.whole_report_made(patch, of);
        let mut groups = self.kept_report(b"whole", patch, of, make);
        groups.extend(tests.map(|tests| self.yet_to_prove(tests)));
        groups
    }

    fn whole_report_made(&self, patch: &Patch, of: Option<PostId>) -> Vec<EffectGroup> {
        let until = &self.until();
        let trial = match self.try_patch(patch) {
            Ok(trial) => trial,
            Err(refusal) => {
                let line = Effect::new("It could not be tried:", refusal.to_string()).alarm();
                return vec![group("alone", "If it were enacted now", "", vec![line])];
            }
        };
        let mut groups = vec![group(
            "alone",
            "If it were enacted now",
            "",
            self.report(&trial),
        )];
        groups.push(group(
            "change",
            "Whether rules can still be changed afterwards",
            "One more proposal is written, voted for by everybody and enacted, as a trial on the same copy.",
            self.still_amendable(&trial, until),
        ));
        groups.push(group(
            "claims",
            "What was claimed before",
            "Each change by hand that rests on a rule to which it brings code, made again under that code.",
            self.on_claims(&trial, until),
        ));
        groups.push(group(
            "players",
            "What players could do at once",
            "",
            self.for_players(&trial, until),
        ));
        groups.push(group(
            "queue",
            "In the queue",
            "The same after everything ahead of it, and what it would do to what is pending.",
            self.in_queue(patch, of, &trial, until),
        ));
        groups.retain(|group| !group.lines.is_empty());
        groups
    }
}

pub(crate) fn group(id: &str, title: &str, note: &str, lines: Vec<Effect>) -> EffectGroup {
    EffectGroup {
        id: id.to_owned(),
        title: title.to_owned(),
        note: note.to_owned(),
        lines,
        later: None,
    }
}

/// What stands where a report's time was over.
pub(crate) fn ended_early() -> Effect {
    Effect::new(
        "The rest is left out:",
        "trying it all takes longer than a report may.",
    )
}

/// How many lines stand above a rule's text in the editor: its title, and an empty one.
const ABOVE: u32 = 2;

fn rendered(judge: &Judge, finding: &Diagnostic) -> Sleeping {
    let text = judge.state().rules.get(&finding.rule);
    let (title, text) = text.map_or(("", ""), |rule| (&*rule.title, &*rule.text));
    let lower = Diagnostic {
        line: finding.line + ABOVE,
        ..finding.clone()
    };
    Sleeping {
        rule: finding.rule.clone(),
        text: finding.render(text),
        in_editor: lower.render(&format!("# {title}\n\n{text}")),
    }
}
