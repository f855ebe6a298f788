//! Whether a game can still change itself: one round of proposing, voting and enacting, played on a copy by the players
//! there are.

use quorate_engine::judge::{Inputs, Judge};
use quorate_engine::law::Law;
use quorate_engine::offers;
use quorate_kernel::command::{Act, Actor, NewPost, typed};
use quorate_kernel::ids::Id;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::Standing;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Span, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::{ActionDecl, CategoryDecl};
use serde::Serialize;

use crate::fork::{Fork, PatchTrial, send};
use crate::matters::{closings_of, needs_only, tried_on};
use crate::shape;
use crate::votes::{Cast, Poll};

/// How long after the votes the post may take to be enacted.
const PATIENCE: Span = Span::days(10);

/// The time between two looks at whether it can be enacted, in its first two days.
const STEP: Span = Span::hours(4);

/// The same from then on.
const LATER_STEP: Span = Span::hours(24);

/// How often something may fall due between two looks.
const DUES: usize = 60;

/// The title that the changed rule gets, if all goes well.
const MARK: &str = "A rule renamed in a trial";

/// Whether rules can still be changed after a patch.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Amending {
    /// A round goes through.
    Passes(Passed),
    /// A trial cannot find it out, and why.
    Unknown(Stuck),
    /// A round is stuck.
    Fails {
        /// Where.
        stuck: Stuck,
        /// How a round of today goes.
        today: Today,
    },
}

/// How the same round goes under today's law.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Today {
    /// It goes through.
    Passes,
    /// It is stuck too.
    Fails,
    /// It is not known, for the time was over.
    Unknown,
}

/// How a round went through.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Passed {
    /// From the votes to the enactment.
    #[serde(serialize_with = "shape::text")]
    pub after: Span,
    /// The title of the action by which votes were given, where an icon in a comment was none.
    pub by: Option<String>,
}

/// Where a round stops.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stuck {
    /// The law knows no kind of post that is voted on.
    NoKind,
    /// Nobody is there.
    NoPlayers,
    /// Nobody may post one, whatever it says.
    Posting(#[serde(serialize_with = "shape::refusal")] Refusal),
    /// The post of the trial is refused; another might be taken.
    Wording(#[serde(serialize_with = "shape::refusal")] Refusal),
    /// Icons in comments are not counted, and other ways to vote ask for more than a trial knows.
    Unvoted {
        /// Whether the law asks voters something.
        asked: bool,
        /// The titles of the actions that ask for more.
        actions: Vec<String>,
    },
    /// Nothing enacts it in time; the last refusal.
    Enacting(#[serde(serialize_with = "shape::some_refusal")] Option<Refusal>),
    /// It was closed, and the rule stands as before.
    NoEffect,
    /// The time was over.
    TimeOver,
}

/// Plays the round on the copy of a trial, and where that is stuck once more on the game as it is.
pub(crate) fn amending(fork: &Fork<'_>, trial: &PatchTrial) -> Amending {
    let stuck = match round(fork, trial.judge.clone()) {
        Ok(passed) => return Amending::Passes(passed),
        // What a trial could not try is no finding.
        Err(stuck @ (Stuck::TimeOver | Stuck::Unvoted { .. })) => return Amending::Unknown(stuck),
        Err(stuck) => stuck,
    };
    let today = match round(fork, fork.judge.clone()) {
        Ok(_) => Today::Passes,
        Err(Stuck::TimeOver) => Today::Unknown,
        Err(_) => Today::Fails,
    };
    Amending::Fails { stuck, today }
}

/// The kind of post by which rules are changed under a law: that of today where it is still voted on.
fn category<'l>(today: &'l Law, law: &'l Law) -> Option<&'l CategoryDecl> {
    let known = today
        .amending_category()
        .and_then(|name| law.categories.get(name));
    let still = known.filter(|decl| !decl.it.icons.is_empty());
    let now = || law.categories.get(law.amending_category()?);
    still.or_else(now).map(|decl| &decl.it)
}

/// Plays a round.
fn round(fork: &Fork<'_>, mut judge: Judge) -> Result<Passed, Stuck> {
    let kind = category(fork.judge.law(), judge.law())
        .ok_or(Stuck::NoKind)?
        .clone();
    let players = able(fork, &judge);
    if players.is_empty() {
        return Err(Stuck::NoPlayers);
    }
    clear_desk(fork, &mut judge, &kind);
    let (post, rule) = propose(fork, &mut judge, &kind, &players)?;
    let poll = Poll {
        post,
        category: kind.name,
        players: &players,
        at: judge.head().at.max(fork.now),
    };
    let unheard = poll.count(&judge);
    let cast = poll.by_icon(&mut judge);
    let openly = enact(fork, judge.clone(), &poll, &rule);
    match openly {
        Ok(after) if cast.said > 0 => Ok(Passed { after, by: None }),
        Err(stuck @ Stuck::TimeOver) => Err(stuck),
        Err(stuck) if poll.count(&judge) > unheard => Err(stuck),
        // Nobody said anything by an icon, or nobody heard it: there may be another way.
        openly => otherwise(fork, &judge, &poll, &rule, (openly, &cast)),
    }
}

/// Votes by what else the law has for it, and if nothing comes of that gives what came without.
fn otherwise(
    fork: &Fork<'_>,
    judge: &Judge,
    poll: &Poll<'_>,
    rule: &Name,
    (openly, cast): (Result<Span, Stuck>, &Cast),
) -> Result<Passed, Stuck> {
    let is_new = |decl: &ActionDecl| !fork.judge.law().actions.contains_key(&decl.name);
    let (mut beyond, mut new_beyond) = (Vec::new(), Vec::new());
    for decl in poll.ways(judge, &is_new) {
        let mut copy = judge.clone();
        let cast = poll.by_act(&mut copy, &decl);
        let title = fork.themed(&decl.it.title);
        match enact(fork, copy, poll, rule) {
            Ok(after) if openly.as_ref().is_ok_and(|soonest| *soonest <= after) => {}
            Ok(after) => {
                let by = Some(title);
                return Ok(Passed { after, by });
            }
            Err(stuck @ Stuck::TimeOver) => return Err(stuck),
            Err(_) if cast.is_beyond && is_new(&decl.it) => new_beyond.push(title),
            Err(_) if cast.is_beyond => beyond.push(title),
            Err(_) => {}
        }
    }
    // What is new is likelier to be the new way than what there was before.
    let (asked, actions) = if new_beyond.is_empty() {
        (cast.is_beyond, beyond)
    } else {
        (false, new_beyond)
    };
    match openly {
        Ok(after) => Ok(Passed { after, by: None }),
        Err(_) if asked || !actions.is_empty() => Err(Stuck::Unvoted { asked, actions }),
        Err(stuck) => Err(stuck),
    }
}

/// Those who play and are not idle on a copy.
fn able(fork: &Fork<'_>, judge: &Judge) -> Vec<PlayerId> {
    let people = judge.state().people.iter();
    let members = people.filter(|(_, person)| person.standing == Standing::Member);
    fork.ask(judge, |tx| {
        let idle = |id: PlayerId| {
            let flag = tx.attribute(&Thing::Player(id), "idle");
            flag.is_ok_and(|flag| flag == Datum::Bool(true))
        };
        members.map(|(id, _)| *id).filter(|id| !idle(*id)).collect()
    })
}

/// Closes what is pending, so that neither its place in the queue nor a limit on pending matters is in the way.
fn clear_desk(fork: &Fork<'_>, judge: &mut Judge, kind: &CategoryDecl) {
    let failed = kind.statuses.iter().find(|status| **status == "failed");
    let (Some(first), Some(closed)) = (kind.statuses.first(), failed.or(kind.statuses.last()))
    else {
        return;
    };
    let open = judge.state().posts_of(&kind.name);
    let close = |post| Clause::SetStatus {
        post,
        status: closed.clone(),
    };
    let clauses: Vec<_> = open
        .filter(|(status, _)| *status == first)
        .map(|(_, post)| close(post))
        .collect();
    if !clauses.is_empty() {
        let act = Act::Repair {
            patch: Sealed::close(Patch { clauses }, [0; 16]),
            reason: typed("an empty desk for the trial"),
        };
        // Where it cannot be cleared the round goes on with what there is.
        let _ = send(judge, fork.now, Actor::Operator, act);
    }
}

/// The post that changes a rule, by whoever may make one, under a title with a tag for core rules where the law asks for one.
fn propose(
    fork: &Fork<'_>,
    judge: &mut Judge,
    kind: &CategoryDecl,
    players: &[PlayerId],
) -> Result<(PostId, Name), Stuck> {
    let declared = judge.law().categories.get(&kind.name);
    let rule = declared
        .map(|decl| decl.site.rule.clone())
        .ok_or(Stuck::NoKind)?;
    if let Some(refusal) = nobody_posts(fork, judge, &kind.name, players) {
        return Err(Stuck::Posting(refusal));
    }
    let mut said = None;
    for title in ["[Core] A trial", "A trial"] {
        for player in players {
            let clauses = vec![Clause::RenameRule {
                id: rule.clone(),
                title: MARK.to_owned(),
            }];
            let act = Act::Post(Box::new(NewPost {
                category: kind.name.clone(),
                title: typed(&format!("{}{title}", kind.prefix)),
                body: typed("It gives a rule another title."),
                flavour: typed(""),
                fields: Vec::new(),
                patch: Some(Sealed::close(Patch { clauses }, [0; 16])),
            }));
            match send(judge, fork.now, Actor::Player(*player), act) {
                Ok(seq) => return Ok((PostId(Id::new(seq, 0)), rule)),
                Err(refusal) => said = Some(refusal),
            }
        }
    }
    Err(said.map_or(Stuck::NoPlayers, Stuck::Wording))
}

/// Why nobody may post such a thing at all, whatever it says.
fn nobody_posts(
    fork: &Fork<'_>,
    judge: &Judge,
    kind: &Name,
    players: &[PlayerId],
) -> Option<Refusal> {
    let decl = judge.law().categories.get(kind)?;
    let mut said = None;
    for player in players {
        let may = fork.ask(judge, |tx| offers::may_post(tx, *player, decl));
        said = Some(may.err()?);
    }
    said
}

/// Waits for somebody to be able to enact it, or for the law to do so by itself.
fn enact(fork: &Fork<'_>, mut judge: Judge, poll: &Poll<'_>, rule: &Name) -> Result<Span, Stuck> {
    let (post, begin) = (poll.post, poll.at);
    let mut now = begin;
    let mut said: Option<Refusal> = None;
    let mut has_effect = true;
    while now - begin <= PATIENCE {
        if (fork.is_over)() {
            return Err(Stuck::TimeOver);
        }
        fall_due(&mut judge, now);
        if is_changed(&judge, rule) {
            return Ok(now - begin);
        }
        for way in ways_out(&judge, poll, now, &mut said) {
            let mut copy = judge.clone();
            let args = vec![(way.first, Value::Thing(Thing::Post(post)))];
            let act = Act::Do {
                action: way.action,
                args,
            };
            match send(&mut copy, now, Actor::Player(way.by), act) {
                Ok(_) if is_changed(&copy, rule) => return Ok(now - begin),
                Ok(_) => has_effect &= !(way.closes && is_closed(&copy, post)),
                Err(refusal) if way.closes => said = Some(refusal),
                Err(_) => {}
            }
        }
        let is_early = now - begin < Span::days(2);
        now = now + if is_early { STEP } else { LATER_STEP };
    }
    Err(if has_effect {
        Stuck::Enacting(said)
    } else {
        Stuck::NoEffect
    })
}

/// An action on a matter, for somebody who may take it.
struct WayOut {
    by: PlayerId,
    action: Name,
    /// The parameter that takes the matter.
    first: Name,
    /// Whether it is one that closes matters.
    closes: bool,
}

/// What could be done with the matter at a moment that needs nothing else, each by one who may.
fn ways_out(
    judge: &Judge,
    poll: &Poll<'_>,
    now: Moment,
    said: &mut Option<Refusal>,
) -> Vec<WayOut> {
    let law = judge.law();
    let closings = closings_of(law, &poll.category);
    let names = law.action_order.iter();
    let decls = names
        .filter_map(|name| law.actions.get(name))
        .filter(|decl| needs_only(&decl.it, &poll.category));
    let mut ways = Vec::new();
    for decl in decls {
        let Some(first) = decl.it.params.first() else {
            continue;
        };
        let closes = closings.iter().any(|known| known.it.name == decl.it.name);
        for player in poll.players {
            match judge.look(now, |tx| tried_on(tx, *player, decl, poll.post)) {
                Ok(()) => {
                    ways.push(WayOut {
                        by: *player,
                        action: decl.it.name.clone(),
                        first: first.name.clone(),
                        closes,
                    });
                    break;
                }
                // The refusal that comes nearest is that of somebody who may at all.
                Err(refusal) if closes && (said.is_none() || refusal.next_at.is_some()) => {
                    *said = Some(refusal);
                }
                Err(_) => {}
            }
        }
    }
    ways
}

fn is_closed(judge: &Judge, post: PostId) -> bool {
    let post = judge.state().posts.get(&post);
    post.is_none_or(|post| post.closed_at.is_some())
}

fn is_changed(judge: &Judge, rule: &Name) -> bool {
    let rule = judge.state().rules.get(rule);
    rule.is_some_and(|rule| rule.title == MARK)
}

/// Lets everything happen that falls due up to a moment.
fn fall_due(judge: &mut Judge, up_to: Moment) {
    for _ in 0..DUES {
        let Some(command) = judge.due_command(up_to) else {
            return;
        };
        judge.judge(&command, &Inputs::default());
    }
}
