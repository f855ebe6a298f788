//! What leaves, when, and to whom.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use quorate_kernel::Span;
use quorate_notices::choice::{Hour, Hours};
use quorate_notices::kind::{NoticeKind, Pace};
use quorate_notices::outbox::{ChannelAudience, ChannelSort, LetterStanding};
use quorate_notices::signature::WebhookSecret;
use serde_json::json;

use super::Post;
use super::stand_in::Manner;

#[tokio::test(flavor = "multi_thread")]
async fn a_matter_asks_those_for_their_vote_who_have_not_voted() {
    let post = Post::open().await;
    for name in ["Anna", "Bert", "Cora"] {
        post.by_mail(name).await;
    }
    let matter = post.proposal("More rope").await;
    let path = format!("/posts/{matter}/comments");
    let vote = json!({ "vote": "for" });
    post.game
        .post(&path, &vote)
        .by(&post.game.others[0])
        .gives(201)
        .await;
    assert_eq!(post.round().await, 2, "Cora's is moot, and Anna wrote it");
    let read = post.mail.read(|mail| {
        let to = mail
            .to()
            .unwrap()
            .first()
            .unwrap()
            .address()
            .unwrap()
            .to_owned();
        (to, mail.subject().unwrap().to_owned())
    });
    let subject = "[The Wilds] Your vote is wanted: More rope".to_owned();
    assert_eq!(read, [("bert@post.example".to_owned(), subject)]);
    let raw = &post.mail.raw()[0];
    assert!(
        raw.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"),
        "{raw}"
    );
    assert!(raw.contains("Auto-Submitted: auto-generated"), "{raw}");
    let texts = post.mail.read(|mail| {
        let text = mail.body_text(0).unwrap().into_owned();
        (text, mail.body_html(0).unwrap().into_owned())
    });
    let (text, html) = &texts[0];
    let link = format!(
        "https://nomic.example/g/{}/post/{matter}#vote",
        post.game.word
    );
    assert!(text.contains(&link), "{text}");
    assert!(html.contains(&link), "{html}");
    // One click leads to where one votes, and whoever has to sign in first comes back there.
    let path = format!("/g/{}/post/{matter}", post.game.word);
    let page = post.page("Bert", &path).await.1;
    assert!(page.contains("id=\"vote\""), "{page}");
    let stranger = Request::get(&path).body(Body::empty()).unwrap();
    let page = post.bare(stranger).await.1;
    let way = format!("/sign-in?next={}", path.replace('/', "%2F"));
    assert!(page.contains(&way), "{page}");
    assert_eq!(post.round().await, 0, "nothing is told twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_click_turns_a_kind_off_without_signing_in() {
    let post = Post::open().await;
    let channel = post.by_mail("Bert").await;
    post.proposal("More rope").await;
    post.round().await;
    let off = post.mail.read(|mail| {
        let text = mail.body_text(0).unwrap();
        let line = text
            .lines()
            .find(|line| line.starts_with("No more of this: "))
            .unwrap();
        line.trim_start_matches("No more of this: https://nomic.example")
            .to_owned()
    });
    let view = Request::get(&off[0]).body(Body::empty()).unwrap();
    assert_eq!(post.bare(view).await.0, StatusCode::OK);
    post.proposal("Less rope").await;
    post.round().await;
    assert_eq!(
        post.mail.count(),
        2,
        "looking at the link turns nothing off"
    );
    let click = Request::post(&off[0])
        .body(Body::from("List-Unsubscribe=One-Click"))
        .unwrap();
    assert_eq!(post.bare(click).await.0, StatusCode::OK);
    let choices = post.outbox().choices_of(channel.account).await.unwrap();
    let game = post.game.word.parse().unwrap();
    assert_eq!(choices.pace(&game, NoticeKind::VoteWanted), Pace::Off);
    assert_eq!(choices.pace(&game, NoticeKind::Mentioned), Pace::AtOnce);
    let forged = off[0].replace("vote-wanted", "mentioned");
    let forged = Request::post(forged).body(Body::empty()).unwrap();
    assert_eq!(post.bare(forged).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn quiet_hours_hold_back_and_a_digest_holds_together() {
    let post = Post::open().await;
    let channel = post.by_mail("Bert").await;
    let account = channel.account;
    let hours = Hours {
        quiet: Some((Hour::new(9).unwrap(), Hour::new(17).unwrap())),
        ..Hours::default()
    };
    post.outbox().set_hours(account, &hours).await.unwrap();
    post.proposal("More rope").await;
    post.proposal("Less rope").await;
    assert_eq!(post.round().await, 0, "it is nine in the morning");
    post.game.table.pass(Span::hours(8));
    assert_eq!(post.round().await, 1);
    let subjects = post.mail.read(|mail| mail.subject().unwrap().to_owned());
    assert_eq!(subjects, ["[The Wilds] 2 notices"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_comments_and_what_is_followed_are_told_once_each() {
    let post = Post::open().await;
    for name in ["Anna", "Bert", "Cora"] {
        let channel = post.by_mail(name).await;
        for kind in [NoticeKind::Answered, NoticeKind::Followed] {
            post.outbox()
                .choose(channel.account, None, kind, Pace::AtOnce)
                .await
                .unwrap();
        }
    }
    let matter = post.proposal("More rope").await;
    post.round().await;
    post.mail.forget();
    let form = format!("what=post:{matter}&do=follow");
    let follow = format!("/g/{}/follow", post.game.word);
    assert_eq!(
        post.form("Cora", &follow, &form).await.0,
        StatusCode::SEE_OTHER
    );
    let dan = post.game.others[1].clone();
    post.comment(&dan, &matter, "What does @bert say? And @Cora?")
        .await;
    post.round().await;
    let mut subjects = post.mail.read(|mail| {
        let to = mail
            .to()
            .unwrap()
            .first()
            .unwrap()
            .address()
            .unwrap()
            .to_owned();
        (to, mail.subject().unwrap().to_owned())
    });
    subjects.sort();
    let expected = [
        ("anna@post.example", "[The Wilds] Dan commented: More rope"),
        ("bert@post.example", "[The Wilds] Dan names you: More rope"),
        ("cora@post.example", "[The Wilds] Dan names you: More rope"),
    ];
    let expected = expected.map(|(to, subject)| (to.to_owned(), subject.to_owned()));
    assert_eq!(subjects, expected);

    let chosen = format!("/notices?game={}", post.game.word);
    let page = post.page("Cora", &chosen).await.1;
    assert!(page.contains("<b>More rope</b>"), "{page}");

    post.mail.forget();
    let form = format!("what=post:{matter}&do=mute");
    assert_eq!(
        post.form("Cora", &follow, &form).await.0,
        StatusCode::SEE_OTHER
    );
    post.comment(&dan, &matter, "@Cora, once more").await;
    post.round().await;
    assert_eq!(post.mail.count(), 1, "Anna alone hears of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_and_not_noted_leaves_once_more_under_the_same_name() {
    let post = Post::open().await;
    post.by_mail("Bert").await;
    post.by_mail("Cora").await;
    post.mail.behaves(Manner::FallsSilent);
    post.proposal("More rope").await;
    let courier = post.courier.clone();
    let killed = tokio::spawn(async move { drop(courier.round().await) });
    while post.mail.count() < 2 {
        tokio::task::yield_now().await;
    }
    killed.abort();
    drop(killed.await);
    post.mail.behaves(Manner::Takes);
    // Whoever comes after knows only what was written down.
    let after = quorate_server::Courier::new(post.game.table.site()).unwrap();
    assert_eq!(after.round().await.unwrap(), 2);
    let mut names = post.mail.read(|mail| mail.message_id().unwrap().to_owned());
    names.sort();
    assert_eq!(names.len(), 4);
    assert_eq!((&names[0], &names[2]), (&names[1], &names[3]));
    assert_eq!(after.round().await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_takes_no_mail_is_paused_and_holds_up_nobody() {
    let post = Post::open().await;
    let bert = post.by_mail("Bert").await;
    post.mail.behaves(Manner::Refuses);
    post.proposal("More rope").await;
    post.round().await;
    let channel = post.outbox().channel(bert.id).await.unwrap().unwrap();
    assert!(channel.paused.is_some_and(|why| why.contains("550")));
    post.mail.behaves(Manner::Takes);
    post.by_mail("Cora").await;
    post.proposal("Less rope").await;
    post.round().await;
    assert_eq!(post.mail.count(), 1, "Cora's");
    post.outbox().pause_channel(bert.id, None).await.unwrap();
    post.game.table.pass(Span::minutes(1));
    post.round().await;
    assert_eq!(post.mail.count(), 3, "nothing of Bert's was lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_signed_and_tried_again_until_it_is_taken() {
    let post = Post::open().await;
    let address = format!("{}/hook", post.web.address);
    let own = ChannelAudience::ALL;
    let channel = post
        .channel("Bert", ChannelSort::Webhook, &address, own)
        .await;
    post.web.answers(503);
    post.proposal("More rope").await;
    post.round().await;
    assert_eq!(post.round().await, 0, "it waits a while");
    post.web.answers(204);
    post.game.table.pass(Span::seconds(5));
    assert_eq!(post.round().await, 1);
    let came = post.web.came();
    assert_eq!(came.len(), 2);
    assert_eq!(came[0].header("webhook-id"), came[1].header("webhook-id"));
    let secret = WebhookSecret::read(&channel.secret).unwrap();
    for one in &came {
        let at: i64 = one.header("webhook-timestamp").parse().unwrap();
        let at = quorate_kernel::Moment(at * 1_000);
        let signature = secret.sign(one.header("webhook-id"), at, &one.body);
        assert_eq!(one.header("webhook-signature"), signature);
        assert_eq!(one.json()["data"]["notices"][0]["kind"], "vote-wanted");
    }
    let letters = post.outbox().letters_of(channel.id, 9).await.unwrap();
    assert_eq!(letters[0].standing, LetterStanding::Sent);
    let again = format!("letter={}", letters[0].id.0);
    assert_eq!(
        post.form("Cora", "/notices/again", &again).await.0,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        post.form("Bert", "/notices/again", &again).await.0,
        StatusCode::SEE_OTHER
    );
    assert_eq!(post.round().await, 1);
    post.web.answers(410);
    post.proposal("Less rope").await;
    post.round().await;
    let channel = post.outbox().channel(channel.id).await.unwrap().unwrap();
    assert!(channel.paused.is_some(), "it is gone for good");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_names_a_time_is_left_alone_until_then() {
    let post = Post::open().await;
    let channel = post.room(ChannelSort::Discord, "/hook").await;
    post.web.answers(429);
    post.web.wants_to_wait(120);
    let new = json!({ "category": "Story", "title": "First", "body": "So." });
    let made = post.game.post("/posts", &new).by(&post.game.anna);
    made.gives(201).await;
    post.round().await;
    let kept = post.outbox().channel(channel.id).await.unwrap().unwrap();
    let until = post.game.table.site().now() + Span::minutes(2);
    assert_eq!(kept.held_until, Some(until));
    post.game.table.pass(Span::seconds(119));
    assert_eq!(
        post.round().await,
        0,
        "it waits longer than after no answer"
    );
    post.web.answers(204);
    post.game.table.pass(Span::seconds(1));
    assert_eq!(post.round().await, 1);
    assert_eq!(post.web.came().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_takes_nothing_is_left_alone_and_gets_all_when_it_is_back() {
    let post = Post::open().await;
    let channel = post.room(ChannelSort::Webhook, "/hook").await;
    post.web.answers(503);
    let story = async |title: &str| {
        let new = json!({ "category": "Story", "title": title, "body": "So." });
        let made = post.game.post("/posts", &new).by(&post.game.anna);
        made.gives(201).await;
    };
    for title in ["First", "Second", "Third"] {
        story(title).await;
    }
    post.round().await;
    assert_eq!(post.web.came().len(), 1, "the others wait with the first");
    story("Fourth").await;
    assert_eq!(post.round().await, 0, "what is new waits too");
    let page = post.page("Bert", "/notices").await.1;
    assert!(page.contains("takes nothing now; once more"), "{page}");
    post.game.table.pass(Span::seconds(5));
    post.round().await;
    assert_eq!(post.web.came().len(), 2);
    post.game.table.pass(Span::seconds(5));
    assert_eq!(post.round().await, 0, "the second time it waits longer");
    post.web.answers(204);
    post.game.table.pass(Span::minutes(5));
    assert_eq!(post.round().await, 1);
    let came = post.web.came();
    let headings = came[2..].iter().map(|one| {
        let json = one.json();
        let heading = json["data"]["notices"][0]["heading"].as_str().unwrap();
        heading.to_owned()
    });
    let headings: Vec<String> = headings.collect();
    let all = ["First", "Second", "Third", "Fourth"];
    assert_eq!(headings, all.map(|title| format!("Story Post: {title}")));
    let kept = post.outbox().channel(channel.id).await.unwrap().unwrap();
    assert_eq!((kept.failures, kept.held_until), (0, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_tells_the_kinds_that_its_owner_chose() {
    let post = Post::open().await;
    let form = format!("sort=webhook&address={}/hook", post.web.address);
    let none = post.form("Bert", "/notices/web", &form).await;
    assert_eq!(none.0, StatusCode::BAD_REQUEST);
    let form = format!("{form}&kinds=mentioned&kinds=due-soon");
    let made = post.form("Bert", "/notices/web", &form).await;
    assert_eq!(made.0, StatusCode::OK, "{}", made.1);
    let told = "tells: A question for you runs out soon · Somebody names you with @";
    assert!(made.1.contains(told), "{}", made.1);
    let matter = post.proposal("More rope").await;
    assert_eq!(post.round().await, 0, "votes are not among them");
    post.comment(&post.game.anna, &matter, "@Bert?").await;
    assert_eq!(post.round().await, 1);
    let came = post.web.came();
    assert_eq!(came[0].json()["data"]["notices"][0]["kind"], "mentioned");
    let account = post.account("Bert").await;
    let channels = post.outbox().channels_of(account).await.unwrap();
    let way = format!("/notices?way={}", channels[0].id.0);
    let log = post.page("Bert", &way).await.1;
    assert!(log.contains("Somebody names you with @"), "{log}");
    assert!(log.contains("Send again"), "{log}");
    assert_eq!(post.page("Cora", &way).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn rooms_get_the_news_as_strangers_see_it_each_in_its_own_form() {
    let post = Post::open().await;
    let room = "/_matrix/client/v3/rooms/!a:b.example";
    for (sort, path) in [
        (ChannelSort::Discord, "/discord"),
        (ChannelSort::Slack, "/slack"),
        (ChannelSort::Ntfy, "/reef"),
        (ChannelSort::Matrix, room),
    ] {
        post.room(sort, path).await;
    }
    let matter = post.proposal("More rope").await;
    assert_eq!(post.round().await, 4);
    let came = post.web.came();
    let at = |path: &str| came.iter().find(|one| one.path.starts_with(path)).unwrap();
    let link = format!("https://nomic.example/g/{}/post/{matter}", post.game.word);
    assert_eq!(at("/discord").json()["embeds"][0]["url"], link);
    let slack = at("/slack").json();
    assert!(
        slack["blocks"][0]["text"]["text"]
            .as_str()
            .unwrap()
            .contains(&link)
    );
    let matrix = at(room);
    assert_eq!(matrix.method, Method::PUT);
    assert!(matrix.path.contains("/send/m.room.message/"));
    assert!(matrix.header("authorization").starts_with("Bearer "));
    let ntfy = came.iter().find(|one| one.path == "/").unwrap().json();
    assert_eq!(
        (&ntfy["topic"], &ntfy["click"]),
        (&json!("reef"), &json!(link))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admin_hears_once_when_a_matter_can_be_closed_and_others_what_it_did() {
    let post = Post::open().await;
    let anna = post.by_mail("Anna").await;
    let bert = post.by_mail("Bert").await;
    for (channel, kind) in [(&anna, NoticeKind::Closed), (&bert, NoticeKind::Closed)] {
        post.outbox()
            .choose(channel.account, None, kind, Pace::AtOnce)
            .await
            .unwrap();
    }
    let matter = post.proposal("More rope").await;
    for token in [
        &post.game.bert,
        &post.game.others[0],
        &post.game.others[1],
        &post.game.others[2],
    ] {
        post.comment(token, &matter, ":for:").await;
    }
    post.round().await;
    assert_eq!(post.mail.count(), 0, "all have voted, and it is too early");
    let game = post.game.word.parse().unwrap();
    let next = post.outbox().follow_point(&game).await.unwrap().look_at;
    assert!(next.is_some(), "the law says when it may be closed");
    post.game.table.pass(Span::hours(12));
    assert_eq!(post.round().await, 1);
    let subjects = post.mail.read(|mail| mail.subject().unwrap().to_owned());
    assert_eq!(subjects, ["[The Wilds] Can be closed: More rope"]);
    assert_eq!(post.round().await, 0, "told once");
    post.mail.forget();
    let proposal = json!({ "proposal": format!("post:{matter}") });
    post.game
        .act(&post.game.anna, "enact-proposal", proposal)
        .await;
    post.round().await;
    let told = post.mail.read(|mail| {
        let to = mail
            .to()
            .unwrap()
            .first()
            .unwrap()
            .address()
            .unwrap()
            .to_owned();
        (to, mail.subject().unwrap().to_owned())
    });
    let subject = "[The Wilds] Enacted: More rope".to_owned();
    assert_eq!(told, [("bert@post.example".to_owned(), subject)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admin_hears_who_asks_to_join_and_what_the_rules_ask() {
    let post = Post::open().await;
    let anna = post.by_mail("Anna").await;
    let bert = post.by_mail("Bert").await;
    for channel in [&anna, &bert] {
        let (kind, pace) = (NoticeKind::YourMove, Pace::AtOnce);
        post.outbox()
            .choose(channel.account, None, kind, pace)
            .await
            .unwrap();
    }
    post.round().await;
    post.mail.forget();
    let gus = post.game.table.token("Gus", false).await;
    let asks = post.game.post("/join", &json!({ "text": "Let me in." }));
    asks.by(&gus).gives(201).await;
    post.round().await;
    let told = post.mail.read(|mail| {
        let to = mail.to().unwrap().first().unwrap();
        let to = to.address().unwrap().to_owned();
        (to, mail.subject().unwrap().to_owned())
    });
    let subjects: Vec<&str> = told.iter().map(|(_, subject)| subject.as_str()).collect();
    assert!(
        subjects.contains(&"[The Wilds] Gus asks to join"),
        "{told:?}"
    );
    let duty = "[The Wilds] Add Gus to the roster.";
    assert!(subjects.contains(&duty), "{told:?}");
    assert!(
        told.iter().all(|(to, _)| to == "anna@post.example"),
        "{told:?}"
    );
    post.mail.forget();
    let applicant = json!({ "applicant": "Gus" });
    post.game
        .act(&post.game.anna, "admit-player", applicant)
        .await;
    assert_eq!(post.round().await, 0, "what is done asks for nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_used_once_its_owner_confirms_it() {
    let post = Post::open().await;
    let sent = post
        .form("Bert", "/notices/mail", "address=bert@post.example")
        .await;
    assert_eq!(sent.0, StatusCode::SEE_OTHER, "{}", sent.1);
    while post.mail.count() < 1 {
        tokio::task::yield_now().await;
    }
    post.proposal("More rope").await;
    assert_eq!(
        post.round().await,
        0,
        "nothing goes to an address that nobody confirmed"
    );
    let link = post.mail.read(|mail| {
        let text = mail.body_text(0).unwrap();
        let line = text
            .lines()
            .find(|line| line.contains("/notices/confirm/"))
            .unwrap();
        line.trim()
            .trim_start_matches("https://nomic.example")
            .to_owned()
    });
    let confirm = Request::post(&link[0]).body(Body::empty()).unwrap();
    assert_eq!(post.bare(confirm).await.0, StatusCode::OK);
    assert_eq!(post.round().await, 1);
    let page = post.page("Bert", "/notices").await;
    assert!(page.1.contains("Mail: bert@post.example"), "{}", page.1);
    let own = post
        .form(
            "Bert",
            "/notices/web",
            "sort=webhook&address=http://10.0.0.1/",
        )
        .await;
    assert_eq!(own.0, StatusCode::BAD_REQUEST);
    let zone = "zone=Europe/Berlin&hour=7&day=0&quiet-from=22&quiet-to=6";
    assert_eq!(
        post.form("Bert", "/notices/hours", zone).await.0,
        StatusCode::SEE_OTHER
    );
    let account = post.account("Bert").await;
    let hours = post.outbox().choices_of(account).await.unwrap().hours;
    assert_eq!(hours.zone.name(), "Europe/Berlin");
}
