//! Notices from the event to the receiver: mail to a mail server, requests to an address, and answers back.

mod answers;
mod exim;
mod feeds;
mod held;
mod mailbox;
mod push;
mod rules;
mod sent;
pub(crate) mod stand_in;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use quorate_notices::kind::{NoticeKind, Pace};
use quorate_notices::outbox::{Channel, ChannelAudience, ChannelSort, NewChannel, Outbox};
use quorate_runtime::ports::AccountId;
use quorate_server::{Courier, Mail, Mailbox, ServerConfig};
use serde_json::json;

use crate::Game;
use crate::table::Table;
use stand_in::{MailServer, WebServer};

/// A game whose players can be reached.
struct Post {
    game: Game,
    mail: MailServer,
    web: WebServer,
    courier: Courier,
}

/// Ways for mail other than the mail server that stands in.
#[derive(Default)]
struct MailWays {
    server: Option<String>,
    /// From where answers are fetched.
    mailbox: Option<Mailbox>,
}

impl Post {
    async fn open() -> Self {
        Self::open_with(MailWays::default()).await
    }

    /// The same, with other ways for mail.
    async fn open_with(ways: MailWays) -> Self {
        let mail = MailServer::start().await;
        let server = ways.server.as_ref().unwrap_or(&mail.address);
        let from = "Quorate <games@nomic.example>";
        let by = Mail::by_server(from, server, None, "https://nomic.example").unwrap();
        let config = ServerConfig {
            address: Some("https://nomic.example".to_owned()),
            mail: Some(by.with_replies(Some("reply@nomic.example")).unwrap()),
            mailbox: ways.mailbox,
            hooks_to_loopback: true,
            ..ServerConfig::default()
        };
        let game = Game::of_six_at(Table::of(config).await).await;
        let courier = Courier::new(game.table.site()).unwrap();
        courier.round().await.unwrap();
        Self {
            game,
            mail,
            web: WebServer::start().await,
            courier,
        }
    }

    fn outbox(&self) -> &dyn Outbox {
        &**self.game.table.site().deps.outbox.as_ref().unwrap()
    }

    async fn account(&self, name: &str) -> AccountId {
        let accounts = &self.game.table.site().deps.accounts;
        accounts.account_by_name(name).await.unwrap().unwrap().id
    }

    /// Somebody can be reached by mail. What the rules ask of them besides is another test's.
    async fn by_mail(&self, name: &str) -> Channel {
        let address = format!("{}@post.example", name.to_lowercase());
        let own = ChannelAudience::ALL;
        let channel = self.channel(name, ChannelSort::Mail, &address, own).await;
        let (kind, off) = (NoticeKind::YourMove, Pace::Off);
        let chosen = self.outbox().choose(channel.account, None, kind, off);
        chosen.await.unwrap();
        channel
    }

    /// A room of the game.
    async fn room(&self, sort: ChannelSort, path: &str) -> Channel {
        let kinds = NoticeKind::of_rooms().to_vec();
        let audience = ChannelAudience::Room(self.game.word.parse().unwrap(), kinds);
        let address = format!("{}{path}", self.web.address);
        self.channel("Bert", sort, &address, audience).await
    }

    async fn channel(
        &self,
        name: &str,
        sort: ChannelSort,
        address: &str,
        audience: ChannelAudience,
    ) -> Channel {
        let now = self.game.table.site().now();
        let channel = NewChannel {
            account: self.account(name).await,
            audience,
            sort,
            address: address.to_owned(),
            secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned(),
            made_at: now,
            confirmed_at: Some(now),
        };
        let id = self.outbox().make_channel(&channel).await.unwrap();
        self.outbox().channel(id).await.unwrap().unwrap()
    }

    async fn round(&self) -> usize {
        self.courier.round().await.unwrap()
    }

    /// Anna proposes something; gives the post.
    async fn proposal(&self, title: &str) -> String {
        let new = json!({ "category": "Proposal", "title": title, "body": "Each gets *two*." });
        let made = self
            .game
            .post("/posts", &new)
            .by(&self.game.anna)
            .gives(201)
            .await;
        made["post"].as_str().unwrap().to_owned()
    }

    /// Says something under a post.
    async fn comment(&self, token: &str, post: &str, text: &str) {
        let path = format!("/posts/{post}/comments");
        let comment = json!({ "text": text });
        self.game.post(&path, &comment).by(token).gives(201).await;
    }

    /// A request without a session.
    async fn bare(&self, request: Request<Body>) -> (StatusCode, String) {
        let answer = self.game.table.send(request).await;
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), 1 << 20).await.unwrap();
        (status, String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A form of somebody's.
    async fn form(&self, name: &str, path: &str, form: &str) -> (StatusCode, String) {
        let session = self.game.table.session(name).await;
        let csrf = self.game.table.site().csrf.issue(&session).unwrap();
        let request = Request::post(path)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::COOKIE, self.game.table.cookie(&session))
            .body(Body::from(format!("csrf={csrf}&{form}")))
            .unwrap();
        self.bare(request).await
    }

    /// A page as somebody sees it.
    async fn page(&self, name: &str, path: &str) -> (StatusCode, String) {
        let session = self.game.table.session(name).await;
        let request = Request::get(path).header(header::COOKIE, self.game.table.cookie(&session));
        self.bare(request.body(Body::empty()).unwrap()).await
    }
}

#[tokio::test]
async fn the_outbox_of_these_tests_keeps_its_contract() {
    let table = Table::open().await;
    let deps = &table.site().deps;
    let outbox = deps.outbox.as_ref().unwrap();
    quorate_notices::testing::outbox(&**outbox, &*deps.accounts).await;
}
