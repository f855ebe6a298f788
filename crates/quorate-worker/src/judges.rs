//! Games whose commands are judged by workers.
//!
//! The server keeps what needs no law: the state, and what is due in it. A command goes to a worker that holds the same
//! state; the event that comes back is taken into the server's own state, which checks each old value. A worker holds one game
//! at a time and goes from game to game, so that there are as many as games are busy at once, and no more than a limit.
//! One whose time is over is killed: its command is refused, and the game goes on in the next.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use quorate_engine::LawCache;
use quorate_kernel::command::Command;
use quorate_kernel::event::Event;
use quorate_kernel::record;
use quorate_kernel::state::State;
use quorate_kernel::{GameId, Moment, Refusal};
use quorate_runtime::in_process::InProcess;
use quorate_runtime::judge::{Culprit, GameJudge, Head, Judged, Judges, Secret, ends_row};
use quorate_runtime::ports::WorkersStanding;
use quorate_runtime::wire::{WireHead, WireJudged, WireRecord, come_head, sent_head};
use serde::{Deserialize, Serialize};

use crate::culprit::{OpenRuns, RunTold, Teller};
use crate::frame;
use crate::process::Program;
use pool::{JudgesPool, JudgesWorker};

pub use pool::JudgesSettings;

mod pool;

/// How long a worker may take to take up a game, its law compiled and checked.
const OPEN_WITHIN: Duration = Duration::from_secs(10);

/// How often a command is judged again at most whose worker is lost.
const AGAIN_MAX: u32 = 3;

/// After which part of its time a worker says what it is at.
const TELLS_AFTER: u32 = 5;

/// For how long a worker of quick games may have a processor to take up a game.
const QUICK_OPENING: Duration = Duration::from_millis(150);

/// How many commands a worker is handed at once.
const IN_ROW_MAX: usize = 64;

/// How many rows of commands have to be quick after a slow one, so that nobody is quick and slow by turns.
const PROVES_AFTER_SLOW: u32 = 16;

/// How much memory a worker may take for laws that it has compiled, in bytes: it goes from game to game, and there are several.
const LAWS_BYTES: usize = 32 << 20;

/// From the server to a worker.
#[derive(Serialize, Deserialize)]
enum JudgeOrder {
    /// Take up a game, in place of another.
    Open(WireRecord, WireHead),
    /// These events of the past are what the commands to come are about.
    Recall(Vec<WireRecord>),
    /// Judge commands in a row, and say what rule code runs where one has taken so long.
    Judge {
        commands: Vec<WireRecord>,
        secret: Secret,
        tells_after: Duration,
    },
    /// Judge an event of a log again, on its tape.
    Again(WireRecord, Secret),
}

/// From a worker that judges.
#[derive(Serialize, Deserialize)]
enum JudgeSays {
    /// What runs.
    Runs(RunTold),
    /// What a command came to, and whether the row ends with it.
    Judged(WireJudged, bool),
}

/// Judges in workers.
#[derive(Clone)]
pub struct WorkerJudges(Arc<JudgesPool>);

/// A game of which a worker judges the commands.
struct DistantJudge {
    pool: Arc<JudgesPool>,
    opening: u64,
    state: State,
    head: Head,
    past: Vec<WireRecord>,
    /// Whether the worker has heard of the past.
    is_told: bool,
    /// The clause that cost the last command its worker.
    culprit: Option<Culprit>,
    /// How many rows of commands have to be quick before the game counts as quick.
    to_prove: u32,
    /// Whether it counts as quick since its last row: the first worker of that sort has to take it up, however long that takes.
    has_just_proven: bool,
}

impl WorkerJudges {
    /// Judges in workers of that program.
    pub fn new(program: Program, settings: JudgesSettings) -> Self {
        Self(Arc::new(JudgesPool::new(program, settings)))
    }

    /// Starts a worker, so that the first command need not wait for one.
    ///
    /// # Errors
    /// Fails where none can be started.
    pub fn warm(&self) -> io::Result<()> {
        self.0.warm()
    }

    /// How the workers do.
    pub fn standing(&self) -> WorkersStanding {
        self.0.standing()
    }
}

impl Judges for WorkerJudges {
    fn open(&self, _: &GameId, state: State, head: Head) -> Box<dyn GameJudge> {
        Box::new(DistantJudge {
            opening: self.0.openings.fetch_add(1, Ordering::Relaxed),
            pool: Arc::clone(&self.0),
            state,
            head,
            past: Vec::new(),
            is_told: true,
            culprit: None,
            to_prove: 1,
            has_just_proven: false,
        })
    }
}

impl DistantJudge {
    /// Has commands judged. A worker that is too slow over one is stopped, and what it said tells whose code that was. Where
    /// one ends by itself, the command is judged again by another, which says what it is at from the beginning. One that was
    /// merely killed, perhaps before it was asked, is no reason to give up.
    ///
    /// Gives the answers of the commands that were judged before a worker was lost; an error where that is none.
    fn asked(&mut self, commands: &[Command], secret: &Secret) -> io::Result<Vec<Judged>> {
        self.culprit = None;
        let time = self.pool.settings.command;
        let pool = Arc::clone(&self.pool);
        let stands_back = self.to_prove > 0;
        let _turn = pool.turn(!stands_back);
        let mut worker = pool.take(stands_back, (self.opening, self.head))?;
        let (mut row, mut tells_after, mut tries) = (commands, time / TELLS_AFTER, 0);
        let mut judged = Vec::new();
        let error = loop {
            let mut heard = HeardRuns::default();
            let asked = (row, secret, tells_after);
            let asked = self.asked_of(&mut worker, asked, &mut judged, &mut heard);
            if heard.was_slow {
                pool.stands_back(&mut worker);
            }
            let Err(error) = asked else {
                let before = self.to_prove;
                self.to_prove = still_to_prove(before, !heard.was_slow);
                self.has_just_proven = before > 0 && self.to_prove == 0;
                worker.holds = Some((self.opening, self.head));
                pool.put(worker);
                return Ok(judged);
            };
            self.pool.count(&error);
            let over = frame::is_over(&error);
            let (worked, left) = heard.worked.unwrap_or_default();
            let has_told = heard.worked.is_some();
            let at_fault = (!over || has_told) && worker.process.is_at_fault(over, left, worked);
            if over || at_fault {
                self.to_prove = still_to_prove(self.to_prove, false);
            }
            if judged.is_empty()
                && at_fault
                && let Some(clause) = heard.runs.culprit(&self.state, over.then_some(time), true)
            {
                let why = why(&error, time);
                self.culprit = Some(Culprit { clause, why });
            }
            let is_again = tries > 0;
            let is_settled = self.culprit.is_some()
                || !judged.is_empty()
                || (over && has_told)
                || (is_again && (over || at_fault));
            if is_settled || tries == AGAIN_MAX {
                break error;
            }
            // Gone before the next one comes, for there is not room for both.
            let stands_back = worker.stands_back;
            drop(worker);
            let started = self.pool.started(stands_back);
            worker = started.inspect_err(|_| self.pool.lost(stands_back))?;
            row = &commands[..commands.len().min(1)];
            tries += 1;
            if over || at_fault {
                tells_after = Duration::ZERO;
            }
        };
        let (command, culprit) = (commands.get(judged.len()), &self.culprit);
        let act = command.map(|command| command.act.name());
        tracing::warn!(%error, ?act, ?culprit, "a worker is lost over a command");
        let stands_back = worker.stands_back;
        drop(worker);
        self.pool.replace(stands_back);
        if judged.is_empty() {
            return Err(error);
        }
        // What was judged holds; the next one is asked about anew.
        Ok(judged)
    }

    /// Has a worker take up the game as it is, with the past that is to be known. True where that took long, as it does where a law
    /// that has to be compiled first is long.
    fn made_ready(&mut self, worker: &mut JudgesWorker) -> io::Result<bool> {
        let mut is_slow = false;
        let as_it_is = Some((self.opening, self.head));
        if worker.holds != as_it_is {
            let open = JudgeOrder::Open(WireRecord::of_state(&self.state), sent_head(self.head));
            let before = worker.process.worked().unwrap_or_default();
            let _: bool = say(worker, &open, OPEN_WITHIN)?;
            worker.worked = worker.process.worked().unwrap_or_default();
            worker.holds = as_it_is;
            self.is_told = self.past.is_empty();
            let took_long = worker.worked.saturating_sub(before) > QUICK_OPENING;
            is_slow = took_long && !self.has_just_proven;
        }
        if !self.is_told {
            let past = JudgeOrder::Recall(self.past.clone());
            let _: bool = say(worker, &past, self.pool.settings.command)?;
            self.is_told = true;
        }
        Ok(is_slow)
    }

    /// Has an event judged again, on its tape. A worker that is lost over it leaves no answer.
    fn asked_on_tape(&mut self, event: &Event, secret: &Secret) -> io::Result<Judged> {
        let pool = Arc::clone(&self.pool);
        let stands_back = self.to_prove > 0;
        let _turn = pool.turn(!stands_back);
        let mut worker = pool.take(stands_back, (self.opening, self.head))?;
        match self.on_tape(&mut worker, event, secret) {
            Ok(judged) => {
                worker.holds = Some((self.opening, self.head));
                self.pool.put(worker);
                Ok(judged)
            }
            Err(error) => {
                self.pool.count(&error);
                self.pool.lost(worker.stands_back);
                Err(error)
            }
        }
    }

    fn on_tape(
        &mut self,
        worker: &mut JudgesWorker,
        event: &Event,
        secret: &Secret,
    ) -> io::Result<Judged> {
        self.made_ready(worker)?;
        let order = JudgeOrder::Again(WireRecord::of_event(event), *secret);
        let said: JudgeSays = say(worker, &order, self.pool.settings.command)?;
        let JudgeSays::Judged(judged, true) = said else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let judged = judged.judged().map_err(io::Error::other)?;
        if let Judged::Event(event) = &judged {
            self.follow(event).map_err(io::Error::other)?;
        }
        Ok(judged)
    }

    /// Has commands judged by a worker in a row, each within its time. What it says of one that takes long is noted in `heard`.
    fn asked_of(
        &mut self,
        worker: &mut JudgesWorker,
        (commands, secret, tells_after): (&[Command], &Secret, Duration),
        judged: &mut Vec<Judged>,
        heard: &mut HeardRuns,
    ) -> io::Result<()> {
        heard.was_slow = self.made_ready(worker)?;
        let time = self.pool.settings.command;
        let order = JudgeOrder::Judge {
            commands: commands.iter().map(WireRecord::of_command).collect(),
            secret: *secret,
            tells_after,
        };
        let mut line = worker.line(time);
        frame::write(&mut line, &frame::bytes(&order)?)?;
        for (nth, command) in commands.iter().enumerate() {
            heard.begin();
            let (answer, is_last) = verdict(worker, time, heard)?;
            let answer = answer.judged().map_err(io::Error::other)?;
            if let Judged::Event(event) = &answer {
                self.follow(event).map_err(io::Error::other)?;
            }
            let ends = nth + 1 == commands.len() || ends_row(&answer, self.next_due(), command);
            if is_last != ends {
                return Err(io::ErrorKind::InvalidData.into());
            }
            judged.push(answer);
            if ends {
                break;
            }
        }
        Ok(())
    }

    /// Takes in an event, whose every old value must be what this side knows. What else it must be the writer checks.
    fn follow(&mut self, event: &Event) -> Result<(), String> {
        if event.seq != self.head.seq.next() || event.previous != self.head.hash {
            return Err("the event does not come right after the last one".to_owned());
        }
        let effects = event.steps.iter().map(|step| &step.effect);
        let taken = self.state.apply_all(effects);
        taken.map_err(|error| error.to_string())?;
        self.head = Head {
            seq: event.seq,
            hash: record::hash(&record::encode(event).open),
            at: event.at,
        };
        Ok(())
    }
}

impl DistantJudge {
    /// What whoever sent a command is told that cost its worker.
    fn refusal(&self, error: &io::Error) -> Refusal {
        let time = self.pool.settings.command.as_secs_f32();
        let what = if frame::is_over(error) {
            format!("code of the rules that answers within {time} s; it was stopped")
        } else {
            "code of the rules that fits into its memory; it was stopped".to_owned()
        };
        let clause = self.culprit.as_ref().map(|culprit| &culprit.clause);
        let rule = clause.map(|clause| clause.rule.clone());
        Refusal {
            rule_id: rule.unwrap_or_default(),
            ..Refusal::plain(what)
        }
    }
}

/// How many more rows of commands have to be quick before a game counts as quick, after one that was or was not.
fn still_to_prove(before: u32, was_quick: bool) -> u32 {
    if was_quick {
        before.saturating_sub(1)
    } else {
        PROVES_AFTER_SLOW
    }
}

fn say<T: serde::de::DeserializeOwned>(
    worker: &JudgesWorker,
    order: &JudgeOrder,
    time: Duration,
) -> io::Result<T> {
    let mut line = worker.line(time);
    frame::write(&mut line, &frame::bytes(order)?)?;
    frame::message(&frame::read(&mut line)?)
}

/// What a worker said of a command.
#[derive(Default)]
struct HeardRuns {
    runs: OpenRuns,
    /// How long it had had a processor when it first said something, and how much of its time was left then.
    worked: Option<(Duration, Duration)>,
    /// Whether it said something of any command of its row, which it does of those that take long.
    was_slow: bool,
}

impl HeardRuns {
    /// The next command begins.
    fn begin(&mut self) {
        *self = Self {
            was_slow: self.was_slow,
            ..Self::default()
        };
    }
}

/// Hears what a command came to, and whether the row ends with it; what runs meanwhile is noted in `heard`. A worker that takes long
/// stands back behind the others.
fn verdict(
    worker: &mut JudgesWorker,
    time: Duration,
    heard: &mut HeardRuns,
) -> io::Result<(WireJudged, bool)> {
    let mut line = worker.line(time);
    loop {
        match frame::message(&frame::read(&mut line)?)? {
            JudgeSays::Judged(judged, is_last) => return Ok((judged, is_last)),
            JudgeSays::Runs(said) => {
                if heard.worked.is_none() {
                    let worked = worker.process.worked().unwrap_or_default();
                    let left = time.saturating_sub(said.at());
                    (heard.worked, heard.was_slow) = (Some((worked, left)), true);
                    line.measures(worked, left);
                    worker.process.stand_back();
                }
                heard.runs.hear(said);
            }
        }
    }
}

/// What a clause did that cost a worker.
fn why(error: &io::Error, time: Duration) -> String {
    if frame::is_over(error) {
        format!("it took longer than {} s", time.as_secs_f32())
    } else {
        "it took more memory than there is, or met a bug".to_owned()
    }
}

impl GameJudge for DistantJudge {
    fn judge(&mut self, command: &Command, secret: &Secret) -> Judged {
        let mut judged = self.judge_in_row(std::slice::from_ref(command), secret);
        let one = judged.pop();
        one.unwrap_or_else(|| Judged::Refused(Refusal::plain("a judge that answers")))
    }

    fn row_max(&self) -> usize {
        // What stands in a row is judged though its sender may hang up meanwhile, so where each takes long they come one by one.
        if self.to_prove > 0 { 1 } else { IN_ROW_MAX }
    }

    fn judge_in_row(&mut self, commands: &[Command], secret: &Secret) -> Vec<Judged> {
        let asked = self.asked(commands, secret);
        asked.unwrap_or_else(|error| vec![Judged::Refused(self.refusal(&error))])
    }

    fn judge_again(&mut self, event: &Event, secret: &Secret) -> Judged {
        let judged = self.asked_on_tape(event, secret);
        let lost = |error: io::Error| Judged::Refused(self.refusal(&error));
        judged.unwrap_or_else(lost)
    }

    fn take_culprit(&mut self) -> Option<Culprit> {
        self.culprit.take()
    }

    fn recall(&mut self, past: Vec<Event>) {
        if past.is_empty() && self.past.is_empty() {
            return;
        }
        self.past = past.iter().map(WireRecord::of_event).collect();
        self.is_told = false;
    }

    fn next_due(&self) -> Option<Moment> {
        self.state.next_due().map(|(at, _)| at)
    }

    fn due_command(&self, up_to: Moment) -> Option<Command> {
        quorate_engine::judge::due_command(&self.state, self.head, up_to)
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn head(&self) -> Head {
        self.head
    }
}

/// Whether bytes are an order of which everything can be read.
pub(crate) fn is_order(bytes: &[u8]) -> bool {
    match frame::message(bytes) {
        Ok(JudgeOrder::Open(state, _)) => state.state().is_ok(),
        Ok(JudgeOrder::Recall(past)) => past.iter().all(|event| event.event().is_ok()),
        Ok(JudgeOrder::Judge { commands, .. }) => commands.iter().all(|one| one.command().is_ok()),
        Ok(JudgeOrder::Again(event, _)) => event.event().is_ok(),
        Err(_) => false,
    }
}

/// Whether bytes are a verdict of which everything can be read.
pub(crate) fn is_verdict(bytes: &[u8]) -> bool {
    match frame::message(bytes) {
        Ok(JudgeSays::Judged(judged, _)) => judged.judged().is_ok(),
        Ok(JudgeSays::Runs(said)) => {
            OpenRuns::default().hear(said);
            true
        }
        Err(_) => false,
    }
}

/// A worker's own side: judges until the server is gone.
///
/// # Errors
/// Fails where the server ends, or sends what is no order.
pub fn serve(socket: &UnixStream) -> io::Result<()> {
    let host = InProcess::new(&Arc::new(LawCache::of_bytes(LAWS_BYTES)));
    let line = socket.try_clone()?;
    let teller = Teller::new(move |said| {
        // Where the server is gone there is nobody left to tell.
        let told = frame::bytes(&JudgeSays::Runs(said));
        drop(told.and_then(|told| frame::write(&line, &told)));
    })?;
    let game: GameId = "game".parse().map_err(io::Error::other)?;
    let mut judge: Option<Box<dyn GameJudge>> = None;
    loop {
        let answer = match frame::message(&frame::read(socket)?)? {
            JudgeOrder::Open(state, head) => {
                let state = state.state().map_err(io::Error::other)?;
                judge = Some(host.open(&game, state, come_head(head)));
                frame::bytes(&true)?
            }
            JudgeOrder::Recall(past) => {
                let past: Result<Vec<Event>, _> = past.iter().map(WireRecord::event).collect();
                let judge = judge.as_mut().ok_or(io::ErrorKind::InvalidInput)?;
                judge.recall(past.map_err(io::Error::other)?);
                frame::bytes(&true)?
            }
            JudgeOrder::Judge {
                commands,
                secret,
                tells_after,
            } => {
                let judge = judge.as_mut().ok_or(io::ErrorKind::InvalidInput)?;
                for (nth, command) in commands.iter().enumerate() {
                    let command = command.command().map_err(io::Error::other)?;
                    teller.begin(tells_after);
                    let judged = judge.judge(&command, &secret);
                    teller.end();
                    let ends =
                        nth + 1 == commands.len() || ends_row(&judged, judge.next_due(), &command);
                    let says = JudgeSays::Judged(WireJudged::of(&judged), ends);
                    frame::write(socket, &frame::bytes(&says)?)?;
                    if ends {
                        break;
                    }
                }
                continue;
            }
            JudgeOrder::Again(event, secret) => {
                let event = event.event().map_err(io::Error::other)?;
                let judge = judge.as_mut().ok_or(io::ErrorKind::InvalidInput)?;
                let judged = judge.judge_again(&event, &secret);
                frame::bytes(&JudgeSays::Judged(WireJudged::of(&judged), true))?
            }
        };
        frame::write(socket, &answer)?;
    }
}

#[cfg(test)]
mod tests;
