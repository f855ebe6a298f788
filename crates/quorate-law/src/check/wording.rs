//! The language's own messages, said so that a rule's author knows what to do.

use crate::diagnostic::{CodeFault, did_you_mean};
use crate::interface::instead;
use crate::signature::SIGNATURES;

/// A parser's finding.
pub(crate) fn of_parser(text: &str, offset: u32) -> CodeFault {
    let text = text.trim_start_matches("Parse error: ");
    let fault = |words: String, help: &str| CodeFault::new(offset, words).help(help);
    if let Some(word) = between(text, "cannot use reserved keyword `", "`") {
        return fault(
            format!("`{word}` is not offered to rules"),
            instead_of(word),
        );
    }
    if let Some(word) = between(text, "`", "` is not allowed in this dialect") {
        return fault(
            format!("`{word}` is not offered to rules"),
            instead_of(word),
        );
    }
    if let Some(word) = between(text, "`", "` cannot be used outside `def`") {
        return fault(
            format!("`{word}` cannot stand at the top level of a rule"),
            "put it into a function: at the top level stand functions, assignments and declarations",
        );
    }
    if text.contains("tabs are not allowed") {
        return fault(
            "code is not indented by tabs".to_owned(),
            "indent by four spaces",
        );
    }
    if text.contains("unfinished string literal") {
        return fault(
            "this text has no end".to_owned(),
            "close it on the same line with the mark that it begins with, or write \"\"\" at both its ends",
        );
    }
    if let Some(sign) = between(text, "invalid input `", "`") {
        return fault(
            strange(sign),
            "names are written with the letters a to z, digits and underscores",
        );
    }
    match text.split_once(", expected ") {
        Some((found, wanted)) => expected(offset, found, wanted),
        None => CodeFault::new(offset, text),
    }
}

fn expected(offset: u32, found: &str, wanted: &str) -> CodeFault {
    let (found, wanted) = (sign(found), sign(wanted));
    let text = format!("here stands {found}, and {wanted} was expected");
    let fault = CodeFault::new(offset, text);
    match (found.as_str(), wanted.as_str()) {
        ("`=`", _) => fault.help("two equals signs compare: `==`"),
        (LINE_END, "`:`") => fault.help("end the line with `:`"),
        (_, "`)`" | "`]`" | "`}`" | "`,`") => {
            fault.help("a bracket is open here: close it, or put a comma between its parts")
        }
        _ => fault,
    }
}

/// How the end of a line is called.
const LINE_END: &str = "the end of the line";

/// What the parser calls `symbol ':'`, `identifier 'souls'` or `new line`.
fn sign(words: &str) -> String {
    let words = words.trim_start_matches("unexpected ");
    if words.starts_with("new line") {
        return LINE_END.to_owned();
    }
    between(words, "'", "'").map_or_else(|| words.to_owned(), |sign| format!("`{sign}`"))
}

/// What to write where the language or the house has no such word.
fn instead_of(word: &str) -> &'static str {
    instead("word", word).unwrap_or("it is a word of the language: choose another")
}

/// A character that code does not hold, by its number where it could be taken for another.
pub(crate) fn strange(sign: &str) -> String {
    match sign.chars().next() {
        Some(letter) if !letter.is_ascii() => {
            let number = u32::from(letter);
            format!("`{letter}` (U+{number:04X}) cannot stand in a name, whatever it looks like")
        }
        _ => format!("`{sign}` has no meaning here"),
    }
}

/// What was wrong with a call, found as it ran.
pub(crate) fn of_call(text: &str) -> Option<(String, String)> {
    if let Some(rest) = text.strip_prefix("Value `")
        && let Some((value, rest)) = rest.split_once("` of type `")
    {
        let got = rest.split('`').next()?;
        let wanted = between(rest, "annotation `", "`")?;
        let name = between(rest, "argument `", "`")?;
        let text = format!("`{name}` should be {wanted}, and `{value}` is {got}");
        return Some((text, String::new()));
    }
    if let Some(rest) = text.strip_prefix("Found `") {
        let (names, callee) = rest.split_once("` extra named parameter(s) for call to ")?;
        let callee = bare(callee);
        let name = names.split(['`', ' ', ',']).next().unwrap_or(names);
        let help = parameters(callee, name);
        return Some((format!("`{callee}` has no argument `{name}`"), help));
    }
    if let Some(rest) = text.strip_prefix("Missing ") {
        let name = between(rest, "parameter `", "`")?;
        let callee = bare(rest.rsplit("for call to ").next()?);
        let help = parameters(callee, name);
        return Some((
            format!("the argument `{name}` of `{callee}` is missing"),
            help,
        ));
    }
    let rest = text.strip_prefix("Found ")?;
    let (count, callee) = rest.split_once(" extra positional argument(s) for call to ")?;
    let callee = bare(callee);
    let help = parameters(callee, "");
    Some((format!("`{callee}` is given {count} too many"), help))
}

/// What a function of the library takes, with the likeliest name that was meant.
fn parameters(callee: &str, word: &str) -> String {
    let Some(signature) = SIGNATURES.get(callee) else {
        return String::new();
    };
    let all = signature.positional.iter().chain(&signature.named);
    let names: Vec<&str> = all.map(|param| param.name.as_str()).collect();
    match did_you_mean(word, names.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("it takes: {}", names.join(", ")),
    }
}

/// A function's name as its author knows it.
fn bare(callee: &str) -> &str {
    let callee = callee.trim().trim_matches('`');
    callee.trim_start_matches("law.")
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_that_looks_like_another_is_told_by_its_number() {
        assert_eq!(
            strange("\u{430}"),
            "`\u{430}` (U+0430) cannot stand in a name, whatever it looks like"
        );
    }

    #[test]
    fn what_a_call_lacks_or_has_too_much_is_named() {
        let told = |text| of_call(text).unwrap();
        let (text, help) = told("Found `maxx` extra named parameter(s) for call to number");
        assert_eq!(text, "`number` has no argument `maxx`");
        assert_eq!(help, "did you mean `max`?");
        let (text, _) = told("Missing parameter `of` for call to number");
        assert_eq!(text, "the argument `of` of `number` is missing");
        assert_eq!(of_call("the cow is on the ice"), None);
    }
}
