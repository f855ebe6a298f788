//! A compiled module: the frozen code and the way from its places back to the law.

use std::sync::{Arc, OnceLock};

use starlark::codemap::FileSpan;
use starlark::environment::FrozenModule;
use starlark::values::OwnedFrozenValue;

use crate::errors::fault;
use crate::sheet::CodeSheet;
use crate::stop::Site;

/// A compiled module. While it is being compiled, its places are known and its functions are not.
#[derive(Debug)]
pub(crate) struct CompiledModule {
    pub(crate) sheet: Arc<CodeSheet>,
    /// The name of the text, by which places are told from those of other modules.
    pub(crate) file: String,
    frozen: OnceLock<FrozenModule>,
    /// For one-off scripts: the law whose names they see.
    pub(crate) under: Option<Arc<Self>>,
}

impl CompiledModule {
    pub(crate) fn new(sheet: Arc<CodeSheet>, file: &str, under: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            sheet,
            file: file.to_owned(),
            frozen: OnceLock::new(),
            under,
        })
    }

    /// Ends the compilation.
    pub(crate) fn finish(&self, module: FrozenModule) {
        // A module is finished once, by the function that made it.
        let _already = self.frozen.set(module);
    }

    pub(crate) fn module(&self) -> Option<&FrozenModule> {
        self.frozen.get()
    }

    /// A function of the module by its name, whoever's it is.
    pub(crate) fn function(&self, name: &str) -> starlark::Result<OwnedFrozenValue> {
        let own = self
            .module()
            .and_then(|module| module.get_any_visibility(name).ok());
        match (own, &self.under) {
            (Some((function, _)), _) => Ok(function),
            (None, Some(under)) => under.function(name),
            (None, None) => Err(fault(format!("the law has no function `{name}`"))),
        }
    }

    /// The fence and the place in it of a place in the compiled text.
    pub(crate) fn place(&self, at: &FileSpan) -> Option<(usize, u32)> {
        if at.filename() != self.file {
            return None;
        }
        self.sheet.place(at.span.begin().get())
    }

    /// The rule of a place in the compiled text, and whether that is a library.
    pub(crate) fn site_at(&self, at: &FileSpan) -> Option<(Site, bool)> {
        if at.filename() != self.file {
            return self.under.as_ref()?.site_at(at);
        }
        let (unit, offset) = self.place(at)?;
        let unit = &self.sheet.units[unit];
        let (line, _) = unit.position(offset);
        let site = Site {
            rule: unit.rule.clone(),
            clause: unit.clause,
            line,
        };
        Some((site, unit.library))
    }
}
