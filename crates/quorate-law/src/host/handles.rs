//! Methods of kinds: what there is of them, made, picked and drawn.

use starlark::values::{UnpackValue, Value};

use crate::datum::Datum;
use crate::errors::fault;
use crate::stop::Stop;
use crate::values::callable::{Args, Eval, Native, NativeResult};
use crate::values::plain::{SquareValue, ThingValue};

use super::declaring::handle;
use super::play::question;

pub(crate) const NATIVES: &[Native] = &[
    ("__held", held),
    ("__lost", |args, _| {
        Err(args.frame.stopped(Stop::lost(args.text(0)?)))
    }),
    ("__lost_board", |args, _| {
        Ok(handle(args, args.text(0)?.into(), "board"))
    }),
    ("__lost_value", |args, _| {
        Ok(handle(args, args.text(0)?.into(), "lost value"))
    }),
    ("K.all", |args, eval| {
        let kind = args.receiver_kind()?;
        let world = args.world()?;
        args.answer(world.all(kind.as_str(), args.kwargs(0)?, &args.site(eval)))
    }),
    ("K.at", at),
    ("K.row", |args, _| {
        let world = args.world()?;
        args.answer(world.row(args.receiver_kind()?.as_str(), args.text(0)?))
    }),
    ("K.create", |args, eval| {
        let kind = args.receiver_kind()?;
        let world = args.maker()?;
        args.answer(world.create(kind.as_str(), args.kwargs(0)?, &args.site(eval)))
    }),
    ("K.choose", |args, eval| {
        question(args, eval, args.datum(3)?, false)
    }),
    ("K.offer", |args, eval| {
        question(args, eval, Datum::None, true)
    }),
    ("K.draw", draw),
];

/// A value that a thing may have lost, for whoever says what to take instead: then it is nothing.
fn held<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (of, name) = (args.value(0), args.text(1)?);
    if let Some(thing) = ThingValue::of(of) {
        let world = args.world()?;
        let kind = args.frame.answer(world.kind(&thing))?;
        if world.has_lost(kind.as_str(), name) {
            // What every thing has is never lost, whatever a rule once called so.
            return match world.get(&thing, name) {
                Err(Stop::Broken(_)) => args.give(()),
                other => args.answer(other),
            };
        }
    }
    of.get_attr_error(name, args.heap)
}

fn at<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let Some(value) = args.some(0) else {
        return args.give(());
    };
    let square = SquareValue::of(value).ok_or_else(|| fault("`at` wants a square"))?;
    let world = args.world()?;
    args.answer(world.at(args.receiver_kind()?.as_str(), &square))
}

fn draw<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let what = args.text(0)?;
    let site = args.site(eval);
    let options = if args.some(1).is_some() {
        args.data(1)?
    } else {
        let kind = args.receiver_kind()?;
        let all = args.world()?.all(kind.as_str(), Vec::new(), &site);
        let all = args.frame.answer(all)?;
        all.into_iter().map(Datum::Thing).collect()
    };
    let weights = match args.some(2) {
        None => None,
        Some(_) => Some(whole_numbers(args.list(2)?)?),
    };
    let fit = |weights: &Vec<i64>| weights.len() == options.len();
    if !weights.as_ref().is_none_or(fit) {
        return Err(fault("`draw` wants one weight for each option"));
    }
    let index = args
        .world()?
        .draw(what, &options, weights.as_deref(), &site);
    let index = args.frame.answer(index)?;
    let drawn = options.into_iter().nth(index);
    args.give(drawn.ok_or_else(|| fault("there is nothing to draw from"))?)
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
