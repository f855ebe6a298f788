//! Whether matters close: where somebody who may takes each closing that is offered and time passes, none stays open.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate_engine::law::{At, code_of};
use quorate_engine::offers::{self, Offer};
use quorate_forecast::matters::{closings_of, tried_on};
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::law::Rule;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::refusal::Topic;
use quorate_kernel::rows::OpenKey;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, Need, PlayerId, PostId, Refusal, Span, Thing, Value};
use quorate_law::declare::ActionDecl;

use super::game::SimulatedGame;
use super::known::KnownRefusals;

/// How long the closings are taken, one look each half a day.
const HALF_DAYS: u32 = 180;

/// For how long at most closings are taken where a game goes on.
const HALF_DAYS_ON: u32 = 20;

/// After how many looks without a closing those who hold an office do what else they can: a game may wait for one of them.
const STILL: u32 = 30;

/// After how many looks without a closing the game is left alone whose matters wait for nobody who could close them.
const GIVEN_UP: u32 = 2 * STILL;

/// After how many looks everybody is asked about everything again, whatever is known: an answer may have read what it does not
/// say. The last look is one of them.
const ASKED_ANEW: u32 = 60;

/// How many of those who may are asked in between why they cannot take a closing: the others are told the same, but for laws that
/// look at who they are. As soon as one of those others takes a closing after all, everybody is asked each time.
const ASKED_BETWEEN: usize = 2;

/// Each how many looks those of the office that closes write a comment: a law may take who writes nothing for absent.
const WRITES: u32 = 8;

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
        let (mut still, mut asks_all) = (0, false);
        for half_days_left in (0..HALF_DAYS).rev() {
            self.run_due_as_founded()?;
            let is_anew = half_days_left.is_multiple_of(ASKED_ANEW);
            if is_anew {
                known.forget();
            }
            if (HALF_DAYS - 1 - half_days_left).is_multiple_of(WRITES) {
                self.attend(&mut known)?;
            }
            still += 1;
            self.redo()?;
            let most = if is_anew || asks_all {
                usize::MAX
            } else {
                ASKED_BETWEEN
            };
            let mut left = BTreeSet::new();
            while let Some((key, refused)) = self.offered(&mut known, most, &left) {
                asks_all |= refused >= ASKED_BETWEEN;
                if self.take(&key)? {
                    still = 0;
                } else {
                    left.insert(key);
                }
            }
            if self.open_matters().is_empty() || !self.is_as_founded() {
                return Ok(());
            }
            let is_left = still > STILL && self.left_open(&mut known).is_some();
            if is_left {
                if still % STILL == 1 {
                    self.vote_all((still / STILL) as usize - 1)?;
                }
                self.serve(&mut idle)?;
            } else if still > GIVEN_UP {
                return Ok(());
            }
            self.now = self.now + Span::hours(12);
        }
        self.run_due_as_founded()?;
        // The one who held the office may have resigned in the last look.
        self.attend(&mut known)?;
        match self.left_open(&mut known) {
            None => Ok(()),
            Some(what) => Err(what),
        }
    }

    /// Somebody who may takes closings for ten days, or until no matter is left; every second time all are for each of
    /// them before that. From here on the law is what players made of it.
    ///
    /// # Errors
    /// Fails where something does not hold after one of them.
    pub(super) fn go_on(&mut self) -> Result<(), String> {
        let mut known = KnownRefusals::none(self.events.len());
        if self.chance.one_in(2) {
            self.vote_all(0)?;
        }
        let mut left = BTreeSet::new();
        for _ in 0..HALF_DAYS_ON {
            self.run_due()?;
            self.attend(&mut known)?;
            self.redo()?;
            while let Some((key, _)) = self.offered(&mut known, usize::MAX, &left) {
                // A law that chance wrote may offer what it then refuses, or leave the matter open after each enactment. One try
                // is enough, no matter who makes it.
                if !self.closes(&key)?.unwrap_or(false) {
                    let (post, action, _) = key;
                    let by_all = self.members().into_iter();
                    left.extend(by_all.map(|by| (post, action.clone(), by)));
                }
            }
            self.now = self.now + Span::hours(12);
            if self.open_matters().is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Does what is due. What the law does to itself then, as it was founded to, is no amendment.
    fn run_due_as_founded(&mut self) -> Result<(), String> {
        self.keeps_law = self.is_as_founded();
        let ran = self.run_due();
        self.keeps_law = false;
        ran
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

    /// A closing that the law would let somebody take, of the oldest matter that has one, and how many who may were refused before
    /// them; no more of those are asked than `most`. What was taken today and `left` its matter open is not taken again.
    fn offered(
        &self,
        known: &mut KnownRefusals<ClosingKey>,
        most: usize,
        left: &BTreeSet<ClosingKey>,
    ) -> Option<(ClosingKey, usize)> {
        known.keep_up(&self.events, self.now);
        let law = self.judge.law();
        let members = self.members();
        self.open_matters().into_iter().find_map(|post| {
            let category = &self.state().posts.get(&post)?.category;
            closings_of(law, category).into_iter().find_map(|decl| {
                let action = &decl.it.name;
                let mut others = members.iter().filter(|by| !self.is_asked(**by, action));
                let mut refused = 0;
                let by = others.find(|by| {
                    refused < most
                        && !left.contains(&(post, action.clone(), **by))
                        && match self.refused(known, **by, decl, post) {
                            None => true,
                            Some(refusal) => {
                                refused += usize::from(!is_for_others(refusal));
                                false
                            }
                        }
                })?;
                Some(((post, action.clone(), *by), refused))
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

    /// Takes a closing; false where it left its matter open.
    fn take(&mut self, key: &ClosingKey) -> Result<bool, String> {
        self.closes(key)?.map_err(|refusal| {
            let (post, action, _) = key;
            format!("{action} was offered on post {post} and is refused: {refusal}")
        })
    }

    fn closes(&mut self, (post, action, by): &ClosingKey) -> Result<Result<bool, Refusal>, String> {
        let law = Arc::clone(self.judge.law());
        let first = law
            .actions
            .get(action)
            .and_then(|decl| decl.it.params.first());
        let first = first.map(|param| param.name.clone()).unwrap_or_default();
        let act = Act::Do {
            action: action.clone(),
            args: vec![(first, Value::Thing(Thing::Post(*post)))],
        };
        let taken = self.does(Actor::Player(*by), act)?;
        let row = self.state().posts.get(post);
        let is_closed = row.is_none_or(|row| row.closed_at.is_some());
        Ok(taken.map(|()| is_closed))
    }

    /// Everybody who holds an office tries once what nobody else may do; who is away comes back. Who is none of those who may is
    /// known until that may have changed.
    fn serve(&mut self, idle: &mut KnownRefusals<(PlayerId, Name)>) -> Result<(), String> {
        let law = Arc::clone(self.judge.law());
        let of_office = law.actions.values().filter(|decl| decl.it.by.is_some());
        let of_office: Vec<_> = of_office.collect();
        for member in self.members() {
            idle.keep_up(&self.events, self.now);
            let mut is_away = false;
            for decl in &of_office {
                let key = (member, decl.it.name.clone());
                let mut offered = None;
                let refusal = idle.refusal(key, &self.judge, self.now, |tx| {
                    let offer = offered.insert(offers::offer(tx, member, decl));
                    not_theirs(offer).cloned()
                });
                is_away |= refusal.is_some_and(is_about_presence);
                // What is refused may be done another day.
                if let Some(offer) = offered.filter(|offer| not_theirs(offer).is_none()) {
                    let act = self.filled_in(&offer);
                    if self.does(Actor::Player(member), act)?.is_err() {
                        // With less there is less to be wrong.
                        let act = self.needed_alone(&offer);
                        let _ = self.does(Actor::Player(member), act)?;
                    }
                }
            }
            if is_away {
                let marks = self.marks_of(member);
                let theirs = marks.difference(&self.founders_marks).cloned();
                self.set_marks(member, theirs.map(|name| (name, false)).collect())?;
            }
        }
        Ok(())
    }

    fn does(&mut self, actor: Actor, act: Act) -> Result<Result<(), Refusal>, String> {
        self.keys += 1;
        let command = Command {
            at: self.now,
            actor,
            key: Name::from(format!("closing {}", self.keys)),
            act,
        };
        Ok(self.judged(command)?.event().map(|_| ()))
    }

    /// Those of the office that closes the oldest matter write under it. Where nobody is of that office any more, the operator puts
    /// a member there.
    fn attend(&mut self, known: &mut KnownRefusals<ClosingKey>) -> Result<(), String> {
        known.keep_up(&self.events, self.now);
        let Some(post) = self.open_matters().into_iter().next() else {
            return Ok(());
        };
        let closings = self.closings_of_office(post);
        let mut holders = self.members();
        holders.retain(|by| {
            closings.iter().any(|decl| {
                let refusal = self.refused(known, *by, decl, post);
                refusal.is_none_or(|it| !is_for_others(it))
            })
        });
        if holders.is_empty() && !closings.is_empty() {
            return self.put_in_office();
        }
        for by in holders {
            let text = typed("I am here.");
            let _ = self.does(Actor::Player(by), Act::Comment { post, text })?;
        }
        Ok(())
    }

    /// Each closing that was undone and whose dice wait is taken again, with what it was given then: nothing else may be.
    fn redo(&mut self) -> Result<(), String> {
        let open = self.open_matters();
        let waits = self.state().waiting.iter().filter_map(|(key, row)| {
            let args = row.arguments()?;
            let of_matter = |value: &Value| matches!(value, Value::Thing(Thing::Post(post)) if open.contains(post));
            let is_of_matter = args.first().is_some_and(|(_, value)| of_matter(value));
            is_of_matter.then(|| (key.who, key.action.clone(), args))
        });
        let waits: Vec<_> = waits.collect();
        for (who, action, args) in waits {
            let _ = self.does(Actor::Player(who), Act::Do { action, args })?;
        }
        Ok(())
    }

    /// A game that stands still may wait for votes: everybody takes the same side of each matter, and another one the next time.
    fn vote_all(&mut self, nth: usize) -> Result<(), String> {
        for post in self.open_matters() {
            let category = self.state().posts.get(&post).map(|row| &row.category);
            let decl = category.and_then(|category| self.judge.law().categories.get(category));
            let sides = decl.map(|decl| decl.it.icons.clone()).unwrap_or_default();
            let Some(side) = sides.iter().cycle().nth(nth) else {
                continue;
            };
            let text = typed(&format!(":{side}:"));
            for who in self.members() {
                let text = text.clone();
                let _ = self.does(Actor::Player(who), Act::Comment { post, text })?;
            }
        }
        Ok(())
    }

    /// The operator gives the founder, or else another member, the flags that the founder had when the game began.
    fn put_in_office(&mut self) -> Result<(), String> {
        // The founder is the first of all.
        let Some(who) = self.members().first().copied() else {
            return Ok(());
        };
        let marks = self.marks_of(who);
        let others = marks.symmetric_difference(&self.founders_marks);
        let marks = others.map(|name| (name.clone(), self.founders_marks.contains(name)));
        self.set_marks(who, marks.collect())
    }

    fn set_marks(&mut self, who: PlayerId, marks: Vec<(Name, bool)>) -> Result<(), String> {
        let clauses = marks.into_iter().map(|(name, set)| Clause::SetValue {
            thing: Thing::Player(who),
            name,
            value: Value::Flag(set),
        });
        let patch = Patch {
            clauses: clauses.collect(),
        };
        let act = Act::Repair {
            patch: Sealed::close(patch, [0; 16]),
            reason: typed("who closes matters, or is waited for"),
        };
        let _ = self.does(Actor::Operator, act)?;
        Ok(())
    }

    /// A matter that is still open though somebody of the office that closes it is active, and what its closings lack. One that
    /// anybody may close may wait for votes, and all may wait for whatever a matter said that the game waits for.
    fn left_open(&self, known: &mut KnownRefusals<ClosingKey>) -> Option<String> {
        if self.is_told_to_wait() {
            return None;
        }
        known.keep_up(&self.events, self.now);
        let (post, lacks) = self.open_matters().into_iter().find_map(|post| {
            let lacks = self.lacks(known, post);
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

    /// Whether an enacted matter said that the game waits: it set a flag of the game, named somebody who left, or nobody. Only
    /// another matter changes that.
    fn is_told_to_wait(&self) -> bool {
        let (state, members) = (self.state(), self.members());
        let of_game = state
            .cells
            .iter()
            .filter(|(key, _)| key.thing == Thing::Game);
        let mut waits = of_game.filter(|(_, cell)| match &cell.value {
            Value::Flag(set) => *set,
            Value::None => true,
            Value::Thing(Thing::Player(who)) => !members.contains(who),
            _ => false,
        });
        waits.any(|(key, cell)| {
            let set_by = self.events.iter().find(|event| event.seq == cell.by);
            let Some(Act::Do { args, .. }) = set_by.map(|event| &event.act) else {
                return false;
            };
            let posts = args.iter().filter_map(|(_, value)| match value {
                Value::Thing(Thing::Post(post)) => state.posts.get(post),
                _ => None,
            });
            let mut patches = posts.filter_map(|post| post.patch.as_ref()?.plain());
            patches.any(|patch| {
                patch.clauses.contains(&Clause::SetValue {
                    thing: Thing::Game,
                    name: key.name.clone(),
                    value: cell.value.clone(),
                })
            })
        })
    }

    /// Each closing of a matter with the refusal of the active player who lacks most for another reason than who they are; of
    /// anybody where there is none.
    fn lacks(&self, known: &mut KnownRefusals<ClosingKey>, post: PostId) -> Vec<(Name, Refusal)> {
        let members = self.members();
        let of_office = self.closings_of_office(post);
        let lacks = of_office.into_iter().filter_map(|decl| {
            let refusals = members.iter();
            let refusals = refusals.filter_map(|by| self.refused(known, *by, decl, post).cloned());
            let most = refusals.max_by_key(|it| (!is_for_others(it), it.needs.len()))?;
            Some((decl.it.name.clone(), most))
        });
        lacks.collect()
    }

    /// The closings of a matter that the office has which has most of them: another, such as a leader who may veto, ends a matter
    /// only if they like.
    fn closings_of_office(&self, post: PostId) -> Vec<&At<ActionDecl>> {
        let Some(row) = self.state().posts.get(&post) else {
            return Vec::new();
        };
        let mut of_office = closings_of(self.judge.law(), &row.category);
        of_office.retain(|decl| decl.it.by.is_some());
        let mut sizes: BTreeMap<&Name, usize> = BTreeMap::new();
        for by in of_office.iter().filter_map(|decl| decl.it.by.as_ref()) {
            *sizes.entry(by).or_default() += 1;
        }
        let main = sizes.into_iter().max_by_key(|(_, size)| *size);
        let main = main.map(|(by, _)| by.clone());
        of_office.retain(|decl| decl.it.by == main);
        of_office
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

/// Whether a refusal says that who acts doesn't count as a player now, as one who is away.
fn is_about_presence(refusal: &Refusal) -> bool {
    let is_presence = |need: &Need| matches!(need.topic, Topic::Uncounted { .. });
    refusal.needs.iter().any(is_presence)
}

/// Whether a refusal says that others may do it.
fn is_for_others(refusal: &Refusal) -> bool {
    refusal.needs.iter().any(Need::is_about_who_acts)
}

#[cfg(test)]
mod tests;
