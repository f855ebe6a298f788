//! Sight: what a reader may see of a game. Every way out asks here.

use quorate_kernel::audience::Reader;
use quorate_kernel::effect::Effect;
use quorate_kernel::rows::{Author, Cell, CellKey, Comment, Duty, Message, Open, OpenKey, Post};
use quorate_kernel::state::State;
use quorate_kernel::{PlayerId, Thing, Value};
use quorate_law::declare::{ShownTo, ValueDecl};

use crate::law::{At, Law};

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
        let decl = self.decl(key);
        decl.is_none_or(|decl| self.admits(decl.it.shown_to, &key.thing))
    }

    fn admits(&self, shown_to: ShownTo, thing: &Thing) -> bool {
        match shown_to {
            ShownTo::All => true,
            ShownTo::Owner => match (self.reader, thing) {
                (Reader::Law, _) => true,
                (Reader::Player(reader), Thing::Player(owner)) => reader == *owner,
                _ => false,
            },
            ShownTo::Nobody => self.reader == Reader::Law,
        }
    }

    fn decl(&self, key: &CellKey) -> Option<&At<ValueDecl>> {
        let mut decls = self.law.values.iter();
        let decl = decls
            .find(|((_, name), decl)| *name == key.name && self.is_of(&decl.it.of, &key.thing));
        decl.map(|(_, decl)| decl)
    }

    /// Whether the reader may see what a value was and became. One that was hidden when it was written stays so where the
    /// law no longer says from whom.
    pub fn change(&self, key: &CellKey, old: Option<&Cell>, new: Option<&Cell>) -> bool {
        let mut cells = old.into_iter().chain(new);
        let is_hidden = cells.any(|cell| matches!(cell.value, Value::Hidden(_)));
        self.shown(key) && (!is_hidden || self.reader == Reader::Law || self.decl(key).is_some())
    }

    /// Whether the reader may see a computed value: those too are shown to all, to their owner, or to nobody.
    pub fn computed(&self, thing: &Thing, name: &str) -> bool {
        let mut decls = self.law.derived.iter().filter(|((kind, known), _)| {
            *known == name
                && (self.is_of(kind, thing) || !matches!(thing, Thing::Game | Thing::Player(_)))
        });
        decls.all(|(_, decl)| self.admits(decl.it.shown_to, thing))
    }

    /// The state to try changes on of which the reader sees all effects: what is hidden from them counts there as never
    /// set, for code among the changes could carry it to where everybody sees it.
    pub fn blind(&self) -> State {
        let mut state = self.state.clone();
        let cells = self.state.cells.iter();
        let hidden = cells.filter(|(key, cell)| !self.change(key, Some(cell), None));
        let hidden: Vec<Effect> = hidden
            .map(|(key, cell)| Effect::Cell {
                key: key.clone(),
                old: Some(cell.clone()),
                new: None,
            })
            .collect();
        // Each effect was read from this very state, so it fits.
        let fits = state.apply_all(&hidden);
        debug_assert!(fits.is_ok(), "{fits:?}");
        state
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

#[cfg(test)]
mod tests {
    use quorate_kernel::{EventSeq, Id, Name};

    use super::*;
    use crate::tiny_game::{TinyGame, game, new_post};

    const SECRETS: &str = r#"gold = number("Gold", of = player)
plan = number("Plan", of = player, shown_to = "owner")
fate = number("Fate", of = player, shown_to = "nobody")
category("Whisper", author = "hidden")"#;

    fn other() -> PlayerId {
        PlayerId(Id::new(EventSeq(99), 0))
    }

    fn view(game: &TinyGame, reader: Reader) -> View<'_> {
        View {
            state: game.judge.state(),
            law: game.judge.law(),
            reader,
        }
    }

    #[test]
    fn a_value_is_seen_by_those_to_whom_it_is_shown() {
        let game = game(SECRETS);
        let seen = |reader| {
            let view = view(&game, reader);
            ["gold", "plan", "fate"].map(|name| {
                let key = CellKey {
                    thing: Thing::Player(game.anna),
                    name: name.into(),
                };
                view.cell(&key) == Seen::Value(Value::Int(0))
            })
        };
        assert_eq!(seen(Reader::Law), [true, true, true]);
        assert_eq!(seen(Reader::Player(game.anna)), [true, true, false]);
        assert_eq!(seen(Reader::Player(other())), [true, false, false]);
        assert_eq!(seen(Reader::Stranger), [true, false, false]);
    }

    #[test]
    fn a_copy_for_a_reader_holds_no_value_that_they_may_not_see() {
        let game = game(SECRETS);
        let blind = view(&game, Reader::Player(other())).blind();
        let left: Vec<&Name> = blind.cells.keys().map(|key| &key.name).collect();
        assert_eq!(left, ["gold"]);
    }

    #[test]
    fn a_hidden_author_knows_their_own_posts_and_nobody_else_does() {
        let mut game = game(SECRETS);
        let whisper = game.post(new_post("Whisper", "Who am I?"));
        let whisper = whisper.expect("anybody may");
        let author = &game.judge.state().posts[&whisper].author;
        let known = |reader| view(&game, reader).author(author);
        assert_eq!(known(Reader::Player(game.anna)), Some(game.anna));
        assert_eq!(known(Reader::Player(other())), None);
        assert_eq!(known(Reader::Stranger), None);
        assert_eq!(known(Reader::Law), Some(game.anna));
    }
}
