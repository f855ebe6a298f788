//! A ruleset that was written elsewhere is imported by the real binary, founded, and played by hand.

use std::path::Path;
use std::process::{Command, Output};

/// A ruleset with something wrong on its ninth line.
const RULESET: &str = "== Core Rules ==\n=== Rowers ===\nThese are the rules; all Rowers shall obey them.\n\
    === Proposals ===\n# Anybody may propose.\n# Most decide.\n== Dynastic Rules ==\n=== Oars ===\n{| \n! Rower !! Oars\n|-\n| Ann || 2\n";

/// What a game of it must let people do.
const PLAY: &str = r##"
def test_it_is_played_by_hand():
    g = game("boat", players = 3)
    anna, bert, cleo = g.players
    note = g.post(cleo, "Story", "A fine day", body = "We rowed.")
    g.comment(bert, note, "We did.")
    g.act(bert, "claim", set_value(cleo, sheet = "Oars: 2"), rule = "oars", reason = "Two were left on the quay")
    eq(cleo.sheet, "Oars: 2")
    g.act(anna, "dispute")
    p = g.post(bert, "Proposal", "More oars", changes = [
        amend_rule("oars", "Ann | 2", "Ann | 3"),
        add_rule("sails", "# Sails\n\nThere are sails.\n", section = "dynastic"),
    ])
    g.vote(cleo, p, "for")
    eq(g.tally(p), "2 FOR, 0 AGAINST")
    check(not g.can(cleo, "enact-proposal", p), "only an admin enacts")
    g.act(anna, "enact-proposal", p)
    eq(g.status(p), "enacted")
    eq([r.id for r in g.rules("dynastic")], ["oars", "sails"])
    check("Ann | 3" in g.call("source", "oars"))
    call = g.post(cleo, "Call", "Which quay?")
    g.vote(bert, call, "against")
    g.act(anna, "fail-call", call)
    eq([g.status(call), call.note], ["failed", "1 FOR, 1 AGAINST"])
    won = g.post(cleo, "Declaration", "I have won")
    g.act(cleo, "edit", won, body = "By a length.")
    g.vote(bert, won, "deferential")
    check(not g.can(cleo, "edit", won, body = "By two."))
    g.act(anna, "enact-declaration", won)
    eq(won.note, "1 FOR, 0 AGAINST, 1 DEFERENTIAL")
    code = add_rule("luck", "# Luck\n\n1. Bert wins.\n\n```starlark\nWON = True\n```\n", section = "dynastic")
    g.post(bert, "Proposal", "Luck", changes = [code, repeal_rule("by-hand")])
    for change in [code, repeal_rule("by-hand"), switch_rule("by-hand", on = False), move_rule("by-hand", section = "dynastic")]:
        r = g.refused(bert, "claim", [change], rule = "oars", reason = "I should like it")
        eq(r.what, "a change by hand that leaves code alone: post the change and have it voted on")
    q = g.post(cleo, "Proposal", "No oars")
    g.act(cleo, "withdraw", q)
    eq(g.status(q), "withdrawn")
    kay = g.join("Kay")
    eq(kay.standing, "member")
"##;

fn quorate(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quorate"))
        .args(words)
        .current_dir(folder)
        .output()
        .expect("the binary runs")
}

fn said(output: &Output) -> String {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn an_imported_ruleset_is_founded_and_played() {
    let home = tempfile::tempdir().expect("there is room");
    let folder = home.path();
    std::fs::write(folder.join("boat.wiki"), RULESET).expect("the ruleset is written");
    let imported = quorate(folder, &["import-ruleset", "boat.wiki", "--out", "boat"]);
    let text = said(&imported);
    assert_eq!(imported.status.code(), Some(1), "{text}");
    assert!(
        text.contains("line 9: problem: this table is not closed"),
        "{text}"
    );
    assert!(text.contains("3 rules in 2 sections; checks"), "{text}");
    let checked = quorate(folder, &["check", "boat"]);
    assert!(checked.status.success(), "{}", said(&checked));
    std::fs::create_dir(folder.join("boat/tests")).expect("there is room");
    std::fs::write(folder.join("boat/tests/play.star"), PLAY).expect("the test is written");
    let played = quorate(folder, &["test", "boat"]);
    assert!(
        said(&played).contains("1 passed, 0 failed"),
        "{}",
        said(&played)
    );
    let found = ["new", "./boat", "--data", "data", "--founder", "Jo"];
    let founded = quorate(folder, &found);
    assert!(founded.status.success(), "{}", said(&founded));
    let again = quorate(folder, &["import-ruleset", "boat.wiki", "--out", "boat"]);
    assert!(
        said(&again).contains("is there already"),
        "{}",
        said(&again)
    );
}

#[test]
fn code_of_ours_is_put_beside_prose_that_says_the_same() {
    let home = tempfile::tempdir().expect("there is room");
    let folder = home.path();
    // One of our own rulebooks without its code, as plain prose: all of it is known.
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulebooks/one-page/rules");
    let ours = rules.join("1-rules/01-nomic.md");
    let prose = std::fs::read_to_string(ours).expect("the rule is there");
    let start = prose.find("1. ").expect("it has a first clause");
    let text = format!("<h2>Rules</h2><h3>Nomic</h3><p>{}</p>", &prose[start..]);
    std::fs::write(folder.join("page.html"), text).expect("the page is written");
    let words = [
        "import-ruleset",
        "page.html",
        "--out",
        "page",
        "--with-code",
        "--json",
    ];
    let imported = quorate(folder, &words);
    let told: serde_json::Value = serde_json::from_slice(&imported.stdout).expect("it tells JSON");
    // A single title of ours is no kinship.
    assert_eq!(told["rules"][0]["code"], false, "{told}");
    assert_eq!(
        told["rules"][0]["fate"],
        "no rulebook here has rules of these titles"
    );
    assert_eq!(told["asleep"], 0);
}

#[test]
fn a_whole_rulebook_of_ours_without_its_code_gets_it_back() {
    let home = tempfile::tempdir().expect("there is room");
    let folder = home.path();
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulebooks/template/rules");
    let mut text = String::from("<h1>Orchard</h1>");
    for (section, files) in [
        (
            "Core Rules",
            &["1-core/01-players.md", "1-core/02-proposals.md"][..],
        ),
        ("Dynastic Rules", &["2-dynastic/01-apples.md"][..]),
    ] {
        text.push_str(&format!("<h2>{section}</h2>"));
        for file in files {
            let rule = std::fs::read_to_string(rules.join(file)).expect("the rule is there");
            let title = rule.lines().find_map(|line| line.strip_prefix("# "));
            let title = title
                .expect("it has a title")
                .replace("{Players}", "Gardeners");
            let mut code = false;
            let mut prose = String::new();
            for line in rule.lines().skip_while(|line| !line.starts_with("1. ")) {
                code ^= line.starts_with("```");
                if !code && !line.starts_with("```") {
                    prose.push_str(line);
                    prose.push('\n');
                }
            }
            text.push_str(&format!("<h3>{title}</h3><p>{prose}</p>"));
        }
    }
    std::fs::write(folder.join("orchard.html"), text).expect("the page is written");
    let words = ["import-ruleset", "orchard.html", "--with-code", "--json"];
    let imported = quorate(folder, &words);
    assert!(imported.status.success(), "{}", said(&imported));
    let told: serde_json::Value = serde_json::from_slice(&imported.stdout).expect("it tells JSON");
    for rule in told["rules"].as_array().expect("it lists rules") {
        assert_eq!(rule["code"], true, "{told}");
    }
    let checked = quorate(folder, &["check", "orchard"]);
    assert!(checked.status.success(), "{}", said(&checked));
}
