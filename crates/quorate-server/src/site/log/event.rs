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
    Opened(look): Opened,
    Path((_, event)): Path<(String, String)>,
) -> Response {
    match find(&look, &event).await {
        Ok(event) => {
            if look.is_member() && look.is_undone(event.seq) {
                let reader = SeenBy::of(&look);
                reader.note(&of_event(event.seq), look.head().seq).await;
            }
            drawn(look, move |look| Ok(page(look, &whole(look, &event)))).await
        }
        Err(error) => answer_in(&look, Err(error)),
    }
}

fn whole(look: &GameView, event: &Event) -> EventPage {
    let known = look.may_know(event);
    let title = look.event_line(event);
    let first = event.steps.iter().find(|step| !step.rule.is_empty());
    let (mut effects, begun) = changed(look, event);
    let (mut undo, undoing) = undo_form(look, event);
    let is_undone = undo
        .as_ref()
        .is_err_and(|no| no.needs.iter().any(|need| need.topic == Topic::Undone));
    let undone = is_undone.then(|| look.undone_by(event.seq)).flatten();
    if let (Err(refusal), Some(by)) = (&mut undo, &undone) {
        let (who, when) = (look.doer_name(by), look.when(by.at).full());
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
    effects.extend(rules_changed(look, event));
    effects.extend(posts_changed(look, event));
    EventPage {
        chrome: look.chrome(&title, Part::Log),
        title,
        number: event.seq.to_string(),
        when: look.when(event.at),
        status: status(look, event),
        cite: first.and_then(|step| look.cite(&step.rule, step.clause)),
        facts: if known {
            facts(look, event)
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
        ruling: ruling_link(look, event),
        forms: claim_forms(look, event)
            .into_iter()
            .chain(forget::form(look, event))
            .collect(),
        since: undone.iter().map(|by| log_line(look, by)).collect(),
        proof: proof(event),
    }
}

/// The values that an event changed, and how many came to be as the law begins them.
fn changed(look: &GameView, event: &Event) -> (Vec<EffectRow>, usize) {
    let (changed, begun) = look.values_of(event);
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

fn rules_changed(look: &GameView, event: &Event) -> Vec<EffectRow> {
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
            value: look.rule_title(key),
            new: if was == is { "amended".to_owned() } else { is },
            old: was,
        })
    });
    rows.collect()
}

/// Posts whose status an event changes.
fn posts_changed(look: &GameView, event: &Event) -> Vec<EffectRow> {
    let rows = event.steps.iter().filter_map(|step| match &step.effect {
        Effect::Post {
            old: Some(old),
            new: Some(new),
            ..
        } if old.status != new.status && look.sees_post(old) => Some(EffectRow {
            whose: look.themed(old.title.as_str()),
            value: "Status".to_owned(),
            old: capital(old.status.as_str()),
            new: capital(new.status.as_str()),
        }),
        _ => None,
    });
    rows.collect()
}

fn status(look: &GameView, event: &Event) -> Option<Status> {
    match &event.outcome {
        Outcome::Refused(_) | Outcome::Lapsed(_) => {
            return Some(Status::new(StatusKind::Void, "Refused"));
        }
        Outcome::Opened(_) => return Some(Status::new(StatusKind::Pending, "Waits for an answer")),
        Outcome::Done => {}
    }
    let claim = look
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

fn facts(look: &GameView, event: &Event) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |term: &str, value: &str| {
        if !value.is_empty() {
            facts.push(Fact::new(term, value));
        }
    };
    match &event.act {
        Act::Do { args, .. } if look.may_know_given(event) => {
            for (name, value) in args {
                let words = match value.open() {
                    Value::Text(text) => text.as_str().to_owned(),
                    value => look.label(value),
                };
                add(name.as_str(), &words);
            }
        }
        Act::Claim { rule, reason, .. } => {
            add("Rule", &look.rule_title(rule));
            add("Reason", reason.as_str());
        }
        Act::Dispute { reason, .. } | Act::Repair { reason, .. } => add("Reason", reason.as_str()),
        Act::Undo { event, reason, .. } => {
            if let Some(undone) = look.event(*event) {
                add("Undoes", &look.event_line(&undone));
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
    if let Outcome::Refused(refusal) | Outcome::Lapsed(refusal) = &event.outcome {
        facts.push(Fact::new("Because it", refusal.to_string()));
    }
    facts
}

/// Where a player asks for a ruling by which the event would be struck; nobody strikes a game's founding.
fn ruling_link(look: &GameView, event: &Event) -> Option<Link> {
    look.me().filter(|_| event.seq != EventSeq(1))?;
    let to = urls::Compose {
        game: look.game().as_str(),
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
            new: Some(pledge), ..
        } = &step.effect
        else {
            continue;
        };
        facts.push(match pledge.shown {
            None => Fact::new("Pledged for dice", pledge.said.to_string())
                .note("the digest of the key that dice follow from after this"),
            Some(key) => Fact::new("Key of the dice", key.shown()).note("that fell before this"),
        });
    }
    facts
}

/// The form that undoes an event, with picks for values that have moved on since, or why it cannot be undone; and what
/// undoing it would change.
fn undo_form(look: &GameView, event: &Event) -> (Result<Form, ui::Refusal>, Vec<EffectRow>) {
    let tried = "Undoing this";
    if look.me().is_none() {
        let refusal = Refusal::plain("somebody who plays in this game");
        return (Err(look.refusal(tried, &refusal)), Vec::new());
    }
    let mut fields = vec![Field::new(
        "undo-reason",
        "reason",
        "Why",
        FieldKind::Line(String::new()),
    )];
    let touched = match try_undo(look, event, Vec::new()) {
        Ok(undoing) => touched(look, &undoing),
        Err(refusal) => {
            let (picks, backs) = picks(look, event, &refusal);
            if picks.is_empty() {
                return (Err(look.refusal(tried, &refusal)), Vec::new());
            }
            fields.extend(picks);
            // What would be touched if all that has moved on is set back.
            try_undo(look, event, backs)
                .map_or_else(|_| Vec::new(), |undoing| touched(look, &undoing))
        }
    };
    let word = event.seq.to_string();
    let to = urls::Undo {
        game: look.game().as_str(),
        event: &word,
    };
    let form = Form {
        fields,
        ..Form::button(look.send(to), "Undo it")
    };
    (Ok(form), touched)
}

fn touched(look: &GameView, undoing: &Event) -> Vec<EffectRow> {
    let mut rows = changed(look, undoing).0;
    rows.extend(rules_changed(look, undoing));
    rows.extend(posts_changed(look, undoing));
    rows
}

fn try_undo(look: &GameView, event: &Event, picks: Vec<(String, Value)>) -> Result<Event, Refusal> {
    let me = look
        .me()
        .ok_or_else(|| Refusal::plain("a player of this game"))?;
    let act = Act::Undo {
        event: event.seq,
        reason: typed("trial"),
        picks,
    };
    look.attempt(Actor::Player(me), act, std::slice::from_ref(event))
}

/// A choice for each value that has moved on: what it was before the event, or what it is now; and each picked as it was.
fn picks(look: &GameView, event: &Event, refusal: &Refusal) -> (Vec<Field>, Vec<(String, Value)>) {
    let (mut fields, mut backs) = (Vec::new(), Vec::new());
    for step in &event.steps {
        let Effect::Cell { key, old, new } = &step.effect else {
            continue;
        };
        let label = format!("{} {}", key.thing, key.name);
        let conflict = Topic::Conflict(label.clone());
        if !look.sees_change(key, old.as_ref(), new.as_ref())
            || !refusal.needs.iter().any(|need| need.topic == conflict)
        {
            continue;
        }
        let back = old
            .as_ref()
            .map_or(Value::None, |cell| cell.value.open().clone());
        let now = look
            .cell(key)
            .map_or(Value::None, |cell| cell.value.open().clone());
        let choices = vec![
            Choice::new("back", format!("back to {}", look.label(&back))),
            Choice::new("now", format!("keep {}", look.label(&now))),
        ];
        if backs.iter().any(|(known, _)| *known == label) {
            continue;
        }
        let title = format!("{} {}", look.whose(key), look.value_title(key));
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
fn claim_forms(look: &GameView, event: &Event) -> Vec<Form> {
    let claim = look
        .public()
        .claims
        .iter()
        .find(|(id, _)| id.event() == event.seq);
    let Some((_, claim)) = claim.filter(|_| look.me().is_some()) else {
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
        game: look.game().as_str(),
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
        ..Form::button(look.send(to), "Dispute it")
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
    SentIn { look, form }: &SentIn,
    command: fn(&GameView, &Event, &Posted) -> Result<Act, AppError>,
    notice: &str,
) -> Response {
    let href: Href = urls::Event {
        game: look.game().as_str(),
        event: word,
    }
    .into();
    let result = async {
        let event = find(look, word).await?;
        let act = command(look, &event, form)?;
        send::send(look, form.key(), act).await
    };
    match result.await {
        Ok(_) => reply::see_with(&href, notice),
        Err(AppError::Refused(refusal)) => {
            let refusal = look.refusal("This", &refusal);
            let way = crate::ui::Link::new("Back to the event", href);
            let chrome = look.chrome("The rules say no", Part::Log);
            reply::refused(look.app(), look.visitor(), chrome, refusal, None, way)
        }
        Err(error) => answer_in(look, Err(error)),
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "one of several readers of forms, which have one shape"
)]
fn undoing(look: &GameView, event: &Event, form: &Posted) -> Result<Act, AppError> {
    let mut picks = Vec::new();
    for step in &event.steps {
        let Effect::Cell { key, old, .. } = &step.effect else {
            continue;
        };
        let label = format!("{} {}", key.thing, key.name);
        let now = look.cell(key).map(|cell| cell.value.open().clone());
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

fn disputing(look: &GameView, event: &Event, form: &Posted) -> Result<Act, AppError> {
    let claim = look
        .public()
        .claims
        .keys()
        .find(|id| id.event() == event.seq);
    Ok(Act::Dispute {
        claim: ClaimId(*claim.ok_or(AppError::NotFound)?),
        reason: typed(form.one("reason").unwrap_or_default()),
    })
}
