//! Samples of what went wrong.

use crate::ui::sample::pieces::no;
use crate::ui::sample::world::{as_stranger, bare, chrome};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{ErrorPage, Link, RefusalPage, Theme, urls};

impl Samples for ErrorPage {
    fn samples() -> Vec<Sample<Self>> {
        let missing = ErrorPage {
            chrome: chrome("This page does not exist", ""),
            title: "This page does not exist".into(),
            what: "Nothing stands at this address. A post may have been withdrawn, or the link was cut short.".into(),
            todo: "Look for it in the search, or go back to the blog.".into(),
            ways: vec![Link::new("Search", urls::Search { game: crate::ui::sample::world::GAME }), Link::new("Blog", urls::Game { game: crate::ui::sample::world::GAME })],
            reference: None,
        };
        let dark = bare("The server could not answer");
        let broken = ErrorPage {
            chrome: crate::ui::chrome::Chrome {
                theme: Theme::Dark,
                ..as_stranger(dark)
            },
            title: "The server could not answer".into(),
            what: "Something broke on our side. Nothing of what you sent was applied.".into(),
            todo: "Send it again in a minute; your draft is kept in this browser.".into(),
            ways: vec![Link::new("All games", urls::Home)],
            reference: Some("7f3a-91c2".into()),
        };
        vec![
            Sample {
                name: "not found",
                page: missing,
            },
            Sample {
                name: "broken, always dark",
                page: broken,
            },
        ]
    }
}

impl Samples for RefusalPage {
    fn samples() -> Vec<Sample<Self>> {
        let page = RefusalPage {
            chrome: chrome("Not possible now", ""),
            refusal: no(
                "Your vote",
                vec![],
                Some("the proposal was enacted at 16:40"),
                "rule 5.3",
                None,
            ),
            typed: Some("Eight was vanity.\nSix it is. <b>".into()),
            back: Link::new("Back to the post", crate::ui::sample::world::post("94-0")),
        };
        vec![Sample {
            name: "with what was typed",
            page,
        }]
    }
}
