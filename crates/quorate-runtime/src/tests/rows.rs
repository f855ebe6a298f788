//! A judge that takes several commands at once.

use std::sync::Mutex;

use quorate_kernel::command::Command;
use quorate_kernel::state::State;

use super::*;
use crate::judge::{GameJudge, Head, Judged, Judges, Secret};

/// Counting games whose judges take a row of commands, and note how many became one.
#[derive(Clone, Default)]
struct InRows(Arc<Mutex<Vec<usize>>>);

struct RowJudge {
    one: Box<dyn GameJudge>,
    rows: InRows,
}

impl Judges for InRows {
    fn open(&self, game: &GameId, state: State, head: Head) -> Box<dyn GameJudge> {
        Box::new(RowJudge {
            one: Counters.open(game, state, head),
            rows: self.clone(),
        })
    }
}

impl GameJudge for RowJudge {
    fn judge(&mut self, command: &Command, secret: &Secret) -> Judged {
        let mut rows = self.rows.0.lock().unwrap();
        if let Some(row) = rows.last_mut() {
            *row += 1;
        }
        self.one.judge(command, secret)
    }

    fn row_max(&self) -> usize {
        rows_asked(&self.rows);
        64
    }

    fn next_due(&self) -> Option<Moment> {
        self.one.next_due()
    }

    fn due_command(&self, up_to: Moment) -> Option<Command> {
        self.one.due_command(up_to)
    }

    fn state(&self) -> &State {
        self.one.state()
    }

    fn head(&self) -> Head {
        self.one.head()
    }
}

/// A row begins.
fn rows_asked(rows: &InRows) {
    rows.0.lock().unwrap().push(0);
}

async fn world(rows: &InRows) -> World {
    let memory = Arc::new(Memory::default());
    let clock = Arc::new(HandClock::at(Moment(START_MS)));
    let ports = Ports {
        journal: Arc::clone(&memory) as Arc<dyn Journal>,
        seals: Arc::clone(&memory) as Arc<dyn Seals>,
        judges: Arc::new(rows.clone()),
        clock: Arc::clone(&clock) as Arc<dyn TimeSource>,
        others: None,
        secret: ServerSecret::new([9; 32]),
    };
    let games = Games::start(ports, GamesSettings::default()).await.unwrap();
    let world = World {
        memory,
        clock,
        games,
        reef: game("reef"),
    };
    world.found("reef").await;
    world
}

#[tokio::test]
async fn commands_that_wait_are_judged_in_a_row_and_each_gets_its_answer() {
    let rows = InRows::default();
    let world = world(&rows).await;
    let before = world.memory.appends().len();
    world.memory.hold();
    let first = world.plays("first", "add", 1);
    let rest = async {
        // The first is on its way to disk; these wait for it together.
        world.memory.begun(before + 1).await;
        tokio::join!(
            world.plays("a", "add", 2),
            world.plays("b", "low", 0),
            world.plays("a", "add", 2),
            world.plays("c", "ring", START_MS - 1),
            world.plays("d", "add", 3),
            async { world.memory.let_through(99) }
        )
    };
    let (first, (a, b, again, c, d, ())) = tokio::join!(first, rest);
    kept(first);
    let (a, again) = (kept(a), kept(again));
    assert_eq!(a.seq, again.seq, "the same key is the same command");
    assert!(matches!(b, Ok(Answer::Refused(_))), "{b:?}");
    let (c, d) = (kept(c), kept(d));
    // What fell due by the moment of `c` came before `d`.
    assert_eq!((c.seq.0 - a.seq.0, d.seq.0 - c.seq.0), (1, 2));
    assert_eq!(world.count().await, 6);
    let most = rows.0.lock().unwrap().iter().copied().max();
    assert!(most >= Some(2), "{rows:?}", rows = rows.0);
}
