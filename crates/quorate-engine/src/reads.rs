//! What an answer of the law rests on: rows that it read, and the moment from which it may be another.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_kernel::rows::{CellKey, ClockKey, Person};
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, PlayerId, PostId};
use quorate_law::stop::sooner;

/// Something that can be read and written, as fine as is worth telling apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReadKey {
    /// A tracked value.
    Cell(CellKey),
    /// Which things of a kind there are; for posts, their heads too.
    Kind(Name),
    /// The roster: who is on it, in what standing, under what name.
    People,
    /// When a person was last seen, which every post and comment of theirs changes.
    Seen(PlayerId),
    /// A post.
    Post(PostId),
    /// The comments under a post.
    Comments(PostId),
    /// The uses of an action or slot.
    Uses(Name),
    /// A ledger.
    Ledger(CellKey),
    /// A test's clock.
    Clock(ClockKey),
    /// The rules, their texts, the terms.
    Rules,
    /// Actions that wait for a choice, or to be done again.
    Open,
}

impl ReadKey {
    /// What an effect writes.
    pub fn written(effect: &Effect) -> Vec<Self> {
        match effect {
            Effect::Cell { key, .. } => vec![Self::Cell(key.clone())],
            Effect::Line { key, .. } => vec![Self::Ledger(key.cell.clone())],
            Effect::Entity { old, new, .. } => old
                .iter()
                .chain(new)
                .map(|entity| Self::Kind(entity.kind.clone()))
                .collect(),
            Effect::Person { key, old, new } => match (old, new) {
                (Some(old), Some(new)) if only_seen(old, new) => vec![Self::Seen(*key)],
                _ => vec![Self::People, Self::Seen(*key)],
            },
            Effect::Post { key, old, new } => {
                let mut keys = vec![Self::Post(*key)];
                keys.extend(
                    old.iter()
                        .chain(new)
                        .map(|post| Self::Kind(post.category.clone())),
                );
                keys
            }
            Effect::Comment { key, .. } => vec![Self::Comments(key.post)],
            Effect::Use { key, .. } => vec![Self::Uses(key.slot.clone())],
            Effect::Clock { key, .. } => vec![Self::Clock(key.clone())],
            Effect::Rule { .. }
            | Effect::Term { .. }
            | Effect::Section { .. }
            | Effect::Breaks { .. } => {
                vec![Self::Rules]
            }
            Effect::Open { .. } | Effect::Waiting { .. } => vec![Self::Open],
            Effect::About { .. }
            | Effect::Message { .. }
            | Effect::Page { .. }
            | Effect::Due { .. }
            | Effect::Duty { .. }
            | Effect::Claim { .. }
            | Effect::Dynasty { .. }
            | Effect::Commitment { .. }
            | Effect::Archived { .. } => vec![],
        }
    }
}

/// Whether nothing about a person is new but when they were last seen.
fn only_seen(old: &Person, new: &Person) -> bool {
    let Person {
        name,
        standing,
        applied_at,
        joined_at,
        left_at,
        seen_at: _,
    } = old;
    (name, standing) == (&new.name, &new.standing)
        && (applied_at, joined_at, left_at) == (&new.applied_at, &new.joined_at, &new.left_at)
}

/// A set of reads.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    keys: BTreeSet<ReadKey>,
    /// What the answers rest on that were asked on the way.
    parts: Vec<Arc<Self>>,
    /// The first moment from which the answer may be another though nothing is written, and from which it is asked again.
    pub until: Option<Moment>,
    /// The first moment from which it may be another because it is made of the time itself.
    flows: Option<Moment>,
}

/// An answer is often asked for many times in a row: among so many parts it is looked whether it is there.
const RECENT: usize = 8;

impl Reads {
    /// Adds a row.
    pub fn note(&mut self, key: ReadKey) {
        self.keys.insert(key);
    }

    /// Adds a moment.
    pub fn note_moment(&mut self, moment: Moment) {
        self.until = sooner(self.until, Some(moment));
    }

    /// Adds a moment up to which an answer that is made of the time itself holds.
    pub fn note_flow(&mut self, moment: Moment) {
        self.flows = sooner(self.flows, Some(moment));
    }

    /// The first moment from which time alone may make it another.
    pub fn turns(&self) -> Option<Moment> {
        sooner(self.until, self.flows)
    }

    /// Adds all of another set.
    pub fn join(&mut self, other: &Arc<Self>) {
        self.until = sooner(self.until, other.until);
        self.flows = sooner(self.flows, other.flows);
        let is_known = |part: &Arc<Self>| Arc::ptr_eq(part, other);
        if !other.is_empty() && !self.parts.iter().rev().take(RECENT).any(is_known) {
            self.parts.push(Arc::clone(other));
        }
    }

    fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.parts.is_empty()
    }

    /// What was read, on the way too.
    pub fn keys(&self) -> BTreeSet<ReadKey> {
        let mut keys = self.keys.clone();
        for part in &self.parts {
            part.add_to(&mut keys);
        }
        keys
    }

    fn add_to(&self, keys: &mut BTreeSet<ReadKey>) {
        keys.extend(self.keys.iter().cloned());
        for part in &self.parts {
            part.add_to(keys);
        }
    }

    /// What was read, of a set without parts.
    pub(crate) fn kept_keys(&self) -> &BTreeSet<ReadKey> {
        &self.keys
    }

    /// The same set without parts, as it is kept.
    pub(crate) fn in_one(self: Arc<Self>) -> Arc<Self> {
        if self.parts.is_empty() {
            return self;
        }
        Arc::new(Self {
            keys: self.keys(),
            parts: Vec::new(),
            until: self.until,
            flows: self.flows,
        })
    }
}
