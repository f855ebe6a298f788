//! The state of a game: tables of rows, and the effects that change them.
//!
//! State is the fold of effects. It can be read without law or log. Applying an effect checks that what it found is
//! what it says it found, so that a log that does not fit its state is noticed at the first event.

use crate::digest::Digest;
use crate::former::FormerRule;
use crate::ids::{EntityId, EventSeq, Id, MessageId, PlayerId, PostId};
use crate::law::{Rule, Section, Term};
use crate::name::Name;
use crate::rows::{
    About, Archived, Breaks, Cell, CellKey, Claim, ClauseKey, Clock, ClockKey, Comment, CommentKey,
    Commitment, Due, DueKey, Duty, Dynasty, Entity, Line, LineKey, Message, Open, OpenKey,
    PageText, Person, Post, Use, UseKey, Waiting,
};
use crate::sealing::{EachSeal, SealMut};
use crate::time::Moment;
pub use imbl::OrdMap;
use imbl::OrdSet;
use imbl::ordmap::DiffItem;

/// A row of one of the tables: where it is found, and the effect that changes it.
pub trait TableRow: Clone {
    /// What a row is found by.
    type Key;
    /// The row that a state holds under a key.
    fn find<'a>(state: &'a State, key: &Self::Key) -> Option<&'a Self>;
    /// The change of a row from what it was to what it is.
    fn effect(key: Self::Key, old: Option<Self>, new: Option<Self>) -> Effect;
}

/// Writes the state, its effects and what goes over every table, from one list of the tables.
///
/// `as` gives the name by which a table is known outside, where its field has another.
macro_rules! tables {
    ($($(#[$doc:meta])* $field:ident $(as $known_as:literal)?: $variant:ident($key:ty => $row:ty)),+ $(,)?) => {
        /// What a game holds. Cloning is cheap: tables share what they have in common.
        #[derive(Clone, Default, PartialEq, Debug)]
        pub struct State {
            $($(#[$doc])* pub $field: OrdMap<$key, $row>,)+
            /// The same rows as `dues`, by moment. Derived; no effect changes it on its own.
            due_order: OrdSet<(Moment, DueKey)>,
            /// Entities by kind. Derived.
            by_kind: OrdSet<(Name, EntityId)>,
            /// Posts by category and status. Derived.
            by_category: OrdSet<(Name, Name, PostId)>,
        }

        /// One row changed: what it was before and what it is after. Both present: changed; one: made or gone.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum Effect {
            $(
                $(#[$doc])*
                $variant {
                    /// Which row.
                    key: $key,
                    /// What it was.
                    old: Option<$row>,
                    /// What it is.
                    new: Option<$row>,
                },
            )+
        }

        $(impl TableRow for $row {
            type Key = $key;
            fn find<'a>(state: &'a State, key: &$key) -> Option<&'a Self> {
                state.$field.get(key)
            }
            fn effect(key: $key, old: Option<Self>, new: Option<Self>) -> Effect {
                Effect::$variant { key, old, new }
            }
        })+

        impl Effect {
            /// The effect that takes this one back.
            #[must_use]
            pub fn inverse(self) -> Self {
                match self {
                    $(Self::$variant { key, old, new } => Self::$variant { key, old: new, new: old },)+
                }
            }

            /// The same change of the row that another state holds.
            #[must_use]
            pub fn onto(self, state: &State) -> Self {
                match self {
                    $(Self::$variant { key, new, .. } => {
                        let old = state.$field.get(&key).cloned();
                        Self::$variant { key, old, new }
                    })+
                }
            }

            /// Whether nothing changes.
            pub fn is_idle(&self) -> bool {
                match self {
                    $(Self::$variant { old, new, .. } => old == new,)+
                }
            }

            /// The name by which the table that it touches is known outside.
            pub fn table(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => [$($known_as,)? stringify!($field)][0],)+
                }
            }

            /// Visits every seal in the effect.
            pub fn seals(&mut self, visit: &mut dyn FnMut(SealMut<'_>)) {
                match self {
                    $(Self::$variant { old, new, .. } => {
                        old.each_seal(visit);
                        new.each_seal(visit);
                    })+
                }
            }
        }

        impl State {
            /// Makes one change.
            pub fn apply(&mut self, effect: &Effect) -> Result<(), Mismatch> {
                match effect {
                    $(Effect::$variant { key, old, new } => {
                        if self.$field.get(key) != old.as_ref() {
                            return Err(Mismatch { table: stringify!($field), key: format!("{key:?}") });
                        }
                        match new {
                            Some(row) => { self.$field.insert(key.clone(), row.clone()); }
                            None => { self.$field.remove(key); }
                        }
                    })+
                }
                self.index(effect);
                Ok(())
            }

            /// The effects that make another state out of this one.
            pub fn differences(&self, other: &Self) -> Vec<Effect> {
                let mut effects = Vec::new();
                $(effects.extend(self.$field.diff(&other.$field).map(|item| {
                    let (key, old, new) = match item {
                        DiffItem::Add(key, new) => (key, None, Some(new)),
                        DiffItem::Update { old: (key, old), new: (_, new) } => (key, Some(old), Some(new)),
                        DiffItem::Remove(key, old) => (key, Some(old), None),
                    };
                    Effect::$variant { key: key.clone(), old: old.cloned(), new: new.cloned() }
                }));)+
                effects
            }

            /// The effects that make this state out of nothing: what a snapshot holds.
            pub fn effects(&self) -> Vec<Effect> {
                let mut effects = Vec::new();
                $(effects.extend(self.$field.iter().map(|(key, row)| Effect::$variant {
                    key: key.clone(),
                    old: None,
                    new: Some(row.clone()),
                }));)+
                effects
            }
        }
    };
}

tables! {
    /// What the game is called and which rulebook it came from; one row.
    about: About(() => About),
    /// The roster.
    people: Person(PlayerId => Person),
    /// Tracked values.
    cells: Cell(CellKey => Cell),
    /// Lines of ledgers.
    lines: Line(LineKey => Line),
    /// Things that play made.
    entities: Entity(EntityId => Entity),
    /// Posts.
    posts: Post(PostId => Post),
    /// Comments.
    comments: Comment(CommentKey => Comment),
    /// Private messages.
    messages: Message(MessageId => Message),
    /// Sections of the ruleset.
    sections: Section(Name => Section),
    /// Rules.
    rules: Rule(Name => Rule),
    /// Words of the theme.
    terms: Term(Name => Term),
    /// Pages that play writes.
    pages: Page(Name => PageText),
    /// Uses of actions.
    uses: Use(UseKey => Use),
    /// Tests that hold, and since when.
    clocks: Clock(ClockKey => Clock),
    /// What falls due.
    dues: Due(DueKey => Due),
    /// Questions left to somebody.
    duties: Duty(Id => Duty),
    /// Actions that wait for a choice.
    open: Open(OpenKey => Open),
    /// Dice that wait for the same player's next go at an action.
    waiting: Waiting(OpenKey => Waiting),
    /// Changes made by hand.
    claims: Claim(Id => Claim),
    /// Dynasties, by number.
    dynasties: Dynasty(u32 => Dynasty),
    /// Clauses whose code has broken.
    breaks: Breaks(ClauseKey => Breaks),
    /// Contents of values that left the law.
    archive: Archived(CellKey => Archived),
    /// What was said of the dice beforehand, by the event that said it.
    commitments as "commitments": Commitment(EventSeq => Commitment),
}

/// An effect that does not fit the state: the row is not what the effect says it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the row {key} of {table} is not what the effect found")]
pub struct Mismatch {
    /// The table.
    pub table: &'static str,
    /// The row's key.
    pub key: String,
}

impl State {
    /// Makes all changes, in order; on a mismatch the state is as before.
    pub fn apply_all<'a>(
        &mut self,
        effects: impl IntoIterator<Item = &'a Effect>,
    ) -> Result<(), Mismatch> {
        let before = self.clone();
        for effect in effects {
            if let Err(mismatch) = self.apply(effect) {
                *self = before;
                return Err(mismatch);
            }
        }
        Ok(())
    }

    /// The state that effects make out of nothing.
    pub fn fold<'a>(effects: impl IntoIterator<Item = &'a Effect>) -> Result<Self, Mismatch> {
        let mut state = Self::default();
        effects
            .into_iter()
            .try_for_each(|effect| state.apply(effect))?;
        Ok(state)
    }

    /// The first moment at which something falls due, with all that falls due then.
    pub fn next_due(&self) -> Option<(Moment, Vec<DueKey>)> {
        let (first, _) = self.due_order.get_min()?;
        let keys = self
            .due_order
            .iter()
            .take_while(|(at, _)| at == first)
            .map(|(_, key)| key.clone())
            .collect();
        Some((*first, keys))
    }

    /// The things of a kind that play made, oldest first.
    pub fn entities_of(&self, kind: &Name) -> impl Iterator<Item = EntityId> + '_ {
        let kind = kind.clone();
        let first = (kind.clone(), EntityId(Id::new(crate::ids::EventSeq(0), 0)));
        self.by_kind
            .range(first..)
            .take_while(move |(k, _)| *k == kind)
            .map(|(_, id)| *id)
    }

    /// The posts of a category, by status and then oldest first.
    pub fn posts_of(&self, category: &Name) -> impl Iterator<Item = (&Name, PostId)> + '_ {
        let category = category.clone();
        let first = (
            category.clone(),
            Name::default(),
            PostId(Id::new(crate::ids::EventSeq(0), 0)),
        );
        self.by_category
            .range(first..)
            .take_while(move |(c, ..)| *c == category)
            .map(|(_, status, id)| (status, *id))
    }

    /// The posts of a category that have a status, oldest first. No other is looked at.
    pub fn posts_at<'a>(
        &'a self,
        category: &'a Name,
        status: &'a Name,
    ) -> impl Iterator<Item = PostId> + 'a {
        let zero = PostId(Id::new(crate::ids::EventSeq(0), 0));
        let first = (category.clone(), status.clone(), zero);
        self.by_category
            .range(first..)
            .take_while(move |(c, s, _)| c == category && s == status)
            .map(|(_, _, id)| *id)
    }

    /// The comments under a post, oldest first.
    pub fn comments_of(&self, post: PostId) -> impl Iterator<Item = (&CommentKey, &Comment)> + '_ {
        let zero = Id::new(crate::ids::EventSeq(0), 0);
        let first = CommentKey {
            post,
            id: crate::ids::CommentId(zero),
        };
        self.comments
            .range(first..)
            .take_while(move |(key, _)| key.post == post)
    }

    /// The lines of a ledger, oldest first.
    pub fn lines_of<'a>(
        &'a self,
        cell: &'a CellKey,
    ) -> impl Iterator<Item = (&'a LineKey, &'a Line)> + 'a {
        let first = LineKey {
            cell: cell.clone(),
            id: Id::new(crate::ids::EventSeq(0), 0),
        };
        self.lines
            .range(first..)
            .take_while(move |(key, _)| key.cell == *cell)
    }

    /// The rules of the law in document order: sections by rank, rules by rank.
    pub fn rules_in_order(&self) -> Vec<(&Name, &Rule)> {
        let mut rules: Vec<_> = self.rules.iter().collect();
        rules.sort_by_key(|(id, rule)| {
            let section = self
                .sections
                .get(&rule.section)
                .map_or(i64::MAX, |section| section.rank);
            (section, rule.rank, (*id).clone())
        });
        rules
    }

    /// Texts of rules that are no longer law, the latest first.
    pub fn former_rules(&self) -> Vec<FormerRule<'_>> {
        let mut former: Vec<_> = self
            .archive
            .range(FormerRule::first_key()..)
            .filter_map(|(key, row)| FormerRule::read(key, row))
            .collect();
        former.reverse();
        former.sort_by_key(|former| std::cmp::Reverse(former.at));
        former
    }

    /// The digest of the law: what judges commands, and nothing else.
    pub fn law_digest(&self) -> Digest {
        let edition = self.about.get(&()).map_or(0, |about| about.edition);
        let digests: Vec<_> = self
            .rules_in_order()
            .into_iter()
            .map(|(id, rule)| (id.clone(), rule.digest(), rule.changed_by))
            .collect();
        let mut parts: Vec<Vec<u8>> = vec![edition.to_le_bytes().to_vec()];
        for (id, digest, since) in digests {
            parts.push(id.as_str().as_bytes().to_vec());
            parts.push(digest.0.to_vec());
            // Of two rules that define one name the older keeps it, so that age is part of the law.
            parts.push(since.0.to_le_bytes().to_vec());
        }
        // What became of names that rules gave up is part of what code means.
        for former in self.former_rules() {
            let FormerRule {
                id, title, text, ..
            } = former;
            parts.push(
                format!("former {id} {title} {} {}", former.at, former.repealed).into_bytes(),
            );
            parts.push(text.as_bytes().to_vec());
        }
        for (key, row) in self.breaks.iter().filter(|(_, row)| row.asleep) {
            parts.push(format!("asleep {} {} {}", key.rule, key.fence, row.asleep).into_bytes());
        }
        Digest::of_parts(parts.iter().map(Vec::as_slice))
    }

    /// Keeps the derived orders in step with one effect.
    fn index(&mut self, effect: &Effect) {
        match effect {
            Effect::Due { key, old, new } => {
                if let Some(due) = old {
                    self.due_order.remove(&(due.at, key.clone()));
                }
                if let Some(due) = new {
                    self.due_order.insert((due.at, key.clone()));
                }
            }
            Effect::Entity { key, old, new } => {
                if let Some(entity) = old {
                    self.by_kind.remove(&(entity.kind.clone(), *key));
                }
                if let Some(entity) = new {
                    self.by_kind.insert((entity.kind.clone(), *key));
                }
            }
            Effect::Post { key, old, new } => {
                if let Some(post) = old {
                    self.by_category
                        .remove(&(post.category.clone(), post.status.clone(), *key));
                }
                if let Some(post) = new {
                    self.by_category
                        .insert((post.category.clone(), post.status.clone(), *key));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
