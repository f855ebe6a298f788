//! A ruleset as the files of a rulebook.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use crate::blocks::{BlockKind, SourceBlock};
use crate::finding::Finding;
use crate::outline::{Outline, OutlineRule, OutlineSection};

mod themes;

/// The rule by which a ruleset of prose alone is played: prose and code, to stand in a section of its own.
pub const BY_HAND: &str = include_str!("by_hand.md");

/// The section of that rule.
const BY_HAND_SECTION: &str = "by-hand";

/// Names that a section cannot have, since the law has sections of these names already.
const TAKEN_SECTIONS: [&str; 3] = ["library", "effects", BY_HAND_SECTION];
/// Names that a rule cannot have.
const TAKEN_RULES: [&str; 2] = ["effects", BY_HAND_SECTION];

/// A rulebook that was made of a ruleset.
#[derive(Debug)]
pub struct Book {
    /// Its title.
    pub title: String,
    /// Its sections: code name, title, and the number it was given, if any.
    pub sections: Vec<(String, String, Option<String>)>,
    /// Its rules in order.
    pub rules: Vec<RuleFile>,
    /// What was noticed, by line.
    pub findings: Vec<Finding>,
    /// What stood before the first rule.
    pub about: String,
    /// The words for a player and for who leads them, for one and for many.
    player: (String, String),
    emperor: (String, String),
}

/// A rule of the text.
#[derive(Clone, Debug)]
pub struct RuleFile {
    /// Its code name.
    pub id: String,
    /// The code name of its section.
    pub section: String,
    /// Its title.
    pub title: String,
    /// The line of the text it begins on.
    pub line: usize,
    /// Its number in the text, if it had one.
    pub number: Option<String>,
    /// The code name of the rule it is nested in.
    pub parent: Option<String>,
    /// Whether it is switched on, where its title says so.
    pub active: Option<bool>,
    /// Its prose as Markdown.
    pub prose: String,
    /// Code that was put beside it, as Markdown with fences.
    pub code: Option<String>,
}

impl Book {
    pub(crate) fn of(outline: Outline, name: &str) -> Self {
        let mut names = GivenNames::new(&TAKEN_RULES);
        let mut section_names = GivenNames::new(&TAKEN_SECTIONS);
        let mut sections = Vec::new();
        let mut rules = Vec::new();
        let Outline {
            title,
            preamble,
            sections: found,
            mut findings,
        } = outline;
        for section in found {
            let title = section.title.clone().unwrap_or_else(|| "Rules".to_owned());
            let id = section_names.of(section_word(&title));
            sections.push((id.clone(), title, section.number.clone()));
            add_rules(section, &id, &mut names, &mut rules, &mut findings);
        }
        findings.sort_by_key(|finding| finding.line);
        let about = preamble.iter().map(words_of).collect::<Vec<_>>().join(" ");
        let whole: String = rules.iter().map(|rule| rule.prose.as_str()).collect();
        Self {
            title: title.unwrap_or_else(|| name.to_owned()),
            sections,
            player: themes::player(&whole),
            emperor: themes::emperor(&whole),
            rules,
            findings,
            about,
        }
    }

    /// The words for a player, for one and for many.
    pub fn player(&self) -> &(String, String) {
        &self.player
    }

    /// The words for who leads the players, for one and for many.
    pub fn emperor(&self) -> &(String, String) {
        &self.emperor
    }

    /// A word for the folder.
    pub fn word(&self) -> String {
        let word = slug(&self.title);
        if word.is_empty() {
            "ruleset".to_owned()
        } else {
            word
        }
    }

    /// The files of the rulebook, by path. `std` names the helpers that its code takes; `by_hand` is the rule by which it is
    /// played, if it needs one.
    pub fn files(&self, std: &[String], by_hand: Option<&str>) -> Vec<(String, String)> {
        let mut files = vec![(
            "rulebook.toml".to_owned(),
            self.manifest(std, by_hand.is_some()),
        )];
        let width = if self.rules.len() > 99 { 3 } else { 2 };
        for (section, (id, _, _)) in (1..).zip(&self.sections) {
            let here = self.rules.iter().filter(|rule| rule.section == *id);
            for (place, rule) in (1..).zip(here) {
                let path = format!("rules/{section:02}-{id}/{place:0width$}-{}.md", rule.id);
                files.push((path, rule.text()));
            }
        }
        if let Some(by_hand) = by_hand {
            let section = self.sections.len() + 1;
            let path = format!("rules/{section:02}-{BY_HAND_SECTION}/01-{BY_HAND_SECTION}.md");
            files.push((path, by_hand.to_owned()));
        }
        files
    }

    fn manifest(&self, std: &[String], by_hand: bool) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let pair = |(one, many): &(String, String)| format!("[{}, {}]", quoted(one), quoted(many));
        let mut out = format!("title = {}\n", quoted(&self.title));
        let about = if self.about.is_empty() {
            "A ruleset that was imported.".to_owned()
        } else {
            self.about.clone()
        };
        out.push_str(&format!("about = {}\n", quoted(&about)));
        if !std.is_empty() {
            let std: Vec<String> = std.iter().map(|stem| quoted(stem)).collect();
            out.push_str(&format!("std = [{}]\n", std.join(", ")));
        }
        let new_rules = self
            .sections
            .iter()
            .find(|(id, ..)| id.starts_with("dynastic"));
        if let Some((id, ..)) = new_rules.or(self.sections.last()) {
            out.push_str(&format!("new_rules = {}\n", quoted(id)));
        }
        for (place, (id, title, number)) in (1_i64..).zip(&self.sections) {
            let number = number.clone().unwrap_or_else(|| place.to_string());
            out.push_str(&format!(
                "\n[[section]]\nid = {}\nnumber = {}\ntitle = {}\n",
                quoted(id),
                quoted(&number),
                quoted(title)
            ));
        }
        if by_hand {
            out.push_str(&format!(
                "\n[[section]]\nid = \"{BY_HAND_SECTION}\"\ntitle = \"Played by Hand\"\n"
            ));
        }
        out.push_str(&format!(
            "\n[terms]\nplayer = {}\nemperor = {}\n\n[icons]\nfor = \"FOR\"\nagainst = \"AGAINST\"\ndeferential = \"DEFERENTIAL\"\nveto = \"VETO\"\n",
            pair(&self.player),
            pair(&self.emperor)
        ));
        out
    }
}

impl RuleFile {
    /// The rule's file.
    pub fn text(&self) -> String {
        let mut out = format!("---\nsection: {}\n", self.section);
        if let Some(parent) = &self.parent {
            out.push_str(&format!("parent: {parent}\n"));
        }
        if let Some(active) = self.active {
            out.push_str(&format!("active: {active}\n"));
        }
        if let Some(number) = &self.number {
            out.push_str(&format!("number: {number}\n"));
        }
        out.push_str(&format!("---\n# {}\n", self.title));
        if !self.prose.is_empty() {
            out.push_str(&format!("\n{}\n", self.prose));
        }
        if let Some(code) = &self.code {
            out.push_str(&format!("\n{code}\n"));
        }
        out
    }
}

fn add_rules(
    section: OutlineSection,
    id: &str,
    names: &mut GivenNames,
    rules: &mut Vec<RuleFile>,
    findings: &mut Vec<Finding>,
) {
    let mut ids: Vec<String> = Vec::new();
    for rule in section.rules {
        let own = names.of(slug(&rule.title));
        if rule.blocks.is_empty() {
            let text = format!(
                "\"{}\" has no words of its own; where the rules after it belong under it, nothing in the text says how far",
                rule.title
            );
            findings.push(Finding::note(rule.line, text));
        }
        rules.push(RuleFile {
            section: id.to_owned(),
            parent: rule.parent.and_then(|parent| ids.get(parent).cloned()),
            line: rule.line,
            number: rule.number.clone(),
            active: rule.active,
            prose: prose_of(&rule),
            title: rule.title,
            id: own.clone(),
            code: None,
        });
        ids.push(own);
    }
}

fn prose_of(rule: &OutlineRule) -> String {
    let blocks: Vec<String> = rule.blocks.iter().map(SourceBlock::markdown).collect();
    blocks.join("\n\n")
}

/// The words of a block in one line.
fn words_of(block: &SourceBlock) -> String {
    let text = match &block.kind {
        BlockKind::Heading { words, .. } | BlockKind::Paragraph(words) => words.clone(),
        _ => block.markdown(),
    };
    unescaped(&text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Words without the signs that keep Markdown from taking others for marks.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        out.push(match letter {
            '\\' => letters.next().unwrap_or(letter),
            letter => letter,
        });
    }
    out
}

/// A section's code name: `dynastic` of "Section Two: Dynastic Rules".
fn section_word(title: &str) -> String {
    let lower = title.to_lowercase();
    let words = lower
        .strip_prefix("section ")
        .and_then(|rest| rest.split_once([':', '-', '–']))
        .map_or(lower.as_str(), |(_, words)| words);
    let words = words.trim();
    slug(words.strip_suffix(" rules").unwrap_or(words))
}

/// Letters, digits and hyphens of a title.
fn slug(title: &str) -> String {
    let mut out = String::new();
    for letter in title.nfkd().filter(|c| !is_accent(*c)) {
        if letter.is_ascii_alphanumeric() {
            out.push(letter.to_ascii_lowercase());
        } else if !matches!(letter, '\'' | '’') && !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let word = out.trim_matches('-');
    // A file's name begins with the rule's place, so that its code name cannot begin with a number.
    let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
    word.get(..60)
        .unwrap_or(word)
        .trim_end_matches('-')
        .to_owned()
}

fn is_accent(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

/// Code names that are given, each once.
struct GivenNames {
    given: BTreeSet<String>,
}

impl GivenNames {
    fn new(taken: &[&str]) -> Self {
        Self {
            given: taken.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn of(&mut self, word: String) -> String {
        let word = if word.is_empty() {
            "rule".to_owned()
        } else {
            word
        };
        let mut name = word.clone();
        let mut count = 1;
        while !self.given.insert(name.clone()) {
            count += 1;
            name = format!("{word}-{count}");
        }
        name
    }
}
