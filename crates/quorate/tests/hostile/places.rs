//! The places in which rule code runs, each asked for over HTTP.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::list::{HostileText, Program, bad_rule, texts};
use crate::scene::{QUIET, Scene, game_of, token_of};
use crate::site::{Said, Site};

/// How long an answer may take in each place.
const PAGE: Duration = Duration::from_secs(1);
const PREVIEW: Duration = Duration::from_secs(3);
const TESTS: Duration = Duration::from_secs(10);

/// What is answered there without a refusal.
const WELL: [u16; 2] = [200, 201];

/// What is answered where something was refused, stopped, or came too often.
const REFUSED: [u16; 5] = [400, 409, 413, 422, 503];

/// Something hostile in a place, and what was answered.
pub(crate) struct Tried {
    /// What it is.
    pub(crate) name: String,
    pub(crate) place: &'static str,
    pub(crate) took: Duration,
    /// What was answered, in short.
    pub(crate) answer: String,
    status: u16,
    /// The words of which the whole answer has none, though it should.
    missing: Option<String>,
}

impl Tried {
    fn of(name: &str, place: &'static str, said: &Said) -> Self {
        Self {
            name: name.to_owned(),
            place,
            took: said.took,
            answer: short(&said.body),
            status: said.status,
            missing: None,
        }
    }

    /// A program in a place, whose answer must name what was refused, unless it was stopped before that. What the checker puts to
    /// sleep runs nowhere else in force, and a rule that is merely proposed need not run.
    fn of_program(program: &Program, place: &'static str, said: &Said, is_asleep: bool) -> Self {
        let is_named = program.words.iter().any(|words| said.body.contains(words));
        let may_pass = match place {
            "test" => program.words.iter().any(|words| words == "as a test"),
            "action" | "guard" | "hook" => is_asleep,
            "page" => is_asleep || said.body.contains("doesn’t work"),
            "rule" => !is_asleep,
            _ => false,
        };
        let is_harmless = program.words == ["harmless"];
        let is_fitting = is_named || may_pass || is_harmless || said.was_stopped();
        Self {
            missing: (!is_fitting).then(|| program.words.join(", or ")),
            ..Self::of(&program.name, place, said)
        }
    }

    /// What is wrong with the answer, if anything is.
    pub(crate) fn wrong(&self) -> Option<String> {
        let Self {
            name,
            place,
            status,
            answer,
            missing,
            ..
        } = self;
        let is_answer = WELL.contains(status) || (REFUSED.contains(status) && !answer.is_empty());
        match missing {
            Some(words) => Some(format!(
                "{name}, as {place}: {status} {answer}, not: {words}"
            )),
            None if is_answer => None,
            None => Some(format!("{name}, as {place}: {status} {answer}")),
        }
    }

    /// Whether the answer came after its deadline. What stopped a worker is told once it is gone, and where its code was put to sleep,
    /// the rest is done by another one.
    pub(crate) fn is_late(&self) -> bool {
        let deadline = match self.place {
            "preview" => PREVIEW,
            "rule" | "test" => TESTS,
            _ => PAGE,
        };
        self.took > deadline + Duration::from_millis(500)
    }

    /// Whether a worker was stopped over it.
    pub(crate) fn cost_a_worker(&self) -> bool {
        self.answer.contains("was stopped")
    }
}

/// The words of a refusal, or what the answer tells first of what broke.
fn short(body: &str) -> String {
    let json: Json = serde_json::from_str(body).unwrap_or_default();
    for place in ["/detail", "/refusal/text", "/refusal/what", "/title"] {
        if let Some(text) = json.pointer(place).and_then(Json::as_str) {
            return text.to_owned();
        }
    }
    String::new()
}

/// A program in every place. `nth` is its game's number.
pub(crate) fn try_program(
    site: &Site,
    scene: &Scene,
    programs: &[Program],
    nth: usize,
) -> Vec<Tried> {
    let program = &programs[nth];
    let (game, token) = (game_of(nth), token_of(nth));
    let preview = |game: &str, body: &Json| {
        let path = format!("/api/v1/games/{game}/preview");
        site.ask("POST", &path, &token, body)
    };
    let calm = game_of(programs.len());
    let act = |action: &str| acts(site, &game, &token, action, &json!({}));
    let mut tried = vec![
        (
            "preview",
            preview(
                &game,
                &json!({ "changes": [script(program)], "whole": true }),
            ),
        ),
        (
            "rule",
            preview(&calm, &json!({ "changes": [rule(program)] })),
        ),
        ("action", act("run")),
        ("guard", act("guarded")),
        ("hook", act("stir")),
        (
            "page",
            site.ask("GET", &format!("/g/{game}/tracker"), "", &Json::Null),
        ),
        ("script", enacted(site, &game, &token, program)),
    ];
    if !program.needs_game() {
        let body = format!("```starlark-test\n{}```\n", program.test());
        let text = json!({ "changes": [prose()], "tests": true, "body": body });
        tried.push(("test", preview(&calm, &text)));
    }
    // Nobody else's game is touched, and the next command of its own is taken.
    goes_on(site, scene, nth);
    let of = |wanted| tried.iter().find(|(place, _)| *place == wanted);
    let mut is_asleep =
        of("action").is_some_and(|(_, said)| said.body.contains("no action called"));
    let tried = tried.iter().map(|(place, said)| {
        let tried = Tried::of_program(program, place, said, is_asleep);
        // What cost a worker in force is asleep from then on.
        is_asleep |= said.was_stopped() && ["action", "guard", "hook", "page"].contains(place);
        tried
    });
    tried.collect()
}

fn script(program: &Program) -> Json {
    json!({ "do": "script", "code": program.script() })
}

fn prose() -> Json {
    json!({ "do": "prose", "text": "Nothing else." })
}

fn rule(program: &Program) -> Json {
    let text = bad_rule(&program.indented());
    json!({ "do": "add_rule", "id": "worse", "section": "rules", "text": text })
}

fn acts(site: &Site, game: &str, token: &str, action: &str, arguments: &Json) -> Said {
    let body = json!({ "action": action, "arguments": arguments });
    site.ask("POST", &format!("/api/v1/games/{game}/acts"), token, &body)
}

/// A proposal with a script, enacted.
fn enacted(site: &Site, game: &str, token: &str, program: &Program) -> Said {
    let post = json!({
        "category": "Proposal", "title": "Worse", "body": "It gets worse.", "changes": [script(program)],
    });
    let posted = site.ask("POST", &format!("/api/v1/games/{game}/posts"), token, &post);
    let made: Json = serde_json::from_str(&posted.body).unwrap_or_default();
    let Some(post) = made["post"].as_str() else {
        return posted;
    };
    acts(
        site,
        game,
        token,
        "enact",
        &json!({ "proposal": format!("post:{post}") }),
    )
}

/// The next command of a game is taken, and another game's page is drawn.
pub(crate) fn goes_on(site: &Site, scene: &Scene, nth: usize) -> Duration {
    let calm = acts(site, &game_of(nth), &token_of(nth), "calm", &json!({}));
    assert_eq!(calm.status, 201, "{}", calm.body);
    let path = format!("/g/{QUIET}/post/{}", scene.matter);
    let quiet = site.ask("GET", &path, "", &Json::Null);
    assert_eq!(quiet.status, 200, "{}", quiet.body);
    calm.took
}

/// Some texts in every place, in the game that has no program.
pub(crate) fn try_texts(site: &Site, scene: &Scene, one_of: usize) -> Vec<Tried> {
    let texts: Vec<HostileText> = texts().into_iter().step_by(one_of).collect();
    let mut all = Vec::new();
    for (nth, text) in texts.iter().enumerate() {
        // Each by another player, for they are many.
        let (game, token) = (game_of(nth), token_of(nth));
        let words = &text.text;
        let send = |place: &str, body: &Json| {
            site.ask(
                "POST",
                &format!("/api/v1/games/{game}/{place}"),
                &token,
                body,
            )
        };
        let post = |title: &str, body: &str| json!({ "title": title, "body": body });
        let rename = json!({ "do": "rename_player", "player": "player:1", "name": words });
        let heading = json!({ "do": "add_rule", "id": "text", "section": "rules", "text": format!("# {words}\n\n{words}") });
        let tried = [
            ("title", send("posts", &post(words, "Words"))),
            ("text", send("posts", &post("A title", words))),
            ("dice", send("dice", &json!({ "line": words }))),
            ("name", send("preview", &json!({ "changes": [rename] }))),
            (
                "rule's text",
                send("preview", &json!({ "changes": [heading] })),
            ),
        ];
        let tried = tried.iter();
        all.extend(tried.map(|(place, said)| Tried::of(text.name, place, said)));
    }
    goes_on(site, scene, 0);
    all
}
