//! The files of a crate stand on floors too: none takes anything from a file that takes something
//! from it, directly or round about.

use super::arrows::Arrows;
use super::finding::Finding;
use super::repo::{Member, Repo};

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    repo.members
        .iter()
        .flat_map(|member| check_member(repo, member))
        .collect()
}

fn check_member(repo: &Repo, member: &Member) -> Vec<Finding> {
    let arrows = Arrows::of(repo, member);
    let mut findings = Vec::new();
    for cycle in arrows.cycles() {
        let ties: Vec<String> = arrows.ties(&cycle).collect();
        let message = format!(
            "{} files go round in a circle:\n  {}",
            cycle.len(),
            ties.join("\n  ")
        );
        let path = cycle.first().copied().unwrap_or_default();
        findings.push(Finding::error(path, 1, message));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn no_file_takes_from_one_that_takes_from_it() {
        assert_holds(check);
    }

    #[test]
    fn a_circle_is_shown_with_what_ties_it() {
        let repo = Repo::of(&[
            (
                "crates/a/src/lib.rs",
                "mod x; mod y; mod z; mod w; pub use x::X;",
            ),
            ("crates/a/src/x.rs", "use crate::y::Y; pub struct X;"),
            (
                "crates/a/src/y.rs",
                "pub struct Y; fn f() { super::z::z() }",
            ),
            ("crates/a/src/z.rs", "use crate::X; pub fn z() {}"),
            ("crates/a/src/w.rs", "use crate::{X, y::Y};"),
        ])
        .with_member("a", &[]);
        assert_eq!(
            found(check, &repo),
            ["crates/a/src/x.rs:1: 3 files go round in a circle:\n  \
                crates/a/src/x.rs -> crates/a/src/y.rs: Y\n  \
                crates/a/src/y.rs -> crates/a/src/z.rs: z\n  \
                crates/a/src/z.rs -> crates/a/src/x.rs: X"]
        );
    }
}
