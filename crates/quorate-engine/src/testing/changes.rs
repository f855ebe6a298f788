//! The builders of changes that posts carry.

use std::sync::Arc;

use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::{EventSeq, Name, Thing, Value};
use quorate_law::RuleText;
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;
use quorate_law::world::Named;

use super::{Object, Stage, TestChange, fail};
use crate::convert;
use crate::rulebook::body_of;

/// Arguments of a builder, by place or by name.
pub(super) struct Given {
    args: Vec<Datum>,
    named: Named,
}

impl Given {
    pub(super) fn new(args: Vec<Datum>, named: Named) -> Self {
        Self { args, named }
    }

    /// Takes an argument by its place among those left, or by its name.
    pub(super) fn take(&mut self, name: &str) -> Option<Datum> {
        if let Some(index) = self.named.iter().position(|(key, _)| *key == name) {
            return Some(self.named.remove(index).1);
        }
        if self.args.is_empty() {
            None
        } else {
            Some(self.args.remove(0))
        }
    }

    /// Takes an argument by its name alone.
    pub(super) fn named(&mut self, name: &str) -> Option<Datum> {
        let index = self.named.iter().position(|(key, _)| *key == name)?;
        Some(self.named.remove(index).1)
    }

    pub(super) fn text(&mut self, name: &str) -> Result<String, Stop> {
        match self.take(name) {
            Some(Datum::Text(text)) => Ok(text.to_string()),
            Some(other) => Err(fail(format!(
                "{name} is a text, not {}",
                convert::describe(&other)
            ))),
            None => Err(fail(format!("{name} is missing"))),
        }
    }

    pub(super) fn named_text(&mut self, name: &str) -> Option<String> {
        match self.named(name) {
            Some(Datum::Text(text)) => Some(text.to_string()),
            _ => None,
        }
    }

    /// The picture of `picture(width, height, seed)`.
    pub(super) fn picture(&mut self) -> Option<Datum> {
        let mut number = |name| match self.take(name) {
            Some(Datum::Int(number)) => Some(number),
            _ => None,
        };
        let width = u16::try_from(number("width")?).ok()?;
        let height = u16::try_from(number("height")?).ok()?;
        let seed = u64::try_from(number("seed")?).ok()?;
        let drawn = crate::pictures::drawn(width, height, seed);
        Some(Datum::Picture(std::sync::Arc::new(drawn)))
    }

    pub(super) fn rest(self) -> (Vec<Datum>, Named) {
        (self.args, self.named)
    }
}

impl Stage {
    /// A function that builds a change; none for other functions.
    pub(super) fn change(
        &self,
        name: &str,
        args: Vec<Datum>,
        named: Named,
    ) -> Result<Option<Datum>, Stop> {
        let mut given = Given::new(args, named);
        let clause = match name {
            "add_rule" => add_rule(&mut given)?,
            "amend_rule" => {
                let change = TestChange::Amend {
                    id: given.text("id")?.into(),
                    old: given.text("old")?,
                    new: given.text("new")?,
                };
                return Ok(Some(self.number(Object::Change(Box::new(change)))));
            }
            "replace_rule" => {
                let change = TestChange::Replace {
                    id: given.text("id")?.into(),
                    text: given.text("text")?,
                };
                return Ok(Some(self.number(Object::Change(Box::new(change)))));
            }
            "when" => {
                let change = TestChange::When {
                    test: given.text("test")?,
                    changes: given.take("changes").unwrap_or_default(),
                };
                return Ok(Some(self.number(Object::Change(Box::new(change)))));
            }
            "repeal_rule" => Clause::RepealRule {
                id: given.text("id")?.into(),
            },
            "rename_rule" => Clause::RenameRule {
                id: given.text("id")?.into(),
                title: given.text("title")?,
            },
            "move_rule" => Clause::MoveRule {
                id: given.text("id")?.into(),
                section: given.named_text("section").unwrap_or_default().into(),
                parent: given.named_text("parent").map(Name::from),
                after: given.named_text("after").map(Name::from),
            },
            "switch_rule" => {
                let id = given.text("id")?.into();
                let on = given.take("on") != Some(Datum::Bool(false));
                Clause::SwitchRule { id, on }
            }
            "set_value" | "add_to_value" => return self.values_change(name, given).map(Some),
            "create_thing" => {
                let kind = given.text("kind")?.into();
                let (_, named) = given.rest();
                let values = named
                    .into_iter()
                    .map(|(name, datum)| Ok((name, self.kept(&datum)?)));
                Clause::CreateThing {
                    kind,
                    values: values.collect::<Result<_, Stop>>()?,
                }
            }
            "remove_thing" => Clause::RemoveThing {
                thing: self.thing_of(&given.take("thing").unwrap_or_default())?,
            },
            "set_term" => Clause::SetTerm {
                name: given.text("name")?.into(),
                one: given.text("one")?,
                many: given.text("many").unwrap_or_default(),
            },
            "rename_player" => {
                let thing = self.thing_of(&given.take("player").unwrap_or_default())?;
                Clause::RenamePlayer {
                    thing,
                    name: given.text("name")?,
                }
            }
            "remove_player" => {
                let thing = self.thing_of(&given.take("player").unwrap_or_default())?;
                Clause::RemovePlayer {
                    thing,
                    bar: given.take("bar") == Some(Datum::Bool(true)),
                }
            }
            "set_page" => Clause::SetPage {
                name: given.text("name")?.into(),
                text: given.text("text")?,
            },
            "set_status" => {
                let Thing::Post(post) = self.thing_of(&given.take("post").unwrap_or_default())?
                else {
                    return Err(fail("set_status(post, status)"));
                };
                Clause::SetStatus {
                    post,
                    status: given.text("status")?.into(),
                }
            }
            "ruling" => Clause::Strike {
                events: self.event_numbers(given.take("strike"))?,
                uphold: self.event_numbers(given.take("uphold"))?,
            },
            "script" => Clause::Script {
                code: given.text("code")?.into(),
            },
            "prose" => Clause::Prose {
                text: given.text("text")?,
            },
            _ => return Ok(None),
        };
        Ok(Some(self.number(Object::Change(Box::new(
            TestChange::Clause(clause),
        )))))
    }

    /// `set_value(thing, a = 1, b = 2)`: one clause each, so a list of changes.
    fn values_change(&self, name: &str, mut given: Given) -> Result<Datum, Stop> {
        let thing = self.thing_of(&given.take("thing").unwrap_or_default())?;
        let (_, named) = given.rest();
        let mut changes = Vec::new();
        for (value_name, datum) in named {
            let clause = match (name, &datum) {
                ("add_to_value", Datum::Int(amount)) => Clause::AddToValue {
                    thing: thing.clone(),
                    name: value_name,
                    amount: *amount,
                },
                _ => Clause::SetValue {
                    thing: thing.clone(),
                    name: value_name,
                    value: self.kept(&datum)?,
                },
            };
            changes.push(self.number(Object::Change(Box::new(TestChange::Clause(clause)))));
        }
        Ok(if changes.len() == 1 {
            changes.remove(0)
        } else {
            Datum::List(changes.into())
        })
    }

    /// The numbers of events, given as `act` gives them.
    fn event_numbers(&self, events: Option<Datum>) -> Result<Vec<EventSeq>, Stop> {
        let Some(Datum::List(events)) = events else {
            return Ok(Vec::new());
        };
        let numbers = events.iter().map(|event| match event {
            Datum::Object(number) => match self.object(*number)? {
                Object::Event(_, seq) => Ok(seq),
                other => Err(fail(format!("{} is no event", self.describe(&other)))),
            },
            other => Err(fail(format!("{} is no event", convert::describe(other)))),
        });
        numbers.collect()
    }

    /// A value to put into a change.
    pub(super) fn kept(&self, datum: &Datum) -> Result<Value, Stop> {
        let datum = self.unwrap(datum);
        convert::plain_value(&datum)
            .ok_or_else(|| fail(format!("{} cannot be kept", convert::describe(&datum))))
    }

    /// The patch of a list of changes, against the rules of a game as they are.
    pub(super) fn patch(&self, game: usize, changes: &Datum) -> Result<Patch, Stop> {
        let mut clauses = Vec::new();
        self.clauses(game, changes, &mut clauses)?;
        let patch = Patch { clauses };
        self.must_name_well(game, &patch)?;
        Ok(patch)
    }

    fn clauses(&self, game: usize, changes: &Datum, out: &mut Vec<Clause>) -> Result<(), Stop> {
        match changes {
            Datum::List(items) => items
                .iter()
                .try_for_each(|item| self.clauses(game, item, out)),
            Datum::Object(number) => match self.object(*number)? {
                Object::Change(change) => {
                    out.push(self.clause(game, *change)?);
                    Ok(())
                }
                other => Err(fail(format!("{} is no change", self.describe(&other)))),
            },
            other => Err(fail(format!("{} is no change", convert::describe(other)))),
        }
    }

    fn clause(&self, game: usize, change: TestChange) -> Result<Clause, Stop> {
        let text_of = |id: &Name| {
            let text = self.with(game, |game| {
                game.judge
                    .state()
                    .rules
                    .get(id)
                    .map(|rule| Arc::clone(&rule.text))
            });
            text.ok_or_else(|| fail(format!("there is no rule {id}")))
        };
        Ok(match change {
            TestChange::Clause(clause) => clause,
            TestChange::Amend { id, old, new } => {
                let base = text_of(&id)?;
                if !base.contains(&old) {
                    return Err(fail(format!(
                        "the rule {id} does not hold the text \"{old}\""
                    )));
                }
                let text = Arc::from(base.replacen(&old, &new, 1));
                Clause::AmendRule { id, base, text }
            }
            TestChange::When { test, changes } => {
                let mut clauses = Vec::new();
                self.clauses(game, &changes, &mut clauses)?;
                Clause::When {
                    test: Arc::from(test),
                    clauses,
                }
            }
            TestChange::Replace { id, text } => {
                let base = text_of(&id)?;
                Clause::AmendRule {
                    id,
                    base,
                    text: Arc::from(body_of(&text)),
                }
            }
        })
    }
}

fn add_rule(given: &mut Given) -> Result<Clause, Stop> {
    let id = given.text("id")?;
    let tags = match given.named("tags") {
        Some(Datum::List(tags)) => tags
            .iter()
            .filter_map(|tag| {
                if let Datum::Text(tag) = tag {
                    Some(Name::from(&**tag))
                } else {
                    None
                }
            })
            .collect(),
        _ => vec![],
    };
    let parent = given.named_text("parent").map(Name::from);
    let after = given.named_text("after").map(Name::from);
    let section = given.named_text("section").unwrap_or_default().into();
    let text = given.text("text")?;
    let title = RuleText::parse(&text).title.unwrap_or_default();
    Ok(Clause::AddRule {
        id: id.into(),
        section,
        parent,
        after,
        title,
        text: Arc::from(body_of(&text)),
        tags,
    })
}
