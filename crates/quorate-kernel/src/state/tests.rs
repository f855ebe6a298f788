//! State is the fold of effects, and effects can be taken back.

use super::*;
use crate::ids::EventSeq;
use crate::value::{Thing, Value};

fn cell(n: i64) -> Cell {
    Cell {
        value: Value::Int(n),
        at: Moment(0),
        by: EventSeq(1),
        claimed: false,
    }
}

fn key(name: &str) -> CellKey {
    CellKey {
        thing: Thing::Game,
        name: Name::from(name),
    }
}

fn set(name: &str, old: Option<i64>, new: Option<i64>) -> Effect {
    Effect::Cell {
        key: key(name),
        old: old.map(cell),
        new: new.map(cell),
    }
}

#[test]
fn effects_taken_back_in_reverse_give_the_state_back() {
    let start = State::fold(&[set("rope", None, Some(6))]).unwrap();
    let effects = [
        set("rope", Some(6), Some(4)),
        set("tea", None, Some(1)),
        set("rope", Some(4), None),
    ];
    let mut state = start.clone();
    state.apply_all(&effects).unwrap();
    assert_ne!(state, start);
    let back: Vec<_> = effects.into_iter().rev().map(Effect::inverse).collect();
    state.apply_all(&back).unwrap();
    assert_eq!(state, start);
    assert_eq!(state.digest(), start.digest());
}

#[test]
fn an_effect_that_does_not_fit_changes_nothing() {
    let mut state = State::fold(&[set("rope", None, Some(6))]).unwrap();
    let before = state.clone();
    let effects = [set("tea", None, Some(1)), set("rope", Some(5), Some(4))];
    let mismatch = state.apply_all(&effects).unwrap_err();
    assert_eq!(mismatch.table, "cells");
    assert_eq!(state, before);
}

#[test]
fn a_state_is_made_again_from_its_own_effects() {
    let state = State::fold(&[
        set("rope", None, Some(6)),
        Effect::Due {
            key: DueKey::Duty(Id::new(EventSeq(3), 0)),
            old: None,
            new: Some(Due { at: Moment(9) }),
        },
    ])
    .unwrap();
    let again = State::fold(&state.effects()).unwrap();
    assert_eq!(again, state);
    assert_eq!(again.next_due().unwrap().0, Moment(9));
}

#[test]
fn what_falls_due_first_comes_first_and_together() {
    let due = |n: u64, at: i64| Effect::Due {
        key: DueKey::Duty(Id::new(EventSeq(n), 0)),
        old: None,
        new: Some(Due { at: Moment(at) }),
    };
    let state = State::fold(&[due(1, 50), due(2, 20), due(3, 20)]).unwrap();
    let (at, keys) = state.next_due().unwrap();
    assert_eq!(at, Moment(20));
    assert_eq!(keys.len(), 2);
}
