//! How to play, the words, and what is kept about whom.

use askama::Template;

use crate::ui::Chrome;
use crate::ui::markup::Markup;

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

/// A page of the rule author's guide.
#[derive(Clone, Debug, Template)]
#[template(path = "site/help/guide.html")]
pub struct GuidePage {
    /// Around it.
    pub chrome: Chrome,
    /// Its title.
    pub title: String,
    /// What it says.
    pub text: Markup,
    /// Whether the guide begins with it.
    pub is_first: bool,
}
