//! Names that a test gives: one that no law of its game ever had is a slip of the pen, and proves nothing.

use std::sync::Arc;

use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::{Name, Thing};
use quorate_law::stop::Stop;
use quorate_law::with_article;

use super::{Stage, StagedGame, fail};
use crate::law::Law;
use crate::lookup;

/// Kinds that every game has.
const KINDS: [&str; 5] = ["Game", "Player", "Post", "Comment", "Rule"];

/// What a name is of.
#[derive(Clone, Copy)]
pub(super) enum Naming<'a> {
    /// An action.
    Action,
    /// A category of posts.
    Category,
    /// A kind of things.
    Kind,
    /// A value of things of a kind.
    Value(&'a str),
}

impl Naming<'_> {
    /// Whether a law has something that is called so.
    fn has(self, law: &Law, name: &str) -> bool {
        match self {
            Self::Action => law.actions.contains_key(name),
            Self::Category => lookup::category(law, name).is_some(),
            Self::Kind => {
                KINDS.contains(&name)
                    || law.categories.contains_key(name)
                    || law.entities.contains_key(name)
                    || law.tables.contains_key(name)
            }
            Self::Value(kind) => {
                let kind = Name::from(kind);
                law.value(&kind, name).is_some() || law.derived(&kind, name).is_some()
            }
        }
    }

    /// All names of this sort that a law has.
    fn all(self, law: &Law) -> Vec<String> {
        let text = |name: &Name| name.to_string();
        match self {
            Self::Action => law.action_order.iter().map(text).collect(),
            Self::Category => law.category_order.iter().map(text).collect(),
            Self::Kind => {
                let declared = law.entities.keys().chain(law.tables.keys());
                let declared = declared.chain(&law.category_order).map(text);
                KINDS
                    .map(str::to_owned)
                    .into_iter()
                    .chain(declared)
                    .collect()
            }
            Self::Value(kind) => {
                let kind = Name::from(kind);
                let values = law.values_of(&kind);
                values.map(|decl| decl.it.name.to_string()).collect()
            }
        }
    }

    fn words(self) -> String {
        match self {
            Self::Action => "action".to_owned(),
            Self::Category => "category".to_owned(),
            Self::Kind => "kind".to_owned(),
            Self::Value(kind) => format!("value of {}", with_article(kind)),
        }
    }
}

impl StagedGame {
    /// Keeps the law in force among those that the game has had.
    pub(super) fn note_law(&mut self) {
        let law = self.judge.law();
        if !self.laws.last().is_some_and(|last| Arc::ptr_eq(last, law)) {
            self.laws.push(Arc::clone(law));
        }
    }

    /// Whether a law of the game has, or had, something that is called so.
    pub(super) fn has_known(&self, naming: Naming<'_>, name: &str) -> bool {
        self.laws.iter().any(|law| naming.has(law, name))
    }
}

impl Stage {
    /// A name must be one that the game's law has, or had.
    pub(super) fn must_know(
        &self,
        game: usize,
        naming: Naming<'_>,
        name: &str,
    ) -> Result<(), Stop> {
        self.with(game, |game| {
            if game.has_known(naming, name) {
                return Ok(());
            }
            let known = naming.all(game.judge.law());
            let what = format!("no law of this game has the {} {name}", naming.words());
            Err(unknown(&what, name, known.iter().map(String::as_str)))
        })
    }

    /// A value must be one that the law declares of a thing's kind, or declared.
    pub(super) fn must_have(&self, game: usize, thing: &Thing, value: &Name) -> Result<(), Stop> {
        let kind = self.look(game, |tx| tx.kind_of(thing).ok());
        match kind {
            Some(kind) => self.must_know(game, Naming::Value(kind.as_str()), value.as_str()),
            None => Ok(()),
        }
    }

    /// A named argument must be one that the action asks for.
    pub(super) fn must_ask<'a>(
        &self,
        game: usize,
        action: &str,
        names: impl Iterator<Item = &'a Name>,
    ) -> Result<(), Stop> {
        let law = self.with(game, |game| Arc::clone(game.judge.law()));
        let Some(decl) = law.actions.get(action) else {
            return Ok(());
        };
        let asked = || decl.it.params.iter().map(|param| param.name.as_str());
        for name in names {
            if !asked().any(|known| known == name.as_str()) {
                let what = format!("{action} does not ask for {name}");
                return Err(unknown(&what, name.as_str(), asked()));
            }
        }
        Ok(())
    }

    /// What changes name must be there, unless they change the law themselves: then it may come by them.
    pub(super) fn must_name_well(&self, game: usize, patch: &Patch) -> Result<(), Stop> {
        if patch.clauses.iter().any(makes_law) {
            return Ok(());
        }
        patch.clauses.iter().try_for_each(|clause| match clause {
            Clause::SetValue { thing, name, .. } | Clause::AddToValue { thing, name, .. } => {
                self.must_have(game, thing, name)
            }
            Clause::CreateThing { kind, values } => {
                self.must_know(game, Naming::Kind, kind.as_str())?;
                values.iter().try_for_each(|(name, _)| {
                    self.must_know(game, Naming::Value(kind.as_str()), name.as_str())
                })
            }
            Clause::When { clauses, .. } => {
                let clauses = clauses.clone();
                self.must_name_well(game, &Patch { clauses })
            }
            _ => Ok(()),
        })
    }
}

fn makes_law(clause: &Clause) -> bool {
    match clause {
        Clause::AddRule { .. } | Clause::AmendRule { .. } | Clause::SwitchRule { .. } => true,
        Clause::When { clauses, .. } => clauses.iter().any(makes_law),
        _ => false,
    }
}

/// The end of a test that names what is not there, with the name that is spelt most like it.
pub(super) fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Stop {
    let known: Vec<&str> = known.collect();
    fail(match lookup::near(name, known.iter().copied()) {
        Some(near) => format!("{what}: did you mean {near}?"),
        None => format!("{what}: there are {}", known.join(", ")),
    })
}
