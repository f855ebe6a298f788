//! What a proposal would do to a game, as data: tried on a copy, of which nothing stays.
//!
//! [`Fork`] is the copy, made of what one reader may see. [`Forecast::of`] tries a patch on it and gives what changes, who
//! could do what, what would come of claims and of what else is pending, and whether rules could still be changed
//! afterwards. [`PatchTests`] are the tests of rules that the patch touches. [`words`] has all of it in sentences for
//! people, which nobody reads back.
//!
//! Nothing here reads a clock, a file or a network: the caller says when the time is over and gives events of the past.

mod access;
mod alone;
mod amending;
mod claims;
pub mod consequence;
mod forecast;
mod fork;
mod lines;
pub mod matters;
mod odds;
mod proof;
mod queue;
mod shape;
mod votes;
pub mod words;

pub use access::{Access, Gain};
pub use amending::{Amending, Passed, Stuck, Today};
pub use claims::{ClaimEnd, Claims, RefusedClaim, Untried};
pub use forecast::{Extent, Forecast};
pub use fork::{Fork, PastEvents, PatchTrial, Sleeping, by_rule, outcome, trial_command, tried};
pub use odds::{Odds, Possibility, PossibleChange, Throws};
pub use proof::{FailedTest, PatchTests, Proof};
pub use queue::{Ahead, Breach, Flip, Queue, Why};
