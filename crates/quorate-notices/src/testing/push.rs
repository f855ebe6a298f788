//! A browser's side of web push.

use std::cell::RefCell;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hmac;
use ring::rand::SystemRandom;

use crate::push::PushSeal;

/// A browser that subscribed. Its key opens one message.
pub struct PushBrowser {
    own: RefCell<Option<EphemeralPrivateKey>>,
    point: Vec<u8>,
}

/// The word that it shares with the server.
const SHARED: [u8; 16] = [9; 16];

impl PushBrowser {
    /// A new one.
    pub fn new() -> Self {
        let own = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
        let point = own.compute_public_key().unwrap().as_ref().to_vec();
        Self {
            own: RefCell::new(Some(own)),
            point,
        }
    }

    /// Its `p256dh` and its `auth`.
    pub fn keys(&self) -> (String, String) {
        (BASE64.encode(&self.point), BASE64.encode(SHARED))
    }

    /// With what messages are sealed for it.
    pub fn seal(&self) -> PushSeal {
        let (point, shared) = self.keys();
        PushSeal::read(&point, &shared).unwrap()
    }

    /// Opens a message as RFC 8188 and RFC 8291 have it; none where it is for another. It works out every key by plain HMAC,
    /// so that it does not share a mistake with who sealed it.
    pub fn open(&self, body: &[u8]) -> Option<Vec<u8>> {
        let (salt, rest) = body.split_at_checked(16)?;
        let (record, rest) = rest.split_at_checked(4)?;
        let size = u32::from_be_bytes(record.try_into().ok()?);
        let (length, rest) = rest.split_first()?;
        let (theirs, sealed) = rest.split_at_checked(usize::from(*length))?;
        if body.len() > usize::try_from(size).ok()? {
            return None;
        }
        let own = self.own.borrow_mut().take()?;
        let peer = UnparsedPublicKey::new(&ECDH_P256, theirs);
        let first = agree_ephemeral(own, &peer, |agreed| mac(&SHARED, &[agreed])).ok()?;
        let info: [&[u8]; 4] = [b"WebPush: info\0", &self.point, theirs, &[1]];
        let second = mac(salt, &[&mac(&first, &info)]);
        let key = mac(&second, &[b"Content-Encoding: aes128gcm\0", &[1]]);
        let nonce = mac(&second, &[b"Content-Encoding: nonce\0", &[1]]);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key[..16]).ok()?);
        let nonce = Nonce::try_assume_unique_for_key(&nonce[..12]).ok()?;
        let mut text = sealed.to_vec();
        let opened = key.open_in_place(nonce, Aad::empty(), &mut text).ok()?;
        let end = opened.iter().rposition(|byte| *byte != 0)?;
        (opened[end] == 2).then(|| opened[..end].to_vec())
    }
}

impl Default for PushBrowser {
    fn default() -> Self {
        Self::new()
    }
}

fn mac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    let mut mac = hmac::Context::with_key(&key);
    for part in parts {
        mac.update(part);
    }
    mac.sign().as_ref().to_vec()
}
