//! Going through a log in chunks: the next chunk is read while the one before is worked on.

use std::collections::HashMap;

use quorate_kernel::digest::Digest;
use quorate_kernel::record;
use quorate_kernel::seal::SealBytes;
use quorate_kernel::{EventSeq, GameId};

use crate::blocking::blocking;
use crate::error::OperatingError;
use crate::fault::LogFault;
use crate::ports::{Journal, Seals};

/// How many events are read at a time: enough that reading is not the slow part, few enough to hold in memory.
const CHUNK: usize = 4_096;

/// A piece of a log.
pub(crate) struct LogChunk {
    /// The open parts of events, one after another.
    pub(crate) opens: Vec<Vec<u8>>,
    /// What lies beside them, where that was asked for.
    pub(crate) seals: HashMap<Digest, SealBytes>,
}

/// What is done with a log. It runs on a thread where it may take its time.
pub(crate) trait LogWork: Send + 'static {
    /// Takes in the next chunk.
    fn take(&mut self, chunk: &LogChunk) -> Result<(), LogFault>;
}

/// A way through a log.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'a> {
    pub(crate) journal: &'a dyn Journal,
    /// Where to look for what lies beside the log, if that is wanted.
    pub(crate) seals: Option<&'a dyn Seals>,
    pub(crate) game: &'a GameId,
    /// The last event of the way.
    pub(crate) to: EventSeq,
}

impl Walk<'_> {
    /// Goes from the event after `after` to the end of the way. Gives the fault that stopped the work, if one did.
    pub(crate) async fn go<W: LogWork>(
        self,
        after: EventSeq,
        mut worker: W,
        progress: &mut (dyn FnMut(EventSeq) + Send),
    ) -> Result<(W, Option<LogFault>), OperatingError> {
        let mut after = after;
        let mut chunk = self.read(after).await?;
        while !chunk.opens.is_empty() {
            after = EventSeq(after.0 + chunk.opens.len() as u64);
            let working = blocking(move || {
                let done = worker.take(&chunk);
                (worker, done)
            });
            let (answered, next) = tokio::join!(working, self.read(after));
            let done;
            (worker, done) = answered?;
            if let Err(fault) = done {
                return Ok((worker, Some(fault)));
            }
            progress(after);
            chunk = next?;
        }
        Ok((worker, None))
    }

    /// The next chunk after an event; an empty one at the end of the way.
    pub(crate) async fn read(self, after: EventSeq) -> Result<LogChunk, OperatingError> {
        let left = usize::try_from(self.to.0.saturating_sub(after.0)).unwrap_or(usize::MAX);
        let mut chunk = LogChunk {
            opens: Vec::new(),
            seals: HashMap::new(),
        };
        if left > 0 {
            let event_count = left.min(CHUNK);
            chunk.opens = self
                .journal
                .events(self.game, after.next(), event_count)
                .await?;
        }
        if let Some(seals) = self.seals {
            let mut digests: Vec<_> = chunk.opens.iter().flat_map(|o| seals_in(o)).collect();
            digests.sort_unstable();
            digests.dedup();
            chunk.seals = seals.find(&digests).await?;
        }
        Ok(chunk)
    }
}

/// The digests of the seals in an event. An event that cannot be read has none; whoever works on it will say so.
fn seals_in(open: &[u8]) -> Vec<Digest> {
    let mut digests = Vec::new();
    if let Ok(mut event) = record::decode(open) {
        event.each_seal(&mut |seal| digests.push(seal.digest()));
    }
    digests
}
