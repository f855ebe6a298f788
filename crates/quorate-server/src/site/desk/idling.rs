//! Players about whom the desk can do something now, or will be able to when time has passed, with what speaks for it.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use quorate_kernel::rows::{Person, Standing};
use quorate_kernel::{Moment, Name, PlayerId, Refusal, Span, Thing};
use quorate_law::datum::{Datum, Type};

use crate::site::desk::duties::Duties;
use crate::site::desk::page::{DeskItem, DeskQueue};
use crate::ui::{Form, Icon, Link, age, plural, urls};
use crate::view::game::GameView;

/// How many of those are told about whom nothing can be done yet, and how far ahead.
const SOON: usize = 4;
const AHEAD: Span = Span::days(2);

/// Those whom a button concerns, then those whom time alone brings there, nearest first.
pub(crate) fn queue(view: &GameView, offices: &BTreeSet<&Name>) -> DeskQueue {
    let members = view.public().people.iter();
    let members = members.filter(|(_, person)| person.standing == Standing::Member);
    let (mut now, mut later) = (Vec::new(), Vec::new());
    let voted = LazyCell::new(|| last_votes(view));
    let duties = Duties::of(view, offices);
    for (id, person) in members {
        let forms = duties.about(*id);
        if !forms.is_empty() {
            now.push(item(view, *id, person, voted.get(id), forms));
        } else if let Some((title, at, refusal)) =
            soonest(view, offices, *id).filter(|(_, at, _)| *at - view.now() < AHEAD)
        {
            let mut item = item(view, *id, person, voted.get(id), Vec::new());
            item.text = view.refusal(&title, &refusal).reason();
            item.lead = format!("{title}:");
            item.due = Some(view.when(at));
            later.push((at, item));
        }
    }
    later.sort_by_key(|(at, _)| *at);
    let count = now.len();
    now.extend(later.into_iter().take(SOON).map(|(_, item)| item));
    DeskQueue {
        id: "people".to_owned(),
        title: view.word("Players"),
        note: format!("{} now", plural(count, "candidate", "candidates")),
        items: now,
    }
}

fn item(
    view: &GameView,
    id: PlayerId,
    person: &Person,
    voted: Option<&Moment>,
    forms: Vec<Form>,
) -> DeskItem {
    let player = id.to_string();
    let link = urls::Player {
        game: view.game().as_str(),
        player: &player,
    };
    let ago = |at: Moment| age((view.now() - at).0);
    let voted = voted.map_or_else(
        || "has never voted".to_owned(),
        |at| format!("last voted {}", ago(*at)),
    );
    DeskItem {
        about: format!("last seen {} · {voted}", ago(person.seen_at)),
        forms,
        ..DeskItem::drawn(Icon::Moon, Link::new(view.name(id), link))
    }
}

/// When each player last wrote a comment with an icon that counted, under a name of their own.
fn last_votes(view: &GameView) -> BTreeMap<PlayerId, Moment> {
    let mut last = BTreeMap::new();
    let comments = view.comments().map(|(_, row)| row);
    for comment in comments.filter(|comment| comment.icons.iter().any(|icon| icon.counted)) {
        if let Some(author) = view.author_of(&comment.author) {
            let at = last.entry(author).or_insert(comment.at);
            *at = comment.at.max(*at);
        }
    }
    last
}

/// What an office may do about somebody as soon as time has passed.
fn soonest(
    view: &GameView,
    offices: &BTreeSet<&Name>,
    id: PlayerId,
) -> Option<(String, Moment, Refusal)> {
    let me = view.me()?;
    let target = Datum::Thing(Thing::Player(id));
    let names: Vec<&Name> = view.law().action_order.iter().collect();
    let refused = view.ask(|asked| {
        let decls = names
            .iter()
            .filter_map(|name| view.law().actions.get(*name));
        let about = decls.filter_map(|decl| {
            let mut params = decl.it.params.iter();
            let first = params.next()?;
            let on = matches!(&first.ty, Type::Kind(kind) if *kind == "Player");
            let needs_no_more = params.all(|param| param.default.is_some());
            let of_office = (decl.it.by.as_ref()).is_some_and(|by| offices.contains(by));
            (on && needs_no_more && of_office).then_some((decl, first))
        });
        let tried = about.filter_map(|(decl, first)| {
            let args = vec![(first.name.clone(), target.clone())];
            let refusal = asked.tried(me, decl, args).err()?;
            Some((decl.it.title.clone(), refusal.next_at?, refusal))
        });
        tried.min_by_key(|(_, at, _)| *at)
    });
    refused.map(|(title, at, refusal)| (view.themed(&title), at, refusal))
}
