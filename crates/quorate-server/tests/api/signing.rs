//! Accounts under attack: who may try a password how often, what a new one ends, and what names may be.

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use quorate_kernel::Span;
use quorate_notices::outbox::{ChannelAudience, ChannelSort, NewChannel};
use quorate_runtime::ports::{Account, Invitation, Recovery};
use quorate_server::ServerConfig;
use quorate_server::security::carried::digest_of;
use quorate_server::security::factor::FactorKey;
use quorate_server::security::session::SessionToken;

use crate::table::{ANSWER_BYTES, Table};

const PASSWORD: &str = "lamps on the quay";
const ANOTHER: &str = "a pail of cold tar";

/// Somebody's browser: an address, and the cookies that it was given.
pub(crate) struct Browser<'a> {
    table: &'a Table,
    address: String,
    pub(crate) cookies: Vec<(String, String)>,
}

pub(crate) struct Page {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
    /// Where it leads on.
    pub(crate) location: String,
}

impl<'a> Browser<'a> {
    /// A new one at an address of its own.
    pub(crate) fn new(table: &'a Table, number: u16) -> Self {
        Self {
            table,
            address: format!("198.51.{}.{}", number / 256, number % 256),
            cookies: Vec::new(),
        }
    }

    async fn ask(&mut self, request: axum::http::request::Builder, body: Body) -> Page {
        let cookies: Vec<_> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let request = request
            .header("x-forwarded-for", &self.address)
            .header(
                header::USER_AGENT,
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            )
            .header(header::COOKIE, cookies.join("; "));
        let response = self.table.send(request.body(body).unwrap()).await;
        for set in response.headers().get_all(header::SET_COOKIE) {
            let set = set.to_str().unwrap();
            let (name, value) = set.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            if !set.contains("Max-Age=0") {
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
        }
        let status = response.status();
        let location = response.headers().get(header::LOCATION);
        let location = location.map_or("", |to| to.to_str().unwrap()).to_owned();
        let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Page {
            status,
            text,
            location,
        }
    }

    pub(crate) async fn get(&mut self, path: &str) -> Page {
        self.ask(Request::get(path), Body::empty()).await
    }

    pub(crate) async fn send(&mut self, path: &str, form: &str) -> Page {
        if !self.cookies.iter().any(|(name, _)| name == "quorate") {
            self.get("/sign-in").await;
        }
        let (_, value) = self
            .cookies
            .iter()
            .find(|(name, _)| name == "quorate")
            .unwrap();
        let token = SessionToken::parse(value).unwrap();
        let csrf = self.table.site().csrf.issue(&token).unwrap();
        let request =
            Request::post(path).header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.ask(request, Body::from(format!("csrf={csrf}&{form}")))
            .await
    }

    pub(crate) async fn sign_in(&mut self, name: &str, password: &str) -> StatusCode {
        let form = format!("name={name}&password={}", password.replace(' ', "+"));
        self.send("/sign-in", &form).await.status
    }

    pub(crate) async fn is_signed_in(&mut self) -> bool {
        self.get("/settings").await.status == StatusCode::OK
    }
}

/// A site behind a proxy, so that browsers have addresses of their own, with Hal's account.
async fn with_hal() -> Table {
    let config = ServerConfig {
        is_proxied: true,
        ..ServerConfig::default()
    };
    let table = Table::of(config).await;
    let mut browser = Browser::new(&table, 1);
    let password = PASSWORD.replace(' ', "+");
    let form = format!("name=Hal&password={password}&mail=hal@example.org");
    assert_eq!(
        browser.send("/sign-up", &form).await.status,
        StatusCode::SEE_OTHER
    );
    table
}

async fn hal(table: &Table) -> Account {
    let found = table.site().deps.accounts.account_by_name("Hal").await;
    found.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_strangers_try_locks_out_strangers_alone() {
    let table = with_hal().await;
    let mut own = Browser::new(&table, 2);
    assert_eq!(own.sign_in("Hal", PASSWORD).await, StatusCode::SEE_OTHER);
    own.send("/sign-out", "").await;
    for number in 0..12 {
        let mut stranger = Browser::new(&table, 100 + number);
        stranger.sign_in("Hal", "open sesame now").await;
    }
    let mut elsewhere = Browser::new(&table, 300);
    assert_eq!(
        elsewhere.sign_in("Hal", PASSWORD).await,
        StatusCode::TOO_MANY_REQUESTS
    );
    own.address = "203.0.113.9".to_owned();
    assert_eq!(
        own.sign_in("Hal", PASSWORD).await,
        StatusCode::SEE_OTHER,
        "it is known"
    );
    // Not even from the same address.
    own.send("/sign-out", "").await;
    own.address = "198.51.0.77".to_owned();
    for number in 0..12 {
        let mut stranger = Browser::new(&table, 77);
        stranger
            .sign_in(&format!("Nobody{number}"), "open sesame now")
            .await;
    }
    assert_eq!(own.sign_in("Hal", PASSWORD).await, StatusCode::SEE_OTHER);
    // Nor do they keep somebody who is signed in from giving a password.
    let form = format!(
        "old={}&password={}",
        PASSWORD.replace(' ', "+"),
        ANOTHER.replace(' ', "+")
    );
    assert_eq!(
        own.send("/settings/password", &form).await.status,
        StatusCode::SEE_OTHER
    );
    // A known browser has its own measure, and no more.
    own.send("/sign-out", "").await;
    let mut last = StatusCode::OK;
    for number in 0..12 {
        own.address = format!("203.0.113.{number}");
        last = own.sign_in("Hal", "open sesame now").await;
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_closes_every_other_way_in() {
    let table = with_hal().await;
    let (mut one, mut two) = (Browser::new(&table, 2), Browser::new(&table, 3));
    for (browser, by_link) in [(&mut one, false), (&mut two, true)] {
        let id = hal(&table).await.id;
        let mut other = Browser::new(&table, 4);
        let password = if by_link { ANOTHER } else { PASSWORD };
        assert_eq!(
            browser.sign_in("Hal", password).await,
            StatusCode::SEE_OTHER
        );
        assert_eq!(other.sign_in("Hal", password).await, StatusCode::SEE_OTHER);
        let accounts = &table.site().deps.accounts;
        let link = |word: &str| Recovery {
            digest: digest_of(word),
            account: id,
            ends_at: table.site().now() + Span::days(1),
        };
        accounts.make_recovery(&link("old-link")).await.unwrap();
        let token = table.token_for("Hal", "vote", None).await;
        let outbox = table.site().deps.outbox.as_ref().unwrap();
        let known = outbox.channels_of(id).await.unwrap();
        for (sort, address) in [
            (ChannelSort::Mail, "hal@example.org"),
            (ChannelSort::Mail, "mallory@example.org"),
            (ChannelSort::Webhook, "https://mallory.example/hook"),
            (ChannelSort::Feed, ""),
        ] {
            if known.iter().any(|known| known.address == address) {
                continue;
            }
            let channel = NewChannel {
                account: id,
                audience: ChannelAudience::ALL,
                sort,
                address: address.to_owned(),
                secret: String::new(),
                made_at: table.site().now(),
                confirmed_at: None,
            };
            outbox.make_channel(&channel).await.unwrap();
        }
        table.get("/account").by(&token).gives(200).await;
        let answer = if by_link {
            accounts.make_recovery(&link("new-link")).await.unwrap();
            browser
                .send("/recover/new-link", "password=a+third+lamp+went+out")
                .await
        } else {
            let form = format!(
                "old={}&password={}",
                PASSWORD.replace(' ', "+"),
                ANOTHER.replace(' ', "+")
            );
            browser.send("/settings/password", &form).await
        };
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        assert!(browser.is_signed_in().await, "whoever did it goes on");
        assert!(!other.is_signed_in().await);
        table.get("/account").by(&token).gives(401).await;
        let left = outbox.channels_of(id).await.unwrap();
        let left: Vec<_> = left.iter().map(|left| left.address.as_str()).collect();
        assert_eq!(left, ["hal@example.org"], "notices go to the owner alone");
        let link = other
            .send("/recover/old-link", "password=too+late+for+this")
            .await;
        assert_eq!(link.status, StatusCode::BAD_REQUEST);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_when_nobody_uses_it_for_thirty_days() {
    let table = with_hal().await;
    let (mut used, mut idle) = (Browser::new(&table, 2), Browser::new(&table, 3));
    used.sign_in("Hal", PASSWORD).await;
    idle.sign_in("Hal", PASSWORD).await;
    table.pass(Span::days(29));
    assert!(used.is_signed_in().await);
    let page = used.get("/settings").await.text;
    assert!(
        page.contains("Firefox on Linux, from 198.51.0.3"),
        "it is told where"
    );
    table.pass(Span::days(2));
    assert!(used.is_signed_in().await);
    assert!(!idle.is_signed_in().await);
    for _ in 0..8 {
        table.pass(Span::days(20));
        used.get("/settings").await;
    }
    assert!(!used.is_signed_in().await, "half a year is the most");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_could_be_taken_for_others_are_refused() {
    let table = with_hal().await;
    let bad = [
        "H%D0%B0l",            // a Cyrillic letter
        "Ha%E2%80%8Bl",        // a space without width
        "%E2%80%AElaH",        // from right to left
        "%EF%BC%A8%EF%BD%81l", // wide letters
        "HAL",
        "HaI", // an upper I for the lower L
        "++Hal",
        "",
    ];
    for (number, name) in (10..).zip(bad) {
        let mut browser = Browser::new(&table, number);
        let form = format!("name={name}&password={}&mail=", ANOTHER.replace(' ', "+"));
        let page = browser.send("/sign-up", &form).await;
        assert_eq!(page.status, StatusCode::BAD_REQUEST, "{name}");
    }
    for (number, name) in (30..).zip(["J%C3%BCrgen", "%E5%B0%8F%E6%9E%97", "Hali"]) {
        let mut browser = Browser::new(&table, number);
        let form = format!("name={name}&password={}&mail=", ANOTHER.replace(' ', "+"));
        let page = browser.send("/sign-up", &form).await;
        assert_eq!(page.status, StatusCode::SEE_OTHER, "{name}: {}", page.text);
    }
    let mut browser = Browser::new(&table, 40);
    let small_figures =
        "%C2%B9%C2%B2%C2%B3%E2%81%B4%E2%81%B5%E2%81%B6%E2%81%B7%E2%81%B8%E2%81%B9%E2%81%B0";
    for common in ["1234567890", small_figures, "qwertyuiop", "barnaby+barnaby"] {
        let page = browser
            .send("/sign-up", &format!("name=Barnaby&password={common}&mail="))
            .await;
        assert_eq!(page.status, StatusCode::BAD_REQUEST, "{common}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_is_used_when_the_account_is_there() {
    let config = ServerConfig {
        is_open: false,
        ..ServerConfig::default()
    };
    let table = Table::of(config).await;
    table.token("Hal", false).await;
    let invitation = Invitation {
        digest: digest_of("come-in"),
        made_by: None,
        game: None,
        uses_left: 1,
        ends_at: table.site().now() + Span::days(1),
    };
    table
        .site()
        .deps
        .accounts
        .invite(&invitation)
        .await
        .unwrap();
    let mut browser = Browser::new(&table, 1);
    for (name, password, status) in [
        ("hal", "lamps+on+the+quay", StatusCode::BAD_REQUEST),
        ("Ida", "short", StatusCode::BAD_REQUEST),
        ("Ida", "lamps+on+the+quay", StatusCode::SEE_OTHER),
    ] {
        let form = format!("invitation=come-in&name={name}&password={password}&mail=");
        let page = browser.send("/sign-up", &form).await;
        assert_eq!(page.status, status, "{name}: {}", page.text);
    }
    let mut another = Browser::new(&table, 2);
    let form = "invitation=come-in&name=Jan&password=lamps+on+the+quay&mail=";
    let page = another.send("/sign-up", form).await;
    assert_eq!(page.status, StatusCode::BAD_REQUEST, "it is used up");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_to_accounts_is_in_the_log_and_what_was_typed_is_not() {
    let table = with_hal().await;
    let mut own = Browser::new(&table, 2);
    own.sign_in("Hal", "not+that+password").await;
    own.sign_in("my secret typed as a name", PASSWORD).await;
    own.sign_in("Hal", PASSWORD).await;
    let token = own.send("/settings/token", "label=bot").await;
    assert_eq!(token.status, StatusCode::BAD_REQUEST, "without a password");
    let old = format!("label=bot&old={}", PASSWORD.replace(' ', "+"));
    own.send("/settings/token", &old).await;
    let page = own.get("/settings").await.text;
    for told in [
        "Signing in failed",
        "Signed in",
        "A token was made",
        "A wrong password or code was typed",
        "The account was made",
    ] {
        assert!(page.contains(told), "{told}");
    }
    assert_eq!(
        own.get("/operator/security").await.status,
        StatusCode::NOT_FOUND
    );
    table.token("Olga", true).await;
    let olga = table.session("Olga").await;
    let request = Request::get("/operator/security").header(header::COOKIE, table.cookie(&olga));
    let response = table.send(request.body(Body::empty()).unwrap()).await;
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
    let page = String::from_utf8_lossy(&bytes);
    assert!(
        page.contains("Signing in failed") && page.contains("Hal"),
        "{page}"
    );
    assert!(!page.contains("my secret typed"), "{page}");
}

/// The ticket in a page's form.
fn ticket_of(page: &Page) -> String {
    let after = page.text.split("name=\"ticket\" value=\"").nth(1);
    after.unwrap().split('"').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_factor_is_asked_for_and_no_code_counts_twice() {
    let table = with_hal().await;
    let mut own = Browser::new(&table, 2);
    own.sign_in("Hal", PASSWORD).await;
    let old = format!("old={}", PASSWORD.replace(' ', "+"));
    let page = own.send("/settings/factor", &old).await;
    let words: String = page
        .text
        .split("secret=")
        .nth(1)
        .unwrap()
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    let key = FactorKey::parse(&words).unwrap();
    let code = || key.code_at(table.site().now_ms()).unwrap();
    let ticket = ticket_of(&page);
    // A browser that was left open has no password to type.
    let forms = [format!("key={words}"), format!("key={words}&ticket=1.2.3")];
    for form in forms {
        let form = format!("{form}&code={}", code());
        let refused = own.send("/settings/factor-on", &form).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        assert!(refused.text.contains("Type your password again"));
    }
    let form = format!("key={words}&ticket={ticket}&code=000000");
    let wrong = own.send("/settings/factor-on", &form).await;
    assert!(
        wrong.text.contains("not what the app shows"),
        "{}",
        wrong.text
    );
    let on = own
        .send(
            "/settings/factor-on",
            &format!("key={words}&ticket={ticket}&code={}", code()),
        )
        .await;
    let spare = on.text.split("this once: ").nth(1).unwrap();
    let spare: String = spare.split(',').next().unwrap().to_owned();
    let another = own.send("/settings/factor", &old).await;
    assert_eq!(another.status, StatusCode::BAD_REQUEST, "one is on");

    let mut other = Browser::new(&table, 3);
    let asked = other
        .send(
            "/sign-in",
            &format!("name=Hal&password={}", PASSWORD.replace(' ', "+")),
        )
        .await;
    assert_eq!(
        asked.status,
        StatusCode::OK,
        "the password alone lets nobody in"
    );
    assert!(!other.is_signed_in().await);
    let ticket = ticket_of(&asked);
    let with = |code: &str| format!("ticket={ticket}&code={code}");
    let used = other.send("/sign-in/code", &with(&code())).await;
    assert_eq!(
        used.status,
        StatusCode::UNAUTHORIZED,
        "the code of the turning on was used"
    );
    table.pass(Span(30_000));
    let good = code();
    assert_eq!(
        other.send("/sign-in/code", &with(&good)).await.status,
        StatusCode::SEE_OTHER
    );
    assert!(other.is_signed_in().await);
    let mut third = Browser::new(&table, 4);
    assert_eq!(
        third.send("/sign-in/code", &with(&good)).await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        third.send("/sign-in/code", &with(&spare)).await.status,
        StatusCode::SEE_OTHER
    );
    let mut fourth = Browser::new(&table, 5);
    assert_eq!(
        fourth.send("/sign-in/code", &with(&spare)).await.status,
        StatusCode::UNAUTHORIZED
    );
    table.pass(Span::minutes(6));
    let late = fourth.send("/sign-in/code", &with(&code())).await;
    assert_eq!(
        late.status,
        StatusCode::UNAUTHORIZED,
        "the ticket has ended"
    );
    assert!(!fourth.is_signed_in().await);

    let typed = format!("name=Hal&password={}", PASSWORD.replace(' ', "+"));
    let before = ticket_of(&fourth.send("/sign-in", &typed).await);

    // A link for a new password is no way around it, nor around what a password must be.
    let accounts = &table.site().deps.accounts;
    let link = Recovery {
        digest: digest_of("the-link"),
        account: hal(&table).await.id,
        ends_at: table.site().now() + Span::days(1),
    };
    accounts.make_recovery(&link).await.unwrap();
    let own = fourth.send("/recover/the-link", "password=hal@example.org");
    assert_eq!(own.await.status, StatusCode::BAD_REQUEST, "it is known");
    let form = "password=a+third+lamp+went+out";
    let set = fourth.send("/recover/the-link", form).await;
    assert_eq!(set.status, StatusCode::SEE_OTHER, "the link is still there");
    let form = format!("ticket={before}&code={}", code());
    let stale = fourth.send("/sign-in/code", &form).await;
    let why = "the ticket is of the old password";
    assert_eq!(stale.status, StatusCode::UNAUTHORIZED, "{why}");
    assert!(!fourth.is_signed_in().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_sign_ins_at_once_wait_for_each_other_or_are_sent_away() {
    let table = with_hal().await;
    let mut browsers: Vec<_> = (0..60)
        .map(|number| Browser::new(&table, 1_000 + number))
        .collect();
    let tries = browsers
        .iter_mut()
        .map(|browser| browser.sign_in("Nobody", "lamps on the quay"));
    let statuses = futures_util::future::join_all(tries).await;
    let count = |status: StatusCode| statuses.iter().filter(|one| **one == status).count();
    let (tried, sent_away) = (
        count(StatusCode::UNAUTHORIZED),
        count(StatusCode::TOO_MANY_REQUESTS),
    );
    assert_eq!(tried + sent_away, 60, "{statuses:?}");
    assert!(tried <= 10, "one name is tried ten times");
}
