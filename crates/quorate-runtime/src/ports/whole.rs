//! Everything that a store keeps, table by table, on its way into another.
//!
//! Which tables there are, and of which columns, the stores read from their own catalogues. So a table that is added goes
//! along by itself, and what the other side has no place for is told.

use std::collections::BTreeMap;

use async_trait::async_trait;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::StoreError;

/// How many parcels are on their way at most.
const PARCELS_AT_ONCE: usize = 4;

/// How many rows go in a parcel, and after how many bytes it goes anyway.
const ROWS_AT_ONCE: usize = 512;
const BYTES_AT_ONCE: usize = 1_024 * 1_024;

/// Tables that stay where they are: what a store knows of itself and of who uses it.
const STAYS: [&str; 5] = ["server", "nodes", "leases", "delivery", "buckets"];

/// How the names begin of tables that stay: the index of words, which is made again, and what libraries keep.
const STAYS_FROM: [&str; 3] = ["search_", "_sqlx", "sqlite_"];

/// Whether a table of that name stays where it is.
pub fn stays(table: &str) -> bool {
    STAYS.contains(&table) || STAYS_FROM.iter().any(|begin| table.starts_with(begin))
}

/// What stands in one column of one row.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CarriedCell {
    /// Nothing.
    Null,
    /// A number; yes and no are one and zero.
    Number(i64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// What may stand in a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CarriedKind {
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// Bytes.
    Bytes,
}

/// What stands in the columns of a row.
pub type CarriedRow = Vec<CarriedCell>;

/// A table that goes over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarriedTable {
    /// Its name.
    pub name: String,
    /// The columns of its rows, in their order.
    pub columns: Vec<(String, CarriedKind)>,
    /// The column that the store fills itself, such as a row's number. Another store may do without it.
    pub own: Option<String>,
    /// The highest number that it ever gave, where that is known: none is given twice.
    pub highest: Option<i64>,
}

/// A part of everything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parcel {
    /// The rows that follow are of this table.
    Table(CarriedTable),
    /// Rows, each with the columns of the table before.
    Rows(Vec<CarriedRow>),
    /// That was all. What ends without it is not whole.
    End,
}

/// What a store took in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Taken {
    /// How many rows.
    pub row_count: u64,
    /// How many rows of which tables have no place in it.
    pub left_behind: BTreeMap<String, u64>,
}

/// A store that can be carried into another.
#[async_trait]
pub trait Whole: Send + Sync {
    /// Sends everything but what [`stays`], as it is at one moment, while others go on. A table comes after those to which
    /// its rows point. Ends early, and well, where nobody wants it any more.
    ///
    /// # Errors
    /// Fails where the store cannot be read, or holds a kind of column that this release cannot carry.
    async fn send_all(&self, to: Sender<Parcel>) -> Result<(), StoreError>;

    /// Takes in everything that it has tables for, or nothing.
    ///
    /// # Errors
    /// Fails where this store holds something already, where a column has no place, and where the parcels end before their
    /// end.
    async fn take_all(&self, from: Receiver<Parcel>) -> Result<Taken, StoreError>;
}

/// Carries everything from one store into another, which is empty.
///
/// # Errors
/// As [`Whole::send_all`] and [`Whole::take_all`]; then nothing was taken in.
pub async fn carry(from: &dyn Whole, to: &dyn Whole) -> Result<Taken, StoreError> {
    let (sender, receiver) = mpsc::channel(PARCELS_AT_ONCE);
    let (sent, taken) = tokio::join!(from.send_all(sender), to.take_all(receiver));
    // Where sending failed, taking fails after it and knows less.
    sent.and(taken)
}

/// The order in which tables go, each after those to which it points. `tables` are names with what they point to.
pub fn in_order(mut tables: Vec<(String, Vec<String>)>) -> Vec<String> {
    let mut ordered: Vec<String> = Vec::new();
    while !tables.is_empty() {
        let is_free = |(name, points_to): &(String, Vec<String>)| {
            let is_done = |to: &String| to == name || ordered.contains(to);
            points_to.iter().all(is_done)
        };
        let (mut free, mut rest): (Vec<_>, Vec<_>) = tables.into_iter().partition(is_free);
        if free.is_empty() {
            // Tables that point at each other come as they are.
            std::mem::swap(&mut free, &mut rest);
        }
        tables = rest;
        ordered.extend(free.into_iter().map(|(name, _)| name));
    }
    ordered
}

/// Of each column of a table here its place in the rows that arrive. `own` is the column that this store fills itself, and
/// does so where none arrives.
///
/// # Errors
/// Fails where a column of either side has no place on the other.
pub fn fitting(
    arriving: &CarriedTable,
    columns: &[(String, CarriedKind)],
    own: Option<&str>,
) -> Result<Vec<(String, usize)>, StoreError> {
    let misfit = |column: &str, place: &str| StoreError::Failed {
        cause: format!(
            "the column {column} of {} has no place {place}: both must be of one release",
            arriving.name
        )
        .into(),
    };
    for (theirs, _) in &arriving.columns {
        let has_place = columns.iter().any(|(ours, _)| ours == theirs);
        if !has_place && arriving.own.as_ref() != Some(theirs) {
            return Err(misfit(theirs, "where it goes"));
        }
    }
    let mut fitting = Vec::new();
    for column in columns {
        match arriving.columns.iter().position(|theirs| theirs == column) {
            Some(place) => fitting.push((column.0.clone(), place)),
            None if own == Some(column.0.as_str()) => {}
            None => return Err(misfit(&column.0, "where it comes from")),
        }
    }
    Ok(fitting)
}

/// Nobody wants the rest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwanted;

/// Sends the rows of one table after the other, some at a time.
pub struct RowSender {
    to: Sender<Parcel>,
    rows: Vec<CarriedRow>,
    byte_count: usize,
}

impl RowSender {
    /// Sends to that end.
    pub fn new(to: Sender<Parcel>) -> Self {
        Self {
            to,
            rows: Vec::new(),
            byte_count: 0,
        }
    }

    /// Begins a table.
    pub async fn begin(&mut self, table: CarriedTable) -> Result<(), Unwanted> {
        self.flush().await?;
        let sent = self.to.send(Parcel::Table(table)).await;
        sent.map_err(|_| Unwanted)
    }

    /// Sends a row of it.
    pub async fn row(&mut self, row: CarriedRow) -> Result<(), Unwanted> {
        let bytes = |cell: &CarriedCell| match cell {
            CarriedCell::Null | CarriedCell::Number(_) => 8,
            CarriedCell::Text(text) => text.len(),
            CarriedCell::Bytes(bytes) => bytes.len(),
        };
        self.byte_count += row.iter().map(bytes).sum::<usize>();
        self.rows.push(row);
        if self.rows.len() < ROWS_AT_ONCE && self.byte_count < BYTES_AT_ONCE {
            return Ok(());
        }
        self.flush().await
    }

    /// Says that this was all.
    pub async fn end(mut self) -> Result<(), Unwanted> {
        self.flush().await?;
        self.to.send(Parcel::End).await.map_err(|_| Unwanted)
    }

    async fn flush(&mut self) -> Result<(), Unwanted> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.byte_count = 0;
        let rows = std::mem::take(&mut self.rows);
        let sent = self.to.send(Parcel::Rows(rows)).await;
        sent.map_err(|_| Unwanted)
    }
}

/// The next of what arrives; none where that was all.
///
/// # Errors
/// Fails where the sender ended before its end.
pub async fn next_parcel(from: &mut Receiver<Parcel>) -> Result<Option<Parcel>, StoreError> {
    match from.recv().await {
        Some(Parcel::End) => Ok(None),
        Some(parcel) => Ok(Some(parcel)),
        None => Err(StoreError::Failed {
            cause: "the copy was cut off before its end".into(),
        }),
    }
}

/// The error of a store that is to take everything in and holds something already.
pub fn not_empty(table: &str) -> StoreError {
    StoreError::Failed {
        cause: format!("there is something in the table {table} already: name an empty place")
            .into(),
    }
}

/// The error of a store with a column of a kind that cannot go over.
pub fn unknown_kind(table: &str, column: &str, kind: &str) -> StoreError {
    StoreError::Failed {
        cause: format!(
            "the column {column} of {table} is of the kind {kind}, which cannot be carried"
        )
        .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[&str], own: Option<&str>) -> CarriedTable {
        CarriedTable {
            name: "tokens".to_owned(),
            columns: numbers(columns),
            own: own.map(str::to_owned),
            highest: None,
        }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    fn numbers(names: &[&str]) -> Vec<(String, CarriedKind)> {
        let names = words(names).into_iter();
        names.map(|name| (name, CarriedKind::Number)).collect()
    }

    #[test]
    fn a_table_comes_after_those_to_which_it_points() {
        let tables = vec![
            ("codes".to_owned(), words(&["factors"])),
            ("factors".to_owned(), words(&["accounts"])),
            ("accounts".to_owned(), words(&["accounts"])),
        ];
        assert_eq!(in_order(tables), ["accounts", "factors", "codes"]);
        let round = vec![
            ("one".to_owned(), words(&["two"])),
            ("two".to_owned(), words(&["one"])),
        ];
        assert_eq!(in_order(round), ["one", "two"]);
    }

    #[test]
    fn numbers_of_a_stores_own_may_be_missing_and_nothing_else() {
        let here = numbers(&["id", "digest", "label"]);
        let places = fitting(&table(&["label", "digest"], None), &here, Some("id"));
        let wanted = vec![("digest".to_owned(), 1), ("label".to_owned(), 0)];
        assert_eq!(places, Ok(wanted));
        let digest = numbers(&["digest"]);
        let places = fitting(&table(&["id", "digest"], Some("id")), &digest, None);
        assert_eq!(places, Ok(vec![("digest".to_owned(), 1)]));
        assert!(fitting(&table(&["digest", "label"], None), &digest, None).is_err());
        assert!(fitting(&table(&["label", "digest"], None), &here, None).is_err());
        let text = [("digest".to_owned(), CarriedKind::Text)];
        assert!(fitting(&table(&["digest"], None), &text, None).is_err());
    }

    #[tokio::test]
    async fn what_is_cut_off_is_not_taken_for_whole() {
        let (sender, mut receiver) = mpsc::channel(2);
        let mut rows = RowSender::new(sender);
        rows.begin(table(&["digest"], None)).await.unwrap();
        drop(rows);
        let head = Parcel::Table(table(&["digest"], None));
        assert_eq!(next_parcel(&mut receiver).await, Ok(Some(head)));
        assert!(next_parcel(&mut receiver).await.is_err());
    }
}
