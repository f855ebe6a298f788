//! What was claimed under a rule while it had no code, held against the code that is to come.
//!
//! On a copy each claim's values are set back to what they were before it, all else being as today, and it is made once
//! more by the same player under the law that would be, and under that of today: what only the new one refuses, or brings
//! to another end, is told.

use quorate_engine::judge::{Inputs, Judge};
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::event::{Event, NoteKind};
use quorate_kernel::ids::Id;
use quorate_kernel::law::Rule;
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::{Cell, CellKey, Claim, ClaimStanding};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::{Effect as Change, State};
use quorate_kernel::{Moment, Name, Thing};
use quorate_law::RuleText;
use quorate_law::datum::Datum;

use crate::ui::{Effect, Link, urls};
use crate::view::effects::{Trial, Until, ended_early, proofs};
use crate::view::game::GameView;
use crate::view::preview::{outcome, trial as command};
use crate::view::secrets::strikes;

/// How many claims are held against new code, the newest first.
const CLAIMS: usize = 40;

/// Why a claim is not made again.
const HIDDEN: &str = "what is hidden from you is part of it";
const MOVED_ON: &str = "a rule that it changed has been changed since";
const RULES: &str = "it holds a ruling";
const UNREAD: &str = "the log does not give it";

/// What comes of a claim that is made again.
#[derive(PartialEq)]
enum Again {
    /// It was not made, and why.
    Untried(&'static str),
    /// It could not be made, or not all of it, and why.
    Refused(String),
    /// It comes to other values: what each would be.
    Otherwise(String),
    /// It stands.
    Same,
}

impl GameView {
    /// The lines of the report: none where no code comes to a rule, or nothing was claimed under it in this dynasty.
    pub(crate) fn on_claims(&self, trial: &Trial, until: &Until<'_>) -> Vec<Effect> {
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
        let mut sum = Sum {
            left: claims.len(),
            ..Sum::default()
        };
        let blind = self.blind();
        for (id, claim) in claims.iter().take(CLAIMS) {
            if until.is_over() {
                break;
            }
            sum.left -= 1;
            let Some(event) = self.claim_event(*id) else {
                sum.untried.push(UNREAD);
                continue;
            };
            let patch = match self.retried(&event) {
                Ok(patch) => patch,
                Err(why) => {
                    sum.untried.push(why);
                    continue;
                }
            };
            match self.claimed_again(&trial.judge, claim, patch, &event) {
                Again::Same => sum.good += 1,
                Again::Untried(why) => sum.untried.push(why),
                after if after == self.claimed_again(&blind, claim, patch, &event) => {
                    sum.no_more += 1;
                }
                after => sum.lines.push(self.told_of_claim(&event, claim, after)),
            }
        }
        sum.told(until)
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

    /// The changes of a claim, if the reader may see all that came of them.
    fn retried<'a>(&self, event: &'a Event) -> Result<&'a Patch, &'static str> {
        let Act::Claim { patch, .. } = &event.act else {
            return Err(UNREAD);
        };
        let sees = |step: &quorate_kernel::effect::Step| match &step.effect {
            Change::Cell { key, old, new } => self.sees_change(key, old.as_ref(), new.as_ref()),
            _ => true,
        };
        let patch = patch.plain().filter(|_| event.steps.iter().all(sees));
        match patch {
            Some(patch) if patch.clauses.iter().any(strikes) => Err(RULES),
            Some(patch) => Ok(patch),
            None => Err(HIDDEN),
        }
    }

    /// What comes of a claim that is made again on a copy.
    fn claimed_again(&self, judge: &Judge, claim: &Claim, patch: &Patch, event: &Event) -> Again {
        let Some(state) = before_claim(judge.state(), event) else {
            return Again::Untried(MOVED_ON);
        };
        let mut judge = Judge::open(state, judge.head(), &self.site.parts.laws);
        let act = Act::Claim {
            patch: Sealed::close(patch.clone(), [0; 16]),
            rule: claim.rule.clone(),
            reason: claim.reason.clone(),
        };
        let command = command(self.now, Actor::Player(claim.by), act);
        match outcome(judge.judge(&command, &Inputs::default())) {
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
        let made = things_made(event);
        for (key, _, new) in cells(event).filter(|(key, ..)| !made.contains(&&key.thing)) {
            let now = judge.state().cells.get(key).map(|cell| &cell.value);
            if now == new.map(|new| &new.value) {
                continue;
            }
            let words = now.map_or("nothing".to_owned(), |now| self.label(now.open()));
            other.push(format!("{} {words}", self.called_value(key)));
        }
        for (id, _, new) in rules(event) {
            let now = judge.state().rules.get(id);
            if !reads_alike(now, new) {
                let title = now.or(new).map_or(id.as_str(), |rule| &rule.title);
                other.push(format!("another text of {}", self.themed(title)));
            }
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
            .chain(rules(event).map(|(id, old, new)| {
                let title = new.or(old).map_or(id.as_str(), |rule| &rule.title);
                format!("the rule {}", self.themed(title))
            }))
            .collect();
        let made = made.join(", ");
        let (lead, why) = match after {
            Again::Refused(why) => ("It would have refused", why),
            Again::Otherwise(what) => ("It would have ended otherwise", what),
            Again::Same | Again::Untried(_) => ("It would have stood", String::new()),
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

/// The rules that an event changed, each with its two ends.
fn rules(event: &Event) -> impl Iterator<Item = (&Name, Option<&Rule>, Option<&Rule>)> {
    let steps = event.steps.iter();
    steps.filter_map(|step| match &step.effect {
        Change::Rule { key, old, new } => Some((key, old.as_ref(), new.as_ref())),
        _ => None,
    })
}

/// The things that an event made. Made again, each is another.
fn things_made(event: &Event) -> Vec<&Thing> {
    let cells = cells(event).filter(|(_, old, _)| old.is_none());
    let made = |thing: &&Thing| {
        event.steps.iter().any(|step| match &step.effect {
            Change::Entity { key, old: None, .. } => **thing == Thing::Entity(*key),
            _ => false,
        })
    };
    cells.map(|(key, ..)| &key.thing).filter(made).collect()
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
            Change::Cell { key, .. } => !made.contains(&&key.thing),
            Change::Entity { old, .. } => old.is_some(),
            Change::Rule { .. } | Change::Term { .. } | Change::Page { .. } => true,
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

/// What became of all claims that were looked at.
#[derive(Default)]
struct Sum {
    /// Of those to which the code makes a difference.
    lines: Vec<Effect>,
    good: usize,
    /// Those that could not be made again today either.
    no_more: usize,
    untried: Vec<&'static str>,
    /// Those that no time was left for, or that are too many.
    left: usize,
}

impl Sum {
    fn told(self, until: &Until<'_>) -> Vec<Effect> {
        let claims = |count| crate::ui::plural(count, "claim", "claims");
        let mut lines = self.lines;
        if self.good > 0 {
            let text = format!("{}.", claims(self.good));
            lines.push(Effect::new("Would stand as before:", text));
        }
        if self.no_more > 0 {
            let text = "could not be made again today either, for the game has moved on.";
            let text = format!("{}; such a change {text}", claims(self.no_more));
            lines.push(Effect::new("No difference to:", text));
        }
        for why in [HIDDEN, MOVED_ON, RULES, UNREAD] {
            let count = self.untried.iter().filter(|known| **known == why).count();
            if count > 0 {
                let text = format!("{}, for {why}.", claims(count));
                lines.push(Effect::new("Not tried:", text));
            }
        }
        if self.left > 0 && until.is_over() {
            lines.push(ended_early());
        } else if self.left > 0 {
            let text = format!("{}, for only the newest {CLAIMS} are.", claims(self.left));
            lines.push(Effect::new("Not tried:", text));
        }
        lines
    }
}
