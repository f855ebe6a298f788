//! Notices to browsers: what they subscribe with, what a push service gets, and what it may answer.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use quorate_kernel::Span;
use quorate_notices::kind::{NoticeKind, Pace};
use quorate_notices::outbox::{Channel, ChannelAudience, ChannelSort};
use quorate_notices::push::PushSeal;
use quorate_notices::testing::PushBrowser;
use serde_json::{Value as Json, json};

use super::Post;

/// A browser subscribes as somebody, as the script of the page does it.
async fn subscribed(post: &Post, name: &str, browser: &PushBrowser) -> Channel {
    let form = form(&format!("{}/push/{name}", post.web.address), browser);
    let (status, page) = post.form(name, "/notices/push", &form).await;
    assert_eq!(status, StatusCode::SEE_OTHER, "{page}");
    let account = post.account(name).await;
    let (kind, off) = (NoticeKind::YourMove, Pace::Off);
    let chosen = post.outbox().choose(account, None, kind, off);
    chosen.await.unwrap();
    let channels = post.outbox().channels_of(account).await.unwrap();
    channels.into_iter().next_back().unwrap()
}

fn form(address: &str, browser: &PushBrowser) -> String {
    let (point, shared) = browser.keys();
    format!("server=x&endpoint={address}&p256dh={point}&auth={shared}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_is_sealed_for_its_browser_and_says_who_sends_it() {
    let post = Post::open().await;
    let browser = PushBrowser::new();
    let channel = subscribed(&post, "Bert", &browser).await;
    assert_eq!(channel.sort, ChannelSort::Push);
    assert_eq!(channel.audience, ChannelAudience::ALL);
    let matter = post.proposal("More rope").await;
    assert_eq!(post.round().await, 1);
    let came = post.web.came();
    let [came] = came.as_slice() else {
        panic!("{came:?}");
    };
    assert_eq!(came.path, "/push/Bert");
    assert_eq!(came.header("content-encoding"), "aes128gcm");
    assert_eq!(came.header("ttl"), "2419200");
    assert_eq!(came.header("topic").len(), 32);
    let public = page_key(&post.page("Bert", "/notices").await.1);
    let said = came.header("authorization");
    assert!(said.starts_with("vapid t="), "{said}");
    assert!(said.ends_with(&format!(", k={public}")), "{said}");
    let words = String::from_utf8_lossy(&came.body);
    assert!(!words.contains("rope"), "nobody reads it on the way");
    let told = browser.open(&came.body).unwrap();
    let told: Json = serde_json::from_slice(&told).unwrap();
    assert_eq!(told["title"], "[The Wilds] Your vote is wanted: More rope");
    let link = format!(
        "https://nomic.example/g/{}/post/{matter}#vote",
        post.game.word
    );
    assert_eq!(told["url"], link, "one click from where one votes");
    assert_eq!(post.round().await, 0, "nothing is told twice");
}

/// The server's public key on a page.
fn page_key(page: &str) -> String {
    let key = page.split("name=\"server\" value=\"").nth(1).unwrap();
    key.split('"').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_unsubscribed_is_dropped_and_one_that_is_full_waits() {
    for gone in [404, 410] {
        let post = Post::open().await;
        let channel = subscribed(&post, "Bert", &PushBrowser::new()).await;
        post.web.answers(gone);
        post.proposal("More rope").await;
        post.proposal("Less rope").await;
        post.round().await;
        assert_eq!(post.outbox().channel(channel.id).await.unwrap(), None);
        assert_eq!(post.web.came().len(), 1, "{gone}: the first answer does");
        post.web.answers(201);
        post.game.table.pass(Span::hours(1));
        assert_eq!(post.round().await, 0, "{gone}: nothing waits for it");
    }
    let post = Post::open().await;
    let browser = PushBrowser::new();
    let channel = subscribed(&post, "Bert", &browser).await;
    post.proposal("More rope").await;
    for (answer, is_paused) in [(429, false), (503, false), (403, true)] {
        post.web.answers(answer);
        post.game.table.pass(Span::hours(1));
        post.round().await;
        let kept = post.outbox().channel(channel.id).await.unwrap().unwrap();
        assert_eq!(kept.paused.is_some(), is_paused, "{answer}");
    }
    assert_eq!(post.web.came().len(), 3, "it was tried each time");
    let page = post.page("Bert", "/notices").await.1;
    assert!(page.contains("paused: the receiver answered 403"), "{page}");
    // It can be taken away by hand as well.
    let form = format!("channel={}", channel.id.0);
    let (status, _) = post.form("Bert", "/notices/drop", &form).await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    assert_eq!(post.outbox().channel(channel.id).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_that_leads_elsewhere_or_has_no_key_is_refused() {
    let post = Post::open().await;
    let browser = PushBrowser::new();
    let (point, shared) = browser.keys();
    let away = "https://push.example.net/1";
    for (form, why) in [
        (form("", &browser), "takes no notices"),
        (form("https://10.0.0.1/push", &browser), "network"),
        (form("https://[fd00::1]/push", &browser), "network"),
        (form("http://push.example.net/1", &browser), "https"),
        (form("file:///etc/passwd", &browser), "address"),
        (
            format!("endpoint={away}&p256dh={shared}&auth={shared}"),
            "no key",
        ),
        (format!("endpoint={away}&p256dh={point}"), "no key"),
    ] {
        let (status, page) = post.form("Bert", "/notices/push", &form).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{form}");
        assert!(page.contains(why), "{form}: {why}");
    }
    let twice = form(away, &browser);
    for status in [StatusCode::SEE_OTHER, StatusCode::BAD_REQUEST] {
        assert_eq!(post.form("Bert", "/notices/push", &twice).await.0, status);
    }
    let page = post.page("Bert", "/notices").await.1;
    assert!(page.contains("A browser: push.example.net/…"), "{page}");
    assert!(
        !page.contains(&point) && !page.contains(away),
        "its address is a secret"
    );
    // Of the right form, and no point of the curve: it is dropped when nothing can be sealed for it.
    let web = format!("{}/push/x", post.web.address);
    let nowhere = PushSeal::read(&point.replace(&point[4..9], "AAAAA"), &shared).unwrap();
    let own = ChannelAudience::ALL;
    let made = post.channel("Cora", ChannelSort::Push, &web, own).await;
    assert!(nowhere.seal(b"x").is_err());
    post.proposal("More rope").await;
    post.round().await;
    assert_eq!(
        post.outbox().channel(made.id).await.unwrap(),
        None,
        "a secret that is none"
    );
    assert!(post.web.came().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_site_can_be_installed_and_works_for_a_while_without_a_network() {
    let post = Post::open().await;
    let get = async |path: &str| {
        let answer = post
            .game
            .table
            .send(Request::get(path).body(Body::empty()).unwrap())
            .await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        let headers = answer.headers().clone();
        let bytes = axum::body::to_bytes(answer.into_body(), 1 << 20).await;
        (headers, String::from_utf8(bytes.unwrap().to_vec()).unwrap())
    };
    let (headers, manifest) = get("/manifest.webmanifest").await;
    assert_eq!(headers[header::CONTENT_TYPE], "application/manifest+json");
    let manifest: Json = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["start_url"], json!("/"));
    get(manifest["icons"][0]["src"].as_str().unwrap()).await;
    let (headers, _) = get("/").await;
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("manifest-src 'self'"), "{policy}");
    assert!(policy.contains("worker-src 'self'"), "{policy}");
    let (headers, script) = get("/sw.js").await;
    assert_eq!(
        headers[header::CONTENT_TYPE],
        "text/javascript; charset=utf-8"
    );
    assert_eq!(headers[header::CACHE_CONTROL], "no-cache");
    for word in ["\"push\"", "\"notificationclick\"", "\"fetch\"", "/sign-"] {
        assert!(script.contains(word), "{word}");
    }
    let page = get("/").await.1;
    assert!(page.contains("rel=\"manifest\" href=\"/manifest.webmanifest\""));
}
