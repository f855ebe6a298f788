//! Posts, comments and messages.

use std::sync::Arc;

use quorate_kernel::audience::Audience;
use quorate_kernel::effect::Way;
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::{self, Author, CommentKey, IconUse};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect;
use quorate_kernel::{CommentId, Name, PlayerId, PostId, Thing};
use quorate_law::datum::{Datum, Record};
use quorate_law::stop::{Answer, Stop};
use quorate_law::with_article;

use super::Tx;
use crate::convert;
use crate::reads::ReadKey;

/// A post about to be made.
pub struct Draft {
    /// Its category; empty for none.
    pub category: Name,
    /// Who writes it; none for the game.
    pub author: Option<PlayerId>,
    /// Its title.
    pub title: Sealed<str>,
    /// Its text.
    pub body: Sealed<str>,
    /// Its flavour text.
    pub flavour: Sealed<str>,
    /// The changes it carries.
    pub patch: Option<Sealed<Patch>>,
}

/// The bracketed words of a title: `[Core] A wording` has the tag `Core`.
pub fn tags_of(title: &str) -> Vec<Name> {
    let mut tags = Vec::new();
    let mut rest = title;
    while let Some((_, after)) = rest.split_once('[') {
        let Some((tag, after)) = after.split_once(']') else {
            break;
        };
        let tag = Name::from(tag.trim());
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
        rest = after;
    }
    tags
}

/// The subject of a title: what follows the first colon, or all of it.
pub fn subject_of(title: &str) -> &str {
    title
        .split_once(':')
        .map_or(title, |(_, subject)| subject)
        .trim()
}

/// The icons in a text, in reading order: `:for:` is the icon `for`.
pub fn icons_in(text: &str, known: &dyn Fn(&str) -> bool) -> Vec<Name> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(':') {
        let Some((word, beyond)) = after.split_once(':') else {
            break;
        };
        if known(word) {
            found.push(Name::from(word));
            rest = beyond;
        } else {
            rest = after;
        }
    }
    found
}

/// Whether a title begins with a prefix, space and case aside.
fn starts_alike(title: &str, prefix: &str) -> bool {
    let bare = |text: &str| {
        text.chars()
            .filter(|c| !c.is_whitespace())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    bare(title).starts_with(&bare(prefix))
}

/// A title under its category's prefix, with a space between them.
fn headed(prefix: &str, title: &str) -> String {
    format!("{} {}", prefix.trim_end(), title.trim_start())
}

impl Tx {
    /// A title as its category wants it: one that lacks the prefix gets it.
    pub fn titled(&self, category: &Name, title: Sealed<str>) -> Sealed<str> {
        let law = self.frame().law;
        let prefix = law
            .categories
            .get(category)
            .map(|decl| decl.it.prefix.as_str());
        match prefix {
            Some(prefix) if !prefix.is_empty() && !starts_alike(title.as_str(), prefix) => {
                Sealed::close(headed(prefix, title.as_str()), self.salt())
            }
            _ => title,
        }
    }

    /// Makes a post.
    pub fn make_post(&self, draft: Draft) -> PostId {
        let law = self.frame().law;
        let category = law.categories.get(&draft.category);
        let hidden = category.is_some_and(|category| category.it.author_hidden);
        let author = match draft.author {
            Some(id) if hidden => Author::Hidden(Sealed::close(id, self.salt())),
            Some(id) => Author::Named(id),
            None => Author::Game,
        };
        let id = PostId(self.make_id());
        let title = self.titled(&draft.category, draft.title);
        let tags = tags_of(title.as_str());
        let post = rows::Post {
            category: draft.category.clone(),
            author,
            at: self.now,
            open_at: self.now,
            edited_at: None,
            title,
            tags,
            body: draft.body,
            flavour: draft.flavour,
            status: category
                .and_then(|category| category.it.statuses.first().cloned())
                .unwrap_or_default(),
            closed_at: None,
            closed_by: None,
            note: Sealed::close("", [0; 16]),
            patch: draft.patch,
            audience: Audience::Everybody,
            comments: 0,
        };
        self.write(
            Effect::Post {
                key: id,
                old: None,
                new: Some(post),
            },
            Way::Set,
        );
        let kind = if draft.category.is_empty() {
            Name::from("Post")
        } else {
            draft.category
        };
        self.write_defaults(&Thing::Post(id), &kind);
        // That the author of a hidden post was seen would tell who it is.
        if let Some(author) = draft.author.filter(|_| !hidden) {
            self.seen(author);
        }
        id
    }

    /// Tells the hooks that a post has come into its category.
    pub fn announce_post(&self, id: PostId) {
        let category =
            self.with_state(|state| state.posts.get(&id).map(|post| post.category.clone()));
        let kind = category
            .filter(|category| !category.is_empty())
            .unwrap_or_else(|| "Post".into());
        self.happen("posted", kind, vec![Datum::Thing(Thing::Post(id))]);
    }

    /// Changes a post's row.
    pub fn write_post(&self, id: PostId, change: impl FnOnce(&mut rows::Post)) -> Answer<()> {
        let Some(old) = self.with_state(|state| state.posts.get(&id).cloned()) else {
            return Err(Stop::fault("there is no such post"));
        };
        let mut new = old.clone();
        change(&mut new);
        self.write(
            Effect::Post {
                key: id,
                old: Some(old),
                new: Some(new),
            },
            Way::Set,
        );
        Ok(())
    }

    /// Puts a comment under a post and tells the hooks.
    pub fn make_comment(
        &self,
        post: PostId,
        author: Option<PlayerId>,
        text: Sealed<str>,
        icons: Vec<IconUse>,
    ) -> Answer<CommentKey> {
        let key = CommentKey {
            post,
            id: CommentId(self.make_id()),
        };
        let author = author.map_or(Author::Game, Author::Named);
        let by = author.player();
        let row = rows::Comment {
            author,
            at: self.now,
            text,
            icons,
            audience: Audience::Everybody,
        };
        self.write(
            Effect::Comment {
                key,
                old: None,
                new: Some(row),
            },
            Way::Set,
        );
        self.write_post(post, |post| post.comments += 1)?;
        if let Some(by) = by {
            self.seen(by);
        }
        let kind = self.kind_of(&Thing::Post(post))?;
        let comment = Thing::Comment(key.post, key.id);
        self.happen(
            "commented",
            kind,
            vec![Datum::Thing(comment), Datum::Thing(Thing::Post(post))],
        );
        Ok(key)
    }

    /// A rule edits a post's text.
    pub fn edit_text(&self, id: PostId, title: Option<&str>, body: Option<&str>) -> Answer<()> {
        let title = title.map(|title| Sealed::<str>::close(title, self.salt()));
        let body = body.map(|body| Sealed::<str>::close(body, self.salt()));
        let now = self.now;
        self.write_post(id, |post| {
            if let Some(title) = title {
                post.tags = tags_of(title.as_str());
                post.title = title;
            }
            if let Some(body) = body {
                post.body = body;
            }
            post.edited_at = Some(now);
        })
    }

    /// The names of all icons that some category knows.
    pub fn icon_names(&self) -> Vec<Name> {
        let law = self.frame().law;
        let mut names: Vec<Name> = law
            .categories
            .values()
            .flat_map(|category| category.it.icons.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Closes a matter under a status.
    pub fn close_post(&self, id: PostId, status: &str, note: &str) -> Answer<()> {
        let kind = self.kind_of(&Thing::Post(id))?;
        let law = self.frame().law;
        let known = law.categories.get(&kind).is_none_or(|category| {
            category.it.statuses.is_empty()
                || category.it.statuses.iter().any(|known| known == status)
        });
        if !known {
            return Err(Stop::fault(format!(
                "{} has no status \"{status}\"",
                with_article(kind.as_str())
            )));
        }
        let (now, by) = (self.now, self.actor());
        let note = Sealed::close(note, self.salt());
        self.write_post(id, |post| {
            post.status = Name::from(status);
            post.closed_at = Some(now);
            post.closed_by = by;
            post.note = note;
        })
    }

    /// Sends a private message.
    pub fn send(&self, from: Option<PlayerId>, to: Vec<PlayerId>, text: Sealed<str>) {
        let key = quorate_kernel::ids::MessageId(self.make_id());
        let row = rows::Message {
            from,
            to,
            at: self.now,
            text,
        };
        self.write(
            Effect::Message {
                key,
                old: None,
                new: Some(row),
            },
            Way::Set,
        );
    }

    /// Notes that somebody was seen: a post or a comment of theirs.
    fn seen(&self, id: PlayerId) {
        let now = self.now;
        // A person who wrote something is on the roster; the row cannot be missing.
        let _ = self.write_person(id, |person| person.seen_at = now);
    }

    /// The icons under a post, as records.
    pub fn icon_records(&self, post: PostId, by: Option<PlayerId>) -> Vec<Datum> {
        self.read(ReadKey::Comments(post));
        self.with_state(|state| {
            let mut records = Vec::new();
            for (key, comment) in state.comments_of(post) {
                let author = comment.author.shown();
                if by.is_some() && author != by {
                    continue;
                }
                for icon in &comment.icons {
                    records.push(icon_record(key, comment, icon, author));
                }
            }
            records
        })
    }

    pub(super) fn post_builtin(&self, id: PostId, name: &str) -> Option<Datum> {
        self.read(ReadKey::Post(id));
        let person =
            |id: Option<PlayerId>| id.map_or(Datum::None, |id| Datum::Thing(Thing::Player(id)));
        let text = |seal: &Sealed<str>| Datum::Text(seal.shared().unwrap_or_else(|| Arc::from("")));
        let moment = |at: Option<quorate_kernel::Moment>| at.map_or(Datum::None, Datum::Moment);
        if name == "comments" {
            self.read(ReadKey::Comments(id));
            return Some(self.with_state(|state| {
                Datum::List(
                    state
                        .comments_of(id)
                        .map(|(key, _)| Datum::Thing(Thing::Comment(id, key.id)))
                        .collect(),
                )
            }));
        }
        self.with_state(|state| {
            let post = state.posts.get(&id)?;
            Some(match name {
                "author" => person(post.author.shown()),
                "at" => Datum::Moment(post.at),
                "open_at" => Datum::Moment(post.open_at),
                "edited_at" => moment(post.edited_at),
                "title" => text(&post.title),
                "subject" => Datum::Text(subject_of(post.title.as_str()).into()),
                "tags" => Datum::List(
                    post.tags
                        .iter()
                        .map(|tag| Datum::Text(tag.as_str().into()))
                        .collect(),
                ),
                "body" => text(&post.body),
                "flavour" => text(&post.flavour),
                "note" => text(&post.note),
                "status" => Datum::Text(post.status.as_str().into()),
                "category" => Datum::Text(post.category.as_str().into()),
                "closed_at" => moment(post.closed_at),
                "closed_by" => person(post.closed_by),
                _ => return None,
            })
        })
    }

    pub(super) fn comment_builtin(&self, post: PostId, id: CommentId, name: &str) -> Option<Datum> {
        self.read(ReadKey::Comments(post));
        self.with_state(|state| {
            let comment = state.comments.get(&CommentKey { post, id })?;
            Some(match name {
                "author" => comment
                    .author
                    .shown()
                    .map_or(Datum::None, |id| Datum::Thing(Thing::Player(id))),
                "at" => Datum::Moment(comment.at),
                "text" => Datum::Text(comment.text.shared().unwrap_or_else(|| Arc::from(""))),
                "icon" => Datum::Text(
                    comment
                        .icons
                        .last()
                        .map_or("", |icon| icon.name.as_str())
                        .into(),
                ),
                "post" => Datum::Thing(Thing::Post(post)),
                _ => return None,
            })
        })
    }

    /// How a thing is called where people pick it.
    pub fn label(&self, datum: &Datum) -> String {
        let law = self.frame().law;
        match datum {
            Datum::Thing(Thing::Player(id)) => self.name_of(*id),
            Datum::Thing(Thing::Row(key)) => key.key.to_string(),
            Datum::Thing(Thing::Rule(id)) => {
                self.with_state(|state| crate::words::worded(state, &law.place(id).title))
            }
            Datum::Thing(Thing::Post(id)) => self
                .with_state(|state| {
                    state
                        .posts
                        .get(id)
                        .map(|post| post.title.as_str().to_owned())
                })
                .unwrap_or_default(),
            Datum::Thing(thing @ Thing::Entity(id)) => {
                let kind = self.kind_of(thing).unwrap_or_default();
                let label = law
                    .entities
                    .get(&kind)
                    .and_then(|entity| entity.it.label.clone());
                let named = label
                    .or_else(|| {
                        ["name", "label"]
                            .iter()
                            .find(|n| law.value(&kind, n).is_some())
                            .map(|n| Name::from(*n))
                    })
                    .and_then(|name| self.attribute(thing, name.as_str()).ok());
                match named {
                    Some(Datum::Text(text)) if !text.is_empty() => text.to_string(),
                    _ => format!("{kind} {id}"),
                }
            }
            Datum::Text(text) => text.to_string(),
            Datum::Square(square) => self.square_name(square),
            other => convert::describe(other),
        }
    }

    /// A square by the labels of its board: `C4`.
    pub fn square_name(&self, square: &quorate_kernel::Square) -> String {
        let law = self.frame().law;
        law.boards.get(&square.board).map_or_else(
            || format!("{},{}", square.column + 1, square.row + 1),
            |board| {
                let label = |labels: &[String], index: u16| {
                    labels.get(usize::from(index)).cloned().unwrap_or_default()
                };
                format!(
                    "{}{}",
                    label(&board.it.columns, square.column),
                    label(&board.it.rows, square.row)
                )
            },
        )
    }
}

fn icon_record(
    key: &CommentKey,
    comment: &rows::Comment,
    icon: &IconUse,
    author: Option<PlayerId>,
) -> Datum {
    Datum::Record(Arc::new(Record {
        kind: "Icon",
        fields: vec![
            ("name", Datum::Text(icon.name.as_str().into())),
            (
                "by",
                author.map_or(Datum::None, |id| Datum::Thing(Thing::Player(id))),
            ),
            ("at", Datum::Moment(comment.at)),
            ("comment", Datum::Thing(Thing::Comment(key.post, key.id))),
            ("counted", Datum::Bool(icon.counted)),
        ],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_give_tags_and_subject() {
        assert_eq!(
            tags_of("[Core] A [Victory] wording"),
            ["Core", "Victory"].map(Name::from)
        );
        assert_eq!(tags_of("no [ closing"), Vec::<Name>::new());
        assert_eq!(subject_of("Proposal: More rope: now"), "More rope: now");
        assert_eq!(subject_of("Proposal:  "), "");
        assert_eq!(subject_of("More rope"), "More rope");
    }

    #[test]
    fn a_title_gets_its_prefix_where_it_lacks_it() {
        assert!(starts_alike(
            "duelling  challenge: you",
            "Duelling Challenge:"
        ));
        assert!(!starts_alike("A challenge: you", "Duelling Challenge:"));
        assert_eq!(headed("Proposal : ", "More rope"), "Proposal : More rope");
        assert_eq!(headed("Contain", " Zorg"), "Contain Zorg");
    }

    #[test]
    fn icons_are_read_in_order_and_other_words_between_colons_are_not() {
        let known = |word: &str| ["for", "against"].contains(&word);
        assert_eq!(
            icons_in("ratio 3:for:4 then :against: :x:", &known),
            ["for", "against"].map(Name::from)
        );
        assert_eq!(icons_in("at 10:30: :for:", &known), ["for"].map(Name::from));
    }
}
