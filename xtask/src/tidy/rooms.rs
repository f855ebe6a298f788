//! The rooms of the server's house: each knows those on the floors below it and none beside it. The
//! site has a room for each thing that people do, and those do not know each other either.

use super::arrows::Arrows;
use super::finding::Finding;
use super::repo::Repo;

const HOUSE: &str = "quorate-server";

/// From the ground up, by how the paths of their files begin.
const ROOMS: [(&str, u8); 12] = [
    ("security", 0),
    ("ui", 1),
    // The door to the games, whose inside is open to `view` alone.
    ("view/games.rs", 1),
    // What all views of a game share, open to them alone.
    ("view/law_answers.rs", 1),
    ("app", 2),
    ("view", 3),
    ("requests", 4),
    ("api", 5),
    ("delivery", 5),
    ("site", 5),
    ("routes", 6),
    ("lib.rs", 7),
];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let Some(house) = repo.members.iter().find(|member| member.name == HOUSE) else {
        return Vec::new();
    };
    let sources = format!("{}/src/", house.folder);
    let inside = |path: &'_ str| path.strip_prefix(&sources).map(ToOwned::to_owned);
    let mut findings: Vec<Finding> = repo
        .rust()
        .filter(|(path, _)| inside(path).is_some_and(|path| room(&path).is_none()))
        .map(|(path, _)| Finding::error(path, 1, "in no room; give it one in ROOMS"))
        .collect();
    for ((from, to), names) in Arrows::of(repo, house).within {
        let (Some(own), Some(other)) = (inside(from), inside(to)) else {
            continue;
        };
        if !may_know(&own, &other) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let message = format!("may not know `{other}`: {}", names.join(", "));
            findings.push(Finding::error(from, 1, message));
        }
    }
    findings
}

fn room(path: &str) -> Option<(&'static str, u8)> {
    let (first, _) = path.split_once('/').unwrap_or((path, ""));
    let is = |name: &str| path == name || first == name || first.strip_suffix(".rs") == Some(name);
    ROOMS.iter().copied().find(|(name, _)| is(name))
}

// Among the rooms of the site, `site/vote.rs` is one with `site/vote/`.
fn feature(path: &str) -> Option<&str> {
    let path = path.strip_prefix("site/")?;
    let (first, _) = path.split_once('/').unwrap_or((path, ""));
    Some(first.strip_suffix(".rs").unwrap_or(first))
}

fn may_know(own: &str, other: &str) -> bool {
    let (Some((room, floor)), Some((other_room, other_floor))) =
        (self::room(own), self::room(other))
    else {
        return true;
    };
    let features = feature(own).zip(feature(other));
    if room == other_room {
        features.is_none_or(|(own, other)| own == other)
    } else {
        other_floor < floor
    }
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn the_server_knows_what_lies_below_and_no_feature_knows_another() {
        assert_holds(check);
    }

    #[test]
    fn up_sideways_and_from_feature_to_feature_are_refused() {
        let repo = Repo::of(&[
            (
                "crates/quorate-server/src/lib.rs",
                "mod ui; mod view; mod api; mod site; mod attic;",
            ),
            ("crates/quorate-server/src/attic.rs", ""),
            (
                "crates/quorate-server/src/ui.rs",
                "pub struct Sheet; fn f(_: crate::view::Game) {}",
            ),
            (
                "crates/quorate-server/src/view.rs",
                "use crate::ui::Sheet; pub struct Game;",
            ),
            (
                "crates/quorate-server/src/api.rs",
                "use crate::site::vote::Vote; use crate::view::Game;",
            ),
            (
                "crates/quorate-server/src/site.rs",
                "pub mod vote; pub mod post; fn f(_: vote::Vote) {}",
            ),
            (
                "crates/quorate-server/src/site/vote.rs",
                "mod page; pub struct Vote; fn f(_: page::Page) {}",
            ),
            (
                "crates/quorate-server/src/site/vote/page.rs",
                "pub struct Page;",
            ),
            (
                "crates/quorate-server/src/site/post.rs",
                "use super::vote::{self, Vote};",
            ),
        ])
        .with_member(HOUSE, &[]);
        let found = found(check, &repo);
        let found: Vec<&str> = found
            .iter()
            .filter_map(|f| f.strip_prefix("crates/quorate-server/src/"))
            .collect();
        assert_eq!(
            found,
            [
                "attic.rs:1: in no room; give it one in ROOMS",
                "api.rs:1: may not know `site/vote.rs`: Vote",
                "site/post.rs:1: may not know `site/vote.rs`: Vote",
                "ui.rs:1: may not know `view.rs`: Game",
            ]
        );
    }
}
