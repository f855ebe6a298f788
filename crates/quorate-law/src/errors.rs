//! The language's errors: how ours become its own, and its own become words.

use starlark::ErrorKind;

/// An error of rule code, in words for its author.
pub(crate) fn fault(text: impl Into<String>) -> starlark::Error {
    starlark::Error::new_native(anyhow::Error::msg(text.into()))
}

/// A number, a span or a moment that is too large.
pub(crate) fn too_big() -> starlark::Error {
    fault("a number leaves 64 bits")
}

/// Whether a limit ended the run.
pub(crate) fn is_limit(error: &starlark::Error) -> bool {
    let text = error.without_diagnostic().to_string();
    matches!(error.kind(), ErrorKind::StackOverflow(_))
        || text.contains("ticks has been exceeded")
        || text.contains("Heap memory limit")
        || text.contains("recursion")
}

/// The language's own words, made ours where they would puzzle.
pub(crate) fn words(error: &starlark::Error) -> String {
    let text = error.without_diagnostic().to_string();
    let text = text.trim_start_matches("fail:").trim();
    if matches!(error.kind(), ErrorKind::StackOverflow(_)) {
        return "functions call each other without end".to_owned();
    }
    if text.contains("ticks has been exceeded") {
        return "the rule takes too many steps".to_owned();
    }
    if text.contains("Heap memory limit") {
        return "the rule uses too much memory".to_owned();
    }
    if text == "Immutable" {
        return "this list belongs to the game or to the law and cannot be changed in place: make a new one, or give its owner a name first (`p = …`, then `p.items += [x]`)".to_owned();
    }
    if let Some(rest) = text.strip_prefix("Local variable `")
        && let Some((name, _)) = rest.split_once('`')
    {
        return format!("`{name}` has no value yet here");
    }
    if text.contains("Multiple arguments bound") {
        return "an argument is given twice: by its place and by its name, or by its name two times".to_owned();
    }
    text.to_owned()
}
