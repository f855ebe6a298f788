//! What somebody still has to do again: an action that was undone after its dice fell.
//!
//! Its dice are for what it was given then. As long as the law takes that, the action is done with it first, so that nobody takes
//! a known die elsewhere, nor walks away from it: neither by giving it something else, nor by another action that is counted with it.

use std::collections::BTreeSet;

use quorate_kernel::rows::Waiting;
use quorate_kernel::{Name, PlayerId, Refusal, Value};
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;

use super::{actions, labels, last_look};
use crate::convert;
use crate::reads::ReadKey;
use crate::tx::{Deck, Frame, Tx};

/// Refuses an action if the player has undone it and now gives it something else, or has undone another one that shares a limit with
/// it: that one comes first. If several were undone, any of them may come next.
pub(crate) fn check(
    tx: &Tx,
    action: &Name,
    player: PlayerId,
    given: &[(Name, Datum)],
) -> Result<(), Refusal> {
    let undone = undone_by(tx, player);
    let is_given = |args: &[(Name, Datum)]| {
        args.len() == given.len() && args.iter().all(|one| given.contains(one))
    };
    if undone
        .iter()
        .any(|undone| undone.action == *action && is_given(&undone.args))
    {
        return Ok(());
    }
    check_others(tx, action, player)?;
    let of_it = undone.iter().find(|undone| undone.action == *action);
    let Some(undone) = of_it.filter(|undone| undone.is_possible(tx, player)) else {
        return Ok(());
    };
    let Some(decl) = tx.law.actions.get(action) else {
        return Ok(());
    };
    let what = "to be done again as it was before it was undone";
    let refusal = tx.refusal_at(&decl.site, what);
    let refusal = refusal.having(words(tx, given));
    Err(refusal.wanting(words(tx, &undone.args)))
}

/// Refuses an action, or to go on with one, if the player has undone another one that shares a limit with it.
pub(crate) fn check_others(tx: &Tx, action: &Name, player: PlayerId) -> Result<(), Refusal> {
    for undone in undone_by(tx, player) {
        let Some(decl) = tx.law.actions.get(&undone.action) else {
            continue;
        };
        let is_other = undone.action != *action;
        if !is_other || !are_counted_together(tx, &undone.action, action) {
            continue;
        }
        if undone.is_possible(tx, player) {
            let what = format!("“{}” to be done again first", decl.it.title);
            let refusal = tx.refusal_at(&decl.site, &what);
            return Err(refusal.wanting(words(tx, &undone.args)));
        }
    }
    Ok(())
}

fn words(tx: &Tx, args: &[(Name, Datum)]) -> String {
    let labels = args.iter().map(|(_, datum)| labels::label(tx, datum));
    labels.collect::<Vec<_>>().join(", ")
}

/// An action that was undone after its dice fell.
struct UndoneAction {
    action: Name,
    /// What it was given.
    args: Vec<(Name, Datum)>,
    /// The dice and choices that wait for it.
    waiting: Waiting,
}

impl UndoneAction {
    /// Whether the law takes it as far as its dice and choices lead.
    fn is_possible(&self, tx: &Tx, player: PlayerId) -> bool {
        let frame = Frame {
            actor: Some(player),
            ..tx.frame()
        };
        let answer = tx.trial(frame, || {
            *tx.deck() = Deck::of_earlier_go(&self.waiting.dice, &self.waiting.choices());
            actions::act(tx, &self.action, player, self.args.clone(), &[])?;
            last_look::check(tx)
        });
        matches!(answer, Ok(()) | Err(Stop::Asks(_)))
    }
}

/// The actions that somebody undid after their dice fell.
fn undone_by(tx: &Tx, player: PlayerId) -> Vec<UndoneAction> {
    tx.read(ReadKey::Open);
    tx.with_state(|state| {
        let rows = state.waiting.iter().filter(|(key, _)| key.who == player);
        let undone = rows.filter_map(|(key, row)| {
            let args = row.arguments()?.into_iter();
            let datum = |(name, value): (Name, Value)| (name, convert::datum(&value));
            Some(UndoneAction {
                action: key.action.clone(),
                args: args.map(datum).collect(),
                waiting: row.clone(),
            })
        });
        undone.collect()
    })
}

/// Whether a use of one action is one of the other to some limit.
fn are_counted_together(tx: &Tx, one: &Name, other: &Name) -> bool {
    let slots = |action: &Name| -> BTreeSet<Name> {
        let decl = tx.law.actions.get(action);
        let limits = decl.map(|decl| decl.it.limits.as_slice());
        let limits = limits.unwrap_or_default().iter();
        limits
            .map(|limit| limit.counted_in(action).clone())
            .collect()
    };
    !slots(one).is_disjoint(&slots(other))
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Act, Actor};
    use quorate_kernel::event::{Event, Outcome};
    use quorate_kernel::state::Effect;
    use quorate_kernel::{Name, Refusal, Value};
    use quorate_law::datum::Datum;

    use crate::offers;
    use crate::reads::ReadKey;
    use crate::tiny_game::{TinyGame, game};

    const HUNT: &str = r#"fish = number("Fish", of = player)
closed = number("Closed", of = player)

def hunt(actor: Player, pond: int):
    require(pond != actor.closed, "an open pond")
    actor.fish = 100 * pond + roll(1000000, "a catch")

def shut(actor: Player, pond: int):
    actor.closed = pond

action("hunt", hunt)
action("shut", shut)"#;

    fn hunted(game: &mut TinyGame, pond: i64) -> Result<Event, Refusal> {
        game.act("hunt", &[("pond", Value::Int(pond))])
    }

    #[test]
    fn a_die_that_was_seen_is_for_what_it_fell_for_and_for_nothing_else() {
        let mut game = game(HUNT);
        let first = hunted(&mut game, 1).expect("the pond is open");
        let die = first.tape.dice[0].result;
        let fish = game.value("fish");
        game.undo(first).expect("it can be taken back");
        assert_eq!(game.value("fish"), Datum::Int(0));
        let elsewhere = hunted(&mut game, 2).expect_err("the first pond is owed");
        assert_eq!(elsewhere.rule_id.as_str(), "house");
        assert_eq!(elsewhere.needs[0].need, "1");
        let again = hunted(&mut game, 1).expect("it is owed");
        assert_eq!((again.tape.dice[0].result, game.value("fish")), (die, fish));
        let next = hunted(&mut game, 2).expect("nothing is owed any more");
        assert_ne!(next.tape.dice[0].result, die);
    }

    const FIGHT: &str = r#"fish = number("Fish", of = player)

def fight(actor: Player):
    weapon = choose("With what?", ["axe", "bow"])
    actor.fish = roll(1000000, f"with the {weapon}")

action("fight", fight)"#;

    fn fought(game: &mut TinyGame, weapon: &str) -> Event {
        game.act("fight", &[]).expect("anybody may");
        let answer = Act::Answer {
            action: "fight".into(),
            value: Value::Word(weapon.into()),
        };
        let anna = Actor::Player(game.anna);
        game.send(anna, answer).expect("it is offered")
    }

    #[test]
    fn whoever_takes_back_their_own_action_does_it_again_with_the_same_choices() {
        let mut game = game(FIGHT);
        let first = fought(&mut game, "axe");
        let fish = game.value("fish");
        game.undo(first).expect("it can be taken back");
        assert_eq!(game.value("fish"), Datum::Int(0));
        let again = game.act("fight", &[]).expect("it is owed");
        assert_eq!(again.outcome, Outcome::Done, "nothing is asked");
        assert_eq!(again.tape.answers[0].value, Value::Word("axe".into()));
        assert_eq!(game.value("fish"), fish);
        let other = fought(&mut game, "bow");
        assert_eq!(other.outcome, Outcome::Done, "nothing is owed any more");
        assert_ne!(game.value("fish"), fish);
    }

    #[test]
    fn what_was_taken_back_and_done_again_is_owed_again_with_the_same_choices() {
        let mut game = game(FIGHT);
        let first = fought(&mut game, "axe");
        let fish = game.value("fish");
        game.undo(first).expect("it can be taken back");
        let again = game.act("fight", &[]).expect("it is owed");
        game.undo(again).expect("it can be taken back");
        game.act("fight", &[]).expect("it is owed");
        assert_eq!(game.value("fish"), fish);
    }

    const EXCURSIONS: &str = r#"fish = number("Fish", of = player)
seen = number("Seen", of = player)

def daily():
    return limit(per = "day", slot = "excursion")

def hunt(actor: Player):
    actor.fish = roll(1000000, "a catch")

def look_out(actor: Player):
    actor.seen = roll(1000000, "a view")

def nap(actor: Player):
    pass

action("hunt", hunt, limit = daily())
action("look-out", look_out, limit = daily())
action("nap", nap, limit = limit(per = "day"))"#;

    #[test]
    fn what_is_counted_with_an_undone_action_waits_until_that_is_done_again() {
        let mut game = game(EXCURSIONS);
        let first = game.act("hunt", &[]).expect("one excursion a day");
        let fish = game.value("fish");
        game.undo(first).expect("it can be taken back");
        let elsewhere = game.act("look-out", &[]).expect_err("the hunt is owed");
        assert_eq!(elsewhere.rule_id.as_str(), "house");
        assert_eq!(elsewhere.what(), "“Hunt” to be done again first");
        game.act("nap", &[]).expect("it is counted by itself");
        game.act("hunt", &[]).expect("it is owed");
        assert_eq!(game.value("fish"), fish);
        let over = game.act("look-out", &[]).expect_err("one excursion a day");
        assert_eq!(over.what(), "to be used at most once a day");
    }

    #[test]
    fn what_was_open_before_the_undo_waits_too() {
        let asks = EXCURSIONS.replace(
            "actor.seen = roll",
            "where = choose(\"Where to?\", [\"east\", \"west\"])\n    actor.seen = roll",
        );
        let mut game = game(&asks);
        game.act("look-out", &[]).expect("it asks where to");
        let first = game.act("hunt", &[]).expect("one excursion a day");
        game.undo(first).expect("it can be taken back");
        let answer = || Act::Answer {
            action: "look-out".into(),
            value: Value::Word("east".into()),
        };
        let anna = Actor::Player(game.anna);
        let elsewhere = game.send(anna, answer()).expect_err("the hunt is owed");
        assert_eq!(elsewhere.rule_id.as_str(), "house");
        assert_eq!(elsewhere.what(), "“Hunt” to be done again first");
        game.act("hunt", &[]).expect("it is owed");
        let over = game.send(anna, answer()).expect_err("the question stayed");
        assert_eq!(over.what(), "to be used at most once a day");
    }

    #[test]
    fn what_its_own_die_no_longer_allows_holds_nobody_up() {
        let shuts = EXCURSIONS
            .replace(
                "roll(1000000, \"a catch\")",
                "roll(1000000, \"a catch\")\n    require(actor.seen == 0, \"to have seen nothing\")",
            )
            .replace("    pass", "    actor.seen = 1");
        let mut game = game(&shuts);
        let first = game.act("hunt", &[]).expect("one excursion a day");
        game.undo(first).expect("it can be taken back");
        game.act("look-out", &[]).expect_err("the hunt is owed");
        game.act("nap", &[]).expect("it is counted by itself");
        game.act("hunt", &[]).expect_err("something was seen");
        game.act("look-out", &[])
            .expect("the hunt ends in a refusal");
    }

    #[test]
    fn of_two_that_are_owed_each_may_be_done_again_first() {
        let twice = EXCURSIONS.replace("per = \"day\", slot", "per = \"day\", times = 2, slot");
        for first in ["hunt", "look-out"] {
            let mut game = game(&twice);
            let done = ["hunt", "look-out"].map(|action| game.act(action, &[]).expect("two a day"));
            for event in done {
                game.undo(event).expect("it can be taken back");
            }
            game.act(first, &[]).expect("it is owed");
            let second = if first == "hunt" { "look-out" } else { "hunt" };
            game.act(second, &[]).expect("it is owed too");
        }
    }

    #[test]
    fn what_stands_again_is_owed_no_more() {
        let mut game = game(EXCURSIONS);
        let first = game.act("hunt", &[]).expect("one excursion a day");
        let die = first.tape.dice[0].result;
        let undone = game.undo(first).expect("it can be taken back");
        game.undo(undone).expect("so can that");
        let over = game.act("look-out", &[]).expect_err("one excursion a day");
        assert_eq!(over.what(), "to be used at most once a day");
        game.now = game.now + quorate_kernel::Span::days(1);
        let next = game.act("hunt", &[]).expect("another day");
        assert_ne!(next.tape.dice[0].result, die, "that one was used");
    }

    #[test]
    fn whether_something_is_owed_is_asked_again_once_it_was_undone() {
        let mut game = game(EXCURSIONS);
        let (_, reads) = game.ask(|tx| {
            tx.reading(|| {
                let look_out = &tx.law.actions[&Name::from("look-out")];
                offers::tried(tx, game.anna, look_out, vec![])
            })
        });
        let first = game.act("hunt", &[]).expect("one excursion a day");
        let undone = game.undo(first).expect("it can be taken back");
        let owes = undone.steps.iter().map(|step| &step.effect);
        let owes = owes.filter(|effect| matches!(effect, Effect::Waiting { .. }));
        let written: Vec<_> = owes.flat_map(ReadKey::written).collect();
        assert!(!written.is_empty());
        assert!(written.iter().all(|key| reads.keys().contains(key)));
    }

    #[test]
    fn what_the_law_no_longer_takes_holds_nobody_up_and_frees_no_die() {
        let mut game = game(HUNT);
        let first = hunted(&mut game, 1).expect("the pond is open");
        let die = first.tape.dice[0].result;
        game.undo(first).expect("it can be taken back");
        game.act("shut", &[("pond", Value::Int(1))])
            .expect("anybody may");
        let other = hunted(&mut game, 2).expect("the first pond is closed");
        assert_ne!(other.tape.dice[0].result, die);
        game.act("shut", &[("pond", Value::Int(2))])
            .expect("anybody may");
        let again = hunted(&mut game, 1).expect("it is open again");
        assert_eq!(again.tape.dice[0].result, die);
    }
}
