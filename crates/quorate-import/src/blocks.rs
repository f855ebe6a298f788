//! The blocks that a ruleset is made of, whatever form it came in.

use crate::finding::Finding;
use crate::inline::as_prose;

/// What a reader made of a text.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// What the page calls itself, if it does.
    pub(crate) title: Option<String>,
    /// Its blocks in order.
    pub(crate) blocks: Vec<SourceBlock>,
    /// What was noticed on the way.
    pub(crate) findings: Vec<Finding>,
}

/// A block and the line it begins on.
#[derive(Clone, Debug)]
pub(crate) struct SourceBlock {
    pub(crate) line: usize,
    pub(crate) kind: BlockKind,
}

/// A kind of block. Words in it are Markdown, but for headings, which are plain.
#[derive(Clone, Debug)]
pub(crate) enum BlockKind {
    Heading {
        level: u8,
        number: Option<String>,
        words: String,
    },
    Paragraph(String),
    List(Vec<ListItem>),
    Table(TableBlock),
    /// Words whose lines and spaces count.
    Verbatim(String),
    /// What the source says to its editors and no page shows.
    Remark(String),
}

/// A line of a list.
#[derive(Clone, Debug)]
pub(crate) struct ListItem {
    /// 1 for the outermost list.
    pub(crate) depth: usize,
    pub(crate) marker: Marker,
    pub(crate) words: String,
}

/// What stands before a line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Bullet,
    /// As written, if it was.
    Number(Option<String>),
    /// A word that is defined.
    Term,
    /// What the word before means.
    Meaning,
    /// More of the item before.
    More,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableBlock {
    pub(crate) caption: String,
    pub(crate) rows: Vec<ImportedRow>,
}

/// A row of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImportedRow {
    pub(crate) is_head: bool,
    pub(crate) cells: Vec<String>,
}

/// A table that is being read.
#[derive(Default)]
pub(crate) struct OpenTable {
    /// The line that it began on.
    pub(crate) begun: usize,
    pub(crate) table: TableBlock,
    /// The row that is being read.
    pub(crate) row: ImportedRow,
    /// Whether the words that are being read are the caption.
    pub(crate) in_caption: bool,
}

impl OpenTable {
    pub(crate) fn at(line: usize) -> Self {
        Self {
            begun: line,
            ..Self::default()
        }
    }

    /// Takes the words of a cell, or of the caption.
    pub(crate) fn take_words(&mut self, words: String) {
        if std::mem::take(&mut self.in_caption) {
            self.table.caption = words;
        } else {
            self.row.cells.push(words);
        }
    }

    pub(crate) fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        if !row.cells.is_empty() {
            self.table.rows.push(row);
        }
    }
}

impl SourceBlock {
    /// The block as Markdown, without a blank line after it.
    pub(crate) fn markdown(&self) -> String {
        match &self.kind {
            BlockKind::Heading { level, words, .. } => {
                format!("{} {words}", "#".repeat(usize::from((*level).max(2))))
            }
            BlockKind::Paragraph(words) => prose(words),
            BlockKind::List(items) => list(items),
            BlockKind::Table(table) => table.markdown(),
            BlockKind::Verbatim(words) => verbatim(words),
            BlockKind::Remark(words) => {
                format!("> Note in the source: {}", words.replace('\n', "\n> "))
            }
        }
    }
}

fn prose(words: &str) -> String {
    words.lines().map(as_prose).collect::<Vec<_>>().join("\n")
}

/// A list that is open while its items are written.
struct OpenList {
    /// Its depth in the source.
    depth: usize,
    /// How far the words of its last item are set in.
    inset: usize,
    /// How many numbers it has given.
    given: u32,
}

/// Lists are set in by a space: only a clause's number stands at the edge of a rule.
fn list(items: &[ListItem]) -> String {
    let mut out = String::new();
    let mut open: Vec<OpenList> = Vec::new();
    let mut last = &Marker::Bullet;
    for item in items {
        if item.marker == Marker::Meaning && *last == Marker::Term {
            out.truncate(out.trim_end().len());
            out.push_str(&format!(": {}\n", item.words.replace('\n', " ")));
        } else if item.marker == Marker::More && !open.is_empty() {
            let above = open.iter().rfind(|list| list.depth <= item.depth);
            push_lines(
                &mut out,
                above.map_or(1, |list| list.inset),
                "",
                &item.words,
            );
            continue;
        } else {
            push_item(&mut out, &mut open, item);
        }
        last = &item.marker;
    }
    out.trim_end_matches('\n').to_owned()
}

fn push_item(out: &mut String, open: &mut Vec<OpenList>, item: &ListItem) {
    // A meaning without a word of its own stands a step below the one before it.
    let depth = item.depth + usize::from(item.marker == Marker::Meaning);
    while open.last().is_some_and(|list| list.depth > depth) {
        open.pop();
    }
    let mut list = open.pop_if(|list| list.depth == depth).unwrap_or(OpenList {
        depth,
        inset: 0,
        given: 0,
    });
    let margin = open.last().map_or(1, |list| list.inset);
    let sign = if let Marker::Number(written) = &item.marker {
        list.given += 1;
        let counted = || format!("{}.", list.given);
        written.clone().unwrap_or_else(counted)
    } else {
        list.given = 0;
        "-".to_owned()
    };
    list.inset = margin + sign.len() + 1;
    if item.marker == Marker::Term {
        let words = format!("**{}**", item.words.trim_matches('*'));
        push_lines(out, margin, &sign, &words);
    } else {
        push_lines(out, margin, &sign, &item.words);
    }
    open.push(list);
}

fn push_lines(out: &mut String, inset: usize, sign: &str, words: &str) {
    let mut first = true;
    let mut lines = words.lines().peekable();
    if lines.peek().is_none() {
        out.push_str(&format!("{}{sign}\n", " ".repeat(inset)));
    }
    for line in lines {
        let margin = " ".repeat(inset);
        let line = as_prose(line);
        if first && !sign.is_empty() {
            out.push_str(&format!("{margin}{sign} {line}\n"));
        } else if sign.is_empty() {
            out.push_str(&format!("{margin}{line}\n"));
        } else {
            out.push_str(&format!("{margin}{}{line}\n", " ".repeat(sign.len() + 1)));
        }
        first = false;
    }
}

fn verbatim(words: &str) -> String {
    let longest = words
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let ticks = "`".repeat((longest + 1).max(3));
    format!("{ticks}text\n{}\n{ticks}", words.trim_end())
}

impl TableBlock {
    fn markdown(&self) -> String {
        let width = self
            .rows
            .iter()
            .map(|row| row.cells.len())
            .max()
            .unwrap_or_default()
            .max(1);
        let line = |cells: &[String]| {
            let mut out = String::from("|");
            for at in 0..width {
                let cell = cells.get(at).map_or("", String::as_str);
                out.push_str(&format!(" {} |", cell.trim().replace('\n', " / ")));
            }
            out
        };
        let mut lines = Vec::new();
        if !self.caption.is_empty() {
            lines.push(format!("{}\n", as_prose(&self.caption)));
        }
        let has_head = self.rows.first().is_some_and(|row| row.is_head);
        let (head, rest) = if has_head {
            (self.rows[0].cells.as_slice(), &self.rows[1..])
        } else {
            (&[][..], self.rows.as_slice())
        };
        lines.push(line(head));
        lines.push(format!("|{}", " --- |".repeat(width)));
        lines.extend(rest.iter().map(|row| line(&row.cells)));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(depth: usize, marker: Marker, words: &str) -> ListItem {
        ListItem {
            depth,
            marker,
            words: words.to_owned(),
        }
    }

    #[test]
    fn a_list_keeps_its_depths_its_numbers_and_its_words() {
        let items = [
            item(1, Marker::Bullet, "tea"),
            item(3, Marker::Number(None), "green"),
            item(3, Marker::Number(None), "black\nor dark"),
            item(3, Marker::More, "never blue"),
            item(1, Marker::Number(Some("7.".to_owned())), "milk"),
            item(1, Marker::Term, "Cup"),
            item(1, Marker::Meaning, "what tea is in"),
            item(1, Marker::Meaning, "or a prize"),
        ];
        assert_eq!(
            list(&items),
            " - tea\n   1. green\n   2. black\n      or dark\n      never blue\n 7. milk\n - **Cup**: what tea is in\n   - or a prize"
        );
    }

    #[test]
    fn a_table_without_a_head_gets_an_empty_one() {
        let row = |cells: &[&str]| ImportedRow {
            is_head: false,
            cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
        };
        let table = TableBlock {
            caption: "Prices".to_owned(),
            rows: vec![row(&["tea", "2"]), row(&["milk"])],
        };
        assert_eq!(
            table.markdown(),
            "Prices\n\n|  |  |\n| --- | --- |\n| tea | 2 |\n| milk |  |"
        );
    }
}
