//! What a native is given and what it gives back.

use std::rc::Rc;

use quorate_kernel::{Moment, Name, Span, Square, Thing};
use starlark::eval::Evaluator;
use starlark::values::dict::DictRef;
use starlark::values::list::{AllocList, ListRef};
use starlark::values::tuple::TupleRef;
use starlark::values::{Heap, UnpackValue, Value, ValueLike};

use crate::datum::Datum;
use crate::errors::fault;
use crate::frame::RunFrame;
use crate::stop::{Answer, Site};
use crate::values::callable::{Args, Callable, NativeResult, Receiver};
use crate::values::convert::{from_value, to_value};
use crate::values::kind::{HandleValue, KindValue};
use crate::values::plain::{SquareValue, ThingValue};
use crate::values::thing::{called, kind_of};
use crate::values::time::{MomentValue, SpanValue};
use crate::world::{Named, World};

/// What it costs to ask the game something, in steps.
const WORLD: usize = 2;

/// What it costs to make something in the game: a post, a comment, a thing, a line of a ledger.
const MAKING: usize = 50;

/// What a native gives back, to become a value.
pub(crate) trait IntoValue {
    fn into_value<'v>(self, frame: &RunFrame, heap: Heap<'v>) -> NativeResult<'v>;
}

macro_rules! into_value {
    ($($given:ty: |$it:ident| $made:expr;)+) => {
        $(impl IntoValue for $given {
            fn into_value<'v>(self, _frame: &RunFrame, heap: Heap<'v>) -> NativeResult<'v> {
                let $it = self;
                Ok(heap.alloc($made))
            }
        })+
    };
}

into_value! {
    bool: |it| it;
    i64: |it| it;
    String: |it| it;
    &str: |it| it;
    Name: |it| it.as_str();
    Moment: |it| MomentValue::Fixed(it);
    Span: |it| SpanValue::Fixed(it);
    Square: |it| SquareValue(it);
    Thing: |it| ThingValue(it);
}

impl IntoValue for () {
    fn into_value<'v>(self, _frame: &RunFrame, _heap: Heap<'v>) -> NativeResult<'v> {
        Ok(Value::new_none())
    }
}

impl IntoValue for Datum {
    fn into_value<'v>(self, frame: &RunFrame, heap: Heap<'v>) -> NativeResult<'v> {
        to_value(frame, heap, &self)
    }
}

impl<T: IntoValue> IntoValue for Option<T> {
    fn into_value<'v>(self, frame: &RunFrame, heap: Heap<'v>) -> NativeResult<'v> {
        match self {
            Some(given) => given.into_value(frame, heap),
            None => Ok(Value::new_none()),
        }
    }
}

impl<T: IntoValue> IntoValue for Vec<T> {
    fn into_value<'v>(self, frame: &RunFrame, heap: Heap<'v>) -> NativeResult<'v> {
        let values = self.into_iter().map(|given| given.into_value(frame, heap));
        let values: Vec<_> = values.collect::<Result<_, _>>()?;
        Ok(heap.alloc(AllocList(values)))
    }
}

impl<'v> Args<'v, '_> {
    /// What the world answered, as a value, or the end of the run.
    pub(crate) fn answer<T: IntoValue>(&self, answer: Answer<T>) -> NativeResult<'v> {
        self.give(self.frame.answer(answer)?)
    }

    /// What a native gives back, as a value.
    pub(crate) fn give(&self, given: impl IntoValue) -> NativeResult<'v> {
        given.into_value(&self.frame, self.heap)
    }

    pub(crate) fn world(&self) -> starlark::Result<&Rc<dyn World>> {
        self.frame.work(WORLD)?;
        self.frame.world()
    }

    /// The game, to make something in it that stays.
    pub(crate) fn maker(&self) -> starlark::Result<&Rc<dyn World>> {
        self.frame.work(MAKING)?;
        self.world()
    }

    pub(crate) fn site(&self, eval: &Evaluator<'v, '_, '_>) -> Site {
        self.frame.site(eval)
    }

    /// The kind, or the board, whose method is called.
    pub(crate) fn receiver_kind(&self) -> starlark::Result<Name> {
        match self.receiver {
            Receiver::Kind(name) => Ok(name.clone()),
            _ => Err(fault("this is a method of kinds")),
        }
    }

    fn name(&self, index: usize) -> &str {
        self.signature.parameter(index)
    }

    fn expected<T>(&self, index: usize, what: &str) -> starlark::Result<T> {
        let got = match self.slots[index] {
            Some(value) if value.is_none() => "None".to_owned(),
            Some(value) => match value.downcast_ref::<ThingValue>() {
                Some(thing) => format!("{} {}", kind_of(&thing.0), called(&thing.0)),
                None => format!("{} of type {}", short(value), value.get_type()),
            },
            None => "nothing".to_owned(),
        };
        Err(fault(format!(
            "`{}` wants {what} as `{}`, not {got}",
            self.signature.name,
            self.name(index),
        )))
    }

    /// An argument as it is; nothing if it was left out.
    pub(crate) fn opt(&self, index: usize) -> Option<Value<'v>> {
        self.slots[index]
    }

    /// An argument as it is, `None` if it was left out.
    pub(crate) fn value(&self, index: usize) -> Value<'v> {
        self.slots[index].unwrap_or_else(Value::new_none)
    }

    /// An argument other than `None`.
    pub(crate) fn some(&self, index: usize) -> Option<Value<'v>> {
        self.slots[index].filter(|value| !value.is_none())
    }

    /// An argument read as something; an error that says what is wanted where it is something else.
    fn read<T>(&self, index: usize, read: Option<T>, wanted: &str) -> starlark::Result<T> {
        read.map_or_else(|| self.expected(index, wanted), Ok)
    }

    pub(crate) fn text(&self, index: usize) -> starlark::Result<&'v str> {
        self.read(index, self.value(index).unpack_str(), "a text")
    }

    pub(crate) fn text_opt(&self, index: usize) -> starlark::Result<Option<&'v str>> {
        self.some(index).map(|_| self.text(index)).transpose()
    }

    pub(crate) fn text_or(&self, index: usize, default: &'v str) -> starlark::Result<&'v str> {
        Ok(self.text_opt(index)?.unwrap_or(default))
    }

    /// A text that leaves rule code, which is accounted for.
    pub(crate) fn output(&self, index: usize) -> starlark::Result<&'v str> {
        let text = self.text(index)?;
        self.frame.output(text)?;
        Ok(text)
    }

    pub(crate) fn int(&self, index: usize) -> starlark::Result<i64> {
        let int = i64::unpack_value(self.value(index)).ok().flatten();
        self.read(index, int, "a whole number")
    }

    pub(crate) fn int_opt(&self, index: usize) -> starlark::Result<Option<i64>> {
        self.some(index).map(|_| self.int(index)).transpose()
    }

    pub(crate) fn int_or(&self, index: usize, default: i64) -> starlark::Result<i64> {
        Ok(self.int_opt(index)?.unwrap_or(default))
    }

    pub(crate) fn flag_or(&self, index: usize, default: bool) -> starlark::Result<bool> {
        let Some(value) = self.some(index) else {
            return Ok(default);
        };
        self.read(index, value.unpack_bool(), "True or False")
    }

    pub(crate) fn thing(&self, index: usize) -> starlark::Result<Thing> {
        let thing = ThingValue::of(self.value(index));
        self.read(index, thing, "a player, post or other thing")
    }

    pub(crate) fn thing_opt(&self, index: usize) -> starlark::Result<Option<Thing>> {
        self.some(index).map(|_| self.thing(index)).transpose()
    }

    pub(crate) fn moment(&self, index: usize) -> starlark::Result<MomentValue> {
        let moment = MomentValue::of(self.value(index));
        self.read(index, moment, "a moment")
    }

    pub(crate) fn moment_opt(&self, index: usize) -> starlark::Result<Option<Moment>> {
        let moment = self.some(index).map(|_| self.moment(index)).transpose()?;
        Ok(moment.map(MomentValue::fixed))
    }

    pub(crate) fn span_opt(&self, index: usize) -> starlark::Result<Option<Span>> {
        let Some(value) = self.some(index) else {
            return Ok(None);
        };
        let span = self.read(index, SpanValue::of(value), "a span such as hours(12)")?;
        Ok(Some(span.fixed()))
    }

    /// The items of a list, tuple or anything else that can be looped over; none if left out.
    pub(crate) fn list(&self, index: usize) -> starlark::Result<Vec<Value<'v>>> {
        let Some(value) = self.some(index) else {
            return Ok(Vec::new());
        };
        if let Some(list) = ListRef::from_value(value) {
            return Ok(list.content().to_vec());
        }
        if let Some(tuple) = TupleRef::from_value(value) {
            return Ok(tuple.content().to_vec());
        }
        match value.iterate(self.heap) {
            Ok(items) => Ok(items.collect()),
            Err(_) => self.expected(index, "a list"),
        }
    }

    /// One text or a list of them.
    pub(crate) fn texts(&self, index: usize) -> starlark::Result<Vec<String>> {
        if let Some(text) = self.some(index).and_then(Value::unpack_str) {
            return Ok(vec![text.to_owned()]);
        }
        let items = self.list(index)?;
        let text = |item: &Value<'v>| item.unpack_str().map(str::to_owned);
        items
            .iter()
            .map(|item| self.read(index, text(item), "a list of texts"))
            .collect()
    }

    pub(crate) fn names(&self, index: usize) -> starlark::Result<Vec<Name>> {
        Ok(self.texts(index)?.into_iter().map(Name::from).collect())
    }

    pub(crate) fn data(&self, index: usize) -> starlark::Result<Vec<Datum>> {
        let items = self.list(index)?;
        items
            .into_iter()
            .map(|item| self.leave(index, item))
            .collect()
    }

    pub(crate) fn datum(&self, index: usize) -> starlark::Result<Datum> {
        self.leave(index, self.value(index))
    }

    fn leave(&self, index: usize, value: Value<'v>) -> starlark::Result<Datum> {
        from_value(value).map_err(|what| {
            fault(format!(
                "`{}` cannot take {what} as `{}`",
                self.signature.name,
                self.name(index)
            ))
        })
    }

    /// Keyword arguments in the order given.
    pub(crate) fn kwargs(&self, index: usize) -> starlark::Result<Named> {
        let Some(dict) = self.slots[index].and_then(DictRef::from_value) else {
            return Ok(Named::new());
        };
        dict.iter()
            .map(|(key, value)| {
                let name = key.unpack_str().unwrap_or_default();
                let datum = from_value(value)
                    .map_err(|what| fault(format!("`{name}` cannot take {what}")))?;
                Ok((Name::from(name), datum))
            })
            .collect()
    }

    /// A kind by its handle; `game` stands for the kind of the one game.
    pub(crate) fn kind(&self, index: usize) -> starlark::Result<Name> {
        let value = self.value(index);
        if let Some(name) = KindValue::of(value) {
            return Ok(name);
        }
        if ThingValue::of(value) == Some(Thing::Game) {
            return Ok(Name::from("Game"));
        }
        if let Some(name) = value.unpack_str() {
            return Ok(Name::from(name));
        }
        self.expected(
            index,
            "a kind such as `player`, `game` or the name of an entity",
        )
    }

    /// A function of the law by its name.
    pub(crate) fn function_of(&self, index: usize) -> starlark::Result<Name> {
        match self.value(index).function_name() {
            Some(name) if name != "lambda" => Ok(Name::from(name)),
            _ => self.expected(index, "a function"),
        }
    }

    /// A declared value, quantity or board by its handle or in quotes.
    pub(crate) fn declared(&self, index: usize) -> starlark::Result<Name> {
        let value = self.value(index);
        if let Some(text) = value.unpack_str() {
            return Ok(Name::from(text));
        }
        if let Some(name) = HandleValue::of(value).or_else(|| KindValue::of(value)) {
            return Ok(name);
        }
        match value.downcast_ref::<Callable>().map(|c| &c.receiver) {
            Some(Receiver::Quantity(name)) => Ok(name.clone()),
            _ => self.expected(index, "the name of a value"),
        }
    }
}

/// A value as a message quotes it: cut short.
pub(crate) fn short(value: Value<'_>) -> String {
    let plain = value.is_none()
        || value.unpack_bool().is_some()
        || value.unpack_i32().is_some()
        || value.unpack_str().is_some_and(|text| text.len() < 60);
    if plain {
        value.to_repr()
    } else {
        "a value".to_owned()
    }
}
