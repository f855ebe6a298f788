//! `POST /discord`: what Discord sends when somebody plays from there.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use quorate_kernel::command::{Act, typed};
use quorate_kernel::digest::Digest;
use quorate_kernel::{GameId, Name};
use quorate_notices::discord::commands::DiscordCommand;
use quorate_notices::discord::interaction::{
    Did, DiscordKey, DiscordUser, FromDiscord, Interaction, read,
};
use quorate_notices::discord::reply::{DiscordMenu, DiscordMessage, DiscordReply, DiscordRow};
use quorate_runtime::Receipt;
use quorate_runtime::ports::{SecurityEvent, Token};

use crate::app::error::AppError;
use crate::app::filled::{answer_act, arguments};
use crate::app::grant::Grant;
use crate::app::notice_words::{self, WordFor};
use crate::app::posted::Posted;
use crate::app::safety::{self, Happened};
use crate::app::send;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::site::discord::press::Press;
use crate::site::discord::{moves, waiting};
use crate::view::events;
use crate::view::game::GameView;
use crate::view::posts;

/// `POST /discord`.
pub async fn take(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(key) = site.parts.house.discord else {
        let why = "Nobody plays from Discord here: start the server with --discord-key.";
        return (StatusCode::NOT_FOUND, why).into_response();
    };
    if !is_signed(key, &headers, &body) {
        return (StatusCode::UNAUTHORIZED, "The signature is not Discord's.").into_response();
    }
    let reply = match read(&body) {
        Ok(FromDiscord::Ping) => DiscordReply::Pong,
        Ok(FromDiscord::Interaction(interaction)) => {
            let did = answered(&site, visitor, interaction).await;
            did.unwrap_or_else(|trouble| {
                if trouble.status().is_server_error() {
                    tracing::error!(trouble = %trouble.what(), "a request of Discord's failed");
                }
                said(format!("{} {}", trouble.what(), trouble.todo()))
            })
        }
        Err(why) => return (StatusCode::BAD_REQUEST, why.to_string()).into_response(),
    };
    Json(reply.json()).into_response()
}

fn is_signed(key: DiscordKey, headers: &HeaderMap, body: &[u8]) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let signature = header("x-signature-ed25519");
    let timestamp = header("x-signature-timestamp");
    signature
        .zip(timestamp)
        .is_some_and(|(signature, timestamp)| key.signed(signature, timestamp, body))
}

fn said(text: impl Into<String>) -> DiscordReply {
    DiscordReply::Say(DiscordMessage::of(text))
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
) -> Result<DiscordReply, AppError> {
    let Interaction { id, user, did } = interaction;
    let command = match &did {
        Did::Typed { command, .. } => DiscordCommand::read(command),
        Did::Pressed { .. } | Did::Filled { .. } => None,
    };
    if let (Some(DiscordCommand::Link), Did::Typed { options, .. }) = (command, &did) {
        return linked(site, visitor, &user, option(options, "code")).await;
    }
    let Some(player) = player(site, visitor, &user).await? else {
        let why = "You are not linked to an account yet. Make a code on your account's page under \
                   \"Discord\", and send it with /link.";
        return Ok(said(why));
    };
    let sender = Sender {
        site,
        visitor: player,
        key: format!("discord-{id}"),
    };
    match did {
        Did::Typed { options, .. } => sender.typed(command, &options).await,
        Did::Pressed { id, picked } => match Press::read(&id) {
            Some(press) => sender.pressed(press, picked, Vec::new()).await,
            None => Err(AppError::NotFound),
        },
        Did::Filled { id, fields } => match Press::read(&id) {
            Some(press) => sender.pressed(press, Vec::new(), fields).await,
            None => Err(AppError::NotFound),
        },
    }
}

/// Whoever plays as an account from Discord, with what they may do there.
async fn player(
    site: &AppState,
    visitor: Visitor,
    user: &DiscordUser,
) -> Result<Option<Visitor>, AppError> {
    let accounts = &site.parts.accounts;
    let Some(link) = accounts.token(digest_of_user(user), site.now()).await? else {
        return Ok(None);
    };
    let account = accounts.account(link.account).await?;
    Ok(account.map(|account| Visitor {
        account: Some(account),
        grant: Grant::of(&link),
        browser: "Discord".to_owned(),
        ..visitor
    }))
}

/// Links somebody to the account whose page gave them the code.
async fn linked(
    site: &AppState,
    visitor: Visitor,
    user: &DiscordUser,
    code: Option<&str>,
) -> Result<DiscordReply, AppError> {
    let word = notice_words::read(site, code.unwrap_or_default().trim());
    let Some(WordFor::Link(id, scopes, ends_at)) = word else {
        return Ok(said("That is no code from your account's page."));
    };
    if ends_at <= site.now() {
        return Ok(said(
            "That code has ended. Make another on your account's page.",
        ));
    }
    let accounts = &site.parts.accounts;
    let Some(account) = accounts.account(id).await? else {
        return Ok(said("That account is gone."));
    };
    let link = Token {
        digest: digest_of_user(user),
        account: id,
        label: "Discord".to_owned(),
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

fn option<'a>(options: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = options.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_str())
}

/// Somebody who plays from Discord.
struct Sender<'a> {
    site: &'a Arc<AppState>,
    visitor: Visitor,
    /// The key of what they send, if it has no other.
    key: String,
}

impl Sender<'_> {
    async fn typed(
        &self,
        command: Option<DiscordCommand>,
        options: &[(String, String)],
    ) -> Result<DiscordReply, AppError> {
        let command = command.ok_or(AppError::NotFound)?;
        let games = self.games().await?;
        let game = match (option(options, "game"), games.as_slice()) {
            (Some(word), _) => games.iter().find(|game| game.as_str() == word.trim()),
            (None, [one]) => Some(one),
            (None, _) => None,
        };
        let Some(game) = game else {
            return Ok(which_game(command, option(options, "game"), &games));
        };
        match command {
            DiscordCommand::NeedsMe => Ok(DiscordReply::Say(self.needs(game.as_str(), "").await?)),
            DiscordCommand::Act => Ok(DiscordReply::Say(self.acts(game.as_str()).await?)),
            DiscordCommand::Roll => {
                let line = option(options, "line").unwrap_or_default();
                let look = self.look(game.as_str()).await?;
                let act = Act::Dice { line: typed(line) };
                let done = self.done(&look, &self.key, act).await?;
                Ok(said(done))
            }
            DiscordCommand::Link => Err(AppError::NotFound),
        }
    }

    async fn pressed(
        &self,
        press: Press,
        picked: Vec<String>,
        fields: Vec<(String, String)>,
    ) -> Result<DiscordReply, AppError> {
        let first = || picked.first().cloned().ok_or(AppError::NotFound);
        let message = match press {
            Press::Needs => self.needs(&first()?, "").await?,
            Press::Acts => self.acts(&first()?).await?,
            Press::Vote { game, post, icon } => self.voted(&game, &post, &icon).await?,
            Press::Begin { game } => {
                let (look, action) = (self.look(&game).await?, first()?);
                let word = self.visitor.words.key().to_owned();
                return reading(&look, move |look| moves::begin(look, &action, &word)).await;
            }
            Press::Take { game, action, word } => {
                let look = self.look(&game).await?;
                let act = taken(&look, &action, picked, fields).await?;
                let done = self.done(&look, &format!("discord-{word}"), act).await?;
                self.needs(&game, &done).await?
            }
            Press::Answer { game, question } => {
                let look = self.look(&game).await?;
                let written = fields.into_iter().map(|(_, value)| value).next();
                let answer = match written {
                    Some(written) => written,
                    None => first()?,
                };
                let act = answer_act(&look, &question, &answer)?;
                let done = self.done(&look, &self.key, act).await?;
                self.needs(&game, &done).await?
            }
            Press::Ask { game, question } => {
                let look = self.look(&game).await?;
                let form = reading(&look, move |look| waiting::answer_form(look, &question));
                let form = form.await?.ok_or(AppError::NotFound)?;
                return Ok(DiscordReply::Ask(form));
            }
        };
        Ok(DiscordReply::Update(message))
    }

    /// The games that they play in and may play from here.
    async fn games(&self) -> Result<Vec<GameId>, AppError> {
        let id = self.visitor.id().ok_or(AppError::SignIn)?;
        let seats = self.site.parts.accounts.seats_of(id).await?;
        Ok(seats.into_iter().map(|seat| seat.game).collect())
    }

    async fn look(&self, game: &str) -> Result<Arc<GameView>, AppError> {
        self.visitor.grant.check_game(game)?;
        Ok(Arc::new(
            GameView::at(self.site, &self.visitor, game).await?,
        ))
    }

    /// What waits for them, under a line that tells what was just done.
    async fn needs(&self, game: &str, done: &str) -> Result<DiscordMessage, AppError> {
        let (look, done) = (self.look(game).await?, done.to_owned());
        send::player(&look)?;
        reading(&look, move |look| waiting::message(look, &done)).await
    }

    async fn acts(&self, game: &str) -> Result<DiscordMessage, AppError> {
        let look = self.look(game).await?;
        send::player(&look)?;
        reading(&look, moves::list).await
    }

    async fn voted(&self, game: &str, post: &str, icon: &str) -> Result<DiscordMessage, AppError> {
        let look = self.look(game).await?;
        let post = posts::post_id(&look, post)?;
        let side = icon.to_owned();
        let text = reading(&look, move |look| {
            let vote = look.quick_vote(post, None)?;
            let known = vote.sides.iter().find(|(known, _)| known.name == side)?;
            // The same vote once more is none.
            let is_fresh = !known.1;
            Some(is_fresh.then(|| look.ask(|asked| asked.ballot(post, &side, ""))))
        });
        let told = icon.to_uppercase();
        let Some(text) = text.await? else {
            return self
                .needs(game, "That vote can no longer be cast here.")
                .await;
        };
        let Some(text) = text else {
            return self
                .needs(game, &format!("Your vote stands: {told}."))
                .await;
        };
        let text = typed(&text);
        let act = Act::Comment { post, text };
        match self.sent(&look, &self.key, act).await? {
            Ok(_) => self.needs(game, &format!("Your vote is in: {told}.")).await,
            Err(why) => self.needs(game, &why).await,
        }
    }

    /// Sends a command; gives what came of it, in words.
    async fn done(&self, look: &Arc<GameView>, key: &str, act: Act) -> Result<String, AppError> {
        let receipt = match self.sent(look, key, act).await? {
            Ok(receipt) => receipt,
            Err(why) => return Ok(why),
        };
        let look = self.look(look.game().as_str()).await?;
        let events = self.site.events(look.game(), &[receipt.seq]).await?;
        let told = reading(&look, move |look| {
            let event = events.first()?;
            let done = events::outcome(look, event);
            let dice = done.dice.iter().filter_map(|die| die.shows);
            let dice: Vec<String> = dice.map(|shows| shows.to_string()).collect();
            let dice = match dice.as_slice() {
                [] => String::new(),
                dice => format!(" Dice: {}.", dice.join(", ")),
            };
            Some(format!("Done: {}.{dice} {}", done.what, done.text))
        });
        let told = told.await?.unwrap_or_else(|| "Done.".to_owned());
        Ok(told.trim_end().to_owned())
    }

    /// Sends a command; gives why the law says no, where it does.
    async fn sent(
        &self,
        look: &Arc<GameView>,
        key: &str,
        act: Act,
    ) -> Result<Result<Receipt, String>, AppError> {
        let tried = look.act_title(&act);
        match send::send(look, Some(key), act).await {
            Ok(receipt) => Ok(Ok(receipt)),
            Err(AppError::Refused(refusal)) => {
                let told = reading(look, move |look| look.refusal(&tried, &refusal).sentence());
                Ok(Err(told.await?))
            }
            Err(trouble) => Err(trouble),
        }
    }
}

/// The command that an action's button, menu or form stands for.
async fn taken(
    look: &Arc<GameView>,
    action: &str,
    picked: Vec<String>,
    fields: Vec<(String, String)>,
) -> Result<Act, AppError> {
    let me = send::player(look)?;
    let action = Name::from(action);
    let name = action.clone();
    let args = reading(look, move |look| {
        let mut given: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (field, value) in fields {
            given.entry(field).or_default().push(value);
        }
        if let (Some(field), false) = (moves::picked(look, &name), picked.is_empty()) {
            given.insert(field.to_string(), picked);
        }
        arguments(look, me, &name, &Posted::of(given))
    });
    let args = args.await??;
    Ok(Act::Do { action, args })
}

/// Asks the law something on a thread where that may take its time.
async fn reading<T: Send + 'static>(
    look: &Arc<GameView>,
    read: impl FnOnce(&GameView) -> T + Send + 'static,
) -> Result<T, AppError> {
    let look = Arc::clone(look);
    Ok(tokio::task::spawn_blocking(move || read(&look)).await?)
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
