//! Words that can be taken out of a game for good: whose they are, and whether a matter still pends on them.

use std::collections::BTreeSet;

use quorate_kernel::command::Act;
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::rows::Standing;
use quorate_kernel::sealing::SealMut;
use quorate_kernel::state::State as Game;
use quorate_kernel::{GameId, PlayerId, Value};
use quorate_runtime::OperatingError;

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::ui::markup::{UPLOAD_WORD, UPLOADED, uploaded};
use crate::view::game::GameContext;

pub(crate) fn sender(event: &Event) -> Option<PlayerId> {
    event.command().actor.player()
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

/// The words of pictures that the texts of an event name.
pub(crate) fn pictures_named(event: &Event) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    event.act.clone().each_seal(&mut |seal| {
        if let SealMut::Text(text) = seal {
            let after = text.as_str().match_indices(UPLOADED);
            let words = after.filter_map(|(at, _)| {
                let end = at + UPLOADED.len() + UPLOAD_WORD;
                uploaded(text.as_str().get(at..end)?).map(str::to_owned)
            });
            found.extend(words);
        }
    });
    found
}

impl GameContext {
    /// Whether an event wrote something for a matter whose status may still change.
    pub(crate) fn pends(&self, event: &Event) -> bool {
        pends(&self.published.state, event)
    }
}

/// The texts that a player wrote in a game, but for those of matters that still pend; their name with them if wished and
/// they have left.
pub(crate) async fn written_by(
    site: &AppState,
    game: &GameId,
    player: PlayerId,
    names_too: bool,
) -> Result<Vec<Digest>, AppError> {
    let published = match site.deps.games.snapshot(game).await {
        // In a game that was removed no matter pends.
        Err(OperatingError::NoGame(_)) => {
            let log = site.whole_log(game).await?;
            let own = log.iter().filter(|event| sender(event) == Some(player));
            return Ok(own.flat_map(texts).collect());
        }
        published => published?,
    };
    let state = &published.state;
    let has_left = state
        .people
        .get(&player)
        .is_some_and(|person| matches!(person.standing, Standing::Left | Standing::Barred));
    let mut digests = BTreeSet::new();
    for event in site.whole_log(game).await? {
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
    Ok(digests.into_iter().collect())
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
