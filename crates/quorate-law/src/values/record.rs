//! Plain facts: icons, changes, attempts, limits, scopes.

use std::fmt;
use std::sync::Arc;

use starlark::values::{Heap, StarlarkValue, Value, starlark_value};

use crate::datum::Datum;
use crate::frame::RunFrame;
use crate::values::callable::{Callable, Receiver};
use crate::values::convert::to_frozen;
use crate::values::plain::RecordValue;
use crate::words::with_article;

impl fmt::Display for RecordValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get("name") {
            Some(Datum::Text(name)) => f.write_str(name),
            _ => f.write_str(&with_article(&self.0.kind.to_lowercase())),
        }
    }
}

#[starlark_value(type = "record")]
impl<'v> StarlarkValue<'v> for RecordValue {
    fn equals(&self, other: Value<'v>) -> starlark::Result<bool> {
        Ok(Self::of(other).is_some_and(|other| other == self.0))
    }

    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        if let Some(datum) = self.0.get(attribute) {
            let frame = RunFrame::current()?;
            frame.share(1);
            return to_frozen(&frame, heap, datum).ok();
        }
        let receiver = Receiver::Record(Arc::clone(&self.0));
        Callable::method(self.0.kind, attribute, receiver, heap)
    }

    fn dir_attr(&self) -> Vec<String> {
        let names = self.0.fields.iter();
        names.map(|(name, _)| (*name).to_owned()).collect()
    }
}
