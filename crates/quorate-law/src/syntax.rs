//! Rule code as a tree: parsing it, walking it, and the names that the rewriting puts into it.

use std::collections::BTreeSet;

use starlark::syntax::{AstModule, Dialect, DialectTypes};
use starlark_syntax::syntax::ast::{
    AssignTarget, AstAssignTarget, AstExpr, AstLiteral, AstNoPayload, AstStmt, ClauseP, DefP, Expr,
    ExprP, Stmt, StmtP,
};
use starlark_syntax::syntax::uniplate::Visit;

use crate::check::wording;
use crate::diagnostic::CodeFault;
use crate::nesting;

/// Which dialect some code is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flavour {
    /// A rule or a library.
    Law,
    /// A one-off script: statements at the top level.
    Script,
    /// A test file: statements at the top level, and few house rules.
    Test,
}

/// Parses code.
pub(crate) fn parse(code: &str, flavour: Flavour) -> Result<AstModule, CodeFault> {
    parse_as(code, &dialect(flavour))
}

fn parse_as(code: &str, dialect: &Dialect) -> Result<AstModule, CodeFault> {
    nesting::look(code).map_err(|deep| CodeFault::new(deep.offset, deep.text))?;
    AstModule::parse("fence", code.to_owned(), dialect).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.span.begin().get());
        let text = error.without_diagnostic().to_string();
        // The language points at the end of the line before.
        let tab = text.contains("tabs").then(|| code.find('\t')).flatten();
        let offset = tab.and_then(|at| u32::try_from(at).ok()).unwrap_or(offset);
        wording::of_parser(&text, offset)
    })
}

/// A load statement of a test file.
pub(crate) struct Load {
    /// The file.
    pub(crate) file: String,
    /// What is loaded: the name here, and the name there.
    pub(crate) names: Vec<(String, String)>,
    /// Where the statement stands, in bytes.
    pub(crate) span: std::ops::Range<u32>,
}

/// The load statements at the top of a test file.
pub(crate) fn loads(code: &str) -> Result<Vec<Load>, CodeFault> {
    fn find(stmt: &AstStmt, out: &mut Vec<Load>) {
        match &stmt.node {
            StmtP::Statements(inner) => inner.iter().for_each(|stmt| find(stmt, out)),
            StmtP::Load(load) => out.push(Load {
                file: load.module.node.clone(),
                names: load
                    .args
                    .iter()
                    .map(|arg| (arg.local.node.ident.clone(), arg.their.node.clone()))
                    .collect(),
                span: stmt.span.begin().get()..stmt.span.end().get(),
            }),
            _ => {}
        }
    }
    let dialect = Dialect {
        enable_load: true,
        ..dialect(Flavour::Test)
    };
    let ast = parse_as(code, &dialect)?;
    let mut found = Vec::new();
    find(ast.statement(), &mut found);
    Ok(found)
}

pub(crate) fn dialect(flavour: Flavour) -> Dialect {
    Dialect {
        enable_def: true,
        enable_lambda: false,
        enable_load: false,
        enable_keyword_only_arguments: true,
        enable_positional_only_arguments: false,
        enable_types: DialectTypes::Enable,
        enable_load_reexport: false,
        enable_top_level_stmt: flavour != Flavour::Law,
        enable_f_strings: true,
        ..Dialect::Standard
    }
}

/// The names that an assignment gives values to, with their places.
pub(crate) fn targets(target: &AstAssignTarget) -> Vec<(&str, u32)> {
    match &target.node {
        AssignTarget::Identifier(name) => vec![(name.ident.as_str(), name.span.begin().get())],
        AssignTarget::Tuple(parts) => parts.iter().flat_map(targets).collect(),
        AssignTarget::Index(_) | AssignTarget::Dot(..) => Vec::new(),
    }
}

/// The names that a function gives values to, its parameters included.
pub(crate) fn locals(def: &DefP<AstNoPayload>) -> BTreeSet<&str> {
    let params = def.params.iter().filter_map(|param| param.node.ident());
    let mut names: BTreeSet<&str> = params.map(|name| name.ident.as_str()).collect();
    assigned(&def.body, &mut names);
    names
}

/// Adds the names that a statement gives values to, those of functions inside it left out.
pub(crate) fn assigned<'a>(statement: &'a AstStmt, names: &mut BTreeSet<&'a str>) {
    let mut add = |target: &'a AstAssignTarget| {
        names.extend(targets(target).into_iter().map(|(name, _)| name));
    };
    match &statement.node {
        StmtP::Def(def) => {
            names.insert(&def.name.ident);
            return;
        }
        StmtP::Assign(assign) => add(&assign.lhs),
        StmtP::AssignModify(target, ..) => add(target),
        StmtP::For(each) => add(&each.var),
        _ => {}
    }
    statement.node.visit_children(|child| match child {
        Visit::Stmt(inner) => assigned(inner, names),
        Visit::Expr(expr) => walk_expr(expr, &mut |expr| looped(expr, names)),
    });
}

/// Adds the names that the loops of a comprehension give values to.
fn looped<'a>(expr: &'a Expr, names: &mut BTreeSet<&'a str>) {
    let (ExprP::ListComprehension(_, first, more) | ExprP::DictComprehension(_, first, more)) =
        expr
    else {
        return;
    };
    let more = more.iter().filter_map(|clause| match clause {
        ClauseP::For(each) => Some(each),
        ClauseP::If(_) => None,
    });
    for each in std::iter::once(&**first).chain(more) {
        names.extend(targets(&each.var).into_iter().map(|(name, _)| name));
    }
}

/// Visits every expression of a statement, types left out.
pub(crate) fn walk_stmt<'a>(statement: &'a AstStmt, f: &mut impl FnMut(&'a Expr)) {
    statement.visit_expr(|expr| walk_expr(expr, f));
}

/// Visits an expression and all in it.
pub(crate) fn walk_expr<'a>(expr: &'a AstExpr, f: &mut impl FnMut(&'a Expr)) {
    f(&expr.node);
    expr.node.visit_expr(|inner| walk_expr(inner, f));
}

/// Visits a statement and all in it.
pub(crate) fn walk_statements<'a>(statement: &'a AstStmt, f: &mut impl FnMut(&'a Stmt)) {
    f(&statement.node);
    statement.node.visit_children(|child| {
        if let Visit::Stmt(inner) = child {
            walk_statements(inner, f);
        }
    });
}

/// The attributes that a statement itself sets.
pub(crate) fn assigned_attributes(statement: &Stmt) -> Vec<&str> {
    let target = match statement {
        StmtP::Assign(assign) => &assign.lhs,
        StmtP::AssignModify(target, ..) => target,
        _ => return Vec::new(),
    };
    let (mut targets, mut names) = (vec![target], Vec::new());
    while let Some(target) = targets.pop() {
        match &target.node {
            AssignTarget::Dot(_, name) => names.push(name.node.as_str()),
            AssignTarget::Tuple(parts) => targets.extend(parts),
            AssignTarget::Index(_) | AssignTarget::Identifier(_) => {}
        }
    }
    names
}

/// Whether an assignment's target can be named twice without doing anything twice.
pub(crate) fn is_plain_target(target: &AstAssignTarget) -> bool {
    match &target.node {
        AssignTarget::Identifier(_) => true,
        AssignTarget::Dot(object, _) => is_path(object),
        AssignTarget::Index(parts) => is_path(&parts.0) && is_path(&parts.1),
        AssignTarget::Tuple(_) => false,
    }
}

fn is_path(expr: &AstExpr) -> bool {
    match &expr.node {
        ExprP::Identifier(_) => true,
        ExprP::Literal(literal) => matches!(literal, AstLiteral::Int(_) | AstLiteral::String(_)),
        ExprP::Dot(object, _) => is_path(object),
        ExprP::Index(parts) => is_path(&parts.0) && is_path(&parts.1),
        _ => false,
    }
}

/// The name that stands for `None` where something is compared with it, which is never a mistake.
pub(crate) const ANYTHING: &str = "__any";

/// The name under which the checker knows an attribute's setter.
pub(crate) fn setter(attribute: &str) -> String {
    format!("__set_{attribute}")
}

/// The attribute whose setter this is.
pub(crate) fn of_setter(name: &str) -> Option<&str> {
    name.strip_prefix("__set_")
}

/// The names of functions that stand inside others, which hold on to what is around them.
pub(crate) fn inner_functions(ast: &AstModule) -> BTreeSet<String> {
    fn look(statement: &AstStmt, inside: bool, names: &mut BTreeSet<String>) {
        if let StmtP::Def(def) = &statement.node {
            if inside {
                names.insert(def.name.ident.clone());
            }
            return look(&def.body, true, names);
        }
        statement.visit_stmt(|inner| look(inner, inside, names));
    }
    let mut names = BTreeSet::new();
    look(ast.statement(), false, &mut names);
    names
}
