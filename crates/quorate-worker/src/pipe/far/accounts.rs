//! What a site in a worker asks of accounts, as far as a worker needs it.

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, PlayerId, Span};
use quorate_runtime::Answer;
use quorate_runtime::ports::{
    Account, AccountError, AccountId, Accounts, BegunCommand, DraftKept, Drafts, Invitation,
    KeptDraft, Moderation, NewAccount, OutsideName, OutsideWay, Passkey, Passkeys, Recovery,
    Report, Restraint, Safety, Seat, SecondFactor, SecurityEntry, Session, SessionUse, ShownUpTo,
    StoreError, Token, Upload, UploadKept, Uploads, WriteLimits,
};

use super::super::PipeAsk;
use super::{Far, not_here};

#[async_trait]
impl Accounts for Far {
    async fn make(&self, _: &NewAccount) -> Result<AccountId, AccountError> {
        Ok(not_here()?)
    }

    async fn account(&self, id: AccountId) -> Result<Option<Account>, AccountError> {
        Ok(self.ask(PipeAsk::Account(id.0))?)
    }

    async fn account_by_name(&self, name: &str) -> Result<Option<Account>, AccountError> {
        Ok(self.ask(PipeAsk::AccountByName(name.to_owned()))?)
    }

    async fn account_by_mail(&self, _: &str) -> Result<Option<Account>, AccountError> {
        Ok(not_here()?)
    }

    async fn accounts(&self) -> Result<Vec<Account>, AccountError> {
        Ok(self.ask(PipeAsk::Accounts)?)
    }

    async fn change(&self, _: &Account) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn erase(&self, _: AccountId) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn begin_session(&self, _: &Session) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn account_of_session(
        &self,
        digest: Digest,
        now: Moment,
    ) -> Result<Option<Account>, AccountError> {
        Ok(self.ask(PipeAsk::AccountOfSession(digest, now))?)
    }

    async fn sessions_of(&self, _: AccountId, _: Moment) -> Result<Vec<Session>, AccountError> {
        Ok(not_here()?)
    }

    async fn end_session(&self, _: Digest) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn make_token(&self, _: &Token) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn token(&self, digest: Digest, now: Moment) -> Result<Option<Token>, AccountError> {
        Ok(self.ask(PipeAsk::Token(digest, now))?)
    }

    async fn tokens_of(&self, _: AccountId) -> Result<Vec<Token>, AccountError> {
        Ok(not_here()?)
    }

    async fn revoke_token(&self, _: Digest) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn invite(&self, _: &Invitation) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn invitation(&self, _: Digest, _: Moment) -> Result<Option<Invitation>, AccountError> {
        Ok(not_here()?)
    }

    async fn make_recovery(&self, _: &Recovery) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn recovery(&self, _: Digest, _: Moment) -> Result<Option<AccountId>, AccountError> {
        Ok(not_here()?)
    }

    async fn use_recovery(&self, _: Digest, _: Moment) -> Result<Option<AccountId>, AccountError> {
        Ok(not_here()?)
    }

    async fn take_seat(&self, seat: &Seat) -> Result<(), AccountError> {
        Ok(self.ask(PipeAsk::TakeSeat(seat.game.clone(), seat.player))?)
    }

    async fn leave_seat(&self, _: &GameId, _: PlayerId) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn seat(&self, id: AccountId, game: &GameId) -> Result<Option<PlayerId>, AccountError> {
        Ok(self.ask(PipeAsk::Seat(id.0, game.clone()))?)
    }

    async fn seats_of(&self, id: AccountId) -> Result<Vec<Seat>, AccountError> {
        Ok(self.ask(PipeAsk::SeatsOf(id.0))?)
    }

    async fn seats_in(&self, game: &GameId) -> Result<Vec<Seat>, AccountError> {
        Ok(self.ask(PipeAsk::SeatsIn(game.clone()))?)
    }

    async fn messages_read(&self, id: AccountId, game: &GameId) -> Result<ShownUpTo, AccountError> {
        Ok(self.ask(PipeAsk::MessagesRead(id.0, game.clone()))?)
    }

    async fn note_messages_read(
        &self,
        id: AccountId,
        game: &GameId,
        conversation: &str,
        up_to: EventSeq,
    ) -> Result<(), AccountError> {
        let conversation = conversation.to_owned();
        Ok(self.ask(PipeAsk::NoteMessagesRead(
            id.0,
            game.clone(),
            conversation,
            up_to,
        ))?)
    }

    async fn sweep(&self, _: Moment) -> Result<(), AccountError> {
        Ok(not_here()?)
    }
}

#[async_trait]
impl WriteLimits for Far {
    /// The server knows for whom this works, and counts for no other.
    async fn count_write(&self, _: AccountId, is_command: bool) -> Result<Option<u64>, StoreError> {
        Ok(self.ask(PipeAsk::CountWrite(is_command))?)
    }

    /// The server does, as it sends it.
    fn begin(&self, _: AccountId) -> Result<BegunCommand, u64> {
        Ok(BegunCommand::counted_elsewhere())
    }

    /// The server does, as it sends it.
    fn note_sent(&self, _: Option<AccountId>, _: &Answer) {}
}

/// Nothing of this is a worker's: the server does it before it hands a request over.
#[async_trait]
impl Safety for Far {
    async fn make_invited(&self, _: &NewAccount, _: Digest) -> Result<AccountId, AccountError> {
        Ok(not_here()?)
    }

    async fn use_session(&self, _: &SessionUse, _: Moment, _: Span) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn session_uses(&self, _: AccountId) -> Result<Vec<SessionUse>, AccountError> {
        Ok(not_here()?)
    }

    async fn close_ways(&self, _: AccountId) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn make_from_outside(
        &self,
        _: &NewAccount,
        _: Option<Digest>,
        _: &OutsideWay,
    ) -> Result<AccountId, AccountError> {
        Ok(not_here()?)
    }

    async fn account_from_outside(
        &self,
        _: &OutsideName,
    ) -> Result<Option<AccountId>, AccountError> {
        Ok(not_here()?)
    }

    async fn outside_ways(&self, _: AccountId) -> Result<Vec<OutsideWay>, AccountError> {
        Ok(not_here()?)
    }

    async fn link_outside(&self, _: AccountId, _: &OutsideWay) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn unlink_outside(&self, _: AccountId, _: &OutsideName) -> Result<bool, AccountError> {
        Ok(not_here()?)
    }

    async fn second_factor(&self, _: AccountId) -> Result<Option<SecondFactor>, AccountError> {
        Ok(not_here()?)
    }

    async fn set_second_factor(
        &self,
        _: AccountId,
        _: &[u8],
        _: u64,
        _: &[Digest],
    ) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn drop_second_factor(&self, _: AccountId) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn use_step(&self, _: AccountId, _: u64) -> Result<bool, AccountError> {
        Ok(not_here()?)
    }

    async fn use_recovery_code(&self, _: AccountId, _: Digest) -> Result<bool, AccountError> {
        Ok(not_here()?)
    }

    async fn note(&self, _: &SecurityEntry) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn entries(
        &self,
        _: Option<AccountId>,
        _: u32,
    ) -> Result<Vec<SecurityEntry>, AccountError> {
        Ok(not_here()?)
    }

    async fn drop_entries(&self, _: Moment) -> Result<(), AccountError> {
        Ok(not_here()?)
    }
}

#[async_trait]
impl Passkeys for Far {
    async fn add_passkey(&self, _: &Passkey) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn passkey(&self, _: &[u8]) -> Result<Option<Passkey>, AccountError> {
        Ok(not_here()?)
    }

    async fn passkeys_of(&self, _: AccountId) -> Result<Vec<Passkey>, AccountError> {
        Ok(not_here()?)
    }

    async fn use_passkey(&self, _: &[u8], _: u32, _: Moment) -> Result<bool, AccountError> {
        Ok(not_here()?)
    }

    async fn drop_passkey(&self, _: AccountId, _: &[u8]) -> Result<bool, AccountError> {
        Ok(not_here()?)
    }
}

/// Of this a worker needs to know what its own reader is kept from.
#[async_trait]
impl Moderation for Far {
    async fn restrain(&self, _: AccountId, _: &Restraint) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn lift(&self, _: AccountId) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn restraint(
        &self,
        id: AccountId,
        now: Moment,
    ) -> Result<Option<Restraint>, AccountError> {
        Ok(self.ask(PipeAsk::Restraint(id.0, now))?)
    }

    async fn report(&self, _: &Report) -> Result<(), AccountError> {
        Ok(not_here()?)
    }

    async fn reports(&self) -> Result<Vec<(u64, Report)>, AccountError> {
        Ok(not_here()?)
    }

    async fn settle_report(&self, _: u64, _: Moment) -> Result<bool, AccountError> {
        Ok(not_here()?)
    }
}

/// Those of the account that this works for: the server believes no worker who it is.
#[async_trait]
impl Drafts for Far {
    async fn keep_draft(&self, _: AccountId, _: &KeptDraft) -> Result<DraftKept, AccountError> {
        Ok(not_here()?)
    }

    async fn draft(
        &self,
        _: AccountId,
        game: &GameId,
        form: &str,
    ) -> Result<Option<KeptDraft>, AccountError> {
        Ok(self.ask(PipeAsk::Draft(game.clone(), form.to_owned()))?)
    }

    async fn drafts(&self, _: AccountId, game: &GameId) -> Result<Vec<KeptDraft>, AccountError> {
        Ok(self.ask(PipeAsk::Drafts(game.clone()))?)
    }

    async fn drop_draft(
        &self,
        _: AccountId,
        game: &GameId,
        form: &str,
    ) -> Result<bool, AccountError> {
        Ok(self.ask(PipeAsk::DropDraft(game.clone(), form.to_owned()))?)
    }
}

#[async_trait]
impl Uploads for Far {
    async fn keep_upload(&self, _: AccountId, _: &Upload) -> Result<UploadKept, AccountError> {
        Ok(not_here()?)
    }

    async fn upload(
        &self,
        _: &GameId,
        _: &str,
        _: Option<AccountId>,
    ) -> Result<Option<Upload>, AccountError> {
        Ok(not_here()?)
    }

    async fn drop_upload(
        &self,
        _: &GameId,
        _: &str,
        _: Option<AccountId>,
    ) -> Result<u64, AccountError> {
        Ok(not_here()?)
    }

    async fn drop_uploads_of(&self, _: AccountId) -> Result<u64, AccountError> {
        Ok(not_here()?)
    }
}
