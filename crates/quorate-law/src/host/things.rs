//! Declarations of kinds, pictures and words.

use quorate_kernel::Name;
use starlark::values::dict::DictRef;

use crate::datum::Datum;
use crate::declare::{CategoryDecl, Declared};
use crate::errors::fault;
use crate::values::callable::{Args, Eval, Native, NativeResult};
use crate::words::TERM_MAX;

use super::declaring::{
    admits, assigned, by, declare, declared_list, facts, handle, kind_handle, limits,
};

pub(crate) const NATIVES: &[Native] = &[
    ("entity", entity),
    ("table", table),
    ("row", |args, eval| {
        let what = Declared::Row {
            table: args.kind(0)?,
            key: Name::from(args.text(1)?),
            cells: args.kwargs(2)?,
        };
        declare(args, eval, what)
    }),
    ("board", |args, eval| {
        let name = assigned(args, eval)?;
        let what = Declared::Board {
            name: name.clone(),
            title: args.text(0)?.to_owned(),
            columns: labels(args, 1)?,
            rows: labels(args, 2)?,
        };
        declare(args, eval, what)?;
        Ok(handle(args, name, "board"))
    }),
    ("page", page),
    ("term", |args, eval| {
        let one = args.text(1)?.to_owned();
        let many = args.text_opt(2)?.map(str::to_owned);
        let many = many.unwrap_or_else(|| format!("{one}s"));
        if one.len().max(many.len()) > TERM_MAX {
            return Err(fault(format!(
                "a word of the theme has at most {TERM_MAX} bytes"
            )));
        }
        let name = Name::from(args.text(0)?);
        declare(args, eval, Declared::Term { name, one, many })
    }),
    ("category", category),
    ("generator", generator),
];

fn entity<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let kind = Name::from(args.text(0)?);
    let title = args.text_opt(1)?.unwrap_or(kind.as_str()).to_owned();
    let plural = args.text_opt(2)?.map(str::to_owned);
    let what = Declared::Entity {
        kind: kind.clone(),
        plural: plural.unwrap_or_else(|| format!("{title}s")),
        title,
        label: args.some(3).map(|_| args.declared(3)).transpose()?,
    };
    declare(args, eval, what)?;
    Ok(kind_handle(args, kind))
}

fn table<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let kind = Name::from(args.text(0)?);
    let (_, facts) = facts(args, eval)?;
    let mut columns = Vec::new();
    if let Some(given) = args.opt(1).and_then(DictRef::from_value) {
        for (column, _) in given.iter() {
            let column = column.unpack_str().unwrap_or_default();
            columns.push((Name::from(column), facts.type_of(column)));
        }
    }
    let what = Declared::Table {
        kind: kind.clone(),
        columns,
    };
    declare(args, eval, what)?;
    Ok(kind_handle(args, kind))
}

/// Labels given one by one, or as the ends of a run: "A-I", "1-9".
fn labels(args: &Args<'_, '_>, index: usize) -> starlark::Result<Vec<String>> {
    let Some(text) = args.value(index).unpack_str() else {
        return args.texts(index);
    };
    let wrong = || {
        fault(format!(
            "\"{text}\" is no run of labels: write \"A-I\" or \"1-9\""
        ))
    };
    let (from, to) = text.split_once('-').ok_or_else(wrong)?;
    let labels: Vec<String> = if let (Ok(from), Ok(to)) = (from.parse::<u16>(), to.parse::<u16>()) {
        (from..=to).map(|n| n.to_string()).collect()
    } else {
        let letter = |end: &str| -> Option<char> {
            let mut letters = end.chars();
            letters.next().filter(|_| letters.as_str().is_empty())
        };
        let (from, to) = (
            letter(from).ok_or_else(wrong)?,
            letter(to).ok_or_else(wrong)?,
        );
        (from..=to).map(String::from).collect()
    };
    if labels.is_empty() || labels.len() > 1000 {
        return Err(wrong());
    }
    Ok(labels)
}

fn page<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let title = args.text(0)?;
    let (_, facts) = facts(args, eval)?;
    let name = facts.assigned.unwrap_or_else(|| Name::from(slug(title)));
    let what = Declared::Page {
        name: name.clone(),
        title: title.to_owned(),
        shows: declared_list(args, 1)?,
        by: declared_list(args, 2)?,
    };
    declare(args, eval, what)?;
    Ok(handle(args, name, "page"))
}

/// A title as a code name: "Member Dossiers" is `member-dossiers`.
fn slug(title: &str) -> String {
    let words = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

fn category<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let name = Name::from(args.text(0)?);
    let statuses = match args.some(5) {
        Some(_) => args.names(5)?,
        None => vec![Name::from("pending")],
    };
    let author_hidden = match args.text_or(7, "")? {
        "" => false,
        "hidden" => true,
        other => {
            return Err(fault(format!(
                "`author` is \"hidden\" or left out, not \"{other}\""
            )));
        }
    };
    let title = args.text_opt(1)?;
    let decl = CategoryDecl {
        title: title.unwrap_or(name.as_str()).to_owned(),
        prefix: args.text_or(2, "")?.to_owned(),
        marker: args.text_or(3, "")?.to_owned(),
        icons: args.names(4)?,
        aliases: aliases(args, 12)?,
        statuses,
        by: by(args, 6)?,
        author_hidden,
        admits: admits(args, 11)?,
        limits: limits(args, 8)?,
        form: declared_list(args, 9)?,
        sticky: args.flag_or(10, false)?,
        name: name.clone(),
    };
    declare(args, eval, Declared::Category(decl))?;
    Ok(kind_handle(args, name))
}

/// Other words for icons, each with the icon that it means.
fn aliases(args: &Args<'_, '_>, index: usize) -> starlark::Result<Vec<(Name, Name)>> {
    let given = args.kwargs(index)?.into_iter();
    given
        .map(|(alias, icon)| match icon {
            Datum::Text(icon) => Ok((alias, Name::from(&*icon))),
            _ => Err(fault(format!("`aliases` names an icon for \"{alias}\""))),
        })
        .collect()
}

fn generator<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let word = Name::from(args.text(0)?);
    let (outcomes, aliases) = (args.texts(1)?, args.names(2)?);
    if outcomes.is_empty() {
        return Err(fault("a generator wants at least one outcome"));
    }
    let what = Declared::Generator {
        word,
        outcomes,
        aliases,
    };
    declare(args, eval, what)
}
