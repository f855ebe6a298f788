//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::game_page::page::{Block, BoardPlace, Branch, LawPage, PageBlockKind, There};
use crate::ui::sample::world::{GAME, chrome, person, post, text};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{Bar, Fact, Field, FieldKind, Form, Link, urls};

fn places() -> Vec<BoardPlace> {
    let there = |name: &str, notes: &[&str], with: Vec<There>| There {
        who: Some(person(name)),
        notes: notes
            .iter()
            .map(|note| ((*note).to_owned(), Bar::parse(note)))
            .collect(),
        with,
    };
    let heap = There {
        who: None,
        notes: vec![("2 × oar, a lantern".to_owned(), None)],
        with: Vec::new(),
    };
    let gull = there("a gull", &["3/4 HP"], Vec::new());
    vec![
        BoardPlace {
            title: "The Spire".to_owned(),
            is_here: true,
            facts: vec![(
                "Boats, of its berths".to_owned(),
                "7 of 5".to_owned(),
                Bar::new(7, 5),
            )],
            there: vec![
                (
                    "Keepers".to_owned(),
                    vec![there("Juniper", &["Oil 96", "wet"], vec![gull])],
                ),
                ("Heaps".to_owned(), vec![heap]),
            ],
        },
        BoardPlace {
            title: "The Flat".to_owned(),
            is_here: false,
            facts: Vec::new(),
            there: Vec::new(),
        },
    ]
}

fn tree() -> Vec<Branch> {
    let branch = |name: &str, note: &str, below: Vec<Branch>| Branch {
        who: person(name),
        note: note.to_owned(),
        below,
    };
    vec![branch(
        "Juniper",
        "holds to Ilse in turn",
        vec![branch("Ilse", "", vec![branch("Vance", "", Vec::new())])],
    )]
}

impl Samples for LawPage {
    fn samples() -> Vec<Sample<Self>> {
        let block = |id: &str, title: &str, note: &str, kind| Block {
            id: id.into(),
            title: title.into(),
            note: note.into(),
            kind,
            is_folded: false,
        };
        let page = LawPage {
            chrome: chrome("Boats", ""),
            title: "Boats".into(),
            about: "Declared by rule 15. Changed last by Juniper, today 14:02 UTC.".into(),
            blocks: vec![
                block(
                    "p",
                    "How boats are kept",
                    "",
                    PageBlockKind::Prose(text("A boat is *afloat* or **lost**. Nobody sells one.")),
                ),
                block(
                    "l",
                    "Names that are taken",
                    "3",
                    PageBlockKind::List(vec![
                        ("Old Reckoner".into(), None),
                        ("Gull".into(), Some(Link::new("its story", post("92-0")))),
                        ("Second Thought".into(), None),
                    ]),
                ),
                block(
                    "t",
                    "Afloat",
                    "11",
                    PageBlockKind::Table(crate::ui::sample::pieces::boats()),
                ),
                block(
                    "s",
                    "The ferry",
                    "",
                    PageBlockKind::Sheet(vec![
                        Fact::new("Moored at", "the Spire"),
                        Fact::new("Bell", "cracked").note("since the storm"),
                    ]),
                ),
                block(
                    "b",
                    "The flat",
                    "",
                    PageBlockKind::Board(crate::ui::sample::pieces::flat()),
                ),
                block(
                    "w",
                    "Who and what is where",
                    "2",
                    PageBlockKind::Places(places()),
                ),
                block("h", "Sworn to", "", PageBlockKind::Tree(tree())),
                block(
                    "k",
                    "Storm Posts",
                    "2",
                    PageBlockKind::Posts(vec![
                        (
                            Link::new("The third gale", post("91-0")),
                            "Wed 17 Sep, 09:12 UTC".into(),
                            vec![
                                Fact::new("Boats lost", "2"),
                                Fact::new("Seen by", "Juniper"),
                            ],
                        ),
                        (
                            Link::new("A breeze", post("90-0")),
                            "Tue 16 Sep, 21:40 UTC".into(),
                            Vec::new(),
                        ),
                    ]),
                ),
                Block {
                    is_folded: true,
                    ..block(
                        "f",
                        "Places",
                        "2",
                        PageBlockKind::List(vec![("Spire".into(), None)]),
                    )
                },
            ],
            history: Some(Link::new(
                "12 versions",
                urls::Page {
                    game: GAME,
                    page: "boats",
                },
            )),
            edit: Some(Form {
                fields: vec![
                    Field::new(
                        "page-text",
                        "text",
                        "Text",
                        FieldKind::Prose("A boat is afloat or lost.".into()),
                    ),
                    Field::new("page-why", "why", "Reason", FieldKind::Line(String::new())),
                ],
                ..Form::button(
                    crate::ui::sample::world::send(urls::Page {
                        game: GAME,
                        page: "boats",
                    }),
                    "Save the page",
                )
            }),
        };
        vec![Sample {
            name: "all kinds of blocks",
            page,
        }]
    }
}
