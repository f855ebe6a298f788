//! Why something has no answer, as it goes between processes.

use quorate_kernel::GameId;
use serde::{Deserialize, Serialize};

use crate::error::OperatingError;
use crate::ports::{AccountError, StoreError};

/// Why a question has no answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum WireError {
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
    /// What the sender's commands wrote is more than there is room for, until so many milliseconds from now.
    WroteTooMuch(u64),
    /// The server is closing.
    Closing,
    /// Anything else, in words.
    Other(String),
}

impl From<StoreError> for WireError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<AccountError> for WireError {
    fn from(error: AccountError) -> Self {
        Self::Account(error)
    }
}

impl From<OperatingError> for WireError {
    fn from(error: OperatingError) -> Self {
        match error {
            OperatingError::NoGame(game) => Self::NoGame(game),
            OperatingError::Store(error) => Self::Store(error),
            OperatingError::Closing => Self::Closing,
            OperatingError::Interrupted => Self::Interrupted,
            OperatingError::LaterEdition { game, edition } => Self::LaterEdition(game, edition),
            OperatingError::WroteTooMuch { retry_after_ms } => Self::WroteTooMuch(retry_after_ms),
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<WireError> for StoreError {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Store(error) | WireError::Account(AccountError::Store(error)) => error,
            WireError::Account(error) => Self::Failed {
                cause: error.to_string().into(),
            },
            WireError::NoGame(game) => Self::NoGame { game },
            WireError::Closing => Self::Failed {
                cause: "the server is closing".into(),
            },
            WireError::Interrupted => Self::InDoubt,
            WireError::LaterEdition(game, edition) => Self::Failed {
                cause: OperatingError::LaterEdition { game, edition }
                    .to_string()
                    .into(),
            },
            WireError::WroteTooMuch(retry_after_ms) => Self::Failed {
                cause: OperatingError::WroteTooMuch { retry_after_ms }
                    .to_string()
                    .into(),
            },
            WireError::Other(cause) => Self::Failed {
                cause: cause.into(),
            },
        }
    }
}

impl From<WireError> for AccountError {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Account(error) => error,
            other => Self::Store(other.into()),
        }
    }
}

impl From<WireError> for OperatingError {
    fn from(error: WireError) -> Self {
        match error {
            WireError::NoGame(game) => Self::NoGame(game),
            WireError::Closing => Self::Closing,
            WireError::Interrupted => Self::Interrupted,
            WireError::WroteTooMuch(retry_after_ms) => Self::WroteTooMuch { retry_after_ms },
            WireError::LaterEdition(game, edition) => Self::LaterEdition { game, edition },
            other => Self::Store(other.into()),
        }
    }
}
