//! How a matter stands: votes by icon, the law's count, its status.
//!
//! The pages ask the law by names that rulesets share: `ballot(post, player)` for somebody's vote as it counts,
//! `votes(post, side)` for the number on a side, `quorum()`, and `tally(post)` in words. A law without one of them shows
//! less: the icons as they were cast.

use quorate_kernel::rows::Post;
use quorate_kernel::{Name, PlayerId, PostId, Thing};
use quorate_law::datum::Datum;

use super::Look;
use super::words::capital;
use crate::parts::{Ballot, Gauge, Status, StatusKind, Tally, Verdict};

/// Votes on a matter, read once for a page.
pub struct Count {
    /// The icons that the category takes.
    pub icons: Vec<Name>,
    /// Each active player with the vote that counts for them, empty where there is none.
    pub ballots: Vec<(PlayerId, String)>,
    /// How many votes each icon's side has by the law's count.
    pub sides: Vec<(Name, u32)>,
    /// How many make a quorum.
    pub quorum: Option<u32>,
}

impl Look {
    /// The category's title of a post; "Post" where it has none.
    pub fn category_title(&self, post: &Post) -> String {
        let known = self.law.categories.get(&post.category);
        known.map_or_else(
            || {
                capital(if post.category.is_empty() {
                    "post"
                } else {
                    post.category.as_str()
                })
            },
            |c| c.it.title.clone(),
        )
    }

    /// Whether a post's status may still change.
    pub fn is_open(&self, post: &Post) -> bool {
        let first = self
            .law
            .categories
            .get(&post.category)
            .and_then(|category| category.it.statuses.first());
        post.closed_at.is_none() && first.is_some_and(|first| *first == post.status)
    }

    /// Whether a post is voted on.
    pub fn is_matter(&self, post: &Post) -> bool {
        let known = self.law.categories.get(&post.category);
        known.is_some_and(|category| !category.it.icons.is_empty())
    }

    /// The votes on a matter.
    pub fn count(&self, id: PostId) -> Option<Count> {
        let post = self.state().posts.get(&id)?;
        let icons = self.law.categories.get(&post.category)?.it.icons.clone();
        if icons.is_empty() {
            return None;
        }
        let (active, _) = self.roster();
        let knows = |function: &str| self.law.code.signature(function).is_some();
        let (by_ballot, by_votes, by_quorum) = (knows("ballot"), knows("votes"), knows("quorum"));
        Some(self.ask(|tx| {
            let matter = Datum::Thing(Thing::Post(id));
            let ballots: Vec<_> = active
                .iter()
                .map(|player| {
                    let whose = Datum::Thing(Thing::Player(*player));
                    let ballot = if by_ballot {
                        tx.call(&"ballot".into(), vec![matter.clone(), whose]).ok()
                    } else {
                        None
                    };
                    let word = match ballot {
                        Some(Datum::Text(text)) => text.to_string(),
                        _ => String::new(),
                    };
                    (*player, word)
                })
                .collect();
            let number = |answer: Option<Datum>| match answer {
                Some(Datum::Int(n)) => u32::try_from(n).ok(),
                _ => None,
            };
            let sides = icons
                .iter()
                .map(|icon| {
                    let side = Datum::Text(icon.as_str().into());
                    let counted = by_votes
                        .then(|| tx.call(&"votes".into(), vec![matter.clone(), side]).ok())
                        .flatten();
                    let cast = ballots
                        .iter()
                        .filter(|(_, word)| word == icon.as_str())
                        .count();
                    let cast = u32::try_from(cast).unwrap_or(u32::MAX);
                    let count = match icon.as_str() {
                        "for" | "against" => number(counted).unwrap_or(cast),
                        _ => cast,
                    };
                    (icon.clone(), count)
                })
                .collect();
            let quorum = by_quorum
                .then(|| tx.call(&"quorum".into(), vec![]).ok())
                .flatten();
            Count {
                icons: icons.clone(),
                ballots,
                sides,
                quorum: number(quorum),
            }
        }))
    }

    /// A post's status as a mark; none for posts without one.
    pub fn status(&self, post: &Post) -> Option<Status> {
        if post.status.is_empty() {
            return None;
        }
        let word = post.status.as_str();
        let kind = match word {
            "enacted" | "passed" | "contained" | "succeeded" => StatusKind::Enacted,
            "failed" | "escaped" | "declined" => StatusKind::Failed,
            "vetoed" => StatusKind::Vetoed,
            _ if self.is_open(post) => StatusKind::Pending,
            _ => StatusKind::Void,
        };
        Some(Status::new(kind, capital(word)))
    }

    /// How a post stands, in short; none for a post without status.
    pub fn verdict(&self, id: PostId) -> Option<Verdict> {
        let post = self.state().posts.get(&id)?;
        let status = self.status(post)?;
        let open = self.is_open(post);
        let count = if open { self.count(id) } else { None };
        let note = post.note.as_str();
        let lead = match &count {
            Some(count) => in_short(count),
            None => note.to_owned(),
        };
        let why = match post.closed_at {
            Some(at) => format!(", {}", self.when(at).full()),
            None => String::new(),
        };
        Some(Verdict {
            status,
            gauge: count.as_ref().map(Count::gauge),
            tally: count.as_ref().map(Count::tally).unwrap_or_default(),
            lead,
            why,
        })
    }
}

impl Count {
    /// How many votes a side has.
    pub fn side(&self, name: &str) -> u32 {
        let found = self.sides.iter().find(|(side, _)| *side == name);
        found.map_or(0, |(_, count)| *count)
    }

    /// The votes as bars.
    pub fn gauge(&self) -> Gauge {
        let (in_favour, against) = (self.side("for"), self.side("against"));
        let voters = u32::try_from(self.ballots.len()).unwrap_or(u32::MAX);
        let silent = self
            .ballots
            .iter()
            .filter(|(_, word)| word.is_empty())
            .count();
        let silent = u32::try_from(silent).unwrap_or(u32::MAX);
        Gauge {
            in_favour,
            against,
            deferring: voters.saturating_sub(in_favour + against + silent),
            silent,
            quorum: self.quorum,
            large: false,
        }
    }

    /// The votes as numbers, sides without any left out.
    pub fn tally(&self) -> Tally {
        let counts = self
            .sides
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(side, count)| (Ballot::new(side.as_str()), *count));
        Tally {
            counts: counts.collect(),
        }
    }
}

fn in_short(count: &Count) -> String {
    match (count.quorum, count.side("for"), count.side("against")) {
        (Some(quorum), in_favour, _) if in_favour >= quorum => "Has its quorum".to_owned(),
        (Some(quorum), in_favour, _) => {
            format!("{in_favour} FOR of {quorum} that make a quorum")
        }
        (None, in_favour, against) => format!("{in_favour} FOR, {against} AGAINST"),
    }
}
