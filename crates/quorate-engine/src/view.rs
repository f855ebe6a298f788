//! Sight: what a reader may see of a game. Every way out asks here.

use quorate_kernel::audience::Reader;
use quorate_kernel::rows::{Author, CellKey, Comment, Duty, Message, Open, OpenKey, Post};
use quorate_kernel::state::State;
use quorate_kernel::{PlayerId, Thing, Value};
use quorate_law::declare::ShownTo;

use crate::law::Law;

/// A game as one reader sees it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The state.
    pub state: &'a State,
    /// The law in force.
    pub law: &'a Law,
    /// Who reads.
    pub reader: Reader,
}

/// A value as a reader sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// The value.
    Value(Value),
    /// There is one, and this reader may not see it.
    Hidden,
    /// There is none.
    Nothing,
}

impl View<'_> {
    /// Who may see the values of a name: of all kinds that declare it the strictest, so that a doubt hides.
    pub fn shown(&self, key: &CellKey) -> bool {
        let decl = self
            .law
            .values
            .iter()
            .find(|((_, name), decl)| *name == key.name && self.is_of(&decl.it.of, &key.thing));
        match decl.map(|(_, decl)| decl.it.shown_to) {
            Some(ShownTo::All) | None => true,
            Some(ShownTo::Owner) => match (self.reader, &key.thing) {
                (Reader::Law, _) => true,
                (Reader::Player(reader), Thing::Player(owner)) => reader == *owner,
                _ => false,
            },
            Some(ShownTo::Nobody) => self.reader == Reader::Law,
        }
    }

    fn is_of(&self, kind: &quorate_kernel::Name, thing: &Thing) -> bool {
        match thing {
            Thing::Game => *kind == "Game",
            Thing::Player(_) => *kind == "Player",
            Thing::Entity(id) => self
                .state
                .entities
                .get(id)
                .is_some_and(|entity| entity.kind == *kind),
            Thing::Post(id) => {
                *kind == "Post"
                    || self
                        .state
                        .posts
                        .get(id)
                        .is_some_and(|post| post.category == *kind)
            }
            Thing::Row(key) => key.table == *kind,
            Thing::Comment(..) => *kind == "Comment",
            Thing::Rule(_) => *kind == "Rule",
        }
    }

    /// A tracked value.
    pub fn cell(&self, key: &CellKey) -> Seen {
        match self.state.cells.get(key) {
            None => Seen::Nothing,
            Some(_) if !self.shown(key) => Seen::Hidden,
            Some(cell) => Seen::Value(cell.value.open().clone()),
        }
    }

    /// The author of a post or a comment, as far as the reader may know them.
    pub fn author(&self, author: &Author) -> Option<PlayerId> {
        match self.reader {
            Reader::Law => author.player(),
            // Authors of hidden posts know their own.
            Reader::Player(reader) if author.player() == Some(reader) => Some(reader),
            _ => author.shown(),
        }
    }

    /// Whether the reader may see a post.
    pub fn post(&self, post: &Post) -> bool {
        post.audience.admits(self.reader)
    }

    /// Whether the reader may see a comment.
    pub fn comment(&self, comment: &Comment) -> bool {
        comment.audience.admits(self.reader)
    }

    /// Whether the reader may see a private message.
    pub fn message(&self, message: &Message) -> bool {
        match self.reader {
            Reader::Law => true,
            Reader::Player(reader) => message.from == Some(reader) || message.to.contains(&reader),
            Reader::Stranger => false,
        }
    }

    /// Whether the reader may see what a duty asks and what is answered.
    pub fn duty(&self, duty: &Duty) -> bool {
        !duty.hidden || self.reader == Reader::Law || self.reader == Reader::Player(duty.to)
    }

    /// Whether the reader may see what an open action asks: it is its player's own affair until it is done.
    pub fn open_action(&self, key: &OpenKey, _open: &Open) -> bool {
        self.reader == Reader::Law || self.reader == Reader::Player(key.who)
    }
}
