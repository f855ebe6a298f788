//! Who pays for what runs in a command or on a page.
//!
//! How accounts stand within one another is told in [`quorate_law::budget`]. Here they are opened: a part for each
//! declaration that the engine itself calls, a handler within it for each call.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use quorate_kernel::Name;
use quorate_law::budget::{Budget, Cost, Limits};

/// What stands for the one-off code of patches among the names of functions, none of which has a space.
const PATCH: &str = "one-off code";

/// The accounts of a command or a page.
pub(super) struct RunAccounts {
    /// That of the handler that runs; what it reads on its way is paid from it.
    handler: RefCell<Budget>,
    parts: RefCell<Parts>,
}

/// The parts by the functions that the engine calls. Runs beside one another for the same command share them.
#[derive(Clone)]
struct Parts {
    /// What stands over them and counts all of it.
    whole: Budget,
    of: Rc<RefCell<HashMap<Name, Budget>>>,
}

impl Default for RunAccounts {
    fn default() -> Self {
        Self {
            handler: RefCell::default(),
            parts: RefCell::new(Parts {
                whole: Budget::new(Limits::WHOLE),
                of: Rc::default(),
            }),
        }
    }
}

impl RunAccounts {
    /// Has all of it cost no more than is left of something larger.
    pub(super) fn limit_to(&self, left: Limits) {
        self.parts.borrow_mut().whole = Budget::new(left);
    }

    /// Pays from the accounts of another run of the same command.
    pub(super) fn share(&self, other: &Self) {
        *self.parts.borrow_mut() = other.parts.borrow().clone();
    }

    /// The account of a function's calls in this command.
    pub(super) fn part(&self, function: &Name) -> Budget {
        let parts = self.parts.borrow();
        let mut of = parts.of.borrow_mut();
        of.entry(function.clone())
            .or_insert_with(|| parts.whole.within(Limits::PART))
            .clone()
    }

    /// The account of all that patches run in this command.
    pub(super) fn of_patch(&self) -> Budget {
        self.part(&Name::from(PATCH))
    }

    /// Begins a handler that the engine calls.
    pub(super) fn begin(&self, function: &Name) {
        *self.handler.borrow_mut() = self.part(function).within(Limits::HANDLER);
    }

    /// The account of the handler that runs.
    pub(super) fn handler(&self) -> Budget {
        self.handler.borrow().clone()
    }

    /// Runs something on another account.
    pub(super) fn during<T>(&self, budget: Budget, run: impl FnOnce() -> T) -> T {
        let outer = self.handler.replace(budget);
        let done = run();
        self.handler.replace(outer);
        done
    }

    /// What was used in all.
    pub(super) fn used(&self) -> Cost {
        self.parts.borrow().whole.cost_since(Cost::default())
    }
}
