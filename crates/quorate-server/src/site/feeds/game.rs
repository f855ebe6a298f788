//! The feeds of a game: posts, comments, rules, values, events, and what a search finds. Whoever fetches one, it holds what strangers may see, for feeds
//! are passed on.

use std::collections::BTreeMap;

use axum::extract::{Path, Query};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use quorate_kernel::event::Event;
use quorate_kernel::rows::Post;
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, PostId};
use quorate_notices::feed::{FeedEntry, FeedPage};
use quorate_runtime::fold;
use quorate_runtime::ports::SearchQuery;

use crate::app::error::AppError;
use crate::app::reply::site_address;
use crate::requests::forms::{Opened, answer_in};
use crate::ui::html::escape;
use crate::ui::urls;
use crate::ui::urls::Href;
use crate::view::game::GameView;
use crate::view::search_query::SearchTyped;

/// How many entries a feed has.
const ENTRIES: usize = 30;

/// How many places of a search are put in order for them.
const FOUND: usize = 200;

/// How many events are looked through for them.
const EVENTS: u64 = 400;

/// What a feed tells of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FeedTopic {
    Posts,
    Comments,
    Rules,
    Values,
    Events,
    Search,
}

/// How a feed is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FeedForm {
    Atom,
    Json,
}

/// What a feed tells of an event: a title and lines; nothing where the event is not for it.
type EventTeller<'a> = &'a dyn Fn(&GameView, &Event) -> Option<(String, Vec<String>)>;

impl FeedForm {
    /// The form of an address's ending.
    pub(super) fn of(ending: &str) -> Option<Self> {
        match ending {
            "atom" => Some(Self::Atom),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// A feed as an answer.
    pub(super) fn answer(self, page: &FeedPage) -> Response {
        let (kind, text) = match self {
            Self::Atom => ("application/atom+xml; charset=utf-8", page.atom()),
            Self::Json => ("application/feed+json; charset=utf-8", page.json()),
        };
        ([(header::CONTENT_TYPE, kind)], text).into_response()
    }
}

/// `GET /g/{game}/feed.atom`: the posts. `?category=` names one kind of them.
pub async fn posts(
    opened: Opened,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let asked = (FeedTopic::Posts, FeedForm::Atom);
    answered(opened.0, asked, &query, &headers).await
}

/// `GET /g/{game}/feeds/{form}`: `posts.atom`, `comments.json` and so on. `search.atom` takes what the page of searches takes.
pub async fn show(
    opened: Opened,
    Path((_, form)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    match asked(&form) {
        Some(asked) => answered(opened.0, asked, &query, &headers).await,
        None => answer_in(&opened.0, Err(AppError::NotFound)),
    }
}

fn asked(form: &str) -> Option<(FeedTopic, FeedForm)> {
    let (topic, ending) = form.split_once('.')?;
    let topic = match topic {
        "posts" => FeedTopic::Posts,
        "comments" => FeedTopic::Comments,
        "rules" => FeedTopic::Rules,
        "values" => FeedTopic::Values,
        "events" => FeedTopic::Events,
        "search" => FeedTopic::Search,
        _ => return None,
    };
    Some((topic, FeedForm::of(ending)?))
}

async fn answered(
    view: GameView,
    (topic, form): (FeedTopic, FeedForm),
    query: &BTreeMap<String, String>,
    headers: &HeaderMap,
) -> Response {
    let view = view.as_stranger();
    let events = match topic {
        FeedTopic::Posts | FeedTopic::Comments | FeedTopic::Search => Ok(Vec::new()),
        FeedTopic::Rules | FeedTopic::Values | FeedTopic::Events => newest(&view).await,
    };
    let events = match events {
        Ok(events) => events,
        Err(error) => return answer_in(&view, Err(error)),
    };
    let maker = FeedMaker {
        base: site_address(view.app(), headers),
        search: SearchTyped::of(query),
        category: query.get("category").cloned().unwrap_or_default(),
    };
    let drawn = tokio::task::spawn_blocking(move || {
        let page = maker.page(&view, topic, form, &events);
        page.map_or_else(IntoResponse::into_response, |page| form.answer(&page))
    });
    drawn
        .await
        .unwrap_or_else(|error| AppError::from(error).into_response())
}

/// The newest events of a game.
async fn newest(view: &GameView) -> Result<Vec<Event>, AppError> {
    let deps = &view.app().deps;
    let head = view.head().seq.0;
    let from = EventSeq(head.saturating_sub(EVENTS) + 1);
    let count = usize::try_from(EVENTS).unwrap_or(usize::MAX);
    let events = fold::events_from(&*deps.journal, &*deps.seals, view.game(), from, count);
    Ok(events.await?)
}

/// What a feed is made by.
struct FeedMaker {
    base: String,
    /// What is looked for, where that is asked.
    search: SearchTyped,
    /// The kind of posts that is wanted; empty for all.
    category: String,
}

impl FeedMaker {
    fn page(
        &self,
        view: &GameView,
        topic: FeedTopic,
        form: FeedForm,
        events: &[Event],
    ) -> Result<FeedPage, AppError> {
        let entries = match topic {
            FeedTopic::Posts => self.posts(view),
            FeedTopic::Comments => self.comments(view),
            FeedTopic::Rules => self.events(view, events, &rules_in),
            FeedTopic::Values => self.events(view, events, &values_in),
            FeedTopic::Events => self.events(view, events, &all_of),
            FeedTopic::Search => self.found(view)?,
        };
        let game = view.game().as_str();
        let (word, title) = match topic {
            FeedTopic::Posts => ("posts", view.title()),
            FeedTopic::Comments => ("comments", format!("{}: comments", view.title())),
            FeedTopic::Rules => ("rules", format!("{}: rules", view.title())),
            FeedTopic::Values => ("values", format!("{}: values", view.title())),
            FeedTopic::Events => ("events", format!("{}: events", view.title())),
            FeedTopic::Search => ("search", format!("{}: {}", view.title(), self.search.q)),
        };
        let ending = match form {
            FeedForm::Atom => "atom",
            FeedForm::Json => "json",
        };
        let own_form = format!("{word}.{ending}");
        let mut own: Href = urls::FeedAs {
            game,
            form: &own_form,
        }
        .into();
        if !self.category.is_empty() {
            own = own.with("category", &self.category);
        }
        if topic == FeedTopic::Search {
            own = self.search.on(own);
        }
        Ok(FeedPage {
            title,
            front: self.whole(&urls::Game { game }.into()),
            own: self.whole(&own),
            updated: entries.first().map_or(view.now(), |entry| entry.changed_at),
            entries,
        })
    }

    fn whole(&self, href: &Href) -> String {
        format!("{}{}", self.base, href.as_str())
    }

    fn is_wanted(&self, view: &GameView, post: &Post) -> bool {
        let of_kind = self.category.is_empty() || post.category == self.category.as_str();
        view.sees_post(post) && of_kind
    }

    /// What a search finds that has a date, newest first.
    fn found(&self, view: &GameView) -> Result<Vec<FeedEntry>, AppError> {
        let asked = self.search.read(view);
        let asked = asked.map_err(|wrong| AppError::Form(wrong.to_string()))?;
        if asked == SearchQuery::default() {
            return Err(AppError::Form("Say what to look for: ?q=".to_owned()));
        }
        let texts = view.find_texts(&asked, None, FOUND)?.texts;
        let dated = texts.iter().filter_map(|found| {
            let at = found.text.at()?;
            let (kind, to) = view.way_to(&found.place.key, &found.text.title);
            let link = self.whole(&to.href);
            let words = found.text.excerpt(view, &asked);
            let words = words.iter().map(|(words, is_found)| {
                let words = escape(words);
                if *is_found {
                    format!("<b>{words}</b>")
                } else {
                    words.to_string()
                }
            });
            Some(FeedEntry {
                id: link.clone(),
                title: format!("{kind}: {}", to.title),
                link,
                author: found
                    .text
                    .by
                    .map_or_else(|| view.title(), |by| view.name(by)),
                category: kind,
                at,
                changed_at: at,
                html: words.collect::<Vec<_>>().concat(),
            })
        });
        let mut entries: Vec<FeedEntry> = dated.collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.at));
        entries.truncate(ENTRIES);
        Ok(entries)
    }

    fn posts(&self, view: &GameView) -> Vec<FeedEntry> {
        let mut posts: Vec<(&PostId, &Post)> = view
            .posts()
            .filter(|(_, post)| self.is_wanted(view, post))
            .collect();
        posts.sort_by_key(|(id, post)| std::cmp::Reverse((post.at, **id)));
        let newest = posts.into_iter().take(ENTRIES);
        newest
            .map(|(id, post)| {
                let link = self.whole(&post_href(view, *id));
                FeedEntry {
                    id: link.clone(),
                    title: view.themed(post.title.as_str()),
                    link,
                    author: view.author(&post.author).name,
                    category: view.category_title(post),
                    at: post.at,
                    changed_at: post.edited_at.unwrap_or(post.at),
                    html: view.prose(post.body.as_str(), 2).as_str().to_owned(),
                }
            })
            .collect()
    }

    fn comments(&self, view: &GameView) -> Vec<FeedEntry> {
        let mut comments: Vec<_> = view
            .comments()
            .filter(|(_, comment)| view.sees_comment(comment))
            .collect();
        comments.sort_by_key(|(key, comment)| std::cmp::Reverse((comment.at, key.id)));
        let of_wanted = comments.into_iter().filter_map(|(key, comment)| {
            let post = view
                .post(key.post)
                .filter(|post| self.is_wanted(view, post))?;
            let link = self.whole(&post_href(view, key.post).at(&format!("c{}", key.id)));
            Some(FeedEntry {
                id: link.clone(),
                title: view.themed(post.title.as_str()),
                link,
                author: view.author(&comment.author).name,
                category: view.category_title(post),
                at: comment.at,
                changed_at: comment.at,
                html: view.remark(comment.text.as_str()).as_str().to_owned(),
            })
        });
        of_wanted.take(ENTRIES).collect()
    }

    /// Events, newest first, of which `told` has something to tell: a title and lines.
    fn events(&self, view: &GameView, events: &[Event], told: EventTeller<'_>) -> Vec<FeedEntry> {
        let game = view.game().as_str();
        let told = events.iter().rev().filter_map(|event| {
            let (title, lines) = told(view, event)?;
            let number = event.seq.to_string();
            let link = urls::Event {
                game,
                event: &number,
            };
            let link = self.whole(&link.into());
            let lines = lines.iter();
            let lines: Vec<_> = lines
                .map(|line| format!("<p>{}</p>", escape(line)))
                .collect();
            Some(FeedEntry {
                id: link.clone(),
                title,
                link,
                author: view.doer_name(event),
                category: event.act.name().to_string(),
                at: event.at,
                changed_at: event.at,
                html: lines.concat(),
            })
        });
        told.take(ENTRIES).collect()
    }
}

fn post_href(view: &GameView, id: PostId) -> Href {
    let post = id.to_string();
    urls::Post {
        game: view.game().as_str(),
        post: &post,
    }
    .into()
}

/// The rules that an event changed.
fn rules_in(view: &GameView, event: &Event) -> Option<(String, Vec<String>)> {
    let rules = event.steps.iter().filter_map(|step| match &step.effect {
        Effect::Rule { old, new, .. } => {
            let (title, what) = match (old, new) {
                (_, Some(rule)) if old.is_none() => (&rule.title, "is new"),
                (_, Some(rule)) => (&rule.title, "changed"),
                (Some(rule), None) => (&rule.title, "was repealed"),
                (None, None) => return None,
            };
            Some(format!("{} {what}", view.themed(title)))
        }
        _ => None,
    });
    let mut lines: Vec<String> = rules.collect();
    lines.dedup();
    if event.seq == EventSeq(1) || lines.is_empty() {
        return None;
    }
    let title = match lines.as_slice() {
        [one] => one.clone(),
        all => format!("{} rules changed", all.len()),
    };
    Some((title, lines))
}

/// The values that an event changed.
fn values_in(view: &GameView, event: &Event) -> Option<(String, Vec<String>)> {
    let (changed, _) = view.values_of(event);
    if changed.is_empty() {
        return None;
    }
    let lines = changed.into_iter().map(|(whose, title, old, new)| {
        let of = if whose.is_empty() {
            title
        } else {
            format!("{whose}, {title}")
        };
        format!("{of}: {old} → {new}")
    });
    Some((view.event_title(event), lines.collect()))
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "other tellers leave events out, and all have one shape"
)]
fn all_of(view: &GameView, event: &Event) -> Option<(String, Vec<String>)> {
    let about = if view.may_know(event) {
        view.effects_in_short(event)
    } else {
        String::new()
    };
    let lines = if about.is_empty() {
        Vec::new()
    } else {
        vec![about]
    };
    Some((
        format!("{} {}", view.doer_name(event), view.event_title(event)),
        lines,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_and_in_which_form() {
        assert_eq!(
            asked("comments.json"),
            Some((FeedTopic::Comments, FeedForm::Json))
        );
        assert_eq!(
            asked("events.atom"),
            Some((FeedTopic::Events, FeedForm::Atom))
        );
        for none in ["events", "events.xml", "nothing.atom", ""] {
            assert_eq!(asked(none), None, "{none}");
        }
    }
}
