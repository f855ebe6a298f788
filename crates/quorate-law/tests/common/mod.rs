//! A small game in memory for the tests of the law.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use quorate_kernel::ids::{EventSeq, Id, PlayerId, PostId};
use quorate_kernel::{Moment, Name, Need, Refusal, Span, Square, Thing};
use quorate_law::datum::{Datum, Type};
use quorate_law::stop::{Answer, Question, Site, Stop};
use quorate_law::world::{Named, World};
use quorate_law::{Code, Compiled, RuleSource, RuleText, compile};

/// A player by number.
pub(crate) fn player(number: u64) -> Thing {
    Thing::Player(PlayerId(Id::new(EventSeq(number), 0)))
}

/// A post by number.
pub(crate) fn post(number: u64) -> Thing {
    Thing::Post(PostId(Id::new(EventSeq(number), 0)))
}

/// A source of one rule.
pub(crate) fn rule(id: &str, markdown: &str) -> RuleSource {
    let text = RuleText::parse(markdown);
    RuleSource {
        since: 0,
        rule: Name::from(id),
        title: text.title.clone().unwrap_or_else(|| id.to_owned()),
        library: false,
        text,
        left: None,
    }
}

/// A rule of one clause.
pub(crate) fn clause(id: &str, code: &str) -> RuleSource {
    rule(
        id,
        &format!("# {id}\n\n1. A clause.\n\n```starlark\n{code}\n```\n"),
    )
}

/// A library text.
pub(crate) fn library(id: &str, code: &str) -> RuleSource {
    RuleSource {
        since: 0,
        rule: Name::from(id),
        title: id.to_owned(),
        library: true,
        text: RuleText::library(code),
        left: None,
    }
}

/// One rule of one fence, which begins in line 5.
pub(crate) fn fence(code: &str) -> RuleSource {
    rule(
        "it",
        &format!("# It\n\n1. A clause.\n```starlark\n{code}\n```\n"),
    )
}

/// Compiles a law that must be awake altogether.
pub(crate) fn awake(sources: &[RuleSource]) -> Compiled {
    let compiled = compile(sources, 1);
    let report: Vec<String> = compiled
        .asleep
        .iter()
        .flat_map(|asleep| &asleep.diagnostics)
        .map(|finding| {
            let source = sources.iter().find(|source| source.rule == finding.rule);
            finding.render(source.map_or("", |source| &source.text.source))
        })
        .collect();
    assert!(report.is_empty(), "{}", report.join("\n"));
    compiled
}

/// The game.
#[derive(Default)]
pub(crate) struct Game {
    pub cells: RefCell<BTreeMap<(Thing, String), Datum>>,
    pub players: RefCell<Vec<Thing>>,
    pub now: Cell<i64>,
    /// Moments that `now` was compared with.
    pub compared: RefCell<Vec<Moment>>,
    pub flows: RefCell<Vec<Moment>>,
    /// What was asked and done, in words.
    pub log: RefCell<Vec<String>>,
    /// Dice to come; the highest number of each die once they are out.
    pub dice: RefCell<Vec<i64>>,
    pub rows: RefCell<BTreeSet<(String, String)>>,
    /// The law, for derived values and quantities.
    pub code: RefCell<Option<Code>>,
    pub derived: RefCell<BTreeMap<String, String>>,
    pub filters: RefCell<BTreeMap<String, String>>,
}

impl Game {
    pub(crate) fn of(players: u64) -> Rc<Self> {
        let game = Self::default();
        *game.players.borrow_mut() = (1..=players).map(player).collect();
        for n in 1..=players {
            game.put(&player(n), "name", Datum::Text(format!("P{n}").into()));
        }
        game.now.set(1_000_000);
        Rc::new(game)
    }

    pub(crate) fn put(&self, thing: &Thing, attribute: &str, value: Datum) {
        self.cells
            .borrow_mut()
            .insert((thing.clone(), attribute.to_owned()), value);
    }

    pub(crate) fn cell(&self, thing: &Thing, attribute: &str) -> Datum {
        let key = (thing.clone(), attribute.to_owned());
        self.cells.borrow().get(&key).cloned().unwrap_or_default()
    }

    pub(crate) fn world(self: &Rc<Self>) -> Rc<dyn World> {
        Rc::clone(self) as Rc<dyn World>
    }

    fn say(&self, words: String) {
        self.log.borrow_mut().push(words);
    }

    fn me(&self) -> Rc<dyn World> {
        // A world that calls the law back needs itself shared; the fake shares a copy of its cells.
        let twin = Self::default();
        *twin.cells.borrow_mut() = self.cells.borrow().clone();
        twin.players.borrow_mut().clone_from(&self.players.borrow());
        twin.code.borrow_mut().clone_from(&self.code.borrow());
        *twin.derived.borrow_mut() = self.derived.borrow().clone();
        *twin.filters.borrow_mut() = self.filters.borrow().clone();
        twin.now.set(self.now.get());
        Rc::new(twin)
    }
}

impl World for Game {
    fn kind(&self, thing: &Thing) -> Answer<Name> {
        Ok(match thing {
            Thing::Player(_) => "Player".into(),
            Thing::Game => "Game".into(),
            Thing::Post(_) => "Post".into(),
            Thing::Row(row) => row.table.clone(),
            _ => "Thing".into(),
        })
    }

    fn get(&self, thing: &Thing, attribute: &str) -> Answer<Datum> {
        let function = self.derived.borrow().get(attribute).cloned();
        if let Some(function) = function {
            let code = self.code.borrow().clone().expect("a law");
            let budget = quorate_law::Budget::default();
            let args = vec![Datum::Thing(thing.clone())];
            return code.call(&self.me(), &function, args, vec![], &budget);
        }
        let key = (thing.clone(), attribute.to_owned());
        match self.cells.borrow().get(&key) {
            Some(datum) => Ok(datum.clone()),
            None => Err(Stop::fault(format!("{thing} has no `{attribute}`"))),
        }
    }

    fn set(&self, thing: &Thing, attribute: &str, value: Datum) -> Answer<()> {
        self.put(thing, attribute, value);
        Ok(())
    }

    fn all(&self, kind: &str, filters: Named, site: &Site) -> Answer<Vec<Thing>> {
        self.say(format!("all {kind} {filters:?} for {}", site.rule));
        if kind == "Player" {
            return Ok(self.players.borrow().clone());
        }
        let rows = self.rows.borrow();
        let of_kind = rows.iter().filter(|(table, _)| table == kind);
        Ok(of_kind
            .map(|(table, key)| Thing::row(table.as_str(), key.as_str()))
            .collect())
    }

    fn at(&self, _kind: &str, square: &Square) -> Answer<Option<Thing>> {
        let cells = self.cells.borrow();
        let found = cells
            .iter()
            .find(|(_, datum)| **datum == Datum::Square(square.clone()));
        Ok(found.map(|((thing, _), _)| thing.clone()))
    }

    fn row(&self, kind: &str, key: &str) -> Answer<Thing> {
        Ok(Thing::row(kind, key))
    }

    fn create(&self, kind: &str, values: Named, _site: &Site) -> Answer<Thing> {
        let made = Thing::row(kind, format!("{}", self.cells.borrow().len()));
        for (name, value) in values {
            self.put(&made, name.as_str(), value);
        }
        Ok(made)
    }

    fn players(&self, site: &Site) -> Answer<Vec<Thing>> {
        self.say(format!("players for {} {}", site.rule, site.clause));
        Ok(self.players.borrow().clone())
    }

    fn everyone(&self) -> Answer<Vec<Thing>> {
        Ok(self.players.borrow().clone())
    }

    fn applicants(&self) -> Answer<Vec<Thing>> {
        Ok(vec![])
    }

    fn counts(&self, player: &Thing, _site: &Site) -> Answer<bool> {
        Ok(self.players.borrow().contains(player))
    }

    fn acting(&self) -> Answer<Option<Thing>> {
        Ok(self.players.borrow().first().cloned())
    }

    fn admit(&self, _player: &Thing) -> Answer<()> {
        Ok(())
    }

    fn depart(&self, _player: &Thing, _bar: bool) -> Answer<()> {
        Ok(())
    }

    fn now(&self) -> Moment {
        Moment(self.now.get())
    }

    fn compared(&self, with: Moment) {
        self.compared.borrow_mut().push(with);
    }

    fn flows_until(&self, moment: Moment) {
        self.flows.borrow_mut().push(moment);
    }

    fn refuse(&self, need: Need, next_at: Option<Moment>, site: &Site) -> Option<Stop> {
        Some(Stop::refused(Refusal {
            rule: site.rule.to_string(),
            rule_id: site.rule.clone(),
            clause: site.clause,
            needs: vec![need],
            next_at,
            ..Refusal::default()
        }))
    }

    fn pay(&self, who: &Thing, costs: Named, _site: &Site) -> Answer<()> {
        self.say(format!("pay {who} {costs:?}"));
        for (name, cost) in costs {
            let (Datum::Int(have), Datum::Int(cost)) = (self.cell(who, name.as_str()), cost) else {
                return Err(Stop::fault("no number"));
            };
            self.put(who, name.as_str(), Datum::Int(have - cost));
        }
        Ok(())
    }

    fn transfer(&self, _: &Thing, _: &Thing, _: Named, _: &Site) -> Answer<()> {
        Ok(())
    }

    fn reset(&self, thing: &Thing, values: Vec<Name>) -> Answer<()> {
        self.say(format!("reset {thing} {values:?}"));
        Ok(())
    }

    fn remove(&self, thing: &Thing) -> Answer<()> {
        self.say(format!("remove {thing}"));
        Ok(())
    }

    fn roll(&self, sides: i64, what: &str, site: &Site) -> Answer<i64> {
        self.say(format!(
            "roll {sides} {what} for {} {}",
            site.rule, site.clause
        ));
        Ok(self.dice.borrow_mut().pop().unwrap_or(sides))
    }

    fn rolls(&self, count: i64, sides: i64, what: &str, site: &Site) -> Answer<Vec<i64>> {
        (0..count).map(|_| self.roll(sides, what, site)).collect()
    }

    fn draw(&self, _: &str, options: &[Datum], _: Option<&[i64]>, _: &Site) -> Answer<usize> {
        Ok(options.len() - 1)
    }

    fn choose(&self, question: Question) -> Answer<Datum> {
        Err(Stop::Asks(Box::new(question)))
    }

    fn ask(
        &self,
        decision: &str,
        to: &Thing,
        options: Vec<Datum>,
        within: Span,
        _default: Datum,
        context: Named,
        _site: &Site,
    ) -> Answer<()> {
        self.say(format!(
            "ask {decision} {to} {options:?} {within} {context:?}"
        ));
        Ok(())
    }

    fn unask(&self, decision: &str, to: Option<&Thing>, context: &Named) -> Answer<()> {
        self.say(format!("unask {decision} {to:?} {context:?}"));
        Ok(())
    }

    fn allowed(&self, action: &str, _actor: &Thing, _args: Named) -> Answer<bool> {
        Ok(action == "yes")
    }

    fn perform(&self, action: &str, actor: &Thing, waive: Vec<Name>, args: Named) -> Answer<()> {
        self.say(format!("perform {action} {actor} {waive:?} {args:?}"));
        Ok(())
    }

    fn last(&self, _: &str, _: Option<&Thing>) -> Answer<Option<Moment>> {
        Ok(None)
    }

    fn times(&self, _: &str, _: Option<&Thing>, _: Option<Moment>) -> Answer<i64> {
        Ok(3)
    }

    fn since(&self, what: &str, thing: &Thing) -> Answer<Option<Moment>> {
        self.say(format!("since {what} {thing}"));
        Ok(Some(Moment(5)))
    }

    fn held(&self, _: &str, _: &Thing) -> Answer<Span> {
        Ok(Span::hours(2))
    }

    fn settle(&self) -> Answer<()> {
        Ok(())
    }

    fn unfinished(&self, _: &Thing) -> Answer<Option<Name>> {
        Ok(None)
    }

    fn icons(&self, _: &Thing, _: Option<&Thing>) -> Answer<Vec<Datum>> {
        Ok(vec![])
    }

    fn post(&self, category: &str, title: &str, _: &str, _: &Site) -> Answer<Thing> {
        self.say(format!("post {category} {title}"));
        Ok(post(99))
    }

    fn comment(&self, _: &Thing, _: &str, _: &Site) -> Answer<()> {
        Ok(())
    }

    fn close(&self, post: &Thing, status: &str, note: &str) -> Answer<()> {
        self.say(format!("close {post} {status} {note}"));
        Ok(())
    }

    fn message(&self, _: &Thing, _: &str) -> Answer<()> {
        Ok(())
    }

    fn note(&self, text: &str) -> Answer<()> {
        self.say(format!("note {text}"));
        Ok(())
    }

    fn changes(&self, _: &Thing) -> Answer<Vec<Datum>> {
        Ok(vec![])
    }

    fn apply(&self, _: &Thing, _: Datum) -> Answer<()> {
        Ok(())
    }

    fn rules(&self, _: Option<&str>, _: Vec<Name>) -> Answer<Vec<Thing>> {
        Ok(vec![Thing::Rule("one".into())])
    }

    fn repeal(&self, rule: &Thing) -> Answer<()> {
        self.say(format!("repeal {rule}"));
        Ok(())
    }

    fn switch(&self, _: &Thing, _: bool) -> Answer<()> {
        Ok(())
    }

    fn rename(&self, _: &str, _: &str, _: &str) -> Answer<()> {
        Ok(())
    }

    fn prose(&self, _: &Thing, _: i64) -> Answer<String> {
        Ok("One. Two.".into())
    }

    fn amend(&self, _: &Thing, _: i64, _: &str) -> Answer<()> {
        Ok(())
    }

    fn values(&self, _: &str, _: Option<&str>) -> Answer<Vec<Datum>> {
        Ok(vec![])
    }

    fn legal(&self, _: &str, _: &Thing) -> Answer<bool> {
        Ok(true)
    }

    fn ledger_add(
        &self,
        of: &Thing,
        ledger: &str,
        who: Option<&Thing>,
        amount: i64,
        what: &str,
    ) -> Answer<()> {
        self.say(format!("ledger {of} {ledger} {who:?} {amount} {what}"));
        Ok(())
    }

    fn ledger_lines(
        &self,
        _: &Thing,
        _: &str,
        _: Option<&Thing>,
        _: Option<Moment>,
    ) -> Answer<Vec<Datum>> {
        Ok(vec![])
    }

    fn ledger_clear(&self, _: &Thing, _: &str) -> Answer<()> {
        Ok(())
    }

    fn board(&self, _: &str) -> Answer<(Vec<String>, Vec<String>)> {
        let labels = |text: &str| text.chars().map(String::from).collect();
        Ok((labels("ABC"), labels("123")))
    }

    fn quantity(&self, name: &str, base: Datum, context: Vec<Datum>) -> Answer<Datum> {
        let filter = self.filters.borrow().get(name).cloned();
        let Some(filter) = filter else {
            return Ok(base);
        };
        let code = self.code.borrow().clone().expect("a law");
        let mut args = vec![base];
        args.extend(context);
        let budget = quorate_law::Budget::default();
        code.call(&self.me(), &filter, args, vec![], &budget)
    }

    fn has_lost(&self, _: &str, _: &str) -> bool {
        false
    }
    fn attribute_type(&self, _: &str, _: &str) -> Option<Type> {
        None
    }

    fn attributes(&self, _: &str) -> Vec<Name> {
        vec![]
    }
}
