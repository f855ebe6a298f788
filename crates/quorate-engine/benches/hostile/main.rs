//! How long hostile programs take until they are stopped. `cargo bench -p quorate-engine --bench hostile` prints a row for each,
//! with the place where it took longest, and says which answers are not those that its head promises.

#[path = "../../tests/hostile/list.rs"]
#[allow(dead_code, reason = "texts are for the test")]
mod list;
#[path = "../engine/stopwatch.rs"]
mod stopwatch;
#[path = "../../tests/hostile/table.rs"]
mod table;

use std::time::Duration;

fn main() -> std::process::ExitCode {
    let mut wrong = 0;
    let mut rows = Vec::new();
    for program in &list::programs() {
        let mut last = stopwatch::now();
        let mut slowest = ("", Duration::ZERO);
        let tried = program.tried(&mut |place| {
            let now = stopwatch::now();
            let took = now - last;
            last = now;
            if took > slowest.1 {
                slowest = (place, took);
            }
        });
        for tried in tried.iter().filter(|tried| !program.fits(tried)) {
            wrong += 1;
            eprintln!("{}, as {}: {:.300}", program.name, tried.place, tried.said);
        }
        let (place, took) = slowest;
        rows.push((took, program.name.clone(), place));
    }
    rows.sort_by(|a, b| b.cmp(a));
    eprintln!("| program | longest | as |\n|---|---|---|");
    for (took, name, place) in rows {
        eprintln!("| {name} | {} ms | {place} |", took.as_millis());
    }
    std::process::ExitCode::from(u8::from(wrong > 0))
}
