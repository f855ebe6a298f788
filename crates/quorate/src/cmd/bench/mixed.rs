//! `quorate bench mixed`: sixty players read and act in one game, four times out of five they read.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use quorate_engine::conventions::MATTER;
use quorate_kernel::PostId;
use quorate_kernel::digest::Digest;
use quorate_runtime::ports::SystemClock;
use serde_json::json;

use super::reader::BenchReader;
use super::scene::BenchScene;
use super::stopwatch::{bare_sync, now, share};
use super::town::{BenchTown, GAME, Townsman, comment, indexed};
use crate::output::Output;

/// How many play.
const PLAYERS: usize = 60;

/// How many comments stand under each post of the past.
const COMMENTS: usize = 49;

/// One of so many requests is an act.
const ACTS: usize = 5;

/// What a page may take for 99 of a hundred, and what a vote may.
const PAGE: Duration = Duration::from_millis(20);
const VOTE: Duration = Duration::from_millis(10);

const PAGES: [&str; 7] = ["", "/rules", "/tracker", "/post", "/log", "/act", "/desk"];

/// How much is played.
#[derive(clap::Args)]
pub(crate) struct MixedArguments {
    /// How many events lie behind the game.
    #[arg(long, default_value_t = 50_000)]
    events: u64,
    /// For how many seconds it is played.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How many requests everybody together makes in a second.
    #[arg(long, default_value_t = 40)]
    rate: u32,
}

/// Fills a game, serves it, plays it, and prints a table.
pub(super) fn run(arguments: &MixedArguments, out: &Output) -> Result<ExitCode> {
    let folder = tempfile::tempdir().context("there is no room for a folder")?;
    let (people, post) = filled(folder.path(), arguments.events)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let scene = BenchScene::of_folder(folder, GAME)?;
    indexed(scene.folder())?;
    let times = runtime.block_on(played(arguments, &scene, &people, post))?;
    let mut syncs = Vec::new();
    for _ in 0..ACTS * 20 {
        syncs.push(bare_sync(&scene)?);
    }
    out.line(format!(
        "{:<12} {:>8} {:>10} {:>10}   budget",
        "what", "times", "median", "p99"
    ));
    let mut rows = Vec::new();
    for (what, mut times) in times {
        let (median, late) = (share(&mut times, 50), share(&mut times, 99));
        let budget = if what == "vote" { VOTE } else { PAGE };
        out.line(format!(
            "{what:<12} {:>8} {:>10} {:>10}   {budget:.0?}{}",
            times.len(),
            format!("{median:.2?}"),
            format!("{late:.2?}"),
            if late > budget { ", missed" } else { "" }
        ));
        rows.push(json!({ "what": what, "times": times.len(), "median_us": median.as_micros(), "p99_us": late.as_micros() }));
    }
    let sync = share(&mut syncs, 50);
    out.line(format!("a bare sync: {sync:.2?}"));
    out.value(&json!({ "rows": rows, "sync_us": sync.as_micros() }));
    Ok(ExitCode::SUCCESS)
}

/// A game with a past and a proposal, and everybody in it.
fn filled(folder: &std::path::Path, events: u64) -> Result<(Vec<Townsman>, PostId)> {
    let mut town = BenchTown::found(folder, Arc::new(SystemClock), PLAYERS)?;
    let mut newest = 0;
    while newest < events {
        let author = usize::try_from(newest).unwrap_or(0) % PLAYERS;
        let post = town.post(author, "Story")?;
        let comments = (0..COMMENTS).map(|n| {
            (
                (author + n) % PLAYERS,
                comment(post, "A remark in passing."),
            )
        });
        newest = town.together(comments.collect())?.0;
    }
    let post = town.post(0, MATTER)?;
    town.snapshot()?;
    let people = town.people()?;
    town.close()?;
    Ok((people, post))
}

/// How long each sort of request took.
type Times = BTreeMap<String, Vec<Duration>>;

async fn played(
    arguments: &MixedArguments,
    scene: &BenchScene,
    people: &[Townsman],
    post: PostId,
) -> Result<Times> {
    let stranger = BenchReader::stranger(scene.base());
    stranger.get(&scene.path("")).await?;
    let gap = Duration::from_secs(1) / arguments.rate.max(1);
    let count = u32::try_from(arguments.seconds)
        .unwrap_or(u32::MAX)
        .saturating_mul(arguments.rate);
    let mut beat = tokio::time::interval(gap);
    let mut tasks = Vec::new();
    let readers: Vec<Arc<BenchReader>> = people
        .iter()
        .map(|one| Arc::new(stranger.with_cookie(one.cookie.clone())))
        .collect();
    for nth in 0..count {
        beat.tick().await;
        let dice = Digest::of(&nth.to_le_bytes()).0.map(usize::from);
        let who = dice[0] % people.len();
        let reader = Arc::clone(&readers[who]);
        let page = PAGES[dice[1] % PAGES.len()];
        let asked = match page {
            "/post" => scene.path(&format!("/post/{post}")),
            page => scene.path(page),
        };
        let token = people[who].token.clone();
        let comments = format!("/api/v1/games/{GAME}/posts/{post}/comments");
        tasks.push(tokio::spawn(async move {
            let begun = now();
            if !dice[2].is_multiple_of(ACTS) {
                reader.get(&asked).await?;
                let page = if page.is_empty() { "front" } else { page };
                return anyhow::Ok((page.to_owned(), now() - begun));
            }
            let body = match dice[3] % 3 {
                0 => json!({ "vote": "for" }),
                1 => json!({ "vote": "against" }),
                _ => json!({ "text": "A remark in passing." }),
            };
            let what = if body["vote"].is_null() {
                "comment"
            } else {
                "vote"
            };
            reader.act(&comments, &token, &body).await?;
            Ok((what.to_owned(), now() - begun))
        }));
    }
    let mut times = Times::new();
    for task in tasks {
        let (what, took) = task.await??;
        times.entry(what).or_default().push(took);
    }
    Ok(times)
}
