//! Whether matters close: where somebody who may takes each closing that is offered and time passes, none stays open.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_engine::law::At;
use quorate_forecast::matters::{closings_of, tried_on};
use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::law::Rule;
use quorate_kernel::rows::OpenKey;
use quorate_kernel::{Name, Need, PlayerId, PostId, Refusal, Span, Thing, Value};
use quorate_law::declare::ActionDecl;

use super::game::SimulatedGame;

/// How long the closings are taken, one look each half a day.
const HALF_DAYS: u32 = 180;

/// After how many looks without a closing those who hold an office do what else they can: a game may wait for one of them.
const STILL: u32 = 30;

impl SimulatedGame {
    /// Takes each closing that is offered for three months, and leaves the game as it was.
    ///
    /// # Errors
    /// Fails where a matter is still open then, though the rules are those that the game began with.
    pub(super) fn all_close(&mut self) -> Result<(), String> {
        if !self.is_as_founded() {
            return Ok(());
        }
        let closed = self.aside(Self::take_closings);
        self.tally.closed += 1;
        closed
    }

    fn take_closings(&mut self) -> Result<(), String> {
        let mut still = 0;
        for _ in 0..HALF_DAYS {
            self.run_due()?;
            still += 1;
            while let Some((by, action, post)) = self.offered() {
                self.take(by, action, post)?;
                still = 0;
            }
            if self.open_matters().is_empty() || !self.is_as_founded() {
                return Ok(());
            }
            if still > STILL {
                self.serve()?;
            }
            self.now = self.now + Span::hours(12);
        }
        match self.left_open() {
            None => Ok(()),
            Some(what) => Err(what),
        }
    }

    /// Whether each rule that the game began with stands as it did, and works.
    pub(super) fn is_as_founded(&self) -> bool {
        let founding = self.events.first().map(|event| &event.act);
        let Some(Act::Found(founding)) = founding else {
            return false;
        };
        let stands = |id: &Name, text: &Arc<str>, active: bool| {
            let now: Option<&Rule> = self.state().rules.get(id);
            now.is_some_and(|rule| rule.text == *text && rule.active == active)
        };
        self.state().breaks.is_empty()
            && self.judge.law().asleep.is_empty()
            && founding
                .rules
                .iter()
                .all(|rule| stands(&rule.id, &rule.text, rule.active))
    }

    /// A closing that the law would let somebody take, of the oldest matter that has one.
    fn offered(&self) -> Option<(PlayerId, Name, PostId)> {
        let law = self.judge.law();
        let members = self.members();
        self.open_matters().into_iter().find_map(|post| {
            let category = &self.state().posts.get(&post)?.category;
            closings_of(law, category).into_iter().find_map(|decl| {
                let by = members.iter().find(|by| {
                    !self.is_asked(**by, &decl.it.name) && self.closing_of(**by, decl, post).is_ok()
                })?;
                Some((*by, decl.it.name.clone(), post))
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

    fn closing_of(&self, by: PlayerId, decl: &At<ActionDecl>, post: PostId) -> Result<(), Refusal> {
        self.judge
            .query(self.now, |tx| tried_on(tx, by, decl, post))
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

    /// Everybody who holds an office tries once what nobody else may do.
    fn serve(&mut self) -> Result<(), String> {
        let law = Arc::clone(self.judge.law());
        let of_office = law.actions.values().filter(|decl| decl.it.by.is_some());
        let of_office: Vec<_> = of_office.collect();
        for member in self.members() {
            for decl in &of_office {
                let act = self.action_of(member, decl);
                // What is refused was not theirs to do.
                let _ = self.does(member, act)?;
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
    fn left_open(&self) -> Option<String> {
        let (post, lacks) = self.open_matters().into_iter().find_map(|post| {
            let lacks = self.lacks(post)?;
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
    fn lacks(&self, post: PostId) -> Option<Vec<(Name, Refusal)>> {
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
            let refusals = members
                .iter()
                .filter_map(|by| self.closing_of(*by, decl, post).err());
            let most = refusals.max_by_key(|it| (!is_for_others(it), it.needs.len()))?;
            Some((decl.it.name.clone(), most))
        });
        Some(lacks.collect())
    }
}

/// Whether a refusal says that others may do it.
fn is_for_others(refusal: &Refusal) -> bool {
    refusal.needs.iter().any(Need::is_about_who_acts)
}
