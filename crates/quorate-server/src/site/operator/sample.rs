//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::operator::page::{Operator, SecurityLog};
use crate::ui::sample::world::{GAME, ago, bare, send};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{
    Cell, Column, Fact, Field, FieldKind, Form, Link, Person, Row, Status, StatusKind, Table,
    TodoLine, urls,
};

impl Samples for Operator {
    fn samples() -> Vec<Sample<Self>> {
        let button = |what: &str, words: &str| Form::button(send(urls::OperatorDo { what }), words);
        let account = |name: &str, mail: &str| Row {
            id: format!("account-{name}"),
            owner: Person::named(name),
            cells: vec![Cell::text(mail), Cell::text("2"), Cell::text("active")],
            changed: Some(ago(90)),
            history: None,
        };
        let page = Operator {
            chrome: bare("Operator’s panel"),
            health: vec![
                Fact::new("Version", "0.1.0"),
                Fact::new("Games", "41, 6 awake"),
                Fact::new("Memory", "212 MiB"),
                Fact::new("Last backup", "today").note("14:00 UTC, 38 MiB"),
            ],
            lines: vec![
                TodoLine {
                    status: Some(Status::new(
                        StatusKind::Asleep,
                        "Rule 14.3 of Saltmarsh sleeps",
                    )),
                    text: "It ran out of steps three times since 16 Sep.".into(),
                    forms: vec![button("wake", "Wake it").expected()],
                    ..TodoLine::default()
                },
                TodoLine {
                    status: Some(Status::new(StatusKind::Failed, "A worker was killed")),
                    text: "Knucklebones, rule 8.2, after 1 s; back after 140 ms.".into(),
                    more: Some(Link::new("See it", urls::Game { game: GAME })),
                    ..TodoLine::default()
                },
            ],
            games: Table {
                id: "games".into(),
                label: "Games".into(),
                owner: Column::words("Game"),
                columns: vec![Column::numbers("Events"), Column::words("Backup")],
                rows: vec![Row {
                    id: "game-harbour".into(),
                    owner: Person::named(GAME),
                    cells: vec![
                        Cell::text("412"),
                        Cell::to("download", urls::Backup { game: GAME }),
                    ],
                    changed: None,
                    history: None,
                }],
                pseudo: Vec::new(),
                tells_change: false,
            },
            removed: vec![TodoLine {
                status: Some(Status::new(StatusKind::Void, "Removed")),
                text: "knucklebones, 16 Sep, 14:02 UTC".into(),
                forms: vec![button("put-back", "Put it back").expected()],
                ..TodoLine::default()
            }],
            whole_backup: urls::WholeBackup.into(),
            security_log: urls::OperatorSecurity.into(),
            accounts: Table {
                id: "accounts".into(),
                label: "Accounts".into(),
                owner: Column::words("Account"),
                columns: vec![
                    Column::words("Mail"),
                    Column::numbers("Games"),
                    Column::words("State"),
                ],
                rows: vec![
                    account("cosima", "c…@saltmarsh.example"),
                    account("jory", "none"),
                ],
                pseudo: vec![],
                tells_change: true,
            },
            invite: Form {
                fields: vec![Field::new(
                    "uses",
                    "uses",
                    "How many may use it",
                    FieldKind::Number {
                        value: "1".into(),
                        min: Some(1),
                        max: Some(50),
                    },
                )],
                ..button("invite", "Make a link")
            },
            shown_once: Some(
                Fact::new(
                    "Recovery link for jory",
                    "https://quorate.example/recover/5f3c9a0e41",
                )
                .note("Works once, for an hour. Hand it over in person."),
            ),
            recover: button("recover", "Make a recovery link"),
            restrain: button("restrain", "Change the account"),
            remove: button("remove", "Remove it"),
            withhold: button("withhold", "Withhold it permanently"),
        };
        vec![Sample {
            name: "panel",
            page,
        }]
    }
}

impl Samples for SecurityLog {
    fn samples() -> Vec<Sample<Self>> {
        let row = |nth: u32, what: &str, cells: [&str; 5]| Row {
            id: format!("entry-{nth}"),
            owner: Person::named(what),
            cells: cells.map(Cell::text).to_vec(),
            changed: None,
            history: None,
        };
        let page = SecurityLog {
            chrome: bare("Security log"),
            entries: Table {
                id: "entries".into(),
                label: "Security log".into(),
                owner: Column::words("What"),
                columns: ["When", "Account", "By", "About", "From"]
                    .map(Column::words)
                    .to_vec(),
                rows: vec![
                    row(
                        0,
                        "Signed in",
                        [
                            "16 Sep, 14:02 UTC",
                            "cosima",
                            "",
                            "",
                            "Firefox on Linux, from 192.0.2.7",
                        ],
                    ),
                    row(
                        1,
                        "An operator made an invitation",
                        [
                            "16 Sep, 13:40 UTC",
                            "",
                            "cosima",
                            "for 3 accounts",
                            "Firefox on Linux, from 192.0.2.7",
                        ],
                    ),
                ],
                pseudo: vec![],
                tells_change: false,
            },
        };
        vec![Sample { name: "log", page }]
    }
}
