//! Questions about a state: runs over it that change nothing, and the account that all questions of a page share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, Moment};
use quorate_law::budget::{Cost, Limits};

use crate::law::Law;
use crate::memo::{Answers, Caches};
use crate::tx::{Deck, Tx};

/// What all questions of one page use together, of [`Limits::WHOLE`], or all parts of a preview, of [`Limits::PREVIEW`].
#[derive(Debug)]
pub struct PageAccount {
    limits: Limits,
    pub(crate) steps: AtomicU64,
    bytes: AtomicU64,
}

impl Default for PageAccount {
    fn default() -> Self {
        Self::of(Limits::WHOLE)
    }
}

impl PageAccount {
    /// An account that may pay so much.
    pub fn of(limits: Limits) -> Self {
        Self {
            limits,
            steps: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        }
    }

    /// That of a preview.
    pub fn of_preview() -> Arc<Self> {
        Arc::new(Self::of(Limits::PREVIEW))
    }

    /// What is left.
    fn left(&self) -> Limits {
        let whole = self.limits;
        Limits {
            whose: "the page, after all that it asked before,",
            steps: whole.steps.saturating_sub(self.steps.load(Relaxed)),
            bytes: whole.bytes.saturating_sub(self.bytes.load(Relaxed)),
            ..whole
        }
    }

    /// A run over a state that changes nothing, paid from here: see [`run`]. It learns from what was answered about that state before,
    /// and others from it.
    pub fn run<T>(
        &self,
        position: Position<'_>,
        answers: &Answers,
        ask: impl FnOnce(&Tx) -> T,
    ) -> T {
        run_over(position, answers, |tx| {
            tx.limit_to(self.left());
            let answer = ask(tx);
            self.pay(tx.used());
            answer
        })
    }

    /// Takes off what a run has used.
    pub(crate) fn pay(&self, used: Cost) {
        self.steps.fetch_add(used.steps, Relaxed);
        self.bytes.fetch_add(used.bytes, Relaxed);
    }

    /// Whether nothing is left. Each run ends by itself, so that whoever tries things one after the other asks this in between.
    pub fn is_used_up(&self) -> bool {
        let left = self.left();
        left.steps == 0 || left.bytes == 0
    }
}

/// A game as a question finds it.
#[derive(Clone, Copy)]
pub struct Position<'a> {
    /// What it holds.
    pub state: &'a State,
    /// The number that the next event would have.
    pub seq: EventSeq,
    /// When it is asked: no earlier than the last event.
    pub now: Moment,
    /// The law in force.
    pub law: &'a Arc<Law>,
}

/// A run over a state that changes nothing, for questions about it.
pub fn run<T>(position: Position<'_>, ask: impl FnOnce(&Tx) -> T) -> T {
    run_over(position, &Answers::default(), ask)
}

/// The same by somebody who knows what was answered about that state before, and learns what is answered now.
pub(crate) fn run_over<T>(
    position: Position<'_>,
    answers: &Answers,
    ask: impl FnOnce(&Tx) -> T,
) -> T {
    let Position {
        state,
        seq,
        now,
        law,
    } = position;
    let caches = Caches::over(&answers.present());
    let tx = Tx::new(state, seq, now, law, Deck::nowhere(), caches);
    let answer = ask(&tx);
    if let Some(found) = tx.found() {
        answers.learn(found);
    }
    answer
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Thing;
    use quorate_law::stop::Stop;

    use super::*;
    use crate::tiny_game::{COSTLY, game};

    #[test]
    fn questions_of_one_page_share_what_a_page_has() {
        let game = game(COSTLY);
        let (state, law) = (game.judge.state(), game.judge.law());
        let anna = Thing::Player(game.anna);
        let page = PageAccount::default();
        let position = Position {
            state,
            seq: game.judge.head().seq.next(),
            now: game.now,
            law,
        };
        let ask = || {
            let fresh = Answers::default();
            page.run(position, &fresh, |tx| tx.attribute(&anna, "worth"))
        };
        ask().expect("a page begins with enough");
        page.steps.store(Limits::WHOLE.steps - 150_000, Relaxed);
        ask().expect("there is enough for this one");
        let Err(Stop::Broken(fault)) = ask() else {
            panic!("it went on");
        };
        assert!(fault.text.contains("the page, after all that"), "{fault:?}");
    }
}
