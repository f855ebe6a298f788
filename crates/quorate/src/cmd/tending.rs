//! What a server does beside answering: it drops what has ended, and puts away the logs of games at rest.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use quorate_kernel::Moment;
use quorate_runtime::OperatingError;
use quorate_runtime::old_events::put_away;
use quorate_runtime::ports::{TimeSource, Uploads};

use crate::data_folder::DataFolder;
use crate::objects::{ObjectPictures, OpenObjects};

/// How often what has ended is dropped, and what rests is put away.
const TENDED_EVERY: Duration = Duration::from_hours(1);

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Where logs are put away, and after how many milliseconds without an event.
pub(super) struct PuttingAway {
    objects: Arc<OpenObjects>,
    after_ms: i64,
}

/// Who keeps uploaded pictures: the place for files, or else the store of all.
pub(super) fn uploads(folder: &DataFolder) -> Arc<dyn Uploads> {
    match folder.objects.clone() {
        Some(objects) => Arc::new(ObjectPictures::new(objects, Arc::clone(&folder.store))),
        None => folder.store.clone(),
    }
}

/// Looks whether the place for files can be used, and gives what is to be put there, if anything.
pub(super) fn archives(folder: &DataFolder, days: Option<u32>) -> Result<Option<PuttingAway>> {
    let Some(objects) = folder.objects.clone() else {
        if days.is_some() {
            bail!("--archive-after needs a place for what is put away: name it with --objects");
        }
        return Ok(None);
    };
    folder.wait(objects.look())?;
    // Where nothing can be written, what was put away would stay here too.
    let days = days.filter(|_| folder.wanted.is_none());
    Ok(days.map(|days| PuttingAway {
        objects,
        after_ms: i64::from(days) * DAY_MS,
    }))
}

/// Drops what has ended and what is old, again and again, by the time that sessions and games go by: where the machine's clock
/// jumped, that would drop what counts.
pub(super) async fn sweeping(folder: &DataFolder, clock: &dyn TimeSource) {
    loop {
        let now = clock.now();
        if let Err(error) = folder.store.sweep(now).await {
            tracing::warn!(%error, "what has ended was not dropped");
        }
        if let Err(error) = folder.store.drop_entries(now).await {
            tracing::warn!(%error, "old entries of the security log were not dropped");
        }
        tokio::time::sleep(TENDED_EVERY).await;
    }
}

/// Puts the logs of games at rest away, again and again.
pub(super) async fn archiving(
    folder: &DataFolder,
    archives: Option<PuttingAway>,
    clock: &dyn TimeSource,
) {
    let Some(archives) = archives else {
        return std::future::pending().await;
    };
    loop {
        if let Err(error) = put_all_away(folder, &archives, clock.now()).await {
            tracing::error!(%error, "the logs of games at rest stay where they are");
        }
        tokio::time::sleep(TENDED_EVERY).await;
    }
}

async fn put_all_away(
    folder: &DataFolder,
    archives: &PuttingAway,
    now: Moment,
) -> Result<(), OperatingError> {
    let store = &*folder.store;
    let since = Moment(now.0 - archives.after_ms);
    loop {
        let resting = store.resting(since).await?;
        if resting.is_empty() {
            return Ok(());
        }
        for row in resting {
            put_away(store, store, &*archives.objects, &row).await?;
            tracing::info!(game = %row.game, events = %row.head.seq, "the log of a game at rest was put away");
        }
    }
}
