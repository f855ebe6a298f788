//! Notices that are to leave, the ways on which they do, and what their readers chose.

#[path = "../../quorate-store/src/outbox/rows.rs"]
mod rows;

use std::collections::BTreeMap;

use async_trait::async_trait;
use quorate_kernel::{EventSeq, GameId, Moment, PlayerId};
use quorate_notices::choice::{Hour, Hours, NoticeChoices};
use quorate_notices::kind::{NoticeKind, Pace};
use quorate_notices::outbox::{
    Channel, ChannelAudience, ChannelId, FAILURES_MAX, FollowPoint, Followed, Interest, LetterId,
    LetterStanding, NewChannel, NewLetter, Outbox, OutboxLetter, ReadyMost, Recipient, Settled,
    messages,
};
use quorate_runtime::ports::{AccountError, AccountId, StoreError};
use sqlx::postgres::{PgConnection, PgPool};
use sqlx::{Row, query};

use crate::PostgresStore;
use crate::accounts::{Query, ReadRow, number};
use crate::error::{Explain, Queried};

type Result<T> = std::result::Result<T, StoreError>;

/// Letters that can leave. Each letter asks for its own channel, so that what is due by no moment costs nothing.
const OPEN: &str = "standing = 'waiting' AND EXISTS (SELECT 1 FROM channels WHERE id = letters.channel \
                    AND confirmed_at IS NOT NULL AND paused IS NULL AND sort <> 'feed')";

/// Those whose channel is held beyond a moment.
const HELD: &str = "EXISTS (SELECT 1 FROM channels WHERE id = letters.channel AND held_until > ";

/// Takes the turn to deliver, unless another node has it that is alive and stays.
const TAKE_TURN: &str = "UPDATE delivery SET node = $1, incarnation = $2 \
    WHERE EXISTS (SELECT 1 FROM nodes WHERE name = $1 AND incarnation = $2 \
      AND alive_until > clock_timestamp()) \
    AND NOT EXISTS (SELECT 1 FROM nodes theirs JOIN nodes ours ON ours.name = $1 \
      WHERE theirs.name = delivery.node AND theirs.incarnation = delivery.incarnation \
      AND theirs.alive_until > clock_timestamp() AND (ours.draining OR NOT theirs.draining))";

/// The outbox never meets a uniqueness; what else can be wrong with an account is the store's.
fn of_store(error: AccountError) -> StoreError {
    match error {
        AccountError::Store(error) => error,
        other => StoreError::Failed {
            cause: other.to_string().into(),
        },
    }
}

impl PostgresStore {
    async fn change_outbox(&self, statement: Query<'_>) -> Result<()> {
        self.write(statement).await.map(drop).map_err(of_store)
    }

    async fn outbox_row<T>(&self, question: Query<'_>, read: ReadRow<T>) -> Result<Option<T>> {
        self.first(question, read).await.map_err(of_store)
    }

    async fn outbox_rows<T>(&self, question: Query<'_>, read: ReadRow<T>) -> Result<Vec<T>> {
        self.all(question, read).await.map_err(of_store)
    }

    /// Choices of accounts, by account; `whose` picks them by the column `account`.
    async fn choices_by(
        &self,
        whose: &'static str,
        game: Option<&GameId>,
        account: Option<AccountId>,
    ) -> Result<BTreeMap<AccountId, NoticeChoices>> {
        let ask = |table: &str| {
            let text = format!("SELECT * FROM {table} WHERE {whose}");
            let asked = query(sqlx::AssertSqlSafe(text));
            match game {
                Some(game) => asked.bind(game.as_str().to_owned()),
                None => asked.bind(account.map(number)),
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
impl Outbox for PostgresStore {
    async fn claim_delivery(&self) -> Result<bool> {
        let (name, incarnation) = (self.node.name(), self.node.incarnation());
        let claimed = self.database.ask(|pool| {
            let name = name.to_string();
            async move {
                let is_ours: bool = sqlx::query_scalar(
                    "SELECT EXISTS (SELECT 1 FROM delivery JOIN nodes ON nodes.name = delivery.node \
                     AND nodes.incarnation = delivery.incarnation WHERE nodes.name = $1 \
                     AND nodes.incarnation = $2 AND alive_until > clock_timestamp())",
                )
                .bind(&name)
                .bind(incarnation)
                .fetch_one(&pool)
                .await?;
                if is_ours {
                    return Ok(true);
                }
                let taken = query(TAKE_TURN).bind(&name).bind(incarnation);
                Ok(taken.execute(&pool).await?.rows_affected() > 0)
            }
        });
        claimed.await
    }

    async fn follow_point(&self, game: &GameId) -> Result<FollowPoint> {
        let found = query("SELECT * FROM followed_games WHERE game = $1").bind(game.as_str());
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
        let (standing, budget) = &rows::point_texts(to)?;
        let taken = self.database.ask(|pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            if from == EventSeq(0) {
                let begun = query(
                    "INSERT INTO followed_games (game, seq, standing) VALUES ($1, 0, '{}') \
                     ON CONFLICT DO NOTHING",
                );
                let begun = begun.bind(game.as_str());
                begun.execute(&mut *transaction).await?;
            }
            let moved = query(
                "UPDATE followed_games SET seq = $1, look_at = $2, standing = $3, budget = $6 \
                 WHERE game = $4 AND seq = $5",
            )
            .bind(to.seq.0.cast_signed())
            .bind(to.look_at.map(|at| at.0))
            .bind(standing)
            .bind(game.as_str())
            .bind(from.0.cast_signed())
            .bind(budget);
            if moved.execute(&mut *transaction).await?.rows_affected() == 0 {
                return Ok(false);
            }
            for letter in letters {
                insert(&mut transaction, game, letter).await?;
            }
            transaction.commit().await?;
            Ok(true)
        });
        taken.await
    }

    async fn looks_due(&self, now: Moment) -> Result<Vec<GameId>> {
        let due = query("SELECT game FROM followed_games WHERE look_at <= $1 ORDER BY look_at");
        self.outbox_rows(due.bind(now.0), rows::game).await
    }

    async fn next_moment(&self) -> Result<Option<Moment>> {
        let text = format!(
            "SELECT min(at) AS at FROM ((SELECT due_at AS at FROM letters WHERE {OPEN} AND NOT {HELD} letters.due_at) \
              ORDER BY due_at LIMIT 1) \
             UNION ALL SELECT min(held_until) FROM channels WHERE held_until IS NOT NULL \
              AND confirmed_at IS NOT NULL AND paused IS NULL \
              AND EXISTS (SELECT 1 FROM letters WHERE standing = 'waiting' \
              AND channel = channels.id AND due_at < channels.held_until) \
             UNION ALL SELECT min(look_at) FROM followed_games) AS moments"
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
        let busy: Vec<i64> = busy.iter().map(|id| id.0.cast_signed()).collect();
        let text = format!(
            "SELECT * FROM letters WHERE standing = 'waiting' AND due_at <= $1 AND channel IN \
             (SELECT DISTINCT channel FROM letters WHERE {OPEN} AND due_at <= $1 AND channel <> ALL ($2) \
              AND NOT {HELD} $1) LIMIT $3) ORDER BY id"
        );
        let due = query(sqlx::AssertSqlSafe(text))
            .bind(now.0)
            .bind(busy)
            .bind(i64::from(most.in_all));
        let letters = self.outbox_rows(due, rows::letter).await?;
        let ids: Vec<i64> = letters
            .iter()
            .map(|letter| letter.channel.0.cast_signed())
            .collect();
        let channels = query("SELECT * FROM channels WHERE id = ANY ($1)").bind(ids);
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
        let settled = self.database.ask(|pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            settle_all(&mut transaction, letters, how, now).await?;
            count(&mut transaction, channel, how).await?;
            transaction.commit().await
        });
        settled.await
    }

    async fn letters_of(&self, channel: ChannelId, most: u32) -> Result<Vec<OutboxLetter>> {
        let all = query("SELECT * FROM letters WHERE channel = $1 ORDER BY id DESC LIMIT $2")
            .bind(channel.0.cast_signed())
            .bind(i64::from(most));
        self.outbox_rows(all, rows::letter).await
    }

    async fn letter(&self, id: LetterId) -> Result<Option<OutboxLetter>> {
        let found = query("SELECT * FROM letters WHERE id = $1").bind(id.0.cast_signed());
        self.outbox_row(found, rows::letter).await
    }

    async fn send_again(&self, id: LetterId, now: Moment) -> Result<()> {
        let free = query(
            "UPDATE channels SET held_until = NULL WHERE id = (SELECT channel FROM letters WHERE id = $1)",
        );
        self.change_outbox(free.bind(id.0.cast_signed())).await?;
        let again = query(
            "UPDATE letters SET standing = 'waiting', tries = 0, due_at = $1, done_at = NULL \
             WHERE (channel, bundle) = (SELECT channel, bundle FROM letters WHERE id = $2)",
        );
        let again = again.bind(now.0).bind(id.0.cast_signed());
        self.change_outbox(again).await
    }

    async fn make_channel(&self, channel: &NewChannel) -> Result<ChannelId> {
        let (own_kinds, room_kinds) = match &channel.audience {
            ChannelAudience::Own(_, kinds) => (kinds.as_deref().map(rows::kinds_text), None),
            ChannelAudience::Room(_, kinds) => (None, Some(rows::kinds_text(kinds))),
        };
        let made = query(
            "INSERT INTO channels (account, game, room_kinds, sort, address, secret, made_at, confirmed_at, own_kinds) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id",
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
        let id = self.outbox_row(made, |row| row.try_get("id").explain());
        let id: Option<i64> = id.await?;
        id.map(|id| ChannelId(id.unsigned_abs()))
            .ok_or_else(|| StoreError::Failed {
                cause: "a channel was written and got no number".into(),
            })
    }

    async fn channel(&self, id: ChannelId) -> Result<Option<Channel>> {
        let found = query("SELECT * FROM channels WHERE id = $1").bind(id.0.cast_signed());
        self.outbox_row(found, rows::channel).await
    }

    async fn channels_of(&self, account: AccountId) -> Result<Vec<Channel>> {
        let all = query("SELECT * FROM channels WHERE account = $1 ORDER BY id");
        let all = all.bind(account.0.cast_signed());
        self.outbox_rows(all, rows::channel).await
    }

    async fn confirm_channel(&self, id: ChannelId, now: Moment) -> Result<()> {
        let confirmed =
            query("UPDATE channels SET confirmed_at = coalesce(confirmed_at, $1) WHERE id = $2");
        let confirmed = confirmed.bind(now.0).bind(id.0.cast_signed());
        self.change_outbox(confirmed).await
    }

    async fn pause_channel(&self, id: ChannelId, why: Option<&str>) -> Result<()> {
        let paused =
            query("UPDATE channels SET paused = $1, failures = 0, held_until = NULL WHERE id = $2");
        let paused = paused.bind(why).bind(id.0.cast_signed());
        self.change_outbox(paused).await
    }

    async fn drop_channel(&self, id: ChannelId) -> Result<()> {
        let dropped = query("DELETE FROM channels WHERE id = $1").bind(id.0.cast_signed());
        self.change_outbox(dropped).await
    }

    async fn choices_of(&self, account: AccountId) -> Result<NoticeChoices> {
        let mut found = self.choices_by("account = $1", None, Some(account)).await?;
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
            "INSERT INTO notice_choices (account, game, kind, pace) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (account, game, kind) DO UPDATE SET pace = excluded.pace",
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
            "INSERT INTO reading_hours (account, zone, hour, day, quiet_from, quiet_to) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account) DO UPDATE SET \
             zone = excluded.zone, hour = excluded.hour, day = excluded.day, \
             quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to",
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
        let all = query("SELECT * FROM interests WHERE account = $1 AND game = $2")
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
                "INSERT INTO interests (account, game, what, follows) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (account, game, what) DO UPDATE SET follows = excluded.follows",
            )
            .bind(account.0.cast_signed())
            .bind(game.as_str())
            .bind(what)
            .bind(interest == Interest::Follows),
            None => query("DELETE FROM interests WHERE account = $1 AND game = $2 AND what = $3")
                .bind(account.0.cast_signed())
                .bind(game.as_str())
                .bind(what),
        };
        self.change_outbox(statement).await
    }

    async fn recipients(&self, game: &GameId) -> Result<Vec<Recipient>> {
        let word = game.as_str();
        let channels = query(
            "SELECT * FROM channels WHERE room_kinds IS NOT NULL AND game = $1 \
             UNION ALL SELECT * FROM channels WHERE room_kinds IS NULL \
             AND (game IS NULL OR game = $1) AND account IN (SELECT account FROM seats WHERE game = $1) \
             ORDER BY id",
        );
        let channels = channels.bind(word);
        let channels = self.outbox_rows(channels, rows::channel).await?;
        if channels.is_empty() {
            return Ok(Vec::new());
        }
        let seats = query("SELECT account, player FROM seats WHERE game = $1").bind(word);
        let seats = self.outbox_rows(seats, rows::seat).await?;
        let seats: BTreeMap<AccountId, PlayerId> = seats.into_iter().collect();
        let whose = "account IN (SELECT account FROM seats WHERE game = $1 UNION \
                     SELECT account FROM channels WHERE game = $1)";
        let mut choices = self.choices_by(whose, Some(game), None).await?;
        let interests = query("SELECT * FROM interests WHERE game = $1").bind(word);
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
            let kept = query("SELECT pkcs8 FROM push_keys");
            self.outbox_row(kept, |row| row.try_get("pkcs8").explain())
        };
        if let Some(key) = kept().await? {
            return Ok(key);
        }
        let taken = query("INSERT INTO push_keys (pkcs8) VALUES ($1) ON CONFLICT DO NOTHING");
        self.change_outbox(taken.bind(fresh.to_vec())).await?;
        // Whoever came first has it.
        kept().await?.ok_or_else(|| StoreError::Damaged {
            what: "the key for pushes is gone".into(),
        })
    }

    async fn sweep_letters(&self, before: Moment) -> Result<()> {
        let swept = query("DELETE FROM letters WHERE coalesce(done_at, due_at) < $1");
        self.change_outbox(swept.bind(before.0)).await
    }
}

fn hour_number(hour: Hour) -> i64 {
    i64::from(hour.number())
}

async fn insert(writer: &mut PgConnection, game: &GameId, letter: &NewLetter) -> Queried<()> {
    // The channel is locked, so that it is not dropped between the look and the letter.
    query(
        "INSERT INTO letters (channel, bundle, game, seq, kind, topic, at, due_at) \
         SELECT id, $2, $3, $4, $5, $6, $7, $8 FROM channels WHERE id = $1 FOR KEY SHARE \
         ON CONFLICT DO NOTHING",
    )
    .bind(letter.channel.0.cast_signed())
    .bind(&letter.bundle)
    .bind(game.as_str())
    .bind(letter.seq.0.cast_signed())
    .bind(letter.kind.word())
    .bind(letter.topic.to_string())
    .bind(letter.at.0)
    .bind(letter.due_at.0)
    .execute(writer)
    .await?;
    Ok(())
}

async fn settle_all(
    writer: &mut PgConnection,
    letters: &[LetterId],
    how: &Settled,
    now: Moment,
) -> Queried<()> {
    let (standing, error, due_at) = match how {
        Settled::Sent => (LetterStanding::Sent, "", None),
        Settled::Moot => (LetterStanding::Moot, "", None),
        Settled::Dead(why) => (LetterStanding::Dead, why.as_str(), None),
        Settled::Later(at, why) | Settled::PutOff(at, why) => {
            (LetterStanding::Waiting, why.as_str(), Some(at.0))
        }
    };
    let ids: Vec<i64> = letters.iter().map(|id| id.0.cast_signed()).collect();
    query(
        "UPDATE letters SET tries = tries + $1, standing = $2, trouble = $3, \
         due_at = coalesce($4, due_at), done_at = $5, bundle = bundle || $7 WHERE id = ANY ($6)",
    )
    .bind(i64::from(how.is_tried()))
    .bind(standing.word())
    .bind(error)
    .bind(due_at)
    .bind(due_at.is_none().then_some(now.0))
    .bind(ids)
    .bind(how.bundle_end())
    .execute(writer)
    .await?;
    Ok(())
}

/// A failure counts against the channel, a success clears it.
async fn count(writer: &mut PgConnection, channel: ChannelId, how: &Settled) -> Queried<()> {
    let counted = match how {
        Settled::Moot | Settled::PutOff(..) => return Ok(()),
        Settled::Sent => query(
            "UPDATE channels SET failures = 0, held_until = NULL WHERE id = $1 AND failures > 0",
        )
        .bind(channel.0.cast_signed()),
        Settled::Later(_, why) | Settled::Dead(why) => query(
            "UPDATE channels SET failures = failures + 1, held_until = $4, paused = CASE WHEN failures + 1 >= $2 \
             THEN coalesce(paused, $3) ELSE paused END WHERE id = $1",
        )
        .bind(channel.0.cast_signed())
        .bind(i64::from(FAILURES_MAX))
        .bind(why)
        .bind(how.tried_again().map(|at| at.0)),
    };
    counted.execute(writer).await?;
    Ok(())
}
