//! Whether code looks at words that people write: then other words might come to another answer, and a trial cannot guess them.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_engine::judge::Judge;
use quorate_kernel::{Name, Refusal};
use quorate_law::RuleText;

/// How rule code reads what people write.
const WORDS: [&str; 4] = [".text", ".title", ".body", ".flavour"];

/// How it reads, of a post that is yet to be made, what was written.
const GIVEN: &str = ".args";

/// Whether what the clause that refuses leads to reads what people write.
pub(crate) fn refuses_words(judge: &Judge, refusal: &Refusal) -> bool {
    any_code(judge, refusal, |code| {
        WORDS.iter().any(|word| code.contains(word))
    })
}

/// Whether the refusal of a post may be one of its words. One that no clause gives may be.
pub(crate) fn refuses_words_of_post(judge: &Judge, refusal: &Refusal) -> bool {
    let is_of_rule = judge.state().rules.contains_key(&refusal.rule_id);
    !is_of_rule
        || any_code(judge, refusal, |code| {
            code.contains(GIVEN) || WORDS.iter().any(|word| code.contains(word))
        })
}

/// Whether some code is so: that of the clause that refuses, or one that it may call.
fn any_code(judge: &Judge, refusal: &Refusal, is_so: impl Fn(&str) -> bool) -> bool {
    let (state, law) = (judge.state(), judge.law());
    let mut waiting = vec![(refusal.rule_id.clone(), refusal.clause)];
    let mut seen: BTreeSet<(Name, u32)> = BTreeSet::new();
    while let Some((rule, clause)) = waiting.pop() {
        let Some(text) = state.rules.get(&rule).map(|rule| Arc::clone(&rule.text)) else {
            continue;
        };
        let fences = RuleText::parse(&text).fences.into_iter();
        for fence in fences.filter(|fence| fence.clause == clause) {
            if is_so(&fence.code) {
                return true;
            }
            let names = fence
                .code
                .split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let sites = names.filter_map(|name| law.code.site_of(name));
            waiting.extend(sites.map(|site| (site.rule.clone(), site.clause)));
        }
        seen.insert((rule, clause));
        waiting.retain(|site| !seen.contains(site));
    }
    false
}
