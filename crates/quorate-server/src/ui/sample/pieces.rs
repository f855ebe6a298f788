//! Pieces that samples of several pages show.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::ui::sample::world::{GAME, ME, ago, ahead, person, rule, send};
use crate::ui::urls::Href;
use crate::ui::{
    Board, Cell, Change, Choice, ClaimMark, Column, Die, Field, FieldKind, Form, Glyph, History,
    LegendLine, Link, Need, Outcome, Person, Piece, Refusal, Row, Sorted, Square, Step, Table,
    Trail, lines, urls, words,
};

pub(crate) fn no(
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

pub(crate) fn outcome(minutes: i64, what: &str, dice: Vec<Die>, text: &str) -> Outcome {
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

pub(crate) fn results() -> Vec<Outcome> {
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

pub(crate) fn flat() -> Board {
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

pub(crate) fn changes() -> Vec<Change> {
    let old = "Crossing. At the Landing or the Spire, a Keeper with ten or more Oil may call the ferry behind it. It stays until somebody casts off.";
    let new = "Crossing. At the Landing or the Spire, a Keeper with ten or more Oil, or with six or more at ebb, may call the ferry it stands beside. It stays until somebody casts off, or until the next tide begins.";
    let old_code = "def cross(actor: Player):\n    here = actor.place\n    require(here in (LANDING, SPIRE), \"the Landing or the Spire\", have = here)\n    require(actor.oil >= 10, \"ten Oil\", have = actor.oil)\n    pay(actor, \"Oil\", fare(actor))\n    here.moored = True\n";
    let new_code = "def cross(actor: Player):\n    here = actor.place\n    require(here in (LANDING, SPIRE), \"the Landing or the Spire\", have = here)\n    least = 6 if ebb() else 10\n    require(actor.oil >= least, \"Oil to call the ferry\",\n            have = actor.oil, need = least)\n    pay(actor, \"Oil\", fare(actor))\n    here.moored = True\n    here.casts_off_at = next_tide()\n";
    vec![
        Change {
            place: "Rule 14, The ferry".into(),
            part: "clause 4".into(),
            href: Some(
                urls::Clause {
                    game: GAME,
                    rule: "ferry",
                    clause: "4",
                }
                .into(),
            ),
            words: words(old, new),
            lines: lines(old_code, new_code, 3),
            warning: None,
        },
        Change {
            place: "Once, on enactment".into(),
            part: String::new(),
            href: None,
            words: words("The ferry: moored yes", "The ferry: moored no"),
            lines: vec![],
            warning: None,
        },
    ]
}

pub(crate) fn history() -> History {
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
                claim: Some(ClaimMark::Claimed),
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

pub(crate) fn players(with_history: bool) -> Table {
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
    rows[5].cells[0].claim = Some(ClaimMark::Disputed);
    rows[6].cells[0].claim = Some(ClaimMark::Claimed);
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

pub(crate) fn boats() -> Table {
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
