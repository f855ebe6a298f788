//! Spans and the game's calendar.

use quorate_kernel::Span;
use starlark::eval::Evaluator;
use starlark::values::Value;

use crate::values::callable::{Args, Native};
use crate::values::time::{MomentValue, SpanValue};

type Result<'v> = starlark::Result<Value<'v>>;
type Eval<'v, 'a, 'e> = Evaluator<'v, 'a, 'e>;

#[rustfmt::skip]
pub(crate) fn natives() -> Vec<Native> {
    vec![
        Native { signature: "minutes(n: int) -> Span", run: minutes, doc: "So many minutes." },
        Native { signature: "hours(n: int) -> Span", run: hours, doc: "So many hours." },
        Native { signature: "days(n: int) -> Span", run: days, doc: "So many days of 24 hours." },
        Native { signature: "day_start(m: Moment) -> Moment", run: day_start, doc: "Midnight UTC at the start of a moment's day." },
        Native { signature: "week_start(m: Moment) -> Moment", run: week_start, doc: "Midnight UTC at the start of a moment's week, which begins on Monday." },
    ]
}

fn minutes<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args.heap.alloc(SpanValue::Fixed(Span::minutes(args.int(0)?))))
}

fn hours<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args.heap.alloc(SpanValue::Fixed(Span::hours(args.int(0)?))))
}

fn days<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args.heap.alloc(SpanValue::Fixed(Span::days(args.int(0)?))))
}

fn day_start<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args.heap.alloc(MomentValue::Fixed(args.moment(0)?.start(false))))
}

fn week_start<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args.heap.alloc(MomentValue::Fixed(args.moment(0)?.start(true))))
}
