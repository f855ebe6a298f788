//! What only a script's host understands.

use std::fmt;

use allocative::Allocative;
use starlark::any::ProvidesStaticType;
use starlark::starlark_simple_value;
use starlark::values::{
    Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, ValueLike, starlark_value,
};

use crate::frame::Frame;
use crate::script_host::Member;
use crate::stop::Stop;
use crate::values::callable::{Callable, Receiver};
use crate::values::convert::to_value;

#[derive(Clone, Debug, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
pub(crate) struct ObjectValue(pub(crate) u64);

starlark_simple_value!(ObjectValue);

impl fmt::Display for ObjectValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = Frame::current().and_then(|frame| frame.host.clone());
        match host {
            Some(host) => f.write_str(&host.show(self.0)),
            None => write!(f, "object {}", self.0),
        }
    }
}

#[starlark_value(type = "object")]
impl<'v> StarlarkValue<'v> for ObjectValue {
    fn equals(&self, other: Value<'v>) -> starlark::Result<bool> {
        let Some(other) = other.downcast_ref::<Self>() else {
            return Ok(false);
        };
        let host = Frame::running()?.host.clone();
        Ok(self.0 == other.0 || host.is_some_and(|host| host.same(self.0, other.0)))
    }

    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        let frame = Frame::current()?;
        let host = frame.host.clone()?;
        match host.get(self.0, attribute) {
            Ok(Member::Value(datum)) => match to_value(&frame, heap, &datum) {
                Ok(value) => Some(value),
                Err(error) => {
                    let text = error.without_diagnostic().to_string();
                    frame.stopped(Stop::fault(text));
                    None
                }
            },
            Ok(Member::Method) => {
                let receiver = Receiver::Object(self.0, attribute.to_owned());
                Callable::method("Object", "call", receiver).map(|method| heap.alloc(method))
            }
            Err(stop) => {
                frame.stopped(stop);
                None
            }
        }
    }

    fn set_attr(&self, attribute: &str, _value: Value<'v>) -> starlark::Result<()> {
        Err(crate::frame::fault(format!(
            "`{attribute}` cannot be assigned here; use `set`"
        )))
    }
}
