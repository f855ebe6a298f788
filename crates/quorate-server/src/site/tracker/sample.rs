//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::tracker::page::{DiceLine, Tracker};
use crate::ui::sample::pieces::{boats, history, players};
use crate::ui::sample::world::{GAME, ago, as_stranger, chrome, send};
use crate::ui::sample::{Sample, Samples};
use crate::ui::urls::Href;
use crate::ui::{
    Choice, Die, Fact, Field, FieldKind, Form, Link, Roll, Status, StatusKind, Swatch, TodoLine,
    urls,
};

impl Samples for Tracker {
    fn samples() -> Vec<Sample<Self>> {
        let roll = |minutes, by: &str, what: &str, dice: Vec<Die>, result: &str| Roll {
            when: ago(minutes),
            by: by.into(),
            what: what.into(),
            dice,
            swatch: None,
            result: result.into(),
        };
        let view = |kind, word: &str, text: &str, buttons: &[&str]| TodoLine {
            status: Some(Status::new(kind, word)),
            text: text.into(),
            forms: buttons
                .iter()
                .map(|b| {
                    Form::button(
                        send(urls::Confirm {
                            game: GAME,
                            event: "4809",
                        }),
                        *b,
                    )
                    .expected()
                })
                .collect(),
            more: Some(Link::new(
                "The event",
                urls::Event {
                    game: GAME,
                    event: "4809",
                },
            )),
            ..TodoLine::default()
        };
        let page = Tracker {
            fresh: None,
        columns: vec![Choice::new("oil", "Oil"), Choice::new("tide", "Tide")],
        here: urls::Tracker { game: GAME }.into(),
        chrome: chrome("Tracker", "Tracker"),
            past: None,
            tables: vec![(String::new(), players(true)), ("Boats".into(), boats())],
            key: vec!["* behind a mooring".into()],
            pages: vec![Link::new("The flat", urls::Page { game: GAME, page: "flat" })],
            history: None,
            facts: vec![Fact::new("Tide", "ebbing"), Fact::new("Lamps lit", "5 of 9")],
            dice: Some(DiceLine {
                send: send(urls::Roll { game: GAME }),
                field: Field::new("dice-line", "line", "What for, and which dice", FieldKind::Line("Naming the lost: 2DICE6, FRUIT".into())).hint("DICE6 one die of six · 3DICE8 three of eight · FRUIT · COLOUR. Each roll is kept and cannot be taken back."),
            }),
            rolls: vec![
                roll(22, "Ilse", "Forage, by claim, rule 14.3", vec![Die::rolled(6, 4), Die::rolled(6, 6)], "10"),
                roll(295, "Hanno", "who eats first: 2DICE20", vec![Die::rolled(20, 17), Die::rolled(20, 3)], "20"),
                Roll { swatch: Some(Swatch([0x3f, 0x7f, 0x78])), ..roll(460, "Jory", "banner: COLOUR", vec![], "#3F7F78") },
            ],
            all_rolls: Link::new("All rolls", Href::from(urls::Log { game: GAME }).with("only", "dice")),
            looks: vec![
                view(StatusKind::Claimed, "Ilse, Oil 52 → 62", "“Foraged, 4 + 6.” Rule 14.3, whose code sleeps. Settles on Thu 18 Sep, 16:20 UTC if nobody objects.", &["Confirm", "Dispute", "Undo"]),
                view(StatusKind::Disputed, "Hanno, Oil 93 → 78", "Undone and redone by Jory and Hanno at 11:40. A third turn needs a call for judgement.", &[]),
            ],
        };
        let past = Tracker {
            past: Some("As it was after event 3,120, on Mon 1 Sep, 09:14 UTC.".into()),
            tables: vec![(String::new(), players(false))],
            dice: None,
            rolls: vec![],
            looks: vec![],
            history: Some(history()),
            chrome: as_stranger(chrome("Tracker", "Tracker")),
            ..page.clone()
        };
        vec![
            Sample {
                name: "with a history open",
                page,
            },
            Sample {
                name: "of another moment",
                page: past,
            },
        ]
    }
}
