//! The one way in: every command that a reader gives a game is authorised and sent here.

use std::sync::Arc;

use quorate_kernel::command::{Act, Actor};
use quorate_kernel::event::Outcome;
use quorate_kernel::{GameId, Name, PlayerId, Refusal};
use quorate_runtime::ports::{TokenScope, noted};
use quorate_runtime::{Answer, OperatingError, Receipt};

use crate::app::error::AppError;
use crate::app::moderation;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::security::rate::TooOften;
use crate::view::game::{GameContext, GameView};

/// Sends a command as the player that the reader plays in the game. Only somebody who is signed in and plays there gets
/// through; what they may do beyond that is for the law to say.
pub async fn send(view: &GameView, key: Option<&str>, act: Act) -> Result<Receipt, AppError> {
    let me = player(view)?;
    let scope = needed(view, &act);
    let sender = (Actor::Player(me), scope);
    send_as((view.app(), view.visitor()), view.game(), sender, key, act).await
}

/// The receipt of a command that the player sent before under the same key.
pub(crate) async fn sent_before(
    view: &GameView,
    key: Option<&str>,
) -> Result<Option<Receipt>, AppError> {
    let actor = Actor::Player(player(view)?);
    let Some(key) = key.map(Name::from) else {
        return Ok(None);
    };
    let games = &view.app().deps.games;
    Ok(games.receipt(view.game(), actor, &key).await?)
}

/// Whom the reader plays, or what to do first.
pub fn player(view: &GameView) -> Result<PlayerId, AppError> {
    seated(view.me(), view.visitor())
}

/// The same before anything is made of the game's law.
pub fn seat(context: &GameContext) -> Result<PlayerId, AppError> {
    seated(context.me(), context.visitor())
}

fn seated(me: Option<PlayerId>, visitor: &Visitor) -> Result<PlayerId, AppError> {
    match (me, visitor.account.as_ref()) {
        (Some(me), Some(_)) => Ok(me),
        (_, None) => Err(AppError::SignIn),
        (None, Some(_)) => Err(AppError::Forbidden(
            "Only somebody who plays in this game can do that: ask to join on its front page.",
        )),
    }
}

/// Sends a command as somebody new who asks to join.
pub async fn send_as_newcomer(
    view: &GameView,
    key: Option<&str>,
    act: Act,
) -> Result<Receipt, AppError> {
    let account = view.visitor().id().ok_or(AppError::SignIn)?;
    let key = account.own_key(key.unwrap_or(&view.visitor().words.word));
    let sender = (Actor::Newcomer, TokenScope::Act);
    let by = (view.app(), view.visitor());
    send_as(by, view.game(), sender, Some(key.as_str()), act).await
}

/// Sends a repair as the one who runs the server. It is marked in the log; the law is not asked.
pub async fn send_as_operator(
    site: &Arc<AppState>,
    visitor: &Visitor,
    game: &GameId,
    key: Option<&str>,
    act: Act,
) -> Result<Receipt, AppError> {
    if !visitor.is_operator() {
        return Err(AppError::NotFound);
    }
    let sender = (Actor::Operator, TokenScope::Admin);
    send_as((site, visitor), game, sender, key, act).await
}

/// Counts something that somebody writes, other than a command of a game, unless they have written too often.
pub(crate) async fn count_write(site: &AppState, visitor: &Visitor) -> Result<(), AppError> {
    count(site, visitor, false).await
}

async fn count(site: &AppState, visitor: &Visitor, is_command: bool) -> Result<(), AppError> {
    let id = visitor.id().ok_or(AppError::SignIn)?;
    let wait = site.deps.writes.count_write(id, is_command).await;
    match wait.map_err(OperatingError::from)? {
        None => Ok(()),
        Some(retry_after_ms) => Err(TooOften { retry_after_ms }.into()),
    }
}

/// Sends a command as somebody whose program must have that scope.
async fn send_as(
    (site, visitor): (&Arc<AppState>, &Visitor),
    game: &GameId,
    (actor, scope): (Actor, TokenScope),
    key: Option<&str>,
    act: Act,
) -> Result<Receipt, AppError> {
    visitor.grant.check_game(game.as_str())?;
    visitor.grant.check(scope)?;
    count(site, visitor, actor != Actor::Operator).await?;
    if let Some(id) = visitor.id() {
        moderation::may_act(site, id, &act).await?;
    }
    let key = Name::from(key.unwrap_or(&visitor.words.word));
    let gives_up = matches!(act, Act::Abandon { .. });
    let by = visitor.id().filter(|_| actor != Actor::Operator);
    let (here, game) = (Arc::clone(site), game.clone());
    let sending = |sender| async move {
        let games = &here.deps.games;
        games.send_for(&game, actor, key, act, sender).await
    };
    match noted(&site.deps.writes, by, sending)
        .await
        .map_err(not_sent)?
    {
        Answer::Kept(receipt) => settled(receipt, gives_up),
        Answer::Refused(refusal) => Err(refusal.into()),
    }
}

fn not_sent(error: OperatingError) -> AppError {
    match error {
        OperatingError::WroteTooMuch { retry_after_ms } => TooOften { retry_after_ms }.into(),
        other => other.into(),
    }
}

/// A receipt of something done; one that the law refused after its first die is a refusal, although it is in the log. An action that
/// its player gave up lapsed as they wished.
fn settled(receipt: Receipt, gives_up: bool) -> Result<Receipt, AppError> {
    match &receipt.outcome {
        Outcome::Done | Outcome::Opened(_) => Ok(receipt),
        Outcome::Lapsed(_) if gives_up => Ok(receipt),
        Outcome::Refused(refusal) | Outcome::Lapsed(refusal) => Err(Refusal::clone(refusal).into()),
    }
}

/// The scope that a command takes.
fn needed(view: &GameView, act: &Act) -> TokenScope {
    match act {
        Act::Comment { .. } => TokenScope::Vote,
        Act::Post(_) | Act::EditPost { .. } | Act::Withdraw { .. } => TokenScope::Post,
        Act::Recategorise { .. } | Act::Message { .. } => TokenScope::Post,
        Act::Do { action, .. } | Act::Answer { action, .. } | Act::Abandon { action } => {
            of_action(view, action)
        }
        Act::Apply { .. } | Act::Leave { .. } | Act::Decide { .. } => TokenScope::Act,
        Act::Claim { .. } | Act::Dispute { .. } | Act::Undo { .. } => TokenScope::Act,
        Act::Dice { .. } => TokenScope::Act,
        Act::Found(_) | Act::Wake { .. } | Act::Repair { .. } => TokenScope::Admin,
        Act::Due { .. } | Act::Downtime { .. } | Act::Sleep { .. } => TokenScope::Admin,
    }
}

/// What the rules declare for some players is theirs: an admin's enactments, the emperor's powers.
fn of_action(view: &GameView, action: &Name) -> TokenScope {
    let declared = view.law().actions.get(action);
    match declared.and_then(|declared| declared.it.by.as_ref()) {
        Some(_) => TokenScope::Admin,
        None => TokenScope::Act,
    }
}
