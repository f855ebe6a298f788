//! Words taken out of games for good: by whoever wrote them, or by the operator, in an event that says so.
//!
//! What is dropped are the contents of seals: texts and their salts. Numbers, votes, changes of rules and who did what when
//! stay, so that the log still holds together and the game still adds up.

use std::collections::BTreeSet;

use axum::extract::Path;
use axum::response::Response;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::Standing;
use quorate_kernel::seal::Sealed;
use quorate_kernel::sealing::SealMut;
use quorate_kernel::state::State as Game;
use quorate_kernel::{PlayerId, Value};
use quorate_runtime::ports::{AccountId, Seat};

use crate::app::error::AppError;
use crate::app::forms::{SentIn, answer_in};
use crate::app::state::AppState;
use crate::app::{reply, send};
use crate::site::log::event;
use crate::ui::{Field, FieldKind, Form, urls};
use crate::view::game::GameView;

/// The form that takes the words of an event out of the game, for whoever wrote them and for the operator.
pub(crate) fn form(look: &GameView, event: &Event) -> Option<Form> {
    let mine = is_mine(look, event);
    if !(mine || look.visitor.is_operator()) || texts(event).is_empty() {
        return None;
    }
    let word = event.seq.to_string();
    let to = urls::Forget {
        game: look.game.as_str(),
        event: &word,
    };
    let reason = Field::new(
        "forget-reason",
        "reason",
        "Why they are withheld (everybody reads this)",
        FieldKind::Line(String::new()),
    );
    let (fields, button) = if mine {
        (Vec::new(), "Erase these words for good")
    } else {
        (vec![reason], "Withhold these words for good")
    };
    Some(Form {
        fields,
        ..Form::button(look.send(to), button)
    })
}

/// `POST /g/{game}/log/{event}/forget`.
pub(crate) async fn take(
    Path((_, word)): Path<(String, String)>,
    SentIn { look, form }: SentIn,
) -> Response {
    let result = async {
        let event = event::find(&look, &word).await?;
        if !is_mine(&look, &event) {
            return withhold(&look, &event, form.key(), form.filled("reason")).await;
        }
        if pends(look.state(), &event) {
            return Err(AppError::Forbidden(
                "People are voting on these words: they can be erased once the matter is closed.",
            ));
        }
        let site = &look.site;
        site.writes.take(look.visitor.who(), site.now_ms())?;
        site.parts.games.forget(&look.game, &texts(&event)).await?;
        site.fronts.clear();
        Ok(())
    };
    let to = urls::Event {
        game: look.game.as_str(),
        event: &word,
    };
    match result.await {
        Ok(()) => reply::see_with(&to.into(), "The words are gone."),
        Err(trouble) => answer_in(&look, Err(trouble)),
    }
}

/// The operator takes the words of an event out. The log says so first, and why: nothing is dropped in silence.
pub(crate) async fn withhold(
    look: &GameView,
    event: &Event,
    key: Option<&str>,
    why: Option<&str>,
) -> Result<(), AppError> {
    if !look.visitor.is_operator() {
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
    send::send_as_operator(look, key, mark).await?;
    look.site.parts.games.forget(&look.game, &texts).await?;
    look.site.fronts.clear();
    Ok(())
}

/// Takes all the words out that an account's players wrote, in every game, but for those of matters that still pend.
/// Names of players who have left go with them if wished. Gives how many texts there were.
pub(crate) async fn everything(
    site: &AppState,
    account: AccountId,
    names_too: bool,
) -> Result<usize, AppError> {
    let mut forgotten = 0;
    for Seat { game, player, .. } in site.parts.accounts.seats_of(account).await? {
        let published = site.parts.games.snapshot(&game).await?;
        let state = &published.state;
        let has_left = state
            .people
            .get(&player)
            .is_some_and(|person| matches!(person.standing, Standing::Left | Standing::Barred));
        let mut digests = BTreeSet::new();
        for event in site.whole_log(&game).await? {
            if sender(&event) == Some(player) && !pends(state, &event) {
                digests.extend(texts(&event));
            }
        }
        if let Some(person) = state.people.get(&player) {
            digests.remove(&person.name.digest());
            if names_too && has_left {
                digests.insert(person.name.digest());
            }
        }
        let digests: Vec<Digest> = digests.into_iter().collect();
        forgotten += site.parts.games.forget(&game, &digests).await?;
        site.fronts.clear();
    }
    Ok(forgotten)
}

fn sender(event: &Event) -> Option<PlayerId> {
    event.command().actor.player()
}

fn is_mine(look: &GameView, event: &Event) -> bool {
    look.me.is_some() && sender(event) == look.me
}

/// The texts that the sender of an event typed or uploaded and that are still at hand, wherever its effects put them. Who was
/// let in keeps their name, for the game is told by it.
pub(crate) fn texts(event: &Event) -> Vec<Digest> {
    if matches!(
        event.act,
        Act::Found(_) | Act::Apply { .. } | Act::Repair { .. }
    ) {
        return Vec::new();
    }
    let mut event = event.clone();
    let (mut words, mut found) = (BTreeSet::new(), BTreeSet::new());
    event.act.each_seal(&mut |seal| match seal {
        SealMut::Text(text) if !text.as_str().is_empty() => {
            words.insert(text.as_str().to_owned());
        }
        // What is given for something private is sealed as a whole.
        SealMut::Value(value) => {
            let word = match value.plain() {
                Some(Value::Text(text)) => text.plain(),
                Some(Value::Picture(picture)) => picture.png(),
                _ => None,
            };
            if let Some(word) = word {
                words.insert(word.to_owned());
                found.insert(value.digest());
            }
        }
        _ => {}
    });
    event.each_seal(&mut |seal| {
        if let SealMut::Text(text) = seal
            && words.contains(text.as_str())
        {
            found.insert(text.digest());
        }
    });
    found.into_iter().collect()
}

/// Whether an event wrote something for a matter whose status may still change.
fn pends(state: &Game, event: &Event) -> bool {
    let id = match &event.act {
        Act::Post(_) => state
            .posts
            .keys()
            .find(|id| id.0.event() == event.seq)
            .copied(),
        Act::EditPost { post, .. } | Act::Comment { post, .. } => Some(*post),
        _ => None,
    };
    id.and_then(|id| state.posts.get(&id))
        .is_some_and(|post| !post.status.is_empty() && post.closed_at.is_none())
}
