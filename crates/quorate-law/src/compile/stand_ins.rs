//! Puts something in for each name that an awake fence asks for and nobody awake provides.

use super::Compilation;
use super::lost::{Former, SINCE_EDITION, StandIn, WITH_EFFECT, WITHOUT_EFFECT, asked_for, def_of};
use crate::sheet::UnitInfo;
use crate::signature::SIGNATURES;
use crate::syntax::{self, Flavour, assigned_attributes, walk_expr, walk_statements, walk_stmt};
use crate::unit::{KindFound, Unit, ValueFound};
use starlark_syntax::syntax::ast::{AstExpr, ExprP, StmtP};
use starlark_syntax::syntax::top_level_stmts::top_level_stmts;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Compilation<'_> {
    /// Reads the texts that are no longer law; false if there are none, or they were read.
    pub(super) fn read_formers(&mut self) -> bool {
        let unread = std::mem::take(&mut self.lost.unread);
        let any = !unread.is_empty();
        for info in unread {
            let left = self.sources[info.source].left.clone();
            // What cannot be read was asleep before it left.
            if let Some(unit) = self.known.read(&info).unit.clone() {
                self.lost.formers.push(Former::new(unit, info, left));
            }
        }
        any
    }

    /// Puts something in for each of some names for which there is anything; true if there is for any.
    pub(super) fn put_in(&mut self, names: &BTreeSet<String>) -> bool {
        if !names.is_empty() {
            self.read_formers();
        }
        let put: Vec<bool> = names.iter().map(|name| self.stand_in(name)).collect();
        put.contains(&true)
    }

    /// Puts something in for a name that nobody awake provides; false if there is nothing to put.
    fn stand_in(&mut self, name: &str) -> bool {
        if self.lost.hopeless.contains(name) {
            return false;
        }
        let formers = self.lost.formers.iter().enumerate();
        let found = formers
            .filter(|(_, former)| former.has(name))
            .min_by_key(|(_, former)| former.left.is_some());
        let Some((index, _)) = found else {
            return false;
        };
        let made = self.made(index, name);
        let Some((unit, info, breaks)) = made else {
            self.lost.hopeless.insert(name.to_owned());
            return false;
        };
        let stand_in = StandIn {
            name: name.to_owned(),
            former: index,
            breaks,
        };
        self.lost.stand_ins.insert(self.infos.len(), stand_in);
        self.infos.push(info);
        self.faults.push(Vec::new());
        self.units.push(Some(Arc::new(unit)));
        true
    }

    /// Takes back a stand-in that did not work out.
    pub(super) fn stand_down(&mut self, index: usize) {
        if let Some(stand_in) = self.lost.stand_ins.remove(&index) {
            let last_try = stand_in.breaks;
            let names = if last_try {
                &mut self.lost.hopeless
            } else {
                &mut self.lost.breaking
            };
            if !names.insert(stand_in.name.clone()) {
                self.lost.hopeless.insert(stand_in.name);
            }
        }
    }

    /// The fence that stands in for a name, and whether it breaks.
    fn made(&self, index: usize, name: &str) -> Option<(Unit, UnitInfo, bool)> {
        let former = &self.lost.formers[index];
        let unit = &former.unit;
        let worked = !self.lost.breaking.contains(name);
        if let Some(kind) = unit.kinds.iter().find(|kind| kind.name.as_str() == name) {
            let (mut fence, info) = Self::fence(former, String::new())?;
            fence.kinds.push(KindFound {
                offset: 0,
                ..kind.clone()
            });
            return worked.then_some((fence, info, false));
        }
        if let Some((.., at)) = unit.quantities.iter().find(|(known, ..)| *known == name) {
            let (fence, info) = Self::fence(former, former.lines_at(*at)?)?;
            return worked.then_some((fence, info, false));
        }
        if let Some(function) = unit.functions.iter().find(|function| function.name == name) {
            let lives_on =
                worked && former.left.is_some() && self.does_nothing(name, &mut BTreeSet::new());
            let code = if lives_on {
                former.lines_at(function.offset)?
            } else {
                self.breaking_function(former, name)?
            };
            let (fence, info) = Self::fence(former, code)?;
            let alone = fence.defines.len() == 1;
            return alone.then_some((fence, info, !lives_on));
        }
        let code = self.constant(former, name)?;
        let (fence, info) = Self::fence(former, code)?;
        (worked && fence.defines.len() == 1).then_some((fence, info, false))
    }

    fn fence(former: &Former, code: String) -> Option<(Unit, UnitInfo)> {
        let info = UnitInfo {
            // Whoever asks is the rule that calls, not the one that is gone.
            library: true,
            code: Arc::from(code),
            ..former.info.clone()
        };
        let ast = syntax::parse(&info.code, Flavour::Law).ok()?;
        // What stands on one line with a definition may declare something, and that went with its rule.
        let is_one = top_level_stmts(ast.statement()).len() <= 1;
        let unit = Unit::read(ast, &info.code, &info.site(), &info);
        (is_one && unit.faults.is_empty()).then_some((unit, info))
    }

    /// What was assigned to a name, where that changes nothing: a plain value, a handle of a value, board or kind.
    fn constant(&self, former: &Former, name: &str) -> Option<String> {
        let unit = &former.unit;
        let is_alias = |kind: &&KindFound| kind.alias.as_deref() == Some(name);
        if let Some(kind) = unit.kinds.iter().find(is_alias) {
            return Some(format!("{name} = {}\n", kind.name));
        }
        if unit.values.iter().any(|value| value.name == name) {
            return Some(format!("{name} = __lost_value({name:?})\n"));
        }
        let (_, at) = unit.defines.iter().find(|(known, _)| known == name)?;
        let mut statements = top_level_stmts(unit.ast.statement()).into_iter();
        let assigned = statements.find_map(|statement| match &statement.node {
            StmtP::Assign(assign) => {
                let targets = syntax::targets(&assign.lhs);
                let nth = targets.iter().position(|(_, offset)| offset == at)?;
                part_of(&assign.rhs, nth, targets.len())
            }
            _ => None,
        })?;
        if is_call_of(assigned, "board") {
            return Some(format!("{name} = __lost_board({name:?})\n"));
        }
        let (begin, end) = (assigned.span.begin().get(), assigned.span.end().get());
        let code = former.info.code.get(begin as usize..end as usize)?;
        self.says_only(assigned, &mut BTreeSet::new())
            .then(|| format!("{name} = ({code})\n"))
    }

    /// A function with the parameters of a former one, which breaks.
    fn breaking_function(&self, former: &Former, name: &str) -> Option<String> {
        let def = def_of(&former.unit.ast, name)?;
        let StmtP::Def(parts) = &def.node else {
            return None;
        };
        let (begin, body) = (def.span.begin().get(), parts.body.span.begin().get());
        let head = former.info.code.get(begin as usize..body as usize)?;
        let mut lines: Vec<&str> = head.lines().collect();
        while lines.len() > 1 && {
            let last = lines[lines.len() - 1].trim();
            last.is_empty() || last.starts_with('#')
        } {
            lines.pop();
        }
        let title = &self.sources[former.info.source].title;
        let words = asked_for(name, title, former.left.as_deref());
        let words: String = words
            .chars()
            .filter(|letter| !letter.is_control())
            .collect();
        let words = words.replace('\\', "").replace('"', "'");
        Some(format!(
            "{}\n    return __lost(\"{words}\")\n",
            lines.join("\n").trim_end()
        ))
    }

    /// Whether a name changes nothing, draws nothing, refuses nothing and asks nobody, whatever it calls.
    pub(super) fn does_nothing(&self, name: &str, seen: &mut BTreeSet<String>) -> bool {
        if !seen.insert(name.to_owned()) {
            return true;
        }
        if SIGNATURES.contains_key(name) {
            return WITHOUT_EFFECT.contains(&name);
        }
        let awake = self.units.iter().flatten();
        let former = self.lost.formers.iter().map(|former| &former.unit);
        let mut defs = awake
            .chain(former)
            .filter_map(|unit| def_of(&unit.ast, name));
        match defs.next().map(|def| &def.node) {
            Some(StmtP::Def(def)) => {
                let mut only_says = true;
                walk_statements(&def.body, &mut |statement| {
                    only_says &= assigned_attributes(statement).is_empty();
                });
                walk_stmt(&def.body, &mut |expr| {
                    only_says &= only_says && self.expression_says_only(expr, seen);
                });
                only_says
            }
            // A constant, a kind, a variable, or a word of the language, none of which does anything.
            _ => true,
        }
    }

    fn says_only(&self, expr: &AstExpr, seen: &mut BTreeSet<String>) -> bool {
        let mut only_says = true;
        walk_expr(expr, &mut |expr| {
            only_says = only_says && self.expression_says_only(expr, seen);
        });
        only_says
    }

    fn expression_says_only(
        &self,
        expr: &starlark_syntax::syntax::ast::Expr,
        seen: &mut BTreeSet<String>,
    ) -> bool {
        match expr {
            ExprP::Identifier(name) => self.does_nothing(&name.ident, seen),
            ExprP::Dot(_, method) => !WITH_EFFECT.contains(&method.node.as_str()),
            _ => true,
        }
    }

    /// Values that formers declared and nobody awake does, so that the checker knows what they held.
    pub(super) fn lost_values(&self) -> Vec<&ValueFound> {
        if self.edition < SINCE_EDITION {
            return Vec::new();
        }
        let awake: BTreeSet<(&str, &str)> = self
            .units
            .iter()
            .flatten()
            .flat_map(|unit| &unit.values)
            .map(|value| (value.name.as_str(), value.of.as_str()))
            .collect();
        let formers = self
            .lost
            .formers
            .iter()
            .flat_map(|former| &former.unit.values);
        formers
            .filter(|value| !awake.contains(&(value.name.as_str(), value.of.as_str())))
            .collect()
    }
}

/// What the nth of some names is assigned, where that can be read: of a name alone, all of it.
fn part_of(assigned: &AstExpr, nth: usize, names: usize) -> Option<&AstExpr> {
    match &assigned.node {
        _ if names == 1 => Some(assigned),
        ExprP::Tuple(parts) | ExprP::List(parts) if parts.len() == names => parts.get(nth),
        _ => None,
    }
}

fn is_call_of(expr: &AstExpr, function: &str) -> bool {
    let ExprP::Call(callee, _) = &expr.node else {
        return false;
    };
    matches!(&callee.node, ExprP::Identifier(name) if name.ident == function)
}
