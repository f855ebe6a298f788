//! Rewrites fences: guards around what could run away, and typed setters where attributes are assigned.
//!
//! Only text is put in, so that each place still leads back to the fence. What the language itself can replace, the
//! binary operators, is replaced in its tree by [`guarded_operators`].

use std::collections::HashMap;

use starlark::syntax::AstModule;
use starlark_syntax::codemap::Span;
use starlark_syntax::syntax::ast::{
    AssignOp, AssignTarget, AstArgument, AstAssignTarget, AstExpr, AstNoPayload, AstStmt, BinOp,
    ClauseP, ExprP, StmtP,
};
use starlark_syntax::syntax::uniplate::Visit;

use crate::check::cycles;
use crate::sheet::TextEdit;
use crate::syntax::{ANYTHING, WALKERS, is_plain_target, setter};

/// Binary operators that run as guarded natives.
pub(crate) fn guarded_operators(ast: &mut AstModule) {
    let replace: HashMap<String, String> = [
        ("+", "__add"),
        ("-", "__sub"),
        ("*", "__mul"),
        ("%", "__mod"),
        ("<<", "__shl"),
    ]
    .into_iter()
    .map(|(op, native)| (op.to_owned(), native.to_owned()))
    .collect();
    ast.replace_binary_operators(&replace);
}

/// The edits that make a fence safe to run.
pub(crate) fn to_run(ast: &AstModule, code: &str) -> Vec<TextEdit> {
    let mut rewriter = Rewriter {
        code,
        marks: Vec::new(),
    };
    rewriter.statement(ast.statement());
    rewriter.edits()
}

/// The edits by which the checker sees each assignment of an attribute as a call of its setter.
pub(crate) fn to_check(ast: &AstModule, code: &str) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    setters(ast.statement(), code, &mut edits);
    ast.statement()
        .visit_expr(|expr| tests_for_none(expr, &mut edits));
    edits.extend(cycles::broken(ast.statement()));
    edits.sort_by_key(|edit: &TextEdit| edit.at);
    edits
}

struct Insertion {
    at: u32,
    opens: bool,
    delete: u32,
    text: String,
}

struct Rewriter<'a> {
    code: &'a str,
    marks: Vec<Insertion>,
}

impl Rewriter<'_> {
    /// The marks in order: at one place, what closes comes before what opens, and each in the order of its making,
    /// which is outer before inner for openings and inner before outer for closings.
    fn edits(mut self) -> Vec<TextEdit> {
        self.marks.sort_by_key(|mark| (mark.at, mark.opens));
        let mut edits: Vec<TextEdit> = Vec::new();
        for mark in self.marks {
            match edits.last_mut() {
                Some(last) if last.at == mark.at && last.delete == 0 => {
                    last.insert.push_str(&mark.text);
                    last.delete = mark.delete;
                }
                _ => edits.push(TextEdit {
                    at: mark.at,
                    delete: mark.delete,
                    insert: mark.text,
                }),
            }
        }
        edits
    }

    fn insert(&mut self, at: u32, opens: bool, text: impl Into<String>) {
        self.marks.push(Insertion {
            at,
            opens,
            delete: 0,
            text: text.into(),
        });
    }

    fn wrapped(&mut self, expr: &AstExpr, guard: &str) {
        self.insert(expr.span.begin().get(), true, format!("{guard}("));
        self.expr(expr);
        self.insert(expr.span.end().get(), false, ")");
    }

    fn statement(&mut self, statement: &AstStmt) {
        match &statement.node {
            StmtP::Def(def) => self.statement(&def.body),
            StmtP::Assign(assign) => {
                self.target(&assign.lhs);
                self.expr(&assign.rhs);
            }
            StmtP::AssignModify(target, op, value) => {
                self.modify(statement, target, *op, value);
            }
            _ => statement.node.visit_children(|child| match child {
                Visit::Stmt(inner) => self.statement(inner),
                Visit::Expr(expr) => self.expr(expr),
            }),
        }
    }

    fn target(&mut self, target: &AstAssignTarget) {
        target.visit_expr(|expr| self.expr(expr));
    }

    /// `x += y` becomes `x = __iadd(x, y)`, where naming `x` twice changes nothing.
    fn modify(
        &mut self,
        statement: &AstStmt,
        target: &AstAssignTarget,
        op: AssignOp,
        value: &AstExpr,
    ) {
        let guard = match op {
            AssignOp::Add => "__iadd",
            AssignOp::Subtract => "__sub",
            _ => "",
        };
        if guard.is_empty() || !is_plain_target(target) {
            self.expr(value);
            return;
        }
        let name = text(self.code, target.span).to_owned();
        let from = target.span.end().get();
        let sign = if op == AssignOp::Add { "+=" } else { "-=" };
        let Some(at) = find(self.code, from, value.span.begin().get(), sign) else {
            self.expr(value);
            return;
        };
        self.marks.push(Insertion {
            at,
            opens: true,
            delete: 2,
            text: format!("= {guard}({name}, "),
        });
        self.expr(value);
        self.insert(end_of(statement, self.code), false, ")");
    }

    fn expr(&mut self, expr: &AstExpr) {
        match &expr.node {
            ExprP::Op(left, op, right) => self.operation(left, *op, right),
            ExprP::Call(callee, args) => self.call(callee, &args.args),
            ExprP::Tuple(items) if !items.iter().all(is_scalar) => {
                self.insert(expr.span.begin().get(), true, "__tuple((");
                for item in items {
                    self.expr(item);
                }
                self.insert(expr.span.end().get(), false, "))");
            }
            ExprP::FString(string) => {
                for part in &string.node.expressions {
                    self.wrapped(part, "__ok");
                }
            }
            ExprP::ListComprehension(item, first, more) => {
                self.item(item);
                self.target(&first.var);
                self.expr(&first.over);
                self.clauses(more);
            }
            ExprP::DictComprehension(entry, first, more) => {
                self.item(&entry.0);
                self.item(&entry.1);
                self.target(&first.var);
                self.expr(&first.over);
                self.clauses(more);
            }
            _ => expr.node.visit_expr(|inner| self.expr(inner)),
        }
    }

    fn item(&mut self, item: &AstExpr) {
        match &item.node {
            ExprP::Identifier(_) | ExprP::Dot(..) | ExprP::Literal(_) => self.expr(item),
            _ => self.wrapped(item, "__each"),
        }
    }

    fn clauses(&mut self, clauses: &[ClauseP<AstNoPayload>]) {
        for clause in clauses {
            match clause {
                ClauseP::For(each) => {
                    self.target(&each.var);
                    self.expr(&each.over);
                }
                ClauseP::If(condition) => self.expr(condition),
            }
        }
    }

    /// Comparing takes as long as the smaller side is large, so one side is measured.
    fn operation(&mut self, left: &AstExpr, op: BinOp, right: &AstExpr) {
        let contains = matches!(op, BinOp::In | BinOp::NotIn);
        if (compares(op) && !is_scalar(left) && !is_scalar(right)) || (contains && !is_scalar(left))
        {
            self.wrapped(left, "__ok");
        } else {
            self.expr(left);
        }
        self.expr(right);
    }

    fn call(&mut self, callee: &AstExpr, args: &[AstArgument]) {
        self.expr(callee);
        let walks = match &callee.node {
            ExprP::Identifier(name) => WALKERS.contains(&name.ident.as_str()),
            ExprP::Dot(_, method) => matches!(method.node.as_str(), "index" | "remove" | "count"),
            _ => false,
        };
        for arg in args {
            let expr = arg.node.expr();
            if walks && arg.node.name().is_none() && !is_scalar(expr) {
                self.wrapped(expr, "__ok");
            } else {
                self.expr(expr);
            }
        }
    }
}

/// Whether an operator compares its sides.
fn compares(op: BinOp) -> bool {
    matches!(op, BinOp::Equal | BinOp::NotEqual)
        || matches!(op, BinOp::Less | BinOp::LessOrEqual)
        || matches!(op, BinOp::Greater | BinOp::GreaterOrEqual)
}

/// Whether an expression is sure to be no list, tuple or dictionary.
fn is_scalar(expr: &AstExpr) -> bool {
    match &expr.node {
        ExprP::Literal(_) | ExprP::FString(_) | ExprP::Not(_) | ExprP::Minus(_) => true,
        ExprP::Identifier(name) => {
            matches!(
                name.ident.as_str(),
                "None" | "True" | "False" | "now" | "game"
            )
        }
        ExprP::Op(_, op, _) => {
            let number = matches!(op, BinOp::Subtract | BinOp::FloorDivide | BinOp::Percent);
            compares(*op) || number || matches!(op, BinOp::In | BinOp::NotIn)
        }
        ExprP::Call(callee, _) => matches!(&callee.node, ExprP::Identifier(name)
            if matches!(name.ident.as_str(), "len" | "abs" | "int" | "roll" | "sum" | "hours" | "days" | "minutes" | "str")),
        _ => false,
    }
}

fn text(code: &str, span: Span) -> &str {
    &code[span.begin().get() as usize..span.end().get() as usize]
}

/// Where a sign stands between two places.
fn find(code: &str, from: u32, to: u32, sign: &str) -> Option<u32> {
    let between = code.get(from as usize..to as usize)?;
    let at = between.find(sign)?;
    Some(from + u32::try_from(at).ok()?)
}

/// The end of a statement, blanks after it left out.
fn end_of(statement: &AstStmt, code: &str) -> u32 {
    let begin = statement.span.begin().get() as usize;
    let end = statement.span.end().get() as usize;
    let length = code[begin..end].trim_end().len();
    u32::try_from(begin + length).unwrap_or(u32::MAX)
}

fn tests_for_none(expr: &AstExpr, edits: &mut Vec<TextEdit>) {
    if let ExprP::Op(_, BinOp::Equal | BinOp::NotEqual, right) = &expr.node
        && matches!(&right.node, ExprP::Identifier(name) if name.ident == "None")
    {
        edits.push(TextEdit {
            at: right.span.begin().get(),
            delete: 4,
            insert: ANYTHING.to_owned(),
        });
    }
    expr.node.visit_expr(|inner| tests_for_none(inner, edits));
}

fn setters(statement: &AstStmt, code: &str, edits: &mut Vec<TextEdit>) {
    let mut edit = |at: u32, delete: u32, insert: String| {
        edits.push(TextEdit { at, delete, insert });
    };
    match &statement.node {
        StmtP::Assign(assign) => {
            if let AssignTarget::Dot(_, attribute) = &assign.lhs.node {
                let from = attribute.span.begin().get();
                let to = assign.rhs.span.begin().get();
                if let Some(sign) = find(code, attribute.span.end().get(), to, "=") {
                    edit(
                        from,
                        sign + 1 - from,
                        format!("{}((", setter(&attribute.node)),
                    );
                    edit(end_of(statement, code), 0, "))".to_owned());
                }
            }
        }
        StmtP::AssignModify(target, op, value) => {
            if let AssignTarget::Dot(_, attribute) = &target.node {
                let sign = op.to_string();
                let sign = sign.trim();
                let (from, to) = (attribute.span.begin().get(), value.span.begin().get());
                if let Some(at) = find(code, attribute.span.end().get(), to, sign) {
                    let length = u32::try_from(sign.len()).unwrap_or(1);
                    let whole = text(code, target.span);
                    let plain = sign.trim_end_matches('=');
                    let insert = format!("{}({whole} {plain} (", setter(&attribute.node));
                    edit(from, at + length - from, insert);
                    edit(end_of(statement, code), 0, "))".to_owned());
                }
            }
        }
        _ => {}
    }
    statement.visit_stmt(|inner| setters(inner, code, edits));
}
