//! No text names a place on somebody's own machine.

use regex::Regex;

use super::finding::Finding;
use super::repo::Repo;

// The folders of people and of builds; `/var/lib` and the like are places of an installed server.
// Put together, so that this file does not find itself.
const PATTERN: &str = concat!(
    r"(?:^|[^\w.:/}])(/(?:wo",
    r"rk|tm",
    r"p|ho",
    r"me|ro",
    r"ot|Us",
    r"ers)/[\w.])"
);

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let Ok(pattern) = Regex::new(PATTERN) else {
        return vec![Finding::error(
            "xtask/src/tidy/places.rs",
            1,
            "its pattern cannot be read",
        )];
    };
    let mut findings = Vec::new();
    for (path, text) in &repo.texts {
        for (index, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| pattern.is_match(line))
        {
            let message = format!("a place on one machine: {}", line.trim());
            findings.push(Finding::error(path, index + 1, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn no_text_of_this_repository_names_a_machine() {
        assert_holds(check);
    }

    #[test]
    fn a_folder_of_a_person_is_noticed_and_one_of_the_system_is_not() {
        let person = concat!("see /ho", "me/anna/game");
        let repo = Repo::of(&[
            ("a.md", person),
            (
                "b.md",
                "see /var/lib/quorate, /proc/self and https://example.org/work/it",
            ),
        ]);
        assert_eq!(
            found(check, &repo),
            [format!("a.md:1: a place on one machine: {person}")]
        );
    }
}
