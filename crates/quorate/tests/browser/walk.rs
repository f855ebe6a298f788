//! Every kind of page of the demonstration: what an accessibility checker finds, how much it weighs, whether its forms can be
//! walked by keyboard, and how soon it is painted.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::driver::{Reader, Width};
use super::server::Server;
use super::{axe, with_browser};

/// How many pages that differ in names and numbers alone are looked at.
const ALIKE: usize = 2;

/// What a page may weigh over the wire, with styles and scripts. A page on which code is edited may weigh more.
const PAGE_BYTES_MAX: u64 = 40_000;

/// How often a page is opened to see how soon it is painted.
const TIMES: usize = 7;

/// How many stops there are between two controls of a form at most.
const STOPS: u32 = 12;

/// Where somebody begins who is not signed in.
const DOORS: [&str; 6] = [
    "/",
    "/sign-in",
    "/sign-up",
    "/recover",
    "/help",
    "/no-such-page",
];

/// What tells one kind of page from another: its address without the names and numbers in it.
fn kind_of(path: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut parts: Vec<&str> = path.split('/').collect();
    for (place, kept) in [(2, false), (4, parts.get(3) == Some(&"new"))] {
        if let Some(part) = parts.get_mut(place).filter(|_| !kept) {
            *part = "*";
        }
    }
    let asked: BTreeSet<&str> = query.split('=').take(1).collect();
    format!(
        "{}?{}",
        parts.join("/"),
        asked.into_iter().collect::<String>()
    )
}

/// Whether a file is there and no page.
fn is_file(path: &str) -> bool {
    let kinds = [".atom", "/rules.txt", "/operator/backup/", "/feeds/"];
    kinds.iter().any(|kind| path.contains(kind))
}

/// Walks through the site from link to link, and gives what was found on its pages.
async fn walk(
    reader: &Reader,
    alike: usize,
    mut look: impl AsyncFnMut(&Reader, &str) -> Vec<String>,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut next = vec!["/".to_owned(), "/no-such-page".to_owned()];
    let links = "return [...document.querySelectorAll('a[href^=\"/\"]')].map(one => one.getAttribute('href').split('#')[0])";
    while let Some(path) = next.pop() {
        let count = kinds.entry(kind_of(&path)).or_default();
        if *count >= alike || is_file(&path) {
            continue;
        }
        *count += 1;
        reader.open(&path).await;
        let wrong = look(reader, &path).await;
        found.extend(wrong.iter().map(|wrong| format!("{path}\n  {wrong}")));
        if let Json::Array(more) = reader.run(links).await {
            let more = more.iter().filter_map(Json::as_str);
            next.extend(more.map(str::to_owned));
        }
    }
    assert!(kinds.len() > 8, "only {kinds:?}");
    eprintln!("{} kinds of pages were looked at", kinds.len());
    found
}

/// What a page weighs with its styles and scripts.
async fn weight(reader: &Reader) -> u64 {
    let weigh = "const drawn = performance.getEntriesByType('resource').filter(one => /[.](css|js)$/.test(one.name));
        return [...performance.getEntriesByType('navigation'), ...drawn].reduce((sum, one) => sum + one.encodedBodySize, 0)";
    reader.run(weigh).await.as_u64().unwrap_or(u64::MAX)
}

/// What is wrong with a page: what the checker finds, and its weight.
async fn wrong(reader: &Reader, path: &str, checker: &str) -> Vec<String> {
    let mut wrong = axe::findings(reader, checker).await;
    let weight = weight(reader).await;
    let is_code = path.contains("code=") || path.contains("rule=");
    if weight > PAGE_BYTES_MAX && !is_code {
        wrong.push(format!("weighs {weight} bytes"));
    }
    wrong
}

#[test]
fn an_accessibility_checker_finds_nothing_on_any_page_and_none_is_heavy() {
    with_browser(async {
        let checker = match axe::source() {
            Ok(checker) => checker,
            Err(why) => {
                eprintln!("skipped, for there is no accessibility checker: {why}");
                return;
            }
        };
        let (server, [password, operator, _]) = Server::with_demo();
        let mut found = Vec::new();
        for width in [Width::Phone, Width::Tablet, Width::Desk] {
            for theme in ["light", "dark"] {
                let choose = format!("document.cookie = 'theme={theme}; path=/'");
                // Who runs the server plays in every game and is its admin: nobody sees more.
                let reader = Reader::sign_in(&server, &operator, &password, width).await;
                reader.run(&choose).await;
                let mut all = walk(&reader, ALIKE, async |reader: &Reader, path: &str| {
                    wrong(reader, path, &checker).await
                })
                .await;
                reader.close().await;
                let stranger = Reader::begin(&server, width).await;
                stranger.open("/help").await;
                stranger.run(&choose).await;
                for door in DOORS {
                    stranger.open(door).await;
                    let wrong = wrong(&stranger, door, &checker).await;
                    all.extend(
                        wrong
                            .iter()
                            .map(|one| format!("{door}, a stranger\n  {one}")),
                    );
                }
                stranger.close().await;
                found.extend(all.iter().map(|one| format!("{width:?}, {theme}: {one}")));
            }
        }
        assert!(found.is_empty(), "{}\n{}", found.len(), found.join("\n"));
    });
}

/// Numbers the controls of each form in the order in which Tab comes to them, and gives each form with how many it has.
const NUMBERED: &str = "for (const fold of document.querySelectorAll('details')) fold.open = true;
    return [...document.forms].map((form, nth) => {
        const controls = [...form.elements].filter((one) => {
            if (one.matches('fieldset, output, [type=hidden], :disabled') || one.getClientRects().length === 0) return false;
            if (one.type !== 'radio') return true;
            // A group of radios is one stop: the chosen one, else the first.
            const group = [...form.elements[one.name].length ? form.elements[one.name] : [one]];
            return one === (group.find((other) => other.checked) || group[0]);
        });
        controls.forEach((one, at) => { one.dataset.walked = `${nth}.${at}`; });
        return [form.getAttribute('action') || '', controls.length];
    });";

/// What is focused: its number, and whether it is seen to be.
const FOCUSED: &str = "const one = document.activeElement, style = getComputedStyle(one);
    const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== 'none';
    return [one.dataset.walked || '', ring]";

/// Walks through the forms of a page by Tab, and gives what it did not come to or could not be seen to be at.
async fn walked_by_keys(reader: &Reader, known: &mut BTreeSet<String>) -> Vec<String> {
    let Json::Array(forms) = reader.run(NUMBERED).await else {
        return Vec::new();
    };
    let mut wrong = Vec::new();
    for (nth, form) in forms.iter().enumerate() {
        let (action, count) = (
            form[0].as_str().unwrap_or(""),
            form[1].as_u64().unwrap_or(0),
        );
        if count == 0 || !known.insert(format!("{} {count}", kind_of(action))) {
            continue;
        }
        let begin = format!("document.querySelector('[data-walked=\"{nth}.0\"]').focus()");
        reader.run(&begin).await;
        for at in 0..count {
            let before = format!("{nth}.{}", at.saturating_sub(1));
            let mut here = reader.run(FOCUSED).await;
            // Links and folds stand between controls, and the parts of a date are stops of one control.
            let mut stops = 0;
            while at > 0 && stops < STOPS && (here[0] == json!(before) || here[0] == json!("")) {
                reader.tab().await;
                here = reader.run(FOCUSED).await;
                stops += 1;
            }
            let at = format!("{nth}.{at}");
            if here[0] != json!(at) {
                wrong.push(format!("{action}: Tab comes to {here} and not to {at}"));
                break;
            }
            if here[1] != json!(true) {
                wrong.push(format!("{action}: nothing shows that {at} is focused"));
            }
        }
    }
    wrong
}

#[test]
fn every_form_can_be_walked_by_keyboard() {
    with_browser(async {
        let (server, [password, operator, _]) = Server::with_demo();
        let reader = Reader::sign_in(&server, &operator, &password, Width::Desk).await;
        let mut known = BTreeSet::new();
        let wrong = walk(&reader, 1, async |reader: &Reader, _: &str| {
            walked_by_keys(reader, &mut known).await
        })
        .await;
        reader.close().await;
        eprintln!("{} kinds of forms were walked through", known.len());
        assert!(known.len() > 20, "only {known:?}");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn the_first_paint_of_the_pages_of_every_day_is_told() {
    with_browser(async {
        let (server, [password, _, player]) = Server::with_demo();
        let reader = Reader::sign_in(&server, &player, &password, Width::Desk).await;
        let game = "/g/adventurers-2019";
        reader.open(game).await;
        let open = "return document.querySelector('a[data-open]').getAttribute('href')";
        let post = reader.run(open).await;
        let post = post.as_str().expect("a post").to_owned();
        let tracker = format!("{game}/tracker");
        let painted = "const done = arguments[arguments.length - 1]; \
            new PerformanceObserver((seen) => { \
                const first = seen.getEntriesByName('first-contentful-paint')[0]; \
                if (first) done(first.startTime); \
            }).observe({ type: 'paint', buffered: true });";
        for (name, path) in [("front page", game), ("post", &post), ("tracker", &tracker)] {
            let mut times = Vec::new();
            for _ in 0..TIMES {
                reader.open(path).await;
                let painted = reader.run_async(painted, serde_json::Value::Null).await;
                times.push(painted.as_f64().expect("a page that is painted"));
            }
            times.sort_by(f64::total_cmp);
            let median = times[times.len() / 2];
            eprintln!("first paint of the {name}: {median:.0} ms, {times:.0?}");
        }
        reader.close().await;
    });
}
