//! How often somebody may knock at a site, however many nodes serve it.
//!
//! A server counts in its memory, for its workers too. Where several nodes serve a site, tries at passwords, new accounts,
//! what accounts write and words that count once are counted in their database as well, so that nobody has as many tries as there are nodes. Previews and
//! checks cost the node that makes them, which counts them by itself.

use std::sync::Arc;

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_runtime::ports::{AccountId, Buckets, StoreError, TimeSource, WriteLimits};

use crate::app::metrics;
use crate::security::rate::{Allowance, Limiter, TooOften, WRITE, Who};

/// Buckets of one kind that hold for all nodes of a site.
pub struct SiteLimiter {
    near: Limiter,
    /// What tells its buckets from those of another kind.
    kind: &'static str,
    /// Where they are counted together; none where there is one node.
    far: Option<Arc<dyn Buckets>>,
}

impl SiteLimiter {
    /// A limiter under that allowance.
    pub fn new(kind: &'static str, allowance: Allowance, far: Option<Arc<dyn Buckets>>) -> Self {
        Self {
            near: Limiter::new(allowance),
            kind,
            far,
        }
    }

    /// Takes one token of `who` at that time, or says how long to wait. While the database cannot be asked, each node counts
    /// by itself.
    pub async fn take(&self, who: Who, now_ms: u64) -> Result<(), TooOften> {
        self.near.take(who.clone(), now_ms)?;
        let Some(far) = &self.far else {
            return Ok(());
        };
        let Allowance {
            burst,
            refill_seconds,
        } = self.near.allowance();
        match far.draw(self.bucket(&who), burst, refill_seconds).await {
            Ok(None) => Ok(()),
            Ok(Some(retry_after_ms)) => Err(TooOften { retry_after_ms }),
            Err(error) => {
                tracing::warn!(%error, "tries are counted on this node alone");
                Ok(())
            }
        }
    }

    /// The bucket's name in the database, which tells nobody whose it is.
    fn bucket(&self, who: &Who) -> Digest {
        let who = match who {
            Who::Address(address) => format!("{} address {address}", self.kind),
            Who::Account(name) => format!("{} account {name}", self.kind),
        };
        Digest::of(who.as_bytes())
    }
}

/// How often accounts may write.
pub struct WriteCounts {
    limiter: SiteLimiter,
    clock: Arc<dyn TimeSource>,
}

impl WriteCounts {
    /// Counts by a clock, and together with other nodes where they share a place for that.
    pub fn new(clock: Arc<dyn TimeSource>, far: Option<Arc<dyn Buckets>>) -> Self {
        Self {
            limiter: SiteLimiter::new("write", WRITE, far),
            clock,
        }
    }
}

#[async_trait]
impl WriteLimits for WriteCounts {
    async fn count_write(&self, id: AccountId) -> Result<Option<u64>, StoreError> {
        let now = u64::try_from(self.clock.now().0).unwrap_or(0);
        let taken = self.limiter.take(Who::Account(id.0.to_string()), now);
        Ok(taken.await.err().map(|often| often.retry_after_ms))
    }

    fn note_sent(&self, is_kept: bool) {
        let outcome = if is_kept { "kept" } else { "refused" };
        ::metrics::counter!(metrics::COMMANDS, "outcome" => outcome).increment(1);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use super::*;
    use crate::security::rate::ONCE;

    /// Buckets of one token that stay empty.
    #[derive(Default)]
    struct Emptied(Mutex<BTreeSet<Digest>>);

    #[async_trait]
    impl Buckets for Emptied {
        async fn draw(&self, bucket: Digest, _: u32, _: u32) -> Result<Option<u64>, StoreError> {
            let is_first = self.0.lock().unwrap().insert(bucket);
            Ok((!is_first).then_some(1))
        }
    }

    #[tokio::test]
    async fn a_word_that_counts_once_counts_on_one_node() {
        let far: Arc<dyn Buckets> = Arc::new(Emptied::default());
        let nodes = [(); 2].map(|()| SiteLimiter::new("word", ONCE, Some(Arc::clone(&far))));
        let word = |word: &str| Who::Account(word.to_owned());
        assert_eq!(nodes[0].take(word("one"), 0).await, Ok(()));
        for node in &nodes {
            assert!(node.take(word("one"), 10 * 60 * 1_000).await.is_err());
            assert!(node.take(word("one"), 1).await.is_err());
        }
        assert_eq!(nodes[1].take(word("two"), 1).await, Ok(()));
    }
}
