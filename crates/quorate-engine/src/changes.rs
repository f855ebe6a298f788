//! Changes as people list them: the patch of a post, a claim or a repair, read from data and written as data.
//!
//! Each change has the word for what it does and what that needs, by the names of the rule-test language's builders. Things
//! stand there by their address (`player:3`) or, where they have one, by what they are called; values as plain data.

mod written;

use std::sync::Arc;

use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::{EventSeq, Name, PostId, Thing, Value};
use quorate_law::world::World;
use quorate_law::{RuleText, with_article};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;

use crate::fields::{self, Typed};
use crate::lookup;
use crate::rulebook::body_of;
use crate::topics::things;
use crate::tx::Tx;

pub use written::{changes, json};

/// How deep conditions may stand in conditions.
const DEPTH_MAX: usize = 8;

/// One change, by the word in `do`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// A new rule, at the end of its section or after another. Its text begins with its title as a heading.
    AddRule {
        /// The rule's code name.
        id: String,
        /// The section it goes to; where none is named, the one that the rulebook has for new rules.
        #[serde(default)]
        section: String,
        /// The rule it is nested in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        /// The rule it follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<String>,
        /// Its Markdown text: a heading with its title, prose, and code in fences.
        text: String,
        /// Words by which other rules find it.
        #[serde(default)]
        tags: Vec<String>,
    },
    /// A piece of a rule's text is replaced, where it stands first.
    AmendRule {
        /// The rule's code name.
        id: String,
        /// The piece, exactly as it stands there.
        old: String,
        /// What stands there instead.
        new: String,
    },
    /// A rule gets another text.
    ReplaceRule {
        /// The rule's code name.
        id: String,
        /// The whole text; a heading above it is left out.
        text: String,
    },
    /// A rule and what is under it leave the ruleset.
    RepealRule {
        /// The rule's code name.
        id: String,
    },
    /// A rule gets another title.
    RenameRule {
        /// The rule's code name.
        id: String,
        /// The title.
        title: String,
    },
    /// A rule and what is under it move.
    MoveRule {
        /// The rule's code name.
        id: String,
        /// The section it goes to.
        section: String,
        /// The rule it is then nested in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        /// The rule it then follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<String>,
    },
    /// A rule is switched on or off.
    SwitchRule {
        /// The rule's code name.
        id: String,
        /// Whether it is then on.
        on: bool,
    },
    /// A tracked value is set.
    SetValue {
        /// Whose value: an address such as `player:3`, or a player's name.
        thing: String,
        /// The value's code name.
        name: String,
        /// What it then holds.
        value: Json,
    },
    /// A tracked number is changed by so much.
    AddToValue {
        /// Whose value.
        thing: String,
        /// The value's code name.
        name: String,
        /// How much is added; less than nothing takes away.
        amount: i64,
    },
    /// Something new comes into the game.
    CreateThing {
        /// The code name of its kind.
        kind: String,
        /// What it holds, by the code names of its values.
        #[serde(default)]
        values: serde_json::Map<String, Json>,
    },
    /// Something leaves the game.
    RemoveThing {
        /// Its address.
        thing: String,
    },
    /// A term gets another word.
    SetTerm {
        /// The term.
        name: String,
        /// The word for one.
        one: String,
        /// The word for several.
        many: String,
    },
    /// A player gets another name.
    RenamePlayer {
        /// Who: an address or a name.
        player: String,
        /// The name.
        name: String,
    },
    /// A player leaves the roster.
    RemovePlayer {
        /// Who: an address or a name.
        player: String,
        /// Whether they may not come back.
        #[serde(default)]
        bar: bool,
    },
    /// A page of the game gets another text.
    SetPage {
        /// The page's code name.
        name: String,
        /// Its Markdown text.
        text: String,
    },
    /// A post gets another status.
    SetStatus {
        /// The post: its id or address.
        post: String,
        /// The status.
        status: String,
    },
    /// Events are struck from the history, or upheld: what follows is judged again.
    Strike {
        /// The numbers of the events to strike.
        #[serde(deserialize_with = "event_numbers")]
        events: Vec<u64>,
        /// The numbers of the events to uphold.
        #[serde(default, deserialize_with = "event_numbers")]
        uphold: Vec<u64>,
    },
    /// Code that runs once, under the law that the other changes make.
    Script {
        /// The code.
        code: String,
    },
    /// What only people can do.
    Prose {
        /// What they are to do.
        text: String,
    },
    /// Changes made only where a question is answered with yes.
    When {
        /// The question, as code.
        test: String,
        /// The changes.
        #[cfg_attr(feature = "schema", schema(no_recursion))]
        changes: Vec<Change>,
    },
    /// The game is judged under another edition of the library from here on. Only a repair does that.
    ChangeEdition {
        /// The edition's number.
        edition: u16,
    },
}

/// A change that does not fit the game as it is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {text}")]
pub struct BadChange {
    /// Which change and which part of it: `changes[2].thing`, counted from 0.
    pub place: String,
    /// What is wrong with it.
    pub text: String,
}

/// Numbers of events, which fit into 63 bits.
fn event_numbers<'de, D: Deserializer<'de>>(given: D) -> Result<Vec<u64>, D::Error> {
    let numbers = Vec::<u64>::deserialize(given)?;
    let beyond = numbers
        .iter()
        .find(|number| i64::try_from(**number).is_err());
    match beyond {
        None => Ok(numbers),
        Some(number) => {
            let most = i64::MAX;
            Err(D::Error::custom(format!(
                "{number} is not from 0 to {most}"
            )))
        }
    }
}

/// The patch that changes make, written against a game as it is.
pub fn patch(tx: &Tx, changes: &[Change]) -> Result<Patch, BadChange> {
    let clauses = clauses(tx, changes, "changes", 0)?;
    Ok(Patch { clauses })
}

/// What data stands for before it is known what it is for, or what is wrong with it.
pub fn typed(json: &Json) -> Result<Typed, String> {
    Ok(match json {
        Json::Null => Typed::None,
        Json::Bool(flag) => Typed::Flag(*flag),
        Json::Number(number) => {
            let whole = number.as_i64();
            Typed::Int(whole.ok_or_else(|| format!("{number} is no whole number of 64 bits"))?)
        }
        Json::String(text) => Typed::Text(text.clone()),
        Json::Array(items) => Typed::List(items.iter().map(typed).collect::<Result<_, _>>()?),
        Json::Object(_) => {
            return Err("a value is a number, a text, yes or no, or a list of them".to_owned());
        }
    })
}

fn clauses(
    tx: &Tx,
    changes: &[Change],
    place: &str,
    depth: usize,
) -> Result<Vec<Clause>, BadChange> {
    let one = |(nth, change): (usize, &Change)| {
        let reading = ChangeReading {
            tx,
            place: format!("{place}[{nth}]"),
            depth,
        };
        reading.clause(change)
    };
    changes.iter().enumerate().map(one).collect()
}

struct ChangeReading<'a> {
    tx: &'a Tx,
    /// Where the change stands.
    place: String,
    depth: usize,
}

impl ChangeReading<'_> {
    fn bad<T>(&self, part: &str, text: impl ToString) -> Result<T, BadChange> {
        Err(BadChange {
            place: format!("{}.{part}", self.place),
            text: text.to_string(),
        })
    }

    fn clause(&self, change: &Change) -> Result<Clause, BadChange> {
        let name = |text: &String| Name::from(text.as_str());
        let named = |text: &Option<String>| text.as_deref().map(Name::from);
        Ok(match change {
            Change::AddRule {
                id,
                section,
                parent,
                after,
                text,
                tags,
            } => Clause::AddRule {
                id: name(id),
                section: name(section),
                parent: named(parent),
                after: named(after),
                title: RuleText::parse(text).title.unwrap_or_default(),
                text: body_of(text).into(),
                tags: tags.iter().map(name).collect(),
            },
            Change::AmendRule { id, old, new } => self.amended(id, old, new)?,
            Change::ReplaceRule { id, text } => Clause::AmendRule {
                base: self.rule_text(id)?,
                id: name(id),
                text: body_of(text).into(),
            },
            Change::RepealRule { id } => Clause::RepealRule { id: name(id) },
            Change::RenameRule { id, title } => Clause::RenameRule {
                id: name(id),
                title: title.clone(),
            },
            Change::MoveRule {
                id,
                section,
                parent,
                after,
            } => Clause::MoveRule {
                id: name(id),
                section: name(section),
                parent: named(parent),
                after: named(after),
            },
            Change::SwitchRule { id, on } => Clause::SwitchRule {
                id: name(id),
                on: *on,
            },
            other => self.clause_about_things(other)?,
        })
    }

    fn clause_about_things(&self, change: &Change) -> Result<Clause, BadChange> {
        Ok(match change {
            Change::SetValue { thing, name, value } => {
                let thing = self.thing("thing", thing)?;
                let kind = things::kind_of(self.tx, &thing).ok().unwrap_or_default();
                Clause::SetValue {
                    thing,
                    value: self.value("value", &kind, name, value)?,
                    name: name.as_str().into(),
                }
            }
            Change::AddToValue {
                thing,
                name,
                amount,
            } => Clause::AddToValue {
                thing: self.thing("thing", thing)?,
                name: name.as_str().into(),
                amount: *amount,
            },
            Change::CreateThing { kind, values } => {
                let kind = Name::from(kind.as_str());
                let values = values.iter().map(|(name, json)| {
                    let part = format!("values.{name}");
                    Ok((name.as_str().into(), self.value(&part, &kind, name, json)?))
                });
                Clause::CreateThing {
                    values: values.collect::<Result<_, _>>()?,
                    kind,
                }
            }
            Change::RemoveThing { thing } => Clause::RemoveThing {
                thing: self.thing("thing", thing)?,
            },
            Change::RenamePlayer { player, name } => Clause::RenamePlayer {
                thing: self.player("player", player)?,
                name: name.clone(),
            },
            Change::RemovePlayer { player, bar } => Clause::RemovePlayer {
                thing: self.player("player", player)?,
                bar: *bar,
            },
            Change::SetStatus { post, status } => Clause::SetStatus {
                post: self.post(post)?,
                status: status.as_str().into(),
            },
            other => self.clause_about_words(other)?,
        })
    }

    fn clause_about_words(&self, change: &Change) -> Result<Clause, BadChange> {
        let seqs = |numbers: &[u64]| numbers.iter().copied().map(EventSeq).collect();
        Ok(match change {
            Change::SetTerm { name, one, many } => Clause::SetTerm {
                name: name.as_str().into(),
                one: one.clone(),
                many: many.clone(),
            },
            Change::SetPage { name, text } => Clause::SetPage {
                name: name.as_str().into(),
                text: text.clone(),
            },
            Change::Strike { events, uphold } => Clause::Strike {
                events: seqs(events),
                uphold: seqs(uphold),
            },
            Change::Script { code } => Clause::Script {
                code: code.as_str().into(),
            },
            Change::Prose { text } => Clause::Prose { text: text.clone() },
            Change::ChangeEdition { edition } => Clause::ChangeEdition { edition: *edition },
            Change::When { .. } if self.depth >= DEPTH_MAX => {
                let text = format!("conditions stand at most {DEPTH_MAX} deep in each other");
                return self.bad("changes", text);
            }
            Change::When { test, changes } => Clause::When {
                test: test.as_str().into(),
                clauses: clauses(
                    self.tx,
                    changes,
                    &format!("{}.changes", self.place),
                    self.depth + 1,
                )?,
            },
            // All others are told apart above.
            _ => return self.bad("do", "it changes no words"),
        })
    }

    fn amended(&self, id: &str, old: &str, new: &str) -> Result<Clause, BadChange> {
        let base = self.rule_text(id)?;
        if old.is_empty() || !base.contains(old) {
            return self.bad(
                "old",
                format!("the rule {id} does not hold the text \"{old}\""),
            );
        }
        let text = base.replacen(old, new, 1).into();
        Ok(Clause::AmendRule {
            id: id.into(),
            base,
            text,
        })
    }

    fn rule_text(&self, id: &str) -> Result<Arc<str>, BadChange> {
        let text = self.tx.with_state(|state| {
            let rule = state.rules.get(&Name::from(id));
            rule.map(|rule| Arc::clone(&rule.text))
        });
        match text {
            Some(text) => Ok(text),
            None => self.bad("id", format!("there is no rule {id}")),
        }
    }

    fn post(&self, word: &str) -> Result<PostId, BadChange> {
        let id = word.trim_start_matches("post:").parse();
        match id.map(|id| (id, things::exists(self.tx, &Thing::Post(id)))) {
            Ok((id, true)) => Ok(id),
            _ => self.bad("post", format!("there is no post {word}")),
        }
    }

    /// A player by address, by name whatever the case, or by number.
    fn player(&self, part: &str, word: &str) -> Result<Thing, BadChange> {
        match self.tx.with_state(|state| lookup::player(state, word)) {
            Some(id) => Ok(Thing::Player(id)),
            None => self.bad(part, format!("nobody here is called {word}")),
        }
    }

    /// A thing by its address, or a player by name.
    fn thing(&self, part: &str, word: &str) -> Result<Thing, BadChange> {
        let by_address = word.parse::<Thing>();
        match by_address {
            Ok(thing) if things::exists(self.tx, &thing) => Ok(thing),
            Ok(thing) => self.bad(part, format!("there is no {thing} in this game")),
            Err(error) => match self.tx.with_state(|state| lookup::player(state, word)) {
                Some(id) => Ok(Thing::Player(id)),
                None => self.bad(part, error),
            },
        }
    }

    fn value(&self, part: &str, kind: &Name, name: &str, json: &Json) -> Result<Value, BadChange> {
        let world: &dyn World = self.tx;
        let Some(ty) = world.attribute_type(kind.as_str(), name) else {
            return self.bad(
                part,
                format!("{} has no {name}", with_article(kind.as_str())),
            );
        };
        let typed = typed(json).or_else(|text| self.bad(part, text))?;
        match fields::read(self.tx, name, &ty, &typed) {
            Ok(datum) => Ok(fields::as_typed(&ty, &datum)),
            Err(refusal) => self.bad(part, refusal),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tiny_game::{TinyGame, game};

    const PURSE: &str = "gold = number(\"Gold\", of = player)";

    fn read(game: &TinyGame, listed: Json) -> Result<Vec<Clause>, BadChange> {
        let listed: Vec<Change> = serde_json::from_value(listed).expect("they are changes");
        game.ask(|tx| patch(tx, &listed)).map(|patch| patch.clauses)
    }

    fn bad(game: &TinyGame, listed: Json) -> (String, String) {
        let bad = read(game, listed).expect_err("it does not fit");
        (bad.place, bad.text)
    }

    #[test]
    fn a_change_names_a_player_as_people_call_them_or_by_address() {
        let game = game(PURSE);
        let address = Thing::Player(game.anna).to_string();
        for thing in ["anna", "Anna", &address] {
            let set = json!([{"do": "set_value", "thing": thing, "name": "gold", "value": 7}]);
            assert_eq!(read(&game, set), Ok(vec![game.set("gold", 7)]), "{thing}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let game = game(PURSE);
        let set = |thing: &str, name: &str, value: Json| json!({"do": "set_value", "thing": thing, "name": name, "value": value});
        let fine = set("Anna", "gold", json!(1));
        let (place, text) = bad(&game, json!([fine, set("thing:9-1", "gold", json!(1))]));
        assert_eq!(place, "changes[1].thing");
        assert_eq!(text, "there is no thing:9-1 in this game");
        let lacks = bad(&game, json!([set("Anna", "silver", json!(1))]));
        assert_eq!(
            lacks,
            (
                "changes[0].value".to_owned(),
                "a Player has no silver".to_owned()
            )
        );
        let half = bad(&game, json!([set("Anna", "gold", json!(1.5))]));
        assert_eq!(half.1, "1.5 is no whole number of 64 bits");
        let inner = json!({"do": "replace_rule", "id": "nowhere", "text": "So."});
        let when = json!({"do": "when", "test": "True", "changes": [fine, inner]});
        let nowhere = bad(&game, json!([when]));
        assert_eq!(nowhere.0, "changes[0].changes[1].id");
        assert_eq!(nowhere.1, "there is no rule nowhere");
    }

    #[test]
    fn a_piece_of_a_text_is_replaced_where_it_stands_first() {
        let game = game(PURSE);
        let amend =
            |old: &str| json!([{"do": "amend_rule", "id": "house", "old": old, "new": "Now"}]);
        let clauses = read(&game, amend("So")).expect("it stands there");
        let [Clause::AmendRule { base, text, .. }] = &clauses[..] else {
            panic!("{clauses:?}");
        };
        assert_eq!(**text, base.replacen("So", "Now", 1));
        let (place, _) = bad(&game, amend("Never"));
        assert_eq!(place, "changes[0].old");
        assert_eq!(
            bad(&game, amend("")).0,
            "changes[0].old",
            "nothing stands anywhere"
        );
    }

    #[test]
    fn conditions_stand_in_conditions_only_so_deep() {
        let game = game(PURSE);
        let nested = |depth: usize| {
            let innermost = json!([{"do": "prose", "text": "Be kind."}]);
            (0..depth).fold(
                innermost,
                |changes, _| json!([{"do": "when", "test": "True", "changes": changes}]),
            )
        };
        assert!(read(&game, nested(DEPTH_MAX)).is_ok());
        let (_, text) = bad(&game, nested(DEPTH_MAX + 1));
        assert_eq!(text, "conditions stand at most 8 deep in each other");
    }
}
