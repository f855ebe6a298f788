//! `quorate law-worker`: a process in which rule code runs, without files, network or other processes. The server starts it.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use quorate_engine::LawCache;
use quorate_kernel::GameId;
use quorate_runtime::ports::{DistantClock, DistantGames};
use quorate_server::view::games::GameHost;
use quorate_server::{AgainJudges, AppState, Deps, elsewhere, judges_here, router};
use quorate_worker::confine::Bounds;
use quorate_worker::judges::{JudgesSettings, WorkerJudges};
use quorate_worker::pipe::{Far, serve};
use quorate_worker::process::{Program, become_worker};
use quorate_worker::{frame, judges};

use crate::{rulebooks, threads};

/// How much memory a worker may use, in bytes.
const MEMORY: u64 = 512 << 20;

/// How many threads of a worker may wait or draw at a time.
const THREADS: usize = 4;

/// The stack of a thread that runs rule code, in bytes.
const STACK: usize = 8 << 20;

/// How much of that it may use for laws that it has compiled, in bytes.
const LAWS_BYTES: usize = 64 << 20;

/// How long an event may take that is judged again.
const JUDGED_AGAIN_WITHIN: Duration = Duration::from_mins(1);

/// What it works for.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    kind: Kind,
}

/// What a worker works for.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// Commands of games.
    Judges,
    /// Logs of games that are judged again.
    Again,
    /// Pages.
    Pages,
    /// Previews, tests and forecasts.
    Previews,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Judges => "judges",
            Self::Again => "again",
            Self::Pages => "pages",
            Self::Previews => "previews",
        }
    }
}

/// How workers of a kind are started.
pub(super) fn program(kind: Kind) -> Result<Program> {
    Ok(Program {
        path: std::env::current_exe().context("cannot find this program to start workers")?,
        words: vec!["law-worker".into(), kind.word().into()],
    })
}

/// Workers that judge logs again, on tapes that are known: nobody waits for them, so they may take their time.
pub(super) fn again_by_workers() -> Result<WorkerJudges> {
    let settings = JudgesSettings {
        command: JUDGED_AGAIN_WITHIN,
        workers_max: threads::cores(),
    };
    let judges = WorkerJudges::new(program(Kind::Again)?, settings);
    judges.warm().context("cannot start a worker")?;
    Ok(judges)
}

/// By whom a server has a log judged again: by a worker of its own, gone when the log is done, where rule code runs in workers.
pub(super) fn judges_again(in_workers: bool, laws: &Arc<LawCache>) -> Result<AgainJudges> {
    if !in_workers {
        return Ok(judges_here(laws));
    }
    let program = program(Kind::Again)?;
    let settings = JudgesSettings {
        command: JUDGED_AGAIN_WITHIN,
        workers_max: 1,
    };
    Ok(Arc::new(move || {
        Arc::new(WorkerJudges::new(program.clone(), settings))
    }))
}

/// Works until the server is gone.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    // What lies in files is read before there are none.
    let books = match arguments.kind {
        Kind::Judges | Kind::Again => Vec::new(),
        Kind::Pages | Kind::Previews => rulebooks::playable()?,
    };
    let socket = become_worker(Bounds {
        memory: MEMORY,
        gives_way: matches!(arguments.kind, Kind::Previews | Kind::Again),
    });
    let socket = socket.context("only the server starts this")?;
    if matches!(arguments.kind, Kind::Judges | Kind::Again) {
        // Where the server is gone there is nobody left to tell.
        let judging = std::thread::Builder::new().stack_size(STACK);
        let judging = judging.spawn(move || drop(judges::serve(&socket)))?;
        return judging
            .join()
            .map(|()| ExitCode::SUCCESS)
            .map_err(|_| anyhow!("a bug ended this worker"));
    }
    let setup = frame::read(&socket)?;
    let (config, secret) = elsewhere::read_setup(&setup)?;
    let far = Arc::new(Far::new(socket));
    let laws = Arc::new(LawCache::of_bytes(LAWS_BYTES));
    let deps = Deps {
        games: GameHost::distant(far.clone(), far.clone()),
        again: judges_here(&laws),
        laws: Arc::clone(&laws),
        accounts: far.clone(),
        safety: far.clone(),
        moderation: far.clone(),
        drafts: far.clone(),
        uploads: far.clone(),
        journal: far.clone(),
        seals: far.clone(),
        search: far.clone(),
        outbox: None,
        backup: None,
        buckets: None,
        writes: far.clone(),
        clock: Arc::new(DistantClock::default()),
        secret,
        books,
        config,
        workers: None,
    };
    let state = AppState::new(deps).map_err(|error| anyhow!(error.to_string()))?;
    let state = Arc::new(state);
    let app = router(Arc::clone(&state));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(THREADS)
        .thread_stack_size(STACK)
        // Without what waits for files and sockets: a worker has none but the one that it reads by itself.
        .enable_time()
        .build()?;
    let open = |game: &GameId| {
        // Where the game cannot be read, whoever asks for something of it is told so.
        if let Ok(newest) = runtime.block_on(far.snapshot(game)) {
            drop(laws.law(&newest.state));
        }
    };
    let made = |request: Vec<u8>| {
        let answer = runtime.block_on(elsewhere::answer(&state, &app, &request));
        // An empty answer is none, and the server says so.
        answer.unwrap_or_default()
    };
    drop(serve(&far, open, made));
    Ok(ExitCode::SUCCESS)
}
