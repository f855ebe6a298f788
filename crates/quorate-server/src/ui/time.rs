//! Moments as readers see them: exact in UTC, with what is left or gone beside them.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::ui::html::writes_html;

/// A moment, told at another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    at: Timestamp,
    told: Timestamp,
}

impl When {
    /// The moment `at`, as a page tells it that is made at `now`.
    pub fn new(at: Timestamp, now: Timestamp) -> Self {
        Self { at, told: now }
    }

    /// For machines: "2027-05-14T16:42:00Z".
    pub fn iso(&self) -> String {
        self.at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// Milliseconds since 1970.
    pub fn millisecond(&self) -> i64 {
        self.at.as_millisecond()
    }

    /// The clock alone: "16:42".
    pub fn clock(&self) -> String {
        self.at.strftime("%H:%M").to_string()
    }

    /// The date as a folio tells it: "Fri 14 May".
    pub fn date(&self) -> String {
        self.at.strftime("%a %-d %b").to_string()
    }

    /// In full: "Fri 14 May, 16:42 UTC"; with its year where that is not the page's.
    pub fn full(&self) -> String {
        format!("{} {} UTC", self.at.strftime("%a"), self.in_row())
    }

    /// Without its weekday and zone, which every row of a table would repeat: "14 May, 16:42".
    pub fn in_row(&self) -> String {
        format!("{}, {}", self.brief_day(), self.clock())
    }

    /// As short as the page's day allows: "16:42", "13 May", "13 May 2026".
    pub fn brief(&self) -> String {
        let (at, told) = (civil(self.at), civil(self.told));
        let form = if at.date() == told.date() {
            "%H:%M"
        } else if at.year() == told.year() {
            "%-d %b"
        } else {
            "%-d %b %Y"
        };
        self.at.strftime(form).to_string()
    }

    /// The day in short: "13 May", "13 May 2026".
    pub fn brief_day(&self) -> String {
        let form = if civil(self.at).year() == civil(self.told).year() {
            "%-d %b"
        } else {
            "%-d %b %Y"
        };
        self.at.strftime(form).to_string()
    }

    /// The day as a heading: "Friday 14 May".
    pub fn day(&self) -> String {
        let (at, told) = (civil(self.at), civil(self.told));
        let form = if at.year() == told.year() {
            "%A %-d %B"
        } else {
            "%A %-d %B %Y"
        };
        self.at.strftime(form).to_string()
    }

    /// Whether the page's moment has not reached it.
    pub fn is_ahead(&self) -> bool {
        self.at > self.told
    }

    /// The age, kept current by a script: "7 h ago".
    pub fn ago(&self) -> Told<'_> {
        Told(self, Manner::Ago)
    }

    /// The moment in full.
    pub fn exact(&self) -> Told<'_> {
        Told(self, Manner::Exact)
    }

    /// The moment as short as possible, in full when pointed at.
    pub fn short(&self) -> Told<'_> {
        Told(self, Manner::Short)
    }

    /// The moment in full, then what is left. A script puts the reader's own time in its place, short, with UTC when pointed at.
    pub fn due(&self) -> Told<'_> {
        Told(self, Manner::Due)
    }

    /// What is left alone, counting down: "in 5 h 28 min".
    pub fn left(&self) -> Told<'_> {
        Told(self, Manner::Left)
    }

    fn millis_apart(&self) -> i64 {
        self.told
            .as_millisecond()
            .abs_diff(self.at.as_millisecond())
            .try_into()
            .unwrap_or(i64::MAX)
    }
}

fn civil(at: Timestamp) -> DateTime {
    at.to_zoned(TimeZone::UTC).datetime()
}

enum Manner {
    Ago,
    Exact,
    Short,
    Due,
    Left,
}

/// One way of telling a moment, as HTML.
pub struct Told<'a>(&'a When, Manner);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = self.0;
        let (iso, full) = (when.iso(), when.full());
        match self.1 {
            Manner::Ago => {
                let millis = if when.is_ahead() {
                    0
                } else {
                    when.millis_apart()
                };
                let age = age(millis);
                write!(
                    f,
                    r#"<time datetime="{iso}" title="{full}" data-since="{iso}">{age}</time>"#
                )
            }
            Manner::Exact => write!(f, r#"<time datetime="{iso}">{full}</time>"#),
            Manner::Short => {
                let brief = when.brief();
                write!(f, r#"<time datetime="{iso}" title="{full}">{brief}</time>"#)
            }
            Manner::Due => write!(
                f,
                r#"<time datetime="{iso}">{full}</time> <span class="left">{}</span>"#,
                Left(when)
            ),
            Manner::Left => write!(f, "{}", Left(when)),
        }
    }
}

struct Left<'a>(&'a When);

impl fmt::Display for Left<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (iso, full) = (self.0.iso(), self.0.full());
        let left = if self.0.is_ahead() {
            format!("in {}", span(self.0.millis_apart()))
        } else {
            "now".to_owned()
        };
        write!(
            f,
            r#"<span data-until="{iso}" title="{full}">{left}</span>"#
        )
    }
}

writes_html!(Told<'_>);

/// A length of time in at most two units: "5 h 28 min". The scripts tell it in the same words.
pub fn span(millis: i64) -> String {
    let minutes = millis / 60_000;
    let (hours, days) = (minutes / 60, minutes / 1_440);
    match (minutes, hours, days) {
        (..1, ..) => "less than a minute".to_owned(),
        (_, ..1, _) => format!("{minutes} min"),
        (_, _, ..1) if minutes % 60 == 0 => format!("{hours} h"),
        (_, _, ..1) => format!("{hours} h {} min", minutes % 60),
        (_, _, 7..) => format!("{days} days"),
        _ if hours % 24 == 0 => format!("{days} d"),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// How old something is: "7 h ago", "9 days ago".
pub fn age(millis: i64) -> String {
    let minutes = millis / 60_000;
    let (hours, days) = (minutes / 60, minutes / 1_440);
    match (minutes, hours, days) {
        (..1, ..) => "just now".to_owned(),
        (_, ..1, _) => format!("{minutes} min ago"),
        (_, _, ..1) => format!("{hours} h ago"),
        (_, _, ..3) if hours % 24 != 0 => format!("{days} d {} h ago", hours % 24),
        (_, _, 1) => "1 day ago".to_owned(),
        _ => format!("{days} days ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn when(at: &str, now: &str) -> When {
        When::new(
            at.parse().expect("a moment"),
            now.parse().expect("a moment"),
        )
    }

    #[test]
    fn spans_have_at_most_two_units_and_no_empty_ones() {
        let minute = 60_000;
        for (millis, text) in [
            (30_000, "less than a minute"),
            (9 * minute, "9 min"),
            (120 * minute, "2 h"),
            (328 * minute, "5 h 28 min"),
            (2 * 1_440 * minute, "2 d"),
            (55 * 60 * minute, "2 d 7 h"),
            (9 * 1_440 * minute, "9 days"),
        ] {
            assert_eq!(span(millis), text);
        }
    }

    #[test]
    fn a_moment_names_its_year_only_when_it_is_another() {
        let now = "2027-05-14T16:42:00Z";
        assert_eq!(
            when("2027-05-16T09:12:00Z", now).full(),
            "Sun 16 May, 09:12 UTC"
        );
        assert_eq!(
            when("2026-12-24T00:00:00Z", now).full(),
            "Thu 24 Dec 2026, 00:00 UTC"
        );
        assert_eq!(when("2027-05-14T09:12:00Z", now).brief(), "09:12");
        assert_eq!(when("2027-05-13T09:12:00Z", now).brief(), "13 May");
    }

    #[test]
    fn a_moment_in_a_row_leaves_out_what_every_row_would_say() {
        let row = |at| when(at, "2027-05-14T16:42:00Z").in_row();
        assert_eq!(row("2027-05-14T16:42:00Z"), "14 May, 16:42");
        assert_eq!(row("2026-12-24T00:00:00Z"), "24 Dec 2026, 00:00");
    }

    #[test]
    fn what_is_due_says_what_is_left() {
        let html = when("2027-05-14T22:10:00Z", "2027-05-14T16:42:00Z")
            .due()
            .to_string();
        assert!(html.contains("Fri 14 May, 22:10 UTC"), "{html}");
        assert!(html.contains(">in 5 h 28 min<"), "{html}");
    }

    #[test]
    fn what_was_due_is_possible_now() {
        let html = when("2027-05-14T10:00:00Z", "2027-05-14T16:42:00Z")
            .left()
            .to_string();
        assert!(html.contains(">now<"), "{html}");
    }
}
