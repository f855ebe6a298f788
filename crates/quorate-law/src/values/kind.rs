//! Kinds of things, as types in annotations and as handles: `Crate`, `Crate.all()`.

use std::fmt;

use allocative::Allocative;
use quorate_kernel::Name;
use starlark::any::ProvidesStaticType;
use starlark::starlark_simple_value;
use starlark::typing::Ty;
use starlark::values::{
    Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, ValueLike, starlark_value,
};

use crate::values::callable::{Callable, Receiver};

/// A kind, or a plain type of the host such as `Moment`.
#[derive(Clone, Debug, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
pub(crate) struct KindValue {
    #[allocative(skip)]
    pub(crate) name: Name,
    /// What an annotation with it means.
    pub(crate) means: Ty,
    /// What the checker knows of the handle itself.
    pub(crate) handle: Option<Ty>,
}

starlark_simple_value!(KindValue);

impl KindValue {
    pub(crate) fn of(value: Value<'_>) -> Option<Name> {
        value.downcast_ref::<Self>().map(|this| this.name.clone())
    }
}

impl fmt::Display for KindValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.name, f)
    }
}

#[starlark_value(type = "kind")]
impl<'v> StarlarkValue<'v> for KindValue {
    fn eval_type(&self) -> Option<Ty> {
        Some(self.means.clone())
    }

    fn typechecker_ty(&self) -> Option<Ty> {
        self.handle.clone()
    }

    fn equals(&self, other: Value<'v>) -> starlark::Result<bool> {
        Ok(Self::of(other).is_some_and(|other| other == self.name))
    }

    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        let receiver = Receiver::Kind(self.name.clone());
        Callable::method("K", attribute, receiver, heap)
    }
}

/// A declaration's result: a value, a board, a page, by its code name.
#[derive(Clone, Debug, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
pub(crate) struct HandleValue {
    #[allocative(skip)]
    pub(crate) name: Name,
    pub(crate) what: &'static str,
}

starlark_simple_value!(HandleValue);

impl HandleValue {
    pub(crate) fn of(value: Value<'_>) -> Option<Name> {
        value.downcast_ref::<Self>().map(|this| this.name.clone())
    }
}

impl fmt::Display for HandleValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} {}", self.what, self.name)
    }
}

#[starlark_value(type = "declared")]
impl<'v> StarlarkValue<'v> for HandleValue {
    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        if self.what != "board" {
            return None;
        }
        let receiver = Receiver::Kind(self.name.clone());
        Callable::method("Board", attribute, receiver, heap)
    }
}
