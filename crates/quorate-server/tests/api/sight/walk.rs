//! Every address with everything that the ball has for its parts, and whatever else the pages link to.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::StreamExt;

use super::readers::{Got, OTHERS, Reader, Role};
use super::routes::Route;
use super::world::{Ball, GAME, THESE, THOSE};

/// How many addresses that differ in their questions alone are asked.
const ALIKE: usize = 12;

/// How many requests are on their way at once.
const AT_ONCE: usize = 4;

/// What may stand in the parts of addresses.
fn parts(ball: &Ball, head: u64) -> BTreeMap<&'static str, Vec<String>> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let things = ball.people.iter().cloned();
    let things = things
        .chain(["game".to_owned()])
        .chain(ball.posts.iter().map(|id| format!("post:{id}")));
    // The proposal first: it has all that a post can have.
    let mut posts = ball.posts.clone();
    posts.swap(0, 1);
    posts.push("1".to_owned());
    let events: Vec<String> = (1..=head + 1).map(|seq| seq.to_string()).collect();
    BTreeMap::from([
        ("game", words(&[GAME])),
        ("post", posts),
        ("event", events.clone()),
        ("seq", events),
        ("player", numbers(ball)),
        ("category", words(&["Whisper", "Proposal", "None"])),
        ("rule", words(&["masks", "people", "proposals", "none"])),
        ("board", words(&["floor", "none"])),
        ("page", words(&["the-night", "The Night", "none"])),
        ("dynasty", words(&["1", "2"])),
        (
            "thread",
            [
                numbers(ball),
                vec![numbers(ball)[1..3].join("~"), "game".to_owned()],
            ]
            .concat(),
        ),
        ("thing", things.collect()),
        (
            "name",
            words(&[
                "luck",
                "plan",
                "doom",
                "gold",
                "fortunes",
                "dreads",
                "hidden_at",
                "heat",
                "emperor",
            ]),
        ),
        ("digest", words(&["none"])),
        ("code", words(&["nothing"])),
        ("provider", words(&["nothing"])),
        ("version", words(&["none"])),
        ("word", words(&["none"])),
        (
            "form",
            words(&[
                "posts.atom",
                "comments.json",
                "rules.atom",
                "values.atom",
                "events.json",
            ]),
        ),
    ])
}

/// The players' numbers, as pages name them.
fn numbers(ball: &Ball) -> Vec<String> {
    let numbers = ball.people.iter().filter_map(|word| word.split_once(':'));
    numbers.map(|(_, number)| number.to_owned()).collect()
}

/// The addresses of a template.
pub(crate) fn filled(ball: &Ball, template: &str, head: u64) -> Vec<String> {
    let parts = parts(ball, head);
    let mut made = vec![String::new()];
    for piece in template.split('/').skip(1) {
        let name = piece
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        let words = match name {
            Some(name) => parts
                .get(name)
                .unwrap_or_else(|| panic!("{template}: nothing is known that fits {piece}"))
                .clone(),
            None => vec![piece.to_owned()],
        };
        made = made
            .iter()
            .flat_map(|so_far| words.iter().map(move |word| format!("{so_far}/{word}")))
            .map(|path| path.replace(' ', "%20"))
            .collect();
    }
    made
}

/// Questions that the pages take besides those that they link to.
fn questions(ball: &Ball, secrets: &[String]) -> Vec<String> {
    let game = format!("/g/{GAME}");
    let api = format!("/api/v1/games/{GAME}");
    let mut asked = Vec::new();
    let words = secrets.iter().map(String::as_str);
    for word in words.chain(["mask", "luck", "Bert", "secret", "teal", "umber"]) {
        let word = word.replace(' ', "+");
        asked.push(format!("{game}/search?q={word}"));
        asked.push(format!("{api}/search?q={word}&limit=1"));
    }
    for narrowed in [
        "q=by:Bert",
        "q=by:Cora+kind:posts",
        "kind=events&by=2",
        "kind=comments&dynasty=1",
        "q=mask+kind:whisper&by=Cora",
        "q=make+a+plan",
        "from=2031-05-04&to=2031-05-04",
    ] {
        asked.push(format!("{game}/search?{narrowed}"));
        asked.push(format!("{api}/search?{narrowed}&limit=2"));
    }
    for at in ["14", "17", "19", "20", "22", "24", "26", "28"] {
        for page in ["tracker", "rules", "players", "board/floor"] {
            asked.push(format!("{game}/{page}?at={at}"));
        }
        asked.push(format!("{api}/values?at={at}"));
        asked.push(format!("{api}/rules?at={at}"));
    }
    for player in numbers(ball) {
        asked.push(format!("{game}/log?who={player}"));
        asked.push(format!("{api}/events?who={player}&limit=200"));
        asked.push(format!("{api}/posts?author={player}"));
        asked.push(format!("{game}/messages?to={player}"));
        for value in ["luck", "plan", "doom", "hidden_at", "fortunes"] {
            asked.push(format!("{game}/tracker?cell=player:{player}.{value}"));
            asked.push(format!("{game}/charts?value={value}"));
        }
    }
    for kind in ["acts", "posts", "dice", "hand", "itself"] {
        asked.push(format!("{game}/log?kind={kind}"));
        asked.push(format!("{api}/events?kind={kind}&limit=200"));
    }
    asked.push(format!("{api}/verify?grade=judgement"));
    asked
}

/// Every address that is asked for.
fn addresses(ball: &Ball, routes: &BTreeSet<Route>, head: u64) -> BTreeSet<String> {
    let gets = routes.iter().filter(|(method, _)| method == "GET");
    let mut found: BTreeSet<String> = gets
        .flat_map(|(_, template)| filled(ball, template, head))
        .collect();
    let markers = [THESE.markers(), THOSE.markers()].concat();
    found.extend(questions(ball, &markers));
    found
}

/// The places on this site that a page links to or gets forms from.
fn links(body: &str) -> impl Iterator<Item = String> {
    let marks = ["href=\"/", "action=\"/"];
    marks.into_iter().flat_map(move |mark| {
        let after = body.split(mark).skip(1);
        after.filter_map(|rest| {
            let written = rest.split('"').next()?;
            let plain = written.split('#').next()?.replace("&amp;", "&");
            (!plain.starts_with("assets/")).then(|| format!("/{plain}"))
        })
    })
}

/// Which page an address asks, and what for, without the answers.
fn shape(address: &str) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let mut names: Vec<&str> = query
        .split('&')
        .map(|pair| pair.split('=').next().unwrap_or_default())
        .collect();
    names.sort_unstable();
    format!("{path}?{}", names.join("&"))
}

/// What everybody got who must not know the secrets: by address and reader.
pub(crate) type Walk = BTreeMap<(String, Role), Got>;

/// Walks the ball as everybody who must not know its secrets.
pub(crate) async fn walk(ball: &Ball, routes: &BTreeSet<Route>) -> Walk {
    let index = quorate_server::Indexer::new(ball.table.site());
    assert!(index.round().await.is_ok());
    let mut got = Walk::new();
    let mut alike: BTreeMap<String, usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut next = addresses(ball, routes, ball.head().await);
    let mut readers = Vec::new();
    for role in OTHERS {
        readers.push(Reader::of(ball, role).await);
    }
    while !next.is_empty() {
        seen.extend(next.iter().cloned());
        let asked = next
            .iter()
            .flat_map(|address| readers.iter().map(move |reader| (address, reader)));
        let answers = futures_util::stream::iter(asked)
            .map(|(address, reader)| async move {
                ((address.clone(), reader.role), reader.get(address).await)
            })
            .buffer_unordered(AT_ONCE);
        let answers: Vec<_> = answers.collect().await;
        let linked: BTreeSet<String> = answers
            .iter()
            .filter(|(_, got)| got.status.is_success())
            .flat_map(|(_, got)| links(&got.body))
            .collect();
        got.extend(answers);
        let is_new = |address: &String| {
            let count = alike.entry(shape(address)).or_default();
            let takes = address.contains('?') && !seen.contains(address) && *count < ALIKE;
            *count += usize::from(takes);
            takes
        };
        next = linked.into_iter().filter(is_new).collect();
    }
    got
}
