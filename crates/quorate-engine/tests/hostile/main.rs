//! Hostile programs and texts: each is tried in every place where it can stand, gets its answer in words, and takes nothing
//! else with it. `cargo bench -p quorate-engine --bench hostile` prints how long each takes.

mod list;
mod table;
mod texts;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let programs = list::programs().into_iter().map(|program| {
        let name = format!("program: {}", program.name);
        Trial::test(name, move || as_promised(&program))
    });
    let texts = list::texts().into_iter().map(|text| {
        let name = format!("text: {}", text.name);
        Trial::test(name, move || texts::is_taken_or_refused(&text))
    });
    let enough = Trial::test("the table has at least 80 programs", || {
        let count = list::programs().len();
        if count < 80 {
            return Err(format!("{count} programs").into());
        }
        Ok(())
    });
    let all: Vec<Trial> = programs.chain(texts).chain([enough]).collect();
    libtest_mimic::run(&Arguments::from_args(), all).exit();
}

fn as_promised(program: &list::Program) -> Result<(), Failed> {
    let tried = program.tried(&mut |_| {});
    let unfit: Vec<String> = tried
        .iter()
        .filter(|tried| !program.fits(tried))
        .map(|tried| format!("as {}: {:.400}", tried.place, tried.said))
        .collect();
    if unfit.is_empty() {
        return Ok(());
    }
    Err(format!("not {:?}, but\n{}", program.words, unfit.join("\n")).into())
}
