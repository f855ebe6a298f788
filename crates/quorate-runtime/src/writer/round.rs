//! One round of judging, on a thread where it may take its time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::event::Event;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId, Moment, Name, Refusal};

use super::validate::{InvalidEvent, validate};
use crate::error::OperatingError;
use crate::judge::{GameJudge, Head, Judged, Secret};
use crate::mail::{Order, Reply};
use crate::ports::{Outage, Stored};
use crate::published::{Answer, Notice, Receipt};

/// How many events one round may bring. After a long sleep thousands may be due; they go to disk in parts.
const EVENTS_MAX: usize = 256;

/// How many clauses one command may put to sleep; its sender waits for each. The next command goes on.
const SLEEPS_MAX: u32 = 3;

/// Something to be judged.
pub(crate) enum WaitingItem {
    /// The server was down; the game is told once.
    Downtime(Outage),
    /// Somebody's command.
    Order(Order),
}

impl WaitingItem {
    /// Whether somebody waits for its answer.
    pub(crate) fn is_order(&self) -> bool {
        matches!(self, Self::Order(_))
    }

    /// What makes a command the same as another.
    pub(crate) fn key(&self) -> Option<(Actor, Name)> {
        match self {
            Self::Downtime(_) => None,
            Self::Order(order) => Some((order.actor, order.key.clone())),
        }
    }

    /// The event of the past that a command is about.
    pub(crate) fn about(&self) -> Option<EventSeq> {
        match self {
            Self::Order(Order {
                act: Act::Undo { event, .. },
                ..
            }) => Some(*event),
            _ => None,
        }
    }
}

/// What a round starts from.
pub(crate) struct Round {
    pub(crate) game: GameId,
    pub(crate) secret: Secret,
    pub(crate) now: Moment,
    pub(crate) ahead: State,
    pub(crate) head: Head,
    /// The events that commands of this round are about.
    pub(crate) past: Vec<Event>,
    /// Whether those are all there are.
    pub(crate) past_is_whole: bool,
}

/// What came of a round. Nothing of it holds before its events are on disk.
pub(crate) struct RoundEnd {
    /// None where a bug took it.
    pub(crate) judge: Option<Box<dyn GameJudge>>,
    pub(crate) ahead: State,
    pub(crate) head: Head,
    pub(crate) events: Vec<Stored>,
    pub(crate) notices: Vec<Notice>,
    pub(crate) answers: Vec<(Reply, Answer)>,
    /// What was not judged for lack of room, or because a bug came before.
    pub(crate) rest: VecDeque<WaitingItem>,
    /// Whether the first of the rest makes a ruling, for which the whole log must be at hand.
    pub(crate) needs_past: bool,
    pub(crate) bug: Option<Bug>,
}

/// A bug ended the round.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct Bug {
    what: BugKind,
    /// Whether somebody's command met it, which was then answered; else the game itself did, and would again.
    pub(crate) of_a_command: bool,
}

#[derive(Debug, thiserror::Error)]
enum BugKind {
    #[error("the judge panicked: {0}")]
    Panic(String),
    #[error("the judge's event cannot be kept: {0}")]
    Invalid(#[from] InvalidEvent),
    #[error("what fell due was refused, and would fall due for ever: {0}")]
    DueRefused(Refusal),
    #[error("a ruling wants the whole log, and has it")]
    PastUnused,
    #[error("something is due at {0} and the judge does not bring it")]
    DueMissing(Moment),
    #[error("what fell due at {0} happened, and is due again at once")]
    DueAgain(Moment),
}

/// Why judging stops.
enum RoundStop {
    /// The round has as many events as it may.
    Full,
    /// The item at the front of the line needs the whole log.
    NeedsPast,
    /// In the item at the front of the line.
    Bug(BugKind),
    /// In what fell due before it.
    DueBug(BugKind),
}

impl Round {
    /// Judges the items in order, and before each what is due by its moment.
    pub(crate) fn run(
        self,
        mut judge: Box<dyn GameJudge>,
        items: VecDeque<WaitingItem>,
    ) -> RoundEnd {
        judge.recall(self.past);
        let mut bench = RunningRound {
            end: RoundEnd {
                judge: None,
                ahead: self.ahead,
                head: self.head,
                events: Vec::new(),
                notices: Vec::new(),
                answers: Vec::new(),
                rest: items,
                needs_past: false,
                bug: None,
            },
            game: self.game,
            secret: self.secret,
            now: self.now,
            past_is_whole: self.past_is_whole,
            judge,
            kept: BTreeMap::new(),
        };
        let stopped = bench.judge_all();
        let bug = match stopped {
            Ok(()) | Err(RoundStop::Full) => None,
            Err(RoundStop::NeedsPast) => {
                bench.end.needs_past = true;
                None
            }
            Err(RoundStop::DueBug(what)) => Some((what, false)),
            Err(RoundStop::Bug(what)) => Some((what, bench.answer_bug())),
        };
        let RunningRound { mut end, judge, .. } = bench;
        match bug {
            None => end.judge = Some(judge),
            Some((what, of_a_command)) => end.bug = Some(Bug { what, of_a_command }),
        }
        end
    }
}

/// A round on its way.
struct RunningRound {
    game: GameId,
    secret: Secret,
    now: Moment,
    past_is_whole: bool,
    judge: Box<dyn GameJudge>,
    /// The commands of this round that became events.
    kept: BTreeMap<(Actor, Name), Receipt>,
    end: RoundEnd,
}

impl RunningRound {
    fn judge_all(&mut self) -> Result<(), RoundStop> {
        // An item stays in line until it is answered, so that whatever stops the round loses none.
        while let Some(item) = self.end.rest.front() {
            match item {
                WaitingItem::Downtime(outage) => {
                    let outage = *outage;
                    self.judge_downtime(outage)?;
                    self.end.rest.pop_front();
                }
                WaitingItem::Order(_) => self.judge_orders()?,
            }
        }
        self.judge_dues(self.now)
    }

    /// Judges the order at the front of the line, and those behind it as far as the judge takes them in a row.
    fn judge_orders(&mut self) -> Result<(), RoundStop> {
        self.judge_dues(self.now)?;
        let Some(WaitingItem::Order(order)) = self.end.rest.front() else {
            return Ok(());
        };
        if order.sender.hung_up() {
            // Nobody waits for an answer.
            self.end.rest.pop_front();
            return Ok(());
        }
        if let Some(receipt) = self.kept.get(&(order.actor, order.key.clone())) {
            let answer = Answer::Kept(receipt.clone());
            self.answer_order(answer);
            return Ok(());
        }
        let commands = self.next_commands();
        if commands.is_empty() {
            return Err(RoundStop::Full);
        }
        let (judge, secret) = (&mut self.judge, &self.secret);
        let judged = unless_it_panics(|| judge.judge_in_row(&commands, secret))?;
        for (command, judged) in commands.into_iter().zip(judged) {
            let key = (command.actor, command.key.clone());
            let answer = self.judge_one(command, Some(judged))?;
            if let Answer::Kept(receipt) = &answer {
                let written = 0;
                self.kept.insert(
                    key,
                    Receipt {
                        written,
                        ..receipt.clone()
                    },
                );
            }
            self.answer_order(answer);
        }
        Ok(())
    }

    /// The commands of the orders at the front of the line, up to the first that came before in this round.
    fn next_commands(&self) -> Vec<Command> {
        let at = self.now.max(self.end.head.at);
        let room = EVENTS_MAX.saturating_sub(self.end.events.len());
        let mut keys = BTreeSet::new();
        let orders = self.end.rest.iter().map_while(|item| match item {
            WaitingItem::Order(order) => Some(order),
            WaitingItem::Downtime(_) => None,
        });
        let new = orders.take_while(|order| {
            let key = (order.actor, order.key.clone());
            !order.sender.hung_up() && !self.kept.contains_key(&key) && keys.insert(key)
        });
        let command = |order: &Order| {
            let (actor, key, act) = (order.actor, order.key.clone(), order.act.clone());
            let mut command = Command {
                at,
                actor,
                key,
                act,
            };
            command.seal(command.closed_seed(&self.secret));
            command
        };
        new.take(room.min(self.judge.row_max()))
            .map(command)
            .collect()
    }

    /// Takes the order at the front out of the line, with its answer.
    fn answer_order(&mut self, answer: Answer) {
        if let Some(WaitingItem::Order(order)) = self.end.rest.pop_front() {
            self.end.answers.push((order.reply, answer));
        }
    }

    /// Tells the game that the server was down, between what was due before it came back and what is due since.
    fn judge_downtime(&mut self, outage: Outage) -> Result<(), RoundStop> {
        self.judge_dues(Moment(outage.until.0 - 1))?;
        let command = Command {
            at: outage.until.max(self.end.head.at),
            actor: Actor::Game,
            key: format!("downtime {}", outage.since).into(),
            act: Act::Downtime {
                since: outage.since,
            },
        };
        if let Answer::Refused(refusal) = self.judge_one(command, None)? {
            tracing::warn!(game = %self.game, %refusal, "the law takes no note of downtime");
        }
        Ok(())
    }

    /// Judges what is due up to a moment, each thing at its own.
    fn judge_dues(&mut self, up_to: Moment) -> Result<(), RoundStop> {
        let mut before: Option<Command> = None;
        while let Some(due) = self.judge.next_due().filter(|due| *due <= up_to) {
            let command = self.judge_due(due, up_to).map_err(|stop| match stop {
                RoundStop::Bug(what) => RoundStop::DueBug(what),
                stop => stop,
            })?;
            // A due thing that does not pass would fill the log for ever.
            if before.as_ref() == Some(&command) {
                return Err(RoundStop::DueBug(BugKind::DueAgain(due)));
            }
            before = Some(command);
        }
        Ok(())
    }

    fn judge_due(&mut self, due: Moment, up_to: Moment) -> Result<Command, RoundStop> {
        let judge = &self.judge;
        let command = unless_it_panics(|| judge.due_command(up_to))?;
        let mut command = command.ok_or(RoundStop::Bug(BugKind::DueMissing(due)))?;
        command.at = command.at.max(self.end.head.at);
        let end = self.end.head;
        match self.judge_one(command.clone(), None)? {
            Answer::Kept(_) => Ok(command),
            // Code of the rules fell asleep over it: what is due now may be something else.
            Answer::Refused(_) if self.end.head != end => Ok(command),
            Answer::Refused(refusal) => Err(RoundStop::Bug(BugKind::DueRefused(refusal))),
        }
    }

    /// Judges a command. What costs its judge too much is put to sleep first, and the command judged without it. Where it is
    /// refused then, what it cost is the answer. `judged` is what the judge said already.
    fn judge_one(
        &mut self,
        command: Command,
        mut judged: Option<Judged>,
    ) -> Result<Answer, RoundStop> {
        let mut first = None;
        let mut sleeps = 0;
        loop {
            let refusal = match self.judge_once(command.clone(), judged.take())? {
                Answer::Refused(refusal) => refusal,
                kept @ Answer::Kept(_) => return Ok(kept),
            };
            let culprit = self.judge.take_culprit();
            let refusal = first.take().unwrap_or(refusal);
            let Some(culprit) = culprit else {
                return Ok(Answer::Refused(refusal));
            };
            tracing::warn!(game = %self.game, clause = ?culprit.clause, "code of the rules is put to sleep");
            let sleep = culprit.command(command.at, self.end.head.seq);
            let slept = self.judge_once(sleep, None)?;
            sleeps += 1;
            let is_enough = sleeps == SLEEPS_MAX || matches!(command.act, Act::Due { .. });
            if matches!(slept, Answer::Refused(_)) || is_enough {
                return Ok(Answer::Refused(refusal));
            }
            first = Some(refusal);
        }
    }

    fn judge_once(
        &mut self,
        mut command: Command,
        judged: Option<Judged>,
    ) -> Result<Answer, RoundStop> {
        if self.end.events.len() >= EVENTS_MAX {
            return Err(RoundStop::Full);
        }
        let judged = if let Some(judged) = judged {
            judged
        } else {
            command.seal(command.closed_seed(&self.secret));
            let (judge, secret) = (&mut self.judge, &self.secret);
            unless_it_panics(|| judge.judge(&command, secret))?
        };
        match judged {
            Judged::Refused(refusal) => Ok(Answer::Refused(refusal)),
            Judged::Event(event) => self.keep(&command, &event),
            // The log that was handed over lacks what this round brought before the ruling; the next has all.
            Judged::NeedsPast if self.past_is_whole && self.end.events.is_empty() => {
                Err(RoundStop::Bug(BugKind::PastUnused))
            }
            Judged::NeedsPast => Err(RoundStop::NeedsPast),
        }
    }

    fn keep(&mut self, command: &Command, event: &Event) -> Result<Answer, RoundStop> {
        let end = &mut self.end;
        let stored = validate(&mut end.ahead, &mut end.head, command, event)
            .map_err(|invalid| RoundStop::Bug(invalid.into()))?;
        let written = stored.bytes();
        end.events.push(stored);
        end.notices
            .push(Notice::of(&self.game, event, end.head.hash));
        Ok(Answer::Kept(Receipt {
            written,
            ..Receipt::of(event)
        }))
    }

    /// Answers the command that a bug met, so that it does not come again. False where it was no command: what is
    /// owed to the game stays owed.
    fn answer_bug(&mut self) -> bool {
        match self.end.rest.pop_front() {
            Some(WaitingItem::Order(order)) => {
                // A sender who does not wait any more need not be told.
                drop(order.reply.send(Err(OperatingError::Bug)));
                true
            }
            Some(downtime @ WaitingItem::Downtime(_)) => {
                self.end.rest.push_front(downtime);
                false
            }
            None => false,
        }
    }
}

fn unless_it_panics<T>(judge: impl FnOnce() -> T) -> Result<T, RoundStop> {
    // A judge that panicked is not used again, so it does not matter in what state it was left.
    catch_unwind(AssertUnwindSafe(judge)).map_err(|panic| {
        let said = panic.downcast_ref::<&str>().map(ToString::to_string);
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
        RoundStop::Bug(BugKind::Panic(
            said.unwrap_or_else(|| "it said nothing".to_owned()),
        ))
    })
}
