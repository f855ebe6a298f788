//! How the law's types appear to the language's own type checker.
//!
//! The checker knows a type by the Rust type behind it and asks that for its attributes, without a value to ask. So
//! each kind of a law borrows one of a fixed number of empty Rust types for as long as the check runs, and a table
//! that belongs to the thread says which kind that is. Kinds beyond the number go unchecked.
#![allow(
    unsafe_code,
    reason = "derived implementations of the language's marker trait"
)]
#![allow(
    clippy::zero_prefixed_literal,
    reason = "the number is also a part of the name"
)]

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::rc::Rc;

use allocative::Allocative;
use starlark::any::ProvidesStaticType;
use starlark::typing::{ParamIsRequired, ParamSpec, Ty, TyBasic, TypingBinOp};
use starlark::util::ArcStr;
use starlark::values::{NoSerialize, StarlarkPagablePanic, StarlarkValue, starlark_value};

use crate::datum::Type;
use crate::signature::{NativeSignature, Parameter};
use crate::syntax::of_setter;

/// What the checker is told of the kinds of a law.
#[derive(Default)]
pub(crate) struct Schema {
    /// The kinds, in the order of their slots.
    names: Vec<String>,
    attributes: Vec<BTreeMap<String, Ty>>,
    slots: HashMap<String, usize>,
    /// Kinds that are also of the kind `Post`.
    categories: Vec<String>,
}

thread_local! {
    static SCHEMA: RefCell<Option<Rc<Schema>>> = const { RefCell::new(None) };
}

/// The names of the plain types, which have the first slots.
pub(crate) const MOMENT: &str = "Moment";
pub(crate) const SPAN: &str = "Span";
pub(crate) const SQUARE: &str = "Square";
pub(crate) const PICTURE: &str = "Picture";
pub(crate) const LEDGER: &str = "Ledger";

impl Schema {
    /// Gives a kind a slot, with its attributes to come.
    pub(crate) fn add(&mut self, name: &str) {
        if self.slots.contains_key(name) || self.names.len() >= SLOTS.len() {
            return;
        }
        self.slots.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.attributes.push(BTreeMap::new());
    }

    /// Adds a kind of post.
    pub(crate) fn add_category(&mut self, name: &str) {
        self.add(name);
        self.categories.push(name.to_owned());
    }

    /// Says that a kind has an attribute.
    pub(crate) fn attribute(&mut self, kind: &str, name: &str, ty: Ty) {
        if let Some(slot) = self.slots.get(kind) {
            self.attributes[*slot].insert(name.to_owned(), ty);
        }
    }

    /// The attributes of a kind, with their setters.
    pub(crate) fn attributes(&self, kind: &str) -> Option<&BTreeMap<String, Ty>> {
        self.slots.get(kind).map(|slot| &self.attributes[*slot])
    }

    fn slot(&self, name: &str) -> Ty {
        self.slots
            .get(name)
            .map_or_else(Ty::any, |slot| SLOTS[*slot]())
    }

    /// A type of the law as the checker's. `own` is the kind that `K` stands for.
    pub(crate) fn ty(&self, ty: &Type, own: Option<&str>) -> Ty {
        match ty {
            Type::Any => Ty::any(),
            Type::None => Ty::none(),
            Type::Bool => Ty::bool(),
            Type::Int => Ty::int(),
            Type::Text => Ty::string(),
            Type::Moment => self.slot(MOMENT),
            Type::Span => self.slot(SPAN),
            Type::Square => self.slot(SQUARE),
            Type::Picture => self.slot(PICTURE),
            Type::Ledger => self.slot(LEDGER),
            Type::Record(kind) => self.slot(kind),
            Type::Function => Ty::callable(any_params(), Ty::any()),
            Type::List(item) => Ty::list(self.ty(item, own)),
            Type::Dict(key, value) => Ty::dict(self.ty(key, own), self.ty(value, own)),
            Type::Optional(inner) => Ty::union2(self.ty(inner, own), Ty::none()),
            Type::Kind(name) => match (name.as_str(), own) {
                ("K", Some(own)) => self.kind(own),
                (name, _) => self.kind(name),
            },
        }
    }

    /// A kind; `Post` is any category.
    fn kind(&self, name: &str) -> Ty {
        if name != "Post" {
            return self.slot(name);
        }
        let mut all = vec![self.slot("Post")];
        all.extend(self.categories.iter().map(|category| self.slot(category)));
        Ty::unions(all)
    }

    /// A signature of the library as the checker's type. `own` is the kind that `K` stands for.
    pub(crate) fn function(&self, signature: &NativeSignature, own: Option<&str>) -> Ty {
        let gives = self.ty(&signature.gives, own);
        self.params(signature, own)
            .map_or_else(Ty::any, |params| Ty::function(params, gives))
    }

    fn params(&self, signature: &NativeSignature, own: Option<&str>) -> Option<ParamSpec> {
        let param = |param: &Parameter| {
            let required = if param.required {
                ParamIsRequired::Yes
            } else {
                ParamIsRequired::No
            };
            (
                ArcStr::from(param.name.as_str()),
                required,
                self.ty(&param.ty, own),
            )
        };
        ParamSpec::new_parts(
            [],
            signature.positional.iter().map(param),
            signature.args.as_ref().map(|args| self.ty(&args.ty, own)),
            signature.named.iter().map(param),
            signature
                .kwargs
                .as_ref()
                .map(|kwargs| self.ty(&kwargs.ty, own)),
        )
        .ok()
    }

    /// A function that takes these keywords only, none of them required.
    pub(crate) fn keywords(keywords: Vec<(String, Ty)>, gives: Ty) -> Ty {
        let keywords = keywords
            .iter()
            .map(|(name, ty)| (ArcStr::from(name.as_str()), ParamIsRequired::No, ty.clone()));
        ParamSpec::new_named_only(keywords)
            .map_or_else(|_| Ty::any(), |params| Ty::function(params, gives))
    }

    /// A function of one value by place.
    pub(crate) fn setter(value: Ty) -> Ty {
        ParamSpec::new_parts([(ParamIsRequired::Yes, value)], [], None, [], None)
            .map_or_else(|_| Ty::any(), |params| Ty::function(params, Ty::none()))
    }

    /// The names of all values that rules set.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        let names = self.attributes.iter().flat_map(BTreeMap::keys);
        names.filter_map(|name| of_setter(name))
    }

    /// Words of the checker with the kinds' own names in them.
    pub(crate) fn readable(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if !self.categories.is_empty() {
            let posts = self.kind("Post").to_string();
            text = text.replace(&posts, "Post");
        }
        let mut made = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("Kind#") {
            made.push_str(&rest[..at]);
            let number = rest.get(at + 5..at + 8).unwrap_or("");
            let name = number
                .parse()
                .ok()
                .and_then(|slot: usize| self.names.get(slot));
            made.push_str(name.map_or("thing", String::as_str));
            rest = rest.get(at + 8..).unwrap_or("");
        }
        made + rest
    }

    /// Lets the checker ask for as long as something runs.
    pub(crate) fn during<T>(self: &Rc<Self>, run: impl FnOnce() -> T) -> T {
        let before = SCHEMA.with(|schema| schema.replace(Some(Rc::clone(self))));
        let result = run();
        SCHEMA.with(|schema| *schema.borrow_mut() = before);
        result
    }
}

fn any_params() -> ParamSpec {
    ParamSpec::new_parts([], [], Some(Ty::any()), [], Some(Ty::any()))
        .unwrap_or_else(|_| ParamSpec::empty())
}

fn attribute(slot: usize, name: &str) -> Option<Ty> {
    SCHEMA.with_borrow(|schema| schema.as_ref()?.attributes.get(slot)?.get(name).cloned())
}

/// What `+`, `-`, `*`, `//` and comparisons give for moments and spans.
fn operation(slot: usize, op: TypingBinOp, other: &TyBasic) -> Option<Ty> {
    SCHEMA.with_borrow(|schema| {
        let schema = schema.as_ref()?;
        let name = schema.names.get(slot)?.as_str();
        let same =
            |ty: Ty| *other == TyBasic::Any || ty.iter_union() == std::slice::from_ref(other);
        let is = |name: &str| same(schema.slot(name));
        let (moment, span) = (schema.slot(MOMENT), schema.slot(SPAN));
        match (name, op) {
            (MOMENT | SPAN, TypingBinOp::Less) => is(name).then(Ty::bool),
            (MOMENT, TypingBinOp::Add) => is(SPAN).then_some(moment),
            (MOMENT, TypingBinOp::Sub) if is(MOMENT) => Some(span),
            (MOMENT, TypingBinOp::Sub) => is(SPAN).then_some(moment),
            (SPAN, TypingBinOp::Add) if is(MOMENT) => Some(moment),
            (SPAN, TypingBinOp::Add | TypingBinOp::Sub) => is(SPAN).then_some(span),
            (SPAN, TypingBinOp::Mul | TypingBinOp::FloorDiv) if same(Ty::int()) => Some(span),
            (SPAN, TypingBinOp::FloorDiv) => is(SPAN).then(Ty::int),
            _ => None,
        }
    })
}

macro_rules! slots {
    ($($number:literal)+) => {
        /// The types that kinds borrow.
        static SLOTS: &[fn() -> Ty] = &[$({
            #[derive(Debug, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
            struct KindSlot;

            impl fmt::Display for KindSlot {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(Self::TYPE)
                }
            }

            #[starlark_value(type = concat!("Kind#", stringify!($number)))]
            impl<'v> StarlarkValue<'v> for KindSlot {
                fn attr_ty(name: &str) -> Option<Ty> {
                    attribute($number, name)
                }

                fn bin_op_ty(op: TypingBinOp, other: &TyBasic) -> Option<Ty> {
                    operation($number, op, other)
                }

                fn rbin_op_ty(other: &TyBasic, op: TypingBinOp) -> Option<Ty> {
                    (op == TypingBinOp::Mul).then(|| operation($number, op, other))?
                }
            }

            Ty::starlark_value::<KindSlot>
        }),+];
    };
}

#[rustfmt::skip]
slots! {
    000 001 002 003 004 005 006 007 008 009 010 011 012 013 014 015
    016 017 018 019 020 021 022 023 024 025 026 027 028 029 030 031
    032 033 034 035 036 037 038 039 040 041 042 043 044 045 046 047
    048 049 050 051 052 053 054 055 056 057 058 059 060 061 062 063
    064 065 066 067 068 069 070 071 072 073 074 075 076 077 078 079
    080 081 082 083 084 085 086 087 088 089 090 091 092 093 094 095
}
