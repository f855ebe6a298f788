//! Which address is whose.

mod api;
pub mod elsewhere;
mod inquiries;
mod kept;
mod past;
mod room;
mod table;
mod watch;

use std::sync::Arc;

use axum::Router;
use axum::body::HttpBody;
use axum::extract::DefaultBodyLimit;
use axum::http::Response;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::compression::{CompressionLayer, CompressionLevel};

use crate::app::press::PACKING;
use crate::app::request_log;
use crate::app::state::AppState;
use crate::app::stream;
use crate::security::{csrf, headers};
use crate::site::account::{change, recover, settings};
use crate::site::forecast::effects;
use crate::site::notices::{follow, words};
use crate::site::{
    account, act, blog, compose, discord, help, home, join, mail_in, new_game, notices, post,
    ruling, seen, versions,
};
use crate::ui::assets;

pub use watch::watch;

/// The longest answer that is pressed whole, in bytes: a game's rules can make a page of any length, and pressing it is the server's
/// own work.
const PRESSED_MAX: u64 = 1 << 20;

/// Whether an answer is no longer than that, or comes piece by piece.
#[derive(Clone, Copy)]
struct OfCommonLength;

impl Predicate for OfCommonLength {
    fn should_compress<B: HttpBody>(&self, response: &Response<B>) -> bool {
        let length = response.body().size_hint().exact();
        length.is_none_or(|length| length <= PRESSED_MAX)
    }
}

/// All addresses of the site.
pub fn router(site: Arc<AppState>) -> Router {
    let transport = site.transport();
    Router::new()
        .merge(of_server())
        .merge(of_game())
        .merge(past::routes())
        .merge(table::routes())
        .merge(api::routes())
        .merge(api::page())
        .fallback(help::handler::nowhere)
        .layer(DefaultBodyLimit::max(elsewhere::BODY_BYTES))
        .layer(from_fn_with_state(Arc::clone(&site), elsewhere::hand_over))
        .layer(from_fn_with_state(Arc::clone(&site), room::counted))
        .layer(from_fn_with_state(Arc::clone(&site), kept::drawn))
        .layer(from_fn(csrf::same_site_only))
        .layer(from_fn_with_state(Arc::clone(&site), room::answered))
        .layer(from_fn_with_state(transport, headers::add))
        .layer(
            CompressionLayer::new()
                .quality(CompressionLevel::Precise(PACKING))
                .compress_when(DefaultPredicate::new().and(OfCommonLength)),
        )
        .layer(from_fn_with_state(Arc::clone(&site), kept::pressed))
        .layer(CatchPanicLayer::new())
        .layer(from_fn_with_state(Arc::clone(&site), request_log::tell))
        .with_state(site)
}

fn of_server() -> Router<Arc<AppState>> {
    Router::new()
        .route("/", get(home::handler::show))
        .route("/help", get(help::handler::help))
        .route("/privacy", get(help::handler::privacy))
        .route("/guide", get(help::guide::first))
        .route("/guide/{page}", get(help::guide::show))
        .route(
            "/found",
            get(new_game::handler::show).post(new_game::handler::submit),
        )
        .route(
            "/sign-in",
            get(account::handler::sign_in_form).post(account::handler::sign_in),
        )
        .route(
            "/sign-up",
            get(account::handler::sign_up_form).post(account::handler::sign_up),
        )
        .route("/sign-in/with/{provider}", get(account::outside::go))
        .route(
            "/sign-in/from/{provider}",
            get(account::outside::back).post(account::outside::make),
        )
        .route("/sign-in/code", post(account::factor::sign_in))
        .route(
            "/sign-in/passkey",
            get(account::passkey::sign_in_form).post(account::passkey::sign_in),
        )
        .route("/sign-out", post(account::handler::sign_out))
        .route("/recover", get(recover::show).post(recover::ask))
        .route(
            "/recover/{code}",
            get(recover::form).post(recover::recovered),
        )
        .route("/invitation/{code}", get(account::handler::invited))
        .route("/settings", get(settings::show))
        .route("/settings/{what}", post(change::submit))
        .route("/mail-in", post(mail_in::handler::receive))
        .route("/discord", post(discord::handler::receive))
        .route("/notices", get(notices::handler::show))
        .route("/notices/{what}", post(notices::change::change))
        .route("/notices/off/{word}", get(words::off_form).post(words::off))
        .route(
            "/notices/confirm/{word}",
            get(words::confirm_form).post(words::confirm),
        )
        .route("/assets/{version}/{name}", get(assets::serve))
        .route("/sw.js", get(assets::worker))
        .route("/manifest.webmanifest", get(assets::manifest))
}

fn of_game() -> Router<Arc<AppState>> {
    Router::new()
        .route("/g/{game}", get(blog::handler::show))
        .route(
            "/g/{game}/join",
            get(join::handler::show).post(join::handler::submit),
        )
        .route("/g/{game}/new", get(compose::handler::choose))
        .route(
            "/g/{game}/new/{category}",
            get(compose::handler::begin).post(compose::handler::submit),
        )
        .route("/g/{game}/drafts", post(compose::kept::keep))
        .route("/g/{game}/drafts/delete", post(compose::kept::delete))
        .route("/g/{game}/post/{post}", get(post::handler::show))
        .route("/g/{game}/post/{post}/effects", get(effects::show))
        .route("/g/{game}/post/{post}/effects/tests", get(effects::prove))
        .route("/g/{game}/post/{post}/ruling", get(ruling::handler::show))
        .route(
            "/g/{game}/post/{post}/versions",
            get(versions::handler::show),
        )
        .route(
            "/g/{game}/post/{post}/edit",
            get(compose::handler::edit).post(compose::handler::change),
        )
        .route(
            "/g/{game}/post/{post}/comment",
            post(post::handler::comment),
        )
        .route(
            "/g/{game}/post/{post}/withdraw",
            post(post::handler::withdraw),
        )
        .route("/g/{game}/seen/{what}", post(seen::handler::mark_seen))
        .route("/g/{game}/act", get(act::handler::show))
        .route("/g/{game}/act/{action}", post(act::handler::submit))
        .route("/g/{game}/act/{action}/trial", post(act::again::tried))
        .route("/g/{game}/answer/{question}", post(act::handler::answer))
        .route("/g/{game}/roll", post(act::handler::roll))
        .route("/g/{game}/follow", post(follow::submit))
        .route("/g/{game}/stream", get(stream::stream))
}
