//! Web push: a message sealed for one browser (RFC 8291), and who sends it (VAPID, RFC 8292).

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use quorate_kernel::{Moment, Span};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{self, ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::json;

/// How many bytes a public key on the curve P-256 has, uncompressed.
const POINT: usize = 65;

/// How many bytes the salt has, and the word that a browser shares with us.
const SALT: usize = 16;

/// How large a record may be; a message is one.
const RECORD: u32 = 4_096;

/// How many bytes of text fit into a message: a record less its head, the mark of its end and the seal.
pub const TEXT_MAX: usize = RECORD as usize - (SALT + 4 + 1 + POINT) - 1 - 16;

/// How long a signed word on who sends counts. The standard allows a day.
const COUNTS: Span = Span::hours(12);

/// Why a message was not sealed or signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PushError {
    /// The system has no random bytes.
    #[error("the system gives no random bytes")]
    NoChance,
    /// The browser's key is none.
    #[error("the browser's key is no point of the curve P-256")]
    BadPoint,
    /// The text is too long.
    #[error("the text has more than {TEXT_MAX} bytes")]
    TooLong,
    /// Our own key cannot be read.
    #[error("the server's key for pushes cannot be read")]
    BadKey,
}

/// With what a message is sealed for one browser: its public key, and a word that it shares with us.
#[derive(Clone, PartialEq, Eq)]
pub struct PushSeal {
    point: [u8; POINT],
    shared: [u8; SALT],
}

/// A text that is no such thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("that is no key of a browser for pushes")]
pub struct NoPushSeal;

impl PushSeal {
    /// What a browser says of its subscription, in base64 of its kind: `p256dh` and `auth`.
    ///
    /// # Errors
    /// Fails where they are not of their length, or the key is no uncompressed point.
    pub fn read(point: &str, shared: &str) -> Result<Self, NoPushSeal> {
        let bytes = |text: &str| BASE64.decode(text.trim_end_matches('='));
        let point = bytes(point).map_err(|_| NoPushSeal)?;
        let shared = bytes(shared).map_err(|_| NoPushSeal)?;
        let point: [u8; POINT] = point.try_into().map_err(|_| NoPushSeal)?;
        let shared = shared.try_into().map_err(|_| NoPushSeal)?;
        if point[0] != 4 {
            return Err(NoPushSeal);
        }
        Ok(Self { point, shared })
    }

    /// A text sealed for the browser, as the body of a request with `Content-Encoding: aes128gcm`.
    ///
    /// # Errors
    /// Fails where the text is too long, the browser's key is none, or the system has no random bytes.
    pub fn seal(&self, text: &[u8]) -> Result<Vec<u8>, PushError> {
        let chance = SystemRandom::new();
        let own = EphemeralPrivateKey::generate(&ECDH_P256, &chance);
        let own = own.map_err(|_| PushError::NoChance)?;
        let own_point = own.compute_public_key().map_err(|_| PushError::NoChance)?;
        let mut salt = [0; SALT];
        chance.fill(&mut salt).map_err(|_| PushError::NoChance)?;
        let theirs = UnparsedPublicKey::new(&ECDH_P256, &self.point);
        let sealed = agreement::agree_ephemeral(own, &theirs, |agreed| {
            self.sealed(text, agreed, own_point.as_ref(), salt)
        });
        sealed.map_err(|_| PushError::BadPoint)?
    }

    /// The same, of what both sides agreed on.
    fn sealed(
        &self,
        text: &[u8],
        agreed: &[u8],
        own_point: &[u8],
        salt: [u8; SALT],
    ) -> Result<Vec<u8>, PushError> {
        if text.len() > TEXT_MAX {
            return Err(PushError::TooLong);
        }
        let (key, nonce) = self.keys(agreed, own_point, salt)?;
        let mut sealed = text.to_vec();
        // This record is the last.
        sealed.push(2);
        key.seal_in_place_append_tag(nonce, Aad::empty(), &mut sealed)
            .map_err(|_| PushError::TooLong)?;
        let length = u8::try_from(own_point.len()).map_err(|_| PushError::BadPoint)?;
        let mut body = salt.to_vec();
        body.extend(RECORD.to_be_bytes());
        body.push(length);
        body.extend(own_point);
        body.extend(sealed);
        Ok(body)
    }

    fn keys(
        &self,
        agreed: &[u8],
        own_point: &[u8],
        salt: [u8; SALT],
    ) -> Result<(LessSafeKey, Nonce), PushError> {
        let info = [b"WebPush: info\0".as_slice(), &self.point, own_point];
        let secret: [u8; 32] = derived(&self.shared, agreed, &info)?;
        let key: [u8; 16] = derived(&salt, &secret, &[b"Content-Encoding: aes128gcm\0"])?;
        let nonce: [u8; 12] = derived(&salt, &secret, &[b"Content-Encoding: nonce\0"])?;
        let key = UnboundKey::new(&AES_128_GCM, &key).map_err(|_| PushError::BadKey)?;
        Ok((LessSafeKey::new(key), Nonce::assume_unique_for_key(nonce)))
    }
}

/// So many bytes.
struct KeyBytes(usize);

impl KeyType for KeyBytes {
    fn len(&self) -> usize {
        self.0
    }
}

/// HKDF with SHA-256.
fn derived<const N: usize>(
    salt: &[u8],
    secret: &[u8],
    info: &[&[u8]],
) -> Result<[u8; N], PushError> {
    let mut out = [0; N];
    let key = Salt::new(HKDF_SHA256, salt).extract(secret);
    let filled = key
        .expand(info, KeyBytes(N))
        .and_then(|okm| okm.fill(&mut out));
    filled.map(|()| out).map_err(|_| PushError::BadKey)
}

/// As it is kept with its channel: the key and the word, with a full stop between them.
impl fmt::Display for PushSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (point, shared) = (BASE64.encode(self.point), BASE64.encode(self.shared));
        write!(f, "{point}.{shared}")
    }
}

impl FromStr for PushSeal {
    type Err = NoPushSeal;

    fn from_str(text: &str) -> Result<Self, NoPushSeal> {
        let (point, shared) = text.split_once('.').ok_or(NoPushSeal)?;
        Self::read(point, shared)
    }
}

impl fmt::Debug for PushSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PushSeal(secret)")
    }
}

/// The key by which push services know this server, and by which browsers let it push.
pub struct PushKey(EcdsaKeyPair);

impl PushKey {
    /// A new key, as it is kept.
    ///
    /// # Errors
    /// Fails where the system has no random bytes.
    pub fn fresh() -> Result<Vec<u8>, PushError> {
        let made =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let made = made.map_err(|_| PushError::NoChance)?;
        Ok(made.as_ref().to_vec())
    }

    /// A key as it was kept.
    ///
    /// # Errors
    /// Fails where the bytes are no key.
    pub fn read(kept: &[u8]) -> Result<Self, PushError> {
        let read =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, kept, &SystemRandom::new());
        read.map(Self).map_err(|_| PushError::BadKey)
    }

    /// The public key, as browsers want it when they subscribe.
    pub fn public(&self) -> String {
        BASE64.encode(self.0.public_key())
    }

    /// The value of `Authorization` for a message to a push service. `origin` is that service's: scheme, host and port;
    /// `contact` is where whoever runs this server can be reached.
    ///
    /// # Errors
    /// Fails where the system has no random bytes.
    pub fn authorization(
        &self,
        origin: &str,
        contact: &str,
        now: Moment,
    ) -> Result<String, PushError> {
        let ends = (now + COUNTS).0.div_euclid(1_000);
        let head = json!({ "typ": "JWT", "alg": "ES256" }).to_string();
        let says = json!({ "aud": origin, "exp": ends, "sub": contact }).to_string();
        let open = format!("{}.{}", BASE64.encode(head), BASE64.encode(says));
        let signed = self.0.sign(&SystemRandom::new(), open.as_bytes());
        let signed = signed.map_err(|_| PushError::NoChance)?;
        let signed = BASE64.encode(signed);
        Ok(format!("vapid t={open}.{signed}, k={}", self.public()))
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey as Verifier};

    use super::*;
    use crate::testing::PushBrowser;

    fn bytes(text: &str) -> Vec<u8> {
        BASE64.decode(text).expect("base64")
    }

    /// The example of RFC 8291, with what its appendix A gives on the way.
    #[test]
    fn the_standards_own_example_is_met() {
        let seal = PushSeal::read(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "BTBZMqHH6r4Tts7J_aSIgg",
        );
        let seal = seal.expect("a seal");
        let text = bytes("V2hlbiBJIGdyb3cgdXAsIEkgd2FudCB0byBiZSBhIHdhdGVybWVsb24");
        let own = bytes(
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
        );
        let agreed = bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs");
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw");
        let salt = salt.try_into().expect("a salt");
        let body = seal.sealed(&text, &agreed, &own, salt).expect("sealed");
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w\
                        EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(BASE64.encode(body), expected);
        let info = [b"WebPush: info\0".as_slice(), &seal.point, &own];
        let secret: [u8; 32] = derived(&seal.shared, &agreed, &info).expect("a secret");
        assert_eq!(
            BASE64.encode(secret),
            "S4lYMb_L0FxCeq0WhDx813KgSYqU26kOyzWUdsXYyrg"
        );
    }

    #[test]
    fn only_the_browser_that_it_is_for_opens_a_message() {
        let (one, other) = (PushBrowser::new(), PushBrowser::new());
        let seal: PushSeal = one.seal().to_string().parse().expect("a seal");
        let text = vec![b'x'; TEXT_MAX];
        let body = seal.seal(&text).expect("sealed");
        assert_eq!(body.len(), RECORD as usize, "one whole record");
        assert_ne!(
            body,
            seal.seal(&text).expect("sealed"),
            "each has keys of its own"
        );
        assert_eq!(one.open(&body), Some(text));
        assert_eq!(other.open(&body), None);
        let long = vec![b'x'; TEXT_MAX + 1];
        assert_eq!(seal.seal(&long), Err(PushError::TooLong));
    }

    #[test]
    fn what_is_no_key_of_a_browser_is_none() {
        let good = PushBrowser::new().seal().to_string();
        let (point, shared) = good.split_once('.').expect("two parts");
        for (point, shared) in [
            ("", ""),
            (point, ""),
            ("", shared),
            (point, "c2hvcnQ"),
            (&point[..80], shared),
            ("no base64!", shared),
        ] {
            assert!(PushSeal::read(point, shared).is_err(), "{point} {shared}");
        }
        assert!(PushSeal::read(point, &format!("{shared}==")).is_ok());
        // Of the right form, and on no curve.
        let nowhere = BASE64.encode([4; POINT]);
        let nowhere = PushSeal::read(&nowhere, shared).expect("its form");
        assert_eq!(nowhere.seal(b"x"), Err(PushError::BadPoint));
    }

    #[test]
    fn a_push_says_who_sends_it_as_the_standard_has_it() {
        let kept = PushKey::fresh().expect("a key");
        let key = PushKey::read(&kept).expect("a key");
        assert!(PushKey::read(&kept[1..]).is_err());
        let now = Moment(1_453_341_600_000);
        let said = key.authorization("https://push.example.net", "mailto:jo@example.org", now);
        let said = said.expect("signed");
        let (token, public) = said
            .strip_prefix("vapid t=")
            .and_then(|said| said.split_once(", k="))
            .expect("both parts");
        assert_eq!(public, key.public());
        let (open, signature) = token.rsplit_once('.').expect("three parts");
        let verifier = Verifier::new(&ECDSA_P256_SHA256_FIXED, bytes(public));
        verifier
            .verify(open.as_bytes(), &bytes(signature))
            .expect("its own signature");
        let parts: Vec<serde_json::Value> = open
            .split('.')
            .map(|part| serde_json::from_slice(&bytes(part)).expect("JSON"))
            .collect();
        assert_eq!(parts[0], json!({ "typ": "JWT", "alg": "ES256" }));
        let says = json!({
            "aud": "https://push.example.net", "exp": 1_453_384_800, "sub": "mailto:jo@example.org",
        });
        assert_eq!(parts[1], says);
    }
}
