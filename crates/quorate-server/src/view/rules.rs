//! The ruleset in the order in which it is read.

use std::collections::BTreeMap;

use quorate_kernel::law::{LIBRARY, Section};
use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;

use crate::view::game::GameView;

/// The sections in order, the library of shared code last.
pub(crate) fn ordered_sections(view: &GameView) -> Vec<(&Name, &Section)> {
    let mut sections: Vec<(&Name, &Section)> = view.state().sections.iter().collect();
    sections.sort_by_key(|(id, section)| (**id == LIBRARY, section.rank));
    sections
}

/// Each rule's number: what the law's function `rule_number` says, else its section's place and its own; then that under its
/// parent.
pub(crate) fn numbers(view: &GameView) -> BTreeMap<Name, String> {
    let sections: Vec<&Name> = ordered_sections(view)
        .into_iter()
        .map(|(id, _)| id)
        .filter(|id| **id != LIBRARY)
        .collect();
    let mut counts: BTreeMap<(Name, Option<Name>), usize> = BTreeMap::new();
    let mut numbers: BTreeMap<Name, String> = BTreeMap::new();
    for (id, rule) in view.state().rules_in_order() {
        let Some(place) = sections
            .iter()
            .position(|section| **section == rule.section)
        else {
            continue;
        };
        let count = counts
            .entry((rule.section.clone(), rule.parent.clone()))
            .or_default();
        *count += 1;
        let above = rule.parent.as_ref().and_then(|parent| numbers.get(parent));
        let asked = || view.law_says("rule_number", vec![Datum::Thing(Thing::Rule(id.clone()))]);
        let number = match above {
            Some(above) => format!("{above}.{count}"),
            None => match asked() {
                Some(Datum::Int(number)) => number.to_string(),
                Some(Datum::Text(number)) => number.to_string(),
                _ => format!("{}.{count}", place + 1),
            },
        };
        numbers.insert(id.clone(), number);
    }
    numbers
}
