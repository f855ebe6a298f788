//! What only a script's host understands.

use std::fmt;
use std::hash::Hash;

use starlark::collections::StarlarkHasher;
use starlark::values::{Heap, StarlarkValue, Value, starlark_value};

use crate::errors::fault;
use crate::frame::RunFrame;
use crate::objects::Member;
use crate::stop::Stop;
use crate::values::callable::{Callable, Receiver};
use crate::values::convert::to_value;
use crate::values::plain::ObjectValue;

impl fmt::Display for ObjectValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = RunFrame::current().and_then(|frame| frame.host.clone());
        match host {
            Some(host) => f.write_str(&host.show(self.0)),
            None => write!(f, "object {}", self.0),
        }
    }
}

#[starlark_value(type = "object")]
impl<'v> StarlarkValue<'v> for ObjectValue {
    fn equals(&self, other: Value<'v>) -> starlark::Result<bool> {
        let Some(other) = Self::of(other) else {
            return Ok(false);
        };
        let host = RunFrame::running()?.host.clone();
        Ok(self.0 == other || host.is_some_and(|host| host.same(self.0, other)))
    }

    fn write_hash(&self, hasher: &mut StarlarkHasher) -> starlark::Result<()> {
        // Which of them are the same the host alone knows, so all have one hash.
        "object".hash(hasher);
        Ok(())
    }

    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        let frame = RunFrame::current()?;
        let host = frame.host.clone()?;
        let read = host.get(self.0, attribute).and_then(|member| match member {
            Member::Value(datum) => to_value(&frame, heap, &datum)
                .map(Some)
                .map_err(|error| Stop::fault(error.without_diagnostic().to_string())),
            Member::Method => {
                let receiver = Receiver::Object(self.0, attribute.to_owned());
                Ok(Callable::method("Object", "call", receiver, heap))
            }
        });
        read.map_err(|stop| frame.stopped(stop)).ok().flatten()
    }

    fn set_attr(&self, attribute: &str, _value: Value<'v>) -> starlark::Result<()> {
        Err(fault(format!(
            "`{attribute}` cannot be assigned here; use `set`"
        )))
    }
}
