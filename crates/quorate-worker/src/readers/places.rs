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

/// What one job takes while its worker is at work.
pub(super) struct JobPlaces<'a> {
    pool: &'a Pool,
    who: &'a str,
    /// The game whose page it makes.
    page_of: Option<&'a GameId>,
    /// Where it is not known to be quick, the places of those.
    unproven: Option<&'a Semaphore>,
    taken: Option<JobPermits<'a>>,
}

struct JobPermits<'a> {
    _unproven: Option<SemaphorePermit<'a>>,
    _share: OwnedSemaphorePermit,
    _share_of_game: Option<OwnedSemaphorePermit>,
    _slot: SemaphorePermit<'a>,
}

impl<'a> JobPlaces<'a> {
    /// Waits for the places of a job.
    pub(super) async fn take(
        pool: &'a Pool,
        (who, page_of): (&'a str, Option<&'a GameId>),
        unproven: Option<&'a Semaphore>,
    ) -> Result<Self, JobFailed> {
        let mut places = Self {
            pool,
            who,
            page_of,
            unproven,
            taken: None,
        };
        places.take_again().await?;
        Ok(places)
    }

    /// Always in this order, so that no two jobs wait for each other.
    async fn take_again(&mut self) -> Result<(), JobFailed> {
        let unproven = match self.unproven {
            Some(unproven) => Some(unproven.acquire().await.map_err(closed)?),
            None => None,
        };
        // Nobody takes all workers, and no game does.
        let share = self.pool.shares.place(self.who).await?;
        let share_of_game = match self.page_of {
            Some(game) => Some(self.pool.shares.place(game.as_str()).await?),
            None => None,
        };
        self.taken = Some(JobPermits {
            _unproven: unproven,
            _share: share,
            _share_of_game: share_of_game,
            _slot: self.pool.slots.acquire().await.map_err(closed)?,
        });
        Ok(())
    }

    /// Waits for a game's answer to a command, the places being others' meanwhile.
    pub(super) async fn lent_during<T>(
        &mut self,
        judged: impl Future<Output = T>,
    ) -> Result<T, JobFailed> {
        let Ok(_lent) = self.pool.lent.try_acquire() else {
            return Ok(judged.await);
        };
        self.taken = None;
        let answer = judged.await;
        self.take_again().await?;
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
        let mut annas = JobPlaces::take(&pool, ("anna", Some(&game)), None).await;
        let annas = annas.as_mut().unwrap();
        let berts = || JobPlaces::take(&pool, ("bert", None), None);
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
        let mut annas = JobPlaces::take(&pool, ("anna", None), None).await.unwrap();
        let mut kept = Box::pin(annas.lent_during(std::future::pending::<()>()));
        assert!((&mut kept).now_or_never().is_none());
        let bert = JobPlaces::take(&pool, ("bert", None), None).now_or_never();
        assert!(bert.is_none());
        drop(all);
    }
}
