//! `quorate mail-in`: hands a mail from the mail server to the site, as an answer to a notice.

use std::io::Read as _;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, Uri, header};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use quorate_server::mail_in_key;

use crate::data_folder::{DataArguments, DataFolder};
use crate::output::Output;

/// The longest mail that is handed on, in bytes; what is longer is read up to there.
const MAIL_BYTES_MAX: u64 = 2 * 1024 * 1024 - 1;

/// What a mail server takes as "try again later" (sysexits.h).
const TRY_LATER: u8 = 75;

/// From where, to where.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The site that runs on this folder, as it listens.
    #[arg(long, value_name = "ADDRESS", default_value = "http://127.0.0.1:8080")]
    server: String,
    /// Whom the mail server delivers it to, where its headers do not say so.
    #[arg(long, value_name = "ADDRESS")]
    to: Option<String>,
}

/// Hands the mail on its standard input over. Where the site cannot be reached it ends so that the mail server tries again.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::look(&arguments.data)?;
    let secret = folder.secret()?;
    let mut mail = Vec::new();
    let mut input = std::io::stdin().lock().take(MAIL_BYTES_MAX);
    input
        .read_to_end(&mut mail)
        .context("cannot read the mail")?;
    match folder.wait(hand_over(arguments, &mail_in_key(&secret), mail)) {
        Ok(said) => {
            out.line(said);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            out.line(format!("not now: {error:#}"));
            Ok(ExitCode::from(TRY_LATER))
        }
    }
}

async fn hand_over(arguments: &Arguments, key: &str, mail: Vec<u8>) -> Result<String> {
    let server = arguments.server.trim_end_matches('/');
    let to = arguments.to.as_deref().unwrap_or_default();
    let mut encoded = String::new();
    for byte in to.bytes() {
        encoded.push_str(&format!("%{byte:02X}"));
    }
    let query = if to.is_empty() {
        String::new()
    } else {
        format!("?to={encoded}")
    };
    let uri: Uri = format!("{server}/mail-in{query}")
        .parse()
        .context("--server is no address")?;
    let request = Request::post(uri)
        .header(header::AUTHORIZATION, format!("Bearer {key}"))
        .header(header::CONTENT_TYPE, "message/rfc822")
        .body(Body::from(mail))?;
    let client = Client::builder(TokioExecutor::new()).build_http();
    let answer = client
        .request(request)
        .await
        .context("the site cannot be reached")?;
    let status = answer.status();
    let said = to_bytes(Body::new(answer.into_body()), 10_000).await?;
    let said = String::from_utf8_lossy(&said).into_owned();
    match status {
        StatusCode::OK => Ok(said),
        _ => bail!("the site answered {status} {said}"),
    }
}
