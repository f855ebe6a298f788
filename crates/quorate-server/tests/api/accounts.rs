//! Accounts in memory: as much of them as the API asks for, and the rest too.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, PlayerId};
use quorate_runtime::ports::{
    Account, AccountError, AccountId, Accounts, Invitation, NewAccount, Recovery, Seat, Session,
    Token,
};

#[derive(Default)]
struct Kept {
    accounts: Vec<Account>,
    sessions: Vec<Session>,
    tokens: Vec<Token>,
    invitations: Vec<Invitation>,
    recoveries: Vec<Recovery>,
    seats: Vec<Seat>,
    letters: BTreeMap<(u64, GameId, String), EventSeq>,
}

/// Accounts that are gone with the test.
#[derive(Default)]
pub(crate) struct InMemory(Mutex<Kept>);

impl InMemory {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, is: impl Fn(&Account) -> bool) -> Option<Account> {
        self.kept().accounts.iter().find(|one| is(one)).cloned()
    }
}

type Told<T> = Result<T, AccountError>;

#[async_trait]
impl Accounts for InMemory {
    async fn make(&self, new: &NewAccount) -> Told<AccountId> {
        if self.account_by_name(&new.name).await?.is_some() {
            return Err(AccountError::NameTaken);
        }
        let mut kept = self.kept();
        let id = AccountId(kept.accounts.len() as u64 + 1);
        kept.accounts.push(Account {
            id,
            name: new.name.clone(),
            mail: new.mail.clone(),
            password: new.password.clone(),
            operator: new.operator,
            made_at: new.made_at,
        });
        Ok(id)
    }

    async fn account(&self, id: AccountId) -> Told<Option<Account>> {
        Ok(self.find(|one| one.id == id))
    }

    async fn account_by_name(&self, name: &str) -> Told<Option<Account>> {
        Ok(self.find(|one| one.name.eq_ignore_ascii_case(name)))
    }

    async fn account_by_mail(&self, mail: &str) -> Told<Option<Account>> {
        Ok(self.find(|one| one.mail.as_deref() == Some(mail)))
    }

    async fn accounts(&self) -> Told<Vec<Account>> {
        Ok(self.kept().accounts.clone())
    }

    async fn change(&self, account: &Account) -> Told<()> {
        let mut kept = self.kept();
        let known = kept.accounts.iter_mut().find(|one| one.id == account.id);
        *known.ok_or(AccountError::NoAccount)? = account.clone();
        Ok(())
    }

    async fn erase(&self, id: AccountId) -> Told<()> {
        let mut kept = self.kept();
        kept.accounts.retain(|one| one.id != id);
        kept.sessions.retain(|one| one.account != id);
        kept.tokens.retain(|one| one.account != id);
        kept.seats.retain(|one| one.account != id);
        kept.letters.retain(|(account, _, _), _| *account != id.0);
        Ok(())
    }

    async fn begin_session(&self, session: &Session) -> Told<()> {
        self.kept().sessions.push(session.clone());
        Ok(())
    }

    async fn account_of_session(&self, digest: Digest, now: Moment) -> Told<Option<Account>> {
        let sessions = self.kept().sessions.clone();
        let mut sessions = sessions.iter();
        let found = sessions.find(|one| one.digest == digest && one.ends_at > now);
        Ok(found.and_then(|session| self.find(|one| one.id == session.account)))
    }

    async fn sessions_of(&self, id: AccountId, now: Moment) -> Told<Vec<Session>> {
        let kept = self.kept();
        let theirs = kept.sessions.iter();
        let theirs = theirs.filter(|one| one.account == id && one.ends_at > now);
        Ok(theirs.cloned().collect())
    }

    async fn end_session(&self, digest: Digest) -> Told<()> {
        self.kept().sessions.retain(|one| one.digest != digest);
        Ok(())
    }

    async fn end_sessions_of(&self, id: AccountId) -> Told<()> {
        self.kept().sessions.retain(|one| one.account != id);
        Ok(())
    }

    async fn make_token(&self, token: &Token) -> Told<()> {
        self.kept().tokens.push(token.clone());
        Ok(())
    }

    async fn token(&self, digest: Digest, now: Moment) -> Told<Option<Token>> {
        let kept = self.kept();
        let counts =
            |one: &&Token| one.digest == digest && one.ends_at.is_none_or(|ends_at| ends_at > now);
        Ok(kept.tokens.iter().find(counts).cloned())
    }

    async fn tokens_of(&self, id: AccountId) -> Told<Vec<Token>> {
        let kept = self.kept();
        let own = kept.tokens.iter().filter(|one| one.account == id);
        Ok(own.cloned().collect())
    }

    async fn revoke_token(&self, digest: Digest) -> Told<()> {
        self.kept().tokens.retain(|one| one.digest != digest);
        Ok(())
    }

    async fn invite(&self, invitation: &Invitation) -> Told<()> {
        self.kept().invitations.push(invitation.clone());
        Ok(())
    }

    async fn invitation(&self, digest: Digest, now: Moment) -> Told<Option<Invitation>> {
        let kept = self.kept();
        let mut known = kept.invitations.iter();
        let counts =
            |one: &&Invitation| one.digest == digest && one.uses_left > 0 && one.ends_at > now;
        Ok(known.find(counts).cloned())
    }

    async fn use_invitation(&self, digest: Digest, now: Moment) -> Told<bool> {
        let mut kept = self.kept();
        let mut known = kept.invitations.iter_mut();
        let found =
            known.find(|one| one.digest == digest && one.uses_left > 0 && one.ends_at > now);
        Ok(found.is_some_and(|one| {
            one.uses_left -= 1;
            true
        }))
    }

    async fn make_recovery(&self, recovery: &Recovery) -> Told<()> {
        self.kept().recoveries.push(recovery.clone());
        Ok(())
    }

    async fn use_recovery(&self, digest: Digest, now: Moment) -> Told<Option<AccountId>> {
        let mut kept = self.kept();
        let mut known = kept.recoveries.iter();
        let found = known.find(|one| one.digest == digest && one.ends_at > now);
        let account = found.map(|one| one.account);
        kept.recoveries.retain(|one| Some(one.account) != account);
        Ok(account)
    }

    async fn take_seat(&self, seat: &Seat) -> Told<()> {
        let mut kept = self.kept();
        let is_taken = kept.seats.iter().any(|one| {
            one.game == seat.game && (one.player == seat.player || one.account == seat.account)
        });
        if is_taken {
            return Err(AccountError::SeatTaken);
        }
        kept.seats.push(seat.clone());
        Ok(())
    }

    async fn leave_seat(&self, game: &GameId, player: PlayerId) -> Told<()> {
        let mut kept = self.kept();
        kept.seats
            .retain(|one| one.game != *game || one.player != player);
        Ok(())
    }

    async fn seat(&self, id: AccountId, game: &GameId) -> Told<Option<PlayerId>> {
        let kept = self.kept();
        let mut seats = kept.seats.iter();
        let own = seats.find(|one| one.account == id && one.game == *game);
        Ok(own.map(|one| one.player))
    }

    async fn seats_of(&self, id: AccountId) -> Told<Vec<Seat>> {
        let kept = self.kept();
        let own = kept.seats.iter().filter(|one| one.account == id);
        Ok(own.cloned().collect())
    }

    async fn seats_in(&self, game: &GameId) -> Told<Vec<Seat>> {
        let kept = self.kept();
        let there = kept.seats.iter().filter(|one| one.game == *game);
        Ok(there.cloned().collect())
    }

    async fn messages_read(
        &self,
        id: AccountId,
        game: &GameId,
    ) -> Told<BTreeMap<String, EventSeq>> {
        let kept = self.kept();
        let own = kept.letters.iter();
        let own = own.filter(|((account, of, _), _)| *account == id.0 && of == game);
        Ok(own
            .map(|((_, _, circle), up_to)| (circle.clone(), *up_to))
            .collect())
    }

    async fn note_messages_read(
        &self,
        id: AccountId,
        game: &GameId,
        circle: &str,
        up_to: EventSeq,
    ) -> Told<()> {
        let place = (id.0, game.clone(), circle.to_owned());
        let mut kept = self.kept();
        let known = kept.letters.entry(place).or_default();
        *known = up_to.max(*known);
        Ok(())
    }

    async fn sweep(&self, now: Moment) -> Told<()> {
        let mut kept = self.kept();
        kept.sessions.retain(|one| one.ends_at > now);
        kept.tokens
            .retain(|one| one.ends_at.is_none_or(|ends_at| ends_at > now));
        Ok(())
    }
}
