//! What an act of the law would do, for whoever is about to take it: which rules go, and what others lose with them.

use quorate_engine::judge::{Inputs, Judged};
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::patch::Patch;
use quorate_kernel::{Id, PostId, Refusal};

use crate::alone;
use crate::consequence::Consequence;
use crate::enactment::{Enacted, Proposed};
use crate::fork::{Fork, outcome, trial_command};
use crate::trial::held_against;

/// What an act would do by itself.
#[derive(Clone, PartialEq, Debug)]
pub struct ActForecast {
    /// What changes, the gravest first.
    pub consequences: Vec<Consequence>,
    /// What the law needs for it and is not there now. It was tried as if all of it were there.
    pub needs: Vec<Refusal>,
}

impl ActForecast {
    /// Tries an act on a copy of the game. Dice are trial throws.
    ///
    /// # Errors
    /// Fails where the act cannot be tried at all.
    pub fn of(fork: &Fork<'_>, actor: Actor, act: Act) -> Result<Self, Refusal> {
        let command = trial_command(fork.now, actor, act);
        let inputs = || Inputs {
            as_if_met: true,
            ..Inputs::default()
        };
        let mut judge = fork.judge.clone();
        let (mut judged, mut remains) = judge.judge_on(&command, &inputs());
        if matches!(judged, Judged::NeedsPast) {
            let past = fork.past.log()?;
            let inputs = Inputs {
                past: &past,
                ..inputs()
            };
            (judged, remains) = judge.judge_on(&command, &inputs);
        }
        let event = outcome(judged)?;
        let enacted = Enacted {
            post: PostId(Id::new(event.seq, 0)),
            judge,
            event,
            unmet: Vec::new(),
            unmet_conditions: remains.unmet_conditions,
            losses: remains.losses,
        };
        let none = Proposed::changes(fork.judge.law(), Patch::default());
        let trial = held_against(&fork.judge, &none, enacted);
        Ok(Self {
            consequences: alone::consequences(fork, &trial),
            needs: remains.unmet,
        })
    }
}
