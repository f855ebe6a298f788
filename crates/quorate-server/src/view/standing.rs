//! How a matter stands at a moment: what closes it, and what stands in the way. Asked on the game or on a copy of it.

use quorate_engine::judge::Judge;
use quorate_engine::tx::Tx;
use quorate_forecast::matters::{closings_of, tried_on, votes};
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Thing};
use quorate_law::datum::Datum;

use crate::ui::{plural, span};
use crate::view::game::GameView;

/// How a matter stands on a copy of the game: all that a vote or time may flip.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// "popular" or "unpopular", where the law knows these words.
    pub(super) leaning: Option<String>,
    /// The titles of the actions that close it and are possible.
    pub(super) open: Vec<String>,
    /// The other actions that close it, each with what stands in its way.
    pub(super) shut: Vec<(String, Refusal)>,
    /// Votes FOR by the law's count.
    pub(super) in_favour: Option<i64>,
    /// How many of them make a quorum.
    pub(super) quorum: Option<i64>,
}

impl Standing {
    /// How a matter stands on a copy at a moment, and the first later moment at which time alone may change that.
    pub(crate) fn at(
        look: &GameView,
        judge: &Judge,
        at: Moment,
        id: PostId,
    ) -> (Self, Option<Moment>) {
        let law = judge.law();
        let closer = look.closer();
        let (standing, until) = judge.look(at, |tx| {
            let (standing, reads) = tx.reading(|| {
                let (mut open, mut shut) = (Vec::new(), Vec::new());
                let category =
                    tx.with_state(|state| state.posts.get(&id).map(|post| post.category.clone()));
                if let Some((closer, category)) = closer.zip(category) {
                    let usual = look.usual_role(&category);
                    let closings = closings_of(law, &category).into_iter();
                    for decl in closings.filter(|decl| decl.it.by.as_ref() == usual) {
                        let title = look.themed(&decl.it.title);
                        match tried_on(tx, closer, decl, id) {
                            Ok(()) => open.push(title),
                            Err(refusal) => shut.push((title, refusal)),
                        }
                    }
                }
                Self {
                    leaning: leaning(tx, id),
                    open,
                    shut,
                    in_favour: votes(tx, id, "for"),
                    quorum: quorum(tx),
                }
            });
            (standing, reads.until)
        });
        (standing, until.filter(|until| *until > at))
    }

    pub(super) fn has_quorum(&self) -> bool {
        let both = self.in_favour.zip(self.quorum);
        both.is_some_and(|(in_favour, quorum)| in_favour >= quorum)
    }

    /// Whether nothing that players care for is otherwise.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        self.leaning == other.leaning
            && self.open == other.open
            && self.has_quorum() == other.has_quorum()
    }

    /// What is otherwise than it was, as the end of a sentence about the matter.
    pub(crate) fn news(&self, before: &Self) -> String {
        let mut words = Vec::new();
        match (before.has_quorum(), self.has_quorum()) {
            (false, true) => words.push("it has its quorum".to_owned()),
            (true, false) => words.push("it loses its quorum".to_owned()),
            (true, true) | (false, false) => {}
        }
        if self.leaning != before.leaning
            && let Some(word) = &self.leaning
        {
            words.push(format!("it is {word}"));
        }
        let fresh = self.open.iter().filter(|way| !before.open.contains(way));
        let gone = before.open.iter().filter(|way| !self.open.contains(way));
        let (fresh, gone): (Vec<_>, Vec<_>) = (fresh.cloned().collect(), gone.cloned().collect());
        if !fresh.is_empty() {
            words.push(format!("it {}", can(&fresh, "can be")));
        }
        if !gone.is_empty() {
            words.push(format!("it {}", can(&gone, "can no longer be")));
        }
        words.join(", ")
    }

    /// The first moment after another at which the law may answer otherwise: one that it says itself, or one up to which what it
    /// was asked holds.
    pub(super) fn next(&self, until: Option<Moment>, after: Moment) -> Option<Moment> {
        let said = self.shut.iter().filter_map(|(_, refusal)| refusal.next_at);
        said.chain(until).filter(|at| *at > after).min()
    }

    /// The first action that would carry the matter: whatever does not fail it.
    pub(super) fn carrying(&self) -> Option<&(String, Refusal)> {
        let mut shut = self.shut.iter();
        shut.find(|(title, _)| participle(title) != Some("failed"))
    }
}

/// Whether a matter is popular or unpopular, where the law knows these words.
pub(crate) fn leaning(tx: &Tx, id: PostId) -> Option<String> {
    let known = ["popular", "unpopular"];
    if !known
        .iter()
        .all(|word| tx.law.code.signature(word).is_some())
    {
        return None;
    }
    let word = known.into_iter().find(|word| {
        let matter = vec![Datum::Thing(Thing::Post(id))];
        tx.call(&Name::from(*word), matter).ok() == Some(Datum::Bool(true))
    });
    Some(word.unwrap_or("neither popular nor unpopular").to_owned())
}

fn quorum(tx: &Tx) -> Option<i64> {
    tx.law.code.signature("quorum")?;
    match tx.call(&"quorum".into(), vec![]) {
        Ok(Datum::Int(quorum)) => Some(quorum),
        _ => None,
    }
}

/// What has become of a matter after an action with such a title.
pub(crate) fn participle(title: &str) -> Option<&'static str> {
    let verb = title.split_whitespace().next()?.to_lowercase();
    match verb.trim_end_matches([',', ':']) {
        "enact" => Some("enacted"),
        "fail" => Some("failed"),
        "resolve" => Some("resolved"),
        "close" => Some("closed"),
        "veto" => Some("vetoed"),
        _ => None,
    }
}

/// "can be enacted or failed"; an action whose title has no known verb is named.
pub(crate) fn can(titles: &[String], can_be: &str) -> String {
    let mut done: Vec<&str> = Vec::new();
    let mut named: Vec<String> = Vec::new();
    for title in titles {
        match participle(title) {
            Some(word) if done.contains(&word) => {}
            Some(word) => done.push(word),
            None => named.push(format!("“{title}”")),
        }
    }
    let mut words = Vec::new();
    if !done.is_empty() {
        words.push(format!("{can_be} {}", done.join(" or ")));
    }
    if !named.is_empty() {
        let is = if can_be.contains("no longer") {
            "is no longer possible"
        } else {
            "is possible"
        };
        words.push(format!("{} {is}", named.join(", ")));
    }
    words.join(", ")
}

/// A length of time as a matter's own: "7 days", "48 hours".
pub(super) fn own_time(millis: i64) -> String {
    let hour = 3_600_000;
    // The end was found to the second, and some rules count it as passed a moment later.
    let hours = (millis + 60_000).div_euclid(hour);
    let even = (millis - hours * hour).abs() <= 60_000;
    match usize::try_from(hours) {
        Ok(hours) if even && hours % 24 == 0 && hours > 48 => plural(hours / 24, "day", "days"),
        Ok(hours) if even && hours > 0 => plural(hours, "hour", "hours"),
        _ => span(millis),
    }
}

impl GameView {
    /// Somebody who closes matters: an admin, or any player where the game has none.
    pub(crate) fn closer(&self) -> Option<PlayerId> {
        let (active, _) = self.roster();
        let admin = active
            .iter()
            .find(|player| self.has_flag(**player, "admin"));
        admin.or(active.first()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(titles: &[&str]) -> Vec<String> {
        titles.iter().map(|title| (*title).to_owned()).collect()
    }

    #[test]
    fn actions_are_told_by_what_becomes_of_the_matter() {
        assert_eq!(
            can(&titles(&["Enact the proposal"]), "can be"),
            "can be enacted"
        );
        let both = titles(&["Enact", "Fail", "Fail the call: it has no effect"]);
        assert_eq!(can(&both, "can be"), "can be enacted or failed");
        assert_eq!(
            can(&titles(&["Weigh in"]), "can be"),
            "“Weigh in” is possible"
        );
    }

    #[test]
    fn a_matters_own_time_is_told_in_its_largest_even_unit() {
        let hour = 3_600_000;
        assert_eq!(own_time(7 * 24 * hour), "7 days");
        assert_eq!(own_time(48 * hour - 1), "48 hours");
        assert_eq!(own_time(hour), "1 hour");
    }
}
