//! The blocks of a page, from its tags and words.

use crate::blocks::{BlockKind, ListItem, Marker, OpenTable, Read, SourceBlock};
use crate::finding::Finding;
use crate::inline::{Inline, InlineMark};
use crate::wikitext::split_number;

/// Tags that never have an end.
const VOID: [&str; 9] = [
    "br", "hr", "img", "input", "meta", "link", "wbr", "col", "area",
];
/// Tags of a line that say nothing that Markdown could, and of a page's frame.
const QUIET: &str = "html body main article section header footer nav aside span u small big sup sub font center \
    s del ins abbr cite q mark tbody thead tfoot colgroup label button form noscript figure \
    figcaption bdi time var strike input img template wbr";

/// What is put into a list's item or a table's cell while it is read.
#[derive(Default)]
struct OpenLists {
    /// For each open list, whether it is numbered.
    open: Vec<bool>,
    items: Vec<ListItem>,
    begun: usize,
    /// The marker of the item that the next words belong to.
    next: Option<Marker>,
}

/// Which part of a page is read.
#[derive(PartialEq, Eq)]
enum Reach {
    /// All of it.
    Whole,
    /// The wiki's article, which has not begun.
    Before,
    /// In the article; how many `div` are open in it.
    Within(usize),
    /// After the article.
    After,
}

/// A page that is being read.
pub(super) struct HtmlPage {
    read: Read,
    reach: Reach,
    /// How many words of the wiki's frame were passed over.
    framed: usize,
    /// Tags whose words are passed over, with how deep they are open.
    skipped: Option<(String, usize)>,
    inline: Inline,
    begun: usize,
    heading: Option<(usize, u8)>,
    lists: OpenLists,
    tables: Vec<OpenTable>,
    verbatim: Option<(usize, String)>,
    in_title: bool,
    head_title: String,
    code: Option<String>,
}

impl HtmlPage {
    /// For a page; where it marks its article, only that is read.
    pub(super) fn of(text: &str) -> Self {
        let marks_article = text.contains("mw-parser-output") || text.contains("mw-content-text");
        Self {
            read: Read::default(),
            reach: if marks_article {
                Reach::Before
            } else {
                Reach::Whole
            },
            framed: 0,
            skipped: None,
            inline: Inline::default(),
            begun: 1,
            heading: None,
            lists: OpenLists::default(),
            tables: Vec::new(),
            verbatim: None,
            in_title: false,
            head_title: String::new(),
            code: None,
        }
    }

    pub(super) fn words(&mut self, words: &str) {
        if self.in_title {
            self.head_title.push_str(words);
        } else if self.skipped.is_some() {
        } else if matches!(self.reach, Reach::Before | Reach::After) && self.heading.is_none() {
            self.framed += words.split_whitespace().count();
        } else if let Some((_, verbatim)) = &mut self.verbatim {
            verbatim.push_str(words);
        } else if let Some(code) = &mut self.code {
            code.push_str(words);
        } else {
            self.inline.text(words);
        }
    }

    pub(super) fn comment(&mut self, line: usize, words: &str) {
        // Wikis write what a page cost them into comments; a comment in its own words is the author's.
        let is_machine = words.contains("NewPP")
            || words.contains("Transclusion expansion")
            || words.contains("Saved in");
        if self.is_read() && self.skipped.is_none() && !is_machine && !words.trim().is_empty() {
            self.flush();
            if self.lists.open.is_empty() && self.tables.is_empty() {
                self.push(line, BlockKind::Remark(words.trim().to_owned()));
            }
        }
    }

    fn is_read(&self) -> bool {
        matches!(self.reach, Reach::Whole | Reach::Within(_))
    }

    pub(super) fn start_tag(
        &mut self,
        line: usize,
        name: &str,
        attribute: &dyn Fn(&str) -> String,
        self_closing: bool,
    ) {
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth += usize::from(skipped == name && !self_closing);
            return;
        }
        let (id, class) = (attribute("id"), attribute("class"));
        if name == "title" {
            self.in_title = true;
            return;
        }
        let has_class = |wanted: &str| class.split_whitespace().any(|class| class == wanted);
        let passed = matches!(name, "script" | "style")
            || id == "toc"
            || has_class("toc")
            || has_class("mw-editsection");
        if passed && !VOID.contains(&name) {
            if id == "toc" || has_class("toc") {
                let text = "the table of contents is left out: the headings say the same";
                self.read.findings.push(Finding::note(line, text));
            }
            self.skipped = Some((name.to_owned(), 1));
            return;
        }
        self.reach(name, &id, &class);
        let outside = !self.is_read();
        if outside && !(name == "h1" || self.heading.is_some()) {
            return;
        }
        match name {
            "b" | "strong" => self.inline.open(InlineMark::Bold),
            "i" | "em" => self.inline.open(InlineMark::Italic),
            "a" => self.inline.open_link(&attribute("href")),
            "br" => self.inline.line_break(),
            "code" | "tt" | "kbd" | "samp" => self.code = Some(String::new()),
            _ => self.start_block(line, name, &attribute("start")),
        }
    }

    fn start_block(&mut self, line: usize, name: &str, start: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.start_heading(line, name),
            "p" | "div" | "blockquote" | "hr" | "address" | "details" | "summary" => {
                self.flush_to(line);
            }
            "ul" | "ol" | "dl" => {
                self.flush_to(line);
                if self.lists.open.is_empty() {
                    self.lists.begun = line;
                }
                self.lists.open.push(name == "ol");
                if !start.is_empty() && start != "1" {
                    let text = format!(
                        "a list begins with the number {start}; its items are counted from 1"
                    );
                    self.read.findings.push(Finding::note(line, text));
                }
            }
            "li" | "dt" | "dd" => self.start_item(line, name),
            "table" => {
                self.flush_to(line);
                self.flush_items();
                self.tables.push(OpenTable::at(line));
            }
            "tr" | "td" | "th" | "caption" => self.start_cell(line, name),
            "pre" => {
                self.flush_to(line);
                self.verbatim = Some((line, String::new()));
            }
            "head" | "meta" | "link" | "base" | "col" => {}
            name if QUIET.split(' ').any(|quiet| quiet == name) => {}
            name => {
                let text = format!("unknown markup `<{name}>`; its words are kept");
                self.read.findings.push(Finding::problem(line, text));
            }
        }
    }

    fn start_heading(&mut self, line: usize, name: &str) {
        self.flush_to(line);
        self.close_lists(line);
        if let Some(table) = self.tables.first() {
            let text = "this table is not closed: `</table>` is missing; it is taken to end before the next heading";
            self.read.findings.push(Finding::problem(table.begun, text));
            while !self.tables.is_empty() {
                self.end_table();
            }
        }
        let level = name.as_bytes()[1] - b'0';
        self.heading = Some((line, level));
        self.inline = Inline::plain();
    }

    fn start_item(&mut self, line: usize, name: &str) {
        self.flush_to(line);
        if self.lists.open.is_empty() && self.tables.is_empty() {
            let text = format!("`<{name}>` outside of a list; it is read as one");
            self.read.findings.push(Finding::problem(line, text));
            self.lists.begun = line;
            self.lists.open.push(false);
        }
        let numbered = self.lists.open.last() == Some(&true);
        self.lists.next = Some(match name {
            "dt" => Marker::Term,
            "dd" => Marker::Meaning,
            _ if numbered => Marker::Number(None),
            _ => Marker::Bullet,
        });
    }

    fn start_cell(&mut self, line: usize, name: &str) {
        self.end_cell(false);
        let Some(table) = self.tables.last_mut() else {
            let text = format!("`<{name}>` outside of a table; its words are kept");
            self.read.findings.push(Finding::problem(line, text));
            return;
        };
        match name {
            "tr" => table.end_row(),
            "caption" => table.in_caption = true,
            _ => {
                if table.row.cells.is_empty() {
                    table.row.is_head = name == "th";
                }
            }
        }
    }

    pub(super) fn end_tag(&mut self, line: usize, name: &str) {
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth -= usize::from(skipped == name);
            if *depth == 0 {
                self.skipped = None;
            }
            return;
        }
        if name == "title" {
            self.in_title = false;
        }
        if !self.is_read() && self.heading.is_none() {
            return;
        }
        match name {
            "b" | "strong" => self.close_mark(InlineMark::Bold, line, name),
            "i" | "em" => self.close_mark(InlineMark::Italic, line, name),
            "a" => {
                self.inline.close_link();
            }
            "code" | "tt" | "kbd" | "samp" => {
                if let Some(code) = self.code.take() {
                    self.inline.code(&code);
                }
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.end_heading(),
            "p" | "div" | "blockquote" | "li" | "dt" | "dd" => self.flush(),
            "ul" | "ol" | "dl" => {
                self.flush();
                self.lists.open.pop();
                self.lists.next = None;
                if self.lists.open.is_empty() {
                    self.flush_items();
                }
            }
            "td" | "th" | "caption" => self.end_cell(true),
            "tr" => {
                self.end_cell(false);
                if let Some(table) = self.tables.last_mut() {
                    table.end_row();
                }
            }
            "table" => self.end_table(),
            "pre" => self.end_verbatim(),
            _ => {}
        }
        self.left_article(name);
    }

    fn close_mark(&mut self, mark: InlineMark, line: usize, name: &str) {
        if !self.inline.close(mark) {
            let text = format!("`</{name}>` closes nothing in its paragraph");
            self.read.findings.push(Finding::note(line, text));
        }
    }

    fn reach(&mut self, name: &str, id: &str, class: &str) {
        match &mut self.reach {
            Reach::Before
                if name == "div"
                    && (id == "mw-content-text" || class.contains("mw-parser-output")) =>
            {
                self.reach = Reach::Within(1);
            }
            Reach::Within(open) => *open += usize::from(name == "div"),
            _ => {}
        }
    }

    fn left_article(&mut self, name: &str) {
        if let Reach::Within(open) = &mut self.reach {
            *open -= usize::from(name == "div");
            if *open == 0 {
                self.flush();
                self.reach = Reach::After;
            }
        }
    }

    fn end_heading(&mut self) {
        let Some((line, level)) = self.heading.take() else {
            return;
        };
        let words = self.inline.finish();
        self.inline = Inline::default();
        if words.is_empty() {
            return;
        }
        if level == 1 && !self.is_read() {
            self.read.title = Some(words);
            return;
        }
        let (number, words) = split_number(&words);
        self.push(
            line,
            BlockKind::Heading {
                level,
                number,
                words,
            },
        );
    }

    fn end_verbatim(&mut self) {
        if let Some((line, words)) = self.verbatim.take() {
            self.flush_items();
            self.push(
                line,
                BlockKind::Verbatim(words.trim_matches('\n').to_owned()),
            );
        }
    }

    fn end_cell(&mut self, closed: bool) {
        if self.tables.is_empty() {
            self.flush();
            return;
        }
        let words = self.inline.finish();
        let Some(table) = self.tables.last_mut() else {
            return;
        };
        if table.in_caption || closed || !words.is_empty() {
            table.take_words(words);
        }
    }

    fn end_table(&mut self) {
        self.end_cell(false);
        let Some(mut table) = self.tables.pop() else {
            return;
        };
        table.end_row();
        match self.tables.last_mut() {
            None => self.push(table.begun, BlockKind::Table(table.table)),
            Some(outer) => {
                let text = "a table within a table; its rows are put among the outer one's";
                self.read.findings.push(Finding::problem(table.begun, text));
                outer.end_row();
                outer.table.rows.extend(table.table.rows);
            }
        }
    }

    fn close_lists(&mut self, line: usize) {
        if !self.lists.open.is_empty() {
            let text = "a list is not closed; it is taken to end before this heading";
            self.read.findings.push(Finding::problem(line, text));
            self.lists.open.clear();
        }
        self.flush_items();
    }

    fn flush_to(&mut self, line: usize) {
        self.flush();
        self.begun = line;
    }

    /// Ends the words that are being read: a paragraph, an item, or a line of a cell.
    fn flush(&mut self) {
        if self.heading.is_some() {
            return;
        }
        if !self.tables.is_empty() {
            if !self.inline.is_empty() {
                self.inline.line_break();
            }
            return;
        }
        let words = self.inline.finish();
        if words.is_empty() {
            return;
        }
        if self.lists.open.is_empty() {
            self.flush_items();
            self.push(self.begun, BlockKind::Paragraph(words));
            return;
        }
        self.lists.items.push(ListItem {
            depth: self.lists.open.len(),
            marker: self.lists.next.take().unwrap_or(Marker::More),
            words,
        });
    }

    fn flush_items(&mut self) {
        let items = std::mem::take(&mut self.lists.items);
        if !items.is_empty() {
            self.push(self.lists.begun, BlockKind::List(items));
        }
    }

    fn push(&mut self, line: usize, kind: BlockKind) {
        self.read.blocks.push(SourceBlock { line, kind });
    }

    /// What was read, with what was still open.
    pub(super) fn end(mut self) -> Read {
        if let Some(code) = self.code.take() {
            self.inline.code(&code);
        }
        self.end_verbatim();
        self.end_heading();
        if let Some(table) = self.tables.first() {
            let text =
                "this table is not closed: `</table>` is missing; it is taken to end with the text";
            self.read.findings.push(Finding::problem(table.begun, text));
        }
        while !self.tables.is_empty() {
            self.end_table();
        }
        self.flush();
        if !self.lists.open.is_empty() {
            let text = "this list is not closed; it is taken to end with the text";
            self.read
                .findings
                .push(Finding::problem(self.lists.begun, text));
        }
        self.flush_items();
        if self.framed > 0 {
            let text = format!(
                "{} words of the wiki's frame around the article are left out",
                self.framed
            );
            self.read.findings.push(Finding::note(1, text));
        }
        let title = self
            .head_title
            .split(" - ")
            .next()
            .unwrap_or_default()
            .trim();
        let has_top = self
            .read
            .blocks
            .iter()
            .any(|block| matches!(block.kind, BlockKind::Heading { level: 1, .. }));
        if self.read.title.is_none() && !has_top && !title.is_empty() {
            self.read.title = Some(title.to_owned());
        }
        self.read
    }
}
