//! Games that were played by a script, and their way into a journal.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use quorate_engine::LawCache;
use quorate_engine::rulebook::Rulebook;
use quorate_engine::testing::{self, Failure, Recorded, Recording, Runner, TestFile};
use quorate_kernel::event::Event;
use quorate_kernel::state::State;
use quorate_kernel::{GameId, Moment, Span, record};
use quorate_runtime::judge::{Head, Secret};
use quorate_runtime::ports::{Batch, ClaimFor, ClaimedGame, Journal, Stored};

use crate::rulebooks;

/// How many events are appended at once.
const EVENTS_AT_ONCE: usize = 200;

/// How many weeks earlier a play is tried, if the calendar stands against it.
const WEEKS_BACK: i64 = 8;

/// A game that was played.
pub(crate) struct Played {
    events: Vec<Event>,
    head: Head,
    /// What it came to.
    pub state: State,
}

/// Plays the first test of a script so that its last days are these days: it is moved by whole weeks, so that weekdays
/// stay what they are, and cut at `now`.
pub(crate) fn up_to(
    laws: &Arc<LawCache>,
    book: &str,
    script: &str,
    secret: Secret,
    now: Moment,
) -> Result<Played> {
    let known: BTreeMap<String, Rc<Rulebook>> =
        BTreeMap::from([(book.to_owned(), Rc::new(rulebooks::read(book)?))]);
    let find = |name: &str| known.get(name).cloned();
    testing::with_books(vec![book.to_owned()], || {
        let runner = Runner::with_laws(&find, Arc::clone(laws));
        let file =
            TestFile::compile("demo.star", script, &testing::no_helpers).map_err(error_of)?;
        let Some(name) = file.tests().next().map(|(name, ..)| name.to_owned()) else {
            bail!("its demo.star has no function whose name begins with test_");
        };
        let play = |later, until| {
            let how = Recording {
                secret,
                later,
                until,
            };
            runner.record(&file, &name, how)
        };
        let written = play(Span(0), Moment(i64::MAX)).map_err(error_of)?;
        let week = Span::days(7);
        let weeks = (now.0 - written.head.at.0).div_euclid(week.0) + 1;
        let mut failure = None;
        for back in 0..WEEKS_BACK {
            match play(Span(week.0 * (weeks - back)), now) {
                // An evening that is yet to come is played a week earlier.
                Ok(recorded) if recorded.head.at <= now => return Ok(Played::of(recorded)),
                Ok(_) => {}
                Err(stopped) => {
                    failure.get_or_insert(stopped);
                }
            }
        }
        Err(failure.map_or_else(|| anyhow!("it was never played"), error_of))
    })
}

fn error_of(failure: Failure) -> anyhow::Error {
    anyhow!("line {}: {}", failure.line, failure.message)
}

impl Played {
    fn of(recorded: Recorded) -> Self {
        Self {
            events: recorded.events,
            head: recorded.head,
            state: recorded.state,
        }
    }

    /// Appends all of it to a journal, as a new game; it is seen there once it is whole.
    pub(crate) async fn keep(&self, game: &GameId, journal: &dyn Journal) -> Result<()> {
        let ClaimedGame::Ours(lease) = journal.claim(game, ClaimFor::Founding).await? else {
            bail!("another node is to write to {game}: give it a node that takes games");
        };
        let mut after = Head::START;
        let mut left = self.events.as_slice();
        while !left.is_empty() {
            let (some, rest) = left.split_at(left.len().min(EVENTS_AT_ONCE));
            let head = match (rest.first(), some.last()) {
                (Some(next), Some(last)) => Head {
                    seq: last.seq,
                    hash: next.previous,
                    at: last.at,
                },
                _ => self.head,
            };
            let batch = Batch {
                game: game.clone(),
                epoch: lease.epoch,
                after,
                events: some.iter().map(stored).collect(),
                head,
                next_due: self.state.next_due().map(|(at, _)| at),
                arrival: None,
            };
            journal.append(&[batch]).await?;
            (after, left) = (head, rest);
        }
        Ok(journal.release(game, lease.epoch).await?)
    }
}

fn stored(event: &Event) -> Stored {
    let encoded = record::encode(event);
    Stored {
        seq: event.seq,
        actor: event.command().actor,
        key: event.key.clone(),
        open: encoded.open,
        seals: encoded.seals,
    }
}
