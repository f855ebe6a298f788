//! Operating errors: what keeps a command from being judged or kept. None of them is an answer of the law.

use quorate_kernel::GameId;

use crate::fault::LogFault;
use crate::ports::StoreError;

/// Why a command or a question has no answer. Nothing of the command was applied, unless the variant says otherwise.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OperatingError {
    /// There is no such game.
    #[error("there is no game \"{0}\" here: see the list of games")]
    NoGame(GameId),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log of a game does not hold together.
    #[error(
        "the log of {game} does not hold together ({fault}): restore it from a backup or an export"
    )]
    Damaged {
        /// Whose log.
        game: GameId,
        /// Where, and how.
        fault: LogFault,
    },
    /// A bug ended the judgement of this command.
    #[error(
        "a bug in Quorate ended this command and nothing was applied; the log has the details, please report them"
    )]
    Bug,
    /// A bug ends whatever falls due next, so nothing later can be judged.
    #[error(
        "{game} stands still, for a bug in Quorate ends what falls due next; it can be read, and is tried again \
         in a minute; the log has the details, please report them"
    )]
    StandsStill {
        /// Which game.
        game: GameId,
    },
    /// The game's law is written in a later language than this node knows.
    #[error(
        "{game} needs edition {edition} of the law's language, which this release does not know: use a newer release"
    )]
    LaterEdition {
        /// Which game.
        game: GameId,
        /// What it needs.
        edition: u16,
    },
    /// Whether the command was applied is not known.
    #[error("the game was interrupted: send the command again with the same key, it counts once")]
    Interrupted,
    /// What the sender's commands wrote is more than there is room for, until so many milliseconds from now.
    #[error("too much at once; try again in {} s", retry_after_ms.div_ceil(1000))]
    WroteTooMuch {
        /// Milliseconds to wait.
        retry_after_ms: u64,
    },
    /// The server is closing.
    #[error("the server is closing: try again when it is back")]
    Closing,
}
