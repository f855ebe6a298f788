//! Ledgers, values and quantities.

use quorate_kernel::Moment;
use quorate_kernel::{Name, Thing};

use crate::datum::Datum;
use crate::errors::{fault, too_big};
use crate::measure::VALUES_A_STEP;
use crate::values::callable::{Args, Eval, Native, NativeResult, Receiver};

pub(crate) const NATIVES: &[Native] = &[
    ("Ledger.add", |args, _| {
        let (of, name) = ledger(args)?;
        let (who, amount, what) = (args.thing_opt(0)?, args.int(1)?, args.text_or(2, "")?);
        args.frame.output(what)?;
        let world = args.maker()?;
        args.answer(world.ledger_add(of, name.as_str(), who.as_ref(), amount, what))
    }),
    ("Ledger.total", total),
    ("Ledger.lines", |args, _| {
        let (who, since) = (args.thing_opt(0)?, args.moment_opt(1)?);
        args.give(lines(args, who.as_ref(), since)?)
    }),
    ("Ledger.players", players),
    ("Ledger.clear", |args, _| {
        let (of, name) = ledger(args)?;
        args.answer(args.world()?.ledger_clear(of, name.as_str()))
    }),
    ("Value.legal", legal),
    ("Quantity.call", |args, _| {
        let Receiver::Quantity(name) = args.receiver else {
            return Err(fault("this is no quantity"));
        };
        let world = args.world()?;
        args.answer(world.quantity(name.as_str(), args.datum(0)?, args.data(1)?))
    }),
];

fn ledger<'x>(args: &Args<'_, 'x>) -> starlark::Result<(&'x Thing, &'x Name)> {
    match args.receiver {
        Receiver::Ledger(thing, name) => Ok((thing, name)),
        _ => Err(fault("this is a method of ledgers")),
    }
}

/// The ledger's lines of somebody or everybody, from a moment or the beginning on, as `Line` records.
fn lines(
    args: &Args<'_, '_>,
    who: Option<&Thing>,
    since: Option<Moment>,
) -> starlark::Result<Vec<Datum>> {
    let (of, name) = ledger(args)?;
    let lines = args.world()?.ledger_lines(of, name.as_str(), who, since);
    let lines = args.frame.answer(lines)?;
    args.frame.work(lines.len())?;
    Ok(lines)
}

fn total<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (who, since) = (args.thing_opt(0)?, args.moment_opt(1)?);
    let mut sum = 0_i64;
    for line in lines(args, who.as_ref(), since)? {
        if let Datum::Record(line) = line
            && let Some(Datum::Int(amount)) = line.get("amount")
        {
            sum = sum.checked_add(*amount).ok_or_else(too_big)?;
        }
    }
    args.give(sum)
}

fn players<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let mut players: Vec<Thing> = Vec::new();
    for line in lines(args, None, args.moment_opt(0)?)? {
        args.frame.work(players.len() / VALUES_A_STEP)?;
        if let Datum::Record(line) = line
            && let Some(Datum::Thing(who)) = line.get("who")
            && !players.contains(who)
        {
            players.push(who.clone());
        }
    }
    args.give(players)
}

fn legal<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let Receiver::Record(record) = args.receiver else {
        return Err(fault("this is a method of values"));
    };
    let Some(name) = record.text("name") else {
        return Err(fault("this value has no name"));
    };
    args.answer(args.world()?.legal(name, &args.thing(0)?))
}
