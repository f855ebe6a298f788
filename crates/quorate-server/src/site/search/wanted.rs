//! What a search asks for: words and phrases, and of whom, of which kind, from when to when.

use std::collections::BTreeMap;

use quorate_kernel::{Moment, PlayerId, Span};

use crate::ui::{Choice, Field, FieldKind};
use crate::view::dynasties;
use crate::view::game::GameView;

/// The kinds that are not those of posts.
const RULES: &str = "rules";
const COMMENTS: &str = "comments";
const PEOPLE: &str = "people";

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Words and phrases in small letters; each has to be found.
    pub(crate) words: Vec<String>,
    /// Who wrote it.
    author: Option<PlayerId>,
    /// Rules, comments, people, or the name of a category; empty for everything.
    kind: String,
    /// From when on.
    since: Option<Moment>,
    /// Before when.
    until: Option<Moment>,
    /// The dynasty that it was written in.
    dynasty: Option<u32>,
}

/// Words, and phrases in quotation marks as they stand.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (nth, part) in text.to_lowercase().split('"').enumerate() {
        if nth % 2 == 1 {
            let phrase: Vec<&str> = part.split_whitespace().collect();
            found.push(phrase.join(" "));
        } else {
            found.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    found.retain(|word| !word.is_empty());
    found
}

/// The start of a day that is written as `2027-05-14`.
fn day(text: &str) -> Option<Moment> {
    format!("{text}T00:00Z").parse().ok()
}

impl Wanted {
    /// Reads it from an address.
    pub(crate) fn read(query: &BTreeMap<String, String>) -> Self {
        let one = |name: &str| query.get(name).map_or("", |text| text.trim());
        Self {
            words: words(one("q")),
            author: one("by").parse().ok(),
            kind: one("kind").to_owned(),
            since: day(one("from")),
            until: day(one("to")).map(|last| last + Span::days(1)),
            dynasty: one("dynasty").parse().ok(),
        }
    }

    /// Whether anything is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether rules are looked through; they have neither author nor date.
    pub(crate) fn takes_rules(&self) -> bool {
        matches!(self.kind.as_str(), "" | RULES) && !self.is_dated() && !self.words.is_empty()
    }

    /// Whether people are.
    pub(crate) fn takes_people(&self) -> bool {
        matches!(self.kind.as_str(), "" | PEOPLE) && !self.is_dated() && !self.words.is_empty()
    }

    /// Whether comments are.
    pub(crate) fn takes_comments(&self) -> bool {
        matches!(self.kind.as_str(), "" | COMMENTS)
    }

    /// Whether posts of a category are.
    pub(crate) fn takes_posts_of(&self, category: &str) -> bool {
        self.kind.is_empty() || self.kind == category
    }

    fn is_dated(&self) -> bool {
        self.author.is_some()
            || self.since.is_some()
            || self.until.is_some()
            || self.dynasty.is_some()
    }

    /// Whether something by somebody at a moment is meant.
    pub(crate) fn takes(&self, look: &GameView, author: Option<PlayerId>, at: Moment) -> bool {
        let in_dynasty = self.dynasty.is_none_or(|number| {
            let dynasties = look.public().dynasties;
            let began = dynasties.get(&number).map(|dynasty| dynasty.at);
            let ended = dynasties::end(look, number).map(|(at, _)| at);
            began.is_some_and(|began| at >= began) && ended.is_none_or(|ended| at < ended)
        });
        in_dynasty
            && (self.author.is_none() || self.author == author)
            && self.since.is_none_or(|since| at >= since)
            && self.until.is_none_or(|until| at < until)
    }

    /// The fields beside the words.
    pub(crate) fn fields(&self, look: &GameView, query: &BTreeMap<String, String>) -> Vec<Field> {
        let chosen = |is: bool, choice: Choice| Choice {
            chosen: is,
            ..choice
        };
        let people = look.public().people.keys().map(|id| {
            let choice = Choice::new(id.to_string(), look.name(*id));
            chosen(self.author == Some(*id), choice)
        });
        let mut kinds = vec![
            Choice::new(RULES, "Rules"),
            Choice::new(COMMENTS, "Comments"),
            Choice::new(PEOPLE, look.word("Players")),
        ];
        for name in &look.law().category_order {
            if let Some(category) = look.law().categories.get(name) {
                kinds.push(Choice::new(name.as_str(), category.it.title.clone()));
            }
        }
        for kind in &mut kinds {
            kind.chosen = !self.kind.is_empty() && kind.value == self.kind;
        }
        let numbered = look.public().dynasties.iter().map(|(number, dynasty)| {
            let title = dynasties::title(look, *number, dynasty);
            let choice = Choice::new(number.to_string(), title);
            chosen(self.dynasty == Some(*number), choice)
        });
        let date = |name: &str, label: &str| {
            let typed = query.get(name).cloned().unwrap_or_default();
            let field = Field::new(name, name, label, FieldKind::Line(typed)).optional();
            field.hint("2027-05-14")
        };
        vec![
            Field::new("by", "by", "By", FieldKind::One(people.collect())).blank("anybody"),
            Field::new("kind", "kind", "Kind", FieldKind::One(kinds)).blank("everything"),
            Field::new(
                "dynasty",
                "dynasty",
                "Dynasty",
                FieldKind::One(numbered.collect()),
            )
            .blank("any"),
            date("from", "From"),
            date("to", "To"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_in_quotation_marks_stays_together() {
        let found = words(r#"Salt "on the  Pier" lamp"#);
        assert_eq!(found, ["salt", "on the pier", "lamp"]);
        assert_eq!(words(r#"open "quote"#), ["open", "quote"]);
    }

    #[test]
    fn a_last_day_is_taken_whole() {
        let query = [("to", "2027-05-14"), ("q", "")];
        let query = query.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let wanted = Wanted::read(&query.into());
        assert_eq!(wanted.until, day("2027-05-15"));
        assert!(!wanted.takes_rules(), "a rule has no date");
    }
}
