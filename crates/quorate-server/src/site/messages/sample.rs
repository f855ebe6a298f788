//! Samples of the pages beside this file.

use crate::site::messages::page::{Letter, Messages, Thread, ThreadLine};
use crate::ui::sample::world::{GAME, ago, chrome, line, person, send};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{Choice, Field, FieldKind, Form, Link, urls};

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
