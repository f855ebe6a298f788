//! Natives: functions of the host that rule code calls, on their own or as methods.

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use allocative::Allocative;
use quorate_kernel::{Name, Square, Thing};
use starlark::any::ProvidesStaticType;
use starlark::eval::{Arguments, Evaluator, ParametersSpec, ParametersSpecParam};
use starlark::starlark_simple_value;
use starlark::typing::Ty;
use starlark::values::{
    FrozenValue, Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, starlark_value,
};

use crate::datum::Record;
use crate::frame::RunFrame;
use crate::measure::{is_small, length, measure};
use crate::signature::{NativeSignature, Parameter, SIGNATURES};

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

pub(crate) type Eval<'v, 'a, 'e> = Evaluator<'v, 'a, 'e>;

/// What a native gives.
pub(crate) type NativeResult<'v> = starlark::Result<Value<'v>>;

/// The code behind a declaration of the library, by its name; a method's with its receiver, as in `Ledger.clear`.
pub(crate) type Native = (
    &'static str,
    for<'v, 'a, 'e> fn(&Args<'v, '_>, &mut Eval<'v, 'a, 'e>) -> NativeResult<'v>,
);

/// A native with its parameters worked out.
struct Prepared {
    signature: &'static NativeSignature,
    spec: ParametersSpec<FrozenValue>,
    native: Native,
}

/// All natives, by name. They use the values of the files here, so it is their own floor, above, that puts them in.
static LIBRARY: OnceLock<HashMap<&'static str, Prepared>> = OnceLock::new();

/// Puts the natives in; once is enough.
pub(crate) fn install(natives: impl FnOnce() -> Vec<Native>) {
    LIBRARY.get_or_init(|| {
        let natives = natives().into_iter();
        natives
            .filter_map(|native| Some((native.0, Prepared::new(native)?)))
            .collect()
    });
}

impl Prepared {
    /// A native that is declared.
    fn new(native: Native) -> Option<Self> {
        fn params(all: &[Parameter]) -> Vec<(&str, ParametersSpecParam<FrozenValue>)> {
            let param = |param: &Parameter| {
                if param.required {
                    ParametersSpecParam::Required
                } else {
                    ParametersSpecParam::Optional
                }
            };
            all.iter().map(|p| (p.name.as_str(), param(p))).collect()
        }
        let signature = SIGNATURES.get(native.0)?;
        let spec = ParametersSpec::new_parts(
            &signature.name,
            [],
            params(&signature.positional),
            signature.args.is_some(),
            params(&signature.named),
            signature.kwargs.is_some(),
        );
        Some(Self {
            signature,
            spec,
            native,
        })
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
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Callable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.prepared.signature.name)
    }
}

impl Callable {
    /// A native of the library, called on something.
    fn new(name: &str, receiver: Receiver) -> Option<Self> {
        Some(Self {
            prepared: LIBRARY.get()?.get(name)?,
            receiver,
            ty: None,
        })
    }

    /// A function of the library.
    pub(crate) fn function(name: &str) -> Option<Self> {
        Self::new(name, Receiver::None)
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
        Self::new("Quantity.call", Receiver::Quantity(name.clone()))
    }

    /// A function of a script's host.
    pub(crate) fn hosted(name: &str) -> Option<Self> {
        Self::new("Host.call", Receiver::Hosted(name.to_owned()))
    }

    /// A method of the library, as an attribute of what it is called on.
    pub(crate) fn method<'v>(
        of: &str,
        name: &str,
        receiver: Receiver,
        heap: Heap<'v>,
    ) -> Option<Value<'v>> {
        Self::new(&format!("{of}.{name}"), receiver).map(|method| heap.alloc(method))
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
        let spec = &self.prepared.spec;
        let slots = &mut slots[..spec.len()];
        let heap = eval.heap();
        spec.collect(arguments, slots, heap)?;
        for given in slots.iter().flatten() {
            if !is_small(*given) {
                measure(*given, heap)?;
            }
        }
        let args = Args {
            frame: RunFrame::running()?,
            receiver: &self.receiver,
            slots,
            signature: self.prepared.signature,
            heap,
        };
        let given = (self.prepared.native.1)(&args, eval)?;
        // What the host makes of values costs more than looking through them.
        if let Some(items) = length(given) {
            args.frame.work(items / 4)?;
        }
        Ok(given)
    }

    fn typechecker_ty(&self) -> Option<Ty> {
        self.ty.clone()
    }
}

/// The arguments of one call.
pub(crate) struct Args<'v, 'x> {
    pub(crate) frame: Rc<RunFrame>,
    pub(crate) receiver: &'x Receiver,
    pub(crate) slots: &'x [Option<Value<'v>>],
    pub(crate) signature: &'static NativeSignature,
    pub(crate) heap: Heap<'v>,
}
