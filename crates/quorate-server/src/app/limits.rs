//! How often somebody may knock at a site, however many nodes serve it.
//!
//! A server counts in its memory. Where several nodes serve a site, tries at passwords and new accounts count in their
//! database too, so that nobody has as many tries as there are nodes.

use std::sync::Arc;

use quorate_kernel::digest::Digest;
use quorate_runtime::ports::Buckets;

use crate::security::rate::{Allowance, Limiter, TooOften, Who};

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
