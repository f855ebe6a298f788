//! Names that a test gives: one that no law of its game ever had is a slip of the pen, and proves nothing.

use std::sync::Arc;

use quorate_kernel::command::Act;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::{Name, Thing, Value};
use quorate_law::datum::Type;
use quorate_law::stop::Stop;
use quorate_law::with_article;

use super::{Stage, StagedGame, fail};
use crate::law::{Law, Place};
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
    /// A rule.
    Rule,
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
            Self::Rule => {
                let is_titled = |place: &Place| place.title.eq_ignore_ascii_case(name);
                law.places.contains_key(name) || law.places.values().any(is_titled)
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
            Self::Rule => law.places.keys().map(text).collect(),
        }
    }

    fn words(self) -> String {
        match self {
            Self::Action => "action".to_owned(),
            Self::Category => "category".to_owned(),
            Self::Kind => "kind".to_owned(),
            Self::Value(kind) => format!("value of {}", with_article(kind)),
            Self::Rule => "rule".to_owned(),
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

    /// An action that is given up must be one of the law, and where a post of some kind is taken, a word must be the title of
    /// one: posts stay, so that any other word is a slip and is refused whatever the law says.
    pub(super) fn must_mean_something(&self, game: usize, act: &Act) -> Result<(), Stop> {
        match act {
            Act::Abandon { action } => self.must_know(game, Naming::Action, action.as_str()),
            Act::Do { action, args } => {
                let law = self.with(game, |game| Arc::clone(game.judge.law()));
                let params = law.actions.get(action).map(|decl| &decl.it.params);
                for param in params.into_iter().flatten() {
                    let given = args.iter().find(|(name, _)| *name == param.name);
                    let Some((kind, word)) =
                        given.and_then(|(_, value)| mere_word(&param.ty, value))
                    else {
                        continue;
                    };
                    if *kind == "Post" || law.categories.contains_key(kind) {
                        let (kind, param) = (with_article(kind.as_str()), &param.name);
                        return Err(fail(format!(
                            "{action} takes {kind} as {param}, and no post is called \"{word}\""
                        )));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
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
            Clause::RepealRule { id }
            | Clause::RenameRule { id, .. }
            | Clause::MoveRule { id, .. } => self.must_know(game, Naming::Rule, id.as_str()),
            Clause::When { clauses, .. } => {
                let clauses = clauses.clone();
                self.must_name_well(game, &Patch { clauses })
            }
            _ => Ok(()),
        })
    }
}

/// The word that is given where a thing of a kind is taken, and goes by no such thing; none where a thing is given.
fn mere_word<'t>(ty: &'t Type, given: &Value) -> Option<(&'t Name, String)> {
    match (ty, given.open()) {
        (Type::Optional(inner), _) => mere_word(inner, given),
        (Type::List(item), Value::List(items)) => {
            items.iter().find_map(|given| mere_word(item, given))
        }
        (Type::Kind(kind), Value::Word(word)) => Some((kind, word.to_string())),
        (Type::Kind(kind), Value::Text(text)) => Some((kind, text.as_str().to_owned())),
        _ => None,
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use crate::testing::{Runner, no_helpers, with_books};
    use crate::tiny_game::book;

    const BILLS: &str = r#"category("Bill", icons = ["for"], statuses = ["pending", "enacted"])
gold = number("Gold", of = player)

def enact(actor: Player, bill: Bill):
    require(False, "a vote")

action("enact", enact)"#;

    /// Why a test fails that says this of Anna in a game of its own.
    fn failure(line: &str) -> Option<String> {
        let book = Rc::new(book(BILLS));
        let find = |_: &str| Some(Rc::clone(&book));
        let code = format!(
            "def test_it():\n    g = game(\"t\", players = 1)\n    anna = g.players[0]\n    \
             p = g.post(anna, \"Bill\", \"A bill\")\n    {line}\n"
        );
        with_books(vec!["t".to_owned()], || {
            let outcomes = Runner::new(&find).run("t", &code, &no_helpers, None);
            let failed = outcomes.into_iter().find_map(|outcome| outcome.failed);
            failed.map(|failed| failed.message)
        })
    }

    #[test]
    fn a_test_that_names_a_rule_or_a_post_which_never_was_is_wrong_and_proves_nothing() {
        let claim = |rule: &str, changes: &str| {
            failure(&format!(
                "g.refused(anna, \"claim\", [{changes}], rule = \"{rule}\")"
            ))
        };
        let gold = "set_value(anna, gold = 2)";
        let slip = claim("bananas", gold).expect("there is no such rule");
        assert_eq!(
            slip,
            "no law of this game has the rule bananas: there are house"
        );
        assert_eq!(claim("house", gold), None, "no rule permits it");
        assert_eq!(claim("HOUSE", gold), None, "by its title");
        let slip = claim("house", "repeal_rule(\"hose\")").expect("there is no such rule");
        assert_eq!(
            slip,
            "no law of this game has the rule hose: did you mean house?"
        );
        let slip = failure("g.refused(anna, \"enact\", \"a bell\")").expect("no post");
        assert_eq!(
            slip,
            "enact takes a Bill as bill, and no post is called \"a bell\""
        );
        assert_eq!(failure("g.refused(anna, \"enact\", \"A bill\")"), None);
        assert_eq!(failure("g.refused(anna, \"withdraw\", \"post:99\")"), None);
        let slip = failure("g.refused(anna, \"withdraw\", \"a bell\")").expect("no post");
        assert!(slip.starts_with("no post is called \"a bell\""), "{slip}");
        let slip = failure("g.refused(anna, \"abandon\", \"enakt\")").expect("no action");
        assert!(slip.ends_with("did you mean enact?"), "{slip}");
    }

    #[test]
    fn numbers_that_leave_64_bits_are_told_and_never_cut_off() {
        let told = failure("eq(g.act(anna, \"roll\", \"DICE999999999999999999999\").sides, [])");
        assert_eq!(
            told.as_deref(),
            Some("a die of 999999999999999999999 sides is beyond 64 bits")
        );
        let told = failure("g.advance(days = 999999999999999)");
        assert_eq!(
            told.as_deref(),
            Some("the clock does not go that far: a number leaves 64 bits")
        );
    }
}
