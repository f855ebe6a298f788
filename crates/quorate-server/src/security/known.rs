//! Browsers in which an account was signed in before: what strangers try elsewhere does not lock these out.

use axum::http::HeaderValue;

use crate::security::{chance, same_secret};

/// The cookie's name.
pub const COOKIE: &str = "known";

/// For how long a browser is known, in seconds.
const SECONDS: u64 = 60 * 60 * 24 * 180;

/// Makes and reads the cookies of known browsers. They let nobody in: whoever has one may try a password where strangers have
/// tried too often.
#[derive(Clone)]
pub struct KnownBrowsers {
    key: [u8; 32],
    is_secure: bool,
}

impl KnownBrowsers {
    /// Cookies under this secret of the server.
    pub fn new(secret: &[u8; 32], is_secure: bool) -> Self {
        Self {
            key: blake3::derive_key("quorate 2026 known browsers", secret),
            is_secure,
        }
    }

    /// The header by which a browser is known from now on, for an account with such a digest of its password: a new password
    /// makes strangers of all.
    ///
    /// # Errors
    /// Fails where the system gives no random bytes.
    pub fn set(&self, account: u64, digest: &str) -> Result<HeaderValue, chance::NoChance> {
        let word = blake3::Hash::from_bytes(chance::bytes()?).to_hex();
        let mac = self.mac(word.as_str(), account, digest);
        let secure = if self.is_secure { "; Secure" } else { "" };
        let text = format!(
            "{COOKIE}={word}.{mac}; Path=/; Max-Age={SECONDS}; HttpOnly; SameSite=Lax{secure}"
        );
        Ok(HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("")))
    }

    /// The word of a browser that sends such a cookie and in which this account was signed in before; none of any other.
    pub fn read(&self, cookie: &str, account: u64, digest: &str) -> Option<String> {
        let (word, mac) = cookie.split_once('.')?;
        let is_ours = same_secret(mac.as_bytes(), self.mac(word, account, digest).as_bytes());
        is_ours.then(|| word.to_owned())
    }

    fn mac(&self, word: &str, account: u64, digest: &str) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&account.to_le_bytes());
        hasher.update(blake3::hash(digest.as_bytes()).as_bytes());
        hasher.update(word.as_bytes());
        hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_known_for_one_account_and_one_password() {
        let known = KnownBrowsers::new(&[3; 32], true);
        let set = known.set(7, "digest").expect("a random source");
        let sent = set
            .to_str()
            .expect("ASCII")
            .split(';')
            .next()
            .expect("a pair");
        let (_, cookie) = sent.split_once('=').expect("a name and a value");
        assert!(known.read(cookie, 7, "digest").is_some());
        assert!(known.read(cookie, 8, "digest").is_none());
        assert!(known.read(cookie, 7, "another").is_none());
        let other = KnownBrowsers::new(&[4; 32], true);
        assert!(other.read(cookie, 7, "digest").is_none());
        assert!(known.read("", 7, "digest").is_none());
    }
}
