//! The history of one value: each change names the event of the one before, so that the way back needs no search.

use std::collections::BTreeMap;

use quorate_engine::fields::Typed;
use quorate_engine::{convert, fields, offers};
use quorate_kernel::command::Act;
use quorate_kernel::effect::Step as LogStep;
use quorate_kernel::event::Event;
use quorate_kernel::rows::{Cell, CellKey, ClaimStanding};
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, Refusal, Value};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::{Holds, Outside, ShownTo, ValueDecl};
use quorate_law::world::World;

use crate::app::error::AppError;
use crate::ui::urls::Href;
use crate::ui::{Choice, ClaimMark, Die, Field, FieldKind, Form, History, Step, urls};
use crate::view::claims;
use crate::view::game::GameView;
use crate::view::grid::{TableAsked, cell_word};

/// How many changes are shown at first.
pub(crate) const STEPS: usize = 12;

/// How many changes are shown at most.
pub(crate) const STEPS_ALL: usize = 200;

/// How many dice of one event stand in a line of a history.
const DICE: usize = 6;

/// The events that changed a value, newest first, where the reader may see it: at most so many and one more, so that
/// it is known whether there are older ones.
pub(crate) async fn changes(
    view: &GameView,
    key: &CellKey,
    most: usize,
) -> Result<Vec<Event>, AppError> {
    let mut found: Vec<Event> = Vec::new();
    if !view.sight().shown(key) {
        return Ok(found);
    }
    let mut next = view.state().cells.get(key).map(|cell| cell.by);
    while let Some(seq) = next.filter(|_| found.len() <= most) {
        let events = view.site.events(&view.game, &[seq]).await?;
        let Some(event) = events.into_iter().next() else {
            break;
        };
        let old = steps_of(&event, key)
            .next()
            .and_then(|step| old_new(step).0.cloned());
        // An earlier event than the last one, or the way back would never end.
        next = old.map(|cell| cell.by).filter(|by| *by < seq);
        found.push(event);
    }
    Ok(found)
}

/// How many changes a page asks for.
pub(crate) fn most(query: &BTreeMap<String, String>) -> usize {
    if query.contains_key("all") {
        STEPS_ALL
    } else {
        STEPS
    }
}

/// Today's view where a page is of the past, and the changes of the value that is open on it.
pub(crate) async fn gather(
    view: &GameView,
    asked: &TableAsked,
    most: usize,
) -> Result<(Option<GameView>, Vec<Event>), AppError> {
    let today = if view.is_past {
        Some(GameView::at(&view.site, &view.visitor, view.game.as_str()).await?)
    } else {
        None
    };
    let changes = match &asked.cell {
        Some(key) if today.as_ref().is_none_or(|today| today.sight().shown(key)) => {
            changes(view, key, most).await?
        }
        _ => Vec::new(),
    };
    Ok((today, changes))
}

fn steps_of<'a>(event: &'a Event, key: &'a CellKey) -> impl Iterator<Item = &'a LogStep> {
    let touches =
        move |step: &&LogStep| matches!(&step.effect, Effect::Cell { key: of, .. } if of == key);
    event.steps.iter().filter(touches)
}

fn old_new(step: &LogStep) -> (Option<&Cell>, Option<&Cell>) {
    match &step.effect {
        Effect::Cell { old, new, .. } => (old.as_ref(), new.as_ref()),
        _ => (None, None),
    }
}

/// The pane with a value's latest changes and the form that changes it by hand.
pub(crate) fn pane(
    view: &GameView,
    asked: &TableAsked,
    key: &CellKey,
    events: &[Event],
    most: usize,
) -> Option<History> {
    let kind = view.kind_of(&key.thing)?;
    let decl = view.law.value(&kind, key.name.as_str())?;
    if decl.it.shown_to == ShownTo::Nobody || !view.sight().shown(key) {
        return None;
    }
    let now = view.shown(key);
    let of = view.called(&key.thing);
    let title = view.themed(&decl.it.title);
    let (edit, why_not) = match edit(view, key, &decl.it, &decl.site.rule) {
        Some(Ok(form)) => (Some(form), String::new()),
        Some(Err(why)) => (None, why),
        None => (None, String::new()),
    };
    let about: Vec<String> = [limits(&decl.it), why_not]
        .into_iter()
        .filter(|words| !words.is_empty())
        .collect();
    let more = events.len() > most && most < STEPS_ALL;
    Some(History {
        id: "history".to_owned(),
        title: format!(
            "{of}, {title}: {}",
            if now.is_empty() { "none" } else { &now }
        ),
        about: about.join(" "),
        cite: view.cite_site(&decl.site),
        steps: events
            .iter()
            .take(most)
            .filter_map(|event| step(view, key, event))
            .collect(),
        all: more.then(|| {
            let all = asked.sorted_page(view).with("cell", &cell_word(key));
            (
                "Older changes".to_owned(),
                all.with("all", "yes").at("history"),
            )
        }),
        chart: matches!(decl.it.holds, Holds::Number { .. }).then(|| {
            let game = view.game.as_str();
            let chart =
                Href::from(urls::Charts { game }).with("value", &format!("{kind}.{}", key.name));
            chart.with("whose", &key.thing.to_string())
        }),
        close: asked.sorted_page(view),
        edit,
    })
}

/// Where the range of a value ends, in words.
fn limits(decl: &ValueDecl) -> String {
    let Holds::Number { min, max, outside } = &decl.holds else {
        return String::new();
    };
    let range = match (min, max) {
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("never below {min}"),
        (None, Some(max)) => format!("never above {max}"),
        (None, None) => return String::new(),
    };
    match outside {
        Outside::Clamp => format!("{range}; it stops there."),
        Outside::Refuse => format!("{range}."),
    }
}

fn step(view: &GameView, key: &CellKey, event: &Event) -> Option<Step> {
    let first = steps_of(event, key).next()?;
    let last = steps_of(event, key).last()?;
    let words = |cell: Option<&Cell>| cell.map(|cell| view.label(cell.value.open()));
    let value = |cell: Option<&Cell>| cell.map(|cell| cell.value.open().clone());
    let moved = value(old_new(first).0)
        .zip(value(old_new(last).1))
        .and_then(|(old, new)| view.list_change(&old, &new));
    let known = view.may_know(event);
    let game = view.game.as_str();
    let number = event.seq.to_string();
    let (claim, outcome) = standing(view, event);
    Some(Step {
        when: view.when(event.at),
        old: match &moved {
            // What came and went tells by itself what there was.
            Some(_) => None,
            None => words(old_new(first).0).filter(|old| !old.is_empty()),
        },
        new: match moved {
            Some((_, changed)) => changed,
            None => words(old_new(last).1)
                .filter(|new| !new.is_empty())
                .unwrap_or_else(|| "nothing".to_owned()),
        },
        how: how(view, event, known),
        cite: view.cite(&last.rule, last.clause),
        dice: if known { dice(event) } else { Vec::new() },
        claim,
        outcome,
        event: Some(
            urls::Event {
                game,
                event: &number,
            }
            .into(),
        ),
    })
}

/// Who did it, and by what.
pub(crate) fn how(view: &GameView, event: &Event, known: bool) -> String {
    let by = view.doer_name(event);
    match &event.act {
        _ if !known => format!("{by}, something private"),
        Act::Claim { reason, .. } => format!("{by}, by hand: “{}”", reason.as_str().trim()),
        Act::Undo { reason, .. } => {
            format!(
                "{by}, undoing an earlier change: “{}”",
                reason.as_str().trim()
            )
        }
        Act::Repair { reason, .. } => format!("{by}, repair: “{}”", reason.as_str().trim()),
        Act::Due { .. } => format!("{by}, automatically"),
        // What was answered may be nobody's business; that it was answered is in the log.
        Act::Answer { action, .. } | Act::Abandon { action } => {
            let decl = view.law.actions.get(action);
            let title = decl.map_or_else(|| action.to_string(), |d| view.themed(&d.it.title));
            format!("{by}, {title}")
        }
        Act::Post(post) => {
            let decl = view.law.categories.get(&post.category);
            let kind = decl.map_or_else(|| "a post".to_owned(), |d| view.themed(&d.it.title));
            format!("{by}, posting: {kind}")
        }
        _ => format!("{by}, {}", view.event_title(event)),
    }
}

fn dice(event: &Event) -> Vec<Die> {
    let dice = crate::view::events::dice(event);
    if dice.len() <= DICE { dice } else { Vec::new() }
}

/// How a change by hand stands, and what became of it.
fn standing(view: &GameView, event: &Event) -> (Option<ClaimMark>, Option<String>) {
    let found = view
        .state()
        .claims
        .iter()
        .find(|(id, _)| id.event() == event.seq);
    match found.map(|(_, claim)| claim.standing) {
        Some(ClaimStanding::Claimed) => (Some(ClaimMark::Claimed), None),
        Some(ClaimStanding::Disputed) => (Some(ClaimMark::Disputed), None),
        Some(ClaimStanding::Settled) => (None, Some("accepted".to_owned())),
        Some(ClaimStanding::Undone) => (None, Some("taken back".to_owned())),
        None => (None, None),
    }
}

/// The form that changes a value by hand, or why the reader may not; nothing for strangers, the past, and ledgers.
fn edit(
    view: &GameView,
    key: &CellKey,
    decl: &ValueDecl,
    home: &Name,
) -> Option<Result<Form, String>> {
    let me = view.me.filter(|_| !view.is_past)?;
    if matches!(decl.holds, Holds::Ledger { .. }) {
        return None;
    }
    match claims::may_claim(view, me, home) {
        Ok(()) => {}
        Err(Some(why)) => return Some(Err(why)),
        Err(None) => return None,
    }
    let mut fields = value_fields(view, key, decl, home)?;
    fields.push(claims::rules_field(view, "edit", Some(home)));
    fields.push(claims::reason_field("edit"));
    let game = view.game.as_str();
    Some(Ok(Form {
        fields,
        ..Form::button(
            view.send(urls::Claim { game }).with("cell", cell_word(key)),
            "Record the claim",
        )
    }))
}

/// The fields for a new value, filled with what it holds now.
fn value_fields(
    view: &GameView,
    key: &CellKey,
    decl: &ValueDecl,
    home: &Name,
) -> Option<Vec<Field>> {
    let kind = view.kind_of(&key.thing)?;
    let (ty, options) = view.trial_run(|tx| {
        let ty = tx.attribute_type(kind.as_str(), key.name.as_str())?;
        let options = offers::options_of(tx, home, &ty, &decl.holds);
        Some((ty, options))
    })?;
    let now = match view.state().cells.get(key) {
        Some(cell) => convert::datum(cell.value.open()),
        None => decl.default.clone(),
    };
    let field = offers::Field {
        name: "value".into(),
        title: "New value".to_owned(),
        ty,
        options,
        remarks: Vec::new(),
        default: None,
    };
    let mut made = view.field(&field, "edit");
    filled(view, &mut made.kind, &now, decl);
    if matches!(decl.holds, Holds::Text) {
        made.optional = true;
    }
    let Datum::List(items) = &now else {
        return Some(vec![made]);
    };
    Some(list_fields(view, made, items))
}

/// A list is edited line by line: in a set of things to pick from nothing could stand twice. Where the law says what can
/// be in it, one more can be picked.
fn list_fields(view: &GameView, made: Field, items: &[Datum]) -> Vec<Field> {
    let lines: Vec<String> = items
        .iter()
        .map(|item| view.trial_run(|tx| tx.label(item)))
        .collect();
    let lines = FieldKind::Prose(lines.join("\n"));
    let all = Field::new(made.id, made.name, made.label, lines);
    let mut fields = vec![all.hint("one in a line").optional()];
    if let FieldKind::Many(choices) = made.kind {
        let choices = choices.into_iter().map(|choice| Choice {
            chosen: false,
            ..choice
        });
        let one = FieldKind::One(choices.collect());
        fields.push(Field::new("edit-add", "add", "And one more", one).blank("nothing"));
    }
    fields
}

/// What a form sends of a list: each line of its text, and the one that was picked.
pub(crate) fn sent_items(sent: &[String], add: Option<&str>) -> Vec<String> {
    let lines = sent.iter().flat_map(|text| text.lines());
    let items = lines.chain(add).map(str::trim);
    items
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}

fn filled(view: &GameView, kind: &mut FieldKind, now: &Datum, decl: &ValueDecl) {
    let word = |datum: &Datum| {
        let label = view.trial_run(|tx| tx.label(datum));
        crate::view::offers::sent(datum, &label)
    };
    match (kind, now) {
        (FieldKind::Number { value, min, max }, Datum::Int(n)) => {
            *value = n.to_string();
            if let Holds::Number {
                min: least,
                max: most,
                ..
            } = &decl.holds
            {
                (*min, *max) = (*least, *most);
            }
        }
        (FieldKind::One(choices) | FieldKind::OneInSight(choices), now) => {
            let now = word(now);
            for choice in choices {
                choice.chosen = choice.value == now;
            }
        }
        (FieldKind::Line(line), Datum::Text(text)) => *line = text.to_string(),
        (FieldKind::Flag(flag), Datum::Bool(now)) => *flag = *now,
        (FieldKind::Moment(line), Datum::Moment(at)) => {
            *line = view.when(*at).iso().chars().take(16).collect();
        }
        _ => {}
    }
}

/// The value that such a field sends.
pub(crate) fn sent_value(
    view: &GameView,
    key: &CellKey,
    sent: &[String],
    add: Option<&str>,
) -> Result<(Value, Name), Refusal> {
    let kind = view.kind_of(&key.thing);
    let kind = kind.ok_or_else(|| Refusal::plain("a thing that is in the game"))?;
    let decl = view.law.value(&kind, key.name.as_str());
    let decl = decl.filter(|decl| decl.it.shown_to != ShownTo::Nobody && view.sight().shown(key));
    let decl = decl.ok_or_else(|| Refusal::plain("a value that the law tracks"))?;
    let value = view.trial_run(|tx| {
        let ty = tx
            .attribute_type(kind.as_str(), key.name.as_str())
            .unwrap_or(Type::Any);
        let typed = match sent {
            _ if matches!(ty, Type::List(_)) => {
                let items = sent_items(sent, add).into_iter();
                Typed::List(items.map(Typed::Text).collect())
            }
            [] => Typed::None,
            [one] if one.is_empty() && !matches!(ty, Type::Text | Type::Any) => Typed::None,
            [one] => Typed::Text(whole_moment(&ty, one)),
            many => Typed::List(many.iter().map(|one| Typed::Text(one.clone())).collect()),
        };
        let datum = fields::read(tx, &decl.it.title, &ty, &typed)?;
        let salt = &mut || [0; 16];
        convert::value_for(&decl.it, &datum, salt).map_err(Refusal::plain)
    })?;
    Ok((value, decl.site.rule.clone()))
}

/// A browser's field for a moment sends no zone: all times here are UTC.
fn whole_moment(ty: &Type, text: &str) -> String {
    let is_moment = match ty {
        Type::Moment => true,
        Type::Optional(inner) => **inner == Type::Moment,
        _ => false,
    };
    let complete = |text: &str| text.parse::<Moment>().is_ok();
    if is_moment && !complete(text) && complete(&format!("{text}Z")) {
        format!("{text}Z")
    } else {
        text.to_owned()
    }
}

/// The address at which a value's history is open on the tracker.
pub(crate) fn on_tracker(view: &GameView, key: &CellKey) -> Href {
    let game = view.game.as_str();
    Href::from(urls::Tracker { game })
        .with("cell", &cell_word(key))
        .at("history")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_sent_line_by_line_and_may_hold_a_thing_twice() {
        let sent = ["robe\r\n\r\ndagger, +1\ndagger, +1 ".to_owned()];
        let items = sent_items(&sent, Some("thing:17-1"));
        assert_eq!(items, ["robe", "dagger, +1", "dagger, +1", "thing:17-1"]);
        assert!(sent_items(&[String::new()], None).is_empty());
    }

    #[test]
    fn a_moment_from_a_browser_is_utc() {
        let optional = Type::Optional(Box::new(Type::Moment));
        assert_eq!(
            whole_moment(&optional, "2031-05-05T07:00"),
            "2031-05-05T07:00Z"
        );
        assert_eq!(
            whole_moment(&Type::Moment, "2031-05-05T07:00Z"),
            "2031-05-05T07:00Z"
        );
        assert_eq!(
            whole_moment(&Type::Text, "2031-05-05T07:00"),
            "2031-05-05T07:00"
        );
    }
}
