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
