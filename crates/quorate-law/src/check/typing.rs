//! Types: the law's kinds with their attributes, laid before the language's own checker.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use quorate_kernel::Name;
use starlark::environment::Globals;
use starlark::syntax::AstModule;
use starlark::typing::{
    AstModuleTypecheck, Ty, TyStarlarkValue, TyUser, TyUserFields, TyUserParams,
};
use starlark::values::typing::TypeInstanceId;
use starlark_map::sorted_map::SortedMap;

use crate::collect::Signature;
use crate::datum::Type;
use crate::diagnostic::{CodeFault, did_you_mean};
use crate::errors;
use crate::interface::{RECORDS, attributes};
use crate::library::{self, Additions, BASE_KINDS};
use crate::sheet::CodeSheet;
use crate::signature::{SIGNATURES, attribute_type};
use crate::syntax::{ANYTHING, Flavour, dialect, of_setter, setter};
use crate::types::{LEDGER, MOMENT, PICTURE, SPAN, SQUARE, Schema};
use crate::unit::{Sort, Unit, ValueFound};
use crate::values::callable::Callable;
use crate::values::kind::KindValue;

/// The kinds that every law has: plain values, facts and things.
fn fixed_kinds() -> impl Iterator<Item = &'static str> {
    let plain = [MOMENT, SPAN, SQUARE, PICTURE, LEDGER].into_iter();
    plain.chain(RECORDS.iter().copied()).chain(BASE_KINDS)
}

/// The kinds of a law, with what their things have, and what they had where somebody still asks for it.
pub(crate) fn schema<'u>(
    units: impl Iterator<Item = &'u Unit> + Clone,
    lost: &[&ValueFound],
) -> Rc<Schema> {
    let mut schema = Schema::default();
    for name in fixed_kinds() {
        schema.add(name);
    }
    let kinds = || units.clone().flat_map(|unit| &unit.kinds);
    for kind in kinds() {
        match kind.sort {
            Sort::Category => schema.add_category(kind.name.as_str()),
            Sort::Entity | Sort::Table => schema.add(kind.name.as_str()),
        }
    }
    built_in(&mut schema);
    let mut posts = vec!["Post"];
    for kind in kinds() {
        let name = kind.name.as_str();
        let alike = match kind.sort {
            Sort::Category => "Post",
            Sort::Entity => "Entity",
            Sort::Table => "Row",
        };
        if kind.sort == Sort::Category {
            posts.push(name);
        }
        for attribute in attributes().filter(|attribute| attribute.of == alike) {
            let ty = schema.ty(&attribute_type(attribute), None);
            schema.attribute(name, attribute.name, ty);
        }
        for (column, ty) in &kind.columns {
            let ty = schema.ty(ty, None);
            schema.attribute(name, column.as_str(), ty);
        }
    }
    let aliases: HashMap<&str, &str> = kinds()
        .filter_map(|kind| Some((kind.alias.as_deref()?, kind.name.as_str())))
        .chain([("player", "Player"), ("game", "Game")])
        .collect();
    let functions = units.clone().flat_map(|unit| &unit.functions);
    let functions: HashMap<&str, &Signature> = functions
        .map(|function| (function.name.as_str(), function.signature.as_ref()))
        .collect();
    let values = units.clone().flat_map(|unit| &unit.values);
    // What is there comes last, and stands where a lost value had its name.
    for value in lost.iter().copied().chain(values) {
        let of = aliases.get(value.of.as_str()).copied().unwrap_or(&value.of);
        let function = value.function.as_deref();
        let signature = function.and_then(|name| functions.get(name));
        let ty = schema.ty(
            signature.map_or(&value.ty, |signature| &signature.gives),
            None,
        );
        let written = value.function.is_none() && value.ty != Type::Ledger;
        let bearers = if of == "Post" {
            posts.as_slice()
        } else {
            &[of]
        };
        for bearer in bearers {
            schema.attribute(bearer, value.name.as_str(), ty.clone());
            if written {
                let set = Schema::setter(ty.clone());
                schema.attribute(bearer, &setter(value.name.as_str()), set);
            }
        }
    }
    Rc::new(schema)
}

fn built_in(schema: &mut Schema) {
    for attribute in attributes() {
        let ty = schema.ty(&attribute_type(attribute), None);
        schema.attribute(attribute.of, attribute.name, ty);
    }
    for (name, signature) in SIGNATURES.iter() {
        if let Some((of, method)) = name.split_once('.') {
            let ty = schema.function(signature, None);
            schema.attribute(of, method, ty);
        }
    }
}

/// The library as the checker sees it.
pub(crate) fn globals(
    schema: &Schema,
    additions: &Additions,
    quantities: &[(Name, Type)],
) -> Globals {
    let mut builder = library::builder(&Additions::default());
    for (name, signature) in SIGNATURES.iter().filter(|(name, _)| !name.contains('.')) {
        let ty = schema.function(signature, None);
        if let Some(function) = Callable::function(name) {
            builder.set(name, function.typed(ty));
        }
    }
    let own = additions.kinds.iter().map(Name::to_string);
    for name in fixed_kinds().map(str::to_owned).chain(own) {
        builder.set(&name, kind(schema, &name));
    }
    builder.set("player", kind(schema, "Player"));
    let constant = |name: &str, ty: Ty| KindValue {
        name: Name::from(name),
        means: Ty::any(),
        handle: Some(ty),
    };
    builder.set(ANYTHING, constant(ANYTHING, Ty::any()));
    builder.set(
        "game",
        constant("game", schema.ty(&Type::Kind("Game".into()), None)),
    );
    builder.set("now", constant("now", schema.ty(&Type::Moment, None)));
    for (name, ty) in quantities {
        let mut signature = SIGNATURES["Quantity.call"].clone();
        signature.positional[0].ty = ty.clone();
        signature.gives = ty.clone();
        if let Some(quantity) = Callable::quantity(name) {
            builder.set(
                name.as_str(),
                quantity.typed(schema.function(&signature, None)),
            );
        }
    }
    builder.build()
}

/// A kind as the checker sees its handle: with methods that know the kind.
fn kind(schema: &Schema, name: &str) -> KindValue {
    let means = schema.ty(&Type::Kind(name.into()), None);
    let mut known: BTreeMap<String, Ty> = BTreeMap::new();
    for (method, signature) in SIGNATURES.iter() {
        if let Some(method) = method.strip_prefix("K.") {
            known.insert(method.to_owned(), schema.function(signature, Some(name)));
        }
    }
    if let Some(attributes) = schema.attributes(name) {
        let values = attributes
            .iter()
            .filter(|(name, _)| of_setter(name).is_none());
        let or_none =
            |(name, ty): (&String, &Ty)| (name.clone(), Ty::union2(ty.clone(), Ty::none()));
        let mut filters: Vec<_> = values.clone().map(or_none).collect();
        filters.push(("since".to_owned(), schema.ty(&Type::Moment, None)));
        known.insert(
            "all".to_owned(),
            Schema::keywords(filters, Ty::list(means.clone())),
        );
        let first = values.filter(|(name, _)| attributes.contains_key(&setter(name)));
        let first = first.map(|(name, ty)| (name.clone(), ty.clone())).collect();
        known.insert("create".to_owned(), Schema::keywords(first, means.clone()));
    }
    let params = TyUserParams {
        fields: TyUserFields {
            known: known.into_iter().collect::<SortedMap<_, _>>(),
            unknown: false,
        },
        ..TyUserParams::default()
    };
    let base = TyStarlarkValue::new::<KindValue>();
    let handle = TyUser::new(name.to_owned(), base, TypeInstanceId::r#gen(), params).ok();
    KindValue {
        name: Name::from(name),
        means,
        handle: handle.map(Ty::custom),
    }
}

/// Checks a sheet; findings with their fences.
pub(crate) fn check(
    sheet: &CodeSheet,
    schema: &Rc<Schema>,
    globals: &Globals,
    unknown: &dyn Fn(&str) -> CodeFault,
) -> Vec<(usize, CodeFault)> {
    let ast = match AstModule::parse("law", sheet.text.clone(), &dialect(Flavour::Law)) {
        Ok(ast) => ast,
        Err(error) => {
            return located(sheet, schema, &error, unknown)
                .into_iter()
                .collect();
        }
    };
    let errors = schema.during(|| ast.typecheck(globals, &HashMap::new()).0);
    errors
        .iter()
        .filter_map(|error| located(sheet, schema, error, unknown))
        .collect()
}

/// The attributes that a sheet reads or sets of things whose kind has none such: fence, place and name.
pub(crate) fn missing_attributes(
    sheet: &CodeSheet,
    schema: &Rc<Schema>,
    globals: &Globals,
) -> Vec<(usize, u32, String)> {
    let Ok(ast) = AstModule::parse("law", sheet.text.clone(), &dialect(Flavour::Law)) else {
        return Vec::new();
    };
    let errors = schema.during(|| ast.typecheck(globals, &HashMap::new()).0);
    let missing = errors.iter().filter_map(|error| {
        let (unit, offset) = sheet.place_of(error)?;
        let words = schema.readable(&errors::words(error));
        match quoted(&words).as_slice() {
            [attribute, _] if words.starts_with("The attribute `") => {
                let name = of_setter(attribute).unwrap_or(attribute);
                Some((unit, offset, name.to_owned()))
            }
            _ => None,
        }
    });
    missing.collect()
}

fn located(
    sheet: &CodeSheet,
    schema: &Schema,
    error: &starlark::Error,
    unknown: &dyn Fn(&str) -> CodeFault,
) -> Option<(usize, CodeFault)> {
    let (unit, offset) = sheet.place_of(error)?;
    let words = schema.readable(&errors::words(error));
    if words.starts_with("Internal error") {
        // What follows from a name that is not known, which is told by itself.
        return None;
    }
    let mut fault = reworded(schema, &words, unknown);
    fault.offset = offset;
    Some((unit, fault))
}

/// The words between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The checker's finding in words for rule authors.
fn reworded(schema: &Schema, words: &str, unknown: &dyn Fn(&str) -> CodeFault) -> CodeFault {
    let names = quoted(words);
    match names.as_slice() {
        [name, ..] if words.starts_with("Variable `") => unknown(name),
        [attribute, kind] if words.starts_with("The attribute `") => {
            attribute_fault(schema, attribute, kind)
        }
        [wanted, got] if words.starts_with("Expected type `") => {
            let fault = CodeFault::new(0, format!("this should be {wanted}, and it is {got}"));
            if *got == "None" {
                return fault
                    .help("it can be None: test for `!= None` first, or annotate `… | None`");
            }
            match (*wanted, *got) {
                ("int", "str") => fault.help("`int(text)` makes a number of digits"),
                ("str", _) => fault.help("put it into a text with f\"{value}\""),
                _ => fault,
            }
        }
        [name] if words.starts_with("Missing required parameter") => {
            let fault = CodeFault::new(0, format!("the argument `{name}` is missing"));
            fault.help(format!("give it in its place, or by name: `{name} = …`"))
        }
        [name] if words.starts_with("Unexpected parameter named") => {
            let fault = CodeFault::new(0, format!("there is no argument or value `{name}` here"));
            match did_you_mean(name, schema.values()) {
                Some(meant) => fault.help(format!("did you mean `{meant}`?")),
                None => {
                    fault.help("look which ones it takes: in the guide, or where it is declared")
                }
            }
        }
        [op, left, right] if words.starts_with("Binary operator `") => {
            let fault = CodeFault::new(0, format!("`{op}` does not go between {left} and {right}"));
            let timely = |ty: &str| ty == MOMENT || ty == SPAN;
            if (timely(left) && *right == "int") || (*left == "int" && timely(right)) {
                return fault.help("give the number a unit: `minutes(n)`, `hours(n)` or `days(n)`");
            }
            if (*left == "str") != (*right == "str") {
                return fault.help("put values into a text with f\"{value}\"");
            }
            if left.contains("None") || right.contains("None") {
                return fault.help("one side can be None: test for `!= None` first");
            }
            fault
        }
        [kind] if words.contains("is not iterable") => {
            CodeFault::new(0, format!("one cannot loop over {kind}"))
                .help("loop over a list, such as `players()` or `Kind.all()`")
        }
        _ => CodeFault::new(0, words.to_owned()),
    }
}

fn attribute_fault(schema: &Schema, attribute: &str, kind: &str) -> CodeFault {
    let alone = kind.split(" | ").find(|one| *one != "None").unwrap_or(kind);
    let known = schema.attributes(alone);
    let (name, sets) = match of_setter(attribute) {
        Some(name) => (name, true),
        None => (attribute, false),
    };
    if sets && known.is_some_and(|known| known.contains_key(name)) {
        return CodeFault::new(
            0,
            format!("`{name}` of {alone} is given or worked out: it cannot be set"),
        )
        .help("set what rules declare as `number`, `text`, `flag` and so on");
    }
    if kind == "None" {
        return CodeFault::new(0, format!("this is None and has no `{name}`"));
    }
    let fault = CodeFault::new(0, format!("{alone} has no `{name}`"));
    let names = known
        .into_iter()
        .flat_map(BTreeMap::keys)
        .map(String::as_str);
    let names: Vec<&str> = names.filter(|name| of_setter(name).is_none()).collect();
    match did_you_mean(name, names.iter().copied()) {
        Some(meant) => fault.help(format!("did you mean `{meant}`?")),
        None if names.is_empty() => fault,
        None => fault.help(format!("it has: {}", names.join(", "))),
    }
}
