//! Events of games in which nothing has happened for long. Their bytes lie in files beside the store, and in the place of
//! each stands a note.
//!
//! A file never changes, for its name says which events are in it and a log only grows. So several nodes may put the same
//! game away at once, and a game that goes on afterwards leaves what lies there as it is.

use std::sync::{Arc, Mutex, PoisonError};

use quorate_kernel::{EventSeq, GameId};

use crate::error::OperatingError;
use crate::fold;
use crate::ports::{Archives, GameRow, Objects, Seals, StoreError};

/// How many events lie in a file at most.
const EVENTS_AT_ONCE: u64 = 1_000;

/// A note is the number of the last event in the file. No event is that short.
pub const NOTE_BYTES: usize = 8;

/// How many games at rest a store gives at a time.
pub const RESTING_AT_ONCE: i64 = 100;

/// Which events lie in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct EventFile {
    first: u64,
    last: u64,
}

impl EventFile {
    /// The one of an event, whose note is that last number.
    fn with(seq: u64, last: u64) -> Self {
        let first = seq - (seq - 1) % EVENTS_AT_ONCE;
        Self { first, last }
    }

    fn name(self, game: &GameId) -> String {
        format!("events/{game}/{:010}-{:010}", self.first, self.last)
    }

    fn count(self) -> usize {
        usize::try_from(self.last + 1 - self.first).unwrap_or(0)
    }
}

/// What lies in a file.
type Events = Arc<Vec<Vec<u8>>>;

/// Old events, read from their files.
pub struct OldEvents {
    objects: Arc<dyn Objects>,
    /// The file that was read last, for a log is read in order.
    last_read: Mutex<Option<(String, Events)>>,
}

impl OldEvents {
    /// Those in that place.
    pub fn new(objects: Arc<dyn Objects>) -> Self {
        Self {
            objects,
            last_read: Mutex::default(),
        }
    }

    async fn file(&self, game: &GameId, file: EventFile) -> Result<Events, StoreError> {
        let name = file.name(game);
        if let Some((read, events)) = &*self.last_read()
            && *read == name
        {
            return Ok(Arc::clone(events));
        }
        let bytes = self.objects.get(&name).await?;
        let events = bytes.and_then(|bytes| unpacked(&bytes));
        let events = events.filter(|events| events.len() == file.count());
        let events = Arc::new(events.ok_or_else(|| StoreError::ObjectLost {
            name: name.as_str().into(),
        })?);
        *self.last_read() = Some((name, Arc::clone(&events)));
        Ok(events)
    }

    fn last_read(&self) -> std::sync::MutexGuard<'_, Option<(String, Events)>> {
        self.last_read
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Events as a store keeps them, the first being number `from`, with those that lie in files put in the place of their notes.
pub async fn filled(
    old: Option<&OldEvents>,
    game: &GameId,
    from: EventSeq,
    mut opens: Vec<Vec<u8>>,
) -> Result<Vec<Vec<u8>>, StoreError> {
    for (seq, open) in (from.0..).zip(&mut opens) {
        let Ok(note) = <[u8; NOTE_BYTES]>::try_from(open.as_slice()) else {
            continue;
        };
        let old = old.ok_or_else(|| StoreError::Elsewhere { game: game.clone() })?;
        let file = EventFile::with(seq, u64::from_be_bytes(note));
        let events = old.file(game, file).await?;
        let nth = usize::try_from(seq - file.first).ok();
        let event = nth.and_then(|nth| events.get(nth));
        let event = event.ok_or_else(|| StoreError::Gap {
            game: game.clone(),
            seq: EventSeq(seq),
        })?;
        open.clone_from(event);
    }
    Ok(opens)
}

/// Puts the events of a game into files, up to the end of its log, and drops them from the store. Each file is read back
/// before. A snapshot stays, so that the game can be opened without them.
pub async fn put_away(
    store: &dyn Archives,
    seals: &dyn Seals,
    objects: &dyn Objects,
    row: &GameRow,
) -> Result<(), OperatingError> {
    let (game, end) = (&row.game, row.head.seq.0);
    let opened = fold::open(store, seals, game).await?;
    if opened.snapshot < opened.row.head.seq {
        let snapshot = fold::snapshot_of(&opened.state, opened.row.head);
        store.put_snapshot(game, &snapshot).await?;
    }
    let mut first = 1;
    while first <= end {
        let file = EventFile {
            first,
            last: end.min(first + EVENTS_AT_ONCE - 1),
        };
        let events = store.events(game, EventSeq(first), file.count()).await?;
        if events.len() != file.count() {
            let (game, seq) = (game.clone(), EventSeq(first + events.len() as u64));
            return Err(StoreError::Gap { game, seq }.into());
        }
        let (name, bytes) = (file.name(game), packed(&events));
        objects.put(&name, bytes.clone()).await?;
        if objects.get(&name).await? != Some(bytes) {
            let name = name.as_str().into();
            return Err(StoreError::ObjectLost { name }.into());
        }
        let range = (EventSeq(first), EventSeq(file.last));
        let note = file.last.to_be_bytes();
        store.leave_notes(game, range, &note).await?;
        first = file.last + 1;
    }
    Ok(())
}

/// Events as a file: of each its length, in four bytes, and its bytes.
fn packed(events: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for event in events {
        let length = u32::try_from(event.len()).expect("an event is bounded by its law");
        bytes.extend(length.to_be_bytes());
        bytes.extend(event);
    }
    bytes
}

/// Back again; none where that is no such file.
fn unpacked(mut bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut events = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let (event, rest) = rest.split_at_checked(length)?;
        events.push(event.to_vec());
        bytes = rest;
    }
    bytes.is_empty().then_some(events)
}

#[cfg(test)]
mod tests {
    use super::{packed, unpacked};

    #[test]
    fn what_was_packed_is_unpacked_and_what_was_cut_off_is_not() {
        let events = vec![vec![1, 2, 3], Vec::new(), vec![4; 300]];
        let bytes = packed(&events);
        assert_eq!(unpacked(&bytes), Some(events));
        assert_eq!(unpacked(&bytes[..bytes.len() - 1]), None);
        assert_eq!(unpacked(&bytes[..2]), None);
    }
}
