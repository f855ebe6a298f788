//! Rule files: Markdown with front matter, a title, clauses of prose and fences of code.

use quorate_kernel::Name;

/// A rule's text, taken apart. Reading it never fails; what could not be read is listed in `errors`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RuleText {
    /// What stands between the `---` lines at the top of a file, if anything.
    pub front: FrontMatter,
    /// The first heading of the first level, if there is one.
    pub title: Option<String>,
    /// The clauses in order. Prose before the first numbered clause is clause 0.
    pub clauses: Vec<ClauseText>,
    /// The fences of code in order.
    pub fences: Vec<Fence>,
    /// The fences of tests in order. They are part of the prose as well, as all fences are that are no code.
    pub tests: Vec<Fence>,
    /// The text as given, for quoting its lines.
    pub source: String,
    /// What could not be read.
    pub errors: Vec<TextError>,
}

/// The facts at the top of a rule file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrontMatter {
    /// The section the rule stands in; empty if not said.
    pub section: Name,
    /// The rule it is nested in.
    pub parent: Option<Name>,
    /// Words by which other rules find it.
    pub tags: Vec<Name>,
    /// Whether the rule is switched on.
    pub active: bool,
    /// All other entries, as written, in order.
    pub more: Vec<(String, String)>,
}

impl Default for FrontMatter {
    fn default() -> Self {
        Self {
            section: Name::default(),
            parent: None,
            tags: Vec::new(),
            active: true,
            more: Vec::new(),
        }
    }
}

/// A clause: some prose, and the fences that follow it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClauseText {
    /// Its number: as written in a numbered list, else counted from 1. 0 before the first number.
    pub number: u32,
    /// Its first line, counted from 1.
    pub line: u32,
    /// Its words as Markdown, without the list's number and without code.
    pub prose: String,
}

/// A fence of rule code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fence {
    /// The clause that it stands under.
    pub clause: u32,
    /// The line of its first line of code, counted from 1.
    pub line: u32,
    /// How many columns its code is indented by in the file, as under a list item.
    pub indent: u32,
    /// The code, its indentation taken off.
    pub code: String,
}

/// Something in a rule file that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// The line, counted from 1.
    pub line: u32,
    /// What is wrong and what to write instead.
    pub text: String,
}

impl RuleText {
    /// Reads a rule: Markdown with or without front matter and title.
    pub fn parse(markdown: &str) -> Self {
        RuleReader::new(markdown).read()
    }

    /// Takes a file of plain code, such as a library, as one fence.
    pub fn library(code: &str) -> Self {
        Self {
            fences: vec![Fence {
                clause: 0,
                line: 1,
                indent: 0,
                code: code.to_owned(),
            }],
            source: code.to_owned(),
            ..Self::default()
        }
    }

    /// A line of the text, counted from 1.
    pub fn line(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        self.source.lines().nth(index).unwrap_or("")
    }
}

struct RuleReader<'a> {
    lines: Vec<&'a str>,
    text: RuleText,
    numbered: bool,
    /// Whether the line before was blank, so that a paragraph starts here.
    fresh: bool,
}

impl<'a> RuleReader<'a> {
    fn new(markdown: &'a str) -> Self {
        Self {
            lines: markdown.lines().collect(),
            text: RuleText {
                source: markdown.to_owned(),
                ..RuleText::default()
            },
            numbered: false,
            fresh: true,
        }
    }

    fn read(mut self) -> RuleText {
        let mut at = self.front_matter();
        self.numbered = self.has_numbered_clauses(at);
        while at < self.lines.len() {
            let line = self.lines[at];
            if let Some(fence) = Opening::of(line) {
                at = self.fence(at, &fence);
                self.fresh = true;
                continue;
            }
            self.prose(at, line);
            at += 1;
        }
        for clause in &mut self.text.clauses {
            clause.prose = clause.prose.trim().to_owned();
        }
        self.text
    }

    /// Reads the front matter and gives the first line after it.
    fn front_matter(&mut self) -> usize {
        if self.lines.first().map(|line| line.trim_end()) != Some("---") {
            return 0;
        }
        for at in 1..self.lines.len() {
            let line = self.lines[at].trim();
            if line == "---" {
                return at + 1;
            }
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match line.split_once(':') {
                Some((key, value)) => self.entry(at, key.trim(), value.trim()),
                None => self.error(
                    at,
                    "front matter has lines like `section: core`; this one has no colon",
                ),
            }
        }
        self.error(
            0,
            "the front matter is not closed: end it with a line `---`",
        );
        self.lines.len()
    }

    fn entry(&mut self, at: usize, key: &str, value: &str) {
        let plain = value.trim_matches(['"', '\'']);
        match key {
            "section" => self.text.front.section = Name::from(plain),
            "parent" => self.text.front.parent = (!plain.is_empty()).then(|| Name::from(plain)),
            "tags" => {
                let inner = value.trim_start_matches('[').trim_end_matches(']');
                self.text.front.tags = inner
                    .split(',')
                    .map(|tag| tag.trim().trim_matches(['"', '\'']))
                    .filter(|tag| !tag.is_empty())
                    .map(Name::from)
                    .collect();
            }
            "active" => match plain {
                "true" | "yes" | "on" => self.text.front.active = true,
                "false" | "no" | "off" => self.text.front.active = false,
                _ => self.error(at, "`active:` is `true` or `false`"),
            },
            _ => {
                let entry = (key.to_owned(), plain.to_owned());
                self.text.front.more.push(entry);
            }
        }
    }

    fn error(&mut self, at: usize, text: &str) {
        self.text.errors.push(TextError {
            line: line_number(at),
            text: text.to_owned(),
        });
    }

    fn has_numbered_clauses(&self, from: usize) -> bool {
        let mut inside = None::<Opening<'_>>;
        for line in &self.lines[from..] {
            match (&inside, Opening::of(line)) {
                (None, Some(opening)) => inside = Some(opening),
                (Some(opening), _) if opening.closed_by(line) => inside = None,
                (None, None) if number_of(line).is_some() => return true,
                _ => {}
            }
        }
        false
    }

    fn fence(&mut self, at: usize, opening: &Opening<'_>) -> usize {
        let mut code = String::new();
        let mut end = at + 1;
        while end < self.lines.len() && !opening.closed_by(self.lines[end]) {
            let line = self.lines[end];
            let indented = line.len() - line.trim_start_matches(' ').len();
            code.push_str(&line[opening.indent.min(indented)..]);
            code.push('\n');
            end += 1;
        }
        if end == self.lines.len() {
            self.error(at, "this fence is not closed: end it with a line ```");
        }
        let fence = Fence {
            clause: self.text.clauses.last().map_or(0, |clause| clause.number),
            line: line_number(at + 1),
            indent: u32::try_from(opening.indent).unwrap_or(0),
            code,
        };
        if opening.language == "starlark" {
            self.text.fences.push(fence);
            return end + 1;
        }
        if opening.language == TESTS {
            self.text.tests.push(fence);
        }
        if let Some(clause) = self.text.clauses.last_mut() {
            for line in &self.lines[at..(end + 1).min(self.lines.len())] {
                clause.prose.push_str(line);
                clause.prose.push('\n');
            }
        }
        end + 1
    }

    fn prose(&mut self, at: usize, line: &str) {
        if line.trim().is_empty() {
            self.fresh = true;
            if let Some(clause) = self.text.clauses.last_mut() {
                clause.prose.push('\n');
            }
            return;
        }
        if let Some(title) = line.strip_prefix("# ")
            && self.text.title.is_none()
        {
            self.text.title = Some(title.trim().to_owned());
            self.fresh = true;
            return;
        }
        let number = number_of(line);
        let starts = match (self.numbered, number) {
            (true, Some(_)) => true,
            (true, None) => self.text.clauses.is_empty(),
            (false, _) => self.fresh && self.starts_a_paragraph(line),
        };
        if starts {
            let last = self.text.clauses.last().map_or(0, |clause| clause.number);
            self.text.clauses.push(ClauseText {
                number: match (self.numbered, number) {
                    (true, Some((number, _))) => number,
                    (true, None) => 0,
                    (false, _) => last + 1,
                },
                line: line_number(at),
                prose: String::new(),
            });
        }
        self.fresh = false;
        let words = match (self.numbered, number) {
            (true, Some((_, rest))) => rest,
            _ => line,
        };
        if let Some(clause) = self.text.clauses.last_mut() {
            clause.prose.push_str(words);
            clause.prose.push('\n');
        }
    }

    /// Whether a line after a blank one opens a new clause of a text without numbers: a list's later items and
    /// subheadings belong to what stands before them.
    fn starts_a_paragraph(&self, line: &str) -> bool {
        let bullet = |text: &str| {
            let text = text.trim_start();
            text.starts_with("- ") || text.starts_with("* ")
        };
        let continues = line.starts_with(' ') || line.starts_with('#');
        let last_is_list = self.text.clauses.last().is_some_and(|clause| {
            let words = clause.prose.trim_end();
            words
                .lines()
                .last()
                .is_some_and(|last| bullet(last) || last.starts_with(' '))
        });
        self.text.clauses.is_empty() || !(continues || bullet(line) && last_is_list)
    }
}

fn line_number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1)
}

/// The number and the words of a numbered clause: `3. Once a day …`.
fn number_of(line: &str) -> Option<(u32, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix('.')?;
    let number = line[..digits].parse().ok()?;
    let words = rest.strip_prefix(' ').or(rest.is_empty().then_some(rest))?;
    Some((number, words.trim_start()))
}

/// The language that a fence of tests names.
pub const TESTS: &str = "starlark-test";

/// The line that opens a fence.
struct Opening<'a> {
    indent: usize,
    mark: char,
    length: usize,
    language: &'a str,
}

impl<'a> Opening<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let trimmed = line.trim_start_matches(' ');
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = trimmed.chars().take_while(|c| *c == mark).count();
        if length < 3 {
            return None;
        }
        let info = trimmed[length..].trim();
        if mark == '`' && info.contains('`') {
            return None;
        }
        let language = info.split_whitespace().next().unwrap_or("");
        Some(Self {
            indent: line.len() - trimmed.len(),
            mark,
            length,
            language,
        })
    }

    fn closed_by(&self, line: &str) -> bool {
        let trimmed = line.trim();
        trimmed.chars().count() >= self.length && trimmed.chars().all(|c| c == self.mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "---\nsection: core\ntags: [voting, \"x\"]\nsource: 1.4\n---\n# Votes\n\n\
        Words before.\n\n1. First words,\n   on two lines.\n\n```starlark\nA = 1\n```\n\n\
        2. Second.\n\n   Still second.\n\n   ```starlark\n   B = 2\n   ```\n";

    #[test]
    fn a_rule_file_comes_apart_into_its_parts() {
        let rule = RuleText::parse(RULE);
        assert_eq!(rule.front.section, "core");
        assert_eq!(rule.front.tags, vec![Name::from("voting"), Name::from("x")]);
        assert_eq!(rule.front.more, vec![("source".into(), "1.4".into())]);
        assert_eq!(rule.title.as_deref(), Some("Votes"));
        let numbers: Vec<_> = rule.clauses.iter().map(|c| (c.number, c.line)).collect();
        assert_eq!(numbers, vec![(0, 8), (1, 10), (2, 17)]);
        assert_eq!(rule.clauses[1].prose, "First words,\n   on two lines.");
        let fences: Vec<_> = rule
            .fences
            .iter()
            .map(|f| (f.clause, f.line, f.indent, f.code.as_str()))
            .collect();
        assert_eq!(fences, vec![(1, 14, 0, "A = 1\n"), (2, 22, 3, "B = 2\n")]);
        assert_eq!(rule.line(14), "A = 1");
        assert!(rule.errors.is_empty());
    }

    #[test]
    fn without_numbers_each_paragraph_is_a_clause() {
        let rule = RuleText::parse(
            "One.\n\n```starlark\nA = 1\n```\n\nTwo:\n\n- a\n- b\n\n- c\n\nThree.\n",
        );
        let clauses: Vec<_> = rule.clauses.iter().map(|c| c.prose.as_str()).collect();
        assert_eq!(clauses, vec!["One.", "Two:", "- a\n- b\n\n- c", "Three."]);
        assert_eq!(rule.fences[0].clause, 1);
    }

    #[test]
    fn what_is_left_open_is_said_with_its_line() {
        let rule = RuleText::parse("# T\n\n1. A.\n\n```starlark\nA = 1\n");
        assert_eq!(rule.errors[0].line, 5);
        assert_eq!(rule.fences[0].code, "A = 1\n");
        let rule = RuleText::parse("---\nsection: core\n# T\n");
        assert_eq!(rule.errors[0].line, 1);
    }

    #[test]
    fn fences_of_tests_are_found_and_stay_prose() {
        let text = "1. A.\n\n```starlark-test\ndef test_it():\n    pass\n```\n";
        let rule = RuleText::parse(text);
        assert!(rule.fences.is_empty());
        assert_eq!(
            (rule.tests[0].line, rule.tests[0].code.as_str()),
            (4, "def test_it():\n    pass\n")
        );
        assert!(rule.clauses[0].prose.contains("def test_it"));
    }

    #[test]
    fn other_fences_are_prose() {
        let rule = RuleText::parse("1. Look:\n\n```text\n2. not a clause\n```\n");
        assert_eq!(rule.clauses.len(), 1);
        assert!(rule.fences.is_empty());
        assert!(rule.clauses[0].prose.contains("not a clause"));
    }
}
