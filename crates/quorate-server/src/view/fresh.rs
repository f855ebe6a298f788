//! What is new to the reader: in a post since they last opened it, in rules and values since they last said so.

use std::collections::BTreeSet;

use quorate_kernel::rows::{Cell, CellKey, Comment, CommentKey};
use quorate_kernel::{EventSeq, Name, PostId};

use crate::ui::markup::names;
use crate::ui::{Fresh, Icon, NeedsLine, plural, urls};
use crate::view::game::GameView;
use crate::view::kinds::ROSTER;
use crate::view::undone::of_event;

/// The word under which it is noted up to where the reader has seen everything.
pub const ALL: &str = "all";

/// The same of the rules.
pub const RULES: &str = "rules";

/// The same of the values.
pub const VALUES: &str = "values";

/// The word under which it is noted up to where a post was read.
pub fn of_post(id: PostId) -> String {
    format!("post:{id}")
}

impl GameView {
    /// The event up to which the reader has seen everything that goes by a word; none for strangers, and in the past, where
    /// nothing is new.
    fn seen(&self, word: &str) -> Option<EventSeq> {
        let me = self.me.filter(|_| !self.is_past && self.is_member())?;
        let noted = |word: &str| self.read.by_word().get(word).copied();
        // Who came later has not missed what was before, and on a first visit everything was before.
        let all = noted(ALL).unwrap_or(self.head().seq);
        [Some(me.0.event()), Some(all), noted(word)]
            .into_iter()
            .flatten()
            .max()
    }

    /// Whether the reader has not looked at an event since another one.
    pub(crate) fn has_not_seen(&self, seq: EventSeq, since: EventSeq) -> bool {
        let looked = self.read.by_word().get(&of_event(seq));
        looked.is_none_or(|looked| *looked < since)
    }

    /// Whether it was ever noted what the reader has seen.
    pub(crate) fn has_begun_to_see(&self) -> bool {
        self.read.by_word().contains_key(ALL)
    }

    /// Whether a post is new to the reader: somebody else's, and never opened.
    pub(crate) fn is_fresh_post(&self, id: PostId) -> bool {
        let own = self
            .post(id)
            .map(|post| self.author_of(&post.author) == self.me);
        let seen = self.seen(&of_post(id));
        own == Some(false) && seen.is_some_and(|seen| id.0.event() > seen)
    }

    /// Whether a comment is new to the reader.
    pub(crate) fn is_fresh_comment(&self, key: &CommentKey, comment: &Comment) -> bool {
        let seen = self.seen(&of_post(key.post));
        seen.is_some_and(|seen| key.id.0.event() > seen)
            && self.author_of(&comment.author) != self.me
            && self.sees_comment(comment)
    }

    /// What is new about a post, in two words.
    pub(crate) fn fresh_of(&self, id: PostId) -> Option<String> {
        if self.is_fresh_post(id) {
            return Some("new".to_owned());
        }
        self.seen(ALL)?;
        let comments = self.comments_of(id);
        let fresh = comments.filter(|(key, comment)| self.is_fresh_comment(key, comment));
        match fresh.count() {
            0 => None,
            count => Some(plural(count, "new comment", "new comments")),
        }
    }

    /// How many posts are new or have something new.
    pub(crate) fn fresh_posts(&self) -> usize {
        let Some(seen) = self.seen(ALL) else { return 0 };
        if seen >= self.head().seq {
            return 0;
        }
        let mut posts: BTreeSet<PostId> = BTreeSet::new();
        // Most are older than that, which is quickest to tell.
        for (id, post) in &self.state().posts {
            if id.0.event() > seen && self.sees_post(post) && self.is_fresh_post(*id) {
                posts.insert(*id);
            }
        }
        for (key, comment) in &self.state().comments {
            if key.id.0.event() > seen && self.is_fresh_comment(key, comment) {
                posts.insert(key.post);
            }
        }
        posts.len()
    }

    /// Whether a rule has changed since the reader said that they have seen the rules.
    pub(crate) fn is_fresh_rule(&self, rule: &Name) -> bool {
        let changed = self.state().rules.get(rule).map(|rule| rule.changed_by);
        self.seen(RULES)
            .zip(changed)
            .is_some_and(|(seen, changed)| changed > seen)
    }

    /// How many rules have changed.
    pub(crate) fn fresh_rules(&self) -> usize {
        let Some(seen) = self.seen(RULES) else {
            return 0;
        };
        let rules = self.state().rules.values();
        rules.filter(|rule| rule.changed_by > seen).count()
    }

    /// Whether a value has changed since the reader said that they have seen the values.
    pub(crate) fn is_fresh_value(&self, key: &CellKey, cell: &Cell) -> bool {
        self.seen(VALUES).is_some_and(|seen| cell.by > seen) && self.sight().shown(key)
    }

    /// How many tracked values have changed.
    pub(crate) fn fresh_values(&self) -> usize {
        let Some(seen) = self.seen(VALUES) else {
            return 0;
        };
        if seen >= self.head().seq {
            return 0;
        }
        let values = self.law.values.iter();
        let tracked =
            values.filter(|(_, decl)| !decl.it.tracked.is_empty() && decl.it.tracked != ROSTER);
        let tracked: BTreeSet<&Name> = tracked.map(|((_, name), _)| name).collect();
        let cells = self.state().cells.iter();
        let fresh = cells.filter(|(key, cell)| {
            cell.by > seen && tracked.contains(&key.name) && self.sight().shown(key)
        });
        fresh.count()
    }

    /// What is new of one sort, with the button that marks it as seen: "posts", "rules" or "values".
    pub(crate) fn fresh_with_button(&self, what: &str) -> Option<Fresh> {
        let (count, words) = match what {
            "posts" => {
                let count = self.fresh_posts();
                (
                    count,
                    plural(count, "post has something new", "posts have something new"),
                )
            }
            "rules" => {
                let count = self.fresh_rules();
                (
                    count,
                    plural(count, "rule is new or changed", "rules are new or changed"),
                )
            }
            _ => {
                let count = self.fresh_values();
                (
                    count,
                    plural(count, "value has changed", "values have changed"),
                )
            }
        };
        let game = self.game.as_str();
        (count > 0).then(|| Fresh {
            words,
            send: self.send(urls::Seen { game, what }),
        })
    }

    /// Comments that name the reader by an @ and that they have not read, a line for each post.
    pub(crate) fn mentions(&self) -> Vec<NeedsLine> {
        let Some((me, seen)) = self.me.zip(self.seen(ALL)) else {
            return Vec::new();
        };
        let name = self.name(me);
        let mut lines: Vec<NeedsLine> = Vec::new();
        let mut found: BTreeSet<PostId> = BTreeSet::new();
        for (key, comment) in &self.state().comments {
            let is_for_me = key.id.0.event() > seen
                && self.is_fresh_comment(key, comment)
                && comment.text.plain().is_some_and(|text| names(text, &name));
            if !is_for_me || !found.insert(key.post) {
                continue;
            }
            let Some(link) = self.link_to(key.post) else {
                continue;
            };
            lines.push(NeedsLine {
                icon: Icon::Mail,
                title: link.title,
                href: link
                    .href
                    .with("comment", &key.id.to_string())
                    .at(&format!("c{}", key.id)),
                after: String::new(),
                note: format!("{} mentioned you", self.author(&comment.author).name),
                due: None,
            });
        }
        lines
    }
}
