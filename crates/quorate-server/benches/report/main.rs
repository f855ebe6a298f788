//! How long people wait for pages, and for what the site says of a proposal, in a game of 60 players with 50,000 events
//! behind it.
//!
//! `cargo bench -p quorate-server --bench report`; with `-- --long` ten times as many events.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "the site of the API's tests is what is measured, and a panic is a fine end for a bench"
)]

#[path = "../../tests/api/accounts.rs"]
mod accounts;
#[path = "../../tests/api/book.rs"]
mod book;
mod pages;
#[path = "../../tests/api/table.rs"]
mod table;

use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::Request;
use futures_util::future::join_all;
use quorate_kernel::command::{Act, Actor, NewPost, typed};
use quorate_kernel::ids::Id;
use quorate_kernel::{EventSeq, GameId, Name, PlayerId, PostId, Span};
use quorate_runtime::{Answer, CommandSender};
use quorate_server::ServerConfig;
use serde_json::{Value as Json, json};
use table::Table;

const PLAYERS: usize = 60;

/// How many comments stand under each post.
const COMMENTS: u64 = 49;

/// How often a thing is done to find the middle.
const RUNS: usize = 11;

/// A game with a past.
struct Town {
    table: Table,
    anna: String,
    game: GameId,
    people: Vec<PlayerId>,
    keys: u64,
}

#[tokio::main]
async fn main() {
    let is_long = std::env::args().any(|argument| argument == "--long");
    let event_count = if is_long { 500_000 } else { 50_000 };
    let town = Town::of(event_count).await;
    let bare = town
        .middle(async |town, run| town.preview(&json!([]), run).await)
        .await;
    report(
        "nothing tried, the way there and back",
        bare,
        "the measure of the rest",
    );
    let changes = town.amendment(12).await;
    let check = town
        .middle(async |town, run| town.preview(&changes, run).await)
        .await;
    report(
        "check and effect report of a proposal alone",
        check,
        "300 ms",
    );
    let post = town.propose(&changes).await;
    // Two are all that one player may have pending.
    town.propose(&json!([{ "do": "set_value", "thing": "Player 1", "name": "might", "value": 1 }]))
        .await;
    let short = town
        .middle(async |town, _| town.page(&format!("/post/{post}")).await)
        .await;
    report("the proposal's page with its short report", short, "300 ms");
    let again = time(town.page(&format!("/post/{post}"))).await.1;
    report(
        "the same once more within the minute",
        again,
        "no budget of its own",
    );
    let whole = town
        .middle(async |town, _| town.page(&format!("/post/{post}/effects")).await)
        .await;
    report(
        "the whole report, queue and a trial round with it",
        whole,
        "3 s, and it says so",
    );
    let tests = time(town.page(&format!("/post/{post}/effects/tests")))
        .await
        .1;
    report(
        "the rules' tests under the new law",
        tests,
        "10 s, and it says so",
    );
    pages::measure(&town).await;
}

impl Town {
    async fn of(event_count: usize) -> Self {
        let table = Table::with(
            ServerConfig::default(),
            vec![book::read("adventurers-2019")],
        )
        .await;
        let anna = table.token("Player 0", false).await;
        let new = json!({ "rulebook": "adventurers-2019", "title": "A big game" });
        let founded = table.post("/games", &new).by(&anna).gives(201).await;
        let game = founded["game"]
            .as_str()
            .expect("a word")
            .parse()
            .expect("a word");
        let mut town = Self {
            table,
            anna,
            game,
            people: Vec::new(),
            keys: 0,
        };
        town.people.push(Self::first());
        for n in 1..PLAYERS {
            town.let_in(n).await;
        }
        town.fill(event_count).await;
        town
    }

    fn first() -> PlayerId {
        PlayerId(Id::new(EventSeq(1), 0))
    }

    async fn send(&mut self, actor: Actor, act: Act) -> quorate_kernel::EventSeq {
        self.keys += 1;
        let key = Name::from(format!("b{}", self.keys));
        let games = &self.table.site().deps.games;
        let sender = CommandSender::staying();
        match games.send_for(&self.game, actor, key, act, sender).await {
            Ok(Answer::Kept(receipt)) => receipt.seq,
            other => panic!("{other:?}"),
        }
    }

    async fn let_in(&mut self, n: usize) {
        let apply = Act::Apply {
            name: typed(&format!("Player {n}")),
            text: typed("Let me in."),
        };
        let asked = self.send(Actor::Newcomer, apply).await;
        let new = PlayerId(Id::new(asked, 0));
        let thing = quorate_kernel::Value::Thing(quorate_kernel::Thing::Player(new));
        let admit = Act::Do {
            action: "admit-player".into(),
            args: vec![("applicant".into(), thing)],
        };
        self.send(Actor::Player(self.people[0]), admit).await;
        self.people.push(new);
    }

    /// Story posts, each with many comments at once, until there are so many events.
    async fn fill(&mut self, event_count: usize) {
        let mut last = 0;
        while last < event_count as u64 {
            let story = NewPost::plain(
                "Story",
                "A matter of some weight",
                "Whereas much is to be said, little is.",
            );
            let author = Actor::Player(self.people[usize::try_from(last).unwrap_or(0) % PLAYERS]);
            let seq = self.send(author, Act::Post(Box::new(story))).await;
            let post = PostId(Id::new(seq, 0));
            let games = &self.table.site().deps.games;
            let first = self.keys + 1;
            self.keys += COMMENTS;
            let comments = (first..=self.keys).map(|key| {
                let who = self.people[usize::try_from(key).unwrap_or(0) % PLAYERS];
                let text = typed("A remark in passing.");
                let act = Act::Comment { post, text };
                games.send_for(
                    &self.game,
                    Actor::Player(who),
                    Name::from(format!("b{key}")),
                    act,
                    CommandSender::staying(),
                )
            });
            for answer in join_all(comments).await {
                match answer {
                    Ok(Answer::Kept(receipt)) => last = last.max(receipt.seq.0),
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    /// A change of a rule's prose and code.
    async fn amendment(&self, health: u32) -> Json {
        let path = format!("/games/{}/rules/health", self.game.as_str());
        let rule = self.table.get(&path).gives(200).await;
        let text = rule["rule"]["text"].as_str().expect("a text");
        let text = text
            .replace(
                "tracker, 10 at first",
                &format!("tracker, {health} at first"),
            )
            .replace("HEALTHY = 10", &format!("HEALTHY = {health}"));
        json!([{ "do": "replace_rule", "id": "health", "text": text }])
    }

    async fn propose(&self, changes: &Json) -> String {
        let post = json!({ "category": "Proposal", "title": "A change", "body": "So be it.", "changes": changes });
        let path = format!("/games/{}/posts", self.game.as_str());
        let made = self
            .table
            .post(&path, &post)
            .by(&self.anna)
            .gives(201)
            .await;
        made["post"].as_str().expect("a post").to_owned()
    }

    /// What changes would do, tried anew each time.
    async fn preview(&self, changes: &Json, _: usize) {
        let path = format!("/games/{}/preview", self.game.as_str());
        let call = self.table.post(&path, &json!({ "changes": changes }));
        call.by(&self.anna).gives(200).await;
    }

    async fn page(&self, path: &str) {
        let request = Request::get(format!("/g/{}{path}", self.game.as_str()));
        let request = request.body(Body::empty()).expect("a request");
        let response = self.table.send(request).await;
        assert_eq!(response.status(), 200, "{path}");
        to_bytes(response.into_body(), 1 << 24)
            .await
            .expect("a page");
    }

    /// The middle one of so many runs, each in a minute of its own, so that nothing is kept from the one before.
    async fn middle(&self, mut work: impl AsyncFnMut(&Self, usize)) -> Duration {
        let mut times = Vec::new();
        for run in 0..RUNS {
            self.table.pass(Span::minutes(1));
            times.push(time(work(self, run)).await.1);
        }
        times.sort_unstable();
        times[RUNS / 2]
    }
}

async fn time<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let start = now();
    let done = work.await;
    (done, now() - start)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark has to look at a stopwatch"
)]
fn now() -> Instant {
    Instant::now()
}

/// Prints one line of the report.
#[expect(
    clippy::print_stdout,
    reason = "the report is what this program is for"
)]
fn report(what: &str, found: Duration, budget: &str) {
    println!(
        "{what:<58} {:>12}   budget: {budget}",
        format!("{found:.1?}")
    );
}
