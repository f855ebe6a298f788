//! The worker's end: the ports of a site, each question a frame to the server and its answer another.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::digest::Digest;
use quorate_kernel::seal::SealBytes;
use quorate_kernel::{EventSeq, GameId, Moment, Name, PlayerId, Span};
use quorate_runtime::ports::{
    Account, AccountError, AccountId, Accounts, Batch, Claim, ClaimFor, DistantGames, DraftKept,
    Drafts, Epoch, GameRow, IndexPoint, Invitation, Journal, KeptDraft, Moderation, NewAccount,
    Outage, OutsideName, OutsideWay, Recovery, Report, Restraint, Safety, Seals, SearchIndex,
    SearchKey, SearchPlace, SearchQuery, SearchText, Seat, SecondFactor, SecurityEntry, Session,
    SessionUse, Snapshot, StoreError, Token, Upload, UploadKept, Uploads,
};
use quorate_runtime::trouble::Trouble;
use quorate_runtime::wire::{WireAnswer, WireRecord, come_head};
use quorate_runtime::{Answer, OperatingError, Published};
use serde::de::DeserializeOwned;

use super::{Ask, Upward, WireNewest, WirePoint, WireRow, WireSeal, WireSnapshot, WorkerTask};
use crate::culprit::Teller;
use crate::frame;

/// How many games' states a worker keeps between jobs.
const STATES_MAX: usize = 8;

/// The ports of a site in a worker.
pub struct Far {
    socket: Mutex<UnixStream>,
    /// States that came, the newest last.
    known: Mutex<Vec<Arc<Published>>>,
}

/// Does jobs until the server is gone. `open` takes up a game's law, and `work` does what is asked.
///
/// # Errors
/// Fails where the server ends.
pub fn serve(
    far: &Arc<Far>,
    mut open: impl FnMut(&GameId),
    mut work: impl FnMut(Vec<u8>) -> Vec<u8>,
) -> io::Result<()> {
    let line = Arc::clone(far);
    let teller = Teller::new(move |said| {
        // Where the server is gone there is nobody left to tell.
        let told = frame::bytes(&Upward::Runs(said));
        drop(told.and_then(|told| frame::write(&*line.lock(), &told)));
    });
    loop {
        let task: WorkerTask = frame::message(&frame::read(&*far.lock())?)?;
        if let Some(game) = &task.game {
            open(game);
        }
        frame::write(&*far.lock(), &frame::bytes(&Upward::Begins)?)?;
        teller.switch(task.telling);
        let done = work(task.request);
        teller.switch(false);
        frame::write(&*far.lock(), &frame::bytes(&Upward::Done(done))?)?;
    }
}

impl Far {
    /// Over a socket.
    pub fn new(socket: UnixStream) -> Self {
        Self {
            socket: Mutex::new(socket),
            known: Mutex::default(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, UnixStream> {
        self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Published>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask<T: DeserializeOwned>(&self, ask: Ask) -> Result<T, Trouble> {
        let broken = |error: io::Error| Trouble::Other(error.to_string());
        let socket = self.lock();
        let question = frame::bytes(&Upward::Ask(ask)).map_err(broken)?;
        frame::write(&*socket, &question).map_err(broken)?;
        let answer = frame::read(&*socket).map_err(broken)?;
        frame::message::<Result<T, Trouble>>(&answer).map_err(broken)?
    }
}

/// What no worker needs.
fn not_here<T>() -> Result<T, StoreError> {
    Err(StoreError::Failed {
        cause: "a worker cannot do that".into(),
    })
}

fn come_row(row: WireRow) -> GameRow {
    GameRow {
        game: row.game,
        head: come_head(row.head),
        next_due: row.next_due,
        secret: None,
        whole: row.whole,
    }
}

#[async_trait]
impl DistantGames for Far {
    async fn snapshot(&self, game: &GameId) -> Result<Arc<Published>, OperatingError> {
        let found = |all: &[Arc<Published>]| all.iter().find(|one| one.game == *game).cloned();
        let known = found(&self.known());
        let hash = known.as_ref().map(|known| known.head.hash);
        let (head, state): WireNewest = self.ask(Ask::Newest(game.clone(), hash))?;
        let newest = match (state, known) {
            (None, Some(known)) => known,
            (None, None) => return Err(OperatingError::Interrupted),
            (Some(state), _) => Arc::new(Published {
                game: game.clone(),
                state: state.state().map_err(|_| OperatingError::Bug)?,
                head: come_head(head),
            }),
        };
        let mut all = self.known();
        all.retain(|one| one.game != *game);
        all.push(Arc::clone(&newest));
        if all.len() > STATES_MAX {
            all.remove(0);
        }
        Ok(newest)
    }

    async fn send(
        &self,
        game: &GameId,
        actor: Actor,
        key: Name,
        act: Act,
    ) -> Result<Answer, OperatingError> {
        let at = Moment(0);
        let command = WireRecord::of_command(&Command {
            at,
            actor,
            key,
            act,
        });
        let answer: WireAnswer = self.ask(Ask::Send(game.clone(), command))?;
        answer.answer().map_err(|_| OperatingError::Bug)
    }
}

#[async_trait]
impl Seals for Far {
    async fn find(&self, digests: &[Digest]) -> Result<HashMap<Digest, SealBytes>, StoreError> {
        let found: Vec<WireSeal> = self.ask(Ask::Seals(digests.to_vec()))?;
        let seals = found.into_iter().map(|(digest, salt, bytes)| SealBytes {
            digest,
            salt,
            bytes,
        });
        Ok(seals.map(|seal| (seal.digest, seal)).collect())
    }

    async fn forget(&self, _: &[Digest]) -> Result<usize, StoreError> {
        not_here()
    }
}

#[async_trait]
impl SearchIndex for Far {
    async fn index_point(&self, game: &GameId) -> Result<Option<IndexPoint>, StoreError> {
        let point: Option<WirePoint> = self.ask(Ask::IndexPoint(game.clone()))?;
        Ok(point.map(|(seq, form, terms)| IndexPoint { seq, form, terms }))
    }

    async fn index_waiting(&self, _: &GameId) -> Result<Vec<SearchKey>, StoreError> {
        not_here()
    }

    async fn take_into_index(
        &self,
        _: &GameId,
        _: Option<IndexPoint>,
        _: IndexPoint,
        _: &[(SearchKey, Option<SearchText>)],
    ) -> Result<bool, StoreError> {
        not_here()
    }

    async fn clear_index(&self, _: Option<&GameId>) -> Result<(), StoreError> {
        not_here()
    }

    async fn search(
        &self,
        game: &GameId,
        query: &SearchQuery,
        after: Option<&SearchPlace>,
        count: u32,
    ) -> Result<Vec<SearchPlace>, StoreError> {
        let after = after.map(ToString::to_string);
        let ask = Ask::Search(game.clone(), query.clone(), after, count);
        let found: Vec<String> = self.ask(ask)?;
        // What the server cannot read back it does not send.
        let places = found.iter().filter_map(|word| word.parse().ok());
        Ok(places.collect())
    }
}

#[async_trait]
impl Journal for Far {
    async fn claim(&self, _: &GameId, _: ClaimFor) -> Result<Claim, StoreError> {
        not_here()
    }

    async fn release(&self, _: &GameId, _: Epoch) -> Result<(), StoreError> {
        not_here()
    }

    async fn games(&self) -> Result<Vec<GameRow>, StoreError> {
        let rows: Vec<WireRow> = self.ask(Ask::Games)?;
        Ok(rows.into_iter().map(come_row).collect())
    }

    async fn game(&self, game: &GameId) -> Result<Option<GameRow>, StoreError> {
        let row: Option<WireRow> = self.ask(Ask::Game(game.clone()))?;
        Ok(row.map(come_row))
    }

    async fn append(&self, _: &[Batch]) -> Result<(), StoreError> {
        not_here()
    }

    async fn events(
        &self,
        game: &GameId,
        from: EventSeq,
        event_count: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let mut events: Vec<Vec<u8>> = Vec::new();
        // A question brings as many as fit into an answer, so a long log takes some.
        while events.len() < event_count {
            let from = EventSeq(from.0 + events.len() as u64);
            let count = u32::try_from(event_count - events.len()).unwrap_or(u32::MAX);
            let part: Vec<Vec<u8>> = self.ask(Ask::Events(game.clone(), from, count))?;
            if part.is_empty() {
                break;
            }
            events.extend(part);
        }
        Ok(events)
    }

    async fn receipts(
        &self,
        _: &GameId,
        _: &[(Actor, Name)],
    ) -> Result<Vec<Option<EventSeq>>, StoreError> {
        not_here()
    }

    async fn put_snapshot(&self, _: &GameId, _: &Snapshot) -> Result<(), StoreError> {
        not_here()
    }

    async fn snapshot_before(
        &self,
        game: &GameId,
        at_most: EventSeq,
    ) -> Result<Option<Snapshot>, StoreError> {
        let found: Option<WireSnapshot> = self.ask(Ask::SnapshotBefore(game.clone(), at_most))?;
        Ok(found.map(|(head, digest, open)| Snapshot {
            head: come_head(head),
            digest,
            open,
        }))
    }

    async fn unveil(&self, _: &GameId) -> Result<(), StoreError> {
        not_here()
    }

    async fn discard(&self, _: &GameId) -> Result<(), StoreError> {
        not_here()
    }

    async fn beat(&self, _: Moment) -> Result<(), StoreError> {
        not_here()
    }

    async fn last_beat(&self) -> Result<Option<Moment>, StoreError> {
        not_here()
    }

    async fn note_outage(&self, _: Outage) -> Result<(), StoreError> {
        not_here()
    }

    async fn outages(&self, _: Moment) -> Result<Vec<Outage>, StoreError> {
        not_here()
    }
}

#[async_trait]
impl Accounts for Far {
    async fn make(&self, _: &NewAccount) -> Result<AccountId, AccountError> {
        Ok(not_here()?)
    }

    async fn account(&self, id: AccountId) -> Result<Option<Account>, AccountError> {
        Ok(self.ask(Ask::Account(id.0))?)
    }

    async fn account_by_name(&self, name: &str) -> Result<Option<Account>, AccountError> {
        Ok(self.ask(Ask::AccountByName(name.to_owned()))?)
    }

    async fn account_by_mail(&self, _: &str) -> Result<Option<Account>, AccountError> {
        Ok(not_here()?)
    }

    async fn accounts(&self) -> Result<Vec<Account>, AccountError> {
        Ok(self.ask(Ask::Accounts)?)
    }

    async fn change(&self, _: &Account) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn erase(&self, _: AccountId) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn begin_session(&self, _: &Session) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn account_of_session(
        &self,
        digest: Digest,
        now: Moment,
    ) -> Result<Option<Account>, AccountError> {
        Ok(self.ask(Ask::AccountOfSession(digest, now))?)
    }

    async fn sessions_of(&self, _: AccountId, _: Moment) -> Result<Vec<Session>, AccountError> {
        Ok(not_here()?)
    }

    async fn end_session(&self, _: Digest) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn make_token(&self, _: &Token) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn token(&self, digest: Digest, now: Moment) -> Result<Option<Token>, AccountError> {
        Ok(self.ask(Ask::Token(digest, now))?)
    }

    async fn tokens_of(&self, _: AccountId) -> Result<Vec<Token>, AccountError> {
        Ok(not_here()?)
    }

    async fn revoke_token(&self, _: Digest) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn invite(&self, _: &Invitation) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn invitation(&self, _: Digest, _: Moment) -> Result<Option<Invitation>, AccountError> {
        Ok(not_here()?)
    }

    async fn make_recovery(&self, _: &Recovery) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn use_recovery(&self, _: Digest, _: Moment) -> Result<Option<AccountId>, AccountError> {
        Ok(not_here()?)
    }

    async fn take_seat(&self, _: &Seat) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn leave_seat(&self, _: &GameId, _: PlayerId) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn seat(&self, id: AccountId, game: &GameId) -> Result<Option<PlayerId>, AccountError> {
        Ok(self.ask(Ask::Seat(id.0, game.clone()))?)
    }

    async fn seats_of(&self, id: AccountId) -> Result<Vec<Seat>, AccountError> {
        Ok(self.ask(Ask::SeatsOf(id.0))?)
    }

    async fn seats_in(&self, game: &GameId) -> Result<Vec<Seat>, AccountError> {
        Ok(self.ask(Ask::SeatsIn(game.clone()))?)
    }

    async fn messages_read(
        &self,
        id: AccountId,
        game: &GameId,
    ) -> Result<BTreeMap<String, EventSeq>, AccountError> {
        Ok(self.ask(Ask::MessagesRead(id.0, game.clone()))?)
    }

    async fn note_messages_read(
        &self,
        id: AccountId,
        game: &GameId,
        conversation: &str,
        up_to: EventSeq,
    ) -> Result<(), AccountError> {
        let conversation = conversation.to_owned();
        Ok(self.ask(Ask::NoteMessagesRead(
            id.0,
            game.clone(),
            conversation,
            up_to,
        ))?)
    }

    async fn sweep(&self, _: Moment) -> Result<(), AccountError> {
        Ok(not_here()?)
    }
}

/// Nothing of this is a worker's: the server does it before it hands a request over.
#[async_trait]
impl Safety for Far {
    async fn make_invited(&self, _: &NewAccount, _: Digest) -> Result<AccountId, AccountError> {
        Ok(not_here()?)
    }

    async fn use_session(&self, _: &SessionUse, _: Moment, _: Span) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn session_uses(&self, _: AccountId) -> Result<Vec<SessionUse>, AccountError> {
        Ok(not_here()?)
    }

    async fn close_ways(&self, _: AccountId) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn make_from_outside(
        &self,
        _: &NewAccount,
        _: Option<Digest>,
        _: &OutsideWay,
    ) -> Result<AccountId, AccountError> {
        Ok(not_here()?)
    }

    async fn account_from_outside(
        &self,
        _: &OutsideName,
    ) -> Result<Option<AccountId>, AccountError> {
        Ok(not_here()?)
    }

    async fn outside_ways(&self, _: AccountId) -> Result<Vec<OutsideWay>, AccountError> {
        Ok(not_here()?)
    }

    async fn link_outside(&self, _: AccountId, _: &OutsideWay) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn unlink_outside(&self, _: AccountId, _: &OutsideName) -> Result<bool, AccountError> {
        Ok(not_here()?)
    }

    async fn second_factor(&self, _: AccountId) -> Result<Option<SecondFactor>, AccountError> {
        Ok(not_here()?)
    }

    async fn set_second_factor(
        &self,
        _: AccountId,
        _: &[u8],
        _: u64,
        _: &[Digest],
    ) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn drop_second_factor(&self, _: AccountId) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn use_step(&self, _: AccountId, _: u64) -> Result<bool, AccountError> {
        Ok(not_here()?)
    }

    async fn use_recovery_code(&self, _: AccountId, _: Digest) -> Result<bool, AccountError> {
        Ok(not_here()?)
    }

    async fn note(&self, _: &SecurityEntry) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn entries(
        &self,
        _: Option<AccountId>,
        _: u32,
    ) -> Result<Vec<SecurityEntry>, AccountError> {
        Ok(not_here()?)
    }

    async fn drop_entries(&self, _: Moment) -> Result<(), AccountError> {
        Ok(not_here()?)
    }
}

/// Of this a worker needs to know what its own reader is kept from.
#[async_trait]
impl Moderation for Far {
    async fn restrain(&self, _: AccountId, _: &Restraint) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn lift(&self, _: AccountId) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn restraint(
        &self,
        id: AccountId,
        now: Moment,
    ) -> Result<Option<Restraint>, AccountError> {
        Ok(self.ask(Ask::Restraint(id.0, now))?)
    }

    async fn report(&self, _: &Report) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn reports(&self) -> Result<Vec<(u64, Report)>, AccountError> {
        Ok(not_here()?)
    }

    async fn settle_report(&self, _: u64, _: Moment) -> Result<bool, AccountError> {
        Ok(not_here()?)
    }
}

/// Those of the account that this works for: the server believes no worker who it is.
#[async_trait]
impl Drafts for Far {
    async fn keep_draft(&self, _: AccountId, _: &KeptDraft) -> Result<DraftKept, AccountError> {
        Ok(not_here()?)
    }

    async fn draft(
        &self,
        _: AccountId,
        game: &GameId,
        form: &str,
    ) -> Result<Option<KeptDraft>, AccountError> {
        Ok(self.ask(Ask::Draft(game.clone(), form.to_owned()))?)
    }

    async fn drafts(&self, _: AccountId, game: &GameId) -> Result<Vec<KeptDraft>, AccountError> {
        Ok(self.ask(Ask::Drafts(game.clone()))?)
    }

    async fn drop_draft(
        &self,
        _: AccountId,
        game: &GameId,
        form: &str,
    ) -> Result<bool, AccountError> {
        Ok(self.ask(Ask::DropDraft(game.clone(), form.to_owned()))?)
    }
}

#[async_trait]
impl Uploads for Far {
    async fn keep_upload(&self, _: AccountId, _: &Upload) -> Result<UploadKept, AccountError> {
        Ok(not_here()?)
    }

    async fn upload(
        &self,
        _: &GameId,
        _: &str,
        _: Option<AccountId>,
    ) -> Result<Option<Upload>, AccountError> {
        Ok(not_here()?)
    }

    async fn drop_upload(
        &self,
        _: &GameId,
        _: &str,
        _: Option<AccountId>,
    ) -> Result<u64, AccountError> {
        Ok(not_here()?)
    }

    async fn drop_uploads_of(&self, _: AccountId) -> Result<u64, AccountError> {
        Ok(not_here()?)
    }
}
