//! Whether memory, descriptors and threads stay level: a server is used for two hours, with new laws and faults all the time.
//! `cargo bench -p quorate --bench memory` prints a row a minute and draws `docs/pictures/memory.svg`; `QUORATE_MINUTES` says how
//! long, `QUORATE_PROGRAM` names another build of the program.
//!
//! The faults: writes and reads of the disk that fail and syncs that wait (by `strace`, where there is one), workers that are
//! killed, and readers who send half a request, read slowly, or go in the middle. At the end every game's log must verify.
#![expect(clippy::print_stdout, reason = "a benchmark speaks on standard output")]
#![allow(clippy::unwrap_used, reason = "a benchmark ends where something fails")]
#![allow(dead_code, reason = "what is asserted is for the test")]

#[path = "memory/faults.rs"]
mod faults;
#[path = "../../quorate-engine/tests/hostile/list.rs"]
mod list;
#[path = "../tests/hostile/scene.rs"]
mod scene;
#[path = "../tests/hostile/site.rs"]
mod site;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use scene::{ATTACKERS, QUIET, Scene, VOTERS, attacker, game_of, siege_of, voter};
use serde_json::{Value as Json, json};
use site::{Said, Site, pause};

/// How long it is used, in minutes.
const MINUTES: u64 = 120;

const MINUTE: Duration = Duration::from_mins(1);

/// By how much the last quarter may lie above the second, in hundredths: what is level may still go up and down.
const LEVEL: u64 = 115;

/// The picture.
const PICTURE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/pictures/memory.svg"
);
const WIDTH: u64 = 720;
const HEIGHT: u64 = 240;

/// A minute: what the server takes, and the server with its workers.
#[derive(Clone, Copy)]
struct Minute {
    server_mib: u64,
    all_mib: u64,
    descriptors: u64,
    threads: u64,
}

/// What is counted over the whole time.
#[derive(Default)]
struct Counts {
    requests: AtomicU64,
    /// Answered with an error of the server's: a fault was met.
    failed: AtomicU64,
    /// The last event of the quiet game that was acknowledged.
    last: AtomicU64,
}

impl Counts {
    fn count(&self, said: &Said) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        // A failing disk is told as such; nothing else may fail.
        assert!(
            said.status < 500 || said.status == 503,
            "{}: {}",
            said.status,
            said.body
        );
        let has_failed = u64::from(said.status >= 500);
        self.failed.fetch_add(has_failed, Ordering::Relaxed);
    }
}

/// Somebody who uses the server, for the so-manieth time.
type Use = dyn Fn(&Site, &Scene, &Counts, u64) + Sync;

fn main() -> ExitCode {
    let said = std::env::var("QUORATE_MINUTES").ok();
    let minutes = said.map_or(MINUTES, |said| said.parse().unwrap());
    let programs: Vec<_> = list::programs().into_iter().step_by(9).collect();
    let scene = Scene::set(&programs);
    let site = faults::site(scene.folder());
    let (over, counts) = (AtomicBool::new(false), Counts::default());
    let mut told = Vec::new();
    println!(
        "| minute | the server, MiB | with its workers, MiB | descriptors | threads | requests | met a fault |\n|---|---|---|---|---|---|---|"
    );
    std::thread::scope(|scope| {
        let everybody: [&'static Use; 8] = [
            &previews,
            &laws,
            &votes,
            &pages,
            &faults::half_heads,
            &faults::slow_readers,
            &faults::streams,
            &faults::kills,
        ];
        for does in everybody {
            let (site, scene, over, counts) = (&site, &scene, &over, &counts);
            scope.spawn(move || {
                for nth in 0.. {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    does(site, scene, counts, nth);
                }
            });
        }
        for minute in 1..=minutes {
            pause(MINUTE);
            let seen = Minute {
                server_mib: site.server_mib(),
                all_mib: site.proportional_mib(),
                descriptors: site.descriptors(),
                threads: site.threads(),
            };
            println!(
                "| {minute} | {} | {} | {} | {} | {} | {} |",
                seen.server_mib,
                seen.all_mib,
                seen.descriptors,
                seen.threads,
                counts.requests.load(Ordering::Relaxed),
                counts.failed.load(Ordering::Relaxed),
            );
            told.push(seen);
        }
        over.store(true, Ordering::Relaxed);
    });
    site.end();
    let last = counts.last.load(Ordering::Relaxed);
    scene.verify(last);
    std::fs::write(Path::new(PICTURE), drawn(&told)).unwrap();
    ExitCode::from(u8::from(!is_level(&told)))
}

/// Whether nothing lies higher in the last quarter than in the second.
fn is_level(told: &[Minute]) -> bool {
    let quarter = told.len() / 4;
    let is_level_of = |what: &str, of: &dyn Fn(&Minute) -> u64| {
        let mean = |part: &[Minute]| part.iter().map(of).sum::<u64>() / part.len().max(1) as u64;
        let second = mean(&told[quarter..2 * quarter]);
        let last = mean(&told[3 * quarter..]);
        let is_level = last * 100 <= second * LEVEL;
        let word = if is_level { "level" } else { "NOT LEVEL" };
        println!("{what}: {second} in the second quarter, {last} in the last: {word}");
        is_level
    };
    let levels = [
        is_level_of("MiB", &|one| one.all_mib),
        is_level_of("descriptors", &|one| one.descriptors),
        is_level_of("threads", &|one| one.threads),
    ];
    levels.into_iter().all(|is| is)
}

/// A rule that nobody has seen before.
fn new_rule(nth: u64) -> Json {
    let text = format!(
        "# Tea\n\nThere is tea at {nth}.\n\n```starlark\ndef tea_{nth}() -> int:\n    return {nth}\n```\n"
    );
    json!({ "do": "add_rule", "id": "tea", "section": "rules", "text": text })
}

/// Previews of ever new laws, by several accounts.
fn previews(site: &Site, _: &Scene, counts: &Counts, nth: u64) {
    let account = attacker(usize::try_from(nth).unwrap() % ATTACKERS);
    let path = format!("/api/v1/games/{QUIET}/preview");
    let body = json!({ "changes": [new_rule(nth)], "whole": true });
    counts.count(&site.ask("POST", &path, &account, &body));
    pause(Duration::from_secs(1));
}

/// Ever new laws in force: each proposal is enacted, in one game after the other.
fn laws(site: &Site, _: &Scene, counts: &Counts, nth: u64) {
    let game = usize::try_from(nth).unwrap() % ATTACKERS;
    let (token, game) = (attacker(game), siege_of(game));
    let old = nth >= ATTACKERS as u64;
    let repeal = json!({ "do": "repeal_rule", "id": "tea" });
    let changes = if old {
        json!([repeal, new_rule(nth)])
    } else {
        json!([new_rule(nth)])
    };
    let post =
        json!({ "category": "Proposal", "title": "Tea", "body": "At five.", "changes": changes });
    let path = format!("/api/v1/games/{game}/posts");
    let posted = site.ask("POST", &path, &token, &post);
    counts.count(&posted);
    let made: Json = serde_json::from_str(&posted.body).unwrap_or_default();
    if let Some(post) = made["post"].as_str() {
        let enact =
            json!({ "action": "enact", "arguments": { "proposal": format!("post:{post}") } });
        let path = format!("/api/v1/games/{game}/acts");
        counts.count(&site.ask("POST", &path, &token, &enact));
    }
    // Seldom enough that what the games themselves keep weighs little.
    pause(Duration::from_secs(4));
}

fn votes(site: &Site, scene: &Scene, counts: &Counts, nth: u64) {
    let path = format!("/api/v1/games/{QUIET}/posts/{}/comments", scene.matter);
    let nth = usize::try_from(nth).unwrap();
    let side = if (nth / VOTERS).is_multiple_of(2) {
        "for"
    } else {
        "against"
    };
    let voted = site.ask(
        "POST",
        &path,
        &voter(nth % VOTERS),
        &json!({ "vote": side }),
    );
    counts.count(&voted);
    let said: Json = serde_json::from_str(&voted.body).unwrap_or_default();
    if let Some(seq) = said["event"]["seq"].as_u64() {
        let before = counts.last.fetch_max(seq, Ordering::Relaxed);
        assert!(before < seq, "{seq} came after {before}");
    }
    // As seldom: each vote stays in the game.
    pause(Duration::from_secs(5));
}

fn pages(site: &Site, scene: &Scene, counts: &Counts, nth: u64) {
    let post = format!("/g/{QUIET}/post/{}", scene.matter);
    let paths = [
        post,
        format!("/g/{QUIET}/rules"),
        format!("/g/{QUIET}/log"),
        format!("/g/{}/tracker", siege_of(0)),
        format!("/g/{}/rules", game_of(1)),
    ];
    let path = &paths[usize::try_from(nth).unwrap() % paths.len()];
    counts.count(&site.ask("GET", path, "", &Json::Null));
    pause(Duration::from_millis(200));
}

/// Two lines over the minutes.
fn drawn(told: &[Minute]) -> String {
    let most = told
        .iter()
        .map(|one| one.all_mib)
        .max()
        .unwrap_or(0)
        .next_multiple_of(100)
        .max(100);
    let x = |nth: usize| 40 + (WIDTH - 60) * nth as u64 / (told.len().max(2) as u64 - 1);
    let y = |mib: u64| HEIGHT - 24 - (HEIGHT - 48) * mib / most;
    let line = |of: &dyn Fn(&Minute) -> u64, colour: &str| {
        let points = told
            .iter()
            .enumerate()
            .map(|(nth, one)| format!("{},{}", x(nth), y(of(one))));
        let points: Vec<String> = points.collect();
        format!(
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>\n",
            points.join(" ")
        )
    };
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    for mib in [0, most / 2, most] {
        let at = y(mib);
        let right = WIDTH - 20;
        let _ = writeln!(
            picture,
            "<path d=\"M40 {at}H{right}\" stroke=\"#ccc\"/><text x=\"4\" y=\"{}\">{mib}</text>",
            at + 4
        );
    }
    picture += &line(&|one| one.all_mib, "#a40");
    picture += &line(&|one| one.server_mib, "#06a");
    let bottom = HEIGHT - 6;
    let _ = writeln!(
        picture,
        "<text x=\"40\" y=\"{bottom}\">{} minutes; MiB: the server (blue), with its workers (brown)</text>\n</svg>",
        told.len()
    );
    picture
}
