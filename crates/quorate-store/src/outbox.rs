//! Notices that are to leave, the ways on which they do, and what their readers chose.

mod rows;

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use quorate_kernel::{EventSeq, GameId, Moment, PlayerId};
use quorate_notices::choice::{Hours, NoticeChoices};
use quorate_notices::kind::{NoticeKind, Pace};
use quorate_notices::outbox::{
    Channel, ChannelAudience, ChannelId, FAILURES_MAX, FollowPoint, Followed, Interest, LetterId,
    LetterStanding, NewChannel, NewLetter, Outbox, OutboxLetter, ReadyMost, Recipient, Settled,
    messages,
};
use quorate_runtime::ports::{AccountId, StoreError};
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{Connection, Row, query};

use crate::Store;
use crate::error::{Explain, one};

type Result<T> = std::result::Result<T, StoreError>;
type Query<'q> = sqlx::query::Query<'q, Sqlite, SqliteArguments>;
type ReadRow<T> = fn(&SqliteRow) -> Result<T>;

/// Letters that can leave. Each letter asks for its own channel, so that what is due by no moment costs nothing.
const OPEN: &str = "standing = 'waiting' AND EXISTS (SELECT 1 FROM channels WHERE id = letters.channel \
                    AND confirmed_at IS NOT NULL AND paused IS NULL AND sort <> 'feed')";

/// Those whose channel is held beyond a moment.
const HELD: &str = "EXISTS (SELECT 1 FROM channels WHERE id = letters.channel AND held_until > ";

impl Store {
    async fn change_outbox(&self, statement: Query<'_>) -> Result<()> {
        let mut writer = self.writer().await?;
        statement.execute(&mut *writer).await.explain()?;
        Ok(())
    }

    async fn outbox_row<T>(&self, question: Query<'_>, read: ReadRow<T>) -> Result<Option<T>> {
        let row = question.fetch_optional(&self.readers).await.explain()?;
        row.as_ref().map(read).transpose()
    }

    async fn outbox_rows<T>(&self, question: Query<'_>, read: ReadRow<T>) -> Result<Vec<T>> {
        let rows = question.fetch_all(&self.readers).await.explain()?;
        rows.iter().map(read).collect()
    }

    /// Choices of accounts, by account; `whose` picks them by the column `account`.
    async fn choices_by(
        &self,
        whose: &'static str,
        bound: Option<String>,
        account: i64,
    ) -> Result<BTreeMap<AccountId, NoticeChoices>> {
        let ask = |table: &str| {
            let text = format!("SELECT * FROM {table} WHERE {whose}");
            let asked = query(sqlx::AssertSqlSafe(text));
            match &bound {
                Some(game) => asked.bind(game.clone()).bind(game.clone()),
                None => asked.bind(account),
            }
        };
        let mut found: BTreeMap<AccountId, NoticeChoices> = BTreeMap::new();
        for (account, game, kind, pace) in self
            .outbox_rows(ask("notice_choices"), rows::choice)
            .await?
        {
            let choices = found.entry(account).or_default();
            choices.paces.insert((game, kind), pace);
        }
        for (account, hours) in self.outbox_rows(ask("reading_hours"), rows::hours).await? {
            found.entry(account).or_default().hours = hours;
        }
        Ok(found)
    }
}

#[async_trait]
impl Outbox for Store {
    async fn follow_point(&self, game: &GameId) -> Result<FollowPoint> {
        let found = query("SELECT * FROM followed_games WHERE game = ?").bind(game.as_str());
        let point = self.outbox_row(found, rows::follow_point).await?;
        Ok(point.unwrap_or_default())
    }

    async fn take_in(
        &self,
        game: &GameId,
        from: EventSeq,
        to: &FollowPoint,
        letters: &[NewLetter],
    ) -> Result<bool> {
        let (standing, budget) = rows::point_texts(to)?;
        let mut writer = self.log_writer().await?;
        let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await.explain()?;
        self.check_lease(&mut transaction).await?;
        if from == EventSeq(0) {
            query("INSERT OR IGNORE INTO followed_games (game, seq, standing) VALUES (?, 0, '{}')")
                .bind(game.as_str())
                .execute(&mut *transaction)
                .await
                .explain()?;
        }
        let moved = query(
            "UPDATE followed_games SET seq = ?, look_at = ?, standing = ?, budget = ? WHERE game = ? AND seq = ?",
        )
        .bind(to.seq.0.cast_signed())
        .bind(to.look_at.map(|at| at.0))
        .bind(standing)
        .bind(budget)
        .bind(game.as_str())
        .bind(from.0.cast_signed());
        let moved = moved.execute(&mut *transaction).await.explain()?;
        if moved.rows_affected() == 0 {
            return Ok(false);
        }
        for letter in letters {
            insert(&mut transaction, game, letter).await?;
        }
        let committed = transaction.commit().await.explain();
        committed.map_err(|error| self.mind(error))?;
        Ok(true)
    }

    async fn looks_due(&self, now: Moment) -> Result<Vec<GameId>> {
        let due = query("SELECT game FROM followed_games WHERE look_at <= ? ORDER BY look_at");
        self.outbox_rows(due.bind(now.0), rows::game).await
    }

    async fn next_moment(&self) -> Result<Option<Moment>> {
        let text = format!(
            "SELECT min(at) AS at FROM (SELECT min(due_at) AS at FROM letters INDEXED BY letters_due \
              WHERE {OPEN} AND NOT {HELD} letters.due_at) \
             UNION ALL SELECT min(held_until) FROM channels WHERE held_until IS NOT NULL \
              AND confirmed_at IS NOT NULL AND paused IS NULL \
              AND EXISTS (SELECT 1 FROM letters INDEXED BY letters_waiting WHERE standing = 'waiting' \
              AND channel = channels.id AND due_at < channels.held_until) \
             UNION ALL SELECT min(look_at) FROM followed_games)"
        );
        let first = query(sqlx::AssertSqlSafe(text));
        Ok(self.outbox_row(first, rows::moment).await?.flatten())
    }

    async fn ready(
        &self,
        now: Moment,
        busy: &[ChannelId],
        most: ReadyMost,
    ) -> Result<Vec<(Channel, Vec<OutboxLetter>)>> {
        // By the index, whatever is guessed of the tables: nearly all letters are not due yet, or have left.
        let text = format!(
            "SELECT * FROM letters WHERE standing = 'waiting' AND due_at <= ? AND channel IN \
             (SELECT DISTINCT channel FROM letters INDEXED BY letters_due WHERE {OPEN} AND due_at <= ? \
              AND channel NOT IN (SELECT value FROM json_each(?)) AND NOT {HELD} ?) LIMIT ?) ORDER BY id"
        );
        let due = query(sqlx::AssertSqlSafe(text))
            .bind(now.0)
            .bind(now.0)
            .bind(numbers(busy))
            .bind(now.0)
            .bind(i64::from(most.in_all));
        let letters = self.outbox_rows(due, rows::letter).await?;
        let ids: Vec<ChannelId> = letters.iter().map(|letter| letter.channel).collect();
        let channels = query("SELECT * FROM channels WHERE id IN (SELECT value FROM json_each(?))");
        let channels = channels.bind(numbers(&ids));
        let channels = self.outbox_rows(channels, rows::channel).await?;
        Ok(messages(letters, channels, most))
    }

    async fn settle(
        &self,
        channel: ChannelId,
        letters: &[LetterId],
        how: &Settled,
        now: Moment,
    ) -> Result<()> {
        let mut writer = self.log_writer().await?;
        let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await.explain()?;
        for id in letters {
            settle_one(&mut transaction, *id, how, now).await?;
        }
        count(&mut transaction, channel, how).await?;
        let committed = transaction.commit().await.explain();
        committed.map_err(|error| self.mind(error))
    }

    async fn letters_of(&self, channel: ChannelId, most: u32) -> Result<Vec<OutboxLetter>> {
        let all = query("SELECT * FROM letters WHERE channel = ? ORDER BY id DESC LIMIT ?")
            .bind(channel.0.cast_signed())
            .bind(i64::from(most));
        self.outbox_rows(all, rows::letter).await
    }

    async fn letter(&self, id: LetterId) -> Result<Option<OutboxLetter>> {
        let found = query("SELECT * FROM letters WHERE id = ?").bind(id.0.cast_signed());
        self.outbox_row(found, rows::letter).await
    }

    async fn send_again(&self, id: LetterId, now: Moment) -> Result<()> {
        let free = query(
            "UPDATE channels SET held_until = NULL WHERE id = (SELECT channel FROM letters WHERE id = ?)",
        );
        self.change_outbox(free.bind(id.0.cast_signed())).await?;
        let again = query(
            "UPDATE letters SET standing = 'waiting', tries = 0, due_at = ?, done_at = NULL \
             WHERE (channel, bundle) = (SELECT channel, bundle FROM letters WHERE id = ?)",
        );
        let again = again.bind(now.0).bind(id.0.cast_signed());
        self.change_outbox(again).await
    }

    async fn make_channel(&self, channel: &NewChannel) -> Result<ChannelId> {
        let (own_kinds, room_kinds) = match &channel.audience {
            ChannelAudience::Own(_, kinds) => (kinds.as_deref().map(rows::kinds_text), None),
            ChannelAudience::Room(_, kinds) => (None, Some(rows::kinds_text(kinds))),
        };
        let mut writer = self.writer().await?;
        let made = sqlx::query_scalar(
            "INSERT INTO channels (account, game, room_kinds, sort, address, secret, made_at, confirmed_at, own_kinds) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        )
        .bind(channel.account.0.cast_signed())
        .bind(channel.audience.game().map(|game| game.as_str().to_owned()))
        .bind(room_kinds)
        .bind(channel.sort.word())
        .bind(&channel.address)
        .bind(&channel.secret)
        .bind(channel.made_at.0)
        .bind(channel.confirmed_at.map(|at| at.0))
        .bind(own_kinds);
        let id: i64 = one(made.fetch_all(&mut *writer).await).explain()?;
        Ok(ChannelId(id.unsigned_abs()))
    }

    async fn channel(&self, id: ChannelId) -> Result<Option<Channel>> {
        let found = query("SELECT * FROM channels WHERE id = ?").bind(id.0.cast_signed());
        self.outbox_row(found, rows::channel).await
    }

    async fn channels_of(&self, account: AccountId) -> Result<Vec<Channel>> {
        let all = query("SELECT * FROM channels WHERE account = ? ORDER BY id");
        let all = all.bind(account.0.cast_signed());
        self.outbox_rows(all, rows::channel).await
    }

    async fn confirm_channel(&self, id: ChannelId, now: Moment) -> Result<()> {
        let confirmed =
            query("UPDATE channels SET confirmed_at = coalesce(confirmed_at, ?) WHERE id = ?");
        let confirmed = confirmed.bind(now.0).bind(id.0.cast_signed());
        self.change_outbox(confirmed).await
    }

    async fn pause_channel(&self, id: ChannelId, why: Option<&str>) -> Result<()> {
        let paused =
            query("UPDATE channels SET paused = ?, failures = 0, held_until = NULL WHERE id = ?");
        let paused = paused.bind(why).bind(id.0.cast_signed());
        self.change_outbox(paused).await
    }

    async fn drop_channel(&self, id: ChannelId) -> Result<()> {
        let dropped = query("DELETE FROM channels WHERE id = ?").bind(id.0.cast_signed());
        self.change_outbox(dropped).await
    }

    async fn choices_of(&self, account: AccountId) -> Result<NoticeChoices> {
        let number = account.0.cast_signed();
        let mut found = self.choices_by("account = ?", None, number).await?;
        Ok(found.remove(&account).unwrap_or_default())
    }

    async fn choose(
        &self,
        account: AccountId,
        game: Option<&GameId>,
        kind: NoticeKind,
        pace: Pace,
    ) -> Result<()> {
        let chosen = query(
            "INSERT INTO notice_choices (account, game, kind, pace) VALUES (?, ?, ?, ?) \
             ON CONFLICT DO UPDATE SET pace = excluded.pace",
        )
        .bind(account.0.cast_signed())
        .bind(game.map_or("", GameId::as_str))
        .bind(kind.word())
        .bind(pace.word());
        self.change_outbox(chosen).await
    }

    async fn set_hours(&self, account: AccountId, hours: &Hours) -> Result<()> {
        let quiet = |side: fn((_, _)) -> _| hours.quiet.map(side).map(hour_number);
        let set = query(
            "INSERT OR REPLACE INTO reading_hours (account, zone, hour, day, quiet_from, quiet_to) \
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(account.0.cast_signed())
        .bind(hours.zone.name())
        .bind(hour_number(hours.hour))
        .bind(i64::from(hours.day.number()))
        .bind(quiet(|(from, _)| from))
        .bind(quiet(|(_, to)| to));
        self.change_outbox(set).await
    }

    async fn interests_of(
        &self,
        account: AccountId,
        game: &GameId,
    ) -> Result<BTreeMap<Followed, Interest>> {
        let all = query("SELECT * FROM interests WHERE account = ? AND game = ?")
            .bind(account.0.cast_signed())
            .bind(game.as_str());
        let all = self.outbox_rows(all, rows::interest).await?;
        Ok(all
            .into_iter()
            .map(|(_, what, interest)| (what, interest))
            .collect())
    }

    async fn take_interest(
        &self,
        account: AccountId,
        game: &GameId,
        what: &Followed,
        interest: Option<Interest>,
    ) -> Result<()> {
        let what = what.to_string();
        let statement = match interest {
            Some(interest) => query(
                "INSERT INTO interests (account, game, what, follows) VALUES (?, ?, ?, ?) \
                 ON CONFLICT DO UPDATE SET follows = excluded.follows",
            )
            .bind(account.0.cast_signed())
            .bind(game.as_str())
            .bind(what)
            .bind(interest == Interest::Follows),
            None => query("DELETE FROM interests WHERE account = ? AND game = ? AND what = ?")
                .bind(account.0.cast_signed())
                .bind(game.as_str())
                .bind(what),
        };
        self.change_outbox(statement).await
    }

    async fn recipients(&self, game: &GameId) -> Result<Vec<Recipient>> {
        let word = game.as_str();
        let channels = query(
            "SELECT * FROM (SELECT * FROM channels INDEXED BY channels_in WHERE room_kinds IS NOT NULL AND game = ? \
              UNION ALL SELECT * FROM channels INDEXED BY channels_of WHERE room_kinds IS NULL \
              AND (game IS NULL OR game = ?) AND account IN (SELECT account FROM seats WHERE game = ?)) \
             ORDER BY id",
        );
        let channels = channels.bind(word).bind(word).bind(word);
        let channels = self.outbox_rows(channels, rows::channel).await?;
        if channels.is_empty() {
            return Ok(Vec::new());
        }
        let seats = query("SELECT account, player FROM seats WHERE game = ?").bind(word);
        let seats = self.outbox_rows(seats, rows::seat).await?;
        let seats: BTreeMap<AccountId, PlayerId> = seats.into_iter().collect();
        let whose = "account IN (SELECT account FROM seats WHERE game = ? UNION \
                     SELECT account FROM channels INDEXED BY channels_in WHERE game = ?)";
        let mut choices = self.choices_by(whose, Some(word.to_owned()), 0).await?;
        let interests = query("SELECT * FROM interests WHERE game = ?").bind(word);
        let interests = self.outbox_rows(interests, rows::interest).await?;
        let mut found: BTreeMap<AccountId, Recipient> = BTreeMap::new();
        for channel in channels {
            let account = channel.account;
            let recipient = found.entry(account).or_insert_with(|| Recipient {
                account,
                player: seats.get(&account).copied(),
                channels: Vec::new(),
                choices: choices.remove(&account).unwrap_or_default(),
                interests: BTreeMap::new(),
            });
            recipient.channels.push(channel);
        }
        for (account, what, interest) in interests {
            if let Some(recipient) = found.get_mut(&account) {
                recipient.interests.insert(what, interest);
            }
        }
        Ok(found.into_values().collect())
    }

    async fn push_key(&self, fresh: &[u8]) -> Result<Vec<u8>> {
        let kept = || {
            let kept = query("SELECT pkcs8 FROM push_keys WHERE id = 1");
            self.outbox_row(kept, |row| row.try_get("pkcs8").explain())
        };
        if let Some(key) = kept().await? {
            return Ok(key);
        }
        let taken = query("INSERT INTO push_keys (id, pkcs8) VALUES (1, ?) ON CONFLICT DO NOTHING");
        self.change_outbox(taken.bind(fresh.to_vec())).await?;
        // Whoever came first has it.
        kept().await?.ok_or_else(|| StoreError::Damaged {
            what: "the key for pushes is gone".into(),
        })
    }

    async fn sweep_letters(&self, before: Moment) -> Result<()> {
        let swept = query("DELETE FROM letters WHERE coalesce(done_at, due_at) < ?");
        self.change_outbox(swept.bind(before.0)).await
    }
}

/// Channels as a list that the database reads.
fn numbers(channels: &[ChannelId]) -> String {
    let numbers: BTreeSet<u64> = channels.iter().map(|channel| channel.0).collect();
    serde_json::json!(numbers).to_string()
}

fn hour_number(hour: quorate_notices::choice::Hour) -> i64 {
    i64::from(hour.number())
}

async fn insert(writer: &mut SqliteConnection, game: &GameId, letter: &NewLetter) -> Result<()> {
    query(
        "INSERT OR IGNORE INTO letters (channel, bundle, game, seq, kind, topic, at, due_at) \
         SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM channels WHERE id = ?)",
    )
    .bind(letter.channel.0.cast_signed())
    .bind(&letter.bundle)
    .bind(game.as_str())
    .bind(letter.seq.0.cast_signed())
    .bind(letter.kind.word())
    .bind(letter.topic.to_string())
    .bind(letter.at.0)
    .bind(letter.due_at.0)
    .bind(letter.channel.0.cast_signed())
    .execute(writer)
    .await
    .explain()?;
    Ok(())
}

async fn settle_one(
    writer: &mut SqliteConnection,
    id: LetterId,
    how: &Settled,
    now: Moment,
) -> Result<()> {
    let (standing, error, due_at) = match how {
        Settled::Sent => (LetterStanding::Sent, "", None),
        Settled::Moot => (LetterStanding::Moot, "", None),
        Settled::Dead(why) => (LetterStanding::Dead, why.as_str(), None),
        Settled::Later(at, why) | Settled::PutOff(at, why) => {
            (LetterStanding::Waiting, why.as_str(), Some(at.0))
        }
    };
    let done_at = due_at.is_none().then_some(now.0);
    query(
        "UPDATE letters SET tries = tries + ?, standing = ?, trouble = ?, \
         due_at = coalesce(?, due_at), done_at = ?, bundle = bundle || ? WHERE id = ?",
    )
    .bind(i64::from(how.is_tried()))
    .bind(standing.word())
    .bind(error)
    .bind(due_at)
    .bind(done_at)
    .bind(how.bundle_end())
    .bind(id.0.cast_signed())
    .execute(writer)
    .await
    .explain()?;
    Ok(())
}

/// A failure counts against the channel, a success clears it.
async fn count(writer: &mut SqliteConnection, channel: ChannelId, how: &Settled) -> Result<()> {
    let counted = match how {
        Settled::Moot | Settled::PutOff(..) => return Ok(()),
        Settled::Sent => query("UPDATE channels SET failures = 0, held_until = NULL WHERE id = ?"),
        Settled::Later(_, why) | Settled::Dead(why) => query(
            "UPDATE channels SET failures = failures + 1, held_until = ?, paused = CASE WHEN failures + 1 >= ? \
             THEN coalesce(paused, ?) ELSE paused END WHERE id = ?",
        )
        .bind(how.tried_again().map(|at| at.0))
        .bind(i64::from(FAILURES_MAX))
        .bind(why),
    };
    let counted = counted.bind(channel.0.cast_signed());
    counted.execute(writer).await.explain()?;
    Ok(())
}
