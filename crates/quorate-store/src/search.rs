//! The index in which words of games are found: FTS5 tables in the same file.

use std::fmt::Write as _;

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_kernel::digest::Digest;
use quorate_runtime::ports::{
    IndexPoint, SearchIndex, SearchKey, SearchPlace, SearchQuery, SearchTerm, SearchText,
    StoreError, search_words,
};
use sqlx::sqlite::{Sqlite, SqliteConnection};
use sqlx::{QueryBuilder, Row, query};

use crate::Store;
use crate::convert;
use crate::error::Explain;

type Result<T> = std::result::Result<T, StoreError>;

/// How many seals are asked for at a time.
const AT_ONCE: usize = 500;

/// Takes every text out that has one of these seals. It waits until what is left of it is taken in again.
pub(crate) async fn forget(writer: &mut SqliteConnection, digest: &Digest) -> Result<()> {
    let digest = digest.0.to_vec();
    let waits = query(
        "INSERT OR IGNORE INTO search_waiting (game, key) \
         SELECT game, key FROM search_texts WHERE id IN \
         (SELECT text FROM search_seals WHERE digest = ?)",
    );
    let waits = waits.bind(digest.clone()).execute(&mut *writer).await;
    waits.explain()?;
    let gone = query(
        "DELETE FROM search_texts WHERE id IN (SELECT text FROM search_seals WHERE digest = ?)",
    );
    let gone = gone.bind(digest).execute(&mut *writer).await;
    gone.explain().map(drop)
}

/// Drops all that is indexed of a game, or of all games.
async fn clear(writer: &mut SqliteConnection, game_id: Option<i64>) -> Result<()> {
    for statement in [
        "DELETE FROM search_texts WHERE ?1 IS NULL OR game = ?1",
        "DELETE FROM search_waiting WHERE ?1 IS NULL OR game = ?1",
        "DELETE FROM search_points WHERE ?1 IS NULL OR game = ?1",
    ] {
        let cleared = query(statement).bind(game_id).execute(&mut *writer).await;
        cleared.explain()?;
    }
    Ok(())
}

/// A term as FTS5 reads it. Nothing but letters and digits comes between the quotation marks.
fn asked(term: &SearchTerm) -> String {
    match term {
        SearchTerm::Beginning(word) => format!("\"{}\" *", search_words(word).join(" ")),
        SearchTerm::Phrase(words) => format!("\"{}\"", search_words(&words.join(" ")).join(" ")),
    }
}

/// Some columns with all the terms in them, in one game.
fn matching(game_id: i64, columns: &str, terms: &[SearchTerm]) -> String {
    let mut asked_for = format!("game : \"g{game_id}\"");
    for term in terms {
        let _ = write!(asked_for, " AND {{{columns}}} : {}", asked(term));
    }
    asked_for
}

impl Store {
    async fn id_of_game(&self, game: &GameId) -> Result<Option<i64>> {
        let id = sqlx::query_scalar("SELECT id FROM games WHERE word = ?");
        let id = id.bind(game.as_str()).fetch_optional(&self.readers).await;
        id.explain()
    }
}

async fn point(
    connection: impl sqlx::SqliteExecutor<'_>,
    game_id: i64,
) -> Result<Option<IndexPoint>> {
    let row = query("SELECT * FROM search_points WHERE game = ?").bind(game_id);
    let row = row.fetch_optional(connection).await.explain()?;
    let read = row.map(|row| {
        let form: i64 = row.try_get("form").explain()?;
        Ok(IndexPoint {
            seq: convert::seq(row.try_get("seq").explain()?),
            form: u32::try_from(form).unwrap_or(u32::MAX),
            terms: convert::digest(&row, "terms")?,
        })
    });
    read.transpose()
}

async fn is_forgotten(writer: &mut SqliteConnection, seals: &[Digest]) -> Result<bool> {
    for some in seals.chunks(AT_ONCE) {
        let mut asked = QueryBuilder::<Sqlite>::new(
            "SELECT count(*) FROM seals WHERE bytes IS NULL AND digest IN (",
        );
        let mut list = asked.separated(", ");
        for digest in some {
            list.push_bind(digest.0.to_vec());
        }
        asked.push(")");
        let count: i64 = asked
            .build_query_scalar()
            .fetch_one(&mut *writer)
            .await
            .explain()?;
        if count > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn take_out(writer: &mut SqliteConnection, game_id: i64, key: &str) -> Result<()> {
    for statement in [
        "DELETE FROM search_texts WHERE game = ? AND key = ?",
        "DELETE FROM search_waiting WHERE game = ? AND key = ?",
    ] {
        let gone = query(statement).bind(game_id).bind(key);
        gone.execute(&mut *writer).await.explain()?;
    }
    Ok(())
}

async fn take_in(
    writer: &mut SqliteConnection,
    game_id: i64,
    key: &SearchKey,
    text: &SearchText,
) -> Result<()> {
    if is_forgotten(&mut *writer, &text.seals).await? {
        let waits = query("INSERT INTO search_waiting (game, key) VALUES (?, ?)");
        let waits = waits.bind(game_id).bind(key.to_string());
        return waits.execute(writer).await.explain().map(drop);
    }
    let taken = sqlx::query_scalar(
        "INSERT INTO search_texts (game, key, part, category, author, at) \
         VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(game_id)
    .bind(key.to_string())
    .bind(key.part().word())
    .bind(text.category.as_str())
    .bind(text.by.map(|by| by.to_string()))
    .bind(text.at.0);
    let id: i64 = taken.fetch_one(&mut *writer).await.explain()?;
    let words = query("INSERT INTO search_words (rowid, game, title, text) VALUES (?, ?, ?, ?)")
        .bind(id)
        .bind(format!("g{game_id}"))
        .bind(search_words(&text.title).join(" "))
        .bind(search_words(&text.text).join(" "));
    words.execute(&mut *writer).await.explain()?;
    for digest in &text.seals {
        let seal = query("INSERT OR IGNORE INTO search_seals (digest, text) VALUES (?, ?)")
            .bind(digest.0.to_vec())
            .bind(id);
        seal.execute(&mut *writer).await.explain()?;
    }
    Ok(())
}

#[async_trait]
impl SearchIndex for Store {
    async fn index_point(&self, game: &GameId) -> Result<Option<IndexPoint>> {
        match self.id_of_game(game).await? {
            Some(id) => point(&self.readers, id).await,
            None => Ok(None),
        }
    }

    async fn index_waiting(&self, game: &GameId) -> Result<Vec<SearchKey>> {
        let waiting = query(
            "SELECT key FROM search_waiting WHERE game = (SELECT id FROM games WHERE word = ?) \
             ORDER BY key",
        );
        let rows = waiting.bind(game.as_str()).fetch_all(&self.readers).await;
        rows.explain()?
            .iter()
            .map(|row| convert::word(row, "key"))
            .collect()
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
        let mut writer = self.log_writer().await?;
        writer.begin().await?;
        if point(&mut *writer, game_id).await? != from {
            return Ok(false);
        }
        for (key, text) in texts {
            take_out(&mut writer, game_id, &key.to_string()).await?;
            if let Some(text) = text {
                take_in(&mut writer, game_id, key, text).await?;
            }
        }
        let moved = query(
            "INSERT OR REPLACE INTO search_points (game, seq, form, terms) VALUES (?, ?, ?, ?)",
        )
        .bind(game_id)
        .bind(to.seq.0.cast_signed())
        .bind(i64::from(to.form))
        .bind(to.terms.0.to_vec());
        moved.execute(&mut *writer).await.explain()?;
        writer.commit().await.map_err(|error| self.mind(error))?;
        Ok(true)
    }

    async fn clear_index(&self, game: Option<&GameId>) -> Result<()> {
        let game_id = match game {
            Some(game) => match self.id_of_game(game).await? {
                Some(id) => Some(id),
                None => return Ok(()),
            },
            None => None,
        };
        let mut writer = self.writer().await?;
        writer.begin().await?;
        clear(&mut writer, game_id).await?;
        writer.commit().await.map_err(|error| self.mind(error))
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
        let mut found = QueryBuilder::<Sqlite>::new("SELECT key, at, in_title FROM (SELECT *, ");
        if asked.terms.is_empty() {
            found.push("0 AS in_title FROM search_texts WHERE game = ");
            found.push_bind(game_id);
        } else {
            found.push("id IN (SELECT rowid FROM search_words WHERE search_words MATCH ");
            found.push_bind(matching(game_id, "title", &asked.terms));
            found.push(") AS in_title FROM search_texts WHERE game = ");
            found.push_bind(game_id);
            found.push(" AND id IN (SELECT rowid FROM search_words WHERE search_words MATCH ");
            found.push_bind(matching(game_id, "title text", &asked.terms));
            found.push(")");
        }
        narrow(&mut found, asked);
        found.push(")");
        if let Some(after) = after {
            let (in_title, at, key) = after.rank();
            found.push(" WHERE (in_title, at, key) < (");
            let mut last = found.separated(", ");
            last.push_bind(in_title).push_bind(at.0).push_bind(key);
            found.push(")");
        }
        found.push(" ORDER BY in_title DESC, at DESC, key DESC LIMIT ");
        found.push_bind(count);
        let rows = found.build().fetch_all(&self.readers).await.explain()?;
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

/// What else is meant beside words.
fn narrow(found: &mut QueryBuilder<Sqlite>, asked: &SearchQuery) {
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
}
