//! What a forecast says of a small game, part by part, and what it keeps from whom it is hidden.

use std::sync::Arc;

mod common;

use common::{BILLS, Game};
use quorate_engine::query::PageAccount;
use quorate_forecast::consequence::{Consequence, Machinery};
use quorate_forecast::{Amending, Extent, Forecast, PatchTests, Proposed, Stuck, Today, Why};
use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::{Refusal, Value};
use quorate_law::Limits;

/// A law in which nothing enacts a bill.
const NO_WAY: &str = "# Bills\n\n1. A bill is read.\n\n```starlark\n\
    category(\"Bill\", icons = [\"for\", \"against\"], statuses = [\"pending\", \"enacted\", \"failed\"])\n\n\
    def always(a: Attempt) -> bool:\n    return True\n\nforbid(scope(actions = [\"claim\"]), always, \"a proposal\")\n```\n";

/// A law that counts the votes by itself before anybody can act upon them.
const COUNTED: &str = r#"---
section: rules
---
# Bills

1. Once more than half of all are for a bill, its votes are counted; whoever then reads it out makes it law.

```starlark
category("Bill", icons = ["for", "against"], statuses = ["pending", "enacted", "failed"])
in_favour = number("Votes for", of = Post, default = 0)

def votes(post: Post, side: str) -> int:
    return len([i for i in icons(post) if i.counted and i.name == side])

def over(bill: Post) -> bool:
    return bill.in_favour == 0 and votes(bill, "for") * 2 > len(players())

def count(bill: Post):
    bill.in_favour = votes(bill, "for")

def read_out(actor: Player, bill: Bill):
    require(bill.in_favour > 0, "a bill that is counted")
    if bill.in_favour * 2 > len(players()):
        apply(bill)
    close(bill, "enacted", "")

automatic("count", count, of = Bill, when = over)
action("read-out", read_out, title = "Read out")
```
"#;

fn script(code: &str) -> String {
    format!(
        "[{{\"do\": \"script\", \"code\": {}}}]",
        serde_json::json!(code)
    )
}

fn outcomes(forecast: &Forecast) -> Vec<(f64, Consequence)> {
    let alone = forecast.alone.as_ref().expect("it could be tried");
    let outcomes = alone.changes.iter().flat_map(|change| &change.outcomes);
    outcomes
        .map(|outcome| (outcome.share, outcome.consequence.clone()))
        .collect()
}

/// The numbers that values would hold.
fn numbers(forecast: &Forecast) -> Vec<i64> {
    let numbers = outcomes(forecast)
        .into_iter()
        .filter_map(|(_, consequence)| match consequence {
            Consequence::Value {
                new: Some(Value::Int(number)),
                ..
            } => Some(number),
            _ => None,
        });
    numbers.collect()
}

#[test]
fn a_value_has_its_two_ends() {
    let forecast = Game::found().whole(&script("for p in players():\n    p.gold += 2\n"));
    let all = outcomes(&forecast);
    let [
        (
            share,
            Consequence::Value {
                of, name, old, new, ..
            },
        ),
    ] = all.as_slice()
    else {
        panic!("{all:?}");
    };
    assert!((share - 1.0).abs() < 1e-9);
    assert_eq!((of.called.as_str(), name.as_str()), ("Anna", "gold"));
    assert_eq!(
        (old.as_ref(), new),
        (Some(&Value::Int(1)), &Some(Value::Int(3)))
    );
}

#[test]
fn every_way_in_which_a_die_falls_has_its_share() {
    let forecast = Game::found().whole(&script(
        "for p in players():\n    p.gold = roll(6, \"luck\")\n",
    ));
    let throws = forecast
        .alone
        .as_ref()
        .and_then(|alone| alone.throws.as_ref());
    assert!(throws.is_some_and(|throws| throws.exact && throws.count == 6));
    let all = outcomes(&forecast);
    assert!(
        all.iter()
            .all(|(share, _)| (share - 1.0 / 6.0).abs() < 1e-9),
        "{all:?}"
    );
}

#[test]
fn what_is_hidden_from_the_reader_counts_as_never_set() {
    let mut game = Game::found();
    let save = Act::Do {
        action: "save".into(),
        args: Vec::new(),
    };
    game.send(Actor::Player(game.anna), save);
    let copied = script("for p in players():\n    p.gold = p.purse\n");
    assert_eq!(numbers(&game.whole(&copied)), [42]);
    let blind = game.forecast(&copied, Reader::Stranger, false);
    assert!(blind.blind && !numbers(&blind).contains(&42), "{blind:?}");
}

#[test]
fn rules_can_be_changed_by_what_the_law_enacts_whatever_it_is_called() {
    let game = Game::found();
    let forecast =
        game.whole("[{\"do\": \"rename_rule\", \"id\": \"gold\", \"title\": \"Riches\"}]");
    assert!(
        matches!(forecast.amending, Some(Amending::Passes(_))),
        "{:?}",
        forecast.amending
    );
    let no_way = serde_json::json!([{ "do": "replace_rule", "id": "bills", "text": NO_WAY }]);
    let forecast = game.whole(&no_way.to_string());
    let stuck = Some(Amending::Fails {
        stuck: Stuck::Enacting(None),
        today: Today::Passes,
    });
    assert_eq!(forecast.amending, stuck);
}

#[test]
fn a_law_that_counts_first_is_waited_for() {
    let game = Game::found_under(COUNTED);
    let richer = script("for p in players():\n    p.gold = 7\n");
    let forecast = game.whole(&richer);
    assert_eq!(forecast.refused, None);
    assert_eq!(numbers(&forecast), [7]);
}

#[test]
fn who_can_change_rules_by_hand_is_told_where_nobody_can_by_a_proposal() {
    let by_hand = NO_WAY.replace("forbid(", "permit(");
    let by_hand = serde_json::json!([{ "do": "replace_rule", "id": "bills", "text": by_hand }]);
    let forecast = Game::found().whole(&by_hand.to_string());
    let Some(Amending::ByHand {
        everybody, today, ..
    }) = forecast.amending
    else {
        panic!("{:?}", forecast.amending);
    };
    assert!(everybody && today == Today::Passes);
}

#[test]
fn where_all_is_forbidden_nobody_changes_a_rule_and_only_the_operator_could() {
    let stop = "# Stop\n\n1. Nothing happens.\n\n```starlark\ndef always(a: Attempt) -> bool:\n    return True\n\n\
        forbid(scope(), always, \"silence\")\n```\n";
    let stop =
        serde_json::json!([{ "do": "add_rule", "id": "stop", "section": "rules", "text": stop }]);
    let forecast = Game::found().whole(&stop.to_string());
    assert!(
        matches!(
            forecast.amending,
            Some(Amending::Fails {
                stuck: Stuck::Posting(_),
                today: Today::Passes
            })
        ),
        "{:?}",
        forecast.amending
    );
    let titled = stop.to_string().replace(
        "return True",
        "return \\\"Core\\\" not in a.args[\\\"title\\\"]",
    );
    let amending = Game::found().whole(&titled).amending;
    assert!(
        !matches!(amending, Some(Amending::Fails { .. })),
        "other words might do: {amending:?}"
    );
}

/// A change of the rule on bills.
fn bills(from: &str, to: &str) -> String {
    let text = BILLS.split("# Bills\n").nth(1).expect("it has a title");
    assert!(text.contains(from), "{from}");
    let text = format!("# Bills\n{}", text.replace(from, to));
    serde_json::json!([{ "do": "replace_rule", "id": "bills", "text": text }]).to_string()
}

#[test]
fn what_delays_or_needs_words_is_no_alarm() {
    let game = Game::found();
    let slow = bills(
        "    apply(bill)",
        "    require(now >= bill.at + days(400), \"400 days\")\n    apply(bill)",
    );
    let Some(Amending::Passes(passed)) = game.whole(&slow).amending else {
        panic!("{:?}", game.whole(&slow).amending);
    };
    assert!(passed.after >= quorate_kernel::Span::days(400));
    let spoken = bills(
        "    apply(bill)",
        "    said = [c for c in bill.comments if \"hear hear\" in c.text]\n    require(len(said) > 0, \"a cheer\")\n    apply(bill)",
    );
    let amending = game.whole(&spoken).amending;
    assert!(
        matches!(amending, Some(Amending::Unknown(Stuck::Words(_)))),
        "{amending:?}"
    );
}

#[test]
fn what_the_law_leaves_out_comes_first_and_what_it_sets_off_is_told() {
    let tagged = BILLS.replace(
        "    apply(bill)",
        "    apply(bill, leave_out = [c for c in changes(bill) if c.rule != None])",
    );
    let thanking = tagged.replace(
        "action(\"enact\"",
        "def thanks(actor: Player, bill: Bill):\n    actor.gold += 5\n\nafter(\"enact\", thanks)\naction(\"enact\"",
    );
    let game = Game::found_under(&thanking);
    let forecast =
        game.whole("[{\"do\": \"rename_rule\", \"id\": \"gold\", \"title\": \"Riches\"}]");
    let all = outcomes(&forecast);
    assert!(matches!(all[0].1, Consequence::LeftOut { .. }), "{all:?}");
    assert_eq!(numbers(&forecast), [6]);
    let needs: Vec<&str> = forecast.needs.iter().map(Refusal::what).collect();
    assert_eq!(needs, ["more than half of all"]);
}

#[test]
fn what_a_filter_of_another_rule_keeps_back_is_told_before_the_vote() {
    let thrifty = BILLS.replace(
        "action(\"enact\"",
        "def thrifty(new: int, p: Player, old: int) -> int:\n    return min(new, 5)\n\n\
         modify(\"gold\", thrifty)\naction(\"enact\"",
    );
    let game = Game::found_under(&thrifty);
    let rich = serde_json::json!([
        { "do": "set_value", "thing": "Anna", "name": "gold", "value": 9 },
    ]);
    let forecast = game.whole(&rich.to_string());
    let all = outcomes(&forecast);
    let Consequence::LeftOut { rule, why } = &all[0].1 else {
        panic!("{all:?}");
    };
    assert_eq!(rule.as_str(), "bills");
    assert!(why.ends_with("makes Gold of Anna 5 and not 9"), "{why}");
    assert_eq!(numbers(&forecast), [5]);
}

#[test]
fn a_condition_is_asked_as_the_vote_stands_and_the_other_way() {
    let mut game = Game::found();
    let gold = "for p in players():\n    p.gold = 9\n";
    let when = serde_json::json!([{ "do": "when", "test": "votes(post, \"for\") > 0", "changes": [
        { "do": "script", "code": gold },
    ]}]);
    let post = game.post(&when.to_string());
    let holds = |game: &Game| {
        let forecast = game.forecast_of(&Proposed::Post(post), Reader::Player(game.anna), false);
        let condition = forecast.conditions.first().expect("it has one").clone();
        let other = [&condition.otherwise, &condition.instead_of];
        (condition.holds, other.map(Vec::len), numbers(&forecast))
    };
    assert_eq!(holds(&game), (false, [1, 0], vec![]));
    let act = Act::Comment {
        post,
        text: typed(":for:"),
    };
    game.send(Actor::Player(game.anna), act);
    assert_eq!(holds(&game), (true, [0, 1], vec![9]));
}

#[test]
fn a_new_way_to_change_rules_is_an_alarm_and_so_is_code_that_breaks_when_it_runs() {
    let petition = "# Petitions\n\n1. Two can do it.\n\n```starlark\ncategory(\"Petition\", icons = [\"for\"], \
        statuses = [\"pending\", \"granted\"])\n\ndef grant(actor: Player, petition: Petition):\n    apply(petition)\n    \
        close(petition, \"granted\", \"\")\n\naction(\"grant\", grant)\n\ndef never(actor: Player):\n    actor.gold = 1 // 0\n\n\
        action(\"never\", never)\n```\n";
    let added = serde_json::json!([{ "do": "add_rule", "id": "petitions", "section": "rules", "text": petition }]);
    let forecast = Game::found().whole(&added.to_string());
    let alarms: Vec<Consequence> = outcomes(&forecast)
        .into_iter()
        .map(|(_, consequence)| consequence)
        .filter(Consequence::is_alarm)
        .collect();
    assert!(
        matches!(
            alarms.as_slice(),
            [
                Consequence::Breaks { clause: 1, .. },
                Consequence::Machinery {
                    sort: Machinery::Enacts,
                    comes: true,
                    ..
                }
            ]
        ),
        "{alarms:?}"
    );
    let access = forecast.access.expect("all of it was tried");
    let gained: Vec<&str> = access
        .gained
        .iter()
        .map(|gain| gain.title.as_str())
        .collect();
    assert!(gained.contains(&"Post: Petition"), "{gained:?}");
}

#[test]
fn a_die_of_a_hundred_is_thrown_in_every_way() {
    let forecast = Game::found().whole(&script(
        "for p in players():\n    p.gold = roll(100, \"luck\")\n",
    ));
    let throws = forecast.alone.and_then(|alone| alone.throws);
    assert!(throws.is_some_and(|throws| throws.exact && throws.count == 100));
}

#[test]
fn two_amendments_that_merge_show_the_line_that_nobody_wrote() {
    let mut game = Game::found();
    let gold = |game: &Game| {
        game.judge.state().rules[&quorate_kernel::Name::from("gold")]
            .text
            .to_string()
    };
    let text = gold(&game);
    let amend = |from: &str, to: &str| {
        let text = text.replace(from, to);
        let text = format!("# Gold\n\n{text}");
        serde_json::json!([{ "do": "replace_rule", "id": "gold", "text": text }]).to_string()
    };
    game.post(&amend("Everybody has", "Nobody has"));
    let forecast = game.whole(&amend("they alone know of", "nobody knows of"));
    let ahead = forecast.queue.and_then(|queue| queue.ahead).expect("one");
    assert_eq!(
        ahead.problems,
        [Why::Merged(
            "1. Nobody has gold, and a purse that nobody knows of.".to_owned()
        )]
    );
}

#[test]
fn who_can_do_what_is_compared() {
    let forecast = Game::found().whole("[{\"do\": \"repeal_rule\", \"id\": \"gold\"}]");
    let access = forecast.access.expect("all of it was tried");
    let lost: Vec<&str> = access.lost.iter().map(|gain| gain.title.as_str()).collect();
    assert_eq!(lost, ["Dig", "Save"]);
    assert!(access.gained.is_empty() && access.lost[0].everybody);
}

#[test]
fn what_is_ahead_in_the_queue_can_be_in_the_way() {
    let mut game = Game::found();
    game.post("[{\"do\": \"repeal_rule\", \"id\": \"gold\"}]");
    let forecast =
        game.whole("[{\"do\": \"rename_rule\", \"id\": \"gold\", \"title\": \"Riches\"}]");
    let ahead = forecast
        .queue
        .and_then(|queue| queue.ahead)
        .expect("one is ahead");
    assert_eq!(ahead.count, 1);
    assert!(
        matches!(ahead.problems.as_slice(), [Why::LeftOut(_)]),
        "{:?}",
        ahead.problems
    );
}

#[test]
fn a_forecast_whose_time_is_over_says_so() {
    let game = Game::found();
    let changes = "[{\"do\": \"repeal_rule\", \"id\": \"gold\"}]";
    let forecast = game.forecast(changes, Reader::Player(game.anna), true);
    assert!(!outcomes(&forecast).is_empty());
    assert_eq!(forecast.amending, Some(Amending::Unknown(Stuck::TimeOver)));
    assert!(forecast.access.is_some_and(|access| access.ended_early));
}

#[test]
fn all_parts_of_a_forecast_share_one_budget() {
    let game = Game::found();
    let changes = "[{\"do\": \"repeal_rule\", \"id\": \"gold\"}]";
    let reader = Reader::Player(game.anna);
    let proposed = Proposed::changes(game.judge.law(), game.patch(changes));
    let of = |limits| {
        let account = Arc::new(PageAccount::of(limits));
        game.forecast_paid_from(&account, &proposed, reader, false)
    };
    let whole = of(Limits::PREVIEW);
    assert_ne!(whole.amending, Some(Amending::Unknown(Stuck::TimeOver)));
    assert!(whole.access.is_some_and(|access| !access.ended_early));
    // What the enactment uses is gone for all that is looked at after it.
    let little = of(Limits {
        steps: 1,
        ..Limits::PREVIEW
    });
    assert!(!outcomes(&little).is_empty(), "what was begun is told");
    assert_eq!(little.amending, Some(Amending::Unknown(Stuck::TimeOver)));
    assert!(little.access.is_some_and(|access| access.ended_early));
}

#[test]
fn tests_of_a_preview_are_paid_from_what_the_forecast_left() {
    let game = Game::found();
    let changes = "[{\"do\": \"repeal_rule\", \"id\": \"gold\"}]";
    let reader = Reader::Player(game.anna);
    let proposed = Proposed::changes(game.judge.law(), game.patch(changes));
    let text = "```starlark-test\ndef test_one():\n    eq(1, 1)\n```\n";
    let proved = |limits| {
        let account = Arc::new(PageAccount::of(limits));
        let proof = game.forked(&account, reader, false, |fork| {
            drop(Forecast::of(fork, &proposed, Extent::Whole));
            let tests = PatchTests::of(fork, &proposed, ("the proposal", text), None);
            tests.map(|tests| tests.run(|| false))
        });
        let proof = proof.expect("the patch can be tried");
        (proof.passed, proof.left_out)
    };
    assert_eq!(proved(Limits::PREVIEW), (1, 0));
    let little = Limits {
        steps: 1,
        ..Limits::PREVIEW
    };
    assert_eq!(proved(little), (0, 1));
}

const HOSTILE: &str = include_str!("../../quorate-engine/tests/hostile/programs.star");
const HELPERS: &str = include_str!("../../quorate-engine/tests/hostile/helpers.star");

/// Of how many hostile programs one is previewed. `QUORATE_HOSTILE=all` has all of them previewed.
const ONE_OF: usize = 9;

#[test]
fn a_preview_of_hostile_code_says_what_stops_it() {
    let game = Game::found();
    let all = std::env::var("QUORATE_HOSTILE").is_ok_and(|which| which == "all");
    let one_of = if all { 1 } else { ONE_OF };
    let mut unfit = Vec::new();
    for program in HOSTILE.split("\n## ").skip(1).step_by(one_of) {
        let (head, body) = program.split_once('\n').expect("a head and a body");
        let mut words = head.split(" | ").skip(1);
        let needs_more = ["Gizmo", "post(", "allowed(", "switch("];
        if needs_more.iter().any(|word| body.contains(word)) {
            continue;
        }
        let code = format!("{HELPERS}\np = players()[0]\n{body}");
        let said = format!("{:?}", game.whole(&script(&code)));
        let fits = words.any(|words| said.contains(words) != (words == "harmless"));
        if !fits {
            unfit.push(format!("{head}: {said:.600}"));
        }
    }
    assert!(unfit.is_empty(), "{}", unfit.join("\n"));
}
