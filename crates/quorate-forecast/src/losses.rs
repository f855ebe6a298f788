//! What rules would lose with others that go, or that give up names.

use std::collections::BTreeMap;

use quorate_engine::Law;
use quorate_kernel::Name;
use quorate_kernel::state::State;
use quorate_law::{Lean, LeanFate};

use crate::consequence::{ActionTitle, LostName};

/// What one rule loses.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct RuleLoss {
    /// What its clauses ask for and break at, where they come to it.
    pub lost: Vec<LostName>,
    /// What they ask for and can do without.
    pub kept: Vec<LostName>,
    /// Its actions that can come to something lost.
    pub actions: Vec<ActionTitle>,
}

/// By rule, in document order, what is lost under a law and was there under the one before.
pub fn losses(before: &Law, after: &Law, state: &State) -> Vec<(Name, RuleLoss)> {
    let mut rules: BTreeMap<Name, RuleLoss> = BTreeMap::new();
    for lean in after.fresh_leans(before) {
        let loss = rules.entry(lean.site.rule.clone()).or_default();
        let names = match lean.fate {
            LeanFate::Breaks => &mut loss.lost,
            LeanFate::LivesOn | LeanFate::FallsBack => &mut loss.kept,
        };
        let name = named(lean);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in &after.action_order {
        let Some(action) = after.actions.get(name) else {
            continue;
        };
        let worked = before.actions.get(name);
        let worked = worked.is_none_or(|before_it| !before.comes_to_lost(&before_it.it));
        if worked && after.comes_to_lost(&action.it) {
            let loss = rules.entry(action.site.rule.clone()).or_default();
            loss.actions.push(ActionTitle {
                action: name.clone(),
                title: action.it.title.clone(),
            });
        }
    }
    let order = state.rules_in_order().into_iter();
    order
        .filter_map(|(id, _)| Some((id.clone(), rules.remove(id)?)))
        .collect()
}

fn named(lean: &Lean) -> LostName {
    LostName {
        clause: lean.site.clause,
        name: lean.name.clone(),
        of: lean.title.clone(),
    }
}
