//! What the runs of a command or a page take, and who pays.
//!
//! The accounts are those of `accounts.rs`.

use quorate_law::budget::{Cost, Limits};
use quorate_law::stop::{Answer, Stop};

use super::Tx;
use crate::memo::{DEPTH_MAX, Effort};

/// What reading a script takes, however short: about a millisecond.
const SCRIPT_STEPS: u64 = 4_000;

/// What each byte of it takes.
const SCRIPT_STEPS_A_BYTE: u64 = 10;

/// How many rows are looked through for a step.
const ROWS_A_STEP: u64 = 4;

impl Tx {
    /// Runs what is somebody else's and is left out if it breaks, as a handler of its own: what it uses does not count
    /// against the handler that asked for it, only against that one's part. Where that part is used up, it is the asker
    /// that breaks, which the outer error tells.
    pub(crate) fn apart<T>(&self, run: impl FnOnce() -> Answer<T>) -> Answer<Answer<T>> {
        if self.depth.get() == 0 {
            return Ok(run());
        }
        let own = self.accounts.handler().beside(Limits::HANDLER);
        let answer = self.accounts.during(own.clone(), run);
        match answer {
            Err(Stop::Broken(fault)) if own.asker_is_spent() => Err(Stop::Broken(fault)),
            answer => Ok(answer),
        }
    }

    /// Charges the handler that runs for looking through so many rows; an error where it has too little left.
    pub(crate) fn looks_through(&self, rows: usize) -> Answer<()> {
        let cost = Cost {
            steps: rows as u64 / ROWS_A_STEP,
            bytes: 0,
        };
        if self.depth.get() == 0 || self.accounts.handler().pay(cost) {
            return Ok(());
        }
        let steps = self.accounts.handler().limits().steps;
        Err(Stop::limit(format!(
            "the rule takes more than {steps} steps"
        )))
    }

    /// What the one-off code of a patch takes to be read and checked; false where its account is used up.
    pub(crate) fn reads_script(&self, code: &str) -> bool {
        let cost = Cost {
            steps: SCRIPT_STEPS + code.len() as u64 * SCRIPT_STEPS_A_BYTE,
            bytes: 0,
        };
        self.accounts.of_patch().pay(cost)
    }

    /// Has the whole run cost no more than is left of what it is part of.
    pub(crate) fn limit_to(&self, left: Limits) {
        self.accounts.limit_to(left);
    }

    /// What the run has used so far.
    pub(crate) fn used(&self) -> Cost {
        self.accounts.used()
    }

    /// Does something and tells what it took. Outside of any run, each thing that is called gets an account of its own.
    pub(crate) fn measured<T>(&self, act: impl FnOnce() -> T) -> (T, Effort) {
        let (depth, deepest) = (self.depth.get(), self.deepest.get());
        let used = || match depth {
            0 => self.accounts.used(),
            _ => self.accounts.handler().cost_since(Cost::default()),
        };
        let before = used();
        self.deepest.set(depth);
        let done = act();
        let after = used();
        let effort = Effort {
            cost: Cost {
                steps: after.steps.saturating_sub(before.steps),
                bytes: after.bytes.saturating_sub(before.bytes),
            },
            height: self.deepest.get() - depth,
        };
        self.deepest.set(self.deepest.get().max(deepest));
        (done, effort)
    }

    /// Pays for a kept answer as if it were worked out. False where that would break a limit.
    pub(crate) fn takes(&self, effort: Effort) -> bool {
        let depth = self.depth.get();
        if depth == 0 {
            return true;
        }
        let reached = depth + effort.height;
        if reached > DEPTH_MAX || !self.accounts.handler().pay(effort.cost) {
            return false;
        }
        self.deepest.set(self.deepest.get().max(reached));
        true
    }
}
