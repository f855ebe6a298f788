//! Fences that were read before change nothing: a law that is compiled knowing them is the law that is compiled from nothing, whatever
//! came and went between.

use std::fs;
use std::path::Path;

use quorate_kernel::Name;
use quorate_law::{Compiled, FenceCache, RuleSource, RuleText, compile, compile_knowing};

/// How many amendments are made.
const AMENDMENTS: u64 = 30;

/// How many rules a law has at most.
const RULES_MAX: usize = 24;

/// Chance from a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        let bound = u64::try_from(bound).expect("it fits");
        usize::try_from((self.0 >> 33) % bound).expect("it fits")
    }
}

/// Rules that check, and rules that do not.
fn texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let folders = ["good", "bad"].map(|name| folder.join(name)).into_iter();
    let files = folders.flat_map(|folder| fs::read_dir(folder).expect("the folder is there"));
    let files = files.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    files.sort();
    let texts = files.iter().map(fs::read_to_string);
    texts.map(|text| text.expect("a rule file")).collect()
}

fn source(rule: &str, text: &str, since: u64) -> RuleSource {
    let text = RuleText::parse(text);
    RuleSource {
        rule: Name::from(rule),
        title: text.title.clone().unwrap_or_else(|| rule.to_owned()),
        library: false,
        since,
        text,
        left: None,
    }
}

/// A text with a line put in before another, or taken out, or with a name changed everywhere.
fn changed(chance: &mut Chance, text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let at = chance.below(lines.len().max(1));
    match chance.below(4) {
        0 => lines.insert(at, ""),
        1 => lines.insert(at, "And so it is."),
        2 if at < lines.len() => {
            lines.remove(at);
        }
        _ => return text.replace("gold", "silver").replace('3', "4"),
    }
    lines.join("\n")
}

fn amend(chance: &mut Chance, texts: &[String], law: &mut Vec<RuleSource>, since: u64) {
    let any = |chance: &mut Chance| texts[chance.below(texts.len())].clone();
    let at = chance.below(law.len());
    let rule = law[at].rule.clone();
    match chance.below(8) {
        0..=2 if law.len() < RULES_MAX => {
            let text = any(chance);
            law.push(source(&format!("rule-{since}"), &text, since));
        }
        3 => {
            let left = Some("which was repealed on 3 May".into());
            let gone = law.remove(at);
            law.push(RuleSource { left, ..gone });
        }
        4 => {
            law.remove(at);
        }
        5 => {
            let other = chance.below(law.len());
            law.swap(at, other);
        }
        6 => law[at] = source(rule.as_str(), &any(chance), since),
        _ => {
            let text = changed(chance, &law[at].text.source);
            law[at] = source(rule.as_str(), &text, since);
        }
    }
    if law.is_empty() {
        law.push(source("first", &any(chance), since));
    }
}

/// What of two compilations differs.
fn difference(one: &Compiled, other: &Compiled) -> Vec<&'static str> {
    let parts = [
        ("text", one.code.text() == other.code.text()),
        ("declarations", one.declarations == other.declarations),
        ("asleep", one.asleep == other.asleep),
        ("warnings", one.warnings == other.warnings),
        ("reads", one.reads == other.reads),
        ("enacts", one.enacts == other.enacts),
        ("leans", one.leans == other.leans),
        ("breaking", one.breaking == other.breaking),
        ("lost values", one.lost_values == other.lost_values),
    ];
    let differ = parts.into_iter().filter(|(_, same)| !same);
    differ.map(|(what, _)| what).collect()
}

const HAD: &str =
    "# Had\n\n1. It costs 9.\n\n```starlark\ndef price() -> int:\n    return 9\n```\n";

const ASKS: &str =
    "# Asks\n\n1. A third.\n\n```starlark\ndef third() -> int:\n    return price() // 3\n```\n";

/// The law, compiled from nothing and with each of some caches: it must be the same.
fn compiled(law: &[RuleSource], kept: &[FenceCache]) -> Compiled {
    let fresh = compile(law, 2);
    for known in kept {
        let known = compile_knowing(law, 2, known);
        let nothing: Vec<&str> = Vec::new();
        assert_eq!(difference(&known, &fresh), nothing);
    }
    fresh
}

#[test]
fn a_law_that_knows_fences_of_before_is_the_law_from_nothing() {
    let texts = texts();
    // One that keeps all, and one in which fences drive each other out.
    let kept = [FenceCache::default(), FenceCache::of_bytes(60_000)];
    let mut chance = Chance(7);
    let first = (0..12).map(|nth| {
        let text = &texts[chance.below(texts.len())];
        source(&format!("first-{nth}"), text, 0)
    });
    let mut law: Vec<RuleSource> = first.collect();
    let mut slept = 0;
    for since in 1..=AMENDMENTS {
        amend(&mut chance, &texts, &mut law, since);
        slept += compiled(&law, &kept).asleep.len();
    }
    assert!(slept > 0, "no fence slept");
    let had = source("had", HAD, 0);
    compiled(&[source("asks", ASKS, 1), had.clone()], &kept);
    let left = Some("which was repealed on 3 May".into());
    let gone = [source("asks", ASKS, 1), RuleSource { left, ..had }];
    assert!(!compiled(&gone, &kept).leans.is_empty());
    assert!(kept[0].bytes() > 60_000 && kept[1].bytes() <= 60_000);
}
