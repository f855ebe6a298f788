//! What bodies do: conditions, costs, dice, choices, values, actions within actions, and what was done before.

use quorate_kernel::{Name, Need, Span, Thing, Topic};
use starlark::values::Value;
use starlark::values::list::ListRef;

use crate::datum::Datum;
use crate::errors::fault;
use crate::stop::Question;
use crate::values::callable::{Args, Eval, Native, NativeResult};
use crate::values::plain::{RecordValue, ThingValue};
use crate::values::thing::called;
use crate::values::time::{MomentValue, SpanValue};

use super::args::short;

/// The most dice that may be asked for at once; a world may allow fewer.
pub(crate) const ROLLS_MAX: i64 = 10_000;

/// What it costs to make a law of all changes so far, in steps.
const SETTLING: usize = 20_000;

/// How long somebody has for a duty unless the rule says so.
const DUTY: Span = Span::hours(48);

pub(crate) const NATIVES: &[Native] = &[
    ("require", require),
    ("refuse", |args, eval| {
        let need = Need {
            what: args.output(0)?.to_owned(),
            ..Need::default()
        };
        let stop = args.world()?.refuse(need, None, &args.site(eval));
        stop.map_or_else(|| args.give(()), |stop| Err(args.frame.stopped(stop)))
    }),
    ("pay", |args, eval| {
        let world = args.world()?;
        args.answer(world.pay(&args.thing(0)?, args.kwargs(1)?, &args.site(eval)))
    }),
    ("transfer", |args, eval| {
        let (from, to) = (args.thing(0)?, args.thing(1)?);
        let world = args.world()?;
        args.answer(world.transfer(&from, &to, args.kwargs(2)?, &args.site(eval)))
    }),
    ("roll", |args, eval| {
        let world = args.world()?;
        args.answer(world.roll(args.int(0)?, args.text(1)?, &args.site(eval)))
    }),
    ("rolls", rolls),
    ("choose", |args, eval| {
        question(args, eval, args.datum(3)?, false)
    }),
    ("ask", ask),
    ("unask", |args, _| {
        let (to, context) = (args.thing_opt(1)?, args.kwargs(2)?);
        let world = args.world()?;
        args.answer(world.unask(args.text(0)?, to.as_ref(), &context))
    }),
    ("reset", reset),
    ("remove", |args, _| {
        args.answer(args.world()?.remove(&args.thing(0)?))
    }),
    ("values", |args, _| {
        let section = args.text_opt(1)?;
        args.answer(args.world()?.values(args.kind(0)?.as_str(), section))
    }),
    ("allowed", allowed),
    ("perform", |args, _| {
        let (player, waive, named) = (args.thing(1)?, args.names(2)?, args.kwargs(3)?);
        let world = args.world()?;
        args.answer(world.perform(args.text(0)?, &player, waive, named))
    }),
    ("settle", |args, _| {
        args.frame.work(SETTLING)?;
        args.answer(args.world()?.settle())
    }),
    ("unfinished", |args, _| {
        args.answer(args.world()?.unfinished(&args.thing(0)?))
    }),
    ("unfinished_since", |args, _| {
        args.answer(args.world()?.unfinished_since(&args.thing(0)?))
    }),
    ("last", |args, _| {
        let by = args.thing_opt(1)?;
        args.answer(args.world()?.last(args.text(0)?, by.as_ref()))
    }),
    ("times", |args, _| {
        let (by, since) = (args.thing_opt(1)?, args.moment_opt(2)?);
        args.answer(args.world()?.times(args.text(0)?, by.as_ref(), since))
    }),
    ("since", |args, _| {
        let world = args.world()?;
        args.answer(world.since(what_of(args)?.as_str(), &args.thing(1)?))
    }),
    ("held", |args, _| {
        let world = args.world()?;
        args.answer(world.held(what_of(args)?.as_str(), &args.thing(1)?))
    }),
    ("note", |args, _| {
        let text = args.output(0)?;
        args.answer(args.world()?.note(text))
    }),
];

/// A value as a refusal or a log line puts it.
pub(crate) fn show(value: Value<'_>) -> String {
    if value.is_none() {
        return "none".to_owned();
    }
    if let Some(flag) = value.unpack_bool() {
        return if flag { "yes" } else { "no" }.to_owned();
    }
    if let Some(thing) = ThingValue::of(value) {
        return called(&thing);
    }
    if let Some(list) = ListRef::from_value(value) {
        let parts: Vec<_> = list.iter().take(20).map(show_short).collect();
        return parts.join(", ");
    }
    show_short(value)
}

fn show_short(value: Value<'_>) -> String {
    let simple = value.unpack_str().is_some()
        || ThingValue::of(value).is_some()
        || MomentValue::of(value).is_some()
        || SpanValue::of(value).is_some()
        || RecordValue::of(value).is_some()
        || matches!(value.get_type(), "int" | "Square" | "Picture" | "kind");
    if simple { value.to_str() } else { short(value) }
}

fn require<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    if args.value(0).to_bool() {
        return args.give(());
    }
    let what = args.text(1)?;
    let have = args.opt(2).map(show).unwrap_or_default();
    let need = args.opt(3).map(show).unwrap_or_default();
    for text in [what, &have, &need] {
        args.frame.output(text)?;
    }
    let topic = match args.opt(3).and_then(ThingValue::of) {
        Some(Thing::Post(post)) => Topic::Wanted(post),
        _ => Topic::General,
    };
    let need = Need {
        what: what.to_owned(),
        have,
        need,
        topic,
    };
    let next_at = args.moment_opt(4)?;
    let world = args.world()?;
    let stop = world.refuse(need, next_at, &args.site(eval));
    stop.map_or_else(|| args.give(()), |stop| Err(args.frame.stopped(stop)))
}

fn reset<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let thing = args.thing(0)?;
    let mut names = Vec::new();
    for value in args.data(1)? {
        let name = match &value {
            Datum::Text(name) => Some(name),
            Datum::Record(record) => record.text("name"),
            _ => None,
        };
        let name = name.ok_or_else(|| fault("`reset` wants values, as `values()` gives them"))?;
        names.push(Name::from(&**name));
    }
    args.answer(args.world()?.reset(&thing, names))
}

fn rolls<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let count = args.int(0)?;
    if count > ROLLS_MAX {
        return Err(fault(format!(
            "at most {ROLLS_MAX} dice are rolled at once, not {count}"
        )));
    }
    let world = args.world()?;
    args.frame.work(4 * usize::try_from(count).unwrap_or(0))?;
    args.answer(world.rolls(count.max(0), args.int(1)?, args.text(2)?, &args.site(eval)))
}

/// Asks the one who acts: what, among which options, and within which time.
pub(crate) fn question<'v>(
    args: &Args<'v, '_>,
    eval: &Eval<'v, '_, '_>,
    default: Datum,
    may_decline: bool,
) -> NativeResult<'v> {
    let question = Question {
        what: args.text(0)?.to_owned(),
        options: args.data(1)?,
        may_decline,
        within: args.span_opt(2)?,
        default: (default != Datum::None).then_some(default),
        site: args.site(eval),
    };
    args.answer(args.world()?.choose(question))
}

fn ask<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let Some(to) = args.thing_opt(1)? else {
        return args.give(());
    };
    let within = args.span_opt(3)?.unwrap_or(DUTY);
    let (options, default, context) = (args.data(2)?, args.datum(4)?, args.kwargs(5)?);
    let site = args.site(eval);
    let world = args.world()?;
    args.answer(world.ask(args.text(0)?, &to, options, within, default, context, &site))
}

fn allowed<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let Some(player) = args.thing_opt(1)? else {
        return args.give(false);
    };
    let world = args.world()?;
    args.answer(world.allowed(args.text(0)?, &player, args.kwargs(2)?))
}

/// A value by name or handle, or a test by its function.
fn what_of(args: &Args<'_, '_>) -> starlark::Result<Name> {
    match args.value(0).function_name() {
        Some(name) => Ok(Name::from(name)),
        None => args.declared(0),
    }
}
