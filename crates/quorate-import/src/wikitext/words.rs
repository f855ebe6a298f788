//! Words of wikitext: bold and italic, links, tags, templates.

use crate::finding::Finding;
use crate::inline::{Inline, InlineMark};

/// Tags whose words are kept and which say nothing that Markdown could.
const QUIET: &str = "u span div font center small big sup sub p s del ins abbr \
    cite q noinclude includeonly onlyinclude blockquote section mark";
/// Tags that stand for a mark.
const MARKS: [(&str, InlineMark); 4] = [
    ("b", InlineMark::Bold),
    ("strong", InlineMark::Bold),
    ("i", InlineMark::Italic),
    ("em", InlineMark::Italic),
];
/// Tags whose words are no marks.
const LITERAL: [&str; 5] = ["nowiki", "code", "tt", "kbd", "pre"];

/// A heading's words, without marks.
pub(super) fn heading_words(line: usize, source: &str, findings: &mut Vec<Finding>) -> String {
    WikitextWords::of(line, source, Inline::plain(), findings)
}

/// A paragraph's, item's or cell's words as Markdown.
pub(super) fn line_of(line: usize, source: &str, findings: &mut Vec<Finding>) -> String {
    WikitextWords::of(line, source, Inline::default(), findings)
}

struct WikitextWords<'t, 'f> {
    line: usize,
    rest: &'t str,
    out: Inline,
    findings: &'f mut Vec<Finding>,
}

impl<'t> WikitextWords<'t, '_> {
    fn of(line: usize, source: &'t str, out: Inline, findings: &mut Vec<Finding>) -> String {
        let mut words = WikitextWords {
            line,
            rest: source.trim(),
            out,
            findings,
        };
        while !words.rest.is_empty() {
            words.step();
        }
        for mark in [InlineMark::Bold, InlineMark::Italic] {
            if words.out.is_open(mark) {
                let name = if mark == InlineMark::Bold {
                    "bold"
                } else {
                    "italic"
                };
                words.problem(format!(
                    "{name} is not closed; it is taken to end with its paragraph"
                ));
            }
        }
        words.out.finish()
    }

    fn step(&mut self) {
        let plain = self
            .rest
            .find(['\'', '[', '<', '{', '_', '\n', 'h'])
            .unwrap_or(self.rest.len());
        if plain > 0 {
            self.text(plain);
            return;
        }
        if self.rest.starts_with('\n') {
            self.rest = &self.rest[1..];
            self.out.text(" ");
        } else if self.rest.starts_with("''") {
            self.quotes();
        } else if self.rest.starts_with("[[") {
            self.page_link();
        } else if self.rest.starts_with("[http") || self.rest.starts_with("[mailto:") {
            self.web_link();
        } else if self.rest.starts_with('<') {
            self.tag();
        } else if self.rest.starts_with("{{") {
            self.template();
        } else if self.rest.starts_with("__") {
            self.switch();
        } else if self.rest.starts_with("http://") || self.rest.starts_with("https://") {
            let end = self
                .rest
                .find(char::is_whitespace)
                .unwrap_or(self.rest.len());
            let end = self.rest[..end]
                .find("''")
                .or(self.rest[..end].find(['[', ']', '<', '{', '|']))
                .unwrap_or(end);
            self.text(end);
        } else {
            let first = self.rest.chars().next().map_or(1, char::len_utf8);
            self.text(first);
        }
    }

    fn text(&mut self, length: usize) {
        let (words, rest) = self.rest.split_at(length);
        self.out.text(words);
        self.rest = rest;
    }

    fn problem(&mut self, text: impl Into<String>) {
        self.findings.push(Finding::problem(self.line, text));
    }

    fn quotes(&mut self) {
        let count = self.rest.bytes().take_while(|b| *b == b'\'').count();
        self.rest = &self.rest[count..];
        let marks: &[InlineMark] = match count {
            2 => &[InlineMark::Italic],
            3 | 4 => &[InlineMark::Bold],
            _ => &[InlineMark::Bold, InlineMark::Italic],
        };
        if count == 4 || count > 5 {
            self.out.text("'");
        }
        for mark in marks {
            if !self.out.close(*mark) {
                self.out.open(*mark);
            }
        }
    }

    fn page_link(&mut self) {
        let Some(end) = self
            .rest
            .find("]]")
            .filter(|end| !self.rest[..*end].contains('\n'))
        else {
            self.problem("`[[` is not closed on its line; it is kept as it stands");
            self.text(2);
            return;
        };
        let inner = &self.rest[2..end];
        self.rest = &self.rest[end + 2..];
        if let Some(nested) = inner.find("[[") {
            self.problem("a link within a link; the outer one is kept as it stands");
            self.out.text("[[");
            let whole = &inner[..nested];
            self.out.text(whole);
            self.link(&inner[nested + 2..]);
            return;
        }
        self.link(inner);
    }

    fn link(&mut self, inner: &str) {
        let (target, words) = inner.split_once('|').unwrap_or((inner, inner));
        let words = words.trim_start_matches(':');
        self.out.open_link(target.trim().trim_start_matches(':'));
        let words = WikitextWords::inner(self.line, words, self.findings);
        self.out.text(&words);
        self.out.close_link();
    }

    /// The words of a link, without marks.
    fn inner(line: usize, source: &str, findings: &mut Vec<Finding>) -> String {
        WikitextWords::of(line, source, Inline::plain(), findings)
    }

    fn web_link(&mut self) {
        let Some(end) = self
            .rest
            .find(']')
            .filter(|end| !self.rest[..*end].contains('\n'))
        else {
            self.problem("`[` is not closed on its line; it is kept as it stands");
            self.text(1);
            return;
        };
        let inner = &self.rest[1..end];
        self.rest = &self.rest[end + 1..];
        let (target, words) = inner.split_once([' ', '\t']).unwrap_or((inner, ""));
        if words.trim().is_empty() {
            self.out.text(target);
            return;
        }
        let words = WikitextWords::inner(self.line, words, self.findings);
        self.out.open_link(target);
        self.out.text(&words);
        self.out.close_link();
    }

    fn tag(&mut self) {
        let Some((name, is_end, length)) = tag_of(self.rest) else {
            self.text(1);
            return;
        };
        let after = &self.rest[length..];
        if LITERAL.contains(&name.as_str()) && !is_end {
            self.literal(&name, length);
            return;
        }
        if let Some((_, mark)) = MARKS.iter().find(|(known, _)| *known == name) {
            self.rest = after;
            if is_end {
                self.out.close(*mark);
            } else {
                self.out.open(*mark);
            }
        } else if name == "br" {
            self.rest = after;
            self.out.line_break();
        } else if name == "ref" {
            self.rest = after;
            self.out.text(if is_end { ")" } else { " (" });
        } else if QUIET.split(' ').any(|quiet| quiet == name) || LITERAL.contains(&name.as_str()) {
            self.rest = after;
        } else {
            self.problem(format!(
                "unknown markup `<{name}>`; it is kept as it stands"
            ));
            self.text(length);
        }
    }

    fn literal(&mut self, name: &str, length: usize) {
        let inner = &self.rest[length..];
        let is_alone = self.rest[..length].ends_with("/>");
        let ending = format!("</{name}>");
        let Some(end) = inner
            .to_ascii_lowercase()
            .find(&ending)
            .filter(|_| !is_alone)
        else {
            if !is_alone {
                self.problem(format!(
                    "`<{name}>` is not closed; its words are read as any others"
                ));
            }
            self.rest = inner;
            return;
        };
        let words = &inner[..end];
        if name == "nowiki" {
            self.out.text(words);
        } else {
            self.out.code(words);
        }
        self.rest = &inner[end + ending.len()..];
    }

    fn template(&mut self) {
        let Some(length) = template_length(self.rest) else {
            self.problem("`{{` is not closed in its paragraph; it is kept as it stands");
            self.text(2);
            return;
        };
        let name = self.rest[2..length - 2]
            .split(['|', '\n'])
            .next()
            .unwrap_or_default()
            .trim();
        self.problem(format!(
            "unknown markup: the template \"{name}\" shows what only its wiki knows; it is kept as it stands"
        ));
        let (words, rest) = self.rest.split_at(length);
        self.out.code(words);
        self.rest = rest;
    }

    /// A switch of the page, such as `__NOTOC__`.
    fn switch(&mut self) {
        let inner = &self.rest[2..];
        let end = inner
            .find("__")
            .filter(|end| *end > 0 && inner[..*end].bytes().all(|b| b.is_ascii_uppercase()));
        match end {
            Some(end) => {
                let text = format!(
                    "`__{}__` is for the wiki's page alone and left out",
                    &inner[..end]
                );
                self.findings.push(Finding::note(self.line, text));
                self.rest = &inner[end + 2..];
            }
            None => self.text(2),
        }
    }
}

/// A tag's name, whether it ends something, and its length.
fn tag_of(source: &str) -> Option<(String, bool, usize)> {
    let end = source.find('>')?;
    let inner = &source[1..end];
    let is_end = inner.starts_with('/');
    let inner = inner.trim_start_matches('/');
    let name_end = inner
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(inner.len());
    let name = inner[..name_end].to_ascii_lowercase();
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (starts && !inner.contains('<')).then_some((name, is_end, end + 1))
}

/// How long a template is, those within it included.
fn template_length(source: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < source.len() {
        if source[at..].starts_with("{{") {
            depth += 1;
            at += 2;
        } else if source[at..].starts_with("}}") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += source[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}
