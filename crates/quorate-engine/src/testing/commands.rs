//! Commands as tests write them: actions of the law and built-in acts, by name.

use quorate_kernel::command::{Act, Actor, NewPost, typed};
use quorate_kernel::patch::Patch;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PlayerId, Refusal, Thing};
use quorate_law::datum::{Datum, Type};
use quorate_law::stop::Stop;

use super::changes::Given;
use super::play::by_text;
use super::{Object, Stage, fail};
use crate::fields;

impl Stage {
    /// The command of `act(who, name, …)`.
    pub(super) fn act_of(&self, game: usize, mut given: Given) -> Result<(Actor, Act), Stop> {
        let who = self.player(&mut given)?;
        let name = given.text("action")?;
        let act = self.named_act(game, who, &name, given)?;
        Ok((Actor::Player(who), act))
    }

    fn named_act(
        &self,
        game: usize,
        who: PlayerId,
        name: &str,
        mut given: Given,
    ) -> Result<Act, Stop> {
        if self.with(game, |game| game.judge.law().actions.contains_key(name)) {
            return self.action(game, &Name::from(name), given);
        }
        if let Some(category) = name.strip_prefix("post ") {
            return self.post_in(game, category, given);
        }
        Ok(match name {
            "post" => self.post_act(game, given)?,
            "vote" => {
                let post = self.post_of(&mut given)?;
                let icon = given.text("icon")?;
                Act::Comment {
                    post,
                    text: typed(&format!(":{icon}:")),
                }
            }
            "comment" => Act::Comment {
                post: self.post_of(&mut given)?,
                text: typed(&given.text("text")?),
            },
            "edit" => self.edit(game, given)?,
            "withdraw" => Act::Withdraw {
                post: self.post_of(&mut given)?,
            },
            "recategorise" => Act::Recategorise {
                post: self.post_of(&mut given)?,
                category: given.text("category")?.into(),
            },
            "leave" => Act::Leave {
                text: typed(&given.text("text").unwrap_or_default()),
            },
            "apply-to-join" => {
                let known = self.with(game, |game| {
                    game.judge
                        .state()
                        .people
                        .get(&who)
                        .map(|p| p.name.as_str().to_owned())
                });
                let name = given.text("name").ok().or(known).unwrap_or_default();
                Act::Apply {
                    name: typed(&name),
                    text: typed(""),
                }
            }
            "message" => {
                let to = match self.thing_of(&given.take("to").unwrap_or_default())? {
                    Thing::Player(id) => id,
                    other => return Err(fail(format!("{other} is no player"))),
                };
                Act::Message {
                    to: vec![to],
                    text: typed(&given.text("text")?),
                }
            }
            "roll" | "dice" => Act::Dice {
                line: typed(&given.text("line")?),
            },
            "claim" => self.claim(game, given)?,
            "dispute" => {
                let of_event = match given.take("claim") {
                    Some(Datum::Object(number)) => match self.object(number)? {
                        Object::Event(_, seq) => Some(seq),
                        other => {
                            return Err(fail(format!("{} is no claim", self.describe(&other))));
                        }
                    },
                    _ => None,
                };
                let claim = self.with(game, |game| {
                    let mut claims = game.judge.state().claims.keys();
                    match of_event {
                        Some(seq) => claims.find(|claim| claim.event() == seq).copied(),
                        None => claims.next_back().copied(),
                    }
                });
                let claim = claim.ok_or_else(|| fail("there is no claim to dispute"))?;
                Act::Dispute {
                    claim: quorate_kernel::ids::ClaimId(claim),
                    reason: typed(""),
                }
            }
            "undo" => self.undo(&mut given)?,
            "abandon" => Act::Abandon {
                action: given.text("action")?.into(),
            },
            "answer" => {
                let value = self.kept(&given.take("value").unwrap_or_default())?;
                let open = self.with(game, |game| {
                    game.judge
                        .state()
                        .open
                        .keys()
                        .find(|key| key.who == who)
                        .map(|key| key.action.clone())
                });
                Act::Answer {
                    action: open.unwrap_or_default(),
                    value,
                }
            }
            _ => {
                return Err(Stop::Refused(Box::new(Refusal::plain(format!(
                    "an action called \"{name}\""
                )))));
            }
        })
    }

    fn action(&self, game: usize, action: &Name, given: Given) -> Result<Act, Stop> {
        let params = self.with(game, |game| {
            game.judge.law().actions[action].it.params.clone()
        });
        let (args, named) = given.rest();
        let mut values = Vec::new();
        let mut add = |name: &Name, ty: &Type, datum: &Datum| -> Result<(), Stop> {
            let datum = self.unwrap(datum);
            let datum = self.with(game, |game| {
                game.judge.look(game.now, |tx| by_text(tx, ty, &datum))
            });
            values.push((name.clone(), fields::as_typed(ty, &datum)));
            Ok(())
        };
        for (index, datum) in args.iter().enumerate() {
            match params.get(index) {
                Some(param) => add(&param.name, &param.ty, datum)?,
                None => add(
                    &Name::from(format!("argument {}", index + 1)),
                    &Type::Any,
                    datum,
                )?,
            }
        }
        for (name, datum) in &named {
            let ty = params
                .iter()
                .find(|param| param.name == *name)
                .map_or(Type::Any, |param| param.ty.clone());
            add(name, &ty, datum)?;
        }
        Ok(Act::Do {
            action: action.clone(),
            args: values,
        })
    }

    /// `post(who, category, title, …)`.
    pub(super) fn post_act(&self, game: usize, mut given: Given) -> Result<Act, Stop> {
        let category = given.text("category")?;
        self.post_in(game, &category, given)
    }

    fn post_in(&self, game: usize, category: &str, mut given: Given) -> Result<Act, Stop> {
        let title = given.text("title").unwrap_or_else(|_| "A title".to_owned());
        let body = given.named_text("body").unwrap_or_default();
        let flavour = given.named_text("flavour").unwrap_or_default();
        let patch = match given.named("changes") {
            Some(changes) => self.patch(game, &changes)?,
            None => Patch::default(),
        };
        let (_, named) = given.rest();
        let mut fields = Vec::new();
        for (name, datum) in named {
            let datum = self.unwrap(&datum);
            let ty = self.with(game, |game| {
                game.judge.look(game.now, |tx| {
                    let world: &dyn quorate_law::world::World = tx;
                    world.attribute_type(category, name.as_str())
                })
            });
            let value = match ty {
                Some(ty) => {
                    let datum = self.with(game, |game| {
                        game.judge.look(game.now, |tx| by_text(tx, &ty, &datum))
                    });
                    fields::as_typed(&ty, &datum)
                }
                None => self.kept(&datum)?,
            };
            fields.push((name, value));
        }
        let category = if category == "Post" { "" } else { category };
        Ok(Act::Post(Box::new(NewPost {
            category: category.into(),
            title: typed(&title),
            body: typed(&body),
            flavour: typed(&flavour),
            fields,
            patch: (!patch.is_empty()).then(|| Sealed::close(patch, [0; 16])),
        })))
    }

    fn edit(&self, game: usize, mut given: Given) -> Result<Act, Stop> {
        let post = self.post_of(&mut given)?;
        let old = self.with(game, |game| game.judge.state().posts.get(&post).cloned());
        let old = old.ok_or_else(|| fail("there is no such post"))?;
        let patch = match given.named("changes") {
            Some(changes) => Some(Sealed::close(self.patch(game, &changes)?, [0; 16])),
            None => old.patch.clone(),
        };
        let (title, body, flavour) = (
            given.named_text("title"),
            given.named_text("body"),
            given.named_text("flavour"),
        );
        let (_, more) = given.rest();
        if let Some((name, _)) = more.first() {
            return Err(Stop::Refused(Box::new(Refusal::plain(format!(
                "only title, text and flavour text to edit, not {name}"
            )))));
        }
        let or_old = |text: Option<String>, old: &Sealed<str>| {
            text.map_or_else(|| old.clone(), |text| typed(&text))
        };
        Ok(Act::EditPost {
            post,
            title: or_old(title, &old.title),
            body: or_old(body, &old.body),
            flavour: or_old(flavour, &old.flavour),
            patch,
        })
    }

    fn claim(&self, game: usize, mut given: Given) -> Result<Act, Stop> {
        let rule = given.named_text("rule").unwrap_or_default();
        let reason = given
            .named_text("reason")
            .unwrap_or_else(|| "as the rule says".to_owned());
        let changes = given
            .named("changes")
            .or_else(|| given.take("changes"))
            .unwrap_or(Datum::List(vec![].into()));
        let patch = self.patch(game, &changes)?;
        Ok(Act::Claim {
            patch: Sealed::close(patch, [0; 16]),
            rule: rule.into(),
            reason: typed(&reason),
        })
    }

    fn undo(&self, given: &mut Given) -> Result<Act, Stop> {
        let event = match given.take("event") {
            Some(Datum::Object(number)) => match self.object(number)? {
                Object::Event(_, seq) => seq,
                other => return Err(fail(format!("{} is no event", self.describe(&other)))),
            },
            Some(Datum::Int(n)) => quorate_kernel::EventSeq(u64::try_from(n).unwrap_or(0)),
            _ => return Err(fail("undo takes an event, as act gives it")),
        };
        Ok(Act::Undo {
            event,
            reason: typed("it was not right"),
            picks: vec![],
        })
    }
}
