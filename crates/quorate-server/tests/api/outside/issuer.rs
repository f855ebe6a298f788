//! An issuer on this machine, which can be told to lie.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use rsa::traits::PublicKeyParts as _;
use rsa::{Pkcs1v15Sign, RsaPrivateKey};
use serde_json::{Value, json};

/// What it knows this server by.
pub(super) const CLIENT: &str = "games";

/// What proves that to it.
pub(super) const SECRET: &str = "only for the two of them";

/// Where this server is.
pub(super) const SITE: &str = "https://games.example";

/// What DER says before a digest of SHA-256.
const SHA256_PREFIX: [u8; 19] = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
    0x00, 0x04, 0x20,
];

/// By which kind of key an issuer signs.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Signs {
    Rsa,
    Ecdsa,
}

/// What an issuer lies about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Lie {
    Nothing,
    Nonce,
    Audience,
    Expired,
    Issuer,
    Unsigned,
    SharedSecret,
    OtherKey,
    AccessToken,
    NoToken,
}

/// What it was asked for, by the code that it gave.
struct Granted {
    nonce: String,
    challenge: String,
}

pub(super) struct Says {
    base: String,
    signs: Signs,
    pub(super) lie: Lie,
    pub(super) now: u64,
    pub(super) subject: String,
    pub(super) mail: Option<(String, bool)>,
    granted: BTreeMap<String, Granted>,
    used: BTreeSet<String>,
    pub(super) takes_codes_twice: bool,
    ecdsa: EcdsaKeyPair,
}

/// An issuer on this machine.
#[derive(Clone)]
pub(super) struct Issuer(Arc<Mutex<Says>>);

fn coded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn rsa_key() -> &'static RsaPrivateKey {
    static KEY: OnceLock<RsaPrivateKey> = OnceLock::new();
    KEY.get_or_init(|| RsaPrivateKey::new(&mut rsa::rand_core::OsRng, 1024).unwrap())
}

fn ecdsa_key() -> EcdsaKeyPair {
    let chance = SystemRandom::new();
    let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let key = EcdsaKeyPair::generate_pkcs8(kind, &chance).unwrap();
    EcdsaKeyPair::from_pkcs8(kind, key.as_ref(), &chance).unwrap()
}

impl Says {
    fn keys(&self) -> Value {
        let rsa = rsa_key();
        let (x, y) = self.ecdsa.public_key().as_ref()[1..].split_at(32);
        json!({"keys": [
            {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "r",
             "n": coded(rsa.n().to_bytes_be()), "e": coded(rsa.e().to_bytes_be())},
            {"kty": "EC", "use": "sig", "alg": "ES256", "kid": "e", "crv": "P-256", "x": coded(x), "y": coded(y)},
        ]})
    }

    fn token(&self, granted: &Granted, access: &str) -> String {
        let lies = |lie| self.lie == lie;
        let other = |is_lie: bool, truth: &str| {
            if is_lie {
                "another".to_owned()
            } else {
                truth.to_owned()
            }
        };
        let whole = digest(&SHA256, access.as_bytes());
        let half = &whole.as_ref()[..16];
        let mut claims = json!({
            "iss": if lies(Lie::Issuer) { "https://else.example".to_owned() } else { self.base.clone() },
            "sub": self.subject,
            "aud": other(lies(Lie::Audience), CLIENT),
            "exp": if lies(Lie::Expired) { self.now - 1 } else { self.now + 60 },
            "iat": self.now - 5,
            "nonce": other(lies(Lie::Nonce), &granted.nonce),
            "preferred_username": "ines",
            "at_hash": if lies(Lie::AccessToken) { coded([7; 16]) } else { coded(half) },
        });
        if let Some((mail, is_verified)) = &self.mail {
            claims["email"] = json!(mail);
            claims["email_verified"] = json!(is_verified);
        }
        let (algorithm, key) = match (self.lie, self.signs) {
            (Lie::Unsigned, _) => ("none", "e"),
            (Lie::SharedSecret, _) => ("HS256", "e"),
            (_, Signs::Rsa) => ("RS256", "r"),
            (_, Signs::Ecdsa) => ("ES256", "e"),
        };
        let head = json!({"alg": algorithm, "kid": key}).to_string();
        let text = format!("{}.{}", coded(head), coded(claims.to_string()));
        let signature = self.signature(algorithm, &text);
        format!("{text}.{}", coded(signature))
    }

    fn signature(&self, algorithm: &str, text: &str) -> Vec<u8> {
        match algorithm {
            "none" => Vec::new(),
            "HS256" => {
                let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, SECRET.as_bytes());
                ring::hmac::sign(&key, text.as_bytes()).as_ref().to_vec()
            }
            "RS256" => {
                let mut info = SHA256_PREFIX.to_vec();
                info.extend(digest(&SHA256, text.as_bytes()).as_ref());
                let scheme = Pkcs1v15Sign::new_unprefixed();
                rsa_key().sign(scheme, &info).unwrap()
            }
            _ => {
                let other = ecdsa_key();
                let is_other = self.lie == Lie::OtherKey;
                let key = if is_other { &other } else { &self.ecdsa };
                let signed = key.sign(&SystemRandom::new(), text.as_bytes());
                signed.unwrap().as_ref().to_vec()
            }
        }
    }
}

type Told = (StatusCode, Json<Value>);

fn refused(error: &str) -> Told {
    (StatusCode::BAD_REQUEST, Json(json!({"error": error})))
}

impl Issuer {
    /// Starts one, whose people are Ines alone.
    pub(super) async fn start(signs: Signs) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = Self(Arc::new(Mutex::new(Says {
            base: format!("http://{}", listener.local_addr().unwrap()),
            signs,
            lie: Lie::Nothing,
            now: 1_000,
            subject: "ines-1".to_owned(),
            mail: None,
            granted: BTreeMap::new(),
            used: BTreeSet::new(),
            takes_codes_twice: false,
            ecdsa: ecdsa_key(),
        })));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(Self::document))
            .route("/keys", get(Self::show_keys))
            .route("/token", post(Self::exchange))
            .route("/api/oauth2/token", post(Self::exchange))
            .route("/login/oauth/access_token", post(Self::exchange))
            .route("/api/users/@me", get(Self::person))
            .route("/api/v3/user", get(Self::person))
            .with_state(issuer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        issuer
    }

    pub(super) fn set(&self, change: impl FnOnce(&mut Says)) {
        change(&mut self.0.lock().unwrap());
    }

    pub(super) fn base(&self) -> String {
        self.0.lock().unwrap().base.clone()
    }
}

#[expect(clippy::unused_async, reason = "a handler is async")]
impl Issuer {
    async fn document(State(issuer): State<Self>) -> Json<Value> {
        let base = issuer.base();
        Json(json!({
            "issuer": base, "jwks_uri": format!("{base}/keys"),
            "authorization_endpoint": format!("{base}/door"), "token_endpoint": format!("{base}/token"),
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256"],
        }))
    }

    async fn show_keys(State(issuer): State<Self>) -> Json<Value> {
        Json(issuer.0.lock().unwrap().keys())
    }

    /// A code for tokens, once, for the one who has the secret and the word behind the challenge.
    async fn exchange(
        State(issuer): State<Self>,
        headers: HeaderMap,
        Form(form): Form<BTreeMap<String, String>>,
    ) -> Told {
        let mut says = issuer.0.lock().unwrap();
        let basic = format!(
            "Basic {}",
            STANDARD.encode(format!("{CLIENT}:{}", SECRET.replace(' ', "+")))
        );
        let by_header = headers
            .get(header::AUTHORIZATION)
            .is_some_and(|sent| *sent == *basic);
        let by_form = form.get("client_secret").is_some_and(|sent| sent == SECRET);
        if !by_header && !by_form {
            return refused("invalid_client");
        }
        let code = form["code"].clone();
        let is_fresh = says.used.insert(code.clone());
        let Some(granted) = says.granted.get(&code) else {
            return refused("invalid_grant");
        };
        let proof = coded(digest(&SHA256, form["code_verifier"].as_bytes()));
        if proof != granted.challenge || !(is_fresh || says.takes_codes_twice) {
            return refused("invalid_grant");
        }
        let mut tokens = json!({"access_token": "entry", "token_type": "bearer"});
        if says.lie != Lie::NoToken {
            tokens["id_token"] = json!(says.token(granted, "entry"));
        }
        (StatusCode::OK, Json(tokens))
    }

    async fn person(State(issuer): State<Self>, headers: HeaderMap) -> Told {
        if headers[header::AUTHORIZATION] != "Bearer entry"
            || !headers.contains_key(header::USER_AGENT)
        {
            return refused("who");
        }
        let says = issuer.0.lock().unwrap();
        let mut person = match says.subject.parse::<u64>() {
            Ok(number) => json!({"id": number, "login": "ines"}),
            Err(_) => json!({"id": says.subject, "username": "ines"}),
        };
        if let Some((mail, is_verified)) = &says.mail {
            person["email"] = json!(mail);
            person["verified"] = json!(is_verified);
        }
        (StatusCode::OK, Json(person))
    }

    /// Somebody signs in at the issuer's door, which leads back with a code.
    pub(super) fn grant(&self, door: &str) -> Back {
        let (place, query) = door.split_once('?').unwrap_or_else(|| panic!("{door}"));
        assert!(place.starts_with(&self.base()), "{door}");
        let asked: BTreeMap<String, String> =
            axum::extract::Query::try_from_uri(&format!("/?{query}").parse().unwrap())
                .unwrap()
                .0;
        assert_eq!(asked["client_id"], CLIENT);
        assert_eq!(asked["code_challenge_method"], "S256");
        assert!(!door.contains(&SECRET.replace(' ', "+")), "{door}");
        let mut says = self.0.lock().unwrap();
        let code = format!("code-{}", says.granted.len());
        let granted = Granted {
            nonce: asked.get("nonce").cloned().unwrap_or_default(),
            challenge: asked["code_challenge"].clone(),
        };
        says.granted.insert(code.clone(), granted);
        let to = asked["redirect_uri"].strip_prefix(SITE).unwrap().to_owned();
        let state = asked["state"].clone();
        Back { to, code, state }
    }
}

/// The way back from an issuer.
pub(super) struct Back {
    pub(super) to: String,
    pub(super) code: String,
    pub(super) state: String,
}

impl Back {
    pub(super) fn address(&self) -> String {
        format!("{}?code={}&state={}", self.to, self.code, self.state)
    }
}
