//! What a patch would do to this very game, tried on a copy: nothing of it stays.

use quorate_engine::judge::Judge;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::event::{Event, NoteKind};
use quorate_kernel::patch::Patch;
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect as Change;
use quorate_kernel::{Name, Refusal, Thing};
use quorate_law::Diagnostic;
use quorate_law::datum::Datum;

use super::Look;
use crate::pages::Effect;

/// How many changed values a report lists.
const VALUES: usize = 40;

/// What came of trying a patch.
pub struct Trial {
    /// The copy as it would be.
    pub judge: Judge,
    /// What was done to it.
    pub event: Event,
    /// What newly sleeps, and why, as the check says it.
    pub asleep: Vec<String>,
}

impl Look {
    /// Tries a patch on a copy of the game.
    pub fn try_patch(&self, patch: &Patch) -> Result<Trial, Refusal> {
        let mut judge = self.fork();
        let act = Act::Repair {
            patch: Sealed::close(patch.clone(), [0; 16]),
            reason: typed("what it would do"),
        };
        let event = self.would_on(&mut judge, Actor::Operator, act)?;
        let known: Vec<_> = self
            .law
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

    /// The report on a patch: what changes in values, what players newly can do, what sleeps.
    pub fn report(&self, trial: &Trial) -> Vec<Effect> {
        let mut lines = Vec::new();
        let line = |lead: &str, text: String| Effect {
            lead: lead.to_owned(),
            text,
            more: None,
        };
        for note in &trial.event.notes {
            if note.kind != NoteKind::Said {
                lines.push(line("Left out:", note.text.clone()));
            }
        }
        for asleep in &trial.asleep {
            lines.push(line("Code that would sleep:", asleep.clone()));
        }
        lines.extend(self.values_changed(trial));
        for (lead, names) in self.actions_changed(trial) {
            if !names.is_empty() {
                lines.push(line(lead, names.join(", ")));
            }
        }
        if lines.is_empty() {
            lines.push(line(
                "Nothing else changes:",
                "the texts alone, as shown above.".to_owned(),
            ));
        }
        lines
    }

    fn values_changed(&self, trial: &Trial) -> Vec<Effect> {
        let mut lines = Vec::new();
        let mut more = 0;
        for step in &trial.event.steps {
            let Change::Cell { key, old, new } = &step.effect else {
                continue;
            };
            if !self.view().shown(key) {
                continue;
            }
            if lines.len() >= VALUES {
                more += 1;
                continue;
            }
            let words = |cell: &Option<quorate_kernel::rows::Cell>| {
                cell.as_ref().map_or_else(
                    || "nothing".to_owned(),
                    |cell| self.label(cell.value.open()),
                )
            };
            let (old, new) = (words(old), words(new));
            if old == new {
                continue;
            }
            let of = match &key.thing {
                Thing::Game => self.title(),
                thing => trial
                    .judge
                    .look(self.now, |tx| tx.label(&Datum::Thing(thing.clone()))),
            };
            lines.push(Effect {
                lead: format!("{of}, {}:", key.name),
                text: format!("{old} → {new}"),
                more: None,
            });
        }
        if more > 0 {
            lines.push(Effect {
                lead: "And more values:".to_owned(),
                text: format!("{more} that are not listed here"),
                more: None,
            });
        }
        lines
    }

    fn actions_changed(&self, trial: &Trial) -> [(&'static str, Vec<String>); 2] {
        let law = trial.judge.law();
        let title = |name: &Name, law: &quorate_engine::Law| {
            law.actions
                .get(name)
                .map_or_else(|| name.to_string(), |decl| self.themed(&decl.it.title))
        };
        let new = law
            .action_order
            .iter()
            .filter(|name| !self.law.actions.contains_key(*name));
        let gone = self
            .law
            .action_order
            .iter()
            .filter(|name| !law.actions.contains_key(*name));
        [
            (
                "Newly possible:",
                new.map(|name| title(name, law)).collect(),
            ),
            (
                "No longer possible:",
                gone.map(|name| title(name, &self.law)).collect(),
            ),
        ]
    }
}

fn rendered(judge: &Judge, finding: &Diagnostic) -> String {
    let text = judge.state().rules.get(&finding.rule);
    finding.render(text.map_or("", |rule| &rule.text))
}
