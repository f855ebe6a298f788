//! A forecast: all that a post would do once it is enacted, part by part.

use quorate_engine::Remains;
use quorate_engine::judge::{Inputs, Judge};
use quorate_kernel::effect::Step;
use quorate_kernel::event::Event;
use quorate_kernel::patch::Patch;
use quorate_kernel::{Id, PostId, Refusal};
use serde::Serialize;

use crate::access::{Access, access};
use crate::alone;
use crate::amending::{Amending, amending};
use crate::claims::{Claims, claims};
use crate::conditions::{Condition, conditions};
use crate::consequence::Consequence;
use crate::enactment::{Enacted, Enactment, Proposed};
use crate::fork::Fork;
use crate::odds::{Odds, Toss, over_all_dice};
use crate::queue::{Collision, Queue, collisions, queue};
use crate::shape;
use crate::trial::{PatchTrial, held_against};

/// How much a forecast looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// What the post changes by itself, which is found out at once.
    Alone,
    /// Everything.
    Whole,
}

/// What a post would do to this very game, as one reader may know it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Forecast {
    /// The digest of its changes, by which a post that carries the same ones is known.
    pub digest: String,
    /// Why it cannot be tried at all; then nothing else is known.
    #[serde(serialize_with = "shape::some_refusal")]
    pub refused: Option<Refusal>,
    /// Whether it was tried without what is hidden from the reader.
    pub blind: bool,
    /// What the law still needs before it is posted and enacted. It was tried as if all of it were there.
    #[serde(serialize_with = "shape::refusals")]
    pub needs: Vec<Refusal>,
    /// What rules say of it as it is posted; of a post that is there they have said it.
    pub said: Vec<String>,
    /// What changes by itself.
    pub alone: Option<Odds>,
    /// The conditions of its changes, as they are now and as they may come to be.
    pub conditions: Vec<Condition>,
    /// Whether rules can still be changed afterwards.
    pub amending: Option<Amending>,
    /// What becomes of claims under rules that get code.
    pub claims: Option<Claims>,
    /// What players could do at once.
    pub access: Option<Access>,
    /// Pending matters that touch the same and get in its way, or it in theirs; the queue of a whole forecast has them.
    pub collisions: Vec<Collision>,
    /// What is otherwise in the queue, and what becomes of it.
    pub queue: Option<Queue>,
    /// The changes as the log would have them, effect by effect.
    #[serde(skip)]
    pub steps: Vec<Step>,
}

impl Forecast {
    /// Tries a post on a game.
    pub fn of(fork: &Fork<'_>, proposed: &Proposed, extent: Extent) -> Self {
        let patch = proposed.patch(&fork.judge).cloned().unwrap_or_default();
        let mut forecast = Self {
            digest: patch.digest().to_string(),
            refused: None,
            blind: fork.is_blind,
            needs: Vec::new(),
            said: Vec::new(),
            alone: None,
            conditions: Vec::new(),
            amending: None,
            claims: None,
            access: None,
            collisions: Vec::new(),
            queue: None,
            steps: Vec::new(),
        };
        let (enactment, trial) = match tried(fork, proposed) {
            Ok(tried) => tried,
            Err(refusal) => {
                forecast.refused = Some(refusal);
                return forecast;
            }
        };
        let toss = Toss {
            fork,
            proposed,
            enactment: &enactment,
        };
        forecast.alone = Some(over_all_dice(&toss, &trial));
        forecast.said.clone_from(&enactment.said);
        forecast.conditions = conditions(fork, proposed, &patch, &trial);
        if extent == Extent::Whole {
            // What the closing alone brings about, whatever the post says, is none of the post's doing.
            let empty = proposed.with(&fork.judge, Patch::default());
            let without = fork.try_out(&empty);
            let without = without.map_or_else(|_| fork.judge.clone(), |trial| trial.judge);
            forecast.amending = Some(amending(fork, &trial));
            forecast.claims = Some(claims(fork, &trial));
            forecast.access = Some(access(fork, &without, &trial.judge));
            forecast.queue = Some(queue(fork, proposed, &without, &trial));
        } else {
            forecast.collisions = collisions(fork, proposed, &trial);
        }
        forecast.needs = trial.unmet;
        forecast.steps = trial.event.steps;
        forecast
    }
}

/// What came of a post that was enacted in the fork's game, with what its judgement left, as a forecast would have told it.
pub fn happened(
    fork: &Fork<'_>,
    proposed: &Proposed,
    after: Judge,
    event: Event,
    remains: Remains,
) -> Vec<Consequence> {
    let enacted = Enacted {
        post: proposed.post().unwrap_or(PostId(Id::new(event.seq, 0))),
        judge: after,
        event,
        unmet: Vec::new(),
        unmet_conditions: remains.unmet_conditions,
        losses: remains.losses,
    };
    alone::consequences(fork, &held_against(&fork.judge, proposed, enacted))
}

fn tried(fork: &Fork<'_>, proposed: &Proposed) -> Result<(Enactment, PatchTrial), Refusal> {
    let enactment = Enactment::find(fork, &fork.judge, proposed)?;
    let trial = fork.enact(&fork.judge, proposed, &enactment, Inputs::default())?;
    Ok((enactment, trial))
}
