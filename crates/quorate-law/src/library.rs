//! The names that rule code finds: the library, and the kinds and quantities that a law brings.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use quorate_kernel::{Name, Span, Thing};
use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension};
use starlark::typing::Ty;

use crate::host;
use crate::host::guards::GUARDS;
use crate::interface::{LANGUAGE, RECORDS};
use crate::signature::SIGNATURES;
use crate::syntax::ANYTHING;
use crate::values::callable::Callable;
use crate::values::kind::KindValue;
use crate::values::plain::{
    LedgerValue, ObjectValue, PictureValue, RecordValue, SquareValue, ThingValue,
};
use crate::values::time::{MomentValue, SpanValue};

/// Kinds of things that every game has.
pub(crate) const BASE_KINDS: [&str; 5] = ["Player", "Game", "Post", "Comment", "Rule"];

/// Every name that a rule may write without defining it.
pub(crate) static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let natives = SIGNATURES
        .keys()
        .filter(|name| !name.contains('.') && !name.starts_with("__"));
    let mut names: BTreeSet<String> = natives.cloned().collect();
    let language = LANGUAGE.iter().map(|entry| &entry.name);
    let kinds = BASE_KINDS.iter().chain(RECORDS.iter());
    let plain = &[
        "Moment", "Span", "Square", "Picture", "Ledger", "player", "game", "now",
    ];
    names.extend(kinds.chain(language).chain(plain).map(ToString::to_string));
    names
});

/// Every name that code finds without a law, those included that the rewriting puts into it.
pub(crate) static FOUND: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let names = globals(&Additions::default());
    let names = names.names();
    names.map(|name| name.as_str().to_owned()).collect()
});

/// What a law adds to the library.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
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
    for name in more.chain([ANYTHING.to_owned()]) {
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
    host::install();
    let mut builder =
        GlobalsBuilder::extended_by(&[LibraryExtension::Typing, LibraryExtension::SetType]);
    for name in SIGNATURES.keys().filter(|name| !name.contains('.')) {
        if let Some(native) = Callable::function(name) {
            builder.set(name, native);
        }
    }
    for guard in GUARDS {
        builder.set(guard.name, *guard);
    }
    let thing = Ty::starlark_value::<ThingValue>;
    for name in BASE_KINDS {
        builder.set(name, kind(name, thing()));
    }
    for name in RECORDS.iter() {
        builder.set(name, kind(name, Ty::starlark_value::<RecordValue>()));
    }
    for (name, means) in [
        ("Moment", Ty::starlark_value::<MomentValue>()),
        ("Span", Ty::starlark_value::<SpanValue>()),
        ("Square", Ty::starlark_value::<SquareValue>()),
        ("Picture", Ty::starlark_value::<PictureValue>()),
        ("Ledger", Ty::starlark_value::<LedgerValue>()),
        ("Object", Ty::starlark_value::<ObjectValue>()),
    ] {
        builder.set(name, kind(name, means));
    }
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
