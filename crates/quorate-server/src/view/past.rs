//! Looking back: the same game and reader at an earlier moment.

use std::sync::Arc;

use quorate_kernel::{EventSeq, Moment};
use quorate_runtime::fold;

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::view::game::GameView;

impl GameView {
    /// A game as it was after an event, or at the end of a day (`2027-05-14`), or now where nothing is asked.
    pub async fn then(
        site: &Arc<AppState>,
        visitor: &Visitor,
        game: &str,
        asked: Option<&str>,
    ) -> Result<Self, AppError> {
        let now = Self::at(site, visitor, game).await?;
        let Some(asked) = asked.map(str::trim).filter(|asked| !asked.is_empty()) else {
            return Ok(now);
        };
        let seq = match asked.parse() {
            Ok(seq) => EventSeq(seq),
            Err(_) => now.last_event_of(asked).await?,
        };
        if seq.0 == 0 || seq >= now.published.head.seq {
            return Ok(now);
        }
        let (journal, seals) = (&*site.deps.journal, &*site.deps.seals);
        let (state, head) = fold::state_at(journal, seals, &now.game, seq).await?;
        let laws = Arc::clone(&site.deps.laws);
        let of = state.clone();
        let law = tokio::task::spawn_blocking(move || laws.law(&of)).await?;
        Ok(now.over(state, law, head.at))
    }

    /// The last event before the end of a day, found by halving the log.
    async fn last_event_of(&self, day: &str) -> Result<EventSeq, AppError> {
        let begin: Moment = format!("{day}T00:00:00Z").parse().map_err(|_| {
            AppError::Form("Give a day as 2027-05-14, or an event's number.".to_owned())
        })?;
        let end = begin + quorate_kernel::Span::days(1);
        let (mut low, mut high) = (1, self.published.head.seq.0);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.event_moment(EventSeq(middle)).await? < end {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Ok(EventSeq(low))
    }

    /// When an event happened, by the log.
    pub async fn event_moment(&self, seq: EventSeq) -> Result<Moment, AppError> {
        let journal = &self.site.deps.journal;
        let opens = journal
            .events(&self.game, seq, 1)
            .await
            .map_err(quorate_runtime::OperatingError::from)?;
        let open = opens.first().ok_or(AppError::NotFound)?;
        let event = quorate_kernel::record::decode(open)
            .map_err(|error| AppError::Broken(error.to_string()))?;
        Ok(event.at)
    }
}
