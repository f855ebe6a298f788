//! What Discord is answered: a message for the sender's eyes alone, with buttons and menus, or a form.

use serde_json::{Value as Json, json};

use crate::dispatch::cut;

/// How much Discord takes of everything, in signs and in things.
pub mod limits {
    /// A message.
    pub const MESSAGE: usize = 2_000;
    /// The id of a button, a menu, a form or a field, in bytes.
    pub const ID: usize = 100;
    /// The words on a button.
    pub const BUTTON: usize = 80;
    /// An option's words, and what is sent for it.
    pub const OPTION: usize = 100;
    /// Rows of a message.
    pub const ROWS: usize = 5;
    /// Buttons of a row.
    pub const BUTTONS: usize = 5;
    /// Options of a menu.
    pub const OPTIONS: usize = 25;
    /// Fields of a form.
    pub const FIELDS: usize = 5;
    /// A form's title, and a field's.
    pub const TITLE: usize = 45;
    /// What is typed into a field.
    pub const TYPED: usize = 4_000;
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiscordReply {
    /// Somebody answers.
    Pong,
    /// A message, for whoever did it.
    Say(DiscordMessage),
    /// A message in the place of the one whose button was pressed.
    Update(DiscordMessage),
    /// A form.
    Ask(DiscordForm),
}

/// A message with what can be pressed under it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiscordMessage {
    /// What it says; no sign of it is Markdown's, and nobody is pinged by it.
    pub text: String,
    /// What can be pressed.
    pub rows: Vec<DiscordRow>,
}

/// A row under a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiscordRow {
    /// Buttons side by side.
    Buttons(Vec<DiscordButton>),
    /// A menu.
    Menu(DiscordMenu),
}

/// A button.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiscordButton {
    /// It is told to us when it is pressed.
    Press {
        /// Its words.
        label: String,
        /// Its id.
        id: String,
        /// Whether it is what stands now.
        is_on: bool,
    },
    /// It leads to a page.
    Lead {
        /// Its words.
        label: String,
        /// Where to, with its https:.
        address: String,
    },
}

/// A menu.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiscordMenu {
    /// Its id.
    pub id: String,
    /// What stands in it until something is picked.
    pub prompt: String,
    /// What is sent, and what it is called.
    pub options: Vec<(String, String)>,
    /// How many can be picked, at least one.
    pub most: usize,
}

/// A form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiscordForm {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its fields.
    pub fields: Vec<DiscordField>,
}

/// A field that somebody types into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiscordField {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub label: String,
    /// Whether it has several lines.
    pub is_long: bool,
    /// Whether it must be filled in.
    pub is_needed: bool,
    /// What stands in it.
    pub value: String,
}

impl DiscordMessage {
    /// A message of words alone.
    pub fn of(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            rows: Vec::new(),
        }
    }

    fn data(&self) -> Json {
        let rows = self.rows.iter().take(limits::ROWS).map(DiscordRow::json);
        json!({
            "content": cut(&plain(&self.text), limits::MESSAGE),
            "flags": EPHEMERAL,
            "allowed_mentions": { "parse": [] },
            "components": rows.collect::<Vec<_>>(),
        })
    }
}

/// Only whoever did it sees the message.
const EPHEMERAL: u32 = 1 << 6;

impl DiscordReply {
    /// As Discord takes it.
    pub fn json(&self) -> Json {
        match self {
            Self::Pong => json!({ "type": 1 }),
            Self::Say(message) => json!({ "type": 4, "data": message.data() }),
            Self::Update(message) => json!({ "type": 7, "data": message.data() }),
            Self::Ask(form) => json!({ "type": 9, "data": form.data() }),
        }
    }
}

impl DiscordRow {
    fn json(&self) -> Json {
        let inner = match self {
            Self::Buttons(buttons) => {
                let buttons = buttons.iter().take(limits::BUTTONS);
                buttons.map(DiscordButton::json).collect::<Vec<_>>()
            }
            Self::Menu(menu) => vec![menu.json()],
        };
        json!({ "type": 1, "components": inner })
    }
}

impl DiscordButton {
    fn json(&self) -> Json {
        match self {
            Self::Press { label, id, is_on } => json!({
                "type": 2,
                "style": if *is_on { 1 } else { 2 },
                "label": cut(label, limits::BUTTON),
                "custom_id": id,
            }),
            Self::Lead { label, address } => json!({
                "type": 2,
                "style": 5,
                "label": cut(label, limits::BUTTON),
                "url": address,
            }),
        }
    }
}

impl DiscordMenu {
    fn json(&self) -> Json {
        let options = self.options.iter().take(limits::OPTIONS);
        let options: Vec<Json> = options
            .map(|(value, label)| json!({ "value": value, "label": cut(label, limits::OPTION) }))
            .collect();
        json!({
            "type": 3,
            "custom_id": self.id,
            "placeholder": cut(&self.prompt, limits::OPTION),
            "min_values": 1,
            "max_values": self.most.clamp(1, options.len().max(1)),
            "options": options,
        })
    }
}

impl DiscordForm {
    fn data(&self) -> Json {
        let fields = self.fields.iter().take(limits::FIELDS).map(|field| {
            let mut input = json!({
                "type": 4,
                "custom_id": field.id,
                "label": cut(&field.label, limits::TITLE),
                "style": if field.is_long { 2 } else { 1 },
                "required": field.is_needed,
                "max_length": limits::TYPED,
            });
            if !field.value.is_empty() {
                input["value"] = json!(cut(&field.value, limits::TYPED));
            }
            json!({ "type": 1, "components": [input] })
        });
        json!({
            "custom_id": self.id,
            "title": cut(&self.title, limits::TITLE),
            "components": fields.collect::<Vec<_>>(),
        })
    }
}

/// Text in which no sign is Markdown's.
fn plain(text: &str) -> String {
    crate::dialect::chat::plain_markdown(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_keep_to_what_discord_takes() {
        let long = "ä".repeat(5_000);
        let press = || DiscordButton::Press {
            label: long.clone(),
            id: "v".to_owned(),
            is_on: true,
        };
        let menu = DiscordMenu {
            id: "a".to_owned(),
            prompt: long.clone(),
            options: vec![("x".to_owned(), long.clone()); 40],
            most: 99,
        };
        let message = DiscordMessage {
            text: long.clone(),
            rows: [
                vec![DiscordRow::Menu(menu)],
                vec![DiscordRow::Buttons((0..9).map(|_| press()).collect()); 9],
            ]
            .concat(),
        };
        let said = DiscordReply::Say(message).json();
        assert_eq!(said["type"], 4);
        assert_eq!(said["data"]["flags"], 64);
        assert_eq!(said["data"]["allowed_mentions"], json!({ "parse": [] }));
        let signs = |json: &Json| json.as_str().expect("a text").chars().count();
        assert!(signs(&said["data"]["content"]) <= limits::MESSAGE);
        let rows = said["data"]["components"].as_array().expect("rows");
        assert_eq!(rows.len(), limits::ROWS);
        let menu = &rows[0]["components"][0];
        assert_eq!(menu["options"].as_array().map(Vec::len), Some(25));
        assert_eq!(menu["max_values"], 25);
        assert!(signs(&menu["options"][0]["label"]) <= limits::OPTION);
        let buttons = rows[1]["components"].as_array().expect("buttons");
        assert_eq!(buttons.len(), limits::BUTTONS);
        assert!(signs(&buttons[0]["label"]) <= limits::BUTTON);
        let field = DiscordField {
            id: "wish".to_owned(),
            label: long.clone(),
            is_long: false,
            is_needed: true,
            value: String::new(),
        };
        let form = DiscordForm {
            id: "f".to_owned(),
            title: long,
            fields: vec![field; 9],
        };
        let asked = DiscordReply::Ask(form).json();
        assert_eq!(asked["type"], 9);
        assert!(signs(&asked["data"]["title"]) <= limits::TITLE);
        let rows = asked["data"]["components"].as_array().expect("rows");
        assert_eq!(rows.len(), limits::FIELDS);
        assert!(signs(&rows[0]["components"][0]["label"]) <= limits::TITLE);
        assert_eq!(DiscordReply::Pong.json(), json!({ "type": 1 }));
    }

    #[test]
    fn nothing_that_players_write_is_markdown_or_a_ping() {
        let message = DiscordMessage::of("**Rock** [here](https://example.org) @everyone");
        let said = DiscordReply::Update(message).json();
        assert_eq!(said["type"], 7);
        assert_eq!(
            said["data"]["content"],
            "\\*\\*Rock\\*\\* \\[here\\](https://example.org) @everyone"
        );
    }
}
