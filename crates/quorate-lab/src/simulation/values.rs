//! Random values: of a type, or of a wrong one.

use std::sync::Arc;

use quorate_engine::fields;
use quorate_engine::offers::Field;
use quorate_engine::pictures;
use quorate_kernel::command::typed;
use quorate_kernel::ids::{EntityId, EventSeq, Id};
use quorate_kernel::{Name, PlayerId, PostId, Span, Square, Thing, Value};
use quorate_law::datum::Type;

use super::game::SimulatedGame;

/// Texts that people type, and some that they should not.
const TEXTS: [&str; 14] = [
    "",
    " ",
    "A word",
    "Something rather long that somebody typed into a field that was made for a few words, and then some more of it",
    ":for:",
    "line one\nline two",
    "<script>alert(1)</script>",
    "Ännchen von Tharau",
    "\u{202e}drawkcab",
    "{player}",
    "[Core] Title",
    "0",
    "C4",
    "\u{0}",
];

impl SimulatedGame {
    /// A text.
    pub(super) fn text(&mut self) -> &'static str {
        self.chance.word(&TEXTS)
    }

    /// What somebody gives for a field of a form: mostly one of its options, sometimes nonsense.
    pub(super) fn field_value(&mut self, field: &Field) -> Value {
        if self.chance.one_in(14) {
            return self.nonsense();
        }
        let listed = field
            .options
            .as_deref()
            .filter(|options| !options.is_empty());
        match listed {
            Some(options) if !self.chance.one_in(8) => {
                let one = |sim: &mut Self| options[sim.chance.below(options.len())].0.clone();
                if matches!(field.ty, Type::List(_)) {
                    let count = self.chance.below(4);
                    let items: Vec<Value> = (0..count)
                        .map(|_| fields::as_typed(&field.ty, &one(self)))
                        .collect();
                    return Value::list(items);
                }
                fields::as_typed(&field.ty, &one(self))
            }
            _ => self.of_type(&field.ty),
        }
    }

    /// A value of a type, at its edges more often than not.
    pub(super) fn of_type(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Optional(inner) => {
                if self.chance.one_in(4) {
                    Value::None
                } else {
                    self.of_type(inner)
                }
            }
            Type::List(item) => {
                let count = self.chance.below(4);
                Value::list((0..count).map(|_| self.of_type(item)).collect::<Vec<_>>())
            }
            Type::Int => Value::Int(self.int()),
            Type::Bool => Value::Flag(self.chance.one_in(2)),
            Type::Text => Value::Text(typed(self.text())),
            Type::Moment => Value::Moment(self.now + Span::hours(self.chance.between(-100, 100))),
            Type::Span => Value::Span(Span::minutes(self.chance.between(-60, 6_000))),
            Type::Square => self.square(),
            Type::Picture => Value::Picture(Arc::new(pictures::drawn(
                u16::try_from(self.chance.between(1, 3)).unwrap_or(1) * 40,
                80,
                u64::try_from(self.chance.below(5)).unwrap_or(0),
            ))),
            Type::Kind(kind) => Value::Thing(self.thing(kind)),
            _ => self.nonsense(),
        }
    }

    fn int(&mut self) -> i64 {
        match self.chance.below(12) {
            0 => i64::MAX,
            1 => i64::MIN,
            2 => self.chance.between(-1_000, 1_000_000),
            _ => self.chance.between(-2, 12),
        }
    }

    fn square(&mut self) -> Value {
        let boards: Vec<Name> = self.judge.law().boards.keys().cloned().collect();
        let board = self
            .chance
            .pick(&boards)
            .unwrap_or_else(|| "nowhere".into());
        let mut number = || u16::try_from(self.chance.between(0, 12)).unwrap_or(u16::MAX);
        Value::Square(Square {
            board,
            column: number(),
            row: number(),
        })
    }

    /// A thing of a kind, or sometimes one of another, or one that is not there.
    fn thing(&mut self, kind: &Name) -> Thing {
        if self.chance.one_in(8) {
            return self.any_thing();
        }
        let law = std::sync::Arc::clone(self.judge.law());
        let state = self.state();
        let known: Vec<Thing> = match kind.as_str() {
            "Player" => state.people.keys().map(|id| Thing::Player(*id)).collect(),
            "Game" => vec![Thing::Game],
            "Rule" => state.rules.keys().cloned().map(Thing::Rule).collect(),
            "Post" => state.posts.keys().map(|id| Thing::Post(*id)).collect(),
            "Comment" => state
                .comments
                .keys()
                .map(|key| Thing::Comment(key.post, key.id))
                .collect(),
            _ if law.categories.contains_key(kind) => state
                .posts_of(kind)
                .map(|(_, id)| Thing::Post(id))
                .collect(),
            _ if law.tables.contains_key(kind) => law
                .rows
                .iter()
                .filter(|row| row.it.table == *kind)
                .map(|row| Thing::row(kind.clone(), row.it.key.clone()))
                .collect(),
            _ => state.entities_of(kind).map(Thing::Entity).collect(),
        };
        self.chance.pick(&known).unwrap_or_else(|| self.any_thing())
    }

    /// A post: any, the newest more often.
    pub(super) fn any_post(&mut self) -> Option<PostId> {
        let posts: Vec<PostId> = self.state().posts.keys().rev().take(12).copied().collect();
        self.chance.pick(&posts)
    }

    pub(super) fn any_thing(&mut self) -> Thing {
        let id = Id::new(
            EventSeq(u64::try_from(self.chance.between(1, 400)).unwrap_or(1)),
            0,
        );
        let member = self.members().first().copied();
        match self.chance.below(7) {
            0 => Thing::Game,
            1 => Thing::Player(PlayerId(id)),
            2 => Thing::Entity(EntityId(id)),
            3 => Thing::Post(PostId(id)),
            4 => Thing::row("Nothing", "Nowhere"),
            5 => Thing::Rule("no-such-rule".into()),
            _ => member.map_or(Thing::Game, Thing::Player),
        }
    }

    /// A value of any type at all.
    pub(super) fn nonsense(&mut self) -> Value {
        match self.chance.below(10) {
            0 => Value::None,
            1 => Value::Flag(true),
            2 => Value::Int(self.int()),
            3 => Value::Word(self.text().into()),
            4 => Value::Text(typed(self.text())),
            5 => Value::Moment(self.now),
            6 => Value::Span(Span::days(3)),
            7 => self.square(),
            8 => Value::list([Value::Int(1), Value::Flag(false), Value::None]),
            _ => Value::Thing(self.any_thing()),
        }
    }
}
