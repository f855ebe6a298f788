//! Acting, the board, a refusal.
//!
//! Long because a sample is one literal that fills every field of a page.

use super::world::{GAME, ME, ago, ahead, chrome, rule, send};
use crate::{
    pages::{
        Act, BoardPage, Closed, Fact, Link, Moves, Outcome, Question, RefusalPage, Sample, Samples,
        Sheet, Tab,
    },
    parts::{
        Board, Cell, Choice, Column, Die, Field, FieldKind, Form, Glyph, LegendLine, Need, Offer,
        Piece, Refusal, Row, Square, Table, Target, Trail,
    },
    urls::{self, Href},
};

fn offer(
    action: &str,
    title: &str,
    cost: &str,
    about: &str,
    cite: &str,
    open: Result<Form, Refusal>,
) -> Offer {
    Offer {
        action: action.into(),
        title: title.into(),
        cost: (!cost.is_empty()).then(|| cost.into()),
        about: about.into(),
        says: String::new(),
        rest: String::new(),
        cite: Some(rule(cite, action)),
        open,
    }
}

fn form(action: &str, button: &str, fields: Vec<Field>) -> Form {
    Form {
        fields,
        ..Form::button(send(urls::Action { game: GAME, action }), button)
    }
}

fn one(id: &str, label: &str, choices: &[&str]) -> Field {
    Field::new(
        id,
        id,
        label,
        FieldKind::One(choices.iter().map(|c| Choice::new(*c, *c)).collect()),
    )
}

fn no(
    tried: &str,
    needs: Vec<Need>,
    because: Option<&str>,
    cite: &str,
    minutes: Option<i64>,
) -> Refusal {
    Refusal {
        tried: tried.into(),
        needs,
        because: because.map(Into::into),
        cite: Some(rule(cite, "lamps")),
        next: minutes.map(ahead),
        field: None,
    }
}

fn now() -> Vec<Offer> {
    let dice = Form {
        dice: vec![Die::to_come(6), Die::to_come(6)],
        ..form("forage", "Roll", vec![])
    };
    vec![
        offer(
            "light",
            "Light a lamp",
            "45 Oil, daily",
            "Pay 30 Oil, and 5 more for each Lamp you mind, to light one more.",
            "rule 12.2",
            Ok(form("light", "Light", vec![])),
        ),
        offer(
            "row",
            "Row",
            "1 Stroke",
            "To a square beside E3. Juniper on F4 is in the way.",
            "rule 4.3",
            Ok(form(
                "row",
                "Row",
                vec![one(
                    "to",
                    "To",
                    &[
                        "E4, drift to E5",
                        "D4, a wreck",
                        "D3",
                        "F3",
                        "D2, the race: you drown",
                    ],
                )],
            )),
        ),
        offer(
            "tow",
            "Tow",
            "2 Strokes",
            "Pull somebody one square after you. They may not thank you.",
            "rule 4.4",
            Ok(form(
                "tow",
                "Tow",
                vec![
                    one("whom", "Whom", &["Juniper, F4"]),
                    one("tow-to", "To", &["F5", "G5", "G4"]),
                ],
            )),
        ),
        offer(
            "trade",
            "Trade Oil",
            "free",
            "Give Oil to another Keeper, with a word.",
            "rule 12.8",
            Ok(form(
                "trade",
                "Give",
                vec![
                    one("trade-to", "To", &["Hanno", "Ilse"]),
                    Field::new(
                        "trade-n",
                        "amount",
                        "Oil",
                        FieldKind::Number {
                            value: "400".into(),
                            min: Some(1),
                            max: Some(96),
                        },
                    )
                    .wrong("Whole number from 1 to 96."),
                ],
            )),
        ),
        offer(
            "forage",
            "Forage",
            "free, daily",
            "Two dice say how much Oil the reeds give.",
            "rule 14.3",
            Ok(dice),
        ),
        offer(
            "keep",
            "Name the rules that stay",
            "",
            "Choose which dynastic rules outlive the dynasty.",
            "rule 10.7",
            Ok(form(
                "keep",
                "Name them",
                vec![
                    Field::new(
                        "kept",
                        "keep",
                        "Rules",
                        FieldKind::Many(
                            ["Lamps", "The ferry", "The harbour dog", "Tides"]
                                .map(|r| Choice::new(r, r))
                                .to_vec(),
                        ),
                    ),
                    Field::new(
                        "kept-why",
                        "why",
                        "A word with it",
                        FieldKind::Prose(String::new()),
                    )
                    .optional(),
                    Field::new("kept-now", "now", "At once", FieldKind::Flag(false)).optional(),
                    Field::new(
                        "kept-style",
                        "style",
                        "How it is told",
                        FieldKind::OneInSight(vec![
                            Choice {
                                chosen: true,
                                ..Choice::new("post", "as a post")
                            },
                            Choice::new("quiet", "quietly"),
                        ]),
                    ),
                ],
            )),
        ),
    ]
}

fn outcome(minutes: i64, what: &str, dice: Vec<Die>, text: &str) -> Outcome {
    Outcome {
        when: ago(minutes),
        what: what.into(),
        dice,
        text: text.into(),
        event: Some(Link::new(
            "undo",
            urls::Event {
                game: GAME,
                event: "4811",
            },
        )),
    }
}

fn results() -> Vec<Outcome> {
    vec![
        outcome(
            1,
            "Drop a line",
            vec![Die::rolled(9, 3), Die::rolled(9, 8)],
            "column C, row 8",
        ),
        outcome(1_342, "Row", vec![], "E2 to E3. Strokes 3 → 2"),
        outcome(
            3_900,
            "Tow",
            vec![Die::rolled(6, 2)],
            "Pell onto F8. +1 Thanks",
        ),
    ]
}

fn act() -> Act {
    let question = |id: &str, options: Vec<Choice>| Question {
        id: id.into(),
        dice: vec![Die::rolled(9, 3), Die::rolled(9, 8)],
        lead: "Your line came down on C8".into(),
        text: ", which is empty. Leave a buoy there?".into(),
        send: send(urls::Answer {
            game: GAME,
            question: id,
        }),
        options,
        default: "lets it go".into(),
        due: Some(ahead(9)),
        cite: Some(rule("rule 9.2", "lines")),
    };
    Act {
        chrome: chrome("Act", "Act"),
        who: ME.into(),
        board: Some(Link::new(
            "Do it on the flat",
            urls::Board {
                game: GAME,
                board: "flat",
            },
        )),
        just_now: None,
        refusal: None,
        questions: vec![
            question(
                "q1",
                vec![
                    Choice::new("yes", "Leave it on C8"),
                    Choice::new("no", "Let it go"),
                ],
            ),
            Question {
                dice: vec![],
                lead: "Juniper hails you.".into(),
                text: " What do you answer?".into(),
                ..question(
                    "q2",
                    [
                        "Ahoy",
                        "Who goes",
                        "Nothing",
                        "A lamp signal",
                        "Drift by",
                        "Ram",
                    ]
                    .map(|c| Choice::new(c, c))
                    .to_vec(),
                )
            },
        ],
        now: now(),
        later: vec![
            offer(
                "line",
                "Drop a line",
                "",
                "",
                "rule 9.1",
                Err(no(
                    "Drop a line",
                    vec![],
                    Some("once a day, and used at 16:41"),
                    "rule 9.1",
                    Some(438),
                )),
            ),
            offer(
                "storm",
                "Call the storm",
                "",
                "",
                "rule 11.4",
                Err(no(
                    "Call the storm",
                    vec![Need::of("Days without wind", "2", "3")],
                    None,
                    "rule 11.4",
                    Some(1_008),
                )),
            ),
        ],
        not: Closed::by_reason(vec![
            offer(
                "ascend",
                "Ascend",
                "",
                "",
                "rule 10.3",
                Err(no(
                    "Ascend",
                    vec![Need::that("a victory that has passed")],
                    None,
                    "rule 10.3",
                    None,
                )),
            ),
            offer(
                "recruit",
                "Hire a deckhand",
                "",
                "",
                "rule 13.2",
                Err(no(
                    "Hire a deckhand",
                    vec![
                        Need::of("Oil", "96", "120"),
                        Need::of("Place", "Flat", "Landing"),
                    ],
                    None,
                    "rule 13.2",
                    None,
                )),
            ),
        ]),
        sheet: Some(Sheet {
            title: ME.into(),
            note: "rowing on E3".into(),
            facts: vec![
                Fact::new("Strokes", "2 of 3").note("3 again with the next tide"),
                Fact::new("Oil", "96"),
                Fact::new("Lamps", "3"),
                Fact::new("Carries", "a boathook"),
            ],
        }),
        results: results(),
        all_results: Link::new(
            "all",
            Href::from(urls::Log { game: GAME }).with("by", "cosima"),
        ),
    }
}

impl Samples for Act {
    fn samples() -> Vec<Sample<Self>> {
        let refused = Act {
            refusal: Some(no(
                "Light a lamp",
                vec![Need::of("Oil", "12", "45")],
                None,
                "rule 12.2",
                Some(438),
            )),
            just_now: Some(outcome(
                0,
                "Forage",
                vec![Die::rolled(6, 4), Die::rolled(6, 6)],
                "10 Oil from the reeds",
            )),
            questions: vec![],
            now: vec![],
            sheet: None,
            results: vec![],
            ..act()
        };
        vec![
            Sample {
                name: "with questions",
                page: act(),
            },
            Sample {
                name: "refused",
                page: refused,
            },
        ]
    }
}

pub(super) fn flat() -> Board {
    let square = |column, row, glyph, name: &str| Square {
        column,
        row,
        glyph,
        name: name.into(),
    };
    let piece = |name: &str, column, row| Piece {
        column,
        row,
        name: name.into(),
        is_you: name == ME,
        picture: None,
        alarms: Vec::new(),
    };
    let legend = |glyph, words: &str| LegendLine {
        glyph,
        picture: None,
        words: words.into(),
    };
    Board {
        id: "flat".into(),
        title: "The flat".into(),
        columns: ["A", "B", "C", "D", "E", "F", "G", "H", "I"]
            .map(String::from)
            .to_vec(),
        rows: (1..=9).map(|n| n.to_string()).collect(),
        squares: vec![
            square(0, 0, Glyph::Hazard, "a race"),
            square(8, 0, Glyph::Hazard, "a race"),
            square(0, 8, Glyph::Hazard, "a race"),
            square(3, 1, Glyph::Hazard, "a race"),
            square(1, 4, Glyph::Beam, "a boom"),
            square(1, 5, Glyph::Beam, "a boom"),
            square(3, 3, Glyph::Rings, "a wreck"),
            square(4, 3, Glyph::Drop, "a slick"),
            square(4, 4, Glyph::Cup, "the Cup"),
            square(7, 4, Glyph::Crate, "a crate"),
            square(6, 2, Glyph::Hexagon, "a buoy"),
            square(5, 7, Glyph::Trap, "a reef"),
            square(7, 7, Glyph::Water, "deep water"),
            square(2, 7, Glyph::named("Quay"), "a quay"),
            square(6, 6, Glyph::House, "the Landing"),
            square(0, 4, Glyph::Tree, "reeds"),
            square(8, 6, Glyph::StairsUp, "the Spire"),
            square(6, 8, Glyph::Flag, "a mark"),
        ],
        pieces: vec![
            piece(ME, 4, 2),
            piece("Juniper", 5, 3),
            piece("Tamsin", 2, 6),
            piece("Sennen", 7, 8),
            piece("Vance", 2, 5),
            piece("Hanno", 2, 5),
            piece("Ilse", 2, 5),
        ],
        trails: vec![Trail {
            from: (3, 2),
            to: (4, 2),
        }],
        targets: vec![],
        form: None,
        legend: vec![
            legend(None, "a Keeper"),
            legend(Some(Glyph::Hazard), "a race, drowns"),
            legend(Some(Glyph::Drop), "a slick, drifts"),
            legend(Some(Glyph::Rings), "a wreck"),
            legend(Some(Glyph::Crate), "a crate"),
            legend(Some(Glyph::Beam), "a boom, shut"),
            legend(Some(Glyph::Hexagon), "a buoy"),
            legend(Some(Glyph::Cup), "the Cup"),
        ],
    }
}

impl Samples for BoardPage {
    fn samples() -> Vec<Sample<Self>> {
        let here = || {
            Href::from(urls::Board {
                game: GAME,
                board: "flat",
            })
        };
        let tab = |title: &str, note: &str, is_current, is_closed| Tab {
            title: title.into(),
            note: note.into(),
            href: here().with("do", title),
            is_current,
            is_closed,
        };
        let target = |column, row, value: &str, words: &str, is_risky| Target {
            column,
            row,
            value: value.into(),
            title: value.into(),
            words: words.into(),
            is_risky,
            is_chosen: value == "E4",
            href: here().with("to", value).at("moves"),
        };
        let targets = vec![
            target(
                4,
                3,
                "E4",
                "drift on the slick to E5 and take the Cup",
                false,
            ),
            target(
                3,
                3,
                "D4",
                "search the wreck: one of 7 finds, by die",
                false,
            ),
            target(3, 2, "D3", "open water", false),
            target(5, 2, "F3", "open water", false),
            target(4, 1, "E2", "open water", false),
            target(3, 1, "D2", "the race: you drown", true),
        ];
        let rower = |name: &str, at: &str, strokes: &str| Row {
            id: format!("rower-{name}"),
            owner: super::world::person(name),
            cells: vec![Cell::text(at), Cell::text(strokes)],
            changed: None,
            history: None,
        };
        let table = Table {
            id: "rowers".into(),
            label: "Rowers".into(),
            owner: Column::words("Keeper"),
            columns: vec![Column::words("Square"), Column::numbers("Strokes")],
            rows: vec![
                rower("Sennen", "H9", "3"),
                rower(ME, "E3", "2"),
                rower("Juniper", "F4", "1"),
            ],
            pseudo: vec![],
            tells_change: false,
        };
        let page = BoardPage {
            chrome: chrome("The flat", "The flat"),
            title: "The flat".into(),
            about: "Tide 12, begun Wed 17 Sep, 12:00 UTC. The next begins on Thu 18 Sep, 00:00 UTC.".into(),
            ways: vec![Link::new("before the last move", here().with("at", "4810"))],
            tabs: vec![tab("Row", "1 Stroke", true, false), tab("Tow", "2 Strokes", false, false), tab("Drop a line", "Thu", false, true)],
            board: Board { targets, form: Some("moves".into()), ..flat() },
            moves: Some(Moves {
                title: "Row from E3".into(),
                count: "6 squares".into(),
                with: vec![tab("Alone", "", true, false), tab("Towing Ilse", "", false, false)],
                fields: vec![Field::new("row-why", "summary", "Said of it", FieldKind::Line(String::new())).optional()],
                about: "2 Strokes left. 1 Main Action spent since 18:20 yesterday.".into(),
                says: "One in six is swept away.".into(),
                send: send(urls::Action { game: GAME, action: "row" }),
                name: "to".into(),
                button: "Row to {}, 1 Stroke".into(),
                note: "F4 is Juniper’s: you can tow, not row there. G3 and column B let nobody in (rules 3.2, 8.4).".into(),
            }),
            results: results(),
            table: Some(("Rowing".into(), "7, and 3 ashore".into(), table)),
        };
        let looking = BoardPage {
            tabs: vec![],
            board: flat(),
            moves: None,
            results: vec![],
            table: None,
            ..page.clone()
        };
        vec![
            Sample {
                name: "choosing a square",
                page,
            },
            Sample {
                name: "looking on",
                page: looking,
            },
        ]
    }
}

impl Samples for RefusalPage {
    fn samples() -> Vec<Sample<Self>> {
        let page = RefusalPage {
            chrome: chrome("Not possible now", ""),
            refusal: no(
                "Your vote",
                vec![],
                Some("the proposal was enacted at 16:40"),
                "rule 5.3",
                None,
            ),
            typed: Some("Eight was vanity.\nSix it is. <b>".into()),
            back: Link::new("Back to the post", super::world::post("94-0")),
        };
        vec![Sample {
            name: "with what was typed",
            page,
        }]
    }
}
