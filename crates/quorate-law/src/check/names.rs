//! Names across fences: defined twice, private, taken.

use std::collections::HashMap;

use quorate_kernel::Name;

use crate::unit::{Fault, Unit};

/// Where a name is defined: the fence, and its rule.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub(crate) unit: usize,
    pub(crate) rule: Name,
    /// The rule as people know it.
    pub(crate) title: String,
}

/// Who owns which name among the fences that are awake.
#[derive(Default)]
pub(crate) struct Homes {
    pub(crate) of: HashMap<String, Home>,
}

impl Homes {
    /// Takes in the names of a fence; those that somebody else has already are faults of this one.
    pub(crate) fn take(&mut self, home: &Home, unit: &Unit, taken: &dyn Fn(&str) -> bool) -> Vec<Fault> {
        let mut faults = Vec::new();
        let kinds = unit.kinds.iter().map(|kind| (kind.name.as_str(), kind.offset));
        let quantities = unit.quantities.iter().map(|(name, _, at)| (name.as_str(), *at));
        let names = unit.defines.iter().map(|(name, at)| (name.as_str(), *at));
        let mut own: HashMap<&str, u32> = HashMap::new();
        for (name, at) in names.chain(kinds).chain(quantities) {
            if taken(name) {
                let text = format!("`{name}` is a name of the library: choose another");
                faults.push(Fault::new(at, text));
            } else if own.insert(name, at).is_some() {
                faults.push(Fault::new(at, format!("`{name}` is defined twice in this fence")));
            } else if let Some(other) = self.of.get(name) {
                let text = format!("`{name}` is defined already, in the rule \"{}\"", other.title);
                faults.push(Fault::new(at, text).help("choose another name, or use that one"));
            }
        }
        if faults.is_empty() {
            for name in own.into_keys() {
                self.of.insert(name.to_owned(), home.clone());
            }
        }
        faults
    }

    /// Uses of names that other rules keep to themselves.
    pub(crate) fn private(&self, home: &Home, unit: &Unit) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut look = |name: &str, at: u32| {
            if let Some(other) = self.of.get(name)
                && name.starts_with('_')
                && other.rule != home.rule
            {
                let text = format!("`{name}` belongs to the rule \"{}\" alone: its name begins with an underscore", other.title);
                faults.push(Fault::new(at, text));
            }
        };
        for function in &unit.functions {
            function.uses.iter().for_each(|name| look(name, function.offset));
        }
        for chunk in &unit.chunks {
            chunk.uses.iter().for_each(|name| look(name, chunk.start));
        }
        faults
    }
}
