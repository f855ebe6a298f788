//! Squares of boards, and ledgers.

use std::fmt;
use std::hash::Hash;

use quorate_kernel::Square;
use starlark::collections::StarlarkHasher;
use starlark::values::{Heap, StarlarkValue, Value, starlark_value};

use crate::frame::RunFrame;
use crate::values::callable::{Callable, Receiver};
use crate::values::plain::{LedgerValue, SquareValue};

/// A square as its board labels it: `C4`.
pub(crate) fn square_name(square: &Square) -> String {
    let labels = RunFrame::current()
        .and_then(|frame| frame.world.as_ref()?.board(square.board.as_str()).ok());
    let label = |labels: &[String], index: u16| {
        labels
            .get(usize::from(index))
            .cloned()
            .unwrap_or_else(|| (index + 1).to_string())
    };
    match labels {
        Some((columns, rows)) => label(&columns, square.column) + &label(&rows, square.row),
        None => format!("{}:{}:{}", square.board, square.column, square.row),
    }
}

impl fmt::Display for SquareValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&square_name(&self.0))
    }
}

impl fmt::Display for LedgerValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the ledger {} of {}", self.0.1, self.0.0)
    }
}

#[starlark_value(type = "Square")]
impl<'v> StarlarkValue<'v> for SquareValue {
    fn equals(&self, other: Value<'v>) -> starlark::Result<bool> {
        Ok(Self::of(other).is_some_and(|other| other == self.0))
    }

    fn write_hash(&self, hasher: &mut StarlarkHasher) -> starlark::Result<()> {
        self.0.hash(hasher);
        Ok(())
    }

    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        match attribute {
            "column" => Some(heap.alloc(i32::from(self.0.column) + 1)),
            "row" => Some(heap.alloc(i32::from(self.0.row) + 1)),
            "name" => {
                RunFrame::current()?.world.as_ref()?;
                Some(heap.alloc(square_name(&self.0)))
            }
            _ => Callable::method("Square", attribute, Receiver::Square(self.0.clone()), heap),
        }
    }
}

#[starlark_value(type = "Ledger")]
impl<'v> StarlarkValue<'v> for LedgerValue {
    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        let (of, name) = self.0.clone();
        Callable::method("Ledger", attribute, Receiver::Ledger(of, name), heap)
    }
}
