//! Which rules lean on which: where code uses what another rule provides.

use std::collections::{BTreeMap, BTreeSet};

use quorate_kernel::Name;

use super::lost::row_name;
use super::{Compilation, FenceCache, RuleSource};
use crate::interface::attributes;
use crate::sheet::UnitInfo;
use crate::stop::Site;
use crate::unit::{KindFound, Unit};

/// A place where a rule's code uses what another rule provides.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Dependence {
    /// The rule that uses it.
    pub rule: Name,
    /// The clause.
    pub clause: u32,
    /// The name.
    pub name: String,
    /// The rule that provides it.
    pub of: Name,
    /// Whether the clause would go on without that rule: what it uses is a definition, or it says what to take instead.
    pub lives_on: bool,
}

/// Where the code of each rule uses what others provide, helpers of the library left out. A value's name that several kinds of
/// things have is passed over.
pub fn dependences(sources: &[RuleSource], edition: u16) -> BTreeSet<Dependence> {
    let known = FenceCache::default();
    let mut law = Compilation::read(sources, edition, &known);
    law.refuse_changes_in_place();
    while law.settle_names() {}
    law.dependences()
}

impl Compilation<'_> {
    fn rules(&self) -> impl Iterator<Item = (&UnitInfo, &Unit)> {
        let all = self.infos.iter().zip(&self.units);
        all.filter_map(|(info, unit)| Some((info, unit.as_deref()?)))
    }

    fn dependences(&self) -> BTreeSet<Dependence> {
        let values = self.value_homes();
        let mut rows: BTreeMap<(&str, &str), &UnitInfo> = BTreeMap::new();
        for (info, unit) in self.rules() {
            for (table, key) in &unit.rows {
                rows.insert((table, key), info);
            }
        }
        let texts = self.texts();
        let library = self.rules().filter(|(info, _)| info.library);
        let library: BTreeSet<&Name> = library.map(|(info, _)| &info.rule).collect();
        let mut found = BTreeSet::new();
        for (info, unit) in self.rules().filter(|(info, _)| !info.library) {
            let site: Site = info.site();
            let mut uses = |name: String, of: &Name, lives_on: bool| {
                if *of != site.rule {
                    found.insert(Dependence {
                        rule: site.rule.clone(),
                        clause: info.clause,
                        name,
                        of: of.clone(),
                        lives_on,
                    });
                }
            };
            for (name, _) in &unit.needs {
                let home = self.homes.of.get(name.as_str());
                if let Some(home) = home.filter(|home| !library.contains(&home.rule)) {
                    let lives_on = self.does_nothing(name.as_str(), &mut BTreeSet::new());
                    uses(name.to_string(), &home.rule, lives_on);
                }
            }
            for function in &unit.functions {
                let touched = function.touches.iter().map(|name| (name, false));
                let fallen = function.falls_back.iter().map(|name| (name, true));
                for (name, lives_on) in touched.chain(fallen) {
                    if let Some((home, with_kind)) = values.get(name.as_str())
                        && !home.library
                    {
                        uses(name.to_string(), &home.rule, lives_on || *with_kind);
                    }
                }
            }
            for (table, key, _) in Self::asked_rows(unit, &texts) {
                if let Some(home) = rows.get(&(table.as_str(), key.as_str())) {
                    uses(row_name(&table, &key), &home.rule, false);
                }
            }
        }
        found
    }

    /// The fences that alone have values of these names, each with whether the kind of things that have it would go with it: then
    /// nothing is left of which it could be asked.
    fn value_homes(&self) -> BTreeMap<&str, (&UnitInfo, bool)> {
        let kinds: BTreeSet<(&Name, &str)> = self
            .rules()
            .flat_map(|(info, unit)| {
                let names = unit.kinds.iter().flat_map(KindFound::names);
                names.map(|name| (&info.rule, name))
            })
            .collect();
        let mut homes: BTreeMap<&str, Option<(&UnitInfo, bool)>> = BTreeMap::new();
        for attribute in attributes() {
            homes.insert(attribute.name, None);
        }
        for (info, unit) in self.rules() {
            let values = unit.values.iter().map(|value| {
                let with_kind = kinds.contains(&(&info.rule, value.of.as_str()));
                (value.name.as_str(), with_kind)
            });
            let columns = unit.kinds.iter().flat_map(|kind| &kind.columns);
            let columns = columns.map(|(name, _)| (name.as_str(), true));
            for (name, with_kind) in values.chain(columns) {
                let home = homes.entry(name).or_insert(Some((info, true)));
                match home {
                    Some((known, all)) if known.rule == info.rule => *all &= with_kind,
                    _ => *home = None,
                }
            }
        }
        let homes = homes.into_iter();
        homes
            .filter_map(|(name, home)| Some((name, home?)))
            .collect()
    }
}
