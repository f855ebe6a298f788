//! Files that are downloaded come whole: with every content coding, to slow readers, and after others closed early.

use std::io::Read;

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode, header};
use futures_util::StreamExt;
use serde_json::json;

use crate::Game;
use crate::table::ANSWER_BYTES;

/// A file as somebody asks for it who takes such codings: what came, decoded.
async fn downloaded(game: &Game, path: &str, cookie: &str, coding: &str) -> (String, Vec<u8>) {
    let response = asked(game, path, cookie, coding).await;
    assert_eq!(response.status(), StatusCode::OK);
    let used = response.headers().get(header::CONTENT_ENCODING);
    let used = used.map_or("", |used| used.to_str().unwrap()).to_owned();
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
    let mut whole = Vec::new();
    match used.as_str() {
        "" => whole.extend_from_slice(&bytes),
        "gzip" => drop(
            flate2::read::GzDecoder::new(&*bytes)
                .read_to_end(&mut whole)
                .unwrap(),
        ),
        "br" => drop(
            brotli::Decompressor::new(&*bytes, 4_096)
                .read_to_end(&mut whole)
                .unwrap(),
        ),
        other => panic!("nobody asked for {other}"),
    }
    (used, whole)
}

async fn asked(game: &Game, path: &str, cookie: &str, coding: &str) -> Response<Body> {
    let request = Request::get(path)
        .header(header::COOKIE, cookie)
        .header(header::ACCEPT_ENCODING, coding);
    game.table.send(request.body(Body::empty()).unwrap()).await
}

/// A game with a long log, and the cookie of the server's operator.
async fn long_game() -> (Game, String) {
    let game = Game::of_six().await;
    for part in 0..20 {
        // Words that do not compress to nothing, more than one piece of the file.
        let words: Vec<_> = (0..2_000)
            .map(|n| format!("{:x}", (n + part) * 2_654_435_761_u64))
            .collect();
        let words = words.join(" ");
        let post =
            json!({ "category": "Story Post", "title": format!("Part {part}"), "body": words });
        game.post("/posts", &post).by(&game.anna).gives(201).await;
        game.table.pass(quorate_kernel::Span::minutes(5));
    }
    game.table.token("Olga", true).await;
    let cookie = game.table.cookie(&game.table.session("Olga").await);
    (game, cookie)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_whole_with_every_coding() {
    let (game, cookie) = long_game().await;
    let path = format!("/operator/backup/{}", game.word);
    let (_, plain) = downloaded(&game, &path, &cookie, "identity").await;
    assert!(
        plain.len() > 4 * 64 * 1_024,
        "it takes several pieces: {}",
        plain.len()
    );
    let heading = plain.split(|byte| *byte == b'\n').next().unwrap();
    let heading: serde_json::Value = serde_json::from_slice(heading).unwrap();
    let lines = plain.split_inclusive(|byte| *byte == b'\n').count();
    assert_eq!(Some(lines as u64 - 1), heading["event_count"].as_u64());
    for (asked, used) in [
        ("gzip", "gzip"),
        ("br", "br"),
        ("gzip, deflate, br, zstd", "br"),
        ("zstd", ""),
    ] {
        let (coding, whole) = downloaded(&game, &path, &cookie, asked).await;
        assert_eq!(coding, used, "for {asked}");
        assert!(
            whole == plain,
            "as {asked}: {} of {} bytes",
            whole.len(),
            plain.len()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn early_closers_and_slow_readers_harm_nobody() {
    let (game, cookie) = long_game().await;
    let path = format!("/operator/backup/{}", game.word);
    let (_, plain) = downloaded(&game, &path, &cookie, "identity").await;
    for coding in ["identity", "gzip", "br"] {
        let mut gone = asked(&game, &path, &cookie, coding)
            .await
            .into_body()
            .into_data_stream();
        assert!(gone.next().await.unwrap().is_ok());
        drop(gone);
        // One that reads a piece, lets everybody else go first, and asks once more after the end.
        let mut slow = asked(&game, &path, &cookie, coding)
            .await
            .into_body()
            .into_data_stream();
        let mut count = 0;
        while let Some(piece) = slow.next().await {
            count += piece.unwrap().len();
            let (_, other) = downloaded(&game, "/help", &cookie, "br").await;
            assert!(!other.is_empty());
        }
        assert!(count > 0);
        assert!(slow.next().await.is_none(), "{coding}");
    }
    let (_, again) = downloaded(&game, &path, &cookie, "br").await;
    assert!(again == plain);
}
