//! A game played over the API, from the token to the enactment and on, each answer checked against the document.
#![allow(
    clippy::unwrap_used,
    clippy::too_many_lines,
    reason = "a panic is how a test fails, and a game is told from its beginning to its end"
)]

mod accounts;
mod amending;
mod apart;
mod book;
mod bots;
mod bounds;
mod comments;
mod discord;
mod drafts;
mod effects;
mod generated;
mod keeping;
mod kept;
mod losses;
mod mail;
mod moderation;
mod notices;
mod outside;
mod pages;
mod passkeys;
mod pictures;
mod play;
mod proofs;
mod reader;
mod removal;
mod scopes;
mod search;
mod sight;
mod signing;
mod stream;
mod table;
mod uploads;
mod writing;

use quorate_kernel::Span;
use serde_json::{Value as Json, json};
use table::Table;

/// A rule that the game of these tests adds: a private value, and an action with a die and a choice.
const LOCKETS: &str = r#"# Lockets

1. Each {player} has a number of Gems, and a Luck that only they know.

```starlark
gems = number("Gems", of = player, default = 0, tracked = "tracker")
luck = number("Luck", of = player, default = 0, tracked = "tracker", shown_to = "owner")
```

2. Once a day {a player} may open a Locket: a die says how many Gems are in it, and it becomes their Luck. They keep the Gems
   or leave them.

```starlark
def open_locket(actor: Player, wish: str = "", many: int = 1):
    fallen = roll(6, "Locket")
    actor.luck = 100 + fallen
    way = choose("Keep the Gems?", ["keep", "leave"], default = "leave")
    if way == "keep":
        actor.gems += fallen * many

def odds(actor: Player) -> str:
    return f"1 to 6 Gems for {actor.name}."

def wishes(actor: Player) -> list[str]:
    return ["gold", "luck"]

def told(actor: Player, wish: str) -> str:
    require(wish == "gold", "to wish for gold")
    return "glitters"

action("open-locket", open_locket, limit = daily(), options = {"wish": wishes}, title = "Open a Locket", says = odds, remarks = {"wish": told})
```
"#;

/// A game of six players, for with fewer than five its rules sleep.
struct Game {
    table: Table,
    anna: String,
    bert: String,
    /// The four others.
    others: Vec<String>,
    word: String,
}

impl Game {
    /// Founded by Anna, who let the others in: events 1 to 11.
    async fn of_six() -> Self {
        Self::of_six_at(Table::open().await).await
    }

    /// The same at a table that is run otherwise.
    async fn of_six_at(table: Table) -> Self {
        let (anna, bert) = (
            table.token("Anna", false).await,
            table.token("Bert", false).await,
        );
        let new = json!({ "rulebook": "adventurers-2019", "title": "The Wilds" });
        let founded = table.post("/games", &new).by(&anna).gives(201).await;
        let word = founded["game"].as_str().unwrap().to_owned();
        let mut game = Self {
            table,
            anna,
            bert,
            others: Vec::new(),
            word,
        };
        let joined = game.let_in(&game.bert, "Bert").await;
        assert_eq!(joined, "player:2");
        for name in ["Cora", "Dan", "Ed", "Fay"] {
            let token = game.table.token(name, false).await;
            game.let_in(&token, name).await;
            game.others.push(token);
        }
        game
    }

    async fn let_in(&self, token: &str, name: &str) -> Json {
        let joined = self.post("/join", &json!({ "text": "Let me in." }));
        let joined = joined.by(token).gives(201).await;
        let applicant = json!({ "applicant": name });
        self.act(&self.anna, "admit-player", applicant).await;
        joined["you"].clone()
    }

    /// The same with the rule of Lockets, proposed, voted on and enacted.
    async fn with_lockets() -> Self {
        Self::with_rule("lockets", "Lockets", LOCKETS).await
    }

    /// The same with such a rule.
    async fn with_rule(id: &str, title: &str, text: &str) -> Self {
        Self::of_six().await.and_rule(id, title, text).await
    }

    /// The same game with such a rule.
    async fn and_rule(self, id: &str, title: &str, text: &str) -> Self {
        let game = self;
        let proposal = json!({
            "category": "Proposal", "title": title, "body": "Gems for all.",
            "changes": [{ "do": "add_rule", "id": id, "section": "dynastic", "text": text }],
        });
        let made = game
            .post("/posts", &proposal)
            .by(&game.anna)
            .gives(201)
            .await;
        let post = made["post"].as_str().unwrap().to_owned();
        for token in [&game.anna, &game.bert, &game.others[0], &game.others[1]] {
            let vote = json!({ "vote": "for", "text": "Shiny." });
            let path = format!("/posts/{post}/comments");
            game.post(&path, &vote).by(token).gives(201).await;
        }
        game.table.pass(Span::hours(13));
        let done = game
            .act(
                &game.anna,
                "enact-proposal",
                json!({ "proposal": format!("post:{post}") }),
            )
            .await;
        let effects = done["event"]["effects"].as_array().unwrap();
        let added = |one: &&Json| one["of"] == "rule" && one["id"] == id;
        assert_eq!(effects.iter().find(added).unwrap()["how"], "added");
        game
    }

    fn get(&self, path: &str) -> table::Call<'_> {
        self.table.get(&format!("/games/{}{path}", self.word))
    }

    fn post(&self, path: &str, body: &Json) -> table::Call<'_> {
        self.table
            .post(&format!("/games/{}{path}", self.word), body)
    }

    async fn act(&self, token: &str, action: &str, arguments: Json) -> Json {
        let wish = json!({ "action": action, "arguments": arguments });
        self.post("/acts", &wish).by(token).gives(201).await
    }

    /// What somebody holds of a value.
    async fn held(&self, token: Option<&str>, thing: &str, name: &str) -> Json {
        let call = self.get("/values?kind=Player");
        let call = match token {
            Some(token) => call.by(token),
            None => call,
        };
        let tracker = call.gives(200).await;
        let things = tracker["kinds"][0]["things"].as_array().unwrap();
        let one = things.iter().find(|one| one["thing"] == thing).unwrap();
        one["values"][name].clone()
    }
}
