//! Samples of the pages beside this file.

use crate::site::search::page::{Hit, Search};
use crate::ui::sample::world::{GAME, ago, chrome, post};
use crate::ui::sample::{Sample, Samples};
use crate::ui::urls::Href;
use crate::ui::{Link, urls};

impl Samples for Search {
    fn samples() -> Vec<Sample<Self>> {
        let hit = |kind: &str, title: &str, to: Href, excerpt: &str| Hit {
            kind: kind.into(),
            to: Link::new(title, to),
            excerpt: excerpt.into(),
            when: Some(ago(450)),
        };
        let page = Search {
            chrome: chrome("Search", ""),
            here: urls::Search { game: GAME }.into(),
            query: "ferry".into(),
            fields: Vec::new(),
            is_asked: true,
            hits: vec![
                hit(
                    "Rule",
                    "14 The ferry",
                    urls::Rule {
                        game: GAME,
                        rule: "ferry",
                    }
                    .into(),
                    "… may call the ferry it stands beside …",
                ),
                hit(
                    "Proposal",
                    "Night fares for the ferry",
                    post("94-0"),
                    "… let the ferry wait for no Keeper.",
                ),
            ],
        };
        let nothing = Search {
            query: "dragon <b>".into(),
            hits: vec![],
            ..page.clone()
        };
        vec![
            Sample {
                name: "found",
                page,
            },
            Sample {
                name: "nothing",
                page: nothing,
            },
        ]
    }
}
