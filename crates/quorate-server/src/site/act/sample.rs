//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::act::page::{ActPage, ActTopic, ActTrial, Closed, OpenQuestion};
use crate::ui::sample::pieces::{no, outcome, results};
use crate::ui::sample::world::{GAME, ME, ahead, chrome, rule, send};
use crate::ui::sample::{Sample, Samples};
use crate::ui::urls::Href;
use crate::ui::{
    Choice, Die, Effect, Fact, Field, FieldKind, Form, Link, Need, Offer, Refusal, Sheet, urls,
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
                        "Your comment",
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

fn act() -> ActPage {
    let question = |id: &str, options: Vec<Choice>| OpenQuestion {
        id: id.into(),
        dice: vec![Die::rolled(9, 3), Die::rolled(9, 8)],
        lead: "Your line came down on C8".into(),
        text: ", which is empty. Leave a buoy there?".into(),
        send: send(urls::Answer {
            game: GAME,
            question: id,
        }),
        options,
        may_give_up: false,
        default: "lets it go".into(),
        due: Some(ahead(9)),
        cite: Some(rule("rule 9.2", "lines")),
    };
    ActPage {
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
        trial: None,
        questions: vec![
            question(
                "q1",
                vec![
                    Choice::new("yes", "Leave it on C8"),
                    Choice::new("no", "Let it go"),
                ],
            ),
            OpenQuestion {
                dice: vec![],
                may_give_up: true,
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
        now: by_topic(now()),
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

impl Samples for ActPage {
    fn samples() -> Vec<Sample<Self>> {
        let refused = ActPage {
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
        let tried = ActPage {
            trial: Some(ActTrial {
                title: "Post the Ascension Address".into(),
                lines: vec![
                    Effect::new("Rules that stay need:", "Tides (for The race).").alarm(),
                    Effect::new(
                        "The race would lose something:",
                        "Clause 3 breaks where it uses `drowned` of Tides. The rest of The race works.",
                    )
                    .alarm(),
                    Effect::new("Repealed:", "Tides"),
                ],
            }),
            refusal: None,
            ..refused.clone()
        };
        vec![
            Sample {
                name: "tried",
                page: tried,
            },
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

/// The first two as likely next, the others folded.
fn by_topic(mut offers: Vec<Offer>) -> Vec<ActTopic> {
    let rest = offers.split_off(2);
    let topic = |id: &str, title: &str, offers| ActTopic {
        id: id.into(),
        title: title.into(),
        offers,
        is_open: id == "likely",
    };
    vec![
        topic("likely", "Likely next", offers),
        topic("of-harbour", "The Harbour", rest),
    ]
}
