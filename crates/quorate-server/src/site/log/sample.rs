//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::log::page::{EffectRow, EventPage, LogLine, LogPage, Past};
use crate::ui::sample::world::{GAME, ago, chrome, rule, send};
use crate::ui::sample::{Sample, Samples};
use crate::ui::urls::Href;
use crate::ui::{
    Choice, Die, Fact, Field, FieldKind, Form, Icon, Link, Need, Refusal, Status, StatusKind, urls,
};

fn log_line(number: &str, minutes: i64, by: &str, what: &str, effects: &str) -> LogLine {
    LogLine {
        id: format!("e{number}"),
        number: number.into(),
        when: ago(minutes),
        by: by.into(),
        what: what.into(),
        effects: effects.into(),
        dice: vec![],
        mark: None,
        href: urls::Event {
            game: GAME,
            event: number,
        }
        .into(),
    }
}

impl Samples for LogPage {
    fn samples() -> Vec<Sample<Self>> {
        let page = LogPage {
            charts: urls::Charts { game: GAME }.into(),
            chrome: chrome("Log", "Log"),
            here: urls::Log { game: GAME }.into(),
            filters: vec![
                Field::new(
                    "by",
                    "by",
                    "Who",
                    FieldKind::One(vec![Choice::new("sennen", "Sennen")]),
                )
                .blank("anybody"),
                Field::new(
                    "only",
                    "only",
                    "What",
                    FieldKind::One(vec![
                        Choice::new("dice", "dice"),
                        Choice::new("votes", "votes"),
                    ]),
                )
                .blank("anything"),
                Field::new("until", "until", "Until", FieldKind::Moment(String::new())).optional(),
            ],
            past: Past {
                latest: 4_811,
                at: 4_811,
                when: ago(22),
                to: urls::Tracker { game: GAME }.into(),
            },
            lines: vec![
                LogLine {
                    dice: vec![Die::rolled(6, 3)],
                    ..log_line("4811", 217, "Sennen", "Forage at the Reeds", "Lamps 1 → 4")
                },
                LogLine {
                    mark: Some(Icon::Claimed.called("claimed")),
                    ..log_line("4809", 22, "Ilse", "claim, rule 14.3", "Oil 52 → 62")
                },
                log_line(
                    "4808",
                    1_002,
                    "the game",
                    "The dog beside a lamp, rule 15.9",
                    "Sennen: Lamps 2 → 1",
                ),
            ],
            newer: None,
            older: Some(Href::from(urls::Log { game: GAME }).with("before", "4808")),
        };
        let none = LogPage {
            lines: vec![],
            older: None,
            ..page.clone()
        };
        vec![
            Sample {
                name: "latest",
                page,
            },
            Sample {
                name: "nothing fits",
                page: none,
            },
        ]
    }
}

impl Samples for EventPage {
    fn samples() -> Vec<Sample<Self>> {
        let effect = |whose: &str, value: &str, old: &str, new: &str| EffectRow {
            whose: whose.into(),
            value: value.into(),
            old: old.into(),
            new: new.into(),
        };
        let why = |id: &str| Field::new(id, "why", "Reason", FieldKind::Line(String::new()));
        let page = EventPage {
            chrome: chrome("Event 4811", "Log"),
            title: "Sennen: Forage at the Reeds".into(),
            number: "4811".into(),
            when: ago(217),
            status: Some(Status::new(StatusKind::Disputed, "Disputed")),
            cite: Some(rule("rule 14.2", "ferry")),
            facts: vec![Fact::new("Place", "the Reeds")],
            dice: vec![("lamps found".into(), Die::rolled(6, 3))],
            effects: vec![
                effect("Sennen", "Lamps", "1", "4"),
                effect("Sennen", "Oil", "124", "120"),
            ],
            undo: Ok(Form {
                fields: vec![why("undo-why")],
                ..Form::button(
                    send(urls::Undo {
                        game: GAME,
                        event: "4811",
                    }),
                    "Undo it",
                )
            }),
            undoing: vec![effect("Sennen", "Oil", "14", "11")],
            ruling: Some(Link::new(
                "Ask for a ruling that strikes it",
                urls::Compose { game: GAME },
            )),
            forms: vec![Form {
                fields: vec![why("dispute-why")],
                ..Form::button(
                    send(urls::Dispute {
                        game: GAME,
                        event: "4811",
                    }),
                    "Dispute it",
                )
            }],
            since: vec![log_line(
                "4815",
                90,
                "Vance",
                "disputed it: “not at ebb”",
                "",
            )],
            proof: vec![
                Fact::new("Law", "version 41"),
                Fact::new("Hash", "9f86d081 884c7d65"),
            ],
        };
        let stuck = EventPage {
            undo: Err(Refusal {
                tried: "Undo".into(),
                needs: vec![Need::of("Lamps", "1", "3")],
                because: None,
                cite: None,
                next: None,
                field: None,
            }),
            ruling: None,
            forms: vec![],
            dice: vec![],
            effects: vec![],
            since: vec![],
            ..page.clone()
        };
        vec![
            Sample {
                name: "can be undone",
                page,
            },
            Sample {
                name: "cannot be undone",
                page: stuck,
            },
        ]
    }
}
