//! Samples of the page beside this file.

use crate::site::versions::page::{VersionRow, Versions};
use crate::ui::Link;
use crate::ui::sample::pieces::changes;
use crate::ui::sample::world::{ago, chrome, post};
use crate::ui::sample::{Sample, Samples};

impl Samples for Versions {
    fn samples() -> Vec<Sample<Self>> {
        let page = Self {
            chrome: chrome("Versions", "Blog"),
            post: Link::new("Night fares for the ferry", post("92-0")),
            versions: vec![
                VersionRow {
                    when: ago(30),
                    changes: changes(),
                },
                VersionRow {
                    when: ago(42),
                    changes: Vec::new(),
                },
            ],
        };
        vec![Sample {
            name: "edited once",
            page,
        }]
    }
}
