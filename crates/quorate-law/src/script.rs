//! One-off code: the scripts of enactments, which see the names of the law, and files of tests.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use quorate_kernel::Name;
use starlark::environment::Globals;
use starlark::syntax::AstModule;
use starlark::typing::AstModuleTypecheck;

use crate::check::{cycles, house};
use crate::diagnostic::{CodeFault, Diagnostic};
use crate::errors;
use crate::module::CompiledModule;
use crate::rewrite;
use crate::sheet::{CodeSheet, UnitInfo};
use crate::stop::Site;
use crate::syntax::{self, Flavour};
use crate::unit::Unit;

/// Code that is checked and made ready to run.
pub(crate) struct Ready {
    pub(crate) module: Arc<CompiledModule>,
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
    under: Option<Arc<CompiledModule>>,
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
    let failed = |faults: Vec<CodeFault>| {
        faults
            .iter()
            .map(|fault| info.diagnostic(fault))
            .collect::<Vec<_>>()
    };
    let ast = syntax::parse(source, flavour).map_err(|fault| failed(vec![fault]))?;
    let (faults, _) = house::check(&ast, flavour);
    if !faults.is_empty() {
        return Err(failed(faults));
    }
    let faults = unknown_names(&ast, &info, flavour, known);
    if !faults.is_empty() {
        return Err(failed(faults));
    }
    let edits = rewrite::to_run(&ast, source, &BTreeSet::new());
    let site = Site {
        rule: info.rule.clone(),
        clause: 0,
        line: 1,
    };
    let read = Unit::read(ast, source, &site, &info);
    let functions = read.functions.iter().map(|function| {
        let doc = function.signature.doc.clone().unwrap_or_default();
        (function.name.clone(), doc, function.signature.site.line)
    });
    let functions = functions.collect();
    let mut sheet = CodeSheet::default();
    let unit = sheet.add(info.clone(), edits);
    sheet.write(unit, 0, u32::try_from(source.len()).unwrap_or(u32::MAX));
    let dialect = syntax::dialect(flavour);
    let mut ast = AstModule::parse(name, sheet.text.clone(), &dialect).map_err(|error| {
        let offset = sheet.place_of(&error).map_or(0, |(_, at)| at);
        failed(vec![CodeFault::new(offset, errors::words(&error))])
    })?;
    rewrite::guarded_operators(&mut ast);
    Ok(Ready {
        module: CompiledModule::new(Arc::new(sheet), name, under),
        ast,
        globals,
        functions,
    })
}

/// What the language's own check finds, which knows the names. It is shown no type that grows beyond measure.
fn unknown_names(
    ast: &AstModule,
    info: &UnitInfo,
    flavour: Flavour,
    known: &Globals,
) -> Vec<CodeFault> {
    let mut sheet = CodeSheet::default();
    let end = u32::try_from(info.code.len()).unwrap_or(u32::MAX);
    let edits = cycles::broken(ast.statement(), &BTreeSet::new());
    let unit = sheet.add(info.clone(), edits);
    sheet.write(unit, 0, end);
    let faulty = |error: &starlark::Error| {
        let offset = sheet.place_of(error).map_or(0, |(_, at)| at);
        CodeFault::new(offset, errors::words(error))
    };
    let dialect = syntax::dialect(flavour);
    let ast = match AstModule::parse(info.rule.as_str(), sheet.text.clone(), &dialect) {
        Ok(ast) => ast,
        Err(error) => return vec![faulty(&error)],
    };
    let (errors, ..) = ast.typecheck(known, &HashMap::new());
    errors.iter().map(faulty).collect()
}
