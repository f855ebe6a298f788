//! Titles, as far as words alone say: prefixes, tags, subjects.

use quorate_kernel::Name;

/// The bracketed words of a title: `[Core] A wording` has the tag `Core`.
pub(crate) fn tags_of(title: &str) -> Vec<Name> {
    let mut tags = Vec::new();
    let mut rest = title;
    while let Some((_, after)) = rest.split_once('[') {
        let Some((tag, after)) = after.split_once(']') else {
            break;
        };
        let tag = Name::from(tag.trim());
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
        rest = after;
    }
    tags
}

/// The subject of a title: what follows the first colon, or all of it.
pub(crate) fn subject_of(title: &str) -> &str {
    title
        .split_once(':')
        .map_or(title, |(_, subject)| subject)
        .trim()
}

/// Whether a title begins with a prefix, space and case aside.
pub(crate) fn starts_alike(title: &str, prefix: &str) -> bool {
    let bare = |text: &str| {
        text.chars()
            .filter(|c| !c.is_whitespace())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    bare(title).starts_with(&bare(prefix))
}

/// A title under its category's prefix, with a space between them.
pub(crate) fn headed(prefix: &str, title: &str) -> String {
    format!("{} {}", prefix.trim_end(), title.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_give_tags_and_subject() {
        assert_eq!(
            tags_of("[Core] A [Victory] wording"),
            ["Core", "Victory"].map(Name::from)
        );
        assert_eq!(tags_of("no [ closing"), Vec::<Name>::new());
        assert_eq!(subject_of("Proposal: More rope: now"), "More rope: now");
        assert_eq!(subject_of("Proposal:  "), "");
        assert_eq!(subject_of("More rope"), "More rope");
    }

    #[test]
    fn a_title_gets_its_prefix_where_it_lacks_it() {
        assert!(starts_alike(
            "duelling  challenge: you",
            "Duelling Challenge:"
        ));
        assert!(!starts_alike("A challenge: you", "Duelling Challenge:"));
        assert_eq!(headed("Proposal : ", "More rope"), "Proposal : More rope");
        assert_eq!(headed("Contain", " Zorg"), "Contain Zorg");
    }
}
