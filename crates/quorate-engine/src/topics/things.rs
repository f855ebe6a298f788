//! Things of the game: of which kind they are, whether they are there, who is among them, and what they are called.

use quorate_kernel::rows::Standing;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Thing, Value, rows};
use quorate_law::stop::{Answer, Stop};

use crate::reads::ReadKey;
use crate::tx::Tx;
use crate::words::worded;

/// What people call one thing of a kind.
pub(crate) fn kind_word(tx: &Tx, kind: &Name) -> String {
    let law = tx.frame().law;
    let title = match kind.as_str() {
        "Player" => return term(tx, "player", false),
        "Game" | "Post" | "Rule" | "Comment" | "Dynasty" => {
            return kind.as_str().to_lowercase();
        }
        _ => match (law.entities.get(kind), law.categories.get(kind)) {
            (Some(entity), _) => &entity.it.title,
            (None, Some(category)) => &category.it.title,
            (None, None) => return kind.to_string(),
        },
    };
    tx.with_state(|state| worded(state, title))
}

/// The word for a term.
pub(crate) fn term(tx: &Tx, name: &str, many: bool) -> String {
    tx.with_state(|state| {
        state.terms.get(name).map_or_else(
            || {
                if many {
                    format!("{name}s")
                } else {
                    name.to_owned()
                }
            },
            |term| {
                if many {
                    term.many.clone()
                } else {
                    term.one.clone()
                }
            },
        )
    })
}

/// The kind of a thing; a fault of the rule for what is gone.
pub(crate) fn kind_of(tx: &Tx, thing: &Thing) -> Answer<Name> {
    let gone = |what: &str| Stop::fault(format!("there is no such {what} any more"));
    tx.with_state(|state| match thing {
        Thing::Game => Ok(Name::from("Game")),
        Thing::Player(_) => Ok(Name::from("Player")),
        Thing::Entity(id) => state
            .entities
            .get(id)
            .map(|e| e.kind.clone())
            .ok_or_else(|| gone("thing")),
        Thing::Post(id) => state
            .posts
            .get(id)
            .map(|post| {
                if post.category.is_empty() {
                    "Post".into()
                } else {
                    post.category.clone()
                }
            })
            .ok_or_else(|| gone("post")),
        Thing::Comment(..) => Ok(Name::from("Comment")),
        Thing::Row(key) => Ok(key.table.clone()),
        Thing::Rule(_) => Ok(Name::from("Rule")),
    })
}

/// Whether a thing is still in the game.
pub(crate) fn exists(tx: &Tx, thing: &Thing) -> bool {
    let law = tx.frame().law;
    tx.with_state(|state| match thing {
        Thing::Game => true,
        Thing::Player(id) => state.people.contains_key(id),
        Thing::Entity(id) => state.entities.contains_key(id),
        Thing::Post(id) => state.posts.contains_key(id),
        Thing::Comment(post, id) => state.comments.contains_key(&rows::CommentKey {
            post: *post,
            id: *id,
        }),
        Thing::Row(key) => law
            .rows
            .iter()
            .any(|row| row.it.table == key.table && row.it.key == key.key),
        Thing::Rule(id) => state.rules.contains_key(id),
    })
}

/// Whether a thing is there for rules: of a kind that left with its rule there are no things until it comes back.
pub(crate) fn is_there(tx: &Tx, thing: &Thing) -> bool {
    let law = tx.frame().law;
    exists(tx, thing)
        && tx.with_state(|state| match thing {
            Thing::Entity(id) => {
                let entity = state.entities.get(id);
                entity.is_some_and(|entity| law.entities.contains_key(&entity.kind))
            }
            Thing::Post(id) => state.posts.get(id).is_some_and(|post| {
                post.category.is_empty() || law.categories.contains_key(&post.category)
            }),
            _ => true,
        })
}

/// Whether things of one kind are things of another: every category is a `Post`.
pub(crate) fn is_a(tx: &Tx, kind: &Name, wanted: &Name) -> bool {
    kind == wanted
        || (*wanted == "Post" && (tx.frame().law.categories.contains_key(kind) || *kind == "Post"))
}

/// Whether a thing is no person, or a person on the roster.
pub(crate) fn is_member(tx: &Tx, thing: &Thing) -> bool {
    match thing {
        Thing::Player(id) => tx.with_state(|state| {
            state
                .people
                .get(id)
                .is_some_and(|person| person.standing == quorate_kernel::rows::Standing::Member)
        }),
        _ => true,
    }
}

/// The things of a kind that automatic things are about.
pub(crate) fn subjects(tx: &Tx, of: Option<&Name>) -> Vec<Thing> {
    match of.map(Name::as_str) {
        None | Some("Game") => vec![Thing::Game],
        Some("Player") => people(tx, quorate_kernel::rows::Standing::Member)
            .into_iter()
            .map(Thing::Player)
            .collect(),
        Some(kind) => things_of(tx, &Name::from(kind)),
    }
}

/// A value without the things in it that are no more; nothing where all are there.
pub(crate) fn without_gone(tx: &Tx, value: &Value) -> Option<Value> {
    match value {
        gone if is_gone(tx, gone) => Some(Value::None),
        Value::List(items) if items.iter().any(|item| is_gone(tx, item)) => Some(Value::list(
            items.iter().filter(|item| !is_gone(tx, item)).cloned(),
        )),
        _ => None,
    }
}

fn is_gone(tx: &Tx, value: &Value) -> bool {
    matches!(value, Value::Thing(thing @ Thing::Entity(_)) if !exists(tx, thing))
}

/// Everybody of a standing, in the order of joining.
pub(crate) fn people(tx: &Tx, standing: Standing) -> Vec<PlayerId> {
    tx.read(ReadKey::People);
    tx.with_state(|state| {
        let mut found: Vec<_> = state
            .people
            .iter()
            .filter(|(_, person)| person.standing == standing)
            .map(|(id, person)| (person.joined_at, *id))
            .collect();
        found.sort();
        found.into_iter().map(|(_, id)| id).collect()
    })
}

/// The name of a person.
pub(crate) fn name_of(tx: &Tx, id: PlayerId) -> String {
    tx.with_state(|state| {
        state
            .people
            .get(&id)
            .and_then(|person| person.name.plain().map(str::to_owned))
            .unwrap_or_else(|| format!("Player {id}"))
    })
}

pub(crate) fn came_at(tx: &Tx, thing: &Thing) -> Option<Moment> {
    tx.with_state(|state| match thing {
        Thing::Post(id) => state.posts.get(id).map(|post| post.at),
        Thing::Entity(id) => state.entities.get(id).map(|entity| entity.made_at),
        Thing::Player(id) => state.people.get(id).and_then(|person| person.joined_at),
        _ => None,
    })
}

/// The things of a kind.
pub(crate) fn things_of(tx: &Tx, kind: &Name) -> Vec<Thing> {
    of_kind(tx, kind, None)
}

pub(crate) fn of_kind(tx: &Tx, kind: &Name, status: Option<&Name>) -> Vec<Thing> {
    let law = tx.frame().law;
    if *kind == "Player" {
        return people(tx, Standing::Member)
            .into_iter()
            .map(Thing::Player)
            .collect();
    }
    if law.tables.contains_key(kind) {
        tx.read(ReadKey::Rules);
        let rows = law.rows.iter().filter(|row| row.it.table == *kind);
        return rows
            .map(|row| Thing::row(row.it.table.clone(), row.it.key.clone()))
            .collect();
    }
    if *kind == "Post" || law.categories.contains_key(kind) {
        let categories: Vec<Name> = if *kind == "Post" {
            law.category_order
                .iter()
                .cloned()
                .chain([Name::default()])
                .collect()
        } else {
            vec![kind.clone()]
        };
        let mut ids: Vec<PostId> = Vec::new();
        for category in &categories {
            tx.read(ReadKey::Kind(category.clone()));
            tx.with_state(|state| match status {
                Some(status) => ids.extend(state.posts_at(category, status)),
                None => ids.extend(state.posts_of(category).map(|(_, id)| id)),
            });
        }
        ids.sort();
        return ids.into_iter().map(Thing::Post).collect();
    }
    tx.read(ReadKey::Kind(kind.clone()));
    // Things of a kind that left the law wait for its return, and meanwhile there are none.
    if !law.entities.contains_key(kind) {
        return Vec::new();
    }
    tx.with_state(|state| state.entities_of(kind).map(Thing::Entity).collect())
}

#[cfg(test)]
mod tests {
    use quorate_kernel::{EntityId, EventSeq, Id};

    use super::*;
    use crate::tiny_game::{TinyGame, game, new_post};

    const DECLARED: &str = "boat = entity(\"Boat\", title = \"Rowing boat\")\n";
    const LAUNCH: &str = "category(\"Bill\", statuses = [\"pending\", \"done\"])\ncategory(\"Edict\")\n\n\
        def launch(actor: Player):\n    boat.create()\n\naction(\"launch\", launch)";

    fn boats() -> TinyGame {
        game(&format!("{DECLARED}{LAUNCH}"))
    }

    #[test]
    fn things_whose_kind_left_the_law_wait_for_it_to_come_back() {
        let mut game = boats();
        game.act("launch", &[]).expect("anybody may");
        let mut afloat = game.judge.state().entities.keys();
        let boat = Thing::Entity(*afloat.next().expect("it floats"));
        let seen = |game: &TinyGame| {
            let of_kind = game.ask(|tx| things_of(tx, &"Boat".into()).len());
            game.ask(|tx| (exists(tx, &boat), is_there(tx, &boat), of_kind))
        };
        assert_eq!(seen(&game), (true, true, 1));
        let left = game.amendment(DECLARED, "");
        game.change(vec![left]);
        assert_eq!(seen(&game), (true, false, 0));
        let back = game.amendment("def launch", &format!("{DECLARED}\ndef launch"));
        game.change(vec![back]);
        assert_eq!(seen(&game), (true, true, 1));
    }

    #[test]
    fn a_thing_that_is_gone_has_no_kind_and_goes_out_of_what_holds_it() {
        let game = boats();
        let gone = Thing::Entity(EntityId(Id::new(EventSeq(7), 0)));
        let anna = Value::Thing(Thing::Player(game.anna));
        game.ask(|tx| {
            let Err(Stop::Broken(fault)) = kind_of(tx, &gone) else {
                panic!("it has a kind");
            };
            assert_eq!(fault.text, "there is no such thing any more");
            let gone = Value::Thing(gone.clone());
            assert_eq!(without_gone(tx, &gone), Some(Value::None));
            let both = Value::list([gone, anna.clone()]);
            let rest = Value::list([anna.clone()]);
            assert_eq!(without_gone(tx, &both), Some(rest));
            assert_eq!(without_gone(tx, &anna), None);
        });
    }

    #[test]
    fn posts_are_of_their_category_and_of_all_and_stand_in_the_order_of_writing() {
        let mut game = boats();
        let mut post = |category: &str| {
            let posted = game.post(new_post(category, "So be it"));
            Thing::Post(posted.expect("anybody may"))
        };
        let posts = [post("Bill"), post("Edict"), post("Bill")];
        game.ask(|tx| {
            let [bill, edict, all] = ["Bill", "Edict", "Post"].map(Name::from);
            assert_eq!(things_of(tx, &all), posts);
            assert_eq!(things_of(tx, &edict), posts[1..2]);
            let pending = of_kind(tx, &bill, Some(&"pending".into()));
            assert_eq!(pending, [posts[0].clone(), posts[2].clone()]);
            assert!(of_kind(tx, &bill, Some(&"done".into())).is_empty());
            assert!(is_a(tx, &bill, &all) && !is_a(tx, &all, &bill));
            assert!(!is_a(tx, &"Boat".into(), &all));
        });
    }

    #[test]
    fn a_kind_is_called_by_its_title_or_by_the_word_of_the_game() {
        let game = boats();
        let word = |kind: &str| game.ask(|tx| kind_word(tx, &kind.into()));
        assert_eq!(word("Boat"), "Rowing boat");
        assert_eq!(word("Player"), "player");
        assert_eq!(word("Rule"), "rule");
        assert_eq!(word("Cart"), "Cart", "nobody declared it");
    }
}
