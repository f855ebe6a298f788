//! A guard as a value: a native of one or two arguments that compiled rule code calls without naming it. It finds its run
//! only where it has something to charge, so that guarding numbers and handles costs next to nothing.

use std::fmt;

use allocative::Allocative;
use starlark::any::ProvidesStaticType;
use starlark::eval::{Arguments, Evaluator};
use starlark::starlark_simple_value;
use starlark::values::{
    Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, starlark_value,
};

use crate::values::callable::NativeResult;

/// The code of a guard.
#[derive(Clone, Copy)]
pub(crate) enum Guard {
    /// Of one value.
    One(for<'v> fn(Value<'v>, Heap<'v>) -> NativeResult<'v>),
    /// Of two, as operators are.
    Two(for<'v> fn(Value<'v>, Value<'v>, Heap<'v>) -> NativeResult<'v>),
}

/// A guard with its name.
#[derive(Clone, Copy, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
pub(crate) struct GuardValue {
    pub(crate) name: &'static str,
    #[allocative(skip)]
    pub(crate) guard: Guard,
}

starlark_simple_value!(GuardValue);

impl fmt::Debug for GuardValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for GuardValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[starlark_value(type = "guard")]
impl<'v> StarlarkValue<'v> for GuardValue {
    fn invoke(
        &self,
        _me: Value<'v>,
        arguments: &Arguments<'v, '_>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let heap = eval.heap();
        match self.guard {
            Guard::One(run) => run(arguments.positional1(heap)?, heap),
            Guard::Two(run) => {
                let [one, two] = arguments.positional(heap)?;
                run(one, two, heap)
            }
        }
    }
}
