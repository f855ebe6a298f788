//! From whom something concerns to what goes onto which channel, as its readers chose.

use std::collections::BTreeSet;

use quorate_kernel::{EventSeq, GameId, Moment, PlayerId};
use quorate_notices::concern::{Concern, Whom};
use quorate_notices::kind::NoticeKind;
use quorate_notices::outbox::{
    Channel, ChannelAudience, ChannelSort, Followed, Interest, NewLetter, Recipient,
};
use quorate_notices::topic::NoticeTopic;

use crate::view::notices::Standings;

/// Where something came up.
pub(super) struct Occasion<'a> {
    pub(super) game: &'a GameId,
    /// Who has which part in the game.
    pub(super) standings: &'a Standings,
    /// The event that led to it.
    pub(super) seq: EventSeq,
    /// When that was.
    pub(super) at: Moment,
}

/// What concerns somebody, and whether it may be told at once where they want that.
pub(super) struct DueConcern {
    pub(super) concern: Concern,
    pub(super) can_go_at_once: bool,
}

/// The letters to somebody about what an event led to.
pub(super) fn letters_to(
    recipient: &Recipient,
    concerns: &[DueConcern],
    occasion: &Occasion<'_>,
) -> Vec<NewLetter> {
    let mut letters = Vec::new();
    // Of one thing that was written somebody hears once, as what concerns them most.
    let mut told: BTreeSet<&NoticeTopic> = BTreeSet::new();
    let mut by_weight: Vec<&DueConcern> = concerns.iter().collect();
    by_weight.sort_by_key(|due| due.concern.kind);
    for due in by_weight {
        let concern = &due.concern;
        if concern.whom == Whom::Room {
            letters.extend(to_rooms(recipient, concern, occasion));
            continue;
        }
        let Some(player) = recipient.player else {
            continue;
        };
        let is_once = is_once(concern.kind);
        let is_new = !is_once || !told.contains(&concern.topic);
        if is_new && wants(recipient, player, concern, occasion.standings) {
            if is_once {
                told.insert(&concern.topic);
            }
            letters.extend(to_own(recipient, due, occasion));
        }
    }
    letters
}

/// Whether a kind is one of those of which each topic is told once.
fn is_once(kind: NoticeKind) -> bool {
    matches!(
        kind,
        NoticeKind::VoteWanted
            | NoticeKind::Mentioned
            | NoticeKind::Answered
            | NoticeKind::Followed
    )
}

/// Whether somebody is meant and has not muted it.
fn wants(
    recipient: &Recipient,
    player: PlayerId,
    concern: &Concern,
    standings: &Standings,
) -> bool {
    let follows = |what| recipient.interests.get(&what) == Some(&Interest::Follows);
    let mutes = |what| recipient.interests.get(&what) == Some(&Interest::Mutes);
    let is_meant = match &concern.whom {
        Whom::FollowPost(post) => follows(Followed::Post(*post)),
        Whom::FollowPerson(person) => follows(Followed::Person(*person)),
        Whom::FollowRule(rule) => follows(Followed::Rule(rule.clone())),
        whom => standings.is_meant(whom, player),
    };
    let of_muted_post = concern
        .topic
        .post()
        .is_some_and(|post| mutes(Followed::Post(post)));
    let by_muted =
        is_talk(concern.kind) && concern.by.is_some_and(|by| mutes(Followed::Person(by)));
    // What somebody did themselves is no news to them, whomever they follow.
    let is_own = concern.not_before.is_none() && concern.by == Some(player);
    is_meant && !of_muted_post && !by_muted && !is_own
}

/// Whether it is what somebody says or does on their own account, of which one can have enough.
fn is_talk(kind: NoticeKind) -> bool {
    matches!(
        kind,
        NoticeKind::Mentioned
            | NoticeKind::Answered
            | NoticeKind::Followed
            | NoticeKind::Touched
            | NoticeKind::Message
    )
}

fn to_own(recipient: &Recipient, due: &DueConcern, occasion: &Occasion<'_>) -> Vec<NewLetter> {
    let concern = &due.concern;
    let pace = recipient.choices.pace(occasion.game, concern.kind);
    let from = concern
        .not_before
        .map_or(occasion.at, |at| at.max(occasion.at));
    let hours = &recipient.choices.hours;
    let leaving = match hours.leaving(pace, concern.kind, from) {
        Some(leaving) if !leaving.is_bundled && !due.can_go_at_once => hours.next_digest(from),
        Some(leaving) => leaving,
        None => return Vec::new(),
    };
    let is_own = |channel: &&Channel| {
        matches!(channel.audience, ChannelAudience::Own(..))
            && channel.audience.hears(concern.kind)
            && channel.sort != ChannelSort::Feed
    };
    let channels = recipient.channels.iter().filter(is_own);
    let bundle = if leaving.is_bundled {
        format!("digest.{}", leaving.at.0)
    } else {
        alone(concern, occasion)
    };
    channels
        .map(|channel| letter(channel, bundle.clone(), concern, occasion, leaving.at))
        .collect()
}

fn to_rooms(recipient: &Recipient, concern: &Concern, occasion: &Occasion<'_>) -> Vec<NewLetter> {
    let rooms = recipient.channels.iter().filter(|channel| {
        matches!(channel.audience, ChannelAudience::Room(..))
            && channel.audience.hears(concern.kind)
    });
    rooms
        .map(|room| {
            letter(
                room,
                alone(concern, occasion),
                concern,
                occasion,
                occasion.at,
            )
        })
        .collect()
}

/// The bundle of a letter that leaves by itself.
fn alone(concern: &Concern, occasion: &Occasion<'_>) -> String {
    let topic = concern.topic.to_string().replace(':', "-");
    format!(
        "{}.{}.{}.{topic}",
        occasion.game, occasion.seq, concern.kind
    )
}

fn letter(
    channel: &Channel,
    bundle: String,
    concern: &Concern,
    occasion: &Occasion<'_>,
    due_at: Moment,
) -> NewLetter {
    NewLetter {
        channel: channel.id,
        bundle,
        seq: occasion.seq,
        kind: concern.kind,
        topic: concern.topic.clone(),
        at: occasion.at,
        due_at,
    }
}
