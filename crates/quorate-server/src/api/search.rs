//! Search: texts of a game that have some words in them.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use quorate_runtime::ports::{SearchKey, SearchPlace};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::asked::{self, Ask, blocking};
use crate::api::caller::Caller;
use crate::api::data::{PlayerRef, moment};
use crate::api::problem::Problem;
use crate::app::state::AppState;
use crate::view::game::GameView;
use crate::view::search::FoundText;
use crate::view::search_query::SearchTyped;

/// How many places a page has where nothing is asked.
const PLACES: usize = 30;

/// How many it has at most.
const PLACES_MAX: usize = 100;

/// What is looked for; at least one of it.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TextsQuery {
    /// Words that all have to be there, `"phrases"`, and fields such as `by:Anna`.
    q: Option<String>,
    /// Of this author alone: a player's address, number or name.
    by: Option<String>,
    /// Of this kind alone: `posts`, `comments`, `rules`, `events`, `people`, or a category of posts.
    kind: Option<String>,
    /// From this day on: `2027-05-14`.
    from: Option<String>,
    /// Up to this day.
    to: Option<String>,
    /// In this dynasty, by its number.
    dynasty: Option<String>,
    /// Only those behind this one: what `next` said.
    after: Option<String>,
    /// How many, up to 100.
    #[serde(default, deserialize_with = "asked::count::<PLACES_MAX, _>")]
    #[param(minimum = 1, maximum = 100)]
    limit: Option<usize>,
}

/// A text that was found.
#[derive(Serialize, ToSchema)]
#[schema(as = FoundText)]
pub(crate) struct FoundData {
    /// What it is: `posts`, `comments`, `rules`, `events`, `people`.
    kind: &'static str,
    /// The post, rule, event or player that it is; of a comment the post that it stands under.
    id: String,
    /// The comment that it is.
    comment: Option<String>,
    /// The category of a post.
    category: Option<String>,
    /// Its title; empty for comments.
    title: String,
    /// Who wrote or did it; nothing where nobody is to know.
    by: Option<PlayerRef>,
    /// When it was written or done; nothing for rules and people.
    #[schema(format = DateTime)]
    at: Option<String>,
    /// The words around what was found.
    excerpt: String,
}

/// A part of what was found.
#[derive(Serialize, ToSchema)]
#[schema(as = FoundTexts)]
pub(crate) struct FoundPage {
    /// The best first: titles with all the words, then the newest.
    items: Vec<FoundData>,
    /// What to give as `after` for those that follow; nothing where there are no more.
    next: Option<String>,
    /// Whether the server has yet to read some of the log for searches.
    behind: bool,
}

/// Texts of a game that you may see and that have some words in them.
#[utoipa::path(get, path = "/games/{game}/search", tag = "blog", operation_id = "search",
    params(("game" = String, Path, description = "The game's word."), TextsQuery),
    responses((status = 200, description = "What was found.", body = FoundPage), Problem))]
pub(crate) async fn find(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path(game): Path<String>,
    Ask(query): Ask<TextsQuery>,
) -> Result<Json<FoundPage>, Problem> {
    let view = GameView::at(&site, &caller.visitor, &game).await?;
    let told = blocking(Arc::new(view), move |view| found(view, query));
    told.await.map(Json)
}

fn found(view: &GameView, query: TextsQuery) -> Result<FoundPage, Problem> {
    let after: Option<SearchPlace> = match query.after {
        Some(word) => {
            let place = word.parse();
            Some(place.map_err(|error| Problem::bad("query.after", error))?)
        }
        None => None,
    };
    let typed = SearchTyped {
        q: query.q.unwrap_or_default(),
        by: query.by.unwrap_or_default(),
        kind: query.kind.unwrap_or_default(),
        from: query.from.unwrap_or_default(),
        to: query.to.unwrap_or_default(),
        dynasty: query.dynasty.unwrap_or_default(),
    };
    let asked = typed.read(view).map_err(|wrong| {
        let place = format!("query.{}", wrong.field);
        Problem::bad(place, wrong)
    })?;
    if asked == quorate_runtime::ports::SearchQuery::default() {
        return Err(Problem::bad("query.q", "say at least one word, or a field"));
    }
    let most = query.limit.unwrap_or(PLACES);
    let texts = view.find_texts(&asked, after.as_ref(), most)?;
    let last = texts.texts.last().map(|text| text.place.to_string());
    let items = texts.texts.iter().map(|text| {
        let excerpt = text.text.excerpt(view, &asked);
        let excerpt = excerpt.into_iter().map(|(piece, _)| piece).collect();
        data(view, text, excerpt)
    });
    Ok(FoundPage {
        items: items.collect(),
        next: last.filter(|_| texts.has_more),
        behind: texts.is_behind,
    })
}

fn data(view: &GameView, found: &FoundText, excerpt: String) -> FoundData {
    let (key, text) = (&found.place.key, &found.text);
    let (id, comment) = match key {
        SearchKey::Post(id) => (id.to_string(), None),
        SearchKey::Comment(id, comment) => (id.to_string(), Some(comment.to_string())),
        SearchKey::Rule(id) => (id.to_string(), None),
        SearchKey::Event(seq) => (seq.to_string(), None),
        SearchKey::Person(id) => (id.to_string(), None),
    };
    FoundData {
        kind: key.part().word(),
        id,
        comment,
        category: matches!(key, SearchKey::Post(_)).then(|| text.category.to_string()),
        title: text.title.clone(),
        by: text.by.map(|by| PlayerRef::of(view, by)),
        at: text.at().map(moment),
        excerpt,
    }
}
