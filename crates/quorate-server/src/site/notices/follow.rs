//! Following and muting posts, people and rules.

use std::sync::Arc;

use axum::response::Response;
use quorate_kernel::GameId;
use quorate_notices::outbox::{Followed, Interest};
use quorate_runtime::ports::AccountId;
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::inquiry::Inquiry;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::state::AppState;
use crate::requests::forms::{SentIn, answer_in};
use crate::requests::send;
use crate::site::notices::reach::{failed, outbox};
use crate::ui::urls;
use crate::ui::urls::Href;
use crate::view::game::GameView;

/// The page of something that is followed.
pub(super) fn page_of(game: &str, what: &Followed) -> Href {
    match what {
        Followed::Post(id) => {
            let post = &id.to_string();
            urls::Post { game, post }.into()
        }
        Followed::Person(id) => {
            let player = &id.to_string();
            urls::Player { game, player }.into()
        }
        Followed::Rule(rule) => {
            let rule = rule.as_str();
            urls::RuleHistory { game, rule }.into()
        }
    }
}

/// How things are called that an account follows or mutes in a game.
#[derive(Serialize, Deserialize)]
pub(crate) struct FollowedAsked {
    pub(super) game: GameId,
    pub(super) account: AccountId,
    pub(super) what: Vec<String>,
}

impl Inquiry for FollowedAsked {
    /// None of what is gone, or no longer theirs to see.
    type Answer = Vec<Option<String>>;
    const WORD: &'static str = "followed";

    fn game(&self) -> &GameId {
        &self.game
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<Self::Answer, AppError> {
        let look = GameView::for_account(site, Some(self.account), self.game.as_str()).await?;
        let names = self
            .what
            .iter()
            .map(|what| look.followed(&what.parse().ok()?));
        Ok(names.collect())
    }
}

/// `POST /g/{game}/follow`.
pub async fn take(SentIn { look, form }: SentIn) -> Response {
    let result = taken(&look, &form).await;
    answer_in(&look, result)
}

async fn taken(look: &GameView, form: &Posted) -> Result<Response, AppError> {
    send::player(look)?;
    let account = look.visitor().id().ok_or(AppError::SignIn)?;
    let what = form.one("what").unwrap_or_default();
    let what: Followed = what.parse().map_err(|_| AppError::NotFound)?;
    let is_there = match &what {
        // Whoever may not see a post learns nothing of it here either.
        Followed::Post(id) => look.post(*id).is_some(),
        Followed::Person(id) => look.public().people.contains_key(id),
        Followed::Rule(rule) => look.public().rules.contains_key(rule),
    };
    if !is_there {
        return Err(AppError::NotFound);
    }
    let back = page_of(look.game().as_str(), &what);
    let (interest, done) = match form.one("do") {
        Some("follow") => (
            Some(Interest::Follows),
            "You follow it: you hear what is new of it.",
        ),
        Some("mute") => (
            Some(Interest::Mutes),
            "You muted it: you hear no more of it.",
        ),
        _ => (None, "You hear of it as of everything else."),
    };
    let taken = outbox(look.app())?.take_interest(account, look.game(), &what, interest);
    taken.await.map_err(failed)?;
    Ok(reply::see_with(&back, done))
}
