//! Playing: proposals, actions that ask, what is hidden, the log, undoing, the operator.

use axum::http::StatusCode;
use quorate_kernel::Span;
use serde_json::{Value as Json, json};

use crate::Game;
use crate::removal::{page, sent};

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

    let preview = json!({ "category": "proposal", "title": "[Core] Words", "changes": [change] });
    let preview = game
        .post("/preview", &preview)
        .by(&game.bert)
        .gives(200)
        .await;
    let effects = preview["effects"].as_array().unwrap();
    assert!(
        effects.iter().any(|effect| effect["id"] == "fair-play"),
        "{effects:?}"
    );
    let new = json!({ "category": "proposal", "title": "[Core] Words", "changes": [change] });
    let made = game.post("/posts", &new).by(&game.bert).gives(201).await;
    let post = made["post"].as_str().unwrap();
    let shown = game.get(&format!("/posts/{post}")).gives(200).await;
    assert_eq!(shown["status"], "pending");
    assert_eq!(shown["digest"], preview["digest"]);
    assert_eq!(shown["author"]["name"], "Bert");
    assert_eq!(shown["changes"][0]["do"], "replace_rule");

    let enact =
        json!({ "action": "enact-proposal", "arguments": { "proposal": format!("post:{post}") } });
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
    let odd = json!({ "action": "vote", "arguments": { "post": post, "icon": "perhaps" } });
    let told = game.post("/acts", &odd).by(&game.bert).gives(422).await;
    assert_eq!(told["place"], "arguments.icon");
    assert_eq!(told["detail"], "“perhaps” is no vote of this game");
    let shown = game.get(&format!("/posts/{post}")).gives(200).await;
    assert_eq!(shown["tally"]["sides"]["for"], 4);
    assert_eq!(shown["tally"]["quorum"], 4);
    assert_eq!(shown["votes"][0]["vote"], "for");
    assert_eq!(shown["thread"].as_array().unwrap().len(), 4);
    let verdict = &shown["verdict"];
    assert_eq!(
        (&verdict["is"], &verdict["out"]),
        (&json!("waits"), &json!(2))
    );
    assert_eq!(verdict["now"]["in_favour"], 4);
    assert_eq!(verdict["until"], "2031-05-04T21:00Z");
    let sentence = verdict["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("Has its quorum"), "{sentence}");

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
    let text = now["rule"]["text"].as_str().unwrap();
    assert!(text.contains("playing fair."), "{text}\n{done:#}");
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
    let closed = game.get(&format!("/posts/{post}")).gives(200).await;
    assert_eq!(closed["verdict"], Json::Null);
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
    assert_eq!(locket["says"], "1 to 6 Gems for Bert.");
    let wishes = &locket["fields"][0]["options"];
    assert_eq!(wishes[0]["remark"], "glitters");
    assert_eq!(
        wishes[1]["remark"],
        json!(null),
        "a remark that refuses says nothing"
    );

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
    assert_eq!(waiting["questions"][0]["may_give_up"], false, "a die fell");

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
    assert_eq!(
        locket["says"],
        json!(null),
        "odds are told while it may be taken"
    );
}

const DOUBTING: &str = r#"# Doubting

1. Anybody may doubt, and say whether they do.

```starlark
def doubt(actor: Player):
    choose("Are you sure?", ["yes", "no"])

action("doubt", doubt)
```
"#;

#[tokio::test(flavor = "multi_thread")]
async fn an_action_that_asks_can_be_given_up_on_the_page_and_by_a_program() {
    let game = Game::of_six().await;
    let olga = game.table.token("Olga", true).await;
    let rule = json!({ "do": "add_rule", "id": "doubting", "section": "core", "text": DOUBTING });
    let mend = json!({ "reason": "a new rule", "changes": [rule] });
    game.act(&olga, "repair", mend).await;
    let may = async || {
        let moves = game.get("/moves").by(&game.bert).gives(200).await;
        let mut moves = moves["moves"].as_array().unwrap().iter();
        let doubt = moves.find(|one| one["action"] == "doubt").unwrap();
        doubt["may"].clone()
    };
    assert_eq!(may().await, "now");

    game.act(&game.bert, "doubt", json!({})).await;
    assert_eq!(may().await, "no", "it waits for an answer");
    let moves = game.get("/moves").by(&game.bert).gives(200).await;
    assert_eq!(moves["questions"][0]["may_give_up"], true);
    let given_up = game
        .act(&game.bert, "abandon", json!({ "action": "doubt" }))
        .await;
    let event = &given_up["event"];
    assert_eq!(
        (&event["outcome"], &event["refusal"]),
        (&json!("lapsed"), &Json::Null)
    );
    assert_eq!(may().await, "now");

    game.act(&game.bert, "doubt", json!({})).await;
    let bert = game.table.session("Bert").await;
    let act = format!("/g/{}/act", game.word);
    let (_, shown) = page(&game, &bert, &act).await;
    assert!(
        shown.contains("Are you sure?") && shown.contains(">Give it up</button>"),
        "{shown}"
    );
    let asked = format!("/g/{}/answer/open:doubt", game.word);
    for _ in ["the first", "a double click"] {
        let (status, _) = sent(&game, &bert, &asked, "key=k1&answer=give-up").await;
        assert_eq!(status, StatusCode::SEE_OTHER);
    }
    let (status, told) = sent(&game, &bert, &asked, "key=k2&answer=0").await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(
        told.contains("a question that still waits for your answer"),
        "{told}"
    );
    let (_, shown) = page(&game, &bert, &act).await;
    assert!(!shown.contains("Are you sure?"), "{shown}");
    assert!(shown.contains("gives up Doubt"), "{shown}");
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
    let says = |text: &str| json!({ "who": text });
    let first = game.act(&game.bert, "declare-players", says("Zed")).await;
    game.act(&game.bert, "declare-players", says("Yan")).await;
    let event = &first["event"]["seq"];
    let plain = json!({ "action": "undo", "arguments": { "event": event } });
    let refused = game.post("/acts", &plain).by(&game.anna).gives(409).await;
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains("player:2 other_players"), "{detail}");
    let picks = json!({ "event": event, "picks": { "player:2 gold": "back" } });
    let wish = json!({ "action": "undo", "arguments": picks });
    let told = game.post("/acts", &wish).by(&game.anna).gives(422).await;
    assert_eq!(told["place"], "arguments.picks.player:2 gold");
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
