//! Changes of a draft that are neither a rule's text nor code nor prose: written as the list of data that the API takes.

use std::fmt::Write as _;

use quorate_engine::changes;
use quorate_engine::changes::Change;
use quorate_kernel::Refusal;
use quorate_kernel::patch::Clause;

use crate::ui::Choice;
use crate::view::game::GameView;

/// What the choice of a change sends for one of these, before its word.
const PREFIX: &str = "other:";

/// Each kind with what people call it, and one such change to be filled in.
const KINDS: [(&str, &str); 13] = [
    (
        "Set a value",
        r#"{ "do": "set_value", "thing": "a player's name", "name": "gold", "value": 10 }"#,
    ),
    (
        "Add to a value, or take away",
        r#"{ "do": "add_to_value", "thing": "a player's name", "name": "gold", "amount": 5 }"#,
    ),
    (
        "Put something into a list, or take it out",
        r#"{ "do": "script", "code": "game.a_list += [\"something\"]" }"#,
    ),
    (
        "Something new comes into the game",
        r#"{ "do": "create_thing", "kind": "Kind", "values": { "name": "Its name" } }"#,
    ),
    (
        "Something leaves the game",
        r#"{ "do": "remove_thing", "thing": "entity:1" }"#,
    ),
    (
        "Another word of the theme",
        r#"{ "do": "set_term", "name": "player", "one": "Keeper", "many": "Keepers" }"#,
    ),
    (
        "Rename a player",
        r#"{ "do": "rename_player", "player": "a name", "name": "another name" }"#,
    ),
    (
        "Remove a player",
        r#"{ "do": "remove_player", "player": "a name", "bar": false }"#,
    ),
    (
        "Write a page",
        r#"{ "do": "set_page", "name": "page", "text": "What it says." }"#,
    ),
    (
        "Switch a rule off or on",
        r#"{ "do": "switch_rule", "id": "rule", "on": false }"#,
    ),
    (
        "Move a rule",
        r#"{ "do": "move_rule", "id": "rule", "section": "dynastic" }"#,
    ),
    (
        "A ruling: events of the log that should not have been, or that stand",
        r#"{ "do": "strike", "events": [12], "uphold": [] }"#,
    ),
    (
        "Only if something holds",
        r#"{ "do": "when", "test": "len(players()) > 5", "changes": [] }"#,
    ),
];

/// The kinds, for the choice of what to change next.
pub(crate) fn choices() -> impl Iterator<Item = Choice> {
    let kinds = KINDS.iter().enumerate();
    kinds.map(|(nth, (title, _))| Choice::new(format!("{PREFIX}{nth}"), *title))
}

/// The list with one more change to be filled in, if the choice is one of these.
pub(crate) fn with(text: &str, choice: &str) -> Option<String> {
    let nth: usize = choice.strip_prefix(PREFIX)?.parse().ok()?;
    let (_, change) = KINDS.get(nth)?;
    let before = text.trim().trim_end_matches(']').trim_end();
    Some(match before {
        "" | "[" => format!("[\n  {change}\n]"),
        before => format!("{before},\n  {change}\n]"),
    })
}

/// The list with a ruling that strikes an event.
pub(crate) fn striking(event: u64) -> String {
    format!("[\n  {{ \"do\": \"strike\", \"events\": [{event}], \"uphold\": [] }}\n]")
}

/// The clauses that the list stands for.
pub(crate) fn read(look: &GameView, text: &str) -> Result<Vec<Clause>, Refusal> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let list: Vec<Change> = serde_json::from_str(text)
        .map_err(|error| Refusal::plain(format!("other changes that can be read ({error})")))?;
    let patch = look.ask(|asked| asked.patch(&list));
    let patch =
        patch.map_err(|bad| Refusal::plain(format!("other changes that fit the game ({bad})")))?;
    Ok(patch.clauses)
}

/// The list that stands for clauses, a change to a line; nothing for none.
pub(crate) fn write(clauses: &[Clause]) -> String {
    let mut text = String::new();
    for change in changes::changes(clauses) {
        let before = if text.is_empty() { "[\n  " } else { ",\n  " };
        // Changes are plain data, which nothing keeps from being written.
        let line = serde_json::to_string(&change).unwrap_or_default();
        let _ = write!(text, "{before}{line}");
    }
    if !text.is_empty() {
        text.push_str("\n]");
    }
    text
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Thing;

    use super::*;

    #[test]
    fn every_kind_that_is_offered_can_be_read() {
        let mut text = String::new();
        for choice in choices() {
            text = with(&text, &choice.value).expect("the choice is one of these");
        }
        let read: Vec<Change> = serde_json::from_str(&text).expect("a list of changes");
        assert_eq!(read.len(), KINDS.len());
    }

    #[test]
    fn a_choice_of_another_kind_is_left_alone() {
        assert_eq!(with("", "new:core"), None);
        assert_eq!(with("", "other:99"), None);
    }

    #[test]
    fn clauses_are_written_as_they_are_read() {
        let clauses = [
            Clause::AddToValue {
                thing: Thing::Game,
                name: "gold".into(),
                amount: -3,
            },
            Clause::SwitchRule {
                id: "toll".into(),
                on: false,
            },
        ];
        let text = write(&clauses);
        let read: Vec<Change> = serde_json::from_str(&text).expect("a list of changes");
        assert_eq!(read, changes::changes(&clauses));
        assert_eq!(write(&[]), "");
    }
}
