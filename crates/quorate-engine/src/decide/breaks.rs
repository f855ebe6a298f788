//! Rules that break: the refusal of a command whose own code did, and the count after which a fence sleeps.

use std::sync::Arc;

use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::{Breaks, ClauseKey};
use quorate_kernel::{Refusal, Topic};
use quorate_law::stop::{Answer, Fault, FaultKind, Stop};

use crate::law::fence_at;
use crate::law::lost::fault_words;
use crate::tx::Tx;
use crate::words::WORKING_CODE;

/// After so many breaks the clause's code sleeps.
const BREAKS_MAX: u32 = 3;

/// The refusal of a command whose own code broke.
pub(super) fn broken(tx: &Tx, fault: &Fault) -> Refusal {
    let refusal = tx.refusal_at(&fault.site, WORKING_CODE);
    let said = tx.with_state(|state| fault_words(state, fault));
    let in_line = fault.site.line > 0;
    let refusal = refusal.about(Topic::BrokenCode { in_line });
    if in_line {
        refusal.having(format!("line {}: {said}", fault.site.line))
    } else {
        refusal.having(said)
    }
}

/// Counts the breaks of this event; after the third a clause's code sleeps.
pub(super) fn count_breaks(tx: &Tx) {
    for (site, fault) in tx.finish().broken {
        // Who asks for a lost name, or calls what does, breaks there however often, and what else the clause does goes on.
        if fault.kind == FaultKind::Lost || tx.law.asks_for_lost(&site) {
            continue;
        }
        let Some(key) = tx.with_state(|state| fence_at(state, &site)) else {
            continue;
        };
        let old = tx.with_state(|state| state.breaks.get(&key).cloned());
        let times = old.as_ref().map_or(0, |row| row.times) + 1;
        let asleep = times >= BREAKS_MAX;
        if asleep {
            tx.say(
                NoteKind::Broke,
                format!(
                    "clause {} of {} has broken {times} times and sleeps from now on",
                    site.clause, site.rule
                ),
            );
        }
        tx.put(
            key,
            Breaks {
                times,
                last: fault.text,
                asleep,
            },
        );
    }
}

/// Puts the code of a clause to sleep that cost more than there is. The law is not asked: what runs away would run again.
pub(super) fn put_to_sleep(tx: &Tx, clause: &ClauseKey, why: &str) -> Answer<()> {
    let text = tx.with_state(|state| {
        let rule = state.rules.get(&clause.rule);
        rule.map(|rule| Arc::clone(&rule.text))
    });
    let read = text.map(|text| quorate_law::RuleText::parse(&text));
    let fence = usize::try_from(clause.fence).ok();
    let fence = fence.and_then(|fence| read.as_ref()?.fences.get(fence.checked_sub(1)?));
    let Some(fence) = fence else {
        return Err(Stop::no("a clause with code"));
    };
    let old = tx.with_state(|state| state.breaks.get(clause).cloned());
    if old.as_ref().is_some_and(|old| old.asleep) {
        return Err(Stop::no("a clause that is awake"));
    }
    let times = old.map_or(0, |row| row.times) + 1;
    let (number, rule) = (fence.clause, &clause.rule);
    tx.say(
        NoteKind::Broke,
        format!("clause {number} of {rule} sleeps from now on: {why}"),
    );
    tx.put(
        clause.clone(),
        Breaks {
            times,
            last: why.to_owned(),
            asleep: true,
        },
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Name;
    use quorate_kernel::command::{Act, Actor};
    use quorate_kernel::event::NoteKind;
    use quorate_kernel::rows::ClauseKey;
    use quorate_law::datum::Datum;

    use crate::tiny_game::game;

    const GUARDED: &str = r#"fish = number("Fish", of = player)

def stops(attempt: Attempt) -> bool:
    return True

def take(actor: Player):
    actor.fish += 1

action("take", take)
```

2. Nobody may.

```starlark
forbid(scope(actions = ["take"]), stops, "nothing")"#;

    fn sleep(fence: u32) -> Act {
        Act::Sleep {
            clause: ClauseKey {
                rule: Name::from("house"),
                fence,
            },
            why: "it took longer than 1 s".to_owned(),
        }
    }

    #[test]
    fn a_clause_that_cost_too_much_sleeps_at_once_and_the_rest_goes_on() {
        let mut game = game(GUARDED);
        game.act("take", &[]).expect_err("it is forbidden");
        let event = game.send(Actor::Game, sleep(2)).expect("it sleeps");
        let told = "clause 2 of house sleeps from now on: it took longer than 1 s";
        let mut notes = event.notes.iter();
        assert!(
            notes.any(|note| note.kind == NoteKind::Broke && note.text == told),
            "{event:?}"
        );
        game.act("take", &[]).expect("nothing forbids it");
        assert_eq!(game.value("fish"), Datum::Int(1));
    }

    #[test]
    fn what_breaks_as_its_law_is_taken_back_is_not_counted() {
        let mut game = game(
            r#"fish = number("Fish", of = player, default = 5)
fed = flag("Fed", of = player)

def plenty(p: Player) -> bool:
    return p.fish > 3

def feed(p: Player):
    p.fed = True

automatic("feed", feed, of = player, when = plenty)"#,
        );
        let breaks_for_many = game.amendment("p.fish > 3", "[0][p.fish] > 3");
        let changed = game.change(vec![game.set("fish", 0), breaks_for_many]);
        assert!(game.judge.state().breaks.is_empty());
        let undone = game.undo(changed).expect("it can be taken back");
        assert_eq!(game.value("fish"), Datum::Int(5));
        let mut notes = undone.notes.iter();
        assert!(notes.any(|note| note.kind == NoteKind::Broke), "{undone:?}");
        assert!(game.judge.state().breaks.is_empty());
    }

    #[test]
    fn what_sleeps_or_is_not_there_is_not_put_to_sleep_and_nobody_else_may() {
        let mut game = game(GUARDED);
        game.send(Actor::Game, sleep(2)).expect("it sleeps");
        for (fence, needed) in [(2, "awake"), (0, "with code"), (3, "with code")] {
            let refused = game.send(Actor::Game, sleep(fence)).expect_err("it cannot");
            assert!(refused.what().contains(needed), "{fence}: {refused}");
        }
        for actor in [Actor::Player(game.anna), Actor::Operator] {
            game.send(actor, sleep(1)).expect_err("the game alone may");
        }
    }
}
