//! Words of the theme: tokens in prose become what this dynasty says.

use quorate_kernel::rows::CellKey;
use quorate_kernel::state::State;
use quorate_kernel::{Name, Refusal, Thing, Value};
use quorate_law::capital;

use crate::law::Law;

/// What a refusal needs where code of a rule broke.
pub const WORKING_CODE: &str = "code of the rule that works";

/// The longest words that stand for a token, in bytes: a text may have tens of thousands of them.
pub const WORDS_MAX: usize = quorate_law::TERM_MAX;

/// A text with its tokens replaced: `{player}`, `{players}`, `{a player}`, capitals kept; `{name}` of a value of the
/// game shows the value, unless that is too long. What is no token stays as it is.
pub fn worded(state: &State, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        // A token holds no brace, so that none is looked for beyond the next one.
        let end = after.find(['{', '}']);
        let token = end.and_then(|end| Some((&after[..end], after[end..].strip_prefix('}')?)));
        match token.and_then(|(token, tail)| Some((word(state, token)?, tail))) {
            Some((word, tail)) => {
                out.push_str(&word);
                rest = tail;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// A refusal with the tokens in its words replaced, as [`worded`] does.
pub fn worded_refusal(state: &State, refusal: &Refusal) -> Refusal {
    let mut refusal = refusal.clone();
    let texts = refusal.needs.iter_mut();
    let texts = texts.flat_map(|need| [&mut need.what, &mut need.have, &mut need.need]);
    for text in texts.chain([&mut refusal.rule]) {
        *text = worded(state, text);
    }
    refusal
}

fn word(state: &State, token: &str) -> Option<String> {
    let (article, name) = match token.split_once(' ') {
        Some((article @ ("a" | "an" | "A" | "An"), name)) => (Some(article), name),
        Some(_) => return None,
        None => (None, token),
    };
    let lower = name.to_lowercase();
    let found = state
        .terms
        .get(lower.as_str())
        .map(|term| term.one.clone())
        .or_else(|| {
            let many = state.terms.get(lower.strip_suffix('s')?);
            many.map(|term| term.many.clone())
        });
    let Some(word) = found else {
        return value(state, token);
    };
    let word = if name.starts_with(char::is_uppercase) {
        capital(&word)
    } else {
        word
    };
    Some(match article {
        Some(article) => {
            let small = quorate_law::with_article(&word);
            if article.starts_with('A') {
                capital(&small)
            } else {
                small
            }
        }
        None => word,
    })
}

/// The theme's word for one thing of a kind.
pub fn kind_title(state: &State, law: &Law, kind: &Name) -> String {
    if *kind == "Player" {
        return worded(state, "{Player}")
            .trim_matches(['{', '}'])
            .to_owned();
    }
    match law.entities.get(kind) {
        Some(entity) if entity.it.title != kind.as_str() => worded(state, &entity.it.title),
        _ => spaced(kind.as_str()),
    }
}

/// A kind's code name as words: `BoatHouse` as "Boat house".
pub fn spaced(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    words
}

/// The live value of the game that a token names.
fn value(state: &State, token: &str) -> Option<String> {
    let cell = state.cells.get(&CellKey {
        thing: Thing::Game,
        name: token.into(),
    })?;
    let words = match cell.value.open() {
        Value::Thing(Thing::Player(id)) => state
            .people
            .get(id)
            .map(|person| person.name.as_str().to_owned())
            .unwrap_or_default(),
        Value::Text(text) => text.as_str().to_owned(),
        other => crate::convert::describe(&crate::convert::datum(other))
            .trim_matches('"')
            .to_owned(),
    };
    (words.len() <= WORDS_MAX).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate_kernel::law::Term;

    #[test]
    fn tokens_become_the_words_of_the_theme() {
        let mut state = State::default();
        let term = |one: &str, many: &str| Term {
            one: one.to_owned(),
            many: many.to_owned(),
        };
        state
            .terms
            .insert("player".into(), term("Adventurer", "Adventurers"));
        state
            .terms
            .insert("emperor".into(), term("Dungeon Master", "Dungeon Masters"));
        let text = "{A player} and {an emperor}; {players} {unknown} {";
        assert_eq!(
            worded(&state, text),
            "An Adventurer and a Dungeon Master; Adventurers {unknown} {"
        );
    }

    #[test]
    fn braces_without_an_end_cost_nothing() {
        let mut state = State::default();
        let many = Term {
            one: "Sailor".to_owned(),
            many: "Sailors".to_owned(),
        };
        state.terms.insert("player".into(), many);
        assert_eq!(
            worded(&state, "{{{a player}} {players"),
            "{{a Sailor} {players"
        );
        // Each brace once looked for its end through all the rest, which took a minute.
        let text = "{".repeat(200_000) + "}";
        assert_eq!(worded(&state, &text), text);
    }

    #[test]
    fn a_kinds_name_reads_as_words() {
        assert_eq!(spaced("SpecialTitle"), "Special title");
        assert_eq!(spaced("Location"), "Location");
    }
}
