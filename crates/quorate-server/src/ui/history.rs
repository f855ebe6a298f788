//! The history of one value.

use askama::Template;

use crate::ui::dice::Die;
use crate::ui::form::Form;
use crate::ui::html::writes_html;
use crate::ui::mark::ClaimMark;
use crate::ui::refusal::Cite;
use crate::ui::time::When;
use crate::ui::urls::Href;

/// One change of a value.
#[derive(Clone, Debug)]
pub struct Step {
    /// When.
    pub when: When,
    /// What it was; nothing where it came to be.
    pub old: Option<String>,
    /// What it became.
    pub new: String,
    /// Who and how: "Sable, Dig in the Graveyard"; for an edit with its reason in quotes.
    pub how: String,
    /// The rule it rests on.
    pub cite: Option<Cite>,
    /// Dice that made it.
    pub dice: Vec<Die>,
    /// What is said about it.
    pub claim: Option<ClaimMark>,
    /// What became of the claim: "accepted after 24 h".
    pub outcome: Option<String>,
    /// The event, where it can be undone or disputed.
    pub event: Option<Href>,
}

/// A value with its latest changes and what can be done about it.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/history.html")]
pub struct History {
    /// The element's id.
    pub id: String,
    /// "Sable, Zombies: 14".
    pub title: String,
    /// What the law says of it: "never below 0".
    pub about: String,
    /// The clause that declares it.
    pub cite: Option<Cite>,
    /// Latest first.
    pub steps: Vec<Step>,
    /// All of them: words and way.
    pub all: Option<(String, Href)>,
    /// Its course as a chart.
    pub chart: Option<Href>,
    /// Back to the table without this pane.
    pub close: Href,
    /// The edit with a reason, where the reader may make it.
    pub edit: Option<Form>,
}

writes_html!(History);
