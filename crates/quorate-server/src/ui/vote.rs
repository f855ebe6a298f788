//! How a matter stands: gauge, tally and verdict.

use std::fmt;

use askama::Template;

use crate::ui::chrome::Link;
use crate::ui::html::writes_html;
use crate::ui::mark::{Ballot, Status};

/// One bar per vote that could be cast, with the quorum as a line across. FOR stands full from the left, AGAINST split
/// from the right, DEFERENTIAL half and open, and what nobody has cast is a foot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// Votes that count FOR as things stand.
    pub in_favour: u32,
    /// Votes that count AGAINST.
    pub against: u32,
    /// DEFERENTIAL votes that count for nothing yet.
    pub deferring: u32,
    /// Players who could still vote.
    pub silent: u32,
    /// How many FOR make a quorum, where the law knows one.
    pub enough: Option<u32>,
    /// Drawn across a side column, with the quorum's number.
    pub large: bool,
}

/// Bars are drawn in these measures (x unit of the drawing): width of a bar with its gap, and height.
struct Scale {
    step: u32,
    gap: u32,
    height: u32,
    head: u32,
}

impl Gauge {
    /// Its words for readers who hear the page.
    pub fn words(&self) -> String {
        let Self {
            in_favour,
            against,
            deferring,
            silent,
            ..
        } = self;
        let voters = self.voters();
        let enough = self
            .enough
            .map(|q| format!("; quorum {q} of {voters}"))
            .unwrap_or_default();
        format!(
            "{in_favour} for, {against} against, {deferring} deferring, {silent} not voted{enough}"
        )
    }

    /// How many votes could be cast in all.
    pub fn voters(&self) -> u32 {
        self.in_favour + self.against + self.deferring + self.silent
    }

    fn scale(&self) -> Scale {
        let voters = self.voters().max(1);
        if self.large {
            let step = (300 / voters).max(5);
            return Scale {
                step,
                gap: (step / 5).clamp(1, 6),
                height: 34,
                head: 16,
            };
        }
        // Up to fourteen voters keep the same bar; beyond, bars narrow so that the drawing keeps its place in a line.
        let step = (126 / voters).clamp(3, 9);
        Scale {
            step,
            gap: if step > 4 { 2 } else { 1 },
            height: 16,
            head: 0,
        }
    }
}

impl fmt::Display for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Scale {
            step,
            gap,
            height,
            head,
        } = self.scale();
        let bar = step - gap;
        let width = (step * self.voters()).saturating_sub(gap).max(1);
        let (full, split) = (height, height * 2 / 5);
        write!(
            f,
            r#"<svg class="gauge" role="img" aria-label="{}" viewBox="0 0 {width} {}" "#,
            self.words(),
            height + head
        )?;
        if self.large {
            f.write_str(r#"width="100%">"#)?;
        } else {
            write!(f, r#"width="{width}" height="{height}">"#)?;
        }
        let mut x = 0;
        let mut bars = |f: &mut fmt::Formatter<'_>, class, count, shape: &dyn Fn(u32) -> String| {
            if count == 0 {
                return Ok(());
            }
            write!(f, r#"<path class="{class}" d=""#)?;
            for _ in 0..count {
                f.write_str(&shape(x))?;
                x += step;
            }
            f.write_str(r#""/>"#)
        };
        bars(f, "g-for", self.in_favour, &|x| {
            format!("M{x} {head}h{bar}v{full}h-{bar}z")
        })?;
        bars(f, "g-none", self.silent, &|x| {
            format!("M{x} {}h{bar}v2h-{bar}z", head + height - 2)
        })?;
        let (half, inner) = (height / 2, bar.saturating_sub(1).max(1));
        bars(f, "g-def", self.deferring, &|x| {
            format!(
                "M{x}.75 {}.25h{inner}v{}h-{inner}z",
                head + height - half - 1,
                half - 1
            )
        })?;
        let low = head + height - split;
        bars(f, "g-against", self.against, &|x| {
            format!("M{x} {head}h{bar}v{split}h-{bar}zM{x} {low}h{bar}v{split}h-{bar}z")
        })?;
        self.enough_line(f, step, gap, height + head, head)?;
        f.write_str("</svg>")
    }
}

impl Gauge {
    fn enough_line(
        &self,
        f: &mut fmt::Formatter<'_>,
        step: u32,
        gap: u32,
        bottom: u32,
        head: u32,
    ) -> fmt::Result {
        let Some(enough) = self.enough.filter(|q| (1..=self.voters()).contains(q)) else {
            return Ok(());
        };
        let x = f64::from(step * enough) - f64::from(gap) / 2.0;
        let (top, foot) = if self.large {
            (i64::from(head) - 4, bottom + 3)
        } else {
            (-3, bottom + 3)
        };
        if !self.large {
            write!(f, r#"<path class="g-halo" d="M{x} {top}V{foot}"/>"#)?;
        }
        write!(f, r#"<path class="g-q" d="M{x} {top}V{foot}"/>"#)?;
        if self.large {
            let share = f64::from(enough) / f64::from(self.voters());
            let anchor = if share > 0.85 {
                "end"
            } else if share < 0.15 {
                "start"
            } else {
                "middle"
            };
            write!(
                f,
                r#"<text x="{x}" y="9" text-anchor="{anchor}">quorum {enough}</text>"#
            )?;
        }
        Ok(())
    }
}

/// How many votes each side has, sides without any left out by whoever makes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Sides in the law's order.
    pub counts: Vec<(Ballot, u32)>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"<span class="tally">"#)?;
        for (side, count) in &self.counts {
            write!(
                f,
                r#"<span class="{}">{}{count}</span>"#,
                side.tone(),
                side.mark()
            )?;
        }
        f.write_str("</span>")
    }
}

/// A matter's state, with what it rests on and what would change it.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/verdict.html")]
pub struct Verdict {
    /// What has become of it.
    pub status: Status,
    /// The votes as bars; matters without votes have none.
    pub gauge: Option<Gauge>,
    /// The votes as numbers.
    pub tally: Tally,
    /// The short answer, without a full stop: "Has its quorum".
    pub lead: String,
    /// The matter that has to be closed first.
    pub ahead: Option<Link>,
    /// Its reason, and what would change it: "2 players haven’t voted."
    pub why: String,
}

impl Verdict {
    /// The short answer ends where nothing follows in the same sentence.
    fn stop(&self) -> &'static str {
        let is_done = self.ahead.is_none() && self.lead.ends_with(['.', '!', '?', '…', '”', '"']);
        if self.lead.is_empty() || is_done {
            ""
        } else {
            "."
        }
    }

    /// The short answer with what comes first, as a sentence.
    #[must_use]
    pub fn short(&self) -> String {
        let ahead = self.ahead.as_ref();
        let ahead = ahead.map_or_else(String::new, |ahead| {
            format!("; waits for “{}”", ahead.title)
        });
        format!("{}{ahead}{}", self.lead, self.stop())
    }

    /// The whole of it as one text.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{} {}", self.short(), self.why).trim().to_owned()
    }
}

writes_html!(Gauge, Tally, Verdict);

#[cfg(test)]
mod tests {
    use super::*;

    fn gauge() -> Gauge {
        Gauge {
            in_favour: 4,
            against: 2,
            deferring: 2,
            silent: 3,
            enough: Some(6),
            large: false,
        }
    }

    #[test]
    fn a_gauge_says_in_words_what_it_draws() {
        let words = "4 for, 2 against, 2 deferring, 3 not voted; quorum 6 of 11";
        assert_eq!(gauge().words(), words);
        assert!(gauge().to_string().contains(words));
    }

    #[test]
    fn a_gauge_of_sixty_voters_stays_in_its_line() {
        let html = Gauge {
            in_favour: 30,
            silent: 30,
            ..gauge()
        }
        .to_string();
        let width: u32 = html
            .split("width=\"")
            .nth(1)
            .and_then(|s| s.split('"').next())
            .and_then(|s| s.parse().ok())
            .expect("a width");
        assert!(width <= 200, "{width}");
    }

    #[test]
    fn a_quorum_that_nobody_can_reach_has_no_line() {
        let html = Gauge {
            enough: Some(40),
            ..gauge()
        }
        .to_string();
        assert!(!html.contains("g-q"));
    }

    #[test]
    fn a_game_without_voters_draws_an_empty_gauge() {
        let html = Gauge {
            in_favour: 0,
            against: 0,
            deferring: 0,
            silent: 0,
            enough: Some(1),
            large: true,
        }
        .to_string();
        assert!(html.ends_with("</svg>"));
    }
}
