//! What a patch changes by itself: values, declarations, timers, who leads.

use std::collections::{BTreeMap, BTreeSet};

use quorate_engine::Law;
use quorate_engine::view::View;
use quorate_kernel::rows::{Cell, CellKey, DueKey};
use quorate_kernel::state::Effect as Change;
use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;

use crate::ui::Effect;
use crate::view::effects::Trial;
use crate::view::game::GameView;

/// How many changed values a report lists.
const VALUES: usize = 40;

impl GameView {
    /// Everything that changes, without heed of the queue and of who could do what.
    pub(crate) fn alone(&self, trial: &Trial) -> Vec<Effect> {
        let mut lines = Vec::new();
        for text in trial.left_out() {
            lines.push(Effect::new("Left out:", text).alarm());
        }
        for (first, more) in crate::view::effects::by_rule(&trial.asleep) {
            let title = trial.judge.state().rules.get(&first.rule);
            let title = title.map_or(String::new(), |rule| self.themed(&rule.title));
            let lead = format!("Code of {title} would sleep{}:", and_more(more));
            lines.push(Effect::new(lead, "").found(first.text.clone()).alarm());
        }
        lines.extend(self.crowned(trial));
        lines.extend(self.texts_changed(trial));
        lines.extend(self.values_declared(trial));
        lines.extend(self.things_made(trial));
        lines.extend(self.values_changed(trial));
        lines.extend(self.actions_changed(trial));
        lines.extend(self.timers(trial));
        lines.extend(self.posts_flipped(trial));
        lines
    }

    /// Who would win or lead at once, by the names that rulesets share for it.
    fn crowned(&self, trial: &Trial) -> Vec<Effect> {
        let asked = |name: &str| {
            let old = self.attribute(&Thing::Game, name);
            let new = trial
                .judge
                .look(self.now, |tx| tx.attribute(&Thing::Game, name).ok());
            let new = new.filter(|new| Some(new) != old.as_ref() && *new != Datum::None)?;
            Some(trial.judge.look(self.now, |tx| tx.label(&new)))
        };
        let mut lines = Vec::new();
        if let Some(name) = asked("winner") {
            lines.push(Effect::new("Would win at once:", name).alarm());
        }
        if let Some(name) = asked("emperor") {
            let lead = format!("Would be {} at once:", self.word("emperor"));
            lines.push(Effect::new(lead, name).alarm());
        }
        if let Some(yes) = asked("hiatus").filter(|said| said == "yes" || said == "True") {
            lines.push(Effect::new("Hiatus would begin at once:", yes).alarm());
        }
        lines
    }

    /// Values that the law would track, and values that it would no longer know, with how many hold something.
    fn values_declared(&self, trial: &Trial) -> Vec<Effect> {
        let (old, new) = (&self.law, trial.judge.law());
        let title = |law: &Law, key: &(Name, Name)| {
            let known = law.values.get(key).map(|decl| decl.it.title.clone());
            let known = known.or_else(|| law.derived.get(key).map(|decl| decl.it.title.clone()));
            let of = match key.0.as_str() {
                "Game" => "the game".to_owned(),
                "Player" => self.word("player"),
                _ => self.singular_of(&key.0),
            };
            let title = known.unwrap_or_else(|| key.1.to_string());
            format!("{} (of {of})", self.themed(&title))
        };
        let keys = |law: &Law| -> BTreeSet<(Name, Name)> {
            let kept = law.values.keys().chain(law.derived.keys());
            kept.cloned().collect()
        };
        let (had, has) = (keys(old), keys(new));
        let mut lines = Vec::new();
        for key in has.difference(&had) {
            lines.push(Effect::new("New value:", title(new, key)));
        }
        for key in had.difference(&has) {
            let held = self.holders(trial, key);
            let kept = match held {
                0 => "nobody holds anything in it".to_owned(),
                held => format!(
                    "{} put by, and come back if the value does",
                    crate::ui::plural(held, "content is", "contents are")
                ),
            };
            lines.push(Effect::new(
                "Dropped value:",
                format!("{}; {kept}", title(old, key)),
            ));
        }
        lines
    }

    /// How many cells of a value leave for the archive.
    fn holders(&self, trial: &Trial, (kind, name): &(Name, Name)) -> usize {
        let gone = trial.event.steps.iter().filter(|step| match &step.effect {
            Change::Cell {
                key,
                old: Some(_),
                new: None,
            } => key.name == *name && self.kind_of(&key.thing).as_ref() == Some(kind),
            _ => false,
        });
        gone.count()
    }

    /// Each value that ends otherwise than it began, as far as the reader may see it both before and after.
    fn values_changed(&self, trial: &Trial) -> Vec<Effect> {
        let mut lines = Vec::new();
        let mut more = 0;
        for (key, (old, new)) in net(trial) {
            let is_gone = new.is_none() && !exists(trial, &key.thing);
            if is_gone
                || !self.sees_both(trial, key)
                || is_dropped(&self.law, trial.judge.law(), key, new)
            {
                continue;
            }
            let words = |cell: Option<&Cell>| cell.map(|cell| self.label(cell.value.open()));
            let (old, new) = (words(old), words(new).unwrap_or_default());
            if old.as_ref() == Some(&new) || (old.is_none() && new.is_empty()) {
                continue;
            }
            if lines.len() >= VALUES {
                more += 1;
                continue;
            }
            let of = match &key.thing {
                Thing::Game => String::new(),
                thing => trial
                    .judge
                    .look(self.now, |tx| tx.label(&Datum::Thing(thing.clone()))),
            };
            let lead = format!("{of} {}:", self.title_after(trial, key));
            let named = |word: String| {
                if word.is_empty() {
                    "nothing".to_owned()
                } else {
                    word
                }
            };
            let text = match old {
                None => format!("begins at {new}"),
                Some(old) => format!("{} → {}", named(old), named(new)),
            };
            lines.push(Effect::new(lead.trim_start(), text));
        }
        if more > 0 {
            lines.push(Effect::new(
                "And more values:",
                format!("{more} that are not listed here"),
            ));
        }
        lines
    }

    /// Whether the reader may see a value under the law of today and under the law that would be.
    fn sees_both(&self, trial: &Trial, key: &CellKey) -> bool {
        let after = View {
            state: trial.judge.state(),
            law: trial.judge.law(),
            reader: self.reader(),
        };
        self.view().shown(key) && after.shown(key)
    }

    /// The title of a value as the law that would be has it, for one that is new has none today.
    fn title_after(&self, trial: &Trial, key: &CellKey) -> String {
        let law = trial.judge.law();
        let state = trial.judge.state();
        let kind = match &key.thing {
            Thing::Game => Some("Game".into()),
            Thing::Player(_) => Some("Player".into()),
            Thing::Entity(id) => state.entities.get(id).map(|row| row.kind.clone()),
            _ => None,
        };
        let decl = kind.and_then(|kind: Name| law.values.get(&(kind, key.name.clone())));
        decl.map_or_else(|| self.value_title(key), |decl| self.themed(&decl.it.title))
    }

    /// Things and people that would come or go.
    fn things_made(&self, trial: &Trial) -> Vec<Effect> {
        let mut lines = Vec::new();
        for step in &trial.event.steps {
            match &step.effect {
                Change::Entity { key, old, new } => {
                    let thing = Datum::Thing(Thing::Entity(*key));
                    match (old, new) {
                        (None, Some(row)) => {
                            let name = trial.judge.look(self.now, |tx| tx.label(&thing));
                            let lead = format!("New {}:", self.singular_of(&row.kind));
                            lines.push(Effect::new(lead, name));
                        }
                        (Some(_), None) => {
                            lines.push(Effect::new("Removed:", self.ask(|tx| tx.label(&thing))));
                        }
                        _ => {}
                    }
                }
                Change::Person {
                    key,
                    old: Some(old),
                    new,
                } => {
                    let stands = new.as_ref().map(|new| new.standing);
                    if stands != Some(old.standing) {
                        lines.push(Effect::new("Leaves the roster:", self.name(*key)));
                    }
                }
                _ => {}
            }
        }
        lines
    }

    fn actions_changed(&self, trial: &Trial) -> Vec<Effect> {
        let (old, new) = (&self.law, trial.judge.law());
        let titles = |of: &Law, other: &Law| {
            let names = of.action_order.iter();
            let names = names.filter(|name| !other.actions.contains_key(*name));
            let titles = names.filter_map(|name| of.actions.get(name));
            let titles: Vec<_> = titles.map(|decl| self.themed(&decl.it.title)).collect();
            titles.join(", ")
        };
        let mut lines = Vec::new();
        let (come, go) = (titles(new, old), titles(old, new));
        if !come.is_empty() {
            lines.push(Effect::new("New actions:", come));
        }
        if !go.is_empty() {
            lines.push(Effect::new("Actions that go:", go));
        }
        lines
    }

    /// What would begin to run by the clock.
    fn timers(&self, trial: &Trial) -> Vec<Effect> {
        let mut lines = Vec::new();
        for step in &trial.event.steps {
            let Change::Due {
                key: DueKey::Automatic(name, thing),
                old,
                new,
            } = &step.effect
            else {
                continue;
            };
            let of = match thing {
                Thing::Game => String::new(),
                thing => format!(
                    " ({})",
                    trial
                        .judge
                        .look(self.now, |tx| tx.label(&Datum::Thing(thing.clone())))
                ),
            };
            let what = format!("{}{of}", quorate_law::readable(name.as_str()));
            match (old, new) {
                (None, Some(due)) => lines.push(Effect::new(
                    "A clock would start:",
                    format!("{what}, first at {}", self.when(due.at).full()),
                )),
                (Some(_), None) => lines.push(Effect::new("A clock would stop:", what)),
                (Some(old), Some(new)) if old.at != new.at => lines.push(Effect::new(
                    "A clock would be set anew:",
                    format!("{what}, to {}", self.when(new.at).full()),
                )),
                _ => {}
            }
        }
        lines
    }

    /// Posts that would change their status by it at once.
    fn posts_flipped(&self, trial: &Trial) -> Vec<Effect> {
        let mut lines = Vec::new();
        for step in &trial.event.steps {
            let Change::Post {
                old: Some(old),
                new: Some(new),
                ..
            } = &step.effect
            else {
                continue;
            };
            if old.status != new.status && self.view().post(old) {
                let lead = format!("“{}”:", self.themed(old.title.as_str()));
                let text = format!("{} → {}", old.status, new.status);
                lines.push(Effect::new(lead, text));
            }
        }
        lines
    }
}

type Ends<'a> = (Option<&'a Cell>, Option<&'a Cell>);

/// What each changed value was at first and is at last, in the order in which they were first touched.
fn net(trial: &Trial) -> Vec<(&CellKey, Ends<'_>)> {
    let mut ends: Vec<(&CellKey, Ends<'_>)> = Vec::new();
    let mut places = BTreeMap::new();
    for step in &trial.event.steps {
        if let Change::Cell { key, old, new } = &step.effect {
            let place = *places.entry(key).or_insert(ends.len());
            match ends.get_mut(place) {
                Some((_, (_, last))) => *last = new.as_ref(),
                None => ends.push((key, (old.as_ref(), new.as_ref()))),
            }
        }
    }
    ends
}

/// How much else the check finds in a rule.
fn and_more(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(
            ", with {} more like this",
            crate::ui::plural(more, "finding", "findings")
        ),
    }
}

/// Whether a thing is there afterwards: that it goes is told once, not of each of its values.
fn exists(trial: &Trial, thing: &Thing) -> bool {
    match thing {
        Thing::Entity(id) => trial.judge.state().entities.contains_key(id),
        _ => true,
    }
}

/// Whether a value goes because its declaration does, which is told in a line of its own.
fn is_dropped(old: &Law, new: &Law, key: &CellKey, after: Option<&Cell>) -> bool {
    let knows = |law: &Law| law.values.keys().any(|(_, name)| *name == key.name);
    after.is_none() && knows(old) && !knows(new)
}
