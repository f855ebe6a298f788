//! A generic host for scripts that are not law: test files.

use crate::datum::Datum;
use crate::frame::fault;
use crate::stop::{Answer, Stop};
use crate::values::callable::{Args, Native, Receiver};
use crate::values::convert::to_value;
use crate::world::Named;
use starlark::eval::Evaluator;
use starlark::values::Value;

/// What an attribute of a host's object is.
#[derive(Clone, PartialEq, Debug)]
pub enum Member {
    /// A value.
    Value(Datum),
    /// A method, to be called.
    Method,
}

/// What stands behind a script: its functions, and the objects that they give out by number.
pub trait Host {
    /// Calls a function (no object) or a method.
    fn call(
        &self,
        object: Option<u64>,
        name: &str,
        args: Vec<Datum>,
        named: Named,
    ) -> Result<Datum, Stop>;
    /// Reads an attribute of an object.
    fn get(&self, object: u64, attribute: &str) -> Result<Member, Stop>;
    /// Whether two objects are the same thing.
    fn same(&self, one: u64, other: u64) -> bool {
        one == other
    }
    /// How an object is printed.
    fn show(&self, object: u64) -> String {
        format!("object {object}")
    }
}

#[rustfmt::skip]
pub(crate) fn natives() -> Vec<Native> {
    vec![
        Native { signature: "Host.call(*args: Any, **named: Any) -> Any", run: hosted, doc: "" },
        Native { signature: "Object.call(*args: Any, **named: Any) -> Any", run: hosted, doc: "" },
    ]
}

fn hosted<'v>(
    args: &Args<'v, '_>,
    _eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    let Some(host) = args.frame.host.clone() else {
        return Err(fault("this needs a host"));
    };
    let (object, name) = match args.receiver {
        Receiver::Object(object, name) => (Some(*object), name),
        Receiver::Hosted(name) => (None, name),
        _ => return Err(fault("this needs a host")),
    };
    let answer: Answer<Datum> = host.call(object, name, args.data(0)?, args.kwargs(1)?);
    to_value(&args.frame, args.heap, &args.frame.answer(answer)?)
}
