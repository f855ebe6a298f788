//! Running code under limits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use starlark::codemap::FileSpanRef;
use starlark::environment::Module;
use starlark::eval::{BeforeStmtFunc, BeforeStmtFuncDyn, Evaluator};
use starlark::values::Heap;

use crate::errors::{is_limit, words};
use crate::frame::{RunFrame, limit_passed};
use crate::stop::{Fault, FaultKind, Site, Stop};

/// How many bytes of a statement's text are a share of a step more.
const BYTES_A_SHARE: u64 = 64;

/// Charges statements, which the language itself does not count, and stops at the first one after a limit was passed, where the
/// line is still known.
struct Watch {
    frame: Rc<RunFrame>,
}

impl<'e> BeforeStmtFuncDyn<'e> for Watch {
    fn call<'v>(
        &mut self,
        span: FileSpanRef<'_>,
        _continued: bool,
        eval: &mut Evaluator<'v, '_, 'e>,
    ) -> starlark::Result<()> {
        let bytes = span.span.end().get() - span.span.begin().get();
        self.frame.share(1 + u64::from(bytes) / BYTES_A_SHARE);
        let used = used_bytes(eval.heap());
        self.frame.settle(eval.get_total_tick_count(), used);
        let Some(text) = limit_passed(&self.frame.budget) else {
            return Ok(());
        };
        let site = self.frame.code.site_at(&span.to_file_span());
        let site = site.filter(|(_, library)| !library).map(|(site, _)| site);
        Err(self.frame.stopped(Stop::Broken(Box::new(Fault {
            site: site.unwrap_or_default(),
            text,
            kind: FaultKind::Limit,
        }))))
    }
}

/// How many bytes of a heap are in use. What is allocated is another thing: a heap takes over what earlier heaps of its
/// thread left behind, so that the same run would be stopped after one and go on after another.
pub(crate) fn used_bytes(heap: Heap<'_>) -> u64 {
    let free = heap.available_bytes();
    heap.allocated_bytes().saturating_sub(free) as u64
}

/// Runs something in an evaluator of its own, under the frame's limits, and tells why it ended if it broke.
pub(crate) fn run<'v, T>(
    frame: &Rc<RunFrame>,
    module: &Module<'v>,
    body: impl FnOnce(&mut Evaluator<'v, '_, '_>) -> starlark::Result<T>,
) -> Result<T, Stop> {
    let mut eval = Evaluator::new(module);
    // Collecting garbage walks values by recursion; a run is short and its memory limited, so nothing is collected.
    eval.disable_gc();
    let watch = Watch {
        frame: Rc::clone(frame),
    };
    eval.before_stmt_for_dap(BeforeStmtFunc::from_dyn(Box::new(watch)));
    let budget = &frame.budget;
    // The evaluator checks once in a thousand steps and knows no line then, so the watch fires first. It has no such
    // limit of memory, for what it would measure is what the thread happens to hold.
    let set = eval
        .set_max_tick_count(budget.steps_left().saturating_add(2000))
        .and_then(|()| eval.set_max_callstack_size(budget.limits().depth as usize));
    if let Err(error) = set {
        return Err(Stop::fault(error.to_string()));
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&mut eval)));
    frame.settle(eval.get_total_tick_count(), used_bytes(eval.heap()));
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(explain(frame, &error)),
        Err(_panic) => Err(Stop::Broken(Box::new(Fault {
            site: frame.outer.clone(),
            text: "the rule's code could not be run any further".to_owned(),
            kind: FaultKind::Limit,
        }))),
    }
}

/// Why a run ended: what a native kept, else what the language says.
fn explain(frame: &RunFrame, error: &starlark::Error) -> Stop {
    if frame.host.is_some() {
        frame.line.set(first_line(frame, error));
    }
    let kept = frame.take_stop();
    let mut fault = match kept {
        Some(Stop::Broken(fault)) => *fault,
        Some(other) => return other,
        None => Fault {
            site: Site::default(),
            text: words(error),
            kind: if is_limit(error) {
                FaultKind::Limit
            } else {
                FaultKind::Code
            },
        },
    };
    if fault.kind == FaultKind::Limit && fault.text.is_empty() {
        fault.text = words(error);
    }
    if fault.site == Site::default() {
        fault.site = place(frame, error);
    }
    Stop::Broken(Box::new(fault))
}

/// The line of the outermost statement that had a part in an error.
fn first_line(frame: &RunFrame, error: &starlark::Error) -> u32 {
    let mut frames = error.call_stack().frames.iter();
    let first = frames.find_map(|called| called.location.as_ref());
    let site = first.or(error.span()).and_then(|at| frame.code.site_at(at));
    site.map_or(0, |(site, _)| site.line)
}

/// The innermost rule that had a part in an error, else the library text.
fn place(frame: &RunFrame, error: &starlark::Error) -> Site {
    let own = error.span().and_then(|at| frame.code.site_at(at));
    if let Some((site, false)) = &own {
        return site.clone();
    }
    for called in error.call_stack().frames.iter().rev() {
        if let Some(at) = &called.location
            && let Some((site, false)) = frame.code.site_at(at)
        {
            return site;
        }
    }
    own.map_or_else(|| frame.outer.clone(), |(site, _)| site)
}
