//! Requests made from the site's own document: no answer is an error of the server's, and each is one that the document says.
//!
//! `QUORATE_CASES` says how many (some hundreds, if nothing is said), `QUORATE_SEED` where they begin. A case depends on the
//! seed and its number alone, so a failure names both, and a long run is taken up again with `QUORATE_FROM`.

pub(crate) mod forms;

use std::fmt::Write as _;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use quorate_kernel::Span;
use serde_json::{Map, Value as Json, json};

use crate::Game;

/// How many cases are run where nothing is said.
const CASES: u64 = 300;

/// How many cases go to one game; the next begin with a new one.
pub(crate) const CASES_OF_A_GAME: u64 = 200;

/// How deep a generated value is.
const DEPTH: usize = 4;

/// Chance that can be repeated: the generator "splitmix64".
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn of(seed: u64, case: u64) -> Self {
        Self(seed ^ case.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap()
    }

    /// Once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn of_list<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// Words that mean something in a game, and words that are meant to hurt.
fn word(chance: &mut Chance) -> String {
    let words = [
        "",
        "Proposal",
        "proposal",
        "Story",
        "Anna",
        "Bert",
        "player:1",
        "player:2",
        "post:1",
        "1",
        "2",
        "7",
        "-1",
        "0",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "1e400",
        "NaN",
        "null",
        "true",
        "DICE6",
        "DICE99999999999999999999999",
        "3DICE6",
        "for",
        ":for:",
        "resolution",
        "chain",
        "judgement",
        "../../secret",
        "%00",
        "a\u{0}b",
        "\u{202e}abc",
        "\u{200b}",
        "😀",
        "e\u{301}",
        "<script>alert(1)</script>",
        "' OR 1=1 --",
        "${7*7}",
        "2031-05-04T09:00Z",
        "2031-13-99",
        "\n\n\n",
        "```starlark\nx = [\n```",
        "# Title\n\n1. Clause.",
    ];
    match chance.below(40) {
        0 => "x".repeat(70_000),
        1 => "[".repeat(3_000),
        2 => (0..chance.below(30))
            .map(|_| char::from_u32(u32::try_from(chance.below(0x2_0000)).unwrap()).unwrap_or('?'))
            .collect(),
        _ => chance.of_list(&words).to_owned(),
    }
}

fn number(chance: &mut Chance) -> Json {
    let numbers = [
        json!(0),
        json!(1),
        json!(2),
        json!(-1),
        json!(100),
        json!(101),
        json!(200),
        json!(201),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1.5),
        json!(1e300),
        json!(4_294_967_296_u64),
        json!(9_007_199_254_740_993_u64),
    ];
    chance.of_list(&numbers)
}

/// A value of any type.
fn anything(chance: &mut Chance, depth: usize) -> Json {
    match chance.below(if depth == 0 { 4 } else { 6 }) {
        0 => Json::Null,
        1 => json!(chance.once_in(2)),
        2 => number(chance),
        3 => json!(word(chance)),
        4 => (0..chance.below(4))
            .map(|_| anything(chance, depth - 1))
            .collect(),
        _ => {
            let fields = (0..chance.below(4)).map(|_| (word(chance), anything(chance, depth - 1)));
            Json::Object(
                fields
                    .collect::<Vec<_>>()
                    .into_iter()
                    .collect::<Map<_, _>>(),
            )
        }
    }
}

/// A value of a schema, now and then of none.
fn value(document: &Json, schema: &Json, chance: &mut Chance, depth: usize) -> Json {
    if chance.once_in(25) {
        return anything(chance, depth.min(2));
    }
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/components/schemas/");
        let known = &document["components"]["schemas"][name];
        return value(document, known, chance, depth.saturating_sub(1));
    }
    for of in ["oneOf", "anyOf"] {
        if let Some(ways) = schema[of].as_array() {
            let way = chance.of_list(ways);
            return value(document, &way, chance, depth);
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut whole = Map::new();
        for part in parts {
            if let Json::Object(fields) = value(document, part, chance, depth) {
                whole.extend(fields);
            }
        }
        return Json::Object(whole);
    }
    if let Some(words) = schema["enum"].as_array() {
        return chance.of_list(words);
    }
    if !schema["const"].is_null() {
        return schema["const"].clone();
    }
    let kind = match &schema["type"] {
        Json::String(kind) => kind.clone(),
        Json::Array(kinds) => chance.of_list(kinds).as_str().unwrap_or("null").to_owned(),
        _ => return anything(chance, depth.min(2)),
    };
    match kind.as_str() {
        "null" => Json::Null,
        "boolean" => json!(chance.once_in(2)),
        "integer" | "number" => number(chance),
        "string" => json!(word(chance)),
        "array" if depth == 0 => json!([]),
        "array" => {
            let count = chance.below(4);
            (0..count)
                .map(|_| value(document, &schema["items"], chance, depth - 1))
                .collect()
        }
        _ => object(document, schema, chance, depth),
    }
}

fn object(document: &Json, schema: &Json, chance: &mut Chance, depth: usize) -> Json {
    let mut fields = Map::new();
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    for (name, of) in schema["properties"].as_object().into_iter().flatten() {
        let is_wanted = required.contains(&name.as_str()) && !chance.once_in(20);
        if is_wanted || (depth > 0 && chance.once_in(2)) {
            fields.insert(
                name.clone(),
                value(document, of, chance, depth.saturating_sub(1)),
            );
        }
    }
    if chance.once_in(20) {
        fields.insert(word(chance), anything(chance, 1));
    }
    Json::Object(fields)
}

/// As a part of an address.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes().take(2_000) {
        if byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").unwrap();
        }
    }
    out
}

/// A scalar as a query says it.
fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// An operation: method, template, description. A stream never ends, so it is left to its own tests.
fn operations(document: &Json) -> Vec<(String, String, Json)> {
    let mut found = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            if !path.ends_with("/stream") {
                found.push((method.clone(), path.clone(), operation.clone()));
            }
        }
    }
    found
}

async fn run(game: &Game, operations: &[(String, String, Json)], seed: u64, case: u64) {
    let mut chance = Chance::of(seed, case);
    let document = &game.table.document;
    let (method, template, operation) = chance.of_list(operations);
    let mut path = template.trim_start_matches("/api/v1").to_owned();
    let mut query = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap();
        let given = if name == "game" && !chance.once_in(12) {
            game.word.clone()
        } else {
            plain(&value(document, &parameter["schema"], &mut chance, 1))
        };
        match parameter["in"].as_str() {
            Some("path") => {
                // An empty part would be another address.
                let given = if given.is_empty() {
                    "0".to_owned()
                } else {
                    given
                };
                path = path.replace(&format!("{{{name}}}"), &escaped(&given));
            }
            Some("query") if chance.once_in(2) => query.push(format!("{name}={}", escaped(&given))),
            _ => {}
        }
    }
    if chance.once_in(30) {
        query.push(format!(
            "{}={}",
            escaped(&word(&mut chance)),
            escaped(&word(&mut chance))
        ));
    }
    if !query.is_empty() {
        path = format!("{path}?{}", query.join("&"));
    }
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let mut call = match method.as_str() {
        "post" => {
            let body = value(document, schema, &mut chance, DEPTH);
            let call = game.table.post(&path, &body);
            if chance.once_in(30) {
                call.raw(word(&mut chance).into_bytes())
            } else {
                call
            }
        }
        _ => game.table.get(&path),
    };
    call = match chance.below(8) {
        0 => call,
        1 => call.by("q_nobody"),
        2 | 3 => call.by(&game.bert),
        4 => call.by(&game.others[0]),
        _ => call.by(&game.anna),
    };
    if chance.once_in(6) {
        let key = word(&mut chance);
        let key: String = key
            .chars()
            .filter(char::is_ascii_graphic)
            .take(90)
            .collect();
        call = call.key(&key);
    }
    let answered = AssertUnwindSafe(call.answer()).catch_unwind().await;
    let place = format!("seed {seed}, case {case}: {method} {path}");
    let Ok(answer) = answered else {
        panic!("{place}: see above");
    };
    let is_fine = !answer.status.is_server_error();
    assert!(is_fine, "{place}: {}: {:#}", answer.status, answer.body);
    // So that allowances fill up again, and what is due happens.
    game.table.pass(Span(3_000));
}

pub(crate) fn said(name: &str) -> Option<u64> {
    let said = std::env::var(name).ok()?;
    Some(
        said.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {said}")),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_from_the_document_is_answered_as_it_says() {
    let cases = said("QUORATE_CASES").unwrap_or(CASES);
    let seed = said("QUORATE_SEED").unwrap_or(1);
    let mut from = said("QUORATE_FROM").unwrap_or(0);
    let end = from + cases;
    while from < end {
        // Games begin at numbers of their own, so that a case meets the same game in every run that begins there.
        let next = ((from / CASES_OF_A_GAME + 1) * CASES_OF_A_GAME).min(end);
        let game = Game::of_six().await;
        let operations = operations(&game.table.document);
        for case in from..next {
            run(&game, &operations, seed, case).await;
        }
        from = next;
    }
}
