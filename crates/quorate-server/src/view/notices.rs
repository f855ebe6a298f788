//! Notices: whom an event concerns, what waits for somebody, and what they follow.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_engine::conventions;
use quorate_kernel::event::Event;
use quorate_kernel::ids::DutyId;
use quorate_kernel::rows::{CellKey, Standing};
use quorate_kernel::{Moment, Name, PlayerId, Span, Thing};
use quorate_law::datum::Datum;
use quorate_notices::concern::{Concern, Scene, Whom, concerns};
use quorate_notices::kind::NoticeKind;
use quorate_notices::outbox::Followed;
use quorate_notices::topic::NoticeTopic;
use quorate_runtime::ports::AccountId;
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::ui::{Follow, urls};
use crate::view::game::GameView;
use crate::view::notice_texts::line_digest;
use crate::view::{needs, waiting};

/// A game in which nothing happens is looked at again after so long, for what its law asks of whom.
const LOOK_AGAIN: Span = Span::hours(6);

/// How many days back and ahead it is looked for times in which a game rests.
const DAYS_BACK: i64 = 31;
const DAYS_AHEAD: i64 = 366;

/// Who of some players has which part in a game.
#[derive(Serialize, Deserialize)]
pub(crate) struct Standings {
    members: BTreeSet<PlayerId>,
    admins: BTreeSet<PlayerId>,
}

impl Standings {
    /// Whether somebody is meant, apart from what they follow.
    pub(crate) fn is_meant(&self, whom: &Whom, player: PlayerId) -> bool {
        match whom {
            Whom::Player(meant) => *meant == player,
            Whom::Members => self.members.contains(&player),
            Whom::Admins => self.admins.contains(&player),
            Whom::FollowPost(_) | Whom::FollowPerson(_) | Whom::FollowRule(_) | Whom::Room => false,
        }
    }
}

/// What stands at a moment, and is told as it begins to.
#[derive(Serialize, Deserialize)]
pub(crate) struct NowStanding {
    /// For whom.
    pub(crate) player: PlayerId,
    /// As what.
    pub(crate) kind: NoticeKind,
    /// What it is about.
    pub(crate) topic: NoticeTopic,
}

impl GameView {
    /// A game as an account sees it, or as a stranger does, without a request of theirs.
    pub(crate) async fn for_account(
        site: &Arc<AppState>,
        account: Option<AccountId>,
        game: &str,
    ) -> Result<Self, AppError> {
        let account = match account {
            Some(id) => {
                let account = site.deps.accounts.account(id).await?;
                Some(account.ok_or(AppError::NotFound)?)
            }
            None => None,
        };
        let visitor = Visitor::without_request(account)?;
        Self::at(site, &visitor, game).await
    }

    /// The same game as somebody else in it sees it.
    fn as_player(&self, player: PlayerId) -> Self {
        let state = self.published.state.clone();
        let mut other = self.over(state, Arc::clone(&self.law), self.now);
        other.me = Some(player);
        other.is_past = false;
        other
    }

    /// Whom an event concerns.
    pub(crate) fn concerns(&self, event: &Event) -> Vec<Concern> {
        let scene = Scene {
            state: self.state(),
            law: &self.law,
        };
        concerns(event, scene)
    }

    fn has_admins(&self) -> bool {
        let (active, idle) = self.roster();
        active
            .iter()
            .chain(&idle)
            .any(|id| self.has_flag(*id, "admin"))
    }

    /// Who of these players is on the books, and who of those lets people in.
    pub(crate) fn standings(&self, players: &[PlayerId]) -> Standings {
        let people = &self.state().people;
        let is_member = |id: &PlayerId| {
            let person = people.get(id);
            person.is_some_and(|person| person.standing == Standing::Member)
        };
        let members: BTreeSet<PlayerId> = players.iter().copied().filter(is_member).collect();
        // Where a game has no admins, its players do.
        let has_admins = self.has_admins();
        let is_admin = |id: &PlayerId| !has_admins || self.has_flag(*id, "admin");
        let admins = members.iter().copied().filter(is_admin).collect();
        Standings { members, admins }
    }

    /// What stands for these players now, and when that may change by itself.
    pub(crate) fn now_standing(&self, players: &[PlayerId]) -> (Vec<NowStanding>, Option<Moment>) {
        let mut found = Vec::new();
        let mut next: Option<Moment> = None;
        let mut sooner = |at: Moment| next = Some(next.map_or(at, |known| known.min(at)));
        let lines = needs::law_lines(self);
        if self
            .attribute(&Thing::Game, conventions::OBLIGATIONS)
            .is_some()
        {
            sooner(self.now + LOOK_AGAIN);
        }
        for player in players {
            let theirs = self.as_player(*player);
            for line in needs::lines_of(self, &lines, *player) {
                found.push(NowStanding {
                    player: *player,
                    kind: NoticeKind::YourMove,
                    topic: NoticeTopic::Line(line_digest(&line.what)),
                });
            }
            let (ripe, later) = waiting::closable_by(&theirs);
            found.extend(ripe.into_iter().map(|post| NowStanding {
                player: *player,
                kind: NoticeKind::CanClose,
                topic: NoticeTopic::Post(post),
            }));
            later.into_iter().for_each(&mut sooner);
        }
        (found, next.filter(|at| *at > self.now))
    }

    /// The buttons by which the reader follows something or mutes it; none for who does not play here.
    pub(crate) fn follow(&self, what: &Followed) -> Option<Follow> {
        let game = self.game.as_str();
        self.me.filter(|_| !self.is_past)?;
        Some(Follow {
            send: self
                .send(urls::Follow { game })
                .with("what", what.to_string()),
            what: match what {
                Followed::Post(_) => "this post",
                Followed::Person(_) => "this player",
                Followed::Rule(_) => "this rule",
            },
        })
    }

    /// How something that somebody follows or mutes is called; none where it is gone, or no longer theirs to see.
    pub(crate) fn followed(&self, what: &Followed) -> Option<String> {
        Some(match what {
            Followed::Post(id) => self.themed(self.post(*id)?.title.as_str()),
            Followed::Person(id) => {
                self.state().people.get(id)?;
                self.name(*id)
            }
            Followed::Rule(rule) => {
                self.state().rules.get(rule)?;
                self.rule_title(rule)
            }
        })
    }

    /// What stands for the reader now and has a deadline, soonest first, for calendars.
    pub(crate) fn deadlines(&self) -> Vec<(NoticeTopic, Moment)> {
        let Some(me) = self.me else {
            return Vec::new();
        };
        let open = self.state().open.iter().filter(|(key, _)| key.who == me);
        let open =
            open.map(|(key, open)| (NoticeTopic::Open(me, key.action.clone()), open.deadline));
        let duties = self.state().duties.iter().filter(|(_, duty)| duty.to == me);
        let duties = duties.map(|(id, duty)| (NoticeTopic::Duty(DutyId(*id)), duty.deadline));
        let mut all: Vec<_> = open.chain(duties).collect();
        all.sort_by_key(|(_, at)| *at);
        all
    }

    /// Moments ahead that the tracker shows of the game and of the reader, by what they are called: when the next Turn begins,
    /// until when a spell lasts.
    pub(crate) fn moments_ahead(&self) -> Vec<(String, Moment)> {
        let mut things = vec![(Name::from("Game"), Thing::Game)];
        things.extend(self.me.map(|me| (Name::from("Player"), Thing::Player(me))));
        let kept = self.law.values.iter().map(|((of, name), decl)| {
            let it = &decl.it;
            (of, name, &it.title, &it.tracked)
        });
        let computed = self.law.derived.iter().map(|((of, name), decl)| {
            let it = &decl.it;
            (of, name, &it.title, &it.tracked)
        });
        let mut found = Vec::new();
        for (of, name, title, tracked) in kept.chain(computed) {
            let Some((_, thing)) = things.iter().find(|(kind, _)| kind == of) else {
                continue;
            };
            if tracked.is_empty() {
                continue;
            }
            if let Some(Datum::Moment(at)) = self.attribute(thing, name.as_str())
                && at > self.now
            {
                found.push((self.themed(title), at));
            }
        }
        found.sort_by_key(|(_, at)| *at);
        found
    }

    /// When the game rests by the calendar, from a month ago until a year from now, as far as its law computes that from the
    /// time alone: from when to when.
    pub(crate) fn downtimes(&self) -> Vec<(Moment, Moment)> {
        let (rests, day) = ("downtime", Span::days(1));
        let key = CellKey {
            thing: Thing::Game,
            name: rests.into(),
        };
        let is_seen = self.sight().shown(&key) && self.sight().computed(&Thing::Game, rests);
        if !is_seen || self.law.derived(&"Game".into(), rests).is_none() {
            return Vec::new();
        }
        let today = Moment(self.now.0 - self.now.0.rem_euclid(day.0));
        let from = Moment(today.0 - DAYS_BACK * day.0);
        let to = Moment(today.0 + DAYS_AHEAD * day.0);
        self.trial_run(|tx| tx.true_between(&Thing::Game, rests, (from, to)))
    }
}
