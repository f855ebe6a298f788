//! How a matter stands, in words: what can be done with it, and what has changed.

use quorate_engine::conventions;
use quorate_forecast::MatterStanding;
use quorate_kernel::PlayerId;

use crate::ui::{plural, span};
use crate::view::game::GameView;

/// What is otherwise than it was, as the end of a sentence about the matter.
pub(crate) fn news(now: &MatterStanding, before: &MatterStanding) -> String {
    let mut words = Vec::new();
    match (before.has_enough(), now.has_enough()) {
        (false, true) => words.push("it has its quorum".to_owned()),
        (true, false) => words.push("it loses its quorum".to_owned()),
        (true, true) | (false, false) => {}
    }
    if now.leaning != before.leaning
        && let Some(word) = &now.leaning
    {
        words.push(format!("it is {word}"));
    }
    let only = |these: &MatterStanding, those: &MatterStanding| -> Vec<String> {
        let these = these.open.iter().filter(|way| !those.open.contains(way));
        these.map(|way| way.title.clone()).collect()
    };
    let (fresh, gone) = (only(now, before), only(before, now));
    if !fresh.is_empty() {
        words.push(format!("it {}", can(&fresh)));
    }
    if !gone.is_empty() {
        words.push(format!(
            "it {}",
            ways(&gone, "can no longer be", "is no longer possible")
        ));
    }
    words.join(", ")
}

/// What has become of a matter after an action with such a title.
pub(crate) fn participle(title: &str) -> Option<&'static str> {
    let verb = title.split_whitespace().next()?.to_lowercase();
    match verb.trim_end_matches([',', ':']) {
        "enact" => Some("enacted"),
        "fail" => Some("failed"),
        "resolve" => Some("resolved"),
        "close" => Some("closed"),
        conventions::FINAL => Some(conventions::STOPPED),
        _ => None,
    }
}

/// "can be enacted or failed"; an action whose title has no known verb is named.
pub(crate) fn can(titles: &[String]) -> String {
    ways(titles, "can be", "is possible")
}

/// The same in other words: how what is done is told, and what is told of an action with a name.
pub(crate) fn ways(titles: &[String], can_be: &str, is: &str) -> String {
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
        assert_eq!(can(&titles(&["Enact the proposal"])), "can be enacted");
        let both = titles(&["Enact", "Fail", "Fail the call: it has no effect"]);
        assert_eq!(can(&both), "can be enacted or failed");
        assert_eq!(can(&titles(&["Weigh in"])), "“Weigh in” is possible");
    }

    #[test]
    fn a_matters_own_time_is_told_in_its_largest_even_unit() {
        let hour = 3_600_000;
        assert_eq!(own_time(7 * 24 * hour), "7 days");
        assert_eq!(own_time(48 * hour - 1), "48 hours");
        assert_eq!(own_time(hour), "1 hour");
    }
}
