//! What somebody still has to do again: an action that was undone after its dice fell.
//!
//! Its dice are for what it was given then. As long as the law takes that, the action is done with it first, so that nobody takes
//! a known die elsewhere, nor walks away from it: neither by giving it something else, nor by another action that is counted with it.

use std::collections::BTreeSet;

use quorate_kernel::rows::{Open, OpenKey, Waiting};
use quorate_kernel::{Name, PlayerId, Refusal, Value};
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;

use super::{actions, follow, labels, last_look};
use crate::convert;
use crate::reads::ReadKey;
use crate::tx::{Deck, Frame, Tx};

/// Refuses an action if the player has undone it and now gives it something else, or has undone another one that shares a limit with
/// it: that one comes first. If several were undone, any of them may come next.
pub(crate) fn check(
    tx: &Tx,
    action: &Name,
    player: PlayerId,
    given: &[(Name, Datum)],
) -> Result<(), Refusal> {
    let is_it = |args: &[(Name, Datum)]| is_part(args, given) && is_part(given, args);
    check_unless(tx, action, player, given, is_it)
}

/// The same of an action of which not everything is given yet: it is the undone one if all that is given was given to that.
pub(crate) fn check_begun(
    tx: &Tx,
    action: &Name,
    player: PlayerId,
    given: &[(Name, Datum)],
) -> Result<(), Refusal> {
    check_unless(tx, action, player, given, |args| is_part(given, args))
}

fn check_unless(
    tx: &Tx,
    action: &Name,
    player: PlayerId,
    given: &[(Name, Datum)],
    is_it: impl Fn(&[(Name, Datum)]) -> bool,
) -> Result<(), Refusal> {
    let undone = undone_by(tx, player);
    let mut of_it = undone.iter().filter(|undone| undone.action == *action);
    if of_it.clone().any(|undone| is_it(&undone.args)) {
        return Ok(());
    }
    first_among(tx, player, &undone, |undone| {
        undone.action != *action && undone.is_counted_with(tx, action)
    })?;
    let decl = tx.law.actions.get(action);
    let undone = of_it.find(|undone| undone.is_possible(tx, player));
    let Some((decl, undone)) = decl.zip(undone) else {
        return Ok(());
    };
    let what = "to be done again as it was before it was undone";
    let refusal = tx.refusal_at(&decl.site, what);
    let refusal = refusal.having(words(tx, given));
    Err(refusal.wanting(words(tx, &undone.args)))
}

/// Refuses to go on with an action that is open, if the player has undone another one since that shares a limit with it; or the same
/// one, if no die of the open one has fallen yet.
pub(crate) fn check_open(
    tx: &Tx,
    action: &Name,
    player: PlayerId,
    open: &Open,
) -> Result<(), Refusal> {
    first_of(tx, player, |undone| {
        if undone.action == *action {
            open.tape.dice.is_empty() && open.seed != undone.waiting.seed
        } else {
            undone.is_counted_with(tx, action)
        }
    })
}

/// Refuses an action that another one performs, if its player has undone it or another one that shares a limit with it.
pub(crate) fn check_performed(tx: &Tx, action: &Name, player: PlayerId) -> Result<(), Refusal> {
    first_of(tx, player, |undone| {
        undone.action == *action || undone.is_counted_with(tx, action)
    })
}

/// Refuses an undo of an action if the player has undone it once more already: only one of the two could wait with its dice.
pub(crate) fn check_undo(tx: &Tx, action: &Name, player: PlayerId) -> Result<(), Refusal> {
    first_of(tx, player, |undone| undone.action == *action)
}

/// Refuses what an undone action comes before, if the law takes that one and it hasn't begun again.
fn first_of(
    tx: &Tx,
    player: PlayerId,
    comes_before: impl Fn(&UndoneAction) -> bool,
) -> Result<(), Refusal> {
    first_among(tx, player, &undone_by(tx, player), comes_before)
}

fn first_among(
    tx: &Tx,
    player: PlayerId,
    undone: &[UndoneAction],
    comes_before: impl Fn(&UndoneAction) -> bool,
) -> Result<(), Refusal> {
    for undone in undone {
        let Some(decl) = tx.law.actions.get(&undone.action) else {
            continue;
        };
        if comes_before(undone) && undone.is_possible(tx, player) {
            let what = format!("“{}” to be done again first", decl.it.title);
            let refusal = tx.refusal_at(&decl.site, &what);
            return Err(refusal.wanting(words(tx, &undone.args)));
        }
    }
    Ok(())
}

/// Whether everything in one list of arguments is in the other. What is left out is nothing.
fn is_part(one: &[(Name, Datum)], other: &[(Name, Datum)]) -> bool {
    let mut given = one.iter().filter(|(_, datum)| *datum != Datum::None);
    given.all(|one| other.contains(one))
}

fn words(tx: &Tx, args: &[(Name, Datum)]) -> String {
    let labels = args.iter().map(|(_, datum)| labels::label(tx, datum));
    labels.collect::<Vec<_>>().join(", ")
}

/// An action that was undone after its dice fell.
struct UndoneAction {
    action: Name,
    /// What it was given.
    args: Vec<(Name, Datum)>,
    /// The dice and choices that wait for it.
    waiting: Waiting,
}

impl UndoneAction {
    /// Whether a use of it is one of another action to some limit.
    fn is_counted_with(&self, tx: &Tx, action: &Name) -> bool {
        are_counted_together(tx, &self.action, action)
    }

    /// Whether the law takes it as far as its dice and choices lead, and it waits for nothing but to be done again.
    fn is_possible(&self, tx: &Tx, player: PlayerId) -> bool {
        let key = OpenKey {
            who: player,
            action: self.action.clone(),
        };
        let open = tx.row::<Open>(&key);
        if open.is_some_and(|open| open.seed == self.waiting.seed) {
            return false;
        }
        let frame = Frame {
            actor: Some(player),
            ..tx.frame()
        };
        let answer = tx.trial(frame, || {
            *tx.deck() = Deck::of_earlier_go(&self.waiting.dice, &self.waiting.choices());
            actions::act(tx, &self.action, player, self.args.clone(), &[])?;
            follow::follow(tx)?;
            last_look::check(tx)
        });
        matches!(answer, Ok(()) | Err(Stop::Asks(_)))
    }
}

/// The actions that somebody undid after their dice fell.
fn undone_by(tx: &Tx, player: PlayerId) -> Vec<UndoneAction> {
    tx.read(ReadKey::Open);
    tx.with_state(|state| {
        let rows = state.waiting.iter().filter(|(key, _)| key.who == player);
        let undone = rows.filter_map(|(key, row)| {
            let args = row.arguments()?.into_iter();
            let datum = |(name, value): (Name, Value)| (name, convert::datum(&value));
            Some(UndoneAction {
                action: key.action.clone(),
                args: args.map(datum).collect(),
                waiting: row.clone(),
            })
        });
        undone.collect()
    })
}

/// Whether a use of one action is one of the other to some limit.
fn are_counted_together(tx: &Tx, one: &Name, other: &Name) -> bool {
    let slots = |action: &Name| -> BTreeSet<Name> {
        let decl = tx.law.actions.get(action);
        let limits = decl.map(|decl| decl.it.limits.as_slice());
        let limits = limits.unwrap_or_default().iter();
        limits
            .map(|limit| limit.counted_in(action).clone())
            .collect()
    };
    !slots(one).is_disjoint(&slots(other))
}

#[cfg(test)]
mod tests;
