//! A game played over the API, from the token to the enactment and on, each answer checked against the document.

mod accounts;
mod book;
mod stream;
mod table;

use axum::body::Body;
use axum::http::Request;
use quorate_kernel::Span;
use serde_json::{Value as Json, json};
use table::{ROOT, Table};

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

action("open-locket", open_locket, limit = daily(), title = "Open a Locket")
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
        let table = Table::open().await;
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
        let game = Self::of_six().await;
        let proposal = json!({
            "category": "Proposal", "title": "Lockets", "body": "Gems for all.",
            "changes": [{ "do": "add_rule", "id": "lockets", "section": "dynastic", "text": LOCKETS }],
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
        let added = |one: &&Json| one["of"] == "rule" && one["id"] == "lockets";
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

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_is_made_voted_on_and_enacted() {
    let game = Game::of_six().await;
    let summary = game.get("").gives(200).await;
    assert_eq!(summary["title"], "The Wilds");
    assert_eq!(summary["players"], json!({ "active": 6, "idle": 0 }));
    assert_eq!(summary["you"], Json::Null);
    let change = json!({ "do": "amend_rule", "id": "fair-play", "old": "fair play.", "new": "playing fair." });
    let rules = game.get("/rules/fair-play").gives(200).await;
    let before = rules["rule"]["text"].as_str().unwrap().to_owned();
    assert!(before.contains("fair play."));

    let preview = json!({ "changes": [change] });
    let preview = game
        .post("/preview", &preview)
        .by(&game.bert)
        .gives(200)
        .await;
    assert_eq!(preview["effects"][0]["id"], "fair-play");
    let new = json!({ "category": "proposal", "title": "Words", "changes": [change] });
    let made = game.post("/posts", &new).by(&game.bert).gives(201).await;
    let post = made["post"].as_str().unwrap();
    let shown = game.get(&format!("/posts/{post}")).gives(200).await;
    assert_eq!(shown["status"], "pending");
    assert_eq!(shown["digest"], preview["digest"]);
    assert_eq!(shown["author"]["name"], "Bert");
    assert_eq!(shown["changes"][0]["do"], "replace_rule");

    let enact = json!({ "action": "enact-proposal", "arguments": { "proposal": post } });
    let why = game.post("/why", &enact).by(&game.anna).gives(200).await;
    assert_eq!(why["allowed"], false);
    let refused = game.post("/acts", &enact).by(&game.anna).gives(409).await;
    assert_eq!(refused["type"], "urn:quorate:problem:refused");
    assert_eq!(refused["refusal"]["rule_id"], "resolution");
    assert_eq!(refused["refusal"]["clause"], 1);

    let comments = format!("/posts/{post}/comments");
    let vote = json!({ "vote": "for" });
    for token in [&game.anna, &game.others[2], &game.others[3]] {
        game.post(&comments, &vote).by(token).gives(201).await;
    }
    let vote =
        json!({ "action": "vote", "arguments": { "post": post, "icon": "for", "text": "Mine." } });
    game.post("/acts", &vote).by(&game.bert).gives(201).await;
    let shown = game.get(&format!("/posts/{post}")).gives(200).await;
    assert_eq!(shown["tally"]["sides"]["for"], 4);
    assert_eq!(shown["tally"]["quorum"], 4);
    assert_eq!(shown["votes"][0]["vote"], "for");
    assert_eq!(shown["thread"].as_array().unwrap().len(), 4);

    let early = game.post("/why", &enact).by(&game.anna).gives(200).await;
    assert_eq!(early["refusal"]["next_at"], "2031-05-04T21:00:00Z");
    game.table.pass(Span::hours(12));
    let listed = game
        .get(&format!("/posts/{post}"))
        .by(&game.anna)
        .gives(200)
        .await;
    assert!(
        listed["actions"]
            .as_array()
            .unwrap()
            .contains(&json!("enact-proposal"))
    );
    let done = game.post("/acts", &enact).by(&game.anna).gives(201).await;
    let seq = done["event"]["seq"].as_u64().unwrap();

    let now = game.get("/rules/fair-play").gives(200).await;
    assert!(
        now["rule"]["text"]
            .as_str()
            .unwrap()
            .contains("playing fair.")
    );
    assert_eq!(now["history"].as_array().unwrap().len(), 2);
    assert_eq!(now["history"][0]["event"], seq);
    let then = game.get(&format!("/rules/fair-play?at={}", seq - 1));
    assert_eq!(then.gives(200).await["rule"]["text"], before);
    let open = game
        .get("/posts?category=Proposal&open=true")
        .gives(200)
        .await;
    assert_eq!(open["items"], json!([]));
    let enacted = game.get("/posts?status=enacted").gives(200).await;
    assert_eq!(enacted["items"][0]["id"], post);
    let head = game.get("").gives(200).await["head"].clone();
    let verdict = game.get("/verify").gives(200).await;
    assert_eq!(verdict["holds"], true);
    assert_eq!(verdict["head"], head["hash"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_asks_in_the_middle_and_goes_on_with_the_die_that_fell() {
    let game = Game::with_lockets().await;
    let moves = game.get("/moves").by(&game.bert).gives(200).await;
    let moves = moves["moves"].as_array().unwrap();
    let locket = moves
        .iter()
        .find(|one| one["action"] == "open-locket")
        .unwrap();
    assert_eq!(locket["may"], "now");
    assert_eq!(locket["fields"][1]["takes"], "a whole number");

    let opened = game
        .act(&game.bert, "open-locket", json!({ "many": 2 }))
        .await;
    assert_eq!(opened["event"]["outcome"], "waits");
    assert_eq!(opened["question"]["question"], "open:open-locket");
    let fallen: i64 = opened["event"]["dice"][0]["result"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let waiting = game.get("/moves").by(&game.bert).gives(200).await;
    assert_eq!(waiting["questions"][0]["options"][0]["value"], "keep");

    let wrong = game
        .post("/answers", &json!({ "value": "both" }))
        .by(&game.bert)
        .gives(422)
        .await;
    assert_eq!(wrong["place"], "arguments.value");
    let answer = json!({ "question": "open:open-locket", "value": "keep" });
    let done = game
        .post("/answers", &answer)
        .by(&game.bert)
        .key("answer 1")
        .gives(201)
        .await;
    assert_eq!(done["event"]["outcome"], "done");
    assert_eq!(done["event"]["dice"], opened["event"]["dice"]);
    let again = game
        .post("/answers", &answer)
        .by(&game.bert)
        .key("answer 1")
        .gives(200)
        .await;
    assert_eq!(again["replayed"], true);
    assert_eq!(again["event"], done["event"]);

    let gems = game.held(None, "player:2", "gems").await;
    assert_eq!(gems["value"], fallen * 2);
    let changes = game.get("/values/player:2/gems").gives(200).await;
    assert_eq!(changes[0]["event"], done["event"]["seq"]);
    let wish = json!({ "action": "open-locket" });
    let later = game.post("/acts", &wish).by(&game.bert).gives(409).await;
    assert_eq!(later["refusal"]["rule_id"], "lockets");
    assert_eq!(
        later["refusal"]["next_at"], "2031-05-05T08:00:00Z",
        "ten hours on"
    );
    let moves = game.get("/moves").by(&game.bert).gives(200).await;
    let moves = moves["moves"].as_array().unwrap();
    let locket = moves
        .iter()
        .find(|one| one["action"] == "open-locket")
        .unwrap();
    assert_eq!(locket["may"], "later");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hidden_stays_hidden_everywhere() {
    let game = Game::with_lockets().await;
    game.act(&game.bert, "open-locket", json!({})).await;
    let answered = game
        .act(&game.bert, "answer", json!({ "value": "leave" }))
        .await;
    let seq = answered["event"]["seq"].as_u64().unwrap();
    let is_luck = |one: &Json| one["name"] == "luck";
    let effects = answered["event"]["effects"].as_array().unwrap();
    assert!(effects.iter().any(is_luck), "the owner sees their own");

    let own = game.held(Some(&game.bert), "player:2", "luck").await;
    assert!(own["value"].as_i64().unwrap() > 100);
    for token in [Some(game.anna.as_str()), None] {
        let hidden = game.held(token, "player:2", "luck").await;
        assert_eq!(hidden["value"], Json::Null);
        assert_eq!(hidden["hidden"], true);
        let paths = [format!("/events/{seq}"), "/events?limit=2".to_owned()];
        for path in &paths {
            let call = game.get(path);
            let call = match token {
                Some(token) => call.by(token),
                None => call,
            };
            let told = call.gives(200).await;
            assert!(
                !told.to_string().contains("luck"),
                "{path} tells of it: {told:#}"
            );
        }
        let call = game.get("/values/player:2/luck");
        let call = match token {
            Some(token) => call.by(token),
            None => call,
        };
        call.gives(404).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_their_readers_alone() {
    let game = Game::of_six().await;
    let gwen = game.table.token("Gwen", false).await;
    let text = json!({ "to": ["Bert"], "text": "meet me at the well" });
    let sent = game
        .post("/messages", &text)
        .by(&game.anna)
        .gives(201)
        .await;
    let seq = sent["event"]["seq"].as_u64().unwrap();
    let got = game.get("/messages").by(&game.bert).gives(200).await;
    assert_eq!(got["items"][0]["text"], "meet me at the well");
    assert_eq!(got["items"][0]["from"]["name"], "Anna");
    game.get("/messages").by(&gwen).gives(403).await;
    game.get("/messages").gives(401).await;
    let event = game
        .get(&format!("/events/{seq}"))
        .by(&gwen)
        .gives(200)
        .await;
    assert_eq!(event["private"], true);
    assert_eq!(event["action"], Json::Null);
    assert!(!event.to_string().contains("well"));
    let known = game
        .get(&format!("/events/{seq}"))
        .by(&game.bert)
        .gives(200)
        .await;
    assert_eq!(known["arguments"]["text"], "meet me at the well");
    assert_eq!(known["key"], Json::Null, "the key is its sender's");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_is_the_same_command() {
    let game = Game::of_six().await;
    let line = json!({ "line": "For luck: 3DICE6" });
    let first = game
        .post("/dice", &line)
        .by(&game.bert)
        .key("roll-1")
        .gives(201)
        .await;
    assert_eq!(first["replayed"], false);
    assert_eq!(first["event"]["dice"].as_array().unwrap().len(), 3);
    let second = game
        .post("/dice", &line)
        .by(&game.bert)
        .key("roll-1")
        .gives(200)
        .await;
    assert_eq!(second["replayed"], true);
    assert_eq!(second["event"], first["event"]);
    let other = game
        .post("/dice", &line)
        .by(&game.anna)
        .key("roll-1")
        .gives(201)
        .await;
    assert_ne!(
        other["event"]["seq"], first["event"]["seq"],
        "a key is its sender's"
    );
    let wish = json!({ "action": "message", "arguments": { "to": ["Anna"], "text": "hello" } });
    let used = game
        .post("/acts", &wish)
        .by(&game.bert)
        .key("roll-1")
        .gives(422)
        .await;
    assert_eq!(used["type"], "urn:quorate:problem:key-used");
    assert_eq!(used["event"], first["event"]["seq"]);

    let gwen = game.table.token("Gwen", false).await;
    let asked = game
        .post("/join", &json!({}))
        .by(&gwen)
        .key("me")
        .gives(201)
        .await;
    let again = game
        .post("/join", &json!({}))
        .by(&gwen)
        .key("me")
        .gives(200)
        .await;
    assert_eq!(again["you"], asked["you"]);
    let hugo = game.table.token("Hugo", false).await;
    let other = game
        .post("/join", &json!({}))
        .by(&hugo)
        .key("me")
        .gives(201)
        .await;
    assert_ne!(
        other["you"], asked["you"],
        "nobody takes another's seat with a key"
    );

    let new = json!({ "rulebook": "adventurers-2019" });
    let one = game
        .table
        .post("/games", &new)
        .by(&gwen)
        .key("g")
        .gives(201)
        .await;
    let same = game
        .table
        .post("/games", &new)
        .by(&gwen)
        .key("g")
        .gives(201)
        .await;
    assert_eq!(one, same);
    let two = game
        .table
        .post("/games", &new)
        .by(&hugo)
        .key("g")
        .gives(201)
        .await;
    assert_ne!(one["game"], two["game"]);
    let games = game.table.get("/games").by(&gwen).gives(200).await;
    assert_eq!(games.as_array().unwrap().len(), 3);
    let account = game.table.get("/account").by(&gwen).gives(200).await;
    assert_eq!(account["seats"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_token_that_counts_authenticates() {
    let game = Game::of_six().await;
    let line = json!({ "line": "DICE6" });
    let refused = game.post("/dice", &line).answer().await;
    assert_eq!(refused.status.as_u16(), 401);
    assert!(refused.headers.contains_key("www-authenticate"));
    assert_eq!(refused.body["type"], "urn:quorate:problem:sign-in");
    let cookie = format!("session={}; __Host-session={}", game.bert, game.bert);
    game.post("/dice", &line)
        .with("cookie", &cookie)
        .gives(401)
        .await;
    game.post("/dice", &line).by("q_nobody").gives(401).await;
    game.get("").by("q_nobody").gives(401).await;
    game.get("")
        .with("authorization", "Basic abc")
        .gives(401)
        .await;
    let gwen = game.table.token("Gwen", false).await;
    let stranger = game.post("/dice", &line).by(&gwen).gives(403).await;
    assert_eq!(stranger["type"], "urn:quorate:problem:forbidden");
    game.get("/export").by(&game.anna).gives(403).await;
    let mend = json!({ "action": "repair", "arguments": { "reason": "mine" } });
    game.post("/acts", &mend).by(&game.anna).gives(403).await;
    game.table.revoke(&game.bert).await;
    game.post("/dice", &line).by(&game.bert).gives(401).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_player_and_an_applicant_are_refused_by_the_law() {
    let game = Game::of_six().await;
    game.act(&game.bert, "request-idle", json!({})).await;
    game.act(&game.anna, "idle-on-request", json!({ "target": "Bert" }))
        .await;
    let people = game.get("/players").gives(200).await;
    assert_eq!(people[1]["idle"], true);
    let new = json!({ "category": "Proposal", "title": "Wake me" });
    let refused = game.post("/posts", &new).by(&game.bert).gives(409).await;
    assert!(
        refused["refusal"]["sentence"]
            .as_str()
            .unwrap()
            .starts_with("needs")
    );
    let gwen = game.table.token("Gwen", false).await;
    game.post("/join", &json!({})).by(&gwen).gives(201).await;
    game.post("/posts", &new).by(&gwen).gives(409).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mistake_names_its_place() {
    let game = Game::with_lockets().await;
    let places = [
        (json!({ "action": "fly" }), "action"),
        (
            json!({ "action": "open-locket", "arguments": { "height": 3 } }),
            "arguments.height",
        ),
        (
            json!({ "action": "open-locket", "arguments": { "many": "lots" } }),
            "arguments.many",
        ),
        (
            json!({ "action": "open-locket", "arguments": { "many": 1.5 } }),
            "arguments.many",
        ),
        (
            json!({ "action": "open-locket", "arguments": { "many": { "of": 1 } } }),
            "arguments.many",
        ),
        (json!({ "action": "enact-proposal" }), "arguments.proposal"),
        (
            json!({ "action": "enact-proposal", "arguments": { "proposal": "post:99" } }),
            "arguments.proposal",
        ),
        (
            json!({ "action": "comment", "arguments": { "text": "hm" } }),
            "arguments.post",
        ),
        (
            json!({ "action": "message", "arguments": { "to": ["Bert", "Zoe"], "text": "hm" } }),
            "arguments.to[1]",
        ),
        (
            json!({ "action": "undo", "arguments": { "event": 999 } }),
            "arguments.event",
        ),
        (
            json!({ "action": "post", "arguments": { "title": 7 } }),
            "arguments.title",
        ),
        (
            json!({ "action": "post", "arguments": { "title": "x", "category": "Ode" } }),
            "arguments.category",
        ),
        (
            json!({ "action": "post", "arguments": { "title": "x", "changes": [
            { "do": "prose", "text": "a" }, { "do": "repeal", "id": "b" }] } }),
            "arguments.changes[1].do",
        ),
        (
            json!({ "action": "post", "arguments": { "title": "x", "changes": [
            { "do": "set_value", "thing": "player:2", "name": "gems", "value": "many" }] } }),
            "arguments.changes[0].value",
        ),
        (
            json!({ "action": "dice", "arguments": { "line": "x" }, "as": "Anna" }),
            "as",
        ),
    ];
    for (wish, place) in places {
        let told = game.post("/acts", &wish).by(&game.anna).gives(422).await;
        assert_eq!(told["place"], place, "{wish}: {told:#}");
        assert_eq!(told["type"], "urn:quorate:problem:bad-input");
    }
    let queries = [
        ("/posts?limit=many", "query"),
        ("/posts?colour=red", "query"),
        ("/posts?before=never", "query.before"),
        ("/events?who=somebody", "query.who"),
        ("/rules?at=yesterday", "query.at"),
        ("/values?kind=Dragon", "query.kind"),
    ];
    for (path, place) in queries {
        let told = game.get(path).gives(422).await;
        assert_eq!(told["place"], place, "{path}");
    }
    let key = "k".repeat(200);
    let long = game
        .post("/dice", &json!({ "line": "x" }))
        .by(&game.anna)
        .key(&key);
    assert_eq!(long.gives(422).await["place"], "Idempotency-Key");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_no_json_or_too_large_are_not_taken() {
    let game = Game::of_six().await;
    let post = || game.post("/posts", &json!({ "title": "x" })).by(&game.anna);
    post().raw(b"{\"title\": ".to_vec()).gives(400).await;
    post()
        .raw(b"{\"title\": \"x\"} and more".to_vec())
        .gives(400)
        .await;
    let long = json!({ "title": "x", "body": "a".repeat(256 * 1024) });
    let told = post().raw(long.to_string().into_bytes()).gives(413).await;
    assert_eq!(told["type"], "urn:quorate:problem:too-large");
    let form = Request::post(format!("{ROOT}/games/{}/posts", game.word))
        .header("authorization", format!("Bearer {}", game.anna))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from("title=x"))
        .unwrap();
    assert_eq!(game.table.send(form).await.status().as_u16(), 415);
    assert_eq!(
        game.get("").gives(200).await["head"]["seq"],
        11,
        "nothing was done"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_not_found() {
    let game = Game::of_six().await;
    let line = json!({ "line": "DICE6" });
    game.table
        .post("/games/nowhere/dice", &line)
        .by(&game.anna)
        .gives(404)
        .await;
    game.table.get("/games/nowhere").gives(404).await;
    for path in [
        "/posts/99",
        "/events/99",
        "/events/0",
        "/events/x",
        "/rules/none",
        "/values/game/none",
    ] {
        let told = game.get(path).gives(404).await;
        assert_eq!(told["type"], "urn:quorate:problem:not-found", "{path}");
    }
    game.post("/posts/99/comments", &json!({ "text": "x" }))
        .by(&game.anna)
        .gives(404)
        .await;
    for (method, path, status) in [("GET", "/nowhere", 404), ("DELETE", "/games", 405)] {
        let request = Request::builder()
            .method(method)
            .uri(format!("{ROOT}{path}"));
        let answer = game.table.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status().as_u16(), status);
        let media = answer.headers().get("content-type").unwrap();
        assert_eq!(media, "application/problem+json");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_paged_and_filtered() {
    let game = Game::with_lockets().await;
    let first = game.get("/events?limit=4").gives(200).await;
    let seqs = |page: &Json| -> Vec<u64> {
        let items = page["items"].as_array().unwrap();
        items
            .iter()
            .map(|one| one["seq"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(seqs(&first), [17, 16, 15, 14]);
    let next = first["next"].as_str().unwrap();
    let second = game
        .get(&format!("/events?limit=4&before={next}"))
        .gives(200)
        .await;
    assert_eq!(seqs(&second), [13, 12, 11, 10]);
    let last = game.get("/events?before=3").gives(200).await;
    assert_eq!((seqs(&last), &last["next"]), (vec![2, 1], &Json::Null));
    assert_eq!(second["items"][0]["hash"], first["items"][3]["previous"]);
    let his = game.get("/events?who=player:2&kind=posts").gives(200).await;
    assert_eq!(seqs(&his), [14]);
    assert_eq!(his["items"][0]["actor"]["player"]["name"], "Bert");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_and_a_claim_are_commands_like_others() {
    let game = Game::with_lockets().await;
    let set =
        |amount| json!([{ "do": "set_value", "thing": "Bert", "name": "gems", "value": amount }]);
    let claim = json!({ "rule": "lockets", "reason": "a gift", "changes": set(5) });
    let claimed = game.act(&game.anna, "claim", claim).await;
    let gems = game.held(None, "player:2", "gems").await;
    assert_eq!(
        (&gems["value"], &gems["claim"]),
        (&json!(5), &json!("claimed"))
    );
    let undo = json!({ "event": claimed["event"]["seq"], "reason": "not so" });
    game.act(&game.bert, "undo", undo).await;
    assert_eq!(game.held(None, "player:2", "gems").await["value"], 0);
    let says = |text| {
        json!({ "rule": "fair-play", "reason": "they said so",
        "changes": [{ "do": "set_value", "thing": "player:2", "name": "other_players", "value": text }] })
    };
    let first = game.act(&game.anna, "claim", says("Zed")).await;
    game.act(&game.anna, "claim", says("Yan")).await;
    let event = &first["event"]["seq"];
    let plain = json!({ "action": "undo", "arguments": { "event": event } });
    let refused = game.post("/acts", &plain).by(&game.bert).gives(409).await;
    assert!(
        refused["detail"]
            .as_str()
            .unwrap()
            .contains("player:2 other_players")
    );
    let picks = json!({ "event": event, "picks": { "player:2 other_players": "back" } });
    game.act(&game.bert, "undo", picks).await;
    assert_eq!(
        game.held(None, "player:2", "other_players").await["value"],
        ""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_export_and_repair() {
    let game = Game::of_six().await;
    let olga = game.table.token("Olga", true).await;
    let archive = game.get("/export").by(&olga).gives(200).await;
    assert_eq!(
        archive.as_str().unwrap().lines().count(),
        12,
        "a heading and eleven events"
    );
    let open = game.get("/export?open=true").by(&olga).gives(200).await;
    assert!(archive.as_str().unwrap().len() > open.as_str().unwrap().len());
    let verdict = game
        .get("/verify?grade=judgement")
        .by(&olga)
        .gives(200)
        .await;
    assert_eq!(verdict["holds"], true);
    game.get("/verify?grade=judgement")
        .by(&game.anna)
        .gives(403)
        .await;
    let mend = json!({ "reason": "a page was lost",
        "changes": [{ "do": "rename_rule", "id": "fair-play", "title": "Playing fair" }] });
    let done = game.act(&olga, "repair", mend).await;
    assert_eq!(done["event"]["actor"]["kind"], "operator");
    let rule = game.get("/rules/fair-play").gives(200).await;
    assert_eq!(rule["rule"]["title"], "Playing fair");
}
