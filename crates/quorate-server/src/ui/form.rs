//! Forms made from data: the fields that an action declares, and the actions themselves.

use askama::Template;

use crate::ui::dice::Die;
use crate::ui::html::writes_html;
use crate::ui::refusal::{Cite, Refusal};
use crate::ui::urls::Href;

/// How many letters of a choice fit beside another.
const WORDY: usize = 36;

/// Where a form goes, with what lets it in: the session's token, and a key that makes a second arrival of the same form
/// harmless.
#[derive(Clone, Debug, PartialEq, Eq, Template)]
#[template(path = "ui/send.html")]
pub struct Send {
    /// The address that takes it.
    pub to: Href,
    /// The token of the reader's session, masked for this page.
    pub csrf: String,
    /// The sender's key; forms that change nothing twice need none.
    pub key: Option<String>,
    /// What else goes along unseen: the post that a button is on, the version that was edited.
    pub along: Vec<(String, String)>,
}

impl Send {
    /// A form with neither key nor company.
    pub fn new(to: impl Into<Href>, csrf: impl Into<String>) -> Self {
        Self {
            to: to.into(),
            csrf: csrf.into(),
            key: None,
            along: Vec::new(),
        }
    }

    /// The same form with one more unseen field.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.along.push((name.into(), value.into()));
        self
    }

    /// The same form under the sender's key.
    #[must_use]
    pub fn keyed(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

/// One of the things a field offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What the form sends.
    pub value: String,
    /// What is read: "E4, slip to E5".
    pub title: String,
    /// Whether it is chosen as the page comes.
    pub chosen: bool,
}

impl Choice {
    /// A thing that is not chosen yet.
    pub fn new(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            title: title.into(),
            chosen: false,
        }
    }
}

/// What a field takes. It mirrors the types that a rule's action may declare for its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// One of a list: a thing, a square, a word from a fixed set.
    One(Vec<Choice>),
    /// One of a few, all in sight.
    OneInSight(Vec<Choice>),
    /// Any number of a list.
    Many(Vec<Choice>),
    /// A whole number, within limits where the law sets them.
    Number {
        /// As it was typed or as it stands.
        value: String,
        /// Least.
        min: Option<i64>,
        /// Most.
        max: Option<i64>,
    },
    /// A line of text.
    Line(String),
    /// Several lines of prose.
    Prose(String),
    /// Several lines of rule code.
    Code(String),
    /// Yes or no.
    Flag(bool),
    /// A secret: shown as dots, never sent back to the page.
    Password {
        /// Whether it is a new one, for the browser's own keeper of passwords.
        fresh: bool,
    },
    /// The name of an account, which the browser may know.
    Account(String),
    /// A mail address.
    Mail(String),
    /// A moment in UTC.
    Moment(String),
    /// A picture to upload.
    Picture,
}

/// A labelled field, which keeps what was typed and shows its own error.
#[derive(Clone, Debug, PartialEq, Eq, Template)]
#[template(path = "ui/field.html")]
pub struct Field {
    /// The element's id; unique on its page.
    pub id: String,
    /// The parameter's name in the form.
    pub name: String,
    /// Its label.
    pub label: String,
    /// What to know before filling it in.
    pub hint: Option<String>,
    /// What was wrong with what was sent.
    pub error: Option<String>,
    /// Whether it may stay empty.
    pub optional: bool,
    /// What a choice that may stay empty calls that: "none", "any".
    pub blank: &'static str,
    /// What it takes.
    pub kind: FieldKind,
}

impl Field {
    /// A field that must be filled in.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        label: impl Into<String>,
        kind: FieldKind,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            label: label.into(),
            hint: None,
            error: None,
            optional: false,
            blank: "none",
            kind,
        }
    }

    /// The same field with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same field, sent back with what was wrong.
    #[must_use]
    pub fn wrong(mut self, error: impl Into<String>) -> Self {
        self.error = Some(error.into());
        self
    }

    /// The same field, which may stay empty.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// The same field, which may stay empty under a word of its own.
    #[must_use]
    pub fn blank(mut self, word: &'static str) -> Self {
        self.optional = true;
        self.blank = word;
        self
    }

    /// Whether its control shows something already.
    pub fn is_filled(&self) -> bool {
        match &self.kind {
            FieldKind::One(choices) | FieldKind::OneInSight(choices) | FieldKind::Many(choices) => {
                choices.iter().any(|choice| choice.chosen)
            }
            FieldKind::Number { value, .. } => !value.is_empty(),
            FieldKind::Line(text) | FieldKind::Prose(text) | FieldKind::Code(text) => {
                !text.is_empty()
            }
            _ => false,
        }
    }

    /// Whether a choice says so much that it takes a line of its own.
    fn is_wordy(&self) -> bool {
        match &self.kind {
            FieldKind::OneInSight(choices) | FieldKind::Many(choices) => choices
                .iter()
                .any(|choice| choice.title.chars().count() > WORDY),
            _ => false,
        }
    }

    /// Fills it in with what a form sent for it. Secrets and files are never sent back.
    pub fn fill(&mut self, values: &[String]) {
        let first = values.first();
        match &mut self.kind {
            FieldKind::One(_) | FieldKind::OneInSight(_) if first.is_none() => {}
            FieldKind::One(choices) | FieldKind::OneInSight(choices) | FieldKind::Many(choices) => {
                for choice in choices {
                    choice.chosen = values.contains(&choice.value);
                }
            }
            FieldKind::Number { value: held, .. }
            | FieldKind::Line(held)
            | FieldKind::Prose(held)
            | FieldKind::Code(held)
            | FieldKind::Account(held)
            | FieldKind::Mail(held)
            | FieldKind::Moment(held) => {
                if let Some(first) = first {
                    held.clone_from(first);
                }
            }
            FieldKind::Flag(is_on) => *is_on = first.is_some_and(|value| !value.is_empty()),
            FieldKind::Password { .. } | FieldKind::Picture => {}
        }
    }

    fn is_group(&self) -> bool {
        matches!(self.kind, FieldKind::OneInSight(_) | FieldKind::Many(_))
    }

    /// The attributes that tie a control to its hint and error.
    fn tied(&self) -> String {
        let mut by = Vec::new();
        if self.hint.is_some() {
            by.push(format!("{}-h", self.id));
        }
        if self.error.is_some() {
            by.push(format!("{}-e", self.id));
        }
        let described = if by.is_empty() {
            String::new()
        } else {
            format!(
                r#" aria-describedby="{}""#,
                crate::ui::html::escape(&by.join(" "))
            )
        };
        let invalid = if self.error.is_some() {
            r#" aria-invalid="true""#
        } else {
            ""
        };
        let required = if self.optional || self.is_group() {
            ""
        } else {
            " required"
        };
        format!("{described}{invalid}{required}")
    }
}

/// Fields and the button that sends them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Where it goes.
    pub send: Send,
    /// What is to be filled in; may be nothing.
    pub fields: Vec<Field>,
    /// The button's words: "Shove Juno".
    pub button: String,
    /// Whether it can be asked for the present text of what it rewrites.
    pub shows_present: bool,
    /// Where it can be sent to learn what it would do; nothing is done there.
    pub trial: Option<Href>,
    /// Whether it is the one step that is expected here.
    pub expected: bool,
    /// The dice that will be rolled, shown before they are.
    pub dice: Vec<Die>,
}

impl Form {
    /// The same form, as the one step that is expected.
    #[must_use]
    pub fn expected(self) -> Self {
        Self {
            expected: true,
            ..self
        }
    }

    /// A button without fields.
    pub fn button(send: Send, button: impl Into<String>) -> Self {
        Self {
            send,
            fields: Vec::new(),
            button: button.into(),
            shows_present: false,
            trial: None,
            expected: false,
            dice: Vec::new(),
        }
    }

    /// How the form is sent: in parts where a file goes along.
    pub(crate) fn coding(&self) -> &'static str {
        if self.fields.iter().any(|f| f.kind == FieldKind::Picture) {
            r#" enctype="multipart/form-data""#
        } else {
            ""
        }
    }
}

/// Something the law lets somebody do: open with its form, or closed with the reason and the time.
#[derive(Clone, Debug, PartialEq, Eq, Template)]
#[template(path = "ui/offer.html")]
pub struct Offer {
    /// The action's code name, unique among the offers of a page.
    pub action: String,
    /// Its title.
    pub title: String,
    /// What it costs, in a few words: "2 AP", "free, daily".
    pub cost: Option<String>,
    /// The clause that offers it, in its own first words.
    pub about: String,
    /// What the law says of it to this reader, such as the odds.
    pub says: String,
    /// The rest of the clause.
    pub rest: String,
    /// Where that clause stands.
    pub cite: Option<Cite>,
    /// The form, or the refusal.
    pub open: Result<Form, Refusal>,
}

impl Offer {
    fn is_tall(&self) -> bool {
        self.open.as_ref().is_ok_and(|form| {
            form.fields.len() > 3
                || form.fields.iter().any(|f| {
                    matches!(
                        f.kind,
                        FieldKind::Prose(_) | FieldKind::Code(_) | FieldKind::Many(_)
                    )
                })
        })
    }
}

writes_html!(Send, Field, Offer);
