//! Rulesets that were written elsewhere, made into rulebooks.
//!
//! A reader takes a text apart into blocks, one reader for each form it may come in; the outline finds sections and rules
//! in the blocks; the book writes them as the files of a rulebook. Every word goes through, and what looks wrong is said
//! with its line and kept. Nothing here opens a file.

mod blocks;
mod book;
mod finding;
mod html;
mod inline;
mod outline;
mod plain;
mod wikitext;

pub use book::{BY_HAND, Book, RuleFile};
pub use finding::{Finding, FindingSeverity};

/// The form that a ruleset's text comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceForm {
    /// What stands in a wiki's edit box.
    Wikitext,
    /// A wiki's page as a browser gets it.
    Html,
    /// A page as it is copied out of a browser: no marks but bullets, blank lines and numbers.
    Plain,
}

impl SourceForm {
    /// The form that a text is most likely in.
    pub fn of(text: &str) -> Self {
        if html::looks_like(text) {
            Self::Html
        } else if wikitext::looks_like(text) {
            Self::Wikitext
        } else {
            Self::Plain
        }
    }
}

/// Reads a ruleset. `name` is what it is called where it does not say so itself. Reading never fails: what is odd is among
/// the book's findings.
pub fn read(text: &str, form: SourceForm, name: &str) -> Book {
    let text = text.replace("\r\n", "\n").replace('\u{feff}', "");
    let read = match form {
        SourceForm::Html => html::read(&text),
        SourceForm::Wikitext => wikitext::read(&text),
        SourceForm::Plain => plain::read(&text),
    };
    Book::of(outline::of(read), name)
}
