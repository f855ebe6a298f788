//! How much a run of rule code may use.

use std::cell::Cell;
use std::rc::Rc;

/// The most that one handler may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Function calls and turns of loops.
    pub steps: u64,
    /// Bytes that rule code allocates, all told.
    pub bytes: u64,
    /// Rule functions inside one another, within one entry from the engine.
    pub depth: u32,
    /// Entries from the engine inside one another: a derived value that reads a derived value and so on.
    pub entries: u32,
    /// Bytes of text that leave rule code: notes, posts, comments, messages, refusals.
    pub output: u64,
}

impl Limits {
    /// What every handler of a rule gets.
    pub const HANDLER: Self = Self {
        steps: 200_000,
        bytes: 16 << 20,
        depth: 64,
        entries: 16,
        output: 256 << 10,
    };

    /// What a test gets that anybody may have written.
    pub const GUEST: Self = Self {
        steps: 2_000_000,
        bytes: 64 << 20,
        depth: 64,
        entries: 16,
        output: 1 << 20,
    };

    /// What the declarations of a whole law get, and a test file.
    pub const WHOLE: Self = Self {
        steps: 20_000_000,
        bytes: 512 << 20,
        depth: 64,
        entries: 16,
        output: 16 << 20,
    };
}

/// What a run used up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// Steps.
    pub steps: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A running account against [`Limits`]. Clones share the account, so that whatever a handler sets off is paid by it.
#[derive(Clone, Debug)]
pub struct Budget(Rc<BudgetState>);

#[derive(Debug)]
struct BudgetState {
    limits: Limits,
    steps: Cell<u64>,
    bytes: Cell<u64>,
    output: Cell<u64>,
}

impl Budget {
    /// A fresh account.
    pub fn new(limits: Limits) -> Self {
        Self(Rc::new(BudgetState {
            limits,
            steps: Cell::new(0),
            bytes: Cell::new(0),
            output: Cell::new(0),
        }))
    }

    /// The limits of the account.
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// What was used so far, after it was `before`.
    pub fn cost_since(&self, before: Cost) -> Cost {
        Cost {
            steps: self.steps().saturating_sub(before.steps),
            bytes: self.bytes().saturating_sub(before.bytes),
        }
    }

    /// Pays for a run that need not be repeated, as if it were. False, and nothing is paid, where too little is left:
    /// then it has to be repeated, to break where it breaks.
    #[must_use]
    pub fn pay(&self, cost: Cost) -> bool {
        let enough = cost.steps <= self.steps_left() && cost.bytes <= self.bytes_left();
        if enough {
            self.add_steps(cost.steps);
            self.add_bytes(cost.bytes);
        }
        enough
    }

    /// Steps used so far by runs that have ended.
    pub fn steps(&self) -> u64 {
        self.0.steps.get()
    }

    /// Bytes used so far by runs that have ended, and by natives of those that have not.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.get()
    }

    pub(crate) fn add_steps(&self, steps: u64) {
        self.0.steps.set(self.0.steps.get().saturating_add(steps));
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.0.bytes.set(self.0.bytes.get().saturating_add(bytes));
    }

    /// Accounts for text that leaves rule code; false if that is too much.
    pub(crate) fn add_output(&self, bytes: usize) -> bool {
        let sum = self.0.output.get().saturating_add(bytes as u64);
        self.0.output.set(sum);
        sum <= self.0.limits.output
    }

    pub(crate) fn steps_left(&self) -> u64 {
        self.0.limits.steps.saturating_sub(self.steps())
    }

    pub(crate) fn bytes_left(&self) -> u64 {
        self.0.limits.bytes.saturating_sub(self.bytes())
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Limits::HANDLER)
    }
}
