//! Samples of the pages beside this file.

use crate::site::dynasty::page::{CommitmentTold, Dynasties, DynastyPage};
use crate::ui::sample::world::{GAME, ago, chrome, post, rule, text};
use crate::ui::sample::{Sample, Samples};
use crate::ui::urls::Href;
use crate::ui::{Fact, Link, urls};
use crate::view::dynasties::DynastyLine;
use crate::view::missing::MissingLine;

impl Samples for Dynasties {
    fn samples() -> Vec<Sample<Self>> {
        let dynasty = |id: &str, title: &str, about: &str, ending: &str| DynastyLine {
            to: Link::new(
                title,
                urls::Dynasty {
                    game: GAME,
                    dynasty: id,
                },
            ),
            about: about.into(),
            ending: ending.into(),
        };
        let page = Dynasties {
            chrome: chrome("Dynasties", ""),
            dynasties: vec![
                dynasty(
                    "3",
                    "Third Dynasty of Oriel",
                    "12 days so far, 34 proposals",
                    "It runs.",
                ),
                dynasty(
                    "2",
                    "Second Dynasty of Oriel",
                    "38 days, 61 proposals",
                    "Won by Oriel on 5 September with the last dry boat on the flat.",
                ),
            ],
        };
        vec![Sample { name: "two", page }]
    }
}

impl Samples for DynastyPage {
    fn samples() -> Vec<Sample<Self>> {
        let page = DynastyPage {
            chrome: chrome("Second Dynasty of Oriel", ""),
            title: "Second Dynasty of Oriel".into(),
            about: "Boats on a flat that is sometimes a sea.".into(),
            story: text(
                "The water went out and did not ask.\n\n## The rules that stay\n\nAll of the core, and *The ferry*.",
            ),
            facts: vec![
                Fact::new("Emperor", "Oriel"),
                Fact::new("Days", "38"),
                Fact::new("Proposals", "61, 34 enacted"),
                Fact::new("Words", "Keeper, Harbourmaster"),
            ],
            ways: vec![
                Link::new(
                    "Its ruleset at the end",
                    Href::from(urls::Ruleset { game: GAME }).with("at", "2031-09-05"),
                ),
                Link::new("Its posts", post("2-0")),
            ],
            missing: vec![],
            settled: vec![(ago(60_000), Link::new("Longer piers", post("4-0")), None)],
            commitments: vec![CommitmentTold {
                event: Link::new("1", urls::Game { game: GAME }),
                said: "5a".repeat(32),
                key: Some("c3".repeat(32)),
            }],
            checked: None,
            check: Href::from(urls::Game { game: GAME }),
        };
        let running = DynastyPage {
            commitments: vec![CommitmentTold {
                key: None,
                ..page.commitments[0].clone()
            }],
            missing: vec![MissingLine {
                cite: Some(rule("The race, clause 3", "race")),
                text: "it asks for `drowned` of Tides, which was repealed on 6 September 2031"
                    .into(),
                mend: Some(
                    Href::from(urls::ComposeIn {
                        game: GAME,
                        category: "proposal",
                    })
                    .with("rule", "race"),
                ),
            }],
            checked: Some("Checked now: 41 dice shown as they had to be.".into()),
            ..page.clone()
        };
        vec![
            Sample { name: "over", page },
            Sample {
                name: "runs",
                page: running,
            },
        ]
    }
}
