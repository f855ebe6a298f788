//! Words taken out of games for good, by whoever wrote them or by the operator.

use quorate_kernel::PlayerId;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::event::Event;
use quorate_kernel::patch::Patch;
use quorate_kernel::seal::Sealed;
use quorate_runtime::ports::{AccountId, Seat};

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::requests::send;
use crate::ui::{Field, FieldKind, Form, urls};
use crate::view::forgetting::{pictures_named, sender, texts, written_by};
use crate::view::game::{GameContext, GameView};

/// The form that takes the words of an event out of the game, for whoever wrote them and for the operator.
pub(crate) fn form(view: &GameView, event: &Event) -> Option<Form> {
    let mine = is_mine(view.me(), event);
    if !(mine || view.visitor().is_operator()) || texts(event).is_empty() {
        return None;
    }
    let word = event.seq.to_string();
    let to = urls::Forget {
        game: view.game().as_str(),
        event: &word,
    };
    let reason = Field::new(
        "forget-reason",
        "reason",
        "Why they are withheld (everybody reads this)",
        FieldKind::Line(String::new()),
    );
    let (fields, button) = if mine {
        (Vec::new(), "Erase these words permanently")
    } else {
        (vec![reason], "Withhold these words permanently")
    };
    Some(Form {
        fields,
        ..Form::button(view.send(to), button)
    })
}

/// The operator takes the words of an event out. The log says so first, and why: nothing is dropped in silence.
pub(crate) async fn withhold(
    context: &GameContext,
    event: &Event,
    key: Option<&str>,
    why: Option<&str>,
) -> Result<(), AppError> {
    let (site, visitor, game) = (context.app(), context.visitor(), context.game());
    if !visitor.is_operator() {
        return Err(AppError::NotFound);
    }
    let unread = |what: &str| AppError::Form(what.to_owned());
    let why = why.ok_or_else(|| unread("Say why: the game’s log will tell."))?;
    let texts = texts(event);
    if texts.is_empty() {
        return Err(unread(
            "Nothing was written in that event, or it is gone already.",
        ));
    }
    let mark = Act::Repair {
        patch: Sealed::close(Patch::default(), [0; 16]),
        reason: typed(&format!(
            "What was written in event {} is withheld: {why}",
            event.seq
        )),
    };
    send::send_as_operator(site, visitor, game, key, mark).await?;
    site.forget(game, &texts).await?;
    drop_pictures(context, event, None).await
}

/// Drops the pictures that the texts of an event name: those of one account, or whoever uploaded them.
pub(crate) async fn drop_pictures(
    context: &GameContext,
    event: &Event,
    by: Option<AccountId>,
) -> Result<(), AppError> {
    for word in pictures_named(event) {
        let uploads = &context.app().deps.uploads;
        uploads.drop_upload(context.game(), &word, by).await?;
    }
    Ok(())
}

/// Takes all the words out that an account's players wrote, in every game, but for those of matters that still pend. Their
/// pictures go, and so do those of matters that pend.
/// Names of players who have left go with them if wished. Gives how many texts there were.
pub(crate) async fn everything(
    site: &AppState,
    account: AccountId,
    names_too: bool,
) -> Result<usize, AppError> {
    let mut forgotten = 0;
    for Seat { game, player, .. } in site.deps.accounts.seats_of(account).await? {
        let digests = written_by(site, &game, player, names_too).await?;
        forgotten += site.forget(&game, &digests).await?;
    }
    site.deps.uploads.drop_uploads_of(account).await?;
    Ok(forgotten)
}

/// Whether a player did what an event says.
pub(crate) fn is_mine(me: Option<PlayerId>, event: &Event) -> bool {
    me.is_some() && sender(event) == me
}
