//! What a tally comes to, as data: what a matter waits for, which vote decides it, what could still change it. The law says so,
//! on copies where the votes that are still out are cast and time passes.

use std::collections::BTreeMap;

use quorate_engine::conventions;
use quorate_engine::judge::{Inputs, Judge};
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::rows::DueKey;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Span, Thing, Topic};
use serde::Serialize;

use crate::fork::{Fork, trial_command, tried};
use crate::shape;
use crate::standing::{MatterStanding, StandingQuery};

/// How many votes that are still out are tried at most.
const OUT_MAX: usize = 40;

/// How much may fall due for a matter on a copy.
const DUES: usize = 4;

/// How many later moments are looked at for what time alone changes, and how far ahead.
const LATER: (usize, Span) = (2, Span::days(7));

/// The votes on a matter, as they count.
#[derive(Clone, Debug, Default)]
pub struct MatterVotes {
    /// The icons that it takes.
    pub icons: Vec<Name>,
    /// Each active player with their vote as it counts; empty where there is none.
    pub ballots: Vec<(PlayerId, String)>,
    /// How many votes defer.
    pub deferring: u32,
    /// Whom they defer to.
    pub leader: Option<PlayerId>,
    /// Somebody who closes matters, and the office for which most closings of this kind of post are.
    pub closer: Option<PlayerId>,
    /// That office.
    pub role: Option<Name>,
    /// The function of the law that says how many votes in favour are enough.
    pub enough: Option<Name>,
}

/// What a tally comes to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatterVerdict {
    /// What it comes to.
    #[serde(flatten)]
    pub is: Ripeness,
    /// How it stands now.
    pub now: MatterStanding,
    /// How many active players have no vote.
    pub out: usize,
    /// The matter that has to be closed first.
    #[serde(serialize_with = "shape::some_text")]
    pub ahead: Option<PostId>,
    /// What time alone would change within a week, with the votes of now. Of matters without enough votes and with none ahead.
    pub later: Option<InTime>,
    /// The first moment at which time alone may make any of this otherwise.
    #[serde(serialize_with = "shape::moment")]
    pub until: Option<Moment>,
}

/// What a tally comes to, in one word and what belongs to it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Ripeness {
    /// It can be closed, and not only failed.
    Ripe {
        /// How many more votes AGAINST would change that; nothing where those that are still out cannot.
        stopped_by: Option<usize>,
    },
    /// It can be failed, and nothing else.
    Fails {
        /// For what it was it cannot be carried: "vetoed".
        fate: Option<String>,
        /// How long after its opening time alone made it so; nothing where votes did.
        #[serde(serialize_with = "shape::some_text")]
        outlived: Option<Span>,
        /// Whether votes that are still out can save it.
        can_be_saved: bool,
    },
    /// It has enough votes and cannot be closed yet.
    Waits,
    /// One vote decides.
    OneVote {
        /// Which: one a side, by whoever others defer to or by anybody.
        votes: Vec<DecidingVote>,
    },
    /// It needs more than one vote, or something else.
    Undecided,
}

/// A vote that changes how a matter stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DecidingVote {
    /// The icon.
    pub side: String,
    /// Whose it must be, because others defer to them; anybody's where nobody is named.
    #[serde(serialize_with = "shape::some_text")]
    pub by: Option<PlayerId>,
    /// How many deferring votes it carries along.
    pub carries: usize,
    /// How it stands then.
    pub then: MatterStanding,
}

/// More votes for one side that change something.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoreVotes {
    /// The icon.
    pub side: String,
    /// The least number of them.
    pub votes: usize,
    /// How it stands then.
    pub then: MatterStanding,
}

/// What would change how a matter stands first: more votes, or time alone.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatterIfs {
    /// How it stands now.
    pub now: MatterStanding,
    /// For each side the least number of further votes that changes something.
    pub more: Vec<MoreVotes>,
    /// What changes though nobody votes any more.
    pub later: Option<InTime>,
}

/// What changes though nobody votes any more.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct InTime {
    /// When.
    #[serde(serialize_with = "shape::text")]
    pub at: Moment,
    /// How it stands then.
    pub then: MatterStanding,
}

/// Lets what falls due for a matter by a moment happen on a copy, such as the end of its count. What else falls due is left
/// aside: a year that turns has nothing to do with it, and would cost as much as it does.
fn settle(copy: &mut Judge, id: PostId, up_to: Moment) {
    let is_its = |key: &DueKey| match key {
        DueKey::Automatic(_, thing) | DueKey::Recheck(_, thing) => *thing == Thing::Post(id),
        DueKey::Duty(_) | DueKey::Open(..) | DueKey::Claim(_) => false,
    };
    for round in 0..DUES {
        let its = copy.state().dues.iter();
        let its = its.filter(|(key, due)| due.at <= up_to && is_its(key));
        let Some((key, at)) = its
            .map(|(key, due)| (key.clone(), due.at))
            .min_by_key(|(_, at)| *at)
        else {
            return;
        };
        let due = Command {
            at: at.max(copy.head().at),
            actor: Actor::Game,
            key: format!("settle {round}").into(),
            act: Act::Due { keys: vec![key] },
        };
        if copy.judge(&due, &Inputs::default()).event().is_err() {
            return;
        }
    }
}

/// An open matter, to try votes and time on.
pub struct OpenMatter<'a> {
    fork: &'a Fork<'a>,
    id: PostId,
    votes: &'a MatterVotes,
    query: StandingQuery<'a>,
    /// How it stands now.
    now: MatterStanding,
    until: Option<Moment>,
    /// Who has not voted, first whoever others defer to.
    out: Vec<PlayerId>,
}

impl<'a> OpenMatter<'a> {
    /// A matter of the fork's game.
    #[must_use]
    pub fn new(fork: &'a Fork<'a>, id: PostId, votes: &'a MatterVotes) -> Self {
        let query = StandingQuery {
            closer: votes.closer,
            role: votes.role.as_ref(),
            enough: votes.enough.as_ref(),
        };
        let (now, until) = MatterStanding::at(fork, &fork.judge, fork.now, id, &query);
        let silent = votes.ballots.iter().filter(|(_, word)| word.is_empty());
        let mut out: Vec<PlayerId> = silent.map(|(player, _)| *player).collect();
        out.sort_by_key(|player| Some(*player) != votes.leader);
        Self {
            fork,
            id,
            votes,
            query,
            now,
            until,
            out,
        }
    }

    fn takes(&self, side: &str) -> bool {
        self.votes.icons.iter().any(|icon| *icon == side)
    }

    fn standing(&self, on: &Judge, at: Moment) -> (MatterStanding, Option<Moment>) {
        MatterStanding::at(self.fork, on, at, self.id, &self.query)
    }

    /// Casts somebody's vote on a copy; none where the law does not take it.
    fn cast(&self, on: &Judge, who: PlayerId, side: &str) -> Option<Judge> {
        let mut copy = on.clone();
        let act = Act::Comment {
            post: self.id,
            text: typed(&format!(":{side}:")),
        };
        let command = trial_command(self.fork.now, Actor::Player(who), act);
        let taken = tried(&mut copy, &command, &Inputs::default(), self.fork.past);
        settle(&mut copy, self.id, self.fork.now);
        taken.is_ok().then_some(copy)
    }

    /// The least number of further votes for a side, by those who have none yet, that changes something. What the count lacks is
    /// tried first; else it is found by halving, for what some votes have changed more of them do not change back.
    #[must_use]
    pub fn more(&self, side: &str) -> Option<MoreVotes> {
        if !self.takes(side) {
            return None;
        }
        let mut cast = CastVotes::none(self, side);
        let votes = match self.lacks(side).filter(|lacks| cast.flips_first(*lacks)) {
            Some(lacks) => lacks,
            None => cast.first_flip()?,
        };
        let then = cast.flipped(votes)?;
        Some(MoreVotes {
            side: side.to_owned(),
            votes,
            then,
        })
    }

    /// How many votes a side lacks, as far as the count tells: FOR to be enough, any other so that enough FOR are out of reach.
    fn lacks(&self, side: &str) -> Option<usize> {
        let cast = self.votes.ballots.iter().filter(|(_, word)| word == side);
        let cast = i64::try_from(cast.count()).ok()?;
        let enough = self.now.enough?;
        let lacks = if side == "for" {
            enough - self.now.in_favour.unwrap_or(cast)
        } else {
            let all = i64::try_from(self.votes.ballots.len()).ok()?;
            all + 1 - enough - cast
        };
        usize::try_from(lacks).ok()
    }

    /// The first moment at which something changes though nobody votes any more: the law says of each answer how long it holds.
    /// So many answers are asked for, and none that lies further ahead.
    #[must_use]
    pub fn in_time(&self, tries: usize, ahead: Span) -> Option<InTime> {
        let mut next = self.now.next(self.until, self.fork.now);
        for _ in 0..tries {
            let at = next.filter(|at| *at - self.fork.now < ahead)?;
            let mut copy = self.fork.judge.clone();
            settle(&mut copy, self.id, at);
            let (then, until) = self.standing(&copy, at);
            if !then.is_as(&self.now) {
                return Some(InTime { at, then });
            }
            next = then.next(until, at);
        }
        None
    }

    /// What would change it first. So many later moments are tried, and none that lies further ahead.
    #[must_use]
    pub fn ifs(&self, tries: usize, ahead: Span) -> MatterIfs {
        let sides = ["for", "against"].into_iter();
        MatterIfs {
            now: self.now.clone(),
            more: sides.filter_map(|side| self.more(side)).collect(),
            later: self.in_time(tries, ahead),
        }
    }

    /// What it comes to.
    #[must_use]
    pub fn verdict(&self) -> MatterVerdict {
        let mut refusals = self.now.shut.iter().map(|shut| &shut.refusal);
        let is_shut = self.now.open.is_empty();
        let ahead = refusals
            .find_map(|refusal| self.named_in(refusal))
            .filter(|_| is_shut);
        let waits = is_shut && (self.now.has_enough() || ahead.is_some());
        let later = (is_shut && !waits).then(|| self.in_time(LATER.0, LATER.1));
        MatterVerdict {
            is: self.ripeness(),
            now: self.now.clone(),
            out: self.out.len(),
            ahead,
            later: later.flatten(),
            until: self.until,
        }
    }

    fn ripeness(&self) -> Ripeness {
        let open = &self.now.open;
        if open.iter().any(|closing| !closing.fails) {
            let against = self.more("against");
            return Ripeness::Ripe {
                stopped_by: against.map(|more| more.votes),
            };
        }
        if !open.is_empty() {
            let fate = self.fate();
            let is_open = fate.is_none();
            return Ripeness::Fails {
                fate,
                outlived: self.outlived().filter(|_| is_open),
                can_be_saved: is_open && self.more("for").is_some(),
            };
        }
        if self.now.has_enough() {
            return Ripeness::Waits;
        }
        match self.deciding() {
            votes if votes.is_empty() => Ripeness::Undecided,
            votes => Ripeness::OneVote { votes },
        }
    }

    /// What it is, so that it cannot be carried any more: "vetoed".
    fn fate(&self) -> Option<String> {
        let matter = Thing::Post(self.id);
        let mut flags = conventions::LOST.into_iter();
        let flag = flags.find(|flag| self.fork.has_flag(&matter, flag))?;
        let category = &self.fork.judge.state().posts.get(&self.id)?.category;
        let law = self.fork.judge.law();
        let kept = law.value(category, flag).map(|decl| &decl.it.title);
        let title = kept.or_else(|| law.derived(category, flag).map(|decl| &decl.it.title))?;
        Some(self.fork.themed(title).to_lowercase())
    }

    /// How long after its opening time alone made a matter what it is, with the votes of now; none where the votes did.
    fn outlived(&self) -> Option<Span> {
        let opened = self.fork.judge.state().posts.get(&self.id)?.open_at;
        let is_so = |at: Moment| self.standing(&self.fork.judge, at).0.open == self.now.open;
        let second = Span(1_000);
        let (mut low, mut high) = (opened + second, self.fork.now);
        if low >= high || is_so(low) {
            return None;
        }
        while high - low > second {
            let middle = low + Span((high - low).0 / 2);
            if is_so(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(low - opened)
    }

    /// One vote a side that changes how the matter stands.
    fn deciding(&self) -> Vec<DecidingVote> {
        let leader = self.votes.leader;
        let sides = ["for", "against"].into_iter();
        // Where nobody defers to the leader, their vote is like any other.
        let carries = self.votes.deferring > 0;
        let anybody = self.out.iter().find(|player| Some(**player) != leader);
        let first = self.out.first().filter(|_| carries || anybody.is_none());
        let mut tries: Vec<PlayerId> = anybody.into_iter().chain(first).copied().collect();
        tries.dedup();
        let found = sides.filter(|side| self.takes(side)).filter_map(|side| {
            let mut tries = tries.iter();
            tries.find_map(|who| self.decides(*who, side))
        });
        found.collect()
    }

    fn decides(&self, who: PlayerId, side: &str) -> Option<DecidingVote> {
        let copy = self.cast(&self.fork.judge, who, side)?;
        let (then, _) = self.standing(&copy, self.fork.now);
        if then.is_as(&self.now) {
            return None;
        }
        let carried = then.in_favour.zip(self.now.in_favour);
        let carried = carried.map_or(0, |(then, now)| then - now - 1);
        let leads = Some(who) == self.votes.leader && self.votes.deferring > 0;
        Some(DecidingVote {
            side: side.to_owned(),
            by: leads.then_some(who),
            carries: usize::try_from(carried).unwrap_or(0),
            then,
        })
    }

    /// The open matter that a refusal says comes first: the one that it wants in place of this one.
    fn named_in(&self, refusal: &Refusal) -> Option<PostId> {
        let (state, law) = (self.fork.judge.state(), self.fork.judge.law());
        let mut wanted = refusal.needs.iter().filter_map(|need| match need.topic {
            Topic::Wanted(id) if id != self.id => Some(id),
            _ => None,
        });
        wanted.find(|id| {
            let post = state.posts.get(id);
            post.is_some_and(|post| law.is_open(post) && self.fork.view().post(post))
        })
    }
}

/// Votes of one side that are cast on copies, one after the other, by those who have none.
struct CastVotes<'m, 'a> {
    matter: &'m OpenMatter<'a>,
    side: &'m str,
    /// The game after each of them.
    copies: Vec<Judge>,
    /// How the matter stands after so many, where that is something else.
    flipped: BTreeMap<usize, Option<MatterStanding>>,
}

impl<'m, 'a> CastVotes<'m, 'a> {
    fn none(matter: &'m OpenMatter<'a>, side: &'m str) -> Self {
        Self {
            matter,
            side,
            copies: Vec::new(),
            flipped: BTreeMap::new(),
        }
    }

    /// Casts votes until there are so many, as far as there is somebody who may.
    fn reach(&mut self, count: usize) {
        let matter = self.matter;
        let voters = matter.out.iter().take(OUT_MAX.min(count));
        for voter in voters.skip(self.copies.len()) {
            let on = self.copies.last().unwrap_or(&matter.fork.judge);
            let Some(copy) = matter.cast(on, *voter, self.side) else {
                return;
            };
            self.copies.push(copy);
        }
    }

    /// How the matter stands after so many; none where nothing changes or nobody may cast so many.
    fn flipped(&mut self, votes: usize) -> Option<MatterStanding> {
        if let Some(known) = self.flipped.get(&votes) {
            return known.clone();
        }
        self.reach(votes);
        let copy = self.copies.get(votes.checked_sub(1)?)?;
        let (then, _) = self.matter.standing(copy, self.matter.fork.now);
        let flipped = (!then.is_as(&self.matter.now)).then_some(then);
        self.flipped.insert(votes, flipped.clone());
        flipped
    }

    /// Whether so many change something, and one fewer do not.
    fn flips_first(&mut self, votes: usize) -> bool {
        self.flipped(votes).is_some() && (votes == 1 || self.flipped(votes - 1).is_none())
    }

    /// The least number that changes something.
    fn first_flip(&mut self) -> Option<usize> {
        self.reach(OUT_MAX);
        let (mut low, mut high) = (1, self.copies.len());
        self.flipped(high)?;
        while low < high {
            let middle = low + (high - low) / 2;
            if self.flipped(middle).is_some() {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(high)
    }
}
