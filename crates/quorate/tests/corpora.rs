//! What fuzzers begin with and what they found, run by the stable compiler, each text as it is and in forms that chance makes of
//! it. `QUORATE_SEED` says which chance, `QUORATE_FUZZ_ROUNDS` how many forms of each, `QUORATE_FUZZ` what alone.

#[path = "../../../fuzz/targets.rs"]
mod targets;

use std::env;
use std::fs;
use std::path::Path;

/// A target: its name and what takes the bytes.
type Target = (&'static str, fn(&[u8]));

const TARGETS: [Target; 7] = [
    ("rule", targets::rule),
    ("wire", targets::wire),
    ("event", targets::event),
    ("archive", targets::archive),
    ("import", targets::import),
    ("markup", targets::markup),
    ("command", targets::command),
];

/// How many forms of each text are tried.
const ROUNDS: u64 = 20;

/// Pieces that readers of texts take for something.
const PIECES: [&str; 16] = [
    "\n",
    " ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "```",
    "|",
    "{{",
    "<a>",
    ":for:",
    "99999999999999999999",
    "\u{202e}",
];

/// A small generator of chance, the same everywhere (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a bound, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("it is below one that fits")
    }
}

/// Another form of a text: bytes are turned, taken out, doubled, or put in from elsewhere.
fn changed(text: &[u8], other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut out = text.to_vec();
    for _ in 0..=chance.below(4) {
        let at = chance.below(out.len() + 1);
        let to = at + chance.below(out.len() - at + 1).min(64);
        match chance.below(6) {
            0 if at < out.len() => out[at] ^= 1 << chance.below(8),
            1 => drop(out.drain(at..to)),
            2 => {
                let part = out[at..to].to_vec();
                out.splice(at..at, part.repeat(1 + chance.below(20)));
            }
            3 => {
                let piece = PIECES[chance.below(PIECES.len())];
                out.splice(at..at, piece.bytes());
            }
            4 if !other.is_empty() => {
                let from = chance.below(other.len());
                out.splice(at..to, other[from..].iter().copied().take(200));
            }
            _ => out.truncate(at.max(1)),
        }
    }
    out
}

fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name).map_or(otherwise, |word| {
        word.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {word}"))
    })
}

/// The texts of a target, by name.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let read = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, fs::read(entry.path()).expect("it can be read"))
    };
    let mut texts: Vec<_> = entries
        .map(|entry| read(entry.expect("an entry")))
        .collect();
    texts.sort();
    texts
}

fn replayed(name: &str) {
    let (_, target) = TARGETS
        .iter()
        .find(|(known, _)| *known == name)
        .expect("a target");
    if env::var("QUORATE_FUZZ").is_ok_and(|alone| alone != name) {
        return;
    }
    let (seed, rounds) = (
        number("QUORATE_SEED", 1),
        number("QUORATE_FUZZ_ROUNDS", ROUNDS),
    );
    let texts = corpus(name);
    assert!(texts.len() >= 3, "{name} has {} texts", texts.len());
    for (nth, (file, text)) in texts.iter().enumerate() {
        target(text);
        let mut chance = Chance(seed ^ ((nth as u64) << 32));
        for round in 0..rounds {
            let other = &texts[chance.below(texts.len())].1;
            let form = changed(text, other, &mut chance);
            let run = std::panic::catch_unwind(|| target(&form));
            assert!(
                run.is_ok(),
                "{file}, round {round}, seed {seed}: {:?}",
                String::from_utf8_lossy(&form)
            );
        }
    }
}

/// A test for each target, so that they run beside one another.
macro_rules! replays {
    ($($test:ident: $target:literal;)+) => {$(
        #[test]
        fn $test() {
            replayed($target);
        }
    )+};
}

replays! {
    rules_of_strangers_are_read_without_harm: "rule";
    frames_of_strangers_are_read_without_harm: "wire";
    events_of_strangers_are_read_without_harm: "event";
    archives_of_strangers_are_read_without_harm: "archive";
    rulesets_of_strangers_are_read_without_harm: "import";
    comments_of_strangers_are_read_without_harm: "markup";
    commands_of_strangers_are_read_without_harm: "command";
}
