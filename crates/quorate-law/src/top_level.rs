//! The top level of a law, run once: what it declares, and which fence is at fault where it breaks.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use starlark::environment::{FrozenModule, Globals, Module};
use starlark::syntax::AstModule;

use crate::budget::{Budget, Limits};
use crate::check::wording;
use crate::collect::Collector;
use crate::declare::{Declaration, Declared};
use crate::diagnostic::CodeFault;
use crate::errors;
use crate::evaluate;
use crate::frame::{FrameParts, RunFrame};
use crate::measure::can_be_kept;
use crate::module::CompiledModule;
use crate::rewrite;
use crate::sheet::CodeSheet;
use crate::stop::{Site, Stop};
use crate::syntax::{self, Flavour};
use crate::watch::{self, RunningCode};

/// Declarations with the fence and the place of each.
pub(crate) type PlacedDeclarations = Vec<((usize, u32), Declaration)>;

/// Runs it with the names that it finds; else the fence at fault, if one is, and what is wrong.
pub(crate) fn run(
    code: &Arc<CompiledModule>,
    sheet: &CodeSheet,
    globals: &Globals,
    collector: Collector,
) -> Result<PlacedDeclarations, (Option<usize>, CodeFault)> {
    let dialect = syntax::dialect(Flavour::Law);
    let mut ast = AstModule::parse("law", sheet.text.clone(), &dialect)
        .map_err(|error| located(sheet, &error))?;
    rewrite::guarded_operators(&mut ast);
    let inner = syntax::inner_functions(&ast);
    let parts = FrameParts {
        collector: Some(collector),
        ..FrameParts::new(code, Budget::new(Limits::LAW))
    };
    let nobody = Site::default();
    let _told = watch::begins(RunningCode {
        law: None,
        at: None,
        asks: &nobody,
    });
    let entered = RunFrame::enter(parts).map_err(|stop| (None, stop_fault(&stop)))?;
    let frame = &entered.0;
    let outcome = Module::with_temp_heap(|module| {
        let mut at = None;
        let ran = evaluate::run(frame, &module, |eval| {
            let result = eval.eval_module(ast, globals);
            result
                .map(|_| ())
                .inspect_err(|error| at = Some(outermost(code, error)))
        });
        match ran {
            Ok(()) => keep(module, &inner).map_err(|text| (None, CodeFault::new(0, text))),
            Err(stop) => {
                let place = at.flatten();
                let mut fault = stop_fault(&stop);
                if let Some((_, offset)) = place {
                    fault.offset = offset;
                }
                Err((place.map(|(unit, _)| unit), fault))
            }
        }
    })?;
    code.finish(outcome);
    let collector = frame
        .collector
        .as_ref()
        .map(|collector| std::mem::take(&mut collector.borrow_mut().found));
    Ok(collector.unwrap_or_default())
}

/// Keeps a module, unless that would exhaust the stack.
pub(crate) fn keep(module: Module<'_>, inner: &BTreeSet<String>) -> Result<FrozenModule, String> {
    let unfit = module.names().find(|name| {
        let value = module.get(name.as_str());
        value.is_some_and(|value| !can_be_kept(value, module.heap(), inner))
    });
    if let Some(name) = unfit {
        return Err(format!(
            "`{name}` cannot be kept: it holds lists within lists without end, or a function that stands inside another"
        ));
    }
    let kept = module.freeze();
    kept.map_err(|error| format!("the code cannot be kept: {error:?}"))
}

fn stop_fault(stop: &Stop) -> CodeFault {
    match stop {
        Stop::Broken(broken) => match wording::of_call(&broken.text) {
            Some((text, help)) if !help.is_empty() => CodeFault::new(0, text).help(help),
            Some((text, _)) => CodeFault::new(0, text),
            None => CodeFault::new(0, broken.text.clone()),
        },
        Stop::Refused(refusal) => CodeFault::new(0, refusal.to_string()),
        Stop::Asks(_) => CodeFault::new(0, "nobody can be asked at the top level of a rule"),
    }
}

/// The fence whose top level was running.
fn outermost(code: &CompiledModule, error: &starlark::Error) -> Option<(usize, u32)> {
    let first = error
        .call_stack()
        .frames
        .first()
        .and_then(|frame| frame.location.as_ref());
    first.or(error.span()).and_then(|at| code.place(at))
}

/// An error at its fence.
fn located(sheet: &CodeSheet, error: &starlark::Error) -> (Option<usize>, CodeFault) {
    let text = errors::words(error);
    match sheet.place_of(error) {
        Some((unit, offset)) => (Some(unit), CodeFault::new(offset, text)),
        None => (None, CodeFault::new(0, text)),
    }
}

/// Declarations whose name another of the same sort has already.
pub(crate) fn doubles(found: &PlacedDeclarations) -> Vec<(usize, CodeFault)> {
    let mut seen: HashMap<(&str, String), &Site> = HashMap::new();
    let mut doubles = Vec::new();
    for ((unit, offset), declaration) in found {
        let (sort, name) = match &declaration.what {
            Declared::Value(value) => ("value", format!("{} of {}", value.name, value.of)),
            Declared::Derived { name, of, .. } => ("value", format!("{name} of {of}")),
            Declared::Action(action) => ("action", action.name.to_string()),
            Declared::Automatic { name, .. } => ("automatic", name.to_string()),
            Declared::Row { table, key, .. } => ("row", format!("{key} of {table}")),
            Declared::Term { name, .. } => ("term", name.to_string()),
            Declared::Decision { name, .. } => ("decision", name.to_string()),
            _ => continue,
        };
        if let Some(other) = seen.get(&(sort, name.clone())) {
            let text = format!(
                "the {sort} \"{name}\" is declared already, in the rule {}, line {}",
                other.rule, other.line
            );
            let fault =
                CodeFault::new(*offset, text).help("choose another name, or change that one");
            doubles.push((*unit, fault));
        } else {
            seen.insert((sort, name), &declaration.site);
        }
    }
    doubles
}
