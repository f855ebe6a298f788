//! Which answer each reader gets at each address, as one table that is read by eye and held to.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use quorate_kernel::command::BUILT_IN;
use serde_json::{Value as Json, json};

use super::readers::{Reader, Role};
use super::routes::{self, Route};
use super::safe;
use super::walk;
use super::world::{Ball, GAME, THESE, book};

/// Where the API takes a command by its name, which stands behind the colon.
const ACTS: &str = "/api/v1/games/{game}/acts:";

/// The columns of the table.
const COLUMNS: [Role; 11] = [
    Role::Stranger,
    Role::Suspended,
    Role::Outsider,
    Role::Neighbour,
    Role::Applicant,
    Role::Player,
    Role::Idle,
    Role::Admin,
    Role::Emperor,
    Role::Operator,
    Role::Keeper,
];

/// The table: a route, then a status for each of the columns. `{what}` stands with its word behind a colon.
const TABLE: &str = include_str!("matrix.txt");

/// Where each form goes and what is filled in: as somebody would who may.
fn forms(ball: &Ball) -> Vec<(&'static str, String, String)> {
    let g = |rest: &str| format!("/g/{GAME}{rest}");
    let post = |rest: &str| format!("/g/{GAME}/post/{}{rest}", ball.posts[1]);
    let cell = format!("cell={}.gold&value=3&why=because", ball.people[3]);
    let letter = format!("to={}&text=Hello", ball.people[2].replace("player:", ""));
    let forms = [
        (
            "/g/{game}/drafts",
            g("/drafts"),
            "draft=new%3DProposal&title=Half+a+thought",
        ),
        (
            "/g/{game}/drafts/delete",
            g("/drafts/delete"),
            "draft=new%3DProposal",
        ),
        (
            "/g/{game}/uploads",
            g("/uploads"),
            "draft=new%3DProposal&title=A+map&picture=none",
        ),
        (
            "/found",
            "/found".into(),
            "rulebook=ball&title=Another&name=Zed",
        ),
        ("/sign-in", "/sign-in".into(), "name=Nobody&password=wrong"),
        (
            "/sign-in/code",
            "/sign-in/code".into(),
            "ticket=none&code=1",
        ),
        (
            "/sign-in/passkey",
            "/sign-in/passkey".into(),
            "credential=bm9uZQ&client=e30&data=AA&signature=AA",
        ),
        (
            "/sign-in/from/{provider}",
            "/sign-in/from/none".into(),
            "arrival=none&name=Zed",
        ),
        ("/sign-out", "/sign-out".into(), ""),
        ("/sign-up", "/sign-up".into(), "name=Hal&password=short"),
        ("/recover", "/recover".into(), "mail=nobody@example.org"),
        (
            "/recover/{code}",
            "/recover/none".into(),
            "password=a+long+password",
        ),
        (
            "/settings/{what}:appearance",
            "/settings/appearance".into(),
            "theme=dark",
        ),
        (
            "/settings/{what}:token",
            "/settings/token".into(),
            "label=x",
        ),
        (
            "/settings/{what}:discord",
            "/settings/discord".into(),
            "admin=on",
        ),
        (
            "/settings/{what}:mail",
            "/settings/mail".into(),
            "mail=dan@example.org&old=wrong",
        ),
        (
            "/settings/{what}:erase",
            "/settings/erase".into(),
            "old=wrong",
        ),
        (
            "/settings/{what}:forget",
            "/settings/forget".into(),
            "old=wrong",
        ),
        (
            "/settings/{what}:end-session",
            "/settings/end-session".into(),
            "session=none",
        ),
        (
            "/settings/{what}:factor",
            "/settings/factor".into(),
            "old=wrong",
        ),
        (
            "/settings/{what}:factor-on",
            "/settings/factor-on".into(),
            "key=none&code=1",
        ),
        (
            "/settings/{what}:password",
            "/settings/password".into(),
            "old=wrong&password=short",
        ),
        (
            "/settings/{what}:revoke",
            "/settings/revoke".into(),
            "token=none",
        ),
        (
            "/settings/{what}:passkey",
            "/settings/passkey".into(),
            "old=wrong",
        ),
        (
            "/settings/{what}:passkey-off",
            "/settings/passkey-off".into(),
            "passkey=bm9uZQ",
        ),
        (
            "/settings/{what}:outside",
            "/settings/outside".into(),
            "provider=none&old=wrong",
        ),
        (
            "/settings/{what}:outside-off",
            "/settings/outside-off".into(),
            "issuer=none&subject=none",
        ),
        (
            "/settings/{what}:factor-off",
            "/settings/factor-off".into(),
            "old=wrong&code=1",
        ),
        ("/settings/{what}:none", "/settings/none".into(), ""),
        (
            "/operator/{what}:remove",
            "/operator/remove".into(),
            "game=the-masked-ball",
        ),
        (
            "/operator/{what}:put-back",
            "/operator/put-back".into(),
            "game=none",
        ),
        (
            "/operator/{what}:invite",
            "/operator/invite".into(),
            "uses=1",
        ),
        (
            "/operator/{what}:recover",
            "/operator/recover".into(),
            "name=Anna",
        ),
        (
            "/operator/{what}:withhold",
            "/operator/withhold".into(),
            "game=the-masked-ball&event=1&why=because",
        ),
        (
            "/notices/{what}:hours",
            "/notices/hours".into(),
            "zone=Asia/Tokyo&hour=7&day=1",
        ),
        (
            "/notices/{what}:mail",
            "/notices/mail".into(),
            "address=dan@example.org",
        ),
        (
            "/notices/{what}:web",
            "/notices/web".into(),
            "sort=webhook&address=https://10.0.0.1/",
        ),
        (
            "/notices/{what}:push",
            "/notices/push".into(),
            "endpoint=https://10.0.0.1/&p256dh=x&auth=y",
        ),
        (
            "/notices/{what}:room",
            "/notices/room".into(),
            "sort=webhook&address=nowhere&kinds=posted",
        ),
        ("/notices/{what}:feed", "/notices/feed".into(), "feed=none"),
        ("/notices/{what}:open", "/notices/open".into(), "channel=0"),
        ("/notices/{what}:again", "/notices/again".into(), "letter=0"),
        ("/notices/{what}:paces", "/notices/paces".into(), ""),
        (
            "/notices/{what}:forget-interest",
            "/notices/forget-interest".into(),
            "what=none",
        ),
        ("/notices/{what}:drop", "/notices/drop".into(), "channel=1"),
        (
            "/g/{game}/follow",
            g("/follow"),
            "what=rule:masks&do=follow",
        ),
        (
            "/operator/{what}:restrain",
            "/operator/restrain".into(),
            "name=Nobody&way=muted&why=because",
        ),
        (
            "/operator/{what}:settle",
            "/operator/settle".into(),
            "report=99",
        ),
        (
            "/g/{game}/report",
            g("/report"),
            "about=player:1&why=because",
        ),
        ("/operator/{what}:clock", "/operator/clock".into(), ""),
        ("/g/{game}/join", g("/join"), "name=Zed&text=Hello"),
        (
            "/g/{game}/new/{category}",
            g("/new/Proposal"),
            "do=post&title=More&body=Of+it",
        ),
        (
            "/g/{game}/post/{post}/edit",
            post("/edit"),
            "do=post&title=A&body=B",
        ),
        (
            "/g/{game}/post/{post}/comment",
            post("/comment"),
            "text=Hello",
        ),
        ("/g/{game}/post/{post}/withdraw", post("/withdraw"), ""),
        (
            "/g/{game}/act/{action}:make-plan",
            g("/act/make-plan"),
            "words=a&stake=2",
        ),
        (
            "/g/{game}/act/{action}/trial:make-plan",
            g("/act/make-plan/trial"),
            "words=a&stake=2",
        ),
        ("/g/{game}/act/{action}:crown", g("/act/crown"), "who=Dan"),
        (
            "/g/{game}/answer/{question}",
            g(&format!("/answer/{}", ball.question)),
            "answer=0",
        ),
        ("/g/{game}/roll", g("/roll"), "line=DICE6"),
        ("/g/{game}/seen/{what}:posts", g("/seen/posts"), ""),
        ("/g/{game}/seen/{what}:rules", g("/seen/rules"), ""),
        ("/g/{game}/seen/{what}:values", g("/seen/values"), ""),
        (
            "/g/{game}/log/{event}/undo",
            g(&format!("/log/{}/undo", ball.claim)),
            "reason=no",
        ),
        (
            "/g/{game}/log/{event}/dispute",
            g(&format!("/log/{}/dispute", ball.claim)),
            "reason=no",
        ),
        (
            "/g/{game}/log/{event}/forget",
            g(&format!("/log/{}/forget", ball.claim)),
            "reason=no",
        ),
        ("/g/{game}/claim", g("/claim"), cell.as_str()),
        (
            "/g/{game}/page/{page}",
            g("/page/the-night"),
            "text=Words&why=because",
        ),
        ("/g/{game}/messages", g("/messages"), letter.as_str()),
    ];
    let owned = forms.map(|(route, path, form)| (route, path, form.to_owned()));
    owned.to_vec()
}

/// What the API is sent.
fn wishes(ball: &Ball) -> Vec<(String, String, Json)> {
    let api = |rest: &str| format!("/api/v1/games/{GAME}{rest}");
    let plan = json!({ "action": "make-plan", "arguments": { "words": "a", "stake": 2 } });
    let mut wishes = vec![
        // These want no session: a word in a message says what they may do.
        (
            "/notices/off/{word}".to_owned(),
            "/notices/off/none".to_owned(),
            json!({}),
        ),
        (
            "/notices/confirm/{word}".to_owned(),
            "/notices/confirm/none".to_owned(),
            json!({}),
        ),
        ("/mail-in".to_owned(), "/mail-in".to_owned(), json!({})),
        // This one wants a signature, and a key to check it by.
        ("/discord".to_owned(), "/discord".to_owned(), json!({})),
        (
            "/api/v1/games".to_owned(),
            "/api/v1/games".to_owned(),
            json!({ "rulebook": "ball" }),
        ),
        (
            "/api/v1/games/{game}/posts".to_owned(),
            api("/posts"),
            json!({ "category": "Proposal", "title": "x" }),
        ),
        (
            "/api/v1/games/{game}/posts/{post}/comments".to_owned(),
            api(&format!("/posts/{}/comments", ball.posts[1])),
            json!({ "text": "x" }),
        ),
        (
            "/api/v1/games/{game}/join".to_owned(),
            api("/join"),
            json!({ "name": "Zed" }),
        ),
        (
            "/api/v1/games/{game}/answers".to_owned(),
            api("/answers"),
            json!({ "question": ball.question, "value": "medlar" }),
        ),
        (
            "/api/v1/games/{game}/dice".to_owned(),
            api("/dice"),
            json!({ "line": "DICE6" }),
        ),
        ("/api/v1/games/{game}/why".to_owned(), api("/why"), plan),
        (
            "/api/v1/games/{game}/preview".to_owned(),
            api("/preview"),
            json!({ "changes": [] }),
        ),
        (
            "/api/v1/games/{game}/put-back".to_owned(),
            api("/put-back"),
            json!({}),
        ),
        (
            "/api/v1/games/{game}/messages".to_owned(),
            api("/messages"),
            json!({ "to": ["Cora"], "text": "x" }),
        ),
    ];
    let acts = acts(ball).into_iter().map(|(action, arguments)| {
        let wish = json!({ "action": action, "arguments": arguments });
        (format!("{ACTS}{action}"), api("/acts"), wish)
    });
    wishes.extend(acts);
    wishes
}

/// Every command that the API takes by its name: those of this game's law, and what everybody can do whatever the law.
fn acts(ball: &Ball) -> Vec<(&'static str, Json)> {
    let (post, words) = (&ball.posts[1], "x");
    vec![
        ("let-in", json!({ "applicant": "Ivo" })),
        ("send-home", json!({ "who": "Cora" })),
        ("crown", json!({ "who": "Cora" })),
        (
            "enact-proposal",
            json!({ "proposal": format!("post:{post}") }),
        ),
        ("make-plan", json!({ "words": "a", "stake": 2 })),
        ("ask-in-secret", json!({ "partner": "Cora" })),
        ("hide-gold", json!({})),
        ("post", json!({ "category": "Proposal", "title": words })),
        ("comment", json!({ "post": post, "text": words })),
        ("vote", json!({ "post": post, "icon": "against" })),
        ("edit", json!({ "post": post, "body": words })),
        ("withdraw", json!({ "post": post })),
        (
            "recategorise",
            json!({ "post": post, "category": "Whisper" }),
        ),
        ("apply-to-join", json!({ "name": "Zed" })),
        ("leave", json!({})),
        ("message", json!({ "to": ["Cora"], "text": words })),
        ("claim", json!({ "rule": "masks", "reason": words })),
        (
            "dispute",
            json!({ "claim": ball.claim.to_string(), "reason": words }),
        ),
        (
            "undo",
            json!({ "event": ball.claim.to_string(), "reason": words }),
        ),
        (
            "answer",
            json!({ "question": ball.question, "value": "medlar" }),
        ),
        ("abandon", json!({ "action": "hide-gold" })),
        ("dice", json!({ "line": "DICE6" })),
        ("wake", json!({ "rule": "masks", "fence": 1 })),
        ("repair", json!({ "reason": words })),
    ]
}

/// Commands that have no row, though there are such.
fn unplaced(rows: &[String]) -> Vec<String> {
    let is_placed = |template: &str| {
        let mut templates = rows.iter().filter_map(|row| row.split_whitespace().nth(1));
        templates.any(|placed| placed == template)
    };
    let declared = book().rules.into_iter().flat_map(|(_, text)| {
        let actions = text.split("\naction(\"").skip(1);
        let names = actions.filter_map(|rest| rest.split('"').next().map(str::to_owned));
        names.collect::<Vec<_>>()
    });
    let built_in = BUILT_IN.into_iter().chain(["repair"]).map(str::to_owned);
    let acts = declared.chain(built_in).map(|act| format!("{ACTS}{act}"));
    let missing = acts.chain(routes::words()).filter(|one| !is_placed(one));
    missing.collect()
}

/// The route of a line: what stands behind a colon says which of its words was asked.
fn route_of(line: &str) -> Route {
    let mut words = line.split_whitespace();
    let (method, template) = (words.next().unwrap(), words.next().unwrap());
    let template = template.split(':').next().unwrap();
    (method.to_owned(), template.to_owned())
}

fn row(method: &str, template: &str, statuses: &[u16]) -> String {
    let mut line = format!("{method:4} {template:48}");
    for status in statuses {
        write!(line, " {status}").unwrap();
    }
    line
}

/// An address of a template, of those that are there.
fn address(ball: &Ball, template: &str, head: u64) -> String {
    let all = walk::filled(ball, template, head);
    all.into_iter().next().unwrap()
}

async fn read(ball: &Ball, routes: &BTreeSet<Route>) -> Vec<String> {
    let head = ball.head().await;
    let mut rows = Vec::new();
    for (_, template) in routes.iter().filter(|(method, _)| method == "GET") {
        let mut statuses = Vec::new();
        for role in COLUMNS {
            let reader = Reader::of(ball, role).await;
            let got = reader.get(&address(ball, template, head)).await;
            safe::check(template, &got);
            statuses.push(got.status.as_u16());
        }
        rows.push(row("GET", template, &statuses));
    }
    rows
}

/// Sends each form as everybody. Each time the ball is another, for the first who may has changed it.
async fn write() -> Vec<String> {
    let mut rows = Vec::new();
    let count = forms(&Ball::with(THESE).await).len();
    for nth in 0..count {
        let ball = Ball::with(THESE).await;
        let (route, path, form) = forms(&ball).remove(nth);
        let (mut statuses, head) = (Vec::new(), ball.head().await);
        let foreign = Reader::of(&ball, Role::Keeper).await.csrf();
        for role in COLUMNS {
            let reader = Reader::of(&ball, role).await;
            for csrf in [None, Some(foreign.as_str()), Some("")] {
                let got = reader.post(&path, &form, csrf).await;
                assert_eq!(
                    got.status, 403,
                    "{role:?} {route} with {csrf:?}: {}",
                    got.body
                );
            }
        }
        assert_eq!(ball.head().await, head, "{route}: nothing was done");
        for role in COLUMNS {
            let reader = Reader::of(&ball, role).await;
            let csrf = reader.csrf();
            let got = reader.post(&path, &form, Some(&csrf)).await;
            safe::check(route, &got);
            statuses.push(got.status.as_u16());
        }
        rows.push(row("POST", route, &statuses));
    }
    rows
}

async fn command() -> Vec<String> {
    let mut rows = Vec::new();
    let count = wishes(&Ball::with(THESE).await).len();
    for nth in 0..count {
        let ball = Ball::with(THESE).await;
        let (route, path, wish) = wishes(&ball).remove(nth);
        let mut statuses = Vec::new();
        for role in COLUMNS {
            let reader = Reader::of(&ball, role).await;
            let got = reader.send(&path, &wish.to_string()).await;
            statuses.push(got.status.as_u16());
        }
        rows.push(row("POST", &route, &statuses));
    }
    let (ball, mut statuses) = (Ball::with(THESE).await, Vec::new());
    for role in COLUMNS {
        let reader = Reader::of(&ball, role).await;
        let got = reader.delete(&format!("/api/v1/games/{GAME}")).await;
        statuses.push(got.status.as_u16());
    }
    rows.push(row("DELETE", "/api/v1/games/{game}", &statuses));
    rows
}

#[tokio::test(flavor = "multi_thread")]
async fn each_reader_gets_at_each_address_what_the_table_says() {
    let ball = Ball::with(THESE).await;
    let routes = routes::all(&ball.table.document);
    let mut rows = read(&ball, &routes).await;
    rows.extend(write().await);
    rows.extend(command().await);
    let known: BTreeSet<Route> = rows.iter().map(|row| route_of(row)).collect();
    let missing: Vec<_> = routes.difference(&known).collect();
    assert!(missing.is_empty(), "nobody asked for {missing:?}");
    let unplaced = unplaced(&rows);
    assert!(unplaced.is_empty(), "nobody sent {unplaced:?}");
    let strange: Vec<_> = known.difference(&routes).collect();
    assert!(strange.is_empty(), "there is no {strange:?}");
    let held: Vec<&str> = TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    let fresh: Vec<_> = rows
        .iter()
        .filter(|row| !held.contains(&row.as_str()))
        .collect();
    let gone: Vec<_> = held
        .iter()
        .filter(|line| !rows.iter().any(|row| row == *line))
        .collect();
    assert!(
        fresh.is_empty() && gone.is_empty(),
        "The answers are not those of the table.\nNow:\n{}\nTable:\n{}",
        lines(&fresh),
        lines(&gone)
    );
}

fn lines(rows: &[impl AsRef<str>]) -> String {
    let rows: Vec<&str> = rows.iter().map(AsRef::as_ref).collect();
    rows.join("\n")
}
