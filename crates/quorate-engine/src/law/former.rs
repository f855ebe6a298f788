//! Texts that are no longer law, or sleep since they broke, for whoever still uses a name of theirs.

use quorate_kernel::law::{LIBRARY, Rule};
use quorate_kernel::rows::ClauseKey;
use quorate_kernel::state::State;
use quorate_kernel::{Moment, Name};
use quorate_law::{RuleSource, RuleText, asked_for, names_of, row_name, rows_of};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The texts from which names are taken that no awake code provides.
pub(super) fn sources(state: &State) -> Vec<RuleSource> {
    let edition = state.about.get(&()).map_or(1, |about| about.edition);
    if edition < 2 {
        return Vec::new();
    }
    let broken = state.rules.iter().filter_map(|(id, rule)| {
        let mut text = text_of(rule);
        let mut fence = 0;
        text.fences.retain(|_| {
            fence += 1;
            let rule = id.clone();
            let breaks = state.breaks.get(&ClauseKey { rule, fence });
            breaks.is_some_and(|breaks| breaks.asleep)
        });
        let left = "whose code broke too often and sleeps";
        (!text.fences.is_empty()).then(|| source(id, &rule.title, text, left))
    });
    let former = state.former_rules().into_iter().map(|former| {
        let left = what_became(former.at, former.repealed);
        source(former.id, former.title, RuleText::parse(former.text), &left)
    });
    let broken: Vec<RuleSource> = if state.breaks.iter().any(|(_, breaks)| breaks.asleep) {
        broken.collect()
    } else {
        Vec::new()
    };
    broken.into_iter().chain(former).collect()
}

fn source(id: &Name, title: &str, text: RuleText, left: &str) -> RuleSource {
    RuleSource {
        rule: id.clone(),
        title: title.to_owned(),
        library: false,
        since: u64::MAX,
        text,
        left: Some(left.into()),
    }
}

/// A day as one says it: "on 3 May 2031".
fn day(at: Moment) -> String {
    let (year, month, day) = at.date();
    let month = usize::try_from(month)
        .ok()
        .and_then(|month| MONTHS.get(month.checked_sub(1)?));
    format!("on {day} {} {year}", month.unwrap_or(&""))
}

/// What is said to whoever asks for a row of a table that left with its rule; nothing where no former rule had it.
pub(crate) fn row_words(state: &State, table: &str, key: &str) -> Option<String> {
    let row = (table.to_owned(), key.to_owned());
    let mut former = state.former_rules().into_iter();
    let former = former.find(|former| rows_of(&RuleText::parse(former.text)).contains(&row))?;
    let left = what_became(former.at, former.repealed);
    Some(asked_for(&row_name(table, key), former.title, Some(&left)))
}

/// "which was repealed on 3 May 2031".
fn what_became(at: Moment, repealed: bool) -> String {
    let what = if repealed {
        "was repealed"
    } else {
        "gave it up"
    };
    format!("which {what} {}", day(at))
}

/// Whether a rule's code gives up names when another text takes its place, or none does.
pub(crate) fn gives_up_names(old: &Rule, new: Option<&Rule>) -> bool {
    if old.section == LIBRARY || new.is_some_and(|new| new.text == old.text) {
        return false;
    }
    let had = names_of(&text_of(old));
    let has = new.map(|new| names_of(&text_of(new))).unwrap_or_default();
    !had.is_subset(&has)
}

/// A rule's text taken apart; a helper's is one fence from end to end.
pub(super) fn text_of(rule: &Rule) -> RuleText {
    if rule.section == LIBRARY {
        RuleText::library(&rule.text)
    } else {
        RuleText::parse(&rule.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tiny_game::game;

    const WARES: &str = "table(\"Ware\", price = int)\nrow(Ware, \"Salt\", price = 3)\n\
        row(Ware, \"Rope\", price = 1)\n\ndef weigh(p: Player) -> int:\n    return 1";

    #[test]
    fn a_text_gives_up_names_where_another_has_fewer_or_none_takes_its_place() {
        let game = game(WARES);
        let rule = game.judge.state().rules[&Name::from("house")].clone();
        let other = |from: &str, to: &str| Rule {
            text: rule.text.replace(from, to).into(),
            ..rule.clone()
        };
        assert!(!gives_up_names(&rule, Some(&rule)));
        assert!(!gives_up_names(&rule, Some(&other("So it is", "It is so"))));
        let more = other(
            "def weigh",
            "def count() -> int:\n    return 1\n\ndef weigh",
        );
        assert!(!gives_up_names(&rule, Some(&more)));
        assert!(gives_up_names(&more, Some(&rule)));
        assert!(gives_up_names(&rule, Some(&other("weigh", "lift"))));
        assert!(gives_up_names(&rule, None));
        let library = Rule {
            section: LIBRARY.into(),
            ..rule.clone()
        };
        assert!(!gives_up_names(&library, None), "helpers stay");
    }

    #[test]
    fn a_row_that_left_is_told_with_its_rule_and_the_day() {
        let mut game = game(WARES);
        let given_up = game.amendment("row(Ware, \"Salt\", price = 3)\n", "");
        game.change(vec![given_up]);
        let told = |key: &str| row_words(game.judge.state(), "Ware", key);
        let salt = told("Salt").expect("the rule had it");
        assert!(
            salt.contains("`Ware.row(\"Salt\")` of House")
                && salt.ends_with("which gave it up on 4 May 2031"),
            "{salt}"
        );
        assert_eq!(told("Tea"), None, "nobody ever had it");
    }

    #[test]
    fn a_rule_that_was_repealed_is_told_so() {
        let mut game = game(WARES);
        let id = Name::from("house");
        game.change(vec![quorate_kernel::patch::Clause::RepealRule { id }]);
        let former = sources(game.judge.state());
        assert_eq!(former.len(), 1, "{former:?}");
        let left = former[0].left.as_deref();
        assert_eq!(left, Some("which was repealed on 4 May 2031"));
    }
}
