//! A forecast: all that a patch would do, part by part.

use quorate_kernel::effect::Step;
use quorate_kernel::patch::Patch;
use quorate_kernel::{PostId, Refusal};
use serde::Serialize;

use crate::access::{Access, access};
use crate::amending::{Amending, amending};
use crate::claims::{Claims, claims};
use crate::fork::Fork;
use crate::odds::{Odds, over_all_dice};
use crate::queue::{Queue, queue};
use crate::shape;

/// How much a forecast looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// What the patch changes by itself, which is found out at once.
    Alone,
    /// Everything; `of` is the post that carries the patch, where there is one already.
    Whole {
        /// The post, which has its place in the queue.
        of: Option<PostId>,
    },
}

/// What a patch would do to this very game, as one reader may know it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Forecast {
    /// The digest of the patch, by which a post that carries the same one is known.
    pub digest: String,
    /// Why it cannot be tried at all; then nothing else is known.
    #[serde(serialize_with = "shape::some_refusal")]
    pub refused: Option<Refusal>,
    /// Whether it was tried without what is hidden from the reader.
    pub blind: bool,
    /// What changes by itself.
    pub alone: Option<Odds>,
    /// Whether rules can still be changed afterwards.
    pub amending: Option<Amending>,
    /// What becomes of claims under rules that get code.
    pub claims: Option<Claims>,
    /// What players could do at once.
    pub access: Option<Access>,
    /// What is otherwise in the queue, and what becomes of it.
    pub queue: Option<Queue>,
    /// The changes as the log would have them, effect by effect.
    #[serde(skip)]
    pub steps: Vec<Step>,
}

impl Forecast {
    /// Tries a patch on a game.
    pub fn of(fork: &Fork<'_>, patch: &Patch, extent: Extent) -> Self {
        let mut forecast = Self {
            digest: patch.digest().to_string(),
            refused: None,
            blind: fork.is_blind,
            alone: None,
            amending: None,
            claims: None,
            access: None,
            queue: None,
            steps: Vec::new(),
        };
        let trial = match fork.try_patch(patch) {
            Ok(trial) => trial,
            Err(refusal) => {
                forecast.refused = Some(refusal);
                return forecast;
            }
        };
        forecast.alone = Some(over_all_dice(fork, patch, &trial));
        if let Extent::Whole { of } = extent {
            forecast.amending = Some(amending(fork, &trial));
            forecast.claims = Some(claims(fork, &trial));
            forecast.access = Some(access(fork, &trial));
            forecast.queue = Some(queue(fork, patch, of, &trial));
        }
        forecast.steps = trial.event.steps;
        forecast
    }
}
