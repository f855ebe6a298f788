//! Between the language's values and [`Datum`].

use quorate_kernel::Name;
use starlark::values::dict::{AllocDict, DictRef};
use starlark::values::list::{AllocList, ListRef};
use starlark::values::tuple::TupleRef;
use starlark::values::{FrozenValue, Heap, UnpackValue, Value, ValueLike};

use crate::datum::Datum;
use crate::frame::{Frame, fault};
use crate::values::callable::{Callable, Receiver};
use crate::values::kind::{Declared, KindValue};
use crate::values::object::ObjectValue;
use crate::values::picture::PictureValue;
use crate::values::record::RecordValue;
use crate::values::square::{LedgerValue, SquareValue};
use crate::values::thing::ThingValue;
use crate::values::time::{MomentValue, SpanValue};

/// How deep lists may be nested where they enter or leave rule code.
const DEPTH_MAX: u32 = 32;

/// How many values may leave rule code in one piece.
const PIECES_MAX: u32 = 100_000;

/// A value as rule code may change it: a fresh list is the rule's own.
pub(crate) fn to_value<'v>(
    frame: &Frame,
    heap: Heap<'v>,
    datum: &Datum,
) -> starlark::Result<Value<'v>> {
    Ok(match datum {
        Datum::List(items) => {
            let items: Vec<_> = items
                .iter()
                .map(|item| to_value(frame, heap, item))
                .collect::<Result<_, _>>()?;
            heap.alloc(AllocList(items))
        }
        Datum::Dict(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| {
                    Ok((to_value(frame, heap, key)?, to_value(frame, heap, value)?))
                })
                .collect::<starlark::Result<_>>()?;
            heap.alloc(AllocDict(entries))
        }
        _ => scalar(frame, heap, datum)?,
    })
}

/// A value as it comes from the world: its lists cannot be changed in place, where the change would be lost.
pub(crate) fn to_frozen<'v>(
    frame: &Frame,
    heap: Heap<'v>,
    datum: &Datum,
) -> starlark::Result<Value<'v>> {
    if !matches!(datum, Datum::List(_) | Datum::Dict(_)) {
        return scalar(frame, heap, datum);
    }
    let value = freeze(frame, heap, datum)?;
    let free = frame.frozen.available_bytes();
    let bytes = frame.frozen.allocated_bytes().saturating_sub(free);
    frame.charge(bytes.saturating_sub(frame.charged.get()))?;
    frame.charged.set(bytes);
    Ok(value.to_value())
}

fn scalar<'v>(frame: &Frame, heap: Heap<'v>, datum: &Datum) -> starlark::Result<Value<'v>> {
    Ok(match datum {
        Datum::None => Value::new_none(),
        Datum::Bool(flag) => Value::new_bool(*flag),
        Datum::Int(int) => heap.alloc(*int),
        Datum::Text(text) => heap.alloc(&**text),
        Datum::Moment(moment) => heap.alloc(MomentValue::Fixed(*moment)),
        Datum::Span(span) => heap.alloc(SpanValue::Fixed(*span)),
        Datum::Square(square) => heap.alloc(SquareValue(square.clone())),
        Datum::Picture(picture) => heap.alloc(PictureValue(picture.clone())),
        Datum::Thing(thing) => heap.alloc(ThingValue(thing.clone())),
        Datum::Function(name) => {
            let function = frame.code.function(name.as_str())?;
            heap.access_owned_frozen_value(&function)
        }
        Datum::Ledger(of, name) => heap.alloc(LedgerValue(of.clone(), name.clone())),
        Datum::Record(record) => heap.alloc(RecordValue(record.clone())),
        Datum::Object(number) => heap.alloc(ObjectValue(*number)),
        Datum::List(_) | Datum::Dict(_) => return Err(fault("a list is not a plain value")),
    })
}

fn freeze(frame: &Frame, live: Heap<'_>, datum: &Datum) -> starlark::Result<FrozenValue> {
    let heap = &frame.frozen;
    Ok(match datum {
        Datum::None => FrozenValue::new_none(),
        Datum::Bool(flag) => FrozenValue::new_bool(*flag),
        Datum::Int(int) => heap.alloc(*int),
        Datum::Text(text) => heap.alloc(&**text),
        Datum::Moment(moment) => heap.alloc(MomentValue::Fixed(*moment)),
        Datum::Span(span) => heap.alloc(SpanValue::Fixed(*span)),
        Datum::Square(square) => heap.alloc(SquareValue(square.clone())),
        Datum::Picture(picture) => heap.alloc(PictureValue(picture.clone())),
        Datum::Thing(thing) => heap.alloc(ThingValue(thing.clone())),
        Datum::Function(name) => {
            let function = frame.code.function(name.as_str())?;
            let value = live.access_owned_frozen_value(&function);
            value
                .unpack_frozen()
                .ok_or_else(|| fault("a function is not kept"))?
        }
        Datum::Ledger(of, name) => heap.alloc(LedgerValue(of.clone(), name.clone())),
        Datum::Record(record) => heap.alloc(RecordValue(record.clone())),
        Datum::Object(number) => heap.alloc(ObjectValue(*number)),
        Datum::List(items) => {
            let items: Vec<_> = items
                .iter()
                .map(|item| freeze(frame, live, item))
                .collect::<Result<_, _>>()?;
            heap.alloc(AllocList(items))
        }
        Datum::Dict(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| Ok((freeze(frame, live, key)?, freeze(frame, live, value)?)))
                .collect::<starlark::Result<_>>()?;
            heap.alloc(AllocDict(entries))
        }
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
    if let Some(list) = ListRef::from_value(value) {
        let items: Result<Vec<_>, _> = list.iter().map(&mut each).collect();
        return Ok(Datum::List(items?.into()));
    }
    if let Some(tuple) = TupleRef::from_value(value) {
        let items: Result<Vec<_>, _> = tuple.iter().map(&mut each).collect();
        return Ok(Datum::List(items?.into()));
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
        other => crate::with_article(other),
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
    if let Some(thing) = ThingValue::of(value) {
        return Some(Datum::Thing(thing));
    }
    if let Ok(Some(int)) = i64::unpack_value(value) {
        return Some(Datum::Int(int));
    }
    if let Some(moment) = MomentValue::of(value) {
        return Some(Datum::Moment(moment.moment()));
    }
    if let Some(span) = SpanValue::of(value) {
        return Some(Datum::Span(span.span()));
    }
    if let Some(square) = SquareValue::of(value) {
        return Some(Datum::Square(square));
    }
    if let Some(picture) = PictureValue::of(value) {
        return Some(Datum::Picture(picture));
    }
    if let Some(record) = RecordValue::of(value) {
        return Some(Datum::Record(record));
    }
    if let Some(ledger) = value.downcast_ref::<LedgerValue>() {
        return Some(Datum::Ledger(ledger.0.clone(), ledger.1.clone()));
    }
    if let Some(object) = value.downcast_ref::<ObjectValue>() {
        return Some(Datum::Object(object.0));
    }
    if let Some(kind) = KindValue::of(value).or_else(|| Declared::of(value)) {
        return Some(Datum::Text(kind.as_str().into()));
    }
    if let Some(callable) = value.downcast_ref::<Callable>()
        && let Receiver::Quantity(name) = &callable.receiver
    {
        return Some(Datum::Text(name.as_str().into()));
    }
    None
}
