//! Pictures: sent over the API and by a form, shown to whom they are for, and what is sent instead of them refused.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use quorate_engine::pictures;
use quorate_server::security::session::SessionToken;
use serde_json::{Value as Json, json};

use crate::Game;
use crate::reader::{ask, get};

/// A rule by which players show their face, and keep one that only they see.
const FACES: &str = r#"# Faces

1. Every {player} may have a Face, which all see, and a Dream, which is theirs alone.

```starlark
face = image("Face", of = player)
dream = image("Dream", of = player, shown_to = "owner")

def pose(actor: Player, face: Picture, dream: Picture | None = None):
    require(face.width == 80 and face.height == 80, "a face of 80 by 80 pixels", have = f"{face.width} by {face.height}")
    require(len([p for p in everyone() if p.face == face]) == 0, "a face of your own")
    actor.face = face
    actor.dream = dream

action("pose", pose, title = "Pose")
```
"#;

/// A file of such a picture, as somebody has it on their disk.
fn file(side: u16, seed: u64) -> Vec<u8> {
    pictures::file(&pictures::drawn(side, side, seed)).unwrap()
}

async fn pose(game: &Game, token: &str, arguments: Json, status: u16) -> Json {
    let wish = json!({ "action": "pose", "arguments": arguments });
    game.post("/acts", &wish).by(token).gives(status).await
}

fn pictures_in(page: &str) -> Vec<String> {
    let found = page.split(r#"<img class="pic" src=""#).skip(1);
    found
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_sent_over_the_api_and_seen_by_those_it_is_for() {
    let game = Game::with_rule("faces", "Faces", FACES).await;
    let sent =
        json!({ "face": pictures::sent(&file(80, 1)), "dream": pictures::sent(&file(80, 2)) });
    pose(&game, &game.bert, sent.clone(), 201).await;
    let (bert, stranger) = (
        game.table.session("Bert").await,
        SessionToken::fresh().unwrap(),
    );
    let tracker = format!("/g/{}/tracker", game.word);
    let own = pictures_in(&get(&game, &bert, &tracker).await.text());
    let seen = pictures_in(&get(&game, &stranger, &tracker).await.text());
    assert_eq!((own.len(), seen.len()), (2, 1), "{own:?} {seen:?}");
    for (path, who, may) in [
        (&own[0], &bert, true),
        (&own[1], &bert, true),
        (&seen[0], &stranger, true),
    ] {
        let got = get(&game, who, path).await;
        assert_eq!(got.status.is_success(), may, "{path}");
        assert_eq!(got.header("content-type"), "image/png");
        assert_eq!(got.header("x-content-type-options"), "nosniff");
        assert_eq!(
            got.header("cache-control"),
            "private, max-age=31536000, immutable"
        );
        assert!(got.body.starts_with(b"\x89PNG"));
    }
    let dream = own.iter().find(|path| path.contains("/dream/")).unwrap();
    assert_eq!(
        get(&game, &stranger, dream).await.status,
        StatusCode::NOT_FOUND
    );
    let other = format!("{}0", &own[0][..own[0].len() - 1]);
    for path in [other.as_str(), "/g/none/picture/player:2/face/ab"] {
        assert_eq!(
            get(&game, &bert, path).await.status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
    let held = game.held(None, "player:2", "face").await["value"].clone();
    assert_eq!((&held["width"], &held["height"]), (&json!(80), &json!(80)));
    assert_eq!(
        game.held(None, "player:2", "dream").await["value"],
        Json::Null
    );
    // The same again is somebody else's.
    pose(&game, &game.anna, sent, 409).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_picture_is_refused_with_what_it_is() {
    let game = Game::with_rule("faces", "Faces", FACES).await;
    let svg = br#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#;
    let mut broken = file(80, 1);
    broken.truncate(70);
    for (sent, says) in [
        (pictures::sent(svg), "neither PNG"),
        (pictures::sent(b"hello"), "neither PNG"),
        (pictures::sent(&broken), "broken"),
        ("<script>".to_owned(), "base64"),
        (
            pictures::sent(&vec![0; pictures::FILE_MAX + 1]),
            "more than",
        ),
    ] {
        let told = pose(&game, &game.bert, json!({ "face": sent }), 422).await;
        assert!(told.to_string().contains(says), "{says}: {told:#}");
    }
    let told = pose(
        &game,
        &game.bert,
        json!({ "face": pictures::sent(&file(64, 1)) }),
        409,
    )
    .await;
    assert!(told.to_string().contains("64 by 64"), "{told:#}");
    assert_eq!(
        game.held(None, "player:2", "face").await["value"],
        Json::Null
    );
}

/// A form as browsers send it where a file goes along.
pub(crate) fn form(parts: &[(&str, Option<&str>, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, content) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"\r\nContent-Type: text/html"));
        let head = format!(
            "--edge\r\nContent-Disposition: form-data; name=\"{name}\"{}\r\n\r\n",
            file.unwrap_or_default()
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--edge--\r\n");
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_sent_by_a_form_of_the_site() {
    let game = Game::with_rule("faces", "Faces", FACES).await;
    let bert = game.table.session("Bert").await;
    let act = format!("/g/{}/act", game.word);
    let page = get(&game, &bert, &act).await.text();
    assert!(page.contains(r#"enctype="multipart/form-data""#));
    assert!(
        page.contains(r#"<input type="file" accept="image/png,image/jpeg,image/gif,image/webp""#)
    );
    let token = game.table.site().csrf.issue(&bert).unwrap();
    let send = async |body: Vec<u8>| {
        let request = Request::post(format!("{act}/pose"))
            .header(header::CONTENT_TYPE, "multipart/form-data; boundary=edge");
        ask(&game, &bert, request.body(Body::from(body)).unwrap()).await
    };
    let csrf = ("csrf", None, token.as_bytes());
    let face: &[u8] = &file(80, 1);
    let forged = send(form(&[
        ("csrf", None, b"none"),
        ("face", Some("a.png"), face),
    ]))
    .await;
    assert_eq!(forged.status, StatusCode::FORBIDDEN);
    let torn = form(&[csrf, ("face", Some("a.png"), face)]);
    let torn = send(torn[..torn.len() / 2].to_vec()).await;
    assert!(torn.status.is_client_error(), "{}", torn.status);
    let vast = vec![0; 3 * 1024 * 1024];
    let vast = send(form(&[csrf, ("face", Some("a.png"), &vast)])).await;
    assert!(vast.status.is_client_error(), "{}", vast.status);
    let page = send(form(&[
        csrf,
        ("face", Some("a.png"), b"<script>alert(1)</script>"),
    ]))
    .await;
    assert!(page.status.is_client_error(), "{}", page.status);
    assert!(page.text().contains("neither PNG") && !page.text().contains("<script>alert"));
    assert_eq!(
        game.held(None, "player:2", "face").await["value"],
        Json::Null
    );
    let none = ("dream", Some(""), &b""[..]);
    let done = send(form(&[
        csrf,
        ("face", Some("../../etc/passwd"), face),
        none,
    ]))
    .await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{}", done.text());
    assert_eq!(
        game.held(None, "player:2", "face").await["value"]["width"],
        80
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_operator_withholds_is_gone_and_the_log_says_so() {
    let game = Game::with_rule("faces", "Faces", FACES).await;
    let sent =
        json!({ "face": pictures::sent(&file(80, 1)), "dream": pictures::sent(&file(80, 2)) });
    let posed = pose(&game, &game.bert, sent, 201).await;
    let event = posed["event"]["seq"].as_u64().unwrap();
    game.table.token("Olga", true).await;
    let (olga, bert) = (
        game.table.session("Olga").await,
        game.table.session("Bert").await,
    );
    let tracker = format!("/g/{}/tracker", game.word);
    let seen = pictures_in(&get(&game, &bert, &tracker).await.text());
    let withhold = async |who: &SessionToken, form: String| {
        let csrf = game.table.site().csrf.issue(who).unwrap();
        let request = Request::post("/operator/withhold")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        let body = format!("csrf={csrf}&game={}&{form}", game.word);
        let got = ask(&game, who, request.body(Body::from(body)).unwrap()).await;
        (got.status, got.text())
    };
    let form = format!("event={event}&why=not+fit+to+be+seen");
    let (status, _) = withhold(&bert, form.clone()).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    for (wrong, says) in [
        (format!("event={event}"), "Say why"),
        ("event=1&why=x".to_owned(), "Nothing was written"),
    ] {
        let (status, page) = withhold(&olga, wrong).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(page.contains(says), "{page}");
    }
    let (status, page) = withhold(&olga, form.clone()).await;
    assert_eq!(status, StatusCode::SEE_OTHER, "{page}");
    let face = seen.iter().find(|path| path.contains("/face/")).unwrap();
    assert_eq!(get(&game, &bert, face).await.status, StatusCode::NOT_FOUND);
    assert!(!pictures_in(&get(&game, &bert, &tracker).await.text()).contains(face));
    let held = game.held(None, "player:2", "face").await["value"].clone();
    assert_eq!(held["width"], 80, "the law still knows that there was one");
    let mark = format!("/g/{}/log/{}", game.word, event + 1);
    let told = get(&game, &bert, &mark).await.text();
    assert!(told.contains("not fit to be seen"), "{told}");
    let (status, page) = withhold(&olga, form).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(page.contains("Nothing was written"), "{page}");
}
