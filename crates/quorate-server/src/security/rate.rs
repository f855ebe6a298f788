//! How often somebody may knock: token buckets by address and by account.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a bucket allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// At once.
    pub burst: u32,
    /// A full bucket again after so many seconds.
    pub refill_seconds: u32,
}

/// Tries at a password.
pub const SIGN_IN: Allowance = Allowance {
    burst: 10,
    refill_seconds: 600,
};
/// New accounts and recovery mails.
pub const SIGN_UP: Allowance = Allowance {
    burst: 5,
    refill_seconds: 3_600,
};
/// Posts, comments, votes, messages and actions of one account.
pub const WRITE: Allowance = Allowance {
    burst: 60,
    refill_seconds: 120,
};
/// What the commands of one account write, in tokens of [`WRITTEN_TOKEN`]: its words, and what rules make of them.
pub const WRITTEN: Allowance = Allowance {
    burst: 16 << 10,
    refill_seconds: 3_600,
};
/// In bytes.
pub const WRITTEN_TOKEN: u64 = 1 << 10;
/// A word that counts once, for longer than any lasts.
pub const ONCE: Allowance = Allowance {
    burst: 1,
    refill_seconds: 15 * 60,
};
/// Previews and checks of drafts, which cost a worker.
pub const CHECK: Allowance = Allowance {
    burst: 40,
    refill_seconds: 60,
};

/// Whom a bucket belongs to. Addresses of version 6 count by their /64, for a single house has that many.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    /// Somebody not signed in, by address.
    Address(IpAddr),
    /// An account, by its id or by the name that was tried.
    Account(String),
}

impl Who {
    /// The owner of an address's bucket.
    pub fn address(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(_) => Self::Address(address),
            IpAddr::V6(six) => {
                if let Some(four) = six.to_ipv4_mapped() {
                    return Self::Address(IpAddr::V4(four));
                }
                let mut parts = six.segments();
                parts[4..].fill(0);
                Self::Address(IpAddr::V6(parts.into()))
            }
        }
    }
}

/// Somebody came too often, or brought too much; there is room again after so many milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too much at once; try again in {} s", retry_after_ms.div_ceil(1000))]
pub struct TooOften {
    /// Milliseconds to wait.
    pub retry_after_ms: u64,
}

#[derive(Clone, Copy)]
struct Bucket {
    /// In thousandths of a token, so that slow refills are not lost to rounding. Below nothing where more was used than there was.
    thousandths: i64,
    at_ms: u64,
}

/// Buckets of one kind. The clock is the caller's: any count of milliseconds that never goes back.
pub struct Limiter {
    allowance: Allowance,
    buckets: Mutex<HashMap<Who, Bucket>>,
}

/// A token, in thousandths.
const TOKEN: i64 = 1_000;

/// Beyond so many buckets, full ones are forgotten: an empty bucket is the only one that says anything.
const BUCKETS_MAX: usize = 100_000;

impl Limiter {
    /// A limiter under that allowance.
    pub fn new(allowance: Allowance) -> Self {
        Self {
            allowance,
            buckets: Mutex::new(HashMap::new()),
        }
    }

    /// What each bucket allows.
    pub fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// Takes one token of `who` at that time, or says how long to wait.
    pub fn take(&self, who: Who, now_ms: u64) -> Result<(), TooOften> {
        let mut buckets = self.lock();
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(&who) {
            buckets.retain(|_, bucket| self.level(*bucket, now_ms) < self.full());
            if buckets.len() >= BUCKETS_MAX {
                // A flood from more addresses than we count: newcomers wait until it ebbs.
                return Err(TooOften {
                    retry_after_ms: 1_000,
                });
            }
        }
        let bucket = buckets.entry(who).or_insert(Bucket {
            thousandths: self.full(),
            at_ms: now_ms,
        });
        let level = self.level(*bucket, now_ms);
        // The bucket stays as it was where there is none: writing a rounded level at every try would starve the impatient.
        self.is_enough(level)?;
        *bucket = Bucket {
            thousandths: level - TOKEN,
            at_ms: now_ms,
        };
        Ok(())
    }

    /// Whether `who` has a token, which stays there; else how long to wait.
    pub fn check(&self, who: &Who, now_ms: u64) -> Result<(), TooOften> {
        let bucket = self.lock().get(who).copied();
        bucket.map_or(Ok(()), |bucket| self.is_enough(self.level(bucket, now_ms)))
    }

    /// How many whole tokens `who` has.
    pub fn left(&self, who: &Who, now_ms: u64) -> u64 {
        let bucket = self.lock().get(who).copied();
        let level = bucket.map_or(self.full(), |bucket| self.level(bucket, now_ms));
        u64::try_from(level / TOKEN).unwrap_or(0)
    }

    /// Takes tokens of `who` that were used already, more than there are if need be, but no more than a full bucket more.
    pub fn charge(&self, who: Who, tokens: u32, now_ms: u64) {
        let mut buckets = self.lock();
        if buckets.len() >= BUCKETS_MAX {
            buckets.retain(|_, bucket| self.level(*bucket, now_ms) < self.full());
        }
        let bucket = buckets.entry(who).or_insert(Bucket {
            thousandths: self.full(),
            at_ms: now_ms,
        });
        let level = self.level(*bucket, now_ms);
        *bucket = Bucket {
            thousandths: (level - i64::from(tokens) * TOKEN).max(-self.full()),
            at_ms: now_ms,
        };
    }

    fn is_enough(&self, level: i64) -> Result<(), TooOften> {
        let missing = u64::try_from(TOKEN - level).unwrap_or(0);
        if missing == 0 {
            return Ok(());
        }
        Err(TooOften {
            retry_after_ms: self.millis_for(missing),
        })
    }

    fn full(&self) -> i64 {
        i64::from(self.allowance.burst) * TOKEN
    }

    fn level(&self, bucket: Bucket, now_ms: u64) -> i64 {
        let passed = now_ms.saturating_sub(bucket.at_ms);
        let gained = u64::from(self.allowance.burst).saturating_mul(passed)
            / u64::from(self.allowance.refill_seconds.max(1));
        let gained = i64::try_from(gained).unwrap_or(i64::MAX);
        bucket.thousandths.saturating_add(gained).min(self.full())
    }

    fn millis_for(&self, thousandths: u64) -> u64 {
        let burst = u64::from(self.allowance.burst.max(1));
        (thousandths * u64::from(self.allowance.refill_seconds)).div_ceil(burst)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Who, Bucket>> {
        // A panic while counting leaves at worst one bucket behind by a token.
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE_A_MINUTE: Allowance = Allowance {
        burst: 3,
        refill_seconds: 60,
    };

    fn who(name: &str) -> Who {
        Who::Account(name.into())
    }

    #[test]
    fn a_burst_passes_and_the_next_one_waits() {
        let limiter = Limiter::new(THREE_A_MINUTE);
        for _ in 0..3 {
            assert_eq!(limiter.take(who("anna"), 0), Ok(()));
        }
        assert_eq!(
            limiter.take(who("anna"), 0),
            Err(TooOften {
                retry_after_ms: 20_000
            })
        );
        assert_eq!(limiter.take(who("bo"), 0), Ok(()));
        assert_eq!(limiter.take(who("anna"), 20_000), Ok(()));
        assert!(limiter.take(who("anna"), 20_000).is_err());
    }

    #[test]
    fn trying_again_too_early_does_not_push_the_moment_away() {
        let limiter = Limiter::new(THREE_A_MINUTE);
        for _ in 0..3 {
            limiter.take(who("anna"), 0).expect("the burst");
        }
        for ms in (0..20_000).step_by(7) {
            assert!(limiter.take(who("anna"), ms).is_err(), "{ms}");
        }
        assert_eq!(limiter.take(who("anna"), 20_100), Ok(()));
    }

    #[test]
    fn a_house_with_many_addresses_has_one_bucket() {
        let a: IpAddr = "2001:db8:1:2::1".parse().expect("an address");
        let b: IpAddr = "2001:db8:1:2:ffff::9".parse().expect("an address");
        let c: IpAddr = "2001:db8:1:3::1".parse().expect("an address");
        assert_eq!(Who::address(a), Who::address(b));
        assert_ne!(Who::address(a), Who::address(c));
        let mapped: IpAddr = "::ffff:192.0.2.1".parse().expect("an address");
        assert_eq!(
            Who::address(mapped),
            Who::address("192.0.2.1".parse().expect("an address"))
        );
    }
}
