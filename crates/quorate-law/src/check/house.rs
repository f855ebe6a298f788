//! House rules: what the language allows and rule code does not.

use std::collections::BTreeSet;

use starlark_syntax::lexer::TokenInt;
use starlark_syntax::syntax::ast::{
    AssignOp, AssignTarget, AstAssignTarget, AstExpr, AstLiteral, AstNoPayload, AstStmt, BinOp,
    ClauseP, DefP, ExprP, ParameterP, StmtP,
};
use starlark_syntax::syntax::module::AstModuleFields;
use starlark_syntax::syntax::uniplate::Visit;

use crate::costs::built_in;
use crate::diagnostic::CodeFault;
use crate::interface::instead;
use crate::syntax::{Flavour, is_plain_target, locals, targets};

/// Methods that change a list or dictionary in place.
const CHANGING: [&str; 9] = [
    "append",
    "insert",
    "pop",
    "remove",
    "clear",
    "update",
    "setdefault",
    "popitem",
    "sort",
];

/// A method that changes an attribute's value in place, which is lost where that is a list of the game.
#[derive(Clone, Debug)]
pub(crate) struct InPlace {
    pub(crate) attribute: String,
    pub(crate) method: String,
    pub(crate) offset: u32,
}

impl InPlace {
    pub(crate) fn fault(&self) -> CodeFault {
        let Self {
            attribute,
            method,
            offset,
        } = self;
        let text = format!(
            "`.{method}` on the value `{attribute}` would be lost: lists of the game are written whole"
        );
        let help = match method.as_str() {
            "append" | "insert" => format!("write `….{attribute} += [item]`"),
            _ => format!("write `….{attribute} = [x for x in ….{attribute} if …]`"),
        };
        CodeFault::new(*offset, text).help(help)
    }
}

/// All that breaks a house rule, and what may: changes in place.
pub(crate) fn check(
    ast: &impl AstModuleFields,
    flavour: Flavour,
) -> (Vec<CodeFault>, Vec<InPlace>) {
    let mut house = HouseRules {
        flavour,
        faults: Vec::new(),
        in_place: Vec::new(),
        locals: Vec::new(),
    };
    house.statement(ast.statement());
    (house.faults, house.in_place)
}

struct HouseRules<'a> {
    flavour: Flavour,
    faults: Vec<CodeFault>,
    in_place: Vec<InPlace>,
    /// The names of the variables of the functions that one is in.
    locals: Vec<BTreeSet<&'a str>>,
}

/// Whether a number needs more than 64 bits.
fn is_too_big(int: &TokenInt) -> bool {
    match int {
        TokenInt::I32(_) => false,
        TokenInt::BigInt(int) => i64::try_from(int).is_err(),
    }
}

fn begin(expr: &AstExpr) -> u32 {
    expr.span.begin().get()
}

impl<'a> HouseRules<'a> {
    fn fault(&mut self, offset: u32, text: impl Into<String>, help: &str) {
        self.faults.push(CodeFault::new(offset, text).help(help));
    }

    fn statement(&mut self, statement: &'a AstStmt) {
        match &statement.node {
            StmtP::Def(def) => self.def(def),
            StmtP::Assign(assign) => {
                if let AssignTarget::Tuple(parts) = &assign.lhs.node
                    && parts
                        .iter()
                        .any(|part| matches!(part.node, AssignTarget::Dot(..)))
                {
                    let at = assign.lhs.span.begin().get();
                    self.fault(
                        at,
                        "attributes are assigned one at a time",
                        "use a statement for each",
                    );
                }
                self.name(&assign.lhs);
            }
            StmtP::AssignModify(target, op, value) => {
                let at = target.span.begin().get();
                let sign = op.to_string();
                let sign = sign.trim();
                match op {
                    AssignOp::Multiply
                    | AssignOp::LeftShift
                    | AssignOp::RightShift
                    | AssignOp::BitAnd
                    | AssignOp::BitOr
                    | AssignOp::BitXor
                    | AssignOp::Percent => {
                        let plain = sign.trim_end_matches('=');
                        let help = format!("write `x = x {plain} y`");
                        self.fault(at, format!("`{sign}` is not offered"), &help);
                    }
                    AssignOp::Divide => {
                        self.fault(
                            at,
                            "`/=` would give a fraction: numbers are whole",
                            "write `//=`, which rounds down",
                        );
                    }
                    AssignOp::Add | AssignOp::Subtract | AssignOp::FloorDivide
                        if matches!(target.node, AssignTarget::Index(_))
                            && !is_plain_target(target) =>
                    {
                        self.fault(
                            at,
                            format!("the left side of `{sign}` is too involved"),
                            "give its parts names first",
                        );
                    }
                    _ => {}
                }
                self.expr(value);
            }
            _ => {}
        }
        self.parts(statement);
    }

    /// What a statement consists of, types left out.
    fn parts(&mut self, statement: &'a AstStmt) {
        match &statement.node {
            StmtP::Def(def) => {
                self.locals.push(locals(def));
                for param in &def.params {
                    if let ParameterP::Normal(_, _, Some(default)) = &param.node {
                        self.expr(default);
                    }
                }
                self.statement(&def.body);
                self.locals.pop();
            }
            StmtP::Assign(assign) => {
                assign.lhs.visit_expr(|expr| self.expr(expr));
                self.expr(&assign.rhs);
            }
            StmtP::AssignModify(target, ..) => target.visit_expr(|expr| self.expr(expr)),
            _ => statement.node.visit_children(|child| match child {
                Visit::Stmt(inner) => self.statement(inner),
                Visit::Expr(expr) => self.expr(expr),
            }),
        }
    }

    fn name(&mut self, target: &AstAssignTarget) {
        for (name, at) in targets(target) {
            if name.starts_with("__") {
                self.fault(
                    at,
                    format!("`{name}` begins with two underscores"),
                    "one is enough to keep a name to its rule",
                );
            }
        }
    }

    fn def(&mut self, def: &DefP<AstNoPayload>) {
        if def.name.ident.starts_with("__") {
            let at = def.name.span.begin().get();
            self.fault(
                at,
                "a function's name does not begin with two underscores",
                "one is enough to keep a name to its rule",
            );
        }
        for param in &def.params {
            let at = param.span.begin().get();
            match &param.node {
                ParameterP::Normal(name, None, _) if self.flavour == Flavour::Law => {
                    let text = format!("the parameter `{}` has no type", name.ident);
                    let help = format!(
                        "write `{}: Player`, or `int`, `str`, `bool`, `list[Player]` …",
                        name.ident
                    );
                    self.fault(at, text, &help);
                }
                ParameterP::Args(..) if self.flavour == Flavour::Law => {
                    self.fault(
                        at,
                        "functions of rules have no `*` parameters",
                        "take a list",
                    );
                }
                _ => {}
            }
        }
    }

    fn expr(&mut self, expr: &AstExpr) {
        let at = begin(expr);
        match &expr.node {
            ExprP::Literal(AstLiteral::Float(_)) => {
                self.fault(
                    at,
                    "numbers are whole",
                    "multiply first and divide with `//`, which rounds down",
                );
            }
            ExprP::Literal(AstLiteral::Int(int)) if is_too_big(&int.node) => {
                self.fault(
                    at,
                    "a number leaves 64 bits",
                    "numbers go to 9223372036854775807",
                );
            }
            ExprP::Literal(AstLiteral::Bytes(_)) => {
                self.fault(at, "bytes are not offered", "write a text");
            }
            ExprP::Op(_, BinOp::Divide, right) => {
                self.fault(
                    begin(right),
                    "`/` would give a fraction: numbers are whole",
                    "write `//`, which rounds down",
                );
            }
            ExprP::Identifier(name) => self.identifier(&name.ident, at),
            ExprP::Call(callee, args) => {
                if let ExprP::Dot(object, method) = &callee.node {
                    self.method(object, &method.node, method.span.begin().get());
                }
                let known = matches!(&callee.node, ExprP::Identifier(name)
                    if built_in(&name.ident).is_some() && instead("name", &name.ident).is_none());
                if known {
                    // Called by name, its arguments are guarded, and with them what a `key` is called on.
                    for arg in &args.args {
                        let key = matches!(arg.node.name(), Some("key"))
                            && matches!(arg.node.expr().node, ExprP::Identifier(_));
                        if !key {
                            self.expr(arg.node.expr());
                        }
                    }
                    return;
                }
            }
            ExprP::ListComprehension(_, _, clauses) | ExprP::DictComprehension(_, _, clauses) => {
                let loops = clauses
                    .iter()
                    .filter(|clause| matches!(clause, ClauseP::For(_)));
                if loops.count() > 2 {
                    self.fault(
                        at,
                        "too many loops in one list",
                        "use a function with `for` statements",
                    );
                }
            }
            _ => {}
        }
        expr.node.visit_expr(|inner| self.expr(inner));
    }

    fn identifier(&mut self, name: &str, at: u32) {
        if let Some(help) = instead("name", name)
            && self.flavour != Flavour::Test
            && !self.locals.iter().any(|names| names.contains(name))
        {
            self.fault(at, format!("`{name}` is not offered to rules"), help);
        } else if built_in(name).is_some()
            && self.flavour != Flavour::Test
            && !self.locals.is_empty()
            && !self.locals.iter().any(|names| names.contains(name))
        {
            let help = format!("write a function of your own that calls `{name}(…)`");
            self.fault(at, format!("`{name}` is called, not passed on"), &help);
        } else if name.starts_with("__") {
            self.fault(
                at,
                format!("`{name}` begins with two underscores"),
                "such names are the host's own",
            );
        }
    }

    fn method(&mut self, object: &AstExpr, method: &str, at: u32) {
        if let Some(help) = instead("method", method)
            && self.flavour != Flavour::Test
        {
            self.fault(at, format!("the method `.{method}` is not offered"), help);
        }
        if CHANGING.contains(&method)
            && let ExprP::Dot(_, attribute) = &object.node
        {
            self.in_place.push(InPlace {
                attribute: attribute.node.clone(),
                method: method.to_owned(),
                offset: at,
            });
        }
    }
}
