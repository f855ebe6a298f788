//! Long because it has one native for each declaration.
//!
//! Declarations: what exists, who may do what, and when things happen by themselves.

use std::sync::Arc;

use quorate_kernel::{Name, Span};
use starlark::eval::Evaluator;
use starlark::typing::Ty;
use starlark::values::Value;
use starlark::values::dict::DictRef;

use crate::collect::{CallFacts, Signature};
use crate::datum::{Datum, Record, Type};
use crate::declare::{
    ActionDecl, CategoryDecl, Declared, Holds, LimitDecl, Outside, Param, Per, ScopeDecl, ShownTo,
    Trigger, ValueDecl,
};
use crate::diagnostic::did_you_mean;
use crate::frame::fault;
use crate::host::schedule::schedule;
use crate::values::callable::{Args, Native};
use crate::values::kind::{Declared as Handle, KindValue};
use crate::values::record::RecordValue;
use crate::values::thing::ThingValue;
use crate::words::{capital, readable};

type Result<'v> = starlark::Result<Value<'v>>;
type Eval<'v, 'a, 'e> = Evaluator<'v, 'a, 'e>;

#[rustfmt::skip]
pub(crate) fn natives() -> Vec<Native> {
    vec![
        Native { signature: "number(title: str, of: Any, default: int = ?, min: int | None = ?, max: int | None = ?, outside: str = ?, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?, was: str = ?) -> Any", run: number, doc: "A whole number that is tracked." },
        Native { signature: "text(title: str, of: Any, default: str = ?, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?, was: str = ?) -> Any", run: text, doc: "A text that is tracked." },
        Native { signature: "flag(title: str, of: Any, default: bool = ?, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?, was: str = ?) -> Any", run: flag, doc: "A yes or no that is tracked." },
        Native { signature: "choice(title: str, options: list[str], of: Any, default: str = ?, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?, was: str = ?) -> Any", run: choice, doc: "One word of several." },
        Native { signature: "moment(title: str, of: Any, default: Moment | None = ?, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?, was: str = ?) -> Any", run: moment, doc: "A point in time, or None." },
        Native { signature: "image(title: str, of: Any, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?, was: str = ?) -> Any", run: image, doc: "A picture that somebody uploaded, or None." },
        Native { signature: "reference(title: str, to: Any, of: Any, default: Any = ?, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?, was: str = ?) -> Any", run: reference, doc: "A thing of a kind, or None." },
        Native { signature: "listing(title: str, holds: Any, of: Any, default: list = ?, unique: bool = ?, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?, was: str = ?) -> Any", run: listing, doc: "Several of something, in order." },
        Native { signature: "place(title: str, board: Any, of: Any, default: Any = ?, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?, was: str = ?) -> Any", run: place, doc: "A square, or None; one thing a square." },
        Native { signature: "ledger(title: str, of: Any, keep: Span | None = ?, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?, was: str = ?) -> Any", run: ledger, doc: "Dated lines, summed over windows." },
        Native { signature: "derived(title: str, fn: Callable, of: Any, *, tracked: str = ?, shown_to: str = ?, tags: list[str] = ?) -> Any", run: derived, doc: "A value that is worked out." },
        Native { signature: "quantity(name: str, type: Any) -> Any", run: quantity, doc: "A number or word that other rules may modify." },
        Native { signature: "modify(what: Any, filter: Callable)", run: modify, doc: "Filters a quantity, a value's writes or \"roll\"." },
        Native { signature: "entity(name: str, title: str = ?, plural: str = ?, label: Any = ?) -> Any", run: entity, doc: "A kind of things that play creates." },
        Native { signature: "board(title: str, columns: Any, rows: Any) -> Any", run: board, doc: "A grid of squares." },
        Native { signature: "page(title: str, shows: list = ?, by: list = ?) -> Any", run: page, doc: "A page that shows kinds, boards or values; `by` names the values that say where each thing is, and the page then draws place by place." },
        Native { signature: "term(name: str, one: str, many: str = ?)", run: term, doc: "A word that can be renamed." },
        Native { signature: "table(name: str, **columns: Any) -> Any", run: table, doc: "A kind whose instances are law." },
        Native { signature: "row(table: Any, key: str, **cells: Any)", run: row, doc: "An instance of a table." },
        Native { signature: "category(name: str, title: str = ?, prefix: str = ?, marker: str = ?, icons: list[str] = ?, statuses: list[str] = ?, by: Any = ?, author: str = ?, limit: Any = ?, form: list = ?, sticky: bool = ?, admits: list = ?) -> Any", run: category, doc: "A kind of post." },
        Native { signature: "action(name: str, body: Callable, by: Any = ?, limit: Any = ?, options: dict[str, Any] = ?, admits: list = ?, tags: list[str] = ?, title: str = ?, *, says: Callable = ?, remarks: dict[str, Any] = ?)", run: action, doc: "Something that players do." },
        Native { signature: "limit(per: str = ?, since: Any = ?, times: int = ?, gap: Span | None = ?, slot: str = ?, shared: bool = ?) -> Limit", run: limit, doc: "How often." },
        Native { signature: "automatic(name: str, body: Callable, of: Any = ?, every: Any = ?, when: Callable = ?, after: Span = ?)", run: automatic, doc: "Something that happens by itself." },
        Native { signature: "condition(test: Callable, of: Any)", run: condition, doc: "Keeps the clock of a test, for `since` and `held`." },
        Native { signature: "after(action: str, hook: Callable)", run: after, doc: "What follows an action." },
        Native { signature: "on(happening: str, hook: Callable, of: Any = ?)", run: on, doc: "What follows \"posted\", \"commented\", \"joined\" or \"left\"." },
        Native { signature: "changed(value: Any, hook: Callable, of: Any)", run: changed, doc: "What follows a change of a value: `(thing, old, new)`." },
        Native { signature: "scope(section: str = ?, rules: list[str] = ?, actions: list[str] = ?, tags: list[str] = ?, but: list[str] = ?, but_tags: list[str] = ?) -> Scope", run: scope, doc: "All it names, less `but`; with nothing named, everything." },
        Native { signature: "forbid(scope: Scope, when: Callable, why: str = ?, tags: list[str] = ?)", run: forbid, doc: "A prohibition." },
        Native { signature: "permit(scope: Scope, when: Callable, why: str = ?, tags: list[str] = ?)", run: permit, doc: "A permission." },
        Native { signature: "prioritise(stronger: Callable)", run: prioritise, doc: "Which of two clashing guards wins." },
        Native { signature: "exclude(who: Callable, scope: Scope)", run: exclude, doc: "For the rules of the scope, those for whom it holds are no players." },
        Native { signature: "generator(word: str, outcomes: list[str], aliases: list[str] = ?)", run: generator, doc: "A word of the dice line, and what it draws from." },
        Native { signature: "claims(settled_after: Span)", run: claims, doc: "How long a change by hand that nobody disputes is marked as claimed." },
        Native { signature: "decision(name: str, answer: Callable, title: str = ?, hidden: bool = ?)", run: decision, doc: "The second half of `ask`: `(who, answer, **context)`." },
    ]
}

/// What `on` tells of.
pub(crate) const HAPPENINGS: [&str; 9] = [
    "founded",
    "applied",
    "joined",
    "left",
    "posted",
    "commented",
    "created",
    "claimed",
    "downtime",
];

/// Where a value is tracked unless its rule says so.
const TRACKER: &str = "tracker";

fn facts<'v>(
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

fn declare<'v>(
    args: &Args<'v, '_>,
    eval: &Eval<'v, '_, '_>,
    what: Declared,
) -> starlark::Result<()> {
    let (place, _) = facts(args, eval)?;
    if let Some(collector) = &args.frame.collector {
        let site = args.site(eval);
        collector.borrow_mut().push(place, site, what);
    }
    Ok(())
}

/// The variable that a declaration is assigned to.
fn assigned<'v>(args: &Args<'v, '_>, eval: &Eval<'v, '_, '_>) -> starlark::Result<Name> {
    let (_, facts) = facts(args, eval)?;
    facts
        .assigned
        .ok_or_else(|| fault("give it a name: write `name = …` at the top level of the rule"))
}

fn signature_of(args: &Args<'_, '_>, function: &Name) -> starlark::Result<Signature> {
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
fn function(args: &Args<'_, '_>, index: usize) -> starlark::Result<Name> {
    let name = args.function_of(index)?;
    signature_of(args, &name)?;
    Ok(name)
}

/// A predicate over players; nothing where `player` itself, or nothing, is given.
fn by(args: &Args<'_, '_>, index: usize) -> starlark::Result<Option<Name>> {
    match args.some(index) {
        None => Ok(None),
        Some(value) if KindValue::of(value).is_some_and(|kind| kind == "Player") => Ok(None),
        Some(_) => function(args, index).map(Some),
    }
}

fn handle<'v>(args: &Args<'v, '_>, name: Name, what: &'static str) -> Value<'v> {
    args.heap.alloc(Handle { name, what })
}

fn kind_handle<'v>(args: &Args<'v, '_>, name: Name) -> Value<'v> {
    let means = Ty::starlark_value::<ThingValue>();
    args.heap.alloc(KindValue {
        name,
        means,
        handle: None,
    })
}

/// The four keywords that every value takes, from a slot on.
fn value<'v>(
    args: &Args<'v, '_>,
    eval: &Eval<'v, '_, '_>,
    holds: Holds,
    of: usize,
    default: Datum,
    from: usize,
) -> Result<'v> {
    let name = assigned(args, eval)?;
    let decl = ValueDecl {
        name: name.clone(),
        title: args.text(0)?.to_owned(),
        of: args.kind(of)?,
        holds,
        default,
        tracked: args.text_or(from, TRACKER)?.to_owned(),
        shown_to: shown_to(args, from + 1)?,
        tags: args.names(from + 2)?,
        was: args
            .some(from + 3)
            .map(|_| args.text(from + 3))
            .transpose()?
            .map(Name::from),
    };
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

fn number<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let end = |index| args.some(index).map(|_| args.int(index)).transpose();
    // Left out, the least is 0; said to be None, there is none.
    let min = if args.opt(3).is_some() {
        end(3)?
    } else {
        Some(0)
    };
    let outside = match args.text_or(5, "refuse")? {
        "refuse" => Outside::Refuse,
        "clamp" => Outside::Clamp,
        other => {
            let text = format!("`outside` is \"refuse\" or \"clamp\", not \"{other}\"");
            return Err(fault(text));
        }
    };
    let max = end(4)?;
    let nearest = 0.max(min.unwrap_or(0)).min(max.unwrap_or(i64::MAX));
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
    value(args, eval, holds, 1, Datum::Int(default), 6)
}

fn text<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let default = Datum::Text(args.text_or(2, "")?.into());
    value(args, eval, Holds::Text, 1, default, 3)
}

fn flag<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let default = Datum::Bool(args.flag_or(2, false)?);
    value(args, eval, Holds::Flag, 1, default, 3)
}

fn choice<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let options = args.names(1)?;
    let Some(first) = options.iter().min() else {
        return Err(fault(
            "a choice wants at least one option: choice(title, [\"one\", \"another\"], of = …)",
        ));
    };
    let default = args.some(3).map(|_| args.text(3)).transpose()?;
    let default = default.unwrap_or(first.as_str()).to_owned();
    if !options.iter().any(|option| *option == *default) {
        return Err(fault(format!(
            "the default \"{default}\" is none of the options, which are {}",
            options
                .iter()
                .map(Name::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        )));
    }
    let default = Datum::Text(default.as_str().into());
    value(args, eval, Holds::Choice(options), 2, default, 4)
}

fn moment<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    value(args, eval, Holds::Moment, 1, Datum::None, 3)
}

fn image<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    value(args, eval, Holds::Picture, 1, Datum::None, 2)
}

fn reference<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let default = args.datum(3)?;
    value(args, eval, Holds::Reference(args.kind(1)?), 2, default, 4)
}

fn listing<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (_, facts) = facts(args, eval)?;
    let item = facts.types.into_iter().find(|(name, _)| name.is_empty());
    let item = item.map_or(Type::Any, |(_, ty)| ty);
    let unique = args.flag_or(4, false)?;
    let default = Datum::List(args.data(3)?.into());
    value(args, eval, Holds::Listing { item, unique }, 2, default, 5)
}

fn place<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let board = args.declared(1)?;
    value(args, eval, Holds::Place { board }, 2, Datum::None, 4)
}

fn ledger<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let keep = args.span_opt(2)?;
    value(args, eval, Holds::Ledger { keep }, 1, Datum::None, 3)
}

fn derived<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let name = assigned(args, eval)?;
    let function = function(args, 1)?;
    let what = Declared::Derived {
        name: name.clone(),
        title: args.text(0)?.to_owned(),
        gives: signature_of(args, &function)?.gives,
        function,
        of: args.kind(2)?,
        tracked: args.text_or(3, "")?.to_owned(),
        shown_to: shown_to(args, 4)?,
        tags: args.names(5)?,
    };
    declare(args, eval, what)?;
    Ok(handle(args, name, "value"))
}

fn quantity<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let name = Name::from(args.text(0)?);
    let (_, facts) = facts(args, eval)?;
    let ty = facts.types.into_iter().find(|(name, _)| name.is_empty());
    let ty = ty.map_or(Type::Any, |(_, ty)| ty);
    declare(
        args,
        eval,
        Declared::Quantity {
            name: name.clone(),
            ty,
        },
    )?;
    Ok(handle(args, name, "quantity"))
}

fn modify<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (what, filter) = (args.declared(0)?, function(args, 1)?);
    declare(args, eval, Declared::Modify { what, filter })?;
    Ok(Value::new_none())
}

fn entity<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let kind = Name::from(args.text(0)?);
    let title = args
        .some(1)
        .map(|_| args.text(1))
        .transpose()?
        .unwrap_or(kind.as_str())
        .to_owned();
    let plural = match args.some(2) {
        Some(_) => args.text(2)?.to_owned(),
        None => format!("{title}s"),
    };
    let label = args.some(3).map(|_| args.declared(3)).transpose()?;
    declare(
        args,
        eval,
        Declared::Entity {
            kind: kind.clone(),
            title,
            plural,
            label,
        },
    )?;
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

fn board<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let name = assigned(args, eval)?;
    let what = Declared::Board {
        name: name.clone(),
        title: args.text(0)?.to_owned(),
        columns: labels(args, 1)?,
        rows: labels(args, 2)?,
    };
    declare(args, eval, what)?;
    Ok(handle(args, name, "board"))
}

fn declared_list(args: &Args<'_, '_>, index: usize) -> starlark::Result<Vec<Name>> {
    let items = args.list(index)?;
    items
        .into_iter()
        .map(|item| {
            let name = item
                .unpack_str()
                .map(Name::from)
                .or_else(|| Handle::of(item))
                .or_else(|| KindValue::of(item));
            name.ok_or_else(|| fault("this is a list of values, boards or kinds"))
        })
        .collect()
}

fn page<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
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

fn generator<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let word = Name::from(args.text(0)?);
    let (outcomes, aliases) = (args.texts(1)?, args.names(2)?);
    if outcomes.is_empty() {
        return Err(fault("a generator wants at least one outcome"));
    }
    declare(
        args,
        eval,
        Declared::Generator {
            word,
            outcomes,
            aliases,
        },
    )?;
    Ok(Value::new_none())
}

fn claims<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let settled_after = args.span_opt(0)?.unwrap_or_default();
    if settled_after.0 <= 0 {
        return Err(fault("claims settle after some time, such as days(3)"));
    }
    declare(args, eval, Declared::Claims { settled_after })?;
    Ok(Value::new_none())
}

fn term<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let one = args.text(1)?.to_owned();
    let many = match args.some(2) {
        Some(_) => args.text(2)?.to_owned(),
        None => format!("{one}s"),
    };
    let name = Name::from(args.text(0)?);
    declare(args, eval, Declared::Term { name, one, many })?;
    Ok(Value::new_none())
}

fn table<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let kind = Name::from(args.text(0)?);
    let (_, facts) = facts(args, eval)?;
    let mut columns = Vec::new();
    if let Some(given) = args.opt(1).and_then(DictRef::from_value) {
        for (column, _) in given.iter() {
            let column = Name::from(column.unpack_str().unwrap_or_default());
            let ty = facts.types.iter().find(|(name, _)| *name == column);
            columns.push((column, ty.map_or(Type::Any, |(_, ty)| ty.clone())));
        }
    }
    declare(
        args,
        eval,
        Declared::Table {
            kind: kind.clone(),
            columns,
        },
    )?;
    Ok(kind_handle(args, kind))
}

fn row<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let what = Declared::Row {
        table: args.kind(0)?,
        key: Name::from(args.text(1)?),
        cells: args.kwargs(2)?,
    };
    declare(args, eval, what)?;
    Ok(Value::new_none())
}

fn category<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
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
    let title = args.some(1).map(|_| args.text(1)).transpose()?;
    let decl = CategoryDecl {
        title: title.unwrap_or(name.as_str()).to_owned(),
        prefix: args.text_or(2, "")?.to_owned(),
        marker: args.text_or(3, "")?.to_owned(),
        icons: args.names(4)?,
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

/// Predicates of exclusions that are lifted.
fn admits(args: &Args<'_, '_>, index: usize) -> starlark::Result<Vec<Name>> {
    let given = args.list(index)?.into_iter();
    let names = given.map(|who| {
        let name = who.function_name().map(Name::from);
        name.ok_or_else(|| fault("`admits` is a list of the predicates that `exclude` was given"))
    });
    names.collect()
}

fn action<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let name = Name::from(args.text(0)?);
    let body = function(args, 1)?;
    let mut params = signature_of(args, &body)?.params;
    if params.is_empty() {
        let text = format!(
            "the body of an action takes the one who acts first: `def {body}(actor: Player, …)`"
        );
        return Err(fault(text));
    }
    params.remove(0);
    let title = args.some(7).map(|_| args.text(7)).transpose()?;
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
    declare(args, eval, Declared::Action(decl))?;
    Ok(Value::new_none())
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

fn limit<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
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

fn limits(args: &Args<'_, '_>, index: usize) -> starlark::Result<Vec<LimitDecl>> {
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
    let text = |field| match record.get(field) {
        Some(Datum::Text(text)) => Some(&**text),
        _ => None,
    };
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

fn kind_opt(args: &Args<'_, '_>, index: usize) -> starlark::Result<Option<Name>> {
    args.some(index).map(|_| args.kind(index)).transpose()
}

fn automatic<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
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
    declare(args, eval, what)?;
    Ok(Value::new_none())
}

fn condition<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let what = Declared::Condition {
        test: function(args, 0)?,
        of: args.kind(1)?,
    };
    declare(args, eval, what)?;
    Ok(Value::new_none())
}

fn after<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (action, hook) = (Name::from(args.text(0)?), function(args, 1)?);
    declare(args, eval, Declared::After { action, hook })?;
    Ok(Value::new_none())
}

fn on<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let happening = args.text(0)?;
    if !HAPPENINGS.contains(&happening) {
        let known = HAPPENINGS.map(|name| format!("\"{name}\"")).join(", ");
        return Err(fault(match did_you_mean(happening, HAPPENINGS) {
            Some(meant) => format!(
                "nothing is called \"{happening}\": did you mean \"{meant}\"? There are {known}"
            ),
            None => format!("nothing is called \"{happening}\": there are {known}"),
        }));
    }
    let what = Declared::On {
        happening: Name::from(args.text(0)?),
        hook: function(args, 1)?,
        of: kind_opt(args, 2)?,
    };
    declare(args, eval, what)?;
    Ok(Value::new_none())
}

fn changed<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let what = Declared::Changed {
        value: args.declared(0)?,
        hook: function(args, 1)?,
        of: args.kind(2)?,
    };
    declare(args, eval, what)?;
    Ok(Value::new_none())
}

fn scope<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
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
    let section = match record.get("section") {
        Some(Datum::Text(section)) => Name::from(&**section),
        _ => Name::default(),
    };
    Ok(ScopeDecl {
        section,
        rules: names("rules"),
        actions: names("actions"),
        tags: names("tags"),
        but: names("but"),
        but_tags: names("but_tags"),
    })
}

fn guard<'v>(args: &Args<'v, '_>, eval: &Eval<'v, '_, '_>, forbids: bool) -> Result<'v> {
    let what = Declared::Guard {
        forbids,
        scope: scope_of(args, 0)?,
        when: function(args, 1)?,
        why: args.text_or(2, "")?.to_owned(),
        tags: args.names(3)?,
    };
    declare(args, eval, what)?;
    Ok(Value::new_none())
}

fn forbid<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    guard(args, eval, true)
}

fn permit<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    guard(args, eval, false)
}

fn prioritise<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let stronger = function(args, 0)?;
    declare(args, eval, Declared::Prioritise { stronger })?;
    Ok(Value::new_none())
}

fn exclude<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (who, scope) = (function(args, 0)?, scope_of(args, 1)?);
    declare(args, eval, Declared::Exclude { who, scope })?;
    Ok(Value::new_none())
}

fn decision<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let name = Name::from(args.text(0)?);
    let title = args.some(2).map(|_| args.text(2)).transpose()?;
    let what = Declared::Decision {
        title: title.map_or_else(|| capital(&readable(name.as_str())), str::to_owned),
        answer: function(args, 1)?,
        hidden: args.flag_or(3, false)?,
        name,
    };
    declare(args, eval, what)?;
    Ok(Value::new_none())
}
