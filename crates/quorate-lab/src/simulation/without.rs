//! Play without a rule: one is repealed when the game begins, and whatever breaks afterwards must be a clause that asks for a
//! name of it.

use std::collections::BTreeSet;

use quorate_engine::Law;
use quorate_engine::rulebook::Rulebook;
use quorate_kernel::Name;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::law::LIBRARY;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_law::Lean;

use super::game::{SimulatedGame, SimulationTally};
use super::{SimulationFailure, guarded, invariants, step};

/// What came of a game without a rule.
#[derive(Debug, Default)]
pub struct WithoutTally {
    /// Steps, events and refusals.
    pub play: SimulationTally,
    /// What broke, each thing once: all of it names what went.
    pub broke: BTreeSet<String>,
}

/// The rules that a game of a rulebook can do without, in document order: all but its library.
///
/// # Errors
/// Fails where the game does not begin.
pub fn rules_of(book: &Rulebook) -> Result<Vec<Name>, SimulationFailure> {
    let game = SimulatedGame::begin(book, 0)?;
    let rules = game.state().rules_in_order().into_iter();
    let rules = rules.filter(|(_, rule)| rule.section != LIBRARY);
    Ok(rules.map(|(id, _)| id.clone()).collect())
}

/// Plays so many steps of one seed without a rule. Nobody amends the law meanwhile.
///
/// # Errors
/// Fails where the game does not begin, where anything breaks that does not name what went, where what must hold does not, and
/// where the engine panics.
pub fn play_without(
    book: &Rulebook,
    rule: &Name,
    seed: u64,
    steps: u64,
    progress: &dyn Fn(u64),
) -> Result<WithoutTally, SimulationFailure> {
    let mut game = SimulatedGame::begin(book, seed)?;
    game.keeps_law = true;
    let repealed = guarded(|| repeal(&mut game, rule));
    repealed.map_err(|what| game.failure(0, what))?;
    let mut broke = BTreeSet::new();
    for number in 1..=steps {
        let stepped = guarded(|| {
            step(&mut game)?;
            fitting(&mut game, &mut broke)
        });
        stepped.map_err(|what| game.failure(number, what))?;
        game.tally.steps = number;
        progress(number);
    }
    let ended = guarded(|| invariants::whole(&game.judge, &game.laws, &game.events));
    ended.map_err(|what| game.failure(steps + 1, what))?;
    Ok(WithoutTally {
        play: game.tally,
        broke,
    })
}

fn repeal(game: &mut SimulatedGame, rule: &Name) -> Result<(), String> {
    let patch = Patch {
        clauses: vec![Clause::RepealRule { id: rule.clone() }],
    };
    let act = Act::Repair {
        patch: Sealed::close(patch, [0; 16]),
        reason: typed("it goes"),
    };
    let judged = game.send(Actor::Operator, act)?;
    let event = judged.event();
    event.map_err(|refusal| format!("{rule} is not repealed: {refusal}"))?;
    // What the repeal itself sets off is looked at with the first step.
    Ok(())
}

/// Takes what broke lately; all of it must be of lost names.
fn fitting(game: &mut SimulatedGame, broke: &mut BTreeSet<String>) -> Result<(), String> {
    for text in std::mem::take(&mut game.broke) {
        match of_a_lost_name(game.judge.law(), &text) {
            Some(lost) => broke.insert(lost),
            None => return Err(format!("it breaks, and names nothing that went: {text}")),
        };
    }
    Ok(())
}

/// What a break is told with where it is of a lost name.
fn of_a_lost_name(law: &Law, text: &str) -> Option<String> {
    let leans = law.leans.iter().filter(|lean| lean.breaks());
    leans
        .map(Lean::text)
        .find(|lost| text.contains(lost.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str =
        "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"core\"\ntitle = \"Core\"\n";
    const HOARD: &str = "---\nsection: core\n---\n# Hoard\n\n1. Who plays has Gold.\n\n```starlark\ngold = number(\"Gold\", of = player, default = 3)\n```\n";
    const LUCK: &str = "---\nsection: core\n---\n# Luck\n\n1. Who is lucky finds Gold.\n\n```starlark\ndef find(actor: Player):\n    actor.gold += 1\n\n\
        def rest(actor: Player):\n    DOES\n\naction(\"find\", find)\naction(\"rest\", rest)\n```\n";

    fn book(does: &str) -> Rulebook {
        let luck = LUCK.replace("DOES", does);
        Rulebook {
            name: "t".into(),
            manifest: toml::from_str(MANIFEST).expect("it reads"),
            library: Vec::new(),
            rules: vec![
                ("1-hoard.md".to_owned(), HOARD.to_owned()),
                ("2-luck.md".to_owned(), luck),
            ],
            tests: Vec::new(),
        }
    }

    #[test]
    fn what_asks_for_a_lost_name_may_break_and_nothing_else() {
        let play = |does: &str| play_without(&book(does), &"hoard".into(), 1, 120, &|_| {});
        let tally = play("pass").unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(tally.play.steps, 120);
        let broke: Vec<&String> = tally.broke.iter().collect();
        assert!(
            matches!(broke[..], [only] if only.contains("`gold` of Hoard")),
            "{broke:?}"
        );
        let failure = play("x = 1 // 0").expect_err("it breaks by itself");
        assert!(
            failure.what.contains("names nothing that went"),
            "{failure:?}"
        );
    }

    #[test]
    fn all_rules_are_taken_away_in_turn() {
        let rules = rules_of(&book("pass")).expect("it begins");
        assert_eq!(rules, ["hoard", "luck"]);
    }
}
