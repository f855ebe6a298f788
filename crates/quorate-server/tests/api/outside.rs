//! Signing in from elsewhere, against an issuer of our own that can be told to lie.

mod issuer;

use std::sync::OnceLock;

use axum::http::StatusCode;
use quorate_kernel::Span;
use quorate_runtime::ports::{Invitation, OutsideName, Restraint, RestraintKind, SecurityEvent};
use quorate_server::ServerConfig;
use quorate_server::app::outside::{Provider, ProviderKind};
use quorate_server::security::carried::digest_of;

use self::issuer::{Back, CLIENT, Issuer, Lie, SECRET, SITE, Signs};
use crate::signing::{Browser, Page};
use crate::table::Table;

const PASSWORD: &str = "lamps on the quay";

fn provider(kind: ProviderKind) -> Provider {
    Provider {
        word: "else".to_owned(),
        title: "Elsewhere".to_owned(),
        kind,
        client: CLIENT.to_owned(),
        secret: SECRET.to_owned(),
        own_network: true,
        web: OnceLock::new(),
    }
}

async fn table(kind: ProviderKind, is_open: bool) -> Table {
    let config = ServerConfig {
        is_proxied: true,
        is_open,
        address: Some(SITE.to_owned()),
        outside: vec![provider(kind)],
        ..ServerConfig::default()
    };
    Table::of(config).await
}

async fn with_issuer(signs: Signs, is_open: bool) -> (Table, Issuer) {
    let issuer = Issuer::start(signs).await;
    let table = table(
        ProviderKind::Oidc {
            issuer: issuer.base(),
        },
        is_open,
    )
    .await;
    let now = table.site().now_ms() / 1_000;
    issuer.set(|says| says.now = now);
    (table, issuer)
}

/// Goes to the issuer by a way of ours and comes back.
async fn around(browser: &mut Browser<'_>, issuer: &Issuer, way: &str) -> Page {
    let back = out(browser, issuer, way).await;
    browser.get(&back.address()).await
}

async fn out(browser: &mut Browser<'_>, issuer: &Issuer, way: &str) -> Back {
    browser.get("/sign-in").await;
    let gone = browser.get(way).await;
    assert_eq!(gone.status, StatusCode::SEE_OTHER, "{}", gone.text);
    issuer.grant(&gone.location)
}

/// The value of a hidden field.
fn field(page: &Page, name: &str) -> String {
    let document = scraper::Html::parse_document(&page.text);
    let wanted = scraper::Selector::parse(&format!("input[name={name}]")).unwrap();
    let found = document.select(&wanted).next();
    let found = found.unwrap_or_else(|| panic!("no field {name}: {}", page.text));
    found.value().attr("value").unwrap_or_default().to_owned()
}

async fn makes_an_account(browser: &mut Browser<'_>, issuer: &Issuer, name: &str) -> Page {
    let page = around(browser, issuer, "/sign-in/with/else").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let form = format!("arrival={}&name={name}", field(&page, "arrival"));
    browser.send("/sign-in/from/else", &form).await
}

async fn is_account(table: &Table, name: &str) -> bool {
    let found = table.site().deps.accounts.account_by_name(name).await;
    found.unwrap().is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_from_elsewhere_makes_an_account_and_comes_back() {
    for signs in [Signs::Rsa, Signs::Ecdsa] {
        let (table, issuer) = with_issuer(signs, true).await;
        let mut ines = Browser::new(&table, 2);
        let page = ines.get("/sign-in").await;
        assert!(
            page.text.contains("Sign in with Elsewhere"),
            "{}",
            page.text
        );
        let made = makes_an_account(&mut ines, &issuer, "Ines").await;
        assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
        let settings = ines.get("/settings").await.text;
        assert!(settings.contains("Elsewhere, as ines"), "{settings}");
        let mut again = Browser::new(&table, 3);
        let back = around(&mut again, &issuer, "/sign-in/with/else?next=/help").await;
        assert_eq!(back.status, StatusCode::SEE_OTHER, "{}", back.text);
        assert_eq!(back.location, "/help");
        assert!(again.get("/settings").await.text.contains("Ines"));
        let log = table.site().deps.safety.entries(None, 10).await.unwrap();
        let told: Vec<_> = log
            .iter()
            .map(|one| (one.event, one.about.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (SecurityEvent::SignedIn, "from Elsewhere"),
                (SecurityEvent::SignedUp, "from Elsewhere"),
            ]
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_issuer_says_is_checked() {
    let (table, issuer) = with_issuer(Signs::Ecdsa, true).await;
    let lies = [
        Lie::Nonce,
        Lie::Audience,
        Lie::Expired,
        Lie::Issuer,
        Lie::Unsigned,
        Lie::SharedSecret,
        Lie::OtherKey,
        Lie::AccessToken,
        Lie::NoToken,
    ];
    for (number, lie) in lies.into_iter().enumerate() {
        issuer.set(|says| says.lie = lie);
        let mut browser = Browser::new(&table, 20 + u16::try_from(number).unwrap());
        let page = around(&mut browser, &issuer, "/sign-in/with/else").await;
        assert_eq!(
            page.status,
            StatusCode::UNAUTHORIZED,
            "{lie:?}: {}",
            page.text
        );
        assert!(
            page.text.contains("did not sign you in"),
            "{lie:?}: {}",
            page.text
        );
    }
    let log = table.site().deps.safety.entries(None, 20).await.unwrap();
    assert_eq!(log.len(), 9);
    let is_failure = |event| event == SecurityEvent::SignInFailed;
    assert!(log.iter().all(|one| is_failure(one.event)));
    issuer.set(|says| says.lie = Lie::Nothing);
    let mut browser = Browser::new(&table, 40);
    let page = around(&mut browser, &issuer, "/sign-in/with/else").await;
    assert_eq!(page.status, StatusCode::OK, "the truth is believed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_way_back_counts_once_in_the_browser_in_which_it_began() {
    let (table, issuer) = with_issuer(Signs::Ecdsa, true).await;
    issuer.set(|says| says.takes_codes_twice = true);
    let mut ines = Browser::new(&table, 2);
    let begun = out(&mut ines, &issuer, "/sign-in/with/else").await;
    let mut other = Browser::new(&table, 3);
    other.get("/sign-in").await;
    let bent = begun.state.replace('.', "A.");
    let late = out(&mut ines, &issuer, "/sign-in/with/else").await;
    let nobody = format!("{}?error=access_denied&state={}", late.to, late.state);
    for (address, by_other) in [
        (begun.address(), true),
        (
            format!("{}?code={}&state={bent}", begun.to, begun.code),
            false,
        ),
        (format!("{}?code={}", begun.to, begun.code), false),
        (nobody, false),
        (late.address(), false),
    ] {
        let browser = if by_other { &mut other } else { &mut ines };
        let page = browser.get(&address).await;
        assert_eq!(page.status, StatusCode::UNAUTHORIZED, "{address}");
    }
    let mixed = out(&mut ines, &issuer, "/sign-in/with/else").await;
    let mixed = format!("{}&iss=https://else.example", mixed.address());
    assert_eq!(ines.get(&mixed).await.status, StatusCode::UNAUTHORIZED);
    // Another's code in one's own way: the challenge is not theirs.
    let theirs = out(&mut other, &issuer, "/sign-in/with/else").await;
    let own = out(&mut ines, &issuer, "/sign-in/with/else").await;
    let swapped = format!("{}?code={}&state={}", own.to, theirs.code, own.state);
    assert_eq!(ines.get(&swapped).await.status, StatusCode::UNAUTHORIZED);
    let page = ines.get(&begun.address()).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let replayed = ines.get(&begun.address()).await;
    assert_eq!(replayed.status, StatusCode::UNAUTHORIZED);
    let ended = out(&mut ines, &issuer, "/sign-in/with/else").await;
    table.pass(Span::minutes(11));
    assert_eq!(
        ines.get(&ended.address()).await.status,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_from_elsewhere_are_made_as_registration_permits() {
    let (table, issuer) = with_issuer(Signs::Ecdsa, false).await;
    let mut ines = Browser::new(&table, 2);
    let page = around(&mut ines, &issuer, "/sign-in/with/else").await;
    assert!(page.text.contains("by invitation"), "{}", page.text);
    assert!(!page.text.contains("Make the account"), "{}", page.text);
    let invitation = Invitation {
        digest: digest_of("come"),
        made_by: None,
        game: None,
        uses_left: 1,
        ends_at: table.site().now() + Span::days(1),
    };
    let accounts = &table.site().deps.accounts;
    accounts.invite(&invitation).await.unwrap();
    let way = "/sign-in/with/else?invitation=come";
    let page = around(&mut ines, &issuer, way).await;
    let form = format!("arrival={}&name=Ines", field(&page, "arrival"));
    let made = ines.send("/sign-in/from/else", &form).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
    let left = accounts.invitation(digest_of("come"), table.site().now());
    assert_eq!(left.await.unwrap(), None);
    let mut other = Browser::new(&table, 3);
    other.get("/sign-in").await;
    let stolen = other.send("/sign-in/from/else", &form).await;
    assert_eq!(stolen.status, StatusCode::UNAUTHORIZED);
    issuer.set(|says| says.subject = "jo-2".to_owned());
    let page = around(&mut other, &issuer, way).await;
    let form = format!("arrival={}&name=Jo", field(&page, "arrival"));
    let none = other.send("/sign-in/from/else", &form).await;
    assert_eq!(none.status, StatusCode::BAD_REQUEST, "it was used");
    assert!(!is_account(&table, "Jo").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_in_person_adds_a_way_and_removes_it() {
    let (table, issuer) = with_issuer(Signs::Ecdsa, true).await;
    let mut hal = Browser::new(&table, 2);
    let password = PASSWORD.replace(' ', "+");
    let form = format!("name=Hal&password={password}&mail=hal@example.org");
    hal.send("/sign-up", &form).await;
    issuer.set(|says| says.mail = Some(("hal@example.org".to_owned(), true)));
    let mut stranger = Browser::new(&table, 3);
    let page = around(&mut stranger, &issuer, "/sign-in/with/else").await;
    assert!(page.text.contains("Make the account"), "mail links nobody");
    let wrong = hal
        .send("/settings/outside", "provider=else&old=wrong")
        .await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    let form = format!("provider=else&old={password}");
    let page = hal.send("/settings/outside", &form).await;
    let way = page
        .text
        .split("href=\"")
        .find(|at| at.starts_with("/sign-in/with/else"));
    let way = way.unwrap_or_else(|| panic!("{}", page.text));
    let way = way.split('"').next().unwrap().to_owned();
    assert_eq!(
        stranger.get(&way).await.status,
        StatusCode::NOT_FOUND,
        "it is Hal's"
    );
    let gone = hal.get(&way).await;
    let linked = hal.get(&issuer.grant(&gone.location).address()).await;
    assert_eq!(linked.location, "/settings", "{}", linked.text);
    let mut elsewhere = Browser::new(&table, 4);
    let back = around(&mut elsewhere, &issuer, "/sign-in/with/else").await;
    assert_eq!(back.status, StatusCode::SEE_OTHER, "{}", back.text);
    assert!(elsewhere.is_signed_in().await);

    let accounts = &table.site().deps.accounts;
    let id = accounts.account_by_name("Hal").await.unwrap().unwrap().id;
    let restraint = Restraint {
        kind: RestraintKind::Suspended,
        until: None,
        why: "for a test".to_owned(),
    };
    let moderation = &table.site().deps.moderation;
    moderation.restrain(id, &restraint).await.unwrap();
    let mut suspended = Browser::new(&table, 5);
    let kept_out = around(&mut suspended, &issuer, "/sign-in/with/else").await;
    assert_eq!(
        kept_out.status,
        StatusCode::UNAUTHORIZED,
        "{}",
        kept_out.text
    );
    assert!(!suspended.is_signed_in().await);
    moderation.lift(id).await.unwrap();

    hal.sign_in("Hal", PASSWORD).await;
    let form = format!("issuer={}&subject=ines-1", issuer.base());
    hal.send("/settings/outside-off", &form).await;
    let name = OutsideName {
        issuer: issuer.base(),
        subject: "ines-1".to_owned(),
    };
    let safe = &table.site().deps.safety;
    assert_eq!(safe.account_from_outside(&name).await.unwrap(), None);
    let log = safe.entries(Some(id), 20).await.unwrap();
    for event in [SecurityEvent::OutsideLinked, SecurityEvent::OutsideUnlinked] {
        assert!(log.iter().any(|one| one.event == event), "{event:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_only_way_into_an_account_is_not_removed() {
    let (table, issuer) = with_issuer(Signs::Ecdsa, true).await;
    let mut ines = Browser::new(&table, 2);
    makes_an_account(&mut ines, &issuer, "Ines").await;
    let form = format!("issuer={}&subject=ines-1", issuer.base());
    ines.send("/settings/outside-off", &form).await;
    let accounts = &table.site().deps.accounts;
    let id = accounts.account_by_name("Ines").await.unwrap().unwrap().id;
    let ways = || table.site().deps.safety.outside_ways(id);
    assert_eq!(ways().await.unwrap().len(), 1);
    let set = format!("password={}", PASSWORD.replace(' ', "+"));
    table.pass(Span::minutes(11));
    let stale = ines.send("/settings/password", &set).await;
    assert_eq!(stale.status, StatusCode::BAD_REQUEST);
    issuer.set(|says| says.now += 11 * 60);
    around(&mut ines, &issuer, "/sign-in/with/else").await;
    let first = ines.send("/settings/password", &set).await;
    assert_eq!(first.status, StatusCode::SEE_OTHER, "{}", first.text);
    assert_eq!(
        ways().await.unwrap().len(),
        1,
        "a first password ends nothing"
    );
    ines.send("/settings/outside-off", &form).await;
    assert_eq!(ways().await.unwrap(), []);
    assert_eq!(ines.sign_in("Ines", PASSWORD).await, StatusCode::SEE_OTHER);
}

#[tokio::test(flavor = "multi_thread")]
async fn discord_and_github_let_people_in() {
    for (is_discord, subject) in [(true, "80351110224678912"), (false, "583231")] {
        let issuer = Issuer::start(Signs::Ecdsa).await;
        let server = Some(issuer.base());
        let kind = if is_discord {
            ProviderKind::Discord { server }
        } else {
            ProviderKind::Github { server }
        };
        let table = table(kind, true).await;
        issuer.set(|says| {
            subject.clone_into(&mut says.subject);
            says.mail = Some(("ines@example.org".to_owned(), is_discord));
        });
        let mut ines = Browser::new(&table, 2);
        let made = makes_an_account(&mut ines, &issuer, "Ines").await;
        assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
        let accounts = &table.site().deps.accounts;
        let account = accounts.account_by_name("Ines").await.unwrap().unwrap();
        assert_eq!(account.mail.is_some(), is_discord, "only where it was seen");
        let mut again = Browser::new(&table, 3);
        let back = around(&mut again, &issuer, "/sign-in/with/else").await;
        assert_eq!(back.status, StatusCode::SEE_OTHER, "{}", back.text);
        let ways = table.site().deps.safety.outside_ways(account.id).await;
        assert_eq!(ways.unwrap()[0].name.subject, subject);
    }
}
