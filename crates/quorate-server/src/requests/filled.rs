//! What somebody filled in, as the command that it stands for: fields made of an action's declaration, answers to questions.

use std::sync::Arc;

use quorate_engine::fields::Typed;
use quorate_engine::pictures;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::digest::Digest;
use quorate_kernel::ids::DutyId;
use quorate_kernel::{Name, PlayerId, Refusal, Value};
use quorate_law::datum::{Datum, Type};

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::requests::send;
use crate::view::game::GameView;

/// An action's arguments from the fields of its form.
pub(crate) fn arguments(
    view: &GameView,
    me: PlayerId,
    action: &Name,
    form: &Posted,
) -> Result<Vec<(Name, Value)>, Refusal> {
    let Some(decl) = view.law().actions.get(action) else {
        return Err(Refusal::no_action(action));
    };
    view.ask(|asked| {
        let offer = asked.offer(me, decl);
        let mut given = Vec::new();
        for param in &decl.it.params {
            let values = form.all(param.name.as_str());
            let is_list = matches!(&param.ty, Type::List(_));
            let read = |text: &str| {
                let field = offer.fields.iter().find(|field| field.name == param.name);
                let options = field.and_then(|field| field.options.as_ref());
                let known = options.into_iter().flatten().find(|(datum, label)| {
                    crate::view::offers::sent(datum, label) == text || label == text
                });
                known.map_or_else(
                    || Typed::Text(text.to_owned()),
                    |(datum, _)| Typed::Known(datum.clone()),
                )
            };
            let is_blank = values.iter().all(String::is_empty);
            let typed = match values {
                _ if is_blank && matches!(&param.ty, Type::Picture) => Typed::Known(drawn(form)),
                [] => Typed::None,
                [one] if one.is_empty() && (param.default.is_some() || is_list) => Typed::None,
                // What is typed has one on each line; what is picked is one line each.
                _ if is_list => Typed::List(
                    values
                        .iter()
                        .flat_map(|text| text.lines())
                        .map(str::trim)
                        .filter(|one| !one.is_empty())
                        .map(read)
                        .collect(),
                ),
                [one, ..] => read(one),
            };
            given.push((param.name.clone(), typed));
        }
        asked.arguments(action, &given)
    })
}

/// A picture for somebody who has none at hand: another for each form that is filled in otherwise.
fn drawn(form: &Posted) -> Datum {
    const SIDE: u16 = 80; // pixels
    let digest = Digest::of_parts([form.key().unwrap_or_default().as_bytes()]).0;
    let seed = digest
        .iter()
        .take(8)
        .fold(0, |seed, byte| seed << 8 | u64::from(*byte));
    Datum::Picture(Arc::new(pictures::drawn(SIDE, SIDE, seed)))
}

/// The answer by which an action that asks is given up.
pub(crate) const GIVE_UP: &str = "give-up";

/// The command that an answer stands for.
pub(crate) fn answer_act(view: &GameView, question: &str, answer: &str) -> Result<Act, AppError> {
    send::player(view)?;
    let pick = |options: &[Value]| {
        let nth: Option<usize> = answer.parse().ok();
        nth.and_then(|nth| options.get(nth).cloned())
    };
    if let Some(action) = question.strip_prefix("open:") {
        let open = view.my_open().find(|(key, _)| key.action == action);
        let (key, open) = open.ok_or(AppError::NotFound)?;
        if answer == GIVE_UP {
            return Ok(Act::Abandon {
                action: key.action.clone(),
            });
        }
        let declined = open.question.may_decline && answer == "none";
        let value = if declined {
            Some(Value::None)
        } else {
            pick(&open.question.options)
        };
        let value = value.ok_or_else(no_option)?;
        return Ok(Act::Answer {
            action: key.action.clone(),
            value,
        });
    }
    let id = question.strip_prefix("duty:").ok_or(AppError::NotFound)?;
    let id: DutyId = id.parse().map_err(|_| AppError::NotFound)?;
    let (_, duty) = view
        .my_duties()
        .find(|(known, _)| **known == id.0)
        .ok_or(AppError::NotFound)?;
    let value = if duty.options.is_empty() {
        Value::Text(typed(answer))
    } else {
        pick(&duty.options).ok_or_else(no_option)?
    };
    Ok(Act::Decide { duty: id, value })
}

fn no_option() -> AppError {
    Refusal::plain("one of the answers that are offered").into()
}
