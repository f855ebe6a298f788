//! What would happen: commands tried on a copy of the game, of which nothing stays.

use quorate_engine::judge::{Head, Inputs, Judge, Judged};
use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::{Moment, Refusal};

use crate::view::game::GameView;

impl GameView {
    /// Whether the law would take an act of the reader at the page's moment. Dice of the trial are not the game's own, so
    /// that nothing is learnt of those to come.
    pub fn would(&self, act: Act) -> Result<Event, Refusal> {
        let me = self
            .me
            .ok_or_else(|| Refusal::plain("a player of this game"))?;
        let mut judge = self.fork();
        self.would_on(&mut judge, Actor::Player(me), act)
    }

    /// The same at a later moment, as if nothing happened until then.
    pub fn would_at(&self, at: Moment, act: Act) -> Result<Event, Refusal> {
        let me = self
            .me
            .ok_or_else(|| Refusal::plain("a player of this game"))?;
        let command = trial(at, Actor::Player(me), act);
        outcome(self.fork().judge(&command, &Inputs::default()))
    }

    /// A copy of the game to try things on.
    pub fn fork(&self) -> Judge {
        Judge::open(self.state().clone(), self.head(), &self.site.parts.laws)
    }

    /// Where the game's log ends.
    pub(crate) fn head(&self) -> Head {
        self.published.head
    }

    /// Tries an act on a copy.
    pub fn would_on(&self, judge: &mut Judge, actor: Actor, act: Act) -> Result<Event, Refusal> {
        self.would_with(judge, actor, act, &Inputs::default())
    }

    /// The same with dice that are given, or fall under another secret.
    pub(crate) fn would_with(
        &self,
        judge: &mut Judge,
        actor: Actor,
        act: Act,
        inputs: &Inputs<'_>,
    ) -> Result<Event, Refusal> {
        let command = trial(self.now, actor, act);
        let mut judged = judge.judge(&command, inputs);
        if matches!(judged, Judged::NeedsPast) {
            let log = self.whole_log()?;
            let inputs = Inputs {
                past: &log,
                ..Inputs::default()
            };
            judged = judge.judge(&command, &inputs);
        }
        outcome(judged)
    }

    /// The log up to the page's moment, for a ruling that is tried. Pages are made where waiting holds up nobody.
    pub(crate) fn whole_log(&self) -> Result<Vec<Event>, Refusal> {
        let reading = self.site.whole_log(&self.game);
        let log = tokio::runtime::Handle::current().block_on(reading);
        let mut log = log.map_err(|error| Refusal::plain(format!("a log that reads ({error})")))?;
        log.retain(|event| event.seq <= self.published.head.seq);
        Ok(log)
    }
}

/// A command of a trial. Its key is none of a person's, so its dice are none of the game's.
pub(crate) fn trial(at: Moment, actor: Actor, act: Act) -> Command {
    Command {
        at,
        actor,
        key: "trial".into(),
        act,
    }
}

/// What came of a trial: an event that came to nothing is a refusal.
pub(crate) fn outcome(judged: Judged) -> Result<Event, Refusal> {
    let event = judged.event()?;
    match &event.outcome {
        Outcome::Refused(refusal) | Outcome::Lapsed(refusal) => Err(refusal.clone()),
        Outcome::Done | Outcome::Opened(_) => Ok(event),
    }
}
