//! Whom an event concerns.

use std::collections::{BTreeMap, BTreeSet};

use quorate_engine::Law;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::effect::{Effect, Step};
use quorate_kernel::event::Event;
use quorate_kernel::ids::{DutyId, MessageId};
use quorate_kernel::rows::{
    Author, Cell, CellKey, ClaimStanding, Comment, Message, Post, Standing,
};
use quorate_kernel::state::State;
use quorate_kernel::{CommentId, EventSeq, Moment, Name, PlayerId, PostId, Span, Thing, Value};
use serde::{Deserialize, Serialize};

use crate::kind::NoticeKind;
use crate::mention::mentioned;
use crate::topic::NoticeTopic;

/// How long before its deadline somebody is told that a question still waits.
pub const WARNING: Span = Span::hours(6);

/// Of how many messages that rules send to one player in one event the player is told; all of them stand in the game.
const OF_RULES_MAX: u32 = 5;

/// Somebody, or several at once.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Whom {
    /// This player.
    Player(PlayerId),
    /// Everybody on the books.
    Members,
    /// Those on the books who carry the mark `admin`.
    Admins,
    /// Whoever follows a post.
    FollowPost(PostId),
    /// Whoever follows a person.
    FollowPerson(PlayerId),
    /// Whoever follows a rule.
    FollowRule(Name),
    /// Rooms: nobody in particular.
    Room,
}

/// What happened, and whom it concerns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Concern {
    /// Whom.
    pub whom: Whom,
    /// As what.
    pub kind: NoticeKind,
    /// What it is about.
    pub topic: NoticeTopic,
    /// Who caused it, as far as everybody may know: who mutes them is not told.
    pub by: Option<PlayerId>,
    /// Not told before, where it is about a moment that comes.
    pub not_before: Option<Moment>,
    /// The rule that sent it of its own accord. What rules send at once has a [budget](crate::budget).
    pub sent_by: Option<Name>,
}

/// A game after an event, as far as it takes to say whom the event concerns.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The newest state.
    pub state: &'a State,
    /// The law of that state.
    pub law: &'a Law,
}

/// Whom an event concerns. Whether each of them may see it, and whether it still stands, is asked when it is told.
pub fn concerns(event: &Event, scene: Scene<'_>) -> Vec<Concern> {
    let mut found = ConcernReader {
        event,
        scene,
        by: event.actor.player(),
        doer: event.command().actor.player(),
        all: Vec::new(),
        known: BTreeSet::new(),
        of_rules: BTreeMap::new(),
    };
    for step in &event.steps {
        found.read(step);
    }
    found.all
}

/// Whose a value is: the player's who has it, and those whom it names, such as the holder of a thing before and after.
pub fn owners(key: &CellKey, old: Option<&Cell>, new: Option<&Cell>) -> BTreeSet<PlayerId> {
    let named = [old, new].into_iter().flatten();
    let named = named.map(|cell| cell.value.open());
    let mut owners = BTreeSet::new();
    for value in named {
        if let Value::Thing(Thing::Player(player)) = value {
            owners.insert(*player);
        }
    }
    if let Thing::Player(owner) = key.thing {
        owners.insert(owner);
    }
    owners
}

struct ConcernReader<'a> {
    event: &'a Event,
    scene: Scene<'a>,
    by: Option<PlayerId>,
    /// Who did it, known to the server also where it is hidden.
    doer: Option<PlayerId>,
    all: Vec<Concern>,
    /// The same, so that nothing is told twice.
    known: BTreeSet<Concern>,
    /// How many messages rules sent to whom.
    of_rules: BTreeMap<PlayerId, u32>,
}

impl ConcernReader<'_> {
    fn add(&mut self, whom: Whom, kind: NoticeKind, topic: NoticeTopic) {
        self.put(Concern {
            whom,
            kind,
            topic,
            by: self.by,
            not_before: None,
            sent_by: None,
        });
    }

    /// The same for one player, sent by a rule.
    fn sent(&mut self, rule: Option<&Name>, to: PlayerId, kind: NoticeKind, topic: NoticeTopic) {
        self.put(Concern {
            whom: Whom::Player(to),
            kind,
            topic,
            by: self.by,
            not_before: None,
            sent_by: rule.cloned(),
        });
    }

    fn put(&mut self, concern: Concern) {
        // Nobody is told what they did themselves, unless it is about a moment that comes.
        let doer = self.doer.filter(|_| concern.not_before.is_none());
        let is_own = matches!(&concern.whom, Whom::Player(whom) if Some(*whom) == doer);
        if !is_own && self.known.insert(concern.clone()) {
            self.all.push(concern);
        }
    }

    fn read(&mut self, step: &Step) {
        match &step.effect {
            Effect::Post { key, old, new } => self.post(*key, old.as_ref(), new.as_ref()),
            Effect::Comment {
                key,
                old: None,
                new: Some(comment),
            } => self.comment(key.post, key.id, comment),
            Effect::Message {
                key,
                old: None,
                new: Some(message),
            } => self.message(*key, message, &step.rule),
            Effect::Duty {
                key,
                old: None,
                new: Some(duty),
            } => {
                let topic = NoticeTopic::Duty(DutyId(*key));
                let rule = Some(&step.rule);
                self.sent(rule, duty.to, NoticeKind::Question, topic.clone());
                self.due(rule, duty.to, topic, (duty.at, duty.deadline));
            }
            Effect::Open {
                key,
                old: None,
                new: Some(open),
            } => {
                let topic = NoticeTopic::Open(key.who, key.action.clone());
                self.due(None, key.who, topic, (open.began_at, open.deadline));
            }
            Effect::Cell { key, old, new } => self.cell(key, old.as_ref(), new.as_ref()),
            other => self.read_rarer(other),
        }
    }

    /// What happens to people, claims, dynasties and rules.
    fn read_rarer(&mut self, effect: &Effect) {
        match effect {
            Effect::Claim {
                key,
                old: Some(old),
                new: Some(new),
            } => {
                let is_new = new.standing == ClaimStanding::Disputed
                    && old.disputed_by.len() < new.disputed_by.len();
                if is_new {
                    let topic = NoticeTopic::Claim(key.event());
                    self.add(Whom::Player(new.by), NoticeKind::Disputed, topic);
                }
            }
            Effect::Person {
                key,
                old,
                new: Some(new),
            } => {
                let asked = |standing: Option<Standing>| standing == Some(Standing::Applicant);
                let before = old.as_ref().map(|person| person.standing);
                if asked(Some(new.standing)) && !asked(before) {
                    for whom in [Whom::Admins, Whom::Room] {
                        self.add(whom, NoticeKind::AsksToJoin, NoticeTopic::Person(*key));
                    }
                }
            }
            Effect::Dynasty {
                key,
                old: None,
                new: Some(_),
            } if *key > 1 => {
                for whom in [Whom::Members, Whom::Room] {
                    self.add(whom, NoticeKind::DynastyEnded, NoticeTopic::Dynasty(*key));
                }
            }
            Effect::Rule { key, .. } if self.event.seq > EventSeq(1) => {
                for whom in [Whom::FollowRule(key.clone()), Whom::Room] {
                    self.add(
                        whom,
                        NoticeKind::RuleChanged,
                        NoticeTopic::Rule(key.clone()),
                    );
                }
            }
            // What other tables hold is told by the page that shows it.
            _ => {}
        }
    }

    /// A deadline: a word ahead of it, unless the question came later than that.
    fn due(
        &mut self,
        rule: Option<&Name>,
        whom: PlayerId,
        topic: NoticeTopic,
        (since, deadline): (Moment, Moment),
    ) {
        let at = deadline - WARNING;
        if at <= since {
            return;
        }
        self.put(Concern {
            whom: Whom::Player(whom),
            kind: NoticeKind::DueSoon,
            topic,
            by: None,
            not_before: Some(at),
            sent_by: rule.cloned(),
        });
    }

    /// A message, from a player or from a rule.
    fn message(&mut self, id: MessageId, message: &Message, rule: &Name) {
        let topic = NoticeTopic::Message(id);
        if let Some(from) = message.from {
            for to in message.to.iter().filter(|to| **to != from) {
                self.add(Whom::Player(*to), NoticeKind::Message, topic.clone());
            }
            return;
        }
        for to in &message.to {
            let count = self.of_rules.entry(*to).or_default();
            *count += 1;
            if *count <= OF_RULES_MAX {
                self.sent(Some(rule), *to, NoticeKind::Message, topic.clone());
            }
        }
    }

    fn post(&mut self, id: PostId, old: Option<&Post>, new: Option<&Post>) {
        let Some(post) = new else { return };
        let topic = NoticeTopic::Post(id);
        let law = self.scene.law;
        let category = law.categories.get(&post.category);
        let is_matter = category.is_some_and(|category| !category.it.icons.is_empty());
        let opens = |post: &Post| is_matter && law.is_open(post);
        let was_open = old.is_some_and(|old| old.category == post.category && opens(old));
        if opens(post) && !was_open {
            self.add(Whom::Members, NoticeKind::VoteWanted, topic.clone());
        }
        if post.closed_at.is_some() && old.is_some_and(|old| old.closed_at.is_none()) {
            for whom in [Whom::Members, Whom::Room] {
                self.add(whom, NoticeKind::Closed, topic.clone());
            }
        }
        if old.is_none() {
            self.add(Whom::Room, NoticeKind::Posted, topic.clone());
            if let Author::Named(author) = post.author {
                self.add(
                    Whom::FollowPerson(author),
                    NoticeKind::Followed,
                    topic.clone(),
                );
            }
        }
        let before = old.map_or(Vec::new(), |old| self.named(old.body.as_str()));
        for player in self.named(post.body.as_str()) {
            if !before.contains(&player) {
                self.add(Whom::Player(player), NoticeKind::Mentioned, topic.clone());
            }
        }
    }

    fn comment(&mut self, post: PostId, id: CommentId, comment: &Comment) {
        let topic = NoticeTopic::Comment(post, id);
        let named = self.named(comment.text.as_str());
        for player in &named {
            self.add(Whom::Player(*player), NoticeKind::Mentioned, topic.clone());
        }
        let posts = &self.scene.state.posts;
        let author = posts.get(&post).and_then(|post| post.author.player());
        // Whoever is told already that they are named is not told once more.
        if let Some(author) = author.filter(|author| !named.contains(author)) {
            self.add(Whom::Player(author), NoticeKind::Answered, topic.clone());
        }
        self.add(Whom::FollowPost(post), NoticeKind::Followed, topic.clone());
        if let Author::Named(author) = comment.author {
            self.add(Whom::FollowPerson(author), NoticeKind::Followed, topic);
        }
    }

    /// A value that is a player's or names one, changed by what somebody else did.
    fn cell(&mut self, key: &CellKey, old: Option<&Cell>, new: Option<&Cell>) {
        let owners = owners(key, old, new);
        if owners.is_empty() {
            return;
        }
        let is_act = match &self.event.act {
            Act::Do { .. }
            | Act::Answer { .. }
            | Act::Decide { .. }
            | Act::Claim { .. }
            | Act::Undo { .. } => true,
            Act::Found(_)
            | Act::Apply { .. }
            | Act::Leave { .. }
            | Act::Abandon { .. }
            | Act::Post(_)
            | Act::EditPost { .. }
            | Act::Recategorise { .. }
            | Act::Withdraw { .. }
            | Act::Comment { .. }
            | Act::Message { .. }
            | Act::Dispute { .. }
            | Act::Dice { .. }
            | Act::Wake { .. }
            | Act::Sleep { .. }
            | Act::Due { .. }
            | Act::Downtime { .. }
            | Act::Repair { .. } => false,
        };
        let by_player = matches!(self.event.actor, Actor::Player(_) | Actor::Hidden);
        // What closes a matter changes values of many; that is told as its closing.
        let closes = self.event.steps.iter().any(|step| {
            matches!(&step.effect, Effect::Post { new: Some(post), .. } if post.closed_at.is_some())
        });
        if is_act && by_player && !closes {
            for owner in owners {
                let topic = NoticeTopic::Event(self.event.seq);
                self.add(Whom::Player(owner), NoticeKind::Touched, topic);
            }
        }
    }

    /// Whom a text names.
    fn named(&self, text: &str) -> Vec<PlayerId> {
        if !text.contains('@') {
            return Vec::new();
        }
        let people = self.scene.state.people.iter();
        let here = people.filter(|(_, person)| person.standing == Standing::Member);
        let names = here.filter_map(|(id, person)| Some((*id, person.name.plain()?)));
        mentioned(text, names)
    }
}
