//! Samples of the pages beside this file.

use crate::site::help::page::{GuidePage, Help, Privacy};
use crate::ui::sample::world::{as_stranger, bare, chrome, text};
use crate::ui::sample::{Sample, Samples};

impl Samples for Help {
    fn samples() -> Vec<Sample<Self>> {
        vec![
            Sample {
                name: "in a game",
                page: Help {
                    chrome: chrome("Help", ""),
                },
            },
            Sample {
                name: "stranger",
                page: Help {
                    chrome: as_stranger(bare("Help")),
                },
            },
        ]
    }
}

impl Samples for GuidePage {
    fn samples() -> Vec<Sample<Self>> {
        vec![Sample {
            name: "values",
            page: GuidePage {
                chrome: bare("Values"),
                title: "Values".into(),
                text: text(
                    "A value is declared once:\n\n```\noil = number(\"Oil\", of = player)\n```",
                ),
                is_first: false,
            },
        }]
    }
}

impl Samples for Privacy {
    fn samples() -> Vec<Sample<Self>> {
        let page = Privacy {
            chrome: bare("Privacy"),
            operator: "This server is run by the Saltmarsh Society, a club of nine people.".into(),
            contact: Some("keeper@saltmarsh.example".into()),
            address_days: 30,
        };
        vec![Sample {
            name: "with a contact",
            page,
        }]
    }
}
