//! One-off code: the scripts of enactments, which see the names of the law, and files of tests.

use std::collections::HashMap;
use std::sync::Arc;

use quorate_kernel::Name;
use starlark::environment::Globals;
use starlark::syntax::AstModule;
use starlark::typing::AstModuleTypecheck;

use crate::check::house;
use crate::diagnostic::{Diagnostic, Severity};
use crate::evaluate;
use crate::module::Compiled;
use crate::rewrite;
use crate::sheet::{Sheet, UnitInfo};
use crate::unit::{self, Fault, Flavour};

/// Code that is checked and made ready to run.
pub(crate) struct Ready {
    pub(crate) module: Arc<Compiled>,
    pub(crate) ast: AstModule,
    pub(crate) globals: Globals,
    /// Functions at its top level: name, text at the top, line.
    pub(crate) functions: Vec<(String, String, u32)>,
}

/// Checks code and makes it ready; `known` are the names that its check finds, `globals` those that it runs with.
pub(crate) fn ready(
    name: &str,
    source: &str,
    flavour: Flavour,
    known: &Globals,
    globals: Globals,
    under: Option<Arc<Compiled>>,
) -> Result<Ready, Vec<Diagnostic>> {
    let info = UnitInfo {
        source: 0,
        fence: 0,
        rule: Name::from(name),
        // Who asks is whoever runs the script.
        library: true,
        clause: 0,
        line: 1,
        indent: 0,
        code: Arc::from(source),
    };
    let failed = |faults: Vec<Fault>| {
        faults
            .iter()
            .map(|fault| diagnostic(&info, fault))
            .collect::<Vec<_>>()
    };
    let ast = unit::parse(source, flavour).map_err(|fault| failed(vec![fault]))?;
    let (faults, _) = house::check(&ast, flavour);
    if !faults.is_empty() {
        return Err(failed(faults));
    }
    let faults = unknown_names(&ast, known);
    if !faults.is_empty() {
        return Err(failed(faults));
    }
    let edits = rewrite::to_run(&ast, source);
    let site = crate::stop::Site {
        rule: info.rule.clone(),
        clause: 0,
        line: 1,
    };
    let read = unit::Unit::read(ast, source, &site, &info);
    let functions = read.functions.iter().map(|function| {
        let doc = function.signature.doc.clone().unwrap_or_default();
        (function.name.clone(), doc, function.signature.site.line)
    });
    let functions = functions.collect();
    let mut sheet = Sheet::default();
    let unit = sheet.add(info.clone(), edits);
    sheet.write(unit, 0, u32::try_from(source.len()).unwrap_or(u32::MAX));
    let dialect = unit::dialect(flavour);
    let mut ast = AstModule::parse(name, sheet.text.clone(), &dialect).map_err(|error| {
        let offset = error
            .span()
            .and_then(|at| sheet.place(at.span.begin().get()));
        failed(vec![Fault::new(
            offset.map_or(0, |(_, at)| at),
            evaluate::words(&error),
        )])
    })?;
    rewrite::guarded_operators(&mut ast);
    Ok(Ready {
        module: Compiled::new(Arc::new(sheet), name, under),
        ast,
        globals,
        functions,
    })
}

/// What the language's own check finds, which knows the names.
fn unknown_names(ast: &AstModule, known: &Globals) -> Vec<Fault> {
    let (errors, ..) = ast.clone().typecheck(known, &HashMap::new());
    errors
        .iter()
        .map(|error| {
            let offset = error.span().map_or(0, |at| at.span.begin().get());
            Fault::new(offset, evaluate::words(error))
        })
        .collect()
}

pub(crate) fn diagnostic(info: &UnitInfo, fault: &Fault) -> Diagnostic {
    let (line, column) = info.position(fault.offset);
    Diagnostic {
        rule: info.rule.clone(),
        line,
        column,
        severity: Severity::Error,
        text: fault.text.clone(),
        help: fault.help.clone(),
    }
}
