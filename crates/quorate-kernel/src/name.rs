//! Code names: the short words by which rules, values, kinds and actions are known for good.

use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// A word that code uses for a thing of the law: a rule's id, a value's attribute, a kind, an action.
///
/// Titles and places may change; a code name outlives them. Cheap to clone, ordered as text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Name(SmolStr);

impl Name {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the name is the empty word, which stands for "none" where a word is optional.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Name {
    fn from(word: &str) -> Self {
        Self(SmolStr::new(word))
    }
}

impl From<String> for Name {
    fn from(word: String) -> Self {
        Self(SmolStr::from(word))
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0.as_str(), f)
    }
}
