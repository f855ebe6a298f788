//! What falls with a rule that goes: each rule repealed, each switched off, and random halves of a section kept, every time
//! from the game as it was founded.
//!
//! A clause has fallen where its code sleeps and did not before, or uses a name that is lost, so that it breaks where it comes
//! to it. An action has fallen where the law no longer has it, or where it can come to such a name; a category where it is not
//! there. What a rule loses is counted apart for rules whose prose names what went (`prose`), for those may expect it.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use quorate_engine::judge::{Inputs, Judge};
use quorate_engine::law::{Law, LawCache};
use quorate_engine::rulebook::Rulebook;
use quorate_engine::words::worded;
use quorate_kernel::Name;
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::law::LIBRARY;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;

use crate::chance::Chance;
use crate::going_on::doings_of;

mod prose;

pub use prose::Lexicon;

/// What to try.
#[derive(Clone, Debug)]
pub struct Trials {
    /// Whether rules are repealed and switched off one by one.
    pub each_rule: bool,
    /// The section whose rules stay: what a game is played by before it has a theme.
    pub kept: Name,
    /// How many random halves are kept.
    pub halves: u64,
    /// The section whose rules an Address keeps or repeals.
    pub section: Name,
    /// The seed of the halves.
    pub seed: u64,
}

/// How rules went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Gone {
    /// One rule was repealed, with what is under it.
    Repealed,
    /// One rule was switched off.
    SwitchedOff,
    /// About half of a section was repealed at once.
    Halved,
}

/// What one trial came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// How rules went.
    pub how: Gone,
    /// The rules that went, subrules included, in document order.
    pub rules: Vec<Name>,
    /// What other rules lost, in document order; only of those that lost something.
    pub others: Vec<OtherLoss>,
    /// What the rules that went still do, though they should not.
    pub going_on: Vec<String>,
}

/// What a rule lost with another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherLoss {
    /// The rule that lost something.
    pub rule: Name,
    /// Whether its prose names what went.
    pub names_it: bool,
    /// Its clauses whose code sleeps, or breaks where it comes to a name that went, each with why.
    pub fences: Vec<(u32, String)>,
    /// Those of these clauses that do not themselves name what went, in prose, though their rule may.
    pub beyond: Vec<u32>,
    /// Its clauses that live on what went as a definition, each with what that is. They lost nothing.
    pub living: Vec<(u32, String)>,
    /// Its actions that the law no longer has, or that can come to a name that went.
    pub actions: Vec<Name>,
    /// Its kinds of posts that the law no longer has.
    pub categories: Vec<Name>,
}

impl OtherLoss {
    /// Whether anything was lost.
    pub fn any(&self) -> bool {
        !(self.fences.is_empty() && self.actions.is_empty() && self.categories.is_empty())
    }

    /// Whether nothing happened to it.
    fn is_untouched(&self) -> bool {
        !self.any() && self.living.is_empty()
    }
}

/// Sums over trials.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct LossTotals {
    /// Trials.
    pub trials: usize,
    /// Those in which no rule that does not name what went lost anything.
    pub harmless: usize,
    /// Fences that no longer work, in rules that name what went.
    pub fences_named: usize,
    /// Those of them whose own clause does not name it.
    pub fences_beyond: usize,
    /// The same in rules that do not.
    pub fences_unnamed: usize,
    /// Actions and categories lost, in rules that name what went.
    pub acts_named: usize,
    /// The same in rules that do not.
    pub acts_unnamed: usize,
    /// Clauses that live on what went as a definition.
    pub living: usize,
    /// What rules that went still do.
    pub going_on: usize,
}

impl LossTotals {
    /// Sums up.
    pub fn of<'a>(losses: impl IntoIterator<Item = &'a Loss>) -> Self {
        let mut totals = Self::default();
        for loss in losses {
            totals.trials += 1;
            totals.going_on += loss.going_on.len();
            let spared = |other: &OtherLoss| other.names_it || !other.any();
            totals.harmless += usize::from(loss.others.iter().all(spared));
            for other in &loss.others {
                let acts = other.actions.len() + other.categories.len();
                let (fences, all) = if other.names_it {
                    (&mut totals.fences_named, &mut totals.acts_named)
                } else {
                    (&mut totals.fences_unnamed, &mut totals.acts_unnamed)
                };
                *fences += other.fences.len();
                totals.fences_beyond += if other.names_it {
                    other.beyond.len()
                } else {
                    0
                };
                totals.living += other.living.len();
                *all += acts;
            }
        }
        totals
    }
}

/// Plays all trials of a rulebook.
///
/// # Errors
/// Where the rulebook makes no game, or a change of its rules is refused to the operator.
pub fn play(
    book: &Rulebook,
    trials: &Trials,
    progress: &dyn Fn(usize, usize),
) -> Result<Vec<Loss>> {
    let ground = Ground::of(book)?;
    let mut wanted = Vec::new();
    if trials.each_rule {
        let stays = |rule: &&Name| ground.section(rule) == trials.kept;
        let rules = || ground.rules.iter().filter(|rule| !stays(rule)).cloned();
        wanted.extend(rules().map(|rule| (Gone::Repealed, vec![rule])));
        wanted.extend(rules().map(|rule| (Gone::SwitchedOff, vec![rule])));
    }
    wanted.extend(ground.halves(trials).map(|half| (Gone::Halved, half)));
    let count = wanted.len();
    let mut losses = Vec::with_capacity(count);
    for (index, (how, rules)) in wanted.into_iter().enumerate() {
        progress(index, count);
        losses.push(ground.loss(how, &rules)?);
    }
    Ok(losses)
}

/// A game at its first moment, and the words of its rules.
struct Ground {
    judge: Judge,
    /// All rules but library texts, in document order.
    rules: Vec<Name>,
    lexicon: Lexicon,
}

impl Ground {
    fn of(book: &Rulebook) -> Result<Self> {
        let laws: Arc<LawCache> = Arc::default();
        let mut judge = Judge::unfounded(&laws);
        let founding = book.founding(&book.manifest.title, "Anna")?;
        sent(&mut judge, Act::Found(Box::new(founding)))?;
        let rules = judge.state().rules_in_order().into_iter();
        let rules = rules.filter(|(_, rule)| rule.section != LIBRARY);
        Ok(Self {
            rules: rules.map(|(id, _)| id.clone()).collect(),
            lexicon: Lexicon::of(judge.state(), judge.law()),
            judge,
        })
    }

    fn section(&self, rule: &Name) -> Name {
        self.judge.law().place(rule).section
    }

    /// Rules to be repealed so that about half of a section is kept, time and again.
    fn halves(&self, trials: &Trials) -> impl Iterator<Item = Vec<Name>> {
        let of_section = |rule: &&Name| self.section(rule) == trials.section;
        let rules: Vec<Name> = self.rules.iter().filter(of_section).cloned().collect();
        let mut chance = Chance::new(trials.seed);
        let halves = if rules.is_empty() { 0 } else { trials.halves };
        (0..halves).map(move |_| {
            let rules = rules.iter();
            rules.filter(|_| chance.one_in(2)).cloned().collect()
        })
    }

    /// Takes rules away and compares.
    fn loss(&self, how: Gone, rules: &[Name]) -> Result<Loss> {
        let mut judge = self.judge.clone();
        let mut clauses = Vec::new();
        for id in rules {
            let id = id.clone();
            match how {
                Gone::SwitchedOff => clauses.push(Clause::SwitchRule { id, on: false }),
                // A rule whose parent goes too is gone by then.
                _ if self.above(&id).any(|above| rules.contains(&above)) => {}
                _ => clauses.push(Clause::RepealRule { id }),
            }
        }
        let patch = Sealed::close(Patch { clauses }, [0; 16]);
        let reason = typed("what falls with it");
        sent(&mut judge, Act::Repair { patch, reason })?;
        let gone: Vec<Name> = if how == Gone::SwitchedOff {
            rules.to_vec()
        } else {
            let left = judge.state();
            let gone = self.rules.iter().filter(|id| !left.rules.contains_key(*id));
            gone.cloned().collect()
        };
        let others = self.others(&gone, judge.law());
        let going_on = match how {
            Gone::SwitchedOff => Vec::new(),
            Gone::Repealed | Gone::Halved => doings_of(&gone, judge.law()),
        };
        Ok(Loss {
            how,
            rules: gone,
            others,
            going_on,
        })
    }

    /// The rules above one.
    fn above(&self, id: &Name) -> impl Iterator<Item = Name> {
        let place = self.judge.law().place(id);
        place.line.into_iter().skip(1)
    }

    fn others(&self, gone: &[Name], now: &Law) -> Vec<OtherLoss> {
        let before = self.judge.law();
        let mut fences: BTreeMap<&Name, Vec<(u32, String)>> = BTreeMap::new();
        let mut living: BTreeMap<&Name, Vec<(u32, String)>> = BTreeMap::new();
        for asleep in now.fallen_asleep(before) {
            let why = asleep.diagnostics.first();
            let why = why.map_or_else(String::new, |why| why.text.clone());
            let of = fences.entry(&asleep.rule).or_default();
            of.push((asleep.clause, why));
        }
        for lean in &now.leans {
            let kept = if lean.breaks() {
                &mut fences
            } else {
                &mut living
            };
            let of = kept.entry(&lean.site.rule).or_default();
            // A clause that asks for several names is one clause.
            if of.iter().all(|(clause, _)| *clause != lean.site.clause) {
                of.push((lean.site.clause, worded(self.judge.state(), &lean.text())));
            }
        }
        let actions = lost_of(
            before
                .actions
                .iter()
                .map(|(name, at)| (name, &at.site.rule)),
            |name| {
                let action = now.actions.get(name);
                action.is_some_and(|at| !now.comes_to_lost(&at.it))
            },
        );
        let categories = lost_of(
            before
                .categories
                .iter()
                .map(|(name, at)| (name, &at.site.rule)),
            |name| now.categories.contains_key(name),
        );
        let rules = self.rules.iter().filter(|rule| !gone.contains(rule));
        let others = rules.map(|rule| OtherLoss {
            rule: rule.clone(),
            names_it: self.lexicon.names(rule, gone),
            beyond: fences.get(rule).map_or_else(Vec::new, |fallen| {
                let says = |clause: &u32| self.lexicon.clause_names(rule, *clause, gone);
                let fallen = fallen.iter().map(|(clause, _)| *clause);
                fallen.filter(|clause| !says(clause)).collect()
            }),
            fences: fences.remove(rule).unwrap_or_default(),
            living: living.remove(rule).unwrap_or_default(),
            actions: actions.get(rule).cloned().unwrap_or_default(),
            categories: categories.get(rule).cloned().unwrap_or_default(),
        });
        others.filter(|other| !other.is_untouched()).collect()
    }
}

/// By rule, what it declared that is no longer there.
fn lost_of<'a>(
    declared: impl Iterator<Item = (&'a Name, &'a Name)>,
    is_there: impl Fn(&Name) -> bool,
) -> BTreeMap<Name, Vec<Name>> {
    let mut lost: BTreeMap<Name, Vec<Name>> = BTreeMap::new();
    for (name, rule) in declared.filter(|(name, _)| !is_there(name)) {
        lost.entry(rule.clone()).or_default().push(name.clone());
    }
    lost
}

fn sent(judge: &mut Judge, act: Act) -> Result<()> {
    let command = Command {
        at: "2031-05-04T09:00Z".parse()?,
        actor: Actor::Operator,
        key: "independence".into(),
        act,
    };
    let judged = judge.judge(&command, &Inputs::default());
    judged
        .event()
        .map(|_| ())
        .map_err(|refusal| anyhow!("the change of rules is refused: it {refusal}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"core\"\ntitle = \"Core\"\n[[section]]\nid = \"dynastic\"\ntitle = \"Dynastic\"\n";

    /// A rulebook of rules: path, words and code.
    fn book(rules: &[(&str, &str, &str)]) -> Rulebook {
        let rule = |(path, words, code): &(&str, &str, &str)| {
            let (section, _) = path.split_once('/').expect("a folder");
            let text =
                format!("---\nsection: {section}\n---\n# {words}\n\n```starlark\n{code}\n```\n");
            (format!("{path}.md"), text)
        };
        Rulebook {
            name: "t".into(),
            manifest: toml::from_str(MANIFEST).expect("it reads"),
            library: Vec::new(),
            rules: rules.iter().map(rule).collect(),
            tests: Vec::new(),
        }
    }

    #[test]
    fn what_rules_lose_is_told_apart_by_what_their_prose_names() {
        let book = book(&[
            (
                "core/01-tax",
                "Tax\n\n1. All pay.",
                "def levy(actor: Player):\n    actor.gold -= 1\n\naction(\"levy\", levy)",
            ),
            (
                "dynastic/01-hoard",
                "Hoard\n\n1. Who plays has Gold.",
                "gold = number(\"Gold\", of = player, tracked = \"Riches\")",
            ),
            (
                "dynastic/02-luck",
                "Luck\n\n1. Who is lucky finds GOLD.",
                "def find(actor: Player):\n    actor.gold += 1\n\naction(\"find\", find)",
            ),
        ]);
        let trials = Trials {
            each_rule: true,
            kept: "core".into(),
            halves: 3,
            section: "dynastic".into(),
            seed: 1,
        };
        let losses = play(&book, &trials, &|_, _| {}).expect("it plays");
        assert_eq!(
            losses.len(),
            7,
            "two rules go in two ways, and three halves"
        );
        let hoard = &losses[0];
        assert_eq!(hoard.how, Gone::Repealed);
        assert_eq!(hoard.rules, ["hoard"]);
        let lost = |rule: &str| {
            hoard
                .others
                .iter()
                .find(|other| other.rule == rule)
                .unwrap_or_else(|| panic!("{rule} loses nothing: {:?}", hoard.others))
        };
        assert!(lost("luck").names_it, "its prose says Gold");
        assert!(!lost("tax").names_it, "its code alone does");
        assert_eq!(lost("tax").actions, ["levy"]);
        let repeals = losses.iter().filter(|loss| loss.how == Gone::Repealed);
        let expected = LossTotals {
            trials: 2,
            harmless: 1,
            fences_named: 1,
            fences_beyond: 0,
            fences_unnamed: 1,
            acts_named: 1,
            acts_unnamed: 1,
            living: 0,
            going_on: 0,
        };
        assert_eq!(LossTotals::of(repeals), expected);
    }
}
