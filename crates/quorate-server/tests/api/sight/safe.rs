//! What every answer says to browsers, and what signing in and up never do.

use axum::http::HeaderMap;
use quorate_server::ServerConfig;
use quorate_server::security::headers::POLICY;
use quorate_server::security::rate::{SIGN_IN, SIGN_UP, WRITE};
use scraper::{Html, Selector};

use super::readers::{Got, Reader, Role};
use super::world::{self, Ball, GAME, THESE};

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}

/// An answer forbids what no page of ours does, and no page does it.
pub(crate) fn check(place: &str, got: &Got) {
    let says = |name: &str| header(&got.headers, name);
    assert_eq!(says("content-security-policy"), POLICY, "{place}");
    assert_eq!(says("x-content-type-options"), "nosniff", "{place}");
    assert_eq!(says("referrer-policy"), "same-origin", "{place}");
    assert_eq!(says("x-frame-options"), "DENY", "{place}");
    for cookie in got.headers.get_all("set-cookie") {
        let cookie = cookie.to_str().unwrap();
        assert!(cookie.contains("SameSite=Lax"), "{place}: {cookie}");
        // What only looks may be read by the page's own scripts; nothing else may.
        let looks = ["theme=", "keys="]
            .iter()
            .any(|name| cookie.starts_with(name));
        assert!(looks || cookie.contains("HttpOnly"), "{place}: {cookie}");
    }
    if says("content-type").starts_with("text/html") {
        let page = Html::parse_document(&got.body);
        for wrong in ["script:not([src])", "style", "[style]"] {
            let found = page.select(&Selector::parse(wrong).unwrap()).next();
            assert!(
                found.is_none(),
                "{place}: {:?}",
                found.map(|one| one.html())
            );
        }
        let every = Selector::parse("*").unwrap();
        for one in page.select(&every) {
            let handles = one.value().attrs().any(|(name, _)| name.starts_with("on"));
            assert!(!handles, "{place}: {}", one.html());
            for (name, value) in one.value().attrs() {
                let leads = matches!(name, "href" | "src" | "action");
                let outside = value.contains("://") || value.starts_with("//");
                assert!(!leads || !outside, "{place} leads to {value}");
            }
        }
    }
}

#[test]
fn the_policy_lets_nothing_in_from_elsewhere_and_nothing_inline() {
    for part in [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    ] {
        assert!(POLICY.contains(part), "{part}");
    }
    assert!(!POLICY.contains("unsafe"));
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_https_every_cookie_of_a_session_is_secure() {
    let config = ServerConfig {
        is_secure: true,
        ..ServerConfig::default()
    };
    let table = crate::table::Table::with(config, vec![world::book()]).await;
    let request = axum::http::Request::get("/").body(axum::body::Body::empty());
    let answer = table.send(request.unwrap()).await;
    let cookies = answer.headers().get_all("set-cookie");
    let cookies: Vec<&str> = cookies.iter().map(|one| one.to_str().unwrap()).collect();
    assert_eq!(cookies.len(), 1, "{cookies:?}");
    for part in [
        "__Host-",
        "; Secure",
        "; HttpOnly",
        "; SameSite=Lax",
        "; Path=/",
    ] {
        assert!(cookies[0].contains(part), "{cookies:?}");
    }
    let strict = header(answer.headers(), "strict-transport-security");
    assert!(strict.contains("max-age="), "{:?}", answer.headers());
}

/// A page without what differs between any two: the tokens of its forms.
fn plain(got: &Got) -> String {
    super::plain(got)
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_tells_nobody_which_names_there_are() {
    let ball = Ball::with(THESE).await;
    let reader = Reader::of(&ball, Role::Stranger).await;
    let form = "name=Hal&password=a+long+password&mail=";
    let made = reader.post("/sign-up", form, Some(&reader.csrf())).await;
    assert_eq!(made.status, 303, "{}", made.body);
    let known = "name=Hal&password=not+that+password";
    let unknown = "name=Ida&password=not+that+password";
    let known = reader.post("/sign-in", known, Some(&reader.csrf())).await;
    let unknown = reader.post("/sign-in", unknown, Some(&reader.csrf())).await;
    assert_eq!(known.status, 401);
    assert_eq!(plain(&known).replace("Hal", "Ida"), plain(&unknown));
    let right = "name=Hal&password=a+long+password&next=";
    for next in [
        "https://elsewhere.example",
        "//elsewhere.example",
        "/\\elsewhere.example",
        "javascript:x",
    ] {
        let asked = reader
            .post("/sign-in", &format!("{right}{next}"), Some(&reader.csrf()))
            .await;
        assert_eq!(asked.status, 303, "{}", asked.body);
        assert_eq!(header(&asked.headers, "location"), "/", "{next}");
    }
    let here = format!("{right}/g/{GAME}/desk");
    let asked = reader.post("/sign-in", &here, Some(&reader.csrf())).await;
    assert_eq!(
        header(&asked.headers, "location"),
        format!("/g/{GAME}/desk")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_to_sign_in_first_comes_back_to_where_they_were() {
    let ball = Ball::with(THESE).await;
    let stranger = Reader::of(&ball, Role::Stranger).await;
    let got = stranger.get(&format!("/g/{GAME}/act?done=3")).await;
    assert_eq!(got.status, 401);
    let way = format!("href=\"/sign-in?next=%2Fg%2F{GAME}%2Fact%3Fdone%3D3\"");
    assert!(got.body.contains(&way), "{}", got.body);
}

/// Sends a form until it is too often, and gives how often it was taken.
async fn until_too_often(reader: &Reader<'_>, path: &str, form: impl Fn(u32) -> String) -> u32 {
    for nth in 0..1_000 {
        let got = reader.post(path, &form(nth), Some(&reader.csrf())).await;
        if got.status == 429 {
            let wait: u64 = header(&got.headers, "retry-after").parse().unwrap();
            assert!(wait > 0);
            check(path, &got);
            return nth;
        }
    }
    panic!("{path} is never too often");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_too_often_waits() {
    let ball = Ball::with(THESE).await;
    let dan = Reader::of(&ball, Role::Player).await;
    let stranger = Reader::of(&ball, Role::Stranger).await;
    let tries = until_too_often(&stranger, "/sign-in", |nth| {
        format!("name=somebody{nth}&password=wrong")
    });
    assert_eq!(tries.await, SIGN_IN.burst, "by address, whatever the name");
    let new = until_too_often(&stranger, "/sign-up", |_| {
        "name=Hal&password=short".to_owned()
    });
    assert_eq!(new.await, SIGN_UP.burst);
    let before = ball.head().await;
    let roll = format!("/g/{GAME}/roll");
    let rolls = until_too_often(&dan, &roll, |nth| format!("line=DICE6+once+{nth}")).await;
    assert!(rolls < WRITE.burst, "what the game cost so far counts");
    assert_eq!(ball.head().await, before + u64::from(rolls));
    // One's own limit is nobody else's.
    let anna = Reader::of(&ball, Role::Admin).await;
    let got = anna.post(&roll, "line=DICE6", Some(&anna.csrf())).await;
    assert_eq!(got.status, 303);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_name_is_not_tried_from_many_houses() {
    let ball = Ball::with(THESE).await;
    let houses = [Role::Stranger, Role::Player];
    let mut taken = 0;
    for nth in 0..2 * SIGN_IN.burst {
        let reader = Reader::of(&ball, houses[nth as usize % 2]).await;
        let form = "name=Bert&password=wrong";
        let got = reader.post("/sign-in", form, Some(&reader.csrf())).await;
        taken += u32::from(got.status != 429);
    }
    assert_eq!(taken, SIGN_IN.burst);
}
