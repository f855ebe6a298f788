//! What each player could do at once, before and after a patch.

use std::collections::{BTreeMap, BTreeSet};

use quorate_engine::Law;
use quorate_engine::judge::Judge;
use quorate_engine::offers;
use quorate_kernel::audience::Reader;
use quorate_kernel::{Name, PlayerId};
use quorate_law::declare::ShownTo;
use serde::Serialize;

use crate::consequence::Called;
use crate::fork::Fork;

/// Who could take which action after a patch and not before, and the other way round.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Access {
    /// What could newly be done.
    pub gained: Vec<Gain>,
    /// What could no longer be done.
    pub lost: Vec<Gain>,
    /// Whether not everybody was tried, for the time was over.
    pub ended_early: bool,
}

/// An action that is open to some who could not take it before, or no longer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Gain {
    /// The action's title.
    pub title: String,
    /// Who.
    pub players: Vec<Called>,
    /// Whether that is everybody who plays.
    pub everybody: bool,
}

/// Tries all actions for all players, on a copy without the changes and on one with them.
pub(crate) fn access(fork: &Fork<'_>, without: &Judge, with: &Judge) -> Access {
    let active = fork.active();
    let mut gained: BTreeMap<String, Vec<Called>> = BTreeMap::new();
    let mut lost: BTreeMap<String, Vec<Called>> = BTreeMap::new();
    let mut ended_early = false;
    for player in &active {
        if fork.is_over() {
            ended_early = true;
            break;
        }
        let before = open_to(fork, without, *player);
        let after = open_to(fork, with, *player);
        for title in after.difference(&before) {
            gained
                .entry(title.clone())
                .or_default()
                .push(fork.player(*player));
        }
        for title in before.difference(&after) {
            lost.entry(title.clone())
                .or_default()
                .push(fork.player(*player));
        }
    }
    let listed = |found: BTreeMap<String, Vec<Called>>| {
        let gains = found.into_iter().map(|(title, players)| Gain {
            title,
            everybody: players.len() == active.len(),
            players,
        });
        gains.collect()
    };
    Access {
        gained: listed(gained),
        lost: listed(lost),
        ended_early,
    }
}

/// The titles of the actions that are open to a player now. Of another player's those are left out that rest on something
/// that not everybody may see.
fn open_to(fork: &Fork<'_>, judge: &Judge, player: PlayerId) -> BTreeSet<String> {
    let law = judge.law();
    let secret = if fork.reader == Reader::Player(player) {
        BTreeSet::new()
    } else {
        secrets(law)
    };
    fork.ask(judge, |tx| {
        let names = law.action_order.iter();
        let decls = names.filter_map(|name| law.actions.get(name));
        let acts = decls
            .filter(|decl| !touches(law, &decl.it.body, &secret))
            .filter(|decl| offers::offer(tx, player, decl).open.is_ok())
            .map(|decl| fork.themed(&decl.it.title));
        let kinds = law.categories.values();
        let kinds = kinds
            .filter(|decl| offers::may_post(tx, player, decl).is_ok())
            .map(|decl| format!("Post: {}", fork.themed(&decl.it.title)));
        acts.chain(kinds).collect()
    })
}

/// The values that not everybody may see.
fn secrets(law: &Law) -> BTreeSet<Name> {
    let kept = law.values.iter();
    kept.filter(|(_, decl)| decl.it.shown_to != ShownTo::All)
        .map(|((_, name), _)| name.clone())
        .collect()
}

/// Whether a function may read one of these values.
fn touches(law: &Law, function: &Name, secret: &BTreeSet<Name>) -> bool {
    let read = law.reads.get(function);
    !secret.is_empty() && read.is_none_or(|read| !read.is_disjoint(secret))
}
