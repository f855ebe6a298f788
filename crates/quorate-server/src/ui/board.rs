//! Boards: squares with marks, pieces on them, and the squares one may choose, drawn from plain data.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use askama::Template;
use quorate_law::capital;

use crate::ui::glyph::{ALARM, Glyph, initials};
use crate::ui::html::escape;
use crate::ui::html::writes_html;
use crate::ui::urls::Href;

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
        let tags = tags(&self.pieces);
        let tag = |piece: &Piece| tags.get(piece.name.as_str()).cloned().unwrap_or_default();
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
                        let letters = tag(piece);
                        let letters = escape(&letters);
                        format!(
                            r#"<circle class="b-man" cx="23" cy="23" r="15.5"/><text class="b-man-t" x="23" y="28">{letters}</text>"#
                        )
                    },
                    |picture| format!("{}{}", portrait(picture), badge(&tag(piece))),
                );
                let alarm = if piece.alarms.is_empty() { "" } else { ALARM };
                let _ = write!(out, r#"<g transform="{place}">{ring}{man}{alarm}</g>"#);
            }
        }
        out
    }

    /// What stands where, square by square, for readers who cannot see the drawing.
    fn in_words(&self) -> Vec<(String, String)> {
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

/// Letters at the foot of a picture: small pictures look alike.
fn badge(letters: &str) -> String {
    format!(
        r#"<rect class="b-tag" x="23" y="31" width="20" height="13" rx="2"/><text class="b-tag-t" x="33" y="41">{}</text>"#,
        escape(letters)
    )
}

/// Two letters for each piece, by its name: its first two, or its first and the next of its letters that tells it from a piece
/// before it.
fn tags(pieces: &[Piece]) -> BTreeMap<&str, String> {
    let mut tags: BTreeMap<&str, String> = BTreeMap::new();
    for piece in pieces {
        let mut letters = piece.name.chars().filter(|letter| letter.is_alphanumeric());
        let first = letters.next();
        let mut pairs = letters.filter_map(|second| Some(capital(&format!("{}{second}", first?))));
        let is_free = |tag: &String| !tags.values().any(|known| known == tag);
        let own = pairs.find(is_free);
        let own = own.unwrap_or_else(|| initials(&piece.name));
        tags.entry(piece.name.as_str()).or_insert(own);
    }
    tags
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
        assert_eq!(
            warned.in_words()[0].1,
            "anna (you), <bo (in danger: a bomb)"
        );
    }

    #[test]
    fn a_board_is_told_square_by_square() {
        assert_eq!(
            board().in_words(),
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
    fn who_has_a_picture_is_drawn_by_it_with_letters_at_its_foot() {
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
        let foot = r#"class="b-tag-t" x="33" y="41">An</text>"#;
        assert!(
            drawn.contains(r#"y="28">Bo</text>"#) && drawn.contains(foot),
            "{drawn}"
        );
    }

    #[test]
    fn row_one_lies_at_the_bottom() {
        assert!(board().corner(0, 0).1 > board().corner(0, 1).1);
    }
}
