//! Texts and numbers, where the language's own methods could run away.

use starlark::values::UnpackValue;

use crate::errors::{fault, too_big};
use crate::measure::VALUES_A_STEP;
use crate::values::callable::{Args, Eval, Native, NativeResult};

use super::operators::{TEXT_MAX, too_long};
use super::play::show;

pub(crate) const NATIVES: &[Native] = &[
    ("says", says),
    ("replace", replace),
    ("join", join),
    ("sum", sum),
];

fn sum<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let mut sum = 0_i64;
    for item in args.list(0)? {
        let Ok(Some(int)) = i64::unpack_value(item) else {
            let text = "`sum` adds up whole numbers; for spans there is `total`";
            return Err(fault(text));
        };
        sum = sum.checked_add(int).ok_or_else(too_big)?;
    }
    args.give(sum)
}

/// How many bytes are taken apart for a step into words, each of which becomes a text of its own, twice.
const WORDS_BYTES_A_STEP: usize = 32;

fn says<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (text, phrase) = (args.text(0)?, args.text(1)?);
    args.frame
        .work((text.len() + phrase.len()) / WORDS_BYTES_A_STEP)?;
    let (text, phrase) = (words(text), words(phrase));
    // Each place may be looked at as far as the phrase goes.
    args.frame
        .work(text.len().saturating_mul(phrase.len()) / VALUES_A_STEP)?;
    args.give(says_so(&text, &phrase))
}

/// The words of a text, in small letters.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn says_so(text: &[String], phrase: &[String]) -> bool {
    phrase.is_empty() || text.windows(phrase.len()).any(|part| part == phrase)
}

fn replace<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (text, old, new) = (args.text(0)?, args.text(1)?, args.text(2)?);
    if old.is_empty() {
        return Err(fault("`replace` wants something to look for"));
    }
    let places = text.matches(old).count();
    if text.len() + places * new.len().saturating_sub(old.len()) > TEXT_MAX {
        return Err(too_long(&args.frame));
    }
    let made = text.replace(old, new);
    args.frame.charge(made.len())?;
    args.give(made)
}

fn join<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (sep, parts) = (args.text(0)?, args.list(1)?);
    args.frame.work(parts.len())?;
    let mut made = String::new();
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            made.push_str(sep);
        }
        match part.unpack_str() {
            Some(text) => made.push_str(text),
            None => made.push_str(&show(*part)),
        }
        if made.len() > TEXT_MAX {
            return Err(too_long(&args.frame));
        }
    }
    args.frame.charge(made.len())?;
    args.give(made)
}

#[cfg(test)]
mod tests {
    use super::{says_so, words};

    #[test]
    fn a_phrase_is_found_as_whole_words() {
        let says = |text: &str, phrase: &str| says_so(&words(text), &words(phrase));
        assert!(says("The Lemur-king rules.", "lemur"));
        assert!(says("a red  Lemur", "Red lemur"));
        assert!(!says("lemurs", "lemur"));
        assert!(says("lemurs", " "), "nothing is said by all");
    }
}
