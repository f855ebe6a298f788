//! Signatures of webhooks, after Standard Webhooks: HMAC-SHA256 over id, time and body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use quorate_kernel::Moment;
use ring::hmac;

/// How a secret begins where it is shown.
const PREFIX: &str = "whsec_";

/// The secret of a webhook.
#[derive(Clone)]
pub struct WebhookSecret(Vec<u8>);

impl WebhookSecret {
    /// A secret of these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// The secret as it is written, with or without its beginning; none where it is no base64 of at least one byte.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.strip_prefix(PREFIX).unwrap_or(text);
        let bytes = STANDARD.decode(text).ok()?;
        (!bytes.is_empty()).then_some(Self(bytes))
    }

    /// As it is shown to its owner.
    pub fn written(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    /// The value of `webhook-signature` for a message of that id and second.
    pub fn sign(&self, id: &str, at: Moment, body: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let mut signing = hmac::Context::with_key(&key);
        signing.update(format!("{id}.{}.", seconds(at)).as_bytes());
        signing.update(body);
        format!("v1,{}", STANDARD.encode(signing.sign()))
    }
}

impl std::fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WebhookSecret(secret)")
    }
}

/// A moment as `webhook-timestamp` has it: whole seconds since 1970.
pub fn seconds(at: Moment) -> i64 {
    at.0.div_euclid(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The vector that the standard's own libraries are tested with.
    #[test]
    fn the_standards_own_vector_is_met() {
        let secret =
            WebhookSecret::read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a secret");
        let at = Moment(1_614_265_330_000);
        let signature = secret.sign(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            at,
            b"{\"test\": 2432232314}",
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_reads_back() {
        let secret = WebhookSecret::new(&[7; 24]);
        let written = secret.written();
        let again = WebhookSecret::read(&written).expect("a secret");
        assert_eq!(
            again.sign("a", Moment(0), b"b"),
            secret.sign("a", Moment(0), b"b")
        );
        assert!(WebhookSecret::read("whsec_").is_none());
        assert!(WebhookSecret::read("no base64!").is_none());
    }
}
