//! Clients that send and read all the time, and what they saw.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Chance;
use super::cluster::{NoAnswer, head, roll};
use super::history::{Game, Step, What};

/// How long a client whose account has sent too much waits before it sends the same again.
const TOO_MUCH_AGAIN_AFTER: Duration = Duration::from_millis(500);

/// How long a command may take at the end of a run, when nothing is broken any more.
const MENDED_WITHIN: Duration = Duration::from_mins(1);

/// What the clients of a run share.
pub(crate) struct Run {
    /// Counts the beginnings and ends of all steps.
    clock: AtomicU64,
    steps: Mutex<Vec<Step>>,
    began: Instant,
    lasts: Duration,
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long things stay broken is for a stopwatch"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Lets time pass: what is broken stays so for as long as the seed says.
pub(crate) fn pause(time: Duration) {
    let (_nobody, says) = std::sync::mpsc::channel::<()>();
    assert!(says.recv_timeout(time).is_err(), "nobody says anything");
}

impl Run {
    /// A run that begins now.
    pub(crate) fn new(lasts: Duration) -> Self {
        Self {
            clock: AtomicU64::new(1),
            steps: Mutex::default(),
            began: now(),
            lasts,
        }
    }

    fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// Whether its time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.began.elapsed() >= self.lasts
    }

    /// Waits, but no longer than the run lasts.
    pub(crate) fn wait(&self, time: Duration) {
        let left = self.lasts.saturating_sub(self.began.elapsed());
        pause(time.min(left));
    }

    /// Says what happens, and when.
    pub(crate) fn tell(&self, what: &str) {
        println!("{:7.1} s: {what}", self.began.elapsed().as_secs_f64());
    }

    /// What the clients saw.
    pub(crate) fn steps(self) -> Vec<Step> {
        self.steps.into_inner().unwrap()
    }

    fn note(&self, client: usize, game: Game, began: u64, what: What) {
        let ended = self.tick();
        self.steps.lock().unwrap().push(Step {
            client,
            game,
            began,
            ended,
            what,
        });
    }

    /// Sends commands to a game, each again under its key until it is answered, and looks between them.
    pub(crate) fn client(
        &self,
        id: usize,
        game: Game,
        token: &str,
        front: &str,
        round: u64,
        mut chance: Chance,
    ) {
        for nth in 0.. {
            let is_last = self.is_over();
            let key = format!("{round}-{id}-{nth}");
            let began = self.tick();
            let seq = self.until_kept(front, game, token, &key);
            let what = match seq {
                Some(seq) => What::Kept { key, seq },
                None => What::Unknown { key },
            };
            self.note(id, game, began, what);
            for _ in 0..=chance.below(3) {
                let began = self.tick();
                if let Ok((seq, hash)) = head(front, game) {
                    self.note(id, game, began, What::Seen { seq, hash });
                }
            }
            if is_last {
                return;
            }
            pause(chance.milliseconds(0, 600));
        }
    }

    /// The event that a command became; none where nobody had answered by the end.
    fn until_kept(&self, front: &str, game: Game, token: &str, key: &str) -> Option<u64> {
        loop {
            match roll(front, game, token, key) {
                Ok(seq) => return Some(seq),
                Err(NoAnswer::Said(429, _)) => pause(TOO_MUCH_AGAIN_AFTER),
                Err(NoAnswer::Said(status, said)) if status < 500 => panic!("{game}: {said}"),
                Err(NoAnswer::Said(..) | NoAnswer::Gone) => {
                    pause(Duration::from_millis(50));
                }
            }
            if self.began.elapsed() > self.lasts + MENDED_WITHIN {
                return None;
            }
        }
    }
}
