//! Rule code as a tree: parsing it, walking it, and the names that the rewriting puts into it.

use starlark::syntax::{AstModule, Dialect, DialectTypes};
use starlark_syntax::syntax::ast::{
    AssignTarget, AstAssignTarget, AstExpr, AstLiteral, AstStmt, Expr, ExprP,
};

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
    /// A test file: statements at the top level, lambdas, and no house rules.
    Test,
}

/// Parses code.
pub(crate) fn parse(code: &str, flavour: Flavour) -> Result<AstModule, CodeFault> {
    nesting::look(code).map_err(|deep| CodeFault::new(deep.offset, deep.text))?;
    let dialect = dialect(flavour);
    AstModule::parse("fence", code.to_owned(), &dialect).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.span.begin().get());
        let text = error.without_diagnostic().to_string();
        // The language points at the end of the line before.
        let tab = text.contains("tabs").then(|| code.find('\t')).flatten();
        let offset = tab.and_then(|at| u32::try_from(at).ok()).unwrap_or(offset);
        wording::of_parser(&text, offset)
    })
}

pub(crate) fn dialect(flavour: Flavour) -> Dialect {
    Dialect {
        enable_def: true,
        enable_lambda: flavour == Flavour::Test,
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

/// The names that an assignment gives values to.
pub(crate) fn targets(target: &AstAssignTarget) -> Vec<(String, u32)> {
    match &target.node {
        AssignTarget::Identifier(name) => vec![(name.ident.clone(), name.span.begin().get())],
        AssignTarget::Tuple(parts) => parts.iter().flat_map(targets).collect(),
        AssignTarget::Index(_) | AssignTarget::Dot(..) => Vec::new(),
    }
}

/// Visits every expression of a statement, types left out.
pub(crate) fn walk_stmt(statement: &AstStmt, f: &mut impl FnMut(&Expr)) {
    statement.visit_expr(|expr| walk_expr(expr, f));
}

/// Visits an expression and all in it.
pub(crate) fn walk_expr(expr: &AstExpr, f: &mut impl FnMut(&Expr)) {
    f(&expr.node);
    expr.node.visit_expr(|inner| walk_expr(inner, f));
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

/// Built-in functions that walk all of what they are given.
pub(crate) const WALKERS: [&str; 12] = [
    "sorted",
    "min",
    "max",
    "str",
    "repr",
    "zip",
    "enumerate",
    "tuple",
    "reversed",
    "list",
    "dict",
    "set",
];
