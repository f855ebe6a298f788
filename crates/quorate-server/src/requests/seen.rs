//! What a reader has seen of a game, noted after the page was made.

use std::sync::Arc;

use quorate_kernel::{EventSeq, GameId};
use quorate_runtime::ports::AccountId;

use crate::app::state::AppState;
use crate::view::game::{GameContext, GameView};

/// Who reads a game, for what is noted after the page was made.
pub(crate) struct SeenBy {
    site: Arc<AppState>,
    game: GameId,
    account: Option<AccountId>,
}

impl SeenBy {
    pub(crate) fn of(view: &GameView) -> Self {
        Self {
            site: Arc::clone(view.app()),
            game: view.game().clone(),
            account: view.visitor().id(),
        }
    }

    /// The same of a form that writes beside the log.
    pub(crate) fn beside(context: &GameContext) -> Self {
        Self {
            site: Arc::clone(context.app()),
            game: context.game().clone(),
            account: context.visitor().id(),
        }
    }

    /// Notes that something was seen up to an event. A mark that cannot be kept holds up no page: it is made again next time.
    pub(crate) async fn note(&self, word: &str, up_to: EventSeq) {
        let Some(account) = self.account else { return };
        let accounts = &self.site.deps.accounts;
        let noted = accounts.note_messages_read(account, &self.game, word, up_to);
        if let Err(error) = noted.await {
            tracing::warn!(%error, "what a reader has seen was not noted");
        }
    }
}
