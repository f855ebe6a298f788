//! What clients saw, held against the logs: was anything lost, kept twice, or seen that was not there?
//!
//! Every step of every client has its place in one line of steps, by a count that all share. What ended before
//! something else began must show in it.

use std::collections::{BTreeMap, HashMap};

/// Which game.
pub(crate) type Game = &'static str;

/// Something that a client did, from its beginning to its end in the line of steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    /// Who.
    pub(crate) client: usize,
    /// To which game.
    pub(crate) game: Game,
    /// When it began.
    pub(crate) began: u64,
    /// When it ended.
    pub(crate) ended: u64,
    /// What it was.
    pub(crate) what: What,
}

/// What a client did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// A command of that key was acknowledged as that event.
    Kept { key: String, seq: u64 },
    /// A command of that key was never answered, and may be there or not.
    Unknown { key: String },
    /// The end of the log, as a reader saw it.
    Seen { seq: u64, hash: String },
}

/// A log: of each event its key and its hash.
pub(crate) type Log = Vec<(String, String)>;

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// An acknowledged command is not in the log, or not where it was said to be.
    Lost { key: String, seq: u64 },
    /// A command is there more than once.
    Twice { key: String, seqs: Vec<u64> },
    /// A reader saw an event that the log does not have there: there were two logs.
    Forked { game: Game, seq: u64 },
    /// Something began when an event was known to be there, and did not see it.
    Stale { game: Game, seq: u64, known: u64 },
}

/// Everything that is wrong.
pub(crate) fn faults(steps: &[Step], logs: &BTreeMap<Game, Log>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (game, log) in logs {
        let own: Vec<&Step> = steps.iter().filter(|step| step.game == *game).collect();
        faults.extend(twice(log, &own));
        faults.extend(own.iter().filter_map(|step| misplaced(step, log)));
        faults.extend(stale(game, &own));
    }
    faults
}

/// Keys of clients that are there more than once.
fn twice(log: &Log, own: &[&Step]) -> Vec<Fault> {
    let mut places: HashMap<&str, Vec<u64>> = HashMap::new();
    for (seq, (key, _)) in (1..).zip(log) {
        places.entry(key).or_default().push(seq);
    }
    let keys = own.iter().filter_map(|step| match &step.what {
        What::Kept { key, .. } | What::Unknown { key } => Some(key),
        What::Seen { .. } => None,
    });
    let several = keys.filter_map(|key| {
        let seqs = places.get(key.as_str())?;
        (seqs.len() > 1).then(|| Fault::Twice {
            key: key.clone(),
            seqs: seqs.clone(),
        })
    });
    several.collect()
}

/// An event that is not where a client was told or saw that it is.
fn misplaced(step: &Step, log: &Log) -> Option<Fault> {
    let at = |seq: u64| log.get(usize::try_from(seq.checked_sub(1)?).ok()?);
    match &step.what {
        What::Kept { key, seq } => {
            let is_there = at(*seq).is_some_and(|(there, _)| there == key);
            let key = key.clone();
            (!is_there).then_some(Fault::Lost { key, seq: *seq })
        }
        What::Seen { seq, hash } => {
            let is_there = at(*seq).is_some_and(|(_, there)| there == hash);
            let game = step.game;
            (!is_there).then_some(Fault::Forked { game, seq: *seq })
        }
        What::Unknown { .. } => None,
    }
}

/// Steps that do not know of what ended before they began. A command comes later in the log than all that was known
/// when it was sent, so the order of each client holds too.
fn stale(game: Game, own: &[&Step]) -> Vec<Fault> {
    let reached = |step: &Step| match &step.what {
        What::Kept { seq, .. } | What::Seen { seq, .. } => Some(*seq),
        What::Unknown { .. } => None,
    };
    let mut ends: Vec<(u64, u64)> = own
        .iter()
        .filter_map(|step| Some((step.ended, reached(step)?)))
        .collect();
    ends.sort_unstable();
    let mut highest = 0;
    for (_, seq) in &mut ends {
        highest = highest.max(*seq);
        *seq = highest;
    }
    let found = own.iter().filter_map(|step| {
        let seq = reached(step)?;
        let before = ends.partition_point(|(ended, _)| *ended < step.began);
        let (_, known) = ends.get(before.checked_sub(1)?)?;
        let is_stale = match step.what {
            What::Kept { .. } => seq <= *known,
            What::Seen { .. } | What::Unknown { .. } => seq < *known,
        };
        let known = *known;
        is_stale.then_some(Fault::Stale { game, seq, known })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: Game = "reef";

    fn step(client: usize, began: u64, ended: u64, what: What) -> Step {
        Step {
            client,
            game: GAME,
            began,
            ended,
            what,
        }
    }

    fn kept(key: &str, seq: u64) -> What {
        What::Kept {
            key: key.to_owned(),
            seq,
        }
    }

    fn seen(seq: u64) -> What {
        What::Seen {
            seq,
            hash: format!("hash {seq}"),
        }
    }

    /// A log of those keys after the founding.
    fn logs(keys: &[&str]) -> BTreeMap<Game, Log> {
        let keys = std::iter::once(&"found").chain(keys);
        let log = (1..)
            .zip(keys)
            .map(|(seq, key): (u64, &&str)| ((*key).to_owned(), format!("hash {seq}")));
        BTreeMap::from([(GAME, log.collect())])
    }

    /// Two clients that write and read by turns, and one command that was never answered.
    fn history() -> Vec<Step> {
        vec![
            step(0, 1, 2, kept("a 1", 2)),
            step(1, 3, 4, seen(2)),
            step(1, 5, 8, kept("b 1", 3)),
            step(0, 6, 7, seen(3)),
            step(
                0,
                9,
                12,
                What::Unknown {
                    key: "a 2".to_owned(),
                },
            ),
            step(1, 10, 11, seen(4)),
        ]
    }

    #[test]
    fn a_good_history_has_no_fault() {
        assert_eq!(faults(&history(), &logs(&["a 1", "b 1", "a 2"])), []);
    }

    #[test]
    fn a_lost_append_is_found() {
        let mut steps = history();
        steps.truncate(3);
        let key = "b 1".to_owned();
        assert_eq!(
            faults(&steps, &logs(&["a 1"])),
            [Fault::Lost { key, seq: 3 }]
        );
    }

    #[test]
    fn a_command_that_was_kept_twice_is_found() {
        let found = faults(&history(), &logs(&["a 1", "b 1", "a 2", "a 2"]));
        let key = "a 2".to_owned();
        let seqs = vec![4, 5];
        assert_eq!(found, [Fault::Twice { key, seqs }]);
    }

    #[test]
    fn a_second_writer_is_found() {
        let mut steps = history();
        // Somebody saw, and somebody was told of, an event of another log.
        let hash = "another hash 3".to_owned();
        steps.push(step(2, 6, 7, What::Seen { seq: 3, hash }));
        steps.push(step(2, 5, 13, kept("c 1", 4)));
        let key = "c 1".to_owned();
        assert_eq!(
            faults(&steps, &logs(&["a 1", "b 1", "a 2"])),
            [
                Fault::Forked { game: GAME, seq: 3 },
                Fault::Lost { key, seq: 4 }
            ]
        );
    }

    #[test]
    fn a_stale_read_is_found() {
        let mut steps = history();
        steps.push(step(2, 9, 10, seen(2)));
        let stale = Fault::Stale {
            game: GAME,
            seq: 2,
            known: 3,
        };
        assert_eq!(faults(&steps, &logs(&["a 1", "b 1", "a 2"])), [stale]);
    }

    #[test]
    fn a_command_before_what_its_sender_knew_is_found() {
        let steps = [step(0, 1, 2, kept("a 1", 3)), step(0, 3, 4, kept("a 2", 2))];
        let stale = Fault::Stale {
            game: GAME,
            seq: 2,
            known: 3,
        };
        assert_eq!(faults(&steps, &logs(&["a 2", "a 1"])), [stale]);
    }
}
