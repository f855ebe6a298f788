//! Dice in a forecast: a trial rolls none of the game's own, so what hangs on them comes with its share of all throws.
//!
//! A few dice are thrown in every way there is, and the shares are exact; of many there are so many trial throws.

use quorate_engine::judge::{Dictated, Inputs};
use serde::Serialize;

use crate::alone;
use crate::consequence::{Consequence, Subject};
use crate::enactment::{Enactment, Proposed};
use crate::fork::Fork;
use crate::trial::PatchTrial;

/// As many ways as there may be for all of them to be thrown: a die of a hundred sides, two of ten.
const WAYS: usize = 120;

/// From which share on something happens in every throw, but for what sums of fractions lose.
const CERTAIN: f64 = 1.0 - 1e-9;

/// How many throws stand for all where there are more.
const THROWS: u8 = 50;

/// All that a patch changes by itself.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Odds {
    /// The dice that it rolls; nothing where it rolls none, and everything is certain.
    pub throws: Option<Throws>,
    /// What changes.
    pub changes: Vec<PossibleChange>,
}

/// How dice were thrown.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Throws {
    /// What the first die is rolled for; empty where nothing says.
    pub purpose: String,
    /// How many sides it has.
    pub sides: i128,
    /// How many dice there are.
    pub dice: usize,
    /// Whether they were thrown in every way there is.
    pub exact: bool,
    /// How many throws there were.
    pub count: usize,
}

/// Something that changes, with all that can come of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PossibleChange {
    /// Its outcomes in the order in which they were met. Where their shares come to less than 1, the rest is that nothing
    /// of it happens.
    pub outcomes: Vec<Possibility>,
}

/// One outcome.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Possibility {
    /// In which share of all throws, from 0 to 1.
    pub share: f64,
    /// What changes.
    pub consequence: Consequence,
}

impl PossibleChange {
    /// What comes of it, where that is the same whatever is thrown.
    pub(crate) fn certain(&self) -> Option<&Consequence> {
        match self.outcomes.as_slice() {
            [only] if only.share > 0.9999 => Some(&only.consequence),
            _ => None,
        }
    }

    /// The share of all throws in which it happens at all.
    pub fn share(&self) -> f64 {
        self.outcomes.iter().map(|outcome| outcome.share).sum()
    }
}

/// The consequences of one throw, and how much of all throws it stands for.
struct Throw {
    share: f64,
    consequences: Vec<Consequence>,
}

/// What is thrown again and again: the enactment of a post on the game as it is.
pub(crate) struct Toss<'a> {
    pub(crate) fork: &'a Fork<'a>,
    pub(crate) proposed: &'a Proposed,
    pub(crate) enactment: &'a Enactment,
}

impl Toss<'_> {
    fn throw(&self, inputs: Inputs<'_>) -> Option<PatchTrial> {
        let Self {
            fork,
            proposed,
            enactment,
        } = self;
        let trial = fork.enact(&fork.judge, proposed, enactment, inputs);
        trial.ok()
    }
}

/// What a patch changes alone, over all throws of the dice that it rolls.
pub(crate) fn over_all_dice(toss: &Toss<'_>, trial: &PatchTrial) -> Odds {
    let fork = toss.fork;
    let dice = &trial.event.tape.dice;
    let Some(die) = dice.first() else {
        let consequences = alone::consequences(fork, trial);
        return Odds {
            throws: None,
            changes: merged(vec![Throw {
                share: 1.0,
                consequences,
            }]),
        };
    };
    let every = every_way(toss, trial);
    let exact = every.is_some();
    let throws = every.unwrap_or_else(|| some_throws(toss, trial));
    Odds {
        throws: Some(Throws {
            purpose: die.what.clone(),
            sides: die.sides,
            dice: dice.len(),
            exact,
            count: throws.len(),
        }),
        changes: merged(throws),
    }
}

/// Every way in which the dice can fall, if those are few enough and the time is long enough.
fn every_way(toss: &Toss<'_>, first: &PatchTrial) -> Option<Vec<Throw>> {
    let mut sides = first.event.tape.dice.iter().map(|die| die.sides.max(1));
    let ways = sides.try_fold(1_i128, i128::checked_mul)?;
    if usize::try_from(ways).ok()? > WAYS {
        return None;
    }
    let mut throws = Vec::new();
    let mut open: Vec<(Vec<i64>, f64)> = vec![(Vec::new(), 1.0)];
    while let Some((fallen, share)) = open.pop() {
        if toss.fork.is_over() || throws.len() + open.len() > WAYS {
            return None;
        }
        let dictated = Dictated {
            dice: fallen.iter().copied().collect(),
            ..Dictated::default()
        };
        let inputs = Inputs {
            dictated,
            ..Inputs::default()
        };
        let trial = toss.throw(inputs)?;
        let Some(next) = trial.event.tape.dice.get(fallen.len()) else {
            let consequences = alone::consequences(toss.fork, &trial);
            throws.push(Throw {
                share,
                consequences,
            });
            continue;
        };
        let sides = u8::try_from(next.sides)
            .ok()
            .filter(|sides| usize::from(*sides) <= WAYS)?;
        // The last goes on first, so that the lowest result is thrown first. A die without sides shows 0.
        for result in (sides.min(1)..=sides).rev() {
            let mut more = fallen.clone();
            more.push(result.into());
            open.push((more, share / f64::from(sides.max(1))));
        }
    }
    Some(throws)
}

/// So many throws as if the server's secret were another each time.
fn some_throws(toss: &Toss<'_>, first: &PatchTrial) -> Vec<Throw> {
    let mut all = vec![alone::consequences(toss.fork, first)];
    for nth in 1..THROWS {
        if toss.fork.is_over() {
            break;
        }
        let inputs = Inputs {
            secret: [nth; 32],
            ..Inputs::default()
        };
        if let Some(trial) = toss.throw(inputs) {
            all.push(alone::consequences(toss.fork, &trial));
        }
    }
    // There are no more than so many throws.
    let share = 1.0 / f64::from(u32::try_from(all.len()).unwrap_or(u32::MAX));
    all.into_iter()
        .map(|consequences| Throw {
            share,
            consequences,
        })
        .collect()
}

/// One change for each thing that any throw changes, with its outcomes. Facts of one subject in one throw are told apart by
/// their order.
fn merged(throws: Vec<Throw>) -> Vec<PossibleChange> {
    let mut changes: Vec<(PossibleChange, usize)> = Vec::new();
    for Throw {
        share,
        consequences,
    } in throws
    {
        let subjects: Vec<Subject<'_>> = consequences.iter().map(Consequence::subject).collect();
        let nth_of = |place: usize| {
            subjects[..place]
                .iter()
                .filter(|subject| **subject == subjects[place])
                .count()
        };
        let nths: Vec<usize> = (0..subjects.len()).map(nth_of).collect();
        for (consequence, nth) in consequences.into_iter().zip(nths) {
            let known = changes.iter_mut().find(|(change, of)| {
                *of == nth && change.outcomes[0].consequence.subject() == consequence.subject()
            });
            let Some((change, _)) = known else {
                let outcomes = vec![Possibility { share, consequence }];
                changes.push((PossibleChange { outcomes }, nth));
                continue;
            };
            match change
                .outcomes
                .iter_mut()
                .find(|outcome| outcome.consequence == consequence)
            {
                Some(outcome) => outcome.share += share,
                None => change.outcomes.push(Possibility { share, consequence }),
            }
        }
    }
    let mut changes: Vec<PossibleChange> = changes.into_iter().map(|(change, _)| change).collect();
    // What is certain is so to the last digit, however its share was summed.
    for change in &mut changes {
        for outcome in change.outcomes.iter_mut().filter(|one| one.share > CERTAIN) {
            outcome.share = 1.0;
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consequence::{PageFate, RuleFate};

    fn renamed(rule: &str, new: &str) -> Consequence {
        Consequence::Rule {
            rule: rule.into(),
            title: new.to_owned(),
            becomes: RuleFate::Renamed("1".to_owned()),
        }
    }

    #[test]
    fn what_hangs_on_dice_comes_in_shares_and_the_rest_as_it_is() {
        let written = Consequence::Page {
            name: "lore".into(),
            becomes: PageFate::Written,
        };
        let more = Consequence::MoreValues { count: 1 };
        let throw = |share, consequences: &[&Consequence]| Throw {
            share,
            consequences: consequences
                .iter()
                .map(|consequence| (*consequence).clone())
                .collect(),
        };
        let (two, three) = (renamed("r", "2"), renamed("r", "3"));
        let changes = merged(vec![
            throw(0.25, &[&two, &written]),
            throw(0.25, &[&three, &written]),
            throw(0.5, &[&three, &written, &more]),
        ]);
        let outcome = |share, consequence: &Consequence| Possibility {
            share,
            consequence: consequence.clone(),
        };
        assert_eq!(
            changes[0].outcomes,
            [outcome(0.25, &two), outcome(0.75, &three)]
        );
        assert_eq!(changes[1].outcomes, [outcome(1.0, &written)]);
        assert_eq!(changes[2].outcomes, [outcome(0.5, &more)]);
    }

    #[test]
    fn two_facts_of_one_kind_in_one_throw_are_two_changes() {
        let consequences = vec![renamed("a", "2"), renamed("b", "2")];
        assert_eq!(
            merged(vec![Throw {
                share: 1.0,
                consequences
            }])
            .len(),
            2
        );
    }
}
