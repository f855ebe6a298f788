//! Rows of the tables of notices.

use quorate_kernel::{GameId, Moment};
use quorate_notices::budget::NoticeBudget;
use quorate_notices::choice::{Hour, Hours, ReaderZone, WeekDay};
use quorate_notices::kind::{NoSuchWord, NoticeKind, Pace};
use quorate_notices::outbox::{
    Channel, ChannelAudience, ChannelId, FollowPoint, Followed, Interest, LetterId, OutboxLetter,
};
use quorate_runtime::ports::{AccountId, StoreError};
use sqlx::Row;

use crate::convert;
use crate::error::Explain;
use crate::row::StoredRow;

type Result<T> = std::result::Result<T, StoreError>;

fn number(row: &StoredRow, column: &str) -> Result<u64> {
    let number: i64 = row.try_get(column).explain()?;
    Ok(number.unsigned_abs())
}

fn small(row: &StoredRow, column: &str) -> Result<u32> {
    Ok(u32::try_from(number(row, column)?).unwrap_or(u32::MAX))
}

fn damaged(what: String) -> StoreError {
    StoreError::Damaged { what: what.into() }
}

/// The words of what stands with the events at which it began to, and what rules sent, as texts.
pub(super) fn point_texts(point: &FollowPoint) -> Result<(String, String)> {
    let budget = (point.budget.day, &point.budget.used);
    let written = serde_json::to_string(&point.standing)
        .and_then(|standing| Ok((standing, serde_json::to_string(&budget)?)));
    written.map_err(|error| StoreError::Failed {
        cause: error.to_string().into(),
    })
}

pub(super) fn follow_point(row: &StoredRow) -> Result<FollowPoint> {
    let standing: &str = row.try_get("standing").explain()?;
    let budget: &str = row.try_get("budget").explain()?;
    let unread =
        |error: serde_json::Error| damaged(format!("how far a game was followed: {error}"));
    let (day, used) = serde_json::from_str(budget).map_err(unread)?;
    Ok(FollowPoint {
        seq: convert::seq(row.try_get("seq").explain()?),
        look_at: convert::optional_moment(row, "look_at")?,
        standing: serde_json::from_str(standing).map_err(unread)?,
        budget: NoticeBudget { day, used },
    })
}

pub(super) fn game(row: &StoredRow) -> Result<GameId> {
    convert::word(row, "game")
}

fn optional_game(row: &StoredRow) -> Result<Option<GameId>> {
    let game: Option<&str> = row.try_get("game").explain()?;
    game.map(|_| convert::word(row, "game")).transpose()
}

fn audience(row: &StoredRow) -> Result<ChannelAudience> {
    let game = optional_game(row)?;
    let kinds = |column| -> Result<Option<Vec<NoticeKind>>> {
        let kinds: Option<&str> = row.try_get(column).explain()?;
        let read = |text: &str| text.split_whitespace().map(str::parse).collect();
        let kinds: Option<std::result::Result<_, NoSuchWord>> = kinds.map(read);
        kinds
            .transpose()
            .map_err(|error| damaged(error.to_string()))
    };
    match (game, kinds("room_kinds")?) {
        (game, None) => Ok(ChannelAudience::Own(game, kinds("own_kinds")?)),
        (Some(game), Some(kinds)) => Ok(ChannelAudience::Room(game, kinds)),
        (None, Some(_)) => Err(damaged("a room of no game".to_owned())),
    }
}

/// Kinds as they are kept, separated by spaces.
pub(super) fn kinds_text(kinds: &[NoticeKind]) -> String {
    let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    words.join(" ")
}

pub(super) fn channel(row: &StoredRow) -> Result<Channel> {
    Ok(Channel {
        id: ChannelId(number(row, "id")?),
        account: AccountId(number(row, "account")?),
        audience: audience(row)?,
        sort: convert::word(row, "sort")?,
        address: row.try_get("address").explain()?,
        secret: row.try_get("secret").explain()?,
        made_at: convert::moment(row, "made_at")?,
        confirmed_at: convert::optional_moment(row, "confirmed_at")?,
        paused: row.try_get("paused").explain()?,
        failures: small(row, "failures")?,
        held_until: convert::optional_moment(row, "held_until")?,
    })
}

pub(super) fn letter(row: &StoredRow) -> Result<OutboxLetter> {
    Ok(OutboxLetter {
        id: LetterId(number(row, "id")?),
        channel: ChannelId(number(row, "channel")?),
        bundle: row.try_get("bundle").explain()?,
        game: game(row)?,
        seq: convert::seq(row.try_get("seq").explain()?),
        kind: convert::word(row, "kind")?,
        topic: convert::word(row, "topic")?,
        at: convert::moment(row, "at")?,
        due_at: convert::moment(row, "due_at")?,
        tries: small(row, "tries")?,
        standing: convert::word(row, "standing")?,
        error: row.try_get("trouble").explain()?,
        done_at: convert::optional_moment(row, "done_at")?,
    })
}

/// A choice with whose it is.
pub(super) fn choice(row: &StoredRow) -> Result<(AccountId, Option<GameId>, NoticeKind, Pace)> {
    let word: &str = row.try_get("game").explain()?;
    let game = if word.is_empty() {
        None
    } else {
        Some(game(row)?)
    };
    let account = AccountId(number(row, "account")?);
    Ok((
        account,
        game,
        convert::word(row, "kind")?,
        convert::word(row, "pace")?,
    ))
}

/// Hours with whose they are. A zone that the database no longer has is UTC.
pub(super) fn hours(row: &StoredRow) -> Result<(AccountId, Hours)> {
    let zone: &str = row.try_get("zone").explain()?;
    let hour = |column: &str| -> Result<Option<Hour>> {
        let hour: Option<i64> = row.try_get(column).explain()?;
        Ok(hour.and_then(|hour| Hour::new(u8::try_from(hour).ok()?)))
    };
    let day: i64 = row.try_get("day").explain()?;
    let day = u8::try_from(day).ok().and_then(WeekDay::new);
    let hours = Hours {
        zone: ReaderZone::named(zone).unwrap_or_default(),
        hour: hour("hour")?.unwrap_or_default(),
        day: day.unwrap_or_default(),
        quiet: hour("quiet_from")?.zip(hour("quiet_to")?),
    };
    Ok((AccountId(number(row, "account")?), hours))
}

/// An interest with whose it is.
pub(super) fn interest(row: &StoredRow) -> Result<(AccountId, Followed, Interest)> {
    let follows: bool = row.try_get("follows").explain()?;
    let interest = if follows {
        Interest::Follows
    } else {
        Interest::Mutes
    };
    Ok((
        AccountId(number(row, "account")?),
        convert::word(row, "what")?,
        interest,
    ))
}

/// A seat's account and player.
pub(super) fn seat(row: &StoredRow) -> Result<(AccountId, quorate_kernel::PlayerId)> {
    Ok((
        AccountId(number(row, "account")?),
        convert::word(row, "player")?,
    ))
}

pub(super) fn moment(row: &StoredRow) -> Result<Option<Moment>> {
    convert::optional_moment(row, "at")
}
