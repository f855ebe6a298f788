//! The bots of the API's page, as they stand there.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use serde_json::{Value as Json, json};
use tokio::process::Command;

use crate::Game;

type Heard = Arc<Mutex<Vec<Json>>>;

/// Writes the programs of the page into a folder.
fn programs(folder: &Path) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md");
    let page = fs::read_to_string(page).unwrap();
    let mut count = 0;
    for fence in page.split("```python\n").skip(1) {
        let program = fence.split("```").next().unwrap();
        let name = program.lines().next().unwrap().trim_start_matches("# ");
        fs::write(folder.join(name), program).unwrap();
        count += 1;
    }
    assert_eq!(count, 4);
}

/// Runs one to its end; gives what it said.
async fn run(folder: &Path, program: &str, given: &[(&str, &str)]) -> String {
    let mut command = Command::new("python3");
    command
        .arg(program)
        .current_dir(folder)
        .envs(given.iter().copied());
    let done = command.output().await.expect("python3 is installed");
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{program}: {errors}");
    String::from_utf8(done.stdout).unwrap()
}

/// A chat room that takes whatever comes.
async fn room() -> (String, Heard) {
    let heard = Heard::default();
    let take = |State(heard): State<Heard>, body: Bytes| async move {
        heard
            .lock()
            .unwrap()
            .push(serde_json::from_slice(&body).unwrap());
    };
    let app = Router::new().fallback(take).with_state(Arc::clone(&heard));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move { drop(axum::serve(listener, app).await) });
    (address, heard)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bots_of_the_page_do_what_it_says() {
    let game = Game::of_six().await;
    let folder = tempfile::tempdir().unwrap();
    programs(folder.path());
    let root = game.table.serve().await;
    let (hook, heard) = room().await;
    let propose = async |title: &str, changes: Json| {
        let new =
            json!({ "category": "Proposal", "title": title, "body": "So.", "changes": changes });
        let made = game.post("/posts", &new).by(&game.anna).gives(201).await;
        made["post"].as_str().unwrap().to_owned()
    };
    let one = json!({ "do": "amend_rule", "id": "fair-play", "old": "fair play.", "new": "playing fair." });
    let two = json!({ "do": "set_value", "thing": "player:2", "name": "ap", "value": 3 });
    let small = propose("Small", json!([one])).await;
    let large = propose("Large", json!([one, two])).await;

    let file = folder.path().join("archive.jsonl");
    let file = file.to_str().unwrap();
    let base = [("Q", root.as_str()), ("GAME", game.word.as_str())];
    let with = |more: &[(&'static str, &str)]| -> Vec<(String, String)> {
        let all = base.iter().chain(more);
        all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    };
    let run = async |program: &str, given: Vec<(String, String)>| {
        let given: Vec<_> = given
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        run(folder.path(), program, &given).await
    };

    run("archive.py", with(&[("FILE", file)])).await;
    let before = fs::read_to_string(file).unwrap().lines().count();
    // Of all that Bert may do, the page's bot needs to vote.
    let token = game.table.token_for("Bert", "vote", Some(&game.word)).await;
    let voter = with(&[("TOKEN", &token)]);
    run("voter.py", voter.clone()).await;
    run("voter.py", voter).await;
    let vote = async |post: &str| {
        let shown = game.get(&format!("/posts/{post}")).gives(200).await;
        let mut votes = shown["votes"].as_array().unwrap().iter();
        let vote = votes.find(|vote| vote["voter"]["name"] == "Bert").unwrap();
        (
            vote["vote"].clone(),
            shown["thread"].as_array().unwrap().len(),
        )
    };
    assert_eq!(vote(&small).await, (json!("for"), 1));
    assert_eq!(vote(&large).await, (json!("against"), 1));

    run("archive.py", with(&[("FILE", file)])).await;
    let archive = fs::read_to_string(file).unwrap();
    let seqs: Vec<u64> = archive
        .lines()
        .map(|line| {
            serde_json::from_str::<Json>(line).unwrap()["seq"]
                .as_u64()
                .unwrap()
        })
        .collect();
    assert_eq!(seqs.len(), before + 2);
    let expected: Vec<u64> = (1..=seqs.len() as u64).collect();
    assert_eq!(seqs, expected, "each event once, in order");

    run("tally.py", with(&[("HOOK", &hook)])).await;
    let heard = heard.lock().unwrap();
    let said = heard[0]["content"].as_str().unwrap();
    assert!(
        said.contains("Small: ") && said.contains("quorum 4"),
        "{said}"
    );
}
