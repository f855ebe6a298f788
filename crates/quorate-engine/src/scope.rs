//! Scopes: which rules and which attempts a guard or an exclusion is about.

use quorate_kernel::Name;
use quorate_law::declare::ScopeDecl;

use crate::law::Place;

/// Whether a scope takes in a rule: for exclusions, and for attempts by the rule they belong to.
pub fn covers_rule(scope: &ScopeDecl, rule: &Name, place: &Place) -> bool {
    if names_nothing(scope) {
        return !excepted(scope, rule, place, None, &[]);
    }
    let named = (!scope.section.is_empty()
        && (scope.section == place.section || scope.section == *rule))
        || scope
            .rules
            .iter()
            .any(|wanted| wanted == rule || place.line.contains(wanted))
        || scope.tags.iter().any(|tag| place.tags.contains(tag));
    named && !excepted(scope, rule, place, None, &[])
}

/// Whether a scope takes in an attempt at an action.
pub fn covers_attempt(
    scope: &ScopeDecl,
    action: &Name,
    tags: &[Name],
    rule: &Name,
    place: &Place,
) -> bool {
    if excepted(scope, rule, place, Some(action), tags) {
        return false;
    }
    names_nothing(scope)
        || (!scope.section.is_empty() && scope.section == place.section)
        || scope
            .rules
            .iter()
            .any(|wanted| wanted == rule || place.line.contains(wanted))
        || scope.actions.contains(action)
        || scope
            .tags
            .iter()
            .any(|tag| place.tags.contains(tag) || tags.contains(tag))
}

/// How many actions a scope takes in, out of all: the smaller, the narrower.
pub fn breadth<'a>(
    scope: &ScopeDecl,
    actions: impl Iterator<Item = (&'a Name, &'a [Name], &'a Name, Place)>,
) -> i64 {
    let covered = actions
        .filter(|(action, tags, rule, place)| covers_attempt(scope, action, tags, rule, place))
        .count();
    i64::try_from(covered).unwrap_or(i64::MAX)
}

fn names_nothing(scope: &ScopeDecl) -> bool {
    scope.section.is_empty()
        && scope.rules.is_empty()
        && scope.actions.is_empty()
        && scope.tags.is_empty()
}

fn excepted(
    scope: &ScopeDecl,
    rule: &Name,
    place: &Place,
    action: Option<&Name>,
    tags: &[Name],
) -> bool {
    scope.but.iter().any(|but| {
        but == rule
            || place.line.contains(but)
            || *but == place.section
            || action.is_some_and(|action| action == but)
    }) || scope
        .but_tags
        .iter()
        .any(|tag| place.tags.contains(tag) || tags.contains(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            section: "core".into(),
            line: vec!["votes".into(), "votable".into()],
            tags: vec!["voting".into()],
            ..Place::default()
        }
    }

    fn names(words: &[&str]) -> Vec<Name> {
        words.iter().map(|word| Name::from(*word)).collect()
    }

    #[test]
    fn a_scope_with_nothing_named_takes_in_everything_but_what_it_excepts() {
        let all = ScopeDecl::default();
        assert!(covers_rule(&all, &"votes".into(), &place()));
        let but_above = ScopeDecl {
            but: names(&["votable"]),
            ..ScopeDecl::default()
        };
        assert!(
            !covers_rule(&but_above, &"votes".into(), &place()),
            "what is under an excepted rule is excepted"
        );
        assert!(!covers_attempt(
            &but_above,
            &"vote".into(),
            &[],
            &"votes".into(),
            &place()
        ));
    }

    #[test]
    fn a_scope_by_action_takes_in_that_action_alone() {
        let scope = ScopeDecl {
            actions: names(&["vote"]),
            ..ScopeDecl::default()
        };
        assert!(covers_attempt(
            &scope,
            &"vote".into(),
            &[],
            &Name::default(),
            &Place::default()
        ));
        assert!(!covers_attempt(
            &scope,
            &"comment".into(),
            &[],
            &Name::default(),
            &Place::default()
        ));
        assert!(
            !covers_rule(&scope, &"votes".into(), &place()),
            "no rule is named"
        );
    }

    #[test]
    fn sections_and_tags_find_rules() {
        let section = ScopeDecl {
            section: "core".into(),
            but_tags: names(&["voting"]),
            ..ScopeDecl::default()
        };
        assert!(!covers_rule(&section, &"votes".into(), &place()));
        let tags = ScopeDecl {
            tags: names(&["voting"]),
            ..ScopeDecl::default()
        };
        assert!(covers_rule(&tags, &"votes".into(), &place()));
    }
}
