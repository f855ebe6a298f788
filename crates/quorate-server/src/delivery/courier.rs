//! What keeps notices going: it hears of events, follows the games, and sends what is due.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quorate_kernel::{GameId, Moment, Span};
use quorate_notices::outbox::{ChannelId, Outbox, ReadyMost};
use quorate_runtime::ports::GameRow;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::app::web_reach::WebReach;
use crate::delivery::carry::{Carrier, PATIENCE};
use crate::delivery::follow::{failed, follow, look_later};
use crate::delivery::held::HeldGames;
use crate::delivery::send;
use crate::delivery::watch::{GameWatch, WentOn, behind};

/// How many messages are taken up at a time.
const MESSAGES: ReadyMost = ReadyMost {
    of_each: 20,
    in_all: 256,
};

/// No more are taken up while so many channels have some.
const BUSY_MAX: usize = 512;

/// On how many channels messages are under way at a time.
const AT_ONCE: usize = 64;

/// How long it waits after an event, so that what happens together is read together.
const GATHER: Duration = Duration::from_secs(2);

/// It looks which games went on, and whose turn it is to deliver, at least this often.
const LOOK_EVERY: Duration = Duration::from_mins(1);

/// How long letters are kept after they left, for their owner to see.
const KEEP: Span = Span::days(30);

/// How often they are looked through for that.
const SWEEP_EVERY: Span = Span::hours(1);

/// Keeps notices going.
#[derive(Clone)]
pub struct Courier {
    site: Arc<AppState>,
    outbox: Arc<dyn Outbox>,
    carrier: Arc<Carrier>,
    /// Channels on which a message is under way, so that a slow one holds up itself alone.
    busy: Arc<Mutex<BTreeSet<ChannelId>>>,
    room: Arc<Semaphore>,
    /// When letters that are done were last dropped.
    swept_at: Arc<AtomicI64>,
    /// Games that cannot be followed now.
    held: Arc<Mutex<HeldGames>>,
}

/// A channel on which a message is under way, until this is dropped.
struct Busy {
    courier: Courier,
    channel: ChannelId,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.courier.with_busy(|busy| busy.remove(&self.channel));
    }
}

impl Courier {
    /// A courier for a site; none where the site keeps no outbox.
    pub fn new(site: &Arc<AppState>) -> Option<Self> {
        Self::with_patience(site, PATIENCE)
    }

    /// The same, which waits for a receiver for so long.
    pub fn with_patience(site: &Arc<AppState>, patience: Duration) -> Option<Self> {
        let reach = WebReach {
            loopback: site.deps.config.hooks_to_loopback,
            ..WebReach::default()
        };
        Some(Self {
            outbox: site.deps.outbox.clone()?,
            carrier: Arc::new(Carrier::new(site.deps.config.mail.clone(), reach, patience)),
            site: Arc::clone(site),
            busy: Arc::default(),
            room: Arc::new(Semaphore::new(AT_ONCE)),
            swept_at: Arc::default(),
            held: Arc::default(),
        })
    }

    fn with_busy<T>(&self, use_it: impl FnOnce(&mut BTreeSet<ChannelId>) -> T) -> T {
        // A set of numbers is whole at any moment.
        use_it(&mut self.busy.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with_held<T>(&self, use_it: impl FnOnce(&mut HeldGames) -> T) -> T {
        // So is a list of moments.
        use_it(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Goes on until it is dropped. Where another node delivers, it waits until that one is gone.
    pub async fn run(self) {
        let mut watch = GameWatch::new(&self.site, LOOK_EVERY, GATHER);
        let mut under_way = JoinSet::new();
        let mut had_turn = false;
        while let Some(went_on) = watch.next(self.until_next(had_turn).await).await {
            while under_way.try_join_next().is_some() {}
            if !self.has_turn().await {
                had_turn = false;
                continue;
            }
            let games = match went_on {
                WentOn::Games(games) if had_turn => games,
                WentOn::Games(_) | WentOn::Any => self.behind().await,
            };
            had_turn = true;
            self.follow_all(games).await;
            self.start_sending(&mut under_way).await;
        }
    }

    /// One round: follows every game that went on, and sends what is due. Gives on how many channels something was tried.
    ///
    /// # Errors
    /// Fails where the outbox cannot be read.
    pub async fn round(&self) -> Result<usize, AppError> {
        self.round_of(self.behind().await).await
    }

    /// The same for the games that it heard of.
    ///
    /// # Errors
    /// Fails where the outbox cannot be read.
    pub async fn round_of(&self, games: BTreeSet<GameId>) -> Result<usize, AppError> {
        if !self.has_turn().await {
            return Ok(0);
        }
        self.follow_all(games).await;
        let mut under_way = JoinSet::new();
        self.begin_sending(&mut under_way).await?;
        let mut count = 0;
        while under_way.join_next().await.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// Whether messages leave from this node now.
    async fn has_turn(&self) -> bool {
        let claimed = self.outbox.claim_delivery().await;
        claimed.unwrap_or_else(|error| {
            tracing::error!(%error, "whose turn it is to deliver cannot be read");
            false
        })
    }

    /// The games whose logs go on beyond where they were followed.
    async fn behind(&self) -> BTreeSet<GameId> {
        let is_behind = |row: GameRow| async move {
            let point = self.outbox.follow_point(&row.game).await;
            Ok(point.map_err(failed)?.seq < row.head.seq)
        };
        behind(&self.site, is_behind).await
    }

    async fn follow_all(&self, mut games: BTreeSet<GameId>) {
        match self.outbox.looks_due(self.site.now()).await {
            Ok(due) => games.extend(due),
            Err(error) => tracing::error!(%error, "the outbox cannot be read"),
        }
        let now = self.site.now();
        games.retain(|game| !self.with_held(|held| held.is_held(game, now)));
        for game in games {
            let followed = follow(&self.site, &*self.outbox, &game).await;
            let Err(error) = followed else {
                self.with_held(|held| held.free(&game));
                continue;
            };
            tracing::error!(%game, error = %error.what(), "a game was not followed for notices");
            let until = self.with_held(|held| held.hold(&game, now));
            if let Err(error) = look_later(&*self.outbox, &game, until).await {
                tracing::error!(%game, %error, "the outbox cannot be read");
            }
        }
    }

    async fn start_sending(&self, under_way: &mut JoinSet<()>) {
        if let Err(error) = self.begin_sending(under_way).await {
            tracing::error!(error = %error.what(), "notices were not sent");
        }
    }

    async fn begin_sending(&self, under_way: &mut JoinSet<()>) -> Result<(), AppError> {
        let now = self.site.now();
        let since = now - Moment(self.swept_at.load(Ordering::Relaxed));
        if since >= SWEEP_EVERY {
            self.swept_at.store(now.0, Ordering::Relaxed);
            self.outbox
                .sweep_letters(now - KEEP)
                .await
                .map_err(failed)?;
        }
        let busy: Vec<ChannelId> = self.with_busy(|busy| busy.iter().copied().collect());
        if busy.len() >= BUSY_MAX {
            return Ok(());
        }
        let ready = self.outbox.ready(now, &busy, MESSAGES).await;
        let ready = ready.map_err(failed)?;
        let mut by_channel = std::collections::BTreeMap::new();
        for (channel, letters) in ready {
            let of = by_channel
                .entry(channel.id)
                .or_insert_with(|| (channel, Vec::new()));
            of.1.push(letters);
        }
        for (id, (channel, messages)) in by_channel {
            let is_free = self.with_busy(|busy| busy.insert(id));
            if !is_free {
                continue;
            }
            let held = Busy {
                courier: self.clone(),
                channel: id,
            };
            if !send::is_possible(&self.site, &channel) {
                continue;
            }
            // One after another, so that what came first arrives first.
            under_way.spawn(async move {
                let courier = &held.courier;
                let Ok(_room) = courier.room.acquire().await else {
                    return;
                };
                for letters in messages {
                    // Another node may have taken over while this one waited or stood still.
                    if !courier.has_turn().await {
                        return;
                    }
                    let (outbox, carrier) = (&*courier.outbox, &courier.carrier);
                    match send::send(&courier.site, outbox, carrier, &channel, &letters).await {
                        Ok(true) => {}
                        // Where one did not get through, the next would not either.
                        Ok(false) => return,
                        Err(error) => {
                            tracing::error!(error = %error.what(), "a notice was not sent");
                        }
                    }
                }
            });
        }
        Ok(())
    }

    /// How long nothing is due.
    pub async fn until_next(&self, has_turn: bool) -> Duration {
        if !has_turn {
            return LOOK_EVERY;
        }
        let next = self.outbox.next_moment().await.ok().flatten();
        let wait = next.map(|at| (at - self.site.now()).0.max(0).unsigned_abs());
        wait.map_or(LOOK_EVERY, |ms| {
            Duration::from_millis(ms).clamp(GATHER, LOOK_EVERY)
        })
    }
}
