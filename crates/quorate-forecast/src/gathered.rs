//! What many lines would say alike, in one: rules that go, and all that goes with them.

use std::collections::BTreeMap;

use crate::consequence::{Consequence, RuleFate};
use crate::lines::{ForecastLine, machinery_words, of_clock};

/// Up to how many of one sort are told one by one.
const ALONE: usize = 3;

/// How many of one sort are named where there are more.
const NAMED: usize = 12;

/// What becomes of a consequence among others.
pub(crate) enum LineFate {
    /// It has a line of its own.
    Alone,
    /// It is the first of many, and this line is about all of them.
    ForAll(ForecastLine),
    /// Another line tells it.
    WithOthers,
}

impl LineFate {
    /// Its line, if it has one.
    pub(crate) fn line(self, alone: impl FnOnce() -> ForecastLine) -> Option<ForecastLine> {
        match self {
            Self::Alone => Some(alone()),
            Self::ForAll(line) => Some(line),
            Self::WithOthers => None,
        }
    }
}

/// What many have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Gathering {
    Repealed,
    Dropped,
    Stops,
    Machinery(&'static str),
}

impl Gathering {
    /// The sort of a consequence, and it in short.
    fn of(consequence: &Consequence) -> Option<(Self, String)> {
        match consequence {
            Consequence::Rule {
                title,
                becomes: RuleFate::Repealed,
                ..
            } => Some((Self::Repealed, title.clone())),
            Consequence::Declared {
                title,
                of,
                dropped: Some(_),
                ..
            } => Some((Self::Dropped, format!("{title} (of {of})"))),
            Consequence::Clock {
                name,
                of,
                new: None,
                ..
            } => Some((Self::Stops, of_clock(name, of))),
            Consequence::Machinery {
                sort, is, comes, ..
            } if !consequence.is_alarm() => {
                let words = machinery_words(*sort, *comes);
                Some((Self::Machinery(words), is.clone()))
            }
            _ => None,
        }
    }

    /// The line for all of a sort.
    fn line(&self, all: &[String]) -> ForecastLine {
        // What is repealed decides about all the rest, and is named in full.
        let shown = match self {
            Self::Repealed => all.len(),
            _ => all.len().min(NAMED),
        };
        let gap = match self {
            Self::Machinery(_) => "; ",
            _ => ", ",
        };
        let mut text = all[..shown].join(gap);
        if shown < all.len() {
            text = format!("{text}{gap}and {} more", all.len() - shown);
        }
        if *self == Self::Dropped {
            text.push_str(". What they hold is archived, and comes back if they do");
        }
        let count = all.len();
        let lead = match self {
            Self::Repealed => format!("{count} rules repealed:"),
            Self::Dropped => format!("{count} values dropped:"),
            Self::Stops => format!("{count} clocks would stop:"),
            Self::Machinery(words) => format!("{words} ({count}):"),
        };
        ForecastLine::new(lead, text)
    }
}

/// How each of some consequences is told; what stands for nothing has a line of its own.
pub(crate) fn gathered<'a>(
    consequences: impl Iterator<Item = Option<&'a Consequence>>,
) -> Vec<LineFate> {
    let sorted: Vec<Option<(Gathering, String)>> = consequences
        .map(|consequence| Gathering::of(consequence?))
        .collect();
    let mut all: BTreeMap<Gathering, Vec<String>> = BTreeMap::new();
    for (sort, short) in sorted.iter().flatten() {
        all.entry(sort.clone()).or_default().push(short.clone());
    }
    all.retain(|_, all| all.len() > ALONE);
    let mut lines: BTreeMap<Gathering, ForecastLine> = BTreeMap::new();
    for (sort, all) in &all {
        lines.insert(sort.clone(), sort.line(all));
    }
    let told = |sorted: Option<(Gathering, String)>| match sorted {
        Some((sort, _)) if all.contains_key(&sort) => lines
            .remove(&sort)
            .map_or(LineFate::WithOthers, LineFate::ForAll),
        _ => LineFate::Alone,
    };
    sorted.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repealed(title: &str) -> Consequence {
        Consequence::Rule {
            rule: title.into(),
            title: title.to_owned(),
            becomes: RuleFate::Repealed,
        }
    }

    fn lines(titles: &[&str]) -> Vec<String> {
        let rules: Vec<Consequence> = titles.iter().map(|title| repealed(title)).collect();
        let told = gathered(rules.iter().map(Some)).into_iter();
        let alone = || ForecastLine::new("alone", "");
        told.filter_map(|told| Some(told.line(alone)?.whole()))
            .collect()
    }

    #[test]
    fn many_rules_that_go_are_one_line_and_few_are_told_one_by_one() {
        assert_eq!(lines(&["A", "B", "C"]), ["alone", "alone", "alone"]);
        let four = lines(&["A", "B", "C", "D"]);
        assert_eq!(four, ["4 rules repealed: A, B, C, D"]);
    }

    #[test]
    fn of_very_many_the_first_are_named() {
        let all: Vec<String> = (1..=20).map(|n| format!("V{n}")).collect();
        let text = Gathering::Dropped.line(&all).whole();
        assert!(text.starts_with("20 values dropped: V1, V2,"), "{text}");
        let end = "V12, and 8 more. What they hold is archived, and comes back if they do";
        assert!(text.ends_with(end), "{text}");
    }
}
