//! The worker's end: the ports of a site, each question a frame to the server and its answer another.

use std::collections::HashMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::digest::Digest;
use quorate_kernel::seal::SealBytes;
use quorate_kernel::{EventSeq, GameId, Moment, Name};
use quorate_runtime::ports::{
    Batch, ClaimFor, ClaimedGame, DistantGames, Epoch, GameRow, IndexPoint, Journal, Outage, Seals,
    SearchIndex, SearchKey, SearchPlace, SearchQuery, SearchText, Snapshot, StoreError,
};
use quorate_runtime::wire::{WireAnswer, WireRecord, come_head};
use quorate_runtime::wire_error::WireError;
use quorate_runtime::{Answer, OperatingError, Published, Receipt};
use serde::de::DeserializeOwned;

use super::{
    NewestSent, PipeAsk, PipeSender, Upward, WireNewest, WirePoint, WireRow, WireSeal,
    WireSnapshot, WorkerTask,
};
use crate::culprit::Teller;
use crate::frame;

mod accounts;

/// How many games' states a worker keeps between jobs.
const STATES_MAX: usize = 8;

/// The ports of a site in a worker.
pub struct Far {
    socket: Mutex<UnixStream>,
    /// States that came, the newest last.
    known: Mutex<Vec<Arc<Published>>>,
    /// What was asked in this job, and how it was answered, where that stays so.
    answered: Mutex<HashMap<Vec<u8>, Vec<u8>>>,
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
    })?;
    loop {
        let task: WorkerTask = frame::message(&frame::read(&*far.lock())?)?;
        far.answered().clear();
        if let Some(game) = &task.game {
            open(game);
        }
        frame::write(&*far.lock(), &frame::bytes(&Upward::Begins)?)?;
        teller.begin(task.tells_after);
        let done = if task.request.is_empty() {
            Vec::new()
        } else {
            work(task.request)
        };
        teller.end();
        frame::write(&*far.lock(), &frame::bytes(&Upward::Done(done))?)?;
    }
}

impl Far {
    /// Over a socket.
    pub fn new(socket: UnixStream) -> Self {
        Self {
            socket: Mutex::new(socket),
            known: Mutex::default(),
            answered: Mutex::default(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, UnixStream> {
        self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Published>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answered(&self) -> std::sync::MutexGuard<'_, HashMap<Vec<u8>, Vec<u8>>> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask<T: DeserializeOwned>(&self, ask: PipeAsk) -> Result<T, WireError> {
        let broken = |error: io::Error| WireError::Other(error.to_string());
        let (stays, changes) = (ask.stays(), ask.changes());
        let question = frame::bytes(&Upward::Ask(ask)).map_err(broken)?;
        if changes {
            self.answered().clear();
        }
        let known = self.answered().get(&question).cloned();
        let answer = if let Some(answer) = known {
            answer
        } else {
            let socket = self.lock();
            frame::write(&*socket, &question).map_err(broken)?;
            frame::read(&*socket).map_err(broken)?
        };
        let said = frame::message::<Result<T, WireError>>(&answer).map_err(broken)?;
        if stays && said.is_ok() {
            self.answered().insert(question, answer);
        }
        said
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
        let at = known
            .as_ref()
            .map(|known| (known.head.seq, known.head.hash));
        let (head, sent): WireNewest = self.ask(PipeAsk::Newest(game.clone(), at))?;
        let with = |state| {
            let (game, head) = (game.clone(), come_head(head));
            Arc::new(Published { game, state, head })
        };
        let newest = match (sent, known) {
            (NewestSent::Same, Some(known)) => known,
            (NewestSent::Since(events), Some(known)) => {
                let mut state = known.state.clone();
                for event in events {
                    let event = event.event().map_err(|_| OperatingError::Bug)?;
                    let effects = event.steps.iter().map(|step| &step.effect);
                    let taken = state.apply_all(effects);
                    taken.map_err(|_| OperatingError::Bug)?;
                }
                with(state)
            }
            (NewestSent::Whole(state), _) => with(state.state().map_err(|_| OperatingError::Bug)?),
            (NewestSent::Same | NewestSent::Since(_), None) => return Err(OperatingError::Bug),
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
        let answer: WireAnswer = self.ask(PipeAsk::Send(game.clone(), command))?;
        answer.answer().map_err(|_| OperatingError::Bug)
    }

    async fn receipt(
        &self,
        game: &GameId,
        actor: Actor,
        key: &Name,
    ) -> Result<Option<Receipt>, OperatingError> {
        let sender = match actor {
            Actor::Player(player) => PipeSender::Player(player),
            Actor::Newcomer => PipeSender::Newcomer,
            Actor::Operator => PipeSender::Operator,
            // No worker sends as anybody else.
            Actor::Game | Actor::Hidden => return Ok(None),
        };
        let ask = PipeAsk::Receipt(game.clone(), sender, key.clone());
        let answer: Option<WireAnswer> = self.ask(ask)?;
        match answer.map(|answer| answer.answer()) {
            Some(Ok(Answer::Kept(receipt))) => Ok(Some(receipt)),
            None => Ok(None),
            Some(Ok(Answer::Refused(_)) | Err(_)) => Err(OperatingError::Bug),
        }
    }
}

#[async_trait]
impl Seals for Far {
    async fn find(&self, digests: &[Digest]) -> Result<HashMap<Digest, SealBytes>, StoreError> {
        let found: Vec<WireSeal> = self.ask(PipeAsk::Seals(digests.to_vec()))?;
        let seals = found.into_iter().map(|(digest, salt, bytes)| SealBytes {
            digest,
            salt,
            bytes: bytes.into_vec(),
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
        let point: Option<WirePoint> = self.ask(PipeAsk::IndexPoint(game.clone()))?;
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
        let ask = PipeAsk::Search(game.clone(), query.clone(), after, count);
        let found: Vec<String> = self.ask(ask)?;
        // What the server cannot read back it does not send.
        let places = found.iter().filter_map(|word| word.parse().ok());
        Ok(places.collect())
    }
}

#[async_trait]
impl Journal for Far {
    async fn claim(&self, _: &GameId, _: ClaimFor) -> Result<ClaimedGame, StoreError> {
        not_here()
    }

    async fn release(&self, _: &GameId, _: Epoch) -> Result<(), StoreError> {
        not_here()
    }

    async fn games(&self) -> Result<Vec<GameRow>, StoreError> {
        let rows: Vec<WireRow> = self.ask(PipeAsk::Games)?;
        Ok(rows.into_iter().map(come_row).collect())
    }

    async fn game(&self, game: &GameId) -> Result<Option<GameRow>, StoreError> {
        let row: Option<WireRow> = self.ask(PipeAsk::Game(game.clone()))?;
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
            let part: Vec<Vec<u8>> = self.ask(PipeAsk::Events(game.clone(), from, count))?;
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
        let found: Option<WireSnapshot> =
            self.ask(PipeAsk::SnapshotBefore(game.clone(), at_most))?;
        Ok(found.map(|(head, digest, open)| Snapshot {
            head: come_head(head),
            digest,
            open: open.into_vec(),
        }))
    }

    async fn unveil(&self, _: &GameId) -> Result<(), StoreError> {
        not_here()
    }

    async fn discard(&self, _: &GameId) -> Result<(), StoreError> {
        not_here()
    }

    async fn set_removed(&self, _: &GameId, _: Option<Moment>) -> Result<bool, StoreError> {
        not_here()
    }

    async fn removed(&self) -> Result<Vec<(GameId, Moment)>, StoreError> {
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use quorate_kernel::PlayerId;

    use super::*;

    #[test]
    fn a_job_asks_the_same_once_until_it_changes_something() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let answering = std::thread::spawn(move || {
            let mut asked = 0;
            while frame::read(&theirs).is_ok() {
                asked += 1;
                let nobody: Result<Option<PlayerId>, WireError> = Ok(None);
                frame::write(&theirs, &frame::bytes(&nobody).unwrap()).unwrap();
            }
            asked
        });
        let far = Far::new(ours);
        let game: GameId = "reef".parse().unwrap();
        let asks = |ask: PipeAsk| {
            let answer: Option<PlayerId> = far.ask(ask).unwrap();
            assert_eq!(answer, None);
        };
        let seat = || PipeAsk::Seat(1, game.clone());
        asks(seat());
        asks(seat());
        asks(PipeAsk::Seat(2, game.clone()));
        asks(PipeAsk::DropDraft(game.clone(), "post".to_owned()));
        asks(seat());
        asks(seat());
        drop(far);
        assert_eq!(answering.join().unwrap(), 4);
    }

    #[test]
    fn a_task_without_a_request_takes_up_a_law_and_makes_nothing() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let game: GameId = "reef".parse().unwrap();
        let task = WorkerTask {
            request: Vec::new(),
            game: Some(game.clone()),
            tells_after: Duration::MAX,
        };
        frame::write(&ours, &frame::bytes(&task).unwrap()).unwrap();
        ours.shutdown(std::net::Shutdown::Write).unwrap();
        let mut opened = Vec::new();
        let far = Arc::new(Far::new(theirs));
        let ended = serve(
            &far,
            |game| opened.push(game.clone()),
            |_| panic!("there is nothing to do"),
        );
        assert!(ended.is_err(), "the server is gone");
        assert_eq!(opened, [game]);
        let said = || frame::message::<Upward>(&frame::read(&ours).unwrap()).unwrap();
        assert!(matches!(said(), Upward::Begins));
        assert!(matches!(said(), Upward::Done(nothing) if nothing.is_empty()));
    }
}
