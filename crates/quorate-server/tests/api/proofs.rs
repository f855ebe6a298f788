//! What a report says beyond the changes themselves: how tests go with it, what it would make of claims, and dice as odds.

use quorate_kernel::Span;
use quorate_server::ServerConfig;
use serde_json::{Value as Json, json};

use crate::Game;
use crate::table::Table;

/// The quorum of the newer rules, raised, in prose and code.
async fn two_thirds(game: &Game) -> Json {
    let rule = game.get("/rules/keywords").gives(200).await;
    let text = rule["rule"]["text"].as_str().unwrap();
    let text = text
        .replace(
            "half their number, rounded down, plus one; without",
            "two thirds of their number, rounded up; without",
        )
        .replace(
            "return majority(len(group))",
            "return ceil_div(2 * len(group), 3)",
        );
    json!([{ "do": "replace_rule", "id": "keywords", "text": text }])
}

const OWN: &str = "So be it.\n\n```starlark-test\ndef test_six_need_four():\n    g = game(\"this\", players = 6)\n    \
    eq(g.call(\"quorum\"), 4)\n\ndef test_nine_need_seven():\n    g = game(\"this\", players = 9)\n    \
    eq(g.call(\"quorum\"), 7)\n```\n";

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_own_tests_and_the_proposals_run_under_the_law_that_would_be() {
    let game = Game::of_six().await;
    let changes = two_thirds(&game).await;
    let proposal = json!({ "category": "Proposal", "title": "[Appendix] Two thirds", "body": OWN, "changes": changes });
    let made = game.post("/posts", &proposal).by(&game.anna);
    let made = made.gives(201).await;
    let post = made["post"].as_str().unwrap();
    // The first report has the place for them, and their own page has them.
    let whole = game.page(&format!("/post/{post}/effects")).await;
    let later = format!("data-later=\"/g/{}/post/{post}/effects/tests\"", game.word);
    assert!(whole.contains(&later));
    let lines = game
        .lines(&format!("/post/{post}/effects/tests"), "tests")
        .await;
    let says = |words: &str| lines.iter().any(|line| line.contains(words));
    assert!(
        says("Fails: test_nine_need_seven (the proposal, line 10): expected 7, but there was 6"),
        "{lines:#?}"
    );
    assert!(!says("test_six_need_four"), "{lines:#?}");
    assert!(
        says("(keywords.star, line") && says("expected"),
        "{lines:#?}"
    );
    assert!(
        says("Passed:") && !says("Fails today as well"),
        "{lines:#?}"
    );

    let title = "[Appendix] Two thirds";
    let draft = json!({ "changes": changes, "title": title, "tests": true, "body": OWN });
    let preview = game.post("/preview", &draft).by(&game.anna);
    let tests = &preview.gives(200).await["tests"];
    assert!(tests["passed"].as_u64().unwrap() > 3, "{tests:#}");
    assert_eq!(tests["left_out"], 0);
    let failed = tests["failed"].as_array().unwrap();
    let own: Vec<_> = failed
        .iter()
        .filter(|one| one["file"] == "the proposal")
        .collect();
    assert_eq!((own.len(), &own[0]["line"]), (1, &json!(10)));
    assert!(failed.iter().all(|one| one["fails_today"] == false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_carries_tests_in_its_text_and_they_judge_its_amendments() {
    let game = Game::of_six().await;
    let text = |most: u32| {
        format!(
            "# Wells\n\n1. Each {{player}} has Water, {most} at most.\n\n```starlark\nwater = number(\"Water\", of = player, \
             default = 0, min = 0, max = {most})\n```\n\n```starlark-test\ndef test_a_well_holds_ten():\n    \
             g = game(\"this\")\n    g.set(g.players[0], water = 10)\n```\n"
        )
    };
    let add = json!([{ "do": "add_rule", "id": "wells", "section": "dynastic", "text": text(10) }]);
    let added = json!({ "changes": add, "tests": true });
    let preview = game
        .post("/preview", &added)
        .by(&game.anna)
        .gives(200)
        .await;
    assert_eq!(
        (&preview["tests"]["passed"], &preview["tests"]["failed"]),
        (&json!(1), &json!([]))
    );
    game.comes_true("Wells", add).await;
    let less = json!([{ "do": "replace_rule", "id": "wells", "text": text(8) }]);
    let less = json!({ "changes": less, "tests": true });
    let preview = game.post("/preview", &less).by(&game.anna).gives(200).await;
    let failed = &preview["tests"]["failed"];
    assert_eq!(
        (&failed[0]["file"], &failed[0]["line"]),
        (&json!("Wells"), &json!(10)),
        "{failed:#}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_that_never_ends_is_stopped_and_the_rest_is_said_to_be_left_out() {
    let game = Game::of_six().await;
    let endless = "```starlark-test\ndef test_without_end():\n    for a in range(10000):\n        for b in range(10000):\n            \
        pass\n```\n";
    let draft = json!({ "changes": [], "tests": true, "body": endless });
    let preview = game
        .post("/preview", &draft)
        .by(&game.anna)
        .gives(200)
        .await;
    let failed = &preview["tests"]["failed"][0];
    assert_eq!(failed["test"], "test_without_end");
    assert!(
        failed["message"].as_str().unwrap().contains("steps"),
        "{failed:#}"
    );

    let config = ServerConfig {
        tests: Span(0),
        ..ServerConfig::default()
    };
    let game = Game::of_six_at(Table::of(config).await).await;
    let (changes, title) = (two_thirds(&game).await, "[Appendix] Two thirds");
    let draft = json!({ "changes": changes, "title": title, "tests": true, "body": OWN });
    let preview = game
        .post("/preview", &draft)
        .by(&game.anna)
        .gives(200)
        .await;
    let tests = &preview["tests"];
    assert_eq!(
        (&tests["passed"], &tests["failed"]),
        (&json!(0), &json!([]))
    );
    assert!(tests["left_out"].as_u64().unwrap() > 3, "{tests:#}");
}

fn wells(value: &str, more: &str) -> String {
    format!(
        "# Wells\n\n1. Each {{player}} has Water.\n\n```starlark\nwater = number(\"Water\", of = player, default = 0{value})\n\
         ```\n\n2. Nobody pours water away.\n{more}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_comes_later_is_held_against_what_was_claimed() {
    let game = Game::of_six().await;
    let add =
        json!([{ "do": "add_rule", "id": "wells", "section": "dynastic", "text": wells("", "") }]);
    game.comes_true("Wells", add).await;
    for (name, amount) in [("Bert", 4), ("Cora", 50), ("Dan", 60), ("Ed", 7)] {
        let claim = json!({ "rule": "wells", "reason": "a good spring", "changes": [
            { "do": "set_value", "thing": name, "name": "water", "value": amount },
        ] });
        game.act(&game.bert, "claim", claim).await;
    }
    let claims = game.get("/events?kind=hand&limit=1").gives(200).await;
    let last = &claims["items"][0]["seq"];
    let undo = json!({ "event": last, "reason": "I meant another" });
    game.act(&game.bert, "undo", undo).await;

    let strict = wells(", min = 0, max = 10", "");
    let amend = json!([{ "do": "replace_rule", "id": "wells", "text": strict }]);
    let post = game.propose("Strict wells", &amend).await;
    let lines = game.report(&post, "claims").await;
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(
        lines[0].contains("It would have refused, claimed by Bert (not settled):")
            && lines[0].contains("Dan Water 0 → 60")
            && lines[0].ends_with("the claim"),
        "{lines:#?}"
    );
    assert!(lines[1].contains("Cora Water 0 → 50"), "{lines:#?}");
    assert_eq!(lines[2], "Would stand as before: 1 claim.");

    let clamped = wells(", min = 0, max = 10, outside = \"clamp\"", "");
    let amend = json!([{ "do": "replace_rule", "id": "wells", "text": clamped }]);
    let post = game.propose("Soft wells", &amend).await;
    let lines = game.report(&post, "claims").await;
    assert!(
        lines[0].contains("It would have ended otherwise")
            && lines[0].contains("Dan Water 0 → 60: Dan Water 10"),
        "{lines:#?}"
    );

    let guard = "\n```starlark\ndef by_hand(a: Attempt) -> bool:\n    return True\n\n\
        forbid(scope(actions = [\"claim\"]), by_hand, \"a well, not a hand\")\n```\n";
    let amend = json!([{ "do": "replace_rule", "id": "wells", "text": wells("", guard) }]);
    let post = game.propose_by(&game.bert, "No hands", &amend).await;
    let lines = game.report(&post, "claims").await;
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(
        lines.iter().all(|line| line.contains("a well, not a hand")),
        "{lines:#?}"
    );

    let elsewhere = json!([{ "do": "set_value", "thing": "Bert", "name": "water", "value": 9 }]);
    let post = game.propose_by(&game.bert, "More water", &elsewhere).await;
    assert!(game.report(&post, "claims").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_that_changed_words_are_held_against_new_code_too() {
    let game = Game::of_six().await;
    let pen = "\n```starlark\ndef sung(a: Attempt) -> bool:\n    \
        return a.args[\"change\"].kind in [\"rule added\", \"rule amended\"]\n\n\
        permit(scope(actions = [\"claim\"]), sung, \"a song\")\n```\n";
    let songs = |last: &str, code: &str| {
        let text =
            format!("# Songs\n\n1. Bards write here as they like.\n{pen}{code}\n2. {last}\n");
        json!([{ "do": "replace_rule", "id": "songs-of-old", "text": text }])
    };
    let text = format!("# Songs\n\n1. Bards write here as they like.\n{pen}\n2. La.\n");
    let add =
        json!([{ "do": "add_rule", "id": "songs-of-old", "section": "dynastic", "text": text }]);
    game.comes_true("Songs", add).await;
    let verse = "# Verse\n\n1. La la la.\n";
    for (id, changes) in [
        (
            "verse",
            json!({ "do": "add_rule", "id": "verse", "section": "dynastic", "text": verse }),
        ),
        ("la-la", songs("La la.", "")[0].clone()),
    ] {
        let claim = json!({ "rule": "songs-of-old", "reason": id, "changes": [changes] });
        game.act(&game.bert, "claim", claim).await;
    }
    let guard = "\n```starlark\ndef by_hand(a: Attempt) -> bool:\n    return True\n\n\
        forbid(scope(actions = [\"claim\"]), by_hand, \"a bard\")\n```\n";
    let post = game.propose("A guard", &songs("La la.", guard)).await;
    let lines = game.report(&post, "claims").await;
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert!(
        lines[0].contains("It would have refused, claimed by Bert (not settled): the rule Verse:")
            && lines[0].contains("a bard"),
        "{lines:#?}"
    );
    // The guard stands in the rule that this claim changed, so that what was before it is not known.
    assert_eq!(
        lines[1],
        "Not tried: 1 claim, for a rule that it changed has been changed since."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dice_are_told_as_odds() {
    let game = Game::of_six().await;
    let one = "p = players()[0]\np.might = 10 + roll(4, \"Blessing\")\np.magic = 3\nif p.might == 14:\n    p.experience += 1\n";
    let post = game
        .propose("A blessing", &json!([{ "do": "script", "code": one }]))
        .await;
    let lines = game.report(&post, "alone").await;
    assert_eq!(
        lines[0],
        "By dice: a die of 4 (Blessing); each outcome with its share of all throws."
    );
    let line = |words: &str| {
        lines
            .iter()
            .find(|line| line.contains(words))
            .unwrap()
            .clone()
    };
    assert!(
        line("Might").ends_with("0 → 11 (25 %); 0 → 12 (25 %); 0 → 13 (25 %); 0 → 14 (25 %)"),
        "{lines:#?}"
    );
    assert!(line("Magic").ends_with("0 → 3"), "{lines:#?}");
    assert!(
        line("Experience").ends_with("(25 %); not at all (75 %)"),
        "{lines:#?}"
    );

    let many = "p = players()[0]\np.might = sum([roll(6, \"Storm\") for n in range(10)])\n";
    let post = game
        .propose("A storm", &json!([{ "do": "script", "code": many }]))
        .await;
    let lines = game.report(&post, "alone").await;
    assert_eq!(
        lines[0],
        "By dice: a die of 6 (Storm) and 9 more; each outcome with its share of 50 trial throws."
    );
    assert!(
        lines.iter().any(|line| {
            line.contains(" to ") && line.ends_with("; or another that no trial throw came to")
        }),
        "{lines:#?}"
    );
}
