//! The log, and one event of it.

use askama::Template;

use crate::ui::urls::Href;
use crate::ui::{Chrome, Cite, Die, Fact, Field, Form, Link, Mark, Refusal, Status, When};

/// An event in the log.
#[derive(Clone, Debug)]
pub struct LogLine {
    /// The element's id.
    pub id: String,
    /// Its number.
    pub number: String,
    /// When.
    pub when: When,
    /// Who.
    pub by: String,
    /// "Dig in the Graveyard".
    pub what: String,
    /// "Zombies 11 → 14".
    pub effects: String,
    /// Dice that fell in it.
    pub dice: Vec<Die>,
    /// Undone, disputed, claimed.
    pub mark: Option<Mark>,
    /// The event's page.
    pub href: Href,
}

/// The slider over the game's past.
#[derive(Clone, Debug)]
pub struct Past {
    /// The latest event's number.
    pub latest: u64,
    /// The chosen one.
    pub at: u64,
    /// When that was.
    pub when: When,
    /// Where the choice goes: the tracker of then.
    pub to: Href,
}

/// The log.
#[derive(Clone, Debug, Template)]
#[template(path = "site/log/log.html")]
pub struct LogPage {
    /// Around it.
    pub chrome: Chrome,
    /// This page.
    pub here: Href,
    /// Who, what kind, which value, from when.
    pub filters: Vec<Field>,
    /// The charts.
    pub charts: Href,
    /// The slider.
    pub past: Past,
    /// Latest first.
    pub lines: Vec<LogLine>,
    /// Later events.
    pub newer: Option<Href>,
    /// Earlier events.
    pub older: Option<Href>,
}

/// A value that an event changed.
#[derive(Clone, Debug)]
pub struct EffectRow {
    /// Whose.
    pub whose: String,
    /// Which value.
    pub value: String,
    /// Before.
    pub old: String,
    /// After.
    pub new: String,
}

/// One event.
#[derive(Clone, Debug, Template)]
#[template(path = "site/log/event.html")]
pub struct EventPage {
    /// Around it.
    pub chrome: Chrome,
    /// "Sable: Dig in the Graveyard".
    pub title: String,
    /// Its number.
    pub number: String,
    /// When.
    pub when: When,
    /// Undone, disputed, claimed; nothing for most.
    pub status: Option<Status>,
    /// The clause it was done under.
    pub cite: Option<Cite>,
    /// What was given with it: parameters, reason, answers.
    pub facts: Vec<Fact>,
    /// Dice with what each was for.
    pub dice: Vec<(String, Die)>,
    /// What it changed.
    pub effects: Vec<EffectRow>,
    /// Undo with a reason, or why not.
    pub undo: Result<Form, Refusal>,
    /// What undoing it would change, as things are now.
    pub undoing: Vec<EffectRow>,
    /// Where a ruling is asked for, by which it would be struck; none for who does not play.
    pub ruling: Option<Link>,
    /// Dispute or confirm.
    pub forms: Vec<Form>,
    /// What was done about it since.
    pub since: Vec<LogLine>,
    /// "law version 41", digest, hash.
    pub proof: Vec<Fact>,
}
