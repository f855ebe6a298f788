//! Mutants that cannot be told from the rulebook, as its `mutants.toml` lists them.

use anyhow::{Result, bail};
use serde::Deserialize;

use super::mutant::Mutant;

/// What a rulebook says of mutants that make no difference.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EquivalentMutants {
    #[serde(default)]
    equivalent: Vec<EquivalentMutant>,
}

/// A change that makes no difference.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EquivalentMutant {
    rule: String,
    line: String,
    change: String,
    why: String,
}

impl EquivalentMutants {
    /// Reads the list.
    ///
    /// # Errors
    /// Fails where the text is no such list, and where an entry lacks its reason.
    pub fn read(text: &str) -> Result<Self> {
        let known: Self = toml::from_str(text)?;
        let bare = known
            .equivalent
            .iter()
            .find(|one| one.why.trim().is_empty());
        if let Some(bare) = bare {
            bail!("{}: `{}` lacks its reason", bare.rule, bare.line);
        }
        Ok(known)
    }

    /// Whether a mutant is one of these.
    #[must_use]
    pub fn holds(&self, mutant: &Mutant) -> bool {
        self.equivalent.iter().any(|one| {
            mutant.rule == one.rule.as_str()
                && mutant.code == one.line
                && mutant.change == one.change
        })
    }
}
