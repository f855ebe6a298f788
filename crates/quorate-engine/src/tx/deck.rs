//! Dice and choices of one run: where they come from, and which of them fell.

use std::collections::BTreeMap;

use quorate_kernel::chance;
use quorate_kernel::seal::Salt;
use quorate_kernel::state::State;
use quorate_kernel::tape::{Chosen, DiceKey, Die, Seed, SeedId, Tape};
use quorate_kernel::{EventSeq, Value};
use quorate_law::datum::Datum;

use crate::convert;
use crate::inputs::Dictated;

/// Where dice come from.
#[derive(Clone, Debug)]
pub enum DiceFrom {
    /// From the command's seed.
    Seed(Seed),
    /// From the tape of an event that is judged again; where it is silent, as it was refused before, from nowhere.
    Tape,
    /// From nowhere: a preview that may not know what real dice would show.
    Nowhere,
    /// From an earlier go alone: a trial that goes as far as its dice lead.
    EarlierGo,
}

impl DiceFrom {
    /// The seed, where dice come from one.
    fn seed(&self) -> Option<&Seed> {
        match self {
            Self::Seed(seed) => Some(seed),
            Self::Tape | Self::Nowhere | Self::EarlierGo => None,
        }
    }
}

/// What follows from a game's secret for one command.
#[derive(Clone)]
pub struct Lot {
    /// Its dice.
    dice: Seed,
    /// The salts of what it closes.
    salts: Seed,
    /// The key that was committed to for dice of now.
    key: DiceKey,
    /// The secret, for the next commitment.
    secret: [u8; 32],
}

impl Lot {
    /// For a command that is judged on a state, whose seed is named so. Dice that fall `apart` follow from what is never shown.
    pub fn of(secret: &[u8; 32], state: &State, id: &SeedId, apart: bool) -> Self {
        let key = chance::current_key(secret, state);
        let salts = Seed::closed(secret, id);
        Self {
            dice: if apart { salts } else { key.seed(id) },
            salts,
            key,
            secret: *secret,
        }
    }
}

impl std::fmt::Debug for Lot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lot(secret)")
    }
}

/// The dice and choices of one run.
#[derive(Clone, Debug)]
pub struct Deck {
    from: DiceFrom,
    lot: Option<Lot>,
    /// Dice that fell in an earlier go, by what they were for.
    known: Vec<Die>,
    /// Results and choices that a test or a preview dictates, in order.
    dictated: Dictated,
    /// The first of what was dictated that cannot be.
    misfit: Option<String>,
    /// Choices already made.
    given: Vec<Chosen>,
    counts: BTreeMap<(bool, String), usize>,
    rolled: Vec<Die>,
    /// Dice that fell in parts of this run that were taken back, each with how many of its `what` came before it.
    lost: Vec<(usize, Die)>,
    taken: Vec<Chosen>,
}

impl Deck {
    /// Dice from a seed, none fallen yet.
    pub fn seeded(lot: Lot) -> Self {
        Self::from(DiceFrom::Seed(lot.dice), Some(lot))
    }

    /// The dice and choices of a recorded command.
    pub fn recorded(tape: &Tape, lot: Option<Lot>) -> Self {
        let mut deck = Self::from(DiceFrom::Tape, lot);
        deck.known.clone_from(&tape.dice);
        deck.given.clone_from(&tape.answers);
        deck
    }

    /// No dice at all: what needs one cannot be known.
    pub fn nowhere() -> Self {
        Self::from(DiceFrom::Nowhere, None)
    }

    /// Dice and choices of an earlier go, for a trial that goes as far as they lead.
    pub fn of_earlier_go(dice: &[Die], answers: &[Chosen]) -> Self {
        Self::from(DiceFrom::EarlierGo, None).knowing(dice, answers)
    }

    /// Whether a trial goes on beyond its first die or question.
    pub fn leads_on(&self) -> bool {
        matches!(self.from, DiceFrom::EarlierGo)
    }

    /// A trial within a trial ends at its first die.
    pub fn lead_no_further(&mut self) {
        if self.leads_on() {
            self.from = DiceFrom::Nowhere;
        }
    }

    fn from(from: DiceFrom, lot: Option<Lot>) -> Self {
        Self {
            from,
            lot,
            known: Vec::new(),
            dictated: Dictated::default(),
            misfit: None,
            given: Vec::new(),
            counts: BTreeMap::new(),
            rolled: Vec::new(),
            lost: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Adds dice that fell before and choices that were made before.
    #[must_use]
    pub fn knowing(mut self, dice: &[Die], answers: &[Chosen]) -> Self {
        self.known.extend_from_slice(dice);
        self.given.extend_from_slice(answers);
        self
    }

    /// Dictates the next results and choices.
    #[must_use]
    pub fn dictated(mut self, dictated: Dictated) -> Self {
        self.dictated = dictated;
        self
    }

    /// Results and choices that were dictated and not used.
    pub fn left_over(&self) -> Dictated {
        self.dictated.clone()
    }

    /// The first of what was dictated that cannot be, and why.
    pub fn misfit(&self) -> Option<String> {
        self.misfit.clone()
    }

    /// Notes that something was dictated that cannot be.
    pub fn does_not_fit(&mut self, why: String) {
        self.misfit.get_or_insert(why);
    }

    /// The next result that was dictated, if the die has it.
    fn forced(&mut self, what: &str, sides: u128) -> Option<i64> {
        let result = self.dictated.dice.pop_front()?;
        let fits = u128::try_from(result).is_ok_and(|result| (1..=sides).contains(&result));
        if !fits {
            self.does_not_fit(format!("a die of {sides} ({what}) cannot show {result}"));
        }
        fits.then_some(result)
    }

    /// The dice that fell.
    pub fn rolled(&self) -> &[Die] {
        &self.rolled
    }

    /// The tape of the run: the dice in the order in which they fell, behind them those of parts that were taken back, so that
    /// whoever judges it again comes as far as the run did.
    pub fn tape(&self) -> Tape {
        let mut lost = self.lost.clone();
        lost.sort_by(|(one, a), (other, b)| (&a.what, one).cmp(&(&b.what, other)));
        let lost = lost.into_iter().map(|(_, die)| die);
        Tape {
            dice: self.rolled.iter().cloned().chain(lost).collect(),
            answers: self.taken.clone(),
        }
    }

    /// Remembers the dice of a part that is taken back: `later` is this deck as it was at the part's end.
    pub fn take_back(&mut self, later: Self) {
        let before = self.rolled.len();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (index, die) in later.rolled.into_iter().enumerate() {
            let count = counts.entry(die.what.clone()).or_insert(0);
            let nth = *count;
            *count += 1;
            if index >= before {
                self.lose(nth, die);
            }
        }
        for (nth, die) in later.lost {
            self.lose(nth, die);
        }
    }

    fn lose(&mut self, nth: usize, die: Die) {
        let is_there = |(other, known): &(usize, Die)| *other == nth && known.what == die.what;
        if !self.lost.iter().any(is_there) {
            self.lost.push((nth, die));
        }
    }

    /// The die that fell as the `nth` for `what` before: in a part that was taken back, or in an earlier go.
    fn fell(&mut self, what: &str, nth: usize) -> Option<Die> {
        let lost = self.lost.iter();
        let mut lost = lost
            .enumerate()
            .filter(|(_, (other, die))| *other == nth && die.what == what);
        if let Some(index) = lost.next().map(|(index, _)| index) {
            return Some(self.lost.remove(index).1);
        }
        let mut known = self.known.iter().filter(|die| die.what == what);
        known.nth(nth).cloned()
    }

    /// The salt of a seal.
    pub fn salt(&self, nth: u64) -> Salt {
        self.lot.as_ref().map_or_else(
            || {
                let mut salt = [0; 16];
                salt[..8].copy_from_slice(&nth.to_le_bytes());
                salt
            },
            |lot| lot.salts.salt(nth),
        )
    }

    /// The key of the commitment that stands, and that of one made in an event from here on; none where there is no secret.
    pub fn next_commitment(&self, seq: EventSeq) -> Option<(DiceKey, DiceKey)> {
        let lot = self.lot.as_ref()?;
        Some((lot.key, DiceKey::of(&lot.secret, seq)))
    }

    fn count(&mut self, is_die: bool, what: &str) -> usize {
        let count = self.counts.entry((is_die, what.to_owned())).or_insert(0);
        *count += 1;
        *count - 1
    }

    /// The next die for `what`, before any rule changes it; none where dice come from nowhere.
    pub fn die(
        &mut self,
        what: &str,
        sides: i64,
        by: Option<quorate_kernel::PlayerId>,
    ) -> Option<i64> {
        if sides <= 0 {
            return Some(0);
        }
        let nth = self.count(true, what);
        let known = self
            .fell(what, nth)
            .filter(|die| die.sides == i128::from(sides));
        let result = match known {
            Some(die) => i64::try_from(die.result).ok()?,
            None => match self.forced(what, u128::try_from(sides).unwrap_or(0)) {
                Some(forced) => forced,
                None => self.from.seed()?.die(what, nth as u64, sides),
            },
        };
        self.rolled.push(Die {
            what: what.to_owned(),
            sides: i128::from(sides),
            result: i128::from(result),
            by,
        });
        Some(result)
    }

    /// A die of the tracker's dice line, of up to 21 digits.
    pub fn big_die(
        &mut self,
        what: &str,
        sides: u128,
        by: Option<quorate_kernel::PlayerId>,
    ) -> Option<u128> {
        let nth = self.count(true, what);
        let known = self
            .fell(what, nth)
            .and_then(|die| u128::try_from(die.result).ok());
        let result = match known {
            Some(result) => result,
            None if sides == 0 => 0,
            None => match self.forced(what, sides) {
                Some(forced) => u128::try_from(forced).ok()?,
                None => self.from.seed()?.big_die(what, nth as u64, sides),
            },
        };
        let number = |n: u128| i128::try_from(n).unwrap_or(i128::MAX);
        self.rolled.push(Die {
            what: what.to_owned(),
            sides: number(sides),
            result: number(result),
            by,
        });
        Some(result)
    }

    /// The choice made for a question before, if there is one.
    pub fn choice(&mut self, what: &str) -> Option<Datum> {
        let nth = self.count(false, what);
        let mut given = self.given.iter().filter(|chosen| chosen.what == what);
        given.nth(nth).map(|c| convert::datum(&c.value))
    }

    /// The next choice that was dictated.
    pub fn dictated_choice(&mut self) -> Option<Datum> {
        self.dictated.choices.pop_front()
    }

    /// Notes a choice that was made.
    pub fn take(&mut self, what: &str, value: Value) {
        self.taken.push(Chosen {
            what: what.to_owned(),
            value,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deck() -> Deck {
        let id = SeedId {
            player: None,
            key: "a command".into(),
        };
        Deck::seeded(Lot::of(&[5; 32], &State::default(), &id, false))
    }

    /// Two dice, the second in a part that is taken back, and then another.
    fn played(mut deck: Deck) -> (Vec<Option<i64>>, Tape) {
        let mut results = vec![deck.die("luck", 1_000, None)];
        let mark = deck.clone();
        results.push(deck.die("luck", 1_000, None));
        let later = std::mem::replace(&mut deck, mark);
        deck.take_back(later);
        results.push(deck.die("weather", 1_000, None));
        (results, deck.tape())
    }

    #[test]
    fn dice_of_a_part_that_was_taken_back_are_on_the_tape_so_that_it_comes_out_alike() {
        let (results, tape) = played(deck());
        assert_eq!(tape.dice.len(), 3);
        assert!(results.iter().all(Option::is_some));
        assert_eq!(played(Deck::recorded(&tape, None)), (results, tape));
    }

    #[test]
    fn a_die_that_falls_again_after_it_was_taken_back_is_on_the_tape_once() {
        let mut deck = deck();
        let mark = deck.clone();
        let first = deck.die("luck", 1_000, None);
        let later = std::mem::replace(&mut deck, mark);
        deck.take_back(later);
        assert_eq!(deck.die("luck", 1_000, None), first);
        assert_eq!(deck.tape().dice.len(), 1);
    }
}
