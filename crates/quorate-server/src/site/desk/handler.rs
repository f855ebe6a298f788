//! The admins' desk: the queue with what is legal now, candidates for idling, and whoever stands at the door.

use std::collections::BTreeSet;

use axum::response::Response;
use quorate_kernel::command::Act;
use quorate_kernel::event::Event;
use quorate_kernel::rows::{ClaimStanding, Standing};
use quorate_kernel::{EventSeq, Name, PlayerId, PostId};
use quorate_law::datum::Type;

use crate::requests::forms::{Opened, answer_in, drawn, page};
use crate::requests::send;
use crate::site::desk::duties::{Duties, simple, to_desk};
use crate::site::desk::idling;
use crate::site::desk::page::{Desk, DeskItem, DeskQueue};
use crate::ui::urls::Href;
use crate::ui::{Link, Offer, Status, StatusKind, TodoLine, Verdict, When, plural, urls};
use crate::view::game::GameView;
use crate::view::needs;
use crate::view::people::Part;

/// How many of the latest events are looked through for what was done at desks, and how many of those are told.
const LATEST: u64 = 200;
const DONE: usize = 8;

/// `GET /g/{game}/desk`.
pub(crate) async fn show(Opened(view): Opened) -> Response {
    if let Err(error) = send::player(&view) {
        return answer_in(&view, Err(error));
    }
    let last = view.head().seq.0;
    let latest = (last.saturating_sub(LATEST).max(1)..=last).rev();
    let latest: Vec<EventSeq> = latest.map(EventSeq).collect();
    let events = view.app().events(view.game(), &latest).await;
    let events = events.unwrap_or_default();
    let people = view.public().people.iter();
    let applied = people.filter(|(_, person)| person.standing == Standing::Applicant);
    let applied: Vec<EventSeq> = applied.map(|(id, _)| id.0.event()).collect();
    let applied = view.app().events(view.game(), &applied).await;
    let applied = applied.unwrap_or_default();
    drawn(view, move |view| {
        Ok(page(view, &desk(view, &events, &applied)))
    })
    .await
}

fn desk(view: &GameView, events: &[Event], applied: &[Event]) -> Desk {
    let game = view.game().as_str();
    let mut queues: Vec<DeskQueue> = view
        .law()
        .category_order
        .iter()
        .filter(|name| {
            view.law()
                .categories
                .get(*name)
                .is_some_and(|category| !category.it.icons.is_empty())
        })
        .map(|name| queue(view, name))
        .collect();
    queues.push(reminders(view));
    let offices = view.offices();
    queues.push(idling::queue(view, &offices));
    queues.retain(|queue| !queue.items.is_empty());
    Desk {
        chrome: view.chrome("Desk", Part::Desk),
        queues,
        door: door(view, &offices, applied),
        open: open(view),
        done: done(view, &offices, events),
        log: Link::new("the log", urls::Log { game }),
    }
}

fn queue(view: &GameView, category: &Name) -> DeskQueue {
    let decl = &view.law().categories[category];
    let mut open: Vec<(quorate_kernel::Moment, PostId)> = view
        .open_posts()
        .filter(|(_, post)| post.category == *category)
        .map(|(id, post)| (post.open_at, *id))
        .collect();
    open.sort_unstable();
    let items: Vec<DeskItem> = open
        .iter()
        .zip(1..)
        .filter_map(|((_, id), place)| item(view, *id, place))
        .collect();
    DeskQueue {
        id: format!("queue-{category}"),
        title: decl.it.title.clone(),
        note: match items.len() {
            1 => "1 open".to_owned(),
            several => format!("{several} open, oldest first"),
        },
        items,
    }
}

fn item(view: &GameView, id: PostId, place: u32) -> Option<DeskItem> {
    let post = view.post(id)?;
    let word = id.to_string();
    let link = urls::Post {
        game: view.game().as_str(),
        post: &word,
    };
    let count = view.count(id);
    let usual = view.usual_role(&post.category);
    let is_usual = |offer: &Offer| {
        let decl = view.law().actions.get(offer.action.as_str());
        decl.is_some_and(|decl| decl.it.by.as_ref() == usual)
    };
    let offers = view.post_offers(id).into_iter().filter(simple);
    let (closing, other): (Vec<Offer>, Vec<Offer>) = offers.partition(is_usual);
    let mut due = None;
    if closing.is_empty() {
        let refusals = view.obstacles(id).into_iter();
        due = refusals.filter_map(|(_, refusal)| refusal.next_at).min();
    }
    let one = closing.into_iter().take(1).map(|offer| (offer, true));
    let offers = one.chain(other.into_iter().map(|offer| (offer, false)));
    let (mut forms, mut does) = (Vec::new(), Vec::new());
    for (offer, expected) in offers {
        let action = Name::from(offer.action.as_str());
        let Ok(form) = offer.open else { continue };
        let mut form = to_desk(view)(form);
        form.expected = expected;
        if let Some(count) = &count {
            form.button = count.on_button(&form.button);
        }
        does.extend(
            view.closing_does(id, &action)
                .map(|does| (form.button.clone(), does)),
        );
        forms.push(form);
    }
    let whole = (post.patch.is_some() && !forms.is_empty()).then(|| {
        let (game, post) = (view.game().as_str(), word.as_str());
        urls::Effects { game, post }.into()
    });
    let verdict = view.verdict(id);
    Some(DeskItem {
        position: Some(place),
        icon: None,
        to: Link::new(view.themed(post.title.as_str()), link),
        about: format!(
            "{} · {}",
            view.author(&post.author).name,
            crate::ui::age((view.now() - post.open_at).0)
        ),
        status: None,
        votes: count.as_ref().map(|count| (count.gauge(), count.tally())),
        lead: verdict.as_ref().map(Verdict::short).unwrap_or_default(),
        text: verdict.map(|verdict| verdict.why).unwrap_or_default(),
        does,
        whole,
        note: String::new(),
        forms,
        due: due.map(|at| view.when(at)),
    })
}

/// What was done at desks lately: closings, and what those with an office did about players.
fn done(view: &GameView, offices: &BTreeSet<&Name>, events: &[Event]) -> Vec<(When, String, Href)> {
    let is_duty = |event: &&Event| {
        let Act::Do { action, .. } = &event.act else {
            return false;
        };
        view.law().actions.get(action).is_some_and(|decl| {
            let first = decl.it.params.first().map(|param| &param.ty);
            let on = matches!(first, Some(Type::Kind(kind)) if *kind == "Player" || view.law().categories.contains_key(kind));
            on && decl.it.by.as_ref().is_some_and(|by| offices.contains(by))
        })
    };
    let done = events.iter().filter(is_duty).take(DONE).map(|event| {
        let number = event.seq.to_string();
        let link = urls::Event {
            game: view.game().as_str(),
            event: &number,
        };
        (view.when(event.at), view.event_line(event), link.into())
    });
    done.collect()
}

/// What the law reminds admins of, where it keeps such lists.
fn reminders(view: &GameView) -> DeskQueue {
    let lines = needs::listed_by_law(view).into_iter();
    let items: Vec<DeskItem> = lines
        .map(|(icon, text)| {
            let game = view.game().as_str();
            DeskItem::drawn(icon, Link::new(text, urls::Act { game }))
        })
        .collect();
    DeskQueue {
        id: "asked".to_owned(),
        title: "What the rules ask".to_owned(),
        note: plural(items.len(), "line", "lines"),
        items,
    }
}

/// Those who asked to join, with what can be done about it.
fn door(view: &GameView, offices: &BTreeSet<&Name>, applied: &[Event]) -> Vec<TodoLine> {
    let message = |id: &PlayerId| {
        let mut events = applied.iter().filter(|event| event.seq == id.0.event());
        match &events.next()?.act {
            Act::Apply { text, .. } => text.plain().filter(|text| !text.trim().is_empty()),
            _ => None,
        }
    };
    let people = view.public().people.iter();
    let waiting = people.filter(|(_, person)| person.standing == Standing::Applicant);
    let duties = Duties::of(view, offices);
    let lines = waiting.map(|(id, person)| TodoLine {
        name: view.name(*id),
        text: match message(id) {
            Some(text) => format!("asked to join: “{}”", text.trim()),
            None => format!("asked to join on {}.", view.when(person.applied_at).full()),
        },
        forms: duties.about(*id),
        ..TodoLine::default()
    });
    lines.collect()
}

fn open(view: &GameView) -> Vec<(Status, String, Link)> {
    let game = view.game().as_str();
    let mut lines = Vec::new();
    for (id, claim) in view.public().claims {
        let (kind, word) = match claim.standing {
            ClaimStanding::Claimed => (StatusKind::Claimed, "Claimed"),
            ClaimStanding::Disputed => (StatusKind::Disputed, "Disputed"),
            ClaimStanding::Settled | ClaimStanding::Undone => continue,
        };
        let number = id.event().to_string();
        let link = urls::Event {
            game,
            event: &number,
        };
        let by = format!("by {}: {}", view.name(claim.by), claim.reason.as_str());
        let text = match view.claimed_values(id.event()).as_str() {
            "" => by,
            values => format!("{values}, {by}"),
        };
        lines.push((Status::new(kind, word), text, Link::new("Look", link)));
    }
    for asleep in &view.law().asleep {
        let link = urls::Rule {
            game,
            rule: asleep.rule.as_str(),
        };
        let text = view.rule_title(&asleep.rule);
        lines.push((
            Status::new(StatusKind::Asleep, "Asleep"),
            text,
            Link::new("Look", link),
        ));
    }
    lines
}
