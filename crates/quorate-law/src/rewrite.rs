//! Rewrites fences: guards around what could run away, and typed setters where attributes are assigned.
//!
//! Only text is put in, so that each place still leads back to the fence. What the language itself can replace, the
//! binary operators, is replaced in its tree by [`guarded_operators`].

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use starlark::syntax::AstModule;
use starlark_syntax::syntax::ast::{
    AssignOp, AssignTarget, AstArgument, AstAssignTarget, AstExpr, AstLiteral, AstNoPayload,
    AstStmt, BinOp, ClauseP, DefP, ExprP, ParameterP, StmtP,
};
use starlark_syntax::syntax::uniplate::Visit;

use crate::check::cycles;
use crate::costs::{built_in, method_of};
use crate::places::{end_of, find, text, with_brackets};
use crate::sheet::TextEdit;
use crate::signature::SIGNATURES;
use crate::syntax::{ANYTHING, assigned, is_plain_target, setter};

/// How many bytes of what a comprehension works out at each turn are a step more.
const BYTES_A_STEP: u32 = 256;

/// Binary operators that run as guarded natives. `|` is not among them, for types are written with it.
pub(crate) fn guarded_operators(ast: &mut AstModule) {
    let replace: HashMap<String, String> = [
        ("+", "__add"),
        ("-", "__sub"),
        ("*", "__mul"),
        ("%", "__mod"),
        ("//", "__div"),
        ("<<", "__shl"),
        (">>", "__shr"),
        ("&", "__and"),
        ("^", "__xor"),
    ]
    .into_iter()
    .map(|(op, native)| (op.to_owned(), native.to_owned()))
    .collect();
    ast.replace_binary_operators(&replace);
}

/// The edits that make a fence safe to run. `lost` are values that nothing provides: where one is read with something to take
/// instead, it reads as nothing.
pub(crate) fn to_run(ast: &AstModule, code: &str, lost: &BTreeSet<&str>) -> Vec<TextEdit> {
    let mut names = BTreeSet::new();
    assigned(ast.statement(), &mut names);
    let top = Scope {
        names,
        small: BTreeSet::new(),
        flat: BTreeSet::new(),
    };
    let mut rewriter = Rewriter {
        code,
        lost,
        marks: Vec::new(),
        scopes: vec![top],
    };
    rewriter.statement(ast.statement());
    rewriter.edits()
}

/// The edits by which the checker sees each assignment of an attribute as a call of its setter, and no type that grows
/// beyond measure; `law` are the variables of all top levels.
pub(crate) fn to_check(ast: &AstModule, code: &str, law: &BTreeSet<&str>) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    setters(ast.statement(), code, &mut edits);
    ast.statement()
        .visit_expr(|expr| tests_for_none(expr, &mut edits));
    edits.extend(cycles::broken(ast.statement(), law));
    edits.sort_by_key(|edit: &TextEdit| edit.at);
    edits
}

struct Insertion {
    at: u32,
    opens: bool,
    delete: u32,
    text: Cow<'static, str>,
}

struct Rewriter<'a> {
    code: &'a str,
    lost: &'a BTreeSet<&'a str>,
    marks: Vec<Insertion>,
    /// The top level and the functions that one is in.
    scopes: Vec<Scope<'a>>,
}

/// What is known of the names of a function, or of the top level.
struct Scope<'a> {
    /// Those that it gives values to.
    names: BTreeSet<&'a str>,
    /// Its parameters that are sure to hold something small: a number, a player or another thing.
    small: BTreeSet<&'a str>,
    /// The same and those that hold texts.
    flat: BTreeSet<&'a str>,
}

impl<'a> Scope<'a> {
    fn of(def: &'a DefP<AstNoPayload>) -> Self {
        let mut names = BTreeSet::new();
        assigned(&def.body, &mut names);
        let typed = |flat: bool| {
            let params = def
                .params
                .iter()
                .filter_map(move |param| match &param.node {
                    ParameterP::Normal(name, Some(ty), _) if is_plain_type(&ty.node.expr, flat) => {
                        Some(name.ident.as_str())
                    }
                    _ => None,
                });
            params.filter(|name| !names.contains(name)).collect()
        };
        let (small, flat) = (typed(false), typed(true));
        let params = def.params.iter().filter_map(|param| param.node.ident());
        names.extend(params.map(|name| name.ident.as_str()));
        Self { names, small, flat }
    }
}

/// Whether a type is that of things or numbers, or with `texts` of texts too: all else may hold other values.
fn is_plain_type(ty: &AstExpr, texts: bool) -> bool {
    match &ty.node {
        ExprP::Identifier(name) => match name.ident.as_str() {
            "str" => texts,
            "list" | "dict" | "tuple" | "set" | "typing" => false,
            _ => true,
        },
        ExprP::Op(one, BinOp::BitOr, other) => {
            is_plain_type(one, texts) && is_plain_type(other, texts)
        }
        _ => false,
    }
}

impl<'a> Rewriter<'a> {
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
                    insert: mark.text.into_owned(),
                }),
            }
        }
        edits
    }

    fn insert(&mut self, at: u32, opens: bool, text: impl Into<Cow<'static, str>>) {
        self.marks.push(Insertion {
            at,
            opens,
            delete: 0,
            text: text.into(),
        });
    }

    /// Puts a guard around an expression, or none.
    fn wrapped(&mut self, expr: &'a AstExpr, guard: &'static str) {
        if guard.is_empty() {
            return self.expr(expr);
        }
        // A tuple's place leaves out its brackets.
        let bare = matches!(expr.node, ExprP::Tuple(_));
        let (opening, closing) = if bare { ("((", "))") } else { ("(", ")") };
        let (begin, end) = with_brackets(self.code, expr.span);
        self.insert(begin, true, guard);
        self.insert(begin, true, opening);
        self.expr(expr);
        self.insert(end, false, closing);
    }

    /// The same, where an expression may hold more than takes no time.
    fn guarded(&mut self, expr: &'a AstExpr, guard: &'static str) {
        let is_free = self.is_small(expr) && !(guard == "__say" && self.is_told_by_the_game(expr));
        self.wrapped(expr, if is_free { "" } else { guard });
    }

    /// Whether an expression is the same value always, whose words are the game's. The language would put it into words as it
    /// compiles, when there is no game yet.
    fn is_told_by_the_game(&self, expr: &AstExpr) -> bool {
        matches!(&expr.node, ExprP::Identifier(name)
            if matches!(name.ident.as_str(), "now" | "game") && !self.is_own(&name.ident))
    }

    /// What a function is given or gives is measured, for its type is looked at, and worded if it is wrong.
    fn passed(&mut self, expr: &'a AstExpr) {
        let flat = self.is_flat(expr);
        self.wrapped(expr, if flat { "" } else { "__ok" });
    }

    fn statement(&mut self, statement: &'a AstStmt) {
        match &statement.node {
            StmtP::Def(def) => {
                for param in &def.params {
                    if let ParameterP::Normal(_, _, Some(default)) = &param.node {
                        self.passed(default);
                    }
                }
                self.scopes.push(Scope::of(def));
                self.statement(&def.body);
                self.scopes.pop();
            }
            StmtP::Assign(assign) => {
                self.target(&assign.lhs);
                match assign.ty {
                    Some(_) => self.passed(&assign.rhs),
                    None => self.expr(&assign.rhs),
                }
            }
            StmtP::AssignModify(target, op, value) => {
                self.modify(statement, target, *op, value);
            }
            StmtP::Return(Some(value)) => self.passed(value),
            StmtP::For(each) => {
                self.target(&each.var);
                self.expr(&each.over);
                self.statement(&each.body);
            }
            _ => statement.node.visit_children(|child| match child {
                Visit::Stmt(inner) => self.statement(inner),
                Visit::Expr(expr) => self.expr(expr),
            }),
        }
    }

    fn target(&mut self, target: &'a AstAssignTarget) {
        match &target.node {
            AssignTarget::Tuple(parts) => parts.iter().for_each(|part| self.target(part)),
            AssignTarget::Index(place) => {
                self.expr(&place.0);
                self.guarded(&place.1, "__ok");
            }
            AssignTarget::Dot(object, _) => self.expr(object),
            AssignTarget::Identifier(_) => {}
        }
    }

    /// `x += y` becomes `x = __iadd(x, y)`, where naming `x` twice changes nothing.
    fn modify(
        &mut self,
        statement: &'a AstStmt,
        target: &'a AstAssignTarget,
        op: AssignOp,
        value: &'a AstExpr,
    ) {
        let (guard, sign) = match op {
            AssignOp::Add => ("__iadd", "+="),
            AssignOp::Subtract => ("__sub", "-="),
            AssignOp::FloorDivide => ("__div", "//="),
            _ => ("", ""),
        };
        let from = target.span.end().get();
        let at = find(self.code, from, value.span.begin().get(), sign);
        let (false, true, Some(at)) = (guard.is_empty(), is_plain_target(target), at) else {
            self.expr(value);
            return;
        };
        self.target(target);
        let name = text(self.code, target.span).to_owned();
        self.marks.push(Insertion {
            at,
            opens: true,
            delete: u32::try_from(sign.len()).unwrap_or(2),
            text: format!("= {guard}({name}, ").into(),
        });
        self.expr(value);
        self.insert(end_of(statement, self.code), false, ")");
    }

    fn expr(&mut self, expr: &'a AstExpr) {
        match &expr.node {
            ExprP::Op(left, op, right) => self.operation(left, *op, right),
            ExprP::Call(callee, args) => self.call(expr, callee, &args.args),
            ExprP::Dot(object, name) => {
                if method_of(&name.node).is_some() {
                    let (begin, end) = with_brackets(self.code, expr.span);
                    self.insert(begin, true, "__attr(");
                    self.expr(object);
                    self.insert(end, false, ")");
                } else {
                    self.expr(object);
                }
            }
            ExprP::Minus(inner) if !matches!(inner.node, ExprP::Literal(_)) => {
                let (begin, end) = with_brackets(self.code, expr.span);
                self.insert(begin, true, "__whole(");
                self.expr(inner);
                self.insert(end, false, ")");
            }
            ExprP::Index(place) => {
                let by_name = matches!(place.1.node, ExprP::Literal(AstLiteral::String(_)));
                self.wrapped(&place.0, if by_name { "" } else { "__at" });
                self.guarded(&place.1, "__ok");
            }
            ExprP::Slice(whole, from, to, step) => {
                self.wrapped(whole, "__one");
                for part in [from, to, step].into_iter().flatten() {
                    self.expr(part);
                }
            }
            ExprP::Dict(entries) => {
                for (key, value) in entries {
                    self.guarded(key, "__ok");
                    self.expr(value);
                }
            }
            ExprP::FString(string) => {
                for part in &string.node.expressions {
                    self.guarded(part, "__say");
                }
            }
            ExprP::ListComprehension(item, first, more) => {
                self.each_turn(item, Self::item);
                self.target(&first.var);
                self.expr(&first.over);
                self.clauses(more);
            }
            ExprP::DictComprehension(entry, first, more) => {
                self.each_turn(&entry.0, |this, key| this.guarded(key, "__key"));
                self.each_turn(&entry.1, Self::item);
                self.target(&first.var);
                self.expr(&first.over);
                self.clauses(more);
            }
            _ => expr.node.visit_expr(|inner| self.expr(inner)),
        }
    }

    fn item(&mut self, item: &'a AstExpr) {
        match &item.node {
            ExprP::Identifier(_) | ExprP::Literal(_) => self.expr(item),
            _ => self.wrapped(item, "__each"),
        }
    }

    fn clauses(&mut self, clauses: &'a [ClauseP<AstNoPayload>]) {
        for clause in clauses {
            match clause {
                ClauseP::For(each) => {
                    self.target(&each.var);
                    self.each_turn(&each.over, Self::expr);
                }
                ClauseP::If(condition) => self.each_turn(condition, Self::expr),
            }
        }
    }

    /// What a comprehension works out at each turn, without a statement that could be charged: a long one is paid for.
    fn each_turn(&mut self, expr: &'a AstExpr, visit: impl FnOnce(&mut Self, &'a AstExpr)) {
        let (begin, end) = with_brackets(self.code, expr.span);
        let steps = (end - begin) / BYTES_A_STEP;
        if steps == 0 {
            return visit(self, expr);
        }
        self.insert(begin, true, format!("__paid({steps}, ("));
        visit(self, expr);
        self.insert(end, false, "))");
    }

    /// Comparing takes as long as the smaller side is large, so one side is measured.
    fn operation(&mut self, left: &'a AstExpr, op: BinOp, right: &'a AstExpr) {
        if matches!(op, BinOp::In | BinOp::NotIn) {
            self.guarded(left, "__ok");
            let listed = match &right.node {
                ExprP::Tuple(items) | ExprP::List(items) => {
                    items.iter().all(|item| self.is_small(item))
                }
                _ => false,
            };
            self.wrapped(right, if listed { "" } else { "__in" });
        } else if op == BinOp::BitOr {
            self.guarded(left, "__ok");
            self.guarded(right, "__ok");
        } else if compares(op) && !self.is_small(right) {
            self.guarded(left, "__ok");
            self.expr(right);
        } else {
            if op == BinOp::Or {
                self.held(left);
            } else {
                self.expr(left);
            }
            self.expr(right);
        }
    }

    /// What stands before `or`: a lost value that is read there is nothing.
    fn held(&mut self, expr: &'a AstExpr) {
        let ExprP::Dot(object, name) = &expr.node else {
            return self.expr(expr);
        };
        let (begin, end) = with_brackets(self.code, expr.span);
        let dot = find(
            self.code,
            object.span.end().get(),
            name.span.begin().get(),
            ".",
        );
        let (true, Some(dot)) = (self.lost.contains(name.node.as_str()), dot) else {
            return self.expr(expr);
        };
        self.insert(begin, true, "__held(");
        self.expr(object);
        self.marks.push(Insertion {
            at: dot,
            opens: false,
            delete: name.span.end().get() - dot,
            text: format!(", {:?})", name.node).into(),
        });
        debug_assert!(
            end == name.span.end().get(),
            "an attribute ends with its name"
        );
    }

    fn call(&mut self, call: &'a AstExpr, callee: &'a AstExpr, args: &'a [AstArgument]) {
        let given = match &callee.node {
            ExprP::Identifier(name) if !self.is_own(&name.ident) => {
                let name = name.ident.as_str();
                if let Some(built_in) = built_in(name) {
                    if !built_in.gives.is_empty() {
                        let begin = call.span.begin().get();
                        self.insert(begin, true, built_in.gives);
                        self.insert(begin, true, "(");
                    }
                    for arg in args {
                        let is_key = arg.node.name() == Some("key");
                        self.argument(arg, if is_key { "" } else { built_in.given });
                    }
                    if !built_in.gives.is_empty() {
                        self.insert(call.span.end().get(), false, ")");
                    }
                    return;
                }
                // Natives of the host measure what they are given.
                if SIGNATURES.contains_key(name) {
                    None
                } else {
                    Some("__fn")
                }
            }
            ExprP::Dot(object, method) => {
                let method = method_of(&method.node);
                self.guarded(object, method.map_or("", |method| method.on));
                let given = method.map_or("", |method| method.given);
                return args.iter().for_each(|arg| self.argument(arg, given));
            }
            _ => Some("__fn"),
        };
        let Some(guard) = given else {
            return args.iter().for_each(|arg| self.argument(arg, ""));
        };
        self.wrapped(callee, guard);
        for arg in args {
            self.passed(arg.node.expr());
        }
    }

    fn argument(&mut self, arg: &'a AstArgument, guard: &'static str) {
        self.guarded(arg.node.expr(), guard);
    }

    /// Whether a name is the code's own, whatever the library has by that name.
    fn is_own(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.names.contains(name))
    }

    /// Whether an expression is sure to be no list, tuple or dictionary, and no text but one that stands here.
    fn is_small(&self, expr: &AstExpr) -> bool {
        match &expr.node {
            ExprP::Literal(_) | ExprP::Not(_) => true,
            ExprP::Identifier(name) => {
                let name = name.ident.as_str();
                let innermost = self.scopes.iter().rev().find(|s| s.names.contains(name));
                match innermost {
                    Some(scope) => scope.small.contains(name),
                    None => matches!(name, "None" | "True" | "False" | "now" | "game"),
                }
            }
            ExprP::Op(_, op, _) => compares(*op) || matches!(op, BinOp::In | BinOp::NotIn),
            ExprP::Call(callee, _) => match &callee.node {
                ExprP::Identifier(name) if !self.is_own(&name.ident) => {
                    built_in(&name.ident).is_some_and(|built_in| built_in.is_small)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether an expression is sure to hold no other values.
    fn is_flat(&self, expr: &AstExpr) -> bool {
        let flat = match &expr.node {
            ExprP::FString(_) => true,
            ExprP::Identifier(name) => {
                let name = name.ident.as_str();
                let innermost = self.scopes.iter().rev().find(|s| s.names.contains(name));
                innermost.is_some_and(|scope| scope.flat.contains(name))
            }
            _ => false,
        };
        flat || self.is_small(expr)
    }
}

/// Whether an operator compares its sides.
fn compares(op: BinOp) -> bool {
    matches!(op, BinOp::Equal | BinOp::NotEqual)
        || matches!(op, BinOp::Less | BinOp::LessOrEqual)
        || matches!(op, BinOp::Greater | BinOp::GreaterOrEqual)
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
