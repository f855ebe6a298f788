use quorate_kernel::command::{Act, Actor, typed};
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

fn answer(game: &mut TinyGame, action: &str, word: &str) -> Result<Event, Refusal> {
    let act = Act::Answer {
        action: action.into(),
        value: Value::Word(word.into()),
    };
    let anna = Actor::Player(game.anna);
    game.send(anna, act)
}

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
    answer(game, "fight", weapon).expect("it is offered")
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

/// The look-out asks where to, and the hunt has been undone meanwhile.
fn looking_out_as_a_hunt_is_undone() -> TinyGame {
    let asks = EXCURSIONS.replace(
        "actor.seen = roll",
        "where = choose(\"Where to?\", [\"east\", \"west\"])\n    actor.seen = roll",
    );
    let mut game = game(&asks);
    game.act("look-out", &[]).expect("it asks where to");
    let first = game.act("hunt", &[]).expect("one excursion a day");
    game.undo(first).expect("it can be taken back");
    game
}

#[test]
fn what_was_open_before_the_undo_waits_too() {
    let mut game = looking_out_as_a_hunt_is_undone();
    let elsewhere = answer(&mut game, "look-out", "east").expect_err("the hunt is owed");
    assert_eq!(elsewhere.rule_id.as_str(), "house");
    assert_eq!(elsewhere.what(), "“Hunt” to be done again first");
    game.act("hunt", &[]).expect("it is owed");
    let over = answer(&mut game, "look-out", "east").expect_err("the question stayed");
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
    let owed = game.act("look-out", &[]).expect_err("the hunt is owed");
    assert_eq!(owed.what(), "“Hunt” to be done again first");
    game.act("nap", &[]).expect("it is counted by itself");
    let seen = game.act("hunt", &[]).expect_err("something was seen");
    assert_eq!(seen.what(), "to have seen nothing");
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

const ASKS: &str = r#"fish = number("Fish", of = player)
gold = number("Gold", of = player)

def daily():
    return limit(per = "day", slot = "excursion")

def hunt(actor: Player):
    weapon = choose("With what?", ["axe", "bow"])
    catch = roll(1000000, "a catch")
    choose("For whom?", ["her", "him"])
    require(actor.gold > 0, "gold")
    actor.fish = catch

def fish_out(actor: Player, pond: int, bait: int | None):
    actor.fish = roll(1000000, "a bite")

def trip(actor: Player):
    perform("fish-out", actor, pond = 7)

def dig(actor: Player):
    actor.gold = 1

def net(actor: Player, bait: int | None):
    actor.fish = roll(1000000, "a net")

action("net", net)
action("hunt", hunt)
action("fish-out", fish_out, limit = daily())
action("trip", trip)
action("dig", dig)"#;

fn fished(game: &mut TinyGame, args: &[(&str, Value)]) -> Result<Event, Refusal> {
    game.act("fish-out", args)
}

#[test]
fn a_die_of_what_lapsed_waits_though_the_next_go_is_given_up_before_it() {
    let mut game = game(ASKS);
    game.act("hunt", &[]).expect("anybody may");
    let seen = answer(&mut game, "hunt", "axe").expect("it is offered");
    let die = seen.tape.dice[0].result;
    let lapsed = answer(&mut game, "hunt", "her").expect_err("there is no gold");
    assert_eq!(lapsed.what(), "gold");
    game.act("hunt", &[]).expect("it begins again");
    let anna = Actor::Player(game.anna);
    let gives_up = Act::Abandon {
        action: "hunt".into(),
    };
    game.send(anna, gives_up).expect_err("it says so");
    game.act("dig", &[]).expect("anybody may");
    game.act("hunt", &[]).expect("and again");
    let again = answer(&mut game, "hunt", "axe").expect("it is offered");
    assert_eq!(again.tape.dice[0].result, die);
}

#[test]
fn an_action_that_performs_what_is_owed_waits() {
    let mut game = game(ASKS);
    let first = fished(&mut game, &[("pond", Value::Int(1))]).expect("one a day");
    game.undo(first).expect("it can be taken back");
    let refused = game.act("trip", &[]).expect_err("it is owed");
    assert_eq!(refused.what(), "“Fish out” to be done again first");
    fished(&mut game, &[("pond", Value::Int(1))]).expect("it is owed");
}

#[test]
fn what_is_left_out_is_nothing() {
    let mut game = game(ASKS);
    let first = fished(&mut game, &[("pond", Value::Int(1))]).expect("one a day");
    let fish = game.value("fish");
    game.undo(first).expect("it can be taken back");
    let pond = ("pond", Value::Int(1));
    fished(&mut game, &[pond, ("bait", Value::None)]).expect("it is owed");
    assert_eq!(game.value("fish"), fish);
}

#[test]
fn an_owed_action_is_offered_though_something_may_be_left_out_of_it() {
    let mut game = game(ASKS);
    let bait = [("bait", Value::Int(3))];
    let first = game.act("net", &bait).expect("anybody may");
    game.undo(first).expect("it can be taken back");
    let open = game.ask(|tx| {
        let net = &tx.law.actions[&Name::from("net")];
        offers::offer(tx, game.anna, net).open
    });
    open.expect("with the same bait");
    let bare = game.act("net", &[]).expect_err("without it");
    let what = "to be done again as it was before it was undone";
    assert_eq!(bare.what(), what);
    game.act("net", &bait).expect("it is owed");
}

#[test]
fn an_undo_is_not_undone_once_its_action_was_done_again() {
    let mut game = game(EXCURSIONS);
    let first = game.act("hunt", &[]).expect("one excursion a day");
    let undone = game.undo(first).expect("it can be taken back");
    game.act("hunt", &[]).expect("it is owed");
    let both = game.undo(undone).expect_err("both would stand");
    assert_eq!(both.what(), "an undo whose action was not done again since");
}

#[test]
fn of_one_action_no_more_than_one_go_waits() {
    let mut game = game(HUNT);
    let [first, second] = [1, 2].map(|pond| hunted(&mut game, pond).expect("any pond"));
    game.undo(first).expect("it can be taken back");
    let more = game.undo(second.clone()).expect_err("the first waits");
    assert_eq!(more.what(), "“Hunt” to be done again first");
    hunted(&mut game, 1).expect("it is owed");
    game.undo(second).expect("nothing waits any more");
}

#[test]
fn a_question_that_runs_out_takes_no_use_from_what_is_owed() {
    let mut game = looking_out_as_a_hunt_is_undone();
    let until = game.now + quorate_kernel::Span::hours(2);
    let due = game.judge.due_command(until).expect("its time is over");
    game.now = due.at;
    let lapsed = game.send(Actor::Game, due.act).expect_err("it lapses");
    assert_eq!(lapsed.what(), "“Hunt” to be done again first");
    assert_eq!(game.value("seen"), Datum::Int(0));
    game.act("hunt", &[]).expect("it is owed");
}

#[test]
fn two_that_are_owed_and_open_again_do_not_wait_for_each_other() {
    let question = "choose(\"Well?\", [\"yes\", \"no\"])";
    let asks = EXCURSIONS
        .replace("per = \"day\", slot", "per = \"day\", times = 2, slot")
        .replace("a catch\")", &format!("a catch\")\n    {question}"))
        .replace("a view\")", &format!("a view\")\n    {question}"));
    let mut game = game(&asks);
    let done = ["hunt", "look-out"].map(|action| {
        game.act(action, &[]).expect("two a day");
        answer(&mut game, action, "yes").expect("it is offered")
    });
    let apply = Act::Apply {
        name: typed("Bert"),
        text: typed(""),
    };
    game.send(Actor::Newcomer, apply).expect("anybody may");
    let people = game.judge.state().people.keys().copied();
    let bert = people.last().expect("Bert is the second");
    for event in done {
        let undo = Act::Undo {
            event: event.seq,
            picks: Vec::new(),
            reason: typed("a step was wrong"),
        };
        game.send(Actor::Player(bert), undo).expect("anybody may");
    }
    for action in ["hunt", "look-out"] {
        game.act(action, &[]).expect("it is owed");
    }
    for action in ["hunt", "look-out"] {
        answer(&mut game, action, "no").expect("it is open");
    }
}

const PONDS: &str = r#"fish = number("Fish", of = player)
gold = number("Gold", of = player, default = 1)

def hunt(actor: Player, pond: int):
    choose("With what?", ["axe", "bow"])
    actor.fish = roll(1000000, "a catch")
    choose("For whom?", ["her", "him"])

def paid(actor: Player, pond: int):
    require(actor.gold > 0, "gold")

def spend(actor: Player):
    actor.gold = 0

action("hunt", hunt)
action("spend", spend)
after("hunt", paid)"#;

/// A hunt at a pond up to the die, which has fallen.
fn hunted_up_to_the_die(game: &mut TinyGame, pond: i64) {
    hunted(game, pond).expect("it asks with what");
    answer(game, "hunt", "axe").expect("it is offered");
}

fn hunted_whole(game: &mut TinyGame, pond: i64) -> (Event, Datum) {
    hunted_up_to_the_die(game, pond);
    let done = answer(game, "hunt", "her").expect("it is offered");
    (done, game.value("fish"))
}

#[test]
fn the_same_action_that_is_open_with_something_else_waits_and_can_be_given_up() {
    let mut game = game(PONDS);
    let (first, fish) = hunted_whole(&mut game, 1);
    hunted(&mut game, 2).expect("it asks with what");
    game.undo(first).expect("it can be taken back");
    let elsewhere = answer(&mut game, "hunt", "axe").expect_err("the first pond is owed");
    assert_eq!(elsewhere.rule_id.as_str(), "house");
    assert_eq!(elsewhere.what(), "“Hunt” to be done again first");
    let anna = Actor::Player(game.anna);
    let action = Name::from("hunt");
    let given_up = game.send(anna, Act::Abandon { action });
    given_up.expect_err("it lapses");
    hunted(&mut game, 1).expect("it is owed");
    assert_eq!(game.value("fish"), fish);
}

#[test]
fn dice_wait_on_while_the_same_is_done_with_dice_of_its_own() {
    let mut game = game(PONDS);
    let (first, fish) = hunted_whole(&mut game, 1);
    hunted_up_to_the_die(&mut game, 1);
    game.undo(first).expect("it can be taken back");
    answer(&mut game, "hunt", "her").expect("its own die has fallen");
    assert_ne!(game.value("fish"), fish);
    hunted(&mut game, 1).expect("the first one is owed");
    assert_eq!(game.value("fish"), fish);
}

#[test]
fn what_only_a_hook_refuses_holds_nobody_up() {
    let mut game = game(PONDS);
    let (first, _) = hunted_whole(&mut game, 1);
    game.undo(first).expect("it can be taken back");
    let elsewhere = hunted(&mut game, 2).expect_err("the first pond is owed");
    assert_eq!(elsewhere.needs[0].need, "1");
    game.act("spend", &[]).expect("anybody may");
    hunted(&mut game, 2).expect("the first pond can no longer be done");
}

#[test]
fn nobody_takes_back_their_own_dice_where_they_could_not_wait() {
    let mut game = game(
        r#"fish = number("Fish", of = player)

def bitten(player: Player, answer: str):
    player.fish = roll(1000000, "a bite")

decision("bite", bitten)

def wade(actor: Player):
    ask("bite", actor, options = ["in", "out"], default = "out")

action("wade", wade)"#,
    );
    game.act("wade", &[]).expect("anybody may");
    let duties = &game.judge.state().duties;
    let (id, _) = duties.iter().next().expect("Anna is asked");
    let decide = Act::Decide {
        duty: quorate_kernel::ids::DutyId(*id),
        value: Value::Word("in".into()),
    };
    let decided = game.send(Actor::Player(game.anna), decide);
    let decided = decided.expect("it is offered");
    assert_eq!(decided.tape.dice.len(), 1);
    let own = game.undo(decided).expect_err("another die would fall");
    assert_eq!(own.what(), "somebody else to undo it, for dice fell in it");
}
