//! The log, an event, a ruling, messages.
//!
//! Long because a sample is one literal that fills every field of a page.

use super::world::{GAME, ago, chrome, gauge, line, person, post, rule, send, verdict};
use crate::{
    pages::{
        EffectRow, EventPage, Fact, Letter, Link, LogLine, LogPage, Messages, Past, Ruling,
        RulingRow, Sample, Samples, Thread, ThreadLine,
    },
    parts::{Choice, Die, Field, FieldKind, Form, Icon, Need, Refusal, Status, StatusKind},
    urls::{self, Href},
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

impl Samples for Ruling {
    fn samples() -> Vec<Sample<Self>> {
        let row = |what: &str, stands: &str, would_be: &str| RulingRow {
            what: what.into(),
            stands: stands.into(),
            would_be: would_be.into(),
            cause: Some(Link::new(
                "event 4790",
                urls::Event {
                    game: GAME,
                    event: "4790",
                },
            )),
        };
        let page = Ruling {
            chrome: chrome("Both gamestates", "Blog"),
            matter: Link::new("Was the Spire lamp lit in time?", post("93-0")),
            verdict: verdict(StatusKind::Pending, "Open", gauge(3, 3, 0, 5), "Tied.", "Closes at 6 FOR, or on Sun 21 Sep by the votes cast."),
            summary: "If upheld, Sennen’s lamp of 16 September is struck. 12 later events stand, 2 differ, 1 waits for an answer.".into(),
            rows: vec![row("Sennen, Lamps", "4", "3"), row("The town, Oil", "612", "640")],
            events: vec![row("4802, Juniper trims the Spire lamp", "done", "refused: no lamp there")],
        };
        vec![Sample { name: "open", page }]
    }
}

impl Samples for Messages {
    fn samples() -> Vec<Sample<Self>> {
        let thread = |id: &str, title: &str, excerpt: &str, unread| ThreadLine {
            to: Link::new(
                title,
                urls::Thread {
                    game: GAME,
                    thread: id,
                },
            ),
            excerpt: excerpt.into(),
            when: ago(61),
            unread,
        };
        let page = Messages {
            chrome: chrome("Messages", ""),
            threads: vec![
                thread("1", "Oriel", "About the two Oil you owe me …", 1),
                thread("2", "Hanno and Pell", "High water, then?", 0),
            ],
            form: Some(Form {
                fields: vec![
                    Field::new(
                        "to",
                        "to",
                        "To",
                        FieldKind::One(vec![
                            Choice::new("oriel", "Oriel"),
                            Choice::new("hanno", "Hanno"),
                        ]),
                    ),
                    Field::new("text", "text", "Message", FieldKind::Prose(String::new())),
                ],
                ..Form::button(send(urls::Messages { game: GAME }), "Send")
            }),
        };
        let none = Messages {
            threads: vec![],
            form: None,
            ..page.clone()
        };
        vec![
            Sample { name: "two", page },
            Sample {
                name: "none",
                page: none,
            },
        ]
    }
}

impl Samples for Thread {
    fn samples() -> Vec<Sample<Self>> {
        let letter = |n: u32, name: &str, words: &str| Letter {
            id: format!("m{n}"),
            by: person(name),
            when: ago(i64::from(100 - n)),
            body: line(words),
        };
        let page = Thread {
            chrome: chrome("Messages with Oriel", ""),
            title: "Messages with Oriel".into(),
            back: Link::new("Messages", urls::Messages { game: GAME }),
            about: "Oriel reads this as the mediator of rule 9.".into(),
            letters: vec![
                letter(1, "Oriel", "About the two Oil you owe me."),
                letter(2, "Cosima", "At ebb."),
            ],
            form: Some(Form {
                fields: vec![Field::new(
                    "text",
                    "text",
                    "Answer",
                    FieldKind::Prose(String::new()),
                )],
                ..Form::button(
                    send(urls::Thread {
                        game: GAME,
                        thread: "1",
                    }),
                    "Send",
                )
            }),
        };
        vec![Sample {
            name: "with the mediator",
            page,
        }]
    }
}
