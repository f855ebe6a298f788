//! Keeping the index of words up with a game's log. Rule code is asked for what events are called, so it is a question to a
//! worker.

use std::sync::Arc;

use quorate_engine::view::View;
use quorate_kernel::audience::Reader;
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::sealing::SealMut;
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, GameId};
use quorate_runtime::fold;
use quorate_runtime::ports::{GameRow, IndexPoint, JobSort, SearchKey, SearchPart, SearchText};
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::inquiry::{Inquiry, ask};
use crate::app::state::AppState;
use crate::view::game::GameView;
use crate::view::search::{EVENTS, FORM, Findable, findable_event, kept};

/// Which texts of the tables an event may have changed.
fn touched(event: &Event) -> impl Iterator<Item = SearchKey> + '_ {
    event.steps.iter().filter_map(|step| match &step.effect {
        Effect::Post { key, old, new } => {
            let is_same = old.as_ref().zip(new.as_ref()).is_some_and(|(old, new)| {
                (&old.title, &old.body, &old.flavour) == (&new.title, &new.body, &new.flavour)
                    && (&old.category, &old.author, old.at) == (&new.category, &new.author, new.at)
            });
            (!is_same).then_some(SearchKey::Post(*key))
        }
        Effect::Comment { key, .. } => Some(SearchKey::Comment(key.post, key.id)),
        Effect::Rule { key, old, new } => {
            let is_same = old.as_ref().zip(new.as_ref()).is_some_and(|(old, new)| {
                (&old.title, &old.text, &old.section) == (&new.title, &new.text, &new.section)
            });
            (!is_same).then(|| SearchKey::Rule(key.clone()))
        }
        Effect::Person { key, old, new } => {
            let is_same = old
                .as_ref()
                .zip(new.as_ref())
                .is_some_and(|(old, new)| old.name == new.name);
            (!is_same).then_some(SearchKey::Person(*key))
        }
        _ => None,
    })
}

/// Whether the index has something to take in of a game. The game is not woken for that.
///
/// # Errors
/// Fails where the index cannot be read.
pub(crate) async fn is_behind(site: &AppState, game: &GameRow) -> Result<bool, AppError> {
    let failed = quorate_runtime::OperatingError::from;
    let index = &site.deps.search;
    let point = index.index_point(&game.game).await.map_err(failed)?;
    if point.is_none_or(|point| point.form != FORM || point.seq < game.head.seq) {
        return Ok(true);
    }
    let waiting = index.index_waiting(&game.game).await.map_err(failed)?;
    Ok(!waiting.is_empty())
}

/// Keeps the index of one game up with its log; false where there was nothing to do.
///
/// # Errors
/// Fails where the log or the index cannot be read.
pub(crate) async fn index_on(site: &Arc<AppState>, game: &GameId) -> Result<bool, AppError> {
    let failed = quorate_runtime::OperatingError::from;
    let index = &site.deps.search;
    let mut from = index.index_point(game).await.map_err(failed)?;
    if from.is_some_and(|point| point.form != FORM) {
        index.clear_index(Some(game)).await.map_err(failed)?;
        from = None;
    }
    let waiting = index.index_waiting(game).await.map_err(failed)?;
    let asked = IndexAsked {
        game: game.clone(),
        from,
        waiting,
    };
    let Some((to, texts)) = ask(site, asked).await? else {
        return Ok(false);
    };
    let newest = site.deps.games.newest(game).await?;
    if to.form != FORM || to.seq > newest || from.is_some_and(|from| to.seq < from.seq) {
        let why = "what a worker made for the index is of another place in the log";
        return Err(AppError::Broken(why.to_owned()));
    }
    if texts.is_empty() && Some(to) == from {
        return Ok(false);
    }
    let is_new = Some(to) != from;
    let taken = index.take_into_index(game, from, to, &texts).await;
    // Where another node was quicker, there may be more to do after it.
    Ok(!taken.map_err(failed)? || is_new)
}

/// What the index is to take in of a game, which it has followed up to a point, and texts that wait for it.
#[derive(Serialize, Deserialize)]
pub(crate) struct IndexAsked {
    game: GameId,
    from: Option<IndexPoint>,
    waiting: Vec<SearchKey>,
}

/// How far the index then is, and its texts; none for one that is gone.
type IndexChanges = (IndexPoint, Vec<(SearchKey, Option<SearchText>)>);

impl Inquiry for IndexAsked {
    /// None where another node is ahead, and what this one knows is old.
    type Answer = Option<IndexChanges>;
    const WORD: &'static str = "index";
    const SORT: JobSort = JobSort::Heavy;

    fn game(&self) -> &GameId {
        &self.game
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<Option<IndexChanges>, AppError> {
        let Self {
            game,
            from,
            waiting,
        } = self;
        let first = from.map_or(EventSeq(1), |point| point.seq.next());
        // The state is that of now, and no later event may be taken for one that is in it.
        let view = GameView::for_account(site, None, game.as_str()).await?;
        let head = view.published.head.seq;
        if from.is_some_and(|point| point.seq > head) {
            return Ok(None);
        }
        let behind = (head.0 + 1).saturating_sub(first.0);
        let count = usize::try_from(behind).unwrap_or(usize::MAX).min(EVENTS);
        let (journal, seals) = (&*site.deps.journal, &*site.deps.seals);
        let (mut events, mut again) = (Vec::new(), Vec::new());
        if count > 0 {
            events = fold::events_from(journal, seals, &game, first, count).await?;
        }
        let of_log = waiting.iter().filter_map(|key| match key {
            SearchKey::Event(seq) => Some(*seq),
            _ => None,
        });
        let of_log: Vec<EventSeq> = of_log.collect();
        if !of_log.is_empty() {
            again = fold::events_of(journal, seals, &game, &of_log).await?;
        }
        let making = move || changes(&view, from, &waiting, &again, &events);
        Ok(Some(tokio::task::spawn_blocking(making).await?))
    }
}

/// What the index takes in, and how far it then is.
fn changes(
    view: &GameView,
    from: Option<IndexPoint>,
    waiting: &[SearchKey],
    again: &[Event],
    events: &[Event],
) -> IndexChanges {
    let state = view.state();
    let words = state
        .terms
        .iter()
        .flat_map(|(name, term)| [name.as_str(), &term.one, &term.many].map(str::as_bytes));
    let terms = Digest::of_parts(words.collect::<Vec<_>>());
    let last = events.last().map(|event| event.seq);
    let to = IndexPoint {
        seq: last.or(from.map(|point| point.seq)).unwrap_or_default(),
        form: FORM,
        terms,
    };
    let mut keys: Vec<SearchKey> = waiting.to_vec();
    keys.extend(events.iter().flat_map(touched));
    if from.is_some_and(|point| point.terms != terms) {
        // The theme has other words: so have the texts that name it.
        let has = |text: &str| text.contains('{');
        let posts = state.posts.iter();
        let posts = posts.filter(|(_, post)| has(post.title.as_str()) || has(post.body.as_str()));
        keys.extend(posts.map(|(id, _)| SearchKey::Post(*id)));
        let comments = state.comments.iter();
        let comments = comments.filter(|(_, comment)| has(comment.text.as_str()));
        keys.extend(comments.map(|(key, _)| SearchKey::Comment(key.post, key.id)));
        keys.extend(state.rules.keys().cloned().map(SearchKey::Rule));
    }
    keys.sort_unstable();
    keys.dedup();
    // Whatever anybody may see is in the index. Each reader's own sight is asked when it is read.
    let whole = View {
        state,
        law: &view.law,
        reader: Reader::Law,
    };
    let mut texts: Vec<(SearchKey, Option<SearchText>)> = keys
        .into_iter()
        .filter(|key| key.part() != SearchPart::Events)
        .map(|key| {
            let kept = kept(view, &whole, &key);
            let text = kept.map(|(findable, seals)| findable.indexed(seals));
            (key, text)
        })
        .collect();
    // Of events no more is found than what everybody may know.
    for event in again.iter().chain(events) {
        let text = findable_event(view, event).map(|mut findable| {
            findable.by = event.command().actor.player();
            findable.indexed(typed_in(event))
        });
        if text.is_some() || again.contains(event) {
            texts.push((SearchKey::Event(event.seq), text));
        }
    }
    (to, texts)
}

/// The seals of what was typed in an event and is still at hand.
fn typed_in(event: &Event) -> Vec<Digest> {
    let mut seals = Vec::new();
    event.clone().act.each_seal(&mut |seal| {
        if let SealMut::Text(text) = seal {
            seals.extend(text.plain().map(|_| text.digest()));
        }
    });
    seals
}

impl Findable {
    fn indexed(self, seals: Vec<Digest>) -> SearchText {
        SearchText {
            category: self.category,
            by: self.by,
            at: self.at,
            title: self.title,
            text: self.text,
            seals,
        }
    }
}
