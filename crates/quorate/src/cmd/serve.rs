//! `quorate serve`: the site over a data folder.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use quorate_runtime::Games;
use quorate_runtime::ports::{Buckets, TimeSource, Workers};
use quorate_server::connections::{self, ConnectionLimits, Connections};
use quorate_server::{
    AppState, Courier, Deps, DiscordKey, Fetcher, Indexer, Mail, Mailbox, MailboxPlace, Metrics,
    ServerConfig, WriteCounts, elsewhere, router,
};
use quorate_worker::judges::{JudgesSettings, WorkerJudges};
use quorate_worker::pipe::Near;
use quorate_worker::readers::Readers;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::law_worker::{Kind, judges_again, program};
use super::restart::{self, Ended};
use super::{sign_in_from, tending};
use crate::data_folder::{DataArguments, DataFolder, DataPlace, node_options};
use crate::output::Output;
use crate::server_log::{self, LogForm};
use crate::{peers, rulebooks};

/// How long readers may take to get their last answers when the server ends. With the time of the games and of threads that
/// do not end it makes less than the five seconds within which the server is gone.
const READERS_END_WITHIN: Duration = Duration::from_secs(2);

/// How long a command may take before its worker is stopped.
const COMMAND: Duration = Duration::from_secs(1);

/// How many games may be judged at a time; others wait for a worker.
const GAME_WORKERS_MAX: usize = 8;

/// How long the games may take with the commands that wait.
const GAMES_END_WITHIN: Duration = Duration::from_secs(2);

/// Where, and from what.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    #[command(flatten)]
    pub(super) listen: Listen,
    #[command(flatten)]
    node: NodeArguments,
}

/// What this server is among others that share its database.
#[derive(clap::Args)]
pub(super) struct NodeArguments {
    /// The name of this node among those that share the database; its address, if none is given.
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Where this node listens to the others.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    nodes_listen: SocketAddr,
    /// Where the others reach it, a host and a port; where it listens, if nothing is given.
    #[arg(long, value_name = "HOST:PORT")]
    nodes_address: Option<String>,
}

/// Where rule code runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum LawHost {
    /// In this process, which rule code that runs away then takes with it.
    InProcess,
    /// In processes of its own, without files or network, with a cap on memory and a deadline.
    Workers,
}

/// How the site is reached.
#[derive(clap::Args)]
#[allow(
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    reason = "each is a flag of the command line, under its own name"
)]
pub(crate) struct Listen {
    /// Where rule code runs: in workers where they can be started, unless this says otherwise.
    #[arg(long, value_enum)]
    pub law: Option<LawHost>,
    /// The address to listen on.
    #[arg(long = "listen", value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub address: SocketAddr,
    /// Where monitoring asks for /healthz, /readyz and /metrics, without signing in.
    #[arg(long, value_name = "ADDR")]
    pub metrics_listen: Option<SocketAddr>,
    /// The form of the server's log.
    #[arg(long, value_enum, default_value = "text")]
    pub log: LogForm,
    /// How many connections there may be; by default 4096, or as many as there can be open files.
    #[arg(long, value_name = "COUNT")]
    pub connections: Option<usize>,
    /// How many of them one address may have; by default 128. Behind a proxy this is the proxy's to limit.
    #[arg(long, value_name = "COUNT")]
    pub connections_per_address: Option<usize>,
    /// Only people with an invitation can sign up.
    #[arg(long)]
    pub invited_only: bool,
    /// Readers come by https, through a proxy in front of this server.
    #[arg(long)]
    pub https: bool,
    /// A proxy in front adds the reader's address to X-Forwarded-For; its last one is believed.
    #[arg(long)]
    pub proxied: bool,
    /// Who runs this server, as the page on privacy says it.
    #[arg(long, value_name = "WORDS")]
    pub operator: Option<String>,
    /// The operator's mail address, as the page on privacy gives it.
    #[arg(long, value_name = "ADDRESS")]
    pub contact: Option<String>,
    /// Send links for a new password by mail, from this sender: "Quorate <games@example.org>".
    #[arg(long, value_name = "SENDER", requires = "site")]
    pub mail_from: Option<String>,
    /// The program that takes mail, as sendmail does.
    #[arg(long, value_name = "PROGRAM", default_value = "sendmail")]
    pub mail_program: String,
    /// The mail server that takes mail instead: `smtps://mail.example.org`, or `smtp://mail.example.org:587?tls=required`.
    #[arg(
        long,
        value_name = "ADDRESS",
        requires = "mail_from",
        conflicts_with = "mail_program"
    )]
    pub mail_server: Option<String>,
    /// The account at the mail server, where it wants one.
    #[arg(long, value_name = "NAME", requires = "mail_password_file")]
    pub mail_account: Option<String>,
    /// A file that holds the password of that account.
    #[arg(long, value_name = "FILE", requires = "mail_account")]
    pub mail_password_file: Option<PathBuf>,
    /// The address to which answers by mail come back, with words of the server after a "+"; the mail server hands what comes
    /// there to `quorate mail-in`.
    #[arg(long, value_name = "ADDRESS", requires = "mail_from")]
    pub mail_replies: Option<String>,
    /// Fetch answers by mail from a mailbox that this server alone reads: `imaps://mail.example.org`, or with a folder,
    /// `imaps://mail.example.org/Games`.
    #[arg(
        long,
        value_name = "ADDRESS",
        requires = "mail_replies",
        requires = "mailbox_account"
    )]
    pub mailbox: Option<MailboxPlace>,
    /// The account of the mailbox.
    #[arg(
        long,
        value_name = "NAME",
        requires = "mailbox",
        requires = "mailbox_password_file"
    )]
    pub mailbox_account: Option<String>,
    /// A file that holds the password of the mailbox.
    #[arg(long, value_name = "FILE", requires = "mailbox_account")]
    pub mailbox_password_file: Option<PathBuf>,
    /// Let webhooks go to this machine itself, without TLS too. No other address of an inner network is ever called.
    #[arg(long)]
    pub hooks_to_loopback: bool,
    /// A file that names where people can sign in from: issuers of OpenID Connect, Discord, GitHub.
    #[arg(long, value_name = "FILE", requires = "site")]
    pub sign_in_from: Option<PathBuf>,
    /// The public key of your application on Discord, so that people can vote, roll and act from there.
    #[arg(long, value_name = "KEY")]
    pub discord_key: Option<DiscordKey>,
    /// Where readers reach this server, with https: and without a slash at the end, for links in mail and feeds.
    #[arg(long, value_name = "ADDRESS")]
    pub site: Option<String>,
    /// After how many days in which nothing happened the log of a game is put away to --objects. It is read from there as ever.
    #[arg(long, value_name = "DAYS")]
    pub archive_after: Option<u32>,
}

/// Serves until it is told to end.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    server_log::begin(arguments.listen.log);
    if matches!(arguments.data.place()?, DataPlace::Folder(_)) {
        let folder = DataFolder::own_or_look(&arguments.data)?;
        let ended = serve(&folder, &arguments.listen, None, out, &|_| Ok(()))?;
        drop(folder);
        return match ended {
            Ended::Told => Ok(ExitCode::SUCCESS),
            Ended::CanWrite => restart::restart(),
        };
    }
    // Where the others reach this node is known before it joins them.
    let node = &arguments.node;
    let others = std::net::TcpListener::bind(node.nodes_listen).with_context(|| {
        format!(
            "cannot listen to other nodes on {}: choose another with --nodes-listen",
            node.nodes_listen
        )
    })?;
    others.set_nonblocking(true)?;
    let address = match &node.nodes_address {
        Some(address) => address.clone(),
        None => others.local_addr()?.to_string(),
    };
    let name = node.node.clone().unwrap_or_else(|| address.clone());
    let folder = DataFolder::join(&arguments.data, node_options(name, address))?;
    serve(&folder, &arguments.listen, Some(others), out, &|_| Ok(()))?;
    Ok(ExitCode::SUCCESS)
}

/// Serves the site of a data folder. `ready` is told the address once the site answers.
pub(super) fn serve(
    folder: &DataFolder,
    listen: &Listen,
    others: Option<std::net::TcpListener>,
    out: &Output,
    ready: &dyn Fn(SocketAddr) -> Result<()>,
) -> Result<Ended> {
    server_log::begin(listen.log);
    let config = config(listen)?;
    let clock = folder.clock()?;
    let writes = Arc::new(WriteCounts::new(Arc::clone(&clock), buckets(folder)));
    let (games, workers): (Games, Option<Arc<dyn Workers>>) = match game_workers(listen.law)? {
        None => (folder.games_at(Arc::clone(&clock))?, None),
        Some(judges) => {
            let games = folder.games_by(Arc::new(judges.clone()), Arc::clone(&clock))?;
            let near = near(folder, &games, writes.clone(), Arc::clone(&clock));
            let readers = folder.wait(readers(folder, near, judges, &config))?;
            (games, Some(Arc::new(readers)))
        }
    };
    let archives = tending::archives(folder, listen.archive_after)?;
    let time = Arc::clone(&clock);
    let deps = deps(folder, &games, workers, writes, clock, config)?;
    let state = Arc::new(AppState::new(deps).map_err(|error| anyhow!(error.to_string()))?);
    let courier = Courier::new(&state);
    let fetcher = Fetcher::new(&state);
    let indexer = Indexer::new(&state);
    let app = router(Arc::clone(&state));
    folder.wait(async {
        let end = ending()?;
        let listener = bound(listen.address, "--listen").await?;
        let address = listener.local_addr()?;
        let courier = courier.map(|courier| tokio::spawn(courier.run()));
        let fetcher = fetcher.map(|fetcher| tokio::spawn(fetcher.run()));
        let indexer = tokio::spawn(indexer.run());
        let minding = Arc::clone(&state);
        let minding = tokio::spawn(async move { minding.mind_forgotten().await });
        let open = Connections::default();
        let watched = watched(listen, state, open.clone(), end.clone()).await?;
        out.line(format!("{} http://{address}", out.green("serving")));
        if !folder.store.accounts().await?.iter().any(|one| one.operator) {
            out.line("nobody is its operator yet: stop it and run `quorate operator NAME` over the same data");
        }
        let mut told = serde_json::json!({ "serving": format!("http://{address}") });
        if let Some((address, watching)) = watched {
            out.line(format!("numbers at http://{address}/metrics"));
            told["metrics"] = format!("http://{address}").into();
            tokio::spawn(watching);
        }
        out.value(&told);
        ready(address)?;
        let _answering = answer_others(folder, others, &games)?;
        let mut ended = Ended::Told;
        tokio::select! {
            () = tending::sweeping(folder, &*time) => {}
            () = tending::archiving(folder, archives, &*time) => {}
            () = restart::writable(folder.wanted.clone()) => ended = Ended::CanWrite,
            () = connections::serve(listener, app, limits(listen), open, told_to_end(end.clone())) => {}
            () = overdue(end) => {}
        }
        // What is under way and not noted leaves once more, under the same key.
        for task in [courier, fetcher].into_iter().flatten() {
            task.abort();
        }
        // What it has not taken in yet it does at the next start.
        indexer.abort();
        minding.abort();
        if let Ok(closed) = tokio::time::timeout(GAMES_END_WITHIN, games.close()).await {
            // Where nothing can be written, that games end can't be noted either.
            if folder.wanted.is_none() {
                closed?;
            }
        } else {
            tracing::warn!("a game was still judging; what it judged is not kept");
        }
        Ok(ended)
    })
}

/// Where nodes count together how often somebody knocks.
fn buckets(folder: &DataFolder) -> Option<Arc<dyn Buckets>> {
    folder.node.clone().map(|node| node as _)
}

/// What the site is made of.
fn deps(
    folder: &DataFolder,
    games: &Games,
    workers: Option<Arc<dyn Workers>>,
    writes: Arc<WriteCounts>,
    clock: Arc<dyn TimeSource>,
    config: ServerConfig,
) -> Result<Deps> {
    Ok(Deps {
        again: judges_again(workers.is_some(), &folder.laws)?,
        workers,
        games: games.clone().into(),
        laws: Arc::clone(&folder.laws),
        accounts: folder.store.clone(),
        safety: folder.store.clone(),
        moderation: folder.store.clone(),
        drafts: folder.store.clone(),
        uploads: tending::uploads(folder),
        journal: folder.store.clone(),
        seals: folder.store.clone(),
        search: folder.store.clone(),
        outbox: Some(folder.store.clone()),
        backup: folder.backup(),
        buckets: buckets(folder),
        writes,
        clock,
        secret: folder.secret()?,
        books: rulebooks::playable()?,
        config,
    })
}

/// Answers other nodes as long as the value lives.
fn answer_others(
    folder: &DataFolder,
    others: Option<std::net::TcpListener>,
    games: &Games,
) -> Result<JoinSet<()>> {
    let mut answering = JoinSet::new();
    if let Some(others) = others {
        let listener = tokio::net::TcpListener::from_std(others)?;
        answering.spawn(peers::serve(listener, games.clone(), folder.secret()?));
    }
    Ok(answering)
}

/// How many descriptors are left for files, workers and the server's own.
const DESCRIPTORS_KEPT: u64 = 256;

/// How many connections there may be: as the operator said, else as many as there can be open files, less what else needs
/// them.
fn limits(listen: &Listen) -> ConnectionLimits {
    let most = descriptors();
    let possible = usize::try_from(most.saturating_sub(DESCRIPTORS_KEPT)).unwrap_or(usize::MAX);
    let usual = ConnectionLimits::default();
    let per_address = listen.connections_per_address.or(usual.per_address);
    ConnectionLimits {
        all: listen
            .connections
            .unwrap_or(usual.all)
            .min(possible.max(16)),
        // Behind a proxy all come from one address.
        per_address: per_address.filter(|_| !listen.proxied),
        ..usual
    }
}

/// How many descriptors there may be, after asking for as many as there may be at all.
fn descriptors() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    let (soft, hard) = (now.current.unwrap_or(u64::MAX), now.maximum);
    let raised = Rlimit {
        current: hard,
        maximum: hard,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => hard.unwrap_or(u64::MAX),
        Err(_) => soft,
    }
}

async fn bound(address: SocketAddr, flag: &str) -> Result<tokio::net::TcpListener> {
    let listener = tokio::net::TcpListener::bind(address).await;
    listener.with_context(|| format!("cannot listen on {address}: choose another with {flag}"))
}

/// Answers whoever watches the server, at an address of its own, where the operator named one.
async fn watched(
    listen: &Listen,
    state: Arc<AppState>,
    open: Connections,
    end: watch::Receiver<()>,
) -> Result<Option<(SocketAddr, impl Future<Output = ()> + use<>)>> {
    let Some(address) = listen.metrics_listen else {
        return Ok(None);
    };
    let listener = bound(address, "--metrics-listen").await?;
    let address = listener.local_addr()?;
    let gathered = Metrics::begin().context("the server's numbers cannot be gathered")?;
    let app = quorate_server::watch(state, gathered, open);
    let own = Connections::default();
    let limits = ConnectionLimits {
        all: 64,
        ..ConnectionLimits::default()
    };
    let watching = connections::serve(listener, app, limits, own, told_to_end(end));
    Ok(Some((address, watching)))
}

/// Waits until the server is told to end and readers have had the time to get their answers. Live streams never end by
/// themselves, nor does a request that is sent by halves.
async fn overdue(told: watch::Receiver<()>) {
    told_to_end(told).await;
    tokio::time::sleep(READERS_END_WITHIN).await;
}

/// Workers that judge the commands of games, where rule code is to run in workers.
fn game_workers(asked: Option<LawHost>) -> Result<Option<WorkerJudges>> {
    if asked == Some(LawHost::InProcess) {
        return Ok(None);
    }
    match started_workers() {
        Ok(judges) => Ok(Some(judges)),
        Err(error) if asked.is_none() => {
            tracing::warn!(
                "no worker can be started ({error:#}), so rule code runs in the server's own process: what runs away there takes \
                 the server with it"
            );
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn started_workers() -> Result<WorkerJudges> {
    let settings = JudgesSettings {
        command: COMMAND,
        workers_max: GAME_WORKERS_MAX,
    };
    let judges = WorkerJudges::new(program(Kind::Judges)?, settings);
    judges.warm().context("cannot start a worker")?;
    Ok(judges)
}

/// From what questions of workers are answered.
fn near(
    folder: &DataFolder,
    games: &Games,
    writes: Arc<WriteCounts>,
    clock: Arc<dyn TimeSource>,
) -> Near {
    Near {
        games: games.clone(),
        accounts: folder.store.clone(),
        drafts: folder.store.clone(),
        journal: folder.store.clone(),
        seals: folder.store.clone(),
        moderation: folder.store.clone(),
        search: folder.store.clone(),
        writes,
        clock,
    }
}

/// Workers that make what readers see.
async fn readers(
    folder: &DataFolder,
    near: Near,
    judges: WorkerJudges,
    config: &ServerConfig,
) -> Result<Readers> {
    let setup = elsewhere::setup(config, &folder.secret()?)?;
    let (heavy, light) = (program(Kind::Previews)?, program(Kind::Pages)?);
    let readers = Readers::new(near, judges, heavy, light, setup);
    readers.warm().await.context("cannot start a worker")?;
    for lack in readers.standing().lacks {
        tracing::warn!("workers go without: {lack}");
    }
    Ok(readers)
}

fn config(listen: &Listen) -> Result<ServerConfig> {
    let plain = ServerConfig::default();
    let mail = mail(listen).context("mail cannot be sent as the options for it say")?;
    let address = listen.site.as_ref();
    Ok(ServerConfig {
        address: address.map(|site| site.trim_end_matches('/').to_owned()),
        mail,
        mailbox: mailbox(listen)?,
        outside: match &listen.sign_in_from {
            Some(file) => sign_in_from::read(file)?,
            None => Vec::new(),
        },
        discord: listen.discord_key,
        hooks_to_loopback: listen.hooks_to_loopback,
        is_open: !listen.invited_only,
        is_secure: listen.https,
        is_proxied: listen.proxied,
        operator: listen.operator.clone().unwrap_or(plain.operator),
        contact: listen.contact.clone(),
        welcome: plain.welcome,
        report: plain.report,
        tests: plain.tests,
    })
}

/// How mail leaves, where it does.
fn mail(listen: &Listen) -> Result<Option<Mail>> {
    let Some(from) = &listen.mail_from else {
        return Ok(None);
    };
    let site = listen.site.as_deref().unwrap_or_default();
    let mail = match &listen.mail_server {
        Some(server) => Mail::by_server(from, server, mail_account(listen)?, site)?,
        None if listen.mail_account.is_some() => {
            return Err(anyhow!(
                "--mail-account is that of a mail server: name it with --mail-server"
            ));
        }
        None => Mail::new(from, &listen.mail_program, site)?,
    };
    Ok(Some(mail.with_replies(listen.mail_replies.as_deref())?))
}

fn mail_account(listen: &Listen) -> Result<Option<(String, String)>> {
    let (name, file) = (&listen.mail_account, &listen.mail_password_file);
    named_with(name.as_ref(), file.as_ref())
}

/// From where answers by mail are fetched, where they are.
fn mailbox(listen: &Listen) -> Result<Option<Mailbox>> {
    let (name, file) = (&listen.mailbox_account, &listen.mailbox_password_file);
    let named = named_with(name.as_ref(), file.as_ref())?;
    let place = listen.mailbox.clone();
    Ok(place
        .zip(named)
        .map(|(place, (account, password))| Mailbox {
            place,
            account,
            password,
        }))
}

/// An account with the password that a file holds.
fn named_with(name: Option<&String>, file: Option<&PathBuf>) -> Result<Option<(String, String)>> {
    let Some((name, file)) = name.zip(file) else {
        return Ok(None);
    };
    let password = std::fs::read_to_string(file);
    let password = password.with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Some((name.clone(), password.trim_end().to_owned())))
}

/// Hears from now on whether the server is told to end.
fn ending() -> Result<watch::Receiver<()>> {
    let listen = |kind| signal(kind).context("the system's signals cannot be heard");
    let mut interrupted = listen(SignalKind::interrupt())?;
    let mut ended = listen(SignalKind::terminate())?;
    let (tell, told) = watch::channel(());
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = ended.recv() => {}
        }
        tell.send_replace(());
    });
    Ok(told)
}

/// Waits until the server is told to end.
async fn told_to_end(mut told: watch::Receiver<()>) {
    // Where nobody can tell any more, it was told.
    drop(told.changed().await);
}
