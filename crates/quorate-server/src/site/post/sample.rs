//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::post::page::{Answering, PostPage};
use crate::ui::sample::pieces::changes;
use crate::ui::sample::world::{
    GAME, ago, ahead, as_stranger, chrome, gauge, in_hiatus, line, person, post, rule, send, tally,
    text, verdict,
};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{
    Ballot, Comment, Effect, Effects, Fact, Gauge, Icon, Link, Need, Offer, Person, QuickVote,
    Refusal, Status, StatusKind, Tone, urls,
};
use crate::ui::{EditWindow, If, VoteLine, Votes};

fn votes() -> Votes {
    let vote = |name: &str, side: &str, how: &str| VoteLine {
        person: person(name),
        vote: (!side.is_empty()).then(|| Ballot::new(side)),
        how: how.into(),
        comment: how.starts_with("own").then(|| urls::Href::fragment("c6")),
        is_void: false,
    };
    let condition = |icon, tone, lead: &str, text: &str| If {
        icon,
        tone,
        lead: lead.into(),
        text: text.into(),
    };
    let gauge = gauge(4, 2, 2, 3);
    Votes {
        law: "law of 16 Sep".into(),
        tally: tally(gauge),
        silent: 3,
        gauge: Gauge {
            large: true,
            ..gauge
        },
        facts: vec![
            Fact::new("Enacted, at the earliest", "")
                .note("6 FOR, both ahead closed,")
                .due(ahead(270)),
            Fact::new("Failed, at the earliest", "now, at 6 AGAINST")
                .note("or when Tamsin votes AGAINST"),
            Fact::new("By time alone", "")
                .note("as it stands: enacted 4–2,")
                .due(ahead(2_430)),
        ],
        ifs: vec![
            condition(
                Icon::For,
                Tone::For,
                "Oriel votes FOR:",
                "Hanno and Pell follow, 7–2, passes.",
            ),
            condition(
                Icon::Against,
                Tone::Against,
                "Oriel votes AGAINST:",
                "they follow, 4–5. One more AGAINST fails it.",
            ),
            condition(
                Icon::Deferential,
                Tone::Deferential,
                "Oriel stays silent:",
                "both deferring votes count for nothing.",
            ),
            condition(
                Icon::Person,
                Tone::None,
                "You and Ilse both FOR:",
                "6, passes without Oriel.",
            ),
        ],
        counted: "11 count".into(),
        lines: vec![
            vote("Tamsin", "for", "author, has not said otherwise"),
            vote("Jory", "for", "own, 09:31"),
            vote("Sennen", "for", "own, 11:26"),
            vote("Corbin", "for", "own, 12:20; was AGAINST"),
            vote("Juniper", "against", "own, 13:44"),
            vote("Vance", "against", "locked: cast by Juniper, rule 17.5"),
            vote(
                "Hanno",
                "deferential",
                "follows Oriel, who has not voted: counts for nothing",
            ),
            vote("Pell", "deferential", "follows Oriel: the same"),
            vote("Oriel", "", "Harbourmaster"),
            vote("Ilse", "", ""),
            vote("Cosima", "", ""),
            VoteLine {
                is_void: true,
                ..vote("Brand", "for", "voted FOR 09:20, idle since 15:05")
            },
        ],
    }
}

fn comment(number: u32, name: &str, minutes: i64, side: &str, words: &str) -> Comment {
    Comment {
        id: format!("c{number}"),
        author: person(name),
        when: ago(minutes),
        vote: (!side.is_empty()).then(|| Ballot::new(side)),
        note: None,
        is_fresh: false,
        reply: None,
        is_superseded: false,
        event: None,
        body: (!words.is_empty()).then(|| line(words)),
    }
}

fn comments() -> Vec<Comment> {
    vec![
        comment(
            1,
            "Jory",
            431,
            "for",
            "Yes. The day rate has outlived two of the people it was protecting.",
        ),
        Comment {
            note: Some("superseded by #7".into()),
            is_fresh: false,
            reply: None,
            is_superseded: true,
            ..comment(
                2,
                "Corbin",
                400,
                "against",
                "Six is low. I would take eight.",
            )
        },
        comment(3, "Hanno", 387, "deferential", ""),
        comment(
            4,
            "Pell",
            362,
            "deferential",
            "Whatever lets the {emperor} explain it afterwards.",
        ),
        comment(
            5,
            "Sennen",
            316,
            "for",
            "I lose a wall and gain a door. Fair. See `ferry.4` and [the old thread](https://example.org/t/9).",
        ),
        comment(
            6,
            "Cosima",
            284,
            "",
            "> until the next tide begins\n\nDoes that mean high water, or the first one that follows an ebb? With the ten-hour step they differ.",
        ),
        Comment {
            note: Some("changed from AGAINST".into()),
            ..comment(
                7,
                "Corbin",
                262,
                "for",
                "Tamsin says high water either way. Eight was vanity.",
            )
        },
        comment(
            8,
            "Juniper",
            178,
            "against",
            "Crossings are already cheaper than the Oil behind them.",
        ),
        Comment {
            note: Some("cast by Juniper, Influence, rule 17.5".into()),
            ..comment(9, "Vance", 152, "against", "Vance votes as Juniper wishes.")
        },
    ]
}

fn proposal() -> PostPage {
    let side = |name: &str, chosen| (Ballot::new(name), chosen);
    PostPage {
        chrome: chrome("Night fares for the ferry", "Blog"),
        crumbs: vec![Link::new("Blog", urls::Game { game: GAME })],
        title: "Night fares for the ferry".into(),
        category: "Proposal".into(),
        author: person("Tamsin"),
        report: Some(urls::Report { game: GAME }.into()),
        when: ago(450),
        edited: None,
        status: Some(Status::new(StatusKind::Pending, "Pending")),
        place: "third in the queue".into(),
        fields: vec![],
        edit: None,
        event: None,
        again: None,
        body: text(
            "Ten Oil to cross is a *day* rate. After dark the water is lower than it looks. Let six be enough at ebb, and let the \
             fare stay what it is.\n\nBecause the ferry has lain at the Spire three nights running for the same {player}, I would \
             also cast it off once, now.",
        ),
        flavour: Some(line("The ferryman’s bell was still in his hand. So was the rope.")),
        change_note: "1 clause, 1 value".into(),
        digest: Some("8a0c40444cf30725".into()),
        changes: changes(),
        effects: Some(Effects {
            note: "tried on a copy of the game at 16:40 UTC".into(),
            lines: vec![
                Effect::new("Newly able to cross at ebb:", "Corbin (8 Oil), Hanno (6), Jory (9)."),
                Effect::new("Loses its mooring:", "the Spire; Juniper, Sennen and Vance stay there."),
                Effect::new("Checks:", "names and types fine; 58 of 59 rule tests pass.")
                    .to(Link::new("One expects ten Oil at ebb", urls::Href::fragment("effects"))),
            ],
            whole: Some(urls::Effects { game: GAME, post: "92-0" }.into()),
        }),
        verdict: Some(verdict(
            StatusKind::Pending,
            "Pending",
            gauge(4, 2, 2, 3),
            "One vote decides: one more FOR reaches its quorum",
            "3 players haven’t voted.",
        )),
        quick: Some(QuickVote {
            send: send(urls::Comment {
                game: GAME,
                post: "92-0",
            }),
            title: "Night fares for the ferry".into(),
            sides: vec![(Ballot::new("for"), true), (Ballot::new("against"), false)],
        }),
        next: Some((Link::new("A ledger for lost boats", post("91-0")), 2)),
        votes: Some(votes()),
        offers: vec![Offer {
            action: "enact".into(),
            title: "Enact".into(),
            cost: None,
            about: String::new(),
            says: String::new(),
            rest: String::new(),
            cite: None,
            open: Err(Refusal {
                tried: "Enact".into(),
                needs: vec![Need::of("a quorum of votes FOR", "4", "6"), Need::that("the oldest pending proposal")],
                because: None,
                cite: Some(rule("rule 6.2", "closing")),
                next: Some(ahead(270)),
                field: None,
            }),
        }],
        comments: comments(),
        comment_count: comments().len(),
        comment_pages: Vec::new(),
        jumps: vec![
            Link::new("newest", urls::Href::fragment("c9")),
            Link::new("votes only", urls::Href::fragment("votes-h")),
            Link::new("mine", urls::Href::fragment("c6")),
        ],
        answering: Some(Answering {
            draft: "comment=94".into(),
            keeps: (
                urls::DraftKeep { game: GAME }.into(),
                urls::DraftDelete { game: GAME }.into(),
                urls::UploadTake { game: GAME }.into(),
            ),
            kept: None,
            send: send(urls::Comment { game: GAME, post: "94-0" }),
            sides: vec![side("for", true), side("against", false), side("deferential", false), side("", false)],
            text: String::new(),
            hint: "With FOR: 5 of 6. The last vote you cast here counts. VETO belongs to the Harbourmaster.".into(),
            refusal: None,
        }),
        no_answer: None,
        follow: Some(crate::ui::Follow {
            send: crate::ui::sample::world::send(urls::Follow { game: GAME }),
            what: "this post",
        }),
    }
}

impl Samples for PostPage {
    fn samples() -> Vec<Sample<Self>> {
        let stranger = PostPage {
            chrome: as_stranger(chrome("Night fares for the ferry", "Blog")),
            offers: vec![],
            answering: None,
            no_answer: Some((
                "Sign in to vote or comment.".into(),
                Some(Link::new("Sign in", urls::SignIn)),
            )),
            ..proposal()
        };
        let story = PostPage {
            title: "Minutes of the tide committee".into(),
            category: "Story".into(),
            author: Person::named("Anonymous"),
            edited: None,
            status: None,
            place: String::new(),
            edit: Some(EditWindow {
                href: urls::PostEdit {
                    game: GAME,
                    post: "92-0",
                }
                .into(),
                until: Some(ahead(9)),
            }),
            event: None,
            again: Some(
                urls::Href::from(urls::ComposeIn {
                    game: GAME,
                    category: "Proposal",
                })
                .with("from", "92-0"),
            ),
            body: text(
                "# Present\n\nNobody who could still stand.\n\n- The motion to wait was carried.\n- So was the committee.\n\n| Lamp | Lit |\n|---|---|\n| Spire | no |",
            ),
            flavour: None,
            fields: vec![Fact::new("Tags", "Minutes")],
            change_note: String::new(),
            changes: vec![],
            effects: None,
            verdict: None,
            quick: None,
            next: None,
            votes: None,
            offers: vec![],
            comments: vec![],
            comment_count: 0,
            answering: proposal().answering.map(|a| Answering {
                sides: vec![],
                hint: String::new(),
                ..a
            }),
            ..proposal()
        };
        let lord = PostPage {
            chrome: in_hiatus(chrome("Free Oil on Fridays", "Blog")),
            comment_count: 300,
            comment_pages: vec![
                ("1".into(), Some(urls::Href::fragment("comments"))),
                ("2".into(), None),
            ],
            comments: (1..=100)
                .map(|n| {
                    comment(
                        n,
                        if n % 3 == 0 { "Jory" } else { "Pell" },
                        i64::from(400 - n),
                        ["for", "against", ""][n as usize % 3],
                        "The tide keeps no minutes, and neither do I.",
                    )
                })
                .collect(),
            answering: proposal().answering.map(|a| Answering {
                sides: ["for", "against", "deferential", "veto", ""]
                    .map(|s| (Ballot::new(s), s == "veto"))
                    .to_vec(),
                refusal: Some(Refusal {
                    tried: "Your vote".into(),
                    needs: vec![],
                    because: Some("it is frozen since you cast VETO".into()),
                    cite: Some(rule("rule 6.5", "closing")),
                    next: None,
                    field: None,
                }),
                text: "Then nobody would row on Thursdays.".into(),
                ..a
            }),
            ..proposal()
        };
        vec![
            Sample {
                name: "player",
                page: proposal(),
            },
            Sample {
                name: "stranger",
                page: stranger,
            },
            Sample {
                name: "story in its edit window",
                page: story,
            },
            Sample {
                name: "comments on several pages",
                page: lord,
            },
        ]
    }
}
