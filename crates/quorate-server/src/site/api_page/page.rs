//! The API as a page.

use askama::Template;

use crate::ui::Chrome;

/// A parameter, or a field of a body.
#[derive(Clone, Debug)]
pub struct ApiField {
    /// Its name.
    pub name: String,
    /// What it takes: "text", "list of Change".
    pub takes: String,
    /// What it means.
    pub about: String,
    /// Whether it must be there.
    pub is_needed: bool,
}

/// One thing that a program can ask for.
#[derive(Clone, Debug)]
pub struct ApiOperation {
    /// The element's id.
    pub id: String,
    /// "GET".
    pub method: String,
    /// "/api/v1/games/{game}".
    pub path: String,
    /// What it does.
    pub about: String,
    /// Whether it wants a token.
    pub is_signed: bool,
    /// Its parameters.
    pub parameters: Vec<ApiField>,
    /// The fields of its body.
    pub body: Vec<ApiField>,
    /// Its answers: status and meaning.
    pub answers: Vec<(String, String)>,
}

/// What belongs together.
#[derive(Clone, Debug)]
pub struct ApiPart {
    /// "Posts, comments, votes."
    pub title: String,
    /// What there is.
    pub operations: Vec<ApiOperation>,
}

/// The API as a page.
#[derive(Clone, Debug, Template)]
#[template(path = "site/api_page/api_page.html")]
pub struct ApiPage {
    /// Around it.
    pub chrome: Chrome,
    /// By what belongs together.
    pub parts: Vec<ApiPart>,
}
