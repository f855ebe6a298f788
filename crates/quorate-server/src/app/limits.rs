//! How often somebody may knock at a site, however many nodes serve it.
//!
//! A server counts in its memory, for its workers too. Where several nodes serve a site, tries at passwords, new accounts,
//! what accounts write and words that count once are counted in their database as well, so that nobody has as many tries as there are nodes. Previews and
//! checks cost the node that makes them, which counts them by itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_runtime::Answer;
use quorate_runtime::ports::{
    AccountId, BegunCommand, Buckets, StoreError, TimeSource, WriteLimits,
};

use crate::app::metrics;
use crate::security::rate::{Allowance, Limiter, TooOften, WRITE, WRITTEN, WRITTEN_TOKEN, Who};

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

/// How often accounts may write, and how much. Each node counts the bytes of the commands that it sends.
pub struct WriteCounts {
    limiter: SiteLimiter,
    written: Limiter,
    /// Whose commands are being judged; each of them shares the account's.
    judged: Mutex<HashMap<AccountId, Arc<()>>>,
    clock: Arc<dyn TimeSource>,
}

/// Beyond so many accounts, those are forgotten of which no command is being judged.
const JUDGED_MAX: usize = 1_000;

/// How much a command that is being judged is taken to write, in tokens of [`WRITTEN_TOKEN`].
const MAY_WRITE: u64 = 1 << 10;

/// After how long whoever has too many commands that are being judged may try again.
const SOON_MS: u64 = 1_000;

impl WriteCounts {
    /// Counts by a clock, and together with other nodes where they share a place for that.
    pub fn new(clock: Arc<dyn TimeSource>, far: Option<Arc<dyn Buckets>>) -> Self {
        Self {
            limiter: SiteLimiter::new("write", WRITE, far),
            written: Limiter::new(WRITTEN),
            judged: Mutex::default(),
            clock,
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.clock.now().0).unwrap_or(0)
    }
}

fn account(id: AccountId) -> Who {
    Who::Account(id.0.to_string())
}

#[async_trait]
impl WriteLimits for WriteCounts {
    async fn count_write(
        &self,
        id: AccountId,
        is_command: bool,
    ) -> Result<Option<u64>, StoreError> {
        let (who, now) = (account(id), self.now());
        let much = self.written.check(&who, now).err().filter(|_| is_command);
        let taken = match much {
            None => self.limiter.take(who, now).await,
            Some(much) => Err(much),
        };
        Ok(taken.err().map(|often| often.retry_after_ms))
    }

    fn begin(&self, id: AccountId) -> Result<BegunCommand, u64> {
        let (who, now) = (account(id), self.now());
        let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        let much = self.written.check(&who, now);
        much.map_err(|often| often.retry_after_ms)?;
        if judged.len() >= JUDGED_MAX {
            judged.retain(|_, shared| Arc::strong_count(shared) > 1);
        }
        let shared = judged.entry(id).or_default();
        let at_once = Arc::strong_count(shared) as u64 - 1;
        if at_once * MAY_WRITE >= self.written.left(&who, now) {
            return Err(SOON_MS);
        }
        Ok(BegunCommand::counted_by(Arc::clone(shared)))
    }

    fn note_sent(&self, id: Option<AccountId>, answer: &Answer) {
        let (outcome, written) = match answer {
            Answer::Kept(receipt) => ("kept", receipt.written),
            Answer::Refused(_) => ("refused", 0),
        };
        ::metrics::counter!(metrics::COMMANDS, "outcome" => outcome).increment(1);
        if let Some(id) = id.filter(|_| written > 0) {
            let tokens = u32::try_from(written.div_ceil(WRITTEN_TOKEN)).unwrap_or(u32::MAX);
            self.written.charge(account(id), tokens, self.now());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quorate_kernel::event::Outcome;
    use quorate_kernel::{EventSeq, Moment};
    use quorate_runtime::Receipt;
    use quorate_runtime::testing::HandClock;

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

    fn kept(written: u64) -> Answer {
        Answer::Kept(Receipt {
            seq: EventSeq(1),
            at: Moment(0),
            outcome: Outcome::Done,
            written,
        })
    }

    #[test]
    fn those_that_are_being_judged_are_taken_to_write_a_mebibyte_each() {
        let clock = Arc::new(HandClock::at(Moment(0)));
        let writes = WriteCounts::new(Arc::clone(&clock) as Arc<dyn TimeSource>, None);
        let (anna, bo) = (AccountId(1), AccountId(2));
        let mut begun: Vec<_> = (0..16).map(|_| writes.begin(anna)).collect();
        assert!(begun.iter().all(Result::is_ok));
        assert_eq!(writes.begin(anna).err(), Some(SOON_MS));
        assert!(writes.begin(bo).is_ok());
        begun.pop();
        assert!(writes.begin(anna).is_ok(), "one is over");
        writes.note_sent(Some(anna), &kept(3 << 20));
        begun.truncate(13);
        assert_eq!(writes.begin(anna).err(), Some(SOON_MS));
        begun.pop();
        assert!(writes.begin(anna).is_ok());
    }

    #[tokio::test]
    async fn who_wrote_more_than_there_is_for_an_hour_waits_until_it_is_made_up_for() {
        let clock = Arc::new(HandClock::at(Moment(0)));
        let writes = WriteCounts::new(Arc::clone(&clock) as Arc<dyn TimeSource>, None);
        let (anna, bo) = (AccountId(1), AccountId(2));
        let an_hours = u64::from(WRITTEN.burst) * WRITTEN_TOKEN;
        writes.note_sent(Some(anna), &kept(an_hours - WRITTEN_TOKEN));
        assert_eq!(writes.count_write(anna, true).await, Ok(None));
        writes.note_sent(Some(anna), &kept(an_hours / 2 + WRITTEN_TOKEN));
        let wait = writes
            .count_write(anna, true)
            .await
            .unwrap()
            .expect("she waits");
        assert_eq!(wait.div_ceil(60_000), 31, "minutes");
        assert_eq!(writes.count_write(bo, true).await, Ok(None));
        let report = writes.count_write(anna, false).await;
        assert_eq!(report, Ok(None), "what is no command goes on");
        writes.note_sent(Some(bo), &kept(10 * an_hours));
        let longest = writes.count_write(bo, true).await.unwrap();
        assert_eq!(
            longest.expect("he waits").div_ceil(3_600_000),
            2,
            "an hour and a little, however much"
        );
        writes.note_sent(None, &kept(10 * an_hours));
        clock.set(Moment(29 * 60 * 1_000));
        assert!(writes.count_write(anna, true).await.unwrap().is_some());
        clock.set(Moment(i64::try_from(wait).unwrap()));
        assert_eq!(writes.count_write(anna, true).await, Ok(None));
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
