//! The server's own things, shared by all requests: games, accounts, clock, secrets of forms.

use std::sync::Arc;

use axum::body::Bytes;
use quorate_engine::LawCache;
use quorate_engine::rulebook::Rulebook;
use quorate_forecast::{Forecast, Proof};
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, GameId, Moment, Name};
use quorate_runtime::ports::{Accounts, Journal, Seals, ServerSecret, TimeSource, Workers};
use quorate_runtime::{OperatingError, fold};

use crate::app::config::ServerConfig;
use crate::app::lru::LruCache;
use crate::security::csrf::Csrf;
use crate::security::headers::Transport;
use crate::security::password::{PasswordTrouble, Passwords};
use crate::security::rate::Limiter;
use crate::security::session::Cookies;
use crate::security::{chance, rate};
use crate::view::games::GameHost;

/// What a site is made of.
pub struct Deps {
    /// The games.
    pub games: GameHost,
    /// Versions of the law that were compiled, shared with those who judge.
    pub laws: Arc<LawCache>,
    /// Who can log in.
    pub accounts: Arc<dyn Accounts>,
    /// The logs of the games.
    pub journal: Arc<dyn Journal>,
    /// What lies beside the logs.
    pub seals: Arc<dyn Seals>,
    /// What time it is.
    pub clock: Arc<dyn TimeSource>,
    /// What the tokens of forms follow from.
    pub secret: ServerSecret,
    /// The rulebooks that a game can be founded of.
    pub books: Vec<Rulebook>,
    /// How this server is run.
    pub house: ServerConfig,
    /// Processes in which rule code runs that pages and previews ask; none where it runs in this one.
    pub workers: Option<Arc<dyn Workers>>,
}

/// The site.
pub struct AppState {
    /// What it is made of.
    pub parts: Deps,
    /// Tokens of forms.
    pub csrf: Csrf,
    /// Passwords.
    pub passwords: Passwords,
    /// How cookies are set.
    pub cookies: Cookies,
    /// How often somebody may try a password.
    pub sign_ins: Limiter,
    /// How often an address may make an account.
    pub sign_ups: Limiter,
    /// How often an account may write.
    pub writes: Limiter,
    /// How often an account may have drafts checked.
    pub checks: Limiter,
    /// What proposals would do, as somebody was told within the minute.
    pub forecasts: LruCache<Forecast>,
    /// Front pages, as somebody was shown them within some seconds.
    pub fronts: LruCache<Bytes>,
    /// How tests of the rules went.
    pub proofs: LruCache<Proof>,
    /// Held while tests run, so that those of all proposals together take one thread and no more.
    pub proving: tokio::sync::Mutex<()>,
}

impl AppState {
    /// Puts a site together.
    pub fn new(parts: Deps) -> Result<Self, PasswordTrouble> {
        Ok(Self {
            csrf: Csrf::new(&parts.secret.of_forms()),
            passwords: Passwords::new()?,
            cookies: Cookies {
                is_secure: parts.house.is_secure,
            },
            sign_ins: Limiter::new(rate::SIGN_IN),
            sign_ups: Limiter::new(rate::SIGN_UP),
            writes: Limiter::new(rate::WRITE),
            checks: Limiter::new(rate::CHECK),
            forecasts: LruCache::default(),
            fronts: LruCache::default(),
            proofs: LruCache::default(),
            proving: tokio::sync::Mutex::new(()),
            parts,
        })
    }

    /// The moment of the request.
    pub fn now(&self) -> Moment {
        self.parts.clock.now()
    }

    /// The moment for limiters, in milliseconds.
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.now().0).unwrap_or(0)
    }

    /// How readers reach the site.
    pub fn transport(&self) -> Transport {
        Transport {
            is_secure: self.parts.house.is_secure,
        }
    }

    /// Drops contents of seals for good, from workers too; gives how many there were.
    pub async fn forget(&self, game: &GameId, digests: &[Digest]) -> Result<usize, OperatingError> {
        let forgotten = self.parts.games.forget(game, digests).await;
        if let Some(workers) = &self.parts.workers {
            workers.forget();
        }
        forgotten
    }

    /// Events of a game by their numbers, texts open.
    pub async fn events(
        &self,
        game: &GameId,
        seqs: &[EventSeq],
    ) -> Result<Vec<Event>, OperatingError> {
        fold::events_of(&*self.parts.journal, &*self.parts.seals, game, seqs).await
    }

    /// The whole log of a game, texts open.
    pub async fn whole_log(&self, game: &GameId) -> Result<Vec<Event>, OperatingError> {
        fold::whole_log(&*self.parts.journal, &*self.parts.seals, game).await
    }
}

/// A word that nobody can guess, for keys and links.
pub fn fresh_word() -> Result<String, chance::NoChance> {
    let bytes: [u8; 32] = chance::bytes()?;
    Ok(blake3::Hash::from_bytes(bytes).to_hex().to_string())
}

/// What is kept of such a word.
pub fn digest_of(word: &str) -> Digest {
    Digest(blake3::derive_key(
        "quorate 2026 carried word",
        word.as_bytes(),
    ))
}

/// A command's key made of a page's word and its place on the page.
pub fn key_of(word: &str, nth: u32) -> Name {
    format!("{}.{nth}", word.get(..24).unwrap_or(word)).into()
}
