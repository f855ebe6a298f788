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

/// How judging goes on.
#[derive(Clone, Copy, Debug)]
pub struct JudgesSettings {
    /// How long a command may take.
    pub command: Duration,
    /// How many workers there are at most for games that are known to be quick; for all others half as many.
    pub workers_max: usize,
}

/// All of them.
pub(super) struct JudgesPool {
    program: Program,
    pub(super) settings: JudgesSettings,
    /// Those of games that are known to be quick.
    quick: Room,
    /// Those of all other games, which stand back behind everything else.
    behind: Room,
    lacks: Mutex<Vec<String>>,
    /// Games that are not known to be quick.
    unproven: Mutex<UnprovenGames>,
    /// Rings when one of them is done.
    done: Condvar,
    /// Tells openings of games apart.
    pub(super) openings: AtomicU64,
    stopped: AtomicU64,
    ended: AtomicU64,
}

/// Workers of one sort.
struct Room {
    /// How many there are at most.
    most: usize,
    workers: Mutex<RoomWorkers>,
    /// Rings when a worker is free.
    freed: Condvar,
}

#[derive(Default)]
struct RoomWorkers {
    /// Free ones, the one used last at the end.
    free: Vec<JudgesWorker>,
    /// How many there are, busy ones too.
    count: usize,
}

impl Room {
    fn of(most: usize) -> Self {
        Self {
            most,
            workers: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    fn workers(&self) -> MutexGuard<'_, RoomWorkers> {
        // No code under the lock can leave the room half-changed.
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of them.
pub(super) struct JudgesWorker {
    pub(super) process: Process,
    /// Which opening of which game it holds, and the end of that log.
    pub(super) holds: Option<(u64, Head)>,
    /// How long it had had a processor when it took up that game.
    pub(super) worked: Duration,
    /// Whether it stands back behind all others, which is for good.
    pub(super) stands_back: bool,
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
            quick: Room::of(settings.workers_max),
            behind: Room::of(settings.workers_max.div_ceil(2)),
            lacks: Mutex::default(),
            unproven: Mutex::default(),
            done: Condvar::new(),
            openings: AtomicU64::new(0),
            stopped: AtomicU64::new(0),
            ended: AtomicU64::new(0),
        }
    }

    /// Starts one of each sort ahead of its first command.
    pub(super) fn warm(&self) -> io::Result<()> {
        for stands_back in [false, true] {
            self.room(stands_back).workers().count += 1;
            let started = self.started(stands_back);
            let worker = started.inspect_err(|_| self.lost(stands_back))?;
            self.put(worker);
        }
        Ok(())
    }

    pub(super) fn standing(&self) -> WorkersStanding {
        WorkersStanding {
            count: self.quick.workers().count + self.behind.workers().count,
            stopped: self.stopped.load(Ordering::Relaxed),
            ended: self.ended.load(Ordering::Relaxed),
            lacks: self.lacks().clone(),
        }
    }

    fn room(&self, stands_back: bool) -> &Room {
        if stands_back {
            &self.behind
        } else {
            &self.quick
        }
    }

    fn lacks(&self) -> MutexGuard<'_, Vec<String>> {
        self.lacks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn started(&self, stands_back: bool) -> io::Result<JudgesWorker> {
        let process = self.program.start()?;
        if stands_back {
            process.stand_back();
        }
        self.lacks().clone_from(&process.lacks);
        Ok(JudgesWorker {
            process,
            holds: None,
            worked: Duration::ZERO,
            stands_back,
        })
    }

    fn unproven(&self) -> MutexGuard<'_, UnprovenGames> {
        self.unproven.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn of a game; whoever comes first has it first. Quick games need none: they have workers of their own.
    pub(super) fn turn(&self, is_quick: bool) -> Option<UnprovenTurn<'_>> {
        if is_quick {
            return None;
        }
        let mut unproven = self.unproven();
        let number = unproven.next;
        unproven.next += 1;
        unproven.line.push_back(number);
        while unproven.count >= self.behind.most || unproven.line.front() != Some(&number) {
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
    pub(super) fn take(
        &self,
        stands_back: bool,
        (opening, head): (u64, Head),
    ) -> io::Result<JudgesWorker> {
        let room = self.room(stands_back);
        let mut workers = room.workers();
        loop {
            let place = |fits: &dyn Fn(&JudgesWorker) -> bool| workers.free.iter().position(fits);
            let found = place(&|worker| worker.holds == Some((opening, head)))
                .or_else(|| place(&|worker| worker.holds.is_none()));
            if let Some(nth) = found {
                return Ok(workers.free.remove(nth));
            }
            if workers.count < room.most {
                workers.count += 1;
                drop(workers);
                let started = self.started(stands_back);
                return started.inspect_err(|_| self.lost(stands_back));
            }
            if !workers.free.is_empty() {
                return Ok(workers.free.remove(0));
            }
            let waited = room.freed.wait(workers);
            workers = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A worker is free. Where there are too many of its sort, it goes.
    pub(super) fn put(&self, worker: JudgesWorker) {
        let room = self.room(worker.stands_back);
        let mut workers = room.workers();
        if workers.count > room.most {
            workers.count -= 1;
            drop(workers);
            drop(worker);
        } else {
            workers.free.push(worker);
            drop(workers);
        }
        room.freed.notify_one();
    }

    /// A worker stands back from now on, and quick games have another one in its place.
    pub(super) fn stands_back(self: &Arc<Self>, worker: &mut JudgesWorker) {
        if !worker.stands_back {
            worker.stands_back = true;
            worker.process.stand_back();
            self.behind.workers().count += 1;
            self.replace(false);
        }
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
    pub(super) fn lost(&self, stands_back: bool) {
        let room = self.room(stands_back);
        room.workers().count -= 1;
        room.freed.notify_one();
    }

    /// Has a spare worker ready in place of one that is gone.
    pub(super) fn replace(self: &Arc<Self>, stands_back: bool) {
        let pool = Arc::clone(self);
        let start = move || match pool.started(stands_back) {
            Ok(worker) => pool.put(worker),
            Err(error) => {
                tracing::error!(%error, "a worker cannot be replaced");
                pool.lost(stands_back);
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
            workers_max: 2,
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
