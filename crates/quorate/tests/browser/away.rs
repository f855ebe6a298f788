//! What a browser does for somebody who is away from the network.

use serde_json::{Value as Json, json};

use super::driver::{Reader, Width};
use super::server::Server;
use super::with_browser;

/// Has the browser keep pages, as it does where it gets notices.
const WORKS_ALONE: &str = "
    const done = arguments[arguments.length - 1];
    const worker = navigator.serviceWorker;
    worker.addEventListener('controllerchange', () => done('begun'));
    worker.register('/sw.js').then(() => worker.ready).then(() => worker.controller && done('begun'), done);
";

/// Waits until a page is kept, or is no more.
const IS_KEPT: &str = "
    const [{ path, wanted }, done] = arguments;
    const look = async () => {
        const kept = await (await caches.open('pages')).keys();
        const found = kept.some((request) => new URL(request.url).pathname === path);
        if (found === wanted) done(found);
        else setTimeout(look, 50);
    };
    look();
";

/// Signs out, and stays on the page.
const SIGNS_OUT: &str = "
    const done = arguments[arguments.length - 1];
    const form = document.querySelector('form[action=\"/sign-out\"]');
    const body = new URLSearchParams(new FormData(form));
    fetch(form.action, { method: 'POST', body, redirect: 'manual' }).then(() => done(true), done);
";

async fn comes_to_keep(reader: &Reader, path: &str, wanted: bool) {
    let asked = json!({ "path": path, "wanted": wanted });
    assert_eq!(reader.run_async(IS_KEPT, asked).await, json!(wanted));
}

#[test]
fn the_last_pages_are_there_without_a_network_until_somebody_signs_out() {
    with_browser(async {
        let mut server = Server::start();
        let anna = Reader::sign_up(&server, "Anna", Width::Phone).await;
        anna.found("hordes-22", "Night Town").await;
        assert_eq!(
            anna.run_async(WORKS_ALONE, Json::Null).await,
            json!("begun")
        );
        let (rules, settings) = ("/g/night-town/rules", "/settings");
        anna.open(rules).await;
        anna.sees("Zombies").await;
        comes_to_keep(&anna, rules, true).await;
        server.is_lost();
        anna.open(rules).await;
        anna.sees("Zombies").await;
        anna.open(settings).await;
        anna.sees("There is no network, and this page was not seen here lately.")
            .await;
        server.is_back();
        anna.open(settings).await;
        comes_to_keep(&anna, settings, true).await;
        // A file that she opened is not kept.
        let file = "/g/night-town/rules.txt";
        anna.open(file).await;
        anna.open("/help").await;
        comes_to_keep(&anna, "/help", true).await;
        comes_to_keep(&anna, file, false).await;
        anna.open(settings).await;
        // What she saw is not for whoever uses the browser next.
        assert_eq!(anna.run_async(SIGNS_OUT, Json::Null).await, json!(true));
        comes_to_keep(&anna, rules, false).await;
        comes_to_keep(&anna, settings, false).await;
        anna.close().await;
    });
}
