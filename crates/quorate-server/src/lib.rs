//! Pages, JSON API, live stream and sessions.
//!
//! **Invariant:** no rule of any game lives here. Pages render what the law declares; what may be done, and why not, comes
//! from the engine as data.
//!
//! The floors, each knowing those above it in this list and none below:
//!
//! 1. [`security`]: sessions, passwords, tokens of forms, limits. Knows no game.
//! 2. [`ui`]: pieces that pages are put together from: addresses, text as HTML, forms, tables, layout. Knows no game.
//! 3. [`app`]: configuration, shared state, errors, who asks, answers as they go. Knows no game but its host's door,
//!    [`view::games`].
//! 4. [`view`]: a game as one reader may see it.
//! 5. [`requests`]: the game that a request is about, and the one way in for commands.
//! 6. [`api`], [`site`] and [`delivery`]: the JSON API, the pages, a folder for each thing that people do, and what leaves by
//!    itself. No folder knows another.
//! 7. `routes`: which address is whose.

pub mod api;
pub mod app;
pub mod delivery;
pub mod requests;
mod routes;
pub mod security;
pub mod site;
pub mod ui;
pub mod view;

pub use app::config::ServerConfig;
pub use app::limits::WriteCounts;
pub use app::mail::{Mail, mail_in_key};
pub use app::mailbox::{Mailbox, MailboxPlace};
pub use app::metrics::Metrics;
pub use app::state::{AgainJudges, AppState, Deps, judges_here};
pub use delivery::{Courier, FetchError, Fetcher, Indexer};
pub use quorate_notices::discord::commands::registered as discord_commands;
pub use quorate_notices::discord::interaction::DiscordKey;
pub use routes::{elsewhere, router, watch};
pub use security::connections;
