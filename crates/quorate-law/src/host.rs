//! The library: what rule code can call. One table per topic, each entry with its signature, its words and its code.

pub(crate) mod bodies;
pub(crate) mod declaring;
pub(crate) mod guards;
pub(crate) mod kinds;
pub(crate) mod law;
pub(crate) mod posts;
pub(crate) mod schedule;
pub(crate) mod signature;
pub(crate) mod text;
pub(crate) mod time;

use crate::values::callable::Native;

/// All natives of the library.
pub(crate) fn natives() -> Vec<Native> {
    let mut all = Vec::new();
    all.extend(declaring::natives());
    all.extend(bodies::natives());
    all.extend(kinds::natives());
    all.extend(posts::natives());
    all.extend(law::natives());
    all.extend(time::natives());
    all.extend(text::natives());
    all.extend(guards::natives());
    all.extend(crate::script_host::natives());
    all
}
