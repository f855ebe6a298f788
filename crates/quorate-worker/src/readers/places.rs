//! The places that jobs take among the workers that are at work.
//!
//! A worker does nothing while its command is judged. Its places are lent to others meanwhile, so that games that judge slowly keep
//! no worker from anybody. How many are lent like that is bounded, since each is a process; where there are more, the worker keeps
//! its places.

use quorate_kernel::GameId;
use quorate_runtime::ports::JobFailed;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use super::pool::Pool;
use super::shares::closed;
use super::slots::{Slot, SlotFor};

/// What one job takes while its worker is at work.
pub(super) struct JobPlaces<'a> {
    pool: &'a Pool,
    taken: Option<JobPermits<'a>>,
}

struct JobPermits<'a> {
    _shares: Vec<OwnedSemaphorePermit>,
    _of_its_pace: Vec<SemaphorePermit<'a>>,
    _slot: Slot,
}

impl<'a> JobPlaces<'a> {
    /// Waits for the places of somebody's job, which may make a page of a game, and of which `of_its_pace` bounds how many there are at
    /// a time. Always in this order, so that no two jobs wait for each other.
    pub(super) async fn take(
        pool: &'a Pool,
        (who, page_of): (&str, Option<&GameId>),
        of_its_pace: &[&'a Semaphore],
    ) -> Result<Self, JobFailed> {
        // Nobody takes all workers, and no game does.
        let mut shares = vec![pool.shares.place(who).await?];
        if let Some(game) = page_of {
            shares.push(pool.shares.place(game.as_str()).await?);
        }
        let mut bounded = Vec::new();
        for bound in of_its_pace {
            bounded.push(bound.acquire().await.map_err(closed)?);
        }
        let taken = JobPermits {
            _shares: shares,
            _of_its_pace: bounded,
            _slot: pool.slots.place(SlotFor::New).await?,
        };
        Ok(Self {
            pool,
            taken: Some(taken),
        })
    }

    /// Waits for a game's answer to a command, the places being others' meanwhile. Afterwards the job is nearly done, and takes
    /// the next worker's place that is free, and no share.
    pub(super) async fn lent_during<T>(
        &mut self,
        judged: impl Future<Output = T>,
    ) -> Result<T, JobFailed> {
        let Ok(_lent) = self.pool.lent.try_acquire() else {
            return Ok(judged.await);
        };
        self.taken = None;
        let answer = judged.await;
        self.taken = Some(JobPermits {
            _shares: Vec::new(),
            _of_its_pace: Vec::new(),
            _slot: self.pool.slots.place(SlotFor::Returning).await?,
        });
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::process::Program;

    fn pool(slots: usize) -> Arc<Pool> {
        let nothing = Program {
            path: "nothing".into(),
            words: Vec::new(),
        };
        Pool::new(nothing, Vec::new(), 8, slots)
    }

    #[tokio::test]
    async fn while_a_game_judges_the_worker_takes_no_place() {
        let pool = pool(1);
        let game: GameId = "reef".parse().unwrap();
        let mut annas = JobPlaces::take(&pool, ("anna", Some(&game)), &[]).await;
        let annas = annas.as_mut().unwrap();
        let berts = || JobPlaces::take(&pool, ("bert", None), &[]);
        let why = "the only worker is Anna's";
        assert!(berts().now_or_never().is_none(), "{why}");

        let (judge, judged) = tokio::sync::oneshot::channel();
        let mut lent = Box::pin(annas.lent_during(judged));
        assert!((&mut lent).now_or_never().is_none());
        let bert = berts().now_or_never();
        assert!(bert.is_some(), "it is free while the game judges");
        judge.send("kept").unwrap();
        assert!((&mut lent).now_or_never().is_none(), "Bert has it");
        drop(bert);
        let answer = (&mut lent).now_or_never();
        assert_eq!(answer, Some(Ok(Ok("kept"))), "it is free again");
        drop(lent);
        assert!(berts().now_or_never().is_none(), "Anna has it again");
    }

    #[tokio::test]
    async fn where_many_are_lent_the_next_worker_keeps_its_places() {
        let pool = pool(1);
        let all = u32::try_from(pool.lent.available_permits()).unwrap();
        let all = pool.lent.try_acquire_many(all).unwrap();
        let mut annas = JobPlaces::take(&pool, ("anna", None), &[]).await.unwrap();
        let mut kept = Box::pin(annas.lent_during(std::future::pending::<()>()));
        assert!((&mut kept).now_or_never().is_none());
        let bert = JobPlaces::take(&pool, ("bert", None), &[]).now_or_never();
        assert!(bert.is_none());
        drop(all);
    }
}
