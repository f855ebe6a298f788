//! Games that servers are measured with: some players and a proposal.

use quorate_engine::rulebook::Rulebook;
use quorate_kernel::command::Actor;
use quorate_kernel::{EventSeq, GameId, Id, PlayerId};
use quorate_runtime::{Answer, Games};

use crate::people::{admits, applies, founder, posts};

/// The rulebook that is played.
pub(crate) const BOOK: &str = "adventurers-2019";

/// How many players there are.
pub(crate) const PLAYERS: u64 = 6;

/// The word of a game, and of the token of its founder.
pub(crate) fn town(nth: usize) -> String {
    format!("town-{nth}")
}

/// Founds a game.
pub(crate) async fn found(games: &Games, book: &Rulebook, nth: usize) {
    let game: GameId = town(nth).parse().unwrap();
    let founding = book.founding("A town", "Player 0").unwrap();
    let founded = games.found(&game, Actor::Operator, "found".into(), founding);
    assert!(matches!(founded.await, Ok(Answer::Kept(_))));
}

/// Lets the players of a game join, and gives the number of its proposal, which is the same in all games.
pub(crate) async fn settle(games: &Games, nth: usize) -> EventSeq {
    let game: GameId = town(nth).parse().unwrap();
    let send = async |key: String, actor, act| {
        let sent = games.send(&game, actor, key.into(), act).await;
        let Ok(Answer::Kept(receipt)) = sent else {
            panic!("{sent:?}");
        };
        receipt.seq
    };
    let by = Actor::Player(founder());
    for player in 1..PLAYERS {
        let name = format!("Player {player}");
        let seq = send(format!("apply {player}"), Actor::Newcomer, applies(&name)).await;
        let new = PlayerId(Id::new(seq, 0));
        send(format!("admit {player}"), by, admits(new)).await;
    }
    send("post".to_owned(), by, posts("Proposal")).await
}
