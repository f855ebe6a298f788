//! What notices have to know of a game: whom its next events concern, what stands there, and letters in words. Rule code is
//! asked for that, so all of it are questions to a worker.

use std::sync::Arc;

use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, GameId, Moment, PlayerId};
use quorate_notices::concern::Concern;
use quorate_notices::dispatch::NoticeText;
use quorate_notices::kind::NoticeKind;
use quorate_notices::topic::NoticeTopic;
use quorate_runtime::fold;
use quorate_runtime::ports::{AccountId, JobSort};
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::inquiry::Inquiry;
use crate::app::state::AppState;
use crate::view::game::GameView;
use crate::view::notice_texts::{NoticeAsked, needs_event};
use crate::view::notices::{NowStanding, Standings};

/// Whom events concern, from behind one on, and what stands for some players.
#[derive(Serialize, Deserialize)]
pub(crate) struct NewsAsked {
    pub(super) game: GameId,
    pub(super) from: EventSeq,
    pub(super) events_max: usize,
    pub(super) players: Vec<PlayerId>,
}

/// Whom events concern.
#[derive(Serialize, Deserialize)]
pub(crate) struct GameNews {
    /// The newest event that there is.
    pub(super) head: EventSeq,
    pub(super) events: Vec<EventNews>,
    pub(super) standings: Standings,
    /// What stands, and when that may change by itself; none where there are more events.
    pub(super) now: Option<(Vec<NowStanding>, Option<Moment>)>,
}

/// Whom an event concerns.
#[derive(Serialize, Deserialize)]
pub(crate) struct EventNews {
    pub(super) seq: EventSeq,
    pub(super) at: Moment,
    pub(super) doer: Option<PlayerId>,
    pub(super) concerns: Vec<Concern>,
}

impl Inquiry for NewsAsked {
    type Answer = GameNews;
    const WORD: &'static str = "news";
    const SORT: JobSort = JobSort::Heavy;

    fn game(&self) -> &GameId {
        &self.game
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<GameNews, AppError> {
        let view = GameView::for_account(site, None, self.game.as_str()).await?;
        let head = view.head().seq;
        // What happened since the state was taken waits for the next look: it is told as the game stands then.
        let left = usize::try_from(head.0.saturating_sub(self.from.0)).unwrap_or(usize::MAX);
        let count = left.min(self.events_max);
        let mut events = Vec::new();
        if count > 0 {
            let (journal, seals) = (&*site.deps.journal, &*site.deps.seals);
            let from = self.from.next();
            events = fold::events_from(journal, seals, &self.game, from, count).await?;
        }
        let reading = tokio::task::spawn_blocking(move || GameNews {
            head,
            events: events.iter().map(|event| news(&view, event)).collect(),
            standings: view.standings(&self.players),
            now: (left <= count).then(|| view.now_standing(&self.players)),
        });
        Ok(reading.await?)
    }
}

fn news(view: &GameView, event: &Event) -> EventNews {
    EventNews {
        seq: event.seq,
        at: event.at,
        doer: event.command().actor.player(),
        concerns: view.concerns(event),
    }
}

/// Some letters about a game, in words for an account, or for strangers.
#[derive(Serialize, Deserialize)]
pub(crate) struct WordsAsked {
    pub(super) game: GameId,
    pub(super) account: Option<AccountId>,
    pub(super) letters: Vec<LetterAsked>,
    /// How addresses of the site begin.
    pub(super) base: String,
}

/// What a letter is about.
#[derive(Serialize, Deserialize)]
pub(crate) struct LetterAsked {
    pub(super) seq: EventSeq,
    pub(super) kind: NoticeKind,
    pub(super) topic: NoticeTopic,
}

/// The game's title, and each letter in words; none where there is nothing to tell any more.
pub(crate) type LettersInWords = (String, Vec<Option<NoticeText>>);

impl Inquiry for WordsAsked {
    type Answer = LettersInWords;
    const WORD: &'static str = "words";

    fn game(&self) -> &GameId {
        &self.game
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<LettersInWords, AppError> {
        let of_events = self.letters.iter().filter(|it| needs_event(it.kind));
        let mut seqs: Vec<EventSeq> = of_events.map(|it| it.seq).collect();
        seqs.dedup();
        let events = site.events(&self.game, &seqs).await?;
        let view = GameView::for_account(site, self.account, self.game.as_str()).await?;
        let wording = tokio::task::spawn_blocking(move || {
            let in_words = self.letters.iter().map(|letter| {
                let asked = NoticeAsked {
                    kind: letter.kind,
                    topic: &letter.topic,
                    event: events.iter().find(|event| event.seq == letter.seq),
                };
                view.notice(asked, &self.base)
            });
            (view.title(), in_words.collect())
        });
        Ok(wording.await?)
    }
}
