//! Between what is kept and what rule code handles, under the types that the law declares.

use std::sync::Arc;

use quorate_kernel::seal::{Salt, Sealed};
use quorate_kernel::{Name, Value};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::{Holds, Outside, ValueDecl};
use quorate_law::with_article;

/// A kept value as rule code sees it.
pub fn datum(value: &Value) -> Datum {
    match value {
        Value::None => Datum::None,
        Value::Flag(flag) => Datum::Bool(*flag),
        Value::Int(n) => Datum::Int(*n),
        Value::Word(word) => Datum::Text(word.as_str().into()),
        Value::Text(text) => Datum::Text(text.as_str().into()),
        Value::Moment(moment) => Datum::Moment(*moment),
        Value::Span(span) => Datum::Span(*span),
        Value::Square(square) => Datum::Square(square.clone()),
        Value::Picture(picture) => Datum::Picture(Arc::clone(picture)),
        Value::Thing(thing) => Datum::Thing(thing.clone()),
        Value::List(items) => Datum::List(items.iter().map(datum).collect()),
        Value::Hidden(seal) => seal.plain().map_or(Datum::None, datum),
    }
}

/// A value without a declaration, as in a tape, a duty's context or an action's arguments. Texts are kept as words of
/// the law, open in the log; `None` for what cannot be kept, such as a function.
pub fn plain_value(datum: &Datum) -> Option<Value> {
    Some(match datum {
        Datum::None => Value::None,
        Datum::Bool(flag) => Value::Flag(*flag),
        Datum::Int(n) => Value::Int(*n),
        Datum::Text(text) => Value::Word(Name::from(&**text)),
        Datum::Moment(moment) => Value::Moment(*moment),
        Datum::Span(span) => Value::Span(*span),
        Datum::Square(square) => Value::Square(square.clone()),
        Datum::Picture(picture) => Value::Picture(Arc::clone(picture)),
        Datum::Thing(thing) => Value::Thing(thing.clone()),
        Datum::List(items) => Value::List(
            items
                .iter()
                .map(plain_value)
                .collect::<Option<Arc<[_]>>>()?,
        ),
        Datum::Dict(_)
        | Datum::Function(_)
        | Datum::Ledger(..)
        | Datum::Record(_)
        | Datum::Object(_) => return None,
    })
}

/// A value for a declared place, or a sentence that says what is wrong with it. A number that is out of range and
/// stops at the end is stopped; one that is refused out of range is passed on, for the range is checked when the event is over.
pub fn value_for(
    decl: &ValueDecl,
    datum: &Datum,
    salt: &mut dyn FnMut() -> Salt,
) -> Result<Value, String> {
    let wrong = |wanted: &str| {
        Err(format!(
            "{} takes {wanted}, not {}",
            decl.title,
            describe(datum)
        ))
    };
    match (&decl.holds, datum) {
        (Holds::Number { min, max, outside }, Datum::Int(n)) => {
            let (min, max) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
            let kept = match outside {
                Outside::Clamp => *n.clamp(&min, &max),
                Outside::Refuse => *n,
            };
            allowed(decl, &Datum::Int(kept))?;
            Ok(Value::Int(kept))
        }
        (Holds::Number { .. }, _) => wrong("a whole number"),
        (Holds::Text, Datum::Text(text)) => {
            Ok(Value::Text(Sealed::close(Arc::clone(text), salt())))
        }
        (Holds::Text, _) => wrong("a text"),
        (Holds::Flag, Datum::Bool(flag)) => Ok(Value::Flag(*flag)),
        (Holds::Flag, _) => wrong("True or False"),
        (Holds::Choice(options), Datum::Text(text)) => {
            let word = Name::from(&**text);
            if options.contains(&word) {
                Ok(Value::Word(word))
            } else {
                let options: Vec<_> = options.iter().map(Name::as_str).collect();
                Err(format!(
                    "{} is one of {}, not \"{text}\"",
                    decl.title,
                    options.join(", ")
                ))
            }
        }
        (Holds::Choice(_), _) => wrong("one of its options"),
        (
            Holds::Moment | Holds::Picture | Holds::Reference(_) | Holds::Place { .. },
            Datum::None,
        ) => Ok(Value::None),
        (Holds::Picture, Datum::Picture(picture)) => {
            Ok(Value::Picture(Arc::new(picture.sealed(salt()))))
        }
        (Holds::Picture, _) => wrong("a picture or None"),
        (Holds::Moment, Datum::Moment(moment)) => Ok(Value::Moment(*moment)),
        (Holds::Moment, _) => wrong("a moment or None"),
        (Holds::Reference(_), Datum::Thing(thing)) => Ok(Value::Thing(thing.clone())),
        (Holds::Reference(kind), _) => wrong(&format!("{} or None", with_article(kind.as_str()))),
        (Holds::Place { .. }, Datum::Square(square)) => Ok(Value::Square(square.clone())),
        (Holds::Place { .. }, _) => wrong("a square or None"),
        (Holds::Listing { item, unique }, Datum::List(items)) => {
            listing(decl, item, *unique, items)
        }
        (Holds::Listing { .. }, _) => wrong("a list"),
        (Holds::Ledger { .. }, _) => Err(format!(
            "{} is a ledger: write to it with add and clear",
            decl.title
        )),
    }
}

fn listing(decl: &ValueDecl, item: &Type, unique: bool, items: &[Datum]) -> Result<Value, String> {
    let mut values = Vec::with_capacity(items.len());
    for datum in items {
        if !fits(item, datum) {
            return Err(format!(
                "{} holds {}, not {}",
                decl.title,
                type_name(item),
                describe(datum)
            ));
        }
        let value = plain_value(datum)
            .ok_or_else(|| format!("{} cannot hold {}", decl.title, describe(datum)))?;
        if !(unique && values.contains(&value)) {
            values.push(value);
        }
    }
    let kept = Value::list(values);
    allowed(decl, &datum(&kept))?;
    Ok(kept)
}

/// Of numbers and lists, whether they are what the declaration allows of their type.
fn allowed(decl: &ValueDecl, datum: &Datum) -> Result<(), String> {
    if decl.allows(datum) {
        return Ok(());
    }
    let among: Vec<String> = decl.among.iter().map(describe).collect();
    let among = among.join(", ");
    Err(match datum {
        Datum::List(items) if items.len() < decl.least => {
            let (title, least) = (&decl.title, decl.least);
            format!("{title} lists at least {least}, not {}", items.len())
        }
        Datum::List(_) => format!("{} lists only {among}", decl.title),
        other => format!("{} is one of {among}, not {}", decl.title, describe(other)),
    })
}

/// Whether a value is of a type, as far as its own form tells. The kind of a thing is checked where the world is known.
pub fn fits(ty: &Type, datum: &Datum) -> bool {
    match (ty, datum) {
        (Type::Any, _)
        | (Type::None | Type::Optional(_), Datum::None)
        | (Type::Bool, Datum::Bool(_))
        | (Type::Int, Datum::Int(_))
        | (Type::Text, Datum::Text(_))
        | (Type::Moment, Datum::Moment(_))
        | (Type::Span, Datum::Span(_))
        | (Type::Square, Datum::Square(_))
        | (Type::Picture, Datum::Picture(_))
        | (Type::Kind(_), Datum::Thing(_))
        | (Type::Ledger, Datum::Ledger(..))
        | (Type::Function, Datum::Function(_))
        | (Type::Dict(..), Datum::Dict(_)) => true,
        (Type::Record(kind), Datum::Record(record)) => record.kind == *kind,
        (Type::List(item), Datum::List(items)) => items.iter().all(|datum| fits(item, datum)),
        (Type::Optional(inner), datum) => fits(inner, datum),
        _ => false,
    }
}

/// The type of what a value holds, as rule code reads it.
pub(crate) fn type_of(holds: &Holds) -> Type {
    let optional = |ty: Type| Type::Optional(Box::new(ty));
    match holds {
        Holds::Number { .. } => Type::Int,
        Holds::Text | Holds::Choice(_) => Type::Text,
        Holds::Flag => Type::Bool,
        Holds::Moment => optional(Type::Moment),
        Holds::Picture => optional(Type::Picture),
        Holds::Reference(kind) => optional(Type::Kind(kind.clone())),
        Holds::Listing { item, .. } => Type::List(Box::new(item.clone())),
        Holds::Place { .. } => optional(Type::Square),
        Holds::Ledger { .. } => Type::Ledger,
    }
}

/// Whether a kept value still fits a declaration: type and range.
pub fn legal(decl: &ValueDecl, value: &Value) -> bool {
    match (&decl.holds, value.open()) {
        (Holds::Number { min, max, .. }, Value::Int(n)) => {
            min.is_none_or(|min| *n >= min)
                && max.is_none_or(|max| *n <= max)
                && decl.allows(&Datum::Int(*n))
        }
        (Holds::Choice(options), Value::Word(word)) => options.contains(word),
        (Holds::Listing { item, .. }, Value::List(items)) => {
            items.iter().all(|value| fits(item, &datum(value))) && decl.allows(&datum(value))
        }
        (Holds::Text, Value::Text(_) | Value::None)
        | (Holds::Flag, Value::Flag(_))
        | (Holds::Moment, Value::Moment(_) | Value::None)
        | (Holds::Picture, Value::Picture(_) | Value::None)
        | (Holds::Reference(_), Value::Thing(_) | Value::None)
        | (Holds::Place { .. }, Value::Square(_) | Value::None)
        | (Holds::Ledger { .. }, _) => true,
        _ => false,
    }
}

/// A value in a few words, for messages.
pub fn describe(datum: &Datum) -> String {
    match datum {
        Datum::None => "None".to_owned(),
        Datum::Bool(flag) => if *flag { "True" } else { "False" }.to_owned(),
        Datum::Int(n) => n.to_string(),
        Datum::Text(text) => {
            let short: String = text.chars().take(40).collect();
            let more = if short.len() < text.len() { "…" } else { "" };
            format!("\"{short}{more}\"")
        }
        Datum::Moment(moment) => moment.to_string(),
        Datum::Span(span) => span.to_string(),
        Datum::Square(square) => format!(
            "column {}, row {} of {}",
            square.column + 1,
            square.row + 1,
            square.board
        ),
        Datum::Picture(picture) => crate::pictures::described(picture),
        Datum::Thing(thing) => thing.to_string(),
        Datum::List(items) => format!("a list of {}", items.len()),
        Datum::Dict(items) => format!("a dictionary of {}", items.len()),
        Datum::Function(name) => format!("the function {name}"),
        Datum::Ledger(..) => "a ledger".to_owned(),
        Datum::Record(record) => with_article(record.kind),
        Datum::Object(_) => "an object of the test".to_owned(),
    }
}

/// A type in a few words, for forms and messages, with kinds by their code names.
pub fn type_name(ty: &Type) -> String {
    type_words(ty, &|kind| kind.to_string())
}

/// A type in a few words, with a word of the game for each kind.
pub fn type_words(ty: &Type, kind_word: &dyn Fn(&Name) -> String) -> String {
    match ty {
        Type::Any => "anything".to_owned(),
        Type::None => "nothing".to_owned(),
        Type::Bool => "yes or no".to_owned(),
        Type::Int => "a whole number".to_owned(),
        Type::Text => "a text".to_owned(),
        Type::Moment => "a moment".to_owned(),
        Type::Span => "a length of time".to_owned(),
        Type::Square => "a square".to_owned(),
        Type::Picture => "a picture".to_owned(),
        Type::Kind(kind) => with_article(&kind_word(kind)),
        Type::Record(kind) => with_article(kind),
        Type::Ledger => "a ledger".to_owned(),
        Type::Function => "a function".to_owned(),
        Type::List(item) => format!("a list, each {}", type_words(item, kind_word)),
        Type::Dict(..) => "a dictionary".to_owned(),
        Type::Optional(inner) => format!("{} or nothing", type_words(inner, kind_word)),
    }
}

/// What a kind of place holds at first, where the declaration names nothing.
pub fn empty_value(holds: &Holds) -> Value {
    match holds {
        Holds::Number { min, max, .. } => Value::Int(0_i64.clamp(
            min.unwrap_or(i64::MIN),
            max.unwrap_or(i64::MAX).max(min.unwrap_or(i64::MIN)),
        )),
        Holds::Text => Value::Text(Sealed::close("", [0; 16])),
        Holds::Flag => Value::Flag(false),
        Holds::Choice(options) => Value::Word(options.iter().min().cloned().unwrap_or_default()),
        Holds::Moment
        | Holds::Picture
        | Holds::Reference(_)
        | Holds::Place { .. }
        | Holds::Ledger { .. } => Value::None,
        Holds::Listing { .. } => Value::list([]),
    }
}

#[cfg(test)]
mod tests {
    use quorate_law::declare::ShownTo;

    use super::*;

    fn declared(holds: Holds) -> ValueDecl {
        ValueDecl {
            name: "load".into(),
            title: "Load".to_owned(),
            of: "Player".into(),
            holds,
            default: Datum::None,
            among: Vec::new(),
            least: 0,
            tracked: String::new(),
            shown_to: ShownTo::All,
            tags: Vec::new(),
            was: None,
        }
    }

    fn number(outside: Outside) -> ValueDecl {
        declared(Holds::Number {
            min: Some(0),
            max: Some(9),
            outside,
        })
    }

    fn numbers(unique: bool) -> ValueDecl {
        let item = Type::Int;
        declared(Holds::Listing { item, unique })
    }

    fn kept(decl: &ValueDecl, datum: &Datum) -> Result<Value, String> {
        value_for(decl, datum, &mut || [7; 16])
    }

    fn ints(numbers: &[i64]) -> Datum {
        Datum::List(numbers.iter().copied().map(Datum::Int).collect())
    }

    #[test]
    fn a_number_out_of_its_range_stops_at_the_end_or_is_left_for_the_last_look() {
        let far = Datum::Int(12);
        assert_eq!(kept(&number(Outside::Clamp), &far), Ok(Value::Int(9)));
        assert_eq!(kept(&number(Outside::Refuse), &far), Ok(Value::Int(12)));
        assert!(!legal(&number(Outside::Refuse), &Value::Int(12)));
        assert!(legal(&number(Outside::Refuse), &Value::Int(9)));
    }

    #[test]
    fn what_does_not_fit_is_told_with_what_would() {
        let told = |decl: &ValueDecl, datum: Datum| kept(decl, &datum).expect_err("it fits");
        let word = Datum::Text("heavy".into());
        assert_eq!(
            told(&number(Outside::Clamp), word.clone()),
            "Load takes a whole number, not \"heavy\""
        );
        let choice = declared(Holds::Choice(vec!["light".into(), "full".into()]));
        assert_eq!(
            told(&choice, word),
            "Load is one of light, full, not \"heavy\""
        );
        let boat = declared(Holds::Reference("Boat".into()));
        assert_eq!(
            told(&boat, Datum::Int(1)),
            "Load takes a Boat or None, not 1"
        );
        let ledger = declared(Holds::Ledger { keep: None });
        let ledger = told(&ledger, ints(&[]));
        assert_eq!(ledger, "Load is a ledger: write to it with add and clear");
        let mixed = Datum::List([Datum::Int(1), Datum::Bool(true)].into());
        let mixed = told(&numbers(false), mixed);
        assert_eq!(mixed, "Load holds a whole number, not True");
    }

    #[test]
    fn a_list_keeps_each_once_where_it_says_so_and_only_what_it_may_list() {
        let twice = ints(&[3, 1, 3]);
        assert_eq!(
            kept(&numbers(false), &twice).map(|it| datum(&it)),
            Ok(twice.clone())
        );
        let once = kept(&numbers(true), &twice).map(|it| datum(&it));
        assert_eq!(once, Ok(ints(&[3, 1])));
        let few = ValueDecl {
            among: vec![Datum::Int(1), Datum::Int(2)],
            least: 2,
            ..numbers(true)
        };
        assert_eq!(kept(&few, &twice), Err("Load lists only 1, 2".to_owned()));
        let short = kept(&few, &ints(&[1, 1]));
        assert_eq!(short, Err("Load lists at least 2, not 1".to_owned()));
    }

    #[test]
    fn a_text_is_sealed_and_read_as_it_was() {
        let text = Datum::Text("a secret".into());
        let value = kept(&declared(Holds::Text), &text).expect("it is a text");
        assert!(matches!(&value, Value::Text(seal) if *seal == Sealed::close("a secret", [7; 16])));
        assert_eq!(datum(&value), text);
        // Without a declaration it is a word of the law, open in the log.
        assert_eq!(plain_value(&text), Some(Value::Word("a secret".into())));
        assert_eq!(plain_value(&Datum::Function("f".into())), None);
    }

    #[test]
    fn a_place_for_a_value_begins_with_what_it_may_hold() {
        let from_three = Holds::Number {
            min: Some(3),
            max: None,
            outside: Outside::Refuse,
        };
        assert_eq!(empty_value(&from_three), Value::Int(3));
        let words = Holds::Choice(vec!["light".into(), "full".into()]);
        assert_eq!(empty_value(&words), Value::Word("full".into()));
    }

    #[test]
    fn what_may_be_none_fits_none_and_its_own_type() {
        let maybe = Type::Optional(Box::new(Type::List(Box::new(Type::Int))));
        assert!(fits(&maybe, &Datum::None) && fits(&maybe, &ints(&[1])));
        assert!(!fits(&maybe, &Datum::Int(1)));
        let mixed = Datum::List([Datum::Int(1), Datum::None].into());
        assert!(!fits(&maybe, &mixed));
        assert_eq!(type_name(&maybe), "a list, each a whole number or nothing");
    }

    #[test]
    fn a_long_text_is_told_by_how_it_begins() {
        let told = describe(&Datum::Text("x".repeat(41).into()));
        assert_eq!(told, format!("\"{}…\"", "x".repeat(40)));
        assert_eq!(describe(&Datum::Text("short".into())), "\"short\"");
    }
}
