//! The values of the host that hold one thing each. What can be read of them and done with them stands in the files
//! named after them.

use std::sync::Arc;

use allocative::Allocative;
use quorate_kernel::{Name, Picture, Square, Thing};
use starlark::any::ProvidesStaticType;
use starlark::starlark_simple_value;
use starlark::values::{NoSerialize, StarlarkPagablePanic, Value, ValueLike};

use crate::datum::Record;

macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
            pub(crate) struct $name(#[allocative(skip)] pub(crate) $inner);

            starlark_simple_value!($name);

            impl $name {
                pub(crate) fn of(value: Value<'_>) -> Option<$inner> {
                    value.downcast_ref::<Self>().map(|this| this.0.clone())
                }
            }
        )+
    };
}

plain! {
    /// A player, post, row or all else that has attributes: a handle whose contents the world holds.
    ThingValue(Thing);
    /// A plain fact: an icon, a change, an attempt, a limit, a scope.
    RecordValue(Arc<Record>);
    /// What only a script's host understands, by the host's number.
    ObjectValue(u64);
    SquareValue(Square);
    /// The ledger of a thing, by its code name.
    LedgerValue((Thing, Name));
    /// A picture, of which rule code learns the size and the digest: its file is nothing that a rule could judge.
    PictureValue(Arc<Picture>);
}
