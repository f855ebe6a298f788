//! Spans and the game's calendar.

use quorate_kernel::{Moment, Span};

use crate::errors::{fault, too_big};
use crate::values::callable::{Args, Eval, Native, NativeResult};
use crate::values::time::{SpanValue, zone};

pub(crate) const NATIVES: &[Native] = &[
    ("minutes", |args, _| spans(args, Span::minutes(1))),
    ("hours", |args, _| spans(args, Span::hours(1))),
    ("days", |args, _| spans(args, Span::days(1))),
    ("date", |args, _| {
        let midnight = of_date(args.int(0)?, args.int(1)?, args.int(2)?);
        args.give(midnight.map(|midnight| zone().at(midnight)))
    }),
    ("months_after", |args, _| {
        let zone = zone();
        let later = later(zone.wall(args.moment(0)?.fixed()), args.int(1)?);
        let later = later.map(|later| zone.at(later));
        args.give(later.ok_or_else(|| fault("that leaves the calendar"))?)
    }),
    ("day_start", |args, _| {
        args.give(args.moment(0)?.start(false))
    }),
    ("week_start", |args, _| {
        args.give(args.moment(0)?.start(true))
    }),
    ("total", total),
];

/// So many of a unit.
fn spans<'v>(args: &Args<'v, '_>, unit: Span) -> NativeResult<'v> {
    let span = unit.0.checked_mul(args.int(0)?).ok_or_else(too_big)?;
    args.give(Span(span))
}

fn total<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let mut sum = 0_i64;
    for item in args.list(0)? {
        let span = SpanValue::of(item).ok_or_else(|| fault("`total` adds up spans"))?;
        sum = sum.checked_add(span.fixed().0).ok_or_else(too_big)?;
    }
    args.give(Span(sum))
}

fn of_date(year: i64, month: i64, day: i64) -> Option<Moment> {
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    Moment::of_date(i16::try_from(year).ok()?, month, day)
}

fn later(from: Moment, months: i64) -> Option<Moment> {
    let (year, month, day) = from.date();
    let count = (i64::from(year) * 12 + i64::from(month) - 1).checked_add(months)?;
    let (year, month) = (count.div_euclid(12), count.rem_euclid(12) + 1);
    let midnight = (1..=i64::from(day))
        .rev()
        .find_map(|day| of_date(year, month, day))?;
    let of_day = from - from.day_start();
    Some(Moment(midnight.0.checked_add(of_day.0)?))
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
