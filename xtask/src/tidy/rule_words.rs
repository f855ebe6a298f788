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

/// Where such a word is no rule after all.
struct Exception {
    /// A file, or the beginning of its path.
    path: &'static str,
    word: &'static str,
    /// What the word means there, for whoever would like to copy it.
    reason: &'static str,
}

const EXCEPTIONS: [Exception; 24] = [
    Exception {
        path: "crates/quorate-engine/src/conventions.rs",
        word: "idle",
        reason: "the names that rulebooks share stand here, and code asks by them",
    },
    Exception {
        path: "crates/quorate-engine/src/conventions.rs",
        word: "emperor",
        reason: "the names that rulebooks share stand here, and code asks by them",
    },
    Exception {
        path: "crates/quorate-engine/src/conventions.rs",
        word: "quorum",
        reason: "the names that rulebooks share stand here, and code asks by them",
    },
    Exception {
        path: "crates/quorate-engine/src/conventions.rs",
        word: "hiatus",
        reason: "the names that rulebooks share stand here, and code asks by them",
    },
    Exception {
        path: "crates/quorate-engine/src/conventions.rs",
        word: "dynastic",
        reason: "the names that rulebooks share stand here, and code asks by them",
    },
    Exception {
        path: "crates/quorate-engine/src/conventions.rs",
        word: "proposal",
        reason: "the names that rulebooks share stand here, and code asks by them",
    },
    Exception {
        path: "crates/quorate-engine/src/conventions.rs",
        word: "deferential",
        reason: "the names that rulebooks share stand here, and code asks by them",
    },
    Exception {
        path: "crates/quorate-engine/src/conventions.rs",
        word: "veto",
        reason: "the names that rulebooks share stand here, and code asks by them",
    },
    Exception {
        path: "crates/quorate-forecast/src/",
        word: "proposal",
        reason: "its sentences call what is voted on as the site does",
    },
    Exception {
        path: "crates/quorate-forecast/src/",
        word: "hiatus",
        reason: "it tells first of the value that rulebooks call so",
    },
    Exception {
        path: "crates/quorate-import/src/",
        word: "emperor",
        reason: "it reads rulesets of one tradition, in whose words they are written",
    },
    Exception {
        path: "crates/quorate-import/src/",
        word: "dynastic",
        reason: "it reads rulesets of one tradition, in whose words they are written",
    },
    Exception {
        path: "crates/quorate-lab/src/",
        word: "proposal",
        reason: "it plays rulebooks of one tradition, and names what it tries as they do",
    },
    Exception {
        path: "crates/quorate-lab/src/",
        word: "dynastic",
        reason: "it plays rulebooks of one tradition, and names what it tries as they do",
    },
    Exception {
        path: "crates/quorate-lab/src/",
        word: "emperor",
        reason: "it plays rulebooks of one tradition, and names what it tries as they do",
    },
    Exception {
        path: "crates/quorate-server/src/api/",
        word: "emperor",
        reason: "the API promises a field of this name",
    },
    Exception {
        path: "crates/quorate-server/src/api/",
        word: "quorum",
        reason: "the API promises a field of this name",
    },
    Exception {
        path: "crates/quorate-server/src/api/",
        word: "hiatus",
        reason: "the API promises a field of this name",
    },
    Exception {
        path: "crates/quorate-server/src/delivery/fetch.rs",
        word: "idle",
        reason: "what a mailbox can do, in the words of its protocol",
    },
    Exception {
        path: "crates/quorate-server/src/site/help/guide.rs",
        word: "proposal",
        reason: "the name of a page of the guide",
    },
    Exception {
        path: "crates/quorate-server/src/ui/",
        word: "deferential",
        reason: "the drawings of the tradition's votes; what else a law declares is shown by its name",
    },
    Exception {
        path: "crates/quorate-server/src/ui/",
        word: "veto",
        reason: "the drawings of the tradition's votes; what else a law declares is shown by its name",
    },
    Exception {
        path: "crates/quorate-store-postgres/src/address.rs",
        word: "idle",
        reason: "a setting of the database",
    },
    Exception {
        path: "crates/quorate/src/cmd/simulate/ledger.rs",
        word: "proposal",
        reason: "what a run of forecasts counts",
    },
];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    check_but_for(repo, &EXCEPTIONS)
}

fn check_but_for(repo: &Repo, exceptions: &[Exception]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used = vec![false; exceptions.len()];
    for (path, source) in repo.production() {
        // A sentence is for people; what code decides by, it has as a name or a key.
        let is_for_people = |word: &Word| word.is_string && word.text.contains(' ');
        let may_tell = !is_pure_source(path);
        for word in source.words() {
            if may_tell && is_for_people(&word) {
                continue;
            }
            for rule_word in rule_words(&word) {
                let found = exceptions
                    .iter()
                    .position(|e| path.starts_with(e.path) && e.word == rule_word);
                if let Some(index) = found {
                    used[index] = true;
                } else {
                    let message = format!("`{rule_word}` is a rulebook's word");
                    findings.push(Finding::error(path, word.line, message));
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
    fn above_the_pure_floors_a_sentence_may_say_it_and_a_key_may_not() {
        let path = "crates/quorate-server/src/view/votes.rs";
        let text = "fn f() -> [&'static str; 2] { [\"Two are idle\", \"idle\"] }\n";
        assert_eq!(
            found(|repo| check_but_for(repo, &[]), &Repo::of(&[(path, text)])),
            [format!("{path}:1: `idle` is a rulebook's word")]
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
