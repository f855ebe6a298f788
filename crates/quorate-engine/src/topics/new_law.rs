//! A law that begins: what falls asleep or asks for what is gone, its words, and values under their new declarations.
//!
//! What still fits is kept. What does not becomes what `outside` says, or the default. A renamed value keeps its
//! contents by `was =`; one that left the law goes to the archive and comes back from there when it returns.

use std::sync::Arc;

use quorate_kernel::rows::{Archived, Cell, CellKey, Standing};
use quorate_kernel::{Name, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, Outside, ShownTo, ValueDecl};

use super::{last_look, things, values};
use crate::convert;
use crate::law::{At, Law};
use crate::tx::{Frame, Tx};

/// The edition of the library from which on a value fits a declaration only if the things in it are of its kind, and from which on
/// values of people who left, and what the law before writes beside a new one, are brought in line with that too.
const FITTING_SINCE: u16 = 2;

/// Compiles the law as it is now in the working copy, and gives values their new declarations.
pub(crate) fn take(tx: &Tx) {
    let new = tx.compile();
    for line in tx.with_state(|state| new.losses_since(&tx.law, state)) {
        tx.say_loss(line);
    }
    let old = tx.coming_law();
    tx.set_coming_law(&new);
    bring_terms(tx, &new);
    bring_values(tx, &old, &new);
}

/// Gives the game the words of the theme that a law brings. A word that is there already stays as play left it.
pub(crate) fn bring_terms(tx: &Tx, law: &Law) {
    for (name, term) in &law.terms {
        if !tx.with_state(|state| state.terms.contains_key(name)) {
            tx.put(name.clone(), term.clone());
        }
    }
}

/// Brings all values in line with a new law.
fn bring_values(tx: &Tx, old: &Arc<Law>, new: &Arc<Law>) {
    drop_gone(tx, old, new);
    for key in &new.value_order {
        let Some(decl) = new.values.get(key) else {
            continue;
        };
        let before = old.values.get(key);
        if !before.is_some_and(|before| allows_the_same(&before.it, &decl.it)) {
            bring_in(tx, new, decl);
        }
    }
}

/// Whether whatever fits one declaration fits the other, and is shown to the same people.
fn allows_the_same(before: &ValueDecl, after: &ValueDecl) -> bool {
    before.holds == after.holds
        && before.among == after.among
        && before.least == after.least
        && before.shown_to == after.shown_to
}

/// Brings in line what code of the law before has written since the new one gave values their declarations, as a hook does on
/// the enactment itself. A number that is refused out of its range stays, for the last look to refuse.
pub(crate) fn bring_late(tx: &Tx) {
    let Some(new) = tx.new_law() else { return };
    if tx.law.code.edition() < FITTING_SINCE {
        return;
    }
    for (kind, thing, name) in last_look::touched_cells(tx) {
        let Some(decl) = new.value(&kind, name.as_str()) else {
            continue;
        };
        let key = CellKey { thing, name };
        let Some(cell) = tx.row::<Cell>(&key) else {
            continue;
        };
        let hides = decl.it.shown_to != ShownTo::All;
        let is_hidden = matches!(cell.value, Value::Hidden(_));
        let is_looked_at = matches!(
            (&decl.it.holds, cell.value.open()),
            (
                Holds::Number {
                    outside: Outside::Refuse,
                    ..
                },
                Value::Int(_)
            )
        );
        let stays = is_looked_at || fits(tx, &decl.it, cell.value.open());
        if !stays || hides != is_hidden {
            give(tx, &decl.it, key, Some(&cell.value));
        }
    }
}

/// Values that the new law does not declare go to the archive.
fn drop_gone(tx: &Tx, old: &Arc<Law>, new: &Law) {
    for (of, name) in old
        .values
        .keys()
        .filter(|key| !new.values.contains_key(*key))
    {
        let taken_over = new
            .values
            .values()
            .any(|decl| decl.it.of == *of && decl.it.was.as_ref() == Some(name));
        if taken_over {
            continue;
        }
        for (key, cell) in cells_of(tx, old, of, name) {
            let (value, at) = (cell.value, tx.now);
            tx.put(key.clone(), Archived { value, at });
            tx.remove::<Cell>(key);
        }
    }
}

/// A value that is new, or holds something else than before.
fn bring_in(tx: &Tx, new: &Arc<Law>, decl: &At<ValueDecl>) {
    if matches!(decl.it.holds, Holds::Ledger { .. }) {
        return;
    }
    for thing in owners(tx, new, &decl.it.of) {
        let key = CellKey {
            thing,
            name: decl.it.name.clone(),
        };
        let source = tx
            .row::<Cell>(&key)
            .map(|cell| cell.value)
            .or_else(|| renamed(tx, decl, &key))
            .or_else(|| {
                let kept = tx.row::<Archived>(&key)?;
                tx.remove::<Archived>(key.clone());
                Some(kept.value)
            });
        // Who left keeps what there was, and gets nothing new.
        if source.is_none() && !things::is_member(tx, &key.thing) {
            continue;
        }
        give(tx, &decl.it, key, source.as_ref());
    }
}

/// Gives a value what it may go on holding.
fn give(tx: &Tx, decl: &ValueDecl, key: CellKey, source: Option<&Value>) {
    let new = Cell {
        value: fitting(tx, decl, source),
        at: tx.now,
        by: tx.seq,
        claimed: false,
    };
    if tx.row::<Cell>(&key).map(|cell| cell.value) != Some(new.value.clone()) {
        tx.put(key, new);
    }
}

/// Whether a declaration allows a value: its type and range, and the kind of the things in it.
fn fits(tx: &Tx, decl: &ValueDecl, value: &Value) -> bool {
    let edition = tx.law.code.edition();
    convert::legal(decl, value)
        && (edition < FITTING_SINCE || values::check_kind(tx, decl, &convert::datum(value)).is_ok())
}

/// What the value held under the name that it had before.
fn renamed(tx: &Tx, decl: &At<ValueDecl>, key: &CellKey) -> Option<Value> {
    let was = CellKey {
        thing: key.thing.clone(),
        name: decl.it.was.clone()?,
    };
    let cell = tx.row::<Cell>(&was)?;
    tx.remove::<Cell>(was);
    Some(cell.value)
}

/// What a value may go on holding.
fn fitting(tx: &Tx, decl: &ValueDecl, source: Option<&Value>) -> Value {
    // What comes back from the archive may point at things that have left the game meanwhile.
    let open = source.map(Value::open).map(|value| {
        let there = things::without_gone(tx, value);
        there.unwrap_or_else(|| value.clone())
    });
    let fitted = open.clone().filter(|value| fits(tx, decl, value));
    let clamped = || match (&open, &decl.holds) {
        (
            Some(Value::Int(n)),
            Holds::Number {
                min,
                max,
                outside: Outside::Clamp,
            },
        ) => Some(Value::Int(
            (*n).clamp(min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX)),
        )),
        _ => None,
    };
    let clamped = || clamped().filter(|value| convert::legal(decl, value));
    let value = fitted.or_else(clamped).unwrap_or_else(|| {
        let default: Datum = values::default_of(tx, decl);
        convert::value_for(decl, &default, &mut || tx.salt())
            .unwrap_or_else(|_| convert::empty_value(&decl.holds))
    });
    if decl.shown_to == ShownTo::All {
        value
    } else {
        value.hidden(tx.salt())
    }
}

/// All things of a kind under a law, with the people who left. What a table or a category has, only the law that declares it can say.
fn owners(tx: &Tx, law: &Arc<Law>, of: &Name) -> Vec<Thing> {
    let frame = Frame {
        law: Arc::clone(law),
        ..tx.frame()
    };
    let mut owners = tx.within(frame, || things::subjects(tx, Some(of)));
    if *of == "Player" && tx.law.code.edition() >= FITTING_SINCE {
        for standing in [Standing::Left, Standing::Barred] {
            let gone = things::people(tx, standing);
            owners.extend(gone.into_iter().map(Thing::Player));
        }
    }
    owners
}

fn cells_of(tx: &Tx, law: &Arc<Law>, of: &Name, name: &Name) -> Vec<(CellKey, Cell)> {
    let things = owners(tx, law, of);
    tx.with_state(|state| {
        things
            .into_iter()
            .filter_map(|thing| {
                let key = CellKey {
                    thing,
                    name: name.clone(),
                };
                state
                    .cells
                    .get(&key)
                    .map(|cell| (key.clone(), cell.clone()))
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use quorate_kernel::former::FormerRule;
    use quorate_kernel::patch::Clause;

    use super::*;
    use crate::tiny_game::{TinyGame, game};

    /// The same rule with several things changed.
    fn amended(game: &TinyGame, changes: &[(&str, &str)]) -> Clause {
        let (first, later) = changes.split_first().expect("something changes");
        let mut clause = game.amendment(first.0, first.1);
        if let Clause::AmendRule { text, .. } = &mut clause {
            for (from, to) in later {
                *text = text.replace(from, to).into();
            }
        }
        clause
    }

    #[test]
    fn a_value_that_no_longer_fits_takes_the_default_of_its_new_declaration() {
        let mut game = game("fish = number(\"Fish\", of = player, default = 7)");
        let clause = game.amendment("default = 7", "default = 1, max = 3");
        game.change(vec![clause]);
        assert_eq!(game.value("fish"), Datum::Int(1));
    }

    #[test]
    fn what_a_hook_of_the_old_law_writes_beside_the_new_one_fits_the_new_one_too() {
        let code = "fish = number(\"Fish\", of = player)\nwet = flag(\"Wet\", of = player)\n\
            depth = number(\"Depth\", of = player)\n\n\
            def splash(who: Player, old: int, new: int):\n    who.wet = True\n    who.depth = 9\n\n\
            changed(\"fish\", splash, of = player)";
        let mut game = game(code);
        let clamped = "\"Depth\", of = player, max = 3, outside = \"clamp\"";
        let changes = [
            ("flag(", "moment("),
            ("True", "now"),
            ("\"Depth\", of = player", clamped),
        ];
        let clauses = vec![
            amended(&game, &changes),
            Clause::SetValue {
                thing: Thing::Player(game.anna),
                name: "fish".into(),
                value: Value::Int(2),
            },
        ];
        game.change(clauses);
        assert_eq!(game.value("wet"), Datum::None);
        assert_eq!(game.value("depth"), Datum::Int(3));
    }

    #[test]
    fn what_somebody_who_left_keeps_fits_the_law_too() {
        let code = "wet = flag(\"Wet\", of = player)\n\n\
            def go(actor: Player):\n    actor.wet = True\n    depart(actor)\n\naction(\"go\", go)";
        let mut game = game(code);
        game.act("go", &[]).expect("anybody may");
        assert_eq!(game.value("wet"), Datum::Bool(true));
        let clause = amended(&game, &[("flag(", "moment("), ("True", "now")]);
        game.change(vec![clause]);
        assert_eq!(game.value("wet"), Datum::None);
    }

    #[test]
    fn words_that_a_list_no_longer_takes_and_things_of_another_kind_do_not_stay() {
        let code = "cat = entity(\"Cat\")\ndog = entity(\"Dog\")\npet = reference(\"Pet\", cat, of = player)\n\
            size = number(\"Size\", of = player, among = [1, 2], default = 1)\n\n\
            def adopt(actor: Player):\n    actor.pet = cat.create()\n    actor.size = 2\n\naction(\"adopt\", adopt)";
        let mut game = game(code);
        game.act("adopt", &[]).expect("anybody may");
        let clause = amended(
            &game,
            &[
                ("among = [1, 2]", "among = [1, 3]"),
                ("size = 2", "size = 3"),
            ],
        );
        game.change(vec![clause]);
        assert_eq!(game.value("size"), Datum::Int(1));
        let clause = amended(
            &game,
            &[
                ("\"Pet\", cat", "\"Pet\", dog"),
                ("cat.create", "dog.create"),
            ],
        );
        game.change(vec![clause]);
        assert_eq!(game.value("pet"), Datum::None);
    }

    #[test]
    fn what_became_of_a_text_is_part_of_the_law() {
        let game = game("fish = number(\"Fish\", of = player)");
        let id = Name::from("house");
        let rule = game.judge.state().rules[&id].clone();
        game.ask(|tx| {
            let (key, row) = FormerRule::row(&id, &rule, false, tx.seq, tx.now);
            tx.put(key.clone(), row);
            assert!(tx.law_changed(), "a text that was kept");
            take(tx);
            let digest = tx.with_state(quorate_kernel::state::State::law_digest);
            assert_eq!(tx.coming_law().digest, digest);
            tx.remove::<Archived>(key);
            assert!(tx.law_changed(), "a text that was taken out again");
        });
    }

    #[test]
    fn a_fence_that_does_not_check_falls_asleep_and_the_log_says_so() {
        let mut game = game("fish = number(\"Fish\", of = player)");
        let before = Arc::clone(game.judge.law());
        let clause = game.amendment("of = player", "of = nothing");
        let event = game.change(vec![clause]);
        let law = Arc::clone(game.judge.law());
        let fallen: Vec<_> = law.fallen_asleep(&before).collect();
        assert_eq!(fallen.len(), 1);
        let lines = law.losses_since(&before, game.judge.state());
        let notes: Vec<&str> = event.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(notes[1..], lines);
        let begins = "House, clause 1: its code sleeps: ";
        assert!(notes[1].starts_with(begins), "{notes:?}");
    }
}
