//! The API's addresses. Each stands beside its description, and the document is made of both.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderValue, header};
use axum::middleware::map_response;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::problem::Problem;
use crate::api::{
    acts, asked, caller, drafts, events, games, keep, messages, moves, people, posts, preview,
    rules, search, server, values,
};
use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::site::api_page;

/// Where the API begins.
const ROOT: &str = "/api/v1";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Quorate",
        description = "Games of Nomic: read them, play them. What you may see and do is decided as on the pages.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    tags(
        (name = "server", description = "Rulebooks and accounts."),
        (name = "games", description = "Games and who plays them."),
        (name = "blog", description = "Posts, comments, votes."),
        (name = "law", description = "The ruleset, and what changes of it would do."),
        (name = "tracker", description = "Tracked values and the dice line."),
        (name = "play", description = "What you can do, and doing it."),
        (name = "log", description = "What happened, and what happens."),
    ),
    components(schemas(Problem)),
    modifiers(&TokenScheme)
)]
struct Api;

/// How callers say who they are.
struct TokenScheme;

impl Modify for TokenScheme {
    fn modify(&self, document: &mut Document) {
        let mut scheme = Http::new(HttpAuthScheme::Bearer);
        scheme.description = Some("A token that you made on your account's page.".to_owned());
        let parts = document.components.get_or_insert_default();
        parts.add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

pub(crate) fn routes() -> Router<Arc<AppState>> {
    let (router, document) = described().split_for_parts();
    let document = Arc::new(document);
    let show = move || async move { Json(Arc::unwrap_or_clone(document)) };
    router
        .route(&format!("{ROOT}/openapi.json"), get(show))
        .method_not_allowed_fallback(no_method)
        .layer(DefaultBodyLimit::max(asked::BODY_BYTES))
        .layer(map_response(never_kept))
}

/// The same document as a page for people.
pub(crate) fn page() -> Router<Arc<AppState>> {
    let (_, document) = described().split_for_parts();
    // What was made to be written as JSON is written as that.
    let document = Arc::new(serde_json::to_value(document).unwrap_or_default());
    let show = move |State(site): State<Arc<AppState>>, visitor: Visitor| async move {
        api_page::handler::show(&site, &visitor, &document)
    };
    Router::new().route("/api", get(show))
}

fn described() -> OpenApiRouter<Arc<AppState>> {
    let api = OpenApiRouter::new()
        .merge(of_server())
        .merge(of_games())
        .merge(of_play())
        .fallback(nowhere);
    OpenApiRouter::with_openapi(Api::openapi()).nest(ROOT, api)
}

fn of_server() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(server::rulebooks))
        .routes(routes!(server::account))
        .routes(routes!(server::games, server::found_game))
}

fn of_games() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(games::one, keep::remove))
        .routes(routes!(people::list))
        .routes(routes!(posts::list, acts::post))
        .routes(routes!(search::find))
        .routes(routes!(drafts::list))
        .routes(routes!(posts::one))
        .routes(routes!(acts::comment))
        .routes(routes!(rules::list))
        .routes(routes!(rules::one))
        .routes(routes!(values::list))
        .routes(routes!(values::one))
        .routes(routes!(events::list))
        .routes(routes!(events::one))
        .routes(routes!(events::stream))
        .routes(routes!(keep::verify))
        .routes(routes!(keep::export))
        .routes(routes!(keep::put_back))
}

fn of_play() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(moves::list))
        .routes(routes!(acts::act))
        .routes(routes!(acts::join))
        .routes(routes!(acts::answer))
        .routes(routes!(acts::dice))
        .routes(routes!(preview::why))
        .routes(routes!(preview::preview))
        .routes(routes!(messages::list, acts::message))
}

/// Answers are their reader's own, and no cache's.
async fn never_kept(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let own = HeaderValue::from_static("private, no-cache");
    headers.entry(header::CACHE_CONTROL).or_insert(own);
    let vary = HeaderValue::from_static("authorization");
    headers.append(header::VARY, vary);
    response
}

async fn nowhere(_: caller::Caller) -> Problem {
    AppError::NotFound.into()
}

async fn no_method() -> Problem {
    Problem::no_method()
}
