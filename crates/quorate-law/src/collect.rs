//! Gathers declarations while the top level of a law runs.

use std::collections::HashMap;
use std::sync::Arc;

use quorate_kernel::Name;

use crate::datum::Type;
use crate::declare::{Declaration, Declared, Param};
use crate::stop::Site;

/// What a first reading of the fences knows of a call that declares something, by fence and place.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallFacts {
    /// The variable that its result is assigned to.
    pub(crate) assigned: Option<Name>,
    /// The types that it names, by keyword; the type of a quantity or listing by the empty word.
    pub(crate) types: Vec<(Name, Type)>,
}

impl CallFacts {
    /// The type that a keyword names; of a quantity or listing, by the empty word.
    pub(crate) fn type_of(&self, keyword: &str) -> Type {
        let named = self.types.iter().find(|(name, _)| *name == keyword);
        named.map_or(Type::Any, |(_, ty)| ty.clone())
    }
}

/// What a first reading knows of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Signature {
    /// Its parameters in order.
    pub params: Vec<Param>,
    /// What it gives back.
    pub gives: Type,
    /// The text at the top of its body.
    pub doc: Option<String>,
    /// Where it stands.
    pub site: Site,
}

impl Signature {
    /// Who those are that a test holds for, where its text begins with that: "To be the {captain}: …".
    pub fn role(&self) -> Option<DocRole<'_>> {
        let words = self.doc.as_deref()?.trim_start().strip_prefix("To be ")?;
        let words = words.split([':', '.', '\n']).next()?.trim();
        let who = words
            .strip_prefix("one of the ")
            .or(words.starts_with("the ").then_some(words));
        Some(DocRole { words, who })
    }
}

/// Who those are that a test holds for, as its text says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DocRole<'a> {
    /// What they are: "the {captain}", "one of the admins", "idle".
    pub words: &'a str,
    /// Who they are, where that is said: "the {captain}", "admins".
    pub who: Option<&'a str>,
}

pub(crate) struct Collector {
    pub(crate) facts: Arc<HashMap<(usize, u32), CallFacts>>,
    pub(crate) functions: Arc<HashMap<Name, Arc<Signature>>>,
    /// With each declaration its fence and place there, to put them in document order.
    pub(crate) found: Vec<((usize, u32), Declaration)>,
}

impl Collector {
    pub(crate) fn push(&mut self, place: (usize, u32), site: Site, what: Declared) {
        self.found.push((place, Declaration { site, what }));
    }
}
