//! The log: what happened, newest first, as far as the reader may know it.

use std::collections::BTreeMap;

use axum::extract::Query;
use axum::response::Response;

use quorate_engine::convert;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::rows::{Cell, CellKey};
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Name, PlayerId, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, ValueDecl};
use quorate_law::{capital, readable};

use crate::app::error::AppError;
use crate::app::forms::{Opened, answer_in, drawn, page};
use crate::site::log::page::{LogLine, LogPage, Past};
use crate::site::tracker::handler::ROSTER;
use crate::ui::urls::Href;
use crate::ui::{Choice, Die, Field, FieldKind, Icon, Mark, Tone, plural, urls};
use crate::view::game::GameView;
use crate::view::people::Part;

/// How many lines a page has.
const LINES: usize = 60;

/// How many events are read at most to fill a page of a filtered log.
const READ_MAX: u64 = 3_000;

/// What there was of a value before it came to be.
const NOTHING: &str = "nothing";

/// `GET /g/{game}/log`.
pub(crate) async fn show(
    Opened(look): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let wanted = Wanted::read(&look, &query);
    match read(&look, &wanted).await {
        Ok(events) => {
            drawn(look, move |look| {
                Ok(page(look, &log(look, &wanted, &events)))
            })
            .await
        }
        Err(trouble) => answer_in(&look, Err(trouble)),
    }
}

/// What part of the log is asked for.
struct Wanted {
    who: Option<PlayerId>,
    kind: String,
    /// The newest event that may be shown.
    from: u64,
}

impl Wanted {
    fn read(look: &GameView, query: &BTreeMap<String, String>) -> Self {
        let last = look.published.head.seq.0;
        let from = query.get("from").and_then(|from| from.parse().ok());
        Self {
            who: query.get("who").and_then(|who| who.parse().ok()),
            kind: query.get("kind").cloned().unwrap_or_default(),
            from: from.unwrap_or(last).min(last),
        }
    }

    fn takes(&self, look: &GameView, event: &Event) -> bool {
        let who = self.who.is_none_or(|who| look.doer(event) == Some(who));
        let name = event.act.name();
        let kind = match self.kind.as_str() {
            "" => true,
            "acts" => matches!(
                event.act,
                Act::Do { .. } | Act::Answer { .. } | Act::Decide { .. }
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
            "itself" => matches!(event.act, Act::Due { .. } | Act::Downtime { .. }),
            other => name == other,
        };
        who && kind
    }
}

async fn read(look: &GameView, wanted: &Wanted) -> Result<Vec<Event>, AppError> {
    let mut found = Vec::new();
    let mut next = wanted.from;
    while next > 0 && found.len() <= LINES && wanted.from - next < READ_MAX {
        let low = next.saturating_sub(LINES as u64) + 1;
        let seqs: Vec<EventSeq> = (low.max(1)..=next).rev().map(EventSeq).collect();
        for event in look.site.events(&look.game, &seqs).await? {
            if wanted.takes(look, &event) {
                found.push(event);
            }
        }
        next = low.max(1) - 1;
    }
    Ok(found)
}

fn log(look: &GameView, wanted: &Wanted, events: &[Event]) -> LogPage {
    let game = look.game.as_str();
    let last = look.published.head.seq.0;
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
        chrome: look.chrome("Log", Part::Log),
        here: urls::Log { game }.into(),
        filters: filters(look, wanted),
        past: Past {
            latest: last,
            at: wanted.from,
            when: look.when(events.first().map_or(look.now, |event| event.at)),
            to: urls::Tracker { game }.into(),
        },
        lines: events
            .iter()
            .take(LINES)
            .map(|event| line(look, event))
            .collect(),
        newer: (wanted.from < last).then(|| here((wanted.from + LINES as u64).min(last))),
        older,
    }
}

fn filters(look: &GameView, wanted: &Wanted) -> Vec<Field> {
    let people = look.state().people.keys().map(|id| Choice {
        chosen: wanted.who == Some(*id),
        ..Choice::new(id.to_string(), look.name(*id))
    });
    let kinds = [
        ("acts", "Actions"),
        ("posts", "Posts and comments"),
        ("dice", "With dice"),
        ("hand", "By hand: claims, undoing, repairs"),
        ("itself", "By itself"),
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
pub(crate) fn line(look: &GameView, event: &Event) -> LogLine {
    let number = event.seq.to_string();
    let link = urls::Event {
        game: look.game.as_str(),
        event: &number,
    };
    let mark = match &event.outcome {
        Outcome::Done => None,
        Outcome::Opened(_) => Some(mark(Icon::Ask, Tone::Pending, "waits for an answer")),
        Outcome::Refused(_) | Outcome::Lapsed(_) => {
            Some(mark(Icon::Failed, Tone::Failed, "came to nothing"))
        }
    };
    LogLine {
        id: format!("e{number}"),
        when: look.when(event.at),
        by: look.doer_name(event),
        what: look.event_title(event),
        effects: look.effects_in_short(event),
        dice: if look.may_know(event) {
            dice(event)
        } else {
            Vec::new()
        },
        mark,
        href: link.into(),
        number,
    }
}

fn mark(icon: Icon, tone: Tone, word: &str) -> Mark {
    Mark {
        icon,
        tone: Some(tone),
        word: word.to_owned(),
    }
}

/// The dice that fell in an event.
pub(crate) fn dice(event: &Event) -> Vec<Die> {
    let dice = event.tape.dice.iter().filter_map(|die| {
        let sides = u64::try_from(die.sides).ok()?;
        Some(Die::rolled(sides, u64::try_from(die.result).ok()?))
    });
    dice.collect()
}

impl GameView {
    /// Who did something, as far as the reader may know: a hidden author knows their own.
    pub(crate) fn doer(&self, event: &Event) -> Option<PlayerId> {
        match event.actor {
            Actor::Hidden => {
                let known = event.command().actor.player();
                known.filter(|player| self.me == Some(*player))
            }
            actor => actor.player(),
        }
    }

    /// The name of who did something.
    pub(crate) fn doer_name(&self, event: &Event) -> String {
        match (self.doer(event), event.actor) {
            (Some(player), _) => self.name(player),
            (None, Actor::Newcomer) => "somebody new".to_owned(),
            (None, Actor::Operator) => "the operator".to_owned(),
            (None, Actor::Game) => "the game".to_owned(),
            (None, _) => "somebody".to_owned(),
        }
    }

    /// Whether the reader may know what was done: messages are their senders' and readers' affair, answers to hidden
    /// questions those of whoever was asked, and what was done to a private post that of its readers.
    pub(crate) fn may_know(&self, event: &Event) -> bool {
        let post = |id| {
            self.state()
                .posts
                .get(id)
                .is_none_or(|post| self.view().post(post))
        };
        let is_doer = self.doer(event).is_some() && self.doer(event) == self.me;
        match &event.act {
            Act::Message { to, .. } => is_doer || self.me.is_some_and(|me| to.contains(&me)),
            Act::Decide { .. } | Act::Answer { .. } => is_doer || !hides(event),
            Act::Comment { post: id, .. } | Act::EditPost { post: id, .. } => post(id),
            Act::Do { .. } => is_doer || !hides(event),
            _ => true,
        }
    }

    /// What an event changed, in a few words.
    pub(crate) fn effects_in_short(&self, event: &Event) -> String {
        let mut words = Vec::new();
        if let Act::Repair { reason, .. } = &event.act {
            words.push(reason.as_str().to_owned());
        }
        let mut more = 0;
        let speaks = matches!(event.act, Act::Post(_) | Act::Comment { .. });
        let (changed, begun) = if speaks {
            // What is noted on the books about whoever speaks goes without saying.
            (
                self.values_where(event, &|decl| decl.tracked != ROSTER).0,
                0,
            )
        } else {
            self.values_of(event)
        };
        for (whose, value, old, new) in changed {
            if words.len() < 3 {
                // The event's title says already which post it is.
                let of = match &event.act {
                    Act::Post(post) if self.themed(post.title.as_str()) == whose => "",
                    _ => whose.as_str(),
                };
                let what = format!("{of} {value}");
                words.push(match old.as_str() {
                    NOTHING => format!("{}: {new}", what.trim_start()),
                    old => format!("{} {old} → {new}", what.trim_start()),
                });
            } else {
                more += 1;
            }
        }
        if more > 0 {
            words.push(format!("{more} more"));
        }
        if begun > 0 && words.is_empty() {
            words.push(plural(begun, "value as it begins", "values as they begin"));
        }
        words.join("; ")
    }

    /// The tracked values that an event changed and the reader may see: whose, which, before, after; and how many more
    /// came to be as the law says that they begin.
    pub(crate) fn values_of(
        &self,
        event: &Event,
    ) -> (Vec<(String, String, String, String)>, usize) {
        self.values_where(event, &|_| true)
    }

    /// How soon a change is told: where things stand first, then what is tracked, then what is only on the books.
    fn rank(&self, key: &CellKey) -> u8 {
        match self.declared(key) {
            Some(decl) if matches!(decl.holds, Holds::Place { .. }) => 0,
            Some(decl) if !decl.tracked.is_empty() && decl.tracked != ROSTER => 1,
            _ => 2,
        }
    }

    fn values_where(
        &self,
        event: &Event,
        wanted: &dyn Fn(&ValueDecl) -> bool,
    ) -> (Vec<(String, String, String, String)>, usize) {
        let mut rows = Vec::new();
        let mut begun = 0;
        for step in &event.steps {
            let Effect::Cell { key, old, new } = &step.effect else {
                continue;
            };
            if !self.view().change(key, old.as_ref(), new.as_ref())
                || self.declared(key).is_some_and(|decl| !wanted(decl))
            {
                continue;
            }
            // Of a thing that is gone it says enough that it went.
            if new.is_none() && !self.ask(|tx| tx.exists(&key.thing)) {
                continue;
            }
            if old.is_none() && new.as_ref().is_some_and(|new| self.begins(key, new)) {
                begun += 1;
                continue;
            }
            let words = |cell: &Option<quorate_kernel::rows::Cell>| {
                cell.as_ref()
                    .map_or_else(|| NOTHING.to_owned(), |cell| self.label(cell.value.open()))
            };
            let (old, new) = match (old, new) {
                (Some(old), Some(new)) => {
                    let moved = self.list_change(old.value.open(), new.value.open());
                    moved.unwrap_or_else(|| {
                        (self.label(old.value.open()), self.label(new.value.open()))
                    })
                }
                (old, new) => (words(old), words(new)),
            };
            if old != new {
                let title = self.title_then(event, key);
                let row = (self.whose(key), title, old, new);
                // What was made with the event stands behind what it did.
                let is_new = cell_of_new(event, key);
                rows.push((if is_new { 3 } else { self.rank(key) }, row));
            }
        }
        rows.sort_by_key(|(rank, _)| *rank);
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        (rows, begun)
    }

    /// Whether a value that came to be is the one that the law begins with.
    fn begins(&self, key: &CellKey, new: &Cell) -> bool {
        let value = convert::datum(new.value.open());
        self.declared(key).is_some_and(|decl| decl.default == value)
    }

    /// Where a value is declared: of its kind where that is known by the thing, else of any kind that play creates.
    fn declared(&self, key: &CellKey) -> Option<&ValueDecl> {
        let of_kind = |kind: &Name| match &key.thing {
            Thing::Player(_) => *kind == "Player",
            Thing::Game => *kind == "Game",
            _ => *kind != "Player" && *kind != "Game",
        };
        let mut decls = self.law.values.iter();
        let found = decls.find(|((kind, name), _)| *name == key.name && of_kind(kind));
        found.map(|(_, decl)| &decl.it)
    }

    /// Whose value a key is.
    pub(crate) fn whose(&self, key: &CellKey) -> String {
        match &key.thing {
            Thing::Game => String::new(),
            Thing::Player(id) => self.name(*id),
            thing => self.ask(|tx| {
                let is_there = tx.exists(thing);
                let name = is_there.then(|| tx.label(&Datum::Thing(thing.clone())));
                name.unwrap_or_else(|| "(gone since)".to_owned())
            }),
        }
    }

    /// What a value was called when an event changed it: its rule may be gone since.
    fn title_then(&self, event: &Event, key: &CellKey) -> String {
        let is_gone = self.declared(key).is_none();
        let then = is_gone.then(|| self.site.parts.laws.known(event.law));
        let title = then.flatten().and_then(|law| {
            let mut values = law.values.iter();
            let (_, decl) = values.find(|((_, name), _)| *name == key.name)?;
            Some(self.themed(&decl.it.title))
        });
        title.unwrap_or_else(|| self.value_title(key))
    }

    /// What a value is called.
    pub(crate) fn value_title(&self, key: &CellKey) -> String {
        let decl = self.law.values.iter().find(|((kind, name), _)| {
            *name == key.name && (matches!(&key.thing, Thing::Player(_)) == (*kind == "Player"))
        });
        decl.map_or_else(
            || capital(&readable(key.name.as_str())),
            |(_, decl)| self.themed(&decl.it.title),
        )
    }
}

/// Whether a value is of something that came into the game with the event.
fn cell_of_new(event: &Event, key: &CellKey) -> bool {
    matches!(&key.thing, Thing::Entity(id) if id.0.event() == event.seq)
}

/// Whether an event left somebody a hidden question or answered one.
fn hides(event: &Event) -> bool {
    event.steps.iter().any(|step| match &step.effect {
        Effect::Duty { old, new, .. } => old.iter().chain(new.iter()).any(|duty| duty.hidden),
        _ => false,
    })
}
