//! The admins' desk: the queue with what is legal now, candidates for idling, and whoever stands at the door.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use quorate_kernel::rows::{ClaimStanding, Standing};
use quorate_kernel::{Name, PostId, Thing};
use quorate_law::datum::Datum;

use super::people;
use crate::pages::{Desk, DeskItem, DeskQueue, DoorLine, Link};
use crate::parts::{Form, Icon, Offer, Status, StatusKind, plural};
use crate::urls::{self, Href};
use crate::web::forms::{game_page, page};
use crate::web::look::Look;
use crate::web::look::people::Part;
use crate::web::send;
use crate::web::site::Site;
use crate::web::visitor::Visitor;

/// `GET /g/{game}/desk`.
pub(crate) async fn show(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path(game): Path<String>,
) -> Response {
    game_page(site, visitor, &game, |look| {
        send::player(look)?;
        Ok(page(look, &desk(look)))
    })
    .await
}

fn desk(look: &Look) -> Desk {
    let game = look.game.as_str();
    let mut queues: Vec<DeskQueue> = look
        .law
        .category_order
        .iter()
        .filter(|name| {
            look.law
                .categories
                .get(*name)
                .is_some_and(|category| !category.it.icons.is_empty())
        })
        .map(|name| queue(look, name))
        .collect();
    queues.push(reminders(look));
    Desk {
        chrome: look.chrome("Desk", Part::Desk),
        queues,
        door: door(look),
        open: open(look),
        done: Vec::new(),
        log: Link::new("the log", urls::Log { game }),
    }
}

fn queue(look: &Look, category: &Name) -> DeskQueue {
    let decl = &look.law.categories[category];
    let mut open: Vec<(quorate_kernel::Moment, PostId)> = look
        .state()
        .posts
        .iter()
        .filter(|(_, post)| {
            post.category == *category && look.is_open(post) && look.view().post(post)
        })
        .map(|(id, post)| (post.open_at, *id))
        .collect();
    open.sort_unstable();
    let items: Vec<DeskItem> = open
        .iter()
        .zip(1..)
        .filter_map(|((_, id), place)| item(look, *id, place))
        .collect();
    DeskQueue {
        id: format!("queue-{category}"),
        title: format!("{}, oldest first", decl.it.title),
        note: format!("{} open", items.len()),
        items,
        empty: "None is open.".to_owned(),
    }
}

fn item(look: &Look, id: PostId, place: u32) -> Option<DeskItem> {
    let post = look.post(id)?;
    let word = id.to_string();
    let link = urls::Post {
        game: look.game.as_str(),
        post: &word,
    };
    let count = look.count(id);
    let offer = look.post_offers(id).into_iter().find(simple);
    let mut text = String::new();
    let mut due = None;
    if offer.is_none()
        && let Some((title, refusal)) = look.obstacles(id).into_iter().next()
    {
        text = look.refusal(&title, &refusal).sentence();
        due = refusal.next_at.map(|at| look.when(at));
    }
    let verdict = look.verdict(id);
    Some(DeskItem {
        position: Some(place),
        icon: None,
        to: Link::new(look.themed(post.title.as_str()), link),
        about: format!(
            "{} · {}",
            look.author(&post.author).name,
            crate::parts::age((look.now - post.open_at).0)
        ),
        status: None,
        votes: count.as_ref().map(|count| (count.gauge(), count.tally())),
        lead: verdict
            .map(|verdict| format!("{}.", verdict.lead.trim_end_matches('.')))
            .unwrap_or_default(),
        text,
        note: if offer.is_some() {
            "more on its page".to_owned()
        } else {
            String::new()
        },
        form: offer.and_then(|offer| offer.open.ok()).map(to_desk(look)),
        due,
    })
}

/// An offer that a button alone can take: nothing has to be filled in.
fn simple(offer: &Offer) -> bool {
    let closes = |form: &Form| form.fields.iter().all(|field| field.optional);
    offer.open.as_ref().is_ok_and(closes)
}

/// The same form, coming back to the desk.
fn to_desk(look: &Look) -> impl Fn(Form) -> Form + use<> {
    let back = Href::from(urls::Desk {
        game: look.game.as_str(),
    });
    move |mut form| {
        form.fields.clear();
        for (name, value) in &mut form.send.along {
            if name == "back" {
                back.as_str().clone_into(value);
            }
        }
        form.expected = true;
        form
    }
}

/// What the law reminds admins of, where it keeps such lists.
fn reminders(look: &Look) -> DeskQueue {
    let mut items = Vec::new();
    for list in ["obligations", "reminders"] {
        let Some(Datum::List(lines)) = look.attribute(&Thing::Game, list) else {
            continue;
        };
        for line in lines.iter() {
            if let Datum::Text(text) = line {
                items.push(DeskItem {
                    position: None,
                    icon: Some(if list == "obligations" {
                        Icon::Key
                    } else {
                        Icon::Star
                    }),
                    to: Link::new(
                        text.to_string(),
                        urls::Act {
                            game: look.game.as_str(),
                        },
                    ),
                    about: String::new(),
                    status: None,
                    votes: None,
                    lead: String::new(),
                    text: String::new(),
                    form: None,
                    note: String::new(),
                    due: None,
                });
            }
        }
    }
    DeskQueue {
        id: "asked".to_owned(),
        title: "What the rules ask".to_owned(),
        note: plural(items.len(), "line", "lines"),
        items,
        empty: "Nothing at this moment.".to_owned(),
    }
}

/// Joiners, and those about whom something can be done now with one button.
fn door(look: &Look) -> Vec<DoorLine> {
    let mut lines = Vec::new();
    for (id, person) in &look.state().people {
        if !matches!(person.standing, Standing::Applicant | Standing::Member) {
            continue;
        }
        let offers = people::about(look, *id).into_iter().filter(simple);
        let forms: Vec<Form> = offers
            .filter_map(|offer| offer.open.ok())
            .map(to_desk(look))
            .collect();
        let text = match person.standing {
            Standing::Applicant => {
                format!("asked to join {}.", look.when(person.applied_at).full())
            }
            _ => format!(
                "was last seen {}.",
                crate::parts::age((look.now - person.seen_at).0)
            ),
        };
        if !forms.is_empty() {
            lines.push(DoorLine {
                name: look.name(*id),
                text,
                forms,
                due: None,
            });
        }
    }
    lines
}

fn open(look: &Look) -> Vec<(Status, String, Link)> {
    let game = look.game.as_str();
    let mut lines = Vec::new();
    for (id, claim) in &look.state().claims {
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
        let text = format!("by {}: {}", look.name(claim.by), claim.reason.as_str());
        lines.push((Status::new(kind, word), text, Link::new("look", link)));
    }
    for asleep in &look.law.asleep {
        let link = urls::Rule {
            game,
            rule: asleep.rule.as_str(),
        };
        let text = look.rule_title(&asleep.rule);
        lines.push((
            Status::new(StatusKind::Asleep, "Asleep"),
            text,
            Link::new("look", link),
        ));
    }
    lines
}
