//! What comes and goes with the law beside rules, values and actions: kinds of posts, guards, hooks, what happens by itself,
//! and by which acts rules can be changed.

use std::collections::BTreeSet;

use quorate_engine::Law;
use quorate_kernel::Name;
use quorate_law::declare::{ScopeDecl, Trigger};
use quorate_law::readable;

use crate::consequence::{Consequence, Machinery};
use crate::fork::Fork;
use crate::trial::PatchTrial;

/// A part of a law: what it is, its rule, it in words, and whether it can change rules.
type LawPart = (Machinery, Name, String, bool);

/// Parts that only one of the two laws has.
pub(crate) fn machinery(fork: &Fork<'_>, trial: &PatchTrial) -> Vec<Consequence> {
    let (old, new) = (
        parts(fork, fork.judge.law()),
        parts(fork, trial.judge.law()),
    );
    let told = |(sort, rule, is, changes_rules): &LawPart, comes| Consequence::Machinery {
        sort: *sort,
        rule: rule.clone(),
        is: is.clone(),
        comes,
        changes_rules: *changes_rules && comes,
    };
    let come = new.difference(&old).map(|part| told(part, true));
    let go = old.difference(&new).map(|part| told(part, false));
    come.chain(go).collect()
}

fn parts(fork: &Fork<'_>, law: &Law) -> BTreeSet<LawPart> {
    let enacts = |function: &Name| law.enacts.contains(function);
    let mut parts = BTreeSet::new();
    for decl in law.categories.values() {
        let mut is = fork.themed(&decl.it.title);
        if !decl.it.icons.is_empty() {
            is.push_str(", which is voted on");
        }
        parts.insert((Machinery::Category, decl.site.rule.clone(), is, false));
    }
    for guard in &law.guards {
        let sort = if guard.it.forbids {
            Machinery::Forbids
        } else {
            Machinery::Permits
        };
        let why = fork.themed(&guard.it.why);
        let is = format!("{why} (for {})", covered(fork, &guard.it.scope));
        parts.insert((sort, guard.site.rule.clone(), is, false));
    }
    for (how, hooks) in [
        ("after", &law.after),
        ("when", &law.on),
        ("whenever it changes:", &law.changed),
    ] {
        for hook in hooks {
            let of = hook.it.of.as_ref();
            let of = of.map_or_else(String::new, |of| format!(" ({of})"));
            let (does, on) = (
                readable(hook.it.hook.as_str()),
                readable(hook.it.on.as_str()),
            );
            let is = format!("{does}, {how} {on}{of}");
            let rule = hook.site.rule.clone();
            parts.insert((Machinery::Hook, rule, is, enacts(&hook.it.hook)));
        }
    }
    for automatic in &law.automatics {
        let mut is = readable(automatic.it.name.as_str());
        if let Trigger::When { test, .. } = &automatic.it.trigger {
            is = format!("{is}, when {}", readable(test.as_str()));
        }
        let rule = automatic.site.rule.clone();
        parts.insert((Machinery::Automatic, rule, is, enacts(&automatic.it.body)));
    }
    for decl in law.actions.values().filter(|decl| enacts(&decl.it.body)) {
        let by = decl.it.by.as_ref();
        let by = by.map_or_else(|| "everybody".to_owned(), |by| readable(by.as_str()));
        let is = format!("{}, by {by}", fork.themed(&decl.it.title));
        parts.insert((Machinery::Enacts, decl.site.rule.clone(), is, true));
    }
    parts
}

/// What a guard covers.
fn covered(fork: &Fork<'_>, scope: &ScopeDecl) -> String {
    let words = |names: &[Name]| -> Vec<String> {
        names.iter().map(|name| readable(name.as_str())).collect()
    };
    let mut parts = words(&scope.actions);
    if !scope.section.is_empty() {
        let sections = &fork.judge.state().sections;
        let title = sections.get(&scope.section).map(|section| &section.title);
        let title = title.map_or_else(|| readable(scope.section.as_str()), |it| fork.themed(it));
        parts.push(format!("all of {title}"));
    }
    parts.extend(
        words(&scope.rules)
            .iter()
            .map(|rule| format!("rule {rule}")),
    );
    parts.extend(
        words(&scope.tags)
            .iter()
            .map(|tag| format!("what is tagged {tag}")),
    );
    if parts.is_empty() {
        parts.push("everything".to_owned());
    }
    let but: Vec<String> = [words(&scope.but), words(&scope.but_tags)].concat();
    let parts = parts.join(", ");
    if but.is_empty() {
        parts
    } else {
        format!("{parts}, but not {}", but.join(", "))
    }
}
