//! Lines with their odds.

use super::*;

struct Plain;

impl Voice for Plain {
    fn moment(&self, at: Moment) -> String {
        at.to_string()
    }

    fn value(&self, value: &Value) -> String {
        format!("{value:?}")
    }
}

fn renamed(new: &str) -> Consequence {
    Consequence::Rule {
        rule: "r".into(),
        title: new.to_owned(),
        becomes: RuleFate::Renamed("1".to_owned()),
    }
}

fn change(outcomes: &[(f64, &str)]) -> PossibleChange {
    let outcome = |(share, new): &(f64, &str)| Possibility {
        share: *share,
        consequence: renamed(new),
    };
    PossibleChange {
        outcomes: outcomes.iter().map(outcome).collect(),
    }
}

#[test]
fn what_hangs_on_dice_is_told_in_shares_and_the_rest_as_it_is() {
    let text = |outcomes: &[(f64, &str)]| change_line(&change(outcomes), true, &Plain).text;
    assert_eq!(
        text(&[(0.25, "2"), (0.75, "3")]),
        "1 → 2 (25 %); 1 → 3 (75 %)"
    );
    assert_eq!(text(&[(1.0, "2")]), "1 → 2");
    assert_eq!(text(&[(0.5, "2")]), "1 → 2 (50 %); not at all (50 %)");
}

#[test]
fn a_rule_that_loses_something_says_which_clause_and_what_still_works() {
    let name = |clause, name: &str| LostName {
        clause,
        name: name.into(),
        of: "Blindness".into(),
    };
    let loses = |lost: Vec<LostName>| Consequence::Loses {
        rule: "combat".into(),
        title: "Combat".into(),
        lost,
        kept: vec![name(4, "SIGHT")],
        actions: vec![],
    };
    let line = consequence_line(&loses(vec![name(3, "blinded"), name(3, "dazed")]), &Plain);
    assert!(line.is_alarm);
    assert_eq!(
        line.whole(),
        "Combat would lose something: Clause 3 breaks where it uses `blinded` and `dazed` of Blindness. The rest of Combat \
         works. It can go on using `SIGHT` of Blindness."
    );
    let lost = [1, 3, 4].map(|clause| name(clause, if clause == 3 { "dazed" } else { "blinded" }));
    let line = consequence_line(&loses(lost.to_vec()), &Plain);
    assert!(
        line.text.starts_with(
            "Clauses 1 and 4 break where they use `blinded` of Blindness. Clause 3 breaks where it uses `dazed` of Blindness."
        ),
        "{}",
        line.text
    );
    assert!(!consequence_line(&loses(vec![]), &Plain).is_alarm);
}

#[test]
fn many_numbers_are_told_as_ranges_so_that_each_has_its_place() {
    let outcome = |new| Possibility {
        share: 0.01,
        consequence: Consequence::Value {
            of: Called {
                thing: Thing::Game,
                called: String::new(),
            },
            name: "luck".into(),
            title: "Luck".to_owned(),
            old: Some(Value::Int(3)),
            new: Some(Value::Int(new)),
        },
    };
    let outcomes = (1..=100).rev().map(outcome).collect();
    let line = change_line(&PossibleChange { outcomes }, true, &Plain).text;
    assert!(
        line.starts_with("Int(3) → 1 to 13 (13 %); 14 to 26 (13 %); "),
        "{line}"
    );
    assert!(line.ends_with("; 92 to 100 (9 %)"), "{line}");
    assert!(!line.contains("others"), "{line}");
}

/// Tells lists by their numbers, and a change of one by what came, of any order.
struct Lists;

impl Voice for Lists {
    fn moment(&self, at: Moment) -> String {
        at.to_string()
    }

    fn value(&self, value: &Value) -> String {
        let Value::List(items) = value else {
            return String::new();
        };
        let words = items.iter().map(|item| match item {
            Value::Int(n) => format!("{n}"),
            _ => "a rat".to_owned(),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    fn moves(&self, old: &Value, new: &Value) -> Option<String> {
        let (Value::List(old), Value::List(new)) = (old, new) else {
            return None;
        };
        (old.len() == new.len()).then(|| "in another order".to_owned())
    }
}

fn listed(outcomes: &[(f64, &[Value])]) -> PossibleChange {
    let number = |n| Value::Int(n);
    let outcome = |(share, new): &(f64, &[Value])| Possibility {
        share: *share,
        consequence: Consequence::Value {
            of: Called {
                thing: Thing::Game,
                called: String::new(),
            },
            name: "deck".into(),
            title: "Deck".to_owned(),
            old: Some(Value::list([number(1), number(2), number(3)])),
            new: Some(Value::list(new.to_vec())),
        },
    };
    PossibleChange {
        outcomes: outcomes.iter().map(outcome).collect(),
    }
}

#[test]
fn outcomes_of_a_list_are_told_so_that_nobody_takes_one_for_another() {
    let cards = |numbers: [i64; 3]| numbers.map(Value::Int);
    let text = |outcomes: &[(f64, &[Value])]| change_line(&listed(outcomes), true, &Lists).text;
    assert_eq!(
        text(&[(0.5, &cards([2, 1, 3])), (0.5, &cards([3, 2, 1]))]),
        "1, 2, 3 → 2, 1, 3 (50 %); 1, 2, 3 → 3, 2, 1 (50 %)"
    );
    assert_eq!(
        text(&[(0.5, &cards([2, 1, 3])), (0.5, &[Value::Int(1)])]),
        "in another order (50 %); 1, 2, 3 → 1 (50 %)"
    );
}

#[test]
fn outcomes_that_read_alike_however_they_are_told_are_one() {
    let rats = |number: i64| [Value::Flag(true), Value::Moment(Moment(number))];
    let line = |outcomes: &[(f64, &[Value])]| change_line(&listed(outcomes), true, &Lists);
    let text = line(&[(0.25, &rats(1)), (0.25, &rats(2)), (0.5, &[Value::Int(1)])]).text;
    assert_eq!(text, "1, 2, 3 → a rat, a rat (50 %); 1, 2, 3 → 1 (50 %)");
    let text = line(&[(0.5, &rats(1)), (0.5, &rats(2))]).text;
    assert_eq!(text, "1, 2, 3 → a rat, a rat");
}

#[test]
fn many_outcomes_are_cut_short() {
    let texts: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let outcomes: Vec<(f64, &str)> = texts.iter().map(|text| (0.05, text.as_str())).collect();
    let line = change_line(&change(&outcomes), true, &Plain).text;
    assert!(line.ends_with("1 → 7 (5 %); 12 others (60 %)"), "{line}");
}
