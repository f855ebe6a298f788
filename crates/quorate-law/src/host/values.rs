//! Declarations of values.

use quorate_kernel::Name;

use crate::datum::Datum;
use crate::declare::{Declared, Holds, Outside, ShownTo, ValueDecl};
use crate::errors::fault;
use crate::values::callable::{Args, Eval, Native, NativeResult};

use super::declaring::{assigned, declare, facts, function, handle, signature_of};

pub(crate) const NATIVES: &[Native] = &[
    ("number", number),
    ("text", |args, eval| {
        let default = Datum::Text(args.text_or(2, "")?.into());
        value(args, eval, Holds::Text, 1, default, 3)
    }),
    ("flag", |args, eval| {
        let default = Datum::Bool(args.flag_or(2, false)?);
        value(args, eval, Holds::Flag, 1, default, 3)
    }),
    ("choice", choice),
    ("moment", |args, eval| {
        value(args, eval, Holds::Moment, 1, Datum::None, 3)
    }),
    ("image", |args, eval| {
        value(args, eval, Holds::Picture, 1, Datum::None, 2)
    }),
    ("reference", |args, eval| {
        let default = args.datum(3)?;
        value(args, eval, Holds::Reference(args.kind(1)?), 2, default, 4)
    }),
    ("listing", |args, eval| {
        let item = facts(args, eval)?.1.type_of("");
        let unique = args.flag_or(4, false)?;
        let default = Datum::List(args.data(3)?.into());
        let least = args.int_or(6, 0)?;
        let only = Only {
            among: args.data(5)?,
            least: usize::try_from(least)
                .map_err(|_| fault(format!("`least` is a number of things, not {least}")))?,
        };
        let holds = Holds::Listing { item, unique };
        limited_value(args, eval, holds, 2, default, 7, only)
    }),
    ("place", |args, eval| {
        let board = args.declared(1)?;
        value(args, eval, Holds::Place { board }, 2, Datum::None, 4)
    }),
    ("ledger", |args, eval| {
        let keep = args.span_opt(2)?;
        value(args, eval, Holds::Ledger { keep }, 1, Datum::None, 3)
    }),
    ("derived", derived),
];

/// Where a value is tracked unless its rule says so.
const TRACKER: &str = "tracker";

/// What of its type alone a value may hold.
#[derive(Default)]
struct Only {
    among: Vec<Datum>,
    least: usize,
}

/// The four keywords that every value takes, from a slot on.
fn value<'v>(
    args: &Args<'v, '_>,
    eval: &Eval<'v, '_, '_>,
    holds: Holds,
    of: usize,
    default: Datum,
    from: usize,
) -> NativeResult<'v> {
    limited_value(args, eval, holds, of, default, from, Only::default())
}

fn limited_value<'v>(
    args: &Args<'v, '_>,
    eval: &Eval<'v, '_, '_>,
    holds: Holds,
    of: usize,
    default: Datum,
    from: usize,
    only: Only,
) -> NativeResult<'v> {
    let name = assigned(args, eval)?;
    let decl = ValueDecl {
        name: name.clone(),
        title: args.text(0)?.to_owned(),
        of: args.kind(of)?,
        holds,
        default,
        among: only.among,
        least: only.least,
        tracked: args.text_or(from, TRACKER)?.to_owned(),
        shown_to: shown_to(args, from + 1)?,
        tags: args.names(from + 2)?,
        was: args.text_opt(from + 3)?.map(Name::from),
    };
    if !decl.allows(&decl.default) {
        let needs = match (&decl.default, decl.least) {
            (Datum::List(items), least) if items.len() < least => {
                format!("lists fewer than {least}")
            }
            _ => "is not among what it may be".to_owned(),
        };
        return Err(fault(format!("the default {needs}: say one that is")));
    }
    declare(args, eval, Declared::Value(decl))?;
    Ok(handle(args, name, "value"))
}

fn shown_to(args: &Args<'_, '_>, index: usize) -> starlark::Result<ShownTo> {
    match args.text_or(index, "all")? {
        "all" => Ok(ShownTo::All),
        "owner" => Ok(ShownTo::Owner),
        "nobody" => Ok(ShownTo::Nobody),
        other => Err(fault(format!(
            "`shown_to` is \"all\", \"owner\" or \"nobody\", not \"{other}\""
        ))),
    }
}

fn number<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    // Left out, the least is 0; said to be None, there is none.
    let min = match args.opt(3) {
        Some(_) => args.int_opt(3)?,
        None => Some(0),
    };
    let outside = match args.text_or(5, "refuse")? {
        "refuse" => Outside::Refuse,
        "clamp" => Outside::Clamp,
        other => {
            let text = format!("`outside` is \"refuse\" or \"clamp\", not \"{other}\"");
            return Err(fault(text));
        }
    };
    let max = args.int_opt(4)?;
    let among = args.data(6)?;
    let nearest = match among.first() {
        Some(Datum::Int(first)) => *first,
        _ => 0.max(min.unwrap_or(0)).min(max.unwrap_or(i64::MAX)),
    };
    let default = args.int_or(2, nearest)?;
    if min.is_some_and(|min| default < min) || max.is_some_and(|max| default > max) {
        let end = |end: Option<i64>| end.map_or_else(|| "no end".to_owned(), |end| end.to_string());
        return Err(fault(format!(
            "the default {default} lies outside the range, which goes from {} to {}: choose one within, or change `min` or `max`",
            end(min),
            end(max)
        )));
    }
    let holds = Holds::Number { min, max, outside };
    let only = Only { among, least: 0 };
    limited_value(args, eval, holds, 1, Datum::Int(default), 7, only)
}

fn choice<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let options = args.names(1)?;
    let Some(first) = options.iter().min() else {
        return Err(fault(
            "a choice wants at least one option: choice(title, [\"one\", \"another\"], of = …)",
        ));
    };
    let default = args.text_opt(3)?;
    let default = default.unwrap_or(first.as_str()).to_owned();
    if !options.iter().any(|option| *option == *default) {
        let options: Vec<_> = options.iter().map(Name::as_str).collect();
        return Err(fault(format!(
            "the default \"{default}\" is none of the options, which are {}",
            options.join(", ")
        )));
    }
    let default = Datum::Text(default.as_str().into());
    value(args, eval, Holds::Choice(options), 2, default, 4)
}

fn derived<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let name = assigned(args, eval)?;
    let function = function(args, 1)?;
    let what = Declared::Derived {
        name: name.clone(),
        title: args.text(0)?.to_owned(),
        gives: signature_of(args, &function)?.gives.clone(),
        function,
        of: args.kind(2)?,
        tracked: args.text_or(3, "")?.to_owned(),
        shown_to: shown_to(args, 4)?,
        tags: args.names(5)?,
    };
    declare(args, eval, what)?;
    Ok(handle(args, name, "value"))
}
