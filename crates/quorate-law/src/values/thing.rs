//! Players, posts, rows: what is read of them and written to them.

use std::fmt;
use std::hash::Hash;

use quorate_kernel::{Name, Thing};
use starlark::collections::StarlarkHasher;
use starlark::values::{Heap, StarlarkValue, Value, starlark_value};

use crate::errors::fault;
use crate::frame::RunFrame;
use crate::stop::Stop;
use crate::values::convert::{from_value, to_frozen};
use crate::values::plain::ThingValue;

/// How people call a thing.
pub(crate) fn called(thing: &Thing) -> String {
    let known = RunFrame::current().and_then(|frame| Some(frame.world.as_ref()?.label(thing)));
    known.unwrap_or_else(|| thing.to_string())
}

/// The kind of a thing, for messages.
pub(crate) fn kind_of(thing: &Thing) -> Name {
    let known = RunFrame::current().and_then(|frame| frame.world.as_ref()?.kind(thing).ok());
    known.unwrap_or_else(|| {
        Name::from(match thing {
            Thing::Game => "Game",
            Thing::Player(_) => "Player",
            Thing::Entity(_) => "thing",
            Thing::Post(_) => "Post",
            Thing::Comment(..) => "Comment",
            Thing::Row(row) => return row.table.clone(),
            Thing::Rule(_) => "Rule",
        })
    })
}

impl fmt::Display for ThingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&called(&self.0))
    }
}

#[starlark_value(type = "thing")]
impl<'v> StarlarkValue<'v> for ThingValue {
    fn equals(&self, other: Value<'v>) -> starlark::Result<bool> {
        Ok(Self::of(other).is_some_and(|other| other == self.0))
    }

    fn write_hash(&self, hasher: &mut StarlarkHasher) -> starlark::Result<()> {
        self.0.hash(hasher);
        Ok(())
    }

    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        let frame = RunFrame::current()?;
        frame.share(1);
        let world = frame.world.as_ref()?;
        let read = world.get(&self.0, attribute).and_then(|datum| {
            to_frozen(&frame, heap, &datum).map_err(|error| {
                // Kept unless the conversion has left a reason of its own.
                let text = error.without_diagnostic().to_string();
                frame.take_stop().unwrap_or_else(|| Stop::fault(text))
            })
        });
        read.map_err(|stop| frame.stopped(stop)).ok()
    }

    fn has_attr(&self, _attribute: &str, _heap: Heap<'v>) -> bool {
        false
    }

    fn set_attr(&self, attribute: &str, value: Value<'v>) -> starlark::Result<()> {
        let frame = RunFrame::running()?;
        let datum =
            from_value(value).map_err(|what| fault(format!("`{attribute}` cannot hold {what}")))?;
        let world = frame.world()?;
        frame.answer(world.set(&self.0, attribute, datum))
    }
}
