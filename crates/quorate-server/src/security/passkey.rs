//! Passkeys, as the W3C's Web Authentication (level 3) has them: what a browser says of a key is held against what this server
//! asked, and the signature against the key.
//!
//! Nobody is asked to prove of which make their authenticator is: whoever adds a key has proved who they are before, so it is
//! theirs to choose. That leaves three things to check, of which `ring` does the one with mathematics in it.

use axum::http::Uri;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey,
    VerificationAlgorithm,
};
use serde::Deserialize;

use super::cose::{CoseKey, trimmed};

/// The longest name of a passkey, in bytes.
const ID_BYTES_MAX: usize = 1_023;

/// Somebody was there.
const PRESENT: u8 = 0x01;
/// The authenticator knows that it was its owner: by a finger, a face, a code.
const VERIFIED: u8 = 0x04;
/// A new key follows.
const WITH_KEY: u8 = 0x40;

/// How a browser calls it when it makes a key.
const MADE: &str = "webauthn.create";
/// And when it uses one.
const USED: &str = "webauthn.get";

/// Kinds of keys: how RFC 5480, 8410 and 3279 name them in DER, and how their signatures are checked.
static KINDS: [(&[u8], &dyn VerificationAlgorithm); 3] = [
    (
        b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07",
        &ECDSA_P256_SHA256_ASN1,
    ),
    (b"\x06\x03\x2b\x65\x70", &ED25519),
    (
        b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00",
        &RSA_PKCS1_2048_8192_SHA256,
    ),
];

/// Why a passkey does not count. For the log: strangers learn no more than that it doesn't.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PasskeyError {
    /// Something is not written as the standard says.
    #[error("it does not read")]
    Unreadable,
    /// It was asked for by another site, or for something else.
    #[error("it was made for another site, or for something else")]
    Elsewhere,
    /// Its owner did not show that it is them.
    #[error("the authenticator did not check who its owner is")]
    Unverified,
    /// A kind of key that is not known here.
    #[error("the kind of its key is not known here")]
    UnknownKind,
    /// The browser gives another key than the authenticator made.
    #[error("the key is not the one that the authenticator made")]
    OtherKey,
    /// The signature is not the key's.
    #[error("the signature is not the key's")]
    Forged,
}

/// What a browser says of a passkey.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PasskeyAnswer {
    /// What the browser knows the key by.
    pub id: Vec<u8>,
    /// What the browser was asked and by which site: `clientDataJSON`.
    pub client: Vec<u8>,
    /// What the authenticator says: `authenticatorData`.
    pub data: Vec<u8>,
}

/// What was found right about an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PasskeyFound {
    /// The word that the browser was asked with.
    pub challenge: String,
    /// How often the key signed, as it says itself.
    pub sign_count: u32,
}

#[derive(Deserialize)]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(rename = "crossOrigin", default)]
    is_cross_origin: bool,
}

/// This site, as browsers know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PasskeySite {
    origin: String,
    host: String,
}

impl PasskeySite {
    /// The site at an address, as its operator says it; none where that is no address.
    pub fn at(address: &str) -> Option<Self> {
        let address: Uri = address.parse().ok()?;
        let (scheme, authority) = (address.scheme_str()?, address.authority()?);
        Some(Self {
            origin: format!("{scheme}://{authority}"),
            host: authority.host().to_owned(),
        })
    }

    /// Checks a new key; its public half is `key`.
    ///
    /// # Errors
    /// Fails where the answer is none to this site, names another key, or no signature of the key could be checked.
    pub fn made(&self, answer: &PasskeyAnswer, key: &[u8]) -> Result<PasskeyFound, PasskeyError> {
        let (found, flags, rest) = self.found(answer, MADE)?;
        if flags & WITH_KEY == 0 {
            return Err(PasskeyError::Unreadable);
        }
        // Sixteen bytes say of which make the authenticator is, which is nobody's business.
        let (_, rest) = split(rest, 16)?;
        let (length, rest) = split(rest, 2)?;
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        let (id, own) = split(rest, length)?;
        if id != answer.id || !(1..=ID_BYTES_MAX).contains(&length) {
            return Err(PasskeyError::Unreadable);
        }
        let own = CoseKey::read(own).ok_or(PasskeyError::UnknownKind)?;
        if read(key)? != own {
            return Err(PasskeyError::OtherKey);
        }
        Ok(found)
    }

    /// Checks the use of a key.
    ///
    /// # Errors
    /// Fails where the answer is none to this site, or is not signed by the key.
    pub fn used(
        &self,
        answer: &PasskeyAnswer,
        signature: &[u8],
        key: &[u8],
    ) -> Result<PasskeyFound, PasskeyError> {
        let (found, _, _) = self.found(answer, USED)?;
        let digest = digest(&SHA256, &answer.client);
        let signed = [answer.data.as_slice(), digest.as_ref()].concat();
        let checked = reader(key)?.verify(&signed, signature);
        checked.map_err(|_| PasskeyError::Forged)?;
        Ok(found)
    }

    /// What both have in common; with the flags, and what follows them.
    fn found<'a>(
        &self,
        answer: &'a PasskeyAnswer,
        kind: &str,
    ) -> Result<(PasskeyFound, u8, &'a [u8]), PasskeyError> {
        let client: ClientData =
            serde_json::from_slice(&answer.client).map_err(|_| PasskeyError::Unreadable)?;
        let (host, rest) = split(&answer.data, 32)?;
        let (flags, rest) = split(rest, 1)?;
        let (count, rest) = split(rest, 4)?;
        let is_ours = client.kind == kind
            && client.origin == self.origin
            && !client.is_cross_origin
            && host == digest(&SHA256, self.host.as_bytes()).as_ref();
        if !is_ours {
            return Err(PasskeyError::Elsewhere);
        }
        if flags[0] & PRESENT == 0 || flags[0] & VERIFIED == 0 {
            return Err(PasskeyError::Unverified);
        }
        let challenge = URL_SAFE_NO_PAD.decode(client.challenge).ok();
        let challenge = challenge.and_then(|challenge| String::from_utf8(challenge).ok());
        let found = PasskeyFound {
            challenge: challenge.ok_or(PasskeyError::Unreadable)?,
            sign_count: u32::from_be_bytes([count[0], count[1], count[2], count[3]]),
        };
        Ok((found, flags[0], rest))
    }
}

fn split(bytes: &[u8], at: usize) -> Result<(&[u8], &[u8]), PasskeyError> {
    bytes.split_at_checked(at).ok_or(PasskeyError::Unreadable)
}

/// The kind of a public key in DER, by its place among those that are known, and its bits.
fn parts(key: &[u8]) -> Result<(usize, &[u8]), PasskeyError> {
    let (whole, _) = inside(key, 0x30)?;
    let (kind, rest) = inside(whole, 0x30)?;
    let (bits, _) = inside(rest, 0x03)?;
    // The first byte of a string of bits says how many of the last one's are left over: none.
    let (_, bits) = split(bits, 1)?;
    let known = KINDS.iter().position(|(name, _)| *name == kind);
    Ok((known.ok_or(PasskeyError::UnknownKind)?, bits))
}

/// What checks the signatures of a public key in DER.
fn reader(key: &[u8]) -> Result<UnparsedPublicKey<Vec<u8>>, PasskeyError> {
    let (kind, bits) = parts(key)?;
    Ok(UnparsedPublicKey::new(KINDS[kind].1, bits.to_vec()))
}

/// A public key in DER, to be held against the one that an authenticator wrote.
fn read(key: &[u8]) -> Result<CoseKey, PasskeyError> {
    match parts(key)? {
        (0, point) => Ok(CoseKey::P256(point.to_vec())),
        (1, point) => Ok(CoseKey::Ed25519(point.to_vec())),
        (_, numbers) => {
            let (numbers, _) = inside(numbers, 0x30)?;
            let (modulus, rest) = inside(numbers, 0x02)?;
            let (exponent, _) = inside(rest, 0x02)?;
            Ok(CoseKey::Rsa(trimmed(modulus), trimmed(exponent)))
        }
    }
}

/// What stands in a piece of DER of that tag, and what follows it.
fn inside(bytes: &[u8], tag: u8) -> Result<(&[u8], &[u8]), PasskeyError> {
    let (head, rest) = split(bytes, 2)?;
    if head[0] != tag {
        return Err(PasskeyError::Unreadable);
    }
    let (length, rest) = match head[1] {
        short @ 0..=0x7f => (usize::from(short), rest),
        0x81 => {
            let (length, rest) = split(rest, 1)?;
            (usize::from(length[0]), rest)
        }
        0x82 => {
            let (length, rest) = split(rest, 2)?;
            (
                usize::from(u16::from_be_bytes([length[0], length[1]])),
                rest,
            )
        }
        _ => return Err(PasskeyError::Unreadable),
    };
    split(rest, length)
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
    use serde_json::json;

    use super::*;

    const ADDRESS: &str = "https://games.example.org";

    fn site() -> PasskeySite {
        PasskeySite::at(ADDRESS).expect("an address")
    }

    fn client(kind: &str, origin: &str) -> Vec<u8> {
        let challenge = URL_SAFE_NO_PAD.encode("a word");
        json!({ "type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false })
            .to_string()
            .into_bytes()
    }

    fn data(host: &str, flags: u8, count: u32, rest: &[u8]) -> Vec<u8> {
        let host = digest(&SHA256, host.as_bytes());
        [host.as_ref(), &[flags], &count.to_be_bytes(), rest].concat()
    }

    fn answer(client: Vec<u8>, data: Vec<u8>) -> PasskeyAnswer {
        PasskeyAnswer {
            id: b"a key".to_vec(),
            client,
            data,
        }
    }

    /// A public key in DER, as browsers give it.
    fn der(kind: usize, bits: &[u8]) -> Vec<u8> {
        let piece = |tag: u8, inside: &[u8]| {
            let length = u16::try_from(inside.len()).expect("short");
            [[tag, 0x82].as_slice(), &length.to_be_bytes(), inside].concat()
        };
        let kind = piece(0x30, KINDS[kind].0);
        let bits = piece(0x03, &[[0].as_slice(), bits].concat());
        piece(0x30, &[kind, bits].concat())
    }

    fn ed25519() -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a key")
    }

    fn signed(data: &[u8], client: &[u8]) -> Vec<u8> {
        [data, digest(&SHA256, client).as_ref()].concat()
    }

    /// A public key as an authenticator writes it.
    fn cose(point: &[u8]) -> Vec<u8> {
        [
            b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20".as_slice(),
            point,
        ]
        .concat()
    }

    #[test]
    fn a_new_key_is_the_one_that_the_authenticator_made() {
        let own = ed25519();
        let other = Ed25519KeyPair::from_seed_unchecked(&[8; 32]).expect("a key");
        let made_with = |key: &[u8]| {
            let rest = [[0; 16].as_slice(), &[0, 5], b"a key", key].concat();
            let data = data("games.example.org", PRESENT | VERIFIED | WITH_KEY, 0, &rest);
            answer(client(MADE, ADDRESS), data)
        };
        let good = made_with(&cose(own.public_key().as_ref()));
        let key_of = |pair: &Ed25519KeyPair| der(1, pair.public_key().as_ref());
        assert!(site().made(&good, &key_of(&own)).is_ok());
        let taken = site().made(&good, &key_of(&other));
        assert_eq!(taken, Err(PasskeyError::OtherKey));
        let kind = site().made(&good, &der(0, own.public_key().as_ref()));
        assert_eq!(kind, Err(PasskeyError::OtherKey), "of another kind");
        let none = site().made(&made_with(b""), &key_of(&own));
        assert_eq!(none, Err(PasskeyError::UnknownKind), "none was made");
        // Numbers of RSA have a zero before them in DER alone.
        let rsa = b"\x30\x09\x02\x02\x00\x90\x02\x03\x01\x00\x01";
        let rsa_cose = b"\xa4\x01\x03\x03\x39\x01\x00\x20\x41\x90\x21\x43\x01\x00\x01";
        let found = site().made(&made_with(rsa_cose), &der(2, rsa));
        assert!(found.is_ok(), "{found:?}");
    }

    #[test]
    fn a_new_key_is_taken_for_this_site_alone() {
        let own = cose(ed25519().public_key().as_ref());
        let rest = [[0; 16].as_slice(), &[0, 5], b"a key", &own, b"and more"].concat();
        let made = data("games.example.org", PRESENT | VERIFIED | WITH_KEY, 0, &rest);
        let key = der(1, ed25519().public_key().as_ref());
        let good = answer(client(MADE, ADDRESS), made.clone());
        let found = site().made(&good, &key).expect("it is right");
        assert_eq!((found.challenge.as_str(), found.sign_count), ("a word", 0));
        let other = |kind, origin| answer(client(kind, origin), made.clone());
        let elsewhere = Err(PasskeyError::Elsewhere);
        for bad in [
            other(USED, ADDRESS),
            other(MADE, "https://games.example.org.evil.example"),
            other(MADE, "http://games.example.org"),
            answer(
                client(MADE, ADDRESS),
                data("evil.example", PRESENT | VERIFIED | WITH_KEY, 0, &rest),
            ),
        ] {
            assert_eq!(site().made(&bad, &key), elsewhere, "{bad:?}");
        }
        let named = PasskeyAnswer {
            id: b"b key".to_vec(),
            ..good.clone()
        };
        assert_eq!(site().made(&named, &key), Err(PasskeyError::Unreadable));
        let unknown = b"\x30\x08\x30\x03\x06\x01\x00\x03\x01\x00";
        let unknown = site().made(&good, unknown);
        assert_eq!(unknown, Err(PasskeyError::UnknownKind));
        for cut in 0..made.len() - b"and more".len() {
            let bad = answer(client(MADE, ADDRESS), made[..cut].to_vec());
            assert!(site().made(&bad, &key).is_err(), "{cut} bytes");
        }
    }

    #[test]
    fn a_key_counts_where_it_signed_and_its_owner_was_checked() {
        let pair = ed25519();
        let key = der(1, pair.public_key().as_ref());
        let client = client(USED, ADDRESS);
        for (flags, wanted) in [
            (PRESENT | VERIFIED, Ok(7)),
            (PRESENT, Err(PasskeyError::Unverified)),
            (VERIFIED, Err(PasskeyError::Unverified)),
        ] {
            let data = data("games.example.org", flags, 7, b"");
            let signature = pair.sign(&signed(&data, &client));
            let used = site().used(&answer(client.clone(), data), signature.as_ref(), &key);
            assert_eq!(used.map(|found| found.sign_count), wanted);
        }
        let data = data("games.example.org", PRESENT | VERIFIED, 7, b"");
        let signature = pair.sign(&signed(&data, b"something else"));
        let forged = site().used(&answer(client, data), signature.as_ref(), &key);
        assert_eq!(forged, Err(PasskeyError::Forged));
    }

    #[test]
    fn keys_on_the_curve_of_browsers_are_read() {
        let chance = SystemRandom::new();
        let way = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let pair = EcdsaKeyPair::generate_pkcs8(way, &chance).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(way, pair.as_ref(), &chance).expect("a key");
        let key = der(0, pair.public_key().as_ref());
        let client = client(USED, ADDRESS);
        let data = data("games.example.org", PRESENT | VERIFIED, 0, b"");
        let signature = pair
            .sign(&chance, &signed(&data, &client))
            .expect("it signs");
        let answer = answer(client, data);
        assert!(site().used(&answer, signature.as_ref(), &key).is_ok());
        let mut other = key.clone();
        *other.last_mut().expect("a byte") ^= 1;
        let forged = site().used(&answer, signature.as_ref(), &other);
        assert_eq!(forged, Err(PasskeyError::Forged));
    }
}
