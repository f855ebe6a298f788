//! A reader with a browser of their own.
#![allow(
    clippy::unwrap_used,
    reason = "a panic is a fine way for a test to fail"
)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::error::CmdError;
use fantoccini::{Client, ClientBuilder, Locator};
use serde_json::json;

use super::server::Server;

/// The password of everybody here.
const PASSWORD: &str = "correct horse battery staple";

/// How long something may take to appear.
const PATIENCE: Duration = Duration::from_mins(1);

/// How wide a reader's window is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Width {
    /// A desk's.
    Desk,
    /// A tablet's, 768 pixels.
    Tablet,
    /// A small phone's, 360 pixels.
    Phone,
}

/// Somebody with a browser.
pub(crate) struct Reader {
    client: Client,
    driver: Child,
    base: String,
    effort: ReaderToll,
}

/// What a reader did since it was counted anew.
#[derive(Default)]
struct ReaderToll {
    clicks: AtomicU32,
    fields: AtomicU32,
    /// Pages that were opened by their address. Nobody types those.
    typed: AtomicU32,
}

/// How often a driver is started before a test gives up. It takes a free port for one kind of address and then wants the same
/// port for the other; where another program has just got that one, it ends.
const DRIVERS: u32 = 5;

/// Starts a driver, and gives it with the port that it found for itself.
fn start_driver() -> (Child, u16) {
    let mut ended = Vec::new();
    for _ in 0..DRIVERS {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = Vec::new();
        let port = BufReader::new(driver.stdout.as_mut().unwrap())
            .lines()
            .find_map(|line| {
                let line = line.unwrap();
                let port = line
                    .split_once("started successfully on port ")
                    .map(|(_, port)| port.trim_end_matches('.').parse().unwrap());
                said.push(line);
                port
            });
        if let Some(port) = port {
            return (driver, port);
        }
        ended.push(format!("{}: {}", driver.wait().unwrap(), said.join(" ")));
    }
    panic!("no driver started: {}", ended.join("; "));
}

impl Drop for Reader {
    fn drop(&mut self) {
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}

impl Reader {
    /// Opens a browser and makes an account.
    pub(crate) async fn sign_up(server: &Server, name: &str, width: Width) -> Self {
        let reader = Self::begin(server, width).await;
        reader.open("/sign-up").await;
        reader.make_account(name).await;
        reader
    }

    /// Fills in and sends the form that makes an account.
    pub(crate) async fn make_account(&self, name: &str) {
        self.fill("input[name=name]", name).await;
        self.fill("input[name=password]", PASSWORD).await;
        self.press("form[action='/sign-up'] button").await;
        self.sees(&format!("Welcome, {name}")).await;
    }

    /// Opens a browser and signs in to an account that is there.
    pub(crate) async fn sign_in(server: &Server, name: &str, password: &str, width: Width) -> Self {
        let reader = Self::begin(server, width).await;
        reader.open("/sign-in").await;
        reader.fill("input[name=name]", name).await;
        reader.fill("input[name=password]", password).await;
        reader.press("form[action='/sign-in'] button").await;
        reader.sees(&format!("Welcome back, {name}")).await;
        reader
    }

    /// Runs a script on the page.
    pub(crate) async fn run(&self, script: &str) -> serde_json::Value {
        self.client.execute(script, vec![]).await.unwrap()
    }

    /// Runs a script that calls its last argument when it is done.
    pub(crate) async fn run_async(
        &self,
        script: &str,
        argument: serde_json::Value,
    ) -> serde_json::Value {
        let ran = self.client.execute_async(script, vec![argument]).await;
        ran.unwrap()
    }

    /// Opens a browser and nothing else.
    pub(crate) async fn begin(server: &Server, width: Width) -> Self {
        let (driver, port) = start_driver();
        let (wide, high) = match width {
            Width::Desk => (1280, 1400),
            Width::Tablet => (768, 1024),
            Width::Phone => (360, 740),
        };
        // A headless window is never narrower than 500 pixels, so a phone is emulated.
        let mut options = json!({ "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
            format!("--window-size={wide},{high}")] });
        if matches!(width, Width::Phone) {
            options["mobileEmulation"] =
                json!({ "deviceMetrics": { "width": wide, "height": high, "pixelRatio": 2.0 } });
        }
        let wishes = json!({ "goog:chromeOptions": options })
            .as_object()
            .unwrap()
            .clone();
        let address = format!("http://127.0.0.1:{port}");
        let mut tries = 0;
        let client = loop {
            match ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new())
                .capabilities(wishes.clone())
                .connect(&address)
                .await
            {
                Ok(client) => break client,
                Err(error) if tries > 50 => panic!("no browser: {error}"),
                Err(_) => {
                    tries += 1;
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            }
        };
        Self {
            client,
            driver,
            base: server.address.clone(),
            effort: ReaderToll::default(),
        }
    }

    /// Counts clicks, fields and addresses from none.
    pub(crate) fn counts_anew(&self) {
        for count in [&self.effort.clicks, &self.effort.fields, &self.effort.typed] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// Fails where more was clicked or filled in than that since it was counted anew, or more opened by its address than the
    /// first page.
    pub(crate) fn took_at_most(&self, clicks: u32, fields: u32) {
        let ReaderToll {
            clicks: clicked,
            fields: filled,
            typed,
        } = &self.effort;
        let [clicked, filled, typed] =
            [clicked, filled, typed].map(|one| one.load(Ordering::Relaxed));
        eprintln!("{clicked} clicks, {filled} fields");
        assert!(
            clicked <= clicks,
            "{clicked} clicks, and {clicks} should do"
        );
        assert!(filled <= fields, "{filled} fields, and {fields} should do");
        assert!(typed <= 1, "{typed} pages by their address");
    }

    /// Ends the browser.
    pub(crate) async fn close(self) {
        drop(self.client.clone().close().await);
    }

    /// What the window shows, as a PNG file.
    pub(crate) async fn picture(&self) -> Vec<u8> {
        self.client.screenshot().await.unwrap()
    }

    /// Opens a page of this machine.
    pub(crate) async fn open_file(&self, path: &Path) {
        let address = format!("file://{}", path.display());
        self.client.goto(&address).await.unwrap();
    }

    /// Opens a page of the server.
    pub(crate) async fn open(&self, path: &str) {
        self.effort.typed.fetch_add(1, Ordering::Relaxed);
        self.client
            .goto(&format!("{}{path}", self.base))
            .await
            .unwrap();
    }

    /// Fails unless the page says something.
    pub(crate) async fn sees(&self, words: &str) {
        self.comes_to_see("body", words).await;
    }

    /// Waits until a part of the page says something.
    pub(crate) async fn comes_to_see(&self, css: &str, words: &str) {
        let waited = tokio::time::timeout(PATIENCE, async {
            loop {
                if self
                    .text(css)
                    .await
                    .is_some_and(|text| text.contains(words))
                {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        });
        if waited.await.is_err() {
            let url = self.client.current_url().await.unwrap();
            let text = self.text("body").await.unwrap_or_default();
            panic!("{url} does not say “{words}” in {css}:\n{text}");
        }
    }

    /// What a part of the page says.
    pub(crate) async fn text(&self, css: &str) -> Option<String> {
        let element = self.client.find(Locator::Css(css)).await.ok()?;
        // What is folded or set in capitals by the style sheet is said all the same.
        let text = element.prop("textContent").await.ok().flatten()?;
        // Where a template breaks its lines is nothing that anybody sees.
        let words: Vec<&str> = text.split_whitespace().collect();
        Some(words.join(" "))
    }

    /// Waits until a field holds something.
    pub(crate) async fn comes_to_hold(&self, css: &str, words: &str) {
        let waited = tokio::time::timeout(PATIENCE, async {
            loop {
                let field = self.client.find(Locator::Css(css)).await.unwrap();
                if field
                    .prop("value")
                    .await
                    .unwrap()
                    .is_some_and(|text| text.contains(words))
                {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        });
        assert!(waited.await.is_ok(), "{css} does not hold “{words}”");
    }

    /// Types into a field, in place of what stands there.
    pub(crate) async fn fill(&self, css: &str, text: &str) {
        self.effort.fields.fetch_add(1, Ordering::Relaxed);
        let mut tries = 0;
        while let Err(error) = self.filled(css, text).await {
            assert!(is_exchanged(&error) && tries < 20, "{css}: {error}");
            tries += 1;
        }
    }

    /// Opens the fold that something stands in, which is a click.
    async fn unfolded(&self, css: &str) {
        let open =
            "const one = document.querySelector(arguments[0])?.closest('details:not([open])');
            if (one) one.open = true;
            return Boolean(one)";
        let opened = self.client.execute(open, vec![json!(css)]).await;
        if opened.is_ok_and(|opened| opened == json!(true)) {
            self.effort.clicks.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn filled(&self, css: &str, text: &str) -> Result<(), CmdError> {
        self.unfolded(css).await;
        let field = self.client.find(Locator::Css(css)).await?;
        field.clear().await?;
        field.send_keys(text).await
    }

    /// Chooses an option by its value.
    pub(crate) async fn choose(&self, css: &str, value: &str) {
        self.effort.clicks.fetch_add(1, Ordering::Relaxed);
        let field = self.client.find(Locator::Css(css)).await.unwrap();
        field.select_by_value(value).await.unwrap();
    }

    /// Presses a button, and waits for the page that follows.
    pub(crate) async fn press(&self, css: &str) {
        self.effort.clicks.fetch_add(1, Ordering::Relaxed);
        let before = self.page_mark().await;
        let mut tries = 0;
        while let Err(error) = self.pressed(css).await {
            assert!(is_exchanged(&error) && tries < 20, "{css}: {error}");
            tries += 1;
        }
        self.comes_after(before, css).await;
    }

    /// Waits for the page that follows on what was pressed.
    async fn comes_after(&self, before: Option<String>, pressed: &str) {
        let waited = tokio::time::timeout(PATIENCE, async {
            // Scripts have run once the page is complete, and not before.
            while !self.is_complete().await || self.page_mark().await == before {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        if waited.await.is_err() {
            let focus = "return [location.href, document.readyState, document.activeElement?.outerHTML.slice(0, 300), \
                 document.querySelector('.at')?.id]";
            let focus = self.client.execute(focus, vec![]).await;
            panic!("no page followed on {pressed}; where it stands: {focus:?}");
        }
    }

    async fn pressed(&self, css: &str) -> Result<(), CmdError> {
        self.unfolded(css).await;
        let button = self.client.find(Locator::Css(css)).await?;
        let scroll = "arguments[0].scrollIntoView({block: 'center'})";
        self.client.execute(scroll, vec![json!(button)]).await?;
        button.click().await
    }

    /// Presses a button, whatever follows.
    pub(crate) async fn click(&self, css: &str) {
        self.effort.clicks.fetch_add(1, Ordering::Relaxed);
        let button = self.client.find(Locator::Css(css)).await.unwrap();
        let press = "arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()";
        self.client
            .execute(press, vec![json!(button)])
            .await
            .unwrap();
    }

    /// Follows a link by its words.
    pub(crate) async fn follow(&self, words: &str) {
        let mark = "for (const one of document.querySelectorAll('[data-followed]')) delete one.dataset.followed;
            const one = [...document.links].find(one => one.textContent.trim().startsWith(arguments[0]));
            if (one) one.dataset.followed = '';
            return Boolean(one)";
        self.effort.clicks.fetch_add(1, Ordering::Relaxed);
        let before = self.page_mark().await;
        let mut tries = 0;
        loop {
            let found = self.client.execute(mark, vec![json!(words)]).await;
            assert_eq!(found.unwrap(), json!(true), "no link says {words}");
            let Err(error) = self.pressed("[data-followed]").await else {
                break;
            };
            // The live page may have put a fresh link in its place.
            let is_gone = error.is_no_such_element() || is_exchanged(&error);
            assert!(is_gone && tries < 20, "{words}: {error}");
            tries += 1;
        }
        self.comes_after(before, words).await;
    }

    /// How many words a part of the page has to be read, without the labels of links and buttons.
    pub(crate) async fn words(&self, css: &str) -> usize {
        let read = "const one = document.querySelector(arguments[0]);
            const pressed = one ? [...one.querySelectorAll('a, button')] : [];
            const shown = pressed.map(one => one.style.display);
            pressed.forEach(one => { one.style.display = 'none'; });
            const text = one ? one.innerText : '';
            pressed.forEach((one, nth) => { one.style.display = shown[nth]; });
            return one ? text.split(/\\s+/).filter(word => /\\w/.test(word)).length : -1";
        let count = self.client.execute(read, vec![json!(css)]).await.unwrap();
        let count = count.as_i64().and_then(|count| usize::try_from(count).ok());
        count.unwrap_or_else(|| panic!("no {css}"))
    }

    /// Presses a key where nothing is being typed.
    pub(crate) async fn key(&self, key: &str) {
        let press = "(document.activeElement || document.body).dispatchEvent(
            new KeyboardEvent('keydown', { key: arguments[0], bubbles: true, cancelable: true }))";
        self.client.execute(press, vec![json!(key)]).await.unwrap();
    }

    /// Presses a letter until it has come to something, as somebody would whose page was just exchanged or not there yet.
    pub(crate) async fn key_until(&self, key: &str, comes: &str) {
        for _ in 0..40 {
            self.key(key).await;
            if self.run(&format!("return {comes}")).await == json!(true) {
                return;
            }
            let seen = "return [location.href, document.querySelectorAll('form.quick').length, \
                 document.querySelectorAll('[data-stop]').length, document.body.innerText.slice(0, 200)]";
            eprintln!("{key} came to nothing: {}", self.run(seen).await);
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        panic!("{key} comes to nothing");
    }

    /// Presses a key of those that have no letter on whatever has the focus by then: the page may just be exchanging it.
    async fn strike(&self, value: char) {
        let keys = KeyActions::new("keys".to_owned());
        let struck = keys
            .then(KeyAction::Down { value })
            .then(KeyAction::Up { value });
        self.client.perform_actions(struck).await.unwrap();
    }

    /// Presses Tab.
    pub(crate) async fn tab(&self) {
        self.strike('\u{E004}').await;
    }

    /// Presses Enter on what the keys have come to, and waits for the page that follows.
    pub(crate) async fn enters(&self) {
        let before = self.page_mark().await;
        self.strike('\u{E007}').await;
        self.comes_after(before, "Enter").await;
    }

    /// Opens what is folded.
    pub(crate) async fn unfold(&self, css: &str) {
        let open = "document.querySelector(arguments[0]).open = true";
        self.client.execute(open, vec![json!(css)]).await.unwrap();
    }

    /// Chooses a file to send along.
    pub(crate) async fn attach(&self, css: &str, file: &std::path::Path) {
        self.unfolded(css).await;
        let field = self.client.find(Locator::Css(css)).await.unwrap();
        field.send_keys(file.to_str().unwrap()).await.unwrap();
    }

    /// The path of the page that is open.
    pub(crate) async fn path(&self) -> String {
        self.client.current_url().await.unwrap().path().to_owned()
    }

    /// Acts by the form of an action.
    pub(crate) async fn act(&self, game: &str, action: &str, fields: &[(&str, &str)]) {
        self.open(&format!("/g/{game}/act")).await;
        let form = format!("#act-{action}");
        for (name, text) in fields {
            let field = format!("{form} [name={name}]");
            self.fill(&field, text).await;
        }
        self.press(&format!("{form} button")).await;
        self.sees("Your last results").await;
    }

    /// Acts on somebody or something, by what it is called.
    pub(crate) async fn act_on(&self, game: &str, action: &str, field: &str, called: &str) {
        self.open(&format!("/g/{game}/act")).await;
        let choose = "const [form, name, called] = arguments;
            for (const one of document.querySelectorAll(`${form} [name=${name}] option`)) one.selected = one.textContent === called;
            for (const one of document.querySelectorAll(`${form} label:has([name=${name}])`))
                if (one.textContent === called) one.querySelector('input').checked = true;";
        let form = format!("#act-{action}");
        let given = vec![json!(form), json!(field), json!(called)];
        self.client.execute(choose, given).await.unwrap();
        self.press(&format!("{form} button")).await;
        self.sees("Your last results").await;
    }

    /// Whether all of a page is there, with what its scripts do at once.
    async fn is_complete(&self) -> bool {
        let state = "return document.readyState === 'complete'";
        let state = self.client.execute(state, vec![]).await;
        state.is_ok_and(|state| state == json!(true))
    }

    /// What tells one loaded page from the next: the moment at which it was asked for.
    async fn page_mark(&self) -> Option<String> {
        let mark = self.client.execute("return String(performance.timeOrigin) + document.readyState.replace('interactive', '').replace('complete', '')", vec![]).await;
        mark.ok().map(|mark| mark.to_string())
    }

    /// Whether the page is no wider than its window.
    pub(crate) async fn fits(&self) -> bool {
        let script = "return document.documentElement.scrollWidth <= window.innerWidth";
        self.client.execute(script, vec![]).await.unwrap() == json!(true)
    }

    /// Founds a game.
    pub(crate) async fn found(&self, rulebook: &str, title: &str) {
        self.open("/found").await;
        self.choose("select[name=rulebook]", rulebook).await;
        self.fill("input[name=title]", title).await;
        self.press("form[action='/found'] button").await;
        self.sees("The game is founded").await;
    }

    /// Asks to join a game.
    pub(crate) async fn join(&self, game: &str, name: &str) {
        let path = format!("/g/{game}/join");
        self.open(&path).await;
        self.fill("input[name=name]", name).await;
        self.press(&format!("form[action='{path}'] button")).await;
        self.sees("You have asked to join").await;
    }

    /// Lets somebody in, at the desk.
    pub(crate) async fn admit(&self, game: &str, name: &str) {
        self.open(&format!("/g/{game}/desk")).await;
        self.comes_to_see("#door", name).await;
        self.press("#door form button").await;
    }

    /// Proposes to add a clause to a rule, or what stands for a new rule, and gives the post's path.
    pub(crate) async fn propose(&self, game: &str, title: &str, body: &str, rule: &str) -> String {
        self.open(&format!("/g/{game}/new/Proposal")).await;
        self.fill("input[name=title]", title).await;
        self.fill("textarea[name=body]", body).await;
        let first = "document.querySelector('select[name=rule] option[value^=\"new:\"]').value";
        let section = self
            .client
            .execute(&format!("return {first}"), vec![])
            .await
            .unwrap();
        self.choose("select[name=rule]", section.as_str().unwrap())
            .await;
        self.press("button[value=add]").await;
        self.fill("input[name=title-0]", title).await;
        self.fill("textarea[name=piece-0-0]", rule).await;
        self.press("button[value=preview]").await;
        // A machine with too much to do doesn't always make it in time, and says so.
        for _ in 0..5 {
            let page = self.text("body").await;
            if !page.is_some_and(|page| page.contains("was stopped")) {
                break;
            }
            self.client.refresh().await.unwrap();
        }
        self.sees("not published").await;
        self.press("button[value=post]").await;
        self.sees("It is posted").await;
        self.client.current_url().await.unwrap().path().to_owned()
    }

    /// Votes on a matter.
    pub(crate) async fn vote(&self, post: &str, side: &str) {
        self.open(post).await;
        let choice = format!("#vote input[value={side}]");
        let radio = self.client.find(Locator::Css(&choice)).await.unwrap();
        self.client
            .execute("arguments[0].click()", vec![json!(radio)])
            .await
            .unwrap();
        self.press("#vote button").await;
    }

    /// Presses the button of an offer on a post, by its words. It is found by its form, for what a page shows may be exchanged.
    pub(crate) async fn press_offer(&self, post: &str, words: &str) {
        self.open(post).await;
        let find = "const all = [...document.querySelectorAll('#offers form.act button')]; \
            const one = all.find(one => one.textContent.includes(arguments[0])); \
            return one ? one.form.getAttribute('action') : null";
        let action = self.client.execute(find, vec![json!(words)]).await.unwrap();
        let Some(action) = action.as_str() else {
            panic!("no offer says {words}: {:?}", self.text("#offers").await);
        };
        self.press(&format!("#offers form[action='{action}'] button"))
            .await;
    }
}

/// Whether the live page exchanged an element for a fresh one between finding and using it.
fn is_exchanged(error: &CmdError) -> bool {
    error.is_stale_element_reference() || error.is_element_not_interactable()
}
