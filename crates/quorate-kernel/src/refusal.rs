//! Refusals: how the law says no.

use crate::ids::PostId;
use crate::name::Name;
use crate::time::Moment;

/// An answer of the law to a command that it does not allow: which rule says so, what would have to hold, and when
/// the answer may be another.
///
/// A refusal is data. The page, the API and the tests all speak from these fields.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refusal {
    /// The title of the rule that refuses; the kernel's own checks leave it empty.
    pub rule: String,
    /// The code name of that rule.
    pub rule_id: Name,
    /// The number of the clause in that rule, counted from 1; 0 where the rule has no numbered clauses.
    pub clause: u32,
    /// The rule whose permission was overruled, where two rules clashed.
    pub against: Option<Name>,
    /// What would have to hold.
    pub needs: Vec<Need>,
    /// The first moment at which the answer may be another, if time alone can bring that.
    pub next_at: Option<Moment>,
}

/// One thing that would have to hold.
#[derive(Clone, Eq, Debug, Default)]
pub struct Need {
    /// What must hold, as a noun phrase: "a quorum of votes FOR", "2 action points".
    pub what: String,
    /// What there is, as people read it; empty where that says nothing.
    pub have: String,
    /// What there must be; empty where that says nothing.
    pub need: String,
    /// What it is about. Known where the refusal is made, for whoever shows it there. Of what is in the log, it is known whether
    /// a need could hold in place of another, and nothing else.
    pub topic: Topic,
}

/// What a need is about, so that nobody has to find that out from its words.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum Topic {
    /// Nothing that has a name.
    #[default]
    General,
    /// What could hold in place of the need before. Its words begin with "or".
    Instead,
    /// What was given as this argument of an action or as this field of a post.
    Argument(Name),
    /// A value within its range.
    Range {
        /// The value's name.
        value: Name,
        /// The value and whose it is, as people read it: "Hours of Fweep".
        of: String,
    },
    /// Who acts: they aren't one of those who may; who they are, where the law says so: "the captain".
    Role(Option<String>),
    /// Who acts: they don't count as a player for the rule.
    Uncounted {
        /// Players as the theme has them: "a Keeper".
        role: String,
        /// Whether they have asked to be one, and wait.
        has_asked: bool,
    },
    /// A limit that is used up.
    Limit {
        /// How often it lets anybody: "at most twice a day".
        times: String,
        /// The time for which it lets them once, where it is of that kind.
        once_in: Option<LimitTime>,
        /// Whether all players share it.
        is_shared: bool,
    },
    /// An argument for which nothing is there to be picked.
    NothingToPick {
        /// Its name.
        argument: Name,
        /// Whether its title says what it is; "to" says only how it is used.
        is_telling: bool,
    },
    /// An event that was undone already.
    Undone,
    /// An event of which nothing stands any more.
    NothingStands,
    /// An action that no rule provides.
    NoAction,
    /// A value that has changed since, for which an undo needs a pick: "player:3 gold".
    Conflict(String),
    /// A part of a rule: "a clause 5" of it.
    Part {
        /// The part, as a noun phrase.
        part: String,
        /// The rule's code name.
        rule: Name,
    },
    /// Code of a rule, which broke. What there is says of what, and first in which line, where that is known.
    BrokenCode {
        /// Whether it is.
        in_line: bool,
    },
    /// What there must be is this very post, such as the one that comes first.
    Wanted(PostId),
}

/// For how long a limit counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum LimitTime {
    /// For good.
    Ever,
    /// A day.
    Day,
    /// A week.
    Week,
}

/// What it is about makes no difference: a need from the log is the same as the one that was made.
impl PartialEq for Need {
    fn eq(&self, other: &Self) -> bool {
        (&self.what, &self.have, &self.need) == (&other.what, &other.have, &other.need)
    }
}

impl Need {
    /// Whether it is about who acts, whatever they do.
    pub fn is_about_who_acts(&self) -> bool {
        matches!(self.topic, Topic::Role(_) | Topic::Uncounted { .. })
    }

    /// What could hold in place of the need before.
    pub fn instead(what: &str) -> Self {
        Self {
            what: format!("{OR}{what}"),
            topic: Topic::Instead,
            ..Self::default()
        }
    }
}

/// What such a need begins with.
const OR: &str = "or ";

impl Topic {
    /// What a need is about that was read from the log.
    pub(crate) fn of(what: &str) -> Self {
        if what.starts_with(OR) {
            Self::Instead
        } else {
            Self::General
        }
    }
}

impl Refusal {
    /// A refusal that rests on no rule but on how things are: no such post, a name that is taken.
    pub fn plain(what: impl Into<String>) -> Self {
        Self {
            needs: vec![Need {
                what: what.into(),
                ..Need::default()
            }],
            ..Self::default()
        }
    }

    /// The refusal of an action that no rule provides.
    pub fn no_action(action: &Name) -> Self {
        Self::plain(format!("an action called \"{action}\"")).about(Topic::NoAction)
    }

    /// Whether one of its needs is about a topic.
    pub fn is_about(&self, topic: &Topic) -> bool {
        self.needs.iter().any(|need| need.topic == *topic)
    }

    /// The same refusal, its first need about a topic.
    #[must_use]
    pub fn about(self, topic: Topic) -> Self {
        self.with_first(|need| need.topic = topic)
    }

    /// The same refusal with what there is for its first need.
    #[must_use]
    pub fn having(self, have: impl Into<String>) -> Self {
        self.with_first(|need| need.have = have.into())
    }

    /// The same refusal with what there must be for its first need.
    #[must_use]
    pub fn wanting(self, wanted: impl Into<String>) -> Self {
        self.with_first(|need| need.need = wanted.into())
    }

    fn with_first(mut self, change: impl FnOnce(&mut Need)) -> Self {
        self.needs.first_mut().map(change);
        self
    }

    /// The argument or field that it is about, if it is about one: the first that a need names.
    pub fn argument(&self) -> Option<&Name> {
        self.needs.iter().find_map(|need| match &need.topic {
            Topic::Argument(name) | Topic::Range { value: name, .. } => Some(name),
            Topic::NothingToPick { argument, .. } => Some(argument),
            _ => None,
        })
    }

    /// The first thing that would have to hold, for a short message.
    pub fn what(&self) -> &str {
        self.needs.first().map_or("", |need| &need.what)
    }
}

impl Refusal {
    /// What would have to hold, and where that stands: `45 Brains (now: 12) [Zombies, clause 2]; possible from 2031-05-04T09:00Z`.
    pub fn wanted(&self) -> String {
        let mut told = String::new();
        for need in &self.needs {
            told += match need.topic {
                _ if told.is_empty() => "",
                Topic::Instead => ", ",
                _ => " and ",
            };
            told += &need.what;
            told += &match (need.have.as_str(), need.need.as_str()) {
                ("", "") => String::new(),
                (have, "") => format!(" (now: {have})"),
                ("", need) => format!(" (wanted: {need})"),
                (have, need) => format!(" (now: {have}, wanted: {need})"),
            };
        }
        told += &match (self.rule.as_str(), self.clause) {
            ("", _) => String::new(),
            (rule, 0) => format!(" [{rule}]"),
            (rule, clause) => format!(" [{rule}, clause {clause}]"),
        };
        if let Some(at) = self.next_at {
            told += &format!("; possible from {at}");
        }
        told
    }
}

impl std::fmt::Display for Refusal {
    /// One sentence, of what is [wanted](Self::wanted).
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "needs {}", self.wanted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_for_whoever_is_refused_and_no_part_of_what_is_stored() {
        let plain = Refusal::plain("a title");
        let about = plain.clone().about(Topic::Argument("title".into()));
        assert_eq!(about, plain);
        assert_eq!(about.argument(), Some(&"title".into()));
        assert_eq!(plain.argument(), None);
    }

    #[test]
    fn what_could_hold_in_place_of_another_need_is_joined_by_or() {
        let mut refusal = Refusal::plain("a boat").having("a raft");
        refusal.needs.push(Need::instead("a bridge"));
        refusal
            .needs
            .push(Refusal::plain("calm weather").needs.remove(0));
        let told = "needs a boat (now: a raft), or a bridge and calm weather";
        assert_eq!(refusal.to_string(), told);
        assert_eq!(Topic::of("or a bridge"), Topic::Instead);
        assert_eq!(Topic::of("order"), Topic::General);
    }
}
