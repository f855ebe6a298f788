//! The arguments of a request, by name or in order, before it is known what they are for.

use std::collections::VecDeque;

use quorate_kernel::patch::Patch;
use quorate_law::datum::Datum;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};

use super::error::RequestError;
use crate::convert;

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// Data, as JSON and command lines give it. Things stand there by their address, or by what they are called.
    Data(Json),
    /// A value of the law's language.
    Datum(Datum),
    /// Changes that were read already.
    Patch(Patch),
}

/// The arguments of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    named: Vec<(String, Argument)>,
    /// Those without a name fill in what is missing, in the order in which it is asked for.
    plain: VecDeque<Argument>,
    /// What stands for what is not given either way.
    defaults: Vec<(String, Argument)>,
}

impl From<Map<String, Json>> for Arguments {
    fn from(named: Map<String, Json>) -> Self {
        let named = named.into_iter();
        Self::new(
            named
                .map(|(name, json)| (name, Argument::Data(json)))
                .collect(),
            vec![],
        )
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::from)
    }
}

impl Arguments {
    /// Arguments by name, and those that fill in what is missing.
    pub fn new(named: Vec<(String, Argument)>, plain: Vec<Argument>) -> Self {
        Self {
            named,
            plain: plain.into(),
            defaults: vec![],
        }
    }

    /// Gives an argument a name.
    pub fn insert(&mut self, name: &str, argument: Argument) {
        self.named.push((name.to_owned(), argument));
    }

    /// What stands for an argument that is not given.
    pub fn or(&mut self, name: &str, argument: Argument) {
        self.defaults.push((name.to_owned(), argument));
    }

    /// The argument of a name.
    pub fn get(&self, name: &str) -> Option<&Argument> {
        let given = self.named.iter().find(|(known, _)| known == name);
        given.map(|(_, argument)| argument)
    }

    /// The next argument without a name.
    pub fn next(&self) -> Option<&Argument> {
        self.plain.front()
    }

    /// Takes an argument by its name alone.
    pub fn take_named(&mut self, name: &str) -> Option<Argument> {
        removed(&mut self.named, name)
    }

    /// Takes an argument by its name, or else the next without one.
    pub(super) fn take(&mut self, name: &str) -> Option<Argument> {
        let given = self.take_named(name).or_else(|| self.plain.pop_front());
        given.or_else(|| removed(&mut self.defaults, name))
    }

    pub(super) fn must(&mut self, name: &str) -> Result<Argument, RequestError> {
        let given = self
            .take(name)
            .filter(|given| *given != Argument::Data(Json::Null));
        given.ok_or_else(|| RequestError::missing(name))
    }

    pub(super) fn text(&mut self, name: &str) -> Result<String, RequestError> {
        text(name, self.must(name)?)
    }

    /// A text that may be left out.
    pub(super) fn text_or_empty(&mut self, name: &str) -> Result<String, RequestError> {
        let given = self.take(name);
        Ok(optional_text(name, given)?.unwrap_or_default())
    }

    /// A text that may be left out, by its name alone.
    pub(super) fn named_text(&mut self, name: &str) -> Result<Option<String>, RequestError> {
        let given = self.take_named(name);
        optional_text(name, given)
    }

    pub(super) fn number(&mut self, name: &str, what: &str) -> Result<u64, RequestError> {
        let word = word(self.must(name)?);
        let number = word.and_then(|word| word.trim_start_matches('#').parse().ok());
        number.ok_or_else(|| RequestError::unfit(name, what))
    }

    /// What stands under a name, and whatever else has a name: each with the path of its argument.
    pub(super) fn entries(&mut self, name: &str) -> Result<Vec<ArgumentEntry>, RequestError> {
        let mut entries = Vec::new();
        match self.take_named(name) {
            None | Some(Argument::Data(Json::Null)) => {}
            Some(Argument::Data(Json::Object(held))) => {
                entries.extend(held.into_iter().map(|(key, json)| ArgumentEntry {
                    path: format!("{name}.{key}"),
                    name: key,
                    argument: Argument::Data(json),
                }));
            }
            Some(_) => {
                return Err(RequestError::unfit(
                    name,
                    format!("{name} are given by name"),
                ));
            }
        }
        entries.extend(self.named.drain(..).map(|(name, argument)| ArgumentEntry {
            path: name.clone(),
            name,
            argument,
        }));
        Ok(entries)
    }

    /// The name of an argument that nobody took.
    pub(super) fn left(&self) -> Option<String> {
        let named = self.named.first().map(|(name, _)| name.clone());
        named.or_else(|| {
            Some(word(self.plain.front()?.clone()).unwrap_or_else(|| "so much".to_owned()))
        })
    }

    /// Nothing may be left.
    pub(super) fn finish(&self) -> Result<(), RequestError> {
        match self.left() {
            Some(argument) => Err(RequestError::Unasked { argument }),
            None => Ok(()),
        }
    }
}

/// One of several arguments under a name.
pub(super) struct ArgumentEntry {
    pub path: String,
    pub name: String,
    pub argument: Argument,
}

/// A text or a number, as it is written.
pub(super) fn word(argument: Argument) -> Option<String> {
    match argument {
        Argument::Data(Json::String(text)) => Some(text),
        Argument::Data(Json::Number(number)) => Some(number.to_string()),
        Argument::Datum(Datum::Text(text)) => Some(text.to_string()),
        Argument::Datum(Datum::Int(number)) => Some(number.to_string()),
        Argument::Datum(Datum::Thing(thing)) => Some(thing.to_string()),
        _ => None,
    }
}

fn text(name: &str, argument: Argument) -> Result<String, RequestError> {
    let have = match argument {
        Argument::Data(Json::String(text)) => return Ok(text),
        Argument::Datum(Datum::Text(text)) => return Ok(text.to_string()),
        Argument::Data(other) => other.to_string(),
        Argument::Datum(other) => convert::describe(&other),
        Argument::Patch(_) => "changes".to_owned(),
    };
    Err(RequestError::unfit(
        name,
        format!("{name} is a text, not {have}"),
    ))
}

fn optional_text(name: &str, argument: Option<Argument>) -> Result<Option<String>, RequestError> {
    let given = argument.filter(|given| *given != Argument::Data(Json::Null));
    given.map(|given| text(name, given)).transpose()
}

fn removed(from: &mut Vec<(String, Argument)>, name: &str) -> Option<Argument> {
    let at = from.iter().position(|(known, _)| known == name)?;
    Some(from.remove(at).1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn data(json: Json) -> Argument {
        Argument::Data(json)
    }

    fn given(named: &[(&str, Json)], plain: &[Json]) -> Arguments {
        let named = named.iter();
        let named = named.map(|(name, json)| ((*name).to_owned(), data(json.clone())));
        Arguments::new(named.collect(), plain.iter().cloned().map(data).collect())
    }

    #[test]
    fn a_name_goes_before_the_order_and_a_default_comes_last() {
        let mut arguments = given(&[("post", json!("A bill"))], &[json!("first")]);
        arguments.or("text", data(json!("by default")));
        arguments.or("icon", data(json!("for")));
        let mut take = |name| arguments.take(name);
        assert_eq!(take("post"), Some(data(json!("A bill"))));
        assert_eq!(take("text"), Some(data(json!("first"))));
        assert_eq!(take("icon"), Some(data(json!("for"))));
        assert_eq!(take("more"), None);
    }

    #[test]
    fn what_nobody_took_is_told_by_its_name_or_by_itself() {
        let told = |arguments: Arguments| arguments.finish().map_err(|error| error.to_string());
        assert_eq!(told(Arguments::default()), Ok(()));
        let named = given(&[("color", json!("red"))], &[json!("one")]);
        assert_eq!(told(named), Err("nothing asks for color".to_owned()));
        let plain = given(&[], &[json!("one")]);
        assert_eq!(told(plain), Err("nothing asks for one".to_owned()));
    }

    #[test]
    fn nothing_given_for_what_is_needed_is_missing() {
        let mut arguments = given(&[("text", Json::Null)], &[]);
        assert_eq!(arguments.text("text"), Err(RequestError::missing("text")));
        let mut arguments = given(&[("text", Json::Null)], &[]);
        assert_eq!(arguments.text_or_empty("text"), Ok(String::new()));
        let mut arguments = given(&[("text", json!(3))], &[]);
        let error = arguments.named_text("text").expect_err("a number is none");
        assert_eq!(error.to_string(), "text is a text, not 3");
    }

    #[test]
    fn a_number_is_read_as_the_log_shows_it() {
        for (shown, number) in [
            (json!("#12"), Some(12)),
            (json!(12), Some(12)),
            (json!("twelve"), None),
        ] {
            let mut arguments = given(&[("event", shown.clone())], &[]);
            let read = arguments.number("event", "an event is a number");
            assert_eq!(read.ok(), number, "{shown}");
        }
    }

    #[test]
    fn entries_are_those_under_the_name_and_all_that_are_left_each_with_its_path() {
        let fields = json!({"theme": "ice"});
        let mut arguments = given(&[("fields", fields), ("colour", json!("red"))], &[]);
        let entries = arguments.entries("fields").expect("they are given by name");
        let told: Vec<_> = entries
            .iter()
            .map(|entry| (entry.path.as_str(), entry.name.as_str()))
            .collect();
        assert_eq!(told, [("fields.theme", "theme"), ("colour", "colour")]);
        assert_eq!(arguments.left(), None);
        let mut listed = given(&[("fields", json!(["ice"]))], &[]);
        assert!(listed.entries("fields").is_err());
    }
}
