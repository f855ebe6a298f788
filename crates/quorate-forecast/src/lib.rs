//! What a proposal would do to a game, as data: tried on a copy, of which nothing stays.
//!
//! [`Fork`] is the copy, made of what one reader may see. [`Forecast::of`] enacts a post on it as the law would, and gives
//! what changes, who could do what, what would come of claims and of what else is pending, and whether rules could still be changed
//! afterwards. [`PatchTests`] are the tests of rules that the patch touches. [`words`] has all of it in sentences for
//! people, which nobody reads back.
//!
//! Nothing here reads a clock, a file or a network: the caller says when the time is over and gives events of the past.

mod access;
mod act;
mod alone;
mod amending;
mod breaks;
mod claims;
mod conditions;
pub mod consequence;
mod enactment;
mod forecast;
mod fork;
mod gathered;
mod lines;
mod losses;
mod machinery;
pub mod matters;
mod odds;
mod proof;
mod queue;
mod round;
mod shape;
mod standing;
mod trial;
mod verdict;
mod votes;
pub mod words;
mod written;

pub use access::{Access, Gain};
pub use act::ActForecast;
pub use amending::{Amending, Today};
pub use claims::{ClaimEnd, Claims, RefusedClaim, Untried};
pub use conditions::Condition;
pub use enactment::Proposed;
pub use forecast::{Extent, Forecast, happened};
pub use fork::{Fork, PastEvents, outcome, trial_command, tried};
pub use losses::{RuleLoss, losses};
pub use odds::{Odds, Possibility, PossibleChange, Throws};
pub use proof::{FailedTest, PatchTests, Proof};
pub use queue::{Ahead, Breach, Collision, Flip, Queue, Why};
pub use round::{Passed, Stuck};
pub use standing::{Closing, MatterStanding, ShutClosing, leaning};
pub use trial::{MergedLine, PatchTrial, Sleeping, by_rule};
pub use verdict::{
    DecidingVote, InTime, MatterIfs, MatterVerdict, MatterVotes, MoreVotes, OpenMatter, Ripeness,
};
