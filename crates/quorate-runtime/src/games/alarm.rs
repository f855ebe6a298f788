//! Wakes sleeping games when something falls due in them, and notes that the server is up.

use std::sync::Arc;

use quorate_kernel::{GameId, Moment};

use crate::host::GamesInside;
use crate::registry::Slot;

/// How many games are woken for a due thing at a time, so that a midnight shared by a thousand sleeping games does
/// not hold up the awake ones.
const WOKEN_AT_ONCE: usize = 2;

/// Wakes each sleeping game when it is time.
pub(super) async fn watch(
    host: Arc<GamesInside>,
    wake: impl Fn(&GameId) -> Option<Arc<Slot>> + Send,
) {
    loop {
        let first = host.registry.first_due().unwrap_or(Moment(i64::MAX));
        tokio::select! {
            () = host.ports.clock.until(first) => {}
            () = host.alarm.notified() => continue,
        }
        let due = host.registry.due(host.ports.clock.now());
        for some in due.chunks(WOKEN_AT_ONCE) {
            let slots: Vec<_> = some.iter().filter_map(&wake).collect();
            for slot in slots {
                // One that cannot be opened says so in the log, and is tried again later.
                drop(slot.awake().await);
            }
        }
    }
}

/// Notes from time to time that the server is up, so that downtime is known afterwards.
pub(super) async fn beat(host: Arc<GamesInside>) {
    loop {
        let clock = &host.ports.clock;
        clock.until(clock.now() + host.settings.beat_every).await;
        if let Err(error) = host.ports.journal.beat(clock.now()).await {
            tracing::error!(%error, "could not note that the server is up");
        }
    }
}
