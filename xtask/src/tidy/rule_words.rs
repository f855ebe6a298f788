//! The house knows no rule of any game: what a proposal is, or a quorum, stands in a rulebook. A
//! rule word in its code is a rule that no vote could change.

use super::finding::Finding;
use super::floors::is_pure_source;
use super::repo::Repo;
use super::rust::Word;
use super::templates::is_template;

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

const EXCEPTIONS: [Exception; 25] = [
    Exception {
        path: "crates/quorate-engine/src/conventions.rs",
        word: "self_kill",
        reason: "the names that rulebooks share stand here, and code asks by them",
    },
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

/// What people read in a rulebook's word, above the pure floors: a sentence, or a template. No code decides by it.
const TOLD: [Exception; 20] = [
    Exception {
        path: "crates/",
        word: "proposal",
        reason: "what is voted on is called so in plain English",
    },
    Exception {
        path: "crates/quorate-import/src/",
        word: "deferential",
        reason: "the table of icons of a rulebook of one tradition",
    },
    Exception {
        path: "crates/quorate-import/src/",
        word: "veto",
        reason: "the table of icons of a rulebook of one tradition",
    },
    Exception {
        path: "crates/quorate-server/src/site/blog/",
        word: "idle",
        reason: IDLE_REASON,
    },
    Exception {
        path: "crates/quorate-server/src/site/home/",
        word: "idle",
        reason: IDLE_REASON,
    },
    Exception {
        path: "crates/quorate-server/src/site/people/",
        word: "idle",
        reason: IDLE_REASON,
    },
    Exception {
        path: "crates/quorate-server/src/site/post/",
        word: "idle",
        reason: IDLE_REASON,
    },
    Exception {
        path: "crates/quorate-server/src/view/votes.rs",
        word: "idle",
        reason: IDLE_REASON,
    },
    Exception {
        path: "crates/quorate-server/src/ui/vote.rs",
        word: "quorum",
        reason: QUORUM_REASON,
    },
    Exception {
        path: "crates/quorate-server/src/view/standing.rs",
        word: "quorum",
        reason: QUORUM_REASON,
    },
    Exception {
        path: "crates/quorate-server/src/view/verdict.rs",
        word: "quorum",
        reason: QUORUM_REASON,
    },
    Exception {
        path: "crates/quorate-server/src/ui/base.html",
        word: "deferential",
        reason: "which keys choose the tradition's votes",
    },
    Exception {
        path: HELP,
        word: "dynastic",
        reason: HELP_REASON,
    },
    Exception {
        path: HELP,
        word: "quorum",
        reason: HELP_REASON,
    },
    Exception {
        path: HELP,
        word: "emperor",
        reason: HELP_REASON,
    },
    Exception {
        path: HELP,
        word: "veto",
        reason: HELP_REASON,
    },
    Exception {
        path: HELP,
        word: "deferential",
        reason: HELP_REASON,
    },
    Exception {
        path: HELP,
        word: "hiatus",
        reason: HELP_REASON,
    },
    Exception {
        path: HELP,
        word: "idle",
        reason: HELP_REASON,
    },
    Exception {
        path: "crates/quorate-store-postgres/src/whole.rs",
        word: "idle",
        reason: "a setting of the database",
    },
];

const IDLE_REASON: &str = "a player for whom the flag of `conventions::IDLE` is set is told so";
const QUORUM_REASON: &str = "how many votes are enough, by `conventions::ENOUGH`, is told so";
const HELP: &str = "crates/quorate-server/src/site/help/help.html";
const HELP_REASON: &str = "the help explains the words of the tradition";

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    check_but_for(repo, &EXCEPTIONS, &TOLD)
}

/// Exceptions of which it is known which were needed.
struct Allowed<'a> {
    exceptions: &'a [Exception],
    used: Vec<bool>,
}

impl<'a> Allowed<'a> {
    fn of(exceptions: &'a [Exception]) -> Self {
        let used = vec![false; exceptions.len()];
        Self { exceptions, used }
    }

    fn is_allowed(&mut self, path: &str, word: &str) -> bool {
        let mut all = self.exceptions.iter();
        let found = all.position(|e| path.starts_with(e.path) && e.word == word);
        if let Some(index) = found {
            self.used[index] = true;
        }
        found.is_some()
    }

    /// Those that nothing needs any more.
    fn stale(self) -> impl Iterator<Item = Finding> {
        let all = self.exceptions.iter().zip(self.used);
        all.filter(|(_, used)| !used).map(|(exception, _)| {
            let Exception { path, word, reason } = exception;
            let message = format!("no longer says `{word}`, which was allowed: {reason}");
            Finding::error(path, 1, message)
        })
    }
}

fn check_but_for(repo: &Repo, exceptions: &[Exception], told: &[Exception]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut exceptions, mut told) = (Allowed::of(exceptions), Allowed::of(told));
    let wrong = |path: &str, line: usize, word: &str| {
        Finding::error(path, line, format!("`{word}` is a rulebook's word"))
    };
    for (path, source) in repo.production() {
        // A sentence is for people; what code decides by, it has as a name or a key.
        let is_told =
            |word: &Word| word.is_string && word.text.contains(' ') && !is_pure_source(path);
        for word in source.words() {
            for rule_word in rule_words(&word) {
                let may_tell = is_told(&word) && told.is_allowed(path, rule_word);
                if !may_tell && !exceptions.is_allowed(path, rule_word) {
                    findings.push(wrong(path, word.line, rule_word));
                }
            }
        }
    }
    for (path, text) in repo.texts.iter().filter(|(path, _)| is_template(path)) {
        for (index, line) in text.lines().enumerate() {
            let line = Word {
                line: index + 1,
                text: line.to_owned(),
                is_string: true,
            };
            for rule_word in rule_words(&line) {
                if !told.is_allowed(path, rule_word) {
                    findings.push(wrong(path, line.line, rule_word));
                }
            }
        }
    }
    findings.dedup_by(|a, b| (&a.path, a.line, &a.message) == (&b.path, b.line, &b.message));
    findings.extend(exceptions.stale().chain(told.stale()));
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
            found(
                |repo| check_but_for(repo, &[], &[]),
                &Repo::of(&[(PATH, text)])
            ),
            [
                format!("{PATH}:2: `quorum` is a rulebook's word"),
                format!("{PATH}:3: `proposal` is a rulebook's word"),
                format!("{PATH}:4: `idle` is a rulebook's word"),
            ]
        );
    }

    #[test]
    fn above_the_pure_floors_a_sentence_says_it_where_it_may_and_a_key_never() {
        let path = "crates/quorate-server/src/view/votes.rs";
        let text = "fn f() -> [&'static str; 2] {\n[\"Two are idle\",\n\"idle\"] }\n";
        let told = [Exception {
            path,
            word: "idle",
            reason: "a flag is told so",
        }];
        let repo = Repo::of(&[(path, text)]);
        let wrong = |line: usize| format!("{path}:{line}: `idle` is a rulebook's word");
        let findings = found(|repo| check_but_for(repo, &[], &told), &repo);
        assert_eq!(findings, [wrong(3)]);
        let findings = found(|repo| check_but_for(repo, &[], &[]), &repo);
        assert_eq!(findings, [wrong(2), wrong(3)]);
    }

    #[test]
    fn a_template_says_it_where_it_may() {
        let path = "crates/quorate-server/src/ui/vote.html";
        let repo = Repo::of(&[(path, "<p>\n  A quorum of votes\n</p>\n")]);
        assert_eq!(
            found(|repo| check_but_for(repo, &[], &[]), &repo),
            [format!("{path}:2: `quorum` is a rulebook's word")]
        );
        let told = [Exception {
            path,
            word: "quorum",
            reason: "how many are enough",
        }];
        assert!(check_but_for(&repo, &[], &told).is_empty());
    }

    #[test]
    fn an_exception_holds_while_it_is_needed() {
        let exceptions = [Exception {
            path: PATH,
            word: "veto",
            reason: "the French for a small dog",
        }];
        let needed = Repo::of(&[(PATH, "struct Veto;")]);
        assert!(check_but_for(&needed, &exceptions, &[]).is_empty());
        let stale = Repo::of(&[(PATH, "struct Dog;")]);
        assert_eq!(check_but_for(&stale, &exceptions, &[]).len(), 1);
    }
}
