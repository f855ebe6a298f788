//! How things and squares are called where people read of them or pick them.

use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;

use super::{things, values};
use crate::convert;
use crate::tx::Tx;

/// How a thing is called where people pick it.
pub(crate) fn label(tx: &Tx, datum: &Datum) -> String {
    let law = tx.frame().law;
    match datum {
        Datum::Thing(Thing::Player(id)) => things::name_of(tx, *id),
        Datum::Thing(Thing::Row(key)) => key.key.to_string(),
        Datum::Thing(Thing::Rule(id)) => {
            tx.with_state(|state| crate::words::worded(state, &law.place(id).title))
        }
        Datum::Thing(Thing::Post(id)) => tx
            .with_state(|state| {
                state
                    .posts
                    .get(id)
                    .map(|post| post.title.as_str().to_owned())
            })
            .unwrap_or_default(),
        Datum::Thing(thing @ Thing::Entity(id)) => {
            let kind = things::kind_of(tx, thing).unwrap_or_default();
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
                .and_then(|name| values::attribute(tx, thing, name.as_str()).ok());
            match named {
                Some(Datum::Text(text)) if !text.is_empty() => text.to_string(),
                _ => format!("{kind} {id}"),
            }
        }
        Datum::Text(text) => text.to_string(),
        Datum::Square(square) => square_name(tx, square),
        other => convert::describe(other),
    }
}

/// A square by the labels of its board: `C4`.
pub(crate) fn square_name(tx: &Tx, square: &quorate_kernel::Square) -> String {
    let law = tx.frame().law;
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

#[cfg(test)]
mod tests {
    use quorate_kernel::{Square, Thing};
    use quorate_law::datum::Datum;

    use super::{label, square_name};
    use crate::tiny_game::game;

    #[test]
    fn a_thing_is_called_by_its_name_and_without_one_by_its_kind() {
        let mut game = game(
            "boat = entity(\"Boat\")\nname = text(\"Name\", of = boat)\n\n\
             def build(actor: Player, name: str):\n    boat.create(name = name)\n\n\
             action(\"build\", build)",
        );
        for name in ["Petrel", ""] {
            let name = quorate_kernel::Value::Text(quorate_kernel::command::typed(name));
            game.act("build", &[("name", name)]).expect("there is wood");
        }
        let boats: Vec<Thing> = game
            .judge
            .state()
            .entities
            .keys()
            .map(|id| Thing::Entity(*id))
            .collect();
        let called: Vec<String> = game.ask(|tx| {
            let boats = boats.iter().cloned();
            boats.map(|boat| label(tx, &Datum::Thing(boat))).collect()
        });
        assert_eq!(called[0], "Petrel");
        assert!(called[1].starts_with("Boat "), "{called:?}");
        let anna = Datum::Thing(Thing::Player(game.anna));
        assert_eq!(game.ask(|tx| label(tx, &anna)), "Anna");
    }

    #[test]
    fn a_square_of_no_board_is_called_by_its_numbers() {
        let game = game("x = number(\"X\", of = player)");
        let square = Square {
            board: "nowhere".into(),
            column: 2,
            row: 0,
        };
        assert_eq!(game.ask(|tx| square_name(tx, &square)), "3,1");
    }
}
