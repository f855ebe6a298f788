//! What a script that is not law meets in the place of a game: a host of functions and objects, such as that of tests.

use crate::datum::Datum;
use crate::stop::Stop;
use crate::world::Named;

/// What an attribute of a host's object is.
#[derive(Clone, PartialEq, Debug)]
pub enum Member {
    /// A value.
    Value(Datum),
    /// A method, to be called.
    Method,
}

/// What stands behind a script: its functions, and the objects that they give out by number.
pub trait Host {
    /// Calls a function (no object) or a method.
    fn call(
        &self,
        object: Option<u64>,
        name: &str,
        args: Vec<Datum>,
        named: Named,
    ) -> Result<Datum, Stop>;
    /// Reads an attribute of an object.
    fn get(&self, object: u64, attribute: &str) -> Result<Member, Stop>;
    /// Whether two objects are the same thing.
    fn same(&self, one: u64, other: u64) -> bool {
        one == other
    }
    /// How an object is printed.
    fn show(&self, object: u64) -> String {
        format!("object {object}")
    }
}
