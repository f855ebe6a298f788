//! What a fence asks of its surroundings, and where its functions stop short.
//!
//! The language's own linter finds this too, and much beside that nobody reads, each finding with a text of its own.

use std::collections::BTreeSet;

use quorate_kernel::Name;
use starlark::codemap::Span;
use starlark::syntax::AstModule;
use starlark_syntax::syntax::ast::{
    AstAssignTarget, AstExpr, AstNoPayload, AstStmt, ClauseP, DefP, ExprP, ForClauseP, StmtP,
};
use starlark_syntax::syntax::uniplate::Visit;

use crate::diagnostic::CodeFault;
use crate::syntax::targets;

/// What the look at a fence finds.
pub(crate) struct Flow {
    /// Names that it uses and does not define, in its order.
    pub(crate) needs: Vec<(Name, u32)>,
    /// What runs but is likely not meant so: functions that give back nothing at times, then code that is never reached.
    pub(crate) odd: Vec<CodeFault>,
}

impl Flow {
    /// Looks at a fence. Comments in it may silence findings, by the names that the language has for them.
    pub(crate) fn of(ast: &AstModule, code: &str) -> Self {
        let mut names = NamesUsed::default();
        names.within(|names| names.statement(ast.statement()));
        let told = names.unknown.into_iter();
        let told = told.filter(|(_, span)| !ast.is_suppressed("using-undefined", *span));
        let place = |span: Span| span.begin().get() as usize..span.end().get() as usize;
        let mut needs: Vec<(Name, u32)> = told
            .map(|(name, span)| {
                (
                    Name::from(code.get(place(span)).unwrap_or(name)),
                    begin(span),
                )
            })
            .collect();
        needs.sort_by_key(|(_, at)| *at);
        needs.dedup();
        Self {
            needs,
            odd: odd(ast),
        }
    }
}

fn begin(span: Span) -> u32 {
    span.begin().get()
}

fn odd(ast: &AstModule) -> Vec<CodeFault> {
    let mut odd = Vec::new();
    let mut endless = Vec::new();
    open_ends(ast.statement(), &mut endless);
    endless.retain(|span| !ast.is_suppressed("missing-return", *span));
    for span in endless {
        let text = "this function says what it gives back, and may end without `return`";
        let help = "end each way through it with `return`, or take the `->` away";
        odd.push(CodeFault::new(begin(span), text).help(help));
    }
    let mut unreached = Vec::new();
    ends(ast.statement(), &mut unreached);
    unreached.retain(|span| !ast.is_suppressed("unreachable", *span));
    for span in unreached {
        let help = "take it out, or move it before what ends the function";
        odd.push(CodeFault::new(begin(span), "this is never reached").help(help));
    }
    odd
}

/// The names of a function, a comprehension or the top level.
#[derive(Default)]
struct NameScope<'a> {
    /// Those that it gives values to, wherever.
    given: BTreeSet<&'a str>,
    used: Vec<(&'a str, Span)>,
}

/// Finds the names that nothing around them gives values to.
#[derive(Default)]
struct NamesUsed<'a> {
    /// The top level and what one is in.
    scopes: Vec<NameScope<'a>>,
    unknown: Vec<(&'a str, Span)>,
}

impl<'a> NamesUsed<'a> {
    /// Looks into something that has names of its own.
    fn within(&mut self, look: impl FnOnce(&mut Self)) {
        self.scopes.push(NameScope::default());
        look(self);
        let Some(mut scope) = self.scopes.pop() else {
            return;
        };
        scope.used.retain(|(name, _)| !scope.given.contains(name));
        match self.scopes.last_mut() {
            Some(around) => around.used.append(&mut scope.used),
            None => self.unknown.append(&mut scope.used),
        }
    }

    fn give(&mut self, names: impl Iterator<Item = &'a str>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.given.extend(names);
        }
    }

    fn target(&mut self, target: &'a AstAssignTarget) {
        self.give(targets(target).into_iter().map(|(name, _)| name));
    }

    fn statement(&mut self, statement: &'a AstStmt) {
        match &statement.node {
            StmtP::Assign(assign) => self.target(&assign.lhs),
            StmtP::AssignModify(target, ..) => self.target(target),
            StmtP::For(each) => self.target(&each.var),
            StmtP::Def(def) => self.give(std::iter::once(def.name.ident.as_str())),
            _ => {}
        }
        statement
            .node
            .visit_children(|child| match (child, &statement.node) {
                (Visit::Expr(expr), _) => self.expr(expr),
                (Visit::Stmt(body), StmtP::Def(def)) => self.within(|names| names.body(def, body)),
                (Visit::Stmt(inner), _) => self.statement(inner),
            });
    }

    fn body(&mut self, def: &'a DefP<AstNoPayload>, body: &'a AstStmt) {
        let params = def.params.iter().filter_map(|param| param.node.ident());
        self.give(params.map(|name| name.ident.as_str()));
        self.statement(body);
    }

    fn expr(&mut self, expr: &'a AstExpr) {
        match &expr.node {
            ExprP::Identifier(name) => {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.used.push((&name.ident, name.span));
                }
            }
            ExprP::ListComprehension(item, first, more) => self.turns(&[&**item], first, more),
            ExprP::DictComprehension(entry, first, more) => {
                self.turns(&[&entry.0, &entry.1], first, more);
            }
            _ => expr.node.visit_expr(|inner| self.expr(inner)),
        }
    }

    fn turns(
        &mut self,
        made: &[&'a AstExpr],
        first: &'a ForClauseP<AstNoPayload>,
        more: &'a [ClauseP<AstNoPayload>],
    ) {
        self.expr(&first.over);
        self.within(|names| {
            names.loop_over(&first.var);
            for clause in more {
                match clause {
                    ClauseP::For(each) => {
                        names.expr(&each.over);
                        names.loop_over(&each.var);
                    }
                    ClauseP::If(condition) => names.expr(condition),
                }
            }
            for expr in made {
                names.expr(expr);
            }
        });
    }

    fn loop_over(&mut self, target: &'a AstAssignTarget) {
        target.visit_expr(|expr| self.expr(expr));
        self.target(target);
    }
}

/// Functions that give something back and may come to their end without doing so.
fn open_ends(statement: &AstStmt, found: &mut Vec<Span>) {
    if let StmtP::Def(def) = &statement.node {
        let says_so = def.return_type.as_ref().is_some_and(
            |ty| !matches!(&ty.node.expr.node, ExprP::Identifier(name) if name.ident == "None"),
        );
        if (says_so || gives_back(&def.body)) && !always_returns(&def.body) {
            found.push(statement.span);
        }
    }
    statement.visit_stmt(|inner| open_ends(inner, found));
}

/// Whether a function's own text gives something back anywhere.
fn gives_back(statement: &AstStmt) -> bool {
    match &statement.node {
        StmtP::Return(value) => value.is_some(),
        StmtP::Def(_) => false,
        _ => {
            let mut gives = false;
            statement.visit_stmt(|inner| gives = gives || gives_back(inner));
            gives
        }
    }
}

fn always_returns(statement: &AstStmt) -> bool {
    match &statement.node {
        StmtP::Return(_) => true,
        StmtP::Expression(expr) => is_fail(expr),
        StmtP::Statements(all) => all.last().is_some_and(always_returns),
        StmtP::IfElse(_, ways) => always_returns(&ways.0) && always_returns(&ways.1),
        _ => false,
    }
}

/// Whether nothing behind a statement is reached, and what stands there all the same.
fn ends(statement: &AstStmt, unreached: &mut Vec<Span>) -> bool {
    match &statement.node {
        StmtP::Break | StmtP::Continue | StmtP::Return(_) => true,
        StmtP::Expression(expr) => is_fail(expr),
        StmtP::Statements(all) => {
            let last = all.iter().position(|inner| ends(inner, unreached));
            let next = last.and_then(|last| all.get(last + 1));
            unreached.extend(next.map(|next| next.span));
            last.is_some()
        }
        StmtP::IfElse(_, ways) => {
            let (one, other) = (ends(&ways.0, unreached), ends(&ways.1, unreached));
            one && other
        }
        _ => {
            statement.visit_stmt(|inner| {
                ends(inner, unreached);
            });
            false
        }
    }
}

fn is_fail(expr: &AstExpr) -> bool {
    let ExprP::Call(callee, _) = &expr.node else {
        return false;
    };
    matches!(&callee.node, ExprP::Identifier(name) if name.ident == "fail")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use starlark::analysis::AstModuleLint;

    use super::*;
    use crate::syntax::{Flavour, parse};

    const CODE: &str = r#"
A, (B, C) = one(A, later), two
D += E
def f(x: Kind, y = GIVEN) -> Result | None:
    for i, j in x.all():
        if i == none_such:
            k = [g(i, m, out) for m in y if m != n for n in m]
            continue
            x.kept = 1
        else:
            fail("no")
        unseen()
    z[q] = f"{x.name} of {nobody} and {nobody}"
    def inner(a: Type):
        return a + k + inside
    inside = {a: b for a, b in x}
    return inner(a)
def g(x) -> int:
    if x:
        return 1
        note("too late")
    elif y:
        fail("no")
def h(x):
    if x:
        return x
def silenced(x) -> int: # starlark-lint-disable missing-return
    return unknown if x else silent # starlark-lint-disable unreachable, using-undefined
def none(x) -> None:
    return
later = f
"#;

    #[test]
    fn it_finds_what_the_language_itself_would() {
        let ast = parse(CODE, Flavour::Law).expect("it can be parsed");
        let found = Flow::of(&ast, CODE);
        let lints = ast.lint(Some(&HashSet::new()));
        let of = |name: &str| {
            let lints = lints.iter().filter(|lint| lint.short_name == name);
            let places = lints.map(|lint| {
                let at = &lint.location;
                (Name::from(at.source_span()), begin(at.span))
            });
            places.collect::<Vec<_>>()
        };
        let mut needs = of("using-undefined");
        needs.sort_by_key(|(_, at)| *at);
        assert_eq!(found.needs, needs);
        let odd = [of("missing-return"), of("unreachable")].concat();
        let odd: Vec<u32> = odd.into_iter().map(|(_, at)| at).collect();
        let told: Vec<u32> = found.odd.iter().map(|fault| fault.offset).collect();
        assert_eq!(told, odd);
        assert_eq!((needs.len(), odd.len()), (23, 4));
    }
}
