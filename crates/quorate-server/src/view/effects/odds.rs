//! Dice in a report: a trial rolls none of the game's own, so what hangs on them is told as shares of all throws.
//!
//! A few dice are thrown in every way there is, and the shares are exact; of many there are so many trial throws.

use std::collections::BTreeMap;

use quorate_engine::judge::{Dictated, Inputs};
use quorate_kernel::command::Act;
use quorate_kernel::patch::Patch;
use quorate_kernel::tape::Die;

use crate::ui::Effect;
use crate::view::effects::{Trial, Until};
use crate::view::game::GameView;

/// As many ways as there may be for all of them to be thrown: two dice of six sides.
const WAYS: usize = 36;

/// The same number, to be compared with what dice say of themselves.
const WAYS_MOST: i128 = 36;

/// How many throws stand for all where there are more.
const THROWS: u8 = 50;

/// How many outcomes of one thing are told.
const TOLD: usize = 8;

/// The lines of one throw, and how much of all throws it stands for.
struct Throw {
    share: f64,
    lines: Vec<Effect>,
}

impl GameView {
    /// What a patch changes alone, over all throws of the dice that it rolls.
    pub(crate) fn over_all_dice(&self, trial: &Trial, until: &Until<'_>) -> Vec<Effect> {
        let alone = self.alone(trial);
        let patch = match &trial.event.act {
            Act::Repair { patch, .. } => patch.plain(),
            _ => None,
        };
        let (Some(patch), Some(die)) = (patch, trial.event.tape.dice.first()) else {
            return alone;
        };
        let exact = self.every_way(patch, trial, until);
        let (throws, how) = if let Some(throws) = exact {
            (
                throws,
                "each outcome with its share of all throws.".to_owned(),
            )
        } else {
            let throws = self.some_throws(patch, trial, until);
            let count = crate::ui::plural(throws.len(), "trial throw", "trial throws");
            (throws, format!("each outcome with its share of {count}."))
        };
        let dice = trial.event.tape.dice.len();
        let more = match dice {
            1 => String::new(),
            dice => format!(" and {} more", dice - 1),
        };
        let mut lines = vec![Effect::new(
            "By dice:",
            format!("{}{more}; {how}", named(die)),
        )];
        lines.extend(merged(&throws));
        lines
    }

    /// Every way in which the dice can fall, if those are few enough and the time is long enough.
    fn every_way(&self, patch: &Patch, first: &Trial, until: &Until<'_>) -> Option<Vec<Throw>> {
        let mut sides = first.event.tape.dice.iter().map(|die| die.sides.max(1));
        let ways = sides.try_fold(1_i128, i128::checked_mul)?;
        if ways > WAYS_MOST {
            return None;
        }
        let mut throws = Vec::new();
        let mut open: Vec<(Vec<i64>, f64)> = vec![(Vec::new(), 1.0)];
        while let Some((fallen, share)) = open.pop() {
            if until.is_over() || throws.len() + open.len() > WAYS {
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
            let trial = self.try_with(self.blind(), patch, &inputs).ok()?;
            let Some(next) = trial.event.tape.dice.get(fallen.len()) else {
                let lines = self.alone(&trial);
                throws.push(Throw { share, lines });
                continue;
            };
            let sides = i64::try_from(next.sides)
                .ok()
                .filter(|sides| *sides <= 36)?;
            // The last goes on first, so that the lowest result is thrown first.
            for result in (1..=sides.max(1)).rev() {
                let mut more = fallen.clone();
                more.push(if sides == 0 { 0 } else { result });
                open.push((more, share / f64::from(i32::try_from(sides.max(1)).ok()?)));
            }
        }
        Some(throws)
    }

    /// So many throws as if the server's secret were another each time.
    fn some_throws(&self, patch: &Patch, first: &Trial, until: &Until<'_>) -> Vec<Throw> {
        let mut all = vec![self.alone(first)];
        for nth in 1..THROWS {
            if until.is_over() {
                break;
            }
            let inputs = Inputs {
                secret: [nth; 32],
                ..Inputs::default()
            };
            if let Ok(trial) = self.try_with(self.blind(), patch, &inputs) {
                all.push(self.alone(&trial));
            }
        }
        // There are no more than so many throws.
        let share = 1.0 / f64::from(u32::try_from(all.len()).unwrap_or(u32::MAX));
        let throws = all.into_iter();
        throws.map(|lines| Throw { share, lines }).collect()
    }
}

fn named(die: &Die) -> String {
    match die.what.as_str() {
        "" => format!("a die of {}", die.sides),
        what => format!("a die of {} ({what})", die.sides),
    }
}

/// What each thing comes to in which share of the throws.
struct Fate<'a> {
    line: &'a Effect,
    /// Its outcomes in the order in which they were met.
    outcomes: Vec<(&'a str, f64)>,
}

/// One line for each thing: as it is where it is the same in every throw, else its outcomes with their shares.
fn merged(throws: &[Throw]) -> Vec<Effect> {
    let mut fates: Vec<Fate<'_>> = Vec::new();
    let mut places: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    for throw in throws {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for line in &throw.lines {
            let nth = seen.entry(&line.lead).or_default();
            let place = *places.entry((&line.lead, *nth)).or_insert_with(|| {
                fates.push(Fate {
                    line,
                    outcomes: Vec::new(),
                });
                fates.len() - 1
            });
            *nth += 1;
            let outcomes = &mut fates[place].outcomes;
            match outcomes.iter_mut().find(|(text, _)| *text == line.text) {
                Some((_, share)) => *share += throw.share,
                None => outcomes.push((&line.text, throw.share)),
            }
        }
    }
    fates.iter().map(Fate::told).collect()
}

impl Fate<'_> {
    fn told(&self) -> Effect {
        let all: f64 = self.outcomes.iter().map(|(_, share)| share).sum();
        if self.outcomes.len() == 1 && all > 0.9999 {
            return self.line.clone();
        }
        let mut told: Vec<String> = Vec::new();
        for (text, share) in self.outcomes.iter().take(TOLD) {
            told.push(if text.is_empty() {
                percent(*share)
            } else {
                format!("{text} ({})", percent(*share))
            });
        }
        if self.outcomes.len() > TOLD {
            let rest: f64 = self
                .outcomes
                .iter()
                .skip(TOLD)
                .map(|(_, share)| share)
                .sum();
            let count = self.outcomes.len() - TOLD;
            told.push(format!("{count} others ({})", percent(rest)));
        }
        if all < 0.9999 {
            told.push(format!("not at all ({})", percent(1.0 - all)));
        }
        Effect {
            text: told.join("; "),
            ..self.line.clone()
        }
    }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        small if small < 0.5 => "under 1 %".to_owned(),
        share => format!("{share:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throw(share: f64, lines: &[(&str, &str)]) -> Throw {
        let lines = lines.iter().map(|(lead, text)| Effect::new(*lead, *text));
        Throw {
            share,
            lines: lines.collect(),
        }
    }

    #[test]
    fn what_hangs_on_dice_is_told_in_shares_and_the_rest_as_it_is() {
        let lines = merged(&[
            throw(0.25, &[("A:", "1 → 2"), ("B:", "x")]),
            throw(0.25, &[("A:", "1 → 3"), ("B:", "x")]),
            throw(0.5, &[("A:", "1 → 3"), ("B:", "x"), ("Win:", "")]),
        ]);
        let told: Vec<String> = lines
            .iter()
            .map(|l| format!("{} {}", l.lead, l.text))
            .collect();
        assert_eq!(
            told,
            [
                "A: 1 → 2 (25 %); 1 → 3 (75 %)",
                "B: x",
                "Win: 50 %; not at all (50 %)"
            ]
        );
    }

    #[test]
    fn many_outcomes_are_cut_short() {
        let texts: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        let throws: Vec<Throw> = texts
            .iter()
            .map(|text| throw(0.05, &[("A:", text)]))
            .collect();
        let line = &merged(&throws)[0].text;
        assert!(line.ends_with("7 (5 %); 12 others (60 %)"), "{line}");
    }
}
