//! Everything at once, on its way from or into another store.

use async_trait::async_trait;
use futures_util::TryStreamExt;
use quorate_runtime::ports::{
    CarriedCell, CarriedKind as Kind, CarriedRow, CarriedTable, Parcel, RowSender, StoreError,
    Taken, Unwanted, Whole, fitting, in_order, next_parcel, not_empty, stays, unknown_kind,
};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Row, query, query_as, query_scalar};
use tokio::sync::mpsc::{Receiver, Sender};

use crate::error::Explain;
use crate::place::SEQ_BITS;
use crate::{Store, file};

/// The table whose rows lie by a place made of two numbers, which go over as two.
const EVENTS: &str = "events";

/// A table of this store.
struct FileTable {
    name: String,
    columns: Vec<(String, Kind)>,
    /// The column that is the row's own number.
    own: Option<String>,
    has_rowid: bool,
    /// Whether no number is given twice.
    counts: bool,
    points_to: Vec<String>,
}

impl FileTable {
    /// The statement that reads all its rows.
    fn reads(&self) -> String {
        if self.name == EVENTS {
            let mask = (1_i64 << SEQ_BITS) - 1;
            return format!(
                "SELECT place >> {SEQ_BITS}, place & {mask}, open FROM events ORDER BY place"
            );
        }
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let columns = quoted_all(&names);
        let order = if self.has_rowid {
            " ORDER BY rowid"
        } else {
            ""
        };
        format!("SELECT {columns} FROM {}{order}", quoted(&self.name))
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn quoted_all(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    quoted.join(", ")
}

/// All tables that go over, each after those to which it points.
async fn tables(connection: &mut SqliteConnection) -> Result<Vec<FileTable>, StoreError> {
    let listed: Vec<(String, bool, String)> = query_as(
        "SELECT list.name, list.wr, coalesce(form.sql, '') FROM pragma_table_list AS list \
         JOIN sqlite_schema AS form ON form.name = list.name \
         WHERE list.schema = 'main' AND list.type = 'table' ORDER BY list.name",
    )
    .fetch_all(&mut *connection)
    .await
    .explain()?;
    let mut tables = Vec::new();
    for (name, is_without_rowid, sql) in listed {
        if stays(&name) {
            continue;
        }
        let points_to = query_scalar("SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?)")
            .bind(&name)
            .fetch_all(&mut *connection)
            .await
            .explain()?;
        let (columns, own) = columns(connection, &name).await?;
        tables.push(FileTable {
            columns,
            own,
            has_rowid: !is_without_rowid,
            counts: sql.contains("AUTOINCREMENT"),
            points_to,
            name,
        });
    }
    let links = tables
        .iter()
        .map(|table| (table.name.clone(), table.points_to.clone()));
    let order = in_order(links.collect());
    tables.sort_by_key(|table| order.iter().position(|name| *name == table.name));
    Ok(tables)
}

/// The columns of a table, and which of them is the row's own number.
async fn columns(
    connection: &mut SqliteConnection,
    table: &str,
) -> Result<(Vec<(String, Kind)>, Option<String>), StoreError> {
    if table == EVENTS {
        let columns = [
            ("game", Kind::Number),
            ("seq", Kind::Number),
            ("open", Kind::Bytes),
        ];
        let columns = columns.map(|(name, kind)| (name.to_owned(), kind));
        return Ok((columns.to_vec(), None));
    }
    let listed: Vec<(String, String, i64)> =
        query_as("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid")
            .bind(table)
            .fetch_all(&mut *connection)
            .await
            .explain()?;
    let key_count = listed.iter().filter(|(_, _, nth)| *nth > 0).count();
    let mut own = None;
    let mut columns = Vec::new();
    for (name, kind, nth) in listed {
        let kind = match kind.as_str() {
            "INTEGER" => Kind::Number,
            "TEXT" => Kind::Text,
            "BLOB" => Kind::Bytes,
            other => return Err(unknown_kind(table, &name, other)),
        };
        if kind == Kind::Number && nth > 0 && key_count == 1 {
            own = Some(name.clone());
        }
        columns.push((name, kind));
    }
    Ok((columns, own))
}

fn cell(row: &SqliteRow, nth: usize, kind: Kind) -> Result<CarriedCell, sqlx::Error> {
    let cell = match kind {
        Kind::Number => row.try_get::<Option<i64>, _>(nth)?.map(CarriedCell::Number),
        Kind::Text => row
            .try_get::<Option<String>, _>(nth)?
            .map(CarriedCell::Text),
        Kind::Bytes => row
            .try_get::<Option<Vec<u8>>, _>(nth)?
            .map(CarriedCell::Bytes),
    };
    Ok(cell.unwrap_or(CarriedCell::Null))
}

/// Sends a table with its rows.
async fn send_table(
    connection: &mut SqliteConnection,
    table: &FileTable,
    to: &mut RowSender,
) -> Result<Result<(), Unwanted>, StoreError> {
    let highest = if table.counts {
        query_scalar("SELECT seq FROM sqlite_sequence WHERE name = ?")
            .bind(&table.name)
            .fetch_optional(&mut *connection)
            .await
            .explain()?
    } else {
        None
    };
    let head = CarriedTable {
        name: table.name.clone(),
        columns: table.columns.clone(),
        own: table.own.clone(),
        highest,
    };
    if to.begin(head).await.is_err() {
        return Ok(Err(Unwanted));
    }
    let mut rows = query(AssertSqlSafe(table.reads())).fetch(&mut *connection);
    while let Some(row) = rows.try_next().await.explain()? {
        let kinds = table.columns.iter().enumerate();
        let cells: Result<CarriedRow, _> = kinds
            .map(|(nth, (_, kind))| cell(&row, nth, *kind))
            .collect();
        if to.row(cells.explain()?).await.is_err() {
            return Ok(Err(Unwanted));
        }
    }
    Ok(Ok(()))
}

async fn send_tables(
    connection: &mut SqliteConnection,
    to: Sender<Parcel>,
) -> Result<(), StoreError> {
    let mut to = RowSender::new(to);
    for table in tables(connection).await? {
        if send_table(connection, &table, &mut to).await?.is_err() {
            return Ok(());
        }
    }
    // Whoever wants nothing any more knows why.
    drop(to.end().await);
    Ok(())
}

/// A table that takes rows in.
struct FileIntake {
    insert: String,
    places: Vec<usize>,
}

impl FileIntake {
    fn new(table: &FileTable, arriving: &CarriedTable) -> Result<Self, StoreError> {
        let fitting = fitting(arriving, &table.columns, table.own.as_deref())?;
        let (names, places): (Vec<String>, Vec<usize>) = fitting.into_iter().unzip();
        let insert = if table.name == EVENTS {
            format!("INSERT INTO events (place, open) VALUES ((?1 << {SEQ_BITS}) + ?2, ?3)")
        } else {
            let marks = vec!["?"; names.len()].join(", ");
            let (table, names) = (quoted(&table.name), quoted_all(&names));
            format!("INSERT INTO {table} ({names}) VALUES ({marks})")
        };
        Ok(Self { insert, places })
    }

    async fn take(
        &self,
        writer: &mut SqliteConnection,
        rows: Vec<CarriedRow>,
    ) -> Result<(), sqlx::Error> {
        for row in rows {
            let mut insert = query(AssertSqlSafe(self.insert.clone()));
            for place in &self.places {
                insert = match row.get(*place).unwrap_or(&CarriedCell::Null) {
                    CarriedCell::Number(number) => insert.bind(*number),
                    CarriedCell::Text(text) => insert.bind(text.clone()),
                    CarriedCell::Bytes(bytes) => insert.bind(bytes.clone()),
                    CarriedCell::Null => insert.bind(None::<i64>),
                };
            }
            insert.execute(&mut *writer).await?;
        }
        Ok(())
    }
}

/// Goes on counting where the other store stood.
async fn go_on_from(
    writer: &mut SqliteConnection,
    table: &str,
    highest: i64,
) -> Result<(), sqlx::Error> {
    let there: Option<i64> = query_scalar("SELECT seq FROM sqlite_sequence WHERE name = ?")
        .bind(table)
        .fetch_optional(&mut *writer)
        .await?;
    query("DELETE FROM sqlite_sequence WHERE name = ?")
        .bind(table)
        .execute(&mut *writer)
        .await?;
    query("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
        .bind(table)
        .bind(there.unwrap_or(0).max(highest))
        .execute(&mut *writer)
        .await?;
    Ok(())
}

async fn check_empty(
    writer: &mut SqliteConnection,
    tables: &[FileTable],
) -> Result<(), StoreError> {
    for table in tables {
        let question = format!("SELECT EXISTS (SELECT 1 FROM {})", quoted(&table.name));
        let is_there: bool = query_scalar(AssertSqlSafe(question))
            .fetch_one(&mut *writer)
            .await
            .explain()?;
        if is_there {
            return Err(not_empty(&table.name));
        }
    }
    Ok(())
}

#[async_trait]
impl Whole for Store {
    async fn send_all(&self, to: Sender<Parcel>) -> Result<(), StoreError> {
        let mut connection = self.readers.acquire().await.explain()?;
        // What is read in one transaction is as it was at its beginning.
        query("BEGIN").execute(&mut *connection).await.explain()?;
        let sent = send_tables(&mut connection, to).await;
        query("COMMIT").execute(&mut *connection).await.explain()?;
        sent
    }

    async fn take_all(&self, mut from: Receiver<Parcel>) -> Result<Taken, StoreError> {
        let mut writer = self.writer().await?;
        writer.begin().await?;
        self.check_lease(&mut writer).await?;
        let tables = tables(&mut writer).await?;
        check_empty(&mut writer, &tables).await?;
        let mut taking: Option<FileIntake> = None;
        let mut arriving = String::new();
        let mut highest: Vec<(String, i64)> = Vec::new();
        let mut taken = Taken::default();
        while let Some(parcel) = next_parcel(&mut from).await? {
            match (parcel, &taking) {
                (Parcel::Table(head), _) => {
                    let table = tables.iter().find(|table| table.name == head.name);
                    if let (Some(true), Some(number)) = (table.map(|it| it.counts), head.highest) {
                        highest.push((head.name.clone(), number));
                    }
                    taking = table
                        .map(|table| FileIntake::new(table, &head))
                        .transpose()?;
                    arriving = head.name;
                }
                (Parcel::Rows(rows), Some(taking)) => {
                    taken.row_count += rows.len() as u64;
                    taking.take(&mut writer, rows).await.explain()?;
                }
                (Parcel::Rows(rows), None) => {
                    let left = taken.left_behind.entry(arriving.clone());
                    *left.or_default() += rows.len() as u64;
                }
                (Parcel::End, _) => {}
            }
        }
        for (table, number) in highest {
            let gone_on = go_on_from(&mut writer, &table, number).await;
            gone_on.explain()?;
        }
        let event_count = file::event_count(&mut *writer).await?;
        writer.commit().await.map_err(|error| self.mind(error))?;
        *writer.event_count() = event_count;
        self.note_count(event_count);
        Ok(taken)
    }
}
