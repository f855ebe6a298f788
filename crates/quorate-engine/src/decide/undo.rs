//! Undo: an event's effects turned round on today's state.
//!
//! What was added is taken, what was set is set back if it still stands so, and else the undoer picks. Posts, comments
//! and dice are facts and stay. Dice of an undone action wait for the same player's next go at it, and are for what they fell for,
//! until an undo of that undo makes the action stand again.

use std::sync::Arc;

use quorate_kernel::command::Act;
use quorate_kernel::effect::{Step, Way};
use quorate_kernel::event::Event;
use quorate_kernel::rows::{Cell, CellKey, ClaimStanding, Use, UseKey};
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Name, Need, PlayerId, Refusal, Thing, Topic, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::Holds;
use quorate_law::stop::{Answer, Site, Stop};

use crate::convert;
use crate::law::Law;
use crate::merge;
use crate::topics::{posts, things, values};
use crate::tx::{Tx, is_of_law};

mod waits;

/// The slot in which an undone event is used up: it can be undone once, and again when its undo was undone. No action writes
/// a use of nobody, so that no rule's slot of this name gets in its way.
const UNDONE: &str = "undone";

/// A value that has moved on since, so that the undoer must say what it is to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Conflict {
    /// Which value, as `player:3 rope`.
    pub value: String,
    /// What the undo would set it back to.
    pub back: Value,
    /// What it is now.
    pub now: Value,
    /// Whether not everybody may see it, so that a refusal does not name it.
    pub hidden: bool,
}

/// Turns an event's effects round.
pub(crate) fn undo(
    tx: &Tx,
    seq: EventSeq,
    past: &[Event],
    picks: &[(String, Value)],
) -> Answer<()> {
    let Some(event) = past.iter().find(|event| event.seq == seq) else {
        return Err(Stop::no(format!("an event {seq} that can be undone")));
    };
    if event.steps.is_empty() || matches!(event.act, Act::Found(_)) {
        return Err(Stop::no("an event with effects that can be taken back"));
    }
    let done = UseKey {
        slot: UNDONE.into(),
        event: seq,
        who: None,
    };
    if tx.with_state(|state| state.uses.contains_key(&done)) {
        let undone = Refusal::plain("an event that was not undone before");
        return Err(Stop::refused(undone.about(Topic::Undone)));
    }
    waits::check(tx, event)?;
    let mut conflicts = Vec::new();
    let mut changed = false;
    let steps = event.steps.iter().rev();
    // The rules first: values go back to what the law allows that is in force again then.
    let (rules, others): (Vec<_>, Vec<_>) =
        steps.partition(|step| matches!(step.effect, Effect::Rule { .. }));
    let undone = Undone { picks, law: None };
    for step in rules {
        changed |= undone.turn(tx, step, &mut conflicts)?;
    }
    let law = tx.law_changed().then(|| in_force_again(tx, &others));
    let undone = Undone { picks, law };
    for step in others {
        changed |= undone.turn(tx, step, &mut conflicts)?;
    }
    if !conflicts.is_empty() {
        let needs = conflicts.into_iter().map(|conflict| {
            let told = |value: &Value| {
                if conflict.hidden {
                    String::new()
                } else {
                    convert::describe(&convert::datum(value))
                }
            };
            Need {
                have: told(&conflict.now),
                need: told(&conflict.back),
                what: format!("a pick for {}, which has changed since", conflict.value),
                topic: Topic::Conflict(conflict.value),
            }
        });
        return Err(Stop::refused(Refusal {
            needs: needs.collect(),
            ..Refusal::default()
        }));
    }
    if !changed {
        let refusal = Refusal::plain("an event whose effects still stand");
        return Err(Stop::refused(refusal.about(Topic::NothingStands)));
    }
    tx.write_row(done, Some(Use { at: tx.now }), Way::Put);
    waits::dice_wait_again(tx, event);
    waits::dice_wait_no_more(tx, event);
    tell(tx, event);
    Ok(())
}

/// The law that is in force again once its rules are turned round. What became of texts is part of it, though its rows are turned
/// round with all others.
fn in_force_again(tx: &Tx, others: &[&Step]) -> Arc<Law> {
    let mut state = tx.state();
    let turned = |effect: &Effect| is_of_law(effect) && !matches!(effect, Effect::About { .. });
    for step in others.iter().filter(|step| turned(&step.effect)) {
        // What no longer fits stays as it is when it is its turn.
        let _ = state.apply(&step.effect.clone().inverse());
    }
    tx.compile_of(&state)
}

/// Tells the rules of an undo: who undoes it, and whose it was.
fn tell(tx: &Tx, event: &Event) {
    let player =
        |id: Option<PlayerId>| id.map_or(Datum::None, |id| Datum::Thing(Thing::Player(id)));
    let seq = i64::try_from(event.seq.0).unwrap_or(i64::MAX);
    let told = vec![
        Datum::Thing(Thing::Game),
        player(tx.actor()),
        player(event.actor.player()),
        Datum::Int(seq),
    ];
    tx.happen("undone", "Game", told);
}

/// How effects are turned round.
struct Undone<'a> {
    /// What the undoer picked for values that have moved on.
    picks: &'a [(String, Value)],
    /// The law that is in force again, where the undo brings back another than today's.
    law: Option<Arc<Law>>,
}

impl Undone<'_> {
    /// Whether both today's law and the one that is in force again declare a value.
    fn is_declared_throughout(&self, tx: &Tx, kind: &Name, name: &Name) -> bool {
        let declares = |law: &Law| law.value(kind, name.as_str()).is_some();
        tx.law.code.edition() < waits::SECOND
            || declares(&tx.law) && self.law.as_deref().is_none_or(declares)
    }

    /// Turns one effect round; true if that changed anything.
    fn turn(&self, tx: &Tx, step: &Step, conflicts: &mut Vec<Conflict>) -> Answer<bool> {
        match &step.effect {
            Effect::Cell { key, old, new } => {
                let now = tx.with_state(|state| state.cells.get(key).cloned());
                let label = format!("{} {}", key.thing, key.name);
                let value = match back(step.way, old.as_ref(), new.as_ref(), now.as_ref()) {
                    Ok(value) => value,
                    Err(Unturned::Beyond(number)) => return Err(beyond(tx, key, number)),
                    Err(Unturned::Moved(conflict)) => {
                        // Who undoes a value that has moved on picks one of the two, and no third.
                        let pick = self.picks.iter().find(|(picked, _)| *picked == label);
                        match pick.map(|(_, value)| value.open()) {
                            Some(value) if *value == conflict.back => {
                                old.as_ref().map(|cell| cell.value.clone())
                            }
                            Some(value) if *value == conflict.now => return Ok(true),
                            _ => {
                                let cells = [old.as_ref(), new.as_ref(), now.as_ref()];
                                let mut cells = cells.into_iter().flatten();
                                conflicts.push(Conflict {
                                    value: label,
                                    hidden: cells
                                        .any(|cell| matches!(cell.value, Value::Hidden(_))),
                                    ..*conflict
                                });
                                return Ok(false);
                            }
                        }
                    }
                };
                let Ok(kind) = things::kind_of(tx, &key.thing) else {
                    return Ok(false);
                };
                if let Some(value) = &value {
                    allowed(tx, self.law.as_ref().unwrap_or(&tx.law), &kind, key, value)?;
                }
                let before = now.as_ref().map(|cell| cell.value.clone());
                if self.is_declared_throughout(tx, &kind, &key.name) {
                    values::write_cell(tx, &kind, key.clone(), value.clone(), step.way);
                } else {
                    // It comes or goes with the law, and that is no change that a rule is told of.
                    let row = value.clone().map(|value| Cell {
                        value,
                        at: tx.now,
                        by: tx.seq,
                        claimed: false,
                    });
                    tx.write_row(key.clone(), row, step.way);
                }
                Ok(before != value)
            }
            Effect::Use {
                key,
                new: Some(used),
                ..
            } => {
                let stands = tx.with_state(|state| state.uses.get(key) == Some(used));
                if stands {
                    tx.write_row::<Use>(key.clone(), None, Way::Take);
                }
                Ok(stands)
            }
            Effect::Rule { key, old, new } => {
                Ok(turn_rule(tx, key, old.as_ref(), new.as_ref(), conflicts))
            }
            Effect::Claim {
                key,
                old: None,
                new: Some(_),
            } => {
                let now = tx.with_state(|state| state.claims.get(key).cloned());
                if let Some(now) = now {
                    let undone = quorate_kernel::rows::Claim {
                        standing: ClaimStanding::Undone,
                        ..now.clone()
                    };
                    tx.put(*key, undone);
                }
                Ok(true)
            }
            // A post stays; its closing is taken back.
            Effect::Post {
                key,
                old: Some(old),
                new: Some(new),
            } if old.status != new.status => {
                let now = tx.with_state(|state| state.posts.get(key).cloned());
                let stands = now.as_ref().is_some_and(|now| now.status == new.status);
                if stands {
                    posts::change(tx, *key, |post| {
                        post.status = old.status.clone();
                        post.closed_at = old.closed_at;
                        post.closed_by = old.closed_by;
                        post.note = old.note.clone();
                    })?;
                }
                Ok(stands)
            }
            Effect::Post { .. } | Effect::Comment { .. } | Effect::Message { .. } => Ok(false),
            // Clocks and due moments follow from the values and are worked out anew.
            Effect::Clock { .. }
            | Effect::Due { .. }
            | Effect::Open { .. }
            | Effect::Waiting { .. }
            | Effect::About { .. } => Ok(false),
            other => {
                let inverse = other.clone().inverse();
                let mark = tx.mark();
                let fits = tx.with_state(|state| state.clone().apply(&inverse).is_ok());
                if fits {
                    tx.write(inverse, step.way);
                } else {
                    tx.go_back(mark);
                }
                Ok(fits)
            }
        }
    }
}

/// A value that comes out of an undo must be one that its declaration allows: nothing is stopped at the end of a range
/// here, for then less would be taken back than was done.
fn allowed(tx: &Tx, law: &Law, kind: &Name, key: &CellKey, value: &Value) -> Answer<()> {
    let Some(decl) = law.value(kind, key.name.as_str()) else {
        return Ok(());
    };
    let wanted = convert::datum(value);
    let kept = convert::value_for(&decl.it, &wanted, &mut || [0; 16]);
    let in_range = match (&decl.it.holds, &wanted) {
        (Holds::Number { min, max, .. }, Datum::Int(n)) => {
            min.is_none_or(|min| *n >= min)
                && max.is_none_or(|max| *n <= max)
                && decl.it.allows(&wanted)
        }
        _ => kept.is_ok(),
    };
    if in_range {
        return Ok(());
    }
    let refusal = tx.refusal_at(
        &decl.site,
        &format!("{} within its range after the undo", decl.it.title),
    );
    Err(refusal.having(convert::describe(&wanted)).into())
}

/// The refusal of an undo that would make a number which none of the game's numbers can be.
fn beyond(tx: &Tx, key: &CellKey, number: i128) -> Stop {
    let kind = things::kind_of(tx, &key.thing).unwrap_or_default();
    let decl = tx.law.value(&kind, key.name.as_str());
    let (site, title) = decl.map_or_else(
        || (Site::default(), key.name.to_string()),
        |decl| (decl.site.clone(), decl.it.title.clone()),
    );
    let refusal = tx.refusal_at(&site, &format!("{title} within 64 bits after the undo"));
    refusal.having(number.to_string()).into()
}

/// Why nobody but the undoer can say what a value is to be, or not even they.
enum Unturned {
    /// It has moved on since.
    Moved(Box<Conflict>),
    /// It would be this number, which leaves 64 bits.
    Beyond(i128),
}

/// What a value is to be when a change of it is taken back.
fn back(
    way: Way,
    old: Option<&Cell>,
    new: Option<&Cell>,
    now: Option<&Cell>,
) -> Result<Option<Value>, Unturned> {
    let value = |cell: Option<&Cell>| cell.map(|cell| cell.value.clone());
    let open = |cell: Option<&Cell>| cell.map(|cell| cell.value.open().clone());
    if value(now) == value(new) {
        return Ok(value(old));
    }
    match (way, open(old), open(new), open(now)) {
        (Way::Add, Some(Value::Int(old)), Some(Value::Int(new)), Some(Value::Int(now))) => {
            let number = i128::from(now) - (i128::from(new) - i128::from(old));
            let number = i64::try_from(number).map_err(|_| Unturned::Beyond(number))?;
            Ok(Some(Value::Int(number)))
        }
        (
            Way::Put | Way::Take,
            Some(Value::List(old)),
            Some(Value::List(new)),
            Some(Value::List(now)),
        ) => Ok(Some(Value::list(turned_list(&old, &new, &now)))),
        (_, old, _, now) => Err(Unturned::Moved(Box::new(Conflict {
            value: String::new(),
            back: old.unwrap_or_default(),
            now: now.unwrap_or_default(),
            hidden: false,
        }))),
    }
}

/// Takes out of `now` what came in from `old` to `new`, and puts in what went.
fn turned_list(old: &[Value], new: &[Value], now: &[Value]) -> Vec<Value> {
    let mut result = now.to_vec();
    for came in surplus(new, old) {
        if let Some(index) = result.iter().rposition(|value| *value == came) {
            result.remove(index);
        }
    }
    result.extend(surplus(old, new));
    result
}

/// What one list has more of than another, as often as it has it more.
fn surplus(more: &[Value], less: &[Value]) -> Vec<Value> {
    let mut less = less.to_vec();
    more.iter()
        .filter(
            |value| match less.iter().position(|other| other == *value) {
                Some(index) => {
                    less.remove(index);
                    false
                }
                None => true,
            },
        )
        .cloned()
        .collect()
}

fn turn_rule(
    tx: &Tx,
    id: &quorate_kernel::Name,
    old: Option<&quorate_kernel::law::Rule>,
    new: Option<&quorate_kernel::law::Rule>,
    conflicts: &mut Vec<Conflict>,
) -> bool {
    let now = tx.with_state(|state| state.rules.get(id).cloned());
    let restored = match (old, new, &now) {
        (old, new, now) if now.as_ref() == new => old.cloned(),
        (Some(old), Some(new), Some(now)) => {
            let Some(text) = merge::three_way(&new.text, &now.text, &old.text) else {
                let word = |text: &str| Value::Word(text.into());
                conflicts.push(Conflict {
                    value: format!("rule:{id}"),
                    back: word(&old.text),
                    now: word(&now.text),
                    hidden: false,
                });
                return false;
            };
            let mut rule = now.clone();
            rule.text = text.into();
            Some(rule)
        }
        _ => return false,
    };
    tx.write_row(id.clone(), restored, Way::Set);
    true
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Actor, typed};
    use quorate_kernel::patch::Clause;

    use super::*;
    use crate::tiny_game::game;

    #[test]
    fn an_undo_is_judged_under_the_law_that_it_brings_back() {
        let mut game = game("fish = number(\"Fish\", of = player, default = 3)");
        let narrower = game.amendment("default = 3", "default = 3, max = 5, outside = \"clamp\"");
        game.change(vec![game.set("fish", 30)]);
        let event = game.change(vec![narrower]);
        assert_eq!(game.value("fish"), Datum::Int(5));
        game.undo(event).expect("it can be taken back");
        assert_eq!(game.value("fish"), Datum::Int(30));
    }

    #[test]
    fn the_law_that_an_undo_brings_back_is_compiled_once() {
        let mut game = game("fish = number(\"Fish\", of = player, default = 3)");
        let id = "house".into();
        let event = game.change(vec![Clause::RepealRule { id }]);
        let steps = event.steps.iter().rev();
        let (rules, others): (Vec<_>, Vec<_>) =
            steps.partition(|step| matches!(step.effect, Effect::Rule { .. }));
        game.ask(|tx| {
            let undone = |law| Undone { picks: &[], law };
            let turn = |steps: &[&Step], law: Option<&Arc<Law>>| {
                for step in steps {
                    let turned = undone(law.cloned()).turn(tx, step, &mut Vec::new());
                    turned.expect("it can be taken back");
                }
            };
            turn(&rules, None);
            let law = in_force_again(tx, &others);
            turn(&others, Some(&law));
            assert!(Arc::ptr_eq(&law, &tx.compile()));
        });
    }

    #[test]
    fn values_that_come_back_with_their_law_set_off_no_hook() {
        let mut game = game(
            "fish = number(\"Fish\", of = player, default = 3)\n```\n\n2. They count.\n\n```starlark\ncount = number(\"Count\", of = player)\n\ndef heard(p: Player, old: int, new: int):\n    p.count += 1\n\nchanged(\"fish\", heard, of = player)",
        );
        let broken = game.amendment("default = 3", "default = nothing");
        game.change(vec![game.set("fish", 30)]);
        assert_eq!(game.value("count"), Datum::Int(1));
        let event = game.change(vec![broken]);
        game.undo(event).expect("it can be taken back");
        assert_eq!(game.value("fish"), Datum::Int(30));
        assert_eq!(game.value("count"), Datum::Int(1));
        assert!(game.judge.state().breaks.is_empty());
    }

    #[test]
    fn rules_are_told_of_an_undo_and_of_a_dispute() {
        let mut game = game(
            r#"fish = number("Fish", of = player, default = 3)
told = number("Told", of = player)

def always(a: Attempt) -> bool:
    return True

def undid(g: Game, by: Player, of: Player | None, event: int):
    by.told += event if of == None else 0

def doubted(g: Game, by: Player, claimed_by: Player):
    by.told += 1000 if claimed_by == by else 0

category("Bill", icons = ["for"], statuses = ["pending", "enacted"])
permit(scope(actions = ["claim"]), always, "nothing")
on("undone", undid)
on("disputed", doubted)"#,
        );
        let set = |value| Clause::SetValue {
            thing: Thing::Player(game.anna),
            name: "fish".into(),
            value: Value::Int(value),
        };
        let claimed = quorate_kernel::patch::Patch {
            clauses: vec![set(50)],
        };
        let claim = Act::Claim {
            patch: quorate_kernel::seal::Sealed::close(claimed, [0; 16]),
            rule: "house".into(),
            reason: typed("so it is"),
        };
        let anna = Actor::Player(game.anna);
        let event = game.change(vec![set(30)]);
        game.send(anna, claim).expect("the rule permits it");
        let claims = game
            .judge
            .state()
            .claims
            .keys()
            .copied()
            .collect::<Vec<_>>();
        let dispute = Act::Dispute {
            claim: quorate_kernel::ids::ClaimId(claims[0]),
            reason: typed("it is not"),
        };
        game.send(anna, dispute).expect("anybody may");
        assert_eq!(game.value("told"), Datum::Int(1000));
        let seq = i64::try_from(event.seq.0).expect("a small number");
        game.undo(event).expect("it can be taken back");
        assert_eq!(game.value("told"), Datum::Int(1000 + seq));
    }

    #[test]
    fn an_undo_makes_no_number_beyond_64_bits() {
        let mut game = game(
            "gold = number(\"Gold\", of = player, min = None)\n\n\
             def gain(actor: Player, more: int):\n    actor.gold += more\n\n\
             action(\"gain\", gain)",
        );
        let lost = [("more", Value::Int(-2))];
        let event = game.act("gain", &lost).expect("anybody may");
        game.change(vec![game.set("gold", i64::MAX)]);
        let refused = game.undo(event).expect_err("it is too much");
        assert_eq!(refused.what(), "Gold within 64 bits after the undo");
        assert_eq!(refused.needs[0].have, "9223372036854775809");
        assert_eq!((refused.rule.as_str(), refused.clause), ("House", 1));
        assert_eq!(game.value("gold"), Datum::Int(i64::MAX));
    }

    #[test]
    fn an_undo_takes_out_of_a_list_what_came_and_puts_in_what_went() {
        let list = |items: &[i64]| -> Vec<Value> { items.iter().map(|n| Value::Int(*n)).collect() };
        let turned = turned_list(&list(&[1, 2]), &list(&[2, 3]), &list(&[2, 3, 4]));
        assert_eq!(turned, list(&[2, 4, 1]));
    }
}
