//! Search: what is found by whom, what the index makes up for, and what leaves it.

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::{GameId, Span};
use quorate_runtime::ports::{SearchPlace, SearchQuery, SearchTerm};
use quorate_server::Indexer;
use serde_json::{Value as Json, json};

use crate::Game;
use crate::table::ANSWER_BYTES;

impl Game {
    /// Has all that happened taken into the index.
    async fn indexed(&self) {
        let round = Indexer::new(self.table.site()).round().await;
        assert!(round.is_ok(), "the index could not follow");
    }

    async fn found(&self, query: &str) -> Vec<Json> {
        let path = format!("/search?{query}");
        let page = self.get(&path).by(&self.bert).gives(200).await;
        page["items"].as_array().unwrap().clone()
    }

    /// The kinds and titles of what is found.
    async fn told(&self, query: &str) -> Vec<String> {
        let found = self.found(query).await;
        let told = found.iter().map(|one| {
            let (kind, title) = (one["kind"].as_str(), one["title"].as_str());
            format!("{} {}", kind.unwrap(), title.unwrap())
        });
        told.collect()
    }

    /// What the index itself has of a word, whoever may see it.
    async fn kept(&self, word: &str) -> Vec<SearchPlace> {
        let game: GameId = self.word.parse().unwrap();
        let query = SearchQuery {
            terms: vec![SearchTerm::of_word(word.to_owned())],
            ..SearchQuery::default()
        };
        let index = &self.table.site().deps.search;
        index.search(&game, &query, None, 100).await.unwrap()
    }

    async fn says(&self, token: &str, title: &str, body: &str) -> String {
        self.table.pass(Span::hours(1));
        let post = json!({ "category": "Story Post", "title": title, "body": body });
        let made = self.post("/posts", &post).by(token).gives(201).await;
        made["post"].as_str().unwrap().to_owned()
    }

    /// The search page as a stranger gets it.
    async fn searched(&self, query: &str) -> String {
        let request = Request::get(format!("/g/{}/search?{query}", self.word));
        let request = request.header(header::ACCEPT, "text/html");
        let response = self.table.send(request.body(Body::empty()).unwrap()).await;
        assert!(response.status().is_success(), "{query}");
        let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }
}

#[tokio::test]
async fn words_phrases_authors_kinds_and_days_are_found_on_posts_comments_rules_and_events() {
    let game = Game::with_lockets().await;
    let ferry = game
        .says(
            &game.anna,
            "The ferry",
            "It waits for {a player} at the old pier.",
        )
        .await;
    let comment = json!({ "text": "No ferry crosses by night; ask at the pier." });
    let path = format!("/posts/{ferry}/comments");
    game.post(&path, &comment).by(&game.bert).gives(201).await;
    let odd = json!({ "wish": "gold", "many": 1 });
    game.act(&game.bert, "open-locket", odd).await;
    assert_eq!(
        game.told("q=ferry").await,
        [""; 0],
        "nothing is taken in yet"
    );
    game.indexed().await;

    assert_eq!(game.told("q=FERRY").await, ["posts The ferry", "comments "]);
    assert_eq!(game.told("q=ferr&kind=comments").await, ["comments "]);
    assert_eq!(game.told("q=%22old+pier%22").await, ["posts The ferry"]);
    assert_eq!(game.told("q=pier+old").await, ["posts The ferry"]);
    assert_eq!(game.told("q=%22pier+old%22").await, [""; 0]);
    assert_eq!(game.told("q=pier+by:bert").await, ["comments "]);
    assert_eq!(game.told("q=pier&by=Anna").await, ["posts The ferry"]);
    assert_eq!(
        game.told("q=ferry+kind:%22story+post%22").await,
        ["posts The ferry"]
    );
    let rules = game.told("q=locket+kind:rules").await;
    assert_eq!(rules, ["rules Lockets"]);
    let events = game.told("q=locket&kind=events").await;
    assert_eq!(events, ["events Open a Locket"]);
    assert_eq!(game.told("q=Cora&kind=people").await, ["people Cora"]);
    assert_eq!(
        game.told("q=ferry&from=2031-05-04&to=2031-05-30")
            .await
            .len(),
        2
    );
    assert_eq!(game.told("q=ferry&to=2031-05-03").await, [""; 0]);
    assert_eq!(game.told("q=ferry&dynasty=1").await.len(), 2);
    // What has no date and no author is not of a day or somebody's.
    assert_eq!(game.told("q=locket+by:Anna+kind:rules").await, [""; 0]);

    let found = game.found("q=ferry").await;
    assert_eq!(found[0]["id"], ferry.as_str());
    assert_eq!(found[1]["id"], ferry.as_str());
    assert!(found[1]["comment"].is_string());
    let excerpt = found[0]["excerpt"].as_str().unwrap();
    assert!(!excerpt.contains('{'), "{excerpt}");
    let page = game.searched("q=ferry").await;
    assert!(
        page.contains("2 places") && page.contains("<b>ferry</b>"),
        "{page}"
    );
    assert!(page.contains("under The ferry") && page.contains("by Bert"));
}

#[tokio::test]
async fn what_cannot_be_meant_is_named_and_nothing_breaks() {
    let game = Game::of_six().await;
    game.indexed().await;
    for (query, place) in [
        ("", "query.q"),
        ("q=%21%21", "query.q"),
        ("q=by:nobody", "query.by"),
        ("q=x&kind=dragons", "query.kind"),
        ("q=x&from=yesterday", "query.from"),
        ("q=to:2031-13-01", "query.to"),
        ("q=x&dynasty=9", "query.dynasty"),
        ("q=x&after=nonsense", "query.after"),
    ] {
        let refused = game.get(&format!("/search?{query}")).gives(422).await;
        assert_eq!(refused["place"], place, "{query}");
    }
    let page = game.searched("q=by:nobody").await;
    assert!(page.contains("Nobody here is called “nobody”."), "{page}");
    assert!(
        game.searched("q=%21%21")
            .await
            .contains("Nothing found for “!!”")
    );
    assert!(
        game.searched("q=%22NEAR%28%22+*+OR")
            .await
            .contains("Nothing found")
    );
}

#[tokio::test]
async fn pages_of_places_follow_each_other_without_gap_or_double() {
    let game = Game::of_six().await;
    for number in 0..7 {
        let title = if number % 3 == 0 { "A lamp" } else { "Night" };
        game.says(&game.anna, &format!("{title} {number}"), "the lamp burns")
            .await;
    }
    game.indexed().await;
    let mut titles = Vec::new();
    let mut after = String::new();
    loop {
        let page = game.get(&format!("/search?q=lamp&limit=2{after}"));
        let page = page.gives(200).await;
        let items = page["items"].as_array().unwrap().iter();
        titles.extend(items.map(|one| one["title"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        after = format!("&after={next}");
    }
    let expected = [
        "A lamp 6", "A lamp 3", "A lamp 0", "Night 5", "Night 4", "Night 2", "Night 1",
    ];
    assert_eq!(titles, expected);
}

#[tokio::test]
async fn what_was_missed_is_made_up_for_and_the_index_can_be_built_anew() {
    let game = Game::of_six().await;
    let words: GameId = game.word.parse().unwrap();
    game.says(&game.anna, "Salt", "on the pier").await;
    game.indexed().await;
    // Whatever stopped the server in between: the index knows by itself how far it is.
    game.says(&game.anna, "Pepper", "on the pier").await;
    let page = game.get("/search?q=pier").gives(200).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 1);
    game.indexed().await;
    let before = game.told("q=pier").await;
    assert_eq!(before, ["posts Pepper", "posts Salt"]);
    let index = &game.table.site().deps.search;
    let point = index.index_point(&words).await.unwrap();
    game.indexed().await;
    assert_eq!(index.index_point(&words).await.unwrap(), point);

    index.clear_index(None).await.unwrap();
    let page = game.get("/search?q=pier").gives(200).await;
    assert_eq!(
        (page["items"].as_array().unwrap().len(), &page["behind"]),
        (0, &json!(true))
    );
    assert!(
        game.searched("q=pier")
            .await
            .contains("still reading older events")
    );
    game.indexed().await;
    assert_eq!(game.told("q=pier").await, before);
    assert_eq!(index.index_point(&words).await.unwrap(), point);
}

#[tokio::test]
async fn an_edited_text_is_found_by_what_it_says_now() {
    let game = Game::of_six().await;
    let post = game.says(&game.anna, "Draft", "the word is quince").await;
    game.indexed().await;
    let words: GameId = game.word.parse().unwrap();
    let anna = Actor::Player("1".parse().unwrap());
    let edit = Act::EditPost {
        post: post.parse().unwrap(),
        title: typed("Draft"),
        body: typed("the word is medlar"),
        flavour: typed(""),
        patch: None,
    };
    let games = &game.table.site().deps.games;
    let sender = quorate_runtime::CommandSender::staying();
    let edited = games
        .send_for(&words, anna, "an edit".into(), edit, sender)
        .await;
    assert!(edited.is_ok());
    // Before the index has followed, the old word is in it and in no text any more.
    assert_eq!(game.kept("quince").await.len(), 1);
    assert_eq!(game.told("q=quince").await, [""; 0]);
    game.indexed().await;
    assert_eq!(game.kept("quince").await, []);
    assert_eq!(game.told("q=medlar").await, ["posts Draft"]);
}

#[tokio::test]
async fn what_is_withheld_leaves_the_index_at_once_and_the_rest_comes_back() {
    let game = Game::of_six().await;
    let post = game.says(&game.anna, "A lamp", "It burns.").await;
    let path = format!("/posts/{post}/comments");
    let slur = json!({ "text": "sloeberry" });
    let made = game.post(&path, &slur).by(&game.bert).gives(201).await;
    let seq = made["event"]["seq"].as_u64().unwrap();
    game.indexed().await;
    assert_eq!(game.kept("sloeberry").await.len(), 1);
    let site = game.table.site();
    let words: GameId = game.word.parse().unwrap();
    let events = site.events(&words, &[quorate_kernel::EventSeq(seq)]).await;
    let mut digests = Vec::new();
    events.unwrap()[0]
        .act
        .clone()
        .each_seal(&mut |seal| digests.push(seal.digest()));
    site.forget(&words, &digests).await.unwrap();
    assert_eq!(
        game.kept("sloeberry").await,
        [],
        "nobody had to follow the log for that"
    );
    assert_eq!(game.told("q=sloeberry").await, [""; 0]);
    game.indexed().await;
    assert_eq!(game.kept("sloeberry").await, []);
    let index = &site.deps.search;
    assert_eq!(index.index_waiting(&words).await.unwrap(), []);
    // Built anew it has the rest, and the words are gone for good.
    index.clear_index(None).await.unwrap();
    game.indexed().await;
    assert_eq!(game.kept("sloeberry").await, []);
    assert_eq!(game.told("q=lamp").await, ["posts A lamp"]);
}
