//! What all declarations share: where they stand, what they are assigned to, and the functions that they name.

use std::sync::Arc;

use quorate_kernel::Name;
use starlark::typing::Ty;
use starlark::values::Value;

use crate::collect::{CallFacts, Signature};
use crate::datum::{Datum, Record};
use crate::declare::{Declared, LimitDecl, Per};
use crate::errors::fault;
use crate::values::callable::{Args, Eval, NativeResult};
use crate::values::kind::{HandleValue, KindValue};
use crate::values::plain::{RecordValue, ThingValue};

pub(super) fn facts<'v>(
    args: &Args<'v, '_>,
    eval: &Eval<'v, '_, '_>,
) -> starlark::Result<((usize, u32), CallFacts)> {
    let Some(collector) = &args.frame.collector else {
        return Err(fault(
            "declarations stand at the top level of a rule, outside functions",
        ));
    };
    let place = eval
        .call_stack_top_location()
        .and_then(|at| args.frame.code.place(&at))
        .ok_or_else(|| fault("declarations stand at the top level of a rule"))?;
    let facts = collector.borrow().facts.get(&place).cloned();
    Ok((place, facts.unwrap_or_default()))
}

pub(super) fn declare<'v>(
    args: &Args<'v, '_>,
    eval: &Eval<'v, '_, '_>,
    what: Declared,
) -> NativeResult<'v> {
    let (place, _) = facts(args, eval)?;
    if let Some(collector) = &args.frame.collector {
        let site = args.site(eval);
        collector.borrow_mut().push(place, site, what);
    }
    Ok(Value::new_none())
}

/// The variable that a declaration is assigned to.
pub(super) fn assigned<'v>(args: &Args<'v, '_>, eval: &Eval<'v, '_, '_>) -> starlark::Result<Name> {
    let (_, facts) = facts(args, eval)?;
    facts
        .assigned
        .ok_or_else(|| fault("give it a name: write `name = …` at the top level of the rule"))
}

pub(super) fn signature_of(
    args: &Args<'_, '_>,
    function: &Name,
) -> starlark::Result<Arc<Signature>> {
    let Some(collector) = &args.frame.collector else {
        return Err(fault("declarations stand at the top level of a rule"));
    };
    let found = collector.borrow().functions.get(function.as_str()).cloned();
    found.ok_or_else(|| {
        fault(format!(
            "`{function}` is no function at the top level of a rule"
        ))
    })
}

/// A function at the top level of the law.
pub(super) fn function(args: &Args<'_, '_>, index: usize) -> starlark::Result<Name> {
    let name = args.function_of(index)?;
    signature_of(args, &name)?;
    Ok(name)
}

/// A predicate over players; nothing where `player` itself, or nothing, is given.
pub(super) fn by(args: &Args<'_, '_>, index: usize) -> starlark::Result<Option<Name>> {
    match args.some(index) {
        None => Ok(None),
        Some(value) if KindValue::of(value).is_some_and(|kind| kind == "Player") => Ok(None),
        Some(_) => function(args, index).map(Some),
    }
}

pub(super) fn handle<'v>(args: &Args<'v, '_>, name: Name, what: &'static str) -> Value<'v> {
    args.heap.alloc(HandleValue { name, what })
}

pub(super) fn kind_handle<'v>(args: &Args<'v, '_>, name: Name) -> Value<'v> {
    let means = Ty::starlark_value::<ThingValue>();
    args.heap.alloc(KindValue {
        name,
        means,
        handle: None,
    })
}

pub(super) fn declared_list(args: &Args<'_, '_>, index: usize) -> starlark::Result<Vec<Name>> {
    let items = args.list(index)?.into_iter();
    items
        .map(|item| {
            let name = item
                .unpack_str()
                .map(Name::from)
                .or_else(|| HandleValue::of(item))
                .or_else(|| KindValue::of(item));
            name.ok_or_else(|| fault("this is a list of values, boards or kinds"))
        })
        .collect()
}

/// Predicates of exclusions that are lifted.
pub(super) fn admits(args: &Args<'_, '_>, index: usize) -> starlark::Result<Vec<Name>> {
    let given = args.list(index)?.into_iter();
    let names = given.map(|who| {
        let name = who.function_name().map(Name::from);
        name.ok_or_else(|| fault("`admits` is a list of the predicates that `exclude` was given"))
    });
    names.collect()
}

pub(super) fn limits(args: &Args<'_, '_>, index: usize) -> starlark::Result<Vec<LimitDecl>> {
    let Some(value) = args.some(index) else {
        return Ok(Vec::new());
    };
    let given = match RecordValue::of(value) {
        Some(_) => vec![value],
        None => args.list(index)?,
    };
    given
        .into_iter()
        .map(|value| {
            RecordValue::of(value)
                .and_then(|record| limit_of(&record))
                .ok_or_else(|| {
                    fault("`limit` is a limit or a list of them, such as `limit(per = \"day\")`")
                })
        })
        .collect()
}

fn limit_of(record: &Record) -> Option<LimitDecl> {
    let text = |field| record.text(field).map(|text| &**text);
    let per = match (text("per")?, text("since")?) {
        ("day", _) => Per::Day,
        ("week", _) => Per::Week,
        (_, "") => Per::Ever,
        (_, since) => Per::Since(Name::from(since)),
    };
    Some(LimitDecl {
        per,
        times: match record.get("times") {
            Some(Datum::Int(times)) => u32::try_from(*times).ok()?,
            _ => return None,
        },
        gap: match record.get("gap") {
            Some(Datum::Span(gap)) => Some(*gap),
            _ => None,
        },
        slot: Name::from(text("slot")?),
        shared: record.get("shared") == Some(&Datum::Bool(true)),
    })
}
