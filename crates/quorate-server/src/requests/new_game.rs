//! Creating a game of a rulebook, for pages and programs alike.

use std::sync::Arc;

use quorate_kernel::command::Actor;
use quorate_kernel::ids::Id;
use quorate_kernel::{EventSeq, GameId, Name, PlayerId};
use quorate_runtime::Answer;
use quorate_runtime::ports::Seat;

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::send;

/// A game that somebody wants to found.
pub(crate) struct FoundingRequest<'a> {
    /// The rulebook's code name.
    pub rulebook: &'a str,
    /// The game's title; the rulebook's, if none is given.
    pub title: Option<&'a str>,
    /// The founder's name in it.
    pub name: &'a str,
    /// The founder's own word for this.
    pub key: Option<&'a str>,
}

/// The player that a founder plays: the first thing that the first event makes.
pub(crate) fn first_player() -> PlayerId {
    PlayerId(Id::new(EventSeq(1), 0))
}

/// Founds a game for somebody who is signed in. The same key again gives the same game.
pub(crate) async fn found_game(
    site: &Arc<AppState>,
    visitor: &Visitor,
    request: &FoundingRequest<'_>,
) -> Result<GameId, AppError> {
    let account = visitor.id().ok_or(AppError::SignIn)?;
    visitor.grant.check_founding()?;
    send::count_write(site, visitor).await?;
    let mut books = site.deps.books.iter();
    let book = books.find(|book| book.name == request.rulebook);
    let book = book.ok_or_else(|| AppError::Form("Choose one of the rulebooks.".to_owned()))?;
    let title = request.title.unwrap_or(&book.manifest.title);
    let founding = book
        .founding(title, request.name)
        .map_err(|error| AppError::Form(error.to_string()))?;
    // All founders act as the server, so that a key must tell whose it is.
    let word = request.key.unwrap_or(&visitor.words.word);
    let key = account.own_key(word);
    let game = free_word(site, title, &key).await?;
    let answer = site
        .deps
        .games
        .found(&game, Actor::Operator, key, founding)
        .await?;
    if let Answer::Refused(refusal) = answer {
        return Err(AppError::Form(format!("The founding {refusal}.")));
    }
    let seat = Seat {
        game: game.clone(),
        player: first_player(),
        account,
    };
    let seated = site.deps.accounts.seat(account, &game).await?;
    if seated != Some(seat.player) {
        site.deps.accounts.take_seat(&seat).await?;
    }
    Ok(game)
}

/// A word for addresses, made of the title, that no other game has: none but the one that was founded under this key.
async fn free_word(site: &AppState, title: &str, key: &Name) -> Result<GameId, AppError> {
    let mut stem = String::new();
    for letter in title.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            stem.push(letter);
        } else if !stem.is_empty() && !stem.ends_with('-') {
            stem.push('-');
        }
    }
    let stem: String = stem.trim_end_matches('-').chars().take(40).collect();
    let stem = if stem.is_empty() {
        "game".to_owned()
    } else {
        stem
    };
    let games = &site.deps.games;
    let there = games.list().await?.into_iter().map(|row| row.game);
    let removed = games.removed().await?.into_iter().map(|(game, _)| game);
    let taken: Vec<GameId> = there.chain(removed).collect();
    let words = std::iter::once(stem.clone()).chain((2..).map(|n| format!("{stem}-{n}")));
    for word in words.take(10_000) {
        let game: GameId = word
            .parse()
            .map_err(|_| AppError::Form("Give the game a name of letters.".to_owned()))?;
        let is_taken = taken.contains(&game);
        if !is_taken || is_of_key(site, &game, key).await? {
            return Ok(game);
        }
    }
    Err(AppError::Form(
        "Every address of that name is taken.".to_owned(),
    ))
}

/// Whether a game was founded under a key.
async fn is_of_key(site: &AppState, game: &GameId, key: &Name) -> Result<bool, AppError> {
    let games = &site.deps.games;
    let receipt = games.receipt(game, Actor::Operator, key).await?;
    Ok(receipt.is_some_and(|receipt| receipt.seq == EventSeq(1)))
}
