//! The server itself: rulebooks, your account, and the list of games.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use quorate_kernel::Thing;
use quorate_runtime::ports::TokenScope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::asked::{Body, Key};
use crate::api::caller::{Caller, Signed};
use crate::api::data::moment;
use crate::api::games::HeadData;
use crate::api::problem::Problem;
use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::requests::new_game;
use crate::view::game::GameContext;

/// A rulebook that games can be founded of.
#[derive(Serialize, ToSchema)]
#[schema(as = Rulebook)]
pub(crate) struct RulebookData {
    /// Its code name.
    name: String,
    /// Its title.
    title: String,
    /// What such a game is about.
    about: String,
}

/// The rulebooks that games can be founded of.
#[utoipa::path(get, path = "/rulebooks", tag = "server", operation_id = "rulebooks",
    responses((status = 200, description = "Rulebooks.", body = Vec<RulebookData>), Problem))]
pub(crate) async fn rulebooks(
    State(site): State<Arc<AppState>>,
    _: Caller,
) -> Json<Vec<RulebookData>> {
    let books = site.deps.books.iter().map(|book| RulebookData {
        name: book.name.to_string(),
        title: book.manifest.title.clone(),
        about: book.manifest.about.clone(),
    });
    Json(books.collect())
}

/// The account that the token acts for.
#[derive(Serialize, ToSchema)]
#[schema(as = Account)]
pub(crate) struct AccountData {
    /// The name to sign in with.
    name: String,
    /// Whether it is one of those who run the server.
    operator: bool,
    /// Since when it is there.
    #[schema(format = DateTime)]
    made_at: String,
    /// What the token may do beside reading: `vote`, `post`, `act`, `admin`.
    scopes: Vec<&'static str>,
    /// The one game that the token is for; none where it is for all.
    game: Option<String>,
    /// Whom it plays.
    seats: Vec<SeatData>,
}

/// Whom an account plays in a game.
#[derive(Serialize, ToSchema)]
#[schema(as = Seat)]
pub(crate) struct SeatData {
    /// The game's word.
    game: String,
    /// The player's address there.
    player: String,
}

/// The account that your token acts for, and whom it plays.
#[utoipa::path(get, path = "/account", tag = "server", operation_id = "account",
    responses((status = 200, description = "Your account.", body = AccountData), Problem), security(("token" = [])))]
pub(crate) async fn account(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
) -> Result<Json<AccountData>, Problem> {
    let account = visitor.account.ok_or(AppError::SignIn)?;
    let seats = site.seats_of(account.id).await?;
    let grant = visitor.grant;
    let seats = seats
        .into_iter()
        .filter(|seat| grant.check_game(seat.game.as_str()).is_ok());
    let seats = seats.map(|seat| SeatData {
        game: seat.game.to_string(),
        player: Thing::Player(seat.player).to_string(),
    });
    Ok(Json(AccountData {
        name: account.name,
        operator: account.operator,
        made_at: moment(account.made_at),
        scopes: grant.scopes().iter().map(TokenScope::word).collect(),
        game: grant.game().map(ToString::to_string),
        seats: seats.collect(),
    }))
}

/// A game in the list of games.
#[derive(Serialize, ToSchema)]
#[schema(as = GameLine)]
pub(crate) struct GameLine {
    /// Its word in addresses.
    game: String,
    /// Its title.
    title: String,
    /// The rulebook that it was founded of.
    rulebook: String,
    /// The end of its log.
    head: HeadData,
    /// Whom you play there; nothing for strangers.
    you: Option<String>,
}

/// All games of this server that can be opened; with a token for one game, that one.
#[utoipa::path(get, path = "/games", tag = "games", operation_id = "games",
    responses((status = 200, description = "Games, by their words.", body = Vec<GameLine>), Problem))]
pub(crate) async fn games(
    State(site): State<Arc<AppState>>,
    caller: Caller,
) -> Result<Json<Vec<GameLine>>, Problem> {
    let mut lines = Vec::new();
    let grant = &caller.visitor.grant;
    for row in site.deps.games.list().await? {
        if grant.check_game(row.game.as_str()).is_err() {
            continue;
        }
        let found = match GameContext::at(&site, &caller.visitor, row.game.as_str()).await {
            Ok(found) => found,
            Err(error) => {
                tracing::error!(game = %row.game, error = %error.what(), "a game cannot be opened");
                continue;
            }
        };
        lines.push(GameLine {
            game: found.game().to_string(),
            title: found.title(),
            rulebook: found.rulebook(),
            head: HeadData::of(found.head()),
            you: found.me().map(|me| Thing::Player(me).to_string()),
        });
    }
    Ok(Json(lines))
}

/// A game to be founded.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGame {
    /// The rulebook's code name.
    rulebook: String,
    /// The game's title; the rulebook's, if none is given.
    #[serde(default)]
    title: Option<String>,
    /// Your name in it; that of your account, if none is given.
    #[serde(default)]
    name: Option<String>,
}

/// A game was founded.
#[derive(Serialize, ToSchema)]
pub(crate) struct Founded {
    /// Its word in addresses.
    game: String,
    /// Its first player: you.
    player: String,
}

/// Founds a game, whose first player you are. The same `Idempotency-Key` again gives the same game.
#[utoipa::path(post, path = "/games", tag = "games", operation_id = "found", request_body = NewGame,
    params(("Idempotency-Key" = Option<String>, Header, description = "Your own word for this command: sent again, it counts once.")),
    responses((status = 201, description = "It is founded.", body = Founded), Problem), security(("token" = [])))]
pub(crate) async fn found_game(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Key(key): Key,
    Body(new): Body<NewGame>,
) -> Result<Response, Problem> {
    let known = site
        .deps
        .books
        .iter()
        .any(|book| book.name == *new.rulebook);
    if !known {
        let what = format!("there is no rulebook {} here", new.rulebook);
        return Err(Problem::bad("rulebook", what));
    }
    let account = visitor.account.as_ref().ok_or(AppError::SignIn)?;
    let name = new.name.unwrap_or_else(|| account.name.clone());
    let request = new_game::FoundingRequest {
        rulebook: &new.rulebook,
        title: new.title.as_deref(),
        name: &name,
        key: key.as_deref(),
    };
    let game = new_game::found_game(&site, &visitor, &request).await?;
    let location = format!("/api/v1/games/{game}");
    let founded = Founded {
        game: game.to_string(),
        player: Thing::Player(new_game::first_player()).to_string(),
    };
    Ok((
        StatusCode::CREATED,
        [(header::LOCATION, location)],
        Json(founded),
    )
        .into_response())
}
