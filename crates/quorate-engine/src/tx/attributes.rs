//! Reading and writing attributes of things: tracked values, computed values, and what every thing has.

use std::sync::Arc;

use quorate_kernel::effect::Way;
use quorate_kernel::rows::CellKey;
use quorate_kernel::state::Effect;
use quorate_kernel::{EntityId, Name, Thing, Value, rows};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, Outside, ShownTo, ValueDecl};
use quorate_law::stop::{Answer, Stop};
use quorate_law::with_article;

use super::Tx;
use crate::convert;
use crate::law::{At, Law};
use crate::lens::{Kept, Question};
use crate::reads::ReadKey;

impl Tx {
    /// The kind of a thing; a fault of the rule for what is gone.
    pub fn kind_of(&self, thing: &Thing) -> Answer<Name> {
        let gone = |what: &str| Stop::fault(format!("there is no such {what} any more"));
        self.with_state(|state| match thing {
            Thing::Game => Ok(Name::from("Game")),
            Thing::Player(_) => Ok(Name::from("Player")),
            Thing::Entity(id) => state
                .entities
                .get(id)
                .map(|e| e.kind.clone())
                .ok_or_else(|| gone("thing")),
            Thing::Post(id) => state
                .posts
                .get(id)
                .map(|post| {
                    if post.category.is_empty() {
                        "Post".into()
                    } else {
                        post.category.clone()
                    }
                })
                .ok_or_else(|| gone("post")),
            Thing::Comment(..) => Ok(Name::from("Comment")),
            Thing::Row(key) => Ok(key.table.clone()),
            Thing::Rule(_) => Ok(Name::from("Rule")),
        })
    }

    /// Whether a thing is still in the game.
    pub fn exists(&self, thing: &Thing) -> bool {
        let law = self.frame().law;
        self.with_state(|state| match thing {
            Thing::Game => true,
            Thing::Player(id) => state.people.contains_key(id),
            Thing::Entity(id) => state.entities.contains_key(id),
            Thing::Post(id) => state.posts.contains_key(id),
            Thing::Comment(post, id) => state.comments.contains_key(&rows::CommentKey {
                post: *post,
                id: *id,
            }),
            Thing::Row(key) => law
                .rows
                .iter()
                .any(|row| row.it.table == key.table && row.it.key == key.key),
            Thing::Rule(id) => state.rules.contains_key(id),
        })
    }

    /// Reads an attribute.
    pub fn attribute(&self, thing: &Thing, name: &str) -> Answer<Datum> {
        let law = self.frame().law;
        let kind = self.kind_of(thing)?;
        if let Some(decl) = law.value(&kind, name) {
            return Ok(self.cell(thing, &decl.it));
        }
        if let Some(decl) = law.derived(&kind, name) {
            let (site, function) = (decl.site.clone(), decl.it.function.clone());
            return self.kept(Question::Derived(function.clone(), thing.clone()), || {
                self.call_at(&site, &function, vec![Datum::Thing(thing.clone())])
            });
        }
        self.builtin(&law, thing, &kind, name)
    }

    /// A kept answer, or the answer worked out now and kept.
    pub fn kept(&self, question: Question, ask: impl FnOnce() -> Answer<Datum>) -> Answer<Datum> {
        let known = self.caches.borrow().get(&question, self.now);
        if let Some((Kept::Datum(datum, effort), reads)) = known
            && self.takes(effort)
        {
            self.read_all(&reads);
            return Ok(datum);
        }
        let ((answer, effort), reads) = self.reading(|| self.measured(ask));
        if let Ok(datum) = &answer {
            // Under a law that is only about to be, answers are not kept: they would meet those of the present one.
            if Arc::ptr_eq(&self.frame().law, &self.law) {
                self.caches
                    .borrow_mut()
                    .keep(question, Kept::Datum(datum.clone(), effort), reads);
            }
        }
        answer
    }

    /// What a tracked value holds, as rule code sees it.
    pub fn cell(&self, thing: &Thing, decl: &ValueDecl) -> Datum {
        if let Holds::Ledger { .. } = decl.holds {
            return Datum::Ledger(thing.clone(), decl.name.clone());
        }
        let key = CellKey {
            thing: thing.clone(),
            name: decl.name.clone(),
        };
        self.read(ReadKey::Cell(key.clone()));
        match self.with_state(|state| state.cells.get(&key).map(|cell| cell.value.clone())) {
            Some(value) => self.living(value.open()),
            None => self.default_of(decl),
        }
    }

    /// A value as a datum, without pointing at what is gone.
    fn living(&self, value: &Value) -> Datum {
        match value {
            Value::Thing(thing) if !self.exists(thing) => Datum::None,
            Value::List(items) => Datum::List(
                items
                    .iter()
                    .filter(|item| !matches!(item, Value::Thing(thing) if !self.exists(thing)))
                    .map(convert::datum)
                    .collect(),
            ),
            other => convert::datum(other),
        }
    }

    /// What a value holds before anything was put there.
    pub fn default_of(&self, decl: &ValueDecl) -> Datum {
        match (&decl.default, &decl.holds) {
            (
                Datum::None,
                Holds::Moment | Holds::Picture | Holds::Reference(_) | Holds::Place { .. },
            ) => Datum::None,
            (Datum::None, holds) => convert::datum(&convert::empty_value(holds)),
            (given, _) => given.clone(),
        }
    }

    /// The default of a value by its name; nothing where the law declares none.
    pub fn default_named(&self, kind: &Name, name: &Name) -> Datum {
        self.frame()
            .law
            .value(kind, name.as_str())
            .map_or(Datum::None, |decl| self.default_of(&decl.it))
    }

    /// Writes an attribute: filters, type, range at once where it stops at its end, then the hooks' notice.
    pub fn set_attribute(&self, thing: &Thing, name: &str, given: Datum) -> Answer<()> {
        let law = self.frame().law;
        let kind = self.kind_of(thing)?;
        let Some(decl) = law.value(&kind, name).cloned() else {
            return Err(Stop::fault(match law.derived(&kind, name) {
                Some(derived) => format!("{} is worked out, not written", derived.it.title),
                None => format!(
                    "{} has no value {name} to write",
                    with_article(kind.as_str())
                ),
            }));
        };
        if !self.exists(thing) {
            return Err(Stop::fault(format!(
                "{} is written of {} that is gone",
                decl.it.title,
                with_article(kind.as_str())
            )));
        }
        let old = self.cell(thing, &decl.it);
        let new = self.filtered(&law, thing, &decl, given, &old)?;
        self.put(thing, &kind, &decl, &old, &new)
    }

    fn filtered(
        &self,
        law: &Law,
        thing: &Thing,
        decl: &At<ValueDecl>,
        given: Datum,
        old: &Datum,
    ) -> Answer<Datum> {
        let mut new = given;
        for filter in law.filters.get(&decl.it.name).into_iter().flatten() {
            new = self.call_at(
                &filter.site,
                &filter.it,
                vec![new, Datum::Thing(thing.clone()), old.clone()],
            )?;
        }
        Ok(new)
    }

    /// Puts a checked value into its cell.
    fn put(
        &self,
        thing: &Thing,
        kind: &Name,
        decl: &At<ValueDecl>,
        old: &Datum,
        new: &Datum,
    ) -> Answer<()> {
        self.check_kind(&decl.it, new)?;
        let mut value =
            convert::value_for(&decl.it, new, &mut || self.salt()).map_err(Stop::fault)?;
        if decl.it.shown_to != ShownTo::All {
            value = value.hidden(self.salt());
        }
        let key = CellKey {
            thing: thing.clone(),
            name: decl.it.name.clone(),
        };
        if old == new && self.with_state(|state| state.cells.contains_key(&key)) {
            return Ok(());
        }
        self.write_cell(kind, key, Some(value), way(old, new));
        Ok(())
    }

    /// Whether the things in a value are of the kind that the declaration names.
    fn check_kind(&self, decl: &ValueDecl, new: &Datum) -> Answer<()> {
        let wanted = match &decl.holds {
            Holds::Reference(kind) => kind,
            Holds::Listing {
                item: quorate_law::datum::Type::Kind(kind),
                ..
            } => kind,
            _ => return Ok(()),
        };
        let things: Vec<&Thing> = match new {
            Datum::Thing(thing) => vec![thing],
            Datum::List(items) => items
                .iter()
                .filter_map(|item| {
                    if let Datum::Thing(thing) = item {
                        Some(thing)
                    } else {
                        None
                    }
                })
                .collect(),
            _ => vec![],
        };
        for thing in things {
            let kind = self.kind_of(thing)?;
            if !self.is_a(&kind, wanted) {
                return Err(Stop::fault(format!(
                    "{} points at {}, not at {}",
                    decl.title,
                    with_article(wanted.as_str()),
                    with_article(kind.as_str())
                )));
            }
        }
        Ok(())
    }

    /// Whether things of one kind are things of another: every category is a `Post`.
    pub fn is_a(&self, kind: &Name, wanted: &Name) -> bool {
        kind == wanted
            || (*wanted == "Post"
                && (self.frame().law.categories.contains_key(kind) || *kind == "Post"))
    }

    /// Gives a new thing the values of its kind, each with its default.
    pub fn write_defaults(&self, thing: &Thing, kind: &Name) {
        let law = self.frame().law;
        for decl in law.values_of(kind) {
            if matches!(decl.it.holds, Holds::Ledger { .. }) {
                continue;
            }
            let key = CellKey {
                thing: thing.clone(),
                name: decl.it.name.clone(),
            };
            let Ok(mut value) =
                convert::value_for(&decl.it, &self.default_of(&decl.it), &mut || self.salt())
            else {
                continue;
            };
            if decl.it.shown_to != ShownTo::All {
                value = value.hidden(self.salt());
            }
            let old = self.with_state(|state| state.cells.get(&key).cloned());
            let new = rows::Cell {
                value,
                at: self.now,
                by: self.seq,
                claimed: false,
            };
            self.write(
                Effect::Cell {
                    key,
                    old,
                    new: Some(new),
                },
                Way::Set,
            );
        }
    }

    /// A new thing that play makes, with some of its values given.
    pub fn create_thing(&self, kind: &Name, values: Vec<(Name, Datum)>) -> Answer<Thing> {
        let law = self.frame().law;
        if !law.entities.contains_key(kind) {
            return Err(Stop::fault(format!(
                "{kind} is no kind of things that play makes: declare it with entity(\"{kind}\")"
            )));
        }
        let id = EntityId(self.make_id());
        let row = rows::Entity {
            kind: kind.clone(),
            made_at: self.now,
        };
        self.write(
            Effect::Entity {
                key: id,
                old: None,
                new: Some(row),
            },
            Way::Set,
        );
        let thing = Thing::Entity(id);
        self.write_defaults(&thing, kind);
        for (name, value) in values {
            self.set_attribute(&thing, name.as_str(), value)?;
        }
        self.happen("created", kind.clone(), vec![Datum::Thing(thing.clone())]);
        Ok(thing)
    }

    /// Takes a thing out of the game, with its values, lines and clocks. What pointed at it points nowhere from now on.
    pub fn remove_thing(&self, thing: &Thing) -> Answer<()> {
        let Thing::Entity(id) = thing else {
            return Err(Stop::fault(format!(
                "{thing} cannot be removed: only things that play made can"
            )));
        };
        let Some(entity) = self.with_state(|state| state.entities.get(id).cloned()) else {
            return Ok(());
        };
        let state = self.state();
        let first = CellKey {
            thing: thing.clone(),
            name: Name::default(),
        };
        let cells: Vec<_> = state
            .cells
            .range(first..)
            .take_while(|(key, _)| key.thing == *thing)
            .map(|(key, cell)| (key.clone(), cell.clone()))
            .collect();
        for (key, cell) in cells {
            self.write(
                Effect::Cell {
                    key,
                    old: Some(cell),
                    new: None,
                },
                Way::Set,
            );
        }
        for (key, line) in state
            .lines
            .iter()
            .filter(|(key, _)| key.cell.thing == *thing)
        {
            self.write(
                Effect::Line {
                    key: key.clone(),
                    old: Some(line.clone()),
                    new: None,
                },
                Way::Take,
            );
        }
        for (key, clock) in state.clocks.iter().filter(|(key, _)| key.thing == *thing) {
            self.write(
                Effect::Clock {
                    key: key.clone(),
                    old: Some(clock.clone()),
                    new: None,
                },
                Way::Set,
            );
        }
        self.write(
            Effect::Entity {
                key: *id,
                old: Some(entity),
                new: None,
            },
            Way::Take,
        );
        self.work.borrow_mut().removed = true;
        Ok(())
    }

    /// Sets values of a thing to their defaults.
    pub fn reset_values(&self, thing: &Thing, names: &[Name]) -> Answer<()> {
        let law = self.frame().law;
        let kind = self.kind_of(thing)?;
        for name in names {
            let Some(decl) = law.value(&kind, name.as_str()) else {
                continue;
            };
            if let Holds::Ledger { .. } = decl.it.holds {
                self.clear_ledger(thing, name);
            } else {
                let default = self.default_of(&decl.it);
                self.set_attribute(thing, name.as_str(), default)?;
            }
        }
        Ok(())
    }

    /// Whether a value of a thing is within its type and range.
    pub fn is_legal(&self, thing: &Thing, name: &str) -> Answer<bool> {
        let law = self.frame().law;
        let kind = self.kind_of(thing)?;
        let Some(decl) = law.value(&kind, name) else {
            return Ok(false);
        };
        let key = CellKey {
            thing: thing.clone(),
            name: Name::from(name),
        };
        self.read(ReadKey::Cell(key.clone()));
        Ok(self.with_state(|state| {
            state
                .cells
                .get(&key)
                .is_none_or(|cell| convert::legal(&decl.it, &cell.value))
        }))
    }

    /// Whether a number that is refused out of range is out of range.
    pub fn out_of_range(decl: &ValueDecl, value: &Value) -> bool {
        matches!(
            decl.holds,
            Holds::Number {
                outside: Outside::Refuse,
                ..
            }
        ) && !convert::legal(decl, value)
    }

    /// What every thing of a kind has, whatever the law.
    fn builtin(&self, law: &Law, thing: &Thing, kind: &Name, name: &str) -> Answer<Datum> {
        let none = || {
            Err(Stop::fault(format!(
                "{} has no {name}",
                with_article(kind.as_str())
            )))
        };
        match thing {
            Thing::Game => self.game_builtin(name).map_or_else(none, Ok),
            Thing::Player(id) => self.person_builtin(*id, name).map_or_else(none, Ok),
            Thing::Entity(id) => {
                let made =
                    self.with_state(|state| state.entities.get(id).map(|entity| entity.made_at));
                match (name, made) {
                    ("made_at", Some(at)) => Ok(Datum::Moment(at)),
                    _ => none(),
                }
            }
            Thing::Post(id) => self.post_builtin(*id, name).map_or_else(none, Ok),
            Thing::Comment(post, id) => {
                self.comment_builtin(*post, *id, name).map_or_else(none, Ok)
            }
            Thing::Row(key) => {
                let row = law
                    .rows
                    .iter()
                    .find(|row| row.it.table == key.table && row.it.key == key.key);
                let Some(row) = row else {
                    return Err(Stop::fault(format!("{} has no row {}", key.table, key.key)));
                };
                match name {
                    "name" => Ok(Datum::Text(key.key.as_str().into())),
                    "rule" => Ok(Datum::Thing(Thing::Rule(row.site.rule.clone()))),
                    _ => row
                        .it
                        .cells
                        .iter()
                        .find(|(cell, _)| *cell == name)
                        .map_or_else(none, |(_, d)| Ok(d.clone())),
                }
            }
            Thing::Rule(id) => self.rule_builtin(id, name).map_or_else(none, Ok),
        }
    }

    fn game_builtin(&self, name: &str) -> Option<Datum> {
        self.with_state(|state| {
            let about = state.about.get(&())?;
            match name {
                "title" => Some(Datum::Text(about.title.as_str().into())),
                "founded_at" => Some(Datum::Moment(about.founded_at)),
                _ => None,
            }
        })
    }
}

/// How a value changes: by an amount, by what was put in or taken out, or by being set anew. An undo asks.
fn way(old: &Datum, new: &Datum) -> Way {
    match (old, new) {
        (Datum::Int(_), Datum::Int(_)) => Way::Add,
        (Datum::List(old), Datum::List(new))
            if new.len() > old.len() && new[..old.len()] == old[..] =>
        {
            Way::Put
        }
        (Datum::List(old), Datum::List(new)) if new.len() < old.len() => Way::Take,
        _ => Way::Set,
    }
}
