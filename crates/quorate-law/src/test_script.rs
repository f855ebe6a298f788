//! Files of tests: functions that run against a script's host. Nothing of the language leaves this crate.

use std::rc::Rc;
use std::sync::Arc;

use quorate_kernel::Name;
use starlark::environment::Module;

use crate::budget::{Budget, Limits};
use crate::code::call;
use crate::diagnostic::{Diagnostic, Severity};
use crate::evaluate;
use crate::frame::{FrameParts, RunFrame};
use crate::library::{self, Additions};
use crate::module::CompiledModule;
use crate::objects::Host;
use crate::script::{self, Ready};
use crate::stop::{Answer, Stop};
use crate::syntax::Flavour;

/// A file of tests, compiled.
pub struct TestScript {
    module: Arc<CompiledModule>,
    functions: Vec<TestFunction>,
    limits: Limits,
}

/// A function of a test file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestFunction {
    /// Its name.
    pub name: String,
    /// The text at the top of its body; empty if there is none.
    pub doc: String,
    /// Its line.
    pub line: u32,
}

/// Why a test ended early.
#[derive(Clone, PartialEq, Debug)]
pub struct TestFailure {
    /// The line of the test's own statement that failed.
    pub line: u32,
    /// What went wrong.
    pub text: String,
    /// What the host said, if it was the host.
    pub stop: Stop,
}

impl TestScript {
    /// Checks a file. Besides the functions of the host, which come first, it finds the parts of the library that need
    /// no game: spans and dates, texts, sums. Its top level and each run of a function get as much as the limits say.
    pub fn compile(
        name: &str,
        source: &str,
        host_functions: &[&str],
        limits: Limits,
    ) -> Result<Self, Vec<Diagnostic>> {
        let additions = Additions {
            hosted: host_functions
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            ..Additions::default()
        };
        let hosted = additions.hosted.clone().into_iter();
        let known = library::globals_with(&additions, hosted);
        let globals = library::globals(&additions);
        let ready = script::ready(name, source, Flavour::Test, &known, globals, None)?;
        let functions = ready
            .functions
            .iter()
            .map(|(name, doc, line)| TestFunction {
                name: name.clone(),
                doc: doc.clone(),
                line: *line,
            });
        let functions = functions.collect();
        let module = Arc::clone(&ready.module);
        keep(&ready, limits).map_err(|stop| {
            let (line, text) = line_and_text(&stop);
            vec![Diagnostic {
                rule: Name::from(name),
                line,
                column: 0,
                severity: Severity::Error,
                text,
                help: None,
            }]
        })?;
        Ok(Self {
            module,
            functions,
            limits,
        })
    }

    /// The functions of the file, in its order.
    pub fn functions(&self) -> &[TestFunction] {
        &self.functions
    }

    /// Runs one function.
    pub fn run(&self, function: &str, host: &Rc<dyn Host>) -> Result<(), TestFailure> {
        let frame = RunFrame::enter(FrameParts {
            host: Some(Rc::clone(host)),
            ..FrameParts::new(&self.module, Budget::new(self.limits))
        });
        let (outcome, own) = match &frame {
            Ok(entered) => (call(&entered.0, function, &[], &[]), entered.0.line.get()),
            Err(stop) => (Err(stop.clone()), 0),
        };
        outcome.map(|_| ()).map_err(|stop| {
            let (inner, mut text) = line_and_text(&stop);
            if own != inner && inner > 0 {
                text = format!("{text} (in line {inner})");
            }
            let line = if own > 0 { own } else { inner };
            TestFailure { line, text, stop }
        })
    }
}

/// Runs the top level of a test file and keeps what it leaves.
fn keep(ready: &Ready, limits: Limits) -> Answer<()> {
    let entered = RunFrame::enter(FrameParts::new(&ready.module, Budget::new(limits)))?;
    Module::with_temp_heap(|module| {
        evaluate::run(&entered.0, &module, |eval| {
            eval.eval_module(ready.ast.clone(), &ready.globals)
                .map(|_| ())
        })?;
        let frozen = module
            .freeze()
            .map_err(|error| Stop::fault(format!("{error:?}")))?;
        ready.module.finish(frozen);
        Ok(())
    })
}

fn line_and_text(stop: &Stop) -> (u32, String) {
    match stop {
        Stop::Broken(fault) => (fault.site.line, fault.text.clone()),
        Stop::Refused(refusal) => (0, refusal.to_string()),
        Stop::Asks(question) => (question.site.line, format!("asks \"{}\"", question.what)),
    }
}
