//! What readers fetch themselves.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use quorate_runtime::ports::SecurityEvent;

use super::Post;

#[tokio::test(flavor = "multi_thread")]
async fn a_private_feed_holds_what_waits_until_it_is_removed() {
    let post = Post::open().await;
    let made = post.form("Bert", "/notices/feed", "").await;
    assert_eq!(made.0, StatusCode::OK, "{}", made.1);
    let at = made.1.find("https://nomic.example/feeds/").unwrap();
    let address = &made.1[at..];
    let end = address.find([' ', '<']).unwrap();
    let path = address[..end]
        .trim_start_matches("https://nomic.example")
        .to_owned();
    post.proposal("More rope").await;
    let get = |path: String| Request::get(path).body(Body::empty()).unwrap();
    let feed = post.bare(get(path.clone())).await;
    assert!(feed.1.contains("More rope"), "{}", feed.1);
    let calendar = post
        .bare(get(path.replace("needs.atom", "calendar.ics")))
        .await;
    assert!(
        calendar.1.starts_with("BEGIN:VCALENDAR\r\n"),
        "{}",
        calendar.1
    );
    let account = post.account("Bert").await;
    let channels = post.outbox().channels_of(account).await.unwrap();
    let safety = &post.game.table.site().deps.safety;
    let entries = safety.entries(Some(account), 100).await.unwrap();
    let mut added = entries.iter();
    let added = added.find(|entry| entry.event == SecurityEvent::PlaceAdded);
    assert_eq!(
        added.expect("it is noted").about,
        "Private feed and calendar"
    );
    let drop_it = format!("channel={}", channels[0].id.0);
    assert_eq!(
        post.form("Cora", "/notices/drop", &drop_it).await.0,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        post.form("Bert", "/notices/drop", &drop_it).await.0,
        StatusCode::SEE_OTHER
    );
    assert_eq!(post.bare(get(path)).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_has_feeds_of_all_that_strangers_may_see() {
    let post = Post::open().await;
    let matter = post.proposal("More rope").await;
    post.comment(&post.game.bert, &matter, "Twine, rather.")
        .await;
    let feed = async |rest: &str| {
        let path = format!("/g/{}/{rest}", post.game.word);
        post.bare(Request::get(path).body(Body::empty()).unwrap())
            .await
    };
    let posts = feed("feeds/posts.json").await;
    let posts: serde_json::Value = serde_json::from_str(&posts.1).unwrap();
    assert_eq!(posts["items"][0]["title"], "More rope");
    let category = feed("feed.atom?category=Proposal").await.1;
    assert!(category.contains("More rope"), "{category}");
    assert!(
        !feed("feed.atom?category=Nothing")
            .await
            .1
            .contains("More rope")
    );
    assert!(
        feed("feeds/comments.atom")
            .await
            .1
            .contains("Twine, rather.")
    );
    let events = feed("feeds/events.atom").await.1;
    assert!(events.contains("Bert"), "{events}");
    for form in ["rules.atom", "values.json"] {
        assert_eq!(feed(&format!("feeds/{form}")).await.0, StatusCode::OK);
    }
    let indexer = quorate_server::Indexer::new(post.game.table.site());
    indexer.round().await.unwrap();
    let found = feed("feeds/search.json?q=twine+by:Bert").await.1;
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["items"][0]["title"], "Comment: under More rope");
    let kind = feed("feeds/search.atom?q=rope&kind=Proposal").await.1;
    assert!(kind.contains("Proposal: More rope"), "{kind}");
    assert!(!feed("feeds/search.atom?q=tar").await.1.contains("<entry>"));
    for wrong in ["", "?q=by:Nobody"] {
        let status = feed(&format!("feeds/search.atom{wrong}")).await.0;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    // Each page names the feed of what it shows.
    for (page, own) in [
        ("?kind=Proposal", "feed.atom?category=Proposal"),
        ("search?q=rope", "feeds/search.atom?q=rope"),
        ("rules", "feeds/rules.atom"),
        ("tracker", "feeds/values.atom"),
        ("log", "feeds/events.atom"),
    ] {
        let path = format!("/g/{}/{page}", post.game.word);
        let path = path.replace("/?", "?");
        let shown = post
            .bare(Request::get(path).body(Body::empty()).unwrap())
            .await;
        let link = format!("href=\"/g/{}/{own}\"", post.game.word);
        assert!(shown.1.contains(&link), "{page}: {}", shown.1);
    }
    assert_eq!(feed("feeds/nothing.atom").await.0, StatusCode::NOT_FOUND);
}
