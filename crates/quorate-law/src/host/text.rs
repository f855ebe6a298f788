//! Texts and numbers, where the language's own methods could run away.

use starlark::values::UnpackValue;

use crate::errors::{fault, too_big};
use crate::values::callable::{Args, Eval, Native, NativeResult};

use super::operators::{TEXT_MAX, too_long};
use super::play::show;

pub(crate) const NATIVES: &[Native] = &[
    ("says", |args, _| {
        let (text, phrase) = (args.text(0)?, args.text(1)?);
        // Every word becomes a text of its own, twice.
        args.frame.work((text.len() + phrase.len()) / 32)?;
        args.give(says_so(text, phrase))
    }),
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

fn says_so(text: &str, phrase: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let (text, phrase) = (words(text), words(phrase));
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
    use super::says_so;

    #[test]
    fn a_phrase_is_found_as_whole_words() {
        assert!(says_so("The Lemur-king rules.", "lemur"));
        assert!(says_so("a red  Lemur", "Red lemur"));
        assert!(!says_so("lemurs", "lemur"));
    }
}
