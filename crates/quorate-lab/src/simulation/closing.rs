//! Whether matters close: where somebody who may takes each closing that is offered and time passes, none stays open.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_engine::law::{At, code_of};
use quorate_engine::offers::{self, Offer};
use quorate_forecast::matters::{closings_of, tried_on};
use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::law::Rule;
use quorate_kernel::rows::OpenKey;
use quorate_kernel::{Name, Need, PlayerId, PostId, Refusal, Span, Thing, Value};
use quorate_law::declare::ActionDecl;

use super::game::SimulatedGame;
use super::known::KnownRefusals;

/// How long the closings are taken, one look each half a day.
const HALF_DAYS: u32 = 180;

/// After how many looks without a closing those who hold an office do what else they can: a game may wait for one of them.
const STILL: u32 = 30;

/// After how many looks everybody is asked about everything again, whatever is known: an answer may have read what it does not
/// say. The last look is one of them.
const ASKED_ANEW: u32 = 60;

/// Of which closing of which matter, and who would take it.
type ClosingKey = (PostId, Name, PlayerId);

impl SimulatedGame {
    /// Takes each closing that is offered for three months, and leaves the game as it was.
    ///
    /// # Errors
    /// Fails where a matter is still open then, though the rules are those that the game began with.
    pub(super) fn all_close(&mut self) -> Result<(), String> {
        if !self.is_as_founded() {
            return Ok(());
        }
        let matters = self.open_matters().len() as u64;
        let closed = self.aside(Self::take_closings);
        self.tally.closed += 1;
        self.tally.matters += matters;
        closed
    }

    fn take_closings(&mut self) -> Result<(), String> {
        let mut known = KnownRefusals::none(self.events.len());
        let mut idle = KnownRefusals::none(self.events.len());
        let mut still = 0;
        for half_days_left in (0..HALF_DAYS).rev() {
            self.run_due()?;
            if half_days_left.is_multiple_of(ASKED_ANEW) {
                known.forget();
            }
            still += 1;
            while let Some((post, action, by)) = self.offered(&mut known) {
                self.take(by, action, post)?;
                still = 0;
            }
            if self.open_matters().is_empty() || !self.is_as_founded() {
                return Ok(());
            }
            if still > STILL && self.left_open(&mut known).is_some() {
                self.serve(&mut idle)?;
            }
            self.now = self.now + Span::hours(12);
        }
        match self.left_open(&mut known) {
            None => Ok(()),
            Some(what) => Err(what),
        }
    }

    /// Whether each rule has the code that it had while nobody amended the law, and works. Its words may have changed: players of
    /// some games write them.
    pub(super) fn is_as_founded(&self) -> bool {
        let stands = |(id, founded): (&Name, &Rule)| {
            let now = self.state().rules.get(id);
            now.is_some_and(|rule| rule.active == founded.active && has_code_of(rule, founded))
        };
        self.state().breaks.is_empty()
            && self.judge.law().asleep.is_empty()
            && self.founded.iter().all(stands)
    }

    /// A closing that the law would let somebody take, of the oldest matter that has one.
    fn offered(&self, known: &mut KnownRefusals<ClosingKey>) -> Option<ClosingKey> {
        known.keep_up(&self.events, self.now);
        let law = self.judge.law();
        let members = self.members();
        self.open_matters().into_iter().find_map(|post| {
            let category = &self.state().posts.get(&post)?.category;
            closings_of(law, category).into_iter().find_map(|decl| {
                let by = members.iter().find(|by| {
                    !self.is_asked(**by, &decl.it.name)
                        && self.refused(known, **by, decl, post).is_none()
                })?;
                Some((post, decl.it.name.clone(), *by))
            })
        })
    }

    /// Whether that action of theirs waits for an answer, so that they cannot begin it again.
    fn is_asked(&self, who: PlayerId, action: &Name) -> bool {
        let key = OpenKey {
            who,
            action: action.clone(),
        };
        self.state().open.contains_key(&key)
    }

    /// Why the law would not let somebody take a closing.
    fn refused<'k>(
        &self,
        known: &'k mut KnownRefusals<ClosingKey>,
        by: PlayerId,
        decl: &At<ActionDecl>,
        post: PostId,
    ) -> Option<&'k Refusal> {
        let key = (post, decl.it.name.clone(), by);
        known.refusal(key, &self.judge, self.now, |tx| {
            tried_on(tx, by, decl, post).err()
        })
    }

    fn take(&mut self, by: PlayerId, action: Name, post: PostId) -> Result<(), String> {
        let law = Arc::clone(self.judge.law());
        let first = law
            .actions
            .get(&action)
            .and_then(|decl| decl.it.params.first());
        let first = first.map(|param| param.name.clone()).unwrap_or_default();
        let args = vec![(first, Value::Thing(Thing::Post(post)))];
        let told = action.clone();
        match self.does(by, Act::Do { action, args })? {
            Ok(()) => Ok(()),
            Err(refusal) => Err(format!(
                "{told} was offered on post {post} and is refused: {refusal}"
            )),
        }
    }

    /// Everybody who holds an office tries once what nobody else may do. Who is none of those who may is known until that may
    /// have changed.
    fn serve(&mut self, idle: &mut KnownRefusals<(PlayerId, Name)>) -> Result<(), String> {
        let law = Arc::clone(self.judge.law());
        let of_office = law.actions.values().filter(|decl| decl.it.by.is_some());
        let of_office: Vec<_> = of_office.collect();
        for member in self.members() {
            idle.keep_up(&self.events, self.now);
            for decl in &of_office {
                let key = (member, decl.it.name.clone());
                let mut offered = None;
                idle.refusal(key, &self.judge, self.now, |tx| {
                    let offer = offered.insert(offers::offer(tx, member, decl));
                    not_theirs(offer).cloned()
                });
                // What is refused may be done another day.
                if let Some(offer) = offered.filter(|offer| not_theirs(offer).is_none()) {
                    let act = self.filled_in(&offer);
                    let _ = self.does(member, act)?;
                }
            }
        }
        Ok(())
    }

    fn does(&mut self, by: PlayerId, act: Act) -> Result<Result<(), Refusal>, String> {
        self.keys += 1;
        let command = Command {
            at: self.now,
            actor: Actor::Player(by),
            key: Name::from(format!("closing {}", self.keys)),
            act,
        };
        Ok(self.judged(command)?.event().map(|_| ()))
    }

    /// A matter that is still open though somebody of the office that closes it is active, and what its closings lack. One that
    /// anybody may close may wait for votes.
    fn left_open(&self, known: &mut KnownRefusals<ClosingKey>) -> Option<String> {
        known.keep_up(&self.events, self.now);
        let (post, lacks) = self.open_matters().into_iter().find_map(|post| {
            let lacks = self.lacks(known, post)?;
            Some((post, lacks)).filter(|(_, lacks)| !lacks.iter().all(|(_, it)| is_for_others(it)))
        })?;
        let row = self.state().posts.get(&post)?;
        let lacks = lacks
            .iter()
            .map(|(action, it)| format!("{action}: {it}"))
            .collect::<Vec<_>>();
        Some(format!(
            "{} {} of {} is still open after three months in which every closing was taken; {}",
            row.category,
            row.title.as_str(),
            row.at,
            lacks.join("; ")
        ))
    }

    /// Each closing of a matter with the refusal of the active player who lacks most for another reason than who they are; of
    /// anybody where there is none.
    fn lacks(
        &self,
        known: &mut KnownRefusals<ClosingKey>,
        post: PostId,
    ) -> Option<Vec<(Name, Refusal)>> {
        let law = self.judge.law();
        let category = &self.state().posts.get(&post)?.category;
        let members = self.members();
        let mut of_office = closings_of(law, category);
        of_office.retain(|decl| decl.it.by.is_some());
        // Of the office that has most of them: another, such as a leader who may veto, ends a matter only if they like.
        let mut sizes: BTreeMap<&Name, usize> = BTreeMap::new();
        for by in of_office.iter().filter_map(|decl| decl.it.by.as_ref()) {
            *sizes.entry(by).or_default() += 1;
        }
        let main = sizes.into_iter().max_by_key(|(_, size)| *size);
        let main = main.map(|(by, _)| by.clone());
        let of_office = of_office.into_iter();
        let of_office = of_office.filter(|decl| decl.it.by == main);
        let lacks = of_office.filter_map(|decl| {
            let refusals = members.iter();
            let refusals = refusals.filter_map(|by| self.refused(known, *by, decl, post).cloned());
            let most = refusals.max_by_key(|it| (!is_for_others(it), it.needs.len()))?;
            Some((decl.it.name.clone(), most))
        });
        Some(lacks.collect())
    }
}

/// Whether two versions of a rule differ in prose at most.
fn has_code_of(one: &Rule, other: &Rule) -> bool {
    one.text == other.text || code_of(one) == code_of(other)
}

/// The refusal of somebody who is none of those who may.
fn not_theirs(offer: &Offer) -> Option<&Refusal> {
    offer.open.as_ref().err().filter(|it| is_for_others(it))
}

/// Whether a refusal says that others may do it.
fn is_for_others(refusal: &Refusal) -> bool {
    refusal.needs.iter().any(Need::is_about_who_acts)
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{NewPost, typed};
    use quorate_kernel::patch::{Clause, Patch};
    use quorate_kernel::seal::Sealed;

    use super::*;
    use crate::simulation::tiny_book::book;

    const BILLS: &str = r#"---
section: core
---
# Bills

1. A Bill is shelved after a while.

```starlark
chair = flag("Chair", of = player)
category("Bill", icons = ["for", "against"], statuses = ["pending", "shelved"])

def chairs(p: Player) -> bool:
    """To be the chair."""
    return p.chair

def open_floor(g: Game, founder: Player):
    founder.chair = True

def shelve(actor: Player, bill: Bill):
    require(now >= bill.at + days(AFTER), "a Bill that nobody wants")
    close(bill, "shelved")

on("founded", open_floor, of = game)
action("shelve", shelve, BY title = "Shelve")
```
"#;

    /// A game with an open Bill that may be shelved after so many days, by the chair alone or by anybody.
    fn with_a_bill(after: u32, by: &str) -> SimulatedGame {
        let rule = BILLS.replace("AFTER", &after.to_string());
        let rules = book(&[("1-bills.md", &rule.replace("BY", by))]);
        let mut game = SimulatedGame::begin(&rules, 1).expect("it begins");
        let chair = Actor::Player(game.members()[0]);
        let bill = NewPost {
            category: "Bill".into(),
            title: typed("A bill"),
            body: typed(""),
            flavour: typed(""),
            fields: Vec::new(),
            patch: None,
        };
        let posted = game.send(chair, Act::Post(Box::new(bill)));
        posted.expect("it holds").event().expect("anybody may");
        game
    }

    #[test]
    fn a_matter_that_an_office_never_gets_to_close_is_found() {
        let mut game = with_a_bill(400, "by = chairs,");
        let left = game.all_close().expect_err("it is not closed for a year");
        assert!(
            left.contains("A bill") && left.contains("shelve: "),
            "{left}"
        );
        assert_eq!(with_a_bill(60, "by = chairs,").all_close(), Ok(()));
        assert_eq!(
            with_a_bill(400, "").all_close(),
            Ok(()),
            "it waits for votes"
        );
    }

    #[test]
    fn a_closing_is_taken_on_the_first_look_after_its_time_comes() {
        let mut game = with_a_bill(60, "by = chairs,");
        let (posted, last) = (game.now, game.events.len());
        game.take_closings().expect("it closes");
        let closed = &game.events[last..];
        assert_eq!(closed.len(), 1, "{closed:?}");
        let took = closed[0].at - posted;
        assert!(took >= Span::days(60) && took <= Span::days(61), "{took}");
    }

    /// Puts some words in the place of others in the one rule, and tells whether rules are as founded then.
    fn amended(game: &mut SimulatedGame, from: &str, to: &str) -> bool {
        let mut rules = game.state().rules.iter();
        let (id, base) = rules
            .next()
            .map(|(id, rule)| (id.clone(), Arc::clone(&rule.text)))
            .expect("there is one");
        let text = base.replace(from, to).into();
        let patch = Patch {
            clauses: vec![Clause::AmendRule { id, base, text }],
        };
        let act = Act::Repair {
            patch: Sealed::close(patch, [0; 16]),
            reason: typed("a trial"),
        };
        let judged = game.send(Actor::Operator, act).expect("it holds");
        judged.event().expect("an operator may");
        game.is_as_founded()
    }

    #[test]
    fn rules_are_as_founded_as_long_as_their_code_is() {
        let mut game = with_a_bill(60, "");
        assert!(
            amended(&mut game, "a while", "some time"),
            "these are words"
        );
        assert!(!amended(&mut game, "days(60)", "days(61)"));
        assert!(
            amended(&mut game, "days(61)", "days(60)"),
            "it is as it was"
        );
    }

    #[test]
    fn what_the_law_does_to_itself_while_nobody_amends_it_is_as_founded() {
        let mut game = with_a_bill(60, "");
        game.keeps_law = true;
        assert!(amended(&mut game, "days(60)", "days(61)"));
        let aside = game.aside(|game| amended(game, "days(61)", "days(62)"));
        assert!(aside && game.is_as_founded());
        game.keeps_law = false;
        assert!(!amended(&mut game, "days(61)", "days(62)"));
    }
}
