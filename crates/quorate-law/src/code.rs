//! Compiled code: functions to call, by name.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use quorate_kernel::Name;
use quorate_kernel::digest::Digest;
use starlark::environment::Module;

use crate::budget::Budget;
use crate::collect::Signature;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::errors::fault;
use crate::evaluate;
use crate::frame::{FrameParts, RunFrame};
use crate::library::{self, Additions};
use crate::module::CompiledModule;
use crate::script::{self, Ready};
use crate::stop::{Answer, Site, Stop};
use crate::syntax::Flavour;
use crate::values::convert::{from_value, to_value};
use crate::watch::{self, RunningCode};
use crate::world::{Named, World};

/// What is known of a law takes about so many bytes for each byte of its code: declarations, signatures, places.
const BYTES_A_BYTE_OF_TEXT: usize = 44;

/// The code of a version of the law. Cheap to clone; can be handed to other threads.
#[derive(Clone)]
pub struct Code {
    pub(crate) module: Arc<CompiledModule>,
    functions: Arc<HashMap<Name, Arc<Signature>>>,
    pub(crate) additions: Arc<Additions>,
    edition: u16,
    version: Option<Digest>,
}

impl Code {
    pub(crate) fn new(
        module: Arc<CompiledModule>,
        functions: Arc<HashMap<Name, Arc<Signature>>>,
        additions: Additions,
        edition: u16,
    ) -> Self {
        Self {
            module,
            functions,
            additions: Arc::new(additions),
            edition,
            version: None,
        }
    }

    /// The same code, known as that of a version of the law.
    #[must_use]
    pub fn of_version(self, version: Digest) -> Self {
        Self {
            version: Some(version),
            ..self
        }
    }

    /// The text that was compiled: all fences that are awake, put together.
    pub fn text(&self) -> &str {
        &self.module.sheet.text
    }

    /// About how much memory it takes, with all that is known of it, in bytes.
    pub fn bytes(&self) -> usize {
        let module = self.module.module();
        let heap = module.map_or(0, |module| module.frozen_heap().allocated_bytes());
        heap + self.module.sheet.text.len() * BYTES_A_BYTE_OF_TEXT
    }

    /// The edition of the library that the law was compiled for.
    pub fn edition(&self) -> u16 {
        self.edition
    }

    /// A function's parameters and result.
    pub fn signature(&self, function: &str) -> Option<&Signature> {
        self.functions.get(function).map(AsRef::as_ref)
    }

    /// Where a function stands.
    pub fn site_of(&self, function: &str) -> Option<&Site> {
        self.functions
            .get(function)
            .map(|signature| &signature.site)
    }

    /// The names of all functions, private ones included, in no order.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(Name::as_str)
    }

    /// Calls a function. Where nothing on its own call stack is a rule (a library's predicate), the rule that asks is
    /// the one that asked before, if the call comes from within another.
    pub fn call(
        &self,
        world: &Rc<dyn World>,
        function: &str,
        args: Vec<Datum>,
        named: Named,
        budget: &Budget,
    ) -> Answer<Datum> {
        let site = RunFrame::current()
            .map(|frame| frame.outer.clone())
            .unwrap_or_default();
        self.call_for(&site, world, function, args, named, budget)
    }

    /// Calls a function for a rule: `site` is who asks where nothing on the function's own call stack is a rule.
    pub fn call_for(
        &self,
        site: &Site,
        world: &Rc<dyn World>,
        function: &str,
        args: Vec<Datum>,
        named: Named,
        budget: &Budget,
    ) -> Answer<Datum> {
        let entered = RunFrame::enter(FrameParts {
            world: Some(Rc::clone(world)),
            outer: site.clone(),
            ..FrameParts::new(&self.module, budget.clone())
        })?;
        let _told = watch::begins(RunningCode {
            law: self.version,
            at: self.site_of(function),
            asks: site,
        });
        call(&entered.0, function, &args, &named).map_err(|mut stop| {
            if let Stop::Broken(fault) = &mut stop
                && fault.site == Site::default()
            {
                // A limit that was noticed after the last statement knows no line of its own.
                fault.site = self.site_of(function).cloned().unwrap_or_default();
            }
            stop
        })
    }
}

/// One-off code that sees the names of a law: statements, or a function `run`.
pub struct Script {
    ready: Ready,
}

impl Code {
    /// Checks a one-off script; `name` stands for it in messages.
    pub fn script(&self, name: &str, source: &str) -> Result<Script, Vec<Diagnostic>> {
        let law = self.module.module();
        let names: Vec<String> = law
            .map(|law| law.names().map(|name| name.as_str().to_owned()).collect())
            .unwrap_or_default();
        let known = library::globals_with(&self.additions, names.into_iter());
        let globals = library::globals(&self.additions);
        let under = Some(Arc::clone(&self.module));
        let ready = script::ready(name, source, Flavour::Script, &known, globals, under)?;
        Ok(Script { ready })
    }
}

impl Script {
    /// Runs the statements, then the function `run` with the arguments, if the script has one. `site` is the rule that
    /// asks while the script's own lines run.
    pub fn run(
        &self,
        world: &Rc<dyn World>,
        args: Vec<Datum>,
        budget: &Budget,
        site: &Site,
    ) -> Answer<Datum> {
        let entered = RunFrame::enter(FrameParts {
            world: Some(Rc::clone(world)),
            outer: site.clone(),
            ..FrameParts::new(&self.ready.module, budget.clone())
        })?;
        let _told = watch::begins(RunningCode {
            law: None,
            at: None,
            asks: site,
        });
        let frame = &entered.0;
        let law = self
            .ready
            .module
            .under
            .as_ref()
            .and_then(|law| law.module());
        Module::with_temp_heap(|module| {
            if let Some(law) = law {
                module.import_public_symbols(law);
            }
            evaluate::run(frame, &module, |eval| {
                eval.eval_module(self.ready.ast.clone(), &self.ready.globals)?;
                if !self.ready.functions.iter().any(|(name, ..)| name == "run") {
                    return Ok(Datum::None);
                }
                let run = module
                    .get("run")
                    .ok_or_else(|| fault("`run` is no function"))?;
                let values = args.iter().map(|arg| to_value(frame, eval.heap(), arg));
                let values: Vec<_> = values.collect::<Result<_, _>>()?;
                let value = eval.eval_function(run, &values, &[])?;
                from_value(value).map_err(|what| fault(format!("a script cannot give back {what}")))
            })
        })
    }
}

/// Calls a function of the frame's code.
pub(crate) fn call(
    frame: &Rc<RunFrame>,
    function: &str,
    args: &[Datum],
    named: &[(Name, Datum)],
) -> Answer<Datum> {
    Module::with_temp_heap(|module| {
        evaluate::run(frame, &module, |eval| {
            let heap = eval.heap();
            let function = frame.code.function(function)?;
            let function = heap.access_owned_frozen_value(&function);
            let values = args.iter().map(|arg| to_value(frame, heap, arg));
            let values: Vec<_> = values.collect::<Result<_, _>>()?;
            let keywords = named
                .iter()
                .map(|(name, datum)| Ok((name.as_str(), to_value(frame, heap, datum)?)));
            let keywords: Vec<_> = keywords.collect::<starlark::Result<_>>()?;
            let value = eval.eval_function(function, &values, &keywords)?;
            from_value(value).map_err(|what| fault(format!("a function cannot give back {what}")))
        })
    })
}
