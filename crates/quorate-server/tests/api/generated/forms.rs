//! Forms as pages offer them, filled in by chance: no answer is an error of the server's, and no page is cut.

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use quorate_kernel::Span;
use quorate_server::security::session::SessionToken;
use scraper::{ElementRef, Html, Selector};
use serde_json::json;

use super::{CASES_OF_A_GAME, Chance, said, word};
use crate::Game;
use crate::table::ANSWER_BYTES;

/// How many forms are sent where nothing is said.
const FORMS: u64 = 200;

/// Somebody at a browser.
struct Browser<'a> {
    game: &'a Game,
    session: SessionToken,
    place: String,
}

impl Browser<'_> {
    /// The whole page of an answer, and whether there is one at all.
    async fn page(&self, request: axum::http::request::Builder, body: Body) -> String {
        let cookie = self.game.table.cookie(&self.session);
        let request = request.header(header::COOKIE, cookie);
        let response = self.game.table.send(request.body(body).unwrap()).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await;
        let bytes = bytes.unwrap_or_else(|error| panic!("{}: cut: {error}", self.place));
        let page = String::from_utf8_lossy(&bytes).into_owned();
        assert!(
            !status.is_server_error(),
            "{}: {status}: {page}",
            self.place
        );
        page
    }

    async fn send(&self, to: &str, fields: &[(String, String)]) {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let kind = "application/x-www-form-urlencoded";
        let request = Request::post(to).header(header::CONTENT_TYPE, kind);
        self.page(request, Body::from(form.finish())).await;
    }
}

fn all<'a>(of: &ElementRef<'a>, what: &str) -> Vec<ElementRef<'a>> {
    of.select(&Selector::parse(what).unwrap()).collect()
}

/// What is sent of a form: most of it as the page has it, some of it as nobody would.
fn filled(form: &ElementRef<'_>, chance: &mut Chance) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    for field in all(form, "[name]") {
        let name = field.value().attr("name").unwrap().to_owned();
        let given = match field.value().name() {
            "select" => {
                let options = all(&field, "option");
                if options.is_empty() || chance.once_in(10) {
                    word(chance)
                } else {
                    let option = chance.of_list(&options);
                    let value = option.value().attr("value").map(str::to_owned);
                    value.unwrap_or_else(|| option.text().collect())
                }
            }
            "textarea" => word(chance),
            _ => {
                let value = field.value().attr("value").unwrap_or_default().to_owned();
                let kind = field.value().attr("type").unwrap_or("text");
                let is_ticked = matches!(kind, "radio" | "checkbox");
                if is_ticked && chance.once_in(2) {
                    continue;
                }
                let is_kept = match kind {
                    // Without its token no form gets further; that is tried too.
                    "hidden" => !chance.once_in(20),
                    "radio" | "checkbox" => !chance.once_in(10),
                    _ => chance.once_in(4),
                };
                if is_kept { value } else { word(chance) }
            }
        };
        fields.push((name, given));
    }
    fields
}

/// Pages with forms, in a game of six after some moves.
fn pages(game: &Game, post: &str) -> Vec<String> {
    let of_game = [
        "",
        "/act",
        "/new",
        "/new/Proposal",
        "/new/Story",
        "/new/Judgement",
        "/post/{post}",
        "/tracker",
        "/messages",
        "/desk",
        "/players/2",
        "/report?about=player:2",
        "/log/5",
        "/rules",
        "/search?q=die",
        "/join",
        "/page/the-wilds",
    ];
    let of_game = of_game.map(|page| format!("/g/{}{}", game.word, page.replace("{post}", post)));
    let of_server = [
        "/settings",
        "/notices",
        "/operator",
        "/operator/security",
        "/found",
        "/sign-in",
        "/sign-up",
        "/recover",
        "/recover/none",
    ];
    of_game
        .into_iter()
        .chain(of_server.map(str::to_owned))
        .collect()
}

/// Somebody opens a page and sends one of its forms.
pub(crate) async fn run(game: &Game, post: &str, seed: u64, case: u64) {
    let mut chance = Chance::of(seed, case);
    let name = chance.of_list(&["Anna", "Bert", "Cora", "Olga", "nobody"]);
    // Whoever has erased their account is nobody too.
    let session = game.table.session_if_any(name).await;
    let session = session.unwrap_or_else(|| SessionToken::fresh().unwrap());
    let page = chance.of_list(&pages(game, post));
    let mut browser = Browser {
        game,
        session,
        place: format!("seed {seed}, case {case}: {page}, as {name}"),
    };
    let text = browser.page(Request::get(&page), Body::empty()).await;
    let sent = {
        let html = Html::parse_document(&text);
        let forms: Vec<_> = html
            .select(&Selector::parse("form[method=post]").unwrap())
            .collect();
        if forms.is_empty() {
            return;
        }
        let form = chance.of_list(&forms);
        let to = form.value().attr("action").unwrap_or(&page).to_owned();
        (to, filled(&form, &mut chance))
    };
    let (to, fields) = sent;
    browser.place = format!("{}: {to} {fields:?}", browser.place);
    browser.send(&to, &fields).await;
    game.table.pass(Span(5_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_filled_in_by_chance_are_answered() {
    let forms = said("QUORATE_FORMS").unwrap_or(FORMS);
    let seed = said("QUORATE_SEED").unwrap_or(1);
    let mut from = said("QUORATE_FROM").unwrap_or(0);
    let end = from + forms;
    while from < end {
        let next = ((from / CASES_OF_A_GAME + 1) * CASES_OF_A_GAME).min(end);
        let game = Game::of_six().await;
        game.table.token("Olga", true).await;
        let proposal =
            json!({ "category": "Proposal", "title": "More lamps", "body": "Two of them." });
        let made = game
            .post("/posts", &proposal)
            .by(&game.anna)
            .gives(201)
            .await;
        let post = made["post"].as_str().unwrap().to_owned();
        for case in from..next {
            run(&game, &post, seed, case).await;
        }
        from = next;
    }
}
