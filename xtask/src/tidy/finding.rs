//! What a check has to say.

use std::fmt;

/// Something that breaks a habit, or, as advice, strains it.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) message: String,
    pub(crate) advice: bool,
}

impl Finding {
    pub(crate) fn error(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line,
            message: message.into(),
            advice: false,
        }
    }

    pub(crate) fn advice(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            advice: true,
            ..Self::error(path, line, message)
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line,
            message,
            advice,
        } = self;
        let grade = if *advice { "advice: " } else { "" };
        write!(f, "{path}:{line}: {grade}{message}")
    }
}
