//! Time, dice and all else that a machine could answer differently tomorrow are inputs of the pure
//! floors. `clippy.toml` bans the calls everywhere; this also sees what is merely imported.

use super::finding::Finding;
use super::floors::is_pure_source;
use super::repo::Repo;

/// What a path may not begin with or contain, and what to do about it.
const BANNED: [(&str, &str); 13] = [
    ("SystemTime::now", "time comes with the command"),
    ("Instant::now", "time comes with the command"),
    ("Timestamp::now", "time comes with the command"),
    ("Zoned::now", "time comes with the command"),
    ("std::time::SystemTime", "time comes with the command"),
    ("std::time::Instant", "time comes with the command"),
    ("std::fs", "what is needed is read before deciding begins"),
    ("std::net", "what is needed is read before deciding begins"),
    ("std::env", "what is needed is read before deciding begins"),
    ("std::process", "the runtime owns processes"),
    ("std::thread", "the runtime owns threads"),
    ("rand", "dice come from the tape"),
    ("getrandom", "dice come from the tape"),
];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in repo.rust().filter(|(path, _)| is_pure_source(path)) {
        for named in source.named_paths() {
            if let Some((banned, instead)) = BANNED.iter().find(|(b, _)| names(&named.text, b)) {
                let message = format!("`{banned}` on a pure floor: {instead}");
                findings.push(Finding::error(path, named.line, message));
            }
        }
    }
    // An import is seen twice: as its tokens and as the paths that they mean.
    findings.dedup_by(|a, b| (&a.line, &a.message) == (&b.line, &b.message));
    findings
}

// Whole segments only: `rand` is in `rand::rng`, not in `operand`. A lone `rand` may be a variable.
fn names(path: &str, banned: &str) -> bool {
    let path: Vec<&str> = path.split("::").collect();
    let banned: Vec<&str> = banned.split("::").collect();
    if banned.len() == 1 {
        return path.len() > 1 && path[0] == banned[0];
    }
    path.windows(banned.len()).any(|window| window == banned)
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn the_pure_floors_read_nothing_from_the_machine() {
        assert_holds(check);
    }

    #[test]
    fn a_clock_is_seen_in_code_but_not_in_words_about_it_or_in_tests() {
        let text = "//! Not std::fs.\n\
            use std::{fmt, fs::File};\n\
            fn f() { let _ = Instant::now(); }\n\
            fn g(operand: u8) -> u8 { operand }\n\
            #[cfg(test)] mod tests { use std::net::TcpStream; }\n";
        let repo = Repo::of(&[
            ("crates/quorate-kernel/src/clock.rs", text),
            ("crates/quorate-runtime/src/clock.rs", text),
        ]);
        assert_eq!(
            found(check, &repo),
            [
                "crates/quorate-kernel/src/clock.rs:3: `Instant::now` on a pure floor: \
                 time comes with the command",
                "crates/quorate-kernel/src/clock.rs:2: `std::fs` on a pure floor: \
                 what is needed is read before deciding begins",
            ]
        );
    }
}
