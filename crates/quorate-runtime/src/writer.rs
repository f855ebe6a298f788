//! The writer of one awake game: the only task that changes it.
//!
//! A round goes: take all that waits; have it judged, each on the state that the one before leaves, with what fell
//! due in between; check the answers on a state of the writer's own; have them appended; then acknowledge and publish.
//! The judge is ahead of the disk by that round. If the append fails, its senders are told and both go back.

mod follow;
mod round;
mod turns;
mod validate;

use std::collections::VecDeque;
use std::sync::Arc;

use quorate_kernel::event::Event;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId, Moment, Span};
use tokio::sync::{mpsc, watch};

use crate::blocking::blocking;
use crate::error::OperatingError;
use crate::fold::{self, keep_snapshot};
use crate::host::{GamesInside, Purpose, TurnEnd};
use crate::judge::{GameJudge, Head, Secret};
use crate::mail::{Reply, WriterMail};
use crate::ports::{Batch, ClaimFor, ClaimedGame, Epoch, Lease, StoreError};
use crate::published::{Answer, Published};
use crate::registry::{NodeRole, Slot, WriterStanding};

use round::{Round, RoundEnd, WaitingItem};

/// After how many rounds in a row that a bug ended a game stands still for a while.
const BUGS_MAX: u32 = 3;

/// How long due things wait after an append failed. Commands of people do not wait.
const APPEND_AGAIN_AFTER: Span = Span(5_000);

/// How long a game that could not go on is left alone before it is tried again.
const RETRY_AFTER: Span = Span::minutes(1);

/// The most mail that is taken at a time.
const MAIL_AT_ONCE: usize = 1_024;

/// A game's writer.
pub(crate) struct Writer {
    host: Arc<GamesInside>,
    game: GameId,
    slot: Arc<Slot>,
    inbox: mpsc::Receiver<WriterMail>,
    standing: watch::Sender<WriterStanding>,
    secret: Secret,
    /// Under which the game is owned.
    lease: Lease,
    /// Commands that wait, and what is owed to the game itself.
    waiting: VecDeque<WaitingItem>,
    /// Whether the first of them makes a ruling, for which the whole log must be at hand.
    wants_past: bool,
    /// When the writer is off the registry: when the game is to be woken.
    wake_at: Option<Moment>,
    /// Nothing more can come in, and all that came was taken.
    drained: bool,
}

/// The game as it is on disk, and the judge who is never behind it.
struct WrittenGame {
    /// None where a bug took the last one; the next round begins with a new one.
    judge: Option<Box<dyn GameJudge>>,
    state: State,
    head: Head,
    /// When something next falls due, as the judge says.
    next_due: Option<Moment>,
    /// The last event in the newest snapshot.
    snapshot: EventSeq,
    /// How many rounds in a row a bug has ended.
    bug_count: u32,
    /// Until when due things wait because an append failed, or because they meet a bug.
    dues_wait_until: Option<Moment>,
    /// Nothing is judged while due things wait, for a bug ends whatever falls due next. It can be read all the same.
    stands_still: bool,
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Also where the task panics: a writer that has ended is never left on the registry.
        self.host.registry.leave(&self.game, self.wake_at);
        self.host.alarm.notify_one();
    }
}

impl Writer {
    pub(crate) fn new(
        host: &Arc<GamesInside>,
        game: &GameId,
        slot: Arc<Slot>,
        inbox: mpsc::Receiver<WriterMail>,
        standing: watch::Sender<WriterStanding>,
    ) -> Self {
        Self {
            host: Arc::clone(host),
            game: game.clone(),
            slot,
            inbox,
            standing,
            secret: host.ports.secret.of_game(game),
            lease: Lease {
                epoch: Epoch(0),
                term: 0,
            },
            waiting: VecDeque::new(),
            wants_past: false,
            wake_at: None,
            drained: false,
        }
    }

    /// Owns the game or follows its owner, turn by turn, until it falls asleep.
    pub(crate) async fn run(mut self, purpose: Purpose) {
        let mut purpose = purpose;
        loop {
            match self.turn(purpose).await {
                Ok(TurnEnd::Asleep) => return,
                Ok(TurnEnd::Again(next)) => purpose = next,
                Err(error) => return self.stop(error).await,
            }
        }
    }

    /// Claims the game, and does what the claim makes it.
    async fn turn(&mut self, purpose: Purpose) -> Result<TurnEnd, OperatingError> {
        let is_shared = self.host.ports.others.is_some();
        if is_shared && purpose == Purpose::Read {
            return self.follow(None).await;
        }
        let what_for = match purpose {
            Purpose::Found => ClaimFor::Founding,
            Purpose::Use | Purpose::Read | Purpose::Due => ClaimFor::Writing,
        };
        match self.host.ports.journal.claim(&self.game, what_for).await {
            Ok(ClaimedGame::Ours(lease)) => {
                self.lease = lease;
                self.standing.send_replace(WriterStanding::Opening);
                let ended = self.own(purpose).await;
                if is_shared {
                    return self.step_down(ended).await;
                }
                ended.map(|()| TurnEnd::Asleep)
            }
            Ok(ClaimedGame::Theirs(owner)) => {
                self.fail_orders(&OperatingError::Interrupted);
                match purpose {
                    // Its owner minds what is due.
                    Purpose::Due if self.inbox.is_empty() => Ok(TurnEnd::Asleep),
                    _ => self.follow(Some(owner)).await,
                }
            }
            Err(StoreError::NoGame { game }) => Err(OperatingError::NoGame(game)),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the game and serves it until it falls asleep.
    async fn own(&mut self, purpose: Purpose) -> Result<(), OperatingError> {
        let mut table = self.open(purpose).await?;
        self.serve(&mut table).await
    }

    async fn open(&mut self, purpose: Purpose) -> Result<WrittenGame, OperatingError> {
        let ports = &self.host.ports;
        let opened = fold::open(&*ports.journal, &*ports.seals, &self.game).await;
        let (state, head, snapshot) = match opened {
            Err(OperatingError::NoGame(_)) if purpose == Purpose::Found => {
                (State::default(), Head::START, EventSeq(0))
            }
            Err(error) => return Err(error),
            Ok(opened) => {
                self.secret = opened.row.secret.unwrap_or(self.secret);
                self.check_edition(&opened.state)?;
                self.owe_downtime(opened.row.head).await?;
                (opened.state, opened.row.head, opened.snapshot)
            }
        };
        let judge = self.judge(&state, head).await?;
        Ok(WrittenGame {
            next_due: judge.next_due(),
            judge: Some(judge),
            state,
            head,
            snapshot,
            bug_count: 0,
            dues_wait_until: None,
            stands_still: false,
        })
    }

    /// A law whose language this release does not know is not judged here.
    fn check_edition(&self, state: &State) -> Result<(), OperatingError> {
        let edition = state.about.get(&()).map_or(0, |about| about.edition);
        if edition <= self.host.settings.edition_max {
            return Ok(());
        }
        let game = self.game.clone();
        Err(OperatingError::LaterEdition { game, edition })
    }

    /// Puts in line, before all else, the times of downtime that the log does not know of.
    async fn owe_downtime(&mut self, head: Head) -> Result<(), StoreError> {
        let owed = self.host.ports.journal.outages(head.at).await?;
        self.waiting.retain(WaitingItem::is_order);
        for outage in owed.into_iter().rev() {
            self.waiting.push_front(WaitingItem::Downtime(outage));
        }
        Ok(())
    }

    async fn judge(&self, state: &State, head: Head) -> Result<Box<dyn GameJudge>, OperatingError> {
        let judges = Arc::clone(&self.host.ports.judges);
        let (game, state) = (self.game.clone(), state.clone());
        blocking(move || judges.open(&game, state, head)).await
    }

    async fn serve(&mut self, table: &mut WrittenGame) -> Result<(), OperatingError> {
        self.publish(table);
        loop {
            self.mind_standstill(table);
            self.wait(table).await?;
            self.mind_standstill(table);
            if self.is_work_there(table) {
                self.round(table).await?;
                if table.head.seq == Head::START.seq && self.inbox.is_empty() {
                    // Its founding was refused: there is no such game.
                    return Err(OperatingError::NoGame(self.game.clone()));
                }
            } else if self.drained {
                self.wake_at = table.next_due.map(|_| self.wake_time(table));
                return Ok(());
            } else if self.is_out_of_use() {
                // Whoever comes now waits until this writer is gone; what has come already is still served.
                self.inbox.close();
            }
        }
    }

    /// While the game stands still, answers those who wait with that; when it has stood long enough, lets it go on.
    fn mind_standstill(&mut self, table: &mut WrittenGame) {
        if !table.stands_still {
            return;
        }
        let over = table.dues_wait_until.unwrap_or(Moment(i64::MIN));
        if over <= self.now(table) {
            table.stands_still = false;
            table.dues_wait_until = None;
        } else {
            let game = self.game.clone();
            self.fail_orders(&OperatingError::StandsStill { game });
        }
    }

    /// Waits until there is something to do: mail, something due, or nothing at all for so long that it may sleep.
    async fn wait(&mut self, table: &mut WrittenGame) -> Result<(), OperatingError> {
        let mut mail = Vec::new();
        if !self.is_work_there(table) && !self.drained {
            let clock = Arc::clone(&self.host.ports.clock);
            let asleep = self.slot.used_at() + self.host.settings.asleep_after;
            let until = self.wake_time(table).min(asleep);
            let may_sleep = !self.inbox.is_closed();
            tokio::select! {
                biased;
                count = self.inbox.recv_many(&mut mail, MAIL_AT_ONCE) => self.drained = count == 0,
                () = clock.until(until), if may_sleep => {}
            }
        } else {
            while mail.len() < MAIL_AT_ONCE
                && let Ok(one) = self.inbox.try_recv()
            {
                mail.push(one);
            }
        }
        for one in mail {
            self.take(one, table).await?;
        }
        Ok(())
    }

    async fn take(
        &mut self,
        mail: WriterMail,
        table: &mut WrittenGame,
    ) -> Result<(), OperatingError> {
        match mail {
            WriterMail::Order(order) => self.waiting.push_back(WaitingItem::Order(order)),
            WriterMail::Close => self.inbox.close(),
            WriterMail::Look(reply) => {
                if self.make_sure().await? {
                    self.publish(table);
                }
                // Whoever does not wait any more looks again when they want to know.
                drop(reply.send(self.published(table)));
            }
            // This node wrote it, or minds it anyway.
            WriterMail::Grown | WriterMail::Unowned => {}
            // Words are dropped by the owner alone; a game may have been removed by anybody.
            WriterMail::Forgotten if table.head.seq != Head::START.seq => {
                if let Ok(None) = self.host.ports.journal.game(&self.game).await {
                    return Err(OperatingError::NoGame(self.game.clone()));
                }
            }
            WriterMail::Forgotten => {}
            WriterMail::GiveUp => return Err(self.taken().into()),
            WriterMail::Forget(digests, reply) => {
                let forgotten = self.host.ports.seals.forget(&digests).await;
                // Nobody may be left who remembers: neither the state, nor the judge.
                *table = self.open(Purpose::Use).await?;
                self.publish(table);
                drop(reply.send(forgotten.map_err(OperatingError::from)));
            }
        }
        Ok(())
    }

    /// Judges what waits and what is due, has it appended, and answers.
    async fn round(&mut self, table: &mut WrittenGame) -> Result<(), OperatingError> {
        if table.head.seq != Head::START.seq {
            self.answer_repeats().await;
        }
        let Some(past) = self.past_or_fail(table.head.seq).await else {
            return Ok(());
        };
        let round = Round {
            past,
            past_is_whole: self.wants_past,
            game: self.game.clone(),
            secret: self.secret,
            now: self.now(table),
            ahead: table.state.clone(),
            head: table.head,
        };
        let judge = match table.judge.take() {
            Some(judge) => judge,
            None => self.judge(&table.state, table.head).await?,
        };
        let items = std::mem::take(&mut self.waiting);
        let end = blocking(move || round.run(judge, items)).await?;
        let RoundEnd {
            judge,
            ahead,
            head,
            events,
            notices,
            answers,
            rest,
            needs_past,
            bug,
        } = end;
        self.wants_past = needs_past;
        // What is left goes first in the next round.
        self.waiting = rest;
        let next_due = match &judge {
            Some(judge) => judge.next_due(),
            None => ahead.next_due().map(|(at, _)| at),
        };
        let touches_dynasty = notices.iter().any(|n| n.tables.contains(&"dynasties"));
        if !events.is_empty() {
            let batch = Batch {
                game: self.game.clone(),
                epoch: self.lease.epoch,
                after: table.head,
                events,
                head,
                next_due,
                arrival: None,
            };
            self.slot.note_appending(true);
            if let Err(error) = self.host.committer.commit(batch).await {
                return self.go_back(table, answers, error).await;
            }
            table.state = ahead;
            table.head = head;
            table.dues_wait_until = None;
            self.publish(table);
            self.host.registry.tell(&self.game, notices);
            self.keep_snapshots(table, touches_dynasty);
        }
        for (reply, answer) in answers {
            // A sender who does not wait any more can ask again with the same key.
            drop(reply.send(Ok(answer)));
        }
        table.judge = judge;
        table.next_due = next_due;
        self.mind_bug(table, bug);
        Ok(())
    }

    /// The events that waiting commands are about; where one cannot be read those who ask are told, and nothing is judged without it.
    async fn past_or_fail(&mut self, last: EventSeq) -> Option<Vec<Event>> {
        match self.past(last).await {
            Ok(past) => Some(past),
            Err(error) => {
                self.fail_orders(&error);
                None
            }
        }
    }

    /// The events of the past that waiting commands are about.
    async fn past(&self, last: EventSeq) -> Result<Vec<Event>, OperatingError> {
        let mut wanted: Vec<EventSeq> =
            self.waiting.iter().filter_map(WaitingItem::about).collect();
        wanted.retain(|seq| *seq <= last);
        let ports = &self.host.ports;
        if self.wants_past {
            return fold::whole_log(&*ports.journal, &*ports.seals, &self.game).await;
        }
        fold::events_of(&*ports.journal, &*ports.seals, &self.game, &wanted).await
    }

    /// Answers the commands that came before and are on disk.
    async fn answer_repeats(&mut self) {
        let keys: Vec<_> = self.waiting.iter().filter_map(WaitingItem::key).collect();
        if keys.is_empty() {
            return;
        }
        let known = match self.host.ports.journal.receipts(&self.game, &keys).await {
            Ok(known) => known,
            Err(error) => return self.fail_orders(&error.into()),
        };
        let mut known = known.into_iter();
        for item in std::mem::take(&mut self.waiting) {
            let seq = item.key().and_then(|_| known.next().flatten());
            match (item, seq) {
                (WaitingItem::Order(order), Some(seq)) => {
                    let receipt = self.host.receipt_at(&self.game, seq).await;
                    drop(order.reply.send(receipt.map(Answer::Kept)));
                }
                (item, _) => self.waiting.push_back(item),
            }
        }
    }

    /// Tells the senders that nothing was kept, and goes back to what is on disk.
    async fn go_back(
        &mut self,
        table: &mut WrittenGame,
        answers: Vec<(Reply, Answer)>,
        error: StoreError,
    ) -> Result<(), OperatingError> {
        tracing::error!(game = %self.game, %error, "events could not be kept");
        for (reply, _) in answers {
            drop(reply.send(Err(error.clone().into())));
        }
        let founding = table.head.seq == Head::START.seq;
        let is_shared = self.host.ports.others.is_some();
        // Nobody knows whether these events are still on their way: under a lease that was given up they arrive in vain.
        let is_under_way = error == StoreError::InDoubt && is_shared && !founding;
        if is_under_way || matches!(error, StoreError::GameTaken { .. }) {
            return Err(error.into());
        }
        let is_unknown = error.game().is_some() || error == StoreError::InDoubt;
        if is_unknown && !founding {
            *table = self.open(Purpose::Use).await?;
            self.publish(table);
        } else {
            self.slot.note_appending(false);
            table.judge = None;
            if let Err(error) = self.owe_downtime(table.head).await {
                tracing::warn!(game = %self.game, %error, "downtime is noted when the game is next opened");
            }
        }
        table.dues_wait_until = Some(self.now(table) + APPEND_AGAIN_AFTER);
        Ok(())
    }

    /// Counts rounds that a bug ended; after some in a row the game stands still, for then it is in what falls due.
    fn mind_bug(&self, table: &mut WrittenGame, bug: Option<round::Bug>) {
        let Some(bug) = bug else {
            table.bug_count = 0;
            return;
        };
        tracing::error!(game = %self.game, %bug, "a bug ended a judgement; the judge starts again");
        table.bug_count = if bug.of_a_command {
            0
        } else {
            table.bug_count + 1
        };
        if table.bug_count >= BUGS_MAX {
            tracing::error!(game = %self.game, "a bug ends whatever falls due next; the game stands still");
            table.bug_count = 0;
            table.stands_still = true;
            table.dues_wait_until = Some(self.now(table) + RETRY_AFTER);
        }
    }

    fn keep_snapshots(&self, table: &mut WrittenGame, touches_dynasty: bool) {
        let since = table.head.seq.0 - table.snapshot.0;
        if since < self.host.settings.snapshot_every && !touches_dynasty {
            return;
        }
        table.snapshot = table.head.seq;
        let journal = Arc::clone(&self.host.ports.journal);
        let kept = keep_snapshot(journal, self.game.clone(), table.state.clone(), table.head);
        let game = self.game.clone();
        tokio::spawn(async move {
            if let Err(error) = kept.await {
                // A cache: without it the game opens more slowly, and no less rightly.
                tracing::warn!(%game, %error, "a snapshot could not be kept");
            }
        });
    }

    /// Ends with an error: whoever waits is told, and the alarm comes back later.
    async fn stop(&mut self, error: OperatingError) {
        if !matches!(error, OperatingError::NoGame(_)) {
            tracing::error!(game = %self.game, %error, "the game cannot go on");
            self.wake_at = Some(self.host.ports.clock.now() + RETRY_AFTER);
        }
        self.standing
            .send_replace(WriterStanding::Stopped(error.clone()));
        self.inbox.close();
        self.fail_orders(&error);
        while let Some(mail) = self.inbox.recv().await {
            match mail {
                WriterMail::Order(order) => drop(order.reply.send(Err(error.clone()))),
                WriterMail::Forget(_, reply) => drop(reply.send(Err(error.clone()))),
                // Whoever waits to look hears that nobody answers, and asks again.
                WriterMail::Look(_)
                | WriterMail::Grown
                | WriterMail::Unowned
                | WriterMail::Forgotten
                | WriterMail::GiveUp
                | WriterMail::Close => {}
            }
        }
    }

    fn fail_orders(&mut self, error: &OperatingError) {
        for item in std::mem::take(&mut self.waiting) {
            match item {
                WaitingItem::Order(order) => drop(order.reply.send(Err(error.clone()))),
                WaitingItem::Downtime(outage) => {
                    self.waiting.push_back(WaitingItem::Downtime(outage));
                }
            }
        }
    }

    fn publish(&self, table: &WrittenGame) {
        if table.head.seq == Head::START.seq {
            return;
        }
        let standing = WriterStanding::Awake(self.published(table), NodeRole::Owner(self.lease));
        self.standing.send_replace(standing);
        self.slot.note_appending(false);
    }

    fn published(&self, table: &WrittenGame) -> Arc<Published> {
        Arc::new(Published {
            game: self.game.clone(),
            state: table.state.clone(),
            head: table.head,
        })
    }

    /// The moment of a command that is judged now: the clock's, but never before the last event.
    fn now(&self, table: &WrittenGame) -> Moment {
        self.host.ports.clock.now().max(table.head.at)
    }

    fn is_work_there(&self, table: &WrittenGame) -> bool {
        let orders_wait = !table.stands_still && self.waiting.iter().any(WaitingItem::is_order);
        orders_wait || self.wake_time(table) <= self.now(table)
    }

    /// When the game is to do something by itself.
    fn wake_time(&self, table: &WrittenGame) -> Moment {
        let is_owed_something = !self.waiting.iter().all(WaitingItem::is_order);
        let due = match table.next_due {
            _ if is_owed_something => Moment(i64::MIN),
            Some(due) => due,
            None => Moment(i64::MAX),
        };
        due.max(table.dues_wait_until.unwrap_or(due))
    }

    fn is_out_of_use(&self) -> bool {
        let now = self.host.ports.clock.now();
        self.inbox.is_empty() && self.slot.used_at() + self.host.settings.asleep_after <= now
    }
}
