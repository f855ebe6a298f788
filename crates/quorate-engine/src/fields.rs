//! Forms: what somebody types for a parameter or a field, turned into a value of its type.

use std::sync::Arc;

use quorate_kernel::{Moment, Name, Need, Refusal, Span, Square, Thing, Topic, Value};
use quorate_law::datum::{Datum, Type};

use crate::convert;
use crate::pictures;
use crate::topics::{actions, labels, things};
use crate::tx::Tx;

/// What was typed, before it is known what it is for.
#[derive(Clone, PartialEq, Debug)]
pub enum Typed {
    /// Nothing.
    None,
    /// A text, as forms and command lines give it.
    Text(String),
    /// A whole number.
    Int(i64),
    /// Yes or no.
    Flag(bool),
    /// Several.
    List(Vec<Typed>),
    /// A value that is known already.
    Known(Datum),
}

/// The value of a type that was typed. `label` names the field in the refusal.
pub fn read(tx: &Tx, label: &str, ty: &Type, typed: &Typed) -> Result<Datum, Refusal> {
    let no = |have: String| {
        let need = Need {
            what: actions::wanted(tx, label, ty),
            have,
            ..Need::default()
        };
        Err(Refusal {
            needs: vec![need],
            ..Refusal::default()
        })
    };
    match (ty, typed) {
        (_, Typed::Known(datum)) => Ok(datum.clone()),
        (Type::Optional(_), Typed::None) => Ok(Datum::None),
        (Type::Optional(_), Typed::Text(text)) if text.trim().is_empty() => Ok(Datum::None),
        (Type::Optional(inner), typed) => read(tx, label, inner, typed),
        (Type::List(item), Typed::List(items)) => {
            let items: Result<Vec<_>, _> =
                items.iter().map(|one| read(tx, label, item, one)).collect();
            Ok(Datum::List(items?.into()))
        }
        (Type::List(item), Typed::Text(text)) => {
            let parts = text
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty());
            let items: Result<Vec<_>, _> = parts
                .map(|part| read(tx, label, item, &Typed::Text(part.to_owned())))
                .collect();
            Ok(Datum::List(items?.into()))
        }
        (Type::List(_), Typed::None) => Ok(Datum::List(Arc::from([]))),
        (Type::Int, Typed::Int(n)) => Ok(Datum::Int(*n)),
        (Type::Int, Typed::Text(text)) => text
            .trim()
            .parse()
            .map(Datum::Int)
            .or_else(|_| no(text.clone())),
        (Type::Bool, Typed::Flag(flag)) => Ok(Datum::Bool(*flag)),
        (Type::Bool, Typed::None) => Ok(Datum::Bool(false)),
        (Type::Bool, Typed::Text(text)) => match text.trim() {
            "yes" | "true" | "True" | "on" | "1" => Ok(Datum::Bool(true)),
            "no" | "false" | "False" | "off" | "0" | "" => Ok(Datum::Bool(false)),
            other => no(other.to_owned()),
        },
        (Type::Text, Typed::Text(text)) => Ok(Datum::Text(text.as_str().into())),
        (Type::Text, Typed::Int(n)) => Ok(Datum::Text(n.to_string().into())),
        (Type::Moment, Typed::Text(text)) => text
            .trim()
            .parse::<Moment>()
            .map(Datum::Moment)
            .or_else(|_| no(text.clone())),
        (Type::Span, Typed::Int(hours)) => Ok(Datum::Span(Span::hours(*hours))),
        (Type::Square, Typed::Text(text)) => {
            square(tx, text.trim()).map_or_else(|| no(text.clone()), |at| Ok(Datum::Square(at)))
        }
        (Type::Picture, Typed::Text(text)) => pictures::read(text)
            .map(|picture| Datum::Picture(Arc::new(picture)))
            .or_else(|unfit| no(unfit.to_string())),
        (Type::Kind(kind), Typed::Text(text)) => thing(tx, kind, text.trim())
            .map_or_else(|| no(text.clone()), |thing| Ok(Datum::Thing(thing))),
        (Type::Any, Typed::Text(text)) => Ok(Datum::Text(text.as_str().into())),
        (Type::Any, Typed::Int(n)) => Ok(Datum::Int(*n)),
        (_, Typed::None) => no("nothing".to_owned()),
        (_, Typed::Text(text)) => no(text.clone()),
        (_, Typed::Int(n)) => no(n.to_string()),
        (_, Typed::Flag(flag)) => no(if *flag { "yes" } else { "no" }.to_owned()),
        (_, Typed::List(items)) => no(format!("a list of {}", items.len())),
    }
}

/// A thing of a kind by its address, or by what it is called.
pub fn thing(tx: &Tx, kind: &Name, text: &str) -> Option<Thing> {
    let of_kind = |thing: &Thing| {
        things::exists(tx, thing)
            && things::kind_of(tx, thing).is_ok_and(|is| things::is_a(tx, &is, kind))
    };
    if let Some(thing) = text.parse::<Thing>().ok().filter(of_kind) {
        return Some(thing);
    }
    if *kind == "Rule" {
        let by_id = Thing::Rule(Name::from(text));
        if things::exists(tx, &by_id) {
            return Some(by_id);
        }
        return tx.with_state(|state| {
            state
                .rules
                .iter()
                .find(|(_, rule)| rule.title == text)
                .map(|(id, _)| Thing::Rule(id.clone()))
        });
    }
    if *kind == "Player" {
        return tx.with_state(|state| {
            state
                .people
                .iter()
                .find(|(_, person)| person.name.as_str() == text)
                .map(|(id, _)| Thing::Player(*id))
        });
    }
    things::things_of(tx, kind)
        .into_iter()
        .find(|thing| labels::label(tx, &Datum::Thing(thing.clone())) == text)
}

/// A square by its name, `C4`, of any board; the board's code name may stand before it: `arena C4`.
pub fn square(tx: &Tx, text: &str) -> Option<Square> {
    let law = tx.frame().law;
    let (board, name) = text
        .rsplit_once(' ')
        .map_or((None, text), |(board, name)| (Some(board), name));
    for (code, decl) in &law.boards {
        if board.is_some_and(|board| *code != board) {
            continue;
        }
        for (column, column_label) in decl.it.columns.iter().enumerate() {
            let Some(rest) = name.strip_prefix(column_label.as_str()) else {
                continue;
            };
            if let Some(row) = decl.it.rows.iter().position(|label| label == rest) {
                let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
                return Some(Square {
                    board: code.clone(),
                    column: number(column),
                    row: number(row),
                });
            }
        }
    }
    None
}

/// A value whose text form names it: a square `C4`, a row by its key, a player by name.
pub fn by_text(tx: &Tx, ty: &Type, datum: &Datum) -> Datum {
    match (ty, datum) {
        (Type::Optional(inner), datum) => by_text(tx, inner, datum),
        (Type::List(item), Datum::List(items)) => {
            Datum::List(items.iter().map(|datum| by_text(tx, item, datum)).collect())
        }
        (Type::Square, Datum::Text(text)) => {
            square(tx, text).map_or_else(|| datum.clone(), Datum::Square)
        }
        (Type::Kind(kind), Datum::Text(text)) => {
            thing(tx, kind, text).map_or_else(|| datum.clone(), Datum::Thing)
        }
        _ => datum.clone(),
    }
}

/// An action's arguments as typed, as values to put into a command. Texts that people type are sealed as such.
pub fn arguments(
    tx: &Tx,
    action: &Name,
    given: &[(Name, Typed)],
) -> Result<Vec<(Name, Value)>, Refusal> {
    let law = tx.frame().law;
    let Some(decl) = law.actions.get(action) else {
        return Err(Refusal::no_action(action));
    };
    let mut args = Vec::new();
    for (name, typed) in given {
        let Some(param) = decl.it.params.iter().find(|param| param.name == *name) else {
            let known = decl.it.params.iter().map(|param| param.name.as_str());
            let known = known.collect::<Vec<_>>().join(", ");
            let what = format!("only what {} asks for: {known}", decl.it.title);
            let mut refusal = tx.refusal_at(&decl.site, &what);
            refusal.needs[0].have = name.to_string();
            return Err(refusal.about(Topic::Argument(name.clone())));
        };
        if *typed == Typed::None && param.default.is_some() {
            continue;
        }
        let label = quorate_law::readable(name.as_str());
        let datum = read(tx, &label, &param.ty, typed)
            .map_err(|refusal| refusal.about(Topic::Argument(name.clone())))?;
        args.push((name.clone(), as_typed(&param.ty, &datum)));
    }
    Ok(args)
}

/// A value for a command: words that a person typed freely are a sealed text.
pub fn as_typed(ty: &Type, datum: &Datum) -> Value {
    match (ty, datum) {
        (Type::Text | Type::Any, Datum::Text(text)) => {
            Value::Text(quorate_kernel::command::typed(text))
        }
        (Type::Optional(inner), datum) => as_typed(inner, datum),
        (_, datum) => convert::plain_value(datum).unwrap_or_default(),
    }
}
