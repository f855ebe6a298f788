//! Wakes sleeping games when something falls due in them, and notes that the server is up.

use std::sync::Arc;

use quorate_kernel::Moment;

use super::{Games, Inner, Purpose};

/// How many games are woken for a due thing at a time, so that a midnight shared by a thousand sleeping games does
/// not hold up the awake ones.
const WOKEN_AT_ONCE: usize = 2;

/// Wakes each sleeping game when it is time.
pub(super) fn watch(games: &Games) -> impl Future<Output = ()> + Send + 'static {
    let games = games.clone();
    async move {
        loop {
            let inner = &games.0;
            let first = inner.desk.first_due().unwrap_or(Moment(i64::MAX));
            tokio::select! {
                () = inner.ports.clock.until(first) => {}
                () = inner.alarm.notified() => continue,
            }
            let due = inner.desk.due(inner.ports.clock.now());
            for some in due.chunks(WOKEN_AT_ONCE) {
                let slots: Vec<_> = some
                    .iter()
                    .filter_map(|game| games.wake(game, Purpose::Due).ok())
                    .collect();
                for slot in slots {
                    // One that cannot be opened says so in the log, and is tried again later.
                    drop(slot.awake().await);
                }
            }
        }
    }
}

/// Notes from time to time that the server is up, so that downtime is known afterwards.
pub(super) fn beat(games: &Games) -> impl Future<Output = ()> + Send + 'static {
    let inner: Arc<Inner> = Arc::clone(&games.0);
    async move {
        loop {
            let clock = &inner.ports.clock;
            clock.until(clock.now() + inner.settings.beat_every).await;
            if let Err(error) = inner.ports.journal.beat(clock.now()).await {
                tracing::error!(%error, "could not note that the server is up");
            }
        }
    }
}
