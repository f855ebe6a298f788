//! Dice shown as dice.

use std::fmt;

use crate::ui::html::writes_html;
use crate::ui::time::When;

/// A die: rolled, or about to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Die {
    /// How many sides it has.
    pub sides: u64,
    /// What it shows; nothing before it is rolled.
    pub shows: Option<u64>,
}

impl Die {
    /// A die that has fallen.
    pub fn rolled(sides: u64, shows: u64) -> Self {
        Self {
            sides,
            shows: Some(shows),
        }
    }

    /// A die that will be rolled.
    pub fn to_come(sides: u64) -> Self {
        Self { sides, shows: None }
    }
}

impl fmt::Display for Die {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.sides, self.shows) {
            (6, Some(n @ 1..=6)) => {
                write!(
                    f,
                    r##"<svg class="die" role="img" aria-label="{n}"><use href="#d-{n}"/></svg>"##
                )
            }
            // Numbers of four and more digits do not fit into the drawing and stand as themselves.
            (sides, Some(n)) if n > 999 => {
                write!(
                    f,
                    r#"<span class="sum">{n}</span><span class="sr"> of {sides}</span>"#
                )
            }
            (sides, Some(n)) => write!(
                f,
                r##"<svg class="die" viewBox="0 0 24 24" role="img" aria-label="{n} of {sides}"><use href="#d-n"/><text x="12" y="16">{n}</text></svg>"##
            ),
            (sides, None) => {
                let shape = if sides == 6 { "d-0" } else { "d-n" };
                write!(
                    f,
                    r##"<svg class="die ghost" viewBox="0 0 24 24" aria-hidden="true"><use href="#{shape}"/><text x="12" y="16">?</text></svg>"##
                )
            }
        }
    }
}

/// A colour that the dice line drew, shown as itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swatch(pub [u8; 3]);

impl fmt::Display for Swatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(
            f,
            r##"<svg class="swatch" viewBox="0 0 24 24" aria-hidden="true"><path d="M2 2h20v20H2z" fill="#{r:02x}{g:02x}{b:02x}"/></svg>"##
        )
    }
}

/// A line of the dice log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roll {
    /// When it fell.
    pub when: When,
    /// Who rolled.
    pub by: String,
    /// What it was for.
    pub what: String,
    /// The dice in order.
    pub dice: Vec<Die>,
    /// A drawn colour.
    pub swatch: Option<Swatch>,
    /// The result as words: "10", "#3F7F78", "Quince".
    pub result: String,
}

writes_html!(Die, Swatch);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_die_says_what_it_shows() {
        assert!(Die::rolled(6, 4).to_string().contains(r#"aria-label="4""#));
        assert!(
            Die::rolled(20, 17)
                .to_string()
                .contains(r#"aria-label="17 of 20""#)
        );
        assert!(
            Die::rolled(1_000_000, 123_456)
                .to_string()
                .contains(">123456<")
        );
    }
}
