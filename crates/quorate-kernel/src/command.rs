//! Commands: what somebody wants to do to a game.

use crate::ids::{ClaimId, DutyId, EventSeq, PlayerId, PostId};
use crate::law::{Section, Term};
use crate::name::Name;
use crate::patch::Patch;
use crate::rows::{ClauseKey, DueKey};
use crate::seal::Sealed;
use crate::sealing::{EachSeal, SealMut, seals_in};
use crate::tape::{Seed, SeedId};
use crate::time::Moment;
use crate::value::Value;

/// A wish to change a game, with everything that the change may depend on but the state, the law and the dice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// When it arrived, as the game's writer stamped it.
    pub at: Moment,
    /// Whose it is.
    pub actor: Actor,
    /// The sender's word for it, unique per actor: the same key twice is the same command.
    pub key: Name,
    /// What is to be done.
    pub act: Act,
}

/// Whose command it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Actor {
    /// A person of the game's roster, whatever their standing.
    Player(PlayerId),
    /// Somebody who is not on the roster yet; they can only ask to join.
    Newcomer,
    /// The game itself: something fell due.
    Game,
    /// The one who runs the server. Marked in the log; the law is not asked.
    Operator,
    /// A player whom the server alone knows; the event holds the seal.
    Hidden,
}

impl Actor {
    /// The player, if one acts.
    pub fn player(self) -> Option<PlayerId> {
        match self {
            Self::Player(player) => Some(player),
            Self::Newcomer | Self::Game | Self::Operator | Self::Hidden => None,
        }
    }
}

/// What is to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the line of a variant names its fields")]
pub enum Act {
    /// A game begins: the first event of every log.
    Found(Box<Founding>),
    /// Somebody asks to join under a name.
    Apply {
        name: Sealed<str>,
        text: Sealed<str>,
    },
    /// A player leaves the game.
    Leave { text: Sealed<str> },
    /// An action that the law declares.
    Do {
        action: Name,
        args: Vec<(Name, Value)>,
    },
    /// An answer to a question of the actor's own open action.
    Answer { action: Name, value: Value },
    /// An open action is given up; its dice wait.
    Abandon { action: Name },
    /// An answer to a duty.
    Decide { duty: DutyId, value: Value },
    /// A post.
    Post(Box<NewPost>),
    /// Another text for a post that may still be edited.
    EditPost {
        post: PostId,
        title: Sealed<str>,
        body: Sealed<str>,
        flavour: Sealed<str>,
        patch: Option<Sealed<Patch>>,
    },
    /// Another category for a post.
    Recategorise { post: PostId, category: Name },
    /// A post is withdrawn.
    Withdraw { post: PostId },
    /// A comment, with the icons in it.
    Comment { post: PostId, text: Sealed<str> },
    /// A private message.
    Message {
        to: Vec<PlayerId>,
        text: Sealed<str>,
    },
    /// Changes made by hand, resting on a rule's prose.
    Claim {
        patch: Sealed<Patch>,
        rule: Name,
        reason: Sealed<str>,
    },
    /// A claim is disputed.
    Dispute { claim: ClaimId, reason: Sealed<str> },
    /// An event's effects are turned round on today's state. `picks` settles values that moved on since.
    Undo {
        event: EventSeq,
        reason: Sealed<str>,
        picks: Vec<(String, Value)>,
    },
    /// The tracker's comment line, with its dice words.
    Dice { line: Sealed<str> },
    /// A clause that sleeps is woken.
    Wake { clause: ClauseKey },
    /// Something fell due.
    Due { keys: Vec<DueKey> },
    /// The server was down from then to now.
    Downtime { since: Moment },
    /// The operator mends what the law cannot.
    Repair {
        patch: Sealed<Patch>,
        reason: Sealed<str>,
    },
    /// Code of a clause took more time or memory than there is, and sleeps. No clock is asked when this is judged again.
    Sleep { clause: ClauseKey, why: String },
}

/// Everything a game begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Founding {
    /// The game's title.
    pub title: String,
    /// The rulebook's code name.
    pub rulebook: Name,
    /// The edition of the host library that the law is read under.
    pub edition: u16,
    /// The name of the first player.
    pub founder: Sealed<str>,
    /// The sections of the ruleset.
    pub sections: Vec<(Name, Section)>,
    /// The rules, parents before what is under them, in document order; library texts too.
    pub rules: Vec<FoundingRule>,
    /// The section of a rule that is added without naming one.
    pub new_rules: Name,
    /// The title of a rule that is added without one.
    pub unnamed: String,
    /// The words of the theme.
    pub terms: Vec<(Name, Term)>,
}

/// A rule that a game begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundingRule {
    /// Its code name.
    pub id: Name,
    /// The section it stands in.
    pub section: Name,
    /// The rule it is nested in.
    pub parent: Option<Name>,
    /// Its title.
    pub title: String,
    /// Its text, without title and front matter.
    pub text: std::sync::Arc<str>,
    /// Whether it is switched on.
    pub active: bool,
    /// Its tags.
    pub tags: Vec<Name>,
}

/// A post to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewPost {
    /// The category; empty for none.
    pub category: Name,
    /// The title.
    pub title: Sealed<str>,
    /// The text.
    pub body: Sealed<str>,
    /// The flavour text.
    pub flavour: Sealed<str>,
    /// The category's own fields.
    pub fields: Vec<(Name, Value)>,
    /// The changes it carries.
    pub patch: Option<Sealed<Patch>>,
}

seals_in!(NewPost: title body flavour fields patch);

impl NewPost {
    /// A post of a title and a text.
    pub fn plain(category: impl Into<Name>, title: &str, body: &str) -> Self {
        Self {
            category: category.into(),
            title: typed(title),
            body: typed(body),
            flavour: typed(""),
            fields: Vec::new(),
            patch: None,
        }
    }

    /// The same with changes.
    #[must_use]
    pub fn with_patch(self, patch: Patch) -> Self {
        Self {
            patch: Some(Sealed::close(patch, [0; 16])),
            ..self
        }
    }
}

/// Where the salts of a command's own seals begin, so that they never meet those of its effects.
const FIRST_SALT: u64 = 1 << 32;

/// Where the salts of hidden arguments and answers begin; those of an open action's are the same, so that one seal does.
pub const GIVEN_SALT: u64 = 1 << 34;

/// Where the salts of hidden choices on a tape begin.
pub const TAPE_SALT: u64 = 1 << 35;

impl Command {
    /// What hides the command's words, under a game's secret.
    pub fn closed_seed(&self, secret: &[u8; 32]) -> Seed {
        let id = SeedId {
            player: self.actor.player(),
            key: self.key.clone(),
        };
        Seed::closed(secret, &id)
    }

    /// Closes every text of the command under salts of its own seed, in place of those it arrived with.
    pub fn seal(&mut self, seed: Seed) {
        // What was picked from hidden options comes in as it lay there: under its old salt anybody could tell which it was.
        self.act.each_given(&mut |value| {
            if let Value::Hidden(_) = value {
                *value = value.open().clone();
            }
        });
        let mut nth = FIRST_SALT;
        self.act.each_seal(&mut |seal| {
            let salt = seed.salt(nth);
            nth += 1;
            match seal {
                SealMut::Text(text) => close_again(text, salt),
                SealMut::Value(value) => close_again(value, salt),
                SealMut::Author(author) => close_again(author, salt),
                SealMut::Patch(patch) => {
                    if let Some(content) = patch.plain() {
                        *patch = Sealed::close(content.unsealed(), salt);
                    }
                }
            }
        });
    }
}

fn close_again<T: crate::seal::Content + ?Sized>(seal: &mut Sealed<T>, salt: crate::seal::Salt) {
    if let Some(content) = seal.shared() {
        *seal = Sealed::close(content, salt);
    }
}

/// Hides values that were given or answered, each under the salt of its place. What is hidden already stays as it is.
pub fn hide<'a>(
    values: impl IntoIterator<Item = &'a mut Value>,
    first: u64,
    salt: &dyn Fn(u64) -> crate::seal::Salt,
) {
    for (nth, value) in (first..).zip(values) {
        if !matches!(value, Value::Hidden(_)) {
            *value = value.hidden(salt(nth));
        }
    }
}

/// The acts that people take whatever the law, by the names that ask for them.
pub const BUILT_IN: [&str; 16] = [
    "post",
    "comment",
    "vote",
    "edit",
    "withdraw",
    "recategorise",
    "apply-to-join",
    "leave",
    "message",
    "claim",
    "dispute",
    "undo",
    "answer",
    "abandon",
    "dice",
    "wake",
];

impl Act {
    /// Hides what was given to an action, answered or picked: for an event that touched what not everybody may see.
    pub fn hide_given(&mut self, seed: Seed) {
        let mut nth = GIVEN_SALT;
        self.each_given(&mut |value| {
            hide([value], nth, &|nth| seed.salt(nth));
            nth += 1;
        });
    }

    /// Whether something that was given to an action or answered is for not everybody's eyes.
    pub fn is_given_hidden(&self) -> bool {
        let is_hidden = |value: &Value| matches!(value, Value::Hidden(_));
        match self {
            Self::Do { args, .. } => args.iter().any(|(_, value)| is_hidden(value)),
            Self::Answer { value, .. } | Self::Decide { value, .. } => is_hidden(value),
            _ => false,
        }
    }

    /// Visits each value that was given to an action, answered or picked.
    fn each_given(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        match self {
            Self::Do { args, .. } => args.iter_mut().for_each(|(_, value)| visit(value)),
            Self::Answer { value, .. } | Self::Decide { value, .. } => visit(value),
            Self::Undo { picks, .. } => picks.iter_mut().for_each(|(_, value)| visit(value)),
            _ => {}
        }
    }

    /// Visits every seal of the act.
    pub fn each_seal(&mut self, visit: &mut dyn FnMut(SealMut<'_>)) {
        match self {
            Self::Found(founding) => founding.founder.each_seal(visit),
            Self::Apply { name, text } => {
                name.each_seal(visit);
                text.each_seal(visit);
            }
            Self::Leave { text }
            | Self::Comment { text, .. }
            | Self::Message { text, .. }
            | Self::Dice { line: text }
            | Self::Dispute { reason: text, .. } => text.each_seal(visit),
            Self::Do { args, .. } => args.each_seal(visit),
            Self::Answer { value, .. } | Self::Decide { value, .. } => value.each_seal(visit),
            Self::Post(post) => post.each_seal(visit),
            Self::EditPost {
                title,
                body,
                flavour,
                patch,
                ..
            } => {
                for text in [title, body, flavour] {
                    text.each_seal(visit);
                }
                patch.each_seal(visit);
            }
            Self::Claim { patch, reason, .. } | Self::Repair { patch, reason } => {
                patch.each_seal(visit);
                reason.each_seal(visit);
            }
            Self::Undo { reason, picks, .. } => {
                reason.each_seal(visit);
                picks.each_seal(visit);
            }
            Self::Abandon { .. }
            | Self::Recategorise { .. }
            | Self::Withdraw { .. }
            | Self::Wake { .. }
            | Self::Due { .. }
            | Self::Downtime { .. }
            | Self::Sleep { .. } => {}
        }
    }

    /// The name by which guards, limits and the log know the act: a built-in act's own, or the action's.
    pub fn name(&self) -> Name {
        match self {
            Self::Do { action, .. } | Self::Answer { action, .. } | Self::Abandon { action } => {
                action.clone()
            }
            Self::Post(post) if post.category.is_empty() => "post".into(),
            Self::Post(post) => format!("post {}", post.category).into(),
            Self::Found(_) => "found".into(),
            Self::Apply { .. } => "apply-to-join".into(),
            Self::Leave { .. } => "leave".into(),
            Self::Decide { .. } => "answer".into(),
            Self::EditPost { .. } => "edit".into(),
            Self::Recategorise { .. } => "recategorise".into(),
            Self::Withdraw { .. } => "withdraw".into(),
            Self::Comment { .. } => "comment".into(),
            Self::Message { .. } => "message".into(),
            Self::Claim { .. } => "claim".into(),
            Self::Dispute { .. } => "dispute".into(),
            Self::Undo { .. } => "undo".into(),
            Self::Dice { .. } => "dice".into(),
            Self::Wake { .. } => "wake".into(),
            Self::Due { .. } => "due".into(),
            Self::Downtime { .. } => "downtime".into(),
            Self::Repair { .. } => "repair".into(),
            Self::Sleep { .. } => "sleep".into(),
        }
    }
}

/// A text as a person typed it, to be put into a command; the writer closes it under the command's own salts.
pub fn typed(text: &str) -> Sealed<str> {
    Sealed::close(text, [0; 16])
}
