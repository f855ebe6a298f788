//! Declarations of what is done, what happens, and what other rules may modify.

use std::sync::Arc;

use quorate_kernel::{Name, Span, Zone};
use starlark::values::dict::DictRef;

use crate::datum::{Datum, Record};
use crate::declare::{ActionDecl, Declared, Param, Trigger};
use crate::diagnostic::did_you_mean;
use crate::errors::fault;
use crate::interface::HAPPENINGS;
use crate::values::callable::{Args, Eval, Native, NativeResult};
use crate::values::plain::RecordValue;
use crate::words::{capital, readable};

use super::declaring::{admits, by, declare, facts, function, handle, limits, signature_of};
use super::schedule::schedule;

pub(crate) const NATIVES: &[Native] = &[
    ("action", action),
    ("limit", limit),
    ("automatic", automatic),
    ("condition", |args, eval| {
        let (test, of) = (function(args, 0)?, args.kind(1)?);
        declare(args, eval, Declared::Condition { test, of })
    }),
    ("after", |args, eval| {
        let (action, hook) = (Name::from(args.text(0)?), function(args, 1)?);
        declare(args, eval, Declared::After { action, hook })
    }),
    ("on", on),
    ("changed", |args, eval| {
        let (value, hook, of) = (args.declared(0)?, function(args, 1)?, args.kind(2)?);
        declare(args, eval, Declared::Changed { value, hook, of })
    }),
    ("decision", decision),
    ("claims", |args, eval| {
        let settled_after = args.span_opt(0)?.unwrap_or_default();
        if settled_after.0 <= 0 {
            return Err(fault("claims settle after some time, such as days(3)"));
        }
        declare(args, eval, Declared::Claims { settled_after })
    }),
    ("time_zone", |args, eval| {
        let name = args.text(0)?;
        let Some(zone) = Zone::of(name) else {
            let last = name.rsplit('/').next().unwrap_or(name).to_lowercase();
            let like = Zone::names().find(|known| known.to_lowercase().contains(&last));
            return Err(fault(match like {
                Some(like) => format!("there is no zone {name}; did you mean {like}?"),
                None => format!("there is no zone {name}: write one such as Europe/Berlin"),
            }));
        };
        declare(args, eval, Declared::Zone { zone })
    }),
    ("quantity", |args, eval| {
        let name = Name::from(args.text(0)?);
        let ty = facts(args, eval)?.1.type_of("");
        let what = Declared::Quantity {
            name: name.clone(),
            ty,
        };
        declare(args, eval, what)?;
        Ok(handle(args, name, "quantity"))
    }),
    ("modify", |args, eval| {
        let (what, filter) = (args.declared(0)?, function(args, 1)?);
        declare(args, eval, Declared::Modify { what, filter })
    }),
];

fn action<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let name = Name::from(args.text(0)?);
    let body = function(args, 1)?;
    let mut params = signature_of(args, &body)?.params.clone();
    if params.is_empty() {
        let text = format!(
            "the body of an action takes the one who acts first: `def {body}(actor: Player, …)`"
        );
        return Err(fault(text));
    }
    params.remove(0);
    let title = args.text_opt(7)?;
    let decl = ActionDecl {
        title: title.map_or_else(|| capital(&readable(name.as_str())), str::to_owned),
        name,
        by: by(args, 2)?,
        limits: limits(args, 3)?,
        options: by_parameter(args, 4, "options", &params)?,
        admits: admits(args, 5)?,
        tags: args.names(6)?,
        says: args.some(8).map(|_| function(args, 8)).transpose()?,
        remarks: by_parameter(args, 9, "remarks", &params)?,
        body,
        params,
    };
    declare(args, eval, Declared::Action(decl))
}

/// A function for each of some of an action's parameters.
fn by_parameter(
    args: &Args<'_, '_>,
    index: usize,
    what: &str,
    params: &[Param],
) -> starlark::Result<Vec<(Name, Name)>> {
    let Some(given) = args.opt(index).and_then(DictRef::from_value) else {
        return Ok(Vec::new());
    };
    let functions = given.iter().map(|(param, function)| {
        let param = Name::from(param.unpack_str().unwrap_or_default());
        if !params.iter().any(|known| known.name == param) {
            let known = params.iter().map(|known| known.name.as_str());
            let meant = did_you_mean(param.as_str(), known)
                .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            return Err(fault(format!(
                "`{what}` names `{param}`, which the action does not ask for{meant}"
            )));
        }
        let function = function
            .function_name()
            .ok_or_else(|| fault(format!("`{what}` gives a function for each parameter")))?;
        Ok((param, Name::from(function)))
    });
    functions.collect()
}

fn limit<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let per = args.text_or(0, "")?;
    if !matches!(per, "" | "day" | "week") {
        return Err(fault(format!(
            "`per` is \"day\" or \"week\", not \"{per}\""
        )));
    }
    let since = match args.some(1) {
        Some(_) => args.declared(1)?,
        None => Name::default(),
    };
    let times = args.int_or(2, 1)?;
    if !(1..=1_000_000).contains(&times) {
        return Err(fault(format!(
            "a limit allows at least once, not {times} times"
        )));
    }
    let text = |text: &str| Datum::Text(text.into());
    let record = Record {
        kind: "Limit",
        fields: vec![
            ("per", text(per)),
            ("since", text(since.as_str())),
            ("times", Datum::Int(times)),
            ("gap", args.span_opt(3)?.map_or(Datum::None, Datum::Span)),
            ("slot", text(args.text_or(4, "")?)),
            ("shared", Datum::Bool(args.flag_or(5, false)?)),
        ],
    };
    Ok(args.heap.alloc(RecordValue(Arc::new(record))))
}

fn kind_opt(args: &Args<'_, '_>, index: usize) -> starlark::Result<Option<Name>> {
    args.some(index).map(|_| args.kind(index)).transpose()
}

fn automatic<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let trigger = match (args.some(3), args.some(4)) {
        (Some(_), None) => {
            let times = args.texts(3)?;
            let times = times.iter().map(|text| schedule(text).map_err(fault));
            Trigger::Every(times.collect::<starlark::Result<_>>()?)
        }
        (None, Some(_)) => Trigger::When {
            test: function(args, 4)?,
            after: args.span_opt(5)?.filter(|after| *after > Span(0)),
        },
        _ => {
            return Err(fault(
                "say either `every = \"day 00:00\"` or `when =` a test",
            ));
        }
    };
    let what = Declared::Automatic {
        name: Name::from(args.text(0)?),
        body: function(args, 1)?,
        of: kind_opt(args, 2)?,
        trigger,
    };
    declare(args, eval, what)
}

fn on<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let happening = args.text(0)?;
    let names = || HAPPENINGS.iter().map(|entry| entry.name);
    if !names().any(|name| name == happening) {
        let known: Vec<_> = names().map(|name| format!("\"{name}\"")).collect();
        let known = known.join(", ");
        return Err(fault(match did_you_mean(happening, names()) {
            Some(meant) => format!(
                "nothing is called \"{happening}\": did you mean \"{meant}\"? There are {known}"
            ),
            None => format!("nothing is called \"{happening}\": there are {known}"),
        }));
    }
    let what = Declared::On {
        happening: Name::from(happening),
        hook: function(args, 1)?,
        of: kind_opt(args, 2)?,
    };
    declare(args, eval, what)
}

fn decision<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let name = Name::from(args.text(0)?);
    let title = args.text_opt(2)?;
    let what = Declared::Decision {
        title: title.map_or_else(|| capital(&readable(name.as_str())), str::to_owned),
        answer: function(args, 1)?,
        hidden: args.flag_or(3, false)?,
        name,
    };
    declare(args, eval, what)
}
