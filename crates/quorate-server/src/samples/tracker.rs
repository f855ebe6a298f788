//! Values, players, dynasties, charts.
//!
//! Long because a sample is one literal that fills every field of a page.

use super::world::{GAME, ago, as_stranger, chrome, person, post, rule, send, text};
use crate::{
    pages::{
        Charts, DiceLine, Dynasties, DynastyLine, DynastyPage, Fact, Link, LookAgain, PlayerPage,
        Players, PledgeTold, Sample, Samples, Tracker, Voted,
    },
    parts::{
        Ballot, Cell, Chart, Choice, Claim, Column, Die, Field, FieldKind, Form, History, Need,
        Offer, Person, Point, Refusal, Roll, Row, Sorted, Status, StatusKind, Step, Swatch, Table,
    },
    urls::{self, Href},
};

fn history() -> History {
    let step = |minutes, old: &str, new: &str, how: &str| Step {
        when: ago(minutes),
        old: Some(old.into()),
        new: new.into(),
        how: how.into(),
        cite: None,
        dice: vec![],
        claim: None,
        outcome: None,
        event: None,
    };
    History {
        id: "history".into(),
        title: "Sennen, Lamps: 4".into(),
        about: "never below 0".into(),
        cite: Some(rule("rule 12.1", "lamps")),
        steps: vec![
            Step {
                dice: vec![Die::rolled(6, 3)],
                cite: Some(rule("rule 14.2", "ferry")),
                event: Some(
                    urls::Event {
                        game: GAME,
                        event: "4811",
                    }
                    .into(),
                ),
                ..step(217, "1", "4", "Sennen, Forage at the Reeds")
            },
            step(
                1_002,
                "2",
                "1",
                "the game, the dog beside a lamp, rule 15.9",
            ),
            Step {
                claim: Some(Claim::Claimed),
                outcome: Some("accepted after 24 h".into()),
                ..step(
                    1_280,
                    "3",
                    "2",
                    "Vance, edit: “Sennen forgot the loss at the Spire.”",
                )
            },
        ],
        all: Some((
            "All 31 changes".into(),
            Href::from(urls::Log { game: GAME }).with("value", "lamps"),
        )),
        chart: Some(Href::from(urls::Charts { game: GAME }).with("value", "lamps")),
        close: urls::Tracker { game: GAME }.into(),
        edit: Some(Form {
            fields: vec![
                Field::new(
                    "edit-value",
                    "value",
                    "New value",
                    FieldKind::Number {
                        value: "4".into(),
                        min: Some(0),
                        max: Some(9),
                    },
                ),
                Field::new(
                    "edit-rule",
                    "rule",
                    "It rests on",
                    FieldKind::One(vec![
                        Choice::new("lamps.2", "12.2 Lamps"),
                        Choice::new("ferry.2", "14.2 The ferry"),
                    ]),
                ),
                Field::new("edit-why", "why", "Reason", FieldKind::Line(String::new())),
            ],
            ..Form::button(send(urls::Claim { game: GAME }), "Record the claim")
        }),
    }
}

fn row(name: &str, oil: &str, lamps: &str, place: &str, errand: &str, minutes: i64) -> Row {
    let history = || {
        Href::from(urls::Tracker { game: GAME })
            .with("cell", name)
            .at("history")
    };
    let to = |value: &str| {
        if value.is_empty() {
            Cell::default()
        } else {
            Cell::to(value, history())
        }
    };
    Row {
        id: format!("row-{}", name.to_lowercase()),
        owner: person(name),
        cells: vec![to(oil), to(lamps), to(place), to(errand)],
        changed: Some(ago(minutes)),
        history: None,
    }
}

fn players(with_history: bool) -> Table {
    let sort = |title: &str| Some(Href::from(urls::Tracker { game: GAME }).with("sort", title));
    let mut rows = vec![
        row("Juniper", "171", "6", "Spire *", "", 152),
        row("Tamsin", "148", "3", "Landing", "", 251),
        row("Sennen", "120", "4", "Spire *", "", 217),
        row("Oriel", "104", "5", "Reeds", "", 1_700),
        row("Cosima", "96", "3", "Flat", "Reach the Landing", 92),
        row("Hanno", "78", "2", "Flat", "", 295),
        row("Ilse", "62", "2", "Reeds", "", 22),
        row("Pell", "12", "0", "Open water", "", 1_500),
    ];
    if with_history {
        rows[2].cells[1].is_open = true;
        rows[2].history = Some(history());
    }
    rows[5].cells[0].claim = Some(Claim::Disputed);
    rows[6].cells[0].claim = Some(Claim::Claimed);
    let pseudo = |name: &str, oil: &str| Row {
        owner: Person::named(name),
        ..row(name, oil, "", "", "", 160)
    };
    Table {
        id: "players-table".into(),
        label: "Tracked values of Keepers".into(),
        owner: Column {
            sort: sort("name"),
            ..Column::words("Keeper")
        },
        columns: vec![
            Column {
                sort: sort("oil"),
                sorted: Some(Sorted::Down),
                ..Column::numbers("Oil")
            },
            Column {
                sort: sort("lamps"),
                ..Column::numbers("Lamps")
            },
            Column {
                sort: sort("place"),
                ..Column::words("Place")
            },
            Column {
                private: Some("only you see this column".into()),
                ..Column::words("Errand")
            },
        ],
        rows,
        pseudo: vec![pseudo("The town", "612"), pseudo("Harbour dog", "100")],
        tells_change: true,
    }
}

pub(super) fn boats() -> Table {
    let boat = |name: &str, length: &str| Row {
        id: format!("boat-{length}"),
        owner: Person::named(name),
        cells: vec![
            Cell::text(length),
            Cell::text(
                "Repaired twice after the storm of last spring; leaks where it always has, and nobody minds any more.",
            ),
        ],
        changed: None,
        history: None,
    };
    Table {
        id: "boats".into(),
        label: "Boats".into(),
        owner: Column::words("Boat"),
        columns: vec![Column::numbers("Length"), Column::words("Notes")],
        rows: vec![boat("Gull", "7"), boat("Old Reckoner", "11")],
        pseudo: vec![],
        tells_change: false,
    }
}

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
        let look = |kind, word: &str, text: &str, buttons: &[&str]| LookAgain {
            status: Status::new(kind, word),
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
                })
                .collect(),
            more: Some(Link::new(
                "The event",
                urls::Event {
                    game: GAME,
                    event: "4809",
                },
            )),
        };
        let page = Tracker {
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
                look(StatusKind::Claimed, "Ilse, Oil 52 → 62", "“Foraged, 4 + 6.” Rule 14.3, whose code sleeps. Settles on Thu 18 Sep, 16:20 UTC if nobody objects.", &["Confirm", "Dispute", "Undo"]),
                look(StatusKind::Disputed, "Hanno, Oil 93 → 78", "Undone and redone by Jory and Hanno at 11:40. A third turn needs a call for judgement.", &[]),
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

impl Samples for Players {
    fn samples() -> Vec<Sample<Self>> {
        let page = Players {
            chrome: as_stranger(chrome("Keepers", "Players")),
            title: "Keepers".into(),
            about: "11 active, 4 idle; a quorum is 6.".into(),
            table: players(false),
            join: Some(Form {
                fields: vec![
                    Field::new(
                        "name",
                        "name",
                        "Name in this game",
                        FieldKind::Line("Th".into()),
                    )
                    .wrong("At least 3 letters."),
                    Field::new(
                        "hello",
                        "hello",
                        "A word to the others",
                        FieldKind::Prose(String::new()),
                    )
                    .optional(),
                ],
                expected: true,
                ..Form::button(send(urls::Join { game: GAME }), "Ask to join")
            }),
        };
        vec![Sample {
            name: "with the door open",
            page,
        }]
    }
}

impl Samples for PlayerPage {
    fn samples() -> Vec<Sample<Self>> {
        let no = Refusal {
            tried: "Idle Juniper".into(),
            needs: vec![Need::that("a week without a vote")],
            because: None,
            cite: Some(rule("rule 2.4", "idling")),
            next: Some(super::world::ahead(9_000)),
            field: None,
        };
        let offer = |action: &str, title: &str, open| Offer {
            action: action.into(),
            title: title.into(),
            cost: None,
            about: "What the rule says of it.".into(),
            says: String::new(),
            rest: String::new(),
            cite: None,
            open,
        };
        let page = PlayerPage {
            chrome: chrome("Juniper", "Players"),
            person: person("Juniper"),
            about: "Keeper since 2 July, active".into(),
            facts: vec![
                Fact::new("Oil", "171").to(urls::Tracker { game: GAME }),
                Fact::new("Lamps", "6"),
                Fact::new("Place", "Spire"),
            ],
            record: vec![
                Fact::new("Votes", "142 of 151"),
                Fact::new("Proposals", "19, 11 enacted"),
                Fact::new("Dynasties won", "1"),
            ],
            votes: vec![Voted {
                when: ago(300),
                ballot: Ballot::new("for"),
                on: Link::new("Longer piers", post("4-0")),
                status: Some(Status::new(StatusKind::Enacted, "Enacted")),
            }],
            idling: vec![
                (ago(40_000), "active again".into()),
                (ago(52_000), "idle, on request".into()),
            ],
            entries: super::front::days()
                .remove(0)
                .entries
                .into_iter()
                .take(2)
                .collect(),
            offers: vec![
                offer(
                    "hail",
                    "Hail Juniper",
                    Ok(Form::button(
                        send(urls::Action {
                            game: GAME,
                            action: "hail",
                        }),
                        "Hail",
                    )),
                ),
                offer("idle", "Idle", Err(no)),
            ],
            write: Some(Link::new("Write a message", urls::Messages { game: GAME })),
        };
        vec![Sample {
            name: "somebody else",
            page,
        }]
    }
}

impl Samples for Dynasties {
    fn samples() -> Vec<Sample<Self>> {
        let dynasty = |id: &str, title: &str, about: &str, ending: &str| DynastyLine {
            to: Link::new(
                title,
                urls::Dynasty {
                    game: GAME,
                    dynasty: id,
                },
            ),
            about: about.into(),
            ending: ending.into(),
        };
        let page = Dynasties {
            chrome: chrome("Dynasties", ""),
            dynasties: vec![
                dynasty(
                    "3",
                    "Third Dynasty of Oriel",
                    "12 days so far, 34 proposals",
                    "It runs.",
                ),
                dynasty(
                    "2",
                    "Second Dynasty of Oriel",
                    "38 days, 61 proposals",
                    "Won by Oriel on 5 September with the last dry boat on the flat.",
                ),
            ],
        };
        vec![Sample { name: "two", page }]
    }
}

impl Samples for DynastyPage {
    fn samples() -> Vec<Sample<Self>> {
        let page = DynastyPage {
            chrome: chrome("Second Dynasty of Oriel", ""),
            title: "Second Dynasty of Oriel".into(),
            about: "Boats on a flat that is sometimes a sea.".into(),
            story: text(
                "The water went out and did not ask.\n\n## The rules that stay\n\nAll of the core, and *The ferry*.",
            ),
            facts: vec![
                Fact::new("Emperor", "Oriel"),
                Fact::new("Days", "38"),
                Fact::new("Proposals", "61, 34 enacted"),
                Fact::new("Words", "Keeper, Harbourmaster"),
            ],
            ways: vec![
                Link::new(
                    "Its ruleset at the end",
                    Href::from(urls::Ruleset { game: GAME }).with("at", "2031-09-05"),
                ),
                Link::new("Its posts", post("2-0")),
            ],
            settled: vec![(ago(60_000), Link::new("Longer piers", post("4-0")), None)],
            pledges: vec![PledgeTold {
                event: Link::new("1", urls::Game { game: GAME }),
                said: "5a".repeat(32),
                key: Some("c3".repeat(32)),
            }],
            checked: None,
            check: Href::from(urls::Game { game: GAME }),
        };
        let running = DynastyPage {
            pledges: vec![PledgeTold {
                key: None,
                ..page.pledges[0].clone()
            }],
            checked: Some("Checked now: 41 dice shown as they had to be.".into()),
            ..page.clone()
        };
        vec![
            Sample { name: "over", page },
            Sample {
                name: "runs",
                page: running,
            },
        ]
    }
}

impl Samples for Charts {
    fn samples() -> Vec<Sample<Self>> {
        let points = |n: i64, f: fn(i64) -> i64| {
            (0..n)
                .map(|i| Point {
                    label: format!("week {}", 20 + i),
                    value: f(i),
                })
                .collect::<Vec<_>>()
        };
        let page = Charts {
            chrome: chrome("Charts", ""),
            here: urls::Charts { game: GAME }.into(),
            pick: vec![
                Field::new(
                    "value",
                    "value",
                    "Value",
                    FieldKind::One(vec![
                        Choice::new("oil", "Oil"),
                        Choice::new("lamps", "Lamps"),
                    ]),
                ),
                Field::new(
                    "whose",
                    "whose",
                    "Whose",
                    FieldKind::One(vec![Choice::new("cosima", "Cosima")]),
                ),
            ],
            charts: vec![
                Chart {
                    id: "c1".into(),
                    title: "Proposals a week".into(),
                    points: points(18, |i| 3 + (i * 7) % 11),
                    as_line: false,
                },
                Chart {
                    id: "c2".into(),
                    title: "Cosima, Oil".into(),
                    points: points(60, |i| 20 + (i * i * 3) % 97 + i),
                    as_line: true,
                },
                Chart {
                    id: "c3".into(),
                    title: "Votes a week".into(),
                    points: vec![],
                    as_line: false,
                },
            ],
        };
        vec![Sample {
            name: "three",
            page,
        }]
    }
}
