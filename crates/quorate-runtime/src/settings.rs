//! What the host of games is given.

use std::sync::Arc;

use quorate_kernel::Span;

use crate::judge::Judges;
use crate::ports::{Journal, Nodes, Peers, Seals, ServerSecret, TimeSource};

/// What games lean on.
#[derive(Clone)]
pub struct Ports {
    /// Their logs.
    pub journal: Arc<dyn Journal>,
    /// What lies beside the logs.
    pub seals: Arc<dyn Seals>,
    /// Who judges.
    pub judges: Arc<dyn Judges>,
    /// What time it is.
    pub clock: Arc<dyn TimeSource>,
    /// What dice and salts follow from.
    pub secret: ServerSecret,
    /// The other nodes, where several share the store.
    pub others: Option<Others>,
}

/// What a node knows of the others.
#[derive(Clone)]
pub struct Others {
    /// Who they are, and which games this node holds among them.
    pub nodes: Arc<dyn Nodes>,
    /// The way to them.
    pub peers: Arc<dyn Peers>,
}

/// How games are kept awake and safe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GamesSettings {
    /// How long after its last use a game falls asleep.
    pub asleep_after: Span,
    /// After how many events a snapshot is kept.
    pub snapshot_every: u64,
    /// How often the server notes that it is up.
    pub beat_every: Span,
    /// The shortest time without such a note that counts as downtime.
    pub outage_min: Span,
    /// The newest edition of the law's language that games may need.
    pub edition_max: u16,
}

impl Default for GamesSettings {
    fn default() -> Self {
        Self {
            asleep_after: Span::minutes(15),
            snapshot_every: 50_000,
            beat_every: Span(15_000),
            outage_min: Span::minutes(1),
            edition_max: quorate_engine::rulebook::EDITION,
        }
    }
}
