//! How large values are, and what it costs to touch them.
//!
//! A value is measured before anything calls itself over it. The measure walks it as a tree without calling itself and gives
//! up at [`DEPTH_MAX`] levels and [`TREE_MAX`] values, so neither a deep value nor a shared one can exhaust stack or time.

use std::collections::BTreeSet;

use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::tuple::TupleRef;
use starlark::values::{Heap, UnpackValue, Value};

use crate::frame::RunFrame;

/// How deep lists, tuples and dictionaries may stand within one another where they are used.
pub(crate) const DEPTH_MAX: u32 = 64;

/// How many values something may hold, counted as a tree, where it is used as a whole.
pub(crate) const TREE_MAX: usize = 100_000;

/// How many values, or items of a list, are walked for a step.
pub(crate) const VALUES_A_STEP: usize = 16;

/// How many bytes of text are walked for a step.
pub(crate) const BYTES_A_STEP: usize = 512;

/// A whole number of at most 64 bits.
pub(crate) fn i64_of(value: Value<'_>) -> Option<i64> {
    i64::unpack_value(value).ok().flatten()
}

/// Whether a value is sure to be small: the fast way round, taken by numbers and flags.
pub(crate) fn is_small(value: Value<'_>) -> bool {
    value.unpack_i32().is_some() || value.is_none() || value.unpack_bool().is_some()
}

/// How large a value is, as a tree.
#[derive(Clone, Copy, Default)]
pub(crate) struct Size {
    /// Values in it, itself included.
    pub(crate) values: usize,
    /// Bytes of its texts.
    pub(crate) bytes: usize,
}

impl Size {
    /// What it costs to walk it.
    pub(crate) fn steps(self) -> usize {
        self.values / VALUES_A_STEP + self.bytes / BYTES_A_STEP
    }
}

/// Why a value has no size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unmeasured {
    /// It is nested more than [`DEPTH_MAX`] deep.
    Deep,
    /// It holds more values than allowed.
    Large,
}

/// Passes on what a list, tuple, dictionary or set holds; false for any other value.
fn each_part<'v>(value: Value<'v>, heap: Heap<'v>, mut part: impl FnMut(Value<'v>)) -> bool {
    if let Some(list) = ListRef::from_value(value) {
        list.iter().for_each(part);
    } else if let Some(tuple) = TupleRef::from_value(value) {
        tuple.iter().for_each(part);
    } else if let Some(dict) = DictRef::from_value(value) {
        for (key, value) in dict.iter() {
            part(key);
            part(value);
        }
    } else if value.get_type() == "set"
        && let Ok(items) = value.iterate(heap)
    {
        items.for_each(part);
    } else {
        return false;
    }
    true
}

/// How many items a list, tuple, dictionary or set has; none for any other value.
pub(crate) fn length(value: Value<'_>) -> Option<usize> {
    let list = ListRef::from_value(value).map(|list| list.len());
    list.or_else(|| TupleRef::from_value(value).map(TupleRef::len))
        .or_else(|| Some(DictRef::from_value(value)?.len()))
        .or_else(|| match value.get_type() {
            "set" => usize::try_from(value.length().ok()?).ok(),
            _ => None,
        })
}

/// Walks a value as a tree, up to so many values. What is held twice counts twice.
pub(crate) fn size_of<'v>(
    value: Value<'v>,
    heap: Heap<'v>,
    max: usize,
) -> Result<Size, Unmeasured> {
    let mut size = Size::default();
    let mut stack: Vec<(Value<'v>, u32)> = Vec::new();
    let mut next = Some((value, 1));
    while let Some((value, depth)) = next {
        size.values += 1;
        if let Some(text) = value.unpack_str() {
            size.bytes += text.len();
        } else if length(value).is_some_and(|items| items > max) {
            return Err(Unmeasured::Large);
        } else if !is_small(value) {
            each_part(value, heap, |part| stack.push((part, depth + 1)));
            if depth > DEPTH_MAX {
                return Err(Unmeasured::Deep);
            }
        }
        if size.values + stack.len() > max {
            return Err(Unmeasured::Large);
        }
        next = stack.pop();
    }
    Ok(size)
}

/// Measures what is about to be used as a whole, and charges it.
pub(crate) fn measure<'v>(value: Value<'v>, heap: Heap<'v>) -> starlark::Result<Size> {
    if let Some(text) = value.unpack_str() {
        let bytes = text.len();
        let size = Size { values: 1, bytes };
        if bytes >= BYTES_A_STEP {
            RunFrame::running()?.work(size.steps())?;
        }
        return Ok(size);
    }
    if length(value).is_none() {
        return Ok(Size::default());
    }
    let frame = RunFrame::running()?;
    let size = size_of(value, heap, TREE_MAX).map_err(|why| {
        frame.limit(match why {
            Unmeasured::Deep => format!("values nest more than {DEPTH_MAX} deep"),
            Unmeasured::Large => "lists within lists grow without end".to_owned(),
        })
    })?;
    frame.work(size.steps())?;
    Ok(size)
}

/// Charges what looks through a value or copies it, but not what it holds.
pub(crate) fn shallow(value: Value<'_>) -> starlark::Result<()> {
    let (steps, bytes) = if let Some(text) = value.unpack_str() {
        (text.len() / BYTES_A_STEP, text.len())
    } else {
        let items = length(value).unwrap_or(0);
        (items / VALUES_A_STEP, 16 * items)
    };
    if steps == 0 {
        return Ok(());
    }
    RunFrame::running()?.work(steps)?;
    keep(bytes)
}

/// Charges what is about to be made of a value before it is there; what is small is noticed soon enough by itself.
pub(crate) fn keep(bytes: usize) -> starlark::Result<()> {
    if bytes < 4096 {
        return Ok(());
    }
    RunFrame::running()?.charge(bytes)
}

/// Whether a value can be kept with a law or a test file: it is no larger than what can be used, and no function in it
/// stands inside another, which could hold on to others without end.
pub(crate) fn can_be_kept<'v>(value: Value<'v>, heap: Heap<'v>, inner: &BTreeSet<String>) -> bool {
    let mut stack = vec![value];
    if size_of(value, heap, TREE_MAX * 10).is_err() {
        return false;
    }
    while let Some(value) = stack.pop() {
        if value
            .function_name()
            .is_some_and(|name| inner.contains(name))
        {
            return false;
        }
        each_part(value, heap, |part| stack.push(part));
    }
    true
}

#[cfg(test)]
mod tests {
    use starlark::values::tuple::AllocTuple;

    use super::*;

    #[test]
    fn a_tree_is_counted_as_often_as_it_is_held() {
        Heap::temp(|heap| {
            let mut value = heap.alloc(1_i32);
            for _ in 0..10 {
                value = heap.alloc(AllocTuple([value, value]));
            }
            assert_eq!(size_of(value, heap, 100_000).map(|s| s.values), Ok(2047));
            assert_eq!(size_of(value, heap, 2000).err(), Some(Unmeasured::Large));
            for _ in 0..DEPTH_MAX {
                value = heap.alloc(AllocTuple([value]));
            }
            assert_eq!(size_of(value, heap, 100_000).err(), Some(Unmeasured::Deep));
        });
    }
}
