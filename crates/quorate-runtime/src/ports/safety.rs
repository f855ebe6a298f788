//! What keeps accounts safe: where they are signed in, what happened to them, and what a new password ends.

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{Moment, Span};

use super::{AccountError, AccountId, NewAccount, Passkeys};

/// How long the security log keeps an entry, with the address in it.
pub const ENTRIES_KEPT: Span = Span::days(60);

/// The last use of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionUse {
    /// The session, by the digest of its cookie.
    pub session: Digest,
    /// When.
    pub at: Moment,
    /// With what and from where, in words: "Firefox on Linux, from 192.0.2.7".
    pub place: String,
}

/// What happened to an account, or was done by an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SecurityEvent {
    /// Somebody signed in.
    SignedIn,
    /// Somebody typed a wrong password.
    SignInFailed,
    /// A wrong password or code was typed where somebody who is signed in changes something.
    CheckFailed,
    /// The account was made.
    SignedUp,
    /// A new password was set by its owner.
    PasswordChanged,
    /// A link for a new password was sent by mail.
    RecoveryMailed,
    /// An operator made a link for a new password.
    RecoveryMade,
    /// A new password was set by such a link.
    Recovered,
    /// A second factor was turned on.
    FactorOn,
    /// The second factor was turned off.
    FactorOff,
    /// The mail address was changed.
    MailChanged,
    /// A token was made.
    TokenMade,
    /// A token was revoked.
    TokenRevoked,
    /// A session was ended from another browser.
    SessionEnded,
    /// The notices of the account go to another place too.
    PlaceAdded,
    /// An account was marked as an operator's.
    OperatorMarked,
    /// The mark of an operator was taken away.
    OperatorUnmarked,
    /// An operator made an invitation.
    Invited,
    /// An operator muted the account.
    Muted,
    /// An operator suspended the account.
    Suspended,
    /// An operator lifted what the account was kept from.
    Lifted,
    /// An operator withheld a text or a picture.
    Withheld,
    /// An operator said that the machine's clock is right.
    ClockTrusted,
    /// An operator took a copy of a game, or of everything.
    CopyTaken,
    /// An operator removed a game.
    GameRemoved,
    /// An operator put a removed game back.
    GamePutBack,
    /// A way to sign in from elsewhere was added.
    OutsideLinked,
    /// A way to sign in from elsewhere was removed.
    OutsideUnlinked,
    /// A passkey was added.
    PasskeyAdded,
    /// A passkey was removed.
    PasskeyRemoved,
    /// An operator ended the account.
    Ended,
    /// An operator settled a report.
    ReportSettled,
}

impl SecurityEvent {
    /// All there are.
    pub const ALL: [Self; 32] = [
        Self::SignedIn,
        Self::SignInFailed,
        Self::CheckFailed,
        Self::SignedUp,
        Self::PasswordChanged,
        Self::RecoveryMailed,
        Self::RecoveryMade,
        Self::Recovered,
        Self::FactorOn,
        Self::FactorOff,
        Self::MailChanged,
        Self::TokenMade,
        Self::TokenRevoked,
        Self::SessionEnded,
        Self::PlaceAdded,
        Self::OperatorMarked,
        Self::OperatorUnmarked,
        Self::Invited,
        Self::Muted,
        Self::Suspended,
        Self::Lifted,
        Self::Withheld,
        Self::ClockTrusted,
        Self::CopyTaken,
        Self::GameRemoved,
        Self::GamePutBack,
        Self::OutsideLinked,
        Self::OutsideUnlinked,
        Self::PasskeyAdded,
        Self::PasskeyRemoved,
        Self::Ended,
        Self::ReportSettled,
    ];

    /// The word by which stores and logs know it.
    pub fn word(self) -> &'static str {
        match self {
            Self::SignedIn => "signed-in",
            Self::SignInFailed => "sign-in-failed",
            Self::CheckFailed => "check-failed",
            Self::SignedUp => "signed-up",
            Self::PasswordChanged => "password-changed",
            Self::RecoveryMailed => "recovery-mailed",
            Self::RecoveryMade => "recovery-made",
            Self::Recovered => "recovered",
            Self::FactorOn => "factor-on",
            Self::FactorOff => "factor-off",
            Self::MailChanged => "mail-changed",
            Self::TokenMade => "token-made",
            Self::TokenRevoked => "token-revoked",
            Self::SessionEnded => "session-ended",
            Self::PlaceAdded => "place-added",
            Self::OperatorMarked => "operator-marked",
            Self::OperatorUnmarked => "operator-unmarked",
            Self::Invited => "invited",
            Self::Muted => "muted",
            Self::Suspended => "suspended",
            Self::Lifted => "lifted",
            Self::Withheld => "withheld",
            Self::ClockTrusted => "clock-trusted",
            Self::CopyTaken => "copy-taken",
            Self::GameRemoved => "game-removed",
            Self::GamePutBack => "game-put-back",
            Self::OutsideLinked => "outside-linked",
            Self::OutsideUnlinked => "outside-unlinked",
            Self::PasskeyAdded => "passkey-added",
            Self::PasskeyRemoved => "passkey-removed",
            Self::Ended => "ended",
            Self::ReportSettled => "report-settled",
        }
    }

    /// The one of that word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.word() == word)
    }
}

/// An entry of the security log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecurityEntry {
    /// When.
    pub at: Moment,
    /// What.
    pub event: SecurityEvent,
    /// Whose account it is about, if one's.
    pub account: Option<AccountId>,
    /// Who did it, where that was an operator.
    pub by: Option<AccountId>,
    /// What else there is to say.
    pub about: String,
    /// With what and from where, in words.
    pub place: String,
}

/// A second factor of an account.
#[derive(Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// The key that an authenticator app shares with the server.
    pub secret: Vec<u8>,
    /// The newest step whose code was used.
    pub last_step: u64,
    /// How many codes for a lost app are left.
    pub code_count: u32,
}

impl std::fmt::Debug for SecondFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecondFactor")
            .field("last_step", &self.last_step)
            .field("code_count", &self.code_count)
            .finish_non_exhaustive()
    }
}

/// Who somebody is elsewhere: by what an issuer calls them, which never changes and is given to nobody else.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct OutsideName {
    /// The address of the issuer.
    pub issuer: String,
    /// What the issuer knows them by.
    pub subject: String,
}

/// A way into an account from elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutsideWay {
    /// Who they are there.
    pub name: OutsideName,
    /// What they are called there, for their own page alone.
    pub label: String,
    /// Since when it leads here.
    pub linked_at: Moment,
}

/// What keeps accounts safe.
#[async_trait]
pub trait Safety: Passkeys + Send + Sync {
    /// Makes an account by an invitation, of which one use goes; both happen or neither.
    ///
    /// # Errors
    /// Fails with [`AccountError::NoInvitation`] where no use was left, and as [`super::Accounts::make`] does.
    async fn make_invited(
        &self,
        account: &NewAccount,
        invitation: Digest,
    ) -> Result<AccountId, AccountError>;

    /// Notes that a session was used: it counts until `ends_at`, and no longer than `most` after it began. Where there is no
    /// such session, nothing happens.
    async fn use_session(
        &self,
        used: &SessionUse,
        ends_at: Moment,
        most: Span,
    ) -> Result<(), AccountError>;

    /// The last uses of an account's sessions.
    async fn session_uses(&self, id: AccountId) -> Result<Vec<SessionUse>, AccountError>;

    /// Closes every way into an account but its password: sessions, tokens, links for a new password, ways from
    /// elsewhere, passkeys.
    async fn close_ways(&self, id: AccountId) -> Result<(), AccountError>;

    /// Makes an account that a way from elsewhere leads into, by an invitation where there is one; all of it happens or nothing.
    ///
    /// # Errors
    /// Fails as [`Safety::make_invited`] and [`Safety::link_outside`] do.
    async fn make_from_outside(
        &self,
        account: &NewAccount,
        invitation: Option<Digest>,
        way: &OutsideWay,
    ) -> Result<AccountId, AccountError>;

    /// Whose account a way from elsewhere leads into.
    async fn account_from_outside(
        &self,
        name: &OutsideName,
    ) -> Result<Option<AccountId>, AccountError>;

    /// The ways from elsewhere into an account, oldest first.
    async fn outside_ways(&self, id: AccountId) -> Result<Vec<OutsideWay>, AccountError>;

    /// Adds a way from elsewhere into an account.
    ///
    /// # Errors
    /// Fails with [`AccountError::WayTaken`] where it leads into an account already.
    async fn link_outside(&self, id: AccountId, way: &OutsideWay) -> Result<(), AccountError>;

    /// Removes a way from elsewhere; false where the account has no such one.
    async fn unlink_outside(&self, id: AccountId, name: &OutsideName)
    -> Result<bool, AccountError>;

    /// An account's second factor, if it has one.
    async fn second_factor(&self, id: AccountId) -> Result<Option<SecondFactor>, AccountError>;

    /// Gives an account a second factor in place of any other, of which the code of a step was used, with codes for when the
    /// app is lost, known by their digests.
    async fn set_second_factor(
        &self,
        id: AccountId,
        secret: &[u8],
        step: u64,
        codes: &[Digest],
    ) -> Result<(), AccountError>;

    /// Takes an account's second factor away, with its codes.
    async fn drop_second_factor(&self, id: AccountId) -> Result<(), AccountError>;

    /// Uses the code of a step; false where it, or a later one, was used already.
    async fn use_step(&self, id: AccountId, step: u64) -> Result<bool, AccountError>;

    /// Uses a code for a lost app up; false where there is no such one.
    async fn use_recovery_code(&self, id: AccountId, code: Digest) -> Result<bool, AccountError>;

    /// Adds an entry to the security log.
    async fn note(&self, entry: &SecurityEntry) -> Result<(), AccountError>;

    /// The newest entries, of one account or of all, newest first.
    async fn entries(
        &self,
        account: Option<AccountId>,
        count_max: u32,
    ) -> Result<Vec<SecurityEntry>, AccountError>;

    /// Drops entries that are older than [`ENTRIES_KEPT`].
    async fn drop_entries(&self, now: Moment) -> Result<(), AccountError>;
}
