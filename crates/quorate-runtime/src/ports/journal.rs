//! The journal: the logs of all games, and what helps to read them fast.

use async_trait::async_trait;
use quorate_kernel::command::Actor;
use quorate_kernel::digest::Digest;
use quorate_kernel::seal::SealBytes;
use quorate_kernel::{EventSeq, GameId, Moment, Name};

use super::{ClaimFor, ClaimedGame, Epoch, StoreError};
use crate::judge::{Head, Secret};

/// The logs of all games.
///
/// One node at a time writes to a game, under a lease whose epoch rises with each owner; whoever holds an older one is
/// refused at the next write. Where one process owns the whole store, its lease is that of every game.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Claims a game, to write to it. Whoever owns it already gets the same lease again.
    async fn claim(&self, game: &GameId, what_for: ClaimFor) -> Result<ClaimedGame, StoreError>;

    /// Gives a game up. Nothing happens where the lease is not the newest any more.
    async fn release(&self, game: &GameId, epoch: Epoch) -> Result<(), StoreError>;

    /// Every game that is wholly here and was not removed, by its word.
    async fn games(&self) -> Result<Vec<GameRow>, StoreError>;

    /// One game, also while it is still being brought in; none where it was removed.
    async fn game(&self, game: &GameId) -> Result<Option<GameRow>, StoreError>;

    /// Appends events of several games, all or none, with one sync. When it returns they are on disk.
    ///
    /// Each batch names the epoch under which its game is owned, and no two are of the same game. A batch that begins at
    /// [`Head::START`] founds its game. The error of a batch that does not fit names its game; the others may be sent again
    /// without it.
    async fn append(&self, batches: &[Batch]) -> Result<(), StoreError>;

    /// The open parts of up to `event_count` events, the first being number `from`.
    async fn events(
        &self,
        game: &GameId,
        from: EventSeq,
        event_count: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError>;

    /// For each actor and key the event that it led to. The game itself has no receipts.
    async fn receipts(
        &self,
        game: &GameId,
        keys: &[(Actor, Name)],
    ) -> Result<Vec<Option<EventSeq>>, StoreError>;

    /// Keeps a snapshot; the newest two of a game and those that open a dynasty are worth their room.
    async fn put_snapshot(&self, game: &GameId, snapshot: &Snapshot) -> Result<(), StoreError>;

    /// The newest snapshot that is not later than `at_most`.
    async fn snapshot_before(
        &self,
        game: &GameId,
        at_most: EventSeq,
    ) -> Result<Option<Snapshot>, StoreError>;

    /// Makes a game that was brought in from elsewhere visible, now that it is whole.
    async fn unveil(&self, game: &GameId) -> Result<(), StoreError>;

    /// Drops a game that was not brought in to its end. A game that is whole is never dropped.
    async fn discard(&self, game: &GameId) -> Result<(), StoreError>;

    /// Removes a game at a moment, or puts it back with `None`; false where there is no game that is whole. A removed game is
    /// as if it were not there, but its word stays taken, and nothing of it is lost.
    async fn set_removed(&self, game: &GameId, at: Option<Moment>) -> Result<bool, StoreError>;

    /// The games that were removed, with when, by their words.
    async fn removed(&self) -> Result<Vec<(GameId, Moment)>, StoreError>;

    /// Notes that the server is up.
    async fn beat(&self, at: Moment) -> Result<(), StoreError>;

    /// When the server was last known to be up.
    async fn last_beat(&self) -> Result<Option<Moment>, StoreError>;

    /// Notes that the server was down.
    async fn note_outage(&self, outage: Outage) -> Result<(), StoreError>;

    /// When the server was down, as far as that ended after a moment; oldest first.
    async fn outages(&self, after: Moment) -> Result<Vec<Outage>, StoreError>;
}

/// A game as the journal knows it.
#[derive(Clone, PartialEq, Eq)]
pub struct GameRow {
    /// Its word.
    pub game: GameId,
    /// The end of its log.
    pub head: Head,
    /// When something next falls due in it.
    pub next_due: Option<Moment>,
    /// Its secret, where it came from another server and kept it.
    pub secret: Option<Secret>,
    /// Whether it is wholly here; false while it is being brought in.
    pub whole: bool,
}

impl std::fmt::Debug for GameRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GameRow")
            .field("game", &self.game)
            .field("head", &self.head)
            .field("next_due", &self.next_due)
            .field("whole", &self.whole)
            .finish_non_exhaustive()
    }
}

/// Events of one game to be appended, one after another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    /// Whose log.
    pub game: GameId,
    /// The lease under which its writer owns the game.
    pub epoch: Epoch,
    /// Where the log must end now.
    pub after: Head,
    /// The events.
    pub events: Vec<Stored>,
    /// Where the log then ends.
    pub head: Head,
    /// When something next falls due after them.
    pub next_due: Option<Moment>,
    /// Set only with the first batch of a game that is brought in from elsewhere.
    pub arrival: Option<Arrival>,
}

/// What a game that comes from another server brings with it.
#[derive(Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The secret under which its dice fell, if that came along.
    pub secret: Option<Secret>,
}

impl std::fmt::Debug for Arrival {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Arrival")
    }
}

/// One event as it is appended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// Its number.
    pub seq: EventSeq,
    /// Whose command it was.
    pub actor: Actor,
    /// The command's key.
    pub key: Name,
    /// The open part, over which the chain runs.
    pub open: Vec<u8>,
    /// What lies beside it. What is kept already, or was forgotten, stays as it is.
    pub seals: Vec<SealBytes>,
}

impl Stored {
    /// How many bytes it has, with what lies beside it.
    pub fn bytes(&self) -> u64 {
        let beside: usize = self.seals.iter().map(|seal| seal.bytes.len()).sum();
        (self.open.len() + beside) as u64
    }

    /// Whether somebody may ask for the event by its key: not what the game did itself, nor what nobody knows who did,
    /// as in a game that was brought in without its secrets.
    pub fn has_receipt(&self) -> bool {
        match self.actor {
            Actor::Player(_) | Actor::Newcomer | Actor::Operator => true,
            Actor::Game | Actor::Hidden => false,
        }
    }
}

/// A state of a game, kept so that it need not be folded from the first event. A cache: it can be thrown away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The last event in it.
    pub head: Head,
    /// The digest of `open`, against damage.
    pub digest: Digest,
    /// The effects that make the state, as the kernel stores them; seals are closed.
    pub open: Vec<u8>,
}

/// A time during which the server was down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outage {
    /// When it was last known to be up.
    pub since: Moment,
    /// When it came back.
    pub until: Moment,
}

/// An actor as the receipts of a store know it.
pub fn actor_word(actor: Actor) -> String {
    match actor {
        Actor::Player(player) => format!("player {player}"),
        Actor::Newcomer => "newcomer".to_owned(),
        Actor::Game => "game".to_owned(),
        Actor::Operator => "operator".to_owned(),
        Actor::Hidden => "hidden".to_owned(),
    }
}
