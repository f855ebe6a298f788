//! What rules lose with others: told before a proposal and before an act that takes rules, and listed afterwards with the way to
//! mend it.

use serde_json::json;

use crate::Game;
use crate::amending::forms::Browser;

/// A rule that others lean on.
const SMOKE: &str = r#"# Smoke

1. Eels are smoked by a die.

```starlark
BEST = 6

def smoked() -> int:
    return roll(BEST, "smoke")
```
"#;

/// A rule that leans on it in its first clause, and lets somebody take rules away in its third.
const INN: &str = r#"# The inn

1. A {player} may eat smoked eel.

```starlark
def dine(actor: Player):
    note(f"{smoked()} of {BEST}")

action("dine", dine, title = "Dine")
```

2. A {player} may sleep.

```starlark
def sleep(actor: Player):
    note("slept")

action("sleep", sleep, title = "Sleep")
```

3. A {player} may strike rules.

```starlark
def strike(actor: Player, gone: list[Rule] = [], words: list[str] = []):
    for rule in gone:
        repeal(rule)
    for word in words:
        note(f"Struck with {word}.")

def dynastic(actor: Player) -> list[Rule]:
    return rules(section = "dynastic")

action("strike", strike, options = {"gone": dynastic}, title = "Strike rules")
```
"#;

async fn with_an_inn() -> Game {
    let game = Game::of_six().await;
    let add = json!([
        { "do": "add_rule", "id": "smoke", "section": "dynastic", "text": SMOKE },
        { "do": "add_rule", "id": "inn", "section": "dynastic", "text": INN },
    ]);
    game.comes_true("An inn", add).await;
    game
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeal_says_at_the_top_of_its_forecast_what_others_lose() {
    let game = with_an_inn().await;
    let lines = game
        .comes_true("No smoke", json!([{ "do": "repeal_rule", "id": "smoke" }]))
        .await;
    assert_eq!(
        lines[0].trim_start_matches("warning "),
        "The inn would lose something: Clause 1 breaks where it uses smoked of Smoke. This action may fail: Dine. The rest of The \
         inn works. It can go on using BEST of Smoke.",
        "{lines:?}"
    );
    assert!(
        lines.iter().any(|line| line == "Repealed: Smoke"),
        "{lines:?}"
    );
    // Afterwards the ruleset marks the clause, and a member finds the way to mend it there.
    let session = game.table.session("Bert").await;
    let browser = Browser {
        table: &game.table,
        session: &session,
    };
    let rules = browser.open(&format!("/g/{}/rules", game.word)).await;
    let told = rules.html.split_whitespace().collect::<Vec<_>>().join(" ");
    let marked = told.split_once(
        "Part of the code breaks: it asks for <code>smoked</code> of Smoke, which was repealed on",
    );
    let (_, after) = marked.unwrap_or_else(|| panic!("no clause is marked: {told}"));
    assert!(after.contains("rule=inn"), "the way to mend it: {after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_that_takes_rules_shows_first_what_others_lose() {
    let game = with_an_inn().await;
    let session = game.table.session("Bert").await;
    let browser = Browser {
        table: &game.table,
        session: &session,
    };
    let act = browser.open(&format!("/g/{}/act", game.word)).await;
    let picked = [("gone", "Smoke")];
    let trial = Some(("do", "trial"));
    let tried = browser.send(&act, "#act-strike", &picked, trial).await;
    assert_eq!(tried.status, 200, "{}", tried.html);
    let told = tried.group("trial");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("Rules that stay need: Smoke (for The inn)."),
        "{told}"
    );
    assert!(
        told.contains("Clause 1 breaks where it uses smoked of Smoke."),
        "{told}"
    );
    let rules = game.get("/rules").gives(200).await.to_string();
    assert!(rules.contains("smoke"), "nothing is done");
    let dynasty = format!("/g/{}/dynasties/1", game.word);
    assert!(!browser.open(&dynasty).await.says("What its rules miss"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_of_a_trial_is_taken_as_it_stands() {
    let game = with_an_inn().await;
    let session = game.table.session("Bert").await;
    let browser = Browser {
        table: &game.table,
        session: &session,
    };
    let act = browser.open(&format!("/g/{}/act", game.word)).await;
    let filled = [("gone", "rule:smoke"), ("words", "a hammer\r\n\r\n nails ")];
    let trial = Some(("do", "trial"));
    let tried = browser.send(&act, "#act-strike", &filled, trial).await;
    assert_eq!(tried.status, 200, "{}", tried.html);
    // The same form comes back with what was filled in, and goes out without another look at it.
    let struck = browser.send(&tried, "#act-strike", &[], None).await;
    assert_eq!(struck.status, 200, "{}", struck.html);
    assert!(struck.says("Your last results"), "{}", struck.html);
    assert!(struck.says("Struck with a hammer."), "{}", struck.html);
    assert!(struck.says("Struck with nails."), "{}", struck.html);
    let rules = game.get("/rules").gives(200).await.to_string();
    assert!(!rules.contains("Eels are smoked"), "{rules}");
}
