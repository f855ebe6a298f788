//! How many notices rules may send at once.
//!
//! Players write rules, and rules can write to players and ask them things. All of it stands in the game; but what goes out by
//! mail and into chat is counted by day, for the rule that sends it, the player whose action made it, and the one whom it
//! reaches. What is beyond comes in the digest of the day.

use std::collections::BTreeMap;

use quorate_kernel::{Moment, PlayerId, Span};

use crate::concern::{Concern, Whom};

/// How many notices of one rule go out at once in a day.
pub const OF_RULE: u32 = 300;

/// How many go out at once in a day that actions of one player led to.
pub const OF_ACTOR: u32 = 100;

/// How many of rules reach one player at once in a day.
pub const TO_PLAYER: u32 = 30;

/// What rules of a game sent on a day.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NoticeBudget {
    /// Which day, counted from 1970 in UTC.
    pub day: i64,
    /// How much of it was used, by whom.
    pub used: BTreeMap<String, u32>,
}

impl NoticeBudget {
    /// Whether something may be told at once that somebody's action led to at a moment: it is then counted. What no rule
    /// sends is not counted here, and what falls due is nobody's action.
    pub fn allows(&mut self, concern: &Concern, actor: Option<PlayerId>, at: Moment) -> bool {
        let (Some(rule), Whom::Player(to)) = (&concern.sent_by, &concern.whom) else {
            return true;
        };
        self.begin(at);
        let mut of = vec![
            (format!("rule {rule}"), OF_RULE),
            (format!("to {to}"), TO_PLAYER),
        ];
        of.extend(actor.map(|actor| (format!("by {actor}"), OF_ACTOR)));
        let is_left = |(who, most): &(String, u32)| self.used.get(who).is_none_or(|n| n < most);
        let is_allowed = of.iter().all(is_left);
        // A word ahead of a deadline goes with its question.
        if is_allowed && concern.not_before.is_none() {
            for (who, _) in of {
                *self.used.entry(who).or_default() += 1;
            }
        }
        is_allowed
    }

    /// Each day begins with nothing used.
    fn begin(&mut self, at: Moment) {
        let day = at.0.div_euclid(Span::days(1).0);
        if day != self.day {
            *self = Self {
                day,
                used: BTreeMap::new(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::EventSeq;
    use quorate_kernel::ids::{Id, MessageId};

    use super::*;
    use crate::kind::NoticeKind;
    use crate::topic::NoticeTopic;

    const NOON: Moment = Moment(1_935_403_200_000);

    fn player(number: u64) -> PlayerId {
        PlayerId(Id::new(EventSeq(number), 0))
    }

    fn sent(rule: &str, to: u64) -> Concern {
        Concern {
            whom: Whom::Player(player(to)),
            kind: NoticeKind::Message,
            topic: NoticeTopic::Message(MessageId(Id::new(EventSeq(9), 0))),
            by: None,
            not_before: None,
            sent_by: Some(rule.into()),
        }
    }

    /// How many of so many are allowed.
    fn allowed(budget: &mut NoticeBudget, of: &[(&str, u64, Option<u64>)]) -> usize {
        let of = of.iter();
        of.filter(|(rule, to, actor)| budget.allows(&sent(rule, *to), actor.map(player), NOON))
            .count()
    }

    #[test]
    fn a_rule_an_actor_and_a_reader_have_a_budget_each() {
        let mut budget = NoticeBudget::default();
        let one_reader: Vec<_> = (0..40).map(|_| ("reef", 1, None)).collect();
        assert_eq!(allowed(&mut budget, &one_reader), 30);
        assert_eq!(
            allowed(&mut budget, &[("tide", 1, None)]),
            0,
            "the reader has enough"
        );
        assert_eq!(
            allowed(&mut budget, &[("reef", 2, None)]),
            1,
            "others have not"
        );

        let mut budget = NoticeBudget::default();
        let one_actor: Vec<_> = (0..120).map(|to| ("reef", to, Some(7))).collect();
        assert_eq!(allowed(&mut budget, &one_actor), 100);
        assert_eq!(
            allowed(&mut budget, &[("tide", 500, Some(7))]),
            0,
            "nor by another rule"
        );
        assert_eq!(allowed(&mut budget, &[("reef", 500, Some(8))]), 1);

        let mut budget = NoticeBudget::default();
        let one_rule: Vec<_> = (0..400).map(|to| ("reef", to, None)).collect();
        assert_eq!(allowed(&mut budget, &one_rule), 300);
        assert_eq!(allowed(&mut budget, &[("tide", 500, None)]), 1);
    }

    #[test]
    fn what_was_used_is_there_again_on_the_next_day() {
        let mut budget = NoticeBudget::default();
        let all: Vec<_> = (0..40).map(|_| ("reef", 1, None)).collect();
        allowed(&mut budget, &all);
        let midnight = NOON + Span::hours(12);
        assert!(!budget.allows(&sent("reef", 1), None, midnight - Span(1)));
        assert!(budget.allows(&sent("reef", 1), None, midnight));
    }

    #[test]
    fn what_players_write_is_not_counted() {
        let mut budget = NoticeBudget::default();
        let written = Concern {
            sent_by: None,
            ..sent("reef", 1)
        };
        for _ in 0..1_000 {
            assert!(budget.allows(&written, Some(player(7)), NOON));
        }
        assert_eq!(budget, NoticeBudget::default());
    }
}
