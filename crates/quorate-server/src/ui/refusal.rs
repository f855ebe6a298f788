//! Refusals as sentences that a player understands.

use askama::Template;
use quorate_kernel::{LimitTime, Topic};
use quorate_law::capital;

use crate::ui::html::writes_html;
use crate::ui::time::When;
use crate::ui::urls::Href;

/// What a statement rests on: a clause of the ruleset, with the way to it.
#[derive(Clone, Debug, PartialEq, Eq, Template)]
#[template(path = "ui/cite.html")]
pub struct Cite {
    /// As readers name it: "rule 12.2".
    pub text: String,
    /// Where it stands.
    pub href: Option<Href>,
}

impl Cite {
    /// A clause that stands in the ruleset.
    pub fn new(text: impl Into<String>, href: impl Into<Href>) -> Self {
        Self {
            text: text.into(),
            href: Some(href.into()),
        }
    }
}

/// One thing that would have to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// What it is, as a noun phrase ("the oldest pending proposal") or the name of a value ("Brains").
    pub what: String,
    /// What holds, as it is shown; nothing where it is hidden or has no value.
    pub have: Option<String>,
    /// What would have to hold.
    pub need: Option<String>,
    /// What it is about, where that is known.
    pub topic: Topic,
}

impl Need {
    /// A need that is only a phrase.
    pub fn that(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            have: None,
            need: None,
            topic: Topic::General,
        }
    }

    /// A need with what holds and what would have to.
    pub fn of(what: impl Into<String>, have: impl Into<String>, need: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            have: Some(have.into()),
            need: Some(need.into()),
            topic: Topic::General,
        }
    }

    /// The same need, about something that is known.
    #[must_use]
    pub fn about(self, topic: Topic) -> Self {
        Self { topic, ..self }
    }

    /// The need as the end of a sentence that began with what was tried and "needs".
    fn phrase(&self) -> String {
        let what = &self.what;
        let named_value = what.chars().next().is_some_and(char::is_uppercase);
        let number = |text: &str| text.parse::<i64>().ok();
        let counted = |text: &str| number(text).is_some();
        let falls_short = |have: &str, need: &str| {
            number(have)
                .zip(number(need))
                .is_some_and(|(have, need)| have < need)
        };
        if let (Topic::Range { of, .. }, Some(range)) = (&self.topic, &self.need) {
            let have = self.have.as_ref();
            let have = have.map_or(String::new(), |have| format!("; it would be {have}"));
            return format!("{of} within {range}{have}");
        }
        match (&self.have, &self.need) {
            (Some(have), Some(need)) if named_value && counted(need) => {
                format!("{need} {what}; you have {have}")
            }
            (Some(have), Some(need)) if falls_short(have, need) => {
                format!("{what}: {need} needed, {have} so far")
            }
            // Not short of a number: the phrase itself says what is asked ("at most 2 pending").
            (Some(have), Some(need)) if counted(need) && counted(have) => {
                format!("{what}; there are {have}")
            }
            (Some(have), Some(need)) if need == what => format!("{what}; it is {have}"),
            (Some(have), Some(need)) if named_value => format!("{what} to be {need}; it is {have}"),
            (Some(have), Some(need)) => format!("{what}, which is {need}, not {have}"),
            (Some(have), None) if matches!(self.topic, Topic::Limit { .. }) => {
                format!("{what}; {have}")
            }
            (Some(have), None) => format!("{what}; it is {have}"),
            (None, Some(need)) if named_value => format!("{need} {what}"),
            (None, Some(need)) => format!("{what}: {need}"),
            (None, None) => what.clone(),
        }
    }
}

/// What a reader is told instead, where a need is of a kind that everybody knows: it says what is so, not what would have to
/// be. None for other needs.
fn plainly(need: &Need) -> Option<String> {
    if let Topic::Limit {
        times,
        once_in,
        is_shared,
    } = &need.topic
    {
        return Some(used_up(times, *once_in, *is_shared));
    }
    if let Topic::Uncounted { role, has_asked } = &need.topic {
        let why = match (need.have.as_deref(), &need.need) {
            _ if *has_asked => "you’ve asked to be let in".to_owned(),
            (Some(have), _) => format!("you’re {have}"),
            (None, Some(excluded)) => excluded.clone(),
            (None, None) => return None,
        };
        return Some(format!("Only {role} can do this; {why}."));
    }
    if let Topic::Role(Some(who)) = &need.topic {
        return Some(format!("Only {who} can do this."));
    }
    if let (Topic::BrokenCode { in_line }, Some(said)) = (&need.topic, &need.have) {
        let at = if *in_line { " at" } else { ":" };
        return Some(format!("The code of this clause breaks{at} {said}."));
    }
    if need.topic == Topic::Undone {
        return Some("This was already undone.".to_owned());
    }
    if let (Topic::Wanted(_), Some(title)) = (&need.topic, &need.need) {
        return Some(format!("{} is “{title}”.", capital(&need.what)));
    }
    None
}

/// That a limit is used up: "You’ve already done this today."
fn used_up(times: &str, once_in: Option<LimitTime>, is_shared: bool) -> String {
    let who = if is_shared {
        "Somebody has"
    } else {
        "You’ve"
    };
    match once_in {
        Some(LimitTime::Ever) => format!("{who} done this, and it can be done once."),
        Some(LimitTime::Day) => format!("{who} already done this today."),
        Some(LimitTime::Week) => format!("{who} already done this this week."),
        None => format!("This can be done {times}."),
    }
}

/// Needs after each other.
fn joined(needs: &[Need]) -> String {
    let mut out = String::new();
    for need in needs {
        out += match need.topic {
            _ if out.is_empty() => "",
            Topic::Instead => ", ",
            _ => "; and ",
        };
        out += &need.phrase();
    }
    out
}

/// An answer of the law: no, and why, and when it may be yes.
#[derive(Clone, Debug, PartialEq, Eq, Template)]
#[template(path = "ui/refusal.html")]
pub struct Refusal {
    /// What was tried: "Recruit a Zombie"; nothing where the reason says it.
    pub tried: String,
    /// What would have to hold; none where a rule simply forbids it.
    pub needs: Vec<Need>,
    /// The rule's own words, where it gave any: "no hiatus".
    pub because: Option<String>,
    /// The rule and clause that said no.
    pub cite: Option<Cite>,
    /// The next moment when the answer may differ.
    pub next: Option<When>,
    /// The field of the form beside it that it is about: its id, and its label.
    pub field: Option<(String, String)>,
}

impl Refusal {
    /// The whole refusal as one sentence: "Recruit a Zombie needs 45 Brains; you have 12."
    pub fn sentence(&self) -> String {
        if self.tried.is_empty() {
            return self.reason();
        }
        if let Some(plain) = self.plainly() {
            return plain;
        }
        match (self.needs.is_empty(), &self.because) {
            (false, _) => format!("{} needs {}.", self.tried, joined(&self.needs)),
            (true, Some(because)) => format!("{} is not possible: {because}.", self.tried),
            (true, None) => format!("{} is not possible now.", self.tried),
        }
    }

    fn plainly(&self) -> Option<String> {
        match self.needs.as_slice() {
            [one] => plainly(one),
            _ => None,
        }
    }

    /// The reason alone, for lists whose first column already says what: "Needs 45 Brains; you have 12."
    pub fn reason(&self) -> String {
        if let Some(plain) = self.plainly() {
            return plain;
        }
        match (self.needs.is_empty(), &self.because) {
            (false, _) => format!("Needs {}.", joined(&self.needs)),
            (true, Some(because)) => {
                format!("{}.", capital(because.trim_end_matches('.')))
            }
            (true, None) => "Not possible now.".to_owned(),
        }
    }
}

writes_html!(Cite, Refusal);

#[cfg(test)]
mod tests {
    use quorate_kernel::{EventSeq, Id, PostId};

    use super::*;

    fn refusal(tried: &str, needs: Vec<Need>) -> Refusal {
        Refusal {
            tried: tried.into(),
            needs,
            because: None,
            cite: None,
            next: None,
            field: None,
        }
    }

    #[test]
    fn a_price_is_told_with_what_one_has() {
        let no = refusal("Recruit a Zombie", vec![Need::of("Brains", "12", "45")]);
        assert_eq!(
            no.sentence(),
            "Recruit a Zombie needs 45 Brains; you have 12."
        );
        assert_eq!(no.reason(), "Needs 45 Brains; you have 12.");
    }

    #[test]
    fn a_post_that_is_wanted_is_named() {
        let longer_piers = PostId(Id::new(EventSeq(7), 0));
        let no = refusal(
            "Enact",
            vec![
                Need::of("the oldest pending proposal", "More lamps", "Longer piers")
                    .about(Topic::Wanted(longer_piers)),
            ],
        );
        assert_eq!(
            no.sentence(),
            "The oldest pending proposal is “Longer piers”."
        );
    }

    #[test]
    fn what_is_asked_for_is_said_once() {
        let no = refusal("Heal", vec![Need::of("Town", "Dank Cave", "Town")]);
        assert_eq!(no.sentence(), "Heal needs Town; it is Dank Cave.");
    }

    #[test]
    fn a_count_is_told_as_how_many_and_how_many_so_far() {
        let no = refusal("Enact", vec![Need::of("a quorum of votes FOR", "2", "3")]);
        assert_eq!(
            no.sentence(),
            "Enact needs a quorum of votes FOR: 3 needed, 2 so far."
        );
    }

    #[test]
    fn code_that_breaks_says_of_what() {
        let breaks = |in_line, have: &str| {
            let need = Need {
                have: Some(have.into()),
                ..Need::that("code of the rule that works").about(Topic::BrokenCode { in_line })
            };
            refusal("Fight", vec![need]).sentence()
        };
        assert_eq!(
            breaks(
                true,
                "line 9: it asks for `blinded` of Blindness, which was repealed on 3 May 2031"
            ),
            "The code of this clause breaks at line 9: it asks for `blinded` of Blindness, which was repealed on 3 May 2031."
        );
        assert_eq!(
            breaks(false, "division by zero"),
            "The code of this clause breaks: division by zero."
        );
    }

    #[test]
    fn a_limit_beside_another_need_says_who_used_it() {
        let limit = Need {
            have: Some("last used by Salma".into()),
            ..Need::that("to be used at most once a day")
        };
        let once = Topic::Limit {
            times: "at most once a day".into(),
            once_in: Some(LimitTime::Day),
            is_shared: true,
        };
        let no = refusal("Ring", vec![limit.about(once), Need::that("a bell")]);
        assert_eq!(
            no.sentence(),
            "Ring needs to be used at most once a day; last used by Salma; and a bell."
        );
    }

    #[test]
    fn a_range_is_told_with_its_ends() {
        let no = refusal(
            "Create a monster",
            vec![
                Need::of("Hit points of Rat within its range", "-1", "1 to 90").about(
                    Topic::Range {
                        value: "hit_points".into(),
                        of: "Hit points of Rat".into(),
                    },
                ),
            ],
        );
        assert_eq!(
            no.sentence(),
            "Create a monster needs Hit points of Rat within 1 to 90; it would be -1."
        );
    }

    #[test]
    fn who_does_not_count_reads_why() {
        let need = |has_asked| {
            let role = "a Keeper".to_owned();
            Need::that("to be a Keeper for this rule").about(Topic::Uncounted { role, has_asked })
        };
        let reason = |have: &str, has_asked| {
            let have = Some(have.into());
            refusal(
                "Row out",
                vec![Need {
                    have,
                    ..need(has_asked)
                }],
            )
            .reason()
        };
        assert_eq!(
            reason("applicant", true),
            "Only a Keeper can do this; you’ve asked to be let in."
        );
        let idle = reason("idle", false);
        assert_eq!(idle, "Only a Keeper can do this; you’re idle.");
        let excluded = Need {
            need: Some("Anna does not count as one, by Tides, clause 1".into()),
            ..need(false)
        };
        assert_eq!(
            refusal("Row out", vec![excluded]).reason(),
            "Only a Keeper can do this; Anna does not count as one, by Tides, clause 1."
        );
    }

    #[test]
    fn what_is_for_an_office_says_whose_it_is() {
        let reason = |what: &str, who: Option<&str>| {
            let topic = Topic::Role(who.map(ToOwned::to_owned));
            refusal("Enact", vec![Need::that(what).about(topic)]).reason()
        };
        let admins = reason("to be one of the admins", Some("admins"));
        assert_eq!(admins, "Only admins can do this.");
        let herald = reason("to be the Herald", Some("the Herald"));
        assert_eq!(herald, "Only the Herald can do this.");
        assert_eq!(reason("to be idle", None), "Needs to be idle.");
    }

    #[test]
    fn a_limit_that_is_used_up_says_so() {
        let limit = |times: &str, once_in, is_shared| {
            let times = format!("at most {times}");
            let need = Need::of(format!("to be used {times}"), "1", "1").about(Topic::Limit {
                times,
                once_in,
                is_shared,
            });
            refusal("Row out", vec![need]).sentence()
        };
        let own = limit("once a day", Some(LimitTime::Day), false);
        assert_eq!(own, "You’ve already done this today.");
        let all = limit("once a week by anyone", Some(LimitTime::Week), true);
        assert_eq!(all, "Somebody has already done this this week.");
        assert_eq!(
            limit("twice a day", None, false),
            "This can be done at most twice a day."
        );
    }

    #[test]
    fn an_upper_bound_is_told_without_asking_for_less() {
        let no = refusal(
            "A third proposal",
            vec![Need::of("at most 2 pending proposals", "3", "2")],
        );
        assert_eq!(
            no.sentence(),
            "A third proposal needs at most 2 pending proposals; there are 3."
        );
    }

    #[test]
    fn what_could_hold_in_place_of_another_need_is_no_further_one() {
        let needs = |topic| vec![Need::that("a boat"), Need::that("or a bridge").about(topic)];
        let reason = |topic| refusal("Cross", needs(topic)).reason();
        assert_eq!(reason(Topic::Instead), "Needs a boat, or a bridge.");
        assert_eq!(reason(Topic::General), "Needs a boat; and or a bridge.");
    }

    #[test]
    fn a_prohibition_gives_its_own_words() {
        let no = Refusal {
            because: Some("the game is in hiatus".into()),
            ..refusal("Row out", vec![])
        };
        assert_eq!(
            no.sentence(),
            "Row out is not possible: the game is in hiatus."
        );
        assert_eq!(no.reason(), "The game is in hiatus.");
    }
}
