//! Long because what follows from a change is one loop over its kinds.
//!
//! What follows from a change: hooks on happenings and values, things that happen by themselves, then ranges, squares
//! and clocks. All of it is part of the same event.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_kernel::effect::Way;
use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::{Clock, ClockKey, Due, DueKey};
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, Thing, Topic, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, Schedule, Trigger};
use quorate_law::stop::{Answer, Site, Stop};

use super::Tx;
use crate::law::{At, AutomaticDecl, Law};
use crate::lens::{Effort, Kept, Question};

/// After so many rounds what still moves is broken.
const ROUNDS_MAX: usize = 64;

impl Tx {
    /// Runs hooks and automatic things until nothing moves any more.
    pub fn follow(&self) -> Answer<()> {
        for _ in 0..ROUNDS_MAX {
            let moved =
                self.hooks_on_happenings()? | self.hooks_on_values()? | self.next_automatic()?;
            if !moved {
                return Ok(());
            }
        }
        // What is left is dropped, so that it cannot come again within this event.
        self.take_changes();
        self.take_happenings();
        self.caches.borrow_mut().take_stirred();
        self.say(
            NoteKind::Broke,
            format!("rules set each other off more than {ROUNDS_MAX} times and were stopped"),
        );
        Ok(())
    }

    fn hooks_on_happenings(&self) -> Answer<bool> {
        let happenings = self.take_happenings();
        let law = Arc::clone(&self.law);
        for happening in &happenings {
            for hook in &law.on {
                let of = hook
                    .it
                    .of
                    .as_ref()
                    .is_none_or(|of| self.is_a(&happening.kind, of) || *of == happening.kind);
                if hook.it.on == happening.what && of {
                    self.hook(&hook.site, &hook.it.hook, happening.args.clone())?;
                }
            }
        }
        Ok(!happenings.is_empty())
    }

    fn hooks_on_values(&self) -> Answer<bool> {
        let changes = self.take_changes();
        let law = Arc::clone(&self.law);
        for change in &changes {
            for hook in &law.changed {
                let of = hook
                    .it
                    .of
                    .as_ref()
                    .is_none_or(|of| self.is_a(&change.kind, of));
                if hook.it.on == change.name && of && self.exists(&change.thing) {
                    let args = vec![
                        Datum::Thing(change.thing.clone()),
                        change.old.clone(),
                        change.new.clone(),
                    ];
                    self.of_itself(&hook.site, &hook.it.hook, args)?;
                }
            }
        }
        Ok(!changes.is_empty())
    }

    /// Runs what happens by itself: where the law refuses it, it does not happen, and the log says so.
    fn of_itself(&self, site: &Site, function: &Name, args: Vec<Datum>) -> Answer<()> {
        let mark = self.mark();
        match self.call_at(site, function, args) {
            Ok(_) => Ok(()),
            Err(Stop::Refused(refusal)) => {
                self.go_back(mark);
                self.say(NoteKind::Held, format!("{}: {refusal}", site.rule));
                Ok(())
            }
            Err(Stop::Broken(fault)) => {
                self.go_back(mark);
                self.broke(site, &fault.text);
                self.say(
                    NoteKind::Broke,
                    format!("{} broke and was left out: {}", site.rule, fault.text),
                );
                Ok(())
            }
            Err(ask @ Stop::Asks(_)) => Err(ask),
        }
    }

    /// Runs the first automatic thing, in document order and by subject, whose test turned or was stirred and holds.
    fn next_automatic(&self) -> Answer<bool> {
        self.stir_newcomers();
        let law = Arc::clone(&self.law);
        let mut stirred = self.caches.borrow_mut().take_stirred();
        if stirred.is_empty() {
            return Ok(false);
        }
        for automatic in &law.automatics {
            let Trigger::When { test, after } = &automatic.it.trigger else {
                continue;
            };
            let subjects: Vec<Thing> = stirred
                .iter()
                .filter_map(|question| match question {
                    Question::Test(name, thing) if name == test => Some(thing.clone()),
                    _ => None,
                })
                .filter(|thing| self.is_subject(automatic, thing))
                .collect();
            for thing in subjects {
                let holds = self.test(test, &thing, &automatic.site)?;
                if holds && after.is_none() {
                    // The search starts again at the top; this one is off the list until its reads are written again.
                    stirred.remove(&Question::Test(test.clone(), thing.clone()));
                    self.stamp(test, &thing, holds, None);
                    self.put_back(stirred);
                    self.of_itself(
                        &automatic.site,
                        &automatic.it.body,
                        arguments(&automatic.it, &thing),
                    )?;
                    return Ok(true);
                }
                self.stamp(test, &thing, holds, after.map(|after| (automatic, after)));
            }
        }
        for condition in &law.conditions {
            let (test, of) = &condition.it;
            for question in &stirred {
                if let Question::Test(name, thing) = question
                    && name == test
                    && self.exists(thing)
                    && self.kind_of(thing).is_ok_and(|kind| self.is_a(&kind, of))
                {
                    let holds = self.test(test, thing, &condition.site)?;
                    self.stamp(test, thing, holds, None);
                }
            }
        }
        Ok(false)
    }

    fn put_back(&self, stirred: BTreeSet<Question>) {
        let mut caches = self.caches.borrow_mut();
        for question in stirred {
            caches.stir(question);
        }
    }

    fn is_subject(&self, automatic: &At<AutomaticDecl>, thing: &Thing) -> bool {
        match &automatic.it.of {
            None => *thing == Thing::Game,
            Some(of) => {
                self.exists(thing)
                    && self.kind_of(thing).is_ok_and(|kind| self.is_a(&kind, of))
                    && self.is_member(thing)
            }
        }
    }

    /// Whether a thing is no person, or a person on the roster.
    pub fn is_member(&self, thing: &Thing) -> bool {
        match thing {
            Thing::Player(id) => self.with_state(|state| {
                state
                    .people
                    .get(id)
                    .is_some_and(|person| person.standing == quorate_kernel::rows::Standing::Member)
            }),
            _ => true,
        }
    }

    /// Whether a test holds for a thing; one that breaks does not.
    pub fn test(&self, test: &Name, thing: &Thing, site: &Site) -> Answer<bool> {
        let takes_thing = self
            .law
            .code
            .signature(test.as_str())
            .is_none_or(|signature| !signature.params.is_empty());
        let args = if takes_thing {
            vec![Datum::Thing(thing.clone())]
        } else {
            vec![]
        };
        let question = Question::Test(test.clone(), thing.clone());
        let known = self.caches.borrow().get(&question, self.now);
        if let Some((Kept::Datum(datum, _), reads)) = known {
            self.read_all(&reads);
            return Ok(datum == Datum::Bool(true));
        }
        let (answer, reads) = self.reading(|| self.holds_at(site, test, args));
        let holds = match answer {
            Ok(holds) => holds,
            Err(Stop::Broken(fault)) => {
                self.broke(site, &fault.text);
                self.say(
                    NoteKind::Broke,
                    format!("the test {test} of {} broke: {}", site.rule, fault.text),
                );
                false
            }
            Err(Stop::Refused(_) | Stop::Asks(_)) => false,
        };
        let until = reads.until;
        // Tests are asked between runs, each on an account of its own.
        let kept = Kept::Datum(Datum::Bool(holds), Effort::default());
        self.caches.borrow_mut().keep(question, kept, reads);
        self.set_due(
            DueKey::Recheck(test.clone(), thing.clone()),
            until.filter(|at| *at > self.now),
        );
        Ok(holds)
    }

    /// Keeps the clock of a test, and the due moment of what waits for it to hold so long.
    fn stamp(
        &self,
        test: &Name,
        thing: &Thing,
        holds: bool,
        waiting: Option<(&At<AutomaticDecl>, quorate_kernel::Span)>,
    ) {
        let key = ClockKey {
            test: test.clone(),
            thing: thing.clone(),
        };
        let old = self.with_state(|state| state.clocks.get(&key).cloned());
        let began = old.is_none() && holds;
        if began {
            self.write(
                Effect::Clock {
                    key,
                    old: None,
                    new: Some(Clock { since: self.now }),
                },
                Way::Set,
            );
        } else if old.is_some() && !holds {
            self.write(
                Effect::Clock {
                    key,
                    old,
                    new: None,
                },
                Way::Set,
            );
        }
        if let Some((automatic, after)) = waiting {
            let due = DueKey::Automatic(automatic.it.name.clone(), thing.clone());
            if began {
                self.set_due(due, Some(self.now + after));
            } else if !holds {
                self.set_due(due, None);
            }
        }
    }

    /// Sets or clears a due moment.
    pub fn set_due(&self, key: DueKey, at: Option<Moment>) {
        let old = self.with_state(|state| state.dues.get(&key).cloned());
        let new = at.map(|at| Due { at });
        self.write(Effect::Due { key, old, new }, Way::Set);
    }

    /// Things that came to be in this event are asked about for the first time; those that went have nothing due.
    fn stir_newcomers(&self) {
        let steps: Vec<Effect> = {
            let mut work = self.work.borrow_mut();
            let from = work.followed;
            work.followed = work.steps.len();
            work.steps[from.min(work.steps.len())..]
                .iter()
                .map(|step| step.effect.clone())
                .collect()
        };
        for effect in steps {
            match effect {
                Effect::Entity {
                    key,
                    old: None,
                    new: Some(entity),
                } => self.stir_tests_of(&Thing::Entity(key), &entity.kind),
                Effect::Post {
                    key,
                    old,
                    new: Some(post),
                } if old.as_ref().is_none_or(|old| old.category != post.category) => {
                    self.stir_tests_of(&Thing::Post(key), &post.category);
                }
                Effect::Person {
                    key, new: Some(_), ..
                } => self.stir_tests_of(&Thing::Player(key), &"Player".into()),
                Effect::Entity { key, new: None, .. } => self.drop_dues_of(&Thing::Entity(key)),
                _ => {}
            }
        }
    }

    fn stir_tests_of(&self, thing: &Thing, kind: &Name) {
        let tests = tests_of(&self.law, kind);
        let mut caches = self.caches.borrow_mut();
        for test in tests {
            caches.stir(Question::Test(test, thing.clone()));
        }
    }

    fn drop_dues_of(&self, thing: &Thing) {
        let keys: Vec<DueKey> = self.with_state(|state| {
            state
                .dues
                .keys()
                .filter(|key| matches!(key, DueKey::Automatic(_, of) | DueKey::Recheck(_, of) if of == thing))
                .cloned()
                .collect()
        });
        for key in keys {
            self.set_due(key, None);
        }
    }

    /// Asks every test once without acting on it: when a game is opened, when a law is new.
    pub fn ask_all_tests(&self, act: bool) {
        let law = Arc::clone(&self.law);
        let mut questions = BTreeSet::new();
        let mut add = |test: &Name, of: Option<&Name>| {
            for thing in self.subjects(of) {
                questions.insert((
                    Question::Test(test.clone(), thing.clone()),
                    test.clone(),
                    thing,
                ));
            }
        };
        for automatic in &law.automatics {
            if let Trigger::When { test, .. } = &automatic.it.trigger {
                add(test, automatic.it.of.as_ref());
            }
        }
        for condition in &law.conditions {
            add(&condition.it.0, Some(&condition.it.1));
        }
        for (question, test, thing) in questions {
            if act {
                self.caches.borrow_mut().stir(question);
            } else {
                // A test that breaks now breaks again when it matters, and is noted then.
                let _ = self.test(&test, &thing, &Site::default());
            }
        }
    }

    /// Asks some tests again without acting on them.
    pub fn ask_quietly(&self, questions: &BTreeSet<Question>) {
        for question in questions {
            if let Question::Test(test, thing) = question
                && self.exists(thing)
            {
                let _ = self.test(test, thing, &Site::default());
            }
        }
    }

    /// Asks every test of a law that begins: clocks start, and what holds already happens right after this event.
    pub fn begin_tests(&self) {
        let law = Arc::clone(&self.law);
        let begin = |test: &Name,
                     thing: &Thing,
                     site: &Site,
                     waiting: Option<(&At<AutomaticDecl>, quorate_kernel::Span)>,
                     acts: bool| {
            let holds = self.test(test, thing, site).unwrap_or(false);
            let key = ClockKey {
                test: test.clone(),
                thing: thing.clone(),
            };
            let held_before = self.base.clocks.contains_key(&key);
            self.stamp(test, thing, holds, waiting);
            if acts && holds && !held_before {
                self.set_due(DueKey::Recheck(test.clone(), thing.clone()), Some(self.now));
            }
        };
        for automatic in &law.automatics {
            if let Trigger::When { test, after } = &automatic.it.trigger {
                for thing in self.subjects(automatic.it.of.as_ref()) {
                    let waiting = after.map(|after| (automatic, after));
                    begin(test, &thing, &automatic.site, waiting, after.is_none());
                }
            }
        }
        for condition in &law.conditions {
            for thing in self.subjects(Some(&condition.it.1)) {
                begin(&condition.it.0, &thing, &condition.site, None, false);
            }
        }
    }

    /// The things of a kind that automatic things are about.
    pub fn subjects(&self, of: Option<&Name>) -> Vec<Thing> {
        match of.map(Name::as_str) {
            None | Some("Game") => vec![Thing::Game],
            Some("Player") => self
                .people(quorate_kernel::rows::Standing::Member)
                .into_iter()
                .map(Thing::Player)
                .collect(),
            Some(kind) => self.things_of(&Name::from(kind)),
        }
    }

    /// Ranges, squares and what pointed at removed things: the last look before the event stands.
    pub fn last_look(&self) -> Answer<()> {
        self.ranges_hold()?;
        self.squares_hold()
    }

    fn ranges_hold(&self) -> Answer<()> {
        let touched = self.touched_cells();
        for (kind, thing, name) in touched {
            let law = self
                .next_law
                .borrow()
                .clone()
                .unwrap_or_else(|| Arc::clone(&self.law));
            let Some(decl) = law.value(&kind, name.as_str()).cloned() else {
                continue;
            };
            let key = quorate_kernel::rows::CellKey {
                thing: thing.clone(),
                name,
            };
            let Some(value) =
                self.with_state(|state| state.cells.get(&key).map(|cell| cell.value.clone()))
            else {
                continue;
            };
            if !Self::out_of_range(&decl.it, &value) {
                continue;
            }
            let whose = self.label(&Datum::Thing(thing));
            let of = format!("{} of {whose}", decl.it.title);
            let mut refusal = self.refusal_at(&decl.site, &format!("{of} within its range"));
            refusal.needs[0].topic = Topic::Range {
                value: decl.it.name.clone(),
                of,
            };
            if let (Value::Int(n), Holds::Number { min, max, .. }) = (value.open(), &decl.it.holds)
            {
                refusal.needs[0].have = n.to_string();
                refusal.needs[0].need = range_words(*min, *max);
            }
            return Err(Stop::Refused(Box::new(refusal)));
        }
        Ok(())
    }

    fn squares_hold(&self) -> Answer<()> {
        let law = self
            .next_law
            .borrow()
            .clone()
            .unwrap_or_else(|| Arc::clone(&self.law));
        for (kind, thing, name) in self.touched_cells() {
            let Some(decl) = law.value(&kind, name.as_str()).cloned() else {
                continue;
            };
            if !matches!(decl.it.holds, Holds::Place { .. }) {
                continue;
            }
            let Datum::Square(square) = self.cell(&thing, &decl.it) else {
                continue;
            };
            let others = self.with_state(|state| {
                state
                    .cells
                    .iter()
                    .filter(|(key, cell)| {
                        key.name == name
                            && key.thing != thing
                            && *cell.value.open() == Value::Square(square.clone())
                    })
                    .map(|(key, _)| key.thing.clone())
                    .collect::<Vec<_>>()
            });
            let other = others
                .into_iter()
                .find(|other| self.exists(other) && self.kind_of(other).is_ok_and(|k| k == kind));
            if let Some(other) = other {
                let mut refusal =
                    self.refusal_at(&decl.site, &format!("{} free", self.square_name(&square)));
                refusal.needs[0].have = self.label(&Datum::Thing(other));
                return Err(Stop::Refused(Box::new(refusal)));
            }
        }
        Ok(())
    }

    fn touched_cells(&self) -> BTreeSet<(Name, Thing, Name)> {
        let keys: BTreeSet<_> = {
            let work = self.work.borrow();
            work.steps
                .iter()
                .filter_map(|step| {
                    if let Effect::Cell {
                        key, new: Some(_), ..
                    } = &step.effect
                    {
                        Some(key.clone())
                    } else {
                        None
                    }
                })
                .collect()
        };
        keys.into_iter()
            .filter_map(|key| {
                self.kind_of(&key.thing)
                    .ok()
                    .map(|kind| (kind, key.thing, key.name))
            })
            .collect()
    }

    /// Points references at nothing whose things this event removed; hooks on them see it.
    pub fn sweep_references(&self) -> bool {
        if !std::mem::take(&mut self.work.borrow_mut().removed) {
            return false;
        }
        let state = self.state();
        let mut swept = false;
        for (key, cell) in &state.cells {
            let Some(value) = self.without_gone(cell.value.open()) else {
                continue;
            };
            let Ok(kind) = self.kind_of(&key.thing) else {
                continue;
            };
            let value = if matches!(cell.value, Value::Hidden(_)) {
                value.hidden(self.salt())
            } else {
                value
            };
            self.write_cell(&kind, key.clone(), Some(value), Way::Set);
            swept = true;
        }
        swept
    }

    /// A value without the things in it that are no more; nothing where all are there.
    pub fn without_gone(&self, value: &Value) -> Option<Value> {
        match value {
            gone if self.is_gone(gone) => Some(Value::None),
            Value::List(items) if items.iter().any(|item| self.is_gone(item)) => Some(Value::list(
                items.iter().filter(|item| !self.is_gone(item)).cloned(),
            )),
            _ => None,
        }
    }

    fn is_gone(&self, value: &Value) -> bool {
        matches!(value, Value::Thing(thing @ Thing::Entity(_)) if !self.exists(thing))
    }

    /// Something fell due: its body runs, or its test is asked again.
    pub fn fall_due(&self, key: &DueKey) -> Answer<()> {
        self.set_due(key.clone(), None);
        match key {
            DueKey::Recheck(test, thing) => {
                self.caches
                    .borrow_mut()
                    .stir(Question::Test(test.clone(), thing.clone()));
                Ok(())
            }
            DueKey::Automatic(name, thing) => self.automatic_due(name, thing),
            DueKey::Duty(id) => self.duty_due(quorate_kernel::ids::DutyId(*id)),
            // An open action's deadline is a command of its own: the default is its answer.
            DueKey::Open(..) => Ok(()),
            DueKey::Claim(id) => {
                self.claim_due(*id);
                Ok(())
            }
        }
    }

    fn automatic_due(&self, name: &Name, thing: &Thing) -> Answer<()> {
        let law = Arc::clone(&self.law);
        let Some(automatic) = law
            .automatics
            .iter()
            .find(|automatic| automatic.it.name == *name)
        else {
            return Ok(());
        };
        match &automatic.it.trigger {
            Trigger::Every(_) => {
                self.schedule(automatic, self.now);
                for subject in self.subjects(automatic.it.of.as_ref()) {
                    self.of_itself(
                        &automatic.site,
                        &automatic.it.body,
                        arguments(&automatic.it, &subject),
                    )?;
                }
                Ok(())
            }
            Trigger::When { test, .. } => {
                if self.is_subject(automatic, thing) && self.test(test, thing, &automatic.site)? {
                    self.of_itself(
                        &automatic.site,
                        &automatic.it.body,
                        arguments(&automatic.it, thing),
                    )?;
                }
                Ok(())
            }
        }
    }

    /// Sets the next time of something that comes again and again.
    pub fn schedule(&self, automatic: &At<AutomaticDecl>, after: Moment) {
        let Trigger::Every(schedules) = &automatic.it.trigger else {
            return;
        };
        let next = schedules
            .iter()
            .filter_map(|schedule| next_time(schedule, after))
            .min();
        self.set_due(
            DueKey::Automatic(automatic.it.name.clone(), Thing::Game),
            next,
        );
    }

    /// Brings the due moments of automatic things in line with the law: new ones are set, those of gone ones cleared.
    pub fn schedule_all(&self) {
        let law = Arc::clone(&self.law);
        let known = |name: &Name| {
            law.automatics
                .iter()
                .find(|automatic| automatic.it.name == *name)
        };
        let gone: Vec<DueKey> = self.with_state(|state| {
            let is_gone = |key: &&DueKey| match key {
                DueKey::Automatic(name, _) => known(name).is_none(),
                DueKey::Recheck(test, _) => {
                    !law.automatics.iter().any(
                        |a| matches!(&a.it.trigger, Trigger::When { test: t, .. } if t == test),
                    ) && !law
                        .conditions
                        .iter()
                        .any(|condition| condition.it.0 == *test)
                }
                DueKey::Duty(_) | DueKey::Open(..) | DueKey::Claim(_) => false,
            };
            state.dues.keys().filter(is_gone).cloned().collect()
        });
        for key in gone {
            self.set_due(key, None);
        }
        for automatic in law
            .automatics
            .iter()
            .filter(|a| matches!(a.it.trigger, Trigger::Every(_)))
        {
            self.schedule(automatic, self.now);
        }
    }
}

/// The functions that are asked about things of a kind.
fn tests_of(law: &Law, kind: &Name) -> BTreeSet<Name> {
    let is_post = law.categories.contains_key(kind) || kind.is_empty();
    let about = |of: &Name| of == kind || (is_post && *of == "Post");
    let mut tests = BTreeSet::new();
    for automatic in &law.automatics {
        if let Trigger::When { test, .. } = &automatic.it.trigger
            && automatic.it.of.as_ref().is_some_and(about)
        {
            tests.insert(test.clone());
        }
    }
    for condition in law
        .conditions
        .iter()
        .filter(|condition| about(&condition.it.1))
    {
        tests.insert(condition.it.0.clone());
    }
    tests
}

fn arguments(automatic: &AutomaticDecl, thing: &Thing) -> Vec<Datum> {
    if automatic.of.is_some() {
        vec![Datum::Thing(thing.clone())]
    } else {
        vec![]
    }
}

/// The first time of a schedule after a moment.
pub fn next_time(schedule: &Schedule, after: Moment) -> Option<Moment> {
    use quorate_kernel::Span;
    let minute = |minute: u16| Span::minutes(i64::from(minute));
    match schedule {
        Schedule::Daily { minute: m } => {
            let today = after.day_start() + minute(*m);
            Some(if today > after {
                today
            } else {
                today + Span::days(1)
            })
        }
        Schedule::Weekly { weekday, minute: m } => {
            let this = after.week_start() + Span::days(i64::from(*weekday) - 1) + minute(*m);
            Some(if this > after {
                this
            } else {
                this + Span::days(7)
            })
        }
        Schedule::Yearly {
            month,
            day,
            minute: m,
        } => {
            let (year, ..) = after.date();
            let of = |year: i16| {
                Moment::of_date(year, i8::try_from(*month).ok()?, i8::try_from(*day).ok()?)
                    .map(|at| at + minute(*m))
            };
            // The 29th of February comes every fourth year, eight years apart at a century's turn.
            (year..=year.saturating_add(8))
                .filter_map(of)
                .find(|at| *at > after)
        }
    }
}

fn range_words(min: Option<i64>, max: Option<i64>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("{min} or more"),
        (None, Some(max)) => format!("{max} or less"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        text.parse().unwrap()
    }

    #[test]
    fn schedules_come_after_the_moment_and_never_at_it() {
        let monday = Schedule::Weekly {
            weekday: 1,
            minute: 0,
        };
        assert_eq!(
            next_time(&monday, at("2031-05-04T09:00Z")),
            Some(at("2031-05-05T00:00Z"))
        );
        assert_eq!(
            next_time(&monday, at("2031-05-05T00:00Z")),
            Some(at("2031-05-12T00:00Z"))
        );
        let noon = Schedule::Daily { minute: 720 };
        assert_eq!(
            next_time(&noon, at("2031-05-04T11:59Z")),
            Some(at("2031-05-04T12:00Z"))
        );
        let leap = Schedule::Yearly {
            month: 2,
            day: 29,
            minute: 0,
        };
        assert_eq!(
            next_time(&leap, at("2031-05-04T11:59Z")),
            Some(at("2032-02-29T00:00Z"))
        );
    }
}
