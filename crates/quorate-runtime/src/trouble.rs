//! Why something has no answer, as it goes between processes.

use quorate_kernel::GameId;
use serde::{Deserialize, Serialize};

use crate::error::OperatingError;
use crate::ports::{AccountError, StoreError};

/// Why a question has no answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Trouble {
    /// The store failed.
    Store(StoreError),
    /// Something about accounts was not done.
    Account(AccountError),
    /// There is no such game.
    NoGame(GameId),
    /// The game needs a later edition of the law's language.
    LaterEdition(GameId, u16),
    /// Whether the command was applied is not known.
    Interrupted,
    /// The server is closing.
    Closing,
    /// Anything else, in words.
    Other(String),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<AccountError> for Trouble {
    fn from(error: AccountError) -> Self {
        Self::Account(error)
    }
}

impl From<OperatingError> for Trouble {
    fn from(error: OperatingError) -> Self {
        match error {
            OperatingError::NoGame(game) => Self::NoGame(game),
            OperatingError::Store(error) => Self::Store(error),
            OperatingError::Closing => Self::Closing,
            OperatingError::Interrupted => Self::Interrupted,
            OperatingError::LaterEdition { game, edition } => Self::LaterEdition(game, edition),
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<Trouble> for StoreError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Store(error) | Trouble::Account(AccountError::Store(error)) => error,
            Trouble::Account(error) => Self::Failed {
                cause: error.to_string().into(),
            },
            Trouble::NoGame(game) => Self::NoGame { game },
            Trouble::Closing => Self::Failed {
                cause: "the server is closing".into(),
            },
            Trouble::Interrupted => Self::InDoubt,
            Trouble::LaterEdition(game, edition) => Self::Failed {
                cause: OperatingError::LaterEdition { game, edition }
                    .to_string()
                    .into(),
            },
            Trouble::Other(cause) => Self::Failed {
                cause: cause.into(),
            },
        }
    }
}

impl From<Trouble> for AccountError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Account(error) => error,
            other => Self::Store(other.into()),
        }
    }
}

impl From<Trouble> for OperatingError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::NoGame(game) => Self::NoGame(game),
            Trouble::Closing => Self::Closing,
            Trouble::Interrupted => Self::Interrupted,
            Trouble::LaterEdition(game, edition) => Self::LaterEdition { game, edition },
            other => Self::Store(other.into()),
        }
    }
}
