//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::blog::page::{Day, Front, Pin, Roster, Welcome};
use crate::ui::sample::world::{
    GAME, ago, ahead, as_stranger, chrome, gauge, in_hiatus, line, person, post, verdict,
};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{
    Entry, Fact, Icon, Link, Needs, NeedsLine, Person, Role, StatusKind, Verdict, When, urls,
};

fn entry(
    id: &str,
    category: &str,
    author: Person,
    when: When,
    comments: &str,
    title: &str,
    excerpt: &str,
) -> Entry {
    Entry {
        id: format!("post-{id}"),
        category: category.into(),
        author,
        when,
        comments: comments.into(),
        title: title.into(),
        href: post(id),
        excerpt: (!excerpt.is_empty()).then(|| line(excerpt)),
        verdict: None,
        fresh: None,
        quick: None,
        is_closed: false,
    }
}

fn voted(entry: Entry, verdict: Verdict) -> Entry {
    Entry {
        verdict: Some(verdict),
        ..entry
    }
}

fn closed(entry: Entry, verdict: Verdict) -> Entry {
    Entry {
        verdict: Some(verdict),
        is_closed: true,
        ..entry
    }
}

pub(crate) fn days() -> Vec<Day> {
    let today = vec![
        voted(
            entry(
                "94-0",
                "Proposal",
                person("Tamsin"),
                ago(450),
                "9 comments",
                "Night fares for the ferry",
                "Ten Oil to cross is a day rate. After dark the water is lower: let six be enough while the tide is out, and let the ferry wait for no {player}.",
            ),
            verdict(
                StatusKind::Pending,
                "Pending",
                gauge(4, 2, 2, 3),
                "One vote decides:",
                "Oriel’s FOR carries two deferring votes with it and reaches quorum. Not before 21:12 UTC, and two proposals are ahead of it.",
            ),
        ),
        voted(
            entry(
                "93-0",
                "Call for judgement",
                Person::named("Anonymous"),
                ago(671),
                "23 comments",
                "Was the Spire lamp lit in time?",
                "Sennen lit it eleven minutes before the week turned over. Two readings of “once a week” disagree by a Monday.",
            ),
            verdict(
                StatusKind::Pending,
                "Open",
                gauge(3, 3, 0, 5),
                "Tied.",
                "Closes at 6 FOR, or on Sun 21 Sep at 05:31 UTC by the votes cast.",
            ),
        ),
        entry(
            "92-0",
            "Story",
            person("Juniper"),
            ago(862),
            "2 comments",
            "Minutes of the tide committee",
            "Present: nobody who could still stand. The motion to wait was carried, and so was the committee.",
        ),
    ];
    let yesterday = vec![
        voted(
            entry(
                "90-0",
                "Proposal",
                person("Sennen"),
                ago(1_622),
                "9 comments",
                "A ledger for lost boats",
                "Boats lost to the tide are written down by cause, so that the {emperor} may read out the worst of them on Sundays.",
            ),
            verdict(
                StatusKind::Pending,
                "Pending",
                gauge(6, 3, 1, 1),
                "Has its quorum",
                "and waits for “The flat, widened”, one place ahead.",
            ),
        ),
        voted(
            entry(
                "88-0",
                "Proposal",
                person("Corbin"),
                ago(1_978),
                "6 comments",
                "The flat, widened",
                "Width of the flat: 8 becomes 10. The reeds on the north side count as flat.",
            ),
            verdict(
                StatusKind::Pending,
                "Pending",
                gauge(7, 1, 1, 2),
                "Can be enacted now",
                "by a Clerk. Nothing that is still out can stop it.",
            ),
        ),
    ];
    let before = vec![
        closed(
            entry(
                "85-0",
                "Proposal",
                person("Pell"),
                ago(2_800),
                "8 comments",
                "A shorter leash for the harbour dog",
                "",
            ),
            verdict(
                StatusKind::Enacted,
                "Enacted",
                gauge(8, 1, 1, 1),
                "",
                "by Jory, Tue 16 Sep, 20:04 UTC. Changed rules 14 and 15.",
            ),
        ),
        closed(
            entry(
                "84-0",
                "Proposal",
                person("Vance"),
                ago(3_200),
                "17 comments",
                "Free Oil on Fridays",
                "",
            ),
            verdict(
                StatusKind::Stopped,
                "Vetoed",
                gauge(5, 2, 0, 4),
                "",
                "by Oriel: “Then nobody would row on Thursdays.”",
            ),
        ),
        closed(
            entry(
                "83-0",
                "Proposal",
                person("Hanno"),
                ago(3_350),
                "5 comments",
                "Rename the Spire",
                "",
            ),
            verdict(
                StatusKind::Failed,
                "Failed",
                gauge(2, 7, 0, 2),
                "",
                "by Cosima, Tue 16 Sep, 06:20 UTC. It could no longer reach quorum.",
            ),
        ),
    ];
    vec![
        Day {
            title: "Today, Wednesday 17 September".into(),
            entries: today,
        },
        Day {
            title: "Tuesday 16 September".into(),
            entries: yesterday,
        },
        Day {
            title: "Monday 15 September".into(),
            entries: before,
        },
    ]
}

fn needs() -> Needs {
    let line = |icon, title: &str, href: urls::Href, after: &str, note: &str, due| NeedsLine {
        icon,
        title: title.into(),
        href,
        after: after.into(),
        note: note.into(),
        due,
    };
    Needs {
        lines: vec![
            line(
                Icon::Ask,
                "Juniper hails you: answer or drift by?",
                urls::Act { game: GAME }.into(),
                "",
                "drifting by is taken for you on",
                Some(ahead(328)),
            ),
            line(
                Icon::Pending,
                "Night fares for the ferry",
                post("94-0"),
                "",
                "without your vote; FOR brings it to 5 of 6",
                None,
            ),
            line(
                Icon::Pending,
                "Was the Spire lamp lit in time?",
                post("93-0"),
                "",
                "call for judgement, 3–3, without your vote",
                None,
            ),
            line(
                Icon::Bolt,
                "Trim a lamp",
                urls::Act { game: GAME }.into(),
                "is possible again",
                "since 15:10 UTC",
                None,
            ),
            line(
                Icon::Key,
                "The flat, widened",
                urls::Desk { game: GAME }.into(),
                "can be enacted",
                "oldest pending, 7 FOR of 6 needed",
                None,
            ),
        ],
    }
}

fn front() -> Front {
    let roster = Roster {
        title: "Keepers".into(),
        count: "11 active, 4 idle".into(),
        active: [
            "Oriel", "Corbin", "Cosima", "Hanno", "Ilse", "Jory", "Juniper", "Pell", "Sennen",
            "Tamsin", "Vance",
        ]
        .map(person)
        .to_vec(),
        idle: ["Brand", "Nadir", "Wick", "Yarrow"].map(person).to_vec(),
        key: vec![
            Role {
                icon: Icon::Crown,
                word: "Harbourmaster".into(),
            },
            Role {
                icon: Icon::Key,
                word: "Clerk".into(),
            },
        ],
    };
    Front {
        chrome: chrome("Saltmarsh", "Blog"),
        needs: Some(needs()),
        welcome: None,
        story: Vec::new(),
        fresh: None,
        pinned: vec![Pin { title: "Ascension address: the lamps are cold".into(), href: post("2-0"), note: "Oriel · 12 days ago · 14 comments".into() }],
        filters: vec![],
        days: days(),
        write: Some(urls::Compose { game: GAME }.into()),
        older: Some(urls::Href::from(urls::Game { game: GAME }).with("before", "83-0")),
        newer: None,
        facts: vec![
            Fact::new("Quorum", "6 of 11"),
            Fact::new("Tide", "ebbing").note("high again").due(ahead(438)),
            Fact::new("Lamps lit", "5 of 9").to(urls::Tracker { game: GAME }),
            Fact::new("Pending", "3 proposals, 1 judgement"),
            Fact::new("Ferry", "crossed this week").note("the next on Mon 22 Sep"),
        ],
        roster,
        last_dynasty: Some((
            "Second Dynasty of Oriel, 38 days, 61 proposals. Won on 5 September with the last dry boat on the flat.".into(),
            Link::new("Its story", urls::Dynasty { game: GAME, dynasty: "2" }),
        )),
    }
}

impl Samples for Front {
    fn samples() -> Vec<Sample<Self>> {
        let stranger = Front {
            chrome: as_stranger(chrome("Saltmarsh", "Blog")),
            needs: None,
            welcome: Some(Welcome {
                title: "New here?".into(),
                text: "Keepers mind lamps over a tidal flat, by rules that they change by voting. Read along, or join: newcomers are \
                 counted from their first vote."
                    .into(),
                ways: vec![Link::new("Join", urls::SignUp), Link::new("How to play", urls::Help)],
            }),
            write: None,
            ..front()
        };
        let resting = Front {
            chrome: in_hiatus(chrome("Saltmarsh", "Blog")),
            needs: Some(Needs::default()),
            ..front()
        };
        let fresh = Front {
            pinned: vec![],
            days: vec![],
            older: None,
            last_dynasty: None,
            filters: vec![
                (Link::new("All", urls::Game { game: GAME }), true),
                (
                    Link::new(
                        "Proposals",
                        urls::Href::from(urls::Game { game: GAME }).with("only", "proposal"),
                    ),
                    false,
                ),
            ],
            needs: None,
            welcome: Some(Welcome {
                title: "You are idle".into(),
                text: "The game goes on without you.".into(),
                ways: vec![Link::new("What you can do", urls::Act { game: GAME })],
            }),
            ..front()
        };
        vec![
            Sample {
                name: "player",
                page: front(),
            },
            Sample {
                name: "stranger",
                page: stranger,
            },
            Sample {
                name: "hiatus",
                page: resting,
            },
            Sample {
                name: "new game, idle",
                page: fresh,
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::sample::world::ME;

    #[test]
    fn the_samples_know_their_reader() {
        assert!(
            front()
                .roster
                .active
                .iter()
                .any(|p| p.is_you && p.name == ME)
        );
    }
}
