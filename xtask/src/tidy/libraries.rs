//! Where a library may be used at all: HTTP in the server, SQL in the store, the language in the
//! law, and nothing that waits or draws lots on the pure floors.

use super::finding::Finding;
use super::floors::is_pure;
use super::repo::{Member, Repo};

/// Libraries, told by how their names begin, and the only crates that may name them.
const HOMES: [(&str, &[&str]); 5] = [
    ("axum", &["quorate-server", "quorate"]),
    ("hyper", &["quorate-server", "quorate"]),
    ("sqlx", &["quorate-store", "quorate-store-postgres"]),
    ("starlark", &["quorate-law"]),
    ("askama", &["quorate-server"]),
];

/// What a pure floor may not even have linked into it by somebody else.
const NEVER_LINKED: [&str; 3] = ["tokio", "mio", "async-std"];

/// What a pure floor may not name. Hash tables of others seed themselves, so these get linked.
const NEVER_NAMED: [&str; 5] = ["rand", "rand_core", "getrandom", "fastrand", "tracing"];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    repo.members.iter().flat_map(check_member).collect()
}

fn check_member(member: &Member) -> Vec<Finding> {
    let mut wrong = Vec::new();
    for name in &member.direct {
        let homes = HOMES.iter().filter(|(start, _)| name.starts_with(start));
        for (_, homes) in homes.filter(|(_, homes)| !homes.contains(&member.name.as_str())) {
            wrong.push(format!("`{name}` belongs to {}", homes.join(" and ")));
        }
    }
    if is_pure(&member.name) {
        let linked = NEVER_LINKED
            .iter()
            .filter(|name| member.linked.contains(**name));
        let named = NEVER_NAMED
            .iter()
            .filter(|name| member.direct.contains(**name));
        wrong.extend(
            linked
                .chain(named)
                .map(|name| format!("`{name}` on a pure floor")),
        );
    }
    let manifest = format!("{}/Cargo.toml", member.folder);
    wrong
        .into_iter()
        .map(|message| Finding::error(&manifest, 1, message))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn each_library_of_this_repository_is_at_home() {
        assert_holds(check);
    }

    #[test]
    fn a_library_far_from_home_is_noticed() {
        let repo = Repo::default()
            .with_member("quorate-kernel", &["tokio", "rand", "serde"])
            .with_member("quorate-runtime", &["tokio", "getrandom", "axum"])
            .with_member("quorate-server", &["axum", "tokio", "starlark_map"]);
        assert_eq!(
            found(check, &repo),
            [
                "crates/quorate-kernel/Cargo.toml:1: `tokio` on a pure floor",
                "crates/quorate-kernel/Cargo.toml:1: `rand` on a pure floor",
                "crates/quorate-runtime/Cargo.toml:1: `axum` belongs to quorate-server and quorate",
                "crates/quorate-server/Cargo.toml:1: `starlark_map` belongs to quorate-law",
            ]
        );
    }
}
