//! Where a text stands, which decides what may be in it.

use std::collections::BTreeMap;

use quorate_engine::icons::IconWords;

/// The words of a game's theme, by token: `player` → "Horde", `players` → "Hordes", `Players` → "Hordes".
pub type Terms = BTreeMap<String, String>;

/// The players of a game who can be named by an @: their names in small letters, and the way to each one's page.
pub type People = BTreeMap<String, String>;

/// Where a text stands, which decides what may be in it.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The words that stand for `{player}` and the like.
    pub terms: &'a Terms,
    /// The words between colons that are votes here; none where nobody votes.
    pub icons: &'a IconWords,
    /// Who can be named by an @.
    pub people: &'a People,
    /// Whether a line ends where it was typed to end, as people expect of what they post; the law's lines flow.
    pub keeps_lines: bool,
    /// Where the pictures are that were uploaded for this text, which it names by their words; none where none are shown.
    pub pictures: Option<&'a str>,
    /// The level that all headings of the text get, so that the page's own outline holds; without one they are bold lines.
    pub heading: Option<u8>,
}
