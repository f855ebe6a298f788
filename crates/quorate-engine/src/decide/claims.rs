//! Changes by hand: who claims what, and what nobody brings in by hand.

use quorate_kernel::event::NoteKind;
use quorate_kernel::ids::{ClaimId, PlayerId};
use quorate_kernel::law::Rule;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{self, Claim, ClaimStanding, DueKey, Post};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::State;
use quorate_kernel::{Name, PostId, Refusal, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::CategoryDecl;
use quorate_law::stop::{Answer, Stop};

use crate::law::{At, code_of};
use crate::topics::law_changes::NOT_SO;
use crate::topics::{guards, law_changes};
use crate::tx::Tx;
use crate::words::worded;

/// A change by hand: made at once, shown as claimed.
pub(super) fn claim(
    tx: &Tx,
    player: PlayerId,
    patch: &Sealed<Patch>,
    rule: &Name,
    reason: &Sealed<str>,
) -> Answer<()> {
    if reason.as_str().trim().is_empty() {
        return Err(Stop::no("a reason"));
    }
    let known = tx.with_state(|state| state.rules.contains_key(rule));
    let args = if known {
        vec![(Name::from("rule"), Datum::Thing(Thing::Rule(rule.clone())))]
    } else {
        vec![]
    };
    guards::check(
        tx,
        &guards::built_in(tx, &"claim".into(), player, None, args),
    )?;
    if !known {
        return Err(Stop::no("a rule that the change rests on"));
    }
    let Some(patch) = patch.shared().filter(|patch| !patch.is_empty()) else {
        return Err(Stop::no("a change"));
    };
    let before = tx.state();
    law_changes::apply_patch(tx, &patch, None, &[])?;
    all_made(tx, &patch)?;
    no_code_of_its_own(tx, &before, &patch)?;
    let touched: Vec<_> = tx.with_state(|state| {
        state
            .cells
            .iter()
            .filter(|(key, cell)| before.cells.get(*key).map(|old| &old.value) != Some(&cell.value))
            .map(|(key, cell)| (key.clone(), cell.clone()))
            .collect()
    });
    for (key, cell) in touched {
        let new = rows::Cell {
            claimed: true,
            ..cell.clone()
        };
        tx.put(key, new);
    }
    if tx.with_state(|state| *state == before) {
        return Err(Stop::no(nothing_changed(tx)));
    }
    let row = Claim {
        by: player,
        at: tx.now,
        rule: rule.clone(),
        reason: reason.clone(),
        standing: ClaimStanding::Claimed,
        disputed_by: vec![],
    };
    let key = tx.make_id();
    tx.put(key, row);
    if let Some(after) = tx.law.claims_settle {
        tx.set_due(DueKey::Claim(key), Some(tx.now + after));
    }
    tx.happen("claimed", "Game", vec![Datum::Thing(Thing::Game)]);
    Ok(())
}

/// Code goes into the law by a vote on it. By hand nobody writes any, but for what stands in a matter that is pending: if the
/// code that would enact the matter sleeps, people enact it, code and all. Where nothing can be put to a vote, all is by hand.
fn no_code_of_its_own(tx: &Tx, before: &State, patch: &Patch) -> Answer<()> {
    let recoded: Vec<(Name, Rule)> = tx.with_state(|state| {
        let rules = state.rules.iter();
        let is_recoded = |(id, rule): &(&Name, &Rule)| match before.rules.get(*id) {
            Some(old) if old.text == rule.text && old.section == rule.section => false,
            old => code_of(rule) != old.map(code_of).unwrap_or_default(),
        };
        rules
            .filter(is_recoded)
            .map(|(id, rule)| (id.clone(), rule.clone()))
            .collect()
    });
    let votes = |category: &At<CategoryDecl>| !category.it.icons.is_empty();
    if recoded.is_empty() || !tx.law.categories.values().any(votes) {
        return Ok(());
    }
    let carried = before.posts.iter().any(|(id, post)| {
        is_pending(tx, post)
            && post
                .patch
                .as_ref()
                .and_then(Sealed::shared)
                .is_some_and(|posted| carries(tx, before, (*id, &posted), patch, &recoded))
    });
    if carried {
        return Ok(());
    }
    let titles: Vec<String> = tx.with_state(|state| {
        let titles = recoded.iter().map(|(_, rule)| &rule.title);
        titles.map(|title| worded(state, title)).collect()
    });
    let mut refusal = Refusal::plain(
        "a change by hand that leaves code alone: post the change and have it voted on; as long as that post is pending, \
         a claim may make the very change of code that it carries",
    );
    refusal.needs[0].have = format!("another code of {}", titles.join(", "));
    Err(Stop::refused(refusal))
}

/// Whether a post is one that is voted on and not closed yet. What its category says is unknown while that sleeps.
fn is_pending(tx: &Tx, post: &Post) -> bool {
    let is_first = match tx.law.categories.get(&post.category) {
        Some(category) => {
            !category.it.icons.is_empty() && category.it.statuses.first() == Some(&post.status)
        }
        None => !post.status.is_empty(),
    };
    post.closed_at.is_none() && is_first
}

/// Whether the rules that a claim recodes are, word for word, what a post makes of them.
fn carries(
    tx: &Tx,
    before: &State,
    (id, posted): (PostId, &Patch),
    claimed: &Patch,
    recoded: &[(Name, Rule)],
) -> bool {
    let is_ruling = |clause: &Clause| matches!(clause, Clause::Strike { .. });
    if claimed.clauses.iter().any(is_ruling) {
        // What a ruling comes to is not worked out twice: all that may change the law has to stand in the post as it is.
        let mut of_law = claimed.clauses.iter().filter(|clause| {
            clause.rule().is_some() || is_ruling(clause) || matches!(clause, Clause::When { .. })
        });
        return of_law.all(|clause| posted.clauses.contains(clause));
    }
    let run = tx.beside(before, tx.now, &tx.law);
    if law_changes::apply_law(&run, posted, id).is_err() {
        return false;
    }
    run.with_state(|state| {
        recoded.iter().all(|(id, rule)| {
            let voted_on = |to_be: &Rule| {
                to_be.text == rule.text && to_be.section == rule.section && to_be.tags == rule.tags
            };
            state.rules.get(id).is_some_and(voted_on)
        })
    })
}

/// A claim says what has happened, so it is made whole or not at all: half of it was claimed by nobody. What hangs on a
/// condition that does not hold is no part of it.
fn all_made(tx: &Tx, patch: &Patch) -> Answer<()> {
    let notes = tx.finish().notes;
    let mut skipped = notes.iter().filter(|note| note.kind == NoteKind::Skipped);
    match skipped.find(|note| !note.text.starts_with(NOT_SO)) {
        None => Ok(()),
        Some(note) if patch.clauses.len() == 1 => Err(Stop::no(format!(
            "a change that can be made: {}",
            note.text
        ))),
        Some(note) => Err(Stop::no(format!(
            "changes that can all be made: {}",
            note.text
        ))),
    }
}

/// What a claim lacks that leaves all as it is: its condition does not hold, or a rule gives back the value that stands.
fn nothing_changed(tx: &Tx) -> String {
    let notes = tx.finish().notes;
    let skipped = notes.iter().find(|note| note.kind == NoteKind::Skipped);
    skipped.map_or_else(
        || "a change that makes a difference".to_owned(),
        |note| format!("a change that can be made: {}", note.text),
    )
}

/// Says that a claim is not so.
pub(super) fn dispute(tx: &Tx, player: PlayerId, claim: ClaimId) -> Answer<()> {
    let Some(old) = tx.with_state(|state| state.claims.get(&claim.0).cloned()) else {
        return Err(Stop::no("a claim that exists"));
    };
    let is_open = matches!(
        old.standing,
        ClaimStanding::Claimed | ClaimStanding::Disputed
    );
    if !is_open || old.disputed_by.contains(&player) {
        return Err(Stop::no(
            "a claim that is not settled and that you do not dispute yet",
        ));
    }
    guards::check(
        tx,
        &guards::built_in(tx, &"dispute".into(), player, None, vec![]),
    )?;
    let mut new = old.clone();
    new.standing = ClaimStanding::Disputed;
    new.disputed_by.push(player);
    tx.set_due(DueKey::Claim(claim.0), None);
    tx.put(claim.0, new);
    Ok(())
}
