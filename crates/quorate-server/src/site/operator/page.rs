//! The operator's panel.

use askama::Template;

use crate::ui::urls::Href;
use crate::ui::{Chrome, Fact, Form, Table, TodoLine};

/// The security log.
#[derive(Clone, Debug, Template)]
#[template(path = "site/operator/security.html")]
pub struct SecurityLog {
    /// Around it.
    pub chrome: Chrome,
    /// What happened, the newest first.
    pub entries: Table,
}

/// The operator's panel.
#[derive(Clone, Debug, Template)]
#[template(path = "site/operator/operator.html")]
pub struct Operator {
    /// Around it.
    pub chrome: Chrome,
    /// Health: version, disk, games awake, worker memory.
    pub health: Vec<Fact>,
    /// Sleeping rules, workers that were killed.
    pub lines: Vec<TodoLine>,
    /// Where the security log is.
    pub security_log: Href,
    /// Accounts.
    pub accounts: Table,
    /// Games, with what was withheld in them and their backups.
    pub games: Table,
    /// Games that were removed, with the way back.
    pub removed: Vec<TodoLine>,
    /// Where all that the server keeps can be had as a file.
    pub whole_backup: Href,
    /// Invitations that are open, and one more.
    pub invite: Form,
    /// A link that was made just now, shown once.
    pub shown_once: Option<Fact>,
    /// A link for somebody who cannot sign in.
    pub recover: Form,
    /// An account that is to be kept from something.
    pub restrain: Form,
    /// A game that is to leave the site.
    pub remove: Form,
    /// Something that was written and must not be read any more.
    pub withhold: Form,
}
