//! Lines for people: one consequence, with its odds, as a lead and a text.

use std::collections::BTreeMap;

use quorate_kernel::law::Term;
use quorate_kernel::{EventSeq, Moment, Name, PostId, Refusal, Thing, Value};

use crate::consequence::{
    ActionTitle, Called, Consequence, Headline, LostName, Machinery, PageFate, RuleFate,
};
use crate::odds::{Possibility, PossibleChange, Throws};

/// How many outcomes of one thing are told.
const OUTCOMES: usize = 8;

/// How moments and values of the game read, which depends on where they are read.
pub trait Voice {
    /// A moment.
    fn moment(&self, at: Moment) -> String;

    /// A value, things by what they are called.
    fn value(&self, value: &Value) -> String;

    /// What comes into a list and what leaves it, where that says more than the two lists.
    fn moves(&self, _old: &Value, _new: &Value) -> Option<String> {
        None
    }

    /// Why the law says no, as the end of a line; when it may say yes is told after it.
    fn refusal(&self, refusal: &Refusal) -> String {
        refusal.wanted()
    }

    /// Whether a value is worth a line: those that only rules read are not.
    fn tells(&self, _thing: &Thing, _name: &Name) -> bool {
        true
    }
}

/// One thing that a patch would do.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ForecastLine {
    /// "Ilse Oil:".
    pub lead: String,
    /// "12 → 6".
    pub text: String,
    /// What the check found, with its line of code; empty for most lines.
    pub finding: String,
    /// Whether everybody should see it before voting.
    pub is_alarm: bool,
    /// Where to look closer.
    pub more: Option<MoreAt>,
}

/// Where to look closer.
#[derive(Clone, PartialEq, Debug)]
pub enum MoreAt {
    /// A post, with its title.
    Post(PostId, String),
    /// The event that a claim is.
    Claim(EventSeq),
}

impl ForecastLine {
    pub(crate) fn new(lead: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            lead: lead.into(),
            text: text.into(),
            ..Self::default()
        }
    }

    /// All of it as one text; what the check found stands on lines of its own.
    pub fn whole(&self) -> String {
        let mut text = self.lead.clone();
        for (gap, more) in [(' ', &self.text), ('\n', &self.finding)] {
            if !more.is_empty() {
                text.push(gap);
                text.push_str(more);
            }
        }
        text
    }

    pub(crate) fn alarm(self) -> Self {
        Self {
            is_alarm: true,
            ..self
        }
    }

    pub(crate) fn on(self, post: &Called) -> Self {
        let more = match post.thing {
            Thing::Post(id) => Some(MoreAt::Post(id, post.called.clone())),
            _ => None,
        };
        Self { more, ..self }
    }
}

/// A number of things: "1 test", "3 tests".
pub(crate) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

pub(crate) fn throws_line(throws: &Throws) -> ForecastLine {
    let purpose = match throws.purpose.as_str() {
        "" => String::new(),
        purpose => format!(" ({purpose})"),
    };
    let more = match throws.dice {
        1 => String::new(),
        dice => format!(" and {} more", dice - 1),
    };
    let all = if throws.exact {
        "all throws".to_owned()
    } else {
        plural(throws.count, "trial throw", "trial throws")
    };
    let text = format!(
        "a die of {}{purpose}{more}; each outcome with its share of {all}.",
        throws.sides
    );
    ForecastLine::new("By dice:", text)
}

/// A line for one thing: as it is where it is the same in every throw, else its outcomes with their shares.
pub(crate) fn change_line(
    change: &PossibleChange,
    is_exact: bool,
    voice: &dyn Voice,
) -> ForecastLine {
    let all = change.share();
    let Some(first) = change.outcomes.first() else {
        return ForecastLine::default();
    };
    let first = consequence_line(&first.consequence, voice);
    let outcomes = ranges(change, voice).unwrap_or_else(|| told_apart(change, voice));
    if let ([(text, _)], true) = (outcomes.as_slice(), all > 0.9999) {
        let text = text.clone();
        return ForecastLine { text, ..first };
    }
    let (told, rest) = outcomes.split_at(outcomes.len().min(OUTCOMES));
    let with_share = |(text, share): &(String, f64)| match text.as_str() {
        "" => percent(*share),
        text => format!("{text} ({})", percent(*share)),
    };
    let mut told: Vec<String> = told.iter().map(with_share).collect();
    if !rest.is_empty() {
        let share = rest.iter().map(|(_, share)| share).sum();
        told.push(format!("{} others ({})", rest.len(), percent(share)));
    }
    if !is_exact {
        told.push("or another that no trial throw came to".to_owned());
    }
    if all < 0.9999 {
        told.push(format!("not at all ({})", percent(1.0 - all)));
    }
    ForecastLine {
        text: told.join("; "),
        ..first
    }
}

/// The outcomes in words, with their shares. Where words tell two of them alike, as "in another order" does, both are told at
/// length; what nobody can tell apart even then is one outcome.
fn told_apart(change: &PossibleChange, voice: &dyn Voice) -> Vec<(String, f64)> {
    let texts: Vec<String> = change
        .outcomes
        .iter()
        .map(|outcome| consequence_line(&outcome.consequence, voice).text)
        .collect();
    let mut told: Vec<(String, f64)> = Vec::new();
    for (nth, outcome) in change.outcomes.iter().enumerate() {
        let is_alike = texts.iter().filter(|text| **text == texts[nth]).count() > 1;
        let text = match &outcome.consequence {
            Consequence::Value {
                old: Some(old),
                new: Some(new),
                ..
            } if is_alike => ends(Some(old), Some(new), voice),
            _ => texts[nth].clone(),
        };
        match told.iter_mut().find(|(known, _)| *known == text) {
            Some((_, share)) => *share += outcome.share,
            None => told.push((text, outcome.share)),
        }
    }
    told
}

/// Many numbers that a value may come to, as ranges of about the same share.
fn ranges(change: &PossibleChange, voice: &dyn Voice) -> Option<Vec<(String, f64)>> {
    let mut begins = None;
    let number = |outcome: &Possibility| match &outcome.consequence {
        Consequence::Value {
            old,
            new: Some(Value::Int(new)),
            ..
        } => {
            let old = old.as_ref().map(|old| named(Some(old), voice));
            (*begins.get_or_insert_with(|| old.clone()) == old).then_some((*new, outcome.share))
        }
        _ => None,
    };
    let numbers: Option<Vec<(i64, f64)>> = change.outcomes.iter().map(number).collect();
    let mut numbers = numbers.filter(|numbers| numbers.len() > OUTCOMES)?;
    numbers.sort_by_key(|(number, _)| *number);
    let most = change.share() / f64::from(u8::try_from(OUTCOMES).unwrap_or(u8::MAX));
    let mut found: Vec<(i64, i64, f64)> = Vec::new();
    for (number, share) in numbers {
        let is_last = found.len() == OUTCOMES;
        match found.last_mut() {
            Some((_, to, sum)) if is_last || *sum + share / 2.0 < most => {
                (*to, *sum) = (number, *sum + share);
            }
            _ => found.push((number, number, share)),
        }
    }
    let begin = match begins.flatten() {
        Some(old) => format!("{old} → "),
        None => "begins at ".to_owned(),
    };
    let texts = found
        .into_iter()
        .enumerate()
        .map(|(nth, (from, to, share))| {
            let begin = if nth == 0 { begin.as_str() } else { "" };
            let text = if from == to {
                format!("{begin}{from}")
            } else {
                format!("{begin}{from} to {to}")
            };
            (text, share)
        });
    Some(texts.collect())
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        small if small < 0.5 => "under 1 %".to_owned(),
        share => format!("{share:.0} %"),
    }
}

/// What becomes of the law's own code, as a lead and a text.
fn of_law(consequence: &Consequence) -> (String, String) {
    match consequence {
        Consequence::LeftOut { why, .. } => ("Left out".to_owned(), why.clone()),
        Consequence::CodeSleeps {
            title,
            clause,
            more,
            ..
        } => (sleeping(title, *clause, *more), String::new()),
        Consequence::Loses {
            title,
            lost,
            kept,
            actions,
            ..
        } => loss_words(title, lost, kept, actions),
        Consequence::Merged { title, line, .. } => {
            let lead = format!("A line of {title} that nobody wrote");
            (lead, format!("“{line}”"))
        }
        Consequence::Breaks {
            title, clause, why, ..
        } => {
            let lead = format!("Code of {title}, clause {clause}, breaks when it is tried");
            (lead, why.clone())
        }
        Consequence::Machinery {
            sort, is, comes, ..
        } => (machinery_words(*sort, *comes).to_owned(), is.clone()),
        _ => (String::new(), String::new()),
    }
}

/// A consequence as a line.
pub(crate) fn consequence_line(consequence: &Consequence, voice: &dyn Voice) -> ForecastLine {
    let (lead, text): (&str, String) = match consequence {
        Consequence::LeftOut { .. }
        | Consequence::CodeSleeps { .. }
        | Consequence::Loses { .. }
        | Consequence::Merged { .. }
        | Consequence::Breaks { .. }
        | Consequence::Machinery { .. } => {
            let (lead, text) = of_law(consequence);
            (&{ lead }, text)
        }
        Consequence::Headline { about, word, is } => (&headline(*about, word), is.clone()),
        Consequence::Rule { title, becomes, .. } => rule_words(title, becomes),
        Consequence::Term { name, old, new } => {
            let (old, new) = (term_words(old.as_ref()), term_words(new.as_ref()));
            let text = format!("{old} → {new}");
            (&format!("The word for {name}"), text)
        }
        Consequence::Page { name, becomes } => {
            (&format!("The page {name}"), page_words(*becomes).to_owned())
        }
        Consequence::Player { player, renamed } => match renamed {
            None => ("Leaves the roster", player.called.clone()),
            Some(new) => ("Renamed", format!("{} → {new}", player.called)),
        },
        Consequence::Declared {
            title, of, dropped, ..
        } => declared_words(title, of, *dropped),
        Consequence::Thing {
            thing,
            comes: false,
            ..
        } => ("Removed", thing.called.clone()),
        Consequence::Thing { thing, of, .. } => (&format!("New {of}"), thing.called.clone()),
        Consequence::Value {
            of,
            title,
            old,
            new,
            ..
        } => (
            &value_of(of, title),
            value_words(old.as_ref(), new.as_ref(), voice),
        ),
        Consequence::MoreValues { count } => (
            "And more values",
            format!("{count} that are not listed here"),
        ),
        Consequence::Actions { actions, comes } => {
            let titles = joined(actions.iter().map(|it| it.title.as_str()));
            (
                ["Actions that go", "New actions"][usize::from(*comes)],
                titles,
            )
        }
        Consequence::Clock { name, of, old, new } => {
            clock_words(&of_clock(name, of), *old, *new, voice)
        }
        Consequence::Post { post, old, new } => {
            (&format!("“{}”", post.called), format!("{old} → {new}"))
        }
    };
    ForecastLine {
        is_alarm: consequence.is_alarm(),
        finding: match consequence {
            Consequence::CodeSleeps { finding, .. } => finding.clone(),
            _ => String::new(),
        },
        ..ForecastLine::new(format!("{lead}:"), text)
    }
}

/// What a rule would lose, as a lead and a text: "Combat would lose something:", "Clause 3 breaks where it uses `blinded` of
/// Blindness. So this action may fail: Fight. The rest of Combat works."
fn loss_words(
    title: &str,
    lost: &[LostName],
    kept: &[LostName],
    actions: &[ActionTitle],
) -> (String, String) {
    let mut sentences = breaking(lost);
    if !actions.is_empty() {
        let titles = joined(actions.iter().map(|it| it.title.as_str()));
        let may_fail = match actions.len() {
            1 => "This action may fail",
            _ => "These actions may fail",
        };
        sentences.push(format!("{may_fail}: {titles}."));
    }
    if !lost.is_empty() {
        sentences.push(format!("The rest of {title} works."));
    }
    if !kept.is_empty() {
        let names = by_rule(kept.iter());
        sentences.push(format!("It can go on using {names}."));
    }
    let lead = match (lost.is_empty(), actions.is_empty()) {
        (false, _) => format!("{title} would lose something"),
        (true, false) => format!("{title} uses rules that would lose something"),
        (true, true) => format!("{title} works without what goes"),
    };
    (lead, sentences.join(" "))
}

/// "Clause 3 breaks where it uses `blinded` and `SIGHT` of Blindness.", a sentence for each clause, or for all that use the same.
fn breaking(names: &[LostName]) -> Vec<String> {
    let mut clauses: BTreeMap<u32, Vec<&LostName>> = BTreeMap::new();
    for name in names {
        clauses.entry(name.clause).or_default().push(name);
    }
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    let mut sentences = Vec::new();
    for (clause, names) in clauses {
        let names = by_rule(names.into_iter());
        let known = told.iter_mut().find(|(known, _)| *known == names);
        match (clause, known) {
            (0, _) => sentences.push(format!("Its code breaks where it uses {names}.")),
            (clause, Some((_, clauses))) => clauses.push(clause.to_string()),
            (clause, None) => told.push((names, vec![clause.to_string()])),
        }
    }
    sentences.extend(
        told.iter()
            .map(|(names, clauses)| match clauses.as_slice() {
                [clause] => format!("Clause {clause} breaks where it uses {names}."),
                clauses => {
                    let clauses = listed(clauses, " and ");
                    format!("Clauses {clauses} break where they use {names}.")
                }
            }),
    );
    sentences
}

/// "`blinded` and `SIGHT` of Blindness, and `rage` of Anger", each name once.
fn by_rule<'a>(names: impl Iterator<Item = &'a LostName>) -> String {
    let mut rules: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in names {
        let of = rules.entry(name.of.as_str()).or_default();
        let code = format!("`{}`", name.name);
        if !of.contains(&code) {
            of.push(code);
        }
    }
    let told: Vec<String> = rules
        .into_iter()
        .map(|(of, names)| format!("{} of {of}", listed(&names, " and ")))
        .collect();
    listed(&told, ", and ")
}

/// "a, b and c", with the last two put together by some word.
fn listed(words: &[String], last_by: &str) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [some @ .., last] => format!("{}{last_by}{last}", some.join(", ")),
    }
}

fn page_words(becomes: PageFate) -> &'static str {
    match becomes {
        PageFate::Written => "is written",
        PageFate::Rewritten => "is rewritten",
        PageFate::Removed => "goes",
    }
}

fn declared_words(title: &str, of: &str, dropped: Option<usize>) -> (&'static str, String) {
    let kept = match dropped {
        None => return ("New value", format!("{title} (of {of})")),
        Some(0) => "nobody holds anything in it".to_owned(),
        Some(held) => format!(
            "{} archived, and come back if the value does",
            plural(held, "content is", "contents are")
        ),
    };
    ("Dropped value", format!("{title} (of {of}); {kept}"))
}

pub(crate) fn machinery_words(sort: Machinery, comes: bool) -> &'static str {
    let (gone, new) = match sort {
        Machinery::Category => ("No more such posts", "New kind of posts"),
        Machinery::Forbids => ("No longer needed", "Newly needed"),
        Machinery::Permits => ("No longer permitted", "Newly permitted"),
        Machinery::Hook => ("No longer set off", "Newly set off"),
        Machinery::Automatic => ("No longer automatic", "Newly automatic"),
        Machinery::Enacts => (
            "No longer a way to change the rules",
            "New way to change the rules",
        ),
    };
    if comes { new } else { gone }
}

fn sleeping(title: &str, clause: u32, more: usize) -> String {
    let code = match clause {
        0 => format!("Code of {title}"),
        clause => format!("Code of {title}, clause {clause},"),
    };
    match more {
        0 => format!("{code} wouldn’t run"),
        more => {
            let more = plural(more, "finding", "findings");
            format!("{code} wouldn’t run, with {more} more like this")
        }
    }
}

fn headline(about: Headline, word: &str) -> String {
    match about {
        Headline::Winner => "Would win at once".to_owned(),
        Headline::Leader => format!("Would be {word} at once"),
        Headline::Pause => "Hiatus would begin at once".to_owned(),
    }
}

fn term_words(term: Option<&Term>) -> String {
    term.map_or_else(
        || "no word".to_owned(),
        |term| format!("{} and {}", term.one, term.many),
    )
}

fn rule_words(title: &str, becomes: &RuleFate) -> (&'static str, String) {
    match becomes {
        RuleFate::Added(section) => ("New rule", format!("{title}, in {section}")),
        RuleFate::Repealed => ("Repealed", title.to_owned()),
        RuleFate::Renamed(old) => ("Renamed rule", format!("{old} → {title}")),
        RuleFate::Amended => ("Amended rule", title.to_owned()),
        RuleFate::Switched(true) => ("Switched on", title.to_owned()),
        RuleFate::Switched(false) => ("Switched off", title.to_owned()),
        RuleFate::Moved(section) => ("Moved rule", format!("{title}, to {section}")),
    }
}

fn clock_words(
    what: &str,
    old: Option<Moment>,
    new: Option<Moment>,
    voice: &dyn Voice,
) -> (&'static str, String) {
    match (old, new.map(|at| voice.moment(at))) {
        (_, None) => ("A clock would stop", what.to_owned()),
        (None, Some(at)) => ("A clock would start", format!("{what}, first at {at}")),
        (Some(_), Some(at)) => ("A clock would be reset", format!("{what}, to {at}")),
    }
}

/// Words in a row.
pub(crate) fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// A value with whose it is; the game's own stand alone.
pub(crate) fn value_of(of: &Called, title: &str) -> String {
    match of.thing {
        Thing::Game => title.to_owned(),
        _ => format!("{} {title}", of.called),
    }
}

/// What a clock brings about; to whom, if not to the game.
pub(crate) fn of_clock(name: &Name, of: &Called) -> String {
    let name = quorate_law::readable(name.as_str());
    match of.thing {
        Thing::Game => name,
        _ => format!("{name} ({})", of.called),
    }
}

pub(crate) fn named(value: Option<&Value>, voice: &dyn Voice) -> String {
    let held = value.filter(|value| **value != Value::None);
    let words = held.map(|value| voice.value(value)).unwrap_or_default();
    if words.is_empty() {
        "nothing".to_owned()
    } else {
        words
    }
}

fn value_words(old: Option<&Value>, new: Option<&Value>, voice: &dyn Voice) -> String {
    match (old, new) {
        (None, Some(new)) => format!("begins at {}", voice.value(new)),
        _ => change_of(old, new, voice),
    }
}

/// A value's two ends.
pub(crate) fn change_of(old: Option<&Value>, new: Option<&Value>, voice: &dyn Voice) -> String {
    if let Some(moves) = old.zip(new).and_then(|(old, new)| voice.moves(old, new)) {
        return moves;
    }
    ends(old, new, voice)
}

/// A value's two ends at length, whatever came and went between them.
fn ends(old: Option<&Value>, new: Option<&Value>, voice: &dyn Voice) -> String {
    format!("{} → {}", named(old, voice), named(new, voice))
}

#[cfg(test)]
mod tests;
