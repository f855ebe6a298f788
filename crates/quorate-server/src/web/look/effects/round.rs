//! Whether a game can still change itself: one round of proposing, voting and enacting, played on a copy by the players
//! there are.

use std::fmt;

use quorate_engine::judge::{Inputs, Judge};
use quorate_kernel::command::{Act, Actor, NewPost, typed};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::Standing;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Span, Thing, Value};

use super::{Trial, Until};
use crate::pages::Effect;
use crate::web::look::Look;
use crate::web::look::matters::{closes, tried_on};
use crate::web::look::preview::{outcome, trial as command};

/// How long after the votes the proposal may take to be enacted.
const PATIENCE: Span = Span::days(10);

/// The time between two looks at whether it can be enacted.
const STEP: Span = Span::hours(4);

/// How often something may fall due between two looks.
const DUES: usize = 60;

/// The title that the changed rule gets, if all goes well.
const MARK: &str = "A rule renamed in a trial";

/// Where a round stops.
enum Stuck {
    /// The law knows no kind of post that is voted on.
    NoKind,
    /// Nobody is there.
    NoPlayers,
    /// Nobody may propose.
    Propose(Refusal),
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

impl Look {
    /// The lines of the report: the round goes through, or where it stops and whether it stops there today as well.
    pub(super) fn still_amendable(&self, trial: &Trial, until: &Until<'_>) -> Vec<Effect> {
        match self.round(self.copy_of(&trial.judge), until) {
            Ok(after) if after.0 <= 0 => vec![Effect::new(
                "Yes:",
                "such a proposal would be enacted at once.",
            )],
            Ok(after) => vec![Effect::new(
                "Yes:",
                format!("such a proposal would be enacted after {after}."),
            )],
            Err(Stuck::TimeOver) => vec![Effect::new("Not known:", Stuck::TimeOver.to_string())],
            Err(stuck) => match self.round(self.blinded(&self.fork()), until) {
                Ok(_) => {
                    let lead = "No rule could be changed any more:";
                    vec![Effect::new(lead, format!("{stuck}.")).alarm()]
                }
                Err(_) => vec![Effect::new(
                    "Not by this way, and not today either:",
                    format!("{stuck}."),
                )],
            },
        }
    }

    /// Plays the round; how long it took from the votes to the enactment.
    fn round(&self, mut judge: Judge, until: &Until<'_>) -> Result<Span, Stuck> {
        let kind = kind(&judge).ok_or(Stuck::NoKind)?;
        let players = self.able(&judge);
        if players.is_empty() {
            return Err(Stuck::NoPlayers);
        }
        self.clear_desk(&mut judge, &kind);
        let (post, rule) = self.propose(&mut judge, &kind, &players)?;
        let begin = judge.head().at.max(self.now);
        for player in &players {
            let act = Act::Comment {
                post,
                text: typed(":for:"),
            };
            // Who may not vote does not; whether the rest is enough is what the round finds out.
            let _ = send(&mut judge, begin, Actor::Player(*player), act);
        }
        self.enact(judge, post, &rule, &players, begin, until)
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
        Err(said.map_or(Stuck::NoPlayers, Stuck::Propose))
    }

    /// Waits for somebody to be able to enact it, or for the law to do so by itself.
    fn enact(
        &self,
        mut judge: Judge,
        post: PostId,
        rule: &Name,
        players: &[PlayerId],
        begin: Moment,
        until: &Until<'_>,
    ) -> Result<Span, Stuck> {
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
            for (player, action, first) in Self::ways(&judge, post, players, now, &mut said) {
                let mut copy = self.copy_of(&judge);
                let args = vec![(first, Value::Thing(Thing::Post(post)))];
                let done = send(
                    &mut copy,
                    now,
                    Actor::Player(player),
                    Act::Do { action, args },
                );
                match done {
                    Ok(_) if is_changed(&copy, rule) => return Ok(now - begin),
                    Ok(_) => has_effect = false,
                    Err(refusal) => said = Some(refusal),
                }
            }
            now = now + STEP;
        }
        Err(if has_effect {
            Stuck::Enact(said)
        } else {
            Stuck::NoEffect
        })
    }

    /// Who could close the matter in which way at a moment: one player for each way.
    fn ways(
        judge: &Judge,
        post: PostId,
        players: &[PlayerId],
        now: Moment,
        said: &mut Option<Refusal>,
    ) -> Vec<(PlayerId, Name, Name)> {
        let law = judge.law();
        let Some(row) = judge.state().posts.get(&post) else {
            return Vec::new();
        };
        let decls = law
            .action_order
            .iter()
            .filter_map(|name| law.actions.get(name))
            .filter(|decl| closes(&decl.it, &row.category));
        let mut ways = Vec::new();
        for decl in decls {
            let Some(first) = decl.it.params.first() else {
                continue;
            };
            for player in players {
                match judge.look(now, |tx| tried_on(tx, *player, decl, post)) {
                    Ok(()) => {
                        ways.push((*player, decl.it.name.clone(), first.name.clone()));
                        break;
                    }
                    // The refusal that comes nearest is that of somebody who may at all.
                    Err(refusal) if said.is_none() || refusal.next_at.is_some() => {
                        *said = Some(refusal);
                    }
                    Err(_) => {}
                }
            }
        }
        ways
    }
}

/// The kind of post that changes the rules: the first whose votes have a FOR.
fn kind(judge: &Judge) -> Option<Name> {
    let law = judge.law();
    let kinds = law.category_order.iter();
    let voted = |name: &&Name| {
        let decl = law.categories.get(*name);
        decl.is_some_and(|decl| decl.it.icons.iter().any(|icon| *icon == "for"))
    };
    kinds
        .clone()
        .filter(voted)
        .find(|name| **name == "Proposal")
        .or_else(|| kinds.clone().find(voted))
        .cloned()
}

fn is_changed(judge: &Judge, rule: &Name) -> bool {
    let rule = judge.state().rules.get(rule);
    rule.is_some_and(|rule| rule.title == MARK)
}

fn send(
    judge: &mut Judge,
    at: Moment,
    actor: Actor,
    act: Act,
) -> Result<quorate_kernel::EventSeq, Refusal> {
    let command = command(at, actor, act);
    outcome(judge.judge(&command, &mut Inputs::default())).map(|event| event.seq)
}

/// Lets everything happen that falls due up to a moment.
fn fall_due(judge: &mut Judge, up_to: Moment) {
    for _ in 0..DUES {
        let Some(command) = judge.due_command(up_to) else {
            return;
        };
        judge.judge(&command, &mut Inputs::default());
    }
}
