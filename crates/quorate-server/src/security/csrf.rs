//! Proof that a form came from a page of ours: a token under the server's secret, bound to the session, and the browser's own
//! word on where the request began.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::security::chance;
use crate::security::chance::NoChance;
use crate::security::session::SessionToken;

const MASK_BYTES: usize = 16;

/// Issues and checks the tokens of forms.
#[derive(Clone)]
pub struct Csrf {
    key: [u8; 32],
}

/// Why a form was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the form's token is missing or belongs to another session: load the page again and send it once more"
)]
pub struct BadToken;

impl Csrf {
    /// Tokens under this secret of the server.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self {
            key: blake3::derive_key("quorate 2026 csrf", secret),
        }
    }

    /// The token for the forms of one page. It is masked anew each time: a page is compressed together with what readers
    /// put into its address, and an unmasked token could be guessed from the compressed size.
    pub fn issue(&self, session: &SessionToken) -> Result<String, NoChance> {
        Ok(masked(&chance::bytes()?, &self.mac(session)))
    }

    /// Checks a form's token against the session that sent it.
    pub fn check(&self, session: &SessionToken, token: &str) -> Result<(), BadToken> {
        let bytes = blake3::Hash::from_hex(token).map_err(|_| BadToken)?;
        let (mask, hidden) = bytes.as_bytes().split_at(MASK_BYTES);
        let mac: Vec<u8> = hidden.iter().zip(mask).map(|(h, m)| h ^ m).collect();
        if crate::security::same_secret(&mac, &self.mac(session)) {
            Ok(())
        } else {
            Err(BadToken)
        }
    }

    fn mac(&self, session: &SessionToken) -> [u8; MASK_BYTES] {
        let full = blake3::keyed_hash(&self.key, &session.digest().0);
        let mut mac = [0; MASK_BYTES];
        mac.copy_from_slice(&full.as_bytes()[..MASK_BYTES]);
        mac
    }
}

fn masked(mask: &[u8; MASK_BYTES], mac: &[u8; MASK_BYTES]) -> String {
    let mut bytes = [0; 32];
    bytes[..MASK_BYTES].copy_from_slice(mask);
    for (slot, (m, a)) in bytes[MASK_BYTES..].iter_mut().zip(mask.iter().zip(mac)) {
        *slot = m ^ a;
    }
    blake3::Hash::from_bytes(bytes).to_hex().to_string()
}

/// Whether a request that changes something was, by the browser's own word, begun on another site. Programs that are no
/// browsers send neither header and bring a bearer token or fail at the form's token.
pub fn is_from_elsewhere(method: &Method, headers: &HeaderMap) -> bool {
    if method.is_safe() {
        return false;
    }
    if let Some(site) = headers.get("sec-fetch-site") {
        return !matches!(site.as_bytes(), b"same-origin" | b"none");
    }
    let (Some(origin), Some(host)) = (headers.get(header::ORIGIN), headers.get(header::HOST))
    else {
        return false;
    };
    let (Ok(origin), Ok(host)) = (origin.to_str(), host.to_str()) else {
        return true;
    };
    origin.split_once("://").map(|(_, rest)| rest) != Some(host)
}

/// Turns away requests that another site began. A layer: `axum::middleware::from_fn(same_site_only)`.
pub async fn same_site_only(request: Request, next: Next) -> Response {
    if is_from_elsewhere(request.method(), request.headers()) {
        return (
            StatusCode::FORBIDDEN,
            "This form was sent from another site and was not taken.",
        )
            .into_response();
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> SessionToken {
        SessionToken::fresh().expect("a random source")
    }

    #[test]
    fn a_token_serves_its_own_session_only() {
        let csrf = Csrf::new(&[7; 32]);
        let (anna, bo) = (session(), session());
        let token = csrf.issue(&anna).expect("a random source");
        assert_eq!(csrf.check(&anna, &token), Ok(()));
        assert_eq!(csrf.check(&bo, &token), Err(BadToken));
        assert_eq!(Csrf::new(&[8; 32]).check(&anna, &token), Err(BadToken));
    }

    #[test]
    fn no_two_pages_carry_the_same_token() {
        let csrf = Csrf::new(&[7; 32]);
        let anna = session();
        assert_ne!(csrf.issue(&anna), csrf.issue(&anna));
    }

    #[test]
    fn a_mangled_token_is_refused() {
        let csrf = Csrf::new(&[7; 32]);
        for token in ["", "0", "zz", &"0".repeat(64), &"a".repeat(1000)] {
            assert_eq!(csrf.check(&session(), token), Err(BadToken), "{token}");
        }
    }

    #[test]
    fn the_browsers_word_on_the_origin_counts() {
        let from = |pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, value.parse().expect("a header"));
            }
            is_from_elsewhere(&Method::POST, &headers)
        };
        assert!(from(&[("sec-fetch-site", "cross-site")]));
        assert!(from(&[("sec-fetch-site", "same-site")]));
        assert!(!from(&[("sec-fetch-site", "same-origin")]));
        assert!(from(&[
            ("origin", "https://elsewhere.example"),
            ("host", "quorate.example")
        ]));
        assert!(from(&[("origin", "null"), ("host", "quorate.example")]));
        assert!(!from(&[
            ("origin", "https://quorate.example"),
            ("host", "quorate.example")
        ]));
        assert!(!is_from_elsewhere(&Method::GET, &HeaderMap::new()));
    }
}
