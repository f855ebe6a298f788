//! What somebody still has to do again: an action that was undone after its dice fell.
//!
//! Its dice are for what it was given then. As long as the law takes that, the action is done with it first, so that nobody takes
//! a known die elsewhere, nor walks away from it.

use quorate_kernel::rows::{OpenKey, Waiting};
use quorate_kernel::{Name, PlayerId};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Stop};

use super::{actions, labels, last_look};
use crate::convert;
use crate::tx::{Frame, Tx};

/// Refuses an action that is given something else than what its dice fell for.
pub(crate) fn check(
    tx: &Tx,
    action: &Name,
    player: PlayerId,
    given: &[(Name, Datum)],
) -> Answer<()> {
    let key = OpenKey {
        who: player,
        action: action.clone(),
    };
    let waiting = tx.row::<Waiting>(&key);
    let (Some(values), Some(decl)) = (
        waiting.and_then(|row| row.arguments()),
        tx.law.actions.get(action),
    ) else {
        return Ok(());
    };
    let owed: Vec<(Name, Datum)> = values
        .iter()
        .map(|(name, value)| (name.clone(), convert::datum(value)))
        .collect();
    let is_same = owed.len() == given.len() && owed.iter().all(|one| given.contains(one));
    if is_same || !is_possible(tx, action, player, owed.clone()) {
        return Ok(());
    }
    let words = |args: &[(Name, Datum)]| {
        let labels = args.iter().map(|(_, datum)| labels::label(tx, datum));
        labels.collect::<Vec<_>>().join(", ")
    };
    let refusal = tx.refusal_at(
        &decl.site,
        "to be done again as it was before it was undone",
    );
    let (have, need) = (words(given), words(&owed));
    Err(Stop::refused(refusal.having(have).wanting(need)))
}

/// Whether the law takes an action up to its first die or question.
fn is_possible(tx: &Tx, action: &Name, player: PlayerId, args: Vec<(Name, Datum)>) -> bool {
    let frame = Frame {
        actor: Some(player),
        ..tx.frame()
    };
    let answer = tx.trial(frame, || {
        actions::act(tx, action, player, args, &[])?;
        last_look::check(tx)
    });
    matches!(answer, Ok(()) | Err(Stop::Asks(_)))
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Act, Actor};
    use quorate_kernel::event::{Event, Outcome};
    use quorate_kernel::{Refusal, Value};
    use quorate_law::datum::Datum;

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
