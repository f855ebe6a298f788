//! What is wrong with rule code, where, and what to do about it.

use std::fmt;

use quorate_kernel::Name;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The code works, but is likely not meant so.
    Warning,
    /// The fence sleeps.
    Error,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The rule, library text or script it stands in.
    pub rule: Name,
    /// The line of that text, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1; 0 where only the line is known.
    pub column: u32,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub text: String,
    /// What to do about it, if there is more to say.
    pub help: Option<String>,
    /// Whether the fault is another fence's, which sleeps and has a name that is used here.
    pub is_elsewhere: bool,
}

impl Diagnostic {
    /// The finding with its line of the text and a mark under the column, without colours.
    pub fn render(&self, source: &str) -> String {
        let mut page = format!("{self}\n");
        let index = self.line.saturating_sub(1) as usize;
        if let Some(line) = source.lines().nth(index) {
            let number = self.line.to_string();
            let margin = " ".repeat(number.len());
            page += &format!("{margin} |\n{number} | {}\n{margin} |", line.trim_end());
            if self.column > 0 {
                let blanks: String = line
                    .chars()
                    .take(self.column as usize - 1)
                    .map(|c| if c == '\t' { '\t' } else { ' ' })
                    .collect();
                page += &format!(" {blanks}^");
            }
            page.push('\n');
        }
        if let Some(help) = &self.help {
            page += &format!("help: {help}\n");
        }
        page
    }
}

impl fmt::Display for Diagnostic {
    /// `error: … (rule zombies, line 12, column 5)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{word}: {}\n --> {}:{}", self.text, self.rule, self.line)?;
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        Ok(())
    }
}

/// A place in code, in bytes, and what is wrong there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CodeFault {
    pub(crate) offset: u32,
    pub(crate) text: String,
    pub(crate) help: Option<String>,
    pub(crate) is_elsewhere: bool,
}

impl CodeFault {
    pub(crate) fn new(offset: u32, text: impl Into<String>) -> Self {
        Self {
            offset,
            text: text.into(),
            help: None,
            is_elsewhere: false,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The likeliest word that was meant, if one is near enough.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let mut spelling = Spelling::of(word);
    known
        .into_iter()
        .filter(|other| *other != word)
        .filter_map(|other| Some((spelling.distance(other)?, other)))
        .min()
        .map(|(_, other)| other)
}

/// A word that others are held against. A law that breaks in many places asks for this of all its names, again and again: most
/// are told apart by their lengths and by the letters that they have at all, and what is worked out in rows has its place once.
struct Spelling {
    letters: Vec<char>,
    has: u64,
    /// How far others may be from it.
    limit: usize,
    other: Vec<char>,
    before: Vec<usize>,
    last: Vec<usize>,
    row: Vec<usize>,
}

impl Spelling {
    fn of(word: &str) -> Self {
        let letters: Vec<char> = word.chars().collect();
        Self {
            has: letters_of(word),
            limit: 1 + letters.len() / 4,
            letters,
            other: Vec::new(),
            before: Vec::new(),
            last: Vec::new(),
            row: Vec::new(),
        }
    }

    /// How many letters must be put in, taken out, changed or swapped with their neighbour, if that is no more than the limit.
    fn distance(&mut self, other: &str) -> Option<usize> {
        let (a, limit) = (&self.letters, self.limit);
        if a.len().abs_diff(other.chars().count()) > limit.min(3) {
            return None;
        }
        // Each letter that only one of them has takes a change of its own.
        let has = letters_of(other);
        let alone = |one: u64, other: u64| (one & !other).count_ones() as usize;
        if alone(self.has, has).max(alone(has, self.has)) > limit {
            return None;
        }
        self.other.clear();
        self.other.extend(other.chars());
        let b = &self.other;
        let (before, last, row) = (&mut self.before, &mut self.last, &mut self.row);
        for buffer in [&mut *before, &mut *row] {
            buffer.clear();
            buffer.resize(b.len() + 1, 0);
        }
        last.clear();
        last.extend(0..=b.len());
        let mut least_before = 0;
        for i in 1..=a.len() {
            row[0] = i;
            for j in 1..=b.len() {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut best = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + same);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(before[j - 2] + 1);
                }
                row[j] = best;
            }
            // What comes later follows from two rows, and is no less than the least of them.
            let least = row.iter().copied().min().unwrap_or_default();
            if least.min(least_before) > limit {
                return None;
            }
            least_before = least;
            std::mem::swap(before, last);
            std::mem::swap(last, row);
        }
        Some(last[b.len()]).filter(|distance| *distance <= limit)
    }
}

/// Which letters a word has, each as a bit. Some share one, so that words may look nearer than they are and never further.
fn letters_of(word: &str) -> u64 {
    word.chars()
        .fold(0, |has, letter| has | 1 << (u32::from(letter) % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_word_is_offered() {
        assert_eq!(
            did_you_mean("rol", ["roll", "rules", "rolls"]),
            Some("roll")
        );
        assert_eq!(
            did_you_mean("plyaers", ["players", "player"]),
            Some("players")
        );
        assert_eq!(did_you_mean("zombies", ["brains"]), None);
        // Two swaps, a letter that is not of the alphabet, and one that only looks alike by its bit.
        assert_eq!(did_you_mean("abcdefgh", ["badcefgh"]), Some("badcefgh"));
        assert_eq!(did_you_mean("größe", ["grösse", "größer"]), Some("größer"));
        assert_eq!(
            did_you_mean("gold", ["gol\u{e4}", "xyz"]),
            Some("gol\u{e4}")
        );
    }

    #[test]
    fn a_finding_points_at_its_column() {
        let finding = Diagnostic {
            rule: "zombies".into(),
            line: 2,
            column: 5,
            severity: Severity::Error,
            text: "there is no `rol`".into(),
            help: Some("did you mean `roll`?".into()),
            is_elsewhere: false,
        };
        assert_eq!(
            finding.render("# T\nx = rol(6)\n"),
            "error: there is no `rol`\n --> zombies:2:5\n  |\n2 | x = rol(6)\n  |     ^\nhelp: did you mean `roll`?\n"
        );
    }
}
