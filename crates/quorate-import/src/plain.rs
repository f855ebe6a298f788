//! Rulesets as they are copied out of a browser: lines without marks, in which blank lines, bullets, numbers and the
//! shortness of titles are all there is to go by.
//!
//! Two kinds are told apart: *airy* text, whose paragraphs stand between blank lines, and *dense* text, in which each line
//! is a paragraph.

use crate::blocks::{BlockKind, ImportedRow, ListItem, Marker, Read, SourceBlock, TableBlock};
use crate::finding::Finding;
use crate::inline::Inline;
use crate::outline::names_a_section;

mod markers;
mod titles;

use markers::marker;
use titles::{Numbered, Titles};

/// A line that is not blank.
#[derive(Clone, Copy, Debug)]
struct PlainLine<'t> {
    number: usize,
    text: &'t str,
}

impl PlainLine<'_> {
    fn inset(self) -> usize {
        let width = |c: char| if c == '\t' { 4 } else { 1 };
        let margin = self.text.chars().take_while(|c| c.is_whitespace());
        margin.map(width).sum()
    }
}

/// Reads plain text.
pub(crate) fn read(text: &str) -> Read {
    let mut reader = PlainReader {
        titles: Titles::of(text),
        read: Read::default(),
    };
    let groups = groups(text);
    reader.take(&groups);
    reader.read
}

/// Lines that stand together: what is between blank lines.
fn groups(text: &str) -> Vec<Vec<PlainLine<'_>>> {
    let mut groups = vec![Vec::new()];
    for (text, number) in text.lines().zip(1..) {
        if text.trim().is_empty() {
            groups.push(Vec::new());
        } else if let Some(group) = groups.last_mut() {
            group.push(PlainLine { number, text });
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

struct PlainReader {
    titles: Titles,
    read: Read,
}

impl PlainReader {
    fn take(&mut self, groups: &[Vec<PlainLine<'_>>]) {
        let dense = self.titles.is_dense;
        let mut units: Vec<&[PlainLine<'_>]> = Vec::new();
        for group in groups {
            if dense {
                units.extend(runs(group));
            } else {
                units.push(group);
            }
        }
        let mut rest = units.as_slice();
        if let Some(title) = self.page_title(rest) {
            self.read.title = Some(title);
            rest = &rest[1..];
        }
        while let Some((unit, after)) = rest.split_first() {
            let next = after.first().map(|next| next[0].text);
            self.unit(unit, next);
            rest = after;
        }
    }

    /// The first line, where it is no heading of a section or rule.
    fn page_title(&self, units: &[&[PlainLine<'_>]]) -> Option<String> {
        let (first, after) = units.split_first()?;
        let [line] = first else { return None };
        let words = line.text.trim();
        let next = after.first().map(|next| next[0].text)?;
        let lone = titles::reads_as_title(words) && Numbered::of(words).is_none();
        let leads = titles::is_frame(next) || self.titles.heading(next, None).is_some();
        (lone && !names_a_section(words) && leads).then(|| plain(words))
    }

    fn unit(&mut self, lines: &[PlainLine<'_>], next: Option<&str>) {
        let first = lines[0];
        if let [line] = lines
            && line.inset() < 2
            && let Some(heading) = self.titles.heading(line.text, next)
        {
            if heading.doubtful {
                let text = format!(
                    "\"{}\" is taken for the title of a rule, although it reads like a sentence",
                    line.text.trim()
                );
                self.read.findings.push(Finding::note(line.number, text));
            }
            let kind = BlockKind::Heading {
                level: heading.level,
                number: heading.number,
                words: plain(&heading.words),
            };
            self.push(line.number, kind);
            return;
        }
        for line in lines {
            self.look_at(*line);
        }
        let kind = table(lines)
            .or_else(|| definitions(lines))
            .unwrap_or_else(|| BlockKind::Paragraph(String::new()));
        match kind {
            BlockKind::Paragraph(_) => self.lists_and_prose(lines),
            kind => self.push(first.number, kind),
        }
    }

    /// Says what looks like marks, which plain text has none of, or like something that was lost on the way.
    fn look_at(&mut self, line: PlainLine<'_>) {
        let words = line.text.trim();
        let brackets = words.starts_with('[') && words.ends_with(']') && words.len() < 30;
        let marks = ["{{", "}}", "{|", "|}", "[[", "]]", "'''", "</"];
        if brackets {
            let text =
                format!("{words} stands alone, as if for something that was left out; it is kept");
            self.read.findings.push(Finding::note(line.number, text));
        } else if let Some(mark) = marks.iter().find(|mark| words.contains(**mark)) {
            let text = format!("`{mark}` is no mark of plain text; it is kept as it stands");
            self.read.findings.push(Finding::problem(line.number, text));
        }
    }

    fn lists_and_prose(&mut self, lines: &[PlainLine<'_>]) {
        let mut prose: Vec<PlainLine<'_>> = Vec::new();
        let mut items: Vec<ListItem> = Vec::new();
        let mut insets: Vec<usize> = Vec::new();
        let mut begun = lines[0].number;
        for line in lines {
            if let Some((marker, words)) = marker(line.text) {
                self.flush_prose(&mut prose);
                if items.is_empty() {
                    begun = line.number;
                }
                while insets.last().is_some_and(|inset| *inset > line.inset()) {
                    insets.pop();
                }
                if insets.last() != Some(&line.inset()) {
                    insets.push(line.inset());
                }
                items.push(ListItem {
                    depth: insets.len(),
                    marker,
                    words: markdown(words),
                });
            } else if !items.is_empty() && line.inset() > insets.last().copied().unwrap_or(0) {
                items.push(ListItem {
                    depth: insets.len(),
                    marker: Marker::More,
                    words: markdown(line.text),
                });
            } else {
                self.flush_items(begun, &mut items);
                insets.clear();
                prose.push(*line);
            }
        }
        self.flush_prose(&mut prose);
        self.flush_items(begun, &mut items);
    }

    fn flush_items(&mut self, line: usize, items: &mut Vec<ListItem>) {
        if !items.is_empty() {
            numbers_jump(line, items, &mut self.read.findings);
            self.push(line, BlockKind::List(std::mem::take(items)));
        }
    }

    fn flush_prose(&mut self, lines: &mut Vec<PlainLine<'_>>) {
        let Some(first) = lines.first().copied() else {
            return;
        };
        // Lines that were wrapped at some width are one; others begin where their author began them.
        let wrapped = lines[..lines.len() - 1]
            .iter()
            .all(|line| line.text.trim().chars().count() >= 60);
        let words: Vec<String> = lines.iter().map(|line| markdown(line.text)).collect();
        let words = words.join(if wrapped { " " } else { "\n" });
        lines.clear();
        self.push(first.number, BlockKind::Paragraph(words));
    }

    fn push(&mut self, line: usize, kind: BlockKind) {
        self.read.blocks.push(SourceBlock { line, kind });
    }
}

/// The runs of a dense text: the rows of a table and the items of a list stand together, each other line alone.
fn runs<'g, 't>(group: &'g [PlainLine<'t>]) -> Vec<&'g [PlainLine<'t>]> {
    let sort = |line: &PlainLine<'_>| {
        if line.text.contains('|') {
            1
        } else if marker(line.text).is_some() && Numbered::of(line.text).is_none() {
            2
        } else {
            0
        }
    };
    group
        .chunk_by(|one, other| sort(one) != 0 && sort(one) == sort(other))
        .collect()
}

/// Items of one depth whose numbers do not follow each other.
fn numbers_jump(line: usize, items: &[ListItem], findings: &mut Vec<Finding>) {
    let mut last: Vec<(usize, u32)> = Vec::new();
    for (item, line) in items.iter().zip(line..) {
        last.retain(|(depth, _)| *depth <= item.depth);
        let Marker::Number(Some(written)) = &item.marker else {
            continue;
        };
        let Ok(number) = written.trim_end_matches(['.', ')']).parse::<u32>() else {
            continue;
        };
        let before = last.iter().position(|(depth, _)| *depth == item.depth);
        if let Some(before) = before {
            let (_, old) = last.swap_remove(before);
            if old + 1 != number && number != 1 {
                let text = format!("number {number} of a list comes after {old}; it is kept");
                findings.push(Finding::problem(line, text));
            }
        }
        last.push((item.depth, number));
    }
}

/// A table: rows of cells between upright lines, or between tabs.
fn table(lines: &[PlainLine<'_>]) -> Option<BlockKind> {
    let is_rule = |text: &str| text.contains("--") && text.chars().all(|c| "-|: +=".contains(c));
    let piped = lines.len() > 1 && lines.iter().all(|line| line.text.contains('|'));
    let tabs = lines[0].text.trim().matches('\t').count();
    let tabbed = lines.len() > 1
        && tabs > 0
        && lines
            .iter()
            .all(|line| line.text.trim().matches('\t').count() == tabs);
    if !piped && !tabbed {
        return None;
    }
    let mut table = TableBlock::default();
    for line in lines {
        if piped && is_rule(line.text) {
            if let [row] = table.rows.as_mut_slice() {
                row.is_head = true;
            }
            continue;
        }
        let words = line.text.trim();
        let cells: Vec<&str> = if piped {
            let inner = words.strip_prefix('|').unwrap_or(words);
            inner
                .strip_suffix('|')
                .unwrap_or(inner)
                .split('|')
                .collect()
        } else {
            words.split('\t').collect()
        };
        table.rows.push(ImportedRow {
            is_head: false,
            cells: cells.into_iter().map(markdown).collect(),
        });
    }
    Some(BlockKind::Table(table))
}

/// Words and what they mean, turn by turn, as a browser copies a list of definitions.
fn definitions(lines: &[PlainLine<'_>]) -> Option<BlockKind> {
    let are_pairs = lines.len() > 1 && lines.len().is_multiple_of(2);
    let marked = lines.iter().any(|line| marker(line.text).is_some());
    let mut terms = lines.iter().step_by(2).map(|line| line.text.trim());
    if !are_pairs || marked || !terms.all(titles::reads_as_term) {
        return None;
    }
    // Two short lines may be anything; a meaning that ends like a sentence, or stands in quotes, is one.
    let meanings = lines.iter().skip(1).step_by(2);
    let says = |line: &PlainLine<'_>| {
        let words = line.text.trim();
        words.ends_with(['.', '"', '”', ')', ':']) || words.chars().count() > 40
    };
    if meanings.clone().filter(|line| says(line)).count() * 2 < lines.len() / 2 + 1 {
        return None;
    }
    let items = lines.iter().enumerate().map(|(at, line)| ListItem {
        depth: 1,
        marker: if at % 2 == 0 {
            Marker::Term
        } else {
            Marker::Meaning
        },
        words: markdown(line.text),
    });
    Some(BlockKind::List(items.collect()))
}

fn markdown(words: &str) -> String {
    let mut inline = Inline::default();
    inline.text(words);
    inline.finish()
}

fn plain(words: &str) -> String {
    let mut inline = Inline::plain();
    inline.text(words);
    inline.finish()
}
