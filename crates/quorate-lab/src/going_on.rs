//! What a rule that went would still do: nothing, but for definitions that serve others.

use quorate_engine::law::Law;
use quorate_kernel::Name;
use quorate_law::stop::Site;

/// What a law still does for rules that went: their actions and kinds of posts, and what they forbid, filter, follow, count out or
/// do by themselves. Empty where rules end with their repeal.
pub(crate) fn doings_of(gone: &[Name], law: &Law) -> Vec<String> {
    let of = |site: &Site| gone.contains(&site.rule);
    let mut doings = Vec::new();
    let mut add = |what: &str, site: &Site| {
        if of(site) {
            doings.push(format!("{what} of {}, clause {}", site.rule, site.clause));
        }
    };
    for at in law.actions.values() {
        add("an action", &at.site);
    }
    for at in law.categories.values() {
        add("a kind of posts", &at.site);
    }
    for at in &law.guards {
        add("a guard", &at.site);
    }
    for at in law.filters.values().flatten() {
        add("a filter", &at.site);
    }
    for at in law.after.iter().chain(&law.on).chain(&law.changed) {
        add("a hook", &at.site);
    }
    for at in &law.automatics {
        add("something automatic", &at.site);
    }
    for at in &law.exclusions {
        add("who does not count", &at.site);
    }
    for at in law.values.values() {
        add("a value", &at.site);
    }
    doings
}
