//! Answers to what waits: an open action of somebody's own, or a duty.

use quorate_kernel::command::{Act, typed};
use quorate_kernel::ids::DutyId;
use quorate_kernel::{Name, Thing, Value};
use quorate_law::datum::Datum;
use serde_json::Value as Json;

use super::arguments::{Argument, Arguments};
use super::error::RequestError;
use super::reader::CommandReader;
use crate::{changes, convert, fields};

/// A question that waits for somebody.
pub(super) struct WaitingQuestion<'a> {
    /// `open:` and the action, or `duty:` and its number.
    pub name: String,
    options: &'a [Value],
    may_decline: bool,
    of: QuestionSource,
}

enum QuestionSource {
    Open(Name),
    Duty(DutyId),
}

impl CommandReader<'_> {
    /// What waits for an answer of theirs, their open actions first.
    pub(super) fn waiting(&self) -> Vec<WaitingQuestion<'_>> {
        let (state, who) = (self.view.state, self.actor.player());
        let open = state.open.iter().filter(|(key, _)| Some(key.who) == who);
        let open = open.map(|(key, open)| WaitingQuestion {
            name: format!("open:{}", key.action),
            options: &open.question.options,
            may_decline: open.question.may_decline,
            of: QuestionSource::Open(key.action.clone()),
        });
        let duties = state.duties.iter().filter(|(_, duty)| Some(duty.to) == who);
        let duties = duties.map(|(id, duty)| WaitingQuestion {
            name: format!("duty:{id}"),
            options: &duty.options,
            may_decline: false,
            of: QuestionSource::Duty(DutyId(*id)),
        });
        open.chain(duties).collect()
    }

    pub(super) fn answer(&self, arguments: &mut Arguments) -> Result<Act, RequestError> {
        if self.actor.player().is_none() {
            return Err(RequestError::unfit(
                "question",
                "only a player is asked something",
            ));
        }
        let mut waiting = self.waiting();
        if let Some(wanted) = arguments.named_text("question")? {
            waiting.retain(|question| question.name == wanted);
        }
        if waiting.len() > 1 {
            let names: Vec<_> = waiting
                .iter()
                .map(|question| question.name.as_str())
                .collect();
            let text = format!("several wait: name one of {}", names.join(", "));
            return Err(RequestError::unfit("question", text));
        }
        let Some(question) = waiting.pop() else {
            return Err(RequestError::unfit(
                "question",
                "nothing waits for an answer of theirs",
            ));
        };
        let given = arguments
            .take("value")
            .unwrap_or(Argument::Data(Json::Null));
        let value = self.answered(&question, given);
        let value =
            value.ok_or_else(|| RequestError::unfit("value", "it is none of the options"))?;
        Ok(match question.of {
            QuestionSource::Open(action) => Act::Answer { action, value },
            QuestionSource::Duty(duty) => Act::Decide { duty, value },
        })
    }

    /// The value that is meant: an option by itself, by what it is called or by its number in the list; any text where
    /// there are no options.
    fn answered(&self, question: &WaitingQuestion<'_>, given: Argument) -> Option<Value> {
        let options = question.options;
        let text = match given {
            // A rule test may give what is no option, and see it refused.
            Argument::Datum(datum) => return convert::plain_value(&datum),
            Argument::Patch(_) => return None,
            Argument::Data(Json::Null) => return question.may_decline.then_some(Value::None),
            Argument::Data(Json::String(text)) => text,
            Argument::Data(json) => {
                let same = |option: &&Value| changes::json(&convert::datum(option)) == json;
                return options.iter().find(same).cloned();
            }
        };
        if question.may_decline && matches!(text.as_str(), "none" | "nothing") {
            return Some(Value::None);
        }
        if options.is_empty() && matches!(question.of, QuestionSource::Duty(_)) {
            return Some(Value::Text(typed(&text)));
        }
        let named = options.iter().find(|option| self.is_named(option, &text));
        let numbered = || options.get(text.parse::<usize>().ok()?.checked_sub(1)?);
        named.or_else(numbered).cloned()
    }

    fn is_named(&self, option: &Value, text: &str) -> bool {
        let datum = convert::datum(option);
        let by_type = match &datum {
            Datum::Moment(at) => text.parse() == Ok(*at),
            Datum::Square(square) => fields::square(self.tx, text).as_ref() == Some(square),
            Datum::Thing(thing) => text.parse::<Thing>().as_ref() == Ok(thing),
            other => changes::json(other) == *text,
        };
        by_type || self.tx.label(&datum).eq_ignore_ascii_case(text)
    }
}
