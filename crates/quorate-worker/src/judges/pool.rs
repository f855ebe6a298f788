//! The workers that judge: how many there are, which are free, and what each holds.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_runtime::judge::Head;
use quorate_runtime::ports::WorkersStanding;

use crate::frame::{self, Until};
use crate::patience::Patience;
use crate::process::{Process, Program};

/// How many workers are kept for games whose commands are quick.
const KEPT_FOR_QUICK: usize = 2;

/// How judging goes on.
#[derive(Clone, Copy, Debug)]
pub struct JudgesSettings {
    /// How long a command may take.
    pub command: Duration,
    /// How many workers there are at most.
    pub workers_max: usize,
}

/// All of them.
pub(super) struct JudgesPool {
    program: Program,
    pub(super) settings: JudgesSettings,
    room: Mutex<Room>,
    /// Rings when a worker is free.
    freed: Condvar,
    /// Games that are not known to be quick.
    unproven: Mutex<UnprovenGames>,
    /// Rings when one of them is done.
    done: Condvar,
    /// Tells openings of games apart.
    pub(super) openings: AtomicU64,
    stopped: AtomicU64,
    ended: AtomicU64,
}

#[derive(Default)]
struct Room {
    /// Free workers, the one used last at the end.
    free: Vec<JudgesWorker>,
    /// How many there are, busy ones too.
    count: usize,
    lacks: Vec<String>,
}

/// One of them.
pub(super) struct JudgesWorker {
    pub(super) process: Process,
    /// Which opening of which game it holds, and the end of that log.
    pub(super) holds: Option<(u64, Head)>,
    /// How long it had had a processor when it took up that game.
    pub(super) worked: Duration,
}

impl JudgesWorker {
    /// The line to it, for so long, or longer where it has no processor.
    pub(super) fn line(&self, time: Duration) -> Until<'_> {
        let patience = Patience::of(time, self.worked);
        Until::after(&self.process.socket, time).with_patience(self.process.id(), patience)
    }
}

/// Games that are not known to be quick, and their turns.
#[derive(Default)]
struct UnprovenGames {
    /// How many have one.
    count: usize,
    /// The number of the next that comes.
    next: u64,
    /// Those that wait, in the order in which they came.
    line: VecDeque<u64>,
}

/// The turn of a game that is not known to be quick.
pub(super) struct UnprovenTurn<'a>(&'a JudgesPool);

impl Drop for UnprovenTurn<'_> {
    fn drop(&mut self) {
        self.0.unproven().count -= 1;
        self.0.done.notify_all();
    }
}

impl JudgesPool {
    pub(super) fn new(program: Program, settings: JudgesSettings) -> Self {
        Self {
            program,
            settings,
            room: Mutex::default(),
            freed: Condvar::new(),
            unproven: Mutex::default(),
            done: Condvar::new(),
            openings: AtomicU64::new(0),
            stopped: AtomicU64::new(0),
            ended: AtomicU64::new(0),
        }
    }

    /// Starts one ahead of its first command.
    pub(super) fn warm(&self) -> io::Result<()> {
        self.room().count += 1;
        let started = self.started().inspect_err(|_| self.lost());
        started.map(|worker| self.put(worker))
    }

    pub(super) fn standing(&self) -> WorkersStanding {
        let room = self.room();
        WorkersStanding {
            count: room.count,
            stopped: self.stopped.load(Ordering::Relaxed),
            ended: self.ended.load(Ordering::Relaxed),
            lacks: room.lacks.clone(),
        }
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        // No code under the lock can leave the room half-changed.
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn started(&self) -> io::Result<JudgesWorker> {
        let process = self.program.start()?;
        self.room().lacks.clone_from(&process.lacks);
        Ok(JudgesWorker {
            process,
            holds: None,
            worked: Duration::ZERO,
        })
    }

    fn unproven(&self) -> MutexGuard<'_, UnprovenGames> {
        self.unproven.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn of a game; whoever comes first has it first. Quick games need none: for them there are always workers that
    /// the others don't take.
    pub(super) fn turn(&self, is_quick: bool) -> Option<UnprovenTurn<'_>> {
        if is_quick {
            return None;
        }
        let most = self.settings.workers_max.saturating_sub(KEPT_FOR_QUICK);
        let mut unproven = self.unproven();
        let number = unproven.next;
        unproven.next += 1;
        unproven.line.push_back(number);
        while unproven.count >= most.max(1) || unproven.line.front() != Some(&number) {
            let waited = self.done.wait(unproven);
            unproven = waited.unwrap_or_else(PoisonError::into_inner);
        }
        unproven.line.pop_front();
        unproven.count += 1;
        // There may be a place for the one behind it too.
        self.done.notify_all();
        Some(UnprovenTurn(self))
    }

    /// The worker that holds a game as it is, or one that holds none, or the one that was not used for longest.
    pub(super) fn take(&self, opening: u64, head: Head) -> io::Result<JudgesWorker> {
        let mut room = self.room();
        loop {
            let place = |fits: &dyn Fn(&JudgesWorker) -> bool| room.free.iter().position(fits);
            let found = place(&|worker| worker.holds == Some((opening, head)))
                .or_else(|| place(&|worker| worker.holds.is_none()));
            if let Some(nth) = found {
                return Ok(room.free.remove(nth));
            }
            if room.count < self.settings.workers_max {
                room.count += 1;
                drop(room);
                return self.started().inspect_err(|_| self.lost());
            }
            if !room.free.is_empty() {
                return Ok(room.free.remove(0));
            }
            room = self
                .freed
                .wait(room)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn put(&self, worker: JudgesWorker) {
        self.room().free.push(worker);
        self.freed.notify_one();
    }

    /// Counts a worker that is of no more use.
    pub(super) fn count(&self, error: &io::Error) {
        let counter = if frame::is_over(error) {
            &self.stopped
        } else {
            &self.ended
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// A worker is gone; there is room for another.
    pub(super) fn lost(&self) {
        self.room().count -= 1;
        self.freed.notify_one();
    }

    /// Has a spare worker ready for the game that just lost its own.
    pub(super) fn replace(self: &Arc<Self>) {
        let pool = Arc::clone(self);
        let start = move || match pool.started() {
            Ok(worker) => pool.put(worker),
            Err(error) => {
                tracing::error!(%error, "a worker cannot be replaced");
                pool.lost();
            }
        };
        std::thread::spawn(start);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn games_that_are_not_known_to_be_quick_leave_workers_to_the_others() {
        let program = Program {
            path: "nothing".into(),
            words: Vec::new(),
        };
        let settings = JudgesSettings {
            command: Duration::from_secs(1),
            workers_max: KEPT_FOR_QUICK + 1,
        };
        let pool = JudgesPool::new(program, settings);
        let first = pool.turn(false);
        assert!(first.is_some() && pool.turn(true).is_none());
        let (comes, came) = mpsc::channel();
        std::thread::scope(|scope| {
            let pool = &pool;
            for nth in 1..=3 {
                let comes = comes.clone();
                scope.spawn(move || {
                    let turn = pool.turn(false);
                    comes.send(nth).expect("somebody waits");
                    drop(turn);
                });
                while pool.unproven().line.len() < nth {
                    std::thread::yield_now();
                }
            }
            let too_early = came.recv_timeout(Duration::from_millis(50));
            assert!(too_early.is_err(), "there is no place for it yet");
            drop(first);
            let came: Vec<usize> = came.iter().take(3).collect();
            assert_eq!(came, [1, 2, 3], "in the order in which they came");
        });
        assert_eq!(pool.unproven().count, 0);
    }
}
