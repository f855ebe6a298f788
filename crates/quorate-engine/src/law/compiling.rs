//! From the texts of a state to a version of its law: what is compiled, and what is taken over from a version that was compiled
//! before.

use std::collections::BTreeSet;

use quorate_kernel::Name;
use quorate_kernel::digest::Digest;
use quorate_kernel::law::{LIBRARY, Rule};
use quorate_kernel::rows::ClauseKey;
use quorate_kernel::state::State;
use quorate_law::declare::Declaration;
use quorate_law::{FenceCache, RuleSource, compile_knowing};

use super::former::{self, text_of};
use super::{Law, places};

/// The texts of a state's law, and the edition of the library that they are written for.
pub(super) fn sources(state: &State) -> (Vec<RuleSource>, u16) {
    let rules = state.rules_in_order();
    let rules = library_first(&rules).map(|(id, rule)| source(state, id, rule));
    let sources = rules.chain(former::sources(state)).collect();
    let edition = state.about.get(&()).map_or(1, |about| about.edition);
    (sources, edition)
}

/// What a law is made of: its texts, and of the state what else matters.
pub(super) struct LawText<'s> {
    rules: Vec<(&'s Name, &'s Rule)>,
    sources: Vec<RuleSource>,
    edition: u16,
    digest: Digest,
    made_of: Digest,
}

impl<'s> LawText<'s> {
    pub(super) fn of(state: &'s State) -> Self {
        let rules = state.rules_in_order();
        let (sources, edition) = sources(state);
        Self {
            made_of: made_of(&rules, &sources, edition),
            digest: state.law_digest(),
            rules,
            sources,
            edition,
        }
    }

    /// The digest of all that its code and its declarations follow from.
    pub(super) fn made_of(&self) -> Digest {
        self.made_of
    }

    /// The law, compiled. Fences that were read before are taken from those that were kept.
    pub(super) fn compiled(self, known: &FenceCache) -> Law {
        let compiled = compile_knowing(&self.sources, self.edition, known);
        let code = compiled.code.of_version(self.digest);
        let mut law = Law {
            asleep: compiled.asleep,
            warnings: compiled.warnings,
            reads: compiled.reads,
            enacts: compiled.enacts,
            leans: compiled.leans,
            breaking: compiled.breaking,
            lost_values: compiled.lost_values,
            places: places(&self.rules),
            ..Law::empty(self.digest, self.made_of, code)
        };
        let off = self.rules.iter().filter(|(_, rule)| !rule.active);
        let off: BTreeSet<&Name> = off.map(|(id, _)| *id).collect();
        for Declaration { site, what } in compiled.declarations {
            let active = !off.contains(&site.rule);
            law.take(site, what, active);
        }
        law
    }

    /// The law, after a version that was made of the same.
    pub(super) fn after(self, other: &Law) -> Law {
        let mut law = other.clone();
        law.digest = self.digest;
        law.code = law.code.of_version(self.digest);
        law.places = places(&self.rules);
        law
    }
}

impl Law {
    /// Compiles the law that a state holds.
    pub fn of(state: &State) -> Self {
        LawText::of(state).compiled(&FenceCache::default())
    }
}

/// Of each text the code with its places, and what else its code and its declarations follow from. When a text changed matters only
/// against the others: of two that define one name the older keeps it.
fn made_of(rules: &[(&Name, &Rule)], sources: &[RuleSource], edition: u16) -> Digest {
    let moments: BTreeSet<u64> = sources.iter().map(|source| source.since).collect();
    let moments: Vec<u64> = moments.into_iter().collect();
    let age = |source: &RuleSource| moments.binary_search(&source.since).unwrap_or_default();
    let mut parts = vec![format!("{edition}")];
    for source in sources {
        let (rule, title, library, left) =
            (&source.rule, &source.title, source.library, &source.left);
        parts.push(format!(
            "{rule:?} {title:?} {library} {} {left:?}",
            age(source)
        ));
        for fence in &source.text.fences {
            parts.push(format!("{} {} {}", fence.clause, fence.line, fence.indent));
            parts.push(fence.code.clone());
        }
    }
    let off = rules.iter().filter(|(_, rule)| !rule.active);
    parts.extend(off.map(|(id, _)| format!("{id:?} is off")));
    Digest::of_parts(parts.iter().map(String::as_bytes))
}

/// Library texts come before all rules.
fn library_first<'a>(
    rules: &'a [(&'a Name, &'a Rule)],
) -> impl Iterator<Item = (&'a Name, &'a Rule)> {
    let of = move |library: bool| {
        rules
            .iter()
            .filter(move |(_, rule)| (rule.section == LIBRARY) == library)
            .map(|(id, rule)| (*id, *rule))
    };
    of(true).chain(of(false))
}

fn source(state: &State, id: &Name, rule: &Rule) -> RuleSource {
    let library = rule.section == LIBRARY;
    let mut text = text_of(rule);
    let mut fence = 0;
    text.fences.retain(|_| {
        fence += 1;
        let key = ClauseKey {
            rule: id.clone(),
            fence,
        };
        state.breaks.get(&key).is_none_or(|breaks| !breaks.asleep)
    });
    RuleSource {
        rule: id.clone(),
        title: rule.title.clone(),
        library,
        since: rule.changed_by.0,
        text,
        left: None,
    }
}
