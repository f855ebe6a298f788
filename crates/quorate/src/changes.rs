//! Changes that a post or a claim carries, as a file lists them.
//!
//! The file is JSON or TOML: a list of changes (in TOML under `[[change]]`), each with the word for what it does and
//! what that needs, by the names of the rule-test language's builders.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use quorate_engine::fields::{self, Typed};
use quorate_engine::judge::Judge;
use quorate_engine::rulebook::body_of;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::state::State;
use quorate_kernel::{Moment, Name, Thing, Value};
use quorate_law::RuleText;
use quorate_law::world::World;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    change: Vec<Change>,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Change {
    AddRule {
        id: String,
        #[serde(default)]
        section: String,
        parent: Option<String>,
        after: Option<String>,
        text: String,
        #[serde(default)]
        tags: Vec<String>,
    },
    AmendRule {
        id: String,
        old: String,
        new: String,
    },
    ReplaceRule {
        id: String,
        text: String,
    },
    RepealRule {
        id: String,
    },
    RenameRule {
        id: String,
        title: String,
    },
    MoveRule {
        id: String,
        section: String,
        parent: Option<String>,
        after: Option<String>,
    },
    SwitchRule {
        id: String,
        on: bool,
    },
    SetValue {
        thing: String,
        name: String,
        value: serde_json::Value,
    },
    AddToValue {
        thing: String,
        name: String,
        amount: i64,
    },
    CreateThing {
        kind: String,
        #[serde(default)]
        values: serde_json::Map<String, serde_json::Value>,
    },
    RemoveThing {
        thing: String,
    },
    SetTerm {
        name: String,
        one: String,
        many: String,
    },
    RenamePlayer {
        player: String,
        name: String,
    },
    RemovePlayer {
        player: String,
        #[serde(default)]
        bar: bool,
    },
    SetPage {
        name: String,
        text: String,
    },
    SetStatus {
        post: String,
        status: String,
    },
    Script {
        code: String,
    },
    Prose {
        text: String,
    },
}

/// Reads the changes of a file, against a game as it is.
pub(crate) fn read(path: &Path, judge: &Judge, now: Moment) -> Result<Patch> {
    let text = crate::books::read_text(path)?;
    let is_toml = path
        .extension()
        .is_some_and(|extension| extension == "toml");
    let changes: Vec<Change> = if is_toml {
        toml::from_str::<File>(&text)
            .map(|file| file.change)
            .map_err(anyhow::Error::from)
    } else {
        serde_json::from_str(&text).map_err(anyhow::Error::from)
    }
    .with_context(|| format!("{} lists no changes", path.display()))?;
    let game = Game { judge, now };
    let clauses = changes
        .into_iter()
        .map(|change| game.clause(change))
        .collect::<Result<Vec<_>>>()?;
    Ok(Patch { clauses })
}

struct Game<'a> {
    judge: &'a Judge,
    now: Moment,
}

impl Game<'_> {
    fn state(&self) -> &State {
        self.judge.state()
    }

    fn clause(&self, change: Change) -> Result<Clause> {
        Ok(match change {
            Change::AddRule {
                id,
                section,
                parent,
                after,
                text,
                tags,
            } => Clause::AddRule {
                id: id.into(),
                section: section.into(),
                parent: parent.map(Name::from),
                after: after.map(Name::from),
                title: RuleText::parse(&text).title.unwrap_or_default(),
                text: body_of(&text).into(),
                tags: tags.into_iter().map(Name::from).collect(),
            },
            Change::AmendRule { id, old, new } => {
                let base = self.rule_text(&id)?;
                if !base.contains(&old) {
                    bail!("the rule {id} does not hold the text \"{old}\"");
                }
                let text = base.replacen(&old, &new, 1).into();
                Clause::AmendRule {
                    id: id.into(),
                    base,
                    text,
                }
            }
            Change::ReplaceRule { id, text } => Clause::AmendRule {
                base: self.rule_text(&id)?,
                id: id.into(),
                text: body_of(&text).into(),
            },
            Change::RepealRule { id } => Clause::RepealRule { id: id.into() },
            Change::RenameRule { id, title } => Clause::RenameRule {
                id: id.into(),
                title,
            },
            Change::MoveRule {
                id,
                section,
                parent,
                after,
            } => Clause::MoveRule {
                id: id.into(),
                section: section.into(),
                parent: parent.map(Name::from),
                after: after.map(Name::from),
            },
            Change::SwitchRule { id, on } => Clause::SwitchRule { id: id.into(), on },
            Change::SetTerm { name, one, many } => Clause::SetTerm {
                name: name.into(),
                one,
                many,
            },
            Change::SetPage { name, text } => Clause::SetPage {
                name: name.into(),
                text,
            },
            Change::Script { code } => Clause::Script { code: code.into() },
            Change::Prose { text } => Clause::Prose { text },
            values => self.clause_about_things(values)?,
        })
    }

    fn clause_about_things(&self, change: Change) -> Result<Clause> {
        Ok(match change {
            Change::SetValue { thing, name, value } => {
                let thing = self.thing(&thing)?;
                let kind = self.judge.look(self.now, |tx| tx.kind_of(&thing)).ok();
                let value = self.value(&kind.unwrap_or_default(), &name, &value)?;
                Clause::SetValue {
                    thing,
                    name: name.into(),
                    value,
                }
            }
            Change::AddToValue {
                thing,
                name,
                amount,
            } => Clause::AddToValue {
                thing: self.thing(&thing)?,
                name: name.into(),
                amount,
            },
            Change::CreateThing { kind, values } => {
                let kind = Name::from(kind);
                let values = values.iter().map(|(name, value)| {
                    Ok((name.as_str().into(), self.value(&kind, name, value)?))
                });
                Clause::CreateThing {
                    values: values.collect::<Result<_>>()?,
                    kind,
                }
            }
            Change::RemoveThing { thing } => Clause::RemoveThing {
                thing: self.thing(&thing)?,
            },
            Change::RenamePlayer { player, name } => Clause::RenamePlayer {
                thing: self.player(&player)?,
                name,
            },
            Change::RemovePlayer { player, bar } => Clause::RemovePlayer {
                thing: self.player(&player)?,
                bar,
            },
            Change::SetStatus { post, status } => {
                let post = post.trim_start_matches("post:").parse()?;
                Clause::SetStatus {
                    post,
                    status: status.into(),
                }
            }
            _ => bail!("this change is about no thing"),
        })
    }

    fn rule_text(&self, id: &str) -> Result<Arc<str>> {
        let rule = self
            .state()
            .rules
            .get(id)
            .with_context(|| format!("there is no rule {id}"))?;
        Ok(Arc::clone(&rule.text))
    }

    fn player(&self, word: &str) -> Result<Thing> {
        crate::home::player(self.state(), word).map(Thing::Player)
    }

    /// A thing by its address, or a player by name.
    fn thing(&self, word: &str) -> Result<Thing> {
        match word.parse() {
            Ok(thing) => Ok(thing),
            Err(error) => self.player(word).map_err(|_| anyhow::Error::from(error)),
        }
    }

    fn value(&self, kind: &Name, name: &str, json: &serde_json::Value) -> Result<Value> {
        let typed = typed(json)?;
        self.judge.look(self.now, |tx| {
            let world: &dyn World = tx;
            let ty = world.attribute_type(kind.as_str(), name);
            let ty = ty.with_context(|| format!("a {kind} has no {name}"))?;
            let datum = fields::read(tx, name, &ty, &typed)
                .map_err(|refusal| anyhow::anyhow!("{name}: {refusal}"))?;
            Ok(fields::as_typed(&ty, &datum))
        })
    }
}

fn typed(json: &serde_json::Value) -> Result<Typed> {
    use serde_json::Value as Json;
    Ok(match json {
        Json::Null => Typed::None,
        Json::Bool(flag) => Typed::Flag(*flag),
        Json::Number(number) => Typed::Int(
            number
                .as_i64()
                .with_context(|| format!("{number} is no whole number"))?,
        ),
        Json::String(text) => Typed::Text(text.clone()),
        Json::Array(items) => Typed::List(items.iter().map(typed).collect::<Result<_>>()?),
        Json::Object(_) => bail!("a value is a number, a text, yes or no, or a list of them"),
    })
}
