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
use crate::syntax::{self, Flavour};
use crate::top_level;

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

/// Finds the code of the files that a test file may load from, by their names.
pub type TestHelpers<'a> = dyn Fn(&str) -> Option<String> + 'a;

impl TestScript {
    /// Checks a file. Besides the functions of the host, which come first, it finds the parts of the library that need
    /// no game: spans and dates, texts, sums; and what it loads from helpers. Its top level and each run of a function
    /// get as much as the limits say.
    pub fn compile(
        name: &str,
        source: &str,
        host_functions: &[&str],
        helpers: &TestHelpers<'_>,
        limits: Limits,
    ) -> Result<Self, Vec<Diagnostic>> {
        let hosted = host_functions.iter().map(|name| (*name).to_owned());
        let loader = Loader {
            additions: Additions {
                hosted: hosted.collect(),
                ..Additions::default()
            },
            helpers,
            limits,
        };
        let ready = loader.ready(name, source, None, &[name])?;
        let functions = ready.functions.into_iter();
        let functions = functions.map(|(name, doc, line)| TestFunction { name, doc, line });
        Ok(Self {
            module: ready.module,
            functions: functions.collect(),
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
            match helper_of(&stop, &self.module) {
                Some(helper) if inner > 0 => text = format!("{text} (in {helper}, line {inner})"),
                _ if own != inner && inner > 0 => text = format!("{text} (in line {inner})"),
                _ => {}
            }
            let line = if own > 0 { own } else { inner };
            TestFailure { line, text, stop }
        })
    }
}

/// A helper, and which of its names are loaded: the name here, and the name there.
type LoadedModule<'a> = (Arc<CompiledModule>, &'a [(String, String)]);

/// Makes a test file and the helpers that it loads from ready.
struct Loader<'a> {
    additions: Additions,
    helpers: &'a TestHelpers<'a>,
    limits: Limits,
}

impl Loader<'_> {
    /// A file, with what it loads; `under` are the modules that were loaded before it, and `on_way` the files that wait
    /// for this one.
    fn ready(
        &self,
        name: &str,
        source: &str,
        under: Option<Arc<CompiledModule>>,
        on_way: &[&str],
    ) -> Result<Ready, Vec<Diagnostic>> {
        let wrong = |offset: u32, text: String| {
            let before = source.get(..offset as usize).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            vec![diagnostic(
                name,
                u32::try_from(line).unwrap_or(u32::MAX),
                text,
            )]
        };
        let loads = syntax::loads(source).map_err(|fault| wrong(fault.offset, fault.text))?;
        let (mut under, mut loaded) = (under, Vec::new());
        for load in &loads {
            let file = load.file.as_str();
            if on_way.contains(&file) {
                return Err(wrong(load.span.start, format!("{file} loads itself")));
            }
            let code = (self.helpers)(file).ok_or_else(|| {
                wrong(
                    load.span.start,
                    format!("there is no file {file} beside this one to load from"),
                )
            })?;
            let helper = self.ready(file, &code, under.take(), &[on_way, &[file]].concat())?;
            if let Some((_, theirs)) = load
                .names
                .iter()
                .find(|(_, theirs)| helper.module.function(theirs).is_err())
            {
                return Err(wrong(load.span.start, format!("{file} has no {theirs}")));
            }
            under = Some(Arc::clone(&helper.module));
            loaded.push((helper.module, load.names.as_slice()));
        }
        let mut rest = source.to_owned();
        for load in &loads {
            let blank = source[load.span.start as usize..load.span.end as usize]
                .replace(|c| c != '\n', " ");
            rest.replace_range(load.span.start as usize..load.span.end as usize, &blank);
        }
        let names = loads
            .iter()
            .flat_map(|load| load.names.iter().map(|(own, _)| own.clone()));
        let known = self.additions.hosted.clone().into_iter().chain(names);
        let known = library::globals_with(&self.additions, known);
        let globals = library::globals(&self.additions);
        let ready = script::ready(name, &rest, Flavour::Test, &known, globals, under)?;
        self.keep(&ready, &loaded).map_err(|stop| {
            let (line, text) = line_and_text(&stop);
            vec![diagnostic(name, line, text)]
        })?;
        Ok(ready)
    }

    /// Runs the top level of a file and keeps what it leaves.
    fn keep(&self, ready: &Ready, loaded: &[LoadedModule<'_>]) -> Answer<()> {
        let budget = Budget::new(self.limits);
        let inner = syntax::inner_functions(&ready.ast);
        let entered = RunFrame::enter(FrameParts::new(&ready.module, budget))?;
        Module::with_temp_heap(|module| {
            for (helper, names) in loaded {
                for (own, theirs) in *names {
                    let value = helper.function(theirs);
                    let value = value.map_err(|error| Stop::fault(error.to_string()))?;
                    module.set(own, module.heap().access_owned_frozen_value(&value));
                }
            }
            evaluate::run(&entered.0, &module, |eval| {
                eval.eval_module(ready.ast.clone(), &ready.globals)
                    .map(|_| ())
            })?;
            let frozen = top_level::keep(module, &inner).map_err(Stop::fault)?;
            ready.module.finish(frozen);
            Ok(())
        })
    }
}

fn diagnostic(file: &str, line: u32, text: String) -> Diagnostic {
    Diagnostic {
        rule: Name::from(file),
        line,
        column: 0,
        severity: Severity::Error,
        text,
        help: None,
        is_elsewhere: false,
    }
}

/// The helper file in which a test broke, if it was not in its own.
fn helper_of(stop: &Stop, module: &CompiledModule) -> Option<String> {
    match stop {
        Stop::Broken(fault) if fault.site.rule != module.file.as_str() => {
            Some(fault.site.rule.to_string()).filter(|rule| !rule.is_empty())
        }
        _ => None,
    }
}

fn line_and_text(stop: &Stop) -> (u32, String) {
    match stop {
        Stop::Broken(fault) => (fault.site.line, fault.text.clone()),
        Stop::Refused(refusal) => (0, refusal.to_string()),
        Stop::Asks(question) => (question.site.line, format!("asks \"{}\"", question.what)),
    }
}
