//! Kept answers of the law: who is excluded, what a derived value is, which tests hold.
//!
//! Each rests on what was read for it and goes when any of that is written. They never change what is decided, only
//! how fast.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate_kernel::{Moment, Name, PlayerId, Thing};
use quorate_law::budget::Cost;
use quorate_law::datum::Datum;

use crate::reads::{ReadKey, Reads};

/// How deep rule code may call itself through the world: filters in derived values in predicates and so on.
pub const DEPTH_MAX: u32 = 24;

/// Which answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MemoKey {
    /// The people whom the exclusion with this index excludes.
    Excluded(usize),
    /// A derived value of a thing, by its function.
    Derived(Name, Thing),
    /// Whether a test holds for a thing.
    Test(Name, Thing),
}

/// A kept answer.
#[derive(Clone, Debug)]
pub enum Kept {
    /// Excluded people, and what finding them takes.
    People(BTreeSet<PlayerId>, Effort),
    /// A value, and what working it out takes.
    Datum(Datum, Effort),
}

/// What an answer takes to be worked out. Whoever gets a kept one pays as much: otherwise it would lean on what was asked
/// before whether a rule that is near its limits breaks, and judging again would come out otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Effort {
    /// Of a run's account.
    pub cost: Cost,
    /// How many entries inside one another.
    pub height: u32,
}

/// The kept answers of one game under one version of the law.
#[derive(Clone, Default)]
pub struct Caches {
    /// Answers of others that are good here too, until something that they rest on is written.
    beneath: Option<Arc<Self>>,
    /// Those beneath that are not good here any more.
    gone: BTreeSet<MemoKey>,
    answers: BTreeMap<MemoKey, (Kept, Reads)>,
    /// Who leans on what.
    leans: BTreeMap<ReadKey, BTreeSet<MemoKey>>,
    /// Tests whose reads were written since the last event was over, and those that no one has asked yet.
    stirred: BTreeSet<MemoKey>,
}

impl Caches {
    /// No answers of its own, but those of others to begin with. A question about a game begins so: it may write for a trial,
    /// and leaves the answers beneath as they are.
    pub fn over(beneath: &Arc<Self>) -> Self {
        Self {
            beneath: Some(Arc::clone(beneath)),
            ..Self::default()
        }
    }

    /// A kept answer that is good at `now`.
    pub fn get(&self, question: &MemoKey, now: Moment) -> Option<(Kept, Reads)> {
        let beneath = || {
            let beneath = self.beneath.as_ref()?;
            beneath
                .answers
                .get(question)
                .filter(|_| !self.gone.contains(question))
        };
        let (kept, reads) = self.answers.get(question).or_else(beneath)?;
        reads
            .until
            .is_none_or(|until| now < until)
            .then(|| (kept.clone(), reads.clone()))
    }

    /// Keeps an answer.
    pub fn keep(&mut self, question: MemoKey, kept: Kept, reads: Reads) {
        self.drop_answer(&question);
        for key in &reads.keys {
            self.leans
                .entry(key.clone())
                .or_default()
                .insert(question.clone());
        }
        self.answers.insert(question, (kept, reads));
    }

    /// Forgets what rests on rows that were written.
    pub fn forget(&mut self, written: &[ReadKey]) {
        let mut gone: BTreeSet<MemoKey> = BTreeSet::new();
        for key in written {
            let beneath = self.beneath.as_ref().and_then(|it| it.leans.get(key));
            let leaning = self.leans.get(key).into_iter().chain(beneath);
            gone.extend(leaning.flatten().cloned());
        }
        for question in gone {
            self.drop_answer(&question);
            if matches!(question, MemoKey::Test(..)) {
                self.stirred.insert(question);
            }
        }
    }

    /// Whether there are tests that must be asked again.
    pub fn is_stirred(&self) -> bool {
        !self.stirred.is_empty()
    }

    /// Tests that must be asked again, and are now taken off the list.
    pub fn take_stirred(&mut self) -> BTreeSet<MemoKey> {
        std::mem::take(&mut self.stirred)
    }

    /// Puts a test on the list.
    pub fn stir(&mut self, question: MemoKey) {
        self.drop_answer(&question);
        self.stirred.insert(question);
    }

    fn drop_answer(&mut self, question: &MemoKey) {
        if self.beneath.is_some() {
            self.gone.insert(question.clone());
        }
        if let Some((_, reads)) = self.answers.remove(question) {
            for key in &reads.keys {
                if let Some(leaning) = self.leans.get_mut(key) {
                    leaning.remove(question);
                    if leaning.is_empty() {
                        self.leans.remove(key);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about_people() -> Reads {
        let mut reads = Reads::default();
        reads.note(ReadKey::People);
        reads
    }

    fn test_of_the_game() -> MemoKey {
        MemoKey::Test("late".into(), Thing::Game)
    }

    #[test]
    fn an_answer_goes_when_what_it_rests_on_is_written() {
        let mut caches = Caches::default();
        let kept = Kept::Datum(Datum::Bool(true), Effort::default());
        caches.keep(test_of_the_game(), kept.clone(), about_people());
        caches.keep(MemoKey::Excluded(0), kept, Reads::default());
        caches.forget(&[ReadKey::People]);
        assert!(caches.get(&test_of_the_game(), Moment(0)).is_none());
        assert!(caches.get(&MemoKey::Excluded(0), Moment(0)).is_some());
        assert_eq!(caches.take_stirred(), BTreeSet::from([test_of_the_game()]));
        assert!(caches.take_stirred().is_empty());
    }

    #[test]
    fn what_one_writes_over_the_answers_of_another_leaves_those_as_they_are() {
        let mut beneath = Caches::default();
        let kept = Kept::Datum(Datum::Bool(true), Effort::default());
        beneath.keep(test_of_the_game(), kept.clone(), about_people());
        beneath.keep(MemoKey::Excluded(0), kept.clone(), Reads::default());
        let beneath = Arc::new(beneath);
        let mut caches = Caches::over(&beneath);
        assert!(caches.get(&test_of_the_game(), Moment(0)).is_some());
        caches.forget(&[ReadKey::People]);
        assert!(caches.get(&test_of_the_game(), Moment(0)).is_none());
        assert!(caches.get(&MemoKey::Excluded(0), Moment(0)).is_some());
        assert!(beneath.get(&test_of_the_game(), Moment(0)).is_some());
        // Its own answer stands before the one beneath, and goes without bringing that back.
        let other = Kept::Datum(Datum::Bool(false), Effort::default());
        caches.keep(MemoKey::Excluded(0), other, about_people());
        let (now, _) = caches
            .get(&MemoKey::Excluded(0), Moment(0))
            .expect("it is kept");
        assert!(matches!(now, Kept::Datum(Datum::Bool(false), _)));
        caches.forget(&[ReadKey::People]);
        assert!(caches.get(&MemoKey::Excluded(0), Moment(0)).is_none());
    }

    #[test]
    fn an_answer_is_good_until_its_moment() {
        let mut caches = Caches::default();
        let mut reads = about_people();
        reads.note_moment(Moment(10));
        let kept = Kept::Datum(Datum::Bool(true), Effort::default());
        caches.keep(test_of_the_game(), kept, reads);
        assert!(caches.get(&test_of_the_game(), Moment(9)).is_some());
        assert!(caches.get(&test_of_the_game(), Moment(10)).is_none());
    }
}
