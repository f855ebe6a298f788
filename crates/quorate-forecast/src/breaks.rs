//! Code tried once on a copy: what checks and breaks all the same when it runs.

use std::collections::BTreeSet;

use quorate_engine::judge::Judge;
use quorate_engine::offers;
use quorate_engine::tx::{Frame, Tx};
use quorate_kernel::rows::Standing;
use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::Trigger;
use quorate_law::stop::{Site, Stop};

use crate::enactment::able;
use crate::fork::Fork;

/// Of how many players each action is tried.
const PLAYERS: usize = 2;

/// The code of some rules that breaks: rule, clause and why.
pub(crate) fn broken(
    fork: &Fork<'_>,
    judge: &Judge,
    rules: &BTreeSet<Name>,
) -> BTreeSet<(Name, u32, String)> {
    let law = judge.law();
    let players = able(fork, judge);
    let is_one = |site: &Site| rules.contains(&site.rule);
    fork.ask(judge, |tx| {
        for decl in law.actions.values().filter(|decl| is_one(&decl.site)) {
            for player in players.iter().take(PLAYERS) {
                let _ = offers::offer(tx, *player, decl);
            }
        }
        for decl in law.categories.values().filter(|decl| is_one(&decl.site)) {
            for player in players.iter().take(PLAYERS) {
                let _ = offers::may_post(tx, *player, decl);
            }
        }
        for ((of, _), decl) in &law.derived {
            if is_one(&decl.site) {
                run(tx, &decl.site, &decl.it.function, Some(of));
            }
        }
        for decl in law.automatics.iter().filter(|decl| is_one(&decl.site)) {
            if let Trigger::When { test, .. } = &decl.it.trigger {
                run(
                    tx,
                    &decl.site,
                    test,
                    Some(decl.it.of.as_ref().unwrap_or(&Name::from("Game"))),
                );
            }
            run(tx, &decl.site, &decl.it.body, decl.it.of.as_ref());
        }
        for decl in law.conditions.iter().filter(|decl| is_one(&decl.site)) {
            run(tx, &decl.site, &decl.it.0, Some(&decl.it.1));
        }
        let finished = tx.finish();
        let all = finished.broken.into_iter();
        all.filter(|(site, _)| rules.contains(&site.rule))
            .map(|(site, fault)| (site.rule, site.clause, fault.text))
            .collect()
    })
}

/// Runs a function for the first thing of a kind, and takes back what it did.
fn run(tx: &Tx, site: &Site, function: &Name, of: Option<&Name>) {
    let takes = tx.law.code.signature(function.as_str());
    let takes = takes.map_or(0, |signature| signature.params.len());
    let args = match (of, takes) {
        (_, 0) | (None, _) => Vec::new(),
        (Some(kind), _) => match first_of(tx, kind) {
            Some(thing) => vec![Datum::Thing(thing)],
            None => return,
        },
    };
    if args.len() != takes {
        return;
    }
    let frame = Frame {
        site: site.clone(),
        ..tx.frame()
    };
    if let Err(Stop::Broken(fault)) = tx.trial(frame, || tx.call(function, args)) {
        tx.broke(site, &fault);
    }
}

fn first_of(tx: &Tx, kind: &Name) -> Option<Thing> {
    tx.with_state(|state| match kind.as_str() {
        "Game" => Some(Thing::Game),
        "Player" => {
            let mut people = state.people.iter();
            let member = people.find(|(_, person)| person.standing == Standing::Member);
            member.map(|(id, _)| Thing::Player(*id))
        }
        _ => {
            let mut things = state.entities.iter();
            let thing = things.find(|(_, row)| row.kind == *kind);
            let mut posts = state.posts.iter();
            thing.map(|(id, _)| Thing::Entity(*id)).or_else(|| {
                let post = posts.find(|(_, post)| post.category == *kind);
                post.map(|(id, _)| Thing::Post(*id))
            })
        }
    })
}
