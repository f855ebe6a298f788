//! The host of games on a store in memory, with a clock set by hand and a game that needs no law.

mod archives;
mod costs;
mod dues;
mod faults;
mod group_commit;
mod keeping;
mod rows;
mod sleeping;
mod verifying;

use std::sync::Arc;

use quorate_kernel::command::Actor;
use quorate_kernel::event::Event;
use quorate_kernel::ids::{EventSeq, Id, PlayerId};
use quorate_kernel::{GameId, Moment, record};

use crate::ports::{Journal, Seals, ServerSecret, TimeSource};
use crate::testing::{Counters, HandClock, Memory, contract, founding, plays};
use crate::{Answer, Games, GamesSettings, OperatingError, Ports, Receipt};

/// A server with one game, "reef", in it.
struct World {
    memory: Arc<Memory>,
    clock: Arc<HandClock>,
    games: Games,
    reef: GameId,
}

/// When every world begins, in milliseconds.
const START_MS: i64 = 1_000_000;

impl World {
    async fn new() -> Self {
        Self::with(GamesSettings::default()).await
    }

    async fn with(settings: GamesSettings) -> Self {
        let memory = Arc::new(Memory::default());
        let clock = Arc::new(HandClock::at(Moment(START_MS)));
        let games = start(&memory, &clock, settings).await;
        let world = Self {
            memory,
            clock,
            games,
            reef: game("reef"),
        };
        world.found("reef").await;
        world
    }

    async fn found(&self, word: &str) -> GameId {
        let game = game(word);
        let founded = self
            .games
            .found(&game, Actor::Operator, "found".into(), founding())
            .await;
        kept(founded);
        game
    }

    /// Sends a command of the first player to the reef.
    async fn plays(&self, key: &str, action: &str, number: i64) -> Result<Answer, OperatingError> {
        let act = plays(action, number);
        self.games.send(&self.reef, anna(), key.into(), act).await
    }

    /// The same server after it was stopped and started again.
    async fn restarted(self) -> Self {
        self.games.close().await.unwrap();
        let games = start(&self.memory, &self.clock, GamesSettings::default()).await;
        Self { games, ..self }
    }

    async fn events(&self) -> Vec<Event> {
        let events = self.memory.events(&self.reef, EventSeq(1), 10_000).await;
        let events = events.unwrap();
        events
            .iter()
            .map(|open| record::decode(open).unwrap())
            .collect()
    }

    async fn count(&self) -> i64 {
        crate::testing::count(&self.games.snapshot(&self.reef).await.unwrap().state)
    }
}

async fn start(memory: &Arc<Memory>, clock: &Arc<HandClock>, settings: GamesSettings) -> Games {
    let ports = Ports {
        journal: Arc::clone(memory) as Arc<dyn Journal>,
        seals: Arc::clone(memory) as Arc<dyn Seals>,
        judges: Arc::new(Counters),
        clock: Arc::clone(clock) as Arc<dyn TimeSource>,
        secret: ServerSecret::new([9; 32]),
        others: None,
    };
    Games::start(ports, settings).await.unwrap()
}

fn game(word: &str) -> GameId {
    word.parse().unwrap()
}

fn anna() -> Actor {
    Actor::Player(PlayerId(Id::new(EventSeq(1), 0)))
}

fn kept(answer: Result<Answer, OperatingError>) -> Receipt {
    match answer {
        Ok(Answer::Kept(receipt)) => receipt,
        other => panic!("no receipt but {other:?}"),
    }
}

/// Lets other tasks run until something holds.
async fn until(mut holds: impl AsyncFnMut() -> bool) {
    while !holds().await {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract() {
    contract::journal(&Memory::default()).await;
    contract::seals(&Memory::default()).await;
    contract::search(&Memory::default()).await;
}
