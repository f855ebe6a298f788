//! Names that rulebooks share by custom. Nothing here is a rule: a law that has no such name is asked for none, and what the
//! name means stands in its rulebook.

/// The flag of a player who takes no part for now.
pub const IDLE: &str = "idle";

/// The value of the game that says who leads it.
pub const LEADER: &str = "emperor";

/// The function that says how many votes are enough.
pub const ENOUGH: &str = "quorum";

/// The value of the game that says whether it rests.
pub const PAUSED: &str = "hiatus";

/// The value of the game that lists what people owe: lines that begin with whose they are, by name or by what they are, and a colon.
pub const OBLIGATIONS: &str = "obligations";

/// The same for what they may do but need not.
pub const REMINDERS: &str = "reminders";

/// The section of rules that people play by at the time, and that changes from dynasty to dynasty.
pub const PLAY: &str = "dynastic";

/// The category of posts that ask to change something.
pub const MATTER: &str = "Proposal";

/// The icon of a vote that follows another's.
pub const FOLLOWING: &str = "deferential";

/// The icon of a vote that cannot be taken back.
pub const FINAL: &str = "veto";

/// The status of a post on which such a vote was cast.
pub const STOPPED: &str = "vetoed";

/// The flags of a post that can be carried no more.
pub const LOST: [&str; 2] = [STOPPED, "self_killed"];
