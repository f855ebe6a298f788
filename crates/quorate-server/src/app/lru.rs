//! Answers that are kept for who asks next: a few, by what they depend on.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use quorate_kernel::digest::Digest;

/// How many answers are kept.
const ROOM: usize = 64;

/// Answers by the digest of everything that has a say in them, those that were asked for longest ago gone first.
#[derive(Debug)]
pub struct LruCache<T> {
    answers: Mutex<VecDeque<(Digest, Arc<T>)>>,
}

impl<T> Default for LruCache<T> {
    fn default() -> Self {
        Self {
            answers: Mutex::new(VecDeque::new()),
        }
    }
}

impl<T> LruCache<T> {
    /// The answer, if it is kept.
    pub fn get(&self, key: &Digest) -> Option<Arc<T>> {
        // Whoever panicked here left whole answers behind.
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let place = answers.iter().position(|(known, _)| known == key)?;
        let found = answers.remove(place)?;
        let answer = Arc::clone(&found.1);
        answers.push_back(found);
        Some(answer)
    }

    /// Keeps nothing any more: what the answers were made of has been taken away.
    pub fn clear(&self) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.clear();
    }

    /// Keeps an answer.
    pub fn put(&self, key: Digest, answer: Arc<T>) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|(known, _)| *known != key);
        while answers.len() >= ROOM {
            answers.pop_front();
        }
        answers.push_back((key, answer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_kept_and_the_rest_makes_room() {
        let kept = LruCache::default();
        let key = |n: usize| Digest::of(&n.to_le_bytes());
        for n in 0..=ROOM {
            kept.put(key(n), Arc::new(n));
            assert_eq!(kept.get(&key(1)).as_deref(), (n > 0).then_some(&1));
        }
        assert_eq!(kept.get(&key(0)), None);
        assert_eq!(kept.get(&key(2)).as_deref(), Some(&2));
        kept.put(key(2), Arc::new(9));
        assert_eq!(kept.get(&key(2)).as_deref(), Some(&9));
        kept.clear();
        assert_eq!(kept.get(&key(2)), None);
    }
}
