//! Pictures that people upload: small PNG files, known to rules by their size and digest alone.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::digest::Digest;
use crate::seal::{Salt, Sealed};

/// A picture. Two are equal when they show the same: size and digest decide, not the file that holds them.
#[derive(Clone, Debug)]
pub struct Picture {
    /// In pixels.
    pub width: u16,
    /// In pixels.
    pub height: u16,
    /// Of its pixels as they are seen, so that another file of the same picture has the same.
    pub digest: Digest,
    pub(crate) png: Png,
}

/// The file, in base64. As a text it travels and is forgotten like every other thing that a person put into the game.
#[derive(Clone, Debug)]
pub(crate) enum Png {
    /// Only the file's salted digest is open in the log.
    Sealed(Sealed<str>),
    /// Within a seal that covers the picture as a whole.
    Open(Arc<str>),
}

impl Picture {
    /// A picture of a PNG file in base64, to be put into a command; the writer closes it under the command's own salts.
    pub fn new(width: u16, height: u16, digest: Digest, png: &str) -> Self {
        Self {
            width,
            height,
            digest,
            png: Png::Sealed(Sealed::close(png, [0; 16])),
        }
    }

    /// The PNG file in base64; nothing where it was forgotten or is not at hand.
    pub fn png(&self) -> Option<&str> {
        match &self.png {
            Png::Sealed(seal) => seal.plain(),
            Png::Open(png) => Some(png),
        }
    }

    /// The same with its file under a seal of this salt. A file that is not at hand keeps the seal it has.
    #[must_use]
    pub fn sealed(&self, salt: Salt) -> Self {
        let png = match &self.png {
            Png::Sealed(seal) => match seal.shared() {
                Some(png) => Png::Sealed(Sealed::close(png, salt)),
                None => Png::Sealed(seal.clone()),
            },
            Png::Open(png) => Png::Sealed(Sealed::close(Arc::clone(png), salt)),
        };
        Self {
            png,
            ..self.clone()
        }
    }

    /// The same without a seal of its own, to be put under another.
    #[must_use]
    pub fn unsealed(&self) -> Self {
        let png = match &self.png {
            Png::Sealed(seal) => seal.shared().map_or_else(|| self.png.clone(), Png::Open),
            Png::Open(_) => self.png.clone(),
        };
        Self {
            png,
            ..self.clone()
        }
    }

    /// The seal of its file, if it has one of its own.
    pub(crate) fn seal(&mut self) -> Option<&mut Sealed<str>> {
        match &mut self.png {
            Png::Sealed(seal) => Some(seal),
            Png::Open(_) => None,
        }
    }

    fn seen(&self) -> (u16, u16, Digest) {
        (self.width, self.height, self.digest)
    }
}

impl PartialEq for Picture {
    fn eq(&self, other: &Self) -> bool {
        self.seen() == other.seen()
    }
}

impl Eq for Picture {}

impl PartialOrd for Picture {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Picture {
    fn cmp(&self, other: &Self) -> Ordering {
        self.seen().cmp(&other.seen())
    }
}

impl Hash for Picture {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.seen().hash(hasher);
    }
}
