//! Boards with who and what stands on them.

use quorate_engine::convert;
use quorate_engine::law::BoardDecl;
use quorate_kernel::rows::CellKey;
use quorate_kernel::{Name, Square, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, ShownTo};

use crate::ui::html::slug;
use crate::ui::{Board, Glyph, LegendLine, Piece, Square as Mark};
use crate::view::alarms;
use crate::view::alarms::BoardStanding;
use crate::view::game::GameView;
use crate::view::kinds::Source;

/// How many columns of numbers the table beside a board has.
pub(crate) const FIGURES: usize = 3;

/// A square by its column and row, as the law names them.
pub(crate) fn square_name(decl: &BoardDecl, square: &Square) -> String {
    let label = |labels: &[String], at: u16| labels.get(usize::from(at)).cloned();
    let column = label(&decl.columns, square.column).unwrap_or_default();
    let row = label(&decl.rows, square.row).unwrap_or_default();
    format!("{column}{row}")
}

/// Everything that stands on a board and that the reader may see there, players first.
pub(crate) fn standing(view: &GameView, board: &Name) -> Vec<BoardStanding> {
    let places: Vec<(&Name, &Name)> = view
        .law
        .values
        .iter()
        .filter(|(_, decl)| {
            decl.it.shown_to != ShownTo::Nobody
                && matches!(&decl.it.holds, Holds::Place { board: of } if of == board)
        })
        .map(|((kind, name), _)| (kind, name))
        .collect();
    let mut found = Vec::new();
    for (kind, name) in places {
        let things = view.trial_run(|tx| tx.things_of(kind));
        let placed: Vec<_> = things
            .into_iter()
            .filter_map(|thing| {
                let key = CellKey {
                    thing: thing.clone(),
                    name: name.clone(),
                };
                let cell = view.state().cells.get(&key)?;
                let Value::Square(square) = cell.value.open() else {
                    return None;
                };
                view.sight()
                    .shown(&key)
                    .then(|| (thing, square.clone(), cell.by))
            })
            .collect();
        let sorted_by = sort_value(view, kind);
        found.extend(view.trial_run(|tx| {
            let told = placed.into_iter().map(|(thing, square, by)| {
                let name = tx.label(&Datum::Thing(thing.clone()));
                let sort = sorted_by
                    .as_ref()
                    .and_then(|value| {
                        view.state().cells.get(&CellKey {
                            thing: thing.clone(),
                            name: value.clone(),
                        })
                    })
                    .map(|cell| tx.label(&convert::datum(cell.value.open())));
                BoardStanding {
                    picture: view.portrait(tx, &thing),
                    sort: sort.unwrap_or_else(|| name.clone()),
                    thing,
                    square,
                    name,
                    by,
                }
            });
            told.collect::<Vec<_>>()
        }));
    }
    found.sort_by_key(|one| (!matches!(one.thing, Thing::Player(_)), one.by));
    found
}

/// The value by which things of a kind are told apart: the first that everybody may see and that is one of a list.
fn sort_value(view: &GameView, kind: &Name) -> Option<Name> {
    if *kind == "Player" {
        return None;
    }
    let values = view.values_of_kind(kind);
    let told = values.iter().find(|value| match value.source {
        Source::Kept(decl) => {
            decl.shown_to == ShownTo::All
                && match &decl.holds {
                    Holds::Choice(_) => true,
                    Holds::Reference(to) => view.law.tables.contains_key(to),
                    _ => false,
                }
        }
        _ => false,
    });
    told.map(|value| value.name().clone())
}

/// A board as it stands, without anything to choose.
pub(crate) fn drawing(view: &GameView, name: &Name) -> Option<Board> {
    let decl = view.law.boards.get(name)?;
    Some(draw(view, name, &decl.it, &standing(view, name)))
}

pub(crate) fn draw(
    view: &GameView,
    name: &Name,
    decl: &BoardDecl,
    standing: &[BoardStanding],
) -> Board {
    let mut board = Board {
        id: slug(name.as_str()),
        title: view.themed(&decl.title),
        columns: decl.columns.clone(),
        rows: decl.rows.iter().rev().cloned().collect(),
        squares: Vec::new(),
        pieces: Vec::new(),
        trails: Vec::new(),
        targets: Vec::new(),
        form: None,
        legend: Vec::new(),
    };
    let mut alarms = alarms::alarms(view, standing);
    for one in standing {
        let Some((column, row)) = place(decl, &one.square) else {
            continue;
        };
        if let Thing::Player(id) = one.thing {
            board.pieces.push(Piece {
                column,
                row,
                name: one.name.clone(),
                is_you: view.me == Some(id),
                picture: one.picture.clone(),
                alarms: alarms.of.remove(&one.thing).unwrap_or_default(),
            });
            if one.picture.is_some() {
                board.legend.push(LegendLine {
                    glyph: None,
                    picture: one.picture.clone(),
                    words: one.name.clone(),
                });
            }
            continue;
        }
        let glyph = glyph(&one.sort);
        let known = board
            .legend
            .iter()
            .any(|line| line.glyph.as_ref() == Some(&glyph) && line.words == one.sort);
        if !known {
            board.legend.push(LegendLine {
                glyph: Some(glyph.clone()),
                picture: None,
                words: one.sort.clone(),
            });
        }
        board.squares.push(Mark {
            column,
            row,
            glyph,
            name: one.sort.clone(),
        });
    }
    if board.pieces.iter().any(|piece| piece.picture.is_none()) {
        let line = LegendLine {
            glyph: None,
            picture: None,
            words: view.word("Player"),
        };
        board.legend.insert(0, line);
    }
    for title in alarms.titles {
        board.legend.push(LegendLine {
            glyph: Some(Glyph::Alarm),
            picture: None,
            words: title,
        });
    }
    board
}

/// Where a square lies in a drawing, whose rows are counted from the bottom.
pub(crate) fn place(decl: &BoardDecl, square: &Square) -> Option<(usize, usize)> {
    let (column, row) = (usize::from(square.column), usize::from(square.row));
    let inside = column < decl.columns.len() && row < decl.rows.len();
    inside.then(|| (column, decl.rows.len() - 1 - row))
}

/// The drawing for a thing of that name: of the first word that has one, else its first letters.
pub(crate) fn glyph(name: &str) -> Glyph {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    let drawn = words
        .map(|word| Glyph::named(&word.to_lowercase()))
        .find(|glyph| !matches!(glyph, Glyph::Letters(_)));
    drawn.unwrap_or_else(|| Glyph::named(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_drawn_from_the_bottom() {
        let decl = BoardDecl {
            title: "Deck".to_owned(),
            columns: vec!["A".to_owned(), "B".to_owned()],
            rows: vec!["3".to_owned(), "2".to_owned(), "1".to_owned()],
        };
        let at = |column, row| Square {
            board: "deck".into(),
            column,
            row,
        };
        assert_eq!(place(&decl, &at(1, 0)), Some((1, 2)), "the topmost row");
        assert_eq!(place(&decl, &at(0, 2)), Some((0, 0)));
        assert_eq!(place(&decl, &at(2, 0)), None, "beyond the last column");
    }

    #[test]
    fn a_thing_is_drawn_by_the_first_word_that_has_a_drawing() {
        assert_eq!(glyph("Acid Pool"), Glyph::Hazard);
        assert_eq!(glyph("Pool of Blood"), Glyph::Drop);
        assert_eq!(glyph("CUP"), Glyph::Cup);
        assert_eq!(glyph("Statue"), Glyph::Letters("St".to_owned()));
    }
}
