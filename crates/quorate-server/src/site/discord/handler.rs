//! `POST /discord`: what Discord sends when somebody plays from there.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quorate_kernel::GameId;
use quorate_kernel::digest::Digest;
use quorate_notices::discord::commands::DiscordCommand;
use quorate_notices::discord::interaction::{
    Did, DiscordKey, DiscordUser, FromDiscord, Interaction, read,
};
use quorate_notices::discord::reply::{DiscordMenu, DiscordMessage, DiscordReply, DiscordRow};
use quorate_runtime::ports::{SecurityEvent, Token};

use crate::app::error::AppError;
use crate::app::inquiry::ask;
use crate::app::moderation;
use crate::app::notice_words::{self, LINK_COUNTS, WordFor};
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::site::discord::play::{DiscordPlay, failed, option, said};
use crate::site::discord::press::Press;

/// What a link is called among the programs that act for an account.
const LABEL: &str = "Discord";

/// `POST /discord`.
pub async fn receive(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(key) = site.deps.config.discord else {
        let why = "Nobody plays from Discord here: start the server with --discord-key.";
        return (StatusCode::NOT_FOUND, why).into_response();
    };
    if !is_signed(key, &headers, &body) {
        return (StatusCode::UNAUTHORIZED, "The signature is not Discord's.").into_response();
    }
    let reply = match read(&body) {
        Ok(FromDiscord::Ping) => DiscordReply::Pong.json().to_string(),
        Ok(FromDiscord::Interaction(interaction)) => {
            let did = answered(&site, visitor, interaction).await;
            did.unwrap_or_else(|error| failed(&error).json().to_string())
        }
        Err(why) => return (StatusCode::BAD_REQUEST, why.to_string()).into_response(),
    };
    ([(header::CONTENT_TYPE, "application/json")], reply).into_response()
}

fn is_signed(key: DiscordKey, headers: &HeaderMap, body: &[u8]) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let signature = header("x-signature-ed25519");
    let timestamp = header("x-signature-timestamp");
    signature
        .zip(timestamp)
        .is_some_and(|(signature, timestamp)| key.signed(signature, timestamp, body))
}

/// What is kept of somebody on Discord who is linked. No token that a program carries has such a digest.
pub(crate) fn digest_of_user(user: &DiscordUser) -> Digest {
    let digest = blake3::derive_key("quorate 2026 user of Discord", user.0.as_bytes());
    Digest(digest)
}

async fn answered(
    site: &Arc<AppState>,
    visitor: Visitor,
    interaction: Interaction,
) -> Result<String, AppError> {
    let Interaction { id, user, did } = interaction;
    let command = match &did {
        Did::Typed { command, .. } => DiscordCommand::read(command),
        Did::Pressed { .. } | Did::Filled { .. } => None,
    };
    if let (Some(DiscordCommand::Link), Did::Typed { options, .. }) = (command, &did) {
        let reply = linked(site, visitor, &user, option(options, "code")).await?;
        return Ok(reply.json().to_string());
    }
    let Some(link) = site
        .deps
        .accounts
        .token(digest_of_user(&user), site.now())
        .await?
    else {
        let why = "You are not linked to an account yet. Make a code on your account's page under \
                   \"Discord\", and send it with /link.";
        return Ok(said(why).json().to_string());
    };
    let game = match &did {
        Did::Typed { options, .. } => {
            let command = command.ok_or(AppError::NotFound)?;
            let seats = site.seats_of(link.account).await?;
            let games: Vec<GameId> = seats.into_iter().map(|seat| seat.game).collect();
            let asked = option(options, "game");
            let game = match (asked, games.as_slice()) {
                (Some(word), _) => games.iter().find(|game| game.as_str() == word.trim()),
                (None, [one]) => Some(one),
                (None, _) => None,
            };
            match game {
                Some(game) => game.clone(),
                None => return Ok(which_game(command, asked, &games).json().to_string()),
            }
        }
        Did::Pressed { id, picked } => Press::game(id, picked).ok_or(AppError::NotFound)?,
        Did::Filled { id, .. } => Press::game(id, &[]).ok_or(AppError::NotFound)?,
    };
    let play = DiscordPlay {
        game,
        account: link.account,
        user: link.digest,
        id,
        did,
    };
    ask(site, play).await
}

/// Links somebody to the account whose page gave them the code.
async fn linked(
    site: &AppState,
    visitor: Visitor,
    user: &DiscordUser,
    code: Option<&str>,
) -> Result<DiscordReply, AppError> {
    let word = notice_words::read(site, code.unwrap_or_default().trim());
    let Some(WordFor::Link(id, scopes, ends_at, mark)) = word else {
        return Ok(said("That is no code from your account's page."));
    };
    if ends_at <= site.now() {
        return Ok(said(
            "That code has ended. Make another on your account's page.",
        ));
    }
    let accounts = &site.deps.accounts;
    let Some(account) = accounts.account(id).await? else {
        return Ok(said("That account is gone."));
    };
    if mark != notice_words::mark(&account) {
        let why =
            "The account has another password since. Make another code on your account's page.";
        return Ok(said(why));
    }
    moderation::may_sign_in(site, id).await?;
    // Whoever sees it typed, or finds it where it was, is not let in by it.
    let digest = digest_of_user(user);
    let made = accounts.tokens_of(id).await?.into_iter();
    let mut others = made.filter(|token| token.label == LABEL && token.digest != digest);
    if others.any(|token| token.made_at > ends_at - LINK_COUNTS) {
        return Ok(said(
            "That code was used. Make another on your account's page.",
        ));
    }
    let link = Token {
        digest,
        account: id,
        label: LABEL.to_owned(),
        scopes,
        game: None,
        made_at: site.now(),
        ends_at: None,
    };
    // Somebody on Discord plays as one account: the newest that they were linked to.
    accounts.revoke_token(link.digest).await?;
    accounts.make_token(&link).await?;
    let name = account.name.clone();
    let visitor = Visitor {
        account: Some(account),
        browser: "Discord".to_owned(),
        ..visitor
    };
    let made = Happened::to(id, SecurityEvent::TokenMade);
    safety::note(site, &visitor, made).await;
    Ok(said(format!(
        "You play as {name} from here now. Try /needs-me."
    )))
}

/// A menu of the games that somebody plays in, or word that there is none to pick.
fn which_game(command: DiscordCommand, asked: Option<&str>, games: &[GameId]) -> DiscordReply {
    if games.is_empty() {
        return said("You play in no game of this server: ask to join one on its page.");
    }
    let words: Vec<&str> = games.iter().map(GameId::as_str).collect();
    let press = match command {
        DiscordCommand::NeedsMe => Press::Needs.id(),
        DiscordCommand::Act => Press::Acts.id(),
        DiscordCommand::Roll | DiscordCommand::Link => None,
    };
    let list = words.join(", ");
    let (Some(id), None) = (press, asked) else {
        return said(format!("Say in which game: {list}."));
    };
    let options = words
        .iter()
        .map(|word| ((*word).to_owned(), (*word).to_owned()));
    DiscordReply::Say(DiscordMessage {
        text: "In which game?".to_owned(),
        rows: vec![DiscordRow::Menu(DiscordMenu {
            id,
            prompt: "Pick a game".to_owned(),
            options: options.collect(),
            most: 1,
        })],
    })
}
