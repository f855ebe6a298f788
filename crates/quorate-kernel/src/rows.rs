//! What a game holds: the rows of its state, one type each.

use crate::audience::Audience;
use crate::digest::Digest;
use crate::ids::{CommentId, EventSeq, Id, PlayerId, PostId};
use crate::name::Name;
use crate::patch::Patch;
use crate::seal::Sealed;
use crate::tape::{Chosen, DiceKey, Die, SeedId, Tape};
use crate::time::Moment;
use crate::value::{Thing, Value};

/// A person on the roster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    /// The name under which they play.
    pub name: Sealed<str>,
    /// Where they stand.
    pub standing: Standing,
    /// When they asked to join.
    pub applied_at: Moment,
    /// When they last became a member.
    pub joined_at: Option<Moment>,
    /// When they last left or were removed.
    pub left_at: Option<Moment>,
    /// Their last post or comment, or their joining.
    pub seen_at: Moment,
}

/// Where a person stands. Whether a member counts as a player is for the law to say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Standing {
    /// Has asked to join.
    Applicant,
    /// Is on the books.
    Member,
    /// Has left, or was removed.
    Left,
    /// Was removed and may not come back.
    Barred,
}

impl Standing {
    /// The word for it in rule code and in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Applicant => "applicant",
            Self::Member => "member",
            Self::Left => "left",
            Self::Barred => "barred",
        }
    }
}

/// Which tracked value of which thing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellKey {
    /// Whose value.
    pub thing: Thing,
    /// The value's code name.
    pub name: Name,
}

/// A tracked value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// What it holds.
    pub value: Value,
    /// When it last changed.
    pub at: Moment,
    /// The event that last changed it.
    pub by: EventSeq,
    /// Whether a player put it there by hand and nobody has opposed or confirmed it yet.
    pub claimed: bool,
}

/// Which line of which ledger.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LineKey {
    /// Whose ledger.
    pub cell: CellKey,
    /// The line; lines order as they were written.
    pub id: Id,
}

/// A line of a ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Whom it is about.
    pub who: Option<PlayerId>,
    /// How much.
    pub amount: i64,
    /// For what.
    pub what: String,
    /// When.
    pub at: Moment,
}

/// A thing that play made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entity {
    /// The code name of its kind.
    pub kind: Name,
    /// When it was made.
    pub made_at: Moment,
}

/// Who wrote something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Author {
    /// This player, as everybody sees.
    Named(PlayerId),
    /// A player whom the server alone knows.
    Hidden(Sealed<PlayerId>),
    /// The game itself.
    Game,
}

impl Author {
    /// The player who wrote it, known to the server even where hidden; none for the game or where it was forgotten.
    pub fn player(&self) -> Option<PlayerId> {
        match self {
            Self::Named(player) => Some(*player),
            Self::Hidden(seal) => seal.plain().copied(),
            Self::Game => None,
        }
    }

    /// The player whom everybody may know as the author.
    pub fn shown(&self) -> Option<PlayerId> {
        match self {
            Self::Named(player) => Some(*player),
            Self::Hidden(_) | Self::Game => None,
        }
    }
}

/// A post on the game's blog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Post {
    /// The code name of its category; empty for a post in none.
    pub category: Name,
    /// Who wrote it.
    pub author: Author,
    /// When it was posted.
    pub at: Moment,
    /// When its category took effect: the moment of posting, or of a later change of category.
    pub open_at: Moment,
    /// When it was last edited.
    pub edited_at: Option<Moment>,
    /// Its title.
    pub title: Sealed<str>,
    /// The bracketed words of its title.
    pub tags: Vec<Name>,
    /// Its text, in Markdown.
    pub body: Sealed<str>,
    /// Flavour text beside it, which is no part of the post for any rule.
    pub flavour: Sealed<str>,
    /// Its status; empty where its category has none.
    pub status: Name,
    /// When its status became final.
    pub closed_at: Option<Moment>,
    /// Who closed it.
    pub closed_by: Option<PlayerId>,
    /// What was noted at its closing.
    pub note: Sealed<str>,
    /// The changes it carries.
    pub patch: Option<Sealed<Patch>>,
    /// Who may see it.
    pub audience: Audience,
    /// How many comments stand under it.
    pub comments: u32,
}

/// Which comment under which post.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CommentKey {
    /// The post it stands under.
    pub post: PostId,
    /// The comment; comments order as they were written.
    pub id: CommentId,
}

/// A comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// Who wrote it.
    pub author: Author,
    /// When.
    pub at: Moment,
    /// Its text, in Markdown.
    pub text: Sealed<str>,
    /// The icons in it, in reading order.
    pub icons: Vec<IconUse>,
    /// Who may see it.
    pub audience: Audience,
}

/// An icon in a comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IconUse {
    /// Which icon.
    pub name: Name,
    /// Whether its author could cast it, as a player, at that time.
    pub counted: bool,
}

/// Which use of an action or slot; or the mark of an event that was undone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UseKey {
    /// The action or the slot that it shares.
    pub slot: Name,
    /// The event that completed it, or that was undone.
    pub event: EventSeq,
    /// Who used it; nobody for an event that was undone.
    pub who: Option<PlayerId>,
}

/// A completed use of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// When.
    pub at: Moment,
}

/// Which test about which thing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClockKey {
    /// The function that tests.
    pub test: Name,
    /// What it is asked about.
    pub thing: Thing,
}

/// Since when a test has held without a break.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The moment at which it began to hold.
    pub since: Moment,
}

/// What falls due.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DueKey {
    /// An automatic thing's next time.
    Automatic(Name, Thing),
    /// A test compared the time with this moment and may answer otherwise from then on.
    Recheck(Name, Thing),
    /// A duty's deadline.
    Duty(Id),
    /// An open action's deadline.
    Open(PlayerId, Name),
    /// A claim has stood undisputed for as long as the ruleset wants.
    Claim(Id),
}

/// When something falls due.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Due {
    /// The moment.
    pub at: Moment,
}

/// A question left to somebody else than the one who acted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Duty {
    /// The decision that the answer goes to.
    pub decision: Name,
    /// Who is to answer.
    pub to: PlayerId,
    /// What may be answered; empty where anything may.
    pub options: Vec<Value>,
    /// When the default is taken.
    pub deadline: Moment,
    /// What is taken then.
    pub default: Value,
    /// What the decision is given beside the answer.
    pub context: Vec<(Name, Value)>,
    /// Whether nobody but the one asked may see the answer.
    pub hidden: bool,
    /// When it was asked.
    pub at: Moment,
}

/// Whose open action.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OpenKey {
    /// The player.
    pub who: PlayerId,
    /// The action.
    pub action: Name,
}

/// An action that waits for a choice of the one who acts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    /// What the action was given.
    pub args: Vec<(Name, Value)>,
    /// Where its dice come from.
    pub seed: SeedId,
    /// The dice that fell and the choices that were made so far.
    pub tape: Tape,
    /// What is asked.
    pub question: Asked,
    /// When the action was begun.
    pub began_at: Moment,
    /// When the default is taken.
    pub deadline: Moment,
}

/// What waits for the same player's next go at an action that did not complete, or was undone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Where further dice come from.
    pub seed: SeedId,
    /// The dice that fell already.
    pub dice: Vec<Die>,
    /// What was given to the action that they fell in, where it was undone: they are for that and for nothing else. None
    /// where they are for whatever the next go is given. Behind the arguments stand the choices that are kept with them, each
    /// under its question.
    pub rolled_for: Option<Vec<(Name, Value)>>,
}

/// What a question begins with that stands among the arguments for which dice are kept. No parameter is called so.
const QUESTION: &str = "? ";

impl Waiting {
    /// What dice are for that fell in an action which was given this, and in the middle of which these choices were made.
    #[must_use]
    pub fn for_these(args: &[(Name, Value)], choices: &[Chosen]) -> Vec<(Name, Value)> {
        let choices = choices.iter().map(|chosen| {
            let name = Name::from(format!("{QUESTION}{}", chosen.what));
            (name, chosen.value.clone())
        });
        args.iter().cloned().chain(choices).collect()
    }

    /// What was given to the action that was undone, if the dice are for that alone.
    #[must_use]
    pub fn arguments(&self) -> Option<Vec<(Name, Value)>> {
        let is_argument = |(name, _): &&(Name, Value)| !name.as_str().starts_with(QUESTION);
        let rolled_for = self.rolled_for.as_ref()?;
        Some(rolled_for.iter().filter(is_argument).cloned().collect())
    }

    /// The choices that are kept with the dice: whoever has seen what comes of them makes no others.
    #[must_use]
    pub fn choices(&self) -> Vec<Chosen> {
        let kept = self.rolled_for.iter().flatten();
        let choices = kept.filter_map(|(name, value)| {
            let what = name.as_str().strip_prefix(QUESTION)?.to_owned();
            let value = value.clone();
            Some(Chosen { what, value })
        });
        choices.collect()
    }

    /// Whether these dice are for a go that is given this.
    #[must_use]
    pub fn are_for(&self, args: &[(Name, Value)]) -> bool {
        let Some(rolled_for) = self.arguments() else {
            return true;
        };
        // What is left out is nothing.
        let is_part = |one: &[(Name, Value)], other: &[(Name, Value)]| {
            let mut told = one.iter().filter(|(_, value)| *value.open() != Value::None);
            told.all(|(name, value)| {
                let mut given = other.iter();
                given.any(|(known, given)| known == name && given.unsealed() == value.unsealed())
            })
        };
        is_part(&rolled_for, args) && is_part(args, &rolled_for)
    }
}

/// A question as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// What is asked.
    pub what: String,
    /// What may be chosen.
    pub options: Vec<Value>,
    /// Whether nothing may be chosen.
    pub may_decline: bool,
    /// What is taken at the deadline.
    pub default: Value,
}

/// A change that a player made by hand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Who made it.
    pub by: PlayerId,
    /// When.
    pub at: Moment,
    /// The rule it rests on.
    pub rule: Name,
    /// The reason given.
    pub reason: Sealed<str>,
    /// How it stands.
    pub standing: ClaimStanding,
    /// Those who dispute it.
    pub disputed_by: Vec<PlayerId>,
}

/// How a claim stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimStanding {
    /// Made, and not opposed so far.
    Claimed,
    /// Unopposed for as long as the ruleset wants.
    Settled,
    /// Somebody disputes it.
    Disputed,
    /// Taken back.
    Undone,
}

/// A private message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Who wrote it; none for the game.
    pub from: Option<PlayerId>,
    /// To whom.
    pub to: Vec<PlayerId>,
    /// When.
    pub at: Moment,
    /// Its text.
    pub text: Sealed<str>,
}

/// A dynasty: from one ascension to the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dynasty {
    /// Its title or theme.
    pub title: Sealed<str>,
    /// Who leads it; none for a metadynasty.
    pub leader: Option<PlayerId>,
    /// When it began.
    pub at: Moment,
    /// The event that began it.
    pub event: EventSeq,
    /// What had been said of its dice as it began: the digest of the commitment's key.
    pub dice: Digest,
}

/// What is said beforehand of the dice that fall from an event on, until the next commitment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commitment {
    /// The digest of the key that they follow from.
    pub said: Digest,
    /// The key, once another commitment stands.
    pub shown: Option<DiceKey>,
}

impl Commitment {
    /// A commitment whose key is not shown yet.
    pub fn of(key: &DiceKey) -> Self {
        Self {
            said: key.commitment(),
            shown: None,
        }
    }

    /// Whether the key that is shown is the one that was committed to; none before it is shown.
    pub fn is_kept(&self) -> Option<bool> {
        self.shown.map(|key| key.commitment() == self.said)
    }
}

/// How often a clause's code has broken, and whether it sleeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breaks {
    /// How often, since the rule was last changed.
    pub times: u32,
    /// What it said the last time.
    pub last: String,
    /// Whether it sleeps.
    pub asleep: bool,
}

/// Which clause of which rule.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClauseKey {
    /// The rule.
    pub rule: Name,
    /// The fence in it, counted from 1.
    pub fence: u32,
}

/// The contents of a value that the law no longer declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Archived {
    /// What it held.
    pub value: Value,
    /// When it left the law.
    pub at: Moment,
}

/// A page of the game that play writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageText {
    /// Its text, in Markdown.
    pub text: Sealed<str>,
    /// The event that last changed it.
    pub by: EventSeq,
}

/// What a game is called and what it was founded with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    /// The game's title.
    pub title: String,
    /// The code name of the rulebook that it was founded with.
    pub rulebook: Name,
    /// The edition of the host library that the law is read under.
    pub edition: u16,
    /// When the game was founded.
    pub founded_at: Moment,
    /// The section of a rule that is added without naming one.
    pub new_rules: Name,
    /// The title of a rule that is added without one.
    pub unnamed: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commitment_tells_whether_it_was_kept() {
        let key = DiceKey::of(&[7; 32], EventSeq(1));
        let mut commitment = Commitment::of(&key);
        assert_eq!(commitment.is_kept(), None);
        commitment.shown = Some(key);
        assert_eq!(commitment.is_kept(), Some(true));
        commitment.shown = Some(DiceKey::of(&[7; 32], EventSeq(9)));
        assert_eq!(commitment.is_kept(), Some(false));
    }
}
