//! What a node does all the time: it renews its leases, hears the others, and wakes games whose owner is gone.

use std::sync::Arc;
use std::time::Duration;

use quorate_kernel::Span;

use crate::host::GamesInside;
use crate::mail::WriterMail;
use crate::ports::{News, RENEW_EVERY_MS, StoreError};
use crate::settings::Others;

/// How often games are looked for that have something due and no owner.
const DUES_EVERY: Duration = Duration::from_secs(2);

/// How far ahead.
const DUES_AHEAD: Span = Span(3_000);

/// Starts what a node does all the time.
pub(super) fn mind(host: &Arc<GamesInside>, others: &Others) {
    let registry = &host.registry;
    registry.keep_running(hear(Arc::clone(host), others.clone()));
    registry.keep_running(wake_unowned(Arc::clone(host), others.clone()));
}

/// Renews this node's leases, and passes on what is heard of the others.
async fn hear(host: Arc<GamesInside>, others: Others) {
    let mut ticks = tokio::time::interval(Duration::from_millis(RENEW_EVERY_MS));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let news = tokio::select! {
            _ = ticks.tick() => News::Draining,
            news = others.nodes.news() => news,
        };
        match news {
            News::Grown(game, _) => {
                if let Some(slot) = host.registry.slot(&game) {
                    drop(slot.inbox.try_send(WriterMail::Grown));
                }
            }
            // What was told while nobody listened may have been of words that were dropped.
            News::Perhaps | News::Forgotten => {
                poke_all(&host, || WriterMail::Forgotten);
                host.registry.note_forgotten();
            }
            News::Draining => match others.nodes.renew().await {
                Ok(standing) if standing.is_draining => poke_all(&host, || WriterMail::GiveUp),
                Ok(_) => {}
                Err(error @ StoreError::NodeReplaced { .. }) => {
                    tracing::error!(%error, "this node takes no commands any more");
                    host.registry.close();
                    return;
                }
                Err(error) => tracing::warn!(%error, "leases could not be renewed"),
            },
        }
    }
}

/// A box that is full belongs to somebody who looks anyway.
fn poke_all(host: &GamesInside, mail: impl Fn() -> WriterMail) {
    for slot in host.registry.slots() {
        drop(slot.inbox.try_send(mail()));
    }
}

/// Has games woken that have something due and no owner: their owner died, or they sleep.
async fn wake_unowned(host: Arc<GamesInside>, others: Others) {
    let mut ticks = tokio::time::interval(DUES_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let now = host.ports.clock.now();
        let dues = match others.nodes.unowned_dues(now + DUES_AHEAD).await {
            Ok(dues) => dues,
            Err(error) => {
                tracing::warn!(%error, "could not look for games that have something due");
                continue;
            }
        };
        for (game, due) in dues {
            match host.registry.slot(&game) {
                Some(slot) if due <= now => drop(slot.inbox.try_send(WriterMail::Unowned)),
                Some(_) => {}
                None => host.sleeps(&game, Some(due)),
            }
        }
    }
}
