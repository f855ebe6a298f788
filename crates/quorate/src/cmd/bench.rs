//! `quorate bench`: what pages and votes cost on this machine, each beside a measure of the machine itself, in one run.

mod mixed;
mod people;
mod reader;
mod scene;
mod stopwatch;
mod town;
mod years;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value as Json, json};

use crate::output::Output;
use reader::{BenchReader, SentAnswer};
use scene::{Bare, BenchScene};
use stopwatch::{bare_sync, now, share};

/// How often somebody votes while votes are timed, which is done twice: an account may write sixty times at once.
const VOTES: usize = 29;

/// What is measured, and for how long.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    other: Option<OtherBench>,
    /// For how many seconds each page is asked for.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// How many readers ask at once.
    #[arg(long, default_value_t = 4)]
    readers: usize,
    /// How many live streams are open while votes are timed once more; 0 leaves that out.
    #[arg(long, default_value_t = 1_000)]
    streams: usize,
    /// The rulebook whose demo is read.
    #[arg(long, default_value = "adventurers-2019")]
    rulebook: String,
}

/// What is measured beside single pages and votes.
#[derive(clap::Subcommand)]
enum OtherBench {
    /// Sixty players read and act in a game with a long past, four times out of five they read.
    Mixed(mixed::MixedArguments),
    /// A game's twenty years in their rhythm, and what everything costs as it grows.
    Years(years::YearsArguments),
}

/// How often a page came, and how long one took.
struct PagePace {
    rate: f64,
    median: Duration,
    late: Duration,
}

/// Serves the demo in a process of its own, asks it, and prints a table.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    match &arguments.other {
        Some(OtherBench::Mixed(mixed)) => return mixed::run(mixed, out),
        Some(OtherBench::Years(years)) => return years::run(years, out),
        None => {}
    }
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(measure(arguments, out))?;
    Ok(ExitCode::SUCCESS)
}

async fn measure(arguments: &Arguments, out: &Output) -> Result<()> {
    let scene = BenchScene::start(&arguments.rulebook, arguments.streams)?;
    let stranger = BenchReader::stranger(scene.base());
    let front = scene.path("");
    let player = scene.player(&stranger).await?;
    let post = scene.post(&stranger).await?;
    out.line(format!(
        "{:<28} {:>10} {:>10} {:>10} {:>9} {:>12}",
        "page", "a second", "median", "p99", "bytes", "of a handler"
    ));
    let mut rows = Vec::new();
    let pages = ["", "/rules", "/tracker", &post, "/log", "/act", "/desk"];
    for (who, reader) in [("signed out", &stranger), ("signed in", &player)] {
        for page in pages {
            // Strangers get no list of actions and no desk.
            if who == "signed out" && ["/act", "/desk"].contains(&page) {
                continue;
            }
            let name = if page.is_empty() { "front" } else { page };
            let row = page_row(arguments, reader, &scene.path(page)).await?;
            let row = row.report(&format!("{name}, {who}"), out);
            rows.push(row);
        }
    }
    rows.push(votes(&scene, &player, &front, "a vote", out).await?);
    if arguments.streams > 0 {
        let open =
            reader::open_streams(scene.base(), &scene.path("/stream"), arguments.streams).await?;
        let what = format!("a vote, {} streams open", open.len());
        rows.push(votes(&scene, &player, &front, &what, out).await?);
    }
    out.value(&json!({ "rows": rows }));
    Ok(())
}

/// A page beside a bare handler that answers with as many bytes.
struct PageRow {
    page: PagePace,
    bare: PagePace,
    bytes: usize,
}

async fn page_row(arguments: &Arguments, reader: &BenchReader, path: &str) -> Result<PageRow> {
    let first = reader.get(path).await?;
    let bytes = first.body.len();
    let bare = Bare::start(bytes).await?;
    let page = pace(arguments, reader, path).await?;
    let bare = pace(arguments, &BenchReader::stranger(&bare.base), "/").await?;
    Ok(PageRow { page, bare, bytes })
}

impl PageRow {
    /// Prints the row, and gives it for programs.
    fn report(&self, what: &str, out: &Output) -> Json {
        let ratio = self.page.rate / self.bare.rate.max(1e-9);
        let (page, bytes) = (&self.page, self.bytes);
        out.line(format!(
            "{what:<28} {:>10.0} {:>10} {:>10} {bytes:>9} {ratio:>12.2}",
            page.rate,
            format!("{:.2?}", page.median),
            format!("{:.2?}", page.late),
        ));
        json!({
            "what": what, "rate": page.rate, "bytes": bytes, "ratio": ratio,
            "median_us": page.median.as_micros(), "p99_us": page.late.as_micros(),
        })
    }
}

/// So many readers ask for a page again and again until the time is up.
async fn pace(arguments: &Arguments, reader: &BenchReader, path: &str) -> Result<PagePace> {
    let length = Duration::from_secs(arguments.seconds);
    let start = now();
    let mut tasks = Vec::new();
    for _ in 0..arguments.readers {
        let (reader, path) = (reader.again(), path.to_owned());
        tasks.push(tokio::spawn(async move {
            let mut times = Vec::new();
            while now() - start < length {
                let asked = now();
                reader.get(&path).await?;
                times.push(now() - asked);
            }
            anyhow::Ok(times)
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    let took = now() - start;
    #[expect(clippy::cast_precision_loss, reason = "a rate for people to look at")]
    let rate = times.len() as f64 / took.as_secs_f64();
    Ok(PagePace {
        rate,
        median: share(&mut times, 50),
        late: share(&mut times, 99),
    })
}

/// How long a vote takes from form to answer, beside a bare sync of as many bytes as it writes in the same folder.
async fn votes(
    scene: &BenchScene,
    player: &BenchReader,
    front: &str,
    what: &str,
    out: &Output,
) -> Result<Json> {
    let (mut times, mut syncs) = (Vec::new(), Vec::new());
    for run in 0..VOTES {
        let page = player.get(front).await?;
        let form = scene::quick_form(&page.body).context("nothing to vote on")?;
        let vote = if run % 2 == 0 { "against" } else { "for" };
        let asked = now();
        let SentAnswer { status, .. } = player.send(&form.to, &form.with("vote", vote)).await?;
        times.push(now() - asked);
        anyhow::ensure!(status.as_u16() < 400, "a vote was answered with {status}");
        syncs.push(bare_sync(scene)?);
    }
    let (vote, late) = (share(&mut times, 50), share(&mut times, 100));
    let sync = share(&mut syncs, 50);
    let ratio = vote.as_secs_f64() / sync.as_secs_f64().max(1e-9);
    out.line(format!(
        "{what}: {vote:.2?} (at most {late:.2?}), {ratio:.1} times a bare sync of {sync:.2?}"
    ));
    Ok(json!({
        "what": what, "median_us": vote.as_micros(), "most_us": late.as_micros(),
        "sync_us": sync.as_micros(), "ratio": ratio,
    }))
}
