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
use crate::law::lost::fault_words;
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
            tx.broke(site, &fault);
            let said = tx.with_state(|state| fault_words(state, &fault));
            tx.say(
                NoteKind::Broke,
                format!("the test {test} of {} broke: {said}", site.rule),
            );
            false
        }
        Err(Stop::Refused(_) | Stop::Asks(_)) => false,
    };
    let until = reads.until;
    // Tests are asked between runs, each on an account of its own.
    let kept = Kept::Datum(Datum::Bool(holds), Effort::default());
    tx.caches().keep(question, kept, reads, tx.now);
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

#[cfg(test)]
mod tests {
    use quorate_kernel::event::{Event, NoteKind};
    use quorate_kernel::rows::ClockKey;
    use quorate_kernel::{Moment, Span, Thing, Value};
    use quorate_law::datum::Datum;

    use crate::tiny_game::{TinyGame, game};

    const HUNGER: &str = r#"fish = number("Fish", of = player)
cats = number("Cats", of = player)

def hungry(p: Player) -> bool:
    return p.fish == 0

def come(p: Player):
    p.cats += 1

def feed(actor: Player, count: int):
    actor.fish = count

action("feed", feed)

# more"#;

    fn hunger(more: &str) -> TinyGame {
        game(&HUNGER.replace("# more", more))
    }

    fn feed(game: &mut TinyGame, count: i64) -> Event {
        let fed = game.act("feed", &[("count", Value::Int(count))]);
        fed.expect("anybody may")
    }

    fn since(game: &TinyGame) -> Option<Moment> {
        let key = ClockKey {
            test: "hungry".into(),
            thing: Thing::Player(game.anna),
        };
        game.judge.state().clocks.get(&key).map(|clock| clock.since)
    }

    #[test]
    fn a_clock_runs_from_when_a_test_holds_to_when_it_stops() {
        let mut game = hunger("condition(hungry, of = player)");
        assert_eq!(since(&game), Some(game.now));
        feed(&mut game, 1);
        assert_eq!(since(&game), None);
        game.now = game.now + Span::hours(1);
        feed(&mut game, 0);
        assert_eq!(since(&game), Some(game.now));
    }

    #[test]
    fn what_waits_for_a_test_happens_once_it_has_held_so_long_without_a_break() {
        let more = "automatic(\"come\", come, of = player, when = hungry, after = days(2))";
        let mut game = hunger(more);
        let founded = game.now;
        game.now = founded + Span::days(1);
        feed(&mut game, 1);
        feed(&mut game, 0);
        game.wait(founded + Span::days(3) - Span::minutes(1));
        assert_eq!(game.value("cats"), Datum::Int(0));
        game.wait(founded + Span::days(3));
        assert_eq!(game.value("cats"), Datum::Int(1));
    }

    #[test]
    fn a_test_that_compares_the_time_is_asked_again_when_it_comes() {
        let mut game = hunger(
            "def old(p: Player) -> bool:\n    return now >= game.founded_at + days(1)\n\n\
             automatic(\"come\", come, of = player, when = old)",
        );
        let due = game.now + Span::days(1);
        game.wait(due - Span::minutes(1));
        assert_eq!(game.value("cats"), Datum::Int(0));
        game.wait(due);
        assert_eq!(game.value("cats"), Datum::Int(1));
    }

    #[test]
    fn a_test_that_breaks_does_not_hold_and_the_log_says_so() {
        let mut game = hunger(
            "def sated(p: Player) -> bool:\n    return 12 // (p.fish - 1) > 3\n\n\
             automatic(\"come\", come, of = player, when = sated)",
        );
        let event = feed(&mut game, 1);
        let broke = |note: &&quorate_kernel::event::Note| note.kind == NoteKind::Broke;
        let told = &event.notes.iter().find(broke).expect("it broke").text;
        assert!(
            told.starts_with("the test sated of house broke: "),
            "{told}"
        );
        assert_eq!(game.value("cats"), Datum::Int(0));
        feed(&mut game, 3);
        assert_eq!(game.value("cats"), Datum::Int(1));
    }

    #[test]
    fn what_holds_as_a_law_begins_happens_right_after_it_unless_it_was_known_to_hold() {
        let more = "automatic(\"come\", come, of = player, when = hungry)";
        for (before, cats) in [("# nothing", 1), ("condition(hungry, of = player)", 0)] {
            let mut game = hunger(before);
            let amendment = game.amendment(before, more);
            game.change(vec![amendment]);
            assert_eq!(game.value("cats"), Datum::Int(0));
            game.wait(game.now);
            assert_eq!(game.value("cats"), Datum::Int(cats), "{before}");
        }
    }
}
