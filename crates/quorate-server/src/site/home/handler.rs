//! All games of this server.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use quorate_kernel::GameId;
use quorate_runtime::ports::AccountId;
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::inquiry::{Inquiry, ask};
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::site::home::page::{GameCard, Home};
use crate::ui::{Link, plural, urls};
use crate::view::game::GameView;
use crate::view::needs;

/// `GET /`.
pub async fn show(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    match home(&site, &visitor).await {
        Ok(home) => reply::page(&site, &visitor, StatusCode::OK, &home),
        Err(error) => reply::failed(&site, &visitor, None, error),
    }
}

async fn home(site: &Arc<AppState>, visitor: &Visitor) -> Result<Home, AppError> {
    let mut games = Vec::new();
    for row in site.deps.games.list().await? {
        let asked = CardAsked {
            game: row.game.clone(),
            account: visitor.id(),
        };
        let card = ask(site, asked).await;
        let card = card.unwrap_or_else(|error| closed(&row.game, &error));
        games.push(card);
    }
    games.sort_by_key(|card: &GameCard| (std::cmp::Reverse(card.waiting), !card.is_joined));
    let is_in = visitor.account.is_some();
    Ok(Home {
        chrome: reply::chrome(site, visitor, "Games"),
        welcome: site.deps.config.welcome.clone(),
        games,
        found: is_in.then(|| Link::new("Found a game", urls::Found)),
        panel: visitor
            .is_operator()
            .then(|| Link::new("Operator’s panel", urls::Operator)),
        // Whoever is new here has no account yet.
        ways_in: if is_in {
            Vec::new()
        } else {
            visitor.ways_in().into_iter().rev().collect()
        },
    })
}

/// A game in the list, as an account or a stranger sees it.
#[derive(Serialize, Deserialize)]
pub(crate) struct CardAsked {
    game: GameId,
    account: Option<AccountId>,
}

impl Inquiry for CardAsked {
    type Answer = GameCard;
    const WORD: &'static str = "card";
    const IS_KEPT: bool = true;

    fn game(&self) -> &GameId {
        &self.game
    }

    fn account(&self) -> Option<AccountId> {
        self.account
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<GameCard, AppError> {
        let view = GameView::for_account(site, self.account, self.game.as_str()).await?;
        Ok(tokio::task::spawn_blocking(move || card(&view)).await?)
    }
}

/// What stands for a game that cannot be read: one that is broken does not take the others along.
fn closed(game: &GameId, error: &AppError) -> GameCard {
    tracing::error!(%game, error = %error.what(), "a game cannot be opened");
    GameCard {
        name: game.to_string(),
        game: game.to_string(),
        about: "It cannot be opened as things stand; who runs the server sees why on the operator’s panel."
            .to_owned(),
        dynasty: String::new(),
        players: String::new(),
        doing: String::new(),
        waiting: 0,
        is_joined: false,
    }
}

fn card(view: &GameView) -> GameCard {
    let (active, idle) = view.roster();
    let open = view.open_posts();
    let open = open.filter(|(_, post)| view.is_matter(post)).count();
    let last = view.posts().map(|(_, row)| row).map(|post| post.at).max();
    let last = last.map(|at| crate::ui::age((view.now() - at).0));
    let about = view
        .public()
        .about
        .get(&())
        .map(|about| about.rulebook.clone());
    let book = view
        .app()
        .deps
        .books
        .iter()
        .find(|book| Some(&book.name) == about.as_ref());
    GameCard {
        name: view.title(),
        game: view.game().to_string(),
        about: book
            .map(|book| book.manifest.about.clone())
            .unwrap_or_default(),
        dynasty: view.dynasty_line(),
        players: format!(
            "{}, {} idle",
            plural(active.len(), "player", "players"),
            idle.len()
        ),
        doing: match last {
            Some(last) => format!(
                "{} open, last post {last}",
                plural(open, "matter", "matters")
            ),
            None => "no posts yet".to_owned(),
        },
        waiting: if view.me().is_some() {
            needs::needs(view).lines.len()
        } else {
            0
        },
        is_joined: view.me().is_some(),
    }
}
