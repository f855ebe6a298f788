//! Marks on the squares of a board.

use quorate_law::capital;

use crate::ui::html::escape;

/// A mark on a square. Shape carries its meaning; what has no drawing stands as its first letters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // The names are the drawings.
pub enum Glyph {
    Hazard,
    Drop,
    Rings,
    Crate,
    Cup,
    Hexagon,
    Beam,
    Trap,
    Door,
    StairsUp,
    StairsDown,
    Water,
    Tree,
    House,
    Wall,
    Flag,
    Star,
    Gem,
    Bomb,
    Alarm,
    Letters(String),
}

impl Glyph {
    /// The drawing that a name calls for; a name without one gives its first letters.
    pub fn named(name: &str) -> Self {
        match name {
            "hazard" | "acid" => Self::Hazard,
            "drop" | "blood" => Self::Drop,
            "rings" | "target" => Self::Rings,
            "crate" | "box" => Self::Crate,
            "cup" => Self::Cup,
            "hexagon" => Self::Hexagon,
            "beam" | "laser" => Self::Beam,
            "trap" => Self::Trap,
            "door" => Self::Door,
            "stairs-up" => Self::StairsUp,
            "stairs-down" => Self::StairsDown,
            "water" => Self::Water,
            "tree" => Self::Tree,
            "house" => Self::House,
            "wall" => Self::Wall,
            "flag" => Self::Flag,
            "star" => Self::Star,
            "gem" => Self::Gem,
            "bomb" | "dispenser" => Self::Bomb,
            other => Self::Letters(initials(other)),
        }
    }

    /// The tint of the whole square, which lies under everything else.
    pub(crate) fn ground(&self) -> &'static str {
        match self {
            Self::Hazard => r#"<path class="b-hazard" d="M1 1h44v44H1z"/>"#,
            Self::Wall => r#"<path class="b-wall" d="M1 1h44v44H1z"/>"#,
            _ => "",
        }
    }

    /// The drawing in a square of 46 by 46, its corner at the origin.
    pub(crate) fn svg(&self) -> String {
        let line = |path: &str| format!(r#"<path class="b-line" d="{path}"/>"#);
        match self {
            Self::Hazard => {
                let waves = r#"<path class="b-line hz" d="M8 15q5-6 10 0t10 0 10 0M8 24q5-6 10 0t10 0 10 0M8 33q5-6 10 0t10 0 10 0"/>"#;
                waves.into()
            }
            Self::Drop => {
                r#"<path class="b-line bl" d="M23 11c6 8 8 11 8 15a8 8 0 0 1-16 0c0-4 2-7 8-15z"/>"#
                    .into()
            }
            Self::Rings => {
                line("M23 10a13 13 0 1 0 .1 0zm0 6a7 7 0 1 0 .1 0zm0 5.500a1.500 1.500 0 1 0 .1 0z")
            }
            Self::Crate => line("M11 11h24v24H11zl24 24m0-24L11 35"),
            Self::Cup => line(
                "M15 10h16v8a8 8 0 0 1-16 0zm0 3h-5c0 6 2 8 6 8m15-8h5c0 6-2 8-6 8M23 26v7m-7 3h14",
            ),
            Self::Hexagon => line("M23 9l12 7v14l-12 7-12-7V16z"),
            Self::Beam => {
                r#"<path class="b-line" stroke-dasharray="7 5" d="M18 0v46M28 0v46"/>"#.into()
            }
            Self::Trap => line("M9 30l5-12 5 12 4-12 4 12 5-12 5 12"),
            Self::Door => line("M14 38V9h18v29M10 38h26M28 24v1"),
            Self::StairsUp => line("M9 36h7v-7h7v-7h7v-7h7"),
            Self::StairsDown => line("M9 12h7v7h7v7h7v7h7"),
            Self::Water => line("M9 18q5-5 9.500 0t9.500 0 9 0M9 28q5-5 9.500 0t9.500 0 9 0"),
            Self::Tree => line("M23 8L12 24h6l-8 9h26l-8-9h6zM23 33v6"),
            Self::House => line("M10 22L23 10l13 12M14 19v17h18V19"),
            Self::Wall => String::new(),
            Self::Flag => line("M15 38V9h17l-5 6 5 6H15"),
            Self::Star => line(
                "M23 9l4.200 9 9.800 1.200-7.200 6.700 1.900 9.700-8.700-4.800-8.700 4.800 1.900-9.700L9 19.200l9.800-1.200z",
            ),
            Self::Gem => line("M14 12h18l6 8-15 17L8 20zm-6 8h30M23 37l-6-17 6-8 6 8z"),
            Self::Bomb => line("M22 17a10 10 0 1 0 .1 0zm0 0v-4q0-4 5-4h4M31 6v6M28 9h6"),
            Self::Alarm => ALARM.into(),
            Self::Letters(letters) => format!(
                r#"<text class="b-word" x="23" y="28">{}</text>"#,
                escape(letters)
            ),
        }
    }
}

/// The mark of a piece that the law says something of, in the upper right corner of its square.
pub(crate) const ALARM: &str =
    r#"<path class="b-alarm" d="M34 2l10 18H24z"/><path class="b-alarm-t" d="M34 8v6m0 2.500v1"/>"#;

/// The first two letters of a name, the first of them large.
pub(crate) fn initials(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    capital(&letters.take(2).collect::<String>())
}
