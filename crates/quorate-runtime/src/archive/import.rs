//! Into the store, line by line. A game is seen only when it is there to its last event.

use std::io::BufRead;

use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::record;
use quorate_kernel::{EventSeq, GameId};

use super::lines::{ArchiveHeading, ArchiveLine, FORM, SealLine};
use crate::fault::{LogFault, Wrong};
use crate::fold::Fold;
use crate::judge::Head;
use crate::ports::{Arrival, Batch, ClaimFor, ClaimedGame, Epoch, Journal, StoreError, Stored};
use crate::verify::VerifyProgress;

/// How many events are appended at a time.
const EVENTS_AT_ONCE: usize = 1_000;

/// A game that was brought in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// Its word here.
    pub game: GameId,
    /// Its last event.
    pub head: Head,
    /// The digest of its state.
    pub state: Digest,
    /// How many events have a seal whose content did not come along.
    pub closed_count: u64,
}

/// Why a game was not brought in. Nothing of it is there.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The archive could not be read.
    #[error("the archive cannot be read ({0}): check the file")]
    Read(#[from] std::io::Error),
    /// The archive is something else.
    #[error("line {line} is no line of an archive ({cause}): give a file that `export` wrote")]
    Foreign {
        /// Counted from 1.
        line: u64,
        /// What was said.
        cause: String,
    },
    /// What is written for people is not what the event says.
    #[error(
        "line {line} says {field} \"{told}\", and its event says \"{is}\": the archive was edited; export the game again"
    )]
    Edited {
        /// Counted from 1.
        line: u64,
        /// Which field.
        field: &'static str,
        /// What the line says.
        told: String,
        /// What the event says.
        is: String,
    },
    /// A later release wrote it.
    #[error("the archive is of form {0}, this release reads up to {FORM}: use a newer release")]
    Later(u32),
    /// The archive ends too early.
    #[error("the archive ends after event {seq} of {of}: it was cut off; export the game again")]
    Short {
        /// The last event in it.
        seq: EventSeq,
        /// How many it says it has.
        of: u64,
    },
    /// The events are not those that were written out.
    #[error("the archive does not hold together ({0}): it was changed; export the game again")]
    Damaged(#[from] LogFault),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Brings a game in under its own word or another. Chain and effects are checked on the way. Reading happens on the
/// calling task's thread.
pub async fn import(
    journal: &dyn Journal,
    game: Option<&GameId>,
    input: &mut (dyn BufRead + Send),
    progress: &mut (dyn FnMut(VerifyProgress) + Send),
) -> Result<Imported, ImportError> {
    let mut lines = Lines { input, number: 0 };
    let heading = lines.heading()?;
    let own = heading.game.parse();
    let own = own.map_err(|e: quorate_kernel::ids::NoGameId| lines.foreign(e.to_string()));
    let game = match game {
        Some(game) => game.clone(),
        None => own?,
    };
    match journal.game(&game).await? {
        Some(row) if row.whole => return Err(StoreError::GameExists { game }.into()),
        // Left over from an import that was interrupted.
        Some(_) => journal.discard(&game).await?,
        None => {}
    }
    let ClaimedGame::Ours(lease) = journal.claim(&game, ClaimFor::Founding).await? else {
        return Err(StoreError::GameTaken { game }.into());
    };
    let mut arrival = Arriving {
        journal,
        epoch: lease.epoch,
        game,
        fold: Fold::start(),
        after: Head::START,
        waiting: Vec::new(),
        secret: heading.secret(),
        closed_count: 0,
    };
    let brought = arrival.bring_in(&mut lines, &heading, progress).await;
    if let Err(error) = journal.release(&arrival.game, arrival.epoch).await {
        tracing::warn!(game = %arrival.game, %error, "the game is free when the lease ends");
    }
    match brought {
        Ok(()) => Ok(Imported {
            head: arrival.fold.chain.head(),
            state: arrival.fold.state.digest(),
            game: arrival.game,
            closed_count: arrival.closed_count,
        }),
        Err(error) => {
            if let Err(error) = journal.discard(&arrival.game).await {
                tracing::warn!(game = %arrival.game, %error, "half a game stays behind, unseen");
            }
            Err(error)
        }
    }
}

struct Lines<'a> {
    input: &'a mut (dyn BufRead + Send),
    number: u64,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<Vec<u8>>, ImportError> {
        let mut line = Vec::new();
        self.number += 1;
        let byte_count = self.input.read_until(b'\n', &mut line)?;
        Ok((byte_count > 0).then_some(line))
    }

    fn foreign(&self, cause: impl Into<String>) -> ImportError {
        ImportError::Foreign {
            line: self.number,
            cause: cause.into(),
        }
    }

    fn heading(&mut self) -> Result<ArchiveHeading, ImportError> {
        let line = self.next()?.ok_or_else(|| self.foreign("it is empty"))?;
        let heading: ArchiveHeading =
            serde_json::from_slice(&line).map_err(|e| self.foreign(e.to_string()))?;
        match heading.quorate_log {
            FORM => Ok(heading),
            later => Err(ImportError::Later(later)),
        }
    }

    fn line(&mut self) -> Result<Option<ArchiveLine>, ImportError> {
        let Some(line) = self.next()? else {
            return Ok(None);
        };
        let read = serde_json::from_slice(&line);
        read.map(Some).map_err(|e| self.foreign(e.to_string()))
    }
}

struct Arriving<'a> {
    journal: &'a dyn Journal,
    game: GameId,
    epoch: Epoch,
    fold: Fold,
    /// The last event that was appended.
    after: Head,
    waiting: Vec<Stored>,
    secret: Option<crate::judge::Secret>,
    closed_count: u64,
}

impl Arriving<'_> {
    async fn bring_in(
        &mut self,
        lines: &mut Lines<'_>,
        heading: &ArchiveHeading,
        progress: &mut (dyn FnMut(VerifyProgress) + Send),
    ) -> Result<(), ImportError> {
        let of = EventSeq(heading.event_count);
        while let Some(line) = lines.line()? {
            self.take(line, lines.number)?;
            if self.waiting.len() >= EVENTS_AT_ONCE {
                self.append().await?;
                let done = self.after.seq;
                progress(VerifyProgress { done, of });
            }
        }
        let head = self.fold.chain.head();
        if head.seq != of || head.seq == Head::START.seq {
            return Err(ImportError::Short {
                seq: head.seq,
                of: of.0,
            });
        }
        if head.hash.to_string() != heading.head {
            let seq = head.seq;
            let what = Wrong::End;
            return Err(LogFault { seq, what }.into());
        }
        self.append().await?;
        self.journal.unveil(&self.game).await?;
        progress(VerifyProgress { done: of, of });
        Ok(())
    }

    fn take(&mut self, line: ArchiveLine, number: u64) -> Result<(), ImportError> {
        let mut event = self.fold.follow(&line.open.0)?;
        if let Some((field, told, is)) = line.edited(&event) {
            return Err(ImportError::Edited {
                line: number,
                field,
                told,
                is,
            });
        }
        let seals = self.seals_of(&mut event, line.seals);
        self.waiting.push(Stored {
            seq: event.seq,
            actor: event.command().actor,
            key: event.key,
            open: line.open.0,
            seals,
        });
        Ok(())
    }

    /// Those seals of a line that open a seal of the event; anything else is left out.
    fn seals_of(
        &mut self,
        event: &mut Event,
        lines: Vec<SealLine>,
    ) -> Vec<quorate_kernel::seal::SealBytes> {
        let found: Vec<_> = lines.into_iter().filter_map(SealLine::read).collect();
        let closed = record::restore(event, &|digest| {
            found.iter().find(|seal| seal.digest == digest).cloned()
        });
        if !closed.is_empty() {
            self.closed_count += 1;
        }
        record::encode(event).seals
    }

    async fn append(&mut self) -> Result<(), ImportError> {
        let head = self.fold.chain.head();
        let founds = self.after == Head::START;
        let batch = Batch {
            game: self.game.clone(),
            epoch: self.epoch,
            after: self.after,
            events: std::mem::take(&mut self.waiting),
            head,
            next_due: self.fold.state.next_due().map(|(at, _)| at),
            arrival: founds.then_some(Arrival {
                secret: self.secret,
            }),
        };
        if batch.events.is_empty() {
            return Ok(());
        }
        self.journal.append(&[batch]).await?;
        self.after = head;
        Ok(())
    }
}
