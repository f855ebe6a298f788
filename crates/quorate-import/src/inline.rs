//! Words with their marks, written as Markdown that says the same on the page.

/// A mark around words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InlineMark {
    Bold,
    Italic,
}

impl InlineMark {
    fn sign(self) -> &'static str {
        match self {
            Self::Bold => "**",
            Self::Italic => "*",
        }
    }
}

#[derive(Clone, Debug)]
enum OpenMark {
    Mark(InlineMark),
    Link(String),
}

/// Takes words and marks in the order of the text and makes a line of Markdown of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inline {
    out: String,
    open: Vec<(OpenMark, usize)>,
    /// Titles are plain words: no marks, nothing escaped.
    plain: bool,
}

impl Inline {
    /// For a title.
    pub(crate) fn plain() -> Self {
        Self {
            plain: true,
            ..Self::default()
        }
    }

    /// Words as they are read; runs of white space become one space.
    pub(crate) fn text(&mut self, words: &str) {
        let mut last = self.out.chars().next_back();
        let letters: Vec<char> = words.chars().collect();
        let in_address = addresses(&letters);
        for (at, letter) in letters.iter().copied().enumerate() {
            if letter.is_whitespace() {
                if last.is_some_and(|last| !last.is_whitespace()) {
                    self.out.push(' ');
                }
            } else {
                let next = letters.get(at + 1).copied();
                if !self.plain && !in_address[at] && needs_escape(letter, last, next) {
                    self.out.push('\\');
                }
                self.out.push(letter);
            }
            last = self.out.chars().next_back();
        }
    }

    /// Words that stand for themselves, whatever signs are among them.
    pub(crate) fn code(&mut self, words: &str) {
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.plain || words.is_empty() {
            self.out.push_str(&words);
            return;
        }
        let longest = words
            .split(|c| c != '`')
            .map(str::len)
            .max()
            .unwrap_or_default();
        let ticks = "`".repeat(longest + 1);
        let pad = if words.starts_with('`') || words.ends_with('`') {
            " "
        } else {
            ""
        };
        self.out
            .push_str(&format!("{ticks}{pad}{words}{pad}{ticks}"));
    }

    /// A new line within the paragraph.
    pub(crate) fn line_break(&mut self) {
        let end = self.out.trim_end().len();
        self.out.truncate(end);
        self.out.push(if self.plain { ' ' } else { '\n' });
    }

    /// Bold or italic begins.
    pub(crate) fn open(&mut self, mark: InlineMark) {
        self.open.push((OpenMark::Mark(mark), self.out.len()));
    }

    /// A link begins.
    pub(crate) fn open_link(&mut self, target: &str) {
        self.open
            .push((OpenMark::Link(target.to_owned()), self.out.len()));
    }

    /// Bold or italic ends; whether there was one open.
    pub(crate) fn close(&mut self, mark: InlineMark) -> bool {
        self.close_the(|open| matches!(open, OpenMark::Mark(other) if *other == mark))
    }

    /// A link ends; whether there was one open.
    pub(crate) fn close_link(&mut self) -> bool {
        self.close_the(|open| matches!(open, OpenMark::Link(_)))
    }

    /// Whether a mark is open.
    pub(crate) fn is_open(&self, mark: InlineMark) -> bool {
        self.open
            .iter()
            .any(|(open, _)| matches!(open, OpenMark::Mark(other) if *other == mark))
    }

    /// Whether there are no words yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.out.trim().is_empty()
    }

    /// The line; marks that are open end here.
    pub(crate) fn finish(&mut self) -> String {
        while let Some((open, at)) = self.open.pop() {
            self.wrap(&open, at);
        }
        std::mem::take(&mut self.out).trim().to_owned()
    }

    fn close_the(&mut self, wanted: impl Fn(&OpenMark) -> bool) -> bool {
        let Some(depth) = self.open.iter().rposition(|(open, _)| wanted(open)) else {
            return false;
        };
        // What was opened later and is still open ends here and goes on after it.
        let inner = self.open.split_off(depth);
        for (open, at) in inner.iter().rev() {
            self.wrap(open, *at);
        }
        for (open, _) in inner.into_iter().skip(1) {
            self.open.push((open, self.out.len()));
        }
        true
    }

    fn wrap(&mut self, open: &OpenMark, at: usize) {
        let inner = self.out.split_off(at.min(self.out.len()));
        let words = inner.trim();
        if words.is_empty() || self.plain {
            self.out.push_str(&inner);
            return;
        }
        let before = &inner[..inner.len() - inner.trim_start().len()];
        let after = &inner[inner.trim_end().len()..];
        let wrapped = match open {
            OpenMark::Mark(mark) => format!("{0}{words}{0}", mark.sign()),
            OpenMark::Link(target) if target.is_empty() => words.to_owned(),
            OpenMark::Link(target) => format!("[{words}]({})", address(target)),
        };
        self.out.push_str(before);
        self.out.push_str(&wrapped);
        self.out.push_str(after);
    }
}

/// A link's target as Markdown takes it. What leads nowhere outside its wiki is kept under the scheme `wiki`, which no page
/// follows.
fn address(target: &str) -> String {
    let outside = ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| target.starts_with(scheme));
    let mut out = String::from(if outside { "" } else { "wiki:" });
    for letter in target.trim().chars() {
        match letter {
            ' ' => out.push_str(if outside { "%20" } else { "_" }),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '\\' => out.push_str("%5C"),
            letter if letter.is_whitespace() || letter.is_control() => out.push_str("%20"),
            letter => out.push(letter),
        }
    }
    out
}

/// Which letters belong to a bare web address, where nothing may be escaped.
fn addresses(letters: &[char]) -> Vec<bool> {
    let mut inside = vec![false; letters.len()];
    let mut at = 0;
    while at < letters.len() {
        let rest: String = letters[at..].iter().take(8).collect();
        if rest.starts_with("http://") || rest.starts_with("https://") {
            while at < letters.len()
                && !letters[at].is_whitespace()
                && !"<>[]|".contains(letters[at])
            {
                inside[at] = letters[at] != '*';
                at += 1;
            }
        } else {
            at += 1;
        }
    }
    inside
}

/// Whether Markdown would take a letter for a mark.
fn needs_escape(letter: char, last: Option<char>, next: Option<char>) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match letter {
        '\\' | '`' | '*' | '[' | ']' | '~' | '^' | '|' => true,
        '_' => !(word(last) && word(next)),
        '+' => next == Some('+') || last == Some('+'),
        '<' => next.is_some_and(|c| c.is_alphabetic() || "/!?".contains(c)),
        '&' => next.is_some_and(|c| c.is_alphanumeric() || c == '#'),
        _ => false,
    }
}

/// A line of prose that must not be taken for a list, a heading, a quote or a fence.
pub(crate) fn as_prose(line: &str) -> String {
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let after = &trimmed[digits..];
    if digits > 0 && (after.starts_with('.') || after.starts_with(')')) {
        return format!("{}\\{after}", &trimmed[..digits]);
    }
    let first = trimmed.chars().next();
    let lists = ["- ", "+ "].iter().any(|mark| trimmed.starts_with(mark));
    let lines = !trimmed.is_empty()
        && ["-", "=", "+"]
            .iter()
            .any(|sign| trimmed.chars().all(|c| sign.contains(c) || c == ' '));
    if lists || lines || matches!(first, Some('#' | '>')) {
        return format!("\\{trimmed}");
    }
    trimmed.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_hug_their_words_and_signs_are_escaped() {
        let mut inline = Inline::default();
        inline.text("A ");
        inline.open(InlineMark::Bold);
        inline.text(" brave * hat ");
        assert!(inline.close(InlineMark::Bold));
        inline.text("of snake_case, _x_ and http://a.example/b_c*d");
        assert_eq!(
            inline.finish(),
            "A **brave \\* hat** of snake_case, \\_x\\_ and http://a.example/b_c\\*d"
        );
    }

    #[test]
    fn marks_that_cross_each_other_are_untangled() {
        let mut inline = Inline::default();
        inline.open(InlineMark::Bold);
        inline.text("one ");
        inline.open(InlineMark::Italic);
        inline.text("two");
        assert!(inline.close(InlineMark::Bold));
        inline.text(" three");
        assert!(inline.close(InlineMark::Italic));
        assert_eq!(inline.finish(), "**one *two*** *three*");
    }

    #[test]
    fn a_line_that_looks_like_a_mark_stays_prose() {
        assert_eq!(as_prose("12. x"), "12\\. x");
        assert_eq!(as_prose("# x"), "\\# x");
        assert_eq!(as_prose("---"), "\\---");
        assert_eq!(as_prose("plain"), "plain");
    }
}
