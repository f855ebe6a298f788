//! How to play, the words, and what is kept about whom.

use askama::Template;

use crate::ui::Chrome;

/// How to play Nomic here.
#[derive(Clone, Debug, Template)]
#[template(path = "site/help/help.html")]
pub struct Help {
    /// Around it.
    pub chrome: Chrome,
}

/// What is kept about whom, and who can read it.
#[derive(Clone, Debug, Template)]
#[template(path = "site/help/privacy.html")]
pub struct Privacy {
    /// Around it.
    pub chrome: Chrome,
    /// Who runs the server, in the operator's own words.
    pub operator: String,
    /// A mail address of theirs.
    pub contact: Option<String>,
    /// How many days addresses and sign-ins are kept.
    pub address_days: i64,
}
