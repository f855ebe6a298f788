//! The words that a ruleset has for its players and for who leads them, where it says so in the sentences that rulesets of
//! the tradition begin with.

/// What players are called: "all Hordes shall obey it".
pub(super) fn player(prose: &str) -> (String, String) {
    let many = between(
        prose,
        "; all ",
        &[" shall obey", " must obey", " should obey"],
    );
    match many {
        Some(many) => (singular(&many), many),
        None => ("Player".to_owned(), "Players".to_owned()),
    }
}

/// What the leader of a dynasty is called: "headed by a single Horde, known as the Overlord".
pub(super) fn emperor(prose: &str) -> (String, String) {
    let known = between(prose, ", known as the ", &[",", ".", " and "]);
    let has = between(prose, "Each Dynasty has a single ", &[" ", ",", "."]);
    match known.or(has) {
        Some(one) => {
            let many = format!("{one}s");
            (one, many)
        }
        None => ("Emperor".to_owned(), "Emperors".to_owned()),
    }
}

fn between(prose: &str, before: &str, after: &[&str]) -> Option<String> {
    let start = prose.find(before)? + before.len();
    let rest = &prose[start..];
    let end = after.iter().filter_map(|mark| rest.find(mark)).min()?;
    let word = rest[..end].trim();
    let fits = !word.is_empty()
        && word.chars().count() <= 40
        && word.split_whitespace().count() <= 3
        && !word.contains(['*', '[', '\\', '{', '\n', ':']);
    fits.then(|| word.to_owned())
}

fn singular(many: &str) -> String {
    match many.strip_suffix('s') {
        Some(one) if !one.is_empty() && !many.ends_with("ss") => one.to_owned(),
        _ => many.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_theme_are_found_where_they_are_introduced() {
        let prose = "These are the rules; all Beekeepers shall obey them. Each dynasty is headed by a single Beekeeper, known as the Queen, who rules.";
        assert_eq!(player(prose), ("Beekeeper".into(), "Beekeepers".into()));
        assert_eq!(emperor(prose), ("Queen".into(), "Queens".into()));
        assert_eq!(
            player("No such words."),
            ("Player".into(), "Players".into())
        );
    }
}
