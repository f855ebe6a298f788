//! The log, one event of it, rulings over events, charts.

use askama::Template;

use super::{Chrome, Fact, Link};
use crate::{
    parts::{Chart, Cite, Die, Field, Form, Mark, Refusal, Status, Verdict, When},
    urls::Href,
};

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
#[template(path = "log.html")]
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
#[template(path = "event.html")]
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

/// A value that differs between the game with and without the events that a ruling names.
#[derive(Clone, Debug)]
pub struct RulingRow {
    /// Whose value, or which event.
    pub what: String,
    /// As it stands.
    pub stands: String,
    /// As it would be.
    pub would_be: String,
    /// The event that makes the difference.
    pub cause: Option<Link>,
}

/// What a ruling would do: both gamestates.
#[derive(Clone, Debug, Template)]
#[template(path = "ruling.html")]
pub struct Ruling {
    /// Around it.
    pub chrome: Chrome,
    /// The call for judgement.
    pub matter: Link,
    /// How it stands.
    pub verdict: Verdict,
    /// "If upheld, Sable's crash of 13 May is struck. 12 later events stand, 2 differ, 1 waits for an answer."
    pub summary: String,
    /// Each value that differs.
    pub rows: Vec<RulingRow>,
    /// Events that would be struck too, or wait.
    pub events: Vec<RulingRow>,
}

/// Charts.
#[derive(Clone, Debug, Template)]
#[template(path = "charts.html")]
pub struct Charts {
    /// Around it.
    pub chrome: Chrome,
    /// This page.
    pub here: Href,
    /// The choice of a tracked value and of its owner.
    pub pick: Vec<Field>,
    /// What is shown.
    pub charts: Vec<Chart>,
}
