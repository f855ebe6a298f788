//! Pictures that people upload.

use std::fmt;
use std::hash::Hash;

use starlark::collections::StarlarkHasher;
use starlark::values::{Heap, StarlarkValue, Value, starlark_value};

use crate::values::plain::PictureValue;

impl fmt::Display for PictureValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a picture of {} by {}", self.0.width, self.0.height)
    }
}

#[starlark_value(type = "Picture")]
impl<'v> StarlarkValue<'v> for PictureValue {
    fn equals(&self, other: Value<'v>) -> starlark::Result<bool> {
        Ok(Self::of(other).is_some_and(|other| other == self.0))
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
