//! A generic host for scripts that are not law: test files.
//!
//! The host offers functions by name and objects by number; nothing of the language leaves this crate.

use std::rc::Rc;
use std::sync::Arc;

use quorate_kernel::Name;
use starlark::environment::Module;
use starlark::eval::Evaluator;
use starlark::values::Value;

use crate::budget::{Budget, Limits};
use crate::code::call;
use crate::datum::Datum;
use crate::diagnostic::{Diagnostic, Severity};
use crate::evaluate;
use crate::frame::{Frame, Parts, fault};
use crate::library::{self, Additions};
use crate::module::Compiled;
use crate::script::{self, Ready};
use crate::stop::{Answer, Site, Stop};
use crate::unit::Flavour;
use crate::values::callable::{Args, Native, Receiver};
use crate::values::convert::to_value;
use crate::world::Named;

/// What an attribute of a host's object is.
#[derive(Clone, PartialEq, Debug)]
pub enum Member {
    /// A value.
    Value(Datum),
    /// A method, to be called.
    Method,
}

/// What stands behind a script: its functions, and the objects that they give out by number.
pub trait Host {
    /// Calls a function (no object) or a method.
    fn call(
        &self,
        object: Option<u64>,
        name: &str,
        args: Vec<Datum>,
        named: Named,
    ) -> Result<Datum, Stop>;
    /// Reads an attribute of an object.
    fn get(&self, object: u64, attribute: &str) -> Result<Member, Stop>;
    /// Whether two objects are the same thing.
    fn same(&self, one: u64, other: u64) -> bool {
        one == other
    }
    /// How an object is printed.
    fn show(&self, object: u64) -> String {
        format!("object {object}")
    }
}

/// A file of tests, compiled.
pub struct Tests {
    module: Arc<Compiled>,
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

impl Tests {
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
            let (line, text) = told(&stop);
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
        let frame = Frame::enter(Parts {
            world: None,
            host: Some(Rc::clone(host)),
            collector: None,
            code: Arc::clone(&self.module),
            budget: Budget::new(self.limits),
            outer: Site::default(),
        });
        let (outcome, own) = match &frame {
            Ok(entered) => (call(&entered.0, function, &[], &[]), entered.0.line.get()),
            Err(stop) => (Err(stop.clone()), 0),
        };
        outcome.map(|_| ()).map_err(|stop| {
            let (inner, mut text) = told(&stop);
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
    let entered = Frame::enter(Parts {
        world: None,
        host: None,
        collector: None,
        code: Arc::clone(&ready.module),
        budget: Budget::new(limits),
        outer: Site::default(),
    })?;
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

fn told(stop: &Stop) -> (u32, String) {
    match stop {
        Stop::Broken(fault) => (fault.site.line, fault.text.clone()),
        Stop::Refused(refusal) => (0, refusal.to_string()),
        Stop::Asks(question) => (question.site.line, format!("asks \"{}\"", question.what)),
    }
}

#[rustfmt::skip]
pub(crate) fn natives() -> Vec<Native> {
    vec![
        Native { signature: "Host.call(*args: Any, **named: Any) -> Any", run: hosted, doc: "" },
        Native { signature: "Object.call(*args: Any, **named: Any) -> Any", run: hosted, doc: "" },
    ]
}

fn hosted<'v>(
    args: &Args<'v, '_>,
    _eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    let Some(host) = args.frame.host.clone() else {
        return Err(fault("this needs a host"));
    };
    let (object, name) = match args.receiver {
        Receiver::Object(object, name) => (Some(*object), name),
        Receiver::Hosted(name) => (None, name),
        _ => return Err(fault("this needs a host")),
    };
    let answer: Answer<Datum> = host.call(object, name, args.data(0)?, args.kwargs(1)?);
    to_value(&args.frame, args.heap, &args.frame.answer(answer)?)
}
