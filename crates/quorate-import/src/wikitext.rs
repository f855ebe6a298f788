//! Wikitext: what stands in a wiki's edit box.

use crate::blocks::{BlockKind, ListItem, Marker, Read, SourceBlock};
use crate::finding::Finding;

mod tables;
mod words;

use tables::OpenWikiTable;
use words::{heading_words, line_of};

/// Whether a text has the marks of wikitext.
pub(crate) fn looks_like(text: &str) -> bool {
    let lines = || text.lines().map(str::trim_end);
    let headings = lines()
        .filter(|line| line.starts_with("==") && line.ends_with("=="))
        .count();
    let tables = lines().filter(|line| line.starts_with("{|")).count();
    let links = text.matches("[[").count() + text.matches("'''").count();
    headings > 0 || tables > 0 || links > 2
}

/// Reads wikitext.
pub(crate) fn read(text: &str) -> Read {
    let mut reader = WikitextReader::default();
    let mut comment: Option<(usize, String)> = None;
    for (line, number) in text.lines().zip(1..) {
        let line = match comment.take() {
            None => line.to_owned(),
            Some((begun, mut words)) => {
                let Some((end, after)) = line.split_once("-->") else {
                    words.push_str(line);
                    words.push('\n');
                    comment = Some((begun, words));
                    continue;
                };
                words.push_str(end);
                reader.remark(begun, &words);
                after.to_owned()
            }
        };
        let (line, open) = reader.take_comments(number, &line);
        let only_comment = line.trim().is_empty() && open.is_some();
        comment = open.map(|words| (number, words));
        if !only_comment {
            reader.line(number, &line);
        }
    }
    if let Some((begun, words)) = comment {
        let text =
            "this comment is not closed: everything after it was in it; it is kept as a remark";
        reader.read.findings.push(Finding::problem(begun, text));
        reader.remark(begun, &words);
    }
    reader.end();
    reader.read
}

#[derive(Default)]
struct WikitextReader {
    read: Read,
    /// The paragraph that is being read: where it began, and its lines.
    prose: Option<(usize, Vec<String>)>,
    list: Option<(usize, Vec<ListItem>)>,
    table: Option<OpenWikiTable>,
    /// Lines that stand as they are, and the tag that ends them, if one does.
    verbatim: Option<(usize, Vec<String>, Option<&'static str>)>,
    /// Remarks that wait for the end of the block they stand in.
    remarks: Vec<(usize, String)>,
}

impl WikitextReader {
    /// Takes comments out of a line; what is left, and a comment that goes on.
    fn take_comments(&mut self, number: usize, line: &str) -> (String, Option<String>) {
        let mut left = String::new();
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("<!--") {
            left.push_str(before);
            let Some((words, after)) = after.split_once("-->") else {
                return (left, Some(format!("{after}\n")));
            };
            self.remarks.push((number, words.trim().to_owned()));
            rest = after;
        }
        left.push_str(rest);
        if left.trim().is_empty() && !line.trim().is_empty() {
            self.flush();
        }
        (left, None)
    }

    fn remark(&mut self, line: usize, words: &str) {
        self.remarks.push((line, words.trim().to_owned()));
        if self.table.is_none() {
            self.flush();
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        if self.verbatim.is_some() && self.verbatim_line(line) {
            return;
        }
        if self.table.is_some() && self.table_line(number, line) {
            return;
        }
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.flush();
        } else if trimmed.starts_with("{|") {
            self.flush();
            self.table = Some(OpenWikiTable::at(number));
        } else if trimmed.starts_with('=')
            && trimmed.len() > 2
            && trimmed.trim_end_matches('=').len() > 1
        {
            self.heading(number, trimmed);
        } else if line.starts_with(['*', '#', ':', ';']) {
            self.list_line(number, line);
        } else if trimmed.starts_with("----") {
            self.flush();
            let rest = trimmed.trim_start_matches('-');
            if !rest.trim().is_empty() {
                self.prose_line(number, rest);
            }
        } else if let Some(rest) = trimmed.strip_prefix("<pre>") {
            self.flush();
            self.verbatim = Some((number, Vec::new(), Some("</pre>")));
            self.verbatim_line(rest);
        } else if line.starts_with(' ') && self.prose.is_none() {
            self.flush_list();
            self.verbatim = Some((number, vec![line[1..].to_owned()], None));
        } else {
            self.prose_line(number, line);
        }
    }

    /// A line within words that stand as they are; whether it was one.
    fn verbatim_line(&mut self, line: &str) -> bool {
        let Some((_, lines, end)) = &mut self.verbatim else {
            return false;
        };
        match end {
            None if line.starts_with(' ') => lines.push(line[1..].to_owned()),
            None => {
                self.flush();
                return false;
            }
            Some(end) => match line.split_once(*end) {
                None => lines.push(line.to_owned()),
                Some((last, after)) => {
                    lines.push(last.to_owned());
                    let (begun, after) =
                        (self.verbatim.as_ref().map_or(1, |it| it.0), after.trim());
                    self.flush();
                    if !after.is_empty() {
                        self.prose_line(begun, after);
                    }
                }
            },
        }
        true
    }

    /// A line within a table; whether it was one.
    fn table_line(&mut self, number: usize, line: &str) -> bool {
        let Some(mut table) = self.table.take() else {
            return false;
        };
        let trimmed = line.trim();
        if trimmed.starts_with("|}") {
            self.end_table(table);
            let rest = trimmed.trim_start_matches("|}");
            if !rest.trim().is_empty() {
                self.prose_line(number, rest);
            }
            return true;
        }
        let is_heading = trimmed.starts_with("==") && trimmed.ends_with("==") && trimmed.len() > 4;
        if is_heading {
            let text = "this table is not closed: a line `|}` is missing; it is taken to end before the next heading";
            self.read
                .findings
                .push(Finding::problem(table.begun(), text));
            self.end_table(table);
            return false;
        }
        table.line(number, trimmed, &mut self.read.findings);
        self.table = Some(table);
        true
    }

    fn end_table(&mut self, table: OpenWikiTable) {
        let begun = table.begun();
        let table = table.end();
        self.push(begun, BlockKind::Table(table));
        self.push_remarks();
    }

    fn heading(&mut self, number: usize, line: &str) {
        self.flush();
        let opening = line.bytes().take_while(|b| *b == b'=').count();
        let closing = line.bytes().rev().take_while(|b| *b == b'=').count();
        let level = opening.min(closing).min(6);
        if level == 0 {
            let text = "a heading is opened and not closed; it is read as one";
            self.read.findings.push(Finding::problem(number, text));
        } else if opening != closing {
            let text = format!(
                "this heading has {opening} signs before it and {closing} after it; {level} count"
            );
            self.read.findings.push(Finding::problem(number, text));
        }
        let inner = line.trim_matches('=');
        let words = heading_words(number, inner, &mut self.read.findings);
        let (numbering, words) = split_number(&words);
        let level = u8::try_from(if level == 0 { opening.min(6) } else { level }).unwrap_or(6);
        self.push(
            number,
            BlockKind::Heading {
                level,
                number: numbering,
                words,
            },
        );
        self.push_remarks();
    }

    fn list_line(&mut self, number: usize, line: &str) {
        self.flush_prose();
        let signs = line.bytes().take_while(|b| b"*#:;".contains(b)).count();
        let (signs, words) = line.split_at(signs);
        let (begun, mut items) = self.list.take().unwrap_or((number, Vec::new()));
        let last = signs.chars().next_back().unwrap_or('*');
        let depth = signs.len();
        let mut add = |depth: usize, marker: Marker, words: &str| {
            let words = line_of(number, words, &mut self.read.findings);
            items.push(ListItem {
                depth,
                marker,
                words,
            });
        };
        match last {
            '#' => add(depth, Marker::Number(None), words),
            ';' => match split_term(words) {
                Some((term, meaning)) => {
                    add(depth, Marker::Term, term);
                    add(depth, Marker::Meaning, meaning);
                }
                None => add(depth, Marker::Term, words),
            },
            ':' if depth > 1 && signs[..depth - 1].ends_with(['*', '#']) => {
                add(depth - 1, Marker::More, words);
            }
            ':' => add(depth, Marker::Meaning, words),
            _ => add(depth, Marker::Bullet, words),
        }
        self.list = Some((begun, items));
    }

    fn prose_line(&mut self, number: usize, line: &str) {
        self.flush_list();
        let begun = self.prose.get_or_insert_with(|| (number, Vec::new()));
        begun.1.push(line.to_owned());
    }

    fn flush(&mut self) {
        self.flush_prose();
        self.flush_list();
        if let Some((line, lines, end)) = self.verbatim.take() {
            if end.is_some() && lines.is_empty() {
                return;
            }
            self.push(
                line,
                BlockKind::Verbatim(lines.join("\n").trim_matches('\n').to_owned()),
            );
        }
        self.push_remarks();
    }

    fn flush_prose(&mut self) {
        if let Some((line, lines)) = self.prose.take() {
            let words = line_of(line, &lines.join("\n"), &mut self.read.findings);
            if !words.is_empty() {
                self.push(line, BlockKind::Paragraph(words));
            }
        }
    }

    fn flush_list(&mut self) {
        if let Some((line, items)) = self.list.take() {
            self.push(line, BlockKind::List(items));
        }
    }

    fn push_remarks(&mut self) {
        for (line, words) in std::mem::take(&mut self.remarks) {
            if !words.is_empty() {
                self.push(line, BlockKind::Remark(words));
            }
        }
    }

    fn push(&mut self, line: usize, kind: BlockKind) {
        self.read.blocks.push(SourceBlock { line, kind });
    }

    fn end(&mut self) {
        if let Some(table) = self.table.take() {
            let text = "this table is not closed: a line `|}` is missing; it is taken to end with the text";
            self.read
                .findings
                .push(Finding::problem(table.begun(), text));
            self.end_table(table);
        }
        if let Some((line, _, Some(end))) = &self.verbatim {
            let text = format!("`{end}` is missing; the words are kept as they stand");
            self.read.findings.push(Finding::problem(*line, text));
        }
        self.flush();
    }
}

/// A heading's number and its words.
pub(crate) fn split_number(words: &str) -> (Option<String>, String) {
    let none = || (None, words.to_owned());
    let named = words.strip_prefix("Rule ").unwrap_or(words);
    let end = named
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(named.len());
    let number = named[..end].trim_end_matches('.');
    let parts = number
        .split('.')
        .all(|part| !part.is_empty() && part.len() <= 4);
    let rest = &named[end..];
    let title = rest.trim_start_matches([' ', '-', '–', '—', ':', ')']);
    let is_apart = rest.starts_with([' ', ':', '-', ')']);
    if number.is_empty() || !parts || !is_apart || title.is_empty() {
        return none();
    }
    (Some(number.to_owned()), title.to_owned())
}

/// A term and its meaning on one line: `; Tea : a drink`.
fn split_term(words: &str) -> Option<(&str, &str)> {
    let mut links = 0_i32;
    let bytes = words.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'[' => links += 1,
            b']' => links -= 1,
            b':' if links == 0 && !words[at..].starts_with("://") => {
                return Some((&words[..at], &words[at + 1..]));
            }
            _ => {}
        }
    }
    None
}
