//! Play without a rule: one is repealed when the game begins, and whatever breaks afterwards must be a clause that asks for a
//! name of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_engine::judge::Judged;
use quorate_engine::rulebook::Rulebook;
use quorate_engine::words::worded;
use quorate_kernel::Name;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::event::Outcome;
use quorate_kernel::law::LIBRARY;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_law::Lean;

use super::game::{SimulatedGame, SimulationTally};
use super::{SimulationFailure, guarded, invariants, step};
use crate::going_on::doings_of;

/// What went with a repeal.
#[derive(Default)]
struct Went {
    /// The rule, and those under it.
    rules: Vec<Name>,
    /// Their actions.
    actions: Vec<Name>,
}

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
    let mut gone = Went::default();
    let repealed = guarded(|| {
        gone = repeal(&mut game, rule)?;
        ended_with_it(&mut game, &gone)
    });
    repealed.map_err(|what| game.failure(0, what))?;
    game.keeps_law = true;
    let mut broke = BTreeSet::new();
    for number in 1..=steps {
        let stepped = guarded(|| {
            let before = game.events.len();
            step(&mut game)?;
            // Somebody may have taken the repeal back.
            let mut away = gone.rules.clone();
            away.retain(|rule| !game.state().rules.contains_key(rule));
            untouched_by(&game, before, &away)?;
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

/// Repeals a rule; which rules went with it, and what they let people do until then.
fn repeal(game: &mut SimulatedGame, rule: &Name) -> Result<Went, String> {
    let before = Arc::clone(game.judge.law());
    let rules: Vec<Name> = game.state().rules.keys().cloned().collect();
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
    let left = |id: &Name| !game.state().rules.contains_key(id);
    let rules: Vec<Name> = rules.into_iter().filter(left).collect();
    let own = before.actions.iter();
    let own = own.filter(|(_, at)| rules.contains(&at.site.rule));
    let actions = own.map(|(name, _)| name.clone()).collect();
    Ok(Went { rules, actions })
}

/// Nothing that a rule did goes on: the law has none of it, and what it let people do is refused.
fn ended_with_it(game: &mut SimulatedGame, gone: &Went) -> Result<(), String> {
    if let Some(doing) = doings_of(&gone.rules, game.judge.law()).first() {
        return Err(format!("it goes on: {doing}"));
    }
    let Some(member) = game.members().first().copied() else {
        return Ok(());
    };
    for action in &gone.actions {
        if game.judge.law().actions.contains_key(action) {
            // Another rule has one of this name.
            continue;
        }
        let act = Act::Do {
            action: action.clone(),
            args: Vec::new(),
        };
        if let Judged::Event(event) = game.send(Actor::Player(member), act)?
            && matches!(event.outcome, Outcome::Done | Outcome::Opened(_))
        {
            return Err(format!("{action} can still be done"));
        }
    }
    Ok(())
}

/// No rule that went changed anything in events from this one on.
fn untouched_by(game: &SimulatedGame, from: usize, gone: &[Name]) -> Result<(), String> {
    let steps = game.events[from..].iter().flat_map(|event| &event.steps);
    let mut rules = steps.map(|step| &step.rule);
    match rules.find(|rule| gone.contains(rule)) {
        Some(rule) => Err(format!("{rule} went, and it changes something")),
        None => Ok(()),
    }
}

/// Takes what broke lately; all of it must be of lost names.
fn fitting(game: &mut SimulatedGame, broke: &mut BTreeSet<String>) -> Result<(), String> {
    for text in std::mem::take(&mut game.broke) {
        match of_a_lost_name(game, &text) {
            Some(lost) => broke.insert(lost),
            None => return Err(format!("it breaks, and names nothing that went: {text}")),
        };
    }
    Ok(())
}

/// What a break is told with where it is of a lost name. The log tells all names of one rule together, and its title as readers
/// see it.
fn of_a_lost_name(game: &SimulatedGame, text: &str) -> Option<String> {
    let of_it = |lean: &&Lean| {
        let told = lean.text();
        let whose = told.split_once("` of ").map_or("", |(_, whose)| whose);
        let named = text.contains(&format!("`{}`", lean.name));
        named && (text.contains(whose) || text.contains(&worded(game.state(), whose)))
    };
    let mut leans = game.judge.law().leans.iter().filter(|lean| lean.breaks());
    leans.find(of_it).map(Lean::text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::tiny_book;

    const HOARD: &str = "---\nsection: core\n---\n# Hoard\n\n1. Who plays has Gold.\n\n```starlark\ngold = number(\"Gold\", of = player, default = 3)\nsilver = number(\"Silver\", of = player)\n```\n";
    const LUCK: &str = "---\nsection: core\n---\n# Luck\n\n1. Who is lucky finds Gold.\n\n```starlark\ndef find(actor: Player):\n    actor.gold += 1\n\n\
        def rest(actor: Player):\n    DOES\n\naction(\"find\", find)\naction(\"rest\", rest)\n```\n";

    fn book(does: &str) -> Rulebook {
        let luck = LUCK.replace("DOES", does);
        tiny_book::book(&[("1-hoard.md", HOARD), ("2-luck.md", &luck)])
    }

    #[test]
    fn what_a_rule_does_is_found_as_long_as_it_is_there() {
        let mut game = SimulatedGame::begin(&book("pass"), 1).expect("it begins");
        game.keeps_law = true;
        let went = Went {
            rules: vec!["luck".into()],
            actions: vec!["find".into(), "rest".into()],
        };
        let doings = doings_of(&went.rules, game.judge.law());
        let action = "an action of luck, clause 1".to_owned();
        assert_eq!(doings, [action.clone(), action]);
        assert!(ended_with_it(&mut game, &went).is_err());
        let mut found = Ok(());
        for _ in 0..400 {
            let before = game.events.len();
            step(&mut game).expect("it holds");
            found = found.and(untouched_by(&game, before, &went.rules));
        }
        assert_eq!(found, Err("luck went, and it changes something".to_owned()));
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
    fn names_of_one_rule_that_the_log_tells_together_are_lost_names() {
        let mut game = SimulatedGame::begin(&book("actor.silver += 1"), 1).expect("it begins");
        game.keeps_law = true;
        repeal(&mut game, &"hoard".into()).expect("it goes");
        let mut broke = BTreeSet::new();
        fitting(&mut game, &mut broke).expect("the log tells of lost names alone");
        assert!(
            broke.iter().any(|lost| lost.contains("of Hoard")),
            "{broke:?}"
        );
    }

    #[test]
    fn all_rules_are_taken_away_in_turn() {
        let rules = rules_of(&book("pass")).expect("it begins");
        assert_eq!(rules, ["hoard", "luck"]);
    }
}
