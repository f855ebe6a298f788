//! Samples of the page beside this file.

use crate::site::notices::page::Notices;
use crate::ui::sample::world::{chrome, send};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{Choice, Fact, Field, FieldKind, Form, Link, SettingsBlock, SettingsLine, urls};

impl Samples for Notices {
    fn samples() -> Vec<Sample<Self>> {
        let button =
            |what: &str, button: &str| Form::button(send(urls::NoticesDo { what }), button);
        let paces = vec![
            Choice::new("at-once", "At once"),
            Choice::new("off", "Not at all"),
        ];
        let pace = Field::new(
            "pace-closed",
            "closed",
            "A matter was closed",
            FieldKind::One(paces),
        );
        let page = Notices {
            chrome: chrome("Notices", ""),
            about: "What you hear about your games while you’re away.".into(),
            error: None,
            ways: vec![Link::new("All games", urls::Notices)],
            blocks: vec![
                SettingsBlock {
                    lines: vec![SettingsLine {
                        title: "Mail: anna@example.org".into(),
                        about: "paused: the mail server failed".into(),
                        forms: vec![button("open", "Try again"), button("drop", "Remove")],
                        more: Some(Link::new("What left", urls::Notices)),
                    }],
                    shown_once: Some(
                        Fact::new("The webhook's secret", "whsec_b25jZQ==").note("shown this once"),
                    ),
                    forms: vec![button("feed", "Make a private feed and calendar")],
                    ..SettingsBlock::new(
                        "ways",
                        "Ways to you",
                        "What concerns you leaves on each of these ways.",
                    )
                },
                SettingsBlock {
                    forms: vec![Form {
                        fields: vec![pace],
                        ..button("paces", "Save these choices")
                    }],
                    ..SettingsBlock::new("kinds", "What you hear about", "How soon for each.")
                },
            ],
        };
        let wrong = Notices {
            error: Some("That is no mail address.".into()),
            blocks: vec![],
            ..page.clone()
        };
        vec![
            Sample {
                name: "chosen",
                page,
            },
            Sample {
                name: "with an error",
                page: wrong,
            },
        ]
    }
}
