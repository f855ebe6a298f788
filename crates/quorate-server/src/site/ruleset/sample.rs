//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::ruleset::page::{
    Beside, BlameLine, Compare, Missed, RuleHistoryPage, Ruleset, RulesetPart, ShownClause,
    ShownRule, TocRule, VersionLine,
};
use crate::ui::code::CodeHtml;
use crate::ui::sample::world::{GAME, ago, as_stranger, chrome, line, post};
use crate::ui::sample::{Sample, Samples};
use crate::ui::urls::Href;
use crate::ui::{Choice, Field, FieldKind, Link, urls};

fn clause(rule: &str, number: &str, called: &str, prose: &str, beside: Beside) -> ShownClause {
    ShownClause {
        id: format!("rule-{rule}.{number}"),
        number: number.into(),
        called: called.into(),
        prose: line(prose),
        beside,
        misses: None,
        is_new: false,
    }
}

/// The same with a name that its code misses.
fn misses(clause: ShownClause, text: &str) -> ShownClause {
    ShownClause {
        misses: Some(Missed {
            text: text.into(),
            mend: Some(urls::Compose { game: GAME }.into()),
        }),
        ..clause
    }
}

fn code(text: &str, is_open: bool) -> Beside {
    Beside::Code {
        code: CodeHtml::new(text),
        is_open,
    }
}

fn rule(id: &str, number: &str, title: &str, clauses: Vec<ShownClause>) -> ShownRule {
    ShownRule {
        id: format!("rule-{id}"),
        number: number.into(),
        title: title.into(),
        is_sub: number.contains('.'),
        changed: "Unchanged since the founding, 2 July".into(),
        by: None,
        how: String::new(),
        history: Link::new(
            "history",
            urls::RuleHistory {
                game: GAME,
                rule: id,
            },
        ),
        propose: Some(
            Href::from(urls::ComposeIn {
                game: GAME,
                category: "proposal",
            })
            .with("change", id),
        ),
        pending: vec![],
        off: None,
        clauses,
    }
}

fn parts() -> Vec<RulesetPart> {
    let toc = |rules: &[ShownRule]| {
        rules
            .iter()
            .map(|rule| TocRule {
                number: rule.number.clone(),
                title: rule.title.clone(),
                href: Href::fragment(&rule.id),
                is_new: false,
                is_off: rule.off.is_some(),
            })
            .collect()
    };
    let core = vec![rule(
        "closing",
        "6",
        "Closing",
        vec![
            clause(
                "closing",
                "1",
                "6.1",
                "A **quorum** is more than half of the {players} that are not idle.",
                code(
                    "def quorum() -> int:\n    return len(players()) // 2 + 1",
                    false,
                ),
            ),
            clause(
                "closing",
                "2",
                "6.2",
                "A {admin} may enact the oldest pending proposal once a quorum of its votes is FOR and twelve hours have gone by. After forty-eight hours more votes FOR than AGAINST are enough.",
                code(
                    "def enact(actor: Player, proposal: Post):\n    first = pending(\"proposal\")[0]\n    require(proposal == first, \"the oldest pending proposal\",\n            have = proposal, need = first)\n    settled = votes(proposal, \"for\") >= quorum()\n    due = proposal.at + hours(12 if settled else 48)\n    require(now >= due, \"time\", next_at = due)\n    apply(proposal, by = actor)\n\naction(\"enact\", enact, on = \"proposal\", by = admin)",
                    true,
                ),
            ),
        ],
    )];
    let lamps = ShownRule {
        changed: "Clause 3 changed by".into(),
        by: Some(Link::new(
            "A shorter leash for the harbour dog",
            post("85-0"),
        )),
        how: "(Pell), 16 Sep, 8–1".into(),
        history: Link::new(
            "4 versions",
            urls::RuleHistory {
                game: GAME,
                rule: "lamps",
            },
        ),
        pending: vec![Link::new("Night fares for the ferry", post("94-0"))],
        ..rule(
            "lamps",
            "12",
            "Lamps",
            vec![
                clause(
                    "lamps",
                    "1",
                    "12.1",
                    "Each {player} minds Lamps, a whole number from 0 to 9. A newcomer minds one.",
                    code(
                        "lamps = number(\"Lamps\", of = player,\n               default = 1, min = 0, max = 9,\n               outside = \"clamp\")",
                        false,
                    ),
                ),
                clause(
                    "lamps",
                    "2",
                    "12.2",
                    "Once a day a {player} may light a lamp. It pays 30 Oil, and 5 more for each Lamp it minds.",
                    code(
                        "def light(actor: Player):\n    pay(actor, \"Oil\", 30 + 5 * actor.lamps)\n    actor.lamps += 1\n\naction(\"light\", light, title = \"Light a lamp\", limit = daily())",
                        true,
                    ),
                ),
                ShownClause {
                    is_new: true,
                    ..clause(
                        "lamps",
                        "3",
                        "12.3",
                        "A {player} whose last lamp has gone out drifts. Until it minds one again these rules pass it by, all but this one.",
                        code(
                            "def drift(p: Player):\n    p.place = OPEN_WATER  # by hand no more",
                            false,
                        ),
                    )
                },
                clause(
                    "lamps",
                    "4",
                    "12.4",
                    "Lamps should have names. A sailor who loses a named one owes it a line in a story post before the week is out.",
                    Beside::ProseOnly,
                ),
                clause(
                    "lamps",
                    "5",
                    "12.5",
                    "Forage. At the Reeds, for as much Oil as two dice say.",
                    Beside::Asleep {
                        reason:
                            "since 16 Sep: it leans on reed_map, which the last enactment removed"
                                .into(),
                        mend: Some(urls::Compose { game: GAME }.into()),
                    },
                ),
                misses(
                    clause(
                        "lamps",
                        "6",
                        "12.6",
                        "The names of all lamps are kept in a list.",
                        Beside::Elsewhere {
                            words: "code, 212 lines".into(),
                            href: urls::RuleHistory {
                                game: GAME,
                                rule: "lamps",
                            }
                            .into(),
                        },
                    ),
                    "it asks for `reed_map` of The Reeds, which was repealed on 16 September 2031",
                ),
                clause(
                    "lamps",
                    "",
                    "12",
                    "Nothing in this rule binds the harbour dog.",
                    Beside::Nothing,
                ),
            ],
        )
    };
    let dynastic = vec![
        lamps,
        rule(
            "lamps-spire",
            "12.1",
            "The Spire lamp",
            vec![clause(
                "lamps-spire",
                "1",
                "12.1.1",
                "The Spire lamp counts twice.",
                Beside::ProseOnly,
            )],
        ),
        ShownRule {
            off: Some(
                "Switched off by the ascension address; it stands but does not apply.".into(),
            ),
            ..rule(
                "dog",
                "13",
                "The harbour dog",
                vec![clause(
                    "dog",
                    "1",
                    "13.1",
                    "The dog bites on Thursdays.",
                    Beside::ProseOnly,
                )],
            )
        },
    ];
    vec![
        RulesetPart {
            title: "Core rules".into(),
            toc: toc(&core),
            rules: core,
        },
        RulesetPart {
            title: "Dynastic rules".into(),
            toc: toc(&dynastic),
            rules: dynastic,
        },
    ]
}

fn versions(id: &str, name: &str, chosen: &str) -> Field {
    let choices = ["41, 16 Sep", "40, 12 Sep", "38, 5 Sep"].map(|v| Choice {
        chosen: v.starts_with(chosen),
        ..Choice::new(v, format!("version {v}"))
    });
    Field::new(
        id,
        name,
        if name == "from" { "From" } else { "To" },
        FieldKind::One(choices.to_vec()),
    )
}

impl Samples for Ruleset {
    fn samples() -> Vec<Sample<Self>> {
        let page = Ruleset {
            chrome: chrome("Ruleset", "Ruleset"),
            fresh: None,
            since: Some(ago(1_238)),
            stood: None,
            compare: urls::Compare { game: GAME }.into(),
            source: urls::RulesetSource { game: GAME }.into(),
            as_of: Field::new(
                "as-of",
                "at",
                "Day and time",
                FieldKind::Moment("2031-09-01T00:00".into()),
            ),
            search: urls::Search { game: GAME }.into(),
            parts: parts(),
        };
        let past = Ruleset {
            stood: Some(ago(600)),
            chrome: as_stranger(chrome("Ruleset", "Ruleset")),
            ..page.clone()
        };
        vec![
            Sample {
                name: "today",
                page,
            },
            Sample {
                name: "of another day",
                page: past,
            },
        ]
    }
}

impl Samples for RuleHistoryPage {
    fn samples() -> Vec<Sample<Self>> {
        let by = || Link::new("A shorter leash for the harbour dog", post("85-0"));
        let page = RuleHistoryPage {
            chrome: chrome("Lamps: history", "Ruleset"),
            number: "12".into(),
            title: "Lamps".into(),
            rule: urls::Rule {
                game: GAME,
                rule: "lamps",
            }
            .into(),
            blame: vec![
                BlameLine {
                    text: "Each Keeper minds Lamps, a whole number from 0 to 9.".into(),
                    by: Link::new("The founding", post("1-0")),
                    who: "2 July".into(),
                },
                BlameLine {
                    text: "A Keeper whose last lamp has gone out drifts.".into(),
                    by: by(),
                    who: "Pell, 16 Sep".into(),
                },
            ],
            versions: vec![
                VersionLine {
                    when: ago(1_238),
                    by: by(),
                    how: "Pell, 8–1".into(),
                    then: Some(urls::Href::from(urls::Ruleset { game: GAME }).with("at", "212")),
                    changes: crate::ui::sample::pieces::changes(),
                },
                VersionLine {
                    when: ago(100_000),
                    by: Link::new("The founding", post("1-0")),
                    how: String::new(),
                    then: None,
                    changes: vec![],
                },
            ],
            follow: None,
        };
        vec![Sample {
            name: "of a rule",
            page,
        }]
    }
}

impl Samples for Compare {
    fn samples() -> Vec<Sample<Self>> {
        let page = Compare {
            chrome: chrome("Compare two versions", "Ruleset"),
            here: urls::Compare { game: GAME }.into(),
            from: versions("from", "from", "38"),
            to: versions("to", "to", "41"),
            summary: "From version 38 to version 41: 3 rules, 5 clauses.".into(),
            changes: crate::ui::sample::pieces::changes(),
        };
        let same = Compare {
            summary: "Version 41 with itself.".into(),
            changes: vec![],
            ..page.clone()
        };
        vec![
            Sample {
                name: "two versions",
                page,
            },
            Sample {
                name: "the same twice",
                page: same,
            },
        ]
    }
}
