//! Samples of the pages beside this file.

use crate::site::people::page::{PlayerPage, Players, Voted};
use crate::ui::sample::pieces::players;
use crate::ui::sample::world::{GAME, ago, as_stranger, chrome, person, post, rule, send};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{
    Ballot, Fact, Field, FieldKind, Form, Link, Need, Offer, Refusal, Status, StatusKind, urls,
};

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
            next: Some(crate::ui::sample::world::ahead(9_000)),
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
            entries: crate::site::blog::sample::days()
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
            follow: None,
            report: Some(urls::Report { game: GAME }.into()),
        };
        vec![Sample {
            name: "somebody else",
            page,
        }]
    }
}
