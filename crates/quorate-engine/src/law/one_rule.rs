//! For tests: a state whose whole law is one rule.

use quorate_kernel::EventSeq;
use quorate_kernel::law::Rule;
use quorate_kernel::state::State;

/// One that has that code.
pub(crate) fn one_rule(code: &str) -> State {
    let mut state = State::default();
    let rule = Rule {
        section: "core".into(),
        parent: None,
        rank: 0,
        title: "One".to_owned(),
        text: format!("# One\n\n1. All.\n\n```starlark\n{code}```\n").into(),
        active: true,
        tags: Vec::new(),
        changed_by: EventSeq(1),
    };
    state.rules.insert("one".into(), rule);
    state
}
