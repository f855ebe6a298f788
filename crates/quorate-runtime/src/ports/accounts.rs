//! Who uses the server: accounts, sessions, invitations, tokens, and which player of which game is whose.
//!
//! None of it ever enters a game's log. Secrets that people carry (session cookies, tokens, links in a mail) are
//! known here by their digest alone, so that whoever reads the store cannot use them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, Name, PlayerId};
use serde::{Deserialize, Serialize};

use super::{StoreError, TokenScopes};

/// An account on this server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct AccountId(pub u64);

impl AccountId {
    /// The key of a command whose actor many accounts act as, such as newcomers: it tells whose it is.
    pub fn own_key(self, word: &str) -> Name {
        format!("{}:{word}", self.0).into()
    }

    /// Whether a key is one of this account's own.
    pub fn has_key(self, key: &Name) -> bool {
        let of = key.as_str().split_once(':');
        of.is_some_and(|(of, _)| of == self.0.to_string())
    }
}

/// Somebody who can log in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Account {
    /// Which one.
    pub id: AccountId,
    /// The name to log in with; unique whatever its case.
    pub name: String,
    /// Where mail goes; unique whatever its case.
    pub mail: Option<String>,
    /// The Argon2 hash of the password, in the PHC form; none where no password was set yet.
    pub password: Option<String>,
    /// Whether this is one of those who run the server.
    pub operator: bool,
    /// When it was made.
    pub made_at: Moment,
}

/// An account to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewAccount {
    /// The name to log in with.
    pub name: String,
    /// Where mail goes.
    pub mail: Option<String>,
    /// The Argon2 hash of the password, in the PHC form.
    pub password: Option<String>,
    /// Whether this is one of those who run the server.
    pub operator: bool,
    /// When it is made.
    pub made_at: Moment,
}

/// Somebody is logged in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// The digest of the cookie.
    pub digest: Digest,
    /// Whose.
    pub account: AccountId,
    /// When it began.
    pub began_at: Moment,
    /// From when on it no longer counts.
    pub ends_at: Moment,
}

/// A program may act for somebody.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Token {
    /// The digest of the token.
    pub digest: Digest,
    /// Whose.
    pub account: AccountId,
    /// What its owner calls it.
    pub label: String,
    /// What it may do beside reading.
    pub scopes: TokenScopes,
    /// The one game that it is for; none where it is for all.
    pub game: Option<GameId>,
    /// When it was made.
    pub made_at: Moment,
    /// From when on it no longer counts; none where it counts until it is revoked.
    pub ends_at: Option<Moment>,
}

/// A link that lets somebody make an account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invitation {
    /// The digest of the word in the link.
    pub digest: Digest,
    /// Who made it; none where the server did.
    pub made_by: Option<AccountId>,
    /// The game it leads to, if to one.
    pub game: Option<GameId>,
    /// How many accounts may still be made with it.
    pub uses_left: u32,
    /// From when on it no longer counts.
    pub ends_at: Moment,
}

/// A link that lets somebody set a new password, once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recovery {
    /// The digest of the word in the link.
    pub digest: Digest,
    /// Whose password.
    pub account: AccountId,
    /// From when on it no longer counts.
    pub ends_at: Moment,
}

/// An account plays a player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Seat {
    /// In which game.
    pub game: GameId,
    /// Which player.
    pub player: PlayerId,
    /// Whose.
    pub account: AccountId,
}

/// How far somebody has read a game: by the word of each conversation, post or other part of it, the newest event whose
/// contents they were shown. A copy is as cheap as a number.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(
    from = "BTreeMap<String, EventSeq>",
    into = "BTreeMap<String, EventSeq>"
)]
pub struct ShownUpTo(Arc<ShownMarks>);

#[derive(Default)]
struct ShownMarks {
    by_word: BTreeMap<String, EventSeq>,
    digest: OnceLock<Digest>,
}

impl ShownUpTo {
    /// All of it, by word.
    pub fn by_word(&self) -> &BTreeMap<String, EventSeq> {
        &self.0.by_word
    }

    /// Tells it from any other, worked out once for all copies.
    pub fn digest(&self) -> Digest {
        let all = || {
            let marks = self.by_word().iter();
            let lines = marks.map(|(word, seq)| format!("{word:?} {}\n", seq.0));
            Digest::of(lines.collect::<String>().as_bytes())
        };
        *self.0.digest.get_or_init(all)
    }

    /// The same with a word up to another event.
    #[must_use]
    pub fn with(&self, word: String, up_to: EventSeq) -> Self {
        let mut by_word = self.by_word().clone();
        by_word.insert(word, up_to);
        by_word.into()
    }
}

impl From<BTreeMap<String, EventSeq>> for ShownUpTo {
    fn from(by_word: BTreeMap<String, EventSeq>) -> Self {
        let digest = OnceLock::new();
        Self(Arc::new(ShownMarks { by_word, digest }))
    }
}

impl From<ShownUpTo> for BTreeMap<String, EventSeq> {
    fn from(shown: ShownUpTo) -> Self {
        shown.by_word().clone()
    }
}

impl PartialEq for ShownUpTo {
    fn eq(&self, other: &Self) -> bool {
        self.by_word() == other.by_word()
    }
}

impl std::fmt::Debug for ShownUpTo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.by_word().fmt(f)
    }
}

/// Why something about accounts was not done.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize, Deserialize)]
pub enum AccountError {
    /// Somebody has that name.
    #[error("that name is taken: choose another")]
    NameTaken,
    /// Somebody has that address.
    #[error("that mail address belongs to another account: log in with it, or give another")]
    MailTaken,
    /// Somebody plays that player, or the account plays another one in that game.
    #[error("that player is played by another account, or this account plays another player there")]
    SeatTaken,
    /// An invitation has no use left, or is none.
    #[error("that invitation has been used, or has ended: ask for another")]
    NoInvitation,
    /// A way from elsewhere leads into an account already.
    #[error("that leads into an account here already: remove it there first")]
    WayTaken,
    /// There is no such account.
    #[error("there is no such account")]
    NoAccount,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Accounts and what belongs to them. What has ended by `now` is as if it were not there.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Makes an account.
    async fn make(&self, account: &NewAccount) -> Result<AccountId, AccountError>;
    /// The account of that number.
    async fn account(&self, id: AccountId) -> Result<Option<Account>, AccountError>;
    /// The account of that name, whatever the case.
    async fn account_by_name(&self, name: &str) -> Result<Option<Account>, AccountError>;
    /// The account of that mail address, whatever the case.
    async fn account_by_mail(&self, mail: &str) -> Result<Option<Account>, AccountError>;
    /// All accounts, oldest first.
    async fn accounts(&self) -> Result<Vec<Account>, AccountError>;
    /// Writes name, mail, password and role of an account anew.
    async fn change(&self, account: &Account) -> Result<(), AccountError>;
    /// Drops an account with all that belongs to it: its sessions, tokens, links and seats. Its players stay in
    /// their games, played by nobody. The number is not given out again.
    async fn erase(&self, id: AccountId) -> Result<(), AccountError>;

    /// Begins a session.
    async fn begin_session(&self, session: &Session) -> Result<(), AccountError>;
    /// Whose session a cookie is; nobody's while the account is suspended.
    async fn account_of_session(
        &self,
        digest: Digest,
        now: Moment,
    ) -> Result<Option<Account>, AccountError>;
    /// The sessions of an account, oldest first.
    async fn sessions_of(&self, id: AccountId, now: Moment) -> Result<Vec<Session>, AccountError>;
    /// Ends one session.
    async fn end_session(&self, digest: Digest) -> Result<(), AccountError>;

    /// Makes a token.
    async fn make_token(&self, token: &Token) -> Result<(), AccountError>;
    /// The token of that digest.
    async fn token(&self, digest: Digest, now: Moment) -> Result<Option<Token>, AccountError>;
    /// The tokens of an account, oldest first.
    async fn tokens_of(&self, id: AccountId) -> Result<Vec<Token>, AccountError>;
    /// Revokes a token.
    async fn revoke_token(&self, digest: Digest) -> Result<(), AccountError>;

    /// Makes an invitation.
    async fn invite(&self, invitation: &Invitation) -> Result<(), AccountError>;
    /// The invitation of that digest, if any use of it is left.
    async fn invitation(
        &self,
        digest: Digest,
        now: Moment,
    ) -> Result<Option<Invitation>, AccountError>;

    /// Makes a link for a new password.
    async fn make_recovery(&self, recovery: &Recovery) -> Result<(), AccountError>;
    /// Whose such a link is; none where it does not count.
    async fn recovery(
        &self,
        digest: Digest,
        now: Moment,
    ) -> Result<Option<AccountId>, AccountError>;
    /// Uses such a link up, and all others of the same account with it; none where it does not count.
    async fn use_recovery(
        &self,
        digest: Digest,
        now: Moment,
    ) -> Result<Option<AccountId>, AccountError>;

    /// Gives a player to an account. An account plays one player in a game, and a player is played by one account.
    async fn take_seat(&self, seat: &Seat) -> Result<(), AccountError>;
    /// Takes a player from its account.
    async fn leave_seat(&self, game: &GameId, player: PlayerId) -> Result<(), AccountError>;
    /// Whom an account plays in a game.
    async fn seat(&self, id: AccountId, game: &GameId) -> Result<Option<PlayerId>, AccountError>;
    /// Whom an account plays anywhere, by game.
    async fn seats_of(&self, id: AccountId) -> Result<Vec<Seat>, AccountError>;
    /// Who plays whom in a game, by player.
    async fn seats_in(&self, game: &GameId) -> Result<Vec<Seat>, AccountError>;

    /// How far an account has read its conversations in a game: of each the newest event whose messages it was shown. A
    /// conversation goes by the word that addresses have for the others in it. Other parts of a game that are read, such as
    /// posts and rules, go by words of their own.
    async fn messages_read(&self, id: AccountId, game: &GameId) -> Result<ShownUpTo, AccountError>;
    /// Notes that a conversation was read up to an event; what was read before stays read.
    async fn note_messages_read(
        &self,
        id: AccountId,
        game: &GameId,
        conversation: &str,
        up_to: EventSeq,
    ) -> Result<(), AccountError>;

    /// Drops what has ended: sessions, tokens, invitations, links.
    async fn sweep(&self, now: Moment) -> Result<(), AccountError>;
}
