//! Squares and boards.

use quorate_kernel::{Name, Square};

use crate::errors::fault;
use crate::values::callable::{Args, Eval, Native, NativeResult, Receiver};
use crate::values::plain::SquareValue;
use crate::values::square::square_name;

pub(crate) const NATIVES: &[Native] = &[
    ("Square.step", step),
    ("Square.way", way),
    ("Square.around", |args, _| {
        let from = here(args)?;
        let size = size(args, &from.board)?;
        let around = WAYS.iter();
        let around = around.filter_map(|(_, c, r)| beside(&from, (*c, *r), size));
        args.give(around.collect::<Vec<_>>())
    }),
    ("Square.near", near),
    ("Board.squares", |args, _| args.give(every_square(args)?)),
    ("Board.square", |args, _| {
        let name = args.text(0)?;
        let mut squares = every_square(args)?.into_iter();
        args.give(squares.find(|square| square_name(square) == name))
    }),
];

/// The eight ways on a board: word, columns, rows.
const WAYS: [(&str, i32, i32); 8] = [
    ("north", 0, -1),
    ("north-east", 1, -1),
    ("east", 1, 0),
    ("south-east", 1, 1),
    ("south", 0, 1),
    ("south-west", -1, 1),
    ("west", -1, 0),
    ("north-west", -1, -1),
];

fn here(args: &Args<'_, '_>) -> starlark::Result<Square> {
    match args.receiver {
        Receiver::Square(square) => Ok(square.clone()),
        _ => Err(fault("this is a method of squares")),
    }
}

fn size(args: &Args<'_, '_>, board: &Name) -> starlark::Result<(usize, usize)> {
    let (columns, rows) = args.frame.answer(args.world()?.board(board.as_str()))?;
    Ok((columns.len(), rows.len()))
}

fn beside(from: &Square, way: (i32, i32), size: (usize, usize)) -> Option<Square> {
    let column = usize::try_from(i32::from(from.column) + way.0).ok()?;
    let row = usize::try_from(i32::from(from.row) + way.1).ok()?;
    (column < size.0 && row < size.1).then_some(Square {
        board: from.board.clone(),
        column: u16::try_from(column).ok()?,
        row: u16::try_from(row).ok()?,
    })
}

fn step<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let from = here(args)?;
    let word = args.text(0)?;
    let Some((_, columns, rows)) = WAYS.iter().find(|(way, ..)| *way == word) else {
        return Err(fault(format!(
            "\"{word}\" is no way on a board: say \"north\", \"south-east\" and so on"
        )));
    };
    args.give(beside(&from, (*columns, *rows), size(args, &from.board)?))
}

fn way<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let from = here(args)?;
    let word = SquareValue::of(args.value(0)).and_then(|to| {
        let columns = (i32::from(to.column) - i32::from(from.column)).signum();
        let rows = (i32::from(to.row) - i32::from(from.row)).signum();
        WAYS.iter().find(|(_, c, r)| (*c, *r) == (columns, rows))
    });
    args.give(word.map_or("", |(word, ..)| word))
}

fn near<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let from = here(args)?;
    let near = SquareValue::of(args.value(0)).is_some_and(|to| {
        to.board == from.board
            && to.column.abs_diff(from.column) <= 1
            && to.row.abs_diff(from.row) <= 1
    });
    args.give(near)
}

/// All squares of the board that a method is called on, row by row.
fn every_square(args: &Args<'_, '_>) -> starlark::Result<Vec<Square>> {
    let board = args.receiver_kind()?;
    let (columns, rows) = size(args, &board)?;
    let count = |labels: usize| u16::try_from(labels).unwrap_or(u16::MAX);
    let squares = (0..count(rows)).flat_map(|row| {
        let board = board.clone();
        (0..count(columns)).map(move |column| Square {
            board: board.clone(),
            column,
            row,
        })
    });
    Ok(squares.collect())
}
