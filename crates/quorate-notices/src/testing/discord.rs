//! Discord's side of its signatures.

use std::fmt::Write as _;

use ring::signature::{Ed25519KeyPair, KeyPair};

use crate::discord::interaction::DiscordKey;

/// Signs as Discord does, with a key of its own.
pub struct DiscordSigner(Ed25519KeyPair);

impl DiscordSigner {
    /// A key that follows from this.
    pub fn new(seed: [u8; 32]) -> Self {
        Self(Ed25519KeyPair::from_seed_unchecked(&seed).unwrap())
    }

    /// The public one.
    pub fn key(&self) -> DiscordKey {
        hex(self.0.public_key().as_ref()).parse().unwrap()
    }

    /// The value of `X-Signature-Ed25519` for a request.
    pub fn sign(&self, timestamp: &str, body: &[u8]) -> String {
        hex(self.0.sign(&[timestamp.as_bytes(), body].concat()).as_ref())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
