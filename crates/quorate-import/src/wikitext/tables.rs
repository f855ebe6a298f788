//! Tables of wikitext.

use crate::blocks::{OpenTable, TableBlock};
use crate::finding::Finding;

use super::words::line_of;

/// A table that is being read.
pub(super) struct OpenWikiTable {
    open: OpenTable,
    /// The cell that the next line may go on with: where it began, and its source.
    cell: Option<(usize, String)>,
}

impl OpenWikiTable {
    pub(super) fn at(line: usize) -> Self {
        Self {
            open: OpenTable::at(line),
            cell: None,
        }
    }

    /// The line that it began on.
    pub(super) fn begun(&self) -> usize {
        self.open.begun
    }

    /// Takes a line that is not the table's last.
    pub(super) fn line(&mut self, number: usize, line: &str, findings: &mut Vec<Finding>) {
        if line.starts_with("{|") {
            let text = "a table within a table; its rows are put among the outer one's";
            findings.push(Finding::problem(number, text));
            self.end_row(findings);
        } else if let Some(rest) = line.strip_prefix("|-") {
            self.end_row(findings);
            let rest = rest.trim_start_matches('-').trim();
            if !rest.is_empty() && !are_attributes(rest) {
                self.between_rows(number, rest, findings);
            }
        } else if let Some(words) = line.strip_prefix("|+") {
            self.end_cell(findings);
            self.open.in_caption = true;
            self.cell = Some((number, without_attributes(words).to_owned()));
        } else if let Some(words) = line.strip_prefix('!') {
            self.cells(number, words, true, findings);
        } else if let Some(words) = line.strip_prefix('|') {
            self.cells(number, words, false, findings);
        } else if let Some((_, cell)) = &mut self.cell {
            cell.push('\n');
            cell.push_str(line);
        } else if !line.is_empty() {
            self.between_rows(number, line, findings);
        }
    }

    fn between_rows(&mut self, number: usize, words: &str, findings: &mut Vec<Finding>) {
        let text = "words between a table's rows; they are put into a cell of their own";
        findings.push(Finding::problem(number, text));
        self.cell = Some((number, words.to_owned()));
    }

    /// The table, with what was still open.
    pub(super) fn end(mut self) -> TableBlock {
        let mut ignored = Vec::new();
        self.end_row(&mut ignored);
        self.open.table
    }

    fn cells(&mut self, number: usize, words: &str, is_head: bool, findings: &mut Vec<Finding>) {
        self.end_cell(findings);
        if self.open.row.cells.is_empty() {
            self.open.row.is_head = is_head;
        }
        for words in split_cells(words, is_head) {
            self.end_cell(findings);
            Self::spans(number, words, findings);
            self.cell = Some((number, without_attributes(words).to_owned()));
        }
    }

    fn spans(number: usize, words: &str, findings: &mut Vec<Finding>) {
        let attributes = &words[..words.len() - without_attributes(words).len()];
        if attributes.contains("colspan") || attributes.contains("rowspan") {
            let text = "a cell spans several columns or rows; its words stand in the first";
            findings.push(Finding::note(number, text));
        }
    }

    fn end_cell(&mut self, findings: &mut Vec<Finding>) {
        let Some((line, source)) = self.cell.take() else {
            return;
        };
        // Lists in a cell lose their marks: a cell of Markdown is one line.
        let lines = source
            .lines()
            .map(|line| line.trim().trim_start_matches(['*', '#', ':', ';']));
        let source: Vec<&str> = lines.collect();
        let words = line_of(line, source.join("\n").trim(), findings);
        self.open.take_words(words);
    }

    fn end_row(&mut self, findings: &mut Vec<Finding>) {
        self.end_cell(findings);
        self.open.end_row();
    }
}

/// The cells of a line: `a || b`, and `a !! b` in a head.
fn split_cells(words: &str, is_head: bool) -> Vec<&str> {
    let mut cells = Vec::new();
    for part in words.split("||") {
        if is_head {
            cells.extend(part.split("!!"));
        } else {
            cells.push(part);
        }
    }
    cells
}

/// A cell without what stands before its one upright line, such as `style="…" |`.
fn without_attributes(words: &str) -> &str {
    let Some((before, after)) = words.split_once('|') else {
        return words;
    };
    if are_attributes(before) && !after.starts_with('|') {
        after
    } else {
        words
    }
}

/// Whether a text begins as `name=value`, and is no link, template or tag.
fn are_attributes(text: &str) -> bool {
    let Some((name, value)) = text.trim_start().split_once('=') else {
        return false;
    };
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    is_name && !value.starts_with('=') && !text.contains(['[', '{', '<'])
}

#[cfg(test)]
mod tests {
    use super::without_attributes;

    #[test]
    fn only_attributes_are_left_out_of_a_cell() {
        assert_eq!(without_attributes(" style=\"x\" class=y | a"), " a");
        assert_eq!(without_attributes(" === a | b"), " === a | b");
        assert_eq!(without_attributes(" a === b | c"), " a === b | c");
        assert_eq!(without_attributes(" [[a=b|c]]"), " [[a=b|c]]");
    }
}
