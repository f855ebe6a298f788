//! Passkeys: keys in a browser, a phone or a stick, by which their owner signs in without a password.

use async_trait::async_trait;
use quorate_kernel::Moment;

use super::{AccountError, AccountId};

/// A passkey of an account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passkey {
    /// What browsers know it by.
    pub id: Vec<u8>,
    /// Whose.
    pub account: AccountId,
    /// Its public key, in DER as RFC 5280 has it.
    pub key: Vec<u8>,
    /// How often it signed, as it says itself; always nought where it doesn't count.
    pub sign_count: u32,
    /// What its owner calls it.
    pub label: String,
    /// When it was added.
    pub made_at: Moment,
    /// When somebody last signed in with it.
    pub used_at: Option<Moment>,
}

/// Passkeys of accounts. They go with their account, and with every other way in when a new password is set.
#[async_trait]
pub trait Passkeys: Send + Sync {
    /// Adds a passkey.
    ///
    /// # Errors
    /// Fails with [`AccountError::WayTaken`] where it leads into an account already.
    async fn add_passkey(&self, passkey: &Passkey) -> Result<(), AccountError>;

    /// The passkey of that name.
    async fn passkey(&self, id: &[u8]) -> Result<Option<Passkey>, AccountError>;

    /// The passkeys of an account, oldest first.
    async fn passkeys_of(&self, account: AccountId) -> Result<Vec<Passkey>, AccountError>;

    /// Notes that a passkey was used, with what it counts; false where one that counts has gone back or stands still, which a
    /// copy of it would do.
    async fn use_passkey(
        &self,
        id: &[u8],
        sign_count: u32,
        now: Moment,
    ) -> Result<bool, AccountError>;

    /// Removes a passkey; false where the account has no such one.
    async fn drop_passkey(&self, account: AccountId, id: &[u8]) -> Result<bool, AccountError>;
}
