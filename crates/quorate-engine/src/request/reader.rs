//! What a request is read against, and how what it names is found there.

use quorate_kernel::command::Actor;
use quorate_kernel::event::Event;
use quorate_kernel::patch::Patch;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PlayerId, PostId, Refusal, Thing, Value};
use quorate_law::datum::{Datum, Type};
use quorate_law::with_article;
use quorate_law::world::World;
use serde_json::Value as Json;

use super::arguments::{Argument, ArgumentEntry, Arguments, word};
use super::error::RequestError;
use crate::changes::{self, Change};
use crate::fields::{self, Typed};
use crate::lookup;
use crate::tx::Tx;
use crate::view::View;

/// A game as somebody sees it who asks for something in it.
#[derive(Clone, Copy)]
pub struct CommandReader<'a> {
    /// The law, to be asked.
    pub tx: &'a Tx,
    /// What they may see.
    pub view: View<'a>,
    /// Who asks.
    pub actor: Actor,
    /// The name under which somebody new asks to join, if they give no other.
    pub name: &'a str,
    /// Events of the past: the one that is undone among them, where values are picked.
    pub past: &'a [Event],
}

impl CommandReader<'_> {
    pub(super) fn post_id(&self, arguments: &mut Arguments) -> Result<PostId, RequestError> {
        let given = match arguments.must("post")? {
            // A rule test may hold a post that is gone.
            Argument::Datum(Datum::Thing(Thing::Post(id))) => return Ok(id),
            other => word(other),
        };
        let no_post = || RequestError::refused("post", Refusal::plain("a post"));
        let given = given.ok_or_else(no_post)?;
        if let Some(found) = lookup::post_by_number(&self.view, &given) {
            return found.ok_or_else(no_post);
        }
        lookup::post_by_title(&self.view, &given).ok_or_else(|| {
            let text = format!("no post is called \"{given}\": give its title or its number");
            RequestError::unfit("post", text)
        })
    }

    pub(super) fn category(&self, word: &str) -> Result<Name, RequestError> {
        lookup::category(self.view.law, word).ok_or_else(|| {
            let known = self.view.law.category_order.iter().map(Name::as_str);
            let known: Vec<_> = known.collect();
            let text = format!(
                "there is no category {word}: there are {} and Post",
                known.join(", ")
            );
            RequestError::unfit("category", text)
        })
    }

    /// A rule by code name or title; none where none is named.
    pub(super) fn rule(&self, word: &str) -> Result<Name, RequestError> {
        if word.is_empty() {
            return Ok(Name::default());
        }
        lookup::rule(self.view.state, word).ok_or_else(|| {
            let known = self.view.state.rules.keys().map(Name::as_str);
            let near = lookup::near(word, known);
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            RequestError::unfit("rule", format!("there is no rule {word}{near}"))
        })
    }

    /// Players: one, several, or their names with commas between them.
    pub(super) fn players(&self, arguments: &mut Arguments) -> Result<Vec<PlayerId>, RequestError> {
        let words: Vec<Option<String>> = match arguments.must("to")? {
            Argument::Data(Json::Array(items)) => items
                .into_iter()
                .map(|item| word(Argument::Data(item)))
                .collect(),
            Argument::Datum(Datum::List(items)) => {
                let items = items.iter().cloned();
                items.map(|item| word(Argument::Datum(item))).collect()
            }
            one => {
                let names = word(one).unwrap_or_default();
                let names = names.split(',');
                return names.map(|name| self.player("to", name.trim())).collect();
            }
        };
        let named = words.into_iter().enumerate();
        let named =
            named.map(|(nth, word)| self.player(&format!("to[{nth}]"), &word.unwrap_or_default()));
        named.collect()
    }

    fn player(&self, argument: &str, word: &str) -> Result<PlayerId, RequestError> {
        let state = self.view.state;
        lookup::player(state, word).ok_or_else(|| {
            let known = state.people.values().map(|person| person.name.as_str());
            let known: Vec<_> = known.collect();
            let known = known.join(", ");
            let text = format!("nobody here is called {word}: there are {known}");
            RequestError::unfit(argument, text)
        })
    }

    /// The changes that are listed; none where none are.
    pub(super) fn patch(
        &self,
        arguments: &mut Arguments,
    ) -> Result<Option<Sealed<Patch>>, RequestError> {
        let patch = match arguments.take_named("changes") {
            None | Some(Argument::Data(Json::Null)) => return Ok(None),
            Some(Argument::Patch(patch)) => patch,
            Some(Argument::Data(listed)) => {
                let listed: Vec<Change> =
                    serde_path_to_error::deserialize(listed).map_err(|error| {
                        let path = format!("changes{}", error.path());
                        RequestError::unfit(path, error.into_inner())
                    })?;
                changes::patch(self.tx, &listed)
                    .map_err(|bad| RequestError::unfit(bad.place, bad.text))?
            }
            Some(Argument::Datum(_)) => {
                return Err(RequestError::unfit("changes", "changes are a list"));
            }
        };
        Ok((!patch.is_empty()).then(|| Sealed::close(patch, [0; 16])))
    }

    /// A category's own field.
    pub(super) fn field(
        &self,
        category: &Name,
        entry: ArgumentEntry,
    ) -> Result<(Name, Value), RequestError> {
        let ArgumentEntry {
            path,
            name,
            argument,
        } = entry;
        let world: &dyn World = self.tx;
        let kind = if category.is_empty() {
            "Post"
        } else {
            category.as_str()
        };
        let ty = world.attribute_type(kind, &name).ok_or_else(|| {
            RequestError::unfit(
                path.as_str(),
                format!("{} has no {name}", with_article(kind)),
            )
        })?;
        let typed = self.typed(&path, &ty, argument)?;
        let datum = fields::read(self.tx, &name, &ty, &typed)
            .map_err(|refusal| RequestError::refused(path, refusal))?;
        Ok((Name::from(name), fields::as_typed(&ty, &datum)))
    }

    /// What an argument stands for, before it is held against its type. A rule test's values are taken as they are, but
    /// for texts that name a thing or a square.
    pub(super) fn typed(
        &self,
        path: &str,
        ty: &Type,
        argument: Argument,
    ) -> Result<Typed, RequestError> {
        match argument {
            Argument::Data(json) => {
                changes::typed(&json).map_err(|text| RequestError::unfit(path, text))
            }
            Argument::Datum(datum) => Ok(Typed::Known(fields::by_text(self.tx, ty, &datum))),
            Argument::Patch(_) => Err(RequestError::unfit(path, "changes are no value")),
        }
    }
}
