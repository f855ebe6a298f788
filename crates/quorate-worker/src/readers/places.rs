//! The places that jobs take among the workers that are at work.
//!
//! A worker does nothing while its command is judged. Its places are lent to others meanwhile, so that games that judge slowly keep
//! no worker from anybody. How many are lent like that is bounded, since each is a process; where there are more, the worker keeps
//! its places.

use quorate_kernel::GameId;
use quorate_runtime::ports::JobFailed;
use tokio::sync::OwnedSemaphorePermit;

use super::pool::{Pool, stays_taken};
use super::slots::{SlotFor, Slots, TakenSlot};

/// What one job takes while its worker is at work.
pub(super) struct JobPlaces<'a> {
    pool: &'a Pool,
    who: String,
    taken: Option<JobPermits>,
    /// Whether the job is over. Where its reader goes away before that, a worker is stopped, and the share that it took stays taken for
    /// a while: nobody may have that done as often as they like.
    pub(super) is_over: bool,
}

struct JobPermits {
    share: Option<OwnedSemaphorePermit>,
    _share_of_game: Option<OwnedSemaphorePermit>,
    _of_its_pace: Vec<TakenSlot>,
    _slot: TakenSlot,
}

impl<'a> JobPlaces<'a> {
    /// Waits for the places of somebody's job, which may make a page of a game, and of which `of_its_pace` bounds how many there are at
    /// a time. Always in this order, so that no two jobs wait for each other.
    pub(super) async fn take(
        pool: &'a Pool,
        (who, page_of): (&str, Option<&GameId>),
        of_its_pace: &[&Slots],
    ) -> Result<Self, JobFailed> {
        // Nobody takes all workers, and no game does.
        let share = pool.shares.place(who).await?;
        let share_of_game = match page_of {
            Some(game) => Some(pool.shares.place(game.as_str()).await?),
            None => None,
        };
        let mut bounded = Vec::new();
        for bound in of_its_pace {
            bounded.push(bound.place(SlotFor::New, who).await?);
        }
        let taken = JobPermits {
            share: Some(share),
            _share_of_game: share_of_game,
            _of_its_pace: bounded,
            _slot: pool.slots.place(SlotFor::New, who).await?,
        };
        Ok(Self {
            pool,
            who: who.to_owned(),
            taken: Some(taken),
            is_over: false,
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
            share: None,
            _share_of_game: None,
            _of_its_pace: Vec::new(),
            _slot: self.pool.slots.place(SlotFor::Returning, &self.who).await?,
        });
        Ok(answer)
    }
}

impl Drop for JobPlaces<'_> {
    fn drop(&mut self) {
        let taken = self.taken.take().filter(|_| !self.is_over);
        if let Some(share) = taken.and_then(|taken| taken.share) {
            stays_taken(share);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;

    use super::super::pool::LEFT_TURN;
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
    async fn who_goes_away_keeps_their_share_for_a_while_and_no_place() {
        let pool = pool(3);
        let game: GameId = "reef".parse().unwrap();
        let annas = || JobPlaces::take(&pool, ("anna", Some(&game)), &[]);
        let (first, second) = (annas().await.unwrap(), annas().await);
        let mut second = second.unwrap();
        second.is_over = true;
        drop((first, second));
        tokio::time::sleep(LEFT_TURN / 4).await;
        let mut third = annas().await.unwrap();
        assert!(annas().now_or_never().is_none(), "one share is taken still");
        let berts = JobPlaces::take(&pool, ("bert", Some(&game)), &[]);
        let berts = berts.now_or_never();
        assert!(berts.is_some(), "the game's share and a place are free");
        drop(berts);
        tokio::time::sleep(LEFT_TURN).await;
        assert!(annas().now_or_never().is_some());
        third.is_over = true;
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
