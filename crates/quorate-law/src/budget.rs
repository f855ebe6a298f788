//! How much rule code may use, and who pays.
//!
//! One step is one turn of a loop, one call, or four short statements or attributes that are read; a native is charged as many
//! as its work is worth, before it does it ([`crate::host::guards`]). An account can stand within another, and what is paid from it is paid from that one, too:
//!
//! - a *handler* ([`Limits::HANDLER`]): one call by the engine, with the derived values, quantities and predicates that
//!   it reads;
//! - a *part* ([`Limits::PART`]): all calls of one declaration in one command or page, with whatever they set off: the
//!   guards and filters of other rules that `allowed` asks are handlers of their own within the asker's part.
//!
//! So what asks for too much pays for it. A guard that runs away within its own handler is left out, and whoever asked
//! it goes on; one that ends because its asker's part is used up is not left out, but ends the asker. And since the guards
//! of a command have parts of their own, nothing else in the command can use those up.

use std::cell::Cell;
use std::rc::Rc;

/// The most that an account may pay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Whose account it is, as errors word it.
    pub whose: &'static str,
    /// Function calls and turns of loops, and what natives are charged.
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
    /// The most things, posts, comments, messages and lines of ledgers that one event makes.
    pub const MADE: u64 = 10_000;

    /// What every handler of a rule gets.
    pub const HANDLER: Self = Self {
        whose: "the rule",
        steps: 200_000,
        bytes: 16 << 20,
        depth: 64,
        entries: 16,
        output: 256 << 10,
    };

    /// What all handlers of one declaration get in one command or page, and the scripts and tests of one patch.
    pub const PART: Self = Self {
        whose: "the rule, with all that it sets off,",
        steps: 1_000_000,
        bytes: 64 << 20,
        output: 1 << 20,
        ..Self::HANDLER
    };

    /// What the tests get that come with something that anybody may have written, all of them together.
    pub const GUEST: Self = Self {
        whose: "the test",
        steps: 2_000_000,
        bytes: 64 << 20,
        output: 1 << 20,
        ..Self::HANDLER
    };

    /// What the declarations of a whole law get.
    pub const LAW: Self = Self {
        whose: "the top level",
        steps: 2_000_000,
        bytes: 128 << 20,
        ..Self::GUEST
    };

    /// What a test of a rulebook gets, and all that one command or page sets off.
    pub const WHOLE: Self = Self {
        whose: "the code",
        steps: 20_000_000,
        bytes: 512 << 20,
        output: 16 << 20,
        ..Self::HANDLER
    };

    /// What all parts of a preview get together, its tests too; each of its trials and questions has [`Self::WHOLE`].
    pub const PREVIEW: Self = Self {
        whose: "the preview",
        steps: 8 * Self::WHOLE.steps,
        bytes: 8 * Self::WHOLE.bytes,
        ..Self::WHOLE
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

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            steps: self.steps.saturating_add(more.steps),
            bytes: self.bytes.saturating_add(more.bytes),
        }
    }
}

/// A running account against [`Limits`]. Clones share the account, so that whatever a handler sets off is paid by it.
#[derive(Clone, Debug)]
pub struct Budget(Rc<BudgetState>);

#[derive(Debug)]
struct BudgetState {
    limits: Limits,
    /// The account that this one stands within.
    over: Option<Budget>,
    steps: Cell<u64>,
    bytes: Cell<u64>,
    output: Cell<u64>,
}

impl Budget {
    /// A fresh account.
    pub fn new(limits: Limits) -> Self {
        Self::opened(limits, None)
    }

    /// A fresh account within this one: both pay.
    #[must_use]
    pub fn within(&self, limits: Limits) -> Self {
        Self::opened(limits, Some(self.clone()))
    }

    /// A fresh account within the one that this one stands within.
    #[must_use]
    pub fn beside(&self, limits: Limits) -> Self {
        Self::opened(limits, self.0.over.clone())
    }

    fn opened(limits: Limits, over: Option<Self>) -> Self {
        Self(Rc::new(BudgetState {
            limits,
            over,
            steps: Cell::new(0),
            bytes: Cell::new(0),
            output: Cell::new(0),
        }))
    }

    /// The account and those that it stands within, from the inside.
    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |budget| budget.0.over.as_ref())
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

    /// Whether the account that this one stands within is used up: then it was not this one's own code that ran away.
    pub fn asker_is_spent(&self) -> bool {
        let over = self.0.over.as_ref();
        over.is_some_and(|over| over.spent_steps().is_some() || over.spent_bytes().is_some())
    }

    /// Steps used so far.
    pub fn steps(&self) -> u64 {
        self.0.steps.get()
    }

    /// Bytes used so far.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.get()
    }

    pub(crate) fn add_steps(&self, steps: u64) {
        for budget in self.chain() {
            let sum = budget.0.steps.get().saturating_add(steps);
            budget.0.steps.set(sum);
        }
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        for budget in self.chain() {
            let sum = budget.0.bytes.get().saturating_add(bytes);
            budget.0.bytes.set(sum);
        }
    }

    /// Accounts for text that leaves rule code; the limit that it breaks, if it does.
    pub(crate) fn add_output(&self, bytes: usize) -> Option<Limits> {
        let mut broken = None;
        for budget in self.chain() {
            let sum = budget.0.output.get().saturating_add(bytes as u64);
            budget.0.output.set(sum);
            if sum > budget.limits().output {
                broken = broken.or(Some(budget.limits()));
            }
        }
        broken
    }

    pub(crate) fn steps_left(&self) -> u64 {
        let left = |budget: &Self| budget.limits().steps.saturating_sub(budget.steps());
        self.chain().map(left).min().unwrap_or(0)
    }

    pub(crate) fn bytes_left(&self) -> u64 {
        let left = |budget: &Self| budget.limits().bytes.saturating_sub(budget.bytes());
        self.chain().map(left).min().unwrap_or(0)
    }

    /// The limit on steps that was passed, if one was.
    pub(crate) fn spent_steps(&self) -> Option<Limits> {
        let mut chain = self.chain();
        let spent = chain.find(|budget| budget.steps() > budget.limits().steps);
        spent.map(Self::limits)
    }

    /// The limit on memory that was passed, if one was.
    pub(crate) fn spent_bytes(&self) -> Option<Limits> {
        let mut chain = self.chain();
        let spent = chain.find(|budget| budget.bytes() > budget.limits().bytes);
        spent.map(Self::limits)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Limits::HANDLER)
    }
}
