//! How posts, people and rules are called that somebody follows, mutes or reports; asked of the law, which says who may see them.

use std::sync::Arc;

use quorate_kernel::GameId;
use quorate_notices::outbox::Followed;
use quorate_runtime::ports::AccountId;
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::inquiry::{Inquiry, ask};
use crate::app::state::AppState;
use crate::view::game::{GameContext, GameView};

/// How things are called that an account names in a game.
#[derive(Serialize, Deserialize)]
pub(crate) struct NamedAsked {
    pub(crate) game: GameId,
    pub(crate) account: AccountId,
    pub(crate) what: Vec<String>,
}

impl Inquiry for NamedAsked {
    /// None of what is gone, or not theirs to see.
    type Answer = Vec<Option<String>>;
    const WORD: &'static str = "named";

    fn game(&self) -> &GameId {
        &self.game
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<Self::Answer, AppError> {
        let view = GameView::for_account(site, Some(self.account), self.game.as_str()).await?;
        let names = self
            .what
            .iter()
            .map(|what| view.followed(&what.parse().ok()?));
        Ok(names.collect())
    }
}

/// Whether something is there that the reader may see. Whoever may not see a post learns nothing of it.
pub(crate) async fn is_there(context: &GameContext, what: &Followed) -> Result<bool, AppError> {
    let asked = NamedAsked {
        game: context.game().clone(),
        account: context.visitor().id().ok_or(AppError::SignIn)?,
        what: vec![what.to_string()],
    };
    let names = ask(context.app(), asked).await?;
    Ok(names.iter().any(Option::is_some))
}
