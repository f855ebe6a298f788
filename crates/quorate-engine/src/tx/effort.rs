//! What answers of the law take, and who pays for those that are kept.

use quorate_law::budget::Cost;

use super::Tx;
use crate::memo::{DEPTH_MAX, Effort};

impl Tx {
    /// Does something and tells what it took. Outside of any run, what is called gets an account of its own.
    pub(crate) fn measured<T>(&self, act: impl FnOnce() -> T) -> (T, Effort) {
        let (depth, deepest) = (self.depth.get(), self.deepest.get());
        let before = match depth {
            0 => Cost::default(),
            _ => self.budget.borrow().cost_since(Cost::default()),
        };
        self.deepest.set(depth);
        let done = act();
        let effort = Effort {
            cost: self.budget.borrow().cost_since(before),
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
        if reached > DEPTH_MAX || !self.budget.borrow().pay(effort.cost) {
            return false;
        }
        self.deepest.set(self.deepest.get().max(reached));
        true
    }
}
