//! The index in which words of games are found: vectors of words, which the database indexes itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_runtime::ports::{
    IndexPoint, SearchIndex, SearchKey, SearchPlace, SearchQuery, SearchTerm, SearchText,
    StoreError, search_words,
};
use sqlx::postgres::{PgConnection, PgPool, PgRow, Postgres};
use sqlx::{QueryBuilder, Row, query};

use crate::PostgresStore;
use crate::convert;
use crate::error::{Explain, Queried};

type Result<T> = std::result::Result<T, StoreError>;

/// The last place in a text that a vector knows, and how many places of one word.
const PLACE_MAX: usize = 16_000;
const PLACES_MAX: usize = 250;

/// Takes every text out that has one of these seals. It waits until what is left of it is taken in again.
pub(crate) async fn forget(connection: &mut PgConnection, digests: &[&[u8]]) -> Queried<()> {
    for statement in [
        "INSERT INTO search_waiting (game, key) SELECT DISTINCT game, key FROM search_texts \
         JOIN search_seals ON text = id WHERE digest = ANY($1) ON CONFLICT DO NOTHING",
        "DELETE FROM search_texts WHERE id IN \
         (SELECT text FROM search_seals WHERE digest = ANY($1))",
    ] {
        query(statement)
            .bind(digests)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// The places of words, from a first one on.
#[derive(Default)]
struct Places {
    of: BTreeMap<String, Vec<usize>>,
    are_known: bool,
}

impl Places {
    fn of(parts: &[&[String]]) -> Self {
        let mut places = Self {
            of: BTreeMap::new(),
            are_known: true,
        };
        let mut place = 0;
        for words in parts {
            for word in *words {
                place += 1;
                let known = places.of.entry(word.clone()).or_default();
                if place <= PLACE_MAX && known.len() < PLACES_MAX {
                    known.push(place);
                } else {
                    places.are_known = false;
                }
            }
            // No phrase runs from a title into its text.
            place += 1;
        }
        places
    }

    /// As the database reads a vector. The words are letters and digits alone.
    fn vector(&self) -> String {
        let mut vector = String::new();
        for (word, places) in &self.of {
            let _ = write!(vector, "'{word}'");
            for (nth, place) in places.iter().enumerate() {
                let _ = write!(vector, "{}{place}", if nth == 0 { ':' } else { ',' });
            }
            vector.push(' ');
        }
        vector
    }
}

/// The terms as the database reads a question; phrases as their words alone, if so wished.
fn asked_for(terms: &[SearchTerm], are_phrases: bool) -> String {
    let each = terms.iter().filter_map(|term| match term {
        SearchTerm::Beginning(word) => {
            let words = search_words(word);
            words.first().map(|word| format!("'{word}':*"))
        }
        SearchTerm::Phrase(words) => {
            let words = search_words(&words.join(" "));
            let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
            let between = if are_phrases { " <-> " } else { " & " };
            (!words.is_empty()).then(|| format!("({})", words.join(between)))
        }
    });
    each.collect::<Vec<_>>().join(" & ")
}

fn point(row: &PgRow) -> Result<IndexPoint> {
    let form: i64 = row.try_get("form").explain()?;
    Ok(IndexPoint {
        seq: convert::seq(row.try_get("seq").explain()?),
        form: u32::try_from(form).unwrap_or(u32::MAX),
        terms: convert::digest(row, "terms")?,
    })
}

async fn take_in(
    connection: &mut PgConnection,
    game_id: i64,
    key: &SearchKey,
    text: &SearchText,
) -> Queried<()> {
    let seals: Vec<&[u8]> = text.seals.iter().map(|seal| seal.0.as_slice()).collect();
    let forgotten: i64 =
        sqlx::query_scalar("SELECT count(*) FROM seals WHERE bytes IS NULL AND digest = ANY($1)")
            .bind(&seals)
            .fetch_one(&mut *connection)
            .await?;
    if forgotten > 0 {
        let waits = query("INSERT INTO search_waiting (game, key) VALUES ($1, $2)");
        let waits = waits.bind(game_id).bind(key.to_string());
        return waits.execute(connection).await.map(drop);
    }
    let (title, body) = (search_words(&text.title), search_words(&text.text));
    let (in_title, in_all) = (Places::of(&[&title]), Places::of(&[&title, &body]));
    let id: i64 = sqlx::query_scalar(
        "INSERT INTO search_texts (game, key, part, category, author, at, title, words, is_long) \
         VALUES ($1, $2, $3, $4, $5, $6, $7::tsvector, $8::tsvector, $9) RETURNING id",
    )
    .bind(game_id)
    .bind(key.to_string())
    .bind(key.part().word())
    .bind(text.category.as_str())
    .bind(text.by.map(|by| by.to_string()))
    .bind(text.at.0)
    .bind(in_title.vector())
    .bind(in_all.vector())
    .bind(!in_all.are_known)
    .fetch_one(&mut *connection)
    .await?;
    let taken = query(
        "INSERT INTO search_seals (digest, text) SELECT unnest($1::bytea[]), $2 \
         ON CONFLICT DO NOTHING",
    );
    let taken = taken.bind(&seals).bind(id).execute(connection);
    taken.await.map(drop)
}

/// Whether the index stands where it is said to. Nobody moves it until the transaction ends.
async fn stands_at(
    connection: &mut PgConnection,
    game_id: i64,
    from: Option<IndexPoint>,
    to: IndexPoint,
) -> Queried<bool> {
    let moved = match from {
        Some(from) => query(
            "UPDATE search_points SET seq = $2, form = $3, terms = $4 \
             WHERE game = $1 AND seq = $5 AND form = $6 AND terms = $7",
        )
        .bind(game_id)
        .bind(to.seq.0.cast_signed())
        .bind(i64::from(to.form))
        .bind(to.terms.0.to_vec())
        .bind(from.seq.0.cast_signed())
        .bind(i64::from(from.form))
        .bind(from.terms.0.to_vec()),
        None => query(
            "INSERT INTO search_points (game, seq, form, terms) VALUES ($1, $2, $3, $4) \
             ON CONFLICT DO NOTHING",
        )
        .bind(game_id)
        .bind(to.seq.0.cast_signed())
        .bind(i64::from(to.form))
        .bind(to.terms.0.to_vec()),
    };
    Ok(moved.execute(connection).await?.rows_affected() > 0)
}

impl PostgresStore {
    async fn id_of_game(&self, game: &GameId) -> Result<Option<i64>> {
        if let Some(id) = self.ids.find(game) {
            return Ok(Some(id));
        }
        let found = self.database.ask(|pool| async move {
            sqlx::query_scalar("SELECT id FROM games WHERE word = $1")
                .bind(game.as_str())
                .fetch_optional(&pool)
                .await
        });
        found.await
    }
}

#[async_trait]
impl SearchIndex for PostgresStore {
    async fn index_point(&self, game: &GameId) -> Result<Option<IndexPoint>> {
        let row = self.database.ask(|pool| async move {
            query(
                "SELECT search_points.* FROM search_points JOIN games ON games.id = game \
                 WHERE word = $1",
            )
            .bind(game.as_str())
            .fetch_optional(&pool)
            .await
        });
        row.await?.as_ref().map(point).transpose()
    }

    async fn index_waiting(&self, game: &GameId) -> Result<Vec<SearchKey>> {
        let rows = self.database.ask(|pool| async move {
            query(
                "SELECT key FROM search_waiting JOIN games ON games.id = game \
                 WHERE word = $1 ORDER BY key",
            )
            .bind(game.as_str())
            .fetch_all(&pool)
            .await
        });
        let rows = rows.await?;
        rows.iter().map(|row| convert::word(row, "key")).collect()
    }

    async fn take_into_index(
        &self,
        game: &GameId,
        from: Option<IndexPoint>,
        to: IndexPoint,
        texts: &[(SearchKey, Option<SearchText>)],
    ) -> Result<bool> {
        let game_id = self.id_of_game(game).await?;
        let game_id = game_id.ok_or_else(|| StoreError::NoGame { game: game.clone() })?;
        let taken = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            if !stands_at(&mut transaction, game_id, from, to).await? {
                return Ok(false);
            }
            let keys: Vec<String> = texts.iter().map(|(key, _)| key.to_string()).collect();
            for statement in [
                "DELETE FROM search_texts WHERE game = $1 AND key = ANY($2)",
                "DELETE FROM search_waiting WHERE game = $1 AND key = ANY($2)",
            ] {
                let gone = query(statement).bind(game_id).bind(&keys);
                gone.execute(&mut *transaction).await?;
            }
            for (key, text) in texts {
                if let Some(text) = text {
                    take_in(&mut transaction, game_id, key, text).await?;
                }
            }
            transaction.commit().await?;
            Ok(true)
        };
        self.database.ask(taken).await
    }

    async fn clear_index(&self, game: Option<&GameId>) -> Result<()> {
        let game_id = match game {
            Some(game) => match self.id_of_game(game).await? {
                Some(id) => Some(id),
                None => return Ok(()),
            },
            None => None,
        };
        let cleared = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            for statement in [
                "DELETE FROM search_texts WHERE $1 IS NULL OR game = $1",
                "DELETE FROM search_waiting WHERE $1 IS NULL OR game = $1",
                "DELETE FROM search_points WHERE $1 IS NULL OR game = $1",
            ] {
                let gone = query(statement).bind(game_id);
                gone.execute(&mut *transaction).await?;
            }
            transaction.commit().await
        };
        self.database.ask(cleared).await
    }

    async fn search(
        &self,
        game: &GameId,
        asked: &SearchQuery,
        after: Option<&SearchPlace>,
        count: u32,
    ) -> Result<Vec<SearchPlace>> {
        let Some(game_id) = self.id_of_game(game).await? else {
            return Ok(Vec::new());
        };
        let found = |pool: PgPool| async move {
            let mut found = found(game_id, asked, after, count);
            found.build().fetch_all(&pool).await
        };
        let rows = self.database.ask(found).await?;
        let places = rows.iter().map(|row| {
            Ok(SearchPlace {
                in_title: row.try_get("in_title").explain()?,
                at: convert::moment(row, "at")?,
                key: convert::word(row, "key")?,
            })
        });
        places.collect()
    }
}

/// The question behind a search.
fn found(
    game_id: i64,
    asked: &SearchQuery,
    after: Option<&SearchPlace>,
    count: u32,
) -> QueryBuilder<Postgres> {
    let mut found = QueryBuilder::new("SELECT key, at, in_title FROM (SELECT *, ");
    let strict = asked_for(&asked.terms, true);
    if strict.is_empty() {
        found.push("false AS in_title FROM search_texts WHERE game = ");
        found.push_bind(game_id);
    } else {
        found.push("title @@ ").push_bind(strict.clone());
        found.push("::tsquery AS in_title FROM search_texts WHERE game = ");
        found.push_bind(game_id);
        found.push(" AND (words @@ ").push_bind(strict);
        found.push("::tsquery OR is_long AND words @@ ");
        found.push_bind(asked_for(&asked.terms, false));
        found.push("::tsquery)");
    }
    if let Some(part) = asked.part {
        found.push(" AND part = ").push_bind(part.word());
    }
    if let Some(category) = &asked.category {
        found.push(" AND part = 'posts' AND category = ");
        found.push_bind(category.to_string());
    }
    if let Some(by) = asked.by {
        found.push(" AND author = ").push_bind(by.to_string());
    }
    if let Some(since) = asked.since {
        found.push(" AND at >= ").push_bind(since.0);
    }
    if let Some(until) = asked.until {
        found.push(" AND at < ").push_bind(until.0);
    }
    found.push(") AS found");
    if let Some(after) = after {
        let (in_title, at, key) = after.rank();
        found.push(" WHERE (in_title, at, key) < (");
        let mut last = found.separated(", ");
        last.push_bind(in_title).push_bind(at.0).push_bind(key);
        found.push(")");
    }
    found.push(" ORDER BY in_title DESC, at DESC, key DESC LIMIT ");
    found.push_bind(i64::from(count));
    found
}
