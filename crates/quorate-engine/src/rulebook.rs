//! Rulebooks: the texts that a game begins with, as read from a folder by whoever may read folders.

use std::sync::Arc;

use quorate_kernel::Name;
use quorate_kernel::command::{Founding, FoundingRule, typed};
use quorate_kernel::law::{LIBRARY, RANK_STEP, Section, Term};
use quorate_law::RuleText;
use serde::Deserialize;

/// The edition of the host library that this release founds games under.
pub const EDITION: u16 = 2;

/// What `rulebook.toml` says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The rulebook's title.
    pub title: String,
    /// What the game is about, in a sentence or two.
    pub about: String,
    /// The library texts it takes, by the stem of their file.
    #[serde(default)]
    pub std: Vec<String>,
    /// The sections, in order.
    #[serde(rename = "section")]
    pub sections: Vec<ManifestSection>,
    /// Words of the theme: for one and for many.
    #[serde(default)]
    pub terms: std::collections::BTreeMap<String, (String, String)>,
    /// Icons by name, with their title.
    #[serde(default)]
    pub icons: std::collections::BTreeMap<String, toml_value::Any>,
    /// The section of a rule that is added without naming one.
    #[serde(default)]
    pub new_rules: Option<String>,
    /// The title of a rule that is added without one.
    #[serde(default)]
    pub unnamed: Option<String>,
    /// Whether the rulebook is unfinished: no demo game is founded of it.
    #[serde(default)]
    pub draft: bool,
}

mod toml_value {
    /// Any value of the manifest that the engine passes over.
    #[derive(Clone, Debug, serde::Deserialize)]
    #[serde(untagged)]
    pub enum Any {
        /// A text.
        Text(String),
        /// A list of texts.
        List(Vec<String>),
    }
}

/// A section of the ruleset.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestSection {
    /// Its code name.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The number that an imported text gives it. Pages number rules as the law says, or count.
    #[serde(default)]
    pub number: Option<toml_number::Number>,
}

mod toml_number {
    /// A section's number: a number or a word such as IV.
    #[derive(Clone, Debug, serde::Deserialize)]
    #[serde(untagged)]
    pub enum Number {
        /// As a number.
        Int(i64),
        /// As a text.
        Text(String),
    }
}

/// A rulebook, read.
#[derive(Clone, Debug)]
pub struct Rulebook {
    /// Its code name: the name of its folder.
    pub name: Name,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its library texts: stem and code.
    pub library: Vec<(String, String)>,
    /// Its rule files in the order of their paths: path from the rules folder, and text.
    pub rules: Vec<(String, String)>,
    /// Its test files: stem and code.
    pub tests: Vec<(String, String)>,
}

/// Something about a rulebook that keeps it from being played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {text}")]
pub struct BadRulebook {
    /// The file.
    pub place: String,
    /// What is wrong and what to do.
    pub text: String,
}

impl Rulebook {
    /// The code of a file of its tests, for others to load from.
    pub fn test_helper(&self, file: &str) -> Option<String> {
        let mut files = self.tests.iter();
        let found = files.find(|(name, _)| name == file);
        found.map(|(_, code)| code.clone())
    }

    /// What a game founded of this rulebook begins with.
    pub fn founding(&self, title: &str, founder: &str) -> Result<Founding, BadRulebook> {
        let mut rules = Vec::new();
        for (stem, code) in &self.library {
            rules.push(FoundingRule {
                id: format!("std-{stem}").into(),
                section: LIBRARY.into(),
                parent: None,
                title: stem.clone(),
                text: Arc::from(code.as_str()),
                active: true,
                tags: vec![],
            });
        }
        for (path, text) in &self.rules {
            rules.push(self.rule(path, text)?);
        }
        Self::parents_exist(&rules)?;
        let mut sections: Vec<(Name, Section)> = self
            .manifest
            .sections
            .iter()
            .zip(1_i64..)
            .map(|(section, n)| {
                (
                    Name::from(section.id.as_str()),
                    Section {
                        title: section.title.clone(),
                        rank: n * RANK_STEP,
                    },
                )
            })
            .collect();
        sections.push((
            LIBRARY.into(),
            Section {
                title: "Library".to_owned(),
                rank: 0,
            },
        ));
        let terms = self
            .manifest
            .terms
            .iter()
            .map(|(name, (one, many))| {
                (
                    Name::from(name.as_str()),
                    Term {
                        one: one.clone(),
                        many: many.clone(),
                    },
                )
            })
            .collect();
        Ok(Founding {
            title: title.to_owned(),
            rulebook: self.name.clone(),
            edition: EDITION,
            founder: typed(founder),
            new_rules: self.new_rules(),
            unnamed: self
                .manifest
                .unnamed
                .clone()
                .unwrap_or_else(|| "Unnamed Rule".to_owned()),
            sections,
            rules,
            terms,
        })
    }

    fn rule(&self, path: &str, text: &str) -> Result<FoundingRule, BadRulebook> {
        let bad = |text: String| BadRulebook {
            place: path.to_owned(),
            text,
        };
        let read = RuleText::parse(text);
        if let Some(error) = read.errors.first() {
            return Err(bad(format!("line {}: {}", error.line, error.text)));
        }
        let id = rule_id(path);
        if id.is_empty() {
            return Err(bad(
                "the file's name must be a number, a hyphen and the rule's code name".to_owned(),
            ));
        }
        if !self
            .manifest
            .sections
            .iter()
            .any(|section| read.front.section == section.id.as_str())
        {
            let known: Vec<_> = self
                .manifest
                .sections
                .iter()
                .map(|section| section.id.as_str())
                .collect();
            return Err(bad(format!(
                "section \"{}\" is none of {}",
                read.front.section,
                known.join(", ")
            )));
        }
        Ok(FoundingRule {
            id,
            section: read.front.section.clone(),
            parent: read.front.parent.clone(),
            title: read
                .title
                .clone()
                .unwrap_or_else(|| "Unnamed Rule".to_owned()),
            text: Arc::from(body_of(text)),
            active: read.front.active,
            tags: read.front.tags.clone(),
        })
    }

    fn new_rules(&self) -> Name {
        let last = || {
            self.manifest
                .sections
                .last()
                .map(|section| section.id.clone())
        };
        self.manifest
            .new_rules
            .clone()
            .or_else(last)
            .unwrap_or_default()
            .into()
    }

    fn parents_exist(rules: &[FoundingRule]) -> Result<(), BadRulebook> {
        for (index, rule) in rules.iter().enumerate() {
            if rules[..index].iter().any(|other| other.id == rule.id) {
                return Err(BadRulebook {
                    place: rule.id.to_string(),
                    text: "two rules have this code name".to_owned(),
                });
            }
            if let Some(parent) = &rule.parent
                && !rules[..index].iter().any(|other| other.id == *parent)
            {
                let text = format!("its parent \"{parent}\" does not stand before it");
                return Err(BadRulebook {
                    place: rule.id.to_string(),
                    text,
                });
            }
        }
        Ok(())
    }
}

/// The code name of a rule from its file's path: `1-core/03-idle.md` is `idle`.
pub fn rule_id(path: &str) -> Name {
    let stem = path
        .rsplit('/')
        .next()
        .unwrap_or(path)
        .trim_end_matches(".md");
    Name::from(
        stem.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
            .trim_start_matches('-'),
    )
}

/// The text of a rule file without front matter and title.
pub fn body_of(text: &str) -> String {
    let mut rest = text;
    if let Some(after) = rest.strip_prefix("---\n")
        && let Some(end) = after.find("\n---\n")
    {
        rest = &after[end + 5..];
    }
    let rest = rest.trim_start_matches('\n');
    match rest.strip_prefix("# ") {
        Some(titled) => titled
            .split_once('\n')
            .map_or("", |(_, body)| body)
            .trim_start_matches('\n')
            .to_owned(),
        None => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_named_by_its_file_and_its_body_has_no_head() {
        assert_eq!(rule_id("1-core/03-idle.md"), "idle");
        assert_eq!(rule_id("02.1-fair-play.md"), "fair-play");
        let body = body_of("---\nsection: core\n---\n# Idle\n\n1. Some are idle.\n");
        assert_eq!(body, "1. Some are idle.\n");
    }
}
