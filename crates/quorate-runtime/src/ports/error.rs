//! What can go wrong with a store, and what to do about it.

use std::sync::Arc;

use quorate_kernel::{EventSeq, GameId};

/// Why a store did not do what was asked. Nothing of what was asked has happened.
///
/// Cheap to clone: one failed sync is told to everybody who waited for it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum StoreError {
    /// There is no room left.
    #[error("the disk is full, or the store has reached its size limit: make room, then try again")]
    Full,
    /// The folder or the file cannot be written.
    #[error("{what} cannot be written: give this user the right to write there")]
    ReadOnly {
        /// Which file or folder.
        what: Arc<str>,
    },
    /// The file is damaged.
    #[error("the store is damaged ({what}): stop the server and restore its newest backup")]
    Damaged {
        /// What was found.
        what: Arc<str>,
    },
    /// The file is something else.
    #[error("{what} is no store of Quorate's: name another data folder, or move that file away")]
    Foreign {
        /// Which file.
        what: Arc<str>,
    },
    /// The file was written by a later release.
    #[error("{what} was written by a later release of Quorate: use that release or a newer one")]
    Later {
        /// Which file.
        what: Arc<str>,
    },
    /// Another process owns the store.
    #[error(
        "another process uses the data in {folder}: stop it, or name another folder with --data"
    )]
    Taken {
        /// The data folder.
        folder: Arc<str>,
    },
    /// Somebody else has taken the store over since.
    #[error(
        "this process owned the store under lease {ours} and lease {theirs} has followed: stop this process"
    )]
    LeaseLost {
        /// The number of the lease that this process holds.
        ours: u64,
        /// The number of the newest lease.
        theirs: u64,
    },
    /// The server's secret is not there, and the games were played under one.
    #[error(
        "the file `secret` is missing from {folder}, and the dice of its games follow from it: put it back from a backup, or, if it is lost, run `quorate new-secret`"
    )]
    NoSecret {
        /// The data folder.
        folder: Arc<str>,
    },
    /// The secret is another server's.
    #[error(
        "the file `secret` in {folder} is not the one under which its games were played: put that one back from a backup, or, if it is lost, run `quorate new-secret`"
    )]
    OtherSecret {
        /// The data folder.
        folder: Arc<str>,
    },
    /// Events that were kept are not there.
    #[error(
        "{event_count} events that were kept are gone, as when quorate.db-wal was removed or damaged: put it back or restore the newest backup; to go on without them, remove {tally}"
    )]
    Lost {
        /// How many.
        event_count: u64,
        /// The file that knows of them.
        tally: Arc<str>,
    },
    /// Another node has taken a game over since.
    #[error("another node owns {game} now: send the command again with the same key")]
    GameTaken {
        /// Which game.
        game: GameId,
    },
    /// Another process has started under the name of this node.
    #[error(
        "another process is the node {node} now: stop this one, or give it another name with --node"
    )]
    NodeReplaced {
        /// The name of both.
        node: Arc<str>,
    },
    /// The database went away while it was to write, and did not come back in time to say whether it has.
    #[error(
        "nobody knows whether the database has written this: send the command again with the same key, it counts once"
    )]
    InDoubt,
    /// A log does not end where the batch begins.
    #[error("the log of {game} does not end where the new events begin: open the game again")]
    HeadMoved {
        /// Whose log.
        game: GameId,
    },
    /// There is no such game.
    #[error("there is no game \"{game}\" here: see the list of games")]
    NoGame {
        /// Which one.
        game: GameId,
    },
    /// There is such a game already.
    #[error("there is a game \"{game}\" already: choose another word for the address")]
    GameExists {
        /// Which one.
        game: GameId,
    },
    /// An event that should be there is not.
    #[error(
        "event {seq} of {game} is missing from the store: stop the server and restore its newest backup"
    )]
    Gap {
        /// Whose log.
        game: GameId,
        /// Which event.
        seq: EventSeq,
    },
    /// Old events of a game lie in a folder or bucket that this process does not know.
    #[error(
        "old events of {game} lie in a folder or bucket: name it with --objects, as the server does"
    )]
    Elsewhere {
        /// Whose log.
        game: GameId,
    },
    /// A file is not in the folder or bucket in which it was put.
    #[error(
        "the file {name} is missing from the folder or bucket, or damaged: put it back from a copy of that"
    )]
    ObjectLost {
        /// Its name.
        name: Arc<str>,
    },
    /// The folder or bucket cannot be used.
    #[error("{place} cannot be used ({cause}): nothing was lost; try again once it can")]
    NoObjects {
        /// The folder or bucket.
        place: Arc<str>,
        /// What was said.
        cause: Arc<str>,
    },
    /// A sync failed, after which nobody knows what the disk holds. Before anything more is written, all is synced anew.
    #[error("the disk failed to sync, so nothing more is written until it does: check the disk")]
    SyncFailed,
    /// Anything else.
    #[error("the store failed: {cause}; see the log, and check the disk")]
    Failed {
        /// What was said.
        cause: Arc<str>,
    },
}

impl StoreError {
    /// Whether this is about one game only, so that others' events can still be kept.
    pub fn game(&self) -> Option<&GameId> {
        match self {
            Self::HeadMoved { game }
            | Self::NoGame { game }
            | Self::GameExists { game }
            | Self::GameTaken { game }
            | Self::Gap { game, .. } => Some(game),
            _ => None,
        }
    }
}
