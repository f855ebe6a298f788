//! Which address is whose.

mod api;
mod past;
mod table;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::{CompressionLayer, CompressionLevel};

use super::play::{act, compose, effects, front, join, post as posts, ruling};
use super::server::{account, found, home, recover, settings};
use super::site::Site;
use super::stream;
use crate::assets;
use crate::security::{csrf, headers};

/// The largest body of a request, in bytes: a post of 256 KiB with its flavour text, and the rules that it changes.
const BODY_BYTES: usize = 2 * 1024 * 1024;

/// How hard answers are pressed: with brotli a long ruleset is a tenth smaller so than at its fastest, in as many milliseconds
/// as gzip takes.
const PACKING: i32 = 5;

/// All addresses of the site.
pub fn router(site: Arc<Site>) -> Router {
    let transport = site.transport();
    Router::new()
        .merge(of_server())
        .merge(of_game())
        .merge(past::routes())
        .merge(table::routes())
        .merge(api::routes())
        .fallback(home::nowhere)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(from_fn(csrf::same_site_only))
        .layer(from_fn_with_state(transport, headers::add))
        .layer(CompressionLayer::new().quality(CompressionLevel::Precise(PACKING)))
        .layer(CatchPanicLayer::new())
        .with_state(site)
}

fn of_server() -> Router<Arc<Site>> {
    Router::new()
        .route("/", get(home::show))
        .route("/help", get(home::help))
        .route("/privacy", get(home::privacy))
        .route("/found", get(found::show).post(found::take))
        .route(
            "/sign-in",
            get(account::sign_in_form).post(account::sign_in),
        )
        .route(
            "/sign-up",
            get(account::sign_up_form).post(account::sign_up),
        )
        .route("/sign-out", post(account::sign_out))
        .route("/recover", get(recover::show).post(recover::ask))
        .route(
            "/recover/{code}",
            get(recover::form).post(recover::recovered),
        )
        .route("/invitation/{code}", get(account::invited))
        .route("/settings", get(settings::show))
        .route("/settings/{what}", post(settings::take))
        .route("/assets/{version}/{name}", get(assets::serve))
}

fn of_game() -> Router<Arc<Site>> {
    Router::new()
        .route("/g/{game}", get(front::show))
        .route("/g/{game}/join", get(join::show).post(join::take))
        .route("/g/{game}/new", get(compose::choose))
        .route(
            "/g/{game}/new/{category}",
            get(compose::begin).post(compose::take),
        )
        .route("/g/{game}/post/{post}", get(posts::show))
        .route("/g/{game}/post/{post}/effects", get(effects::show))
        .route("/g/{game}/post/{post}/effects/tests", get(effects::prove))
        .route("/g/{game}/post/{post}/ruling", get(ruling::show))
        .route(
            "/g/{game}/post/{post}/edit",
            get(compose::edit).post(compose::change),
        )
        .route("/g/{game}/post/{post}/comment", post(posts::comment))
        .route("/g/{game}/post/{post}/withdraw", post(posts::withdraw))
        .route("/g/{game}/act", get(act::show))
        .route("/g/{game}/act/{action}", post(act::take))
        .route("/g/{game}/answer/{question}", post(act::answer))
        .route("/g/{game}/roll", post(act::roll))
        .route("/g/{game}/stream", get(stream::stream))
}
