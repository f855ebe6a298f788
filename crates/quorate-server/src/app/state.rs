//! The server's own things, shared by all requests: games, accounts, clock, secrets of forms.

use std::collections::BTreeMap;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use quorate_engine::LawCache;
use quorate_engine::rulebook::Rulebook;
use quorate_forecast::{Forecast, MatterIfs, MatterVerdict, Proof};
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, GameId, Moment};
use quorate_notices::outbox::Outbox;
use quorate_runtime::OperatingError;
use quorate_runtime::fold::{self, ReadEvent};
use quorate_runtime::in_process::InProcess;
use quorate_runtime::judge::Judges;
use quorate_runtime::ports::{
    AccountId, Accounts, Backup, Buckets, Drafts, Journal, Moderation, Safety, Seals, SearchIndex,
    Seat, ServerSecret, TimeSource, Uploads, Workers, WriteLimits,
};

use crate::app::config::ServerConfig;
use crate::app::error::AppError;
use crate::app::kept::{EnactedPosts, Keep, room};
use crate::app::limits::SiteLimiter;
use crate::app::outlook::Outlook;
use crate::app::pages::Pages;
use crate::security::bodies::Bodies;
use crate::security::csrf::Csrf;
use crate::security::factor::Tickets;
use crate::security::headers::Transport;
use crate::security::known::KnownBrowsers;
use crate::security::outside::Journeys;
use crate::security::password::{PasswordError, Passwords};
use crate::security::rate;
use crate::security::rate::{Limiter, Who};
use crate::security::session::Cookies;
use crate::security::turns::Turns;
use crate::security::uses::NotedUses;
use crate::view::games::GameHost;
use crate::view::law_answers::LawAnswers;

/// How many bytes of reports on proposals are kept, of those on tests, and of which posts enacted rules; and about what one takes.
const REPORTS: (usize, usize) = (8 << 20, 128 << 10);

/// How many bytes of verdicts on open matters are kept, each for one reader, and of workers' answers, and of events as streams told
/// them; and about what one takes.
const ANSWERS: (usize, usize) = (4 << 20, 4 << 10);

/// For how many accounts it is kept that they kept or dropped a draft.
const DRAFTERS: usize = 1_024;

/// How many bytes of events of the past are kept, about how many events that is, and what one takes beside its bytes.
const EVENT_BYTES: u64 = 32 << 20;
const EVENTS: usize = 16 << 10;
const EVENT_OVERHEAD: usize = 1_024;

/// Weighs events by what they took to keep. In memory a field takes a few times what its bytes take.
#[derive(Clone, Copy, Debug)]
struct BytesOfEvent;

impl Weighter<(GameId, EventSeq), Arc<ReadEvent>> for BytesOfEvent {
    fn weight(&self, _: &(GameId, EventSeq), read: &Arc<ReadEvent>) -> u64 {
        (2 * read.bytes + EVENT_OVERHEAD) as u64
    }
}

/// Makes a host of the law for a log that is judged again. It is gone when the log is done.
pub type AgainJudges = Arc<dyn Fn() -> Arc<dyn Judges> + Send + Sync>;

/// Hosts of the law in this process.
pub fn judges_here(laws: &Arc<LawCache>) -> AgainJudges {
    let here = InProcess::new(laws);
    Arc::new(move || Arc::new(here.clone()))
}

/// What a site is made of.
pub struct Deps {
    /// The games.
    pub games: GameHost,
    /// Versions of the law that were compiled, shared with those who judge.
    pub laws: Arc<LawCache>,
    /// By whom logs are judged again.
    pub again: AgainJudges,
    /// Who can log in.
    pub accounts: Arc<dyn Accounts>,
    /// What keeps accounts safe.
    pub safety: Arc<dyn Safety>,
    /// Reports, and what accounts are kept from.
    pub moderation: Arc<dyn Moderation>,
    /// What people are writing.
    pub drafts: Arc<dyn Drafts>,
    /// Pictures in what people write.
    pub uploads: Arc<dyn Uploads>,
    /// The logs of the games.
    pub journal: Arc<dyn Journal>,
    /// What lies beside the logs.
    pub seals: Arc<dyn Seals>,
    /// In which words are found.
    pub search: Arc<dyn SearchIndex>,
    /// What is to leave the server, and on which ways; none in a worker.
    pub outbox: Option<Arc<dyn Outbox>>,
    /// Who copies everything for the operator; nobody where the store cannot.
    pub backup: Option<Arc<dyn Backup>>,
    /// Where tries at passwords are counted for all nodes; none where there is one, and in a worker.
    pub buckets: Option<Arc<dyn Buckets>>,
    /// How often accounts may write; a worker asks its server.
    pub writes: Arc<dyn WriteLimits>,
    /// What time it is.
    pub clock: Arc<dyn TimeSource>,
    /// What the tokens of forms follow from.
    pub secret: ServerSecret,
    /// The rulebooks that a game can be founded of.
    pub books: Vec<Rulebook>,
    /// How this server is run.
    pub config: ServerConfig,
    /// Processes in which rule code runs that pages and previews ask; none where it runs in this one.
    pub workers: Option<Arc<dyn Workers>>,
}

/// The site.
pub struct AppState {
    /// What it is made of.
    pub deps: Deps,
    /// Tokens of forms.
    pub csrf: Csrf,
    /// Passwords.
    pub passwords: Passwords,
    /// Whose turn it is to have one worked on.
    pub turns: Turns,
    /// Browsers in which an account was signed in before.
    pub known: KnownBrowsers,
    /// What says that somebody typed the right password, until the code is there too.
    pub tickets: Tickets,
    /// Ways to issuers elsewhere and back.
    pub journeys: Journeys,
    /// Whose use was noted lately.
    pub uses: NotedUses,
    /// How cookies are set.
    pub cookies: Cookies,
    /// How often somebody may try a password.
    pub sign_ins: SiteLimiter,
    /// How often an address may make an account.
    pub sign_ups: SiteLimiter,
    /// Words of browsers that were used, each of which counts once.
    words: SiteLimiter,
    /// How often an account may have drafts checked.
    pub checks: Limiter,
    /// Room for what people send.
    pub bodies: Bodies,
    /// Room for long answers until they are taken in.
    pub going_out: Bodies,
    /// What proposals would do, as somebody was told within the minute.
    pub forecasts: Keep<Forecast>,
    /// By which posts the rules of a law came to be.
    pub enactments: Keep<EnactedPosts>,
    /// What the law answered about the newest states of games.
    pub law_answers: LawAnswers,
    /// What the votes on open matters come to.
    pub verdicts: Keep<MatterVerdict>,
    /// What would change that first.
    pub ifs: Keep<MatterIfs>,
    /// What is said of open matters, as long as it holds.
    pub outlooks: Keep<Outlook>,
    /// Pages of games, as somebody was given them within some seconds.
    pub pages: Pages,
    /// Events of the past, as they were read.
    events: Cache<(GameId, EventSeq), Arc<ReadEvent>, BytesOfEvent>,
    /// What workers answered to questions of the server's, for some seconds.
    pub(crate) answers: Keep<[u8]>,
    /// Events as streams told them lately, each once for all who may see the same of it.
    pub told: Keep<str>,
    /// How often accounts kept or dropped a draft lately, for pages that show drafts.
    draft_turns: Cache<AccountId, u64>,
    /// How tests of the rules went.
    pub proofs: Keep<Proof>,
    /// Held while tests run, so that those of all proposals together take one thread and no more.
    pub proving: tokio::sync::Mutex<()>,
}

impl AppState {
    /// Puts a site together.
    pub fn new(deps: Deps) -> Result<Self, PasswordError> {
        Ok(Self {
            csrf: Csrf::new(&deps.secret.of_forms()),
            passwords: Passwords::new()?,
            turns: Turns::default(),
            known: KnownBrowsers::new(&deps.secret.of_forms(), deps.config.is_secure),
            tickets: Tickets::new(&deps.secret.of_forms()),
            journeys: Journeys::new(&deps.secret.of_forms()),
            uses: NotedUses::default(),
            cookies: Cookies {
                is_secure: deps.config.is_secure,
            },
            sign_ins: SiteLimiter::new("sign in", rate::SIGN_IN, deps.buckets.clone()),
            sign_ups: SiteLimiter::new("sign up", rate::SIGN_UP, deps.buckets.clone()),
            words: SiteLimiter::new("word", rate::ONCE, deps.buckets.clone()),
            checks: Limiter::new(rate::CHECK),
            bodies: Bodies::default(),
            going_out: Bodies::default(),
            forecasts: room(REPORTS.0, REPORTS.1),
            enactments: room(REPORTS.0, REPORTS.1),
            law_answers: LawAnswers::default(),
            verdicts: room(ANSWERS.0, ANSWERS.1),
            ifs: room(ANSWERS.0, ANSWERS.1),
            outlooks: room(ANSWERS.0, ANSWERS.1),
            pages: Pages::default(),
            events: Cache::with_weighter(EVENTS, EVENT_BYTES, BytesOfEvent),
            answers: room(ANSWERS.0, ANSWERS.1),
            told: room(ANSWERS.0, ANSWERS.1),
            draft_turns: Cache::new(DRAFTERS),
            proofs: room(REPORTS.0, REPORTS.1),
            proving: tokio::sync::Mutex::new(()),
            deps,
        })
    }

    /// The moment of the request.
    pub fn now(&self) -> Moment {
        self.deps.clock.now()
    }

    /// Whether a word that counts once is used for the first time, on whichever node.
    pub async fn is_first_use(&self, word: &str) -> bool {
        let whose = Who::Account(word.to_owned());
        self.words.take(whose, self.now_ms()).await.is_ok()
    }

    /// The moment for limiters, in milliseconds.
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.now().0).unwrap_or(0)
    }

    /// An account kept or dropped a draft.
    pub(crate) fn note_draft(&self, id: AccountId) {
        self.draft_turns
            .insert(id, self.draft_turn(id).wrapping_add(1));
    }

    /// Tells one moment from another where an account kept or dropped a draft between.
    pub(crate) fn draft_turn(&self, id: AccountId) -> u64 {
        self.draft_turns.get(&id).unwrap_or_default()
    }

    /// How readers reach the site.
    pub fn transport(&self) -> Transport {
        Transport {
            is_secure: self.deps.config.is_secure,
        }
    }

    /// Whom an account plays, in the games that are on the site.
    pub(crate) async fn seats_of(&self, account: AccountId) -> Result<Vec<Seat>, AppError> {
        let mut seats = self.deps.accounts.seats_of(account).await?;
        let games = self.deps.games.list().await?;
        seats.retain(|seat| games.iter().any(|row| row.game == seat.game));
        Ok(seats)
    }

    /// Drops contents of seals for good, from workers too; gives how many there were.
    pub async fn forget(&self, game: &GameId, digests: &[Digest]) -> Result<usize, OperatingError> {
        let forgotten = match self.deps.games.forget(game, digests).await {
            // Nobody plays a game that was removed; its words lie in the store alone.
            Err(OperatingError::NoGame(_)) => Ok(self.deps.seals.forget(digests).await?),
            forgotten => forgotten,
        };
        self.drop_words();
        forgotten
    }

    /// Drops what was kept of words that another node dropped, as long as somebody waits for it.
    pub async fn mind_forgotten(&self) {
        let mut forgotten = self.deps.games.forgotten();
        while forgotten.changed().await.is_ok() {
            self.drop_words();
        }
    }

    /// Drops everything kept in memory that words of players may be in.
    fn drop_words(&self) {
        self.events.clear();
        self.pages.clear();
        self.told.clear();
        self.answers.clear();
        if let Some(workers) = &self.deps.workers {
            workers.forget();
        }
    }

    /// Events of a game by their numbers, in that order, texts open. An event never changes but where words are taken out.
    pub async fn events(
        &self,
        game: &GameId,
        seqs: &[EventSeq],
    ) -> Result<Vec<Event>, OperatingError> {
        let kept = |seq: EventSeq| self.events.get(&(game.clone(), seq));
        let mut found: BTreeMap<EventSeq, Arc<ReadEvent>> = seqs
            .iter()
            .filter_map(|&seq| Some((seq, kept(seq)?)))
            .collect();
        let missing = seqs.iter().copied();
        let missing: Vec<EventSeq> = missing.filter(|seq| !found.contains_key(seq)).collect();
        if !missing.is_empty() {
            let (journal, seals) = (&*self.deps.journal, &*self.deps.seals);
            for read in fold::read_events(journal, seals, game, &missing).await? {
                let (seq, read) = (read.event.seq, Arc::new(read));
                self.events.insert((game.clone(), seq), Arc::clone(&read));
                found.insert(seq, read);
            }
        }
        let events = seqs.iter().filter_map(|seq| found.get(seq));
        Ok(events.map(|read| read.event.clone()).collect())
    }

    /// The whole log of a game, texts open.
    pub async fn whole_log(&self, game: &GameId) -> Result<Vec<Event>, OperatingError> {
        fold::whole_log(&*self.deps.journal, &*self.deps.seals, game).await
    }
}
