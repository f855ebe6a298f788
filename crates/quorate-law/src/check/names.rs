//! Names across fences: defined twice, private, taken.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use quorate_kernel::Name;

use crate::diagnostic::CodeFault;
use crate::unit::Unit;

/// Where a name is defined: the rule.
#[derive(Clone, Debug)]
pub(crate) struct NameOwner {
    pub(crate) rule: Name,
    /// The rule as people know it.
    pub(crate) title: Arc<str>,
    /// For a value, the word that says whose it is: values of different kinds may share a name.
    pub(crate) value_of: BTreeSet<String>,
}

/// Who owns which name among the fences that are awake.
#[derive(Default)]
pub(crate) struct NameOwners {
    pub(crate) of: HashMap<Name, NameOwner>,
}

impl NameOwner {
    /// Whether values of these kinds may have the name too.
    fn shares(&self, whose: &BTreeSet<String>) -> bool {
        !whose.is_empty() && !self.value_of.is_empty() && whose.is_disjoint(&self.value_of)
    }
}

impl NameOwners {
    /// Takes in the names of a fence; those that somebody else has already are faults of this one.
    pub(crate) fn take(
        &mut self,
        home: &NameOwner,
        unit: &Unit,
        taken: &dyn Fn(&str) -> bool,
    ) -> Vec<CodeFault> {
        let mut faults = Vec::new();
        let kinds = unit
            .kinds
            .iter()
            .map(|kind| (kind.name.as_str(), kind.offset));
        let quantities = unit
            .quantities
            .iter()
            .map(|(name, _, at)| (name.as_str(), *at));
        let names = unit.defines.iter().map(|(name, at)| (name.as_str(), *at));
        let mut values: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for value in &unit.values {
            let whose = values.entry(value.name.as_str()).or_default();
            whose.insert(value.of.clone());
        }
        let mut own: HashMap<&str, usize> = HashMap::new();
        for (name, at) in names.chain(kinds).chain(quantities) {
            let whose = values.get(name).cloned().unwrap_or_default();
            let count = own.entry(name).or_default();
            *count += 1;
            if taken(name) {
                let text = format!("`{name}` is a name of the library: choose another");
                faults.push(CodeFault::new(at, text));
            } else if *count > 1 && *count > whose.len() {
                let text = format!("`{name}` is defined twice in this fence");
                faults.push(CodeFault::new(at, text).help("give one of them another name"));
            } else if let Some(other) = self.of.get(name)
                && !other.shares(&whose)
            {
                let title = &other.title;
                let text = format!("`{name}` is defined already, in the rule \"{title}\"");
                faults.push(CodeFault::new(at, text).help("choose another name, or use that one"));
            }
        }
        if faults.is_empty() {
            for name in own.into_keys() {
                let value_of = values.remove(name).unwrap_or_default();
                let known = self.of.entry(Name::from(name));
                let known = known.or_insert_with(|| home.clone());
                known.value_of.extend(value_of);
            }
        }
        faults
    }

    /// Uses of names that other rules keep to themselves.
    pub(crate) fn private(&self, home: &NameOwner, unit: &Unit) -> Vec<CodeFault> {
        let mut faults = Vec::new();
        let mut look = |name: &str, at: u32| {
            if name.starts_with('_')
                && let Some(other) = self.of.get(name)
                && other.rule != home.rule
            {
                let text = format!(
                    "`{name}` belongs to the rule \"{}\" alone: its name begins with an underscore",
                    other.title
                );
                let help = "write one of your own, or propose to give that one a name without it";
                faults.push(CodeFault::new(at, text).help(help));
            }
        };
        for function in &unit.functions {
            function
                .uses
                .iter()
                .for_each(|name| look(name.as_str(), function.offset));
        }
        for chunk in &unit.chunks {
            let uses = chunk.uses.iter();
            uses.for_each(|name| look(name.as_str(), chunk.start));
        }
        faults
    }
}
