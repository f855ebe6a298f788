//! The contract of every store, kept by the SQLite file.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use quorate_runtime::testing::contract;
use quorate_store::{Store, StoreOptions};
use tempfile::TempDir;

/// A fresh store, and the folder that goes with it.
async fn fresh() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), StoreOptions::default())
        .await
        .unwrap();
    (folder, store)
}

#[tokio::test]
async fn the_file_keeps_the_contract_of_the_journal() {
    let (_folder, store) = fresh().await;
    contract::journal(&store).await;
    store.check().await.unwrap();
}

#[tokio::test]
async fn the_file_keeps_the_contract_of_seals() {
    let (_folder, store) = fresh().await;
    contract::seals(&store).await;
}

#[tokio::test]
async fn the_file_keeps_the_contract_of_accounts() {
    let (_folder, store) = fresh().await;
    contract::accounts(&store).await;
}

#[tokio::test]
async fn the_file_keeps_the_contract_of_the_outbox() {
    let (_folder, store) = fresh().await;
    quorate_notices::testing::outbox(&store, &store).await;
}

#[tokio::test]
async fn the_file_keeps_the_contract_of_safety() {
    let (_folder, store) = fresh().await;
    contract::safety(&store).await;
}

#[tokio::test]
async fn the_file_keeps_the_contract_of_moderation() {
    let (_folder, store) = fresh().await;
    contract::moderation(&store).await;
}

#[tokio::test]
async fn the_file_keeps_the_contract_of_search() {
    let (_folder, store) = fresh().await;
    contract::search(&store).await;
    store.check().await.unwrap();
}

#[tokio::test]
async fn the_file_keeps_the_contract_of_drafts() {
    let (_folder, store) = fresh().await;
    contract::drafts(&store).await;
}

#[tokio::test]
async fn the_file_keeps_the_contract_of_uploads() {
    let (_folder, store) = fresh().await;
    contract::uploads(&store, &store).await;
}

#[tokio::test]
async fn the_file_keeps_the_contract_of_archives() {
    let (_folder, store) = fresh().await;
    contract::archives(&store).await;
}

#[tokio::test]
async fn the_file_goes_whole_into_another() {
    let (_one, one) = fresh().await;
    let (_two, two) = fresh().await;
    let (_three, three) = fresh().await;
    contract::whole(&one, &two, &three).await;
    two.check().await.unwrap();
}
