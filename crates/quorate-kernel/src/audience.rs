//! Who may see a thing.

use crate::ids::PlayerId;

/// Who may see a post, a comment, a message or a value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Audience {
    /// Everybody, strangers included.
    #[default]
    Everybody,
    /// These players.
    Players(Vec<PlayerId>),
    /// Rule code alone, on the server.
    Server,
}

/// Somebody who reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// Nobody in particular: a stranger, a feed, a public export.
    Stranger,
    /// A person of this game.
    Player(PlayerId),
    /// The law and the engine themselves, which see all.
    Law,
}

impl Audience {
    /// Whether the reader belongs to the audience.
    pub fn admits(&self, reader: Reader) -> bool {
        match (self, reader) {
            (_, Reader::Law) | (Self::Everybody, _) => true,
            (Self::Players(players), Reader::Player(player)) => players.contains(&player),
            (Self::Players(_) | Self::Server, _) => false,
        }
    }
}
