//! Seals: contents that the chain of the log covers without holding them.
//!
//! Whatever a person typed and whatever not everybody may see goes into the log as a salted digest. The bytes and
//! the salt lie beside the log. So a public log verifies without its secrets, a secret can be shown later without
//! touching the past, and a person's words can be forgotten while the chain holds.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::Digest;

/// Sixteen bytes that make a seal's digest unguessable even where its content is short.
pub type Salt = [u8; 16];

/// A content known by its digest, with the content itself where it is at hand.
///
/// Two seals are equal when their digests are. Serialised, a seal is its digest alone. Cheap to clone.
pub struct Sealed<T: ?Sized>(Arc<Inner<T>>);

struct Inner<T: ?Sized> {
    digest: Digest,
    plain: Option<(Salt, Arc<T>)>,
}

/// What lies beside the log for one seal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SealBytes {
    /// The digest that the log holds.
    pub digest: Digest,
    /// The salt of that digest.
    pub salt: Salt,
    /// The content as [`Content::to_bytes`] made it.
    pub bytes: Vec<u8>,
}

/// What can be sealed: turned into bytes and back.
pub trait Content {
    /// The bytes that lie beside the log.
    fn to_bytes(&self) -> Vec<u8>;
    /// The content, if the bytes are one.
    fn from_bytes(bytes: &[u8]) -> Option<Arc<Self>>;
}

impl Content for str {
    fn to_bytes(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Arc<Self>> {
        std::str::from_utf8(bytes).ok().map(Arc::from)
    }
}

impl<T: Content + ?Sized> Sealed<T> {
    /// Closes a content under a salt.
    pub fn close(content: impl Into<Arc<T>>, salt: Salt) -> Self {
        let content = content.into();
        let digest = digest_of(salt, &content.to_bytes());
        Self(Arc::new(Inner {
            digest,
            plain: Some((salt, content)),
        }))
    }

    /// What is to lie beside the log, if the content is at hand.
    pub fn bytes(&self) -> Option<SealBytes> {
        let (salt, content) = self.0.plain.as_ref()?;
        Some(SealBytes {
            digest: self.0.digest,
            salt: *salt,
            bytes: content.to_bytes(),
        })
    }

    /// Puts the content back that lay beside the log. False, and nothing changes, where it does not fit the digest.
    #[must_use]
    pub fn restore(&mut self, found: &SealBytes) -> bool {
        if found.digest != self.0.digest || digest_of(found.salt, &found.bytes) != found.digest {
            return false;
        }
        let Some(content) = T::from_bytes(&found.bytes) else {
            return false;
        };
        self.0 = Arc::new(Inner {
            digest: found.digest,
            plain: Some((found.salt, content)),
        });
        true
    }
}

impl<T: ?Sized> Sealed<T> {
    /// A seal whose content is not at hand.
    pub fn closed(digest: Digest) -> Self {
        Self(Arc::new(Inner {
            digest,
            plain: None,
        }))
    }

    /// What the log holds of it.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// The content, unless it was forgotten or is not at hand.
    pub fn plain(&self) -> Option<&T> {
        self.0.plain.as_ref().map(|(_, content)| &**content)
    }

    /// The content to keep, unless it was forgotten or is not at hand.
    pub fn shared(&self) -> Option<Arc<T>> {
        self.0
            .plain
            .as_ref()
            .map(|(_, content)| Arc::clone(content))
    }
}

impl Sealed<str> {
    /// The text; empty where it was forgotten or is not at hand.
    pub fn as_str(&self) -> &str {
        self.plain().unwrap_or("")
    }
}

fn digest_of(salt: Salt, bytes: &[u8]) -> Digest {
    Digest::of_parts([salt.as_slice(), bytes])
}

impl<T: ?Sized> Clone for Sealed<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> PartialEq for Sealed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.digest == other.0.digest
    }
}

impl<T: ?Sized> Eq for Sealed<T> {}

impl<T: ?Sized> PartialOrd for Sealed<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: ?Sized> Ord for Sealed<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.digest.cmp(&other.0.digest)
    }
}

impl<T: ?Sized> Hash for Sealed<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.digest.hash(state);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Sealed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.plain {
            Some((_, content)) => write!(f, "Sealed({content:?})"),
            None => write!(f, "Sealed({:?})", self.0.digest),
        }
    }
}

impl<T: ?Sized> Serialize for Sealed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.digest.serialize(serializer)
    }
}

impl<'de, T: ?Sized> Deserialize<'de> for Sealed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Digest::deserialize(deserializer).map(Self::closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_serialises_as_its_digest_and_opens_only_with_its_own_bytes() {
        let seal = Sealed::<str>::close("a secret", [7; 16]);
        let bytes = postcard::to_stdvec(&seal).unwrap();
        assert_eq!(bytes.len(), 32);
        let mut read: Sealed<str> = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(read.plain(), None);
        let beside = seal.bytes().unwrap();
        assert!(!read.restore(&SealBytes {
            bytes: b"a lie".to_vec(),
            ..beside.clone()
        }));
        assert_eq!(read.plain(), None);
        assert!(read.restore(&beside));
        assert_eq!(read.as_str(), "a secret");
    }

    #[test]
    fn the_same_words_under_two_salts_do_not_look_alike() {
        let one = Sealed::<str>::close("yes", [1; 16]);
        let other = Sealed::<str>::close("yes", [2; 16]);
        assert_ne!(one.digest(), other.digest());
    }
}
