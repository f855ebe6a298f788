//! Accounts in memory: as much of them as the API asks for, and the rest too.

#[path = "accounts/passkeys.rs"]
mod passkeys;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, PlayerId, Span};
use quorate_runtime::ports::{
    Account, AccountError, AccountId, Accounts, DRAFT_BYTES_MAX, DRAFTS_BYTES_MAX, DRAFTS_MAX,
    DraftKept, Drafts, ENTRIES_KEPT, Invitation, KeptDraft, Moderation, NewAccount, OutsideName,
    OutsideWay, Passkey, Recovery, Report, Restraint, RestraintKind, Safety, Seat, SecondFactor,
    SecurityEntry, Session, SessionUse, ShownUpTo, Token, UPLOADS_MAX, Upload, UploadKept, Uploads,
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
    uses: Vec<SessionUse>,
    entries: Vec<SecurityEntry>,
    factors: BTreeMap<u64, (Vec<u8>, u64)>,
    codes: Vec<(AccountId, Digest)>,
    ways: Vec<(AccountId, OutsideWay)>,
    restraints: BTreeMap<u64, Restraint>,
    reports: Vec<(Report, bool)>,
    drafts: Vec<(AccountId, KeptDraft)>,
    uploads: Vec<(AccountId, Upload)>,
}

impl Kept {
    fn restraint(&self, id: AccountId, now: Moment) -> Option<&Restraint> {
        let found = self.restraints.get(&id.0);
        found.filter(|one| one.until.is_none_or(|until| until > now))
    }

    fn is_suspended(&self, id: AccountId, now: Moment) -> bool {
        self.restraint(id, now)
            .is_some_and(|one| one.kind == RestraintKind::Suspended)
    }
}

/// Accounts that are gone with the test.
#[derive(Default)]
pub(crate) struct InMemory {
    kept: Mutex<Kept>,
    passkeys: Mutex<Vec<Passkey>>,
}

impl InMemory {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn passkeys(&self) -> MutexGuard<'_, Vec<Passkey>> {
        self.passkeys.lock().unwrap_or_else(PoisonError::into_inner)
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
        kept.entries.retain(|one| one.account != Some(id));
        self.passkeys().retain(|one| one.account != id);
        kept.factors.remove(&id.0);
        kept.codes.retain(|(account, _)| *account != id);
        kept.restraints.remove(&id.0);
        kept.drafts.retain(|(account, _)| *account != id);
        kept.uploads.retain(|(account, _)| *account != id);
        kept.ways.retain(|(account, _)| *account != id);
        for (report, _) in &mut kept.reports {
            report.by = report.by.filter(|by| *by != id);
        }
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
        let found = found.filter(|session| !self.kept().is_suspended(session.account, now));
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

    async fn make_token(&self, token: &Token) -> Told<()> {
        self.kept().tokens.push(token.clone());
        Ok(())
    }

    async fn token(&self, digest: Digest, now: Moment) -> Told<Option<Token>> {
        let kept = self.kept();
        let counts =
            |one: &&Token| one.digest == digest && one.ends_at.is_none_or(|ends_at| ends_at > now);
        let found = kept.tokens.iter().find(counts);
        Ok(found
            .filter(|token| !kept.is_suspended(token.account, now))
            .cloned())
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

    async fn make_recovery(&self, recovery: &Recovery) -> Told<()> {
        self.kept().recoveries.push(recovery.clone());
        Ok(())
    }

    async fn recovery(&self, digest: Digest, now: Moment) -> Told<Option<AccountId>> {
        let kept = self.kept();
        let mut known = kept.recoveries.iter();
        let found = known.find(|one| one.digest == digest && one.ends_at > now);
        Ok(found.map(|one| one.account))
    }

    async fn use_recovery(&self, digest: Digest, now: Moment) -> Told<Option<AccountId>> {
        let account = self.recovery(digest, now).await?;
        let mut kept = self.kept();
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

    async fn messages_read(&self, id: AccountId, game: &GameId) -> Told<ShownUpTo> {
        let kept = self.kept();
        let own = kept.letters.iter();
        let own = own.filter(|((account, of, _), _)| *account == id.0 && of == game);
        let shown = own.map(|((_, _, circle), up_to)| (circle.clone(), *up_to));
        Ok(shown.collect::<BTreeMap<_, _>>().into())
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

#[async_trait]
impl Safety for InMemory {
    async fn make_invited(&self, new: &NewAccount, invitation: Digest) -> Told<AccountId> {
        let counts = self.invitation(invitation, new.made_at).await?;
        counts.ok_or(AccountError::NoInvitation)?;
        let id = self.make(new).await?;
        let mut kept = self.kept();
        let mut known = kept.invitations.iter_mut();
        let used = known.find(|one| one.digest == invitation);
        used.unwrap().uses_left -= 1;
        Ok(id)
    }

    async fn use_session(&self, used: &SessionUse, ends_at: Moment, most: Span) -> Told<()> {
        let mut kept = self.kept();
        let mut sessions = kept.sessions.iter_mut();
        let known = sessions.find(|one| one.digest == used.session);
        if let Some(session) = known {
            session.ends_at = ends_at.min(session.began_at + most);
            kept.uses.retain(|one| one.session != used.session);
            kept.uses.push(used.clone());
        }
        Ok(())
    }

    async fn session_uses(&self, id: AccountId) -> Told<Vec<SessionUse>> {
        let kept = self.kept();
        let own = |used: &&SessionUse| {
            let mut sessions = kept.sessions.iter();
            sessions.any(|one| one.digest == used.session && one.account == id)
        };
        Ok(kept.uses.iter().filter(own).cloned().collect())
    }

    async fn close_ways(&self, id: AccountId) -> Told<()> {
        self.passkeys().retain(|one| one.account != id);
        let mut kept = self.kept();
        kept.sessions.retain(|one| one.account != id);
        kept.tokens.retain(|one| one.account != id);
        kept.recoveries.retain(|one| one.account != id);
        kept.ways.retain(|(account, _)| *account != id);
        Ok(())
    }

    async fn make_from_outside(
        &self,
        account: &NewAccount,
        invitation: Option<Digest>,
        way: &OutsideWay,
    ) -> Told<AccountId> {
        if self.account_from_outside(&way.name).await?.is_some() {
            return Err(AccountError::WayTaken);
        }
        let id = match invitation {
            Some(invitation) => self.make_invited(account, invitation).await?,
            None => self.make(account).await?,
        };
        self.kept().ways.push((id, way.clone()));
        Ok(id)
    }

    async fn account_from_outside(&self, name: &OutsideName) -> Told<Option<AccountId>> {
        let kept = self.kept();
        let found = kept.ways.iter().find(|(_, way)| way.name == *name);
        Ok(found.map(|(id, _)| *id))
    }

    async fn outside_ways(&self, id: AccountId) -> Told<Vec<OutsideWay>> {
        let kept = self.kept();
        let own = kept.ways.iter().filter(|(account, _)| *account == id);
        Ok(own.map(|(_, way)| way.clone()).collect())
    }

    async fn link_outside(&self, id: AccountId, way: &OutsideWay) -> Told<()> {
        if self.account_from_outside(&way.name).await?.is_some() {
            return Err(AccountError::WayTaken);
        }
        let mut kept = self.kept();
        if !kept.accounts.iter().any(|one| one.id == id) {
            return Err(AccountError::NoAccount);
        }
        kept.ways.push((id, way.clone()));
        Ok(())
    }

    async fn unlink_outside(&self, id: AccountId, name: &OutsideName) -> Told<bool> {
        let mut kept = self.kept();
        let before = kept.ways.len();
        kept.ways
            .retain(|(account, way)| *account != id || way.name != *name);
        Ok(kept.ways.len() < before)
    }

    async fn second_factor(&self, id: AccountId) -> Told<Option<SecondFactor>> {
        let kept = self.kept();
        let count = kept
            .codes
            .iter()
            .filter(|(account, _)| *account == id)
            .count();
        let found = kept.factors.get(&id.0).cloned();
        Ok(found.map(|(secret, last_step)| SecondFactor {
            secret,
            last_step,
            code_count: u32::try_from(count).unwrap(),
        }))
    }

    async fn set_second_factor(
        &self,
        id: AccountId,
        secret: &[u8],
        step: u64,
        codes: &[Digest],
    ) -> Told<()> {
        self.drop_second_factor(id).await?;
        let mut kept = self.kept();
        kept.factors.insert(id.0, (secret.to_vec(), step));
        kept.codes.extend(codes.iter().map(|code| (id, *code)));
        Ok(())
    }

    async fn drop_second_factor(&self, id: AccountId) -> Told<()> {
        let mut kept = self.kept();
        kept.factors.remove(&id.0);
        kept.codes.retain(|(account, _)| *account != id);
        Ok(())
    }

    async fn use_step(&self, id: AccountId, step: u64) -> Told<bool> {
        let mut kept = self.kept();
        let Some((_, last)) = kept.factors.get_mut(&id.0).filter(|(_, last)| *last < step) else {
            return Ok(false);
        };
        *last = step;
        Ok(true)
    }

    async fn use_recovery_code(&self, id: AccountId, code: Digest) -> Told<bool> {
        let mut kept = self.kept();
        let before = kept.codes.len();
        kept.codes.retain(|one| *one != (id, code));
        Ok(kept.codes.len() < before)
    }

    async fn note(&self, entry: &SecurityEntry) -> Told<()> {
        self.kept().entries.push(entry.clone());
        Ok(())
    }

    async fn entries(
        &self,
        account: Option<AccountId>,
        count_max: u32,
    ) -> Told<Vec<SecurityEntry>> {
        let kept = self.kept();
        let about = kept.entries.iter().rev();
        let about = about.filter(|one| account.is_none() || one.account == account);
        Ok(about.take(count_max as usize).cloned().collect())
    }

    async fn drop_entries(&self, now: Moment) -> Told<()> {
        self.kept()
            .entries
            .retain(|one| one.at + ENTRIES_KEPT >= now);
        Ok(())
    }
}

#[async_trait]
impl Moderation for InMemory {
    async fn restrain(&self, id: AccountId, restraint: &Restraint) -> Told<()> {
        self.kept().restraints.insert(id.0, restraint.clone());
        Ok(())
    }

    async fn lift(&self, id: AccountId) -> Told<()> {
        self.kept().restraints.remove(&id.0);
        Ok(())
    }

    async fn restraint(&self, id: AccountId, now: Moment) -> Told<Option<Restraint>> {
        Ok(self.kept().restraint(id, now).cloned())
    }

    async fn report(&self, report: &Report) -> Told<()> {
        self.kept().reports.push((report.clone(), false));
        Ok(())
    }

    async fn reports(&self) -> Told<Vec<(u64, Report)>> {
        let kept = self.kept();
        let open = (1..)
            .zip(&kept.reports)
            .filter(|(_, (_, settled))| !settled);
        Ok(open.map(|(id, (report, _))| (id, report.clone())).collect())
    }

    async fn settle_report(&self, id: u64, _: Moment) -> Told<bool> {
        let mut kept = self.kept();
        let place = usize::try_from(id).unwrap().checked_sub(1);
        let found = place.and_then(|place| kept.reports.get_mut(place));
        let open = found.filter(|(_, settled)| !settled);
        Ok(open.is_some_and(|(_, settled)| !std::mem::replace(settled, true)))
    }
}

/// What the tests lean on keeps the contract of every store.
#[async_trait]
impl Drafts for InMemory {
    async fn keep_draft(&self, id: AccountId, draft: &KeptDraft) -> Told<DraftKept> {
        if self.find(|one| one.id == id).is_none() {
            return Err(AccountError::NoAccount);
        }
        let mut kept = self.kept();
        let is_same = |one: &KeptDraft| one.game == draft.game && one.form == draft.form;
        let others = kept.drafts.iter();
        let others = others.filter(|(by, one)| *by == id && !is_same(one));
        let lengths: Vec<usize> = others.map(|(_, one)| one.fields.len()).collect();
        let bytes = lengths.iter().sum::<usize>() + draft.fields.len();
        if draft.fields.len() > DRAFT_BYTES_MAX || bytes > DRAFTS_BYTES_MAX {
            return Ok(DraftKept::TooLong);
        }
        if lengths.len() >= usize::try_from(DRAFTS_MAX).unwrap() {
            return Ok(DraftKept::TooMany);
        }
        kept.drafts.retain(|(by, one)| *by != id || !is_same(one));
        kept.drafts.push((id, draft.clone()));
        Ok(DraftKept::Kept)
    }

    async fn draft(&self, id: AccountId, game: &GameId, form: &str) -> Told<Option<KeptDraft>> {
        let all = self.drafts(id, game).await?;
        Ok(all.into_iter().find(|one| one.form == form))
    }

    async fn drafts(&self, id: AccountId, game: &GameId) -> Told<Vec<KeptDraft>> {
        let kept = self.kept();
        let own = kept.drafts.iter();
        let own = own.filter(|(by, one)| *by == id && one.game == *game);
        let mut own: Vec<KeptDraft> = own.map(|(_, one)| one.clone()).collect();
        own.sort_by_key(|one| (std::cmp::Reverse(one.at), one.form.clone()));
        Ok(own)
    }

    async fn drop_draft(&self, id: AccountId, game: &GameId, form: &str) -> Told<bool> {
        let mut kept = self.kept();
        let before = kept.drafts.len();
        let is_it = |one: &KeptDraft| one.game == *game && one.form == form;
        kept.drafts.retain(|(by, one)| *by != id || !is_it(one));
        Ok(kept.drafts.len() < before)
    }
}

#[async_trait]
impl Uploads for InMemory {
    async fn keep_upload(&self, id: AccountId, upload: &Upload) -> Told<UploadKept> {
        if self.find(|one| one.id == id).is_none() {
            return Err(AccountError::NoAccount);
        }
        let mut kept = self.kept();
        let own = kept.uploads.iter().filter(|(by, _)| *by == id);
        let is_same = |one: &Upload| one.game == upload.game && one.word == upload.word;
        if own.clone().any(|(_, one)| is_same(one)) {
            return Ok(UploadKept::Kept);
        }
        if own.count() >= usize::try_from(UPLOADS_MAX).unwrap() {
            return Ok(UploadKept::TooMany);
        }
        kept.uploads.push((id, upload.clone()));
        Ok(UploadKept::Kept)
    }

    async fn upload(
        &self,
        game: &GameId,
        word: &str,
        by: Option<AccountId>,
    ) -> Told<Option<Upload>> {
        let kept = self.kept();
        let mut all = kept.uploads.iter();
        let found = all.find(|(account, one)| {
            one.game == *game && one.word == word && by.is_none_or(|by| by == *account)
        });
        Ok(found.map(|(_, one)| one.clone()))
    }

    async fn drop_upload(&self, game: &GameId, word: &str, by: Option<AccountId>) -> Told<u64> {
        let mut kept = self.kept();
        let before = kept.uploads.len();
        kept.uploads.retain(|(account, one)| {
            one.game != *game || one.word != word || by.is_some_and(|by| by != *account)
        });
        Ok(u64::try_from(before - kept.uploads.len()).unwrap())
    }

    async fn drop_uploads_of(&self, id: AccountId) -> Told<u64> {
        let mut kept = self.kept();
        let before = kept.uploads.len();
        kept.uploads.retain(|(account, _)| *account != id);
        Ok(u64::try_from(before - kept.uploads.len()).unwrap())
    }
}

#[tokio::test]
async fn accounts_in_memory_keep_the_contract_of_safety() {
    quorate_runtime::testing::contract::safety(&InMemory::default()).await;
    quorate_runtime::testing::contract::moderation(&InMemory::default()).await;
    quorate_runtime::testing::contract::drafts(&InMemory::default()).await;
    let store = InMemory::default();
    quorate_runtime::testing::contract::uploads(&store, &store).await;
}
