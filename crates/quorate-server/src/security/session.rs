//! Sessions: a secret in a cookie, of which the server keeps only a digest.

use std::fmt;

use axum::http::{HeaderMap, HeaderValue, header};

use crate::security::chance;
use crate::security::chance::NoChance;

/// A session's secret. It exists in the browser's cookie and for the length of a request; what is stored is its digest.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken([u8; 32]);

/// What the server stores of a session, and finds it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionDigest(pub [u8; 32]);

impl SessionToken {
    /// A new secret from the system's random source.
    pub fn fresh() -> Result<Self, NoChance> {
        Ok(Self(chance::bytes()?))
    }

    /// Reads the cookie's value.
    pub fn parse(text: &str) -> Option<Self> {
        let hash = blake3::Hash::from_hex(text).ok()?;
        Some(Self(*hash.as_bytes()))
    }

    /// The digest to store and to look for.
    pub fn digest(&self) -> SessionDigest {
        SessionDigest(
            *blake3::Hasher::new_derive_key("quorate 2026 session digest")
                .update(&self.0)
                .finalize()
                .as_bytes(),
        )
    }

    fn hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }
}

/// Never shows the secret, wherever it is logged.
impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(…)")
    }
}

/// How cookies are set: with TLS in front of the server they are `Secure` and bound to this very host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cookies {
    /// Whether readers come by https.
    pub is_secure: bool,
}

impl Cookies {
    fn name(self) -> &'static str {
        // The prefix makes browsers refuse the cookie from a sibling host or without TLS.
        if self.is_secure {
            "__Host-quorate"
        } else {
            "quorate"
        }
    }

    /// The header that opens a session for so many seconds.
    pub fn set(self, token: &SessionToken, seconds: u64) -> HeaderValue {
        self.header(&token.hex(), seconds)
    }

    /// The header that ends it in the browser.
    pub fn clear(self) -> HeaderValue {
        self.header("", 0)
    }

    fn header(self, value: &str, seconds: u64) -> HeaderValue {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let text = format!(
            "{}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}",
            self.name()
        );
        HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static(""))
    }

    /// The session that a request carries.
    pub fn read(self, headers: &HeaderMap) -> Option<SessionToken> {
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == self.name())
            .and_then(|(_, value)| SessionToken::parse(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(cookie: &HeaderValue) -> HeaderMap {
        let sent = cookie
            .to_str()
            .expect("ASCII")
            .split(';')
            .next()
            .expect("a pair")
            .to_owned();
        let mut headers = HeaderMap::new();
        headers.insert(
            header::COOKIE,
            format!("theme=dark; {sent}").parse().expect("a header"),
        );
        headers
    }

    #[test]
    fn a_session_comes_back_as_it_was_set() {
        let cookies = Cookies { is_secure: true };
        let token = SessionToken::fresh().expect("a random source");
        let read = cookies
            .read(&request(&cookies.set(&token, 60)))
            .expect("a session");
        assert_eq!(read.digest(), token.digest());
    }

    #[test]
    fn the_cookie_is_out_of_reach_for_scripts_and_other_sites() {
        let token = SessionToken::fresh().expect("a random source");
        let text = Cookies { is_secure: true }
            .set(&token, 60)
            .to_str()
            .expect("ASCII")
            .to_owned();
        for part in [
            "__Host-quorate=",
            "HttpOnly",
            "SameSite=Lax",
            "Secure",
            "Path=/",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let plain = Cookies { is_secure: false }.set(&token, 60);
        assert!(!plain.to_str().expect("ASCII").contains("Secure"));
    }

    #[test]
    fn what_is_stored_is_not_what_is_sent() {
        let token = SessionToken::fresh().expect("a random source");
        assert_ne!(token.digest().0, token.0);
        assert_eq!(format!("{token:?}"), "SessionToken(…)");
    }

    #[test]
    fn a_mangled_cookie_is_no_session() {
        for text in ["", "xyz", "quorate", &"0".repeat(63), &"g".repeat(64)] {
            assert!(SessionToken::parse(text).is_none(), "{text}");
        }
    }
}
