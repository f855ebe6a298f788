//! Pictures in texts: uploaded while somebody writes, seen with the text, and gone with it.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use quorate_engine::pictures;
use quorate_server::security::session::SessionToken;
use serde_json::json;

use crate::Game;
use crate::pictures::form;
use crate::reader::{Got, ask, get};

/// Sends a form with a picture, as a browser does.
async fn upload(game: &Game, who: &SessionToken, fields: &[(&str, &str)], file: &[u8]) -> Got {
    let token = game.table.site().csrf.issue(who).unwrap();
    let mut parts = vec![("csrf", None, token.as_bytes())];
    parts.extend(
        fields
            .iter()
            .map(|(name, value)| (*name, None, value.as_bytes())),
    );
    parts.push(("picture", Some("a.png"), file));
    let request = Request::post(format!("/g/{}/uploads", game.word))
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=edge");
    let request = request.body(Body::from(form(&parts))).unwrap();
    ask(game, who, request).await
}

/// The addresses of pictures on a page, but for those of things.
fn shown(page: &str) -> Vec<String> {
    let found = page.split("<img src=\"").skip(1);
    let found = found.filter_map(|rest| rest.split('"').next());
    found.map(str::to_owned).collect()
}

/// What a draft says in a field.
async fn drafted(game: &Game, token: &str, field: &str) -> String {
    let told = game.get("/drafts").by(token).gives(200).await;
    told["items"][0]["fields"][field][0]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_put_into_a_text_and_seen_by_whoever_reads_it() {
    let game = Game::of_six().await;
    let (anna, bert) = (
        game.table.session("Anna").await,
        game.table.session("Bert").await,
    );
    let file = pictures::file(&pictures::drawn(64, 48, 3)).unwrap();
    let begun = [
        ("draft", "new=Story Post"),
        ("title", "A map"),
        ("body", "Look:"),
    ];
    let shows = [&begun[..], &[("shows", "the [old] pier")]].concat();
    let done = upload(&game, &anna, &shows, &file).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{}", done.text());
    assert!(
        done.header("location").contains("/new/"),
        "back at the form"
    );
    let body = drafted(&game, &game.anna, "body").await;
    assert!(
        body.starts_with("Look:\n\n![the  old  pier](picture:"),
        "{body}"
    );
    let word = body.split("picture:").nth(1).unwrap().trim_end_matches(')');
    let own = format!("/g/{}/uploads/{word}", game.word);
    let got = get(&game, &anna, &own).await;
    assert_eq!(
        (got.status, got.header("content-type")),
        (StatusCode::OK, "image/png")
    );
    assert_eq!(get(&game, &bert, &own).await.status, StatusCode::NOT_FOUND);

    let post = json!({ "category": "Story Post", "title": "A map", "body": body });
    let made = game.post("/posts", &post).by(&game.anna).gives(201).await;
    let post = made["post"].as_str().unwrap();
    let page = format!("/g/{}/post/{post}", game.word);
    let seen = shown(&get(&game, &bert, &page).await.text());
    let [address] = seen.as_slice() else {
        panic!("{seen:?}");
    };
    let got = get(&game, &bert, address).await;
    assert_eq!(got.status, StatusCode::OK);
    assert!(got.body.starts_with(b"\x89PNG"));
    // Under a post that doesn't name it there is none.
    let other = json!({ "category": "Story Post", "title": "Another", "body": "No map." });
    let other = game.post("/posts", &other).by(&game.anna).gives(201).await;
    let other = other["post"].as_str().unwrap();
    let elsewhere = address.replace(&format!("/post/{post}/"), &format!("/post/{other}/"));
    assert_ne!(&elsewhere, address);
    assert_eq!(
        get(&game, &bert, &elsewhere).await.status,
        StatusCode::NOT_FOUND
    );
    // A comment names it too.
    let comment = json!({ "text": format!("![again](picture:{word})") });
    let answer = format!("/posts/{other}/comments");
    game.post(&answer, &comment).by(&game.bert).gives(201).await;
    assert_eq!(get(&game, &bert, &elsewhere).await.status, StatusCode::OK);

    // With the words the picture is gone for good, wherever it was named.
    game.table.token("Olga", true).await;
    let olga = game.table.session("Olga").await;
    let csrf = game.table.site().csrf.issue(&olga).unwrap();
    let request = Request::post("/operator/withhold")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    let wish = format!("csrf={csrf}&game={}&event={post}&why=not+fit", game.word);
    let done = ask(&game, &olga, request.body(Body::from(wish)).unwrap()).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{}", done.text());
    for gone in [address, &elsewhere, &own] {
        assert_eq!(
            get(&game, &anna, gone).await.status,
            StatusCode::NOT_FOUND,
            "{gone}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_picture_leaves_the_text_as_it_was() {
    let game = Game::of_six().await;
    let anna = game.table.session("Anna").await;
    let begun = [
        ("draft", "new=Story Post"),
        ("title", "A map"),
        ("body", "Look:"),
    ];
    for (file, says) in [
        (&b"<svg onload=alert(1)>"[..], "neither PNG"),
        (&vec![0; pictures::FILE_MAX + 1], "more than"),
        (&b""[..], "Choose a picture first"),
    ] {
        let told = upload(&game, &anna, &begun, file).await;
        assert_eq!(told.status, StatusCode::BAD_REQUEST, "{says}");
        assert!(told.text().contains(says), "{says}: {}", told.text());
    }
    let nowhere = upload(&game, &anna, &[("body", "Look:")], b"x").await;
    assert!(nowhere.text().contains("which text"), "{}", nowhere.text());
    let told = game.get("/drafts").by(&game.anna).gives(200).await;
    assert_eq!(told["items"], json!([]), "{told:#}");
}
