//! The budgets of deciding, as ratios within one run, so that they mean the same on every machine.
//!
//! `cargo bench -p quorate-engine`; with `-- --long` the big game has ten times as many comments.

mod game;
mod stopwatch;

use std::sync::Arc;

use game::{Game, rulebook};
use quorate_engine::law::Law;
use quorate_engine::{Inputs, Judge, Judged, LawCache};
use quorate_kernel::Name;
use quorate_law::datum::Datum;
use stopwatch::{median, ratio, time};

/// How often a thing is done to find the middle.
const RUNS: usize = 401;

/// How many players a big game has.
const PLAYERS: usize = 60;

/// How many empty calls are timed together, for one alone is too short for a stopwatch.
const CALLS: usize = 200;

fn main() {
    let is_long = std::env::args().any(|argument| argument == "--long");
    let comment_count = if is_long { 100_000 } else { 10_000 };
    let mut small = Game::found(6);
    let call = empty_call(&small);
    report(
        "an empty call of rule code",
        &format!("{call:.1?}"),
        "the measure of the rest",
    );
    measure(&mut small, "6 players, a new game", call);
    let mut big = Game::found(PLAYERS);
    fill(&mut big, comment_count);
    let what = format!("{PLAYERS} players, {} events", big.events.len());
    measure(&mut big, &what, call);
    judged_again(&big);
    compiling();
}

/// A library function that only gives back what it is given, with all that surrounds a call.
fn empty_call(game: &Game) -> std::time::Duration {
    let at = game.judge.head().at;
    let function = Name::from("clamped");
    let calls = median(51, |_| {
        for _ in 0..CALLS {
            let args = vec![Datum::Int(5), Datum::Int(0), Datum::Int(9)];
            let answer = game
                .judge
                .query(at, |tx| tx.call_named(&function, args, vec![]));
            assert_eq!(answer, Ok(Datum::Int(5)));
        }
    });
    calls / u32::try_from(CALLS).expect("a small number")
}

/// Posts and comments, until a game has a past.
fn fill(game: &mut Game, comment_count: usize) {
    let mut post = game.post(0, "Story");
    for n in 0..comment_count {
        if n % 50 == 49 {
            post = game.post(n % PLAYERS, "Story");
        }
        game.comment(n % PLAYERS, post, "A remark in passing.");
    }
}

fn measure(game: &mut Game, what: &str, call: std::time::Duration) {
    let voters = game.players.len();
    let matter = game.post(1, "Proposal");
    for n in 0..voters {
        game.comment(n, matter, ":against: for now");
    }
    let vote = median(RUNS, |run| {
        let command = game.comment_command(run % voters, matter, "I am :for: it.");
        game.send(&command);
    });
    report(
        &format!("a vote decided, {what}"),
        &format!("{vote:.1?} ({:.0} calls)", ratio(vote, call)),
        "100 us",
    );
    let action = median(RUNS, |run| {
        let action = if run % 2 == 0 {
            "request-idle"
        } else {
            "sign-up-for-wiki"
        };
        let mut command = game.action_command(run % voters, action);
        if let quorate_kernel::command::Act::Do { args, .. } = &mut command.act
            && action == "sign-up-for-wiki"
        {
            let name = quorate_kernel::command::typed(&format!("name {run}"));
            args.push(("username".into(), quorate_kernel::Value::Text(name)));
        }
        game.send(&command);
    });
    report(
        &format!("an action decided, {what}"),
        &format!("{action:.1?} ({:.0} calls)", ratio(action, call)),
        "100 us",
    );
    let at = game.judge.head().at;
    let tally = median(RUNS, |_| {
        let args = vec![Datum::Thing(quorate_kernel::Thing::Post(matter))];
        let tally = Name::from("tally");
        let answer = game
            .judge
            .query(at, |tx| tx.call_named(&tally, args, vec![]));
        assert!(answer.is_ok(), "{answer:?}");
    });
    report(
        &format!("a tally worked out anew, {what}"),
        &format!("{tally:.1?} ({:.0} calls)", ratio(tally, call)),
        "no budget of its own",
    );
}

/// Every command of a game judged again from its beginning on its own tape, as `verify` does.
fn judged_again(game: &Game) {
    let laws: Arc<LawCache> = Arc::default();
    let mut judge = Judge::unfounded(&laws);
    let commands = game.commands();
    let ((), took) = time(|| {
        for (command, event) in commands.iter().zip(&game.events) {
            let inputs = Inputs {
                secret: game::SECRET,
                tape: Some(&event.tape),
                ..Inputs::default()
            };
            let judged = judge.judge(command, &inputs);
            assert!(matches!(judged, Judged::Event(_)), "event {}", event.seq);
        }
    });
    assert_eq!(judge.head().hash, game.judge.head().hash);
    #[expect(clippy::cast_precision_loss, reason = "a rate for people to look at")]
    let rate = commands.len() as f64 / took.as_secs_f64();
    report(
        "commands judged again on their tapes",
        &format!("{rate:.0} a second"),
        "10,000 a second and core",
    );
}

/// A whole law compiled and checked.
fn compiling() {
    let book = rulebook();
    let lines: usize = book
        .rules
        .iter()
        .map(|(_, text)| text.lines().count())
        .sum();
    let game = Game::found(1);
    let state = game.judge.state().clone();
    let compiling = median(11, |_| {
        let law = Law::of(&state);
        assert!(law.asleep.is_empty());
    });
    let each = compiling * 4_500 / u32::try_from(lines).expect("a rulebook fits");
    report(
        &format!("a law of {lines} lines checked and compiled"),
        &format!("{compiling:.1?} ({each:.1?} for 4,500)"),
        "60 ms for 4,500 lines",
    );
}

/// Prints one line of the report.
#[expect(
    clippy::print_stdout,
    reason = "the report is what this program is for"
)]
fn report(what: &str, found: &str, budget: &str) {
    println!("{what:<58} {found:>28}   budget: {budget}");
}
