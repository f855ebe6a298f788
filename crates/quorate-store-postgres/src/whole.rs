//! Everything at once, on its way from or into another store.

use async_trait::async_trait;
use futures_util::TryStreamExt;
use quorate_runtime::ports::{
    CarriedCell, CarriedKind, CarriedRow, CarriedTable, Parcel, RowSender, StoreError, Taken,
    Unwanted, Whole, fitting, in_order, next_parcel, not_empty, stays, unknown_kind,
};
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Row, query, query_as, query_scalar};
use tokio::sync::mpsc::{Receiver, Sender};

use crate::PostgresStore;
use crate::error::Explain;

/// A copy takes as long as it takes.
const UNHURRIED: &str = "SET LOCAL statement_timeout = 0; \
    SET LOCAL idle_in_transaction_session_timeout = 0";

/// The kind of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ColumnKind {
    /// A number, and as what the column keeps it.
    Number(&'static str),
    Flag,
    Text,
    Bytes,
}

impl ColumnKind {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "bigint" => Self::Number("bigint"),
            "integer" => Self::Number("integer"),
            "boolean" => Self::Flag,
            "text" => Self::Text,
            "bytea" => Self::Bytes,
            _ => return None,
        })
    }

    /// As what it goes over.
    fn carried(self) -> CarriedKind {
        match self {
            Self::Number(_) | Self::Flag => CarriedKind::Number,
            Self::Text => CarriedKind::Text,
            Self::Bytes => CarriedKind::Bytes,
        }
    }

    /// What many of them are in one statement.
    fn many(self) -> &'static str {
        match self {
            Self::Number(_) | Self::Flag => "bigint[]",
            Self::Text => "text[]",
            Self::Bytes => "bytea[]",
        }
    }

    /// How the column is read as what goes over.
    fn read(self, column: &str) -> String {
        match self {
            Self::Number(_) => format!("{column}::bigint"),
            Self::Flag => format!("{column}::int::bigint"),
            Self::Text | Self::Bytes => column.to_owned(),
        }
    }

    /// How what arrives becomes what the column keeps.
    fn kept(self, column: &str) -> String {
        match self {
            Self::Number(kind) => format!("{column}::{kind}"),
            Self::Flag => format!("{column} <> 0"),
            Self::Text | Self::Bytes => column.to_owned(),
        }
    }
}

/// A table of this store.
struct DatabaseTable {
    name: String,
    columns: Vec<(String, ColumnKind)>,
    /// The column that the database fills by itself: the number of a row, or the mark of a table's only row.
    own: Option<String>,
    /// Whether that is a number, of which none is given twice.
    counts: bool,
    points_to: Vec<String>,
}

impl DatabaseTable {
    fn carried(&self) -> Vec<(String, CarriedKind)> {
        let columns = self.columns.iter();
        columns
            .map(|(name, kind)| (name.clone(), kind.carried()))
            .collect()
    }

    /// The statement that reads all its rows.
    fn reads(&self) -> String {
        let columns = self.columns.iter();
        let columns: Vec<String> = columns
            .map(|(name, kind)| kind.read(&quoted(name)))
            .collect();
        let order = self.own.as_ref().map(|own| quoted(own));
        let order = order.map_or_else(String::new, |own| format!(" ORDER BY {own}"));
        let table = quoted(&self.name);
        format!("SELECT {} FROM {table}{order}", columns.join(", "))
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// All tables that go over, each after those to which it points.
async fn tables(connection: &mut PgConnection) -> Result<Vec<DatabaseTable>, StoreError> {
    let names: Vec<String> = query_scalar(
        "SELECT relname::text FROM pg_class \
         WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 1",
    )
    .fetch_all(&mut *connection)
    .await
    .explain()?;
    let mut tables = Vec::new();
    for name in names.into_iter().filter(|name| !stays(name)) {
        let points_to = query_scalar(
            "SELECT DISTINCT confrelid::regclass::text FROM pg_constraint \
             WHERE contype = 'f' AND conrelid = $1::regclass",
        )
        .bind(quoted(&name))
        .fetch_all(&mut *connection)
        .await
        .explain()?;
        let listed: Vec<(String, String, bool, bool)> = query_as(
            "SELECT attname::text, format_type(atttypid, NULL), attidentity <> '', \
                atthasdef AND EXISTS (SELECT 1 FROM pg_index \
                    WHERE indrelid = attrelid AND indisprimary AND indkey::text = attnum::text) \
             FROM pg_attribute \
             WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        )
        .bind(quoted(&name))
        .fetch_all(&mut *connection)
        .await
        .explain()?;
        let mut table = DatabaseTable {
            columns: Vec::new(),
            own: None,
            counts: false,
            points_to,
            name,
        };
        for (column, word, counts, marks) in listed {
            let kind =
                ColumnKind::of(&word).ok_or_else(|| unknown_kind(&table.name, &column, &word))?;
            if counts || marks && kind == ColumnKind::Flag {
                table.own = Some(column.clone());
                table.counts = counts;
            }
            table.columns.push((column, kind));
        }
        tables.push(table);
    }
    let links = tables
        .iter()
        .map(|table| (table.name.clone(), table.points_to.clone()));
    let order = in_order(links.collect());
    tables.sort_by_key(|table| order.iter().position(|name| *name == table.name));
    Ok(tables)
}

fn cell(row: &PgRow, nth: usize, kind: ColumnKind) -> Result<CarriedCell, sqlx::Error> {
    let cell = match kind {
        ColumnKind::Number(_) | ColumnKind::Flag => {
            row.try_get::<Option<i64>, _>(nth)?.map(CarriedCell::Number)
        }
        ColumnKind::Text => row
            .try_get::<Option<String>, _>(nth)?
            .map(CarriedCell::Text),
        ColumnKind::Bytes => row
            .try_get::<Option<Vec<u8>>, _>(nth)?
            .map(CarriedCell::Bytes),
    };
    Ok(cell.unwrap_or(CarriedCell::Null))
}

/// Sends a table with its rows.
async fn send_table(
    connection: &mut PgConnection,
    table: &DatabaseTable,
    to: &mut RowSender,
) -> Result<Result<(), Unwanted>, StoreError> {
    let highest = match &table.own {
        Some(own) if table.counts => {
            query_scalar("SELECT pg_sequence_last_value(pg_get_serial_sequence($1, $2))")
                .bind(quoted(&table.name))
                .bind(own)
                .fetch_one(&mut *connection)
                .await
                .explain()?
        }
        Some(_) | None => None,
    };
    let head = CarriedTable {
        name: table.name.clone(),
        columns: table.carried(),
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

/// A table that takes rows in.
struct DatabaseIntake {
    insert: String,
    /// Of each column its kind, and its place in the rows that arrive.
    columns: Vec<(ColumnKind, usize)>,
}

/// Where the database is to go on counting the rows of a table.
struct RowCount {
    table: String,
    own: String,
    highest: Option<i64>,
}

impl RowCount {
    fn new(table: &DatabaseTable, arriving: &CarriedTable) -> Option<Self> {
        let own = table.own.clone().filter(|_| table.counts)?;
        Some(Self {
            table: quoted(&table.name),
            own,
            highest: arriving.highest,
        })
    }

    async fn go_on(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let (table, own) = (&self.table, quoted(&self.own));
        query(AssertSqlSafe(format!(
            "SELECT setval(pg_get_serial_sequence($1, $2), highest) FROM \
             (SELECT greatest($3, max({own})) AS highest FROM {table}) AS given WHERE highest > 0"
        )))
        .bind(&self.table)
        .bind(&self.own)
        .bind(self.highest)
        .execute(connection)
        .await
        .map(drop)
    }
}

impl DatabaseIntake {
    fn new(table: &DatabaseTable, arriving: &CarriedTable) -> Result<Self, StoreError> {
        let fitting = fitting(arriving, &table.carried(), table.own.as_deref())?;
        let mut columns = Vec::new();
        let (mut names, mut kept, mut many) = (Vec::new(), Vec::new(), Vec::new());
        for (name, place) in fitting {
            let own = table.columns.iter().find(|(own, _)| *own == name);
            let Some((_, kind)) = own else {
                continue;
            };
            columns.push((*kind, place));
            kept.push(kind.kept(&quoted(&name)));
            many.push(format!("${}::{}", columns.len(), kind.many()));
            names.push(quoted(&name));
        }
        let (kept, many, names) = (kept.join(", "), many.join(", "), names.join(", "));
        let quoted_table = quoted(&table.name);
        Ok(Self {
            insert: format!(
                "INSERT INTO {quoted_table} ({names}) OVERRIDING SYSTEM VALUE \
                 SELECT {kept} FROM unnest({many}) AS arriving ({names})"
            ),
            columns,
        })
    }

    async fn take(
        &self,
        connection: &mut PgConnection,
        rows: &[CarriedRow],
    ) -> Result<(), sqlx::Error> {
        let mut insert = query(AssertSqlSafe(self.insert.clone()));
        for (kind, place) in &self.columns {
            let cells = rows.iter().map(|row| row.get(*place));
            insert = match kind {
                ColumnKind::Number(_) | ColumnKind::Flag => insert.bind(numbers(cells)),
                ColumnKind::Text => insert.bind(texts(cells)),
                ColumnKind::Bytes => insert.bind(bytes(cells)),
            };
        }
        insert.execute(connection).await.map(drop)
    }
}

fn numbers<'a>(cells: impl Iterator<Item = Option<&'a CarriedCell>>) -> Vec<Option<i64>> {
    cells
        .map(|cell| match cell {
            Some(CarriedCell::Number(number)) => Some(*number),
            Some(CarriedCell::Null | CarriedCell::Text(_) | CarriedCell::Bytes(_)) | None => None,
        })
        .collect()
}

fn texts<'a>(cells: impl Iterator<Item = Option<&'a CarriedCell>>) -> Vec<Option<&'a str>> {
    cells
        .map(|cell| match cell {
            Some(CarriedCell::Text(text)) => Some(text.as_str()),
            Some(CarriedCell::Null | CarriedCell::Number(_) | CarriedCell::Bytes(_)) | None => None,
        })
        .collect()
}

fn bytes<'a>(cells: impl Iterator<Item = Option<&'a CarriedCell>>) -> Vec<Option<&'a [u8]>> {
    cells
        .map(|cell| match cell {
            Some(CarriedCell::Bytes(bytes)) => Some(bytes.as_slice()),
            Some(CarriedCell::Null | CarriedCell::Number(_) | CarriedCell::Text(_)) | None => None,
        })
        .collect()
}

/// Keeps everybody else from writing, and sees that nothing is there.
async fn check_empty(
    connection: &mut PgConnection,
    tables: &[DatabaseTable],
) -> Result<(), StoreError> {
    for table in tables {
        let name = quoted(&table.name);
        let lock = AssertSqlSafe(format!("LOCK TABLE {name} IN SHARE ROW EXCLUSIVE MODE"));
        query(lock).execute(&mut *connection).await.explain()?;
        let question = AssertSqlSafe(format!("SELECT EXISTS (SELECT 1 FROM {name})"));
        let is_there: bool = query_scalar(question)
            .fetch_one(&mut *connection)
            .await
            .explain()?;
        if is_there {
            return Err(not_empty(&table.name));
        }
    }
    Ok(())
}

#[async_trait]
impl Whole for PostgresStore {
    async fn send_all(&self, to: Sender<Parcel>) -> Result<(), StoreError> {
        let pool = self.database.pool();
        // All that is read in it is as it was at its beginning.
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
        let mut reading = pool.begin_with(begin).await.explain()?;
        sqlx::raw_sql(UNHURRIED)
            .execute(&mut *reading)
            .await
            .explain()?;
        let mut to = RowSender::new(to);
        for table in tables(&mut reading).await? {
            if send_table(&mut reading, &table, &mut to).await?.is_err() {
                return Ok(());
            }
        }
        reading.commit().await.explain()?;
        // Whoever wants nothing any more knows why.
        drop(to.end().await);
        Ok(())
    }

    async fn take_all(&self, mut from: Receiver<Parcel>) -> Result<Taken, StoreError> {
        let mut writing = self.database.pool().begin().await.explain()?;
        sqlx::raw_sql(UNHURRIED)
            .execute(&mut *writing)
            .await
            .explain()?;
        let tables = tables(&mut writing).await?;
        check_empty(&mut writing, &tables).await?;
        let mut taking: Option<DatabaseIntake> = None;
        let mut arriving = String::new();
        let mut counts = Vec::new();
        let mut taken = Taken::default();
        while let Some(parcel) = next_parcel(&mut from).await? {
            match (parcel, &taking) {
                (Parcel::Table(head), _) => {
                    let table = tables.iter().find(|table| table.name == head.name);
                    counts.extend(table.and_then(|table| RowCount::new(table, &head)));
                    taking = table
                        .map(|table| DatabaseIntake::new(table, &head))
                        .transpose()?;
                    arriving = head.name;
                }
                (Parcel::Rows(rows), Some(taking)) => {
                    taken.row_count += rows.len() as u64;
                    taking.take(&mut writing, &rows).await.explain()?;
                }
                (Parcel::Rows(rows), None) => {
                    let left = taken.left_behind.entry(arriving.clone());
                    *left.or_default() += rows.len() as u64;
                }
                (Parcel::End, _) => {}
            }
        }
        for count in counts {
            count.go_on(&mut writing).await.explain()?;
        }
        writing.commit().await.explain()?;
        Ok(taken)
    }
}
