//! Rulings over what has happened.

use quorate_engine::history::{self, Bench};
use quorate_engine::judge::Judge;
use quorate_engine::ruling::{NamedRuling, Ruling};
use quorate_kernel::Refusal;
use quorate_kernel::event::Event;
use quorate_kernel::patch::{Clause, Patch};

use crate::view::game::GameView;

/// The events that a patch rules on; none where it makes no ruling.
pub(crate) fn named(patch: &Patch) -> Option<NamedRuling> {
    patch.clauses.iter().find_map(|clause| match clause {
        Clause::Strike { events, uphold } => Some(NamedRuling {
            strike: events.iter().copied().collect(),
            uphold: uphold.iter().copied().collect(),
        }),
        _ => None,
    })
}

impl GameView {
    /// What history comes to, judged again under a ruling. `log` is the whole of it.
    pub(crate) fn ruled(&self, log: &[Event], named: &NamedRuling) -> Result<Ruling, Refusal> {
        let bench = Bench {
            now: self.state(),
            past: log,
            seq: self.head().seq.next(),
            // A secret of nobody: dice that are known stay, and nothing is learnt of others.
            secret: [0; 32],
        };
        let laws = &self.site.deps.laws;
        history::rule(&bench, named, |state, head| Judge::open(state, head, laws))
    }
}
