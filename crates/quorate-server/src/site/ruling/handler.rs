//! Both gamestates of a ruling: what history comes to without what it strikes, beside what it came to.

use std::collections::BTreeSet;

use axum::extract::Path;
use axum::response::Response;
use quorate_engine::ruling::{self, Fate, NamedRuling};
use quorate_forecast::PastEvents as _;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::effect::{Step, Way};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::state::Effect;
use quorate_kernel::tape::Tape;
use quorate_kernel::{EventSeq, Refusal};

use crate::app::error::AppError;
use crate::requests::forms::{Opened, drawn, page};
use crate::site::ruling::page::{RulingPage, RulingRow};
use crate::ui::{Link, plural, urls};
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::rulings::named;

/// `GET /g/{game}/post/{post}/ruling`.
pub async fn show(Opened(view): Opened, Path((_, post)): Path<(String, String)>) -> Response {
    drawn(view, move |view| {
        let (id, row, patch) = crate::view::posts::carrying(view, &post)?;
        let named = named(patch).ok_or(AppError::NotFound)?;
        let verdict = view.verdict(id).ok_or(AppError::NotFound)?;
        let game = view.game().as_str();
        let (summary, rows, events) = match judged_again(view, &named) {
            Ok(both) => (both.summary(&named), both.rows, both.events),
            Err(refusal) => (format!("It cannot be tried: it {refusal}."), vec![], vec![]),
        };
        let both = RulingPage {
            chrome: view.chrome("Both gamestates", Part::Blog),
            matter: Link::new(
                view.themed(row.title.as_str()),
                urls::Post { game, post: &post },
            ),
            verdict,
            summary,
            rows,
            events,
        };
        Ok(page(view, &both))
    })
    .await
}

/// What a ruling would come to, as far as the reader may know.
struct Both {
    rows: Vec<RulingRow>,
    events: Vec<RulingRow>,
    /// How many other changes it makes, of what is no tracked value.
    others: usize,
}

impl Both {
    fn summary(&self, named: &NamedRuling) -> String {
        let events = |seqs: &BTreeSet<EventSeq>| {
            let seqs: Vec<String> = seqs.iter().map(ToString::to_string).collect();
            seqs.join(", ")
        };
        let mut parts = Vec::new();
        if !named.strike.is_empty() {
            parts.push(format!("event {} is struck", events(&named.strike)));
        }
        if !named.uphold.is_empty() {
            parts.push(format!("event {} is upheld", events(&named.uphold)));
        }
        format!(
            "If it were enacted now, {}. {} and {} besides; what people wrote stays.",
            parts.join(" and "),
            plural(self.rows.len(), "value differs", "values differ"),
            plural(self.others, "other thing", "other things"),
        )
    }
}

fn judged_again(view: &GameView, named: &NamedRuling) -> Result<Both, Refusal> {
    let log = view.log()?;
    let ruling = view.ruled(&log, named)?;
    let event = as_event(view, &ruling);
    let (values, begun) = view.values_of(&event);
    let is_value = |effect: &&Effect| matches!(effect, Effect::Cell { .. });
    let others = ruling
        .effects
        .iter()
        .filter(|effect| !is_value(effect))
        .count();
    let rows = values
        .into_iter()
        .map(|(whose, value, stands, would_be)| RulingRow {
            what: [whose, value].join(", "),
            stands,
            would_be,
            cause: None,
        });
    let fates = ruling
        .fates
        .iter()
        .map(|(seq, fate)| fate_row(view, &log, *seq, fate));
    Ok(Both {
        rows: rows.collect(),
        events: fates.collect(),
        others: others + begun,
    })
}

/// The differences as one event, so that they read as events do.
fn as_event(view: &GameView, ruling: &ruling::Ruling) -> Event {
    // What is on one of the two lines alone has no values to set side by side.
    let is_here = |effect: &&Effect| match effect {
        Effect::Cell { key, .. } => view.ask(|asked| asked.exists(&key.thing)),
        _ => false,
    };
    let steps = ruling.effects.iter().filter(is_here).map(|effect| Step {
        effect: effect.clone(),
        way: Way::Set,
        rule: "".into(),
        clause: 0,
    });
    Event {
        seq: view.head().seq.next(),
        at: view.now(),
        actor: Actor::Game,
        hidden_actor: None,
        key: "trial".into(),
        act: Act::Due { keys: vec![] },
        law: view.law().digest,
        outcome: Outcome::Done,
        tape: Tape::default(),
        steps: steps.collect(),
        notes: vec![],
        previous: view.head().hash,
    }
}

fn fate_row(view: &GameView, log: &[Event], seq: EventSeq, fate: &Fate) -> RulingRow {
    let word = seq.to_string();
    let to = urls::Event {
        game: view.game().as_str(),
        event: &word,
    };
    let event = log.binary_search_by_key(&seq, |event| event.seq).ok();
    let event = event.and_then(|at| log.get(at));
    let known = event.is_some_and(|event| view.may_know(event));
    let what = match event {
        Some(event) if known => {
            format!("{}: {}", view.doer_name(event), view.event_title(event))
        }
        Some(event) => format!("{}: something private", view.doer_name(event)),
        None => String::new(),
    };
    // Why something private would be refused is private, too.
    let would_be = match fate {
        Fate::Refused(_) if !known => "struck too".to_owned(),
        fate => fate.word(),
    };
    RulingRow {
        what,
        stands: "done".to_owned(),
        would_be,
        cause: Some(Link::new(format!("event {seq}"), to)),
    }
}
