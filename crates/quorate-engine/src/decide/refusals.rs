//! What a refusal says beside its reason: whose clause the act belongs to, and when it is possible for the first time.

use quorate_kernel::command::Act;
use quorate_kernel::{Moment, Name, Refusal};
use quorate_law::stop::Site;

use super::Case;
use crate::convert;
use crate::law::Law;
use crate::offers;
use crate::query::{self, Position};
use crate::topics::guards;
use crate::words::worded;

/// A refusal as it is told: by a clause wherever the law has one for the act, and with the first moment at which the act
/// works.
pub(super) fn completed(case: &Case<'_>, refusal: Refusal) -> Refusal {
    let mut refusal = attributed(case, refusal);
    let now = case.command.at;
    let bound = refusal.next_at.filter(|at| *at >= now);
    let works = bound.map(|at| works_from(case, at));
    refusal.next_at = works.filter(|at| *at > now);
    refusal
}

/// The same refusal by the clause that the act belongs to, where the game's own checks made it.
fn attributed(case: &Case<'_>, refusal: Refusal) -> Refusal {
    let site = home_of(case.law, &case.command.act);
    if !refusal.rule_id.is_empty() || !case.state.rules.contains_key(&site.rule) {
        return refusal;
    }
    Refusal {
        rule: worded(case.state, &case.law.place(&site.rule).title),
        rule_id: site.rule,
        clause: site.clause,
        ..refusal
    }
}

/// The clause that an act belongs to; no clause where the law says nothing of it.
fn home_of(law: &Law, act: &Act) -> Site {
    let built_in = |name: &str| guards::home_of(law, &name.into());
    let of_action = |action: &Name| {
        let decl = law.actions.get(action);
        decl.map(|decl| decl.site.clone()).unwrap_or_default()
    };
    match act {
        Act::Do { action, .. } | Act::Answer { action, .. } | Act::Abandon { action } => {
            of_action(action)
        }
        Act::Apply { .. } => built_in("apply-to-join"),
        Act::Leave { .. } => built_in("leave"),
        Act::Decide { .. } => built_in("answer"),
        Act::Post(post) if post.category.is_empty() => built_in("post"),
        Act::Post(post) => built_in(&format!("post {}", post.category)),
        Act::EditPost { .. } => built_in("edit"),
        Act::Recategorise { .. } => built_in("recategorise"),
        Act::Withdraw { .. } => built_in("withdraw"),
        Act::Comment { .. } => built_in("comment"),
        Act::Message { .. } => built_in("message"),
        Act::Claim { rule, .. } => Site {
            rule: rule.clone(),
            ..Site::default()
        },
        Act::Dispute { .. } => built_in("dispute"),
        Act::Undo { .. } => built_in("undo"),
        Act::Dice { .. } => built_in("roll"),
        Act::Wake { .. } => built_in("wake"),
        Act::Found(_)
        | Act::Due { .. }
        | Act::Downtime { .. }
        | Act::Repair { .. }
        | Act::Sleep { .. } => Site::default(),
    }
}

/// The first moment from `at` on at which an action works, as far as time alone brings it. A rule that asks for more than two
/// days names their end, and the action works right after it; where another bound comes after that one, it works from there.
fn works_from(case: &Case<'_>, at: Moment) -> Moment {
    let (Act::Do { action, args }, Some(player)) = (&case.command.act, case.command.actor.player())
    else {
        return at;
    };
    let Some(decl) = case.law.actions.get(action) else {
        return at;
    };
    let refusal_at = |at: Moment| -> Option<Refusal> {
        let args = args
            .iter()
            .map(|(name, value)| (name.clone(), convert::datum(value)));
        let position = Position {
            state: case.state,
            seq: case.seq,
            now: at,
            law: case.law,
        };
        query::run(position, |tx| {
            offers::tried(tx, player, decl, args.collect()).err()
        })
    };
    let mut bound = at;
    // What falls due until then is not done here: where the act is refused for good, the rule's own word stands.
    for _ in 0..LOOKS_MAX {
        let Some(then) = refusal_at(bound) else {
            return bound;
        };
        let right_after = Moment(bound.0.saturating_add(1));
        let Some(after) = refusal_at(right_after) else {
            return right_after;
        };
        // Something else stands in the way until later.
        let later = after.next_at.or(then.next_at);
        match later.filter(|later| *later > right_after) {
            Some(later) => bound = later,
            None => break,
        }
    }
    at
}

/// How many bounds, one behind the other, are looked at.
const LOOKS_MAX: usize = 12;

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Act, Actor, typed};
    use quorate_kernel::{Moment, Span};

    use crate::tiny_game::game;

    #[test]
    fn what_the_game_itself_refuses_is_told_by_the_clause_that_lets_it_in() {
        let mut game = game(
            "def always(a: Attempt) -> bool:\n    return True\n\npermit(scope(actions = [\"apply-to-join\"]), always, \"nothing\")",
        );
        let again = Act::Apply {
            name: typed("Anna"),
            text: typed(""),
        };
        let refused = game.send(Actor::Player(game.anna), again);
        let refused = refused.expect_err("she is on the roster");
        assert_eq!(refused.what(), "not to be on the roster already");
        assert_eq!((refused.rule.as_str(), refused.clause), ("House", 1));
        let no_clause = game.send(Actor::Player(game.anna), Act::Leave { text: typed("") });
        assert!(no_clause.is_ok(), "{no_clause:?}");
    }

    #[test]
    fn at_a_strict_bound_the_next_moment_is_the_first_at_which_it_works() {
        let mut game = game(
            "def nap(actor: Player):\n    end = week_start(now) + days(6) + hours(20)\n    require(now > end, \"a later hour\", next_at = end)\n\naction(\"nap\", nap)",
        );
        let end: Moment = "2031-05-04T20:00Z".parse().expect("a moment");
        let refused = game.act("nap", &[]).expect_err("it is too early");
        assert_eq!(refused.next_at, Some(end + Span(1)));
        game.now = end;
        let refused = game.act("nap", &[]).expect_err("the bound is not past");
        assert_eq!(refused.next_at, Some(end + Span(1)));
        game.now = end + Span(1);
        game.act("nap", &[]).expect("it is past");
    }

    #[test]
    fn a_moment_that_has_passed_is_not_told() {
        let mut game = game(
            "def nap(actor: Player):\n    require(False, \"a bed\", next_at = week_start(now))\n\naction(\"nap\", nap)",
        );
        let refused = game.act("nap", &[]).expect_err("there is no bed");
        assert_eq!(refused.next_at, None);
    }

    #[test]
    fn of_several_bounds_the_next_moment_is_past_the_last() {
        let mut game = game(
            "def nap(actor: Player):\n    end = week_start(now) + days(6) + hours(20)\n    require(now >= end, \"the evening\", next_at = end)\n    require(now > end + hours(2), \"the night\", next_at = end + hours(2))\n\naction(\"nap\", nap, limit = limit(per = \"day\"))",
        );
        let night: Moment = "2031-05-04T22:00Z".parse().expect("a moment");
        let refused = game.act("nap", &[]).expect_err("it is too early");
        assert_eq!(refused.what(), "the evening");
        assert_eq!(refused.next_at, Some(night + Span(1)));
        game.now = night + Span(1);
        game.act("nap", &[]).expect("both are past");
        // A day begins at midnight, and both bounds lie behind it.
        let again = game.act("nap", &[]).expect_err("one a day");
        assert_eq!(again.next_at, Some(night + Span::days(7) + Span(1)));
    }
}
