//! The one place of the server that draws chance: secrets of sessions, masks and salts. Dice never come from here.

/// The system has no random source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random bytes: sessions cannot begin until it does")]
pub struct NoChance;

/// So many bytes that nobody can guess.
#[expect(
    clippy::disallowed_methods,
    reason = "secrets of requests are no part of any game: nothing replays them"
)]
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], NoChance> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| NoChance)?;
    Ok(bytes)
}
