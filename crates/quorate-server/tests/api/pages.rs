//! What pages of the site tell one reader and not another.

use axum::http::StatusCode;
use quorate_kernel::Span;
use quorate_server::ServerConfig;
use serde_json::json;

use crate::reader::get;
use crate::table::Table;
use crate::{Game, book};

/// A rule of which the desk must know what is a duty, and the page of a post what may be picked for that post.
const BETS: &str = r#"# Bets

1. {A player} may poke another, whenever they like.

```starlark
def poke(actor: Player, whom: Player):
    require(whom != actor, "somebody else")

action("poke", poke, admits = [leaders], title = "Poke them")
```

2. {A player} may bet on a colour that stands in the title of an entry.

```starlark
def colours(actor: Player) -> list[str]:
    return ["red", "green", "blue"]

def bet(actor: Player, entry: Post, colour: str):
    require(colour in entry.title, "a colour in the title")

action("bet", bet, options = {"colour": colours}, title = "Bet on a colour")
```
"#;

/// What stands between two words of a page, for the first place that has both.
fn between<'a>(page: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let (_, after) = page.split_once(from)?;
    Some(after.split_once(to)?.0)
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_count_as_unread_until_their_conversation_is_opened() {
    let game = Game::of_six().await;
    let (anna, bert) = (
        game.table.session("Anna").await,
        game.table.session("Bert").await,
    );
    let front = format!("/g/{}", game.word);
    let list = format!("{front}/messages");
    let unread = async |who| {
        let page = get(&game, who, &front).await.text();
        let count = between(
            &page,
            r#"<span class="count">"#,
            "<span class=\"sr\"> unread",
        );
        count.map(str::to_owned)
    };
    assert_eq!(unread(&bert).await, None);
    for text in ["meet me at the well", "and bring a lamp"] {
        let letter = json!({ "to": ["Bert"], "text": text });
        game.post("/messages", &letter)
            .by(&game.anna)
            .gives(201)
            .await;
    }
    assert_eq!(unread(&bert).await.as_deref(), Some("2"));
    assert_eq!(unread(&anna).await, None, "she wrote them herself");
    let page = get(&game, &bert, &front).await.text();
    assert!(page.contains("wrote 2 messages"), "{page}");
    let page = get(&game, &bert, &list).await.text();
    assert!(
        page.contains("2 new") && page.contains("and bring a lamp"),
        "{page}"
    );
    let thread = between(&page, &format!("href=\"{list}/"), "\"").unwrap();
    let thread = get(&game, &bert, &format!("{list}/{thread}")).await;
    assert_eq!(thread.status, StatusCode::OK);
    assert!(
        !thread.text().contains("unread"),
        "it is read as it is shown"
    );
    assert_eq!(unread(&bert).await, None);
    let letter = json!({ "to": ["Bert"], "text": "where are you?" });
    game.post("/messages", &letter)
        .by(&game.anna)
        .gives(201)
        .await;
    assert_eq!(unread(&bert).await.as_deref(), Some("1"));
    let path = format!("/games/{}/messages", game.word);
    let letters = game.table.get(&path).by(&game.bert).gives(200).await;
    let flags: Vec<_> = letters["items"].as_array().unwrap().iter().collect();
    let flags: Vec<_> = flags.iter().map(|one| one["unread"].as_bool()).collect();
    assert_eq!(flags, [Some(true), Some(false), Some(false)]);
    let nobodys = get(&game, &bert, &format!("{list}/99")).await;
    assert_eq!(nobodys.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_desk_has_the_duties_of_an_office_and_nothing_that_everybody_may_do() {
    let game = Game::with_rule("bets", "Bets", BETS).await;
    let anna = game.table.session("Anna").await;
    let gwen = game.table.token("Gwen", false).await;
    let joins = json!({ "text": "Let me in." });
    game.post("/join", &joins).by(&gwen).gives(201).await;
    let desk = get(&game, &anna, &format!("/g/{}/desk", game.word))
        .await
        .text();
    assert!(desk.contains(">Admit<"), "{desk}");
    assert!(!desk.contains("Poke them"), "{desk}");
    let bert = get(&game, &anna, &format!("/g/{}/players/2", game.word))
        .await
        .text();
    assert!(bert.contains("Poke them"), "{bert}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_on_a_post_offers_what_the_law_takes_for_that_post() {
    let game = Game::with_rule("bets", "Bets", BETS).await;
    let bert = game.table.session("Bert").await;
    let page = async |title: &str| {
        let post = json!({ "title": title, "body": "Which will it be?" });
        let made = game.post("/posts", &post).by(&game.anna).gives(201).await;
        let path = format!("/g/{}/post/{}", game.word, made["post"].as_str().unwrap());
        get(&game, &bert, &path).await.text()
    };
    let two = page("red or blue").await;
    assert!(two.contains("Bet on a colour"), "{two}");
    for (colour, is_there) in [("red", true), ("blue", true), ("green", false)] {
        let choice = format!("value=\"{colour}\"");
        assert_eq!(two.contains(&choice), is_there, "{colour}: {two}");
    }
    let none = page("black or white").await;
    assert!(!none.contains("Bet on a colour"), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tags_that_the_rules_speak_of_stand_beside_an_empty_form() {
    let game = Game::of_six().await;
    let bert = game.table.session("Bert").await;
    let form = async |category: &str| {
        let path = format!("/g/{}/new/{category}", game.word);
        get(&game, &bert, &path).await.text()
    };
    let proposal = form("Proposal").await;
    assert!(
        proposal.contains("needs the tag [Core] to change core rules"),
        "{proposal}"
    );
    assert!(!form("post").await.contains("[Core]"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_none_keeps_the_game_around_it() {
    let game = Game::of_six().await;
    let bert = game.table.session("Bert").await;
    let lost = get(&game, &bert, &format!("/g/{}/no/such/page", game.word)).await;
    assert_eq!(lost.status, StatusCode::NOT_FOUND);
    assert!(lost.text().contains("The Wilds"));
    let nowhere = get(&game, &bert, "/g/nowhere/at/all").await;
    assert_eq!(nowhere.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ruleset_comes_as_one_text_with_its_code_of_today_and_of_then() {
    let game = Game::with_rule("bets", "Bets", BETS).await;
    let bert = game.table.session("Bert").await;
    let rules = format!("/g/{}/rules", game.word);
    let page = get(&game, &bert, &rules).await.text();
    assert!(page.contains(&format!("href=\"{rules}.txt\"")), "{page}");
    assert!(!page.contains("require(whom != actor"), "{page}");
    let source = get(&game, &bert, &format!("{rules}.txt")).await;
    assert_eq!(source.header("content-type"), "text/plain; charset=utf-8");
    let today = source.text();
    for part in [
        "Bets (bets)",
        "{A player} may bet on a colour",
        "require(whom != actor",
    ] {
        assert!(today.contains(part), "{part}: {today}");
    }
    let then = get(&game, &bert, &format!("{rules}?at=1")).await.text();
    assert!(
        then.contains(&format!("href=\"{rules}.txt?at=1\"")),
        "{then}"
    );
    let then = get(&game, &bert, &format!("{rules}.txt?at=1")).await.text();
    assert!(
        then.contains("the ruleset of") && !then.contains("Bets"),
        "{then}"
    );
    let never = get(&game, &bert, &format!("{rules}.txt?at=yesterday")).await;
    assert_eq!(never.status, StatusCode::BAD_REQUEST);
}

/// A rule that rolls, and one that ends a dynasty.
const LUCK: &str = r#"# Luck

1. {A player} may toss a die, whenever they like.

```starlark
def toss(actor: Player):
    shown = roll(1000, "luck")
    note(f"{actor.name} tossed {shown}.")

action("toss", toss)
```

2. {A player} may begin a new dynasty, whenever they like.

```starlark
def crown_oneself(actor: Player):
    chronicle(actor, "Luck", begins = True)

action("crown-oneself", crown_oneself)
```
"#;

#[tokio::test(flavor = "multi_thread")]
async fn dice_are_committed_to_before_they_fall_and_proven_when_the_dynasty_ends() {
    let game = Game::with_rule("luck", "Luck", LUCK).await;
    let bert = game.table.session("Bert").await;
    let olga = game.table.token("Olga", true).await;
    let found = async || {
        let path = format!("/games/{}/verify?grade=judgement", game.word);
        let verdict = game.table.get(&path).by(&olga).gives(200).await;
        assert_eq!(verdict["holds"], true, "{verdict:#}");
        let count = |name: &str| verdict["dice"][name].as_u64().unwrap();
        (count("proven"), count("unproven"))
    };
    for token in [&game.bert, &game.others[0], &game.bert] {
        game.act(token, "toss", json!({})).await;
    }
    assert_eq!(found().await, (0, 3));
    let page = async |path: &str| {
        let path = format!("/g/{}/dynasties/{path}", game.word);
        get(&game, &bert, &path).await.text()
    };
    let running = page("1").await;
    assert!(
        running.contains("The key is shown when the dynasty ends"),
        "{running}"
    );
    let crowned = game.act(&game.bert, "crown-oneself", json!({})).await;
    let effects = crowned["event"]["effects"].as_array().unwrap();
    let commitments = effects.iter().filter(|effect| effect["of"] == "commitment");
    let shown: Vec<bool> = commitments.map(|one| one["shown"].is_string()).collect();
    assert_eq!(shown, [true, false], "{effects:#?}");
    game.act(&game.others[0], "toss", json!({})).await;
    assert_eq!(found().await, (3, 1));
    let over = page("1?check=dice").await;
    assert!(
        over.contains("The key, shown when the dynasty ended"),
        "{over}"
    );
    assert!(
        over.contains("3 dice shown as they had to be, and 1 die still"),
        "{over}"
    );
    assert!(
        page("2")
            .await
            .contains("The key is shown when the dynasty ends")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_says_at_each_vote_what_the_tally_comes_to() {
    let game = Game::of_six().await;
    let (anna, bert) = (
        game.table.session("Anna").await,
        game.table.session("Bert").await,
    );
    let post = json!({ "category": "Proposal", "title": "Longer piers", "body": "By a plank." });
    let made = game.post("/posts", &post).by(&game.anna).gives(201).await;
    let id = made["post"].as_str().unwrap().to_owned();
    let front = format!("/g/{}", game.word);
    let page = format!("{front}/post/{id}");
    let says = async |words: &str| {
        for path in [&front, &page] {
            let text = get(&game, &bert, path).await.text();
            assert!(text.contains(words), "{path} without {words}: {text}");
        }
    };
    let vote = async |token: &str| {
        let path = format!("/posts/{id}/comments");
        let vote = json!({ "vote": "for", "text": "Yes." });
        game.post(&path, &vote).by(token).gives(201).await;
    };
    says("You haven’t voted").await;
    vote(&game.anna).await;
    vote(&game.bert).await;
    says("Needs 2 more FOR votes to reach its quorum of 4").await;
    vote(&game.others[0]).await;
    says("One vote decides: one more FOR reaches its quorum").await;
    let ifs = get(&game, &bert, &page).await.text();
    assert!(ifs.contains("What would still change it"), "{ifs}");
    vote(&game.others[1]).await;
    says("Has its quorum; can be enacted from").await;
    game.table.pass(Span::hours(13));
    says("Can be enacted now; nothing that is still out can stop it").await;
    let desk = get(&game, &anna, &format!("{front}/desk")).await.text();
    assert!(desk.contains(">Enact, 4–0<"), "{desk}");
    assert!(desk.contains("changes no rule and no value"), "{desk}");
    let post = get(&game, &bert, &page).await.text();
    assert!(
        post.contains("If enacted, no rule and no value changes."),
        "{post}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_new_is_marked_until_it_was_seen_and_a_mention_waits() {
    let game = Game::of_six().await;
    let bert = game.table.session("Bert").await;
    let front = format!("/g/{}", game.word);
    let old = json!({ "category": "Entry", "title": "The pier", "body": "It stands." });
    game.post("/posts", &old).by(&game.anna).gives(201).await;
    let first = get(&game, &bert, &front).await.text();
    assert!(
        !first.contains("<mark>"),
        "a first visit has no news: {first}"
    );
    let post = json!({ "category": "Proposal", "title": "Longer piers", "body": "By a plank." });
    let made = game.post("/posts", &post).by(&game.anna).gives(201).await;
    let id = made["post"].as_str().unwrap().to_owned();
    let page = format!("{front}/post/{id}");
    let fresh = get(&game, &bert, &front).await.text();
    assert!(fresh.contains("<mark>new</mark>"), "{fresh}");
    get(&game, &bert, &page).await;
    let read = get(&game, &bert, &front).await.text();
    assert!(!read.contains("<mark>"), "{read}");
    let comment = json!({ "text": "What do you say, @bert?" });
    let path = format!("/posts/{id}/comments");
    game.post(&path, &comment).by(&game.anna).gives(201).await;
    let asked = get(&game, &bert, &front).await.text();
    assert!(asked.contains("Anna mentioned you"), "{asked}");
    assert!(asked.contains("<mark>1 new comment</mark>"), "{asked}");
    let shown = get(&game, &bert, &page).await.text();
    assert!(shown.contains(">@bert</a>"), "{shown}");
    let after = get(&game, &bert, &front).await.text();
    assert!(!after.contains("mentioned you"), "{after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_that_is_one_too_many_is_refused_before_it_is_written() {
    let game = Game::of_six().await;
    let anna = game.table.session("Anna").await;
    let form = format!("/g/{}/new/Proposal", game.word);
    for title in ["One", "Two"] {
        let open = get(&game, &anna, &form).await.text();
        assert!(!open.contains("fewer pending proposals"), "{open}");
        let post = json!({ "category": "Proposal", "title": title, "body": "So be it." });
        game.post("/posts", &post).by(&game.anna).gives(201).await;
    }
    let third = get(&game, &anna, &form).await.text();
    assert!(
        third.contains("needs fewer pending proposals of yours."),
        "{third}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_undone_is_told_who_it_was_and_why_until_they_have_looked() {
    let game = Game::with_lockets().await;
    let anna = game.table.session("Anna").await;
    let gems = json!([{ "do": "set_value", "thing": "Anna", "name": "gems", "value": 5 }]);
    let claim = json!({ "rule": "lockets", "reason": "a gift", "changes": gems });
    let done = game.act(&game.anna, "claim", claim).await;
    let seq = &done["event"]["seq"];
    let undo = json!({ "event": seq, "reason": "it was my turn" });
    game.act(&game.bert, "undo", undo).await;
    let front = format!("/g/{}", game.word);
    let told = get(&game, &anna, &front).await.text();
    assert!(told.contains("Bert undid this: it was my turn"), "{told}");
    let bert = game.table.session("Bert").await;
    let other = get(&game, &bert, &front).await.text();
    assert!(!other.contains("undid this"), "{other}");
    let event = get(&game, &anna, &format!("{front}/log/{seq}"))
        .await
        .text();
    assert!(event.contains("because: it was my turn"), "{event}");
    let after = get(&game, &anna, &front).await.text();
    assert!(!after.contains("undid this"), "{after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_has_no_cells_of_rules_for_which_they_are_no_player() {
    let game = Game::of_six().await;
    for (who, ap) in [("player:1", json!(null)), ("player:2", json!(4))] {
        let held = game.held(None, who, "ap").await;
        assert_eq!((&held["value"], &held["hidden"]), (&ap, &json!(false)));
        assert_eq!(held["text"] == "", ap.is_null());
    }
    assert_eq!(game.held(None, "player:1", "admin").await["value"], true);
    let bert = game.table.session("Bert").await;
    let tracker = get(&game, &bert, &format!("/g/{}/tracker", game.word)).await;
    let tracker = tracker.text();
    let leads_to = |who: u8| {
        let words = [format!("player:{who}.ap"), format!("player%3A{who}.ap")];
        words.iter().any(|word| tracker.contains(word))
    };
    assert!(leads_to(2) && !leads_to(1), "{tracker}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_bear_the_numbers_that_their_law_gives_them() {
    let books = vec![book::read("hordes-22")];
    let table = Table::with(ServerConfig::default(), books).await;
    let anna = table.token("Anna", false).await;
    let new = json!({ "rulebook": "hordes-22", "title": "The City" });
    let founded = table.post("/games", &new).by(&anna).gives(201).await;
    let game = Game {
        table,
        bert: anna.clone(),
        anna,
        others: Vec::new(),
        word: founded["game"].as_str().unwrap().to_owned(),
    };
    let rules = game.get("/rules").gives(200).await;
    let rules = rules["rules"].as_array().unwrap();
    let page = game.table.session("Anna").await;
    let page = get(&game, &page, &format!("/g/{}/rules", game.word)).await;
    let page = page.text();
    let wanted = [
        ("ruleset", "1"),
        ("victory", "10"),
        ("city", "11"),
        ("bub", "15.1"),
        ("allegiance", "17"),
        ("glossary", "99"),
    ];
    for (id, number) in wanted {
        let rule = rules.iter().find(|rule| rule["id"] == id).unwrap();
        assert_eq!(rule["number"], number, "{id}");
        let heading = format!("<span class=\"n\">{number}</span>");
        assert!(page.contains(&heading), "{heading}");
    }
}
