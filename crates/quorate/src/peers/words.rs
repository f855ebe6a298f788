//! What nodes ask each other, as it goes over the wire.

use quorate_kernel::GameId;
use quorate_kernel::Moment;
use quorate_kernel::command::Command;
use quorate_kernel::digest::Digest;
use quorate_runtime::ports::{PeerAnswer, PeerAsk, PeerError};
use quorate_runtime::wire::{WireAnswer, WireRecord};
use quorate_runtime::wire_error::WireError;
use serde::{Deserialize, Serialize};

/// A question.
#[derive(Serialize, Deserialize)]
pub(super) struct PeerAsked {
    pub(super) id: u64,
    game: GameId,
    ask: AskedWord,
}

#[derive(Serialize, Deserialize)]
enum AskedWord {
    /// A command, of which the moment does not count.
    Command(WireRecord),
    Forget(Vec<Digest>),
}

/// An answer.
#[derive(Serialize, Deserialize)]
pub(super) struct Replied {
    pub(super) id: u64,
    reply: RepliedWord,
}

#[derive(Serialize, Deserialize)]
enum RepliedWord {
    Command(WireAnswer),
    Forgotten(u64),
    NotOwner,
    Gone(String),
    Failed(WireError),
}

impl PeerAsked {
    pub(super) fn new(id: u64, game: &GameId, ask: PeerAsk) -> Self {
        let ask = match ask {
            PeerAsk::Command { actor, key, act } => {
                let at = Moment(0);
                AskedWord::Command(WireRecord::of_command(&Command {
                    at,
                    actor,
                    key,
                    act,
                }))
            }
            PeerAsk::Forget(digests) => AskedWord::Forget(digests),
        };
        let game = game.clone();
        Self { id, game, ask }
    }

    /// What was asked.
    pub(super) fn read(self) -> Result<(GameId, PeerAsk), String> {
        let ask = match self.ask {
            AskedWord::Command(record) => {
                let Command {
                    actor, key, act, ..
                } = record.command().map_err(|e| e.to_string())?;
                PeerAsk::Command { actor, key, act }
            }
            AskedWord::Forget(digests) => PeerAsk::Forget(digests),
        };
        Ok((self.game, ask))
    }
}

impl Replied {
    pub(super) fn new(id: u64, answer: Result<PeerAnswer, PeerError>) -> Self {
        let reply = match answer {
            Ok(PeerAnswer::Command(answer)) => RepliedWord::Command(WireAnswer::of(&answer)),
            Ok(PeerAnswer::Forgotten(count)) => RepliedWord::Forgotten(count as u64),
            Err(PeerError::NotOwner) => RepliedWord::NotOwner,
            Err(PeerError::Gone(why)) => RepliedWord::Gone(why),
            Err(PeerError::Operating(error)) => RepliedWord::Failed(error.into()),
        };
        Self { id, reply }
    }

    /// What was answered.
    pub(super) fn answer(self) -> Result<PeerAnswer, PeerError> {
        match self.reply {
            RepliedWord::Command(answer) => {
                let answer = answer.answer();
                let answer = answer.map_err(|e| PeerError::Gone(e.to_string()))?;
                Ok(PeerAnswer::Command(answer))
            }
            RepliedWord::Forgotten(count) => Ok(PeerAnswer::Forgotten(
                usize::try_from(count).unwrap_or(usize::MAX),
            )),
            RepliedWord::NotOwner => Err(PeerError::NotOwner),
            RepliedWord::Gone(why) => Err(PeerError::Gone(why)),
            RepliedWord::Failed(error) => Err(PeerError::Operating(error.into())),
        }
    }
}
