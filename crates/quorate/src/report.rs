//! Refusals, receipts and events in words and as data.

use quorate_engine::convert;
use quorate_engine::transcript::actor_name;
use quorate_engine::words::{worded, worded_refusal};
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::rows::OpenKey;
use quorate_kernel::state::State;
use quorate_kernel::{Refusal, Thing, Value};
use serde_json::{Value as Json, json};

use crate::output::Output;

/// A refusal as data.
pub(crate) fn refusal_json(state: &State, refusal: &Refusal) -> Json {
    let refusal = worded_refusal(state, refusal);
    json!({
        "rule": refusal.rule,
        "rule_id": refusal.rule_id.as_str(),
        "clause": refusal.clause,
        "against": refusal.against.as_ref().map(quorate_kernel::Name::as_str),
        "needs": refusal.needs.iter().map(|need| json!({ "what": need.what, "have": need.have, "need": need.need })).collect::<Vec<_>>(),
        "next_at": refusal.next_at.map(|at| at.to_string()),
        "text": refusal.to_string(),
    })
}

/// A refusal for people: what is needed, what there is, which clause says so, and when to try again.
pub(crate) fn tell_refusal(state: &State, refusal: &Refusal, out: &Output) {
    let refusal = worded_refusal(state, refusal);
    for need in &refusal.needs {
        let mut line = format!("  needs {}", out.bold(&need.what));
        if !need.have.is_empty() {
            line.push_str(&format!("; now: {}", need.have));
        }
        if !need.need.is_empty() {
            line.push_str(&format!("; wanted: {}", need.need));
        }
        out.line(line);
    }
    if !refusal.rule_id.is_empty() {
        let clause = if refusal.clause > 0 {
            format!(", clause {}", refusal.clause)
        } else {
            String::new()
        };
        let title = if refusal.rule.is_empty() {
            refusal.rule_id.as_str()
        } else {
            &refusal.rule
        };
        out.line(format!("  says {title}{clause}"));
    }
    if let Some(against) = &refusal.against {
        out.line(format!("  although {against} would allow it"));
    }
    if let Some(at) = refusal.next_at {
        out.line(format!("  possible from {at}"));
    }
}

/// An outcome in a word.
pub(crate) fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Opened(_) => "waits",
        Outcome::Refused(_) => "refused",
        Outcome::Lapsed(_) => "lapsed",
    }
}

/// The question of an open action, for people.
pub(crate) fn tell_question(
    state: &State,
    key: &OpenKey,
    label: &dyn Fn(&Value) -> String,
    out: &Output,
) {
    let Some(open) = state.open.get(key) else {
        return;
    };
    out.line(format!(
        "  {} ({})",
        out.bold(&worded(state, &open.question.what)),
        key.action
    ));
    for (number, option) in (1..).zip(&open.question.options) {
        out.line(format!("    {number}. {}", label(option)));
    }
    if open.question.may_decline {
        out.line("    or nothing: answer none");
    }
    out.line(format!(
        "  by {}, else {}",
        open.deadline,
        label(&open.question.default)
    ));
}

/// An event as data. Texts that were forgotten are empty.
pub(crate) fn event_json(state: &State, event: &Event) -> Json {
    let refusal = event.refusal().map(|no| refusal_json(state, no));
    json!({
        "seq": event.seq.0,
        "at": event.at.to_string(),
        "actor": actor_name(state, event.actor),
        "key": event.key.as_str(),
        "act": event.act.name().as_str(),
        "arguments": arguments(state, &event.act),
        "outcome": outcome_word(&event.outcome),
        "refusal": refusal,
        "law": event.law.to_string(),
        "dice": event.tape.dice.iter().map(|die| json!({
            "what": worded(state, &die.what), "sides": die.sides.to_string(), "result": die.result.to_string(),
        })).collect::<Vec<_>>(),
        "effects": event.steps.iter().map(|step| json!({
            "table": step.effect.table(), "rule": step.rule.as_str(), "clause": step.clause,
        })).collect::<Vec<_>>(),
        "notes": event.notes.iter().map(|note| worded(state, &note.text)).collect::<Vec<_>>(),
    })
}

fn arguments(state: &State, act: &Act) -> Json {
    match act {
        Act::Do { args, .. } => args
            .iter()
            .map(|(name, value)| (name.to_string(), Json::from(value_words(state, value))))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Act::Answer { value, .. } => json!({ "value": value_words(state, value) }),
        Act::Decide { duty, value } => {
            json!({ "duty": duty.to_string(), "value": value_words(state, value) })
        }
        Act::Post(post) => {
            json!({ "category": post.category.as_str(), "title": post.title.as_str() })
        }
        Act::EditPost { post, title, .. } => {
            json!({ "post": post.to_string(), "title": title.as_str() })
        }
        Act::Withdraw { post } => json!({ "post": post.to_string() }),
        Act::Recategorise { post, category } => {
            json!({ "post": post.to_string(), "category": category.as_str() })
        }
        Act::Comment { post, text } => json!({ "post": post.to_string(), "text": text.as_str() }),
        Act::Claim { rule, reason, .. } => {
            json!({ "rule": rule.as_str(), "reason": reason.as_str() })
        }
        Act::Dispute { claim, reason } => {
            json!({ "claim": claim.to_string(), "reason": reason.as_str() })
        }
        Act::Undo { event, reason, .. } => json!({ "event": event.0, "reason": reason.as_str() }),
        Act::Dice { line } => json!({ "line": line.as_str() }),
        Act::Apply { name, .. } => json!({ "name": name.as_str() }),
        Act::Repair { reason, .. } => json!({ "reason": reason.as_str() }),
        _ => json!({}),
    }
}

fn value_words(state: &State, value: &Value) -> String {
    match value {
        Value::Text(text) => text.as_str().to_owned(),
        Value::Thing(Thing::Player(id)) => actor_name(state, Actor::Player(*id)),
        Value::Thing(Thing::Post(id)) if state.posts.contains_key(id) => {
            format!("\"{}\"", worded(state, state.posts[id].title.as_str()))
        }
        Value::List(items) => {
            let words: Vec<String> = items.iter().map(|item| value_words(state, item)).collect();
            words.join(", ")
        }
        other => convert::describe(&convert::datum(other)),
    }
}

/// An event in a line or a few, for people.
pub(crate) fn tell_event(state: &State, event: &Event, out: &Output) {
    for line in event_lines(state, event, out) {
        out.line(line);
    }
}

/// The lines of an event.
pub(crate) fn event_lines(state: &State, event: &Event, out: &Output) -> Vec<String> {
    let who = actor_name(state, event.actor);
    let mut line = format!(
        "{:>6}  {}  {}  {}",
        event.seq,
        event.at,
        out.bold(&who),
        event.act.name()
    );
    if let Json::Object(given) = arguments(state, &event.act)
        && !given.is_empty()
    {
        let words = given.iter().map(|(name, value)| {
            format!(
                "{name} {}",
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            )
        });
        line.push_str(&format!(" ({})", words.collect::<Vec<_>>().join(", ")));
    }
    if let Outcome::Opened(key) = &event.outcome {
        line.push_str(&format!(" — waits for an answer ({})", key.action));
    }
    if let Some(refusal) = event.refusal() {
        let (refusal, word) = (worded_refusal(state, refusal), outcome_word(&event.outcome));
        line.push_str(&format!(" — {} {refusal}", out.red(&format!("{word}:"))));
    } else if let Outcome::Lapsed(_) = event.outcome {
        line.push_str(" — given up");
    }
    let dice = event.tape.dice.iter().map(|die| {
        format!(
            "{:>8}die: {} of {} for {}",
            "",
            die.result,
            die.sides,
            worded(state, &die.what)
        )
    });
    let notes = event
        .notes
        .iter()
        .map(|note| format!("{:>8}{}", "", worded(state, &note.text)));
    std::iter::once(line).chain(dice).chain(notes).collect()
}
