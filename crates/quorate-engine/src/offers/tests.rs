use quorate_kernel::{Name, Refusal, Span, Thing, Topic, Value};
use quorate_law::datum::Datum;

use super::{Offer, may_post, offer, offer_about};
use crate::tiny_game::{TinyGame, game};

const CRATES: &str = r#"crate = entity("Crate")
weight = number("Weight", of = crate)

def stow(actor: Player, weight: int):
    crate.create(weight = weight)

def lift(actor: Player, box: Crate):
    require(box.weight < 3, "a light crate")

def wait_for(actor: Player, box: Crate):
    ready = box.made_at + days(box.weight)
    require(now >= ready, "a ripe crate", next_at = ready)

def greet(actor: Player, who: Player | None):
    require(who != None, "somebody to greet")

def odds(actor: Player) -> str:
    return "as good as any"

action("stow", stow, limit = limit(per = "day", times = 5))
action("lift", lift, says = odds)
action("wait-for", wait_for)
action("greet", greet)"#;

fn stow(game: &mut TinyGame, weight: i64) {
    game.act("stow", &[("weight", Value::Int(weight))])
        .expect("there is room");
}

fn offered(game: &TinyGame, action: &str) -> Offer {
    let decl = &game.judge.law().actions[&Name::from(action)];
    game.ask(|tx| offer(tx, game.anna, decl))
}

fn refused(game: &TinyGame, action: &str) -> Refusal {
    offered(game, action).open.expect_err("it is closed")
}

#[test]
fn an_action_is_open_where_some_pick_opens_it_and_tells_more_only_then() {
    let mut game = game(CRATES);
    let nothing = refused(&game, "lift");
    let to_pick = &nothing.needs[0].topic;
    assert!(
        matches!(to_pick, Topic::NothingToPick { argument, .. } if *argument == "box"),
        "{nothing:?}"
    );
    stow(&mut game, 3);
    assert_eq!(refused(&game, "lift").what(), "a light crate");
    assert_eq!(offered(&game, "lift").says, "");
    stow(&mut game, 2);
    let offer = offered(&game, "lift");
    assert_eq!(offer.open, Ok(()));
    assert_eq!(offer.says, "as good as any");
    let options = offer.fields[0].options.as_ref();
    assert_eq!(options.map(Vec::len), Some(2));
}

#[test]
fn of_refusals_the_one_that_time_lifts_first_is_told() {
    let mut game = game(CRATES);
    for weight in [3, 1, 2] {
        stow(&mut game, weight);
    }
    let first = refused(&game, "wait-for").next_at;
    assert_eq!(first, Some(game.now + Span::days(1)));
}

#[test]
fn a_pick_that_may_stay_empty_is_tried_too() {
    let game = game(CRATES);
    assert_eq!(offered(&game, "greet").open, Ok(()));
}

#[test]
fn limits_tell_what_they_leave() {
    let mut game = game(CRATES);
    stow(&mut game, 1);
    let words: Vec<String> = offered(&game, "stow")
        .quotas
        .iter()
        .map(super::Quota::words)
        .collect();
    assert_eq!(words, ["1 of 5 a day used"]);
}

#[test]
fn an_offer_about_a_thing_is_none_where_the_law_does_not_take_it() {
    let mut game = game(CRATES);
    stow(&mut game, 3);
    stow(&mut game, 2);
    let decl = &game.judge.law().actions[&Name::from("lift")];
    let crates = game.judge.state().entities.keys();
    let taken: Vec<bool> = crates
        .map(|id| {
            let thing = Datum::Thing(Thing::Entity(*id));
            game.ask(|tx| offer_about(tx, game.anna, decl, &thing).is_some())
        })
        .collect();
    assert_eq!(taken, [false, true]);
}

#[test]
fn who_may_not_post_in_a_category_is_told_before_they_write() {
    let game = game(
        "def scribe(p: Player) -> bool:\n    return False\n\n\
             category(\"Edict\", by = scribe)\ncategory(\"Bill\")",
    );
    let may = |category: &str| {
        let decl = &game.judge.law().categories[&Name::from(category)];
        game.ask(|tx| may_post(tx, game.anna, decl))
    };
    assert_eq!(may("Bill"), Ok(()));
    let refused = may("Edict").expect_err("nobody is a scribe");
    assert_eq!(refused.what(), "to be one of the scribe");
}

#[test]
fn what_waits_for_an_answer_is_not_offered_again() {
    let mut game = game(
        r#"def doubt(actor: Player):
    choose("Well?", ["yes", "no"])

action("doubt", doubt)"#,
    );
    assert_eq!(offered(&game, "doubt").open, Ok(()));
    game.act("doubt", &[]).expect("anybody may");
    let offered = refused(&game, "doubt");
    let done = game.act("doubt", &[]).expect_err("it is open");
    let give_up = game.ask(|tx| {
        let (key, open) = game.judge.state().open.iter().next().expect("it is open");
        super::may_give_up(tx, game.anna, &key.action, open)
    });
    assert_eq!(give_up, Ok(()), "no die has fallen");
    for refusal in [offered, done] {
        assert_eq!((refusal.rule_id.as_str(), refusal.clause), ("house", 1));
        let what = "an answer to the question that this action waits for, or to give it up";
        assert_eq!(refusal.what(), what);
    }
}
