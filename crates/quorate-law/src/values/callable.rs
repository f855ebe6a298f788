//! Natives: functions of the host that rule code calls, on their own or as methods.

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use allocative::Allocative;
use quorate_kernel::{Moment, Name, Span, Square, Thing};
use starlark::any::ProvidesStaticType;
use starlark::eval::{Arguments, Evaluator, ParametersSpec, ParametersSpecParam};
use starlark::starlark_simple_value;
use starlark::typing::Ty;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::tuple::TupleRef;
use starlark::values::{
    FrozenValue, Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, UnpackValue, Value,
    ValueLike, starlark_value,
};

use crate::datum::{Datum, Record};
use crate::frame::{Frame, fault};
use crate::host;
use crate::host::signature::Signature;
use crate::stop::Site;
use crate::values::convert::from_value;
use crate::values::kind::{Declared, KindValue};
use crate::values::thing::ThingValue;
use crate::values::time::{MomentValue, SpanValue};
use crate::world::{Named, World};

/// What a native is called on.
#[derive(Clone, Debug)]
pub(crate) enum Receiver {
    /// Nothing: a function.
    None,
    /// A kind's handle, or a board's.
    Kind(Name),
    Square(Square),
    Ledger(Thing, Name),
    Record(Arc<Record>),
    /// A quantity, which is called itself.
    Quantity(Name),
    /// A method of a script host's object.
    Object(u64, String),
    /// A function of a script's host.
    Hosted(String),
}

pub(crate) type Run =
    for<'v, 'a, 'e> fn(&Args<'v, '_>, &mut Evaluator<'v, 'a, 'e>) -> starlark::Result<Value<'v>>;

/// A native of the library, as it stands in its table.
pub(crate) struct Native {
    /// `roll(sides: int, what: str) -> int`; a method's receiver before a dot: `Ledger.clear()`.
    pub(crate) signature: &'static str,
    /// What it does, for rule authors.
    pub(crate) doc: &'static str,
    pub(crate) run: Run,
}

/// A native with its parameters worked out.
pub(crate) struct Prepared {
    pub(crate) signature: Signature,
    /// The signature as it was written, and what it does: for rule authors.
    pub(crate) told: (&'static str, &'static str),
    spec: ParametersSpec<FrozenValue>,
    run: Run,
}

/// All natives, by name; methods as `Ledger.clear`.
pub(crate) static NATIVES: LazyLock<HashMap<String, Prepared>> = LazyLock::new(|| {
    let natives = host::natives();
    natives
        .into_iter()
        .map(|native| {
            let prepared = Prepared::new(native);
            (prepared.signature.name.clone(), prepared)
        })
        .collect()
});

impl Prepared {
    fn new(native: Native) -> Self {
        let signature = Signature::parse(native.signature);
        let param = |param: &host::signature::Parameter| {
            if param.required {
                ParametersSpecParam::Required
            } else {
                ParametersSpecParam::Optional
            }
        };
        let positional = signature
            .positional
            .iter()
            .map(|p| (p.name.as_str(), param(p)));
        let named = signature.named.iter().map(|p| (p.name.as_str(), param(p)));
        let spec = ParametersSpec::new_parts(
            &signature.name,
            [],
            positional.collect::<Vec<_>>(),
            signature.args.is_some(),
            named.collect::<Vec<_>>(),
            signature.kwargs.is_some(),
        );
        Self {
            signature,
            told: (native.signature, native.doc),
            spec,
            run: native.run,
        }
    }
}

/// A native as a value.
#[derive(Clone, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
pub(crate) struct Callable {
    #[allocative(skip)]
    prepared: &'static Prepared,
    #[allocative(skip)]
    pub(crate) receiver: Receiver,
    /// What the checker knows of it.
    pub(crate) ty: Option<Ty>,
}

starlark_simple_value!(Callable);

impl fmt::Debug for Callable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.prepared.signature.name)
    }
}

impl fmt::Display for Callable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.prepared.signature.name)
    }
}

impl Callable {
    /// A function of the library.
    pub(crate) fn function(name: &str) -> Option<Self> {
        Some(Self {
            prepared: NATIVES.get(name)?,
            receiver: Receiver::None,
            ty: None,
        })
    }

    /// The same, with a type for the checker.
    pub(crate) fn typed(self, ty: Ty) -> Self {
        Self {
            ty: Some(ty),
            ..self
        }
    }

    /// A quantity, which is called like a function.
    pub(crate) fn quantity(name: &Name) -> Option<Self> {
        Self::method("Quantity", "call", Receiver::Quantity(name.clone()))
    }

    /// A function of a script's host.
    pub(crate) fn hosted(name: &str) -> Option<Self> {
        Self::method("Host", "call", Receiver::Hosted(name.to_owned()))
    }

    /// A method of the library.
    pub(crate) fn method(of: &str, name: &str, receiver: Receiver) -> Option<Self> {
        Some(Self {
            prepared: NATIVES.get(&format!("{of}.{name}"))?,
            receiver,
            ty: None,
        })
    }
}

/// Room for the arguments of any native.
const SLOTS: usize = 16;

#[starlark_value(type = "function")]
impl<'v> StarlarkValue<'v> for Callable {
    fn invoke(
        &self,
        _me: Value<'v>,
        arguments: &Arguments<'v, '_>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let mut slots = [None; SLOTS];
        let count = self.prepared.spec.len();
        let heap = eval.heap();
        let spec = &self.prepared.spec;
        spec.collect(arguments, &mut slots[..count], heap)?;
        let args = Args {
            frame: Frame::running()?,
            receiver: &self.receiver,
            slots: &slots[..count],
            prepared: self.prepared,
            heap,
        };
        (self.prepared.run)(&args, eval)
    }

    fn typechecker_ty(&self) -> Option<Ty> {
        self.ty.clone()
    }
}

/// The arguments of one call.
pub(crate) struct Args<'v, 'x> {
    pub(crate) frame: Rc<Frame>,
    pub(crate) receiver: &'x Receiver,
    slots: &'x [Option<Value<'v>>],
    prepared: &'static Prepared,
    pub(crate) heap: Heap<'v>,
}

impl<'v> Args<'v, '_> {
    pub(crate) fn world(&self) -> starlark::Result<&Rc<dyn World>> {
        self.frame.world()
    }

    pub(crate) fn site(&self, eval: &Evaluator<'v, '_, '_>) -> Site {
        self.frame.site(eval)
    }

    fn name(&self, index: usize) -> &str {
        self.prepared.signature.parameter(index)
    }

    fn expected<T>(&self, index: usize, what: &str) -> starlark::Result<T> {
        let got = match self.slots[index] {
            Some(value) if value.is_none() => "None".to_owned(),
            Some(value) => match value.downcast_ref::<ThingValue>() {
                Some(thing) => {
                    let kind = crate::values::thing::kind_of(&thing.0);
                    format!("{kind} {}", crate::values::thing::called(&thing.0))
                }
                None => format!("{} of type {}", short(value), value.get_type()),
            },
            None => "nothing".to_owned(),
        };
        Err(fault(format!(
            "`{}` wants {what} as `{}`, not {got}",
            self.prepared.signature.name,
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

    pub(crate) fn text(&self, index: usize) -> starlark::Result<&'v str> {
        match self.value(index).unpack_str() {
            Some(text) => Ok(text),
            None => self.expected(index, "a text"),
        }
    }

    pub(crate) fn text_or(&self, index: usize, default: &'v str) -> starlark::Result<&'v str> {
        match self.some(index) {
            Some(_) => self.text(index),
            None => Ok(default),
        }
    }

    pub(crate) fn int(&self, index: usize) -> starlark::Result<i64> {
        match i64::unpack_value(self.value(index)) {
            Ok(Some(int)) => Ok(int),
            _ => self.expected(index, "a whole number"),
        }
    }

    pub(crate) fn int_or(&self, index: usize, default: i64) -> starlark::Result<i64> {
        match self.some(index) {
            Some(_) => self.int(index),
            None => Ok(default),
        }
    }

    pub(crate) fn flag_or(&self, index: usize, default: bool) -> starlark::Result<bool> {
        match self.some(index).map(Value::unpack_bool) {
            None => Ok(default),
            Some(Some(flag)) => Ok(flag),
            Some(None) => self.expected(index, "True or False"),
        }
    }

    pub(crate) fn thing(&self, index: usize) -> starlark::Result<Thing> {
        match ThingValue::of(self.value(index)) {
            Some(thing) => Ok(thing),
            None => self.expected(index, "a player, post or other thing"),
        }
    }

    pub(crate) fn thing_opt(&self, index: usize) -> starlark::Result<Option<Thing>> {
        self.some(index).map(|_| self.thing(index)).transpose()
    }

    pub(crate) fn moment(&self, index: usize) -> starlark::Result<MomentValue> {
        match MomentValue::of(self.value(index)) {
            Some(moment) => Ok(moment),
            None => self.expected(index, "a moment"),
        }
    }

    pub(crate) fn moment_opt(&self, index: usize) -> starlark::Result<Option<Moment>> {
        let moment = self.some(index).map(|_| self.moment(index)).transpose()?;
        Ok(moment.map(MomentValue::moment))
    }

    pub(crate) fn span_opt(&self, index: usize) -> starlark::Result<Option<Span>> {
        match self.some(index).map(SpanValue::of) {
            None => Ok(None),
            Some(Some(span)) => Ok(Some(span.span())),
            Some(None) => self.expected(index, "a span such as hours(12)"),
        }
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
        items
            .iter()
            .map(|item| match item.unpack_str() {
                Some(text) => Ok(text.to_owned()),
                None => self.expected(index, "a list of texts"),
            })
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
                self.prepared.signature.name,
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
        if let Some(name) = Declared::of(value).or_else(|| KindValue::of(value)) {
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
