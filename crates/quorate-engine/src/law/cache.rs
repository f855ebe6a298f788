//! Compiled versions of the law that are kept, up to a bound of memory.

use std::sync::{Arc, Mutex, PoisonError};

use quorate_kernel::digest::Digest;
use quorate_kernel::state::State;

use super::Law;

/// Compiled versions of the law by their digest, so that replicas, readers and previews compile a version once. What was
/// not used for longest goes first; who still holds a version keeps it.
pub struct LawCache {
    bytes_max: usize,
    kept: Mutex<KeptLaws>,
}

/// The versions that are kept, the one used last at the end.
#[derive(Default)]
struct KeptLaws {
    laws: Vec<Arc<Law>>,
    bytes: usize,
}

/// How much memory a cache takes: the laws of some twenty games and as many of the past that people look at.
const BYTES_MAX: usize = 128 << 20;

impl Default for LawCache {
    fn default() -> Self {
        Self::of_bytes(BYTES_MAX)
    }
}

impl LawCache {
    /// A cache that takes about so many bytes. The version that came last is kept whatever its size.
    pub fn of_bytes(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            kept: Mutex::default(),
        }
    }

    /// The law that a state holds, compiled now or before.
    pub fn law(&self, state: &State) -> Arc<Law> {
        self.known(state.law_digest())
            .unwrap_or_else(|| self.keep(Law::of(state)))
    }

    /// The law of a digest, such as the one that judged an event, where it is still at hand.
    pub fn known(&self, digest: Digest) -> Option<Arc<Law>> {
        self.with(|kept| {
            let at = kept.laws.iter().rposition(|law| law.digest == digest)?;
            let law = kept.laws.remove(at);
            kept.laws.push(Arc::clone(&law));
            Some(law)
        })
    }

    /// About how much memory the kept versions take, in bytes.
    pub fn bytes(&self) -> usize {
        self.with(|kept| kept.bytes)
    }

    fn keep(&self, law: Law) -> Arc<Law> {
        let law = Arc::new(law);
        self.with(|kept| {
            kept.bytes += law.code.bytes();
            kept.laws.push(Arc::clone(&law));
            while kept.bytes > self.bytes_max && kept.laws.len() > 1 {
                let gone = kept.laws.remove(0);
                kept.bytes -= gone.code.bytes();
            }
        });
        law
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut KeptLaws) -> T) -> T {
        // A panic while the lock was held leaves a list of whole entries, which is good to use.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        use_it(&mut kept)
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::EventSeq;
    use quorate_kernel::law::Rule;

    use super::*;

    /// A game's state under a law of its own.
    fn state(nth: usize) -> State {
        let mut state = State::default();
        let rule = Rule {
            section: "core".into(),
            parent: None,
            rank: 0,
            title: "One".to_owned(),
            text: format!("# One\n\n1. All.\n\n```starlark\nN = {nth}\n```\n").into(),
            active: true,
            tags: Vec::new(),
            changed_by: EventSeq(1),
        };
        state.rules.insert("one".into(), rule);
        state
    }

    #[test]
    fn ever_new_laws_take_no_more_than_the_bound_and_the_oldest_go() {
        let one = LawCache::default();
        one.law(&state(0));
        let room = 5 * one.bytes() + one.bytes() / 2;
        let laws = LawCache::of_bytes(room);
        let first = state(0);
        laws.law(&first);
        for nth in 1..40 {
            laws.law(&state(nth));
            assert!(laws.bytes() <= room, "{} of {room}", laws.bytes());
            // What is used goes on being kept.
            assert!(laws.known(first.law_digest()).is_some(), "{nth}");
        }
        assert!(laws.known(state(38).law_digest()).is_some());
        assert!(laws.known(state(20).law_digest()).is_none());
    }

    #[test]
    fn a_law_that_is_larger_than_the_cache_is_kept_alone() {
        let laws = LawCache::of_bytes(1);
        laws.law(&state(0));
        laws.law(&state(1));
        assert!(laws.known(state(0).law_digest()).is_none());
        assert!(laws.known(state(1).law_digest()).is_some());
    }
}
