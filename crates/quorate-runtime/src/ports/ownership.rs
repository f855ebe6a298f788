//! Who may write to which game.
//!
//! A game is written by one node at a time, under a lease whose epoch rises with each owner. The store keeps both: an
//! append names its epoch, and one that is no longer the newest is refused, whatever the node believes.

use std::sync::Arc;

use async_trait::async_trait;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, Name};
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::error::OperatingError;
use crate::published::Answer;

/// The number of a lease on a game. It rises with each owner.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Epoch(pub u64);

/// What an owner holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lease {
    /// What each append names.
    pub epoch: Epoch,
    /// How often this node had let its leases end when it got this one; see [`Nodes::is_sure`].
    pub term: u64,
}

/// A node, as the others know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeRow {
    /// Its name, which its operator gave it.
    pub name: Arc<str>,
    /// Where the others reach it: a host and a port.
    pub address: Arc<str>,
    /// The newest edition of the law's language that it knows.
    pub edition: u16,
    /// The release it runs.
    pub release: Arc<str>,
    /// Whether it renewed its leases in time.
    pub is_alive: bool,
    /// Whether it gives its games away and takes none.
    pub is_draining: bool,
    /// How many games it owns.
    pub game_count: u64,
}

/// What a claim is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimFor {
    /// A game that may not be there yet.
    Founding,
    /// A game that is there.
    Writing,
}

/// What came of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClaimedGame {
    /// This node owns the game.
    Ours(Lease),
    /// Another node owns it, or is to: this one takes no games.
    Theirs(NodeRow),
}

/// A game has moved, as far as a node hears of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// A game's log has grown up to this event.
    Grown(GameId, EventSeq),
    /// Something may have been missed: look at every game.
    Perhaps,
    /// Somebody's words were dropped for good, and nobody is to remember them; or a game was removed.
    Forgotten,
    /// A node is to give its games away, or no longer; leases should be renewed now.
    Draining,
}

/// How a node stands after it renewed its leases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeStanding {
    /// It gives its games away and takes none.
    pub is_draining: bool,
}

/// The nodes that share one store. Only a store that several can use has this.
#[async_trait]
pub trait Nodes: Send + Sync {
    /// This node.
    fn name(&self) -> Arc<str>;

    /// Keeps all leases of this node for another [`LEASE_MS`] milliseconds.
    async fn renew(&self) -> Result<NodeStanding, StoreError>;

    /// Whether a lease certainly holds at this moment, by a steady clock of this node. What an owner knows of a game
    /// is then all there is.
    fn is_sure(&self, lease: Lease) -> bool;

    /// All nodes that were ever there and not forgotten, by name.
    async fn list(&self) -> Result<Vec<NodeRow>, StoreError>;

    /// Games that have something due up to a moment and that no living node owns.
    async fn unowned_dues(&self, up_to: Moment) -> Result<Vec<(GameId, Moment)>, StoreError>;

    /// Tells the other nodes that words were dropped for good, or a game was removed.
    async fn tell_forgotten(&self) -> Result<(), StoreError>;

    /// Waits for the next news.
    async fn news(&self) -> News;

    /// Gives up all leases of this node, which takes none any more.
    async fn leave(&self) -> Result<(), StoreError>;
}

/// How long a lease holds after it was renewed, in milliseconds.
pub const LEASE_MS: u64 = 5_000;

/// How often a lease is renewed, in milliseconds.
pub const RENEW_EVERY_MS: u64 = 1_000;

/// Something that only the owner of a game can do.
#[derive(Clone, Debug)]
pub enum PeerAsk {
    /// A command.
    Command {
        /// Whose.
        actor: Actor,
        /// Its key.
        key: Name,
        /// What is done.
        act: Act,
    },
    /// Contents of seals are to be dropped for good.
    Forget(Vec<Digest>),
}

/// What the owner of a game answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PeerAnswer {
    /// To a command.
    Command(Answer),
    /// How many contents were dropped.
    Forgotten(usize),
}

/// Why another node did not do what it was asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PeerError {
    /// It does not own the game.
    #[error("that node does not own the game")]
    NotOwner,
    /// It cannot be reached, or went away in the middle; nobody knows whether it was done.
    #[error("that node cannot be reached: {0}")]
    Gone(String),
    /// It said no.
    #[error(transparent)]
    Operating(#[from] OperatingError),
}

/// The way to the other nodes.
#[async_trait]
pub trait Peers: Send + Sync {
    /// Asks the owner of a game.
    async fn ask(
        &self,
        node: &NodeRow,
        game: &GameId,
        ask: PeerAsk,
    ) -> Result<PeerAnswer, PeerError>;
}
