//! Names that no awake fence provides any more: of a rule that left the law, or of a fence that sleeps.
//!
//! Such a name is lost where it is reached and nowhere else: for each that an awake fence asks for, a stand-in goes into the
//! module. What only says how things are called goes on as a definition: a constant, a kind without things, a quantity, a
//! helper of a former rule that does nothing. Any other function breaks who calls it, with words that say whose it was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate_kernel::Name;
use starlark::syntax::AstModule;
use starlark_syntax::syntax::ast::{AstStmt, StmtP};
use starlark_syntax::syntax::top_level_stmts::top_level_stmts;

use crate::sheet::UnitInfo;
use crate::stop::Site;
use crate::syntax::{self, Flavour};
use crate::text::RuleText;
use crate::unit::Unit;

/// From this edition of the library on, a lost name is lost only where it is reached.
pub(super) const SINCE_EDITION: u16 = 2;

/// Functions of the library that change nothing, draw nothing, refuse nothing and ask nobody.
pub(super) const WITHOUT_EFFECT: [&str; 34] = [
    "acting",
    "applicants",
    "changes",
    "counts",
    "date",
    "day_start",
    "days",
    "everyone",
    "held",
    "hours",
    "icons",
    "join",
    "last",
    "limit",
    "minutes",
    "months_after",
    "players",
    "prose",
    "range",
    "replace",
    "rules",
    "says",
    "scope",
    "sentences",
    "since",
    "source",
    "sum",
    "times",
    "total",
    "unfinished",
    "unfinished_since",
    "values",
    "week_start",
    "word",
];

/// Methods of the library that do something.
pub(super) const WITH_EFFECT: [&str; 6] = ["add", "choose", "clear", "create", "draw", "offer"];

/// A fence that is no longer awake, as far as it could be read.
pub(super) struct Former {
    pub(super) unit: Arc<Unit>,
    pub(super) info: UnitInfo,
    /// What became of it; none where its rule is still there and its code sleeps.
    pub(super) left: Option<Arc<str>>,
}

/// What stands in the module for a lost name.
pub(super) struct StandIn {
    pub(super) name: String,
    pub(super) former: usize,
    pub(super) breaks: bool,
}

#[derive(Default)]
pub(super) struct Lost {
    /// Fences of texts that are no longer law. They are read when something is found missing, and in most laws nothing is.
    pub(super) unread: Vec<UnitInfo>,
    pub(super) formers: Vec<Former>,
    /// By the number of their fence.
    pub(super) stand_ins: BTreeMap<usize, StandIn>,
    /// Names whose definition did not work out as it was.
    pub(super) breaking: BTreeSet<String>,
    /// Names that nothing can stand in for.
    pub(super) hopeless: BTreeSet<String>,
}

/// A place of the law that uses a name which its rule no longer provides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lean {
    /// The place.
    pub site: Site,
    /// The name.
    pub name: String,
    /// The rule that had it.
    pub of: Name,
    /// That rule's title.
    pub title: String,
    /// What became of it, as in [`super::Source::left`]; none where the rule is there and its code sleeps.
    pub left: Option<Arc<str>>,
    /// What becomes of whoever comes to this place.
    pub fate: LeanFate,
}

/// What becomes of a place that uses a lost name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeanFate {
    /// Whoever comes to it breaks.
    Breaks,
    /// The name lives on as a definition.
    LivesOn,
    /// The value reads as nothing, and what the place says is taken instead.
    FallsBack,
}

impl Lean {
    /// What is asked for, and what became of it.
    pub fn text(&self) -> String {
        asked_for(&self.name, &self.title, self.left.as_deref())
    }

    /// Whether whoever comes to this place breaks.
    pub fn breaks(&self) -> bool {
        self.fate == LeanFate::Breaks
    }
}

/// What is said to whoever asks for a lost name: the name, the title of the rule that had it, and what became of that one.
pub fn asked_for(name: &str, title: &str, left: Option<&str>) -> String {
    asked(&[name], title, left)
}

fn asked(names: &[&str], title: &str, left: Option<&str>) -> String {
    let left = left.unwrap_or("whose code sleeps");
    let names = match names {
        [some @ .., last] if !some.is_empty() => {
            format!("`{}` and `{last}`", some.join("`, `"))
        }
        names => format!("`{}`", names.concat()),
    };
    format!("it asks for {names} of {title}, {left}")
}

/// The same of all that a clause asks for: the names of one rule together, and rules as `called` has their titles.
pub fn asked_together<'l>(
    leans: impl IntoIterator<Item = &'l Lean>,
    called: &dyn Fn(&str) -> String,
) -> Vec<String> {
    type LeaningRule<'l> = (&'l str, Option<&'l str>, Vec<&'l str>);
    let mut rules: Vec<LeaningRule<'l>> = Vec::new();
    for lean in leans {
        let (title, left) = (lean.title.as_str(), lean.left.as_deref());
        let known = rules
            .iter()
            .position(|rule| (rule.0, rule.1) == (title, left));
        let at = known.unwrap_or_else(|| {
            rules.push((title, left, Vec::new()));
            rules.len() - 1
        });
        let names = &mut rules[at].2;
        if !names.contains(&lean.name.as_str()) {
            names.push(&lean.name);
        }
    }
    let rules = rules.into_iter();
    rules
        .map(|(title, left, names)| asked(&names, &called(title), left))
        .collect()
}

impl Former {
    pub(super) fn new(unit: Arc<Unit>, info: UnitInfo, left: Option<Arc<str>>) -> Self {
        Self { unit, info, left }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        let kinds = self.unit.kinds.iter().map(|kind| kind.name.as_str());
        let quantities = self.unit.quantities.iter().map(|(name, ..)| name.as_str());
        let names = self.unit.defines.iter().map(|(name, _)| name.as_str());
        let mut all = kinds.chain(quantities).chain(names);
        all.any(|known| known == name)
    }

    /// The whole lines of a definition.
    pub(super) fn lines_at(&self, offset: u32) -> Option<String> {
        let mut chunks = self.unit.chunks.iter();
        let chunk = chunks.find(|chunk| (chunk.start..chunk.end).contains(&offset))?;
        let code = &self.info.code;
        code.get(chunk.start as usize..chunk.end as usize)
            .map(str::to_owned)
    }
}

/// The names that a text's code defines, its kinds, quantities, values and rows included.
pub fn names_of(text: &RuleText) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for unit in units_of(text) {
        names.extend(unit.defines.into_iter().map(|(name, _)| name));
        names.extend(unit.kinds.iter().map(|kind| kind.name.to_string()));
        names.extend(unit.quantities.iter().map(|(name, ..)| name.to_string()));
        let rows = unit.rows.iter();
        names.extend(rows.map(|(table, key)| row_name(table, key)));
    }
    names
}

/// A row as code asks for it.
pub fn row_name(table: &str, key: &str) -> String {
    format!("{table}.row({key:?})")
}

/// The rows of tables that a text's code has: table and key.
pub fn rows_of(text: &RuleText) -> BTreeSet<(String, String)> {
    units_of(text).flat_map(|unit| unit.rows).collect()
}

/// The fences of a text that can be read.
fn units_of(text: &RuleText) -> impl Iterator<Item = Unit> {
    text.fences.iter().filter_map(|fence| {
        let info = UnitInfo {
            source: 0,
            fence: 0,
            rule: Name::default(),
            library: false,
            clause: fence.clause,
            line: fence.line,
            indent: fence.indent,
            code: Arc::from(fence.code.as_str()),
        };
        let ast = syntax::parse(&info.code, Flavour::Law).ok()?;
        Some(Unit::read(ast, &info.code, &info.site(), &info))
    })
}

pub(super) fn def_of<'a>(ast: &'a AstModule, name: &str) -> Option<&'a AstStmt> {
    let mut statements = top_level_stmts(ast.statement()).into_iter();
    statements
        .find(|statement| matches!(&statement.node, StmtP::Def(def) if def.name.ident == name))
}
