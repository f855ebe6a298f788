//! What the host of games is given.

use std::sync::Arc;

use quorate_kernel::Span;

use crate::judge::Judges;
use crate::ports::{Journal, Seals, ServerSecret, TimeSource};

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
}

impl Default for GamesSettings {
    fn default() -> Self {
        Self {
            asleep_after: Span::minutes(15),
            snapshot_every: 50_000,
            beat_every: Span(15_000),
            outage_min: Span::minutes(1),
        }
    }
}
