//! What expressions of the top level say without being run: names, plain values, types, and a call's arguments.

use quorate_kernel::Name;
use starlark_syntax::syntax::ast::{
    ArgumentP, AstArgument, AstExpr, AstLiteral, AstStmt, BinOp, ExprP, Stmt, StmtP,
};

use crate::datum::{Datum, Type};
use crate::signature;

/// The arguments of a call, by place and by name.
pub(crate) struct CallArguments<'a> {
    positional: Vec<&'a AstExpr>,
    pub(crate) named: Vec<(&'a str, &'a AstExpr)>,
}

impl<'a> CallArguments<'a> {
    pub(crate) fn of(args: &'a [AstArgument]) -> Self {
        let mut all = Self {
            positional: Vec::new(),
            named: Vec::new(),
        };
        for arg in args {
            match &arg.node {
                ArgumentP::Positional(expr) => all.positional.push(expr),
                ArgumentP::Named(name, expr) => all.named.push((&name.node, expr)),
                ArgumentP::Args(_) | ArgumentP::KwArgs(_) => {}
            }
        }
        all
    }

    pub(crate) fn get(&self, index: usize, name: &str) -> Option<&'a AstExpr> {
        let named = self.named.iter().find(|(given, _)| *given == name);
        named
            .map(|(_, expr)| *expr)
            .or_else(|| self.positional.get(index).copied())
    }
}

pub(crate) fn string(expr: &AstExpr) -> Option<String> {
    match &expr.node {
        ExprP::Literal(AstLiteral::String(text)) => Some(text.node.clone()),
        _ => None,
    }
}

/// An identifier or a literal text.
pub(crate) fn word(expr: &AstExpr) -> Option<String> {
    match &expr.node {
        ExprP::Identifier(name) => Some(name.ident.clone()),
        _ => string(expr),
    }
}

/// The text at the top of a function's body.
pub(crate) fn docstring(body: &AstStmt) -> Option<String> {
    let first = match &body.node {
        Stmt::Statements(all) => all.first()?,
        _ => body,
    };
    match &first.node {
        StmtP::Expression(expr) => string(expr),
        StmtP::Statements(_) => docstring(first),
        _ => None,
    }
}

/// A plain value, if that is what an expression is.
pub(crate) fn literal(expr: &AstExpr) -> Option<Datum> {
    Some(match &expr.node {
        ExprP::Literal(AstLiteral::Int(int)) => Datum::Int(int.node.to_string().parse().ok()?),
        ExprP::Literal(AstLiteral::String(text)) => Datum::Text(text.node.as_str().into()),
        ExprP::Minus(inner) => match literal(inner)? {
            Datum::Int(int) => Datum::Int(-int),
            _ => return None,
        },
        ExprP::Identifier(name) => match name.ident.as_str() {
            "None" => Datum::None,
            "True" => Datum::Bool(true),
            "False" => Datum::Bool(false),
            _ => return None,
        },
        ExprP::List(items) => Datum::List(items.iter().map(literal).collect::<Option<_>>()?),
        _ => return None,
    })
}

/// The type that an annotation means.
pub(crate) fn type_of(expr: &AstExpr) -> Type {
    match &expr.node {
        ExprP::Identifier(name) => named_type(&name.ident),
        ExprP::Op(one, BinOp::BitOr, other) => match (type_of(one), type_of(other)) {
            (Type::None, ty) | (ty, Type::None) => Type::Optional(Box::new(ty)),
            _ => Type::Any,
        },
        ExprP::Index(parts) if is_name(&parts.0, "list") => Type::List(Box::new(type_of(&parts.1))),
        ExprP::Index2(parts) if is_name(&parts.0, "dict") => {
            Type::Dict(Box::new(type_of(&parts.1)), Box::new(type_of(&parts.2)))
        }
        ExprP::Index2(parts) => type_of(&parts.0),
        ExprP::Dot(base, name) if is_name(base, "typing") && name.node == "Callable" => {
            Type::Function
        }
        _ => Type::Any,
    }
}

fn is_name(expr: &AstExpr, name: &str) -> bool {
    matches!(&expr.node, ExprP::Identifier(it) if it.ident == name)
}

fn named_type(name: &str) -> Type {
    match name {
        "int" => Type::Int,
        "str" => Type::Text,
        "bool" => Type::Bool,
        "None" => Type::None,
        "Moment" => Type::Moment,
        "Span" => Type::Span,
        "Square" => Type::Square,
        "Picture" => Type::Picture,
        "Ledger" => Type::Ledger,
        "list" => Type::List(Box::new(Type::Any)),
        "dict" => Type::Dict(Box::new(Type::Any), Box::new(Type::Any)),
        "player" => Type::Kind(Name::from("Player")),
        "game" => Type::Kind(Name::from("Game")),
        other => signature::named_type(other),
    }
}
