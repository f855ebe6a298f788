//! Commands as tests write them, turned into requests.

use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::{PlayerId, Refusal};
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;
use serde_json::Value as Json;

use super::changes::Given;
use super::{Object, Stage, fail};
use crate::request::{Argument, Arguments, CommandReader, CommandRequest, RequestError};
use crate::view::View;

impl Stage {
    /// The command of `act(who, name, …)`.
    pub(super) fn act_of(&self, game: usize, mut given: Given) -> Result<(Actor, Act), Stop> {
        let who = self.player(&mut given)?;
        let action = given.text("action")?;
        let act = self.act_by(game, who, &action, given)?;
        Ok((Actor::Player(who), act))
    }

    /// The act of somebody that an action's name and what is given stand for.
    pub(super) fn act_by(
        &self,
        game: usize,
        who: PlayerId,
        action: &str,
        given: Given,
    ) -> Result<Act, Stop> {
        let request = self.request(game, who, action, given)?;
        let act = self.with(game, |game| {
            let state = game.judge.state();
            let person = state.people.get(&who);
            game.judge.look(game.now, |tx| {
                let reader = CommandReader {
                    tx,
                    view: View {
                        state,
                        law: game.judge.law(),
                        reader: Reader::Law,
                    },
                    actor: Actor::Player(who),
                    name: person.map_or("", |person| person.name.as_str()),
                    past: &game.events,
                };
                reader.act(request)
            })
        });
        act.map_err(stop)
    }

    fn request(
        &self,
        game: usize,
        who: PlayerId,
        action: &str,
        mut given: Given,
    ) -> Result<CommandRequest, Stop> {
        let (action, category) = match action.strip_prefix("post ") {
            Some(category) => ("post", Some(category)),
            None => (action, None),
        };
        let changes = match action {
            "claim" => given.named("changes").or_else(|| given.take("changes")),
            "post" | "edit" => given.named("changes"),
            _ => None,
        };
        let (plain, named) = given.rest();
        let plain = plain.iter().map(|datum| self.argument(datum));
        let named = named.iter();
        let named = named.map(|(name, datum)| (name.to_string(), self.argument(datum)));
        let mut arguments = Arguments::new(named.collect(), plain.collect());
        if let Some(category) = category {
            arguments.insert("category", text(category));
        }
        if let Some(changes) = changes {
            arguments.insert("changes", Argument::Patch(self.patch(game, &changes)?));
        }
        self.left_out(game, who, action, &mut arguments);
        Ok(CommandRequest {
            action: action.to_owned(),
            arguments,
        })
    }

    /// What a test need not say.
    fn left_out(&self, game: usize, who: PlayerId, action: &str, arguments: &mut Arguments) {
        match action {
            "post" => arguments.or("title", text("A title")),
            "claim" => {
                arguments.or("rule", text(""));
                arguments.or("reason", text("as the rule says"));
            }
            "undo" => arguments.or("reason", text("it was not right")),
            "dispute" => self.with(game, |game| {
                if let Some(claim) = game.judge.state().claims.keys().next_back() {
                    arguments.or("claim", text(&claim.to_string()));
                }
            }),
            "answer" => self.with(game, |game| {
                let mut open = game.judge.state().open.keys();
                if let Some(key) = open.find(|key| key.who == who) {
                    arguments.insert("question", text(&format!("open:{}", key.action)));
                }
            }),
            _ => {}
        }
    }

    /// What a test holds, as an argument. An event stands for its number.
    fn argument(&self, datum: &Datum) -> Argument {
        if let Datum::Object(number) = datum
            && let Ok(Object::Event(_, seq)) = self.object(*number)
        {
            return Argument::Data(Json::from(seq.0));
        }
        Argument::Datum(self.unwrap(datum))
    }
}

fn text(text: &str) -> Argument {
    Argument::Data(Json::from(text))
}

/// A test that lacks an argument is wrong; what it gives may be refused.
fn stop(error: RequestError) -> Stop {
    match error {
        RequestError::Missing { argument } => fail(format!("{argument} is missing")),
        other => Stop::Refused(Box::new(
            other
                .into_refusal()
                .unwrap_or_else(|error| Refusal::plain(error.to_string())),
        )),
    }
}
