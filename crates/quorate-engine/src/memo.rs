//! Kept answers of the law: who is excluded, what a derived value is, which tests hold.
//!
//! Each rests on what was read for it and goes when any of that is written. They never change what is decided, only
//! how fast.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quorate_kernel::state::State;
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
    People(Arc<BTreeSet<PlayerId>>, Effort),
    /// A value, and what working it out takes.
    Datum(Datum, Effort),
}

impl Kept {
    fn is_small(&self) -> bool {
        match self {
            Self::People(..) => true,
            Self::Datum(datum, _) => pieces(datum, PIECES_MAX).is_some(),
        }
    }
}

/// How many pieces are left of so many once a value has had its own; none where they don't do.
fn pieces(datum: &Datum, left: usize) -> Option<usize> {
    match datum {
        Datum::Text(text) => left.checked_sub(1 + text.len() / 16),
        Datum::List(items) => {
            let mut items = items.iter();
            items.try_fold(left.checked_sub(1)?, |left, item| pieces(item, left))
        }
        Datum::Dict(entries) => {
            let mut entries = entries.iter();
            entries.try_fold(left.checked_sub(1)?, |left, (key, value)| {
                pieces(value, pieces(key, left)?)
            })
        }
        _ => left.checked_sub(1),
    }
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

/// A kept answer with what it rests on.
#[derive(Clone)]
struct KeptAnswer {
    kept: Kept,
    reads: Arc<Reads>,
    /// When it was found: whether it was so before, nobody knows.
    since: Moment,
}

impl KeptAnswer {
    /// Whether it is good at a moment. A test is asked again at the moments that it compares the time with, and at no others: what is
    /// due is written down then, so that it may not lean on who has asked in between.
    fn is_good_at(&self, now: Moment, is_test: bool) -> bool {
        let turns = if is_test {
            self.reads.until
        } else {
            self.reads.turns()
        };
        self.since <= now && turns.is_none_or(|turns| now < turns)
    }

    fn weight(&self) -> usize {
        ANSWER_WEIGHT + self.reads.kept_keys().len()
    }
}

/// What the derived values of one layer may weigh together. When they weigh more they all go: a game with a long past has many posts,
/// and each page may ask about others.
const DERIVED_WEIGHT_MAX: usize = 100_000;

/// What an answer weighs beside each thing that it rests on.
const ANSWER_WEIGHT: usize = 48;

/// How many pieces a value may have that outlives the question that found it.
const PIECES_MAX: usize = 4_096;

/// Over how many layers a copy is laid before they are made one.
const LAYERS_MAX: u8 = 6;

/// The kept answers of one game under one version of the law.
#[derive(Clone, Default)]
pub struct Caches {
    /// Answers of others that are good here too, until something that they rest on is written.
    beneath: Option<Arc<Self>>,
    /// How many layers lie beneath.
    layers: u8,
    /// Those beneath that are not good here any more.
    gone: BTreeSet<MemoKey>,
    answers: BTreeMap<MemoKey, KeptAnswer>,
    /// What the derived values among the answers weigh.
    derived_weight: usize,
    /// Who leans on what.
    leans: BTreeMap<ReadKey, BTreeSet<MemoKey>>,
    /// Tests whose reads were written since the last event was over, and those that no one has asked yet.
    stirred: BTreeSet<MemoKey>,
    /// Whether every test of the law has been asked, so that it is known on what each rests. Nobody needs that who only
    /// looks, and so it waits for the first command.
    is_complete: bool,
}

impl Caches {
    /// No answers of its own, but those of others to begin with. A question about a game begins so: it may write for a trial,
    /// and leaves the answers beneath as they are.
    pub fn over(beneath: &Arc<Self>) -> Self {
        if beneath.layers >= LAYERS_MAX {
            let mut one = beneath.as_one();
            one.stirred.clear();
            return one;
        }
        Self {
            beneath: Some(Arc::clone(beneath)),
            layers: beneath.layers + 1,
            is_complete: beneath.is_complete,
            ..Self::default()
        }
    }

    /// The same answers in one layer.
    fn as_one(&self) -> Self {
        let Some(beneath) = &self.beneath else {
            return self.clone();
        };
        let mut one = beneath.as_one();
        for question in &self.gone {
            one.drop_answer(question);
        }
        for (question, answer) in &self.answers {
            one.put(question.clone(), answer.clone());
        }
        one.stirred.clone_from(&self.stirred);
        one.is_complete = self.is_complete;
        one
    }

    fn find(&self, question: &MemoKey) -> Option<&KeptAnswer> {
        let beneath = || {
            let beneath = self.beneath.as_ref()?;
            let is_gone = self.gone.contains(question);
            (!is_gone).then(|| beneath.find(question)).flatten()
        };
        self.answers.get(question).or_else(beneath)
    }

    /// A kept answer that is good at `now`.
    pub fn get(&self, question: &MemoKey, now: Moment) -> Option<(Kept, Arc<Reads>)> {
        let is_test = matches!(question, MemoKey::Test(..));
        let answer = self.find(question);
        let answer = answer.filter(|it| it.is_good_at(now, is_test))?;
        Some((answer.kept.clone(), Arc::clone(&answer.reads)))
    }

    /// Keeps an answer that was found at `now`.
    pub fn keep(&mut self, question: MemoKey, kept: Kept, reads: Arc<Reads>, now: Moment) {
        let answer = KeptAnswer {
            kept,
            reads: reads.in_one(),
            since: now,
        };
        self.put(question, answer);
    }

    fn put(&mut self, question: MemoKey, answer: KeptAnswer) {
        self.drop_answer(&question);
        if matches!(question, MemoKey::Derived(..)) {
            if self.derived_weight >= DERIVED_WEIGHT_MAX {
                self.drop_derived();
            }
            self.derived_weight += answer.weight();
        }
        for key in answer.reads.kept_keys() {
            self.leans
                .entry(key.clone())
                .or_default()
                .insert(question.clone());
        }
        self.answers.insert(question, answer);
    }

    fn drop_derived(&mut self) {
        let derived = self.answers.keys();
        let derived: Vec<MemoKey> = derived
            .filter(|question| matches!(question, MemoKey::Derived(..)))
            .cloned()
            .collect();
        for question in derived {
            self.drop_answer(&question);
        }
    }

    /// Who leans on what was written, in all layers.
    fn leaning(&self, written: &[ReadKey], found: &mut BTreeSet<MemoKey>) {
        for key in written {
            found.extend(self.leans.get(key).into_iter().flatten().cloned());
        }
        if let Some(beneath) = &self.beneath {
            beneath.leaning(written, found);
        }
    }

    /// Forgets what rests on rows that were written.
    pub fn forget(&mut self, written: &[ReadKey]) {
        let mut gone: BTreeSet<MemoKey> = BTreeSet::new();
        self.leaning(written, &mut gone);
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
        let is_in = |beneath: &Arc<Self>| beneath.find(question).is_some();
        if self.beneath.as_ref().is_some_and(is_in) {
            self.gone.insert(question.clone());
        }
        if let Some(answer) = self.answers.remove(question) {
            if matches!(question, MemoKey::Derived(..)) {
                self.derived_weight -= answer.weight();
            }
            for key in answer.reads.kept_keys() {
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

/// What the law has answered about one state of a game, shared by all who ask about it: judges, their copies, pages. Whoever goes
/// on to another state takes a copy along.
#[derive(Clone, Default)]
pub struct Answers(Arc<Mutex<Arc<Caches>>>);

impl Answers {
    fn of(caches: Caches) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(caches))))
    }

    /// Those that are still good in a state that came after, under the same law.
    #[must_use]
    pub fn after(&self, before: &State, after: &State) -> Self {
        let effects = before.differences(after);
        let written = effects.iter().flat_map(ReadKey::written);
        let written: Vec<ReadKey> = written.collect();
        let mut caches = self.present().as_one();
        caches.forget(&written);
        // What is new there has tests that nobody has asked.
        caches.is_complete = false;
        let _ = caches.take_stirred();
        Self::of(caches)
    }

    /// What is known so far.
    pub(crate) fn present(&self) -> Arc<Caches> {
        Arc::clone(&self.lock())
    }

    /// Whether every test has been asked.
    pub(crate) fn are_complete(&self) -> bool {
        self.lock().is_complete
    }

    /// Adds what a question found that was asked over them. Where somebody else is asking it is let go, for all would have to be
    /// copied. Tests are asked by judges alone: with their answers comes when to ask again.
    pub(crate) fn learn(&self, found: Caches) {
        let Caches {
            answers, beneath, ..
        } = found;
        drop(beneath);
        if let Some(kept) = Arc::get_mut(&mut self.lock()) {
            for (question, answer) in answers {
                if !matches!(question, MemoKey::Test(..)) && answer.kept.is_small() {
                    kept.put(question, answer);
                }
            }
        }
    }

    /// The answers of now that every test has been asked for.
    pub(crate) fn complete(&self, found: Caches) {
        let Caches {
            answers, beneath, ..
        } = found;
        // Whoever still held the layer beneath would have it copied.
        drop(beneath);
        let mut present = self.lock();
        let kept = Arc::make_mut(&mut present);
        for (question, answer) in answers {
            kept.put(question, answer);
        }
        kept.is_complete = true;
    }

    /// Takes them to go on to another state with; copies keep theirs.
    pub(crate) fn take(&mut self) -> Caches {
        let shared = std::mem::take(self);
        let present = match Arc::try_unwrap(shared.0) {
            Ok(own) => own.into_inner().unwrap_or_else(PoisonError::into_inner),
            Err(shared) => Self(shared).present(),
        };
        Arc::try_unwrap(present).unwrap_or_else(|present| Caches::over(&present))
    }

    /// Puts them back.
    pub(crate) fn put_back(&mut self, caches: Caches) {
        *self = Self::of(caches);
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Caches>> {
        // A panic under the lock leaves whole entries.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::EventSeq;
    use quorate_kernel::ids::Id;

    use super::*;

    const NOW: Moment = Moment(0);

    fn about_people() -> Arc<Reads> {
        let mut reads = Reads::default();
        reads.note(ReadKey::People);
        Arc::new(reads)
    }

    fn worth_of(nth: u64) -> MemoKey {
        let somebody = PlayerId(Id::new(EventSeq(nth), 0));
        MemoKey::Derived("worth".into(), Thing::Player(somebody))
    }

    fn test_of_the_game() -> MemoKey {
        MemoKey::Test("late".into(), Thing::Game)
    }

    #[test]
    fn an_answer_goes_when_what_it_rests_on_is_written() {
        let mut caches = Caches::default();
        let kept = Kept::Datum(Datum::Bool(true), Effort::default());
        caches.keep(test_of_the_game(), kept.clone(), about_people(), NOW);
        caches.keep(MemoKey::Excluded(0), kept, Arc::default(), NOW);
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
        beneath.keep(test_of_the_game(), kept.clone(), about_people(), NOW);
        beneath.keep(MemoKey::Excluded(0), kept.clone(), Arc::default(), NOW);
        let beneath = Arc::new(beneath);
        let mut caches = Caches::over(&beneath);
        assert!(caches.get(&test_of_the_game(), Moment(0)).is_some());
        caches.forget(&[ReadKey::People]);
        assert!(caches.get(&test_of_the_game(), Moment(0)).is_none());
        assert!(caches.get(&MemoKey::Excluded(0), Moment(0)).is_some());
        assert!(beneath.get(&test_of_the_game(), Moment(0)).is_some());
        // Its own answer stands before the one beneath, and goes without bringing that back.
        let other = Kept::Datum(Datum::Bool(false), Effort::default());
        caches.keep(MemoKey::Excluded(0), other, about_people(), NOW);
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
        let mut reads = Reads::default();
        reads.join(&about_people());
        reads.note_moment(Moment(10));
        let kept = Kept::Datum(Datum::Bool(true), Effort::default());
        caches.keep(test_of_the_game(), kept, Arc::new(reads), NOW);
        assert!(caches.get(&test_of_the_game(), Moment(9)).is_some());
        assert!(caches.get(&test_of_the_game(), Moment(10)).is_none());
        // It goes with what an answer on the way rests on.
        caches.forget(&[ReadKey::People]);
        assert!(caches.get(&test_of_the_game(), Moment(9)).is_none());
    }

    #[test]
    fn an_answer_says_nothing_about_the_time_before_it() {
        let mut caches = Caches::default();
        let kept = Kept::Datum(Datum::Bool(true), Effort::default());
        caches.keep(test_of_the_game(), kept, Arc::default(), Moment(5));
        assert!(caches.get(&test_of_the_game(), Moment(4)).is_none());
        assert!(caches.get(&test_of_the_game(), Moment(5)).is_some());
    }

    #[test]
    fn layers_are_one_after_some_and_say_the_same() {
        let kept = |is| Kept::Datum(Datum::Bool(is), Effort::default());
        let mut layer = Arc::new(Caches::default());
        for nth in 0..20 {
            let mut next = Caches::over(&layer);
            assert!(next.layers <= LAYERS_MAX);
            next.keep(worth_of(nth), kept(nth % 2 == 0), about_people(), NOW);
            if nth == 10 {
                next.forget(&[ReadKey::People]);
            }
            layer = Arc::new(next);
        }
        for nth in 0..20 {
            let found = layer.get(&worth_of(nth), NOW);
            assert_eq!(found.is_some(), nth > 10, "{nth}");
            if let Some((Kept::Datum(Datum::Bool(is), _), _)) = found {
                assert_eq!(is, nth % 2 == 0);
            }
        }
    }

    #[test]
    fn derived_values_of_ever_new_things_take_no_more_than_the_bound() {
        let mut caches = Caches::default();
        caches.keep(
            test_of_the_game(),
            Kept::Datum(Datum::Bool(true), Effort::default()),
            about_people(),
            NOW,
        );
        let each = ANSWER_WEIGHT + 1;
        let most = DERIVED_WEIGHT_MAX.div_ceil(each);
        for nth in 0..most as u64 + 10 {
            let question = worth_of(nth);
            caches.keep(
                question,
                Kept::Datum(Datum::Int(1), Effort::default()),
                about_people(),
                NOW,
            );
            assert!(caches.derived_weight < DERIVED_WEIGHT_MAX + each);
        }
        assert_eq!(caches.derived_weight, 10 * each);
        assert_eq!(caches.leans[&ReadKey::People].len(), 11);
        assert!(caches.get(&test_of_the_game(), NOW).is_some());
    }

    #[test]
    fn a_long_value_does_not_outlive_its_question() {
        let of = |text: String| {
            Kept::Datum(
                Datum::List([Datum::Text(text.into())].into()),
                Effort::default(),
            )
        };
        for (letters, is_kept) in [(16 * PIECES_MAX - 64, true), (16 * PIECES_MAX, false)] {
            let answers = Answers::default();
            let mut asked = Caches::over(&answers.present());
            asked.keep(worth_of(0), of("a".repeat(letters)), about_people(), NOW);
            answers.learn(asked);
            let found = answers.present().get(&worth_of(0), NOW).is_some();
            assert_eq!(found, is_kept, "{letters}");
        }
    }

    #[test]
    fn a_test_is_asked_again_at_the_moments_it_compares_with_and_at_no_others() {
        let mut caches = Caches::default();
        let mut reads = Reads::default();
        reads.note_flow(Moment(5));
        reads.note_moment(Moment(10));
        let reads = Arc::new(reads);
        let kept = Kept::Datum(Datum::Bool(true), Effort::default());
        caches.keep(test_of_the_game(), kept.clone(), Arc::clone(&reads), NOW);
        caches.keep(worth_of(0), kept, reads, NOW);
        let good =
            |at| [test_of_the_game(), worth_of(0)].map(|it| caches.get(&it, Moment(at)).is_some());
        assert_eq!(
            [4, 5, 10].map(good),
            [[true, true], [true, false], [false, false]]
        );
    }

    #[test]
    fn in_another_state_tests_are_asked_for_what_is_new_there() {
        let answers = Answers::default();
        let mut asked = Caches::over(&answers.present());
        let kept = Kept::Datum(Datum::Bool(true), Effort::default());
        asked.keep(test_of_the_game(), kept, about_people(), NOW);
        answers.complete(asked);
        assert!(answers.are_complete());
        let state = State::default();
        let after = answers.after(&state, &state);
        assert!(!after.are_complete());
        assert!(after.present().get(&test_of_the_game(), NOW).is_some());
    }

    #[test]
    fn what_one_asks_another_need_not() {
        let answers = Answers::default();
        let other = answers.clone();
        let mut asked = Caches::over(&answers.present());
        asked.keep(
            MemoKey::Excluded(0),
            Kept::Datum(Datum::Int(1), Effort::default()),
            about_people(),
            NOW,
        );
        answers.learn(asked);
        assert!(other.present().get(&MemoKey::Excluded(0), NOW).is_some());
        // Who goes on takes a copy, and the others keep theirs.
        let mut gone_on = answers.clone();
        let mut caches = gone_on.take();
        caches.forget(&[ReadKey::People]);
        gone_on.put_back(caches);
        assert!(gone_on.present().get(&MemoKey::Excluded(0), NOW).is_none());
        assert!(other.present().get(&MemoKey::Excluded(0), NOW).is_some());
    }
}
