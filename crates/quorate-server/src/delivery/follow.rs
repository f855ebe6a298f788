//! Reading on in a game's log, and writing letters for what it says.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, GameId, PlayerId, Span};
use quorate_notices::concern::{Concern, Whom};
use quorate_notices::outbox::{FollowPoint, NewLetter, Outbox, Recipient};
use quorate_runtime::fold;

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::delivery::expand::{Due, Occasion, letters_to};
use crate::view::game::GameView;

/// How many events are read at a time.
const EVENTS: usize = 64;

/// What is older than this is no news: a game that was brought in, or a server that was down for long.
const STALE: Span = Span::days(3);

/// Follows a game to the end of its log, and looks at what stands there.
pub(super) async fn follow(
    site: &Arc<AppState>,
    outbox: &dyn Outbox,
    game: &GameId,
) -> Result<(), AppError> {
    loop {
        let point = outbox.follow_point(game).await.map_err(failed)?;
        let recipients = outbox.recipients(game).await.map_err(failed)?;
        if recipients.is_empty() {
            return pass_by(site, outbox, game, point).await;
        }
        let look = GameView::for_account(site, None, game.as_str()).await?;
        let (from, head) = (point.seq, look.head().seq);
        if from > head {
            // Another node is ahead, and what this one knows of the game is old.
            return Ok(());
        }
        // What happened since the state was taken waits for the next look: it is told as the game stands then.
        let count = usize::try_from(head.0 - from.0).unwrap_or(usize::MAX);
        let count = count.min(EVENTS);
        let is_end = count < EVENTS;
        let mut events = Vec::new();
        if count > 0 {
            let (journal, seals) = (&*site.parts.journal, &*site.parts.seals);
            events = fold::events_from(journal, seals, game, from.next(), count).await?;
        }
        let reading =
            tokio::task::spawn_blocking(move || read(&look, point, &recipients, &events, is_end));
        let (to, letters) = reading.await?;
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
async fn pass_by(
    site: &Arc<AppState>,
    outbox: &dyn Outbox,
    game: &GameId,
    point: FollowPoint,
) -> Result<(), AppError> {
    let row = site.parts.journal.game(game).await;
    let row = row.map_err(failed)?.ok_or(AppError::NotFound)?;
    if row.head.seq > point.seq || point.look_at.is_some() {
        let to = FollowPoint {
            seq: row.head.seq.max(point.seq),
            ..FollowPoint::default()
        };
        outbox
            .take_in(game, point.seq, &to, &[])
            .await
            .map_err(failed)?;
    }
    Ok(())
}

/// A failure of the store, as requests know it.
pub(super) fn failed(error: quorate_runtime::ports::StoreError) -> AppError {
    quorate_runtime::OperatingError::from(error).into()
}

fn read(
    look: &GameView,
    point: FollowPoint,
    recipients: &[Recipient],
    events: &[Event],
    is_end: bool,
) -> (FollowPoint, Vec<NewLetter>) {
    let mut letters = Vec::new();
    let game = look.game();
    let mut budget = point.budget.clone();
    for event in events {
        if look.now() - event.at > STALE {
            continue;
        }
        let doer = event.command().actor.player();
        let concerns = look.concerns(event).into_iter().map(|concern| Due {
            can_go_at_once: budget.allows(&concern, doer, event.at),
            concern,
        });
        let concerns: Vec<Due> = concerns.collect();
        let occasion = Occasion {
            game,
            look,
            seq: event.seq,
            at: look.now().max(event.at),
        };
        for recipient in recipients {
            letters.extend(letters_to(recipient, &concerns, &occasion));
        }
    }
    let seq = events.last().map_or(point.seq, |event| event.seq);
    let mut to = FollowPoint {
        seq,
        budget,
        ..point
    };
    if is_end {
        letters.extend(stand(look, &mut to, recipients));
    }
    (to, letters)
}

/// What stands now, with letters for what did not stand before.
fn stand(look: &GameView, point: &mut FollowPoint, recipients: &[Recipient]) -> Vec<NewLetter> {
    let mut by_player: BTreeMap<PlayerId, &Recipient> = BTreeMap::new();
    for recipient in recipients {
        if let Some(player) = recipient.player {
            by_player.insert(player, recipient);
        }
    }
    let players: Vec<PlayerId> = by_player.keys().copied().collect();
    let (standing, next) = look.now_standing(&players);
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
        let due = Due {
            concern,
            can_go_at_once: true,
        };
        let occasion = Occasion {
            game: look.game(),
            look,
            seq: point.seq,
            at: look.now(),
        };
        letters.extend(letters_to(recipient, &[due], &occasion));
    }
    point.standing = now;
    point.look_at = next;
    letters
}
