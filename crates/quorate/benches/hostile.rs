//! How long hostile programs and texts take in each place, and how long others wait meanwhile: `cargo bench -p quorate --bench
//! hostile` prints the tables of `docs/security.md`, with `-- crowd` the one of those who wait alone. `QUORATE_PROGRAM` names another
//! build of the program to be tried.
#![expect(clippy::print_stdout, reason = "a benchmark speaks on standard output")]
#![allow(dead_code, reason = "what is asserted is for the test")]

#[path = "../tests/hostile/crowd.rs"]
mod crowd;
#[path = "../../quorate-engine/tests/hostile/list.rs"]
mod list;
#[path = "../tests/hostile/places.rs"]
mod places;
#[path = "../tests/hostile/scene.rs"]
mod scene;
#[path = "../tests/hostile/site.rs"]
mod site;

use std::collections::BTreeMap;
use std::time::Duration;

use crowd::{Quiet, Waits};
use places::Tried;
use scene::Scene;
use site::Site;

/// How long the other game is measured at rest, and under attack.
const REST: Duration = Duration::from_secs(30);
const ATTACK: Duration = Duration::from_mins(1);

/// The places of programs and of texts.
const PROGRAM_PLACES: [&str; 8] = [
    "preview", "rule", "test", "action", "guard", "hook", "page", "script",
];
const TEXT_PLACES: [&str; 5] = ["title", "text", "dice", "name", "rule's text"];

/// What else a ratio allows: a wait that nobody feels.
const UNFELT: Duration = Duration::from_millis(50);

fn main() {
    let programs = list::programs();
    let scene = Scene::set(&programs);
    let site = Site::start(scene.folder());
    if std::env::args().any(|word| word == "crowd") {
        return crowd(&site, &scene, &programs);
    }
    let watch = site.watch();
    let (mut busiest, mut late, mut slowest_calm) = (0, 0, Duration::ZERO);
    head("program", &PROGRAM_PLACES);
    for (nth, program) in programs.iter().enumerate() {
        let tried = places::try_program(&site, &scene, &programs, nth);
        busiest = busiest.max(site.busy_after(Duration::from_secs(2)));
        slowest_calm = slowest_calm.max(places::goes_on(&site, &scene, nth));
        late += row(&program.name, &PROGRAM_PLACES, &tried);
    }
    println!();
    head("text", &TEXT_PLACES);
    let mut of_text: BTreeMap<String, Vec<Tried>> = BTreeMap::new();
    for tried in places::try_texts(&site, &scene, 1) {
        of_text.entry(tried.name.clone()).or_default().push(tried);
    }
    for (name, tried) in &of_text {
        late += row(name, &TEXT_PLACES, tried);
    }
    println!("\nanswers after their deadline: {late}");
    println!("two seconds later at most {busiest} % of a core was busy");
    println!(
        "the next command of the same game took at most {} ms",
        slowest_calm.as_millis()
    );
    crowd(&site, &scene, &programs);
    let seen = watch.end();
    println!(
        "memory: the server grew by {} MiB, no worker took more than {} MiB",
        seen.growth_mib(),
        seen.worker
    );
    println!(
        "told to end, it was gone after {} ms",
        site.end().as_millis()
    );
}

/// Another game at rest and under attack.
fn crowd(site: &Site, scene: &Scene, programs: &[list::Program]) {
    let rest = crowd::at_rest(site, scene, REST);
    let (attacked, answers) = crowd::attacked(site, scene, programs, ATTACK);
    println!(
        "\nfour accounts got {answers} answers in {} s; meanwhile in another game:\n",
        ATTACK.as_secs()
    );
    println!(
        "| | at rest, median | p99 | under attack, median | p99 | allowed |\n|---|---|---|---|---|---|"
    );
    let of = |quiet: &Quiet| [quiet.pages.clone(), quiet.votes.clone()];
    let both = ["a page", "a vote"]
        .into_iter()
        .zip(of(&rest))
        .zip(of(&attacked));
    for ((what, rest), attacked) in both {
        let allowed = (rest.share(99) * 3).max(UNFELT);
        let within = if attacked.share(99) <= allowed {
            "within"
        } else {
            "OVER"
        };
        let cells = |waits: &Waits| {
            format!(
                "{} ms of {} | {} ms",
                waits.share(50).as_millis(),
                waits.count(),
                waits.share(99).as_millis()
            )
        };
        println!(
            "| {what} | {} | {} | {} ms: {within} |",
            cells(&rest),
            cells(&attacked),
            allowed.as_millis()
        );
    }
    println!();
}

fn head(what: &str, places: &[&str]) {
    println!(
        "| {what} | {} | answer |\n|---|{}---|",
        places.join(" | "),
        "---|".repeat(places.len())
    );
}

/// Prints what something came to in each place; gives how many answers were late.
fn row(name: &str, places: &[&str], tried: &[Tried]) -> usize {
    let cell = |place: &&str| {
        let found = tried.iter().find(|one| one.place == *place);
        let told = |one: &Tried| {
            let stopped = if one.cost_a_worker() { ", stopped" } else { "" };
            format!("{} ms{stopped}", one.took.as_millis())
        };
        found.map_or(String::new(), told)
    };
    let cells: Vec<String> = places.iter().map(cell).collect();
    let answer = tried
        .iter()
        .find(|one| ["action", "title"].contains(&one.place));
    let answer = answer.map(|one| one.answer.chars().take(90).collect::<String>());
    println!(
        "| {name} | {} | {} |",
        cells.join(" | "),
        answer.unwrap_or_default().replace('|', "/")
    );
    for one in tried {
        if let Some(wrong) = one.wrong() {
            println!("WRONG: {wrong}");
        }
    }
    tried.iter().filter(|one| one.is_late()).count()
}
