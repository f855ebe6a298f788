//! The rows of a game's tables that the reader may read.

use quorate_engine::view::Seen;
use quorate_kernel::digest::Digest;
use quorate_kernel::ids::{EntityId, Id, MessageId};
use quorate_kernel::law::{Rule, Section, Term};
use quorate_kernel::rows::{
    About, Author, Breaks, Cell, CellKey, Claim, ClauseKey, Comment, CommentKey, Commitment, Duty,
    Dynasty, Entity, Message, Open, OpenKey, PageText, Person, Post,
};
use quorate_kernel::state::OrdMap;
use quorate_kernel::{EventSeq, Name, PlayerId, PostId};

use crate::view::game::GameView;

/// The tables that everybody may read whole.
#[allow(missing_docs, reason = "they are named as those of the state are")]
pub struct Public<'a> {
    pub about: &'a OrdMap<(), About>,
    pub people: &'a OrdMap<PlayerId, Person>,
    pub sections: &'a OrdMap<Name, Section>,
    pub rules: &'a OrdMap<Name, Rule>,
    pub terms: &'a OrdMap<Name, Term>,
    pub pages: &'a OrdMap<Name, PageText>,
    pub claims: &'a OrdMap<Id, Claim>,
    pub dynasties: &'a OrdMap<u32, Dynasty>,
    pub breaks: &'a OrdMap<ClauseKey, Breaks>,
    pub commitments: &'a OrdMap<EventSeq, Commitment>,
    pub entities: &'a OrdMap<EntityId, Entity>,
}

impl GameView {
    /// The tables that everybody may read whole.
    pub fn public(&self) -> Public<'_> {
        let state = self.state();
        Public {
            about: &state.about,
            people: &state.people,
            sections: &state.sections,
            rules: &state.rules,
            terms: &state.terms,
            pages: &state.pages,
            claims: &state.claims,
            dynasties: &state.dynasties,
            breaks: &state.breaks,
            commitments: &state.commitments,
            entities: &state.entities,
        }
    }

    /// The rules in the order in which they are read.
    pub fn rules_in_order(&self) -> Vec<(&Name, &Rule)> {
        self.state().rules_in_order()
    }

    /// The digest of the law.
    pub fn law_digest(&self) -> Digest {
        self.state().law_digest()
    }

    /// The posts that the reader may see, oldest first.
    pub fn posts(&self) -> impl DoubleEndedIterator<Item = (&PostId, &Post)> {
        let posts = self.state().posts.iter();
        posts.filter(|(_, post)| self.sees_post(post))
    }

    /// Those of them whose status may still change, oldest first.
    pub fn open_posts(&self) -> impl DoubleEndedIterator<Item = (&PostId, &Post)> {
        let open = self.open.get_or_init(|| {
            let mut open = Vec::new();
            for (name, category) in &self.law.categories {
                let Some(first) = category.it.statuses.first() else {
                    continue;
                };
                let of = self.state().posts_at(name, first);
                open.extend(of.filter(|id| self.post(*id).is_some_and(|post| self.is_open(post))));
            }
            open.sort_unstable();
            open
        });
        let rows = open.iter();
        rows.filter_map(|id| self.state().posts.get_key_value(id))
    }

    /// A post that the reader may see.
    pub fn post(&self, id: PostId) -> Option<&Post> {
        let post = self.state().posts.get(&id)?;
        self.sees_post(post).then_some(post)
    }

    /// The comments that the reader may see.
    pub fn comments(&self) -> impl DoubleEndedIterator<Item = (&CommentKey, &Comment)> {
        let comments = self.state().comments.iter();
        comments.filter(|(_, comment)| self.sees_comment(comment))
    }

    /// Those under one post, oldest first.
    pub fn comments_of(&self, id: PostId) -> impl Iterator<Item = (&CommentKey, &Comment)> {
        let under = self.state().comments_of(id);
        under.filter(|(_, comment)| self.sees_comment(comment))
    }

    /// The messages that the reader wrote or was sent, oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = (&MessageId, &Message)> {
        let messages = self.state().messages.iter();
        messages.filter(|(_, message)| self.sight().message(message))
    }

    /// A value as kept, where the reader may see it.
    pub fn cell(&self, key: &CellKey) -> Option<&Cell> {
        let cell = self.state().cells.get(key)?;
        self.sees_cell(key).then_some(cell)
    }

    /// A value as kept, or that it is hidden.
    pub fn cell_seen(&self, key: &CellKey) -> Seen {
        self.sight().cell(key)
    }

    /// Actions of the reader that wait for a choice of theirs.
    pub fn my_open(&self) -> impl Iterator<Item = (&OpenKey, &Open)> {
        let open = self.state().open.iter();
        open.filter(|(key, _)| Some(key.who) == self.me)
    }

    /// What is left to the reader to decide.
    pub fn my_duties(&self) -> impl Iterator<Item = (&Id, &Duty)> {
        let duties = self.state().duties.iter();
        duties.filter(|(_, duty)| Some(duty.to) == self.me)
    }

    /// Whether the reader may see a post.
    pub fn sees_post(&self, post: &Post) -> bool {
        self.sight().post(post)
    }

    /// Whether the reader may see a comment.
    pub fn sees_comment(&self, comment: &Comment) -> bool {
        self.sight().comment(comment)
    }

    /// Whether the reader may see a value.
    pub fn sees_cell(&self, key: &CellKey) -> bool {
        self.sight().shown(key)
    }

    /// Whether the reader may know of a change of a value.
    pub fn sees_change(&self, key: &CellKey, old: Option<&Cell>, new: Option<&Cell>) -> bool {
        self.sight().change(key, old, new)
    }

    /// Who wrote something, as far as the reader may know.
    pub fn author_of(&self, author: &Author) -> Option<PlayerId> {
        self.sight().author(author)
    }
}
