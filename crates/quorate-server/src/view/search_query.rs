//! What a search asks for, typed in one line or in fields: words and phrases, of whom, of which kind, from when to when.

use std::collections::BTreeMap;

use quorate_kernel::{Moment, Name, PlayerId, Span};
use quorate_runtime::ports::{SearchPart, SearchQuery, SearchTerm, search_words};

use crate::ui::urls::Href;
use crate::view::dynasties;
use crate::view::game::GameView;

/// What somebody typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchTyped {
    /// Words, phrases in quotation marks, and fields as `by:Anna`.
    pub(crate) q: String,
    /// Who wrote it: a name or a player's number.
    pub(crate) by: String,
    /// What sort of text, or which category.
    pub(crate) kind: String,
    /// The first day.
    pub(crate) from: String,
    /// The last day.
    pub(crate) to: String,
    /// The dynasty that it was written in.
    pub(crate) dynasty: String,
}

/// What of it cannot be meant, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct SearchMistake {
    /// The field.
    pub(crate) field: &'static str,
    /// What is wrong with it.
    pub(crate) why: String,
}

fn mistake(field: &'static str, why: String) -> SearchMistake {
    SearchMistake { field, why }
}

/// A part of a line: a field's name where there is one, its words, and whether they stood in quotation marks.
#[derive(Debug, PartialEq, Eq)]
struct LinePart {
    field: String,
    words: String,
    is_quoted: bool,
}

/// The parts of a line. A quotation mark that nothing ends holds to the end.
fn parts(line: &str) -> Vec<LinePart> {
    let mut parts = Vec::new();
    let mut rest = line.replace(['“', '”', '„'], "\"");
    loop {
        rest = rest.trim_start().to_owned();
        if rest.is_empty() {
            return parts;
        }
        let end = rest.find(|letter: char| letter.is_whitespace() || letter == '"');
        let head = &rest[..end.unwrap_or(rest.len())];
        let quoted = rest[head.len()..].strip_prefix('"');
        let is_quoted = quoted.is_some() && (head.is_empty() || head.ends_with(':'));
        let (words, length) = match quoted.filter(|_| is_quoted) {
            Some(quoted) => {
                let words = quoted.split('"').next().unwrap_or_default();
                (words.to_owned(), head.len() + 1 + words.len() + 1)
            }
            None => (String::new(), head.len()),
        };
        let (field, word) = head.split_once(':').unwrap_or(("", head));
        parts.push(LinePart {
            field: field.to_lowercase(),
            words: if is_quoted { words } else { word.to_owned() },
            is_quoted,
        });
        rest = rest.get(length..).unwrap_or_default().to_owned();
    }
}

impl SearchTyped {
    /// What an address asks for.
    pub(crate) fn of(query: &BTreeMap<String, String>) -> Self {
        let one = |name: &str| query.get(name).map_or("", |text| text.trim()).to_owned();
        Self {
            q: one("q"),
            by: one("by"),
            kind: one("kind"),
            from: one("from"),
            to: one("to"),
            dynasty: one("dynasty"),
        }
    }

    /// An address that asks for it.
    pub(crate) fn on(&self, address: impl Into<Href>) -> Href {
        let mut href = address.into();
        for (name, value) in [
            ("q", &self.q),
            ("by", &self.by),
            ("kind", &self.kind),
            ("from", &self.from),
            ("to", &self.to),
            ("dynasty", &self.dynasty),
        ] {
            if !value.is_empty() {
                href = href.with(name, value);
            }
        }
        href
    }

    /// Whether nothing was typed.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What it asks of a game.
    ///
    /// # Errors
    /// Names the field that cannot be meant.
    pub(crate) fn read(&self, view: &GameView) -> Result<SearchQuery, SearchMistake> {
        let mut whole = self.clone();
        let mut query = SearchQuery::default();
        for part in parts(&self.q) {
            let field = match part.field.as_str() {
                "by" => &mut whole.by,
                "kind" => &mut whole.kind,
                "from" => &mut whole.from,
                "to" => &mut whole.to,
                "dynasty" => &mut whole.dynasty,
                field => {
                    let words = search_words(&format!("{field} {}", part.words));
                    query
                        .terms
                        .extend(terms(words, part.is_quoted || !field.is_empty()));
                    continue;
                }
            };
            *field = part.words;
        }
        whole.read_fields(view, &mut query)?;
        Ok(query)
    }

    fn read_fields(&self, view: &GameView, query: &mut SearchQuery) -> Result<(), SearchMistake> {
        if !self.by.trim().is_empty() {
            query.by = Some(player(view, self.by.trim())?);
        }
        if !self.kind.trim().is_empty() {
            kind(view, self.kind.trim(), query)?;
        }
        query.since = day("from", self.from.trim())?;
        query.until = day("to", self.to.trim())?.map(|last| last + Span::days(1));
        if !self.dynasty.trim().is_empty() {
            let (began, ended) = dynasty(view, self.dynasty.trim())?;
            query.since = Some(query.since.map_or(began, |since| since.max(began)));
            query.until = match (query.until, ended) {
                (Some(until), Some(ended)) => Some(until.min(ended)),
                (until, ended) => until.or(ended),
            };
        }
        Ok(())
    }
}

/// One word as it is, several as a phrase.
fn terms(words: Vec<String>, is_phrase: bool) -> Option<SearchTerm> {
    match words.len() {
        0 => None,
        1 if !is_phrase => words.into_iter().next().map(SearchTerm::of_word),
        _ => Some(SearchTerm::Phrase(words)),
    }
}

fn player(view: &GameView, word: &str) -> Result<PlayerId, SearchMistake> {
    if word == "me"
        && let Some(me) = view.me()
    {
        return Ok(me);
    }
    let people = view.public().people;
    let number = word.trim_start_matches("player:").parse();
    if let Some(id) = number.ok().filter(|id| people.contains_key(id)) {
        return Ok(id);
    }
    let small = word.to_lowercase();
    let mut named = people
        .keys()
        .filter(|id| view.name(**id).to_lowercase() == small);
    let found = named.next().copied();
    found.ok_or_else(|| mistake("by", format!("Nobody here is called “{word}”.")))
}

fn kind(view: &GameView, word: &str, query: &mut SearchQuery) -> Result<(), SearchMistake> {
    let small = word.to_lowercase();
    if let Some(part) = SearchPart::of_word(&small) {
        query.part = Some(part);
        return Ok(());
    }
    let mut categories = view.law().categories.iter();
    let named = categories.find(|(name, decl)| {
        name.as_str().to_lowercase() == small || decl.it.title.to_lowercase() == small
    });
    let Some((name, _)) = named else {
        let words = SearchPart::ALL.map(SearchPart::word).join(", ");
        let why = format!("There is no kind “{word}”: use {words}, or a kind of post.");
        return Err(mistake("kind", why));
    };
    query.category = Some(Name::from(name.as_str()));
    Ok(())
}

/// The start of a day that is written as `2027-05-14`.
fn day(field: &'static str, text: &str) -> Result<Option<Moment>, SearchMistake> {
    if text.is_empty() {
        return Ok(None);
    }
    let read = format!("{text}T00:00Z").parse();
    let why = || format!("“{text}” is no day: write it as 2027-05-14.");
    read.map(Some).map_err(|_| mistake(field, why()))
}

/// When a dynasty began and ended.
fn dynasty(view: &GameView, word: &str) -> Result<(Moment, Option<Moment>), SearchMistake> {
    let number: Option<u32> = word.parse().ok();
    let found = number.and_then(|number| Some((number, view.public().dynasties.get(&number)?)));
    let why = || mistake("dynasty", format!("There is no dynasty “{word}”."));
    let (number, dynasty) = found.ok_or_else(why)?;
    Ok((dynasty.at, dynasties::end(view, number).map(|(at, _)| at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(line: &str) -> Vec<(String, String, bool)> {
        let parts = parts(line).into_iter();
        parts
            .map(|part| (part.field, part.words, part.is_quoted))
            .collect()
    }

    fn part(field: &str, words: &str, is_quoted: bool) -> (String, String, bool) {
        (field.to_owned(), words.to_owned(), is_quoted)
    }

    #[test]
    fn a_line_has_words_phrases_and_fields() {
        assert_eq!(
            parts_of(r#"Salt "on the  Pier" by:Anna BY:"Anna Lee" from:2027-05-14"#),
            [
                part("", "Salt", false),
                part("", "on the  Pier", true),
                part("by", "Anna", false),
                part("by", "Anna Lee", true),
                part("from", "2027-05-14", false),
            ]
        );
        assert_eq!(
            parts_of("open “quote"),
            [part("", "open", false), part("", "quote", true)]
        );
        assert_eq!(parts_of(r#"" "#), [part("", " ", true)]);
        assert_eq!(
            parts_of(r#"a"b"#),
            [part("", "a", false), part("", "b", true)]
        );
        assert_eq!(parts_of("  "), []);
    }

    #[test]
    fn a_word_with_a_sign_in_it_is_a_phrase() {
        let read = |text: &str| terms(search_words(text), false);
        assert_eq!(
            read("ferry"),
            Some(SearchTerm::Beginning("ferry".to_owned()))
        );
        let both = ["self", "killed"].map(str::to_owned).to_vec();
        assert_eq!(read("self-killed"), Some(SearchTerm::Phrase(both)));
        assert_eq!(read("!!"), None);
    }

    #[test]
    fn a_day_is_read_or_told() {
        assert_eq!(day("from", ""), Ok(None));
        assert!(day("from", "2027-05-14").unwrap().is_some());
        let error = day("to", "yesterday").unwrap_err();
        assert_eq!(error.field, "to");
        assert!(error.why.contains("yesterday"));
    }
}
