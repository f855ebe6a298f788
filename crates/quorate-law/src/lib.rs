//! Rule code: compile, check and run Starlark over what a game holds.
//!
//! No type of the `starlark` crates leaves this crate. Rule code meets a game through [`world::World`], which the
//! engine implements over the kernel's state; a compiled version of the law hands out its [`declare::Declaration`]s
//! and runs its functions on [`datum::Datum`]s.

pub mod budget;
mod check;
pub mod code;
mod collect;
pub mod compile;
pub mod datum;
pub mod declare;
pub mod diagnostic;
mod evaluate;
mod frame;
mod host;
mod library;
mod module;
mod nesting;
pub mod reference;
mod rewrite;
mod script;
pub mod script_host;
mod sheet;
pub mod stop;
pub mod text;
mod types;
mod unit;
mod values;
mod words;
pub mod world;

pub use budget::{Budget, Limits};
pub use code::{Code, Script};
pub use collect::Signature;
pub use compile::{Asleep, Compiled, Source, compile};
pub use diagnostic::{Diagnostic, Severity};
pub use text::RuleText;
pub use words::{capital, readable, with_article};

/// What rule code may call: each function or method as it is written in a signature, and what it does, in the order of
/// the alphabet.
pub fn reference() -> Vec<(&'static str, &'static str)> {
    let mut told: Vec<_> = values::callable::NATIVES
        .values()
        .map(|native| native.told)
        .collect();
    told.sort_unstable();
    told
}
