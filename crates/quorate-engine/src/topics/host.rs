//! The game as rule code meets it: each method a line or two over a topic.

use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::{CellKey, ClockKey, Standing};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Moment, Name, Need, PlayerId, PostId, Span, Square, Thing, rows};
use quorate_law::datum::{Datum, Type};
use quorate_law::stop::{Answer, Question, Site, Stop};
use quorate_law::world::{Named, World};

use super::posts::PostToMake;
use super::{
    actions, change_records, declared, dice, duties, dynasties, entities, follow, law_changes,
    ledgers, limits, owed, payments, people, posts, rules, search, things, values,
};
use crate::convert;
use crate::reads::ReadKey;
use crate::tx::{Frame, Tx};

/// What it takes to try an action and take it back, as if so many rows were looked through.
const TRIAL_ROWS: usize = 2_000;

impl World for Tx {
    fn kind(&self, thing: &Thing) -> Answer<Name> {
        things::kind_of(self, thing)
    }

    fn get(&self, thing: &Thing, attribute: &str) -> Answer<Datum> {
        values::attribute(self, thing, attribute)
    }

    fn set(&self, thing: &Thing, attribute: &str, value: Datum) -> Answer<()> {
        values::set_attribute(self, thing, attribute, value)
    }

    fn all(&self, kind: &str, filters: Named, site: &Site) -> Answer<Vec<Thing>> {
        search::find_all(self, &Name::from(kind), &filters, site)
    }

    fn at(&self, kind: &str, square: &Square) -> Answer<Option<Thing>> {
        search::standing_at(self, &Name::from(kind), square)
    }

    fn row(&self, kind: &str, key: &str) -> Answer<Thing> {
        search::find_row(self, kind, key)
    }

    fn create(&self, kind: &str, values: Named, _site: &Site) -> Answer<Thing> {
        entities::create(self, &Name::from(kind), values)
    }

    fn players(&self, site: &Site) -> Answer<Vec<Thing>> {
        Ok(people::players_for(self, &site.rule, &[])?
            .into_iter()
            .map(Thing::Player)
            .collect())
    }

    fn everyone(&self) -> Answer<Vec<Thing>> {
        Ok(things::people(self, Standing::Member)
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
        people::counts_for(self, person(player)?, &site.rule, &[])
    }

    fn acting(&self) -> Answer<Option<Thing>> {
        // For somebody else it is another answer, so it is nobody else's.
        self.read_flow(self.now);
        Ok(self.actor().map(Thing::Player))
    }

    fn admit(&self, player: &Thing) -> Answer<()> {
        people::admit(self, person(player)?)
    }

    fn depart(&self, player: &Thing, bar: bool) -> Answer<()> {
        people::depart(self, person(player)?, bar)
    }

    fn now(&self) -> Moment {
        self.now
    }

    fn zone(&self) -> quorate_kernel::Zone {
        self.frame().law.zone.clone()
    }

    fn compared(&self, with: Moment) {
        self.read_clock(with);
    }

    fn flows_until(&self, moment: Moment) {
        self.read_flow(moment);
    }

    fn refuse(&self, need: Need, next_at: Option<Moment>, site: &Site) -> Option<Stop> {
        let mut refusal = self.refusal_at(site, "");
        refusal.needs = vec![need];
        refusal.next_at = next_at.filter(|at| *at >= self.now);
        self.met(Err(refusal.into())).err()
    }

    fn pay(&self, who: &Thing, costs: Named, site: &Site) -> Answer<()> {
        payments::pay(self, who, &costs, site)
    }

    fn transfer(&self, from: &Thing, to: &Thing, amounts: Named, site: &Site) -> Answer<()> {
        payments::transfer(self, from, to, &amounts, site)
    }

    fn reset(&self, thing: &Thing, values: Vec<Name>) -> Answer<()> {
        entities::reset(self, thing, &values)
    }

    fn remove(&self, thing: &Thing) -> Answer<()> {
        entities::remove(self, thing)
    }

    fn roll(&self, sides: i64, what: &str, _site: &Site) -> Answer<i64> {
        dice::die(self, sides, what)
    }

    fn rolls(&self, count: i64, sides: i64, what: &str, _site: &Site) -> Answer<Vec<i64>> {
        if !(0..=1_000).contains(&count) {
            return Err(Stop::fault(format!(
                "{count} dice at once: 0 to 1,000 can be rolled"
            )));
        }
        (0..count).map(|_| dice::die(self, sides, what)).collect()
    }

    fn draw(
        &self,
        what: &str,
        options: &[Datum],
        weights: Option<&[i64]>,
        _site: &Site,
    ) -> Answer<usize> {
        dice::pick(self, what, options.len(), weights)
    }

    fn choose(&self, question: Question) -> Answer<Datum> {
        dice::choice(self, question)
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
        duties::leave(
            self,
            &Name::from(decision),
            person(to)?,
            &options,
            within,
            &default,
            context,
        )
    }

    fn unask(&self, decision: &str, to: Option<&Thing>, context: &Named) -> Answer<()> {
        let to = to.map(person).transpose()?;
        duties::take_back(self, &Name::from(decision), to, context)
    }

    fn allowed(&self, action: &str, actor: &Thing, args: Named) -> Answer<bool> {
        let actor = person(actor)?;
        self.looks_through(TRIAL_ROWS + self.law.guards.len())?;
        let frame = Frame {
            actor: Some(actor),
            ..self.frame()
        };
        let attempt = || actions::act(self, &Name::from(action), actor, args, &[]);
        match self.apart(|| self.trial(frame, attempt))? {
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
        // What falls due by itself performs what it has to, whoever has undone what.
        if self.actor() == Some(actor) {
            let owed = owed::check_performed(self, &Name::from(action), actor);
            owed.map_err(Stop::refused)?;
        }
        let frame = Frame {
            actor: Some(actor),
            ..self.frame()
        };
        self.within(frame, || {
            actions::act(self, &Name::from(action), actor, args, &waive)
        })
    }

    fn last(&self, action: &str, by: Option<&Thing>) -> Answer<Option<Moment>> {
        Ok(
            limits::uses_before(self, action, by.map(person).transpose()?)
                .into_iter()
                .max(),
        )
    }

    fn times(&self, action: &str, by: Option<&Thing>, since: Option<Moment>) -> Answer<i64> {
        let uses = limits::uses_before(self, action, by.map(person).transpose()?);
        let count = uses
            .into_iter()
            .filter(|at| since.is_none_or(|since| *at >= since))
            .count();
        Ok(i64::try_from(count).unwrap_or(i64::MAX))
    }

    fn since(&self, what: &str, thing: &Thing) -> Answer<Option<Moment>> {
        let kind = things::kind_of(self, thing)?;
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
        let since = self.since(test, thing)?;
        if since.is_some() {
            self.read_flow(Moment(self.now.0.saturating_add(1)));
        }
        Ok(since.map_or(Span(0), |since| self.now - since))
    }

    fn settle(&self) -> Answer<()> {
        follow::follow(self)
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
        Ok(posts::icon_records(self, post_id(post)?, by))
    }

    fn post(&self, category: &str, title: &str, body: &str, _site: &Site) -> Answer<Thing> {
        let category = if category == "Post" {
            Name::default()
        } else {
            Name::from(category)
        };
        let id = posts::make(
            self,
            PostToMake {
                category,
                author: self.actor(),
                title: Sealed::close(title, self.salt()),
                body: Sealed::close(body, self.salt()),
                flavour: Sealed::close("", self.salt()),
                patch: None,
            },
        )?;
        posts::announce(self, id);
        Ok(Thing::Post(id))
    }

    fn comment(&self, post: &Thing, text: &str, _site: &Site) -> Answer<()> {
        let text = Sealed::close(text, self.salt());
        posts::make_comment(self, post_id(post)?, self.actor(), text, Vec::new()).map(|_| ())
    }

    fn close(&self, post: &Thing, status: &str, note: &str) -> Answer<()> {
        posts::close(self, post_id(post)?, status, note)
    }

    fn message(&self, to: &Thing, text: &str) -> Answer<()> {
        let text = Sealed::close(text, self.salt());
        posts::send(self, None, vec![person(to)?], text)
    }

    fn note(&self, text: &str) -> Answer<()> {
        self.say(NoteKind::Said, text);
        Ok(())
    }

    fn changes(&self, post: &Thing) -> Answer<Vec<Datum>> {
        Ok(change_records::of_post(self, post_id(post)?))
    }

    fn apply(&self, post: &Thing, leave_out: Datum) -> Answer<()> {
        law_changes::apply_post(self, post_id(post)?, leave_out)
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
        rules::repeal(self, &rule_id(rule)?);
        Ok(())
    }

    fn switch(&self, rule: &Thing, on: bool) -> Answer<()> {
        rules::switch(self, &rule_id(rule)?, on)
    }

    fn rename(&self, term: &str, one: &str, many: &str) -> Answer<()> {
        rules::set_term(self, &Name::from(term), one, many)
    }

    fn prose(&self, rule: &Thing, clause: i64) -> Answer<String> {
        rules::prose_of(self, &rule_id(rule)?, clause_number(clause)?)
    }

    fn amend(&self, rule: &Thing, clause: i64, text: &str) -> Answer<()> {
        rules::amend_clause(self, &rule_id(rule)?, clause_number(clause)?, text)
    }

    fn values(&self, of: &str, section: Option<&str>) -> Answer<Vec<Datum>> {
        Ok(declared::value_records(self, &Name::from(of), section))
    }

    fn legal(&self, value: &str, thing: &Thing) -> Answer<bool> {
        values::is_legal(self, thing, value)
    }

    fn ledger_add(
        &self,
        of: &Thing,
        ledger: &str,
        who: Option<&Thing>,
        amount: i64,
        what: &str,
    ) -> Answer<()> {
        ledgers::add_line(self, of, ledger, who, amount, what)
    }

    fn ledger_lines(
        &self,
        of: &Thing,
        ledger: &str,
        who: Option<&Thing>,
        since: Option<Moment>,
    ) -> Answer<Vec<Datum>> {
        ledgers::line_records(self, of, ledger, who, since)
    }

    fn ledger_clear(&self, of: &Thing, ledger: &str) -> Answer<()> {
        ledgers::clear_ledger(self, of, &Name::from(ledger));
        Ok(())
    }

    fn board(&self, board: &str) -> Answer<(Vec<String>, Vec<String>)> {
        let law = self.frame().law;
        // Code has no handle of a board that never was, and one that went has no squares any more.
        let board = law.boards.get(board).map(|board| &board.it);
        Ok(board.map_or_else(Default::default, |board| {
            (board.columns.clone(), board.rows.clone())
        }))
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
        Ok(things::term(self, term, false))
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
        rules::retitle(self, &rule_id(rule)?, title)
    }

    fn rename_player(&self, player: &Thing, name: &str) -> Answer<()> {
        people::rename(self, person(player)?, name)
    }

    fn chronicle(&self, leader: Option<&Thing>, theme: &str, begins: bool) -> Answer<()> {
        let leader = leader.map(person).transpose()?;
        dynasties::write(self, leader, theme.trim(), begins);
        Ok(())
    }

    fn source(&self, rule: &Thing) -> Answer<String> {
        self.read(ReadKey::Rules);
        let id = rule_id(rule)?;
        self.with_state(|state| state.rules.get(&id).map(|rule| rule.text.to_string()))
            .ok_or_else(|| Stop::fault(format!("there is no rule {id}")))
    }

    fn edit(&self, post: &Thing, title: Option<&str>, body: Option<&str>) -> Answer<()> {
        posts::edit_text(self, post_id(post)?, title, body)
    }

    fn attribute_type(&self, kind: &str, attribute: &str) -> Option<Type> {
        let law = self.frame().law;
        let decl = law.value(&Name::from(kind), attribute)?;
        Some(convert::type_of(&decl.it.holds))
    }

    fn has_lost(&self, kind: &str, attribute: &str) -> bool {
        let law = self.frame().law;
        let kind = Name::from(kind);
        law.lost_values.contains_key(&Name::from(attribute))
            && law.value(&kind, attribute).is_none()
            && law.derived(&kind, attribute).is_none()
    }

    fn attributes(&self, kind: &str) -> Vec<Name> {
        let law = self.frame().law;
        law.values_of(&Name::from(kind))
            .map(|decl| decl.it.name.clone())
            .collect()
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
        Stop::no(what)
    })
}

#[cfg(test)]
mod tests {
    use quorate_kernel::{Span, Value};
    use quorate_law::datum::Datum;

    use crate::tiny_game::game;

    #[test]
    fn a_thousand_dice_fall_at_once_and_no_more() {
        let mut game = game(
            "def throw(actor: Player, count: int):\n    rolls(count, 6, \"a die\")\n\n\
             action(\"throw\", throw)",
        );
        let event = game.act("throw", &[("count", Value::Int(1_000))]);
        assert_eq!(event.expect("so many").tape.dice.len(), 1_000);
        let broken = game.act("throw", &[("count", Value::Int(1_001))]);
        let told = broken.expect_err("too many").needs.remove(0).have;
        assert!(told.contains("1001 dice at once: 0 to 1,000"), "{told}");
    }

    #[test]
    fn what_is_only_tried_changes_nothing_and_what_asks_counts_as_allowed() {
        let mut game = game(
            "gold = number(\"Gold\", of = player)\n\n\
             def earn(actor: Player):\n    actor.gold += 1\n\n\
             def pick(actor: Player):\n    choose(\"Which way?\", [\"left\"])\n\n\
             def never(actor: Player):\n    refuse(\"not today\")\n\n\
             def breaks(actor: Player):\n    actor.gold = 1 // actor.gold\n\n\
             def probe(actor: Player):\n    \
             note(join(\" \", [a for a in [\"earn\", \"pick\", \"never\", \"breaks\"] if allowed(a, actor)]))\n\n\
             action(\"earn\", earn)\naction(\"pick\", pick)\naction(\"never\", never)\n\
             action(\"breaks\", breaks)\naction(\"probe\", probe)",
        );
        let event = game.act("probe", &[]).expect("anybody may");
        assert_eq!(event.notes[0].text, "earn pick");
        assert_eq!(game.value("gold"), Datum::Int(0));
    }

    #[test]
    fn since_is_as_before_the_event_that_asks() {
        let mut game = game(
            "gold = number(\"Gold\", of = player)\nmoved = moment(\"Moved\", of = player)\n\n\
             def earn(actor: Player):\n    actor.gold += 1\n    actor.moved = since(gold, actor)\n\n\
             action(\"earn\", earn)",
        );
        let joined = game.now;
        game.now = joined + Span::hours(1);
        game.act("earn", &[]).expect("anybody may");
        assert_eq!(game.value("moved"), Datum::Moment(joined));
        let first = game.now;
        game.now = first + Span::hours(1);
        game.act("earn", &[]).expect("anybody may");
        assert_eq!(game.value("moved"), Datum::Moment(first));
    }
}
