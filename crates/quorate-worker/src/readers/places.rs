//! The places that jobs take: among the workers that are at work, and among the commands that wait for their games.
//!
//! A worker does nothing while its command is judged. Its places are given back meanwhile, so that games that judge slowly keep
//! no worker from anybody; how many wait like that is bounded, since each is a process.

use std::time::{Duration, Instant};

use quorate_kernel::GameId;
use quorate_runtime::ports::JobFailed;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use super::pace::{GamePace, Paces};
use super::pool::Pool;
use super::shares::{Shares, closed};

/// How many workers with a command there are at most, at work or waiting for a game.
const COMMANDS_MAX: usize = 12;

/// How many of them for games whose commands are not known to be quick.
const UNPROVEN_MAX: usize = 8;

/// How many of them for one account or address, or for one game.
const COMMANDS_EACH: usize = 4;

/// The commands for which there is a worker.
pub(super) struct Commands {
    all: Semaphore,
    unproven: Semaphore,
    shares: Shares,
    /// How quick games are to judge.
    paces: Paces,
}

impl Default for Commands {
    fn default() -> Self {
        Self {
            all: Semaphore::new(COMMANDS_MAX),
            unproven: Semaphore::new(UNPROVEN_MAX),
            shares: Shares::new(COMMANDS_EACH),
            paces: Paces::default(),
        }
    }
}

/// The place of one command.
pub(super) struct CommandPlace<'a> {
    commands: &'a Commands,
    game: &'a GameId,
    _shares: [OwnedSemaphorePermit; 2],
    _unproven: Option<SemaphorePermit<'a>>,
    _one: SemaphorePermit<'a>,
}

impl Commands {
    /// Waits for the place of a command.
    pub(super) async fn place<'a>(
        &'a self,
        who: &str,
        game: &'a GameId,
    ) -> Result<CommandPlace<'a>, JobFailed> {
        let shares = [
            self.shares.place(who).await?,
            self.shares.place(game.as_str()).await?,
        ];
        let unproven = if self.paces.of(game) == GamePace::Quick {
            None
        } else {
            Some(self.unproven.acquire().await.map_err(closed)?)
        };
        Ok(CommandPlace {
            commands: self,
            game,
            _shares: shares,
            _unproven: unproven,
            _one: self.all.acquire().await.map_err(closed)?,
        })
    }
}

/// What one job takes while its worker is at work.
pub(super) struct JobPlaces<'a> {
    pool: &'a Pool,
    who: &'a str,
    /// The game whose page it makes.
    page_of: Option<&'a GameId>,
    /// Where it is not known to be quick, the places of those.
    unproven: Option<&'a Semaphore>,
    command: Option<CommandPlace<'a>>,
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
        command: Option<CommandPlace<'a>>,
    ) -> Result<Self, JobFailed> {
        let mut places = Self {
            pool,
            who,
            page_of,
            unproven,
            command,
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
    #[expect(
        clippy::disallowed_methods,
        reason = "only in which order commands are sent depends on it"
    )]
    pub(super) async fn lent_during<T>(
        &mut self,
        judged: impl Future<Output = T>,
    ) -> Result<T, JobFailed> {
        let Some(command) = &self.command else {
            return Ok(judged.await);
        };
        self.taken = None;
        let before = Instant::now();
        let answer = judged.await;
        command.note(before.elapsed());
        self.take_again().await?;
        Ok(answer)
    }
}

impl CommandPlace<'_> {
    /// The game took so long.
    fn note(&self, judging: Duration) {
        self.commands.paces.note(self.game, judging);
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
        let (pool, commands) = (pool(1), Commands::default());
        let game: GameId = "reef".parse().unwrap();
        let command = commands.place("anna", &game).await.unwrap();
        let of_anna = ("anna", Some(&game));
        let mut annas = JobPlaces::take(&pool, of_anna, None, Some(command)).await;
        let annas = annas.as_mut().unwrap();
        let berts = || JobPlaces::take(&pool, ("bert", None), None, None);
        assert!(
            berts().now_or_never().is_none(),
            "the only worker is Anna's"
        );

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
    async fn games_that_judge_slowly_leave_places_to_those_that_are_quick() {
        let commands = Commands::default();
        let [reef, moor, fen] = ["reef", "moor", "fen"].map(|game| game.parse::<GameId>().unwrap());
        commands.paces.note(&fen, Duration::ZERO);
        let mut taken = Vec::new();
        for game in [&reef, &moor] {
            for nth in 0..=COMMANDS_EACH {
                let who = format!("{game} {nth}");
                let place = commands.place(&who, game).now_or_never();
                assert_eq!(place.is_some(), nth < COMMANDS_EACH, "{who}");
                taken.extend(place);
            }
        }
        assert_eq!(taken.len(), UNPROVEN_MAX);
        let other: GameId = "dune".parse().unwrap();
        assert!(commands.place("eve", &other).now_or_never().is_none());
        assert!(commands.place("dora", &fen).now_or_never().is_some());
    }
}
