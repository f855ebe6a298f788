//! Where an event lies in its table.

use quorate_kernel::EventSeq;

/// How many bits of an event's place hold its number.
pub(crate) const SEQ_BITS: u32 = 40;

/// Where an event lies: the game's id, then the event's number.
pub(crate) fn place(game_id: i64, seq: EventSeq) -> i64 {
    assert!(
        seq.0 < 1 << SEQ_BITS,
        "a log ends long before its event numbers fill 40 bits"
    );
    (game_id << SEQ_BITS) + seq.0.cast_signed()
}
