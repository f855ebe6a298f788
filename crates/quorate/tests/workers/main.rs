//! Rule code in processes of its own: the same answers as in the server's, and games that live on when those are killed.
#![cfg(unix)]

mod asked;
mod kills;
mod room;
#[path = "../running/mod.rs"]
mod running;
mod served;
mod shared;
mod waiting;

use std::process::Command;

use quorate_kernel::Moment;
use quorate_runtime::ports::{Accounts, Moderation, Restraint, RestraintKind};
use quorate_store::{Store, StoreOptions};
use serde_json::Value;
use served::{QUORATE, Served, folder, hidden, signal, signed_in};

/// Answers without the moment at which they were asked for.
fn timeless(answers: Vec<(u16, String)>) -> Vec<(u16, String)> {
    let timeless = |(status, answer): (u16, String)| {
        let Ok(Value::Object(mut said)) = serde_json::from_str(&answer) else {
            return (status, answer);
        };
        said.remove("now");
        said.remove("at");
        (status, Value::Object(said).to_string())
    };
    answers.into_iter().map(timeless).collect()
}

#[test]
fn both_hosts_give_the_same_answers() {
    let (folder, _waiting) = folder();
    let paths = [
        "/api/v1/games/town",
        "/api/v1/games/town/rules",
        "/api/v1/games/town/values",
        "/api/v1/games/town/players",
        "/api/v1/games/town/posts",
        "/api/v1/games/town/events",
    ];
    let asked = |law: &str| -> Vec<(u16, String)> {
        let server = Served::start(folder.path(), law);
        let read = paths.iter().map(|path| server.ask("GET", path, ""));
        let mut answers: Vec<_> = read.collect();
        answers.push(server.ask("POST", "/api/v1/games/town/preview", "{\"changes\": 7}"));
        answers.push(server.ask("GET", "/api/v1/games/nowhere/rules", ""));
        let (status, page) = server.ask("GET", "/g/town/tracker", "");
        answers.push((status, page.contains("<h1").to_string()));
        answers
    };
    let (here, there) = (asked("in-process"), asked("workers"));
    let (here, there) = (timeless(here), timeless(there));
    for (path, (here, there)) in paths.iter().zip(here.iter().zip(&there)) {
        assert_eq!(here, there, "{path}");
        assert_eq!(here.0, 200, "{path}: {}", here.1);
    }
    assert_eq!(here, there);
}

#[test]
fn both_hosts_judge_every_test_and_a_random_game_alike() {
    let judged = |words: &[&str]| {
        let told = Command::new(QUORATE)
            .args(words)
            .arg("--in-workers")
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .output()
            .expect("the program runs");
        let said = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(told.status.success(), "{words:?}: {said}");
    };
    judged(&["test", "rulebooks/one-page"]);
    judged(&["simulate", "rulebooks/one-page", "--steps", "300"]);
}

#[test]
fn a_post_goes_through_a_worker_unless_its_writer_is_muted() {
    let (folder, waiting) = folder();
    let word = &signed_in(&folder, &waiting);
    let muted = async |until: Option<Moment>| {
        let store = Store::open(folder.path(), StoreOptions::default()).await;
        let store = store.expect("the store opens");
        let account = store.account_by_name("Anna").await.expect("an answer");
        let account = account.expect("an account").id;
        let restraint = Restraint {
            kind: RestraintKind::Muted,
            until,
            why: "Too many words".to_owned(),
        };
        let kept = store.restrain(account, &restraint).await;
        kept.expect("it is kept");
    };
    let post = |title: &str| {
        let server = Served::start(folder.path(), "workers");
        let form = "/g/town/new/Proposal";
        let (status, page) = server.browse("GET", form, word, "");
        assert_eq!(status, 200, "{page}");
        let body = format!(
            "csrf={}&key={}&title={title}&body=Words&do=post",
            hidden(&page, "csrf"),
            hidden(&page, "key")
        );
        let answered = server.browse("POST", form, word, &body);
        let (_, posts) = server.ask("GET", "/api/v1/games/town/posts", "");
        (answered, posts.contains(title))
    };

    // A restraint that is over keeps nobody from anything.
    waiting.block_on(muted(Some(Moment(1))));
    let ((status, page), is_there) = post("Lamps");
    assert_eq!((status, is_there), (303, true), "{page}");

    waiting.block_on(muted(None));
    let ((status, page), is_there) = post("Bells");
    assert_eq!((status, is_there), (403, false), "{page}");
    assert!(page.contains("Too many words"), "{page}");
}

#[test]
fn a_page_is_drawn_although_every_worker_was_killed_as_it_waited() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    let drawn = |nth: u32| server.ask("GET", &format!("/g/town/tracker?nth={nth}"), "");
    // Readers who come together leave several workers that wait.
    std::thread::scope(|readers| {
        for nth in 0..4 {
            readers.spawn(move || drawn(nth));
        }
    });
    assert!(server.workers("pages").len() > 1, "one worker did it all");
    for id in server.workers("pages") {
        signal("-KILL", &id);
    }
    let (status, page) = drawn(4);
    assert_eq!(status, 200, "{page}");
}

#[test]
fn a_worker_has_no_files_no_network_and_no_processes() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    for kind in ["previews", "pages", "judges"] {
        let workers = server.workers(kind);
        let id = workers.first().expect("a worker of each kind");
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("its status");
        assert!(status.contains("\nSeccomp:\t2\n"), "{kind}: {status}");
        assert!(status.contains("\nNoNewPrivs:\t1\n"), "{kind}: {status}");
        let limits = std::fs::read_to_string(format!("/proc/{id}/limits")).expect("its limits");
        let memory = limits
            .lines()
            .find(|line| line.starts_with("Max data size"));
        assert!(
            memory.is_some_and(|line| line.contains("536870912")),
            "{limits}"
        );
    }
}
