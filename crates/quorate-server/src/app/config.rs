//! How a server is run, as its operator set it.

use quorate_kernel::Span;
use quorate_notices::discord::interaction::DiscordKey;
use serde::{Deserialize, Serialize};

use crate::app::mail::Mail;
use crate::app::mailbox::Mailbox;
use crate::app::outside::Provider;

/// How a server is run, as its operator set it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a wish of the operator that stands by itself"
)]
pub struct ServerConfig {
    /// The words of welcome on the list of games.
    pub welcome: String,
    /// Whether anybody may make an account, or only who was invited.
    pub is_open: bool,
    /// Whether readers come by https.
    pub is_secure: bool,
    /// Whether a proxy stands in front and says where readers come from.
    pub is_proxied: bool,
    /// Who runs the server, for the page on privacy.
    pub operator: String,
    /// A mail address of theirs.
    pub contact: Option<String>,
    /// Where readers reach the site, as links that are handed on begin, without a stroke at the end.
    pub address: Option<String>,
    /// How mail leaves, where it does. Workers send none.
    #[serde(skip)]
    pub mail: Option<Mail>,
    /// From where answers by mail are fetched, where they are. Workers fetch none.
    #[serde(skip)]
    pub mailbox: Option<Mailbox>,
    /// By whom people sign in from elsewhere. Workers let nobody in.
    #[serde(skip)]
    pub outside: Vec<Provider>,
    /// The public key of the application by which people play from Discord, where they can.
    pub discord: Option<DiscordKey>,
    /// Whether messages to addresses of the web may go to this machine itself.
    pub hooks_to_loopback: bool,
    /// How long a report on what a proposal would do may take; what is not reached by then is left out, and it says so.
    pub report: Span,
    /// How long the tests that go with a proposal may take.
    pub tests: Span,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            welcome: "Players propose rules, vote on them, and play by what they make.".to_owned(),
            is_open: true,
            is_secure: false,
            is_proxied: false,
            operator: "The operator of this server has not said who they are.".to_owned(),
            contact: None,
            address: None,
            mail: None,
            mailbox: None,
            outside: Vec::new(),
            discord: None,
            hooks_to_loopback: false,
            report: Span(3_000),
            tests: Span(10_000),
        }
    }
}
