//! What a report says a proposal would do, beside what it does: for each kind of change one game round of report, proposal,
//! votes and enactment.

use std::collections::BTreeSet;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use quorate_kernel::Span;
use quorate_server::ServerConfig;
use scraper::{Html, Selector};
use serde_json::{Value as Json, json};

use crate::Game;
use crate::amending::forms::Browser;
use crate::table::Table;

/// A rule with a kind of things, a value of the players and one of the game.
const FERRY: &str = r#"# The ferry

1. There are Boats, each with a Name. Each {player} has Oil, and the game a Tide.

```starlark
entity("Boat", label = "name")
name = text("Name", of = Boat, default = "", tracked = "tracker")
oil = number("Oil", of = player, default = 3, min = 0, tracked = "tracker")
tide = number("Tide", of = game, default = 1, tracked = "tracker")
```

2. Once a day {a player} may pour one Oil on the water.

```starlark
def pour(actor: Player):
    pay(actor, oil = 1)

action("pour", pour, limit = daily(), title = "Pour Oil")
```
"#;

/// A second law for the same rule, in which players have no Oil and nothing to pour.
const DRY: &str = r#"# The ferry

1. There are Boats, each with a Name. The game has a Tide.

```starlark
entity("Boat", label = "name")
name = text("Name", of = Boat, default = "", tracked = "tracker")
tide = number("Tide", of = game, default = 1, tracked = "tracker")
```
"#;

/// What the rulebook notes for itself whenever an admin closes a matter: no doing of the matter.
const OF_CLOSING: &str = "\"name\":\"filed_last\"";

/// An effect without the place in the law that it came by, for a report's trial is nobody's act, and without the number of
/// a new thing, which is that of its event.
fn plain(effect: &Json) -> String {
    let mut effect = effect.clone();
    if let Some(fields) = effect.as_object_mut() {
        fields.remove("rule");
        fields.remove("clause");
        if fields["of"] == "thing" || fields.get("old") == Some(&Json::Null) {
            fields.remove("called");
            if fields
                .get("thing")
                .and_then(Json::as_str)
                .is_some_and(|thing| thing.starts_with("thing:"))
            {
                fields.insert("thing".to_owned(), json!("a thing"));
            }
        }
    }
    effect.to_string()
}

/// Effects to compare. The values of a thing that comes or goes are left out, for whether they can be looked at depends on
/// whether the thing is there when the event is read.
fn comparable(effects: &Json) -> BTreeSet<String> {
    let effects = effects.as_array().unwrap();
    let passes = |thing: &Json| {
        effects
            .iter()
            .any(|one| one["of"] == "thing" && one["thing"] == *thing)
    };
    let kept = effects
        .iter()
        .filter(|one| one["of"] != "value" || !passes(&one["thing"]));
    kept.map(plain).collect()
}

impl Game {
    pub(crate) async fn page(&self, path: &str) -> String {
        let request = Request::get(format!("/g/{}{path}", self.word));
        let response = self.table.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), 200, "{path}");
        let bytes = to_bytes(response.into_body(), 1 << 24).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    /// The lines of a group of the whole report on a post.
    pub(crate) async fn report(&self, post: &str, group: &str) -> Vec<String> {
        self.lines(&format!("/post/{post}/effects"), group).await
    }

    /// The lines of a group of the report on such a page.
    pub(crate) async fn lines(&self, path: &str, group: &str) -> Vec<String> {
        let html = Html::parse_document(&self.page(path).await);
        let lines = format!("section[aria-labelledby={group}-h] .effects li");
        let lines = Selector::parse(&lines).unwrap();
        let text = |words: Vec<&str>| {
            words
                .concat()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        html.select(&lines)
            .map(|line| text(line.text().collect()))
            .collect()
    }

    pub(crate) async fn propose(&self, title: &str, changes: &Json) -> String {
        self.propose_by(&self.anna, title, changes).await
    }

    pub(crate) async fn propose_by(&self, token: &str, title: &str, changes: &Json) -> String {
        let proposal = json!({ "category": "Proposal", "title": title, "body": "So be it.", "changes": changes });
        let made = self.post("/posts", &proposal).by(token).gives(201).await;
        made["post"].as_str().unwrap().to_owned()
    }

    async fn enact(&self, post: &str) -> BTreeSet<String> {
        for token in [&self.anna, &self.bert, &self.others[0], &self.others[1]] {
            let path = format!("/posts/{post}/comments");
            self.post(&path, &json!({ "vote": "for", "text": "" }))
                .by(token)
                .gives(201)
                .await;
        }
        self.table.pass(Span::hours(13));
        let matter = json!({ "proposal": format!("post:{post}") });
        let done = self.act(&self.anna, "enact-proposal", matter).await;
        comparable(&done["event"]["effects"])
    }

    /// Previews, proposes, reports, votes and enacts; what was foretold must have happened, and nothing else but to the
    /// proposal itself. Gives the lines of the report.
    pub(crate) async fn comes_true(&self, title: &str, changes: Json) -> Vec<String> {
        let preview = self.post("/preview", &json!({ "changes": changes, "title": title }));
        let preview = preview.by(&self.anna).gives(200).await;
        assert_eq!(preview["refusal"], Json::Null, "{title}");
        let foretold = comparable(&preview["effects"]);
        let post = self.propose(title, &changes).await;
        let lines = self.report(&post, "alone").await;
        let said: Vec<String> = preview["report"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| {
                // The page draws names of code as code.
                line.as_str()
                    .unwrap()
                    .replace('`', "")
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        for line in &lines {
            // An alarm has the word "warning" for those who don't see its colour.
            let plain = line.trim_start_matches("warning ").to_owned();
            assert!(said.contains(&plain), "{title}: {line} in {said:?}");
        }
        let change = self.report(&post, "change").await;
        assert!(
            change.iter().all(|line| line.starts_with("Yes:")),
            "{title}: {change:?}"
        );
        let happened = self.enact(&post).await;
        let of_changes = |effect: &&String| !effect.contains(OF_CLOSING);
        let missing = foretold.difference(&happened).filter(of_changes);
        let missing: Vec<_> = missing.collect();
        assert!(missing.is_empty(), "{title}: {missing:?} did not happen");
        let own = format!("post:{post}");
        let unforeseen: Vec<_> = happened
            .difference(&foretold)
            .filter(of_changes)
            .filter(|effect| !effect.contains(&own) && !effect.contains(&format!("\"{post}\"")))
            .collect();
        assert!(
            unforeseen.is_empty(),
            "{title}: {unforeseen:?} was not foretold"
        );
        lines
    }

    async fn can_pour(&self) -> bool {
        let moves = self.get("/moves").by(&self.bert).gives(200).await;
        moves.to_string().contains("\"pour\"")
    }
}

fn says(lines: &[String], line: &str) {
    assert!(
        lines.iter().any(|said| said == line),
        "{line} in {lines:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_report_says_of_rules_and_values_comes_true() {
    let game = Game::of_six().await;
    let add = json!([{ "do": "add_rule", "id": "ferry", "section": "dynastic", "text": FERRY }]);
    assert!(!game.can_pour().await);
    let lines = game.comes_true("A ferry", add).await;
    says(&lines, "New rule: The ferry, in Dynastic Rules");
    says(&lines, "New actions: Pour Oil");
    says(&lines, "Oil: begins at 3 for all 6 that have it");
    assert!(game.can_pour().await);
    assert_eq!(game.held(None, "player:2", "oil").await["value"], 3);

    let set = json!([
        { "do": "set_value", "thing": "Bert", "name": "oil", "value": 7 },
        { "do": "add_to_value", "thing": "Anna", "name": "oil", "amount": -1 },
    ]);
    let lines = game.comes_true("Oil", set).await;
    says(&lines, "Bert Oil: 3 → 7");
    says(&lines, "Anna Oil: 3 → 2");
    assert_eq!(game.held(None, "player:2", "oil").await["value"], 7);

    let script = json!([{ "do": "script", "code": "for p in players():\n    p.oil += 5\n" }]);
    let lines = game.comes_true("Five for all", script).await;
    says(&lines, "Bert Oil: 7 → 12");

    let boat = json!([{ "do": "create_thing", "kind": "Boat", "values": { "name": "Heron" } }]);
    let lines = game.comes_true("A boat", boat).await;
    says(&lines, "New Boat: Heron");
    says(&lines, "Heron Name: begins at Heron");
    let boats = game.get("/values?kind=Boat").gives(200).await;
    let boat = &boats["kinds"][0]["things"][0];
    assert_eq!(boat["values"]["name"]["value"], "Heron");
    let thing = boat["thing"].as_str().unwrap();
    let gone = json!([{ "do": "remove_thing", "thing": thing }]);
    let lines = game.comes_true("No boat", gone).await;
    says(&lines, "Removed: Heron");

    let off = json!([{ "do": "switch_rule", "id": "ferry", "on": false }]);
    let lines = game.comes_true("No ferry", off).await;
    says(&lines, "Switched off: The ferry");
    assert!(!game.can_pour().await);
    let on = json!([{ "do": "switch_rule", "id": "ferry", "on": true }]);
    says(
        &game.comes_true("A ferry again", on).await,
        "Switched on: The ferry",
    );
    assert!(game.can_pour().await);

    let dry = json!([{ "do": "replace_rule", "id": "ferry", "text": DRY }]);
    let lines = game.comes_true("A dry ferry", dry).await;
    says(&lines, "Amended rule: The ferry");
    says(&lines, "Actions that go: Pour Oil");
    let dropped = "Dropped value: Oil (of Adventurer); 6 contents are archived, and come back if the value does";
    says(&lines, dropped);
    let back = json!([{ "do": "replace_rule", "id": "ferry", "text": FERRY }]);
    let lines = game.comes_true("Oil again", back).await;
    says(&lines, "Bert Oil: begins at 12");
    assert_eq!(game.held(None, "player:2", "oil").await["value"], 12);

    let renamed = json!([{ "do": "rename_rule", "id": "ferry", "title": "The barge" }]);
    let lines = game.comes_true("A barge", renamed).await;
    says(&lines, "Renamed rule: The ferry → The barge");
    let repealed = json!([{ "do": "repeal_rule", "id": "ferry" }]);
    says(
        &game.comes_true("Land", repealed).await,
        "Repealed: The barge",
    );
    assert!(!game.can_pour().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_report_says_of_words_pages_and_people_comes_true() {
    let game = Game::of_six().await;
    let term = json!([{ "do": "set_term", "name": "player", "one": "Keeper", "many": "Keepers" }]);
    let lines = game
        .comes_true("[Core] [Special Case] [Appendix] Keepers", term)
        .await;
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("The word for player:")
                && line.ends_with("→ Keeper and Keepers")),
        "{lines:?}"
    );
    assert!(game.page("/players").await.contains("Keepers"));

    let page = json!([{ "do": "set_page", "name": "lore", "text": "Of old." }]);
    says(
        &game.comes_true("Lore", page).await,
        "The page lore: is written",
    );

    let renamed = json!([{ "do": "rename_player", "player": "Fay", "name": "Faye" }]);
    says(
        &game.comes_true("Faye", renamed).await,
        "Renamed: Fay → Faye",
    );
    let removed = json!([{ "do": "remove_player", "player": "Faye", "bar": false }]);
    says(
        &game.comes_true("No Faye", removed).await,
        "Leaves the roster: Faye",
    );
    let summary = game.get("").gives(200).await;
    assert_eq!(summary["players"]["active"], 5);

    let never = json!([{ "do": "when", "test": "len(players()) > 50", "changes": [
        { "do": "rename_player", "player": "Ed", "name": "Edward" },
    ] }]);
    let lines = game.comes_true("If there were many", never).await;
    assert!(
        !lines.iter().any(|line| line.starts_with("Renamed")),
        "{lines:?}"
    );
    let otherwise = "as the vote and the game now stand: if it did by then: Renamed: Ed → Edward";
    assert!(
        lines.iter().any(|line| line.ends_with(otherwise)),
        "{lines:?}"
    );

    let by_hand = json!([{ "do": "prose", "text": "Somebody bakes a cake." }]);
    let lines = game.comes_true("Cake", by_hand).await;
    // What the law notes for itself alone is no news to anybody.
    assert_eq!(
        lines,
        ["Nothing changes by itself: no rule, no value, no roster."]
    );
}

/// Whether a page has a line that begins so and names this.
fn says_on(page: &str, lead: &str, names: &str) {
    let html = Html::parse_document(page);
    let lines = Selector::parse(".effects li").unwrap();
    let mut lines = html
        .select(&lines)
        .map(|line| line.text().collect::<String>());
    let is_said = |line: &String| line.contains(lead) && line.contains(names);
    assert!(lines.any(|line| is_said(&line)), "{lead} {names}: {page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_that_would_end_all_proposals_is_told_of_in_red() {
    let game = Game::of_six().await;
    let rules = game.get("/rules").gives(200).await.to_string();
    assert!(rules.contains("\"resolution\""));
    let end = json!([{ "do": "repeal_rule", "id": "resolution" }, { "do": "repeal_rule", "id": "judgement" }]);
    let post = game.propose("[Core] The end", &end).await;
    let lines = game.report(&post, "change").await;
    let nobody = "Nobody could change a rule any more, by nothing; only the operator could help";
    assert!(lines.iter().any(|line| line.contains(nobody)), "{lines:?}");
    let html = Html::parse_document(&game.page(&format!("/post/{post}/effects")).await);
    let alarm = Selector::parse("section[aria-labelledby=change-h] .alarm").unwrap();
    assert_eq!(html.select(&alarm).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_that_takes_what_another_needs_says_which_it_breaks() {
    let game = Game::of_six().await;
    let add = json!([{ "do": "add_rule", "id": "ferry", "section": "dynastic", "text": FERRY }]);
    game.comes_true("A ferry", add).await;
    let repeal = json!([{ "do": "repeal_rule", "id": "ferry" }]);
    let first = game.propose("Land", &repeal).await;
    let amend = json!([{ "do": "amend_rule", "id": "ferry", "old": "a Tide", "new": "an Ebb" }]);
    let second = game.propose("Ebb", &amend).await;
    let on_its_page = game.page(&format!("/post/{first}")).await;
    says_on(
        &on_its_page,
        "Of a later proposal, this would be left out:",
        "Ebb",
    );
    let on_its_page = game.page(&format!("/post/{second}")).await;
    says_on(
        &on_its_page,
        "Left out once an earlier proposal is enacted:",
        "Land",
    );
    let draft = json!({ "changes": amend });
    let told = game
        .post("/preview", &draft)
        .by(&game.bert)
        .gives(200)
        .await;
    let collisions = told["forecast"]["collisions"].as_array().unwrap();
    let names_land = |one: &Json| one["post"]["called"] == "Land";
    assert!(collisions.iter().any(names_land), "{collisions:#?}");
    let pier = "# Pier\n\n1. There is a pier.";
    let apart = json!([{ "do": "add_rule", "id": "pier", "section": "dynastic", "text": pier }]);
    let draft = json!({ "changes": apart });
    let told = game
        .post("/preview", &draft)
        .by(&game.bert)
        .gives(200)
        .await;
    assert_eq!(told["forecast"]["collisions"], json!([]));
    let behind = game.report(&first, "queue").await;
    assert!(
        behind.iter().any(
            |line| line.contains("Of what is behind it, this would be left out:")
                && line.ends_with("Ebb")
        ),
        "{behind:?}"
    );
    let after = game.report(&second, "queue").await;
    assert!(
        after
            .iter()
            .any(|line| line.contains("After the 1 proposal ahead, left out:")),
        "{after:?}"
    );
    let players = game.report(&first, "players").await;
    // Anna leads, and plays no dynastic actions.
    assert_eq!(
        players,
        ["Could no longer Pour Oil: Bert, Cora, Dan, Ed, Fay"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_whose_time_is_over_says_what_it_leaves_out() {
    let config = ServerConfig {
        report: Span(0),
        ..ServerConfig::default()
    };
    let game = Game::of_six_at(Table::of(config).await).await;
    let add = json!([{ "do": "add_rule", "id": "ferry", "section": "dynastic", "text": FERRY }]);
    let post = game.propose("A ferry", &add).await;
    says(&game.report(&post, "alone").await, "New actions: Pour Oil");
    let change = game.report(&post, "change").await;
    assert_eq!(
        change,
        ["Not known: trying it takes longer than a report may"]
    );
    let players = game.report(&post, "players").await;
    assert_eq!(
        players,
        ["The rest is left out: trying it all takes longer than a report may."]
    );
}

/// Votes are stakes, of which no trial can know how high they are to be.
const STAKES: &str = r#"# Stakes

1. Who votes for a proposal puts a stake on it, and the enacting admin looks at nothing else.

```starlark
def stake(actor: Player, proposal: Proposal, amount: int):
    note(f"{actor.name} stakes {amount} on {proposal.subject}.")

def by_comment(a: Attempt) -> bool:
    return a.post.category == "Proposal"

action("stake", stake)
forbid(scope(actions = ["vote"]), by_comment, "a stake", tags = ["protected"])
```
"#;

#[tokio::test(flavor = "multi_thread")]
async fn another_way_to_vote_that_no_trial_can_know_is_no_alarm() {
    let game = Game::of_six().await;
    let add = json!([{ "do": "add_rule", "id": "stakes", "section": "core", "text": STAKES },
        { "do": "repeal_rule", "id": "judgement" }]);
    let post = game.propose("[Core] Stakes", &add).await;
    let lines = game.report(&post, "change").await;
    assert_eq!(
        lines,
        [
            "Not known: no icon in a comment would count as a vote, and what else players could do asks for more than a trial \
          can answer (Stake)"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_law_that_wants_other_words_of_proposals_is_told_as_that() {
    let game = Game::of_six().await;
    let text = "# Form\n\n1. A proposal says whereas.\n\n```starlark\ndef worded_well(p: Proposal):\n    \
        require(\"whereas\" in p.body, \"the word whereas\")\n\non(\"posted\", worded_well, of = Proposal)\n```\n";
    let add = json!([{ "do": "add_rule", "id": "form", "section": "core", "text": text },
        { "do": "repeal_rule", "id": "judgement" }]);
    let post = game.propose("[Core] Form", &add).await;
    let lines = game.report(&post, "change").await;
    assert!(
        lines[0].starts_with("Not known: it needs words that a trial cannot guess")
            && lines[0].contains("the word whereas"),
        "{lines:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn taking_an_enactment_back_shows_first_what_it_touches() {
    let game = Game::of_six().await;
    let add = json!([{ "do": "add_rule", "id": "ferry", "section": "dynastic", "text": FERRY }]);
    game.comes_true("A ferry for all", add).await;
    let last = game.get("/events?limit=1").gives(200).await;
    let path = format!("/g/{}/log/{}", game.word, last["items"][0]["seq"]);
    let session = game.table.session("Anna").await;
    let browser = Browser {
        table: &game.table,
        session: &session,
    };
    let page = browser.open(&path).await;
    let (_, touched) = page
        .html
        .split_once("What undoing it would change")
        .unwrap();
    let (touched, _) = touched.split_once("</table>").unwrap();
    for words in [
        "The ferry",
        "not there",
        "A ferry for all",
        "Enacted",
        "Pending",
    ] {
        assert!(touched.contains(words), "{words} in {touched}");
    }
    let undo = json!({ "event": last["items"][0]["seq"], "reason": "too wet" });
    game.act(&game.bert, "undo", undo).await;
    assert!(!game.can_pour().await);
}
