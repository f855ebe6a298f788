//! What rules tell their players, and what their clocks put on calendars.

use axum::body::Body;
use axum::http::Request;
use quorate_kernel::Span;
use quorate_notices::kind::{NoticeKind, Pace};
use quorate_notices::outbox::LetterStanding;
use serde_json::json;

use super::Post;

const CRIER: &str = r#"# The Crier

1. The next Tide is tracked. {A player} may turn it: it comes in five hours.

```starlark
tide = moment("Next Tide", of = game, tracked = "sidebar")

def turn_tide(actor: Player):
    game.tide = now + hours(5)

action("turn-tide", turn_tide, title = "Turn the Tide")
```

2. {A player} may have the Crier tell every other {player} something, as often as they like.

```starlark
def cry(actor: Player, words: str, times: int):
    for p in players():
        if p != actor:
            for nth in range(times):
                message(p, f"{words} {nth}")

action("cry", cry, title = "Cry")
```

3. Each {player} has Doom, which nobody knows, and the Crier's Bell has a keeper. {A player} may curse another, or hand the Bell on.

```starlark
doom = number("Doom", of = player, default = 0, tracked = "tracker", shown_to = "nobody")
keeper = reference("Keeper of the Bell", player, of = game, tracked = "sidebar")

def curse(actor: Player, who: Player):
    who.doom += 1

def hand_on(actor: Player, who: Player):
    game.keeper = who

action("curse", curse, title = "Curse")
action("hand-on", hand_on, title = "Hand on the Bell")
```
"#;

/// A game that has a crier, and Bert to be reached by mail. Dan acts in it: Anna leads the dynasty, and its rules count her out.
async fn with_crier() -> Post {
    let mut post = Post::open().await;
    post.game = post.game.and_rule("crier", "The Crier", CRIER).await;
    // What was before is no news to whoever is told from now on.
    post.round().await;
    let channel = post.by_mail("Bert").await;
    let (kind, off) = (NoticeKind::Closed, Pace::Off);
    let chosen = post.outbox().choose(channel.account, None, kind, off);
    chosen.await.unwrap();
    post
}

/// Bert hears at once of what others do to him.
async fn touched_at_once(post: &Post) {
    let account = post.account("Bert").await;
    let (kind, once) = (NoticeKind::Touched, Pace::AtOnce);
    let chosen = post.outbox().choose(account, None, kind, once);
    chosen.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_given_and_taken_is_told_to_both_sides() {
    let post = with_crier().await;
    touched_at_once(&post).await;
    let hand_on = async |to: &str| {
        let who = json!({ "who": to });
        post.game.act(&post.game.others[1], "hand-on", who).await;
        post.round().await;
        let texts = post.mail.read(|mail| {
            let subject = mail.subject().unwrap().to_owned();
            (subject, mail.body_text(0).unwrap().into_owned())
        });
        post.mail.forget();
        texts
    };
    for (to, told) in [("Bert", "→ Bert"), ("Cora", "Bert → Cora")] {
        let texts = hand_on(to).await;
        let [(subject, text)] = texts.as_slice() else {
            panic!("{to}: {texts:?}");
        };
        let is_said = subject.contains("Dan") && subject.contains("Hand on the Bell");
        assert!(is_said, "{subject}");
        let line = "Keeper of the Bell: ";
        assert!(text.contains(line) && text.contains(told), "{text}");
        assert!(text.contains("The Crier, clause 3"), "{text}");
    }
    assert_eq!(hand_on("Dan").await, [], "it is no longer his");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_may_know_leaves_no_trace_on_the_page_either() {
    let post = with_crier().await;
    let curse = async || {
        let who = json!({ "who": "Bert" });
        post.game.act(&post.game.others[1], "curse", who).await;
    };
    // In the digest of tomorrow, which tells nothing of it.
    curse().await;
    assert_eq!(post.round().await, 0);
    touched_at_once(&post).await;
    curse().await;
    post.round().await;
    assert_eq!(post.mail.count(), 0);
    let account = post.account("Bert").await;
    let channel = post.outbox().channels_of(account).await.unwrap()[0].id;
    let letters = post.outbox().letters_of(channel, 9).await.unwrap();
    let standings: Vec<LetterStanding> = letters.iter().map(|it| it.standing).collect();
    assert_eq!(standings, [LetterStanding::Moot, LetterStanding::Waiting]);
    for path in ["/notices".to_owned(), format!("/notices?way={}", channel.0)] {
        let page = post.page("Bert", &path).await.1;
        assert!(page.contains("bert@post.example"), "{page}");
        assert!(
            !page.contains(&format!("{} event", post.game.word)),
            "{page}"
        );
    }
}

async fn cry(post: &Post, times: u64) {
    let cry = json!({ "words": "Hear me", "times": times });
    post.game.act(&post.game.others[1], "cry", cry).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_rule_sends_says_which_clause_sent_it() {
    let post = with_crier().await;
    cry(&post, 1).await;
    assert_eq!(post.round().await, 1);
    let texts = post.mail.read(|mail| {
        let subject = mail.subject().unwrap().to_owned();
        (subject, mail.body_text(0).unwrap().into_owned())
    });
    let (subject, text) = &texts[0];
    assert_eq!(subject, "[The Wilds] The Wilds wrote to you");
    assert!(text.contains("Hear me 0"), "{text}");
    let clause = format!(
        "The Crier, clause 2: https://nomic.example/g/{}/rules",
        post.game.word
    );
    assert!(text.contains(&clause), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_rules_send_beyond_their_budget_comes_in_the_digest_of_the_day() {
    let post = with_crier().await;
    cry(&post, 9).await;
    assert_eq!(post.round().await, 1, "five messages on one channel");
    assert_eq!(post.mail.count(), 5, "of one event five are told");
    for _ in 0..7 {
        cry(&post, 5).await;
    }
    while post.round().await > 0 {}
    let told = post.mail.count();
    assert_eq!(told, 25, "Dan's cries went to four players, 100 in all");
    for _ in 0..2 {
        let cry = json!({ "words": "Hear me too", "times": 5 });
        post.game.act(&post.game.others[2], "cry", cry).await;
    }
    while post.round().await > 0 {}
    assert_eq!(post.mail.count(), 30, "so many reach one player in a day");
    post.mail.forget();
    post.game.table.pass(Span::hours(24));
    while post.round().await > 0 {}
    let subjects = post.mail.read(|mail| mail.subject().unwrap().to_owned());
    assert_eq!(subjects, ["[The Wilds] 20 notices"], "nothing is lost");
    post.mail.forget();
    cry(&post, 1).await;
    post.round().await;
    assert_eq!(post.mail.count(), 1, "it is another day");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_tells_a_hundred_and_counts_the_others() {
    let post = with_crier().await;
    let account = post.account("Bert").await;
    let (kind, daily) = (NoticeKind::Message, Pace::Daily);
    let chosen = post.outbox().choose(account, None, kind, daily);
    chosen.await.unwrap();
    for _ in 0..30 {
        cry(&post, 5).await;
    }
    assert_eq!(post.round().await, 0);
    post.game.table.pass(Span::hours(24));
    assert_eq!(post.round().await, 1);
    let texts = post
        .mail
        .read(|mail| mail.body_text(0).unwrap().into_owned());
    let [text] = texts.as_slice() else {
        panic!("{} mails", texts.len());
    };
    assert_eq!(text.matches("* The Wilds wrote to you").count(), 100);
    assert!(text.contains("* And 50 more"), "{text}");
    assert_eq!(post.round().await, 0, "all of them were told");
    let channels = post.outbox().channels_of(account).await.unwrap();
    let letters = post.outbox().letters_of(channels[0].id, 999).await.unwrap();
    let is_sent = letters.iter().all(|it| it.standing == LetterStanding::Sent);
    assert!(is_sent && letters.len() == 150, "{}", letters.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_has_what_the_tracker_has_a_time_for_and_when_the_game_rests() {
    let post = with_crier().await;
    let dan = &post.game.others[1];
    post.game.act(dan, "turn-tide", json!({})).await;
    let made = post.form("Bert", "/notices/feed", "").await.1;
    let at = made.find("https://nomic.example/feeds/").unwrap();
    let end = made[at..].find("needs.atom").unwrap();
    let path = made[at..at + end].trim_start_matches("https://nomic.example");
    let request = Request::get(format!("{path}calendar.ics"));
    let calendar = post.bare(request.body(Body::empty()).unwrap()).await.1;
    let calendar = calendar.replace("\r\n ", "");
    let entry = |summary: &str| {
        let entries = calendar.split("BEGIN:VEVENT").skip(1);
        let mut found = entries.filter(|entry| entry.contains(summary));
        let one = found.next().unwrap_or_else(|| panic!("{calendar}"));
        assert!(found.next().is_none(), "{calendar}");
        one
    };
    let tide = entry("SUMMARY:The Wilds: Next Tide");
    let due = post.game.table.site().now() + Span::hours(5);
    let ((year, month, day), (hour, ..)) = (due.date(), due.clock());
    let start = format!("DTSTART:{year:04}{month:02}{day:02}T{hour:02}0000Z");
    assert!(tide.contains(&start), "{tide}");
    let rests = entry("SUMMARY:The Wilds: downtime");
    assert!(rests.contains("DTSTART:20311224T000000Z"), "{rests}");
    assert!(rests.contains("DTEND:20311227T000000Z"), "{rests}");
    // While it lasts, it is still known when it began.
    post.game.table.pass(Span::days(236));
    let request = Request::get(format!("{path}calendar.ics"));
    let later = post.bare(request.body(Body::empty()).unwrap()).await.1;
    assert!(later.contains("DTSTART:20311224T000000Z"), "{later}");
    assert!(!later.contains("Next Tide"), "it is over: {later}");
}
