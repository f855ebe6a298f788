//! Refusals that need not be asked for again: each stands until something that it read is written, or its moment comes.

use std::collections::{BTreeMap, BTreeSet};

use quorate_engine::judge::Judge;
use quorate_engine::reads::ReadKey;
use quorate_engine::tx::Tx;
use quorate_kernel::event::Event;
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Refusal};
use quorate_law::stop::sooner;

/// What the law refused, with what each refusal rests on.
pub(super) struct KnownRefusals<K> {
    of: BTreeMap<K, KnownRefusal>,
    /// How many events of the log they are up to.
    events: usize,
}

struct KnownRefusal {
    refusal: Refusal,
    reads: BTreeSet<ReadKey>,
    until: Option<Moment>,
}

impl<K: Ord> KnownRefusals<K> {
    /// None, at the end of a log of so many events.
    pub(super) fn none(events: usize) -> Self {
        Self {
            of: BTreeMap::new(),
            events,
        }
    }

    /// Forgets all of them.
    pub(super) fn forget(&mut self) {
        self.of.clear();
    }

    /// Forgets those that may be other answers now, at the end of a longer log.
    pub(super) fn keep_up(&mut self, log: &[Event], now: Moment) {
        let new = log.get(self.events..).unwrap_or_default();
        self.events = log.len();
        let mut effects = new
            .iter()
            .flat_map(|event| &event.steps)
            .map(|step| &step.effect);
        let written: Option<BTreeSet<ReadKey>> =
            effects.try_fold(BTreeSet::new(), |mut all, effect| {
                all.extend(written(effect)?);
                Some(all)
            });
        match written {
            None => self.forget(),
            Some(written) => self.of.retain(|_, known| {
                known.until.is_none_or(|until| now < until) && known.reads.is_disjoint(&written)
            }),
        }
    }

    /// What the law refuses a question with, asked where that is not known; nothing where it refuses nothing.
    pub(super) fn refusal(
        &mut self,
        key: K,
        judge: &Judge,
        now: Moment,
        ask: impl FnOnce(&Tx) -> Option<Refusal>,
    ) -> Option<&Refusal> {
        use std::collections::btree_map::Entry;
        match self.of.entry(key) {
            Entry::Occupied(known) => Some(&known.into_mut().refusal),
            Entry::Vacant(unknown) => {
                let (refusal, reads) = judge.query(now, |tx| tx.reading(|| ask(tx)));
                let refusal = refusal?;
                let known = KnownRefusal {
                    reads: reads.keys(),
                    until: sooner(reads.until, refusal.next_at),
                    refusal,
                };
                Some(&unknown.insert(known).refusal)
            }
        }
    }
}

/// What an effect writes; nothing where any answer may rest on it, as on the law.
fn written(effect: &Effect) -> Option<Vec<ReadKey>> {
    let keys = match effect {
        // Rules don't read what falls due, nor what dice are bound to.
        Effect::Due { .. } | Effect::Commitment { .. } => return Some(Vec::new()),
        other => ReadKey::written(other),
    };
    let is_told_apart = !keys.is_empty() && !keys.contains(&ReadKey::Rules);
    is_told_apart.then_some(keys)
}

#[cfg(test)]
mod tests {
    use quorate_engine::offers;
    use quorate_kernel::Span;
    use quorate_kernel::command::{Act, Actor};

    use super::*;
    use crate::simulation::game::SimulatedGame;
    use crate::simulation::tiny_book::book;

    const HOARD: &str = r#"---
section: core
---
# Hoard

1. Who plays finds Gold and spends it.

```starlark
gold = number("Gold", of = player)

def rest(actor: Player):
    note("a rest")

def find(actor: Player):
    actor.gold += 1

def spend(actor: Player):
    require(actor.gold > 0, "some Gold")
    require(now >= game.founded_at + days(2), "another day")
    actor.gold -= 1

action("rest", rest)
action("find", find)
action("spend", spend)
```
"#;

    #[test]
    fn a_refusal_is_asked_for_again_once_what_it_read_is_written_or_its_moment_comes() {
        let rules = book(&[("1-hoard.md", HOARD)]);
        let mut game = SimulatedGame::begin(&rules, 1).expect("it begins");
        let member = game.members()[0];
        let mut known = KnownRefusals::none(0);
        let mut asked = 0;
        let mut look = |game: &SimulatedGame| {
            known.keep_up(&game.events, game.now);
            let decl = &game.judge.law().actions["spend"];
            let refusal = known.refusal((), &game.judge, game.now, |tx| {
                asked += 1;
                offers::tried(tx, member, decl, Vec::new()).err()
            });
            (refusal.map(|it| it.what().to_owned()), asked)
        };
        let acts = |game: &mut SimulatedGame, action: &str| {
            let act = Act::Do {
                action: action.into(),
                args: Vec::new(),
            };
            let judged = game.send(Actor::Player(member), act).expect("it holds");
            judged.event().expect("anybody may");
        };
        let gold = Some("some Gold".to_owned());
        assert_eq!(look(&game), (gold.clone(), 1));
        acts(&mut game, "rest");
        assert_eq!(look(&game), (gold, 1), "a rest changes nothing of it");
        acts(&mut game, "find");
        let day = Some("another day".to_owned());
        assert_eq!(look(&game), (day.clone(), 2));
        game.now = game.now + Span::days(1);
        assert_eq!(look(&game), (day, 2), "it names another moment");
        game.now = game.now + Span::days(1);
        assert_eq!(look(&game), (None, 3));
        assert_eq!(look(&game), (None, 4), "what is allowed is asked each time");
    }
}
