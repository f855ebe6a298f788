//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::desk::page::{Desk, DeskItem, DeskQueue};
use crate::ui::sample::world::{GAME, ago, ahead, chrome, gauge, post, send, tally};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{Form, Gauge, Icon, Link, Status, StatusKind, TodoLine, urls};

fn item(
    position: u32,
    title: &str,
    about: &str,
    (kind, word): (StatusKind, &str),
    gauge: Gauge,
    lead: &str,
    text: &str,
) -> DeskItem {
    DeskItem {
        position: Some(position),
        icon: None,
        to: Link::new(title, post("88-0")),
        about: about.into(),
        status: Some(Status::new(kind, word)),
        votes: Some((gauge, tally(gauge))),
        lead: lead.into(),
        text: text.into(),
        does: Vec::new(),
        whole: None,
        forms: Vec::new(),
        note: String::new(),
        due: None,
    }
}

fn queues() -> Vec<DeskQueue> {
    let enact = Form {
        expected: true,
        ..Form::button(
            send(urls::Action {
                game: GAME,
                action: "enact",
            })
            .with("on", "88-0"),
            "Enact, 7–1",
        )
    };
    let idle = |name: &str, about: &str, lead: &str, text: &str, button: Option<&str>| DeskItem {
        position: None,
        icon: Some(Icon::Moon),
        to: Link::new(
            name,
            urls::Player {
                game: GAME,
                player: name,
            },
        ),
        about: about.into(),
        status: None,
        votes: None,
        lead: lead.into(),
        text: text.into(),
        does: Vec::new(),
        whole: None,
        forms: Vec::from_iter(button.map(|button| {
            Form::button(
                send(urls::Action {
                    game: GAME,
                    action: "idle",
                })
                .with("on", name),
                button,
            )
        })),
        note: if button.is_none() {
            "no ground".into()
        } else {
            String::new()
        },
        due: None,
    };
    vec![
        DeskQueue {
            id: "proposals".into(),
            title: "Proposals, oldest first".into(),
            note: "3 pending".into(),
            items: vec![
                DeskItem {
                    forms: vec![enact],
                    note: "shows the change once more first".into(),
                    ..item(
                        1,
                        "The flat, widened",
                        "Corbin · 1 d 9 h old · changes rule 11.2",
                        (StatusKind::Enacted, "Can be enacted"),
                        gauge(7, 1, 1, 2),
                        "7 FOR, quorum is 6.",
                        "Older than 12 h, first in the queue, no veto, author still FOR. Rule 6.2.",
                    )
                },
                DeskItem {
                    note: "after number 1".into(),
                    ..item(
                        2,
                        "A ledger for lost boats",
                        "Sennen · 1 d 3 h old · adds rule 18",
                        (StatusKind::Pending, "Waits its turn"),
                        gauge(6, 3, 1, 1),
                        "",
                        "Has its quorum. Becomes legal the moment number 1 is closed. Its code has a warning: a name that rule 15 also uses.",
                    )
                },
                DeskItem {
                    note: "at the earliest".into(),
                    due: Some(ahead(270)),
                    ..item(
                        3,
                        "Night fares for the ferry",
                        "Tamsin · 7 h old · changes rule 14.4",
                        (StatusKind::Pending, "Too young, and short"),
                        gauge(4, 2, 2, 3),
                        "",
                        "4 FOR of 6. Not before today 21:12 UTC with a quorum, else Fri 19 Sep, 09:12 UTC by majority.",
                    )
                },
            ],
        },
        DeskQueue {
            id: "idle".into(),
            title: "Idle candidates".into(),
            note: "rule 2.4: a week without a vote, or a request".into(),
            items: vec![
                idle(
                    "Vance",
                    "last own vote Wed 10 Sep, 08:10 UTC",
                    "7 d 8 h without a vote.",
                    "The vote of 14:10 today was cast by Juniper and does not count here. Idling leaves the quorum at 6, of 10, and voids 1 vote on “Night fares”.",
                    Some("Idle Vance"),
                ),
                idle(
                    "Pell",
                    "asked at 14:55 UTC in a post",
                    "Asked for it:",
                    "“No boats, no hurry.” Keeps all values.",
                    Some("Idle Pell"),
                ),
                idle(
                    "Hanno",
                    "last own vote today, 10:15 UTC",
                    "",
                    "Named by Jory. Nothing supports it.",
                    None,
                ),
            ],
        },
    ]
}

impl Samples for Desk {
    fn samples() -> Vec<Sample<Self>> {
        let admit = |button: &str, expected| Form {
            expected,
            ..Form::button(
                send(urls::Action {
                    game: GAME,
                    action: "admit",
                })
                .with("on", "thessaly"),
                button,
            )
        };
        let desk = Desk {
            chrome: chrome("Admin desk", "Desk"),
            queues: queues(),
            door: vec![
                TodoLine {
                    name: "Thessaly".into(),
                    text: "asks to join, 40 min ago. “Read the rules twice, laughed once.” Mail confirmed; nobody else from her invitation.".into(),
                    forms: vec![admit("Admit", true), admit("Decline", false)],
                    ..TodoLine::default()
                },
                TodoLine {
                    name: "Brand".into(),
                    text: "asks to be active again. Idled today at 15:05 on request; rule 2.5 holds it for four days.".into(),
                    due: Some(ahead(5_663)),
                    ..TodoLine::default()
                },
            ],
            open: vec![
                (Status::new(StatusKind::Claimed, "1 claimed value"), "Ilse’s Oil.".into(), Link::new("Look", urls::Tracker { game: GAME })),
                (Status::new(StatusKind::Disputed, "1 disputed value"), "Hanno’s Oil.".into(), Link::new("Look", urls::Tracker { game: GAME })),
                (Status::new(StatusKind::Asleep, "1 sleeping clause"), "Rule 14.3, Forage.".into(), Link::new("Look", urls::Rule { game: GAME, rule: "ferry" })),
            ],
            done: vec![(ago(97), "Jory idled Brand, on request".into(), urls::Event { game: GAME, event: "412" }.into()), (ago(1_238), "Jory enacted “A shorter leash for the harbour dog”, 8–1".into(), urls::Event { game: GAME, event: "400" }.into())],
            log: Link::new("log", urls::Log { game: GAME }),
        };
        let quiet = Desk {
            queues: queues()
                .into_iter()
                .map(|q| DeskQueue { items: vec![], ..q })
                .collect(),
            door: vec![],
            open: vec![],
            ..desk.clone()
        };
        vec![
            Sample {
                name: "admin",
                page: desk,
            },
            Sample {
                name: "nothing to do",
                page: quiet,
            },
        ]
    }
}
