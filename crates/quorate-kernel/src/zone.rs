//! Time zones by rules that repeat each year: the edition of the library has them, and no table of any system is read.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::time::{Moment, Span};

/// A time zone: where in the world a game's days begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Zone {
    name: &'static str,
    rules: TimeZone,
}

/// The zones that a game can have, by name, each with its offset and when it changes, as POSIX writes that.
const ZONES: [(&str, &str); 63] = [
    ("Africa/Cairo", "EET-2EEST,M4.5.5/0,M10.5.4/24"),
    ("Africa/Johannesburg", "SAST-2"),
    ("Africa/Lagos", "WAT-1"),
    ("Africa/Nairobi", "EAT-3"),
    ("America/Anchorage", "AKST9AKDT,M3.2.0,M11.1.0"),
    ("America/Argentina/Buenos_Aires", "<-03>3"),
    ("America/Bogota", "<-05>5"),
    ("America/Caracas", "<-04>4"),
    ("America/Chicago", "CST6CDT,M3.2.0,M11.1.0"),
    ("America/Denver", "MST7MDT,M3.2.0,M11.1.0"),
    ("America/Halifax", "AST4ADT,M3.2.0,M11.1.0"),
    ("America/Lima", "<-05>5"),
    ("America/Los_Angeles", "PST8PDT,M3.2.0,M11.1.0"),
    ("America/Mexico_City", "CST6"),
    ("America/New_York", "EST5EDT,M3.2.0,M11.1.0"),
    ("America/Phoenix", "MST7"),
    ("America/Santiago", "<-04>4<-03>,M9.1.6/24,M4.1.6/24"),
    ("America/Sao_Paulo", "<-03>3"),
    ("America/St_Johns", "NST3:30NDT,M3.2.0,M11.1.0"),
    ("America/Toronto", "EST5EDT,M3.2.0,M11.1.0"),
    ("America/Vancouver", "PST8PDT,M3.2.0,M11.1.0"),
    ("America/Winnipeg", "CST6CDT,M3.2.0,M11.1.0"),
    ("Asia/Bangkok", "<+07>-7"),
    ("Asia/Dhaka", "<+06>-6"),
    ("Asia/Dubai", "<+04>-4"),
    ("Asia/Hong_Kong", "HKT-8"),
    ("Asia/Jakarta", "WIB-7"),
    ("Asia/Jerusalem", "IST-2IDT,M3.4.4/26,M10.5.0"),
    ("Asia/Karachi", "PKT-5"),
    ("Asia/Kolkata", "IST-5:30"),
    ("Asia/Manila", "PST-8"),
    ("Asia/Seoul", "KST-9"),
    ("Asia/Shanghai", "CST-8"),
    ("Asia/Singapore", "<+08>-8"),
    ("Asia/Tokyo", "JST-9"),
    ("Atlantic/Reykjavik", "GMT0"),
    ("Australia/Adelaide", "ACST-9:30ACDT,M10.1.0,M4.1.0/3"),
    ("Australia/Brisbane", "AEST-10"),
    ("Australia/Darwin", "ACST-9:30"),
    ("Australia/Hobart", "AEST-10AEDT,M10.1.0,M4.1.0/3"),
    ("Australia/Melbourne", "AEST-10AEDT,M10.1.0,M4.1.0/3"),
    ("Australia/Perth", "AWST-8"),
    ("Australia/Sydney", "AEST-10AEDT,M10.1.0,M4.1.0/3"),
    ("Europe/Amsterdam", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ("Europe/Athens", "EET-2EEST,M3.5.0/3,M10.5.0/4"),
    ("Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ("Europe/Dublin", "GMT0IST,M3.5.0/1,M10.5.0"),
    ("Europe/Helsinki", "EET-2EEST,M3.5.0/3,M10.5.0/4"),
    ("Europe/Istanbul", "<+03>-3"),
    ("Europe/Kyiv", "EET-2EEST,M3.5.0/3,M10.5.0/4"),
    ("Europe/Lisbon", "WET0WEST,M3.5.0/1,M10.5.0"),
    ("Europe/London", "GMT0BST,M3.5.0/1,M10.5.0"),
    ("Europe/Madrid", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ("Europe/Moscow", "MSK-3"),
    ("Europe/Paris", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ("Europe/Rome", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ("Europe/Stockholm", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ("Europe/Vienna", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ("Europe/Warsaw", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ("Europe/Zurich", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ("Pacific/Auckland", "NZST-12NZDT,M9.5.0,M4.1.0/3"),
    ("Pacific/Honolulu", "HST10"),
    ("UTC", "UTC0"),
];

impl Default for Zone {
    fn default() -> Self {
        Self::UTC
    }
}

impl Zone {
    /// The zone of games that say nothing of it.
    pub const UTC: Self = Self {
        name: "UTC",
        rules: TimeZone::UTC,
    };

    /// The zone of a name; none where the edition does not have it.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        if name == Self::UTC.name {
            return Some(Self::UTC);
        }
        let (name, rules) = ZONES.iter().find(|(known, _)| *known == name)?;
        let rules = TimeZone::posix(rules).ok()?;
        Some(Self { name, rules })
    }

    /// The names of all zones, in order.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ZONES.iter().map(|(name, _)| *name)
    }

    /// Its name: `Europe/Berlin`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the clock on the wall shows at a moment, as the moment at which one in UTC shows the same.
    #[must_use]
    pub fn wall(&self, at: Moment) -> Moment {
        if *self == Self::UTC {
            return at;
        }
        let Ok(timestamp) = Timestamp::from_millisecond(at.0) else {
            return at;
        };
        let seconds = self.rules.to_offset(timestamp).seconds();
        at + Span(i64::from(seconds) * 1_000)
    }

    /// The moment at which the clock on the wall shows so: of two the first, and where it never does, as much later as the
    /// clock is put forward.
    #[must_use]
    pub fn at(&self, wall: Moment) -> Moment {
        if *self == Self::UTC {
            return wall;
        }
        let Ok(timestamp) = Timestamp::from_millisecond(wall.0) else {
            return wall;
        };
        let shown = timestamp.to_zoned(TimeZone::UTC).datetime();
        let found = self.rules.to_ambiguous_timestamp(shown).compatible();
        found.map_or(wall, |at| Moment(at.as_millisecond()))
    }

    /// Midnight at the start of a moment's day.
    #[must_use]
    pub fn day_start(&self, at: Moment) -> Moment {
        self.at(self.wall(at).day_start())
    }

    /// Midnight at the end of a moment's day, which may have 23 or 25 hours.
    #[must_use]
    pub fn day_end(&self, at: Moment) -> Moment {
        self.at(self.wall(at).day_start() + Span::days(1))
    }

    /// Midnight at the start of a moment's week, which begins on Monday.
    #[must_use]
    pub fn week_start(&self, at: Moment) -> Moment {
        self.at(self.wall(at).week_start())
    }

    /// Midnight at the end of a moment's week.
    #[must_use]
    pub fn week_end(&self, at: Moment) -> Moment {
        self.at(self.wall(at).week_start() + Span::days(7))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        text.parse().expect("a moment")
    }

    #[test]
    fn every_zone_has_rules_that_read_and_the_names_stand_in_order() {
        let unread: Vec<_> = Zone::names()
            .filter(|name| Zone::of(name).is_none())
            .collect();
        assert_eq!(unread, [""; 0]);
        assert!(Zone::names().is_sorted());
        assert_eq!(Zone::of("Nowhere/Land"), None);
    }

    #[test]
    fn a_day_in_a_zone_begins_at_its_midnight_and_may_have_23_or_25_hours() {
        let zone = Zone::of("America/New_York").expect("it is known");
        assert_eq!(
            zone.day_start(at("2031-01-15T03:00Z")),
            at("2031-01-14T05:00Z")
        );
        assert_eq!(
            zone.day_start(at("2031-07-15T03:00Z")),
            at("2031-07-14T04:00Z")
        );
        // The clock goes forward on 9 March and back on 2 November.
        let hours = |noon: &str| zone.day_end(at(noon)) - zone.day_start(at(noon));
        assert_eq!(hours("2031-03-09T16:00Z"), Span::hours(23));
        assert_eq!(hours("2031-11-02T16:00Z"), Span::hours(25));
        assert_eq!(
            zone.week_start(at("2031-07-15T03:00Z")),
            at("2031-07-14T04:00Z")
        );
        assert_eq!(
            Zone::UTC.week_end(at("2031-07-15T03:00Z")),
            at("2031-07-21T00:00Z")
        );
    }

    #[test]
    fn what_the_wall_shows_twice_is_the_first_and_what_it_never_shows_is_later() {
        let zone = Zone::of("Europe/Berlin").expect("it is known");
        assert_eq!(zone.at(at("2031-10-26T02:30Z")), at("2031-10-26T00:30Z"));
        assert_eq!(zone.at(at("2031-03-30T02:30Z")), at("2031-03-30T01:30Z"));
        assert_eq!(zone.wall(at("2031-03-30T01:30Z")), at("2031-03-30T03:30Z"));
    }
}
