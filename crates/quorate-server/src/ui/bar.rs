//! Bars: a share of a whole, such as the hit points that are left.

use askama::Template;

use crate::ui::html::writes_html;

/// A share of a whole. Its text stands beside it, so that nothing is told by the bar alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Template)]
#[template(path = "ui/bar.html")]
pub struct Bar {
    /// How much there is.
    pub part: i64,
    /// How much there may be; more than nothing.
    pub whole: i64,
}

impl Bar {
    /// A share of a most; none where there is no such measure.
    pub fn new(part: i64, whole: i64) -> Option<Self> {
        (whole > 0).then_some(Self { part, whole })
    }

    /// The share that a text tells as "7/10 HP", "7 of 10" or "7 (10)". Two bare numbers with a stroke between them may be
    /// anything, such as a level and its points.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_suffix(')').unwrap_or(text);
        let mut told = ["/", " of ", " ("].iter();
        let (part, whole) = told.find_map(|between| text.split_once(between))?;
        if text.contains('/') && !text.contains(char::is_alphabetic) {
            return None;
        }
        let whole = whole.split_whitespace().next()?;
        Self::new(part.trim().parse().ok()?, whole.parse().ok()?)
    }

    /// In hundredths of the whole, as far as the bar can show it.
    fn hundredths(self) -> i64 {
        let part = self.part.clamp(0, self.whole);
        part.saturating_mul(100) / self.whole
    }

    /// Whether there is more than there may be.
    fn is_over(self) -> bool {
        self.part > self.whole
    }
}

writes_html!(Bar);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_read_from_its_text() {
        assert_eq!(Bar::parse("4/111"), None, "a level and its points");
        assert_eq!(Bar::parse("5/10 HP"), Bar::new(5, 10));
        assert_eq!(Bar::parse("7 (12)"), Bar::new(7, 12));
        assert_eq!(Bar::parse("Odile (53)"), None);
        assert_eq!(Bar::parse("1/0"), None);
    }

    #[test]
    fn a_crowd_that_is_too_large_fills_its_bar_and_says_so() {
        let bar = Bar::parse("179 of 100").expect("a share");
        assert_eq!((bar.hundredths(), bar.is_over()), (100, true));
    }
}
