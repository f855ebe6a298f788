//! What can be picked for a change of a draft: things, values, words, pages, rules.

use quorate_engine::law::At;
use quorate_engine::offers;
use quorate_kernel::Name;
use quorate_kernel::law::LIBRARY;
use quorate_law::capital;
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::ValueDecl;
use serde_json::{Map, Value as Json, json};

use crate::site::compose::doing::{OFFERED, PREFIX, TAKEN};
use crate::ui::{Choice, Field, FieldKind};
use crate::view::game::GameView;

/// A field of a change; it is named for its part.
pub(crate) fn field(part: &str, label: &str, kind: FieldKind) -> Field {
    Field::new(part, part, label, kind)
}

pub(crate) fn type_of(view: &GameView, kind: &Name, decl: &At<ValueDecl>) -> Type {
    let name = decl.it.name.as_str();
    let ty = view.ask(|asked| asked.attribute_type(kind.as_str(), name));
    ty.unwrap_or(Type::Any)
}

/// A field for a value of its type, with what can be picked for it.
pub(crate) fn typed_field(
    view: &GameView,
    part: &str,
    kind: &Name,
    decl: &At<ValueDecl>,
    label: &str,
) -> Field {
    let ty = type_of(view, kind, decl);
    let options = view.ask(|asked| asked.options_of(&decl.site.rule, &ty, &decl.it.holds));
    let asked = offers::Field {
        name: part.into(),
        title: label.to_owned(),
        ty,
        options,
        remarks: Vec::new(),
        default: None,
    };
    view.field(&asked, "p")
}

/// Who has values of a kind: "a player", "the game".
pub(crate) fn owner(view: &GameView, kind: &Name) -> String {
    match kind.as_str() {
        "Game" => "the game".to_owned(),
        "Player" => view.word("player"),
        _ => view.singular_of(kind),
    }
}

/// The things of a kind, told apart where several have one name.
pub(crate) fn things(view: &GameView, kind: &Name) -> Vec<Choice> {
    let things = view.ask(|asked| asked.things_of(kind));
    let options = things.into_iter().map(|thing| {
        let called = view.called(&thing);
        (Datum::Thing(thing), called)
    });
    let asked = offers::Field {
        name: "thing".into(),
        title: String::new(),
        ty: Type::Kind(kind.clone()),
        options: Some(options.collect()),
        remarks: Vec::new(),
        default: None,
    };
    match view.field(&asked, "p").kind {
        FieldKind::One(choices) | FieldKind::OneInSight(choices) => choices,
        _ => Vec::new(),
    }
}

pub(crate) fn all_things(view: &GameView) -> Vec<Choice> {
    let kinds = view.law().entities.keys();
    let all = kinds.flat_map(|kind| {
        let of = capital(&view.singular_of(kind));
        let things = things(view, kind).into_iter();
        things.map(move |thing| Choice::new(thing.value, format!("{of}: {}", thing.title)))
    });
    all.collect()
}

pub(crate) fn terms(view: &GameView) -> Vec<Choice> {
    let terms = view.public().terms.iter();
    let terms = terms.map(|(name, term)| {
        Choice::new(
            name.as_str(),
            format!("{name}: {}, {}", term.one, term.many),
        )
    });
    terms.collect()
}

pub(crate) fn pages(view: &GameView) -> Vec<Choice> {
    let mut names: Vec<Name> = view.public().pages.keys().cloned().collect();
    let declared = &view.law().pages;
    names.extend(declared.iter().map(|decl| decl.it.name.clone()));
    names.sort();
    names.dedup();
    let titled = names.iter().map(|name| {
        let decl = declared.iter().find(|decl| decl.it.name == *name);
        let title = decl.map_or_else(|| name.to_string(), |decl| view.themed(&decl.it.title));
        Choice::new(name.as_str(), title)
    });
    titled.collect()
}

pub(crate) fn rules(view: &GameView) -> Vec<Choice> {
    let rules = view.rules_in_order().into_iter();
    let rules = rules.filter(|(_, rule)| rule.section != LIBRARY);
    rules
        .map(|(id, rule)| Choice::new(id.as_str(), view.themed(&rule.title)))
        .collect()
}

pub(crate) fn sections(view: &GameView) -> Vec<Choice> {
    let sections = view.public().sections.iter();
    let sections = sections.filter(|(id, _)| **id != LIBRARY);
    sections
        .map(|(id, section)| Choice::new(id.as_str(), view.themed(&section.title)))
        .collect()
}

/// A plain value as what a form would send for it; none for what no field holds.
pub(crate) fn texts(value: &Json) -> Option<Vec<String>> {
    let one = |value: &Json| match value {
        Json::Null => Some(String::new()),
        Json::Bool(true) => Some("true".to_owned()),
        Json::Bool(false) => Some(String::new()),
        Json::Number(number) => Some(number.to_string()),
        Json::String(text) => Some(text.clone()),
        Json::Array(_) | Json::Object(_) => None,
    };
    match value {
        Json::Array(items) => items.iter().map(one).collect(),
        other => Some(vec![one(other)?]),
    }
}

/// What a form sent for a value of a type, as plain data.
pub(crate) fn as_data(ty: &Type, values: &[String]) -> Json {
    match (ty, values) {
        (Type::List(_), values) => {
            let items = values.iter().filter(|value| !value.is_empty());
            items.map(|value| json!(value)).collect()
        }
        (Type::Bool, values) => json!(values.iter().any(|value| !value.is_empty())),
        (Type::Optional(_), [one]) if one.is_empty() => Json::Null,
        (_, [one, ..]) => json!(one),
        (_, []) => Json::Null,
    }
}

/// The choice of what to change next.
pub(crate) fn choice_of_rules(view: &GameView) -> Field {
    let sections = view
        .public()
        .sections
        .iter()
        .filter(|(id, _)| **id != LIBRARY);
    let mut choices: Vec<Choice> = sections
        .map(|(id, section)| {
            Choice::new(
                format!("new:{id}"),
                format!("A new rule in {}", view.themed(&section.title)),
            )
        })
        .collect();
    if !view.app().deps.books.is_empty() {
        let (word, title) = TAKEN;
        choices.push(Choice::new(format!("{PREFIX}{word}"), title));
    }
    for (id, rule) in view.rules_in_order() {
        if rule.section != LIBRARY {
            choices.push(Choice::new(id.as_str(), view.themed(&rule.title)));
        }
    }
    choices.extend(kinds());
    Field::new(
        "rule",
        "rule",
        "Change a rule, add one, or change something else",
        FieldKind::One(choices),
    )
    .blank("choose …")
}

/// The kinds of changes, for the choice of what to change next.
fn kinds() -> impl Iterator<Item = Choice> {
    let kinds = OFFERED.iter();
    kinds.map(|(_, word, title)| Choice::new(format!("{PREFIX}{word}"), *title))
}

/// Parts of a change with what they hold.
pub(crate) fn pairs<const N: usize>(pairs: [(&str, Json); N]) -> Map<String, Json> {
    let pairs = pairs.into_iter();
    pairs
        .map(|(part, value)| (part.to_owned(), value))
        .collect()
}
