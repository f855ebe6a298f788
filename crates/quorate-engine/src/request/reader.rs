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
        if given.parse::<Thing>().is_ok() {
            return Err(no_post());
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
            RequestError::NoRule {
                rule: word.to_owned(),
                near: lookup::near(word, known).map(str::to_owned),
            }
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

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Act, typed};
    use serde_json::json;

    use crate::tiny_game::{TinyGame, game, new_post};

    fn bills() -> TinyGame {
        game("category(\"Bill\")\ncategory(\"Edict\")")
    }

    /// The argument that a request is wrong about, and what is told of it.
    fn wrong(game: &TinyGame, action: &str, arguments: serde_json::Value) -> (String, String) {
        let error = game.read(action, arguments).expect_err("it is wrong");
        let argument = error.argument().unwrap_or_default().to_owned();
        (argument, error.to_string())
    }

    #[test]
    fn a_post_is_found_by_title_whatever_the_case_or_by_number() {
        let mut game = bills();
        let post = game.post(new_post("Bill", "More rope"));
        let post = post.expect("anybody may");
        for name in [
            "more ROPE".to_owned(),
            post.to_string(),
            format!("post:{post}"),
        ] {
            let read = game.read("withdraw", json!({"post": name}));
            assert_eq!(read, Ok(Act::Withdraw { post }), "{name}");
        }
        let (argument, told) = wrong(&game, "withdraw", json!({"post": "Less rope"}));
        assert_eq!(argument, "post");
        assert!(
            told.starts_with("no post is called \"Less rope\""),
            "{told}"
        );
    }

    #[test]
    fn several_people_are_named_in_a_list_or_in_a_row_and_whoever_is_unknown_is_told() {
        let game = bills();
        let to_anna = Act::Message {
            to: vec![game.anna, game.anna],
            text: typed("Hello"),
        };
        for to in [json!("anna, Anna"), json!(["Anna", "anna"])] {
            let read = game.read("message", json!({"to": to, "text": "Hello"}));
            assert_eq!(read, Ok(to_anna.clone()));
        }
        let unknown = json!({"to": ["Anna", "Zed"], "text": "Hello"});
        let (argument, told) = wrong(&game, "message", unknown);
        assert_eq!(argument, "to[1]");
        assert_eq!(told, "nobody here is called Zed: there are Anna");
    }

    #[test]
    fn what_is_misspelt_is_told_with_what_there_is() {
        let game = bills();
        let post = json!({"category": "Bil", "title": "More rope"});
        let (argument, told) = wrong(&game, "post", post);
        assert_eq!(argument, "category");
        assert_eq!(
            told,
            "there is no category Bil: there are Bill, Edict and Post"
        );
        let claim = json!({"rule": "hous", "reason": "so it is"});
        let (argument, told) = wrong(&game, "claim", claim);
        assert_eq!(argument, "rule");
        assert_eq!(told, "there is no rule hous; did you mean house?");
    }

    #[test]
    fn what_is_wrong_with_a_change_or_a_field_is_told_with_its_path() {
        let game = bills();
        let changes = json!([{"do": "prose", "text": "Be kind."}, {"do": "prose"}]);
        let claim = json!({"rule": "house", "reason": "so it is", "changes": changes});
        assert_eq!(wrong(&game, "claim", claim).0, "changes[1]");
        let unknown =
            json!([{"do": "repeal_rule", "id": "inn"}, {"do": "remove_player", "player": "Zed"}]);
        let claim = json!({"rule": "house", "reason": "so it is", "changes": unknown});
        assert_eq!(wrong(&game, "claim", claim).0, "changes[1].player");
        let post = json!({"category": "Bill", "title": "More rope", "fields": {"width": 3}});
        let (argument, told) = wrong(&game, "post", post);
        assert_eq!(
            (argument.as_str(), told.as_str()),
            ("fields.width", "a Bill has no width")
        );
    }
}
