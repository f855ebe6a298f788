//! Finds sections and rules in a text's blocks, and what is odd about their order.

use crate::blocks::{BlockKind, Read, SourceBlock};
use crate::finding::Finding;

/// A ruleset: its sections with their rules.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) title: Option<String>,
    /// What stands before the first rule and section.
    pub(crate) preamble: Vec<SourceBlock>,
    pub(crate) sections: Vec<OutlineSection>,
    pub(crate) findings: Vec<Finding>,
}

/// A section; its title is None where the text has no sections.
#[derive(Debug)]
pub(crate) struct OutlineSection {
    pub(crate) title: Option<String>,
    pub(crate) number: Option<String>,
    pub(crate) rules: Vec<OutlineRule>,
}

/// A rule.
#[derive(Debug)]
pub(crate) struct OutlineRule {
    pub(crate) line: usize,
    pub(crate) title: String,
    pub(crate) number: Option<String>,
    /// Whether it is switched on, where its title says so.
    pub(crate) active: Option<bool>,
    /// Its heading's level; none above all for the words right under a section's title.
    level: u8,
    /// The rule of this section that it is nested in, by its place.
    pub(crate) parent: Option<usize>,
    pub(crate) blocks: Vec<SourceBlock>,
}

/// Titles by which sections are known where nothing else shows them.
const SECTIONS: [&str; 14] = [
    "core rules",
    "core",
    "dynastic rules",
    "dynastic",
    "special case",
    "special case rules",
    "special rules",
    "building blocks",
    "appendix",
    "glossary",
    "definitions",
    "immutable rules",
    "mutable rules",
    "initial rules",
];

/// Whether a title is one that sections have, such as "Core Rules" or "Section Two: Dynastic Rules".
pub(crate) fn names_a_section(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    let words = match title
        .strip_prefix("section ")
        .and_then(|rest| rest.split_once([':', '-', '–']))
    {
        Some((_, words)) => words.trim(),
        None => &title,
    };
    SECTIONS.contains(&words)
}

/// A heading's level, place among the blocks, and whether the next heading is nested in it.
struct HeadingMark {
    level: u8,
    at: usize,
    has_children: bool,
}

/// Finds the outline of what was read.
pub(crate) fn of(read: Read) -> Outline {
    let Read {
        mut title,
        mut blocks,
        findings,
    } = read;
    let mut outline = Outline {
        findings,
        ..Outline::default()
    };
    take_title(&mut title, &mut blocks);
    let marks = marks(&blocks);
    skipped_levels(&marks, &blocks, &mut outline.findings);
    let section_level = section_level(&marks, &blocks);
    outline.title = title;
    for block in blocks {
        place(&mut outline, block, section_level);
    }
    for section in &outline.sections {
        jumps(section, &mut outline.findings);
    }
    if outline
        .sections
        .iter()
        .all(|section| section.rules.is_empty())
    {
        let text = "no rule was found: no line reads as the title of one";
        outline.findings.push(Finding::problem(1, text));
    }
    outline.findings.sort_by_key(|finding| finding.line);
    outline
}

/// The one heading that stands above all others is the page's title.
fn take_title(title: &mut Option<String>, blocks: &mut Vec<SourceBlock>) {
    let level = |block: &SourceBlock| match &block.kind {
        BlockKind::Heading { level, .. } => Some(*level),
        _ => None,
    };
    if title.is_some() {
        return;
    }
    let levels: Vec<u8> = blocks.iter().filter_map(level).collect();
    let is_alone = levels.first() == Some(&1)
        && levels.len() > 1
        && levels[1..].iter().all(|level| *level > 1);
    let first = blocks.iter().position(|block| level(block).is_some());
    if let Some(first) = first.filter(|_| is_alone)
        && let BlockKind::Heading { words, .. } = &blocks[first].kind
        && !names_a_section(words)
    {
        *title = Some(words.clone());
        blocks.remove(first);
    }
}

fn marks(blocks: &[SourceBlock]) -> Vec<HeadingMark> {
    let mut marks: Vec<HeadingMark> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        if let BlockKind::Heading { level, .. } = block.kind {
            if let Some(last) = marks.last_mut() {
                last.has_children = level > last.level;
            }
            marks.push(HeadingMark {
                level,
                at,
                has_children: false,
            });
        }
    }
    marks
}

fn skipped_levels(marks: &[HeadingMark], blocks: &[SourceBlock], findings: &mut Vec<Finding>) {
    for pair in marks.windows(2) {
        if pair[1].level > pair[0].level + 1 {
            let text = format!(
                "this heading is {} levels below the one before it; it is read as the next level",
                pair[1].level - pair[0].level
            );
            findings.push(Finding::problem(blocks[pair[1].at].line, text));
        }
    }
}

/// The level whose headings are sections: the outermost, if most of its headings have others under them or are called as
/// sections are.
fn section_level(marks: &[HeadingMark], blocks: &[SourceBlock]) -> Option<u8> {
    let outermost = marks.iter().map(|mark| mark.level).min()?;
    let tops: Vec<&HeadingMark> = marks
        .iter()
        .filter(|mark| mark.level == outermost)
        .collect();
    let named = |mark: &HeadingMark| matches!(&blocks[mark.at].kind, BlockKind::Heading { words, .. } if names_a_section(words));
    let sections = tops
        .iter()
        .filter(|mark| mark.has_children || named(mark))
        .count();
    (sections > 0 && sections * 2 >= tops.len()).then_some(outermost)
}

fn place(outline: &mut Outline, block: SourceBlock, section_level: Option<u8>) {
    let BlockKind::Heading {
        level,
        number,
        words,
    } = &block.kind
    else {
        add(outline, block);
        return;
    };
    if Some(*level) == section_level {
        outline.sections.push(OutlineSection {
            title: Some(words.clone()),
            number: number.clone(),
            rules: Vec::new(),
        });
        return;
    }
    let (title, active) = status(words);
    let rule = OutlineRule {
        line: block.line,
        title,
        number: number.clone(),
        active,
        level: *level,
        parent: None,
        blocks: Vec::new(),
    };
    last_section(outline).push(rule);
}

/// What belongs to the rule before it; to a rule of the section's own name, where it stands right under the section; to
/// the preamble before all.
fn add(outline: &mut Outline, block: SourceBlock) {
    let Some(section) = outline.sections.last_mut() else {
        outline.preamble.push(block);
        return;
    };
    if section.rules.is_empty() {
        section.rules.push(OutlineRule {
            line: block.line,
            title: section.title.clone().unwrap_or_default(),
            number: None,
            active: None,
            level: u8::MAX,
            parent: None,
            blocks: Vec::new(),
        });
    }
    if let Some(rule) = section.rules.last_mut() {
        rule.blocks.push(block);
    }
}

fn last_section(outline: &mut Outline) -> &mut OutlineSection {
    if outline.sections.is_empty() {
        outline.sections.push(OutlineSection {
            title: None,
            number: None,
            rules: Vec::new(),
        });
    }
    let last = outline.sections.len() - 1;
    &mut outline.sections[last]
}

impl OutlineSection {
    /// Adds a rule, nested in the nearest one before it whose heading is of a higher level.
    fn push(&mut self, mut rule: OutlineRule) {
        rule.parent = self
            .rules
            .iter()
            .rposition(|other| other.level < rule.level);
        self.rules.push(rule);
    }
}

/// A title without its `[Active]` or `[Inactive]`, and what that said.
fn status(words: &str) -> (String, Option<bool>) {
    for (mark, active) in [("[active]", true), ("[inactive]", false)] {
        let start = words.len().wrapping_sub(mark.len());
        if let Some(end) = words.get(start..)
            && end.eq_ignore_ascii_case(mark)
            && start > 0
        {
            return (words[..start].trim().to_owned(), Some(active));
        }
    }
    (words.to_owned(), None)
}

/// Rules beside each other whose numbers do not follow each other.
fn jumps(section: &OutlineSection, findings: &mut Vec<Finding>) {
    for (at, rule) in section.rules.iter().enumerate() {
        let before = section.rules[..at]
            .iter()
            .rfind(|other| other.parent == rule.parent && other.number.is_some());
        let (Some(before), Some(number)) = (before, last_part(rule)) else {
            continue;
        };
        if last_part(before).is_some_and(|last| last.checked_add(1) != Some(number)) {
            let text = format!(
                "number {} of \"{}\" comes after {}; the order of the text is kept",
                rule.number.as_deref().unwrap_or_default(),
                rule.title,
                before.number.as_deref().unwrap_or_default()
            );
            findings.push(Finding::note(rule.line, text));
        }
    }
}

/// The last part of a rule's number: 3 of `1.2.3`.
fn last_part(rule: &OutlineRule) -> Option<u32> {
    let number = rule.number.as_deref()?;
    number
        .trim_end_matches('.')
        .rsplit('.')
        .next()?
        .parse()
        .ok()
}
