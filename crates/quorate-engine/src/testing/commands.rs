//! Commands as tests write them, turned into requests.

use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::{Name, PlayerId, Refusal, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;
use serde_json::Value as Json;

use super::changes::Given;
use super::names::{Naming, unknown};
use super::{Object, Stage, fail};
use crate::request::{Argument, Arguments, CommandReader, CommandRequest, RequestError};
use crate::view::View;

/// What a test may name that is not there: it shows that the game says so.
const MAY_LACK: [&str; 4] = ["to", "claim", "question", "value"];

impl Stage {
    /// The command of `act(who, name, …)`.
    pub(super) fn act_of(&self, game: usize, mut given: Given) -> Result<(Actor, Act), Stop> {
        let actor = self.actor(&mut given)?;
        let action = given.text("action")?;
        let act = self.act_by(game, actor, &action, given)?;
        Ok((actor, act))
    }

    /// Who acts: a player, or None for somebody new.
    fn actor(&self, given: &mut Given) -> Result<Actor, Stop> {
        match given.take("who") {
            Some(Datum::None) => Ok(Actor::Newcomer),
            Some(who) => match self.thing_of(&who)? {
                Thing::Player(id) => Ok(Actor::Player(id)),
                other => Err(fail(format!("{other} is no player"))),
            },
            None => Err(fail("who does it?")),
        }
    }

    /// The act of somebody that an action's name and what is given stand for.
    pub(super) fn act_by(
        &self,
        game: usize,
        actor: Actor,
        action: &str,
        given: Given,
    ) -> Result<Act, Stop> {
        let request = self.request(game, actor.player(), action, given)?;
        let act = self.with(game, |game| {
            let state = game.judge.state();
            let person = actor.player().and_then(|who| state.people.get(&who));
            game.judge.query(game.now, |tx| {
                let reader = CommandReader {
                    tx,
                    view: View {
                        state,
                        law: game.judge.law(),
                        reader: Reader::Law,
                    },
                    actor,
                    name: person.map_or("", |person| person.name.as_str()),
                    past: &game.events,
                };
                reader.act(request)
            })
        });
        let act = act.map_err(|error| self.stop(game, error))?;
        self.must_mean_something(game, &act)?;
        Ok(act)
    }

    /// A test that names what is not there, or lacks an argument, is wrong; what it gives may be refused.
    fn stop(&self, game: usize, error: RequestError) -> Stop {
        if let RequestError::NoAction { action, known } = &error {
            let had = self.with(game, |game| game.has_known(Naming::Action, action));
            if !had {
                let what = format!("no law of this game has the action {action}");
                return unknown(&what, action, known.iter().map(Name::as_str));
            }
        }
        if let RequestError::NoRule { rule, .. } = &error {
            return match self.must_know(game, Naming::Rule, rule) {
                Ok(()) => Stop::Refused(Box::new(Refusal::plain(error.to_string()))),
                Err(slip) => slip,
            };
        }
        let (argument, text) = (error.argument().map(str::to_owned), error.to_string());
        match (error.into_refusal(), argument.as_deref()) {
            (Ok(refusal), _) => Stop::Refused(Box::new(refusal)),
            // Something that is not there, as people name it, they are told as they are told a refusal.
            (Err(RequestError::Unfit { text, .. }), Some(named)) if MAY_LACK.contains(&named) => {
                Stop::Refused(Box::new(Refusal::plain(text)))
            }
            _ => fail(text),
        }
    }

    fn request(
        &self,
        game: usize,
        who: Option<PlayerId>,
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
        if let Some(category) = category {
            self.must_know(game, Naming::Category, category)?;
        }
        let (plain, named) = given.rest();
        self.must_ask(game, action, named.iter().map(|(name, _)| name))?;
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
    fn left_out(
        &self,
        game: usize,
        who: Option<PlayerId>,
        action: &str,
        arguments: &mut Arguments,
    ) {
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
                if let Some(key) = open.find(|key| Some(key.who) == who) {
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
