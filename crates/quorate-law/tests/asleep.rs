//! What sleeps under the first edition: a fence that does not check, and whatever leans on it, to the end of the chain.

mod common;

use common::clause;
use quorate_law::compile;

#[test]
fn what_leans_on_a_name_that_is_gone_sleeps_to_the_end_of_the_chain_and_says_on_what() {
    let sources = [
        clause(
            "rows",
            "entity(\"Weapon\")\n\ndef first() -> str:\n    return spelt(\"x\")",
        ),
        clause("wield", "def heft(w: Weapon) -> int:\n    return 1"),
        clause(
            "strike",
            "def blow(w: Weapon) -> int:\n    return heft(w) + 1",
        ),
        clause(
            "last",
            "def twice() -> int:\n    return len([blow(w) for w in [1]])",
        ),
        clause(
            "apart",
            "def alone(spelt: int) -> int:\n    return spelt + 1",
        ),
    ];
    let law = compile(&sources, 1);
    let found = law.asleep.iter().flat_map(|asleep| {
        let each = asleep.diagnostics.iter();
        each.map(|found| (asleep.rule.as_str(), found.line, found.text.as_str()))
    });
    let found: Vec<(&str, u32, &str)> = found.collect();
    let leans = |rule: &str| {
        let mut asleep = law.asleep.iter().filter(|asleep| asleep.rule == *rule);
        asleep.any(|asleep| asleep.diagnostics[0].is_elsewhere)
    };
    assert_eq!(
        (leans("rows"), leans("wield"), leans("last")),
        (false, true, true)
    );
    assert_eq!(
        found,
        [
            ("rows", 9, "there is no `spelt`"),
            (
                "wield",
                6,
                "`Weapon` sleeps, with its fence in the rule \"rows\""
            ),
            (
                "strike",
                6,
                "`Weapon` sleeps, with its fence in the rule \"rows\""
            ),
            (
                "last",
                7,
                "`blow` sleeps, with its fence in the rule \"strike\""
            ),
        ]
    );
}
