//! What rule bodies call: people, conditions, costs, dice, choices, actions within actions.

use quorate_kernel::{Name, Span};
use starlark::eval::Evaluator;
use starlark::values::list::{AllocList, ListRef};
use starlark::values::{UnpackValue, Value};

use crate::datum::Datum;
use crate::frame::fault;
use crate::stop::Question;
use crate::values::callable::{Args, Native, short};
use crate::values::convert::to_value;
use crate::values::record::RecordValue;
use crate::values::thing::{ThingValue, called};
use crate::values::time::{MomentValue, SpanValue};

type Result<'v> = starlark::Result<Value<'v>>;
type Eval<'v, 'a, 'e> = Evaluator<'v, 'a, 'e>;

/// The longest that a die may be asked for at once.
const ROLLS_MAX: i64 = 10_000;

#[rustfmt::skip]
pub(crate) fn natives() -> Vec<Native> {
    vec![
        Native { signature: "players() -> list[Player]", run: players, doc: "The players, for the rule that asks." },
        Native { signature: "everyone() -> list[Player]", run: everyone, doc: "Everybody on the roster." },
        Native { signature: "applicants() -> list[Player]", run: applicants, doc: "Those who asked to join and were not yet admitted." },
        Native { signature: "counts(p: Player | None) -> bool", run: counts, doc: "Whether p is a player for the rule that asks." },
        Native { signature: "acting() -> Player | None", run: acting, doc: "Whose command this is; None for the clock." },
        Native { signature: "require(holds: Any, what: str, have: Any = ?, need: Any = ?, next_at: Moment | None = ?)", run: require, doc: "Refuses unless it holds. `what` names as a noun phrase what must hold." },
        Native { signature: "refuse(why: str)", run: refuse, doc: "Refuses." },
        Native { signature: "pay(p: Any, **cost: int)", run: pay, doc: "Takes amounts; refuses if short." },
        Native { signature: "transfer(a: Any, b: Any, **amounts: int)", run: transfer, doc: "Moves amounts, all or nothing." },
        Native { signature: "reset(thing: Any, values: list[Value])", run: reset, doc: "Sets values of a thing to their defaults." },
        Native { signature: "remove(thing: Any)", run: remove, doc: "Takes a thing out of the game." },
        Native { signature: "roll(sides: int, what: str) -> int", run: roll, doc: "One die; 0 sides give 0." },
        Native { signature: "rolls(count: int, sides: int, what: str) -> list[int]", run: rolls, doc: "Each of several dice." },
        Native { signature: "choose(what: str, options: list[str], within: Span = ?, default: str | None = ?) -> str", run: choose, doc: "A word that the one who acts picks." },
        Native { signature: "ask(decision: str, to: Player | None, options: list = ?, within: Span = ?, default: Any = ?, **context: Any)", run: ask, doc: "Leaves somebody a duty and goes on." },
        Native { signature: "allowed(action: str, p: Player | None, **args: Any) -> bool", run: allowed, doc: "Whether p could do it: tried up to the first die, question or end." },
        Native { signature: "perform(action: str, p: Player | None, waive: list[str] = ?, **args: Any)", run: perform, doc: "That action by p, with all tests but those waived." },
        Native { signature: "last(action: str, by: Player | None = ?) -> Moment | None", run: last, doc: "When an action was last completed." },
        Native { signature: "times(action: str, by: Player | None = ?, since: Moment | None = ?) -> int", run: times, doc: "How often an action was completed." },
        Native { signature: "since(what: Any, thing: Any) -> Moment | None", run: since, doc: "When a value last changed, or a test began to hold; as before this event." },
        Native { signature: "held(test: Any, thing: Any) -> Span", run: held, doc: "How long a test has held without a break." },
        Native { signature: "settle()", run: settle, doc: "Runs what is due, in the middle of a body." },
        Native { signature: "unfinished(p: Player) -> str | None", run: unfinished, doc: "The action that p has open." },
        Native { signature: "unfinished_since(p: Player) -> Moment | None", run: unfinished_since, doc: "When the action that p has open began." },
        Native { signature: "chronicle(leader: Player | None, theme: str = ?, begins: bool = ?)", run: chronicle, doc: "Writes into the list of dynasties who leads the present one and what its theme is; with `begins`, that another begins here. The key of the dice so far is shown then, and another pledged." },
        Native { signature: "rename_player(p: Player, name: str)", run: rename_player, doc: "Gives a player another name; refuses one that is taken." },
        Native { signature: "admit(applicant: Player)", run: admit, doc: "Makes an applicant a member." },
        Native { signature: "depart(p: Player, bar: bool = ?)", run: depart, doc: "Takes a member off the roster." },
        Native { signature: "values(of: Any, section: str = ?) -> list[Value]", run: values, doc: "The tracked values of a kind." },
        Native { signature: "message(p: Player, text: str)", run: message, doc: "A private message." },
        Native { signature: "note(text: str)", run: note, doc: "A line in the log." },
        Native { signature: "sum(items: Any) -> int", run: sum, doc: "The sum of whole numbers." },
        Native { signature: "total(items: Any) -> Span", run: total, doc: "The sum of spans." },
    ]
}

pub(crate) fn things<'v>(args: &Args<'v, '_>, things: Vec<quorate_kernel::Thing>) -> Value<'v> {
    let values = things
        .into_iter()
        .map(|thing| args.heap.alloc(ThingValue(thing)));
    args.heap.alloc(AllocList(values))
}

pub(crate) fn thing_or_none<'v>(
    args: &Args<'v, '_>,
    thing: Option<quorate_kernel::Thing>,
) -> Value<'v> {
    thing.map_or_else(Value::new_none, |thing| args.heap.alloc(ThingValue(thing)))
}

fn players<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let found = args.world()?.players(&args.site(eval));
    Ok(things(args, args.frame.answer(found)?))
}

fn everyone<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let found = args.world()?.everyone();
    Ok(things(args, args.frame.answer(found)?))
}

fn applicants<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let found = args.world()?.applicants();
    Ok(things(args, args.frame.answer(found)?))
}

fn counts<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let Some(player) = args.thing_opt(0)? else {
        return Ok(Value::new_bool(false));
    };
    let answer = args.world()?.counts(&player, &args.site(eval));
    Ok(Value::new_bool(args.frame.answer(answer)?))
}

fn acting<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let found = args.world()?.acting();
    Ok(thing_or_none(args, args.frame.answer(found)?))
}

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

fn require<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    if args.value(0).to_bool() {
        return Ok(Value::new_none());
    }
    let what = args.text(1)?;
    let have = args.opt(2).map(show).unwrap_or_default();
    let need = args.opt(3).map(show).unwrap_or_default();
    for text in [what, &have, &need] {
        args.frame.output(text)?;
    }
    let next_at = args.moment_opt(4)?;
    let stop = args
        .world()?
        .refuse(what, &have, &need, next_at, &args.site(eval));
    Err(args.frame.stopped(stop))
}

fn refuse<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let why = args.text(0)?;
    args.frame.output(why)?;
    let stop = args.world()?.refuse(why, "", "", None, &args.site(eval));
    Err(args.frame.stopped(stop))
}

fn pay<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args
        .world()?
        .pay(&args.thing(0)?, args.kwargs(1)?, &args.site(eval));
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn transfer<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (from, to) = (args.thing(0)?, args.thing(1)?);
    let answer = args
        .world()?
        .transfer(&from, &to, args.kwargs(2)?, &args.site(eval));
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn reset<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let thing = args.thing(0)?;
    let mut names = Vec::new();
    for value in args.data(1)? {
        match value {
            Datum::Text(name) => names.push(Name::from(&*name)),
            Datum::Record(record) => match record.get("name") {
                Some(Datum::Text(name)) => names.push(Name::from(&**name)),
                _ => return Err(fault("`reset` wants values, as `values()` gives them")),
            },
            _ => return Err(fault("`reset` wants values, as `values()` gives them")),
        }
    }
    args.frame.answer(args.world()?.reset(&thing, names))?;
    Ok(Value::new_none())
}

fn remove<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args.world()?.remove(&args.thing(0)?);
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn roll<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args
        .world()?
        .roll(args.int(0)?, args.text(1)?, &args.site(eval));
    Ok(args.heap.alloc(args.frame.answer(answer)?))
}

fn rolls<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let count = args.int(0)?;
    if count > ROLLS_MAX {
        return Err(fault(format!(
            "at most {ROLLS_MAX} dice are rolled at once, not {count}"
        )));
    }
    let site = args.site(eval);
    let answer = args
        .world()?
        .rolls(count.max(0), args.int(1)?, args.text(2)?, &site);
    Ok(args.heap.alloc(AllocList(args.frame.answer(answer)?)))
}

fn choose<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let default = args.datum(3)?;
    let question = Question {
        what: args.text(0)?.to_owned(),
        options: args.data(1)?,
        may_decline: false,
        within: args.span_opt(2)?,
        default: (default != Datum::None).then_some(default),
        site: args.site(eval),
    };
    let answer = args.frame.answer(args.world()?.choose(question))?;
    to_value(&args.frame, args.heap, &answer)
}

/// How long somebody has for a duty unless the rule says so.
const DUTY: Span = Span::hours(48);

fn ask<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let Some(to) = args.thing_opt(1)? else {
        return Ok(Value::new_none());
    };
    let within = args.span_opt(3)?.unwrap_or(DUTY);
    let (options, default, context) = (args.data(2)?, args.datum(4)?, args.kwargs(5)?);
    let site = args.site(eval);
    let world = args.world()?;
    let answer = world.ask(args.text(0)?, &to, options, within, default, context, &site);
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn allowed<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let Some(player) = args.thing_opt(1)? else {
        return Ok(Value::new_bool(false));
    };
    let answer = args
        .world()?
        .allowed(args.text(0)?, &player, args.kwargs(2)?);
    Ok(Value::new_bool(args.frame.answer(answer)?))
}

fn perform<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (player, waive, named) = (args.thing(1)?, args.names(2)?, args.kwargs(3)?);
    let answer = args.world()?.perform(args.text(0)?, &player, waive, named);
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn last<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let by = args.thing_opt(1)?;
    let answer = args.world()?.last(args.text(0)?, by.as_ref());
    Ok(moment(args, args.frame.answer(answer)?))
}

fn moment<'v>(args: &Args<'v, '_>, moment: Option<quorate_kernel::Moment>) -> Value<'v> {
    moment.map_or_else(Value::new_none, |at| {
        args.heap.alloc(MomentValue::Fixed(at))
    })
}

fn times<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (by, since) = (args.thing_opt(1)?, args.moment_opt(2)?);
    let answer = args.world()?.times(args.text(0)?, by.as_ref(), since);
    Ok(args.heap.alloc(args.frame.answer(answer)?))
}

/// A value by name or handle, or a test by its function.
fn what_of(args: &Args<'_, '_>, index: usize) -> starlark::Result<Name> {
    match args.value(index).function_name() {
        Some(name) => Ok(Name::from(name)),
        None => args.declared(index),
    }
}

fn since<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args
        .world()?
        .since(what_of(args, 0)?.as_str(), &args.thing(1)?);
    Ok(moment(args, args.frame.answer(answer)?))
}

fn held<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args
        .world()?
        .held(what_of(args, 0)?.as_str(), &args.thing(1)?);
    Ok(args
        .heap
        .alloc(SpanValue::Fixed(args.frame.answer(answer)?)))
}

fn settle<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    args.frame.answer(args.world()?.settle())?;
    Ok(Value::new_none())
}

fn unfinished<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args.world()?.unfinished(&args.thing(0)?);
    let open = args.frame.answer(answer)?;
    Ok(open.map_or_else(Value::new_none, |name| args.heap.alloc(name.as_str())))
}

fn unfinished_since<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args.world()?.unfinished_since(&args.thing(0)?);
    Ok(moment(args, args.frame.answer(answer)?))
}

fn rename_player<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (player, name) = (args.thing(0)?, args.text(1)?);
    args.frame.output(name)?;
    args.frame
        .answer(args.world()?.rename_player(&player, name))?;
    Ok(Value::new_none())
}

fn chronicle<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let leader = args.some(0).map(|_| args.thing(0)).transpose()?;
    let theme = args.some(1).map_or(Ok(""), |_| args.text(1))?;
    let begins = args.flag_or(2, false)?;
    args.frame.output(theme)?;
    args.frame
        .answer(args.world()?.chronicle(leader.as_ref(), theme, begins))?;
    Ok(Value::new_none())
}

fn admit<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args.world()?.admit(&args.thing(0)?);
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn depart<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args
        .world()?
        .depart(&args.thing(0)?, args.flag_or(1, false)?);
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn values<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let section = args.some(1).map(|_| args.text(1)).transpose()?;
    let answer = args.world()?.values(args.kind(0)?.as_str(), section);
    let found = Datum::List(args.frame.answer(answer)?.into());
    to_value(&args.frame, args.heap, &found)
}

fn message<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (to, text) = (args.thing(0)?, args.text(1)?);
    args.frame.output(text)?;
    args.frame.answer(args.world()?.message(&to, text))?;
    Ok(Value::new_none())
}

fn note<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let text = args.text(0)?;
    args.frame.output(text)?;
    args.frame.answer(args.world()?.note(text))?;
    Ok(Value::new_none())
}

fn sum<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let mut sum = 0_i64;
    for item in args.list(0)? {
        let Ok(Some(int)) = i64::unpack_value(item) else {
            let text = "`sum` adds up whole numbers; for spans there is `total`";
            return Err(fault(text));
        };
        sum = sum.checked_add(int).ok_or_else(super::guards::too_big)?;
    }
    Ok(args.heap.alloc(sum))
}

fn total<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let mut sum = Span(0);
    for item in args.list(0)? {
        let span = SpanValue::of(item).ok_or_else(|| fault("`total` adds up spans"))?;
        sum = sum + span.span();
    }
    Ok(args.heap.alloc(SpanValue::Fixed(sum)))
}
