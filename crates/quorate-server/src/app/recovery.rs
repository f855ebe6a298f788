//! Links for those who cannot sign in.

use quorate_kernel::Moment;
use quorate_runtime::ports::{AccountError, AccountId, Accounts, Recovery};

use crate::app::mail::MailError;
use crate::security::carried::{digest_of, fresh_word};
use crate::security::chance::NoChance;
use crate::ui::urls;
use crate::ui::urls::Href;

/// Why a link was not made or did not leave.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The system gave no random bytes.
    #[error(transparent)]
    Chance(#[from] NoChance),
    /// The accounts cannot be read or written.
    #[error(transparent)]
    Accounts(#[from] AccountError),
    /// The mail did not leave.
    #[error(transparent)]
    Mail(#[from] MailError),
}

/// Makes a link by which an account's password can be set once, until it ends.
///
/// # Errors
/// Fails without randomness, and where the link cannot be kept.
pub async fn make_link(
    accounts: &dyn Accounts,
    account: AccountId,
    ends_at: Moment,
) -> Result<Href, LinkError> {
    let word = fresh_word()?;
    let recovery = Recovery {
        digest: digest_of(&word),
        account,
        ends_at,
    };
    accounts.make_recovery(&recovery).await?;
    Ok(urls::RecoverWith { code: &word }.into())
}
