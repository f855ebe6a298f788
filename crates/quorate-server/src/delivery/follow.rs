//! Reading on in a game's log, and writing letters for what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate_kernel::{EventSeq, GameId, Moment, PlayerId, Span};
use quorate_notices::concern::{Concern, Whom};
use quorate_notices::outbox::{FollowPoint, NewLetter, Outbox, Recipient};
use quorate_runtime::ports::{GameRow, JobFailed, StoreError};

use crate::app::error::AppError;
use crate::app::inquiry::ask;
use crate::app::state::AppState;
use crate::delivery::expand::{DueConcern, Occasion, letters_to};
use crate::delivery::reading::{GameNews, NewsAsked};
use crate::view::notices::NowStanding;

/// How many events are read at a time.
const EVENTS: usize = 64;

/// What is older than this is no news: a game that was brought in, or a server that was down for long.
const STALE: Span = Span::days(3);

/// How long a game that was removed is left alone.
const REMOVED_AGAIN: Span = Span::hours(1);

/// Follows a game to the end of its log, and looks at what stands there.
pub(super) async fn follow(
    site: &Arc<AppState>,
    outbox: &dyn Outbox,
    game: &GameId,
) -> Result<(), AppError> {
    let mut events_max = EVENTS;
    loop {
        let point = outbox.follow_point(game).await.map_err(failed)?;
        let row = site.deps.journal.game(game).await.map_err(failed)?;
        let Some(row) = row else {
            return stand_by(site, outbox, game, point).await;
        };
        let recipients = outbox.recipients(game).await.map_err(failed)?;
        if recipients.is_empty() {
            return pass_by(outbox, &row, point).await;
        }
        let from = point.seq;
        let players: BTreeSet<PlayerId> = recipients.iter().filter_map(|one| one.player).collect();
        let asked = NewsAsked {
            game: game.clone(),
            from,
            events_max,
            players: players.into_iter().collect(),
        };
        let news = match ask(site, asked).await {
            Ok(news) => news,
            // Fewer at once may do. What still takes too long is asked again when the games are looked at next.
            Err(AppError::NotMade(JobFailed::TimeOver(_) | JobFailed::Ended)) if events_max > 1 => {
                events_max = 1;
                continue;
            }
            Err(error) => return Err(error),
        };
        if from > news.head {
            // Another node is ahead, and what this one knows of the game is old.
            return Ok(());
        }
        let is_end = news.now.is_some();
        let now = site.now();
        let (to, letters) = read((game, now), point, &recipients, news)?;
        outbox
            .take_in(game, from, &to, &letters)
            .await
            .map_err(failed)?;
        if is_end {
            return Ok(());
        }
    }
}

/// Nobody wants to hear of a game: its log is followed without being read.
async fn pass_by(outbox: &dyn Outbox, row: &GameRow, point: FollowPoint) -> Result<(), AppError> {
    if row.head.seq > point.seq || point.look_at.is_some() {
        let to = FollowPoint {
            seq: row.head.seq.max(point.seq),
            ..FollowPoint::default()
        };
        outbox
            .take_in(&row.game, point.seq, &to, &[])
            .await
            .map_err(failed)?;
    }
    Ok(())
}

/// A game was removed: it is looked at again later, for it may be put back.
async fn stand_by(
    site: &AppState,
    outbox: &dyn Outbox,
    game: &GameId,
    point: FollowPoint,
) -> Result<(), AppError> {
    let Some(look_at) = point.look_at else {
        return Ok(());
    };
    let to = FollowPoint {
        look_at: Some(look_at.max(site.now() + REMOVED_AGAIN)),
        ..point.clone()
    };
    let taken = outbox.take_in(game, point.seq, &to, &[]).await;
    taken.map(drop).map_err(failed)
}

/// A game that cannot be followed now is looked at again then, and not before though it was due.
pub(super) async fn look_later(
    outbox: &dyn Outbox,
    game: &GameId,
    then: Moment,
) -> Result<(), StoreError> {
    let point = outbox.follow_point(game).await?;
    let from = point.seq;
    let to = FollowPoint {
        look_at: Some(then),
        ..point
    };
    outbox.take_in(game, from, &to, &[]).await.map(drop)
}

/// A failure of the store, as requests know it.
pub(super) fn failed(error: StoreError) -> AppError {
    quorate_runtime::OperatingError::from(error).into()
}

/// What follows from what a game told, which a worker may have said: nothing is taken twice, and nothing passed by.
fn read(
    (game, now): (&GameId, Moment),
    point: FollowPoint,
    recipients: &[Recipient],
    news: GameNews,
) -> Result<(FollowPoint, Vec<NewLetter>), AppError> {
    let mut letters = Vec::new();
    let mut budget = point.budget.clone();
    let mut seq = point.seq;
    for event in news.events {
        if event.seq != seq.next() || event.seq > news.head {
            let why = "what a worker told of a game's events is not in their order";
            return Err(AppError::Broken(why.to_owned()));
        }
        seq = event.seq;
        if now - event.at > STALE {
            continue;
        }
        let concerns = event.concerns.into_iter().map(|concern| DueConcern {
            can_go_at_once: budget.allows(&concern, event.doer, event.at),
            concern,
        });
        let concerns: Vec<DueConcern> = concerns.collect();
        let occasion = Occasion {
            game,
            standings: &news.standings,
            seq,
            at: now.max(event.at),
        };
        for recipient in recipients {
            letters.extend(letters_to(recipient, &concerns, &occasion));
        }
    }
    let mut to = FollowPoint {
        seq,
        budget,
        ..point
    };
    if let Some((standing, next)) = news.now {
        let occasion = Occasion {
            game,
            standings: &news.standings,
            seq,
            at: now,
        };
        letters.extend(stand(standing, &mut to, recipients, &occasion));
        to.look_at = next;
    }
    Ok((to, letters))
}

/// What stands now, with letters for what did not stand before.
fn stand(
    standing: Vec<NowStanding>,
    point: &mut FollowPoint,
    recipients: &[Recipient],
    occasion: &Occasion<'_>,
) -> Vec<NewLetter> {
    let mut by_player: BTreeMap<PlayerId, &Recipient> = BTreeMap::new();
    for recipient in recipients {
        if let Some(player) = recipient.player {
            by_player.insert(player, recipient);
        }
    }
    let mut letters = Vec::new();
    let mut now: BTreeMap<String, EventSeq> = BTreeMap::new();
    for one in standing {
        let word = format!("{} {} {}", one.player, one.kind, one.topic);
        let since = point.standing.get(&word).copied();
        now.insert(word, since.unwrap_or(point.seq));
        let Some(recipient) = by_player.get(&one.player).filter(|_| since.is_none()) else {
            continue;
        };
        let concern = Concern {
            whom: Whom::Player(one.player),
            kind: one.kind,
            topic: one.topic,
            by: None,
            not_before: None,
            sent_by: None,
        };
        let due = DueConcern {
            concern,
            can_go_at_once: true,
        };
        letters.extend(letters_to(recipient, &[due], occasion));
    }
    point.standing = now;
    letters
}
