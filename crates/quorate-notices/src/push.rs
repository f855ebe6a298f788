//! Messages to browsers that are not open: encrypted for one of them (RFC 8291), and signed for its push service (RFC 8292).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdh::diffie_hellman;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::{PublicKey, SecretKey};
use quorate_kernel::{Moment, Span};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::hmac;
use serde_json::json;

use crate::dispatch::{Dispatch, cut};
use crate::signature::seconds;

/// How long a push service may keep a message for a browser that is not there.
pub const KEPT_FOR: Span = Span::days(2);

/// How long a proof of who sends counts. Services take no more than a day.
const PROOF_FOR: Span = Span::hours(12);

/// The one record that a message consists of, in bytes; services take 4,096 at most.
const RECORD: u32 = 4_096;

/// The longest text, so that a message fits its record with what encryption adds.
const TEXT_BYTES_MAX: usize = 3_800;

/// A browser that wants messages, as it describes itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PushKeys {
    /// Its public key.
    public: PublicKey,
    /// Its secret beside it.
    auth: [u8; 16],
}

/// Why a message could not be encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the browser's keys do not read, or the message is too long")]
pub struct NoPush;

impl PushKeys {
    /// The keys as a browser gives them, `p256dh` and `auth`, each in base64 for addresses.
    ///
    /// # Errors
    /// Fails where they are none.
    pub fn read(p256dh: &str, auth: &str) -> Result<Self, NoPush> {
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('='));
        let public = bytes(p256dh).map_err(|_| NoPush)?;
        let auth = bytes(auth).map_err(|_| NoPush)?;
        Ok(Self {
            public: PublicKey::from_sec1_bytes(&public).map_err(|_| NoPush)?,
            auth: auth.try_into().map_err(|_| NoPush)?,
        })
    }

    /// A text encrypted for the browser, under a key and a salt that serve this once.
    ///
    /// # Errors
    /// Fails where the key is none or the text does not fit.
    pub fn encrypt(&self, text: &[u8], key: &[u8; 32], salt: &[u8; 16]) -> Result<Vec<u8>, NoPush> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(NoPush);
        }
        let own = SecretKey::from_slice(key).map_err(|_| NoPush)?;
        let own_public = own.public_key().to_sec1_bytes();
        let their_public = self.public.to_sec1_bytes();
        let shared = diffie_hellman(own.to_nonzero_scalar(), self.public.as_affine());
        let info = [b"WebPush: info\0".as_slice(), &their_public, &own_public].concat();
        let secret = derive(&self.auth, shared.raw_secret_bytes(), &info);
        let content_key = derive(salt, &secret, b"Content-Encoding: aes128gcm\0");
        let nonce = derive(salt, &secret, b"Content-Encoding: nonce\0");

        let sealing = UnboundKey::new(&AES_128_GCM, &content_key[..16]).map_err(|_| NoPush)?;
        let nonce = Nonce::try_assume_unique_for_key(&nonce[..12]).map_err(|_| NoPush)?;
        // What ends the last record.
        let mut sealed = [text, &[2]].concat();
        let sealing = LessSafeKey::new(sealing);
        let done = sealing.seal_in_place_append_tag(nonce, Aad::empty(), &mut sealed);
        done.map_err(|_| NoPush)?;

        let length = u8::try_from(own_public.len()).map_err(|_| NoPush)?;
        let record = RECORD.to_be_bytes();
        Ok([salt.as_slice(), &record, &[length], &own_public, &sealed].concat())
    }
}

/// HKDF with SHA-256, 32 bytes of it.
fn derive(salt: &[u8], input: &[u8], info: &[u8]) -> Vec<u8> {
    let extracted = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, salt), input);
    let key = hmac::Key::new(hmac::HMAC_SHA256, extracted.as_ref());
    let expanded = hmac::sign(&key, &[info, &[1]].concat());
    expanded.as_ref().to_vec()
}

/// By what a push service knows who sends.
pub struct PushSigner(SigningKey);

impl PushSigner {
    /// The signer of a secret of 32 bytes. All but a few in 2^32 will do; of those that will not another follows.
    pub fn new(secret: &[u8; 32]) -> Option<Self> {
        SigningKey::from_slice(secret).ok().map(Self)
    }

    /// The public key, as browsers want to have it.
    pub fn public(&self) -> String {
        let key = PublicKey::from(self.0.verifying_key());
        URL_SAFE_NO_PAD.encode(key.to_sec1_bytes())
    }

    /// The value of `Authorization` for a service, which is named by how its addresses begin. `contact` is whom it may write
    /// to: `mailto:` or an address of the web.
    pub fn authorization(&self, service: &str, contact: &str, now: Moment) -> String {
        let head = json!({ "typ": "JWT", "alg": "ES256" }).to_string();
        let claims = json!({ "aud": service, "exp": seconds(now + PROOF_FOR), "sub": contact });
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let claims = claims.to_string();
        let signed = format!("{}.{}", encode(head.as_bytes()), encode(claims.as_bytes()));
        let signature: Signature = self.0.sign(signed.as_bytes());
        let signature = encode(&signature.to_bytes());
        format!("vapid t={signed}.{signature}, k={}", self.public())
    }
}

impl std::fmt::Debug for PushSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PushSigner(secret)")
    }
}

/// What the page's worker in the browser is told: a title, a text, where it leads, and by what a later one replaces it.
pub fn text(dispatch: &Dispatch) -> String {
    let (body, link, tag) = match dispatch.notices.as_slice() {
        [one] => {
            let body = if one.body.is_empty() { &one.reason } else { &one.body };
            (body.clone(), one.link.clone(), one.thread.clone())
        }
        all => {
            let headings: Vec<&str> = all.iter().map(|it| it.heading.as_str()).collect();
            (headings.join("\n"), dispatch.choices.clone(), dispatch.key.clone())
        }
    };
    let title = cut(&dispatch.subject(), 120);
    json!({ "title": title, "body": cut(&body, 600), "link": cut(&link, 500), "tag": tag }).to_string()
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::VerifyingKey;
    use p256::ecdsa::signature::Verifier as _;

    use super::*;

    fn bytes<const N: usize>(text: &str) -> [u8; N] {
        let bytes = URL_SAFE_NO_PAD.decode(text).expect("base64");
        bytes.try_into().expect("as many bytes")
    }

    // RFC 8291, section 5.
    #[test]
    fn the_example_of_the_standard_is_met() {
        let keys = PushKeys::read(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "BTBZMqHH6r4Tts7J_aSIgg",
        );
        let sealed = keys.expect("keys").encrypt(
            b"When I grow up, I want to be a watermelon",
            &bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
            &bytes("DGv6ra1nlYgDCS1FRnbzlw"),
        );
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_\
                        yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(sealed.expect("a message")), expected);
    }

    #[test]
    fn a_service_can_check_who_sends() {
        let signer = PushSigner::new(&[7; 32]).expect("a key");
        let now = Moment(1_900_000_000_000);
        let value = signer.authorization("https://push.example", "mailto:a@b.example", now);
        let (token, key) = value
            .strip_prefix("vapid t=")
            .and_then(|rest| rest.split_once(", k="))
            .expect("a token and a key");
        let (signed, signature) = token.rsplit_once('.').expect("three parts");
        let key = URL_SAFE_NO_PAD.decode(key).expect("base64");
        let key = VerifyingKey::from_sec1_bytes(&key).expect("a key");
        let signature = Signature::from_slice(&bytes::<64>(signature)).expect("a signature");
        key.verify(signed.as_bytes(), &signature).expect("it holds");
        let claims = signed.split('.').nth(1).expect("claims");
        let claims = URL_SAFE_NO_PAD.decode(claims).expect("base64");
        let claims: serde_json::Value = serde_json::from_slice(&claims).expect("JSON");
        assert_eq!(claims["aud"], "https://push.example");
        assert_eq!(claims["exp"], 1_900_043_200);
    }

    #[test]
    fn what_is_no_key_or_too_long_is_refused() {
        assert!(PushKeys::read("", "BTBZMqHH6r4Tts7J_aSIgg").is_err());
        assert!(PushKeys::read("BCVxsr7N", "x").is_err());
        let dispatch = crate::dialect::chat::tests::dispatch();
        assert!(text(&dispatch).len() < TEXT_BYTES_MAX);
        assert!(text(&dispatch).contains("https://reef.example/g/reef/post/12"));
    }
}
