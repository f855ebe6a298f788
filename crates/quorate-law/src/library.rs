//! The names that rule code finds: the library, and the kinds and quantities that a law brings.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use quorate_kernel::{Name, Span, Thing};
use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension};
use starlark::typing::Ty;

use crate::values::callable::{Callable, NATIVES};
use crate::values::kind::KindValue;
use crate::values::object::ObjectValue;
use crate::values::picture::PictureValue;
use crate::values::record::RecordValue;
use crate::values::square::{LedgerValue, SquareValue};
use crate::values::thing::ThingValue;
use crate::values::time::{MomentValue, SpanValue};

/// Kinds of things that every game has.
pub(crate) const BASE_KINDS: [&str; 5] = ["Player", "Game", "Post", "Comment", "Rule"];

/// Kinds of plain facts.
pub(crate) const RECORDS: [&str; 9] = [
    "Icon", "Change", "Line", "Value", "Attempt", "Guard", "Roll", "Limit", "Scope",
];

/// Built-in functions of the language that rule code may use.
const BUILT_IN: [&str; 22] = [
    "True",
    "False",
    "None",
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "enumerate",
    "int",
    "len",
    "list",
    "max",
    "min",
    "range",
    "reversed",
    "set",
    "sorted",
    "str",
    "tuple",
    "typing",
    "zip",
];

/// Every name that a rule may write without defining it.
pub(crate) static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let natives = NATIVES
        .keys()
        .filter(|name| !name.contains('.') && !name.starts_with("__"));
    let mut names: BTreeSet<String> = natives.cloned().collect();
    let fixed = BASE_KINDS.iter().chain(&RECORDS).chain(&BUILT_IN);
    names.extend(fixed.map(|name| (*name).to_owned()));
    for name in [
        "Moment", "Span", "Square", "Picture", "Ledger", "player", "game", "now",
    ] {
        names.insert(name.to_owned());
    }
    names
});

/// What a law adds to the library.
#[derive(Clone, Debug, Default)]
pub(crate) struct Additions {
    pub(crate) kinds: Vec<Name>,
    pub(crate) quantities: Vec<Name>,
    /// Functions of a script's host.
    pub(crate) hosted: Vec<String>,
}

fn kind(name: &str, means: Ty) -> KindValue {
    KindValue {
        name: Name::from(name),
        means,
        handle: None,
    }
}

/// The names that a law's code finds when it runs.
pub(crate) fn globals(additions: &Additions) -> Globals {
    builder(additions).build()
}

/// The library for a check of names alone, with further names of which nothing is known.
pub(crate) fn globals_with(additions: &Additions, more: impl Iterator<Item = String>) -> Globals {
    let mut builder = builder(additions);
    for name in more {
        let anything = KindValue {
            name: Name::from(name.as_str()),
            means: Ty::any(),
            handle: Some(Ty::any()),
        };
        builder.set(&name, anything);
    }
    builder.build()
}

pub(crate) fn builder(additions: &Additions) -> GlobalsBuilder {
    let mut builder =
        GlobalsBuilder::extended_by(&[LibraryExtension::Typing, LibraryExtension::SetType]);
    for name in NATIVES.keys().filter(|name| !name.contains('.')) {
        if let Some(native) = Callable::function(name) {
            builder.set(name, native);
        }
    }
    let thing = Ty::starlark_value::<ThingValue>;
    for name in BASE_KINDS {
        builder.set(name, kind(name, thing()));
    }
    for name in RECORDS {
        builder.set(name, kind(name, Ty::starlark_value::<RecordValue>()));
    }
    builder.set(
        "Moment",
        kind("Moment", Ty::starlark_value::<MomentValue>()),
    );
    builder.set("Span", kind("Span", Ty::starlark_value::<SpanValue>()));
    builder.set(
        "Square",
        kind("Square", Ty::starlark_value::<SquareValue>()),
    );
    builder.set(
        "Picture",
        kind("Picture", Ty::starlark_value::<PictureValue>()),
    );
    builder.set(
        "Ledger",
        kind("Ledger", Ty::starlark_value::<LedgerValue>()),
    );
    builder.set(
        "Object",
        kind("Object", Ty::starlark_value::<ObjectValue>()),
    );
    builder.set("player", kind("Player", thing()));
    builder.set("game", ThingValue(Thing::Game));
    builder.set("now", MomentValue::Now(Span(0)));
    for name in &additions.kinds {
        builder.set(name.as_str(), kind(name.as_str(), thing()));
    }
    for name in &additions.quantities {
        if let Some(quantity) = Callable::quantity(name) {
            builder.set(name.as_str(), quantity);
        }
    }
    for name in &additions.hosted {
        if let Some(hosted) = Callable::hosted(name) {
            builder.set(name, hosted);
        }
    }
    builder
}
