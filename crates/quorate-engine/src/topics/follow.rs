//! What follows from a change: hooks on happenings and values, and things that happen by themselves. All of it is part of
//! the same event.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::DueKey;
use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::Trigger;
use quorate_law::stop::Answer;

use super::{automatics, conditions, duties, hooks, rulings, things};
use crate::memo::MemoKey;
use crate::tx::Tx;

/// After so many rounds what still moves is broken.
const ROUNDS_MAX: usize = 64;

/// The edition of the library from which on an automatic thing that was left out waits for something to change.
const LEFT_OUT_SINCE: u16 = 2;

/// Automatic things that were refused or broke in this event, each with how much had changed by then. What such a one wrote
/// before it failed was taken back, and must not set it off again.
type LeftAutomatics = BTreeMap<(Name, Thing), usize>;

/// Runs hooks and automatic things until nothing moves any more.
pub(crate) fn follow(tx: &Tx) -> Answer<()> {
    let mut left_out = LeftAutomatics::new();
    for _ in 0..ROUNDS_MAX {
        let moved =
            hooks_on_happenings(tx)? | hooks_on_values(tx)? | next_automatic(tx, &mut left_out)?;
        if !moved {
            return Ok(());
        }
    }
    // What is left is dropped, so that it cannot come again within this event.
    tx.take_changes();
    tx.take_happenings();
    tx.caches().take_stirred();
    tx.say(
        NoteKind::Broke,
        format!("rules set each other off more than {ROUNDS_MAX} times and were stopped"),
    );
    Ok(())
}

fn hooks_on_happenings(tx: &Tx) -> Answer<bool> {
    let happenings = tx.take_happenings();
    for happening in &happenings {
        hooks::on_happening(tx, happening)?;
    }
    Ok(!happenings.is_empty())
}

fn hooks_on_values(tx: &Tx) -> Answer<bool> {
    let changes = tx.take_changes();
    let law = Arc::clone(&tx.law);
    for change in &changes {
        for hook in &law.changed {
            let of = hook
                .it
                .of
                .as_ref()
                .is_none_or(|of| things::is_a(tx, &change.kind, of));
            if hook.it.on == change.name && of && things::exists(tx, &change.thing) {
                let args = vec![
                    Datum::Thing(change.thing.clone()),
                    change.old.clone(),
                    change.new.clone(),
                ];
                hooks::of_itself(tx, &hook.site, &hook.it.hook, args)?;
            }
        }
    }
    Ok(!changes.is_empty())
}

/// Runs the first automatic thing, in document order and by subject, whose test turned or was stirred and holds.
fn next_automatic(tx: &Tx, left_out: &mut LeftAutomatics) -> Answer<bool> {
    conditions::stir_newcomers(tx);
    let law = Arc::clone(&tx.law);
    let mut stirred = tx.caches().take_stirred();
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
                MemoKey::Test(name, thing) if name == test => Some(thing.clone()),
                _ => None,
            })
            .filter(|thing| automatics::is_subject(tx, automatic, thing))
            .collect();
        for thing in subjects {
            let holds = conditions::holds(tx, test, &thing, &automatic.site);
            let own = (automatic.it.name.clone(), thing.clone());
            let waits = left_out.get(&own) == Some(&tx.with_steps(<[_]>::len));
            if holds && after.is_none() && !waits {
                // The search starts again at the top; this one is off the list until its reads are written again.
                stirred.remove(&MemoKey::Test(test.clone(), thing.clone()));
                conditions::stamp(tx, test, &thing, holds, None);
                put_back(tx, stirred);
                let done = hooks::of_itself(
                    tx,
                    &automatic.site,
                    &automatic.it.body,
                    automatics::arguments(&automatic.it, &thing),
                )?;
                if !done && law.code.edition() >= LEFT_OUT_SINCE {
                    left_out.insert(own, tx.with_steps(<[_]>::len));
                }
                return Ok(true);
            }
            conditions::stamp(
                tx,
                test,
                &thing,
                holds,
                after.map(|after| (automatic, after)),
            );
        }
    }
    for condition in &law.conditions {
        let (test, of) = &condition.it;
        for question in &stirred {
            if let MemoKey::Test(name, thing) = question
                && name == test
                && things::exists(tx, thing)
                && things::kind_of(tx, thing).is_ok_and(|kind| things::is_a(tx, &kind, of))
            {
                let holds = conditions::holds(tx, test, thing, &condition.site);
                conditions::stamp(tx, test, thing, holds, None);
            }
        }
    }
    Ok(false)
}

fn put_back(tx: &Tx, stirred: BTreeSet<MemoKey>) {
    let mut caches = tx.caches();
    for question in stirred {
        caches.stir(question);
    }
}

/// Something fell due: its body runs, or its test is asked again.
pub(crate) fn fall_due(tx: &Tx, key: &DueKey) -> Answer<()> {
    tx.set_due(key.clone(), None);
    match key {
        DueKey::Recheck(test, thing) => {
            tx.caches().stir(MemoKey::Test(test.clone(), thing.clone()));
            Ok(())
        }
        DueKey::Automatic(name, thing) => automatics::fall_due(tx, name, thing),
        DueKey::Duty(id) => duties::fall_due(tx, quorate_kernel::ids::DutyId(*id)),
        // An open action's deadline is a command of its own: the default is its answer.
        DueKey::Open(..) => Ok(()),
        DueKey::Claim(id) => {
            rulings::claim_due(tx, *id);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Value;

    use crate::tiny_game::game;

    #[test]
    fn what_was_left_out_is_tried_again_once_something_changes() {
        let code = "tries = number(\"Tries\", of = player)\nfish = number(\"Fish\", of = player)\n\n\
            def hungry(p: Player) -> bool:\n    return p.tries > 0\n\n\
            def eat(p: Player):\n    p.tries += 1\n    p.fish = 1 // (p.tries - 2)\n    p.tries = 0\n\n\
            automatic(\"eat\", eat, of = player, when = hungry)\n\n\
            def fast(actor: Player, count: int):\n    actor.tries = count\n\naction(\"fast\", fast)";
        let mut game = game(code);
        let event = game.act("fast", &[("count", Value::Int(1))]);
        let broke = event.expect("anybody may").notes;
        assert_eq!(broke.len(), 1, "it broke more than once: {broke:?}");
        assert!(broke[0].text.contains("left out"), "{broke:?}");
        let Ok(event) = game.act("fast", &[("count", Value::Int(2))]) else {
            panic!("anybody may");
        };
        assert!(
            !event
                .notes
                .iter()
                .any(|note| note.text.contains("left out"))
        );
    }

    #[test]
    fn a_hook_on_a_value_runs_in_the_same_event() {
        let mut game = game(
            "fish = number(\"Fish\", of = player)\ncats = number(\"Cats\", of = player)\n\ndef come(who: Player, old: int, new: int):\n    who.cats = new - old\n\nchanged(\"fish\", come, of = player)\n\ndef feed(actor: Player, count: int):\n    actor.fish = count\n\naction(\"feed\", feed)",
        );
        game.act("feed", &[("count", Value::Int(3))])
            .expect("anybody may");
        assert_eq!(game.value("cats"), quorate_law::datum::Datum::Int(3));
    }
}
