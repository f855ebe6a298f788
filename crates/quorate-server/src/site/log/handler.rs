//! The log: what happened, newest first, as far as the reader may know it.

use std::collections::BTreeMap;

use axum::extract::Query;
use axum::response::Response;
use quorate_forecast::PastEvents;
use quorate_kernel::command::Act;
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::{EventSeq, PlayerId};

use crate::app::error::AppError;
use crate::requests::forms::{Opened, answer_in, drawn, page};
use crate::site::log::page::{LogLine, LogPage, Past};
use crate::ui::urls::Href;
use crate::ui::{Choice, Field, FieldKind, Icon, Mark, Tone, urls};
use crate::view::events::dice;
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::secrets::begins_with_capital;

/// How many lines a page has.
const LINES: usize = 60;

/// How many events are read at most to fill a page of a filtered log.
const READ_MAX: u64 = 3_000;

/// `GET /g/{game}/log`.
pub(crate) async fn show(
    Opened(view): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let wanted = LogPart::read(&view, &query);
    match read(&view, &wanted).await {
        Ok(events) => {
            drawn(view, move |view| {
                Ok(page(view, &log(view, &wanted, &events)))
            })
            .await
        }
        Err(error) => answer_in(&view, Err(error)),
    }
}

/// What part of the log is asked for.
struct LogPart {
    who: Option<PlayerId>,
    kind: String,
    /// The newest event that may be shown.
    from: u64,
}

impl LogPart {
    fn read(view: &GameView, query: &BTreeMap<String, String>) -> Self {
        let last = view.head().seq.0;
        let from = query.get("from").and_then(|from| from.parse().ok());
        Self {
            who: query.get("who").and_then(|who| who.parse().ok()),
            kind: query.get("kind").cloned().unwrap_or_default(),
            from: from.unwrap_or(last).min(last),
        }
    }

    fn takes(&self, view: &GameView, event: &Event) -> bool {
        let who = self.who.is_none_or(|who| view.doer(event) == Some(who));
        let name = event.act.name();
        let kind = match self.kind.as_str() {
            "" => true,
            "acts" => matches!(
                event.act,
                Act::Do { .. } | Act::Answer { .. } | Act::Abandon { .. } | Act::Decide { .. }
            ),
            "posts" => matches!(
                event.act,
                Act::Post(_) | Act::EditPost { .. } | Act::Withdraw { .. } | Act::Comment { .. }
            ),
            "dice" => !event.tape.dice.is_empty(),
            "hand" => matches!(
                event.act,
                Act::Claim { .. } | Act::Dispute { .. } | Act::Undo { .. } | Act::Repair { .. }
            ),
            "itself" => matches!(
                event.act,
                Act::Due { .. } | Act::Downtime { .. } | Act::Sleep { .. }
            ),
            other => name == other,
        };
        who && kind
    }
}

async fn read(view: &GameView, wanted: &LogPart) -> Result<Vec<Event>, AppError> {
    let mut found = Vec::new();
    let mut next = wanted.from;
    while next > 0 && found.len() <= LINES && wanted.from - next < READ_MAX {
        let low = next.saturating_sub(LINES as u64) + 1;
        let seqs: Vec<EventSeq> = (low.max(1)..=next).rev().map(EventSeq).collect();
        for event in view.app().events(view.game(), &seqs).await? {
            if wanted.takes(view, &event) {
                found.push(event);
            }
        }
        next = low.max(1) - 1;
    }
    Ok(found)
}

fn log(view: &GameView, wanted: &LogPart, events: &[Event]) -> LogPage {
    let game = view.game().as_str();
    let last = view.head().seq.0;
    let here = |from: u64| {
        let mut href: Href = urls::Log { game }.into();
        if let Some(who) = wanted.who {
            href = href.with("who", &who.to_string());
        }
        if !wanted.kind.is_empty() {
            href = href.with("kind", &wanted.kind);
        }
        href.with("from", &from.to_string())
    };
    let older = events.get(LINES).map(|event| here(event.seq.0));
    LogPage {
        charts: urls::Charts { game }.into(),
        chrome: view.chrome("Log", Part::Log),
        here: urls::Log { game }.into(),
        filters: filters(view, wanted),
        past: Past {
            latest: last,
            at: wanted.from,
            when: view.when(events.first().map_or(view.now(), |event| event.at)),
            to: urls::Tracker { game }.into(),
        },
        lines: events
            .iter()
            .take(LINES)
            .map(|event| line(view, event))
            .collect(),
        newer: (wanted.from < last).then(|| here((wanted.from + LINES as u64).min(last))),
        older,
    }
}

fn filters(view: &GameView, wanted: &LogPart) -> Vec<Field> {
    let people = view.public().people.keys().map(|id| Choice {
        chosen: wanted.who == Some(*id),
        ..Choice::new(id.to_string(), view.name(*id))
    });
    let kinds = [
        ("acts", "Actions"),
        ("posts", "Posts and comments"),
        ("dice", "With dice"),
        ("hand", "By hand: claims, undoing, repairs"),
        ("itself", "Automatic"),
    ];
    let kinds = kinds.map(|(value, title)| Choice {
        chosen: wanted.kind == value,
        ..Choice::new(value, title)
    });
    vec![
        Field::new("who", "who", "Who", FieldKind::One(people.collect())).blank("anybody"),
        Field::new("kind", "kind", "What", FieldKind::One(kinds.to_vec())).blank("anything"),
    ]
}

/// A line of the log.
pub(crate) fn line(view: &GameView, event: &Event) -> LogLine {
    let number = event.seq.to_string();
    let link = urls::Event {
        game: view.game().as_str(),
        event: &number,
    };
    let mark = match &event.outcome {
        Outcome::Opened(_) => Some(mark(Icon::Ask, Tone::Pending, "waits for an answer")),
        _ if event.refusal().is_some() => Some(mark(Icon::Failed, Tone::Failed, "was refused")),
        _ => None,
    };
    let (mut by, what) = (view.doer_name(event), what(view, event));
    if begins_with_capital(&what) {
        by.push(':');
    }
    LogLine {
        id: format!("e{number}"),
        when: view.when(event.at),
        by,
        what,
        effects: view.effects_in_short(event),
        dice: if view.may_know(event) {
            dice(event)
        } else {
            Vec::new()
        },
        mark,
        href: link.into(),
        number,
    }
}

/// What was done; of an undoing also what was undone, which the log knows.
fn what(view: &GameView, event: &Event) -> String {
    let Act::Undo { event: undone, .. } = &event.act else {
        return view.event_about(event);
    };
    match view.event(*undone) {
        Some(undone) => format!("undid: {}", view.event_line(&undone)),
        None => view.event_about(event),
    }
}

fn mark(icon: Icon, tone: Tone, word: &str) -> Mark {
    Mark {
        icon,
        tone: Some(tone),
        word: word.to_owned(),
    }
}
