//! One fence, read: its tree, what it defines and declares, and in which pieces it goes into the sheet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate_kernel::Name;
use starlark::syntax::AstModule;
use starlark_syntax::syntax::ast::{
    AstExpr, AstNoPayload, AstStmt, BinOp, DefP, ExprP, ParameterP, StmtP,
};
use starlark_syntax::syntax::top_level_stmts::top_level_stmts;

use crate::check::flow::Flow;
use crate::check::house::InPlace;
use crate::check::wording::strange;
use crate::collect::{CallFacts, Signature};
use crate::datum::Type;
use crate::declare::Param;
use crate::diagnostic::CodeFault;
use crate::expressions::{CallArguments, docstring, literal, string, type_of, word};
use crate::sheet::UnitInfo;
use crate::stop::Site;
use crate::syntax::{assigned_attributes, locals, targets, walk_statements, walk_stmt};

/// A kind that a fence brings.
#[derive(Clone, Debug)]
pub(crate) struct KindFound {
    pub(crate) name: Name,
    pub(crate) sort: Sort,
    pub(crate) columns: Vec<(Name, Type)>,
    /// The variable that its handle is assigned to.
    pub(crate) alias: Option<String>,
    pub(crate) offset: u32,
}

impl KindFound {
    /// Its name, and the variable that stands for it.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        [self.name.as_str()]
            .into_iter()
            .chain(self.alias.as_deref())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Entity,
    Table,
    Category,
}

/// A value that a fence declares.
#[derive(Clone, Debug)]
pub(crate) struct ValueFound {
    pub(crate) name: Name,
    /// The word that `of =` names: a kind, or a variable that stands for one.
    pub(crate) of: String,
    pub(crate) ty: Type,
    /// For a derived value, the function that works it out.
    pub(crate) function: Option<String>,
}

/// A function at the top level.
#[derive(Clone, Debug)]
pub(crate) struct FunctionFound {
    pub(crate) name: String,
    pub(crate) signature: Arc<Signature>,
    /// Attributes that its own text reads.
    pub(crate) reads: BTreeSet<Name>,
    /// Attributes that its own text sets, or reads without saying what to take instead.
    pub(crate) touches: BTreeSet<Name>,
    /// Attributes that its own text reads as `thing.attribute or something`, and says so what to take instead.
    pub(crate) falls_back: BTreeSet<Name>,
    /// Names that its own text uses.
    pub(crate) uses: BTreeSet<Name>,
    /// Names that it gives values to, its parameters included: those are no others' where it uses them.
    pub(crate) own: BTreeSet<Name>,
    pub(crate) offset: u32,
}

impl FunctionFound {
    /// Names of others that its own text uses.
    pub(crate) fn asks_for(&self) -> impl Iterator<Item = &str> {
        self.uses.difference(&self.own).map(Name::as_str)
    }
}

/// Whole lines of a fence that go into the sheet together.
#[derive(Clone, Debug)]
pub(crate) struct LineBlock {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) phase: Phase,
    pub(crate) assigns: Vec<Name>,
    pub(crate) uses: BTreeSet<Name>,
}

/// When a chunk runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Phase {
    Functions,
    Assignments,
    Rest,
}

/// A fence, read.
pub(crate) struct Unit {
    pub(crate) ast: Arc<AstModule>,
    pub(crate) kinds: Vec<KindFound>,
    pub(crate) quantities: Vec<(Name, Type, u32)>,
    pub(crate) values: Vec<ValueFound>,
    pub(crate) functions: Vec<FunctionFound>,
    /// Names at the top level with their places, functions included.
    pub(crate) defines: Vec<(String, u32)>,
    pub(crate) facts: Vec<(u32, CallFacts)>,
    pub(crate) chunks: Vec<LineBlock>,
    /// Quantity or value, and the filter's function.
    pub(crate) modifies: Vec<(String, String)>,
    /// Action and the body's function.
    pub(crate) actions: Vec<(String, String)>,
    pub(crate) faults: Vec<CodeFault>,
    /// Methods that change an attribute's value in place.
    pub(crate) in_place: Vec<InPlace>,
    /// Variables of its top level that are put together of others.
    pub(crate) variables: BTreeSet<String>,
    /// Rows of tables: table and key.
    pub(crate) rows: Vec<(String, String)>,
    /// Rows that it asks for by their key: table, key and place.
    pub(crate) asked_rows: Vec<(String, String, u32)>,
    /// Rows that it asks for by a key that has a name: table, that name and place.
    pub(crate) asked_by_name: Vec<(String, String, u32)>,
    /// Texts that have a name: the name and the text.
    pub(crate) texts: Vec<(String, String)>,
    /// Names that it uses and does not define, in its order.
    pub(crate) needs: Vec<(Name, u32)>,
    /// What runs but is likely not meant so: code that is never reached, functions that give back nothing at times.
    pub(crate) odd: Vec<CodeFault>,
}

impl Unit {
    /// Reads a parsed fence; `site` is its rule and clause.
    pub(crate) fn read(ast: AstModule, code: &str, site: &Site, info: &UnitInfo) -> Self {
        let ast = Arc::new(ast);
        let Flow { needs, odd } = Flow::of(&ast, code);
        let mut unit = Self {
            ast: Arc::clone(&ast),
            kinds: Vec::new(),
            quantities: Vec::new(),
            values: Vec::new(),
            functions: Vec::new(),
            defines: Vec::new(),
            facts: Vec::new(),
            chunks: Vec::new(),
            modifies: Vec::new(),
            actions: Vec::new(),
            faults: Vec::new(),
            in_place: Vec::new(),
            variables: BTreeSet::new(),
            rows: Vec::new(),
            asked_rows: Vec::new(),
            asked_by_name: Vec::new(),
            texts: Vec::new(),
            needs,
            odd,
        };
        unit.ask_for_rows(ast.statement());
        for statement in top_level_stmts(ast.statement()) {
            let (line, _) = info.position(statement.span.begin().get());
            let site = Site {
                line,
                ..site.clone()
            };
            unit.statement(statement, &site);
            unit.chunk(statement, code);
        }
        unit
    }

    /// Finds the rows of tables that code asks for by a key that stands there, `Terrain.row("Wall")`, or by a name, `Terrain.row(WALL)`.
    fn ask_for_rows(&mut self, code: &AstStmt) {
        walk_stmt(code, &mut |expr| {
            if let ExprP::Call(callee, args) = expr
                && let ExprP::Dot(table, method) = &callee.node
                && method.node == "row"
                && let ExprP::Identifier(table) = &table.node
                && let Some(key) = args.args.first().map(|arg| arg.expr())
            {
                let at = callee.span.begin().get();
                if let Some(key) = string(key) {
                    self.asked_rows.push((table.ident.clone(), key, at));
                } else if let ExprP::Identifier(name) = &key.node {
                    let asked = (table.ident.clone(), name.ident.clone(), at);
                    self.asked_by_name.push(asked);
                }
            }
        });
    }

    fn statement(&mut self, statement: &AstStmt, site: &Site) {
        match &statement.node {
            StmtP::Def(def) => {
                let offset = def.name.span.begin().get();
                self.defines.push((def.name.ident.clone(), offset));
                self.functions.push(function(def, site, &mut self.faults));
            }
            StmtP::Assign(assign) => {
                let names = targets(&assign.lhs);
                for (name, offset) in &names {
                    self.defines.push(((*name).to_owned(), *offset));
                }
                if let ([(name, _)], Some(text)) = (names.as_slice(), string(&assign.rhs)) {
                    self.texts.push(((*name).to_owned(), text));
                }
                let alone = match names.as_slice() {
                    [(name, _)] => Some((*name).to_owned()),
                    _ => None,
                };
                self.call(&assign.rhs, alone);
            }
            StmtP::Expression(expr) => self.call(expr, None),
            _ => {}
        }
    }

    /// A call at the top level that may declare something.
    fn call(&mut self, expr: &AstExpr, assigned: Option<String>) {
        let ExprP::Call(callee, args) = &expr.node else {
            return;
        };
        let ExprP::Identifier(name) = &callee.node else {
            return;
        };
        let args = CallArguments::of(&args.args);
        let offset = expr.span.begin().get();
        let mut facts = CallFacts {
            assigned: assigned.clone().map(Name::from),
            types: Vec::new(),
        };
        let declares = name.ident.as_str();
        match declares {
            "entity" | "category" | "table" => {
                self.kind(declares, &args, assigned, expr, &mut facts);
            }
            "row" => {
                let table = args.get(0, "table").and_then(word);
                let key = args.get(1, "key").and_then(string);
                self.rows.extend(table.zip(key));
            }
            "quantity" => {
                let ty = args.get(1, "type").map_or(Type::Any, type_of);
                facts.types.push((Name::default(), ty.clone()));
                if let Some(quantity) = self.literal(&args, expr) {
                    self.quantities.push((Name::from(quantity), ty, offset));
                }
            }
            "modify" => {
                let what = args.get(0, "what").and_then(word);
                let filter = args.get(1, "filter").and_then(word);
                self.modifies.extend(what.zip(filter));
            }
            "action" => {
                let action = args.get(0, "name").and_then(word);
                let body = args.get(1, "body").and_then(word);
                self.actions.extend(action.zip(body));
            }
            _ => {
                if let Some(name) = assigned {
                    self.value(declares, &name, &args, &mut facts);
                }
            }
        }
        self.facts.push((offset, facts));
    }

    fn literal(&mut self, args: &CallArguments<'_>, call: &AstExpr) -> Option<String> {
        let given = args.get(0, "name");
        if let Some(text) = given.and_then(string) {
            return Some(text);
        }
        let offset = given.unwrap_or(call).span.begin().get();
        let text = "the name stands here in quotes, so that other rules can use it";
        self.faults.push(CodeFault::new(offset, text));
        None
    }

    fn kind(
        &mut self,
        declares: &str,
        args: &CallArguments<'_>,
        alias: Option<String>,
        call: &AstExpr,
        facts: &mut CallFacts,
    ) {
        let sort = match declares {
            "entity" => Sort::Entity,
            "table" => Sort::Table,
            _ => Sort::Category,
        };
        let Some(name) = self.literal(args, call) else {
            return;
        };
        let offset = call.span.begin().get();
        let fit = name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if let Some(letter) = name.chars().find(|letter| !letter.is_ascii()) {
            let text = strange(&letter.to_string());
            let help = "a kind's name is one word of the letters A to Z, such as `LandMine`";
            self.faults.push(CodeFault::new(offset, text).help(help));
            return;
        }
        if !fit {
            let text = format!(
                "\"{name}\" cannot name a kind: use one word that begins with a capital letter, such as `LandMine`"
            );
            self.faults.push(CodeFault::new(offset, text));
            return;
        }
        let mut columns = Vec::new();
        if sort == Sort::Table {
            for (column, ty) in args.named.iter().filter(|(column, _)| *column != "name") {
                columns.push((Name::from(*column), type_of(ty)));
            }
        }
        facts.types.clone_from(&columns);
        self.kinds.push(KindFound {
            name: Name::from(name),
            sort,
            columns,
            alias,
            offset,
        });
    }

    fn value(
        &mut self,
        declares: &str,
        name: &str,
        args: &CallArguments<'_>,
        facts: &mut CallFacts,
    ) {
        let optional = |ty: Type| Type::Optional(Box::new(ty));
        let named = |index, keyword| args.get(index, keyword);
        let kind = |expr: Option<&AstExpr>| expr.map_or(Type::Any, type_of);
        let (ty, of) = match declares {
            "number" => (Type::Int, named(1, "of")),
            "text" => (Type::Text, named(1, "of")),
            "flag" => (Type::Bool, named(1, "of")),
            "choice" => (Type::Text, named(2, "of")),
            "moment" => (optional(Type::Moment), named(1, "of")),
            "reference" => (optional(kind(named(1, "to"))), named(2, "of")),
            "listing" => {
                let item = kind(named(1, "holds"));
                facts.types.push((Name::default(), item.clone()));
                (Type::List(Box::new(item)), named(2, "of"))
            }
            "place" => (optional(Type::Square), named(2, "of")),
            "image" => (optional(Type::Picture), named(1, "of")),
            "ledger" => (Type::Ledger, named(1, "of")),
            "derived" => (Type::Any, named(2, "of")),
            _ => return,
        };
        let function = (declares == "derived")
            .then(|| named(1, "fn").and_then(word))
            .flatten();
        if let Some(of) = of.and_then(word) {
            self.values.push(ValueFound {
                name: Name::from(name),
                of,
                ty,
                function,
            });
        }
    }

    fn chunk(&mut self, statement: &AstStmt, code: &str) {
        let (start, end) = lines(statement, code);
        let phase = match &statement.node {
            StmtP::Def(_) => Phase::Functions,
            StmtP::Assign(_) => Phase::Assignments,
            _ => Phase::Rest,
        };
        let mut assigns = Vec::new();
        let mut uses = BTreeSet::new();
        if let StmtP::Assign(assign) = &statement.node {
            let targets = targets(&assign.lhs).into_iter();
            assigns = targets.map(|(name, _)| Name::from(name)).collect();
        }
        if phase != Phase::Functions {
            walk_stmt(statement, &mut |expr| {
                if let ExprP::Identifier(name) = expr {
                    uses.insert(Name::from(name.ident.as_str()));
                }
            });
        }
        if let Some(last) = self.chunks.last_mut()
            && start < last.end
        {
            // Several statements on one line stay together.
            last.end = last.end.max(end);
            last.phase = last.phase.max(phase);
            last.assigns.extend(assigns);
            last.uses.extend(uses);
            return;
        }
        self.chunks.push(LineBlock {
            start,
            end,
            phase,
            assigns,
            uses,
        });
    }
}

fn lines(statement: &AstStmt, code: &str) -> (u32, u32) {
    let bytes = code.as_bytes();
    let begin = statement.span.begin().get() as usize;
    let mut end = (statement.span.end().get() as usize).min(bytes.len());
    while end > begin && bytes[end - 1].is_ascii_whitespace() {
        end -= 1;
    }
    let start = bytes[..begin]
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    let end = bytes[end..]
        .iter()
        .position(|b| *b == b'\n')
        .map_or(bytes.len(), |at| end + at + 1);
    (
        u32::try_from(start).unwrap_or(u32::MAX),
        u32::try_from(end).unwrap_or(u32::MAX),
    )
}

fn function(def: &DefP<AstNoPayload>, site: &Site, faults: &mut Vec<CodeFault>) -> FunctionFound {
    let mut params = Vec::new();
    for param in &def.params {
        if let ParameterP::Normal(name, ty, default) = &param.node {
            let default = default.as_deref().and_then(|expr| {
                let known = literal(expr);
                if known.is_none() {
                    let text = "a parameter's default is a plain value: a number, a text, True, False, None or []";
                    faults.push(CodeFault::new(expr.span.begin().get(), text));
                }
                known
            });
            params.push(Param {
                name: Name::from(name.ident.as_str()),
                ty: ty.as_deref().map_or(Type::Any, |ty| type_of(&ty.expr)),
                default,
            });
        }
    }
    let names = names_in(&def.body);
    FunctionFound {
        name: def.name.ident.clone(),
        signature: Arc::new(Signature {
            params,
            gives: def
                .return_type
                .as_deref()
                .map_or(Type::Any, |ty| type_of(&ty.expr)),
            doc: docstring(&def.body),
            site: site.clone(),
        }),
        reads: names.reads,
        touches: names.touches,
        falls_back: names.falls_back,
        uses: names.uses,
        own: locals(def).into_iter().map(Name::from).collect(),
        offset: def.name.span.begin().get(),
    }
}

/// What a function's body uses by name; see [`FunctionFound`].
struct NamesIn {
    reads: BTreeSet<Name>,
    touches: BTreeSet<Name>,
    falls_back: BTreeSet<Name>,
    uses: BTreeSet<Name>,
}

fn names_in(body: &AstStmt) -> NamesIn {
    // How often each attribute is read, and how often with something to take instead.
    let mut attributes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut actions = Vec::new();
    walk_stmt(body, &mut |expr| match expr {
        ExprP::Dot(_, name) => attributes.entry(&name.node).or_default().0 += 1,
        ExprP::Op(left, BinOp::Or, _) => {
            if let ExprP::Dot(_, name) = &left.node {
                attributes.entry(&name.node).or_default().1 += 1;
            }
        }
        ExprP::Identifier(name) => {
            used.insert(&name.ident);
        }
        ExprP::Call(callee, args) => {
            // `perform("hunt", …)` and `allowed` lean on the action's body, named by its first argument.
            if let ExprP::Identifier(name) = &callee.node
                && matches!(
                    name.ident.as_str(),
                    "perform" | "allowed" | "since" | "held"
                )
                && let Some(action) = args.args.first().and_then(|arg| string(arg.expr()))
            {
                actions.push(action);
            }
        }
        _ => {}
    });
    let named = |names: &mut dyn Iterator<Item = &str>| names.map(Name::from).collect();
    let read = attributes.iter();
    let mut names = NamesIn {
        reads: named(&mut read.clone().map(|(name, _)| *name)),
        touches: named(
            &mut read
                .clone()
                .filter(|(_, (all, other))| all > other)
                .map(|(name, _)| *name),
        ),
        falls_back: named(
            &mut read
                .filter(|(_, (_, other))| *other > 0)
                .map(|(name, _)| *name),
        ),
        uses: named(&mut used.into_iter()),
    };
    for action in actions {
        names.uses.insert(Name::from(format!("action {action}")));
        names.reads.insert(Name::from(action));
    }
    walk_statements(body, &mut |statement| {
        let set = assigned_attributes(statement).into_iter();
        names.touches.extend(set.map(Name::from));
    });
    names
}
