//! `quorate bench years`: a game's twenty years in their rhythm, and what everything costs as it grows.
//!
//! The rhythm is that of BlogNomic from 2005 to 2025: how many proposals each year had, and how many comments they drew. What
//! is wanted beyond that are marks on the tracker, as many after each proposal.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use quorate_engine::conventions::MATTER;
use quorate_kernel::command::Actor;
use quorate_kernel::{PostId, Span, Thing};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::reader::BenchReader;
use super::scene::BenchScene;
use super::stopwatch::{now, share};
use super::town::{BenchClock, BenchTown, ClosedTown, GAME, Townsman, ballot, does, indexed, mark};
use crate::data_folder;
use crate::output::Output;

/// Proposals and comments under them, by year.
const YEARS: [(u64, u64); 21] = [
    (438, 3_205),
    (778, 6_928),
    (865, 8_321),
    (886, 8_247),
    (1_091, 14_273),
    (1_073, 13_940),
    (971, 12_287),
    (627, 5_541),
    (538, 4_788),
    (400, 2_447),
    (767, 4_893),
    (493, 2_837),
    (815, 6_058),
    (704, 4_450),
    (650, 3_720),
    (865, 7_722),
    (1_251, 12_969),
    (816, 7_324),
    (1_002, 8_578),
    (605, 3_591),
    (157, 1_519),
];

/// How many play at a time: as many as are active in most months.
const PLAYERS: usize = 20;

/// How many of a proposal's comments vote for it: all but its author make a quorum.
const VOTES: u64 = 11;

/// How long a proposal is open before it is enacted.
const OPEN_FOR: Span = Span::hours(13);

/// How long ago the game begins: so long that its last day is more than a year past, since a server takes its own time from such
/// a game and not from the machine.
const LONG_AGO: Span = Span::days(366 * 26);

/// How often each thing is done to find its middle.
const RUNS: usize = 41;

const PAGES: [&str; 7] = ["", "/rules", "/tracker", "/post", "/log", "/act", "/desk"];

/// How much is played.
#[derive(clap::Args)]
pub(crate) struct YearsArguments {
    /// How many events there are in the end.
    #[arg(long, default_value_t = 1_000_000)]
    events: u64,
    /// A file for a picture of how everything grows.
    #[arg(long)]
    picture: Option<PathBuf>,
}

/// What everything took at one size.
struct Milestone {
    events: u64,
    took: Vec<(String, Duration)>,
}

/// Plays, and measures whenever the game has doubled.
pub(super) fn run(arguments: &YearsArguments, out: &Output) -> Result<ExitCode> {
    let matters: u64 = YEARS.iter().map(|(matters, _)| matters).sum();
    let comments: u64 = YEARS.iter().map(|(_, comments)| comments).sum();
    // A post and its end, the votes that it takes at least, and its comments.
    let told = comments.max(matters * VOTES) + 2 * matters;
    let marks = arguments.events.saturating_sub(told) / matters;
    out.line(format!(
        "{matters} matters, each with its comments and {marks} marks on the tracker"
    ));
    if let Some(picture) = &arguments.picture {
        // Who cannot have the picture learns it now, and not when everything is played.
        picture_at(picture, "")?;
    }
    let folder = tempfile::tempdir().context("there is no room for a folder")?;
    let clock = BenchClock::at(data_folder::now() - LONG_AGO);
    let mut town = BenchTown::found(folder.path(), clock.clone(), PLAYERS)?;
    let (mut grown, mut next, mut played) = (Vec::new(), 1_000, 0_usize);
    for (of_year, said) in YEARS {
        for nth in 0..of_year {
            let comments = (said * (nth + 1) / of_year) - (said * nth / of_year);
            played += 1;
            let newest = matter(&mut town, &clock, played, comments.max(VOTES), marks)?;
            if newest < next.min(arguments.events) {
                continue;
            }
            let (again, measured) = milestone(town, folder.path(), &clock, newest)?;
            town = again;
            tell(&measured, out);
            grown.push(measured);
            next = newest * 2;
            if newest >= arguments.events {
                return finished(arguments, &grown, out);
            }
        }
    }
    finished(arguments, &grown, out)
}

/// A proposal with its comments, the marks after it, and its enactment. Gives the number of the newest event.
fn matter(
    town: &mut BenchTown,
    clock: &BenchClock,
    nth: usize,
    comments: u64,
    marks: u64,
) -> Result<u64> {
    let author = nth % PLAYERS;
    // Where the rules let time pass without play, it passes before anything begins.
    town.when_allowed(clock, author, mark())?;
    let post = town.post(author, MATTER)?;
    let who = |n: u64| (author + 1 + usize::try_from(n).unwrap_or(0) % (PLAYERS - 1)) % PLAYERS;
    let said = (0..comments).map(|n| (who(n), ballot(post, "for")));
    let marked = (1..marks).map(|n| (who(n), mark()));
    town.together(said.chain(marked).collect())?;
    clock.pass(OPEN_FOR);
    let word = MATTER.to_lowercase();
    let enact = does(&format!("enact-{word}"), &word, Thing::Post(post));
    Ok(town.when_allowed(clock, 0, enact)?.0)
}

/// Measures the game as it is now: commands on the game itself, opening, and pages from a server over a copy of it.
fn milestone(
    mut town: BenchTown,
    folder: &Path,
    clock: &Arc<BenchClock>,
    events: u64,
) -> Result<(BenchTown, Milestone)> {
    town.when_allowed(clock, 0, mark())?;
    let post = town.post(0, "Story")?;
    let mut took = Vec::new();
    let mut middle = |what: &str, work: &mut dyn FnMut(usize) -> Result<()>| {
        let mut times = Vec::new();
        for run in 0..RUNS {
            let begun = now();
            work(run)?;
            times.push(now() - begun);
        }
        took.push((what.to_owned(), share(&mut times, 50)));
        anyhow::Ok(())
    };
    let votes = ["for", "against"];
    let actor = |town: &BenchTown, run: usize| Actor::Player(town.players[run % PLAYERS]);
    middle("a comment", &mut |run| {
        let actor = actor(&town, run);
        town.send(actor, ballot(post, votes[run % 2])).map(drop)
    })?;
    middle("a mark", &mut |run| {
        let actor = actor(&town, run);
        town.send(actor, mark()).map(drop)
    })?;
    town.snapshot()?;
    middle("opening", &mut |_| town.opened())?;
    let closed: ClosedTown = town.close()?;
    let copy = copied(folder)?;
    let reading = BenchTown::again(copy.path(), clock.clone(), &closed)?;
    let people = reading.people()?;
    reading.close()?;
    let scene = BenchScene::of_folder(copy, GAME)?;
    indexed(scene.folder())?;
    let runtime = tokio::runtime::Runtime::new()?;
    took.extend(runtime.block_on(pages(&scene, &people, post))?);
    let town = BenchTown::again(folder, clock.clone(), &closed)?;
    Ok((town, Milestone { events, took }))
}

/// A copy of a folder that was just closed. What SQLite keeps beside its file may go into that meanwhile; then it is copied again.
fn copied(folder: &Path) -> Result<TempDir> {
    loop {
        let copy = tempfile::tempdir().context("there is no room for a folder")?;
        let copying = std::fs::read_dir(folder)?.try_for_each(|file| {
            let file = file?;
            std::fs::copy(file.path(), copy.path().join(file.file_name())).map(drop)
        });
        match copying {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            done => return Ok(done.map(|()| copy)?),
        }
    }
}

/// Each page as it is drawn for each player in turn.
async fn pages(
    scene: &BenchScene,
    people: &[Townsman],
    post: PostId,
) -> Result<Vec<(String, Duration)>> {
    let stranger = BenchReader::stranger(scene.base());
    let mut took = Vec::new();
    for page in PAGES {
        let path = match page {
            "/post" => scene.path(&format!("/post/{post}")),
            page => scene.path(page),
        };
        let mut times = Vec::new();
        for one in people {
            let reader = stranger.with_cookie(one.cookie.clone());
            let begun = now();
            reader.get(&path).await?;
            times.push(now() - begun);
        }
        let name = if page.is_empty() { "front" } else { page };
        took.push((name.to_owned(), share(&mut times, 50)));
    }
    Ok(took)
}

fn tell(measured: &Milestone, out: &Output) {
    let each = measured.took.iter();
    let each = each.map(|(what, took)| format!("{what} {took:.2?}"));
    out.line(format!(
        "{:>9} events: {}",
        measured.events,
        each.collect::<Vec<_>>().join(" · ")
    ));
}

fn finished(arguments: &YearsArguments, grown: &[Milestone], out: &Output) -> Result<ExitCode> {
    if let Some(picture) = &arguments.picture {
        picture_at(picture, &drawn(grown))?;
    }
    let rows: Vec<Json> = grown
        .iter()
        .map(|one| {
            let took = one.took.iter();
            let took =
                took.map(|(what, took)| json!({ "what": what, "median_us": took.as_micros() }));
            json!({ "events": one.events, "took": took.collect::<Vec<_>>() })
        })
        .collect();
    out.value(&json!({ "rows": rows }));
    if let (Some(first), Some(last)) = (grown.first(), grown.last()) {
        for ((what, before), (_, after)) in first.took.iter().zip(&last.took) {
            let ratio = after.as_secs_f64() / before.as_secs_f64().max(1e-9);
            out.line(format!(
                "{what:<12} {ratio:>6.2} times what it took at first"
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn picture_at(path: &Path, picture: &str) -> Result<()> {
    std::fs::write(path, picture).with_context(|| {
        let path = path.display();
        format!("cannot write the picture {path}: name a file in a folder that is there")
    })
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const MARGIN: f64 = 90.0;

/// Curves of everything: each doubling of events one step to the right, each doubling of the time one step up.
#[expect(clippy::cast_precision_loss, reason = "places on a picture")]
fn drawn(grown: &[Milestone]) -> String {
    let times = grown.iter().flat_map(|one| &one.took);
    let micros = |took: &Duration| (took.as_micros().max(1) as f64).log2();
    let all: Vec<f64> = times.map(|(_, took)| micros(took)).collect();
    let low = all.iter().copied().fold(f64::MAX, f64::min).floor();
    let high = all
        .iter()
        .copied()
        .fold(f64::MIN, f64::max)
        .ceil()
        .max(low + 1.0);
    let last = grown.len().saturating_sub(1).max(1) as f64;
    let across = |nth: usize| MARGIN + nth as f64 / last * (WIDTH - 2.0 * MARGIN);
    let up = |value: f64| HEIGHT - 30.0 - (value - low) / (high - low) * (HEIGHT - 60.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"11\"><title>What everything takes as a game grows</title>\n"
    );
    for (nth, one) in grown.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
            across(nth),
            HEIGHT - 10.0,
            one.events
        );
    }
    let names = grown
        .first()
        .map(|one| one.took.as_slice())
        .unwrap_or_default();
    for (curve, (what, _)) in names.iter().enumerate() {
        let hue = curve * 360 / names.len().max(1);
        let mut points = String::new();
        let mut end = 0.0;
        for (nth, one) in grown.iter().enumerate() {
            let took = one.took.get(curve).map_or(low, |(_, took)| micros(took));
            end = up(took);
            let _ = write!(points, "{:.0},{end:.0} ", across(nth));
        }
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"hsl({hue},60%,40%)\" points=\"{}\"/><text x=\"{:.0}\" y=\"{end:.0}\" \
             fill=\"hsl({hue},60%,40%)\">{what}</text>",
            points.trim_end(),
            WIDTH - MARGIN + 6.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use quorate_runtime::ports::TimeSource as _;

    use super::*;

    #[test]
    fn what_the_law_forbids_for_now_is_done_once_it_allows_it() {
        let folder = tempfile::tempdir().unwrap();
        for (at, then) in [
            ("2031-12-23T23:00Z", "2031-12-23T23"),
            ("2031-12-24T09:00Z", "2031-12-27T00"),
        ] {
            let clock = BenchClock::at(at.parse().unwrap());
            let place = folder.path().join(then);
            let mut town = BenchTown::found(&place, clock.clone(), 1).unwrap();
            town.when_allowed(&clock, 0, mark()).unwrap();
            assert!(clock.now().to_string().starts_with(then), "{}", clock.now());
            let never = does("enact-proposal", "proposal", Thing::Player(town.players[0]));
            town.when_allowed(&clock, 0, never).unwrap_err();
        }
    }

    #[test]
    fn a_curve_is_drawn_for_each_thing_and_a_point_for_each_size() {
        let at = |events, micros| Milestone {
            events,
            took: vec![
                ("a vote".to_owned(), Duration::from_micros(micros)),
                ("front".to_owned(), Duration::from_micros(2 * micros)),
            ],
        };
        let picture = drawn(&[at(1_000, 100), at(2_000, 100), at(4_000, 400)]);
        assert_eq!(picture.matches("<polyline").count(), 2);
        assert!(
            picture.contains("points=\"90,248 360,248 630,118\""),
            "{picture}"
        );
        assert!(picture.contains(">4000<"), "{picture}");
    }
}
