//! Variables whose types would grow without end, or beyond measure: the checker looks no deeper into those.
//!
//! In `x = (x, x)` the type of `x` would hold itself. The checker sees `x = (__any, __any)` instead. In `a = (1, 1)`,
//! `b = (a, a)`, `c = (b, b)` and so on each type is twice as large as the one before, so what is put together of much is
//! not looked into when it is put into more. What stands at the top level of a law is used by all its fences; there the
//! variables of the law are never looked into.

use std::collections::{BTreeMap, BTreeSet};

use starlark_syntax::syntax::ast::{
    AssignTarget, AstAssignTarget, AstExpr, AstStmt, Expr, ExprP, StmtP,
};
use starlark_syntax::syntax::uniplate::Visit;

use crate::costs::built_in;
use crate::sheet::TextEdit;
use crate::syntax::{ANYTHING, locals, targets, walk_expr};

/// How many parts a variable's type may have, as far as they can be counted, to be looked into where it is put into others.
const PARTS_MAX: usize = 1_000;

/// The edits by which no variable's type holds itself or too much. `law` are the variables of all top levels.
pub(crate) fn broken<'a>(statement: &'a AstStmt, law: &'a BTreeSet<&'a str>) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    let names = Names {
        too_large: too_large(statement),
        own: BTreeSet::new(),
        law,
    };
    replace_in(statement, &names, &mut edits);
    functions(statement, law, &mut edits);
    edits.sort_by_key(|edit| edit.at);
    edits.dedup_by_key(|edit| edit.at);
    edits
}

/// The variables of a top level that are put together of others.
pub(crate) fn variables(statement: &AstStmt) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add = |statement: &AstStmt| {
        let StmtP::Assign(assign) = &statement.node else {
            return;
        };
        let made = match &assign.rhs.node {
            ExprP::Call(callee, _) => {
                ident(&callee.node).is_some_and(|name| built_in(name).is_some())
            }
            ExprP::Literal(_) | ExprP::FString(_) => false,
            _ => true,
        };
        if made {
            let targets = targets(&assign.lhs).into_iter();
            names.extend(targets.map(|(name, _)| name.to_owned()));
        }
    };
    add(statement);
    statement.visit_stmt(add);
    names
}

/// The variables that are not looked into where they are put into others.
struct Names<'l> {
    too_large: BTreeSet<&'l str>,
    /// What a function calls by the name of a variable of the law.
    own: BTreeSet<&'l str>,
    law: &'l BTreeSet<&'l str>,
}

impl Names<'_> {
    fn is_empty(&self) -> bool {
        self.too_large.is_empty() && self.law.is_empty()
    }

    fn contains(&self, name: &str) -> bool {
        self.too_large.contains(name) || (self.law.contains(name) && !self.own.contains(name))
    }
}

fn functions<'a>(statement: &'a AstStmt, law: &'a BTreeSet<&'a str>, edits: &mut Vec<TextEdit>) {
    if let StmtP::Def(def) = &statement.node {
        let names = Names {
            too_large: too_large(&def.body),
            own: locals(def),
            law,
        };
        replace_in(&def.body, &names, edits);
    }
    statement.visit_stmt(|inner| functions(inner, law, edits));
}

/// What each variable is made of: names, each as often as it is used.
#[derive(Default)]
struct Makings<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl<'a> Makings<'a> {
    fn add(&mut self, target: &'a AstAssignTarget, from: &'a AstExpr) {
        let mut names: Vec<&str> = targets(target).into_iter().map(|(name, _)| name).collect();
        names.extend(held_by(target));
        for name in names {
            self.parts(name, from);
        }
    }

    fn parts(&mut self, of: &'a str, from: &'a AstExpr) {
        let parts = self.0.entry(of).or_default();
        walk_expr(from, &mut |expr| parts.extend(ident(expr)));
    }

    /// How many parts each variable's type may have; one that holds itself has more than any.
    fn sizes(&self) -> BTreeMap<&'a str, usize> {
        let mut sizes = BTreeMap::new();
        for start in self.0.keys().copied() {
            // In the order in which calls would be made, without making them: a chain may be long.
            let mut open: Vec<(&str, usize)> = vec![(start, 0)];
            let mut inside: BTreeSet<&str> = BTreeSet::from([start]);
            while let Some((name, at)) = open.last().copied() {
                let parts = &self.0[name];
                match parts.get(at).copied() {
                    _ if sizes.contains_key(name) => {
                        inside.remove(name);
                        open.pop();
                    }
                    Some(part) => {
                        if let Some(top) = open.last_mut() {
                            top.1 += 1;
                        }
                        if inside.contains(part) {
                            sizes.insert(part, usize::MAX);
                        } else if self.0.contains_key(part) && !sizes.contains_key(part) {
                            inside.insert(part);
                            open.push((part, 0));
                        }
                    }
                    None => {
                        let size = |part: &&str| sizes.get(part).copied().unwrap_or(1);
                        let sum = parts.iter().map(size).fold(1, usize::saturating_add);
                        sizes.insert(name, sum);
                        inside.remove(name);
                        open.pop();
                    }
                }
            }
        }
        sizes
    }
}

fn ident(expr: &Expr) -> Option<&str> {
    match expr {
        ExprP::Identifier(name) => Some(&name.ident),
        _ => None,
    }
}

/// The variable whose item is set in `x[i] = …`.
fn held_by(target: &AstAssignTarget) -> Option<&str> {
    match &target.node {
        AssignTarget::Index(parts) => ident(&parts.0.node),
        _ => None,
    }
}

/// The variables of a body that hold themselves or too much.
fn too_large(body: &AstStmt) -> BTreeSet<&str> {
    let mut makings = Makings::default();
    collect(body, &mut makings);
    let sizes = makings.sizes().into_iter();
    sizes
        .filter(|(_, size)| *size > PARTS_MAX)
        .map(|(name, _)| name)
        .collect()
}

fn collect<'a>(statement: &'a AstStmt, makings: &mut Makings<'a>) {
    match &statement.node {
        StmtP::Def(_) => return,
        StmtP::Assign(assign) => makings.add(&assign.lhs, &assign.rhs),
        StmtP::AssignModify(target, _, value) => makings.add(target, value),
        StmtP::For(each) => makings.add(&each.var, &each.over),
        _ => {}
    }
    statement.node.visit_children(|child| match child {
        Visit::Stmt(inner) => collect(inner, makings),
        Visit::Expr(expr) => walk_expr(expr, &mut |expr| {
            if let Some((name, args)) = method(expr) {
                for arg in args {
                    makings.parts(name, arg);
                }
            }
        }),
    });
}

/// A call of a variable's method, such as `x.append(y)`.
fn method(expr: &Expr) -> Option<(&str, impl Iterator<Item = &AstExpr>)> {
    let ExprP::Call(callee, args) = expr else {
        return None;
    };
    let ExprP::Dot(object, _) = &callee.node else {
        return None;
    };
    let args = args.args.iter().map(|arg| arg.node.expr());
    Some((ident(&object.node)?, args))
}

/// In a body, functions inside it left out.
fn replace_in(statement: &AstStmt, names: &Names<'_>, edits: &mut Vec<TextEdit>) {
    if names.is_empty() || matches!(statement.node, StmtP::Def(_)) {
        return;
    }
    if let StmtP::Assign(assign) = &statement.node
        && held_by(&assign.lhs).is_some()
    {
        replace(&assign.rhs, names, edits);
        return;
    }
    statement.node.visit_children(|child| match child {
        Visit::Stmt(inner) => replace_in(inner, names, edits),
        Visit::Expr(expr) => nests(expr, names, edits),
    });
}

/// Finds what puts values into others: literals, comprehensions, and calls that collect.
fn nests(expr: &AstExpr, names: &Names<'_>, edits: &mut Vec<TextEdit>) {
    match &expr.node {
        ExprP::Tuple(_)
        | ExprP::List(_)
        | ExprP::Dict(_)
        | ExprP::ListComprehension(..)
        | ExprP::DictComprehension(..) => {
            expr.node.visit_expr(|inner| replace(inner, names, edits));
        }
        ExprP::Call(callee, args) => {
            let known = ident(&callee.node).is_some_and(|name| built_in(name).is_some());
            let collects = known || method(&expr.node).is_some();
            for arg in &args.args {
                if collects {
                    replace(arg.node.expr(), names, edits);
                } else {
                    nests(arg.node.expr(), names, edits);
                }
            }
        }
        _ => expr.node.visit_expr(|inner| nests(inner, names, edits)),
    }
}

fn replace(expr: &AstExpr, names: &Names<'_>, edits: &mut Vec<TextEdit>) {
    if let ExprP::Identifier(name) = &expr.node {
        if names.contains(name.ident.as_str()) {
            edits.push(TextEdit {
                at: expr.span.begin().get(),
                delete: expr.span.end().get() - expr.span.begin().get(),
                insert: ANYTHING.to_owned(),
            });
        }
        return;
    }
    expr.node.visit_expr(|inner| replace(inner, names, edits));
}
