//! A game played from Discord, which is signed for here as Discord signs.

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use quorate_kernel::Span;
use quorate_notices::testing::DiscordSigner;
use quorate_runtime::ports::Account;
use quorate_server::ServerConfig;
use serde_json::{Value as Json, json};

use crate::Game;
use crate::table::{ANSWER_BYTES, Table};

/// The rule of these tests: actions of each kind of field.
const STONES: &str = r#"# Stones

1. Each {player} has a number of Gems.

```starlark
gems = number("Gems", of = player, default = 0, tracked = "tracker")
```

2. A {player} may wave, pick a stone, shout or bargain.

```starlark
def wave(actor: Player):
    actor.gems += 1

def stones(actor: Player) -> list[str]:
    return ["jade", "opal"]

def pick(actor: Player, stone: str):
    require(stone == "opal", "an opal")
    actor.gems += 2

def shout(actor: Player, words: str, many: int):
    way = choose("Keep the Gems?", ["keep", "leave"], default = "leave")
    if way == "keep":
        actor.gems += many

def bargain(actor: Player, stone: str, words: str):
    actor.gems += 4

action("wave", wave, title = "Wave")
action("pick-stone", pick, options = {"stone": stones}, title = "Pick a stone")
action("shout", shout, title = "Shout")
action("bargain", bargain, options = {"stone": stones}, title = "Bargain")
```
"#;

const USER: &str = "8035170";

fn signer() -> DiscordSigner {
    DiscordSigner::new([5; 32])
}

fn config() -> ServerConfig {
    ServerConfig {
        discord: Some(signer().key()),
        address: Some("https://games.example.org".to_owned()),
        ..ServerConfig::default()
    }
}

async fn game() -> Game {
    Game::of_six_at(Table::of(config()).await).await
}

/// Sends what Discord would, with this signature.
async fn sent(table: &Table, body: &[u8], signature: Option<&str>) -> (StatusCode, Json) {
    let mut request = Request::post("/discord")
        .header(header::CONTENT_TYPE, "application/json")
        .header("x-signature-timestamp", "1935738000");
    if let Some(signature) = signature {
        request = request.header("x-signature-ed25519", signature);
    }
    let request = request.body(Body::from(body.to_vec())).unwrap();
    let response = table.send(request).await;
    let status = response.status();
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap_or_default())
}

/// The same, signed.
async fn signed(table: &Table, body: &Json) -> Json {
    let body = body.to_string();
    let signature = signer().sign("1935738000", body.as_bytes());
    let (status, answer) = sent(table, body.as_bytes(), Some(&signature)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    answer
}

/// Somebody on Discord.
struct Hand<'a> {
    table: &'a Table,
    user: &'a str,
    nth: u32,
}

impl<'a> Hand<'a> {
    fn new(table: &'a Table, user: &'a str) -> Self {
        Self {
            table,
            user,
            nth: 100,
        }
    }

    async fn does(&mut self, kind: u8, data: Json) -> Json {
        self.nth += 1;
        let id = format!("{}{}", self.user, self.nth);
        let user = json!({ "id": self.user, "username": "someone" });
        let body = json!({ "id": id, "type": kind, "member": { "user": user }, "data": data });
        signed(self.table, &body).await
    }

    async fn types(&mut self, command: &str, options: &[(&str, &str)]) -> Json {
        let options: Vec<Json> = options
            .iter()
            .map(|(name, value)| json!({ "type": 3, "name": name, "value": value }))
            .collect();
        self.does(2, json!({ "name": command, "options": options }))
            .await
    }

    async fn presses(&mut self, id: &str, picked: &[&str]) -> Json {
        self.does(3, json!({ "custom_id": id, "values": picked }))
            .await
    }

    async fn fills(&mut self, id: &str, fields: &[(&str, &str)]) -> Json {
        let rows: Vec<Json> = fields
            .iter()
            .map(|(id, value)| {
                json!({ "type": 1, "components": [{ "type": 4, "custom_id": id, "value": value }] })
            })
            .collect();
        self.does(5, json!({ "custom_id": id, "components": rows }))
            .await
    }
}

fn content(answer: &Json) -> &str {
    answer["data"]["content"].as_str().unwrap()
}

/// All that can be pressed under a message.
fn components(answer: &Json) -> Vec<&Json> {
    let rows = answer["data"]["components"].as_array().unwrap();
    let inner = rows.iter().filter_map(|row| row["components"].as_array());
    inner.flatten().collect()
}

/// The id of the button or menu whose words hold this.
fn id_of<'a>(answer: &'a Json, words: &str) -> &'a str {
    let found = components(answer).into_iter().find(|one| {
        let label = one["label"].as_str().or(one["placeholder"].as_str());
        label.is_some_and(|label| label.contains(words))
    });
    let found = found.unwrap_or_else(|| panic!("nothing called {words} in {answer:#}"));
    found["custom_id"].as_str().unwrap()
}

/// A code from somebody's page of settings.
async fn code(game: &Game, name: &str, form: &str) -> String {
    let session = game.table.session(name).await;
    let csrf = game.table.site().csrf.issue(&session).unwrap();
    let request = Request::post("/settings/discord")
        .header(header::COOKIE, game.table.cookie(&session))
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(format!("csrf={csrf}&{form}")))
        .unwrap();
    let response = game.table.send(request).await;
    assert_eq!(response.status(), StatusCode::OK);
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
    let page = String::from_utf8_lossy(&bytes).into_owned();
    let code = page.split("/link code:").nth(1).unwrap();
    code.split('<').next().unwrap().to_owned()
}

/// Somebody on Discord who is linked.
async fn linked<'a>(game: &'a Game, name: &str, form: &str) -> Hand<'a> {
    let code = code(game, name, form).await;
    let mut hand = Hand::new(&game.table, USER);
    let told = hand.types("link", &[("code", &code)]).await;
    assert!(content(&told).contains(name), "{told}");
    assert_eq!(told["data"]["flags"], 64, "for their eyes alone");
    hand
}

#[tokio::test(flavor = "multi_thread")]
async fn what_discord_did_not_sign_is_not_taken() {
    let table = Table::of(config()).await;
    let ping = json!({ "id": "1", "type": 1 });
    assert_eq!(signed(&table, &ping).await, json!({ "type": 1 }));
    let body = ping.to_string();
    let right = signer().sign("1935738000", body.as_bytes());
    let other = DiscordSigner::new([6; 32]).sign("1935738000", body.as_bytes());
    let late = signer().sign("1935738001", body.as_bytes());
    for signature in [
        None,
        Some(""),
        Some("00"),
        Some(other.as_str()),
        Some(&late),
    ] {
        let (status, _) = sent(&table, body.as_bytes(), signature).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{signature:?}");
    }
    let changed = body.replace('1', "2");
    let (status, _) = sent(&table, changed.as_bytes(), Some(&right)).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let strange = b"{}";
    let signature = signer().sign("1935738000", strange);
    let (status, _) = sent(&table, strange, Some(&signature)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let closed = Table::open().await;
    let (status, _) = sent(&closed, body.as_bytes(), Some(&right)).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_links_for_ten_minutes_and_the_account_can_end_it() {
    let game = game().await;
    let mut hand = Hand::new(&game.table, USER);
    let told = hand.types("needs-me", &[]).await;
    assert!(content(&told).contains("not linked"), "{told}");
    let told = hand.types("link", &[("code", "l.1.vote.99.00")]).await;
    assert!(content(&told).contains("no code"), "{told}");
    let late = code(&game, "Bert", "").await;
    game.table.pass(Span::minutes(11));
    let told = hand.types("link", &[("code", &late)]).await;
    assert!(content(&told).contains("ended"), "{told}");
    let mut hand = linked(&game, "Bert", "").await;
    let told = hand.types("needs-me", &[]).await;
    assert!(content(&told).contains("The Wilds"), "{told}");
    // Nobody else is let in by the code that somebody used.
    let seen = code(&game, "Dan", "").await;
    game.table.pass(Span::seconds(1));
    for (user, answer) in [("71", "play as Dan"), ("72", "was used")] {
        let mut other = Hand::new(&game.table, user);
        let told = other.types("link", &[("code", &seen)]).await;
        assert!(content(&told).contains(answer), "{told}");
    }
    // Nor by one that was made before the account had its password.
    let early = code(&game, "Ed", "").await;
    let accounts = &game.table.site().deps.accounts;
    let ed = accounts.account_by_name("Ed").await.unwrap().unwrap();
    let password = Some("another".to_owned());
    let changed = accounts.change(&Account { password, ..ed }).await;
    changed.unwrap();
    let told = Hand::new(&game.table, "73")
        .types("link", &[("code", &early)])
        .await;
    assert!(content(&told).contains("another password"), "{told}");
    // Its number is public: nobody is let in by it elsewhere.
    let answer = game.table.get("/account").by(USER).answer().await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    // Whoever links another account plays as that one.
    let mut hand = linked(&game, "Cora", "").await;
    let accounts = &game.table.site().deps.accounts;
    let own = async |name: &str| {
        let account = accounts.account_by_name(name).await.unwrap().unwrap();
        let tokens = accounts.tokens_of(account.id).await.unwrap();
        tokens.into_iter().find(|token| token.label == "Discord")
    };
    assert!(own("Bert").await.is_none());
    let link = own("Cora").await.unwrap();
    assert_eq!(link.scopes.to_string(), "vote act");
    accounts.revoke_token(link.digest).await.unwrap();
    let told = hand.types("needs-me", &[]).await;
    assert!(content(&told).contains("not linked"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vote_is_one_press_and_the_same_once_more_is_none() {
    let game = game().await;
    let new = json!({ "category": "Proposal", "title": "A lamp", "body": "So." });
    let made = game.post("/posts", &new).by(&game.anna).gives(201).await;
    let post = made["post"].as_str().unwrap().to_owned();
    let mut hand = linked(&game, "Bert", "").await;
    let told = hand.types("needs-me", &[]).await;
    assert!(
        content(&told).contains("A lamp: You haven’t voted"),
        "{told}"
    );
    let press = id_of(&told, "FOR: A lamp").to_owned();
    let leads = components(&told).into_iter().any(|one| {
        let url = one["url"].as_str().unwrap_or_default();
        url == format!("https://games.example.org/g/{}/post/{post}", game.word)
    });
    assert!(leads, "the post is one click away: {told:#}");
    for said in ["Your vote is in: FOR.", "can no longer be cast"] {
        let told = hand.presses(&press, &[]).await;
        assert_eq!(told["type"], 7, "it stands in the place of the question");
        let stands = content(&told).contains("Your vote stands: FOR.");
        assert!(content(&told).contains(said) || stands, "{said}: {told}");
        let shown = game.get(&format!("/posts/{post}")).gives(200).await;
        assert_eq!(shown["thread"].as_array().unwrap().len(), 1);
        assert_eq!(shown["thread"][0]["author"]["name"], "Bert");
    }
    // Another side is another vote.
    let told = hand.presses(&press.replace("|for", "|against"), &[]).await;
    assert!(
        content(&told).contains("Your vote is in: AGAINST."),
        "{told}"
    );
    let told = hand.presses(&press.replace("|for", "|nonsense"), &[]).await;
    assert!(content(&told).contains("can no longer be cast"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_roll_counts_once_however_often_it_arrives() {
    let game = game().await;
    let mut hand = linked(&game, "Bert", "").await;
    let told = hand.types("roll", &[("line", "For luck: DICE6")]).await;
    assert!(content(&told).contains("Dice: "), "{told}");
    hand.nth -= 1;
    let again = hand.types("roll", &[("line", "For luck: DICE6")]).await;
    assert_eq!(content(&told), content(&again));
    let events = game.get("/events?kind=dice").gives(200).await;
    assert_eq!(events["items"].as_array().unwrap().len(), 1);
    let told = hand.types("roll", &[("line", "no die at all")]).await;
    assert_eq!(told["type"], 4);
    // Who plays in several games says in which.
    let new = json!({ "rulebook": "adventurers-2019", "title": "The Reef" });
    game.table
        .post("/games", &new)
        .by(&game.bert)
        .gives(201)
        .await;
    let told = hand.types("roll", &[("line", "DICE6")]).await;
    assert!(content(&told).contains("Say in which game"), "{told}");
    let told = hand
        .types("roll", &[("line", "DICE6"), ("game", &game.word)])
        .await;
    assert!(content(&told).contains("Dice: "), "{told}");
    let told = hand.types("needs-me", &[]).await;
    let menu = id_of(&told, "Pick a game").to_owned();
    let told = hand.presses(&menu, &[&game.word]).await;
    assert!(content(&told).contains("The Wilds"), "{told}");
    let told = hand.presses(&menu, &["no-such-game"]).await;
    assert_eq!(told["type"], 4, "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_are_buttons_menus_and_forms_made_of_what_the_law_declares() {
    let game = game().await.and_rule("stones", "Stones", STONES).await;
    let mut hand = linked(&game, "Bert", "").await;
    let gems = async || game.held(None, "player:2", "gems").await;
    let told = hand.types("act", &[]).await;
    let menu = id_of(&told, "Pick an action").to_owned();
    let options = components(&told)[0]["options"].as_array().unwrap().clone();
    let titles: Vec<&str> = options
        .iter()
        .map(|it| it["label"].as_str().unwrap())
        .collect();
    for title in ["Wave", "Pick a stone", "Shout", "Bargain"] {
        assert!(titles.contains(&title), "{titles:?}");
    }

    // Without fields: a button, which counts once.
    let told = hand.presses(&menu, &["wave"]).await;
    let button = id_of(&told, "Wave").to_owned();
    let before = gems().await;
    for _ in 0..2 {
        let told = hand.presses(&button, &[]).await;
        assert!(content(&told).contains("Done: Wave"), "{told}");
    }
    assert_eq!(
        before["value"].as_i64().unwrap_or(0) + 1,
        gems().await["value"].as_i64().unwrap()
    );

    // With one thing to pick: a menu, and what the law says to it.
    let told = hand.presses(&menu, &["pick-stone"]).await;
    let stones = id_of(&told, "Stone").to_owned();
    let told = hand.presses(&stones, &["jade"]).await;
    assert!(content(&told).contains("an opal"), "{told}");
    let told = hand.presses(&menu, &["pick-stone"]).await;
    let stones = id_of(&told, "Stone").to_owned();
    hand.presses(&stones, &["opal"]).await;
    assert_eq!(gems().await["value"], 3);

    // With something to type: a form, then the question that the action asks.
    let form = hand.presses(&menu, &["shout"]).await;
    assert_eq!(form["type"], 9, "{form}");
    let id = form["data"]["custom_id"].as_str().unwrap().to_owned();
    let fields = components(&form);
    assert_eq!(fields.len(), 2);
    assert_eq!(fields[0]["custom_id"], "words");
    assert_eq!(fields[0]["style"], 2, "more than a line");
    let told = hand
        .fills(&id, &[("words", "Hey!"), ("many", "many")])
        .await;
    assert!(!content(&told).contains("Done"), "{told}");
    let form = hand.presses(&menu, &["shout"]).await;
    let id = form["data"]["custom_id"].as_str().unwrap().to_owned();
    let told = hand.fills(&id, &[("words", "Hey!"), ("many", "5")]).await;
    let question = id_of(&told, "Keep the Gems?").to_owned();
    assert_eq!(gems().await["value"], 3);
    hand.presses(&question, &["0"]).await;
    assert_eq!(gems().await["value"], 8);

    // With more than fits: the page.
    let told = hand.presses(&menu, &["bargain"]).await;
    assert!(content(&told).contains("more than fits"), "{told}");
    let page = format!("https://games.example.org/g/{}/act", game.word);
    assert!(
        components(&told)
            .iter()
            .any(|one| one["url"] == page.as_str())
    );
    let told = hand.presses(&menu, &["no-such-action"]).await;
    assert!(content(&told).contains("no such action"), "{told}");
    for strange in ["", "x|y", "b|no-such-game"] {
        let told = hand.presses(strange, &["wave"]).await;
        assert_eq!(told["type"], 4, "{strange}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_admins_do_takes_a_link_for_that() {
    let game = game().await;
    let new = json!({ "category": "Proposal", "title": "A lamp", "body": "So." });
    let made = game.post("/posts", &new).by(&game.anna).gives(201).await;
    let post = made["post"].as_str().unwrap().to_owned();
    for token in [&game.anna, &game.bert, &game.others[0], &game.others[1]] {
        let path = format!("/posts/{post}/comments");
        let vote = json!({ "vote": "for" });
        game.post(&path, &vote).by(token).gives(201).await;
    }
    game.table.pass(Span::hours(13));
    let mut said = Vec::new();
    for form in ["", "admin=on"] {
        let mut hand = linked(&game, "Anna", form).await;
        let told = hand.types("act", &[]).await;
        let menu = id_of(&told, "Pick an action").to_owned();
        let told = hand.presses(&menu, &["enact-proposal"]).await;
        assert!(
            content(&told).contains("Only on the page: Remark"),
            "{told}"
        );
        let picks = components(&told)[0];
        let id = picks["custom_id"].as_str().unwrap().to_owned();
        let value = picks["options"][0]["value"].as_str().unwrap().to_owned();
        let told = hand.presses(&id, &[&value]).await;
        said.push(content(&told).to_owned());
    }
    assert!(said[0].contains("lacks the scope"), "{said:?}");
    assert!(said[1].contains("Done"), "{said:?}");
    let shown = game.get(&format!("/posts/{post}")).gives(200).await;
    assert_eq!(shown["status"], "enacted", "{shown:#}");
}
