//! The invented game that most samples show: Saltmarsh, where Keepers mind lamps over a tidal flat.

use jiff::{SignedDuration, Timestamp};
use quorate_engine::icons::IconWords;
use quorate_kernel::Name;

use crate::ui::chrome::{Banner, Chrome, GameFrame, Reader, Section, Theme};
use crate::ui::form::Send;
use crate::ui::mark::{Ballot, Icon, Status, StatusKind};
use crate::ui::markup::{Markup, People, Reading, Terms, render};
use crate::ui::person::Person;
use crate::ui::refusal::Cite;
use crate::ui::time::When;
use crate::ui::urls;
use crate::ui::vote::{Gauge, Tally, Verdict};

pub(crate) const GAME: &str = "saltmarsh";
/// The reader of the samples.
pub(crate) const ME: &str = "Cosima";

/// The moment of all samples.
pub(crate) fn now() -> Timestamp {
    // 17 September 2031, 16:42 UTC.
    Timestamp::from_second(1_947_429_720).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// So many minutes before the samples' moment.
pub(crate) fn ago(minutes: i64) -> When {
    ahead(-minutes)
}

/// So many minutes after it.
pub(crate) fn ahead(minutes: i64) -> When {
    let at = now()
        .checked_add(SignedDuration::from_mins(minutes))
        .unwrap_or_else(|_| now());
    When::new(at, now())
}

pub(crate) fn terms() -> Terms {
    [
        ("player", "Keeper"),
        ("players", "Keepers"),
        ("Player", "Keeper"),
        ("Players", "Keepers"),
        ("emperor", "Harbourmaster"),
        ("admin", "Clerk"),
    ]
    .map(|(token, word)| (token.to_owned(), word.to_owned()))
    .into()
}

fn icons() -> IconWords {
    let names = ["for", "against", "deferential", "veto"].map(Name::from);
    names.iter().map(|name| (name, name)).collect()
}

/// A text that stands right under the page's own heading.
pub(crate) fn text(words: &str) -> Markup {
    render(
        words,
        Reading {
            terms: &terms(),
            icons: &icons(),
            people: &People::new(),
            keeps_lines: true,
            pictures: None,
            heading: Some(2),
        },
    )
}

/// A text without headings of its own, for comments and clauses.
pub(crate) fn line(words: &str) -> Markup {
    render(
        words,
        Reading {
            terms: &terms(),
            icons: &icons(),
            people: &People::new(),
            keeps_lines: true,
            pictures: None,
            heading: None,
        },
    )
}

pub(crate) fn person(name: &str) -> Person {
    let id = name.to_lowercase();
    let person = Person::new(
        name,
        urls::Player {
            game: GAME,
            player: &id,
        },
    );
    let person = if name == ME { person.you() } else { person };
    match name {
        "Oriel" => person.with(Icon::Crown, "Harbourmaster"),
        "Cosima" | "Jory" => person.with(Icon::Key, "Clerk"),
        _ => person,
    }
}

pub(crate) fn send(to: impl Into<urls::Href>) -> Send {
    Send::new(to, "5f3c".repeat(16)).keyed("k-4821")
}

pub(crate) fn rule(text: &str, rule: &str) -> Cite {
    Cite::new(text, urls::Rule { game: GAME, rule })
}

pub(crate) fn post(id: &str) -> urls::Href {
    urls::Post {
        game: GAME,
        post: id,
    }
    .into()
}

pub(crate) fn gauge(in_favour: u32, against: u32, deferring: u32, silent: u32) -> Gauge {
    let voters = in_favour + against + deferring + silent;
    Gauge {
        in_favour,
        against,
        deferring,
        silent,
        enough: Some(voters / 2 + 1),
        large: false,
    }
}

pub(crate) fn tally(gauge: Gauge) -> Tally {
    let counts = [
        ("for", gauge.in_favour),
        ("against", gauge.against),
        ("deferential", gauge.deferring),
    ];
    Tally {
        counts: counts
            .map(|(side, count)| (Ballot::new(side), count))
            .to_vec(),
    }
}

pub(crate) fn verdict(
    kind: StatusKind,
    word: &str,
    gauge: Gauge,
    lead: &str,
    why: &str,
) -> Verdict {
    Verdict {
        status: Status::new(kind, word),
        gauge: Some(gauge),
        tally: tally(gauge),
        lead: lead.into(),
        ahead: None,
        why: why.into(),
    }
}

/// The frame of a page of Saltmarsh, as Cosima sees it.
pub(crate) fn chrome(title: &str, section: &str) -> Chrome {
    let part = |title: &str, href: urls::Href, waiting| Section {
        fresh: usize::from(title == "Ruleset"),
        is_current: title == section,
        title: title.into(),
        href,
        waiting,
        is_apart: title == "Desk",
    };
    let sections = vec![
        part("Blog", urls::Game { game: GAME }.into(), 0),
        part("Ruleset", urls::Ruleset { game: GAME }.into(), 0),
        part("Tracker", urls::Tracker { game: GAME }.into(), 0),
        part("Act", urls::Act { game: GAME }.into(), 3),
        part(
            "The flat",
            urls::Board {
                game: GAME,
                board: "flat",
            }
            .into(),
            0,
        ),
        part("Players", urls::Players { game: GAME }.into(), 0),
        part("Log", urls::Log { game: GAME }.into(), 0),
        part("Desk", urls::Desk { game: GAME }.into(), 2),
    ];
    let game = GameFrame {
        name: "Saltmarsh".into(),
        href: urls::Game { game: GAME }.into(),
        line: "Third Dynasty of Oriel".into(),
        motto: Some("Who minds a lamp minds everybody’s way home.".into()),
        sections,
        banners: vec![],
        law: "Law of 16 Sep, 20:04 UTC, version 41".into(),
        stream: Some(urls::Stream { game: GAME }.into()),
        rules: urls::Ruleset { game: GAME }.into(),
        feed: urls::Feed { game: GAME }.into(),
        search: urls::Search { game: GAME }.into(),
    };
    Chrome {
        title: title.into(),
        theme: Theme::System,
        has_keys: true,
        now: When::new(now(), now()),
        reader: Some(Reader {
            name: ME.into(),
            mail: Some((1, urls::Messages { game: GAME }.into())),
        }),
        game: Some(game),
        notice: None,
    }
}

/// The same frame for somebody who is not signed in.
pub(crate) fn as_stranger(mut chrome: Chrome) -> Chrome {
    chrome.reader = None;
    if let Some(game) = &mut chrome.game {
        game.sections
            .retain(|section| !section.is_apart && section.title != "Act");
    }
    chrome
}

/// The frame of a page that belongs to no game.
pub(crate) fn bare(title: &str) -> Chrome {
    Chrome {
        game: None,
        ..chrome(title, "")
    }
}

/// The frame while a victory is being settled.
pub(crate) fn in_hiatus(mut chrome: Chrome) -> Chrome {
    if let Some(game) = &mut chrome.game {
        game.banners = vec![
            Banner {
                icon: Icon::Pending,
                lead: "Hiatus.".into(),
                text: "Hanno has declared victory; the game rests until that is settled. Votes, comments, calls for \
                       judgement and idling go on."
                    .into(),
                until: None,
                more: Some(crate::ui::chrome::Link::new("The declaration", post("81-0"))),
            },
            Banner {
                icon: Icon::Moon,
                lead: "Downtime".into(),
                text: "Only calls for judgement and comments are open, and clocks stand still, until".into(),
                until: Some(ahead(2_600)),
                more: None,
            },
        ];
    }
    chrome
}
