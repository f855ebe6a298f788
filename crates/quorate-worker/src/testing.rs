//! Whatever comes over a worker's socket, read in every way that one end or the other would, for tests that send nonsense.

use crate::frame;
use crate::judges;
use crate::pipe;

/// Reads bytes as each message there is, and what is in them; gives in how many ways that went well.
pub fn read_all(bytes: &[u8]) -> usize {
    let hello = frame::message::<frame::Hello>(bytes).is_ok();
    let ways = [
        hello,
        judges::is_order(bytes),
        judges::is_verdict(bytes),
        pipe::is_task(bytes),
        pipe::is_upward(bytes),
    ];
    ways.into_iter().filter(|went_well| *went_well).count()
}
