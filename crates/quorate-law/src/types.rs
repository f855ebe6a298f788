//! How the law's types appear to the language's own type checker.
//!
//! The checker knows a type by the Rust type behind it and asks that for its attributes, without a value to ask. So
//! each kind of a law borrows one of a fixed number of empty Rust types for as long as the check runs, and a table
//! that belongs to the thread says which kind that is. Kinds beyond the number go unchecked.
#![allow(
    unsafe_code,
    reason = "derived implementations of the language's marker trait"
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
    ($($slot:ident $number:literal $name:literal)+) => {
        $(
            #[derive(Debug, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
            struct $slot;

            impl fmt::Display for $slot {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str($name)
                }
            }

            #[starlark_value(type = $name)]
            impl<'v> StarlarkValue<'v> for $slot {
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
        )+

        /// The types that kinds borrow.
        static SLOTS: &[fn() -> Ty] = &[$(Ty::starlark_value::<$slot>),+];
    };
}

#[rustfmt::skip]
slots! {
    S000 0 "Kind#000"
    S001 1 "Kind#001"
    S002 2 "Kind#002"
    S003 3 "Kind#003"
    S004 4 "Kind#004"
    S005 5 "Kind#005"
    S006 6 "Kind#006"
    S007 7 "Kind#007"
    S008 8 "Kind#008"
    S009 9 "Kind#009"
    S010 10 "Kind#010"
    S011 11 "Kind#011"
    S012 12 "Kind#012"
    S013 13 "Kind#013"
    S014 14 "Kind#014"
    S015 15 "Kind#015"
    S016 16 "Kind#016"
    S017 17 "Kind#017"
    S018 18 "Kind#018"
    S019 19 "Kind#019"
    S020 20 "Kind#020"
    S021 21 "Kind#021"
    S022 22 "Kind#022"
    S023 23 "Kind#023"
    S024 24 "Kind#024"
    S025 25 "Kind#025"
    S026 26 "Kind#026"
    S027 27 "Kind#027"
    S028 28 "Kind#028"
    S029 29 "Kind#029"
    S030 30 "Kind#030"
    S031 31 "Kind#031"
    S032 32 "Kind#032"
    S033 33 "Kind#033"
    S034 34 "Kind#034"
    S035 35 "Kind#035"
    S036 36 "Kind#036"
    S037 37 "Kind#037"
    S038 38 "Kind#038"
    S039 39 "Kind#039"
    S040 40 "Kind#040"
    S041 41 "Kind#041"
    S042 42 "Kind#042"
    S043 43 "Kind#043"
    S044 44 "Kind#044"
    S045 45 "Kind#045"
    S046 46 "Kind#046"
    S047 47 "Kind#047"
    S048 48 "Kind#048"
    S049 49 "Kind#049"
    S050 50 "Kind#050"
    S051 51 "Kind#051"
    S052 52 "Kind#052"
    S053 53 "Kind#053"
    S054 54 "Kind#054"
    S055 55 "Kind#055"
    S056 56 "Kind#056"
    S057 57 "Kind#057"
    S058 58 "Kind#058"
    S059 59 "Kind#059"
    S060 60 "Kind#060"
    S061 61 "Kind#061"
    S062 62 "Kind#062"
    S063 63 "Kind#063"
    S064 64 "Kind#064"
    S065 65 "Kind#065"
    S066 66 "Kind#066"
    S067 67 "Kind#067"
    S068 68 "Kind#068"
    S069 69 "Kind#069"
    S070 70 "Kind#070"
    S071 71 "Kind#071"
    S072 72 "Kind#072"
    S073 73 "Kind#073"
    S074 74 "Kind#074"
    S075 75 "Kind#075"
    S076 76 "Kind#076"
    S077 77 "Kind#077"
    S078 78 "Kind#078"
    S079 79 "Kind#079"
    S080 80 "Kind#080"
    S081 81 "Kind#081"
    S082 82 "Kind#082"
    S083 83 "Kind#083"
    S084 84 "Kind#084"
    S085 85 "Kind#085"
    S086 86 "Kind#086"
    S087 87 "Kind#087"
    S088 88 "Kind#088"
    S089 89 "Kind#089"
    S090 90 "Kind#090"
    S091 91 "Kind#091"
    S092 92 "Kind#092"
    S093 93 "Kind#093"
    S094 94 "Kind#094"
    S095 95 "Kind#095"
}
