//! Random amendments: rules added, amended, replaced, repealed, moved, renamed and switched, with code of their own book, of
//! others and with mutated code. A little is played after each, so that the code is reached, and what came to the log is judged again;
//! after each hundred, and when all is over, the whole log is folded.

use std::sync::Arc;

use quorate_engine::judge::Judged;
use quorate_engine::rulebook::{Rulebook, body_of};
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::event::Event;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_runtime::in_process::{InProcess, JudgedAgain};

use super::game::SimulatedGame;
use super::{SimulationFailure, guarded, invariants, step};
use crate::mutation;

/// How many steps are played after each amendment.
const STEPS: u64 = 2;

/// After how many amendments the log is folded.
const FOLDED_EACH: u64 = 100;

/// After how many amendments the law is compiled from nothing beside.
const COMPILED_EACH: u64 = 10;

/// What came of the amendments of a seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AmendmentTally {
    /// How many were tried.
    pub tried: u64,
    /// How many changed the law.
    pub made: u64,
    /// How many were undone again.
    pub undone: u64,
    /// Events in the log.
    pub events: u64,
    /// The most fences that slept at once.
    pub asleep: usize,
    /// The most clauses that asked for lost names at once.
    pub lost: usize,
}

/// Tries so many amendments of one seed, one after another in the same game. Code comes from the rulebook and from others.
///
/// # Errors
/// Fails where the game does not begin, at the first amendment or step after which something does not hold, where the log is not
/// judged as it was, and where the engine panics.
pub fn amend(
    book: &Rulebook,
    others: &[Rulebook],
    seed: u64,
    count: u64,
    progress: &dyn Fn(u64),
) -> Result<AmendmentTally, SimulationFailure> {
    let mut game = SimulatedGame::begin(book, seed)?;
    let books = std::iter::once(book).chain(others);
    let files = books.flat_map(|book| &book.rules);
    let texts: Vec<Arc<str>> = files.map(|(_, text)| body_of(text).into()).collect();
    let mut tally = AmendmentTally::default();
    let again = JudgedAgain::begin(&InProcess::new(&game.laws));
    let mut again = again.map_err(|what| game.failure(0, what))?;
    for number in 1..=count {
        let amended = guarded(|| {
            one(&mut game, &texts, &mut tally)?;
            again.up_to(&game.events, &invariants::SECRET)?;
            if number % COMPILED_EACH == 0 {
                invariants::law_from_nothing(&game.judge)?;
            }
            if number % FOLDED_EACH == 0 || number == count {
                invariants::folds(&game.judge, &game.events)?;
            }
            Ok(())
        });
        amended.map_err(|what| game.failure(number, what))?;
        tally.tried = number;
        progress(number);
    }
    tally.events = game.tally.events;
    Ok(tally)
}

fn one(
    game: &mut SimulatedGame,
    texts: &[Arc<str>],
    tally: &mut AmendmentTally,
) -> Result<(), String> {
    let clauses = (0..=game.chance.below(2)).map(|_| game.amendment(texts));
    let patch = Patch {
        clauses: clauses.collect(),
    };
    let digest = game.state().law_digest();
    let act = Act::Repair {
        patch: Sealed::close(patch, [0; 16]),
        reason: typed("an amendment"),
    };
    let judged = game.send(Actor::Operator, act)?;
    tally.made += u64::from(game.state().law_digest() != digest);
    tally.asleep = tally.asleep.max(game.judge.law().asleep.len());
    let leans = game.judge.law().leans.iter();
    tally.lost = tally.lost.max(leans.filter(|lean| lean.breaks()).count());
    for _ in 0..STEPS {
        step(game)?;
    }
    match judged {
        Judged::Event(event) if game.chance.one_in(4) => undo(game, &event, tally),
        _ => Ok(()),
    }
}

/// A player takes an amendment back, where the law of that moment lets anybody.
fn undo(game: &mut SimulatedGame, event: &Event, tally: &mut AmendmentTally) -> Result<(), String> {
    let members = game.members();
    let Some(by) = game.chance.pick(&members) else {
        return Ok(());
    };
    let act = Act::Undo {
        event: event.seq,
        picks: Vec::new(),
        reason: typed("it was not meant so"),
    };
    let undone = game.send(Actor::Player(by), act)?;
    tally.undone += u64::from(matches!(undone, Judged::Event(_)));
    Ok(())
}

impl SimulatedGame {
    /// One change of the rules.
    fn amendment(&mut self, texts: &[Arc<str>]) -> Clause {
        match self.chance.below(16) {
            0..=3 => {
                let text = self.any_text(texts);
                self.rule_added(text)
            }
            4..=6 => self.rewritten(Self::mutated),
            7 => self.amend_rule(),
            8 | 9 => {
                let text = self.any_text(texts);
                self.rewritten(|_, _| text)
            }
            10 => {
                let more = self.any_text(texts);
                self.rewritten(|_, text| format!("{text}\n{more}").into())
            }
            11 | 12 => Clause::RepealRule { id: self.rule() },
            13 => self.move_rule(),
            14 => self.rename_rule(),
            _ => self.switch_rule(),
        }
    }

    /// Another text for a rule, written against the text of now.
    fn rewritten(&mut self, text: impl FnOnce(&mut Self, Arc<str>) -> Arc<str>) -> Clause {
        let id = self.rule();
        let rule = self.state().rules.get(&id);
        let base: Arc<str> = rule.map_or_else(|| "".into(), |rule| Arc::clone(&rule.text));
        let text = text(self, Arc::clone(&base));
        Clause::AmendRule { id, base, text }
    }

    /// A rule of some book, now and then with mutated code.
    fn any_text(&mut self, texts: &[Arc<str>]) -> Arc<str> {
        let text = self.chance.pick(texts).unwrap_or_else(|| "".into());
        if self.chance.one_in(3) {
            self.mutated(text)
        } else {
            text
        }
    }

    /// The text with one small thing changed in its code; as it is where there is no code to change.
    fn mutated(&mut self, text: Arc<str>) -> Arc<str> {
        let mutants = mutation::of_text(&text);
        match self.chance.pick(&mutants) {
            Some(mutant) => {
                self.mutated = true;
                mutant.applied(&text).into()
            }
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::NewPost;

    use super::*;
    use crate::simulation::tiny_book::book;

    const HOARD: &str = "---\nsection: core\n---\n# Hoard\n\n1. Who plays has Gold.\n\n```starlark\ngold = number(\"Gold\", of = player, default = 3)\n\n\
        def find(actor: Player):\n    actor.gold += roll(6, \"find\")\n\naction(\"find\", find)\n```\n";
    const LUCK: &str = "---\nsection: core\n---\n# Luck\n\n1. Who has Gold may pay.\n\n```starlark\ndef spend(actor: Player):\n    \
        require(actor.gold > 2, \"more Gold\")\n    actor.gold -= 2\n\naction(\"spend\", spend)\n```\n";

    const TALLY: &str = "---\nsection: core\n---\n# Tally\n\n1. Who plays votes on a Bill.\n\n```starlark\n\
        category(\"Bill\", icons = [\"for\", \"against\"], statuses = [\"pending\", \"enacted\"])\n\n\
        def votes(post: Post, side: str) -> int:\n    return len([p for p in players() if side != \"\"])\n```\n";

    #[test]
    fn amendments_of_one_seed_are_the_same_each_time_and_all_hold() {
        let own = book(&[("1-hoard.md", HOARD), ("2-luck.md", LUCK)]);
        let other = book(&[("1-other.md", LUCK)]);
        let play = || amend(&own, std::slice::from_ref(&other), 3, 60, &|_| {});
        let tally = play().unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(tally.tried, 60);
        assert!(tally.made > 20 && tally.undone > 0, "{tally:?}");
        assert!(tally.lost > 0, "no rule missed another: {tally:?}");
        assert_eq!(play().expect("it held before"), tally);
    }

    #[test]
    fn a_vote_that_counts_twice_is_a_fault_of_a_rulebook_and_none_of_mutated_code() {
        let told = |mutated: bool| {
            let begun = SimulatedGame::begin(&book(&[("1-tally.md", TALLY)]), 1);
            let mut game = begun.unwrap_or_else(|failure| panic!("{failure:?}"));
            game.mutated = mutated;
            let anna = Actor::Player(game.members()[0]);
            let bill = NewPost::plain("Bill", "A bill", "");
            game.send(anna, Act::Post(Box::new(bill)))?;
            let post = game.state().posts.keys().next().copied();
            let post = post.expect("it was posted");
            let text = typed(":for:");
            game.send(anna, Act::Comment { post, text }).map(|_| ())
        };
        let fault = told(false).expect_err("each counts on both sides");
        assert!(fault.contains("people are counted"), "{fault}");
        assert_eq!(told(true), Ok(()));
    }
}
