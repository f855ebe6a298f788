//! Group commit: the events of all games that wait go to disk in one transaction with one sync.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::ports::{Batch, Journal, StoreError};

/// How many batches may wait. Each game has at most one, so this bounds nothing in practice.
const WAITING_MAX: usize = 1_024;

/// The way to the one task that appends. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Committer(mpsc::Sender<Commit>);

struct Commit {
    batch: Batch,
    done: oneshot::Sender<Result<(), StoreError>>,
}

impl Committer {
    /// Starts the task. It ends when all ways to it are dropped.
    pub(crate) fn start(journal: Arc<dyn Journal>) -> Self {
        let (sender, inbox) = mpsc::channel(WAITING_MAX);
        tokio::spawn(run(journal, inbox));
        Self(sender)
    }

    /// How many batches wait while others are appended.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        WAITING_MAX - self.0.capacity()
    }

    /// Has a batch appended; when this returns without an error, it is on disk.
    pub(crate) async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        let gone = || StoreError::Failed {
            cause: "the task that writes has ended".into(),
        };
        let (done, answer) = oneshot::channel();
        self.0
            .send(Commit { batch, done })
            .await
            .map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

async fn run(journal: Arc<dyn Journal>, mut inbox: mpsc::Receiver<Commit>) {
    let mut waiting = Vec::new();
    // While one sync runs, the next batches gather in the channel.
    while inbox.recv_many(&mut waiting, WAITING_MAX).await > 0 {
        append(&*journal, std::mem::take(&mut waiting)).await;
    }
}

/// Appends all commits, or all but those that do not fit the log of their game.
async fn append(journal: &dyn Journal, mut commits: Vec<Commit>) {
    while !commits.is_empty() {
        let (batches, waiting): (Vec<_>, Vec<_>) =
            commits.into_iter().map(|c| (c.batch, c.done)).unzip();
        let outcome = journal.append(&batches).await;
        let misfit = outcome.as_ref().err().and_then(StoreError::game);
        let misfit = misfit
            .filter(|game| batches.iter().any(|b| b.game == **game))
            .cloned();
        commits = Vec::new();
        for (batch, done) in batches.into_iter().zip(waiting) {
            match &misfit {
                Some(game) if batch.game != *game => commits.push(Commit { batch, done }),
                // A writer that is gone does not wait for the answer.
                _ => drop(done.send(outcome.clone())),
            }
        }
    }
}
