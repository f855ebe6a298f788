//! What scripts call of their host: its functions, and the methods of its objects.

use crate::errors::fault;
use crate::values::callable::{Args, Eval, Native, NativeResult, Receiver};

pub(crate) const NATIVES: &[Native] = &[("Host.call", call), ("Object.call", call)];

/// What it costs to ask the host something, in steps: it may judge a whole command.
const HOSTED: usize = 500;

fn call<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (object, name) = match args.receiver {
        Receiver::Object(object, name) => (Some(*object), name),
        Receiver::Hosted(name) => (None, name),
        _ => return Err(fault("this is called by tests alone")),
    };
    let Some(host) = &args.frame.host else {
        return Err(fault(format!(
            "`{name}` works while a test runs: call it inside a function"
        )));
    };
    args.frame.work(HOSTED)?;
    args.answer(host.call(object, name, args.data(0)?, args.kwargs(1)?))
}
