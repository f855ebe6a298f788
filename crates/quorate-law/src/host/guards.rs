//! Guards: what compiled rule code does with values passes through here first, and is charged by the size of what it
//! touches.
//!
//! The rewriting that puts them in is in [`crate::rewrite`]. Their names cannot be written by rule authors, for a
//! leading double underscore is refused. Three things hold for whatever the language does without asking us:
//!
//! - Nothing is compared, printed, hashed, sorted, looked through or given to a function before it was measured
//!   ([`crate::measure`]).
//! - What copies or looks through one level is charged by its length.
//! - Whole numbers fit 64 bits.

use starlark::values::dict::DictRef;
use starlark::values::{Heap, Value, ValueLike};

use crate::costs::BUILT_IN;
use crate::errors::{fault, too_big};
use crate::evaluate::used_bytes;
use crate::frame::RunFrame;
use crate::measure::{VALUES_A_STEP, i64_of, is_small, keep, length, measure, shallow};
use crate::values::callable::{Callable, NativeResult};
use crate::values::guard::{Guard, GuardValue};

use super::operators;

/// The longest text that is read as a number.
const DIGITS_MAX: usize = 100;

/// All guards.
pub(crate) const GUARDS: &[GuardValue] = &[
    one("__ok", |value, heap| {
        if !is_small(value) {
            measure(value, heap)?;
        }
        Ok(value)
    }),
    one("__say", say),
    one("__sort", sort),
    one("__build", |value, heap| {
        if !is_small(value) {
            let size = measure(value, heap)?;
            keep(16 * (size.values + size.bytes))?;
        }
        Ok(value)
    }),
    one("__in", |value, heap| {
        if is_small(value) || is_hashed(value) {
            return Ok(value);
        }
        measure(value, heap)?;
        Ok(value)
    }),
    one("__one", |value, _| {
        if !is_small(value) {
            shallow(value)?;
        }
        Ok(value)
    }),
    one("__at", |value, _| {
        // One place of a list or dictionary is found at once, that of a text by counting.
        if value.unpack_str().is_some() {
            shallow(value)?;
        }
        Ok(value)
    }),
    one("__each", |value, heap| {
        // The items of one list are made without a statement between them.
        RunFrame::running()?.settle_bytes(used_bytes(heap))?;
        Ok(value)
    }),
    two("__paid", |steps, value, _| {
        let steps = steps
            .unpack_i32()
            .and_then(|steps| usize::try_from(steps).ok());
        RunFrame::running()?.work(steps.unwrap_or(0))?;
        Ok(value)
    }),
    one("__key", |value, heap| {
        measure(value, heap)?;
        RunFrame::running()?.settle_bytes(used_bytes(heap))?;
        Ok(value)
    }),
    one("__whole", |value, _| {
        if value.unpack_i32().is_none() && value.get_type() == "int" && i64_of(value).is_none() {
            return Err(too_big());
        }
        Ok(value)
    }),
    one("__digits", |value, _| match value.unpack_str() {
        Some(text) if text.len() > DIGITS_MAX => Err(too_big()),
        _ => Ok(value),
    }),
    one("__fn", called_by_name),
    one("__attr", called_at_once),
    two("__add", operators::add),
    two("__sub", operators::sub),
    two("__mul", operators::mul),
    two("__mod", operators::percent),
    two("__div", operators::divide),
    two("__shl", operators::shift_left),
    two("__shr", |a, b, heap| {
        measured(a, b, heap)?.0.right_shift(b, heap)
    }),
    two("__and", |a, b, heap| {
        measured(a, b, heap)?.0.bit_and(b, heap)
    }),
    two("__xor", |a, b, heap| {
        measured(a, b, heap)?.0.bit_xor(b, heap)
    }),
];

const fn one(
    name: &'static str,
    run: for<'v> fn(Value<'v>, Heap<'v>) -> NativeResult<'v>,
) -> GuardValue {
    let guard = Guard::One(run);
    GuardValue { name, guard }
}

const fn two(
    name: &'static str,
    run: for<'v> fn(Value<'v>, Value<'v>, Heap<'v>) -> NativeResult<'v>,
) -> GuardValue {
    let guard = Guard::Two(run);
    GuardValue { name, guard }
}

/// Whether looking something up in a value takes the same time whatever it holds.
fn is_hashed(value: Value<'_>) -> bool {
    DictRef::from_value(value).is_some() || value.get_type() == "set"
}

/// What becomes text: each value of it takes long to word, and the text has to be kept.
fn say<'v>(value: Value<'v>, heap: Heap<'v>) -> NativeResult<'v> {
    if is_small(value) {
        return Ok(value);
    }
    let size = measure(value, heap)?;
    if size.values > 1 || size.bytes > 1024 {
        let frame = RunFrame::running()?;
        frame.work(size.values)?;
        frame.charge(size.bytes + 4 * size.values)?;
    }
    Ok(value)
}

/// What is sorted: each item is compared several times.
fn sort<'v>(value: Value<'v>, heap: Heap<'v>) -> NativeResult<'v> {
    let size = measure(value, heap)?;
    let items = length(value).unwrap_or(0).max(1);
    if items >= VALUES_A_STEP {
        RunFrame::running()?.work(size.steps() * items.ilog2() as usize)?;
        keep(16 * items)?;
    }
    Ok(value)
}

/// Two sides of an operator that looks through both.
fn measured<'v>(
    a: Value<'v>,
    b: Value<'v>,
    heap: Heap<'v>,
) -> starlark::Result<(Value<'v>, Value<'v>)> {
    for side in [a, b] {
        if !is_small(side) {
            measure(side, heap)?;
        }
    }
    Ok((a, b))
}

/// Whether a value is a function of the language itself or a method of its values, which charge nothing by themselves.
fn is_uncharged(value: Value<'_>) -> bool {
    if value.get_type() != "function" || value.downcast_ref::<Callable>().is_some() {
        return false;
    }
    value
        .function_name()
        .is_none_or(|name| BUILT_IN.iter().any(|built_in| built_in.name == name))
}

/// What is called without being known: a function with a name, or nothing.
fn called_by_name<'v>(value: Value<'v>, _heap: Heap<'v>) -> NativeResult<'v> {
    if is_uncharged(value) {
        return Err(fault(
            "functions of the language are called by their own names, not passed on",
        ));
    }
    if is_small(value) || value.unpack_str().is_some() || length(value).is_some() {
        return Err(fault(format!(
            "this is no function but of type {}",
            value.get_type()
        )));
    }
    Ok(value)
}

/// An attribute that has the name of a method and is not called: a value of the game, or an error.
fn called_at_once<'v>(value: Value<'v>, _heap: Heap<'v>) -> NativeResult<'v> {
    if is_uncharged(value) && value.function_name().is_none() {
        return Err(fault("methods are called, not passed on"));
    }
    Ok(value)
}
