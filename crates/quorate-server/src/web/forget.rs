//! Words taken out of games for good: by whoever wrote them, or by the operator, in an event that says so.
//!
//! What is dropped are the contents of seals: texts and their salts. Numbers, votes, changes of rules and who did what when
//! stay, so that the log still holds together and the game still adds up.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::Standing;
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::{Effect, SealMut, State as Game};
use quorate_kernel::{EventSeq, PlayerId, Value};
use quorate_runtime::ports::{AccountId, Seat};

use super::forms::{Sent, answer_in};
use super::look::Look;
use super::reply;
use super::send;
use super::site::Site;
use super::trouble::Trouble;
use crate::parts::{Field, FieldKind, Form};
use crate::urls;

/// The form that takes the words of an event out of the game, for whoever wrote them and for the operator.
pub(crate) fn form(look: &Look, event: &Event) -> Option<Form> {
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
    State(site): State<Arc<Site>>,
    Path((game, word)): Path<(String, String)>,
    sent: Sent,
) -> Response {
    let look = match Look::at(&site, &sent.visitor, &game).await {
        Ok(look) => look,
        Err(trouble) => return reply::failed(&site, &sent.visitor, None, trouble),
    };
    let result = async {
        let seq = EventSeq(word.parse().map_err(|_| Trouble::NotFound)?);
        let events = look.site.events(&look.game, &[seq]).await?;
        let event = events.into_iter().next().ok_or(Trouble::NotFound)?;
        if !is_mine(&look, &event) {
            withhold(&look, &sent, seq).await?;
        } else if pends(look.state(), &event) {
            return Err(Trouble::Forbidden(
                "People are voting on these words: they can be erased once the matter is closed.",
            ));
        }
        site.writes.take(sent.visitor.who(), site.now_ms())?;
        Ok(site.parts.games.forget(&look.game, &texts(&event)).await?)
    };
    let to = urls::Event {
        game: look.game.as_str(),
        event: &word,
    };
    match result.await {
        Ok(_) => reply::see_with(&to.into(), "The words are gone."),
        Err(trouble) => answer_in(&look, Err(trouble)),
    }
}

/// The operator says in the log that words are withheld, before they are. Nobody else gets through.
async fn withhold(look: &Look, sent: &Sent, seq: EventSeq) -> Result<(), Trouble> {
    let why = sent.form.filled("reason");
    if look.visitor.is_operator() && why.is_none() {
        return Err(Trouble::Form(
            "Say why the words are withheld: the log tells everybody.".to_owned(),
        ));
    }
    let reason = format!(
        "the words of event {seq} are withheld: {}",
        why.unwrap_or_default()
    );
    let act = Act::Repair {
        patch: Sealed::close(Patch::default(), [0; 16]),
        reason: typed(&reason),
    };
    send::send_as_operator(look, sent.form.key(), act).await?;
    Ok(())
}

/// Takes all the words out that an account's players wrote, in every game, but for those of matters that still pend.
/// Names of players who have left go with them if wished. Gives how many texts there were.
pub(crate) async fn everything(
    site: &Site,
    account: AccountId,
    names_too: bool,
) -> Result<usize, Trouble> {
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
    }
    Ok(forgotten)
}

fn sender(event: &Event) -> Option<PlayerId> {
    event.command().actor.player()
}

fn is_mine(look: &Look, event: &Event) -> bool {
    look.me.is_some() && sender(event) == look.me
}

/// The texts that the sender of an event typed and that are still at hand.
fn texts(event: &Event) -> Vec<Digest> {
    let mut found = Vec::new();
    let mut visit = |seal: SealMut<'_>| match seal {
        SealMut::Text(text) if !text.as_str().is_empty() => found.push(text.digest()),
        SealMut::Value(value) if matches!(value.plain(), Some(Value::Text(_))) => {
            found.push(value.digest());
        }
        _ => {}
    };
    let Event {
        mut act, mut steps, ..
    } = event.clone();
    act.each_seal(&mut visit);
    // A title that its category heads, for one, is sealed once more.
    for step in &mut steps {
        if matches!(step.effect, Effect::Post { .. } | Effect::Comment { .. }) {
            step.effect.seals(&mut visit);
        }
    }
    found
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
