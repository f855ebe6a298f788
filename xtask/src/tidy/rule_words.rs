//! The house knows no rule of any game: what a proposal is, or a quorum, stands in a rulebook. A
//! rule word in its code is a rule that no vote could change.

use super::finding::Finding;
use super::floors::is_pure_source;
use super::repo::Repo;
use super::rust::Word;

/// Words, as parts of identifiers and strings, that only rulebooks may use. `dynasty` is not one:
/// the span for which a secret of the dice holds is the machine's too.
const RULE_WORDS: [&str; 12] = [
    "proposal",
    "dynastic",
    "quorum",
    "emperor",
    "veto",
    "deferential",
    "hiatus",
    "zombie",
    "callforjudgement",
    "call_for_judgement",
    "selfkill",
    "self_kill",
];

/// Words that are rules in a string, and in a name may be anybody's: a connection is idle too.
const RULE_KEYS: [&str; 1] = ["idle"];

/// Words that the pure floors still use.
const LATER: [&str; 2] = ["dynastic", "idle"];

/// Where such a word is no rule after all.
struct Exception {
    /// A file, or the beginning of its path.
    path: &'static str,
    word: &'static str,
    /// What the word means there, for whoever would like to copy it.
    reason: &'static str,
}

const EXCEPTIONS: [Exception; 4] = [
    Exception {
        path: "crates/quorate-engine/src/testing/looking.rs",
        word: "emperor",
        reason: "the test language gives `g.emperor`, the value that rulebooks call so",
    },
    Exception {
        path: "crates/quorate-forecast/src/",
        word: "proposal",
        reason: "its sentences call what is voted on as the site does",
    },
    Exception {
        path: "crates/quorate-forecast/src/",
        word: "emperor",
        reason: "it tells first of the value that rulebooks call so",
    },
    Exception {
        path: "crates/quorate-forecast/src/",
        word: "hiatus",
        reason: "it tells first of the value that rulebooks call so",
    },
];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    check_but_for(repo, &EXCEPTIONS)
}

fn check_but_for(repo: &Repo, exceptions: &[Exception]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used = vec![false; exceptions.len()];
    for (path, source) in repo.production() {
        for word in source.words() {
            for rule_word in rule_words(&word) {
                let found = exceptions
                    .iter()
                    .position(|e| path.starts_with(e.path) && e.word == rule_word);
                if let Some(index) = found {
                    used[index] = true;
                } else {
                    let message = format!("`{rule_word}` is a rulebook's word");
                    let is_held = is_pure_source(path) && !LATER.contains(&rule_word);
                    let finding = if is_held {
                        Finding::error
                    } else {
                        Finding::later
                    };
                    findings.push(finding(path, word.line, message));
                }
            }
        }
    }
    findings.dedup_by(|a, b| (&a.path, a.line, &a.message) == (&b.path, b.line, &b.message));
    for (exception, _) in exceptions.iter().zip(used).filter(|(_, used)| !used) {
        let Exception { path, word, reason } = exception;
        let message = format!("no longer says `{word}`, which was allowed: {reason}");
        findings.push(Finding::error(path, 1, message));
    }
    findings
}

fn rule_words(word: &Word) -> impl Iterator<Item = &'static str> {
    let text = word.text.to_lowercase();
    let is_said = |key: &str| {
        word.is_string
            && text
                .split(|c: char| !c.is_alphanumeric())
                .any(|part| part == key)
    };
    let keys: Vec<&str> = RULE_KEYS.into_iter().filter(|key| is_said(key)).collect();
    let anywhere = RULE_WORDS
        .into_iter()
        .filter(move |rule_word| text.contains(rule_word));
    anywhere.chain(keys)
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    const PATH: &str = "crates/quorate-engine/src/decide.rs";

    #[test]
    fn the_house_names_no_rule() {
        assert_holds(check);
    }

    #[test]
    fn a_rule_word_is_found_in_names_and_strings_but_not_in_tests_or_comments() {
        let text = "/// No quorum.\n\
            struct QuorumSize;\n\
            fn f() -> &'static str { let idle = true; \"a pending proposal\" }\n\
            const KEY: &str = \"idle\";\n\
            #[cfg(test)] mod tests { fn zombie() {} }\n";
        assert_eq!(
            found(|repo| check_but_for(repo, &[]), &Repo::of(&[(PATH, text)])),
            [
                format!("{PATH}:2: `quorum` is a rulebook's word"),
                format!("{PATH}:3: `proposal` is a rulebook's word"),
                format!("{PATH}:4: `idle` is a rulebook's word"),
            ]
        );
    }

    #[test]
    fn an_exception_holds_while_it_is_needed() {
        let exceptions = [Exception {
            path: PATH,
            word: "veto",
            reason: "the French for a small dog",
        }];
        let needed = Repo::of(&[(PATH, "struct Veto;")]);
        assert!(check_but_for(&needed, &exceptions).is_empty());
        let stale = Repo::of(&[(PATH, "struct Dog;")]);
        assert_eq!(check_but_for(&stale, &exceptions).len(), 1);
    }
}
