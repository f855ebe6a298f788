//! Many comments and long ones come in pages; each page is bounded, and every comment is on one.

use axum::body::{Body, to_bytes};
use axum::http::Request;
use scraper::{Html, Selector};
use serde_json::json;

use crate::Game;
use crate::table::ANSWER_BYTES;

async fn drawn(game: &Game, path: &str) -> (usize, Html) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = game.table.send(request).await;
    assert_eq!(response.status(), 200, "{path}");
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
    (
        bytes.len(),
        Html::parse_document(std::str::from_utf8(&bytes).unwrap()),
    )
}

fn ids(page: &Html) -> Vec<String> {
    let comments = Selector::parse("#comment-list > li").unwrap();
    let found = page.select(&comments);
    found
        .map(|one| one.value().attr("id").unwrap().to_owned())
        .collect()
}

/// A post with comments of so many letters each.
async fn post_with(game: &Game, count: usize, letters: usize) -> String {
    let proposal =
        json!({ "category": "Proposal", "title": "Much to say", "body": "Nothing yet." });
    let made = game
        .post("/posts", &proposal)
        .by(&game.anna)
        .gives(201)
        .await;
    let post = made["post"].as_str().unwrap().to_owned();
    for number in 0..count {
        let text = format!("{number} {}", "word ".repeat(letters / 5));
        let path = format!("/posts/{post}/comments");
        game.post(&path, &json!({ "text": text }))
            .by(&game.bert)
            .gives(201)
            .await;
        game.table.pass(quorate_kernel::Span::minutes(1));
    }
    post
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_comments_make_a_page_and_the_newest_is_shown_first() {
    let game = Game::of_six().await;
    let post = post_with(&game, 130, 10).await;
    let place = format!("/g/{}/post/{post}", game.word);
    let (_, newest) = drawn(&game, &place).await;
    let (_, oldest) = drawn(&game, &format!("{place}?comments=1")).await;
    let (last, first) = (ids(&newest), ids(&oldest));
    assert_eq!((first.len(), last.len()), (100, 30));
    let (_, of_one) = drawn(&game, &format!("{place}?comment={}", &first[7][1..])).await;
    assert_eq!(ids(&of_one), first, "a comment is found on its page");

    // The API tells the same, part by part.
    let part = game.get(&format!("/posts/{post}")).gives(200).await;
    let next = part["thread_next"].as_str().unwrap();
    let rest = game
        .get(&format!("/posts/{post}?after={next}"))
        .gives(200)
        .await;
    let all: Vec<String> = [&part, &rest]
        .iter()
        .flat_map(|part| part["thread"].as_array().unwrap())
        .map(|one| format!("c{}", one["id"].as_str().unwrap()))
        .collect();
    assert_eq!(all, [first, last].concat());
    assert!(rest["thread_next"].is_null());
    assert_eq!(part["comments"], 130);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_comments_do_not_make_a_page_longer_than_it_may_be() {
    let game = Game::of_six().await;
    let post = post_with(&game, 12, 250_000).await;
    let place = format!("/g/{}/post/{post}", game.word);
    let mut seen = Vec::new();
    for page in 1..=6 {
        let (bytes, page) = drawn(&game, &format!("{place}?comments={page}")).await;
        assert!(bytes < 700_000, "{bytes} bytes");
        seen.extend(ids(&page));
    }
    assert_eq!(seen.len(), 12);
    let front = drawn(&game, &format!("/g/{}", game.word)).await;
    assert!(front.0 < 700_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_document_does_not_allow_is_refused() {
    let game = Game::of_six().await;
    for (path, place) in [
        ("/events?before=9223372036854775808", "query"),
        ("/events?before=-1", "query"),
        ("/events?limit=0", "query"),
        ("/events?limit=201", "query"),
        ("/posts?limit=101", "query"),
        ("/posts?limit=0", "query"),
        ("/posts?before=x", "query.before"),
    ] {
        let said = game.get(path).gives(422).await;
        assert_eq!(said["place"], place, "{path}: {said}");
    }
    game.get("/events?before=9223372036854775807&limit=200")
        .gives(200)
        .await;
    game.get("/posts?limit=100").gives(200).await;
}

/// The table by which the law reads comments.
const COMMENTS: &str = include_str!("../../../quorate-engine/src/icons/comments.txt");

#[tokio::test(flavor = "multi_thread")]
async fn the_api_tells_the_votes_of_the_table_of_comments() {
    let game = Game::of_six().await;
    let post = post_with(&game, 0, 0).await;
    let path = format!("/posts/{post}/comments");
    let rows = COMMENTS.lines().filter(|line| !line.starts_with("# What"));
    let mut wanted = Vec::new();
    for row in rows {
        let (text, icons) = row.rsplit_once("=>").unwrap();
        let typed = text.strip_suffix(' ').unwrap_or(text);
        let typed = typed.replace("\\n", "\n").replace("\\\\", "\\");
        // Bert leads nobody, and has no veto; the rulebook has an alias of its own.
        let is_other = icons.contains("veto") || typed.contains(":imperial:");
        if is_other || typed.trim().is_empty() {
            continue;
        }
        let comment = json!({ "text": typed });
        game.post(&path, &comment).by(&game.bert).gives(201).await;
        game.table.pass(quorate_kernel::Span::minutes(1));
        wanted.push((typed, icons.trim().to_owned()));
    }
    let mut told = Vec::new();
    let mut part = game.get(&format!("/posts/{post}")).gives(200).await;
    loop {
        told.extend(part["thread"].as_array().unwrap().clone());
        let Some(next) = part["thread_next"].as_str() else {
            break;
        };
        let after = format!("/posts/{post}?after={next}");
        part = game.get(&after).gives(200).await;
    }
    assert_eq!(told.len(), wanted.len());
    for (comment, (text, icons)) in told.iter().zip(&wanted) {
        let names = comment["icons"].as_array().unwrap().iter();
        let names: Vec<_> = names.map(|icon| icon["name"].as_str().unwrap()).collect();
        assert_eq!(names.join(" "), *icons, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_icon_that_is_no_vote_says_why_in_the_api_and_under_its_comment() {
    let game = Game::of_six().await;
    let story = json!({ "category": "Story Post", "title": "A day", "body": "Rain." });
    let made = game.post("/posts", &story).by(&game.anna).gives(201).await;
    let post = made["post"].as_str().unwrap();
    let path = format!("/posts/{post}/comments");
    let text = json!({ "text": "I am :for: more rain." });
    game.post(&path, &text).by(&game.bert).gives(201).await;
    let shown = game.get(&format!("/posts/{post}")).gives(200).await;
    let icon = &shown["thread"][0]["icons"][0];
    assert_eq!(icon["counted"], false);
    let why = icon["why"].as_str().unwrap();
    assert!(why.starts_with("needs a post that is voted on"), "{why}");
    assert!(why.contains(", clause "), "{why}");
    let (_, page) = drawn(&game, &format!("/g/{}/post/{post}", game.word)).await;
    let told: String = page.root_element().text().collect();
    assert!(
        told.contains(&format!("FOR did not count as a vote: {why}.")),
        "{told}"
    );
}
