//! What every thing has, whatever the law: names, moments, titles, authors.

use std::sync::Arc;

use quorate_kernel::rows::CommentKey;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{CommentId, Name, PlayerId, PostId, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Stop};
use quorate_law::with_article;

use super::things;
use super::titles::subject_of;
use crate::law::Law;
use crate::reads::ReadKey;
use crate::tx::Tx;

/// What every thing of a kind has, whatever the law.
pub(crate) fn read(tx: &Tx, law: &Law, thing: &Thing, kind: &Name, name: &str) -> Answer<Datum> {
    let none = || {
        Err(law.nothing_called(name, || {
            format!("{} has no {name}", with_article(kind.as_str()))
        }))
    };
    match thing {
        Thing::Game => game(tx, name).map_or_else(none, Ok),
        Thing::Player(id) => person(tx, *id, name).map_or_else(none, Ok),
        Thing::Entity(id) => {
            let made = tx.with_state(|state| state.entities.get(id).map(|entity| entity.made_at));
            match (name, made) {
                ("made_at", Some(at)) => Ok(Datum::Moment(at)),
                _ => none(),
            }
        }
        Thing::Post(id) => post(tx, *id, name).map_or_else(none, Ok),
        Thing::Comment(post, id) => comment(tx, *post, *id, name).map_or_else(none, Ok),
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
        Thing::Rule(id) => rule(tx, id, name).map_or_else(none, Ok),
    }
}

fn game(tx: &Tx, name: &str) -> Option<Datum> {
    tx.with_state(|state| {
        let about = state.about.get(&())?;
        match name {
            "title" => Some(Datum::Text(about.title.as_str().into())),
            "founded_at" => Some(Datum::Moment(about.founded_at)),
            _ => None,
        }
    })
}

fn person(tx: &Tx, id: PlayerId, name: &str) -> Option<Datum> {
    tx.read(ReadKey::People);
    if name == "seen_at" {
        tx.read(ReadKey::Seen(id));
    }
    let person = tx.with_state(|state| state.people.get(&id).cloned())?;
    let moment = |at: Option<quorate_kernel::Moment>| at.map_or(Datum::None, Datum::Moment);
    Some(match name {
        "name" => Datum::Text(things::name_of(tx, id).into()),
        "joined_at" => moment(person.joined_at),
        "left_at" => moment(person.left_at),
        "applied_at" => Datum::Moment(person.applied_at),
        "seen_at" => Datum::Moment(person.seen_at),
        "standing" => Datum::Text(person.standing.as_str().into()),
        _ => return None,
    })
}

fn post(tx: &Tx, id: PostId, name: &str) -> Option<Datum> {
    tx.read(ReadKey::Post(id));
    let person =
        |id: Option<PlayerId>| id.map_or(Datum::None, |id| Datum::Thing(Thing::Player(id)));
    let text = |seal: &Sealed<str>| Datum::Text(seal.shared().unwrap_or_else(|| Arc::from("")));
    let moment = |at: Option<quorate_kernel::Moment>| at.map_or(Datum::None, Datum::Moment);
    if name == "comments" {
        tx.read(ReadKey::Comments(id));
        return Some(tx.with_state(|state| {
            Datum::List(
                state
                    .comments_of(id)
                    .map(|(key, _)| Datum::Thing(Thing::Comment(id, key.id)))
                    .collect(),
            )
        }));
    }
    tx.with_state(|state| {
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

fn comment(tx: &Tx, post: PostId, id: CommentId, name: &str) -> Option<Datum> {
    tx.read(ReadKey::Comments(post));
    tx.with_state(|state| {
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

fn rule(tx: &Tx, id: &Name, name: &str) -> Option<Datum> {
    tx.read(ReadKey::Rules);
    tx.with_state(|state| {
        // A rule that this event repeals can still be asked what it was.
        let rule = state.rules.get(id).or_else(|| tx.base.rules.get(id))?;
        Some(match name {
            "id" => Datum::Text(id.as_str().into()),
            "title" => Datum::Text(crate::words::worded(state, &rule.title).into()),
            "section" => Datum::Text(rule.section.as_str().into()),
            "parent" => rule
                .parent
                .clone()
                .map_or(Datum::None, |parent| Datum::Thing(Thing::Rule(parent))),
            "tags" => Datum::List(
                rule.tags
                    .iter()
                    .map(|tag| Datum::Text(tag.as_str().into()))
                    .collect(),
            ),
            "active" => Datum::Bool(rule.active),
            _ => return None,
        })
    })
}

#[cfg(test)]
mod tests {
    use quorate_kernel::{Name, Thing};
    use quorate_law::datum::Datum;
    use quorate_law::stop::Stop;

    use crate::tiny_game::{TinyGame, game, new_post};

    const POSTS: &str = r#"category("Bill", prefix = "Bill:")
category("Secret", author = "hidden")

def burn(actor: Player):
    first = rules()[0]
    repeal(first)
    note(first.title)

action("burn", burn)"#;

    fn read(game: &TinyGame, thing: &Thing, name: &str) -> Datum {
        let answer = game.ask(|tx| tx.attribute(thing, name));
        answer.unwrap_or_else(|stop| panic!("{name}: {stop:?}"))
    }

    #[test]
    fn a_person_has_a_name_moments_and_a_standing_and_nothing_else() {
        let game = game(POSTS);
        let anna = Thing::Player(game.anna);
        assert_eq!(read(&game, &anna, "name"), Datum::Text("Anna".into()));
        assert_eq!(read(&game, &anna, "standing"), Datum::Text("member".into()));
        assert_eq!(read(&game, &anna, "joined_at"), Datum::Moment(game.now));
        assert_eq!(read(&game, &anna, "left_at"), Datum::None);
        match game.ask(|tx| tx.attribute(&anna, "colour")) {
            Err(Stop::Broken(fault)) => assert_eq!(fault.text, "a Player has no colour"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_post_tells_what_its_title_is_about_and_nobody_who_hides() {
        let mut game = game(POSTS);
        let bill = game
            .post(new_post("Bill", "More rope"))
            .expect("anybody may");
        let secret = game.post(new_post("Secret", "Who am I?"));
        let (bill, secret) = (Thing::Post(bill), Thing::Post(secret.expect("anybody may")));
        assert_eq!(
            read(&game, &bill, "subject"),
            Datum::Text("More rope".into())
        );
        let anna = Datum::Thing(Thing::Player(game.anna));
        assert_eq!(read(&game, &bill, "author"), anna);
        assert_eq!(read(&game, &secret, "author"), Datum::None);
    }

    #[test]
    fn a_rule_that_this_event_repeals_can_still_be_asked_what_it_was() {
        let mut game = game(POSTS);
        let event = game.act("burn", &[]).expect("anybody may");
        let told: Vec<&str> = event.notes.iter().map(|note| note.text.as_str()).collect();
        assert!(told.contains(&"House"), "{told:?}");
        let house = Name::from("house");
        assert!(!game.judge.state().rules.contains_key(&house));
    }
}
