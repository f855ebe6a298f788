//! Everything at once, into another store and back.

use std::collections::BTreeMap;

use tokio::sync::mpsc;

use crate::ports::{
    CarriedCell, CarriedKind, CarriedRow, CarriedTable, Parcel, StoreError, Whole, carry,
};

/// Every test of this file, with empty stores.
pub async fn whole(one: &dyn Whole, two: &dyn Whole, three: &dyn Whole) {
    plant(one).await;
    let planted = kept(one).await;
    assert!(planted.values().all(|(_, rows)| rows.len() == 1));
    let taken = carry(one, two).await.unwrap();
    assert_eq!(taken.row_count, planted.len() as u64);
    assert!(taken.left_behind.is_empty());
    assert_eq!(same(&planted, &kept(two).await), [""; 0]);
    // It is not mixed with what is there, and what is there stays.
    assert!(carry(one, two).await.is_err());
    assert_eq!(same(&planted, &kept(two).await), [""; 0]);
    what_is_cut_off_leaves_nothing(&planted, three).await;
    what_has_no_place_is_told(&planted, three).await;
}

async fn what_is_cut_off_leaves_nothing(planted: &KeptTables, store: &dyn Whole) {
    let (sender, receiver) = mpsc::channel(4);
    let (table, rows) = planted["accounts"].clone();
    sender.send(Parcel::Table(table)).await.unwrap();
    sender.send(Parcel::Rows(rows)).await.unwrap();
    drop(sender);
    let taken = store.take_all(receiver).await;
    assert!(matches!(taken, Err(StoreError::Failed { .. })), "{taken:?}");
    assert!(kept(store).await.values().all(|(_, rows)| rows.is_empty()));
}

async fn what_has_no_place_is_told(planted: &KeptTables, store: &dyn Whole) {
    let send = async |name: &str, column: &str| {
        let (sender, receiver) = mpsc::channel(4);
        let (mut table, rows) = planted["accounts"].clone();
        table.name = name.to_owned();
        column.clone_into(&mut table.columns.last_mut().unwrap().0);
        sender.send(Parcel::Table(table)).await.unwrap();
        sender.send(Parcel::Rows(rows)).await.unwrap();
        sender.send(Parcel::End).await.unwrap();
        store.take_all(receiver).await
    };
    let misfit = send("accounts", "shoe_size").await.unwrap_err();
    assert!(misfit.to_string().contains("shoe_size"), "{misfit}");
    let left = send("shoes", "size").await.unwrap().left_behind;
    assert_eq!(left, BTreeMap::from([("shoes".to_owned(), 1)]));
}

/// All tables of a store, and what is in them.
pub type KeptTables = BTreeMap<String, (CarriedTable, Vec<CarriedRow>)>;

/// Everything that a store would send.
pub async fn kept(store: &dyn Whole) -> KeptTables {
    let tables = sent(store).await.into_iter();
    tables
        .map(|(table, rows)| (table.name.clone(), (table, rows)))
        .collect()
}

/// The same, in the order in which it goes over.
async fn sent(store: &dyn Whole) -> Vec<(CarriedTable, Vec<CarriedRow>)> {
    let (sender, mut receiver) = mpsc::channel(1);
    let collecting = async {
        let mut tables: Vec<(CarriedTable, Vec<CarriedRow>)> = Vec::new();
        while let Some(parcel) = receiver.recv().await {
            match parcel {
                Parcel::Table(table) => tables.push((table, Vec::new())),
                Parcel::Rows(rows) => tables.last_mut().unwrap().1.extend(rows),
                Parcel::End => return tables,
            }
        }
        panic!("it ended before its end")
    };
    let (sent, tables) = tokio::join!(store.send_all(sender), collecting);
    sent.unwrap();
    tables
}

/// Each row by the names of its columns, but those by which one of the two stores numbers its rows and the other does not.
fn by_name(
    kept: &KeptTables,
    table: &str,
    other: &KeptTables,
) -> Vec<BTreeMap<String, CarriedCell>> {
    let (own, theirs) = (&kept[table], &other[table].0);
    let read = |row: &CarriedRow| {
        let cells = own.0.columns.iter().zip(row);
        let shared = cells.filter(|(column, _)| theirs.columns.contains(column));
        shared
            .map(|((name, _), cell)| (name.clone(), cell.clone()))
            .collect()
    };
    let mut rows: Vec<BTreeMap<String, CarriedCell>> = own.1.iter().map(read).collect();
    rows.sort();
    rows
}

/// Asserts that a store holds what the other held, and tells which tables it has no place for.
pub fn same(before: &KeptTables, after: &KeptTables) -> Vec<String> {
    let mut lacks = Vec::new();
    for table in before.keys() {
        if !after.contains_key(table) {
            lacks.push(table.clone());
            continue;
        }
        let (ours, theirs) = (by_name(before, table, after), by_name(after, table, before));
        assert_eq!(theirs, ours, "{table}");
    }
    lacks
}

/// Puts one row into each table of an empty store: ones wherever they fit, so that each row points at one that is there.
pub async fn plant(store: &dyn Whole) {
    let tables = sent(store).await;
    let (sender, receiver) = mpsc::channel(1);
    let planting = async move {
        for (table, _) in tables {
            let one = |(_, kind): &(String, CarriedKind)| match kind {
                CarriedKind::Number => CarriedCell::Number(1),
                CarriedKind::Text => CarriedCell::Text("one".to_owned()),
                CarriedKind::Bytes => CarriedCell::Bytes(b"one".to_vec()),
            };
            let row = table.columns.iter().map(one).collect();
            // Whoever takes nothing more says why.
            drop(sender.send(Parcel::Table(table)).await);
            drop(sender.send(Parcel::Rows(vec![row])).await);
        }
        drop(sender.send(Parcel::End).await);
    };
    let (taken, ()) = tokio::join!(store.take_all(receiver), planting);
    assert!(taken.unwrap().left_behind.is_empty());
}
