//! Withholding: what somebody wrote or uploaded is dropped for good, and the game's log says that it was.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::response::Response;
use quorate_kernel::EventSeq;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::patch::Patch;
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::SealMut;

use crate::parts::{Choice, Field, FieldKind};
use crate::posted::Posted;
use crate::urls;
use crate::web::look::Look;
use crate::web::reply;
use crate::web::send;
use crate::web::site::Site;
use crate::web::trouble::Trouble;
use crate::web::visitor::Visitor;

/// The fields of the form: which game, which event, why.
pub(crate) fn fields(games: impl Iterator<Item = String>) -> Vec<Field> {
    let games = games.map(|game| Choice::new(game.clone(), game));
    let number = FieldKind::Number {
        value: String::new(),
        min: Some(2),
        max: None,
    };
    let why = FieldKind::Line(String::new());
    vec![
        Field::new("wh-game", "game", "Game", FieldKind::One(games.collect())),
        Field::new("wh-event", "event", "Event", number).hint("its number in the game’s log"),
        Field::new("wh-why", "why", "Reason", why).hint("everybody can read it in the log"),
    ]
}

/// Drops what was typed or uploaded in an event, from the store, the state and the judge. The chain holds, for the log has
/// digests alone; who was let in keeps their name, and what a proposal changes stays, for the game stands on both.
pub(crate) async fn done(
    site: &Arc<Site>,
    visitor: &Visitor,
    form: &Posted,
) -> Result<Response, Trouble> {
    let unread = |what: &str| Trouble::Form(what.to_owned());
    let game = form.filled("game").unwrap_or_default();
    let look = Look::at(site, visitor, game).await?;
    let number = form.filled("event").and_then(|text| text.parse().ok());
    let seq = EventSeq(number.ok_or_else(|| unread("An event is named by its number."))?);
    let why = form.filled("why");
    let why = why.ok_or_else(|| unread("Say why: the game’s log will tell."))?;
    let events = site.events(&look.game, &[seq]).await?;
    let event = events.into_iter().next().ok_or(Trouble::NotFound)?;
    let digests = written(event);
    if digests.is_empty() {
        return Err(unread(
            "Nothing was written in that event, or it is gone already.",
        ));
    }
    // The mark comes first: nothing is dropped in silence.
    let mark = Act::Repair {
        patch: Sealed::close(Patch::default(), [0; 16]),
        reason: typed(&format!(
            "What was written in event {seq} is withheld: {why}"
        )),
    };
    send::send_as_operator(&look, None, mark).await?;
    site.parts.games.forget(&look.game, &digests).await?;
    let words = format!("What was written in event {seq} of {game} is gone.");
    Ok(reply::see_with(&urls::Operator.into(), &words))
}

/// The seals of what was typed in an event, and of the same words where its effects put them.
fn written(mut event: Event) -> Vec<Digest> {
    if matches!(
        event.act,
        Act::Found(_) | Act::Apply { .. } | Act::Repair { .. }
    ) {
        return Vec::new();
    }
    let mut words: BTreeSet<String> = BTreeSet::new();
    event.act.each_seal(&mut |seal| {
        if let SealMut::Text(text) = seal
            && !text.as_str().is_empty()
        {
            words.insert(text.as_str().to_owned());
        }
    });
    let mut digests = BTreeSet::new();
    event.each_seal(&mut |seal| {
        if let SealMut::Text(text) = &seal
            && words.contains(text.as_str())
        {
            digests.insert(text.digest());
        }
    });
    digests.into_iter().collect()
}
