//! The contract of [`SearchIndex`].

use std::fmt::Write as _;

use quorate_kernel::digest::Digest;
use quorate_kernel::ids::Id;
use quorate_kernel::{CommentId, EventSeq, GameId, Moment, PlayerId, PostId};

use crate::ports::{
    IndexPoint, Journal, Seals, SearchIndex, SearchKey, SearchPart, SearchQuery, SearchTerm,
    SearchText, search_words,
};
use crate::testing::found_batch;

/// Runs the whole contract on an empty store.
pub async fn search<S: Journal + Seals + SearchIndex>(store: &S) {
    let (reef, lagoon) = (founded(store, "reef").await, founded(store, "lagoon").await);
    it_stands_where_it_was_left(store, &reef).await;
    words_phrases_and_beginnings_are_found(store, &lagoon).await;
    titles_come_first_and_then_the_newest(store, &lagoon).await;
    what_is_meant_narrows(store, &lagoon).await;
    no_sign_in_a_question_is_more_than_a_word(store, &lagoon).await;
    a_long_text_is_found_by_its_last_words(store, &lagoon).await;
    what_is_forgotten_leaves_and_does_not_come_back(store, &lagoon).await;
    it_is_thrown_away_game_by_game(store, &lagoon, &reef).await;
}

async fn founded<S: Journal>(store: &S, word: &str) -> GameId {
    let game: GameId = word.parse().expect("tests name their games well");
    let mut first = found_batch(&game);
    first.epoch = super::journal::claimed(store, &game).await;
    store.append(&[first]).await.unwrap();
    game
}

fn point(seq: u64) -> IndexPoint {
    IndexPoint {
        seq: EventSeq(seq),
        form: 1,
        terms: Digest::of(b"terms"),
    }
}

fn post(seq: u64) -> SearchKey {
    SearchKey::Post(PostId(Id::new(EventSeq(seq), 0)))
}

fn player(seq: u64) -> PlayerId {
    PlayerId(Id::new(EventSeq(seq), 0))
}

fn text(at: i64, title: &str, text: &str) -> SearchText {
    SearchText {
        category: "News".into(),
        by: Some(player(1)),
        at: Moment(at),
        title: title.to_owned(),
        text: text.to_owned(),
        seals: Vec::new(),
    }
}

fn asks(words: &str) -> SearchQuery {
    let terms = search_words(words).into_iter().map(SearchTerm::of_word);
    SearchQuery {
        terms: terms.collect(),
        ..SearchQuery::default()
    }
}

fn phrase(words: &str) -> SearchQuery {
    SearchQuery {
        terms: vec![SearchTerm::Phrase(search_words(words))],
        ..SearchQuery::default()
    }
}

async fn found<S: SearchIndex>(store: &S, game: &GameId, query: &SearchQuery) -> Vec<String> {
    let places = store.search(game, query, None, 100).await.unwrap();
    places.iter().map(|place| place.key.to_string()).collect()
}

async fn it_stands_where_it_was_left<S: SearchIndex>(store: &S, game: &GameId) {
    assert_eq!(store.index_point(game).await.unwrap(), None);
    let salt = [(post(1), Some(text(1, "Salt", "")))];
    let taken = store.take_into_index(game, None, point(3), &salt).await;
    assert!(taken.unwrap());
    assert_eq!(store.index_point(game).await.unwrap(), Some(point(3)));
    // Another node was here before: nothing happens.
    for from in [None, Some(point(2))] {
        let pepper = [(post(1), Some(text(1, "Pepper", "")))];
        let taken = store.take_into_index(game, from, point(4), &pepper).await;
        assert!(!taken.unwrap());
    }
    assert_eq!(found(store, game, &asks("salt")).await, ["post:1"]);
    assert_eq!(found(store, game, &asks("pepper")).await, [""; 0]);
    assert_eq!(store.index_point(game).await.unwrap(), Some(point(3)));
    // What was there is replaced, and what is gone is taken out.
    let changed = [(post(1), Some(text(1, "Pepper", "")))];
    let from = Some(point(3));
    let taken = store.take_into_index(game, from, point(4), &changed).await;
    assert!(taken.unwrap());
    assert_eq!(found(store, game, &asks("salt")).await, [""; 0]);
    assert_eq!(found(store, game, &asks("pepper")).await, ["post:1"]);
    let gone = [(post(1), None), (post(9), None)];
    let from = Some(point(4));
    let taken = store.take_into_index(game, from, point(5), &gone).await;
    assert!(taken.unwrap());
    assert_eq!(found(store, game, &asks("pepper")).await, [""; 0]);
}

async fn words_phrases_and_beginnings_are_found<S: SearchIndex>(store: &S, game: &GameId) {
    let comment = SearchKey::Comment(
        PostId(Id::new(EventSeq(10), 0)),
        CommentId(Id::new(EventSeq(12), 1)),
    );
    let texts = [
        (
            post(10),
            Some(text(10, "The ferry", "It waits by the old pier.")),
        ),
        (
            post(11),
            Some(text(11, "A pier", "No ferry waits. Ähren, 45 of 1e5.")),
        ),
        (
            comment,
            Some(text(12, "", "The pier is old; ferries are not.")),
        ),
        (
            SearchKey::Rule("ferry".into()),
            Some(text(0, "Ferry", "def call_ferry(actor: Player):")),
        ),
        (
            SearchKey::Event(EventSeq(13)),
            Some(text(13, "Call the boat", "")),
        ),
        (SearchKey::Person(player(1)), Some(text(1, "Anna", ""))),
    ];
    let taken = store.take_into_index(game, None, point(13), &texts).await;
    assert!(taken.unwrap());
    // All words, in any order, in title and text together.
    assert_eq!(
        found(store, game, &asks("FERRY")).await[..2],
        ["post:10", "rule:ferry"]
    );
    assert_eq!(
        found(store, game, &asks("waits pier ferry")).await,
        ["post:11", "post:10"]
    );
    assert_eq!(found(store, game, &asks("ferry dragon")).await, [""; 0]);
    // By its beginning, where it is long enough for that.
    let mut ferr = found(store, game, &asks("ferr")).await;
    ferr.sort_unstable();
    assert_eq!(
        ferr,
        ["comment:10:12-1", "post:10", "post:11", "rule:ferry"]
    );
    assert_eq!(found(store, game, &asks("fe")).await, [""; 0]);
    // A phrase is whole and in a row, and does not run from a title into a text.
    assert_eq!(found(store, game, &phrase("old pier")).await, ["post:10"]);
    assert_eq!(
        found(store, game, &phrase("pier is old")).await,
        ["comment:10:12-1"]
    );
    assert_eq!(found(store, game, &phrase("the pie")).await, [""; 0]);
    assert_eq!(found(store, game, &phrase("ferry it")).await, [""; 0]);
    // Other letters, and numbers.
    for word in ["ähren", "45", "1e5", "call ferry actor", "anna", "boat"] {
        assert_eq!(found(store, game, &asks(word)).await.len(), 1, "{word}");
    }
}

async fn titles_come_first_and_then_the_newest<S: SearchIndex>(store: &S, game: &GameId) {
    let pier = asks("pier");
    let order = found(store, game, &pier).await;
    assert_eq!(order, ["post:11", "comment:10:12-1", "post:10"]);
    // Page by page it is the same.
    let mut paged = Vec::new();
    let mut after = None;
    loop {
        let page = store.search(game, &pier, after.as_ref(), 1).await.unwrap();
        let Some(last) = page.last() else { break };
        paged.push(last.key.to_string());
        after = Some(last.clone());
    }
    assert_eq!(paged, order);
    let everything = store.search(game, &SearchQuery::default(), None, 4).await;
    let everything = everything.unwrap();
    assert_eq!(everything.len(), 4);
    assert_eq!(everything[0].key, SearchKey::Event(EventSeq(13)));
    assert!(everything.iter().all(|place| !place.in_title));
}

async fn what_is_meant_narrows<S: SearchIndex>(store: &S, game: &GameId) {
    let other = SearchText {
        by: None,
        category: "Story".into(),
        ..text(20, "Night", "the ferry sinks")
    };
    let texts = [(post(20), Some(other))];
    let from = Some(point(13));
    let taken = store.take_into_index(game, from, point(20), &texts).await;
    assert!(taken.unwrap());
    let ferry = asks("ferry");
    let with = |change: &dyn Fn(&mut SearchQuery)| {
        let mut query = ferry.clone();
        change(&mut query);
        query
    };
    let count = async |query: SearchQuery| found(store, game, &query).await;
    let part = with(&|query| query.part = Some(SearchPart::Rules));
    assert_eq!(count(part).await, ["rule:ferry"]);
    let category = with(&|query| query.category = Some("Story".into()));
    assert_eq!(count(category).await, ["post:20"]);
    let by = with(&|query| query.by = Some(player(2)));
    assert_eq!(count(by).await, [""; 0]);
    let by = with(&|query| {
        query.by = Some(player(1));
        query.part = Some(SearchPart::Posts);
    });
    assert_eq!(count(by).await, ["post:10", "post:11"]);
    let since = with(&|query| query.since = Some(Moment(11)));
    assert_eq!(count(since).await, ["post:20", "post:11"]);
    let until = with(&|query| query.until = Some(Moment(11)));
    assert_eq!(count(until).await, ["post:10", "rule:ferry"]);
    let all_of_a_day = SearchQuery {
        since: Some(Moment(11)),
        until: Some(Moment(13)),
        ..SearchQuery::default()
    };
    assert_eq!(count(all_of_a_day).await, ["comment:10:12-1", "post:11"]);
    // One game is not another.
    let elsewhere: GameId = "reef".parse().unwrap();
    assert_eq!(found(store, &elsewhere, &ferry).await, [""; 0]);
    let nowhere: GameId = "nowhere".parse().unwrap();
    assert_eq!(found(store, &nowhere, &ferry).await, [""; 0]);
}

async fn no_sign_in_a_question_is_more_than_a_word<S: SearchIndex>(store: &S, game: &GameId) {
    for typed in [
        "NOT ferry OR pier AND",
        "title : ferry* NEAR(pier) ^old + - \"' :* <-> & | !",
        "'; DROP TABLE search_texts; --",
        "ferry:* & !pier",
        "\u{0}ferry\u{0}",
    ] {
        // Each is some words, of which not all are in one text; nothing breaks.
        found(store, game, &asks(typed)).await;
        found(store, game, &phrase(typed)).await;
    }
    assert_eq!(found(store, game, &asks("ferry or pier")).await, [""; 0]);
}

async fn a_long_text_is_found_by_its_last_words<S: SearchIndex>(store: &S, game: &GameId) {
    let mut long = String::new();
    for number in 0..20_000 {
        let _ = write!(long, "again w{number} ");
    }
    long.push_str("a last lighthouse");
    let texts = [(post(30), Some(text(30, "Long", &long)))];
    let from = Some(point(20));
    let taken = store.take_into_index(game, from, point(30), &texts).await;
    assert!(taken.unwrap());
    assert_eq!(found(store, game, &asks("lighthouse")).await, ["post:30"]);
    assert_eq!(
        found(store, game, &phrase("last lighthouse")).await,
        ["post:30"]
    );
    assert_eq!(
        found(store, game, &phrase("again w19999")).await,
        ["post:30"]
    );
    assert_eq!(
        found(store, game, &phrase("lighthouse dragon")).await,
        [""; 0]
    );
}

async fn what_is_forgotten_leaves_and_does_not_come_back<S: Seals + SearchIndex>(
    store: &S,
    game: &GameId,
) {
    let (title, body) = (Digest::of(b"the title"), Digest::of(b"the body"));
    let whole = SearchText {
        seals: vec![title, body],
        ..text(40, "Quince", "a slur: sloeberry")
    };
    let texts = [(post(40), Some(whole.clone()))];
    let from = Some(point(30));
    let taken = store.take_into_index(game, from, point(40), &texts).await;
    assert!(taken.unwrap());
    assert_eq!(found(store, game, &asks("sloeberry")).await, ["post:40"]);
    store.forget(&[body]).await.unwrap();
    assert_eq!(found(store, game, &asks("sloeberry")).await, [""; 0]);
    assert_eq!(found(store, game, &asks("quince")).await, [""; 0]);
    assert_eq!(store.index_waiting(game).await.unwrap(), [post(40)]);
    // A node whose memory still holds the words does not bring them back.
    let from = Some(point(40));
    let taken = store.take_into_index(game, from, point(40), &texts).await;
    assert!(taken.unwrap());
    assert_eq!(found(store, game, &asks("sloeberry")).await, [""; 0]);
    assert_eq!(store.index_waiting(game).await.unwrap(), [post(40)]);
    // What is left of it comes back.
    let left = SearchText {
        seals: vec![title],
        text: String::new(),
        ..whole
    };
    let texts = [(post(40), Some(left))];
    let taken = store.take_into_index(game, from, point(41), &texts).await;
    assert!(taken.unwrap());
    assert_eq!(found(store, game, &asks("quince")).await, ["post:40"]);
    assert_eq!(store.index_waiting(game).await.unwrap(), []);
}

async fn it_is_thrown_away_game_by_game<S: SearchIndex>(store: &S, game: &GameId, other: &GameId) {
    store.clear_index(Some(game)).await.unwrap();
    assert_eq!(store.index_point(game).await.unwrap(), None);
    assert_eq!(found(store, game, &asks("ferry")).await, [""; 0]);
    assert_eq!(store.index_point(other).await.unwrap(), Some(point(5)));
    let texts = [(post(10), Some(text(10, "The ferry", "again")))];
    let taken = store.take_into_index(game, None, point(13), &texts).await;
    assert!(taken.unwrap());
    assert_eq!(found(store, game, &asks("ferry")).await, ["post:10"]);
    store.clear_index(None).await.unwrap();
    for one in [game, other] {
        assert_eq!(store.index_point(one).await.unwrap(), None);
        assert_eq!(found(store, one, &asks("ferry")).await, [""; 0]);
    }
}
