//! `range`, and guards that compiled rule code calls without naming them: operators that stop before they run away.
//!
//! The rewriting that puts them in is in [`crate::rewrite`]. Their names cannot be written by rule authors, for a
//! leading double underscore is refused.

use starlark::values::dict::DictRef;
use starlark::values::list::{AllocList, ListRef};
use starlark::values::tuple::TupleRef;
use starlark::values::{UnpackValue, Value};

use crate::errors::fault;
use crate::evaluate::used_bytes;
use crate::frame::{RunFrame, memory_limit};
use crate::values::callable::{Args, Eval, Native, NativeResult};

/// The longest text that rule code may make, in bytes.
pub(crate) const TEXT_MAX: usize = 256 << 10;

/// The longest list that rule code may make at once.
pub(crate) const LIST_MAX: usize = 100_000;

/// How many values something may hold, counted as a tree, to be compared, printed or sorted.
pub(crate) const TREE_MAX: usize = 100_000;

/// How many values a tuple may hold, counted as a tree: tuples are keys, and keys are hashed.
pub(crate) const TUPLE_MAX: usize = 1_000;

pub(crate) const NATIVES: &[Native] = &[
    ("range", range),
    ("__ok", ok),
    ("__tuple", tuple),
    ("__each", each),
    ("__add", add),
    ("__sub", sub),
    ("__mul", mul),
    ("__mod", percent),
    ("__shl", shift),
    ("__iadd", add_in_place),
];

pub(crate) fn too_big() -> starlark::Error {
    fault("a number leaves 64 bits")
}

pub(crate) fn too_long(frame: &RunFrame) -> starlark::Error {
    frame.limit(format!("a text grows beyond {} KiB", TEXT_MAX >> 10))
}

fn too_nested(frame: &RunFrame) -> starlark::Error {
    frame.limit("tuples within tuples grow without end")
}

/// Whether a value is a tuple that holds tuples.
fn tuples(value: Value<'_>) -> bool {
    TupleRef::from_value(value).is_some_and(|tuple| {
        tuple
            .iter()
            .any(|item| TupleRef::from_value(item).is_some())
    })
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
    let distance = if step > 0 {
        end.saturating_sub(start)
    } else {
        start.saturating_sub(end)
    };
    let unit = step.unsigned_abs();
    let count = u64::try_from(distance).unwrap_or(0).div_ceil(unit);
    if count > LIST_MAX as u64 {
        return Err(args.frame.limit(format!(
            "`range` gives at most {LIST_MAX} numbers, not {count}"
        )));
    }
    let numbers =
        (0..count).map(|i| start + i64::try_from(i).unwrap_or(i64::MAX).saturating_mul(step));
    Ok(args.heap.alloc(AllocList(numbers)))
}

/// Passes on what a list, tuple or dictionary holds; false for any other value.
fn each_part<'v>(value: Value<'v>, mut part: impl FnMut(Value<'v>)) -> bool {
    if let Some(list) = ListRef::from_value(value) {
        list.iter().for_each(part);
    } else if let Some(tuple) = TupleRef::from_value(value) {
        tuple.iter().for_each(part);
    } else if let Some(dict) = DictRef::from_value(value) {
        for (key, value) in dict.iter() {
            part(key);
            part(value);
        }
    } else {
        return false;
    }
    true
}

/// Counts what a value holds, as a tree, up to a limit; none beyond it.
pub(crate) fn tree_size(value: Value<'_>, max: usize) -> Option<usize> {
    let mut stack = vec![value];
    let mut count = 0;
    while let Some(value) = stack.pop() {
        count += 1;
        each_part(value, |part| stack.push(part));
        if count + stack.len() > max {
            return None;
        }
    }
    Some(count)
}

/// Whether a value is nested more deeply than so many levels.
pub(crate) fn depth_exceeds(value: Value<'_>, max: usize) -> bool {
    let mut stack = vec![(value, 0)];
    let mut looked = 0;
    while let Some((value, depth)) = stack.pop() {
        looked += 1;
        if depth > max || looked > TREE_MAX * 10 {
            return true;
        }
        each_part(value, |part| stack.push((part, depth + 1)));
    }
    false
}

/// Passes on what may be compared, printed, hashed or sorted in reasonable time.
fn ok<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let value = args.value(0);
    if let Some(text) = value.unpack_str() {
        if text.len() > TEXT_MAX {
            return Err(too_long(&args.frame));
        }
        if text.len() > 1024 {
            args.frame.charge(text.len())?;
        }
    } else if tree_size(value, TREE_MAX).is_none() {
        return Err(args.frame.limit("lists within lists grow without end"));
    }
    Ok(value)
}

fn tuple<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let value = args.value(0);
    // A list in a tuple is no key; only what tuples hold of tuples is hashed with them.
    if tuples(value) && tree_size(value, TUPLE_MAX).is_none() {
        return Err(too_nested(&args.frame));
    }
    Ok(value)
}

/// Passes on an item of a comprehension while there is memory left.
fn each<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let used = used_bytes(eval.heap());
    if used > args.frame.budget.bytes_left() {
        return Err(args.frame.limit(memory_limit(&args.frame.budget)));
    }
    Ok(args.value(0))
}

fn ints(a: Value<'_>, b: Value<'_>) -> Option<(i64, i64)> {
    if let (Some(a), Some(b)) = (a.unpack_i32(), b.unpack_i32()) {
        return Some((i64::from(a), i64::from(b)));
    }
    if a.get_type() != "int" || b.get_type() != "int" {
        return None;
    }
    Some((i64::unpack_value(a).ok()??, i64::unpack_value(b).ok()??))
}

/// Numbers that are whole but beyond 64 bits, which only a literal can bring.
fn is_int(value: Value<'_>) -> bool {
    value.get_type() == "int"
}

/// The items of a list or tuple.
fn length(value: Value<'_>) -> Option<usize> {
    ListRef::from_value(value)
        .map(|list| list.len())
        .or_else(|| TupleRef::from_value(value).map(TupleRef::len))
}

fn check_sum(frame: &RunFrame, one: Value<'_>, other: Value<'_>) -> starlark::Result<()> {
    if is_int(one) && is_int(other) {
        return Err(too_big());
    }
    if let (Some(a), Some(b)) = (one.unpack_str(), other.unpack_str()) {
        if a.len() + b.len() > TEXT_MAX {
            return Err(too_long(frame));
        }
        return frame.charge(a.len() + b.len());
    }
    if let (Some(a), Some(b)) = (length(one), length(other)) {
        if a + b > LIST_MAX {
            return Err(too_many(frame));
        }
        if tuples(one) || tuples(other) {
            let (one, other) = (tree_size(one, TUPLE_MAX), tree_size(other, TUPLE_MAX));
            let tree = one.zip(other).map(|(one, other)| one + other);
            if tree.is_none_or(|tree| tree > TUPLE_MAX) {
                return Err(too_nested(frame));
            }
        }
        return frame.charge((a + b) * 8);
    }
    Ok(())
}

fn add<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (a, b) = (args.value(0), args.value(1));
    if let Some((a, b)) = ints(a, b) {
        return Ok(args.heap.alloc(a.checked_add(b).ok_or_else(too_big)?));
    }
    check_sum(&args.frame, a, b)?;
    a.add(b, args.heap)
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
        args.frame.charge(more.len() * 8)?;
        if let Some(Ok(Some(append))) = Some(a.get_attr("extend", args.heap)) {
            let more = args.heap.alloc(AllocList(more));
            eval.eval_function(append, &[more], &[])?;
        }
        return Ok(a);
    }
    if ListRef::from_value(a).is_some() && ListRef::from_value(b).is_none() {
        let more = args.heap.alloc(AllocList(args.list(1)?));
        check_sum(&args.frame, a, more)?;
        return a.add(more, args.heap);
    }
    add(args, eval)
}

fn sub<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (a, b) = (args.value(0), args.value(1));
    if let Some((a, b)) = ints(a, b) {
        return Ok(args.heap.alloc(a.checked_sub(b).ok_or_else(too_big)?));
    }
    if is_int(a) && is_int(b) {
        return Err(too_big());
    }
    a.sub(b, args.heap)
}

fn mul<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (a, b) = (args.value(0), args.value(1));
    if let Some((a, b)) = ints(a, b) {
        return Ok(args.heap.alloc(a.checked_mul(b).ok_or_else(too_big)?));
    }
    if is_int(a) && is_int(b) {
        return Err(too_big());
    }
    let (many, times) = if is_int(a) { (b, a) } else { (a, b) };
    let size = many.unpack_str().map(str::len).or_else(|| length(many));
    if let Some(size) = size {
        let times = i64::unpack_value(times).ok().flatten().unwrap_or(i64::MAX);
        let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
        let whole = size.saturating_mul(times);
        if many.unpack_str().is_some() && whole > TEXT_MAX {
            return Err(too_long(&args.frame));
        }
        if whole > LIST_MAX {
            return Err(too_many(&args.frame));
        }
        args.frame.charge(whole * 8)?;
        let tree = tree_size(many, TUPLE_MAX).and_then(|size| size.checked_mul(times));
        if tuples(many) && tree.is_none_or(|tree| tree > TUPLE_MAX) {
            return Err(too_nested(&args.frame));
        }
    }
    a.mul(b, args.heap)
}

fn percent<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (a, b) = (args.value(0), args.value(1));
    if a.unpack_str().is_some() {
        return Err(fault(
            "`%` works on numbers; put values into a text with f\"{value}\"",
        ));
    }
    a.percent(b, args.heap)
}

fn shift<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (a, b) = (args.int(0)?, args.int(1)?);
    let shifted = u32::try_from(b)
        .ok()
        .and_then(|b| a.checked_mul(1_i64.checked_shl(b)?));
    match shifted {
        Some(shifted) if b < 63 => Ok(args.heap.alloc(shifted)),
        _ => Err(too_big()),
    }
}

#[cfg(test)]
mod tests {
    use starlark::values::Heap;
    use starlark::values::tuple::AllocTuple;

    use super::*;

    #[test]
    fn a_tree_is_counted_as_often_as_it_is_held() {
        Heap::temp(|heap| {
            let mut value = heap.alloc(1_i32);
            for _ in 0..10 {
                value = heap.alloc(AllocTuple([value, value]));
            }
            assert_eq!(tree_size(value, 100_000), Some(2047));
            assert_eq!(tree_size(value, 2000), None);
        });
    }
}
