//! Work that falls into pieces, done on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

use anyhow::{Result, anyhow};

/// The stack of a thread that runs rule code, in bytes: as large as that of a program's first.
const STACK: usize = 8 << 20;

/// The numbers of the pieces that nobody has begun yet. Each thread takes from the same ones.
pub(crate) struct Pieces<'a> {
    next: &'a AtomicUsize,
    count: usize,
}

impl Iterator for Pieces<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let piece = self.next.fetch_add(1, Ordering::Relaxed);
        (piece < self.count).then_some(piece)
    }
}

/// As many threads as there are cores.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does `count` pieces of work on so many threads, and gives what came of each, in the pieces' order. Every thread runs
/// `work` once over the pieces that it can get, so that it may keep what it needs for all of them.
///
/// # Errors
/// Fails where `work` does, and where it panics.
pub(crate) fn share<T: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(Pieces<'_>) -> Result<Vec<(usize, T)>> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let work = || work(Pieces { next: &next, count });
    let mut done = std::thread::scope(|scope| -> Result<Vec<(usize, T)>> {
        let threads = 0..threads.clamp(1, count.max(1));
        let begun = threads.map(|_| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, work)
        });
        let begun: Vec<_> = begun.collect::<Result<_, _>>()?;
        // All are waited for before any of them is judged, for a scope panics over a thread that nobody asked.
        let ended: Vec<_> = begun.into_iter().map(ScopedJoinHandle::join).collect();
        let mut done = Vec::with_capacity(count);
        for worked in ended {
            done.extend(worked.map_err(|_| anyhow!("a thread ended too early: see above"))??);
        }
        Ok(done)
    })?;
    done.sort_by_key(|(piece, _)| *piece);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_pieces_is_in_their_order() {
        let squares = share(3, 40, |pieces| {
            Ok(pieces.map(|piece| (piece, piece * piece)).collect())
        });
        let wanted: Vec<usize> = (0..40).map(|piece| piece * piece).collect();
        assert_eq!(squares.unwrap(), wanted);
    }

    #[test]
    fn a_thread_that_panics_is_an_error() {
        let failed = share::<()>(2, 4, |_| panic!("a piece that cannot be done"));
        assert!(failed.is_err());
    }
}
