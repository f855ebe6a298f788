//! The tracker's comment line: dice and other random words in it are rolled, and the line is logged with the results.

use quorate_kernel::Refusal;
use quorate_kernel::event::NoteKind;
use quorate_law::stop::{Answer, Stop};

use crate::topics::dice;
use crate::tx::Tx;

/// A random word in a line.
#[derive(Clone, PartialEq, Debug)]
enum Word {
    /// So many dice of so many sides.
    Dice { count: u32, sides: u128 },
    /// One of the outcomes of a generator that the law declares.
    Draw(String),
}

impl Word {
    /// How often it throws.
    fn dice(&self) -> u32 {
        match self {
            Self::Dice { count, .. } => *count,
            Self::Draw(_) => 1,
        }
    }
}

/// The most dice of one line.
const DICE_MAX: u32 = 100;
/// The most digits that a die's sides may have.
const DIGITS_MAX: usize = 21;

/// Rolls what a line asks for.
pub(crate) fn roll(tx: &Tx, line: &str) -> Answer<()> {
    let generators = tx.law.generators.clone();
    let known = |word: &str| {
        generators
            .iter()
            .find(|generator| generator.it.answers_to(word))
            .map(|g| g.it.word.to_string())
    };
    let mut thrown = 0;
    let mut found = Vec::new();
    for text in words(line) {
        let Some(word) = parse(text, &known).map_err(Stop::refused)? else {
            continue;
        };
        thrown += word.dice();
        if thrown > DICE_MAX {
            return Err(Stop::refused(too_many(text)));
        }
        found.push((text, word));
    }
    let mut results = Vec::new();
    for (text, word) in found {
        match word {
            Word::Dice { count, sides } => {
                let by = tx.actor();
                let shown: Option<Vec<_>> = (0..count)
                    .map(|_| tx.deck().big_die(text, sides, by))
                    .collect();
                let Some(shown) = shown else {
                    return Err(Stop::fault("no dice are at hand here"));
                };
                let shown: Vec<String> = shown.iter().map(ToString::to_string).collect();
                results.push(format!("{text}: {}", shown.join(", ")));
            }
            Word::Draw(word) => {
                let generator = generators
                    .iter()
                    .find(|generator| generator.it.word == word.as_str());
                let outcomes = generator
                    .map(|generator| generator.it.outcomes.clone())
                    .unwrap_or_default();
                let index = dice::pick(tx, &word, outcomes.len(), None)?;
                results.push(format!("{text}: {}", outcomes[index]));
            }
        }
    }
    if results.is_empty() {
        return Err(Stop::no("a word such as DICE6 or 2DICE10 in the line"));
    }
    tx.say(NoteKind::Said, results.join("; "));
    Ok(())
}

/// The words of a line: letters and digits, and the minus of a die with fewer than no sides. A number that goes before dice
/// with more than digits, such as `-2` or `1.5`, counts no dice: its word is none.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        while is_part_of_number(&line[..line.len() - rest.len()], rest) {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
            rest = &rest[end.unwrap_or(rest.len())..];
            rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        }
        let is_part = |c: char| c.is_ascii_alphanumeric();
        let mut end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if let Some(below) = rest[end..].strip_prefix('-')
            && rest[..end].ends_with("DICE")
            && below.starts_with(|c: char| c.is_ascii_digit())
        {
            end += 1 + below.find(|c| !is_part(c)).unwrap_or(below.len());
        }
        let (word, later) = rest.split_at(end);
        rest = later;
        (!word.is_empty()).then_some(word)
    })
}

/// Whether a word that begins with digits is only the end of a number: of one below 0, or of one with a fraction.
fn is_part_of_number(before: &str, word: &str) -> bool {
    let mut before = before.chars().rev();
    let (last, one_before) = (before.next(), before.next());
    let follows_digit = one_before.is_some_and(|c| c.is_ascii_digit());
    word.starts_with(|c: char| c.is_ascii_digit())
        && match last {
            // Between words it is a dash: `roll-2DICE6`.
            Some('-' | '−') => !one_before.is_some_and(char::is_alphanumeric),
            Some('.' | ',') => follows_digit,
            _ => false,
        }
}

/// Why a line throws too often, and the word with which it does.
fn too_many(text: &str) -> Refusal {
    Refusal::plain("at most 100 dice in one line").having(text)
}

/// Reads one word of a line: `DICE6`, `2DICE10`, or a generator's.
fn parse(text: &str, known: &dyn Fn(&str) -> Option<String>) -> Result<Option<Word>, Refusal> {
    if let Some(word) = known(text) {
        return Ok(Some(Word::Draw(word)));
    }
    let Some((count, sides)) = text.split_once("DICE") else {
        return Ok(None);
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    // A die with fewer than no sides shows what one without sides shows.
    let sides = match sides.strip_prefix('-') {
        Some(below) if !below.is_empty() && digits(below) => "0",
        _ => sides,
    };
    if sides.is_empty() || !digits(sides) || !digits(count) {
        return Ok(None);
    }
    if sides.len() > DIGITS_MAX {
        let have = format!("{} digits", sides.len());
        return Err(Refusal::plain("a die of at most 21 digits").having(have));
    }
    let count: u32 = if count.is_empty() {
        1
    } else {
        count.parse().unwrap_or(u32::MAX)
    };
    if count > DICE_MAX {
        return Err(too_many(text));
    }
    let sides = sides.parse().expect("21 digits fit 128 bits");
    Ok(Some(Word::Dice { count, sides }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_words_are_read_and_others_left_alone() {
        let none = |_: &str| None;
        assert_eq!(
            parse("DICE6", &none),
            Ok(Some(Word::Dice { count: 1, sides: 6 }))
        );
        assert_eq!(
            parse("2DICE10", &none),
            Ok(Some(Word::Dice {
                count: 2,
                sides: 10
            }))
        );
        assert_eq!(
            parse("DICE0", &none),
            Ok(Some(Word::Dice { count: 1, sides: 0 }))
        );
        assert_eq!(parse("DICE", &none), Ok(None));
        assert_eq!(parse("dice6", &none), Ok(None));
        assert!(
            parse("DICE1000000000000000000000", &none).is_err(),
            "22 digits"
        );
        assert!(
            parse("DICE999999999999999999999", &none).is_ok(),
            "21 digits"
        );
        assert!(parse("101DICE6", &none).is_err());
    }

    #[test]
    fn a_negative_number_or_a_fraction_counts_no_dice() {
        let none = |_: &str| None;
        let dice = |line: &str| -> Vec<String> {
            let is_dice = |word: &&str| parse(word, &none).is_ok_and(|word| word.is_some());
            words(line).filter(is_dice).map(str::to_owned).collect()
        };
        for line in ["-2DICE6", "at -2DICE6", "−2DICE6", "1.5DICE6", "1,5DICE6"] {
            assert!(dice(line).is_empty(), "{line}");
        }
        assert_eq!(dice("roll-2DICE6"), ["2DICE6"]);
        assert_eq!(dice("-2DICE6 and 3DICE4"), ["3DICE4"]);
        assert_eq!(dice("first, 2DICE6. 3DICE4"), ["2DICE6", "3DICE4"]);
        assert_eq!(dice("DICE6-DICE4"), ["DICE6", "DICE4"]);
    }

    #[test]
    fn a_die_below_no_sides_is_read_whole_and_shows_nothing() {
        let read: Vec<&str> = words("roll-DICE6, DICE-3; 2DICE-10-DICE4 DICE- 5").collect();
        assert_eq!(
            read,
            ["roll", "DICE6", "DICE-3", "2DICE-10", "DICE4", "DICE", "5"]
        );
        assert_eq!(
            parse("DICE-3", &|_| None),
            Ok(Some(Word::Dice { count: 1, sides: 0 }))
        );
    }
}
