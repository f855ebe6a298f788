//! Passkeys: added with a password, used without one, and taken by nobody else.

use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quorate_kernel::Span;
use quorate_server::ServerConfig;
use quorate_server::security::factor::FactorKey;
use ring::digest::{SHA256, digest};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::json;

use crate::signing::{Browser, Page};
use crate::table::Table;

const ADDRESS: &str = "https://games.example.org";
const PASSWORD: &str = "lamps+on+the+quay";

/// A phone that makes keys and signs with them.
struct Phone {
    pair: Ed25519KeyPair,
    name: String,
}

/// What a browser and a phone say of a key, for this site.
fn said(kind: &str, challenge: &str, flags: u8, rest: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let challenge = URL_SAFE_NO_PAD.encode(challenge);
    let client = json!({ "type": kind, "challenge": challenge, "origin": ADDRESS });
    let host = digest(&SHA256, b"games.example.org");
    let data = [host.as_ref(), &[flags], &[0; 4], rest].concat();
    (client.to_string().into_bytes(), data)
}

impl Phone {
    fn new(name: &str) -> Self {
        let seed = digest(&SHA256, name.as_bytes());
        Self {
            pair: Ed25519KeyPair::from_seed_unchecked(seed.as_ref()).unwrap(),
            name: name.to_owned(),
        }
    }

    /// The fields of the form that adds its key.
    fn made(&self, challenge: &str) -> String {
        let length = u16::try_from(self.name.len()).unwrap().to_be_bytes();
        let point = self.pair.public_key().as_ref();
        let rest = [
            [0; 16].as_slice(),
            &length,
            self.name.as_bytes(),
            // The key as an authenticator writes it.
            b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20",
            point,
        ]
        .concat();
        let (client, data) = said("webauthn.create", challenge, 0x45, &rest);
        let key = [
            b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00".as_slice(),
            point,
        ]
        .concat();
        self.form(&[("client", &client), ("data", &data), ("public", &key)])
    }

    /// The fields of the form that signs in.
    fn used(&self, challenge: &str) -> String {
        let (client, data) = said("webauthn.get", challenge, 0x05, b"");
        let signed = [data.as_slice(), digest(&SHA256, &client).as_ref()].concat();
        let signature = self.pair.sign(&signed);
        let parts = [
            ("client", client.as_slice()),
            ("data", data.as_slice()),
            ("signature", signature.as_ref()),
        ];
        self.form(&parts)
    }

    fn form(&self, parts: &[(&str, &[u8])]) -> String {
        let name = [("credential", self.name.as_bytes())];
        let all = name.iter().chain(parts);
        let all = all.map(|(name, bytes)| format!("{name}={}", URL_SAFE_NO_PAD.encode(bytes)));
        all.collect::<Vec<_>>().join("&")
    }
}

/// The word with which a page asks for a passkey.
fn challenge(page: &Page) -> String {
    let word = page.text.split("name=\"challenge\" value=\"").nth(1);
    let word = word.unwrap_or_else(|| panic!("no word: {}", page.text));
    word.split('"').next().unwrap().to_owned()
}

async fn with_hal(address: Option<&str>) -> Table {
    let table = Table::of(ServerConfig {
        is_proxied: true,
        address: address.map(str::to_owned),
        ..ServerConfig::default()
    })
    .await;
    let mut browser = Browser::new(&table, 1);
    let form = format!("name=Hal&password={PASSWORD}&mail=");
    let made = browser.send("/sign-up", &form).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER);
    table
}

async fn add(browser: &mut Browser<'_>, phone: &Phone) -> Page {
    let word = challenge(&browser.get("/settings").await);
    let form = format!("label=Phone&old={PASSWORD}&{}", phone.made(&word));
    browser.send("/settings/passkey", &form).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_signs_its_owner_in_and_goes_with_a_new_password() {
    let table = with_hal(Some(ADDRESS)).await;
    let (mut own, mut other) = (Browser::new(&table, 2), Browser::new(&table, 3));
    own.sign_in("Hal", "lamps on the quay").await;
    let phone = Phone::new("a phone");
    let wrong = own.get("/settings").await;
    let wrong = format!("old=wrong+password&{}", phone.made(&challenge(&wrong)));
    let wrong = own.send("/settings/passkey", &wrong).await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST, "a password is asked");
    let added = add(&mut own, &phone).await;
    assert_eq!(added.status, StatusCode::SEE_OTHER, "{}", added.text);
    let settings = own.get("/settings").await.text;
    assert!(settings.contains("A passkey was added"), "it is told");
    let twice = add(&mut own, &phone).await;
    assert!(twice.text.contains("leads into an account here already"));
    // It stands for the second factor too.
    let key = FactorKey::fresh().unwrap();
    let code = key.code_at(table.site().now_ms()).unwrap();
    let factor = format!("key={}&code={code}", key.words());
    own.send("/settings/factor-on", &factor).await;
    let door = other.get("/sign-in/passkey?next=%2Fnotices").await;
    let form = format!("next=%2Fnotices&{}", phone.used(&challenge(&door)));
    let entered = other.send("/sign-in/passkey", &form).await;
    assert_eq!(entered.status, StatusCode::SEE_OTHER, "{}", entered.text);
    assert_eq!(entered.location, "/notices");
    assert!(other.is_signed_in().await);
    assert!(!own.get("/settings").await.text.contains("not used yet"));
    let form = format!("old={PASSWORD}&password=a+pail+of+cold+tar");
    own.send("/settings/password", &form).await;
    assert!(!other.is_signed_in().await);
    let word = challenge(&other.get("/sign-in/passkey").await);
    let late = other.send("/sign-in/passkey", &phone.used(&word)).await;
    assert_eq!(late.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_once_soon_in_its_browser_for_what_was_asked() {
    let table = with_hal(Some(ADDRESS)).await;
    let mut own = Browser::new(&table, 2);
    own.sign_in("Hal", "lamps on the quay").await;
    let phone = Phone::new("a phone");
    assert_eq!(add(&mut own, &phone).await.status, StatusCode::SEE_OTHER);
    let mut asked = Browser::new(&table, 3);
    asked.get("/sign-in").await;
    let before = asked.cookies.clone();
    let form = phone.used(&challenge(&asked.get("/sign-in/passkey").await));
    let mut thief = Browser::new(&table, 4);
    let stolen = thief.send("/sign-in/passkey", &form).await;
    assert_eq!(stolen.status, StatusCode::UNAUTHORIZED, "another browser");
    let entered = asked.send("/sign-in/passkey", &form).await;
    assert_eq!(entered.status, StatusCode::SEE_OTHER);
    asked.cookies = before;
    let again = asked.send("/sign-in/passkey", &form).await;
    assert_eq!(again.status, StatusCode::UNAUTHORIZED, "the second time");
    let form = phone.used(&challenge(&asked.get("/sign-in/passkey").await));
    table.pass(Span::minutes(11));
    let late = asked.send("/sign-in/passkey", &form).await;
    assert_eq!(late.status, StatusCode::UNAUTHORIZED, "too late");
    let word = challenge(&own.get("/settings").await);
    let crossed = own.send("/sign-in/passkey", &phone.used(&word)).await;
    assert_eq!(crossed.status, StatusCode::UNAUTHORIZED, "for adding alone");
    let stranger = Phone::new("a stranger");
    let form = stranger.used(&challenge(&asked.get("/sign-in/passkey").await));
    let unknown = asked.send("/sign-in/passkey", &form).await;
    assert_eq!(unknown.status, StatusCode::UNAUTHORIZED);
    let entries = table.site().deps.safety.entries(None, 20).await.unwrap();
    let failed = entries.iter().filter(|entry| entry.about == "by passkey");
    assert!(failed.count() >= 5, "each is in the log");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_said_where_the_site_is_there_are_no_passkeys() {
    let table = with_hal(None).await;
    let mut own = Browser::new(&table, 2);
    own.sign_in("Hal", "lamps on the quay").await;
    assert!(!own.get("/settings").await.text.contains("id=\"passkeys\""));
    let page = own.get("/sign-in/passkey").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
}
