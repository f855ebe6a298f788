//! Answers to what waits: an open action of somebody's own, or a duty.

use quorate_kernel::command::{Act, typed};
use quorate_kernel::ids::DutyId;
use quorate_kernel::{Name, Thing, Value};
use quorate_law::datum::Datum;
use serde_json::Value as Json;

use super::arguments::{Argument, Arguments};
use super::error::RequestError;
use super::reader::CommandReader;
use crate::topics::guards;
use crate::{changes, convert, fields};

/// What somebody lacks who answers and was not asked, or not this.
const WAITING: &str = "a question that waits for your answer";

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
        let wanted = arguments.named_text("question")?;
        if let Some(wanted) = &wanted {
            waiting.retain(|question| question.name == *wanted);
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
            let action = wanted
                .as_deref()
                .and_then(|wanted| wanted.strip_prefix("open:"));
            let asks = action.and_then(|action| self.view.law.actions.get(action));
            let site = asks.map_or_else(
                || guards::home_of(self.view.law, &"answer".into()),
                |decl| decl.site.clone(),
            );
            let refusal = self.tx.refusal_at(&site, WAITING);
            return Err(RequestError::refused("question", refusal));
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tiny_game::{TinyGame, game};

    /// A game in which Anna is asked for each of these at once: which way, and how many.
    fn asked(actions: &[&str]) -> TinyGame {
        let mut game = game(
            "def pick(actor: Player):\n    choose(\"Which way?\", [\"left\", \"right\"])\n\n\
             def count(actor: Player):\n    choose(\"How many?\", [\"30\", \"20\", \"2\"])\n\n\
             action(\"pick\", pick)\naction(\"count\", count)",
        );
        for action in actions {
            game.act(action, &[]).expect("anybody may");
        }
        game
    }

    fn wrong(game: &TinyGame, arguments: Json) -> (String, String) {
        let error = game.read("answer", arguments).expect_err("it is wrong");
        let argument = error.argument().unwrap_or_default().to_owned();
        (argument, error.to_string())
    }

    #[test]
    fn an_option_is_named_by_itself_or_by_its_number_in_the_list() {
        let game = asked(&["pick"]);
        let right = Act::Answer {
            action: "pick".into(),
            value: Value::Word("right".into()),
        };
        for value in [json!("right"), json!("RIGHT"), json!("2")] {
            let read = game.read("answer", json!({"value": value}));
            assert_eq!(read, Ok(right.clone()), "{value}");
        }
        for value in [json!("up"), json!("3"), json!("0"), Json::Null] {
            let told = wrong(&game, json!({"value": value}));
            assert_eq!(
                told,
                ("value".to_owned(), "it is none of the options".to_owned())
            );
        }
    }

    #[test]
    fn what_an_option_is_called_goes_before_its_place_in_the_list() {
        let game = asked(&["count"]);
        let read = |value: &str| match game.read("answer", json!({ "value": value })) {
            Ok(Act::Answer { value, .. }) => value,
            other => panic!("{other:?}"),
        };
        assert_eq!(read("2"), Value::Word("2".into()), "the third");
        assert_eq!(read("1"), Value::Word("30".into()), "the first");
    }

    #[test]
    fn where_several_questions_wait_one_is_named() {
        let nothing = wrong(&asked(&[]), json!({"value": "left"}));
        assert_eq!(nothing.1, "needs a question that waits for your answer");
        let both = asked(&["pick", "count"]);
        let (argument, told) = wrong(&both, json!({"value": "left"}));
        assert_eq!(argument, "question");
        assert_eq!(told, "several wait: name one of open:count, open:pick");
        let read = both.read("answer", json!({"question": "open:pick", "value": "left"}));
        assert!(matches!(read, Ok(Act::Answer { action, .. }) if action == "pick"));
        let other = wrong(&both, json!({"question": "open:fly", "value": "left"}));
        assert_eq!(other.1, "needs a question that waits for your answer");
    }

    #[test]
    fn whoever_was_not_asked_is_refused_by_the_clause_that_would_have_asked() {
        let told = |game: &TinyGame, question: Option<&str>| {
            let mut arguments = json!({"value": "left"});
            if let Some(question) = question {
                arguments["question"] = json!(question);
            }
            let error = game.read("answer", arguments).expect_err("nothing waits");
            let refusal = error.into_refusal().expect("the law says no");
            (refusal.rule, refusal.clause)
        };
        let house = ("House".to_owned(), 1);
        assert_eq!(told(&asked(&["pick"]), Some("open:count")), house);
        assert_eq!(told(&asked(&[]), None), (String::new(), 0));
        let permits = game(
            "def always(a: Attempt) -> bool:\n    return True\n\n\
             permit(scope(actions = [\"answer\"]), always)",
        );
        assert_eq!(told(&permits, None), house);
    }
}
