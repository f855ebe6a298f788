//! Variables that hold what they held before: types of such grow without end, so the checker looks no deeper.
//!
//! In `x = (x, x)` the type of `x` would hold itself. The checker sees `x = (__any, __any)` instead.

use std::collections::{BTreeMap, BTreeSet};

use starlark_syntax::syntax::ast::{
    AssignTarget, AstAssignTarget, AstExpr, AstStmt, Expr, ExprP, StmtP,
};

use crate::sheet::TextEdit;
use crate::syntax::{ANYTHING, WALKERS, targets, walk_expr, walk_stmt};

/// The edits by which no variable's type holds itself.
pub(crate) fn broken(statement: &AstStmt) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    functions(statement, &mut edits);
    edits.sort_by_key(|edit| edit.at);
    edits.dedup_by_key(|edit| edit.at);
    edits
}

fn functions(statement: &AstStmt, edits: &mut Vec<TextEdit>) {
    if let StmtP::Def(def) = &statement.node {
        let cyclic = cyclic(&def.body);
        if !cyclic.is_empty() {
            replace_in(&def.body, &cyclic, edits);
        }
    }
    statement.visit_stmt(|inner| functions(inner, edits));
}

/// What each variable is made of, by name.
#[derive(Default)]
struct Makings(BTreeMap<String, BTreeSet<String>>);

impl Makings {
    fn add(&mut self, target: &AstAssignTarget, from: &AstExpr) {
        let mut names: Vec<String> = targets(target).into_iter().map(|(name, _)| name).collect();
        names.extend(held_by(target));
        for name in names {
            let parts = self.0.entry(name).or_default();
            walk_expr(from, &mut |expr| parts.extend(ident(expr)));
        }
    }

    fn reaches_itself(&self, name: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = vec![name];
        while let Some(at) = next.pop() {
            for part in self.0.get(at).into_iter().flatten() {
                if part == name {
                    return true;
                }
                if seen.insert(part) {
                    next.push(part);
                }
            }
        }
        false
    }
}

fn ident(expr: &Expr) -> Option<String> {
    match expr {
        ExprP::Identifier(name) => Some(name.ident.clone()),
        _ => None,
    }
}

/// The variable whose item is set in `x[i] = …`.
fn held_by(target: &AstAssignTarget) -> Option<String> {
    match &target.node {
        AssignTarget::Index(parts) => ident(&parts.0.node),
        _ => None,
    }
}

fn cyclic(body: &AstStmt) -> BTreeSet<String> {
    let mut makings = Makings::default();
    collect(body, &mut makings);
    let names = makings.0.keys();
    names
        .filter(|name| makings.reaches_itself(name))
        .cloned()
        .collect()
}

fn collect(statement: &AstStmt, makings: &mut Makings) {
    match &statement.node {
        StmtP::Assign(assign) => makings.add(&assign.lhs, &assign.rhs),
        StmtP::AssignModify(target, _, value) => makings.add(target, value),
        StmtP::For(each) => makings.add(&each.var, &each.over),
        _ => {}
    }
    walk_stmt(statement, &mut |expr| {
        if let Some((name, args)) = method(expr) {
            let parts = makings.0.entry(name).or_default();
            for arg in args {
                walk_expr(arg, &mut |expr| parts.extend(ident(expr)));
            }
        }
    });
    statement.visit_stmt(|inner| collect(inner, makings));
}

/// A call of a variable's method, such as `x.append(y)`.
fn method(expr: &Expr) -> Option<(String, Vec<&AstExpr>)> {
    let ExprP::Call(callee, args) = expr else {
        return None;
    };
    let ExprP::Dot(object, _) = &callee.node else {
        return None;
    };
    let args = args.args.iter().map(|arg| arg.node.expr()).collect();
    Some((ident(&object.node)?, args))
}

fn replace_in(statement: &AstStmt, names: &BTreeSet<String>, edits: &mut Vec<TextEdit>) {
    if let StmtP::Assign(assign) = &statement.node
        && held_by(&assign.lhs).is_some()
    {
        replace(&assign.rhs, names, edits);
        return;
    }
    statement.visit_expr(|expr| nests(expr, names, edits));
    statement.visit_stmt(|inner| replace_in(inner, names, edits));
}

/// Finds what puts values into others: literals, comprehensions, and calls that collect.
fn nests(expr: &AstExpr, names: &BTreeSet<String>, edits: &mut Vec<TextEdit>) {
    match &expr.node {
        ExprP::Tuple(_)
        | ExprP::List(_)
        | ExprP::Dict(_)
        | ExprP::ListComprehension(..)
        | ExprP::DictComprehension(..) => {
            expr.node.visit_expr(|inner| replace(inner, names, edits));
        }
        ExprP::Call(callee, args) => {
            let known = ident(&callee.node).is_some_and(|name| WALKERS.contains(&name.as_str()));
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

fn replace(expr: &AstExpr, names: &BTreeSet<String>, edits: &mut Vec<TextEdit>) {
    if let ExprP::Identifier(name) = &expr.node {
        if names.contains(&name.ident) {
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
