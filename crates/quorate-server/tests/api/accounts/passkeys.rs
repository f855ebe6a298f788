//! Passkeys in memory.

use async_trait::async_trait;
use quorate_kernel::Moment;
use quorate_runtime::ports::{AccountError, AccountId, Accounts, Passkey, Passkeys};

use super::InMemory;

type Told<T> = Result<T, AccountError>;

#[async_trait]
impl Passkeys for InMemory {
    async fn add_passkey(&self, passkey: &Passkey) -> Told<()> {
        if self.account(passkey.account).await?.is_none() {
            return Err(AccountError::NoAccount);
        }
        let mut kept = self.passkeys();
        if kept.iter().any(|one| one.id == passkey.id) {
            return Err(AccountError::WayTaken);
        }
        kept.push(passkey.clone());
        Ok(())
    }

    async fn passkey(&self, id: &[u8]) -> Told<Option<Passkey>> {
        Ok(self.passkeys().iter().find(|one| one.id == id).cloned())
    }

    async fn passkeys_of(&self, account: AccountId) -> Told<Vec<Passkey>> {
        let kept = self.passkeys();
        let own = kept.iter().filter(|one| one.account == account);
        Ok(own.cloned().collect())
    }

    async fn use_passkey(&self, id: &[u8], sign_count: u32, now: Moment) -> Told<bool> {
        let mut kept = self.passkeys();
        let goes_on = |one: &&mut Passkey| {
            one.id == id && (one.sign_count < sign_count || one.sign_count + sign_count == 0)
        };
        let Some(one) = kept.iter_mut().find(goes_on) else {
            return Ok(false);
        };
        (one.sign_count, one.used_at) = (sign_count, Some(now));
        Ok(true)
    }

    async fn drop_passkey(&self, account: AccountId, id: &[u8]) -> Told<bool> {
        let mut kept = self.passkeys();
        let before = kept.len();
        kept.retain(|one| one.account != account || one.id != id);
        Ok(kept.len() < before)
    }
}
