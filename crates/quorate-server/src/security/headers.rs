//! Headers that tell browsers what a page of ours never does.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// Nothing from elsewhere, nothing inline, in nobody's frame. Styles and scripts come from the binary's own files.
pub const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
                          manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const ALWAYS: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    ),
];

/// Whether readers come by https.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transport {
    /// A TLS proxy stands before the server, or the server speaks TLS itself.
    pub is_secure: bool,
}

/// Adds the headers to every answer. A layer: `axum::middleware::from_fn_with_state(transport, add)`.
pub async fn add(State(transport): State<Transport>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers
            .entry(HeaderName::from_static(name))
            .or_insert(HeaderValue::from_static(value));
    }
    if transport.is_secure {
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000; includeSubDomains"),
        );
        secure_cookies(headers);
    }
    response
}

/// No cookie of a site that is read by https goes out without it, whoever set it.
fn secure_cookies(headers: &mut HeaderMap) {
    let set: Vec<HeaderValue> = headers
        .get_all(header::SET_COOKIE)
        .iter()
        .cloned()
        .collect();
    headers.remove(header::SET_COOKIE);
    for cookie in set {
        let text = cookie
            .to_str()
            .ok()
            .filter(|text| !text.contains("; Secure"));
        let secure = text.and_then(|text| HeaderValue::try_from(format!("{text}; Secure")).ok());
        headers.append(header::SET_COOKIE, secure.unwrap_or(cookie));
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use crate::security::headers::{POLICY, secure_cookies};

    #[test]
    fn every_cookie_is_secure_once() {
        let mut headers = HeaderMap::new();
        for cookie in ["theme=dark; Path=/", "known=1; Path=/; Secure"] {
            headers.append(header::SET_COOKIE, HeaderValue::from_static(cookie));
        }
        secure_cookies(&mut headers);
        let set: Vec<_> = headers.get_all(header::SET_COOKIE).iter().collect();
        assert_eq!(
            set,
            ["theme=dark; Path=/; Secure", "known=1; Path=/; Secure"]
        );
    }

    #[test]
    fn the_policy_lets_nothing_inline_and_nothing_from_elsewhere() {
        assert!(POLICY.starts_with("default-src 'none'"));
        for word in [
            "unsafe-inline",
            "unsafe-eval",
            "http:",
            "https:",
            "data:",
            "*",
        ] {
            assert!(!POLICY.contains(word), "{word}");
        }
    }
}
