//! Who may see the whole of a game: only what shows it to a reader according to who asks. Elsewhere
//! in the server nothing even names the types that hold it.

use std::collections::{BTreeMap, BTreeSet};

use super::arrows::Arrows;
use super::finding::Finding;
use super::modules::{Modules, Target};
use super::repo::Repo;

const SERVER: &str = "quorate-server";

/// The one place that looks at a game and decides what its reader sees.
const MAY_SEE: &str = "crates/quorate-server/src/view";

/// Types that hold a whole game, and modules full of such types.
const WHOLE_GAMES: [&str; 4] = [
    "quorate_kernel::state::State",
    "quorate_runtime::Published",
    "quorate_engine::Judge",
    "quorate_engine::tx",
];

/// Files that may name one of them all the same, and why.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    check_but_for(repo, &EXCEPTIONS)
}

fn check_but_for(repo: &Repo, exceptions: &[(&str, &str, &str)]) -> Vec<Finding> {
    let Some(server) = repo.members.iter().find(|member| member.name == SERVER) else {
        return Vec::new();
    };
    let crates = Crates::read(repo);
    let mut findings = Vec::new();
    let mut used = BTreeSet::new();
    for whole in WHOLE_GAMES
        .iter()
        .filter(|whole| crates.files(whole).is_empty())
    {
        let message = format!("`{whole}` is to be seen by few, and there is none");
        findings.push(Finding::error("xtask/src/tidy/sight.rs", 1, message));
    }
    for (file, paths) in Arrows::of(repo, server).out {
        if file.starts_with(MAY_SEE) {
            continue;
        }
        for path in paths {
            let Some(whole) = WHOLE_GAMES.iter().find(|whole| crates.is_in(&path, whole)) else {
                continue;
            };
            let exception = exceptions
                .iter()
                .position(|(start, name, _)| file.starts_with(start) && name == whole);
            match exception {
                Some(index) => drop(used.insert(index)),
                None => findings.push(Finding::error(
                    file,
                    1,
                    format!("names `{path}`, which holds a whole game"),
                )),
            }
        }
    }
    for (index, (file, whole, reason)) in exceptions.iter().enumerate() {
        if !used.contains(&index) {
            let message = format!("no longer names `{whole}`, which was allowed: {reason}");
            findings.push(Finding::error(file, 1, message));
        }
    }
    findings
}

// The libraries of this workspace, by the names that paths begin with.
struct Crates<'r>(BTreeMap<String, Modules<'r>>);

impl<'r> Crates<'r> {
    fn read(repo: &'r Repo) -> Self {
        let libraries = repo.members.iter().filter_map(|member| {
            let modules = Modules::read(repo, &format!("{}/src/lib.rs", member.folder))?;
            Some((member.name.replace('-', "_"), modules))
        });
        Self(libraries.collect())
    }

    // The items that a path leads to; for a module, the module's file and no name.
    fn files(&self, path: &str) -> BTreeSet<(&'r str, String)> {
        let path: Vec<String> = path.split("::").map(ToOwned::to_owned).collect();
        let Some(modules) = self.0.get(&path[0]) else {
            return BTreeSet::new();
        };
        let targets = modules.resolve(0, &path[1..]);
        let files = targets.into_iter().filter_map(|target| match target {
            Target::Item { file, name } => Some((file, name)),
            Target::Module(module) => Some((modules.file(module), String::new())),
            Target::Elsewhere(_) => None,
        });
        files.collect()
    }

    // Whether `path` leads to the type `whole` or into the module `whole`, by whatever way.
    fn is_in(&self, path: &str, whole: &str) -> bool {
        self.files(whole).iter().any(|(whole, name)| {
            let folder = format!("{}/", whole.trim_end_matches(".rs"));
            self.files(path).iter().any(|(file, own)| {
                if name.is_empty() {
                    file == whole || file.starts_with(&folder)
                } else {
                    (file, own) == (whole, name)
                }
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    fn repo(page: &str) -> Repo {
        Repo::of(&[
            ("crates/quorate-kernel/src/lib.rs", "pub mod state;"),
            (
                "crates/quorate-kernel/src/state.rs",
                "pub struct State; pub struct Post;",
            ),
            (
                "crates/quorate-runtime/src/lib.rs",
                "mod published; pub use published::Published;",
            ),
            (
                "crates/quorate-runtime/src/published.rs",
                "pub struct Published;",
            ),
            (
                "crates/quorate-engine/src/lib.rs",
                "pub mod judge; pub use judge::Judge; pub mod tx;",
            ),
            (
                "crates/quorate-engine/src/judge.rs",
                "pub struct Judge; pub struct Head;",
            ),
            (
                "crates/quorate-engine/src/tx.rs",
                "pub mod posts; pub use posts::Posts;",
            ),
            ("crates/quorate-engine/src/tx/posts.rs", "pub struct Posts;"),
            ("crates/quorate-server/src/lib.rs", "mod view; mod page;"),
            (
                "crates/quorate-server/src/view.rs",
                "pub use quorate_kernel::state::State;",
            ),
            ("crates/quorate-server/src/page.rs", page),
        ])
        .with_member("quorate-kernel", &[])
        .with_member("quorate-runtime", &[])
        .with_member("quorate-engine", &[])
        .with_member(SERVER, &[])
    }

    const PAGE: &str = "crates/quorate-server/src/page.rs";

    #[test]
    fn only_the_view_sees_a_whole_game() {
        assert_holds(check);
    }

    #[test]
    fn a_whole_game_is_noticed_by_whatever_name() {
        let page = "use quorate_engine::{judge::{self, Head}, tx::posts as p}; use quorate_kernel::state::Post;\n\
            fn f(_: crate::view::State, _: judge::Judge, _: p::Posts, _: quorate_runtime::Published) {}";
        let expected = [
            "quorate_engine::judge::Judge",
            "quorate_engine::tx::posts",
            "quorate_engine::tx::posts::Posts",
            "quorate_kernel::state::State",
            "quorate_runtime::Published",
        ]
        .map(|path| format!("{PAGE}:1: names `{path}`, which holds a whole game"));
        assert_eq!(found(check, &repo(page)), expected);
        assert!(check(&repo("use quorate_kernel::state::Post;")).is_empty());
    }

    #[test]
    fn an_exception_holds_while_it_is_needed() {
        let exceptions = [(PAGE, "quorate_engine::Judge", "it asks")];
        let found = |page| found(|repo| check_but_for(repo, &exceptions), &repo(page));
        assert!(found("use quorate_engine::Judge;").is_empty());
        assert_eq!(
            found(""),
            [format!(
                "{PAGE}:1: no longer names `quorate_engine::Judge`, which was allowed: it asks"
            )]
        );
    }
}
