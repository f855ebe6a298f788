//! Hostile programs and texts against a server whose rule code runs in workers, over HTTP, in every place where rule code runs.
//!
//! What is refused and what survives is asserted; times are printed by `cargo bench -p quorate --bench hostile`. One program in
//! nine is tried, and with `QUORATE_HOSTILE=all` all of them.
#![cfg(unix)]
#![allow(dead_code, reason = "what is measured is for the benches")]

mod crowd;
#[path = "../../../quorate-engine/tests/hostile/list.rs"]
mod list;
mod places;
mod scene;
mod site;

use std::time::Duration;

use places::Tried;
use scene::Scene;

/// Of how many programs one is tried.
const ONE_OF: usize = 9;

/// By how much the server's own memory may grow, in MiB.
const GROWTH_MIB: u64 = 300;

/// How long the crowd is at it.
const CROWD: Duration = Duration::from_secs(3);

#[test]
fn whatever_strangers_send_is_answered_and_takes_nothing_else_with_it() {
    let all = std::env::var("QUORATE_HOSTILE").is_ok_and(|which| which == "all");
    let one_of = if all { 1 } else { ONE_OF };
    let programs: Vec<_> = list::programs().into_iter().step_by(one_of).collect();
    let scene = Scene::set(&programs);
    let site = site::Site::start(scene.folder());
    let watch = site.watch();
    let tried: Vec<Tried> = (0..programs.len())
        .flat_map(|nth| places::try_program(&site, &scene, &programs, nth))
        .chain(places::try_texts(&site, &scene, one_of))
        .collect();
    let wrong: Vec<String> = tried.iter().filter_map(Tried::wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    crowd::attacked(&site, &scene, &programs, CROWD);
    places::goes_on(&site, &scene, programs.len());
    let seen = watch.end();
    assert!(
        seen.growth_mib() <= GROWTH_MIB,
        "the server grew by {} MiB",
        seen.growth_mib()
    );
    assert!(
        seen.worker <= site::WORKER_MIB,
        "a worker took {} MiB",
        seen.worker
    );
    let busy = site.busy_after(Duration::from_secs(2));
    assert!(busy < 50, "two seconds later {busy} % of a core is busy");
    let took = site.end();
    assert!(took < Duration::from_secs(5), "it took {took:?} to end");
}
