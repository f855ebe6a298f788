//! Where the law leans on names that nobody awake provides, and what comes of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use quorate_kernel::Name;

use super::Compilation;
use super::lost::{Former, Lean, LeanFate, StandIn, asked_for, row_name};
use crate::check::typing;
use crate::diagnostic::{Diagnostic, Severity};
use crate::interface::attributes;
use crate::sheet::UnitInfo;
use crate::stop::Site;
use crate::unit::{FunctionFound, KindFound, Unit, ValueFound};

/// A function that reads or sets a lost value.
pub(super) struct ValueTouch<'c> {
    unit: usize,
    function: &'c FunctionFound,
    name: &'c str,
    /// Where, in its fence.
    offset: u32,
    former: &'c Former,
    fate: LeanFate,
}

/// A lost value, and the fence that had it.
type LostValue<'c> = (&'c ValueFound, &'c Former);

impl Compilation<'_> {
    /// Fences that are no stand-ins, with their numbers.
    fn standing(&self) -> impl Iterator<Item = (usize, &UnitInfo, &Unit)> {
        let all = self.infos.iter().zip(&self.units).enumerate();
        all.filter(|(index, _)| !self.lost.stand_ins.contains_key(index))
            .filter_map(|(index, (info, unit))| Some((index, info, unit.as_deref()?)))
    }

    /// The names of lost values.
    pub(super) fn lost_value_names(&self) -> BTreeSet<&str> {
        let lost = self.lost_values().into_iter();
        lost.map(|value| value.name.as_str()).collect()
    }

    /// Kinds that left with their rules, and the variables that stood for them.
    fn lost_kinds(&self) -> BTreeSet<&str> {
        let awake = self.standing().flat_map(|(_, _, unit)| &unit.kinds);
        let awake: BTreeSet<&str> = awake.flat_map(KindFound::names).collect();
        let formers = self.lost.formers.iter();
        let left = formers.filter(|former| former.left.is_some());
        let kinds = left.flat_map(|former| &former.unit.kinds);
        kinds
            .flat_map(KindFound::names)
            .filter(|name| !awake.contains(name))
            .collect()
    }

    /// Where functions read or set lost values.
    pub(super) fn value_touches(&self) -> Vec<ValueTouch<'_>> {
        let lost = self.lost_value_names();
        if lost.is_empty() {
            return Vec::new();
        }
        let empty = self.lost_kinds();
        let mut formers: BTreeMap<&str, LostValue<'_>> = BTreeMap::new();
        for former in &self.lost.formers {
            for value in &former.unit.values {
                // Of a kind that went with it there is nothing left whose value could be read or set.
                if lost.contains(value.name.as_str()) && !empty.contains(value.of.as_str()) {
                    formers
                        .entry(value.name.as_str())
                        .or_insert((value, former));
                }
            }
        }
        let shared = self.names_shared(&lost);
        let mut touches = Vec::new();
        for (index, _, unit) in self.standing() {
            for function in &unit.functions {
                let alone = |name: &&Name| !shared.contains(name.as_str());
                let touched = function.touches.iter().map(|name| (name, LeanFate::Breaks));
                let fallen = function.falls_back.iter();
                let fallen = fallen.filter(|name| !function.touches.contains(*name));
                let fallen = fallen.map(|name| (name, LeanFate::FallsBack));
                for (name, fate) in touched.chain(fallen).filter(|(name, _)| alone(name)) {
                    let Some((value, former)) = formers.get(name.as_str()) else {
                        continue;
                    };
                    touches.push(ValueTouch {
                        unit: index,
                        function,
                        name: value.name.as_str(),
                        offset: function.offset,
                        former,
                        fate,
                    });
                }
            }
        }
        touches.extend(self.touches_by_type(&shared, &formers));
        touches
    }

    /// Of the names of lost values those that things of another kind have too: `status` of a player, which each post has.
    fn names_shared<'n>(&self, lost: &BTreeSet<&'n str>) -> BTreeSet<&'n str> {
        let units = || self.units.iter().flatten();
        let values = units().flat_map(|unit| &unit.values);
        let values = values.map(|value| value.name.as_str());
        let kinds = units().flat_map(|unit| &unit.kinds);
        let columns = kinds.flat_map(|kind| &kind.columns);
        let columns = columns.map(|(name, _)| name.as_str());
        let built_in = attributes().map(|attribute| attribute.name);
        let known: HashSet<&str> = values.chain(columns).chain(built_in).collect();
        let shared = lost.iter().copied();
        shared.filter(|name| known.contains(name)).collect()
    }

    /// Where functions read or set lost values whose names things of other kinds have too: of whom they are read tells the
    /// checker of types.
    fn touches_by_type<'c>(
        &'c self,
        shared: &BTreeSet<&str>,
        formers: &BTreeMap<&'c str, LostValue<'c>>,
    ) -> Vec<ValueTouch<'c>> {
        let names =
            |function: &'c FunctionFound| function.touches.iter().chain(&function.falls_back);
        let mut functions = self.standing().flat_map(|(_, _, unit)| &unit.functions);
        if !functions.any(|function| names(function).any(|name| shared.contains(name.as_str()))) {
            return Vec::new();
        }
        let kept = self.lost_values().into_iter();
        let kept: Vec<&ValueFound> = kept
            .filter(|value| !shared.contains(value.name.as_str()))
            .collect();
        let missing = self.typed(&kept, typing::missing_attributes);
        let mut touches: Vec<ValueTouch<'c>> = Vec::new();
        for (index, offset, name) in missing {
            let Some(unit) = self.units.get(index).and_then(Option::as_ref) else {
                continue;
            };
            let Some((value, former)) = formers.get(name.as_str()) else {
                continue;
            };
            let function = function_at(unit, offset);
            let Some(function) = function.filter(|_| shared.contains(name.as_str())) else {
                continue;
            };
            let fate = if function.touches.contains(name.as_str()) {
                LeanFate::Breaks
            } else {
                LeanFate::FallsBack
            };
            touches.push(ValueTouch {
                unit: index,
                function,
                name: value.name.as_str(),
                offset,
                former,
                fate,
            });
        }
        touches
    }

    /// The names that break where they are reached: functions that stand in, and all that leads to one, to a lost value or row.
    pub(super) fn breaking(&self, touches: &[ValueTouch<'_>]) -> BTreeSet<Name> {
        let stand_ins = self.lost.stand_ins.values();
        let stand_ins = stand_ins.filter(|stand_in| stand_in.breaks);
        let mut broken: BTreeSet<&str> = stand_ins.map(|stand_in| stand_in.name.as_str()).collect();
        let touches = touches
            .iter()
            .filter(|touch| touch.fate == LeanFate::Breaks);
        broken.extend(touches.map(|touch| touch.function.name.as_str()));
        let (rows, texts) = (self.rows(), self.texts());
        for (_, _, unit) in self.standing() {
            let lost = Self::asked_rows(unit, &texts).into_iter();
            let lost = lost.filter(|asked| self.row_left(asked, &rows).is_some());
            let functions = lost.filter_map(|(.., at)| function_at(unit, at));
            broken.extend(functions.map(|function| function.name.as_str()));
        }
        let functions = || self.units.iter().flatten().flat_map(|unit| &unit.functions);
        loop {
            let reached = functions().filter(|function| {
                !broken.contains(function.name.as_str())
                    && function.asks_for().any(|name| broken.contains(name))
            });
            let reached: Vec<&str> = reached.map(|function| function.name.as_str()).collect();
            if reached.is_empty() {
                return broken.into_iter().map(Name::from).collect();
            }
            broken.extend(reached);
        }
    }

    /// Where awake fences use lost names.
    pub(super) fn leans(&self, touches: &[ValueTouch<'_>], breaking: &BTreeSet<Name>) -> Vec<Lean> {
        if self.lost.formers.is_empty() {
            return Vec::new();
        }
        let stand_ins = self.lost.stand_ins.iter();
        let by_name: BTreeMap<&str, &StandIn> = stand_ins
            .filter(|(index, _)| self.units[**index].is_some())
            .map(|(_, stand_in)| (stand_in.name.as_str(), stand_in))
            .collect();
        let (rows, texts) = (self.rows(), self.texts());
        let mut leans = Vec::new();
        for (index, info, unit) in self.standing() {
            for (name, at) in &unit.needs {
                if let Some(stand_in) = by_name.get(name.as_str()) {
                    let former = &self.lost.formers[stand_in.former];
                    let fate = if breaking.contains(name) {
                        LeanFate::Breaks
                    } else {
                        LeanFate::LivesOn
                    };
                    leans.push(self.lean(info, *at, name.to_string(), former, fate));
                }
            }
            for touch in touches.iter().filter(|touch| touch.unit == index) {
                let name = touch.name.to_owned();
                leans.push(self.lean(info, touch.offset, name, touch.former, touch.fate));
            }
            for asked in Self::asked_rows(unit, &texts) {
                if let Some(former) = self.row_left(&asked, &rows) {
                    let (table, key, at) = asked;
                    let name = row_name(&table, &key);
                    leans.push(self.lean(info, at, name, former, LeanFate::Breaks));
                }
            }
        }
        leans
    }

    fn lean(
        &self,
        info: &UnitInfo,
        at: u32,
        name: String,
        former: &Former,
        fate: LeanFate,
    ) -> Lean {
        Lean {
            site: Site {
                rule: info.rule.clone(),
                clause: info.clause,
                line: info.position(at).0,
            },
            name,
            of: former.info.rule.clone(),
            title: self.sources[former.info.source].title.clone(),
            left: former.left.clone(),
            fate,
        }
    }

    /// Rows that awake fences have.
    fn rows(&self) -> BTreeSet<(String, String)> {
        let rows = self.units.iter().flatten().flat_map(|unit| &unit.rows);
        rows.cloned().collect()
    }

    /// Texts that have a name at the top level of the law, those of former fences included.
    pub(super) fn texts(&self) -> HashMap<&str, &str> {
        let former = self.lost.formers.iter().map(|former| &former.unit);
        let units = former.chain(self.units.iter().flatten());
        let texts = units.flat_map(|unit| &unit.texts);
        texts
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect()
    }

    /// The rows that a fence asks for by their key: table, key and place.
    pub(super) fn asked_rows(
        unit: &Unit,
        texts: &HashMap<&str, &str>,
    ) -> Vec<(String, String, u32)> {
        let by_name = unit.asked_by_name.iter().filter_map(|(table, name, at)| {
            let is_own = |function: &FunctionFound| function.own.contains(name.as_str());
            let key = texts.get(name.as_str())?;
            let is_text = !function_at(unit, *at).is_some_and(is_own);
            is_text.then(|| (table.clone(), (*key).to_owned(), *at))
        });
        unit.asked_rows.iter().cloned().chain(by_name).collect()
    }

    /// Rows that awake fences ask for by name and none has.
    pub(super) fn asks_for_other_rows(&self) -> bool {
        let texts = self.texts();
        let units = self.standing();
        let mut asked = units.flat_map(|(_, _, unit)| Self::asked_rows(unit, &texts));
        let rows = self.rows();
        asked.any(|(table, key, _)| !rows.contains(&(table, key)))
    }

    /// The fence that had a row which is asked for; none where there is such a row, or never was.
    fn row_left(
        &self,
        (table, key, _): &(String, String, u32),
        rows: &BTreeSet<(String, String)>,
    ) -> Option<&Former> {
        let row = (table.clone(), key.clone());
        let mut formers = self.lost.formers.iter();
        let former = formers.find(|former| former.unit.rows.contains(&row));
        former.filter(|_| !rows.contains(&row))
    }

    /// What the checker says of fences that use lost names.
    pub(super) fn lean_warnings(leans: &[Lean]) -> Vec<Diagnostic> {
        let leans = leans.iter().map(|lean| Diagnostic {
            rule: lean.site.rule.clone(),
            line: lean.site.line,
            column: 1,
            severity: Severity::Warning,
            text: lean.text(),
            help: Some(lean_help(lean.fate).to_owned()),
            is_elsewhere: lean.left.is_none(),
        });
        leans.collect()
    }

    /// For each lost value, what is said to whoever asks for it.
    pub(super) fn lost_value_words(&self) -> BTreeMap<Name, String> {
        let lost = self.lost_value_names();
        let mut words = BTreeMap::new();
        for former in &self.lost.formers {
            for value in &former.unit.values {
                if lost.contains(value.name.as_str()) {
                    let title = &self.sources[former.info.source].title;
                    let text = asked_for(value.name.as_str(), title, former.left.as_deref());
                    words.entry(value.name.clone()).or_insert(text);
                }
            }
        }
        words
    }
}

/// The function in whose lines a place of a fence is.
fn function_at(unit: &Unit, offset: u32) -> Option<&FunctionFound> {
    let mut chunks = unit.chunks.iter();
    let chunk = chunks.find(|chunk| (chunk.start..chunk.end).contains(&offset))?;
    let mut functions = unit.functions.iter();
    functions.find(|function| (chunk.start..chunk.end).contains(&function.offset))
}

fn lean_help(fate: LeanFate) -> &'static str {
    match fate {
        LeanFate::Breaks => {
            "code that comes here breaks, and the rest of this rule works: write it without that name, or define it here"
        }
        LeanFate::LivesOn => "it goes on as a definition; write it here if it is to stay",
        LeanFate::FallsBack => "it counts as nothing here, and what stands after `or` is taken",
    }
}
