//! Commands as people ask for them: an action of the law or a built-in act by its name, with arguments by name or in
//! order, read against a game as whoever asks may see it.
//!
//! The API, the command line and the rule tests each turn only their own surface into a [`CommandRequest`]. What it
//! names, and whether that is there, is found out here and nowhere else.

mod answer;
mod arguments;
mod error;
mod reader;

use quorate_kernel::command::{self, Act, NewPost, typed};
use quorate_kernel::ids::{ClaimId, EventSeq};
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::ClauseKey;
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect;
use quorate_kernel::{Name, Topic, Value};
use quorate_law::datum::Type;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::fields::{self, Typed};
use crate::lookup;
use crate::offers::{self, Offer};
use crate::topics::actions;
pub use arguments::{Argument, Arguments};
use arguments::{ArgumentEntry, word};
pub use error::RequestError;
pub use reader::CommandReader;

/// A built-in act of operators, beside those of everybody.
const REPAIR: &str = "repair";

/// A command, as it is asked for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CommandRequest {
    /// The action: one that the law declares, or a built-in act.
    pub action: String,
    /// What it asks for, by name. Things are given by address (`player:3`) or by what they are called.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub arguments: Arguments,
}

impl CommandRequest {
    /// The event that is to be undone, if that is asked for.
    pub fn undone(&self) -> Option<EventSeq> {
        if self.action != "undo" {
            return None;
        }
        let given = self
            .arguments
            .get("event")
            .or_else(|| self.arguments.next());
        let number = word(given?.clone())?;
        number.trim_start_matches('#').parse().ok().map(EventSeq)
    }
}

impl CommandReader<'_> {
    /// The act that a request stands for.
    ///
    /// # Errors
    /// Fails where the request asks for no act, lacks something, or names what is not there.
    pub fn act(&self, request: CommandRequest) -> Result<Act, RequestError> {
        let CommandRequest {
            action,
            mut arguments,
        } = request;
        if self.view.law.actions.contains_key(action.as_str()) {
            return self.law_action(&Name::from(action), arguments);
        }
        let act = self.act_on_post(&action, &mut arguments)?;
        let act = match act {
            Some(act) => Some(act),
            None => self.act_by_hand(&action, &mut arguments)?,
        };
        let act = match act {
            Some(act) => act,
            None => self.act_of_person(action, &mut arguments)?,
        };
        arguments.finish()?;
        Ok(act)
    }

    fn act_on_post(
        &self,
        action: &str,
        arguments: &mut Arguments,
    ) -> Result<Option<Act>, RequestError> {
        Ok(Some(match action {
            "post" => self.post(arguments)?,
            "edit" => self.edit(arguments)?,
            "withdraw" => Act::Withdraw {
                post: self.post_id(arguments)?,
            },
            "recategorise" => Act::Recategorise {
                post: self.post_id(arguments)?,
                category: self.category(&arguments.text("category")?)?,
            },
            "comment" | "vote" => {
                let post = self.post_id(arguments)?;
                let icon = match action {
                    "vote" => Some(arguments.text("icon")?),
                    _ => arguments.named_text("vote")?,
                };
                let text = match icon {
                    Some(icon) => {
                        let (icon, text) =
                            (icon.trim_matches(':'), arguments.text_or_empty("text")?);
                        if !self.tx.knows_icon(post, icon) {
                            let argument = if action == "vote" { "icon" } else { "vote" };
                            let told = format!("“{icon}” is no vote of this game");
                            return Err(RequestError::unfit(argument, told));
                        }
                        self.tx.ballot(post, icon, &text)
                    }
                    None => arguments.text("text")?,
                };
                Act::Comment {
                    post,
                    text: typed(&text),
                }
            }
            _ => return Ok(None),
        }))
    }

    /// What changes or corrects the game by hand.
    fn act_by_hand(
        &self,
        action: &str,
        arguments: &mut Arguments,
    ) -> Result<Option<Act>, RequestError> {
        let empty = || Sealed::close(Patch::default(), [0; 16]);
        Ok(Some(match action {
            "claim" => Act::Claim {
                rule: self.rule(&arguments.text("rule")?)?,
                reason: typed(&arguments.text("reason")?),
                patch: self.patch(arguments)?.unwrap_or_else(empty),
            },
            REPAIR => Act::Repair {
                reason: typed(&arguments.text("reason")?),
                patch: self.patch(arguments)?.unwrap_or_else(empty),
            },
            "dispute" => {
                let claim = word(arguments.must("claim")?).unwrap_or_default();
                let claim = lookup::claim(self.view.state, &claim);
                Act::Dispute {
                    claim: ClaimId(claim.ok_or_else(|| {
                        RequestError::unfit("claim", "there is no claim to dispute")
                    })?),
                    reason: typed(&arguments.text_or_empty("reason")?),
                }
            }
            "undo" => self.undo(arguments)?,
            "wake" => {
                let rule = arguments.text("rule")?;
                let fence = arguments.number("fence", "a fence is a number, counted from 1")?;
                let fence = u32::try_from(fence).unwrap_or(u32::MAX);
                let rule = self.rule(&rule)?;
                Act::Wake {
                    clause: ClauseKey { rule, fence },
                }
            }
            _ => return Ok(None),
        }))
    }

    /// What somebody does as a person of the game, or to become one.
    fn act_of_person(
        &self,
        action: String,
        arguments: &mut Arguments,
    ) -> Result<Act, RequestError> {
        Ok(match action.as_str() {
            "apply-to-join" => {
                let name = arguments.named_text("name")?;
                Act::Apply {
                    name: typed(name.as_deref().unwrap_or(self.name)),
                    text: typed(&arguments.text_or_empty("text")?),
                }
            }
            "leave" => Act::Leave {
                text: typed(&arguments.text_or_empty("text")?),
            },
            "message" => Act::Message {
                to: self.players(arguments)?,
                text: typed(&arguments.text("text")?),
            },
            "answer" => self.answer(arguments)?,
            "abandon" => Act::Abandon {
                action: arguments.text("action")?.into(),
            },
            "dice" | "roll" => Act::Dice {
                line: typed(&arguments.text("line")?),
            },
            _ => {
                let declared = self.view.law.action_order.iter().cloned();
                let built_in = command::BUILT_IN.into_iter().chain([REPAIR]);
                let known = declared.chain(built_in.map(Name::from)).collect();
                return Err(RequestError::NoAction { action, known });
            }
        })
    }

    fn law_action(&self, action: &Name, mut arguments: Arguments) -> Result<Act, RequestError> {
        let decl = &self.view.law.actions[action];
        let params = decl.it.params.iter();
        let given: Vec<_> = params
            .map(|param| arguments.take(param.name.as_str()))
            .collect();
        let read = |name: &Name, typed| {
            fields::arguments(self.tx, action, &[(name.clone(), typed)])
                .map_err(|refusal| RequestError::refused(name.as_str(), refusal))
        };
        if let Some(name) = arguments.left() {
            read(&Name::from(name), Typed::None)?;
        }
        let mut offer: Option<Option<Offer>> = None;
        let mut args = Vec::new();
        for (param, given) in decl.it.params.iter().zip(given) {
            let Some(given) = given else {
                if param.default.is_some() || matches!(param.ty, Type::Optional(_)) {
                    continue;
                }
                let label = quorate_law::capital(&quorate_law::readable(param.name.as_str()));
                let wanted = actions::wanted(self.tx, &label, &param.ty);
                let mut refusal = self.tx.refusal_at(&decl.site, &wanted);
                refusal.needs[0].have = "nothing".to_owned();
                let refusal = refusal.about(Topic::Argument(param.name.clone()));
                return Err(RequestError::refused(param.name.as_str(), refusal));
            };
            let by_name = matches!(given, Argument::Data(_));
            let mut typed = self.typed(param.name.as_str(), &param.ty, given)?;
            if by_name {
                let offer = offer.get_or_insert_with(|| {
                    let player = self.actor.player()?;
                    Some(offers::offer(self.tx, player, decl))
                });
                options_by_label(offer.as_ref(), &param.name, &mut typed);
            }
            args.extend(read(&param.name, typed)?);
        }
        Ok(Act::Do {
            action: action.clone(),
            args,
        })
    }

    fn post(&self, arguments: &mut Arguments) -> Result<Act, RequestError> {
        let category = self.category(&arguments.text_or_empty("category")?)?;
        let title = typed(&arguments.text("title")?);
        let [body, flavour] = ["body", "flavour"].map(|name| arguments.named_text(name));
        let (body, flavour) = (body?.unwrap_or_default(), flavour?.unwrap_or_default());
        let patch = self.patch(arguments)?;
        let fields = arguments.entries("fields")?.into_iter();
        let fields = fields.map(|entry| self.field(&category, entry));
        Ok(Act::Post(Box::new(NewPost {
            title,
            body: typed(&body),
            flavour: typed(&flavour),
            fields: fields.collect::<Result<_, _>>()?,
            patch,
            category,
        })))
    }

    fn edit(&self, arguments: &mut Arguments) -> Result<Act, RequestError> {
        let post = self.post_id(arguments)?;
        let old = self.view.state.posts.get(&post).cloned();
        let old = old.ok_or_else(|| RequestError::unfit("post", "there is no such post"))?;
        let patch = match arguments.get("changes") {
            Some(_) => self.patch(arguments)?,
            None => old.patch,
        };
        let mut or_old = |name: &str, old: Sealed<str>| {
            let new = arguments.named_text(name)?;
            Ok::<_, RequestError>(new.map_or(old, |text| typed(&text)))
        };
        Ok(Act::EditPost {
            post,
            title: or_old("title", old.title)?,
            body: or_old("body", old.body)?,
            flavour: or_old("flavour", old.flavour)?,
            patch,
        })
    }

    /// What an event did is undone; of a value that moved on since, `back` or `now` says which it is to hold, or the
    /// value itself is given.
    fn undo(&self, arguments: &mut Arguments) -> Result<Act, RequestError> {
        let event = arguments.number("event", "an event is a number, as the log shows it")?;
        let event = EventSeq(event);
        let reason = typed(&arguments.text_or_empty("reason")?);
        let picks = arguments.entries("picks")?.into_iter();
        let picks = picks.map(|entry| self.picked(event, entry));
        Ok(Act::Undo {
            event,
            reason,
            picks: picks.collect::<Result<_, _>>()?,
        })
    }

    fn picked(
        &self,
        undone: EventSeq,
        entry: ArgumentEntry,
    ) -> Result<(String, Value), RequestError> {
        let ArgumentEntry {
            path,
            name,
            argument,
        } = entry;
        let event = self.past.iter().find(|event| event.seq == undone);
        let mut steps = event.iter().flat_map(|event| &event.steps);
        let changed = steps.find_map(|step| match &step.effect {
            Effect::Cell { key, old, .. }
                if format!("{} {}", key.thing, key.name) == name && self.view.shown(key) =>
            {
                Some((key, old))
            }
            _ => None,
        });
        let Some((key, old)) = changed else {
            return Err(RequestError::unfit(
                path,
                "the event did not change that value",
            ));
        };
        let cell = match &argument {
            Argument::Data(Json::String(pick)) if pick == "back" => old.as_ref(),
            Argument::Data(Json::String(pick)) if pick == "now" => self.view.state.cells.get(key),
            _ => {
                let text = word(argument).unwrap_or_default();
                return Ok((name, plain_value(&text)));
            }
        };
        let value = cell.map(|cell| cell.value.open().clone());
        Ok((name, value.unwrap_or_default()))
    }
}

/// A value as it is written where no type says how to read it.
fn plain_value(text: &str) -> Value {
    match (text.parse::<i64>(), text) {
        (Ok(n), _) => Value::Int(n),
        (_, "yes") => Value::Flag(true),
        (_, "no") => Value::Flag(false),
        (_, "none") => Value::None,
        (_, word) => word
            .parse()
            .map_or_else(|_| Value::Word(word.into()), Value::Thing),
    }
}

/// What was typed as one of the field's options, if it is called so.
fn options_by_label(offer: Option<&Offer>, name: &Name, typed: &mut Typed) {
    let fields = offer.map_or(&[][..], |offer| &offer.fields);
    let Some(field) = fields.iter().find(|field| field.name == *name) else {
        return;
    };
    let options = field.options.as_deref().unwrap_or_default();
    let known = |typed: &mut Typed| {
        if let Typed::Text(text) = typed
            && let Some((datum, _)) = options
                .iter()
                .find(|(_, label)| label.eq_ignore_ascii_case(text))
        {
            *typed = Typed::Known(datum.clone());
        }
    };
    match typed {
        Typed::List(items) => items.iter_mut().for_each(known),
        one if !matches!(field.ty, Type::List(_)) => known(one),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Thing;
    use quorate_kernel::command::Actor;
    use serde_json::json;

    use super::*;
    use crate::tiny_game::{TinyGame, game, new_post};

    const FEED: &str = "category(\"Bill\")\nfish = number(\"Fish\", of = player)\n\n\
        def feed(actor: Player, who: Player, count: int = 1):\n    who.fish = count\n\naction(\"feed\", feed)\n\
        permit(scope(actions = [\"edit\"]), anybody, \"a post\")";

    fn fed() -> TinyGame {
        game(&format!(
            "def anybody(a: Attempt) -> bool:\n    return True\n\n{FEED}"
        ))
    }

    #[test]
    fn an_action_takes_what_it_asks_for_by_name_and_people_by_what_they_are_called() {
        let game = fed();
        let anna = Value::Thing(Thing::Player(game.anna));
        let act = |args: &[(&str, Value)]| Act::Do {
            action: "feed".into(),
            args: args
                .iter()
                .map(|(name, value)| ((*name).into(), value.clone()))
                .collect(),
        };
        let read = game.read("feed", json!({"who": "anna", "count": 3}));
        assert_eq!(
            read,
            Ok(act(&[("who", anna.clone()), ("count", Value::Int(3))]))
        );
        let read = game.read("feed", json!({"who": "anna"}));
        assert_eq!(read, Ok(act(&[("who", anna)])), "the law has a default");
    }

    #[test]
    fn the_law_refuses_what_an_action_lacks_or_does_not_ask_for() {
        let game = fed();
        let refused = |arguments: Json| {
            let error = game.read("feed", arguments).expect_err("it is refused");
            let argument = error.argument().unwrap_or_default().to_owned();
            (
                argument,
                error.into_refusal().map(|it| it.what().to_owned()),
            )
        };
        let lacks = refused(json!({"count": 3}));
        assert_eq!(lacks, ("who".to_owned(), Ok("a player as Who".to_owned())));
        let word = refused(json!({"who": "Anna", "count": "many"}));
        assert_eq!((word.0.as_str(), word.1.is_ok()), ("count", true));
        let surplus = refused(json!({"who": "Anna", "color": "red"}));
        assert_eq!((surplus.0.as_str(), surplus.1.is_ok()), ("color", true));
    }

    #[test]
    fn an_act_that_every_game_has_takes_no_more_than_it_asks_for() {
        let game = fed();
        let leave = game.read("leave", json!({"text": "Goodbye."}));
        assert_eq!(
            leave,
            Ok(Act::Leave {
                text: typed("Goodbye.")
            })
        );
        let surplus = game.read("leave", json!({"text": "", "colour": "red"}));
        let told = surplus.expect_err("leaving has no colour").to_string();
        assert_eq!(told, "nothing asks for colour");
        let unknown = game.read("lieve", json!({}));
        let refusal = unknown.map_err(RequestError::into_refusal);
        let need = match refusal {
            Err(Ok(refusal)) => refusal.needs[0].need.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(need, "one that there is, such as leave");
    }

    #[test]
    fn an_edit_keeps_what_it_does_not_name() {
        let mut game = fed();
        let post = game.post(new_post("Bill", "More rope"));
        let post = post.expect("anybody may");
        let edit = game.read("edit", json!({"post": "More rope", "title": "Less rope"}));
        let Ok(Act::EditPost {
            title, body, patch, ..
        }) = &edit
        else {
            panic!("{edit:?}");
        };
        assert_eq!((title.as_str(), body.as_str()), ("Less rope", "So be it."));
        assert_eq!(*patch, None);
        let event = game.send(Actor::Player(game.anna), edit.expect("it was read"));
        event.expect("a rule permits it");
        assert_eq!(game.judge.state().posts[&post].title.as_str(), "Less rope");
    }

    #[test]
    fn a_value_that_moved_on_is_picked_as_it_was_or_as_it_is() {
        let mut game = fed();
        let anna = Value::Thing(Thing::Player(game.anna));
        let mut feed = |count: i64| {
            let args = [("who", anna.clone()), ("count", Value::Int(count))];
            game.act("feed", &args).expect("anybody may").seq
        };
        feed(2);
        let second = feed(3);
        feed(4);
        let value = format!("{} fish", Thing::Player(game.anna));
        let picked = |pick: &str| {
            let picks = json!({ value.clone(): pick });
            let read = game.read(
                "undo",
                json!({"event": format!("#{second}"), "picks": picks}),
            );
            match read {
                Ok(Act::Undo { event, picks, .. }) if event == second => picks[0].1.clone(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(picked("back"), Value::Int(2));
        assert_eq!(picked("now"), Value::Int(4));
        let other = json!({"event": second.0, "picks": {"game cats": "back"}});
        let error = game.read("undo", other).expect_err("it has no cats");
        assert_eq!(error.argument(), Some("picks.game cats"));
    }

    #[test]
    fn the_event_to_undo_is_known_before_the_game_is_asked() {
        let undone = |action: &str, event: Json| {
            let request = json!({"action": action, "arguments": {"event": event}});
            let request: CommandRequest = serde_json::from_value(request).expect("it reads");
            request.undone()
        };
        assert_eq!(undone("undo", json!("#7")), Some(EventSeq(7)));
        assert_eq!(undone("undo", json!(7)), Some(EventSeq(7)));
        assert_eq!(undone("undo", json!("the last")), None);
        assert_eq!(undone("feed", json!(7)), None);
    }
}
