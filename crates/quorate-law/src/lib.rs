//! Rule code: compile, check and run Starlark over what a game holds.
//!
//! No type of the `starlark` crates leaves this crate. Rule code meets a game through [`world::World`], which the
//! engine implements over the kernel's state; a compiled version of the law hands out its [`declare::Declaration`]s
//! and runs its functions on [`datum::Datum`]s.
//!
//! Floors, from the ground up; a file imports from its own floor or one below, never in a circle:
//!
//! 1. plain data: `words`, `datum`, `stop`, `declare`, `diagnostic`, `budget`, `text`, `world`, `objects`, `sheet`;
//! 2. what the library is: `interface` reads its declarations, `signature` their types;
//! 3. trees of code: `nesting`, `check::wording`, `syntax`, `expressions`, `check::flow`, `check::house`, `unit`,
//!    `check::names`, `check::cycles`, `rewrite`;
//! 4. a run: `collect`, `module`, `frame`, `errors`, `evaluate`, `watch`;
//! 5. values of the host: `values`, from `callable` and `plain` up to what converts and reads them;
//! 6. the code behind the declarations: `host`;
//! 7. the library put together: `library`, `types`, `check::typing`;
//! 8. what other crates use: `code` and `script`, `test_script`, `top_level` and `compile`, `reference`.

pub mod budget;
mod check;
pub mod code;
mod collect;
pub mod compile;
mod costs;
pub mod datum;
pub mod declare;
pub mod diagnostic;
mod errors;
mod evaluate;
mod expressions;
mod frame;
mod host;
mod interface;
mod library;
mod measure;
mod module;
mod nesting;
pub mod objects;
mod places;
pub mod reference;
mod rewrite;
mod script;
mod sheet;
mod signature;
pub mod stop;
mod syntax;
pub mod test_script;
pub mod text;
mod top_level;
mod types;
mod unit;
mod values;
pub mod watch;
mod words;
pub mod world;

pub use budget::{Budget, Limits};
pub use code::{Code, Script};
pub use collect::{DocRole, Signature};
pub use compile::{
    Asleep, Compiled, Dependence, FenceCache, Lean, LeanFate, RuleSource, asked_for,
    asked_together, compile, compile_knowing, dependences, names_of, row_name, rows_of,
};
pub use diagnostic::{Diagnostic, Severity};
pub use interface::LibraryEntry;
pub use text::{Fence, RuleText};
pub use words::{TERM_MAX, capital, readable, with_article};
