//! The server's end: questions of workers are answered from the ports.

use std::ops::RangeInclusive;
use std::sync::Arc;

use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, Name, PlayerId};
use quorate_runtime::ports::{
    Account, AccountId, Accounts, Drafts, GameRow, Job, Journal, Moderation, Restraint, Seals,
    SearchIndex, SearchPlace, Seat, TimeSource, WriteLimits, noted,
};
use quorate_runtime::wire::{WireAnswer, WireRecord, sent_head};
use quorate_runtime::wire_error::WireError;
use quorate_runtime::{Answer, Games, OperatingError, Published, fold};
use serde::Serialize;

use super::{
    NewestSent, PipeAsk, PipeSender, WireNewest, WirePoint, WireRow, WireSeal, WireSnapshot,
};
use crate::frame;

/// The most events that are handed over for one question.
const EVENTS_MAX: u32 = 4_096;

/// How many events are handed over in place of a state: so many in place of any, and more in place of a long one.
const SINCE: RangeInclusive<usize> = 32..=1_024;

/// For how many comments of a state there may be one event more.
const COMMENTS_AN_EVENT: usize = 32;

/// The most places of texts.
const PLACES_MAX: u32 = 256;

/// What workers are answered from.
#[derive(Clone)]
pub struct Near {
    /// The games.
    pub games: Games,
    /// Who can log in.
    pub accounts: Arc<dyn Accounts>,
    /// The logs of the games.
    pub journal: Arc<dyn Journal>,
    /// What lies beside the logs.
    pub seals: Arc<dyn Seals>,
    /// What accounts are kept from.
    pub moderation: Arc<dyn Moderation>,
    /// By which that is asked.
    pub clock: Arc<dyn TimeSource>,
    /// What people are writing.
    pub drafts: Arc<dyn Drafts>,
    /// In which words are found.
    pub search: Arc<dyn SearchIndex>,
    /// How often accounts may write.
    pub writes: Arc<dyn WriteLimits>,
}

/// For whom a worker works, and how much it may still send for them.
#[derive(Debug)]
pub(crate) struct Working {
    account: Option<AccountId>,
    /// Whether it may repair the game, as the account's operator asked.
    is_repair: bool,
    /// How many commands were counted for the account and not sent yet.
    counted: u32,
}

impl Working {
    /// A worker that begins with a job.
    pub(crate) fn of(job: &Job) -> Self {
        Self {
            account: job.account,
            is_repair: job.is_repair,
            counted: 0,
        }
    }
}

impl Near {
    /// Answers a question that came up while something was made for an account.
    pub(crate) async fn answer(
        &self,
        ask: &PipeAsk,
        working: &mut Working,
    ) -> std::io::Result<Vec<u8>> {
        let account = working.account;
        match ask {
            PipeAsk::Games
            | PipeAsk::Game(..)
            | PipeAsk::Events(..)
            | PipeAsk::SnapshotBefore(..)
            | PipeAsk::Seals(..) => self.of_logs(ask).await,
            PipeAsk::IndexPoint(..) | PipeAsk::Search(..) => self.of_index(ask).await,
            PipeAsk::Newest(game, known) => reply(self.newest(game, *known).await),
            PipeAsk::CountWrite(is_command) => reply(self.count_write(*is_command, working).await),
            PipeAsk::Send(game, command) => reply(self.send(game, command, working).await),
            PipeAsk::Receipt(game, sender, key) => {
                let actor = match sender {
                    PipeSender::Player(player) => Actor::Player(*player),
                    PipeSender::Newcomer => Actor::Newcomer,
                    PipeSender::Operator => Actor::Operator,
                };
                reply(self.receipt(game, (actor, key), working).await)
            }
            PipeAsk::TakeSeat(game, player) => reply(self.take_seat(game, *player, account).await),
            PipeAsk::Restraint(id, now) => {
                reply(self.restraint(AccountId(*id), *now, account).await)
            }
            PipeAsk::Drafts(..) | PipeAsk::Draft(..) | PipeAsk::DropDraft(..) => {
                self.of_drafts(ask, account).await
            }
            _ => self.of_accounts(ask).await,
        }
    }

    /// Of the account that the worker works for, and of no other.
    async fn of_drafts(
        &self,
        ask: &PipeAsk,
        account: Option<AccountId>,
    ) -> std::io::Result<Vec<u8>> {
        let Some(own) = account else {
            return reply(Err::<(), _>(WireError::Other(
                "a worker asked for the drafts of nobody".to_owned(),
            )));
        };
        match ask {
            PipeAsk::Drafts(game) => reply(self.drafts.drafts(own, game).await),
            PipeAsk::Draft(game, form) => reply(self.drafts.draft(own, game, form).await),
            PipeAsk::DropDraft(game, form) => reply(self.drafts.drop_draft(own, game, form).await),
            _ => reply(Err::<(), _>(WireError::Other(
                "no such question".to_owned(),
            ))),
        }
    }

    async fn of_logs(&self, ask: &PipeAsk) -> std::io::Result<Vec<u8>> {
        match ask {
            PipeAsk::Games => {
                let rows = self.games.list().await;
                reply(rows.map(|rows| rows.into_iter().map(row).collect::<Vec<_>>()))
            }
            PipeAsk::Game(game) => reply(self.journal.game(game).await.map(|found| found.map(row))),
            PipeAsk::Events(game, from, count) => {
                let count = (*count).min(EVENTS_MAX) as usize;
                reply(self.journal.events(game, *from, count).await)
            }
            PipeAsk::SnapshotBefore(game, at_most) => {
                let found = self.journal.snapshot_before(game, *at_most).await;
                let sent =
                    |found: Option<quorate_runtime::ports::Snapshot>| -> Option<WireSnapshot> {
                        found.map(|s| (sent_head(s.head), s.digest, s.open.into()))
                    };
                reply(found.map(sent))
            }
            PipeAsk::Seals(digests) => {
                let found = self.seals.find(digests).await;
                let sent =
                    |found: std::collections::HashMap<_, quorate_kernel::seal::SealBytes>| {
                        let seals = found.into_values();
                        let seals = seals.map(|s| (s.digest, s.salt, s.bytes.into()));
                        seals.collect::<Vec<WireSeal>>()
                    };
                reply(found.map(sent))
            }
            _ => reply(Err::<(), _>(WireError::Other(
                "no such question".to_owned(),
            ))),
        }
    }

    async fn of_index(&self, ask: &PipeAsk) -> std::io::Result<Vec<u8>> {
        match ask {
            PipeAsk::IndexPoint(game) => {
                let point = self.search.index_point(game).await;
                let sent = |point: quorate_runtime::ports::IndexPoint| -> WirePoint {
                    (point.seq, point.form, point.terms)
                };
                reply(point.map(|point| point.map(sent)))
            }
            PipeAsk::Search(game, query, after, count) => {
                let after: Option<SearchPlace> =
                    after.as_ref().and_then(|after| after.parse().ok());
                let count = (*count).min(PLACES_MAX);
                let found = self.search.search(game, query, after.as_ref(), count);
                let sent = |found: Vec<SearchPlace>| {
                    let words = found.iter().map(ToString::to_string);
                    words.collect::<Vec<_>>()
                };
                reply(found.await.map(sent))
            }
            _ => reply(Err::<(), _>(WireError::Other(
                "no such question".to_owned(),
            ))),
        }
    }

    async fn of_accounts(&self, ask: &PipeAsk) -> std::io::Result<Vec<u8>> {
        let accounts = &self.accounts;
        match ask {
            PipeAsk::Account(id) => {
                let found = accounts.account(AccountId(*id)).await;
                reply(found.map(|found| found.map(shown)))
            }
            PipeAsk::AccountByName(name) => {
                let found = accounts.account_by_name(name).await;
                reply(found.map(|found| found.map(shown)))
            }
            PipeAsk::Accounts => {
                let found = accounts.accounts().await;
                reply(found.map(|all| all.into_iter().map(shown).collect::<Vec<_>>()))
            }
            PipeAsk::AccountOfSession(digest, now) => {
                let found = accounts.account_of_session(*digest, *now).await;
                reply(found.map(|found| found.map(shown)))
            }
            PipeAsk::Token(digest, now) => reply(accounts.token(*digest, *now).await),
            PipeAsk::Seat(id, game) => reply(accounts.seat(AccountId(*id), game).await),
            PipeAsk::SeatsOf(id) => reply(accounts.seats_of(AccountId(*id)).await),
            PipeAsk::SeatsIn(game) => reply(accounts.seats_in(game).await),
            PipeAsk::MessagesRead(id, game) => {
                reply(accounts.messages_read(AccountId(*id), game).await)
            }
            PipeAsk::NoteMessagesRead(id, game, conversation, up_to) => {
                let id = AccountId(*id);
                reply(
                    accounts
                        .note_messages_read(id, game, conversation, *up_to)
                        .await,
                )
            }
            _ => reply(Err::<(), _>(WireError::Other(
                "no such question".to_owned(),
            ))),
        }
    }

    async fn newest(
        &self,
        game: &GameId,
        known: Option<(EventSeq, Digest)>,
    ) -> Result<WireNewest, OperatingError> {
        let newest = self.games.snapshot(game).await?;
        let head = newest.head;
        let sent = match known {
            Some((_, hash)) if hash == head.hash => NewestSent::Same,
            Some(known) => match self.since(&newest, known).await? {
                Some(events) => NewestSent::Since(events),
                None => whole(&newest).await?,
            },
            None => whole(&newest).await?,
        };
        Ok((sent_head(head), sent))
    }

    /// What happened in a game from behind a place of its log, where that is little beside all that it holds.
    async fn since(
        &self,
        newest: &Published,
        (from, hash): (EventSeq, Digest),
    ) -> Result<Option<Vec<WireRecord>>, OperatingError> {
        let (game, to) = (&newest.game, newest.head.seq);
        let count = usize::try_from(to.0.saturating_sub(from.0)).unwrap_or(usize::MAX);
        let most = newest.state.comments.len() / COMMENTS_AN_EVENT;
        if count == 0 || count > most.clamp(*SINCE.start(), *SINCE.end()) {
            return Ok(None);
        }
        let (journal, seals) = (&*self.journal, &*self.seals);
        let events = fold::events_from(journal, seals, game, from.next(), count).await?;
        let fits = events.len() == count && events.first().is_some_and(|one| one.previous == hash);
        Ok(fits.then(|| events.iter().map(WireRecord::of_event).collect()))
    }

    /// What came of an earlier command of the account that the worker works for.
    async fn receipt(
        &self,
        game: &GameId,
        (actor, key): (Actor, &Name),
        working: &Working,
    ) -> Result<Option<WireAnswer>, WireError> {
        if !self.is_of(game, (actor, key), working).await? {
            return Ok(None);
        }
        let receipt = self.games.receipt(game, actor, key).await?;
        Ok(receipt.map(|receipt| WireAnswer::of(&Answer::Kept(receipt))))
    }

    /// Whether a worker may send as such an actor under such a key.
    async fn is_of(
        &self,
        game: &GameId,
        (actor, key): (Actor, &Name),
        working: &Working,
    ) -> Result<bool, WireError> {
        let Some(account) = working.account else {
            return Ok(false);
        };
        Ok(match actor {
            Actor::Player(_) => {
                let own = self.accounts.seat(account, game).await?;
                own.map(Actor::Player) == Some(actor)
            }
            Actor::Newcomer => account.has_key(key),
            Actor::Operator => working.is_repair,
            Actor::Game | Actor::Hidden => false,
        })
    }

    /// Seats an account as whoever its own asking to join made.
    async fn take_seat(
        &self,
        game: &GameId,
        player: PlayerId,
        account: Option<AccountId>,
    ) -> Result<(), WireError> {
        let not_theirs = || WireError::Other("a worker took another's seat".to_owned());
        let (journal, seals) = (&*self.journal, &*self.seals);
        let made_by = fold::events_of(journal, seals, game, &[player.0.event()]).await?;
        let made_by = made_by.first().ok_or_else(not_theirs)?;
        let is_own = account.filter(|account| account.has_key(&made_by.key));
        let account = is_own.ok_or_else(not_theirs)?;
        if made_by.actor != Actor::Newcomer || player.0.ordinal() != 0 {
            return Err(not_theirs());
        }
        let game = game.clone();
        let seat = Seat {
            game,
            player,
            account,
        };
        Ok(self.accounts.take_seat(&seat).await?)
    }

    /// What an account is kept from, if the worker works for it.
    async fn restraint(
        &self,
        id: AccountId,
        now: Moment,
        account: Option<AccountId>,
    ) -> Result<Option<Restraint>, WireError> {
        if account != Some(id) {
            return Err(WireError::Other(
                "a worker asked about somebody else".to_owned(),
            ));
        }
        Ok(self.moderation.restraint(id, now).await?)
    }

    /// Counts something that the account writes for which the worker works; where it wrote too much, gives how long to wait.
    async fn count_write(
        &self,
        is_command: bool,
        working: &mut Working,
    ) -> Result<Option<u64>, WireError> {
        let nobody = || WireError::Other("a worker writes for nobody".to_owned());
        let account = working.account.ok_or_else(nobody)?;
        let wait = self.writes.count_write(account, is_command).await?;
        working.counted += u32::from(wait.is_none());
        Ok(wait)
    }

    /// Sends a command, if it is one of the account that the worker works for and was counted: a worker is no one to be believed.
    async fn send(
        &self,
        game: &GameId,
        command: &WireRecord,
        working: &mut Working,
    ) -> Result<WireAnswer, WireError> {
        let not_theirs =
            || WireError::Other("a worker sent what is not its reader's to send".to_owned());
        let command = command
            .command()
            .map_err(|error| WireError::Other(error.to_string()))?;
        let account = working.account.ok_or_else(not_theirs)?;
        working.counted = working.counted.checked_sub(1).ok_or_else(not_theirs)?;
        let sender = (command.actor, &command.key);
        let is_join = matches!(command.act, Act::Apply { .. });
        let is_fitting = match command.actor {
            Actor::Newcomer => is_join,
            Actor::Operator => matches!(command.act, Act::Repair { .. }),
            _ => true,
        };
        if !is_fitting || !self.is_of(game, sender, working).await? {
            return Err(not_theirs());
        }
        // The site in the worker says this better; what counts is what is said here.
        if Restraint::covers(&command.act) {
            let restraint = self.moderation.restraint(account, self.clock.now()).await?;
            if restraint.is_some() {
                return Err(not_theirs());
            }
        }
        let by = (command.actor != Actor::Operator).then_some(account);
        let (games, game) = (self.games.clone(), game.clone());
        let Command {
            actor, key, act, ..
        } = command;
        let sending = |sender| async move { games.send_for(&game, actor, key, act, sender).await };
        let answer = noted(&self.writes, by, sending).await?;
        Ok(WireAnswer::of(&answer))
    }
}

/// A state as it is handed over, written where that holds up nobody.
async fn whole(newest: &Arc<Published>) -> Result<NewestSent, OperatingError> {
    let newest = Arc::clone(newest);
    let writing = move || NewestSent::Whole(WireRecord::of_state(&newest.state));
    let written = tokio::task::spawn_blocking(writing).await;
    written.map_err(|_| OperatingError::Bug)
}

fn reply<T: Serialize, E: Into<WireError>>(found: Result<T, E>) -> std::io::Result<Vec<u8>> {
    frame::bytes(&found.map_err(Into::into))
}

/// An account without what only its owner and the server know.
fn shown(account: Account) -> Account {
    Account {
        password: None,
        mail: None,
        ..account
    }
}

fn row(row: GameRow) -> WireRow {
    WireRow {
        game: row.game,
        head: sent_head(row.head),
        next_due: row.next_due,
        whole: row.whole,
    }
}
