//! What the reader can do, and the forms that do it: actions of the law, answers to questions, the dice line.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query};
use axum::response::Response;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::{EventSeq, Name, PlayerId, Value};
use quorate_law::datum::Type;
use quorate_runtime::Receipt;

use crate::app::error::AppError;
use crate::app::filled::{answer_act, arguments};
use crate::app::forms::{Opened, SentIn, answer_in, drawn, page};
use crate::app::posted::Posted;
use crate::app::{reply, send};
use crate::site::act::page::Question;
use crate::site::act::{again, page};
use crate::ui::urls::Href;
use crate::ui::{Choice, Die, Link, Offer, Sheet, urls};
use crate::view::events::outcome;
use crate::view::game::GameView;
use crate::view::offers::CALLED;
use crate::view::people::Part;
use crate::view::player;

/// How many of the reader's last results are told.
const RESULTS: usize = 6;

/// How many offers stand first, as likely next.
const LIKELY: usize = 3;

/// How many of the latest events are looked through for them.
const LATEST: u64 = 160;

/// `GET /g/{game}/act`.
pub async fn show(Opened(look): Opened, Query(query): Query<BTreeMap<String, String>>) -> Response {
    let done = query
        .get("done")
        .and_then(|seq| seq.parse().ok())
        .map(EventSeq);
    let me = match send::player(&look) {
        Ok(me) => me,
        Err(trouble) => return answer_in(&look, Err(trouble)),
    };
    let events = latest(&look, done).await;
    drawn(look, move |look| {
        Ok(page(look, &sheet(look, me, done, &events)))
    })
    .await
}

/// The latest events, and the one that the reader has just caused.
pub(crate) async fn latest(look: &GameView, done: Option<EventSeq>) -> Vec<Event> {
    let last = look.head().seq.0;
    let latest = (last.saturating_sub(LATEST).max(1)..=last).rev();
    let seqs: Vec<EventSeq> = done.into_iter().chain(latest.map(EventSeq)).collect();
    look.app()
        .events(look.game(), &seqs)
        .await
        .unwrap_or_default()
}

pub(crate) fn sheet(
    look: &GameView,
    me: PlayerId,
    done: Option<EventSeq>,
    events: &[Event],
) -> page::Act {
    let game = look.game().as_str();
    let (mut open, mut later, mut not) = (Vec::new(), Vec::new(), Vec::new());
    let mut offers = look.law_offers();
    // The dynasty's own actions are what people come for; those on names, idling and offices follow.
    offers.sort_by_key(|offer| look.section_of(&offer.site.rule) != Some("dynastic"));
    for offer in offers {
        let shown = look.offer(&offer);
        match &offer.open {
            Ok(()) => open.push((offer.site.rule.clone(), shown)),
            Err(refusal) if refusal.next_at.is_some() => later.push(shown),
            Err(_) => not.push(shown),
        }
    }
    let is_mine = |event: &&Event| event.command().actor.player() == Some(me);
    let mine = events
        .iter()
        .find(|event| done == Some(event.seq) && is_mine(event));
    let acts = |event: &&Event| {
        matches!(
            event.act,
            Act::Do { .. } | Act::Answer { .. } | Act::Decide { .. } | Act::Dice { .. }
        )
    };
    let mut results: Vec<&Event> = events.iter().filter(is_mine).filter(acts).collect();
    results.sort_by_key(|event| std::cmp::Reverse(event.seq));
    results.dedup_by_key(|event| event.seq);
    results.truncate(RESULTS);
    let board = look.law().boards.iter().next().map(|(name, board)| {
        let board_name = name.as_str();
        let link = urls::Board {
            game,
            board: board_name,
        };
        Link::new(board.it.title.clone(), link)
    });
    page::Act {
        chrome: look.chrome("Act", Part::Act),
        who: look.name(me),
        board,
        just_now: mine.map(|event| outcome(look, event)),
        refusal: None,
        trial: None,
        questions: questions(look),
        now: topics(look, me, open, events),
        later,
        not: page::Closed::by_reason(not),
        sheet: Some(own_values(look, me)),
        results: results
            .into_iter()
            .map(|event| outcome(look, event))
            .collect(),
        all_results: Link::new("all of them", own_log(look, me)),
    }
}

/// Open offers by topic: first those that are likely next, the others by their rules.
fn topics(
    look: &GameView,
    me: PlayerId,
    open: Vec<(Name, Offer)>,
    events: &[Event],
) -> Vec<page::Topic> {
    let likely = likely(look, me, &open, events);
    let mut topics: Vec<page::Topic> = Vec::new();
    let mut first: Vec<(usize, Offer)> = Vec::new();
    for (nth, (rule, offer)) in open.into_iter().enumerate() {
        if let Some(place) = likely.iter().position(|likely| *likely == nth) {
            first.push((place, offer));
            continue;
        }
        let id = format!("of-{rule}");
        match topics.iter_mut().find(|topic| topic.id == id) {
            Some(topic) => topic.offers.push(offer),
            None => topics.push(page::Topic {
                id,
                title: look.rule_title(&rule),
                offers: vec![offer],
                is_open: false,
            }),
        }
    }
    first.sort_by_key(|(place, _)| *place);
    if !first.is_empty() {
        let first = page::Topic {
            id: "likely".to_owned(),
            title: "Likely next".to_owned(),
            offers: first.into_iter().map(|(_, offer)| offer).collect(),
            is_open: true,
        };
        topics.insert(0, first);
    }
    topics
}

/// The places of the offers that are likely next, the likeliest first: what is the reader's alone to do, what closes a matter
/// or waits for an office of theirs, and what players did lately in the dynasty, their own doings before others'. Where nobody
/// did anything, the dynasty's first actions.
fn likely(look: &GameView, me: PlayerId, open: &[(Name, Offer)], events: &[Event]) -> Vec<usize> {
    let offices = look.offices();
    let is_dynastic = |rule: &Name| look.section_of(rule) == Some("dynastic");
    let is_duty = |offer: &Offer| {
        let decl = look.law().actions.get(offer.action.as_str());
        decl.is_some_and(|decl| {
            let first = decl.it.params.first().map(|param| &param.ty);
            let on = matches!(first, Some(Type::Kind(kind)) if *kind == "Player" || look.law().categories.contains_key(kind));
            on && decl.it.by.as_ref().is_some_and(|by| offices.contains(by))
        })
    };
    let lately = |offer: &Offer| -> usize {
        let done = events.iter().filter(
            |event| matches!(&event.act, Act::Do { action, .. } if *action == *offer.action),
        );
        let by_me = |event: &Event| event.command().actor.player() == Some(me);
        done.map(|event| if by_me(event) { 3 } else { 1 }).sum()
    };
    let weight = |(rule, offer): &(Name, Offer)| {
        if look.is_for_alone(&offer.action, me) {
            1_000
        } else if is_dynastic(rule) {
            lately(offer)
        } else if is_duty(offer) {
            1 + lately(offer)
        } else {
            0
        }
    };
    let mut weighed: Vec<(usize, usize)> = open.iter().map(weight).zip(0..).collect();
    if weighed.iter().all(|(weight, _)| *weight == 0) {
        weighed = open
            .iter()
            .map(|(rule, _)| usize::from(is_dynastic(rule)))
            .zip(0..)
            .collect();
    }
    weighed.retain(|(weight, _)| *weight > 0);
    weighed.sort_by_key(|(weight, nth)| (std::cmp::Reverse(*weight), *nth));
    weighed.truncate(LIKELY);
    weighed.into_iter().map(|(_, nth)| nth).collect()
}

fn own_log(look: &GameView, me: PlayerId) -> Href {
    let game = look.game().as_str();
    Href::from(urls::Log { game }).with("who", &me.to_string())
}

/// What somebody holds, in the law's order.
fn own_values(look: &GameView, me: PlayerId) -> Sheet {
    Sheet {
        title: look.name(me),
        note: if look.has_flag(me, "idle") {
            "idle".to_owned()
        } else {
            String::new()
        },
        facts: player::facts(look, me),
    }
}

/// What waits for an answer, nearest deadline first.
pub fn questions(look: &GameView) -> Vec<Question> {
    let game = look.game().as_str();
    let mut found = Vec::new();
    for (key, open) in look.my_open() {
        let question = format!("open:{}", key.action);
        let to = urls::Answer {
            game,
            question: &question,
        };
        let dice = open.tape.dice.iter().filter_map(|die| {
            let sides = u64::try_from(die.sides).ok()?;
            Some(Die::rolled(sides, u64::try_from(die.result).ok()?))
        });
        let mut options = choices(look, &open.question.options);
        if open.question.may_decline {
            options.push(Choice::new("none", "Nothing"));
        }
        let made = Question {
            id: format!("ask-{}", key.action),
            dice: dice.collect(),
            lead: open.question.what.clone(),
            text: String::new(),
            send: look.send(to),
            options,
            default: default_words(look, &open.question.default),
            due: Some(look.when(open.deadline)),
            cite: look
                .law()
                .actions
                .get(&key.action)
                .and_then(|decl| look.cite_site(&decl.site)),
        };
        found.push((open.deadline, made));
    }
    for (id, duty) in look.my_duties() {
        let question = format!("duty:{id}");
        let to = urls::Answer {
            game,
            question: &question,
        };
        let context: Vec<_> = duty
            .context
            .iter()
            .map(|(name, value)| format!("{name}: {}", look.label(value.open())))
            .collect();
        let made = Question {
            id: format!("duty-{id}"),
            dice: Vec::new(),
            lead: look.duty_title(duty),
            text: if context.is_empty() {
                String::new()
            } else {
                format!(" ({})", context.join("; "))
            },
            send: look.send(to),
            options: choices(look, &duty.options),
            default: default_words(look, &duty.default),
            due: Some(look.when(duty.deadline)),
            cite: look
                .law()
                .decisions
                .get(&duty.decision)
                .and_then(|decl| look.cite_site(&decl.site)),
        };
        found.push((duty.deadline, made));
    }
    found.sort_by_key(|(deadline, _)| *deadline);
    found.into_iter().map(|(_, question)| question).collect()
}

fn default_words(look: &GameView, default: &Value) -> String {
    match default.open() {
        Value::None => "lets it go".to_owned(),
        value => format!("means {}", look.label(value)),
    }
}

/// Options as they are sent: their place in the list, which the state fixes.
fn choices(look: &GameView, options: &[Value]) -> Vec<Choice> {
    let numbered = options.iter().enumerate();
    numbered
        .map(|(nth, value)| Choice::new(nth.to_string(), look.label(value.open())))
        .collect()
}

/// `POST /g/{game}/act/{action}`.
pub async fn take(
    Path((_, action)): Path<(String, String)>,
    SentIn { look, form }: SentIn,
) -> Response {
    if form.filled("look").is_some() {
        return again::present(look, &action, form).await;
    }
    let result = acted(&look, &action, &form).await;
    let name = Name::from(action.as_str());
    // Its rule may be gone since the form was shown, which brings the title along for that.
    let tried = match form.filled(CALLED) {
        Some(title) if !look.law().actions.contains_key(&name) => title.to_owned(),
        _ => look.action_title(&name, None),
    };
    match result {
        Err(AppError::Refused(refusal)) if form.filled("back").is_none() => {
            again::refused(look, &action, form, tried, *refusal).await
        }
        result => told(&look, &form, result, &tried),
    }
}

/// What a form that acts came to: back to where it stood, or the refusal.
fn told(
    look: &Arc<GameView>,
    form: &Posted,
    result: Result<Receipt, AppError>,
    tried: &str,
) -> Response {
    let game = look.game().as_str();
    let back = form.filled("back").and_then(Href::returning);
    match result {
        Ok(receipt) => {
            if let (Outcome::Done, Some(back)) = (&receipt.outcome, back) {
                reply::see_with(&back, &format!("Done: {tried}."))
            } else {
                let href = Href::from(urls::Act { game }).with("done", &receipt.seq.0.to_string());
                reply::see(&href)
            }
        }
        Err(AppError::Refused(refusal)) => {
            let refusal = again::no(look, tried, &refusal);
            let chrome = look.chrome("The rules say no", Part::Act);
            let way = match back {
                Some(back) => Link::new("Back", back),
                None => Link::new("What you can do", urls::Act { game }),
            };
            reply::refused(look.app(), look.visitor(), chrome, refusal, None, way)
        }
        Err(trouble) => answer_in(look, Err(trouble)),
    }
}

async fn acted(look: &Arc<GameView>, action: &str, form: &Posted) -> Result<Receipt, AppError> {
    let me = send::player(look)?;
    let (reading, name, sent) = (Arc::clone(look), Name::from(action), form.clone());
    let args = tokio::task::spawn_blocking(move || arguments(&reading, me, &name, &sent)).await??;
    let act = Act::Do {
        action: action.into(),
        args,
    };
    send::send(look, form.key(), act).await
}

/// `POST /g/{game}/answer/{question}`.
pub async fn answer(
    Path((_, question)): Path<(String, String)>,
    SentIn { look, form }: SentIn,
) -> Response {
    let result = match answer_act(&look, &question, form.one("answer").unwrap_or_default()) {
        Ok(act) => send::send(&look, form.key(), act).await,
        Err(trouble) => Err(trouble),
    };
    told(&look, &form, result, "The answer")
}

/// `POST /g/{game}/roll`: the dice line.
pub async fn roll(SentIn { look, form }: SentIn) -> Response {
    let line = form.one("line").unwrap_or_default();
    let act = Act::Dice { line: typed(line) };
    let result = send::send(&look, form.key(), act).await;
    told(&look, &form, result, "The dice line")
}
