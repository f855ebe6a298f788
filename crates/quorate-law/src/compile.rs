//! Compiling a version of the law: what breaks sleeps, everything else works.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use quorate_kernel::Name;
use starlark::environment::Globals;

use crate::check::house;
use crate::check::names::{NameOwner, NameOwners};
use crate::check::typing;
use crate::code::Code;
use crate::collect::{CallFacts, Collector, Signature};
use crate::datum::Type;
use crate::declare::Declaration;
use crate::diagnostic::{CodeFault, Diagnostic, Severity, did_you_mean};
use crate::library::{Additions, FOUND, NAMES};
use crate::module::CompiledModule;
use crate::rewrite;
use crate::sheet::{CodeSheet, TextEdit, UnitInfo};
use crate::text::RuleText;
use crate::top_level::{self, doubles};
use crate::types::Schema;
use crate::unit::{LineBlock, Phase, Unit, ValueFound};
use lost::{Former, Lost, SINCE_EDITION};

pub(crate) mod bounds;
mod depends;
mod leaning;
mod lost;
mod reaches;
mod reading;
mod stand_ins;

pub use depends::{Dependence, dependences};
pub use lost::{Lean, LeanFate, asked_for, asked_together, names_of, row_name, rows_of};
pub use reading::FenceCache;

/// A text of the law, in document order; library texts come first.
#[derive(Clone, Debug)]
pub struct RuleSource {
    /// The rule's code name, or the library's.
    pub rule: Name,
    /// Its title.
    pub title: String,
    /// Whether it is a library, which is skipped when it is asked which rule asks.
    pub library: bool,
    /// When it last changed, as a number that grows: of two rules that define one name the older keeps it.
    pub since: u64,
    /// Its text.
    pub text: RuleText,
    /// For a text that is no longer law, what became of it: "which was repealed on 3 May". What others still use of it goes on as a
    /// definition, or breaks where it is reached. Of several the first that has a name gives it.
    pub left: Option<Arc<str>>,
}

/// A version of the law, compiled.
pub struct Compiled {
    /// What runs.
    pub code: Code,
    /// What the law declares, in document order.
    pub declarations: Vec<Declaration>,
    /// What does not check, and what leaned on it.
    pub asleep: Vec<Asleep>,
    /// What works but is likely not meant so.
    pub warnings: Vec<Diagnostic>,
    /// For each function, the attributes that it reads, whatever it calls included.
    pub reads: BTreeMap<Name, BTreeSet<Name>>,
    /// The functions that may enact what a post carries, by themselves or by what they call.
    pub enacts: BTreeSet<Name>,
    /// Where awake fences use names that their rules no longer provide.
    pub leans: Vec<Lean>,
    /// The functions that can come to a lost name, by themselves or by what they call.
    pub breaking: BTreeSet<Name>,
    /// For each lost value, what is said to whoever asks for it.
    pub lost_values: BTreeMap<Name, String>,
}

/// A fence that sleeps.
#[derive(Clone, PartialEq, Debug)]
pub struct Asleep {
    /// Its rule.
    pub rule: Name,
    /// Its clause.
    pub clause: u32,
    /// Its place among the fences of the rule's text.
    pub fence: usize,
    /// Why.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles a law. Nothing makes this fail: a fence that does not check falls asleep. What leaned on it breaks where it is
/// reached; before the second edition it fell asleep too.
pub fn compile(sources: &[RuleSource], edition: u16) -> Compiled {
    compile_knowing(sources, edition, &FenceCache::default())
}

/// The same, where fences that were read before are taken from those that were kept.
pub fn compile_knowing(sources: &[RuleSource], edition: u16, known: &FenceCache) -> Compiled {
    let mut law = Compilation::read(sources, edition, known);
    law.keep_within_bounds();
    law.refuse_changes_in_place();
    let mut rounds = 0;
    loop {
        rounds += 1;
        law.give_up_in_time(rounds);
        if law.settle_names() || law.settle_needs() || law.settle_types() {
            continue;
        }
        // Each round that fails puts at least one fence to sleep, so there is an end to this.
        if let Ok(compiled) = law.run() {
            return compiled;
        }
    }
}

struct Compilation<'a> {
    sources: &'a [RuleSource],
    /// Their titles.
    titles: Vec<Arc<str>>,
    known: &'a FenceCache,
    infos: Vec<UnitInfo>,
    /// The fences that are awake.
    units: Vec<Option<Arc<Unit>>>,
    /// Why the others are not.
    faults: Vec<Vec<CodeFault>>,
    /// Names of fences that fell asleep, and whose they were.
    slept: HashMap<String, NameOwner>,
    homes: NameOwners,
    edition: u16,
    lost: Lost,
}

impl<'a> Compilation<'a> {
    fn read(sources: &'a [RuleSource], edition: u16, known: &'a FenceCache) -> Self {
        let mut law = Self {
            sources,
            titles: sources
                .iter()
                .map(|source| source.title.as_str().into())
                .collect(),
            known,
            infos: Vec::new(),
            units: Vec::new(),
            faults: Vec::new(),
            slept: HashMap::new(),
            homes: NameOwners::default(),
            edition,
            lost: Lost::default(),
        };
        for (index, source) in sources.iter().enumerate() {
            for (fence, text) in source.text.fences.iter().enumerate() {
                let info = UnitInfo {
                    source: index,
                    fence,
                    rule: source.rule.clone(),
                    library: source.library,
                    clause: text.clause,
                    line: text.line,
                    indent: text.indent,
                    code: Arc::from(text.code.as_str()),
                };
                law.read_fence(info);
            }
        }
        law
    }

    fn read_fence(&mut self, info: UnitInfo) {
        if self.sources[info.source].left.is_some() {
            if self.edition >= SINCE_EDITION {
                self.lost.unread.push(info);
            }
            return;
        }
        let read = self.known.read(&info);
        self.infos.push(info);
        self.faults.push(Vec::new());
        self.units.push(read.unit.clone());
        if !read.faults.is_empty() {
            self.sleep(self.infos.len() - 1, read.faults.clone());
        }
    }

    fn home(&self, unit: usize) -> NameOwner {
        let info = &self.infos[unit];
        NameOwner {
            rule: info.rule.clone(),
            title: Arc::clone(&self.titles[info.source]),
            value_of: BTreeSet::new(),
        }
    }

    fn sleep(&mut self, index: usize, faults: Vec<CodeFault>) {
        if self.lost.stand_ins.contains_key(&index) {
            self.units[index] = None;
            return self.stand_down(index);
        }
        if let Some(unit) = self.units[index].take() {
            let home = self.home(index);
            let names = unit.defines.iter().map(|(name, _)| name.clone());
            let kinds = unit.kinds.iter().map(|kind| kind.name.to_string());
            let quantities = unit.quantities.iter().map(|(name, ..)| name.to_string());
            for name in names.chain(kinds).chain(quantities) {
                self.slept.entry(name).or_insert_with(|| home.clone());
            }
            if self.edition >= SINCE_EDITION {
                let info = self.infos[index].clone();
                self.lost.formers.push(Former::new(unit, info, None));
            }
        }
        self.faults[index].extend(faults);
    }

    /// Puts fences to sleep; true if there are any.
    fn sleep_all(&mut self, faults: impl IntoIterator<Item = (usize, Vec<CodeFault>)>) -> bool {
        let faults = faults.into_iter().filter(|(_, faults)| !faults.is_empty());
        let mut any = false;
        for (index, faults) in faults {
            any = true;
            self.sleep(index, faults);
        }
        any
    }

    /// What is wrong with each fence that is awake.
    fn faults_of(
        &self,
        faults: impl Fn(usize, &Unit) -> Vec<CodeFault>,
    ) -> Vec<(usize, Vec<CodeFault>)> {
        let units = self.units.iter().enumerate();
        units
            .filter_map(|(index, unit)| Some((index, faults(index, unit.as_deref()?))))
            .collect()
    }

    /// Finds changes in place that would be lost, once it is known which values are lists.
    fn refuse_changes_in_place(&mut self) {
        let units = self.units.iter().flatten();
        let lists: BTreeSet<&str> = units
            .flat_map(|unit| &unit.values)
            .filter(|value| matches!(value.ty, Type::List(_)))
            .map(|value| value.name.as_str())
            .collect();
        let lost = self.faults_of(|_, unit| {
            let changes = unit.in_place.iter();
            changes
                .filter(|change| lists.contains(change.attribute.as_str()))
                .map(house::InPlace::fault)
                .collect()
        });
        self.sleep_all(lost);
    }

    /// Finds names that are defined twice, private or unknown; true if something fell asleep for it.
    fn settle_names(&mut self) -> bool {
        let mut homes = NameOwners::default();
        let taken = |name: &str| NAMES.contains(name);
        // Of two rules that define one name the older keeps it, wherever the younger stands.
        let mut by_age: Vec<usize> = (0..self.units.len()).collect();
        by_age.sort_by_key(|index| self.sources[self.infos[*index].source].since);
        let mut bad = Vec::new();
        for index in by_age {
            if let Some(unit) = &self.units[index] {
                bad.push((index, homes.take(&self.home(index), unit, &taken)));
            }
        }
        bad.extend(self.faults_of(|index, unit| homes.private(&self.home(index), unit)));
        self.homes = homes;
        self.sleep_all(bad)
    }

    /// Finds names that nobody defines, or that were lost; true if something was put in for them or fell asleep. This is told
    /// before the types, whose checker gives up at the first annotation that it does not know.
    fn settle_needs(&mut self) -> bool {
        let missing = |law: &Self, unit: &Unit| -> Vec<(Name, u32)> {
            // Most names are the law's own, and those are found soonest.
            let needs = unit.needs.iter().filter(|(name, _)| {
                let name = name.as_str();
                !law.homes.of.contains_key(name) && !NAMES.contains(name) && !FOUND.contains(name)
            });
            needs.cloned().collect()
        };
        let names = self
            .units
            .iter()
            .flatten()
            .flat_map(|unit| missing(self, unit));
        let names: BTreeSet<String> = names.map(|(name, _)| name.to_string()).collect();
        if names.is_empty() {
            return false;
        }
        if self.put_in(&names) {
            return true;
        }
        let faults = self.faults_of(|_, unit| {
            let missing = missing(self, unit).into_iter();
            missing
                .map(|(name, offset)| CodeFault {
                    offset,
                    ..self.unknown(name.as_str())
                })
                .collect()
        });
        self.sleep_all(faults)
    }

    /// Finds names that nobody defines and types that do not fit; true if something fell asleep for it.
    fn settle_types(&mut self) -> bool {
        let found = self.typed(&self.lost_values(), |sheet, schema, globals| {
            typing::check(sheet, schema, globals, &|name| self.unknown(name))
        });
        let mut bad: BTreeMap<usize, Vec<CodeFault>> = BTreeMap::new();
        for (unit, fault) in found {
            let faults = bad.entry(unit).or_default();
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
        if !bad.is_empty() && self.read_formers() {
            // What is missing may be a value of a rule that left.
            return true;
        }
        for faults in bad.values_mut() {
            faults.sort_by_key(|fault| fault.offset);
        }
        self.sleep_all(bad)
    }

    /// Shows the checker of types all that is awake, and these lost values.
    fn typed<T>(
        &self,
        lost: &[&ValueFound],
        check: impl FnOnce(&CodeSheet, &Rc<Schema>, &Globals) -> T,
    ) -> T {
        let units = self.units.iter().flatten();
        let variables: BTreeSet<&str> = units
            .flat_map(|unit| unit.variables.iter().map(String::as_str))
            .collect();
        let sheet = self.sheet(|unit, code| rewrite::to_check(&unit.ast, code, &variables));
        let schema = typing::schema(self.units.iter().flatten().map(Arc::as_ref), lost);
        let units = self.units.iter().flatten();
        let quantities = units.flat_map(|unit| unit.quantities.iter());
        let quantities: Vec<(Name, Type)> = quantities
            .map(|(name, ty, _)| (name.clone(), ty.clone()))
            .collect();
        let globals = typing::globals(&schema, &self.additions(), &quantities);
        check(&sheet, &schema, &globals)
    }

    fn unknown(&self, name: &str) -> CodeFault {
        if let Some(home) = self.slept.get(name) {
            let text = format!(
                "`{name}` sleeps, with its fence in the rule \"{}\"",
                home.title
            );
            return CodeFault {
                is_elsewhere: true,
                ..CodeFault::new(0, text).help("mend that one first")
            };
        }
        let fault = CodeFault::new(0, format!("there is no `{name}`"));
        let known = self.homes.of.keys().map(Name::as_str);
        let known = known.chain(NAMES.iter().map(String::as_str));
        match did_you_mean(name, known) {
            Some(meant) => fault.help(format!("did you mean `{meant}`?")),
            None if name.starts_with(|c: char| c.is_ascii_uppercase()) => fault.help(
                "declare the kind with `entity`, `table` or `category`, or the constant with `=`",
            ),
            None => fault.help("define it in this rule or another, or look how it is written"),
        }
    }

    fn additions(&self) -> Additions {
        let units = || self.units.iter().flatten();
        Additions {
            kinds: units()
                .flat_map(|unit| unit.kinds.iter().map(|kind| kind.name.clone()))
                .collect(),
            quantities: units()
                .flat_map(|unit| unit.quantities.iter().map(|(name, ..)| name.clone()))
                .collect(),
            hosted: Vec::new(),
        }
    }

    /// Puts the fences that are awake together: functions, then assignments in the order of their needs, then the
    /// rest.
    fn sheet(&self, edits: impl Fn(&Unit, &str) -> Vec<TextEdit>) -> CodeSheet {
        let mut sheet = CodeSheet::default();
        for (info, unit) in self.infos.iter().zip(&self.units) {
            let edits = unit
                .as_ref()
                .map_or_else(Vec::new, |unit| edits(unit, &info.code));
            sheet.add(info.clone(), edits);
        }
        let of_phase = |phase: Phase| {
            let units = self.units.iter().enumerate();
            units
                .filter_map(|(index, unit)| Some((index, unit.as_ref()?)))
                .flat_map(move |(index, unit)| unit.chunks.iter().map(move |chunk| (index, chunk)))
                .filter(move |(_, chunk)| chunk.phase == phase)
        };
        let assignments = by_needs(of_phase(Phase::Assignments).collect());
        let functions = of_phase(Phase::Functions);
        let all = functions.chain(assignments).chain(of_phase(Phase::Rest));
        for (index, chunk) in all {
            sheet.write(index, chunk.start, chunk.end);
        }
        sheet
    }

    fn functions(&self) -> HashMap<Name, Arc<Signature>> {
        let units = self.units.iter().flatten();
        units
            .flat_map(|unit| unit.functions.iter())
            .map(|function| {
                (
                    Name::from(function.name.as_str()),
                    Arc::clone(&function.signature),
                )
            })
            .collect()
    }

    fn facts(&self) -> HashMap<(usize, u32), CallFacts> {
        let units = self.units.iter().enumerate();
        units
            .filter_map(|(index, unit)| Some((index, unit.as_ref()?)))
            .flat_map(|(index, unit)| {
                unit.facts
                    .iter()
                    .map(move |(offset, facts)| ((index, *offset), facts.clone()))
            })
            .collect()
    }

    /// Runs the top level of the law. If a fence breaks there, it falls asleep and all is to be done again.
    fn run(&mut self) -> Result<Compiled, ()> {
        if !self.lost.unread.is_empty() && self.asks_for_other_rows() {
            self.read_formers();
        }
        let sheet = {
            let lost = self.lost_value_names();
            Arc::new(self.sheet(|unit, code| rewrite::to_run(&unit.ast, code, &lost)))
        };
        let functions = Arc::new(self.functions());
        let collector = Collector {
            facts: Arc::new(self.facts()),
            functions: Arc::clone(&functions),
            found: Vec::new(),
        };
        let additions = self.additions();
        let module = CompiledModule::new(Arc::clone(&sheet), "law", None);
        let globals = self.known.globals(&additions);
        match top_level::run(&module, &sheet, &globals, collector) {
            Ok(mut found) => {
                found.sort_by_key(|(place, _)| *place);
                let doubles = doubles(&found);
                if !doubles.is_empty() {
                    for (unit, fault) in doubles {
                        self.sleep(unit, vec![fault]);
                    }
                    return Err(());
                }
                let declarations = found
                    .into_iter()
                    .map(|(_, declaration)| declaration)
                    .collect();
                let code = Code::new(module, functions, additions, self.edition);
                let (reads, enacts) = self.reaches();
                let touches = self.value_touches();
                let breaking = self.breaking(&touches);
                let leans = self.leans(&touches, &breaking);
                let mut warnings = self.warnings();
                warnings.extend(Self::lean_warnings(&leans));
                Ok(Compiled {
                    code,
                    declarations,
                    asleep: self.asleep(),
                    warnings,
                    reads,
                    enacts,
                    leans,
                    breaking,
                    lost_values: self.lost_value_words(),
                })
            }
            Err((unit, fault)) => {
                // Nothing of the law is at fault alone only if the language itself is; then all of it sleeps.
                let awake = |law: &Self| law.units.iter().position(Option::is_some);
                let Some(unit) = unit
                    .filter(|unit| self.units[*unit].is_some())
                    .or_else(|| awake(self))
                else {
                    self.units.clear();
                    return Err(());
                };
                self.sleep(unit, vec![fault]);
                Err(())
            }
        }
    }

    /// What the language's own look at each fence finds odd.
    fn warnings(&self) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        let all = self.infos.iter().zip(&self.units).enumerate();
        for (_, (info, unit)) in all.filter(|(index, _)| !self.lost.stand_ins.contains_key(index)) {
            for fault in unit.iter().flat_map(|unit| &unit.odd) {
                warnings.push(Diagnostic {
                    severity: Severity::Warning,
                    ..info.diagnostic(fault)
                });
            }
        }
        warnings
    }

    fn asleep(&self) -> Vec<Asleep> {
        let mut asleep = Vec::new();
        for (info, faults) in self.infos.iter().zip(&self.faults) {
            if faults.is_empty() {
                continue;
            }
            asleep.push(Asleep {
                rule: info.rule.clone(),
                clause: info.clause,
                fence: info.fence,
                diagnostics: faults.iter().map(|fault| info.diagnostic(fault)).collect(),
            });
        }
        asleep
    }
}

/// Puts assignments behind those whose names they use, and otherwise leaves them in document order.
fn by_needs(mut waiting: Vec<(usize, &LineBlock)>) -> Vec<(usize, &LineBlock)> {
    let mut done = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let open: BTreeSet<&str> = waiting
            .iter()
            .flat_map(|(_, chunk)| chunk.assigns.iter().map(Name::as_str))
            .collect();
        let ready = |chunk: &LineBlock| {
            let others = chunk
                .uses
                .iter()
                .filter(|name| !chunk.assigns.contains(name));
            !others.into_iter().any(|name| open.contains(name.as_str()))
        };
        let (now, later): (Vec<_>, Vec<_>) = waiting.iter().partition(|(_, chunk)| ready(chunk));
        if now.is_empty() {
            // They need each other; the run says so where it finds the first without a value.
            done.extend(waiting);
            break;
        }
        done.extend(now);
        waiting = later;
    }
    done
}
