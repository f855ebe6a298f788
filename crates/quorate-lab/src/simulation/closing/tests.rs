use quorate_kernel::command::NewPost;

use super::*;
use crate::simulation::commands::OPEN_MAX;
use crate::simulation::tiny_book::book;

const BILLS: &str = r#"---
section: core
---
# Bills

1. A Bill is shelved after a while.

```starlark
chair = flag("Chair", of = player)
category("Bill", icons = ["for", "against"], statuses = ["pending", "shelved"])

def chairs(p: Player) -> bool:
    """To be the chair."""
    return p.chair

def open_floor(g: Game, founder: Player):
    founder.chair = True

def shelve(actor: Player, bill: Bill):
    require(now >= bill.at + days(AFTER), "a Bill that nobody wants")
    close(bill, "shelved")

on("founded", open_floor, of = game)
action("shelve", shelve, BY title = "Shelve")
```
"#;

/// A game with an open Bill that may be shelved after so many days, by the chair alone or by anybody.
fn with_a_bill(after: u32, by: &str) -> SimulatedGame {
    let rule = BILLS.replace("AFTER", &after.to_string());
    with_the_bill(&rule.replace("BY", by))
}

fn with_the_bill(rule: &str) -> SimulatedGame {
    let rules = book(&[("1-bills.md", rule)]);
    let mut game = SimulatedGame::begin(&rules, 1).expect("it begins");
    posted(&mut game, None);
    game
}

/// The first member posts a Bill.
fn posted(game: &mut SimulatedGame, patch: Option<Sealed<Patch>>) -> PostId {
    let author = Actor::Player(game.members()[0]);
    let bill = NewPost {
        category: "Bill".into(),
        title: typed("A bill"),
        body: typed(""),
        flavour: typed(""),
        fields: Vec::new(),
        patch,
    };
    let judged = game.send(author, Act::Post(Box::new(bill)));
    judged.expect("it holds").event().expect("anybody may");
    let last = game.open_matters().into_iter().next_back();
    last.expect("it is open")
}

#[test]
fn a_matter_that_an_office_never_gets_to_close_is_found() {
    let mut game = with_a_bill(400, "by = chairs,");
    let left = game.all_close().expect_err("it is not closed for a year");
    assert!(
        left.contains("A bill") && left.contains("shelve: "),
        "{left}"
    );
    assert_eq!(with_a_bill(60, "by = chairs,").all_close(), Ok(()));
    assert_eq!(
        with_a_bill(400, "").all_close(),
        Ok(()),
        "it waits for votes"
    );
}

#[test]
fn a_game_goes_on_with_fewer_matters() {
    let mut game = with_a_bill(2, "by = chairs,");
    assert_eq!(game.go_on(), Ok(()));
    assert!(game.open_matters().is_empty());
    let mut game = with_a_bill(400, "by = chairs,");
    assert_eq!(
        game.go_on(),
        Ok(()),
        "whether all close is not its question"
    );
    assert_eq!(game.open_matters().len(), 1);
}

#[test]
fn what_takes_a_matter_and_leaves_it_open_is_taken_once_a_look() {
    let rule = BILLS.replace("BY", "").replace("AFTER", "2").replace(
        "close(bill, \"shelved\")",
        "edit(bill, title = \"Another\")",
    );
    let mut game = with_the_bill(&rule);
    assert_eq!(game.all_close(), Ok(()), "it ends, for it waits for votes");
    assert_eq!(game.go_on(), Ok(()));
}

#[test]
fn who_finds_as_many_matters_open_as_there_may_be_brings_no_other() {
    let mut game = with_a_bill(400, "by = chairs,");
    for _ in 1..OPEN_MAX {
        assert!(!game.is_full());
        posted(&mut game, None);
    }
    assert!(game.is_full());
    let posts = (0..200).filter(|_| matches!(game.next_command().1, Act::Post(_)));
    assert_eq!(posts.count(), 0);
}

/// A chair that nobody heard of for a week is none, and the Bill is never shelved.
fn with_a_chair_that_must_speak() -> SimulatedGame {
    let rule = BILLS
        .replace("AFTER", "400")
        .replace("BY", "by = chairs,")
        .replace(
            "return p.chair",
            "return p.chair and now <= p.spoke + days(7)",
        )
        .replace(
            "def open_floor",
            "spoke = moment(\"Spoke last\", of = player)\n\n\
             def speak(comment: Comment, bill: Bill):\n    comment.author.spoke = now\n\n\
             on(\"commented\", speak, of = Bill)\n\ndef open_floor",
        )
        .replace(
            "founder.chair = True",
            "founder.chair = True\n    founder.spoke = now",
        );
    with_the_bill(&rule)
}

#[test]
fn who_closes_matters_writes_now_and_then_so_that_a_law_does_not_take_them_for_absent() {
    let mut game = with_a_chair_that_must_speak();
    let left = game.all_close().expect_err("the chair stays one");
    assert!(left.contains("a Bill that nobody wants"), "{left}");
}

#[test]
fn a_game_that_stands_still_has_everybody_vote() {
    let rule = BILLS.replace("BY", "by = chairs,").replace(
        "now >= bill.at + days(AFTER), \"a Bill that nobody wants\"",
        "len(icons(bill)) > 0, \"a vote\"",
    );
    assert_eq!(with_the_bill(&rule).all_close(), Ok(()));
    let never = rule.replace("> 0", "> 99");
    let left = with_the_bill(&never).all_close();
    let left = left.expect_err("there are not so many votes");
    assert!(left.contains("a vote"), "{left}");
}

#[test]
fn where_nobody_closes_matters_any_more_the_operator_puts_somebody_there() {
    let mut game = with_a_bill(400, "by = chairs,");
    let chair = game.members()[0];
    let clause = Clause::SetValue {
        thing: Thing::Player(chair),
        name: "chair".into(),
        value: Value::Flag(false),
    };
    repair(&mut game, clause);
    let left = game.all_close().expect_err("there is a chair again");
    assert!(left.contains("a Bill that nobody wants"), "{left}");
    assert!(game.marks_of(chair).is_empty(), "the game is as it was");
}

#[test]
fn a_closing_is_taken_on_the_first_look_after_its_time_comes() {
    let mut game = with_a_bill(60, "by = chairs,");
    let (posted, last) = (game.now, game.events.len());
    game.take_closings().expect("it closes");
    let events = game.events[last..].iter();
    let closed: Vec<_> = events
        .filter(|event| matches!(event.act, Act::Do { .. }))
        .collect();
    assert_eq!(closed.len(), 1, "{closed:?}");
    let took = closed[0].at - posted;
    assert!(took >= Span::days(60) && took <= Span::days(61), "{took}");
}

#[test]
fn a_game_may_wait_for_somebody_who_left_only_where_a_matter_says_so() {
    let rule = BILLS.replace("BY", "by = chairs,").replace(
        "now >= bill.at + days(AFTER), \"a Bill that nobody wants\"",
        "game.heir == None, \"a game without an heir\"",
    );
    let rule = rule.replace(
        "def shelve",
        "heir = reference(\"Heir\", player, of = game)\n\n\
         def carry(actor: Player, bill: Bill):\n    close(bill, \"shelved\")\n    apply(bill)\n\n\
         action(\"carry\", carry, title = \"Carry\")\n\ndef shelve",
    );
    let mut game = with_the_bill(&rule);
    let chair = game.members()[0];
    // Whoever only asked to play is no more there than whoever left.
    let mut others = game.state().people.keys().skip(1);
    let gone = *others.next().expect("somebody applied");
    let names_them = Clause::SetValue {
        thing: Thing::Game,
        name: "heir".into(),
        value: Value::Thing(Thing::Player(gone)),
    };
    let by_hand = game.aside(|game| {
        repair(game, names_them.clone());
        game.all_close()
    });
    let left = by_hand.expect_err("no matter says so");
    assert!(left.contains("a game without an heir"), "{left}");
    let patch = Patch {
        clauses: vec![names_them],
    };
    let bill = posted(&mut game, Some(Sealed::close(patch, [0; 16])));
    let args = vec![("bill".into(), Value::Thing(Thing::Post(bill)))];
    let action = "carry".into();
    let carried = game.send(Actor::Player(chair), Act::Do { action, args });
    carried.expect("it holds").event().expect("anybody may");
    assert_eq!(game.open_matters().len(), 1, "the first Bill");
    assert_eq!(game.all_close(), Ok(()));
}

fn repair(game: &mut SimulatedGame, clause: Clause) {
    let patch = Patch {
        clauses: vec![clause],
    };
    let act = Act::Repair {
        patch: Sealed::close(patch, [0; 16]),
        reason: typed("a trial"),
    };
    let judged = game.send(Actor::Operator, act).expect("it holds");
    judged.event().expect("an operator may");
}

/// Puts some words in the place of others in the one rule, and tells whether rules are as founded then.
fn amended(game: &mut SimulatedGame, from: &str, to: &str) -> bool {
    let mut rules = game.state().rules.iter();
    let (id, base) = rules
        .next()
        .map(|(id, rule)| (id.clone(), Arc::clone(&rule.text)))
        .expect("there is one");
    let text = base.replace(from, to).into();
    repair(game, Clause::AmendRule { id, base, text });
    game.is_as_founded()
}

#[test]
fn rules_are_as_founded_as_long_as_their_code_is() {
    let mut game = with_a_bill(60, "");
    assert!(
        amended(&mut game, "a while", "some time"),
        "these are words"
    );
    assert!(!amended(&mut game, "days(60)", "days(61)"));
    assert!(
        amended(&mut game, "days(61)", "days(60)"),
        "it is as it was"
    );
}

#[test]
fn what_the_law_does_to_itself_while_nobody_amends_it_is_as_founded() {
    let mut game = with_a_bill(60, "");
    game.keeps_law = true;
    assert!(amended(&mut game, "days(60)", "days(61)"));
    let aside = game.aside(|game| amended(game, "days(61)", "days(62)"));
    assert!(aside && game.is_as_founded());
    game.keeps_law = false;
    assert!(!amended(&mut game, "days(61)", "days(62)"));
}

#[test]
fn a_closing_that_was_undone_is_taken_again_with_what_its_dice_fell_for() {
    let rule = BILLS.replace("BY", "by = chairs,").replace(
        "def shelve(actor: Player, bill: Bill):\n    require(now >= bill.at + days(AFTER), \"a Bill that nobody wants\")",
        "def shelve(actor: Player, bill: Bill, word: str = \"\"):\n    note(f\"{word} {roll(6, \"Lot\")}\")",
    );
    let mut game = with_the_bill(&rule);
    let chair = Actor::Player(game.members()[0]);
    let bill = game.open_matters()[0];
    let args = vec![
        ("bill".into(), Value::Thing(Thing::Post(bill))),
        ("word".into(), Value::Text(typed("So be it"))),
    ];
    let action = "shelve".into();
    let done = game.send(chair, Act::Do { action, args });
    let event = done.expect("it holds").event().expect("the chair may").seq;
    let undo = Act::Undo {
        event,
        reason: typed("too early"),
        picks: Vec::new(),
    };
    let undone = game.send(chair, undo);
    undone
        .expect("it holds")
        .event()
        .expect("it is their own act");
    assert_eq!(game.open_matters(), [bill]);
    let mut known = KnownRefusals::none(game.events.len());
    assert!(
        game.offered(&mut known, usize::MAX, &BTreeSet::new())
            .is_none(),
        "not with other words, for the die is known"
    );
    game.redo().expect("it holds");
    assert!(game.open_matters().is_empty());
}
