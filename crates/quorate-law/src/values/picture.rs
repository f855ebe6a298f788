//! Pictures that people upload.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use allocative::Allocative;
use quorate_kernel::Picture;
use starlark::any::ProvidesStaticType;
use starlark::collections::StarlarkHasher;
use starlark::starlark_simple_value;
use starlark::values::{
    Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, ValueLike, starlark_value,
};

/// A picture, of which rule code learns the size and the digest: its file is nothing that a rule could judge.
#[derive(Clone, Debug, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
pub(crate) struct PictureValue(#[allocative(skip)] pub(crate) Arc<Picture>);

starlark_simple_value!(PictureValue);

impl PictureValue {
    pub(crate) fn of(value: Value<'_>) -> Option<Arc<Picture>> {
        value.downcast_ref::<Self>().map(|this| Arc::clone(&this.0))
    }
}

impl fmt::Display for PictureValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a picture of {} by {}", self.0.width, self.0.height)
    }
}

#[starlark_value(type = "Picture")]
impl<'v> StarlarkValue<'v> for PictureValue {
    fn equals(&self, other: Value<'v>) -> starlark::Result<bool> {
        Ok(other
            .downcast_ref::<Self>()
            .is_some_and(|other| other.0 == self.0))
    }

    fn write_hash(&self, hasher: &mut StarlarkHasher) -> starlark::Result<()> {
        self.0.hash(hasher);
        Ok(())
    }

    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        match attribute {
            "width" => Some(heap.alloc(i32::from(self.0.width))),
            "height" => Some(heap.alloc(i32::from(self.0.height))),
            "digest" => Some(heap.alloc(self.0.digest.to_string())),
            _ => None,
        }
    }
}
