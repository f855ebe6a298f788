//! Compiled versions of the law that are kept, up to a bound of memory.

use std::sync::{Arc, Mutex, PoisonError};

use quorate_kernel::digest::Digest;
use quorate_kernel::state::State;
use quorate_law::FenceCache;

use super::Law;
use super::compiling::LawText;

/// Compiled versions of the law by their digest, so that replicas, readers and previews compile a version once, and fences as they
/// were read, so that a version that differs in one rule reads no other. What was not used for longest goes first; who still holds
/// a version keeps it.
pub struct LawCache {
    bytes_max: usize,
    kept: Mutex<KeptLaws>,
    fences: FenceCache,
}

/// The versions that are kept, the one used last at the end.
#[derive(Default)]
struct KeptLaws {
    laws: Vec<Arc<Law>>,
    bytes: usize,
}

/// How much memory a cache takes: the laws of some twenty games and as many of the past that people look at.
const BYTES_MAX: usize = 128 << 20;

/// Which part of its memory fences take.
const PART_OF_FENCES: usize = 8;

impl Default for LawCache {
    fn default() -> Self {
        Self::of_bytes(BYTES_MAX)
    }
}

impl LawCache {
    /// A cache that takes about so many bytes. The version that came last is kept whatever its size.
    pub fn of_bytes(bytes_max: usize) -> Self {
        let of_fences = bytes_max / PART_OF_FENCES;
        Self {
            bytes_max: bytes_max - of_fences,
            kept: Mutex::default(),
            fences: FenceCache::of_bytes(of_fences),
        }
    }

    /// The law that a state holds, compiled now or before.
    pub fn law(&self, state: &State) -> Arc<Law> {
        self.known(state.law_digest())
            .unwrap_or_else(|| self.made(LawText::of(state)))
    }

    /// A version that is not kept. Mostly it differs from one that is by the number of an event alone: as a preview of what is then
    /// enacted, or as a forecast after each vote.
    fn made(&self, text: LawText<'_>) -> Arc<Law> {
        let alike = self.with(|kept| {
            let mut kept = kept.laws.iter().rev();
            kept.find(|law| law.made_of == text.made_of()).cloned()
        });
        self.keep(match alike {
            Some(law) => text.after(&law),
            None => text.compiled(&self.fences),
        })
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

    /// About how much memory the kept versions and fences take, in bytes.
    pub fn bytes(&self) -> usize {
        self.with(|kept| kept.bytes) + self.fences.bytes()
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
    use quorate_kernel::law::Rule;
    use quorate_kernel::{EventSeq, Name};

    use super::super::one_rule::one_rule;
    use super::*;

    /// A game's state under a law of its own.
    fn state(nth: usize) -> State {
        one_rule(&format!("N = {nth}\n"))
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
    fn a_law_that_differs_in_the_number_of_an_event_alone_is_not_compiled_again() {
        let laws = LawCache::default();
        // Who was compiled once has one text in memory.
        let is_same = |one: &Law, other: &Law| std::ptr::eq(one.code.text(), other.code.text());
        let changed = |change: &dyn Fn(&mut Rule)| {
            let mut state = state(1);
            let one = state
                .rules
                .get_mut(&Name::from("one"))
                .expect("it is there");
            change(one);
            state
        };
        let first = laws.law(&state(1));
        let later = changed(&|rule| rule.changed_by = EventSeq(7));
        let again = laws.law(&later);
        assert!(is_same(&first, &again));
        assert_eq!(again.digest, later.law_digest());
        assert_eq!(again.place(&"one".into()).since, EventSeq(7));
        let prose = changed(&|rule| rule.text = rule.text.replace("All", "None").into());
        assert!(is_same(&first, &laws.law(&prose)));
        for other in [
            changed(&|rule| rule.text = rule.text.replace("1. All", "2. All").into()),
            changed(&|rule| rule.text = rule.text.replace("1. All", "\n1. All").into()),
            changed(&|rule| rule.title = "Two".to_owned()),
            changed(&|rule| rule.active = false),
            state(2),
        ] {
            assert!(!is_same(&first, &laws.law(&other)));
        }
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
