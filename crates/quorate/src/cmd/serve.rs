//! `quorate serve`: the site over a data folder.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use quorate_server::{AppState, Deps, Mail, ServerConfig, router};

use crate::data_folder::{DataArguments, DataFolder};
use crate::output::Output;
use crate::rulebooks;

/// Where, and from what.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    #[command(flatten)]
    pub(super) listen: Listen,
}

/// How the site is reached.
#[derive(clap::Args)]
pub(crate) struct Listen {
    /// The address to listen on.
    #[arg(long = "listen", value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub address: SocketAddr,
    /// Make accounts for those with an invitation alone.
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
    /// A mail address of theirs.
    #[arg(long, value_name = "ADDRESS")]
    pub contact: Option<String>,
    /// Send links for a new password by mail, from this sender: "Quorate <games@example.org>".
    #[arg(long, value_name = "SENDER", requires = "site")]
    pub mail_from: Option<String>,
    /// The program that takes mail, as sendmail does.
    #[arg(long, value_name = "PROGRAM", default_value = "sendmail")]
    pub mail_program: String,
    /// Where readers reach this server, with its https: and without a stroke at the end, for links that are handed on.
    #[arg(long, value_name = "ADDRESS")]
    pub site: Option<String>,
}

/// Serves until it is told to end.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::own(&arguments.data.data)?;
    serve(&folder, &arguments.listen, out, &|_| Ok(()))
}

/// Serves the site of a data folder. `ready` is told the address once the site answers.
pub(super) fn serve(
    folder: &DataFolder,
    listen: &Listen,
    out: &Output,
    ready: &dyn Fn(SocketAddr) -> Result<()>,
) -> Result<ExitCode> {
    tell_log();
    let games = folder.games()?;
    let deps = Deps {
        games: games.clone().into(),
        laws: Arc::clone(&folder.laws),
        accounts: folder.store.clone(),
        journal: folder.store.clone(),
        seals: folder.store.clone(),
        clock: Arc::new(quorate_runtime::ports::SystemClock),
        secret: folder.secret()?,
        books: playable()?,
        house: config(listen)?,
    };
    let state = AppState::new(deps).map_err(|error| anyhow!(error.to_string()))?;
    let app = router(Arc::new(state));
    folder.wait(async {
        let listener = tokio::net::TcpListener::bind(listen.address).await;
        let listener = listener.with_context(|| {
            format!(
                "cannot listen on {}: choose another with --listen",
                listen.address
            )
        })?;
        let address = listener.local_addr()?;
        out.line(format!("{} http://{address}", out.green("serving")));
        out.value(&serde_json::json!({ "serving": format!("http://{address}") }));
        ready(address)?;
        let service = app.into_make_service_with_connect_info::<SocketAddr>();
        axum::serve(listener, service)
            .with_graceful_shutdown(told_to_end())
            .await?;
        games.close().await?;
        Ok(ExitCode::SUCCESS)
    })
}

fn config(listen: &Listen) -> Result<ServerConfig> {
    let plain = ServerConfig::default();
    let site = listen.site.as_deref().unwrap_or_default();
    let mail = listen
        .mail_from
        .as_deref()
        .map(|from| Mail::new(from, &listen.mail_program, site))
        .transpose()
        .context("mail cannot be sent as --mail-from and --site say")?;
    let address = listen.site.as_ref();
    Ok(ServerConfig {
        address: address.map(|site| site.trim_end_matches('/').to_owned()),
        mail,
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

/// The rulebooks that games are founded of: all but those that are not finished.
fn playable() -> Result<Vec<quorate_engine::rulebook::Rulebook>> {
    let mut found = Vec::new();
    for name in rulebooks::names() {
        let book = rulebooks::read(&name)?;
        if !book.manifest.draft {
            found.push(book);
        }
    }
    Ok(found)
}

fn tell_log() {
    // Where another log is set up already, as in tests, that one stays.
    let set = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_writer(std::io::stderr)
        .try_init();
    drop(set);
}

async fn told_to_end() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut ended) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = ended.recv() => {}
            }
            return;
        }
    }
    drop(interrupted.await);
}
