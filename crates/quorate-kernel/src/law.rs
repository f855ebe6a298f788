//! The law as a game holds it: sections, rules, terms. What they mean is read elsewhere.

use std::sync::Arc;

use crate::digest::Digest;
use crate::ids::EventSeq;
use crate::name::Name;

/// The section of library texts: code that rules share, which no ruleset page shows among its rules.
pub const LIBRARY: &str = "library";

/// A section of the ruleset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// Its place among the sections.
    pub rank: i64,
}

/// A rule: one text of prose and code, and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The section it stands in.
    pub section: Name,
    /// The rule it is nested in.
    pub parent: Option<Name>,
    /// Its place among all rules of its section; a rule follows its parent and precedes what follows the parent.
    pub rank: i64,
    /// Its title.
    pub title: String,
    /// Its Markdown text: prose, with code in fences. The title and the front matter are not part of it.
    pub text: Arc<str>,
    /// Whether it is switched on. A rule that is switched off stays in the ruleset and means nothing.
    pub active: bool,
    /// Words by which other rules find it.
    pub tags: Vec<Name>,
    /// The event that last changed it.
    pub changed_by: EventSeq,
}

/// A word of the theme: what this dynasty calls a player, an emperor, a currency.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// For one.
    pub one: String,
    /// For several.
    pub many: String,
}

impl Rule {
    /// The digest of everything that can change what the rule's code means.
    pub fn digest(&self) -> Digest {
        let parent = self.parent.as_ref().map_or("", Name::as_str);
        let mut parts = vec![
            self.section.as_str().as_bytes(),
            parent.as_bytes(),
            self.title.as_bytes(),
            self.text.as_bytes(),
            if self.active { b"on" } else { b"off" },
        ];
        parts.extend(self.tags.iter().map(|tag| tag.as_str().as_bytes()));
        Digest::of_parts(parts)
    }
}

/// The room left between two neighbours when ranks are dealt out, so that rules can be put between them.
pub const RANK_STEP: i64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_switched_off_is_another_law() {
        let rule = Rule {
            section: "core".into(),
            parent: None,
            rank: RANK_STEP,
            title: "Votes".into(),
            text: "1. One each.".into(),
            active: true,
            tags: vec![],
            changed_by: EventSeq(1),
        };
        let off = Rule {
            active: false,
            ..rule.clone()
        };
        assert_ne!(rule.digest(), off.digest());
        let moved_by = Rule {
            changed_by: EventSeq(9),
            ..rule.clone()
        };
        assert_eq!(rule.digest(), moved_by.digest());
    }
}
