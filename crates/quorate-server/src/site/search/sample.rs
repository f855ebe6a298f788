//! Samples of the pages beside this file.

use crate::site::search::page::{Hit, Search, SearchFound};
use crate::ui::sample::world::{GAME, ago, chrome, post};
use crate::ui::sample::{Sample, Samples};
use crate::ui::urls::Href;
use crate::ui::{Link, urls};

impl Samples for Search {
    fn samples() -> Vec<Sample<Self>> {
        let hit = |kind: &str, title: &str, to: Href, excerpt: [&str; 3]| Hit {
            kind: kind.into(),
            to: Link::new(title, to),
            by: (kind != "Rule").then(|| "Orla".to_owned()),
            excerpt: excerpt
                .iter()
                .enumerate()
                .map(|(nth, piece)| ((*piece).to_owned(), nth == 1))
                .collect(),
            when: (kind != "Rule").then(|| ago(450)),
        };
        let rule = urls::Rule {
            game: GAME,
            rule: "ferry",
        };
        let page = Search {
            chrome: chrome("Search", ""),
            here: urls::Search { game: GAME }.into(),
            query: "ferry".into(),
            mistake: None,
            fields: Vec::new(),
            found: Some(SearchFound {
                hits: vec![
                    hit(
                        "Rule",
                        "14 The ferry",
                        rule.into(),
                        ["… may call the ", "ferry", " it stands beside …"],
                    ),
                    hit(
                        "Proposal",
                        "Night fares for the ferry",
                        post("94-0"),
                        ["… let the ", "ferry", " wait for no Keeper."],
                    ),
                ],
                more: None,
                begins: true,
                is_behind: false,
            }),
        };
        let nothing = Search {
            query: "dragon <b>".into(),
            found: Some(SearchFound::default()),
            ..page.clone()
        };
        let mistake = Search {
            query: "by:Nobody".into(),
            mistake: Some("Nobody here is called “Nobody”.".into()),
            found: None,
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
            Sample {
                name: "mistake",
                page: mistake,
            },
        ]
    }
}
