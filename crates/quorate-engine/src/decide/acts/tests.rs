use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::Standing;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{EventSeq, Id, Name, PlayerId, Refusal, Span, Value};
use quorate_law::datum::Datum;

use crate::tiny_game::{TinyGame, game, game_of_edition, new_post};

const FISH: &str = "fish = number(\"Fish\", of = player)\ncategory(\"Bill\", icons = [\"for\"], statuses = [\"pending\", \"enacted\"])";

#[test]
fn a_game_of_the_first_edition_is_judged_as_before_until_it_is_moved() {
    let mut game = game_of_edition(FISH, 1);
    game.claim(vec![game.set("fish", 4)])
        .expect("a claim was open");
    let event = game.change(vec![Clause::ChangeEdition { edition: 2 }]);
    assert!(
        event
            .notes
            .iter()
            .any(|note| note.text.contains("edition 2"))
    );
    let refused = game.claim(vec![game.set("fish", 5)]);
    let refused = refused.expect_err("a claim is closed now").to_string();
    assert!(refused.contains("by hand"), "{refused}");
    assert_eq!(game.value("fish"), Datum::Int(4));
    assert_eq!(game.judge.law().digest, game.judge.state().law_digest());
    let patch = Patch {
        clauses: vec![Clause::ChangeEdition { edition: 2 }],
    };
    let again = Act::Repair {
        patch: Sealed::close(patch, [0; 16]),
        reason: typed("once more"),
    };
    let again = game.send(Actor::Operator, again);
    assert_eq!(
        again.expect_err("it is there").what(),
        "a later edition, up to 2"
    );
}

fn apply(game: &mut TinyGame, actor: Actor) -> Result<PlayerId, Refusal> {
    let (name, text) = (typed("Bert"), typed("Hello"));
    let event = game.send(actor, Act::Apply { name, text })?;
    Ok(PlayerId(Id::new(event.seq, 0)))
}

#[test]
fn who_left_may_ask_again_and_who_was_barred_or_never_came_may_do_nothing() {
    let mut game = game(
        "def let_in(actor: Player):\n    for p in applicants():\n        admit(p)\n\n\
             def bar(actor: Player, who: Player):\n    depart(who, bar = True)\n\n\
             action(\"let-in\", let_in)\naction(\"bar\", bar)",
    );
    let leave = || Act::Leave { text: typed("") };
    let nobody = Actor::Player(PlayerId(Id::new(EventSeq(99), 0)));
    let refused = game.send(nobody, leave()).expect_err("a stranger");
    assert_eq!(
        refused.what(),
        "to be known in this game: ask to join first"
    );

    let bert = apply(&mut game, Actor::Newcomer).expect("anybody may ask");
    let standing = |game: &TinyGame| game.judge.state().people[&bert].standing;
    let refused = apply(&mut game, Actor::Player(bert)).expect_err("once");
    assert_eq!(refused.what(), "not to have asked already");
    game.act("let-in", &[]).expect("somebody waits");
    let refused = apply(&mut game, Actor::Player(bert)).expect_err("a member");
    assert_eq!(refused.what(), "not to be on the roster already");

    game.send(Actor::Player(bert), leave())
        .expect("anybody may");
    assert_eq!(standing(&game), Standing::Left);
    let refused = game.send(Actor::Player(bert), leave()).expect_err("gone");
    assert_eq!(refused.what(), "to be on the roster");
    apply(&mut game, Actor::Player(bert)).expect("who left may come back");
    game.act("let-in", &[]).expect("somebody waits");
    let who = Value::Thing(quorate_kernel::Thing::Player(bert));
    game.act("bar", &[("who", who)]).expect("anybody may");
    let refused = game.send(Actor::Player(bert), leave()).expect_err("barred");
    assert_eq!(refused.what(), "not to be barred from this game");
}

const WALKS: &str = r#"way = text("Way", of = player)

def walk(actor: Player):
    actor.way = choose("Which way?", ["left", "right"])

def gamble(actor: Player):
    if roll(6, "luck") > 0:
        actor.way = choose("Which way?", ["left", "right"])

action("walk", walk)
action("gamble", gamble)"#;

fn answer(game: &mut TinyGame, action: &str, word: &str) -> Result<(), Refusal> {
    let act = Act::Answer {
        action: action.into(),
        value: Value::Word(word.into()),
    };
    game.send(Actor::Player(game.anna), act).map(|_| ())
}

#[test]
fn an_answer_is_one_of_those_offered_and_another_leaves_the_question_open() {
    let mut game = game(WALKS);
    game.act("walk", &[]).expect("it asks");
    let refused = answer(&mut game, "walk", "up").expect_err("not offered");
    assert_eq!(refused.what(), "one of the answers to \"Which way?\"");
    assert_eq!(refused.needs[0].need, "left, right");
    assert_eq!(game.judge.state().open.len(), 1);
    answer(&mut game, "walk", "right").expect("that one is");
    assert_eq!(game.value("way"), Datum::Text("right".into()));
    assert!(game.judge.state().open.is_empty());
}

#[test]
fn an_open_action_is_given_up_before_its_first_die_and_not_after_it() {
    let mut game = game(WALKS);
    let abandon = |game: &mut TinyGame, action: &str| {
        let action = action.into();
        let refused = game.send(Actor::Player(game.anna), Act::Abandon { action });
        refused.expect_err("it comes to nothing").what().to_owned()
    };
    game.act("walk", &[]).expect("it asks");
    let told = abandon(&mut game, "walk");
    assert_eq!(told, "to go on with walk: it was given up");
    assert!(game.judge.state().open.is_empty());
    game.act("gamble", &[]).expect("it asks");
    let told = abandon(&mut game, "gamble");
    assert_eq!(told, "to be completed, since its dice have fallen");
    assert_eq!(game.judge.state().open.len(), 1);
}

#[test]
fn a_post_in_another_category_begins_anew_where_a_rule_permits_it() {
    let code = "category(\"Bill\", statuses = [\"pending\", \"withdrawn\"])\n\
            category(\"Call\", prefix = \"Call:\", statuses = [\"open\"])\n";
    let permits = "\ndef anybody(attempt: Attempt) -> bool:\n    return True\n\n\
            permit(scope(actions = [\"recategorise\", \"withdraw\"]), anybody)";
    let mut closed = game(code);
    let bill = closed
        .post(new_post("Bill", "More rope"))
        .expect("anybody may");
    let withdraw =
        |game: &mut TinyGame| game.send(Actor::Player(game.anna), Act::Withdraw { post: bill });
    let refused = withdraw(&mut closed).expect_err("no rule permits it");
    assert_eq!(refused.what(), "a rule that permits to withdraw");

    let mut game = game(&format!("{code}{permits}"));
    game.post(new_post("Bill", "More rope"))
        .expect("anybody may");
    withdraw(&mut game).expect("a rule permits it");
    let row = &game.judge.state().posts[&bill];
    assert_eq!(
        (row.status.as_str(), row.closed_at),
        ("withdrawn", Some(game.now))
    );

    let bill = game
        .post(new_post("Bill", "More fish"))
        .expect("anybody may");
    game.now = game.now + Span::hours(1);
    let category = Name::from("Call");
    let recategorise = Act::Recategorise {
        post: bill,
        category,
    };
    game.send(Actor::Player(game.anna), recategorise)
        .expect("a rule permits it");
    let row = &game.judge.state().posts[&bill];
    assert_eq!((row.status.as_str(), row.open_at), ("open", game.now));
    assert_eq!(row.title.as_str(), "Call: More fish");
}

#[test]
fn nobody_is_written_to_twice_in_one_message() {
    let mut game = game(FISH);
    let anna = game.anna;
    let mut write = |to: Vec<PlayerId>| {
        let text = typed("Fish?");
        game.send(Actor::Player(anna), Act::Message { to, text })
    };
    let refused = write(vec![anna; 10_000]).expect_err("once will do");
    assert_eq!(refused.what(), "each person to write to once");
    write(vec![anna]).expect("she is there");
}
