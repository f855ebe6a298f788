//! What was claimed under a rule while it had no code, held against the code that is to come.
//!
//! On a copy each claim's values are set back to what they were before it, all else being as today, and it is made once
//! more by the same player under the law that would be, and under that of today: what only the new one refuses, or brings
//! to another end, is told.

use quorate_engine::judge::{Head, Inputs, Judge};
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::event::{Event, NoteKind};
use quorate_kernel::ids::Id;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{Cell, CellKey, Claim, ClaimStanding};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect as Change;
use quorate_kernel::{Moment, Name, Thing};
use quorate_law::RuleText;
use quorate_law::datum::Datum;

use super::{Trial, Until, ended_early, proofs};
use crate::pages::{Effect, Link};
use crate::urls;
use crate::web::look::Look;
use crate::web::look::preview::{outcome, trial as command};

/// How many claims are held against new code, the newest first.
const CLAIMS: usize = 40;

/// What comes of a claim that is made again.
#[derive(PartialEq)]
enum Again {
    /// It could not be made, or not all of it, and why.
    Refused(String),
    /// It comes to other values: what each would be.
    Otherwise(String),
    /// It stands.
    Same,
}

impl Look {
    /// The lines of the report: none where no code comes to a rule, or nothing was claimed under it in this dynasty.
    pub(super) fn on_claims(&self, trial: &Trial, until: &Until<'_>) -> Vec<Effect> {
        let rules = self.newly_coded(trial);
        let begun = self.state().dynasties.values().next_back();
        let begun = begun.map_or(Moment(i64::MIN), |dynasty| dynasty.at);
        let of_rules = self.state().claims.iter().rev().filter(|(_, claim)| {
            rules.contains(&claim.rule)
                && claim.at >= begun
                && claim.standing != ClaimStanding::Undone
        });
        let claims: Vec<(Id, &Claim)> = of_rules.map(|(id, claim)| (*id, claim)).collect();
        if claims.is_empty() {
            return Vec::new();
        }
        let (mut lines, mut good, mut untried) = (Vec::new(), 0, claims.len());
        let blind = self.blinded(&self.fork());
        for (id, claim) in claims.iter().take(CLAIMS) {
            if until.is_over() {
                break;
            }
            untried -= 1;
            let Some(event) = self.claim_event(*id) else {
                continue;
            };
            let Some(patch) = self.retried(&event) else {
                untried += 1;
                continue;
            };
            let after = self.claimed_again(&trial.judge, claim, patch, &event);
            if after == Again::Same || after == self.claimed_again(&blind, claim, patch, &event) {
                good += 1;
                continue;
            }
            lines.push(self.told_of_claim(&event, claim, after));
        }
        if good > 0 {
            let claims = crate::parts::plural(good, "claim", "claims");
            lines.push(Effect::new("Would stand as before:", format!("{claims}.")));
        }
        if untried > 0 && until.is_over() {
            lines.push(ended_early());
        } else if untried > 0 {
            let claims = crate::parts::plural(untried, "claim", "claims");
            lines.push(Effect::new("Not tried:", format!("{claims}.")));
        }
        lines
    }

    /// The rules whose code is new, or other than it was.
    fn newly_coded(&self, trial: &Trial) -> Vec<Name> {
        let code = |text: &str| {
            let fences = RuleText::parse(text).fences.into_iter();
            fences.map(|fence| fence.code).collect::<Vec<String>>()
        };
        let is_new = |id: &Name| {
            let text = |judge: &Judge| judge.state().rules.get(id).map(|rule| code(&rule.text));
            let old = self.state().rules.get(id).map(|rule| code(&rule.text));
            let new = text(&trial.judge);
            new.is_some_and(|new| !new.is_empty() && Some(new) != old)
        };
        proofs::touched(trial).into_iter().filter(is_new).collect()
    }

    /// The event that made a claim. Pages are made where waiting holds up nobody.
    fn claim_event(&self, id: Id) -> Option<Event> {
        let seqs = [id.event()];
        let reading = self.site.events(&self.game, &seqs);
        let events = tokio::runtime::Handle::current().block_on(reading);
        events.ok()?.into_iter().next()
    }

    /// The changes of a claim, if the reader may see all that came of them, and they are none of the law itself.
    fn retried<'a>(&self, event: &'a Event) -> Option<&'a Patch> {
        let Act::Claim { patch, .. } = &event.act else {
            return None;
        };
        let sees = |step: &quorate_kernel::effect::Step| match &step.effect {
            Change::Cell { key, old, new } => self.sees_change(key, old.as_ref(), new.as_ref()),
            _ => true,
        };
        let of_law = |clause: &Clause| clause.rule().is_some();
        patch
            .plain()
            .filter(|patch| !patch.clauses.iter().any(of_law))
            .filter(|_| event.steps.iter().all(sees))
    }

    /// What comes of a claim that is made again on a copy.
    fn claimed_again(&self, judge: &Judge, claim: &Claim, patch: &Patch, event: &Event) -> Again {
        let Head { seq, hash, at } = judge.head();
        let mut state = judge.state().clone();
        // Set back to what each value was, whatever it has come to since, by the new law itself too.
        for (key, old, _) in cells(event).rev() {
            if let Some(now) = state.cells.get(key).cloned() {
                let back = Change::Cell {
                    key: key.clone(),
                    old: Some(now),
                    new: old.cloned(),
                };
                // It was read from this very state, so it fits.
                let fits = state.apply_all([&back]);
                debug_assert!(fits.is_ok(), "{fits:?}");
            }
        }
        let head = Head { seq, hash, at };
        let mut judge = Judge::open(state, head, &self.site.parts.laws);
        let act = Act::Claim {
            patch: Sealed::close(patch.clone(), [0; 16]),
            rule: claim.rule.clone(),
            reason: claim.reason.clone(),
        };
        let command = command(self.now, Actor::Player(claim.by), act);
        match outcome(judge.judge(&command, &mut Inputs::default())) {
            Err(refusal) => Again::Refused(refusal.to_string()),
            Ok(done) => {
                let mut notes = done.notes.iter();
                let skipped = notes.find(|note| note.kind == NoteKind::Skipped);
                skipped.map_or_else(
                    || self.compared(&judge, event),
                    |note| Again::Refused(note.text.clone()),
                )
            }
        }
    }

    /// Whether what was claimed comes to what it came to then.
    fn compared(&self, judge: &Judge, event: &Event) -> Again {
        let mut other = Vec::new();
        for (key, _, new) in cells(event) {
            let now = judge.state().cells.get(key).map(|cell| &cell.value);
            if now == new.map(|new| &new.value) {
                continue;
            }
            let words = now.map_or("nothing".to_owned(), |now| self.label(now.open()));
            other.push(format!("{} {words}", self.called_value(key)));
        }
        other.dedup();
        if other.is_empty() {
            Again::Same
        } else {
            Again::Otherwise(other.join(", "))
        }
    }

    fn called_value(&self, key: &CellKey) -> String {
        let title = self.value_title(key);
        match &key.thing {
            Thing::Game => title,
            thing => {
                let of = self.ask(|tx| tx.label(&Datum::Thing(thing.clone())));
                format!("{of} {title}")
            }
        }
    }

    fn told_of_claim(&self, event: &Event, claim: &Claim, after: Again) -> Effect {
        let standing = match claim.standing {
            ClaimStanding::Settled => "settled",
            ClaimStanding::Disputed => "disputed",
            ClaimStanding::Claimed | ClaimStanding::Undone => "not settled",
        };
        let made: Vec<String> = cells(event)
            .filter(|(_, old, new)| old.map(|old| &old.value) != new.map(|new| &new.value))
            .map(|(key, old, new)| {
                let words = |cell: Option<&Cell>| {
                    cell.map_or("nothing".to_owned(), |cell| self.label(cell.value.open()))
                };
                format!("{} {} → {}", self.called_value(key), words(old), words(new))
            })
            .collect();
        let made = made.join(", ");
        let (lead, why) = match after {
            Again::Refused(why) => ("It would have refused", why),
            Again::Otherwise(what) => ("It would have ended otherwise", what),
            Again::Same => ("It would have stood", String::new()),
        };
        let lead = format!("{lead}, claimed by {} ({standing}):", self.name(claim.by));
        let number = event.seq.to_string();
        let to = urls::Event {
            game: self.game.as_str(),
            event: &number,
        };
        let text = format!("{made}: {why}");
        let line = Effect::new(lead, text.trim_start_matches(": "));
        line.alarm().to(Link::new("the claim", to))
    }
}

/// The values that an event wrote, each with its two ends.
fn cells(
    event: &Event,
) -> impl DoubleEndedIterator<Item = (&CellKey, Option<&Cell>, Option<&Cell>)> {
    let steps = event.steps.iter();
    steps.filter_map(|step| match &step.effect {
        Change::Cell { key, old, new } => Some((key, old.as_ref(), new.as_ref())),
        _ => None,
    })
}
