//! What somebody does in a game from Discord. It asks the game's rule code, so it is a question to a worker.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_kernel::command::{Act, typed};
use quorate_kernel::digest::Digest;
use quorate_kernel::{GameId, Name};
use quorate_notices::discord::commands::DiscordCommand;
use quorate_notices::discord::interaction::Did;
use quorate_notices::discord::reply::{DiscordMessage, DiscordReply};
use quorate_runtime::Receipt;
use quorate_runtime::ports::AccountId;
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::grant::Grant;
use crate::app::inquiry::Inquiry;
use crate::app::posted::Posted;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::filled::{answer_act, arguments};
use crate::requests::send;
use crate::site::discord::press::Press;
use crate::site::discord::{moves, waiting};
use crate::view::events;
use crate::view::game::GameView;
use crate::view::posts;

/// What somebody who is linked to an account does in a game.
#[derive(Serialize, Deserialize)]
pub(crate) struct DiscordPlay {
    pub(super) game: GameId,
    pub(super) account: AccountId,
    /// Under which they are linked.
    pub(super) user: Digest,
    /// Discord's own number of it.
    pub(super) id: String,
    pub(super) did: Did,
}

impl Inquiry for DiscordPlay {
    /// The reply, as Discord reads it.
    type Answer = String;
    const WORD: &'static str = "discord";

    fn game(&self) -> &GameId {
        &self.game
    }

    fn account(&self) -> Option<AccountId> {
        Some(self.account)
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<String, AppError> {
        let reply = self.played(site).await;
        let reply = reply.unwrap_or_else(|error| failed(&error));
        Ok(reply.json().to_string())
    }
}

impl DiscordPlay {
    async fn played(self, site: &Arc<AppState>) -> Result<DiscordReply, AppError> {
        let sender = Sender {
            site,
            visitor: player(site, self.user).await?,
            game: self.game,
            key: format!("discord-{}", self.id),
        };
        match self.did {
            Did::Typed { command, options } => sender.typed(&command, &options).await,
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
}

/// Whoever plays as an account from Discord, with what they may do there.
async fn player(site: &AppState, user: Digest) -> Result<Visitor, AppError> {
    let accounts = &site.deps.accounts;
    let link = accounts.token(user, site.now()).await?;
    let link = link.ok_or(AppError::SignIn)?;
    let account = accounts.account(link.account).await?;
    let account = account.ok_or(AppError::SignIn)?;
    Ok(Visitor {
        grant: Grant::of(&link),
        browser: "Discord".to_owned(),
        ..Visitor::without_request(Some(account))?
    })
}

/// Somebody who plays from Discord.
struct Sender<'a> {
    site: &'a Arc<AppState>,
    visitor: Visitor,
    game: GameId,
    /// The key of what they send, if it has no other.
    key: String,
}

impl Sender<'_> {
    async fn typed(
        &self,
        command: &str,
        options: &[(String, String)],
    ) -> Result<DiscordReply, AppError> {
        let game = self.game.as_str();
        match DiscordCommand::read(command).ok_or(AppError::NotFound)? {
            DiscordCommand::NeedsMe => Ok(DiscordReply::Say(self.needs(game, "").await?)),
            DiscordCommand::Act => Ok(DiscordReply::Say(self.acts(game).await?)),
            DiscordCommand::Roll => {
                let line = option(options, "line").unwrap_or_default();
                let view = self.view(game).await?;
                let act = Act::Dice { line: typed(line) };
                let done = self.done(&view, &self.key, act).await?;
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
                let (view, action) = (self.view(&game).await?, first()?);
                let word = self.visitor.words.key().to_owned();
                return reading(&view, move |view| moves::begin(view, &action, &word)).await;
            }
            Press::Take { game, action, word } => {
                let view = self.view(&game).await?;
                let act = taken(&view, &action, picked, fields).await?;
                let done = self.done(&view, &format!("discord-{word}"), act).await?;
                self.needs(&game, &done).await?
            }
            Press::Answer { game, question } => {
                let view = self.view(&game).await?;
                let written = fields.into_iter().map(|(_, value)| value).next();
                let answer = match written {
                    Some(written) => written,
                    None => first()?,
                };
                let act = answer_act(&view, &question, &answer)?;
                let done = self.done(&view, &self.key, act).await?;
                self.needs(&game, &done).await?
            }
            Press::Ask { game, question } => {
                let view = self.view(&game).await?;
                let form = reading(&view, move |view| waiting::answer_form(view, &question));
                let form = form.await?.ok_or(AppError::NotFound)?;
                return Ok(DiscordReply::Ask(form));
            }
        };
        Ok(DiscordReply::Update(message))
    }

    async fn view(&self, game: &str) -> Result<Arc<GameView>, AppError> {
        self.visitor.grant.check_game(game)?;
        Ok(Arc::new(
            GameView::at(self.site, &self.visitor, game).await?,
        ))
    }

    /// What waits for them, under a line that tells what was just done.
    async fn needs(&self, game: &str, done: &str) -> Result<DiscordMessage, AppError> {
        let (view, done) = (self.view(game).await?, done.to_owned());
        send::player(&view)?;
        reading(&view, move |view| waiting::message(view, &done)).await
    }

    async fn acts(&self, game: &str) -> Result<DiscordMessage, AppError> {
        let view = self.view(game).await?;
        send::player(&view)?;
        reading(&view, moves::list).await
    }

    async fn voted(&self, game: &str, post: &str, icon: &str) -> Result<DiscordMessage, AppError> {
        let view = self.view(game).await?;
        let post = posts::post_id(&view, post)?;
        let side = icon.to_owned();
        let text = reading(&view, move |view| {
            let vote = view.quick_vote(post, None)?;
            let known = vote.sides.iter().find(|(known, _)| known.name == side)?;
            // The same vote once more is none.
            let is_fresh = !known.1;
            Some(is_fresh.then(|| view.ask(|asked| asked.ballot(post, &side, ""))))
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
        match self.sent(&view, &self.key, act).await? {
            Ok(_) => self.needs(game, &format!("Your vote is in: {told}.")).await,
            Err(why) => self.needs(game, &why).await,
        }
    }

    /// Sends a command; gives what came of it, in words.
    async fn done(&self, view: &Arc<GameView>, key: &str, act: Act) -> Result<String, AppError> {
        let receipt = match self.sent(view, key, act).await? {
            Ok(receipt) => receipt,
            Err(why) => return Ok(why),
        };
        let view = self.view(view.game().as_str()).await?;
        let events = self.site.events(view.game(), &[receipt.seq]).await?;
        let told = reading(&view, move |view| {
            let event = events.first()?;
            let done = events::outcome(view, event);
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
        view: &Arc<GameView>,
        key: &str,
        act: Act,
    ) -> Result<Result<Receipt, String>, AppError> {
        let tried = view.act_title(&act);
        match send::send(view, Some(key), act).await {
            Ok(receipt) => Ok(Ok(receipt)),
            Err(AppError::Refused(refusal)) => {
                let told = reading(view, move |view| view.refusal(&tried, &refusal).sentence());
                Ok(Err(told.await?))
            }
            Err(error) => Err(error),
        }
    }
}

/// The command that an action's button, menu or form stands for.
async fn taken(
    view: &Arc<GameView>,
    action: &str,
    picked: Vec<String>,
    fields: Vec<(String, String)>,
) -> Result<Act, AppError> {
    let me = send::player(view)?;
    let action = Name::from(action);
    let name = action.clone();
    let args = reading(view, move |view| {
        let mut given: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (field, value) in fields {
            given.entry(field).or_default().push(value);
        }
        if let (Some(field), false) = (moves::picked(view, &name), picked.is_empty()) {
            given.insert(field.to_string(), picked);
        }
        arguments(view, me, &name, &Posted::of(given))
    });
    let args = args.await??;
    Ok(Act::Do { action, args })
}

/// Asks the law something on a thread where that may take its time.
async fn reading<T: Send + 'static>(
    view: &Arc<GameView>,
    read: impl FnOnce(&GameView) -> T + Send + 'static,
) -> Result<T, AppError> {
    let view = Arc::clone(view);
    Ok(tokio::task::spawn_blocking(move || read(&view)).await?)
}

/// Why nothing came of a request.
pub(super) fn failed(error: &AppError) -> DiscordReply {
    if error.status().is_server_error() {
        tracing::error!(error = %error.what(), "a request of Discord's failed");
    }
    said(format!("{} {}", error.told(), error.todo()))
}

pub(super) fn said(text: impl Into<String>) -> DiscordReply {
    DiscordReply::Say(DiscordMessage::of(text))
}

pub(super) fn option<'a>(options: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = options.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_str())
}
