//! Posts, comments and messages, as rows: making them, changing them, closing a matter.

use std::sync::Arc;

use quorate_kernel::audience::Audience;
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::{Author, CommentKey, IconUse};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{CommentId, Name, PlayerId, PostId, Thing, rows};
use quorate_law::datum::{Datum, Record};
use quorate_law::stop::{Answer, Stop};
use quorate_law::with_article;

use super::titles::{headed, starts_alike, tags_of};
use super::{people, things, values};
use crate::reads::ReadKey;
use crate::tx::Tx;

/// A post about to be made.
pub(crate) struct PostToMake {
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

/// A title as its category wants it: one that lacks the prefix gets it.
pub(crate) fn titled(tx: &Tx, category: &Name, title: Sealed<str>) -> Sealed<str> {
    let law = tx.frame().law;
    let prefix = law
        .categories
        .get(category)
        .map(|decl| decl.it.prefix.as_str());
    match prefix {
        Some(prefix) if !prefix.is_empty() && !starts_alike(title.as_str(), prefix) => {
            Sealed::close(headed(prefix, title.as_str()), tx.salt())
        }
        _ => title,
    }
}

/// Makes a post.
pub(crate) fn make(tx: &Tx, draft: PostToMake) -> Answer<PostId> {
    let law = tx.frame().law;
    let category = law.categories.get(&draft.category);
    let hidden = category.is_some_and(|category| category.it.author_hidden);
    let author = match draft.author {
        Some(id) if hidden => Author::Hidden(Sealed::close(id, tx.salt())),
        Some(id) => Author::Named(id),
        None => Author::Game,
    };
    let id = PostId(tx.make_id()?);
    let title = titled(tx, &draft.category, draft.title);
    let tags = tags_of(title.as_str());
    let post = rows::Post {
        category: draft.category.clone(),
        author,
        at: tx.now,
        open_at: tx.now,
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
    tx.put(id, post);
    let kind = if draft.category.is_empty() {
        Name::from("Post")
    } else {
        draft.category
    };
    values::write_defaults(tx, &Thing::Post(id), &kind);
    // That the author of a hidden post was seen would tell who it is.
    if let Some(author) = draft.author.filter(|_| !hidden) {
        seen(tx, author);
    }
    Ok(id)
}

/// Tells the hooks that a post has come into its category.
pub(crate) fn announce(tx: &Tx, id: PostId) {
    let category = tx.with_state(|state| state.posts.get(&id).map(|post| post.category.clone()));
    let kind = category
        .filter(|category| !category.is_empty())
        .unwrap_or_else(|| "Post".into());
    tx.happen("posted", kind, vec![Datum::Thing(Thing::Post(id))]);
}

/// Changes a post's row.
pub(crate) fn change(tx: &Tx, id: PostId, change: impl FnOnce(&mut rows::Post)) -> Answer<()> {
    if tx.change(id, change) {
        Ok(())
    } else {
        Err(Stop::fault("there is no such post"))
    }
}

/// Puts a comment under a post and tells the hooks.
pub(crate) fn make_comment(
    tx: &Tx,
    post: PostId,
    author: Option<PlayerId>,
    text: Sealed<str>,
    icons: Vec<IconUse>,
) -> Answer<CommentKey> {
    let key = CommentKey {
        post,
        id: CommentId(tx.make_id()?),
    };
    let author = author.map_or(Author::Game, Author::Named);
    let by = author.player();
    let row = rows::Comment {
        author,
        at: tx.now,
        text,
        icons,
        audience: Audience::Everybody,
    };
    tx.put(key, row);
    change(tx, post, |post| post.comments += 1)?;
    if let Some(by) = by {
        seen(tx, by);
    }
    let kind = things::kind_of(tx, &Thing::Post(post))?;
    let comment = Thing::Comment(key.post, key.id);
    tx.happen(
        "commented",
        kind,
        vec![Datum::Thing(comment), Datum::Thing(Thing::Post(post))],
    );
    Ok(key)
}

/// A rule edits a post's text.
pub(crate) fn edit_text(
    tx: &Tx,
    id: PostId,
    title: Option<&str>,
    body: Option<&str>,
) -> Answer<()> {
    let title = title.map(|title| Sealed::<str>::close(title, tx.salt()));
    let body = body.map(|body| Sealed::<str>::close(body, tx.salt()));
    let now = tx.now;
    change(tx, id, |post| {
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

/// Closes a matter under a status.
pub(crate) fn close(tx: &Tx, id: PostId, status: &str, note: &str) -> Answer<()> {
    let kind = things::kind_of(tx, &Thing::Post(id))?;
    let law = tx.frame().law;
    let known = law.categories.get(&kind).is_none_or(|category| {
        category.it.statuses.is_empty() || category.it.statuses.iter().any(|known| known == status)
    });
    if !known {
        return Err(Stop::fault(format!(
            "{} has no status \"{status}\"",
            with_article(kind.as_str())
        )));
    }
    let (now, by) = (tx.now, tx.actor());
    let note = Sealed::close(note, tx.salt());
    change(tx, id, |post| {
        post.status = Name::from(status);
        post.closed_at = Some(now);
        post.closed_by = by;
        post.note = note;
    })
}

/// Sends a private message.
pub(crate) fn send(
    tx: &Tx,
    from: Option<PlayerId>,
    to: Vec<PlayerId>,
    text: Sealed<str>,
) -> Answer<()> {
    let key = quorate_kernel::ids::MessageId(tx.make_id()?);
    let row = rows::Message {
        from,
        to,
        at: tx.now,
        text,
    };
    tx.put(key, row);
    Ok(())
}

/// Notes that somebody was seen: a post or a comment of theirs.
fn seen(tx: &Tx, id: PlayerId) {
    let now = tx.now;
    // A person who wrote something is on the roster; the row cannot be missing.
    let _ = people::write_person(tx, id, |person| person.seen_at = now);
}

/// The icons under a post, as records.
pub(crate) fn icon_records(tx: &Tx, post: PostId, by: Option<PlayerId>) -> Vec<Datum> {
    tx.read(ReadKey::Comments(post));
    tx.with_state(|state| {
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

/// The patch that a post carries.
pub(crate) fn patch_of(tx: &Tx, post: PostId) -> Option<Arc<Patch>> {
    tx.with_state(|state| state.posts.get(&post)?.patch.as_ref()?.shared())
}

#[cfg(test)]
mod tests {
    use quorate_kernel::rows::Author;
    use quorate_kernel::{Name, Span, Thing, Value};

    use crate::tiny_game::{TinyGame, game, new_post};

    const BILLS: &str = r#"category("Bill", prefix = "Bill:", statuses = ["pending", "enacted"])
category("Secret", author = "hidden")

def finish(actor: Player, bill: Bill, status: str):
    close(bill, status, "so be it")

action("finish", finish)"#;

    #[test]
    fn a_post_gets_the_prefix_of_its_category_the_tags_of_its_title_and_the_first_status() {
        let mut game = game(BILLS);
        let bill = game.post(new_post("Bill", "[Core] More rope"));
        let row = &game.judge.state().posts[&bill.expect("anybody may")];
        assert_eq!(row.title.as_str(), "Bill: [Core] More rope");
        assert_eq!(row.tags, [Name::from("Core")]);
        assert_eq!(row.status.as_str(), "pending");
    }

    #[test]
    fn a_matter_is_closed_under_a_status_that_its_category_has() {
        let mut game = game(BILLS);
        let bill = game.post(new_post("Bill", "More rope"));
        let bill = bill.expect("anybody may");
        let finish = |game: &mut TinyGame, status: &str| {
            let bill = ("bill", Value::Thing(Thing::Post(bill)));
            game.act("finish", &[bill, ("status", Value::Word(status.into()))])
        };
        let broken = finish(&mut game, "lost").expect_err("it has no such status");
        let told = &broken.needs[0].have;
        assert!(told.contains("a Bill has no status \"lost\""), "{told}");
        finish(&mut game, "enacted").expect("it has that one");
        let row = &game.judge.state().posts[&bill];
        assert_eq!(
            (row.closed_at, row.closed_by),
            (Some(game.now), Some(game.anna))
        );
        assert_eq!(
            (row.status.as_str(), row.note.as_str()),
            ("enacted", "so be it")
        );
    }

    #[test]
    fn whose_a_hidden_post_is_shows_neither_on_it_nor_in_when_they_were_seen() {
        let mut game = game(BILLS);
        let joined = game.now;
        game.now = joined + Span::hours(1);
        let secret = game.post(new_post("Secret", "Who am I?"));
        let seen = |game: &TinyGame| game.judge.state().people[&game.anna].seen_at;
        let row = &game.judge.state().posts[&secret.expect("anybody may")];
        assert!(matches!(row.author, Author::Hidden(_)), "{:?}", row.author);
        assert_eq!(seen(&game), joined);
        game.post(new_post("Bill", "More rope"))
            .expect("anybody may");
        assert_eq!(seen(&game), game.now);
    }
}
