//! Drafts: kept on the server as somebody writes, on all their devices, and nobody else's.

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use quorate_runtime::ports::AccountId;
use quorate_server::security::session::SessionToken;
use serde_json::json;

use crate::Game;
use crate::table::ANSWER_BYTES;

/// A browser in which somebody is signed in.
struct Device<'a> {
    game: &'a Game,
    cookie: String,
    csrf: String,
}

impl<'a> Device<'a> {
    async fn of(game: &'a Game, name: &str) -> Self {
        let session: SessionToken = game.table.session(name).await;
        let csrf = game.table.site().csrf.issue(&session).unwrap();
        Self {
            game,
            cookie: game.table.cookie(&session),
            csrf,
        }
    }

    async fn get(&self, path: &str) -> String {
        let request = Request::get(format!("/g/{}{path}", self.game.word));
        let request = request.header(header::COOKIE, &self.cookie);
        let response = self.game.table.send(request.body(Body::empty()).unwrap());
        let bytes = to_bytes(response.await.into_body(), ANSWER_BYTES).await;
        String::from_utf8(bytes.unwrap().to_vec()).unwrap()
    }

    /// Sends a form; gives the status and the page.
    async fn post(&self, path: &str, form: &str) -> (u16, String) {
        let csrf: String = form_urlencoded::byte_serialize(self.csrf.as_bytes()).collect();
        let request = Request::post(format!("/g/{}{path}", self.game.word))
            .header(header::COOKIE, &self.cookie)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(format!("csrf={csrf}&{form}")));
        let response = self.game.table.send(request.unwrap()).await;
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await;
        (status, String::from_utf8(bytes.unwrap().to_vec()).unwrap())
    }
}

impl Game {
    async fn id_of(&self, name: &str) -> AccountId {
        let accounts = &self.table.site().deps.accounts;
        let account = accounts.account_by_name(name).await.unwrap();
        account.unwrap().id
    }

    /// How many drafts somebody has in the game.
    async fn drafts_of(&self, name: &str) -> usize {
        let id = self.id_of(name).await;
        let drafts = &self.table.site().deps.drafts;
        let game = self.word.parse().unwrap();
        drafts.drafts(id, &game).await.unwrap().len()
    }
}

const HALF: &str = "draft=new%3DProposal&title=More+lamps&body=Half+a+thought";

#[tokio::test]
async fn what_is_written_on_one_device_is_there_on_the_other_until_it_is_posted() {
    let game = Game::of_six().await;
    let (desk, phone) = (
        Device::of(&game, "Anna").await,
        Device::of(&game, "Anna").await,
    );
    // Scripts keep it as it is written, and ask for no page.
    let (status, body) = desk.post("/drafts", &format!("{HALF}&quiet=yes")).await;
    assert_eq!((status, body.as_str()), (204, ""));
    let form = phone.get("/new/Proposal").await;
    assert!(
        form.contains("Half a thought") && form.contains("value=\"More lamps\""),
        "{form}"
    );
    assert!(form.contains("Your draft, written"));
    // Without scripts a button does, and leads back to the form.
    let (status, _) = phone.post("/drafts", &HALF.replace("Half", "Whole")).await;
    assert_eq!(status, 303);
    assert!(desk.get("/new/Proposal").await.contains("Whole a thought"));
    let list = desk.get("/new").await;
    assert!(
        list.contains("Your drafts") && list.contains("More lamps"),
        "{list}"
    );
    assert_eq!(game.drafts_of("Anna").await, 1, "a form has one draft");
    let told = game.get("/drafts").by(&game.anna).gives(200).await;
    assert_eq!(told["items"][0]["form"], "new=Proposal");
    assert_eq!(
        told["items"][0]["fields"]["body"],
        json!(["Whole a thought"])
    );
    let told = game.get("/drafts").by(&game.bert).gives(200).await;
    assert_eq!(told["items"], json!([]));
    // A preview changes nothing about it, and posting ends it.
    let (status, page) = desk
        .post("/new/Proposal", &format!("{HALF}&do=preview"))
        .await;
    assert!(status == 200 && page.contains("Preview"), "{page}");
    assert_eq!(game.drafts_of("Anna").await, 1);
    let (status, page) = desk.post("/new/Proposal", &format!("{HALF}&do=post")).await;
    assert_eq!(status, 303, "{page}");
    assert_eq!(game.drafts_of("Anna").await, 0);
    assert!(!phone.get("/new/Proposal").await.contains("Half a thought"));
    assert!(!phone.get("/new").await.contains("Your drafts"));
}

#[tokio::test]
async fn a_refused_post_leaves_its_draft() {
    let game = Game::of_six().await;
    let desk = Device::of(&game, "Anna").await;
    let nameless = "draft=new%3DProposal&title=&body=Half+a+thought";
    desk.post("/drafts", nameless).await;
    let (status, page) = desk
        .post("/new/Proposal", &format!("{nameless}&do=post"))
        .await;
    assert_eq!(status, 422, "{page}");
    assert_eq!(game.drafts_of("Anna").await, 1);
}

#[tokio::test]
async fn a_comment_and_an_edit_have_drafts_of_their_own() {
    let game = Game::of_six().await;
    let post = json!({ "category": "Story Post", "title": "A lamp", "body": "It burns." });
    let made = game.post("/posts", &post).by(&game.anna).gives(201).await;
    let post = made["post"].as_str().unwrap();
    let (anna, bert) = (
        Device::of(&game, "Anna").await,
        Device::of(&game, "Bert").await,
    );
    let comment = format!("draft=comment%3D{post}&text=It+burns+well");
    bert.post("/drafts", &comment).await;
    let page = bert.get(&format!("/post/{post}")).await;
    assert!(
        page.contains("It burns well") && page.contains("Your draft, written"),
        "{page}"
    );
    assert!(
        !anna
            .get(&format!("/post/{post}"))
            .await
            .contains("burns well")
    );
    let edit = format!("draft=edit%3D{post}&title=A+lamp&body=It+burns+low.");
    anna.post("/drafts", &edit).await;
    assert!(
        anna.get(&format!("/post/{post}/edit"))
            .await
            .contains("It burns low.")
    );
    let list = anna.get("/new").await;
    assert!(
        list.contains("Edit of a post") && !list.contains("burns well"),
        "{list}"
    );
    let (status, page) = anna
        .post(&format!("/post/{post}/edit"), &format!("{edit}&do=post"))
        .await;
    assert_eq!(status, 303, "{page}");
    assert_eq!(game.drafts_of("Anna").await, 0);
    let (status, page) = bert.post(&format!("/post/{post}/comment"), &comment).await;
    assert_eq!(status, 303, "{page}");
    assert_eq!(game.drafts_of("Bert").await, 0);
}

#[tokio::test]
async fn a_draft_is_deleted_by_its_writer_and_ends_with_the_account() {
    let game = Game::of_six().await;
    let (anna, bert) = (
        Device::of(&game, "Anna").await,
        Device::of(&game, "Bert").await,
    );
    anna.post("/drafts", HALF).await;
    // The same word names Bert's own form, of which there is no draft.
    bert.post("/drafts/delete", "draft=new%3DProposal").await;
    assert_eq!(game.drafts_of("Anna").await, 1);
    let (status, _) = anna
        .post("/drafts/delete", "draft=new%3DProposal&do=start-over")
        .await;
    assert_eq!(status, 303);
    assert_eq!(game.drafts_of("Anna").await, 0);
    anna.post("/drafts", HALF).await;
    // A form that was emptied has no draft.
    anna.post("/drafts", "draft=new%3DProposal&title=&body=")
        .await;
    assert_eq!(game.drafts_of("Anna").await, 0);
    for odd in [
        "",
        "draft=",
        "draft=%2F%2Fevil.example",
        "draft=new%3DA%26do%3Dpost",
    ] {
        let (status, page) = anna.post("/drafts", &format!("{odd}&title=x")).await;
        assert_eq!(status, 400, "{odd}: {page}");
    }
    anna.post("/drafts", HALF).await;
    let id = game.id_of("Anna").await;
    let deps = &game.table.site().deps;
    deps.accounts.erase(id).await.unwrap();
    let word = game.word.parse().unwrap();
    assert_eq!(deps.drafts.drafts(id, &word).await.unwrap(), []);
}

#[tokio::test]
async fn there_is_room_for_fifty_drafts_and_no_more() {
    let game = Game::of_six().await;
    let anna = Device::of(&game, "Anna").await;
    for number in 0..50 {
        let form = format!("draft=new%3DProposal%26from%3D{number}&title=One&quiet=yes");
        assert_eq!(anna.post("/drafts", &form).await.0, 204);
    }
    let (status, page) = anna.post("/drafts", HALF).await;
    assert_eq!(status, 400);
    assert!(page.contains("You have 50 drafts"), "{page}");
    assert_eq!(game.drafts_of("Anna").await, 50);
}
