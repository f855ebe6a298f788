//! Duties: questions left to somebody other than the one who acts.

use quorate_kernel::event::NoteKind;
use quorate_kernel::ids::DutyId;
use quorate_kernel::rows::{DueKey, Duty};
use quorate_kernel::{Name, PlayerId, Refusal, Span, Value};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Stop};

use super::{labels, things};
use crate::convert;
use crate::tx::{Frame, Tx};

/// Leaves somebody a duty. Where there is nothing to choose from there is none.
pub(crate) fn leave(
    tx: &Tx,
    decision: &Name,
    to: PlayerId,
    options: &[Datum],
    within: Span,
    default: &Datum,
    context: Vec<(Name, Datum)>,
) -> Answer<()> {
    let law = tx.frame().law;
    let Some(decl) = law.decisions.get(decision) else {
        return Err(Stop::fault(format!(
            "there is no decision \"{decision}\": declare it with decision(…)"
        )));
    };
    if options.is_empty() {
        return Ok(());
    }
    let keep = |datum: &Datum| {
        let value = convert::plain_value(datum).ok_or_else(|| {
            Stop::fault(format!("a duty cannot hold {}", convert::describe(datum)))
        })?;
        // What it asks tells of what is answered.
        Ok(if decl.it.hidden {
            value.hidden(tx.salt())
        } else {
            value
        })
    };
    let duty = Duty {
        decision: decision.clone(),
        to,
        options: options.iter().map(keep).collect::<Answer<_>>()?,
        deadline: tx.now + within,
        default: keep(default)?,
        context: context
            .into_iter()
            .map(|(name, datum)| Ok((name, keep(&datum)?)))
            .collect::<Answer<_>>()?,
        hidden: decl.it.hidden,
        at: tx.now,
    };
    let key = tx.make_id()?;
    let deadline = duty.deadline;
    tx.put(key, duty);
    tx.set_due(DueKey::Duty(key), Some(deadline));
    Ok(())
}

/// The answer to a duty by the one it was left to.
pub(crate) fn answer(tx: &Tx, by: PlayerId, id: DutyId, value: &Value) -> Answer<()> {
    let duty = tx.with_state(|state| state.duties.get(&id.0).cloned());
    let Some(duty) = duty.filter(|duty| duty.to == by) else {
        return Err(Stop::no("a question that waits for your answer"));
    };
    let given = match value.open() {
        Value::Text(text) => Value::Word(Name::from(text.as_str())),
        other => other.clone(),
    };
    let chosen = duty
        .options
        .iter()
        .find(|option| {
            *option.open() == given
                || Value::Word(labels::label(tx, &convert::datum(option)).into()) == given
        })
        .cloned();
    let Some(chosen) = chosen else {
        let words: Vec<_> = duty
            .options
            .iter()
            .map(|option| labels::label(tx, &convert::datum(option)))
            .collect();
        let refusal = Refusal::plain("one of the answers offered");
        return Err(refusal.wanting(words.join(", ")).into());
    };
    decide(tx, id, &duty, &chosen)
}

/// The deadline of a duty: its default is the answer.
pub(crate) fn fall_due(tx: &Tx, id: DutyId) -> Answer<()> {
    match tx.with_state(|state| state.duties.get(&id.0).cloned()) {
        Some(duty) => {
            let default = duty.default.clone();
            decide(tx, id, &duty, &default)
        }
        None => Ok(()),
    }
}

fn decide(tx: &Tx, id: DutyId, duty: &Duty, answer: &Value) -> Answer<()> {
    tx.remove::<Duty>(id.0);
    tx.set_due(DueKey::Duty(id.0), None);
    let law = tx.frame().law;
    let Some(decl) = law.decisions.get(&duty.decision) else {
        tx.say(
            NoteKind::Held,
            format!(
                "the decision {} is no longer part of the law",
                duty.decision
            ),
        );
        return Ok(());
    };
    let gone =
        |value: &Value| matches!(value.open(), Value::Thing(thing) if !things::exists(tx, thing));
    // Context that is gone gives the default.
    let answer = if duty.context.iter().any(|(_, value)| gone(value)) || gone(answer) {
        &duty.default
    } else {
        answer
    };
    let args = vec![
        Datum::Thing(quorate_kernel::Thing::Player(duty.to)),
        convert::datum(answer),
    ];
    let named = duty
        .context
        .iter()
        .map(|(name, value)| {
            (
                name.clone(),
                if gone(value) {
                    Datum::None
                } else {
                    convert::datum(value)
                },
            )
        })
        .collect();
    let frame = Frame {
        actor: Some(duty.to),
        site: decl.site.clone(),
        ..tx.frame()
    };
    let function = decl.it.answer.clone();
    tx.within(frame, || tx.call_named(&function, args, named))
        .map(|_| ())
}
