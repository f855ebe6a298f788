//! One event: what it did, on which dice, by which law, and what can be done about it.

use axum::extract::Path;
use axum::response::Response;
use quorate_forecast::PastEvents;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::ids::ClaimId;
use quorate_kernel::rows::ClaimStanding;
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Refusal, Topic, Value};
use quorate_law::capital;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::forms::{Opened, SentIn, answer_in, drawn, page};
use crate::requests::seen::SeenBy;
use crate::requests::{forget, send};
use crate::site::log::handler::line as log_line;
use crate::site::log::page::{EffectRow, EventPage};
use crate::ui;
use crate::ui::urls::Href;
use crate::ui::{Choice, Fact, Field, FieldKind, Form, Link, Status, StatusKind, plural, urls};
use crate::view::events::{dice, find};
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::undone::of_event;

/// `GET /g/{game}/log/{event}`.
pub(crate) async fn show(
    Opened(view): Opened,
    Path((_, event)): Path<(String, String)>,
) -> Response {
    match find(&view, &event).await {
        Ok(event) => {
            if view.is_member() && view.is_undone(event.seq) {
                let reader = SeenBy::of(&view);
                reader.note(&of_event(event.seq), view.head().seq).await;
            }
            drawn(view, move |view| Ok(page(view, &whole(view, &event)))).await
        }
        Err(error) => answer_in(&view, Err(error)),
    }
}

fn whole(view: &GameView, event: &Event) -> EventPage {
    let known = view.may_know(event);
    let title = view.event_line(event);
    let first = event.steps.iter().find(|step| !step.rule.is_empty());
    let (mut effects, begun) = changed(view, event);
    let (mut undo, undoing) = undo_form(view, event);
    let is_undone = undo
        .as_ref()
        .is_err_and(|no| no.needs.iter().any(|need| need.topic == Topic::Undone));
    let undone = is_undone.then(|| view.undone_by(event.seq)).flatten();
    if let (Err(refusal), Some(by)) = (&mut undo, &undone) {
        let (who, when) = (view.doer_name(by), view.when(by.at).full());
        let why = match &by.act {
            Act::Undo { reason, .. } if !reason.as_str().trim().is_empty() => {
                format!(", because: {}", reason.as_str().trim())
            }
            _ => String::new(),
        };
        refusal.tried.clear();
        refusal.needs.clear();
        refusal.because = Some(format!("{who} undid this on {when}{why}"));
    }
    if begun > 0 {
        effects.push(EffectRow {
            whose: String::new(),
            value: plural(begun, "more value", "more values"),
            old: "not there".to_owned(),
            new: "their first values".to_owned(),
        });
    }
    effects.extend(rules_changed(view, event));
    effects.extend(posts_changed(view, event));
    EventPage {
        chrome: view.chrome(&title, Part::Log),
        title,
        number: event.seq.to_string(),
        when: view.when(event.at),
        status: status(view, event),
        cite: first.and_then(|step| view.cite(&step.rule, step.clause)),
        facts: if known {
            facts(view, event)
        } else {
            Vec::new()
        },
        dice: if known {
            let names = event.tape.dice.iter().map(|die| die.what.clone());
            names.zip(dice(event)).collect()
        } else {
            Vec::new()
        },
        effects,
        undo,
        undoing,
        ruling: ruling_link(view, event),
        forms: claim_forms(view, event)
            .into_iter()
            .chain(forget::form(view, event))
            .collect(),
        since: undone.iter().map(|by| log_line(view, by)).collect(),
        proof: proof(event),
    }
}

/// The values that an event changed, and how many came to be as the law begins them.
fn changed(view: &GameView, event: &Event) -> (Vec<EffectRow>, usize) {
    let (changed, begun) = view.values_of(event);
    let rows = changed
        .into_iter()
        .map(|(whose, value, old, new)| EffectRow {
            whose: if whose.is_empty() {
                "The game".to_owned()
            } else {
                whose
            },
            value,
            old,
            new,
        });
    (rows.collect(), begun)
}

fn rules_changed(view: &GameView, event: &Event) -> Vec<EffectRow> {
    let rows = event.steps.iter().filter_map(|step| {
        let Effect::Rule { key, old, new } = &step.effect else {
            return None;
        };
        let words = |rule: &Option<quorate_kernel::law::Rule>| match rule {
            None => "not there".to_owned(),
            Some(rule) if !rule.active => format!("{} (off)", rule.title),
            Some(rule) => rule.title.clone(),
        };
        let (was, is) = (words(old), words(new));
        (event.seq != EventSeq(1)).then(|| EffectRow {
            whose: "Ruleset".to_owned(),
            value: view.rule_title(key),
            new: if was == is { "amended".to_owned() } else { is },
            old: was,
        })
    });
    rows.collect()
}

/// Posts whose status an event changes.
fn posts_changed(view: &GameView, event: &Event) -> Vec<EffectRow> {
    let rows = event.steps.iter().filter_map(|step| match &step.effect {
        Effect::Post {
            old: Some(old),
            new: Some(new),
            ..
        } if old.status != new.status && view.sees_post(old) => Some(EffectRow {
            whose: view.themed(old.title.as_str()),
            value: "Status".to_owned(),
            old: capital(old.status.as_str()),
            new: capital(new.status.as_str()),
        }),
        _ => None,
    });
    rows.collect()
}

fn status(view: &GameView, event: &Event) -> Option<Status> {
    if event.refusal().is_some() {
        return Some(Status::new(StatusKind::Void, "Refused"));
    }
    if let Outcome::Opened(_) = event.outcome {
        return Some(Status::new(StatusKind::Pending, "Waits for an answer"));
    }
    let claim = view
        .public()
        .claims
        .iter()
        .find(|(id, _)| id.event() == event.seq)?
        .1;
    Some(match claim.standing {
        ClaimStanding::Claimed => Status::new(StatusKind::Claimed, "Claimed"),
        ClaimStanding::Settled => Status::new(StatusKind::Enacted, "Settled"),
        ClaimStanding::Disputed => Status::new(StatusKind::Disputed, "Disputed"),
        ClaimStanding::Undone => Status::new(StatusKind::Void, "Undone"),
    })
}

fn facts(view: &GameView, event: &Event) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |term: &str, value: &str| {
        if !value.is_empty() {
            facts.push(Fact::new(term, value));
        }
    };
    match &event.act {
        Act::Do { args, .. } if view.may_know_given(event) => {
            for (name, value) in args {
                let words = match value.open() {
                    Value::Text(text) => text.as_str().to_owned(),
                    value => view.label(value),
                };
                add(name.as_str(), &words);
            }
        }
        Act::Claim { rule, reason, .. } => {
            add("Rule", &view.rule_title(rule));
            add("Reason", reason.as_str());
        }
        Act::Dispute { reason, .. } | Act::Repair { reason, .. } => add("Reason", reason.as_str()),
        Act::Undo { event, reason, .. } => {
            if let Some(undone) = view.event(*event) {
                add("Undoes", &view.event_line(&undone));
            }
            add("Reason", reason.as_str());
        }
        Act::Dice { line } => add("Line", line.as_str()),
        Act::Do { args, .. } if !args.is_empty() => add("What was given", "hidden from you"),
        Act::Comment { text, .. } => add("Text", text.as_str()),
        Act::Apply { name, text } => {
            add("Name", name.as_str());
            add("Text", text.as_str());
        }
        _ => {}
    }
    for note in &event.notes {
        facts.push(Fact::new("It says", note.text.clone()));
    }
    if let Some(refusal) = event.refusal() {
        facts.push(Fact::new("Because it", refusal.to_string()));
    }
    facts
}

/// Where a player asks for a ruling by which the event would be struck; nobody strikes a game's founding.
fn ruling_link(view: &GameView, event: &Event) -> Option<Link> {
    view.me().filter(|_| event.seq != EventSeq(1))?;
    let to = urls::Compose {
        game: view.game().as_str(),
    };
    let href = Href::from(to).with("strike", &event.seq.to_string());
    Some(Link::new("Ask for a ruling on it", href))
}

fn proof(event: &Event) -> Vec<Fact> {
    let short = |text: String| text.get(..16).map_or(text.clone(), str::to_owned);
    let mut facts = vec![
        Fact::new("Law that judged it", short(event.law.to_string())),
        Fact::new("Rests on", short(event.previous.to_string()))
            .note("the hash of the event before"),
    ];
    for step in &event.steps {
        let Effect::Commitment {
            new: Some(commitment),
            ..
        } = &step.effect
        else {
            continue;
        };
        facts.push(match commitment.shown {
            None => Fact::new("Commitment for dice", commitment.said.to_string())
                .note("the digest of the key that dice follow from after this"),
            Some(key) => Fact::new("Key of the dice", key.shown()).note("that fell before this"),
        });
    }
    facts
}

/// The form that undoes an event, with picks for values that have moved on since, or why it cannot be undone; and what
/// undoing it would change.
fn undo_form(view: &GameView, event: &Event) -> (Result<Form, ui::Refusal>, Vec<EffectRow>) {
    let tried = "Undoing this";
    if view.me().is_none() {
        let refusal = Refusal::plain("somebody who plays in this game");
        return (Err(view.refusal(tried, &refusal)), Vec::new());
    }
    let mut fields = vec![Field::new(
        "undo-reason",
        "reason",
        "Why",
        FieldKind::Line(String::new()),
    )];
    let touched = match try_undo(view, event, Vec::new()) {
        Ok(undoing) => touched(view, &undoing),
        Err(refusal) => {
            let (picks, backs) = picks(view, event, &refusal);
            if picks.is_empty() {
                return (Err(view.refusal(tried, &refusal)), Vec::new());
            }
            fields.extend(picks);
            // What would be touched if all that has moved on is set back.
            try_undo(view, event, backs)
                .map_or_else(|_| Vec::new(), |undoing| touched(view, &undoing))
        }
    };
    let word = event.seq.to_string();
    let to = urls::Undo {
        game: view.game().as_str(),
        event: &word,
    };
    let form = Form {
        fields,
        ..Form::button(view.send(to), "Undo it")
    };
    (Ok(form), touched)
}

fn touched(view: &GameView, undoing: &Event) -> Vec<EffectRow> {
    let mut rows = changed(view, undoing).0;
    rows.extend(rules_changed(view, undoing));
    rows.extend(posts_changed(view, undoing));
    rows
}

fn try_undo(view: &GameView, event: &Event, picks: Vec<(String, Value)>) -> Result<Event, Refusal> {
    let me = view
        .me()
        .ok_or_else(|| Refusal::plain("a player of this game"))?;
    let act = Act::Undo {
        event: event.seq,
        reason: typed("trial"),
        picks,
    };
    view.attempt(Actor::Player(me), act, std::slice::from_ref(event))
}

/// A choice for each value that has moved on: what it was before the event, or what it is now; and each picked as it was.
fn picks(view: &GameView, event: &Event, refusal: &Refusal) -> (Vec<Field>, Vec<(String, Value)>) {
    let (mut fields, mut backs) = (Vec::new(), Vec::new());
    for step in &event.steps {
        let Effect::Cell { key, old, new } = &step.effect else {
            continue;
        };
        let label = format!("{} {}", key.thing, key.name);
        let conflict = Topic::Conflict(label.clone());
        if !view.sees_change(key, old.as_ref(), new.as_ref())
            || !refusal.needs.iter().any(|need| need.topic == conflict)
        {
            continue;
        }
        let back = old
            .as_ref()
            .map_or(Value::None, |cell| cell.value.open().clone());
        let now = view
            .cell(key)
            .map_or(Value::None, |cell| cell.value.open().clone());
        let choices = vec![
            Choice::new("back", format!("back to {}", view.label(&back))),
            Choice::new("now", format!("keep {}", view.label(&now))),
        ];
        if backs.iter().any(|(known, _)| *known == label) {
            continue;
        }
        let title = format!("{} {}", view.whose(key), view.value_title(key));
        let id = format!("pick-{}", fields.len());
        fields.push(Field::new(
            id,
            format!("pick:{label}"),
            title,
            FieldKind::OneInSight(choices),
        ));
        backs.push((label, back));
    }
    (fields, backs)
}

/// Disputing or confirming a claim that the event made.
fn claim_forms(view: &GameView, event: &Event) -> Vec<Form> {
    let claim = view
        .public()
        .claims
        .iter()
        .find(|(id, _)| id.event() == event.seq);
    let Some((_, claim)) = claim.filter(|_| view.me().is_some()) else {
        return Vec::new();
    };
    if !matches!(
        claim.standing,
        ClaimStanding::Claimed | ClaimStanding::Disputed
    ) {
        return Vec::new();
    }
    let word = event.seq.to_string();
    let to = urls::Dispute {
        game: view.game().as_str(),
        event: &word,
    };
    let reason = Field::new(
        "dispute-reason",
        "reason",
        "Why it is wrong",
        FieldKind::Line(String::new()),
    );
    vec![Form {
        fields: vec![reason],
        ..Form::button(view.send(to), "Dispute it")
    }]
}

/// `POST /g/{game}/log/{event}/undo`.
pub(crate) async fn undo(Path((_, event)): Path<(String, String)>, sent: SentIn) -> Response {
    done(&event, &sent, undoing, "It is undone.").await
}

/// `POST /g/{game}/log/{event}/dispute`.
pub(crate) async fn dispute(Path((_, event)): Path<(String, String)>, sent: SentIn) -> Response {
    done(&event, &sent, disputing, "It is disputed.").await
}

async fn done(
    word: &str,
    SentIn { view, form }: &SentIn,
    command: fn(&GameView, &Event, &Posted) -> Result<Act, AppError>,
    notice: &str,
) -> Response {
    let href: Href = urls::Event {
        game: view.game().as_str(),
        event: word,
    }
    .into();
    let result = async {
        let event = find(view, word).await?;
        let act = command(view, &event, form)?;
        send::send(view, form.key(), act).await
    };
    match result.await {
        Ok(_) => reply::see_with(&href, notice),
        Err(AppError::Refused(refusal)) => {
            let refusal = view.refusal("This", &refusal);
            let way = crate::ui::Link::new("Back to the event", href);
            let chrome = view.chrome("The rules say no", Part::Log);
            reply::refused(view.app(), view.visitor(), chrome, refusal, None, way)
        }
        Err(error) => answer_in(view, Err(error)),
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "one of several readers of forms, which have one shape"
)]
fn undoing(view: &GameView, event: &Event, form: &Posted) -> Result<Act, AppError> {
    let mut picks = Vec::new();
    for step in &event.steps {
        let Effect::Cell { key, old, .. } = &step.effect else {
            continue;
        };
        let label = format!("{} {}", key.thing, key.name);
        let now = view.cell(key).map(|cell| cell.value.open().clone());
        let value = match form.one(&format!("pick:{label}")) {
            Some("back") => old.as_ref().map(|cell| cell.value.open().clone()),
            Some("now") => now,
            _ => continue,
        };
        picks.push((label, value.unwrap_or_default()));
    }
    Ok(Act::Undo {
        event: event.seq,
        reason: typed(form.one("reason").unwrap_or_default()),
        picks,
    })
}

fn disputing(view: &GameView, event: &Event, form: &Posted) -> Result<Act, AppError> {
    let claim = view
        .public()
        .claims
        .keys()
        .find(|id| id.event() == event.seq);
    Ok(Act::Dispute {
        claim: ClaimId(*claim.ok_or(AppError::NotFound)?),
        reason: typed(form.one("reason").unwrap_or_default()),
    })
}
