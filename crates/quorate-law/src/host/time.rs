//! Spans and the game's calendar.

use quorate_kernel::{Moment, Span};
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
        Native { signature: "date(year: int, month: int, day: int) -> Moment | None", run: date, doc: "Midnight UTC of a date; None if there is no such day." },
        Native { signature: "months_after(m: Moment, n: int) -> Moment", run: months_after, doc: "The same day and time so many calendar months later, or the month's last day." },
        Native { signature: "day_start(m: Moment) -> Moment", run: day_start, doc: "Midnight UTC at the start of a moment's day." },
        Native { signature: "week_start(m: Moment) -> Moment", run: week_start, doc: "Midnight UTC at the start of a moment's week, which begins on Monday." },
    ]
}

fn minutes<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args
        .heap
        .alloc(SpanValue::Fixed(Span::minutes(args.int(0)?))))
}

fn hours<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args.heap.alloc(SpanValue::Fixed(Span::hours(args.int(0)?))))
}

fn days<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args.heap.alloc(SpanValue::Fixed(Span::days(args.int(0)?))))
}

fn day_start<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args
        .heap
        .alloc(MomentValue::Fixed(args.moment(0)?.start(false))))
}

fn week_start<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args
        .heap
        .alloc(MomentValue::Fixed(args.moment(0)?.start(true))))
}

fn date<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let midnight = of_date(args.int(0)?, args.int(1)?, args.int(2)?);
    let value = midnight.map(|moment| args.heap.alloc(MomentValue::Fixed(moment)));
    Ok(value.unwrap_or_else(Value::new_none))
}

fn of_date(year: i64, month: i64, day: i64) -> Option<Moment> {
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    Moment::of_date(i16::try_from(year).ok()?, month, day)
}

fn months_after<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let from = args.moment(0)?.moment();
    match later(from, args.int(1)?) {
        Some(moment) => Ok(args.heap.alloc(MomentValue::Fixed(moment))),
        None => Err(crate::frame::fault("that leaves the calendar")),
    }
}

fn later(from: Moment, months: i64) -> Option<Moment> {
    let (year, month, day) = from.date();
    let count = (i64::from(year) * 12 + i64::from(month) - 1).checked_add(months)?;
    let (year, month) = (count.div_euclid(12), count.rem_euclid(12) + 1);
    let midnight = (1..=i64::from(day))
        .rev()
        .find_map(|day| of_date(year, month, day))?;
    Some(midnight + (from - from.day_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_later_is_the_same_day_or_the_last() {
        let at = |text: &str| text.parse::<Moment>().unwrap();
        let after = |text: &str, n| later(at(text), n).unwrap().to_string();
        assert_eq!(after("2031-01-31T09:30Z", 1), "2031-02-28T09:30Z");
        assert_eq!(after("2031-11-15T00:00Z", 3), "2032-02-15T00:00Z");
        assert_eq!(after("2031-03-31T00:00Z", -1), "2031-02-28T00:00Z");
        assert_eq!(of_date(2031, 2, 30), None);
    }
}
