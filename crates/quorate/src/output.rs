//! What the commands print, for people and for programs.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;

/// The exit code of a command that could not do what it was asked.
pub(crate) const FAILED: u8 = 2;
/// The exit code of a command that did what it was asked and found something wrong.
pub(crate) const FOUND_WRONG: u8 = 1;

/// Where commands print.
pub(crate) struct Output {
    json: bool,
    colour: bool,
}

impl Output {
    /// For a terminal or for a program.
    pub(crate) fn new(json: bool) -> Self {
        let colour =
            !json && std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self { json, colour }
    }

    /// A line for people; nothing where a program reads.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if !self.json {
            print(text.as_ref());
        }
    }

    /// A value for programs; nothing where people read.
    pub(crate) fn value(&self, value: &serde_json::Value) {
        if self.json {
            print(&value.to_string());
        }
    }

    /// Red, where colours are seen.
    pub(crate) fn red(&self, text: &str) -> String {
        self.paint("31", text)
    }

    /// Green, where colours are seen.
    pub(crate) fn green(&self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Bold, where that is seen.
    pub(crate) fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    /// A bar for what takes longer than a second; unseen where no terminal shows it.
    pub(crate) fn progress(&self, unit: &str) -> Progress {
        let target = if self.json {
            indicatif::ProgressDrawTarget::hidden()
        } else {
            indicatif::ProgressDrawTarget::stderr()
        };
        let bar =
            indicatif::ProgressBar::with_draw_target(None, indicatif::ProgressDrawTarget::hidden());
        let shape = format!("{{wide_bar}} {{human_pos}}/{{human_len}} {unit}, {{eta}} left");
        if let Ok(style) = indicatif::ProgressStyle::with_template(&shape) {
            bar.set_style(style);
        }
        Progress {
            bar,
            target: Mutex::new(Some(target)),
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// An error, with its causes.
    pub(crate) fn error(&self, error: &anyhow::Error) {
        let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
        if self.json {
            self.value(&serde_json::json!({ "error": causes.join(": ") }));
        }
        // Nothing can be done where even the error cannot be printed.
        let _ = writeln!(
            std::io::stderr(),
            "{}: {}",
            self.red("error"),
            causes.join(": ")
        );
    }
}

/// A progress bar that shows itself after a second.
pub(crate) struct Progress {
    bar: indicatif::ProgressBar,
    target: Mutex<Option<indicatif::ProgressDrawTarget>>,
}

impl Progress {
    /// So much is done, of so much.
    pub(crate) fn at(&self, done: u64, of: u64) {
        if self.bar.elapsed().as_millis() >= 1_000
            && let Some(target) = self.target.lock().ok().and_then(|mut target| target.take())
        {
            self.bar.set_draw_target(target);
        }
        self.bar.set_length(of);
        self.bar.set_position(done);
    }

    /// All is done; the bar goes.
    pub(crate) fn done(&self) {
        self.bar.finish_and_clear();
    }
}

/// Prints a line. A reader that went away, as `head` does, is no error of ours.
fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}
