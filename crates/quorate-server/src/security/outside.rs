//! The way to an issuer elsewhere and back: words that the browser carries, each good in one session and for a while. Whoever
//! opens one sees to it that it counts once.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::security::chance::{self, NoChance};
use crate::security::same_secret;
use crate::security::session::SessionToken;

/// How long a word counts, in milliseconds: as long as somebody may take to sign in elsewhere, or to choose a name here.
pub const COUNTS_MS: u64 = 10 * 60 * 1_000;

/// What somebody went elsewhere for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Journey {
    /// The word of the issuer that they went to.
    pub provider: String,
    /// The account that the way shall lead into; none for whoever signs in.
    pub account: Option<u64>,
    /// Where they were here.
    pub next: Option<String>,
    /// The invitation that they came with.
    pub invitation: Option<String>,
}

/// What goes along with a journey.
#[derive(Clone, PartialEq, Eq)]
pub struct JourneySecrets {
    /// The word that the issuer sends back.
    pub state: String,
    /// The word that its token must hold.
    pub nonce: String,
    /// The word whose digest the issuer was given, and which proves to it that the same one asks.
    pub verifier: String,
}

/// Never shows the words, wherever it is logged.
impl std::fmt::Debug for JourneySecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JourneySecrets(…)")
    }
}

#[derive(Serialize, Deserialize)]
struct SealedCookie<T> {
    what: T,
    chance: [u8; 16],
    ends_at: u64,
}

/// Makes and reads the words of journeys.
pub struct Journeys {
    key: [u8; 32],
}

impl Journeys {
    /// Words under this secret of the server.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self {
            key: blake3::derive_key("quorate 2026 ways from elsewhere", secret),
        }
    }

    /// Begins a journey from a session.
    ///
    /// # Errors
    /// Fails where the system gives no random bytes.
    pub fn begin(
        &self,
        journey: &Journey,
        session: &SessionToken,
        now_ms: u64,
    ) -> Result<JourneySecrets, NoChance> {
        let state = self.seal("journey", journey, session, now_ms)?;
        Ok(self.secrets(state, session))
    }

    /// The journey that comes back to the session in which it began, with what went along.
    pub fn back(
        &self,
        state: &str,
        session: &SessionToken,
        now_ms: u64,
    ) -> Option<(Journey, JourneySecrets)> {
        let journey = self.open("journey", state, session, now_ms)?;
        Some((journey, self.secrets(state.to_owned(), session)))
    }

    /// A word that carries something through a form of this session.
    ///
    /// # Errors
    /// Fails where the system gives no random bytes.
    pub fn seal<T: Serialize>(
        &self,
        kind: &str,
        what: &T,
        session: &SessionToken,
        now_ms: u64,
    ) -> Result<String, NoChance> {
        let sealed = SealedCookie {
            what,
            chance: chance::bytes()?,
            ends_at: now_ms + COUNTS_MS,
        };
        // Plain data of ours: it can always be written.
        let text = serde_json::to_vec(&sealed).unwrap_or_default();
        let mac = self.mac(kind, &text, session);
        Ok(format!(
            "{}.{}",
            URL_SAFE_NO_PAD.encode(&text),
            URL_SAFE_NO_PAD.encode(mac)
        ))
    }

    /// What such a word carries, if it is of this kind and session and still counts.
    pub fn open<T: DeserializeOwned>(
        &self,
        kind: &str,
        word: &str,
        session: &SessionToken,
        now_ms: u64,
    ) -> Option<T> {
        let (text, mac) = word.split_once('.')?;
        let text = URL_SAFE_NO_PAD.decode(text).ok()?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        if !same_secret(&mac, &self.mac(kind, &text, session)) {
            return None;
        }
        let sealed: SealedCookie<T> = serde_json::from_slice(&text).ok()?;
        (now_ms < sealed.ends_at).then_some(sealed.what)
    }

    fn secrets(&self, state: String, session: &SessionToken) -> JourneySecrets {
        let word = |kind| URL_SAFE_NO_PAD.encode(self.mac(kind, state.as_bytes(), session));
        JourneySecrets {
            nonce: word("nonce"),
            verifier: word("verifier"),
            state,
        }
    }

    fn mac(&self, kind: &str, text: &[u8], session: &SessionToken) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(blake3::hash(kind.as_bytes()).as_bytes());
        hasher.update(&session.digest().0);
        hasher.update(text);
        *hasher.finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journey() -> Journey {
        Journey {
            provider: "home".to_owned(),
            account: Some(7),
            next: Some("/g/lamps".to_owned()),
            invitation: None,
        }
    }

    #[test]
    fn a_journey_comes_back_to_its_own_session() {
        let journeys = Journeys::new(&[3; 32]);
        let session = SessionToken::fresh().expect("a random source");
        let went = journeys.begin(&journey(), &session, 1_000).unwrap();
        let back = |state: &str, session, at| journeys.back(state, session, at);
        let other = SessionToken::fresh().expect("a random source");
        assert_eq!(back(&went.state, &other, 2_000), None);
        assert_eq!(back(&went.state, &session, 1_000 + COUNTS_MS), None);
        assert_eq!(back("", &session, 2_000), None);
        let foreign = Journeys::new(&[4; 32]);
        assert_eq!(foreign.back(&went.state, &session, 2_000), None);
        let (again, secrets) = back(&went.state, &session, 2_000).expect("it is ours");
        assert_eq!((again, secrets), (journey(), went.clone()));
    }

    #[test]
    fn a_word_is_of_one_kind() {
        let journeys = Journeys::new(&[3; 32]);
        let session = SessionToken::fresh().expect("a random source");
        let word = journeys.seal("link", &7_u64, &session, 0).unwrap();
        assert_eq!(journeys.open("link", &word, &session, 1), Some(7_u64));
        assert_eq!(journeys.open::<u64>("journey", &word, &session, 1), None);
    }

    #[test]
    fn no_two_journeys_share_a_word() {
        let journeys = Journeys::new(&[3; 32]);
        let session = SessionToken::fresh().expect("a random source");
        let one = journeys.begin(&journey(), &session, 0).unwrap();
        let two = journeys.begin(&journey(), &session, 0).unwrap();
        assert_ne!(one.state, two.state);
        assert_ne!(one.nonce, two.nonce);
        assert_ne!(one.verifier, two.verifier);
        assert_ne!(one.nonce, one.verifier);
        assert_eq!(one.verifier.len(), 43, "as RFC 7636 asks");
    }
}
