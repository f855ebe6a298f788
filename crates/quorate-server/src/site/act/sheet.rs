//! The page of what the reader can do, put together.

use quorate_engine::conventions;
use quorate_kernel::command::Act;
use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, Name, PlayerId, Value};
use quorate_law::datum::Type;

use crate::site::act::page::{self, OpenQuestion};
use crate::ui::urls::Href;
use crate::ui::{Choice, Die, Link, Offer, Sheet, urls};
use crate::view::events::outcome;
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::player;

/// How many of the reader's last results are told.
const RESULTS: usize = 6;

/// How many offers stand first, as likely next.
const LIKELY: usize = 3;

/// How many of the latest events are looked through for them.
const LATEST: u64 = 160;

/// The latest events, and the one that the reader has just caused.
pub(crate) async fn latest(view: &GameView, done: Option<EventSeq>) -> Vec<Event> {
    let last = view.head().seq.0;
    let latest = (last.saturating_sub(LATEST).max(1)..=last).rev();
    let seqs: Vec<EventSeq> = done.into_iter().chain(latest.map(EventSeq)).collect();
    view.app()
        .events(view.game(), &seqs)
        .await
        .unwrap_or_default()
}

pub(crate) fn sheet(
    view: &GameView,
    me: PlayerId,
    done: Option<EventSeq>,
    events: &[Event],
) -> page::ActPage {
    let game = view.game().as_str();
    let (mut open, mut later, mut not) = (Vec::new(), Vec::new(), Vec::new());
    let mut offers = view.law_offers();
    // The dynasty's own actions are what people come for; those on names, idling and offices follow.
    offers.sort_by_key(|offer| view.section_of(&offer.site.rule) != Some(conventions::PLAY));
    for offer in offers {
        let shown = view.offer(&offer);
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
            Act::Do { .. }
                | Act::Answer { .. }
                | Act::Abandon { .. }
                | Act::Decide { .. }
                | Act::Dice { .. }
        )
    };
    let mut results: Vec<&Event> = events.iter().filter(is_mine).filter(acts).collect();
    results.sort_by_key(|event| std::cmp::Reverse(event.seq));
    results.dedup_by_key(|event| event.seq);
    results.truncate(RESULTS);
    let board = view.law().boards.iter().next().map(|(name, board)| {
        let board_name = name.as_str();
        let link = urls::Board {
            game,
            board: board_name,
        };
        Link::new(board.it.title.clone(), link)
    });
    page::ActPage {
        chrome: view.chrome("Act", Part::Act),
        who: view.name(me),
        board,
        just_now: mine.map(|event| outcome(view, event)),
        refusal: None,
        trial: None,
        questions: questions(view),
        now: topics(view, me, open, events),
        later,
        not: page::Closed::by_reason(not),
        sheet: Some(own_values(view, me)),
        results: results
            .into_iter()
            .map(|event| outcome(view, event))
            .collect(),
        all_results: Link::new("all of them", own_log(view, me)),
    }
}

/// Open offers by topic: first those that are likely next, the others by their rules.
fn topics(
    view: &GameView,
    me: PlayerId,
    open: Vec<(Name, Offer)>,
    events: &[Event],
) -> Vec<page::ActTopic> {
    let likely = likely(view, me, &open, events);
    let mut topics: Vec<page::ActTopic> = Vec::new();
    let mut first: Vec<(usize, Offer)> = Vec::new();
    for (nth, (rule, offer)) in open.into_iter().enumerate() {
        if let Some(place) = likely.iter().position(|likely| *likely == nth) {
            first.push((place, offer));
            continue;
        }
        let id = format!("of-{rule}");
        match topics.iter_mut().find(|topic| topic.id == id) {
            Some(topic) => topic.offers.push(offer),
            None => topics.push(page::ActTopic {
                id,
                title: view.rule_title(&rule),
                offers: vec![offer],
                is_open: false,
            }),
        }
    }
    first.sort_by_key(|(place, _)| *place);
    if !first.is_empty() {
        let first = page::ActTopic {
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
fn likely(view: &GameView, me: PlayerId, open: &[(Name, Offer)], events: &[Event]) -> Vec<usize> {
    let offices = view.offices();
    let is_play = |rule: &Name| view.section_of(rule) == Some(conventions::PLAY);
    let is_duty = |offer: &Offer| {
        let decl = view.law().actions.get(offer.action.as_str());
        decl.is_some_and(|decl| {
            let first = decl.it.params.first().map(|param| &param.ty);
            let on = matches!(first, Some(Type::Kind(kind)) if *kind == "Player" || view.law().categories.contains_key(kind));
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
        if view.is_for_alone(&offer.action, me) {
            1_000
        } else if is_play(rule) {
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
            .map(|(rule, _)| usize::from(is_play(rule)))
            .zip(0..)
            .collect();
    }
    weighed.retain(|(weight, _)| *weight > 0);
    weighed.sort_by_key(|(weight, nth)| (std::cmp::Reverse(*weight), *nth));
    weighed.truncate(LIKELY);
    weighed.into_iter().map(|(_, nth)| nth).collect()
}

fn own_log(view: &GameView, me: PlayerId) -> Href {
    let game = view.game().as_str();
    Href::from(urls::Log { game }).with("who", &me.to_string())
}

/// What somebody holds, in the law's order.
fn own_values(view: &GameView, me: PlayerId) -> Sheet {
    Sheet {
        title: view.name(me),
        note: if view.has_flag(me, conventions::IDLE) {
            conventions::IDLE.to_owned()
        } else {
            String::new()
        },
        facts: player::facts(view, me),
    }
}

/// What waits for an answer, nearest deadline first.
fn questions(view: &GameView) -> Vec<OpenQuestion> {
    let game = view.game().as_str();
    let mut found = Vec::new();
    for (key, open) in view.my_open() {
        let question = format!("open:{}", key.action);
        let to = urls::Answer {
            game,
            question: &question,
        };
        let dice = open.tape.dice.iter().filter_map(|die| {
            let sides = u64::try_from(die.sides).ok()?;
            Some(Die::rolled(sides, u64::try_from(die.result).ok()?))
        });
        let mut options = choices(view, &open.question.options);
        if open.question.may_decline {
            options.push(Choice::new("none", "Nothing"));
        }
        let made = OpenQuestion {
            id: format!("ask-{}", key.action),
            dice: dice.collect(),
            lead: open.question.what.clone(),
            text: String::new(),
            send: view.send(to),
            options,
            may_give_up: view.ask(|asked| asked.may_give_up(key, open)).is_ok(),
            default: default_words(view, &open.question.default),
            due: Some(view.when(open.deadline)),
            cite: view
                .law()
                .actions
                .get(&key.action)
                .and_then(|decl| view.cite_site(&decl.site)),
        };
        found.push((open.deadline, made));
    }
    for (id, duty) in view.my_duties() {
        let question = format!("duty:{id}");
        let to = urls::Answer {
            game,
            question: &question,
        };
        let context: Vec<_> = duty
            .context
            .iter()
            .map(|(name, value)| format!("{name}: {}", view.label(value.open())))
            .collect();
        let made = OpenQuestion {
            id: format!("duty-{id}"),
            dice: Vec::new(),
            lead: view.duty_title(duty),
            text: if context.is_empty() {
                String::new()
            } else {
                format!(" ({})", context.join("; "))
            },
            send: view.send(to),
            options: choices(view, &duty.options),
            may_give_up: false,
            default: default_words(view, &duty.default),
            due: Some(view.when(duty.deadline)),
            cite: view
                .law()
                .decisions
                .get(&duty.decision)
                .and_then(|decl| view.cite_site(&decl.site)),
        };
        found.push((duty.deadline, made));
    }
    found.sort_by_key(|(deadline, _)| *deadline);
    found.into_iter().map(|(_, question)| question).collect()
}

fn default_words(view: &GameView, default: &Value) -> String {
    match default.open() {
        Value::None => "lets it go".to_owned(),
        value => format!("means {}", view.label(value)),
    }
}

/// Options as they are sent: their place in the list, which the state fixes.
fn choices(view: &GameView, options: &[Value]) -> Vec<Choice> {
    let numbered = options.iter().enumerate();
    numbered
        .map(|(nth, value)| Choice::new(nth.to_string(), view.label(value.open())))
        .collect()
}
