//! Declarations of what may be: guards, and who counts as a player.

use std::sync::Arc;

use quorate_kernel::Name;

use crate::datum::{Datum, Record};
use crate::declare::{Declared, ScopeDecl};
use crate::errors::fault;
use crate::values::callable::{Args, Eval, Native, NativeResult};
use crate::values::plain::RecordValue;

use super::declaring::{declare, function};

pub(crate) const NATIVES: &[Native] = &[
    ("scope", scope),
    ("forbid", |args, eval| guard(args, eval, true)),
    ("permit", |args, eval| guard(args, eval, false)),
    ("prioritise", |args, eval| {
        let stronger = function(args, 0)?;
        declare(args, eval, Declared::Prioritise { stronger })
    }),
    ("exclude", |args, eval| {
        let what = Declared::Exclude {
            who: function(args, 0)?,
            scope: scope_of(args, 1)?,
            tracked: args.flag_or(2, true)?,
        };
        declare(args, eval, what)
    }),
];

fn scope<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let texts = |index| -> starlark::Result<Datum> {
        let texts = args.texts(index)?;
        Ok(Datum::List(
            texts.into_iter().map(|t| Datum::Text(t.into())).collect(),
        ))
    };
    let record = Record {
        kind: "Scope",
        fields: vec![
            ("section", Datum::Text(args.text_or(0, "")?.into())),
            ("rules", texts(1)?),
            ("actions", texts(2)?),
            ("tags", texts(3)?),
            ("but", texts(4)?),
            ("but_tags", texts(5)?),
        ],
    };
    Ok(args.heap.alloc(RecordValue(Arc::new(record))))
}

fn scope_of(args: &Args<'_, '_>, index: usize) -> starlark::Result<ScopeDecl> {
    let record = RecordValue::of(args.value(index)).filter(|record| record.kind == "Scope");
    let record = record.ok_or_else(|| fault("this wants a scope: write `scope(…)`"))?;
    let names = |field| match record.get(field) {
        Some(Datum::List(names)) => names
            .iter()
            .filter_map(|name| match name {
                Datum::Text(name) => Some(Name::from(&**name)),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let section = record.text("section").map(|section| &**section);
    Ok(ScopeDecl {
        section: section.map(Name::from).unwrap_or_default(),
        rules: names("rules"),
        actions: names("actions"),
        tags: names("tags"),
        but: names("but"),
        but_tags: names("but_tags"),
    })
}

fn guard<'v>(args: &Args<'v, '_>, eval: &Eval<'v, '_, '_>, forbids: bool) -> NativeResult<'v> {
    let what = Declared::Guard {
        forbids,
        scope: scope_of(args, 0)?,
        when: function(args, 1)?,
        why: args.text_or(2, "")?.to_owned(),
        tags: args.names(3)?,
    };
    declare(args, eval, what)
}
