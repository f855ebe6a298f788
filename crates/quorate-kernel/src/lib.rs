//! Plain types of a game of Nomic: what a game holds, what changes it, and what is remembered of the change.
//!
//! The kernel knows no rules. It knows people, posts, comments, values, things, rule texts, dice, moments and the
//! log, and that a game is the fold of its log's effects. It reads no clock, rolls no die, does no I/O and starts
//! no thread: all of that arrives in a [`command`] and on a [`tape`].

pub mod audience;
pub mod chance;
pub mod command;
pub mod digest;
pub mod effect;
pub mod event;
pub mod former;
pub mod ids;
pub mod law;
pub mod name;
pub mod patch;
pub mod picture;
pub mod record;
pub mod refusal;
pub mod rows;
pub mod seal;
pub mod sealing;
pub mod state;
pub mod tape;
pub mod time;
pub mod value;
pub mod zone;

pub use ids::{CommentId, EntityId, EventSeq, GameId, Id, PlayerId, PostId};
pub use name::Name;
pub use picture::Picture;
pub use refusal::{LimitTime, Need, Refusal, Topic};
pub use time::{Moment, Span};
pub use value::{Square, Thing, Value};
pub use zone::Zone;
