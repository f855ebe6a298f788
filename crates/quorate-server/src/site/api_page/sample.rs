//! Samples of the page beside this file.

use crate::site::api_page::page::{ApiField, ApiOperation, ApiPage, ApiPart};
use crate::ui::sample::world::bare;
use crate::ui::sample::{Sample, Samples};

impl Samples for ApiPage {
    fn samples() -> Vec<Sample<Self>> {
        let field = |name: &str, takes: &str| ApiField {
            name: name.into(),
            takes: takes.into(),
            about: "What it means.".into(),
            is_needed: true,
        };
        let page = ApiPage {
            chrome: bare("API"),
            parts: vec![ApiPart {
                title: "Posts, comments, votes.".into(),
                operations: vec![ApiOperation {
                    id: "comment".into(),
                    method: "POST".into(),
                    path: "/api/v1/games/{game}/posts/{post}/comments".into(),
                    about: "Comments on a post, or votes.".into(),
                    is_signed: true,
                    parameters: vec![field("game", "text")],
                    body: vec![field("text", "text"), field("vote", "text")],
                    answers: vec![("201".into(), "The event that it became.".into())],
                }],
            }],
        };
        vec![Sample { name: "all", page }]
    }
}
