//! Out of the store, line by line.

use std::io::Write;

use quorate_kernel::GameId;
use quorate_kernel::digest::Digest;
use quorate_kernel::seal::SealBytes;

use super::lines::{ArchiveHeading, ArchiveLine, Bytes, FORM};
use crate::error::OperatingError;
use crate::fold::Chain;
use crate::judge::Head;
use crate::ports::{Journal, Seals, ServerSecret};
use crate::verify::VerifyProgress;
use crate::walk::{LogChunk, Walk};

/// What goes out beside the open log.
#[derive(Clone, Copy)]
pub enum ArchivedSeals<'a> {
    /// Nothing: the log verifies, and no word that anybody typed is in it.
    Nothing,
    /// The seals that the function admits: what everybody may see, for a public archive.
    Chosen(&'a (dyn Fn(Digest) -> bool + Sync)),
    /// Everything, and the secret that the dice follow from, for a backup or a move to another server.
    Everything(&'a ServerSecret),
}

/// Why a log was not written out.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The game could not be read.
    #[error(transparent)]
    Game(#[from] OperatingError),
    /// The archive could not be written.
    #[error("the archive cannot be written ({0}): check the disk and the rights there")]
    Write(#[from] std::io::Error),
}

/// Writes a game's log out. The chain is checked on the way. Writing happens on the calling task's thread.
pub async fn export(
    journal: &dyn Journal,
    seals: &dyn Seals,
    game: &GameId,
    beside: ArchivedSeals<'_>,
    out: &mut (dyn Write + Send),
    progress: &mut (dyn FnMut(VerifyProgress) + Send),
) -> Result<Head, ExportError> {
    let row = journal.game(game).await.map_err(OperatingError::from)?;
    let row = row.ok_or_else(|| OperatingError::NoGame(game.clone()))?;
    let end = row.head;
    let secret = match beside {
        ArchivedSeals::Everything(server) => {
            Some(row.secret.unwrap_or_else(|| server.of_game(game)))
        }
        ArchivedSeals::Nothing | ArchivedSeals::Chosen(_) => None,
    };
    let heading = ArchiveHeading {
        quorate_log: FORM,
        game: game.to_string(),
        event_count: end.seq.0,
        head: end.hash.to_string(),
        secret: secret.map(|secret| Bytes(secret.to_vec())),
    };
    write_line(out, &heading)?;
    let walk = Walk {
        journal,
        seals: (!matches!(beside, ArchivedSeals::Nothing)).then_some(seals),
        game,
        to: end.seq,
    };
    let mut chain = Chain::after(Head::START);
    while chain.head().seq < end.seq {
        let chunk = walk.read(chain.head().seq).await?;
        write_chunk(out, &mut chain, &chunk, beside, game)?;
        progress(VerifyProgress {
            done: chain.head().seq,
            of: end.seq,
        });
    }
    out.flush()?;
    Ok(chain.head())
}

fn write_chunk(
    out: &mut (dyn Write + Send),
    chain: &mut Chain,
    chunk: &LogChunk,
    beside: ArchivedSeals<'_>,
    game: &GameId,
) -> Result<(), ExportError> {
    if chunk.opens.is_empty() {
        let seq = chain.head().seq.next();
        let gap = crate::ports::StoreError::Gap {
            game: game.clone(),
            seq,
        };
        return Err(OperatingError::from(gap).into());
    }
    for open in &chunk.opens {
        let mut event = chain
            .follow(open)
            .map_err(|fault| OperatingError::Damaged {
                game: game.clone(),
                fault,
            })?;
        let mut own: Vec<SealBytes> = Vec::new();
        event.each_seal(&mut |seal| {
            let digest = seal.digest();
            let known = own.iter().any(|seal| seal.digest == digest);
            if !known && admits(beside, digest) {
                own.extend(chunk.seals.get(&digest).cloned());
            }
        });
        write_line(out, &ArchiveLine::new(&event, open.clone(), own))?;
    }
    Ok(())
}

fn admits(beside: ArchivedSeals<'_>, digest: Digest) -> bool {
    match beside {
        ArchivedSeals::Nothing => false,
        ArchivedSeals::Chosen(choose) => choose(digest),
        ArchivedSeals::Everything(_) => true,
    }
}

fn write_line(out: &mut (dyn Write + Send), line: &impl serde::Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    out.write_all(&text)
}
