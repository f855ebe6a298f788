//! One round of proposing, voting and enacting, played on a copy by the players there are, in each kind of post by which
//! rules can be changed.

use quorate_engine::judge::{Inputs, Judge};
use quorate_engine::law::Law;
use quorate_engine::offers;
use quorate_kernel::command::{Act, Actor, NewPost, typed};
use quorate_kernel::ids::Id;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Span, Thing, Value};
use quorate_law::declare::{ActionDecl, CategoryDecl};
use serde::Serialize;

use crate::enactment::able;
use crate::fork::{Fork, send};
use crate::matters::{closings_of, needs_only, tried_on};
use crate::shape;
use crate::votes::{Cast, Poll};
use crate::written::{refuses_words, refuses_words_of_post};

/// How long after the votes the post may take to be enacted.
const PATIENCE: Span = Span::days(3 * 366);

/// The time between two looks at whether it can be enacted, in its first two days.
const STEP: Span = Span::hours(4);

/// The same from then on, for ten days. After those each wait is half as long again as all before.
const LATER_STEP: Span = Span::hours(24);

/// On which later days posting is tried where nobody may today.
const LATER: [i64; 10] = [1, 2, 3, 4, 5, 6, 7, 31, 92, 366];

/// How often something may fall due between two looks.
const DUES: usize = 60;

/// The title that the changed rule gets, if all goes well.
pub(crate) const MARK: &str = "A rule renamed in a trial";

/// How a round went through.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Passed {
    /// From when on such a post can be made, where not at once.
    #[serde(serialize_with = "shape::moment")]
    pub from: Option<Moment>,
    /// From the votes to the enactment.
    #[serde(serialize_with = "shape::text")]
    pub after: Span,
    /// The title of the action by which votes were given, where an icon in a comment was none.
    pub by: Option<String>,
    /// The title of the kind of post, where it is another than today's.
    pub kind: Option<String>,
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
    /// What enacts it reads words that people write, and those of the trial are not enough; the last refusal.
    Words(#[serde(serialize_with = "shape::refusal")] Refusal),
    /// Nothing enacts it in time; the last refusal.
    Enacting(#[serde(serialize_with = "shape::some_refusal")] Option<Refusal>),
    /// It was closed, and the rule stands as before.
    NoEffect,
    /// The time was over.
    TimeOver,
}

impl Stuck {
    /// Whether it is only the trial that knows no further.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(
            self,
            Self::TimeOver | Self::Unvoted { .. } | Self::Words(_) | Self::Wording(_)
        )
    }
}

/// The kinds of posts by which rules may be changed under a law: that of today first, where it is still voted on, then the law's
/// own, then all others that are voted on.
fn kinds(today: &Law, law: &Law) -> Vec<CategoryDecl> {
    let named = [today.amending_category(), law.amending_category()];
    let all = named.into_iter().flatten().chain(&law.category_order);
    let mut kinds: Vec<CategoryDecl> = Vec::new();
    for name in all {
        let Some(decl) = law.categories.get(name) else {
            continue;
        };
        if !decl.it.icons.is_empty() && !kinds.iter().any(|known| known.name == *name) {
            kinds.push(decl.it.clone());
        }
    }
    kinds
}

/// Plays a round in one kind of post after the other, until one goes through. Where none does, the first that could not be
/// tried to its end counts before the first that is stuck.
pub(crate) fn rounds(fork: &Fork<'_>, judge: &Judge) -> Result<Passed, Stuck> {
    let today = fork.judge.law().amending_category();
    let mut stuck: Option<Stuck> = None;
    for kind in kinds(fork.judge.law(), judge.law()) {
        let title = (today != Some(&kind.name)).then(|| fork.themed(&kind.title));
        match round(fork, judge.clone(), &kind) {
            Ok(passed) => {
                return Ok(Passed {
                    kind: title,
                    ..passed
                });
            }
            Err(Stuck::TimeOver) => return Err(Stuck::TimeOver),
            Err(more) if stuck.is_none() => stuck = Some(more),
            Err(_) => {}
        }
    }
    Err(stuck.unwrap_or(Stuck::NoKind))
}

/// Plays a round in one kind of post.
fn round(fork: &Fork<'_>, mut judge: Judge, kind: &CategoryDecl) -> Result<Passed, Stuck> {
    let players = able(fork, &judge);
    if players.is_empty() {
        return Err(Stuck::NoPlayers);
    }
    clear_desk(fork, &mut judge, kind);
    let Proposal { post, rule, from } = propose(fork, &mut judge, kind, &players)?;
    let poll = Poll {
        post,
        category: kind.name.clone(),
        players: &players,
        at: judge.head().at.max(fork.now),
    };
    let unheard = poll.count(&judge);
    let cast = poll.by_icon(&mut judge);
    let openly = enact(fork, judge.clone(), &poll, &rule);
    let passed = |after| Passed {
        from,
        after,
        by: None,
        kind: None,
    };
    match openly {
        Ok(after) if cast.said > 0 => Ok(passed(after)),
        Err(stuck @ Stuck::TimeOver) => Err(stuck),
        Err(stuck) if poll.count(&judge) > unheard => Err(stuck),
        // Nobody said anything by an icon, or nobody heard it: there may be another way.
        openly => {
            let (after, by) = otherwise(fork, &judge, &poll, &rule, (openly, &cast))?;
            Ok(Passed {
                by,
                ..passed(after)
            })
        }
    }
}

/// Votes by what else the law has for it, and if nothing comes of that gives what came without.
fn otherwise(
    fork: &Fork<'_>,
    judge: &Judge,
    poll: &Poll<'_>,
    rule: &Name,
    (openly, cast): (Result<Span, Stuck>, &Cast),
) -> Result<(Span, Option<String>), Stuck> {
    let is_new = |decl: &ActionDecl| !fork.judge.law().actions.contains_key(&decl.name);
    let (mut beyond, mut new_beyond) = (Vec::new(), Vec::new());
    for decl in poll.ways(judge, &is_new) {
        let mut copy = judge.clone();
        let cast = poll.by_act(&mut copy, &decl);
        let title = fork.themed(&decl.it.title);
        match enact(fork, copy, poll, rule) {
            Ok(after) if openly.as_ref().is_ok_and(|soonest| *soonest <= after) => {}
            Ok(after) => {
                return Ok((after, Some(title)));
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
        Ok(after) => Ok((after, None)),
        Err(_) if asked || !actions.is_empty() => Err(Stuck::Unvoted { asked, actions }),
        Err(stuck) => Err(stuck),
    }
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

/// The post of a round.
struct Proposal {
    post: PostId,
    /// The rule that it changes.
    rule: Name,
    /// When it was made, where not at once.
    from: Option<Moment>,
}

/// The post that changes a rule, by whoever may make one, now or on a later day.
fn propose(
    fork: &Fork<'_>,
    judge: &mut Judge,
    kind: &CategoryDecl,
    players: &[PlayerId],
) -> Result<Proposal, Stuck> {
    let today = match posted(judge, kind, players, fork.now) {
        Ok(proposal) => return Ok(proposal),
        Err(stuck) => stuck,
    };
    let next_at = match &today {
        Stuck::Posting(refusal) | Stuck::Wording(refusal) => refusal.next_at,
        _ => None,
    };
    let later = LATER.iter().map(|days| fork.now + Span::days(*days));
    for at in next_at.into_iter().chain(later) {
        if fork.is_over() {
            return Err(Stuck::TimeOver);
        }
        let mut copy = judge.clone();
        fall_due(&mut copy, at);
        if let Ok(proposal) = posted(&mut copy, kind, players, at) {
            *judge = copy;
            return Ok(Proposal {
                from: Some(at),
                ..proposal
            });
        }
    }
    Err(today)
}

/// The same at a moment: under a plain title, one with a tag for core rules, and one with whatever the refusal puts into
/// quotes or brackets.
fn posted(
    judge: &mut Judge,
    kind: &CategoryDecl,
    players: &[PlayerId],
    at: Moment,
) -> Result<Proposal, Stuck> {
    let declared = judge.law().categories.get(&kind.name);
    let rule = declared
        .map(|decl| decl.site.rule.clone())
        .ok_or(Stuck::NoKind)?;
    if let Some(refusal) = nobody_posts(judge, &kind.name, players, at) {
        return Err(Stuck::Posting(refusal));
    }
    let mut titles = vec!["A trial".to_owned(), "[Core] A trial".to_owned()];
    let mut said = None;
    while let Some(title) = titles.pop() {
        for player in players {
            let act = rename_proposal(kind, &rule, &title);
            match send(judge, at, Actor::Player(*player), act) {
                Ok(seq) => {
                    return Ok(Proposal {
                        post: PostId(Id::new(seq, 0)),
                        rule,
                        from: None,
                    });
                }
                Err(refusal) => {
                    if said.is_none() {
                        let hints = hints(&refusal.to_string());
                        titles.extend(hints.into_iter().map(|hint| format!("{hint} A trial")));
                    }
                    said = Some(refusal);
                }
            }
        }
    }
    Err(match said {
        None => Stuck::NoPlayers,
        Some(refusal) if refuses_words_of_post(judge, &refusal) => Stuck::Wording(refusal),
        Some(refusal) => Stuck::Posting(refusal),
    })
}

/// Words that a text puts into quotes or brackets, the latter with them.
fn hints(text: &str) -> Vec<String> {
    let between = |open: char, close: char| -> Vec<String> {
        let mut parts = text.split(open);
        parts.next();
        let ends = parts.filter_map(|part| part.split_once(close));
        ends.map(|(inside, _)| inside.to_owned()).collect()
    };
    let tags = between('[', ']').into_iter().map(|tag| format!("[{tag}]"));
    let quoted = between('“', '”').into_iter().chain(between('"', '"'));
    tags.chain(quoted)
        .filter(|hint| hint.chars().count() <= 60)
        .collect()
}

/// The act that proposes another title for a rule.
fn rename_proposal(kind: &CategoryDecl, rule: &Name, title: &str) -> Act {
    let clauses = vec![Clause::RenameRule {
        id: rule.clone(),
        title: MARK.to_owned(),
    }];
    Act::Post(Box::new(
        NewPost::plain(
            kind.name.clone(),
            &format!("{}{title}", kind.prefix),
            &format!("It gives a rule another title. {title}"),
        )
        .with_patch(Patch { clauses }),
    ))
}

/// Why nobody may post such a thing at all, whatever it says.
fn nobody_posts(judge: &Judge, kind: &Name, players: &[PlayerId], at: Moment) -> Option<Refusal> {
    let decl = judge.law().categories.get(kind)?;
    let mut said = None;
    for player in players {
        let may = judge.query(at, |tx| offers::may_post(tx, *player, decl));
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
        if fork.is_over() {
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
        let next = next_look(begin, now);
        let known = said.as_ref().and_then(|refusal| refusal.next_at);
        let known = known.filter(|at| *at > now && *at < next);
        now = known.unwrap_or(next);
    }
    Err(match said {
        _ if !has_effect => Stuck::NoEffect,
        Some(refusal)
            if refuses_words(&judge, &refusal) && !refuses_words(&fork.judge, &refusal) =>
        {
            Stuck::Words(refusal)
        }
        said => Stuck::Enacting(said),
    })
}

/// When it is looked at again.
fn next_look(begin: Moment, now: Moment) -> Moment {
    let waited = now - begin;
    now + match waited {
        waited if waited < Span::days(2) => STEP,
        waited if waited < Span::days(10) => LATER_STEP,
        Span(waited) => Span(waited / 2),
    }
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
            match judge.query(now, |tx| tried_on(tx, *player, decl, poll.post)) {
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

pub(crate) fn is_changed(judge: &Judge, rule: &Name) -> bool {
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
