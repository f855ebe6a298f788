//! What a reader noticed about a text.

use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingSeverity {
    /// Worth knowing: the text was read as it was most likely meant.
    Note,
    /// The text is malformed there; its words are kept, its shape may be wrong.
    Problem,
}

/// Something that a reader noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The line of the text, counted from 1.
    pub line: usize,
    /// How much it matters.
    pub severity: FindingSeverity,
    /// What it is, and what was made of it.
    pub text: String,
}

impl Finding {
    /// Something worth knowing.
    pub(crate) fn note(line: usize, text: impl Into<String>) -> Self {
        Self {
            line,
            severity: FindingSeverity::Note,
            text: text.into(),
        }
    }

    /// Something malformed.
    pub(crate) fn problem(line: usize, text: impl Into<String>) -> Self {
        Self {
            line,
            severity: FindingSeverity::Problem,
            text: text.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            FindingSeverity::Note => "note",
            FindingSeverity::Problem => "problem",
        };
        write!(f, "line {}: {severity}: {}", self.line, self.text)
    }
}
