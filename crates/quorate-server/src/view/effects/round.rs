//! Whether a game can still change itself: one round of proposing, voting and enacting, played on a copy by the players
//! there are.

mod votes;

use std::fmt;

use quorate_engine::judge::{Inputs, Judge};
use quorate_engine::offers;
use quorate_kernel::command::{Act, Actor, NewPost, typed};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::Standing;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Span, Thing, Value};
use quorate_law::declare::ActionDecl;

use crate::ui::Effect;
use crate::view::effects::round::votes::{Cast, Poll};
use crate::view::effects::{Trial, Until};
use crate::view::game::GameView;
use crate::view::matters::{closings_of, needs_only, tried_on};
use crate::view::preview::{outcome, trial as command};

/// How long after the votes the proposal may take to be enacted.
const PATIENCE: Span = Span::days(10);

/// The time between two looks at whether it can be enacted, in its first two days.
const STEP: Span = Span::hours(4);

/// The same from then on.
const LATER_STEP: Span = Span::hours(24);

/// How often something may fall due between two looks.
const DUES: usize = 60;

/// The title that the changed rule gets, if all goes well.
const MARK: &str = "A rule renamed in a trial";

/// How a round went through.
struct Passed {
    /// From the votes to the enactment.
    after: Span,
    /// The act by which votes were given, where an icon in a comment was none.
    by: Option<String>,
}

/// Where a round stops.
enum Stuck {
    /// The law knows no kind of post that is voted on.
    NoKind,
    /// Nobody is there.
    NoPlayers,
    /// Nobody may propose, whatever it is.
    Propose(Refusal),
    /// This proposal is refused; another might be taken.
    Wording(Refusal),
    /// Icons in comments are not counted, and these ways to vote ask for more than a trial knows.
    Unvoted(Vec<String>),
    /// Nothing enacts it in time; the last refusal.
    Enact(Option<Refusal>),
    /// It was closed, and the rule stands as before.
    NoEffect,
    /// The report's time was over.
    TimeOver,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKind => f.write_str("the law would know no kind of post that is voted on"),
            Self::NoPlayers => f.write_str("there would be no active player"),
            Self::Propose(refusal) => write!(f, "no proposal could be made: {refusal}"),
            Self::Wording(refusal) => write!(f, "the proposal of the trial would be refused: {refusal}"),
            Self::Unvoted(ways) => write!(
                f,
                "no icon in a comment would count as a vote, and what else players could do asks for more than a trial can \
                 answer ({})",
                ways.join(", ")
            ),
            Self::Enact(Some(refusal)) => {
                write!(f, "a proposal with every vote FOR would not be enacted: {refusal}")
            }
            Self::Enact(None) => {
                f.write_str("a proposal with every vote FOR would not be enacted by anybody in ten days")
            }
            Self::NoEffect => f.write_str(
                "a proposal with every vote FOR would be closed, and the rule that it changes would stay as it is",
            ),
            Self::TimeOver => f.write_str("trying it takes longer than a report may"),
        }
    }
}

impl GameView {
    /// The lines of the report: the round goes through, or where it stops and whether it stops there today as well.
    pub(crate) fn still_amendable(&self, trial: &Trial, until: &Until<'_>) -> Vec<Effect> {
        let stuck = match self.round(trial.judge.clone(), until) {
            Ok(passed) => return vec![passed.told()],
            Err(stuck) => stuck,
        };
        let text = format!("{stuck}.");
        // What a trial could not try is no finding.
        if let Stuck::TimeOver | Stuck::Unvoted(_) = stuck {
            return vec![Effect::new("Not known:", text.trim_end_matches('.'))];
        }
        let lead = match (self.round(self.blind(), until), stuck) {
            (Err(Stuck::TimeOver), _) => {
                let lead = "Not by this way, and whether today is not known:";
                return vec![Effect::new(lead, text)];
            }
            (Err(_), _) => {
                return vec![Effect::new("Not by this way, and not today either:", text)];
            }
            (Ok(_), Stuck::Wording(_) | Stuck::NoEffect) => {
                "Not every rule could be changed by a proposal any more:"
            }
            (Ok(_), _) => "No rule could be changed any more:",
        };
        vec![Effect::new(lead, text).alarm()]
    }

    /// Plays the round.
    fn round(&self, mut judge: Judge, until: &Until<'_>) -> Result<Passed, Stuck> {
        let kind = kind(&judge).ok_or(Stuck::NoKind)?;
        let players = self.able(&judge);
        if players.is_empty() {
            return Err(Stuck::NoPlayers);
        }
        self.clear_desk(&mut judge, &kind);
        let (post, rule) = self.propose(&mut judge, &kind, &players)?;
        let poll = Poll {
            post,
            category: kind,
            players: &players,
            at: judge.head().at.max(self.now),
        };
        let unheard = poll.count(&judge);
        let cast = poll.by_icon(&mut judge);
        let openly = Self::enact(judge.clone(), &poll, &rule, until);
        match openly {
            Ok(after) if cast.said > 0 => Ok(Passed { after, by: None }),
            Err(stuck @ Stuck::TimeOver) => Err(stuck),
            Err(stuck) if poll.count(&judge) > unheard => Err(stuck),
            // Nobody said anything by an icon, or nobody heard it: there may be another way.
            openly => self.otherwise(&judge, &poll, &rule, (openly, &cast), until),
        }
    }

    /// Votes by what else the law has for it, and if nothing comes of that gives what came without.
    fn otherwise(
        &self,
        judge: &Judge,
        poll: &Poll<'_>,
        rule: &Name,
        (openly, cast): (Result<Span, Stuck>, &Cast),
        until: &Until<'_>,
    ) -> Result<Passed, Stuck> {
        let is_new = |decl: &ActionDecl| !self.law.actions.contains_key(&decl.name);
        let (mut beyond, mut new_beyond) = (Vec::new(), Vec::new());
        if cast.is_beyond {
            beyond.push("what the law asks them".to_owned());
        }
        for decl in poll.ways(judge, &is_new) {
            let mut copy = judge.clone();
            let cast = poll.by_act(&mut copy, &decl);
            let title = self.themed(&decl.it.title);
            match Self::enact(copy, poll, rule, until) {
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
        let beyond = if new_beyond.is_empty() {
            beyond
        } else {
            new_beyond
        };
        match openly {
            Ok(after) => Ok(Passed { after, by: None }),
            Err(_) if !beyond.is_empty() => Err(Stuck::Unvoted(beyond)),
            Err(stuck) => Err(stuck),
        }
    }

    /// Those who play and are not idle on a copy.
    fn able(&self, judge: &Judge) -> Vec<PlayerId> {
        let people = judge.state().people.iter();
        let members = people.filter(|(_, person)| person.standing == Standing::Member);
        judge.look(self.now, |tx| {
            let idle = |id: PlayerId| {
                tx.attribute(&Thing::Player(id), "idle")
                    .is_ok_and(|idle| idle == quorate_law::datum::Datum::Bool(true))
            };
            members.map(|(id, _)| *id).filter(|id| !idle(*id)).collect()
        })
    }

    /// Closes what is pending, so that neither its place in the queue nor a limit on pending proposals is in the way.
    fn clear_desk(&self, judge: &mut Judge, kind: &Name) {
        let law = judge.law();
        let statuses = law
            .categories
            .get(kind)
            .map(|decl| decl.it.statuses.clone());
        let statuses = statuses.unwrap_or_default();
        let failed = statuses.iter().find(|status| **status == "failed");
        let (Some(first), Some(closed)) = (statuses.first(), failed.or(statuses.last())) else {
            return;
        };
        let open = judge.state().posts_of(kind);
        let clauses: Vec<_> = open
            .filter(|(status, _)| *status == first)
            .map(|(_, post)| Clause::SetStatus {
                post,
                status: closed.clone(),
            })
            .collect();
        if !clauses.is_empty() {
            let act = Act::Repair {
                patch: Sealed::close(Patch { clauses }, [0; 16]),
                reason: typed("an empty desk for the trial"),
            };
            // Where it cannot be cleared the round goes on with what there is.
            let _ = send(judge, self.now, Actor::Operator, act);
        }
    }

    /// The proposal, by whoever may make one, under a title with a tag for core rules where the law asks for one.
    fn propose(
        &self,
        judge: &mut Judge,
        kind: &Name,
        players: &[PlayerId],
    ) -> Result<(PostId, Name), Stuck> {
        let rule = judge
            .law()
            .categories
            .get(kind)
            .map(|decl| decl.site.rule.clone())
            .ok_or(Stuck::NoKind)?;
        let prefix = judge
            .law()
            .categories
            .get(kind)
            .map(|decl| decl.it.prefix.clone());
        let prefix = prefix.unwrap_or_default();
        if let Some(refusal) = self.nobody_posts(judge, kind, players) {
            return Err(Stuck::Propose(refusal));
        }
        let mut said = None;
        for title in [
            format!("{prefix}[Core] A trial"),
            format!("{prefix}A trial"),
        ] {
            for player in players {
                let patch = Patch {
                    clauses: vec![Clause::RenameRule {
                        id: rule.clone(),
                        title: MARK.to_owned(),
                    }],
                };
                let act = Act::Post(Box::new(NewPost {
                    category: kind.clone(),
                    title: typed(&title),
                    body: typed("It gives a rule another title."),
                    flavour: typed(""),
                    fields: Vec::new(),
                    patch: Some(Sealed::close(patch, [0; 16])),
                }));
                match send(judge, self.now, Actor::Player(*player), act) {
                    Ok(seq) => {
                        let id = PostId(quorate_kernel::ids::Id::new(seq, 0));
                        return Ok((id, rule));
                    }
                    Err(refusal) => said = Some(refusal),
                }
            }
        }
        Err(said.map_or(Stuck::NoPlayers, Stuck::Wording))
    }

    /// Why nobody may post such a thing at all, whatever it says.
    fn nobody_posts(&self, judge: &Judge, kind: &Name, players: &[PlayerId]) -> Option<Refusal> {
        let decl = judge.law().categories.get(kind)?;
        let mut said = None;
        for player in players {
            let may = judge.look(self.now, |tx| offers::may_post(tx, *player, decl));
            said = Some(may.err()?);
        }
        said
    }

    /// Waits for somebody to be able to enact it, or for the law to do so by itself.
    fn enact(
        mut judge: Judge,
        poll: &Poll<'_>,
        rule: &Name,
        until: &Until<'_>,
    ) -> Result<Span, Stuck> {
        let (post, begin) = (poll.post, poll.at);
        let mut now = begin;
        let mut said: Option<Refusal> = None;
        let mut has_effect = true;
        while now - begin <= PATIENCE {
            if until.is_over() {
                return Err(Stuck::TimeOver);
            }
            fall_due(&mut judge, now);
            if is_changed(&judge, rule) {
                return Ok(now - begin);
            }
            for way in Self::ways_out(&judge, poll, now, &mut said) {
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
            now = now
                + if now - begin < Span::days(2) {
                    STEP
                } else {
                    LATER_STEP
                };
        }
        Err(if has_effect {
            Stuck::Enact(said)
        } else {
            Stuck::NoEffect
        })
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

impl Passed {
    fn told(&self) -> Effect {
        let when = match self.after {
            Span(0) => "at once".to_owned(),
            after => format!("after {after}"),
        };
        let how = match &self.by {
            Some(act) => format!(", with votes given by “{act}”"),
            None => String::new(),
        };
        Effect::new(
            "Yes:",
            format!("such a proposal would be enacted {when}{how}."),
        )
    }
}

/// The kind of post that changes the rules: of those that are voted on proposals, else the first.
fn kind(judge: &Judge) -> Option<Name> {
    let law = judge.law();
    let kinds = law.category_order.iter();
    let voted = |name: &&Name| {
        let decl = law.categories.get(*name);
        decl.is_some_and(|decl| !decl.it.icons.is_empty())
    };
    kinds
        .clone()
        .filter(voted)
        .find(|name| **name == "Proposal")
        .or_else(|| kinds.clone().find(voted))
        .cloned()
}

fn is_closed(judge: &Judge, post: PostId) -> bool {
    let post = judge.state().posts.get(&post);
    post.is_none_or(|post| post.closed_at.is_some())
}

fn is_changed(judge: &Judge, rule: &Name) -> bool {
    let rule = judge.state().rules.get(rule);
    rule.is_some_and(|rule| rule.title == MARK)
}

pub(crate) fn send(
    judge: &mut Judge,
    at: Moment,
    actor: Actor,
    act: Act,
) -> Result<quorate_kernel::EventSeq, Refusal> {
    let command = command(at, actor, act);
    outcome(judge.judge(&command, &Inputs::default())).map(|event| event.seq)
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
