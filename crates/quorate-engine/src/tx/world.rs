//! Long because it has one short method for each function of the host library.
//!
//! The game as rule code meets it: each method a line or two over the run.

use quorate_kernel::effect::Way;
use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::{CellKey, ClockKey, Commitment, Standing};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, Need, PlayerId, PostId, Span, Square, Thing, rows};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::Holds;
use quorate_law::stop::{Answer, Question, Site, Stop};
use quorate_law::world::{Named, World};

use super::Tx;
use super::posts::Draft;
use crate::reads::ReadKey;

impl World for Tx {
    fn kind(&self, thing: &Thing) -> Answer<Name> {
        self.kind_of(thing)
    }

    fn get(&self, thing: &Thing, attribute: &str) -> Answer<Datum> {
        self.attribute(thing, attribute)
    }

    fn set(&self, thing: &Thing, attribute: &str, value: Datum) -> Answer<()> {
        self.set_attribute(thing, attribute, value)
    }

    fn all(&self, kind: &str, filters: Named, site: &Site) -> Answer<Vec<Thing>> {
        self.find_all(&Name::from(kind), &filters, site)
    }

    fn at(&self, kind: &str, square: &Square) -> Answer<Option<Thing>> {
        self.standing_at(&Name::from(kind), square)
    }

    fn row(&self, kind: &str, key: &str) -> Answer<Thing> {
        self.find_row(kind, key)
    }

    fn create(&self, kind: &str, values: Named, _site: &Site) -> Answer<Thing> {
        self.create_thing(&Name::from(kind), values)
    }

    fn players(&self, site: &Site) -> Answer<Vec<Thing>> {
        Ok(self
            .players_for(&site.rule)?
            .into_iter()
            .map(Thing::Player)
            .collect())
    }

    fn everyone(&self) -> Answer<Vec<Thing>> {
        Ok(self
            .people(Standing::Member)
            .into_iter()
            .map(Thing::Player)
            .collect())
    }

    fn applicants(&self) -> Answer<Vec<Thing>> {
        self.read(ReadKey::People);
        Ok(self.with_state(|state| {
            let is_applicant = |person: &rows::Person| person.standing == Standing::Applicant;
            state
                .people
                .iter()
                .filter(|(_, p)| is_applicant(p))
                .map(|(id, _)| Thing::Player(*id))
                .collect()
        }))
    }

    fn counts(&self, player: &Thing, site: &Site) -> Answer<bool> {
        self.counts_for(person(player)?, &site.rule, &[])
    }

    fn acting(&self) -> Answer<Option<Thing>> {
        Ok(self.actor().map(Thing::Player))
    }

    fn admit(&self, player: &Thing) -> Answer<()> {
        self.admit_person(person(player)?)
    }

    fn depart(&self, player: &Thing, bar: bool) -> Answer<()> {
        self.depart_person(person(player)?, bar)
    }

    fn now(&self) -> Moment {
        self.now
    }

    fn compared(&self, with: Moment) {
        self.read_clock(with);
    }

    fn refuse(
        &self,
        what: &str,
        have: &str,
        need: &str,
        next_at: Option<Moment>,
        site: &Site,
    ) -> Stop {
        let mut refusal = self.refusal_at(site, what);
        refusal.needs = vec![Need {
            what: what.to_owned(),
            have: have.to_owned(),
            need: need.to_owned(),
            ..Need::default()
        }];
        refusal.next_at = next_at;
        Stop::Refused(Box::new(refusal))
    }

    fn pay(&self, who: &Thing, costs: Named, site: &Site) -> Answer<()> {
        for (name, amount) in &costs {
            self.take_amount(who, name, amount, site)?;
        }
        Ok(())
    }

    fn transfer(&self, from: &Thing, to: &Thing, amounts: Named, site: &Site) -> Answer<()> {
        for (name, amount) in &amounts {
            let amount = self.take_amount(from, name, amount, site)?;
            match self.attribute(to, name.as_str())? {
                Datum::Int(now) => {
                    self.set_attribute(to, name.as_str(), Datum::Int(now.saturating_add(amount)))?;
                }
                _ => return Err(Stop::fault(format!("{name} holds no number"))),
            }
        }
        Ok(())
    }

    fn reset(&self, thing: &Thing, values: Vec<Name>) -> Answer<()> {
        self.reset_values(thing, &values)
    }

    fn remove(&self, thing: &Thing) -> Answer<()> {
        self.remove_thing(thing)
    }

    fn roll(&self, sides: i64, what: &str, _site: &Site) -> Answer<i64> {
        self.die(sides, what)
    }

    fn rolls(&self, count: i64, sides: i64, what: &str, _site: &Site) -> Answer<Vec<i64>> {
        if !(0..=1_000).contains(&count) {
            return Err(Stop::fault(format!(
                "{count} dice at once: 0 to 1,000 can be rolled"
            )));
        }
        (0..count).map(|_| self.die(sides, what)).collect()
    }

    fn draw(
        &self,
        what: &str,
        options: &[Datum],
        weights: Option<&[i64]>,
        _site: &Site,
    ) -> Answer<usize> {
        self.pick(what, options.len(), weights)
    }

    fn choose(&self, question: Question) -> Answer<Datum> {
        self.choice(question)
    }

    fn ask(
        &self,
        decision: &str,
        to: &Thing,
        options: Vec<Datum>,
        within: Span,
        default: Datum,
        context: Named,
        _site: &Site,
    ) -> Answer<()> {
        self.leave_duty(
            &Name::from(decision),
            person(to)?,
            &options,
            within,
            &default,
            context,
        )
    }

    fn allowed(&self, action: &str, actor: &Thing, args: Named) -> Answer<bool> {
        let actor = person(actor)?;
        let frame = super::Frame {
            actor: Some(actor),
            ..self.frame()
        };
        match self.trial(frame, || self.act(&Name::from(action), actor, args, &[])) {
            Ok(()) | Err(Stop::Asks(_)) => Ok(true),
            Err(Stop::Refused(refusal)) => {
                if let Some(at) = refusal.next_at {
                    self.read_clock(at);
                }
                Ok(false)
            }
            Err(Stop::Broken(_)) => Ok(false),
        }
    }

    fn perform(&self, action: &str, actor: &Thing, waive: Vec<Name>, args: Named) -> Answer<()> {
        let actor = person(actor)?;
        let frame = super::Frame {
            actor: Some(actor),
            ..self.frame()
        };
        self.within(frame, || self.act(&Name::from(action), actor, args, &waive))
    }

    fn last(&self, action: &str, by: Option<&Thing>) -> Answer<Option<Moment>> {
        Ok(self.uses_before(action, by)?.into_iter().max())
    }

    fn times(&self, action: &str, by: Option<&Thing>, since: Option<Moment>) -> Answer<i64> {
        let uses = self.uses_before(action, by)?;
        let count = uses
            .into_iter()
            .filter(|at| since.is_none_or(|since| *at >= since))
            .count();
        Ok(i64::try_from(count).unwrap_or(i64::MAX))
    }

    fn since(&self, what: &str, thing: &Thing) -> Answer<Option<Moment>> {
        let kind = self.kind_of(thing)?;
        let name = Name::from(what);
        if self.frame().law.value(&kind, what).is_some() {
            let key = CellKey {
                thing: thing.clone(),
                name,
            };
            self.read(ReadKey::Cell(key.clone()));
            return Ok(self.base.cells.get(&key).map(|cell| cell.at));
        }
        let key = ClockKey {
            test: name,
            thing: thing.clone(),
        };
        self.read(ReadKey::Clock(key.clone()));
        Ok(self.base.clocks.get(&key).map(|clock| clock.since))
    }

    fn held(&self, test: &str, thing: &Thing) -> Answer<Span> {
        Ok(self
            .since(test, thing)?
            .map_or(Span(0), |since| self.now - since))
    }

    fn settle(&self) -> Answer<()> {
        self.follow()
    }

    fn unfinished(&self, player: &Thing) -> Answer<Option<Name>> {
        let who = person(player)?;
        self.read(ReadKey::Open);
        Ok(self.with_state(|state| {
            state
                .open
                .keys()
                .find(|key| key.who == who)
                .map(|key| key.action.clone())
        }))
    }

    fn icons(&self, post: &Thing, by: Option<&Thing>) -> Answer<Vec<Datum>> {
        let by = by.map(person).transpose()?;
        Ok(self.icon_records(post_id(post)?, by))
    }

    fn post(&self, category: &str, title: &str, body: &str, _site: &Site) -> Answer<Thing> {
        let category = if category == "Post" {
            Name::default()
        } else {
            Name::from(category)
        };
        let id = self.make_post(Draft {
            category,
            author: self.actor(),
            title: Sealed::close(title, self.salt()),
            body: Sealed::close(body, self.salt()),
            flavour: Sealed::close("", self.salt()),
            patch: None,
        });
        self.announce_post(id);
        Ok(Thing::Post(id))
    }

    fn comment(&self, post: &Thing, text: &str, _site: &Site) -> Answer<()> {
        let text = Sealed::close(text, self.salt());
        self.make_comment(post_id(post)?, self.actor(), text, Vec::new())
            .map(|_| ())
    }

    fn close(&self, post: &Thing, status: &str, note: &str) -> Answer<()> {
        self.close_post(post_id(post)?, status, note)
    }

    fn message(&self, to: &Thing, text: &str) -> Answer<()> {
        let text = Sealed::close(text, self.salt());
        self.send(None, vec![person(to)?], text);
        Ok(())
    }

    fn note(&self, text: &str) -> Answer<()> {
        self.say(NoteKind::Said, text);
        Ok(())
    }

    fn changes(&self, post: &Thing) -> Answer<Vec<Datum>> {
        Ok(self.change_records(post_id(post)?))
    }

    fn apply(&self, post: &Thing, leave_out: Vec<Datum>) -> Answer<()> {
        self.apply_post(post_id(post)?, &leave_out)
    }

    fn rules(&self, section: Option<&str>, tags: Vec<Name>) -> Answer<Vec<Thing>> {
        self.read(ReadKey::Rules);
        Ok(self.with_state(|state| {
            state
                .rules_in_order()
                .into_iter()
                .filter(|(_, rule)| rule.section != quorate_kernel::law::LIBRARY)
                .filter(|(_, rule)| section.is_none_or(|section| rule.section == section))
                .filter(|(_, rule)| tags.iter().all(|tag| rule.tags.contains(tag)))
                .map(|(id, _)| Thing::Rule(id.clone()))
                .collect()
        }))
    }

    fn repeal(&self, rule: &Thing) -> Answer<()> {
        self.repeal_rule(&rule_id(rule)?);
        Ok(())
    }

    fn switch(&self, rule: &Thing, on: bool) -> Answer<()> {
        self.switch_rule(&rule_id(rule)?, on)
    }

    fn rename(&self, term: &str, one: &str, many: &str) -> Answer<()> {
        self.set_term(&Name::from(term), one, many)
    }

    fn prose(&self, rule: &Thing, clause: i64) -> Answer<String> {
        self.prose_of(&rule_id(rule)?, clause_number(clause)?)
    }

    fn amend(&self, rule: &Thing, clause: i64, text: &str) -> Answer<()> {
        self.amend_clause(&rule_id(rule)?, clause_number(clause)?, text)
    }

    fn values(&self, of: &str, section: Option<&str>) -> Answer<Vec<Datum>> {
        Ok(self.value_records(&Name::from(of), section))
    }

    fn legal(&self, value: &str, thing: &Thing) -> Answer<bool> {
        self.is_legal(thing, value)
    }

    fn ledger_add(
        &self,
        of: &Thing,
        ledger: &str,
        who: Option<&Thing>,
        amount: i64,
        what: &str,
    ) -> Answer<()> {
        self.add_line(of, ledger, who, amount, what);
        Ok(())
    }

    fn ledger_lines(
        &self,
        of: &Thing,
        ledger: &str,
        who: Option<&Thing>,
        since: Option<Moment>,
    ) -> Answer<Vec<Datum>> {
        Ok(self.line_records(of, ledger, who, since))
    }

    fn ledger_clear(&self, of: &Thing, ledger: &str) -> Answer<()> {
        self.clear_ledger(of, &Name::from(ledger));
        Ok(())
    }

    fn board(&self, board: &str) -> Answer<(Vec<String>, Vec<String>)> {
        let law = self.frame().law;
        law.boards
            .get(board)
            .map(|board| (board.it.columns.clone(), board.it.rows.clone()))
            .ok_or_else(|| Stop::fault(format!("there is no board {board}")))
    }

    fn quantity(&self, name: &str, base: Datum, context: Vec<Datum>) -> Answer<Datum> {
        let law = self.frame().law;
        let mut result = base;
        for filter in law.filters.get(name).into_iter().flatten() {
            let mut args = vec![result];
            args.extend(context.iter().cloned());
            result = self.call_at(&filter.site, &filter.it, args)?;
        }
        Ok(result)
    }

    fn word(&self, term: &str) -> Answer<String> {
        self.read(ReadKey::Rules);
        Ok(self.term(term, false))
    }

    fn unfinished_since(&self, player: &Thing) -> Answer<Option<Moment>> {
        let who = person(player)?;
        self.read(ReadKey::Open);
        Ok(self.with_state(|state| {
            state
                .open
                .iter()
                .find(|(key, _)| key.who == who)
                .map(|(_, open)| open.began_at)
        }))
    }

    fn retitle(&self, rule: &Thing, title: &str) -> Answer<()> {
        self.retitle_rule(&rule_id(rule)?, title)
    }

    fn rename_player(&self, player: &Thing, name: &str) -> Answer<()> {
        self.rename_person(person(player)?, name)
    }

    fn chronicle(&self, leader: Option<&Thing>, theme: &str, begins: bool) -> Answer<()> {
        let leader = leader.map(person).transpose()?;
        self.write_dynasty(leader, theme.trim(), begins);
        Ok(())
    }

    fn source(&self, rule: &Thing) -> Answer<String> {
        self.read(ReadKey::Rules);
        let id = rule_id(rule)?;
        self.with_state(|state| state.rules.get(&id).map(|rule| rule.text.to_string()))
            .ok_or_else(|| Stop::fault(format!("there is no rule {id}")))
    }

    fn edit(&self, post: &Thing, title: Option<&str>, body: Option<&str>) -> Answer<()> {
        self.edit_text(post_id(post)?, title, body)
    }

    fn attribute_type(&self, kind: &str, attribute: &str) -> Option<Type> {
        let law = self.frame().law;
        let decl = law.value(&Name::from(kind), attribute)?;
        Some(type_of(&decl.it.holds))
    }

    fn attributes(&self, kind: &str) -> Vec<Name> {
        let law = self.frame().law;
        law.values_of(&Name::from(kind))
            .map(|decl| decl.it.name.clone())
            .collect()
    }
}

impl Tx {
    /// All things of a kind that match, oldest first, rows in law order.
    fn find_all(&self, kind: &Name, filters: &Named, _site: &Site) -> Answer<Vec<Thing>> {
        let since = filters
            .iter()
            .find(|(name, _)| *name == "since")
            .and_then(|(_, datum)| match datum {
                Datum::Moment(at) => Some(*at),
                _ => None,
            });
        let status = filters
            .iter()
            .find(|(name, _)| *name == "status")
            .and_then(|(_, datum)| match datum {
                Datum::Text(text) => Some(Name::from(&**text)),
                _ => None,
            });
        let mut found = Vec::new();
        for thing in self.candidates(kind, status.as_ref()) {
            if let Some(since) = since
                && self.came_at(&thing) < Some(since)
            {
                continue;
            }
            if self.matches(&thing, filters)? {
                found.push(thing);
            }
        }
        Ok(found)
    }

    fn matches(&self, thing: &Thing, filters: &Named) -> Answer<bool> {
        for (name, wanted) in filters.iter().filter(|(name, _)| *name != "since") {
            if self.attribute(thing, name.as_str())? != *wanted {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn came_at(&self, thing: &Thing) -> Option<Moment> {
        self.with_state(|state| match thing {
            Thing::Post(id) => state.posts.get(id).map(|post| post.at),
            Thing::Entity(id) => state.entities.get(id).map(|entity| entity.made_at),
            Thing::Player(id) => state.people.get(id).and_then(|person| person.joined_at),
            _ => None,
        })
    }

    /// The things of a kind.
    pub fn things_of(&self, kind: &Name) -> Vec<Thing> {
        self.candidates(kind, None)
    }

    fn candidates(&self, kind: &Name, status: Option<&Name>) -> Vec<Thing> {
        let law = self.frame().law;
        if *kind == "Player" {
            return self
                .people(Standing::Member)
                .into_iter()
                .map(Thing::Player)
                .collect();
        }
        if law.tables.contains_key(kind) {
            self.read(ReadKey::Rules);
            let rows = law.rows.iter().filter(|row| row.it.table == *kind);
            return rows
                .map(|row| Thing::row(row.it.table.clone(), row.it.key.clone()))
                .collect();
        }
        if *kind == "Post" || law.categories.contains_key(kind) {
            let categories: Vec<Name> = if *kind == "Post" {
                law.category_order
                    .iter()
                    .cloned()
                    .chain([Name::default()])
                    .collect()
            } else {
                vec![kind.clone()]
            };
            let mut ids: Vec<PostId> = Vec::new();
            for category in &categories {
                self.read(ReadKey::Kind(category.clone()));
                self.with_state(|state| {
                    let of = state
                        .posts_of(category)
                        .filter(|(is, _)| status.is_none_or(|status| *is == status));
                    ids.extend(of.map(|(_, id)| id));
                });
            }
            ids.sort();
            return ids.into_iter().map(Thing::Post).collect();
        }
        self.read(ReadKey::Kind(kind.clone()));
        self.with_state(|state| state.entities_of(kind).map(Thing::Entity).collect())
    }

    fn standing_at(&self, kind: &Name, square: &Square) -> Answer<Option<Thing>> {
        let law = self.frame().law;
        let places: Vec<Name> = law
            .values_of(kind)
            .filter(
                |decl| matches!(&decl.it.holds, Holds::Place { board } if *board == square.board),
            )
            .map(|decl| decl.it.name.clone())
            .collect();
        for thing in self.candidates(kind, None) {
            for name in &places {
                if self.attribute(&thing, name.as_str())? == Datum::Square(square.clone()) {
                    return Ok(Some(thing));
                }
            }
        }
        Ok(None)
    }

    fn find_row(&self, kind: &str, key: &str) -> Answer<Thing> {
        if kind == "Player" {
            let found = self
                .people(Standing::Member)
                .into_iter()
                .find(|id| self.name_of(*id) == key);
            return found
                .map(Thing::Player)
                .ok_or_else(|| Stop::fault(format!("there is no player called {key}")));
        }
        let thing = Thing::row(kind, key);
        if self.exists(&thing) {
            return Ok(thing);
        }
        let found = self
            .candidates(&Name::from(kind), None)
            .into_iter()
            .find(|thing| self.label(&Datum::Thing(thing.clone())) == key);
        found.ok_or_else(|| Stop::fault(format!("{kind} has no row \"{key}\"")))
    }

    /// Takes an amount of a number; refuses where there is not as much. Gives the amount.
    fn take_amount(&self, who: &Thing, name: &Name, amount: &Datum, site: &Site) -> Answer<i64> {
        let (Datum::Int(amount), Datum::Int(have)) = (amount, self.attribute(who, name.as_str())?)
        else {
            return Err(Stop::fault(format!("{name} is paid in whole numbers")));
        };
        let kind = self.kind_of(who)?;
        let title = self
            .frame()
            .law
            .value(&kind, name.as_str())
            .map_or_else(|| name.to_string(), |decl| decl.it.title.clone());
        if *amount < 0 {
            return Err(self.refuse(
                &format!("an amount of {title} that is not negative"),
                &amount.to_string(),
                "",
                None,
                site,
            ));
        }
        if have < *amount {
            let mut refusal = self.refusal_at(site, &title);
            refusal.needs = vec![Need {
                what: title,
                have: have.to_string(),
                need: amount.to_string(),
                ..Need::default()
            }];
            return Err(Stop::Refused(Box::new(refusal)));
        }
        self.set_attribute(who, name.as_str(), Datum::Int(have - amount))?;
        Ok(*amount)
    }

    /// The uses of an action before this event.
    fn uses_before(&self, action: &str, by: Option<&Thing>) -> Answer<Vec<Moment>> {
        let by = by.map(person).transpose()?;
        let slot = Name::from(action);
        self.read(ReadKey::Uses(slot.clone()));
        let first = rows::UseKey {
            slot: slot.clone(),
            event: quorate_kernel::EventSeq(0),
            who: None,
        };
        Ok(self
            .base
            .uses
            .range(first..)
            .take_while(|(key, _)| key.slot == slot)
            .filter(|(key, _)| by.is_none() || key.who == by)
            .map(|(_, used)| used.at)
            .collect())
    }

    /// The row of a dynasty in the list of them; without a theme the one it has stays.
    fn write_dynasty(&self, leader: Option<PlayerId>, theme: &str, begins: bool) {
        let last = self.with_state(|state| {
            let last = state.dynasties.iter().next_back();
            last.map(|(number, dynasty)| (*number, dynasty.clone()))
        });
        let (number, old) = match last {
            Some((number, _)) if begins => (number + 1, None),
            Some((number, dynasty)) => (number, Some(dynasty)),
            None => (1, None),
        };
        if begins {
            self.commit_to_dice();
        }
        let pledged = self.with_state(|state| {
            let newest = state.commitments.values().next_back();
            newest.map(|pledge| pledge.said).unwrap_or_default()
        });
        let (at, event, dice) = old.as_ref().map_or((self.now, self.seq, pledged), |old| {
            (old.at, old.event, old.dice)
        });
        let title = match &old {
            Some(old) if theme.is_empty() => old.title.clone(),
            _ => Sealed::close(theme, self.salt()),
        };
        let row = rows::Dynasty {
            title,
            leader,
            at,
            event,
            dice,
        };
        let effect = Effect::Dynasty {
            key: number,
            old,
            new: Some(row),
        };
        self.write(effect, Way::Set);
    }

    /// Shows the key that dice followed from so far, and says what those of the next event on will follow from.
    pub fn commit_to_dice(&self) {
        let Some((key, next)) = self.deck.borrow().next_commitment(self.seq) else {
            return;
        };
        let last = self.with_state(|state| {
            let last = state.commitments.iter().next_back();
            last.map(|(event, pledge)| (*event, pledge.clone()))
        });
        let new = Some(Commitment::of(&next));
        match last {
            // There is one pledge an event, whatever begins in it.
            Some((event, _)) if event == self.seq => return,
            // In a game that came here without its secret the key of the old pledge stayed behind.
            Some((_, old)) if key.commitment() != old.said => {}
            Some((event, old)) => {
                let shown = Commitment {
                    shown: Some(key),
                    ..old.clone()
                };
                let effect = Effect::Commitment {
                    key: event,
                    old: Some(old),
                    new: Some(shown),
                };
                self.write(effect, Way::Set);
            }
            None => {}
        }
        let effect = Effect::Commitment {
            key: self.seq,
            old: None,
            new,
        };
        self.write(effect, Way::Put);
    }
}

fn person(thing: &Thing) -> Answer<PlayerId> {
    match thing {
        Thing::Player(id) => Ok(*id),
        other => Err(Stop::fault(format!("{other} is no player"))),
    }
}

fn post_id(thing: &Thing) -> Answer<PostId> {
    match thing {
        Thing::Post(id) => Ok(*id),
        other => Err(Stop::fault(format!("{other} is no post"))),
    }
}

fn rule_id(thing: &Thing) -> Answer<Name> {
    match thing {
        Thing::Rule(id) => Ok(id.clone()),
        other => Err(Stop::fault(format!("{other} is no rule"))),
    }
}

fn clause_number(clause: i64) -> Answer<u32> {
    // A number that somebody typed is no fault of the code that passes it on.
    u32::try_from(clause).map_err(|_| {
        let what = format!("a clause's number, not {clause}");
        Stop::Refused(Box::new(quorate_kernel::Refusal::plain(what)))
    })
}

/// The type of what a value holds, as rule code reads it.
pub(crate) fn type_of(holds: &Holds) -> Type {
    let optional = |ty: Type| Type::Optional(Box::new(ty));
    match holds {
        Holds::Number { .. } => Type::Int,
        Holds::Text | Holds::Choice(_) => Type::Text,
        Holds::Flag => Type::Bool,
        Holds::Moment => optional(Type::Moment),
        Holds::Picture => optional(Type::Picture),
        Holds::Reference(kind) => optional(Type::Kind(kind.clone())),
        Holds::Listing { item, .. } => Type::List(Box::new(item.clone())),
        Holds::Place { .. } => optional(Type::Square),
        Holds::Ledger { .. } => Type::Ledger,
    }
}
