//! Methods: of kinds, squares, boards, ledgers and values; and quantities.

use quorate_kernel::{Moment, Name, Square, Thing};
use starlark::eval::Evaluator;
use starlark::values::list::AllocList;
use starlark::values::{UnpackValue, Value};

use crate::datum::Datum;
use crate::frame::fault;
use crate::host::bodies::{thing_or_none, things};
use crate::stop::Question;
use crate::values::callable::{Args, Native, Receiver};
use crate::values::convert::to_value;
use crate::values::square::{SquareValue, square_name};
use crate::values::thing::ThingValue;

type Result<'v> = starlark::Result<Value<'v>>;
type Eval<'v, 'a, 'e> = Evaluator<'v, 'a, 'e>;

#[rustfmt::skip]
pub(crate) fn natives() -> Vec<Native> {
    vec![
        Native { signature: "K.all(**where: Any) -> list[K]", run: all, doc: "All of the kind that match, oldest first, rows in law order." },
        Native { signature: "K.at(square: Square | None) -> K | None", run: at, doc: "Who or what stands there." },
        Native { signature: "K.row(key: str) -> K", run: row, doc: "One row of a table, or the player of that name." },
        Native { signature: "K.create(**values: Any) -> K", run: create, doc: "A new thing." },
        Native { signature: "K.choose(what: str, options: list[K], within: Span = ?, default: K | None = ?) -> K", run: choose, doc: "The one who acts picks." },
        Native { signature: "K.offer(what: str, options: list[K], within: Span = ?) -> K | None", run: offer, doc: "The one who acts picks, or declines." },
        Native { signature: "K.draw(what: str, options: list[K] = ?, weights: list[int] = ?) -> K", run: draw, doc: "One die picks, among all if there are no options." },
        Native { signature: "Square.step(way: str) -> Square | None", run: step, doc: "The next square that way; None beyond the edge." },
        Native { signature: "Square.way(other: Square | None) -> str", run: way, doc: "The way to another square: `north`, `south-east`, …" },
        Native { signature: "Square.around() -> list[Square]", run: around, doc: "The squares that touch it." },
        Native { signature: "Square.near(other: Square | None) -> bool", run: near, doc: "Whether it is the other one or touches it." },
        Native { signature: "Board.squares() -> list[Square]", run: squares, doc: "All squares, row by row." },
        Native { signature: "Board.square(name: str) -> Square | None", run: square, doc: "The square of that label." },
        Native { signature: "Ledger.add(who: Player | None, amount: int, what: str = ?)", run: add, doc: "Adds a line." },
        Native { signature: "Ledger.total(who: Player | None = ?, since: Moment | None = ?) -> int", run: total, doc: "The sum of its lines." },
        Native { signature: "Ledger.lines(who: Player | None = ?, since: Moment | None = ?) -> list[Line]", run: lines, doc: "Its lines, oldest first." },
        Native { signature: "Ledger.players(since: Moment | None = ?) -> list[Player]", run: ledger_players, doc: "Who has lines in it." },
        Native { signature: "Ledger.clear()", run: clear, doc: "Takes all lines out." },
        Native { signature: "Value.legal(thing: Any) -> bool", run: legal, doc: "Whether what a thing has of it is within its range." },
        Native { signature: "Quantity.call(base: Any, *context: Any) -> Any", run: quantity, doc: "The base after all filters." },
    ]
}

fn kind_of(args: &Args<'_, '_>) -> starlark::Result<Name> {
    match args.receiver {
        Receiver::Kind(name) => Ok(name.clone()),
        _ => Err(fault("this is a method of kinds")),
    }
}

fn all<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let kind = kind_of(args)?;
    let found = args
        .world()?
        .all(kind.as_str(), args.kwargs(0)?, &args.site(eval));
    Ok(things(args, args.frame.answer(found)?))
}

fn at<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    if args.some(0).is_none() {
        return Ok(Value::new_none());
    }
    let Some(square) = SquareValue::of(args.value(0)) else {
        return Err(fault("`at` wants a square"));
    };
    let found = args.world()?.at(kind_of(args)?.as_str(), &square);
    Ok(thing_or_none(args, args.frame.answer(found)?))
}

fn row<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let found = args.world()?.row(kind_of(args)?.as_str(), args.text(0)?);
    Ok(args.heap.alloc(ThingValue(args.frame.answer(found)?)))
}

fn create<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let kind = kind_of(args)?;
    let made = args
        .world()?
        .create(kind.as_str(), args.kwargs(0)?, &args.site(eval));
    Ok(args.heap.alloc(ThingValue(args.frame.answer(made)?)))
}

fn question<'v>(
    args: &Args<'v, '_>,
    eval: &Eval<'v, '_, '_>,
    default: Datum,
    may_decline: bool,
) -> Result<'v> {
    let question = Question {
        what: args.text(0)?.to_owned(),
        options: args.data(1)?,
        may_decline,
        within: args.span_opt(2)?,
        default: (default != Datum::None).then_some(default),
        site: args.site(eval),
    };
    let answer = args.frame.answer(args.world()?.choose(question))?;
    to_value(&args.frame, args.heap, &answer)
}

fn choose<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    question(args, eval, args.datum(3)?, false)
}

fn offer<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    question(args, eval, Datum::None, true)
}

fn draw<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let what = args.text(0)?;
    let site = args.site(eval);
    let options = if args.some(1).is_some() {
        args.data(1)?
    } else {
        let kind = kind_of(args)?;
        let found = args.world()?.all(kind.as_str(), Vec::new(), &site);
        let found = args.frame.answer(found)?;
        found.into_iter().map(Datum::Thing).collect()
    };
    let weights = match args.some(2) {
        None => None,
        Some(_) => Some(whole_numbers(args.list(2)?)?),
    };
    if weights
        .as_ref()
        .is_some_and(|weights| weights.len() != options.len())
    {
        return Err(fault("`draw` wants one weight for each option"));
    }
    let index = args
        .world()?
        .draw(what, &options, weights.as_deref(), &site);
    let index = args.frame.answer(index)?;
    let drawn = options
        .get(index)
        .ok_or_else(|| fault("there is nothing to draw from"))?;
    to_value(&args.frame, args.heap, drawn)
}

fn whole_numbers(values: Vec<Value<'_>>) -> starlark::Result<Vec<i64>> {
    values
        .into_iter()
        .map(|value| match i64::unpack_value(value) {
            Ok(Some(int)) => Ok(int),
            _ => Err(fault("weights are whole numbers")),
        })
        .collect()
}

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

fn step<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let from = here(args)?;
    let word = args.text(0)?;
    let Some((_, columns, rows)) = WAYS.iter().find(|(way, ..)| *way == word) else {
        return Err(fault(format!(
            "\"{word}\" is no way on a board: say \"north\", \"south-east\" and so on"
        )));
    };
    let next = beside(&from, (*columns, *rows), size(args, &from.board)?);
    Ok(next.map_or_else(Value::new_none, |square| {
        args.heap.alloc(SquareValue(square))
    }))
}

fn way<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let from = here(args)?;
    let word = SquareValue::of(args.value(0)).and_then(|to| {
        let columns = (i32::from(to.column) - i32::from(from.column)).signum();
        let rows = (i32::from(to.row) - i32::from(from.row)).signum();
        WAYS.iter().find(|(_, c, r)| (*c, *r) == (columns, rows))
    });
    Ok(args.heap.alloc(word.map_or("", |(word, ..)| word)))
}

fn around<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let from = here(args)?;
    let size = size(args, &from.board)?;
    let squares = WAYS
        .iter()
        .filter_map(|(_, c, r)| beside(&from, (*c, *r), size));
    let squares = squares.map(|square| args.heap.alloc(SquareValue(square)));
    Ok(args.heap.alloc(AllocList(squares)))
}

fn near<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let from = here(args)?;
    let near = SquareValue::of(args.value(0)).is_some_and(|to| {
        to.board == from.board
            && to.column.abs_diff(from.column) <= 1
            && to.row.abs_diff(from.row) <= 1
    });
    Ok(Value::new_bool(near))
}

fn every_square(args: &Args<'_, '_>) -> starlark::Result<Vec<Square>> {
    let board = kind_of(args)?;
    let (columns, rows) = size(args, &board)?;
    let mut squares = Vec::new();
    for row in 0..u16::try_from(rows).unwrap_or(u16::MAX) {
        for column in 0..u16::try_from(columns).unwrap_or(u16::MAX) {
            squares.push(Square {
                board: board.clone(),
                column,
                row,
            });
        }
    }
    Ok(squares)
}

fn squares<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let squares = every_square(args)?.into_iter();
    let squares = squares.map(|square| args.heap.alloc(SquareValue(square)));
    Ok(args.heap.alloc(AllocList(squares)))
}

fn square<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let name = args.text(0)?;
    let found = every_square(args)?
        .into_iter()
        .find(|square| square_name(square) == name);
    Ok(found.map_or_else(Value::new_none, |square| {
        args.heap.alloc(SquareValue(square))
    }))
}

fn ledger<'x>(args: &Args<'_, 'x>) -> starlark::Result<(&'x Thing, &'x Name)> {
    match args.receiver {
        Receiver::Ledger(thing, name) => Ok((thing, name)),
        _ => Err(fault("this is a method of ledgers")),
    }
}

fn add<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (of, name) = ledger(args)?;
    let (who, amount, what) = (args.thing_opt(0)?, args.int(1)?, args.text_or(2, "")?);
    args.frame.output(what)?;
    let answer = args
        .world()?
        .ledger_add(of, name.as_str(), who.as_ref(), amount, what);
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn lines_of(
    args: &Args<'_, '_>,
    who: Option<&Thing>,
    since: Option<Moment>,
) -> starlark::Result<Vec<Datum>> {
    let (of, name) = ledger(args)?;
    args.frame
        .answer(args.world()?.ledger_lines(of, name.as_str(), who, since))
}

fn total<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (who, since) = (args.thing_opt(0)?, args.moment_opt(1)?);
    let mut sum = 0_i64;
    for line in lines_of(args, who.as_ref(), since)? {
        if let Datum::Record(line) = line
            && let Some(Datum::Int(amount)) = line.get("amount")
        {
            sum = sum
                .checked_add(*amount)
                .ok_or_else(super::guards::too_big)?;
        }
    }
    Ok(args.heap.alloc(sum))
}

fn lines<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (who, since) = (args.thing_opt(0)?, args.moment_opt(1)?);
    let lines = Datum::List(lines_of(args, who.as_ref(), since)?.into());
    to_value(&args.frame, args.heap, &lines)
}

fn ledger_players<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let mut found: Vec<Thing> = Vec::new();
    for line in lines_of(args, None, args.moment_opt(0)?)? {
        if let Datum::Record(line) = line
            && let Some(Datum::Thing(who)) = line.get("who")
            && !found.contains(who)
        {
            found.push(who.clone());
        }
    }
    Ok(things(args, found))
}

fn clear<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (of, name) = ledger(args)?;
    args.frame
        .answer(args.world()?.ledger_clear(of, name.as_str()))?;
    Ok(Value::new_none())
}

fn legal<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let Receiver::Record(record) = args.receiver else {
        return Err(fault("this is a method of values"));
    };
    let Some(Datum::Text(name)) = record.get("name") else {
        return Err(fault("this value has no name"));
    };
    let answer = args.world()?.legal(name, &args.thing(0)?);
    Ok(Value::new_bool(args.frame.answer(answer)?))
}

fn quantity<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let Receiver::Quantity(name) = args.receiver else {
        return Err(fault("this is no quantity"));
    };
    let answer = args
        .world()?
        .quantity(name.as_str(), args.datum(0)?, args.data(1)?);
    to_value(&args.frame, args.heap, &args.frame.answer(answer)?)
}
