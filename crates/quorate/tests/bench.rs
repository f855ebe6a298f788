//! Benches that play a game and serve it come to their end. How long anything takes is for people to judge.
#![cfg(unix)]

use std::process::Command;

use serde_json::Value as Json;

#[test]
fn the_first_look_at_twenty_years_reads_every_page_and_draws_a_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("years.svg");
    let mut bench = Command::new(env!("CARGO_BIN_EXE_quorate"));
    bench.args(["bench", "years", "--json", "--events", "40", "--picture"]);
    let done = bench.arg(&picture).output().expect("the program runs");
    let wrong = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{wrong}");
    let told: Json = serde_json::from_slice(&done.stdout).expect("it says so in JSON");
    let rows = told["rows"].as_array().expect("rows");
    let took = rows[0]["took"].as_array().expect("what was timed");
    assert_eq!((rows.len(), took.len()), (1, 10), "{told}");
    let picture = std::fs::read_to_string(&picture).expect("a picture");
    assert_eq!(picture.matches("<polyline").count(), 10);
}

#[test]
fn a_picture_that_cannot_be_written_is_refused_before_anything_is_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("nowhere/years.svg");
    let mut bench = Command::new(env!("CARGO_BIN_EXE_quorate"));
    bench.args(["bench", "years", "--picture"]);
    let done = bench.arg(&picture).output().expect("the program runs");
    assert!(!done.status.success());
    let wrong = String::from_utf8_lossy(&done.stderr);
    assert!(wrong.contains("nowhere/years.svg"), "{wrong}");
}

#[test]
fn every_page_and_two_rounds_of_votes_are_timed() {
    let mut bench = Command::new(env!("CARGO_BIN_EXE_quorate"));
    bench.args(["bench", "--json", "--seconds", "0", "--readers", "1"]);
    let done = bench.args(["--streams", "2"]).output();
    let done = done.expect("the program runs");
    let wrong = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{wrong}");
    let told: Json = serde_json::from_slice(&done.stdout).expect("it says so in JSON");
    let rows = told["rows"].as_array().expect("rows");
    // Five pages for strangers, seven for a player, and votes alone and beside streams.
    assert_eq!(rows.len(), 14, "{told}");
}
