//! Boards: squares with marks, pieces on them, and the squares one may choose, drawn from plain data.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use askama::Template;
use quorate_law::capital;

use crate::ui::html::writes_html;
use crate::ui::markup::escape;
use crate::ui::urls::Href;

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
    fn ground(&self) -> &'static str {
        match self {
            Self::Hazard => r#"<path class="b-hazard" d="M1 1h44v44H1z"/>"#,
            Self::Wall => r#"<path class="b-wall" d="M1 1h44v44H1z"/>"#,
            _ => "",
        }
    }

    /// The drawing in a square of 46 by 46, its corner at the origin.
    fn svg(&self) -> String {
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

/// A square with what lies on it.
#[derive(Clone, Debug)]
pub struct Square {
    /// Column, from 0 at the left.
    pub column: usize,
    /// Row, from 0 at the bottom.
    pub row: usize,
    /// Drawn in this order.
    pub glyph: Glyph,
    /// What it is called: "an Acid Pool".
    pub name: String,
}

/// Somebody or something that stands on a square.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Column, from 0 at the left.
    pub column: usize,
    /// Row, from 0 at the bottom.
    pub row: usize,
    /// The name; its first two letters are drawn.
    pub name: String,
    /// Whether it is the reader.
    pub is_you: bool,
    /// A picture that is drawn instead of letters.
    pub picture: Option<Href>,
    /// What the law says of it that is worth a mark: "in danger: a bomb is attached".
    pub alarms: Vec<String>,
}

/// A square that may be chosen.
#[derive(Clone, Debug)]
pub struct Target {
    /// Column, from 0 at the left.
    pub column: usize,
    /// Row, from 0 at the bottom.
    pub row: usize,
    /// What the form sends.
    pub value: String,
    /// What it is called: "E4".
    pub title: String,
    /// What happens there: "an empty square".
    pub words: String,
    /// Whether it is known to do harm.
    pub is_risky: bool,
    /// Whether it is chosen as the page comes.
    pub is_chosen: bool,
    /// The page with it chosen, for readers without scripts.
    pub href: Href,
}

/// The way that something took in the last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trail {
    /// Column and row where it began.
    pub from: (usize, usize),
    /// Column and row where it ended.
    pub to: (usize, usize),
}

/// A line of the legend.
#[derive(Clone, Debug)]
pub struct LegendLine {
    /// A drawing, or nothing for a piece.
    pub glyph: Option<Glyph>,
    /// The picture of a piece.
    pub picture: Option<Href>,
    /// What it means.
    pub words: String,
}

/// A grid with what is on it.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/board.html")]
pub struct Board {
    /// The element's id.
    pub id: String,
    /// "The Arena".
    pub title: String,
    /// Names of the columns, from the left.
    pub columns: Vec<String>,
    /// Names of the rows, from the bottom.
    pub rows: Vec<String>,
    /// Marks.
    pub squares: Vec<Square>,
    /// Those who stand on it.
    pub pieces: Vec<Piece>,
    /// Ways of the last move.
    pub trails: Vec<Trail>,
    /// Squares that may be chosen in the form of this id.
    pub targets: Vec<Target>,
    /// The form whose radios are the same choice.
    pub form: Option<String>,
    /// What the marks mean.
    pub legend: Vec<LegendLine>,
}

const SIDE: usize = 46;
const MARGIN: usize = 24;

/// The mark of a piece that the law says something of, in the upper right corner of its square.
const ALARM: &str =
    r#"<path class="b-alarm" d="M34 2l10 18H24z"/><path class="b-alarm-t" d="M34 8v6m0 2.500v1"/>"#;

impl Board {
    fn width(&self) -> usize {
        MARGIN + self.columns.len() * SIDE + 2
    }

    fn height(&self) -> usize {
        self.rows.len() * SIDE + MARGIN + 2
    }

    fn corner(&self, column: usize, row: usize) -> (usize, usize) {
        (
            MARGIN + column * SIDE,
            1 + self.rows.len().saturating_sub(row + 1) * SIDE,
        )
    }

    fn square_name(&self, column: usize, row: usize) -> String {
        let name = |names: &[String], index: usize| names.get(index).cloned().unwrap_or_default();
        format!("{}{}", name(&self.columns, column), name(&self.rows, row))
    }

    /// Ground, lines, coordinates.
    fn grid(&self) -> String {
        let (w, h) = (self.columns.len() * SIDE, self.rows.len() * SIDE);
        let mut out = format!(
            r#"<path class="ground" d="M{MARGIN} 1h{w}v{h}h-{w}z"/><path class="lines" d=""#
        );
        for column in 1..self.columns.len() {
            let _ = write!(out, "M{} 1v{h}", MARGIN + column * SIDE);
        }
        for row in 1..self.rows.len() {
            let _ = write!(out, "M{MARGIN} {}h{w}", 1 + row * SIDE);
        }
        out.push_str(r#""/>"#);
        for (index, name) in self.columns.iter().enumerate() {
            let _ = write!(
                out,
                r#"<text class="coord" x="{}" y="{}">{}</text>"#,
                MARGIN + index * SIDE + SIDE / 2,
                h + 18,
                escape(name)
            );
        }
        for (index, name) in self.rows.iter().enumerate() {
            let y = self.corner(0, index).1 + SIDE / 2 + 5;
            let _ = write!(
                out,
                r#"<text class="coord" x="11" y="{y}">{}</text>"#,
                escape(name)
            );
        }
        out
    }

    fn marks(&self) -> String {
        self.placed(Glyph::svg)
    }

    fn grounds(&self) -> String {
        self.placed(|glyph| glyph.ground().to_owned())
    }

    /// What each square's mark draws, moved to its square.
    fn placed(&self, draw: impl Fn(&Glyph) -> String) -> String {
        let mut out = String::new();
        for square in &self.squares {
            let drawn = draw(&square.glyph);
            if !drawn.is_empty() {
                let (x, y) = self.corner(square.column, square.row);
                let _ = write!(out, r#"<g transform="translate({x} {y})">{drawn}</g>"#);
            }
        }
        out
    }

    /// The last move's ways: a line from the square that was left to the edge of the piece that went, and an open ring
    /// where it began.
    fn ways(&self) -> String {
        let mut out = String::new();
        let middle = |(column, row): (usize, usize)| {
            let (x, y) = self.corner(column, row);
            (x + SIDE / 2, y + SIDE / 2)
        };
        for trail in &self.trails {
            let ((x, y), (to_x, to_y)) = (middle(trail.from), middle(trail.to));
            let _ = write!(
                out,
                r#"<path class="b-trail" d="M{x} {y}L{to_x} {to_y}"/><circle class="b-from" cx="{x}" cy="{y}" r="6"/>"#
            );
        }
        out
    }

    fn edge(&self) -> String {
        let (w, h) = (self.columns.len() * SIDE, self.rows.len() * SIDE);
        format!(r#"<path class="edge" d="M{MARGIN} 1h{w}v{h}h-{w}z"/>"#)
    }

    /// Squares to choose from. They lie under marks and pieces, which let clicks through.
    fn choices(&self) -> String {
        let mut out = String::new();
        for target in &self.targets {
            let (x, y) = self.corner(target.column, target.row);
            let class = match (target.is_risky, target.is_chosen) {
                (true, true) => "b-move risk at",
                (true, false) => "b-move risk",
                (false, true) => "b-move at",
                (false, false) => "b-move",
            };
            let occupied = self
                .squares
                .iter()
                .any(|s| (s.column, s.row) == (target.column, target.row))
                || self
                    .pieces
                    .iter()
                    .any(|p| (p.column, p.row) == (target.column, target.row));
            let dot = if occupied {
                String::new()
            } else {
                format!(
                    r#"<circle class="b-dot" cx="{}" cy="{}" r="3.500"/>"#,
                    x + SIDE / 2,
                    y + SIDE / 2
                )
            };
            let name = self.square_name(target.column, target.row);
            let _ = write!(
                out,
                r#"<a href="{}" data-square="{}" aria-label="{name}: {}"><rect class="{class}" x="{}" y="{}" width="40" height="40" rx="2"/>{dot}</a>"#,
                target.href,
                escape(&target.value),
                escape(&target.words),
                x + 3,
                y + 3,
            );
        }
        out
    }

    /// Pieces; those who share a square stand smaller, in two columns.
    fn men(&self) -> String {
        let mut crowds: BTreeMap<(usize, usize), Vec<&Piece>> = BTreeMap::new();
        for piece in &self.pieces {
            crowds
                .entry((piece.column, piece.row))
                .or_default()
                .push(piece);
        }
        let mut out = String::new();
        for ((column, row), crowd) in crowds {
            let (x, y) = self.corner(column, row);
            for (index, piece) in crowd.iter().enumerate() {
                let place = if crowd.len() == 1 {
                    format!("translate({x} {y})")
                } else {
                    let (dx, dy) = (index % 2 * SIDE / 2, index / 2 * SIDE / 2);
                    format!("translate({} {}) scale(.5)", x + dx, y + dy)
                };
                let ring = match (piece.is_you, &piece.picture) {
                    (false, _) => "",
                    (true, None) => r#"<circle class="b-me" cx="23" cy="23" r="19.5"/>"#,
                    (true, Some(_)) => {
                        r#"<rect class="b-me" x="2.5" y="2.5" width="41" height="41" rx="3"/>"#
                    }
                };
                let man = piece.picture.as_ref().map_or_else(
                    || {
                        let letters = escape(&initials(&piece.name)).to_string();
                        format!(
                            r#"<circle class="b-man" cx="23" cy="23" r="15.5"/><text class="b-man-t" x="23" y="28">{letters}</text>"#
                        )
                    },
                    portrait,
                );
                let alarm = if piece.alarms.is_empty() { "" } else { ALARM };
                let _ = write!(out, r#"<g transform="{place}">{ring}{man}{alarm}</g>"#);
            }
        }
        out
    }

    /// What stands where, square by square, for readers who cannot see the drawing.
    fn told(&self) -> Vec<(String, String)> {
        let mut by_square: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        for square in &self.squares {
            by_square
                .entry((square.column, square.row))
                .or_default()
                .push(square.name.clone());
        }
        for piece in &self.pieces {
            let mut name = if piece.is_you {
                format!("{} (you)", piece.name)
            } else {
                piece.name.clone()
            };
            if !piece.alarms.is_empty() {
                name = format!("{name} ({})", piece.alarms.join("; "));
            }
            by_square
                .entry((piece.column, piece.row))
                .or_default()
                .push(name);
        }
        by_square
            .into_iter()
            .map(|((c, r), names)| (self.square_name(c, r), names.join(", ")))
            .collect()
    }

    fn extent(&self) -> String {
        let ends = |names: &[String]| match (names.first(), names.last()) {
            (Some(first), Some(last)) => format!("{first} to {last}"),
            _ => "none".to_owned(),
        };
        format!("columns {}, rows {}", ends(&self.columns), ends(&self.rows))
    }
}

impl LegendLine {
    pub(crate) fn svg(&self) -> String {
        match (&self.glyph, &self.picture) {
            (_, Some(picture)) => portrait(picture),
            (Some(Glyph::Alarm), None) => {
                format!(r#"<g transform="translate(-11 12)">{ALARM}</g>"#)
            }
            (Some(glyph), None) => format!("{}{}", glyph.ground(), glyph.svg()),
            (None, None) => r#"<circle class="b-man" cx="23" cy="23" r="15.5"/>"#.to_owned(),
        }
    }
}

/// Somebody's picture, on a ground of its own.
fn portrait(picture: &Href) -> String {
    format!(
        r#"<rect class="b-pic" x="4" y="4" width="38" height="38" rx="2"/><image href="{picture}" x="5" y="5" width="36" height="36"/>"#
    )
}

/// The first two letters of a name, the first of them large.
fn initials(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    capital(&letters.take(2).collect::<String>())
}

writes_html!(Board);

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Board {
        Board {
            id: "b".into(),
            title: "Deck".into(),
            columns: ["A", "B"].map(String::from).to_vec(),
            rows: ["1", "2"].map(String::from).to_vec(),
            squares: vec![Square {
                column: 1,
                row: 0,
                glyph: Glyph::Crate,
                name: "a Crate".into(),
            }],
            pieces: vec![
                Piece {
                    column: 0,
                    row: 1,
                    name: "anna".into(),
                    is_you: true,
                    picture: None,
                    alarms: Vec::new(),
                },
                Piece {
                    column: 0,
                    row: 1,
                    name: "<bo".into(),
                    is_you: false,
                    picture: None,
                    alarms: Vec::new(),
                },
            ],
            trails: vec![],
            targets: vec![],
            form: None,
            legend: vec![],
        }
    }

    #[test]
    fn a_trail_leads_from_the_middle_of_a_square_to_that_of_another() {
        let trail = Trail {
            from: (0, 0),
            to: (1, 1),
        };
        let drawn = Board {
            trails: vec![trail],
            ..board()
        };
        assert!(drawn.ways().contains("M47 70L93 24"), "{}", drawn.ways());
    }

    #[test]
    fn a_piece_that_the_law_warns_of_carries_a_mark_and_its_words() {
        let mut warned = board();
        warned.pieces[1].alarms = vec!["in danger: a bomb".to_owned()];
        assert_eq!(warned.men().matches("b-alarm\"").count(), 1);
        assert_eq!(warned.told()[0].1, "anna (you), <bo (in danger: a bomb)");
    }

    #[test]
    fn a_board_is_told_square_by_square() {
        assert_eq!(
            board().told(),
            vec![
                ("A2".to_owned(), "anna (you), <bo".to_owned()),
                ("B1".to_owned(), "a Crate".to_owned())
            ]
        );
    }

    #[test]
    fn those_who_share_a_square_are_drawn_smaller() {
        assert_eq!(board().men().matches("scale(.5)").count(), 2);
    }

    #[test]
    fn who_has_a_picture_is_drawn_by_it_and_others_by_their_letters() {
        let mut board = board();
        let (game, thing, name, digest) = ("deck", "player:1", "face", "ab");
        let face = crate::ui::urls::Picture {
            game,
            thing,
            name,
            digest,
        };
        board.pieces[0].picture = Some(face.into());
        let drawn = board.men();
        assert!(
            drawn.contains(r#"href="/g/deck/picture/player:1/face/ab""#),
            "{drawn}"
        );
        assert!(
            drawn.contains(">Bo</text>") && !drawn.contains(">An</text>"),
            "{drawn}"
        );
    }

    #[test]
    fn row_one_lies_at_the_bottom() {
        assert!(board().corner(0, 0).1 > board().corner(0, 1).1);
    }
}
