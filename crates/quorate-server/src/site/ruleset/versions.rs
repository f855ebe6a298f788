//! A rule's versions, who wrote which line, and two moments of the ruleset side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use quorate_kernel::command::Act;
use quorate_kernel::event::Event;
use quorate_kernel::law::{LIBRARY, Rule};
use quorate_kernel::patch::Clause;
use quorate_kernel::{EventSeq, Name, PostId, Thing, Value, rows};

use quorate_notices::outbox::Followed;

use crate::app::error::AppError;
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::{Opened, answer_in, drawn, page};
use crate::site::ruleset::page::{BlameLine, Compare, RuleHistoryPage, VersionLine};
use crate::ui::urls::Href;
use crate::ui::{Change, Field, FieldKind, Link, plural, urls};
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::versions::{Version, versions};

/// `GET /g/{game}/rules/{rule}/history`.
pub(crate) async fn history(
    Opened(view): Opened,
    Path((_, rule)): Path<(String, String)>,
) -> Response {
    let id = Name::from(rule);
    match versions(&view, &id).await {
        Ok(versions) if versions.is_empty() => answer_in(&view, Err(AppError::NotFound)),
        Ok(versions) => {
            drawn(view, move |view| {
                Ok(page(view, &history_page(view, &id, &versions)))
            })
            .await
        }
        Err(error) => answer_in(&view, Err(error)),
    }
}

fn history_page(view: &GameView, id: &Name, versions: &[Version]) -> RuleHistoryPage {
    let game = view.game().as_str();
    let number = crate::view::rules::numbers(view)
        .remove(id)
        .unwrap_or_default();
    RuleHistoryPage {
        chrome: view.chrome("History of a rule", Part::Rules),
        number,
        title: view.rule_title(id),
        rule: urls::Rule {
            game,
            rule: id.as_str(),
        }
        .into(),
        blame: blame(view, versions),
        versions: versions
            .iter()
            .map(|version| line(view, id, version))
            .collect(),
        follow: view.follow(&Followed::Rule(id.clone())),
    }
}

/// What changed a rule: the matter that carried the change, else the event.
fn event_link(view: &GameView, event: &Event) -> Link {
    if let Some((id, post)) = matter(view, event) {
        let (game, id) = (view.game().as_str(), id.to_string());
        let title = view.themed(post.title.as_str());
        return Link::new(title, urls::Post { game, post: &id });
    }
    let number = event.seq.to_string();
    let link = urls::Event {
        game: view.game().as_str(),
        event: &number,
    };
    let title = if event.seq == EventSeq(1) {
        "the founding".to_owned()
    } else {
        view.event_title(event)
    };
    Link::new(title, link)
}

/// The post that an action was taken on, if it carries changes.
fn matter<'a>(view: &'a GameView, event: &Event) -> Option<(PostId, &'a rows::Post)> {
    let Act::Do { args, .. } = &event.act else {
        return None;
    };
    args.iter().find_map(|(_, value)| match value.open() {
        Value::Thing(Thing::Post(id)) => Some((*id, view.post(*id)?)),
        _ => None,
    })
}

/// Who did it, and as what, where the link names the matter.
fn doer(view: &GameView, event: &Event) -> String {
    let name = view.doer_name(event);
    if matter(view, event).is_some() {
        format!("{}: {name}", view.event_title(event))
    } else {
        name
    }
}

fn line(view: &GameView, id: &Name, version: &Version) -> VersionLine {
    VersionLine {
        when: view.when(version.event.at),
        by: event_link(view, &version.event),
        how: doer(view, &version.event),
        then: then(view, id, version),
        changes: if version.before.is_some() || version.event.seq != EventSeq(1) {
            difference(view, id, version.before.as_ref(), version.after.as_ref())
        } else {
            Vec::new()
        },
    }
}

/// The ruleset as it was from a version on, at the rule; none where the version ended the rule.
fn then(view: &GameView, id: &Name, version: &Version) -> Option<Href> {
    version.after.as_ref()?;
    let game = view.game().as_str();
    let then = Href::from(urls::Ruleset { game }).with("at", &version.event.seq.to_string());
    Some(then.at(id.as_str()))
}

/// What differs between two versions of a rule.
fn difference(
    view: &GameView,
    id: &Name,
    before: Option<&Rule>,
    after: Option<&Rule>,
) -> Vec<Change> {
    let clauses = match (before, after) {
        (None, None) => Vec::new(),
        (None, Some(after)) => vec![Clause::AddRule {
            id: id.clone(),
            section: after.section.clone(),
            parent: after.parent.clone(),
            after: None,
            title: after.title.clone(),
            text: Arc::clone(&after.text),
            tags: Vec::new(),
        }],
        (Some(_), None) => vec![Clause::RepealRule { id: id.clone() }],
        (Some(before), Some(after)) => {
            let mut clauses = Vec::new();
            if before.text != after.text {
                clauses.push(Clause::AmendRule {
                    id: id.clone(),
                    base: Arc::clone(&before.text),
                    text: Arc::clone(&after.text),
                });
            }
            if before.title != after.title {
                clauses.push(Clause::RenameRule {
                    id: id.clone(),
                    title: after.title.clone(),
                });
            }
            if before.active != after.active {
                clauses.push(Clause::SwitchRule {
                    id: id.clone(),
                    on: after.active,
                });
            }
            clauses
        }
    };
    let mut changes = view.changes(&clauses);
    for change in &mut changes {
        change.warning = None;
    }
    changes
}

/// For each run of lines of today's text the version that brought them.
fn blame(view: &GameView, versions: &[Version]) -> Vec<BlameLine> {
    let Some(now) = versions.first().and_then(|version| version.after.as_ref()) else {
        return Vec::new();
    };
    let mut runs: Vec<(Option<&Event>, String)> = Vec::new();
    for line in now.text.trim_end().lines() {
        let holds = |rule: &Option<Rule>| {
            rule.as_ref()
                .is_some_and(|rule| rule.text.lines().any(|other| other == line))
        };
        let from = versions.iter().find(|version| !holds(&version.before));
        let event = from
            .or_else(|| versions.last())
            .map(|version| &version.event);
        match runs.last_mut() {
            // An empty line belongs to what it follows.
            Some((of, text))
                if line.trim().is_empty()
                    || of.map(|of| of.seq) == event.map(|event| event.seq) =>
            {
                text.push('\n');
                text.push_str(line);
            }
            _ => runs.push((event, line.to_owned())),
        }
    }
    let game = view.game().as_str();
    runs.into_iter()
        .map(|(event, text)| BlameLine {
            text,
            by: event.map_or_else(
                || Link::new("unknown", urls::Log { game }),
                |event| event_link(view, event),
            ),
            who: event.map_or_else(String::new, |event| view.when(event.at).brief()),
        })
        .collect()
}

/// `GET /g/{game}/compare`.
pub(crate) async fn compare(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(game): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let asked = |name: &str| query.get(name).cloned().filter(|text| !text.is_empty());
    let (from, to) = (asked("from"), asked("to"));
    let older = GameView::then(&site, &visitor, &game, Some(from.as_deref().unwrap_or("1"))).await;
    let newer = GameView::then(&site, &visitor, &game, to.as_deref()).await;
    match (older, newer) {
        (Ok(older), Ok(newer)) => {
            drawn(newer, move |newer| {
                let page_of = compared(&older, newer, from.as_deref(), to.as_deref());
                Ok(page(newer, &page_of))
            })
            .await
        }
        (Err(error), _) | (_, Err(error)) => reply::failed(&site, &visitor, None, error),
    }
}

fn compared(older: &GameView, newer: &GameView, from: Option<&str>, to: Option<&str>) -> Compare {
    let mut changes = Vec::new();
    let mut ids: Vec<&Name> = newer.public().rules.keys().collect();
    ids.extend(
        older
            .public()
            .rules
            .keys()
            .filter(|id| !newer.public().rules.contains_key(*id)),
    );
    let mut count = 0;
    for id in ids {
        let (before, after) = (older.public().rules.get(id), newer.public().rules.get(id));
        let is_shared = [before, after]
            .into_iter()
            .flatten()
            .any(|rule| rule.section == LIBRARY);
        if before == after || is_shared {
            continue;
        }
        count += 1;
        let view = if after.is_some() { newer } else { older };
        changes.extend(difference(view, id, before, after));
    }
    let field = |id: &str, label: &str, value: Option<&str>| {
        Field::new(
            id,
            id,
            label,
            FieldKind::Line(value.unwrap_or_default().to_owned()),
        )
        .optional()
        .hint("A day such as 2027-05-14, or an event’s number.")
    };
    Compare {
        chrome: newer.chrome("Compare", Part::Rules),
        here: urls::Compare {
            game: newer.game().as_str(),
        }
        .into(),
        from: field("from", "The older one; the founding, if empty", from),
        to: field("to", "The newer one; today’s, if empty", to),
        summary: match count {
            0 => "The two are the same.".to_owned(),
            n => format!("{} differ.", plural(n, "rule", "rules")),
        },
        changes,
    }
}
