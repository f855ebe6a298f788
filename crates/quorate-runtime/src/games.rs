//! The way in to all games of a server.

mod alarm;
mod minding;
mod nodes;

use std::sync::Arc;

use quorate_kernel::command::{Act, Actor, Command, Founding};
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, Name, Refusal, Span};
use tokio::sync::{Notify, broadcast, mpsc, oneshot, watch};

use crate::committer::Committer;
use crate::error::OperatingError;
use crate::fold::keep_snapshot;
use crate::host::{GamesInside, Purpose};
use crate::judge::Culprit;
use crate::mail::{CommandSender, Order, WriterMail};
use crate::ports::{GameRow, Journal, Outage, PeerAnswer, PeerAsk, StoreError};
use crate::published::{Answer, Notice, Published, Receipt};
use crate::registry::{GameRegistry, Slot};
use crate::settings::{GamesSettings, Ports};
use crate::writer::Writer;

/// The longest key a sender may give a command, in bytes.
pub const KEY_BYTES_MAX: usize = 128;

/// All games of a server. Cheap to clone; the games go on until [`Games::close`].
#[derive(Clone)]
pub struct Games(pub(crate) Arc<GamesInside>);

impl Games {
    /// Starts: notes how long the server was down, and has sleeping games woken when something falls due in them.
    ///
    /// To be called in a tokio runtime with a timer; the tasks of all games run there.
    pub async fn start(ports: Ports, settings: GamesSettings) -> Result<Self, OperatingError> {
        match note_start(&*ports.journal, ports.clock.now(), settings.outage_min).await {
            Err(error @ (StoreError::Full | StoreError::ReadOnly { .. })) => {
                tracing::error!(%error, "games can be read, and not played");
            }
            noted => noted?,
        }
        // Where several nodes share the store, what is due is asked for from time to time.
        let rows = match &ports.others {
            None => ports.journal.games().await?,
            Some(_) => Vec::new(),
        };
        let games = Self(Arc::new(GamesInside {
            committer: Committer::start(Arc::clone(&ports.journal)),
            registry: GameRegistry::new(
                rows.iter()
                    .filter_map(|r| Some((r.next_due?, r.game.clone()))),
            ),
            alarm: Notify::new(),
            ports,
            settings,
        }));
        let registry = &games.0.registry;
        let waker = games.clone();
        let wake = move |game: &GameId| waker.wake(game, Purpose::Due).ok();
        registry.keep_running(alarm::watch(Arc::clone(&games.0), wake));
        registry.keep_running(alarm::beat(Arc::clone(&games.0)));
        if let Some(others) = &games.0.ports.others {
            minding::mind(&games.0, others);
        }
        Ok(games)
    }

    /// Every game, by its word.
    pub async fn list(&self) -> Result<Vec<GameRow>, OperatingError> {
        Ok(self.0.ports.journal.games().await?)
    }

    /// Founds a game. Its first event is the founding.
    pub async fn found(
        &self,
        game: &GameId,
        actor: Actor,
        key: Name,
        founding: Founding,
    ) -> Result<Answer, OperatingError> {
        if self.0.ports.journal.game(game).await?.is_some() {
            let receipt = self.receipt(game, actor, &key).await?;
            let exists = || StoreError::GameExists { game: game.clone() };
            return Ok(Answer::Kept(receipt.ok_or_else(exists)?));
        }
        let act = Act::Found(Box::new(founding));
        loop {
            let (key, act) = (key.clone(), act.clone());
            let command = (actor, key, act);
            let sender = CommandSender::staying();
            match self.order(game, Purpose::Found, command, sender).await {
                // Somebody was just looking for the game, and the founding came into that one's way.
                Err(OperatingError::NoGame(_)) => {}
                other => return other,
            }
        }
    }

    /// Sends a command to a game; when it is answered with a receipt, it is on disk.
    ///
    /// `key` is the sender's word for this command, unique per actor and at most [`KEY_BYTES_MAX`] long. The same key
    /// again gets the first one's receipt. All newcomers are one actor, so their keys should tell them apart.
    pub async fn send(
        &self,
        game: &GameId,
        actor: Actor,
        key: Name,
        act: Act,
    ) -> Result<Answer, OperatingError> {
        let sender = CommandSender::staying();
        self.send_for(game, actor, key, act, sender).await
    }

    /// The same for somebody who may hang up. If they do before the command is judged, it is dropped and [`OperatingError::Interrupted`] is
    /// the answer. If another node owns the game, that one judges it all the same.
    pub async fn send_for(
        &self,
        game: &GameId,
        actor: Actor,
        key: Name,
        act: Act,
        sender: CommandSender,
    ) -> Result<Answer, OperatingError> {
        let command = (actor, key, act);
        self.order(game, Purpose::Use, command, sender).await
    }

    async fn order(
        &self,
        game: &GameId,
        purpose: Purpose,
        (actor, key, act): (Actor, Name, Act),
        sender: CommandSender,
    ) -> Result<Answer, OperatingError> {
        if key.is_empty() || key.as_str().len() > KEY_BYTES_MAX {
            let what = format!("a key of 1 to {KEY_BYTES_MAX} bytes for the command");
            return Ok(Answer::Refused(Refusal::plain(what)));
        }
        if matches!(actor, Actor::Game | Actor::Hidden) {
            let what = "somebody who acts: what falls due in a game is the game's own business";
            return Ok(Answer::Refused(Refusal::plain(what)));
        }
        let command = (actor, key, act);
        self.answered(game, purpose, command, sender).await
    }

    /// Puts code of a clause to sleep that cost its process too much as somebody looked at the game. It is an act of the game's
    /// own, which nobody else can send.
    pub async fn put_to_sleep(
        &self,
        game: &GameId,
        culprit: Culprit,
    ) -> Result<Answer, OperatingError> {
        let head = self.snapshot(game).await?.head;
        tracing::warn!(%game, clause = ?culprit.clause, "code of the rules is put to sleep");
        let Command {
            actor, key, act, ..
        } = culprit.command(head.at, head.seq);
        let command = (actor, key, act);
        let sender = CommandSender::staying();
        self.answered(game, Purpose::Use, command, sender).await
    }

    /// Has the owner of a game judge a command, this node or another.
    async fn answered(
        &self,
        game: &GameId,
        purpose: Purpose,
        (actor, key, act): (Actor, Name, Act),
        sender: CommandSender,
    ) -> Result<Answer, OperatingError> {
        match &self.0.ports.others {
            None => {
                let command = (actor, key, act);
                self.order_here(game, purpose, command, sender).await
            }
            Some(others) => {
                let ask = PeerAsk::Command { actor, key, act };
                match self.ask_owner(others, game, purpose, ask).await? {
                    PeerAnswer::Command(answer) => Ok(answer),
                    PeerAnswer::Forgotten(_) => Err(OperatingError::Interrupted),
                }
            }
        }
    }

    /// Has this node's writer judge a command.
    async fn order_here(
        &self,
        game: &GameId,
        purpose: Purpose,
        (actor, key, act): (Actor, Name, Act),
        sender: CommandSender,
    ) -> Result<Answer, OperatingError> {
        let (reply, answer) = oneshot::channel();
        let order = Order {
            actor,
            key,
            act,
            sender,
            reply,
        };
        self.post(game, purpose, WriterMail::Order(order)).await?;
        answer.await.map_err(|_| OperatingError::Interrupted)?
    }

    /// The newest state of a game that is on disk.
    pub async fn snapshot(&self, game: &GameId) -> Result<Arc<Published>, OperatingError> {
        if let Some(others) = &self.0.ports.others {
            return self.look(others, game).await;
        }
        let slot = self.wake(game, Purpose::Read)?;
        Ok(slot.awake().await?.0)
    }

    /// What happens in a game from now on. Whoever falls behind is told how much was missed. Keeps no game awake.
    pub fn subscribe(&self, game: &GameId) -> broadcast::Receiver<Notice> {
        self.0.registry.subscribe(game)
    }

    /// What happens in any game from now on.
    pub fn subscribe_all(&self) -> broadcast::Receiver<Notice> {
        self.0.registry.subscribe_all()
    }

    /// The receipt of a command that came before.
    pub async fn receipt(
        &self,
        game: &GameId,
        actor: Actor,
        key: &Name,
    ) -> Result<Option<Receipt>, OperatingError> {
        let keys = [(actor, key.clone())];
        let journal = &self.0.ports.journal;
        match journal.receipts(game, &keys).await?.first() {
            Some(Some(seq)) => Ok(Some(self.0.receipt_at(game, *seq).await?)),
            _ => Ok(None),
        }
    }

    /// Drops the contents of seals for good, also from memory. Gives how many there were.
    pub async fn forget(&self, game: &GameId, digests: &[Digest]) -> Result<usize, OperatingError> {
        let Some(others) = &self.0.ports.others else {
            return self.forget_here(game, digests).await;
        };
        let ask = PeerAsk::Forget(digests.to_vec());
        let forgotten = match self.ask_owner(others, game, Purpose::Use, ask).await? {
            PeerAnswer::Forgotten(count) => count,
            PeerAnswer::Command(_) => return Err(OperatingError::Interrupted),
        };
        others.nodes.tell_forgotten().await?;
        Ok(forgotten)
    }

    /// Changes where contents of seals were dropped on another node, or may have been while this one heard nothing.
    pub fn forgotten(&self) -> watch::Receiver<u64> {
        self.0.registry.forgotten()
    }

    async fn forget_here(
        &self,
        game: &GameId,
        digests: &[Digest],
    ) -> Result<usize, OperatingError> {
        let (reply, answer) = oneshot::channel();
        let mail = WriterMail::Forget(digests.to_vec(), reply);
        self.post(game, Purpose::Use, mail).await?;
        answer.await.map_err(|_| OperatingError::Interrupted)?
    }

    /// Keeps a snapshot of a game as it is now. Gives the last event in it.
    pub async fn keep_snapshot(&self, game: &GameId) -> Result<EventSeq, OperatingError> {
        let published = self.snapshot(game).await?;
        let journal = Arc::clone(&self.0.ports.journal);
        let state = published.state.clone();
        keep_snapshot(journal, game.clone(), state, published.head).await?;
        Ok(published.head.seq)
    }

    /// Takes note of a game that was brought into the store beside this, so that it is woken when due.
    pub async fn adopt(&self, game: &GameId) -> Result<(), OperatingError> {
        let row = self.0.ports.journal.game(game).await?;
        let row = row.ok_or_else(|| OperatingError::NoGame(game.clone()))?;
        self.0.sleeps(game, row.next_due);
        Ok(())
    }

    /// Takes a game off the site, or puts it back; false where there is no such game. Nothing of it is lost. When this
    /// returns no writer of this node has it, and the other nodes have been told.
    pub async fn set_removed(
        &self,
        game: &GameId,
        is_removed: bool,
    ) -> Result<bool, OperatingError> {
        let ports = &self.0.ports;
        let at = is_removed.then(|| ports.clock.now());
        if !ports.journal.set_removed(game, at).await? {
            return Ok(false);
        }
        if !is_removed {
            // A writer that was woken before the game came back finds none, and would tell that to whoever asks next.
            if let Some(slot) = self.0.registry.slot(game)
                && slot.awake().await.is_err()
            {
                slot.gone().await;
            }
            self.adopt(game).await?;
            return Ok(true);
        }
        self.0.sleeps(game, None);
        if let Some(slot) = self.0.registry.slot(game) {
            // A writer that is gone need not be told to look.
            drop(slot.inbox.send(WriterMail::Forgotten).await);
            slot.gone().await;
        }
        if let Some(others) = &ports.others {
            others.nodes.tell_forgotten().await?;
        }
        Ok(true)
    }

    /// The games that were removed, with when, by their words.
    pub async fn removed(&self) -> Result<Vec<(GameId, Moment)>, OperatingError> {
        Ok(self.0.ports.journal.removed().await?)
    }

    /// Whether a game has a writer and its state in memory now.
    pub fn is_awake(&self, game: &GameId) -> bool {
        self.0.registry.slot(game).is_some()
    }

    /// Ends all games after the commands that wait, and notes that the server was up until now.
    pub async fn close(&self) -> Result<(), OperatingError> {
        let slots = self.0.registry.close();
        for slot in &slots {
            // A writer that is gone need not be told to go.
            drop(slot.inbox.send(WriterMail::Close).await);
        }
        for slot in &slots {
            slot.gone().await;
        }
        let now = self.0.ports.clock.now();
        self.0.ports.journal.beat(now).await?;
        if let Some(others) = &self.0.ports.others {
            others.nodes.leave().await?;
        }
        Ok(())
    }

    /// Puts mail into a game's box, waking it where it sleeps.
    async fn post(
        &self,
        game: &GameId,
        purpose: Purpose,
        mut mail: WriterMail,
    ) -> Result<(), OperatingError> {
        loop {
            let slot = self.wake(game, purpose)?;
            match slot.inbox.send(mail).await {
                Ok(()) => return Ok(()),
                // It was just falling asleep; it can be woken as soon as it is gone.
                Err(mpsc::error::SendError(back)) => {
                    mail = back;
                    slot.gone().await;
                }
            }
        }
    }

    /// The slot of a game, with a writer in it.
    fn wake(&self, game: &GameId, purpose: Purpose) -> Result<Arc<Slot>, OperatingError> {
        let used_at = match purpose {
            Purpose::Found | Purpose::Use | Purpose::Read => self.0.ports.clock.now(),
            Purpose::Due => Moment(i64::MIN),
        };
        let slot = self
            .0
            .registry
            .slot_or(game, used_at, |slot, inbox, standing| {
                let writer = Writer::new(&self.0, game, slot, inbox, standing);
                tokio::spawn(writer.run(purpose));
            })?;
        slot.touch(used_at);
        Ok(slot)
    }
}

/// Notes that the server is up from now on, and how long it was not.
async fn note_start(
    journal: &dyn Journal,
    now: Moment,
    outage_min: Span,
) -> Result<(), StoreError> {
    if let Some(since) = journal.last_beat().await?
        && now - since >= outage_min
    {
        let outage = Outage { since, until: now };
        journal.note_outage(outage).await?;
    }
    journal.beat(now).await
}
