//! What is kept in memory so that it need not be made again: each kind up to a bound in bytes.

use std::collections::BTreeMap;
use std::io::{Result, Write};
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use quorate_forecast::{Forecast, MatterIfs, MatterVerdict, Proof};
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, PostId};
use serde::Serialize;

use crate::app::outlook::Outlook;

/// Something that is kept by the digest of all that it follows from.
pub type Keep<T> = Cache<Digest, Arc<T>, Bytewise>;

/// Posts by the event that enacted them.
pub type EnactedPosts = BTreeMap<EventSeq, PostId>;

/// What the table itself takes for a thing that is kept.
const OVERHEAD: usize = 256;

/// In memory a field takes some times what its text in JSON takes.
const MEMORY_A_BYTE: usize = 4;

/// Something that knows about how much memory it takes.
pub trait Weighed {
    /// In bytes.
    fn bytes(&self) -> usize;
}

/// Weighs things by the memory that they take.
#[derive(Clone, Copy, Debug)]
pub struct Bytewise;

impl<T: Weighed + ?Sized> Weighter<Digest, Arc<T>> for Bytewise {
    fn weight(&self, _: &Digest, kept: &Arc<T>) -> u64 {
        (kept.bytes() + OVERHEAD) as u64
    }
}

/// Room for so many bytes of things that commonly take so many each.
pub fn room<T: Weighed + ?Sized>(bytes: usize, common: usize) -> Keep<T> {
    Cache::with_weighter(bytes / common, bytes as u64, Bytewise)
}

impl Weighed for [u8] {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl Weighed for str {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl Weighed for EnactedPosts {
    fn bytes(&self) -> usize {
        // A table keeps its rows in leaves that are two thirds full.
        self.len() * 2 * size_of::<(EventSeq, PostId)>()
    }
}

impl Weighed for Outlook {
    fn bytes(&self) -> usize {
        let sides = self
            .sides
            .iter()
            .map(|side| side.as_str().len() + OVERHEAD / 8);
        size_of::<Self>() + self.lead.len() + self.why.len() + sides.sum::<usize>()
    }
}

impl Weighed for MatterVerdict {
    fn bytes(&self) -> usize {
        size_of::<Self>() + MEMORY_A_BYTE * written(self)
    }
}

impl Weighed for MatterIfs {
    fn bytes(&self) -> usize {
        size_of::<Self>() + MEMORY_A_BYTE * written(self)
    }
}

impl Weighed for Forecast {
    fn bytes(&self) -> usize {
        // The steps of the log are told in the groups above them, and are about as long.
        size_of::<Self>() + 2 * MEMORY_A_BYTE * written(self)
    }
}

impl Weighed for Proof {
    fn bytes(&self) -> usize {
        size_of::<Self>() + MEMORY_A_BYTE * written(self)
    }
}

/// How long something is in JSON.
fn written(what: &impl Serialize) -> usize {
    struct Length(usize);
    impl Write for Length {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }
    let mut length = Length(0);
    // Plain data of ours can always be written; what could not be would count for what was.
    drop(serde_json::to_writer(&mut length, what));
    length.0
}

#[cfg(test)]
mod tests {
    use quorate_forecast::FailedTest;

    use super::*;

    /// Keeps ever new things of a kind, and looks that they stay within a bound.
    fn stays_within<T: Weighed + ?Sized>(bytes: usize, one: impl Fn(usize) -> Arc<T>) {
        let kept = room::<T>(bytes, 4 << 10);
        for nth in 0..2_000_usize {
            kept.insert(Digest::of(&nth.to_le_bytes()), one(nth));
            assert!(kept.weight() <= bytes as u64, "{} bytes", kept.weight());
        }
        assert!(!kept.is_empty());
    }

    #[test]
    fn what_is_kept_stays_within_its_bytes() {
        stays_within::<[u8]>(1 << 20, |nth| vec![0; nth * 50].into());
        stays_within::<str>(1 << 20, |nth| "a".repeat(nth * 50).into());
        let failed = |nth: usize| FailedTest {
            file: "tea.star".to_owned(),
            test: format!("test_{nth}"),
            line: 1,
            message: "expected tea ".repeat(40),
            fails_today: false,
        };
        let proof = |nth: usize| Proof {
            failed: (0..nth % 50).map(failed).collect(),
            ..Proof::default()
        };
        stays_within::<Proof>(1 << 20, |nth| Arc::new(proof(nth)));
        assert!(proof(40).bytes() > 40 * proof(0).bytes());
        let outlook = |nth: usize| Outlook {
            why: "because ".repeat(nth),
            ..Outlook::default()
        };
        stays_within::<Outlook>(1 << 20, |nth| Arc::new(outlook(nth)));
    }
}
