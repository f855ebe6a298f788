//! People: the roster, and who counts as a player for which rule.

use std::collections::BTreeSet;

use quorate_kernel::effect::Way;
use quorate_kernel::rows::{Person, Standing};
use quorate_kernel::state::Effect;
use quorate_kernel::{Name, PlayerId, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Site, Stop};

use super::Tx;
use crate::lens::{Kept, Question};
use crate::reads::ReadKey;
use crate::scope;

impl Tx {
    /// Everybody of a standing, in the order of joining.
    pub fn people(&self, standing: Standing) -> Vec<PlayerId> {
        self.read(ReadKey::People);
        self.with_state(|state| {
            let mut found: Vec<_> = state
                .people
                .iter()
                .filter(|(_, person)| person.standing == standing)
                .map(|(id, person)| (person.joined_at, *id))
                .collect();
            found.sort();
            found.into_iter().map(|(_, id)| id).collect()
        })
    }

    /// The players, for a rule.
    pub fn players_for(&self, rule: &Name) -> Answer<Vec<PlayerId>> {
        let excluded = self.excluded_for(rule, &[])?;
        Ok(self
            .people(Standing::Member)
            .into_iter()
            .filter(|id| !excluded.contains(id))
            .collect())
    }

    /// Whether somebody is a player for a rule; `admits` names exclusions that are lifted.
    pub fn counts_for(&self, player: PlayerId, rule: &Name, admits: &[Name]) -> Answer<bool> {
        self.read(ReadKey::People);
        let member = self.with_state(|state| {
            state
                .people
                .get(&player)
                .is_some_and(|person| person.standing == Standing::Member)
        });
        Ok(member && !self.excluded_for(rule, admits)?.contains(&player))
    }

    /// The exclusion that keeps a member from being a player for a rule; none for those who are idle, who are known by that.
    pub fn excluding(
        &self,
        player: PlayerId,
        rule: &Name,
        admits: &[Name],
    ) -> Answer<Option<Site>> {
        let idle = self.attribute(&Thing::Player(player), "idle");
        if !self.people(Standing::Member).contains(&player) || idle == Ok(Datum::Bool(true)) {
            return Ok(None);
        }
        let law = self.frame().law;
        let place = law.place(rule);
        for (index, exclusion) in law.exclusions.iter().enumerate() {
            let covers = scope::covers_rule(&exclusion.it.scope, rule, &place);
            if admits.contains(&exclusion.it.who) || !covers {
                continue;
            }
            if self
                .excluded_by(index, &exclusion.site, &exclusion.it.who)?
                .contains(&player)
            {
                return Ok(Some(exclusion.site.clone()));
            }
        }
        Ok(None)
    }

    /// Whom the exclusions that cover a rule exclude.
    fn excluded_for(&self, rule: &Name, admits: &[Name]) -> Answer<BTreeSet<PlayerId>> {
        let law = self.frame().law;
        let place = if *rule == EFFECTS {
            crate::law::Place {
                section: EFFECTS.into(),
                ..Default::default()
            }
        } else {
            law.place(rule)
        };
        let mut excluded = BTreeSet::new();
        for (index, exclusion) in law.exclusions.iter().enumerate() {
            if admits.contains(&exclusion.it.who)
                || !scope::covers_rule(&exclusion.it.scope, rule, &place)
            {
                continue;
            }
            excluded.extend(self.excluded_by(index, &exclusion.site, &exclusion.it.who)?);
        }
        Ok(excluded)
    }

    /// Whom one exclusion excludes, of all members.
    fn excluded_by(&self, index: usize, site: &Site, who: &Name) -> Answer<BTreeSet<PlayerId>> {
        let question = Question::Excluded(index);
        let known = self.caches.borrow().get(&question, self.now);
        if let Some((Kept::People(people, effort), reads)) = known
            && self.takes(effort)
        {
            self.read_all(&reads);
            return Ok(people);
        }
        let mut broken = false;
        let find = || -> Answer<BTreeSet<PlayerId>> {
            let mut excluded = BTreeSet::new();
            for id in self.people(Standing::Member) {
                match self.holds_at(site, who, vec![Datum::Thing(Thing::Player(id))]) {
                    Ok(true) => {
                        excluded.insert(id);
                    }
                    Ok(false) => {}
                    // An exclusion that breaks excludes nobody: the game goes on, and the log says so.
                    Err(Stop::Broken(fault)) => {
                        self.broke(site, &fault.text);
                        broken = true;
                        break;
                    }
                    Err(stop) => return Err(stop),
                }
            }
            Ok(excluded)
        };
        let ((answer, effort), reads) = self.reading(|| self.measured(find));
        let people = answer?;
        // What broke is written down each time, whatever was asked before.
        if !broken && std::sync::Arc::ptr_eq(&self.frame().law, &self.law) {
            self.caches
                .borrow_mut()
                .keep(question, Kept::People(people.clone(), effort), reads);
        }
        Ok(people)
    }

    /// Changes a person's row.
    pub fn write_person(&self, id: PlayerId, change: impl FnOnce(&mut Person)) -> Answer<()> {
        let old = self.with_state(|state| state.people.get(&id).cloned());
        let Some(old) = old else {
            return Err(Stop::fault("there is no such person"));
        };
        let mut new = old.clone();
        change(&mut new);
        self.write(
            Effect::Person {
                key: id,
                old: Some(old),
                new: Some(new),
            },
            Way::Set,
        );
        Ok(())
    }

    /// Makes an applicant, or somebody who left, a member; the values of a player start at their defaults.
    pub fn admit_person(&self, id: PlayerId) -> Answer<()> {
        let standing = self.with_state(|state| state.people.get(&id).map(|person| person.standing));
        match standing {
            Some(Standing::Applicant | Standing::Left) => {}
            Some(Standing::Member) => return Err(Stop::fault("they are a member already")),
            Some(Standing::Barred) => return Err(Stop::fault("they are barred from joining")),
            None => return Err(Stop::fault("there is no such person")),
        }
        let now = self.now;
        self.write_person(id, |person| {
            person.standing = Standing::Member;
            person.joined_at = Some(now);
            person.seen_at = now;
        })?;
        let thing = Thing::Player(id);
        self.write_defaults(&thing, &"Player".into());
        self.happen("joined", "Player", vec![Datum::Thing(thing)]);
        Ok(())
    }

    /// Takes a member off the roster.
    pub fn depart_person(&self, id: PlayerId, bar: bool) -> Answer<()> {
        let now = self.now;
        self.write_person(id, |person| {
            person.standing = if bar {
                Standing::Barred
            } else {
                Standing::Left
            };
            person.left_at = Some(now);
        })?;
        self.happen("left", "Player", vec![Datum::Thing(Thing::Player(id))]);
        Ok(())
    }

    /// The name of a person.
    pub fn name_of(&self, id: PlayerId) -> String {
        self.with_state(|state| {
            state
                .people
                .get(&id)
                .and_then(|person| person.name.plain().map(str::to_owned))
                .unwrap_or_else(|| format!("Player {id}"))
        })
    }

    /// Gives a person another name, if it may be one.
    pub fn rename_person(&self, id: PlayerId, name: &str) -> Answer<()> {
        crate::names::check(&self.state(), name, Some(id))
            .map_err(|refusal| Stop::Refused(Box::new(refusal)))?;
        let name = quorate_kernel::seal::Sealed::close(name, self.salt());
        self.write_person(id, |person| person.name = name)
    }

    pub(super) fn person_builtin(&self, id: PlayerId, name: &str) -> Option<Datum> {
        self.read(ReadKey::People);
        if name == "seen_at" {
            self.read(ReadKey::Seen(id));
        }
        let person = self.with_state(|state| state.people.get(&id).cloned())?;
        let moment = |at: Option<quorate_kernel::Moment>| at.map_or(Datum::None, Datum::Moment);
        Some(match name {
            "name" => Datum::Text(self.name_of(id).into()),
            "joined_at" => moment(person.joined_at),
            "left_at" => moment(person.left_at),
            "applied_at" => Datum::Moment(person.applied_at),
            "seen_at" => Datum::Moment(person.seen_at),
            "standing" => Datum::Text(person.standing.as_str().into()),
            _ => return None,
        })
    }
}

/// The section as which what a proposal does runs.
pub const EFFECTS: &str = "effects";
