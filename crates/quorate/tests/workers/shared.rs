//! Clauses that share the time of a page among them, so that none is too slow by itself.

use std::fmt::Write as _;

use serde_json::json;

use crate::served::{OTHER_TOKEN, Served, folder};

/// How many clauses share it. None has more steps than it may take, and all of them together take seconds.
const CLAUSES: usize = 60;

/// How many values each has.
const VALUES: usize = 6;

/// How often the page is asked for at most until a clause sleeps. A machine with much to do is no reason to put one to sleep.
const ASKED_MAX: usize = 10;

/// A rule of which all values together take too long.
fn rule() -> String {
    let mut rule = "# Slow\n".to_owned();
    for clause in 1..=CLAUSES {
        let mut add = |text: &str| rule.write_str(text).expect("there is room");
        add(&format!(
            "\n{clause}. Slow.\n\n```starlark\ndef slow{clause}(one: Player) -> int:\n    total = 0\n    \
             for step in range(80000):\n        total += len(\"x\")\n    return total\n\n"
        ));
        for value in 1..=VALUES {
            add(&format!(
                "s{clause}_{value} = derived(\"Slow {clause} {value}\", slow{clause}, of = player, tracked = \"tracker\")\n"
            ));
        }
        add("```\n");
    }
    rule
}

#[test]
fn the_longest_of_many_clauses_sleeps_where_they_share_the_time_of_a_page() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    let repair = json!({ "action": "repair", "arguments": { "reason": "to be slow",
        "changes": [{ "do": "add_rule", "id": "slow", "section": "rules", "text": rule() }] } });
    let acts = "/api/v1/games/town/acts";
    let (status, said) = server.ask_as(OTHER_TOKEN, "POST", acts, &repair.to_string());
    assert_eq!(status, 201, "{said}");
    let tracker = || server.ask("GET", "/g/town/tracker", "");
    let (status, first) = tracker();
    assert_eq!(status, 503, "all of it together is quick: {first}");
    let log = || server.ask("GET", "/api/v1/games/town/events", "").1;
    let sleeps = || log().contains("it took longer than 1 s");
    let slept = sleeps()
        || (0..ASKED_MAX).any(|_| {
            tracker();
            sleeps()
        });
    assert!(slept, "nobody is to blame: {}", log());
}
