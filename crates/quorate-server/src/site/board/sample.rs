//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::board::page::{BoardPage, Moves, Tab};
use crate::ui::sample::pieces::{flat, results};
use crate::ui::sample::world::{GAME, ME, chrome, send};
use crate::ui::sample::{Sample, Samples};
use crate::ui::urls::Href;
use crate::ui::{Board, Cell, Column, Field, FieldKind, Link, Row, Table, Target, urls};

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
            owner: crate::ui::sample::world::person(name),
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
