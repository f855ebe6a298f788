//! Word of what other nodes wrote.
//!
//! It goes out in a transaction after the append, for one that notifies waits for all others that do. Nothing depends
//! on it: whoever follows a log looks by itself too.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_kernel::{EventSeq, GameId};
use quorate_runtime::ports::News;
use sqlx::postgres::{PgListener, PgNotification};
use tokio::sync::mpsc;

use crate::database::Database;
use crate::error::Away;

/// Where word of grown logs goes: the number of the newest event, a blank, the game.
pub(crate) const LOGS: &str = "quorate_logs";

/// What is told there where words were dropped for good.
pub(crate) const FORGOTTEN: &str = "forgotten";

/// Where word goes that a node is to give its games away, or no longer: its name.
pub(crate) const NODES: &str = "quorate_nodes";

/// How many words are taken together.
const AT_ONCE: usize = 1_024;

/// Tells others, one transaction for all that waits.
pub(crate) async fn tell(
    database: Arc<Database>,
    mut grown: mpsc::UnboundedReceiver<(GameId, EventSeq)>,
) {
    let mut waiting = Vec::new();
    while grown.recv_many(&mut waiting, AT_ONCE).await > 0 {
        let newest: BTreeMap<GameId, EventSeq> = waiting.drain(..).collect();
        let words: Vec<String> = newest
            .iter()
            .map(|(game, seq)| format!("{seq} {game}"))
            .collect();
        let told = database.once(|pool| async move {
            sqlx::query("SELECT pg_notify($1, word) FROM unnest($2::text[]) AS word")
                .bind(LOGS)
                .bind(words)
                .execute(&pool)
                .await
        });
        if told.await.is_err() {
            tracing::debug!("other nodes were not told of new events, and find them by themselves");
        }
    }
}

/// Hears of others until nobody wants to know.
pub(crate) async fn listen(
    database: Arc<Database>,
    node: Arc<str>,
    heard: mpsc::UnboundedSender<News>,
) {
    loop {
        let turn = database.turn();
        let heard_all = hear(&database, &node, &heard);
        tokio::select! {
            _ = heard_all => {}
            () = database.found_after(turn) => {}
        }
        // What was told while nobody listened is lost.
        if heard.send(News::Perhaps).is_err() {
            return;
        }
        database.find(turn, Away::Silent).await;
    }
}

async fn hear(
    database: &Database,
    node: &str,
    heard: &mpsc::UnboundedSender<News>,
) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(&database.pool()).await?;
    listener.listen_all([LOGS, NODES]).await?;
    // Also what was told before this one listened.
    let mut wanted = heard.send(News::Perhaps).is_ok();
    while wanted {
        let Some(notification) = listener.try_recv().await? else {
            return Ok(());
        };
        if let Some(news) = read(&notification, node) {
            wanted = heard.send(news).is_ok();
        }
    }
    Ok(())
}

fn read(notification: &PgNotification, node: &str) -> Option<News> {
    if notification.channel() == NODES {
        return (notification.payload() == node).then_some(News::Draining);
    }
    if notification.payload() == FORGOTTEN {
        return Some(News::Forgotten);
    }
    let (seq, game) = notification.payload().split_once(' ')?;
    Some(News::Grown(game.parse().ok()?, EventSeq(seq.parse().ok()?)))
}
