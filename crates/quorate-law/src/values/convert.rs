//! Between the language's values and [`Datum`].

use quorate_kernel::Name;
use starlark::values::dict::{AllocDict, DictRef};
use starlark::values::list::{AllocList, ListRef};
use starlark::values::tuple::TupleRef;
use starlark::values::{FrozenValue, Heap, UnpackValue, Value, ValueLike};

use crate::datum::Datum;
use crate::errors::fault;
use crate::frame::RunFrame;
use crate::values::callable::{Callable, Receiver};
use crate::values::kind::{HandleValue, KindValue};
use crate::values::plain::{
    LedgerValue, ObjectValue, PictureValue, RecordValue, SquareValue, ThingValue,
};
use crate::values::time::{MomentValue, SpanValue};
use crate::words::with_article;

/// How deep lists may be nested where they enter or leave rule code.
const DEPTH_MAX: u32 = 32;

/// How many values may leave rule code in one piece.
const PIECES_MAX: u32 = 100_000;

/// A value that holds no others, on a heap of either sort: none for what holds others and for functions.
macro_rules! scalar {
    ($heap:expr, $datum:expr) => {
        match $datum {
            Datum::Int(int) => Some($heap.alloc(*int)),
            Datum::Text(text) => Some($heap.alloc(&**text)),
            Datum::Moment(moment) => Some($heap.alloc(MomentValue::Fixed(*moment))),
            Datum::Span(span) => Some($heap.alloc(SpanValue::Fixed(*span))),
            Datum::Square(square) => Some($heap.alloc(SquareValue(square.clone()))),
            Datum::Picture(picture) => Some($heap.alloc(PictureValue(picture.clone()))),
            Datum::Thing(thing) => Some($heap.alloc(ThingValue(thing.clone()))),
            Datum::Ledger(of, name) => Some($heap.alloc(LedgerValue((of.clone(), name.clone())))),
            Datum::Record(record) => Some($heap.alloc(RecordValue(record.clone()))),
            Datum::Object(number) => Some($heap.alloc(ObjectValue(*number))),
            _ => None,
        }
    };
}

/// A value as rule code may change it: a fresh list is the rule's own.
pub(crate) fn to_value<'v>(
    frame: &RunFrame,
    heap: Heap<'v>,
    datum: &Datum,
) -> starlark::Result<Value<'v>> {
    Ok(match datum {
        Datum::None => Value::new_none(),
        Datum::Bool(flag) => Value::new_bool(*flag),
        Datum::Function(name) => {
            let function = frame.code.function(name.as_str())?;
            heap.access_owned_frozen_value(&function)
        }
        Datum::List(items) => {
            let items = items.iter().map(|item| to_value(frame, heap, item));
            let items: Vec<_> = items.collect::<Result<_, _>>()?;
            heap.alloc(AllocList(items))
        }
        Datum::Dict(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                let key = to_value(frame, heap, key)?;
                key.get_hashed()?;
                Ok((key, to_value(frame, heap, value)?))
            });
            let entries: Vec<_> = entries.collect::<starlark::Result<_>>()?;
            heap.alloc(AllocDict(entries))
        }
        _ => scalar!(heap, datum).unwrap_or_else(Value::new_none),
    })
}

/// A value as it comes from the world: its lists cannot be changed in place, where the change would be lost.
pub(crate) fn to_frozen<'v>(
    frame: &RunFrame,
    heap: Heap<'v>,
    datum: &Datum,
) -> starlark::Result<Value<'v>> {
    if !matches!(datum, Datum::List(_) | Datum::Dict(_)) {
        return to_value(frame, heap, datum);
    }
    let value = freeze(frame, heap, datum)?;
    let free = frame.frozen.available_bytes();
    let bytes = frame.frozen.allocated_bytes().saturating_sub(free);
    frame.charge(bytes.saturating_sub(frame.charged.get()))?;
    frame.charged.set(bytes);
    Ok(value.to_value())
}

fn freeze(frame: &RunFrame, live: Heap<'_>, datum: &Datum) -> starlark::Result<FrozenValue> {
    let heap = &frame.frozen;
    Ok(match datum {
        Datum::None => FrozenValue::new_none(),
        Datum::Bool(flag) => FrozenValue::new_bool(*flag),
        Datum::Function(name) => {
            let function = frame.code.function(name.as_str())?;
            let value = live.access_owned_frozen_value(&function);
            value
                .unpack_frozen()
                .ok_or_else(|| fault("a function is not kept"))?
        }
        Datum::List(items) => {
            let items = items.iter().map(|item| freeze(frame, live, item));
            let items: Vec<_> = items.collect::<Result<_, _>>()?;
            heap.alloc(AllocList(items))
        }
        Datum::Dict(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                let key = freeze(frame, live, key)?;
                key.get_hashed()?;
                Ok((key, freeze(frame, live, value)?))
            });
            let entries: Vec<_> = entries.collect::<starlark::Result<_>>()?;
            heap.alloc(AllocDict(entries))
        }
        _ => scalar!(heap, datum).unwrap_or_else(FrozenValue::new_none),
    })
}

/// A value that leaves rule code; what is wrong with it, in words, where it cannot.
pub(crate) fn from_value(value: Value<'_>) -> Result<Datum, String> {
    let mut pieces = 0;
    leave(value, DEPTH_MAX, &mut pieces)
}

fn leave(value: Value<'_>, depth: u32, pieces: &mut u32) -> Result<Datum, String> {
    *pieces += 1;
    if depth == 0 || *pieces > PIECES_MAX {
        return Err("lists within lists without end".to_owned());
    }
    if let Some(datum) = plain(value) {
        return Ok(datum);
    }
    let mut each = |value| leave(value, depth - 1, pieces);
    let list = ListRef::from_value(value).map(ListRef::content);
    let tuple = || TupleRef::from_value(value).map(TupleRef::content);
    if let Some(items) = list.or_else(tuple) {
        let items = items.iter().map(|item| each(*item));
        return Ok(Datum::List(items.collect::<Result<_, _>>()?));
    }
    if let Some(dict) = DictRef::from_value(value) {
        let mut entries = Vec::with_capacity(dict.len());
        for (key, value) in dict.iter() {
            entries.push((each(key)?, each(value)?));
        }
        return Ok(Datum::Dict(entries.into()));
    }
    if let Some(name) = value.function_name() {
        return Ok(Datum::Function(Name::from(name)));
    }
    Err(match value.get_type() {
        "int" => "a number of more than 64 bits".to_owned(),
        other => with_article(other),
    })
}

fn plain(value: Value<'_>) -> Option<Datum> {
    if value.is_none() {
        return Some(Datum::None);
    }
    if let Some(flag) = value.unpack_bool() {
        return Some(Datum::Bool(flag));
    }
    if let Some(int) = value.unpack_i32() {
        return Some(Datum::Int(i64::from(int)));
    }
    if let Some(text) = value.unpack_str() {
        return Some(Datum::Text(text.into()));
    }
    let int = || i64::unpack_value(value).ok().flatten().map(Datum::Int);
    ThingValue::of(value)
        .map(Datum::Thing)
        .or_else(int)
        .or_else(|| Some(Datum::Moment(MomentValue::of(value)?.fixed())))
        .or_else(|| Some(Datum::Span(SpanValue::of(value)?.fixed())))
        .or_else(|| SquareValue::of(value).map(Datum::Square))
        .or_else(|| PictureValue::of(value).map(Datum::Picture))
        .or_else(|| RecordValue::of(value).map(Datum::Record))
        .or_else(|| LedgerValue::of(value).map(|(of, name)| Datum::Ledger(of, name)))
        .or_else(|| ObjectValue::of(value).map(Datum::Object))
        .or_else(|| Some(Datum::Text(named(value)?.as_str().into())))
}

/// The name that a handle stands for.
fn named(value: Value<'_>) -> Option<Name> {
    let handle = KindValue::of(value).or_else(|| HandleValue::of(value));
    handle.or_else(|| match &value.downcast_ref::<Callable>()?.receiver {
        Receiver::Quantity(name) => Some(name.clone()),
        _ => None,
    })
}
