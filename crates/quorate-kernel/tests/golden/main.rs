//! The stored form of events holds still: what a release wrote is read by every later one, and to the same event.
//!
//! `version-1.txt` has a line for the open part of each event and one for each thing that lies beside it. Nothing that
//! stands there is ever changed. What a later version writes goes into a file of its own: `version-2.txt`.

mod samples;

use std::collections::BTreeMap;

use quorate_kernel::command::{Act, Actor};
use quorate_kernel::digest::Digest;
use quorate_kernel::effect::{Effect, Way};
use quorate_kernel::event::{Event, NoteKind, Outcome};
use quorate_kernel::patch::Clause;
use quorate_kernel::record::{self, EncodedRecord};
use quorate_kernel::rows::DueKey;
use quorate_kernel::seal::SealBytes;
use quorate_kernel::{Thing, Value};

const VERSION_1: &str = include_str!("version-1.txt");
const VERSION_2: &str = include_str!("version-2.txt");

/// The records of a golden file, by their names.
fn golden(file: &str) -> BTreeMap<&str, EncodedRecord> {
    let mut records: BTreeMap<&str, EncodedRecord> = BTreeMap::new();
    for line in file.lines() {
        let (name, rest) = line.split_once(' ').expect("a name");
        let record = records.entry(name).or_insert_with(|| EncodedRecord {
            open: Vec::new(),
            seals: Vec::new(),
        });
        match rest.split_once(' ').expect("a kind") {
            ("open", hex) => record.open = bytes(hex),
            ("seal", hex) => {
                let all = bytes(hex);
                record.seals.push(SealBytes {
                    digest: Digest(all[..32].try_into().expect("32 bytes")),
                    salt: all[32..48].try_into().expect("16 bytes"),
                    bytes: all[48..].to_vec(),
                });
            }
            other => panic!("{other:?} is no kind of line"),
        }
    }
    records
}

/// A record as lines of a golden file.
fn lines(name: &str, record: &EncodedRecord) -> String {
    let mut lines = format!("{name} open {}\n", hex(&record.open));
    for seal in &record.seals {
        let all = [&seal.digest.0[..], &seal.salt, &seal.bytes].concat();
        lines.extend([name, " seal ", &hex(&all), "\n"]);
    }
    lines
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    let digits = bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    digits.collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex digits");
    (0..hex.len()).step_by(2).map(byte).collect()
}

fn are_read(golden: &BTreeMap<&str, EncodedRecord>, samples: Vec<(String, Event)>) {
    for (name, event) in samples {
        let record = &golden[name.as_str()];
        let mut read = record::decode(&record.open).expect("a golden event");
        let missing = record::restore(&mut read, &|digest| {
            record.seals.iter().find(|s| s.digest == digest).cloned()
        });
        assert_eq!(missing, [], "{name}");
        assert_eq!(read, event, "{name}");
        // Two seals are equal by their digests; in this form they show their contents.
        assert_eq!(format!("{read:?}"), format!("{event:?}"), "{name}");
    }
}

fn are_written(golden: &BTreeMap<&str, EncodedRecord>, samples: Vec<(String, Event)>) {
    let mut missing = String::new();
    for (name, event) in samples {
        let record = record::encode(&event);
        match golden.get(name.as_str()) {
            Some(golden) => assert_eq!(&record, golden, "{name} is written otherwise"),
            None => missing += &lines(&name, &record),
        }
    }
    assert!(missing.is_empty(), "the golden file lacks\n{missing}");
}

#[test]
fn events_of_version_1_are_read() {
    are_read(&golden(VERSION_1), samples::events());
}

#[test]
fn events_are_written_as_version_1() {
    are_written(&golden(VERSION_1), samples::events());
}

#[test]
fn events_of_version_2_are_read() {
    are_read(&golden(VERSION_2), samples::events_of_2());
}

#[test]
fn what_version_1_cannot_hold_is_written_as_version_2() {
    are_written(&golden(VERSION_2), samples::events_of_2());
    for (name, event) in samples::events_of_2() {
        assert_eq!(record::encode(&event).open[0], 2, "{name}");
    }
}

#[test]
fn the_digest_that_votes_are_tied_to_stays() {
    let digest = "ed66c692c7751dda21b30e2628c3d3bce19e537a51c1505b6c85bd30bb05c8d4";
    assert_eq!(samples::patch_digest().to_string(), digest);
}

/// Checks that each variant is among the samples. A variant that is not listed here does not compile.
macro_rules! has_each {
    ($samples:expr, $type:ident: $($variant:ident)+) => {{
        let named = |sample: &$type| match sample {
            $($type::$variant { .. } => stringify!($variant),)+
        };
        let have: Vec<_> = $samples.iter().map(named).collect();
        for variant in [$(stringify!($variant)),+] {
            assert!(have.contains(&variant), "no sample of {variant}");
        }
    }};
}

#[test]
fn there_is_a_sample_of_everything() {
    has_each!(samples::acts(), Act: Found Apply Leave Do Answer Abandon Decide Post EditPost Recategorise Withdraw
        Comment Message Claim Dispute Undo Dice Wake Due Downtime Repair Sleep);
    has_each!(samples::effects(), Effect: About Person Cell Line Entity Post Comment Message Section Rule Term Page Use
        Clock Due Duty Open Waiting Claim Dynasty Breaks Archived Commitment);
    has_each!(samples::all_clauses(), Clause: AddRule AmendRule RenameRule MoveRule RepealRule SwitchRule SetValue AddToValue
        CreateThing RemoveThing SetTerm RenamePlayer RemovePlayer SetPage SetStatus Strike Script Prose When
        ChangeEdition);
    has_each!(samples::values(), Value: None Flag Int Word Text Moment Span Square Thing List Hidden Picture);
    has_each!(samples::things(), Thing: Game Player Entity Post Comment Row Rule);
    has_each!(samples::due_keys(), DueKey: Automatic Recheck Duty Open Claim);
    has_each!(samples::outcomes(), Outcome: Done Opened Refused Lapsed);
    has_each!(samples::actors(), Actor: Player Newcomer Game Operator Hidden);
    let kinds: Vec<_> = samples::notes().iter().map(|note| note.kind).collect();
    has_each!(kinds, NoteKind: Said Broke Held Skipped);
    let steps: Vec<_> = samples::events()
        .into_iter()
        .flat_map(|(_, event)| event.steps)
        .collect();
    let ways: Vec<_> = steps.iter().map(|step| step.way).collect();
    has_each!(ways, Way: Set Add Put Take);
}
