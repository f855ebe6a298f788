//! Moments and spans. Those made from `now` know it, so that the world learns when a comparison may turn out otherwise.

use std::cmp::Ordering;
use std::fmt;
use std::hash::Hash;

use allocative::Allocative;
use quorate_kernel::{Moment, Span, Zone};
use starlark::any::ProvidesStaticType;
use starlark::collections::StarlarkHasher;
use starlark::starlark_simple_value;
use starlark::typing::Ty;
use starlark::values::{
    Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, ValueError, ValueLike,
    starlark_value,
};

use crate::errors::{fault, too_big};
use crate::frame::RunFrame;
use crate::measure::i64_of;
use crate::words::with_article;

/// A moment: fixed, or so much after the event's own.
#[derive(Clone, Copy, Debug, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
pub(crate) enum MomentValue {
    Fixed(#[allocative(skip)] Moment),
    Now(#[allocative(skip)] Span),
}

/// A span: fixed, or what lies between a fixed moment and the event's own.
#[derive(Clone, Copy, Debug, Allocative, ProvidesStaticType, NoSerialize, StarlarkPagablePanic)]
pub(crate) enum SpanValue {
    Fixed(#[allocative(skip)] Span),
    /// `now` less a moment: grows as time goes by.
    Since(#[allocative(skip)] Moment),
    /// A moment less `now`.
    Until(#[allocative(skip)] Moment),
}

starlark_simple_value!(MomentValue);
starlark_simple_value!(SpanValue);

/// The event's moment; nothing where no game runs.
pub(crate) fn now() -> Option<Moment> {
    Some(RunFrame::current()?.world.as_ref()?.now())
}

/// Where the game's days and weeks begin.
pub(crate) fn zone() -> Zone {
    let frame = RunFrame::current();
    let world = frame.as_ref().and_then(|frame| frame.world.as_ref());
    world.map_or(Zone::UTC, |world| world.zone())
}

/// Tells the world that an answer may change when `now` passes a moment.
fn watch(moment: Moment) {
    if let Some(frame) = RunFrame::current()
        && let Some(world) = &frame.world
    {
        let now = world.now();
        if now < moment {
            world.compared(moment);
        } else if now == moment {
            // `>=` has turned already and `>` turns with the next millisecond.
            world.compared(Moment(moment.0 + 1));
        }
    }
}

/// Tells the world that an answer is worked out with the time itself, and holds no longer than to a moment.
fn flows_until(moment: Moment) {
    if let Some(frame) = RunFrame::current()
        && let Some(world) = &frame.world
    {
        world.flows_until(moment);
    }
}

/// The same of an answer that nobody knows to hold any longer than now.
fn flows() {
    if let Some(now) = now() {
        flows_until(Moment(now.0.saturating_add(1)));
    }
}

impl MomentValue {
    /// The moment itself, to compare.
    pub(crate) fn moment(self) -> Moment {
        match self {
            Self::Fixed(moment) => moment,
            Self::Now(span) => now().unwrap_or_default() + span,
        }
    }

    /// The moment itself, to go on with: what is made of it does not know `now` any more.
    pub(crate) fn fixed(self) -> Moment {
        if let Self::Now(_) = self {
            flows();
        }
        self.moment()
    }

    pub(crate) fn of(value: Value<'_>) -> Option<Self> {
        value.downcast_ref::<Self>().copied()
    }

    fn later(self, span: Span) -> starlark::Result<Self> {
        Ok(match self {
            Self::Fixed(moment) => Self::Fixed(Moment(sum(moment.0, span.0)?)),
            Self::Now(before) => Self::Now(Span(sum(before.0, span.0)?)),
        })
    }

    fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Now(span), Self::Fixed(moment)) | (Self::Fixed(moment), Self::Now(span)) => {
                watch(moment - span);
            }
            _ => {}
        }
        self.moment().cmp(&other.moment())
    }

    /// What the calendar says of a moment. Of `now`, it may change when the next one begins.
    fn part(self, name: &str) -> Option<i64> {
        let zone = zone();
        let moment = zone.wall(self.moment());
        let next = match name {
            "hour" => Moment(moment.0 - moment.0.rem_euclid(3_600_000) + 3_600_000),
            "minute" => Moment(moment.0 - moment.0.rem_euclid(60_000) + 60_000),
            "month" | "year" => next_month(moment, name == "year"),
            _ => moment.day_start() + Span::days(1),
        };
        if let Self::Now(span) = self {
            watch(zone.at(next) - span);
        }
        let (year, month, day) = moment.date();
        let (hour, minute, _) = moment.clock();
        Some(match name {
            "year" => i64::from(year),
            "month" => i64::from(month),
            "day" => i64::from(day),
            "weekday" => i64::from(moment.weekday()),
            "hour" => i64::from(hour),
            "minute" => i64::from(minute),
            _ => return None,
        })
    }

    /// The start of the moment's day or week, which for `now` changes when the next one starts.
    pub(crate) fn start(self, of_week: bool) -> Moment {
        let (zone, moment) = (zone(), self.moment());
        let (start, end) = if of_week {
            (zone.week_start(moment), zone.week_end(moment))
        } else {
            (zone.day_start(moment), zone.day_end(moment))
        };
        if let Self::Now(span) = self {
            watch(end - span);
        }
        start
    }
}

/// The first moment of the month after a moment's, or of the year after.
fn next_month(moment: Moment, of_year: bool) -> Moment {
    let (year, month, _) = moment.date();
    let first = if of_year || month == 12 {
        Moment::of_date(year.saturating_add(1), 1, 1)
    } else {
        Moment::of_date(year, month + 1, 1)
    };
    // Beyond the calendar nothing turns any more.
    first.unwrap_or(Moment(i64::MAX))
}

/// The parts of a moment that rule code can read.
const MOMENT_PARTS: [&str; 6] = ["year", "month", "day", "weekday", "hour", "minute"];

impl SpanValue {
    /// The span itself, to compare.
    pub(crate) fn span(self) -> Span {
        match self {
            Self::Fixed(span) => span,
            Self::Since(moment) => now().unwrap_or_default() - moment,
            Self::Until(moment) => moment - now().unwrap_or_default(),
        }
    }

    /// The span itself, to go on with: what is made of it does not know `now` any more.
    pub(crate) fn fixed(self) -> Span {
        if let Self::Since(_) | Self::Until(_) = self {
            flows();
        }
        self.span()
    }

    /// How often a fixed span goes into it.
    fn divided(self, unit: Span) -> Option<i64> {
        let times = self.span().0.checked_div_euclid(unit.0)?;
        let turn = times.checked_mul(unit.0)?;
        match self {
            Self::Since(moment) if unit.0 > 0 => {
                flows_until(Moment(moment.0.checked_add(turn)?.checked_add(unit.0)?));
            }
            Self::Until(moment) if unit.0 > 0 => {
                flows_until(Moment(moment.0.checked_sub(turn)?.checked_add(1)?));
            }
            Self::Fixed(_) => {}
            Self::Since(_) | Self::Until(_) => flows(),
        }
        Some(times)
    }

    pub(crate) fn of(value: Value<'_>) -> Option<Self> {
        value.downcast_ref::<Self>().copied()
    }

    fn order(self, other: Self) -> Ordering {
        if let (Self::Since(_), Self::Until(_)) | (Self::Until(_), Self::Since(_)) = (self, other) {
            // One grows while the other shrinks: they meet before either would meet what the other is now.
            flows();
        }
        for (one, two) in [(self, other), (other, self)] {
            match one {
                Self::Since(moment) => watch(moment + two.span()),
                Self::Until(moment) => watch(moment - two.span()),
                Self::Fixed(_) => {}
            }
        }
        self.span().cmp(&other.span())
    }
}

impl fmt::Display for MomentValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.fixed(), f)
    }
}

impl fmt::Display for SpanValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.fixed(), f)
    }
}

fn sum(one: i64, other: i64) -> starlark::Result<i64> {
    one.checked_add(other).ok_or_else(too_big)
}

fn wrong<'v, T: StarlarkValue<'v>, R>(this: &T, op: &str, other: Value<'v>) -> starlark::Result<R> {
    if other.is_none() {
        return Err(fault(format!(
            "{} is used with None: test for `!= None` first",
            with_article(&T::TYPE.to_lowercase())
        )));
    }
    ValueError::unsupported_with(this, op, other)
}

#[starlark_value(type = "Moment")]
impl<'v> StarlarkValue<'v> for MomentValue {
    fn eval_type(&self) -> Option<Ty> {
        None
    }

    fn equals(&self, other: Value<'v>) -> starlark::Result<bool> {
        Ok(Self::of(other).is_some_and(|other| self.order(other) == Ordering::Equal))
    }

    fn compare(&self, other: Value<'v>) -> starlark::Result<Ordering> {
        match Self::of(other) {
            Some(other) => Ok(self.order(other)),
            None => wrong(self, "compare", other),
        }
    }

    fn write_hash(&self, hasher: &mut StarlarkHasher) -> starlark::Result<()> {
        self.fixed().hash(hasher);
        Ok(())
    }

    fn add(&self, other: Value<'v>, heap: Heap<'v>) -> Option<starlark::Result<Value<'v>>> {
        let span = SpanValue::of(other)?.fixed();
        Some(self.later(span).map(|later| heap.alloc(later)))
    }

    fn sub(&self, other: Value<'v>, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        if let Some(span) = SpanValue::of(other) {
            let back = span.fixed().0.checked_neg().ok_or_else(too_big)?;
            return Ok(heap.alloc(self.later(Span(back))?));
        }
        let Some(other_moment) = Self::of(other) else {
            return wrong(self, "-", other);
        };
        Ok(heap.alloc(match (*self, other_moment) {
            (Self::Now(span), Self::Fixed(moment)) => SpanValue::Since(moment - span),
            (Self::Fixed(moment), Self::Now(span)) => SpanValue::Until(moment - span),
            // Of two that go with `now` the difference stays the same.
            (one, two) => SpanValue::Fixed(one.moment() - two.moment()),
        }))
    }

    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        if matches!(self, Self::Now(_)) {
            // Rules are folded as they are compiled, when there is no `now` yet.
            now()?;
        }
        MOMENT_PARTS
            .contains(&attribute)
            .then(|| self.part(attribute))?
            .map(|part| heap.alloc(part))
    }

    fn dir_attr(&self) -> Vec<String> {
        MOMENT_PARTS.iter().map(|part| (*part).to_owned()).collect()
    }
}

#[starlark_value(type = "Span")]
impl<'v> StarlarkValue<'v> for SpanValue {
    fn equals(&self, other: Value<'v>) -> starlark::Result<bool> {
        Ok(Self::of(other).is_some_and(|other| self.order(other) == Ordering::Equal))
    }

    fn compare(&self, other: Value<'v>) -> starlark::Result<Ordering> {
        match Self::of(other) {
            Some(other) => Ok(self.order(other)),
            None => wrong(self, "compare", other),
        }
    }

    fn write_hash(&self, hasher: &mut StarlarkHasher) -> starlark::Result<()> {
        self.fixed().hash(hasher);
        Ok(())
    }

    fn to_bool(&self) -> bool {
        self.fixed().0 != 0
    }

    fn add(&self, other: Value<'v>, heap: Heap<'v>) -> Option<starlark::Result<Value<'v>>> {
        if let Some(moment) = MomentValue::of(other) {
            return Some(moment.later(self.fixed()).map(|later| heap.alloc(later)));
        }
        let span = SpanValue::of(other)?.fixed();
        Some(sum(self.fixed().0, span.0).map(|sum| heap.alloc(Self::Fixed(Span(sum)))))
    }

    fn sub(&self, other: Value<'v>, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        match Self::of(other) {
            Some(other) => {
                let rest = self.fixed().0.checked_sub(other.fixed().0);
                Ok(heap.alloc(Self::Fixed(Span(rest.ok_or_else(too_big)?))))
            }
            None => wrong(self, "-", other),
        }
    }

    fn mul(&self, other: Value<'v>, heap: Heap<'v>) -> Option<starlark::Result<Value<'v>>> {
        let product = self.fixed().0.checked_mul(i64_of(other)?);
        let span = product.map(|span| heap.alloc(Self::Fixed(Span(span))));
        Some(span.ok_or_else(too_big))
    }

    fn rmul(&self, other: Value<'v>, heap: Heap<'v>) -> Option<starlark::Result<Value<'v>>> {
        self.mul(other, heap)
    }

    fn floor_div(&self, other: Value<'v>, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        if let Some(other) = Self::of(other) {
            return match other.fixed() {
                Span(0) => Err(fault("a span is divided by no time")),
                unit => Ok(heap.alloc(self.divided(unit).ok_or_else(too_big)?)),
            };
        }
        match i64_of(other) {
            Some(0) => Err(fault("a span is divided by 0")),
            Some(by) => {
                let part = self.fixed().0.checked_div_euclid(by);
                Ok(heap.alloc(Self::Fixed(Span(part.ok_or_else(too_big)?))))
            }
            None => wrong(self, "//", other),
        }
    }
}
