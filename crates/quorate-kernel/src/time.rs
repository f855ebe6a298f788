//! Moments and spans, in milliseconds of UTC.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub i64);

/// A length of time in milliseconds; may be negative, as the difference of two moments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub i64);

/// Milliseconds of a second.
const SECOND: i64 = 1_000;
/// Milliseconds of a minute.
const MINUTE: i64 = 60 * SECOND;
/// Milliseconds of an hour.
const HOUR: i64 = 60 * MINUTE;
/// Milliseconds of a day; UTC days all have the same length here, as leap seconds are not counted.
const DAY: i64 = 24 * HOUR;

impl Span {
    /// So many seconds. Beyond what 64 bits hold, the longest span there is.
    pub const fn seconds(n: i64) -> Self {
        Self(n.saturating_mul(SECOND))
    }

    /// So many minutes. Beyond what 64 bits hold, the longest span there is.
    pub const fn minutes(n: i64) -> Self {
        Self(n.saturating_mul(MINUTE))
    }

    /// So many hours.
    pub const fn hours(n: i64) -> Self {
        Self(n.saturating_mul(HOUR))
    }

    /// So many days of 24 hours.
    pub const fn days(n: i64) -> Self {
        Self(n.saturating_mul(DAY))
    }
}

impl fmt::Display for Span {
    /// For people: `2 days 3 hours`, `45 minutes`, `30 seconds`; the two largest units that are not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "minus " } else { "" };
        let mut left = self.0.unsigned_abs();
        let mut parts = Vec::new();
        for (unit, size) in [
            ("day", DAY),
            ("hour", HOUR),
            ("minute", MINUTE),
            ("second", SECOND),
        ] {
            let size = size.unsigned_abs();
            let n = left / size;
            left %= size;
            if n > 0 {
                parts.push(format!("{n} {unit}{}", if n == 1 { "" } else { "s" }));
            }
            if parts.len() == 2 {
                break;
            }
        }
        let text = if parts.is_empty() {
            "no time".to_owned()
        } else {
            parts.join(" ")
        };
        write!(f, "{sign}{text}")
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The earliest and the latest year that a moment of the calendar may lie in.
const YEARS: std::ops::RangeInclusive<i16> = 1..=9998;

impl Moment {
    /// Midnight at the start of this moment's UTC day.
    #[must_use]
    pub fn day_start(self) -> Self {
        Self(self.0.div_euclid(DAY) * DAY)
    }

    /// Midnight at the start of this moment's week, which begins on Monday.
    #[must_use]
    pub fn week_start(self) -> Self {
        let days = self.0.div_euclid(DAY);
        Self((days - i64::from(self.weekday()) + 1) * DAY)
    }

    /// The day of the week, 1 for Monday to 7 for Sunday.
    pub fn weekday(self) -> u8 {
        // 1970-01-01 was a Thursday, the fourth day.
        u8::try_from((self.0.div_euclid(DAY) + 3).rem_euclid(7) + 1).unwrap_or(1)
    }

    /// Year, month (1–12) and day of the month (1–31) in UTC.
    pub fn date(self) -> (i16, i8, i8) {
        let date = self.zoned().date();
        (date.year(), date.month(), date.day())
    }

    /// Hour, minute and second of the UTC day.
    pub fn clock(self) -> (u8, u8, u8) {
        let ms = self.0.rem_euclid(DAY);
        let part = |unit: i64, of: i64| u8::try_from(ms / unit % of).unwrap_or(0);
        (part(HOUR, 24), part(MINUTE, 60), part(SECOND, 60))
    }

    /// Midnight UTC of a date, if the calendar has it.
    pub fn of_date(year: i16, month: i8, day: i8) -> Option<Self> {
        let date = jiff::civil::Date::new(year, month, day).ok()?;
        let zoned = date.to_zoned(TimeZone::UTC).ok()?;
        YEARS
            .contains(&year)
            .then_some(Self(zoned.timestamp().as_millisecond()))
    }

    fn zoned(self) -> jiff::Zoned {
        let timestamp = Timestamp::from_millisecond(self.0).unwrap_or(if self.0 < 0 {
            Timestamp::MIN
        } else {
            Timestamp::MAX
        });
        timestamp.to_zoned(TimeZone::UTC)
    }
}

impl Add<Span> for Moment {
    type Output = Self;

    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Moment {
    type Output = Self;

    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Sub for Moment {
    type Output = Span;

    fn sub(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Moment {
    /// ISO 8601 in UTC, as short as it can be without loss: `2031-05-04T09:00Z`, `…T09:00:30Z`, `…T09:00:30.250Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        let (hour, minute, second) = self.clock();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}")?;
        let ms = self.0.rem_euclid(SECOND);
        match (second, ms) {
            (0, 0) => {}
            (s, 0) => write!(f, ":{s:02}")?,
            (s, ms) => write!(f, ":{s:02}.{ms:03}")?,
        }
        f.write_str("Z")
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that should have been a moment and is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no moment: write it in UTC as 2031-05-04T09:00Z")]
pub struct NoMoment(pub String);

impl FromStr for Moment {
    type Err = NoMoment;

    fn from_str(text: &str) -> Result<Self, NoMoment> {
        let timestamp: Timestamp = text.parse().map_err(|_| NoMoment(text.to_owned()))?;
        let moment = Self(timestamp.as_millisecond());
        if YEARS.contains(&moment.date().0) {
            Ok(moment)
        } else {
            Err(NoMoment(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        text.parse().unwrap()
    }

    #[test]
    fn moments_print_as_short_as_they_can_and_read_back() {
        for text in [
            "2031-05-04T09:00Z",
            "2031-05-04T09:00:30Z",
            "2031-05-04T09:00:30.250Z",
        ] {
            assert_eq!(at(text).to_string(), text);
        }
        assert!("2031-05-04".parse::<Moment>().is_err());
    }

    #[test]
    fn a_week_begins_on_monday() {
        // 2031-05-04 is a Sunday.
        assert_eq!(at("2031-05-04T09:00Z").weekday(), 7);
        assert_eq!(
            at("2031-05-04T09:00Z").week_start(),
            at("2031-04-28T00:00Z")
        );
        assert_eq!(
            at("2031-05-05T00:00Z").week_start(),
            at("2031-05-05T00:00Z")
        );
    }

    #[test]
    fn days_before_1970_begin_at_midnight_too() {
        assert_eq!(at("1969-12-31T23:00Z").day_start(), at("1969-12-31T00:00Z"));
        assert_eq!(at("1969-12-31T23:00Z").weekday(), 3);
    }

    #[test]
    fn spans_read_well() {
        assert_eq!(Span::hours(51).to_string(), "2 days 3 hours");
        assert_eq!(Span::minutes(1).to_string(), "1 minute");
        assert_eq!(Span(0).to_string(), "no time");
    }
}
