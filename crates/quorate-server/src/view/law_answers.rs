//! What the law answered about the newest states of games, so that one page need not ask what another has asked.

use std::sync::{Arc, Mutex, PoisonError};

use quorate_engine::Law;
use quorate_engine::memo::Answers;
use quorate_runtime::Published;

/// Of how many games answers are kept.
const GAMES_MAX: usize = 8;

/// Over how many events answers are taken along: a state that came anew shares nothing with the last one, and would be compared row
/// by row.
const EVENTS_MAX: u64 = 64;

/// Answers by game, the one used last at the end.
#[derive(Default)]
pub struct LawAnswers(Mutex<Vec<KnownState>>);

struct KnownState {
    published: Arc<Published>,
    law: Arc<Law>,
    answers: Answers,
}

impl KnownState {
    fn is_of(&self, published: &Published, law: &Law) -> bool {
        self.published.head == published.head && self.law.digest == law.digest
    }

    /// The answers that are still good in a state that came after; none where the law is another, or too much has happened.
    fn after(&self, published: &Published, law: &Law) -> Answers {
        let events = published.head.seq.0.checked_sub(self.published.head.seq.0);
        let is_near = events.is_some_and(|events| events <= EVENTS_MAX);
        // Nobody notes that they have read the title.
        let is_alike = self.published.state.about == published.state.about;
        if is_alike && is_near && self.law.digest == law.digest {
            self.answers.after(&self.published.state, &published.state)
        } else {
            Answers::default()
        }
    }
}

impl LawAnswers {
    /// Forgets all of them.
    pub fn clear(&self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.clear();
    }

    /// The answers about a state under its law. Those about a state that is older than the one known are nobody else's.
    pub(super) fn about(&self, published: &Arc<Published>, law: &Arc<Law>) -> Answers {
        // A panic under the lock leaves a list of whole entries.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = known
            .iter()
            .position(|it| it.published.game == published.game);
        let last = at.map(|at| known.remove(at));
        let state = match last {
            Some(last) if last.is_of(published, law) => last,
            Some(last) if last.published.head.seq >= published.head.seq => {
                known.push(last);
                return Answers::default();
            }
            last => KnownState {
                answers: last.map_or_else(Answers::default, |last| last.after(published, law)),
                published: Arc::clone(published),
                law: Arc::clone(law),
            },
        };
        let answers = state.answers.clone();
        known.push(state);
        if known.len() > GAMES_MAX {
            known.remove(0);
        }
        answers
    }
}
