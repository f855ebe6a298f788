//! Tests of the law: whether they hold, since when, and which of them must be asked again.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::{Clock, ClockKey, DueKey};
use quorate_kernel::state::Effect;
use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::Trigger;
use quorate_law::stop::{Site, Stop};

use super::things;
use crate::law::{At, AutomaticDecl, Law};
use crate::memo::{Effort, Kept, MemoKey};
use crate::tx::Tx;

/// Whether a test holds for a thing; one that breaks does not.
pub(crate) fn holds(tx: &Tx, test: &Name, thing: &Thing, site: &Site) -> bool {
    let takes_thing = tx
        .law
        .code
        .signature(test.as_str())
        .is_none_or(|signature| !signature.params.is_empty());
    let args = if takes_thing {
        vec![Datum::Thing(thing.clone())]
    } else {
        vec![]
    };
    let question = MemoKey::Test(test.clone(), thing.clone());
    let known = tx.caches().get(&question, tx.now);
    if let Some((Kept::Datum(datum, _), reads)) = known {
        tx.read_all(&reads);
        return datum == Datum::Bool(true);
    }
    let (answer, reads) = tx.reading(|| tx.holds_at(site, test, args));
    let holds = match answer {
        Ok(holds) => holds,
        Err(Stop::Broken(fault)) => {
            tx.broke(site, &fault.text);
            tx.say(
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
    tx.caches().keep(question, kept, reads);
    tx.set_due(
        DueKey::Recheck(test.clone(), thing.clone()),
        until.filter(|at| *at > tx.now),
    );
    holds
}

/// Keeps the clock of a test, and the due moment of what waits for it to hold so long.
pub(crate) fn stamp(
    tx: &Tx,
    test: &Name,
    thing: &Thing,
    holds: bool,
    waiting: Option<(&At<AutomaticDecl>, quorate_kernel::Span)>,
) {
    let key = ClockKey {
        test: test.clone(),
        thing: thing.clone(),
    };
    let ticks = tx.row::<Clock>(&key).is_some();
    let began = !ticks && holds;
    if began {
        tx.put(key, Clock { since: tx.now });
    } else if ticks && !holds {
        tx.remove::<Clock>(key);
    }
    if let Some((automatic, after)) = waiting {
        let due = DueKey::Automatic(automatic.it.name.clone(), thing.clone());
        if began {
            tx.set_due(due, Some(tx.now + after));
        } else if !holds {
            tx.set_due(due, None);
        }
    }
}

/// Things that came to be in this event are asked about for the first time; those that went have nothing due.
pub(crate) fn stir_newcomers(tx: &Tx) {
    for effect in tx.take_new_effects() {
        match effect {
            Effect::Entity {
                key,
                old: None,
                new: Some(entity),
            } => stir_tests_of(tx, &Thing::Entity(key), &entity.kind),
            Effect::Post {
                key,
                old,
                new: Some(post),
            } if old.as_ref().is_none_or(|old| old.category != post.category) => {
                stir_tests_of(tx, &Thing::Post(key), &post.category);
            }
            Effect::Person {
                key, new: Some(_), ..
            } => stir_tests_of(tx, &Thing::Player(key), &"Player".into()),
            Effect::Entity { key, new: None, .. } => drop_dues_of(tx, &Thing::Entity(key)),
            _ => {}
        }
    }
}

fn stir_tests_of(tx: &Tx, thing: &Thing, kind: &Name) {
    let tests = tests_of(&tx.law, kind);
    let mut caches = tx.caches();
    for test in tests {
        caches.stir(MemoKey::Test(test, thing.clone()));
    }
}

fn drop_dues_of(tx: &Tx, thing: &Thing) {
    let keys: Vec<DueKey> = tx.with_state(|state| {
        state
            .dues
            .keys()
            .filter(|key| matches!(key, DueKey::Automatic(_, of) | DueKey::Recheck(_, of) if of == thing))
            .cloned()
            .collect()
    });
    for key in keys {
        tx.set_due(key, None);
    }
}

/// Asks every test once without acting on it, so that it is known on what each rests.
pub(crate) fn ask_all(tx: &Tx) {
    let law = Arc::clone(&tx.law);
    let mut questions = BTreeSet::new();
    let mut add = |test: &Name, of: Option<&Name>| {
        for thing in things::subjects(tx, of) {
            questions.insert(MemoKey::Test(test.clone(), thing));
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
    // A test that breaks now breaks again when it matters, and is noted then.
    for question in &questions {
        if let MemoKey::Test(test, thing) = question {
            holds(tx, test, thing, &Site::default());
        }
    }
}

/// Asks some tests again without acting on them.
pub(crate) fn ask_quietly(tx: &Tx, questions: &BTreeSet<MemoKey>) {
    for question in questions {
        if let MemoKey::Test(test, thing) = question
            && things::exists(tx, thing)
        {
            holds(tx, test, thing, &Site::default());
        }
    }
}

/// Asks every test of a law that begins: clocks start, and what holds already happens right after this event.
pub(crate) fn begin(tx: &Tx) {
    let law = Arc::clone(&tx.law);
    let begin = |test: &Name,
                 thing: &Thing,
                 site: &Site,
                 waiting: Option<(&At<AutomaticDecl>, quorate_kernel::Span)>,
                 acts: bool| {
        let holds = holds(tx, test, thing, site);
        let key = ClockKey {
            test: test.clone(),
            thing: thing.clone(),
        };
        let held_before = tx.base.clocks.contains_key(&key);
        stamp(tx, test, thing, holds, waiting);
        if acts && holds && !held_before {
            tx.set_due(DueKey::Recheck(test.clone(), thing.clone()), Some(tx.now));
        }
    };
    for automatic in &law.automatics {
        if let Trigger::When { test, after } = &automatic.it.trigger {
            for thing in things::subjects(tx, automatic.it.of.as_ref()) {
                let waiting = after.map(|after| (automatic, after));
                begin(test, &thing, &automatic.site, waiting, after.is_none());
            }
        }
    }
    for condition in &law.conditions {
        for thing in things::subjects(tx, Some(&condition.it.1)) {
            begin(&condition.it.0, &thing, &condition.site, None, false);
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
