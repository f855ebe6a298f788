//! `range`, and operators that stop before they run away.

use starlark::values::list::{AllocList, ListRef};
use starlark::values::tuple::TupleRef;
use starlark::values::{Heap, Value};

use crate::errors::{fault, too_big};
use crate::frame::RunFrame;
use crate::measure::{VALUES_A_STEP, i64_of, measure};
use crate::values::callable::{Args, Eval, Native, NativeResult};

/// The longest text that rule code may make, in bytes.
pub(crate) const TEXT_MAX: usize = 256 << 10;

/// The longest list that rule code may make at once.
pub(crate) const LIST_MAX: usize = 100_000;

pub(crate) const NATIVES: &[Native] = &[("range", range), ("__iadd", add_in_place)];

pub(crate) fn too_long(frame: &RunFrame) -> starlark::Error {
    frame.limit(format!("a text grows beyond {} KiB", TEXT_MAX >> 10))
}

fn too_many(frame: &RunFrame) -> starlark::Error {
    frame.limit(format!("a list grows beyond {LIST_MAX} items"))
}

fn range<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (start, end) = match args.some(1) {
        Some(_) => (args.int(0)?, args.int(1)?),
        None => (0, args.int(0)?),
    };
    let step = args.int_or(2, 1)?;
    if step == 0 {
        return Err(fault("`range` wants a step other than 0"));
    }
    let (first, beyond) = if step > 0 { (start, end) } else { (end, start) };
    let distance = if first < beyond {
        first.abs_diff(beyond)
    } else {
        0
    };
    let count = distance.div_ceil(step.unsigned_abs());
    let items = usize::try_from(count).unwrap_or(usize::MAX);
    if count > LIST_MAX as u64 {
        return Err(args.frame.limit(format!(
            "`range` gives at most {LIST_MAX} numbers, not {count}"
        )));
    }
    args.frame.work(items / VALUES_A_STEP)?;
    // Each lies between start and end.
    let number = |nth: u64| i128::from(start) + i128::from(nth) * i128::from(step);
    let numbers = (0..count).map(|nth| i64::try_from(number(nth)).unwrap_or(end));
    Ok(args.heap.alloc(AllocList(numbers)))
}

fn ints(a: Value<'_>, b: Value<'_>) -> Option<(i64, i64)> {
    if let (Some(a), Some(b)) = (a.unpack_i32(), b.unpack_i32()) {
        return Some((i64::from(a), i64::from(b)));
    }
    if !is_int(a) || !is_int(b) {
        return None;
    }
    Some((i64_of(a)?, i64_of(b)?))
}

/// Numbers that are whole, and perhaps beyond 64 bits.
fn is_int(value: Value<'_>) -> bool {
    value.get_type() == "int"
}

/// What two numbers give; an error beyond 64 bits; nothing where one side is no number.
fn of_ints<'v>(
    a: Value<'v>,
    b: Value<'v>,
    heap: Heap<'v>,
    operate: fn(i64, i64) -> Option<i64>,
) -> Option<NativeResult<'v>> {
    let given = match ints(a, b) {
        Some((a, b)) => operate(a, b),
        None if is_int(a) && is_int(b) => None,
        None => return None,
    };
    Some(given.map(|int| heap.alloc(int)).ok_or_else(too_big))
}

/// The items of a list or tuple.
fn length(value: Value<'_>) -> Option<usize> {
    ListRef::from_value(value)
        .map(|list| list.len())
        .or_else(|| TupleRef::from_value(value).map(TupleRef::len))
}

fn check_sum(one: Value<'_>, other: Value<'_>) -> starlark::Result<()> {
    if let (Some(a), Some(b)) = (one.unpack_str(), other.unpack_str()) {
        let frame = RunFrame::running()?;
        if a.len() + b.len() > TEXT_MAX {
            return Err(too_long(&frame));
        }
        return frame.charge(a.len() + b.len());
    }
    if let (Some(a), Some(b)) = (length(one), length(other)) {
        let frame = RunFrame::running()?;
        if a + b > LIST_MAX {
            return Err(too_many(&frame));
        }
        frame.work((a + b) / VALUES_A_STEP)?;
        return frame.charge((a + b) * 8);
    }
    Ok(())
}

/// `a + b`.
pub(crate) fn add<'v>(a: Value<'v>, b: Value<'v>, heap: Heap<'v>) -> NativeResult<'v> {
    if let Some(sum) = of_ints(a, b, heap, i64::checked_add) {
        return sum;
    }
    check_sum(a, b)?;
    a.add(b, heap)
}

/// `x += y`: a list of the rule's own grows, one of the world's is replaced by a longer one.
fn add_in_place<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (a, b) = (args.value(0), args.value(1));
    let own = a.unpack_frozen().is_none();
    if own && let Some(list) = ListRef::from_value(a) {
        let more = args.list(1)?;
        if list.len() + more.len() > LIST_MAX {
            return Err(too_many(&args.frame));
        }
        args.frame.work(more.len() / VALUES_A_STEP)?;
        args.frame.charge(more.len() * 8)?;
        if let Some(Ok(Some(append))) = Some(a.get_attr("extend", args.heap)) {
            let more = args.heap.alloc(AllocList(more));
            eval.eval_function(append, &[more], &[])?;
        }
        return Ok(a);
    }
    if ListRef::from_value(a).is_some() && ListRef::from_value(b).is_none() {
        let more = args.heap.alloc(AllocList(args.list(1)?));
        check_sum(a, more)?;
        return a.add(more, args.heap);
    }
    add(a, b, args.heap)
}

/// `a - b`.
pub(crate) fn sub<'v>(a: Value<'v>, b: Value<'v>, heap: Heap<'v>) -> NativeResult<'v> {
    if let Some(difference) = of_ints(a, b, heap, i64::checked_sub) {
        return difference;
    }
    for side in [a, b] {
        measure(side, heap)?;
    }
    a.sub(b, heap)
}

/// `a * b`.
pub(crate) fn mul<'v>(a: Value<'v>, b: Value<'v>, heap: Heap<'v>) -> NativeResult<'v> {
    if let Some(product) = of_ints(a, b, heap, i64::checked_mul) {
        return product;
    }
    let (many, times) = if is_int(a) { (b, a) } else { (a, b) };
    if many.get_type() == "bytes" {
        return Err(fault("bytes are not offered: write texts"));
    }
    let size = many.unpack_str().map(str::len).or_else(|| length(many));
    if let Some(size) = size {
        let frame = RunFrame::running()?;
        let times = i64_of(times).unwrap_or(i64::MAX);
        let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
        let whole = size.saturating_mul(times);
        let is_text = many.unpack_str().is_some();
        if is_text && whole > TEXT_MAX {
            return Err(too_long(&frame));
        }
        if !is_text && whole > LIST_MAX {
            return Err(too_many(&frame));
        }
        frame.work(whole / VALUES_A_STEP)?;
        frame.charge(whole * 8)?;
    }
    a.mul(b, heap)
}

/// `a % b`.
pub(crate) fn percent<'v>(a: Value<'v>, b: Value<'v>, heap: Heap<'v>) -> NativeResult<'v> {
    if a.unpack_str().is_some() {
        return Err(fault(
            "`%` works on numbers; put values into a text with f\"{value}\"",
        ));
    }
    a.percent(b, heap)
}

/// `a // b`, rounded down.
pub(crate) fn divide<'v>(a: Value<'v>, b: Value<'v>, heap: Heap<'v>) -> NativeResult<'v> {
    if ints(a, b) == Some((i64::MIN, -1)) {
        return Err(too_big());
    }
    a.floor_div(b, heap)
}

/// `a << b`.
pub(crate) fn shift_left<'v>(a: Value<'v>, b: Value<'v>, heap: Heap<'v>) -> NativeResult<'v> {
    let shifted = of_ints(a, b, heap, |a, b| {
        let by = u32::try_from(b).ok().filter(|by| *by < 63)?;
        a.checked_mul(1_i64 << by)
    });
    shifted.unwrap_or_else(|| Err(fault("`<<` shifts whole numbers")))
}
