//! Texts, where the language's own methods could run away.

use starlark::eval::Evaluator;
use starlark::values::Value;

use crate::host::guards::{TEXT_MAX, too_long};
use crate::values::callable::{Args, Native};

type Result<'v> = starlark::Result<Value<'v>>;
type Eval<'v, 'a, 'e> = Evaluator<'v, 'a, 'e>;

#[rustfmt::skip]
pub(crate) fn natives() -> Vec<Native> {
    vec![
        Native { signature: "says(text: str, phrase: str) -> bool", run: says, doc: "Whether a text contains a phrase as whole words, in any case of letters." },
        Native { signature: "replace(text: str, old: str, new: str) -> str", run: replace, doc: "A text with each `old` replaced." },
        Native { signature: "join(sep: str, parts: list) -> str", run: join, doc: "Texts put together with `sep` between them." },
    ]
}

fn says<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(Value::new_bool(says_so(args.text(0)?, args.text(1)?)))
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

fn replace<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (text, old, new) = (args.text(0)?, args.text(1)?, args.text(2)?);
    if old.is_empty() {
        return Err(crate::frame::fault("`replace` wants something to look for"));
    }
    let places = text.matches(old).count();
    if text.len() + places * new.len().saturating_sub(old.len()) > TEXT_MAX {
        return Err(too_long(&args.frame));
    }
    let made = text.replace(old, new);
    args.frame.charge(made.len())?;
    Ok(args.heap.alloc(made))
}

fn join<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (sep, parts) = (args.text(0)?, args.list(1)?);
    let mut made = String::new();
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            made.push_str(sep);
        }
        match part.unpack_str() {
            Some(text) => made.push_str(text),
            None => made.push_str(&super::bodies::show(*part)),
        }
        if made.len() > TEXT_MAX {
            return Err(too_long(&args.frame));
        }
    }
    args.frame.charge(made.len())?;
    Ok(args.heap.alloc(made))
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
