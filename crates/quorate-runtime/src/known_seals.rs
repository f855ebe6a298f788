//! Which seals a store need not write again.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use quorate_kernel::digest::Digest;
use quorate_kernel::seal::SealBytes;

/// How many digests are remembered.
const KNOWN_MAX: usize = 100_000;

/// The digests that this process has written lately.
///
/// An event that changes a row carries the row's seals again: each comment on a long post would look up the post's
/// words in the index only to find them there.
#[derive(Default)]
pub struct KnownSeals(Mutex<HashSet<Digest>>);

impl KnownSeals {
    fn known(&self) -> MutexGuard<'_, HashSet<Digest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seals that may not be in the store yet, each once.
    pub fn unknown<'a>(&self, seals: impl Iterator<Item = &'a SealBytes>) -> Vec<&'a SealBytes> {
        let known = self.known();
        let mut seen = HashSet::new();
        seals
            .filter(|seal| !known.contains(&seal.digest) && seen.insert(seal.digest))
            .collect()
    }

    /// Notes that seals are in the store.
    pub fn note(&self, seals: &[&SealBytes]) {
        let mut known = self.known();
        if known.len() + seals.len() > KNOWN_MAX {
            known.clear();
        }
        known.extend(seals.iter().map(|seal| seal.digest));
    }

    /// Forgets what it knows: the store is another one than before.
    pub fn clear(&self) {
        self.known().clear();
    }
}
