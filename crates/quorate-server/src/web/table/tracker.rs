//! The tracker: every value that the rules speak of, with its history, the dice line, and what needs a second look.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use quorate_kernel::command::Act;
use quorate_kernel::event::Event;
use quorate_kernel::rows::{Cell, CellKey, ClaimStanding};
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Name};

use super::cells::Order;
use crate::pages::{DiceLine, Link, LookAgain, Tracker};
use crate::parts::{Field, FieldKind, Form, History, Roll, Row, Status, StatusKind, Step, Table};
use crate::urls::{self, Href};
use crate::web::forms::{drawn, page};
use crate::web::look::Look;
use crate::web::look::people::Part;
use crate::web::past::log::dice;
use crate::web::reply;
use crate::web::site::Site;
use crate::web::trouble::Trouble;
use crate::web::visitor::Visitor;

/// How many changes of a value are shown.
const STEPS: usize = 12;

/// How many events are looked through for rolls of the dice line, and how many rolls are shown.
const LOOKED: u64 = 400;
const ROLLS: usize = 8;

/// `GET /g/{game}/tracker`.
pub(crate) async fn show(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path(game): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let at = query.get("at").map(String::as_str);
    let look = match Look::then(&site, &visitor, &game, at).await {
        Ok(look) => look,
        Err(trouble) => return reply::failed(&site, &visitor, None, trouble),
    };
    let asked = query.get("cell").and_then(|cell| key_of(cell));
    let read = async {
        let history = match &asked {
            Some(key) if look.view().shown(key) => changes_of(&look, key).await?,
            _ => Vec::new(),
        };
        Ok::<_, Trouble>((history, rolls(&look).await?))
    };
    match read.await {
        Ok((history, rolls)) => {
            drawn(look, move |look| {
                let order = Order {
                    by: query.get("by").map(|by| Name::from(by.as_str())),
                    is_up: query.get("way").is_some_and(|way| way == "up"),
                };
                let mut tracker = tracker(look, &order, &rolls);
                if let Some(key) = &asked {
                    open_history(look, &mut tracker, key, &history);
                }
                Ok(page(look, &tracker))
            })
            .await
        }
        Err(trouble) => reply::failed(&site, &visitor, None, trouble),
    }
}

/// A value by its written key: `player:3.brains`.
pub(crate) fn key_of(text: &str) -> Option<CellKey> {
    let (thing, name) = text.rsplit_once('.')?;
    Some(CellKey {
        thing: thing.parse().ok()?,
        name: name.into(),
    })
}

/// The events that changed a value, newest first: each change names the event before it, so the log is not searched.
async fn changes_of(look: &Look, key: &CellKey) -> Result<Vec<Event>, Trouble> {
    let mut events = Vec::new();
    let mut next = look.state().cells.get(key).map(|cell| cell.by);
    while let Some(seq) = next
        && events.len() <= STEPS
    {
        let Some(event) = look
            .site
            .events(&look.game, &[seq])
            .await?
            .into_iter()
            .next()
        else {
            break;
        };
        let before = first_change(&event, key).and_then(|(old, _)| old.clone());
        next = before.map(|cell| cell.by).filter(|earlier| *earlier < seq);
        events.push(event);
    }
    Ok(events)
}

/// What a value was before an event and after it.
fn first_change<'e>(
    event: &'e Event,
    key: &CellKey,
) -> Option<(&'e Option<Cell>, &'e Option<Cell>)> {
    let mut changes = event.steps.iter().filter_map(|step| match &step.effect {
        Effect::Cell { key: of, old, new } if of == key => Some((old, new)),
        _ => None,
    });
    let (old, new) = changes.next()?;
    Some((old, changes.last().map_or(new, |(_, last)| last)))
}

async fn rolls(look: &Look) -> Result<Vec<Event>, Trouble> {
    let last = look.published.head.seq.0;
    let from = last.saturating_sub(LOOKED) + 1;
    let journal = &look.site.parts.journal;
    let count = usize::try_from(last + 1 - from).unwrap_or(0);
    let opens = journal
        .events(&look.game, EventSeq(from), count)
        .await
        .map_err(quorate_runtime::OperatingError::from)?;
    let rolled = opens
        .iter()
        .filter_map(|open| quorate_kernel::record::decode(open).ok());
    let rolled = rolled.filter(|event| matches!(event.act, Act::Dice { .. }));
    let mut seqs: Vec<EventSeq> = rolled.map(|event| event.seq).collect();
    seqs.reverse();
    seqs.truncate(ROLLS);
    Ok(look.site.events(&look.game, &seqs).await?)
}

fn tracker(look: &Look, order: &Order, rolls: &[Event]) -> Tracker {
    let game = look.game.as_str();
    let mut tables = look.player_tables(order);
    for kind in look.tracked_kinds() {
        if let Some(table) = look.kind_table(&kind, &format!("k-{kind}"), order) {
            tables.push((table.label.clone(), table));
        }
    }
    Tracker {
        chrome: look.chrome("Tracker", Part::Tracker),
        past: look
            .is_past
            .then(|| format!("As it stood after {}.", look.when(look.now).full())),
        tables,
        key: Vec::new(),
        pages: look.page_links(),
        history: None,
        facts: game_facts(look),
        dice: look.is_member().then(|| DiceLine {
            send: look
                .send(urls::Roll { game })
                .with("back", "/g/".to_owned() + game + "/tracker"),
            field: Field::new(
                "dice",
                "line",
                "Comment with dice words",
                FieldKind::Line(String::new()),
            )
            .hint("DICE6, 3DICE10, FRUIT, COLOUR"),
        }),
        rolls: rolls.iter().map(|event| roll(look, event)).collect(),
        all_rolls: Link::new(
            "All rolls",
            Href::from(urls::Log { game }).with("kind", "dice"),
        ),
        looks: looks(look),
    }
}

/// The game's own values under all their titles.
fn game_facts(look: &Look) -> Vec<crate::pages::Fact> {
    let mut titles: Vec<String> = Vec::new();
    for column in look.columns_of("Game") {
        if !titles.contains(&column.tracked) {
            titles.push(column.tracked);
        }
    }
    titles
        .iter()
        .flat_map(|title| look.tracked_facts(title))
        .collect()
}

fn roll(look: &Look, event: &Event) -> Roll {
    let line = match &event.act {
        Act::Dice { line } => line.as_str().to_owned(),
        _ => String::new(),
    };
    let notes: Vec<_> = event.notes.iter().map(|note| note.text.as_str()).collect();
    Roll {
        when: look.when(event.at),
        by: look.doer_name(event),
        what: line,
        dice: dice(event),
        swatch: None,
        result: notes.join(" "),
    }
}

/// Values that were claimed and not settled, and those that are disputed.
fn looks(look: &Look) -> Vec<LookAgain> {
    let open = look.state().claims.iter().filter(|(_, claim)| {
        matches!(
            claim.standing,
            ClaimStanding::Claimed | ClaimStanding::Disputed
        )
    });
    let made = open.map(|(id, claim)| {
        let number = id.event().to_string();
        let link = urls::Event {
            game: look.game.as_str(),
            event: &number,
        };
        let (kind, word) = match claim.standing {
            ClaimStanding::Disputed => (StatusKind::Disputed, "Disputed"),
            _ => (StatusKind::Claimed, "Claimed"),
        };
        LookAgain {
            status: Status::new(kind, word),
            text: format!(
                "{}, {}: {} ({})",
                look.name(claim.by),
                look.when(claim.at).brief(),
                claim.reason.as_str(),
                look.rule_title(&claim.rule)
            ),
            forms: Vec::new(),
            more: Some(Link::new(format!("event {number}"), link)),
        }
    });
    made.collect()
}

/// Opens a value's history under its row, or in a table of its own for a value of the game.
fn open_history(look: &Look, tracker: &mut Tracker, key: &CellKey, events: &[Event]) {
    let Some(history) = history(look, key, events) else {
        return;
    };
    let row_id = format!(
        "row-{}",
        key.thing.to_string().replace([':', '/', ' '], "-")
    );
    let href = look.cell_href(key);
    for (_, table) in &mut tracker.tables {
        let row = table.rows.iter_mut().find(|row| {
            row.id == row_id
                && row
                    .cells
                    .iter()
                    .any(|cell| cell.href.as_ref() == Some(&href))
        });
        if let Some(row) = row {
            for cell in &mut row.cells {
                cell.is_open = cell.href.as_ref() == Some(&href);
            }
            row.history = Some(history);
            return;
        }
    }
    let title = look.value_title(key);
    let row = Row {
        id: row_id,
        owner: crate::parts::Person::named(look.title()),
        cells: vec![crate::parts::Cell {
            text: look.shown(key),
            href: Some(href),
            claim: None,
            is_open: true,
        }],
        changed: None,
        history: Some(history),
    };
    let table = Table {
        id: "one".to_owned(),
        label: title.clone(),
        owner: crate::parts::Column::words("Whose"),
        columns: vec![crate::parts::Column::words(title.clone())],
        rows: vec![row],
        pseudo: Vec::new(),
        tells_change: false,
    };
    tracker.tables.insert(0, (title, table));
}

fn history(look: &Look, key: &CellKey, events: &[Event]) -> Option<History> {
    if !look.view().shown(key) {
        return None;
    }
    let kind = look.ask(|tx| tx.kind_of(&key.thing)).ok()?;
    let decl = look.law.values.get(&(kind, key.name.clone()))?;
    let whose = look.whose(key);
    let title = look.themed(&decl.it.title);
    let name = if whose.is_empty() {
        title
    } else {
        format!("{whose}, {title}")
    };
    let tracker = Href::from(urls::Tracker {
        game: look.game.as_str(),
    });
    Some(History {
        id: "history".to_owned(),
        title: format!("{name}: {}", look.shown(key)),
        about: look.about_clause(&decl.site.rule, decl.site.clause),
        cite: look.cite_site(&decl.site),
        steps: events
            .iter()
            .take(STEPS)
            .filter_map(|event| step(look, key, event))
            .collect(),
        all: None,
        chart: None,
        close: tracker,
        edit: edit(look, key),
    })
}

fn step(look: &Look, key: &CellKey, event: &Event) -> Option<Step> {
    let (old, new) = first_change(event, key)?;
    let words = |cell: &Cell| look.label(cell.value.open());
    let clause = event
        .steps
        .iter()
        .find(|step| matches!(&step.effect, Effect::Cell { key: of, .. } if of == key));
    let reason = match &event.act {
        Act::Claim { reason, .. } | Act::Undo { reason, .. } => format!(" “{}”", reason.as_str()),
        _ => String::new(),
    };
    let number = event.seq.to_string();
    let link = urls::Event {
        game: look.game.as_str(),
        event: &number,
    };
    let known = look.may_know(event);
    Some(Step {
        when: look.when(event.at),
        old: old.as_ref().map(words),
        new: new.as_ref().map_or_else(|| "nothing".to_owned(), words),
        how: if known {
            format!(
                "{}, {}{reason}",
                look.doer_name(event),
                look.act_title(&event.act)
            )
        } else {
            look.doer_name(event)
        },
        cite: clause.and_then(|step| look.cite(&step.rule, step.clause)),
        dice: if known { dice(event) } else { Vec::new() },
        claim: None,
        outcome: None,
        event: Some(link.into()),
    })
}

/// The form that changes a value by hand, where the reader plays.
fn edit(look: &Look, key: &CellKey) -> Option<Form> {
    if !look.is_member() || look.is_past {
        return None;
    }
    let value = super::claim::field_for(look, key)?;
    let rules = super::claim::rules_field(look, key);
    let reason = Field::new(
        "claim-reason",
        "reason",
        "Why",
        FieldKind::Line(String::new()),
    );
    let to = urls::Claim {
        game: look.game.as_str(),
    };
    let send = look
        .send(to)
        .with("thing", key.thing.to_string())
        .with("name", key.name.as_str());
    Some(Form {
        fields: vec![value, rules, reason],
        ..Form::button(send, "Record the change")
    })
}
