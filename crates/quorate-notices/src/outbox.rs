//! What still has to leave: the port of the outbox, which follows each game's log by the numbers of its events.
//!
//! What an event led to and how far its game was followed are written in one transaction. So nothing is lost when the
//! server ends at any moment, and no event is told twice. A message that had left when the server ended before noting so
//! leaves once more under the key that it had, by which its receiver knows it.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use async_trait::async_trait;
use quorate_kernel::{EventSeq, GameId, Moment, Name, PlayerId, PostId, Span};
use quorate_runtime::ports::{AccountId, StoreError};

use crate::budget::NoticeBudget;
use crate::choice::{Hours, NoticeChoices};
use crate::kind::{NoSuchWord, NoticeKind, Pace};
use crate::topic::NoticeTopic;

/// A way on which messages leave.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChannelId(pub u64);

/// One notice on one channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LetterId(pub u64);

/// How a channel is spoken to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChannelSort {
    /// Mail.
    Mail,
    /// A webhook, signed after Standard Webhooks.
    Webhook,
    /// A webhook of a Discord channel.
    Discord,
    /// An incoming webhook of Slack.
    Slack,
    /// A room of Matrix: its address on the server with the access token as the secret.
    Matrix,
    /// A topic of ntfy.
    Ntfy,
    /// A browser: its address at its maker's push service, with what seals messages for it as the secret.
    Push,
    /// A feed and a calendar that are fetched: nothing leaves, and the secret is part of their address.
    Feed,
}

impl ChannelSort {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Mail,
        Self::Webhook,
        Self::Discord,
        Self::Slack,
        Self::Matrix,
        Self::Ntfy,
        Self::Push,
        Self::Feed,
    ];

    /// The word for it in forms and in the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Webhook => "webhook",
            Self::Discord => "discord",
            Self::Slack => "slack",
            Self::Matrix => "matrix",
            Self::Ntfy => "ntfy",
            Self::Push => "push",
            Self::Feed => "feed",
        }
    }

    /// Whether its address is typed in, by somebody who got it from the receiver.
    pub fn is_typed(self) -> bool {
        match self {
            Self::Webhook | Self::Discord | Self::Slack | Self::Matrix | Self::Ntfy => true,
            Self::Mail | Self::Push | Self::Feed => false,
        }
    }

    /// What pages call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Mail => "Mail",
            Self::Webhook => "Webhook",
            Self::Discord => "Discord",
            Self::Slack => "Slack",
            Self::Matrix => "Matrix",
            Self::Ntfy => "ntfy",
            Self::Push => "A browser",
            Self::Feed => "Private feed and calendar",
        }
    }
}

impl FromStr for ChannelSort {
    type Err = NoSuchWord;

    fn from_str(text: &str) -> Result<Self, NoSuchWord> {
        let found = Self::ALL.into_iter().find(|sort| sort.word() == text);
        found.ok_or_else(|| NoSuchWord(text.to_owned()))
    }
}

/// Whose eyes a channel has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChannelAudience {
    /// The account's own: what concerns it, in one game or in all it plays in, of these kinds or of all.
    Own(Option<GameId>, Option<Vec<NoticeKind>>),
    /// A stranger's: the news of a game, of these kinds.
    Room(GameId, Vec<NoticeKind>),
}

impl ChannelAudience {
    /// All that concerns the account.
    pub const ALL: Self = Self::Own(None, None);

    /// Whether it is told of a kind.
    pub fn hears(&self, kind: NoticeKind) -> bool {
        match self {
            Self::Own(_, kinds) => kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind)),
            Self::Room(_, kinds) => kinds.contains(&kind),
        }
    }

    /// The one game that it is about.
    pub fn game(&self) -> Option<&GameId> {
        match self {
            Self::Own(game, _) => game.as_ref(),
            Self::Room(game, _) => Some(game),
        }
    }
}

/// A way on which messages leave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Which one.
    pub id: ChannelId,
    /// Whose.
    pub account: AccountId,
    /// Whose eyes it has.
    pub audience: ChannelAudience,
    /// How it is spoken to.
    pub sort: ChannelSort,
    /// Where it leads: a mail address, or an address on the web.
    pub address: String,
    /// What signs or opens it.
    pub secret: String,
    /// When it was made.
    pub made_at: Moment,
    /// Since when it is known that its owner reads there; nothing leaves before.
    pub confirmed_at: Option<Moment>,
    /// Why nothing leaves any more, where that is so.
    pub paused: Option<String>,
    /// How often in a row it failed.
    pub failures: u32,
    /// Until when nothing leaves, since its receiver took nothing the last time.
    pub held_until: Option<Moment>,
}

impl Channel {
    /// Whether something can leave on it now.
    pub fn is_open(&self) -> bool {
        self.confirmed_at.is_some() && self.paused.is_none() && self.sort != ChannelSort::Feed
    }
}

/// How it stands with a letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LetterStanding {
    /// It still has to leave.
    Waiting,
    /// It left.
    Sent,
    /// There was nothing to tell any more.
    Moot,
    /// It could not leave.
    Dead,
}

impl LetterStanding {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Sent, Self::Moot, Self::Dead];

    /// The word for it in the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sent => "sent",
            Self::Moot => "moot",
            Self::Dead => "dead",
        }
    }
}

impl FromStr for LetterStanding {
    type Err = NoSuchWord;

    fn from_str(text: &str) -> Result<Self, NoSuchWord> {
        let found = Self::ALL.into_iter().find(|it| it.word() == text);
        found.ok_or_else(|| NoSuchWord(text.to_owned()))
    }
}

/// One notice on one channel: what it is about, and no word of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutboxLetter {
    /// Which one.
    pub id: LetterId,
    /// On which channel.
    pub channel: ChannelId,
    /// Letters of one channel and bundle leave as one message.
    pub bundle: String,
    /// In which game.
    pub game: GameId,
    /// The event that led to it.
    pub seq: EventSeq,
    /// What it is about.
    pub kind: NoticeKind,
    /// What it is about.
    pub topic: NoticeTopic,
    /// When it came up.
    pub at: Moment,
    /// When it is to leave, or is tried again.
    pub due_at: Moment,
    /// How often it was tried.
    pub tries: u32,
    /// How it stands.
    pub standing: LetterStanding,
    /// Why it did not leave the last time.
    pub error: String,
    /// When it left, or was given up.
    pub done_at: Option<Moment>,
}

/// A letter to be written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewLetter {
    /// On which channel.
    pub channel: ChannelId,
    /// With what it leaves.
    pub bundle: String,
    /// The event that led to it.
    pub seq: EventSeq,
    /// What it is about.
    pub kind: NoticeKind,
    /// What it is about.
    pub topic: NoticeTopic,
    /// When it came up.
    pub at: Moment,
    /// When it is to leave.
    pub due_at: Moment,
}

/// How far a game was followed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FollowPoint {
    /// The last event that was read.
    pub seq: EventSeq,
    /// When the law may answer otherwise, so that the game is to be looked at again.
    pub look_at: Option<Moment>,
    /// What stands and was told, by its word, with the event at which it began to.
    pub standing: BTreeMap<String, EventSeq>,
    /// What rules sent on the day of the last event.
    pub budget: NoticeBudget,
}

/// Something that somebody follows or mutes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Followed {
    /// A post, with what is said under it.
    Post(PostId),
    /// A person, with what they write.
    Person(PlayerId),
    /// A rule.
    Rule(Name),
}

impl fmt::Display for Followed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Post(id) => write!(f, "post:{id}"),
            Self::Person(id) => write!(f, "person:{id}"),
            Self::Rule(id) => write!(f, "rule:{id}"),
        }
    }
}

impl FromStr for Followed {
    type Err = NoSuchWord;

    fn from_str(text: &str) -> Result<Self, NoSuchWord> {
        let read = || {
            let (sort, id) = text.split_once(':')?;
            Some(match sort {
                "post" => Self::Post(id.parse().ok()?),
                "person" => Self::Person(id.parse().ok()?),
                "rule" => Self::Rule(id.into()),
                _ => return None,
            })
        };
        read().ok_or_else(|| NoSuchWord(text.to_owned()))
    }
}

/// Whether somebody wants more of something, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interest {
    /// More.
    Follows,
    /// Nothing.
    Mutes,
}

/// Somebody who plays in a game and has a channel, or who set up a room of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipient {
    /// Whose.
    pub account: AccountId,
    /// Whom they play there.
    pub player: Option<PlayerId>,
    /// Their channels for the game, rooms among them.
    pub channels: Vec<Channel>,
    /// What they want to hear, and when.
    pub choices: NoticeChoices,
    /// What they follow and mute in the game.
    pub interests: BTreeMap<Followed, Interest>,
}

/// A channel to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewChannel {
    /// Whose.
    pub account: AccountId,
    /// Whose eyes it has.
    pub audience: ChannelAudience,
    /// How it is spoken to.
    pub sort: ChannelSort,
    /// Where it leads.
    pub address: String,
    /// What signs or opens it.
    pub secret: String,
    /// When it is made.
    pub made_at: Moment,
    /// Since when it is known that its owner reads there.
    pub confirmed_at: Option<Moment>,
}

/// How many messages are taken up at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadyMost {
    /// Of one channel.
    pub of_each: u32,
    /// In all.
    pub in_all: u32,
}

/// Letters that are due, by their numbers, as messages: those of one channel and bundle together, oldest first, of each channel
/// so many at most, and so many in all. A letter whose channel is not among these is left.
pub fn messages(
    letters: Vec<OutboxLetter>,
    channels: Vec<Channel>,
    most: ReadyMost,
) -> Vec<(Channel, Vec<OutboxLetter>)> {
    let channels: BTreeMap<ChannelId, Channel> =
        channels.into_iter().map(|it| (it.id, it)).collect();
    let mut found: Vec<(Channel, Vec<OutboxLetter>)> = Vec::new();
    let mut of_channel: BTreeMap<ChannelId, BTreeMap<String, usize>> = BTreeMap::new();
    for letter in letters {
        let Some(channel) = channels.get(&letter.channel) else {
            continue;
        };
        let places = of_channel.entry(channel.id).or_default();
        if let Some(at) = places.get(&letter.bundle) {
            found[*at].1.push(letter);
        } else if places.len() < most.of_each as usize && found.len() < most.in_all as usize {
            places.insert(letter.bundle.clone(), found.len());
            found.push((channel.clone(), vec![letter]));
        }
    }
    found
}

/// What became of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Settled {
    /// It left.
    Sent,
    /// There was nothing to tell any more.
    Moot,
    /// It did not leave, and is tried again then.
    Later(Moment, String),
    /// Nothing was tried, for its game cannot be read: it leaves then, as a message of its own. Its channel is not to blame.
    PutOff(Moment, String),
    /// It did not leave, nor will it.
    Dead(String),
}

impl Settled {
    /// Whether it was handed over to its receiver, in vain or not.
    pub fn is_tried(&self) -> bool {
        match self {
            Self::Sent | Self::Later(..) | Self::Dead(_) => true,
            Self::Moot | Self::PutOff(..) => false,
        }
    }

    /// What its bundle's name has at the end from now on: the others of the bundle may have left under that name.
    pub fn bundle_end(&self) -> String {
        match self {
            Self::PutOff(at, _) => format!(".{}", at.0),
            Self::Sent | Self::Moot | Self::Later(..) | Self::Dead(_) => String::new(),
        }
    }

    /// When it is tried again, where it is.
    pub fn tried_again(&self) -> Option<Moment> {
        match self {
            Self::Later(at, _) | Self::PutOff(at, _) => Some(*at),
            Self::Sent | Self::Moot | Self::Dead(_) => None,
        }
    }
}

/// How long after a failure a message is tried again, by how often it failed. After the last it is dead.
pub const TRIES: [Span; 9] = [
    Span::seconds(5),
    Span::minutes(5),
    Span::minutes(30),
    Span::hours(2),
    Span::hours(5),
    Span::hours(10),
    Span::hours(14),
    Span::hours(20),
    Span::hours(24),
];

/// A channel that failed so often in a row is paused.
pub const FAILURES_MAX: u32 = 12;

/// The longest that a receiver can have us wait; what asks for more is tried again after this.
const ASKED_MAX: Span = Span::hours(24);

/// What became of a message that did not leave. `asked` is how long its receiver wants to be left alone, where it says so.
pub fn failed(tries: u32, now: Moment, why: String, asked: Option<Span>) -> Settled {
    let wait = usize::try_from(tries).ok().and_then(|n| TRIES.get(n));
    let asked = asked.unwrap_or(Span(0)).min(ASKED_MAX);
    match wait {
        Some(wait) => Settled::Later(now + asked.max(*wait), why),
        None => Settled::Dead(why),
    }
}

/// The messages that are to leave, the ways on which they do, and what their readers chose.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Whether messages leave from here now. Of several nodes that share an outbox one has the turn to deliver, and another
    /// takes it where that one is gone. Whoever has an outbox alone always has it.
    async fn claim_delivery(&self) -> Result<bool, StoreError> {
        Ok(true)
    }
    /// How far a game was followed; the start where it was not.
    async fn follow_point(&self, game: &GameId) -> Result<FollowPoint, StoreError>;
    /// Notes how far a game was followed, with the letters that this led to: both or neither. Gives false, and does
    /// nothing, where the game was not followed up to `from`.
    async fn take_in(
        &self,
        game: &GameId,
        from: EventSeq,
        to: &FollowPoint,
        letters: &[NewLetter],
    ) -> Result<bool, StoreError>;
    /// The games that are to be looked at again by now.
    async fn looks_due(&self, now: Moment) -> Result<Vec<GameId>, StoreError>;
    /// The first moment at which a letter is to leave or a game to be looked at.
    async fn next_moment(&self) -> Result<Option<Moment>, StoreError>;
    /// Messages that are to leave by now on channels that are open, not held and not among `busy`: letters of one channel and
    /// bundle, oldest first, of each channel so many at most, and so many in all.
    async fn ready(
        &self,
        now: Moment,
        busy: &[ChannelId],
        most: ReadyMost,
    ) -> Result<Vec<(Channel, Vec<OutboxLetter>)>, StoreError>;
    /// Notes what became of the letters of a message. A failure counts against their channel, which is held until they are
    /// tried again; a success clears it.
    async fn settle(
        &self,
        channel: ChannelId,
        letters: &[LetterId],
        how: &Settled,
        now: Moment,
    ) -> Result<(), StoreError>;
    /// Letters of a channel, newest first.
    async fn letters_of(
        &self,
        channel: ChannelId,
        most: u32,
    ) -> Result<Vec<OutboxLetter>, StoreError>;
    /// One letter.
    async fn letter(&self, id: LetterId) -> Result<Option<OutboxLetter>, StoreError>;
    /// Has a letter leave once more, with all of its bundle, though its channel is held.
    async fn send_again(&self, id: LetterId, now: Moment) -> Result<(), StoreError>;

    /// Makes a channel.
    async fn make_channel(&self, channel: &NewChannel) -> Result<ChannelId, StoreError>;
    /// One channel.
    async fn channel(&self, id: ChannelId) -> Result<Option<Channel>, StoreError>;
    /// The channels of an account, oldest first.
    async fn channels_of(&self, account: AccountId) -> Result<Vec<Channel>, StoreError>;
    /// Notes that the owner of a channel reads there.
    async fn confirm_channel(&self, id: ChannelId, now: Moment) -> Result<(), StoreError>;
    /// Pauses a channel with the reason, or opens it again.
    async fn pause_channel(&self, id: ChannelId, why: Option<&str>) -> Result<(), StoreError>;
    /// Drops a channel with its letters.
    async fn drop_channel(&self, id: ChannelId) -> Result<(), StoreError>;

    /// What an account wants to hear, and when.
    async fn choices_of(&self, account: AccountId) -> Result<NoticeChoices, StoreError>;
    /// Sets how soon an account hears of a kind, in one game or in all.
    async fn choose(
        &self,
        account: AccountId,
        game: Option<&GameId>,
        kind: NoticeKind,
        pace: Pace,
    ) -> Result<(), StoreError>;
    /// Sets when an account reads.
    async fn set_hours(&self, account: AccountId, hours: &Hours) -> Result<(), StoreError>;
    /// What an account follows and mutes in a game.
    async fn interests_of(
        &self,
        account: AccountId,
        game: &GameId,
    ) -> Result<BTreeMap<Followed, Interest>, StoreError>;
    /// Follows or mutes something, or neither.
    async fn take_interest(
        &self,
        account: AccountId,
        game: &GameId,
        what: &Followed,
        interest: Option<Interest>,
    ) -> Result<(), StoreError>;
    /// Everybody who has a channel for a game.
    async fn recipients(&self, game: &GameId) -> Result<Vec<Recipient>, StoreError>;
    /// The key by which push services know this server: the one that is kept, or else this one, which is kept then.
    async fn push_key(&self, fresh: &[u8]) -> Result<Vec<u8>, StoreError>;
    /// Drops letters that were done before a moment, and those that waited since then.
    async fn sweep_letters(&self, before: Moment) -> Result<(), StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_can_ask_to_be_left_alone_for_longer_but_not_for_good() {
        let now = Moment(0);
        let again = |tries, asked| failed(tries, now, String::new(), asked).tried_again();
        assert_eq!(again(0, None), Some(now + Span::seconds(5)));
        assert_eq!(
            again(0, Some(Span::seconds(1))),
            Some(now + Span::seconds(5))
        );
        assert_eq!(
            again(0, Some(Span::minutes(2))),
            Some(now + Span::minutes(2))
        );
        assert_eq!(again(1, Some(Span::days(30))), Some(now + Span::days(1)));
        assert_eq!(again(0, Some(Span::days(-1))), Some(now + Span::seconds(5)));
        assert_eq!(again(9, Some(Span::minutes(2))), None, "it is given up");
    }
}
